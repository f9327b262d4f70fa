//! The bias-corrected and accelerated bootstrap (Efron 1987), for any statistic of rows that can be drawn again.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::quantile::quantile_of_sorted;
use super::tails::{normal_below, normal_quantile};
use super::{Interval, is_level, sum};

/// How often the bootstrap draws again.
pub const RESAMPLES: usize = 9_999;

/// Fewer than these are too few for tails; large samples get no more.
const FEWEST: usize = 999;

/// How many values are drawn in all, at most, before resamples become fewer.
const DRAWS: usize = 100_000_000;

/// How often a sample of this size is drawn again: [`RESAMPLES`] times up to 10,000 values, 999 times from 100,000 on.
pub fn resamples(n: usize) -> usize {
    (DRAWS / n.max(1)).clamp(FEWEST, RESAMPLES)
}

/// How often, and decided by which seed, rows are drawn again.
#[derive(Debug, Clone, Copy)]
pub(super) struct Drawing {
    pub seed: u64,
    pub times: usize,
}

impl Drawing {
    pub fn of(n: usize, seed: u64) -> Drawing {
        Drawing { seed, times: resamples(n) }
    }

    /// The statistic of every resample, ascending. `None` if one has none.
    pub fn carried_out(self, mut statistic: impl FnMut(&mut Draws) -> Option<f64>) -> Option<Vec<f64>> {
        let mut draws = Draws(ChaCha8Rng::seed_from_u64(self.seed));
        let mut drawn = Vec::with_capacity(self.times);
        for _ in 0..self.times {
            drawn.push(statistic(&mut draws).filter(|value| value.is_finite())?);
        }
        drawn.sort_unstable_by(f64::total_cmp);
        Some(drawn)
    }
}

pub(super) struct Draws(ChaCha8Rng);

impl Draws {
    /// As many numbers below `n` as there are rows, with replacement.
    pub fn rows(&mut self, n: usize) -> impl Iterator<Item = usize> {
        (0..n).map(move |_| self.0.random_range(0..n))
    }
}

/// The interval from the statistic of the resamples and of the sample.
///
/// With `θ` the estimate and `θ*` its values on resamples, `z₀ = Φ⁻¹(#{θ* < θ} / B)` (equal ones count half); the ends are
/// the quantiles (type 7) of `θ*` at `Φ(z₀ + (z₀ + z) / (1 − a·(z₀ + z)))` for `z = Φ⁻¹(½ ∓ level/2)`. Where that is not defined
/// (all values alike) the plain percentiles are taken.
pub(super) fn bca(drawn: &[f64], estimate: f64, acceleration: f64, level: f64) -> Option<Interval> {
    if drawn.is_empty() || !is_level(level) {
        return None;
    }
    let bias = bias_correction(drawn, estimate);
    let end = |tail: f64| quantile_of_sorted(drawn, adjusted_tail(tail, bias, acceleration));
    Some(Interval { low: end(0.5 - level / 2.0), high: end(0.5 + level / 2.0) })
}

/// `a = Σₛ Σᵢ (dₛᵢ/nₛ)³ / (6·(Σₛ Σᵢ (dₛᵢ/nₛ)²)^{3/2})` with `dₛᵢ = (nₛ − 1)·(mean(θ₍ₛ·₎) − θ₍ₛᵢ₎)` over samples `s`, `θ₍ₛᵢ₎` being the
/// statistic without value `i` of sample `s` (Efron and Tibshirani 1993, ch. 14; several samples as SciPy takes them).
pub(super) fn acceleration(left_out: &[Vec<f64>]) -> f64 {
    let (mut squares, mut cubes) = (0.0, 0.0);
    for sample in left_out {
        let n = sample.len() as f64;
        let center = sum(sample.iter().copied()) / n;
        for value in sample {
            let influence = (n - 1.0) * (center - value) / n;
            squares += influence.powi(2);
            cubes += influence.powi(3);
        }
    }
    cubes / (6.0 * squares.powf(1.5))
}

fn bias_correction(drawn: &[f64], estimate: f64) -> f64 {
    let below = drawn.partition_point(|x| *x < estimate);
    let equal = drawn[below..].partition_point(|x| *x <= estimate);
    normal_quantile((below as f64 + equal as f64 / 2.0) / drawn.len() as f64)
}

fn adjusted_tail(tail: f64, bias: f64, acceleration: f64) -> f64 {
    let z = bias + normal_quantile(tail);
    let adjusted = normal_below(bias + z / (1.0 - acceleration * z));
    if adjusted.is_finite() { adjusted } else { tail }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_samples_are_drawn_less_often() {
        assert_eq!(
            [resamples(0), resamples(10_000), resamples(50_000), resamples(10_000_000)],
            [9_999, 9_999, 2_000, 999]
        );
    }

    #[test]
    fn without_bias_and_skew_the_ends_are_percentiles() {
        let drawn: Vec<f64> = (0..=1000).map(f64::from).collect();
        let interval = bca(&drawn, 500.0, 0.0, 0.9).unwrap();
        assert!((interval.low - 50.0).abs() < 1e-6 && (interval.high - 950.0).abs() < 1e-6, "{interval:?}");
        assert_eq!(bca(&drawn, 500.0, 0.0, 1.0), None);
        assert_eq!(bca(&[], 500.0, 0.0, 0.9), None);
    }

    #[test]
    fn symmetric_influences_do_not_accelerate() {
        assert_eq!(acceleration(&[vec![1.0, 2.0, 3.0]]), 0.0);
        assert!(acceleration(&[vec![1.0, 1.0, 4.0]]) < 0.0);
    }
}
