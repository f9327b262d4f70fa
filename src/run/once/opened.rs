//! From an open project to sessions that run its suite: the faithful engine for all of it, and another for reruns, opened only
//! when something failed.

use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

use super::{SuiteRequest, note};
use crate::engine::{
    Capabilities, EngineKind, Instrumentation, Isolation, ProcessPolicy, RunRequest, Selection, Session,
};
use crate::project::Project;
use crate::runner::{Event, Watcher};
use crate::suite::{ClassId, Cost, Finding, Granularity, Observations, Outcome, RunEnd, SuiteRun, TestId};
use crate::wording::counted;

/// Begins the mark of all processes.
pub(super) const TAG: &str = "test";

/// What runs a suite.
pub struct Suite {
    pub project: Rc<dyn Project>,
    pub main: Box<dyn Session>,
    pub rerun: Option<Box<Late>>,
    /// Was it not known beforehand which tests there are?
    pub was_pending: bool,
}

impl Suite {
    pub fn open(project: Rc<dyn Project>, order: &SuiteRequest) -> miette::Result<Suite> {
        let was_pending = project.is_unexplored();
        let main = project.session(EngineKind::Surefire)?;
        let wants_direct =
            project.model().is_none() && order.technique.reruns() && order.harness.rerun_engine == EngineKind::Direct;
        let rerun = wants_direct.then(|| Box::new(Late::new(Rc::clone(&project))));
        Ok(Suite { project, main, rerun, was_pending })
    }

    /// What parade changed in the build, and what it could not do as it was told.
    pub fn notes(&self) -> Vec<Finding> {
        let mut notes = self.project.deviations();
        notes.extend(self.rerun.iter().flat_map(|late| late.notes.iter().cloned()));
        notes
    }
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
    project: Rc<dyn Project>,
    direct: Option<Result<Box<dyn Session>, String>>,
    surefire: Option<Box<dyn Session>>,
    capabilities: Capabilities,
    last: EngineKind,
    /// Classes with a test that took too long alone. Maven could not end it.
    endless: HashSet<ClassId>,
    pub notes: Vec<Finding>,
}

impl Late {
    fn new(project: Rc<dyn Project>) -> Self {
        // What the direct engine has; what it lacks for this suite is seen when it is opened.
        let capabilities = Capabilities {
            selection: Granularity::Occurrence,
            modes: Vec::new(),
            imposes_order: true,
            isolations: Isolation::ALL.to_vec(),
            limits_tests: true,
            enlarges_limits: false,
            modules_at_once: false,
            processes_only: false,
            watches: Instrumentation::default(),
        };
        let (direct, surefire, notes, endless) = (None, None, Vec::new(), HashSet::new());
        Late { project, direct, surefire, capabilities, last: EngineKind::Direct, endless, notes }
    }

    /// Why Maven has to run a selection. Classes come in their original order: a parallel first run has not shown it, and
    /// Maven knows it by itself. So it does which tests are behind a fixture that failed before any of them was seen.
    fn why_not_direct(&self, selection: &Selection) -> Option<String> {
        let runner = self.project.words().runner;
        match selection {
            Selection::All => None,
            Selection::Classes(_) => self.project.is_order_unknown().then(|| {
                format!(
                    "{runner} reran the classes instead of the direct engine, because a parallel first run does not \
                     show the order of their tests"
                )
            }),
            Selection::Tests(tests) => {
                let known: HashSet<ClassId> = self.project.tests().iter().map(TestId::class_id).collect();
                let unseen = tests.iter().any(|test| !known.contains(&test.class_id()));
                unseen.then(|| {
                    format!(
                        "{runner} reran the failed tests instead of the direct engine, because a class fixture failed \
                         before any of its tests was seen"
                    )
                })
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
        let mut request = RunRequest { policy: ProcessPolicy::default(), ..request.clone() };
        if let Selection::Classes(classes) = &mut request.selection {
            let asked = classes.len();
            classes.retain(|class| !self.endless.contains(class));
            if classes.len() < asked {
                let runner = self.project.words().runner;
                self.note_once(&format!(
                    "classes of tests that took too long alone were not rerun: {runner} cannot end a single test"
                ));
            }
        }
        request
    }

    fn direct(&mut self) -> Option<&mut Box<dyn Session>> {
        if self.direct.is_none() {
            let opened = self.project.session(EngineKind::Direct);
            if let Err(error) = &opened {
                let runner = self.project.words().runner;
                let text = format!("{runner} reran the failed tests, because the direct engine cannot: {error}");
                self.notes.push(note(text));
            }
            self.direct = Some(opened.map_err(|error| error.to_string()));
        }
        self.direct.as_mut().and_then(|opened| opened.as_mut().ok())
    }

    /// It takes as long as a test takes.
    fn by_surefire(&mut self, request: &RunRequest) -> miette::Result<SuiteRun> {
        if self.surefire.is_none() {
            self.surefire = Some(self.project.session(EngineKind::Surefire)?);
        }
        // Not every project's own runner is Surefire.
        self.last = self.surefire.as_ref().map_or(EngineKind::Surefire, |session| session.engine());
        if request.policy.test_limit.is_some() {
            let runner = self.project.words().runner;
            self.note_once(&format!("the time limit of single tests does not apply to reruns by {runner}"));
        }
        let request = self.bearable(request);
        if request.selection == Selection::Classes(Vec::new()) {
            return Ok(SuiteRun {
                executions: Vec::new(),
                cost: Cost::default(),
                end: RunEnd::Finished,
                granularity: Granularity::Class,
                findings: Vec::new(),
                seen: Observations::default(),
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
        if self.project.is_unexplored() {
            return Err(miette::miette!("nothing can be rerun, because the first run showed no tests"));
        }
        match self.why_not_direct(&request.selection) {
            Some(why) => self.note_once(&why),
            None => {
                if let Some(direct) = self.direct() {
                    let engine = direct.engine();
                    let run = direct.run(request)?;
                    let endless = run.executions.iter().filter(|execution| execution.outcome == Outcome::TimedOut);
                    self.endless.extend(endless.map(|execution| execution.test.class_id()));
                    self.last = engine;
                    return Ok(run);
                }
            }
        }
        self.by_surefire(request)
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::time::Duration;

    use super::*;
    use crate::engine::Resources;
    use crate::project::ToolFacts;
    use crate::subject::Checkout;

    /// Knows tests, and has no engine.
    struct Known {
        tests: Vec<TestId>,
        is_order_unknown: bool,
    }

    impl Project for Known {
        fn revision(&self) -> &str {
            ""
        }

        fn checkout(&self) -> Option<&Checkout> {
            None
        }

        fn tools(&self) -> ToolFacts {
            ToolFacts::new()
        }

        fn tools_in_words(&self) -> Vec<(&'static str, String)> {
            Vec::new()
        }

        fn frameworks(&self) -> Vec<String> {
            Vec::new()
        }

        fn tests(&self) -> Vec<TestId> {
            self.tests.clone()
        }

        fn is_order_unknown(&self) -> bool {
            self.is_order_unknown
        }

        fn session(&self, _: EngineKind) -> miette::Result<Box<dyn Session>> {
            Err(miette::miette!("there is no engine"))
        }
    }

    fn late(is_order_unknown: bool) -> Late {
        Late::new(Rc::new(Known { tests: vec!["a.B#x".parse().unwrap()], is_order_unknown }))
    }

    fn classes(names: &[&str]) -> Selection {
        Selection::Classes(names.iter().map(|name| TestId::new("", name, "t", 1).class_id()).collect())
    }

    fn request(selection: Selection) -> RunRequest {
        RunRequest {
            selection,
            policy: ProcessPolicy { test_limit: Some(Duration::from_secs(1)), ..ProcessPolicy::default() },
            ..RunRequest::sequential(
                "stage-3",
                Resources { cores: 1, memory_bytes: None, logs: PathBuf::new() },
                Duration::from_secs(1),
            )
        }
    }

    #[test]
    fn maven_is_not_asked_for_what_it_could_not_end() {
        let mut late = late(false);
        late.endless.insert(TestId::new("", "a.Hangs", "t", 1).class_id());
        let bearable = late.bearable(&request(classes(&["a.Hangs", "a.Fails"])));
        assert_eq!((bearable.selection, bearable.policy), (classes(&["a.Fails"]), ProcessPolicy::default()));
        assert_eq!(late.notes.len(), 1);
        late.bearable(&request(classes(&["a.Hangs"])));
        assert_eq!(late.notes.len(), 1, "it is said once");
        assert_eq!(late.bearable(&request(Selection::All)).selection, Selection::All);
    }

    #[test]
    fn maven_reruns_only_what_the_first_run_did_not_show() {
        let (known, scrambled) = (late(false), late(true));
        let test = |id: &str| Selection::Tests(vec![id.parse().unwrap()]);
        assert_eq!(known.why_not_direct(&classes(&["a.B"])), None);
        assert!(scrambled.why_not_direct(&classes(&["a.B"])).unwrap().contains("order"));
        assert_eq!(scrambled.why_not_direct(&test("a.B#x")), None);
        assert!(scrambled.why_not_direct(&test("a.C#y")).unwrap().contains("fixture"));
    }
}
