//! Which ordered pairs of tests have run: right after each other, and at any distance.

use serde::Serialize;

use super::order_runner::ObservedTest;
use super::roster::TestRoster;

/// Above this, the pairs of a suite do not fit into a sensible amount of memory, and none are counted.
const COUNTED: usize = 20_000;

/// Of all ordered pairs of tests that can share a process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Coverage {
    pub pairs: u64,
    /// Ran right after each other.
    pub consecutive: u64,
    /// Ran in this order, whatever was between.
    pub any_distance: u64,
    pub consecutive_share: f64,
    pub any_distance_share: f64,
}

/// By the later test: a bit for each earlier one.
#[derive(Debug)]
pub(super) struct Pairs {
    tests: usize,
    next: Vec<u64>,
    before: Vec<u64>,
}

impl Pairs {
    pub(super) fn of(tests: usize) -> Self {
        let tests = if tests > COUNTED { 0 } else { tests };
        let words = tests * tests.div_ceil(64);
        Pairs { tests, next: vec![0; words], before: vec![0; words] }
    }

    /// Adds what ran in one process after the other.
    pub(super) fn add(&mut self, seen: &[ObservedTest]) {
        if self.tests == 0 {
            return;
        }
        let width = self.tests.div_ceil(64);
        for stretch in seen.chunk_by(|a, b| a.stretch == b.stretch) {
            let mut earlier = vec![0u64; width];
            let mut last: Option<usize> = None;
            for test in stretch.iter().filter(|seen| seen.has_run()).map(|seen| seen.test) {
                let row = test * width..(test + 1) * width;
                self.before[row.clone()].iter_mut().zip(&earlier).for_each(|(all, new)| *all |= new);
                if let Some(last) = last {
                    self.next[row][last / 64] |= 1 << (last % 64);
                }
                earlier[test / 64] |= 1 << (test % 64);
                last = Some(test);
            }
        }
    }

    pub(super) fn coverage(&self, roster: &TestRoster) -> Coverage {
        let pairs = possible(roster);
        let count = |bits: &[u64]| bits.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
        // A test that ran twice in a process is no pair.
        let with_itself = |bits: &[u64]| {
            let width = self.tests.div_ceil(64);
            (0..self.tests).filter(|test| bits[test * width + test / 64] >> (test % 64) & 1 == 1).count() as u64
        };
        let (next, before) =
            (count(&self.next) - with_itself(&self.next), count(&self.before) - with_itself(&self.before));
        Coverage {
            pairs,
            consecutive: next,
            any_distance: before,
            consecutive_share: share(next, pairs),
            any_distance_share: share(before, pairs),
        }
    }
}

/// To four places; what is not all is never 1, and what is something never 0.
fn share(count: u64, of: u64) -> f64 {
    let rounded = (count as f64 / of as f64 * 10_000.0).round() / 10_000.0;
    match count {
        all if all >= of => 1.0,
        0 => 0.0,
        _ => rounded.clamp(0.0001, 0.9999),
    }
}

fn possible(roster: &TestRoster) -> u64 {
    let mut sizes = std::collections::HashMap::new();
    roster.groups().iter().for_each(|group| *sizes.entry(group).or_insert(0u64) += 1);
    sizes.values().map(|size| size * (size - 1)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::{Outcome, TestId};

    #[test]
    fn shares_do_not_round_to_all_or_nothing() {
        assert_eq!((share(24_994_998, 24_995_000), share(1, 24_995_000)), (0.9999, 0.0001));
        assert_eq!((share(7, 7), share(0, 7), share(0, 0), share(1, 3)), (1.0, 0.0, 1.0, 0.3333));
    }

    #[test]
    fn pairs_count_once_and_not_across_processes() {
        let ids: Vec<TestId> = (0..70).map(|n| TestId::new("", "C", &format!("t{n}"), 1)).collect();
        let mut pairs = Pairs::of(70);
        let seen = |test, stretch| ObservedTest { test, outcome: Outcome::Passed, stretch };
        let run = [seen(0, 0), seen(69, 0), seen(1, 0), seen(2, 1), seen(0, 1), seen(0, 1)];
        pairs.add(&run);
        pairs.add(&run);
        let coverage = pairs.coverage(&TestRoster::by_module(&ids));
        assert_eq!((coverage.pairs, coverage.consecutive, coverage.any_distance), (70 * 69, 3, 4));
    }
}
