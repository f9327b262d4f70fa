//! The parallelism that was asked for, beside the one that took place.

use serde::Serialize;

use super::grid::{CellKey, Grid, ran_to_its_end};
use crate::engine::{Mode, Parallelism};
use crate::stats;
use crate::store::record::TrialRecord;

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ConcurrencyRow {
    pub subject: String,
    pub configuration: String,
    pub cores: usize,
    pub mode: &'static str,
    pub forks: u32,
    pub threads: u32,
    /// Tests that could at most run at once.
    pub asked: u64,
    /// Over the repetitions: mean of the time-weighted means.
    pub mean: f64,
    /// The largest number of tests that were ever seen to run at once.
    pub max: usize,
    /// The mode changed nothing; why one must think so.
    pub no_effect: Option<String>,
}

pub(super) fn rows(grid: &Grid) -> Vec<ConcurrencyRow> {
    grid.keys(|_| true)
        .filter_map(|(key, configuration)| {
            let ended: Vec<&TrialRecord> =
                grid.trials(key).iter().copied().filter(|trial| ran_to_its_end(trial)).collect();
            // What the first stage was really given: the sequential technique ignores the rest of its configuration.
            let given = ended.first().and_then(|trial| trial.stages.first()).map(|stage| stage.parallelism);
            row(key, &given.unwrap_or(configuration.parallelism), &ended)
        })
        .collect()
}

fn row(key: CellKey, parallelism: &Parallelism, trials: &[&TrialRecord]) -> Option<ConcurrencyRow> {
    let mean = stats::mean(&trials.iter().map(|trial| trial.concurrency.mean).collect::<Vec<_>>())?;
    let max = trials.iter().map(|trial| trial.concurrency.max).max()?;
    let forks = parallelism.forks.on(key.cores);
    let threads = threads_per_fork(parallelism, key.cores);
    Some(ConcurrencyRow {
        subject: key.subject.to_owned(),
        configuration: key.configuration.to_owned(),
        cores: key.cores,
        mode: parallelism.mode.name(),
        forks,
        threads,
        asked: u64::from(forks) * u64::from(threads),
        mean,
        max,
        no_effect: no_effect(parallelism.mode, forks, threads, max),
    })
}

fn threads_per_fork(parallelism: &Parallelism, cores: usize) -> u32 {
    match parallelism.mode {
        Mode::Sequential | Mode::Project => 1,
        Mode::Methods | Mode::Classes | Mode::ClassesAndMethods => {
            let per = if parallelism.threads_per_core { u32::try_from(cores).unwrap_or(u32::MAX) } else { 1 };
            parallelism.threads.saturating_mul(per)
        }
    }
}

/// Threads were asked for, yet no more ran at once than the worker processes alone explain.
fn no_effect(mode: Mode, forks: u32, threads: u32, max: usize) -> Option<String> {
    if matches!(mode, Mode::Sequential | Mode::Project) || threads <= 1 || max as u64 > u64::from(forks) {
        return None;
    }
    Some(if max <= 1 {
        format!("{mode} had no effect: no two tests ever ran at once")
    } else {
        format!("{mode} had no effect of its own: at most {max} tests ran at once, which {forks} forks give without it")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_count_only_if_they_exceed_the_forks() {
        assert_eq!(no_effect(Mode::Classes, 2, 7, 3), None);
        assert!(no_effect(Mode::Classes, 2, 7, 2).unwrap().contains("2 forks"));
        assert!(no_effect(Mode::Methods, 1, 4, 1).unwrap().contains("no two tests"));
        assert_eq!(no_effect(Mode::Sequential, 1, 1, 1), None);
        assert_eq!(no_effect(Mode::Classes, 2, 1, 2), None);
    }
}
