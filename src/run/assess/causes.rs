//! Why tests fail in parallel that pass one after the other: found out by running them again, each alone, with its class, and
//! after all that come before it. What is seen of them beside others is brought by who asks ([`ParallelObservation`]).

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::parallel_mode::ParallelMode;
use crate::engine::{Instrumentation, Resources, RunRequest, Selection, Session};
use crate::project::Words;
use crate::shown_text::p_value;
use crate::stats::{self, Alternative};
use crate::suite::{Accesses, Outcome, RunEnd, TestId};
use crate::wording::first_line;

/// More tests are not looked into; they are still named.
const MOST: usize = 100;
/// Shared things that are named for a test.
const NAMED: usize = 5;
/// A test is run alone so often, where that can settle whether parallelism has a part in its failures, and where it cannot.
const MOST_ALONE: usize = 20;
const FEW_ALONE: usize = 5;
/// What fails alone is tried so often, before it is taken for a test that fails alone.
const ALONE_AGAIN: usize = 2;
/// So unlikely it has to be that chance alone made a test fail in parallel only.
pub const CHANCE: f64 = 0.05;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Passes alone, and fails beside others too often for chance.
    RaceOrSharedResource,
    /// Passes alone, and failed beside others so rarely that it may have been chance.
    ChanceOrRareRace,
    /// Fails now and then without any parallelism, too.
    Chance,
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
            Kind::ChanceOrRareRace => "chance_or_rare_race",
            Kind::Chance => "chance",
            Kind::TimeoutUnderLoad => "timeout_under_load",
            Kind::OrderWithinClass => "order_within_class",
            Kind::OrderAcrossClasses => "order_across_classes",
            Kind::Unexplained => "unexplained",
            Kind::NotTried => "not_tried",
        }
    }
}

/// Why a test that failed only in parallel was not examined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotExamined {
    /// The measurements left no time of the budget.
    NoBudgetLeft,
    /// The time for causes went to other tests.
    TimeUsedUp,
    /// Its own examination was cut off.
    CutOff,
    /// So many tests failed that this one was not among those that are looked into.
    TooManyTests,
    /// What runs single tests could not be built again.
    BuildFailed,
    Interrupted,
}

impl NotExamined {
    /// For a person.
    pub fn told(self) -> String {
        match self {
            NotExamined::NoBudgetLeft => {
                "was not examined: the measurements used up the budget. Give a larger --budget".to_owned()
            }
            NotExamined::TimeUsedUp => {
                "was not examined: the time for causes was used up by tests before it. Give a larger --budget"
                    .to_owned()
            }
            NotExamined::CutOff => {
                "was not examined to the end: the budget ended meanwhile. Give a larger --budget".to_owned()
            }
            NotExamined::TooManyTests => {
                format!("was not examined: parade examines {MOST} tests at most, and more failed. Fix those first")
            }
            NotExamined::BuildFailed => "was not examined: the project could not be built again".to_owned(),
            NotExamined::Interrupted => "was not examined: parade was interrupted. The same command goes on".to_owned(),
        }
    }
}

/// What was seen of a test beside others, after it had failed there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParallelObservation {
    /// What it failed of.
    pub message: Option<String>,
    /// Did it run into a time limit, its own or parade's?
    pub limited: bool,
    /// Did it pass beside the same tests with a larger limit? `None` where that was not tried.
    pub passes_with_more_time: Option<bool>,
    /// In how many of the measured parallel runs it failed, of how many, in the ways in which it did.
    pub failed: usize,
    pub runs: usize,
    /// The same of runs that were made again only to see what tests fail of.
    pub again: ExtraRuns,
    /// Ways in which tests ran at the same time, where there were others than those: it was free to fail in any of them.
    pub ways: usize,
    /// Will there be no more runs, whatever the budget?
    pub is_final: bool,
    /// Of a test that is flaky, too: runs without parallelism, and those of them in which it failed. Fewer than chance explains.
    pub without: Option<Without>,
}

impl ParallelObservation {
    /// What a framework told of its failure.
    pub fn told(&mut self, message: Option<String>) {
        self.limited = message.as_deref().is_some_and(is_about_a_limit);
        self.message = message;
    }

    /// The kind of what passes alone.
    fn kind(&self, is_beyond_chance: bool) -> Kind {
        match self.limited {
            true if self.passes_with_more_time != Some(false) => Kind::TimeoutUnderLoad,
            _ if is_beyond_chance => Kind::RaceOrSharedResource,
            _ => Kind::ChanceOrRareRace,
        }
    }

    /// How likely a test that does not care about parallelism fails in so many of these runs, and in none of those without. By
    /// Fisher's exact test, without the first failure: every test that ever fails has that one, or nobody would look at it.
    /// Where it failed in some ways only, those were chosen by the failures, and count for as many tries as there are ways.
    fn chance(&self, passed: usize) -> f64 {
        let (failed, runs) = (self.failed + self.again.failed, self.runs + self.again.runs);
        let again = failed.saturating_sub(1) as u64;
        let fine = runs.saturating_sub(failed) as u64;
        let p = stats::fisher_exact([[again, fine], [0, passed as u64]], Alternative::Greater).map(|test| test.p);
        let p = p.filter(|_| again > 0).unwrap_or(1.0);
        (p * self.ways.max(1) as f64).min(1.0)
    }
}

/// Runs of a parallel mode beyond the measured ones, and those of them in which a test failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtraRuns {
    /// The mode in which they were made.
    #[serde(default)]
    pub mode: Option<ParallelMode>,
    pub failed: usize,
    pub runs: usize,
}

/// How often a test was run without any parallelism, and failed there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Without {
    /// With all others.
    pub suite_runs: usize,
    pub suite_failed: usize,
    pub alone: usize,
    pub alone_failed: usize,
}

impl Without {
    pub fn of_suite(suite_runs: usize, suite_failed: usize) -> Self {
        Without { suite_runs, suite_failed, ..Without::default() }
    }

    fn passed(&self) -> usize {
        self.suite_runs - self.suite_failed + self.alone - self.alone_failed
    }
}

/// Why it has to be kept apart, and how.
fn explanation(kind: Kind, beside: &ParallelObservation) -> &'static str {
    match kind {
        Kind::RaceOrSharedResource if beside.limited => {
            "passes alone, but reaches its time limit next to other tests even if the limit is 20 times as large. It \
             waits for something that they hold. Run it alone ({alone}), or give each test its own resource"
        }
        Kind::RaceOrSharedResource => {
            "passes alone: it races with other tests, or shares a resource with them. Run it alone ({alone}), or give each test its own resource"
        }
        Kind::ChanceOrRareRace if beside.is_final => {
            "passes alone. parade plans no more runs that could tell: watch it in CI"
        }
        Kind::ChanceOrRareRace => "passes alone. A larger --budget allows more runs, which may tell",
        Kind::Chance => {
            "also fails sometimes when it runs alone: it is flaky, and this does not count against parallelism. Fix \
             it in any case"
        }
        Kind::TimeoutUnderLoad if beside.passes_with_more_time.is_some() => {
            "passes alone, and next to other tests with a larger time limit: its limit is too short under load. Raise \
             it, or wait for the event instead"
        }
        Kind::TimeoutUnderLoad => {
            "passes alone, but reached a time limit next to other tests. There was no time to try a larger limit. \
             Raise it, or wait for the event instead"
        }
        Kind::OrderWithinClass => {
            "fails alone and passes with its class: it needs an earlier test of its class. Run the class in one \
             thread and in order, or give the test its own set-up"
        }
        Kind::OrderAcrossClasses => {
            "fails with its class and passes after all tests before it: it needs state of another class. Give it its \
             own set-up"
        }
        Kind::Unexplained => "also fails after all tests before it: the failure has another cause",
        Kind::NotTried => "was not examined",
    }
}

/// What speaks for a race, and how likely chance did the same.
fn not_proven(beside: &ParallelObservation, without: Without, p: Option<f64>) -> String {
    let (failed, runs) = (beside.failed + beside.again.failed, beside.runs + beside.again.runs);
    let parallel = match (failed, runs) {
        (1, 1) => "in the only parallel run".to_owned(),
        _ if failed == runs => format!("in all {runs} parallel runs"),
        _ => format!("in {failed} of {runs} parallel runs"),
    };
    let p = p.map(|p| format!(" (p = {})", p_value(p))).unwrap_or_default();
    format!(
        ". It failed {parallel} and in none of {} sequential ones; that parallelism is the cause is not yet proven{p}",
        without.suite_runs
    )
}

/// A port in use says by itself what tests share.
fn port_hint(beside: &ParallelObservation) -> &'static str {
    let is_port = |message: &String| message.contains("BindException") || message.contains("Address already in use");
    if beside.message.as_ref().is_some_and(is_port) {
        ". Its message is about a port that is in use: let the test take a free port (port 0), or let tests that use this \
         port run one after the other"
    } else {
        ""
    }
}

/// A test that failed only in parallel, and what was found out about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cause {
    pub test: TestId,
    pub kind: Kind,
    /// Of what was not examined: why.
    #[serde(default)]
    pub not_tried: Option<NotExamined>,
    /// Why it fails beside others, as far as it was found out, and what to do.
    pub explanation: String,
    /// What it failed of, in a parallel run: the first line.
    pub message: Option<String>,
    /// Runs that were made again only to see what tests fail of.
    pub again: ExtraRuns,
    pub without: Without,
    /// Static fields and files that other failing tests use too, where that can be seen.
    pub shares: Vec<String>,
}

/// What the search may use.
pub struct CauseSearchInput<'a> {
    pub session: &'a mut dyn Session,
    pub cores: usize,
    pub memory_bytes: Option<u64>,
    pub logs: PathBuf,
    pub time: Duration,
    /// Runs of the whole suite, one test after the other, in which none of the tests failed.
    pub sequential_runs: usize,
    /// A run that takes longer hangs.
    pub fair: Duration,
    /// Is it over?
    pub stop: &'a dyn Fn() -> bool,
}

/// Names tests that nobody can look into.
pub fn not_tried(
    tests: &BTreeSet<TestId>,
    beside: &BTreeMap<TestId, ParallelObservation>,
    why: NotExamined,
) -> Vec<Cause> {
    let of = |test: &TestId| unexamined(test, beside.get(test).unwrap_or(&ParallelObservation::default()), why);
    tests.iter().map(of).collect()
}

fn unexamined(test: &TestId, beside: &ParallelObservation, why: NotExamined) -> Cause {
    let explanation = why.told() + port_hint(beside);
    let cause = cause(test, Kind::NotTried, beside, Without::default(), None);
    Cause { not_tried: Some(why), explanation, ..cause }
}

fn cause(test: &TestId, kind: Kind, beside: &ParallelObservation, without: Without, p: Option<f64>) -> Cause {
    let explained = match (kind, explanation(kind, beside).split_once(". ")) {
        (Kind::ChanceOrRareRace, Some((first, rest))) => {
            format!("{first}{}. {rest}", not_proven(beside, without, p))
        }
        _ => explanation(kind, beside).to_owned(),
    };
    Cause {
        test: test.clone(),
        kind,
        not_tried: None,
        explanation: explained.replace("{alone}", Words::default().alone) + port_hint(beside),
        message: beside.message.as_deref().map(first_line).filter(|line| !line.is_empty()),
        again: beside.again,
        without,
        shares: Vec::new(),
    }
}

/// Looks into tests one by one, as long as there is time.
pub fn explain(
    laboratory: CauseSearchInput<'_>,
    tests: &BTreeSet<TestId>,
    beside: &BTreeMap<TestId, ParallelObservation>,
) -> miette::Result<Vec<Cause>> {
    let deadline = Instant::now() + laboratory.time;
    let mut found: Vec<(&TestId, ParallelObservation, FoundOut)> = Vec::new();
    let wanted = CHANCE / tests.len().max(1) as f64;
    let mut bench = TimedLaboratory { laboratory, deadline, until: deadline, wanted };
    for (number, test) in tests.iter().enumerate() {
        let beside = beside.get(test).cloned().unwrap_or_default();
        let others = tests.len().min(MOST).saturating_sub(number).max(1);
        bench.until = Instant::now() + bench.left() / u32::try_from(others).unwrap_or(u32::MAX);
        let found_out = match bench.refusal(number) {
            Some(why) => FoundOut { not_tried: why, ..FoundOut::default() },
            None => bench.look_into(test, &beside, number)?,
        };
        found.push((test, beside, found_out));
    }
    doubt(&mut found);
    let named = |(test, beside, found): (&TestId, ParallelObservation, FoundOut)| match found.kind {
        Kind::NotTried => (unexamined(test, &beside, found.not_tried), None),
        kind => (cause(test, kind, &beside, found.without, found.chance), found.accesses),
    };
    let found: Vec<(Cause, Option<Accesses>)> = found.into_iter().map(named).collect();
    let shared = shared(&found);
    Ok(found.into_iter().zip(shared).map(|((cause, _), shares)| Cause { shares, ..cause }).collect())
}

/// Of many tests that fail by chance, some look as if they raced. So many are called races that at most one in twenty of them is
/// expected to be none (Benjamini and Hochberg).
fn doubt(found: &mut [(&TestId, ParallelObservation, FoundOut)]) {
    let is_open = |found: &FoundOut| found.chance.is_some();
    let chances: Vec<f64> = found.iter().filter_map(|(_, _, found)| found.chance).collect();
    let corrected = stats::benjamini_hochberg(&chances);
    for ((_, beside, found), p) in found.iter_mut().filter(|(_, _, found)| is_open(found)).zip(corrected) {
        (found.kind, found.chance) = (beside.kind(p < CHANCE), Some(p));
    }
}

/// What became of a test in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SingleRunEnd {
    Passed,
    Failed,
    /// The time was up.
    TimeWasUp,
}

struct FoundOut {
    kind: Kind,
    /// Of what was not examined, or not to the end.
    not_tried: NotExamined,
    without: Without,
    accesses: Option<Accesses>,
    /// Of what passes alone: how likely its failures beside others are chance.
    chance: Option<f64>,
}

impl Default for FoundOut {
    fn default() -> Self {
        let (kind, not_tried) = (Kind::NotTried, NotExamined::CutOff);
        FoundOut { kind, not_tried, without: Without::default(), accesses: None, chance: None }
    }
}

/// The laboratory with its clock.
struct TimedLaboratory<'a> {
    laboratory: CauseSearchInput<'a>,
    deadline: Instant,
    /// The present test's fair share of the time ends here; what only makes its kind more certain is over then.
    until: Instant,
    /// So unlikely chance has to be before nothing more is asked.
    wanted: f64,
}

impl TimedLaboratory<'_> {
    fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// Why this test is not looked into.
    fn refusal(&self, number: usize) -> Option<NotExamined> {
        match () {
            () if (self.laboratory.stop)() => Some(NotExamined::Interrupted),
            () if number >= MOST => Some(NotExamined::TooManyTests),
            () if !self.left().is_zero() => None,
            () if number == 0 => Some(NotExamined::NoBudgetLeft),
            () => Some(NotExamined::TimeUsedUp),
        }
    }

    fn look_into(&mut self, test: &TestId, beside: &ParallelObservation, number: usize) -> miette::Result<FoundOut> {
        if let Some(without) = beside.without {
            // Whatever it does alone, it fails more often beside others.
            return Ok(FoundOut { kind: Kind::RaceOrSharedResource, without, ..FoundOut::default() });
        }
        let mut without = Without { alone: 1, ..Without::of_suite(self.laboratory.sequential_runs, 0) };
        let alone = Selection::Tests(vec![test.clone()]);
        let (came, accesses) = self.run(test, alone, &format!("{number}-alone"))?;
        let kind = match came {
            SingleRunEnd::Passed => self.more_alone(test, beside, number, &mut without)?,
            SingleRunEnd::Failed => {
                without.alone_failed = 1;
                self.where_it_passes(test, number, &mut without)?
            }
            SingleRunEnd::TimeWasUp => Kind::NotTried,
        };
        let is_open = matches!(kind, Kind::RaceOrSharedResource | Kind::ChanceOrRareRace);
        let chance = is_open.then(|| beside.chance(without.passed()));
        Ok(FoundOut { kind, without, accesses, chance, ..FoundOut::default() })
    }

    /// Runs what passed alone again, until chance is ruled out, found, or not worth more time.
    fn more_alone(
        &mut self,
        test: &TestId,
        beside: &ParallelObservation,
        number: usize,
        without: &mut Without,
    ) -> miette::Result<Kind> {
        let can_be_certain = beside.chance(without.suite_runs + MOST_ALONE) < CHANCE;
        let most = if can_be_certain { MOST_ALONE } else { FEW_ALONE };
        let wanted = self.wanted;
        let is_open = |without: &Without| !beside.limited && beside.chance(without.passed()) >= wanted;
        while is_open(without) && without.alone < most && Instant::now() < self.until {
            match self.alone_again(test, number, without.alone)? {
                SingleRunEnd::Passed => without.alone += 1,
                SingleRunEnd::Failed => {
                    without.alone += 1;
                    without.alone_failed += 1;
                    return Ok(Kind::Chance);
                }
                SingleRunEnd::TimeWasUp => break,
            }
        }
        Ok(beside.kind(beside.chance(without.passed()) < CHANCE))
    }

    fn alone_again(&mut self, test: &TestId, number: usize, time: usize) -> miette::Result<SingleRunEnd> {
        let alone = Selection::Tests(vec![test.clone()]);
        Ok(self.run(test, alone, &format!("{number}-alone-{}", time + 1))?.0)
    }

    /// What failed alone: by chance, or for want of what tests before it do?
    fn where_it_passes(&mut self, test: &TestId, number: usize, without: &mut Without) -> miette::Result<Kind> {
        for _ in 0..ALONE_AGAIN {
            match self.alone_again(test, number, without.alone)? {
                SingleRunEnd::Passed => {
                    without.alone += 1;
                    return Ok(Kind::Chance);
                }
                SingleRunEnd::Failed => {
                    without.alone += 1;
                    without.alone_failed += 1;
                }
                SingleRunEnd::TimeWasUp => return Ok(Kind::NotTried),
            }
        }
        let class = Selection::Classes(vec![test.class_id()]);
        let before = Selection::Tests(self.before(test));
        let places = [(class, "class", Kind::OrderWithinClass), (before, "before", Kind::OrderAcrossClasses)];
        for (selection, label, kind) in places {
            match self.run(test, selection, &format!("{number}-{label}"))?.0 {
                SingleRunEnd::Passed => return Ok(kind),
                SingleRunEnd::Failed => {}
                SingleRunEnd::TimeWasUp => return Ok(Kind::NotTried),
            }
        }
        Ok(Kind::Unexplained)
    }

    /// The tests up to this one, in the original order.
    fn before(&self, test: &TestId) -> Vec<TestId> {
        let earlier = self.laboratory.session.tests().iter().take_while(|each| *each != test);
        earlier.filter(|each| each.module == test.module).chain([test]).cloned().collect()
    }

    fn run(
        &mut self,
        test: &TestId,
        selection: Selection,
        label: &str,
    ) -> miette::Result<(SingleRunEnd, Option<Accesses>)> {
        let time_limit = self.left().min(self.laboratory.fair);
        let is_fair = time_limit == self.laboratory.fair;
        let laboratory = &mut self.laboratory;
        let watch = Instrumentation { coverage: false, accesses: laboratory.session.capabilities().watches.accesses };
        let run = laboratory.session.run(&RunRequest {
            selection,
            watch,
            ..RunRequest::sequential(
                label,
                Resources {
                    cores: laboratory.cores,
                    memory_bytes: laboratory.memory_bytes,
                    logs: laboratory.logs.clone(),
                },
                time_limit,
            )
        })?;
        let outcomes: Vec<Outcome> =
            run.executions.iter().filter(|execution| execution.test == *test).map(|each| each.outcome).collect();
        let passed = !outcomes.is_empty() && outcomes.iter().all(|outcome| *outcome == Outcome::Passed);
        let came = match run.end {
            _ if passed => SingleRunEnd::Passed,
            RunEnd::Interrupted => SingleRunEnd::TimeWasUp,
            RunEnd::TimedOut if !is_fair => SingleRunEnd::TimeWasUp,
            _ => SingleRunEnd::Failed,
        };
        Ok((came, run.seen.accesses.into_iter().find(|accesses| accesses.test == *test)))
    }
}

/// How frameworks say that a test took too long.
fn is_about_a_limit(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    ["timed out", "timedout", "timeout", "time-out", "execution exceeded"].iter().any(|sign| message.contains(sign))
}

/// What one test writes and another one uses, for each of them: of the test's own project first, as what libraries share is rarely
/// what is at fault.
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
        let mut shares: Vec<String> = shares.into_iter().filter(|thing| !is_initialisation(thing)).collect();
        shares.sort_by_key(|thing| project_of(thing) != project_of(&cause.test.class));
        shares.truncate(NAMED);
        shares
    };
    found.iter().map(of).collect()
}

/// That two tests need the same class is nothing that they share.
fn is_initialisation(thing: &str) -> bool {
    thing.ends_with(".<clinit>")
}

/// The beginning of a name that all classes of a project mostly have.
fn project_of(name: &str) -> Vec<&str> {
    name.split('.').take(2).collect()
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

    /// Explained on a model after so many sequential runs, with what was seen beside others.
    fn explained(suite: &str, seen: &[(&str, ParallelObservation)], time: u64) -> Vec<Cause> {
        let mut session = ModelSession::new(ModelSuite::parse(suite).unwrap(), 1);
        let beside: BTreeMap<TestId, ParallelObservation> =
            seen.iter().map(|(test, beside)| (test.parse().unwrap(), beside.clone())).collect();
        let laboratory = CauseSearchInput {
            session: &mut session,
            cores: 2,
            memory_bytes: None,
            logs: "logs".into(),
            time: Duration::from_secs(time),
            sequential_runs: 4,
            fair: Duration::from_secs(600),
            stop: &|| false,
        };
        explain(laboratory, &beside.keys().cloned().collect(), &beside).unwrap()
    }

    fn failed(failed: usize, runs: usize) -> ParallelObservation {
        ParallelObservation { failed, runs, ..ParallelObservation::default() }
    }

    #[test]
    fn kinds_are_told_apart_by_experiment() {
        let seen = ["A#races", "A#needs", "B#needs", "B#never"].map(|test| (test, failed(4, 4)));
        let found = explained(SUITE, &seen, 60);
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
    fn a_single_failure_is_no_race_and_many_are() {
        let again = ParallelObservation { again: ExtraRuns { mode: None, failed: 1, runs: 1 }, ..failed(1, 1) };
        for (seen, kind, alone) in [
            (failed(1, 1), Kind::ChanceOrRareRace, 5),
            (failed(1, 6), Kind::ChanceOrRareRace, 5),
            (failed(2, 2), Kind::RaceOrSharedResource, 16),
            (again, Kind::RaceOrSharedResource, 16),
            (failed(6, 6), Kind::RaceOrSharedResource, 1),
        ] {
            let found = explained(SUITE, &[("A#races", seen)], 60);
            assert_eq!(found[0].kind, kind, "{found:?}");
            let expected = Without { alone, ..Without::of_suite(4, 0) };
            assert_eq!(found[0].without, expected, "{found:?}");
        }
    }

    #[test]
    fn what_always_failed_in_parallel_is_told_with_its_p() {
        let seen = ParallelObservation { ways: 5, ..failed(3, 3) };
        let found = explained(SUITE, &[("A#races", seen)], 60);
        assert_eq!(found[0].kind, Kind::RaceOrSharedResource, "it was run alone until that was certain");
        let told = cause(&found[0].test, Kind::ChanceOrRareRace, &failed(3, 3), Without::of_suite(7, 0), Some(0.083));
        let expected = "passes alone. It failed in all 3 parallel runs and in none of 7 sequential ones; that parallelism \
            is the cause is not yet proven (p = 0.083). A larger --budget allows more runs, which may tell";
        assert_eq!(told.explanation, expected);
        let found = explained(SUITE, &[("A#races", failed(1, 6))], 60);
        let said = "in 1 of 6 parallel runs and in none of 4 sequential ones; that parallelism is the cause is not yet \
            proven (p = 1";
        assert!(found[0].explanation.contains(said), "{found:?}");
    }

    #[test]
    fn what_fails_alone_now_and_then_is_chance() {
        let flaky = "[[test]]\nid = 'A#now_and_then'\nflaky = 0.5\n";
        let found = explained(flaky, &[("A#now_and_then", failed(3, 6))], 60);
        assert_eq!(found[0].kind, Kind::Chance, "{found:?}");
        assert!(
            found[0].explanation.contains("also fails sometimes") && found[0].without.alone_failed > 0,
            "{found:?}"
        );
        let rare = flaky.replace("0.5", "0.01");
        let found = explained(&rare, &[("A#now_and_then", failed(1, 6))], 60);
        assert_eq!(found[0].kind, Kind::ChanceOrRareRace, "{found:?}");
    }

    #[test]
    fn a_larger_limit_tells_load_from_waiting_for_others() {
        let beside = |message: &str| {
            let mut beside = failed(4, 4);
            beside.told(Some(message.to_owned()));
            beside
        };
        let cut = beside("test timed out after 5 milliseconds\nat A");
        let tried = |passes| ParallelObservation { passes_with_more_time: Some(passes), ..cut.clone() };
        let (load, waiting) = (Kind::TimeoutUnderLoad, Kind::RaceOrSharedResource);
        for (beside, kind, said) in [
            (tried(true), load, "next to other tests with a larger"),
            (cut.clone(), load, "no time to try"),
            (tried(false), waiting, "20 times"),
            (beside("expected 1"), waiting, "races with"),
        ] {
            let found = explained(SUITE, &[("A#races", beside.clone())], 60);
            assert_eq!(found[0].kind, kind, "{beside:?}");
            assert!(found[0].explanation.contains(said), "{found:?}");
        }
    }

    #[test]
    fn what_failed_in_one_of_many_ways_has_to_fail_more_often() {
        let of = |ways| ParallelObservation { ways, ..failed(2, 2) };
        assert!(of(1).chance(24) < CHANCE && of(3).chance(24) > CHANCE);
        assert!(ParallelObservation { ways: 3, ..failed(3, 3) }.chance(24) < CHANCE);
    }

    #[test]
    fn of_many_tests_one_that_barely_looks_like_a_race_is_doubted() {
        let suite: String = (0..12).map(|n| format!("[[test]]\nid = 'A#t{n:02}'\n")).collect();
        let names: Vec<String> = (0..12).map(|n| format!("A#t{n:02}")).collect();
        let kinds = |first: ParallelObservation, others: ParallelObservation| {
            let of = |number: usize| if number == 0 { first.clone() } else { others.clone() };
            let seen: Vec<(&str, ParallelObservation)> =
                names.iter().enumerate().map(|(n, name)| (name.as_str(), of(n))).collect();
            explained(&suite, &seen, 60).into_iter().map(|cause| cause.kind).collect::<Vec<_>>()
        };
        let (barely, clearly) = (failed(2, 2), failed(8, 8));
        assert_eq!(kinds(barely.clone(), failed(1, 8))[0], Kind::ChanceOrRareRace);
        assert_eq!(kinds(clearly, failed(1, 8))[0], Kind::RaceOrSharedResource);
        assert!(
            kinds(barely.clone(), barely).iter().all(|kind| *kind == Kind::RaceOrSharedResource),
            "they support each other"
        );
    }

    #[test]
    fn what_two_tests_use_is_named_if_one_writes_it() {
        let test = |name: &str| TestId::new("", "C", name, 1);
        let found = |name: &str, reads: &[&str], writes: &[&str]| {
            let texts = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect();
            let kind = Kind::RaceOrSharedResource;
            let cause = cause(&test(name), kind, &ParallelObservation::default(), Without::default(), None);
            (cause, Some(Accesses { test: test(name), reads: texts(reads), writes: texts(writes) }))
        };
        let all = [found("a", &["x", "y"], &["z"]), found("b", &["x", "z"], &["y"]), found("c", &["x"], &[])];
        assert_eq!(shared(&all), [vec!["y", "z"], vec!["y", "z"], vec![]]);
        let everything = ["io.lib.A.<clinit>", "io.lib.A.x", "org.shop.Stock.count"];
        let mut both = [found("a", &[], &everything), found("b", &[], &everything)];
        both.iter_mut().for_each(|(cause, _)| cause.test.class = "org.shop.StockTest".to_owned());
        assert_eq!(shared(&both)[0], ["org.shop.Stock.count", "io.lib.A.x"], "the project's own first");
    }

    #[test]
    fn without_time_tests_are_named_and_not_looked_into() {
        let found = explained(SUITE, &[("A#races", failed(1, 1))], 0);
        assert_eq!((found[0].kind, found.len()), (Kind::NotTried, 1));
        assert_eq!(found[0].not_tried, Some(NotExamined::NoBudgetLeft));
        assert!(found[0].explanation.contains("used up the budget"), "{found:?}");
    }

    #[test]
    fn what_the_time_cuts_off_is_not_taken_for_a_failure() {
        let slow = "[[test]]\nid = 'A#slow'\nseconds = 90\n";
        let found = explained(slow, &[("A#slow", failed(1, 1))], 60);
        assert_eq!((found[0].kind, found[0].not_tried), (Kind::NotTried, Some(NotExamined::CutOff)));
    }

    #[test]
    fn of_too_many_tests_those_that_were_not_examined_say_so() {
        let suite: String = (0..=MOST).map(|n| format!("[[test]]\nid = 'A#t{n:03}'\n")).collect();
        let names: Vec<String> = (0..=MOST).map(|n| format!("A#t{n:03}")).collect();
        let seen: Vec<(&str, ParallelObservation)> = names.iter().map(|name| (name.as_str(), failed(8, 8))).collect();
        let found = explained(&suite, &seen, 60);
        let refused: Vec<_> = found.iter().filter_map(|cause| cause.not_tried).collect();
        assert_eq!(refused, [NotExamined::TooManyTests]);
        assert!(found[MOST].explanation.contains("100 tests at most"), "{:?}", found[MOST]);
    }

    #[test]
    fn a_port_in_use_is_explained_as_one() {
        let test: TestId = "a.B#c".parse().unwrap();
        let beside =
            |message: &str| ParallelObservation { message: Some(message.to_owned()), ..ParallelObservation::default() };
        let of = |message: &str| {
            cause(&test, Kind::ChanceOrRareRace, &beside(message), Without::default(), None).explanation
        };
        assert!(of("java.net.BindException: Address already in use").contains("take a free port"));
        assert!(!of("expected 1").contains("port"));
    }
}
