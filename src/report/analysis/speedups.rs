//! Table IV: how much faster each configuration is than the baseline, and where that question has no answer.
//!
//! A ratio is taken over blocks in which both sides are sound. One repetition in which the suite itself misbehaved under
//! the candidate voids the cell: a configuration that fails now and then is not a faster way to run the suite.

use std::collections::HashSet;

use serde::Serialize;

use super::grid::{CellKey, Grid, Presence};
use super::judge::{Judgement, judge};
use crate::report::text::{counted, decimal};
use crate::stats;
use crate::store::record::{RunData, TrialRecord, Verdict};

/// The level of the intervals.
const CONFIDENCE: f64 = 0.95;
/// Fewer cells are not worth a thread.
const FEWEST_PER_THREAD: usize = 50;

/// One configuration against the baseline, on one subject and number of cores.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SpeedupRow {
    pub subject: String,
    pub configuration: String,
    pub cores: usize,
    pub state: SpeedupState,
    /// Why there is no speedup, as the cell shows it.
    pub reason: Option<String>,
    /// Means over the used pairs.
    pub baseline_seconds: Option<f64>,
    pub candidate_seconds: Option<f64>,
    pub speedup: Option<f64>,
    pub ci_low: Option<f64>,
    pub ci_high: Option<f64>,
    /// Pairs of the same block that were used.
    pub pairs: usize,
    /// Pairs that were left out as one side yielded nothing to compare.
    pub dropped_pairs: usize,
    /// Exact two-sided Wilcoxon signed-rank test over the pairs.
    pub p: Option<f64>,
    /// After Holm's correction over the subjects of this configuration and number of cores.
    pub p_holm: Option<f64>,
    /// The smallest p that so many pairs can reach.
    pub smallest_p: Option<f64>,
    /// Did any two tests ever overlap in the candidate's first stages? Without that nothing was gained from parallelism.
    pub overlapped: bool,
    /// Matched-pairs rank-biserial correlation; 1 if the candidate was faster every time.
    pub effect: Option<f64>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SpeedupState {
    /// There is a number to trust.
    Sound,
    Failing,
    LostTests,
    OutcomesDiffer,
    TimedOut,
    Crashed,
    Unsupported,
    BuildFailed,
    HarnessError,
    /// There is no sound baseline to compare with.
    NoBaseline,
    Pending,
    #[default]
    NotPlanned,
}

/// Which subjects an aggregate is taken over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Every subject with a sound speedup.
    #[default]
    All,
    /// As the study has it: only subjects that some configuration made faster.
    Study,
}

/// Speedups of one configuration over subjects.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct AverageRow {
    pub configuration: String,
    pub cores: usize,
    pub scope: Scope,
    /// Subjects with a sound speedup.
    pub subjects: usize,
    /// Those of them that became faster.
    pub gained: usize,
    pub average: Option<f64>,
    pub median: Option<f64>,
    pub geometric_mean: Option<f64>,
}

impl SpeedupRow {
    /// As the table prints it: `1.59`, `3 failing`, `TO`, …
    pub fn text(&self) -> String {
        match self.speedup {
            Some(speedup) => format!("{speedup:.2}"),
            None => self.reason.clone().unwrap_or_default(),
        }
    }

    pub fn gained(&self) -> bool {
        self.overlapped && self.speedup.is_some_and(|speedup| speedup > 1.0)
    }
}

pub(super) fn rows(grid: &Grid) -> Vec<SpeedupRow> {
    let baseline = grid.run.manifest.baseline.as_str();
    let keys: Vec<CellKey> = grid.keys(|c| c.name != baseline).map(|(key, _)| key).collect();
    let mut rows = on_all_cores(&keys, |key| row(grid, *key));
    correct(&mut rows, grid.run);
    rows
}

/// An interval is drawn thousands of times for every cell: with many subjects that is most of a report's work.
fn on_all_cores<K: Sync, R: Send>(keys: &[K], make: impl Fn(&K) -> R + Sync) -> Vec<R> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let share = keys.len().div_ceil(cores).max(FEWEST_PER_THREAD);
    std::thread::scope(|scope| {
        let make = &make;
        let shares: Vec<_> =
            keys.chunks(share).map(|keys| scope.spawn(move || keys.iter().map(make).collect::<Vec<R>>())).collect();
        // A thread that panicked panics here too.
        shares
            .into_iter()
            .flat_map(|rows| rows.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

/// Holm's correction within each family: one configuration at one number of cores, over the subjects.
fn correct(rows: &mut [SpeedupRow], run: &RunData) {
    for cores in &run.manifest.cores {
        for configuration in &run.manifest.configurations {
            let mut family: Vec<&mut SpeedupRow> = rows
                .iter_mut()
                .filter(|row| row.cores == *cores && row.configuration == configuration.name && row.p.is_some())
                .collect();
            let raw: Vec<f64> = family.iter().filter_map(|row| row.p).collect();
            for (row, corrected) in family.iter_mut().zip(stats::holm(&raw)) {
                row.p_holm = Some(corrected);
            }
        }
    }
}

fn row(grid: &Grid, key: CellKey) -> SpeedupRow {
    let empty = SpeedupRow {
        subject: key.subject.to_owned(),
        configuration: key.configuration.to_owned(),
        cores: key.cores,
        ..SpeedupRow::default()
    };
    match grid.presence(key) {
        Presence::NotPlanned => empty,
        Presence::Pending => SpeedupRow { state: SpeedupState::Pending, reason: Some("pending".into()), ..empty },
        Presence::Unprepared(verdict) => {
            SpeedupRow { state: state_of(verdict), reason: Some(label(verdict).into()), ..empty }
        }
        Presence::Ran(trials) => {
            let against = CellKey { configuration: &grid.run.manifest.baseline, ..key };
            let block = Block { candidates: trials, baselines: grid.trials(against) };
            let overlapped = trials.iter().any(|trial| trial.concurrency.max > 1);
            compared(&block, grid.run.manifest.seed, SpeedupRow { overlapped, ..empty })
        }
    }
}

/// The trials of a cell, beside those that they are compared with.
struct Block<'g, 'a> {
    candidates: &'g [&'a TrialRecord],
    baselines: &'g [&'a TrialRecord],
}

/// What became of one pair.
struct JudgedPair<'a> {
    judgement: Judgement,
    candidate: &'a TrialRecord,
    times: (f64, f64),
}

impl<'a> Block<'_, 'a> {
    /// A pair for every candidate whose block has a baseline too.
    fn pairs(&self) -> Vec<JudgedPair<'a>> {
        let baseline_of = |repetition| self.baselines.iter().find(|baseline| baseline.repetition == repetition);
        self.candidates
            .iter()
            .filter_map(|candidate| {
                let baseline = baseline_of(candidate.repetition)?;
                Some(JudgedPair {
                    judgement: judge((*baseline).into(), (*candidate).into()),
                    candidate,
                    times: (baseline.cost.wall_seconds, candidate.cost.wall_seconds),
                })
            })
            .collect()
    }
}

/// Times of baseline and candidate in the blocks in which both are sound.
pub(in crate::report) fn sound_pairs(grid: &Grid, key: CellKey) -> Vec<(f64, f64)> {
    let against = CellKey { configuration: &grid.run.manifest.baseline, ..key };
    let block = Block { candidates: grid.trials(key), baselines: grid.trials(against) };
    block.pairs().iter().filter(|pair| pair.judgement == Judgement::Sound).map(|pair| pair.times).collect()
}

fn compared(block: &Block, seed: u64, row: SpeedupRow) -> SpeedupRow {
    let judged = block.pairs();
    let times: Vec<(f64, f64)> =
        judged.iter().filter(|pair| pair.judgement == Judgement::Sound).map(|pair| pair.times).collect();
    let dropped_pairs = block.candidates.len() - times.len();
    if judged.iter().any(|pair| pair.judgement.voids()) {
        return void(&judged, SpeedupRow { dropped_pairs, ..row });
    }
    match stats::ratio_of_means(&times) {
        Some(speedup) => estimated(&times, speedup, seed, SpeedupRow { dropped_pairs, ..row }),
        None => void(&judged, SpeedupRow { dropped_pairs, ..row }),
    }
}

fn estimated(times: &[(f64, f64)], speedup: f64, seed: u64, row: SpeedupRow) -> SpeedupRow {
    let interval = stats::ratio_interval(times, CONFIDENCE, seed);
    let (baseline, candidate): (Vec<f64>, Vec<f64>) = times.iter().copied().unzip();
    SpeedupRow {
        state: SpeedupState::Sound,
        baseline_seconds: stats::mean(&baseline),
        candidate_seconds: stats::mean(&candidate),
        speedup: Some(speedup),
        ci_low: interval.map(|interval| interval.low),
        ci_high: interval.map(|interval| interval.high),
        pairs: times.len(),
        p: stats::wilcoxon(times).map(|test| test.p),
        smallest_p: Some(stats::smallest_reachable_p(times.len())),
        effect: stats::rank_biserial(times),
        ..row
    }
}

/// A cell without a number: what went wrong, the most frequent first.
fn void(judged: &[JudgedPair], row: SpeedupRow) -> SpeedupRow {
    let mut kinds: Vec<Judgement> =
        judged.iter().map(|pair| pair.judgement).filter(|judgement| *judgement != Judgement::Sound).collect();
    kinds.sort();
    kinds.dedup();
    let pairs_of = |kind: Judgement| judged.iter().filter(|pair| pair.judgement == kind).collect::<Vec<&JudgedPair>>();
    kinds.sort_by_key(|kind| (!kind.voids(), std::cmp::Reverse(pairs_of(*kind).len())));
    let reasons: Vec<String> = kinds
        .iter()
        .map(|kind| counted(&describe(*kind, &pairs_of(*kind)), pairs_of(*kind).len(), judged.len()))
        .collect();
    match kinds.first() {
        Some(kind) => SpeedupRow { state: judged_state(*kind), reason: Some(reasons.join(", ")), ..row },
        None => SpeedupRow { state: SpeedupState::NoBaseline, reason: Some("no baseline".into()), ..row },
    }
}

fn describe(kind: Judgement, pairs: &[&JudgedPair]) -> String {
    let mean = |count: fn(&TrialRecord) -> usize| {
        let total: usize = pairs.iter().map(|pair| count(pair.candidate)).sum();
        decimal(total as f64 / pairs.len().max(1) as f64)
    };
    match kind {
        Judgement::CandidateNot(Verdict::Failing) => format!("{} failing", mean(|t| t.tally.failures())),
        Judgement::CandidateNot(Verdict::LostTests) => format!("{} lost", mean(|t| t.tally.not_run)),
        Judgement::CandidateNot(verdict) => label(verdict).to_owned(),
        Judgement::BaselineNot(verdict) => format!("baseline {}", label(verdict)),
        Judgement::OutcomesDiffer => "outcomes differ".to_owned(),
        Judgement::Sound => String::new(),
    }
}

fn label(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Clean => "clean",
        Verdict::Failing => "failing",
        Verdict::LostTests => "lost tests",
        Verdict::TimedOut => "TO",
        Verdict::Crashed => "crashed",
        Verdict::Unsupported => "n/a",
        Verdict::BuildFailed => "build failed",
        Verdict::HarnessError => "error",
    }
}

fn judged_state(judgement: Judgement) -> SpeedupState {
    match judgement {
        Judgement::Sound => SpeedupState::Sound,
        Judgement::OutcomesDiffer => SpeedupState::OutcomesDiffer,
        Judgement::CandidateNot(verdict) => state_of(verdict),
        Judgement::BaselineNot(_) => SpeedupState::NoBaseline,
    }
}

fn state_of(verdict: Verdict) -> SpeedupState {
    match verdict {
        Verdict::Clean => SpeedupState::Sound,
        Verdict::Failing => SpeedupState::Failing,
        Verdict::LostTests => SpeedupState::LostTests,
        Verdict::TimedOut => SpeedupState::TimedOut,
        Verdict::Crashed => SpeedupState::Crashed,
        Verdict::Unsupported => SpeedupState::Unsupported,
        Verdict::BuildFailed => SpeedupState::BuildFailed,
        Verdict::HarnessError => SpeedupState::HarnessError,
    }
}

pub(super) fn averages(run: &RunData, rows: &[SpeedupRow]) -> Vec<AverageRow> {
    let manifest = &run.manifest;
    let mut averages = Vec::new();
    for cores in &manifest.cores {
        let here: Vec<&SpeedupRow> = rows.iter().filter(|row| row.cores == *cores).collect();
        for scope in [Scope::All, Scope::Study] {
            let members = scope.members(&here);
            for configuration in manifest.configurations.iter().filter(|c| c.name != manifest.baseline) {
                let of_it = here.iter().copied().filter(|row| row.configuration == configuration.name);
                let chosen: Vec<&SpeedupRow> = of_it.filter(|row| members.has(&row.subject)).collect();
                averages.push(average(&configuration.name, *cores, scope, &chosen));
            }
        }
    }
    averages
}

/// The subjects of a scope, at one number of cores.
pub struct Members<'a> {
    scope: Scope,
    gained: HashSet<&'a str>,
}

impl Scope {
    /// Given all rows at that number of cores.
    pub fn members<'a>(self, rows: &[&'a SpeedupRow]) -> Members<'a> {
        let gained = rows.iter().filter(|row| row.gained()).map(|row| row.subject.as_str()).collect();
        Members { scope: self, gained }
    }
}

impl Members<'_> {
    pub fn has(&self, subject: &str) -> bool {
        match self.scope {
            Scope::All => true,
            Scope::Study => self.gained.contains(subject),
        }
    }
}

fn average(configuration: &str, cores: usize, scope: Scope, rows: &[&SpeedupRow]) -> AverageRow {
    let speedups: Vec<f64> = rows.iter().filter_map(|row| row.speedup).collect();
    AverageRow {
        configuration: configuration.to_owned(),
        cores,
        scope,
        subjects: speedups.len(),
        gained: rows.iter().filter(|row| row.gained()).count(),
        average: stats::mean(&speedups),
        median: stats::median(&speedups),
        geometric_mean: stats::geometric_mean(&speedups),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Analysis;
    use crate::report::sample;

    fn row<'a>(analysis: &'a Analysis, subject: &str, configuration: &str) -> &'a SpeedupRow {
        analysis.speedups.iter().find(|row| row.subject == subject && row.configuration == configuration).unwrap()
    }

    fn text(subject: &str, configuration: &str) -> String {
        row(sample::studied(), subject, configuration).text()
    }

    #[test]
    fn a_speedup_is_the_ratio_of_the_means() {
        let row = row(sample::studied(), "clean-gain", "methods");
        assert!((row.speedup.unwrap() - 62.0 / 42.0).abs() < 1e-12);
        assert_eq!((row.pairs, row.dropped_pairs, row.p), (5, 0, Some(0.0625)));
        assert!(row.ci_low.unwrap() <= row.speedup.unwrap() && row.speedup.unwrap() <= row.ci_high.unwrap());
    }

    #[test]
    fn a_failing_run_is_no_speedup_however_fast() {
        assert_eq!(text("data-race", "plain"), "6 failing");
        assert_eq!(row(sample::studied(), "data-race", "plain").speedup, None);
    }

    #[test]
    fn one_failing_repetition_voids_the_cell() {
        assert_eq!(text("order-in-class", "plain"), "3 failing in 1 of 5");
        assert_eq!(row(sample::studied(), "order-in-class", "plain").speedup, None);
    }

    #[test]
    fn every_other_reason_is_shown() {
        assert_eq!(text("hangs", "methods"), "TO");
        assert_eq!(text("hangs", "plain"), "TO in 2 of 5");
        assert_eq!(text("loses-tests", "methods"), "5 lost");
        assert_eq!(text("loses-tests", "plain"), "crashed");
        assert_eq!(text("testng-only", "methods"), "n/a");
        assert_eq!(text("does-not-build", "classes"), "build failed");
    }

    #[test]
    fn a_run_that_skips_what_the_baseline_passed_is_not_compared() {
        let mut run = sample::study();
        for trial in run.trials.iter_mut().filter(|t| t.subject == "clean-gain" && t.configuration == "classes") {
            trial.tally.passed -= 1;
            trial.tally.skipped += 1;
        }
        assert_eq!(row(&Analysis::of(&run), "clean-gain", "classes").text(), "outcomes differ");
    }

    #[test]
    fn an_unclean_baseline_takes_only_its_pair_away() {
        let mut run = sample::study();
        let baseline = |t: &&mut TrialRecord| t.subject == "clean-gain" && t.configuration == "sequential";
        run.trials.iter_mut().find(baseline).unwrap().verdict = Verdict::Failing;
        let analysis = Analysis::of(&run);
        let row = row(&analysis, "clean-gain", "classes");
        assert_eq!((row.pairs, row.dropped_pairs, row.state), (4, 1, SpeedupState::Sound));
    }

    #[test]
    fn pairs_come_from_the_same_block() {
        let mut run = sample::study();
        run.trials.retain(|t| !(t.subject == "clean-gain" && t.configuration == "sequential" && t.repetition == 1));
        run.trials.retain(|t| !(t.subject == "clean-gain" && t.configuration == "classes" && t.repetition == 2));
        let analysis = Analysis::of(&run);
        let row = row(&analysis, "clean-gain", "classes");
        assert_eq!((row.pairs, row.baseline_seconds), (3, Some(63.0)));
    }

    #[test]
    fn averages_are_over_sound_cells_and_the_studys_over_those_who_gained() {
        let average = |scope| {
            let rows = &sample::studied().averages;
            rows.iter().find(|row| row.configuration == "methods" && row.scope == scope).cloned().unwrap()
        };
        assert_eq!((average(Scope::All).subjects, average(Scope::All).gained), (3, 2));
        assert_eq!(average(Scope::Study).subjects, 2);
        assert!(average(Scope::Study).average > average(Scope::All).average);
    }

    #[test]
    fn the_correction_is_over_the_subjects_of_a_configuration() {
        assert_eq!(row(sample::studied(), "clean-gain", "plain").p_holm, Some(0.125));
        assert_eq!(row(sample::studied(), "clean-gain", "classes").p_holm, Some(0.375));
    }
}
