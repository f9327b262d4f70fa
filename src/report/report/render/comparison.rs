//! A comparison of two runs as text for a terminal, Markdown, one page of HTML, CSV or JSON.

use std::collections::BTreeMap;

use miette::IntoDiagnostic;
use serde::Serialize;

use super::html::page::{Carried, Template};
use super::{html, markdown, terminal};
use crate::data_table::DataTable;
use crate::report::compare::Comparison;
use crate::report::tables::{COMPARISON_TABLES, DisplayTable};
use crate::shown_text::shown;

const TEMPLATE: Template = Template { name: "compare.html", source: include_str!("../templates/compare.html") };

pub fn terminal(comparison: &Comparison, style: terminal::Style) -> String {
    let mut out = format!("{} and {}\n", shown(&comparison.first), shown(&comparison.second));
    out += &terminal::cautions(&comparison.caveats, style);
    for table in DisplayTable::of_comparison(comparison) {
        out.push('\n');
        out += &terminal::render_table(&table, style);
    }
    out.push('\n');
    for sentence in &comparison.summary {
        out += &terminal::emphasised(sentence, style);
    }
    out
}

pub fn markdown(comparison: &Comparison) -> String {
    let escape = markdown::escape;
    let mut out = format!("# {} and {}\n\n", escape(&shown(&comparison.first)), escape(&shown(&comparison.second)));
    if !comparison.caveats.is_empty() {
        out += "## Reasons to distrust this comparison\n\n";
    }
    for caveat in &comparison.caveats {
        out += &format!("- {}\n", escape(&shown_long(caveat)));
    }
    if !comparison.caveats.is_empty() {
        out += "\n## What it shows\n\n";
    }
    for sentence in &comparison.summary {
        out += &format!("{}\n", escape(sentence));
    }
    for table in DisplayTable::of_comparison(comparison) {
        out.push('\n');
        out += &markdown::render_table(&table);
    }
    out
}

/// One row per cell, unrounded.
pub fn csv(comparison: &Comparison) -> miette::Result<String> {
    DataTable::from_records(&comparison.cells)?.to_csv()
}

pub fn json(comparison: &Comparison) -> miette::Result<serde_json::Value> {
    serde_json::to_value(comparison).into_diagnostic()
}

/// A page that needs nothing else.
pub fn html(comparison: &Comparison) -> miette::Result<String> {
    let page = Page {
        carried: Carried::with(html::data::embedded(&Data { csv: raw_tables(comparison)? })?),
        first: shown(&comparison.first),
        second: shown(&comparison.second),
        summary: &comparison.summary,
        cautions: comparison.caveats.iter().map(|caveat| shown_long(caveat)).collect(),
        tables: tables(comparison),
    };
    html::page::render(&TEMPLATE, &page)
}

#[derive(Serialize)]
struct Page<'a> {
    carried: Carried,
    first: String,
    second: String,
    summary: &'a [String],
    cautions: Vec<String>,
    /// As markup.
    tables: Vec<String>,
}

/// What the page carries for its script: it lies alone, so its raw data cannot lie beside it.
#[derive(Serialize)]
struct Data {
    csv: BTreeMap<&'static str, String>,
}

fn raw_tables(comparison: &Comparison) -> miette::Result<BTreeMap<&'static str, String>> {
    let mut texts = BTreeMap::new();
    for table in COMPARISON_TABLES {
        texts.insert(table.name, (table.data)(comparison)?.to_csv()?);
    }
    Ok(texts)
}

fn tables(comparison: &Comparison) -> Vec<String> {
    let tables = DisplayTable::of_comparison(comparison);
    tables.iter().enumerate().map(|(index, table)| html::table::render(table, index + 1)).collect()
}

/// Caveats list names: longer than one name, still bounded.
fn shown_long(text: &str) -> String {
    crate::shown_text::sentence(text, 1000)
}
