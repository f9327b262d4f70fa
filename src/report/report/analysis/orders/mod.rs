//! What a run of regression testing algorithms says about order-dependent (OD) tests: Tables 4 to 9 of the study of
//! dependent-test-aware techniques, which tests fail where, and P3 beside P2.
//!
//! An OD-test failure is a test that failed in every repetition of an order. It is not asked here why it failed: that all
//! tests pass in the original order of each version is what the runner sees to.

mod failing;
mod reduction;
mod schedules;
mod searches;
mod slowdown;
mod statistics;
mod suites;
#[cfg(test)]
pub(in crate::report) mod tests;

use serde::Serialize;

use crate::shown_text::shown;
use crate::store::record::{Authorship, RunData};
use crate::technique::algorithm::{Algorithm, Family};
use crate::wording::plural;

pub use failing::{AlgorithmRow, OrderFailureRow, TechniqueRow};
pub use reduction::ReductionRow;
pub use schedules::ScheduleRow;
pub use searches::{Scope, SearchRow};
pub use slowdown::SlowdownRow;
pub use statistics::StatisticsRow;

/// Empty where no order of a run came from an algorithm.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OrderTables {
    /// Table 4.
    pub statistics: Vec<StatisticsRow>,
    /// Table 5.
    pub techniques: Vec<TechniqueRow>,
    /// Table 6.
    pub algorithms: Vec<AlgorithmRow>,
    /// Table 7.
    pub searches: Vec<SearchRow>,
    /// Table 8.
    pub reductions: Vec<ReductionRow>,
    /// Table 9.
    pub slowdowns: Vec<SlowdownRow>,
    pub failures: Vec<OrderFailureRow>,
    pub schedules: Vec<ScheduleRow>,
    /// What was noted while dependencies were sought, a sentence each.
    pub notes: Vec<String>,
}

/// The study's three kinds of algorithms.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Technique {
    #[default]
    Prioritization,
    Selection,
    Parallelization,
}

/// Why a cell has no number, or that it has one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CellState {
    Counted,
    /// `n/a`: the suite has no order-dependent test that is known.
    NoOdTests,
    /// `-`: no test failed in the unenhanced orders, so there is nothing to reduce or to search.
    NoFailures,
    /// `=`: enhanced and unenhanced orders are the same.
    SameOrders,
    #[default]
    NotRun,
}

impl Technique {
    pub const ALL: [Technique; 3] = [Technique::Prioritization, Technique::Selection, Technique::Parallelization];

    /// P3 is none of the study's: it has a table of its own.
    pub fn of(algorithm: Algorithm) -> Option<Technique> {
        match algorithm.family() {
            _ if algorithm == Algorithm::P3 => None,
            Family::Prioritization(..) => Some(Technique::Prioritization),
            Family::Selection(..) => Some(Technique::Selection),
            Family::Parallelization => Some(Technique::Parallelization),
        }
    }

    pub fn title(self) -> &'static str {
        match self {
            Technique::Prioritization => "Prioritization",
            Technique::Selection => "Selection",
            Technique::Parallelization => "Parallelization",
        }
    }
}

/// The algorithms of the study, in its order.
pub fn studied() -> impl Iterator<Item = Algorithm> {
    Algorithm::ALL.into_iter().filter(|algorithm| Technique::of(*algorithm).is_some())
}

pub(super) fn tables(run: &RunData) -> OrderTables {
    let suites = suites::suites(run);
    if suites.is_empty() {
        return OrderTables::default();
    }
    OrderTables {
        statistics: statistics::rows(&suites),
        techniques: failing::by_technique(&suites),
        algorithms: failing::by_algorithm(&suites),
        searches: searches::rows(&suites),
        reductions: reduction::rows(&suites),
        slowdowns: slowdown::rows(&suites),
        failures: failing::list(&suites),
        schedules: schedules::rows(&suites),
        notes: suites.iter().flat_map(suites::Suite::notes).collect(),
    }
}

impl OrderTables {
    pub fn is_empty(&self) -> bool {
        self.statistics.is_empty()
    }

    /// Are there results of the module that a study's tables call so?
    pub fn covers(&self, id: &str) -> bool {
        self.techniques.iter().any(|row| row.subject == id && row.state != CellState::NotRun)
    }

    /// The answer in a sentence or two.
    pub fn sentence(&self) -> Option<String> {
        if self.is_empty() {
            return None;
        }
        let known: usize = self.statistics.iter().map(StatisticsRow::known).sum();
        if known == 0 {
            let rounds = self.statistics.iter().map(|row| row.rounds).max().unwrap_or(0);
            let random = if rounds > 0 {
                format!(", nor did {}", plural(rounds as usize, "random order"))
            } else {
                String::new()
            };
            return Some(format!(
                "No order of an algorithm made a test fail that passes in the original order{random}."
            ));
        }
        let failing = self.failing_in_unenhanced();
        let circular = if self.statistics.iter().all(|row| row.rounds == 0) {
            " (known only from these orders: no random orders were run)"
        } else {
            ""
        };
        let first =
            format!("Orders of algorithms made {failing} of {known} known order-dependent tests fail{circular}");
        Some(match (self.reduction_sentence(), self.slowdown_sentence()) {
            (None, None) => format!("{first}."),
            (Some(fewer), None) => format!("{first}; {fewer}."),
            (None, Some(longer)) => format!("{first}; {longer}."),
            (Some(fewer), Some(longer)) => format!("{first}; {fewer}, and {longer}."),
        })
    }

    /// Distinct tests, over all algorithms of the study.
    pub fn failing_in_unenhanced(&self) -> usize {
        let studied = |row: &&OrderFailureRow| !row.enhanced && row.technique.is_some();
        let tests = self.failures.iter().filter(studied).map(|row| (&row.subject, row.authorship, &row.test));
        tests.collect::<std::collections::BTreeSet<_>>().len()
    }

    fn reduction_sentence(&self) -> Option<String> {
        let total = ReductionRow::total(&self.reductions.iter().collect::<Vec<_>>());
        let percent = total.reduction?;
        let direction = if percent < 0.0 { "more" } else { "fewer" };
        Some(format!(
            "enhanced orders have {:.0} % {direction} failures ({} instead of {})",
            percent.abs(),
            total.enhanced,
            total.unenhanced
        ))
    }

    fn slowdown_sentence(&self) -> Option<String> {
        let percent = SlowdownRow::total(&self.slowdowns.iter().collect::<Vec<_>>()).slowdown?;
        let direction = if percent < 0.0 { "less time" } else { "longer" };
        Some(format!("those that differ take {:.0} % {direction}", percent.abs()))
    }
}

/// The name of a kind of suite as the study's heads have it.
pub fn authorship_title(authorship: Authorship) -> &'static str {
    match authorship {
        Authorship::Human => "Human",
        Authorship::Auto => "Auto",
    }
}

pub const AUTHORSHIPS: [Authorship; 2] = [Authorship::Human, Authorship::Auto];

/// Of a whole, in percent; nothing of nothing.
fn percent(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| 100.0 * part / whole)
}

/// A note with whom it is about.
fn noted(id: &str, note: &str) -> String {
    format!("{}: {note}", shown(id))
}
