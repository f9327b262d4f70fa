//! From a subject in the experiment to an open session on it: fetched, built, discovered. A subject that cannot be brought
//! that far is data, not an error: its record says why, and so do its trials.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use crate::engine::Session;
use crate::java::direct::DirectSession;
use crate::engine::model::{ModelSession, ModelSuite};
use crate::java::surefire::SurefireSession;
use crate::experiment::Experiment;
use crate::spec::{Origin, Subject};
use crate::home::Home;
use crate::process::{self, Interrupt};
use crate::redaction::redact;
use crate::store;
use crate::store::record::{Environment, SubjectFailure, SubjectRecord, Verdict, VersionRecord};
use crate::java::build::{BuildOutcome, DiscoveryTime, Preparation, Prepared};
use crate::java::Jdk;
use crate::subject::{self, Attempt, Pin, Progress, committed_at};
use crate::suite::{Change, ClassId, DependencyGraph, Finding, FindingKind, TestId};
use crate::whole_file::copy_regular;

use super::trial::describe;
use super::watch::{Telling, Watcher};

/// A subject ready for trials, or its failure.
pub struct OpenSubject {
    pub record: SubjectRecord,
    /// The faithful engine, or a model.
    pub session: Option<Box<dyn Session>>,
    /// Where a configuration asks for it: the direct engine, or why there is none for this suite.
    pub direct: Option<Result<Box<dyn Session>, String>>,
    pub set_aside: HashSet<TestId>,
    pub dependencies: Option<DependencyGraph>,
    /// Where it lies and what its build revealed; a model has none.
    pub prepared: Option<Rc<Prepared>>,
    /// What a model says has changed since its first version.
    pub declared_change: Option<Change>,
    /// Does the engine take real time on this machine?
    pub runs_for_real: bool,
}

/// What is to be opened.
pub struct Request<'a> {
    pub subject: &'a Subject,
    /// The revision that an earlier sitting of the same run used.
    pub pinned: Option<String>,
    /// The JDK that it used.
    pub pinned_jdk: Option<Pin>,
    pub home: &'a Home,
    pub logs: PathBuf,
    pub tag: &'a str,
    pub seed: u64,
    pub build_timeout: Duration,
    /// Of the subject's processes, also while it is built.
    pub memory_bytes: Option<u64>,
    /// Does any configuration of this subject run on the direct engine?
    pub direct: bool,
}

/// The machine with its tools, as far as this experiment needs them.
pub fn environment(experiment: &Experiment) -> miette::Result<Environment> {
    let mut environment = store::capture_environment();
    environment.limits =
        process::probe().abilities.iter().map(|ability| format!("{}: {}", ability.name, ability.how)).collect();
    let needs_java = experiment.subjects.iter().any(|subject| !matches!(subject.origin, Origin::Model { .. }));
    if needs_java {
        let asked = experiment.subjects.iter().find_map(|subject| subject.jdk.as_ref());
        let maven = experiment.subjects.iter().find_map(|subject| subject.maven.as_deref());
        environment.maven = Some(subject::tools_with(maven)?.toolchain(asked)?.maven_version);
    }
    Ok(environment)
}

/// Can those that subjects run as get to where they have to write?
pub fn check_users(experiment: &Experiment, results: &Path, home: &Home) -> miette::Result<()> {
    for name in experiment.subjects.iter().filter_map(|subject| subject.user.as_deref()) {
        if let Some(user) = process::other_user(name)? {
            subject::check_open(&user, results, "with --out, name a folder that everyone may enter")?;
            subject::check_open(&user, home.root(), "set PARADE_HOME to a folder that everyone may enter")?;
        }
    }
    Ok(())
}

/// The JDK that earlier trials of a subject had, if it is still there and the same.
pub fn earlier_jdk(subject: &Subject, before: &[SubjectRecord]) -> Option<Pin> {
    let record = before.iter().find(|record| record.subject == subject.name)?;
    let (version, home) = (record.jdk.as_ref()?, record.java_home.as_ref()?);
    let jdk = Jdk::at(Path::new(home)).ok().filter(|jdk| jdk.version.to_string() == *version)?;
    Some(Pin { jdk, why: record.jdk_choice.clone().unwrap_or_else(|| "this run began with this JDK".to_owned()) })
}

/// `None` when the user interrupted.
pub fn open(
    request: &Request<'_>,
    interrupt: &Interrupt,
    watcher: &mut dyn Watcher,
) -> miette::Result<Option<OpenSubject>> {
    let opened = match &request.subject.origin {
        Origin::Model { path } => open_model(request, path),
        Origin::Git { .. } | Origin::Folder { .. } => open_maven(request, interrupt, watcher),
    };
    if interrupt.is_set() {
        return Ok(None);
    }
    let opened = opened.and_then(|open| with_dependencies(open, request.subject));
    Ok(Some(opened.unwrap_or_else(|error| {
        broken(request.subject, request.pinned.clone(), Verdict::HarnessError, describe(&error), None)
    })))
}

fn open_model(request: &Request<'_>, path: &Path) -> miette::Result<OpenSubject> {
    let suite = ModelSuite::load(path)?;
    let declared_change = suite.changes.clone();
    let session = ModelSession::new(suite, request.seed);
    let record = SubjectRecord {
        frameworks: vec!["model".to_owned()],
        classes: count_classes(session.tests()),
        tests: session.tests().len(),
        ..blank_record(request.subject)
    };
    Ok(OpenSubject { declared_change, ..ready(record, Box::new(session), false) })
}

fn open_maven(request: &Request<'_>, interrupt: &Interrupt, watcher: &mut dyn Watcher) -> miette::Result<OpenSubject> {
    let watcher = RefCell::new(watcher);
    let telling = Telling(&watcher);
    let revision = match resolve(request, interrupt, &telling) {
        Ok(revision) => revision,
        Err(error) => return Ok(broken(request.subject, None, Verdict::BuildFailed, describe(&error), None)),
    };
    let tools = subject::tools_with(request.subject.maven.as_deref())?;
    let toolchain = tools.toolchain(request.subject.jdk.as_ref())?;
    let preparation = Preparation {
        subject: request.subject,
        revision: &revision,
        toolchain: &toolchain,
        home: request.home,
        build_timeout: request.build_timeout,
        memory_bytes: request.memory_bytes,
        progress: &telling,
        interrupt,
        tag: request.tag,
        discovery: DiscoveryTime::Now,
    };
    let chosen = subject::prepare_on_some_jdk(&preparation, &tools, request.pinned_jdk.clone())?;
    keep_attempts(&chosen.attempts, &request.logs);
    match chosen.outcome {
        BuildOutcome::Ready(prepared) => {
            let record = SubjectRecord { jdk_choice: Some(chosen.why), ..record_of(&prepared) };
            let prepared: Rc<Prepared> = Rc::from(prepared);
            let session = SurefireSession::open(Rc::clone(&prepared), request.tag, interrupt.clone())?;
            let direct = request.direct.then(|| open_direct(Rc::clone(&prepared), request.tag, interrupt));
            Ok(OpenSubject { direct, prepared: Some(prepared), ..ready(record, Box::new(session), true) })
        }
        BuildOutcome::Failed { reason, log, .. } => {
            let log = keep_log(&log, &request.logs);
            Ok(broken(request.subject, Some(revision), Verdict::BuildFailed, reason, log))
        }
        BuildOutcome::Interrupted => {
            Ok(broken(request.subject, Some(revision), Verdict::HarnessError, "interrupted".to_owned(), None))
        }
    }
}

/// An engine that cannot run this suite is no reason not to run it on the other.
fn open_direct(prepared: Rc<Prepared>, tag: &str, interrupt: &Interrupt) -> Result<Box<dyn Session>, String> {
    match DirectSession::open(prepared, tag, interrupt.clone()) {
        Ok(session) => Ok(Box::new(session)),
        Err(error) => Err(describe(&error)),
    }
}

/// What an earlier sitting pinned stays pinned, unless it is not to be had without asking where it came from.
fn resolve(request: &Request<'_>, interrupt: &Interrupt, telling: &dyn Progress) -> miette::Result<String> {
    match &request.pinned {
        Some(revision) => Ok(revision.clone()),
        None => subject::resolve(&request.subject.origin, request.home, telling, &|| interrupt.is_set()),
    }
}

/// One log for each JDK that did not build the subject.
fn keep_attempts(attempts: &[Attempt], folder: &Path) {
    for attempt in attempts {
        let safe = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '_' };
        let jdk: String = attempt.jdk.chars().map(safe).collect();
        let kept = folder.join(format!("build-with-jdk-{jdk}.log"));
        if let Err(error) = std::fs::create_dir_all(folder).and_then(|()| copy_regular(&attempt.log, &kept)) {
            tracing::warn!("{} is not kept: {error}", attempt.log.display());
        }
    }
}

/// The whole log of a failed build belongs to the run; the cache may be cleared.
fn keep_log(log: &Path, folder: &Path) -> Option<String> {
    let kept = folder.join("build.log");
    std::fs::create_dir_all(folder).ok()?;
    copy_regular(log, &kept).ok()?;
    Some(kept.display().to_string())
}

fn record_of(prepared: &Prepared) -> SubjectRecord {
    let blank = blank_record(&prepared.subject);
    SubjectRecord {
        revision: Some(prepared.checkout.revision.clone()),
        jdk: Some(prepared.toolchain.java_version.clone()),
        java_home: Some(prepared.toolchain.java_home.display().to_string()),
        maven: Some(prepared.toolchain.maven_version.clone()),
        frameworks: prepared.frameworks(),
        modules: prepared.modules(),
        classes: prepared.classes(),
        tests: prepared.discovery.tests.len(),
        deviations: [blank.deviations.clone(), prepared.deviations()].concat(),
        version: blank
            .version
            .clone()
            .map(|version| VersionRecord { committed_at: committed_at(&prepared.checkout), ..version }),
        ..blank
    }
}

fn with_dependencies(mut open: OpenSubject, subject: &Subject) -> miette::Result<OpenSubject> {
    if let (Some(file), Some(session)) = (&subject.dependencies, &open.session) {
        // A file is of the first version; later ones may lack some of its tests.
        let is_later = subject.version.as_ref().is_some_and(|version| version.number > 1);
        let load = if is_later { DependencyGraph::load_present } else { DependencyGraph::load };
        open.dependencies = Some(load(&file.path, session.tests())?);
    }
    Ok(open)
}

fn ready(record: SubjectRecord, session: Box<dyn Session>, runs_for_real: bool) -> OpenSubject {
    OpenSubject { session: Some(session), runs_for_real, ..unopened(record) }
}

/// Nothing but its record.
fn unopened(record: SubjectRecord) -> OpenSubject {
    OpenSubject {
        record,
        session: None,
        direct: None,
        set_aside: HashSet::new(),
        dependencies: None,
        prepared: None,
        declared_change: None,
        runs_for_real: true,
    }
}

pub fn broken(
    subject: &Subject,
    revision: Option<String>,
    verdict: Verdict,
    reason: String,
    log: Option<String>,
) -> OpenSubject {
    let failure = Some(SubjectFailure { verdict, reason, log });
    unopened(SubjectRecord { revision, failure, ..blank_record(subject) })
}

fn count_classes(tests: &[TestId]) -> usize {
    tests.iter().map(TestId::class_id).collect::<HashSet<ClassId>>().len()
}

/// Hashes of what may be edited under the same name: folders, model suites, dependency files.
pub fn contents(experiment: &Experiment, home: &Home) -> BTreeMap<String, String> {
    let hash = |origin: &Origin| subject::resolve(origin, home, &subject::Silent, &|| false).ok();
    let of = |subject: &Subject| {
        let own = (!matches!(subject.origin, Origin::Git { .. })).then(|| hash(&subject.origin)).flatten();
        let file = subject.dependencies.as_ref().and_then(|file| hash(&Origin::Model { path: file.path.clone() }));
        let parts: Vec<String> = [own, file].into_iter().flatten().collect();
        (!parts.is_empty()).then(|| (subject.name.clone(), parts.join(" ")))
    };
    experiment.subjects.iter().filter_map(of).collect()
}

fn inference(why: &str) -> Finding {
    Finding::new(FindingKind::Deviation, format!("inferred, because the study does not say it: {why}"))
}

/// A record that says only what the experiment file says.
pub fn blank_record(subject: &Subject) -> SubjectRecord {
    SubjectRecord {
        subject: subject.name.clone(),
        origin: redact(&subject.source),
        revision: None,
        requested: match &subject.origin {
            Origin::Git { revision, .. } => Some(revision.clone()),
            Origin::Folder { .. } | Origin::Model { .. } => None,
        },
        jdk: None,
        java_home: None,
        jdk_choice: None,
        user: subject.user.clone(),
        maven: None,
        frameworks: vec![],
        modules: vec![],
        classes: 0,
        tests: 0,
        deviations: subject.inferred.iter().map(|why| inference(why)).collect(),
        set_aside: vec![],
        screening_runs: 0,
        failure: None,
        version: subject.version.as_ref().map(|version| VersionRecord {
            of: version.of.clone(),
            number: version.number,
            count: version.count,
            committed_at: None,
        }),
    }
}
