//! Whether two columns rise and fall together.

use super::ranks::Ranked;
use super::summary::squared_deviations;
use super::tails::{normal_critical, student_two_sided};
use super::{Interval, is_level, mean, sound, sum};

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Correlation {
    /// Between −1 and 1.
    pub r: f64,
    pub n: usize,
    /// Two-sided: how often columns that have nothing to do with each other correlate as much. 1 for two rows, which always
    /// lie on a line.
    pub p: f64,
    /// From four rows on.
    pub interval: Option<Interval>,
}

/// The level of the intervals of [`pearson`] and [`spearman`].
const LEVEL: f64 = 0.95;

/// Pearson's correlation, `Σ(x − x̄)(y − ȳ) / √(Σ(x − x̄)²·Σ(y − ȳ)²)`. `p` is by Student's distribution with `n − 2` degrees of
/// freedom of `t = r·√((n − 2)/(1 − r²))`; the interval, of level 0.95, is Fisher's `tanh(atanh(r) ∓ z/√(n − 3))` (1921). `None` if
/// the columns differ in length, are shorter than two, hold what is not finite, or if one is constant.
pub fn pearson(x: &[f64], y: &[f64]) -> Option<Correlation> {
    pearson_at(x, y, LEVEL)
}

/// The same with an interval of another level.
pub fn pearson_at(x: &[f64], y: &[f64], level: f64) -> Option<Correlation> {
    let r = coefficient(x, y)?;
    Some(correlated(r, x.len(), level, 1.0))
}

/// Spearman's correlation: Pearson's of the ranks, ties sharing their mean rank. `p` is by the same `t`, an approximation (as
/// SciPy's; R counts permutations of up to nine rows without ties). The deviation on Fisher's scale is `√((1 + r²/2)/(n − 3))`
/// (Bonett and Wright 2000).
pub fn spearman(x: &[f64], y: &[f64]) -> Option<Correlation> {
    spearman_at(x, y, LEVEL)
}

/// The same with an interval of another level.
pub fn spearman_at(x: &[f64], y: &[f64], level: f64) -> Option<Correlation> {
    let ranks = |values: &[f64]| Ranked::of(values).doubled.into_iter().map(|rank| rank as f64).collect::<Vec<_>>();
    let (x, y) = (ranks(sound(x)?), ranks(sound(y)?));
    let r = coefficient(&x, &y)?;
    Some(correlated(r, x.len(), level, 1.0 + r * r / 2.0))
}

fn coefficient(x: &[f64], y: &[f64]) -> Option<f64> {
    if x.len() != y.len() || x.len() < 2 || is_constant(x) || is_constant(y) {
        return None;
    }
    let (center_x, center_y) = (mean(x)?, mean(y)?);
    let together = sum(x.iter().zip(y).map(|(x, y)| (x - center_x) * (y - center_y)));
    if x.len() == 2 {
        return Some(together.signum());
    }
    let (alone_x, alone_y) = (squared_deviations(x, center_x), squared_deviations(y, center_y));
    Some(together / alone_x.sqrt() / alone_y.sqrt()).filter(|r| r.is_finite()).map(|r| r.clamp(-1.0, 1.0))
}

/// Deviations from a rounded mean need not be zero.
pub(super) fn is_constant(values: &[f64]) -> bool {
    values.iter().all(|x| *x == values[0])
}

fn correlated(r: f64, n: usize, level: f64, inflation: f64) -> Correlation {
    let freedom = n as f64 - 2.0;
    let p = if n == 2 { 1.0 } else { student_two_sided(r * (freedom / ((1.0 - r) * (1.0 + r))).sqrt(), freedom) };
    Correlation { r, n, p, interval: fisher_interval(r, n, level, inflation) }
}

fn fisher_interval(r: f64, n: usize, level: f64, inflation: f64) -> Option<Interval> {
    if n < 4 || !is_level(level) {
        return None;
    }
    let reach = normal_critical(level) * (inflation / (n as f64 - 3.0)).sqrt();
    Some(Interval { low: (r.atanh() - reach).tanh(), high: (r.atanh() + reach).tanh() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_line_correlates_wholly() {
        let x = [1.0, 2.0, 3.0, 4.0];
        let up = pearson(&x, &[2.0, 4.0, 6.0, 8.0]).unwrap();
        assert_eq!((up.r, up.p, up.interval), (1.0, 0.0, Some(Interval { low: 1.0, high: 1.0 })));
        assert_eq!(spearman(&x, &[9.0, 3.0, 1.0, 0.0]).unwrap().r, -1.0);
        assert_eq!(pearson(&x[..2], &[5.0, 3.0]).map(|c| (c.r, c.p)), Some((-1.0, 1.0)));
    }

    #[test]
    fn what_cannot_correlate_does_not() {
        assert_eq!(pearson(&[1.0, 2.0], &[1.0]), None);
        assert_eq!(pearson(&[1.0], &[1.0]), None);
        assert_eq!(pearson(&[], &[]), None);
        assert_eq!(pearson(&[0.1, 0.1, 0.1], &[1.0, 2.0, 3.0]), None);
        assert_eq!(pearson(&[1.0, 2.0, f64::NAN], &[1.0, 2.0, 3.0]), None);
        assert_eq!(spearman(&[1.0, 2.0, f64::INFINITY], &[1.0, 2.0, 3.0]), None);
        assert_eq!(spearman(&[2.0, 2.0], &[1.0, 2.0]), None);
    }

    proptest! {
        #[test]
        fn neither_order_nor_scale_nor_place_matters(rows in prop::collection::vec((0u8..50, 0u8..50), 3..40)) {
            let (x, y): (Vec<f64>, Vec<f64>) = rows.iter().map(|(x, y)| (f64::from(*x), f64::from(*y))).unzip();
            let moved: Vec<f64> = x.iter().map(|x| 4.0 * x - 32.0).collect();
            for correlation in [pearson, spearman] {
                let Some(plain) = correlation(&x, &y) else { continue };
                prop_assert!(plain.r.abs() <= 1.0 && (0.0..=1.0).contains(&plain.p));
                prop_assert!((correlation(&y, &moved).unwrap().r - plain.r).abs() < 1e-12);
                if let Some(interval) = plain.interval {
                    prop_assert!(interval.low <= plain.r && plain.r <= interval.high);
                }
            }
        }
    }
}
