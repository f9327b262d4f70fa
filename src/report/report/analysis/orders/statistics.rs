//! Table 4: what the modules are.

use serde::Serialize;

use super::suites::{Module, Suite, modules};
use crate::stats;
use crate::store::record::Authorship;

const SECONDS_OF_A_DAY: f64 = 86_400.0;

/// A module. Lines and tests are those of its first version.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct StatisticsRow {
    /// Its name in the study's tables.
    pub subject: String,
    pub project: String,
    pub source_lines: Option<u64>,
    pub test_lines: Option<u64>,
    pub tests_human: Option<usize>,
    pub tests_auto: Option<usize>,
    /// Random orders that were run on each version to find order-dependent tests.
    pub rounds: u32,
    /// What they found; nothing where there were none.
    pub od_human: Option<usize>,
    pub od_auto: Option<usize>,
    /// Order-dependent tests that are known by these or any other orders.
    pub known_human: Option<usize>,
    pub known_auto: Option<usize>,
    pub versions: usize,
    pub days_average: Option<f64>,
    pub days_median: Option<f64>,
    /// Days from each version to the next.
    #[serde(skip)]
    pub days: Vec<f64>,
}

impl StatisticsRow {
    pub fn known(&self) -> usize {
        self.known_human.unwrap_or(0) + self.known_auto.unwrap_or(0)
    }

    pub fn tests(&self, authorship: Authorship) -> Option<usize> {
        match authorship {
            Authorship::Human => self.tests_human,
            Authorship::Auto => self.tests_auto,
        }
    }

    /// Those that random orders found; all that are known where none were run.
    pub fn order_dependent(&self, authorship: Authorship) -> Option<usize> {
        match authorship {
            Authorship::Human => self.od_human.or(self.known_human),
            Authorship::Auto => self.od_auto.or(self.known_auto),
        }
    }
}

pub fn rows(suites: &[Suite]) -> Vec<StatisticsRow> {
    modules(suites).iter().map(row).collect()
}

fn row(module: &Module) -> StatisticsRow {
    let of = |authorship, fact: fn(&Suite) -> usize| module.suite(authorship).map(fact);
    let random = |authorship| {
        let suite = module.suite(authorship).filter(|suite| suite.knowledge.rounds > 0);
        suite.map(|suite| suite.knowledge.order_dependent.len())
    };
    let days = module.suites().next().map(days_between).unwrap_or_default();
    StatisticsRow {
        subject: module.id.to_owned(),
        project: module.suites().next().map(project).unwrap_or_default(),
        source_lines: module.suites().find_map(|suite| suite.knowledge.source_lines),
        test_lines: module.suite(Authorship::Human).and_then(|suite| suite.knowledge.test_lines),
        tests_human: of(Authorship::Human, |suite| suite.knowledge.tests),
        tests_auto: of(Authorship::Auto, |suite| suite.knowledge.tests),
        rounds: module.suites().map(|suite| suite.knowledge.rounds).max().unwrap_or(0),
        od_human: random(Authorship::Human),
        od_auto: random(Authorship::Auto),
        known_human: of(Authorship::Human, |suite| suite.known().len()),
        known_auto: of(Authorship::Auto, |suite| suite.known().len()),
        versions: module.suites().map(|suite| suite.versions.len()).max().unwrap_or(0),
        days_average: stats::mean(&days),
        days_median: stats::median(&days),
        days,
    }
}

/// `apache/struts` where it is a public one; else the subject's name.
fn project(suite: &Suite) -> String {
    let origin = suite.versions.first().map_or("", |record| record.origin.as_str());
    match origin.split_once("github.com/") {
        Some((_, name)) => name.trim_end_matches('/').trim_end_matches(".git").to_owned(),
        None => suite.knowledge.subject.clone(),
    }
}

fn days_between(suite: &Suite) -> Vec<f64> {
    let dates: Vec<jiff::Timestamp> =
        suite.versions.iter().filter_map(|record| record.version.as_ref()?.committed_at).collect();
    let seconds = |pair: &[jiff::Timestamp]| (pair[1].as_second() - pair[0].as_second()) as f64;
    dates.windows(2).map(|pair| seconds(pair) / SECONDS_OF_A_DAY).collect()
}
