//! Location and spread of one sample. Quantiles are in `quantile`.

use super::quantile::{quantile_of_sorted, sorted};
use super::{sound, sum};

/// Arithmetic mean, `Σx / n`.
pub fn mean(values: &[f64]) -> Option<f64> {
    let values = sound(values)?;
    let n = values.len() as f64;
    let mean = sum(values.iter().copied()) / n;
    // A sum may be too large for its mean's own type.
    Some(if mean.is_finite() { mean } else { sum(values.iter().map(|x| x / n)) })
}

/// Weighted mean, `Σwx / Σw`; as many weights as values, none below zero, not all zero.
pub fn weighted_mean(values: &[f64], weights: &[f64]) -> Option<f64> {
    let (values, weights) = (sound(values)?, sound(weights)?);
    let total = sum(weights.iter().copied());
    if values.len() != weights.len() || weights.iter().any(|w| *w < 0.0) || total <= 0.0 {
        return None;
    }
    Some(sum(values.iter().zip(weights).map(|(x, w)| x * w)) / total).filter(|mean| mean.is_finite())
}

/// Geometric mean, `exp(Σ ln x / n)`; only for values above zero.
pub fn geometric_mean(values: &[f64]) -> Option<f64> {
    if values.iter().any(|x| *x <= 0.0) {
        return None;
    }
    mean(&values.iter().map(|x| x.ln()).collect::<Vec<_>>()).map(f64::exp)
}

/// Harmonic mean, `n / Σ(1/x)`; only for values above zero.
pub fn harmonic_mean(values: &[f64]) -> Option<f64> {
    if values.iter().any(|x| *x <= 0.0) {
        return None;
    }
    let values = sound(values)?;
    mean(&values.iter().map(|x| x.recip()).collect::<Vec<_>>()).map(f64::recip)
}

/// The mean of what is left when `⌊share·n⌋` values are cut from each end, as SciPy's `trim_mean` does; the share is at
/// least 0 and below ½.
pub fn trimmed_mean(values: &[f64], share: f64) -> Option<f64> {
    if !(0.0..0.5).contains(&share) {
        return None;
    }
    let sorted = sorted(sound(values)?);
    let cut = (share * sorted.len() as f64) as usize;
    mean(&sorted[cut..sorted.len() - cut])
}

/// Standard deviation of a sample, `√(Σ(x − x̄)² / (n − 1))`; needs two values.
pub fn sample_sd(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let unit = unit_of(values);
    let scaled: Vec<f64> = values.iter().map(|x| x / unit).collect();
    let squares = squared_deviations(&scaled, mean(&scaled)?);
    Some((squares / (values.len() - 1) as f64).sqrt() * unit).filter(|sd| sd.is_finite())
}

/// A power of two to divide by, so that squares of the values neither vanish nor overflow; 1 for values of usual size.
pub(super) fn unit_of(values: &[f64]) -> f64 {
    const USUAL: std::ops::Range<f64> = 1e-100..1e100;
    let largest = values.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
    if largest == 0.0 || !largest.is_finite() || USUAL.contains(&largest) {
        return 1.0;
    }
    largest.log2().floor().clamp(-1022.0, 1023.0).exp2()
}

pub(super) fn squared_deviations(values: &[f64], center: f64) -> f64 {
    sum(values.iter().map(|x| (x - center).powi(2)))
}

/// Standard deviation over the mean, `s / |x̄|`; needs two values and a mean other than zero.
pub fn coefficient_of_variation(values: &[f64]) -> Option<f64> {
    let center = mean(values).filter(|mean| *mean != 0.0)?;
    sample_sd(values).map(|sd| sd / center.abs())
}

/// Tukey's box plot: the box spans the quartiles (type 7), whiskers reach the farthest values within 1.5 times its
/// height, and what lies beyond is an outlier.
#[derive(Debug, Clone, PartialEq)]
pub struct BoxPlot {
    pub minimum: f64,
    pub lower_whisker: f64,
    pub lower_quartile: f64,
    pub median: f64,
    pub upper_quartile: f64,
    pub upper_whisker: f64,
    pub maximum: f64,
    /// Ascending.
    pub outliers: Vec<f64>,
}

pub fn box_plot(values: &[f64]) -> Option<BoxPlot> {
    let sorted = sorted(sound(values)?);
    let (minimum, maximum) = (*sorted.first()?, *sorted.last()?);
    let [lower, middle, upper] = [0.25, 0.5, 0.75].map(|p| quantile_of_sorted(&sorted, p));
    let reach = 1.5 * (upper - lower);
    let inside = |x: &&f64| **x >= lower - reach && **x <= upper + reach;
    Some(BoxPlot {
        minimum,
        lower_whisker: sorted.iter().find(inside).copied().unwrap_or(minimum),
        lower_quartile: lower,
        median: middle,
        upper_quartile: upper,
        upper_whisker: sorted.iter().rev().find(inside).copied().unwrap_or(maximum),
        maximum,
        outliers: sorted.iter().filter(|x| !inside(x)).copied().collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::{median, quantile};
    use super::*;
    use proptest::prelude::*;

    /// Squares of such values are zero, or no numbers.
    #[test]
    fn tiny_and_huge_values_have_a_deviation() {
        let usual = sample_sd(&[1.0, 2.0, 4.0]).unwrap();
        for unit in [1e-300, 1e-320, 1e300] {
            let sd = sample_sd(&[unit, 2.0 * unit, 4.0 * unit]).unwrap();
            assert!((sd / unit / usual - 1.0).abs() < 1e-2, "{unit:e}: {sd:e}");
        }
        assert_eq!(sample_sd(&[0.0, 0.0]), Some(0.0));
    }

    #[test]
    fn an_empty_sample_has_no_summary() {
        assert_eq!(mean(&[]), None);
        assert_eq!(geometric_mean(&[]), None);
        assert_eq!(box_plot(&[]), None);
        assert_eq!(sample_sd(&[1.0]), None);
        assert_eq!(trimmed_mean(&[], 0.1), None);
    }

    #[test]
    fn what_is_not_finite_has_no_summary() {
        for broken in [f64::NAN, f64::INFINITY] {
            let values = [1.0, broken, 2.0];
            assert_eq!(mean(&values), None);
            assert_eq!(sample_sd(&values), None);
            assert_eq!(geometric_mean(&values), None);
            assert_eq!(harmonic_mean(&values), None);
            assert_eq!(trimmed_mean(&values, 0.4), None);
            assert_eq!(weighted_mean(&[1.0, 2.0, 3.0], &values), None);
            assert_eq!(box_plot(&values), None);
        }
        assert_eq!(mean(&[f64::MAX, f64::MAX]), Some(f64::MAX));
    }

    #[test]
    fn cancelling_summands_keep_what_is_small() {
        assert_eq!(mean(&[1e100, 1.0, -1e100, 1.0]), Some(0.5));
    }

    #[test]
    fn weights_have_to_make_sense() {
        assert_eq!(weighted_mean(&[1.0, 4.0], &[2.0, 1.0]), Some(2.0));
        assert_eq!(weighted_mean(&[1.0, 4.0], &[0.0, 0.0]), None);
        assert_eq!(weighted_mean(&[1.0, 4.0], &[-1.0, 2.0]), None);
        assert_eq!(weighted_mean(&[1.0, 4.0], &[1.0]), None);
    }

    #[test]
    fn trimming_cuts_whole_values_from_both_ends() {
        assert_eq!(trimmed_mean(&[100.0, 1.0, 2.0, 3.0, -50.0], 0.2), Some(2.0));
        assert_eq!(trimmed_mean(&[1.0, 2.0, 9.0], 0.3), Some(4.0));
        assert_eq!(trimmed_mean(&[1.0], 0.5), None);
    }

    #[test]
    fn the_published_speedups_have_the_published_mean_and_median() {
        let classes = [1.23, 0.99, 1.59, 1.99, 1.10, 1.00, 1.05, 0.93, 1.63, 2.28, 1.84, 1.87, 1.59];
        assert!((mean(&classes).unwrap() - 1.47).abs() < 0.005);
        assert_eq!(median(&classes), Some(1.59));
    }

    #[test]
    fn spread_is_that_of_a_sample() {
        assert_eq!(sample_sd(&[2.0, 4.0]), Some(2f64.sqrt()));
        assert_eq!(coefficient_of_variation(&[-2.0, -4.0]), Some(2f64.sqrt() / 3.0));
        assert_eq!(coefficient_of_variation(&[-1.0, 1.0]), None);
    }

    #[test]
    fn a_ratio_and_its_inverse_cancel_in_the_geometric_mean() {
        assert!((geometric_mean(&[4.0, 0.25]).unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(geometric_mean(&[1.0, 0.0]), None);
    }

    #[test]
    fn whiskers_stop_at_the_last_value_within_reach() {
        let plot = box_plot(&[1.0, 2.0, 3.0, 4.0, 5.0, 100.0]).unwrap();
        assert_eq!((plot.lower_whisker, plot.upper_whisker, plot.maximum), (1.0, 5.0, 100.0));
        assert_eq!(plot.outliers, [100.0]);
    }

    proptest! {
        #[test]
        fn summaries_lie_between_the_extremes(values in prop::collection::vec(0.001f64..1e6, 1..40), p in 0f64..=1.0) {
            let plot = box_plot(&values).unwrap();
            let within = |x: f64| x >= plot.minimum * (1.0 - 1e-9) && x <= plot.maximum * (1.0 + 1e-9);
            let [harmonic, geometric, arithmetic] =
                [harmonic_mean(&values), geometric_mean(&values), mean(&values)].map(Option::unwrap);
            prop_assert!(within(harmonic) && within(arithmetic));
            prop_assert!(harmonic <= geometric * (1.0 + 1e-9) && geometric <= arithmetic * (1.0 + 1e-9));
            prop_assert!(within(median(&values).unwrap()) && within(quantile(&values, p).unwrap()));
        }
    }
}
