//! One configuration against itself on its fewest cores. This is not a speedup over the baseline.

use serde::Serialize;

use super::grid::{CellKey, Grid, clean_times, same_origins};
use crate::stats;

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
    let here = stats::mean(&clean_times(more))?;
    let there = stats::mean(&clean_times(fewest))?;
    let scaling = (here > 0.0).then(|| there / here)?;
    Some(ScalingRow {
        subject: key.subject.to_owned(),
        configuration: key.configuration.to_owned(),
        cores: key.cores,
        reference_cores: lowest,
        scaling,
        efficiency: scaling * lowest as f64 / key.cores as f64,
    })
}

/// Amdahl's law, fitted to a configuration's mean scaling.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ScalingFit {
    pub configuration: String,
    /// The part of the work that no number of cores makes faster.
    pub serial_fraction: f64,
    pub reference_cores: usize,
}

impl ScalingFit {
    /// Scaling as the law has it, at some numbers of cores and in between.
    pub fn curve(&self, cores: &[usize]) -> Vec<(f64, f64)> {
        let (Some(low), Some(high)) = (cores.iter().min(), cores.iter().max()) else { return Vec::new() };
        let (low, high) = (*low as f64, *high as f64);
        let time = |cores: f64| self.serial_fraction + (1.0 - self.serial_fraction) / cores;
        let at = |step: u32| low + (high - low) * f64::from(step) / 24.0;
        (0..=24).map(at).map(|cores| (cores, time(self.reference_cores as f64) / time(cores))).collect()
    }
}
