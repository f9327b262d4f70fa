//! A validated experiment: every name is unique and safe as a folder name, every reference resolves, every number is in
//! range for this machine. Nothing but `load` builds one from a file.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::engine::{EngineKind, Parallelism};
use crate::spec::{JdkWish, Origin, Subject};
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
