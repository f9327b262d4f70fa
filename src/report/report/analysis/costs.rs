//! What the runs took: time, processor and memory.

use serde::Serialize;

use super::grid::{CellKey, Grid, clean_times, ran_to_its_end};
use crate::stats;
use crate::store::record::TrialRecord;

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct CostRow {
    pub subject: String,
    pub configuration: String,
    pub cores: usize,
    /// Repetitions that ran to their end; the means are over them.
    pub trials: usize,
    pub wall_seconds: f64,
    pub wall_sd: Option<f64>,
    /// User and system time of all processes.
    pub cpu_seconds: f64,
    /// The largest over the repetitions.
    pub peak_memory_bytes: Option<u64>,
    pub clean_trials: usize,
    /// Mean over the clean repetitions: what running times are shown from.
    pub clean_wall_seconds: Option<f64>,
}

pub(super) fn rows(grid: &Grid) -> Vec<CostRow> {
    grid.keys(|_| true).filter_map(|(key, _)| row(key, grid.trials(key))).collect()
}

fn row(key: CellKey, trials: &[&TrialRecord]) -> Option<CostRow> {
    let ended: Vec<&TrialRecord> = trials.iter().copied().filter(|trial| ran_to_its_end(trial)).collect();
    let walls: Vec<f64> = ended.iter().map(|trial| trial.cost.wall_seconds).collect();
    let cpu: Vec<f64> = ended.iter().map(|trial| trial.cost.user_seconds + trial.cost.system_seconds).collect();
    let clean = clean_times(&ended);
    Some(CostRow {
        subject: key.subject.to_owned(),
        configuration: key.configuration.to_owned(),
        cores: key.cores,
        trials: ended.len(),
        wall_seconds: stats::mean(&walls)?,
        wall_sd: stats::sample_sd(&walls),
        cpu_seconds: stats::mean(&cpu)?,
        peak_memory_bytes: ended.iter().filter_map(|trial| trial.cost.peak_memory_bytes).max(),
        clean_trials: clean.len(),
        clean_wall_seconds: stats::mean(&clean),
    })
}
