//! Table 9: how much longer enhanced orders take. Orders that are the same are not compared.

use serde::Serialize;

use super::suites::{Suite, by_technique};
use super::{CellState, Technique, percent};
use crate::store::record::Authorship;

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SlowdownRow {
    /// The module's name in the study's tables.
    pub subject: String,
    pub technique: Technique,
    pub authorship: Authorship,
    pub state: CellState,
    /// Pairs of orders that differ, and that do not.
    pub different_orders: usize,
    pub same_orders: usize,
    /// Over the orders that differ: of the longest machine each.
    pub unenhanced_seconds: f64,
    pub enhanced_seconds: f64,
    /// In percent of the unenhanced orders' time.
    pub slowdown: Option<f64>,
}

impl SlowdownRow {
    /// Prioritization adds no test, so the study does not time it.
    pub const TECHNIQUES: [Technique; 2] = [Technique::Selection, Technique::Parallelization];

    fn judged(self) -> SlowdownRow {
        let longer = self.enhanced_seconds - self.unenhanced_seconds;
        let state = match (self.different_orders, self.same_orders) {
            (0, 0) => CellState::NotRun,
            (0, _) => CellState::SameOrders,
            _ => CellState::Counted,
        };
        SlowdownRow { state, slowdown: percent(longer, self.unenhanced_seconds), ..self }
    }

    /// Over several suites: the same ratio of the sums of all times.
    pub fn total(rows: &[&SlowdownRow]) -> SlowdownRow {
        let sum = |total: SlowdownRow, row: &&SlowdownRow| SlowdownRow {
            different_orders: total.different_orders + row.different_orders,
            same_orders: total.same_orders + row.same_orders,
            unenhanced_seconds: total.unenhanced_seconds + row.unenhanced_seconds,
            enhanced_seconds: total.enhanced_seconds + row.enhanced_seconds,
            ..total
        };
        rows.iter().fold(SlowdownRow::default(), sum).judged()
    }
}

pub fn rows(suites: &[Suite]) -> Vec<SlowdownRow> {
    by_technique(suites, &SlowdownRow::TECHNIQUES, row)
}

fn row(suite: &Suite, technique: Technique) -> SlowdownRow {
    let mut row = SlowdownRow {
        subject: suite.id().to_owned(),
        technique,
        authorship: suite.knowledge.authorship,
        ..SlowdownRow::default()
    };
    for (plain, enhanced) in suite.pairs(technique) {
        if plain.arrangement.order_hash == enhanced.arrangement.order_hash {
            row.same_orders += 1;
        } else if let Some((before, after)) = plain.seconds().zip(enhanced.seconds()) {
            row.different_orders += 1;
            row.unenhanced_seconds += before;
            row.enhanced_seconds += after;
        }
    }
    row.judged()
}
