//! The parallelism that was asked for, beside the one that took place.

use serde::Serialize;

use super::grid::{CellKey, Grid, ran_to_its_end};
use crate::engine::Parallelism;
use crate::stats;
use crate::store::record::TrialRecord;
use crate::suite::{Finding, FindingKind};

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
    /// The mode changed nothing, as the trials recorded it.
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
    let threads = parallelism.threads_at_once(key.cores);
    Some(ConcurrencyRow {
        subject: key.subject.to_owned(),
        configuration: key.configuration.to_owned(),
        cores: key.cores,
        mode: parallelism.mode.name(),
        forks,
        threads,
        asked: u64::from(forks) * u64::from(threads) * u64::from(parallelism.modules_on(key.cores)),
        mean,
        max,
        no_effect: no_effect(trials),
    })
}

/// What the trials themselves recorded: whether a mode had an effect is judged where the executions are at hand.
fn no_effect(trials: &[&TrialRecord]) -> Option<String> {
    let recorded = |trial: &&TrialRecord| trial.findings.iter().find(|f| f.kind == FindingKind::NoConcurrency).cloned();
    let found: Vec<Finding> = trials.iter().filter_map(recorded).collect();
    let first = found.first()?;
    Some(if found.len() == trials.len() {
        first.text.clone()
    } else {
        format!("{} (in {} of {} repetitions)", first.text, found.len(), trials.len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Analysis;
    use crate::report::sample;

    fn of(analysis: &Analysis, subject: &str, configuration: &str) -> ConcurrencyRow {
        let here = |row: &&ConcurrencyRow| row.subject == subject && row.configuration == configuration;
        analysis.concurrency.iter().find(here).unwrap().clone()
    }

    #[test]
    fn the_recorded_finding_alone_says_that_a_mode_had_no_effect() {
        let mut run = sample::study();
        let row = of(&Analysis::of(&run), "order-in-class", "methods");
        assert_eq!((row.forks, row.max), (2, 2));
        assert!(row.no_effect.unwrap().contains("had no effect"));
        let cell = |t: &&mut TrialRecord| t.subject == "order-in-class" && t.configuration == "methods";
        run.trials.iter_mut().filter(cell).take(4).for_each(|trial| trial.findings.clear());
        let partly = of(&Analysis::of(&run), "order-in-class", "methods").no_effect.unwrap();
        assert!(partly.ends_with("(in 1 of 5 repetitions)"), "{partly}");
        run.trials.iter_mut().for_each(|trial| trial.findings.clear());
        assert_eq!(of(&Analysis::of(&run), "order-in-class", "methods").no_effect, None);
    }
}
