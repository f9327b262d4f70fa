//! How large a difference is, apart from whether it could be chance.

use super::wilcoxon::{doubled_ranks, rank_sums};

/// Vargha and Delaney's `A₁₂ = P(A > B) + ½·P(A = B)`: the chance that a value of `a` exceeds one of `b`.
pub fn a12(a: &[f64], b: &[f64]) -> Option<f64> {
    if a.is_empty() || b.is_empty() {
        return None;
    }
    let wins: f64 = a.iter().flat_map(|x| b.iter().map(move |y| win(*x, *y))).sum();
    Some(wins / (a.len() * b.len()) as f64)
}

fn win(x: f64, y: f64) -> f64 {
    if x > y {
        1.0
    } else if x == y {
        0.5
    } else {
        0.0
    }
}

/// Rank-biserial correlation of matched pairs, `(W⁺ − W⁻) / (W⁺ + W⁻)`: 1 if every first value is the larger one, −1 if
/// every second is. `None` if no pair differs.
pub fn rank_biserial(pairs: &[(f64, f64)]) -> Option<f64> {
    let differences: Vec<f64> = pairs.iter().map(|(a, b)| a - b).filter(|d| *d != 0.0).collect();
    if differences.is_empty() || differences.iter().any(|d| d.is_nan()) {
        return None;
    }
    let (positive, negative) = rank_sums(&differences, &doubled_ranks(&differences));
    Some((positive as f64 - negative as f64) / (positive + negative) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn separated_samples_have_the_extreme_effects() {
        assert_eq!(a12(&[3.0, 4.0], &[1.0, 2.0]), Some(1.0));
        assert_eq!(rank_biserial(&[(3.0, 1.0), (4.0, 1.0)]), Some(1.0));
        assert_eq!(rank_biserial(&[(1.0, 3.0), (1.0, 4.0)]), Some(-1.0));
        assert_eq!(rank_biserial(&[(1.0, 1.0)]), None);
        assert_eq!(a12(&[], &[1.0]), None);
    }

    proptest! {
        #[test]
        fn both_turn_around_with_the_samples(pairs in prop::collection::vec((0u8..9, 0u8..9), 1..30)) {
            let (a, b): (Vec<_>, Vec<_>) = pairs.iter().map(|(x, y)| (f64::from(*x), f64::from(*y))).unzip();
            prop_assert!((a12(&a, &b).unwrap() + a12(&b, &a).unwrap() - 1.0).abs() < 1e-12);
            let forth: Vec<_> = a.iter().copied().zip(b.iter().copied()).collect();
            let back: Vec<_> = b.into_iter().zip(a).collect();
            prop_assert_eq!(rank_biserial(&forth).map(|r| -r), rank_biserial(&back));
        }
    }
}
