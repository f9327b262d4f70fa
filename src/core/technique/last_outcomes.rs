//! Where each test stands after some stages: its last execution counts.
//!
//! A class fixture is on record only when it fails, so nothing ever says that it succeeded: its failure stands until a later
//! stage runs the class again.

use std::collections::{HashMap, HashSet};

use crate::suite::{Execution, Outcome, TestId};

use super::Stage;

/// The last execution of every test that ran.
#[derive(Debug, Default)]
pub struct LastOutcomes<'a> {
    last: HashMap<&'a TestId, &'a Execution>,
}

/// An execution that counts so far, and the machine that it was on.
#[derive(Clone, Copy)]
struct Standing<'a> {
    execution: &'a Execution,
    machine: u32,
}

impl Standing<'_> {
    /// Does it stand, whatever another machine says? What fails or is lost on one of them has failed or is lost.
    fn outweighs(&self, other: &Standing<'_>) -> bool {
        self.machine != other.machine && gravity(self.execution.outcome) > gravity(other.execution.outcome)
    }
}

fn gravity(outcome: Outcome) -> u8 {
    match outcome {
        outcome if outcome.is_failure() => 2,
        Outcome::NotRun => 1,
        _ => 0,
    }
}

impl<'a> LastOutcomes<'a> {
    /// A test that a stage reran only because the engine selects coarsely counts too: if it fails now, that is a failure.
    pub fn after(stages: &'a [Stage], set_aside: &HashSet<TestId>) -> Self {
        let mut last: HashMap<&TestId, Standing<'_>> = HashMap::new();
        for stage in stages {
            let ran: HashSet<Class<'_>> = stage.run.executions.iter().filter(ran).flat_map(classes_around).collect();
            last.retain(|test, known| {
                !(known.execution.is_failed_fixture()
                    && known.machine == stage.machine
                    && ran.contains(&class_of(test)))
            });
            let counted = stage.run.executions.iter().filter(|execution| !set_aside.contains(&execution.test));
            for execution in counted {
                let now = Standing { execution, machine: stage.machine };
                let standing = last.entry(&execution.test).or_insert(now);
                if !standing.outweighs(&now) {
                    *standing = now;
                }
            }
        }
        LastOutcomes { last: last.into_iter().map(|(test, standing)| (test, standing.execution)).collect() }
    }

    pub fn of(&self, test: &TestId) -> Option<&'a Execution> {
        self.last.get(test).copied()
    }

    pub fn outcomes(&self) -> impl Iterator<Item = Outcome> {
        self.last.values().map(|execution| execution.outcome)
    }

    pub fn tests(&self) -> impl Iterator<Item = &'a TestId> {
        self.last.keys().copied()
    }

    pub fn failures(&self) -> usize {
        self.outcomes().filter(|outcome| outcome.is_failure()).count()
    }

    /// Failing tests in original order; those that nobody expected come last, by name.
    pub fn failing(&self, original: &[TestId]) -> Vec<TestId> {
        self.matching(original, |test| self.fails(test))
    }

    /// The same with the tests that a failed fixture kept from running: frameworks leave them out, or skip them.
    pub fn failing_or_prevented(&self, original: &[TestId]) -> Vec<TestId> {
        let fixtures = self.last.values().filter(|execution| execution.is_failed_fixture());
        let broken: HashSet<Class<'_>> = fixtures.map(|execution| class_of(&execution.test)).collect();
        let did_not_run =
            |test: &TestId| self.of(test).is_none_or(|last| matches!(last.outcome, Outcome::NotRun | Outcome::Skipped));
        let prevented = |test: &TestId| did_not_run(test) && around(test).any(|class| broken.contains(&class));
        self.matching(original, |test| self.fails(test) || prevented(test))
    }

    fn fails(&self, test: &TestId) -> bool {
        self.of(test).is_some_and(|execution| execution.outcome.is_failure())
    }

    fn matching(&self, original: &[TestId], which: impl Fn(&TestId) -> bool) -> Vec<TestId> {
        let mut matching: Vec<TestId> = original.iter().filter(|test| which(test)).cloned().collect();
        let expected: HashSet<&TestId> = original.iter().collect();
        let others = self.tests().filter(|test| !expected.contains(test));
        let mut others: Vec<TestId> = others.filter(|test| self.fails(test)).cloned().collect();
        others.sort();
        matching.extend(others);
        matching
    }
}

/// Module and name.
type Class<'a> = (&'a str, &'a str);

fn class_of(test: &TestId) -> Class<'_> {
    (&test.module, &test.class)
}

fn ran(execution: &&Execution) -> bool {
    execution.outcome != Outcome::NotRun
}

fn classes_around(execution: &Execution) -> impl Iterator<Item = Class<'_>> {
    around(&execution.test)
}

/// The test's class and those it is nested in: their fixtures are around the test too.
fn around(test: &TestId) -> impl Iterator<Item = Class<'_>> {
    let outer = test.class.match_indices('$').map(|(at, _)| &test.class[..at]);
    outer.chain(std::iter::once(test.class.as_str())).map(|class| (test.module.as_str(), class))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{EngineKind, Parallelism};
    use crate::suite::{Cost, Granularity, RunEnd, SuiteRun};
    use Outcome::{Error, Passed, Skipped};

    fn id(text: &str) -> TestId {
        text.parse().unwrap()
    }

    fn stage(tests: &[(&str, Outcome)]) -> Stage {
        let execution = |&(test, outcome): &(&str, Outcome)| Execution {
            test: id(test),
            display: None,
            outcome,
            start: 0.0,
            seconds: 1.0,
            process: 1,
            thread: "main".to_owned(),
            message: None,
        };
        let run = SuiteRun {
            executions: tests.iter().map(execution).collect(),
            cost: Cost::default(),
            end: RunEnd::Finished,
            granularity: Granularity::Name,
            findings: vec![],
            seen: crate::suite::Observations::default(),
        };
        let (engine, parallelism) = (EngineKind::Model, Parallelism::SEQUENTIAL);
        Stage { number: 1, purpose: "test", machine: 1, engine, parallelism, run }
    }

    #[test]
    fn a_failure_on_one_machine_is_not_repaired_by_another() {
        let failed = stage(&[("C#a", Error), ("D#<class>", Error)]);
        let passed = stage(&[("C#a", Passed), ("D#d", Passed)]);
        for (first, second) in [(&failed, &passed), (&passed, &failed)] {
            let second = Stage { machine: 2, ..second.clone() };
            assert_eq!(failures(&[first.clone(), second]), 2);
        }
        assert_eq!(failures(&[failed, passed]), 0);
    }

    fn failures(stages: &[Stage]) -> usize {
        LastOutcomes::after(stages, &HashSet::new()).failures()
    }

    fn to_rerun(stages: &[Stage], suite: &[&str]) -> Vec<String> {
        let suite: Vec<TestId> = suite.iter().map(|test| id(test)).collect();
        let last = LastOutcomes::after(stages, &HashSet::new());
        last.failing_or_prevented(&suite).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_failed_fixture_is_repaired_when_its_class_runs_again_without_complaint() {
        let first = stage(&[("m:C#<class>", Error), ("m:C#<class>~2", Error), ("m:D#d", Passed)]);
        assert_eq!(failures(std::slice::from_ref(&first)), 2);
        let again = stage(&[("m:C#a", Passed)]);
        assert_eq!(failures(&[first.clone(), again]), 0);
        for elsewhere in ["D#a", "n:C#a", "m:D#d", "m:CD#a"] {
            assert_eq!(failures(&[first.clone(), stage(&[(elsewhere, Passed)])]), 2, "{elsewhere}");
        }
    }

    #[test]
    fn a_fixture_that_fails_again_still_fails() {
        let first = stage(&[("C#<class>", Error), ("C#<class>~2", Error)]);
        assert_eq!(failures(&[first.clone(), stage(&[("C#a", Skipped), ("C#<class>", Error)])]), 1);
        assert_eq!(failures(&[first, stage(&[])]), 2);
    }

    #[test]
    fn a_class_that_was_skipped_as_a_whole_is_no_failed_fixture() {
        let stages = [stage(&[("C#<class>", Skipped)]), stage(&[("C#a", Passed)])];
        let last = LastOutcomes::after(&stages, &HashSet::new());
        assert!(last.of(&id("C#<class>")).is_some());
        assert_eq!(to_rerun(&stages[..1], &["C#a"]), Vec::<String>::new());
    }

    #[test]
    fn tests_that_a_fixture_kept_from_running_are_rerun_with_it() {
        let stages =
            [stage(&[("C#<class>", Error), ("C#skipped", Skipped), ("C#ran", Passed), ("D#skipped", Skipped)])];
        let suite = ["C#never", "C#skipped", "C#ran", "C$In#never", "D#skipped", "D#lost"];
        assert_eq!(to_rerun(&stages, &suite), ["C#never", "C#skipped", "C$In#never", "C#<class>"]);
    }

    #[test]
    fn a_test_of_a_nested_class_ran_inside_the_outer_fixture() {
        let stages = [stage(&[("C#<class>", Error)]), stage(&[("C$In#a", Passed)])];
        assert_eq!(failures(&stages), 0);
    }
}
