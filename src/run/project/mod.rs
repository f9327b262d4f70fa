//! One way from a subject to something that runs its tests: [`open`].
//!
//! A model suite opens by itself. Everything else belongs to a [`Platform`], which knows one build tool: it checks the subject
//! out, builds it, finds its tests, and hands out sessions of its engines. The program registers the platforms that it has.
//! Nobody else names a build tool: what a platform has to tell goes on as text, findings and named values.

mod identity;
mod kind;
mod locate;
mod model;
mod setup;
#[cfg(test)]
mod stand_in;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::engine::model::ModelSuite;
use crate::engine::{EngineKind, Parallelism, Session};
use crate::home::Home;
use crate::process::{Account, Interrupt};
use crate::spec::{JdkWish, Origin, Subject};
use crate::subject::{self, Checkout, Progress};
use crate::suite::{Change, ClassId, Coverage, Finding, TestId};

pub use identity::ProjectIdentity;
pub use kind::{Refusal, only_engine, other_tool, platform_in, refusal};
pub use locate::{Choice, earlier, locate, refuse_unknown};
pub use model::ModelProject;
pub use setup::{PreparationLimits, SetUp, SetUpStop, last_line};

/// A build tool with the frameworks that it runs.
pub trait Platform: Sync {
    /// As people write it: `Maven`.
    fn name(&self) -> &'static str;

    /// The files that mark the root of a build, each enough by itself.
    fn build_files(&self) -> &'static [&'static str];

    /// The project's own name for itself, where its build file has one.
    fn project_name(&self, root: &Path) -> Option<String>;

    /// The build that a folder belongs to, and what of it is meant by the folder and by the modules asked for.
    fn layout(&self, folder: &Path, modules: &[String]) -> Result<BuildLayout, Refusal>;

    /// The modules that can be chosen below the root of a build.
    fn listed_modules(&self, _root: &Path) -> Vec<String> {
        Vec::new()
    }

    /// Can this module be chosen? Perhaps also one that the build does not list.
    fn has_module(&self, root: &Path, module: &Path) -> bool {
        self.listed_modules(root).iter().any(|listed| Path::new(listed) == module)
    }

    /// Keys of a subject, and options of commands, that name tools of this platform: `python`.
    fn tool_keys(&self) -> &'static [&'static str] {
        &[]
    }

    /// Can this machine fulfil the wish? A platform without JDKs has nothing to say.
    fn check_jdk(&self, wish: &JdkWish) -> miette::Result<()>;

    /// The versions of all tools of this machine that a subject might get: what could be built depends on them.
    fn installed_tools(&self) -> Vec<String>;

    /// The versions of this machine's tools, by name, that subjects would get.
    fn machine_tools(&self, subjects: &[&Subject]) -> miette::Result<ToolFacts>;

    /// Which tool of those that a subject had is gone or was replaced, and how that is told.
    fn changed_tool(&self, tools: &ToolFacts) -> Option<(&'static str, String)>;

    /// Checks out, builds and discovers. A build that fails is data.
    fn open(&self, request: &OpenRequest<'_>) -> miette::Result<Opened>;

    /// What has changed from one revision to another in terms of what was covered at the first; without a second one, to the
    /// files as they stand.
    fn change(&self, change: &ChangeRequest<'_>) -> miette::Result<Change>;

    /// How a team makes its own build run the suite this way, by what an opened project told of itself.
    fn adoption(&self, how: &Parallelism, cores: usize, facts: &AdoptionFacts) -> Adoption;

    /// What people of this platform call things.
    fn words(&self) -> Words {
        Words::default()
    }
}

/// What people of a platform call things.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Words {
    /// What tests run in.
    pub process: &'static str,
    pub processes: &'static str,
    /// Where the project says how its tests run.
    pub settings: &'static str,
    /// Do tests run in threads of such a process, where that is asked for?
    pub has_threads: bool,
    /// What can be tried where its tests fail here and not elsewhere.
    pub other_tool: &'static str,
    /// How a test is kept apart from all others.
    pub alone: &'static str,
    /// What its developers run; empty where nobody runs it by another tool.
    pub own_command: &'static str,
    /// What runs its tests then.
    pub runner: &'static str,
    /// The only engine that its tests run on, where an experiment cannot choose one.
    pub only_engine: Option<EngineKind>,
}

impl Words {
    /// A model suite has no build tool, no JVM and no annotations.
    pub const MODEL: Words = Words {
        process: "process",
        processes: "processes",
        settings: "model suite",
        has_threads: true,
        other_tool: "",
        alone: "a process of its own",
        own_command: "",
        only_engine: Some(EngineKind::Model),
        runner: "the model",
    };
}

impl Default for Words {
    fn default() -> Self {
        Words {
            process: "JVM",
            processes: "JVMs",
            settings: "pom",
            has_threads: true,
            other_tool: "JDK with --jdk",
            alone: "`@Isolated` or `@ResourceLock` in Jupiter, `@NotThreadSafe` for Surefire's JUnit 4",
            own_command: "mvn test",
            runner: "Maven",
            only_engine: None,
        }
    }
}

/// How a parallel mode gets into a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Adoption {
    /// Nothing for what the project does already.
    pub snippets: Vec<Snippet>,
    /// What the CI runs once they are in place.
    pub command: String,
}

/// A text that goes into a file of the project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Snippet {
    /// Below the project's folder.
    pub file: String,
    /// Where in the file.
    pub place: String,
    pub text: String,
}

/// Named values about tools: versions, paths, why one was chosen. What the names mean is the platform's matter.
pub type ToolFacts = BTreeMap<String, String>;

/// Which build a folder is part of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildLayout {
    /// What has to be copied for a build.
    pub tree: PathBuf,
    /// Where the build starts, in the tree.
    pub root: PathBuf,
    /// What of it is meant, from the root on; all where there is none.
    pub modules: Vec<String>,
}

/// What is to be opened, and what that may use.
#[derive(Clone, Copy)]
pub struct OpenRequest<'a> {
    pub subject: &'a Subject,
    /// As [`subject::resolve`] gave it; without, the one that the origin has now.
    pub revision: Option<&'a str>,
    /// What earlier trials of the same run had.
    pub earlier_tools: Option<&'a ToolFacts>,
    pub home: &'a Home,
    pub build_timeout: Duration,
    /// For set-up commands, build and first run, as for every later run.
    pub memory_bytes: Option<u64>,
    pub first_run: FirstRun,
    /// Model suites draw from it.
    pub seed: u64,
    /// May tests of different classes meet in a process, though the build keeps them apart? A finding says so.
    pub shares_processes: bool,
    pub purpose: OpenPurpose,
    /// Are reports of the build tool kept, for whoever hands them on?
    pub keeps_reports: bool,
    pub progress: &'a dyn Progress,
    pub interrupt: &'a Interrupt,
    /// Begins the mark of all processes, so that a resumed run finds those of a killed one.
    pub tag: &'a str,
}

impl<'a> OpenRequest<'a> {
    /// As a command on a project opens it: its suite runs once, as long as that takes.
    pub fn of_command(
        subject: &'a Subject,
        home: &'a Home,
        progress: &'a dyn Progress,
        interrupt: &'a Interrupt,
        tag: &'a str,
    ) -> Self {
        OpenRequest {
            subject,
            revision: None,
            earlier_tools: None,
            home,
            build_timeout: subject.timeout,
            memory_bytes: None,
            first_run: FirstRun::Now,
            seed: 0,
            shares_processes: false,
            purpose: OpenPurpose::Command,
            keeps_reports: false,
            progress,
            interrupt,
            tag,
        }
    }
}

/// What a project is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenPurpose {
    /// Trials: other revisions of the subject stay in the cache, as other trials may need them.
    Experiment,
    /// A command on a project: of its other revisions nothing stays, and failures name the user's own files.
    Command,
}

/// When the suite runs for the first time, which tells which tests there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FirstRun {
    /// While the project is opened, sequentially.
    Now,
    /// The same, but what it did not reach by then stays unknown, and another time it is run anew.
    Within(Duration),
    /// The first run of a session, whatever that is, unless an earlier one is on record.
    Later,
}

/// How the opening ended.
pub enum Opened {
    Ready(Box<dyn Project>),
    Failed(OpenFailure),
    Interrupted,
}

/// A subject that could not be brought so far that its tests can run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpenFailure {
    /// The decisive lines.
    pub reason: String,
    /// The whole log.
    pub log: PathBuf,
    /// Logs of attempts with other tools: a name for each, and the file.
    pub attempts: Vec<(String, PathBuf)>,
}

/// A project that is built, or a model suite.
pub trait Project {
    /// Of the tests as they stand: a full commit hash, or a hash of the content.
    fn revision(&self) -> &str;

    /// Its worktree; a model has none.
    fn checkout(&self) -> Option<&Checkout>;

    /// The tools that built it and run it, by name.
    fn tools(&self) -> ToolFacts;

    /// The tools in words, as `parade test` and `parade assess` tell them, by what they are: `JDK`, `Maven`.
    fn tools_in_words(&self) -> Vec<(&'static str, String)>;

    /// Logs of attempts with other tools: a name for each, and the file.
    fn attempts(&self) -> &[(String, PathBuf)] {
        &[]
    }

    /// As people write them: `JUnit 4.13.2`.
    fn frameworks(&self) -> Vec<String>;

    /// In their original order, as far as a run has shown them.
    fn tests(&self) -> Vec<TestId>;

    /// Has no run shown yet which tests there are?
    fn is_unexplored(&self) -> bool {
        false
    }

    /// Did a parallel run show the tests? Then their order is not the original one.
    fn is_order_unknown(&self) -> bool {
        false
    }

    /// Where it differs from what was published, or from what was asked for.
    fn deviations(&self) -> Vec<Finding> {
        Vec::new()
    }

    /// Deviations, gaps in what the first run saw, and anything else that a person should hear once.
    fn notes(&self) -> Vec<Finding> {
        Vec::new()
    }

    /// For each test, the number of the group of tests that it can meet in a process; empty where modules tell it.
    fn process_groups(&self) -> Vec<usize> {
        Vec::new()
    }

    /// Classes that declare the order of their tests: no build runs them in another one.
    fn declared_orders(&self) -> HashSet<ClassId> {
        HashSet::new()
    }

    /// What the project's own settings say about running in parallel.
    fn parallel_settings(&self) -> Vec<String> {
        Vec::new()
    }

    /// What decides how a parallel mode is written down in this project.
    fn adoption(&self) -> AdoptionFacts {
        AdoptionFacts::default()
    }

    /// The folders with the sources of what is run.
    fn source_folders(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Where the coverage of these tests is kept, by everything that it depends on; a model has none.
    fn coverage_file(&self) -> miette::Result<Option<PathBuf>> {
        Ok(None)
    }

    /// For what a generator of tests is started, and with which variables.
    fn generator_targets(&self) -> Vec<GeneratorTarget> {
        Vec::new()
    }

    /// Who its processes run as, where that is not parade's own user.
    fn user(&self) -> Option<&Account> {
        None
    }

    /// Copies of the build tool's own reports of the last run of everything, by module.
    fn kept_reports(&self) -> KeptReports {
        KeptReports::default()
    }

    /// The scripted suite, where it is one: its runs take no real time.
    fn model(&self) -> Option<&ModelSuite> {
        None
    }

    /// A command by which developers run this test again, where the platform has one that is not told from the id.
    fn again(&self, _test: &TestId) -> Option<String> {
        None
    }

    /// The engine of this kind on this suite. An error says why it cannot run it.
    fn session(&self, engine: EngineKind) -> miette::Result<Box<dyn Session>>;
}

impl dyn Project + '_ {
    /// The modules that have tests.
    pub fn modules(&self) -> Vec<String> {
        self.tests().into_iter().map(|test| test.module).collect::<BTreeSet<String>>().into_iter().collect()
    }

    pub fn class_count(&self) -> usize {
        self.tests().iter().map(TestId::class_id).collect::<HashSet<ClassId>>().len()
    }

    /// What people of its platform call things.
    pub fn words(&self) -> Words {
        self.adoption().words()
    }

    /// One tool in words.
    pub fn tool_in_words(&self, name: &str) -> Option<String> {
        self.tools_in_words().into_iter().find(|(known, _)| *known == name).map(|(_, text)| text)
    }
}

/// Stands for a model suite, which has no platform.
const MODEL_PLATFORM: &str = "model";

/// What decides how a parallel mode is written down in a project.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AdoptionFacts {
    /// The name of the platform; the first one where there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub platform: String,
    /// Where the project's settings for its tests are, where that is not always the same file.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub settings_file: String,
    /// JUnit 4 or TestNG, which Surefire's own `parallel` reaches.
    pub surefire: bool,
    /// Surefire multiplies no number of threads by the cores for it.
    #[serde(default)]
    pub testng: bool,
    pub jupiter: bool,
    pub vintage: bool,
    /// The version of Surefire that was measured.
    pub surefire_version: String,
    /// Modules of the build that have tests.
    pub modules: usize,
}

impl AdoptionFacts {
    fn platform(&self) -> Option<&'static dyn Platform> {
        let named = platforms().iter().find(|platform| platform.name() == self.platform);
        named.or(platforms().first()).copied()
    }

    pub fn adoption(&self, how: &Parallelism, cores: usize) -> Adoption {
        self.platform().map(|platform| platform.adoption(how, cores, self)).unwrap_or_default()
    }

    pub fn words(&self) -> Words {
        if self.platform == MODEL_PLATFORM {
            return Words::MODEL;
        }
        self.platform().map(|platform| platform.words()).unwrap_or_default()
    }

    /// Of a model suite. A team reads how the first platform would be set, and nothing else about that platform.
    pub fn of_model() -> Self {
        AdoptionFacts { platform: MODEL_PLATFORM.to_owned(), ..AdoptionFacts::default() }
    }
}

/// Where a generator of tests is to work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneratorTarget {
    pub module: String,
    pub environment: BTreeMap<String, String>,
    /// Of the sources that it has to write.
    pub extension: &'static str,
}

/// The reports of one run, by module: where the copies are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeptReports {
    pub folders: BTreeMap<String, PathBuf>,
}

/// What has changed from one revision of a repository on.
#[derive(Debug, Clone, Copy)]
pub struct ChangeRequest<'a> {
    pub repository: &'a Path,
    pub old: &'a str,
    /// Without, the files as they stand.
    pub new: Option<&'a str>,
    pub coverage: &'a Coverage,
    /// Which part of the repository counts, from its top on; all of it where there is none.
    pub folders: &'a [PathBuf],
}

static PLATFORMS: OnceLock<&'static [&'static dyn Platform]> = OnceLock::new();

/// Tells once, at the start of the program, which platforms there are. The first one is asked where none is recognized.
pub fn register(platforms: &'static [&'static dyn Platform]) {
    let _ = PLATFORMS.set(platforms);
}

/// Those that the program registered.
pub fn platforms() -> &'static [&'static dyn Platform] {
    let registered = PLATFORMS.get().copied();
    #[cfg(test)]
    let registered = registered.or(Some(&[&stand_in::StandInPlatform]));
    registered.unwrap_or_default()
}

/// Can a subject be of the first platform? Its folder tells, or a tool that it asks for; a repository may be anything.
pub fn may_be_of_first(subject: &Subject) -> bool {
    let is_first = |platform: &dyn Platform| platforms().first().is_some_and(|first| first.name() == platform.name());
    let by_tools = platforms().iter().find(|platform| {
        let keys = platform.tool_keys();
        subject.tools.keys().any(|key| keys.contains(&key.as_str()))
    });
    let by_folder = match &subject.origin {
        Origin::Folder { path } => {
            platform_in(&subject.directory.as_ref().map_or(path.clone(), |below| path.join(below)))
        }
        Origin::Git { .. } | Origin::Model { .. } => None,
    };
    by_folder.or(by_tools.copied()).is_none_or(is_first)
}

/// Opens a subject, whatever it is: the only way to its tests.
pub fn open(request: &OpenRequest<'_>) -> miette::Result<Opened> {
    let opened = match &request.subject.origin {
        Origin::Model { path } => Opened::Ready(Box::new(ModelProject::open(request, path)?)),
        Origin::Git { .. } | Origin::Folder { .. } => open_built(request)?,
    };
    Ok(if request.interrupt.is_set() { Opened::Interrupted } else { opened })
}

/// A repository tells whose it is only when it is checked out.
fn open_built(request: &OpenRequest<'_>) -> miette::Result<Opened> {
    let subject = request.subject;
    let [only] = platforms() else {
        let stop = || request.interrupt.is_set();
        let revision = match request.revision {
            Some(revision) => revision.to_owned(),
            None => subject::resolve(&subject.origin, request.home, request.progress, &stop)?,
        };
        let tree = match &subject.origin {
            Origin::Folder { path } => path.clone(),
            _ => subject::checkout(subject, &revision, request.home, request.progress, &stop)?.root,
        };
        let root = subject.directory.as_ref().map_or_else(|| tree.clone(), |below| tree.join(below));
        let platform = platform_in(&root).or_else(|| platforms().first().copied());
        let platform =
            platform.ok_or_else(|| miette::miette!("nothing is registered that could build {}", subject.source))?;
        return platform.open(&OpenRequest { revision: Some(&revision), ..*request });
    };
    only.open(request)
}

/// What a change of a subject between two revisions is, by the platform that its sources belong to.
pub fn change(subject_root: Option<&Path>, request: &ChangeRequest<'_>) -> miette::Result<Change> {
    let platform = subject_root.and_then(platform_in).or_else(|| platforms().first().copied());
    let platform = platform.ok_or_else(|| miette::miette!("no platform can compare two versions of this subject"))?;
    platform.change(request)
}

/// The versions of all tools of this machine that a subject might get.
pub fn installed_tools() -> Vec<String> {
    platforms().iter().flat_map(|platform| platform.installed_tools()).collect()
}

/// Can this machine fulfil a wish for a JDK?
pub fn check_jdk(wish: &JdkWish) -> miette::Result<()> {
    platforms().iter().try_for_each(|platform| platform.check_jdk(wish))
}

/// What has changed from an earlier revision to what a project is now, in terms of what was covered then. `revision` is the
/// project's own.
pub fn change_since(
    subject: &Subject,
    revision: &str,
    earlier: &str,
    coverage: &Coverage,
    home: &Home,
) -> miette::Result<Change> {
    match &subject.origin {
        Origin::Git { url, .. } => {
            let (clone, _) = subject::kept(&subject.name, Some(url), revision, home);
            let clone = clone.ok_or_else(|| miette::miette!("the cache has no clone of {}", subject.source))?;
            let folders: Vec<PathBuf> = subject.directory.iter().cloned().collect();
            let new = Some(revision);
            change(None, &ChangeRequest { repository: &clone, old: earlier, new, coverage, folders: &folders })
        }
        Origin::Folder { path } => {
            let top = locate::top_of(path)?;
            let below = path.strip_prefix(&top).unwrap_or(Path::new(""));
            let below = subject.directory.as_ref().map_or_else(|| below.to_owned(), |further| below.join(further));
            let folders: Vec<PathBuf> = Some(below).into_iter().filter(|below| !below.as_os_str().is_empty()).collect();
            let request = ChangeRequest { repository: &top, old: earlier, new: None, coverage, folders: &folders };
            change(Some(path), &request)
        }
        Origin::Model { .. } => Err(miette::miette!("a model suite has no earlier versions")),
    }
}
