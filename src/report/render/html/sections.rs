//! Which tables and figures stand where.

use serde::Serialize;

use super::table;
use crate::report::Analysis;
use crate::report::details::Details;
use crate::report::figures::{Figure, Topic};
use crate::report::tables::{DisplayTable, TableName};

#[derive(Serialize)]
pub struct Section {
    id: &'static str,
    title: &'static str,
    sentences: Vec<String>,
    figures: Vec<FigureView>,
    timeline: Option<FigureView>,
    /// As markup.
    tables: Vec<String>,
    /// Shown only when opened: what repeats the rest in the study's own selection.
    folded: Option<Box<Section>>,
}

#[derive(Serialize)]
struct FigureView {
    name: String,
    title: String,
    caption: String,
    svg: String,
}

/// Numbers the tables of a page as they are made.
struct Maker<'a> {
    analysis: &'a Analysis,
    figures: Vec<Figure>,
    tables: usize,
}

impl Maker<'_> {
    fn section(
        &mut self,
        id: &'static str,
        title: &'static str,
        topic: Topic,
        names: &[TableName],
    ) -> miette::Result<Section> {
        let chosen = self.figures.iter().filter(|figure| figure.topic == topic);
        let (wide, figures): (Vec<&Figure>, Vec<&Figure>) = chosen.partition(|figure| figure.is_timeline());
        Ok(Section {
            id,
            title,
            sentences: Vec::new(),
            figures: figures.into_iter().map(figure_view).collect::<miette::Result<Vec<FigureView>>>()?,
            timeline: wide.first().map(|figure| figure_view(figure)).transpose()?,
            tables: self.tables(names),
            folded: None,
        })
    }

    /// Of a table that there is for every number of cores, the one for the last number stands open, the others folded below.
    fn tables(&mut self, names: &[TableName]) -> Vec<String> {
        let mut made = Vec::new();
        for name in names {
            let mut tables = DisplayTable::named(self.analysis, *name);
            if *name == TableName::Study {
                made.extend(tables.drain(..).map(|table| self.table(&table)));
            }
            // Of the claims the first.
            let is_claims = *name == TableName::Claims;
            if is_claims {
                tables.reverse();
            }
            made.extend(tables.pop().map(|table| self.table(&table)));
            if !tables.is_empty() {
                let others: String = tables.iter().map(|table| self.table(table)).collect();
                let summary =
                    if is_claims { "What this run does not cover" } else { "The same on other numbers of cores" };
                made.push(format!("<details class=\"fold\"><summary>{summary}</summary>{others}</details>"));
            }
        }
        made
    }

    fn table(&mut self, table: &DisplayTable) -> String {
        self.tables += 1;
        table::render(table, self.tables)
    }
}

impl Section {
    fn is_empty(&self) -> bool {
        self.tables.is_empty() && self.figures.is_empty() && self.timeline.is_none()
    }
}

pub fn all(analysis: &Analysis, details: &Details) -> miette::Result<Vec<Section>> {
    let mut maker = Maker { analysis, figures: Figure::all(analysis, details), tables: 0 };
    use TableName as T;
    let mut speed = maker.section(
        "speed",
        "Does it save time?",
        Topic::Speed,
        &[T::Speedups, T::Savings, T::Scaling, T::Amdahl],
    )?;
    let as_printed =
        maker.section("as-printed", "As in the study: only subjects that gained", Topic::Study, &[T::SpeedupsStudy])?;
    speed.folded = (!as_printed.is_empty()).then(|| Box::new(as_printed));
    let orders = maker.section(
        "orders",
        "How do orders of algorithms affect order-dependent tests?",
        Topic::Orders,
        &[
            T::OdStatistics,
            T::OdTechniques,
            T::OdAlgorithms,
            T::OdTimes,
            T::OdReduction,
            T::OdSlowdown,
            T::OdFailures,
            T::OdSchedules,
        ],
    )?;
    let mut sections = vec![
        maker.section(
            "study",
            "How do the results compare with the published numbers?",
            Topic::Published,
            &[T::Claims, T::Study],
        )?,
        orders,
        speed,
        maker.section(
            "failures",
            "Do the tests still pass?",
            Topic::Failures,
            &[T::Failures, T::Residual, T::Incomplete],
        )?,
        maker.section(
            "runs",
            "How long did the runs take?",
            Topic::Runs,
            &[T::Concurrency, T::Costs, T::Regressions],
        )?,
        maker.section("timeline", "What ran where and when?", Topic::Timeline, &[])?,
        maker.section(
            "subjects",
            "What was run?",
            Topic::Subjects,
            &[T::Subjects, T::Origins, T::Deviations, T::SetAside],
        )?,
        maker.section("findings", "What else was noticed?", Topic::Findings, &[T::Findings])?,
    ];
    sections.retain(|section| !section.is_empty());
    Ok(sections)
}

fn figure_view(figure: &Figure) -> miette::Result<FigureView> {
    Ok(FigureView {
        name: figure.name.clone(),
        title: figure.title.clone(),
        caption: figure.caption.clone(),
        svg: figure.svg()?,
    })
}
