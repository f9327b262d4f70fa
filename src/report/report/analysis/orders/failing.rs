//! Tables 5 and 6: the share of known order-dependent tests that fail in unenhanced orders; and every failing test by name.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::suites::{self, EvaluatedOrder, Suite};
use super::{AUTHORSHIPS, CellState, Technique, percent, studied};
use crate::store::record::Authorship;
use crate::suite::TestId;
use crate::technique::algorithm::Algorithm;

/// The unenhanced orders of a technique on one suite.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct TechniqueRow {
    /// The module's name in the study's tables.
    pub subject: String,
    pub technique: Technique,
    pub authorship: Authorship,
    pub state: CellState,
    /// Different tests that fail in any of its orders, on any number of machines.
    pub failing: usize,
    /// Order-dependent tests of the suite that are known.
    pub known: usize,
    pub percent: Option<f64>,
}

/// The unenhanced orders of an algorithm on all suites.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct AlgorithmRow {
    pub algorithm: &'static str,
    pub authorship: Authorship,
    pub state: CellState,
    /// Suites that it ordered.
    pub suites: usize,
    pub failing: usize,
    pub known: usize,
    pub percent: Option<f64>,
}

/// A test that fails in orders of an algorithm.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct OrderFailureRow {
    pub subject: String,
    pub authorship: Authorship,
    pub test: String,
    pub configuration: String,
    /// None for P3.
    pub technique: Option<Technique>,
    pub algorithm: &'static str,
    pub enhanced: bool,
    pub machines: u32,
    /// On which versions, as `v02 v03`; empty where there are none.
    pub versions: String,
    /// Versions that the order was run on.
    pub of_versions: usize,
    pub outcome: &'static str,
    pub message: Option<String>,
}

pub fn by_technique(suites: &[Suite]) -> Vec<TechniqueRow> {
    suites::by_technique(suites, &Technique::ALL, technique_row)
}

fn technique_row(suite: &Suite, technique: Technique) -> TechniqueRow {
    let orders: Vec<&EvaluatedOrder> = suite.orders_of(technique).filter(|order| !order.arrangement.enhanced).collect();
    let (failing, known) = (different(&orders), suite.known().len());
    let state = state(!orders.is_empty(), known);
    TechniqueRow {
        subject: suite.id().to_owned(),
        technique,
        authorship: suite.knowledge.authorship,
        state,
        failing,
        known,
        percent: percent(failing as f64, known as f64).filter(|_| state == CellState::Counted),
    }
}

impl TechniqueRow {
    /// Over several suites: all failing tests over all known ones of the suites that were ordered.
    pub fn total(rows: &[&TechniqueRow]) -> TechniqueRow {
        let ran = || rows.iter().filter(|row| row.state != CellState::NotRun);
        let (failing, known) = (ran().map(|row| row.failing).sum(), ran().map(|row| row.known).sum());
        let state = state(ran().next().is_some(), known);
        TechniqueRow {
            state,
            failing,
            known,
            percent: percent(failing as f64, known as f64),
            ..TechniqueRow::default()
        }
    }
}

fn state(ran: bool, known: usize) -> CellState {
    match (ran, known) {
        (false, _) => CellState::NotRun,
        (true, 0) => CellState::NoOdTests,
        (true, _) => CellState::Counted,
    }
}

fn different(orders: &[&EvaluatedOrder]) -> usize {
    orders.iter().flat_map(|order| &order.failing).collect::<BTreeSet<_>>().len()
}

pub fn by_algorithm(suites: &[Suite]) -> Vec<AlgorithmRow> {
    let mut rows = Vec::new();
    for authorship in AUTHORSHIPS {
        let written: Vec<&Suite> = suites.iter().filter(|suite| suite.knowledge.authorship == authorship).collect();
        if !written.is_empty() {
            rows.extend(studied().map(|algorithm| algorithm_row(&written, algorithm, authorship)));
        }
    }
    rows
}

fn algorithm_row(suites: &[&Suite], algorithm: Algorithm, authorship: Authorship) -> AlgorithmRow {
    let is_its = |order: &&EvaluatedOrder| order.arrangement.algorithm == algorithm && !order.arrangement.enhanced;
    let (mut ordered, mut failing, mut known) = (0, 0, 0);
    for suite in suites {
        let orders: Vec<&EvaluatedOrder> = suite.orders.iter().filter(is_its).collect();
        if !orders.is_empty() {
            ordered += 1;
            failing += different(&orders);
            known += suite.known().len();
        }
    }
    AlgorithmRow {
        algorithm: algorithm.name(),
        authorship,
        state: state(ordered > 0, known),
        suites: ordered,
        failing,
        known,
        percent: percent(failing as f64, known as f64),
    }
}

/// What is listed in one row: a test in the orders of one configuration.
type Listed<'a> = (&'a TestId, Algorithm, bool, u32);

pub fn list(suites: &[Suite]) -> Vec<OrderFailureRow> {
    suites.iter().flat_map(list_of).collect()
}

fn list_of(suite: &Suite) -> Vec<OrderFailureRow> {
    let mut found: BTreeMap<Listed, Vec<&EvaluatedOrder>> = BTreeMap::new();
    for order in &suite.orders {
        let arrangement = order.arrangement;
        for test in &order.failing {
            let listed = (*test, arrangement.algorithm, arrangement.enhanced, arrangement.machines);
            found.entry(listed).or_default().push(order);
        }
    }
    found.into_iter().filter_map(|(listed, orders)| failure_row(suite, listed, &orders)).collect()
}

fn failure_row(suite: &Suite, listed: Listed, orders: &[&EvaluatedOrder]) -> Option<OrderFailureRow> {
    let (test, algorithm, enhanced, machines) = listed;
    let first = orders.first()?;
    let residual = first.trials.iter().flat_map(|trial| &trial.residual).find(|residual| residual.test == *test)?;
    let same = |order: &&EvaluatedOrder| order.configuration == first.configuration;
    let versions: Vec<String> = orders.iter().filter_map(|order| order.version).map(version_name).collect();
    Some(OrderFailureRow {
        subject: suite.id().to_owned(),
        authorship: suite.knowledge.authorship,
        test: test.to_string(),
        configuration: first.configuration.to_owned(),
        technique: Technique::of(algorithm),
        algorithm: algorithm.name(),
        enhanced,
        machines,
        versions: versions.join(" "),
        of_versions: suite.orders.iter().filter(same).count(),
        outcome: residual.outcome.name(),
        message: residual.message.clone(),
    })
}

/// As the names of subjects have it.
pub fn version_name(number: u32) -> String {
    format!("v{number:02}")
}
