//! Location and spread of one sample.

/// Arithmetic mean, `Σx / n`.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The middle value; of an even number of values the mean of the two in the middle. Equals `quantile(values, 0.5)`.
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// Quantile of type 7 in the numbering of Hyndman and Fan (1996), the default of R and NumPy: with the values sorted
/// and `h = (n − 1)·p`, it is `x[⌊h⌋] + (h − ⌊h⌋)·(x[⌊h⌋ + 1] − x[⌊h⌋])`. `None` unless `0 ≤ p ≤ 1`.
pub fn quantile(values: &[f64], p: f64) -> Option<f64> {
    if values.is_empty() || !(0.0..=1.0).contains(&p) {
        return None;
    }
    Some(quantile_of_sorted(&sorted(values), p))
}

/// Standard deviation of a sample, `√(Σ(x − x̄)² / (n − 1))`; needs two values.
pub fn sample_sd(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let center = mean(values)?;
    let squares: f64 = values.iter().map(|x| (x - center).powi(2)).sum();
    Some((squares / (values.len() - 1) as f64).sqrt())
}

/// Standard deviation over the mean, `s / |x̄|`; needs two values and a mean other than zero.
pub fn coefficient_of_variation(values: &[f64]) -> Option<f64> {
    let center = mean(values).filter(|mean| *mean != 0.0)?;
    sample_sd(values).map(|sd| sd / center.abs())
}

/// Geometric mean, `exp(Σ ln x / n)`; only for values above zero.
pub fn geometric_mean(values: &[f64]) -> Option<f64> {
    if values.iter().any(|x| *x <= 0.0 || x.is_nan()) {
        return None;
    }
    mean(&values.iter().map(|x| x.ln()).collect::<Vec<_>>()).map(f64::exp)
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
    let sorted = sorted(values);
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

pub(super) fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

pub(super) fn quantile_of_sorted(sorted: &[f64], p: f64) -> f64 {
    let last = sorted.len() - 1;
    let position = last as f64 * p;
    let below = (position.floor() as usize).min(last);
    let above = (below + 1).min(last);
    sorted[below] + (position - below as f64) * (sorted[above] - sorted[below])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_empty_sample_has_no_summary() {
        assert_eq!(mean(&[]), None);
        assert_eq!(median(&[]), None);
        assert_eq!(geometric_mean(&[]), None);
        assert_eq!(box_plot(&[]), None);
        assert_eq!(sample_sd(&[1.0]), None);
        assert_eq!(quantile(&[1.0], 1.5), None);
    }

    #[test]
    fn quantiles_interpolate_as_type_7_does() {
        let values = [40.0, 10.0, 30.0, 20.0];
        assert_eq!(quantile(&values, 0.25), Some(17.5));
        assert_eq!(median(&values), Some(25.0));
        assert_eq!(quantile(&values, 1.0), Some(40.0));
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
            for x in [mean(&values), median(&values), quantile(&values, p), geometric_mean(&values)].map(Option::unwrap) {
                prop_assert!(x >= plot.minimum * (1.0 - 1e-9) && x <= plot.maximum * (1.0 + 1e-9));
            }
            prop_assert!(geometric_mean(&values).unwrap() <= mean(&values).unwrap() * (1.0 + 1e-9));
        }
    }
}
