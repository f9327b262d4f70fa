//! `expected.toml` of a bundled subject, as types. What it leaves out is as in a clean run of the whole suite.

use std::collections::BTreeMap;
use std::fmt;

use parade::engine::{EngineKind, Mode};
use parade::store::record::Verdict;
use parade::suite::{FindingKind, TestId};
use parade::technique::TechniqueKind;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    /// What the subject shows.
    pub summary: String,
    /// How many tests a sequential run sees, those included that are set aside.
    pub tests: u64,
    pub frameworks: Vec<String>,
    #[serde(default)]
    pub screening: u32,
    pub timeout: Option<String>,
    /// The major version of the JDK that it must get. A machine without such a one cannot tell.
    pub jdk: Option<Bounds>,
    /// Who it runs as where parade may choose; an ordinary user runs it as himself.
    pub user: Option<String>,
    pub phase: Option<String>,
    /// What `parade assess` says of it; `tests/slow/assess.rs` asks.
    pub assess: Option<String>,
    /// Of `parade run`.
    #[serde(default)]
    pub exit_code: i32,
    #[serde(default)]
    pub set_aside: Vec<TestId>,
    /// Every test of a sequential run.
    pub ids: Option<Vec<TestId>>,
    /// What the subject's deviations must say, each a part of one.
    #[serde(default)]
    pub deviations: Vec<String>,
    /// Does its baseline wait where its other configurations do not? The report must warn of that, and only then.
    #[serde(default)]
    pub idle_only_in_baseline: bool,
    /// Environment of the subject; `{scratch}` stands for a folder that lasts as long as the experiment.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    #[serde(rename = "configuration")]
    pub configurations: Vec<ExpectedConfiguration>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedConfiguration {
    pub name: String,
    pub technique: TechniqueKind,
    pub parallel: Option<Mode>,
    pub threads: Option<u32>,
    pub forks: Option<String>,
    /// Modules at once.
    pub modules: Option<u32>,
    pub engine: Option<EngineKind>,
    pub rerun_engine: Option<EngineKind>,
    pub verdict: Verdict,
    pub tests: Option<Bounds>,
    pub passed: Option<Bounds>,
    pub failed: Option<Bounds>,
    pub errors: Option<Bounds>,
    pub skipped: Option<Bounds>,
    pub timed_out: Option<Bounds>,
    pub crashed: Option<Bounds>,
    pub not_run: Option<Bounds>,
    pub concurrency_max: Option<Bounds>,
    /// Failures that remain after each stage; its length is the number of stages.
    pub failures_after: Option<Vec<Bounds>>,
    /// The tests that do not end well. Left out: none where the verdict is clean, any elsewhere.
    pub residual: Option<Vec<TestId>>,
    /// Kinds of finding that the trial must have.
    #[serde(default)]
    pub findings: Vec<FindingKind>,
}

/// A number, or a range of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Bounds {
    Exactly(u64),
    Between { min: u64, max: u64 },
}

impl Bounds {
    pub fn hold(self, number: u64) -> bool {
        match self {
            Bounds::Exactly(expected) => number == expected,
            Bounds::Between { min, max } => (min..=max).contains(&number),
        }
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bounds::Exactly(number) => write!(f, "{number}"),
            Bounds::Between { min, max } => write!(f, "{min} to {max}"),
        }
    }
}

impl Expectation {
    /// # Panics
    /// When the file is missing or not as this type has it.
    pub fn of(subject: &str) -> Self {
        let path = super::subjects_folder().join(subject).join("expected.toml");
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// How many tests are counted once those set aside are left out.
    pub fn counted(&self) -> u64 {
        self.tests - self.set_aside.len() as u64
    }
}
