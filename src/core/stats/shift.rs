//! The estimator of Hodges and Lehmann (1963): by how much one sample lies above another, without a mean's weakness for
//! outliers.
//!
//! Averages and differences of all pairs of values are never written down: the one of a given rank is found by bisection
//! over the numbers themselves, counting in linear time. So a hundred thousand rows need no more memory than they take.

use super::mann_whitney::{cumulated, plain_shares};
use super::quantile::sorted;
use super::signed_ranks::{EXACT_UP_TO, plain};
use super::tails::normal_critical;
use super::{Interval, is_level, sound};

/// A shift with an interval from ranks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shift {
    pub estimate: f64,
    /// `None` where the sample is too small to reach the level at all.
    pub interval: Option<Interval>,
}

/// The median of the Walsh averages `(dᵢ + dⱼ)/2`, `i ≤ j`, of the differences `d = a − b` of pairs.
///
/// The interval reaches from the `k`-th smallest average to the `k`-th largest. Up to 50 pairs `k` is the largest number with
/// `P(W < k) ≤ (1 − level)/2` for the signed-rank statistic `W` without ties, so it has at least its level (more exactly: the
/// level of the test, if differences are continuous and symmetric); beyond, `k = ⌊N/2 − z·√(n(n + 1)(2n + 1)/24)⌋` with
/// `N = n(n + 1)/2` (Hollander and Wolfe 1999, 3.3).
pub fn hodges_lehmann(pairs: &[(f64, f64)], level: f64) -> Option<Shift> {
    super::columns(pairs).filter(|_| is_level(level))?;
    let differences = sorted(sound(&pairs.iter().map(|(a, b)| a - b).collect::<Vec<_>>())?);
    let n = differences.len();
    let walsh = Walsh(&differences);
    let tail = if n <= EXACT_UP_TO {
        exact_tail(plain(n), level)
    } else {
        let size = n as f64;
        normal_tail(walsh.count() as f64, size * (size + 1.0) * (2.0 * size + 1.0) / 24.0, level)
    };
    Some(Shift { estimate: middle(&walsh), interval: ends(&walsh, tail) })
}

/// The median of all differences `aᵢ − bⱼ` of two independent samples, the interval likewise by the statistic of Mann and
/// Whitney: exact while the product of the sizes is at most 2500, else `k = ⌊mn/2 − z·√(mn(m + n + 1)/12)⌋`.
pub fn hodges_lehmann_two_sample(a: &[f64], b: &[f64], level: f64) -> Option<Shift> {
    let (a, b) = (sorted(sound(a)?), sorted(sound(b)?));
    is_level(level).then_some(())?;
    let across = Across { a: &a, b: &b };
    let (m, n) = (a.len() as f64, b.len() as f64);
    let tail = if m * n <= 2500.0 {
        exact_tail(&cumulated(plain_shares(a.len(), b.len())), level)
    } else {
        normal_tail(m * n, m * n * (m + n + 1.0) / 12.0, level)
    };
    Some(Shift { estimate: middle(&across), interval: ends(&across, tail) })
}

/// How many of the lowest and highest combinations lie outside of the interval; `None` if the level is out of reach.
fn exact_tail(at_most: &[f64], level: f64) -> Option<u64> {
    // Counted shares carry rounding errors in their last digits.
    let allowed = (1.0 - level) / 2.0 * (1.0 + 1e-12);
    let outside = at_most.partition_point(|share| *share <= allowed);
    (outside > 0).then_some(outside as u64)
}

fn normal_tail(count: f64, variance: f64, level: f64) -> Option<u64> {
    let outside = (count / 2.0 - normal_critical(level) * variance.sqrt()).floor();
    (outside >= 1.0).then_some(outside as u64)
}

fn ends(combinations: &impl Combinations, outside: Option<u64>) -> Option<Interval> {
    let k = outside?;
    Some(Interval { low: nth(combinations, k), high: nth(combinations, combinations.count() - k + 1) })
}

fn middle(combinations: &impl Combinations) -> f64 {
    let count = combinations.count();
    let upper = nth(combinations, count / 2 + 1);
    if count % 2 == 1 { upper } else { f64::midpoint(nth(combinations, count / 2), upper) }
}

/// Numbers made of two values each, too many to write down.
trait Combinations {
    fn count(&self) -> u64;
    /// How many are at most so large.
    fn at_most(&self, bound: f64) -> u64;
    /// The smallest and the largest.
    fn range(&self) -> (f64, f64);
}

/// Averages of any two values of an ascending sample, and of each with itself.
struct Walsh<'a>(&'a [f64]);

impl Combinations for Walsh<'_> {
    fn count(&self) -> u64 {
        let n = self.0.len() as u64;
        n * (n + 1) / 2
    }

    fn at_most(&self, bound: f64) -> u64 {
        let (mut counted, mut end) = (0, self.0.len());
        for (start, low) in self.0.iter().enumerate() {
            while end > start && low / 2.0 + self.0[end - 1] / 2.0 > bound {
                end -= 1;
            }
            if end <= start {
                break;
            }
            counted += (end - start) as u64;
        }
        counted
    }

    fn range(&self) -> (f64, f64) {
        (self.0[0], self.0[self.0.len() - 1])
    }
}

/// Differences of any value of one ascending sample and any of another.
struct Across<'a> {
    a: &'a [f64],
    b: &'a [f64],
}

impl Combinations for Across<'_> {
    fn count(&self) -> u64 {
        self.a.len() as u64 * self.b.len() as u64
    }

    fn at_most(&self, bound: f64) -> u64 {
        let (mut counted, mut start) = (0, 0);
        for a in self.a {
            while start < self.b.len() && a - self.b[start] > bound {
                start += 1;
            }
            counted += (self.b.len() - start) as u64;
        }
        counted
    }

    fn range(&self) -> (f64, f64) {
        (self.a[0] - self.b[self.b.len() - 1], self.a[self.a.len() - 1] - self.b[0])
    }
}

/// The `k`-th smallest, `k` from 1: the least number that `k` of them are at most. Bisection over the bit patterns of `f64`,
/// which ascend as the numbers do, ends at that very number after at most 64 steps.
fn nth(combinations: &impl Combinations, k: u64) -> f64 {
    let (low, high) = combinations.range();
    let (mut low, mut high) = (key(low), key(high));
    while low < high {
        let middle = low + (high - low) / 2;
        if combinations.at_most(number(middle)) >= k {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    number(low)
}

/// An integer that ascends with the number.
fn key(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

fn number(key: u64) -> f64 {
    // −0 and 0 are one number.
    f64::from_bits(if key >> 63 == 1 { key & !(1 << 63) } else { !key }) + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::median;
    use proptest::prelude::*;

    fn pairs(differences: &[f64]) -> Vec<(f64, f64)> {
        differences.iter().map(|d| (*d, 0.0)).collect()
    }

    #[test]
    fn six_pairs_reach_the_level_and_five_do_not() {
        let shift = hodges_lehmann(&pairs(&[1.0, 2.0, 3.0, 4.0, 5.0]), 0.95).unwrap();
        assert_eq!((shift.estimate, shift.interval), (3.0, None));
        let shift = hodges_lehmann(&pairs(&[1.0, 2.0, 3.0, 4.0, 5.0, 7.0]), 0.95).unwrap();
        assert_eq!(shift.interval, Some(Interval { low: 1.0, high: 7.0 }));
    }

    #[test]
    fn without_sound_values_there_is_no_shift() {
        assert_eq!(hodges_lehmann(&[], 0.95), None);
        assert_eq!(hodges_lehmann(&[(1.0, f64::NAN)], 0.95), None);
        assert_eq!(hodges_lehmann(&[(f64::MAX, -f64::MAX)], 0.95), None);
        assert_eq!(hodges_lehmann_two_sample(&[1.0], &[], 0.95), None);
        assert_eq!(hodges_lehmann(&[(1.0, 1.0); 8], 0.95).map(|shift| shift.estimate), Some(0.0));
    }

    proptest! {
        #[test]
        fn it_is_the_median_of_all_averages(values in prop::collection::vec(-50i8..50, 1..40)) {
            let values: Vec<f64> = values.into_iter().map(|x| f64::from(x) / 3.0).collect();
            let averages: Vec<f64> = (0..values.len())
                .flat_map(|i| (i..values.len()).map(move |j| (i, j)))
                .map(|(i, j)| values[i] / 2.0 + values[j] / 2.0)
                .collect();
            let shift = hodges_lehmann(&pairs(&values), 0.9).unwrap();
            prop_assert!((shift.estimate - median(&averages).unwrap()).abs() < 1e-12);
        }

        #[test]
        fn it_is_the_median_of_all_differences(
            a in prop::collection::vec(-50i8..50, 1..30),
            b in prop::collection::vec(-50i8..50, 1..30),
        ) {
            let (a, b): (Vec<f64>, Vec<f64>) =
                (a.into_iter().map(f64::from).collect(), b.into_iter().map(f64::from).collect());
            let differences: Vec<f64> = a.iter().flat_map(|x| b.iter().map(move |y| x - y)).collect();
            let shift = hodges_lehmann_two_sample(&a, &b, 0.9).unwrap();
            prop_assert_eq!(Some(shift.estimate), median(&differences));
            if let Some(interval) = shift.interval {
                prop_assert!(interval.low <= shift.estimate && shift.estimate <= interval.high);
            }
        }

        #[test]
        fn a_shifted_sample_shifts_it(values in prop::collection::vec(-64i8..64, 6..70), by in -64i8..64) {
            let plain: Vec<f64> = values.iter().map(|x| f64::from(*x)).collect();
            let moved: Vec<f64> = plain.iter().map(|x| x + f64::from(by)).collect();
            let (plain, moved) =
                (hodges_lehmann(&pairs(&plain), 0.95).unwrap(), hodges_lehmann(&pairs(&moved), 0.95).unwrap());
            prop_assert_eq!(plain.estimate + f64::from(by), moved.estimate);
            prop_assert_eq!(plain.interval.map(|i| i.low + f64::from(by)), moved.interval.map(|i| i.low));
        }
    }
}
