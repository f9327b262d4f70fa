//! A table that expressions refer to: as a document prints it, with texts that can be read as numbers, or as a run has
//! it, with numbers.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::printed;
use super::range::Range;
use crate::data_table::{DataCell, DataTable};

/// The column that names the subject of a row, in every table of a run that has subjects.
pub(super) const SUBJECT: &str = "subject";

/// A text that stands where a number could.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    pub means: String,
    /// What it counts as; left out of every computation without.
    pub value: Option<f64>,
    /// The texts that a run has for the same.
    pub own: Vec<String>,
}

pub type Marks = BTreeMap<String, Mark>;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct SourceTable {
    pub name: String,
    /// Where it comes from, for messages.
    pub file: String,
    /// In our words.
    pub title: Option<String>,
    pub columns: Vec<String>,
    /// In the order of the document.
    pub rows: Vec<SourceRow>,
    pub marks: Marks,
    /// Columns, by number, of whole numbers that were rounded.
    pub rounded: BTreeSet<usize>,
    /// Columns, by number, whose decimals are all there are.
    pub exact: BTreeSet<usize>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct SourceRow {
    /// What names it.
    pub key: String,
    /// The study's name of what it is about, if that is a subject.
    pub subject: Option<String>,
    /// One for each column. Those of a document are texts, verbatim.
    pub cells: Vec<DataCell>,
    /// Sums up other rows: in no column unless asked for.
    pub is_summary: bool,
    /// In the file, from 1 on.
    pub line: usize,
}

/// How the text of a cell becomes a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    Plain,
    Seconds,
    /// The number of this position in the cell, from 1 on.
    Part(usize),
    /// What is no number is left out.
    Lenient,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Reading {
    Number(Range),
    /// A mark without a value, or nothing at all.
    Missing(String),
    /// Neither a number nor a mark.
    Odd,
}

impl SourceRow {
    /// The cell as it is printed, without blanks around it.
    pub fn text(&self, column: usize) -> Cow<'_, str> {
        match self.cells.get(column) {
            Some(DataCell::Text(text)) => Cow::Borrowed(text.trim()),
            Some(DataCell::Number(number)) => Cow::Owned(number.to_string()),
            Some(DataCell::Truth(truth)) => Cow::Owned(truth.to_string()),
            Some(DataCell::Missing) | None => Cow::Borrowed(""),
        }
    }

    fn number(&self, column: usize) -> Option<f64> {
        if let Some(DataCell::Number(number)) = self.cells.get(column) { number.as_f64() } else { None }
    }
}

impl SourceTable {
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }

    /// A table of a run. Rows are named by their subject, or by their first cell.
    pub fn from_data(name: &str, data: &DataTable) -> SourceTable {
        let key = data.columns.iter().position(|column| column == SUBJECT).unwrap_or(0);
        let mut rows = Vec::new();
        for (index, cells) in data.rows.iter().enumerate() {
            let row = SourceRow { cells: cells.clone(), line: index + 2, ..SourceRow::default() };
            rows.push(SourceRow { key: row.text(key).into_owned(), ..row });
        }
        SourceTable {
            name: name.to_owned(),
            file: format!("report/{name}.csv"),
            columns: data.columns.clone(),
            exact: (0..data.columns.len()).collect(),
            rows,
            ..SourceTable::default()
        }
    }

    /// The cell as it is printed.
    pub fn cell(&self, row: usize, column: usize) -> Cow<'_, str> {
        self.rows.get(row).map_or(Cow::Borrowed(""), |row| row.text(column))
    }

    /// The numbers of the rows that are no sums of others.
    pub fn body(&self) -> impl Iterator<Item = usize> + '_ {
        self.rows.iter().enumerate().filter(|(_, row)| !row.is_summary).map(|(index, _)| index)
    }

    pub fn rows_with_key<'t>(&'t self, key: &'t str) -> impl Iterator<Item = usize> + 't {
        self.rows.iter().enumerate().filter(move |(_, row)| row.key == key).map(|(index, _)| index)
    }

    /// The table with the rows of these subjects only, if its rows are subjects; then also without those that sum up all.
    pub fn restricted(&self, subjects: &BTreeSet<String>) -> SourceTable {
        let mut table = self.clone();
        if self.rows.iter().any(|row| row.subject.is_some()) {
            table.rows.retain(|row| row.subject.as_ref().is_some_and(|subject| subjects.contains(subject)));
        }
        table
    }

    pub fn mark(&self, row: usize, column: usize) -> Option<&Mark> {
        self.marks.get(self.cell(row, column).as_ref())
    }

    pub fn read(&self, row: usize, column: usize, reader: Reader) -> Reading {
        if let Some(number) = self.rows.get(row).and_then(|row| row.number(column)) {
            return Reading::Number(Range::exact(number));
        }
        let text = self.cell(row, column);
        let text = text.as_ref();
        match self.marks.get(text) {
            Some(Mark { value: Some(value), .. }) => return Reading::Number(Range::exact(*value)),
            Some(Mark { value: None, .. }) => return Reading::Missing(text.to_owned()),
            None if text.is_empty() => return Reading::Missing(String::new()),
            None => {}
        }
        let range = |printed: printed::Printed| printed.range(self.is_rounded(printed, column));
        match reader {
            Reader::Plain => printed::number(text).map(range).map_or(Reading::Odd, Reading::Number),
            Reader::Lenient => {
                printed::number(text).map(range).map_or_else(|| Reading::Missing(text.to_owned()), Reading::Number)
            }
            Reader::Seconds => printed::seconds(text).map_or(Reading::Odd, Reading::Number),
            Reader::Part(number) => {
                let part = number.checked_sub(1).and_then(|index| printed::parts(text).into_iter().nth(index));
                part.map(range).map_or(Reading::Odd, Reading::Number)
            }
        }
    }

    fn is_rounded(&self, printed: printed::Printed, column: usize) -> bool {
        !self.exact.contains(&column) && (printed.is_rounded() || self.rounded.contains(&column))
    }

    /// The first row whose cell cannot be read so.
    pub fn odd_row(&self, column: usize, reader: Reader) -> Option<usize> {
        self.body().find(|row| self.read(*row, column, reader) == Reading::Odd)
    }

    /// Two cells with different units of time: as plain numbers they cannot be compared.
    pub fn mixed_units(&self, column: usize) -> Option<(String, String)> {
        let unit = |row: usize| {
            let text = self.cell(row, column);
            let printed = printed::number(&text).filter(|_| !self.marks.contains_key(text.as_ref()))?;
            printed.unit.filter(|unit| matches!(unit, 's' | 'm' | 'h')).map(|unit| (unit, text.into_owned()))
        };
        let mut units = self.body().filter_map(unit);
        let (first, text) = units.next()?;
        units.find(|(unit, _)| *unit != first).map(|(_, other)| (text, other))
    }
}
