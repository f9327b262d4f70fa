//! From a subject to a worktree in which pytest can run again and again: checked out, set up, its tests listed, and that state kept.

use std::path::{Path, PathBuf};
use std::time::Duration;

use miette::miette;

use super::events;
use super::ids::Collected;
use super::interpreter::{Interpreter, interpreter};
use super::invocation::{Invocation, Task, environment};
use crate::file_error::file_error;
use crate::home::Home;
use crate::process::{self, Account, Cause, Exit};
use crate::project::{OpenFailure, OpenRequest, PreparationLimits, SetUp, SetUpStop, last_line};
use crate::spec::Subject;
use crate::subject::{self, Bounds, Checkout, Cleanliness, NotCopied, Snapshot, check_open, hand_over, snapshot};

/// What the snapshot beside it was taken for.
const KEY: &str = "set-up.key";
const LOGS: &str = "logs";

/// A subject that is set up, with its worktree as that left it.
pub struct Prepared {
    pub subject: Subject,
    pub checkout: Checkout,
    /// Where pytest runs.
    pub root: PathBuf,
    pub interpreter: Interpreter,
    pub home: Home,
    pub user: Option<Account>,
    pub snapshot: Snapshot,
    pub worktree: Cleanliness,
    pub collected: Collected,
    /// The project's own options.
    pub addopts: Vec<String>,
}

/// Why there is no suite to run.
pub enum Stop {
    Failed(OpenFailure),
    Interrupted,
}

pub fn prepare(request: &OpenRequest<'_>) -> miette::Result<Result<Prepared, Stop>> {
    let subject = request.subject;
    // That a tool is missing is said before anything is fetched.
    let interpreter = interpreter(Some(subject))?;
    let user = subject.user.as_deref().map(process::other_user).transpose()?.flatten();
    if let Some(user) = &user {
        check_open(user, request.home.root(), "set PARADE_HOME to a folder that everyone may enter")?;
        check_open(user, &interpreter.program, "use one that is installed for everyone")?;
    }
    let stop = || request.interrupt.is_set();
    let revision = match request.revision {
        Some(revision) => revision.to_owned(),
        None => subject::resolve(&subject.origin, request.home, request.progress, &stop)?,
    };
    let preparing = Preparing { request, interpreter: &interpreter, user: user.as_ref(), revision: &revision };
    let (checkout, snapshot) = match preparing.set_up()? {
        Ok(ready) => ready,
        Err(stop) => return Ok(Err(stop)),
    };
    let root = subject.directory.as_ref().map_or_else(|| checkout.root.clone(), |below| checkout.root.join(below));
    let listed = match preparing.collect(&checkout, &root)? {
        Ok(listed) => listed,
        Err(stop) => return Ok(Err(stop)),
    };
    snapshot.restore()?;
    let (subject, home, worktree) = (subject.clone(), request.home.clone(), Cleanliness::default());
    let (collected, addopts) = (Collected::new(listed.nodes), listed.addopts);
    Ok(Ok(Prepared { subject, checkout, root, interpreter, home, user, snapshot, worktree, collected, addopts }))
}

struct Preparing<'a> {
    request: &'a OpenRequest<'a>,
    interpreter: &'a Interpreter,
    user: Option<&'a Account>,
    revision: &'a str,
}

impl Preparing<'_> {
    fn checkout(&self) -> miette::Result<Checkout> {
        let OpenRequest { subject, home, progress, interrupt, .. } = *self.request;
        subject::checkout(subject, self.revision, home, progress, &|| interrupt.is_set())
    }

    /// Done once for each worktree and everything that set-up commands depend on.
    fn set_up(&self) -> miette::Result<Result<(Checkout, Snapshot), Stop>> {
        let checkout = self.checkout()?;
        let (key, record) = (self.key(&checkout)?, checkout.root.with_file_name(KEY));
        if std::fs::read_to_string(&record).is_ok_and(|known| known == key)
            && let Some(snapshot) = Snapshot::open(&checkout.snapshot_store())?
        {
            snapshot.restore()?;
            return Ok(Ok((checkout, snapshot)));
        }
        snapshot::remove(&checkout.snapshot_store())?;
        let checkout = self.checkout()?;
        hand_over(&checkout.root, self.user)?;
        let logs = checkout.root.with_file_name(LOGS);
        let failed = |path: &Path, error| file_error(format_args!("{} cannot be written", path.display()), &error);
        std::fs::create_dir_all(&logs).map_err(|error| failed(&logs, error))?;
        let OpenRequest { subject, build_timeout, memory_bytes, progress, interrupt, .. } = *self.request;
        let set_up = SetUp {
            subject,
            worktree: &checkout.root,
            environment: environment(self.interpreter, self.user, &subject.environment),
            logs: &logs,
            limits: PreparationLimits { time: build_timeout, memory_bytes },
            tag: self.tag("setup"),
            user: self.user,
            progress,
            interrupt,
        };
        match set_up.run() {
            Some(SetUpStop::Interrupted) => return Ok(Err(Stop::Interrupted)),
            Some(SetUpStop::Failed { reason, log, .. }) => return Ok(Err(stopped(reason, log))),
            None => {}
        }
        let stop = || interrupt.is_set();
        let bounds = Bounds::new(&stop).within(build_timeout);
        let snapshot = match Snapshot::take(&checkout.root, &checkout.snapshot_store(), &bounds)? {
            Ok(snapshot) => snapshot,
            Err(NotCopied::Interrupted) => return Ok(Err(Stop::Interrupted)),
            Err(NotCopied::Refused(reason)) => {
                return Ok(Err(stopped(format!("its files cannot be kept: {reason}"), logs)));
            }
        };
        std::fs::write(&record, key).map_err(|error| failed(&record, error))?;
        Ok(Ok((checkout, snapshot)))
    }

    fn key(&self, checkout: &Checkout) -> miette::Result<String> {
        let mut key = self.request.subject.fingerprint().of_build("pytest");
        key.text("revision", &checkout.revision);
        key.value("folder", &checkout.root)?;
        key.value("tools", &self.interpreter.facts())?;
        Ok(key.digits(64))
    }

    fn collect(&self, checkout: &Checkout, root: &Path) -> miette::Result<Result<events::Listed, Stop>> {
        let OpenRequest { subject, home, build_timeout, memory_bytes, progress, interrupt, .. } = *self.request;
        progress.stage(&format!("collecting the tests of {}", subject.name));
        let folder = checkout.root.with_file_name(LOGS).join("collect");
        if !root.is_dir() {
            return Ok(Err(stopped(format!("`{}` is not a folder of the subject", root.display()), folder)));
        }
        let invoked = Invocation {
            interpreter: self.interpreter,
            root,
            task: Task::Collect,
            order: None,
            folder: &folder,
            exchange: &home.exchange(),
            environment: &subject.environment,
            cores: None,
            memory_bytes,
            time_limit: build_timeout.max(Duration::from_secs(1)),
            tag: self.tag("collect"),
            user: self.user,
        }
        .run(interrupt)?;
        let limits = PreparationLimits { time: build_timeout, memory_bytes };
        let reason = match (invoked.ended.cause, invoked.ended.exit) {
            (Cause::Interrupted, _) => return Ok(Err(Stop::Interrupted)),
            (Cause::TimedOut, _) => limits.too_long("the collection of tests"),
            (Cause::OutOfMemory, _) => limits.too_much("the collection of tests"),
            (Cause::Exited, Exit::Code(5)) => "pytest found no tests".to_owned(),
            (Cause::Exited, Exit::Code(0)) => {
                let listed = events::read_listing(&invoked.events())
                    .map_err(|error| miette!("what pytest collected cannot be read: {error}"))?;
                if listed.is_done {
                    return Ok(Ok(listed));
                }
                "pytest ran without parade's plugin".to_owned()
            }
            (Cause::Exited, _) => format!("pytest could not collect the tests{}", decisive(&invoked.log)),
        };
        Ok(Err(stopped(reason, invoked.log)))
    }

    fn tag(&self, label: &str) -> String {
        format!("{}-{}-{}-{label}", self.request.tag, self.request.subject.name, std::process::id())
    }
}

fn stopped(reason: String, log: PathBuf) -> Stop {
    Stop::Failed(OpenFailure { reason, log, attempts: Vec::new() })
}

/// What pytest complained of first, behind a colon; without a complaint, its last line.
pub fn decisive(log: &Path) -> String {
    let text = crate::whole_file::read_bytes(log).unwrap_or_default();
    let text = crate::redaction::redact(&String::from_utf8_lossy(&text));
    let marked =
        |mark: &&str| text.lines().find(|line| line.starts_with(*mark)).map(|line| line.replacen(*mark, "", 1));
    let found = ["E   ", "ERROR: ", "INTERNALERROR> ", "ERROR "].iter().find_map(marked);
    found.map_or_else(|| last_line(log), |line| format!(": {}", line.trim().chars().take(200).collect::<String>()))
}
