//! Time saved, as a table that is read by its colours: subjects down, configurations and numbers of cores across.

use std::collections::HashMap;

use super::{Cell, Column, Row, Table, TableName};
use crate::report::Analysis;
use crate::report::analysis::SavingRow;
use crate::report::text::shown;
use crate::stats;
use crate::wording::plural;

type Place<'a> = (&'a str, &'a str, usize);

pub(super) fn table(analysis: &Analysis) -> Table {
    let by_place: HashMap<Place, &SavingRow> = analysis
        .savings
        .iter()
        .map(|row| ((row.subject.as_str(), row.configuration.as_str(), row.cores), row))
        .collect();
    let columns = columns(analysis);
    let widest = analysis.savings.iter().filter_map(|row| row.saving_percent).map(f64::abs).fold(1.0, f64::max);
    let subjects: Vec<&str> = analysis.run.manifest.subjects.iter().map(String::as_str).collect();
    let mut rows: Vec<Row> = subjects.iter().filter_map(|subject| row(subject, &columns, &by_place, widest)).collect();
    if rows.len() > 1 {
        rows.push(means(&columns, &analysis.savings, widest));
    }
    Table {
        name: TableName::Savings,
        title: format!("Time saved over {}", shown(&analysis.run.manifest.baseline)),
        columns: heads(analysis, &columns),
        rows,
        notes: vec![
            "Part of the baseline's time that a configuration saves on the same cores: (baseline − candidate) / baseline. The \
             stronger the colour, the larger the saving (blue) or the loss (orange, with a minus)."
                .to_owned(),
        ],
    }
}

/// Configurations outermost, so that the numbers of cores stand side by side.
fn columns(analysis: &Analysis) -> Vec<(&str, usize)> {
    let cores = &analysis.run.manifest.cores;
    analysis.run.candidates().flat_map(|c| cores.iter().map(move |cores| (c.name.as_str(), *cores))).collect()
}

fn heads(analysis: &Analysis, columns: &[(&str, usize)]) -> Vec<Column> {
    let several = analysis.run.manifest.cores.len() > 1;
    let head = |(name, cores): &(&str, usize)| match several {
        true => Column::right(plural(*cores, "core")).under(shown(name)),
        false => Column::right(shown(name)),
    };
    [Column::left("subject")].into_iter().chain(columns.iter().map(head)).collect()
}

/// Nothing for a subject without any saving to show.
fn row(subject: &str, columns: &[(&str, usize)], by_place: &HashMap<Place, &SavingRow>, widest: f64) -> Option<Row> {
    let found: Vec<Option<&SavingRow>> =
        columns.iter().map(|(name, cores)| by_place.get(&(subject, *name, *cores)).copied()).collect();
    found.iter().flatten().any(|row| row.saving_percent.is_some()).then(|| {
        let cells = found.into_iter().map(|row| row.map_or_else(|| Cell::new(""), |row| cell(row, widest)));
        Row::body([Cell::new(shown(subject))].into_iter().chain(cells).collect())
    })
}

fn cell(row: &SavingRow, widest: f64) -> Cell {
    match row.saving_percent {
        Some(saving) => saving_cell(saving, widest),
        None => Cell::muted(row.reason.clone().unwrap_or_default()),
    }
}

fn saving_cell(saving: f64, widest: f64) -> Cell {
    let rounded = saving.round() + 0.0;
    Cell::new(format!("{rounded:.0} %").replace('-', "−")).valued(saving).shaded(saving / widest)
}

fn means(columns: &[(&str, usize)], rows: &[SavingRow], widest: f64) -> Row {
    let mean = |(name, cores): &(&str, usize)| {
        let here = rows.iter().filter(|row| row.configuration == *name && row.cores == *cores);
        let mean = stats::mean(&here.filter_map(|row| row.saving_percent).collect::<Vec<_>>());
        mean.map_or_else(|| Cell::muted("–"), |mean| saving_cell(mean, widest))
    };
    Row::summary([Cell::new("Average")].into_iter().chain(columns.iter().map(mean)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn the_largest_change_has_the_strongest_colour() {
        let table = table(sample::studied());
        let shades: Vec<f64> = table.rows.iter().flat_map(|row| &row.cells).filter_map(|cell| cell.shade).collect();
        assert_eq!(shades.iter().copied().map(f64::abs).fold(0.0, f64::max), 1.0);
        assert!(shades.iter().any(|shade| *shade < 0.0), "a subject that became slower is shaded the other way");
        for cell in table.rows.iter().flat_map(|row| &row.cells).filter(|cell| cell.shade.is_some()) {
            assert_eq!(cell.shade < Some(0.0), cell.value < Some(0.0), "{}", cell.text);
        }
    }

    #[test]
    fn a_void_cell_says_why() {
        let table = table(sample::studied());
        assert!(table.rows.iter().flat_map(|row| &row.cells).any(|cell| cell.text == "6 failing"));
    }
}
