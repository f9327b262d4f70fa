//! The tables of the study made a second time, from the rows of `tests.parquet` alone, and the trial records held against them.
//!
//! The report's own tables come from the records, which also know what rows cannot tell: wall time, verdicts, lost tests. Where both
//! know a number they must agree; this is where it is seen whether they do.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;

use super::grid::{CellKey, Grid};
use super::warnings::{Warning, WarningKind};
use crate::shown_text::shown;
use crate::store::record::{StageRecord, TrialRecord};
use crate::store::{RowTotals, StageTotals, TrialTotals};
use crate::suite::{RunEnd, Tally};
use crate::wording::plural;

/// Times are sums of many; what differs by less than this is the same.
const SAME_SECONDS: f64 = 1e-6;

/// Tables I, II and IV from the rows of `tests.parquet`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ExecutionTables {
    pub executions: usize,
    pub stages: Vec<StageRow>,
    pub times: Vec<TimeRow>,
}

/// One stage of one cell. All numbers are means over the repetitions in which the stage ran, but for the failures.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct StageRow {
    pub subject: String,
    pub configuration: String,
    pub cores: usize,
    pub stage: u32,
    /// Repetitions in which the stage ran, of those that have rows at all.
    pub ran: usize,
    pub of: usize,
    pub executions: f64,
    /// Different tests.
    pub tests: f64,
    pub passed: f64,
    pub skipped: f64,
    pub not_run: f64,
    /// Mean over all repetitions: one in which the stage was not needed counts as zero.
    pub failures: f64,
    pub test_seconds: f64,
    /// Of all executions together.
    pub seconds: f64,
    pub median_seconds: f64,
    pub concurrency: f64,
    pub concurrency_max: usize,
}

/// One cell, all of its stages together.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct TimeRow {
    pub subject: String,
    pub configuration: String,
    pub cores: usize,
    pub trials: usize,
    /// Different tests, mean over the repetitions.
    pub tests: f64,
    /// From the first start to the last end, summed over the stages; mean over the repetitions.
    pub test_seconds: f64,
    /// Of all executions together.
    pub seconds: f64,
    /// Mean test time of the baseline over that of this cell, whatever the outcomes.
    pub ratio: Option<f64>,
}

pub(super) fn tables(grid: &Grid, rows: &RowTotals) -> ExecutionTables {
    let found = Found::of(rows);
    let (mut stages, mut times): (Vec<StageRow>, Vec<TimeRow>) = (Vec::new(), Vec::new());
    let executions = rows.trials.iter().flat_map(|trial| &trial.stages).map(|stage| stage.executions).sum();
    for (key, _) in grid.keys(|_| true) {
        let trials = found.trials(grid, key);
        stages.extend(stage_rows(key, &trials));
        let baseline = CellKey { configuration: &grid.run.manifest.baseline, ..key };
        times.extend(time_row(key, &trials, mean_time(&found.trials(grid, baseline))));
    }
    ExecutionTables { executions, stages, times }
}

/// Totals by trial.
struct Found<'a>(HashMap<&'a str, &'a TrialTotals>);

impl<'a> Found<'a> {
    fn of(rows: &'a RowTotals) -> Self {
        Found(rows.trials.iter().map(|trial| (trial.trial.as_str(), trial)).collect())
    }

    /// Those of a cell, by repetition.
    fn trials(&self, grid: &Grid, key: CellKey) -> Vec<&'a TrialTotals> {
        grid.trials(key).iter().filter_map(|record| self.0.get(record.trial.as_str()).copied()).collect()
    }
}

fn stage_rows(key: CellKey, trials: &[&TrialTotals]) -> Vec<StageRow> {
    let last = trials.iter().flat_map(|trial| &trial.stages).map(|stage| stage.stage).max().unwrap_or(0);
    (1..=last).filter_map(|number| stage_row(key, number, trials)).collect()
}

fn stage_row(key: CellKey, number: u32, trials: &[&TrialTotals]) -> Option<StageRow> {
    let stages: Vec<&StageTotals> =
        trials.iter().flat_map(|trial| &trial.stages).filter(|stage| stage.stage == number).collect();
    let concurrency_max = stages.iter().map(|stage| stage.concurrency.max).max()?;
    let mean =
        |of: &dyn Fn(&StageTotals) -> f64| stages.iter().map(|stage| of(stage)).sum::<f64>() / stages.len() as f64;
    let failures: usize = stages.iter().map(|stage| stage.failures_after).sum();
    Some(StageRow {
        subject: key.subject.to_owned(),
        configuration: key.configuration.to_owned(),
        cores: key.cores,
        stage: number,
        ran: stages.len(),
        of: trials.len(),
        executions: mean(&|stage| stage.executions as f64),
        tests: mean(&|stage| stage.tests as f64),
        passed: mean(&|stage| stage.tally.passed as f64),
        skipped: mean(&|stage| stage.tally.skipped as f64),
        not_run: mean(&|stage| stage.tally.not_run as f64),
        failures: failures as f64 / trials.len() as f64,
        test_seconds: mean(&StageTotals::test_seconds),
        seconds: mean(&|stage| stage.seconds),
        median_seconds: mean(&|stage| stage.median_seconds),
        concurrency: mean(&|stage| stage.concurrency.mean),
        concurrency_max,
    })
}

fn time_row(key: CellKey, trials: &[&TrialTotals], baseline: Option<f64>) -> Option<TimeRow> {
    let test_seconds = mean_time(trials)?;
    let count = trials.len() as f64;
    let all_seconds = trials.iter().flat_map(|trial| &trial.stages).map(|stage| stage.seconds).sum::<f64>();
    Some(TimeRow {
        subject: key.subject.to_owned(),
        configuration: key.configuration.to_owned(),
        cores: key.cores,
        trials: trials.len(),
        tests: trials.iter().map(|trial| trial.tests as f64).sum::<f64>() / count,
        test_seconds,
        seconds: all_seconds / count,
        ratio: baseline.filter(|_| test_seconds > 0.0).map(|baseline| baseline / test_seconds),
    })
}

fn mean_time(trials: &[&TrialTotals]) -> Option<f64> {
    (!trials.is_empty()).then(|| trials.iter().map(|trial| trial.test_seconds()).sum::<f64>() / trials.len() as f64)
}

/// Files that could not be read, and records that their rows contradict.
pub(super) fn warnings(grid: &Grid, rows: &RowTotals) -> Vec<Warning> {
    let unread = |problem: &String| Warning::of_run(WarningKind::RowsUnread, problem.clone());
    let mut warnings: Vec<Warning> = Vec::new();
    for altered in &rows.doubts.altered {
        let text = format!("the record was changed after it was written: {altered}");
        warnings.push(Warning::of_run(WarningKind::RecordAltered, text));
    }
    if rows.doubts.unchained {
        let text = crate::store::UNCHAINED;
        warnings.push(Warning::of_run(WarningKind::Unchained, text.to_owned()));
    }
    warnings.extend(rows.problems.iter().map(unread));
    let found = Found::of(rows);
    let mut contradicted: BTreeMap<Disagreement, Vec<(CellKey, &TrialRecord, String)>> = BTreeMap::new();
    for (key, _) in grid.keys(|_| true) {
        for record in grid.trials(key) {
            let rows = found.0.get(record.trial.as_str());
            for (kind, text) in rows.map(|rows| differences(record, rows)).unwrap_or_default() {
                contradicted.entry(kind).or_default().push((key, record, text));
            }
        }
    }
    warnings.extend(contradicted.into_values().filter_map(|found| contradiction(&found)));
    warnings
}

/// What a record and its rows can disagree about; each is told once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Disagreement {
    Outcomes,
    Failures,
    Seconds,
    Concurrency,
}

/// The first is told, the others are counted.
fn contradiction(found: &[(CellKey, &TrialRecord, String)]) -> Option<Warning> {
    let (key, first, difference) = found.first()?;
    let trials: BTreeSet<&str> = found.iter().map(|(_, record, _)| record.trial.as_str()).collect();
    let told =
        format!("the record of {} disagrees with its executions in tests.parquet: {difference}", shown(&first.trial));
    Some(match trials.len() {
        1 => Warning::of_cell(WarningKind::RecordsDisagree, *key, told),
        many => {
            let text = format!("{told}; so do those of {} in the same way", plural(many - 1, "more trial"));
            Warning::of_run(WarningKind::RecordsDisagree, text)
        }
    })
}

fn differences(record: &TrialRecord, rows: &TrialTotals) -> Vec<(Disagreement, String)> {
    let mut found: Vec<_> = record.stages.iter().flat_map(|stage| stage_differences(stage, rows)).collect();
    found.extend(outcome_difference("in the end", &record.tally, &rows.tally));
    found
}

fn stage_differences(record: &StageRecord, rows: &TrialTotals) -> Vec<(Disagreement, String)> {
    // Executions of an interrupted stage are not kept; a stage without any has no row that could tell of it.
    if record.end == RunEnd::Interrupted {
        return Vec::new();
    }
    let place = format!("stage {}", record.stage);
    let Some(rows) = rows.stages.iter().find(|stage| stage.stage == record.stage) else {
        return outcome_difference(&place, &record.tally, &Tally::default()).into_iter().collect();
    };
    let mut differences: Vec<_> = outcome_difference(&place, &record.tally, &rows.tally).into_iter().collect();
    if record.failures_after != rows.failures_after {
        let (ours, theirs) = (record.failures_after, rows.failures_after);
        differences
            .push((Disagreement::Failures, format!("after {place}, {} remain, not {ours}", plural(theirs, "failure"))));
    }
    if !is_same(record.test_seconds, rows.test_seconds()) {
        let (ours, theirs) = (record.test_seconds, rows.test_seconds());
        differences.push((Disagreement::Seconds, format!("{place} took {theirs:.6} s, not {ours:.6} s")));
    }
    let (ours, theirs) = (record.concurrency, rows.concurrency);
    // Records of older versions have none where every test was shorter than the clock.
    if ours.max > 0 && (ours.max != theirs.max || !is_same(ours.mean, theirs.mean)) {
        let text = format!(
            "in {place}, {:.3} tests ran at once (at most {}), not {:.3} (at most {})",
            theirs.mean, theirs.max, ours.mean, ours.max
        );
        differences.push((Disagreement::Concurrency, text));
    }
    differences
}

fn is_same(a: f64, b: f64) -> bool {
    (a - b).abs() <= SAME_SECONDS * a.abs().max(b.abs()).max(1.0)
}

/// Tests that never ran are no part of it: the records count them, whether they have a row or not.
fn outcome_difference(place: &str, record: &Tally, rows: &Tally) -> Option<(Disagreement, String)> {
    let counts = |tally: &Tally| {
        let Tally { passed, failed, errors, skipped, timed_out, crashed, not_run: _ } = *tally;
        [passed, failed, errors, skipped, timed_out, crashed]
    };
    let (ours, theirs) = (counts(record), counts(rows));
    let named = ["passed", "failed", "errors", "skipped", "timed out", "crashed"];
    let differing = named.iter().zip(ours).zip(theirs).filter(|((_, ours), theirs)| ours != theirs);
    let texts: Vec<String> = differing.map(|((name, ours), theirs)| format!("{theirs} {name}, not {ours}")).collect();
    (!texts.is_empty()).then(|| (Disagreement::Outcomes, format!("{place} {}", texts.join(", "))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Analysis, sample};
    use crate::store::record::RunData;

    /// Rows that say what the sample's records say.
    fn rows_of(run: &RunData) -> RowTotals {
        let stage = |record: &StageRecord| StageTotals {
            stage: record.stage,
            executions: record.tally.ran(),
            tests: record.tally.ran(),
            tally: record.tally,
            failures_after: record.failures_after,
            baseline_failures_after: 0,
            first_start: 1.0,
            last_end: 1.0 + record.test_seconds,
            seconds: 2.0 * record.test_seconds,
            median_seconds: 0.25,
            concurrency: record.concurrency,
        };
        let totals = |record: &TrialRecord| TrialTotals {
            trial: record.trial.clone(),
            tests: 40,
            tally: record.tally,
            stages: record.stages.iter().map(stage).collect(),
        };
        RowTotals { trials: run.trials.iter().map(totals).collect(), ..RowTotals::default() }
    }

    fn disagreements(run: &RunData, rows: &RowTotals) -> Vec<String> {
        let analysis = Analysis::checked(run, rows);
        let ours = |warning: &Warning| matches!(warning.kind, WarningKind::RecordsDisagree | WarningKind::RowsUnread);
        analysis.warnings.into_iter().filter(ours).map(|warning| warning.text).collect()
    }

    #[test]
    fn rows_that_agree_raise_no_warning_and_change_no_table() {
        let run = sample::study();
        let rows = rows_of(&run);
        assert_eq!(disagreements(&run, &rows), Vec::<String>::new());
        let (checked, plain) = (Analysis::checked(&run, &rows), Analysis::of(&run));
        assert_eq!(Analysis { executions: None, ..checked }, plain);
    }

    #[test]
    fn the_failures_of_the_rows_are_those_of_the_records() {
        let run = sample::study();
        let analysis = Analysis::checked(&run, &rows_of(&run));
        let tables = analysis.executions.unwrap();
        let at = |row: &&StageRow| row.subject == "data-race" && row.configuration == "methods";
        let found: Vec<f64> = tables.stages.iter().filter(at).map(|row| row.failures).collect();
        let at = |row: &&super::super::FailureRow| row.subject == "data-race" && row.configuration == "methods";
        let recorded: Vec<f64> = analysis.failures.iter().filter(at).filter_map(|row| row.failures).collect();
        assert_eq!(found, recorded);
    }

    #[test]
    fn times_are_compared_with_the_baselines() {
        let run = sample::study();
        let tables = Analysis::checked(&run, &rows_of(&run)).executions.unwrap();
        let row = |configuration: &str| {
            let here = |row: &&TimeRow| row.subject == "clean-gain" && row.configuration == configuration;
            tables.times.iter().find(here).unwrap()
        };
        assert_eq!(row("sequential").ratio, Some(1.0));
        let expected = row("sequential").test_seconds / row("classes").test_seconds;
        assert!((row("classes").ratio.unwrap() - expected).abs() < 1e-12);
        assert_eq!(row("classes").trials, 5);
    }

    #[test]
    fn every_number_that_disagrees_is_named() {
        let run = sample::study();
        let change = |change: &dyn Fn(&mut TrialTotals)| {
            let mut rows = rows_of(&run);
            let trial = rows.trials.iter_mut().find(|trial| trial.trial.starts_with("data-race.classes.")).unwrap();
            change(trial);
            disagreements(&run, &rows)
        };
        let found = change(&|trial| trial.stages[0].failures_after += 1);
        assert_eq!(found.len(), 1);
        assert!(
            found[0].contains("data-race.classes.") && found[0].contains("after stage 1, 7 failures remain, not 6")
        );
        assert!(change(&|trial| trial.stages[1].last_end += 1.0)[0].contains("stage 2 took"));
        assert!(change(&|trial| trial.stages[0].tally.failed += 2)[0].contains("stage 1 8 failed, not 6"));
        assert!(change(&|trial| trial.tally.passed -= 1)[0].contains("in the end"));
        assert!(change(&|trial| trial.stages[0].concurrency.max += 1)[0].contains("at most 10"));
        assert!(change(&|trial| trial.stages.truncate(1)).is_empty(), "its second stage had no outcomes");
        assert!(change(&|trial| trial.stages.clear())[0].contains("stage 1 0 failed, not 6"));
        assert!(change(&|trial| trial.stages[0].last_end += 1e-9).is_empty());
    }

    #[test]
    fn many_disagreements_are_counted_and_problems_told() {
        let run = sample::study();
        let mut rows = rows_of(&run);
        rows.trials.iter_mut().for_each(|trial| trial.tally.errors += 1);
        rows.problems.push("tests.parquet is damaged".to_owned());
        let found = disagreements(&run, &rows);
        assert_eq!(found.len(), 2, "one line for each kind");
        assert_eq!(found[0], "tests.parquet is damaged");
        assert!(found[1].contains(" more trials in the same way"), "{found:?}");
    }
}
