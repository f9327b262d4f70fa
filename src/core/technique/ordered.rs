//! The order that an algorithm gave, run: one machine after the other, each in processes of its own.
//!
//! Who ordered the tests, and by what, is no matter of this. Machines are stages of their own, so that what one of them did
//! is on record by itself; the time of the whole is that of the longest, which is for the caller to say.

use std::collections::{HashMap, HashSet};

use sha2::{Digest, Sha256};

use super::TechniqueKind;
use super::arrange::Arrangement;
use super::{Engines, Stage, Stages, TechniqueRun, TrialLimits};
use crate::engine::{Parallelism, Selection};
use crate::suite::{Execution, Outcome, SuiteRun, TestId};
use crate::wording::hex;

/// Runs what each machine has to run. A machine without tests has nothing to run, and no stage.
pub fn run(arrangement: &Arrangement, engines: &mut Engines<'_>, bench: &TrialLimits) -> miette::Result<TechniqueRun> {
    let kind = TechniqueKind::Ordered(arrangement.algorithm);
    if let Some(why) = engines.refusal(kind, Parallelism::SEQUENTIAL) {
        return Ok(TechniqueRun::Unsupported(why));
    }
    if !engines.main.capabilities().imposes_order {
        return Ok(TechniqueRun::Unsupported("the engine cannot impose an order of tests".to_owned()));
    }
    let mut stages = Stages { engines, bench, done: Vec::new() };
    for (machine, tests) in (1..).zip(&arrangement.machines).filter(|(_, tests)| !tests.is_empty()) {
        if !stages.run_machine(machine, tests)? {
            break;
        }
    }
    Ok(TechniqueRun::Ran(stages.done))
}

impl Stages<'_, '_> {
    fn run_machine(&mut self, machine: u32, tests: &[TestId]) -> miette::Result<bool> {
        let selection = Selection::Tests(tests.to_vec());
        let request = self.request(selection, Parallelism::SEQUENTIAL, self.engines.policy);
        let mut run = self.engines.main.run(&request)?;
        note_missing(&mut run, tests);
        let engine = self.engines.main.engine();
        let goes_on = self.push("order", engine, Parallelism::SEQUENTIAL, run);
        if let Some(stage) = self.done.last_mut() {
            stage.machine = machine;
        }
        Ok(goes_on)
    }
}

/// What a machine was to run and did not: another machine may have run it, which does not make up for it. A test that the
/// fixture of its class kept from running has failed with it.
fn note_missing(run: &mut SuiteRun, asked: &[TestId]) {
    let ran: HashSet<&TestId> = run.executions.iter().map(|execution| &execution.test).collect();
    let fixtures: HashMap<_, &Execution> = run
        .executions
        .iter()
        .filter(|execution| execution.is_failed_fixture())
        .map(|execution| (execution.test.class_id(), execution))
        .collect();
    let last = run.executions.last();
    let missing: Vec<Execution> = asked
        .iter()
        .filter(|test| !ran.contains(test))
        .map(|test| {
            let fixture = fixtures.get(&test.class_id());
            Execution {
                test: test.clone(),
                display: None,
                outcome: fixture.map_or(Outcome::NotRun, |fixture| fixture.outcome),
                start: fixture
                    .map_or_else(|| last.map_or(0.0, |last| last.start + last.seconds), |fixture| fixture.start),
                seconds: 0.0,
                process: fixture.or(last.as_ref()).map_or(0, |execution| execution.process),
                thread: String::new(),
                message: fixture.map(|_| "a fixture of its class failed".to_owned()),
            }
        })
        .collect();
    run.executions.extend(missing);
    run.executions.sort_by(|a, b| a.start.total_cmp(&b.start));
}

/// A fingerprint of what each machine runs in which order.
pub fn order_hash(machines: &[Vec<TestId>]) -> String {
    let mut digest = Sha256::new();
    for tests in machines {
        digest.update([b'\n']);
        tests.iter().for_each(|test| digest.update(format!("{test}\t")));
    }
    hex(&digest.finalize()[..8])
}

/// The tests that any machine runs, in the order of the suite.
pub fn expected(arrangement: &Arrangement, suite: &[TestId]) -> Vec<TestId> {
    let wanted: HashSet<&TestId> = arrangement.machines.iter().flatten().collect();
    suite.iter().filter(|test| wanted.contains(test)).cloned().collect()
}

/// When the machine that takes longest is done: from its first test's start to its last one's end.
pub fn makespan(stages: &[Stage]) -> f64 {
    stages.iter().map(|stage| stage.run.test_seconds()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::engine::model::{ModelSession, ModelSuite};
    use crate::engine::{Resources, Session};
    use crate::technique::LastOutcomes;
    use crate::technique::algorithm::Algorithm;

    const SUITE: &str = "[[test]]\nid='C#a'\nseconds=1\n[[test]]\nid='C#b'\nseconds=2\nneeds=['C#a']\n\
                         [[test]]\nid='C#c'\nseconds=4\n[[test]]\nid='C#x'\nseconds=1\nexits_after=1\n";

    fn id(name: &str) -> TestId {
        TestId::new("", "C", name, 1)
    }

    fn arrangement(machines: &[&[&str]]) -> Arrangement {
        let machines = machines.iter().map(|tests| tests.iter().map(|name| id(name)).collect()).collect();
        Arrangement {
            algorithm: Algorithm::P1,
            enhanced: false,
            machines,
            added: vec![],
            breaches: vec![],
            forecast: None,
        }
    }

    fn stages(machines: &[&[&str]], seconds: u64) -> Vec<Stage> {
        let mut session = ModelSession::new(ModelSuite::parse(SUITE).unwrap(), 1);
        let bench = TrialLimits {
            resources: Resources { cores: 1, memory_bytes: None, logs: "logs".into() },
            time_limit: Duration::from_secs(seconds),
            set_aside: HashSet::new(),
        };
        match run(&arrangement(machines), &mut Engines::only(&mut session), &bench).unwrap() {
            TechniqueRun::Ran(stages) => stages,
            TechniqueRun::Unsupported(why) => panic!("{why}"),
        }
    }

    #[test]
    fn each_machine_begins_anew_and_the_longest_counts() {
        let stages = stages(&[&["a", "b"], &[], &["c", "b"]], 100);
        assert_eq!(stages.iter().map(|stage| (stage.number, stage.machine)).collect::<Vec<_>>(), [(1, 1), (2, 3)]);
        assert_eq!(makespan(&stages), 6.0);
        let nobody = HashSet::new();
        let last = LastOutcomes::after(&stages, &nobody);
        let suite: Vec<TestId> = ["a", "b", "c"].map(id).to_vec();
        assert_eq!(last.failing(&suite), [id("b")], "it has what it needs on one machine only");
    }

    #[test]
    fn what_a_machine_did_not_run_is_lost_though_another_did() {
        let stages = stages(&[&["c", "a"], &["x", "a"]], 100);
        let nobody = HashSet::new();
        let last = LastOutcomes::after(&stages, &nobody);
        assert_eq!(last.of(&id("a")).map(|execution| execution.outcome), Some(Outcome::NotRun));
        assert_eq!(last.of(&id("x")).map(|execution| execution.outcome), Some(Outcome::Crashed));
    }

    #[test]
    fn the_time_is_for_all_machines_together() {
        let stages = stages(&[&["c"], &["c"], &["a"]], 6);
        assert_eq!(stages.len(), 2, "the second did not end");
    }

    #[test]
    fn other_orders_have_other_fingerprints() {
        let hash = |machines: &[&[&str]]| order_hash(&arrangement(machines).machines);
        assert_eq!(hash(&[&["a", "b"]]), hash(&[&["a", "b"]]));
        assert_ne!(hash(&[&["a", "b"]]), hash(&[&["b", "a"]]));
        assert_ne!(hash(&[&["a", "b"]]), hash(&[&["a"], &["b"]]));
        let suite: Vec<TestId> = ["a", "b", "c"].map(id).to_vec();
        assert_eq!(expected(&arrangement(&[&["c"], &["a", "c"]]), &suite), [id("a"), id("c")]);
    }

    #[test]
    fn a_test_that_its_fixture_kept_from_running_has_failed() {
        let mut session = ModelSession::new(ModelSuite::parse(SUITE).unwrap(), 1);
        let request = crate::engine::RunRequest {
            selection: Selection::Tests(vec![id("a")]),
            ..crate::engine::RunRequest::sequential(
                "x",
                Resources { cores: 1, memory_bytes: None, logs: "logs".into() },
                Duration::from_secs(9),
            )
        };
        let mut run = session.run(&request).unwrap();
        run.executions[0].test = TestId::new("", "D", TestId::WHOLE_CLASS, 1);
        run.executions[0].outcome = Outcome::Error;
        note_missing(&mut run, &[TestId::new("", "D", "d", 1), id("lost")]);
        let outcome = |name: &str| run.executions.iter().find(|execution| execution.test.name == name).unwrap().outcome;
        assert_eq!((outcome("d"), outcome("lost")), (Outcome::Error, Outcome::NotRun));
    }
}
