//! The fast engine: our own runner in JVMs like those that Surefire starts, on what the build revealed. Any selection of
//! tests in any order, single invocations too, without Maven.
//!
//! Each run has processes of its own unless it asks for warm ones. A test that hangs or ends its process costs only
//! itself. What it cannot know about a suite it says at its opening, and then there is no session.

mod accesses;
mod archive;
mod coverage;
mod crew;
mod crowd;
mod events;
mod goal_runs;
mod harvest;
mod launch;
mod line_table;
mod listing;
mod quick;
mod request;
mod roots;
mod side_by_side;
mod traces;
mod worker;

pub use events::ended_tests;

pub(super) use self::accesses::option as agent_option;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use miette::miette;

use self::accesses::Places;
use self::coverage::{Mark, Recording};
use self::crew::{Staffing, WorkerResults, Workplace};
use self::crowd::Crowd;
use self::goal_runs::{GoalRun, legs};
use self::harvest::Identities;
use self::launch::Jvm;
use self::listing::Shelf;
use self::request::Manner;
use self::roots::{Framework, Listing, TestLocation};
use self::worker::{Bounds, JvmPlace, JvmWorker, Ticket};
use crate::build::{Discovery, Prepared};
use crate::engine::{
    Capabilities, EngineKind, Instrumentation, Isolation, Mode, ModeSupport, RunRequest, Selection, Session, Support,
    logs,
};
use crate::maven::seal::SealKey;
use crate::maven::{self, Clock, KnownTest, Launch};
use crate::process::Interrupt;
use crate::suite::{
    Accesses, ClassId, Execution, Finding, FindingKind, Granularity, Observations, Outcome, SuiteRun, TestId,
};

/// A prepared subject, ready to run any of its tests.
#[derive(Debug)]
pub struct DirectSession {
    prepared: Rc<Prepared>,
    tests: Vec<TestId>,
    positions: HashMap<TestId, usize>,
    places: Vec<TestLocation>,
    identities: Identities,
    capabilities: Capabilities,
    /// What every run has to say.
    notes: Vec<Finding>,
    interrupt: Interrupt,
    tag: String,
    numbers: AtomicU64,
    /// By suite: the way to start processes quickly, once it is known.
    quick: HashMap<usize, Jvm>,
    /// By suite: processes that stay. They end before their folders go.
    warm: HashMap<usize, Staff>,
    /// By suite, where somebody wants that: a fresh process for the next run, started during the last one.
    ready: Option<HashMap<usize, Staff>>,
    /// Of fresh processes, and of those that stay.
    crowds: [Crowd; 2],
    /// Did a run change anything in the worktree?
    leaves_files: bool,
    scratch: tempfile::TempDir,
}

/// Processes that stay, and what they were started with.
#[derive(Debug)]
struct Staff {
    jvm: Jvm,
    cores: Option<usize>,
    memory_bytes: Option<u64>,
    workers: Vec<JvmWorker>,
}

impl DirectSession {
    /// `tag` begins the mark of all processes, so that a resumed run finds those of a killed one. An error where the build
    /// did not reveal how its tests are started.
    pub fn open(prepared: Rc<Prepared>, tag: impl Into<String>, interrupt: Interrupt) -> miette::Result<Self> {
        check_revealed(prepared.discovery(), &prepared.subject.name)?;
        prepared.snapshot.restore()?;
        let failed = |error| miette!("no temporary folder: {error}");
        let scratch = tempfile::Builder::new().prefix("parade-direct-").tempdir().map_err(failed)?;
        // Others find their own folders in it, and can put nothing else there.
        std::fs::set_permissions(scratch.path(), std::os::unix::fs::PermissionsExt::from_mode(0o711))
            .map_err(failed)?;
        let tests: Vec<TestId> = prepared.discovery().tests.iter().map(|test| test.id.clone()).collect();
        let positions = tests.iter().cloned().enumerate().map(|(position, id)| (id, position)).collect();
        let mut session = DirectSession {
            notes: notes(prepared.discovery()),
            identities: Identities::new(&[], &[]),
            prepared,
            tests,
            positions,
            places: Vec::new(),
            capabilities: capabilities(),
            interrupt,
            // No other session may have it, as everything of the same tag ends with its process.
            tag: format!("{}-{}", tag.into(), SealKey::random()?.to_hex()),
            numbers: AtomicU64::new(0),
            quick: HashMap::new(),
            warm: HashMap::new(),
            ready: None,
            crowds: [Crowd::default(); 2],
            leaves_files: false,
            scratch,
        };
        let listings = session.listings()?;
        session.places = roots::places(session.prepared.discovery(), &listings);
        session.identities = Identities::new(&session.prepared.discovery().tests, &session.places);
        Ok(session)
    }

    /// From now on the next run finds a process that is started already: for those who run small orders by the hundred, and
    /// measure none of them. It has run nothing, so it is as fresh as any.
    pub fn keep_one_ready(&mut self) {
        self.ready.get_or_insert_default();
    }

    fn known(&self) -> &[KnownTest] {
        &self.prepared.discovery().tests
    }

    /// Suites that have tests are revealed.
    fn launch_of(&self, suite: usize) -> miette::Result<&Launch> {
        let revealed = self.prepared.discovery().suites.get(suite).and_then(|suite| suite.launch.as_ref());
        revealed
            .ok_or_else(|| miette!("parade does not know how the tests of {} are started", self.prepared.subject.name))
    }

    fn jvm(&self, suite: usize) -> miette::Result<Jvm> {
        let prepared = &self.prepared;
        let environment =
            maven::environment(&prepared.toolchain, prepared.user.as_ref(), &prepared.subject.environment);
        Ok(Jvm::new(self.launch_of(suite)?, &self.prepared.helper.listeners, &environment))
    }

    /// What the frameworks have to be asked, from the shelf where it was asked before.
    fn listings(&mut self) -> miette::Result<Vec<Listing>> {
        let wanted = roots::wanted(self.prepared.discovery());
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let shelf = Shelf::of(&self.prepared)?;
        if let Some(listings) = shelf.read() {
            return Ok(listings);
        }
        let prepared = Rc::clone(&self.prepared);
        prepared.before_run()?;
        let (listings, failures) = self.ask(&wanted)?;
        prepared.worktree.after_run(&prepared.snapshot)?;
        if failures.is_empty() {
            shelf.write(&listings)?;
        }
        self.notes.extend(failures);
        Ok(listings)
    }

    fn ask(&self, wanted: &[(usize, Framework)]) -> miette::Result<(Vec<Listing>, Vec<Finding>)> {
        let (mut listings, mut failures) = (Vec::new(), Vec::new());
        for &(suite, framework) in wanted {
            let bounds = self.unmeasured(self.prepared.subject.timeout);
            let place = self.place(suite, self.jvm(suite)?, bounds, self.scratch.path(), &[]);
            match listing::ask(&place, suite, framework, &self.launch_of(suite)?.scanned)? {
                Ok(listing) => listings.push(listing),
                Err(why) => {
                    let module = &self.prepared.discovery().suites[suite].module;
                    let text = format!(
                        "the tests of the classes in `{module}` could not be listed ({why}): tests of suite \
                         classes, and tests with repeated names, may not be found"
                    );
                    failures.push(Finding::new(FindingKind::Deviation, text));
                }
            }
        }
        Ok((listings, failures))
    }

    /// For processes that are no part of any run.
    fn unmeasured(&self, time: Duration) -> Bounds {
        Bounds { cores: None, memory_bytes: None, deadline: deadline(time) }
    }

    fn place<'a>(
        &'a self,
        suite: usize,
        jvm: Jvm,
        bounds: Bounds,
        logs: &'a Path,
        tickets: &'a [Ticket<'a>],
    ) -> JvmPlace<'a> {
        JvmPlace {
            jvm,
            module: &self.prepared.discovery().suites[suite].module,
            bounds,
            clock: Clock::now(),
            interrupt: &self.interrupt,
            user: self.prepared.user.as_ref(),
            worktree: &self.prepared.checkout.root,
            scratch: self.scratch.path(),
            logs,
            tag: self.tag.clone(),
            numbers: &self.numbers,
            tickets,
            traces: None,
        }
    }

    /// The tests of a selection, in the order to run them, and those that are not of this suite.
    fn chosen(&self, selection: &Selection) -> (Vec<usize>, Vec<(TestId, String)>) {
        match selection {
            Selection::All => ((0..self.tests.len()).collect(), Vec::new()),
            Selection::Classes(classes) => {
                let members = self.members();
                let mut wanted = HashSet::new();
                let once = classes.iter().filter(|class| wanted.insert(*class));
                (once.flat_map(|class| members.get(class).into_iter().flatten().copied()).collect(), Vec::new())
            }
            Selection::Tests(tests) => self.named(tests),
        }
    }

    /// These tests. A class that is named as a whole, as its fixture failed, is the tests of it that are not named.
    fn named(&self, tests: &[TestId]) -> (Vec<usize>, Vec<(TestId, String)>) {
        let (mut chosen, mut unknown) = (Vec::new(), Vec::new());
        let mut named: HashSet<usize> = tests.iter().filter_map(|test| self.positions.get(test).copied()).collect();
        let members = self.members();
        for test in tests {
            match (self.positions.get(test), members.get(&test.class_id())) {
                (Some(position), _) => chosen.push(*position),
                (None, Some(members)) if test.is_whole_class() => {
                    chosen.extend(members.iter().copied().filter(|position| named.insert(*position)));
                }
                (None, _) => unknown.push((test.clone(), "it is not a test of this suite".to_owned())),
            }
        }
        (chosen, unknown)
    }

    fn members(&self) -> HashMap<ClassId, Vec<usize>> {
        let mut members: HashMap<ClassId, Vec<usize>> = HashMap::new();
        for (position, test) in self.tests.iter().enumerate() {
            members.entry(test.class_id()).or_default().push(position);
        }
        members
    }

    fn run_leg(
        &mut self,
        request: &RunRequest,
        leg: &GoalRun,
        chosen: &[usize],
        pace: &mut Pace<'_>,
    ) -> miette::Result<WorkerResults> {
        let warm = request.policy.isolation == Isolation::Warm;
        let staffing = self.staffing(request, leg.suite)?;
        let jobs = self.jobs(leg, chosen, staffing);
        let slots = staffing.forks.min(jobs.len()).max(1) as u64;
        let bounds = Bounds {
            cores: Some(request.resources.cores),
            memory_bytes: request.resources.memory_bytes.map(|bytes| bytes / slots),
            deadline: pace.deadline,
        };
        let jvm = self.jvm_for(request, leg.suite)?;
        let jvm = pace.recording.as_mut().map_or(Ok(jvm.clone()), |recording| recording.of(jvm))?;
        // A process that is there already was started without anything that watches.
        let watched = request.watch != Instrumentation::default();
        let mut workers = match &mut self.ready {
            _ if watched => Vec::new(),
            _ if warm => fitting(&mut self.warm, leg.suite, &jvm, &bounds),
            Some(ready) => fitting(ready, leg.suite, &jvm, &bounds),
            None => Vec::new(),
        };
        let ahead = !warm && !watched && self.ready.is_some();
        let next = if ahead { Some(self.start_ahead(leg.suite, &jvm, &bounds)?) } else { None };
        let tickets: Vec<Ticket<'_>> = chosen.iter().map(|position| self.ticket(*position)).collect();
        let mut place = self.place(leg.suite, jvm.clone(), bounds.clone(), pace.logs, &tickets);
        place.clock = pace.clock;
        place.traces = pace.recording.as_ref().map(|recording| recording.folder.path());
        let haul = crew::run(&place, staffing, jobs, &mut workers);
        if warm {
            let Bounds { cores, memory_bytes, .. } = bounds;
            self.warm.insert(leg.suite, Staff { jvm, cores, memory_bytes, workers });
        } else if let (Some(ready), Some(next)) = (&mut self.ready, next) {
            let Bounds { cores, memory_bytes, .. } = bounds;
            workers.insert(0, next);
            ready.insert(leg.suite, Staff { jvm, cores, memory_bytes, workers });
        }
        haul
    }

    fn ticket(&self, position: usize) -> Ticket<'_> {
        let display = self.known()[position].display.as_deref();
        Ticket { id: &self.tests[position], place: &self.places[position], display }
    }

    fn staffing(&self, request: &RunRequest, suite: usize) -> miette::Result<Staffing> {
        let asked = &request.parallelism;
        let cores = request.resources.cores;
        let sequential = asked.mode == Mode::Sequential;
        let manner = Manner {
            mode: asked.mode,
            threads: if sequential { 1 } else { asked.threads_on(cores).max(1) },
            limit: request.policy.test_limit,
            isolation: request.policy.isolation,
        };
        Ok(Staffing {
            forks: if sequential { 1 } else { asked.forks.on(cores) as usize },
            // Where a project wants a process for every class, its tests may need it.
            reuse: asked.reuse_forks && self.launch_of(suite)?.reuse_forks,
            stay: request.policy.isolation == Isolation::Warm,
            manner,
        })
    }

    /// One job for one process, or one for each class that is run.
    fn jobs(&self, leg: &GoalRun, chosen: &[usize], staffing: Staffing) -> Vec<Vec<usize>> {
        if staffing.forks <= 1 && (staffing.reuse || staffing.stay) {
            return vec![leg.tests.clone()];
        }
        let root = |test: &usize| &self.places[chosen[*test]].root;
        leg.tests.chunk_by(|a, b| root(a) == root(b)).map(<[usize]>::to_vec).collect()
    }

    fn jvm_for(&self, request: &RunRequest, suite: usize) -> miette::Result<Jvm> {
        if request.watch.accesses {
            let option = accesses::option(&self.prepared.helper, &self.shared_places().project)?;
            return Ok(self.jvm(suite)?.with_agent(option));
        }
        let quick = self.quick.get(&suite).filter(|_| request.policy.quick_start && !request.watch.coverage);
        let jvm = quick.cloned().map_or_else(|| self.jvm(suite), Ok)?;
        let warm = request.policy.isolation == Isolation::Warm;
        Ok(if warm { jvm.with_folders_apart() } else { jvm })
    }

    /// A process without an order; its output goes where that of no run does.
    fn start_ahead(&self, suite: usize, jvm: &Jvm, bounds: &Bounds) -> miette::Result<JvmWorker> {
        let place = self.place(suite, jvm.clone(), bounds.clone(), self.scratch.path(), &[]);
        place.start(1, None)
    }

    /// Adds what a leg brought in, by the names of the suite's tests.
    fn gather(&self, crop: &mut RunAccumulator, mut haul: WorkerResults, suite: usize, chosen: &[usize]) {
        let asked = |test: usize| self.tests[chosen[test]].clone();
        crop.lost.extend(std::mem::take(&mut haul.unrunnable).into_iter().map(|(test, why)| (asked(test), why)));
        let marks: Vec<Mark> = haul.seen.iter().map(|seen| seen.mark).collect();
        let (executions, company) = self.identities.executions(suite, std::mem::take(&mut haul.seen), asked);
        let tests = executions.iter().map(|execution| &execution.test);
        let named = marks.into_iter().zip(tests).filter(|(_, test)| !test.is_whole_class());
        crop.marks.extend(named.map(|(mark, test)| (mark, test.clone())));
        crop.executions.extend(executions);
        crop.company.extend(company);
        crop.accesses.extend(accesses::accesses(std::mem::take(&mut haul.touched), asked, &self.shared_places()));
        crop.haul = std::mem::take(&mut crop.haul).then(haul);
    }

    fn suite_run(&self, request: &RunRequest, crop: RunAccumulator) -> SuiteRun {
        let RunAccumulator { haul, mut executions, company, lost, accesses, .. } = crop;
        executions.sort_by(|a, b| a.start.total_cmp(&b.start));
        let mut findings = self.notes.clone();
        findings.extend(haul.findings);
        findings.extend(harvest::unrunnable(&lost));
        findings.extend(harvest::company(&company));
        if request.selection == Selection::All && request.parallelism.mode == Mode::Sequential {
            findings.extend(harvest::disagreement(self.known(), &executions));
        }
        SuiteRun {
            end: harvest::run_end(haul.end, !executions.is_empty()),
            executions,
            cost: haul.cost,
            granularity: if company.is_empty() { Granularity::Occurrence } else { Granularity::Name },
            findings,
            seen: Observations { accesses, ..Observations::default() },
        }
    }

    fn shared_places(&self) -> Places {
        // As processes see their own folder.
        let root = &self.prepared.checkout.root;
        let project = root.canonicalize().unwrap_or_else(|_| root.clone());
        Places { project, temporary: std::env::temp_dir() }
    }
}

/// The processes of a suite that are there already, if they are what this run asks for.
fn fitting(staff: &mut HashMap<usize, Staff>, suite: usize, jvm: &Jvm, bounds: &Bounds) -> Vec<JvmWorker> {
    let fits =
        |staff: &Staff| staff.jvm == *jvm && staff.cores == bounds.cores && staff.memory_bytes == bounds.memory_bytes;
    staff.remove(&suite).filter(fits).map(|staff| staff.workers).unwrap_or_default()
}

/// What the legs of a run have brought in.
#[derive(Default)]
struct RunAccumulator {
    /// What is left of it: executions and lost tests are taken out.
    haul: WorkerResults,
    executions: Vec<Execution>,
    /// Which test the records of processes mean.
    marks: HashMap<Mark, TestId>,
    /// Tests that ran without being asked for.
    company: Vec<TestId>,
    /// Tests that could not be run, with the reason.
    lost: Vec<(TestId, String)>,
    accesses: Vec<Accesses>,
}

/// What all legs of a run share.
struct Pace<'a> {
    clock: Clock,
    deadline: Instant,
    logs: &'a Path,
    /// Of what tests cover, where that is wanted.
    recording: Option<Recording>,
}

impl Session for DirectSession {
    fn engine(&self) -> EngineKind {
        EngineKind::Direct
    }

    fn tests(&self) -> &[TestId] {
        &self.tests
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn run(&mut self, request: &RunRequest) -> miette::Result<SuiteRun> {
        self.capabilities.check_mode(request.parallelism.mode, &self.prepared.subject.name)?;
        self.capabilities.check_instrumentation(request)?;
        let logs = log_folder(request)?;
        let (chosen, unknown) = self.chosen(&request.selection);
        let legs = legs(&chosen, self.known());
        if request.policy.quick_start && !request.watch.coverage {
            self.quicken(&legs, &chosen)?;
        }

        let prepared = Rc::clone(&self.prepared);
        prepared.before_run()?;
        let began = Instant::now();
        let recording = request.watch.coverage.then(|| Recording::begin(&prepared, self.scratch.path())).transpose()?;
        let mut pace = Pace { clock: Clock::now(), deadline: deadline(request.time_limit), logs: &logs, recording };
        let mut crop = RunAccumulator { lost: unknown, ..RunAccumulator::default() };
        for leg in &legs {
            let haul = self.run_leg(request, leg, &chosen, &mut pace)?;
            self.gather(&mut crop, haul, leg.suite, &chosen);
            if crop.haul.end.is_some() {
                break;
            }
        }
        crop.haul.cost.wall_seconds = began.elapsed().as_secs_f64();
        let changes = prepared.worktree.after_run(&prepared.snapshot)?;
        self.note_changes(&changes);
        let marks = std::mem::take(&mut crop.marks);
        let mut run = self.suite_run(request, crop);
        run.findings.extend(changes.dirty());
        if let Some(recording) = pace.recording {
            let skipped = run.executions.iter().filter(|execution| execution.outcome == Outcome::Skipped);
            let skipped: Vec<&TestId> = skipped.map(|execution| &execution.test).collect();
            let (coverage, findings) = recording.end(&prepared, &marks, &skipped, (&self.interrupt, &self.tag))?;
            run.findings.extend(findings);
            run.seen.coverage = coverage;
        }
        Ok(run)
    }

    fn side_by_side(&self) -> usize {
        self.lanes()
    }

    fn run_all(&mut self, requests: &[RunRequest]) -> miette::Result<Vec<SuiteRun>> {
        self.run_beside(requests)
    }

    fn let_go(&mut self) {
        self.warm.clear();
        self.ready.iter_mut().for_each(HashMap::clear);
    }
}

fn capabilities() -> Capabilities {
    let support = |mode| match mode {
        Mode::Project => Support::None("the project's own parallel settings apply only in its own build".to_owned()),
        _ => Support::Full,
    };
    Capabilities {
        selection: Granularity::Occurrence,
        modes: Mode::ALL.into_iter().map(|mode| ModeSupport { mode, support: support(mode) }).collect(),
        imposes_order: true,
        isolations: vec![Isolation::Fresh, Isolation::Warm],
        limits_tests: true,
        enlarges_limits: false,
        modules_at_once: false,
        processes_only: false,
        watches: Instrumentation { coverage: true, accesses: true },
    }
}

/// Every suite with tests has to be known well enough to be started.
fn check_revealed(discovery: &Discovery, subject: &str) -> miette::Result<()> {
    for (index, suite) in discovery.suites.iter().enumerate() {
        if !discovery.tests.iter().any(|test| test.suite == index) {
            continue;
        }
        let why = match (&suite.launch, &suite.unrevealed) {
            (None, Some(why)) => why.clone(),
            (None, None) => "its build did not reveal how its test JVMs are started".to_owned(),
            (Some(_), _) if roots::frameworks(suite).is_none() => {
                format!("its tests are run by {}, which parade does not know", suite.providers.join(", "))
            }
            (Some(_), _) => continue,
        };
        let module = if suite.module.is_empty() { String::new() } else { format!(" (module {})", suite.module) };
        return Err(miette!(
            help = "use `engine = \"surefire\"` for this subject",
            "the engine `direct` cannot run {subject}{module}: {why}"
        ));
    }
    Ok(())
}

fn notes(discovery: &Discovery) -> Vec<Finding> {
    let notes = discovery.suites.iter().flat_map(|suite| suite.launch.iter().flat_map(|launch| &launch.notes));
    let mut findings: Vec<Finding> = notes.map(|note| Finding::new(FindingKind::Deviation, note.clone())).collect();
    findings.dedup();
    findings.extend(discovery.gaps());
    findings
}

/// For the fuzzer: what a process may have written.
pub fn read_traces(bytes: &[u8]) {
    traces::Traces::default().read_from(1, bytes, bytes.len() as u64);
}

/// Where the logs of a run go when its processes have ended. Until then nothing is there: the name tells what is measured.
fn log_folder(request: &RunRequest) -> miette::Result<PathBuf> {
    Ok(request.resources.logs.join(logs::safe_label(&request.label)?))
}

fn deadline(time: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(time).unwrap_or(now + Duration::from_secs(365 * 24 * 3600))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_modes_but_the_projects_own_are_offered() {
        let offered = Mode::ALL.map(|mode| capabilities().support(mode) == Support::Full);
        assert_eq!(offered, [true, false, true, true, true]);
    }
}
