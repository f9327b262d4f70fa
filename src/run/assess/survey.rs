//! What can be known of a project before anything is compared: its build, its tests, what it does in parallel today, and what
//! one run takes. It is the first step of the assessment's run, so that an assessment that goes on plans as it did before.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::agenda;
use super::forecast::{Model, Observed, Suite};
use super::parallel_mode::ParallelMode;
use super::{AssessmentRequest, TAG};
use crate::engine::{Capabilities, EngineKind, Resources, RunRequest, Session, Support};
use crate::home::Home;
use crate::process::{self, Interrupt};
use crate::project::{self, AdoptionFacts, FirstRun, OpenFailure, OpenRequest, Opened, Project};
use crate::runner::{Event, Watcher, WatcherProgress};
use crate::spec::Subject;
use crate::store::record::TrialRecord;
use crate::store::{RunFolder, Strain};
use crate::subject;
use crate::suite::{Execution, FindingKind, Outcome, RunEnd, SuiteRun, TestId};
use crate::wording::first_line;

/// Of the time of a run: less of waiting for CPU time is no matter.
const MOST_THROTTLED: f64 = 0.05;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Survey {
    /// Of the project as it stands: a commit, or a hash of its content.
    pub revision: String,
    /// What was asked of it: modules, JDK, cores.
    pub(super) asked: String,
    pub build_tool: String,
    pub jdk: Option<String>,
    pub frameworks: Vec<String>,
    pub modules: Vec<String>,
    pub tests: usize,
    pub classes: usize,
    /// What the project's own settings say about running in parallel.
    pub parallel_today: Vec<String>,
    /// Ways that can have an effect.
    pub ways: Vec<ParallelMode>,
    /// What the forecast from the first run says that each would take, in seconds.
    #[serde(default)]
    pub promise: Vec<(ParallelMode, f64)>,
    /// Ways that cannot, with the reason.
    pub impossible: Vec<(ParallelMode, String)>,
    pub dialects: AdoptionFacts,
    /// Why the direct engine cannot run the suite.
    pub without_direct: Option<String>,
    /// Of the first run, one test after the other on all cores.
    pub seconds: f64,
    pub cpu_seconds: f64,
    pub test_seconds: f64,
    /// What its tests themselves computed, where their processes told: without compilers and collectors.
    #[serde(default)]
    pub test_cpu_seconds: Option<f64>,
    /// Cores that other work kept busy meanwhile; nothing for a model suite.
    #[serde(default)]
    pub load_during: Option<f64>,
    /// Seconds in which its processes had to wait for CPU time, because a limit of their control group was reached.
    #[serde(default)]
    pub throttled_seconds: Option<f64>,
    /// Tests that did not pass in it, nor were skipped: also those that never ran.
    #[serde(default)]
    pub failed: usize,
    /// Those that failed, at most as many as records have.
    #[serde(default)]
    pub failed_tests: Vec<TestId>,
    /// What they failed of: the first line of the message.
    #[serde(default)]
    pub messages: Vec<(TestId, String)>,
    /// Tests that it skipped.
    #[serde(default)]
    pub skipped: usize,
    /// Was its time up before it came to its end?
    #[serde(default)]
    pub is_cut_off: bool,
    pub notes: Vec<String>,
}

impl Survey {
    /// What the first run tells of itself.
    fn of_first_run(order: &AssessmentRequest, revision: String, tests: &[TestId], first: &SuiteRun) -> Self {
        Survey {
            revision,
            asked: asked(&order.subject, order.cores, order.memory_bytes),
            tests: tests.len(),
            seconds: first.cost.wall_seconds,
            cpu_seconds: first.cost.user_seconds + first.cost.system_seconds,
            test_seconds: first.test_seconds(),
            test_cpu_seconds: test_cpu_seconds(first),
            failed: failed(tests, first),
            failed_tests: failed_tests(first),
            messages: messages(first),
            skipped: skipped(first),
            is_cut_off: matches!(first.end, RunEnd::TimedOut | RunEnd::Interrupted),
            notes: end_noted(first),
            ..Survey::default()
        }
    }

    /// Did other work, or a limit, take CPU time from it? Tests that have to wait for a core look like tests that wait.
    pub fn is_disturbed(&self) -> bool {
        let throttled = self.throttled_seconds.is_some_and(|seconds| seconds > MOST_THROTTLED * self.seconds);
        throttled || self.load_during.is_some_and(|cores| cores > TrialRecord::BUSY_DURING)
    }

    /// What share of their time its tests computed; the rest they waited. Nothing where the machine was busy.
    pub fn computing_share(&self) -> Option<f64> {
        let startup = (self.seconds - self.test_seconds).max(0.0);
        let computed = self.test_cpu_seconds.unwrap_or(self.cpu_seconds - startup);
        (!self.is_disturbed()).then(|| (computed / self.test_seconds.max(1e-9)).clamp(0.0, 1.0))
    }

    /// What that run promises of a way, in seconds.
    pub fn promised(&self, way: ParallelMode) -> Option<f64> {
        self.promise.iter().find(|(known, _)| *known == way).map(|(_, seconds)| *seconds)
    }

    /// The first run was made on all cores, which the model takes for one: good enough to tell which way is the most promising.
    fn with_promise(self, first: &SuiteRun, cores: usize) -> Self {
        let suite = Suite::of(times(&first.executions), self.test_seconds);
        let observed = Observed {
            wall_seconds: self.seconds,
            cpu_seconds: self.cpu_seconds,
            test_seconds: self.test_seconds,
            jvm: first.cost.jvm,
            suite,
        };
        let model = Model::new(observed, agenda::threads_per_core(&self) as usize);
        let ways = self.ways.iter().copied().filter(|way| *way != ParallelMode::Project);
        Survey { promise: ways.map(|way| (way, model.seconds(way, cores))).collect(), ..self }
    }
}

/// How far it came.
pub(super) enum Surveyed {
    Known(Box<Survey>),
    BuildFailed { reason: String, log: PathBuf },
    Interrupted,
}

/// Reads what is on record, else opens the project and runs it once.
pub(super) fn survey(
    order: &AssessmentRequest,
    folder: &Path,
    home: &Home,
    interrupt: &Interrupt,
    watcher: &mut dyn Watcher,
    began: Instant,
) -> miette::Result<Surveyed> {
    let watcher = RefCell::new(watcher);
    let stop = || interrupt.is_set();
    let revision = subject::resolve(&order.subject.origin, home, &WatcherProgress(&watcher), &stop)?;
    if let Some(known) = on_record(folder, &step_id(order, &revision)).filter(|_| !order.fresh) {
        return Ok(Surveyed::Known(Box::new(known)));
    }
    watcher.borrow_mut().event(&Event::Preparing { subject: &order.subject.name });
    let surveyed = match (Opener { order, home, interrupt, watcher: &watcher, began }).open(&revision)? {
        Opened::Ready(project) => explore(&*project, order, folder, &watcher, began)?,
        Opened::Failed(OpenFailure { reason, log, .. }) => Surveyed::BuildFailed { reason, log },
        Opened::Interrupted => return Ok(Surveyed::Interrupted),
    };
    if interrupt.is_set() {
        return Ok(Surveyed::Interrupted);
    }
    Ok(surveyed)
}

/// Of what a survey depends on, but for the project's own content.
pub fn asked(subject: &Subject, cores: usize, memory_bytes: Option<u64>) -> String {
    // Of the second kind: the first ones do not know whether the machine was busy.
    let mut asked = subject.fingerprint().of_outcomes("survey-2");
    asked.number("timeout", subject.timeout.as_secs());
    asked.number("cores", cores as u64);
    asked.number("memory", memory_bytes.unwrap_or(0));
    asked.digits(16)
}

/// The id of the step: a fingerprint of everything that a survey depends on.
pub(super) fn step_id(order: &AssessmentRequest, revision: &str) -> String {
    let revision: String = revision.chars().take(16).collect();
    format!("survey.{}.{revision}", asked(&order.subject, order.cores, order.memory_bytes))
}

/// The survey that the last run of this project began with, if it is of the same question. What cannot be read is
/// surveyed again.
fn on_record(folder: &Path, step: &str) -> Option<Survey> {
    let run = RunFolder::open(&folder.join("latest")).ok()?.read().ok()?;
    run.steps.iter().find(|known| known.step == step)?.outcome()
}

/// Runs the suite once, one test after the other, and tells what it offers.
fn explore(
    project: &dyn Project,
    order: &AssessmentRequest,
    folder: &Path,
    watcher: &RefCell<&mut dyn Watcher>,
    began: Instant,
) -> miette::Result<Surveyed> {
    let mut session = project.session(EngineKind::Surefire)?;
    if project.model().is_some() && session.tests().is_empty() {
        let (reason, log) = ("the suite has no test".to_owned(), PathBuf::from(&order.subject.source));
        return Ok(Surveyed::BuildFailed { reason, log });
    }
    watcher.borrow_mut().event(&Event::Stage { text: "running the tests sequentially, to measure their durations" });
    let limit = order.within(order.subject.timeout, began);
    let is_model = project.model().is_some();
    let (strain, throttled) = (Strain::now(), process::throttled_seconds());
    let first = first_run(order, session.as_mut(), &folder.join("first-run"), limit)?;
    let strain = Strain::now().since(strain);
    let throttled = process::throttled_seconds().zip(throttled).map(|(now, then)| now - then);
    let without_direct = project.session(EngineKind::Direct).err();
    let modules = project.modules();
    let (ways, impossible) = ways(session.capabilities(), modules.len());
    let known = Survey::of_first_run(order, project.revision().to_owned(), session.tests(), &first);
    let survey = Survey {
        load_during: if is_model { None } else { strain.other_cores(known.cpu_seconds) },
        throttled_seconds: throttled.filter(|_| !is_model),
        notes: [unknown_profiles(project), known.notes.clone()].concat(),
        build_tool: project.tool_in_words("build tool").unwrap_or_else(|| "model".to_owned()),
        jdk: project.tool_in_words("JDK"),
        frameworks: project.frameworks(),
        classes: project.class_count(),
        parallel_today: project.parallel_settings(),
        ways,
        impossible,
        dialects: project.adoption(),
        modules,
        without_direct: without_direct.map(|error| error.to_string()),
        ..known
    };
    Ok(Surveyed::Known(Box::new(survey.with_promise(&first, order.cores))))
}

/// What it takes to open a project within the budget.
pub(super) struct Opener<'a, 'w> {
    pub order: &'a AssessmentRequest,
    pub home: &'a Home,
    pub interrupt: &'a Interrupt,
    pub watcher: &'a RefCell<&'w mut dyn Watcher>,
    pub began: Instant,
}

impl Opener<'_, '_> {
    /// The project as it was when its revision was found out.
    pub fn open(&self, revision: &str) -> miette::Result<Opened> {
        let order = self.order;
        let progress = WatcherProgress(self.watcher);
        project::open(&OpenRequest {
            revision: Some(revision),
            build_timeout: order.within(order.build_timeout, self.began),
            memory_bytes: order.memory_bytes,
            first_run: FirstRun::Within(order.within(order.subject.timeout, self.began)),
            ..OpenRequest::of_command(&order.subject, self.home, &progress, self.interrupt, TAG)
        })
    }
}

fn first_run(
    order: &AssessmentRequest,
    session: &mut dyn Session,
    logs: &Path,
    time_limit: Duration,
) -> miette::Result<SuiteRun> {
    session.run(&RunRequest::sequential(
        "sequential",
        Resources { cores: order.cores, memory_bytes: order.memory_bytes, logs: logs.to_owned() },
        time_limit,
    ))
}

/// What processes tell of themselves. Without it, the time of the whole build has to do.
fn test_cpu_seconds(run: &SuiteRun) -> Option<f64> {
    let told = run.cost.jvm.filter(|work| work.processes > 0)?;
    Some((told.tests - told.beside_tests).max(0.0))
}

fn failed(tests: &[TestId], run: &SuiteRun) -> usize {
    let ended_well = run.executions.iter().filter(|execution| !execution.outcome.is_failure());
    let well: HashSet<&TestId> = ended_well.map(|execution| &execution.test).collect();
    tests.iter().filter(|test| !well.contains(test)).count()
}

fn failed_tests(run: &SuiteRun) -> Vec<TestId> {
    let failed = run.executions.iter().filter(|execution| execution.outcome.is_failure());
    let names: BTreeSet<&TestId> = failed.map(|execution| &execution.test).collect();
    names.into_iter().take(TrialRecord::MAX_RESIDUAL).cloned().collect()
}

fn messages(run: &SuiteRun) -> Vec<(TestId, String)> {
    let failed = run.executions.iter().filter(|execution| execution.outcome.is_failure());
    let said = failed.filter_map(|execution| Some((execution.test.clone(), execution.message.as_ref()?)));
    let lines = said.map(|(test, message)| (test, first_line(message)));
    lines.take(TrialRecord::MAX_RESIDUAL).collect()
}

fn skipped(run: &SuiteRun) -> usize {
    let skipped = run.executions.iter().filter(|execution| execution.outcome == Outcome::Skipped);
    skipped.map(|execution| &execution.test).collect::<HashSet<&TestId>>().len()
}

fn end_noted(run: &SuiteRun) -> Vec<String> {
    let ended = run.end == RunEnd::Finished;
    (!ended).then(|| "the first run, one test after the other, did not end".to_owned()).into_iter().collect()
}

fn ways(capabilities: &Capabilities, modules: usize) -> (Vec<ParallelMode>, Vec<(ParallelMode, String)>) {
    let (mut possible, mut impossible) = (Vec::new(), Vec::new());
    for way in ParallelMode::ALL {
        let twin = match way {
            ParallelMode::Classes => Some(ParallelMode::Forks),
            ParallelMode::Methods => Some(ParallelMode::ClassesAndMethods),
            _ => None,
        };
        let lacks_modules = way == ParallelMode::Modules && !(capabilities.modules_at_once && modules > 1);
        match capabilities.support(way.mode()) {
            _ if lacks_modules => {}
            Support::Full | Support::Partial(_) if capabilities.processes_only && twin.is_some() => {
                let other = twin.map(ParallelMode::name).unwrap_or_default();
                impossible.push((way, format!("tests have no threads here, so that this is the same as {other}")));
            }
            Support::None(why) => impossible.push((way, why)),
            Support::Full | Support::Partial(_) => possible.push(way),
        }
    }
    (possible, impossible)
}

/// A team that asked for a profile has to hear that it was not there.
fn unknown_profiles(project: &dyn Project) -> Vec<String> {
    let found = project.deviations().into_iter().filter(|finding| finding.kind == FindingKind::UnknownProfile);
    found.map(|finding| finding.text).collect()
}

/// Tests of a run in the order in which they began, with what each took.
pub(super) fn times(executions: &[Execution]) -> Vec<(TestId, f64)> {
    let ran = executions.iter().filter(|execution| !execution.test.is_whole_class());
    ran.map(|execution| (execution.test.clone(), execution.seconds)).collect()
}

#[cfg(any(test, feature = "testing"))]
#[cfg_attr(not(test), allow(unused_imports, dead_code, reason = "other crates use the examples only"))]
mod tests {
    use super::*;
    use crate::spec::fingerprint_tests::{Dependents, assert_key_follows, subject};

    impl Survey {
        /// Of a suite that takes so long, and computes so much.
        pub fn example(seconds: f64, cpu_seconds: f64) -> Survey {
            Survey {
                build_tool: "model".to_owned(),
                modules: vec![String::new()],
                tests: 8,
                classes: 8,
                ways: vec![ParallelMode::Classes],
                seconds,
                cpu_seconds,
                test_seconds: seconds,
                ..Survey::default()
            }
        }
    }

    #[test]
    fn a_survey_is_made_again_when_something_changed_that_it_depends_on() {
        assert_key_follows(|subject| asked(subject, 2, None), &[Dependents::Build, Dependents::Outcomes], &[]);
        assert_ne!(asked(&subject(), 1, None), asked(&subject(), 2, None));
        assert_ne!(asked(&subject(), 2, Some(1)), asked(&subject(), 2, None));
    }
}
