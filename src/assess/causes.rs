//! Why tests fail in parallel that pass one after the other: found out by running them again, each alone, with its class, and
//! after all that come before it. What is seen of them beside others is brought by who asks ([`Beside`]).

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::engine::{Allotment, Handling, Parallelism, RunRequest, Selection, Session, Watch};
use crate::suite::{Accesses, Outcome, TestId};

/// More tests are not looked into; they are still named.
const MOST: usize = 30;
/// Shared things that are named for a test.
const NAMED: usize = 5;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Passes alone.
    RaceOrSharedResource,
    /// Passes alone, and ran into a limit beside others; with a larger one it passes there, too.
    TimeoutUnderLoad,
    /// Fails alone, passes with its class.
    OrderWithinClass,
    /// Fails with its class, passes after all that come before it.
    OrderAcrossClasses,
    /// Fails whatever is run before it.
    Unexplained,
    NotTried,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::RaceOrSharedResource => "race_or_shared_resource",
            Kind::TimeoutUnderLoad => "timeout_under_load",
            Kind::OrderWithinClass => "order_within_class",
            Kind::OrderAcrossClasses => "order_across_classes",
            Kind::Unexplained => "unexplained",
            Kind::NotTried => "not_tried",
        }
    }
}

/// What was seen of a test beside others, after it had failed there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Beside {
    /// What it failed of.
    pub message: Option<String>,
    /// Did it run into a time limit, its own or parade's?
    pub limited: bool,
    /// Did it pass beside the same tests with a larger limit? `None` where that was not tried.
    pub passes_with_more_time: Option<bool>,
}

impl Beside {
    /// As a framework told it.
    pub fn failed(message: Option<String>) -> Self {
        Beside { limited: message.as_deref().is_some_and(is_about_a_limit), message, passes_with_more_time: None }
    }

    /// The kind of what passes alone.
    fn kind(&self) -> Kind {
        if self.limited && self.passes_with_more_time != Some(false) {
            Kind::TimeoutUnderLoad
        } else {
            Kind::RaceOrSharedResource
        }
    }
}

/// Why a test has to be kept apart, and how.
fn reason(kind: Kind, beside: &Beside) -> &'static str {
    match kind {
        Kind::RaceOrSharedResource if beside.limited => {
            "passes alone, and beside others runs into its time limit even where that is 20 times as large: it waits for something that they hold; run it by itself (@Isolated or @ResourceLock in Jupiter, @NotThreadSafe for Surefire's JUnit 4), or give each test its own"
        }
        Kind::RaceOrSharedResource => {
            "passes alone: it races with tests beside it, or shares something with them; run it by itself (@Isolated or @ResourceLock in Jupiter, @NotThreadSafe for Surefire's JUnit 4), or give each test its own"
        }
        Kind::TimeoutUnderLoad if beside.passes_with_more_time.is_some() => {
            "passes alone, and beside others with a larger time limit: under load its limit is too tight; raise it, or wait for the event instead"
        }
        Kind::TimeoutUnderLoad => {
            "passes alone, and beside others ran into a time limit; whether a larger one would do was not tried, for want of time: raise it, or wait for the event instead"
        }
        Kind::OrderWithinClass => {
            "fails alone and passes with its class: it needs an earlier test of its class; run its class in one thread and in order, or give it its own set-up"
        }
        Kind::OrderAcrossClasses => {
            "fails with its class and passes after all tests before it: it needs what another class leaves behind; give it its own set-up"
        }
        Kind::Unexplained => {
            "fails also when it is run again after all tests before it: the failure has yet another reason"
        }
        Kind::NotTried => "was not looked into: the time or the number of tests did not allow it",
    }
}

/// A test that failed in parallel only, and what was found out about it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cause {
    pub test: TestId,
    pub kind: Kind,
    pub reason: &'static str,
    /// What it failed of, in a parallel run.
    pub message: Option<String>,
    /// Static fields and files that other failing tests use too, where that can be seen.
    pub shares: Vec<String>,
}

/// What the search may use.
pub struct Laboratory<'a> {
    pub session: &'a mut dyn Session,
    pub cores: usize,
    pub logs: PathBuf,
    pub time: Duration,
    /// Is it over?
    pub stop: &'a dyn Fn() -> bool,
}

/// Looks into tests one by one, as long as there is time.
pub fn explain(
    mut laboratory: Laboratory<'_>,
    tests: &BTreeSet<TestId>,
    beside: &BTreeMap<TestId, Beside>,
) -> miette::Result<Vec<Cause>> {
    let deadline = Instant::now() + laboratory.time;
    let left = || deadline.saturating_duration_since(Instant::now());
    let mut found: Vec<(Cause, Option<Accesses>)> = Vec::new();
    for (number, test) in tests.iter().enumerate() {
        let beside = beside.get(test).cloned().unwrap_or_default();
        laboratory.time = left();
        let late = number >= MOST || laboratory.time.is_zero() || (laboratory.stop)();
        let (kind, accesses) =
            if late { (Kind::NotTried, None) } else { laboratory.look_into(test, &beside, number)? };
        let message = beside.message.as_deref().and_then(|message| message.lines().next()).map(str::to_owned);
        let cause = Cause { test: test.clone(), kind, reason: reason(kind, &beside), message, shares: Vec::new() };
        found.push((cause, accesses));
    }
    let shared = shared(&found);
    Ok(found.into_iter().zip(shared).map(|((cause, _), shares)| Cause { shares, ..cause }).collect())
}

impl Laboratory<'_> {
    fn look_into(&mut self, test: &TestId, beside: &Beside, number: usize) -> miette::Result<(Kind, Option<Accesses>)> {
        let alone = Selection::Tests(vec![test.clone()]);
        let (passed, accesses) = self.passes(test, alone, &format!("{number}-alone"))?;
        if passed {
            return Ok((beside.kind(), accesses));
        }
        let class = Selection::Classes(vec![test.class_id()]);
        if self.passes(test, class, &format!("{number}-class"))?.0 {
            return Ok((Kind::OrderWithinClass, accesses));
        }
        let before = Selection::Tests(self.before(test));
        let after_all = self.passes(test, before, &format!("{number}-before"))?.0;
        Ok((if after_all { Kind::OrderAcrossClasses } else { Kind::Unexplained }, accesses))
    }

    /// The tests up to this one, in the original order.
    fn before(&self, test: &TestId) -> Vec<TestId> {
        let earlier = self.session.tests().iter().take_while(|each| *each != test);
        earlier.filter(|each| each.module == test.module).chain([test]).cloned().collect()
    }

    fn passes(&mut self, test: &TestId, selection: Selection, label: &str) -> miette::Result<(bool, Option<Accesses>)> {
        let watch = Watch { coverage: false, accesses: self.session.capabilities().watches.accesses };
        let run = self.session.run(&RunRequest {
            label: label.to_owned(),
            selection,
            parallelism: Parallelism::SEQUENTIAL,
            allotment: Allotment { cores: self.cores, memory_bytes: None, logs: self.logs.clone() },
            time_limit: self.time,
            handling: Handling::default(),
            watch,
        })?;
        let outcomes: Vec<Outcome> =
            run.executions.iter().filter(|execution| execution.test == *test).map(|each| each.outcome).collect();
        let passed = !outcomes.is_empty() && outcomes.iter().all(|outcome| *outcome == Outcome::Passed);
        Ok((passed, run.seen.accesses.into_iter().find(|accesses| accesses.test == *test)))
    }
}

/// How frameworks say that a test took too long.
fn is_about_a_limit(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    ["timed out", "timedout", "timeout", "time-out", "execution exceeded"].iter().any(|sign| message.contains(sign))
}

/// What one test writes and another one uses, for each of them.
fn shared(found: &[(Cause, Option<Accesses>)]) -> Vec<Vec<String>> {
    let of = |(cause, accesses): &(Cause, Option<Accesses>)| -> Vec<String> {
        let Some(own) = accesses else { return Vec::new() };
        let others = found.iter().filter(|(other, _)| other.test != cause.test).filter_map(|(_, other)| other.as_ref());
        let mut shares = BTreeSet::new();
        for other in others {
            let used = |thing: &&String| other.writes.contains(thing) || other.reads.contains(thing);
            shares.extend(own.writes.iter().filter(used).cloned());
            shares.extend(own.reads.iter().filter(|thing| other.writes.contains(thing)).cloned());
        }
        shares.into_iter().take(NAMED).collect()
    };
    found.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::model::{ModelSession, ModelSuite};

    const SUITE: &str = "
[[test]]
id = 'A#sets'
[[test]]
id = 'A#races'
races_with = ['A#sets']
[[test]]
id = 'A#needs'
needs = ['A#sets']
[[test]]
id = 'B#needs'
needs = ['A#sets']
[[test]]
id = 'B#never'
flaky = 1.0
";

    fn laboratory(session: &mut ModelSession) -> Laboratory<'_> {
        Laboratory { session, cores: 2, logs: "logs".into(), time: Duration::from_secs(60), stop: &|| false }
    }

    #[test]
    fn kinds_are_told_apart_by_experiment() {
        let mut session = ModelSession::new(ModelSuite::parse(SUITE).unwrap(), 1);
        let tests: BTreeSet<TestId> =
            ["A#races", "A#needs", "B#needs", "B#never"].iter().map(|id| id.parse().unwrap()).collect();
        let laboratory = laboratory(&mut session);
        let found = explain(laboratory, &tests, &BTreeMap::new()).unwrap();
        let kinds: Vec<(String, Kind)> = found.iter().map(|cause| (cause.test.to_string(), cause.kind)).collect();
        let expected = [
            ("A#needs", Kind::OrderWithinClass),
            ("A#races", Kind::RaceOrSharedResource),
            ("B#needs", Kind::OrderAcrossClasses),
            ("B#never", Kind::Unexplained),
        ];
        assert_eq!(kinds, expected.map(|(test, kind)| (test.to_owned(), kind)));
    }

    #[test]
    fn a_larger_limit_tells_load_from_waiting_for_others() {
        let cut = Beside::failed(Some("test timed out after 5 milliseconds\nat A".to_owned()));
        let other = Beside::failed(Some("expected 1".to_owned()));
        let tried = |passes| Beside { passes_with_more_time: Some(passes), ..cut.clone() };
        let (load, waiting) = (Kind::TimeoutUnderLoad, Kind::RaceOrSharedResource);
        for (beside, kind, said) in [
            (tried(true), load, "beside others with a larger"),
            (cut.clone(), load, "was not tried"),
            (tried(false), waiting, "20 times"),
            (other, waiting, "races with"),
        ] {
            assert_eq!(beside.kind(), kind, "{beside:?}");
            assert!(reason(kind, &beside).contains(said), "{beside:?}");
            let mut session = ModelSession::new(ModelSuite::parse(SUITE).unwrap(), 1);
            let laboratory = laboratory(&mut session);
            let test: TestId = "A#races".parse().unwrap();
            let found =
                explain(laboratory, &BTreeSet::from([test.clone()]), &BTreeMap::from([(test, beside)])).unwrap();
            assert_eq!(found[0].kind, kind);
        }
    }

    #[test]
    fn what_two_tests_use_is_named_if_one_writes_it() {
        let test = |name: &str| TestId::new("", "C", name, 1);
        let found = |name: &str, reads: &[&str], writes: &[&str]| {
            let texts = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect();
            let kind = Kind::RaceOrSharedResource;
            let cause = Cause { test: test(name), kind, reason: "", message: None, shares: vec![] };
            (cause, Some(Accesses { test: test(name), reads: texts(reads), writes: texts(writes) }))
        };
        let found = [found("a", &["x", "y"], &["z"]), found("b", &["x", "z"], &["y"]), found("c", &["x"], &[])];
        assert_eq!(shared(&found), [vec!["y", "z"], vec!["y", "z"], vec![]]);
    }

    #[test]
    fn without_time_tests_are_named_and_not_looked_into() {
        let mut session = ModelSession::new(ModelSuite::parse(SUITE).unwrap(), 1);
        let laboratory =
            Laboratory { session: &mut session, cores: 1, logs: "logs".into(), time: Duration::ZERO, stop: &|| false };
        let tests = BTreeSet::from(["A#races".parse().unwrap()]);
        assert_eq!(explain(laboratory, &tests, &BTreeMap::new()).unwrap()[0].kind, Kind::NotTried);
    }
}
