//! From a project to a session that runs its tests in any order, and which of them can meet in a process.

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};

use super::{Order, declared_order};
use crate::java::direct::DirectSession;
use crate::engine::model::ModelSession;
use crate::engine::{Capabilities, EngineKind, RunRequest, Session, logs};
use crate::spec::Origin;
use crate::home::Home;
use crate::process::Interrupt;
use crate::runner::{Telling, Watcher};
use crate::java::build::{Discovery, DiscoveryTime, Prepared};
use crate::subject::{self, BuildOrder, Built};
use crate::suite::{Finding, FindingKind, SuiteRun, TestId};
use crate::technique::detect::Roster;

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
    pub roster: Roster,
    /// Of the tests as they stand: a commit, or a hash of the content.
    pub revision: String,
    pub jdk: Option<String>,
    pub notes: Vec<Finding>,
}

pub(super) fn open(
    order: &Order,
    home: &Home,
    interrupt: &Interrupt,
    watcher: &RefCell<&mut dyn Watcher>,
) -> miette::Result<Opened> {
    let progress = &Telling(watcher);
    if let Origin::Model { path } = &order.subject.origin {
        let revision = subject::resolve(&order.subject.origin, home, progress, &|| interrupt.is_set())?;
        let session = Box::new(ModelSession::load(path, order.settings.seed)?);
        let all = Roster::by_module(session.tests());
        let roster = if order.interleave { all } else { all.only_orders_of_builds(&session.declared_orders()) };
        return Ok(Opened::Suite(Box::new(Suite { session, roster, revision, jdk: None, notes: Vec::new() })));
    }
    let wanted = BuildOrder {
        subject: &order.subject,
        home,
        timeout: order.build_timeout,
        memory_bytes: order.memory_bytes,
        // A test that hangs must not cost more than what looks for such tests.
        discovery: DiscoveryTime::Within(order.budget.max(DISCOVERED)),
        progress,
        interrupt,
        tag: TAG,
    };
    Ok(match wanted.build(None)? {
        Built::Ready { prepared, jdk } => {
            let revision = prepared.checkout.revision.clone();
            Opened::Suite(Box::new(of_maven(*prepared, revision, jdk, order.interleave, interrupt)?))
        }
        Built::Failed { reason, log } => Opened::BuildFailed { reason, log },
    })
}

fn of_maven(
    mut prepared: Prepared,
    revision: String,
    jdk: String,
    interleave: bool,
    interrupt: &Interrupt,
) -> miette::Result<Suite> {
    let mut notes = prepared.deviations();
    notes.extend(prepared.discovery.gaps());
    notes.extend(share_processes(&mut prepared.discovery));
    let groups = prepared.discovery.process_groups();
    let prepared = Rc::new(prepared);
    let mut session = DirectSession::open(Rc::clone(&prepared), TAG, interrupt.clone())?;
    session.keep_one_ready();
    let all = Roster::new(session.tests(), &groups);
    let declaring = declared_order::declaring_classes(&prepared.discovery);
    let roster = if interleave { all } else { all.only_orders_of_builds(&declaring) };
    let session = Box::new(Timed { inner: session });
    Ok(Suite { session, roster, revision, jdk: Some(jdk), notes })
}

/// A build that starts a process for every class hides what its classes do to each other. Whoever wants it to run faster has to
/// know: here they share one.
fn share_processes(discovery: &mut Discovery) -> Option<Finding> {
    let launches = discovery.suites.iter_mut().filter_map(|suite| suite.launch.as_mut());
    let mut apart = false;
    for launch in launches.filter(|launch| !launch.reuse_forks) {
        launch.reuse_forks = true;
        apart = true;
    }
    apart.then(|| {
        let text = "the build starts a new fork for every class (reuseForks=false), but here classes share a JVM: a \
            dependency between classes appears in the build only if it shares forks, too";
        Finding::new(FindingKind::Deviation, text)
    })
}

/// Counts everything that a run takes as its time, and keeps the logs of those runs only in which a process broke down.
struct Timed {
    inner: DirectSession,
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
