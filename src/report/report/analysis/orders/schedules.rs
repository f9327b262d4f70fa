//! P3 beside P2: what spreads tests over machines with their dependencies in mind, and what adds them afterwards.

use std::collections::BTreeSet;

use serde::Serialize;

use super::suites::{EvaluatedOrder, Suite};
use crate::store::record::Authorship;
use crate::technique::algorithm::Algorithm;

/// The schedules of one suite and version on so many machines. Times are of the longest machine.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ScheduleRow {
    /// The module's name in the study's tables.
    pub subject: String,
    pub authorship: Authorship,
    /// From 1 on; nothing where there are no versions.
    pub version: Option<u32>,
    pub machines: u32,
    pub p2_seconds: Option<f64>,
    pub p2_failing: Option<usize>,
    pub p2_enhanced_seconds: Option<f64>,
    pub p2_enhanced_failing: Option<usize>,
    pub p3_seconds: Option<f64>,
    pub p3_failing: Option<usize>,
    /// What enhanced P2 and P3 were expected to take, from times of the first version.
    pub p2_enhanced_expected: Option<f64>,
    pub p3_expected: Option<f64>,
    /// No schedule that keeps the dependencies is expected to be done earlier.
    pub lower_bound: Option<f64>,
}

/// One row for each place where P3 ran.
pub fn rows(suites: &[Suite]) -> Vec<ScheduleRow> {
    suites.iter().flat_map(rows_of).collect()
}

fn rows_of(suite: &Suite) -> Vec<ScheduleRow> {
    let of_p3 = suite.orders.iter().filter(|order| order.arrangement.algorithm == Algorithm::P3);
    let places: BTreeSet<(Option<u32>, u32)> = of_p3.map(|order| (order.version, order.arrangement.machines)).collect();
    places.into_iter().map(|(version, machines)| row(suite, version, machines)).collect()
}

fn row(suite: &Suite, version: Option<u32>, machines: u32) -> ScheduleRow {
    let here = || suite.orders.iter().filter(|o| o.version == version && o.arrangement.machines == machines);
    let find = |algorithm, enhanced| {
        here().find(|o| o.arrangement.algorithm == algorithm && o.arrangement.enhanced == enhanced)
    };
    let (plain, enhanced) = (find(Algorithm::P2, false), find(Algorithm::P2, true));
    // With dependencies, if it ran with them.
    let aware = find(Algorithm::P3, true).or_else(|| find(Algorithm::P3, false));
    let seconds = |order: Option<&EvaluatedOrder>| order.and_then(EvaluatedOrder::seconds);
    let failing = |order: Option<&EvaluatedOrder>| order.map(|order| order.failing.len());
    let expected = |order: Option<&EvaluatedOrder>| order.and_then(|order| order.arrangement.expected_seconds);
    ScheduleRow {
        subject: suite.id().to_owned(),
        authorship: suite.knowledge.authorship,
        version,
        machines,
        p2_seconds: seconds(plain),
        p2_failing: failing(plain),
        p2_enhanced_seconds: seconds(enhanced),
        p2_enhanced_failing: failing(enhanced),
        p3_seconds: seconds(aware),
        p3_failing: failing(aware),
        p2_enhanced_expected: expected(enhanced),
        p3_expected: expected(aware),
        lower_bound: aware.and_then(|order| order.arrangement.lower_bound_seconds),
    }
}
