//! How tests run. An engine does what it is asked and reports what happened; it decides nothing.
//!
//! A technique sees only [`Session`]: it asks for runs and reads [`SuiteRun`]s. What an engine cannot do it refuses by
//! its [`Capabilities`]; nothing falls back silently to something else.

mod explained;
pub mod logs;
pub mod model;

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::suite::{ClassId, Granularity, SuiteRun, TestId};

/// A subject's suite, opened: built, discovered, ready to run again and again.
pub trait Session {
    /// Which engine this is, for the records.
    fn engine(&self) -> EngineKind;

    /// The expected tests in their original order.
    fn tests(&self) -> &[TestId];

    fn capabilities(&self) -> &Capabilities;

    /// `Err` means that parade itself broke; everything that a subject can do wrong is data in the run.
    fn run(&mut self, request: &RunRequest) -> miette::Result<SuiteRun>;

    /// How many runs it can carry out side by side, each in a process of its own. They share folders and ports all the same:
    /// whether a suite bears that is for the caller to find out.
    fn side_by_side(&self) -> usize {
        1
    }

    /// Several runs, side by side where the engine can; the answers are in the order of the requests.
    fn run_all(&mut self, requests: &[RunRequest]) -> miette::Result<Vec<SuiteRun>> {
        requests.iter().map(|request| self.run(request)).collect()
    }

    /// Nobody will ask for a run soon: processes that it keeps for the next one end. That one starts its own.
    fn let_go(&mut self) {}
}

/// The engines by name, as experiment files and records have them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EngineKind {
    /// The subject's own Maven build.
    #[default]
    Surefire,
    /// parade's own JVM runner, on what the build revealed.
    Direct,
    /// A scripted suite in virtual time; never chosen, as a model subject has no other.
    Model,
    /// The subject's own pytest; never chosen, as a pytest project has no other.
    Pytest,
}

impl EngineKind {
    /// Those that an experiment can ask for.
    pub const CHOICES: [EngineKind; 2] = [EngineKind::Surefire, EngineKind::Direct];

    pub fn name(self) -> &'static str {
        match self {
            EngineKind::Surefire => "surefire",
            EngineKind::Direct => "direct",
            EngineKind::Model => "model",
            EngineKind::Pytest => "pytest",
        }
    }

    /// Who runs the tests, for people.
    pub fn in_words(self) -> &'static str {
        match self {
            EngineKind::Surefire => "by Maven",
            EngineKind::Direct => "in JVMs of parade's own",
            EngineKind::Model => "in the model",
            EngineKind::Pytest => "by pytest",
        }
    }
}

impl fmt::Display for EngineKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a session really offers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Capabilities {
    /// The finest selection that the engine can make.
    pub selection: Granularity,
    pub modes: Vec<ModeSupport>,
    /// Does it run selected tests in the order they are given in, also across classes?
    pub imposes_order: bool,
    /// What tests can be kept apart by, from run to run.
    pub isolations: Vec<Isolation>,
    /// Can it end a single test that takes too long, and go on with the others?
    pub limits_tests: bool,
    /// Can it grant tests more time than the limits that they declare? See [`ProcessPolicy::larger_limits`].
    #[serde(default)]
    pub enlarges_limits: bool,
    /// Can it run the tests of several modules at the same time?
    pub modules_at_once: bool,
    /// Does it know processes only? Then threads of a parallelism are processes, too, and ways that differ in threads do not differ.
    #[serde(default)]
    pub processes_only: bool,
    /// What it can watch.
    #[serde(default)]
    pub watches: Instrumentation,
}

/// Whether a mode exists for the frameworks of this suite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModeSupport {
    pub mode: Mode,
    pub support: Support,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "why", rename_all = "snake_case")]
pub enum Support {
    Full,
    /// It reaches a part of the suite; the text says which not.
    Partial(String),
    None(String),
}

impl Capabilities {
    pub fn support(&self, mode: Mode) -> Support {
        self.modes
            .iter()
            .find(|entry| entry.mode == mode)
            .map_or_else(|| Support::None(format!("the engine has no mode `{mode}`")), |entry| entry.support.clone())
    }

    /// An error where the mode reaches nothing of the subject.
    pub fn check_mode(&self, mode: Mode, subject: &str) -> miette::Result<()> {
        match self.support(mode) {
            Support::Full | Support::Partial(_) => Ok(()),
            Support::None(why) => Err(miette::miette!("{subject} cannot run in mode `{mode}`: {why}")),
        }
    }

    /// An error where something is to be watched that the engine cannot watch, or not in a run like this.
    pub fn check_instrumentation(&self, request: &RunRequest) -> miette::Result<()> {
        let watch = request.watch;
        let why = if (watch.coverage && !self.watches.coverage) || (watch.accesses && !self.watches.accesses) {
            "the engine does not support it"
        } else if watch.coverage && watch.accesses {
            "coverage and accesses are recorded in separate runs"
        } else if watch != Instrumentation::default() && request.policy.isolation == Isolation::Warm {
            "a warm JVM loads classes anew for every run; use fresh JVMs"
        } else if watch != Instrumentation::default() && request.parallelism.mode != Mode::Sequential {
            "this needs a sequential run, because only then it is clear which test did what"
        } else {
            return Ok(());
        };
        let what = if watch.coverage { "coverage" } else { "accesses" };
        Err(miette::miette!("the {what} of tests cannot be recorded in the run `{}`: {why}", request.label))
    }

    /// What of this policy the engine does not have, in a sentence.
    pub fn refuses(&self, policy: &ProcessPolicy) -> Option<String> {
        if !self.isolations.contains(&policy.isolation) {
            return Some(format!("the engine has no isolation `{}`", policy.isolation.name()));
        }
        (policy.test_limit.is_some() && !self.limits_tests)
            .then(|| "the engine cannot limit the time of a single test".to_owned())
    }
}

/// What a run shares with the runs before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Isolation {
    /// Nothing: every run has processes of its own.
    #[default]
    Fresh,
    /// A process that stays; the subject's own classes are loaded anew for every run. Quick, and blind to what
    /// the JDK itself remembers: nothing may be concluded from it that a fresh process has not confirmed.
    Warm,
}

impl Isolation {
    pub const ALL: [Isolation; 2] = [Isolation::Fresh, Isolation::Warm];

    pub fn name(self) -> &'static str {
        match self {
            Isolation::Fresh => "fresh",
            Isolation::Warm => "warm",
        }
    }
}

/// How the processes of a run are treated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessPolicy {
    pub isolation: Isolation,
    /// A test that takes longer is ended; `None` for as long as the run may take.
    pub test_limit: Option<Duration>,
    /// Start processes as fast as possible, at the price of slower code later: for reruns of a few tests, not for timing.
    pub quick_start: bool,
    /// Frameworks grant tests many times the time limits that these ask for: shows whether a limit is only too tight.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub larger_limits: bool,
}

/// What may run at the same time as what, inside one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Mode {
    /// One test after the other, in one process, whatever the project's own settings say.
    Sequential,
    /// As the project's own settings have it.
    Project,
    Methods,
    Classes,
    ClassesAndMethods,
}

impl Mode {
    pub const ALL: [Mode; 5] = [Mode::Sequential, Mode::Project, Mode::Methods, Mode::Classes, Mode::ClassesAndMethods];

    pub fn name(self) -> &'static str {
        match self {
            Mode::Sequential => "sequential",
            Mode::Project => "project",
            Mode::Methods => "methods",
            Mode::Classes => "classes",
            Mode::ClassesAndMethods => "classesAndMethods",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How many worker processes: a number, or a multiple of the cores (`1C`, `0.5C`).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Forks {
    Count(u32),
    PerCore(f64),
}

impl Forks {
    /// The number on so many cores; at least one, rounded down as Surefire does.
    pub fn on(self, cores: usize) -> u32 {
        match self {
            Forks::Count(count) => count.max(1),
            Forks::PerCore(factor) => ((factor * cores as f64) as u32).max(1),
        }
    }
}

impl fmt::Display for Forks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Forks::Count(count) => write!(f, "{count}"),
            Forks::PerCore(factor) => write!(f, "{factor}C"),
        }
    }
}

impl FromStr for Forks {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || {
            format!(
                "`{text}` is not a number of forks: write a whole number of at least 1, or a multiple of the cores \
                 such as `1C` or `0.5C`"
            )
        };
        match text.strip_suffix('C') {
            Some(factor) => match factor.parse::<f64>() {
                Ok(factor) if factor.is_finite() && factor > 0.0 => Ok(Forks::PerCore(factor)),
                _ => Err(wrong()),
            },
            None => match text.parse::<u32>() {
                Ok(count) if count > 0 => Ok(Forks::Count(count)),
                _ => Err(wrong()),
            },
        }
    }
}

impl From<Forks> for String {
    fn from(forks: Forks) -> String {
        forks.to_string()
    }
}

impl TryFrom<String> for Forks {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

/// The parallelism that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Parallelism {
    pub mode: Mode,
    /// Threads in each worker process.
    pub threads: u32,
    /// Are `threads` meant per core, as Surefire's `perCoreThreadCount` has it?
    pub threads_per_core: bool,
    pub forks: Forks,
    pub reuse_forks: bool,
    /// Modules that run their tests at the same time; `None` for one after the other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modules: Option<Forks>,
}

impl Parallelism {
    /// One process, one thread: the baseline of every comparison.
    pub const SEQUENTIAL: Parallelism = Parallelism {
        mode: Mode::Sequential,
        threads: 1,
        threads_per_core: false,
        forks: Forks::Count(1),
        reuse_forks: true,
        modules: None,
    };

    /// Threads in each process on so many cores.
    pub fn threads_on(&self, cores: usize) -> u32 {
        let per = if self.threads_per_core { u32::try_from(cores).unwrap_or(u32::MAX) } else { 1 };
        self.threads.saturating_mul(per)
    }

    /// Threads that run tests in one process: one where the mode has no threads, or leaves them to the pom.
    pub fn threads_at_once(&self, cores: usize) -> u32 {
        match self.mode {
            Mode::Sequential | Mode::Project => 1,
            Mode::Methods | Mode::Classes | Mode::ClassesAndMethods => self.threads_on(cores),
        }
    }

    /// Modules that run at the same time on so many cores.
    pub fn modules_on(&self, cores: usize) -> u32 {
        self.modules.map_or(1, |modules| modules.on(cores))
    }

    /// The same with the other's choice of fresh or reused worker processes.
    pub fn reusing(self, other: Parallelism) -> Self {
        Parallelism { reuse_forks: other.reuse_forks, ..self }
    }
}

/// Which tests of the suite.
#[derive(Debug, Clone, PartialEq)]
pub enum Selection {
    All,
    /// These tests, in the given order as far as the engine controls it.
    Tests(Vec<TestId>),
    /// All tests of these classes, each class in its original order.
    Classes(Vec<ClassId>),
}

/// What a trial may use of the machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Resources {
    pub cores: usize,
    pub memory_bytes: Option<u64>,
    /// Where the run's output goes; created by the engine.
    pub logs: PathBuf,
}

#[derive(Debug, Clone, PartialEq)]
pub struct RunRequest {
    /// Names the run inside its trial, e.g. `stage-1`; a folder name.
    pub label: String,
    pub selection: Selection,
    pub parallelism: Parallelism,
    pub resources: Resources,
    /// The run is ended after this long.
    pub time_limit: Duration,
    pub policy: ProcessPolicy,
    pub watch: Instrumentation,
}

impl RunRequest {
    /// All tests, one after the other, in the usual processes, with nothing watched. The only place that builds a request:
    /// callers change what they need.
    pub fn sequential(label: &str, resources: Resources, time_limit: Duration) -> Self {
        RunRequest {
            label: label.to_owned(),
            selection: Selection::All,
            parallelism: Parallelism::SEQUENTIAL,
            resources,
            time_limit,
            policy: ProcessPolicy::default(),
            watch: Instrumentation::default(),
        }
    }
}

/// What is watched while tests run. Watching costs time: runs that are timed watch nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instrumentation {
    /// Which lines of the program each test covers.
    pub coverage: bool,
    /// Which static fields and files each test reads and writes.
    pub accesses: bool,
}
