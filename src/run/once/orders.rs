//! A suite that is run in orders of somebody's choosing: its original order is known, and its engine keeps any other.
//!
//! Which order is not decided here. A folder or a repository is built and its suite run once, sequentially, by its own Maven
//! build, unless that was done before; the direct engine runs the orders. A model runs itself.

mod ran;

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use super::opened::TAG;
use super::{fresh_logs, note};
use crate::engine::model::ModelSuite;
use crate::engine::{EngineKind, Instrumentation, Resources, RunRequest, Selection, Session};
use crate::home::Home;
use crate::process::Interrupt;
use crate::project::{self, OpenFailure, OpenRequest, Opened, Project};
use crate::runner::{Event, Watcher, WatcherProgress};
use crate::spec::Subject;
use crate::suite::{Coverage, Finding, FindingKind, RunEnd, SuiteRun, TestId};
use crate::wording::counted;

pub use ran::{Failure, OrderedRunResult};

/// What to open, and what it may use.
#[derive(Debug)]
pub struct Opening<'a> {
    pub subject: &'a Subject,
    pub cores: usize,
    /// For the build, and for each run.
    pub memory_bytes: Option<u64>,
    /// For all runs together; the build may take as long again.
    pub time_limit: Duration,
    pub home: &'a Home,
    pub interrupt: &'a Interrupt,
}

/// How the opening ended.
pub enum Reached {
    Suite(Box<OrderedSuite>),
    BuildFailed { reason: String, log: PathBuf },
    Interrupted,
}

pub struct OrderedSuite {
    session: Box<dyn Session>,
    /// Where the suite is one.
    pub model: Option<ModelSuite>,
    /// The JDK's version, and why it is this one.
    pub jdk: Option<String>,
    /// The full hash of its commit, or what stands for it; a model has none.
    pub revision: Option<String>,
    /// What a person should hear.
    pub notes: Vec<Finding>,
    /// Where what its tests cover is kept.
    coverage_file: Option<PathBuf>,
    resources: Resources,
    left: Duration,
    interrupt: Interrupt,
}

/// Brings a project so far that its tests can be run in any order.
pub fn open(opening: &Opening<'_>, watcher: &mut dyn Watcher) -> miette::Result<Reached> {
    watcher.event(&Event::Preparing { subject: &opening.subject.name });
    let watcher = RefCell::new(watcher);
    let progress = WatcherProgress(&watcher);
    let wanted = OpenRequest {
        build_timeout: opening.time_limit,
        memory_bytes: opening.memory_bytes,
        ..OpenRequest::of_command(opening.subject, opening.home, &progress, opening.interrupt, TAG)
    };
    Ok(match project::open(&wanted)? {
        Opened::Ready(project) => Reached::Suite(Box::new(OrderedSuite::of_project(&*project, opening)?)),
        Opened::Failed(OpenFailure { reason, log, .. }) => Reached::BuildFailed { reason, log },
        Opened::Interrupted => Reached::Interrupted,
    })
}

impl OrderedSuite {
    fn of_project(project: &dyn Project, opening: &Opening<'_>) -> miette::Result<Self> {
        let logs = fresh_logs(opening.subject, opening.home)?;
        let is_built = project.checkout().is_some();
        Ok(OrderedSuite {
            session: project.session(EngineKind::Direct)?,
            model: project.model().cloned(),
            jdk: project.tool_in_words("JDK"),
            revision: is_built.then(|| project.revision().to_owned()),
            notes: project.notes(),
            coverage_file: project.coverage_file()?,
            resources: Resources { cores: opening.cores, memory_bytes: opening.memory_bytes, logs },
            left: opening.time_limit,
            interrupt: opening.interrupt.clone(),
        })
    }

    /// In the original order.
    pub fn tests(&self) -> &[TestId] {
        self.session.tests()
    }

    /// What each test takes, in seconds: as the model says, or as one run in the original order shows. `None` when the user
    /// interrupted.
    pub fn seconds(&mut self, watcher: &mut dyn Watcher) -> miette::Result<Option<Vec<f64>>> {
        if let Some(model) = &self.model {
            return Ok(Some(model.tests.iter().map(|test| test.seconds).collect()));
        }
        watcher.event(&Event::Stage { text: "running the suite in its original order, to measure durations" });
        let run = self.run_one("times", Selection::All, Instrumentation::default())?;
        if self.interrupt.is_set() {
            return Ok(None);
        }
        let mut seconds: HashMap<&TestId, f64> = HashMap::new();
        run.executions.iter().for_each(|execution| *seconds.entry(&execution.test).or_default() += execution.seconds);
        let unseen = self.tests().iter().filter(|test| !seconds.contains_key(test)).count();
        let times = self.tests().iter().map(|test| seconds.get(test).copied().unwrap_or(0.0)).collect();
        if unseen > 0 || run.end != RunEnd::Finished {
            let tests = counted(unseen, "test has", "tests have");
            self.notes.push(note(format!("the run for durations was not complete: {tests} no duration; 0 s is used")));
        }
        Ok(Some(times))
    }

    /// What each test covers: as the model says, as an earlier call found out for the same content, or as one run in the
    /// original order shows. `None` when the user interrupted.
    pub fn coverage(&mut self, watcher: &mut dyn Watcher) -> miette::Result<Option<Coverage>> {
        // A file that is missing or damaged holds nothing.
        let kept = self.coverage_file.as_ref().filter(|file| file.is_file());
        if let Some(known) = kept.and_then(|file| Coverage::load(file).ok()) {
            return Ok(Some(known));
        }
        watcher.event(&Event::Stage { text: "running the suite in its original order, to measure coverage" });
        let run = self.run_one("coverage", Selection::All, Instrumentation { coverage: true, accesses: false })?;
        if self.interrupt.is_set() {
            return Ok(None);
        }
        let whole = run.end == RunEnd::Finished;
        let told = run.findings.into_iter().filter(|finding| finding.kind == FindingKind::Deviation);
        let told: Vec<Finding> = told.filter(|finding| !self.notes.contains(finding)).collect();
        self.notes.extend(told);
        let Some(coverage) = run.seen.coverage else { return Ok(None) };
        match &self.coverage_file {
            Some(file) if whole => {
                // What cannot be kept is found out again.
                if let Err(error) = coverage.save(file) {
                    tracing::warn!("{error}");
                }
            }
            None if whole => {}
            _ => self.notes.push(note(
                "the run for coverage was not complete: the coverage of the last tests is not \
                known",
            )),
        }
        Ok(Some(coverage))
    }

    /// Runs what each machine has to run, one machine after the other, each in processes of its own. `None` when the user
    /// interrupted.
    pub fn run(
        &mut self,
        machines: &[Vec<TestId>],
        watcher: &mut dyn Watcher,
    ) -> miette::Result<Option<OrderedRunResult>> {
        let mut runs = Vec::new();
        for (number, tests) in (1..).zip(machines) {
            let of = if machines.len() > 1 { format!(" of machine {number}") } else { String::new() };
            let text = format!("running {}{of}", counted(tests.len(), "test", "tests"));
            watcher.event(&Event::Stage { text: &text });
            let run = self.run_one(
                &format!("machine-{number}"),
                Selection::Tests(tests.clone()),
                Instrumentation::default(),
            )?;
            if self.interrupt.is_set() {
                return Ok(None);
            }
            runs.push(run);
        }
        Ok(Some(OrderedRunResult::of(machines, runs, self.session.engine(), self.session.capabilities())))
    }

    fn run_one(&mut self, label: &str, selection: Selection, watch: Instrumentation) -> miette::Result<SuiteRun> {
        let request =
            RunRequest { selection, watch, ..RunRequest::sequential(label, self.resources.clone(), self.left) };
        let run = self.session.run(&request)?;
        let spent = Duration::try_from_secs_f64(run.cost.wall_seconds).unwrap_or(Duration::MAX);
        self.left = self.left.saturating_sub(spent);
        Ok(run)
    }
}
