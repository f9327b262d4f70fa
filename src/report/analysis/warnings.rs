//! Reasons to distrust a number, found in the numbers themselves.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use super::concurrency::ConcurrencyRow;
use super::grid::{CellKey, Grid, ran_to_its_end};
use super::speedups::SpeedupRow;
use crate::engine::EngineKind;
use crate::experiment::Trial;
use crate::report::text::shown;
use crate::stats;
use crate::store::record::{ConfigurationSummary, Phase, TrialRecord, Verdict};
use crate::wording::plural;

/// Times whose standard deviation exceeds this part of their mean are called unsteady.
const UNSTEADY: f64 = 0.10;
/// A time this far from the mean is called extreme.
const EXTREME: f64 = 0.50;
/// A first run is slow if it takes this part longer than the median of the others.
const SLOW_START: f64 = 0.20;
/// Times drift if the run's halves differ by more than this part.
const DRIFT: f64 = 0.05;
/// Halves of fewer trials say nothing about drift.
const TRIALS_FOR_DRIFT: usize = 12;

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Warning {
    pub kind: WarningKind,
    pub subject: Option<String>,
    pub configuration: Option<String>,
    pub cores: Option<usize>,
    pub text: String,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WarningKind {
    #[default]
    Quick,
    Unfinished,
    BaselineNotClean,
    OtherHarness,
    NoConcurrency,
    FewPairs,
    Unsteady,
    Extreme,
    SlowStart,
    HighLoad,
    Drift,
    RowsUnread,
    RecordsDisagree,
    VirtualTime,
    Merged,
}

impl Warning {
    pub(super) fn of_run(kind: WarningKind, text: String) -> Self {
        Warning { kind, subject: None, configuration: None, cores: None, text }
    }

    pub(super) fn of_cell(kind: WarningKind, key: CellKey, text: String) -> Self {
        Warning {
            kind,
            subject: Some(key.subject.to_owned()),
            configuration: Some(key.configuration.to_owned()),
            cores: Some(key.cores),
            text,
        }
    }

    /// Where it applies: `subject, configuration, 2 cores`.
    pub fn place(&self) -> Option<String> {
        let cores = self.cores.map(|cores| plural(cores, "core"));
        let parts: Vec<String> = [self.subject.as_deref().map(shown), self.configuration.as_deref().map(shown), cores]
            .into_iter()
            .flatten()
            .collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

impl WarningKind {
    /// What warnings of a kind have in common that give each place a number of its own.
    fn in_general(self) -> Option<&'static str> {
        match self {
            WarningKind::Unsteady => Some("times vary: the standard deviation is more than 10 % of the mean"),
            WarningKind::Extreme => Some("single times lie more than 50 % off the mean"),
            WarningKind::SlowStart => Some("the first repetition took more than 20 % longer than the others"),
            _ => None,
        }
    }
}

/// Warnings that say the same of several places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WarningGroup {
    pub text: String,
    /// Empty for the whole run.
    pub places: Vec<String>,
}

impl WarningGroup {
    /// In the order in which each text is first met.
    pub fn of(warnings: &[Warning]) -> Vec<WarningGroup> {
        let mut groups: Vec<WarningGroup> = Vec::new();
        let mut known: HashMap<&str, usize> = HashMap::new();
        let several = |kind| warnings.iter().filter(|warning| warning.kind == kind).count() > 1;
        for warning in warnings {
            let shared = warning.kind.in_general().filter(|_| several(warning.kind));
            let text = shared.unwrap_or(&warning.text);
            let at = *known.entry(text).or_insert_with(|| {
                groups.push(WarningGroup { text: text.to_owned(), places: Vec::new() });
                groups.len() - 1
            });
            groups[at].places.extend(warning.place());
        }
        groups
    }
}

/// `timed` is the part of the run whose times are compared.
pub(super) fn warnings(
    grid: &Grid,
    timed: &Grid,
    speedups: &[SpeedupRow],
    concurrency: &[ConcurrencyRow],
) -> Vec<Warning> {
    let mut warnings: Vec<Warning> = Vec::new();
    warnings.extend(virtual_time(grid));
    warnings.extend(quick(grid));
    warnings.extend(unfinished(grid));
    warnings.extend(other_harness(&timed.run.manifest.configurations, &timed.run.manifest.baseline));
    warnings.extend(few_pairs(speedups));
    warnings.extend(high_load(grid));
    warnings.extend(drift(timed));
    let at: HashMap<CellKey, &ConcurrencyRow> = concurrency.iter().map(|row| (place(row), row)).collect();
    for (key, configuration) in timed.keys(|_| true) {
        if configuration.name == timed.run.manifest.baseline {
            warnings.extend(baseline_not_clean(key, timed.trials(key)));
        }
        warnings.extend(at.get(&key).and_then(|row| no_concurrency(key, row)));
        warnings.extend(unstable(key, timed.trials(key)));
    }
    warnings
}

fn place(row: &ConcurrencyRow) -> CellKey<'_> {
    CellKey { subject: &row.subject, configuration: &row.configuration, cores: row.cores }
}

fn no_concurrency(key: CellKey, row: &ConcurrencyRow) -> Option<Warning> {
    row.no_effect.clone().map(|text| Warning::of_cell(WarningKind::NoConcurrency, key, text))
}

/// Times of models are no measurements.
fn virtual_time(grid: &Grid) -> Option<Warning> {
    let of_models = measured(grid).filter(|trial| trial.engine == Some(EngineKind::Model)).count();
    let text = if super::threats::all_in_virtual_time(grid.run) {
        "times are computed from model suites, nothing was measured".to_owned()
    } else {
        format!("{} of model suites have times that are computed, not measured", plural(of_models, "trial"))
    };
    (of_models > 0).then(|| Warning::of_run(WarningKind::VirtualTime, text))
}

fn quick(grid: &Grid) -> Option<Warning> {
    let text = "quick run: one repetition, or only a part of the experiment; not for publication";
    grid.run.manifest.quick.then(|| Warning::of_run(WarningKind::Quick, text.to_owned()))
}

fn unfinished(grid: &Grid) -> Option<Warning> {
    let manifest = &grid.run.manifest;
    let failed = grid.run.subjects.iter().filter(|subject| subject.failure.is_some());
    let unprepared: HashSet<&str> = failed.map(|subject| subject.subject.as_str()).collect();
    let done: HashSet<&str> = measured(grid).map(|trial| trial.trial.as_str()).collect();
    let is_missing = |t: &&Trial| !unprepared.contains(t.subject.as_str()) && !done.contains(t.id.as_str());
    let missing = manifest.trials.iter().filter(is_missing).count();
    let text = format!("{} of {} planned trials have not run yet", missing, manifest.trials.len());
    (missing > 0).then(|| Warning::of_run(WarningKind::Unfinished, text))
}

/// A time by another engine is another harness's too: Maven's start-up alone is seconds.
fn other_harness(configurations: &[ConfigurationSummary], baseline: &str) -> Option<Warning> {
    let kept = configurations.iter().find(|each| each.name == baseline)?.harness.engine;
    let differs = |each: &&ConfigurationSummary| {
        each.harness.engine != kept || (each.technique.reruns() && each.harness.rerun_engine != kept)
    };
    let names: Vec<String> = configurations.iter().filter(differs).map(|each| shown(&each.name)).collect();
    let text = format!(
        "{} used another engine than the baseline ({kept}): such a speedup is also one of the harness",
        names.join(", ")
    );
    (!names.is_empty()).then(|| Warning::of_run(WarningKind::OtherHarness, text))
}

/// Pairs so few that no outcome at all could be significant.
fn few_pairs(speedups: &[SpeedupRow]) -> Option<Warning> {
    let hopeless = |row: &&SpeedupRow| row.smallest_p.is_some_and(|p| p >= 0.05);
    let most = speedups.iter().filter(hopeless).map(|row| row.pairs).max()?;
    let text = format!(
        "{} of runs can never reach p < 0.05 in a two-sided test (the smallest is {}); six could",
        plural(most, "pair"),
        stats::smallest_reachable_p(most)
    );
    Some(Warning::of_run(WarningKind::FewPairs, text))
}

fn high_load(grid: &Grid) -> Option<Warning> {
    let cores = grid.run.environment.logical_cores.max(1) as f64;
    let loads: Vec<f64> = measured(grid).filter_map(|trial| trial.load_before).collect();
    let high: Vec<f64> = loads.iter().copied().filter(|load| *load > cores).collect();
    let highest = high.iter().copied().fold(0.0, f64::max);
    let text = format!(
        "the machine was busy before {} of {} trials: load up to {highest:.1} on {}",
        high.len(),
        loads.len(),
        plural(cores as usize, "core")
    );
    (!high.is_empty()).then(|| Warning::of_run(WarningKind::HighLoad, text))
}

fn measured<'g>(grid: &'g Grid) -> impl Iterator<Item = &'g TrialRecord> {
    grid.run.trials.iter().filter(|trial| trial.phase == Phase::Measured)
}

/// Compares the run's first half with its second, each time taken relative to the mean of its own cell.
fn drift(grid: &Grid) -> Option<Warning> {
    let mut relative: Vec<(jiff::Timestamp, f64)> = Vec::new();
    for (key, _) in grid.keys(|_| true) {
        let ended: Vec<&&TrialRecord> = grid.trials(key).iter().filter(|trial| ran_to_its_end(trial)).collect();
        let walls: Vec<f64> = ended.iter().map(|trial| trial.cost.wall_seconds).collect();
        let Some(mean) = stats::mean(&walls).filter(|mean| *mean > 0.0 && walls.len() > 1) else { continue };
        relative.extend(ended.iter().map(|trial| (trial.started_at, trial.cost.wall_seconds / mean)));
    }
    if relative.len() < TRIALS_FOR_DRIFT {
        return None;
    }
    relative.sort_by_key(|(started, _)| *started);
    let (first, second) = relative.split_at(relative.len() / 2);
    let center = |half: &[(jiff::Timestamp, f64)]| stats::median(&half.iter().map(|(_, x)| *x).collect::<Vec<_>>());
    let change = center(second)? / center(first)? - 1.0;
    let direction = if change > 0.0 { "slower" } else { "faster" };
    let text = format!("the second half of the run was {:.0} % {direction} than the first", change.abs() * 100.0);
    (change.abs() > DRIFT).then(|| Warning::of_run(WarningKind::Drift, text))
}

fn baseline_not_clean(key: CellKey, trials: &[&TrialRecord]) -> Option<Warning> {
    let unclean = trials.iter().filter(|trial| trial.verdict != Verdict::Clean).count();
    let text = format!("the baseline itself was not clean in {unclean} of {} repetitions", trials.len());
    (unclean > 0).then(|| Warning::of_cell(WarningKind::BaselineNotClean, key, text))
}

fn unstable(key: CellKey, trials: &[&TrialRecord]) -> Vec<Warning> {
    let walls: Vec<f64> =
        trials.iter().filter(|trial| ran_to_its_end(trial)).map(|trial| trial.cost.wall_seconds).collect();
    if walls.len() < 3 {
        return Vec::new();
    }
    let found = [
        (WarningKind::Unsteady, unsteady(&walls)),
        (WarningKind::Extreme, extreme(&walls)),
        (WarningKind::SlowStart, slow_start(&walls)),
    ];
    found.into_iter().filter_map(|(kind, text)| Some(Warning::of_cell(kind, key, text?))).collect()
}

fn unsteady(walls: &[f64]) -> Option<String> {
    let spread = stats::coefficient_of_variation(walls).filter(|spread| *spread > UNSTEADY)?;
    Some(format!("times vary: the standard deviation is {:.0} % of the mean", spread * 100.0))
}

fn extreme(walls: &[f64]) -> Option<String> {
    let mean = stats::mean(walls).filter(|mean| *mean > 0.0)?;
    let farthest = walls.iter().map(|wall| wall / mean - 1.0).max_by(|a, b| a.abs().total_cmp(&b.abs()))?;
    let side = if farthest > 0.0 { "above" } else { "below" };
    (farthest.abs() > EXTREME).then(|| format!("one time lies {:.0} % {side} the mean", farthest.abs() * 100.0))
}

fn slow_start(walls: &[f64]) -> Option<String> {
    let (first, others) = walls.split_first()?;
    let usual = stats::median(others).filter(|usual| *usual > 0.0)?;
    let longer = first / usual - 1.0;
    (longer > SLOW_START).then(|| format!("the first repetition took {:.0} % longer than the others", longer * 100.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Parallelism;
    use crate::experiment::{Harness, TechniqueKind};

    #[test]
    fn steady_times_raise_no_warning() {
        let walls = [10.0, 10.2, 9.9, 10.1];
        assert_eq!((unsteady(&walls), extreme(&walls), slow_start(&walls)), (None, None, None));
    }

    #[test]
    fn each_kind_of_instability_is_named() {
        assert!(unsteady(&[10.0, 13.0, 8.0]).unwrap().contains("24 %"));
        assert!(extreme(&[10.0, 10.0, 40.0]).unwrap().contains("100 % above"));
        assert!(slow_start(&[15.0, 10.0, 10.0, 10.0]).unwrap().contains("50 % longer"));
    }

    #[test]
    fn virtual_time_is_the_first_thing_to_know() {
        let mut run = crate::report::sample::study();
        run.trials.iter_mut().for_each(|trial| trial.engine = Some(EngineKind::Model));
        let first = crate::report::Analysis::of(&run).warnings.first().cloned().unwrap();
        assert_eq!((first.kind, first.text.contains("nothing was measured")), (WarningKind::VirtualTime, true));
    }

    #[test]
    fn a_speedup_by_another_engine_is_called_out() {
        let configuration = |name: &str, technique, engine, rerun_engine| ConfigurationSummary {
            name: name.into(),
            technique,
            parallelism: Parallelism::SEQUENTIAL,
            harness: Harness { engine, rerun_engine, ..Harness::default() },
            ordering: None,
        };
        let (surefire, direct) = (EngineKind::Surefire, EngineKind::Direct);
        let mut all = vec![
            configuration("base", TechniqueKind::Sequential, surefire, surefire),
            configuration("alike", TechniqueKind::Paste, surefire, surefire),
        ];
        assert_eq!(other_harness(&all, "base"), None);
        all.push(configuration("quick", TechniqueKind::Paste, surefire, direct));
        all.push(configuration("other", TechniqueKind::Sequential, direct, direct));
        let text = other_harness(&all, "base").unwrap().text;
        assert!(text.starts_with("quick, other used another engine than the baseline (surefire)"), "{text}");
    }
}
