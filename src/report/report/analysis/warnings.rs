//! Reasons to distrust a number, found in the records. Each says what was recorded, and no cause that was not.
//!
//! They form one list with the gravest first. The page, the terminal, `warnings.csv` and the headline's caveats are made from
//! it in this order.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde::Serialize;

use super::concurrency::ConcurrencyRow;
use super::grid::{CellKey, Grid, ran_to_its_end};
use super::idle_baseline::{contradicted, idle_only_in_baseline, impossibly_short};
use super::outside_tests::slow_outside_tests;
use super::speedups::{SpeedupRow, SpeedupState};
use super::threats::timed_by_a_clock;
use crate::engine::EngineKind;
use crate::experiment::Trial;
use crate::shown_text::shown;
use crate::stats;
use crate::stats::speed_judgement::{FEWEST_PAIRS, FEWEST_PAIRS_WORD, SpeedJudgement};
use crate::store::record::{ConfigurationSummary, Phase, RunData, SubjectRecord, TrialRecord, Verdict};
use crate::suite::FindingKind;
use crate::wording::{VIRTUAL_TIME, counted, plural};

/// Times whose standard deviation exceeds this part of their mean are called unsteady.
const UNSTEADY: f64 = 0.10;
/// A time this far from the mean is called extreme.
const EXTREME: f64 = 0.50;
/// A first run is slow if it takes this part longer than the median of the others.
const SLOW_START: f64 = 0.20;
/// Times drift if the run's halves differ by more than this part.
const DRIFT: f64 = 0.05;
/// A suite of which this part does not pass without parallelism is in doubt as a whole.
const FAILING_PART: f64 = 0.10;
/// Places of a warning that are named; of more the number is told.
const MOST_PLACES: usize = 6;
/// Halves of fewer trials say nothing about drift.
const TRIALS_FOR_DRIFT: usize = 12;

/// How much a warning takes from the numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Gravity {
    /// Read it before any number: all or many of them are in doubt.
    #[default]
    Grave,
    /// Some numbers say less than they seem to.
    Serious,
    /// One cell is unsteady.
    Minor,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Warning {
    pub gravity: Gravity,
    pub kind: WarningKind,
    pub subject: Option<String>,
    pub configuration: Option<String>,
    pub cores: Option<usize>,
    pub text: String,
}

/// In the order in which they are told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WarningKind {
    /// What was recorded is not what is there now.
    RecordAltered,
    RowsUnread,
    RecordsDisagree,
    Contradicted,
    /// The baseline's own runs left a part of the suite out.
    BaselinePartial,
    ImpossiblyShort,
    /// Set-aside tests ran to their end in the baseline only, or in the candidate only.
    SetAsideCut,
    /// A speedup above the number of tests that ran at once.
    BeyondWorkers,
    IdleOnlyInBaseline,
    SlowOutsideTests,
    /// The run was resumed although something had changed.
    AcceptedChanges,
    VirtualTime,
    #[default]
    Quick,
    HighLoad,
    Strained,
    SuiteFails,
    SetAside,
    BaselineNotClean,
    /// The run is of a part of the experiment.
    LeftOut,
    Unfinished,
    RepeatedModel,
    Merged,
    OtherHarness,
    NoConcurrency,
    TooFewPairs,
    FewPairs,
    Drift,
    Unsteady,
    Extreme,
    SlowStart,
    /// Whether the record was changed cannot be seen.
    Unchained,
}

impl Warning {
    pub(super) fn of_run(kind: WarningKind, text: String) -> Self {
        Warning { gravity: kind.gravity(), kind, subject: None, configuration: None, cores: None, text }
    }

    fn of_subject(kind: WarningKind, subject: &str, text: String) -> Self {
        Warning { subject: Some(subject.to_owned()), ..Warning::of_run(kind, text) }
    }

    pub(super) fn of_cell(kind: WarningKind, key: CellKey, text: String) -> Self {
        Warning {
            configuration: Some(key.configuration.to_owned()),
            cores: Some(key.cores),
            ..Warning::of_subject(kind, key.subject, text)
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
    pub fn gravity(self) -> Gravity {
        match self {
            WarningKind::RecordAltered
            | WarningKind::RecordsDisagree
            | WarningKind::Contradicted
            | WarningKind::BaselinePartial
            | WarningKind::ImpossiblyShort
            | WarningKind::SetAsideCut
            | WarningKind::BeyondWorkers
            | WarningKind::IdleOnlyInBaseline
            | WarningKind::SlowOutsideTests
            | WarningKind::AcceptedChanges
            | WarningKind::RowsUnread
            | WarningKind::VirtualTime
            | WarningKind::Quick
            | WarningKind::HighLoad
            | WarningKind::Strained
            | WarningKind::SuiteFails
            | WarningKind::SetAside
            | WarningKind::BaselineNotClean
            | WarningKind::LeftOut
            | WarningKind::Unfinished => Gravity::Grave,
            WarningKind::RepeatedModel
            | WarningKind::Merged
            | WarningKind::OtherHarness
            | WarningKind::NoConcurrency
            | WarningKind::TooFewPairs
            | WarningKind::FewPairs
            | WarningKind::Drift => Gravity::Serious,
            WarningKind::Unsteady | WarningKind::Extreme | WarningKind::SlowStart | WarningKind::Unchained => {
                Gravity::Minor
            }
        }
    }

    /// What warnings of a kind have in common that give each place a number of its own.
    fn in_general(self) -> Option<&'static str> {
        match self {
            WarningKind::Unsteady => Some("times vary: the standard deviation is more than 10 % of the mean"),
            WarningKind::Extreme => Some("single times differ from the mean by more than 50 %"),
            WarningKind::SlowStart => Some("the first repetition took more than 20 % longer than the others"),
            _ => None,
        }
    }
}

/// Warnings that say the same of several places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WarningGroup {
    pub gravity: Gravity,
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
                groups.push(WarningGroup { gravity: warning.gravity, text: text.to_owned(), places: Vec::new() });
                groups.len() - 1
            });
            groups[at].places.extend(warning.place());
        }
        groups
    }

    /// The text with where it applies; of many places the first are named.
    pub fn told(&self) -> String {
        match self.places.len() {
            0 => self.text.clone(),
            1..=MOST_PLACES => format!("{} ({})", self.text, self.places.join("; ")),
            many => {
                let more = plural(many - MOST_PLACES, "more place");
                format!("{} ({}; and {more})", self.text, self.places[..MOST_PLACES].join("; "))
            }
        }
    }
}

/// The gravest, each in a sentence: what accompanies the headline.
pub(super) fn caveats(warnings: &[Warning]) -> Vec<String> {
    let groups = WarningGroup::of(warnings);
    groups.iter().filter(|group| group.gravity == Gravity::Grave).map(WarningGroup::told).collect()
}

/// The gravest first; of one kind in the order in which they were found.
pub(super) fn by_gravity(warnings: &mut [Warning]) {
    warnings.sort_by_key(|warning| (warning.gravity, warning.kind));
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
    warnings.extend(accepted_changes(grid));
    warnings.extend(quick(grid));
    warnings.extend(left_out(grid.run));
    warnings.extend(unfinished(grid));
    // pytest has one engine, whatever the experiment asks for.
    let is_other = |trial: &TrialRecord| trial.engine != Some(EngineKind::Pytest);
    if measured(timed).next().is_none() || measured(timed).any(is_other) {
        warnings.extend(other_harness(
            &timed.run.manifest.configurations,
            &timed.run.manifest.baseline,
            &timed.run.trials,
        ));
    }
    warnings.extend(too_few_pairs(speedups));
    warnings.extend(few_pairs(speedups));
    warnings.extend(repeated_model(speedups));
    warnings.extend(high_load(grid));
    warnings.extend(strained(grid));
    warnings.extend(contradicted(grid));
    warnings.extend(baseline_partial(timed, speedups));
    warnings.extend(set_aside_cut(timed, speedups));
    warnings.extend(beyond_workers(timed, speedups));
    warnings.extend(impossibly_short(timed));
    warnings.extend(idle_only_in_baseline(timed, speedups));
    warnings.extend(slow_outside_tests(timed));
    for subject in &grid.run.subjects {
        warnings.extend(suite_fails(grid, subject));
        warnings.extend(set_aside(subject));
    }
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
        VIRTUAL_TIME.to_owned()
    } else {
        format!("{} of model suites have times that are computed, not measured", plural(of_models, "trial"))
    };
    (of_models > 0).then(|| Warning::of_run(WarningKind::VirtualTime, text))
}

fn quick(grid: &Grid) -> Option<Warning> {
    let text = "quick run: one repetition, or only a part of the experiment; not for publication";
    grid.run.manifest.quick.then(|| Warning::of_run(WarningKind::Quick, text.to_owned()))
}

/// Each time that a run was resumed with `--accept-changes`.
fn accepted_changes(grid: &Grid) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for accepted in &grid.run.manifest.accepted_changes {
        let changes = accepted.changes.iter().map(|change| shown(change)).collect::<Vec<_>>().join("; ");
        let day = accepted.at.strftime("%Y-%m-%d %H:%M UTC");
        let mut text =
            format!("the run was resumed on {day} with --accept-changes, although this had changed: {changes}");
        if !accepted.other_content.is_empty() {
            let subjects = accepted.other_content.iter().map(|name| shown(name)).collect::<Vec<_>>().join(", ");
            text.push_str(&format!(". Trials of earlier content do not count ({subjects})"));
        }
        warnings.push(Warning::of_run(WarningKind::AcceptedChanges, text));
    }
    warnings
}

/// Planned trials that have not run, of subjects that could be prepared.
pub(super) fn missing_trials(run: &RunData) -> usize {
    let failed = run.subjects.iter().filter(|subject| subject.failure.is_some());
    let unprepared: HashSet<&str> = failed.map(|subject| subject.subject.as_str()).collect();
    let measured = run.trials.iter().filter(|trial| trial.phase == Phase::Measured);
    let done: HashSet<&str> = measured.map(|trial| trial.trial.as_str()).collect();
    let is_missing = |t: &&Trial| !unprepared.contains(t.subject.as_str()) && !done.contains(t.id.as_str());
    run.manifest.trials.iter().filter(is_missing).count()
}

/// Subjects and configurations of the experiment that no trial was planned of. Commands on a project have no such choice.
fn left_out(run: &RunData) -> Vec<Warning> {
    let manifest = &run.manifest;
    if manifest.command.is_some() || manifest.trials.is_empty() {
        return Vec::new();
    }
    let parts = [
        ("subjects", manifest.subjects.len(), &run.left_out.subjects),
        ("configurations", manifest.configurations.len(), &run.left_out.configurations),
    ];
    let told = parts.into_iter().filter(|(_, _, others)| !others.is_empty()).map(|(what, kept, others)| {
        let mut names: Vec<String> = others.iter().take(MOST_PLACES).map(|name| shown(name)).collect();
        names.extend(others.len().checked_sub(MOST_PLACES + 1).map(|more| format!("and {} more", more + 1)));
        let were = if kept == 1 { "was" } else { "were" };
        let text = format!(
            "only {kept} of {} {what} of the experiment {were} run (--only): nothing is known of {}",
            kept + others.len(),
            names.join(", ")
        );
        Warning::of_run(WarningKind::LeftOut, text)
    });
    told.collect()
}

fn unfinished(grid: &Grid) -> Option<Warning> {
    let missing = missing_trials(grid.run);
    let text = format!("{missing} of {} planned trials have not run yet", grid.run.manifest.trials.len());
    (missing > 0).then(|| Warning::of_run(WarningKind::Unfinished, text))
}

/// Did some measured trial of a configuration run tests again?
pub(super) fn has_rerun(configuration: &str, trials: &[TrialRecord]) -> bool {
    let is_of_it = |trial: &&TrialRecord| trial.phase == Phase::Measured && trial.configuration == configuration;
    trials.iter().filter(is_of_it).any(|trial| trial.stages.len() > 1)
}

/// A time by another engine is another harness's too: Maven's start-up alone is seconds. Where nothing was rerun, it does not
/// matter what would have done it.
fn other_harness(configurations: &[ConfigurationSummary], baseline: &str, trials: &[TrialRecord]) -> Option<Warning> {
    let kept = configurations.iter().find(|each| each.name == baseline)?.harness.engine;
    let mut parts = Vec::new();
    let others = configurations.iter().filter(|each| each.harness.engine != kept);
    let names: Vec<String> = others.map(|each| shown(&each.name)).collect();
    if !names.is_empty() {
        parts.push(format!("{} ran on another engine than the baseline ({kept})", names.join(", ")));
    }
    let reruns = |each: &&ConfigurationSummary| {
        let is_other = each.harness.engine == kept && each.technique.reruns() && each.harness.rerun_engine != kept;
        is_other && has_rerun(&each.name, trials)
    };
    let names: Vec<String> = configurations.iter().filter(reruns).map(|each| shown(&each.name)).collect();
    if !names.is_empty() {
        parts.push(format!(
            "{} ran on the baseline's engine ({kept}), but rerun failed tests on another one",
            names.join(", ")
        ));
    }
    let text = format!("{}: their speedups include the difference between the engines", parts.join("; "));
    (!parts.is_empty()).then(|| Warning::of_run(WarningKind::OtherHarness, text))
}

/// Comparisons that are not judged at all.
fn too_few_pairs(speedups: &[SpeedupRow]) -> Option<Warning> {
    let compared: Vec<&SpeedupRow> = speedups.iter().filter(|row| row.speedup.is_some()).collect();
    let few = compared.iter().filter(|row| row.pairs < FEWEST_PAIRS).count();
    let lacks_interval =
        |row: &&&SpeedupRow| row.pairs >= FEWEST_PAIRS && row.judgement == SpeedJudgement::NotEnoughRuns;
    let without = compared.iter().filter(lacks_interval).count();
    let mut reasons = Vec::new();
    if few > 0 {
        reasons.push(format!("{few} with fewer than {FEWEST_PAIRS_WORD} sound pairs"));
    }
    if without > 0 {
        reasons.push(format!("{without} without an interval"));
    }
    let text = format!(
        "too few runs for a statement about speed in {} of {}: {}",
        few + without,
        plural(compared.len(), "comparison"),
        reasons.join(", ")
    );
    (few + without > 0).then(|| Warning::of_run(WarningKind::TooFewPairs, text))
}

/// Pairs so few that no outcome at all could be significant.
fn few_pairs(speedups: &[SpeedupRow]) -> Option<Warning> {
    let hopeless = |row: &&SpeedupRow| row.smallest_p.is_some_and(|p| p >= 0.05);
    let most = speedups.iter().filter(hopeless).map(|row| row.pairs).max()?;
    let text = format!(
        "{} can never reach p < 0.05 in a two-sided test (the smallest possible p is {}); six can",
        plural(most, "pair"),
        stats::smallest_reachable_p(most)
    );
    Some(Warning::of_run(WarningKind::FewPairs, text))
}

/// The same model suite, computed by several of the merged runs.
fn repeated_model(speedups: &[SpeedupRow]) -> Option<Warning> {
    let repeated: usize = speedups.iter().map(|row| row.repeated_pairs).sum();
    let text = format!(
        "{} of model suites are the same computation as in another of the merged runs: each is counted once",
        plural(repeated, "pair")
    );
    (repeated > 0).then(|| Warning::of_run(WarningKind::RepeatedModel, text))
}

/// Other work on the machine, as the trials recorded it.
fn high_load(grid: &Grid) -> Option<Warning> {
    let watched =
        timed_by_a_clock(grid.run).filter(|trial| trial.load_before.is_some() || trial.load_during.is_some()).count();
    let disturbed: Vec<&TrialRecord> = timed_by_a_clock(grid.run).filter(|trial| trial.is_disturbed()).collect();
    let most =
        |load: fn(&TrialRecord) -> Option<f64>| disturbed.iter().filter_map(|trial| load(trial)).reduce(f64::max);
    let seen = [(most(|trial| trial.load_before), "before"), (most(|trial| trial.load_during), "during")];
    let seen: Vec<String> =
        seen.iter().filter_map(|(load, when)| Some(format!("up to {:.1} cores {when} a trial", (*load)?))).collect();
    let text = format!(
        "the machine was busy: other work kept cores busy in {} of {watched} trials ({})",
        disturbed.len(),
        seen.join(", ")
    );
    (!disturbed.is_empty()).then(|| Warning::of_run(WarningKind::HighLoad, text))
}

/// Swapping and heat, each only where it was recorded.
fn strained(grid: &Grid) -> Option<Warning> {
    let count = |events: fn(&TrialRecord) -> Option<u64>| {
        timed_by_a_clock(grid.run).filter(|trial| events(trial).is_some_and(|events| events > 0)).count()
    };
    let seen = [
        (count(|trial| trial.swapped_pages), "memory was swapped during"),
        (count(|trial| trial.throttle_events), "the processor was throttled because of heat during"),
    ];
    let told = seen.iter().filter(|(trials, _)| *trials > 0);
    let told: Vec<String> = told.map(|(trials, what)| format!("{what} {}", plural(*trials, "trial"))).collect();
    (!told.is_empty()).then(|| Warning::of_run(WarningKind::Strained, told.join("; ")))
}

/// A suite of which a tenth does not pass without any parallelism: on this JDK, this machine, or at all; that is not recorded.
fn suite_fails(grid: &Grid, subject: &SubjectRecord) -> Option<Warning> {
    let is_baseline =
        |trial: &&TrialRecord| trial.subject == subject.subject && trial.configuration == grid.run.manifest.baseline;
    let failing = measured(grid).filter(is_baseline).map(|trial| trial.tally.failures() + trial.tally.not_run).max();
    let (failing, aside) = (failing.unwrap_or(0), subject.set_aside.len());
    let part = (failing + aside) as f64 / subject.tests.max(1) as f64;
    let on = subject.jdk.as_deref().map(|jdk| format!(" on JDK {}", shown(jdk))).unwrap_or_default();
    let mut parts = Vec::new();
    if aside > 0 {
        parts.push(format!("{aside} set aside after screening"));
    }
    if failing > 0 {
        parts.push(format!("{failing} failing or lost in a run of {}", shown(&grid.run.manifest.baseline)));
    }
    let text = format!(
        "{} of {} ({:.0} %) do not pass{on} without parallelism: {}",
        failing + aside,
        plural(subject.tests, "test"),
        part * 100.0,
        parts.join(", ")
    );
    (part >= FAILING_PART).then(|| Warning::of_subject(WarningKind::SuiteFails, &subject.subject, text))
}

fn set_aside(subject: &SubjectRecord) -> Option<Warning> {
    let aside = subject.set_aside.len();
    let text = format!(
        "{aside} of {} set aside, because they did not pass in all of {}: they are not counted",
        counted(subject.tests, "test was", "tests were"),
        plural(subject.screening_runs as usize, "screening run")
    );
    (aside > 0).then(|| Warning::of_subject(WarningKind::SetAside, &subject.subject, text))
}

/// Pairs that are not compared because of set-aside tests, with the first trial's finding on either side.
fn set_aside_cut(grid: &Grid, speedups: &[SpeedupRow]) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for row in speedups.iter().filter(|row| row.state == SpeedupState::SetAsideDiffer) {
        let key = speedup_place(row);
        let cut = |key: CellKey| {
            let mut found = grid.trials(key).iter().flat_map(|trial| &trial.findings);
            let found = found.find(|finding| finding.kind == FindingKind::SetAsideCut);
            found.map_or_else(|| "all set-aside tests ran to the end".to_owned(), |finding| shown(&finding.text))
        };
        let baseline = CellKey { configuration: &grid.run.manifest.baseline, ..key };
        let text = format!("not comparable: here {}; in the baseline {}", cut(key), cut(baseline));
        warnings.push(Warning::of_cell(WarningKind::SetAsideCut, key, text));
    }
    warnings
}

/// Subjects whose baseline did not run the whole suite, with what its trials say about that.
fn baseline_partial(grid: &Grid, speedups: &[SpeedupRow]) -> Vec<Warning> {
    let subjects: BTreeSet<&str> = speedups.iter().map(|row| row.subject.as_str()).collect();
    let mut warnings = Vec::new();
    for subject in subjects {
        let left_out = left_out_by_baseline(grid, subject);
        if !left_out.is_empty() {
            let text =
                format!("no speed is judged where the baseline did not run the whole suite: {}", left_out.join("; "));
            warnings.push(Warning::of_subject(WarningKind::BaselinePartial, subject, text));
        }
    }
    warnings
}

/// Each finding of the baseline's clean trials about tests that it left out, once.
fn left_out_by_baseline(grid: &Grid, subject: &str) -> Vec<String> {
    let is_of_it = |trial: &&TrialRecord| {
        let is_baseline = trial.configuration == grid.run.manifest.baseline;
        is_baseline && trial.subject == subject && trial.verdict == Verdict::Clean
    };
    let mut texts: Vec<String> = Vec::new();
    for finding in measured(grid).filter(is_of_it).flat_map(|trial| &trial.findings) {
        let is_told = matches!(finding.kind, FindingKind::LostTests | FindingKind::SetAsideCut);
        let text = shown(&finding.text);
        if is_told && !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts
}

/// Parallel execution alone gains at most as many times as tests ran at once.
fn beyond_workers(grid: &Grid, speedups: &[SpeedupRow]) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for row in speedups.iter().filter(|row| row.gained()) {
        let key = speedup_place(row);
        let most = grid.trials(key).iter().map(|trial| trial.concurrency.max).max().unwrap_or(0);
        if let Some(speedup) = row.speedup.filter(|speedup| *speedup > most as f64) {
            let text = format!(
                "the speedup of {speedup:.2}× is more than parallel execution explains, as at most {most} tests ran at once: \
                 the two configurations do not do the same work; do not believe it before you know why"
            );
            warnings.push(Warning::of_cell(WarningKind::BeyondWorkers, key, text));
        }
    }
    warnings
}

fn speedup_place(row: &SpeedupRow) -> CellKey<'_> {
    CellKey { subject: &row.subject, configuration: &row.configuration, cores: row.cores }
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
    let direction = if change > 0.0 { "longer" } else { "shorter" };
    let text =
        format!("times in the second half of the run were {:.0} % {direction} than in the first", change.abs() * 100.0);
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
    (farthest.abs() > EXTREME).then(|| format!("one time is {:.0} % {side} the mean", farthest.abs() * 100.0))
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
    use crate::report::sample;
    use crate::store::record::tests::trial;
    use crate::suite::Finding;
    use crate::technique::{Harness, TechniqueKind};

    #[test]
    fn a_part_of_an_experiment_is_called_one_before_all_numbers() {
        let mut run = sample::study();
        run.left_out.subjects = ["b", "c"].map(str::to_owned).to_vec();
        let caveats = crate::report::Analysis::of(&run).headline.caveats;
        let told = "only 8 of 10 subjects of the experiment were run (--only): nothing is known of b, c";
        assert!(caveats.iter().any(|caveat| caveat == told), "{caveats:?}");
    }

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
    fn a_baseline_that_left_tests_out_is_told_first_and_nothing_is_faster() {
        let found = [
            (FindingKind::LostTests, "the first run of the suite ended early"),
            (FindingKind::SetAsideCut, "1 set-aside test did not run to the end: `C#c` (never ran)"),
        ];
        for (kind, text) in found {
            let mut run = sample::study();
            let before = crate::report::Analysis::of(&run);
            let subject = before.speedups.iter().find(|row| row.gained()).unwrap().subject.clone();
            let of_it = run.trials.iter_mut().filter(|trial| trial.subject == subject);
            of_it.for_each(|trial| trial.findings.push(Finding::new(kind, text)));
            let analysis = crate::report::Analysis::of(&run);
            assert!(analysis.speedups.iter().filter(|row| row.subject == subject).all(|row| row.speedup.is_none()));
            let first = &analysis.warnings[0];
            assert_eq!((first.kind, first.gravity), (WarningKind::BaselinePartial, Gravity::Grave));
            assert_eq!(first.subject.as_deref(), Some(subject.as_str()));
            assert!(first.text.ends_with(text), "{}", first.text);
        }
    }

    #[test]
    fn a_suite_that_fails_anyway_is_told_by_what_was_seen() {
        let text = |failing: usize| {
            let mut run = crate::report::sample::study();
            let of_base = |t: &&mut TrialRecord| t.subject == "data-race" && t.configuration == "sequential";
            run.trials.iter_mut().filter(of_base).for_each(|trial| trial.tally.failed = failing);
            let warnings = crate::report::Analysis::of(&run).warnings;
            let found = warnings.into_iter().find(|warning| warning.kind == WarningKind::SuiteFails);
            found.map(|warning| warning.text).unwrap_or_default()
        };
        assert_eq!(text(2), "", "three of forty are less than a tenth");
        assert_eq!(
            text(5),
            "6 of 40 tests (15 %) do not pass on JDK 1.8.0_462 without parallelism: 1 set aside after screening, 5 failing or \
             lost in a run of sequential"
        );
    }

    #[test]
    fn comparisons_without_concurrency_count_among_those_with_few_pairs() {
        let row = |pairs, judgement| SpeedupRow { speedup: Some(1.2), pairs, judgement, ..SpeedupRow::default() };
        let rows = [
            row(2, SpeedJudgement::NotEnoughRuns),
            row(3, SpeedJudgement::NoConcurrency),
            row(6, SpeedJudgement::NoConcurrency),
            row(6, SpeedJudgement::NotEnoughRuns),
            SpeedupRow::default(),
        ];
        let text = too_few_pairs(&rows).unwrap().text;
        assert_eq!(
            text,
            "too few runs for a statement about speed in 3 of 4 comparisons: 2 with fewer than five sound pairs, 1 without an \
             interval"
        );
        assert_eq!(too_few_pairs(&rows[2..3]), None);
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
        assert_eq!(other_harness(&all, "base", &[]), None);
        all.push(configuration("quick", TechniqueKind::Paste, surefire, direct));
        all.push(configuration("other", TechniqueKind::Sequential, direct, direct));
        let text = other_harness(&all, "base", &[]).unwrap().text;
        assert!(!text.contains("quick"), "it reran nothing: {text}");
        let stages = sample::study().trials.into_iter().map(|trial| trial.stages).find(|stages| stages.len() > 1);
        let mut reran = trial("reran");
        (reran.configuration, reran.stages) = ("quick".to_owned(), stages.unwrap());
        let text = other_harness(&all, "base", &[reran]).unwrap().text;
        assert!(text.starts_with("other ran on another engine than the baseline (surefire); quick ran on"), "{text}");
        assert!(text.contains("quick ran on the baseline's engine (surefire), but rerun failed tests"), "{text}");
    }
}
