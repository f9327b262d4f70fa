//! The published tables cell by cell, each value with that of a run: what a report shows.
//!
//! ```text
//! let library = Library::embedded(heads);
//! if let Some(Ok(study)) = library.study("paste") {
//!     for table in cells::published_tables(&library.compared(study, run)) {        // in the order of the document
//!         for row in &table.rows {
//!             for (column, cell) in table.columns.iter().zip(&row.cells) {
//!                 // cell.text is what the document prints; cell.mark what a mark means;
//!                 // cell.own the run's value, with its interval and the judgement.
//!             }
//!         }
//!     }
//! }
//! ```
//!
//! Which value of a run belongs to which column is said in `claims.toml`, by `[[tables.<name>.own]]`. A cell without `own`
//! has no counterpart in a run; one with the verdict `not_run` has one, but this run has no value for it.

use std::collections::BTreeMap;

use serde::Serialize;

use super::claim::Formula;
use super::expression::{Item, Source, Value, as_number, evaluate};
use super::load::OwnColumn;
use super::own::{ComparedStudy, OwnVerdict, judged};
use super::table::{Reader, Reading, SourceRow, SourceTable};

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PublishedTable {
    /// Of its file: `table-2`.
    pub name: String,
    /// In our words.
    pub title: Option<String>,
    pub columns: Vec<String>,
    pub rows: Vec<PublishedRow>,
    /// Subjects that the run has results of.
    pub own_subjects: usize,
    /// Subjects that the study has.
    pub own_of: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PublishedRow {
    pub key: String,
    /// The name of its subject in the run, if it is about one.
    pub subject: Option<String>,
    /// Sums up other rows.
    pub is_summary: bool,
    pub cells: Vec<PublishedCell>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PublishedCell {
    /// As it is printed.
    pub text: String,
    pub value: Option<f64>,
    /// What it means, if it is a mark.
    pub mark: Option<String>,
    pub own: Option<OwnCell>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OwnCell {
    pub value: Option<f64>,
    /// Of the confidence interval.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// What the run says where it has no number: `timed_out`. Where the study has a mark for the same, that mark.
    pub text: Option<String>,
    pub verdict: OwnVerdict,
    /// The published value that it is compared with, where that is not the printed one: of the run's subjects only.
    pub reference: Option<f64>,
}

/// All tables of a study that have a counterpart in a run.
pub fn published_tables(compared: &ComparedStudy<'_>) -> Vec<PublishedTable> {
    let study = compared.study;
    let has_own = |table: &&SourceTable| study.own_columns.iter().any(|own| own.table == table.name);
    study.tables.iter().filter(has_own).map(|table| published(table, compared)).collect()
}

/// A value for every subject, by the study's names.
type BySubject = BTreeMap<String, Value>;

/// What a run has for one column.
struct OwnValues {
    values: BySubject,
    published: BySubject,
    low: BySubject,
    high: BySubject,
    instead: BySubject,
}

fn published(table: &SourceTable, compared: &ComparedStudy<'_>) -> PublishedTable {
    let source = compared.source();
    let columns: Vec<Vec<(&OwnColumn, OwnValues)>> = table
        .columns
        .iter()
        .map(|column| {
            let of_column =
                compared.study.own_columns.iter().filter(|own| own.table == table.name && own.column == *column);
            of_column.map(|own| (own, own_values(own, &source))).collect()
        })
        .collect();
    let rows = table.rows.iter().enumerate();
    PublishedTable {
        name: table.name.clone(),
        title: table.title.clone(),
        columns: table.columns.clone(),
        rows: rows.map(|(index, row)| published_row(table, index, row, &columns, compared)).collect(),
        own_subjects: compared.covered.len(),
        own_of: compared.study.subjects.len(),
    }
}

fn published_row(
    table: &SourceTable,
    index: usize,
    row: &SourceRow,
    columns: &[Vec<(&OwnColumn, OwnValues)>],
    compared: &ComparedStudy<'_>,
) -> PublishedRow {
    let own_name = |published: &String| {
        compared
            .study
            .subjects
            .iter()
            .find(|subject| subject.published == *published)
            .map(|subject| subject.name.clone())
    };
    let cell = |(column, own): (usize, &Vec<(&OwnColumn, OwnValues)>)| {
        let found = own.iter().find_map(|(own, values)| own_cell(table, (index, column), own, values, compared));
        PublishedCell {
            text: table.cell(index, column).into_owned(),
            value: number(table, index, column),
            mark: table.mark(index, column).map(|mark| mark.means.clone()),
            own: found,
        }
    };
    PublishedRow {
        key: row.key.clone(),
        subject: row.subject.as_ref().and_then(own_name),
        is_summary: row.is_summary,
        cells: columns.iter().enumerate().map(cell).collect(),
    }
}

/// Times are read as such where the text is one.
fn number(table: &SourceTable, row: usize, column: usize) -> Option<f64> {
    let read =
        |reader| if let Reading::Number(range) = table.read(row, column, reader) { Some(range.value) } else { None };
    read(Reader::Plain).or_else(|| read(Reader::Seconds))
}

fn own_values(own: &OwnColumn, source: &Source<'_>) -> OwnValues {
    let values = |formula: &Formula| by_subject(formula, own.row.as_deref(), source);
    let optional = |formula: &Option<Formula>| formula.as_ref().map_or_else(BySubject::new, values);
    OwnValues {
        values: values(&own.from),
        published: optional(&own.published),
        low: optional(&own.low),
        high: optional(&own.high),
        instead: optional(&own.instead),
    }
}

/// What cannot be computed is as if it were not there.
fn by_subject(formula: &Formula, row: Option<&str>, source: &Source<'_>) -> BySubject {
    let Ok(value) = evaluate(&formula.tree, source) else { return BySubject::new() };
    match (value, row) {
        (Value::Column(column), None) => {
            let value = |item: Item| match item {
                Item::Cell(cell) => Some(Value::Cell(cell)),
                Item::Number(range) => Some(Value::Number(range)),
                Item::Text(text) => Some(Value::Text(text)),
                Item::Truth(_) | Item::Missing(_) | Item::Undefined(_) => None,
            };
            column.entries.into_iter().filter_map(|entry| Some((entry.key, value(entry.item)?))).collect()
        }
        (value, Some(row)) => BySubject::from([(row.to_owned(), value)]),
        _ => BySubject::new(),
    }
}

fn own_cell(
    table: &SourceTable,
    (row, column): (usize, usize),
    own: &OwnColumn,
    values: &OwnValues,
    compared: &ComparedStudy<'_>,
) -> Option<OwnCell> {
    let found = &table.rows[row];
    let name = match &own.row {
        Some(wanted) => (found.key == *wanted).then_some(wanted)?,
        None => found.subject.as_ref().filter(|_| !found.is_summary)?,
    };
    let source = compared.source();
    let number = |of: &BySubject| of.get(name).and_then(|value| plain_number(value, &source));
    let (value, low, high) = (number(&values.values), number(&values.low), number(&values.high));
    let text = values.instead.get(name).filter(|_| value.is_none()).and_then(|value| plain_text(value, &source));
    // What sums up all subjects says nothing about a few of them.
    let is_partial = own.row.is_some() && !compared.is_whole();
    let reference = if is_partial { number(&values.published) } else { None };
    let printed = if is_partial { reference } else { self::number(table, row, column) };
    let verdict = match (printed, value) {
        (Some(printed), Some(own_value)) => judged(printed, own_value, low.zip(high), own.neutral),
        (_, None) if text.is_none() => OwnVerdict::NotRun,
        (None, Some(_)) if is_partial => OwnVerdict::NotRun,
        (None, None) if text.as_deref().is_some_and(|text| means_the_same(table, row, column, text)) => {
            OwnVerdict::Reproduced
        }
        _ => OwnVerdict::NotReproduced,
    };
    Some(OwnCell { value, low, high, text: text.map(|text| marked(table, text)), verdict, reference })
}

fn plain_number(value: &Value, source: &Source<'_>) -> Option<f64> {
    match as_number(value.clone(), source, &(0..0)) {
        // Without the sign of a negative zero.
        Ok(Value::Number(range)) => Some(range.value + 0.0),
        _ => None,
    }
}

fn plain_text(value: &Value, source: &Source<'_>) -> Option<String> {
    super::expression::as_text(value.clone(), source).filter(|text| !text.is_empty())
}

fn means_the_same(table: &SourceTable, row: usize, column: usize, text: &str) -> bool {
    let mark = table.mark(row, column);
    table.cell(row, column) == text || mark.is_some_and(|mark| mark.own.iter().any(|own| own == text))
}

/// The study's mark for what a run says.
fn marked(table: &SourceTable, text: String) -> String {
    let mark = table.marks.iter().find(|(_, mark)| mark.own.contains(&text));
    mark.map_or(text, |(mark, _)| mark.clone())
}
