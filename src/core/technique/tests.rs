//! Techniques on model suites, where the right answer is known.

use std::collections::HashSet;
use std::time::Duration;

use super::*;
use crate::engine::model::{ModelSession, ModelSuite};
use crate::engine::{Forks, Mode};
use crate::suite::{Dependency, Outcome};

const METHODS: Parallelism = Parallelism {
    mode: Mode::ClassesAndMethods,
    threads: 4,
    threads_per_core: false,
    forks: Forks::Count(1),
    reuse_forks: true,
    modules: None,
};

/// `Race#b` races with its neighbour; `Chain#user` needs `Chain#maker` of its own class, `Far#user` too, from another class.
const SUITE: &str = concat!(
    include_str!("../../../tests/data/race-and-chain.toml"),
    "
[[test]]
id = 'Far#bystander'
seconds = 1
[[test]]
id = 'Far#user'
seconds = 1
needs = ['Chain#maker']
"
);

fn bench(limit: u64, set_aside: &[&str]) -> TrialLimits {
    TrialLimits {
        resources: Resources { cores: 4, memory_bytes: None, logs: "logs".into() },
        time_limit: Duration::from_secs(limit),
        set_aside: set_aside.iter().map(|test| test.parse().unwrap()).collect::<HashSet<TestId>>(),
    }
}

fn run_on(suite: &str, kind: TechniqueKind, parallelism: Parallelism, bench: &TrialLimits) -> Vec<Stage> {
    let mut session = ModelSession::new(ModelSuite::parse(suite).unwrap(), 1);
    match run(kind, parallelism, None, &mut Engines::only(&mut session), bench).unwrap() {
        TechniqueRun::Ran(stages) => stages,
        TechniqueRun::Unsupported(why) => panic!("{why}"),
    }
}

fn ran(stage: &Stage) -> Vec<String> {
    stage.run.executions.iter().map(|execution| execution.test.to_string()).collect()
}

fn failed(stage: &Stage) -> Vec<String> {
    let failing = stage.run.executions.iter().filter(|execution| execution.outcome.is_failure());
    failing.map(|execution| execution.test.to_string()).collect()
}

#[test]
fn paste_reruns_failed_tests_then_the_classes_of_those_that_fail_again() {
    let stages = run_on(SUITE, TechniqueKind::Paste, METHODS, &bench(1000, &[]));
    assert_eq!(stages.len(), 3);
    assert_eq!(failed(&stages[0]), ["Race#b", "Chain#user"]);
    // Stage 2 reruns single tests: were it whole classes, `Chain#maker` would be here and `Chain#user` would pass.
    assert_eq!(ran(&stages[1]), ["Race#b", "Chain#user"]);
    assert_eq!(failed(&stages[1]), ["Chain#user"]);
    // Stage 3 reruns whole classes, and only those of what failed in stage 2.
    assert_eq!(ran(&stages[2]), ["Chain#maker", "Chain#user"]);
    assert!(failed(&stages[2]).is_empty());
    assert!(stages[1..].iter().all(|stage| stage.run.concurrency().max == 1));
}

#[test]
fn a_dependence_on_another_class_remains_after_stage_three() {
    let suite = "[[test]]\nid='A#maker'\nseconds=2\n[[test]]\nid='B#first'\nseconds=1\n[[test]]\nid='B#user'\nseconds=1\nneeds=['A#maker']\n";
    let stages = run_on(suite, TechniqueKind::Paste, METHODS, &bench(1000, &[]));
    assert_eq!(stages.iter().map(failed).collect::<Vec<_>>(), [["B#user"], ["B#user"], ["B#user"]]);
    assert_eq!(ran(&stages[2]), ["B#first", "B#user"]);
}

#[test]
fn paste_stops_at_the_first_stage_without_failures() {
    let clean = "[[test]]\nid='A#a'\nseconds=1\n[[test]]\nid='B#b'\nseconds=1\n";
    assert_eq!(run_on(clean, TechniqueKind::Paste, METHODS, &bench(1000, &[])).len(), 1);
    let race = "[[test]]\nid='A#a'\nseconds=1\n[[test]]\nid='B#b'\nseconds=1\nraces_with=['A#a']\n";
    assert_eq!(run_on(race, TechniqueKind::Paste, METHODS, &bench(1000, &[])).len(), 2);
}

#[test]
fn what_is_set_aside_is_run_but_never_rerun() {
    let suite = "[[test]]\nid='A#a'\nseconds=1\n[[test]]\nid='B#b'\nseconds=1\nraces_with=['A#a']\n";
    let stages = run_on(suite, TechniqueKind::Paste, METHODS, &bench(1000, &["B#b"]));
    assert_eq!(stages.len(), 1);
    assert_eq!(ran(&stages[0]), ["A#a", "B#b"]);
}

#[test]
fn a_time_out_ends_the_trial_and_later_stages_get_what_is_left() {
    let hangs = "[[test]]\nid='A#a'\nseconds=1\nflaky=1\n[[test]]\nid='A#h'\nhangs_after=1\n";
    let stages = run_on(hangs, TechniqueKind::Paste, METHODS, &bench(50, &[]));
    assert_eq!(stages.len(), 1);
    assert_eq!(stages[0].run.cost.wall_seconds, 50.0);

    let slow = "[[test]]\nid='A#a'\nseconds=30\nflaky=1\n";
    let stages = run_on(slow, TechniqueKind::Paste, METHODS, &bench(50, &[]));
    assert_eq!(stages.len(), 2);
    assert_eq!(stages[1].run.cost.wall_seconds, 20.0);
    assert_eq!(stages[1].run.end, RunEnd::TimedOut);
}

#[test]
fn a_test_in_flight_when_its_process_died_is_rerun() {
    let suite = "[[test]]\nid='A#exit'\nexits_after=1\n[[test]]\nid='B#victim'\nseconds=5\n";
    let stages = run_on(suite, TechniqueKind::Paste, METHODS, &bench(1000, &[]));
    assert_eq!(ran(&stages[1]), ["A#exit"]);
    assert_eq!(stages[0].run.executions[1].outcome, Outcome::Crashed);
}

#[test]
fn sequential_is_sequential_whatever_else_is_configured() {
    let stages = run_on(SUITE, TechniqueKind::Sequential, METHODS, &bench(1000, &[]));
    assert_eq!((stages.len(), stages[0].run.concurrency().max), (1, 1));
    assert_eq!(stages[0].parallelism.mode, Mode::Sequential);
}

#[test]
fn the_sound_alternative_reruns_failures_after_all_they_need() {
    let mut session = ModelSession::new(ModelSuite::parse(SUITE).unwrap(), 1);
    let depends = |test: &str, after: &[&str]| Dependency {
        test: test.parse().unwrap(),
        after: vec![after.iter().map(|test| test.parse().unwrap()).collect()],
        not_after: vec![],
        cleaners: vec![],
    };
    let dependencies = vec![depends("Chain#user", &["Chain#maker"]), depends("Chain#maker", &["Race#a"])];
    let graph = DependencyGraph::new(dependencies, session.tests()).unwrap();
    let outcome =
        run(TechniqueKind::SoundRerun, METHODS, Some(&graph), &mut Engines::only(&mut session), &bench(1000, &[]))
            .unwrap();
    let TechniqueRun::Ran(stages) = outcome else { panic!("unsupported") };
    assert_eq!(stages.len(), 2);
    assert_eq!(failed(&stages[0]), ["Race#b", "Chain#user"]);
    assert_eq!(ran(&stages[1]), ["Race#a", "Race#b", "Chain#maker", "Chain#user"]);
    assert!(failed(&stages[1]).is_empty());
    assert!(stages[1].run.findings.is_empty());
}

#[test]
fn the_sound_alternative_asks_for_dependencies() {
    let mut session = ModelSession::new(ModelSuite::parse(SUITE).unwrap(), 1);
    let error =
        run(TechniqueKind::SoundRerun, METHODS, None, &mut Engines::only(&mut session), &bench(1000, &[])).unwrap_err();
    assert!(error.to_string().contains("needs the dependencies"));
}

/// The suite by two engines: what the second one runs takes no time to start.
fn run_on_two(kind: TechniqueKind, graph: Option<&DependencyGraph>) -> Vec<Stage> {
    let quick = SUITE.replace("startup = 1", "startup = 0");
    let mut main = ModelSession::new(ModelSuite::parse(SUITE).unwrap(), 1);
    let mut fast = Played { session: ModelSession::new(ModelSuite::parse(&quick).unwrap(), 1), handled: Vec::new() };
    let rerun_policy = ProcessPolicy { quick_start: true, ..ProcessPolicy::default() };
    let policy = ProcessPolicy::default();
    let mut engines = Engines { main: &mut main, rerun: Some(&mut fast), policy, rerun_policy };
    let outcome = run(kind, METHODS, graph, &mut engines, &bench(1000, &[])).unwrap();
    let TechniqueRun::Ran(stages) = outcome else { panic!("unsupported") };
    assert!(fast.handled.iter().all(|policy| policy.quick_start), "reruns start quickly");
    assert_eq!(fast.handled.len(), stages.len() - 1);
    stages
}

/// A model in the role of the direct engine.
struct Played {
    session: ModelSession,
    handled: Vec<ProcessPolicy>,
}

impl Session for Played {
    fn engine(&self) -> EngineKind {
        EngineKind::Direct
    }

    fn tests(&self) -> &[TestId] {
        self.session.tests()
    }

    fn capabilities(&self) -> &crate::engine::Capabilities {
        self.session.capabilities()
    }

    fn run(&mut self, request: &RunRequest) -> miette::Result<SuiteRun> {
        self.handled.push(request.policy);
        self.session.run(request)
    }
}

#[test]
fn another_engine_reruns_what_failed_and_every_stage_says_which_ran_it() {
    let stages = run_on_two(TechniqueKind::Paste, None);
    let engines: Vec<EngineKind> = stages.iter().map(|stage| stage.engine).collect();
    assert_eq!(engines, [EngineKind::Model, EngineKind::Direct, EngineKind::Direct]);
    assert_eq!(ran(&stages[1]), ["Race#b", "Chain#user"]);
    assert_eq!(ran(&stages[2]), ["Chain#maker", "Chain#user"]);
    // One second of start-up in the first stage alone.
    assert_eq!(stages[1].run.cost.wall_seconds, 4.0);
}

#[test]
fn an_engine_that_keeps_the_order_is_not_blamed_for_it() {
    let depends = Dependency {
        test: "Chain#user".parse().unwrap(),
        after: vec![vec!["Chain#maker".parse().unwrap()]],
        not_after: vec![],
        cleaners: vec![],
    };
    let tests = ModelSession::new(ModelSuite::parse(SUITE).unwrap(), 1).tests().to_vec();
    let graph = DependencyGraph::new(vec![depends], &tests).unwrap();
    let stages = run_on_two(TechniqueKind::SoundRerun, Some(&graph));
    assert_eq!(ran(&stages[1]), ["Race#b", "Chain#maker", "Chain#user"]);
    assert_eq!((stages[1].engine, &stages[1].run.findings), (EngineKind::Direct, &vec![]));
}

#[test]
fn what_an_engine_cannot_do_is_refused_before_anything_runs() {
    let refused = |kind, parallelism, policy, rerun_policy| {
        let mut session = ModelSession::new(ModelSuite::parse(SUITE).unwrap(), 1);
        let mut engines = Engines { main: &mut session, rerun: None, policy, rerun_policy };
        match run(kind, parallelism, None, &mut engines, &bench(1000, &[])).unwrap() {
            TechniqueRun::Unsupported(why) => Some(why),
            TechniqueRun::Ran(_) => None,
        }
    };
    let plain = ProcessPolicy::default();
    let limited = ProcessPolicy { test_limit: Some(Duration::from_secs(1)), ..plain };
    let warm = ProcessPolicy { isolation: crate::engine::Isolation::Warm, ..plain };
    let paste = TechniqueKind::Paste;
    assert!(refused(paste, METHODS, limited, plain).is_some_and(|why| why.contains("single test")));
    assert!(refused(paste, METHODS, plain, limited).is_some());
    assert!(refused(paste, METHODS, warm, plain).is_some_and(|why| why.contains("warm")));
    // Nothing is rerun here, so how reruns would be handled does not matter.
    assert_eq!(refused(TechniqueKind::Parallel, METHODS, plain, limited), None);
    let modules = Parallelism { modules: Some(Forks::Count(2)), ..METHODS };
    assert!(refused(paste, modules, plain, plain).is_some_and(|why| why.contains("module")));
}
