//! Table 4.

use super::share;
use crate::report::Analysis;
use crate::report::analysis::orders::{AUTHORSHIPS, StatisticsRow, authorship_title};
use crate::report::tables::{DisplayCell, DisplayColumn, DisplayRow, DisplayTable};
use crate::shown_text::{sentence, shown};
use crate::stats;
use crate::store::record::Authorship;

const LONGEST_NOTE: usize = 600;

pub fn statistics(analysis: &Analysis) -> DisplayTable {
    let modules = &analysis.orders.statistics;
    let mut rows: Vec<DisplayRow> = modules.iter().map(row).collect();
    if modules.len() > 1 {
        rows.push(total(modules));
    }
    let found = match modules.iter().map(|row| row.rounds).max() {
        Some(0) | None => "OD tests: those that failed in orders of algorithms; random orders were not run.".to_owned(),
        Some(rounds) => format!("OD tests: those that failed in {rounds} random orders of each version."),
    };
    let first = format!("Lines without blank ones and comments, and tests, are those of the first version. {found}");
    let notes = analysis.orders.notes.iter().map(|note| sentence(note, LONGEST_NOTE));
    DisplayTable {
        columns: heads(),
        rows,
        notes: std::iter::once(first).chain(more_known(modules)).chain(notes).collect(),
        ..DisplayTable::default()
    }
}

fn heads() -> Vec<DisplayColumn> {
    let mut heads = vec![DisplayColumn::left("ID"), DisplayColumn::left("Project")];
    heads.extend(["Source", "Tests"].map(|label| DisplayColumn::right(label).under("LOC")));
    heads.extend(AUTHORSHIPS.map(|kind| DisplayColumn::right(authorship_title(kind)).under("# Tests")));
    heads.extend(AUTHORSHIPS.map(|kind| DisplayColumn::right(authorship_title(kind)).under("# OD tests")));
    heads.push(DisplayColumn::right("# Evaluation versions"));
    heads.extend(["Average", "Median"].map(|label| DisplayColumn::right(label).under("Days between versions")));
    heads
}

/// Algorithms can fail tests that no random order did.
fn more_known(modules: &[StatisticsRow]) -> Option<String> {
    let all = |count: fn(&StatisticsRow, Authorship) -> Option<usize>| -> usize {
        modules.iter().flat_map(|row| AUTHORSHIPS.map(|kind| count(row, kind).unwrap_or(0))).sum()
    };
    let known: usize = modules.iter().map(StatisticsRow::known).sum();
    let more = known.saturating_sub(all(StatisticsRow::order_dependent));
    (more > 0).then(|| {
        format!("{more} more failed only in orders of algorithms; percentages are of all {known} that are known.")
    })
}

fn row(module: &StatisticsRow) -> DisplayRow {
    let mut cells = vec![DisplayCell::new(shown(&module.subject)), DisplayCell::new(shown(&module.project))];
    cells.extend([module.source_lines, module.test_lines].map(lines));
    cells.extend(AUTHORSHIPS.map(|kind| module.tests(kind).map_or_else(|| DisplayCell::new(""), DisplayCell::count)));
    cells.extend(AUTHORSHIPS.map(|kind| order_dependent(module.order_dependent(kind), module.tests(kind))));
    cells.push(DisplayCell::count(module.versions));
    cells.extend([module.days_average, module.days_median].map(days));
    DisplayRow::body(cells)
}

/// Sums; but of days, average and median over all pairs of versions.
fn total(modules: &[StatisticsRow]) -> DisplayRow {
    let mut cells = vec![DisplayCell::new("Total / Average / Median"), DisplayCell::new("")];
    let sum_of_lines = |count: fn(&StatisticsRow) -> Option<u64>| modules.iter().map(count).sum::<Option<u64>>();
    cells.extend([sum_of_lines(|row| row.source_lines), sum_of_lines(|row| row.test_lines)].map(lines));
    let sum = |kind, count: fn(&StatisticsRow, Authorship) -> Option<usize>| {
        let known: Vec<usize> = modules.iter().filter_map(|row| count(row, kind)).collect();
        (!known.is_empty()).then(|| known.iter().sum::<usize>())
    };
    let tests = AUTHORSHIPS.map(|kind| sum(kind, StatisticsRow::tests));
    cells.extend(tests.map(|tests| tests.map_or_else(|| DisplayCell::new(""), DisplayCell::count)));
    let found = AUTHORSHIPS.map(|kind| sum(kind, StatisticsRow::order_dependent));
    cells.extend(found.into_iter().zip(tests).map(|(found, tests)| order_dependent(found, tests)));
    cells.push(DisplayCell::count(modules.iter().map(|row| row.versions).sum()));
    let all: Vec<f64> = modules.iter().flat_map(|row| row.days.iter().copied()).collect();
    cells.extend([stats::mean(&all), stats::median(&all)].map(days));
    DisplayRow::summary(cells)
}

fn lines(lines: Option<u64>) -> DisplayCell {
    lines.map_or_else(DisplayCell::dash, |lines| DisplayCell::new(lines.to_string()).valued(lines as f64))
}

/// `2 (2%)`.
fn order_dependent(count: Option<usize>, tests: Option<usize>) -> DisplayCell {
    let Some((count, tests)) = count.zip(tests) else { return DisplayCell::new("") };
    let percent = if tests == 0 { 0.0 } else { 100.0 * count as f64 / tests as f64 };
    DisplayCell::new(format!("{count} ({})", share(percent))).valued(count as f64)
}

fn days(days: Option<f64>) -> DisplayCell {
    days.map_or_else(DisplayCell::dash, |days| DisplayCell::new(format!("{days:.0}")).valued(days))
}
