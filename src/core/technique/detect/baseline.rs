//! The original order, several times: what every test does without any reordering, which tests are flaky, and which cannot
//! be part of any order as they never come to an end.

use std::collections::{BTreeMap, BTreeSet};

use super::order_runner::{Observation, OrderRunner, ProcessFreshness, Purpose, SearchStop, Step};
use crate::suite::Outcome;

/// The share of the budget after which the original order is not run again.
const ENOUGH: f64 = 0.3;
/// More tests that never end than this, and the suite is not fit for this.
const ENDLESS: usize = 25;

#[derive(Debug, Default)]
pub struct Baseline {
    /// The tests that orders are made of, in their original order.
    pub tests: Vec<usize>,
    /// Fails in the original order? Of those that end alike every time.
    pub fails: BTreeMap<usize, bool>,
    /// With how it ended in each run.
    pub flaky: BTreeMap<usize, String>,
    pub left_out: BTreeMap<usize, String>,
    /// How often the original order was run.
    pub runs: usize,
    first: Observation,
}

impl Baseline {
    /// What ran before a test in the original order.
    pub fn history(&self, test: usize) -> Option<Vec<usize>> {
        let place = self.first.seen.iter().position(|seen| seen.test == test && seen.has_run())?;
        Some(self.first.history(place))
    }
}

/// The original order so many times, or less often where the budget is short.
pub fn baseline(order_runner: &mut OrderRunner<'_>, times: usize) -> Step<Baseline> {
    let mut times = times.max(1);
    let mut tests: Vec<usize> = (0..order_runner.roster.len()).collect();
    let mut left_out = BTreeMap::new();
    let mut runs: Vec<Observation> = Vec::new();
    let mut odd = None;
    let plenty = |order_runner: &OrderRunner<'_>| order_runner.spent() < ENOUGH * order_runner.budget();
    while runs.len() < times && !tests.is_empty() && (runs.is_empty() || plenty(order_runner)) {
        order_runner.doing(Purpose::Original, format!("the original order, {} of {times}", runs.len() + 1));
        let observation = match order_runner.observe(&tests, ProcessFreshness::Fresh) {
            Err(SearchStop::Budget) if !runs.is_empty() => break,
            observed => observed?,
        };
        let ended = breakers(&observation);
        if ended.is_empty() || left_out.len() >= ENDLESS {
            order_runner.limit_by(&observation);
            times = order_runner.affordable(times);
            runs.push(observation);
        } else {
            // Without them everything else can be seen; and what was seen with them does not count.
            tests.retain(|test| !ended.contains_key(test));
            left_out.extend(ended);
            runs.clear();
        }
        if let (true, [first], None) = (times > 1 && plenty(order_runner), runs.as_slice(), &odd) {
            let (together, differ) = in_company(order_runner, &tests, first)?;
            odd = Some(differ);
            runs.extend(together);
        }
    }
    let baseline = judged(tests, left_out, runs);
    // Tests that are flaky anyway say nothing about company.
    let bears = odd.is_some_and(|odd| odd.iter().all(|test| baseline.flaky.contains_key(test)));
    order_runner.be_sociable(bears);
    Ok(baseline)
}

/// The original order in several processes at the same time, every test beside its twins: what ends otherwise than by itself
/// shares a port, a file or the like. Only a suite without such tests is looked at side by side later; for others these runs
/// count for nothing.
fn in_company(
    order_runner: &mut OrderRunner<'_>,
    tests: &[usize],
    first: &Observation,
) -> Step<(Vec<Observation>, BTreeSet<usize>)> {
    order_runner.be_sociable(order_runner.has_warm());
    let lanes = order_runner.lanes();
    let seen = if lanes > 1 {
        order_runner.observe_all(&vec![tests.to_vec(); lanes], ProcessFreshness::Fresh)
    } else {
        Ok(Vec::new())
    };
    order_runner.be_sociable(false);
    let together = match seen {
        Err(SearchStop::Budget) => Vec::new(),
        observed => observed?,
    };
    if together.is_empty() {
        return Ok((together, tests.iter().copied().collect()));
    }
    let ends = |run: &Observation| -> BTreeMap<usize, Option<bool>> {
        run.seen.iter().map(|seen| (seen.test, seen.fails())).collect()
    };
    let alone = ends(first);
    let differing = |run: &Observation| {
        let ends = ends(run);
        tests.iter().copied().filter(|test| ends.get(test) != alone.get(test)).collect::<Vec<usize>>()
    };
    let odd: BTreeSet<usize> = together.iter().flat_map(differing).collect();
    Ok((if odd.is_empty() { together } else { Vec::new() }, odd))
}

/// Tests that hung or took their process along, as every order with them would be cut in two.
fn breakers(observation: &Observation) -> BTreeMap<usize, String> {
    let why = |outcome| match outcome {
        Outcome::TimedOut => Some("it did not end in the original order"),
        Outcome::Crashed => Some("its process ended with it in the original order"),
        _ => None,
    };
    let found = observation.seen.iter().filter_map(|seen| why(seen.outcome).map(|why| (seen.test, why.to_owned())));
    found.collect()
}

fn judged(tests: Vec<usize>, left_out: BTreeMap<usize, String>, runs: Vec<Observation>) -> Baseline {
    let mut baseline = Baseline { left_out, ..Baseline::default() };
    let mut endings: BTreeMap<usize, Vec<Outcome>> = BTreeMap::new();
    for seen in runs.iter().flat_map(|run| &run.seen) {
        endings.entry(seen.test).or_default().push(seen.outcome);
    }
    for (test, outcomes) in endings {
        let fails: BTreeSet<bool> =
            outcomes.iter().filter(|outcome| has_run(**outcome)).map(|outcome| outcome.is_failure()).collect();
        match fails.len() {
            0 => {}
            1 => {
                baseline.fails.insert(test, fails.contains(&true));
            }
            _ => {
                let names: Vec<&str> = outcomes.iter().map(|outcome| outcome.name()).collect();
                baseline.flaky.insert(test, names.join(", "));
            }
        }
    }
    baseline.runs = runs.len();
    baseline.first = runs.into_iter().next().unwrap_or_default();
    baseline.tests = tests;
    baseline
}

fn has_run(outcome: Outcome) -> bool {
    !matches!(outcome, Outcome::NotRun | Outcome::Skipped)
}
