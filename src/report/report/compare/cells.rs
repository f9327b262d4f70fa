//! The cells that both runs have: times with their ratio and a test of difference, speedups, failures.
//!
//! Times are those of clean trials, as in the report of one run. The runs are independent samples, judged by the same rule as
//! pairs. ParallelObservation that stands Mann and Whitney's test, with Holm's correction over all cells that have one.

use serde::Serialize;

use crate::report::Analysis;
use crate::report::analysis::SpeedupRow;
use crate::report::analysis::grid::{CellKey, Grid, Presence, clean_times};
use crate::stats;
use crate::stats::speed_judgement::{self, Design, ObservedConcurrency, SpeedJudgement};
use crate::store::record::{RunData, TrialRecord, Verdict};

/// One subject, configuration and number of cores in both runs. Times are means of clean trials, in seconds.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct CellRow {
    pub subject: String,
    pub configuration: String,
    pub cores: usize,
    /// `clean`, `failing in 2 of 5`, `pending`, …
    pub first_state: String,
    pub second_state: String,
    pub first_trials: usize,
    pub second_trials: usize,
    pub first_clean: usize,
    pub second_clean: usize,
    pub first_seconds: Option<f64>,
    pub second_seconds: Option<f64>,
    /// The first run's mean over the second's: above 1 the second run was faster.
    pub ratio: Option<f64>,
    pub ci_low: Option<f64>,
    pub ci_high: Option<f64>,
    /// `bca_bootstrap`, or `log_ratio_t` where a run has 3 to 29 clean trials. With fewer there is no interval.
    pub ci_method: Option<&'static str>,
    /// Runs are two samples: the interval is Welch's, or a bootstrap that draws from each run by itself.
    pub design: Option<Design>,
    /// What the times show of the second run: whatever is said about them goes by it.
    pub judgement: SpeedJudgement,
    /// Mann and Whitney's test of the clean times, two-sided.
    pub p: Option<f64>,
    /// After Holm's correction over all cells.
    pub p_holm: Option<f64>,
    /// The smallest p that so many trials can reach.
    pub smallest_p: Option<f64>,
    /// The chance that a time of the first run is above one of the second.
    pub a12: Option<f64>,
    /// Tests that fail in the end, means over the trials that yielded data.
    pub first_failures: Option<f64>,
    pub second_failures: Option<f64>,
    /// Fisher's exact test of how many trials were clean, two-sided.
    pub clean_p: Option<f64>,
    pub first_speedup: Option<f64>,
    pub first_speedup_low: Option<f64>,
    pub first_speedup_high: Option<f64>,
    pub first_speedup_method: Option<&'static str>,
    pub first_judgement: SpeedJudgement,
    pub second_speedup: Option<f64>,
    pub second_speedup_low: Option<f64>,
    pub second_speedup_high: Option<f64>,
    pub second_speedup_method: Option<&'static str>,
    pub second_judgement: SpeedJudgement,
    /// The second run's speedup minus the first's, with its BCa bootstrap interval from six pairs in each run on.
    pub speedup_difference: Option<f64>,
    pub difference_low: Option<f64>,
    pub difference_high: Option<f64>,
    /// Why there is no speedup, where there is none; empty for the baseline.
    pub first_speedup_reason: Option<String>,
    pub second_speedup_reason: Option<String>,
    /// Do the identities of the trials say that all settings were the same?
    pub same_settings: bool,
    /// Did the same tests end alike in the clean trials? Nothing where that is not on record.
    pub same_outcomes: Option<bool>,
}

pub(super) fn rows(runs: [&RunData; 2], analyses: [&Analysis; 2]) -> Vec<CellRow> {
    let grids = runs.map(Grid::of);
    let [first, second] = &grids;
    let is_planned = |grid: &Grid, key: CellKey| grid.planned(key) > 0;
    let shared = first.keys(|_| true).map(|(key, _)| key).filter(|key| {
        let key = *key;
        is_planned(first, key) && is_planned(second, key)
    });
    let mut rows: Vec<CellRow> = shared.map(|key| row(&grids, analyses, key)).collect();
    correct(&mut rows);
    rows
}

fn row(grids: &[Grid; 2], analyses: [&Analysis; 2], key: CellKey) -> CellRow {
    let [first, second] = grids;
    let (a, b) = (first.trials(key), second.trials(key));
    let row = CellRow {
        subject: key.subject.to_owned(),
        configuration: key.configuration.to_owned(),
        cores: key.cores,
        first_state: state(first, key),
        second_state: state(second, key),
        first_trials: a.len(),
        second_trials: b.len(),
        first_failures: failures(a),
        second_failures: failures(b),
        same_settings: same_settings(a, b),
        same_outcomes: same_outcomes(a, b),
        ..CellRow::default()
    };
    let row = with_times(row, &clean_times(a), &clean_times(b));
    let row = with_speedups(row, grids, analyses, key);
    if row.did_other_work() { without_comparison(row) } else { row }
}

impl CellRow {
    /// Did other tests run, or end otherwise, in one of the runs? Then their times are of different work.
    pub fn did_other_work(&self) -> bool {
        self.same_outcomes == Some(false)
    }
}

/// What each run shows by itself stays.
fn without_comparison(row: CellRow) -> CellRow {
    CellRow {
        ratio: None,
        ci_low: None,
        ci_high: None,
        ci_method: None,
        design: None,
        judgement: SpeedJudgement::NotCompared,
        p: None,
        smallest_p: None,
        a12: None,
        speedup_difference: None,
        difference_low: None,
        difference_high: None,
        ..row
    }
}

fn with_times(row: CellRow, first: &[f64], second: &[f64]) -> CellRow {
    let shown = speed_judgement::compare_samples(first, second, ObservedConcurrency::NotInQuestion);
    CellRow {
        first_clean: first.len(),
        second_clean: second.len(),
        first_seconds: stats::mean(first),
        second_seconds: stats::mean(second),
        ratio: shown.ratio,
        ci_low: shown.low(),
        ci_high: shown.high(),
        ci_method: shown.method(),
        design: shown.ratio.map(|_| Design::Unpaired),
        judgement: shown.judgement,
        p: stats::mann_whitney(first, second).map(|test| test.p),
        smallest_p: smallest_p(first.len(), second.len()),
        a12: stats::a12(first, second),
        clean_p: clean_p((first.len(), row.first_trials), (second.len(), row.second_trials)),
        ..row
    }
}

/// What the test gives for samples of these sizes that do not overlap at all.
fn smallest_p(first: usize, second: usize) -> Option<f64> {
    let apart: Vec<f64> = (0..first + second).map(|value| value as f64).collect();
    stats::mann_whitney(&apart[..first], &apart[first..]).map(|test| test.p)
}

fn clean_p(first: (usize, usize), second: (usize, usize)) -> Option<f64> {
    if first.1 == 0 || second.1 == 0 {
        return None;
    }
    let counts = [first.0, first.1 - first.0, second.0, second.1 - second.0].map(|count| count as u64);
    stats::fisher_exact([[counts[0], counts[1]], [counts[2], counts[3]]], stats::Alternative::TwoSided)
        .map(|test| test.p)
}

fn with_speedups(row: CellRow, grids: &[Grid; 2], analyses: [&Analysis; 2], key: CellKey) -> CellRow {
    let of = |analysis: &Analysis| -> SpeedupRow {
        let is_here = |row: &&SpeedupRow| {
            row.subject == key.subject && row.configuration == key.configuration && row.cores == key.cores
        };
        analysis.speedups.iter().find(is_here).cloned().unwrap_or_default()
    };
    let (first, second) = (of(analyses[0]), of(analyses[1]));
    let difference = first.speedup.zip(second.speedup).map(|(first, second)| second - first);
    let interval = difference.and_then(|_| {
        let pairs = [&grids[0], &grids[1]].map(|grid| crate::report::analysis::sound_pairs(grid, key));
        // A bootstrap of fewer pairs would be too narrow.
        pairs.iter().all(|pairs| pairs.len() >= stats::FEWEST_FOR_BOOTSTRAP).then_some(())?;
        stats::difference_of_ratios_interval(&pairs[0], &pairs[1], speed_judgement::LEVEL, speed_judgement::SEED)
    });
    CellRow {
        first_speedup: first.speedup,
        first_speedup_low: first.ci_low,
        first_speedup_high: first.ci_high,
        second_speedup: second.speedup,
        second_speedup_low: second.ci_low,
        second_speedup_high: second.ci_high,
        speedup_difference: difference,
        difference_low: interval.map(|interval| interval.low),
        difference_high: interval.map(|interval| interval.high),
        first_speedup_method: first.ci_method,
        second_speedup_method: second.ci_method,
        first_judgement: first.judgement,
        second_judgement: second.judgement,
        first_speedup_reason: first.reason,
        second_speedup_reason: second.reason,
        ..row
    }
}

/// Holm's correction over all cells: one comparison of two runs is one family.
fn correct(rows: &mut [CellRow]) {
    let raw: Vec<f64> = rows.iter().filter_map(|row| row.p).collect();
    let tested = rows.iter_mut().filter(|row| row.p.is_some());
    for (row, corrected) in tested.zip(stats::holm(&raw)) {
        row.p_holm = Some(corrected);
    }
}

fn state(grid: &Grid, key: CellKey) -> String {
    match grid.presence(key) {
        Presence::NotPlanned => String::new(),
        Presence::Pending => "pending".to_owned(),
        Presence::Unprepared(verdict) => verdict.name().replace('_', " "),
        Presence::Ran(trials) => verdicts(trials),
    }
}

fn verdicts(trials: &[&TrialRecord]) -> String {
    let mut seen: Vec<Verdict> = trials.iter().map(|trial| trial.verdict).collect();
    seen.sort();
    seen.dedup();
    if seen == [Verdict::Clean] {
        return "clean".to_owned();
    }
    let told = seen.into_iter().filter(|verdict| *verdict != Verdict::Clean).map(|verdict| {
        let count = trials.iter().filter(|trial| trial.verdict == verdict).count();
        crate::shown_text::counted(&verdict.name().replace('_', " "), count, trials.len())
    });
    told.collect::<Vec<_>>().join(", ")
}

fn failures(trials: &[&TrialRecord]) -> Option<f64> {
    let yielding = trials.iter().filter(|trial| trial.verdict.is_completed());
    stats::mean(&yielding.map(|trial| trial.tally.failures() as f64).collect::<Vec<_>>())
}

/// The digits of a trial's id are over every setting and the repetition, so they are compared block by block. Trials of merged
/// runs are known by the ids that they had.
fn same_settings(first: &[&TrialRecord], second: &[&TrialRecord]) -> bool {
    let identity = |trial: &TrialRecord| match &trial.provenance {
        Some(was) => (was.repetition, was.trial.clone()),
        None => (trial.repetition, trial.trial.clone()),
    };
    let known: Vec<(u32, String)> = first.iter().map(|trial| identity(trial)).collect();
    let differs =
        |(repetition, id): &(u32, String)| known.iter().any(|(same, other)| same == repetition && other != id);
    !second.iter().map(|trial| identity(trial)).any(|each| differs(&each))
}

fn same_outcomes(first: &[&TrialRecord], second: &[&TrialRecord]) -> Option<bool> {
    let clean = |trials: &[&TrialRecord]| -> Vec<String> {
        let clean = trials.iter().filter(|trial| trial.verdict == Verdict::Clean);
        clean.filter_map(|trial| trial.outcomes_hash.clone()).collect()
    };
    let (first, second) = (clean(first), clean(second));
    let known = first.first()?;
    second.first()?;
    Some(first.iter().chain(&second).all(|hash| hash == known))
}
