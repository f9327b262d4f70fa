//! Warnings about a series of repetitions: values far from the others, and values that drift.

use super::quantile::median_in_place;
use super::ranks::Ranked;
use super::tails::{corrected_normal_p, exact_p};
use super::{Alternative, Method, box_plot, median, sound};

/// Where the outliers are: values beyond 3.5 by the modified z-score `0.6745·(x − median)/MAD` (Iglewicz and Hoaglin 1993), `MAD`
/// being the median absolute deviation. Where more than half of the values are equal, so that it is zero, Tukey's fences are
/// taken instead: 1.5 times the distance of the quartiles beyond them. Fewer than five values have none.
pub fn outliers(values: &[f64]) -> Vec<usize> {
    if values.len() < 5 || sound(values).is_none() {
        return Vec::new();
    }
    let Some(center) = median(values) else { return Vec::new() };
    let mut distances: Vec<f64> = values.iter().map(|x| (x - center).abs()).collect();
    let usual = median_in_place(&mut distances);
    let fences = box_plot(values).map(|plot| (plot.lower_whisker, plot.upper_whisker));
    let is_far = |x: f64| match fences {
        _ if usual > 0.0 => 0.6745 * (x - center).abs() / usual > 3.5,
        Some((low, high)) => x < low || x > high,
        None => false,
    };
    values.iter().enumerate().filter(|(_, x)| is_far(**x)).map(|(index, _)| index).collect()
}

/// A trend of a series over its order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drift {
    /// Kendall's τ-b of values and order: 1 if they only rise, −1 if they only fall.
    pub tau: f64,
    /// Two-sided.
    pub p: f64,
    pub method: Method,
    /// The median of the slopes between any two values (Sen 1968): by how much a value changes per repetition.
    pub slope: f64,
}

/// Up to this many values without ties all orders are counted, and slopes are taken between all pairs up to the other number.
const EXACT_UP_TO: usize = 50;
const LONGEST: usize = 2000;

/// Mann and Kendall's test for a trend (Mann 1945, Kendall 1975). With `S` the pairs that rise less those that fall: without ties
/// and up to 50 values `p` counts all orders; otherwise `z = (S ∓ 1)/σ`, `σ² = (n(n − 1)(2n + 5) − Σt(t − 1)(2t + 5))/18` over groups of
/// `t` ties. `None` below three values, beyond 2,000, for a constant series, and where a value is not finite.
pub fn drift(values: &[f64]) -> Option<Drift> {
    let values = sound(values).filter(|values| (3..=LONGEST).contains(&values.len()))?;
    let pairs = || (0..values.len()).flat_map(|i| (i + 1..values.len()).map(move |j| (i, j)));
    let (mut rising, mut falling) = (0u64, 0u64);
    for (i, j) in pairs() {
        rising += u64::from(values[j] > values[i]);
        falling += u64::from(values[j] < values[i]);
    }
    if rising + falling == 0 {
        return None;
    }
    let mut slopes: Vec<f64> = pairs().map(|(i, j)| (values[j] - values[i]) / (j - i) as f64).collect();
    let groups = Ranked::of(values).groups;
    let plain = groups.len() == values.len();
    let method = if plain && values.len() <= EXACT_UP_TO { Method::Exact } else { Method::Asymptotic };
    let score = rising as f64 - falling as f64;
    let p = match method {
        Method::Exact => inversions_p(values.len(), falling as usize),
        Method::Asymptotic => asymptotic_p(values.len() as f64, score, &groups),
    };
    let all = (values.len() * (values.len() - 1) / 2) as f64;
    let tau = score / (all * (rising + falling) as f64).sqrt();
    Some(Drift { tau, p, method, slope: median_in_place(&mut slopes) })
}

/// The share of all orders of `n` values with so few, or so many, falling pairs (inversions), both sides.
fn inversions_p(n: usize, falling: usize) -> f64 {
    let mut shares = vec![1.0];
    for length in 2..=n {
        // The next value falls behind 0 to length − 1 of the others, each as likely.
        let mut next = vec![0.0; shares.len() + length - 1];
        for (inversions, share) in shares.iter().enumerate() {
            for more in 0..length {
                next[inversions + more] += share / length as f64;
            }
        }
        shares = next;
    }
    let fewer = falling.min(shares.len() - 1 - falling);
    let tail: f64 = shares[..=fewer].iter().sum();
    exact_p(tail, 1.0, Alternative::TwoSided)
}

/// `S` moves in steps of two: half a step is one.
fn asymptotic_p(n: f64, score: f64, groups: &[u64]) -> f64 {
    let ties: f64 = groups.iter().map(|t| *t as f64).map(|t| t * (t - 1.0) * (2.0 * t + 5.0)).sum();
    let variance = (n * (n - 1.0) * (2.0 * n + 5.0) - ties) / 18.0;
    corrected_normal_p(score / 2.0, variance.sqrt() / 2.0, Alternative::TwoSided)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_value_far_away_is_found() {
        assert_eq!(outliers(&[10.0, 10.2, 9.9, 10.1, 30.0, 9.8]), [4]);
        assert!(outliers(&[10.0, 10.2, 9.9, 10.1, 10.3]).is_empty());
        assert_eq!(outliers(&[10.0, 10.0, 10.0, 10.0, 10.0, 11.0]), [5]);
        assert!(outliers(&[1.0, 1.0, 1.0, 9.0]).is_empty());
        assert!(outliers(&[1.0, 1.0, f64::NAN, 9.0, 2.0]).is_empty());
    }

    #[test]
    fn what_only_rises_drifts() {
        let up = drift(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        assert_eq!((up.tau, up.slope, up.method), (1.0, 1.0, Method::Exact));
        assert!((up.p - 2.0 / 720.0).abs() < 1e-15);
        assert!(drift(&[3.0, 1.0, 4.0, 2.0]).unwrap().p > 0.5);
    }

    #[test]
    fn a_series_that_cannot_drift_does_not() {
        assert_eq!(drift(&[1.0, 2.0]), None);
        assert_eq!(drift(&[2.0; 9]), None);
        assert_eq!(drift(&[1.0, f64::NAN, 3.0]), None);
        assert_eq!(drift(&vec![1.0; LONGEST + 1]), None);
    }

    proptest! {
        #[test]
        fn a_reversed_series_drifts_the_other_way(values in prop::collection::vec(0u8..30, 3..60)) {
            let forth: Vec<f64> = values.iter().map(|x| f64::from(*x)).collect();
            let back: Vec<f64> = forth.iter().rev().copied().collect();
            let (Some(forth), Some(back)) = (drift(&forth), drift(&back)) else { return Ok(()) };
            prop_assert_eq!((forth.tau, forth.slope), (-back.tau, -back.slope));
            prop_assert!((forth.p - back.p).abs() <= 1e-12 && forth.p <= 1.0);
        }
    }
}
