//! A scripted suite in virtual time: every technique can be tried on it in milliseconds, with the answer known.
//!
//! What a test costs and what it needs, pollutes or races with is declared in TOML; nothing is executed. Time passes only
//! inside the schedule, so a run of hours takes no time, and the same seed gives the same run.

mod schedule;
mod suite;
mod suite_file;

use std::collections::{HashMap, HashSet};
use std::path::Path;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};

use super::{
    Capabilities, EngineKind, Instrumentation, Isolation, Mode, ModeSupport, RunRequest, Selection, Session, Support,
};
use crate::suite::{ClassId, Cost, Execution, Granularity, Observations, Outcome, RunEnd, SuiteRun, TestId};

use schedule::{Machine, Schedule, Slot};
pub use suite::{FailsBy, ModelSuite, ModelTest};

/// A model suite, opened.
#[derive(Debug)]
pub struct ModelSession {
    suite: ModelSuite,
    tests: Vec<TestId>,
    index: HashMap<TestId, usize>,
    capabilities: Capabilities,
    seed: u64,
    random: ChaCha8Rng,
}

impl ModelSession {
    pub fn load(path: &Path, seed: u64) -> miette::Result<Self> {
        Ok(Self::new(ModelSuite::load(path)?, seed))
    }

    pub fn new(suite: ModelSuite, seed: u64) -> Self {
        let tests: Vec<TestId> = suite.tests.iter().map(|test| test.id.clone()).collect();
        let index = tests.iter().cloned().zip(0..).collect();
        let modes = Mode::ALL.map(|mode| ModeSupport { mode, support: Support::Full }).to_vec();
        let declares = suite.tests.iter().any(|test| test.covers.is_some());
        let capabilities = Capabilities {
            selection: Granularity::Occurrence,
            modes,
            imposes_order: true,
            isolations: vec![Isolation::Fresh],
            limits_tests: false,
            enlarges_limits: false,
            modules_at_once: false,
            processes_only: false,
            watches: Instrumentation { coverage: declares, accesses: suite.tells_accesses() },
        };
        ModelSession { suite, tests, index, capabilities, seed, random: ChaCha8Rng::seed_from_u64(seed) }
    }

    fn selected(&self, selection: &Selection) -> Vec<usize> {
        match selection {
            Selection::All => (0..self.tests.len()).collect(),
            Selection::Tests(tests) => tests.iter().filter_map(|test| self.index.get(test).copied()).collect(),
            Selection::Classes(classes) => {
                let of = |class| (0..self.tests.len()).filter(move |i| self.tests[*i].class_id() == class);
                classes.iter().cloned().flat_map(of).collect()
            }
        }
    }

    fn execution(&self, slot: &Slot, schedule: &Schedule) -> Execution {
        let test = &self.suite.tests[slot.test];
        let outcome = match slot.cut {
            Some(cut) => cut,
            None if slot.coin < test.flaky => Outcome::Failed,
            None => self.judge(slot, schedule),
        };
        Execution {
            test: test.id.clone(),
            display: None,
            outcome,
            start: slot.start,
            seconds: slot.end - slot.start,
            process: slot.process,
            thread: format!("lane-{}", slot.lane),
            message: (outcome == Outcome::Failed).then(|| "the model says so".to_owned()),
        }
    }

    pub fn declared_orders(&self) -> HashSet<ClassId> {
        self.suite.declared_orders()
    }

    /// What the state of the process and the neighbours in time make of a test.
    fn judge(&self, slot: &Slot, schedule: &Schedule) -> Outcome {
        let test = &self.suite.tests[slot.test];
        // Most tests of a large suite depend on nothing.
        let depends = !test.needs.is_empty() || !test.polluted_by.is_empty();
        let broken = depends && {
            let before: Vec<usize> = schedule.finished_before(slot).map(|earlier| earlier.test).collect();
            self.suite.is_broken(slot.test, &before)
        };
        let races = |other: &Slot| test.races_with.contains(&self.tests[other.test]);
        let raced = !test.races_with.is_empty() && schedule.overlapping(slot).any(races);
        if broken || raced { Outcome::Failed } else { Outcome::Passed }
    }
}

/// The number that a run's flaky tests are drawn from. It follows from the names of the trial and of the run, so a resumed
/// trial has the outcomes of the first one. The digits at the end of a trial's id do not count: they depend on where the
/// suite's file is, and a copy of the file elsewhere must have the same outcomes.
fn seed_of_run(request: &RunRequest) -> u64 {
    let folder = request.resources.logs.file_name().unwrap_or_default().to_string_lossy();
    let is_digits = |end: &str| end.len() == 8 && end.bytes().all(|byte| byte.is_ascii_hexdigit());
    let trial = folder.rsplit_once('-').filter(|(_, end)| is_digits(end)).map_or(&*folder, |(name, _)| name);
    let digest = Sha256::digest([trial.as_bytes(), request.label.as_bytes()].concat());
    digest.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

impl Session for ModelSession {
    fn engine(&self) -> EngineKind {
        EngineKind::Model
    }

    fn tests(&self) -> &[TestId] {
        &self.tests
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn run(&mut self, request: &RunRequest) -> miette::Result<SuiteRun> {
        self.capabilities.check_instrumentation(request)?;
        let coverage = if request.watch.coverage { self.suite.coverage()? } else { None };
        self.random = ChaCha8Rng::seed_from_u64(self.seed ^ seed_of_run(request));
        let selected = self.selected(&request.selection);
        let limit = request.time_limit.as_secs_f64() - self.suite.startup;
        let random = &mut self.random;
        let mut coin = || f64::from(random.next_u32()) / (f64::from(u32::MAX) + 1.0);
        let machine = Machine { parallelism: request.parallelism, cores: request.resources.cores, limit };
        let schedule = Schedule::of(&self.suite, &selected, machine, &mut coin);
        let mut executions: Vec<Execution> =
            schedule.slots.iter().map(|slot| self.execution(slot, &schedule)).collect();
        executions.iter_mut().for_each(|execution| execution.start += self.suite.startup);
        executions.sort_by(|a, b| a.start.total_cmp(&b.start));
        let work: f64 = executions.iter().map(|execution| execution.seconds).sum();
        let cost = Cost {
            wall_seconds: self.suite.startup + schedule.end,
            user_seconds: self.suite.startup + work,
            ..Cost::default()
        };
        let watched = schedule.slots.iter().filter(|_| request.watch.accesses);
        let accesses = watched.map(|slot| self.suite.tests[slot.test].accesses()).collect();
        let seen = Observations { coverage, accesses };
        let end = if schedule.timed_out { RunEnd::TimedOut } else { RunEnd::Finished };
        Ok(SuiteRun { executions, cost, end, granularity: Granularity::Occurrence, findings: vec![], seen })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Forks, Parallelism, Resources};
    use std::time::Duration;

    const PARALLEL: Parallelism = Parallelism {
        mode: Mode::ClassesAndMethods,
        threads: 2,
        threads_per_core: false,
        forks: Forks::Count(1),
        reuse_forks: true,
        modules: None,
    };

    fn run(toml: &str, parallelism: Parallelism, selection: Selection) -> SuiteRun {
        run_in(toml, parallelism, selection, "logs")
    }

    fn run_in(toml: &str, parallelism: Parallelism, selection: Selection, logs: &str) -> SuiteRun {
        let suite = ModelSuite::parse(toml).unwrap();
        let resources = Resources { cores: 4, memory_bytes: None, logs: logs.into() };
        let request =
            RunRequest { selection, parallelism, ..RunRequest::sequential("x", resources, Duration::from_secs(100)) };
        ModelSession::new(suite, 1).run(&request).unwrap()
    }

    fn outcomes(run: &SuiteRun) -> Vec<(&str, Outcome)> {
        run.executions.iter().map(|execution| (execution.test.name.as_str(), execution.outcome)).collect()
    }

    #[test]
    fn a_race_needs_an_overlap() {
        let toml = "[[test]]\nid='C#a'\nseconds=1\n[[test]]\nid='C#b'\nseconds=1\nraces_with=['C#a']\n";
        let sequential = run(toml, Parallelism::SEQUENTIAL, Selection::All);
        assert_eq!(outcomes(&sequential), [("a", Outcome::Passed), ("b", Outcome::Passed)]);
        assert_eq!(sequential.cost.wall_seconds, 2.0);
        let parallel = run(toml, PARALLEL, Selection::All);
        assert_eq!(outcomes(&parallel), [("a", Outcome::Passed), ("b", Outcome::Failed)]);
        assert_eq!(parallel.cost.wall_seconds, 1.0);
        assert_eq!(parallel.concurrency().max, 2);
    }

    #[test]
    fn pollution_lasts_until_a_cleaner() {
        let toml =
            "[[test]]\nid='C#p'\n[[test]]\nid='C#c'\n[[test]]\nid='C#v'\npolluted_by=['C#p']\ncleaned_by=['C#c']\n";
        let id = |name: &str| TestId::new("", "C", name, 1);
        let order = |names: &[&str]| Selection::Tests(names.iter().map(|name| id(name)).collect());
        let last = |selection| outcomes(&run(toml, Parallelism::SEQUENTIAL, selection)).last().unwrap().1;
        assert_eq!(last(Selection::All), Outcome::Passed);
        assert_eq!(last(order(&["p", "v"])), Outcome::Failed);
        assert_eq!(last(order(&["c", "p", "v"])), Outcome::Failed);
        assert_eq!(last(order(&["v"])), Outcome::Passed);
    }

    #[test]
    fn a_test_that_hangs_is_timed_out_and_the_rest_does_not_run() {
        let toml = "startup=10\n[[test]]\nid='C#a'\nseconds=1\n[[test]]\nid='C#h'\nhangs_after=2\n[[test]]\nid='C#z'\n";
        let run = run(toml, Parallelism::SEQUENTIAL, Selection::All);
        assert_eq!(outcomes(&run), [("a", Outcome::Passed), ("h", Outcome::TimedOut)]);
        assert_eq!((run.end.clone(), run.cost.wall_seconds), (RunEnd::TimedOut, 100.0));
    }

    #[test]
    fn a_test_that_exits_takes_its_process_along_and_no_other() {
        let toml = "[[test]]\nid='A#exit'\nseconds=9\nexits_after=1\n[[test]]\nid='A#lost'\n[[test]]\nid='B#b'\nseconds=1\n[[test]]\nid='D#d'\nseconds=1\n";
        let run_all = |parallelism| run(toml, parallelism, Selection::All);
        assert_eq!(outcomes(&run_all(Parallelism::SEQUENTIAL)), [("exit", Outcome::Crashed)]);
        let two = run_all(Parallelism { mode: Mode::Classes, forks: Forks::Count(2), ..PARALLEL });
        assert_eq!(outcomes(&two), [("exit", Outcome::Crashed), ("b", Outcome::Passed), ("d", Outcome::Passed)]);
    }

    #[test]
    fn a_test_can_break_down_by_a_race_whichever_of_the_two_begins() {
        let first =
            "[[test]]\nid='A#a'\nseconds=2\nraces_with=['B#b']\nfails_by='exiting'\n[[test]]\nid='B#b'\nseconds=3\n";
        let second =
            "[[test]]\nid='B#b'\nseconds=3\n[[test]]\nid='A#a'\nseconds=2\nraces_with=['B#b']\nfails_by='exiting'\n";
        for toml in [first, second] {
            let crashed = run(toml, PARALLEL, Selection::All);
            assert!(outcomes(&crashed).iter().all(|(_, outcome)| *outcome == Outcome::Crashed), "{crashed:?}");
            assert_eq!(crashed.cost.wall_seconds, 2.0);
            let alone = run(toml, Parallelism::SEQUENTIAL, Selection::All);
            assert!(outcomes(&alone).iter().all(|(_, outcome)| *outcome == Outcome::Passed));
            let hangs = run(&toml.replace("exiting", "hanging"), PARALLEL, Selection::All);
            assert_eq!(hangs.end, RunEnd::TimedOut);
            let ended: HashMap<&str, Outcome> = outcomes(&hangs).into_iter().collect();
            assert_eq!((ended["a"], ended["b"]), (Outcome::TimedOut, Outcome::Passed));
        }
    }

    #[test]
    fn a_test_can_break_down_by_chance() {
        let run_it = |how: &str| {
            let toml = format!("[[test]]\nid='C#a'\nseconds=1\nflaky=1.0\nfails_by='{how}'\n");
            outcomes(&run(&toml, Parallelism::SEQUENTIAL, Selection::All))[0].1
        };
        assert_eq!((run_it("exiting"), run_it("hanging")), (Outcome::Crashed, Outcome::TimedOut));
    }

    #[test]
    fn a_test_can_break_down_when_its_class_is_entered_again() {
        let toml = "[[test]]\nid='C#a'\n[[test]]\nid='D#d'\n[[test]]\nid='C#b'\nneeds=['C#a']\n\
                    per_class_instance=true\nfails_by='exiting'\n";
        let ended = run(toml, Parallelism::SEQUENTIAL, Selection::All);
        assert_eq!(outcomes(&ended)[2], ("b", Outcome::Crashed));
    }

    #[test]
    fn the_same_seed_gives_the_same_flakiness() {
        let toml = "[[test]]\nid='C#a'\nflaky=0.5\n[[test]]\nid='C#b'\nflaky=0.5\n[[test]]\nid='C#c'\nflaky=0.5\n";
        assert_eq!(run(toml, PARALLEL, Selection::All), run(toml, PARALLEL, Selection::All));
    }

    #[test]
    fn flakiness_follows_from_the_trial_and_not_from_where_the_suite_is() {
        let tests = (0..40).map(|test| format!("[[test]]\nid='C#t{test}'\nflaky=0.5\n")).collect::<String>();
        let run = |trial: &str| run_in(&tests, PARALLEL, Selection::All, trial);
        assert_eq!(run("here/suite.forks.c2.r1-0123abcd"), run("there/suite.forks.c2.r1-ffff0000"));
        assert_ne!(run("suite.forks.c2.r1-0123abcd"), run("suite.forks.c2.r2-0123abcd"));
    }
}
