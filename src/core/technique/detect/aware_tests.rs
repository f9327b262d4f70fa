//! The strategy that goes by what tests read and write, on suites that declare it.

use std::time::Duration;

use super::*;
use crate::engine::model::{ModelSession, ModelSuite};
use crate::engine::{Capabilities, EngineKind, RunRequest};
use crate::suite::SuiteRun;

/// Of ten tests, five touch something, and only two pairs of these matter.
const SHARED: &str = "
[[test]]
id = 'A#setter'
writes = ['tray']
[[test]]
id = 'A#brittle'
needs = ['A#setter']
reads = ['tray']
[[test]]
id = 'B#victim'
polluted_by = ['C#polluter']
reads = ['language', 'tray']
[[test]]
id = 'C#polluter'
writes = ['language']
[[test]]
id = 'C#harmless'
reads = ['clock']
writes = ['clock']
[[test]]
id = 'D#a'
[[test]]
id = 'D#b'
[[test]]
id = 'D#c'
[[test]]
id = 'D#d'
[[test]]
id = 'D#e'
";

/// A model that counts how often it was watched.
struct Counted {
    model: ModelSession,
    watched: usize,
}

impl Session for Counted {
    fn engine(&self) -> EngineKind {
        self.model.engine()
    }

    fn tests(&self) -> &[TestId] {
        self.model.tests()
    }

    fn capabilities(&self) -> &Capabilities {
        self.model.capabilities()
    }

    fn run(&mut self, request: &RunRequest) -> miette::Result<SuiteRun> {
        self.watched += usize::from(request.watch.accesses);
        self.model.run(request)
    }
}

/// Remembers what was watched, and nothing else.
#[derive(Default)]
struct Drawer {
    watched: Option<ObservedAccesses>,
}

impl Memory for Drawer {
    fn recall(&mut self, _: &str) -> Option<Observation> {
        None
    }

    fn keep(&mut self, _: &str, _: &Observation) -> miette::Result<()> {
        Ok(())
    }

    fn recall_accesses(&mut self) -> Option<ObservedAccesses> {
        self.watched.clone()
    }

    fn keep_accesses(&mut self, watched: &ObservedAccesses) -> miette::Result<()> {
        self.watched = Some(watched.clone());
        Ok(())
    }
}

fn detected(session: &mut dyn Session, memory: &mut dyn Memory, k: usize) -> Result<Detection, SearchStop> {
    let plan = Plan {
        strategies: Some(vec![Strategy::DependenceAware]),
        settings: Settings { rounds: 1, k, seed: 1 },
        budget: Duration::from_secs(600),
        baseline: 1,
        resources: Resources { cores: 1, memory_bytes: None, logs: "logs".into() },
    };
    let roster = TestRoster::by_module(session.tests());
    detect(session, roster, &plan, SearchContext { memory, hear: &mut |_| {}, stop: &|| false })
}

fn model(toml: &str) -> Counted {
    Counted { model: ModelSession::new(ModelSuite::parse(toml).unwrap(), 1), watched: 0 }
}

fn found(detection: &Detection) -> Vec<String> {
    detection.order_dependent.iter().map(|test| test.test.to_string()).collect()
}

#[test]
fn pairs_that_share_something_find_what_is_planted() {
    let detection = detected(&mut model(SHARED), &mut Forgetful, 2).unwrap();
    assert_eq!(found(&detection), ["A#brittle", "B#victim"]);
    let tried = &detection.strategies[0];
    assert_eq!((tried.orders, tried.planned, tried.possible), (5, 5, Some(100)));
}

#[test]
fn single_tests_find_the_brittle_ones() {
    let detection = detected(&mut model(SHARED), &mut Forgetful, 1).unwrap();
    assert!(found(&detection).contains(&"A#brittle".to_owned()));
    assert_eq!((detection.strategies[0].planned, detection.strategies[0].possible), (2, Some(10)));
}

#[test]
fn what_tests_share_is_watched_once() {
    let (mut session, mut drawer) = (model(SHARED), Drawer::default());
    let first = detected(&mut session, &mut drawer, 2).unwrap();
    let again = detected(&mut session, &mut drawer, 2).unwrap();
    assert_eq!((session.watched, first), (1, again));
}

#[test]
fn a_suite_that_says_nothing_of_it_is_refused() {
    let Err(SearchStop::Broken(report)) = detected(&mut model("[[test]]\nid='C#a'\n"), &mut Forgetful, 2) else {
        panic!("it has nothing to go by")
    };
    assert!(report.downcast_ref::<crate::bad_usage::BadUsage>().is_some(), "{report}");
    assert!(report.help().unwrap().to_string().contains("`reads` and `writes`"));
}
