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
}

/// More files than this are counted, not named.
const MOST_NAMED: usize = 10;

impl RunFolder {
    /// Adds up the rows of every trial: from `tests.parquet`, and from a trial's own file where that has none of it yet. What cannot
    /// be read is told, and left out.
    pub fn totals(&self, run: &RunData) -> RowTotals {
        let ours = of_subjects(run);
        let set_aside: pass::SetAside<'_> =
            measured(run).filter_map(|trial| Some((trial.trial.as_str(), ours.get(trial.subject.as_str())?))).collect();
        let mut totals = RowTotals::default();
        let merged = self.merged_tests();
        match ExecutionFile::open(&merged).and_then(|file| pass::totals(&file, &set_aside)) {
            Ok(trials) => totals.trials = trials,
            Err(error) => totals.problems.push(error.to_string()),
        }
        self.add_unmerged(run, &set_aside, &mut totals);
        totals
    }

    fn add_unmerged(&self, run: &RunData, set_aside: &pass::SetAside<'_>, totals: &mut RowTotals) {
        let merged: HashSet<String> = totals.trials.iter().map(|trial| trial.trial.clone()).collect();
        let mut problems = Vec::new();
        for trial in measured(run).filter(|trial| has_rows(trial) && !merged.contains(&trial.trial)) {
            let Some(path) = self.own_tests(&trial.trial) else {
                problems
                    .push(format!("tests.parquet has no executions of {}, and it has no file of its own", trial.trial));
                continue;
            };
            match ExecutionFile::open(&path).and_then(|file| pass::totals(&file, set_aside)) {
                Ok(found) => totals.trials.extend(found.into_iter().filter(|found| found.trial == trial.trial)),
                Err(error) => problems.push(error.to_string()),
            }
        }
        let others = problems.len().saturating_sub(MOST_NAMED);
        problems.truncate(MOST_NAMED);
        if others > 0 {
            problems.push(format!("so it is with {}", plural(others, "more trial")));
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

/// Does the record speak of executions? Those of an interrupted stage are not kept.
fn has_rows(trial: &TrialRecord) -> bool {
    trial.stages.iter().any(|stage| stage.end != RunEnd::Interrupted && stage.tally != crate::suite::Tally::default())
}

/// What is wrong with a file: the rest of a sentence that begins with "it has".
#[derive(Debug)]
pub(crate) struct Fault {
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
        Fault::new(format!("bytes that make no sense ({error})"))
    }
}

impl From<std::io::Error> for Fault {
    fn from(error: std::io::Error) -> Self {
        Fault::new(format!("bytes that cannot be read ({error})"))
    }
}

fn outcome(word: &str) -> Result<Outcome, Fault> {
    Outcome::named(word)
        .ok_or_else(|| Fault::new(format!("the outcome `{}`, which there is not", word.escape_debug())).of("outcome"))
}
