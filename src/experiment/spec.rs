//! A validated experiment: every name is unique and safe as a folder name, every reference resolves, every number is in
//! range for this machine. Nothing but `load` builds one from a file.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::engine::{EngineKind, Forks, Parallelism};
use crate::subject::JdkWish;
use crate::subject::generated::GeneratedTests;
use crate::technique::{Harness, Ordering, TechniqueKind};

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
    pub regression: Regression,
    pub subjects: Vec<Subject>,
    pub configurations: Vec<Configuration>,
    /// Name of the configuration that speedups are measured against; empty where there are only orders of algorithms.
    pub baseline: String,
}

/// How what algorithms have to know is found out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Regression {
    pub dependencies: DependencySource,
    /// Random orders on every version, to count the tests that depend on the order.
    pub rounds: u32,
}

/// Where dependencies between tests come from, unless a subject has a file of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DependencySource {
    /// From tests that fail in the algorithms' own orders on the first version.
    #[default]
    Orders,
}

impl DependencySource {
    pub fn name(self) -> &'static str {
        match self {
            DependencySource::Orders => "orders",
        }
    }
}

impl Experiment {
    pub fn subject(&self, name: &str) -> Option<&Subject> {
        self.subjects.iter().find(|subject| subject.name == name)
    }

    pub fn configuration(&self, name: &str) -> Option<&Configuration> {
        self.configurations.iter().find(|configuration| configuration.name == name)
    }

    /// The configurations that run on a subject, in the order of the file.
    pub fn configurations_of<'a>(&'a self, subject: &'a Subject) -> impl Iterator<Item = &'a Configuration> {
        self.configurations.iter().filter(|configuration| self.runs_on(subject, configuration))
    }

    /// Does a configuration run on a subject? Of several versions, what is evaluated there; the baseline is where anything is.
    fn runs_on(&self, subject: &Subject, configuration: &Configuration) -> bool {
        let wanted = |each: &Configuration| {
            subject.runs(&each.name) && subject.version.as_ref().is_none_or(|version| version.evaluates(each.technique))
        };
        wanted(configuration)
            || (configuration.name == self.baseline
                && subject.runs(&self.baseline)
                && self.configurations.iter().any(wanted))
    }

    /// The versions of a subject that the file names, oldest first: itself, where it has only one.
    pub fn versions_of<'a>(&'a self, family: &'a str) -> impl Iterator<Item = &'a Subject> {
        self.subjects.iter().filter(move |subject| subject.family() == family)
    }

    /// The configuration's parallelism with what the subject changes in it.
    pub fn parallelism(&self, subject: &Subject, configuration: &Configuration) -> Parallelism {
        let asked = configuration.parallelism;
        let Some(change) = subject.overrides.get(&configuration.name) else { return asked };
        Parallelism {
            mode: asked.mode,
            threads: change.threads.unwrap_or(asked.threads),
            threads_per_core: change.threads_per_core.unwrap_or(asked.threads_per_core),
            forks: change.forks.unwrap_or(asked.forks),
            reuse_forks: change.reuse_forks.unwrap_or(asked.reuse_forks),
            modules: change.modules.or(asked.modules),
        }
    }

    /// The configuration's harness with what the subject changes in it.
    pub fn harness(&self, subject: &Subject, configuration: &Configuration) -> Harness {
        let change = subject.overrides.get(&configuration.name);
        let own_limit = change.and_then(|change| change.test_timeout);
        Harness { test_limit: own_limit.or(configuration.harness.test_limit), ..configuration.harness }
    }

    /// Does some configuration of a subject run on this engine, or rerun on it?
    pub fn needs_engine(&self, subject: &Subject, engine: EngineKind) -> bool {
        self.configurations_of(subject).any(|each| each.harness.needs(each.technique, engine))
    }

    /// How long one trial may take, all its stages together.
    pub fn time_limit(&self, subject: &Subject, configuration: &Configuration) -> Duration {
        let change = subject.overrides.get(&configuration.name);
        change.and_then(|change| change.timeout).unwrap_or(subject.timeout)
    }

    /// Has every subject that is built run on this JDK, whatever the file says.
    pub fn use_jdk(&mut self, jdk: &JdkWish) {
        let built = |subject: &&mut Subject| !matches!(subject.origin, Origin::Model { .. });
        self.subjects.iter_mut().filter(built).for_each(|subject| subject.jdk = Some(jdk.clone()));
    }

    /// A taste of the experiment: every cell once, on the largest core count, without warm-up and screening. Its trials
    /// have the ids that they have in the whole experiment.
    pub fn quick(&self) -> Experiment {
        let mut quick = self.clone();
        quick.repetitions = 1;
        quick.warmup = 0;
        quick.screening = 0;
        quick.regression.rounds = 0;
        quick.machine.cores = self.machine.cores.iter().copied().max().into_iter().collect();
        quick.subjects.iter_mut().for_each(|subject| subject.repetitions = 1);
        quick
    }
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

/// A file that the experiment file names.
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

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Configuration {
    pub name: String,
    pub technique: TechniqueKind,
    pub parallelism: Parallelism,
    pub harness: Harness,
    /// Where the technique is an algorithm that orders tests.
    pub ordering: Option<Ordering>,
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
