//! What regression testing algorithms do to order-dependent (OD) tests, in the layout of the study's Tables 4 to 9; which tests
//! fail where; P3 compared with P2.

mod changes;
mod failing;
mod lists;
mod statistics;

use super::{DisplayCell, DisplayColumn, Tone};
use crate::report::analysis::orders::{AUTHORSHIPS, CellState, Technique, authorship_title};
use crate::store::record::Authorship;

pub(super) use changes::{reduction, searches, slowdown};
pub(super) use failing::{algorithms, techniques};
pub(super) use lists::{failures, schedules};
pub(super) use statistics::statistics;

/// One column for each technique and kind of tests, in the study's order.
fn technique_columns(techniques: &[Technique]) -> Vec<(Technique, Authorship)> {
    techniques.iter().flat_map(|technique| AUTHORSHIPS.map(|authorship| (*technique, authorship))).collect()
}

fn technique_heads(columns: &[(Technique, Authorship)]) -> Vec<DisplayColumn> {
    let head = |(technique, authorship): &(Technique, Authorship)| {
        DisplayColumn::right(authorship_title(*authorship)).under(technique.title())
    };
    std::iter::once(DisplayColumn::left("ID")).chain(columns.iter().map(head)).collect()
}

/// A number, or the study's mark for why there is none.
fn marked(state: CellState, number: Option<f64>, text: fn(f64) -> String, hint: String) -> DisplayCell {
    let cell = match (state, number) {
        (CellState::Counted, Some(number)) => DisplayCell::new(text(number)).valued(number),
        (CellState::NoOdTests, _) => DisplayCell::muted("n/a"),
        (CellState::NoFailures, _) => DisplayCell::muted("-"),
        (CellState::SameOrders, _) => DisplayCell::muted("="),
        (CellState::NotRun | CellState::Counted, _) => return DisplayCell::muted("not run"),
    };
    cell.hinted(Some(hint))
}

/// Where a module has no such suite.
fn nothing() -> DisplayCell {
    DisplayCell::new("")
}

/// `12%`; what is more than nothing is never printed as nothing.
fn share(percent: f64) -> String {
    if percent > 0.0 && percent < 0.5 { "<1%".to_owned() } else { format!("{percent:.0}%") }
}

/// `-25%`, and no `-0%`.
fn change(percent: f64) -> String {
    format!("{:.0}%", percent.round() + 0.0)
}

/// More than nothing is bad.
fn tone_of(count: usize) -> Tone {
    if count > 0 { Tone::Bad } else { Tone::Good }
}
