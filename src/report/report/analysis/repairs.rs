//! How many failures PASTE repaired.
//!
//! Only failures of tests that failed in no measured trial of the baseline on the same subject and number of cores count: a test
//! that also fails without parallelism says nothing about parallelism. Which tests failed after a stage is in `tests.parquet`.

use std::collections::{HashMap, HashSet};

use super::speedups::is_repeated;
use crate::store::record::{RunData, StageRecord, TrialRecord};
use crate::store::{RowTotals, TrialTotals, failed_in_baseline};
use crate::suite::TestId;
use crate::wording::plural;

/// Sums over trials. A test that fails in several trials counts in each of them; what merged runs of model suites computed twice
/// counts once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct RepairCounts {
    /// Failures after the first stage, of tests that never failed in the baseline.
    pub provoked: usize,
    /// Those of them that were gone after the last stage, in trials in which every test ran.
    pub repaired: usize,
    /// Those of them that were still there after the last stage.
    pub remaining: usize,
    /// Failures after the first stage, of tests that failed in the baseline too.
    pub also_in_baseline: usize,
    pub lost: LostCounts,
}

/// Trials in which tests never ran. Whatever passes in them, the suite did not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct LostCounts {
    pub trials: usize,
    /// The most tests that one of the trials lost.
    pub tests: usize,
    /// Has each of the trials lost as many?
    differs: bool,
}

impl LostCounts {
    fn count(&mut self, lost: usize) {
        self.differs |= self.trials > 0 && self.tests != lost;
        self.tests = self.tests.max(lost);
        self.trials += 1;
    }

    /// `2 tests never ran in 12 of its trials`.
    fn told(self) -> String {
        let most = if self.differs { "up to " } else { "" };
        format!("{most}{} never ran in {} of its trials", plural(self.tests, "test"), self.trials)
    }
}

/// What failed after one stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct StageFailures {
    all: usize,
    also_in_baseline: usize,
}

impl StageFailures {
    fn provoked(self) -> usize {
        self.all.saturating_sub(self.also_in_baseline)
    }
}

/// Without rows of a trial, its tests that failed in the first stage are not known by name. Then as many failures as possible are
/// taken to be of tests that failed in the baseline.
pub(super) fn repair_counts<'a>(
    run: &RunData,
    trials: impl Iterator<Item = &'a TrialRecord>,
    rows: Option<&RowTotals>,
) -> RepairCounts {
    let failed = failed_in_baseline(run);
    let none = HashSet::new();
    let totals: HashMap<&str, &TrialTotals> =
        rows.iter().flat_map(|rows| &rows.trials).map(|trial| (trial.trial.as_str(), trial)).collect();
    let mut counts = RepairCounts::default();
    let mut seen: HashMap<(&str, &str, usize), Vec<&TrialRecord>> = HashMap::new();
    for trial in trials {
        let earlier = seen.entry((&trial.subject, &trial.configuration, trial.cores)).or_default();
        if earlier.iter().any(|earlier| is_repeated(trial, earlier)) {
            continue;
        }
        earlier.push(trial);
        let (Some(first), Some(last)) = (trial.stages.first(), trial.stages.last()) else { continue };
        let known = failed.get(&(trial.subject.as_str(), trial.cores)).unwrap_or(&none);
        let (first, last) = match totals.get(trial.trial.as_str()) {
            Some(totals) => (by_rows(first, totals), by_rows(last, totals)),
            None => by_record(trial, first, last, known),
        };
        counts.provoked += first.provoked();
        counts.remaining += last.provoked().min(first.provoked());
        counts.also_in_baseline += first.all - first.provoked();
        if trial.tally.not_run > 0 {
            counts.lost.count(trial.tally.not_run);
        } else {
            counts.repaired += first.provoked().saturating_sub(last.provoked());
        }
    }
    counts
}

/// A stage without executions leaves what failed before it.
fn by_rows(stage: &StageRecord, totals: &TrialTotals) -> StageFailures {
    let last = totals.stages.iter().rfind(|rows| rows.stage <= stage.stage);
    let also_in_baseline = last.map_or(0, |rows| rows.baseline_failures_after);
    StageFailures { all: stage.failures_after, also_in_baseline }
}

fn by_record(
    trial: &TrialRecord,
    first: &StageRecord,
    last: &StageRecord,
    known: &HashSet<TestId>,
) -> (StageFailures, StageFailures) {
    let left = trial.residual.iter().filter(|left| left.outcome.is_failure() && known.contains(&left.test)).count();
    let at_first = if trial.stages.len() == 1 { left } else { known.len() };
    (
        StageFailures { all: first.failures_after, also_in_baseline: at_first },
        StageFailures { all: last.failures_after, also_in_baseline: left },
    )
}

/// What is said of them. `screened` tells whether tests that do not always pass were searched for before.
pub(super) fn repair_sentence(counts: RepairCounts, baseline: &str, screened: bool) -> String {
    let RepairCounts { provoked, also_in_baseline, lost, .. } = counts;
    let others = plural(also_in_baseline, "failure");
    if provoked == 0 {
        return match (also_in_baseline, lost.trials) {
            (0, 0) => "No test failed in the runs of PASTE, so there was nothing to repair.".to_owned(),
            (0, _) => format!("No test failed in the runs of PASTE, but {}.", lost.told()),
            _ => format!(
                "In the runs of PASTE, only tests failed that also failed in {baseline} ({others} after stage 1); none of them \
                 is attributed to parallel execution{}.",
                but_lost(lost)
            ),
        };
    }
    let more = match also_in_baseline {
        0 => String::new(),
        1 => format!(" 1 more failure is of a test that also failed in {baseline} and is not counted."),
        more => format!(" {more} more failures are of tests that also failed in {baseline} and are not counted."),
    };
    let unscreened = if screened {
        ""
    } else {
        " There were no screening runs, so failures of flaky tests can be among those counted."
    };
    format!("{}{more}{unscreened}", told_repairs(counts, baseline))
}

fn but_lost(lost: LostCounts) -> String {
    if lost.trials == 0 { String::new() } else { format!(", but {}", lost.told()) }
}

/// How many failures were repaired, and what became of the others.
fn told_repairs(counts: RepairCounts, baseline: &str) -> String {
    let RepairCounts { provoked, repaired, remaining, lost, .. } = counts;
    let but = but_lost(lost);
    match (provoked, provoked - repaired) {
        (1, 0) => format!("PASTE repaired the only failure of a test that never failed in {baseline}{but}."),
        (_, 0) => format!("PASTE repaired all {provoked} failures of tests that never failed in {baseline}{but}."),
        (_, left) => {
            let remain = if remaining == 1 { "remains" } else { "remain" };
            let remain = if remaining > 0 { format!("; {remaining} {remain}") } else { String::new() };
            let uncounted = match left.saturating_sub(remaining) {
                0 => but,
                gone => format!(
                    "{but}: {} gone in those trials {} not count as repaired",
                    plural(gone, "failure"),
                    if gone == 1 { "does" } else { "do" }
                ),
            };
            format!(
                "PASTE repaired {repaired} of {} of tests that never failed in {baseline}{remain}{uncounted}.",
                plural(provoked, "failure")
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Analysis, sample};
    use crate::store::StageTotals;
    use crate::store::record::ResidualTest;
    use crate::suite::{Concurrency, Outcome, Tally};

    fn counts(provoked: usize, repaired: usize, also_in_baseline: usize) -> RepairCounts {
        RepairCounts { provoked, repaired, remaining: provoked - repaired, also_in_baseline, ..RepairCounts::default() }
    }

    fn losing(trials: usize, tests: usize) -> LostCounts {
        LostCounts { trials, tests, differs: false }
    }

    #[test]
    fn a_trial_that_lost_tests_repaired_nothing() {
        let run = sample::study();
        let is_of_it = |trial: &&TrialRecord| trial.subject == "loses-tests" && trial.configuration == "methods";
        let found = repair_counts(&run, run.trials.iter().filter(is_of_it), None);
        assert_eq!((found.provoked, found.repaired, found.remaining, found.lost), (30, 0, 0, losing(5, 5)));
        assert_eq!(
            repair_sentence(found, "sequential", true),
            "PASTE repaired 0 of 30 failures of tests that never failed in sequential, but 5 tests never ran in 5 of its \
             trials: 30 failures gone in those trials do not count as repaired."
        );
    }

    #[test]
    fn lost_tests_are_told_whatever_failed() {
        let told = |found: RepairCounts| repair_sentence(RepairCounts { lost: losing(12, 2), ..found }, "base", true);
        let end = ", but 2 tests never ran in 12 of its trials.";
        assert_eq!(told(counts(0, 0, 0)), format!("No test failed in the runs of PASTE{end}"));
        assert!(told(counts(18, 18, 0)).ends_with(&format!("that never failed in base{end}")));
        assert!(told(counts(18, 17, 0)).ends_with(&format!("that never failed in base; 1 remains{end}")));
        assert!(told(counts(0, 0, 3)).ends_with(&format!("attributed to parallel execution{end}")));
        let mut lost = losing(1, 2);
        lost.count(1);
        assert_eq!(lost.told(), "up to 2 tests never ran in 2 of its trials");
    }

    #[test]
    fn what_also_fails_in_the_baseline_is_not_called_no_failure() {
        let told = repair_sentence(counts(0, 0, 2), "sequential", true);
        assert!(
            told.starts_with("In the runs of PASTE, only tests failed that also failed in sequential (2 failures"),
            "{told}"
        );
        assert!(
            repair_sentence(counts(0, 0, 0), "sequential", true).starts_with("No test failed in the runs of PASTE")
        );
    }

    #[test]
    fn the_sentence_says_whose_failures_it_counts() {
        let told = repair_sentence(counts(33, 30, 5), "sequential", true);
        assert_eq!(
            told,
            "PASTE repaired 30 of 33 failures of tests that never failed in sequential; 3 remain. 5 more failures are of tests \
             that also failed in sequential and are not counted."
        );
        let one = repair_sentence(counts(1, 1, 0), "base", true);
        assert_eq!(one, "PASTE repaired the only failure of a test that never failed in base.");
        assert!(
            repair_sentence(counts(2, 2, 0), "base", false)
                .ends_with("no screening runs, so failures of flaky tests can be among those counted.")
        );
    }

    /// The rows of a trial: how many failed after each stage, and how many of these failed in the baseline, too.
    fn rows_of(trial: &TrialRecord, also_in_baseline: &[usize]) -> TrialTotals {
        let stage = |(record, count): (&StageRecord, &usize)| StageTotals {
            stage: record.stage,
            executions: 40,
            tests: 40,
            tally: record.tally,
            failures_after: record.failures_after,
            baseline_failures_after: *count,
            first_start: 0.0,
            last_end: record.test_seconds,
            seconds: 1.0,
            median_seconds: 0.1,
            concurrency: Concurrency::default(),
        };
        let stages = trial.stages.iter().zip(also_in_baseline).map(stage).collect();
        TrialTotals { trial: trial.trial.clone(), tests: 40, tally: Tally::default(), stages }
    }

    /// A flaky test fails in one repetition of the baseline, and in another one of PASTE beside one that parallelism breaks.
    #[test]
    fn a_test_that_ever_failed_in_the_baseline_is_never_counted() {
        let mut run = sample::study();
        let flaky = ResidualTest { test: "C#flaky".parse().unwrap(), outcome: Outcome::Failed, message: None };
        let of_base = |trial: &&mut TrialRecord| trial.subject == "data-race" && trial.configuration == "sequential";
        run.trials.iter_mut().find(of_base).unwrap().residual.push(flaky);
        let of_it = |trial: &&TrialRecord| trial.subject == "data-race" && trial.configuration == "classes";
        let trials: Vec<&TrialRecord> = run.trials.iter().filter(of_it).collect();
        let last = trials.len() - 1;
        let rows = RowTotals {
            trials: trials
                .iter()
                .enumerate()
                .map(|(at, t)| rows_of(t, if at == last { &[1, 0] } else { &[0, 0] }))
                .collect(),
            ..RowTotals::default()
        };
        // Six failures after the first stage of five trials, none after the second.
        assert_eq!(repair_counts(&run, trials.iter().copied(), Some(&rows)), counts(29, 29, 1));
        assert_eq!(repair_counts(&run, trials.iter().copied(), None), counts(25, 25, 5), "no names: at least so many");
        let headline = Analysis::of(&run).headline;
        assert!(headline.repair.unwrap().contains("also failed in sequential"));
    }
}
