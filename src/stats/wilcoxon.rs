//! Wilcoxon's signed-rank test for paired samples, two-sided.

use statrs::distribution::{ContinuousCDF, Normal};

/// The largest number of non-zero differences for which the p-value is exact.
pub const EXACT_UP_TO: usize = 50;

#[derive(Debug, Clone, PartialEq)]
pub struct Wilcoxon {
    /// The smaller of the two rank sums, as SciPy gives it.
    pub statistic: f64,
    pub p: f64,
    /// Pairs that differ. Equal pairs say nothing about a direction and are left out, as Wilcoxon did.
    pub n: usize,
    pub method: Method,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    Exact,
    Asymptotic,
}

/// Tests whether the differences of the pairs `(a, b)` lie symmetrically around zero.
///
/// With the absolute differences ranked (ties share the mean of their ranks), `W⁺` sums the ranks of positive ones and
/// `W⁻` those of negative ones; `T = min(W⁺, W⁻)`.
/// - Up to [`EXACT_UP_TO`] differences, `p = min(1, 2·P(W ≤ T))` over all `2ⁿ` ways to give signs to these very ranks, so
///   it is exact with ties too.
/// - Beyond, `z = (T − μ + ½) / σ` with `μ = n(n + 1)/4` and `σ² = n(n + 1)(2n + 1)/24 − Σ(t³ − t)/48` over groups of `t`
///   ties, and `p = 2·Φ(z)`.
///
/// `None` if no pair differs, or a difference is not a number.
pub fn wilcoxon(pairs: &[(f64, f64)]) -> Option<Wilcoxon> {
    let differences: Vec<f64> = pairs.iter().map(|(a, b)| a - b).filter(|d| *d != 0.0).collect();
    if differences.is_empty() || differences.iter().any(|d| d.is_nan()) {
        return None;
    }
    let ranked = doubled_ranks(&differences);
    let (positive, negative) = rank_sums(&differences, &ranked);
    let statistic = positive.min(negative);
    let n = differences.len();
    let (p, method) = if n <= EXACT_UP_TO {
        (exact_p(&ranked, statistic), Method::Exact)
    } else {
        (asymptotic_p(&ranked, statistic as f64 / 2.0), Method::Asymptotic)
    };
    Some(Wilcoxon { statistic: statistic as f64 / 2.0, p, n, method })
}

/// The smallest two-sided p-value that `n` pairs can give: all signs alike, `2 / 2ⁿ`.
pub fn smallest_reachable_p(n: usize) -> f64 {
    let exponent = i32::try_from(n).unwrap_or(i32::MAX).saturating_sub(1);
    2f64.powi(exponent.max(0)).recip()
}

/// Twice the rank of each absolute difference, so that shared ranks stay whole numbers.
pub(super) fn doubled_ranks(differences: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..differences.len()).collect();
    order.sort_by(|a, b| differences[*a].abs().total_cmp(&differences[*b].abs()));
    let mut ranks = vec![0; differences.len()];
    let mut below = 0;
    for ties in order.chunk_by(|a, b| differences[*a].abs() == differences[*b].abs()) {
        for index in ties {
            ranks[*index] = 2 * below + ties.len() + 1;
        }
        below += ties.len();
    }
    ranks
}

/// Twice `W⁺` and twice `W⁻`.
pub(super) fn rank_sums(differences: &[f64], doubled: &[usize]) -> (usize, usize) {
    differences.iter().zip(doubled).fold((0, 0), |(positive, negative), (difference, rank)| {
        if *difference > 0.0 { (positive + rank, negative) } else { (positive, negative + rank) }
    })
}

/// Counts, rank by rank, in how many ways signs can be given so that the doubled rank sum is `s`. There are at most
/// 2⁵⁰ ways, which `f64` counts without rounding.
fn exact_p(doubled: &[usize], statistic: usize) -> f64 {
    let mut ways = vec![0.0; statistic + 1];
    ways[0] = 1.0;
    for rank in doubled {
        for sum in (*rank..=statistic).rev() {
            ways[sum] += ways[sum - rank];
        }
    }
    let all = 2f64.powi(doubled.len() as i32);
    (2.0 * ways.iter().sum::<f64>() / all).min(1.0)
}

fn asymptotic_p(doubled: &[usize], statistic: f64) -> f64 {
    let n = doubled.len() as f64;
    let mut ranks = doubled.to_vec();
    ranks.sort_unstable();
    let ties: f64 = ranks.chunk_by(|a, b| a == b).map(|group| (group.len() as f64).powi(3) - group.len() as f64).sum();
    let deviation = (n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ties / 48.0).sqrt();
    let z = (statistic - n * (n + 1.0) / 4.0 + 0.5) / deviation;
    (2.0 * Normal::standard().cdf(z)).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Written by `scripts/stats-reference.py` from SciPy.
    const REFERENCE: &str = include_str!("../../tests/data/wilcoxon.csv");

    fn numbers(field: &str) -> Vec<f64> {
        field.split_whitespace().map(|number| number.parse().unwrap()).collect()
    }

    #[test]
    fn agrees_with_scipy() {
        let mut reader = csv::Reader::from_reader(REFERENCE.as_bytes());
        let mut cases = 0;
        for row in reader.records().map(Result::unwrap) {
            let pairs: Vec<_> = numbers(&row[1]).into_iter().zip(numbers(&row[2])).collect();
            let (statistic, p): (f64, f64) = (row[3].parse().unwrap(), row[4].parse().unwrap());
            let result = wilcoxon(&pairs).unwrap();
            assert!((result.statistic - statistic).abs() < 1e-9, "{}: {}", &row[0], result.statistic);
            assert!((result.p - p).abs() <= 1e-9 * p, "{}: {} for {p}", &row[0], result.p);
            cases += 1;
        }
        assert!(cases >= 300, "only {cases} reference cases");
    }

    #[test]
    fn five_pairs_cannot_reach_five_percent() {
        let pairs: Vec<_> = (1..=5).map(|i| (f64::from(i), 0.0)).collect();
        assert_eq!(wilcoxon(&pairs).unwrap().p, 0.0625);
        assert_eq!(smallest_reachable_p(5), 0.0625);
        assert_eq!(smallest_reachable_p(6), 0.03125);
        assert_eq!(smallest_reachable_p(0), 1.0);
    }

    #[test]
    fn equal_samples_cannot_be_tested() {
        assert_eq!(wilcoxon(&[(1.0, 1.0), (2.0, 2.0)]), None);
        assert_eq!(wilcoxon(&[]), None);
        assert_eq!(wilcoxon(&[(f64::NAN, 1.0)]), None);
    }

    proptest! {
        #[test]
        fn swapping_the_samples_changes_nothing(pairs in prop::collection::vec((0u8..20, 0u8..20), 1..70)) {
            let forth: Vec<_> = pairs.iter().map(|(a, b)| (f64::from(*a), f64::from(*b))).collect();
            let back: Vec<_> = forth.iter().map(|(a, b)| (*b, *a)).collect();
            prop_assert_eq!(wilcoxon(&forth), wilcoxon(&back));
        }

        #[test]
        fn p_is_no_smaller_than_reachable(pairs in prop::collection::vec((0.0f64..9.0, 0.0f64..9.0), 1..50)) {
            if let Some(result) = wilcoxon(&pairs) {
                prop_assert!(result.p <= 1.0 && result.p >= smallest_reachable_p(result.n) * (1.0 - 1e-12));
            }
        }
    }
}
