//! Which tests fail in whose orders, and P3 beside P2.

use super::tone_of;
use crate::report::Analysis;
use crate::report::analysis::orders::{OrderFailureRow, ScheduleRow, authorship_title};
use crate::report::tables::{Cell, Column, Row, Table, TableName, Tone};
use crate::report::text::{sentence, shown};

/// Longer lists are cut here; CSV and JSON have them whole.
const MOST_ROWS: usize = 300;
const LONGEST_TEXT: usize = 300;

pub fn failures(analysis: &Analysis) -> Table {
    let all = &analysis.orders.failures;
    let mut notes = vec!["Tests that passed in the original order and failed in every repetition of these.".to_owned()];
    if all.len() > MOST_ROWS {
        notes.push(format!("The first {MOST_ROWS} of {}; all are in od-failures.csv.", all.len()));
    }
    Table {
        name: TableName::OdFailures,
        title: "Order-dependent tests that fail, by test and algorithm".to_owned(),
        columns: vec![
            Column::left("ID"),
            Column::left("suite"),
            Column::left("test"),
            Column::left("algorithm"),
            Column::right("machines"),
            Column::left("versions"),
            Column::left("message").optional(),
        ],
        rows: all.iter().take(MOST_ROWS).map(failure).collect(),
        notes,
    }
}

fn failure(row: &OrderFailureRow) -> Row {
    let algorithm = if row.enhanced { format!("{}, enhanced", row.algorithm) } else { row.algorithm.to_owned() };
    let machines = if row.machines > 1 { Cell::count(row.machines as usize) } else { Cell::new("") };
    let on = if row.versions.is_empty() {
        Cell::new("")
    } else {
        let failed = row.versions.split(' ').count();
        Cell::new(row.versions.clone()).hinted(Some(format!("{failed} of {}", row.of_versions)))
    };
    Row::body(vec![
        Cell::new(shown(&row.subject)),
        Cell::new(authorship_title(row.authorship)),
        Cell::new(shown(&row.test)),
        Cell::new(algorithm)
            .toned(if row.enhanced { Tone::Bad } else { Tone::Plain })
            .hinted(Some(shown(&row.configuration))),
        machines,
        on,
        Cell::muted(sentence(row.message.as_deref().unwrap_or(""), LONGEST_TEXT)),
    ])
}

pub fn schedules(analysis: &Analysis) -> Table {
    let mut columns =
        vec![Column::left("ID"), Column::left("suite"), Column::right("version"), Column::right("machines")];
    for algorithm in ["P2", "P2, enhanced", "P3"] {
        columns.extend(["time", "failing"].map(|label| Column::right(label).under(algorithm)));
    }
    columns.extend(["P2, enhanced", "P3", "lower bound"].map(|label| Column::right(label).under("expected")));
    Table {
        name: TableName::OdSchedules,
        title: "P3, which assigns tests with their dependencies in mind, beside P2".to_owned(),
        columns,
        rows: analysis.orders.schedules.iter().map(schedule).collect(),
        notes: vec![
            "Times are of the longest machine, in seconds. expected: by the times of the first version; no schedule that keeps \
             the dependencies can be done before the lower bound. P3 is none of the study's algorithms."
                .to_owned(),
        ],
    }
}

fn schedule(row: &ScheduleRow) -> Row {
    let version = row.version.map_or_else(|| Cell::new(""), |number| Cell::count(number as usize));
    let mut cells = vec![
        Cell::new(shown(&row.subject)),
        Cell::new(authorship_title(row.authorship)),
        version,
        Cell::count(row.machines as usize),
    ];
    for (time, failing) in [
        (row.p2_seconds, row.p2_failing),
        (row.p2_enhanced_seconds, row.p2_enhanced_failing),
        (row.p3_seconds, row.p3_failing),
    ] {
        cells.push(seconds(time));
        cells.push(failing.map_or_else(|| Cell::muted("–"), |count| Cell::count(count).toned(tone_of(count))));
    }
    cells.extend([row.p2_enhanced_expected, row.p3_expected, row.lower_bound].map(seconds));
    Row::body(cells)
}

fn seconds(seconds: Option<f64>) -> Cell {
    seconds.map_or_else(|| Cell::muted("–"), |seconds| Cell::new(format!("{seconds:.2}")).valued(seconds))
}
