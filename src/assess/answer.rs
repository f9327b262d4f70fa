//! The answer, with all that it rests on: what every form of it is made from.

use std::path::PathBuf;

use serde::Serialize;

use super::advice::Snippet;
use super::agenda::Item;
use super::causes::Cause;
use super::costs::Costs;
use super::decide::Verdict;
use super::evidence::{Evidence, Speedup};
use super::forecast::{Check, Curve, Improvement, Point};
use super::survey::Survey;
use crate::suite::TestId;

impl Answer {
    /// The verdict as an answer to the question.
    pub fn meaning(&self) -> String {
        let meaning = self.verdict.meaning();
        if self.preliminary { format!("{meaning}; preliminary, from too few runs") } else { meaning.to_owned() }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    pub project: String,
    pub verdict: Verdict,
    /// Too few runs were made to be certain of it.
    pub preliminary: bool,
    /// Why, in a sentence or two.
    pub reason: String,
    /// The way that the verdict is about; for `fix_first` the one that would gain.
    pub mode: Option<String>,
    /// On this machine, in each process.
    pub threads: Option<usize>,
    pub forks: Option<String>,
    pub cores: usize,
    pub speedup: Option<Speedup>,
    pub baseline_seconds: Option<f64>,
    pub seconds: Option<f64>,
    /// Tests that failed in parallel only.
    pub failures: Vec<Failure>,
    /// Of the way above.
    pub prediction: Vec<Point>,
    /// What to put into the project, as one text; `snippets` says where.
    pub snippet: Option<String>,
    pub snippets: Vec<Snippet>,
    /// For the CI.
    pub command: Option<String>,
    pub predictions: Vec<Curve>,
    pub checks: Vec<Check>,
    pub improvements: Vec<Improvement>,
    pub costs: Option<Costs>,
    pub risk: Risk,
    pub ways: Vec<Evidence>,
    pub flaky: Vec<TestId>,
    /// Tests that fail without any parallelism.
    pub broken: Vec<TestId>,
    pub survey: Survey,
    pub plan: Vec<Item>,
    pub blocks: usize,
    pub budget_seconds: f64,
    pub spent_seconds: f64,
    pub notes: Vec<String>,
    /// Records, logs and the whole report.
    pub run_dir: PathBuf,
}

/// A test to isolate, with the reason.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Failure {
    #[serde(flatten)]
    pub cause: Cause,
    /// The ways in which it failed, and in how many of their runs.
    pub failed_in: Vec<Count>,
    /// Did it fail in the way that the verdict is about?
    pub in_mode: bool,
    /// Does it still fail once it and its class have been run again?
    pub unrepaired: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Count {
    pub mode: String,
    pub failed: usize,
    pub runs: usize,
}

/// How often a build would fail without a fault, as far as the runs tell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Risk {
    pub runs: usize,
    pub failing_runs: usize,
    /// The upper end of Wilson's 95 % interval: with this many runs no lower rate can be promised.
    pub failure_rate_at_most: Option<f64>,
    /// Of those that flaky tests bring already, one test after the other.
    pub flaky_tests: usize,
}
