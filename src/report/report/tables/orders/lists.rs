//! Which tests fail in whose orders, and P3 compared with P2.

use std::collections::BTreeMap;

use super::tone_of;
use crate::report::Analysis;
use crate::report::analysis::orders::{OrderFailureRow, ScheduleRow, authorship_title};
use crate::report::tables::{DisplayCell, DisplayColumn, DisplayRow, DisplayTable, Tone};
use crate::shown_text::{sentence, shown};

const LONGEST_TEXT: usize = 300;

/// One row for a test; CSV has one for each algorithm and number of machines.
pub fn failures(analysis: &Analysis) -> DisplayTable {
    let all = &analysis.orders.failures;
    let tests: Vec<&[OrderFailureRow]> = all.chunk_by(is_same_test).collect();
    DisplayTable {
        columns: vec![
            DisplayColumn::left("ID"),
            DisplayColumn::left("suite"),
            DisplayColumn::left("test"),
            DisplayColumn::left("unenhanced orders"),
            DisplayColumn::left("enhanced orders"),
            DisplayColumn::left("message").optional(),
        ],
        rows: tests.iter().filter_map(|rows| failure(rows)).collect(),
        ..DisplayTable::default()
    }
}

fn is_same_test(a: &OrderFailureRow, b: &OrderFailureRow) -> bool {
    (&a.subject, a.authorship, &a.test) == (&b.subject, b.authorship, &b.test)
}

fn failure(rows: &[OrderFailureRow]) -> Option<DisplayRow> {
    let first = rows.first()?;
    let enhanced = orders(rows, true);
    let tone = if enhanced.is_empty() { Tone::Plain } else { Tone::Bad };
    Some(DisplayRow::body(vec![
        DisplayCell::new(shown(&first.subject)),
        DisplayCell::new(authorship_title(first.authorship)),
        DisplayCell::new(shown(&first.test)),
        DisplayCell::new(orders(rows, false)),
        DisplayCell::new(enhanced).toned(tone),
        DisplayCell::muted(sentence(first.message.as_deref().unwrap_or(""), LONGEST_TEXT)),
    ]))
}

/// `T1 T2 on v02; S3 on v02 v03`: algorithms that fail it on the same versions together.
fn orders(rows: &[OrderFailureRow], enhanced: bool) -> String {
    let mut by_versions: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.enhanced == enhanced) {
        let machines = if row.machines > 1 { format!("/{}", row.machines) } else { String::new() };
        by_versions.entry(&row.versions).or_default().push(format!("{}{machines}", row.algorithm));
    }
    let part = |(versions, algorithms): (&str, Vec<String>)| match versions {
        "" => algorithms.join(" "),
        versions => format!("{} on {versions}", algorithms.join(" ")),
    };
    by_versions.into_iter().map(part).collect::<Vec<_>>().join("; ")
}

pub fn schedules(analysis: &Analysis) -> DisplayTable {
    let mut columns = DisplayColumn::aligned(&["<ID", "<suite", ">version", ">machines"]);
    for algorithm in ["P2", "P2, enhanced", "P3"] {
        columns.extend(["time", "failing"].map(|label| DisplayColumn::right(label).under(algorithm)));
    }
    columns.extend(["P2, enhanced", "P3", "lower bound"].map(|label| DisplayColumn::right(label).under("expected")));
    DisplayTable { columns, rows: analysis.orders.schedules.iter().map(schedule).collect(), ..DisplayTable::default() }
}

fn schedule(row: &ScheduleRow) -> DisplayRow {
    let version = row.version.map_or_else(|| DisplayCell::new(""), |number| DisplayCell::count(number as usize));
    let mut cells = vec![
        DisplayCell::new(shown(&row.subject)),
        DisplayCell::new(authorship_title(row.authorship)),
        version,
        DisplayCell::count(row.machines as usize),
    ];
    for (time, failing) in [
        (row.p2_seconds, row.p2_failing),
        (row.p2_enhanced_seconds, row.p2_enhanced_failing),
        (row.p3_seconds, row.p3_failing),
    ] {
        cells.push(seconds(time));
        cells.push(failing.map_or_else(DisplayCell::dash, |count| DisplayCell::count(count).toned(tone_of(count))));
    }
    cells.extend([row.p2_enhanced_expected, row.p3_expected, row.lower_bound].map(seconds));
    DisplayRow::body(cells)
}

fn seconds(seconds: Option<f64>) -> DisplayCell {
    seconds.map_or_else(DisplayCell::dash, |seconds| DisplayCell::new(format!("{seconds:.2}")).valued(seconds))
}
