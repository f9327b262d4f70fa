//! Table 7: what it took to compute the dependencies of an order-dependent test.

use serde::Serialize;

use super::suites::{Suite, modules};
use super::{CellState, Technique};
use crate::store::record::{Authorship, DependenciesRecord};

/// Whose orders dependencies were sought in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    Prioritization,
    Parallelization,
    /// Both: the study's six algorithms.
    #[default]
    All,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SearchRow {
    /// The module's name in the study's tables.
    pub subject: String,
    pub authorship: Authorship,
    pub scope: Scope,
    pub state: CellState,
    /// What the suite takes in the original order.
    pub suite_seconds: f64,
    /// Failing tests, counted anew for each algorithm and number of machines: each was searched for.
    pub od_tests: usize,
    /// For all of them together.
    pub seconds: f64,
    pub seconds_per_test: Option<f64>,
}

impl Scope {
    pub const ALL: [Scope; 3] = [Scope::Prioritization, Scope::Parallelization, Scope::All];

    /// As the study's heads have it.
    pub fn title(self) -> &'static str {
        match self {
            Scope::Prioritization => "Prioritization",
            Scope::Parallelization => "Parallelization",
            Scope::All => "All 6",
        }
    }

    fn has(self, search: &DependenciesRecord) -> bool {
        let technique = Technique::of(search.algorithm);
        match self {
            Scope::Prioritization => technique == Some(Technique::Prioritization),
            Scope::Parallelization => technique == Some(Technique::Parallelization),
            Scope::All => technique.is_some(),
        }
    }
}

pub fn rows(suites: &[Suite]) -> Vec<SearchRow> {
    let mut rows = Vec::new();
    for module in modules(suites) {
        for suite in module.suites() {
            rows.extend(Scope::ALL.map(|scope| row(suite, scope)));
        }
    }
    rows
}

/// Orders in which nothing failed needed no search, and the time to run them is no part of it.
fn row(suite: &Suite, scope: Scope) -> SearchRow {
    let searches: Vec<&DependenciesRecord> =
        suite.knowledge.dependencies.iter().filter(|search| scope.has(search)).collect();
    let found = || searches.iter().filter(|search| !search.order_dependent.is_empty());
    let od_tests: usize = found().map(|search| search.order_dependent.len()).sum();
    let seconds: f64 = found().map(|search| search.seconds).sum();
    SearchRow {
        subject: suite.id().to_owned(),
        authorship: suite.knowledge.authorship,
        scope,
        state: match (searches.is_empty(), od_tests) {
            (true, _) => CellState::NotRun,
            (false, 0) => CellState::NoFailures,
            (false, _) => CellState::Counted,
        },
        suite_seconds: suite.knowledge.suite_seconds,
        od_tests,
        seconds,
        seconds_per_test: (od_tests > 0).then(|| seconds / od_tests as f64),
    }
}
