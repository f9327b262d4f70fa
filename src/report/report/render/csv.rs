//! CSV for machines: one flat row per cell, unrounded, names as they are but for what [`csv_cells`] does to formulas.

use miette::IntoDiagnostic;

use crate::csv_cells;
use crate::report::RunReport;
use crate::report::tables::{DisplayCell, DisplayColumn, DisplayTable, TableDefinition};

/// The rows behind a table; only a header line where there are none.
pub fn render(report: &RunReport, table: &TableDefinition) -> miette::Result<String> {
    report.data(table)?.to_csv()
}

/// A table as it is shown, with numbers where its cells have some.
pub(super) fn of_table(table: &DisplayTable) -> miette::Result<String> {
    let head =
        |column: &DisplayColumn| column.group.iter().chain([&column.label]).cloned().collect::<Vec<_>>().join("/");
    let cell = |cell: &DisplayCell| cell.value.map_or_else(|| cell.text.clone(), |value| value.to_string());
    let records = table.rows.iter().map(|row| row.cells.iter().map(cell));
    String::from_utf8(csv_cells::of_records(table.columns.iter().map(head), records)?).into_diagnostic()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Analysis, TABLES, sample};

    fn rendered(analysis: &Analysis, name: &str) -> String {
        render(&RunReport::new(analysis), TableDefinition::find(name).unwrap()).unwrap()
    }

    #[test]
    fn every_table_can_be_read_back() {
        for analysis in [sample::studied(), sample::attacked(), &Analysis::of(&sample::empty())] {
            for table in TABLES {
                let text = rendered(analysis, table.name);
                let mut reader = csv::Reader::from_reader(text.as_bytes());
                let columns = reader.headers().unwrap().len();
                assert!(columns > 1, "{} has no heads", table.name);
                for record in reader.records() {
                    assert_eq!(record.unwrap().len(), columns, "{}", table.name);
                }
            }
        }
    }

    #[test]
    fn failures_are_one_row_per_stage() {
        insta::assert_snapshot!(rendered(sample::studied(), "failures"));
    }

    #[test]
    fn names_are_kept_as_they_are() {
        let text = rendered(sample::attacked(), "subjects");
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let cells: Vec<String> = reader.records().map(|record| record.unwrap()[0].to_owned()).collect();
        assert!(cells.iter().all(|cell| !cell.starts_with('=')), "a name became a formula");
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "a terminal would obey it");
        let names: Vec<_> = cells.iter().map(|cell| csv_cells::read(cell)).collect();
        assert_eq!(names, sample::HOSTILE_NAMES);
    }
}
