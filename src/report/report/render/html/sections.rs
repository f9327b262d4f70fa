//! The sections of the page, each with its figures and tables.

use serde::Serialize;

use super::table;
use crate::report::details::Details;
use crate::report::figures::Figure;
use crate::report::tables::{DisplayTable, TableDefinition, TableLayout};
use crate::report::{PageSection, RunReport};

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
struct SectionMaker<'a> {
    report: &'a RunReport<'a>,
    figures: Vec<Figure>,
    tables: usize,
}

impl SectionMaker<'_> {
    fn section(&mut self, section: PageSection) -> miette::Result<Section> {
        let (mut figures, mut timeline) = (Vec::new(), None);
        for figure in self.figures.iter().filter(|figure| figure.section == section) {
            if !figure.is_timeline() {
                figures.push(figure_view(figure)?);
            } else if timeline.is_none() {
                timeline = Some(figure_view(figure)?);
            }
        }
        let mut tables = Vec::new();
        for definition in TableDefinition::ranked() {
            if definition.section == Some(section) {
                tables.extend(self.tables(definition));
            }
        }
        Ok(Section {
            id: section.id(),
            title: section.title(),
            sentences: Vec::new(),
            figures,
            timeline,
            tables,
            folded: None,
        })
    }

    /// Where there are several tables of a kind, one stands open and the others are folded below.
    fn tables(&mut self, definition: &TableDefinition) -> Vec<String> {
        let mut tables = self.report.tables(definition);
        let summary = match definition.layout {
            TableLayout::Study { folded: None, .. } => return tables.iter().map(|table| self.table(table)).collect(),
            TableLayout::Study { folded: Some(summary), .. } => {
                tables.reverse();
                summary
            }
            _ => "The same on other numbers of cores",
        };
        let mut made: Vec<String> = tables.pop().map(|table| self.table(&table)).into_iter().collect();
        if !tables.is_empty() {
            let others: String = tables.iter().map(|table| self.table(table)).collect();
            made.push(format!("<details class=\"fold\"><summary>{summary}</summary>{others}</details>"));
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

/// Sections without content are left out.
pub fn all(report: &RunReport, details: &Details) -> miette::Result<Vec<Section>> {
    let mut maker = SectionMaker { report, figures: Figure::all(report.analysis, details), tables: 0 };
    let mut speed = maker.section(PageSection::Speed)?;
    let as_published = maker.section(PageSection::SpeedAsPublished)?;
    speed.folded = (!as_published.is_empty()).then(|| Box::new(as_published));
    let orders = maker.section(PageSection::Orders)?;
    let detection = maker.section(PageSection::Detection)?;
    let mut sections = vec![maker.section(PageSection::Study)?, detection, orders, speed];
    for section in PageSection::AFTER_SPEED {
        sections.push(maker.section(section)?);
    }
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
