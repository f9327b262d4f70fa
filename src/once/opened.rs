//! From a project to sessions that run its suite: the faithful engine for all of it, and another for reruns, opened only
//! when something failed.

use std::cell::RefCell;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::{Order, note};
use crate::java::direct::DirectSession;
use crate::engine::model::ModelSession;
use crate::java::surefire::{Revealed, SharedReports, SurefireSession};
use crate::engine::{Capabilities, EngineKind, Handling, Isolation, RunRequest, Selection, Session, Watch};
use crate::home::Home;
use crate::java::maven::KeptReports;
use crate::process::Interrupt;
use crate::runner::{Event, Telling, Watcher};
use crate::java::build::{Discovery, DiscoveryTime, Prepared};
use crate::subject::{BuildOrder, Built};
use crate::suite::{ClassId, Cost, Finding, Granularity, Outcome, RunEnd, Seen, SuiteRun, TestId};
use crate::wording::counted;

/// Begins the mark of all processes.
pub(super) const TAG: &str = "test";

pub enum Opened {
    Suite(Suite),
    BuildFailed { reason: String, log: PathBuf },
}

/// What runs a suite.
pub struct Suite {
    pub main: Box<dyn Session>,
    pub rerun: Option<Box<Late>>,
    /// Was it not known beforehand which tests there are?
    pub was_pending: bool,
    /// The JDK's version, and why it is this one.
    pub jdk: Option<String>,
    /// Maven's version, and who chose it.
    pub maven: Option<String>,
    /// What was checked out.
    pub revision: Option<String>,
    revealed: Option<Revealed>,
    /// Surefire's own, of the first run.
    reports: Option<SharedReports>,
}

impl Suite {
    pub fn of_model(path: &Path) -> miette::Result<Suite> {
        let main = Box::new(ModelSession::load(path, 0)?);
        Ok(Suite {
            main,
            rerun: None,
            was_pending: false,
            jdk: None,
            maven: None,
            revision: None,
            revealed: None,
            reports: None,
        })
    }

    fn of_maven(prepared: Prepared, order: &Order, interrupt: &Interrupt) -> miette::Result<Suite> {
        let was_pending = prepared.discovery.is_pending();
        let (maven, revision) = (Some(prepared.toolchain.maven()), Some(prepared.checkout.revision.clone()));
        let mut main = SurefireSession::open(Rc::new(prepared), TAG, interrupt.clone())?;
        let (revealed, reports) = (main.revealed(), Some(main.share_reports()));
        let wants_direct = order.technique.reruns() && order.harness.rerun_engine == EngineKind::Direct;
        let rerun = wants_direct.then(|| Box::new(Late::new(Rc::clone(&revealed), interrupt.clone())));
        Ok(Suite {
            main: Box::new(main),
            rerun,
            was_pending,
            jdk: None,
            maven,
            revision,
            revealed: Some(revealed),
            reports,
        })
    }

    /// Surefire's own reports of the first run.
    pub fn surefire_reports(&self) -> KeptReports {
        self.reports.as_ref().map(|reports| reports.borrow().clone()).unwrap_or_default()
    }

    /// What parade changed in the build, and what it could not do as it was told.
    pub fn notes(&self) -> Vec<Finding> {
        let prepared = self.revealed.as_ref().and_then(|revealed| revealed.get());
        let mut notes = prepared.map(|prepared| prepared.deviations()).unwrap_or_default();
        notes.extend(self.rerun.iter().flat_map(|late| late.notes.iter().cloned()));
        notes
    }
}

/// Fetches or copies the project, and builds it. Its tests are not run.
pub fn build(
    order: &Order,
    home: &Home,
    interrupt: &Interrupt,
    watcher: &RefCell<&mut dyn Watcher>,
) -> miette::Result<Opened> {
    let wanted = BuildOrder {
        subject: &order.subject,
        home,
        timeout: order.time_limit,
        memory_bytes: order.memory_bytes,
        discovery: DiscoveryTime::Later,
        progress: &Telling(watcher),
        interrupt,
        tag: TAG,
    };
    Ok(match wanted.build(None)? {
        Built::Ready { prepared, jdk } => {
            Opened::Suite(Suite { jdk: Some(jdk), ..Suite::of_maven(*prepared, order, interrupt)? })
        }
        Built::Failed { reason, log } => Opened::BuildFailed { reason, log },
    })
}

/// Tells what a session is about to run.
pub struct Announced<'a, 'w> {
    pub session: &'a mut dyn Session,
    pub watcher: &'a RefCell<&'w mut dyn Watcher>,
}

impl Session for Announced<'_, '_> {
    fn engine(&self) -> EngineKind {
        self.session.engine()
    }

    fn tests(&self) -> &[TestId] {
        self.session.tests()
    }

    fn capabilities(&self) -> &Capabilities {
        self.session.capabilities()
    }

    fn run(&mut self, request: &RunRequest) -> miette::Result<SuiteRun> {
        let text = match &request.selection {
            Selection::All => "running the tests".to_owned(),
            Selection::Tests(tests) => format!("rerunning failed tests: {}", counted(tests.len(), "test", "tests")),
            Selection::Classes(classes) => {
                format!("running their classes: {}", counted(classes.len(), "class", "classes"))
            }
        };
        self.watcher.borrow_mut().event(&Event::Stage { text: &text });
        self.session.run(request)
    }
}

/// The engine for reruns, opened when the first run has revealed how tests are started. A suite that the direct engine
/// cannot run is rerun by Maven, and that is said.
pub struct Late {
    revealed: Revealed,
    interrupt: Interrupt,
    direct: Option<Result<Box<dyn Session>, String>>,
    surefire: Option<Box<dyn Session>>,
    capabilities: Capabilities,
    last: EngineKind,
    /// Classes with a test that took too long alone. Maven could not end it.
    endless: HashSet<ClassId>,
    pub notes: Vec<Finding>,
}

impl Late {
    fn new(revealed: Revealed, interrupt: Interrupt) -> Self {
        // What the direct engine has; what it lacks for this suite is seen when it is opened.
        let capabilities = Capabilities {
            selection: Granularity::Occurrence,
            modes: Vec::new(),
            imposes_order: true,
            isolations: Isolation::ALL.to_vec(),
            limits_tests: true,
            modules_at_once: false,
            watches: Watch::default(),
        };
        let (direct, surefire, notes, endless) = (None, None, Vec::new(), HashSet::new());
        Late { revealed, interrupt, direct, surefire, capabilities, last: EngineKind::Direct, endless, notes }
    }

    fn prepared(&self) -> miette::Result<Rc<Prepared>> {
        let revealed = self.revealed.get().map(Rc::clone);
        revealed.ok_or_else(|| miette::miette!("nothing can be rerun, because the first run showed no tests"))
    }

    /// Why Maven has to run a selection. Classes come in their original order: a parallel first run has not shown it, and
    /// Maven knows it by itself. So it does which tests are behind a fixture that failed before any of them was seen.
    fn why_not_direct(selection: &Selection, discovery: &Discovery) -> Option<&'static str> {
        match selection {
            Selection::All => None,
            Selection::Classes(_) => discovery.scrambled.then_some(
                "Maven reran the classes instead of the direct engine, because a parallel first run does not show the \
                 order of their tests",
            ),
            Selection::Tests(tests) => {
                let known: HashSet<ClassId> = discovery.tests.iter().map(|test| test.id.class_id()).collect();
                let unseen = tests.iter().any(|test| !known.contains(&test.class_id()));
                unseen.then_some(
                    "Maven reran the failed tests instead of the direct engine, because a class fixture failed before \
                     any of its tests was seen",
                )
            }
        }
    }

    fn note_once(&mut self, text: &str) {
        if self.notes.iter().all(|note| note.text != text) {
            self.notes.push(note(text));
        }
    }

    /// The request without classes that Maven would wait for in vain.
    fn bearable(&mut self, request: &RunRequest) -> RunRequest {
        let mut request = RunRequest { handling: Handling::default(), ..request.clone() };
        if let Selection::Classes(classes) = &mut request.selection {
            let asked = classes.len();
            classes.retain(|class| !self.endless.contains(class));
            if classes.len() < asked {
                self.note_once(
                    "classes of tests that took too long alone were not rerun: Maven cannot end a single test",
                );
            }
        }
        request
    }

    fn direct(&mut self, prepared: &Rc<Prepared>) -> Option<&mut Box<dyn Session>> {
        if self.direct.is_none() {
            let opened = DirectSession::open(Rc::clone(prepared), TAG, self.interrupt.clone());
            let opened = opened.map(|session| Box::new(session) as Box<dyn Session>);
            if let Err(error) = &opened {
                self.notes.push(note(format!(
                    "Maven reran the failed tests, because the direct engine cannot: \
                    {error}"
                )));
            }
            self.direct = Some(opened.map_err(|error| error.to_string()));
        }
        self.direct.as_mut().and_then(|opened| opened.as_mut().ok())
    }

    /// It takes as long as a test takes.
    fn by_surefire(&mut self, prepared: Rc<Prepared>, request: &RunRequest) -> miette::Result<SuiteRun> {
        if self.surefire.is_none() {
            let session = SurefireSession::open(prepared, TAG, self.interrupt.clone())?;
            self.surefire = Some(Box::new(session));
        }
        if request.handling.test_limit.is_some() {
            self.note_once("the time limit of single tests does not apply to reruns by Maven");
        }
        self.last = EngineKind::Surefire;
        let request = self.bearable(request);
        if request.selection == Selection::Classes(Vec::new()) {
            return Ok(SuiteRun {
                executions: Vec::new(),
                cost: Cost::default(),
                end: RunEnd::Finished,
                granularity: Granularity::Class,
                findings: Vec::new(),
                seen: Seen::default(),
            });
        }
        match self.surefire.as_mut() {
            Some(session) => session.run(&request),
            None => Err(miette::miette!("the session for reruns is gone")),
        }
    }
}

impl Session for Late {
    fn engine(&self) -> EngineKind {
        self.last
    }

    fn tests(&self) -> &[TestId] {
        &[]
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn run(&mut self, request: &RunRequest) -> miette::Result<SuiteRun> {
        let prepared = self.prepared()?;
        match Self::why_not_direct(&request.selection, &prepared.discovery) {
            Some(why) => self.note_once(why),
            None => {
                if let Some(direct) = self.direct(&prepared) {
                    let run = direct.run(request)?;
                    let endless = run.executions.iter().filter(|execution| execution.outcome == Outcome::TimedOut);
                    self.endless.extend(endless.map(|execution| execution.test.class_id()));
                    self.last = EngineKind::Direct;
                    return Ok(run);
                }
            }
        }
        self.by_surefire(prepared, request)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::engine::{Allotment, Parallelism};
    use crate::java::maven::KnownTest;

    fn classes(names: &[&str]) -> Selection {
        Selection::Classes(names.iter().map(|name| TestId::new("", name, "t", 1).class_id()).collect())
    }

    fn request(selection: Selection) -> RunRequest {
        RunRequest {
            label: "stage-3".to_owned(),
            selection,
            parallelism: Parallelism::SEQUENTIAL,
            allotment: Allotment { cores: 1, memory_bytes: None, logs: PathBuf::new() },
            time_limit: Duration::from_secs(1),
            handling: Handling { test_limit: Some(Duration::from_secs(1)), ..Handling::default() },
            watch: Watch::default(),
        }
    }

    #[test]
    fn maven_is_not_asked_for_what_it_could_not_end() {
        let mut late = Late::new(Revealed::default(), Interrupt::new());
        late.endless.insert(TestId::new("", "a.Hangs", "t", 1).class_id());
        let bearable = late.bearable(&request(classes(&["a.Hangs", "a.Fails"])));
        assert_eq!((bearable.selection, bearable.handling), (classes(&["a.Fails"]), Handling::default()));
        assert_eq!(late.notes.len(), 1);
        late.bearable(&request(classes(&["a.Hangs"])));
        assert_eq!(late.notes.len(), 1, "it is said once");
        assert_eq!(late.bearable(&request(Selection::All)).selection, Selection::All);
    }

    #[test]
    fn maven_reruns_only_what_the_first_run_did_not_show() {
        let known = Discovery { tests: vec![KnownTest::passed("a.B#x")], ..Discovery::default() };
        let scrambled = Discovery { scrambled: true, ..known.clone() };
        let test = |id: &str| Selection::Tests(vec![id.parse().unwrap()]);
        assert_eq!(Late::why_not_direct(&classes(&["a.B"]), &known), None);
        assert!(Late::why_not_direct(&classes(&["a.B"]), &scrambled).unwrap().contains("order"));
        assert_eq!(Late::why_not_direct(&test("a.B#x"), &scrambled), None);
        assert!(Late::why_not_direct(&test("a.C#y"), &scrambled).unwrap().contains("fixture"));
    }
}
