//! Correction for asking several questions at once.

/// Holm's step-down correction: with `m` p-values in ascending order, the `i`-th becomes
/// `max over j ≤ i of min(1, (m − j + 1)·p_j)`. The result is in the order of the input.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|a, b| p_values[*a].total_cmp(&p_values[*b]));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut largest: f64 = 0.0;
    for (position, index) in order.into_iter().enumerate() {
        largest = largest.max(((p_values.len() - position) as f64 * p_values[index]).min(1.0));
        adjusted[index] = largest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn steps_down_and_never_falls() {
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.005]);
        for (found, expected) in adjusted.iter().zip([0.03, 0.06, 0.06, 0.02]) {
            assert!((found - expected).abs() < 1e-12, "{adjusted:?}");
        }
    }

    proptest! {
        #[test]
        fn stays_between_the_raw_value_and_bonferroni(p in prop::collection::vec(0.0f64..=1.0, 0..30)) {
            for (raw, adjusted) in p.iter().zip(holm(&p)) {
                prop_assert!(adjusted >= *raw && adjusted <= (raw * p.len() as f64).min(1.0));
            }
        }
    }
}
