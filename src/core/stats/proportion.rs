//! Proportions, such as rates of failure: how certain one is, and whether two differ.

use std::ops::RangeInclusive;

use super::tails::normal_critical;
use super::{Alternative, Interval, is_level};

/// Tables whose cell can take more values than this are not summed up.
const LARGEST_SUPPORT: u64 = 2_000_000;

/// Wilson's score interval (1927) of `successes / trials`: `(p + z²/2n ∓ z·√(p(1 − p)/n + z²/4n²)) / (1 + z²/n)`. `None` without
/// trials, or with more successes than trials.
pub fn wilson(successes: u64, trials: u64, level: f64) -> Option<Interval> {
    if trials == 0 || successes > trials || !is_level(level) {
        return None;
    }
    let (n, z) = (trials as f64, normal_critical(level));
    let p = successes as f64 / n;
    let center = p + z * z / (2.0 * n);
    let reach = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    let end = |numerator: f64| (numerator / (1.0 + z * z / n)).clamp(0.0, 1.0);
    // At the extremes center and reach are equal but for rounding.
    let low = if successes == 0 { 0.0 } else { end(center - reach) };
    let high = if successes == trials { 1.0 } else { end(center + reach) };
    Some(Interval { low, high })
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fisher {
    pub p: f64,
    /// `ad / bc` of the table `[[a, b], [c, d]]`; infinite if only `bc` is zero, `None` if both products are.
    pub odds_ratio: Option<f64>,
}

/// Fisher's exact test of the table `[[a, b], [c, d]]`: with its margins fixed, `a` is hypergeometric. One-sided, `p` sums the
/// chances of tables with `a` or less (`less`) or `a` or more (`greater`); two-sided, those of all tables that are no likelier
/// than this one (up to a relative 10⁻⁷, as R counts). `None` for an empty table and for numbers too large to sum up.
pub fn fisher_exact(table: [[u64; 2]; 2], alternative: Alternative) -> Option<Fisher> {
    let [[a, b], [c, d]] = table;
    let (row, column) = (a.checked_add(b)?, a.checked_add(c)?);
    let all = row.checked_add(c.checked_add(d)?)?;
    let least = row.checked_add(column)?.saturating_sub(all);
    let most = row.min(column);
    if all == 0 || most - least > LARGEST_SUPPORT {
        return None;
    }
    let weights = hypergeometric_weights(all as f64, row as f64, column as f64, least..=most);
    let here = weights[(a - least) as usize] * (1.0 + 1e-7);
    let counts = |(cell, weight): &(u64, &f64)| match alternative {
        Alternative::Less => *cell <= a,
        Alternative::Greater => *cell >= a,
        Alternative::TwoSided => **weight <= here,
    };
    let counted: f64 = (least..).zip(&weights).filter(counts).map(|(_, weight)| weight).sum();
    let p = counted.abs() / weights.iter().sum::<f64>();
    Some(Fisher { p: p.min(1.0), odds_ratio: odds_ratio(table) })
}

/// The chances of every value of a hypergeometric cell, up to a common factor: from the likeliest value on by the ratios of
/// neighbours, `(r − x)(c − x) / ((x + 1)(N − r − c + x + 1))`. (statrs divides binomial coefficients, which overflow in tables
/// of a thousand.)
fn hypergeometric_weights(all: f64, row: f64, column: f64, cells: RangeInclusive<u64>) -> Vec<f64> {
    let (least, most) = (*cells.start(), *cells.end());
    let likeliest = (((row + 1.0) * (column + 1.0) / (all + 2.0)).floor() as u64).clamp(least, most);
    let growth = |cell: u64| {
        let x = cell as f64;
        (row - x) * (column - x) / ((x + 1.0) * (all - row - column + x + 1.0))
    };
    let mut weights = vec![1.0; (most - least) as usize + 1];
    for cell in likeliest..most {
        weights[(cell + 1 - least) as usize] = weights[(cell - least) as usize] * growth(cell);
    }
    for cell in (least..likeliest).rev() {
        weights[(cell - least) as usize] = weights[(cell + 1 - least) as usize] / growth(cell);
    }
    weights
}

fn odds_ratio([[a, b], [c, d]]: [[u64; 2]; 2]) -> Option<f64> {
    let (above, below) = (a as f64 * d as f64, b as f64 * c as f64);
    (above != 0.0 || below != 0.0).then_some(above / below)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_lady_tasting_tea() {
        let p = |side| fisher_exact([[3, 1], [1, 3]], side).unwrap().p;
        assert!((p(Alternative::Greater) - 17.0 / 70.0).abs() < 1e-12);
        assert!((p(Alternative::TwoSided) - 34.0 / 70.0).abs() < 1e-12);
        assert_eq!(fisher_exact([[3, 1], [1, 3]], Alternative::Less).unwrap().odds_ratio, Some(9.0));
    }

    #[test]
    fn tables_without_an_answer_have_none() {
        assert_eq!(fisher_exact([[0, 0], [0, 0]], Alternative::TwoSided), None);
        assert_eq!(fisher_exact([[u64::MAX, 1], [1, 1]], Alternative::TwoSided), None);
        assert_eq!(fisher_exact([[1 << 40, 1 << 40], [1 << 40, 1 << 40]], Alternative::TwoSided), None);
        let empty_row = fisher_exact([[0, 0], [3, 4]], Alternative::TwoSided).unwrap();
        assert_eq!((empty_row.p, empty_row.odds_ratio), (1.0, None));
        assert_eq!(fisher_exact([[2, 0], [1, 3]], Alternative::Less).unwrap().odds_ratio, Some(f64::INFINITY));
    }

    #[test]
    fn nothing_failed_does_not_mean_that_nothing_can() {
        let interval = wilson(0, 10, 0.95).unwrap();
        assert!(interval.low == 0.0 && interval.high > 0.25, "{interval:?}");
        assert_eq!(wilson(10, 10, 0.95).unwrap().high, 1.0);
        assert_eq!((wilson(0, 0, 0.95), wilson(2, 1, 0.95), wilson(1, 2, 1.0)), (None, None, None));
    }

    proptest! {
        #[test]
        fn turning_the_table_turns_the_sides(a in 0u64..15, b in 0u64..15, c in 0u64..15, d in 1u64..15) {
            let p = |table, side| fisher_exact(table, side).unwrap().p;
            let close = |x: f64, y: f64| (x - y).abs() <= 1e-9 * y;
            prop_assert!(close(p([[a, b], [c, d]], Alternative::Less), p([[c, d], [a, b]], Alternative::Greater)));
            prop_assert!(close(p([[a, b], [c, d]], Alternative::TwoSided), p([[a, c], [b, d]], Alternative::TwoSided)));
        }

        #[test]
        fn an_interval_holds_its_proportion(successes in 0u64..40, failures in 0u64..40, level in 0.5f64..0.999) {
            prop_assume!(successes + failures > 0);
            let interval = wilson(successes, successes + failures, level).unwrap();
            let share = successes as f64 / (successes + failures) as f64;
            prop_assert!(interval.low <= share && share <= interval.high && interval.low >= 0.0 && interval.high <= 1.0);
        }
    }
}
