//! What expressions are evaluated to.

use crate::study::range::Range;

#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Number(Range),
    Truth(Truth),
    Text(String),
    Names(Names),
    Cell(CellRef),
    Column(Column),
}

/// Yes or no; not sure where the rounding of the rows could turn it around.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Truth {
    pub value: bool,
    pub sure: bool,
}

/// Names of rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Names {
    /// As the printed numbers give them.
    pub listed: Vec<String>,
    /// Those that are among them however the rows were rounded.
    pub certain: Vec<String>,
    /// Those that can be among them.
    pub possible: Vec<String>,
}

/// A cell of a table, by numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellRef {
    pub table: usize,
    pub row: usize,
    pub column: usize,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Column {
    /// Whose rows these are; none for lists.
    pub table: Option<usize>,
    pub entries: Vec<Entry>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub row: usize,
    pub key: String,
    pub item: Item,
    pub inclusion: Inclusion,
}

/// Whether a row belongs to a selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inclusion {
    Sure,
    /// By the printed numbers it does; before they were rounded it may not have.
    Likely,
    /// By the printed numbers it does not; before they were rounded it may have.
    Unlikely,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    Cell(CellRef),
    Number(Range),
    Truth(Truth),
    Text(String),
    /// A mark without a value.
    Missing(String),
    /// There is no such number, and why.
    Undefined(String),
}

impl Truth {
    pub fn sure(value: bool) -> Self {
        Truth { value, sure: true }
    }

    pub fn negated(self) -> Self {
        Truth { value: !self.value, sure: self.sure }
    }

    pub fn and(self, other: Truth) -> Self {
        let surely_false = (!self.value && self.sure) || (!other.value && other.sure);
        Truth { value: self.value && other.value, sure: surely_false || (self.sure && other.sure) }
    }

    pub fn or(self, other: Truth) -> Self {
        self.negated().and(other.negated()).negated()
    }
}

impl Inclusion {
    pub fn is_inside(self) -> bool {
        self != Inclusion::Unlikely
    }

    /// What a row is in both of two selections.
    pub fn both(self, other: Inclusion) -> Self {
        match (self, other) {
            (Inclusion::Unlikely, _) | (_, Inclusion::Unlikely) => Inclusion::Unlikely,
            (Inclusion::Likely, _) | (_, Inclusion::Likely) => Inclusion::Likely,
            _ => Inclusion::Sure,
        }
    }

    /// Under a condition; nothing if it surely fails.
    pub fn given(self, condition: Truth) -> Option<Self> {
        match (condition.value, condition.sure) {
            (true, true) => Some(self),
            (true, false) => Some(self.both(Inclusion::Likely)),
            (false, false) => Some(Inclusion::Unlikely),
            (false, true) => None,
        }
    }
}

impl Column {
    pub fn inside(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.inclusion.is_inside())
    }

    /// Rows keep the order of their table whatever is done to them.
    pub fn row(&self, row: usize) -> Option<&Entry> {
        self.entries.binary_search_by_key(&row, |entry| entry.row).ok().map(|index| &self.entries[index])
    }
}
