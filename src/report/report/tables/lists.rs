//! Tables that list one thing per row.

use std::collections::HashMap;

use super::{DisplayCell, DisplayColumn, DisplayRow, DisplayTable, Tone};
use crate::report::Analysis;
use crate::report::analysis::{Gravity, ResidualRow, SubjectRow};
use crate::shown_text::{sentence, shown};

/// Messages and reasons are cut here; CSV and JSON have them whole.
const LONGEST_TEXT: usize = 600;

pub(super) fn subjects(analysis: &Analysis) -> DisplayTable {
    let mut rows: Vec<DisplayRow> = analysis.subjects.iter().map(subject).collect();
    if rows.len() > 1 {
        let total = |count: fn(&SubjectRow) -> usize| analysis.subjects.iter().map(count).sum::<usize>().to_string();
        let mut cells =
            vec![DisplayCell::new("Σ"), DisplayCell::new(total(|s| s.tests)), DisplayCell::new(total(|s| s.classes))];
        cells.extend((0..4).map(|_| DisplayCell::new("")));
        cells.push(DisplayCell::new(total(|s| s.skipped.unwrap_or(0))));
        cells.push(DisplayCell::new(total(|s| s.set_aside)));
        cells.push(DisplayCell::new(total(|s| s.deviations)));
        cells.push(DisplayCell::new(""));
        rows.push(DisplayRow::summary(cells));
    }
    DisplayTable {
        columns: vec![
            DisplayColumn::left("subject"),
            DisplayColumn::right("tests"),
            DisplayColumn::right("classes"),
            DisplayColumn::right("modules"),
            DisplayColumn::left("revision"),
            DisplayColumn::left("frameworks"),
            DisplayColumn::left("JDK").optional(),
            DisplayColumn::right("skipped"),
            DisplayColumn::right("set aside"),
            DisplayColumn::right("deviations"),
            DisplayColumn::left("origin").optional(),
        ],
        rows,
        notes: analysis.subjects.iter().filter_map(jdk_note).collect(),
        ..DisplayTable::default()
    }
}

/// A JDK that is not the newest one, though nobody asked for it, has a reason.
fn jdk_note(row: &SubjectRow) -> Option<String> {
    let why = row.jdk_choice.as_deref().filter(|why| why.contains("that builds it"))?;
    let jdk = row.jdk.as_deref().unwrap_or("–");
    Some(format!("{} on JDK {jdk}: {}.", shown(&row.subject), sentence(why, LONGEST_TEXT)))
}

fn subject(row: &SubjectRow) -> DisplayRow {
    let count = |n: usize| DisplayCell::count(n).toned(if n == 0 { Tone::Muted } else { Tone::Plain });
    let name = match &row.failure {
        Some(failure) => {
            DisplayCell::new(shown(&row.subject)).toned(Tone::Bad).hinted(Some(sentence(failure, LONGEST_TEXT)))
        }
        None => DisplayCell::new(shown(&row.subject)),
    };
    DisplayRow::body(vec![
        name,
        count(row.tests),
        count(row.classes),
        count(row.modules),
        DisplayCell::new(shown(row.short_revision())).hinted(row.revision.clone()),
        DisplayCell::new(shown(&row.frameworks)),
        DisplayCell::new(shown(row.jdk.as_deref().unwrap_or("–")))
            .hinted(row.jdk_choice.as_deref().map(|why| sentence(why, LONGEST_TEXT))),
        row.skipped.map_or_else(DisplayCell::dash, count),
        count(row.set_aside),
        count(row.deviations),
        DisplayCell::muted(shown(&row.origin)),
    ])
}

pub(super) fn residual(analysis: &Analysis) -> DisplayTable {
    // What an algorithm's order makes fail every time has a table of its own.
    let listed = |row: &&ResidualRow| row.repetitions == row.of && analysis.run.arranged.contains(&row.configuration);
    let all: Vec<&ResidualRow> = analysis.residual.iter().filter(|row| !listed(row)).collect();
    let rows = all.iter().map(|row| {
        DisplayRow::body(vec![
            DisplayCell::new(shown(&row.subject)),
            DisplayCell::new(shown(&row.configuration)),
            DisplayCell::count(row.cores),
            DisplayCell::new(shown(&row.test)),
            DisplayCell::new(row.outcome).toned(Tone::Bad),
            DisplayCell::new(format!("{} of {}", row.repetitions, row.of)).valued(row.repetitions as f64),
            DisplayCell::muted(sentence(row.message.as_deref().unwrap_or(""), LONGEST_TEXT)),
        ])
    });
    DisplayTable {
        columns: DisplayColumn::aligned(&[
            "<subject",
            "<configuration",
            ">cores",
            "<test",
            "<outcome",
            ">repetitions",
            "<message",
        ]),
        rows: rows.collect(),
        ..DisplayTable::default()
    }
}

/// The cells of the experiment in which the same was seen, and in how many trials of each.
#[derive(Default)]
struct ObservedCells {
    texts: Vec<String>,
    trials: usize,
}

impl ObservedCells {
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
) -> Vec<(&'a str, &'a str, ObservedCells)> {
    let mut groups: Vec<(&str, &str, ObservedCells)> = Vec::new();
    let mut known: HashMap<(&str, &str), usize> = HashMap::new();
    for (kind, text, cell, trials) in entries {
        let at = *known.entry((kind, text)).or_insert_with(|| {
            groups.push((kind, text, ObservedCells::default()));
            groups.len() - 1
        });
        groups[at].2.add(analysis, cell, trials);
    }
    groups
}

fn grouped_row((kind, text, cells): &(&str, &str, ObservedCells), tone: Tone) -> DisplayRow {
    DisplayRow::body(vec![
        DisplayCell::new(kind.replace('_', " ")).toned(tone),
        DisplayCell::count(cells.trials),
        DisplayCell::new(sentence(&cells.texts.join(", "), LONGEST_TEXT)),
        DisplayCell::muted(sentence(text, LONGEST_TEXT)),
    ])
}

fn grouped_columns(kind: &str, text: &str) -> Vec<DisplayColumn> {
    vec![
        DisplayColumn::left(kind),
        DisplayColumn::right("trials"),
        DisplayColumn::left("where × trials"),
        DisplayColumn::left(text),
    ]
}

pub(super) fn incomplete(analysis: &Analysis) -> DisplayTable {
    // Of a run that has not measured anything the warnings say so.
    let told = |verdict: &str| verdict != "pending" || analysis.run.finished_trials > 0;
    let rows = analysis.incomplete.iter().filter(|row| told(row.verdict));
    let entries = rows.map(|row| {
        (row.verdict, row.reason.as_str(), (row.subject.as_str(), row.configuration.as_str(), row.cores), row.trials)
    });
    DisplayTable {
        columns: grouped_columns("verdict", "reason"),
        rows: grouped(analysis, entries).iter().map(|group| grouped_row(group, Tone::Bad)).collect(),
        ..DisplayTable::default()
    }
}

pub(super) fn findings(analysis: &Analysis) -> DisplayTable {
    let entries = analysis.findings.iter().map(|row| {
        (row.kind, row.finding.as_str(), (row.subject.as_str(), row.configuration.as_str(), row.cores), row.trials)
    });
    let groups = grouped(analysis, entries);
    DisplayTable {
        columns: grouped_columns("kind", "finding"),
        rows: groups.iter().map(|group| grouped_row(group, Tone::Plain)).collect(),
        ..DisplayTable::default()
    }
}

pub(super) fn warnings(analysis: &Analysis) -> DisplayTable {
    let rows = analysis.warnings.iter().map(|warning| {
        let place = warning.place().unwrap_or_else(|| "the whole run".to_owned());
        let gravity = match warning.gravity {
            Gravity::Grave => "grave",
            Gravity::Serious => "serious",
            Gravity::Minor => "minor",
        };
        DisplayRow::body(vec![
            DisplayCell::new(gravity),
            DisplayCell::new(place),
            DisplayCell::new(warning.text.clone()).toned(Tone::Bad),
        ])
    });
    DisplayTable {
        columns: DisplayColumn::aligned(&["<gravity", "<where", "<what"]),
        rows: rows.collect(),
        ..DisplayTable::default()
    }
}
