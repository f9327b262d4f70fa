//! Table 8: how many fewer failures enhanced orders have.
//!
//! A failure is counted for each algorithm, and for each number of machines; over the versions of a selection a test counts
//! once. Compared is only where both orders ran.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::suites::{Suite, by_technique};
use super::{CellState, Technique, percent};
use crate::store::record::Authorship;
use crate::suite::TestId;
use crate::technique::algorithm::Algorithm;

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ReductionRow {
    /// The module's name in the study's tables.
    pub subject: String,
    pub technique: Technique,
    pub authorship: Authorship,
    pub state: CellState,
    /// Failures in the unenhanced orders, and in the enhanced ones.
    pub unenhanced: usize,
    pub enhanced: usize,
    /// In percent of the unenhanced orders' failures; negative where enhanced orders have more.
    pub reduction: Option<f64>,
}

pub fn rows(suites: &[Suite]) -> Vec<ReductionRow> {
    by_technique(suites, &Technique::ALL, row)
}

fn row(suite: &Suite, technique: Technique) -> ReductionRow {
    let mut failing: BTreeMap<(Algorithm, u32), [BTreeSet<&TestId>; 2]> = BTreeMap::new();
    for (plain, enhanced) in suite.pairs(technique) {
        let place = (plain.arrangement.algorithm, plain.arrangement.machines);
        let [before, after] = failing.entry(place).or_default();
        before.extend(&plain.failing);
        after.extend(&enhanced.failing);
    }
    let count = |side: usize| failing.values().map(|sides| sides[side].len()).sum();
    let (unenhanced, enhanced) = (count(0), count(1));
    let state = match () {
        () if failing.is_empty() => CellState::NotRun,
        () if suite.known().is_empty() => CellState::NoOdTests,
        () => CellState::Counted,
    };
    ReductionRow {
        subject: suite.id().to_owned(),
        technique,
        authorship: suite.knowledge.authorship,
        ..ReductionRow::of(state, unenhanced, enhanced)
    }
}

impl ReductionRow {
    fn of(state: CellState, unenhanced: usize, enhanced: usize) -> ReductionRow {
        let state = if state == CellState::Counted && unenhanced == 0 { CellState::NoFailures } else { state };
        let fewer = unenhanced as f64 - enhanced as f64;
        let reduction = percent(fewer, unenhanced as f64).filter(|_| state == CellState::Counted);
        ReductionRow { state, unenhanced, enhanced, reduction, ..ReductionRow::default() }
    }

    /// Over several suites: all failures of enhanced orders against all of unenhanced ones.
    pub fn total(rows: &[&ReductionRow]) -> ReductionRow {
        let state = if rows.iter().any(|row| matches!(row.state, CellState::Counted | CellState::NoFailures)) {
            CellState::Counted
        } else if rows.iter().any(|row| row.state == CellState::NoOdTests) {
            CellState::NoOdTests
        } else {
            CellState::NotRun
        };
        let sum = |count: fn(&ReductionRow) -> usize| rows.iter().map(|row| count(row)).sum();
        ReductionRow::of(state, sum(|row| row.unenhanced), sum(|row| row.enhanced))
    }
}
