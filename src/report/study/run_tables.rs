//! The tables of a run, for the expressions of `own`. Their rows are called as the study calls its subjects, so that they can be
//! joined with published ones. What a run is, is not known here: whoever knows runs fills [`RunTables`].

use std::collections::{BTreeMap, BTreeSet};

use super::file::SubjectName;
use super::table::{SUBJECT, SourceRow, SourceTable};
use crate::data_table::DataCell;

const CORES: &str = "cores";
/// The judgements that say anything about speed.
const ANSWERS: [&str; 3] = ["faster", "slower", "no_difference_shown"];

/// A run as a study sees it: its tables with all their rows, under the run's own names.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunTables {
    pub tables: Vec<SourceTable>,
    /// The number of cores that a study is compared on: the largest.
    pub cores: Option<usize>,
    /// Subjects that the run has results of.
    pub with_results: BTreeSet<String>,
}

impl RunTables {
    /// The rows of the study's subjects, on the largest number of cores.
    pub fn for_study(self, subjects: &[SubjectName]) -> Vec<SourceTable> {
        let published: BTreeMap<&str, &str> =
            subjects.iter().map(|subject| (subject.name.as_str(), subject.published.as_str())).collect();
        let cores = self.cores.map(|cores| cores.to_string());
        let mut tables = self.tables;
        for table in &mut tables {
            remove_unanswered(table);
            if let Some(column) = table.column(CORES) {
                table.rows.retain(|row| Some(row.text(column).as_ref()) == cores.as_deref());
            }
            if let Some(column) = table.column(SUBJECT) {
                table.rows.retain_mut(|row| name_as_published(row, column, &published));
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

/// A speedup of too few pairs, or of a mode without observed concurrency, cannot be compared with a published one.
fn remove_unanswered(table: &mut SourceTable) {
    let Some(judgement) = table.column("judgement") else { return };
    let claims: Vec<usize> =
        ["speedup", "ci_low", "ci_high", "saving_percent"].iter().filter_map(|column| table.column(column)).collect();
    for row in &mut table.rows {
        if ANSWERS.contains(&row.text(judgement).as_ref()) {
            continue;
        }
        for claim in &claims {
            row.cells[*claim] = DataCell::Missing;
        }
    }
}

/// Whether the row is about a subject of the study.
fn name_as_published(row: &mut SourceRow, subject: usize, published: &BTreeMap<&str, &str>) -> bool {
    let Some(name) = row.cells[subject].as_text().and_then(|name| published.get(name)) else { return false };
    row.key = (*name).to_owned();
    row.subject = Some(row.key.clone());
    true
}
