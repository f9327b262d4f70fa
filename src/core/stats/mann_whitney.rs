//! The test of Mann and Whitney (Wilcoxon's rank-sum test) for two independent samples.

use super::ranks::Ranked;
use super::tails::{Feasible, chosen_method, corrected_normal_p, exact_p};
use super::{Alternative, Method, sound};

/// Up to this product of the two sizes all arrangements are counted: 50 against 50, 5 against 500.
const EXACT_UP_TO: usize = 2500;

/// On request up to this one: 100 against 100.
const ON_REQUEST: usize = 10_000;

#[derive(Debug, Clone, PartialEq)]
pub struct MannWhitney {
    /// `U` of the first sample, as SciPy gives it: how many pairs across the samples it wins, equal ones counting half.
    pub u: f64,
    pub p: f64,
    pub method: Method,
}

/// The two-sided test: [`mann_whitney_with`] has the formulas.
pub fn mann_whitney(a: &[f64], b: &[f64]) -> Option<MannWhitney> {
    mann_whitney_with(a, b, Alternative::TwoSided, None)
}

/// Tests whether values of `a` are as often above those of `b` as below.
///
/// With `R` the sum of the ranks of `a` among all values, `U = R − m(m + 1)/2` for `m` values of `a` and `n` of `b`.
/// - While `m·n ≤ 2500` (10,000 if [`Method::Exact`] is wished for), `p` is exact: the share of all ways to choose `m` of these very ranks in which their sum is as
///   small (`less`) or as large (`greater`). Two-sided it is the share of sums at least as far from the expected one: without
///   ties that is twice the smaller tail; with ties and unequal sizes the two tails may differ, and R's exactRankTests and
///   coin count likewise.
/// - Beyond, `z = (U − mn/2 ∓ ½) / σ` with `σ² = mn/12 · (N + 1 − Σ(t³ − t)/(N(N − 1)))`, `N = m + n`, over groups of `t` ties.
///
/// `None` if a sample is empty or a value not finite, or if [`Method::Exact`] is wished for and not feasible.
pub fn mann_whitney_with(a: &[f64], b: &[f64], alternative: Alternative, wish: Option<Method>) -> Option<MannWhitney> {
    let (a, b) = (sound(a)?, sound(b)?);
    let pooled: Vec<f64> = a.iter().chain(b).copied().collect();
    let ranked = Ranked::of(&pooled);
    let m = a.len() as u64;
    let doubled_sum: u64 = ranked.doubled[..a.len()].iter().sum();
    let doubled_u = doubled_sum - m * (m + 1);
    let product = a.len().saturating_mul(b.len());
    let feasible = Feasible { unasked: product <= EXACT_UP_TO, on_request: product <= ON_REQUEST };
    let method = chosen_method(wish, &feasible)?;
    let p = match method {
        Method::Exact if ranked.has_ties() => tied_p(&ranked.doubled, a.len(), doubled_sum, alternative),
        Method::Exact => plain_p(a.len(), b.len(), doubled_u / 2, alternative),
        Method::Asymptotic => asymptotic_p(a.len() as f64, b.len() as f64, doubled_u, ranked.tie_term(), alternative),
    };
    Some(MannWhitney { u: doubled_u as f64 / 2.0, p, method })
}

/// Twice `U`.
pub(super) fn doubled_wins(a: &[f64], b: &[f64]) -> u64 {
    let pooled: Vec<f64> = a.iter().chain(b).copied().collect();
    let m = a.len() as u64;
    Ranked::of(&pooled).doubled[..a.len()].iter().sum::<u64>() - m * (m + 1)
}

/// Without ties, by Mann and Whitney's recurrence: with the largest value in `a` it wins against all of `b`.
fn plain_p(m: usize, n: usize, u: u64, alternative: Alternative) -> f64 {
    let shares = cumulated(plain_shares(m, n));
    let (u, all) = (u as usize, m * n);
    exact_p(shares[u], shares[all - u], alternative)
}

/// `P(U = u)` for `m` and `n` values without ties. The chance that the largest of all is one of `a`'s is `m / (m + n)`:
/// working with shares instead of counts, nothing overflows.
pub(super) fn plain_shares(m: usize, n: usize) -> Vec<f64> {
    // Of `i` values of `a` and all numbers of `b` so far.
    let mut with_fewer: Vec<Vec<f64>> = vec![vec![1.0]; n + 1];
    for i in 1..=m {
        let mut row: Vec<Vec<f64>> = Vec::with_capacity(n + 1);
        for j in 0..=n {
            let of_a = i as f64 / (i + j) as f64;
            let mut shares = vec![0.0; i * j + 1];
            for (u, share) in with_fewer[j].iter().enumerate() {
                shares[u + j] += of_a * share;
            }
            if j > 0 {
                for (u, share) in row[j - 1].iter().enumerate() {
                    shares[u] += (1.0 - of_a) * share;
                }
            }
            row.push(shares);
        }
        with_fewer = row;
    }
    with_fewer.pop().unwrap_or_else(|| vec![1.0])
}

pub(super) fn cumulated(mut shares: Vec<f64>) -> Vec<f64> {
    let mut total = 0.0;
    for share in &mut shares {
        total += *share;
        *share = total;
    }
    shares
}

/// With ties, over all ways to choose `m` of these doubled ranks.
fn tied_p(doubled: &[u64], m: usize, sum: u64, alternative: Alternative) -> f64 {
    let others = doubled.len() - m;
    if others < m {
        // Choosing the smaller sample is the same choice, and takes less memory.
        let rest = doubled.iter().sum::<u64>() - sum;
        return tied_p(doubled, others, rest, alternative.turned());
    }
    let shares = chosen_shares(doubled, m);
    // m·(N + 1)/2, doubled.
    let expected = m as u64 * (doubled.len() as u64 + 1);
    let distance = sum.abs_diff(expected);
    if alternative == Alternative::TwoSided && distance == 0 {
        return 1.0;
    }
    let counts = |at: u64| match alternative {
        Alternative::Less => at <= sum,
        Alternative::Greater => at >= sum,
        Alternative::TwoSided => at.abs_diff(expected) >= distance,
    };
    let p: f64 = shares.iter().enumerate().filter(|(at, _)| counts(*at as u64)).map(|(_, share)| share).sum();
    p.min(1.0)
}

/// The share of choices of `m` ranks that has each doubled sum. There are at most 10⁵⁹ of them (100 of 200).
fn chosen_shares(doubled: &[u64], m: usize) -> Vec<f64> {
    let mut ascending = doubled.to_vec();
    ascending.sort_unstable();
    let largest: u64 = ascending.iter().rev().take(m).sum();
    let mut ways = vec![vec![0.0; largest as usize + 1]; m + 1];
    ways[0][0] = 1.0;
    let mut reached = 0;
    for (seen, rank) in ascending.iter().map(|rank| *rank as usize).enumerate() {
        reached = (reached + rank).min(largest as usize);
        for chosen in (1..=m.min(seen + 1)).rev() {
            let (fewer, more) = ways.split_at_mut(chosen);
            let (from, to) = (&fewer[chosen - 1], &mut more[0]);
            for sum in rank..=reached {
                to[sum] += from[sum - rank];
            }
        }
    }
    let all: f64 = ways[m].iter().sum();
    ways.pop().unwrap_or_default().into_iter().map(|count| count / all).collect()
}

fn asymptotic_p(m: f64, n: f64, doubled_u: u64, ties: f64, alternative: Alternative) -> f64 {
    let all = m + n;
    let variance = m * n / 12.0 * (all + 1.0 - ties / (all * (all - 1.0)));
    corrected_normal_p(doubled_u as f64 / 2.0 - m * n / 2.0, variance.sqrt(), alternative)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn separated_samples_have_the_smallest_p() {
        let test = mann_whitney(&[4.0, 5.0, 6.0], &[1.0, 2.0, 3.0]).unwrap();
        assert_eq!((test.u, test.method), (9.0, Method::Exact));
        assert!((test.p - 0.1).abs() < 1e-15);
    }

    #[test]
    fn samples_of_one_value_say_nothing() {
        assert_eq!(mann_whitney(&[2.0; 5], &[2.0; 4]).unwrap().p, 1.0);
        assert_eq!(mann_whitney(&[2.0; 60], &[2.0; 60]).unwrap().p, 1.0);
        assert_eq!(mann_whitney(&[], &[1.0]), None);
        assert_eq!(mann_whitney(&[f64::NAN], &[1.0]), None);
    }

    #[test]
    fn more_is_counted_on_request() {
        let of = |n: i32, wish| {
            let a: Vec<f64> = (0..n).map(|i| f64::from(2 * i)).collect();
            let b: Vec<f64> = (0..n).map(|i| f64::from(2 * i + 15)).collect();
            mann_whitney_with(&a, &b, Alternative::TwoSided, wish)
        };
        let (exact, normal) = (of(60, Some(Method::Exact)).unwrap(), of(60, None).unwrap());
        assert_eq!((exact.method, normal.method, exact.u), (Method::Exact, Method::Asymptotic, normal.u));
        assert!((exact.p / normal.p - 1.0).abs() < 0.02, "{} {}", exact.p, normal.p);
        assert_eq!(of(101, Some(Method::Exact)), None);
    }

    #[test]
    fn shares_sum_to_one() {
        for (m, n) in [(1, 1), (3, 5), (50, 50), (2, 1250)] {
            assert!((plain_shares(m, n).iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
        let ranks: Vec<u64> = (0..100).map(|at| 2 * (at / 3) + 5).collect();
        assert!((chosen_shares(&ranks, 50).iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn swapping_the_samples_swaps_the_sides(
            a in prop::collection::vec(0u8..12, 1..15),
            b in prop::collection::vec(0u8..12, 1..15),
        ) {
            let (a, b): (Vec<f64>, Vec<f64>) =
                (a.into_iter().map(f64::from).collect(), b.into_iter().map(f64::from).collect());
            let p = |a: &[f64], b: &[f64], side| mann_whitney_with(a, b, side, None).unwrap().p;
            let close = |x: f64, y: f64| (x - y).abs() <= 1e-12 * y;
            prop_assert!(close(p(&a, &b, Alternative::TwoSided), p(&b, &a, Alternative::TwoSided)));
            prop_assert!(close(p(&a, &b, Alternative::Less), p(&b, &a, Alternative::Greater)));
            let u = mann_whitney(&a, &b).unwrap().u + mann_whitney(&b, &a).unwrap().u;
            prop_assert_eq!(u, (a.len() * b.len()) as f64);
        }

        #[test]
        fn ties_or_not_the_ways_are_counted_alike(order in Just((1..=12).collect::<Vec<u8>>()).prop_shuffle(), m in 1usize..12) {
            let ranks: Vec<u64> = order.iter().map(|rank| 2 * u64::from(*rank)).collect();
            let sum: u64 = ranks[..m].iter().sum();
            let u = (sum - (m * (m + 1)) as u64) / 2;
            for side in Alternative::ALL {
                let (tied, plain) = (tied_p(&ranks, m, sum, side), plain_p(m, 12 - m, u, side));
                prop_assert!((tied - plain).abs() <= 1e-12 * plain, "{} {}", tied, plain);
            }
        }
    }
}
