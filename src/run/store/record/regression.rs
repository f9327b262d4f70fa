//! What is written down about versions of a subject, and about orders that a regression testing algorithm gave.

use serde::{Deserialize, Serialize};

use crate::suite::TestId;
use crate::technique::algorithm::Algorithm;

/// Which version of which subject a subject of a run is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionRecord {
    /// The subject as the experiment file names it.
    pub of: String,
    /// From 1 on: what algorithms know is measured on the first.
    pub number: u32,
    /// Of how many.
    pub count: u32,
    pub committed_at: Option<jiff::Timestamp>,
}

/// The versions of a subject that were found in its history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryRecord {
    /// As the experiment file names it.
    pub subject: String,
    /// A fingerprint of what was asked for: with another one, versions are sought anew.
    pub asked: String,
    /// Before the subject's own commit, oldest first.
    pub earlier: Vec<CommitRecord>,
    pub passed_over: Vec<PassedOver>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitRecord {
    pub revision: String,
    pub committed_at: Option<jiff::Timestamp>,
}

/// A commit that is no version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassedOver {
    pub revision: String,
    /// It does not build, or its tests do not pass: a sentence.
    pub reason: String,
}

/// Who wrote a suite.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Authorship {
    #[default]
    Human,
    /// A generator.
    Auto,
}

/// The order that an algorithm gave to a trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArrangementRecord {
    pub algorithm: Algorithm,
    pub enhanced: bool,
    pub machines: u32,
    /// A fingerprint of what each machine ran in which order: equal if and only if the orders are.
    pub order_hash: String,
    /// Tests that the machines ran, each as often as it was asked for.
    pub tests: usize,
    /// Of these, those that only others needed.
    pub added: usize,
    /// What the longest machine is expected to take, and no schedule can be done before, where tests are spread over machines
    /// by known times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_seconds: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lower_bound_seconds: Option<f64>,
}

/// What was found out on the first version of a subject before its versions were evaluated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KnowledgeRecord {
    /// As the experiment file names it.
    pub subject: String,
    /// Its name in the study's tables.
    pub label: Option<String>,
    pub authorship: Authorship,
    /// Of the first version.
    pub tests: usize,
    /// What its tests take in the original order.
    pub suite_seconds: f64,
    /// Lines of code that are neither blank nor comment, of the program and of its tests; nobody counts a model's.
    pub source_lines: Option<u64>,
    pub test_lines: Option<u64>,
    /// Random orders that were run on each version, to find order-dependent tests.
    pub rounds: u32,
    /// Tests that failed in one of them, on any version, and passed in the original order.
    pub order_dependent: Vec<TestId>,
    /// By unenhanced configuration whose orders dependencies were sought in.
    pub dependencies: Vec<DependenciesRecord>,
    /// A sentence each.
    pub notes: Vec<String>,
}

/// The search for dependencies in the orders of one configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DependenciesRecord {
    pub algorithm: Algorithm,
    pub machines: u32,
    /// Tests that failed in its orders.
    pub order_dependent: Vec<TestId>,
    /// For all of them together.
    pub seconds: f64,
    /// Orders were enhanced and run again so many times, until none failed any more.
    pub turns: u32,
    /// Did the last order pass?
    pub complete: bool,
}
