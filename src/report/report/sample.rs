//! Runs made up for tests: every state that a table can show, on eight subjects.

use std::sync::LazyLock;

use super::Analysis;
use crate::engine::{Forks, Mode, Parallelism};
use crate::experiment::Trial;
use crate::store::record::{
    ConfigurationSummary, Environment, Phase, ResidualTest, RunData, RunManifest, SetAsideTest, StageRecord,
    SubjectFailure, SubjectRecord, TrialRecord, Verdict,
};
use crate::suite::{Concurrency, Cost, Finding, FindingKind, Granularity, Outcome, RunEnd, Tally, TestId};
use crate::technique::{Harness, TechniqueKind};

const REPETITIONS: u32 = 5;
const TESTS: usize = 40;

/// Names that try to break out of whatever shows them.
pub const HOSTILE_NAMES: [&str; 5] = [
    "<img src=x onerror=\"alert(1)\">",
    "</td><script>alert('x')</script>",
    "a|b \\ \"q\" \u{202e}evil\u{1b}[31m\nsecond line",
    ENORMOUS,
    "=HYPERLINK(\"http:\",A1)",
];

const ENORMOUS: &str = {
    const BYTES: [u8; 10_000] = [b'x'; 10_000];
    match std::str::from_utf8(&BYTES) {
        Ok(text) => text,
        Err(_) => "",
    }
};

/// One repetition of a configuration on a subject.
#[derive(Clone)]
pub struct Run {
    pub verdict: Verdict,
    pub wall: f64,
    /// Failures after each stage that took place.
    pub failures: Vec<usize>,
    pub lost: usize,
    pub ends: RunEnd,
}

impl Run {
    pub fn clean(wall: f64, failures: &[usize]) -> Run {
        Run { verdict: Verdict::Clean, wall, failures: failures.to_vec(), lost: 0, ends: RunEnd::Finished }
    }

    pub fn failing(wall: f64, failures: &[usize]) -> Run {
        Run { verdict: Verdict::Failing, ..Run::clean(wall, failures) }
    }

    pub fn losing(wall: f64, failures: &[usize], lost: usize) -> Run {
        Run { verdict: Verdict::LostTests, lost, ..Run::clean(wall, failures) }
    }

    pub fn timed_out() -> Run {
        Run { verdict: Verdict::TimedOut, ends: RunEnd::TimedOut, ..Run::clean(600.0, &[3]) }
    }

    pub fn without_stages(verdict: Verdict) -> Run {
        Run { verdict, ..Run::clean(0.0, &[]) }
    }
}

/// The study in small: Table II and IV with every state.
pub fn study() -> RunData {
    let mut sample = Sample::new(
        &[
            "clean-gain",
            "data-race",
            "order-in-class",
            "order-across",
            "hangs",
            "loses-tests",
            "testng-only",
            "does-not-build",
        ],
        &[2],
    );
    sample.fill("clean-gain", "sequential", 2, |i| Run::clean(60.0 + i, &[0]));
    sample.fill("clean-gain", "classes", 2, |i| Run::clean(31.0 + i / 2.0, &[0]));
    sample.fill("clean-gain", "methods", 2, |i| Run::clean(40.0 + i, &[0]));
    sample.fill("clean-gain", "plain", 2, |i| Run::clean(30.0 + i, &[0]));
    sample.fill("data-race", "sequential", 2, |i| Run::clean(170.0 - i, &[0]));
    sample.fill("data-race", "classes", 2, |i| Run::clean(120.0 + i, &[6, 0]));
    sample.fill("data-race", "methods", 2, |i| {
        Run::clean(150.0 + i, &[if i < 2.0 { 4 } else { 0 }, 0][..if i < 2.0 { 2 } else { 1 }])
    });
    sample.fill("data-race", "plain", 2, |i| Run::failing(90.0 + i, &[6]));
    sample.fill("order-in-class", "sequential", 2, |i| Run::clean(12.0 + i / 10.0, &[0]));
    sample.fill("order-in-class", "classes", 2, |i| Run::clean(15.0 + i / 10.0, &[0]));
    sample.fill("order-in-class", "methods", 2, |i| {
        Run::clean(16.5 + i / 10.0, if i == 0.0 { &[3, 2, 0] } else { &[3, 0] })
    });
    sample.fill("order-in-class", "plain", 2, |i| {
        if i == 1.0 { Run::failing(9.0, &[3]) } else { Run::clean(9.0 + i / 10.0, &[0]) }
    });
    sample.fill("order-across", "sequential", 2, |i| Run::clean(20.0 + i / 5.0, &[0]));
    sample.fill("order-across", "classes", 2, |_| Run::failing(14.0, &[2, 1, 1]));
    sample.fill("order-across", "methods", 2, |_| Run::failing(13.0, &[2, 1, 1]));
    sample.fill("order-across", "plain", 2, |_| Run::failing(8.0, &[2]));
    sample.fill("hangs", "sequential", 2, |i| Run::clean(8.0 + i * 3.0, &[0]));
    sample.fill("hangs", "classes", 2, |i| Run::clean(9.0 + i / 10.0, &[0]));
    sample.fill("hangs", "methods", 2, |_| Run::timed_out());
    sample.fill("hangs", "plain", 2, |i| if i < 2.0 { Run::timed_out() } else { Run::clean(9.0, &[0]) });
    sample.fill("loses-tests", "sequential", 2, |i| Run::clean(30.0 + i / 5.0, &[0]));
    sample.fill("loses-tests", "classes", 2, |i| Run::clean(21.0 + i / 5.0, &[0]));
    sample.fill("loses-tests", "methods", 2, |_| Run::losing(15.0, &[6, 0], 5));
    sample.fill("loses-tests", "plain", 2, |_| Run::without_stages(Verdict::Crashed));
    sample.fill("testng-only", "sequential", 2, |i| Run::clean(5.0 + i / 10.0, &[0]));
    sample.fill("testng-only", "classes", 2, |i| Run::clean(4.0 + i / 10.0, &[0]));
    sample.fill("testng-only", "methods", 2, |_| Run::without_stages(Verdict::Unsupported));
    sample.fill("testng-only", "plain", 2, |i| Run::clean(4.2 + i / 10.0, &[0]));
    sample.does_not_build("does-not-build");
    sample.data
}

/// The analysis of [`study`], made once for all tests.
pub fn studied() -> &'static Analysis {
    static ANALYSIS: LazyLock<Analysis> = LazyLock::new(|| Analysis::of(&study()));
    &ANALYSIS
}

/// The analysis of [`hostile`], made once for all tests.
pub fn attacked() -> &'static Analysis {
    static ANALYSIS: LazyLock<Analysis> = LazyLock::new(|| Analysis::of(&hostile()));
    &ANALYSIS
}

/// One subject on one and two cores.
pub fn two_core_counts() -> RunData {
    let mut sample = Sample::new(&["scales"], &[1, 2]);
    for (cores, factor) in [(1, 1.0), (2, 0.55)] {
        sample.fill("scales", "sequential", cores, |i| Run::clean(60.0 + i, &[0]));
        for configuration in ["classes", "methods", "plain"] {
            sample.fill("scales", configuration, cores, |i| Run::clean((58.0 + i) * factor, &[0]));
        }
    }
    sample.data
}

/// Subjects whose names, tests and messages are attacks.
pub fn hostile() -> RunData {
    let mut sample = Sample::new(&HOSTILE_NAMES, &[2]);
    for name in HOSTILE_NAMES {
        sample.fill(name, "sequential", 2, |i| Run::clean(60.0 + i, &[0]));
        sample.fill(name, "classes", 2, |i| Run::clean(30.0 + i, &[0]));
        sample.fill(name, "methods", 2, |_| Run::failing(13.0, &[2, 1, 1]));
        sample.fill(name, "plain", 2, |i| Run::clean(40.0 + i, &[0]));
    }
    for trial in &mut sample.data.trials {
        for residual in &mut trial.residual {
            residual.test.name = trial.subject.clone();
            residual.message = Some(trial.subject.clone());
        }
        trial.findings.push(Finding::new(FindingKind::DirtyWorktree, trial.subject.clone()));
    }
    sample.data.manifest.experiment = HOSTILE_NAMES[1].to_owned();
    sample.data.environment.cpu_model = HOSTILE_NAMES[0].to_owned();
    sample.data
}

/// One repetition of `sequential` and `classes`.
#[derive(Debug, Clone, Copy)]
pub struct MeasuredPair {
    pub baseline: f64,
    pub candidate: f64,
    /// Did tests overlap in the candidate?
    pub overlaps: bool,
    /// Of the candidate.
    pub verdict: Verdict,
}

/// A run of these pairs, a subject for each list of them.
pub fn measured(subjects: &[Vec<MeasuredPair>]) -> RunData {
    let names: Vec<String> = (1..=subjects.len()).map(|number| format!("subject-{number}")).collect();
    let mut data = Sample::new(&names.iter().map(String::as_str).collect::<Vec<_>>(), &[2]).data;
    for (name, pairs) in names.iter().zip(subjects) {
        for (repetition, pair) in (1..).zip(pairs) {
            let candidate = Run { verdict: pair.verdict, ..Run::clean(pair.candidate, &[0]) };
            let mut candidate = trial_record(name, "classes", 2, repetition, &candidate);
            candidate.concurrency.max = if pair.overlaps { 9 } else { 1 };
            let baseline = trial_record(name, "sequential", 2, repetition, &Run::clean(pair.baseline, &[0]));
            data.trials.extend([baseline, candidate]);
        }
    }
    let manifest = &mut data.manifest;
    manifest.study = None;
    manifest.configurations.retain(|each| ["sequential", "classes"].contains(&each.name.as_str()));
    manifest.repetitions = subjects.iter().map(Vec::len).max().unwrap_or(0) as u32;
    manifest.trials.clear();
    for trial in &data.trials {
        manifest.trials.push(Trial {
            id: trial.trial.clone(),
            subject: trial.subject.clone(),
            configuration: trial.configuration.clone(),
            cores: trial.cores,
            repetition: trial.repetition,
        });
    }
    data
}

/// A run that was begun, and nothing more.
pub fn empty() -> RunData {
    Sample::new(&["clean-gain"], &[2]).data
}

struct Sample {
    data: RunData,
}

fn parallelism(mode: Mode) -> Parallelism {
    Parallelism {
        mode,
        threads: 7,
        threads_per_core: false,
        forks: Forks::PerCore(1.0),
        reuse_forks: true,
        modules: None,
    }
}

fn configurations() -> Vec<ConfigurationSummary> {
    let configuration = |name: &str, technique, parallelism| ConfigurationSummary {
        name: name.into(),
        technique,
        parallelism,
        harness: Harness::default(),
        ordering: None,
    };
    vec![
        configuration("sequential", TechniqueKind::Sequential, Parallelism::SEQUENTIAL),
        configuration("classes", TechniqueKind::Paste, parallelism(Mode::Classes)),
        configuration("methods", TechniqueKind::Paste, parallelism(Mode::Methods)),
        configuration("plain", TechniqueKind::Parallel, parallelism(Mode::Classes)),
    ]
}

fn started() -> jiff::Timestamp {
    jiff::Timestamp::from_second(1_750_000_000).unwrap()
}

impl Sample {
    fn new(subjects: &[&str], cores: &[usize]) -> Sample {
        let mut trials = Vec::new();
        for repetition in 1..=REPETITIONS {
            for cores in cores {
                for subject in subjects {
                    trials.extend(configurations().into_iter().map(|c| Trial {
                        id: trial_id(subject, &c.name, *cores, repetition),
                        subject: (*subject).to_owned(),
                        configuration: c.name,
                        cores: *cores,
                        repetition,
                    }));
                }
            }
        }
        let manifest = RunManifest {
            experiment: "sample".into(),
            study: Some("paste".into()),
            baseline: "sequential".into(),
            repetitions: REPETITIONS,
            warmup: 1,
            screening: 10,
            seed: 2021,
            quick: false,
            cores: cores.to_vec(),
            subjects: subjects.iter().map(|subject| (*subject).to_owned()).collect(),
            configurations: configurations(),
            trials,
            started_at: started(),
            host: "laboratory".into(),
            parade: "0.1.0".into(),
            contents: std::collections::BTreeMap::new(),
            experiment_folder: None,
            merged: Vec::new(),
            accepted_changes: Vec::new(),
            command: None,
        };
        let subjects = subjects.iter().map(|subject| subject_record(subject)).collect();
        Sample {
            data: RunData {
                manifest,
                environment: environment(),
                subjects,
                trials: Vec::new(),
                knowledge: Vec::new(),
                steps: Vec::new(),
                left_out: Default::default(),
            },
        }
    }

    /// Every repetition of a cell; the closure gets 0, 1, 2, …
    fn fill(&mut self, subject: &str, configuration: &str, cores: usize, run: impl Fn(f64) -> Run) {
        for repetition in 1..=REPETITIONS {
            let record = trial_record(subject, configuration, cores, repetition, &run(f64::from(repetition - 1)));
            self.data.trials.push(record);
        }
    }

    fn does_not_build(&mut self, subject: &str) {
        for record in self.data.subjects.iter_mut().filter(|record| record.subject == subject) {
            record.tests = 0;
            record.classes = 0;
            record.failure = Some(SubjectFailure {
                verdict: Verdict::BuildFailed,
                reason: "compilation failed: cannot find symbol".into(),
                log: None,
            });
        }
    }
}

fn trial_id(subject: &str, configuration: &str, cores: usize, repetition: u32) -> String {
    format!("{subject}.{configuration}.c{cores}.r{repetition}-00000000")
}

fn trial_record(subject: &str, configuration: &str, cores: usize, repetition: u32, run: &Run) -> TrialRecord {
    let summary = configurations().into_iter().find(|c| c.name == configuration).unwrap();
    let residual = *run.failures.last().unwrap_or(&0);
    let residual = if run.verdict == Verdict::Failing { residual } else { 0 };
    let concurrency = match configuration {
        "sequential" => Concurrency { mean: 1.0, max: 1 },
        "methods" if subject == "order-in-class" => Concurrency { mean: 1.4, max: 2 },
        _ => Concurrency { mean: 3.2, max: 9 },
    };
    let cost = Cost {
        wall_seconds: run.wall,
        user_seconds: run.wall * 1.2,
        system_seconds: run.wall * 0.1,
        peak_memory_bytes: Some(700 << 20),
        ..Cost::default()
    };
    let mut findings = Vec::new();
    if run.lost > 0 {
        findings.push(Finding::new(FindingKind::LostTests, format!("{} expected tests never ran", run.lost)));
    }
    if concurrency.max == 2 {
        let text = "`methods` had no effect: all overlap came from 2 forks, none from threads within a fork";
        findings.push(Finding::new(FindingKind::NoConcurrency, text));
    }
    TrialRecord {
        trial: trial_id(subject, configuration, cores, repetition),
        phase: Phase::Measured,
        subject: subject.into(),
        configuration: configuration.into(),
        technique: "paste".into(),
        mode: summary.parallelism.mode,
        engine: None,
        cores,
        repetition,
        verdict: run.verdict,
        reason: (run.verdict != Verdict::Clean).then(|| format!("the trial is {}", run.verdict.name())),
        started_at: started() + jiff::SignedDuration::from_secs(i64::from(repetition) * 1000),
        cost,
        test_seconds: run.wall * 0.9,
        makespan_seconds: run.wall * 0.9,
        concurrency,
        stages: stages(run, &summary, cost, concurrency),
        tally: Tally { passed: TESTS - residual - run.lost, failed: residual, not_run: run.lost, ..Tally::default() },
        outcomes_hash: None,
        residual: (0..residual).map(residual_test).collect(),
        findings,
        load_before: Some(0.4),
        load_after: Some(1.5),
        load_during: Some(0.0),
        swapped_pages: None,
        throttle_events: None,
        revision: Some("2d62a3e9da726942a93cf16b6e91c0187e6c0136".into()),
        jdk: Some("1.8.0_462".into()),
        java_home: Some("/opt/jdk-8".into()),
        maven: Some("3.9.9".into()),
        tools: Default::default(),
        parade: "0.1.0".into(),
        provenance: None,
        arrangement: None,
    }
}

fn residual_test(index: usize) -> ResidualTest {
    ResidualTest {
        test: TestId::new("", "org.example.LedgerTest", &format!("balance{index}"), 1),
        outcome: Outcome::Failed,
        message: Some("expected:<0> but was:<1>".into()),
    }
}

fn stages(run: &Run, summary: &ConfigurationSummary, cost: Cost, concurrency: Concurrency) -> Vec<StageRecord> {
    let last = run.failures.len();
    let stage = |(index, failures): (usize, &usize)| StageRecord {
        stage: index as u32 + 1,
        purpose: ["parallel run", "failed tests", "their classes"][index.min(2)].into(),
        engine: None,
        parallelism: if index == 0 { summary.parallelism } else { Parallelism::SEQUENTIAL },
        tally: Tally { failed: *failures, not_run: if index == 0 { run.lost } else { 0 }, ..Tally::default() },
        failures_after: *failures,
        cost,
        test_seconds: cost.wall_seconds,
        concurrency,
        granularity: Granularity::Occurrence,
        end: if index + 1 == last { run.ends.clone() } else { RunEnd::Finished },
    };
    run.failures.iter().enumerate().map(stage).collect()
}

fn subject_record(subject: &str) -> SubjectRecord {
    let flaky =
        SetAsideTest { test: TestId::new("", "org.example.ClockTest", "ticks", 1), reason: "passed 7 of 10".into() };
    let lifted = Finding::new(FindingKind::Deviation, "compiler level 1.5 was raised to 1.8");
    SubjectRecord {
        subject: subject.into(),
        origin: format!("subjects/{subject}"),
        revision: Some("2d62a3e9da726942a93cf16b6e91c0187e6c0136".into()),
        requested: None,
        jdk: Some("1.8.0_462".into()),
        java_home: Some("/opt/jdk-8".into()),
        jdk_choice: Some("8 was requested".into()),
        user: None,
        maven: Some("3.9.9".into()),
        tools: Default::default(),
        frameworks: vec!["JUnit 4.13.2".into()],
        modules: vec![".".into()],
        classes: 8,
        tests: TESTS,
        deviations: if subject == "data-race" { vec![lifted] } else { Vec::new() },
        set_aside: if subject == "data-race" { vec![flaky] } else { Vec::new() },
        screening_runs: 10,
        failure: None,
        version: None,
    }
}

fn environment() -> Environment {
    Environment {
        hostname: "laboratory".into(),
        os: "Debian GNU/Linux 12".into(),
        kernel: "6.1.0".into(),
        architecture: "x86_64".into(),
        cpu_model: "Example CPU @ 2.40GHz".into(),
        logical_cores: 4,
        physical_cores: Some(2),
        memory_bytes: 16 << 30,
        parade: "0.1.0".into(),
        limits: vec!["Memory is limited by a cgroup.".into()],
        ..Environment::default()
    }
}
