//! The tables of a run, for the expressions of `own`. Their rows are called as the study calls its subjects, so that they can be
//! joined with published ones. What a run is, is not known here: whoever knows runs fills [`RunTables`].

use std::collections::{BTreeMap, BTreeSet};

use super::file::SubjectName;
use super::table::{Row, Table};

const SUBJECT: &str = "subject";
const CORES: &str = "cores";
/// The judgements that say anything about speed.
const ANSWERS: [&str; 3] = ["faster", "slower", "no_difference_shown"];

/// A run as a study sees it: its tables with all their rows, under the run's own names.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunTables {
    pub tables: Vec<Table>,
    /// The number of cores that a study is compared on: the largest.
    pub cores: Option<usize>,
    /// Subjects that the run has results of.
    pub with_results: BTreeSet<String>,
}

impl RunTables {
    /// The rows of the study's subjects, on the largest number of cores.
    pub fn for_study(&self, subjects: &[SubjectName]) -> Vec<Table> {
        let published: BTreeMap<&str, &str> =
            subjects.iter().map(|subject| (subject.name.as_str(), subject.published.as_str())).collect();
        let cores = self.cores.map(|cores| cores.to_string());
        let mut tables = self.tables.clone();
        for table in &mut tables {
            silence_without_answer(table);
            let (subject, at) = (table.column(SUBJECT), table.column(CORES));
            table.rows.retain(|row| at.is_none_or(|at| row.cells.get(at) == cores.as_ref()));
            if let Some(subject) = subject {
                table.rows.retain_mut(|row| called_as_published(row, subject, &published));
            }
        }
        tables
    }

    /// The study's names of the subjects of which the run has results.
    pub fn covered(&self, subjects: &[SubjectName]) -> BTreeSet<String> {
        let has_results = |subject: &&SubjectName| self.with_results.contains(&subject.name);
        subjects.iter().filter(has_results).map(|subject| subject.published.clone()).collect()
    }
}

/// A speedup of too few pairs, or of a mode without observed concurrency, is nothing to put beside a published one.
fn silence_without_answer(table: &mut Table) {
    let Some(judgement) = table.column("judgement") else { return };
    let claims: Vec<usize> =
        ["speedup", "ci_low", "ci_high", "saving_percent"].iter().filter_map(|c| table.column(c)).collect();
    for row in &mut table.rows {
        if ANSWERS.contains(&row.cells[judgement].as_str()) {
            continue;
        }
        for claim in &claims {
            row.cells[*claim].clear();
        }
    }
}

fn called_as_published(row: &mut Row, subject: usize, published: &BTreeMap<&str, &str>) -> bool {
    let name = row.cells.get(subject).and_then(|name| published.get(name.as_str()));
    if let Some(name) = name {
        row.key = (*name).to_owned();
        row.subject = Some(row.key.clone());
    }
    name.is_some()
}
