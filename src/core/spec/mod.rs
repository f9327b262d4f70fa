//! What a subject is, as the experiment file or a command says it: where it comes from, how it is built, what runs its tests.
//! The plain values that everything below the experiment file shares, and [`fingerprint`], the only place that says what a
//! subject's outcome depends on. Nothing here looks at a machine or runs anything.

mod fingerprint;
mod generated;
mod jdk_wish;
mod versions;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::engine::Forks;
use crate::technique::TechniqueKind;

#[cfg(any(test, feature = "testing"))]
pub use fingerprint::tests as fingerprint_tests;
pub use fingerprint::{Fingerprint, SubjectFingerprint};
pub use generated::{GeneratedTests, ROOT_MODULE, encoded_module};
pub use jdk_wish::{JdkWish, JdkWishKind, version_numbers};

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Subject {
    pub name: String,
    /// Where it comes from, as the file has it: url, path or model file. Unlike `origin`, the same on every machine.
    pub source: String,
    pub origin: Origin,
    /// The build's root below the repository or folder; the repository itself where there is none.
    pub directory: Option<PathBuf>,
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
    pub dependencies: Option<Located>,
    /// The JDK that it is built and run with; without, the newest that builds it.
    pub jdk: Option<JdkWish>,
    /// The `mvn` that builds and runs it, where one is asked for; without, that of the project's wrapper, or the machine's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maven: Option<PathBuf>,
    /// Other tools that it is run with, by the keys that its platform declares.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, Located>,
    /// The user that its processes run as; without, parade's own.
    pub user: Option<String>,
    /// What differs for one configuration on this subject, by the configuration's name.
    pub overrides: BTreeMap<String, Override>,
    /// Its name in the tables of the study.
    pub label: Option<String>,
    /// Why it is taken for what the study had, which does not say it.
    pub inferred: Option<String>,
    /// What writes its tests, where the project's own are not to be run.
    pub generator: Option<Generator>,
    /// Up to so many earlier versions are sought when a run begins.
    pub earlier: Option<u32>,
    /// Which of several versions it is.
    pub version: Option<Version>,
}

/// One of several versions of a subject.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Version {
    /// The subject as the file names it.
    pub of: String,
    /// From 1 on, oldest first: what algorithms know is measured on the first.
    pub number: u32,
    pub count: u32,
    /// The first one's revision, or its model file as written: what all others are evaluated by.
    pub first: String,
}

impl Version {
    /// Is a technique evaluated on this version? Orders of all tests on the second, selections from there on, what is no order
    /// of an algorithm on the newest.
    pub fn evaluates(&self, technique: TechniqueKind) -> bool {
        match technique.algorithm() {
            Some(algorithm) if algorithm.needs_change() => self.number >= 2,
            Some(_) => self.number == self.count.min(2),
            None => self.number == self.count,
        }
    }
}

/// A program that writes tests: it gets the classes of the first version, and leaves Java sources.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Generator {
    /// A program with its arguments.
    pub command: Vec<String>,
    pub timeout: Duration,
    /// What it wrote, once it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sources: Option<GeneratedTests>,
}

/// Something on this machine that the experiment file names: a file, or a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Located {
    /// As it is written there; the same on every machine.
    pub written: String,
    pub path: PathBuf,
}

/// What one subject changes in one configuration.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Override {
    pub threads: Option<u32>,
    pub threads_per_core: Option<bool>,
    pub forks: Option<Forks>,
    pub reuse_forks: Option<bool>,
    pub modules: Option<Forks>,
    pub test_timeout: Option<Duration>,
    pub timeout: Option<Duration>,
}

impl Subject {
    /// Is it a scripted suite, which nobody builds?
    pub fn is_model(&self) -> bool {
        matches!(self.origin, Origin::Model { .. })
    }

    /// The subject as the file names it, whichever version of it this is.
    pub fn family(&self) -> &str {
        self.version.as_ref().map_or(&self.name, |version| &version.of)
    }

    /// What a generator wrote in place of the project's own tests.
    pub fn generated_tests(&self) -> Option<&GeneratedTests> {
        self.generator.as_ref().and_then(|generator| generator.sources.as_ref())
    }

    /// What is run of a repository, by folders from its top on; empty for all of it.
    pub fn folders(&self) -> Vec<PathBuf> {
        let root = self.directory.clone().unwrap_or_default();
        let whole = || self.directory.iter().cloned().collect();
        if self.modules.is_empty() { whole() } else { self.modules.iter().map(|module| root.join(module)).collect() }
    }

    /// Does the configuration of this name run here?
    pub fn runs(&self, configuration: &str) -> bool {
        self.configurations.is_empty() || self.configurations.iter().any(|name| name == configuration)
    }
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
    /// The same, unless that is too old to tell of every test: then parade's choice.
    ProjectIfRecent,
    Exactly(String),
}
