//! The layout of a table that needs none of its own: its data as they are.

use super::{DisplayCell, DisplayColumn, DisplayRow, DisplayTable};
use crate::data_table::{DataCell, DataTable};
use crate::shown_text::{sentence, shown};

/// Reasons are cut here; CSV and JSON have them whole.
const LONGEST_TEXT: usize = 600;

pub(super) fn table(data: &DataTable) -> DisplayTable {
    let mut columns = Vec::new();
    for (index, name) in data.columns.iter().enumerate() {
        let has_numbers = data.rows.iter().any(|row| matches!(row[index], DataCell::Number(_)));
        let label = name.replace('_', " ");
        columns.push(if has_numbers { DisplayColumn::right(label) } else { DisplayColumn::left(label) });
    }
    let rows = data.rows.iter().map(|row| DisplayRow::body(cells(row))).collect();
    DisplayTable { columns, rows, ..DisplayTable::default() }
}

fn cells(row: &[DataCell]) -> Vec<DisplayCell> {
    let mut cells = Vec::new();
    for (index, cell) in row.iter().enumerate() {
        cells.push(match cell {
            DataCell::Missing => DisplayCell::dash(),
            DataCell::Truth(truth) => DisplayCell::new(if *truth { "yes" } else { "no" }),
            DataCell::Number(number) if number.is_f64() => {
                let value = number.as_f64().unwrap_or_default();
                DisplayCell::new(format!("{value:.2}")).valued(value)
            }
            DataCell::Number(number) => DisplayCell::new(number.to_string()).valued(number.as_f64()),
            // Only the last column has room for sentences. Names are cut in the middle.
            DataCell::Text(text) if index + 1 == row.len() => DisplayCell::new(sentence(text, LONGEST_TEXT)),
            DataCell::Text(text) => DisplayCell::new(shown(text)),
        });
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tables::Align;

    #[derive(serde::Serialize, Default)]
    struct Record {
        test: &'static str,
        mean_seconds: f64,
        runs: usize,
        always: bool,
        reason: Option<&'static str>,
    }

    #[test]
    fn data_become_columns_and_texts() {
        let record = Record { test: "A#b", mean_seconds: 1.0 / 3.0, runs: 4, always: true, reason: None };
        let table = table(&DataTable::from_records(&[record]).unwrap());
        let heads: Vec<(&str, Align)> =
            table.columns.iter().map(|column| (column.label.as_str(), column.align)).collect();
        use Align::{Left, Right};
        assert_eq!(
            heads,
            [("test", Left), ("mean seconds", Right), ("runs", Right), ("always", Left), ("reason", Left)]
        );
        let texts: Vec<&str> = table.rows[0].cells.iter().map(|cell| cell.text.as_str()).collect();
        assert_eq!(texts, ["A#b", "0.33", "4", "yes", "–"]);
    }
}
