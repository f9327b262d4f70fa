//! Where each test stands after some stages: its last execution counts.

use std::collections::{HashMap, HashSet};

use crate::suite::{Execution, Outcome, TestId};

use super::Stage;

/// The last execution of every test that ran.
#[derive(Debug, Default)]
pub struct LastOutcomes<'a> {
    last: HashMap<&'a TestId, &'a Execution>,
}

impl<'a> LastOutcomes<'a> {
    /// A test that a stage reran only because the engine selects coarsely counts too: if it fails now, that is a failure.
    pub fn after(stages: &'a [Stage], set_aside: &HashSet<TestId>) -> Self {
        let executions = stages.iter().flat_map(|stage| &stage.run.executions);
        let counted = executions.filter(|execution| !set_aside.contains(&execution.test));
        LastOutcomes { last: counted.map(|execution| (&execution.test, execution)).collect() }
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
        let fails = |test: &&TestId| self.of(test).is_some_and(|execution| execution.outcome.is_failure());
        let mut failing: Vec<TestId> = original.iter().filter(fails).cloned().collect();
        let expected: HashSet<&TestId> = original.iter().collect();
        let mut others: Vec<TestId> =
            self.tests().filter(|test| !expected.contains(test)).filter(fails).cloned().collect();
        others.sort();
        failing.extend(others);
        failing
    }
}
