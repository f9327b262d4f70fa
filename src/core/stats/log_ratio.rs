//! The ratio of times from few runs: by Student's distribution on logarithms, where a bootstrap has too few pairs to draw from.
//!
//! Both intervals are of the ratio of geometric means. They are widened to the ratio of means where that lies outside, so that
//! an interval always holds the number that it is printed with.

use super::tails::student_critical;
use super::{
    Interval, columns, is_level, mean, ratio_interval, ratio_of_means, sample_sd, sound, unpaired_ratio_interval,
};

/// With fewer pairs the spread rests on a single difference, and the interval says nothing but that.
pub const FEWEST_FOR_LOG_RATIOS: usize = 3;

/// Quantities without a t interval, such as ratios of medians, have a bootstrap from here on: of five pairs there are only 126
/// different resamples.
pub const FEWEST_FOR_BOOTSTRAP: usize = 6;

/// The ratio of means has a BCa bootstrap interval from here on. With fewer pairs it excludes the true ratio too often: in
/// 14 % of the cases with 6 pairs, 10 % with 10, 7.5 % with 20. METHODOLOGY.md has the simulation.
pub const FEWEST_FOR_RATIO_BOOTSTRAP: usize = 30;

/// How an interval of a ratio was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IntervalMethod {
    LogRatioT,
    BcaBootstrap,
}

impl IntervalMethod {
    pub const ALL: [IntervalMethod; 2] = [IntervalMethod::LogRatioT, IntervalMethod::BcaBootstrap];

    /// As it is written in files.
    pub fn name(self) -> &'static str {
        match self {
            IntervalMethod::LogRatioT => "log_ratio_t",
            IntervalMethod::BcaBootstrap => "bca_bootstrap",
        }
    }

    /// As it stands beside a number.
    pub fn label(self) -> &'static str {
        match self {
            IntervalMethod::LogRatioT => "t",
            IntervalMethod::BcaBootstrap => "BCa",
        }
    }

    /// As a sentence explains it.
    pub fn explanation(self) -> &'static str {
        match self {
            IntervalMethod::LogRatioT => "t interval of the log ratios",
            IntervalMethod::BcaBootstrap => "BCa bootstrap interval",
        }
    }
}

/// An interval together with how it was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RatioInterval {
    pub interval: Interval,
    pub method: IntervalMethod,
}

/// The interval of `mean(a) / mean(b)` over pairs `(a, b)`: the t interval of the log ratios for 3 to 29 pairs, the BCa bootstrap
/// from 30 pairs on. Numbers that are not positive have no logarithm: six such pairs and more have the bootstrap, too. `None` for
/// fewer than three pairs.
pub fn paired_ratio_interval(pairs: &[(f64, f64)], level: f64, seed: u64) -> Option<RatioInterval> {
    if pairs.len() < FEWEST_FOR_RATIO_BOOTSTRAP
        && let Some(interval) = log_ratio_interval(pairs, level)
    {
        return Some(RatioInterval { interval, method: IntervalMethod::LogRatioT });
    }
    if pairs.len() < FEWEST_FOR_BOOTSTRAP {
        return None;
    }
    let interval = ratio_interval(pairs, level, seed)?;
    Some(RatioInterval { interval, method: IntervalMethod::BcaBootstrap })
}

/// The same for two independent samples; what counts is the smaller one.
pub fn independent_ratio_interval(a: &[f64], b: &[f64], level: f64, seed: u64) -> Option<RatioInterval> {
    let fewest = a.len().min(b.len());
    if fewest < FEWEST_FOR_RATIO_BOOTSTRAP
        && let Some(interval) = unpaired_log_ratio_interval(a, b, level)
    {
        return Some(RatioInterval { interval, method: IntervalMethod::LogRatioT });
    }
    if fewest < FEWEST_FOR_BOOTSTRAP {
        return None;
    }
    let interval = unpaired_ratio_interval(a, b, level, seed)?;
    Some(RatioInterval { interval, method: IntervalMethod::BcaBootstrap })
}

/// `exp(m ± t·s/√n)` with mean `m` and standard deviation `s` of `ln(a/b)` over the pairs, and `t` of Student's distribution with
/// `n − 1` degrees of freedom. Needs three pairs of positive numbers.
pub fn log_ratio_interval(pairs: &[(f64, f64)], level: f64) -> Option<Interval> {
    let (a, b) = columns(pairs).filter(|_| pairs.len() >= FEWEST_FOR_LOG_RATIOS && is_level(level))?;
    let (a, b) = (logarithms(&a)?, logarithms(&b)?);
    let ratios: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a - b).collect();
    let n = ratios.len() as f64;
    let half = student_critical(level, n - 1.0) * sample_sd(&ratios)? / n.sqrt();
    Some(exponential(mean(&ratios)?, half)?.around(ratio_of_means(pairs)?))
}

/// The same for independent samples, by Welch's t interval of the difference of the mean logarithms. Needs three positive
/// numbers in each.
pub fn unpaired_log_ratio_interval(a: &[f64], b: &[f64], level: f64) -> Option<Interval> {
    if a.len().min(b.len()) < FEWEST_FOR_LOG_RATIOS || !is_level(level) {
        return None;
    }
    let (logs_a, logs_b) = (logarithms(sound(a)?)?, logarithms(sound(b)?)?);
    let parts = [&logs_a, &logs_b].map(|logs| sample_sd(logs).map(|sd| (sd.powi(2) / logs.len() as f64, logs.len())));
    let [(of_a, n_a), (of_b, n_b)] = [parts[0]?, parts[1]?];
    let (free_a, free_b) = ((n_a - 1) as f64, (n_b - 1) as f64);
    let freedom = (of_a + of_b).powi(2) / (of_a.powi(2) / free_a + of_b.powi(2) / free_b);
    // Without any spread the formula has no value, and the width is zero whatever t is.
    let freedom = if freedom.is_finite() { freedom } else { free_a.min(free_b) };
    let half = student_critical(level, freedom) * (of_a + of_b).sqrt();
    Some(exponential(mean(&logs_a)? - mean(&logs_b)?, half)?.around(mean(a)? / mean(b)?))
}

fn logarithms(values: &[f64]) -> Option<Vec<f64>> {
    values.iter().all(|value| *value > 0.0).then(|| values.iter().map(|value| value.ln()).collect())
}

fn exponential(center: f64, half: f64) -> Option<Interval> {
    let interval = Interval { low: (center - half).exp(), high: (center + half).exp() };
    (interval.low.is_finite() && interval.high.is_finite()).then_some(interval)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// scipy.stats.t.interval(0.95, n - 1, mean, sem) of log([10/5, 11/5.2, 9.5/5.1, 10.4/4.9, 10.1/5.3]), exponentiated.
    #[test]
    fn the_ends_are_those_of_scipy() {
        let pairs = [(10.0, 5.0), (11.0, 5.2), (9.5, 5.1), (10.4, 4.9), (10.1, 5.3)];
        let interval = log_ratio_interval(&pairs, 0.95).unwrap();
        let expected = Interval { low: 1.8565924191343026, high: 2.151124958067417 };
        assert!((interval.low - expected.low).abs() < 1e-12 && (interval.high - expected.high).abs() < 1e-12);
    }

    #[test]
    fn the_method_follows_the_number_of_pairs() {
        let pairs: Vec<(f64, f64)> = (0..31).map(|i| (10.0 + f64::from(i % 3), 5.0 + f64::from(i % 4) * 0.2)).collect();
        for n in [0, 1, 2, 3, 5, 6, 10, 29, 30, 31] {
            let method = paired_ratio_interval(&pairs[..n], 0.95, 1).map(|found| found.method);
            let (a, b): (Vec<f64>, Vec<f64>) = pairs[..n].iter().copied().unzip();
            let unpaired = independent_ratio_interval(&a, &b, 0.95, 1).map(|found| found.method);
            let expected = match n {
                0..=2 => None,
                3..=29 => Some(IntervalMethod::LogRatioT),
                _ => Some(IntervalMethod::BcaBootstrap),
            };
            assert_eq!((method, unpaired), (expected, expected), "{n}");
        }
    }

    #[test]
    fn numbers_without_a_logarithm_have_a_bootstrap_from_six_pairs_on() {
        let pairs: Vec<(f64, f64)> = (0..6).map(|i| (f64::from(i), 5.0 + f64::from(i % 4) * 0.2)).collect();
        let method = |pairs: &[(f64, f64)]| paired_ratio_interval(pairs, 0.95, 1).map(|found| found.method);
        assert_eq!((method(&pairs), method(&pairs[..5])), (Some(IntervalMethod::BcaBootstrap), None));
        let (a, b): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
        let unpaired = independent_ratio_interval(&a, &b, 0.95, 1).map(|found| found.method);
        assert_eq!(unpaired, Some(IntervalMethod::BcaBootstrap));
    }

    #[test]
    fn an_interval_never_reaches_zero_and_holds_the_ratio_of_the_means() {
        let wild = [(0.01, 100.0), (100.0, 0.01), (1.0, 1.0), (90.0, 1.0)];
        let interval = log_ratio_interval(&wild, 0.95).unwrap();
        let ratio = ratio_of_means(&wild).unwrap();
        assert!(0.0 < interval.low && interval.low <= ratio && ratio <= interval.high, "{interval:?}");
        assert_eq!(log_ratio_interval(&[(1.0, 0.0), (1.0, 1.0), (1.0, 2.0)], 0.95), None);
        assert_eq!(unpaired_log_ratio_interval(&[1.0, 2.0, 0.0], &[1.0, 1.0, 1.0], 0.95), None);
        let point = log_ratio_interval(&[(4.0, 2.0); 3], 0.95).unwrap();
        assert!((point.low - 2.0).abs() < 1e-12 && (point.high - 2.0).abs() < 1e-12);
    }

    /// A binomial count of 4,000 at 0.95 is between 3,745 and 3,855 with all but certainty.
    #[test]
    fn nineteen_of_twenty_t_intervals_hold_the_true_ratio() {
        let mut random = ChaCha8Rng::seed_from_u64(14);
        let mut noise = || (0..12).map(|_| random.random_range(-0.5..0.5)).sum::<f64>() * 0.15;
        for n in [3, 4, 5, 6, 10, 29] {
            let (mut paired, mut unpaired) = (0, 0);
            for _ in 0..4000 {
                let times: Vec<(f64, f64)> = (0..n).map(|_| (30.0 * noise().exp(), 20.0 * noise().exp())).collect();
                let (a, b): (Vec<f64>, Vec<f64>) = times.iter().copied().unzip();
                let holds = |interval: Interval| usize::from(interval.low <= 1.5 && 1.5 <= interval.high);
                paired += holds(log_ratio_interval(&times, 0.95).unwrap());
                unpaired += holds(unpaired_log_ratio_interval(&a, &b, 0.95).unwrap());
            }
            assert!((3745..=3870).contains(&paired), "{paired} of 4000 with {n} pairs");
            // Welch's degrees of freedom are on the safe side for so few.
            assert!((3745..=3930).contains(&unpaired), "{unpaired} of 4000 with {n} values each");
        }
    }

    /// Without any effect, one interval in twenty may exclude 1. Of 400 intervals, 20 are expected; more than 36 are all but
    /// impossible. A bootstrap of six pairs excludes 1 in about 56.
    #[test]
    fn a_sixth_pair_does_not_make_false_answers_more_frequent() {
        let mut random = ChaCha8Rng::seed_from_u64(16);
        let mut noise = || (0..12).map(|_| random.random_range(-0.5..0.5)).sum::<f64>();
        for (n, deviation) in [(5, 0.15), (6, 0.05), (6, 0.15), (6, 0.30), (10, 0.15)] {
            let mut excluding = 0;
            for seed in 0..400 {
                let mut time = || (deviation * noise()).exp();
                let times: Vec<(f64, f64)> = (0..n).map(|_| (time(), time())).collect();
                let interval = paired_ratio_interval(&times, 0.95, seed).unwrap().interval;
                excluding += usize::from(interval.low > 1.0 || interval.high < 1.0);
            }
            assert!(excluding <= 36, "{excluding} of 400 intervals of {n} pairs exclude 1 (noise {deviation})");
        }
    }

    /// Why few pairs get no bootstrap: of 200 intervals that ought to hold the ratio 190 times, these do far less often.
    #[test]
    fn a_bootstrap_of_few_pairs_is_too_narrow() {
        let mut random = ChaCha8Rng::seed_from_u64(15);
        let mut noise = || (0..12).map(|_| random.random_range(-0.5..0.5)).sum::<f64>() * 0.15;
        let mut holding = [0; 2];
        for seed in 0..200 {
            let times: Vec<(f64, f64)> = (0..5).map(|_| (30.0 * noise().exp(), 20.0 * noise().exp())).collect();
            let holds = |interval: Interval| usize::from(interval.low <= 1.5 && 1.5 <= interval.high);
            holding[0] += holds(ratio_interval(&times, 0.95, seed).unwrap());
            holding[1] += holds(paired_ratio_interval(&times, 0.95, seed).unwrap().interval);
        }
        assert!(holding[0] < 182 && holding[1] > 182, "{holding:?} of 200");
    }
}
