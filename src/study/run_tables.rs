//! The tables of a run, as `parade report` writes them to CSV files, for the expressions of `own`. Their rows are called as
//! the study calls its subjects, so that they can be joined with published ones.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::csv_file;
use super::file::SubjectName;
use super::table::{Row, Table};
use crate::experiment::mistake::Log;
use crate::report::Analysis;
use crate::report::TableName;
use crate::report::render::csv;

const SUBJECT: &str = "subject";
const CORES: &str = "cores";

/// Of every table of a run, its columns.
pub fn heads() -> &'static [Table] {
    static HEADS: LazyLock<Vec<Table>> =
        LazyLock::new(|| TableName::named().filter_map(|name| Some(table(name, &csv::heads(name).ok()?))).collect());
    &HEADS
}

/// A run's tables with the rows of the study's subjects, on the largest number of cores.
pub fn of_run(analysis: &Analysis, subjects: &[SubjectName]) -> miette::Result<Vec<Table>> {
    let published: BTreeMap<&str, &str> =
        subjects.iter().map(|subject| (subject.name.as_str(), subject.published.as_str())).collect();
    let cores = most_cores(analysis).map(|cores| cores.to_string());
    TableName::named()
        .map(|name| {
            let mut table = table(name, &csv::render(analysis, name)?);
            let (subject, at) = (table.column(SUBJECT), table.column(CORES));
            table.rows.retain(|row| at.is_none_or(|at| row.cells.get(at) == cores.as_ref()));
            if let Some(subject) = subject {
                table.rows.retain_mut(|row| called_as_published(row, subject, &published));
            }
            Ok(table)
        })
        .collect()
}

/// The number of cores that a study is compared on.
pub fn most_cores(analysis: &Analysis) -> Option<usize> {
    analysis.run.manifest.cores.iter().max().copied()
}

/// The study's names of the subjects of which a run has results.
pub fn covered(analysis: &Analysis, subjects: &[SubjectName]) -> BTreeSet<String> {
    let has_results = |name: &str| {
        let failed = analysis.subjects.iter().any(|row| row.subject == name && row.failure.is_some());
        let ran = analysis.costs.iter().any(|row| row.subject == name && row.trials > 0);
        (ran && !failed) || analysis.orders.covers(name)
    };
    subjects.iter().filter(|subject| has_results(&subject.name)).map(|subject| subject.published.clone()).collect()
}

fn called_as_published(row: &mut Row, subject: usize, published: &BTreeMap<&str, &str>) -> bool {
    let name = row.cells.get(subject).and_then(|name| published.get(name.as_str()));
    if let Some(name) = name {
        row.key = (*name).to_owned();
        row.subject = Some(row.key.clone());
    }
    name.is_some()
}

/// Every number of a run is there in full.
fn table(name: TableName, text: &str) -> Table {
    let grid = csv_file::read(text, &Log::default());
    let key = grid.columns.iter().position(|column| column == SUBJECT).unwrap_or(0);
    let row = |line: csv_file::Line| Row {
        key: line.cells.get(key).cloned().unwrap_or_default(),
        subject: None,
        cells: line.cells,
        is_summary: false,
        line: line.number,
    };
    Table {
        name: name.name().to_owned(),
        file: format!("report/{}.csv", name.name()),
        exact: (0..grid.columns.len()).collect(),
        columns: grid.columns,
        rows: grid.rows.into_iter().map(row).collect(),
        ..Table::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn the_columns_of_every_table_are_known() {
        let heads = heads();
        assert_eq!(heads.len(), TableName::named().count());
        let speedups = heads.iter().find(|table| table.name == "speedups").unwrap();
        assert!(speedups.column("speedup").is_some() && speedups.rows.is_empty());
    }

    #[test]
    fn a_run_is_compared_on_its_most_cores() {
        let analysis = Analysis::of(&sample::two_core_counts());
        let subjects = [SubjectName { published: "Scales".to_owned(), name: "scales".to_owned() }];
        let tables = of_run(&analysis, &subjects).unwrap();
        let speedups = tables.iter().find(|table| table.name == "speedups").unwrap();
        let cores = speedups.column("cores").unwrap();
        assert!(
            !speedups.rows.is_empty() && speedups.rows.iter().all(|row| row.cells[cores] == "2" && row.key == "Scales")
        );
        assert_eq!(covered(&analysis, &subjects), BTreeSet::from(["Scales".to_owned()]));
        let stranger = [SubjectName { published: "x".to_owned(), name: "x".to_owned() }];
        assert!(
            of_run(&analysis, &stranger).unwrap().iter().all(|table| table.name != "speedups" || table.rows.is_empty())
        );
    }
}
