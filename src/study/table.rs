//! A table as a document prints it, or as a run gives it: texts in rows and columns, and what they mean as numbers.

use std::collections::{BTreeMap, BTreeSet};

use super::printed;
use super::range::Range;

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
pub struct Table {
    pub name: String,
    /// Where it comes from, for messages.
    pub file: String,
    /// In our words.
    pub title: Option<String>,
    pub columns: Vec<String>,
    /// In the order of the document.
    pub rows: Vec<Row>,
    pub marks: Marks,
    /// Columns, by number, of whole numbers that were rounded.
    pub rounded: BTreeSet<usize>,
    /// Columns, by number, whose decimals are all there are.
    pub exact: BTreeSet<usize>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Row {
    /// What names it.
    pub key: String,
    /// The study's name of what it is about, if that is a subject.
    pub subject: Option<String>,
    /// Verbatim, one for each column.
    pub cells: Vec<String>,
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

impl Table {
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }

    pub fn cell(&self, row: usize, column: usize) -> &str {
        self.rows.get(row).and_then(|row| row.cells.get(column)).map_or("", |cell| cell.trim())
    }

    /// The numbers of the rows that are no sums of others.
    pub fn body(&self) -> impl Iterator<Item = usize> + '_ {
        self.rows.iter().enumerate().filter(|(_, row)| !row.is_summary).map(|(index, _)| index)
    }

    pub fn rows_with_key<'t>(&'t self, key: &'t str) -> impl Iterator<Item = usize> + 't {
        self.rows.iter().enumerate().filter(move |(_, row)| row.key == key).map(|(index, _)| index)
    }

    /// The table with the rows of these subjects only, if its rows are subjects; then also without those that sum up all.
    pub fn restricted(&self, subjects: &BTreeSet<String>) -> Table {
        let mut table = self.clone();
        if self.rows.iter().any(|row| row.subject.is_some()) {
            table.rows.retain(|row| row.subject.as_ref().is_some_and(|subject| subjects.contains(subject)));
        }
        table
    }

    pub fn mark(&self, row: usize, column: usize) -> Option<&Mark> {
        self.marks.get(self.cell(row, column))
    }

    pub fn read(&self, row: usize, column: usize, reader: Reader) -> Reading {
        let text = self.cell(row, column);
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
            let printed = printed::number(text).filter(|_| !self.marks.contains_key(text))?;
            printed.unit.filter(|unit| matches!(unit, 's' | 'm' | 'h')).map(|unit| (unit, text.to_owned()))
        };
        let mut units = self.body().filter_map(unit);
        let (first, text) = units.next()?;
        units.find(|(unit, _)| *unit != first).map(|(_, other)| (text, other))
    }
}
