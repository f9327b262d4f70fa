//! Reading executions back: `tests.parquet`, and the file of each trial.
//!
//! - [`RunFolder::totals`] adds up every trial in one pass over `tests.parquet`: what a report is checked against.
//! - [`RunFolder::executions`] gives one trial's executions, at most so many, for a timeline.
//! - [`RunFolder::test_times`] gives each test's mean time in the baseline's trials and in a candidate's, for a scatter plot.
//!
//! Row groups are read one at a time, and only the columns that are needed; names stay numbers until someone wants to see them. So
//! memory depends on the largest row group and the largest trial, not on the number of rows. Damage is an error that names the file.
//! Nothing here writes: that is `frames`.

mod column;
mod hybrid;
mod keys;
mod lookup;
mod pass;
mod source;
#[cfg(test)]
mod tests;
mod totals;

use std::collections::{HashMap, HashSet};
use std::fmt;

use super::JournalDoubts;
use super::RunFolder;
use super::record::{Phase, RunData, TrialRecord};
use crate::suite::{Outcome, RunEnd, TestId};
use crate::wording::plural;

pub use lookup::{TestTime, TestTimes, TrialExecutions};
use source::ExecutionFile;
pub use totals::{StageTotals, TrialTotals};

/// All measured trials of a run, from their rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RowTotals {
    pub trials: Vec<TrialTotals>,
    /// Files that are missing or damaged, a sentence each.
    pub problems: Vec<String>,
    /// What shows that somebody changed what was recorded.
    pub doubts: JournalDoubts,
}

/// More files than this are counted, not named.
const MOST_NAMED: usize = 10;

impl RunFolder {
    /// Adds up the rows of every trial: from `tests.parquet`, and from a trial's own file where that has none of it yet. What cannot
    /// be read is told, and left out.
    pub fn totals(&self, run: &RunData) -> RowTotals {
        let (set_aside, failed) = (of_subjects(run), failed_in_baseline(run));
        let marked = pass::MarkedTests {
            set_aside: measured(run)
                .filter_map(|trial| Some((trial.trial.as_str(), set_aside.get(trial.subject.as_str())?)))
                .collect(),
            failed_in_baseline: measured(run)
                .filter_map(|trial| Some((trial.trial.as_str(), failed.get(&(trial.subject.as_str(), trial.cores))?)))
                .collect(),
        };
        let mut totals = RowTotals { doubts: self.doubts(run), ..RowTotals::default() };
        let merged = self.merged_tests();
        if measured(run).next().is_none() && !merged.exists() {
            return totals;
        }
        match ExecutionFile::open(&merged).and_then(|file| pass::totals(&file, &marked)) {
            Ok(trials) => totals.trials = trials,
            Err(error) => totals.problems.push(error.to_string()),
        }
        self.add_unmerged(run, &marked, &mut totals);
        totals
    }

    fn add_unmerged(&self, run: &RunData, marked: &pass::MarkedTests<'_>, totals: &mut RowTotals) {
        let merged: HashSet<String> = totals.trials.iter().map(|trial| trial.trial.clone()).collect();
        let mut problems = Vec::new();
        for trial in measured(run).filter(|trial| has_rows(trial) && !merged.contains(&trial.trial)) {
            let Some(path) = self.own_tests(&trial.trial) else {
                problems.push(format!(
                    "tests.parquet has no executions of {}, and there is no separate file for \
                        it",
                    trial.trial
                ));
                continue;
            };
            match ExecutionFile::open(&path).and_then(|file| pass::totals(&file, marked)) {
                Ok(found) => totals.trials.extend(found.into_iter().filter(|found| found.trial == trial.trial)),
                Err(error) => problems.push(error.to_string()),
            }
        }
        let others = problems.len().saturating_sub(MOST_NAMED);
        problems.truncate(MOST_NAMED);
        if others > 0 {
            problems.push(format!("the same is true for {}", plural(others, "more trial")));
        }
        totals.problems.extend(problems);
    }
}

fn measured(run: &RunData) -> impl Iterator<Item = &TrialRecord> {
    run.trials.iter().filter(|trial| trial.phase == Phase::Measured)
}

/// Set-aside tests by subject, where there are any.
fn of_subjects(run: &RunData) -> HashMap<&str, HashSet<TestId>> {
    let with = run.subjects.iter().filter(|subject| !subject.set_aside.is_empty());
    with.map(|subject| (subject.subject.as_str(), subject.set_aside.iter().map(|aside| aside.test.clone()).collect()))
        .collect()
}

/// Tests that failed in a measured trial of the baseline, by subject and number of cores. Running them in parallel is not needed
/// to make them fail.
pub fn failed_in_baseline(run: &RunData) -> HashMap<(&str, usize), HashSet<TestId>> {
    let mut failed: HashMap<(&str, usize), HashSet<TestId>> = HashMap::new();
    for trial in measured(run).filter(|trial| trial.configuration == run.manifest.baseline) {
        let failures = trial.residual.iter().filter(|residual| residual.outcome.is_failure());
        let tests = failures.map(|residual| residual.test.clone());
        failed.entry((&trial.subject, trial.cores)).or_default().extend(tests);
    }
    failed.retain(|_, tests| !tests.is_empty());
    failed
}

/// Does the record speak of executions? Those of an interrupted stage are not kept.
fn has_rows(trial: &TrialRecord) -> bool {
    trial.stages.iter().any(|stage| stage.end != RunEnd::Interrupted && stage.tally != crate::suite::Tally::default())
}

/// What is wrong with a file: the rest of a sentence that begins with "it has".
#[derive(Debug)]
pub struct Fault {
    text: String,
    column: Option<&'static str>,
}

impl Fault {
    fn new(text: impl Into<String>) -> Self {
        Fault { text: text.into(), column: None }
    }

    fn of(self, column: &'static str) -> Self {
        Fault { column: Some(column), ..self }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        self.column.map_or(Ok(()), |column| write!(f, " in its column `{column}`"))
    }
}

impl From<polars_parquet::read::ParquetError> for Fault {
    fn from(error: polars_parquet::read::ParquetError) -> Self {
        Fault::new(format!("invalid bytes ({error})"))
    }
}

impl From<std::io::Error> for Fault {
    fn from(error: std::io::Error) -> Self {
        Fault::new(format!("bytes that cannot be read ({error})"))
    }
}

fn outcome(word: &str) -> Result<Outcome, Fault> {
    Outcome::named(word)
        .ok_or_else(|| Fault::new(format!("the outcome `{}`, which is not known", word.escape_debug())).of("outcome"))
}
