//! The techniques by name, and what a configuration has to say about one: which engines run it, and how an algorithm orders
//! tests.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::algorithm::Algorithm;
use crate::engine::{EngineKind, Isolation, ProcessPolicy};

/// In files by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TechniqueKind {
    Sequential,
    /// One parallel run, failures and all.
    Parallel,
    Paste,
    /// Failed tests rerun after everything they depend on.
    SoundRerun,
    /// The order that an algorithm gives, on one machine or several.
    Ordered(Algorithm),
}

impl TechniqueKind {
    pub fn all() -> impl Iterator<Item = TechniqueKind> + Clone {
        let plain =
            [TechniqueKind::Sequential, TechniqueKind::Parallel, TechniqueKind::Paste, TechniqueKind::SoundRerun];
        plain.into_iter().chain(Algorithm::ALL.map(TechniqueKind::Ordered))
    }

    pub fn name(self) -> &'static str {
        match self {
            TechniqueKind::Sequential => "sequential",
            TechniqueKind::Parallel => "parallel",
            TechniqueKind::Paste => "paste",
            TechniqueKind::SoundRerun => "sound-rerun",
            TechniqueKind::Ordered(algorithm) => algorithm.name(),
        }
    }

    pub fn algorithm(self) -> Option<Algorithm> {
        match self {
            TechniqueKind::Ordered(algorithm) => Some(algorithm),
            TechniqueKind::Sequential | TechniqueKind::Parallel | TechniqueKind::Paste | TechniqueKind::SoundRerun => {
                None
            }
        }
    }

    /// Does it run again what failed?
    pub fn reruns(self) -> bool {
        matches!(self, TechniqueKind::Paste | TechniqueKind::SoundRerun)
    }
}

impl Serialize for TechniqueKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for TechniqueKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let known = TechniqueKind::all().find(|technique| technique.name() == name);
        known.ok_or_else(|| serde::de::Error::custom(format!("`{name}` is not a technique")))
    }
}

impl fmt::Display for TechniqueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How an algorithm is to order tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ordering {
    pub algorithm: Algorithm,
    /// Is the order made aware of dependencies?
    pub enhanced: bool,
    /// One, unless the algorithm spreads tests.
    pub machines: u32,
}

/// Which engines run a configuration's tests, and how they treat their processes. A model subject knows only its model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Harness {
    pub engine: EngineKind,
    /// For what is run again after it failed.
    pub rerun_engine: EngineKind,
    pub isolation: Isolation,
    /// For a single test.
    pub test_limit: Option<Duration>,
}

impl Harness {
    /// Does any part of a trial run on this engine?
    pub fn needs(&self, technique: TechniqueKind, engine: EngineKind) -> bool {
        self.engine == engine || (technique.reruns() && self.rerun_engine == engine)
    }

    /// Of the run of the whole suite: nothing may make it slower or faster than the baseline's.
    pub fn policy(&self) -> ProcessPolicy {
        self.policy_by(self.engine, false)
    }

    /// Of reruns, which are few tests in a process of their own: it had better start quickly.
    pub fn rerun_policy(&self) -> ProcessPolicy {
        self.policy_by(self.rerun_engine, true)
    }

    fn policy_by(&self, engine: EngineKind, quick_start: bool) -> ProcessPolicy {
        match engine {
            EngineKind::Direct => ProcessPolicy {
                isolation: self.isolation,
                test_limit: self.test_limit,
                quick_start,
                ..ProcessPolicy::default()
            },
            EngineKind::Surefire | EngineKind::Model => ProcessPolicy::default(),
        }
    }
}
