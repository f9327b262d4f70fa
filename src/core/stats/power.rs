//! What a plan can show at all, before anything is run.

use super::Alternative;

/// The smallest two-sided p-value of the exact signed-rank test that `n` pairs can give: all signs alike, `2 / 2ⁿ`.
pub fn smallest_reachable_p(n: usize) -> f64 {
    let exponent = i32::try_from(n).unwrap_or(i32::MAX).saturating_sub(1);
    2f64.powi(exponent.max(0)).recip()
}

/// The same of a test with this alternative: one side alone is half of both.
pub fn smallest_p_of(n: usize, alternative: Alternative) -> f64 {
    match alternative {
        Alternative::TwoSided => smallest_reachable_p(n),
        Alternative::Less | Alternative::Greater => 0.5_f64.powi(i32::try_from(n).unwrap_or(i32::MAX)),
    }
}

/// The same after Holm's correction for so many tests, whose first step multiplies by their number.
pub fn smallest_corrected_p(n: usize, tests: usize) -> f64 {
    (smallest_reachable_p(n) * tests.max(1) as f64).min(1.0)
}

/// The fewest pairs whose smallest corrected p is not above the level. `None` unless the level is above zero.
pub fn pairs_needed(tests: usize, level: f64) -> Option<usize> {
    // From 1,075 pairs on the smallest p is zero to `f64`.
    (level > 0.0).then(|| (1..1100).find(|n| smallest_corrected_p(*n, tests) <= level)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::wilcoxon;

    #[test]
    fn five_pairs_cannot_reach_five_percent() {
        let pairs: Vec<_> = (1..=5).map(|i| (f64::from(i), 0.0)).collect();
        assert_eq!(wilcoxon(&pairs).unwrap().p, 0.0625);
        assert_eq!([0, 1, 5, 6].map(smallest_reachable_p), [1.0, 1.0, 0.0625, 0.03125]);
        assert_eq!(smallest_reachable_p(usize::MAX), 0.0);
        assert_eq!(pairs_needed(1, 0.05), Some(6));
    }

    #[test]
    fn more_tests_need_more_pairs() {
        assert_eq!((smallest_corrected_p(6, 25), smallest_corrected_p(2, 25)), (0.78125, 1.0));
        assert_eq!([1, 25, usize::MAX].map(|tests| pairs_needed(tests, 0.05)), [Some(6), Some(10), Some(70)]);
        assert_eq!((pairs_needed(3, 0.0), pairs_needed(3, f64::NAN)), (None, None));
    }
}
