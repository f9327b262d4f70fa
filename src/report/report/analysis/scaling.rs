//! One configuration against itself on its fewest cores. This is not a speedup over the baseline.

use std::collections::BTreeMap;

use serde::Serialize;

use super::grid::{CellKey, Grid, clean_times, same_origins};
use crate::stats::speed_judgement::{Design, FEWEST_PAIRS, ObservedConcurrency, SpeedJudgement, compare_samples};
use crate::stats::{self, AmdahlFit};
use crate::store::record::RunData;
use crate::wording::plural;

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ScalingRow {
    pub subject: String,
    pub configuration: String,
    pub cores: usize,
    /// The number of cores that it is compared with.
    pub reference_cores: usize,
    /// Mean clean time there over mean clean time here.
    pub scaling: f64,
    /// Scaling over the factor of cores: 1 if every added core is fully used.
    pub efficiency: f64,
    /// Clean runs here or there, whichever are fewer.
    pub runs: usize,
    /// Of the scaling, at 95 %.
    pub ci_low: Option<f64>,
    pub ci_high: Option<f64>,
    pub ci_method: Option<&'static str>,
    /// Runs on different numbers of cores are two samples.
    pub design: Option<Design>,
    /// What the times show of more cores: whatever is said about them goes by it.
    pub judgement: SpeedJudgement,
}

impl ScalingRow {
    /// `95 % CI 1.41–1.77 (unpaired t), 5 runs on each number of cores`.
    pub fn evidence(&self) -> String {
        let runs = format!("{} on each number of cores", plural(self.runs, "run"));
        let method = stats::IntervalMethod::ALL.into_iter().find(|method| Some(method.name()) == self.ci_method);
        match (self.ci_low, self.ci_high, method) {
            (Some(low), Some(high), Some(method)) => {
                format!("95 % CI {low:.2}–{high:.2} ({}), {runs}", Design::Unpaired.label(method))
            }
            _ => runs,
        }
    }
}

/// Empty where only one number of cores was run.
pub(super) fn rows(grid: &Grid) -> Vec<ScalingRow> {
    let Some(lowest) = grid.run.manifest.cores.iter().copied().min() else { return Vec::new() };
    grid.keys(|_| true).filter(|(key, _)| key.cores > lowest).filter_map(|(key, _)| row(grid, key, lowest)).collect()
}

fn row(grid: &Grid, key: CellKey, lowest: usize) -> Option<ScalingRow> {
    let (more, fewest) = (grid.trials(key), grid.trials(CellKey { cores: lowest, ..key }));
    // Two machines side by side say nothing about cores.
    if !same_origins(more, fewest) {
        return None;
    }
    let (times_here, times_there) = (clean_times(more), clean_times(fewest));
    let shown = compare_samples(&times_there, &times_here, ObservedConcurrency::NotInQuestion);
    let scaling = shown.ratio?;
    Some(ScalingRow {
        subject: key.subject.to_owned(),
        configuration: key.configuration.to_owned(),
        cores: key.cores,
        reference_cores: lowest,
        scaling,
        efficiency: scaling * lowest as f64 / key.cores as f64,
        runs: times_here.len().min(times_there.len()),
        ci_low: shown.low(),
        ci_high: shown.high(),
        ci_method: shown.method(),
        design: Some(Design::Unpaired),
        judgement: shown.judgement,
    })
}

/// How a configuration scales over all subjects that ran clean on every number of cores, and the law that fits it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ScalingFit {
    pub configuration: String,
    pub reference_cores: usize,
    pub subjects: usize,
    /// Cores, and the geometric mean of the scaling there; the first is the reference, where it is 1.
    #[serde(skip)]
    pub points: Vec<(f64, f64)>,
    /// The part of the work that no number of cores makes faster, after Amdahl's law.
    pub serial_fraction: Option<f64>,
    /// What share of the variance the law explains.
    pub r_squared: Option<f64>,
}

/// One for each configuration that there are numbers of.
pub(super) fn fits(run: &RunData, rows: &[ScalingRow]) -> Vec<ScalingFit> {
    let mut cores = run.manifest.cores.clone();
    cores.sort_unstable();
    run.manifest.configurations.iter().filter_map(|c| fit(&c.name, &cores, rows)).collect()
}

/// Only of subjects that have a value at every count: else a curve would jump where subjects come and go.
fn fit(configuration: &str, cores: &[usize], rows: &[ScalingRow]) -> Option<ScalingFit> {
    let (lowest, more) = cores.split_first().filter(|(_, more)| !more.is_empty())?;
    let mut by_subject: BTreeMap<&str, BTreeMap<usize, f64>> = BTreeMap::new();
    // Fewer runs show nothing about cores either.
    for row in rows.iter().filter(|row| row.configuration == configuration && row.runs >= FEWEST_PAIRS) {
        by_subject.entry(&row.subject).or_default().insert(row.cores, row.scaling);
    }
    by_subject.retain(|_, values| more.iter().all(|cores| values.contains_key(cores)));
    let mut points = vec![(*lowest as f64, 1.0)];
    for count in more {
        let values: Vec<f64> = by_subject.values().filter_map(|values| values.get(count).copied()).collect();
        points.push((*count as f64, stats::geometric_mean(&values)?));
    }
    let relative: Vec<(f64, f64)> = points.iter().map(|(cores, scaling)| (cores / *lowest as f64, *scaling)).collect();
    let law = stats::amdahl_fit(&relative);
    Some(ScalingFit {
        configuration: configuration.to_owned(),
        reference_cores: *lowest,
        subjects: by_subject.len(),
        points,
        serial_fraction: law.map(|law| law.serial),
        r_squared: law.and_then(|law| law.r_squared),
    })
}

impl ScalingFit {
    /// Scaling as the law has it, from the first number of cores to the last.
    pub fn law(&self) -> Vec<(f64, f64)> {
        let (Some(serial), Some(first), Some(last)) = (self.serial_fraction, self.points.first(), self.points.last())
        else {
            return Vec::new();
        };
        let law = AmdahlFit { serial, r_squared: None };
        let at = |step: u32| first.0 + (last.0 - first.0) * f64::from(step) / 24.0;
        (0..=24).map(at).map(|cores| (cores, law.speedup(cores / first.0))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(subject: &str, cores: usize, scaling: f64) -> ScalingRow {
        let runs = FEWEST_PAIRS;
        ScalingRow { subject: subject.into(), configuration: "c".into(), cores, scaling, runs, ..ScalingRow::default() }
    }

    #[test]
    fn the_law_is_found_again_in_its_own_numbers() {
        let law = AmdahlFit { serial: 0.25, r_squared: None };
        let rows = [row("a", 2, law.speedup(2.0)), row("a", 4, law.speedup(4.0)), row("b", 2, 1.9)];
        let fit = fit("c", &[1, 2, 4], &rows).unwrap();
        assert_eq!((fit.subjects, fit.points.len()), (1, 3));
        assert!((fit.serial_fraction.unwrap() - 0.25).abs() < 1e-12);
        assert_eq!(fit.law().first(), Some(&(1.0, 1.0)));
    }

    #[test]
    fn one_number_of_cores_tells_nothing() {
        assert_eq!(fit("c", &[2], &[]), None);
        let few = ScalingRow { runs: FEWEST_PAIRS - 1, ..row("a", 2, 1.5) };
        assert_eq!(fit("c", &[1, 2], &[few]), None, "too few runs");
        let two_points = fit("c", &[1, 2], &[row("a", 2, 1.5)]).unwrap();
        assert_eq!((two_points.points.len(), two_points.r_squared), (2, None));
    }
}
