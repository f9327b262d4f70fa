//! Does a commit build, and do its tests pass one after the other? Found out once per commit, settings and JDKs, and kept under
//! parade's home: a search that was killed does not begin anew.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::engine::{Resources, RunRequest, Session};
use crate::experiment::Experiment;
use crate::home::Home;
use crate::process::Interrupt;
use crate::project;
use crate::redaction::redact;
use crate::runner::Watcher;
use crate::runner::open::{self, OpenSubject};
use crate::spec::Subject;
use crate::subject::Checkout;
use crate::suite::{RunEnd, SuiteRun, TestId};
use crate::whole_file;

/// Marks the processes of this search.
const TAG: &str = "versions";
/// Of a reason that is one of many.
const BRIEF: usize = 200;

/// What is known of a commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Examined {
    /// Why its tests could not be run.
    pub failure: Option<String>,
    pub failing: Vec<TestId>,
}

/// The version that the others are sought before.
pub(super) struct Newest {
    pub checkout: Checkout,
    pub failing: Vec<TestId>,
}

/// A subject whose commits are looked at.
pub(super) struct Examination<'a> {
    pub experiment: &'a Experiment,
    pub subject: &'a Subject,
    pub home: &'a Home,
    pub interrupt: &'a Interrupt,
}

impl Examination<'_> {
    /// Outer `None` when the user interrupted, inner where it cannot be prepared.
    pub fn newest(&self, watcher: &mut dyn Watcher) -> miette::Result<Option<Option<Newest>>> {
        let Some(mut open) = self.open(None, watcher)? else { return Ok(None) };
        let checkout = open.project.as_ref().and_then(|project| project.checkout()).cloned();
        let Some(checkout) = checkout else { return Ok(Some(None)) };
        let revision = checkout.revision.clone();
        let examined = match self.recorded(&revision) {
            Some(known) => known,
            None => self.examined(&revision, &mut open)?,
        };
        if self.interrupt.is_set() {
            return Ok(None);
        }
        Ok(Some(Some(Newest { checkout, failing: examined.failing })))
    }

    /// `None` when the user interrupted.
    pub fn of(&self, revision: &str, watcher: &mut dyn Watcher) -> miette::Result<Option<Examined>> {
        if let Some(known) = self.recorded(revision) {
            return Ok(Some(known));
        }
        let Some(mut open) = self.open(Some(revision), watcher)? else { return Ok(None) };
        let examined = self.examined(revision, &mut open)?;
        Ok((!self.interrupt.is_set()).then_some(examined))
    }

    /// The project's own tests count, whoever writes those of the experiment.
    fn open(&self, revision: Option<&str>, watcher: &mut dyn Watcher) -> miette::Result<Option<OpenSubject>> {
        let subject = Subject { generator: None, dependencies: None, ..self.subject.clone() };
        let request = open::Request {
            subject: &subject,
            pinned: revision.map(str::to_owned),
            earlier_tools: None,
            home: self.home,
            logs: self.logs(),
            tag: TAG,
            seed: 0,
            build_timeout: self.experiment.machine.build_timeout,
            memory_bytes: self.experiment.machine.memory_bytes,
            direct: false,
        };
        open::open(&request, self.interrupt, watcher)
    }

    fn logs(&self) -> std::path::PathBuf {
        self.home.test_logs().join(format!("versions-{}", self.subject.name))
    }

    fn examined(&self, revision: &str, open: &mut OpenSubject) -> miette::Result<Examined> {
        let examined = match (&open.record.failure, open.session.as_deref_mut()) {
            (Some(failure), _) => Examined { failure: Some(brief(&failure.reason)), failing: Vec::new() },
            (None, Some(session)) => {
                let run = session.run(&self.request())?;
                outcome(&run, session)
            }
            (None, None) => Examined { failure: Some("it could not be opened".to_owned()), failing: Vec::new() },
        };
        if !self.interrupt.is_set() {
            let text = serde_json::to_string(&examined).unwrap_or_default();
            whole_file::write_atomically(&self.record(revision), text.as_bytes())?;
        }
        Ok(examined)
    }

    fn request(&self) -> RunRequest {
        let machine = &self.experiment.machine;
        let cores = machine.cores.iter().copied().max().unwrap_or(1);
        RunRequest::sequential(
            "sequential",
            Resources { cores, memory_bytes: machine.memory_bytes, logs: self.logs() },
            self.subject.timeout.max(Duration::from_secs(1)),
        )
    }

    fn recorded(&self, revision: &str) -> Option<Examined> {
        let text = whole_file::read(&self.record(revision)).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// Named for everything that the answer depends on.
    fn record(&self, revision: &str) -> std::path::PathBuf {
        let tools = project::installed_tools();
        let digits = examination_key(self.subject, revision, &tools, self.experiment.machine.memory_bytes);
        self.home.versions().join(format!("{}-{digits}.json", self.subject.name))
    }
}

/// The project's own tests are run, whatever generates the subject's tests.
pub fn examination_key(subject: &Subject, revision: &str, jdks: &[String], memory_bytes: Option<u64>) -> String {
    let mut key = subject.fingerprint().of_build("version");
    key.text("source", &redact(&subject.source));
    key.text("revision", revision);
    key.texts("JDKs", jdks.iter().map(String::as_str));
    key.text("jdk", subject.jdk.as_ref().map_or("", |jdk| &jdk.written));
    key.number("memory", memory_bytes.unwrap_or(0));
    key.digits(16)
}

fn outcome(run: &SuiteRun, session: &dyn Session) -> Examined {
    let failure = match &run.end {
        RunEnd::Finished | RunEnd::Interrupted => None,
        RunEnd::TimedOut => Some("its tests did not end in time".to_owned()),
        RunEnd::Crashed(why) | RunEnd::BuildFailed(why) => Some(brief(why)),
    };
    let ran: std::collections::HashSet<&TestId> = run.executions.iter().map(|execution| &execution.test).collect();
    let failed = run.executions.iter().filter(|execution| execution.outcome.is_failure()).map(|each| &each.test);
    let lost = session.tests().iter().filter(|test| !ran.contains(test));
    let failing: std::collections::BTreeSet<&TestId> = failed.chain(lost).collect();
    Examined { failure, failing: failing.into_iter().cloned().collect() }
}

/// Its first line, not too long.
fn brief(reason: &str) -> String {
    let line = reason.lines().find(|line| !line.trim().is_empty()).unwrap_or(reason).trim();
    let short: String = line.chars().take(BRIEF).collect();
    if line.chars().nth(BRIEF).is_some() { format!("{short}…") } else { short }
}
