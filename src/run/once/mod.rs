//! A suite run once, now, the way a technique says: for a team's own builds. No experiment, no journal, no statistics.
//!
//! Nothing is run beforehand to find out which tests there are: the technique's own first run tells. What that costs in
//! certainty is said in the outcome, never hidden.

pub mod failure;
pub mod invocation;
pub mod junit;
mod opened;
pub mod orders;
mod outcome;

use std::cell::RefCell;
use std::collections::HashSet;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use crate::engine::{EngineKind, Parallelism, Resources};
use crate::file_error::file_error;
use crate::home::Home;
use crate::process::Interrupt;
use crate::project::{self, FirstRun, OpenFailure, OpenRequest};
use crate::runner::judge::{Expectation, Judgement, judge};
use crate::runner::{Event, Watcher, WatcherProgress};
use crate::spec::Subject;
use crate::suite::{Finding, FindingKind};
use crate::technique::{self, Engines, Stage, TechniqueRun, TrialLimits};
use crate::technique::{Harness, TechniqueKind};

pub use outcome::{Attempt, Counts, Outcome, StageStory, TestStory};

use opened::{Suite, TAG};

/// What to run, and how.
#[derive(Debug)]
pub struct SuiteRequest {
    pub subject: Subject,
    pub technique: TechniqueKind,
    pub parallelism: Parallelism,
    pub harness: Harness,
    pub cores: usize,
    /// For the build, and for each run.
    pub memory_bytes: Option<u64>,
    /// For all stages together; the build may take as long again.
    pub time_limit: Duration,
}

/// How it ended.
#[derive(Debug)]
pub enum Ended {
    Ran(Box<Outcome>),
    /// There was nothing to run: the build failed.
    BuildFailed {
        reason: String,
        log: PathBuf,
    },
    /// The suite has no such mode.
    Unsupported(String),
    Interrupted,
}

pub fn run(
    order: &SuiteRequest,
    home: &Home,
    interrupt: &Interrupt,
    watcher: &mut dyn Watcher,
) -> miette::Result<Ended> {
    let watcher = RefCell::new(watcher);
    watcher.borrow_mut().event(&Event::Preparing { subject: &order.subject.name });
    let progress = WatcherProgress(&watcher);
    // Its tests are not run while it is opened: the technique's own first run tells which there are.
    let wanted = OpenRequest {
        first_run: FirstRun::Later,
        keeps_reports: true,
        ..OpenRequest::of_command(&order.subject, home, &progress, interrupt, TAG)
    };
    let wanted = OpenRequest { build_timeout: order.time_limit, memory_bytes: order.memory_bytes, ..wanted };
    match project::open(&wanted)? {
        project::Opened::Ready(project) => {
            let suite = Suite::open(Rc::from(project), order)?;
            run_suite(order, suite, home, interrupt, &watcher)
        }
        project::Opened::Failed(OpenFailure { reason, log, .. }) => Ok(Ended::BuildFailed { reason, log }),
        project::Opened::Interrupted => Ok(Ended::Interrupted),
    }
}

fn run_suite(
    order: &SuiteRequest,
    mut suite: Suite,
    home: &Home,
    interrupt: &Interrupt,
    watcher: &RefCell<&mut dyn Watcher>,
) -> miette::Result<Ended> {
    let bench = TrialLimits {
        resources: Resources {
            cores: order.cores,
            memory_bytes: order.memory_bytes,
            logs: fresh_logs(&order.subject, home)?,
        },
        time_limit: order.time_limit,
        set_aside: HashSet::new(),
    };
    let mut main = opened::Announced { session: suite.main.as_mut(), watcher };
    let mut again = suite.rerun.as_mut().map(|session| opened::Announced { session: &mut **session, watcher });
    let is_model = order.subject.is_model();
    let mut engines = Engines {
        main: &mut main,
        rerun: again.as_mut().map(|session| session as &mut dyn crate::engine::Session),
        policy: if is_model { Default::default() } else { order.harness.policy() },
        rerun_policy: if is_model { Default::default() } else { order.harness.rerun_policy() },
    };
    let ran = technique::run(order.technique, order.parallelism, None, &mut engines, &bench)?;
    if interrupt.is_set() {
        return Ok(Ended::Interrupted);
    }
    let stages = match ran {
        TechniqueRun::Ran(stages) => stages,
        TechniqueRun::Unsupported(why) => return Ok(Ended::Unsupported(why)),
    };
    let (tests, capabilities) = (main.session.tests().to_vec(), main.session.capabilities().clone());
    let expectation =
        Expectation { tests: &tests, set_aside: &bench.set_aside, capabilities: &capabilities, cores: order.cores };
    let mut judgement = judge(&stages, &expectation);
    if suite.was_pending {
        // Nothing was expected, so nothing is unexpected.
        judgement.findings.retain(|finding| finding.kind != FindingKind::UnexpectedTests);
    }
    judgement.findings.extend(suite.notes());
    judgement.findings.extend(hints(&judgement));
    let logs = bench.resources.logs.clone();
    let outcome = Outcome::of(&stages, &tests, judgement, suite.was_pending, logs);
    let project = suite.project;
    let is_built = project.checkout().is_some();
    let bad = outcome.tests.iter().filter(|story| story.is_bad()).map(|story| &story.test);
    let again = bad.filter_map(|test| Some((test.clone(), project.again(test)?))).collect();
    Ok(Ended::Ran(Box::new(Outcome {
        again,
        words: project.words(),
        tools: project.tools_in_words(),
        revision: is_built.then(|| project.revision().to_owned()),
        surefire_reports: project.kept_reports(),
        ..outcome
    })))
}

/// What explains a result that surprises.
fn hints(judgement: &Judgement) -> Vec<Finding> {
    let mut hints = Vec::new();
    if judgement.tally.failures() > 0 && rustix::process::geteuid().is_root() {
        hints.push(note("parade runs as root: tests of file permissions fail for root"));
    }
    hints
}

/// The logs of the last run of a project, and of no other: they would fill the disk of a build machine.
fn fresh_logs(subject: &Subject, home: &Home) -> miette::Result<PathBuf> {
    let logs = home.test_logs().join(&subject.name);
    if logs.exists() {
        std::fs::remove_dir_all(&logs).map_err(|error| file_error(format_args!("{}", logs.display()), &error))?;
    }
    Ok(logs)
}

/// Which engine ran the reruns, where there were any.
fn rerun_engine(stages: &[Stage]) -> Option<EngineKind> {
    stages.get(1).map(|stage| stage.engine)
}

/// Something that a person should hear.
fn note(text: impl Into<String>) -> Finding {
    Finding::new(FindingKind::Disturbance, text)
}
