//! What to run: the experiment file's types, its validation with positions, and its expansion into a plan.
//!
//! A file goes through three layers, each a type of its own: the text becomes a tree with positions (`document`), the
//! tree becomes typed but unchecked values (`raw`), and those become an [`Experiment`] (`validate`). Every layer
//! collects all the mistakes it sees. Nothing here runs, clones or builds anything.

mod differences;
mod families;
mod filter;
mod identity;
mod outlook;
mod plan;
mod raw;
mod spec;
mod starter;
mod steps;
mod validate;
mod versions;
mod warnings;
mod wrong_file;

use std::path::{Path, PathBuf};

pub use crate::toml_file::{Mistake, Mistakes, did_you_mean, nearest, quoted, safe_name, suggestion};
pub use crate::toml_file::{format_duration, format_size, parse_duration, parse_size};
pub use differences::{Difference, differences};
pub use families::{ComparisonFamily, by_family};
pub use filter::{Filter, FilterError};
pub use outlook::{ConfigurationOutlook, KnowledgeOutlook, Outlook, SubjectOutlook, repetitions_needed, smallest_p};
pub use spec::{Configuration, DependencySource, Experiment, Machine, Plan, Regression, Trial};

pub use starter::{Starter, StarterOrigin};
pub use steps::{Step, StepPlan, Work};

use crate::process;
use crate::project;
use crate::redaction::redact;
use crate::spec::JdkWish;
use crate::toml_file::document;
use crate::toml_file::mistake::Log;
use validate::Context;

/// What this machine has; an experiment that asks for more is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MachineLimits {
    pub cores: usize,
    pub memory_bytes: u64,
}

impl MachineLimits {
    /// Of the machine that parade runs on: the cores that it may use, and the memory that is built in.
    pub fn here() -> Self {
        let info = rustix::system::sysinfo();
        MachineLimits {
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory_bytes: info.totalram.saturating_mul(u64::from(info.mem_unit)),
        }
    }
}

/// What else an experiment can ask of this machine. Looked up only when one does.
#[derive(Clone, Copy)]
struct Here {
    /// Is there a JDK as somebody asks for?
    check_jdk: fn(&JdkWish) -> miette::Result<()>,
    /// Can subjects be run as the user of this name?
    check_user: fn(&str) -> miette::Result<()>,
    /// Are folders and repositories of this machine looked into?
    looks_into_projects: bool,
}

impl Here {
    const REAL: Here = Here {
        check_jdk: project::check_jdk,
        check_user: |name| process::other_user(name).map(drop),
        looks_into_projects: true,
    };
    /// Some other machine, of which nothing is known.
    const ELSEWHERE: Here = Here { check_jdk: |_| Ok(()), check_user: |_| Ok(()), looks_into_projects: false };
}

/// An experiment file that has no mistake.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    pub experiment: Experiment,
    /// The file's text as it was read.
    pub text: String,
    pub path: PathBuf,
}

impl Loaded {
    /// The text for the run folder, which others may see: without passwords and tokens in urls.
    pub fn published_text(&self) -> String {
        redact(&self.text)
    }

    /// Where the file lies, and where relative paths in it start; nothing if that has no name in UTF-8.
    pub fn folder(&self) -> Option<String> {
        let folder = self.path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        folder.canonicalize().ok()?.to_str().map(str::to_owned)
    }

    /// The plan, or the part of it that `--quick` and the values of `--only` leave. Versions that are still to be sought are
    /// taken for found.
    pub fn planned<S: AsRef<str>>(mut self, quick: bool, only: &[S]) -> Result<(Loaded, Plan), FilterError> {
        if quick {
            self.experiment = self.experiment.quick();
        }
        self.experiment = self.experiment.with_assumed_versions();
        let plan = Filter::parse(only)?.apply(&Plan::of(&self.experiment))?;
        Ok((self, plan))
    }
}

/// Reads and validates an experiment file; all its mistakes come back at once.
pub fn load(path: &Path, limits: &MachineLimits) -> Result<Loaded, Mistakes> {
    understand(document::read(path)?, path, limits, Here::REAL)
}

/// Reads an experiment file for a machine of so many cores that has what it takes besides, whatever this one has.
pub fn load_for_elsewhere(path: &Path, cores: usize) -> Result<Loaded, Mistakes> {
    let limits = MachineLimits { cores, memory_bytes: 1 << 50 };
    understand(document::read(path)?, path, &limits, Here::ELSEWHERE)
}

/// What [`load`] does with a file's bytes. Relative paths in it start where `path` lies.
pub fn parse(bytes: Vec<u8>, path: &Path, limits: &MachineLimits) -> Result<Loaded, Mistakes> {
    understand(document::decode(bytes, &path.display().to_string())?, path, limits, Here::REAL)
}

fn understand(text: String, path: &Path, limits: &MachineLimits, here: Here) -> Result<Loaded, Mistakes> {
    if let Some(mistakes) = wrong_file::refusal(&text, &path.display().to_string()) {
        return Err(mistakes);
    }
    let log = Log::default();
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let experiment = interpret(&text, &Context { folder, limits, log: &log, here });
    match experiment {
        Some(experiment) if log.is_empty() => Ok(Loaded { experiment, text, path: path.to_owned() }),
        _ => Err(log.into_mistakes(&path.display().to_string(), &text)),
    }
}

/// The experiment that a text describes. Worth something only if the log stays empty.
fn interpret(text: &str, context: &Context<'_>) -> Option<Experiment> {
    let tree = document::parse(text, context.log)?;
    let raw = raw::read(&tree, context.log);
    Some(validate::experiment(&raw, context))
}

#[cfg(test)]
mod tests;
