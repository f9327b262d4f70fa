//! From a project to a session that runs its tests in any order, and which of them can meet in a process.

use std::cell::RefCell;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::DetectionRequest;
use crate::engine::{Capabilities, EngineKind, RunRequest, Session, logs};
use crate::home::Home;
use crate::process::Interrupt;
use crate::project::{self, FirstRun, OpenFailure, OpenRequest, Project, ToolFacts, Words};
use crate::runner::{Watcher, WatcherProgress, subject_record};
use crate::spec::Subject;
use crate::store::record::SubjectRecord;
use crate::suite::{Finding, SuiteRun, TestId};
use crate::technique::detect::TestRoster;

/// Begins the mark of all processes.
const TAG: &str = "detect";
/// The least that the first run of the tests may take.
const DISCOVERED: Duration = Duration::from_secs(300);

pub(super) enum Opened {
    Suite(Box<Suite>),
    BuildFailed { reason: String, log: PathBuf },
}

pub(super) struct Suite {
    pub session: Box<dyn Session>,
    pub roster: TestRoster,
    /// Of the tests as they stand: a commit, or a hash of the content.
    pub revision: String,
    pub jdk: Option<String>,
    /// Of a project without a JDK.
    pub tools: ToolFacts,
    /// What people of its platform call things.
    pub words: Words,
    pub notes: Vec<Finding>,
    /// For the run folder.
    pub record: SubjectRecord,
}

pub(super) fn open(
    order: &DetectionRequest,
    home: &Home,
    interrupt: &Interrupt,
    watcher: &RefCell<&mut dyn Watcher>,
) -> miette::Result<Opened> {
    let progress = WatcherProgress(watcher);
    let wanted = OpenRequest {
        build_timeout: order.build_timeout,
        memory_bytes: order.memory_bytes,
        // A test that hangs must not cost more than what looks for such tests.
        first_run: FirstRun::Within(order.budget.max(DISCOVERED)),
        seed: order.settings.seed,
        shares_processes: true,
        ..OpenRequest::of_command(&order.subject, home, &progress, interrupt, TAG)
    };
    Ok(match project::open(&wanted)? {
        project::Opened::Ready(project) => Opened::Suite(Box::new(suite(&order.subject, &*project, order.interleave)?)),
        project::Opened::Failed(OpenFailure { reason, log, .. }) => Opened::BuildFailed { reason, log },
        project::Opened::Interrupted => Opened::BuildFailed { reason: "interrupted".to_owned(), log: PathBuf::new() },
    })
}

fn suite(subject: &Subject, project: &dyn Project, interleave: bool) -> miette::Result<Suite> {
    let session = project.session(EngineKind::Direct)?;
    let groups = project.process_groups();
    let all = if groups.is_empty() {
        TestRoster::by_module(session.tests())
    } else {
        TestRoster::new(session.tests(), &groups)
    };
    let roster = if interleave { all } else { all.only_orders_of_builds(&project.declared_orders()) };
    let session = if project.model().is_some() { session } else { Box::new(Timed { inner: session }) };
    let jdk = project.tool_in_words("JDK");
    Ok(Suite {
        session,
        roster,
        revision: project.revision().to_owned(),
        tools: if jdk.is_some() { ToolFacts::new() } else { project.tools() },
        jdk,
        words: project.words(),
        notes: project.notes(),
        record: subject_record(subject, project),
    })
}

/// Counts everything that a run takes as its time, and keeps the logs of those runs only in which a process broke down.
struct Timed {
    inner: Box<dyn Session>,
}

impl Session for Timed {
    fn engine(&self) -> EngineKind {
        self.inner.engine()
    }

    fn tests(&self) -> &[TestId] {
        self.inner.tests()
    }

    fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }

    fn run(&mut self, request: &RunRequest) -> miette::Result<SuiteRun> {
        let began = Instant::now();
        let mut run = self.inner.run(request)?;
        logs::keep_of_breakdowns_only(request, &run);
        run.cost.wall_seconds = began.elapsed().as_secs_f64();
        Ok(run)
    }

    fn side_by_side(&self) -> usize {
        self.inner.side_by_side()
    }

    fn let_go(&mut self) {
        self.inner.let_go();
    }

    /// Runs side by side share their time.
    fn run_all(&mut self, requests: &[RunRequest]) -> miette::Result<Vec<SuiteRun>> {
        let began = Instant::now();
        let mut runs = self.inner.run_all(requests)?;
        requests.iter().zip(&runs).for_each(|(request, run)| logs::keep_of_breakdowns_only(request, run));
        let share = began.elapsed().as_secs_f64() / runs.len().max(1) as f64;
        runs.iter_mut().for_each(|run| run.cost.wall_seconds = share);
        Ok(runs)
    }
}
