//! Straight lines through the subjects: how a configuration's time follows from the baseline's.

use std::collections::HashMap;

use serde::Serialize;

use super::costs::CostRow;
use crate::stats::{self, Regression};
use crate::store::record::RunData;

/// Times that span more than this factor are compared by their logarithms: the largest subject would decide alone otherwise.
const WIDE: f64 = 30.0;

/// Mean clean seconds of a configuration against those of the baseline, over the subjects that have both.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RegressionRow {
    pub configuration: String,
    pub cores: usize,
    pub subjects: usize,
    /// `linear`: y = intercept + slope·x; `logarithmic`: the same of the natural logarithms.
    pub form: &'static str,
    pub slope: f64,
    pub slope_low: f64,
    pub slope_high: f64,
    pub intercept: f64,
    pub r_squared: f64,
    pub p: f64,
    /// Seconds of the baseline and of the configuration.
    #[serde(skip)]
    pub points: Vec<(f64, f64)>,
}

pub(super) fn rows(run: &RunData, costs: &[CostRow]) -> Vec<RegressionRow> {
    let manifest = &run.manifest;
    let seconds: HashMap<(&str, &str, usize), f64> = costs
        .iter()
        .filter_map(|row| {
            Some(((row.subject.as_str(), row.configuration.as_str(), row.cores), row.clean_wall_seconds?))
        })
        .collect();
    let mut rows = Vec::new();
    for cores in &manifest.cores {
        for configuration in manifest.configurations.iter().filter(|c| c.name != manifest.baseline) {
            let pair = |subject: &String| {
                let of = |name: &str| seconds.get(&(subject.as_str(), name, *cores)).copied();
                Some((of(&manifest.baseline)?, of(&configuration.name)?))
            };
            rows.extend(row(&configuration.name, *cores, manifest.subjects.iter().filter_map(pair).collect()));
        }
    }
    rows
}

fn row(configuration: &str, cores: usize, points: Vec<(f64, f64)>) -> Option<RegressionRow> {
    let is_wide = is_wide(&points);
    let line = line(&points, is_wide)?;
    Some(RegressionRow {
        configuration: configuration.to_owned(),
        cores,
        subjects: points.len(),
        form: if is_wide { "logarithmic" } else { "linear" },
        slope: line.slope,
        slope_low: line.slope_interval.low,
        slope_high: line.slope_interval.high,
        intercept: line.intercept,
        r_squared: line.r_squared,
        p: line.slope_p,
        points,
    })
}

fn is_wide(points: &[(f64, f64)]) -> bool {
    let all = || points.iter().flat_map(|(x, y)| [*x, *y]);
    let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
    low > 0.0 && high / low > WIDE
}

fn line(points: &[(f64, f64)], is_wide: bool) -> Option<Regression> {
    let place = |value: f64| if is_wide { value.ln() } else { value };
    let (x, y): (Vec<f64>, Vec<f64>) = points.iter().map(|(x, y)| (place(*x), place(*y))).unzip();
    stats::regression(&x, &y)
}

/// A point of the line, and the interval of the mean around it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BandPoint {
    pub x: f64,
    pub y: f64,
    pub low: f64,
    pub high: f64,
}

impl RegressionRow {
    /// The line from the first subject to the last, with the 95 % interval of its mean: ŷ ± t·s·√(1/n + (x − x̄)²/Σ(x − x̄)²).
    pub fn band(&self) -> Vec<BandPoint> {
        let is_wide = self.form == "logarithmic";
        let Some(line) = line(&self.points, is_wide) else { return Vec::new() };
        let (place, value) = (|v: f64| if is_wide { v.ln() } else { v }, |v: f64| if is_wide { v.exp() } else { v });
        let xs: Vec<f64> = self.points.iter().map(|(x, _)| place(*x)).collect();
        let Some(center) = stats::mean(&xs) else { return Vec::new() };
        let spread: f64 = xs.iter().map(|x| (x - center).powi(2)).sum();
        let (low, high) =
            (xs.iter().copied().fold(f64::INFINITY, f64::min), xs.iter().copied().fold(f64::MIN, f64::max));
        // The slope's own interval is t·s/√Σ(x − x̄)² wide to each side.
        let reach = (line.slope_interval.high - line.slope) * spread.sqrt();
        let at = |step: u32| {
            let x = low + (high - low) * f64::from(step) / 40.0;
            let half = reach * (1.0 / xs.len() as f64 + (x - center).powi(2) / spread).sqrt();
            let y = line.at(x);
            BandPoint { x: value(x), y: value(y), low: value(y - half), high: value(y + half) }
        };
        (0..=40).map(at).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_the_time_everywhere_is_a_slope_of_a_half() {
        let near = row("c", 2, vec![(10.0, 5.0), (20.0, 10.1), (40.0, 19.9), (80.0, 40.0)]).unwrap();
        assert_eq!((near.form, near.subjects), ("linear", 4));
        assert!((near.slope - 0.5).abs() < 0.01 && near.r_squared > 0.999);
        let wide = row("c", 2, vec![(1.0, 0.5), (30.0, 15.1), (400.0, 199.0), (8000.0, 4010.0)]).unwrap();
        assert_eq!(wide.form, "logarithmic");
        assert!((wide.slope - 1.0).abs() < 0.01, "a constant factor is a slope of one: {}", wide.slope);
    }

    #[test]
    fn the_band_is_narrowest_in_the_middle() {
        let row = row("c", 2, vec![(10.0, 6.0), (20.0, 9.0), (40.0, 22.0), (80.0, 39.0)]).unwrap();
        let widths: Vec<f64> = row.band().iter().map(|point| point.high - point.low).collect();
        let narrowest = widths.iter().copied().fold(f64::INFINITY, f64::min);
        assert!(widths[0] > narrowest && widths[40] > narrowest);
    }

    #[test]
    fn two_subjects_make_no_line() {
        assert_eq!(row("c", 2, vec![(1.0, 1.0), (2.0, 2.0)]), None);
    }
}
