//! The distribution of a sum of ranks when every sign is as likely as the other, by counting.
//!
//! Without ties it depends on the number of ranks alone, is counted once per number and kept: a hundred thousand tests of
//! thirty pairs then cost little more than their sorting. With ties or zeros the ranks at hand are counted.

use std::sync::OnceLock;

use super::tails::Feasible;

/// The most ranks whose signs are counted unasked: 2⁵⁰ is counted by `f64` without rounding.
pub const EXACT_UP_TO: usize = 50;

/// The most that are counted on request. Counts are only added, so that their relative error stays below 200 · 2⁻⁵³.
const ON_REQUEST: usize = 200;

/// The largest sum of doubled ranks that is counted; thousands of zeros push ranks (Pratt) beyond.
const LARGEST_SUM: u64 = 4_000_000;

/// The distribution of the sum `W` of positive ranks, in units of half a rank.
pub(super) enum SignedRanks<'a> {
    /// The ranks `1..=n`.
    Plain(usize),
    /// These ones, doubled.
    Given(&'a [u64]),
}

/// `P(W ≤ w)` and `P(W ≥ w)`.
pub(super) struct Tails {
    pub at_most: f64,
    pub at_least: f64,
}

pub(super) fn feasible(doubled: &[u64]) -> Feasible {
    let is_small = doubled.iter().sum::<u64>() <= LARGEST_SUM;
    Feasible { unasked: is_small && doubled.len() <= EXACT_UP_TO, on_request: is_small && doubled.len() <= ON_REQUEST }
}

impl SignedRanks<'_> {
    /// At twice the sum, which has to be at most twice the sum of all ranks.
    pub fn tails(&self, doubled_sum: u64) -> Tails {
        match self {
            SignedRanks::Plain(n) => {
                let ways = plain(*n);
                let all = ways.len() - 1;
                // Whole ranks: a doubled sum is even.
                let sum = (doubled_sum / 2) as usize;
                Tails { at_most: ways[sum.min(all)], at_least: ways[all - sum.min(all)] }
            }
            SignedRanks::Given(doubled) => {
                let all = doubled.iter().sum::<u64>();
                let other = all - doubled_sum.min(all);
                let ways = cumulated(doubled.iter().map(|rank| *rank as usize), doubled_sum.max(other) as usize);
                let share = 0.5_f64.powi(doubled.len() as i32);
                Tails { at_most: ways[doubled_sum as usize] * share, at_least: ways[other as usize] * share }
            }
        }
    }
}

/// `P(W ≤ w)` at `w` for the ranks `1..=n`, `n` at most [`EXACT_UP_TO`].
pub(super) fn plain(n: usize) -> &'static [f64] {
    static KEPT: [OnceLock<Vec<f64>>; EXACT_UP_TO + 1] = [const { OnceLock::new() }; EXACT_UP_TO + 1];
    KEPT[n].get_or_init(|| {
        let share = 0.5_f64.powi(n as i32);
        cumulated(1..=n, n * (n + 1) / 2).into_iter().map(|ways| ways * share).collect()
    })
}

/// At each sum up to the largest: in how many ways signs can be given so that the positive ranks sum to at most that.
fn cumulated(ranks: impl Iterator<Item = usize>, largest: usize) -> Vec<f64> {
    let mut ways = vec![0.0; largest + 1];
    ways[0] = 1.0;
    let mut reached = 0;
    for rank in ranks {
        reached = (reached + rank).min(largest);
        for sum in (rank..=reached).rev() {
            ways[sum] += ways[sum - rank];
        }
    }
    let mut total = 0.0;
    for way in &mut ways {
        total += *way;
        *way = total;
    }
    ways
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_ranks_are_given_ranks_without_ties() {
        for n in [1, 2, 7, 30, 50] {
            let doubled: Vec<u64> = (1..=n as u64).map(|rank| 2 * rank).collect();
            let all = (n * (n + 1) / 2) as u64;
            for sum in [0, 1, all / 3, all / 2, all] {
                let (plain, given) =
                    (SignedRanks::Plain(n).tails(2 * sum), SignedRanks::Given(&doubled).tails(2 * sum));
                assert_eq!((plain.at_most, plain.at_least), (given.at_most, given.at_least), "{n} {sum}");
            }
        }
    }

    #[test]
    fn all_ways_are_counted() {
        assert_eq!(plain(50).last(), Some(&1.0));
        assert_eq!(plain(3), [0.125, 0.25, 0.375, 0.625, 0.75, 0.875, 1.0]);
    }
}
