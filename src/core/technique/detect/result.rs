//! What a detection yields.

use serde::Serialize;

use super::Strategy;
use super::coverage::Coverage;
use super::order_runner::Runs;
use crate::suite::{Outcome, TestId};

/// What makes a test depend on the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Passes alone, fails after a polluter.
    Victim,
    /// Fails alone, passes after a state-setter.
    Brittle,
    /// Fails alone, passes after a state-setter, and fails again with a polluter between.
    Both,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Victim => "victim",
            Kind::Brittle => "brittle",
            Kind::Both => "both",
        }
    }
}

/// A test whose outcome depends on what ran before it. All of this was seen in fresh processes. Where no group is named, two
/// orders of many tests are all that is known: it ends otherwise in the one than in the other, every time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OrderDependent {
    pub test: TestId,
    pub kind: Kind,
    /// All tests that take part in a pollution.
    pub polluters: Vec<TestId>,
    pub cleaners: Vec<TestId>,
    /// All tests that take part in setting the state.
    pub state_setters: Vec<TestId>,
    /// Any one of these, all of it, makes the test fail.
    pub polluter_groups: Vec<Vec<TestId>>,
    /// Any one of these, all of it, makes the test pass.
    pub state_setter_groups: Vec<Vec<TestId>>,
    /// Was every other test tried as a polluter, cleaner or state-setter?
    pub complete: bool,
    /// Does it fail in the original order?
    pub fails_originally: bool,
    /// Does its class declare the order of its tests, and is all that it depends on in it? Then it is as its author meant it: it
    /// fails only if its class is not run whole.
    pub declared_order: bool,
}

/// A test that ends in different ways in one and the same order.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Flaky {
    pub test: TestId,
    pub seen: String,
}

/// A test that is in none of the orders.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LeftOut {
    pub test: TestId,
    pub why: String,
}

/// A test that hung or ended its process.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProcessAccident {
    pub test: TestId,
    pub outcome: Outcome,
    pub runs: usize,
}

/// How far a strategy came.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StrategyProgress {
    pub strategy: Strategy,
    pub orders: usize,
    pub planned: usize,
    /// All sequences of so many tests, where most were left out: those that cannot matter, or that are too many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub possible: Option<usize>,
    /// Orders that were run in fresh processes as well.
    #[serde(skip_serializing_if = "is_zero")]
    pub fresh: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Detection {
    /// In their original order.
    pub tests: Vec<TestId>,
    /// How often the original order was run: less often than asked for where the budget is short.
    pub baseline: usize,
    /// How many fail in the original order.
    pub failing_originally: usize,
    pub flaky: Vec<Flaky>,
    pub order_dependent: Vec<OrderDependent>,
    /// Tests that looked order-dependent, and that no fresh process confirmed.
    pub unconfirmed: Vec<TestId>,
    /// Tests that ended otherwise only where classes were interleaved, or where the order that a class declares was not kept: no
    /// build does so.
    pub interleaved_only: Vec<TestId>,
    /// Tests that look order-dependent, and that time did not suffice for, not even to see them fail in fresh processes.
    pub unexplained: Vec<TestId>,
    /// How many end otherwise in a process that has run others before, whatever the order, and were looked at in fresh ones.
    pub fresh_only: usize,
    pub left_out: Vec<LeftOut>,
    pub accidents: Vec<ProcessAccident>,
    pub coverage: Coverage,
    pub strategies: Vec<StrategyProgress>,
    pub runs: Runs,
    pub seconds: f64,
    /// Did the budget end anything early?
    pub budget_ended: bool,
}
