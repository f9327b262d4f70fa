//! Tables 5 and 6.

use super::{marked, nothing, share, technique_columns, technique_heads, tone_of};
use crate::report::Analysis;
use crate::report::analysis::orders::{AUTHORSHIPS, AlgorithmRow, Technique, TechniqueRow, authorship_title, studied};
use crate::report::tables::{DisplayCell, DisplayColumn, DisplayRow, DisplayTable};
use crate::shown_text::shown;
use crate::store::record::Authorship;

pub fn techniques(analysis: &Analysis) -> DisplayTable {
    let columns = technique_columns(&Technique::ALL);
    let orders = &analysis.orders;
    let body = |id: &str| {
        let find = |(technique, kind): &(Technique, Authorship)| {
            let here =
                |row: &&TechniqueRow| row.subject == id && row.technique == *technique && row.authorship == *kind;
            orders.techniques.iter().find(here).map_or_else(nothing, cell)
        };
        DisplayRow::body(std::iter::once(DisplayCell::new(shown(id))).chain(columns.iter().map(find)).collect())
    };
    let mut rows: Vec<DisplayRow> = orders.statistics.iter().map(|module| body(&module.subject)).collect();
    rows.push(total(&orders.techniques, &columns));
    DisplayTable {
        columns: technique_heads(&columns),
        rows: if orders.techniques.is_empty() { Vec::new() } else { rows },
        ..DisplayTable::default()
    }
}

fn cell(row: &TechniqueRow) -> DisplayCell {
    let hint = format!("{} of {}", row.failing, row.known);
    let cell = marked(row.state, row.percent, share, hint);
    if row.percent.is_some() { cell.toned(tone_of(row.failing)) } else { cell }
}

fn total(all: &[TechniqueRow], columns: &[(Technique, Authorship)]) -> DisplayRow {
    let sum = |(technique, kind): &(Technique, Authorship)| {
        let rows: Vec<&TechniqueRow> =
            all.iter().filter(|row| row.technique == *technique && row.authorship == *kind).collect();
        if rows.is_empty() { nothing() } else { cell(&TechniqueRow::total(&rows)) }
    };
    DisplayRow::summary(std::iter::once(DisplayCell::new("Total")).chain(columns.iter().map(sum)).collect())
}

pub fn algorithms(analysis: &Analysis) -> DisplayTable {
    let all = &analysis.orders.algorithms;
    let row = |kind: Authorship| {
        let cells: Vec<DisplayCell> = all.iter().filter(|row| row.authorship == kind).map(algorithm).collect();
        (!cells.is_empty())
            .then(|| DisplayRow::body(std::iter::once(DisplayCell::new(authorship_title(kind))).chain(cells).collect()))
    };
    let heads = studied()
        .filter_map(|algorithm| Some(DisplayColumn::right(algorithm.name()).under(Technique::of(algorithm)?.title())));
    DisplayTable {
        columns: std::iter::once(DisplayColumn::left("Type")).chain(heads).collect(),
        rows: AUTHORSHIPS.into_iter().filter_map(row).collect(),
        ..DisplayTable::default()
    }
}

fn algorithm(row: &AlgorithmRow) -> DisplayCell {
    let hint = format!("{} of {} in {}", row.failing, row.known, crate::wording::plural(row.suites, "suite"));
    let cell = marked(row.state, row.percent, share, hint);
    if row.percent.is_some() { cell.toned(tone_of(row.failing)) } else { cell }
}
