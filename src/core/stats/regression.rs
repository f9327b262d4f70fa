//! A straight line through points, by least squares.

use super::correlation::is_constant;
use super::summary::squared_deviations;
use super::tails::{student_critical, student_two_sided};
use super::{Interval, mean, sound, sum};

/// `y = intercept + slope·x`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Regression {
    pub slope: f64,
    pub intercept: f64,
    /// The share of the variance of `y` that the line explains.
    pub r_squared: f64,
    /// Standard errors.
    pub slope_error: f64,
    pub intercept_error: f64,
    /// Two-sided, that the slope is not zero; that the intercept is not zero.
    pub slope_p: f64,
    pub intercept_p: f64,
    /// Of level 0.95.
    pub slope_interval: Interval,
    pub intercept_interval: Interval,
    /// Standard deviation of the residuals, with `n − 2` degrees of freedom.
    pub residual_sd: f64,
    pub n: usize,
}

const LEVEL: f64 = 0.95;

/// Simple linear regression: `slope = Σ(x − x̄)(y − ȳ)/Σ(x − x̄)²`; with `s² = Σ(y − ŷ)²/(n − 2)` the errors are `s/√Σ(x − x̄)²` of the
/// slope and `s·√(1/n + x̄²/Σ(x − x̄)²)` of the intercept; p-values and intervals by Student's distribution with `n − 2` degrees of
/// freedom. `None` below three points, without any spread of `x`, or if the columns differ in length or hold what is not finite.
pub fn regression(x: &[f64], y: &[f64]) -> Option<Regression> {
    let (x, y) = (sound(x)?, sound(y)?);
    if x.len() != y.len() || x.len() < 3 || is_constant(x) {
        return None;
    }
    let (center_x, center_y) = (mean(x)?, mean(y)?);
    let spread_x = squared_deviations(x, center_x);
    let slope = sum(x.iter().zip(y).map(|(x, y)| (x - center_x) * (y - center_y))) / spread_x;
    let intercept = center_y - slope * center_x;
    let residuals = sum(x.iter().zip(y).map(|(x, y)| (y - center_y - slope * (x - center_x)).powi(2)));
    let n = x.len() as f64;
    let residual_sd = (residuals / (n - 2.0)).sqrt();
    let slope_error = residual_sd / spread_x.sqrt();
    let intercept_error = residual_sd * (1.0 / n + center_x * center_x / spread_x).sqrt();
    let line = Regression {
        slope,
        intercept,
        r_squared: explained(residuals, squared_deviations(y, center_y)),
        slope_error,
        intercept_error,
        slope_p: p(slope, slope_error, n - 2.0),
        intercept_p: p(intercept, intercept_error, n - 2.0),
        slope_interval: around(slope, slope_error, n - 2.0),
        intercept_interval: around(intercept, intercept_error, n - 2.0),
        residual_sd,
        n: x.len(),
    };
    let made_of = [spread_x, line.slope, line.intercept, line.slope_error, line.intercept_error];
    made_of.iter().all(|x| x.is_finite()).then_some(line)
}

/// Of a constant `y` nothing is left to explain.
fn explained(residuals: f64, spread: f64) -> f64 {
    if spread == 0.0 { 0.0 } else { (1.0 - residuals / spread).clamp(0.0, 1.0) }
}

fn p(estimate: f64, error: f64, freedom: f64) -> f64 {
    if estimate == 0.0 { 1.0 } else { student_two_sided(estimate / error, freedom) }
}

fn around(estimate: f64, error: f64, freedom: f64) -> Interval {
    let reach = student_critical(LEVEL, freedom) * error;
    Interval { low: estimate - reach, high: estimate + reach }
}

impl Regression {
    /// The line at `x`.
    pub fn at(&self, x: f64) -> f64 {
        self.intercept + self.slope * x
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn points_on_a_line_give_the_line() {
        let line = regression(&[1.0, 2.0, 3.0], &[5.0, 7.0, 9.0]).unwrap();
        assert_eq!((line.slope, line.intercept, line.r_squared, line.slope_p), (2.0, 3.0, 1.0, 0.0));
        assert_eq!(line.at(10.0), 23.0);
        let flat = regression(&[1.0, 2.0, 3.0], &[5.0, 5.0, 5.0]).unwrap();
        assert_eq!((flat.slope, flat.r_squared, flat.slope_p), (0.0, 0.0, 1.0));
    }

    #[test]
    fn without_spread_or_points_there_is_no_line() {
        assert_eq!(regression(&[1.0, 1.0, 1.0], &[1.0, 2.0, 3.0]), None);
        assert_eq!(regression(&[1.0, 2.0], &[1.0, 2.0]), None);
        assert_eq!(regression(&[1.0, 2.0, f64::NAN], &[1.0, 2.0, 3.0]), None);
        assert_eq!(regression(&[1.0, 2.0, 3.0], &[1.0, 2.0]), None);
        assert_eq!(regression(&[1e300, 2e300, -3e300], &[1.0, 2.0, 4.0]), None);
    }

    proptest! {
        #[test]
        fn a_moved_cloud_moves_its_line(rows in prop::collection::vec((0u8..50, 0u8..50), 3..40), by in 0u8..9) {
            let (x, y): (Vec<f64>, Vec<f64>) = rows.iter().map(|(x, y)| (f64::from(*x), f64::from(*y))).unzip();
            let raised: Vec<f64> = y.iter().map(|y| y + f64::from(by)).collect();
            let (Some(line), Some(raised)) = (regression(&x, &y), regression(&x, &raised)) else { return Ok(()) };
            prop_assert!((line.slope - raised.slope).abs() < 1e-9);
            prop_assert!((line.intercept + f64::from(by) - raised.intercept).abs() < 1e-9);
            prop_assert!((0.0..=1.0).contains(&line.r_squared) && (0.0..=1.0).contains(&line.slope_p));
        }
    }
}
