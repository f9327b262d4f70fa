//! Random suites with planted dependencies of every kind: all of them are found, with all their causes, and none is invented;
//! with and without a process that stays.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::stand_in::StandIn;
use super::*;
use crate::engine::model::{ModelSession, ModelSuite};

/// What is planted for one test, by numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Plant {
    needs: BTreeSet<usize>,
    polluted_by: BTreeSet<usize>,
    cleaned_by: BTreeSet<usize>,
}

impl Plant {
    fn kind(&self) -> Kind {
        match (self.needs.is_empty(), self.polluted_by.is_empty()) {
            (true, _) => Kind::Victim,
            (false, true) => Kind::Brittle,
            (false, false) => Kind::Both,
        }
    }
}

fn name(test: usize, class_size: usize) -> String {
    format!("C{}#t{test}", test / class_size)
}

/// Up to `most` tests, each below `n` and none of those that are left out.
fn some(random: &mut ChaCha8Rng, n: usize, most: usize, left_out: &BTreeSet<usize>) -> BTreeSet<usize> {
    let count = random.random_range(1..=most);
    (0..count).map(|_| random.random_range(0..n)).filter(|test| !left_out.contains(test)).collect()
}

/// In the original order nothing that is needed is missing; what pollutes can come before or after.
fn planted(n: usize, count: usize, seed: u64) -> BTreeMap<usize, Plant> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut plants = BTreeMap::new();
    for _ in 0..count {
        let test = random.random_range(1..n);
        let mut taken = BTreeSet::from([test]);
        let mut plant = Plant::default();
        let form = random.random_range(0..4);
        if form != 0 {
            plant.polluted_by = some(&mut random, n, 4, &taken);
            taken.extend(&plant.polluted_by);
        }
        if form == 2 && !plant.polluted_by.is_empty() {
            plant.cleaned_by = some(&mut random, n, 3, &taken);
        }
        if form == 0 || form == 3 {
            plant.needs = some(&mut random, test, 1, &taken);
        }
        if plant != Plant::default() {
            plants.insert(test, plant);
        }
    }
    plants
}

fn toml(n: usize, class_size: usize, plants: &BTreeMap<usize, Plant>, stays: bool) -> String {
    let list = |tests: &BTreeSet<usize>| {
        let names: Vec<String> = tests.iter().map(|test| format!("'{}'", name(*test, class_size))).collect();
        format!("[{}]", names.join(","))
    };
    // A process that stays is started once; and it is not used where tests take much longer than a start.
    let (startup, seconds) = if stays { (0.06, 0.0002) } else { (0.2, 0.002) };
    let mut text = format!("startup = {startup}\n");
    for test in 0..n {
        text.push_str(&format!("[[test]]\nid = '{}'\nseconds = {seconds}\n", name(test, class_size)));
        if let Some(plant) = plants.get(&test) {
            for (key, tests) in
                [("needs", &plant.needs), ("polluted_by", &plant.polluted_by), ("cleaned_by", &plant.cleaned_by)]
            {
                if !tests.is_empty() {
                    text.push_str(&format!("{key} = {}\n", list(tests)));
                }
            }
        }
    }
    text
}

fn found(n: usize, class_size: usize, plants: &BTreeMap<usize, Plant>, stays: bool, budget: u64) -> Detection {
    let suite = toml(n, class_size, plants, stays);
    let plan = Plan {
        strategies: None,
        settings: Settings { rounds: 10, k: 2, seed: 1 },
        budget: Duration::from_secs(budget),
        baseline: 3,
        resources: Resources { cores: 1, memory_bytes: None, logs: "logs".into() },
    };
    let mut session: Box<dyn Session> = if stays {
        Box::new(StandIn::new(&suite, |_, _| {}).at_once(2))
    } else {
        Box::new(ModelSession::new(ModelSuite::parse(&suite).unwrap(), 1))
    };
    let roster = TestRoster::by_module(session.tests());
    let company = SearchContext { memory: &mut Forgetful, hear: &mut |_| {}, stop: &|| false };
    detect(session.as_mut(), roster, &plan, company).unwrap_or_else(|halt| panic!("{halt:?}"))
}

fn numbers(tests: &[TestId]) -> BTreeSet<usize> {
    tests.iter().filter_map(|test| test.name.strip_prefix('t')?.parse().ok()).collect()
}

/// By test: what was found, in the terms of what was planted.
fn harvest(detection: &Detection) -> BTreeMap<usize, (Kind, Plant)> {
    let plant = |test: &OrderDependent| Plant {
        needs: numbers(&test.state_setters),
        polluted_by: numbers(&test.polluters),
        cleaned_by: numbers(&test.cleaners),
    };
    let of = |test: &OrderDependent| {
        let number = numbers(std::slice::from_ref(&test.test)).into_iter().next();
        number.map(|number| (number, (test.kind, plant(test))))
    };
    detection.order_dependent.iter().filter_map(of).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, max_shrink_iters: 40, ..ProptestConfig::default() })]

    #[test]
    fn all_that_is_planted_grows_and_nothing_else(
        n in 50usize..200, count in 0usize..10, class_size in 3usize..20, seed in any::<u64>(), stays in any::<bool>(),
    ) {
        let plants = planted(n, count, seed);
        let detection = found(n, class_size, &plants, stays, 3_600);
        let expected: BTreeMap<usize, (Kind, Plant)> =
            plants.into_iter().map(|(test, plant)| (test, (plant.kind(), plant))).collect();
        prop_assert_eq!(harvest(&detection), expected);
        prop_assert!(detection.order_dependent.iter().all(|test| test.complete));
        prop_assert!(detection.unconfirmed.is_empty() && detection.flaky.is_empty());
    }
}

#[test]
fn a_thousand_tests_fit_into_ten_minutes() {
    for stays in [false, true] {
        let plants = planted(1_000, 12, 7);
        let detection = found(1_000, 25, &plants, stays, 600);
        let expected: BTreeMap<usize, (Kind, Plant)> =
            plants.into_iter().map(|(test, plant)| (test, (plant.kind(), plant))).collect();
        assert_eq!(harvest(&detection), expected, "{stays}");
    }
}

#[test]
fn what_was_confirmed_before_a_phase_ended_is_kept() {
    let victim = || Plant { polluted_by: BTreeSet::from([299]), ..Plant::default() };
    let plants: BTreeMap<usize, Plant> = (0..150).map(|test| (test, victim())).collect();
    let detection = found(300, 10, &plants, true, 30);
    assert!(detection.budget_ended);
    let harvest = harvest(&detection);
    assert_eq!(harvest.keys().collect::<Vec<_>>(), plants.keys().collect::<Vec<_>>());
    let explained = harvest.values().filter(|(_, plant)| *plant == victim()).count();
    assert!((50..150).contains(&explained), "{explained}");
}
