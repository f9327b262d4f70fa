//! From a subject in the experiment to an open session on it: fetched, built, discovered. A subject that cannot be brought
//! that far is data, not an error: its record says why, and so do its trials.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::engine::{EngineKind, Session};
use crate::experiment::Experiment;
use crate::home::Home;
use crate::process::{self, Interrupt};
use crate::project::{self, FirstRun, OpenFailure, OpenPurpose, OpenRequest, Opened, Project, ToolFacts};
use crate::redaction::redact;
use crate::spec::{Origin, Subject};
use crate::store;
use crate::store::record::{Environment, SubjectFailure, SubjectRecord, Verdict, VersionRecord};
use crate::subject::{self, Progress, committed_at};
use crate::suite::{DependencyGraph, Finding, FindingKind, TestId};
use crate::whole_file::copy_regular;

use super::trial::describe;
use super::watch::{Watcher, WatcherProgress};

/// A subject ready for trials, or its failure.
pub struct OpenSubject {
    pub record: SubjectRecord,
    /// The faithful engine, or a model.
    pub session: Option<Box<dyn Session>>,
    /// Where a configuration asks for it: the direct engine, or why there is none for this suite.
    pub direct: Option<Result<Box<dyn Session>, String>>,
    pub set_aside: HashSet<TestId>,
    pub dependencies: Option<DependencyGraph>,
    /// Where it lies and what its build revealed.
    pub project: Option<Box<dyn Project>>,
}

/// What is to be opened.
pub struct Request<'a> {
    pub subject: &'a Subject,
    /// The revision that an earlier sitting of the same run used.
    pub pinned: Option<String>,
    /// The tools that it used.
    pub earlier_tools: Option<ToolFacts>,
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
    let built: Vec<&Subject> = experiment.subjects.iter().filter(|subject| !subject.is_model()).collect();
    // A subject that is known to be of another platform does not need the tools of the first one.
    let built: Vec<&Subject> = built.into_iter().filter(|subject| project::may_be_of_first(subject)).collect();
    if let (Some(platform), false) = (project::platforms().first(), built.is_empty()) {
        environment.maven = platform.machine_tools(&built)?.remove("maven");
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

/// The tools that earlier trials of a subject had.
pub fn earlier_tools(subject: &Subject, before: &[SubjectRecord]) -> Option<ToolFacts> {
    recorded_tools(before.iter().find(|record| record.subject == subject.name)?)
}

/// The tools that a record names.
pub fn recorded_tools(record: &SubjectRecord) -> Option<ToolFacts> {
    let known = [("jdk", &record.jdk), ("java_home", &record.java_home), ("jdk_choice", &record.jdk_choice)];
    let known = known.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value.clone()?)));
    Some(known.chain(record.tools.clone()).collect()).filter(|tools: &ToolFacts| !tools.is_empty())
}

/// `None` when the user interrupted.
pub fn open(
    request: &Request<'_>,
    interrupt: &Interrupt,
    watcher: &mut dyn Watcher,
) -> miette::Result<Option<OpenSubject>> {
    let opened = open_project(request, interrupt, watcher);
    if interrupt.is_set() {
        return Ok(None);
    }
    let opened = opened.and_then(|open| with_dependencies(open, request.subject));
    Ok(Some(opened.unwrap_or_else(|error| {
        broken(request.subject, request.pinned.clone(), Verdict::HarnessError, describe(&error), None)
    })))
}

fn open_project(
    request: &Request<'_>,
    interrupt: &Interrupt,
    watcher: &mut dyn Watcher,
) -> miette::Result<OpenSubject> {
    let watcher = RefCell::new(watcher);
    let telling = WatcherProgress(&watcher);
    let revision = match resolve(request, interrupt, &telling) {
        Ok(revision) => revision,
        Err(error) => return Ok(broken(request.subject, None, Verdict::BuildFailed, describe(&error), None)),
    };
    let opened = project::open(&OpenRequest {
        subject: request.subject,
        revision: Some(&revision),
        earlier_tools: request.earlier_tools.as_ref(),
        home: request.home,
        build_timeout: request.build_timeout,
        memory_bytes: request.memory_bytes,
        first_run: FirstRun::Now,
        seed: request.seed,
        shares_processes: false,
        purpose: OpenPurpose::Experiment,
        keeps_reports: false,
        progress: &telling,
        interrupt,
        tag: request.tag,
    })?;
    match opened {
        Opened::Ready(project) => {
            keep_attempts(project.attempts(), &request.logs);
            let session = project.session(EngineKind::Surefire)?;
            let wants_direct = request.direct && project.model().is_none();
            // An engine that cannot run this suite is no reason not to run it on the other.
            let direct = wants_direct.then(|| project.session(EngineKind::Direct).map_err(|error| describe(&error)));
            let record = subject_record(request.subject, &*project);
            Ok(OpenSubject { direct, session: Some(session), project: Some(project), ..unopened(record) })
        }
        Opened::Failed(OpenFailure { reason, log, attempts, .. }) => {
            keep_attempts(&attempts, &request.logs);
            let log = keep_log(&log, &request.logs);
            Ok(broken(request.subject, Some(revision), Verdict::BuildFailed, reason, log))
        }
        Opened::Interrupted => {
            Ok(broken(request.subject, Some(revision), Verdict::HarnessError, "interrupted".to_owned(), None))
        }
    }
}

/// What an earlier sitting pinned stays pinned, unless it is not to be had without asking where it came from.
fn resolve(request: &Request<'_>, interrupt: &Interrupt, telling: &dyn Progress) -> miette::Result<String> {
    match &request.pinned {
        Some(revision) => Ok(revision.clone()),
        None => subject::resolve(&request.subject.origin, request.home, telling, &|| interrupt.is_set()),
    }
}

/// One log for each tool that did not build the subject.
fn keep_attempts(attempts: &[(String, PathBuf)], folder: &Path) {
    for (tool, log) in attempts {
        let safe = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-') { c } else { '_' };
        let kept = folder.join(format!("build-with-{}.log", tool.chars().map(safe).collect::<String>()));
        if let Err(error) = std::fs::create_dir_all(folder).and_then(|()| copy_regular(log, &kept)) {
            tracing::warn!("{} is not kept: {error}", log.display());
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

/// What a prepared project tells of itself.
pub fn subject_record(subject: &Subject, project: &dyn Project) -> SubjectRecord {
    let blank = blank_record(subject);
    let mut tools = project.tools();
    let version = match project.checkout() {
        Some(checkout) => {
            blank.version.clone().map(|version| VersionRecord { committed_at: committed_at(checkout), ..version })
        }
        None => blank.version.clone(),
    };
    SubjectRecord {
        // The content of a model is recorded with the run.
        revision: project.checkout().map(|checkout| checkout.revision.clone()),
        jdk: tools.remove("jdk"),
        java_home: tools.remove("java_home"),
        jdk_choice: tools.remove("jdk_choice"),
        maven: tools.remove("maven"),
        tools,
        frameworks: project.frameworks(),
        modules: if project.model().is_some() { Vec::new() } else { project.modules() },
        classes: project.class_count(),
        tests: project.tests().len(),
        deviations: [blank.deviations.clone(), project.deviations()].concat(),
        version,
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

/// Nothing but its record.
fn unopened(record: SubjectRecord) -> OpenSubject {
    OpenSubject { record, session: None, direct: None, set_aside: HashSet::new(), dependencies: None, project: None }
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
        tools: BTreeMap::new(),
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
