//! `parade test`: run a suite by a technique, now. The exit code is the suite's; JUnit XML is left for others to read.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use parade::engine::{EngineKind, Forks, Isolation, Mode, Parallelism};
use parade::experiment::{Harness, MachineLimits, TechniqueKind};
use parade::home::Home;
use parade::once::project::{self, Choice, Refusal};
use parade::once::{self, Ended, Order, Outcome, TestStory, junit};
use parade::process::Interrupt;
use parade::store::record::Verdict;
use parade::subject::JdkWish;
use parade::suite::FindingKind;
use parade::wording::plural;
use serde_json::{Value, json};

use super::output::{one_line, pretty, print};
use super::progress::Progress;
use super::{BadUsage, INTERRUPTED, asked_jdk};

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
    pub cores: Option<usize>,
    pub timeout: Duration,
    pub test_timeout: Option<Duration>,
    pub reports: PathBuf,
    /// By version or path; `JAVA_HOME` where nobody asks, and without it the newest that builds the project.
    pub jdk: Option<String>,
    pub json: bool,
}

/// Of a list for a person; the reports have all.
const LISTED: usize = 50;

pub fn run(options: &TestOptions) -> miette::Result<ExitCode> {
    let mut order = order(options)?;
    order.subject.jdk = wanted_jdk(options.jdk.as_deref())?;
    let home = Home::find()?;
    let interrupt = Interrupt::install()?;
    junit::check(&options.reports).map_err(|error| {
        let message = format!("reports cannot be written to {}: {error}", options.reports.display());
        bad_usage(message, "give another folder with --reports")
    })?;
    junit::clear(&options.reports)?;
    let mut progress = Progress::new();
    let began = Instant::now();
    let ended = once::run(&order, &home, &interrupt, &mut progress);
    progress.finish();
    match ended? {
        Ended::Interrupted => {
            eprintln!("interrupted: there is no result");
            Ok(ExitCode::from(INTERRUPTED))
        }
        Ended::Unsupported(why) => {
            let help = "choose another --parallel, or --technique sequential".to_owned();
            Err(BadUsage { message: format!("the suite cannot be run so: {why}"), help }.into())
        }
        Ended::BuildFailed { reason, log } => {
            let log = log.display().to_string();
            show_failed_build(&reason, &log, options.json)?;
            Ok(ExitCode::FAILURE)
        }
        Ended::Ran(outcome) => {
            junit::write(&options.reports, &outcome.tests)?;
            let preparation = (began.elapsed().as_secs_f64() - outcome.seconds).max(0.0);
            show(&outcome, preparation, options)?;
            Ok(if outcome.is_good() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
    }
}

/// Options to an order, or what is wrong with them.
fn order(options: &TestOptions) -> Result<Order, BadUsage> {
    let cores = cores(options)?;
    let parallelism = parallelism(options, cores)?;
    let rerun_engine = rerun_engine(options)?;
    let choice = Choice { revision: options.revision.as_deref(), modules: &options.module };
    let subject = project::locate(&options.project, &choice, options.timeout)
        .map_err(|Refusal { message, help }| BadUsage { message, help })?;
    Ok(Order {
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
        time_limit: options.timeout,
    })
}

/// What a build machine has set up for a project is what the project is tested with.
pub(super) fn wanted_jdk(asked: Option<&str>) -> Result<Option<JdkWish>, BadUsage> {
    let set_up = || {
        let home = std::env::var("JAVA_HOME").ok().filter(|home| !home.is_empty())?;
        let is_jdk = Path::new(&home).join("bin/javac").is_file();
        if !is_jdk {
            eprintln!("JAVA_HOME is {home}, which has no bin/javac; another JDK is taken");
        }
        is_jdk.then_some(home)
    };
    asked.map(str::to_owned).or_else(set_up).map(|jdk| asked_jdk(&jdk)).transpose()
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
                "--parallel project takes the project's own settings, and so no --modules",
                "leave one of the two out",
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
            "--test-timeout is for what is run again by the direct engine: Maven cannot end a single test",
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
    print(&format!("No test ran:\n{lines}The whole log is {log}\n"))
}

fn show(outcome: &Outcome, preparation: f64, options: &TestOptions) -> miette::Result<()> {
    if options.json {
        print(&pretty(&document(outcome, preparation, options))?)
    } else {
        print(&page(outcome, options))
    }
}

fn document(outcome: &Outcome, preparation: f64, options: &TestOptions) -> Value {
    let counts = outcome.counts();
    let rounded = |seconds: f64| (seconds * 1000.0).round() / 1000.0;
    let stages = outcome.stages.iter().map(|stage| {
        json!({
            "purpose": stage.purpose, "engine": stage.engine, "tests": stage.tests,
            "failures_after": stage.failures_after, "seconds": rounded(stage.seconds),
        })
    });
    let failures = outcome.tests.iter().filter(|story| story.is_bad()).map(|story| {
        let message = first_line(story.last().message.as_deref());
        json!({ "test": story.test.to_string(), "outcome": story.outcome(), "message": message })
    });
    let flaky = outcome.tests.iter().filter(|story| story.is_flaky()).map(|story| story.test.to_string());
    json!({
        "tests": counts.tests,
        "passed": counts.passed,
        "failed": counts.failed,
        "errors": counts.errors,
        "skipped": counts.skipped,
        "retried": counts.retried,
        "seconds": rounded(outcome.seconds),
        "preparation_seconds": rounded(preparation),
        "verdict": outcome.verdict.name(),
        "reason": outcome.reason,
        "flaky": flaky.collect::<Vec<_>>(),
        "failures": failures.collect::<Vec<_>>(),
        "findings": outcome.findings,
        "technique": options.technique,
        "jdk": outcome.jdk,
        "stages": stages.collect::<Vec<_>>(),
        "rerun_engine": outcome.rerun_engine,
        "concurrency_max": outcome.concurrency.max,
        "reports": options.reports,
        "logs": outcome.logs,
    })
}

/// The run for a person: what is bad first, then what was bad, then what to know.
fn page(outcome: &Outcome, options: &TestOptions) -> String {
    let mut page = String::new();
    let bad: Vec<&TestStory> = outcome.tests.iter().filter(|story| story.is_bad()).collect();
    let flaky: Vec<&TestStory> = outcome.tests.iter().filter(|story| story.is_flaky()).collect();
    page.push_str(&listed("Failed", &bad, |story| describe(story.last())));
    page.push_str(&listed("Passed only when run again", &flaky, |story| {
        story.earlier_failures().next().map(describe).unwrap_or_default()
    }));
    for finding in outcome.findings.iter().filter(|finding| concerns_a_person(finding.kind)) {
        page.push_str(&format!("Note: {}\n", one_line(&finding.text)));
    }
    page.push_str(&stages(outcome));
    page.push_str(&format!("{}\n", sentence(outcome)));
    if let Some(reason) = outcome.reason.as_ref().filter(|_| outcome.verdict != Verdict::Failing) {
        page.push_str(&format!("{}: {}\n", outcome.verdict.name().replace('_', " "), one_line(reason)));
    }
    page.push_str(&format!("Reports: {}\n", options.reports.display()));
    if !outcome.is_good() {
        page.push_str(&format!("Logs: {}\n", outcome.logs.display()));
    }
    page
}

fn listed(title: &str, stories: &[&TestStory], why: impl Fn(&TestStory) -> String) -> String {
    if stories.is_empty() {
        return String::new();
    }
    let mut text = format!("{title}\n");
    for story in stories.iter().take(LISTED) {
        let why = why(story);
        let separator = if why.is_empty() { "" } else { ": " };
        text.push_str(&format!("  {}{separator}{why}\n", story.test));
    }
    if stories.len() > LISTED {
        text.push_str(&format!("  and {} more\n", stories.len() - LISTED));
    }
    text
}

fn describe(attempt: &once::Attempt) -> String {
    let outcome = match attempt.outcome {
        parade::suite::Outcome::Crashed => "its process died while it was running",
        parade::suite::Outcome::TimedOut => "it was still running when its time was up",
        parade::suite::Outcome::NotRun => "it never ran",
        _ => return first_line(attempt.message.as_deref()),
    };
    outcome.to_owned()
}

fn first_line(message: Option<&str>) -> String {
    one_line(message.unwrap_or_default().lines().next().unwrap_or_default())
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
            "  {}: {}, {} left, {:.1} s by {}\n",
            stage.purpose,
            plural(stage.tests, "test"),
            plural(stage.failures_after, "failure"),
            stage.seconds,
            stage.engine
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
    let again = if flaky > 0 { format!("; {flaky} of those that passed failed first") } else { String::new() };
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
            cores: None,
            timeout: Duration::from_secs(60),
            test_timeout: None,
            reports: "parade-reports".into(),
            jdk: None,
            json: false,
        }
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
