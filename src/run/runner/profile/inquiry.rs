//! Finds out about one version of a subject by running it: what tests take and cover, what they depend on in given orders, which
//! of them depend on the order at all. Runs that are on record are not repeated.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::time::Instant;

use crate::engine::{Instrumentation, Resources, RunRequest, Session};
use crate::process::Interrupt;
use crate::runner::{Event, Watcher};
use crate::store::{OpenRun, OrderRecords, ProfileFiles, TestDuration};
use crate::suite::{Coverage, Dependency, DependencyGraph, RunEnd, SuiteRun, TestId};
use crate::technique::arrange::{Material, arrange};
use crate::technique::detect::seek::{self, FoundDependencies, Machines, SeekInput};
use crate::technique::detect::{Progress, SearchContext, SearchStop, TestRoster};

use super::needs::DependencySearch;
use super::tidy::LogTidyingSession;

/// Runs of the original order whose mean times count, as the study runs everything three times.
const RUNS: u32 = 3;
/// Between two words about the progress.
const CALM: std::time::Duration = std::time::Duration::from_secs(5);

/// One version and what it may use.
pub(super) struct ProfileMeasurement<'a> {
    pub subject: &'a str,
    /// A fingerprint of everything that the outcome of an order depends on.
    pub identity: String,
    pub record: &'a mut OpenRun,
    pub session: &'a mut dyn Session,
    /// Which tests can meet in a process, by test; empty where modules tell.
    pub groups: Vec<usize>,
    pub set_aside: &'a HashSet<TestId>,
    pub files: &'a ProfileFiles,
    pub resources: Resources,
    pub time_limit: std::time::Duration,
    pub interrupt: &'a Interrupt,
    pub watcher: &'a mut dyn Watcher,
}

/// A version is inquired into once, and a run has many: a process that nobody asks any more only takes memory.
impl Drop for ProfileMeasurement<'_> {
    fn drop(&mut self) {
        self.session.let_go();
    }
}

/// `None` when the user interrupted.
pub(super) type Interruptible<T> = miette::Result<Option<T>>;

impl ProfileMeasurement<'_> {
    /// What each test takes, in the original order.
    pub fn durations(&mut self) -> Interruptible<Vec<TestDuration>> {
        if let Some(known) = self.files.durations(self.record)? {
            return Ok(Some(known));
        }
        let mut sums: HashMap<TestId, (f64, u32)> = HashMap::new();
        for number in 1..=RUNS {
            self.tell(&format!("{}: measuring durations, run {number} of {RUNS}", self.subject));
            let run = self.run(&format!("times-{number}"), Instrumentation::default())?;
            if self.interrupt.is_set() {
                return Ok(None);
            }
            for execution in run.executions {
                let sum = sums.entry(execution.test).or_default();
                *sum = (sum.0 + execution.seconds, sum.1 + 1);
            }
        }
        let mean = |test: &TestId| sums.get(test).map_or(0.0, |(seconds, runs)| seconds / f64::from(*runs));
        let durations: Vec<TestDuration> =
            self.session.tests().iter().map(|test| TestDuration { test: test.clone(), seconds: mean(test) }).collect();
        self.files.write_durations(self.record, &durations)?;
        Ok(Some(durations))
    }

    /// What each test covers, or why nobody can tell.
    pub fn coverage(&mut self) -> Interruptible<Result<Coverage, String>> {
        if let Some(known) = self.files.coverage(self.record)? {
            return Ok(Some(Ok(known)));
        }
        if !self.session.capabilities().watches.coverage {
            let why = format!("the engine `{}` cannot measure coverage of this suite", self.session.engine());
            return Ok(Some(Err(why)));
        }
        self.tell(&format!("{}: measuring coverage", self.subject));
        let run = self.run("coverage", Instrumentation { coverage: true, accesses: false })?;
        if self.interrupt.is_set() {
            return Ok(None);
        }
        let Some(coverage) = run.seen.coverage else {
            return Ok(Some(Err("no coverage was recorded".to_owned())));
        };
        self.files.write_coverage(self.record, &coverage)?;
        Ok(Some(Ok(coverage)))
    }

    fn run(&mut self, label: &str, watch: Instrumentation) -> miette::Result<SuiteRun> {
        let request = RunRequest { watch, ..RunRequest::sequential(label, self.resources.clone(), self.time_limit) };
        let run = self.session.run(&request)?;
        match &run.end {
            RunEnd::BuildFailed(why) | RunEnd::Crashed(why) if run.executions.is_empty() => {
                Err(miette::miette!("the original order could not be run: {why}"))
            }
            _ => Ok(run),
        }
    }

    /// Dependencies that the orders of an algorithm need.
    pub fn seek(
        &mut self,
        search: DependencySearch,
        durations: &[TestDuration],
        coverage: Option<&Coverage>,
    ) -> Interruptible<FoundDependencies> {
        let tests: Vec<TestId> = durations.iter().map(|row| row.test.clone()).collect();
        let seconds: Vec<f64> = durations.iter().map(|row| row.seconds).collect();
        let mut order = |known: &[Dependency]| -> miette::Result<Machines> {
            let graph = (!known.is_empty()).then(|| DependencyGraph::new(known.to_vec(), &tests)).transpose()?;
            let material = Material {
                suite: &tests,
                coverage,
                change: None,
                seconds: Some(&seconds),
                dependencies: graph.as_ref(),
                machines: search.machines as usize,
            };
            Ok(arrange(search.algorithm, &material)?.machines)
        };
        let roster = self.roster(&tests);
        self.ask(&format!("dependencies in orders of {}", search.algorithm), roster, |bed| seek::seek(bed, &mut order))
    }

    /// Which of these tests depend on the order, by random ones.
    pub fn order_dependent(&mut self, tests: &[TestId], rounds: u32, seed: u64) -> Interruptible<Vec<TestId>> {
        let roster = self.roster(tests);
        self.ask("order-dependent tests", roster, |bed| seek::order_dependent(bed, rounds as usize, seed))
    }

    /// Tests of the suite in this order.
    fn roster(&self, tests: &[TestId]) -> TestRoster {
        let all = self.session.tests();
        if self.groups.len() != all.len() {
            return TestRoster::by_module(tests);
        }
        let groups: HashMap<&TestId, usize> = all.iter().zip(self.groups.iter().copied()).collect();
        let of: Vec<usize> = tests.iter().map(|test| groups.get(test).copied().unwrap_or_default()).collect();
        TestRoster::new(tests, &of)
    }

    fn ask<T>(
        &mut self,
        what: &str,
        roster: TestRoster,
        question: impl FnOnce(SeekInput<'_>) -> Result<T, SearchStop>,
    ) -> Interruptible<T> {
        let subject = self.subject;
        let watcher = RefCell::new(&mut *self.watcher);
        let mut last: Option<Instant> = None;
        let mut hear = |progress: &Progress| {
            if last.is_none_or(|last| last.elapsed() >= CALM) {
                last = Some(Instant::now());
                let text = format!("{subject}: {what}: {}", progress.text);
                watcher.borrow_mut().event(&Event::Stage { text: &text });
            }
        };
        let interrupt = self.interrupt;
        let mut session = LogTidyingSession { inner: &mut *self.session };
        let resources = self.resources.clone();
        let mut memory = OrderRecords::new(self.record, subject, &self.identity);
        let company = SearchContext { memory: &mut memory, hear: &mut hear, stop: &|| interrupt.is_set() };
        match question(SeekInput { session: &mut session, roster, set_aside: self.set_aside, resources, company }) {
            Ok(answer) => Ok(Some(answer)),
            Err(SearchStop::Interrupted) => Ok(None),
            Err(SearchStop::Broken(report)) => Err(report),
            Err(SearchStop::Budget) => Err(miette::miette!("the time limit for finding {what} is too large")),
        }
    }

    fn tell(&mut self, text: &str) {
        self.watcher.event(&Event::Stage { text });
    }
}
