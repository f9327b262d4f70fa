//! What came of orders that were run: what fails on any machine has failed, whatever the others say.

use std::collections::HashSet;

use crate::engine::{Capabilities, EngineKind, Parallelism};
use crate::runner::judge::{Expectation, Judgement, judge};
use crate::store::record::Verdict;
use crate::suite::{Finding, Outcome, SuiteRun, Tally, TestId};
use crate::technique::Stage;

/// All machines together.
#[derive(Debug, PartialEq)]
pub struct OrderedRunResult {
    /// The gravest of the machines' verdicts.
    pub verdict: Verdict,
    /// One sentence, for every verdict but `clean`.
    pub reason: Option<String>,
    /// Executions: a test that two machines ran counts twice.
    pub tally: Tally,
    pub failures: Vec<Failure>,
    pub findings: Vec<Finding>,
    pub engine: EngineKind,
    /// All machines one after the other, as they were run.
    pub seconds: f64,
    /// The machine that took longest.
    pub makespan: f64,
}

/// A test that failed on a machine, or never ran there.
#[derive(Debug, PartialEq)]
pub struct Failure {
    /// From 1 on.
    pub machine: usize,
    pub test: TestId,
    pub outcome: Outcome,
    pub message: Option<String>,
}

impl OrderedRunResult {
    pub(super) fn of(
        machines: &[Vec<TestId>],
        runs: Vec<SuiteRun>,
        engine: EngineKind,
        capabilities: &Capabilities,
    ) -> Self {
        let mut ran = OrderedRunResult::nothing(engine);
        for (machine, (run, tests)) in (1..).zip(runs.into_iter().zip(machines)) {
            let wall = run.cost.wall_seconds;
            let number = u32::try_from(machine).unwrap_or(u32::MAX);
            let parallelism = Parallelism::SEQUENTIAL;
            let stage = Stage { number, purpose: "order", machine: number, engine, parallelism, run };
            let nobody = HashSet::new();
            let expectation = Expectation { tests, set_aside: &nobody, capabilities, cores: 1 };
            ran.seconds += wall;
            ran.makespan = ran.makespan.max(wall);
            ran.add(machine, judge(&[stage], &expectation));
        }
        ran.findings.sort();
        ran.findings.dedup();
        ran
    }

    fn nothing(engine: EngineKind) -> Self {
        OrderedRunResult {
            verdict: Verdict::Clean,
            reason: None,
            tally: Tally::default(),
            failures: Vec::new(),
            findings: Vec::new(),
            engine,
            seconds: 0.0,
            makespan: 0.0,
        }
    }

    fn add(&mut self, machine: usize, judgement: Judgement) {
        if gravity(judgement.verdict) > gravity(self.verdict) {
            (self.verdict, self.reason) = (judgement.verdict, judgement.reason);
        }
        self.tally += judgement.tally;
        self.findings.extend(judgement.findings);
        let failure = |bad: crate::store::record::ResidualTest| Failure {
            machine,
            test: bad.test,
            outcome: bad.outcome,
            message: bad.message,
        };
        self.failures.extend(judgement.residual.into_iter().map(failure));
    }

    /// Did every test of every machine pass, or was skipped?
    pub fn is_good(&self) -> bool {
        self.verdict == Verdict::Clean
    }
}

/// As the verdicts of trials are weighed: a loss weighs more than a crash.
fn gravity(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Clean => 0,
        Verdict::Failing => 1,
        Verdict::Crashed => 2,
        Verdict::LostTests => 3,
        Verdict::TimedOut => 4,
        Verdict::Unsupported => 5,
        Verdict::BuildFailed => 6,
        Verdict::HarnessError => 7,
        Verdict::Contradicted => 8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::model::{ModelSession, ModelSuite};
    use crate::engine::{Resources, RunRequest, Selection, Session};
    use std::time::Duration;

    const SUITE: &str = "[[test]]\nid='C#a'\nseconds=1\n[[test]]\nid='C#b'\nseconds=2\nneeds=['C#a']\n[[test]]\nid='C#x'\nexits_after=1\n";

    fn ran(machines: &[&[&str]]) -> OrderedRunResult {
        let mut session = ModelSession::new(ModelSuite::parse(SUITE).unwrap(), 1);
        let machines: Vec<Vec<TestId>> =
            machines.iter().map(|names| names.iter().map(|name| TestId::new("", "C", name, 1)).collect()).collect();
        let request = |tests: &Vec<TestId>| RunRequest {
            selection: Selection::Tests(tests.clone()),
            ..RunRequest::sequential(
                "x",
                Resources { cores: 1, memory_bytes: None, logs: "logs".into() },
                Duration::from_secs(100),
            )
        };
        let runs = machines.iter().map(|tests| session.run(&request(tests)).unwrap()).collect();
        OrderedRunResult::of(&machines, runs, session.engine(), session.capabilities())
    }

    #[test]
    fn a_test_that_passes_on_one_machine_and_fails_on_another_has_failed() {
        for machines in [[&["a", "b"][..], &["b"][..]], [&["b"][..], &["a", "b"][..]]] {
            let ran = ran(&machines);
            assert_eq!((ran.verdict, ran.tally.passed, ran.tally.failures()), (Verdict::Failing, 2, 1));
            assert_eq!(ran.failures[0].test.name, "b");
        }
        let good = ran(&[&["a", "b"], &["a"]]);
        assert!(good.is_good() && good.failures.is_empty());
        assert_eq!((good.seconds, good.makespan), (4.0, 3.0));
    }

    #[test]
    fn the_gravest_machine_counts_and_is_named() {
        let ran = ran(&[&["b"], &["x", "a"]]);
        assert_eq!(ran.verdict, Verdict::LostTests, "a died with x");
        assert!(ran.failures.iter().any(|failure| failure.machine == 2 && failure.outcome == Outcome::Crashed));
        assert!(ran.failures.iter().any(|failure| failure.machine == 1 && failure.outcome == Outcome::Failed));
    }
}
