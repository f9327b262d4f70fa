//! Budgets that are short for the suite: what an order has shown is explained with what there is.

use std::time::Duration;

use super::stand_in::StandIn;
use super::*;
use crate::engine::model::{ModelSession, ModelSuite};

/// Tests of so many seconds in classes of five, some of which depend on others.
fn suite(tests: usize, seconds: u64, plants: &[(usize, &str)]) -> String {
    let mut text = "startup = 0.5\n".to_owned();
    for test in 0..tests {
        text.push_str(&format!("[[test]]\nid='C{}#t{test}'\nseconds={seconds}\n", test / 5));
        plants.iter().filter(|(of, _)| *of == test).for_each(|(_, plant)| text.push_str(&format!("{plant}\n")));
    }
    text
}

fn within(toml: &str, suites: f64, stays: bool) -> Detection {
    let model = ModelSuite::parse(toml).unwrap();
    let length: f64 = 0.5 + model.tests.iter().map(|test| test.seconds).sum::<f64>();
    let plan = Plan {
        strategies: None,
        settings: Settings { rounds: 10, k: 2, seed: 1 },
        budget: Duration::from_secs_f64(length * suites),
        baseline: 3,
        resources: Resources { cores: 1, memory_bytes: None, logs: "logs".into() },
    };
    let mut session: Box<dyn Session> =
        if stays { Box::new(StandIn::new(toml, |_, _| {})) } else { Box::new(ModelSession::new(model, 1)) };
    let roster = TestRoster::by_module(session.tests());
    let company = SearchContext { memory: &mut Forgetful, hear: &mut |_| {}, stop: &|| false };
    detect(session.as_mut(), roster, &plan, company).unwrap_or_else(|halt| panic!("{halt:?}"))
}

/// How many tests have a cause.
fn explained(detection: &Detection) -> usize {
    let has_cause = |test: &&OrderDependent| !test.polluters.is_empty() || !test.state_setters.is_empty();
    detection.order_dependent.iter().filter(has_cause).count()
}

#[test]
fn a_dozen_runs_of_a_slow_suite_explain_what_they_show() {
    let three = suite(3, 30, &[(0, "polluted_by=['C0#t1']")]);
    let twenty = suite(20, 5, &[(3, "polluted_by=['C3#t17']"), (8, "needs=['C0#t1']")]);
    let both = suite(12, 10, &[(2, "polluted_by=['C2#t10']"), (7, "needs=['C0#t0']\npolluted_by=['C2#t11']")]);
    for (name, toml, planted) in [("three", three, 1), ("twenty", twenty, 2), ("both", both, 2)] {
        for stays in [false, true] {
            let mut last = 0;
            for suites in (6..=40).chain([50, 60, 70, 100]) {
                let detection = within(&toml, f64::from(suites), stays);
                let found = explained(&detection);
                let all = if suites >= 10 { planted } else { last };
                assert!(found >= all, "{name}, stays: {stays}, {suites} runs of the suite: {detection:?}");
                assert_eq!(detection.baseline, if suites < 15 { 2 } else { 3 });
                last = found;
            }
        }
    }
}

#[test]
fn the_original_order_is_not_run_in_place_of_another() {
    // In one class, with its classes reversed, the suite is as it was; with its methods reversed it is all reversed.
    let toml = suite(4, 1, &[]);
    let plan = |strategies: &[Strategy]| Plan {
        strategies: Some(strategies.to_vec()),
        settings: Settings { rounds: 1, k: 2, seed: 1 },
        budget: Duration::from_secs(600),
        baseline: 3,
        resources: Resources { cores: 1, memory_bytes: None, logs: "logs".into() },
    };
    let runs = |strategies: &[Strategy]| {
        let mut session = ModelSession::new(ModelSuite::parse(&toml).unwrap(), 1);
        let roster = TestRoster::by_module(session.tests());
        let company = SearchContext { memory: &mut Forgetful, hear: &mut |_| {}, stop: &|| false };
        detect(&mut session, roster, &plan(strategies), company).unwrap().runs.fresh
    };
    assert_eq!(runs(&[Strategy::ReverseClasses]), 3);
    assert_eq!(runs(&[Strategy::Reverse, Strategy::ReverseMethods]), 4);
    assert_eq!(runs(&[Strategy::Pairs, Strategy::Pairs]), runs(&[Strategy::Pairs]));
}
