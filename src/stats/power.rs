//! What a plan can show at all, before anything is run.

/// The smallest two-sided p-value of the exact signed-rank test that `n` pairs can give: all signs alike, `2 / 2ⁿ`.
pub fn smallest_reachable_p(n: usize) -> f64 {
    let exponent = i32::try_from(n).unwrap_or(i32::MAX).saturating_sub(1);
    2f64.powi(exponent.max(0)).recip()
}

/// What so many pairs for each of so many subjects can reach.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlanPower {
    /// The smallest p of one subject.
    pub smallest_p: f64,
    /// The smallest p after Holm's correction over all subjects: its first step multiplies by their number.
    pub smallest_corrected_p: f64,
    /// Whether that is below the level.
    pub can_reach: bool,
    /// How many pairs per subject it takes to get below the level after the correction.
    pub pairs_needed: Option<usize>,
}

/// For pairs per subject, subjects, and the level that is asked for, e.g. 0.05.
pub fn plan_power(pairs: usize, subjects: usize, alpha: f64) -> PlanPower {
    let smallest_p = smallest_reachable_p(pairs);
    let smallest_corrected_p = (smallest_p * subjects.max(1) as f64).min(1.0);
    PlanPower {
        smallest_p,
        smallest_corrected_p,
        can_reach: smallest_corrected_p < alpha,
        pairs_needed: pairs_needed(subjects, alpha),
    }
}

/// The fewest pairs per subject with `subjects·2/2ⁿ < alpha`. `None` unless `0 < alpha`.
pub fn pairs_needed(subjects: usize, alpha: f64) -> Option<usize> {
    if alpha.is_nan() || alpha <= 0.0 {
        return None;
    }
    (1..=2000).find(|n| smallest_reachable_p(*n) * (subjects.max(1) as f64) < alpha)
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
    fn more_subjects_need_more_pairs() {
        let plan = plan_power(6, 25, 0.05);
        assert_eq!((plan.smallest_p, plan.smallest_corrected_p, plan.can_reach), (0.03125, 0.78125, false));
        assert_eq!(plan.pairs_needed, Some(10));
        assert!(plan_power(10, 25, 0.05).can_reach);
        assert_eq!(pairs_needed(3, 0.0), None);
        assert_eq!(pairs_needed(3, f64::NAN), None);
    }
}
