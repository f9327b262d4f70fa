//! Tables that list one thing per row.

use std::collections::HashMap;

use super::{Cell, Column, Row, Table, TableName, Tone};
use crate::report::Analysis;
use crate::report::analysis::{Gravity, ResidualRow, SubjectRow};
use crate::shown_text::{sentence, shown};
use crate::wording::plural;

/// Longer lists are cut here; CSV and JSON have them whole.
const MOST_ROWS: usize = 300;
/// Messages and reasons are cut here; CSV and JSON have them whole.
const LONGEST_TEXT: usize = 600;

pub(super) fn subjects(analysis: &Analysis) -> Table {
    let mut rows: Vec<Row> = analysis.subjects.iter().map(subject).collect();
    if rows.len() > 1 {
        let total = |count: fn(&SubjectRow) -> usize| analysis.subjects.iter().map(count).sum::<usize>().to_string();
        let mut cells = vec![Cell::new("Σ"), Cell::new(total(|s| s.tests)), Cell::new(total(|s| s.classes))];
        cells.extend((0..4).map(|_| Cell::new("")));
        cells.push(Cell::new(total(|s| s.skipped.unwrap_or(0))));
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
            Column::right("skipped"),
            Column::right("set aside"),
            Column::right("deviations"),
            Column::left("origin").optional(),
        ],
        rows,
        notes: [SUBJECTS_NOTE.to_owned()].into_iter().chain(analysis.subjects.iter().filter_map(jdk_note)).collect(),
    }
}

const SUBJECTS_NOTE: &str = "skipped: tests that the suite itself skips in the baseline; they are neither passed nor failed. set aside: tests that did not pass in every screening run; they run, but are not counted. \
    deviations: changes that parade made to run the subject here.";

/// A JDK that is not the newest one, though nobody asked for it, has a reason.
fn jdk_note(row: &SubjectRow) -> Option<String> {
    let why = row.jdk_choice.as_deref().filter(|why| why.contains("that builds it"))?;
    let jdk = row.jdk.as_deref().unwrap_or("–");
    Some(format!("{} on JDK {jdk}: {}.", shown(&row.subject), sentence(why, LONGEST_TEXT)))
}

fn subject(row: &SubjectRow) -> Row {
    let count = |n: usize| Cell::count(n).toned(if n == 0 { Tone::Muted } else { Tone::Plain });
    let name = match &row.failure {
        Some(failure) => Cell::new(shown(&row.subject)).toned(Tone::Bad).hinted(Some(sentence(failure, LONGEST_TEXT))),
        None => Cell::new(shown(&row.subject)),
    };
    Row::body(vec![
        name,
        count(row.tests),
        count(row.classes),
        count(row.modules),
        Cell::new(shown(row.short_revision())).hinted(row.revision.clone()),
        Cell::new(shown(&row.frameworks)),
        Cell::new(shown(row.jdk.as_deref().unwrap_or("–")))
            .hinted(row.jdk_choice.as_deref().map(|why| sentence(why, LONGEST_TEXT))),
        row.skipped.map_or_else(|| Cell::muted("–"), count),
        count(row.set_aside),
        count(row.deviations),
        Cell::muted(shown(&row.origin)),
    ])
}

fn left_out(rows: usize, file: &str) -> Option<String> {
    (rows > MOST_ROWS).then(|| format!("The first {MOST_ROWS} of {rows}; all are in {file}.csv."))
}

pub(super) fn residual(analysis: &Analysis) -> Table {
    // What an algorithm's order makes fail every time has a table of its own.
    let listed = |row: &&ResidualRow| row.repetitions == row.of && analysis.run.arranged.contains(&row.configuration);
    let all: Vec<&ResidualRow> = analysis.residual.iter().filter(|row| !listed(row)).collect();
    let rows = all.iter().map(|row| {
        Row::body(vec![
            Cell::new(shown(&row.subject)),
            Cell::new(shown(&row.configuration)),
            Cell::count(row.cores),
            Cell::new(shown(&row.test)),
            Cell::new(row.outcome).toned(Tone::Bad),
            Cell::new(format!("{} of {}", row.repetitions, row.of)).valued(row.repetitions as f64),
            Cell::muted(sentence(row.message.as_deref().unwrap_or(""), LONGEST_TEXT)),
        ])
    });
    Table {
        name: TableName::Residual,
        title: "Tests that still failed".to_owned(),
        columns: vec![
            Column::left("subject"),
            Column::left("configuration"),
            Column::right("cores"),
            Column::left("test"),
            Column::left("outcome"),
            Column::right("repetitions"),
            Column::left("message"),
        ],
        rows: rows.take(MOST_ROWS).collect(),
        notes: [
            Some("Tests that failed, crashed or were lost after all stages.".to_owned()),
            left_out(all.len(), "residual"),
        ]
        .into_iter()
        .flatten()
        .collect(),
    }
}

/// The cells of the experiment in which the same was seen, and in how many trials of each.
#[derive(Default)]
struct Places {
    texts: Vec<String>,
    trials: usize,
}

impl Places {
    fn add(&mut self, analysis: &Analysis, cell: (&str, &str, usize), trials: usize) {
        let (subject, configuration, cores) = cell;
        let on = if analysis.run.manifest.cores.len() > 1 { format!("/{cores}") } else { String::new() };
        self.texts.push(format!("{}/{}{on}×{trials}", shown(subject), shown(configuration)));
        self.trials += trials;
    }
}

/// One row for each kind and text: `kind, trials, where, text`.
fn grouped<'a>(
    analysis: &Analysis,
    entries: impl Iterator<Item = (&'a str, &'a str, (&'a str, &'a str, usize), usize)>,
) -> Vec<(&'a str, &'a str, Places)> {
    let mut groups: Vec<(&str, &str, Places)> = Vec::new();
    let mut known: HashMap<(&str, &str), usize> = HashMap::new();
    for (kind, text, cell, trials) in entries {
        let at = *known.entry((kind, text)).or_insert_with(|| {
            groups.push((kind, text, Places::default()));
            groups.len() - 1
        });
        groups[at].2.add(analysis, cell, trials);
    }
    groups
}

fn grouped_row((kind, text, places): &(&str, &str, Places), tone: Tone) -> Row {
    Row::body(vec![
        Cell::new(kind.replace('_', " ")).toned(tone),
        Cell::count(places.trials),
        Cell::new(sentence(&places.texts.join(", "), LONGEST_TEXT)),
        Cell::muted(sentence(text, LONGEST_TEXT)),
    ])
}

fn grouped_columns(kind: &str, text: &str) -> Vec<Column> {
    vec![Column::left(kind), Column::right("trials"), Column::left("where × trials"), Column::left(text)]
}

pub(super) fn incomplete(analysis: &Analysis) -> Table {
    // Of a run that has not measured anything the warnings say so.
    let told = |verdict: &str| verdict != "pending" || analysis.run.finished_trials > 0;
    let rows = analysis.incomplete.iter().filter(|row| told(row.verdict));
    let entries = rows.map(|row| {
        (row.verdict, row.reason.as_str(), (row.subject.as_str(), row.configuration.as_str(), row.cores), row.trials)
    });
    Table {
        name: TableName::Incomplete,
        title: "Trials without a time".to_owned(),
        columns: grouped_columns("verdict", "reason"),
        rows: grouped(analysis, entries).iter().map(|group| grouped_row(group, Tone::Bad)).collect(),
        notes: vec!["Trials that did not reach the end of the suite, with the reason.".to_owned()],
    }
}

pub(super) fn findings(analysis: &Analysis) -> Table {
    let entries = analysis.findings.iter().map(|row| {
        (row.kind, row.finding.as_str(), (row.subject.as_str(), row.configuration.as_str(), row.cores), row.trials)
    });
    let groups = grouped(analysis, entries);
    Table {
        name: TableName::Findings,
        title: "Findings".to_owned(),
        columns: grouped_columns("kind", "finding"),
        rows: groups.iter().take(MOST_ROWS).map(|group| grouped_row(group, Tone::Plain)).collect(),
        notes: [Some("Observations about single trials.".to_owned()), left_out(groups.len(), "findings")]
            .into_iter()
            .flatten()
            .collect(),
    }
}

pub(super) fn deviations(analysis: &Analysis) -> Table {
    let rows = analysis
        .deviations
        .iter()
        .map(|row| Row::body(vec![Cell::new(shown(&row.subject)), Cell::new(sentence(&row.deviation, LONGEST_TEXT))]));
    Table {
        name: TableName::Deviations,
        title: "Deviations".to_owned(),
        columns: vec![Column::left("subject"), Column::left("deviation")],
        rows: rows.collect(),
        notes: vec!["How the subjects differ from the published projects.".to_owned()],
    }
}

pub(super) fn set_aside(analysis: &Analysis) -> Table {
    let rows = analysis.set_aside.iter().map(|row| {
        let cells = [shown(&row.subject), shown(&row.test), sentence(&row.reason, LONGEST_TEXT)];
        Row::body(cells.map(Cell::new).to_vec())
    });
    Table {
        name: TableName::SetAside,
        title: "Tests set aside".to_owned(),
        columns: vec![Column::left("subject"), Column::left("test"), Column::left("reason")],
        rows: rows.collect(),
        notes: vec![format!(
            "Tests that did not pass in all of {} without parallelism. They still run, but are not counted.",
            plural(analysis.run.manifest.screening as usize, "screening run")
        )],
    }
}

pub(super) fn warnings(analysis: &Analysis) -> Table {
    let rows = analysis.warnings.iter().map(|warning| {
        let place = warning.place().unwrap_or_else(|| "the whole run".to_owned());
        let gravity = match warning.gravity {
            Gravity::Grave => "grave",
            Gravity::Serious => "serious",
            Gravity::Minor => "minor",
        };
        Row::body(vec![Cell::new(gravity), Cell::new(place), Cell::new(warning.text.clone()).toned(Tone::Bad)])
    });
    Table {
        name: TableName::Warnings,
        title: "Reasons for caution".to_owned(),
        columns: vec![Column::left("gravity"), Column::left("where"), Column::left("what")],
        rows: rows.collect(),
        notes: Vec::new(),
    }
}
