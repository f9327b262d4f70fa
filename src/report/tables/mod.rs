//! The tables of a report as a grid of texts: what every rendering for people shares. Nothing is computed here but sums of
//! the numbers that are shown.

mod assess;
mod compare;
mod failures;
mod lists;
mod orders;
mod origins;
mod runs;
mod savings;
mod speedups;
mod study;

pub use compare::ComparisonTable;

use crate::report::Analysis;

/// A table by the name that `--table` takes; also its file name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TableName {
    Subjects,
    Failures,
    Speedups,
    SpeedupsStudy,
    Averages,
    Savings,
    Concurrency,
    Costs,
    Scaling,
    Residual,
    Incomplete,
    Findings,
    Deviations,
    SetAside,
    Warnings,
    Origins,
    /// Of runs of regression testing algorithms: the study's Tables 4 to 9,
    OdStatistics,
    OdTechniques,
    OdAlgorithms,
    OdTimes,
    OdReduction,
    OdSlowdown,
    /// which tests fail in whose orders,
    OdFailures,
    /// and P3 beside P2.
    OdSchedules,
    /// Lines through the subjects' times.
    Regressions,
    /// Amdahl's law, fitted to how configurations scale.
    Amdahl,
    /// Published tables with the run's values in them, where the experiment names a study.
    Study,
    /// What the study claims, beside what the run says.
    Claims,
    /// No table of one run: those of a comparison are made by [`Table::of_comparison`].
    Comparison(ComparisonTable),
    /// No table of a run either: those of an assessment are made by [`Table::of_assessment`].
    Assessment(&'static str),
}

impl TableName {
    /// Those of runs of regression testing algorithms.
    pub const OF_ORDERS: [TableName; 8] = [
        TableName::OdStatistics,
        TableName::OdTechniques,
        TableName::OdAlgorithms,
        TableName::OdTimes,
        TableName::OdReduction,
        TableName::OdSlowdown,
        TableName::OdFailures,
        TableName::OdSchedules,
    ];

    /// Those of a report's page.
    pub fn all() -> impl Iterator<Item = TableName> {
        let others = [
            TableName::Failures,
            TableName::Speedups,
            TableName::SpeedupsStudy,
            TableName::Savings,
            TableName::Concurrency,
            TableName::Costs,
            TableName::Scaling,
            TableName::Amdahl,
            TableName::Regressions,
            TableName::Residual,
            TableName::Incomplete,
            TableName::Findings,
            TableName::Deviations,
            TableName::SetAside,
            TableName::Warnings,
            TableName::Origins,
        ];
        [TableName::Subjects].into_iter().chain(Self::OF_ORDERS).chain(others)
    }

    pub fn name(self) -> &'static str {
        match self {
            TableName::Subjects => "subjects",
            TableName::Failures => "failures",
            TableName::Speedups => "speedups",
            TableName::SpeedupsStudy => "speedups-study",
            TableName::Averages => "averages",
            TableName::Savings => "savings",
            TableName::Concurrency => "concurrency",
            TableName::Costs => "costs",
            TableName::Scaling => "scaling",
            TableName::Residual => "residual",
            TableName::Incomplete => "incomplete",
            TableName::Findings => "findings",
            TableName::Deviations => "deviations",
            TableName::SetAside => "set-aside",
            TableName::Warnings => "warnings",
            TableName::Origins => "origins",
            TableName::OdStatistics => "od-statistics",
            TableName::OdTechniques => "od-techniques",
            TableName::OdAlgorithms => "od-algorithms",
            TableName::OdTimes => "od-times",
            TableName::OdReduction => "od-reduction",
            TableName::OdSlowdown => "od-slowdown",
            TableName::OdFailures => "od-failures",
            TableName::OdSchedules => "od-schedules",
            TableName::Regressions => "regressions",
            TableName::Amdahl => "amdahl",
            TableName::Study => "study",
            TableName::Claims => "claims",
            TableName::Comparison(table) => table.name(),
            TableName::Assessment(name) => name,
        }
    }

    /// Those of the page, and the averages by themselves, which the page has below the speedups.
    pub fn named() -> impl Iterator<Item = TableName> {
        Self::all().chain([TableName::Averages])
    }

    /// Those that put a run beside a published study. They are made from the others.
    pub fn of_the_study() -> [TableName; 2] {
        [TableName::Study, TableName::Claims]
    }

    pub fn parse(text: &str) -> Option<TableName> {
        Self::named().chain(Self::of_the_study()).find(|table| table.name() == text)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct DisplayTable {
    pub name: TableName,
    pub title: String,
    pub columns: Vec<DisplayColumn>,
    pub rows: Vec<DisplayRow>,
    /// How to read it, a sentence each.
    pub notes: Vec<String>,
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

impl DisplayTable {
    /// All tables of one name: one for each number of cores where they differ by it. Tables without rows are left out.
    pub fn named(analysis: &Analysis, name: TableName) -> Vec<DisplayTable> {
        let tables = match name {
            TableName::Subjects => vec![lists::subjects(analysis)],
            TableName::Failures => per_cores(analysis, failures::table),
            TableName::Speedups => per_cores(analysis, speedups::full),
            TableName::SpeedupsStudy => per_cores(analysis, speedups::as_in_the_study),
            TableName::Averages => vec![speedups::averages(analysis)],
            TableName::Savings => vec![savings::table(analysis)],
            TableName::Concurrency => per_cores(analysis, runs::concurrency),
            TableName::Costs => per_cores(analysis, runs::costs),
            TableName::Scaling => vec![runs::scaling(analysis)],
            TableName::Residual => vec![lists::residual(analysis)],
            TableName::Incomplete => vec![lists::incomplete(analysis)],
            TableName::Findings => vec![lists::findings(analysis)],
            TableName::Deviations => vec![lists::deviations(analysis)],
            TableName::SetAside => vec![lists::set_aside(analysis)],
            TableName::Warnings => vec![lists::warnings(analysis)],
            TableName::Origins => vec![origins::table(analysis)],
            TableName::OdStatistics => vec![orders::statistics(analysis)],
            TableName::OdTechniques => vec![orders::techniques(analysis)],
            TableName::OdAlgorithms => vec![orders::algorithms(analysis)],
            TableName::OdTimes => vec![orders::searches(analysis)],
            TableName::OdReduction => vec![orders::reduction(analysis)],
            TableName::OdSlowdown => vec![orders::slowdown(analysis)],
            TableName::OdFailures => vec![orders::failures(analysis)],
            TableName::OdSchedules => vec![orders::schedules(analysis)],
            TableName::Regressions => vec![runs::regressions(analysis)],
            TableName::Amdahl => vec![runs::amdahl(analysis)],
            TableName::Study => study::published(analysis),
            TableName::Claims => study::claims(analysis),
            TableName::Comparison(_) | TableName::Assessment(_) => Vec::new(),
        };
        tables.into_iter().filter(|table| !table.rows.is_empty()).collect()
    }

    pub fn all(analysis: &Analysis) -> Vec<DisplayTable> {
        let names = TableName::all().chain(TableName::of_the_study());
        names.flat_map(|name| DisplayTable::named(analysis, name)).collect()
    }
}

fn per_cores(analysis: &Analysis, table: impl Fn(&Analysis, usize) -> DisplayTable) -> Vec<DisplayTable> {
    analysis.run.manifest.cores.iter().map(|cores| table(analysis, *cores)).collect()
}

/// ` (2 cores)` where a run has several core counts.
fn cores_suffix(analysis: &Analysis, cores: usize) -> String {
    if analysis.run.manifest.cores.len() > 1 {
        format!(" ({})", crate::wording::plural(cores, "core"))
    } else {
        String::new()
    }
}
