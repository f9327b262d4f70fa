//! Does a commit build, and do its tests pass one after the other? Found out once per commit, settings and JDKs, and kept under
//! parade's home: a search that was killed does not begin anew.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::engine::{Allotment, Handling, Parallelism, RunRequest, Selection, Session, Watch};
use crate::experiment::{Experiment, Origin, Subject};
use crate::home::Home;
use crate::process::Interrupt;
use crate::runner::Watcher;
use crate::runner::open::{self, OpenSubject};
use crate::subject::{self, Checkout};
use crate::suite::{RunEnd, SuiteRun, TestId};
use crate::whole_file;
use crate::wording::hex;

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

/// What the file asks for.
pub(super) fn requested(subject: &Subject) -> Option<&str> {
    match &subject.origin {
        Origin::Git { revision, .. } => Some(revision),
        Origin::Folder { .. } | Origin::Model { .. } => None,
    }
}

impl Examination<'_> {
    /// Outer `None` when the user interrupted, inner where it cannot be prepared.
    pub fn newest(&self, watcher: &mut dyn Watcher) -> miette::Result<Option<Option<Newest>>> {
        let Some(mut open) = self.open(None, watcher)? else { return Ok(None) };
        let Some(prepared) = open.prepared.clone() else { return Ok(Some(None)) };
        let revision = prepared.checkout.revision.clone();
        let examined = match self.recorded(&revision) {
            Some(known) => known,
            None => self.examined(&revision, &mut open)?,
        };
        if self.interrupt.is_set() {
            return Ok(None);
        }
        Ok(Some(Some(Newest { checkout: prepared.checkout.clone(), failing: examined.failing })))
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
            pinned_jdk: None,
            home: self.home,
            logs: self.logs(),
            tag: TAG,
            seed: 0,
            build_timeout: self.experiment.machine.build_timeout,
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
        RunRequest {
            label: "sequential".to_owned(),
            selection: Selection::All,
            parallelism: Parallelism::SEQUENTIAL,
            allotment: Allotment { cores, memory_bytes: machine.memory_bytes, logs: self.logs() },
            time_limit: self.subject.timeout.max(Duration::from_secs(1)),
            handling: Handling::default(),
            watch: Watch::default(),
        }
    }

    fn recorded(&self, revision: &str) -> Option<Examined> {
        let text = whole_file::read(&self.record(revision)).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// Named for everything that the answer depends on.
    fn record(&self, revision: &str) -> std::path::PathBuf {
        let subject = self.subject;
        let jdks: Vec<String> = subject::jdks().found.iter().map(|jdk| jdk.version.to_string()).collect();
        let about = (
            (revision, jdks, subject.jdk.as_ref().map(|jdk| &jdk.written), &subject.user),
            (&subject.directory, &subject.modules, &subject.maven_args, &subject.environment, &subject.phase),
            (&subject.setup, &subject.surefire, &subject.disable_plugins, &subject.timeout),
        );
        let digest = Sha256::digest(serde_json::to_vec(&about).unwrap_or_default());
        self.home.versions().join(format!("{}-{}.json", subject.name, hex(&digest[..8])))
    }
}

fn outcome(run: &SuiteRun, session: &dyn Session) -> Examined {
    let failure = match &run.end {
        RunEnd::Finished | RunEnd::Interrupted => None,
        RunEnd::TimedOut => Some("its tests did not come to an end in time".to_owned()),
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
