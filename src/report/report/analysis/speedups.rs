//! Table IV: how much faster each configuration is than the baseline, and where that question has no answer.
//!
//! A ratio is taken over blocks in which both sides are sound. One repetition in which the suite itself misbehaved under
//! the candidate voids the cell: a configuration that fails now and then is not a faster way to run the suite.

use std::collections::HashSet;

use serde::Serialize;

use super::grid::{CellKey, Grid, Presence};
use crate::engine::EngineKind;
use crate::experiment::{ComparisonFamily, by_family};
use crate::pairing::{Judgement, RunPair, pairs_of};
use crate::shown_text::{counted, decimal, decimals_beside_one};
use crate::stats;
use crate::stats::speed_judgement::{self, ObservedConcurrency, SpeedComparison, SpeedJudgement, compare_pairs};
use crate::store::record::{RunData, TrialRecord, Verdict};
use crate::suite::FindingKind;
use crate::wording::plural;

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
    /// How the interval was found: `bca_bootstrap` or `log_ratio_t`. Two pairs and fewer have none.
    pub ci_method: Option<&'static str>,
    /// What all this shows. Whatever claims a speed goes by it.
    pub judgement: SpeedJudgement,
    /// Pairs of the same block that were used.
    pub pairs: usize,
    /// Pairs that were left out as one side yielded nothing to compare.
    pub dropped_pairs: usize,
    /// Two-sided Wilcoxon signed-rank test over the pairs, exact up to 50 pairs that differ.
    pub p: Option<f64>,
    /// After Holm's correction over the subjects of this configuration and number of cores.
    pub p_holm: Option<f64>,
    /// The smallest p that so many pairs can reach.
    pub smallest_p: Option<f64>,
    /// Used pairs whose candidate showed the asked-for concurrency. Without that nothing was gained from parallelism.
    pub overlapping_pairs: usize,
    /// Pairs of model suites that repeat what another of the merged runs computed; they are counted once.
    pub repeated_pairs: usize,
    /// Matched-pairs rank-biserial correlation; 1 if the candidate was faster every time.
    pub effect: Option<f64>,
    /// Why the mode is taken to have had no effect, where it had none.
    #[serde(skip)]
    pub idleness: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SpeedupState {
    /// There is a number to trust.
    Sound,
    Failing,
    LostTests,
    OutcomesDiffer,
    /// Set-aside tests ran to their end on one side only.
    SetAsideDiffer,
    /// The baseline did not run the whole suite.
    BaselinePartial,
    TimedOut,
    Crashed,
    Unsupported,
    BuildFailed,
    HarnessError,
    Contradicted,
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
    /// Every subject whose comparison gives an answer.
    #[default]
    All,
    /// As the study has it: only subjects on which some configuration is faster.
    Study,
}

/// Speedups of one configuration over subjects.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct AverageRow {
    pub configuration: String,
    pub cores: usize,
    pub scope: Scope,
    /// Subjects whose comparison gives an answer: what the averages are over.
    pub subjects: usize,
    /// Those of them on which it is faster.
    pub gained: usize,
    /// Subjects with a sound speedup that has too few pairs, or was measured without concurrency.
    pub left_out: usize,
    pub average: Option<f64>,
    pub median: Option<f64>,
    pub geometric_mean: Option<f64>,
}

impl SpeedupRow {
    /// As the table prints it: `1.59`, `3 failing`, `TO`, …
    pub fn text(&self) -> String {
        match self.speedup {
            Some(speedup) => self.with_decimals(speedup),
            None => self.reason.clone().unwrap_or_default(),
        }
    }

    /// A speedup or an end of its interval. Where they show a difference, none of them reads like 1.
    pub fn with_decimals(&self, ratio: f64) -> String {
        let shown = [self.speedup, self.ci_low, self.ci_high];
        let is_shown = matches!(self.judgement, SpeedJudgement::Faster | SpeedJudgement::Slower);
        let shown: Vec<f64> = shown.into_iter().flatten().filter(|_| is_shown).collect();
        let decimals = decimals_beside_one(&shown);
        format!("{ratio:.decimals$}")
    }

    /// Is the configuration shown to be faster here?
    pub fn gained(&self) -> bool {
        self.judgement == SpeedJudgement::Faster
    }

    /// The speedup, where it may be drawn and averaged.
    pub fn answer(&self) -> Option<f64> {
        self.speedup.filter(|_| self.judgement.is_answer())
    }

    /// `95 % CI 1.41–1.77 (t), 10 pairs`.
    pub fn evidence(&self) -> String {
        let pairs = plural(self.pairs, "pair");
        match self.interval_text() {
            Some(interval) => format!("95 % CI {interval}, {pairs}"),
            None => pairs,
        }
    }

    /// `1.41–1.77 (t)`.
    pub fn interval_text(&self) -> Option<String> {
        let (low, high) = (self.ci_low?, self.ci_high?);
        Some(format!("{}–{} ({})", self.with_decimals(low), self.with_decimals(high), self.method()?.label()))
    }

    pub fn method(&self) -> Option<stats::IntervalMethod> {
        stats::IntervalMethod::ALL.into_iter().find(|method| Some(method.name()) == self.ci_method)
    }

    /// What the comparison shows, with the numbers that it rests on; why there is nothing to compare, where there is not.
    pub fn told(&self) -> String {
        let numbers = self
            .speedup
            .map(|speedup| format!("({}×, {})", self.with_decimals(speedup), self.evidence()))
            .unwrap_or_default();
        match self.judgement {
            SpeedJudgement::Faster | SpeedJudgement::Slower | SpeedJudgement::NoDifferenceShown => {
                format!("{} {numbers}", self.judgement.words())
            }
            SpeedJudgement::NotEnoughRuns => format!("not enough runs to tell ({})", self.lacking()),
            SpeedJudgement::NoConcurrency => format!("no claim: {}", self.idleness.as_deref().unwrap_or_default()),
            SpeedJudgement::NotCompared => self.reason.clone().unwrap_or_default(),
        }
    }

    /// `1 pair; five are needed`.
    pub fn lacking(&self) -> String {
        speed_judgement::lacking(self.pairs)
    }
}

pub(super) fn rows(grid: &Grid) -> Vec<SpeedupRow> {
    let baseline = grid.run.manifest.baseline.as_str();
    let keys: Vec<CellKey> = grid.keys(|c| c.name != baseline).map(|(key, _)| key).collect();
    let mut rows = on_all_cores(&keys, |key| row(grid, *key));
    correct(&mut rows);
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

/// Holm's correction within each family.
fn correct(rows: &mut [SpeedupRow]) {
    let mut corrected: Vec<(usize, f64)> = Vec::new();
    let tested = rows.iter().enumerate().filter_map(|(at, row)| {
        let family = ComparisonFamily { configuration: &row.configuration, cores: row.cores };
        row.p.map(|p| (family, (at, p)))
    });
    for family in by_family(tested).into_values() {
        let raw: Vec<f64> = family.iter().map(|(_, p)| *p).collect();
        corrected.extend(family.iter().map(|(at, _)| *at).zip(stats::holm(&raw)));
    }
    for (at, p) in corrected {
        rows[at].p_holm = Some(p);
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
            compared(&block, empty)
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
    baseline: &'a TrialRecord,
    candidate: &'a TrialRecord,
    times: (f64, f64),
}

impl JudgedPair<'_> {
    /// Did the mode have an effect? A trial that says itself that it had none is believed.
    fn showed_concurrency(&self) -> bool {
        let had_none = self.candidate.findings.iter().any(|finding| finding.kind == FindingKind::NoConcurrency);
        self.candidate.concurrency.max > 1 && !had_none
    }

    /// The same computation once more? A model suite's times follow from its file, its settings and its seed: where two merged runs
    /// have the same, the second is no measurement of its own.
    fn repeats(&self, earlier: &JudgedPair) -> bool {
        let computed = [self.baseline, earlier.baseline];
        computed.iter().all(|trial| trial.engine == Some(EngineKind::Model))
            && self.times == earlier.times
            && is_repeated(self.candidate, earlier.candidate)
    }
}

/// Is a trial of a model suite the same computation as an earlier one of another of the merged runs?
pub(super) fn is_repeated(trial: &TrialRecord, earlier: &TrialRecord) -> bool {
    let cell = |trial: &TrialRecord| (trial.subject.clone(), trial.configuration.clone(), trial.cores);
    let run = |trial: &TrialRecord| trial.provenance.as_ref().map(|provenance| provenance.run.clone());
    [trial, earlier].iter().all(|trial| trial.engine == Some(EngineKind::Model))
        && run(trial) != run(earlier)
        && trial.cost.wall_seconds == earlier.cost.wall_seconds
        && trial.outcomes_hash == earlier.outcomes_hash
        && cell(trial) == cell(earlier)
}

impl<'a> Block<'_, 'a> {
    /// A pair for every candidate whose block has a baseline too.
    fn pairs(&self) -> Vec<JudgedPair<'a>> {
        let judged = |RunPair { judgement, baseline, candidate }| JudgedPair {
            judgement,
            baseline,
            candidate,
            times: (baseline.cost.wall_seconds, candidate.cost.wall_seconds),
        };
        pairs_of(self.candidates, self.baselines).into_iter().map(judged).collect()
    }
}

/// Times of baseline and candidate in the blocks in which both are sound.
pub(in crate::report) fn sound_pairs(grid: &Grid, key: CellKey) -> Vec<(f64, f64)> {
    let against = CellKey { configuration: &grid.run.manifest.baseline, ..key };
    let block = Block { candidates: grid.trials(key), baselines: grid.trials(against) };
    SoundPairs::of(&block.pairs()).times()
}

/// The pairs that a speedup is taken over.
struct SoundPairs<'p, 'a> {
    used: Vec<&'p JudgedPair<'a>>,
    repeated: usize,
}

impl<'p, 'a> SoundPairs<'p, 'a> {
    fn of(judged: &'p [JudgedPair<'a>]) -> Self {
        let mut pairs = SoundPairs { used: Vec::new(), repeated: 0 };
        for pair in judged {
            if pair.judgement != Judgement::Sound {
                continue;
            }
            if pairs.used.iter().any(|earlier| pair.repeats(earlier)) {
                pairs.repeated += 1;
            } else {
                pairs.used.push(pair);
            }
        }
        pairs
    }

    fn times(&self) -> Vec<(f64, f64)> {
        self.used.iter().map(|pair| pair.times).collect()
    }

    fn overlapping(&self) -> usize {
        self.used.iter().filter(|pair| pair.showed_concurrency()).count()
    }

    /// As the first trial without concurrency recorded it.
    fn idleness(&self) -> Option<String> {
        let idle = self.used.iter().find(|pair| !pair.showed_concurrency())?;
        let recorded = idle.candidate.findings.iter().find(|finding| finding.kind == FindingKind::NoConcurrency);
        let text = recorded.map_or("no two tests ran at the same time", |finding| &finding.text);
        Some(counted(text, self.used.len() - self.overlapping(), self.used.len()))
    }
}

fn compared(block: &Block, row: SpeedupRow) -> SpeedupRow {
    let judged = block.pairs();
    let pairs = SoundPairs::of(&judged);
    let dropped_pairs = block.candidates.len() - pairs.used.len() - pairs.repeated;
    let row = SpeedupRow { dropped_pairs, ..row };
    if judged.iter().any(|pair| pair.judgement.voids()) {
        return void(&judged, row);
    }
    let concurrency = ObservedConcurrency::in_runs(pairs.overlapping(), pairs.used.len());
    let shown = compare_pairs(&pairs.times(), concurrency);
    match shown.ratio {
        Some(_) => estimated(&pairs, &shown, row),
        None => void(&judged, row),
    }
}

fn estimated(pairs: &SoundPairs, shown: &SpeedComparison, row: SpeedupRow) -> SpeedupRow {
    let times = pairs.times();
    let (baseline, candidate): (Vec<f64>, Vec<f64>) = times.iter().copied().unzip();
    SpeedupRow {
        state: SpeedupState::Sound,
        baseline_seconds: stats::mean(&baseline),
        candidate_seconds: stats::mean(&candidate),
        speedup: shown.ratio,
        ci_low: shown.low(),
        ci_high: shown.high(),
        ci_method: shown.method(),
        judgement: shown.judgement,
        pairs: times.len(),
        overlapping_pairs: pairs.overlapping(),
        repeated_pairs: pairs.repeated,
        p: stats::wilcoxon(&times).map(|test| test.p),
        smallest_p: Some(stats::smallest_reachable_p(times.len())),
        effect: stats::rank_biserial(&times),
        idleness: pairs.idleness(),
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
        None => {
            let reason = if judged.is_empty() { "no baseline" } else { "times of zero: no ratio" };
            SpeedupRow { state: SpeedupState::NoBaseline, reason: Some(reason.into()), ..row }
        }
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
        Judgement::SetAsideDiffer => "set-aside tests cut short".to_owned(),
        Judgement::BaselinePartial => "baseline not whole".to_owned(),
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
        Verdict::Contradicted => "contradicted",
    }
}

fn judged_state(judgement: Judgement) -> SpeedupState {
    match judgement {
        Judgement::Sound => SpeedupState::Sound,
        Judgement::OutcomesDiffer => SpeedupState::OutcomesDiffer,
        Judgement::SetAsideDiffer => SpeedupState::SetAsideDiffer,
        Judgement::BaselinePartial => SpeedupState::BaselinePartial,
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
        Verdict::Contradicted => SpeedupState::Contradicted,
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
    let speedups: Vec<f64> = rows.iter().filter_map(|row| row.answer()).collect();
    AverageRow {
        configuration: configuration.to_owned(),
        cores,
        scope,
        subjects: speedups.len(),
        gained: rows.iter().filter(|row| row.gained()).count(),
        left_out: rows.iter().filter(|row| row.speedup.is_some() && row.answer().is_none()).count(),
        average: stats::mean(&speedups),
        median: stats::median(&speedups),
        geometric_mean: stats::geometric_mean(&speedups),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Analysis;
    use crate::report::analysis::WarningKind;
    use crate::report::sample;
    use crate::store::record::Provenance;

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
    fn set_aside_tests_that_do_not_end_in_parallel_are_no_speedup() {
        let mut run = sample::study();
        let cut =
            crate::suite::Finding::new(FindingKind::SetAsideCut, "1 set-aside test did not run to the end: `C#t`");
        for trial in run.trials.iter_mut().filter(|t| t.subject == "clean-gain" && t.configuration == "classes") {
            trial.findings.push(cut.clone());
        }
        let analysis = Analysis::of(&run);
        let row = row(&analysis, "clean-gain", "classes");
        assert_eq!((row.text().as_str(), row.speedup), ("set-aside tests cut short", None));
        let told = analysis.warnings.iter().find(|warning| warning.kind == WarningKind::SetAsideCut).unwrap();
        assert!(told.text.contains("`C#t`") && told.gravity == crate::report::analysis::Gravity::Grave, "{told:?}");
    }

    #[test]
    fn no_more_is_gained_than_workers_explain() {
        let warned = |wall: f64| {
            let mut run = sample::study();
            retimed(&mut run, "sequential", &[wall; 5]);
            let cell = |t: &&mut TrialRecord| t.subject == "clean-gain" && t.configuration == "classes";
            run.trials.iter_mut().filter(cell).for_each(|trial| trial.concurrency.max = 2);
            let warnings = Analysis::of(&run).warnings;
            let found = warnings.into_iter().filter(|warning| warning.kind == WarningKind::BeyondWorkers);
            found
                .filter(|warning| warning.configuration.as_deref() == Some("classes"))
                .map(|w| w.text)
                .collect::<Vec<_>>()
        };
        assert_eq!(warned(60.0), Vec::<String>::new());
        assert!(warned(100.0)[0].contains("at most 2 tests ran at once"), "{:?}", warned(100.0));
    }

    #[test]
    fn an_unclean_baseline_takes_only_its_pair_away() {
        let mut run = sample::study();
        let baseline = |t: &&mut TrialRecord| t.subject == "clean-gain" && t.configuration == "sequential";
        run.trials.iter_mut().find(baseline).unwrap().verdict = Verdict::Failing;
        let analysis = Analysis::of(&run);
        let row = row(&analysis, "clean-gain", "classes");
        assert_eq!((row.pairs, row.dropped_pairs, row.state), (4, 1, SpeedupState::Sound));
        assert_eq!(row.judgement, SpeedJudgement::NotEnoughRuns);
        assert_eq!(row.told(), "not enough runs to tell (4 pairs; five are needed)");
    }

    #[test]
    fn times_of_zero_are_not_called_a_missing_baseline() {
        let mut run = sample::study();
        retimed(&mut run, "sequential", &[0.0; 5]);
        retimed(&mut run, "classes", &[0.0; 5]);
        assert_eq!(row(&Analysis::of(&run), "clean-gain", "classes").text(), "times of zero: no ratio");
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
    fn averages_are_over_answers_and_the_studys_over_those_who_gained() {
        let average = |name: &str, scope| {
            let rows = &sample::studied().averages;
            rows.iter().find(|row| row.configuration == name && row.scope == scope).cloned().unwrap()
        };
        let (all, study) = (average("methods", Scope::All), average("methods", Scope::Study));
        assert_eq!((all.subjects, all.gained, all.left_out), (2, 2, 1), "in one the mode had no effect");
        assert_eq!((study.subjects, study.left_out), (2, 0));
        let (all, study) = (average("classes", Scope::All), average("classes", Scope::Study));
        assert_eq!((all.subjects, all.gained, study.subjects), (6, 4, 4));
        assert!(study.average > all.average);
    }

    /// The wall times of a cell, one after the other.
    fn retimed(run: &mut RunData, configuration: &str, walls: &[f64]) {
        let cell = |t: &&mut TrialRecord| t.subject == "clean-gain" && t.configuration == configuration;
        for (trial, wall) in run.trials.iter_mut().filter(cell).zip(walls) {
            trial.cost.wall_seconds = *wall;
        }
    }

    #[test]
    fn an_interval_that_includes_one_shows_no_difference() {
        let mut run = sample::study();
        retimed(&mut run, "sequential", &[20.0, 30.0, 10.0, 25.0, 15.0]);
        retimed(&mut run, "classes", &[10.0, 25.0, 18.0, 12.0, 30.0]);
        let analysis = Analysis::of(&run);
        let row = row(&analysis, "clean-gain", "classes");
        assert!(row.speedup.unwrap() > 1.0 && row.ci_low.unwrap() < 1.0);
        assert_eq!((row.judgement, row.ci_method), (SpeedJudgement::NoDifferenceShown, Some("log_ratio_t")));
        assert!(row.told().starts_with("no difference shown (1.05×, 95 % CI 0.4"), "{}", row.told());
    }

    #[test]
    fn without_overlap_in_every_run_nothing_is_claimed() {
        let mut run = sample::study();
        let cell = |t: &&mut TrialRecord| t.subject == "clean-gain" && t.configuration == "classes";
        run.trials.iter_mut().find(cell).unwrap().concurrency.max = 1;
        let analysis = Analysis::of(&run);
        let row = row(&analysis, "clean-gain", "classes");
        assert_eq!((row.judgement, row.overlapping_pairs), (SpeedJudgement::NoConcurrency, 4));
        assert_eq!(row.told(), "no claim: no two tests ran at the same time in 1 of 5");
    }

    /// The sample as if it had been merged from two runs: the blocks of the second follow those of the first.
    fn merged(engine: EngineKind, factor: f64) -> RunData {
        let mut run = sample::study();
        let from = |trial: &TrialRecord, run: &str, repetition| TrialRecord {
            engine: Some(engine),
            repetition,
            provenance: Some(Provenance {
                run: run.to_owned(),
                host: "laboratory".to_owned(),
                trial: trial.trial.clone(),
                repetition: trial.repetition,
            }),
            ..trial.clone()
        };
        let first: Vec<TrialRecord> = run.trials.iter().map(|trial| from(trial, "a", trial.repetition)).collect();
        let mut second: Vec<TrialRecord> = run.trials.iter().map(|t| from(t, "b", t.repetition + 5)).collect();
        second.iter_mut().for_each(|trial| trial.cost.wall_seconds *= factor);
        run.trials = first.into_iter().chain(second).collect();
        run
    }

    #[test]
    fn a_model_that_is_computed_again_is_no_new_evidence() {
        let counts = |run: &RunData| {
            let analysis = Analysis::of(run);
            let row = row(&analysis, "clean-gain", "classes");
            let warned = analysis.warnings.iter().any(|warning| warning.kind == WarningKind::RepeatedModel);
            (row.pairs, row.repeated_pairs, warned, analysis.headline.provoked)
        };
        let once = sample::studied().headline.provoked;
        assert!(once > 0);
        assert_eq!(counts(&merged(EngineKind::Model, 1.0)), (5, 5, true, once));
        assert_eq!(counts(&merged(EngineKind::Model, 1.01)), (10, 0, false, 2 * once), "another computation");
        assert_eq!(counts(&merged(EngineKind::Surefire, 1.0)), (10, 0, false, 2 * once), "times that were measured");
    }

    #[test]
    fn the_correction_is_over_the_subjects_of_a_configuration() {
        assert_eq!(row(sample::studied(), "clean-gain", "plain").p_holm, Some(0.125));
        assert_eq!(row(sample::studied(), "clean-gain", "classes").p_holm, Some(0.375));
    }
}
