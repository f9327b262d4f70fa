//! Quantiles in all nine ways of Hyndman and Fan ("Sample Quantiles in Statistical Packages", 1996), under their numbers.

use super::sound;

/// How a quantile lies between the values next to it. `n` values, ascending; the position is counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum QuantileType {
    /// 1: the inverse of the empirical distribution function.
    InvertedCdf,
    /// 2: the same, averaged where it jumps.
    AveragedInvertedCdf,
    /// 3: the value nearest to position `np`, the even one of two.
    ClosestObservation,
    /// 4: interpolated at position `np`.
    InterpolatedInvertedCdf,
    /// 5: at `np + ½` (Hazen).
    Hazen,
    /// 6: at `(n + 1)p` (Weibull); the default of Minitab and SPSS.
    Weibull,
    /// 7: at `(n − 1)p + 1`; the default of R, NumPy and here.
    #[default]
    Linear,
    /// 8: at `(n + ⅓)p + ⅓`: nearly unbiased for the median of the order statistic.
    MedianUnbiased,
    /// 9: at `(n + ¼)p + ⅜`: nearly unbiased for normal values.
    NormalUnbiased,
}

impl QuantileType {
    /// In the order of their numbers, from 1.
    pub const ALL: [QuantileType; 9] = [
        QuantileType::InvertedCdf,
        QuantileType::AveragedInvertedCdf,
        QuantileType::ClosestObservation,
        QuantileType::InterpolatedInvertedCdf,
        QuantileType::Hazen,
        QuantileType::Weibull,
        QuantileType::Linear,
        QuantileType::MedianUnbiased,
        QuantileType::NormalUnbiased,
    ];

    /// By its number, 1 to 9.
    pub fn numbered(number: usize) -> Option<QuantileType> {
        QuantileType::ALL.get(number.checked_sub(1)?).copied()
    }

    /// The position counted from 1, as its whole part and how far the quantile lies towards the next value.
    fn position(self, n: f64, p: f64) -> (f64, f64) {
        match self {
            QuantileType::InvertedCdf => stepped(n * p, |whole, part| (part > 0.0, whole)),
            QuantileType::AveragedInvertedCdf => {
                let whole = (n * p).floor();
                (whole, if n * p > whole { 1.0 } else { 0.5 })
            }
            QuantileType::ClosestObservation => {
                stepped(n * p - 0.5, |whole, part| (part > 0.0 || whole.rem_euclid(2.0) == 1.0, whole))
            }
            QuantileType::InterpolatedInvertedCdf => interpolated(n, p, 0.0, 1.0),
            QuantileType::Hazen => interpolated(n, p, 0.5, 0.5),
            QuantileType::Weibull => interpolated(n, p, 0.0, 0.0),
            QuantileType::Linear => interpolated(n, p, 1.0, 1.0),
            QuantileType::MedianUnbiased => interpolated(n, p, 1.0 / 3.0, 1.0 / 3.0),
            QuantileType::NormalUnbiased => interpolated(n, p, 0.375, 0.375),
        }
    }
}

fn stepped(position: f64, rule: impl Fn(f64, f64) -> (bool, f64)) -> (f64, f64) {
    let whole = position.floor();
    let (next, whole) = rule(whole, position - whole);
    (whole, f64::from(u8::from(next)))
}

/// Position `α + p(n + 1 − α − β)`. What misses a whole number by rounding alone is that number, as in R.
fn interpolated(n: f64, p: f64, alpha: f64, beta: f64) -> (f64, f64) {
    const ROUNDING: f64 = 4.0 * f64::EPSILON;
    let position = alpha + p * (n + 1.0 - alpha - beta);
    let whole = (position + ROUNDING).floor();
    let part = position - whole;
    (whole, if part.abs() < ROUNDING { 0.0 } else { part })
}

/// Quantile of type 7: with the values sorted and `h = (n − 1)·p`, `x[⌊h⌋] + (h − ⌊h⌋)·(x[⌊h⌋ + 1] − x[⌊h⌋])`. `None` unless
/// `0 ≤ p ≤ 1`.
pub fn quantile(values: &[f64], p: f64) -> Option<f64> {
    is_share(p).then_some(())?;
    Some(quantile_of_sorted(&sorted(sound(values)?), p))
}

/// The quantile in one of the nine ways. `None` unless `0 ≤ p ≤ 1`.
pub fn quantile_of_type(values: &[f64], p: f64, kind: QuantileType) -> Option<f64> {
    is_share(p).then_some(())?;
    let sorted = sorted(sound(values)?);
    let (whole, part) = kind.position(sorted.len() as f64, p);
    let last = sorted.len() - 1;
    let at = |position: f64| sorted[(position.max(1.0) as usize - 1).min(last)];
    Some(between(at(whole), at(whole + 1.0), part))
}

/// The middle value; of an even number of values the mean of the two in the middle.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut values = sound(values)?.to_vec();
    Some(median_in_place(&mut values))
}

/// Of at least one value; leaves them in another order.
pub(super) fn median_in_place(values: &mut [f64]) -> f64 {
    let middle = values.len() / 2;
    let odd = values.len() % 2 == 1;
    let (below, upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    if odd {
        return *upper;
    }
    let lower = below.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    f64::midpoint(lower, *upper)
}

fn is_share(p: f64) -> bool {
    (0.0..=1.0).contains(&p)
}

fn between(low: f64, high: f64, part: f64) -> f64 {
    // The weighted form does not overflow, and gives equal neighbours back unchanged.
    if part == 0.0 || low == high {
        low
    } else if part == 1.0 {
        high
    } else {
        (1.0 - part) * low + part * high
    }
}

pub(super) fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// Of type 7, of at least one value.
pub(super) fn quantile_of_sorted(sorted: &[f64], p: f64) -> f64 {
    let last = sorted.len() - 1;
    let position = last as f64 * p;
    let below = (position.floor() as usize).min(last);
    between(sorted[below], sorted[(below + 1).min(last)], position - below as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn type_7_interpolates() {
        let values = [40.0, 10.0, 30.0, 20.0];
        assert_eq!(quantile(&values, 0.25), Some(17.5));
        assert_eq!(median(&values), Some(25.0));
        assert_eq!(quantile(&values, 1.0), Some(40.0));
    }

    #[test]
    fn types_have_their_numbers() {
        assert_eq!(QuantileType::numbered(7), Some(QuantileType::default()));
        assert_eq!((QuantileType::numbered(0), QuantileType::numbered(10)), (None, None));
    }

    #[test]
    fn without_values_or_outside_of_them_there_is_no_quantile() {
        for kind in QuantileType::ALL {
            assert_eq!(quantile_of_type(&[], 0.5, kind), None);
            assert_eq!(quantile_of_type(&[1.0, f64::NAN], 0.5, kind), None);
            assert_eq!(quantile_of_type(&[1.0], 1.5, kind), None);
            assert_eq!(quantile_of_type(&[1.0], f64::NAN, kind), None);
            assert_eq!(quantile_of_type(&[3.0], 0.9, kind), Some(3.0));
        }
        assert_eq!((median(&[]), quantile(&[1.0], -0.1)), (None, None));
    }

    proptest! {
        #[test]
        fn quantiles_ascend_with_p(
            values in prop::collection::vec(-1e6f64..1e6, 1..30), p in 0f64..=1.0, q in 0f64..=1.0, number in 1usize..10,
        ) {
            let kind = QuantileType::numbered(number).unwrap();
            let at = |p| quantile_of_type(&values, p, kind).unwrap();
            prop_assert!(at(p.min(q)) <= at(p.max(q)) + 1e-6);
            prop_assert!(at(0.0) == values.iter().copied().fold(f64::INFINITY, f64::min));
            prop_assert!(at(1.0) == values.iter().copied().fold(f64::NEG_INFINITY, f64::max));
            prop_assert_eq!(median(&values), quantile(&values, 0.5));
        }
    }
}
