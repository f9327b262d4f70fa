//! A run folder with ten million test results, made up and always the same: 25 subjects of 20,000 tests, a sequential and three PASTE
//! configurations, five repetitions. It is written by the code that writes real ones.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use parade::engine::{EngineKind, Parallelism};
use parade::experiment::Trial;
use parade::runner::judge;
use parade::store::record::{Environment, ExecutionRow, RunManifest, TrialRecord};
use parade::store::{self, RunFolder};
use parade::suite::{Cost, Execution, Granularity, Observations, Outcome, RunEnd, SuiteRun, Tally, TestId};
use parade::technique::{LastOutcomes, Stage};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;

pub const SUBJECTS: usize = 25;
pub const CONFIGURATIONS: [&str; 4] = ["sequential", "classes", "methods", "both"];
pub const REPETITIONS: u32 = 5;
pub const TESTS: usize = 20_000;
const TESTS_OF_A_CLASS: usize = 25;
const CORES: usize = 4;

/// Makes the folder, unless it is there from the last time.
pub fn make(below: &Path) -> PathBuf {
    let results = below.join(format!("large-run-{SUBJECTS}-{}-{REPETITIONS}-{TESTS}", CONFIGURATIONS.len()));
    let latest = results.join("large/latest");
    if latest.join("tests.parquet").is_file() {
        return latest;
    }
    let _ = std::fs::remove_dir_all(&results);
    eprintln!("making up 10 million test results …");
    let located = store::locate(&results, "large").expect("a scratch folder");
    let folder = located.create(&manifest(), "", &Environment::default()).expect("a run folder");
    write_trials(&folder);
    eprintln!("merging them …");
    let begin = std::time::Instant::now();
    folder.derive_tables().expect("tests.parquet");
    eprintln!("merged in {:.1} s", begin.elapsed().as_secs_f64());
    latest
}

fn manifest() -> RunManifest {
    let configuration = |name: &&str| {
        let technique = if *name == "sequential" { "sequential" } else { "paste" };
        json!({ "name": name, "technique": technique, "parallelism": Parallelism::SEQUENTIAL })
    };
    let subjects: Vec<String> = (0..SUBJECTS).map(subject_name).collect();
    let manifest = json!({
        "experiment": "large", "study": "paste", "baseline": "sequential", "repetitions": REPETITIONS, "warmup": 0,
        "screening": 0, "seed": 2021, "quick": false, "cores": [CORES], "subjects": subjects,
        "configurations": CONFIGURATIONS.iter().map(configuration).collect::<Vec<_>>(),
        "trials": trials(), "started_at": "2026-01-02T03:04:05Z", "host": "bench", "parade": "0",
    });
    serde_json::from_value(manifest).expect("a sound manifest")
}

fn subject_name(number: usize) -> String {
    format!("subject-{number:02}")
}

/// Block by block, as they run.
fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for repetition in 1..=REPETITIONS {
        for number in 0..SUBJECTS {
            trials.extend(CONFIGURATIONS.map(|configuration| Trial {
                id: format!("{}.{configuration}.c{CORES}.r{repetition}-0badcafe", subject_name(number)),
                subject: subject_name(number),
                configuration: configuration.to_owned(),
                cores: CORES,
                repetition,
            }));
        }
    }
    trials
}

fn write_trials(folder: &RunFolder) {
    let suites: Vec<Vec<(TestId, f64)>> = (0..SUBJECTS).map(suite).collect();
    let mut run = parade::store::OpenRun::open(folder.dir()).expect("a journal");
    for (number, trial) in trials().iter().enumerate() {
        let subject = number / CONFIGURATIONS.len() % SUBJECTS;
        let mut random = ChaCha8Rng::seed_from_u64(number as u64);
        let stages = stages(&suites[subject], trial.configuration != "sequential", &mut random);
        run.record_trial(&record(trial, &stages), &rows(&stages)).expect("room on the disk");
    }
}

/// Tests with the seconds that they usually take: most are short, a few are long.
fn suite(subject: usize) -> Vec<(TestId, f64)> {
    let mut random = ChaCha8Rng::seed_from_u64(1_000_000 + subject as u64);
    let test = |number: usize| {
        let (class, member) = (number / TESTS_OF_A_CLASS, number % TESTS_OF_A_CLASS);
        let module = ["core", "core", "io", "web"][class % 4];
        let class = format!("org.example.subject{subject}.part{}.Component{class}Test", class % 40);
        TestId::new(module, &class, &format!("keepsInvariant{}WhenCalled{member}", number * 7 % 12_000), 1)
    };
    (0..TESTS).map(|number| (test(number), 0.002 * (4.0 * random.random::<f64>()).exp())).collect()
}

/// PASTE's stages, or only one.
fn stages(suite: &[(TestId, f64)], parallel: bool, random: &mut impl Rng) -> Vec<Stage> {
    let workers = if parallel { CORES } else { 1 };
    let all: Vec<&(TestId, f64)> = suite.iter().collect();
    let mut stages = vec![stage(1, &all, workers, if parallel { 0.004 } else { 0.0 }, random)];
    while parallel && stages.len() < 3 {
        let failing: HashSet<TestId> = LastOutcomes::after(&stages, &HashSet::new()).failing(&[]).into_iter().collect();
        let classes: HashSet<String> = failing.iter().map(|test| test.class.clone()).collect();
        let by_class = stages.len() == 2;
        let again =
            |(test, _): &&(TestId, f64)| if by_class { classes.contains(&test.class) } else { failing.contains(test) };
        let again: Vec<&(TestId, f64)> = suite.iter().filter(again).collect();
        if again.is_empty() {
            break;
        }
        stages.push(stage(stages.len() as u32 + 1, &again, 1, if by_class { 0.001 } else { 0.3 }, random));
    }
    stages
}

fn stage(number: u32, tests: &[&(TestId, f64)], workers: usize, failing: f64, random: &mut impl Rng) -> Stage {
    let mut free = vec![0.0_f64; workers];
    let mut executions: Vec<Execution> = Vec::with_capacity(tests.len());
    for (test, usual) in tests {
        let worker = (0..workers).min_by(|a, b| free[*a].total_cmp(&free[*b])).unwrap_or(0);
        let seconds = (usual * (0.8 + 0.4 * random.random::<f64>()) * 1e6).round() / 1e6;
        let start = free[worker];
        free[worker] = start + seconds;
        executions.push(execution(test, outcome(failing, random), start, seconds, worker));
    }
    executions.sort_by(|a, b| a.start.total_cmp(&b.start));
    let run = SuiteRun {
        executions,
        cost: Cost { wall_seconds: free.iter().copied().fold(2.0, f64::max), ..Cost::default() },
        end: RunEnd::Finished,
        granularity: Granularity::Occurrence,
        findings: vec![],
        seen: Observations::default(),
    };
    Stage {
        number,
        purpose: "made up",
        engine: EngineKind::Surefire,
        machine: 1,
        parallelism: Parallelism::SEQUENTIAL,
        run,
    }
}

fn outcome(failing: f64, random: &mut impl Rng) -> Outcome {
    match random.random::<f64>() {
        luck if luck < failing * 0.7 => Outcome::Failed,
        luck if luck < failing => Outcome::Error,
        luck if luck > 0.995 => Outcome::Skipped,
        _ => Outcome::Passed,
    }
}

fn execution(test: &TestId, outcome: Outcome, start: f64, seconds: f64, worker: usize) -> Execution {
    Execution {
        test: test.clone(),
        display: None,
        outcome,
        start,
        seconds,
        process: 4000,
        thread: format!("pool-1-thread-{}", worker + 1),
        message: outcome.is_failure().then(|| "expected:<0> but was:<1>".to_owned()),
    }
}

fn rows(stages: &[Stage]) -> Vec<ExecutionRow> {
    let of = |stage: &Stage| {
        let number = stage.number;
        let row = move |execution: Execution| ExecutionRow { stage: number, machine: 1, execution };
        stage.run.executions.clone().into_iter().map(row)
    };
    stages.iter().flat_map(of).collect()
}

fn record(trial: &Trial, stages: &[Stage]) -> TrialRecord {
    let last = LastOutcomes::after(stages, &HashSet::new());
    let failing = last.failures();
    let wall: f64 = stages.iter().map(|stage| stage.run.cost.wall_seconds).sum();
    let record = json!({
        "trial": trial.id, "phase": "measured", "subject": trial.subject, "configuration": trial.configuration,
        "technique": if trial.configuration == "sequential" { "sequential" } else { "paste" }, "mode": "classes",
        "cores": trial.cores, "repetition": trial.repetition, "verdict": if failing == 0 { "clean" } else { "failing" },
        "reason": (failing > 0).then(|| format!("{failing} tests fail in the end")),
        "started_at": "2026-01-02T03:04:05Z", "cost": Cost { wall_seconds: wall, ..Cost::default() },
        "test_seconds": stages.iter().map(|stage| stage.run.test_seconds()).sum::<f64>(), "makespan_seconds": 0.0,
        "concurrency": stages[0].run.concurrency(), "stages": judge::stage_records(stages, &HashSet::new()),
        "tally": Tally::of(last.outcomes()), "residual": [], "findings": [], "parade": "0",
    });
    serde_json::from_value(record).expect("a sound record")
}
