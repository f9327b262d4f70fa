//! What is written down about a trial. These are the on-disk types; analysis reads nothing else.

mod regression;
mod step;

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use crate::engine::{EngineKind, Mode, Parallelism};
use crate::experiment::Trial;
use crate::suite::{Concurrency, Cost, Execution, Finding, Granularity, RunEnd, Tally, TestId};
use crate::technique::{Harness, Ordering, TechniqueKind};
use crate::wording::ranged;

pub use regression::{
    ArrangementRecord, Authorship, CommitRecord, DependenciesRecord, HistoryRecord, KnowledgeRecord, PassedOver,
    VersionRecord,
};
pub use step::{StepKind, StepRecord};

/// The verdict on a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Every expected test ran and succeeded in the end.
    Clean,
    /// Some tests still fail after the last stage.
    Failing,
    /// Some expected tests never ran.
    LostTests,
    TimedOut,
    /// A worker died with a test in it, or the runner broke down.
    Crashed,
    /// The mode does not exist for this suite's frameworks.
    Unsupported,
    BuildFailed,
    HarnessError,
    /// Two records of the run contradict each other, so neither can be believed.
    Contradicted,
}

impl Verdict {
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Clean => "clean",
            Verdict::Failing => "failing",
            Verdict::LostTests => "lost_tests",
            Verdict::TimedOut => "timed_out",
            Verdict::Crashed => "crashed",
            Verdict::Unsupported => "unsupported",
            Verdict::BuildFailed => "build_failed",
            Verdict::HarnessError => "harness_error",
            Verdict::Contradicted => "contradicted",
        }
    }

    /// Did the trial yield data about the subject? Otherwise the run exits with code 3.
    pub fn is_completed(self) -> bool {
        !matches!(self, Verdict::BuildFailed | Verdict::HarnessError)
    }
}

/// Why a trial was run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// To find tests that do not pass every time without any parallelism.
    Screening,
    Warmup,
    Measured,
}

/// One stage of a technique inside a trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StageRecord {
    /// From 1 on: PASTE's stages; other techniques have one.
    pub stage: u32,
    /// What it does, e.g. `parallel run`, `failed tests`, `their classes`.
    pub purpose: String,
    /// What ran it; older records do not say.
    #[serde(default)]
    pub engine: Option<EngineKind>,
    pub parallelism: Parallelism,
    /// Executions in this stage, set-aside tests left out.
    pub tally: Tally,
    /// Failures that remain once this stage is over: what Table II counts.
    pub failures_after: usize,
    pub cost: Cost,
    pub test_seconds: f64,
    pub concurrency: Concurrency,
    pub granularity: Granularity,
    pub end: RunEnd,
}

/// A test that did not end well.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResidualTest {
    pub test: TestId,
    pub outcome: crate::suite::Outcome,
    pub message: Option<String>,
}

/// One line of the journal for one finished trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialRecord {
    /// The trial's identity; see [`crate::experiment::Trial`].
    pub trial: String,
    pub phase: Phase,
    pub subject: String,
    pub configuration: String,
    pub technique: String,
    pub mode: Mode,
    /// What ran its first stage, the others too where their own record says nothing else; older records do not say.
    #[serde(default)]
    pub engine: Option<EngineKind>,
    pub cores: usize,
    pub repetition: u32,
    pub verdict: Verdict,
    /// One sentence, for every verdict but `clean`.
    pub reason: Option<String>,
    pub started_at: jiff::Timestamp,
    /// All processes of all stages.
    pub cost: Cost,
    /// First start to last end, summed over the stages.
    pub test_seconds: f64,
    /// The longest machine; equals `test_seconds` on one.
    pub makespan_seconds: f64,
    /// Of the first stage, where the parallelism is.
    pub concurrency: Concurrency,
    pub stages: Vec<StageRecord>,
    /// Outcome of every expected test in the end: the last execution counts. Set-aside tests are left out.
    pub tally: Tally,
    /// A fingerprint of every counted test with its final outcome; trials in which nothing ran, and older records, have none.
    #[serde(default)]
    pub outcomes_hash: Option<String>,
    /// Failures, crashes and losses that remain, at most [`TrialRecord::MAX_RESIDUAL`] of them.
    pub residual: Vec<ResidualTest>,
    pub findings: Vec<Finding>,
    /// Cores that were busy in the quarter second before the trial, and after it.
    pub load_before: Option<f64>,
    pub load_after: Option<f64>,
    /// Cores that other work kept busy during the trial, on average; older records have none.
    #[serde(default)]
    pub load_during: Option<f64>,
    /// Pages swapped in or out, and times that a core was slowed down for its heat, during the trial, where the machine tells.
    pub swapped_pages: Option<u64>,
    pub throttle_events: Option<u64>,
    /// Of the subject: full commit hash, or the hash of a folder's content.
    pub revision: Option<String>,
    pub jdk: Option<String>,
    /// Where that JDK was; older records have none.
    #[serde(default)]
    pub java_home: Option<String>,
    pub maven: Option<String>,
    /// Other tools, by name, that have no field of their own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, String>,
    pub parade: String,
    /// Where it was measured, if this run was merged from several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
    /// The order that it ran, where an algorithm gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrangement: Option<ArrangementRecord>,
}

/// Which run a trial of a merged run comes from, and what it was there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The name of that run's folder.
    pub run: String,
    pub host: String,
    /// The trial's identity there.
    pub trial: String,
    /// The block that it belonged to there.
    pub repetition: u32,
}

impl TrialRecord {
    pub const MAX_RESIDUAL: usize = 5000;
    /// More cores than these that other work keeps busy disturb a trial.
    pub const BUSY_BEFORE: f64 = 0.5;
    pub const BUSY_DURING: f64 = 0.2;

    /// Did other work make its times worse? Where nobody looked during the trial, what was seen before it counts.
    pub fn is_disturbed(&self) -> bool {
        let before = self.load_before.is_some_and(|cores| cores > Self::BUSY_BEFORE);
        self.load_during.map_or(before, |cores| cores > Self::BUSY_DURING)
    }
}

/// An execution as a row of `tests.parquet`.
#[derive(Debug, Clone, PartialEq)]
pub struct ExecutionRow {
    pub stage: u32,
    pub machine: u32,
    pub execution: Execution,
}

/// What is known of a subject once it is prepared: Table I's facts, and what parade had to change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SubjectRecord {
    pub subject: String,
    /// As the experiment file has it: url, path or model file.
    pub origin: String,
    pub revision: Option<String>,
    /// What the experiment file asked for, such as a branch; `revision` is what it meant when the run began.
    #[serde(default)]
    pub requested: Option<String>,
    pub jdk: Option<String>,
    /// Where that JDK was; older records have none.
    #[serde(default)]
    pub java_home: Option<String>,
    /// Why it is this JDK, and which newer ones did not build the subject.
    #[serde(default)]
    pub jdk_choice: Option<String>,
    /// The user that its processes ran as, where that was not parade's own.
    #[serde(default)]
    pub user: Option<String>,
    pub maven: Option<String>,
    /// Other tools, by name, that have no field of their own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, String>,
    /// E.g. `JUnit 4.13.2`, `JUnit Jupiter 5.10.1`, `TestNG 7.12.0`.
    pub frameworks: Vec<String>,
    pub modules: Vec<String>,
    pub classes: usize,
    pub tests: usize,
    pub deviations: Vec<Finding>,
    /// Tests that did not pass in every screening run, with the reason.
    pub set_aside: Vec<SetAsideTest>,
    pub screening_runs: u32,
    /// Set when the subject could not be prepared: then no trial of it runs.
    pub failure: Option<SubjectFailure>,
    /// Where the experiment names several versions, which one this is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<VersionRecord>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetAsideTest {
    pub test: TestId,
    /// E.g. `passed 7 of 10`.
    pub reason: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubjectFailure {
    /// `build_failed` or `harness_error`.
    pub verdict: Verdict,
    pub reason: String,
    pub log: Option<String>,
}

/// What a run set out to do; written once, when its folder is made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunManifest {
    pub experiment: String,
    pub study: Option<String>,
    pub baseline: String,
    pub repetitions: u32,
    pub warmup: u32,
    pub screening: u32,
    pub seed: u64,
    /// One repetition only: not to be published.
    pub quick: bool,
    pub cores: Vec<usize>,
    /// In the order of the file, as are the configurations.
    pub subjects: Vec<String>,
    pub configurations: Vec<ConfigurationSummary>,
    /// The trials that were planned.
    pub trials: Vec<Trial>,
    pub started_at: jiff::Timestamp,
    pub host: String,
    pub parade: String,
    /// Hashes of what the experiment names by path, by subject: folders, model suites, dependency files.
    #[serde(default)]
    pub contents: BTreeMap<String, String>,
    /// Where the experiment file lay: relative paths in it start there. Older and merged runs do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub experiment_folder: Option<String>,
    /// The runs that this one was merged from; it was measured as it is if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged: Vec<MergedRun>,
    /// When the run was resumed although something had changed, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accepted_changes: Vec<AcceptedChange>,
    /// The command on a project whose steps these are; nothing for an experiment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<CommandKind>,
}

/// A command on a project that keeps its steps in a run folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandKind {
    Assess,
    Detect,
}

/// Something that had changed when a run was resumed with `--accept-changes`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AcceptedChange {
    pub at: jiff::Timestamp,
    /// One sentence each.
    pub changes: Vec<String>,
    /// Subjects whose content is another one since then. Their earlier trials say nothing about it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_content: Vec<String>,
}

impl RunManifest {
    /// Was a trial run on content that its subject no longer has?
    pub fn is_superseded(&self, trial: &TrialRecord) -> bool {
        self.accepted_changes
            .iter()
            .any(|change| trial.started_at < change.at && change.other_content.contains(&trial.subject))
    }

    /// Are its trials of more than one machine?
    pub fn is_of_several_machines(&self) -> bool {
        self.merged.iter().any(|run| run.host != self.merged[0].host)
    }

    /// `5 repetitions`, or `3 to 6 repetitions` where not all cells have as many.
    pub fn told_repetitions(&self) -> String {
        let mut cells: HashMap<(&str, &str, usize), usize> = HashMap::new();
        for trial in &self.trials {
            *cells.entry((&trial.subject, &trial.configuration, trial.cores)).or_default() += 1;
        }
        let fewest = cells.values().copied().min().unwrap_or(self.repetitions as usize);
        let most = cells.values().copied().max().unwrap_or(self.repetitions as usize);
        ranged(fewest, most, "repetition")
    }
}

/// A run that became a part of another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MergedRun {
    /// The name of its folder.
    pub run: String,
    pub host: String,
    pub started_at: jiff::Timestamp,
    pub parade: String,
    pub environment: Environment,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConfigurationSummary {
    pub name: String,
    pub technique: TechniqueKind,
    pub parallelism: Parallelism,
    #[serde(default)]
    pub harness: Harness,
    /// Where the technique is an algorithm that orders tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ordering: Option<Ordering>,
}

/// Everything that a report is made from, as read back from a run folder.
#[derive(Debug, Clone, PartialEq)]
pub struct RunData {
    pub manifest: RunManifest,
    pub environment: Environment,
    pub subjects: Vec<SubjectRecord>,
    /// Measured, warm-up and screening trials, in the order in which they ended.
    pub trials: Vec<TrialRecord>,
    /// Of subjects whose orders come from algorithms.
    pub knowledge: Vec<KnowledgeRecord>,
    /// Other steps, without the orders that were run on the way.
    pub steps: Vec<StepRecord>,
    /// What the experiment has, and no planned trial is of.
    pub left_out: LeftOut,
}

/// Names of what `--only` left out of a run, in the order of the experiment file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeftOut {
    pub subjects: Vec<String>,
    pub configurations: Vec<String>,
}

impl RunData {
    /// The answer that a command on a project gave, if the run is of one and came to its end.
    pub fn answer<T: serde::de::DeserializeOwned>(&self, command: CommandKind) -> Option<T> {
        let answers = self.steps.iter().rev().filter(|step| step.step_kind == StepKind::Answer);
        answers.filter(|_| self.manifest.command == Some(command)).find_map(StepRecord::outcome)
    }
}

/// The machine and its software, captured when a run begins.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Environment {
    pub hostname: String,
    pub os: String,
    pub kernel: String,
    pub architecture: String,
    pub cpu_model: String,
    pub logical_cores: usize,
    pub physical_cores: Option<usize>,
    pub memory_bytes: u64,
    pub swap_bytes: u64,
    pub governor: Option<String>,
    pub turbo: Option<bool>,
    /// `vm`, `container`, or nothing where neither is seen.
    pub virtualization: Option<String>,
    /// Those that subjects were built and run with.
    #[serde(default)]
    pub jdks: Vec<UsedJdk>,
    pub maven: Option<String>,
    pub parade: String,
    pub user: String,
    /// How processes are limited and counted here, in a sentence each.
    pub limits: Vec<String>,
}

/// A JDK of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsedJdk {
    pub version: String,
    pub home: String,
}

#[cfg(any(test, feature = "testing"))]
#[cfg_attr(not(test), allow(unused_imports, dead_code, reason = "other crates use the examples only"))]
pub mod tests {
    use super::*;

    /// A clean trial without anything special.
    pub fn trial(id: &str) -> TrialRecord {
        TrialRecord {
            trial: id.to_owned(),
            phase: Phase::Measured,
            subject: "subject".to_owned(),
            configuration: "configuration".to_owned(),
            technique: "parallel".to_owned(),
            mode: Mode::Classes,
            engine: None,
            cores: 2,
            repetition: 1,
            verdict: Verdict::Clean,
            reason: None,
            started_at: jiff::Timestamp::UNIX_EPOCH,
            cost: Cost::default(),
            test_seconds: 0.0,
            makespan_seconds: 0.0,
            concurrency: Concurrency::default(),
            stages: vec![],
            tally: Tally::default(),
            outcomes_hash: None,
            residual: vec![],
            findings: vec![],
            load_before: None,
            load_after: None,
            load_during: None,
            swapped_pages: None,
            throttle_events: None,
            revision: None,
            jdk: None,
            java_home: None,
            maven: None,
            tools: BTreeMap::new(),
            parade: "0".to_owned(),
            provenance: None,
            arrangement: None,
        }
    }

    /// A subject without anything special.
    pub fn subject(name: &str) -> SubjectRecord {
        SubjectRecord {
            subject: name.to_owned(),
            origin: "subjects/x".to_owned(),
            revision: None,
            requested: None,
            jdk: None,
            java_home: None,
            jdk_choice: None,
            user: None,
            maven: None,
            tools: BTreeMap::new(),
            frameworks: vec![],
            modules: vec![],
            classes: 1,
            tests: 2,
            deviations: vec![],
            set_aside: vec![],
            screening_runs: 0,
            failure: None,
            version: None,
        }
    }
}
