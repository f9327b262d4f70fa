//! What all outputs of one report share. Data tables and the comparison with a study are made once, when an output first
//! needs them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{LazyLock, OnceLock};

use super::Analysis;
use super::study_comparison::StudyComparison;
use super::tables::{DisplayTable, TABLES, TableDefinition, TableOutput};
use crate::data_table::DataTable;
use crate::study::{RunTables, SourceTable};

pub struct RunReport<'a> {
    pub analysis: &'a Analysis,
    /// By the names of the tables.
    data: BTreeMap<&'static str, OnceLock<DataTable>>,
    study: OnceLock<Option<StudyComparison>>,
}

impl<'a> RunReport<'a> {
    pub fn new(analysis: &'a Analysis) -> RunReport<'a> {
        let data = TABLES.iter().map(|table| (table.name, OnceLock::new())).collect();
        RunReport { analysis, data, study: OnceLock::new() }
    }

    /// The rows of a table for programs; only columns where there are none.
    pub fn data(&self, table: &TableDefinition) -> miette::Result<&DataTable> {
        let made = &self.data[table.name];
        if let Some(data) = made.get() {
            return Ok(data);
        }
        let data = table.make_data(self)?;
        Ok(made.get_or_init(|| data))
    }

    /// Nothing where the experiment names no study, or one that parade does not have.
    pub fn study(&self) -> Option<&StudyComparison> {
        self.study.get_or_init(|| StudyComparison::new(self)).as_ref()
    }

    /// All display tables of one definition: one for each number of cores where they differ by it.
    pub fn tables(&self, table: &TableDefinition) -> Vec<DisplayTable> {
        table.make_tables(self)
    }

    /// All tables of `report.md`.
    pub fn document_tables(&self) -> Vec<DisplayTable> {
        TableDefinition::in_output(TableOutput::Document).flat_map(|table| self.tables(table)).collect()
    }

    /// The tables that have files in the report folder.
    pub fn written_tables(&self) -> impl Iterator<Item = &'static TableDefinition> {
        let has_study = self.analysis.run.manifest.study.is_some();
        TABLES.iter().filter(move |table| has_study || !table.needs_study())
    }

    /// The run as a study sees it.
    pub fn run_tables(&self) -> miette::Result<RunTables> {
        let mut tables = Vec::new();
        for table in TABLES.iter().filter(|table| !table.needs_study()) {
            tables.push(SourceTable::from_data(table.name, self.data(table)?));
        }
        Ok(RunTables {
            tables,
            cores: self.analysis.run.manifest.cores.iter().max().copied(),
            with_results: with_results(self.analysis),
        })
    }
}

/// The tables of any run, without rows: what expressions of studies can refer to.
pub fn empty_run_tables() -> &'static [SourceTable] {
    static EMPTY: LazyLock<Vec<SourceTable>> = LazyLock::new(|| {
        let mut tables = Vec::new();
        for table in TABLES.iter().filter(|table| !table.needs_study()) {
            let columns = table.columns().unwrap_or_default();
            tables.push(SourceTable::from_data(table.name, &DataTable { columns, rows: Vec::new() }));
        }
        tables
    });
    &EMPTY
}

/// Subjects that ran, and modules whose orders were evaluated.
fn with_results(analysis: &Analysis) -> BTreeSet<String> {
    let failed: BTreeSet<&str> =
        analysis.subjects.iter().filter(|row| row.failure.is_some()).map(|row| row.subject.as_str()).collect();
    let mut subjects = BTreeSet::new();
    for row in &analysis.costs {
        if row.trials > 0 && !failed.contains(row.subject.as_str()) {
            subjects.insert(row.subject.clone());
        }
    }
    for row in &analysis.orders.techniques {
        if analysis.orders.covers(&row.subject) {
            subjects.insert(row.subject.clone());
        }
    }
    subjects
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;
    use crate::study::SubjectName;

    #[test]
    fn the_columns_of_every_table_are_known() {
        for table in empty_run_tables() {
            assert!(table.columns.len() > 1 && table.rows.is_empty(), "{}", table.name);
        }
        let speedups = empty_run_tables().iter().find(|table| table.name == "speedups").unwrap();
        assert!(speedups.column("speedup").is_some());
    }

    #[test]
    fn a_run_is_compared_on_its_most_cores() {
        let analysis = Analysis::of(&sample::two_core_counts());
        let run = RunReport::new(&analysis).run_tables().unwrap();
        let subjects = [SubjectName { published: "Scales".to_owned(), name: "scales".to_owned() }];
        let tables = run.clone().for_study(&subjects);
        let speedups = tables.iter().find(|table| table.name == "speedups").unwrap();
        let cores = speedups.column("cores").unwrap();
        assert!(!speedups.rows.is_empty());
        for (index, row) in speedups.rows.iter().enumerate() {
            assert_eq!((speedups.cell(index, cores).as_ref(), row.key.as_str()), ("2", "Scales"));
        }
        assert_eq!(run.covered(&subjects), BTreeSet::from(["Scales".to_owned()]));
        let stranger = [SubjectName { published: "x".to_owned(), name: "x".to_owned() }];
        let tables = run.for_study(&stranger);
        assert!(tables.iter().all(|table| table.name != "speedups" || table.rows.is_empty()));
    }
}
