//! A validated experiment: every name is unique and safe as a folder name, every reference resolves, every number is in
//! range for this machine. Nothing but `load` builds one from a file.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::engine::Parallelism;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Experiment {
    pub name: String,
    pub study: Option<String>,
    pub repetitions: u32,
    pub warmup: u32,
    /// Sequential runs that a test must pass every time, or it is set aside.
    pub screening: u32,
    pub seed: u64,
    pub machine: Machine,
    pub subjects: Vec<Subject>,
    pub configurations: Vec<Configuration>,
    /// Name of the configuration that speedups are measured against.
    pub baseline: String,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Machine {
    /// Core counts, each run; ascending, without repetition.
    pub cores: Vec<usize>,
    pub memory_bytes: Option<u64>,
    /// For one trial, all its stages together.
    pub timeout: Duration,
    /// For building a subject.
    pub build_timeout: Duration,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Subject {
    pub name: String,
    pub origin: Origin,
    /// Modules below the root to run, as Maven's `-pl` takes them; empty for all.
    pub modules: Vec<String>,
    pub maven_args: Vec<String>,
    pub environment: BTreeMap<String, String>,
    /// The lifecycle phase that runs the tests.
    pub phase: String,
    /// Commands run in the fresh worktree before the build, each a program with its arguments.
    pub setup: Vec<Vec<String>>,
    pub surefire: SurefireVersion,
    /// `group:artifact` of plugins that are taken out of the build.
    pub disable_plugins: Vec<String>,
    pub timeout: Duration,
    pub repetitions: u32,
    /// Names of the configurations that run on this subject; empty for all.
    pub configurations: Vec<String>,
    /// Dependencies between tests, for techniques that want them.
    pub dependencies: Option<PathBuf>,
}

/// Where a subject comes from.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Origin {
    /// A repository by url or path, at a commit, tag or branch.
    Git { url: String, revision: String },
    /// A folder as it stands, copied.
    Folder { path: PathBuf },
    /// A scripted suite for the model engine.
    Model { path: PathBuf },
}

/// Which Surefire runs the tests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SurefireVersion {
    /// parade's choice, the same for every subject.
    Pinned,
    /// What the project itself declares.
    Project,
    Exactly(String),
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Configuration {
    pub name: String,
    pub technique: TechniqueKind,
    pub parallelism: Parallelism,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TechniqueKind {
    Sequential,
    /// One parallel run, failures and all.
    Parallel,
    Paste,
    /// Failed tests rerun after everything they depend on.
    SoundRerun,
}

/// One cell of the matrix, once: what is run, journaled and resumed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Trial {
    /// `subject.configuration.c2.r1-` and eight hexadecimal digits over every setting: readable, and safe as a file name.
    pub id: String,
    pub subject: String,
    pub configuration: String,
    pub cores: usize,
    /// From 1 on; also the number of its block.
    pub repetition: u32,
}

/// The measured trials in the order in which they run: block by block, each block shuffled from the seed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Plan {
    pub trials: Vec<Trial>,
}
