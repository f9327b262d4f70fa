//! From a clean worktree to a suite that can run offline again and again: set-up commands, one build online, one
//! sequential run of the whole suite that tells which tests there are, and the state after the build kept. Who only wants
//! the suite to be run once leaves out the sequential run: then the first run of a session tells.
//!
//! Done once per worktree and everything it depends on; the next time what was found is read back. A build that fails is
//! data. What the subject's settings mean for its tests is for the engine to say.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use miette::miette;
use sha2::{Digest, Sha256};

use super::generated::{drop_blamed, put_into};
use super::toolchain::BASE_VARIABLE;
use super::wrapper::{self, MavenWrapper};
use super::{MavenOrigin, SealedRepository, Toolchain};
use crate::engine::{Mode, Parallelism};
use crate::file_error::file_error;
use crate::home::Home;
use crate::maven::{self, Helper, Invocation, Invoked, Limits, Picked, SUREFIRE_VERSION, Settings, TestSettings};
use crate::process::{self, Account, Cause, Exit, Interrupt};
use crate::project::{self, FirstRun, PreparationLimits, SetUp, SetUpStop};
use crate::spec::{Subject, SurefireVersion};
use crate::subject::{Bounds, Checkout, Cleanliness, NotCopied, Progress, Snapshot, check_open, checkout, hand_over};
use crate::suite::{Execution, FindingKind, RunEnd};
use crate::wording::hex;

mod discovery;
mod prepared;
mod record;

pub use discovery::{Discovery, ModuleSuite};
pub use prepared::Prepared;
use record::BuildRecordPaths;
pub use record::Memory;

/// Compilers stop after a hundred complaints; so often is a build begun anew without what they name.
const MOST_TURNS: u32 = 40;
/// From then on, whole classes go.
const TURNS_BY_TEST: u32 = 25;

/// What it takes to prepare a subject.
#[derive(Clone, Copy)]
pub struct Preparation<'a> {
    pub subject: &'a Subject,
    /// As [`crate::subject::resolve`] gave it.
    pub revision: &'a str,
    pub toolchain: &'a Toolchain,
    pub home: &'a Home,
    pub build_timeout: Duration,
    /// For set-up commands, build and discovery, as for every trial.
    pub memory_bytes: Option<u64>,
    pub progress: &'a dyn Progress,
    pub interrupt: &'a Interrupt,
    /// Begins the mark of all processes, so that a resumed run finds those of a killed one.
    pub tag: &'a str,
    /// When the suite runs for the first time.
    pub discovery: FirstRun,
}

/// How a preparation ended.
#[derive(Debug)]
pub enum BuildOutcome {
    Ready(Box<Prepared>),
    Failed {
        /// The decisive lines.
        reason: String,
        /// The whole log.
        log: PathBuf,
        /// Would every other JDK meet the same?
        whatever_the_jdk: bool,
    },
    Interrupted,
}

/// Builds the subject, or finds that this was done.
pub fn prepare(preparation: &Preparation<'_>) -> miette::Result<BuildOutcome> {
    let user = preparation.subject.user.as_deref().map(process::other_user).transpose()?.flatten();
    check_reach(preparation.home, preparation.toolchain, user.as_ref())?;
    let helper = Helper::obtain(preparation.home, preparation.toolchain, preparation.tag, preparation.interrupt)?;
    let checkout = preparation.checkout()?;
    let repository = SealedRepository::of_subject(preparation.home, preparation.subject, user.as_ref());
    let was_there = repository.exists();
    repository.create_from(&SealedRepository::of_parade(preparation.home), user.as_ref())?;
    let (toolchain, maven_note) = preparation.with_project_maven(&checkout, user.as_ref())?;
    let preparation = &Preparation { toolchain: &toolchain, ..*preparation };
    let means = Means { helper, repository, user, maven_note };
    let key = build_key(preparation, &checkout, &means.helper.hash)?;
    let place = BuildRecordPaths::beside(&checkout);
    // What was built with another repository may lack artifacts in this one.
    let known = place.read(&key, preparation.discovery).filter(|_| was_there);
    if let (Some(discovery), Some(snapshot)) = (known, Snapshot::open(&checkout.snapshot_store())?) {
        snapshot.restore()?;
        return Ok(preparation.ready(checkout, means, snapshot, discovery, Memory { place, key }));
    }
    // Another JDK, other arguments: nothing of the old build may reach the new one.
    place.forget(&checkout)?;
    let checkout = preparation.checkout()?;
    hand_over(&checkout.root, means.user.as_ref())?;
    Building { preparation, checkout: &checkout, means: &means, place: &place }.run(&key)
}

/// Can the user get to the cache and to the tools?
fn check_reach(home: &Home, toolchain: &Toolchain, user: Option<&Account>) -> miette::Result<()> {
    let Some(user) = user else { return Ok(()) };
    check_open(user, home.root(), "set PARADE_HOME to a folder that everyone may enter")?;
    let install = "use one that is installed for everyone";
    check_open(user, &toolchain.java_home, install)?;
    check_open(user, &toolchain.mvn, install)
}

/// What a build uses besides the subject and its tools.
#[derive(Debug, Clone)]
struct Means {
    helper: Helper,
    repository: SealedRepository,
    user: Option<Account>,
    /// Why it is not the Maven that the project asks for.
    maven_note: Option<String>,
}

/// Where Maven is started: the worktree, or the folder below it that the experiment names. A link must not lead out.
pub fn build_root(subject: &Subject, checkout: &Checkout) -> miette::Result<PathBuf> {
    let root = subject.directory.as_ref().map_or_else(|| checkout.root.clone(), |below| checkout.root.join(below));
    let shown = subject.directory.as_ref().map_or_else(|| subject.source.clone(), |below| below.display().to_string());
    let inside = |path: &Path| {
        let (path, tree) = (path.canonicalize().ok()?, checkout.root.canonicalize().ok()?);
        path.starts_with(tree).then_some(())
    };
    match inside(&root) {
        Some(()) => match project::refusal(&root, &shown) {
            None => maven::base_folder(&root, &checkout.root).map(|_| root),
            Some(refusal) => Err(miette!(help = refusal.help, "{}", refusal.message)),
        },
        None => Err(miette!("`{shown}` is not a folder of the subject")),
    }
}

impl Preparation<'_> {
    fn checkout(&self) -> miette::Result<Checkout> {
        checkout(self.subject, self.revision, self.home, self.progress, &|| self.interrupt.is_set())
    }

    fn ready(
        &self,
        checkout: Checkout,
        means: Means,
        snapshot: Snapshot,
        discovery: Discovery,
        memory: Memory,
    ) -> BuildOutcome {
        BuildOutcome::Ready(Box::new(Prepared {
            subject: self.subject.clone(),
            checkout,
            toolchain: self.toolchain.clone(),
            helper: means.helper,
            home: self.home.clone(),
            repository: means.repository,
            user: means.user,
            snapshot,
            worktree: Cleanliness::default(),
            revealed: if discovery.is_pending() { OnceCell::new() } else { OnceCell::from(discovery) },
            kept_reports: RefCell::default(),
            memory,
            maven_note: means.maven_note,
        }))
    }

    /// The toolchain with the Maven of the project's wrapper, unless another one is chosen. Where that Maven cannot be had, the
    /// machine's has to do, and the note says why.
    fn with_project_maven(
        &self,
        checkout: &Checkout,
        user: Option<&Account>,
    ) -> miette::Result<(Toolchain, Option<String>)> {
        let own = self.toolchain.clone();
        let root =
            self.subject.directory.as_ref().map_or_else(|| checkout.root.clone(), |below| checkout.root.join(below));
        let wrapper = MavenWrapper::of_build(&root, &checkout.root).filter(|_| !own.maven_origin.is_chosen());
        let Some(wrapper) = wrapper else { return Ok((own, None)) };
        let store = SealedRepository::of_subject(self.home, self.subject, user).distributions(self.home);
        let installed = wrapper.installed(&wrapper::distribution_stores(&store));
        let found = match installed {
            Some(mvn) => Ok(mvn),
            None if user.is_some() => Err("parade downloads nothing for another user".to_owned()),
            None => {
                self.progress.stage(&format!("downloading {} for {}", wrapper.wanted(), self.subject.name));
                wrapper.download(&store, &own.java_home, self.interrupt)
            }
        };
        let reachable = found.and_then(|mvn| match user.and_then(|user| user.closed_to(&mvn)) {
            Some(closed) => Err(format!("the user that runs the tests cannot access {}", closed.display())),
            None => Ok(mvn),
        });
        let wanted = wrapper.wanted();
        let why = match reachable {
            Ok(mvn) => {
                let with_wrapper = own.with_maven(mvn, MavenOrigin::Wrapper)?;
                if !self.is_too_old(&with_wrapper.maven_version) {
                    return Ok((with_wrapper, None));
                }
                format!("too old for Surefire {SUREFIRE_VERSION}, which needs {OLDEST_MAVEN}")
            }
            Err(why) => format!("not on this machine ({why})"),
        };
        let note =
            format!("the project's wrapper requires {wanted}, which is {why}; Maven {} is used instead", own.maven());
        Ok((own, Some(note)))
    }

    /// Can a Maven not run the Surefire that the subject may get?
    fn is_too_old(&self, maven_version: &str) -> bool {
        let may_be_replaced =
            matches!(self.subject.surefire, SurefireVersion::Pinned | SurefireVersion::ProjectIfRecent);
        let numbers =
            |version: &str| -> Vec<u32> { version.split(['.', '-']).map_while(|part| part.parse().ok()).collect() };
        may_be_replaced && numbers(maven_version) < numbers(OLDEST_MAVEN)
    }
}

/// Over everything that a build and its discovery depend on.
fn build_key(preparation: &Preparation<'_>, checkout: &Checkout, helper: &str) -> miette::Result<String> {
    let Preparation { subject, toolchain, memory_bytes, .. } = *preparation;
    // The major version follows from the version. Who chose the Maven changes nothing.
    let Toolchain { java_home, java_version, java_major: _, mvn, maven_version, maven_origin: _ } = toolchain;
    let Checkout { root, revision } = checkout;
    let mut key = subject.fingerprint().of_build("build");
    key.text("revision", revision);
    key.value("folder", root)?;
    key.text("helper", helper);
    key.value("toolchain", &(java_home, java_version, mvn, maven_version))?;
    key.number("memory", memory_bytes.unwrap_or(0));
    key.text("generated tests", subject.generated_tests().map_or("", |tests| &tests.hash));
    key.texts("settings files", settings_files(&subject.maven_args).iter().map(String::as_str));
    Ok(key.digits(64))
}

/// The hashes of the settings files that Maven's arguments name: a mirror or a profile there changes a build.
fn settings_files(args: &[String]) -> Vec<String> {
    const NAMES: [&str; 4] = ["-s", "--settings", "-gs", "--global-settings"];
    let mut content = Vec::new();
    for (at, argument) in args.iter().enumerate() {
        let after = || args.get(at + 1).filter(|_| NAMES.contains(&argument.as_str()));
        let joined = argument.split_once('=').filter(|(name, _)| NAMES.contains(name)).map(|(_, file)| file);
        if let Some(file) = joined.or_else(|| after().map(String::as_str)) {
            content.push(hex(&Sha256::digest(crate::whole_file::read_bytes(Path::new(file)).unwrap_or_default())));
        }
    }
    content
}

/// The first Maven that runs [`SUREFIRE_VERSION`].
const OLDEST_MAVEN: &str = "3.6.3";
/// From then on Surefire knows the JUnit Platform, and takes listeners in every provider.
const OLDEST_KEPT: &str = "2.22.0";

/// Why the version of Surefire was replaced, for the line that says so.
fn why_replaced(version: &SurefireVersion) -> &'static str {
    match version {
        SurefireVersion::Pinned => "one version for all runs, in which every parallel mode works",
        SurefireVersion::ProjectIfRecent => "versions before 2.22 do not report every test",
        SurefireVersion::Project | SurefireVersion::Exactly(_) => "as requested",
    }
}

/// How this subject's builds are changed; tests apart.
pub fn settings(subject: &Subject, toolchain: &Toolchain) -> Settings {
    Settings {
        surefire: match &subject.surefire {
            SurefireVersion::Pinned | SurefireVersion::ProjectIfRecent => Some(SUREFIRE_VERSION.to_owned()),
            SurefireVersion::Exactly(version) => Some(version.clone()),
            SurefireVersion::Project => None,
        },
        surefire_kept_from: (subject.surefire == SurefireVersion::ProjectIfRecent).then(|| OLDEST_KEPT.to_owned()),
        compiler_minimum: lowest_compiler_level(toolchain.java_major),
        disabled_plugins: subject.disable_plugins.clone(),
        modules: subject.modules.clone(),
        tests: None,
    }
}

/// The lowest source level that a JDK's compiler takes.
fn lowest_compiler_level(java_major: u32) -> Option<u32> {
    match java_major {
        0..=8 => None,
        9..=11 => Some(6),
        12..=19 => Some(7),
        _ => Some(8),
    }
}

/// What has to be built before the phase that runs the tests.
fn build_goals(phase: &str) -> [&str; 2] {
    const BEFORE_PACKAGE: [&str; 5] = ["validate", "compile", "test-compile", "process-test-classes", "test"];
    let goal = if BEFORE_PACKAGE.contains(&phase) { "process-test-classes" } else { "package" };
    ["-DskipTests", goal]
}

/// Why there is no suite to run.
enum Stop {
    Failed { reason: String, log: PathBuf, whatever_the_jdk: bool },
    Interrupted,
}

/// Every other JDK would meet the same.
fn certain(reason: String, log: PathBuf) -> Stop {
    Stop::Failed { reason, log, whatever_the_jdk: true }
}

/// One build under way.
struct Building<'a> {
    preparation: &'a Preparation<'a>,
    checkout: &'a Checkout,
    means: &'a Means,
    place: &'a BuildRecordPaths,
}

impl Building<'_> {
    fn run(&self, key: &str) -> miette::Result<BuildOutcome> {
        let logs = &self.place.logs;
        std::fs::create_dir_all(logs)
            .map_err(|error| file_error(format_args!("{} cannot be created", logs.display()), &error))?;
        if let Some(stop) = self.set_up()? {
            return Ok(stop.into());
        }
        if let Err(error) = build_root(self.preparation.subject, self.checkout) {
            let help = error.help().map(|help| format!("; {help}")).unwrap_or_default();
            let reason = format!("{error}{help}");
            return Ok(Stop::Failed { reason, log: logs.clone(), whatever_the_jdk: true }.into());
        }
        if let Some(tests) = self.preparation.subject.generated_tests() {
            put_into(tests, &build_root(self.preparation.subject, self.checkout)?)?;
            // Its set-up may have made what cannot be handed over.
            if let Err(error) = hand_over(&self.checkout.root, self.means.user.as_ref()) {
                return Ok(certain(error.to_string(), logs.clone()).into());
            }
        }
        let mut dropped = Vec::new();
        if let Some(stop) = self.build_what_compiles(&mut dropped)? {
            return Ok(stop.into());
        }
        let snapshot = match self.keep()? {
            Ok(snapshot) => snapshot,
            Err(stop) => return Ok(stop.into()),
        };
        let memory = Memory { place: self.place.clone(), key: key.to_owned() };
        let discovery = match self.preparation.discovery {
            FirstRun::Later => Discovery::default(),
            FirstRun::Now | FirstRun::Within(_) => match self.discover()? {
                Ok(discovery) => discovery.without_dropped(&dropped),
                Err(stop) => return Ok(stop.into()),
            },
        };
        if !discovery.is_pending() {
            snapshot.restore()?;
            // What a first run missed, the next one may see.
            if !self.is_hurried() || discovery.is_complete() {
                memory.keep(&discovery)?;
            }
        }
        Ok(self.preparation.ready(self.checkout.clone(), self.means.clone(), snapshot, discovery, memory))
    }

    /// The worktree as the build left it.
    fn keep(&self) -> miette::Result<Result<Snapshot, Stop>> {
        let interrupt = || self.preparation.interrupt.is_set();
        let bounds = Bounds::new(&interrupt).within(self.preparation.build_timeout);
        let taken = Snapshot::take(&self.checkout.root, &self.checkout.snapshot_store(), &bounds)?;
        Ok(taken.map_err(|why| match why {
            NotCopied::Refused(reason) => {
                certain(format!("its build cannot be kept: {reason}"), self.place.logs.clone())
            }
            NotCopied::Interrupted => Stop::Interrupted,
        }))
    }

    fn set_up(&self) -> miette::Result<Option<Stop>> {
        let subject = self.preparation.subject;
        let base = match maven::base_folder(&self.checkout.root, &self.checkout.root) {
            Ok(base) => base,
            Err(error) => {
                let (reason, log) = (error.to_string(), self.place.logs.clone());
                return Ok(Some(Stop::Failed { reason, log, whatever_the_jdk: true }));
            }
        };
        let user = self.means.user.as_ref();
        let mut environment = maven::environment(self.preparation.toolchain, user, &subject.environment);
        environment.insert(BASE_VARIABLE.to_owned(), base.to_string_lossy().into_owned());
        let set_up = SetUp {
            subject,
            worktree: &self.checkout.root,
            environment,
            logs: &self.place.logs,
            limits: self.limits(),
            tag: self.tag("setup"),
            user,
            progress: self.preparation.progress,
            interrupt: self.preparation.interrupt,
        };
        Ok(set_up.run().map(|stop| match stop {
            SetUpStop::Failed { reason, log, is_certain } => Stop::Failed { reason, log, whatever_the_jdk: is_certain },
            SetUpStop::Interrupted => Stop::Interrupted,
        }))
    }

    /// Builds, and takes those generated tests out that do not compile here, until the rest does.
    fn build_what_compiles(&self, dropped: &mut Vec<String>) -> miette::Result<Option<Stop>> {
        let generated = self.preparation.subject.generated_tests().is_some();
        for turn in 1..=MOST_TURNS {
            let stop = self.build()?;
            let Some(Stop::Failed { log, .. }) = &stop else { return Ok(stop) };
            if !generated || turn == MOST_TURNS {
                return Ok(stop);
            }
            let root = build_root(self.preparation.subject, self.checkout)?;
            let text = crate::whole_file::read_bytes(log).unwrap_or_default();
            let gone = drop_blamed(&root, &String::from_utf8_lossy(&text), turn > TURNS_BY_TEST)?;
            if gone.is_empty() {
                return Ok(stop);
            }
            dropped.extend(gone);
        }
        Ok(None)
    }

    fn build(&self) -> miette::Result<Option<Stop>> {
        let subject = self.preparation.subject;
        self.preparation.progress.stage(&format!("building {}", subject.name));
        let settings = settings(subject, self.preparation.toolchain);
        let goals = build_goals(&subject.phase);
        let invoked = self.invoke("build", &goals, &settings, self.preparation.build_timeout)?;
        self.means.repository.seal()?;
        Ok(match (invoked.ended.cause, invoked.ended.exit) {
            (Cause::Exited, Exit::Code(0)) => None,
            (Cause::Interrupted, _) => Some(Stop::Interrupted),
            (Cause::TimedOut, _) => Some(certain(self.limits().too_long("the build"), invoked.log)),
            (Cause::OutOfMemory, _) => Some(certain(self.limits().too_much("the build"), invoked.log)),
            _ => Some(Stop::Failed { reason: maven::why(&invoked), log: invoked.log, whatever_the_jdk: false }),
        })
    }

    /// How long the first run of the tests may take.
    fn patience(&self) -> Duration {
        let most = self.preparation.subject.timeout;
        if let FirstRun::Within(limit) = self.preparation.discovery { limit.min(most) } else { most }
    }

    fn is_hurried(&self) -> bool {
        self.patience() < self.preparation.subject.timeout
    }

    fn limits(&self) -> PreparationLimits {
        PreparationLimits { time: self.preparation.build_timeout, memory_bytes: self.preparation.memory_bytes }
    }

    /// Online, as Surefire fetches what it needs only when it runs.
    fn discover(&self) -> miette::Result<Result<Discovery, Stop>> {
        let subject = self.preparation.subject;
        self.preparation.progress.stage(&format!("running the tests of {} once", subject.name));
        let invoked = self.run_tests("discovery", Parallelism::SEQUENTIAL, None)?;
        let harvest = maven::harvest(&invoked, &[])?;
        let log = &invoked.log;
        let failed = |reason| Ok(Err(Stop::Failed { reason, log: log.clone(), whatever_the_jdk: false }));
        let no_test = || match harvest.end {
            RunEnd::TimedOut => {
                format!("no test ran within the limit of {} seconds", self.patience().as_secs())
            }
            _ => "the build succeeded but ran no tests".to_owned(),
        };
        match &harvest.end {
            RunEnd::Interrupted => return Ok(Err(Stop::Interrupted)),
            RunEnd::BuildFailed(reason) => return failed(reason.clone()),
            RunEnd::Crashed(reason) if harvest.executions.is_empty() => return failed(reason.clone()),
            _ if harvest.executions.is_empty() => {
                return Ok(Err(Stop::Failed { reason: no_test(), log: log.clone(), whatever_the_jdk: true }));
            }
            _ => {}
        }
        // Which tests there are is not to be learnt from records that contradict each other.
        if let Some(found) = harvest.findings.iter().find(|finding| finding.kind == FindingKind::Contradiction) {
            return failed(format!("the records of the first run contradict each other: {}", found.text));
        }
        if invoked.handshake.as_ref().is_some_and(|handshake| !handshake.unfetched.is_empty()) {
            self.warm(&harvest.executions)?;
        }
        self.means.repository.seal()?;
        Ok(Ok(Discovery::of(&invoked, &harvest, Parallelism::SEQUENTIAL)))
    }

    fn run_tests(
        &self,
        label: &str,
        parallelism: Parallelism,
        selection: Option<Vec<Picked>>,
    ) -> miette::Result<Invoked> {
        let subject = self.preparation.subject;
        let reveal = selection.is_none();
        let tests = TestSettings { parallelism, cores: 1, selection, fetch_providers: true, reveal };
        let settings = Settings { tests: Some(tests), ..settings(subject, self.preparation.toolchain) };
        self.invoke(label, &[&subject.phase], &settings, self.patience())
    }

    /// Old versions of Surefire fetch a provider only by running it: the quickest class of each module will do. What
    /// this run yields does not matter; what it could not fetch, the first offline run will say.
    fn warm(&self, executions: &[Execution]) -> miette::Result<()> {
        let mut seconds: BTreeMap<(&str, &str), f64> = BTreeMap::new();
        for execution in executions {
            *seconds.entry((&execution.test.module, &execution.test.class)).or_default() += execution.seconds;
        }
        let mut quickest: BTreeMap<&str, (&str, f64)> = BTreeMap::new();
        for ((module, class), time) in seconds {
            let best = quickest.entry(module).or_insert((class, time));
            if time < best.1 {
                *best = (class, time);
            }
        }
        let pick = |(module, (class, _)): (&str, (&str, f64))| Picked {
            module: module.to_owned(),
            goal: None,
            tests: class.to_owned(),
        };
        let selection = quickest.into_iter().map(pick).collect();
        let classes = Parallelism { mode: Mode::Classes, ..Parallelism::SEQUENTIAL };
        self.run_tests("warm", classes, Some(selection)).map(drop)
    }

    fn invoke(&self, label: &str, goals: &[&str], settings: &Settings, time: Duration) -> miette::Result<Invoked> {
        let subject = self.preparation.subject;
        Invocation {
            toolchain: self.preparation.toolchain,
            helper: &self.means.helper,
            root: &build_root(subject, self.checkout)?,
            worktree: &self.checkout.root,
            repository: self.means.repository.folder(),
            folder: &self.place.logs.join(label),
            exchange: &self.preparation.home.exchange(),
            environment: &subject.environment,
            args: &subject.maven_args,
            goals,
            offline: false,
            settings,
            limits: Limits { cores: None, memory_bytes: self.preparation.memory_bytes, time },
            tag: self.tag(label),
            user: self.means.user.as_ref(),
        }
        .run(self.preparation.interrupt)
    }

    fn tag(&self, label: &str) -> String {
        format!("{}-{}-{}-{label}", self.preparation.tag, self.preparation.subject.name, std::process::id())
    }
}

impl From<Stop> for BuildOutcome {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Failed { reason, log, whatever_the_jdk } => BuildOutcome::Failed { reason, log, whatever_the_jdk },
            Stop::Interrupted => BuildOutcome::Interrupted,
        }
    }
}

#[cfg(test)]
mod tests;
