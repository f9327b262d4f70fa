//! From what test processes told to what a run yields: which test an execution is of, what got lost, and where the engine
//! disagrees with the subject's own build.

use std::collections::{HashMap, HashSet};

use super::events::ReportedExecution;
use super::roots::TestLocation;
use crate::maven::KnownTest;
use crate::suite::{Execution, Finding, FindingKind, Outcome, RunEnd, TestId};

/// How many tests a finding names.
const NAMED: usize = 5;

/// Which known test something is, by how its framework tells it.
#[derive(Debug)]
pub struct Identities {
    by_place: HashMap<(usize, String, String, String, u32), TestId>,
}

impl Identities {
    pub fn new(tests: &[KnownTest], places: &[TestLocation]) -> Self {
        let mut by_place = HashMap::with_capacity(tests.len());
        for (test, place) in tests.iter().zip(places) {
            let (class, name) = (test.id.class.clone(), test.id.name.clone());
            let key = (test.suite, place.root.clone(), class, name, place.occurrence);
            by_place.entry(key).or_insert_with(|| test.id.clone());
        }
        Identities { by_place }
    }

    /// Gives executions of one suite the identities of the tests that were asked for. What ran on top of these is
    /// looked up, and the tests among it come back apart; what nothing is known of keeps a number of its own.
    pub fn executions(
        &self,
        suite: usize,
        seen: Vec<ReportedExecution>,
        asked: impl Fn(usize) -> TestId,
    ) -> (Vec<Execution>, Vec<TestId>) {
        let mut taken: HashSet<TestId> = HashSet::new();
        let (mut executions, mut company) = (Vec::with_capacity(seen.len()), Vec::new());
        for one in seen {
            let mut execution = one.execution;
            if let Some(position) = one.asked {
                execution.test = asked(position);
            } else if let Some(known) = self.known(suite, one.root, &execution.test) {
                execution.test = known.clone();
                company.push(known.clone());
            } else {
                while !taken.insert(execution.test.clone()) {
                    execution.test.occurrence = execution.test.occurrence.saturating_add(1);
                }
            }
            executions.push(execution);
        }
        (executions, company)
    }

    fn known(&self, suite: usize, root: Option<String>, id: &TestId) -> Option<&TestId> {
        let root = root.unwrap_or_else(|| id.class.clone());
        self.by_place.get(&(suite, root, id.class.clone(), id.name.clone(), id.occurrence))
    }
}

/// What ran without being asked for, as its framework runs one only with the other.
pub fn company(tests: &[TestId]) -> Option<Finding> {
    let named: Vec<String> = tests.iter().take(NAMED).map(TestId::to_string).collect();
    let text = format!(
        "{} tests ran that were not requested, because their framework runs others only together with them: {}{}",
        tests.len(),
        named.join(", "),
        more(tests.len())
    );
    (!tests.is_empty()).then(|| Finding::new(FindingKind::CoarseSelection, text))
}

/// What could not be run at all, with the first reasons.
pub fn unrunnable(tests: &[(TestId, String)]) -> Option<Finding> {
    let named: Vec<String> = tests.iter().take(NAMED).map(|(test, why)| format!("{test}: {why}")).collect();
    let text = format!("{} tests could not be run: {}{}", tests.len(), named.join("; "), more(tests.len()));
    (!tests.is_empty()).then(|| Finding::new(FindingKind::LostTests, text))
}

/// Where tests ended otherwise than when Maven ran them.
pub fn disagreement(known: &[KnownTest], executions: &[Execution]) -> Option<Finding> {
    let seen: HashMap<&TestId, &Execution> = executions.iter().map(|execution| (&execution.test, execution)).collect();
    let differences: Vec<(&KnownTest, &Execution)> = known
        .iter()
        .filter_map(|test| Some((test, *seen.get(&test.id)?)))
        .filter(|(test, execution)| test.outcome != execution.outcome)
        .collect();
    if differences.is_empty() {
        return None;
    }
    let named: Vec<String> =
        differences.iter().take(NAMED).map(|(test, execution)| describe(test, execution)).collect();
    let text = format!(
        "{} of {} tests ended differently than under Maven: {}{}",
        differences.len(),
        known.len(),
        named.join("; "),
        more(differences.len())
    );
    Some(Finding::new(FindingKind::EngineDisagreement, text))
}

fn describe(test: &KnownTest, execution: &Execution) -> String {
    let message = execution.message.as_deref().and_then(|message| message.lines().next()).unwrap_or_default();
    let message: String = message.chars().take(200).collect();
    let message = if message.is_empty() { message } else { format!(" ({message})") };
    format!("{} {} with Maven and {} here{message}", test.id, words(test.outcome), words(execution.outcome))
}

fn words(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Passed => "passed",
        Outcome::Failed => "failed",
        Outcome::Error => "ended in an error",
        Outcome::Skipped => "was skipped",
        Outcome::TimedOut => "ran out of time",
        Outcome::Crashed => "died with its process",
        Outcome::NotRun => "did not run",
    }
}

fn more(total: usize) -> String {
    if total > NAMED { format!("; and {} more", total - NAMED) } else { String::new() }
}

/// A process that never ran a test is as good as a build that failed.
pub fn run_end(end: Option<RunEnd>, ran: bool) -> RunEnd {
    match end {
        Some(RunEnd::Crashed(why)) if !ran => RunEnd::BuildFailed(why),
        Some(end) => end,
        None => RunEnd::Finished,
    }
}

#[cfg(test)]
mod tests {
    use super::super::coverage::Mark;
    use super::super::events::State;
    use super::super::roots::Framework;
    use super::*;

    fn execution(id: &str, outcome: Outcome, message: Option<&str>) -> Execution {
        Execution {
            test: id.parse().unwrap(),
            display: None,
            outcome,
            start: 0.0,
            seconds: 1.0,
            process: 1,
            thread: String::new(),
            message: message.map(str::to_owned),
        }
    }

    fn seen(asked: Option<usize>, id: &str, root: Option<&str>) -> ReportedExecution {
        let root = root.map(str::to_owned);
        ReportedExecution {
            asked,
            execution: execution(id, Outcome::Passed, None),
            root,
            state: State::Ended,
            mark: Mark::default(),
        }
    }

    #[test]
    fn what_was_asked_for_is_what_ran_whatever_its_framework_calls_it() {
        let known = [KnownTest::passed("a.B#x~4"), KnownTest::passed("a.B#dep")];
        let place = |root: &str| TestLocation { framework: Framework::TestNg, root: root.into(), occurrence: 1 };
        let identities = Identities::new(&known, &[place("a.All"), place("a.B")]);
        let run = vec![
            seen(Some(0), "a.B#odd", None),
            seen(None, "a.B#dep", None),
            seen(None, "a.B#<class>", None),
            seen(None, "a.B#<class>", None),
            seen(None, "a.B#x", Some("a.All")),
        ];
        let (executions, company) = identities.executions(0, run, |position| known[position].id.clone());
        let ids: Vec<_> = executions.iter().map(|execution| execution.test.to_string()).collect();
        assert_eq!(ids, ["a.B#x~4", "a.B#dep", "a.B#<class>", "a.B#<class>~2", "a.B#x~4"]);
        let company: Vec<_> = company.iter().map(TestId::to_string).collect();
        assert_eq!(company, ["a.B#dep", "a.B#x~4"]);
    }

    #[test]
    fn a_difference_to_maven_is_said_in_words() {
        let mut skipped = KnownTest::passed("a.B#y");
        skipped.outcome = Outcome::Skipped;
        let known = [KnownTest::passed("a.B#x"), skipped, KnownTest::passed("a.B#z")];
        let run =
            [execution("a.B#x", Outcome::Failed, Some("no\n\tat a.B")), execution("a.B#y", Outcome::Skipped, None)];
        let text = disagreement(&known, &run).unwrap().text;
        assert_eq!(
            text,
            "1 of 3 tests ended differently than under Maven: a.B#x passed with Maven and failed here (no)"
        );
        assert_eq!(disagreement(&known[1..], &run), None);
    }

    #[test]
    fn at_most_five_are_named() {
        let tests: Vec<_> = (0..7).map(|n| (TestId::new("", "C", &format!("t{n}"), 1), "gone".to_owned())).collect();
        let text = unrunnable(&tests).unwrap().text;
        assert!(text.starts_with("7 tests could not be run: C#t0: gone;") && text.ends_with("; and 2 more"), "{text}");
        assert_eq!(unrunnable(&[]), None);
    }

    #[test]
    fn a_process_that_does_not_start_is_a_failed_build() {
        let crashed = || Some(RunEnd::Crashed("x".into()));
        assert_eq!(run_end(crashed(), false), RunEnd::BuildFailed("x".into()));
        assert_eq!(run_end(crashed(), true), RunEnd::Crashed("x".into()));
        assert_eq!(run_end(None, false), RunEnd::Finished);
    }
}
