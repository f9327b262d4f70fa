//! Table II: failures that remain after each stage.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::grid::{CellKey, Grid, Presence};
use crate::shown_text::{counted, decimal};
use crate::store::record::{StageRecord, TrialRecord, Verdict};
use crate::suite::RunEnd;
use crate::technique::TechniqueKind;

/// One stage of one configuration on one subject.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct FailureRow {
    pub subject: String,
    pub configuration: String,
    pub cores: usize,
    pub tests: Option<usize>,
    pub stage: u32,
    pub state: StageState,
    /// Mean over the repetitions; one in which the stage was not needed counts as zero.
    pub failures: Option<f64>,
    /// Mean number of tests that had not run after the stage: those that never ran had not run after any.
    pub lost: f64,
    /// Repetitions that the mean is taken over.
    pub trials: usize,
    /// Repetitions that are no part of the mean, and why.
    pub note: Option<String>,
}

/// What a cell of Table II shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StageState {
    /// There is a number.
    Counted,
    /// No repetition needed the stage.
    Skipped,
    TimedOut,
    Crashed,
    Unsupported,
    BuildFailed,
    HarnessError,
    /// The records of the trial contradict each other.
    Contradicted,
    /// Planned, and not run yet.
    Pending,
    #[default]
    NotPlanned,
}

impl StageState {
    pub fn label(self) -> &'static str {
        match self {
            StageState::Counted | StageState::NotPlanned => "",
            StageState::Skipped => "–",
            StageState::TimedOut => "TO",
            StageState::Crashed => "crashed",
            StageState::Unsupported => "n/a",
            StageState::BuildFailed => "build failed",
            StageState::HarnessError => "error",
            StageState::Contradicted => "contradicted",
            StageState::Pending => "pending",
        }
    }

    fn of_verdict(verdict: Verdict) -> StageState {
        match verdict {
            Verdict::Clean | Verdict::Failing | Verdict::LostTests => StageState::Skipped,
            Verdict::TimedOut => StageState::TimedOut,
            Verdict::Crashed => StageState::Crashed,
            Verdict::Unsupported => StageState::Unsupported,
            Verdict::BuildFailed => StageState::BuildFailed,
            Verdict::HarnessError => StageState::HarnessError,
            Verdict::Contradicted => StageState::Contradicted,
        }
    }
}

impl FailureRow {
    /// As the table prints it: `6.0`, `6.0 (5 lost)`, `–`, `TO`, …
    pub fn text(&self) -> String {
        let Some(failures) = self.failures else { return self.state.label().to_owned() };
        let mut remarks = Vec::new();
        if self.lost > 0.0 {
            remarks.push(format!("{} lost", decimal(self.lost)));
        }
        remarks.extend(self.note.clone());
        if remarks.is_empty() { format!("{failures:.1}") } else { format!("{failures:.1} ({})", remarks.join(", ")) }
    }
}

pub(super) fn rows(grid: &Grid) -> Vec<FailureRow> {
    let tests: HashMap<&str, usize> = grid.run.subjects.iter().map(|s| (s.subject.as_str(), s.tests)).collect();
    let seen = stages_seen(grid);
    let mut rows = Vec::new();
    for (key, configuration) in grid.keys(|c| c.technique != TechniqueKind::Sequential) {
        let tests = tests.get(key.subject).copied().filter(|tests| *tests > 0);
        let seen = seen.get(configuration.name.as_str()).copied().unwrap_or(0);
        for stage in 1..=seen.max(nominal_stages(configuration.technique)) {
            rows.push(FailureRow { tests, ..row(grid, key, stage) });
        }
    }
    rows
}

fn nominal_stages(technique: TechniqueKind) -> u32 {
    match technique {
        TechniqueKind::Sequential | TechniqueKind::Parallel | TechniqueKind::Ordered(_) => 1,
        TechniqueKind::SoundRerun => 2,
        TechniqueKind::Paste => 3,
    }
}

/// The last stage of each configuration in any trial.
fn stages_seen<'a>(grid: &Grid<'a>) -> HashMap<&'a str, u32> {
    let mut seen: HashMap<&str, u32> = HashMap::new();
    for trial in &grid.run.trials {
        let last = trial.stages.iter().map(|stage| stage.stage).max().unwrap_or(0);
        let known = seen.entry(&trial.configuration).or_default();
        *known = last.max(*known);
    }
    seen
}

fn row(grid: &Grid, key: CellKey, stage: u32) -> FailureRow {
    let empty = FailureRow {
        subject: key.subject.to_owned(),
        configuration: key.configuration.to_owned(),
        cores: key.cores,
        stage,
        ..FailureRow::default()
    };
    match grid.presence(key) {
        Presence::NotPlanned => empty,
        Presence::Pending => FailureRow { state: StageState::Pending, ..empty },
        Presence::Unprepared(_) if stage > 1 => FailureRow { state: StageState::Skipped, ..empty },
        Presence::Unprepared(verdict) => FailureRow { state: StageState::of_verdict(verdict), ..empty },
        Presence::Ran(trials) => averaged(trials, stage, empty),
    }
}

/// How a stage went in one repetition.
enum StageOutcome {
    Ran {
        failures: usize,
        lost: usize,
        dead_worker: bool,
    },
    /// There was nothing left to rerun.
    NotNeeded,
    /// The repetition had come to a bad end in an earlier stage.
    NeverReached,
    Broke(StageState),
}

fn outcome(trial: &TrialRecord, stage: u32) -> StageOutcome {
    if trial.verdict == Verdict::Contradicted {
        return StageOutcome::Broke(StageState::Contradicted);
    }
    if let Some(record) = trial.stages.iter().find(|record| record.stage == stage) {
        return match ended_badly(record) {
            Some(state) => StageOutcome::Broke(state),
            None => ran(trial, record),
        };
    }
    if trial.stages.iter().any(|record| ended_badly(record).is_some()) {
        return StageOutcome::NeverReached;
    }
    let last = trial.stages.iter().map(|record| record.stage).max().unwrap_or(0);
    match StageState::of_verdict(trial.verdict) {
        StageState::Skipped => StageOutcome::NotNeeded,
        // A worker died, but the stages ran: the failures are counted there.
        StageState::Crashed if last > 0 => StageOutcome::NotNeeded,
        state if stage == last + 1 => StageOutcome::Broke(state),
        _ => StageOutcome::NeverReached,
    }
}

fn ended_badly(record: &StageRecord) -> Option<StageState> {
    match record.end {
        RunEnd::Finished => None,
        RunEnd::TimedOut => Some(StageState::TimedOut),
        RunEnd::Crashed(_) => Some(StageState::Crashed),
        RunEnd::BuildFailed(_) => Some(StageState::BuildFailed),
        RunEnd::Interrupted => Some(StageState::HarnessError),
    }
}

fn ran(trial: &TrialRecord, record: &StageRecord) -> StageOutcome {
    let is_last = trial.stages.iter().all(|other| other.stage <= record.stage);
    StageOutcome::Ran {
        failures: record.failures_after,
        lost: record.tally.not_run.max(trial.tally.not_run),
        dead_worker: is_last && trial.verdict == Verdict::Crashed,
    }
}

fn averaged(trials: &[&TrialRecord], stage: u32, row: FailureRow) -> FailureRow {
    let (mut sum, mut lost, mut ran, mut counted_trials, mut dead) = (0, 0, 0, 0, 0);
    let mut broke: BTreeMap<StageState, usize> = BTreeMap::new();
    for trial in trials {
        match outcome(trial, stage) {
            StageOutcome::Ran { failures, lost: missing, dead_worker } => {
                sum += failures;
                lost += missing;
                ran += 1;
                counted_trials += 1;
                dead += usize::from(dead_worker);
            }
            StageOutcome::NotNeeded => counted_trials += 1,
            StageOutcome::NeverReached => {}
            StageOutcome::Broke(state) => *broke.entry(state).or_default() += 1,
        }
    }
    if ran == 0 {
        let state = broke.iter().max_by_key(|(_, count)| **count).map_or(StageState::Skipped, |(state, _)| *state);
        return FailureRow { state, ..row };
    }
    let mean = |total: usize| total as f64 / counted_trials as f64;
    let note = note(&broke, dead, trials.len());
    FailureRow {
        state: StageState::Counted,
        failures: Some(mean(sum)),
        lost: mean(lost),
        trials: counted_trials,
        note,
        ..row
    }
}

fn note(broke: &BTreeMap<StageState, usize>, dead: usize, trials: usize) -> Option<String> {
    let mut parts: Vec<String> = broke.iter().map(|(state, n)| counted(state.label(), *n, trials)).collect();
    if dead > 0 {
        parts.push(counted("crashed", dead, trials));
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    fn cells(subject: &str, configuration: &str) -> Vec<String> {
        let rows = &sample::studied().failures;
        rows.iter()
            .filter(|row| row.subject == subject && row.configuration == configuration)
            .map(FailureRow::text)
            .collect()
    }

    /// An engine that says nothing of lost tests leaves them to the end of the trial.
    #[test]
    fn what_never_ran_is_lost_after_every_stage() {
        let mut run = sample::study();
        run.trials.iter_mut().flat_map(|trial| &mut trial.stages).for_each(|stage| stage.tally.not_run = 0);
        let rows = crate::report::Analysis::of(&run).failures;
        let of_it = |row: &&FailureRow| row.subject == "loses-tests" && row.configuration == "methods";
        let lost: Vec<f64> = rows.iter().filter(of_it).map(|row| row.lost).collect();
        assert_eq!(lost, [5.0, 5.0, 0.0]);
    }

    #[test]
    fn a_stage_that_no_repetition_needed_is_a_dash() {
        assert_eq!(cells("clean-gain", "classes"), ["0.0", "–", "–"]);
        assert_eq!(cells("data-race", "classes"), ["6.0", "0.0", "–"]);
    }

    #[test]
    fn a_stage_that_some_repetitions_skipped_counts_zero_there() {
        assert_eq!(cells("data-race", "methods"), ["1.6", "0.0", "–"]);
        assert_eq!(cells("order-in-class", "methods"), ["3.0", "0.4", "0.0"]);
    }

    #[test]
    fn what_no_stage_repaired_stays_visible() {
        assert_eq!(cells("order-across", "classes"), ["2.0", "1.0", "1.0"]);
    }

    #[test]
    fn every_state_has_a_mark_of_its_own() {
        assert_eq!(cells("hangs", "methods"), ["TO", "–", "–"]);
        assert_eq!(cells("testng-only", "methods"), ["n/a", "–", "–"]);
        assert_eq!(cells("loses-tests", "methods"), ["6.0 (5 lost)", "0.0 (5 lost)", "–"]);
        assert_eq!(cells("loses-tests", "plain"), ["crashed"]);
        assert_eq!(cells("does-not-build", "classes"), ["build failed", "–", "–"]);
    }

    #[test]
    fn time_outs_in_some_repetitions_are_told_and_not_averaged() {
        assert_eq!(cells("hangs", "plain"), ["0.0 (TO in 2 of 5)"]);
    }
}
