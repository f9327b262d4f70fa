//! Tables that list one thing per row.

use super::{Cell, Column, Row, Table, TableName, Tone};
use crate::report::Analysis;
use crate::report::analysis::SubjectRow;
use crate::report::text::{plural, shortened, shown};

/// Longer lists are cut here; CSV and JSON have them whole.
const MOST_ROWS: usize = 300;
/// Messages and reasons are cut here; CSV and JSON have them whole.
const LONGEST_TEXT: usize = 140;

pub(super) fn subjects(analysis: &Analysis) -> Table {
    let mut rows: Vec<Row> = analysis.subjects.iter().map(subject).collect();
    if rows.len() > 1 {
        let total = |count: fn(&SubjectRow) -> usize| analysis.subjects.iter().map(count).sum::<usize>().to_string();
        let mut cells = vec![Cell::new("Σ"), Cell::new(total(|s| s.tests)), Cell::new(total(|s| s.classes))];
        cells.extend((0..4).map(|_| Cell::new("")));
        cells.push(Cell::new(total(|s| s.set_aside)));
        cells.push(Cell::new(total(|s| s.deviations)));
        cells.push(Cell::new(""));
        rows.push(Row::summary(cells));
    }
    Table {
        name: TableName::Subjects,
        title: "Subjects".to_owned(),
        columns: vec![
            Column::left("subject"),
            Column::right("tests"),
            Column::right("classes"),
            Column::right("modules"),
            Column::left("revision"),
            Column::left("frameworks"),
            Column::left("JDK").optional(),
            Column::right("set aside"),
            Column::right("deviations"),
            Column::left("origin").optional(),
        ],
        rows,
        notes: vec![
            "set aside: tests that did not pass in every screening run; they run, but are not counted. deviations: what had \
             to be changed to run the subject here."
                .to_owned(),
        ],
    }
}

fn subject(row: &SubjectRow) -> Row {
    let count = |n: usize| if n == 0 { Cell::muted("0") } else { Cell::new(n.to_string()) };
    let name = match &row.failure {
        Some(failure) => Cell::new(shown(&row.subject)).toned(Tone::Bad).hinted(Some(shortened(failure, LONGEST_TEXT))),
        None => Cell::new(shown(&row.subject)),
    };
    Row::body(vec![
        name,
        count(row.tests),
        count(row.classes),
        count(row.modules),
        Cell::new(shown(row.short_revision())).hinted(row.revision.clone()),
        Cell::new(shown(&row.frameworks)),
        Cell::new(shown(row.jdk.as_deref().unwrap_or("–"))),
        count(row.set_aside),
        count(row.deviations),
        Cell::muted(shown(&row.origin)),
    ])
}

fn left_out(rows: usize, file: &str) -> Option<String> {
    (rows > MOST_ROWS).then(|| format!("The first {MOST_ROWS} of {rows}; all are in {file}.csv."))
}

pub(super) fn residual(analysis: &Analysis) -> Table {
    let rows = analysis.residual.iter().map(|row| {
        Row::body(vec![
            Cell::new(shown(&row.subject)),
            Cell::new(shown(&row.configuration)),
            Cell::new(row.cores.to_string()),
            Cell::new(shown(&row.test)),
            Cell::new(row.outcome).toned(Tone::Bad),
            Cell::new(format!("{} of {}", row.repetitions, row.of)),
            Cell::muted(shortened(row.message.as_deref().unwrap_or(""), LONGEST_TEXT)),
        ])
    });
    Table {
        name: TableName::Residual,
        title: "Tests that did not end well".to_owned(),
        columns: vec![
            Column::left("subject"),
            Column::left("configuration"),
            Column::right("cores"),
            Column::left("test"),
            Column::left("outcome"),
            Column::right("repetitions"),
            Column::left("message").optional(),
        ],
        rows: rows.take(MOST_ROWS).collect(),
        notes: [
            Some("What still failed, crashed or was lost when all stages were over.".to_owned()),
            left_out(analysis.residual.len(), "residual"),
        ]
        .into_iter()
        .flatten()
        .collect(),
    }
}

pub(super) fn incomplete(analysis: &Analysis) -> Table {
    let rows = analysis.incomplete.iter().map(|row| {
        Row::body(vec![
            Cell::new(shown(&row.subject)),
            Cell::new(shown(&row.configuration)),
            Cell::new(row.cores.to_string()),
            Cell::new(row.verdict.replace('_', " ")).toned(Tone::Bad),
            Cell::new(row.trials.to_string()),
            Cell::muted(shortened(&row.reason, LONGEST_TEXT)),
        ])
    });
    Table {
        name: TableName::Incomplete,
        title: "Trials without a time".to_owned(),
        columns: vec![
            Column::left("subject"),
            Column::left("configuration"),
            Column::right("cores"),
            Column::left("verdict"),
            Column::right("trials"),
            Column::left("reason"),
        ],
        rows: rows.collect(),
        notes: vec!["Trials that did not run to the end of the suite, and why.".to_owned()],
    }
}

pub(super) fn findings(analysis: &Analysis) -> Table {
    let rows = analysis.findings.iter().map(|row| {
        Row::body(vec![
            Cell::new(row.kind.replace('_', " ")),
            Cell::new(shown(&row.subject)),
            Cell::new(shown(&row.configuration)),
            Cell::new(row.cores.to_string()),
            Cell::new(row.trials.to_string()),
            Cell::muted(shortened(&row.finding, LONGEST_TEXT)),
        ])
    });
    Table {
        name: TableName::Findings,
        title: "Findings".to_owned(),
        columns: vec![
            Column::left("kind"),
            Column::left("subject"),
            Column::left("configuration"),
            Column::right("cores"),
            Column::right("trials"),
            Column::left("finding"),
        ],
        rows: rows.take(MOST_ROWS).collect(),
        notes: [
            Some("What a reader of the numbers should know about single trials.".to_owned()),
            left_out(analysis.findings.len(), "findings"),
        ]
        .into_iter()
        .flatten()
        .collect(),
    }
}

pub(super) fn deviations(analysis: &Analysis) -> Table {
    let rows = analysis
        .deviations
        .iter()
        .map(|row| Row::body(vec![Cell::new(shown(&row.subject)), Cell::new(shown(&row.deviation))]));
    Table {
        name: TableName::Deviations,
        title: "Deviations".to_owned(),
        columns: vec![Column::left("subject"), Column::left("deviation")],
        rows: rows.collect(),
        notes: vec!["How the subjects differ from what was published.".to_owned()],
    }
}

pub(super) fn set_aside(analysis: &Analysis) -> Table {
    let rows = analysis.set_aside.iter().map(|row| {
        let cells = [shown(&row.subject), shown(&row.test), shortened(&row.reason, LONGEST_TEXT)];
        Row::body(cells.map(Cell::new).to_vec())
    });
    Table {
        name: TableName::SetAside,
        title: "Tests set aside".to_owned(),
        columns: vec![Column::left("subject"), Column::left("test"), Column::left("reason")],
        rows: rows.collect(),
        notes: vec![format!(
            "Tests that did not pass in every one of {} without parallelism. They still run, but nothing counts them.",
            plural(analysis.run.screening as usize, "screening run")
        )],
    }
}

pub(super) fn warnings(analysis: &Analysis) -> Table {
    let rows = analysis.warnings.iter().map(|warning| {
        let place = warning.place().unwrap_or_else(|| "the whole run".to_owned());
        Row::body(vec![Cell::new(place), Cell::new(warning.text.clone()).toned(Tone::Bad)])
    });
    Table {
        name: TableName::Warnings,
        title: "Reasons for caution".to_owned(),
        columns: vec![Column::left("where"), Column::left("what")],
        rows: rows.collect(),
        notes: Vec::new(),
    }
}
