//! From columns to one number, with the range that the rounding of the rows allows.

use super::value::{Inclusion, Names};
use crate::stats;
use crate::study::range::Range;

/// Longer lists of doubtful rows are not tried row by row.
const MOST_STEPS: usize = 100;
/// With more pairs, single roundings matter no more.
const MOST_PAIRS: usize = 500;

/// A row's number and whether the row is part of the selection.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    pub key: String,
    pub range: Range,
    pub inclusion: Inclusion,
}

/// By a function that no larger number makes smaller: its extremes are those of all low and of all high numbers, over every
/// selection that can be meant.
pub fn rising(samples: &[Sample], f: impl Fn(&[f64]) -> Option<f64>) -> Option<Range> {
    let value = f(&inside(samples))?;
    let corners = selections(samples).into_iter().flat_map(|selection| {
        let low: Vec<f64> = selection.iter().map(|range| range.low).collect();
        let high: Vec<f64> = selection.iter().map(|range| range.high).collect();
        [f(&low), f(&high)]
    });
    Some(Range::spanning(value, corners.flatten()))
}

/// The printed numbers of those that belong to the selection.
pub fn inside(samples: &[Sample]) -> Vec<f64> {
    samples.iter().filter(|sample| sample.inclusion.is_inside()).map(|sample| sample.range.value).collect()
}

/// The sure ones together with none, some or all of the doubtful: taken from the smallest on and from the largest on, which
/// is where means, sums and quantiles have their extremes.
fn selections(samples: &[Sample]) -> Vec<Vec<Range>> {
    let (sure, mut doubtful): (Vec<&Sample>, Vec<&Sample>) =
        samples.iter().partition(|sample| sample.inclusion == Inclusion::Sure);
    doubtful.sort_by(|a, b| a.range.value.total_cmp(&b.range.value));
    let with = |some: &[&Sample]| sure.iter().chain(some).map(|sample| sample.range).collect::<Vec<_>>();
    let stride = (doubtful.len() / MOST_STEPS).max(1);
    (0..doubtful.len())
        .step_by(stride)
        .chain([doubtful.len()])
        .flat_map(|taken| [with(&doubtful[..taken]), with(&doubtful[doubtful.len() - taken..])])
        .collect()
}

pub fn count(inclusions: &[Inclusion]) -> Range {
    let number =
        |wanted: fn(Inclusion) -> bool| inclusions.iter().filter(|inclusion| wanted(**inclusion)).count() as f64;
    Range {
        low: number(|inclusion| inclusion == Inclusion::Sure),
        value: number(Inclusion::is_inside),
        high: inclusions.len() as f64,
    }
}

/// The spread moves by no more than the length of all roundings together: `|sd(x + e) − sd(x)| ≤ √(Σe² / (n − 1))`.
pub fn spread(samples: &[Sample]) -> Option<Range> {
    let value = stats::sample_sd(&inside(samples))?;
    let slacks = samples.iter().filter(|sample| sample.inclusion.is_inside()).map(|sample| slack(sample.range));
    let slacks: Vec<f64> = slacks.collect();
    let most = (slacks.iter().map(|slack| slack * slack).sum::<f64>() / (slacks.len() as f64 - 1.0)).sqrt();
    Some(Range { low: (value - most).max(0.0), value, high: value + most })
}

fn slack(range: Range) -> f64 {
    (range.high - range.value).max(range.value - range.low)
}

/// By any function of pairs: each number is moved to its ends alone, and what that changes is added up. For functions that
/// are not straight this is an estimate.
pub fn bending(pairs: &[(Range, Range)], f: impl Fn(&[f64], &[f64]) -> Option<f64>) -> Option<Range> {
    let (mut x, mut y): (Vec<f64>, Vec<f64>) = pairs.iter().map(|(a, b)| (a.value, b.value)).unzip();
    let value = f(&x, &y)?;
    if pairs.len() > MOST_PAIRS {
        return Some(Range::exact(value));
    }
    let (mut down, mut up) = (0.0, 0.0);
    for index in 0..pairs.len() {
        for is_first in [true, false] {
            let range = if is_first { pairs[index].0 } else { pairs[index].1 };
            if range.is_exact() {
                continue;
            }
            let mut moved = [range.low, range.high].map(|end| {
                if is_first {
                    x[index] = end
                } else {
                    y[index] = end
                }
                f(&x, &y).map_or(0.0, |result| result - value)
            });
            if is_first {
                x[index] = range.value
            } else {
                y[index] = range.value
            }
            moved.sort_by(f64::total_cmp);
            down += moved[0].min(0.0);
            up += moved[1].max(0.0);
        }
    }
    Some(Range { low: value + down, value, high: value + up })
}

/// The names of the largest, all of them where several are printed alike. For the smallest, negate.
pub fn largest(samples: &[Sample]) -> Option<Names> {
    let listed: Vec<&Sample> = samples.iter().filter(|sample| sample.inclusion.is_inside()).collect();
    let top = listed.iter().map(|sample| sample.range.value).max_by(f64::total_cmp)?;
    let floor = samples
        .iter()
        .filter(|sample| sample.inclusion == Inclusion::Sure)
        .map(|sample| sample.range.low)
        .fold(f64::NEG_INFINITY, f64::max);
    let possible: Vec<String> =
        samples.iter().filter(|sample| sample.range.high >= floor).map(|sample| sample.key.clone()).collect();
    Some(Names {
        listed: listed.iter().filter(|sample| sample.range.value == top).map(|sample| sample.key.clone()).collect(),
        certain: if possible.len() == 1 { possible.clone() } else { Vec::new() },
        possible,
    })
}
