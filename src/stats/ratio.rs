//! The ratio of two means, and how far it can be trusted.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use statrs::distribution::{ContinuousCDF, Normal};

use super::mean;
use super::summary::quantile_of_sorted;

/// How often the bootstrap draws again.
pub const RESAMPLES: usize = 9_999;

/// A confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

/// `mean(a) / mean(b)` over pairs `(a, b)`; `None` without pairs, or if the second mean is not above zero.
pub fn ratio_of_means(pairs: &[(f64, f64)]) -> Option<f64> {
    if pairs.is_empty() {
        return None;
    }
    let (a, b) = pairs.iter().fold((0.0, 0.0), |(a, b), pair| (a + pair.0, b + pair.1));
    (b > 0.0).then_some(a / b)
}

/// Interval of the ratio of means by the bias-corrected and accelerated bootstrap (Efron 1987) over whole pairs.
///
/// With `θ` the ratio, `θ*` its value on pairs drawn again with replacement and `θ₍ᵢ₎` its value without pair `i`:
/// `z₀ = Φ⁻¹(#{θ* < θ} / B)` (equal ones count half), `a = Σdᵢ³ / (6·(Σdᵢ²)^{3/2})` with `dᵢ = mean(θ₍·₎) − θ₍ᵢ₎`; the ends
/// are the quantiles of `θ*` at `Φ(z₀ + (z₀ + z) / (1 − a·(z₀ + z)))` for `z = Φ⁻¹(½ ∓ level/2)`. Where that is not
/// defined (all values alike) the plain percentiles are taken. The seed alone decides the draws. Needs two pairs.
pub fn ratio_interval(pairs: &[(f64, f64)], level: f64, seed: u64) -> Option<Interval> {
    if pairs.len() < 2 || !(0.0..1.0).contains(&level) {
        return None;
    }
    let estimate = ratio_of_means(pairs)?;
    let drawn = resampled_ratios(pairs, seed)?;
    let tails = [0.5 - level / 2.0, 0.5 + level / 2.0];
    let bias = bias_correction(&drawn, estimate);
    let acceleration = acceleration(pairs)?;
    let [low, high] = tails.map(|tail| quantile_of_sorted(&drawn, adjusted_tail(tail, bias, acceleration)));
    Some(Interval { low, high })
}

/// Ascending. `None` if the second values can sum to nothing.
fn resampled_ratios(pairs: &[(f64, f64)], seed: u64) -> Option<Vec<f64>> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut drawn = Vec::with_capacity(RESAMPLES);
    for _ in 0..RESAMPLES {
        let (mut a, mut b) = (0.0, 0.0);
        for _ in 0..pairs.len() {
            let pair = pairs[random.random_range(0..pairs.len())];
            a += pair.0;
            b += pair.1;
        }
        drawn.push((b > 0.0).then_some(a / b)?);
    }
    drawn.sort_by(f64::total_cmp);
    Some(drawn)
}

fn bias_correction(drawn: &[f64], estimate: f64) -> f64 {
    let below = drawn.iter().filter(|x| **x < estimate).count() as f64;
    let equal = drawn.iter().filter(|x| **x == estimate).count() as f64;
    Normal::standard().inverse_cdf((below + equal / 2.0) / drawn.len() as f64)
}

fn acceleration(pairs: &[(f64, f64)]) -> Option<f64> {
    let (a, b) = pairs.iter().fold((0.0, 0.0), |(a, b), pair| (a + pair.0, b + pair.1));
    let left_out: Vec<f64> = pairs.iter().map(|pair| (a - pair.0) / (b - pair.1)).collect();
    let center = mean(&left_out)?;
    let squares: f64 = left_out.iter().map(|x| (center - x).powi(2)).sum();
    let cubes: f64 = left_out.iter().map(|x| (center - x).powi(3)).sum();
    Some(cubes / (6.0 * squares.powf(1.5)))
}

fn adjusted_tail(tail: f64, bias: f64, acceleration: f64) -> f64 {
    let normal = Normal::standard();
    let z = bias + normal.inverse_cdf(tail);
    let adjusted = normal.cdf(bias + z / (1.0 - acceleration * z));
    if adjusted.is_finite() { adjusted } else { tail }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAIRS: [(f64, f64); 6] = [(10.0, 5.0), (11.0, 5.2), (9.5, 5.1), (10.4, 4.9), (10.1, 5.3), (9.9, 5.0)];

    #[test]
    fn the_ratio_is_that_of_the_means() {
        assert_eq!(ratio_of_means(&[(2.0, 1.0), (4.0, 5.0)]), Some(1.0));
        assert_eq!(ratio_of_means(&[]), None);
        assert_eq!(ratio_of_means(&[(1.0, 0.0)]), None);
    }

    #[test]
    fn the_interval_holds_the_ratio_and_repeats_with_its_seed() {
        let interval = ratio_interval(&PAIRS, 0.95, 7).unwrap();
        let ratio = ratio_of_means(&PAIRS).unwrap();
        assert!(interval.low < ratio && ratio < interval.high, "{interval:?} {ratio}");
        assert_eq!(ratio_interval(&PAIRS, 0.95, 7), Some(interval));
        let wider = ratio_interval(&PAIRS, 0.99, 7).unwrap();
        assert!(wider.low < interval.low && wider.high > interval.high);
    }

    #[test]
    fn without_spread_the_interval_is_a_point() {
        assert_eq!(ratio_interval(&[(4.0, 2.0); 3], 0.95, 1), Some(Interval { low: 2.0, high: 2.0 }));
        assert_eq!(ratio_interval(&[(4.0, 2.0)], 0.95, 1), None);
    }

    /// Draws many samples of a known ratio and counts how often the interval holds it.
    #[test]
    fn about_nineteen_of_twenty_intervals_hold_the_true_ratio() {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        let mut holding = 0;
        for seed in 0..60 {
            let noise = |random: &mut ChaCha8Rng| (0..6).map(|_| random.random_range(-0.1..0.1)).sum::<f64>();
            let pairs: Vec<_> = (0..15).map(|_| (10.0 + noise(&mut random), 5.0 + noise(&mut random))).collect();
            let interval = ratio_interval(&pairs, 0.95, seed).unwrap();
            holding += usize::from(interval.low <= 2.0 && 2.0 <= interval.high);
        }
        assert!((50..=60).contains(&holding), "{holding} of 60");
    }
}
