//! The ratio of two means or of two medians, and how far it can be trusted, by the bootstrap. `fieller` has the other way.

use super::bootstrap::{Drawing, acceleration, bca};
use super::quantile::{median_in_place, sorted};
use super::{Interval, columns, is_level, mean, median, sound, sum};

/// `mean(a) / mean(b)` over pairs `(a, b)`; `None` without pairs, or if the second mean is zero.
pub fn ratio_of_means(pairs: &[(f64, f64)]) -> Option<f64> {
    let (a, b) = columns(pairs)?;
    quotient(mean(&a)?, mean(&b)?)
}

/// `median(a) / median(b)` over pairs `(a, b)`; `None` without pairs, or if the second median is zero.
pub fn ratio_of_medians(pairs: &[(f64, f64)]) -> Option<f64> {
    let (a, b) = columns(pairs)?;
    quotient(median(&a)?, median(&b)?)
}

/// Interval of the ratio of means by the BCa bootstrap over whole pairs; the seed alone decides the draws. Needs two pairs,
/// and second values whose mean no draw brings to zero or to the other sign.
pub fn ratio_interval(pairs: &[(f64, f64)], level: f64, seed: u64) -> Option<Interval> {
    paired(pairs, Center::Mean, level, Drawing::of(pairs.len(), seed))
}

/// The same for the ratio of medians.
pub fn ratio_of_medians_interval(pairs: &[(f64, f64)], level: f64, seed: u64) -> Option<Interval> {
    paired(pairs, Center::Median, level, Drawing::of(pairs.len(), seed))
}

/// Interval of the ratio of means of two independent samples, each drawn by itself; they need two values each.
pub fn unpaired_ratio_interval(a: &[f64], b: &[f64], level: f64, seed: u64) -> Option<Interval> {
    unpaired(a, b, Center::Mean, level, Drawing::of(a.len().max(b.len()), seed))
}

/// The same for the ratio of medians.
pub fn unpaired_ratio_of_medians_interval(a: &[f64], b: &[f64], level: f64, seed: u64) -> Option<Interval> {
    unpaired(a, b, Center::Median, level, Drawing::of(a.len().max(b.len()), seed))
}

fn paired(pairs: &[(f64, f64)], center: Center, level: f64, drawing: Drawing) -> Option<Interval> {
    let (a, b) = columns(pairs).filter(|_| pairs.len() > 1 && is_level(level))?;
    let (mut above, mut below) = (a.clone(), b.clone());
    let whole = center.of(&mut below);
    let estimate = quotient(center.of(&mut above), whole)?;
    let drawn = drawing.carried_out(|draws| {
        for (place, row) in draws.rows(a.len()).enumerate() {
            (above[place], below[place]) = (a[row], b[row]);
        }
        center.quotient(&mut above, &mut below, whole)
    })?;
    let left_out = center.without_each(&a).into_iter().zip(center.without_each(&b)).map(|(a, b)| a / b).collect();
    let told = center.told(&a, &b)?;
    bca(&drawn, estimate, acceleration(&[left_out]), level).map(|interval| interval.around(told))
}

fn unpaired(a: &[f64], b: &[f64], center: Center, level: f64, drawing: Drawing) -> Option<Interval> {
    let (a, b) = (sound(a)?, sound(b)?);
    if a.len() < 2 || b.len() < 2 || !is_level(level) {
        return None;
    }
    let (mut above, mut below) = (a.to_vec(), b.to_vec());
    let (whole_a, whole_b) = (center.of(&mut above), center.of(&mut below));
    let estimate = quotient(whole_a, whole_b)?;
    let drawn = drawing.carried_out(|draws| {
        draws.rows(a.len()).zip(&mut above).for_each(|(row, place)| *place = a[row]);
        draws.rows(b.len()).zip(&mut below).for_each(|(row, place)| *place = b[row]);
        center.quotient(&mut above, &mut below, whole_b)
    })?;
    let without_a = center.without_each(a).into_iter().map(|x| x / whole_b).collect();
    let without_b = center.without_each(b).into_iter().map(|x| whole_a / x).collect();
    let told = center.told(a, b)?;
    bca(&drawn, estimate, acceleration(&[without_a, without_b]), level).map(|interval| interval.around(told))
}

/// What a sample is summarised by, of at least one value.
#[derive(Debug, Clone, Copy)]
enum Center {
    Mean,
    Median,
}

impl Center {
    /// May leave the values in another order.
    fn of(self, values: &mut [f64]) -> f64 {
        match self {
            Center::Mean => values.iter().sum::<f64>() / values.len() as f64,
            Center::Median => median_in_place(values),
        }
    }

    /// The ratio as it is told, whose sums are rounded less than those of the resamples.
    fn told(self, a: &[f64], b: &[f64]) -> Option<f64> {
        match self {
            Center::Mean => quotient(mean(a)?, mean(b)?),
            Center::Median => quotient(median(a)?, median(b)?),
        }
    }

    /// Without the first value, without the second, and so on; of at least two values.
    fn without_each(self, values: &[f64]) -> Vec<f64> {
        match self {
            Center::Mean => {
                let (all, left) = (sum(values.iter().copied()), (values.len() - 1) as f64);
                values.iter().map(|x| (all - x) / left).collect()
            }
            Center::Median => medians_without_each(values),
        }
    }

    fn quotient(self, above: &mut [f64], below: &mut [f64], whole: f64) -> Option<f64> {
        let divisor = self.of(below);
        of_one_sign(divisor, whole)?;
        quotient(self.of(above), divisor)
    }
}

fn quotient(above: f64, below: f64) -> Option<f64> {
    (below != 0.0).then(|| above / below).filter(|ratio| ratio.is_finite())
}

/// A ratio whose divisor may cross zero has no interval that is one piece.
fn of_one_sign(drawn: f64, whole: f64) -> Option<()> {
    (drawn != 0.0 && drawn.is_sign_positive() == whole.is_sign_positive()).then_some(())
}

/// The median without the first value, without the second, and so on; of at least two values.
fn medians_without_each(values: &[f64]) -> Vec<f64> {
    let sorted = sorted(values);
    let left = values.len() - 1;
    values
        .iter()
        .map(|value| {
            let gone = sorted.partition_point(|x| x < value);
            let at = |index: usize| sorted[if index < gone { index } else { index + 1 }];
            f64::midpoint(at((left - 1) / 2), at(left / 2))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    const PAIRS: [(f64, f64); 6] = [(10.0, 5.0), (11.0, 5.2), (9.5, 5.1), (10.4, 4.9), (10.1, 5.3), (9.9, 5.0)];

    #[test]
    fn the_ratio_is_that_of_the_means_or_medians() {
        assert_eq!(ratio_of_means(&[(2.0, 1.0), (4.0, 5.0)]), Some(1.0));
        assert_eq!(ratio_of_medians(&[(2.0, 1.0), (4.0, 5.0), (9.0, 2.0)]), Some(2.0));
        assert_eq!(ratio_of_means(&[]), None);
        assert_eq!(ratio_of_means(&[(1.0, 0.0)]), None);
        assert_eq!(ratio_of_medians(&[(1.0, f64::NAN)]), None);
    }

    #[test]
    fn times_that_never_vary_have_an_interval_that_holds_them() {
        for n in 2..12 {
            let pairs = vec![(0.1 * f64::from(n), 0.3); n as usize];
            let (interval, ratio) = (ratio_interval(&pairs, 0.95, 1).unwrap(), ratio_of_means(&pairs).unwrap());
            assert!(interval.low <= ratio && ratio <= interval.high, "{n}: {interval:?} {ratio}");
        }
    }

    #[test]
    fn the_interval_holds_the_ratio_and_repeats_with_its_seed() {
        for (interval_of, ratio_of) in [
            (ratio_interval as fn(&[(f64, f64)], f64, u64) -> Option<Interval>, ratio_of_means as fn(&[_]) -> _),
            (ratio_of_medians_interval, ratio_of_medians),
        ] {
            let interval = interval_of(&PAIRS, 0.95, 7).unwrap();
            let ratio: f64 = ratio_of(&PAIRS).unwrap();
            assert!(interval.low < ratio && ratio < interval.high, "{interval:?} {ratio}");
            assert_eq!(interval_of(&PAIRS, 0.95, 7), Some(interval));
            let wider = interval_of(&PAIRS, 0.99, 7).unwrap();
            assert!(wider.low <= interval.low && wider.high >= interval.high);
        }
    }

    #[test]
    fn without_spread_the_interval_is_a_point() {
        let point = Some(Interval { low: 2.0, high: 2.0 });
        assert_eq!(ratio_interval(&[(4.0, 2.0); 3], 0.95, 1), point);
        assert_eq!(ratio_of_medians_interval(&[(4.0, 2.0); 3], 0.95, 1), point);
        assert_eq!(unpaired_ratio_interval(&[4.0; 3], &[2.0; 4], 0.95, 1), point);
        assert_eq!(unpaired_ratio_of_medians_interval(&[4.0; 3], &[2.0; 4], 0.95, 1), point);
        assert_eq!(ratio_interval(&[(4.0, 2.0)], 0.95, 1), None);
    }

    #[test]
    fn a_divisor_around_zero_has_no_interval() {
        let pairs = [(1.0, -1.0), (2.0, 3.0), (1.5, -0.5), (2.5, 1.0)];
        assert!(ratio_of_means(&pairs).is_some());
        assert_eq!(ratio_interval(&pairs, 0.95, 1), None);
        assert_eq!(unpaired_ratio_interval(&[1.0, 2.0], &[-1.0, 2.0], 0.95, 1), None);
    }

    /// Draws many samples of a known ratio and counts how often the interval holds it: a binomial count of 400 at 0.95
    /// is between 358 and 396 with all but certainty, allowing for two points that the bootstrap of 15 rows is short of.
    #[test]
    fn about_nineteen_of_twenty_intervals_hold_the_true_ratio() {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        let mut holding = [0; 3];
        for seed in 0..400 {
            let noise = |random: &mut ChaCha8Rng| (0..6).map(|_| random.random_range(-0.5..0.5)).sum::<f64>();
            let pairs: Vec<_> = (0..15).map(|_| (10.0 + noise(&mut random), 5.0 + noise(&mut random))).collect();
            let (a, b): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
            let drawing = Drawing { seed, times: 399 };
            let intervals = [
                paired(&pairs, Center::Mean, 0.95, drawing),
                paired(&pairs, Center::Median, 0.95, drawing),
                unpaired(&a, &b, Center::Mean, 0.95, drawing),
            ];
            for (count, interval) in holding.iter_mut().zip(intervals.map(Option::unwrap)) {
                *count += usize::from(interval.low <= 2.0 && 2.0 <= interval.high);
            }
        }
        assert!(holding.iter().all(|count| (358..=396).contains(count)), "{holding:?} of 400");
    }

    proptest! {
        #[test]
        fn a_median_without_a_value_is_that_of_the_others(values in prop::collection::vec(0u8..9, 2..20)) {
            let values: Vec<f64> = values.into_iter().map(f64::from).collect();
            for (index, found) in medians_without_each(&values).into_iter().enumerate() {
                let mut others = values.clone();
                others.remove(index);
                prop_assert_eq!(median(&others), Some(found));
            }
        }

        #[test]
        fn a_scaled_sample_scales_its_ratio(seed in 0u64..50, times in 20usize..99) {
            let scaled: Vec<_> = PAIRS.iter().map(|(a, b)| (a * 4.0, *b)).collect();
            let [plain, scaled] = [&PAIRS[..], &scaled]
                .map(|pairs| paired(pairs, Center::Mean, 0.9, Drawing { seed, times }).unwrap());
            prop_assert!((scaled.low - 4.0 * plain.low).abs() < 1e-9 && (scaled.high - 4.0 * plain.high).abs() < 1e-9);
        }
    }
}
