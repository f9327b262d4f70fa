//! How far apart two ratios of means are that come from independent sets of pairs: two speedups, each of its own run.

use super::bootstrap::{Drawing, acceleration, bca};
use super::{Interval, is_level, ratio_of_means};

/// Interval of `ratio(b) − ratio(a)` by the BCa bootstrap, with `ratio` that of [`ratio_of_means`]; each set is drawn by
/// itself. They need two pairs each.
pub fn difference_of_ratios_interval(a: &[(f64, f64)], b: &[(f64, f64)], level: f64, seed: u64) -> Option<Interval> {
    if a.len() < 2 || b.len() < 2 || !is_level(level) {
        return None;
    }
    let (of_a, of_b) = (ratio_of_means(a)?, ratio_of_means(b)?);
    let drawn = Drawing::of(a.len().max(b.len()), seed).carried_out(|draws| {
        let of_a = ratio_of_rows(a, draws.rows(a.len()))?;
        Some(ratio_of_rows(b, draws.rows(b.len()))? - of_a)
    })?;
    let without = |pairs: &[(f64, f64)]| -> Option<Vec<f64>> {
        let but = |left_out: usize| (0..pairs.len()).filter(move |row| *row != left_out);
        (0..pairs.len()).map(|left_out| ratio_of_rows(pairs, but(left_out))).collect()
    };
    let of_a_without = without(a)?.into_iter().map(|ratio| of_b - ratio).collect();
    let of_b_without = without(b)?.into_iter().map(|ratio| ratio - of_a).collect();
    bca(&drawn, of_b - of_a, acceleration(&[of_a_without, of_b_without]), level)
}

fn ratio_of_rows(pairs: &[(f64, f64)], rows: impl Iterator<Item = usize>) -> Option<f64> {
    let (above, below) = rows.fold((0.0, 0.0), |(above, below), row| (above + pairs[row].0, below + pairs[row].1));
    (below > 0.0).then_some(above / below)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(baseline: f64, candidate: f64) -> Vec<(f64, f64)> {
        (0..8).map(|i| (baseline + f64::from(i % 3) * 0.1, candidate + f64::from(i % 4) * 0.05)).collect()
    }

    #[test]
    fn the_interval_holds_the_difference_and_turns_around_with_the_sets() {
        let (slow, fast) = (pairs(10.0, 8.0), pairs(10.0, 4.0));
        let difference = ratio_of_means(&fast).unwrap() - ratio_of_means(&slow).unwrap();
        let interval = difference_of_ratios_interval(&slow, &fast, 0.95, 7).unwrap();
        assert!(interval.low < difference && difference < interval.high && interval.low > 0.0, "{interval:?}");
        let back = difference_of_ratios_interval(&fast, &slow, 0.95, 7).unwrap();
        assert!(back.high < 0.0);
    }

    #[test]
    fn equal_sets_do_not_differ() {
        let same = pairs(10.0, 5.0);
        let interval = difference_of_ratios_interval(&same, &same, 0.95, 7).unwrap();
        assert!(interval.low < 0.0 && interval.high > 0.0, "{interval:?}");
        assert_eq!(difference_of_ratios_interval(&same[..1], &same, 0.95, 7), None);
        assert_eq!(difference_of_ratios_interval(&same, &same, 1.0, 7), None);
    }
}
