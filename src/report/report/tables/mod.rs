//! The tables of a report as a grid of texts: what every rendering for people shares. Nothing is computed here but sums of
//! the numbers that are shown.

mod as_data;
mod assess;
mod compare;
mod failures;
mod lists;
mod orders;
mod origins;
mod registry;
mod runs;
mod savings;
mod speedups;
mod study;

pub use compare::COMPARISON_TABLES;
pub(super) use registry::TableLayout;
pub use registry::{TABLES, TableDefinition, TableOutput};

#[derive(Debug, Clone, PartialEq, Default)]
pub struct DisplayTable {
    /// Of its files. Layouts leave it empty: the definition of the table knows it.
    pub name: &'static str,
    pub title: String,
    /// The terminal shows only the first rows.
    pub is_list: bool,
    pub columns: Vec<DisplayColumn>,
    pub rows: Vec<DisplayRow>,
    /// How to read it, a sentence each.
    pub notes: Vec<String>,
    /// The first columns that name a row together; at least one does.
    pub keys: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub struct DisplayColumn {
    /// A head over several columns.
    pub group: Option<String>,
    pub label: String,
    pub align: Align,
    /// May be cut or left out where there is too little room.
    pub is_optional: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    Left,
    Right,
}

#[derive(Debug, Clone, PartialEq)]
pub struct DisplayRow {
    pub cells: Vec<DisplayCell>,
    /// A sum or an average over the rows above.
    pub is_summary: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct DisplayCell {
    pub text: String,
    pub tone: Tone,
    /// More about it, where there is room: a tooltip.
    pub hint: Option<String>,
    /// The number behind the text, unrounded: what a table is sorted by.
    pub value: Option<f64>,
    /// A background from -1 (worst) over 0 (no difference) to 1 (best), in a table that is read by its colours.
    pub shade: Option<f64>,
    /// What a study has in its place.
    pub published: Option<Published>,
}

/// A published value, and how the run's stands to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    pub text: String,
    pub agreement: Agreement,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agreement {
    Agrees,
    DirectionOnly,
    Differs,
    /// There is nothing to compare.
    Unknown,
}

impl Agreement {
    /// For those who do not see the colour.
    pub fn symbol(self) -> &'static str {
        match self {
            Agreement::Agrees => "✓",
            Agreement::DirectionOnly => "→",
            Agreement::Differs => "≠",
            Agreement::Unknown => "",
        }
    }
}

/// What a cell tells, for colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Plain,
    Good,
    Bad,
    Muted,
}

impl DisplayColumn {
    /// Several columns, aligned as in format strings: `<subject` to the left, `>tests` to the right.
    pub fn aligned(columns: &[&str]) -> Vec<DisplayColumn> {
        let mut made = Vec::new();
        for column in columns {
            made.push(match column.strip_prefix('>') {
                Some(label) => DisplayColumn::right(label),
                None => DisplayColumn::left(column.trim_start_matches('<')),
            });
        }
        made
    }

    pub fn left(label: impl Into<String>) -> Self {
        DisplayColumn { group: None, label: label.into(), align: Align::Left, is_optional: false }
    }

    pub fn right(label: impl Into<String>) -> Self {
        DisplayColumn { group: None, label: label.into(), align: Align::Right, is_optional: false }
    }

    fn optional(self) -> Self {
        DisplayColumn { is_optional: true, ..self }
    }

    fn under(self, group: impl Into<String>) -> Self {
        DisplayColumn { group: Some(group.into()), ..self }
    }
}

impl DisplayCell {
    pub fn new(text: impl Into<String>) -> Self {
        DisplayCell { text: text.into(), tone: Tone::Plain, hint: None, value: None, shade: None, published: None }
    }

    fn muted(text: impl Into<String>) -> Self {
        DisplayCell { tone: Tone::Muted, ..DisplayCell::new(text) }
    }

    /// There is no value.
    fn dash() -> Self {
        DisplayCell::muted("–")
    }

    pub fn toned(self, tone: Tone) -> Self {
        DisplayCell { tone, ..self }
    }

    fn hinted(self, hint: Option<String>) -> Self {
        DisplayCell { hint, ..self }
    }

    fn valued(self, value: impl Into<Option<f64>>) -> Self {
        DisplayCell { value: value.into(), ..self }
    }

    fn shaded(self, shade: f64) -> Self {
        DisplayCell { shade: Some(shade.clamp(-1.0, 1.0)), ..self }
    }

    /// The text with what is published: `1.59 (1.62 ✓)`.
    pub fn whole(&self) -> String {
        match &self.published {
            Some(published) => {
                format!("{} ({} {})", self.text, published.text, published.agreement.symbol()).replace(" )", ")")
            }
            None => self.text.clone(),
        }
    }

    /// A count, which is its own text.
    fn count(count: usize) -> Self {
        DisplayCell::new(count.to_string()).valued(count as f64)
    }
}

impl DisplayRow {
    pub fn body(cells: Vec<DisplayCell>) -> Self {
        DisplayRow { cells, is_summary: false }
    }

    fn summary(cells: Vec<DisplayCell>) -> Self {
        DisplayRow { cells, is_summary: true }
    }
}
