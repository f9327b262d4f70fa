//! `parade test`: run a suite by a technique, now. The exit code is the suite's; JUnit XML is left for others to read.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use parade::engine::{EngineKind, Forks, Isolation, Mode, Parallelism};
use parade::experiment::MachineLimits;
use parade::home::Home;
use parade::once::invocation::Invocations;
use parade::once::{self, Ended, Outcome, SuiteRequest, TestStory, failure, junit};
use parade::process::Interrupt;
use parade::project::{self, Choice, Refusal};
use parade::project::{ProjectIdentity, Words};
use parade::spec::{Origin, SurefireVersion};
use parade::store::record::Verdict;
use parade::suite::FindingKind;
use parade::technique::{Harness, TechniqueKind};
use parade::wording::{VIRTUAL_TIME, plural};
use serde_json::{Value, json};

use super::maven_options::MavenOptions;
use super::output::{one_line, pretty, print};
use super::progress::Progress;
use super::{BadUsage, INTERRUPTED, wanted_jdk};

#[derive(Debug)]
pub struct TestOptions {
    /// A folder, a url, or a model suite.
    pub project: String,
    pub technique: TechniqueKind,
    pub parallel: Option<Mode>,
    pub threads: Option<u32>,
    pub forks: Option<Forks>,
    /// Modules at once.
    pub modules: Option<Forks>,
    pub rerun_engine: Option<EngineKind>,
    /// The modules to run.
    pub module: Vec<String>,
    pub revision: Option<String>,
    pub maven: MavenOptions,
    pub cores: Option<usize>,
    pub timeout: Duration,
    pub test_timeout: Option<Duration>,
    /// Where JUnit XML goes; without, a folder of parade's own.
    pub reports: Option<PathBuf>,
    /// Is a project without tests no failure?
    pub allow_no_tests: bool,
    /// By version or path; the one that `mvn` would use where nobody asks.
    pub jdk: Option<String>,
    pub json: bool,
}

/// Of a list for a person; the reports have all.
const LISTED: usize = 50;
/// So many failures are told whole.
const EXPLAINED: usize = 20;
/// In place of a verdict.
const NO_TESTS: &str = "no_tests";

pub fn run(options: &TestOptions) -> miette::Result<ExitCode> {
    let mut order = order(options)?;
    order.subject.jdk = wanted_jdk(options.jdk.as_deref())?;
    let home = Home::find()?;
    let interrupt = Interrupt::install()?;
    let reports = options.reports.clone().unwrap_or_else(|| home.test_reports().join(&order.subject.name));
    junit::check(&reports).map_err(|error| {
        let message = format!("reports cannot be written to {}: {error}", reports.display());
        bad_usage(message, "give another folder with --reports")
    })?;
    junit::clear(&reports)?;
    let mut progress = Progress::new();
    let began = Instant::now();
    let ended = once::run(&order, &home, &interrupt, &mut progress);
    progress.finish();
    match ended? {
        Ended::Interrupted => {
            eprintln!("interrupted, so there is no result");
            Ok(ExitCode::from(INTERRUPTED))
        }
        Ended::Unsupported(why) => {
            let help = "choose another --parallel, or --technique sequential".to_owned();
            Err(BadUsage { message: format!("the suite cannot be run in this mode: {why}"), help }.into())
        }
        Ended::BuildFailed { reason, log } => {
            let log = log.display().to_string();
            show_failed_build(&reason, &log, options.json)?;
            Ok(ExitCode::FAILURE)
        }
        Ended::Ran(outcome) => {
            junit::write(&reports, &outcome.tests, &outcome.surefire_reports)?;
            let preparation = (began.elapsed().as_secs_f64() - outcome.seconds).max(0.0);
            let identity = ProjectIdentity::find(&order.subject, outcome.revision.as_deref());
            let told = Told { outcome: &outcome, order: &order, identity, reports: &reports, preparation, options };
            if options.json {
                print(&pretty(&told.document())?)?
            } else {
                print(&told.page())?
            }
            let good = outcome.is_good() && (options.allow_no_tests || !told.is_empty());
            Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
    }
}

/// Options to an order, or what is wrong with them.
fn order(options: &TestOptions) -> Result<SuiteRequest, BadUsage> {
    let cores = cores(options)?;
    let parallelism = parallelism(options, cores)?;
    let rerun_engine = rerun_engine(options)?;
    let choice = Choice { revision: options.revision.as_deref(), modules: &options.module };
    let mut subject = project::locate(&options.project, &choice, options.timeout)
        .map_err(|Refusal { message, help }| BadUsage { message, help })?;
    options.maven.apply(&mut subject)?;
    subject.surefire = surefire(options.technique, parallelism.mode);
    Ok(SuiteRequest {
        subject,
        technique: options.technique,
        parallelism,
        harness: Harness {
            engine: EngineKind::Surefire,
            rerun_engine,
            isolation: Isolation::Fresh,
            test_limit: options.test_timeout,
        },
        cores,
        memory_bytes: options.maven.memory_bytes,
        time_limit: options.timeout,
    })
}

/// Whoever runs the tests as the project does gets the project's own Surefire.
fn surefire(technique: TechniqueKind, mode: Mode) -> SurefireVersion {
    let as_project = technique == TechniqueKind::Sequential || mode == Mode::Project;
    if as_project { SurefireVersion::ProjectIfRecent } else { SurefireVersion::Pinned }
}

fn bad_usage(message: impl Into<String>, help: impl Into<String>) -> BadUsage {
    BadUsage { message: message.into(), help: help.into() }
}

fn cores(options: &TestOptions) -> Result<usize, BadUsage> {
    let there = MachineLimits::here().cores;
    match options.cores {
        None => Ok(there),
        Some(wanted) if (1..=there).contains(&wanted) => Ok(wanted),
        Some(wanted) => Err(bad_usage(
            format!("--cores {wanted}: this machine has {}", plural(there, "core")),
            format!("give a number from 1 to {there}, or leave it out for all"),
        )),
    }
}

/// Classes at the same time, a thread for each core, unless told otherwise.
fn parallelism(options: &TestOptions, cores: usize) -> Result<Parallelism, BadUsage> {
    let given = [
        ("--parallel", options.parallel.is_some()),
        ("--threads", options.threads.is_some()),
        ("--forks", options.forks.is_some()),
        ("--modules", options.modules.is_some()),
    ];
    let given: Vec<&str> = given.into_iter().filter(|(_, given)| *given).map(|(name, _)| name).collect();
    if options.technique == TechniqueKind::Sequential {
        return match given.first() {
            None => Ok(Parallelism::SEQUENTIAL),
            Some(name) => Err(bad_usage(
                format!("{name} has no meaning for --technique sequential"),
                "leave it out, or give --technique paste or parallel",
            )),
        };
    }
    let mode = options.parallel.unwrap_or(Mode::Classes);
    let has_width = matches!(mode, Mode::Methods | Mode::Classes | Mode::ClassesAndMethods);
    if !has_width && (options.threads.is_some() || options.forks.is_some()) {
        return Err(bad_usage(
            format!("--parallel {mode} takes neither --threads nor --forks"),
            "leave them out, or give --parallel classes",
        ));
    }
    match (mode, options.modules) {
        (Mode::Sequential, None) => {
            return Err(bad_usage(
                "--parallel sequential leaves nothing to run in parallel",
                "add --modules 1C, or give --technique sequential",
            ));
        }
        (Mode::Project, Some(_)) => {
            return Err(bad_usage(
                "--parallel project uses the project's own settings, so it cannot be combined with --modules",
                "remove one of the two",
            ));
        }
        _ => {}
    }
    let threads = u32::try_from(cores).unwrap_or(u32::MAX).max(2);
    Ok(Parallelism {
        mode,
        threads: if has_width { options.threads.unwrap_or(threads) } else { 1 },
        threads_per_core: false,
        forks: options.forks.unwrap_or(Forks::Count(1)),
        reuse_forks: true,
        modules: options.modules,
    })
}

fn rerun_engine(options: &TestOptions) -> Result<EngineKind, BadUsage> {
    let reruns = options.technique.reruns();
    if let (Some(_), false) = (options.rerun_engine, reruns) {
        return Err(bad_usage(
            format!("--technique {} reruns nothing, so it takes no --rerun-engine", options.technique),
            "leave it out, or give --technique paste",
        ));
    }
    let engine = options.rerun_engine.unwrap_or(EngineKind::Direct);
    if options.test_timeout.is_some() && !(reruns && engine == EngineKind::Direct) {
        return Err(bad_usage(
            "--test-timeout applies only to reruns by the direct engine: the project's own runner cannot end a single test",
            "leave it out, or give --technique paste --rerun-engine direct; --timeout ends the whole run",
        ));
    }
    Ok(engine)
}

fn show_failed_build(reason: &str, log: &str, json: bool) -> miette::Result<()> {
    if json {
        let document = json!({
            "verdict": Verdict::BuildFailed.name(), "reason": reason, "log": log, "tests": 0, "passed": 0, "failed": 0,
            "errors": 0, "skipped": 0, "retried": 0, "seconds": 0.0, "flaky": [], "failures": [],
        });
        return print(&pretty(&document)?);
    }
    let lines: String = reason.lines().map(|line| format!("  {line}\n")).collect();
    print(&format!("No test ran:\n{lines}The log is {log}\n"))
}

/// Everything that the command has to tell about a run.
struct Told<'a> {
    outcome: &'a Outcome,
    order: &'a SuiteRequest,
    identity: ProjectIdentity,
    reports: &'a Path,
    /// Seconds before the first test, and between runs.
    preparation: f64,
    options: &'a TestOptions,
}

impl Told<'_> {
    /// Did the build come to its end without a single test?
    fn is_empty(&self) -> bool {
        self.outcome.tests.is_empty() && self.outcome.verdict == Verdict::Clean
    }

    fn document(&self) -> Value {
        let outcome = self.outcome;
        let counts = outcome.counts();
        let rounded = |seconds: f64| (seconds * 1000.0).round() / 1000.0;
        let stages = outcome.stages.iter().map(|stage| {
            json!({
                "purpose": stage.purpose, "engine": stage.engine, "tests": stage.tests,
                "failures_after": stage.failures_after, "seconds": rounded(stage.seconds),
            })
        });
        let failures = outcome.tests.iter().filter(|story| story.is_bad()).map(|story| self.failure(story));
        let flaky = outcome.tests.iter().filter(|story| story.is_flaky()).map(|story| story.test.to_string());
        let mut document = json!({
            "project": self.identity,
            "virtual_time": self.order.subject.is_model(),
            "tests": counts.tests,
            "passed": counts.passed,
            "failed": counts.failed,
            "errors": counts.errors,
            "skipped": counts.skipped,
            "retried": counts.retried,
            "seconds": rounded(outcome.seconds),
            "preparation_seconds": rounded(self.preparation),
            "verdict": if self.is_empty() { NO_TESTS } else { outcome.verdict.name() },
            "reason": self.is_empty().then(|| self.no_tests()).or_else(|| outcome.reason.clone()),
            "flaky": flaky.collect::<Vec<_>>(),
            "failures": failures.collect::<Vec<_>>(),
            "findings": outcome.findings,
            "technique": self.options.technique,
            "mode": self.mode(),
            "jdk": outcome.tool("JDK"),
            "maven": outcome.tool("Maven"),
            "stages": stages.collect::<Vec<_>>(),
            "rerun_engine": outcome.rerun_engine,
            "concurrency_max": outcome.concurrency.max,
            "reports": self.reports,
            "logs": outcome.logs,
        });
        if let Some(python) = outcome.tool("Python") {
            document["python"] = json!(python);
        }
        document
    }

    fn invocations(&self) -> Invocations<'_> {
        Invocations::among(&self.outcome.tests)
    }

    fn failure(&self, story: &TestStory) -> Value {
        let attempt = story.last();
        let trace = attempt.message.as_deref().unwrap_or_default();
        let place = failure::place(trace, &story.test.class);
        let again = self.again(story);
        let invocation = self.invocations().of(story);
        json!({
            "test": story.test.to_string(),
            "invocation": invocation.as_ref().map(|one| one.index),
            "display": invocation.and_then(|one| one.display),
            "outcome": story.outcome(),
            "message": explain(attempt),
            "file": place.as_ref().map(|(file, _)| self.source(story, file)),
            "line": place.as_ref().map(|(_, line)| line),
            "again": match self.outcome.again.get(&story.test) {
                Some(command) => json!({ "command": command }),
                None => json!(again.map(|again| json!({ "maven": again.maven, "parade": again.parade }))),
            },
        })
    }

    /// The run for a person: what is bad first, then what was bad, then what to know.
    fn page(&self) -> String {
        let outcome = self.outcome;
        let mut page = String::new();
        if self.order.subject.is_model() {
            page.push_str(&format!("! {VIRTUAL_TIME}\n"));
        }
        page.push_str(&self.failed());
        let flaky: Vec<&TestStory> = outcome.tests.iter().filter(|story| story.is_flaky()).collect();
        page.push_str(&listed("Passed only in a rerun", &flaky, &self.invocations(), |story| {
            story.earlier_failures().next().map(describe).unwrap_or_default()
        }));
        for finding in outcome.findings.iter().filter(|finding| concerns_a_person(finding.kind)) {
            page.push_str(&format!("Note: {}\n", one_line(&finding.text)));
        }
        page.push_str(&stages(outcome));
        page.push_str(&self.surroundings());
        if self.is_empty() {
            page.push_str(&format!("{}\n", self.no_tests()));
            return page;
        }
        page.push_str(&format!("{}\n", sentence(outcome)));
        if let Some(reason) = outcome.reason.as_ref().filter(|_| outcome.verdict != Verdict::Failing) {
            page.push_str(&format!("{}: {}\n", outcome.verdict.name().replace('_', " "), one_line(reason)));
        }
        page.push_str(&format!("Reports: {}\n", self.reports.display()));
        if !outcome.is_good() {
            page.push_str(&format!("Logs: {}\n", outcome.logs.display()));
        }
        page
    }

    /// What was run, how, and with which tools.
    fn surroundings(&self) -> String {
        let mut text = format!("Project: {}\n", one_line(&self.identity.told()));
        text.push_str(&format!("Mode: {}\n", self.mode()));
        if let (Some(jdk), Some(maven)) = (self.outcome.tool("JDK"), self.outcome.tool("Maven")) {
            text.push_str(&format!("JDK {}; Maven {maven}\n", one_line(jdk)));
        } else if let Some(python) = self.outcome.tool("Python") {
            text.push_str(&format!("Python {}\n", one_line(python)));
        }
        text
    }

    fn mode(&self) -> String {
        let Words { has_threads, settings, .. } = self.outcome.words;
        let parallelism = &self.order.parallelism;
        if has_threads {
            parallelism.explained()
        } else {
            parallelism.explained_in_processes(self.order.cores, settings)
        }
    }

    fn no_tests(&self) -> String {
        let what = match self.order.subject.modules.as_slice() {
            [] => format!("{} has no tests", self.identity.name),
            [module] => format!("The module {module} has no tests"),
            modules => format!("The modules {} have no tests", modules.join(", ")),
        };
        let help = if self.options.allow_no_tests { "" } else { "; add --allow-no-tests to accept that" };
        let runner = if self.outcome.words.has_threads { "Surefire" } else { "pytest" };
        format!("{what} that {runner} would run{help}")
    }

    fn failed(&self) -> String {
        let bad: Vec<&TestStory> = self.outcome.tests.iter().filter(|story| story.is_bad()).collect();
        if bad.is_empty() {
            return String::new();
        }
        let mut text = "Failed\n".to_owned();
        let invocations = self.invocations();
        for story in bad.iter().take(EXPLAINED) {
            text.push_str(&self.explained(story, &invocations));
        }
        for story in bad.iter().skip(EXPLAINED).take(LISTED) {
            text.push_str(&format!("  {}\n", one_line(&invocations.name_of(story))));
        }
        if bad.len() > EXPLAINED + LISTED {
            text.push_str(&format!("  and {} more\n", bad.len() - EXPLAINED - LISTED));
        }
        text
    }

    /// One failure: the test, where it failed, what it said, how to run it again.
    fn explained(&self, story: &TestStory, invocations: &Invocations<'_>) -> String {
        let trace = story.last().message.as_deref().unwrap_or_default();
        let mut text = format!("  {}\n", one_line(&invocations.name_of(story)));
        if let Some((file, line)) = failure::place(trace, &story.test.class) {
            text.push_str(&format!("      {}:{line}\n", one_line(&self.source(story, &file))));
        }
        for line in explain(story.last()).lines() {
            text.push_str(&format!("      {line}\n"));
        }
        for name in
            failure::withheld_variables(trace, &self.order.subject.environment, |name| std::env::var(name).is_ok())
        {
            text.push_str(&format!(
                "      the message names {name}, which is set here but not passed on to tests: add --env {name}\n"
            ));
        }
        if let Some(command) = self.outcome.again.get(&story.test) {
            text.push_str(&format!("      again: {}\n", one_line(command)));
        }
        if let Some(again) = self.again(story) {
            text.push_str(&format!("      again: {}\n", one_line(&again.maven)));
            text.push_str(&format!("         or: {}\n", one_line(&again.parade)));
            if let Some(one) = invocations.of(story) {
                let index = one.index;
                text.push_str(&format!("             (both run every invocation; the one that failed is [{index}])\n"));
            }
        }
        text
    }

    /// The file from the project on, where it is found there.
    fn source(&self, story: &TestStory, file: &str) -> String {
        let Origin::Folder { path } = &self.order.subject.origin else { return file.to_owned() };
        let root = self.order.subject.directory.as_ref().map_or_else(|| path.clone(), |below| path.join(below));
        let found = failure::source_file(&root, &story.test.module, &story.test.class, file);
        found.map_or_else(|| file.to_owned(), |path| path.display().to_string())
    }

    /// Nobody can select a test of a model suite. What another platform does not know how to run again, Maven does not either.
    fn again(&self, story: &TestStory) -> Option<failure::AgainCommands> {
        let is_of_maven = self.outcome.words.own_command == Words::default().own_command;
        if !is_of_maven || self.outcome.again.contains_key(&story.test) {
            return None;
        }
        let mvn = match &self.order.subject.origin {
            Origin::Model { .. } => return None,
            Origin::Folder { path } if path.join("mvnw").is_file() => "./mvnw",
            Origin::Folder { .. } | Origin::Git { .. } => "mvn",
        };
        let subject = &self.order.subject;
        let options = failure::BuildOptions {
            mvn,
            project: &self.options.project,
            maven_args: &subject.maven_args,
            environment: &subject.environment,
        };
        Some(failure::again(&story.test, self.invocations().of(story).as_ref(), &options))
    }
}

fn listed(
    title: &str,
    stories: &[&TestStory],
    invocations: &Invocations<'_>,
    why: impl Fn(&TestStory) -> String,
) -> String {
    if stories.is_empty() {
        return String::new();
    }
    let mut text = format!("{title}\n");
    for story in stories.iter().take(LISTED) {
        let why = why(story);
        let separator = if why.is_empty() { "" } else { ": " };
        text.push_str(&format!("  {}{separator}{why}\n", one_line(&invocations.name_of(story))));
    }
    if stories.len() > LISTED {
        text.push_str(&format!("  and {} more\n", stories.len() - LISTED));
    }
    text
}

/// What became of a test that failed, whole.
fn explain(attempt: &once::Attempt) -> String {
    match without_message(attempt.outcome) {
        Some(text) => text.to_owned(),
        None => failure::message(attempt.message.as_deref().unwrap_or_default()),
    }
}

/// The same in one line.
fn describe(attempt: &once::Attempt) -> String {
    one_line(explain(attempt).lines().next().unwrap_or_default())
}

fn without_message(outcome: parade::suite::Outcome) -> Option<&'static str> {
    match outcome {
        parade::suite::Outcome::Crashed => Some("its process died while the test was running"),
        parade::suite::Outcome::TimedOut => Some("it was still running when its time limit was reached"),
        parade::suite::Outcome::NotRun => Some("it never ran"),
        _ => None,
    }
}

fn concerns_a_person(kind: FindingKind) -> bool {
    !matches!(kind, FindingKind::CoarseSelection | FindingKind::DirtyWorktree)
}

fn stages(outcome: &Outcome) -> String {
    if outcome.stages.len() < 2 {
        return String::new();
    }
    let line = |stage: &once::StageStory| {
        format!(
            "  {}: {}, {} left, {:.1} s {}\n",
            stage.purpose,
            plural(stage.tests, "test"),
            plural(stage.failures_after, "failure"),
            stage.seconds,
            stage.engine.in_words()
        )
    };
    let lines: String = outcome.stages.iter().map(line).collect();
    format!("Stages\n{lines}")
}

fn sentence(outcome: &Outcome) -> String {
    let counts = outcome.counts();
    let mut parts = vec![format!("{} passed", counts.passed)];
    for (number, what) in [(counts.failed, "failed"), (counts.errors, "in error"), (counts.skipped, "skipped")] {
        if number > 0 {
            parts.push(format!("{number} {what}"));
        }
    }
    let flaky = outcome.tests.iter().filter(|story| story.is_flaky()).count();
    let again = match flaky {
        0 => String::new(),
        // Whoever uses this as a gate has to know what it lets through.
        _ => format!("; {flaky} of them failed first and passed in a rerun, which counts as passed"),
    };
    format!("{} in {:.1} s: {}{again}", plural(counts.tests, "test"), outcome.seconds, parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(technique: TechniqueKind) -> TestOptions {
        TestOptions {
            project: ".".to_owned(),
            technique,
            parallel: None,
            threads: None,
            forks: None,
            modules: None,
            rerun_engine: None,
            module: vec![],
            revision: None,
            maven: MavenOptions::default(),
            cores: None,
            timeout: Duration::from_secs(60),
            test_timeout: None,
            reports: None,
            allow_no_tests: false,
            jdk: None,
            json: false,
        }
    }

    #[test]
    fn surefire_is_replaced_only_for_parallel_modes() {
        assert_eq!(surefire(TechniqueKind::Sequential, Mode::Sequential), SurefireVersion::ProjectIfRecent);
        assert_eq!(surefire(TechniqueKind::Paste, Mode::Project), SurefireVersion::ProjectIfRecent);
        assert_eq!(surefire(TechniqueKind::Paste, Mode::Classes), SurefireVersion::Pinned);
        assert_eq!(surefire(TechniqueKind::Paste, Mode::Sequential), SurefireVersion::Pinned, "modules at once");
    }

    #[test]
    fn without_a_word_classes_run_at_the_same_time() {
        let asked = parallelism(&options(TechniqueKind::Paste), 4).unwrap();
        assert_eq!((asked.mode, asked.threads, asked.forks), (Mode::Classes, 4, Forks::Count(1)));
        assert_eq!(parallelism(&options(TechniqueKind::Sequential), 4).unwrap(), Parallelism::SEQUENTIAL);
        assert_eq!(rerun_engine(&options(TechniqueKind::Paste)).unwrap(), EngineKind::Direct);
    }

    #[test]
    fn options_that_contradict_each_other_are_bad_usage() {
        use TechniqueKind::{Parallel, Paste, Sequential};
        let limit = Some(Duration::from_secs(1));
        let wrong = [
            TestOptions { threads: Some(2), ..options(Sequential) },
            TestOptions { parallel: Some(Mode::Sequential), ..options(Paste) },
            TestOptions { parallel: Some(Mode::Project), forks: Some(Forks::Count(2)), ..options(Paste) },
            TestOptions { parallel: Some(Mode::Project), modules: Some(Forks::Count(2)), ..options(Paste) },
            TestOptions { rerun_engine: Some(EngineKind::Direct), ..options(Parallel) },
            TestOptions { test_timeout: limit, ..options(Parallel) },
            TestOptions { test_timeout: limit, rerun_engine: Some(EngineKind::Surefire), ..options(Paste) },
            TestOptions { cores: Some(0), ..options(Paste) },
        ];
        for options in wrong {
            assert!(order(&options).is_err(), "{options:?}");
        }
    }
}
