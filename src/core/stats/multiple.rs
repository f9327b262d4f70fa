//! Correction for asking several questions at once.

/// Holm's step-down correction (1979): with `m` p-values in ascending order, the `i`-th becomes
/// `max over j ≤ i of min(1, (m − j + 1)·p_j)`; no value among them is wrong with more than the given probability. The result
/// is in the order of the input. What is not a number stays so, and does not count among the `m`.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let order = ascending(p_values);
    let mut adjusted = p_values.to_vec();
    let mut largest: f64 = 0.0;
    for (position, index) in order.iter().enumerate() {
        largest = largest.max(((order.len() - position) as f64 * p_values[*index]).min(1.0));
        adjusted[*index] = largest;
    }
    adjusted
}

/// Benjamini and Hochberg's correction (1995), which bounds the share of false findings among the findings: the `i`-th of `m`
/// ascending values becomes `min over j ≥ i of min(1, m·p_j / j)`. Order and missing numbers as for [`holm`].
pub fn benjamini_hochberg(p_values: &[f64]) -> Vec<f64> {
    let order = ascending(p_values);
    let mut adjusted = p_values.to_vec();
    let mut smallest: f64 = 1.0;
    for (position, index) in order.iter().enumerate().rev() {
        smallest = smallest.min(order.len() as f64 / (position + 1) as f64 * p_values[*index]);
        adjusted[*index] = smallest;
    }
    adjusted
}

/// Where the numbers are, the smallest first.
fn ascending(p_values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..p_values.len()).filter(|index| !p_values[*index].is_nan()).collect();
    order.sort_by(|a, b| p_values[*a].total_cmp(&p_values[*b]));
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn assert_close(found: &[f64], expected: &[f64]) {
        assert!(found.iter().zip(expected).all(|(f, e)| (f - e).abs() < 1e-12), "{found:?}");
    }

    #[test]
    fn holm_steps_down_and_never_falls() {
        assert_close(&holm(&[0.01, 0.04, 0.03, 0.005]), &[0.03, 0.06, 0.06, 0.02]);
    }

    #[test]
    fn benjamini_and_hochberg_step_up() {
        assert_close(&benjamini_hochberg(&[0.01, 0.04, 0.03, 0.005]), &[0.02, 0.04, 0.04, 0.02]);
    }

    #[test]
    fn what_is_missing_does_not_count() {
        for corrected in [holm(&[0.02, f64::NAN, 0.5]), benjamini_hochberg(&[0.02, f64::NAN, 0.5])] {
            assert!(corrected[1].is_nan());
            assert_eq!(corrected[0], 0.04);
        }
    }

    proptest! {
        #[test]
        fn stay_between_the_raw_value_and_bonferroni(p in prop::collection::vec(0.0f64..=1.0, 0..30)) {
            let (holm, hochberg) = (holm(&p), benjamini_hochberg(&p));
            for (index, raw) in p.iter().enumerate() {
                prop_assert!(hochberg[index] >= *raw && hochberg[index] <= holm[index] * (1.0 + 1e-12));
                prop_assert!(holm[index] <= (raw * p.len() as f64).min(1.0));
            }
        }
    }
}
