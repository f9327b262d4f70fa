//! What can be known of a project before anything is compared: its build, its tests, what it does in parallel today, and what
//! one run takes. Kept beside the results, so that an assessment that goes on plans as it did before.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::advice::Dialects;
use super::agenda;
use super::forecast::{Model, Observed, Suite};
use super::ways::Way;
use super::{Order, TAG};
use crate::bad_usage::BadUsage;
use crate::engine::direct::DirectSession;
use crate::engine::model::ModelSession;
use crate::engine::surefire::SurefireSession;
use crate::engine::{Allotment, Capabilities, Handling, Parallelism, RunRequest, Selection, Session, Support, Watch};
use crate::experiment::{Origin, Subject};
use crate::home::Home;
use crate::process::{self, Interrupt};
use crate::runner::{Event, Telling, Watcher};
use crate::store::Strain;
use crate::store::record::TrialRecord;
use crate::subject::build::{Discovery, DiscoveryTime, Prepared};
use crate::subject::{self, BuildOrder, Built};
use crate::suite::{ClassId, Execution, FindingKind, Outcome, RunEnd, SuiteRun, TestId};
use crate::whole_file;
use crate::wording::first_line;

/// The modules' files with settings of the JUnit Platform.
const PLATFORM_FILE: &str = "src/test/resources/junit-platform.properties";
/// Of the time of a run: less of waiting for CPU time is no matter.
const MOST_THROTTLED: f64 = 0.05;
const PLATFORM_FILE_LIMIT: u64 = 1 << 20;

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
    pub ways: Vec<Way>,
    /// What the forecast from the first run says that each would take, in seconds.
    #[serde(default)]
    pub promise: Vec<(Way, f64)>,
    /// Ways that cannot, with the reason.
    pub impossible: Vec<(Way, String)>,
    pub dialects: Dialects,
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
    fn of_first_run(order: &Order, revision: String, tests: &[TestId], first: &SuiteRun) -> Self {
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
    pub fn promised(&self, way: Way) -> Option<f64> {
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
        let ways = self.ways.iter().copied().filter(|way| *way != Way::Project);
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
    order: &Order,
    folder: &Path,
    home: &Home,
    interrupt: &Interrupt,
    watcher: &mut dyn Watcher,
    began: Instant,
) -> miette::Result<Surveyed> {
    let watcher = RefCell::new(watcher);
    let stop = || interrupt.is_set();
    let revision = subject::resolve(&order.subject.origin, home, &Telling(&watcher), &stop)?;
    let record = folder.join("survey.json");
    let is_of_this = |known: &Survey| {
        known.revision == revision && known.asked == asked(&order.subject, order.cores, order.memory_bytes)
    };
    if let Some(known) = read(&record).filter(|known| is_of_this(known) && !order.fresh) {
        return Ok(Surveyed::Known(Box::new(known)));
    }
    watcher.borrow_mut().event(&Event::Preparing { subject: &order.subject.name });
    let surveyed = match &order.subject.origin {
        Origin::Model { path } => of_model(order, path, revision)?,
        Origin::Git { .. } | Origin::Folder { .. } => {
            let builder = Builder { order, home, interrupt, watcher: &watcher, began };
            builder.survey(revision, folder)?
        }
    };
    if interrupt.is_set() {
        return Ok(Surveyed::Interrupted);
    }
    // What was cut off is looked at again, with the time that there is then.
    if let Surveyed::Known(survey) = &surveyed
        && !survey.is_cut_off
    {
        whole_file::write_json(&record, survey)?;
    }
    Ok(surveyed)
}

/// Of what a survey depends on, but for the project's own content.
pub(crate) fn asked(subject: &Subject, cores: usize, memory_bytes: Option<u64>) -> String {
    // Of the second kind: the first ones do not know whether the machine was busy.
    let mut asked = subject.fingerprint().of_outcomes("survey-2");
    asked.number("timeout", subject.timeout.as_secs());
    asked.number("cores", cores as u64);
    asked.number("memory", memory_bytes.unwrap_or(0));
    asked.digits(16)
}

/// A record that is missing, damaged or of another version is no record.
fn read(path: &Path) -> Option<Survey> {
    serde_json::from_str(&whole_file::read(path).ok()?).ok()
}

fn of_model(order: &Order, path: &Path, revision: String) -> miette::Result<Surveyed> {
    let mut session = ModelSession::load(path, 0).map_err(|error| BadUsage {
        message: error.to_string(),
        help: "correct the file; docs/model-suite.md describes model suites".to_owned(),
    })?;
    if session.tests().is_empty() {
        return Ok(Surveyed::BuildFailed { reason: "the suite has no test".to_owned(), log: path.to_owned() });
    }
    let time = order.budget.map_or(order.subject.timeout, |budget| budget.min(order.subject.timeout));
    let first = first_run(order, &mut session, Path::new("logs"), time)?;
    let (ways, impossible) = ways(session.capabilities(), 1);
    let survey = Survey {
        build_tool: "model".to_owned(),
        frameworks: vec!["model".to_owned()],
        modules: modules(session.tests()),
        classes: classes(session.tests()),
        ways,
        impossible,
        ..Survey::of_first_run(order, revision, session.tests(), &first)
    };
    Ok(Surveyed::Known(Box::new(survey.with_promise(&first, order.cores))))
}

/// What it takes to build a project within the budget.
pub(super) struct Builder<'a, 'w> {
    pub order: &'a Order,
    pub home: &'a Home,
    pub interrupt: &'a Interrupt,
    pub watcher: &'a RefCell<&'w mut dyn Watcher>,
    pub began: Instant,
}

impl Builder<'_, '_> {
    fn survey(&self, revision: String, folder: &Path) -> miette::Result<Surveyed> {
        let Builder { order, interrupt, watcher, .. } = self;
        let (prepared, jdk): (Rc<Prepared>, String) = match self.build(&revision)? {
            Built::Ready { prepared, jdk } => (Rc::from(prepared), jdk),
            Built::Failed { reason, log } => return Ok(Surveyed::BuildFailed { reason, log }),
        };
        let mut session = SurefireSession::open(Rc::clone(&prepared), TAG, (*interrupt).clone())?;
        watcher
            .borrow_mut()
            .event(&Event::Stage { text: "running the tests sequentially, to measure their durations" });
        let limit = order.within(order.subject.timeout, self.began);
        let (strain, throttled) = (Strain::now(), process::throttled_seconds());
        let first = first_run(order, &mut session, &folder.join("first-run"), limit)?;
        let strain = Strain::now().since(strain);
        let throttled = process::throttled_seconds().zip(throttled).map(|(now, then)| now - then);
        let without_direct = DirectSession::open(Rc::clone(&prepared), TAG, (*interrupt).clone()).err();
        let modules = prepared.modules();
        let (ways, impossible) = ways(session.capabilities(), modules.len());
        let known = Survey::of_first_run(order, revision, session.tests(), &first);
        let survey = Survey {
            load_during: strain.other_cores(known.cpu_seconds),
            throttled_seconds: throttled,
            notes: [unknown_profiles(&prepared), known.notes.clone()].concat(),
            build_tool: format!("Maven {}", prepared.toolchain.maven_version),
            jdk: Some(jdk),
            frameworks: prepared.frameworks(),
            classes: prepared.classes(),
            parallel_today: parallel_today(&prepared, &modules),
            ways,
            impossible,
            dialects: dialects(&prepared.discovery, modules.len()),
            modules,
            without_direct: without_direct.map(|error| error.to_string()),
            ..known
        };
        Ok(Surveyed::Known(Box::new(survey.with_promise(&first, order.cores))))
    }

    /// The project as it was when its revision was found out.
    pub fn build(&self, revision: &str) -> miette::Result<Built> {
        let Builder { order, began, .. } = self;
        let wanted = BuildOrder {
            subject: &order.subject,
            home: self.home,
            timeout: order.within(order.build_timeout, *began),
            memory_bytes: order.memory_bytes,
            discovery: DiscoveryTime::Within(order.within(order.subject.timeout, *began)),
            progress: &Telling(self.watcher),
            interrupt: self.interrupt,
            tag: TAG,
        };
        wanted.build(Some(revision))
    }
}

fn first_run(order: &Order, session: &mut dyn Session, logs: &Path, time_limit: Duration) -> miette::Result<SuiteRun> {
    session.run(&RunRequest {
        label: "sequential".to_owned(),
        selection: Selection::All,
        parallelism: Parallelism::SEQUENTIAL,
        allotment: Allotment { cores: order.cores, memory_bytes: order.memory_bytes, logs: logs.to_owned() },
        time_limit,
        handling: Handling::default(),
        watch: Watch::default(),
    })
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

fn ways(capabilities: &Capabilities, modules: usize) -> (Vec<Way>, Vec<(Way, String)>) {
    let (mut possible, mut impossible) = (Vec::new(), Vec::new());
    for way in Way::ALL {
        let lacks_modules = way == Way::Modules && !(capabilities.modules_at_once && modules > 1);
        match capabilities.support(way.mode()) {
            _ if lacks_modules => {}
            Support::None(why) => impossible.push((way, why)),
            Support::Full | Support::Partial(_) => possible.push(way),
        }
    }
    (possible, impossible)
}

fn dialects(discovery: &Discovery, modules: usize) -> Dialects {
    let provides = |names: &[&str]| {
        discovery.suites.iter().any(|suite| suite.providers.iter().any(|own| names.contains(&own.as_str())))
    };
    let has = |framework: &str| discovery.suites.iter().any(|suite| suite.frameworks.contains_key(framework));
    let platform = provides(&["surefire-junit-platform"]);
    Dialects {
        surefire: provides(&["surefire-junit4", "surefire-junit47", "surefire-testng"]),
        testng: provides(&["surefire-testng"]),
        jupiter: platform && has("jupiter"),
        vintage: platform && has("vintage"),
        surefire_version: discovery.suites.first().map(|suite| suite.surefire.clone()).unwrap_or_default(),
        modules,
    }
}

/// A team that asked for a profile has to hear that it was not there.
fn unknown_profiles(prepared: &Prepared) -> Vec<String> {
    let found = prepared.deviations().into_iter().filter(|finding| finding.kind == FindingKind::UnknownProfile);
    found.map(|finding| finding.text).collect()
}

/// What parade had to override to run one test after the other.
fn parallel_today(prepared: &Prepared, modules: &[String]) -> Vec<String> {
    let texts = prepared.deviations().into_iter().map(|finding| finding.text);
    let mut found: Vec<String> = texts.filter(|text| is_parallel_setting(text)).collect();
    for module in modules {
        let file = prepared.checkout.root.join(module).join(PLATFORM_FILE);
        if is_enabled(&file) {
            let place = if module.is_empty() { String::new() } else { format!("{module}/") };
            found.push(format!("{place}{PLATFORM_FILE} runs the JUnit Platform in parallel"));
        }
    }
    found
}

/// Is a deviation about a setting that runs tests in parallel? The reason for it, in brackets, does not count: that of a replaced
/// Surefire speaks of parallel modes, too.
fn is_parallel_setting(deviation: &str) -> bool {
    let what = deviation.split(" (").next().unwrap_or(deviation);
    ["parallel", "threadCount", "forkCount", "forkMode", "at once"].iter().any(|word| what.contains(word))
}

fn is_enabled(file: &Path) -> bool {
    let small = std::fs::metadata(file).is_ok_and(|file| file.is_file() && file.len() <= PLATFORM_FILE_LIMIT);
    let text = small.then(|| whole_file::read(file).ok()).flatten().unwrap_or_default();
    text.lines().filter_map(|line| line.split_once(['=', ':'])).any(|(key, value)| {
        key.trim().ends_with("execution.parallel.enabled") && value.trim().eq_ignore_ascii_case("true")
    })
}

fn modules(tests: &[TestId]) -> Vec<String> {
    let mut modules: Vec<String> = tests.iter().map(|test| test.module.clone()).collect();
    modules.sort();
    modules.dedup();
    modules
}

fn classes(tests: &[TestId]) -> usize {
    tests.iter().map(TestId::class_id).collect::<HashSet<ClassId>>().len()
}

/// Tests of a run in the order in which they began, with what each took.
pub(super) fn times(executions: &[Execution]) -> Vec<(TestId, f64)> {
    let ran = executions.iter().filter(|execution| !execution.test.is_whole_class());
    ran.map(|execution| (execution.test.clone(), execution.seconds)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::fingerprint_tests::{Dependents, assert_key_follows, subject};

    impl Survey {
        /// Of a suite that takes so long, and computes so much.
        pub fn example(seconds: f64, cpu_seconds: f64) -> Survey {
            Survey {
                build_tool: "model".to_owned(),
                modules: vec![String::new()],
                tests: 8,
                classes: 8,
                ways: vec![Way::Classes],
                seconds,
                cpu_seconds,
                test_seconds: seconds,
                ..Survey::default()
            }
        }
    }

    #[test]
    fn a_file_of_the_junit_platform_tells_whether_it_is_parallel() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("junit-platform.properties");
        for (text, expected) in [
            ("junit.jupiter.execution.parallel.enabled = true\n", true),
            ("# junit.jupiter.execution.parallel.enabled=true is off\nx=y\n", false),
            ("junit.jupiter.execution.parallel.enabled=false", false),
        ] {
            std::fs::write(&file, text).unwrap();
            assert_eq!(is_enabled(&file), expected, "{text}");
        }
        assert!(!is_enabled(folder.path()) && !is_enabled(&folder.path().join("none")));
    }

    #[test]
    fn a_survey_is_made_again_when_something_changed_that_it_depends_on() {
        assert_key_follows(|subject| asked(subject, 2, None), &[Dependents::Build, Dependents::Outcomes], &[]);
        assert_ne!(asked(&subject(), 1, None), asked(&subject(), 2, None));
        assert_ne!(asked(&subject(), 2, Some(1)), asked(&subject(), 2, None));
    }

    #[test]
    fn a_replaced_surefire_is_no_parallel_setting() {
        let pinned = "maven-surefire-plugin 3.2.5 replaced by 3.5.6 (4 modules) (one version for all runs, in which every parallel mode works)";
        assert!(!is_parallel_setting(pinned));
        assert!(!is_parallel_setting("maven-surefire-plugin without a version replaced by 3.5.6 (one version)"));
        assert!(is_parallel_setting("parallel=classes, threadCount=4 overridden (2 modules)"));
        assert!(is_parallel_setting("forkCount 2C replaced by 1"));
    }
}
