//! The tables of a run, as `parade report` writes them to CSV files, for the expressions of `own`. Their rows are called as
//! the study calls its subjects, so that they can be joined with published ones.

use std::collections::{BTreeMap, BTreeSet};

use super::csv_file;
use super::file::SubjectName;
use super::table::{Row, Table};
use crate::experiment::mistake::Log;
use crate::report::Analysis;
use crate::report::TableName;
use crate::report::analysis::{
    AverageRow, ConcurrencyRow, CostRow, DeviationRow, FailureRow, FindingRow, IncompleteRow, ResidualRow, ScalingRow,
    SetAsideRow, SpeedupRow, SubjectRow, Warning,
};
use crate::report::render::csv;

const SUBJECT: &str = "subject";
const CORES: &str = "cores";

/// Of every table of a run, its columns.
pub fn heads() -> Vec<Table> {
    let known: [(TableName, miette::Result<String>); 14] = [
        (TableName::Subjects, csv::write::<SubjectRow>(&[])),
        (TableName::Failures, csv::write::<FailureRow>(&[])),
        (TableName::Speedups, csv::write::<SpeedupRow>(&[])),
        (TableName::SpeedupsStudy, csv::write::<SpeedupRow>(&[])),
        (TableName::Averages, csv::write::<AverageRow>(&[])),
        (TableName::Concurrency, csv::write::<ConcurrencyRow>(&[])),
        (TableName::Costs, csv::write::<CostRow>(&[])),
        (TableName::Scaling, csv::write::<ScalingRow>(&[])),
        (TableName::Residual, csv::write::<ResidualRow>(&[])),
        (TableName::Incomplete, csv::write::<IncompleteRow>(&[])),
        (TableName::Findings, csv::write::<FindingRow>(&[])),
        (TableName::Deviations, csv::write::<DeviationRow>(&[])),
        (TableName::SetAside, csv::write::<SetAsideRow>(&[])),
        (TableName::Warnings, csv::write::<Warning>(&[])),
    ];
    known.into_iter().filter_map(|(name, text)| Some(table(name, &text.ok()?))).collect()
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
        ran && !failed
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

    #[test]
    fn the_heads_of_every_table_are_known() {
        let heads = heads();
        let names: BTreeSet<&str> = heads.iter().map(|table| table.name.as_str()).collect();
        let known: BTreeSet<&str> = TableName::named().map(TableName::name).collect();
        assert_eq!(names, known);
        let speedups = heads.iter().find(|table| table.name == "speedups").unwrap();
        assert!(speedups.column("speedup").is_some() && speedups.rows.is_empty());
    }
}
