//! Bundled subjects, prepared as a run prepares them, and commands as a person gives them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::time::{Duration, Instant};

use parade::engine::{ProcessPolicy, Resources, RunRequest, Selection, Session};
use parade::experiment::{self, MachineLimits};
use parade::home::Home;
use parade::java;
use parade::java::build::{self, BuildOutcome, Preparation, Prepared};
use parade::process::Interrupt;
use parade::project::FirstRun;
use parade::spec::Subject;
use parade::subject::{self, Silent};

pub const TAG: &str = "bench";

/// Alternating ones; a median of fewer is not one.
pub const PAIRS: usize = 7;

pub const PARADE: &str = env!("CARGO_BIN_EXE_parade");

pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

pub fn home() -> PathBuf {
    root().join("target/tmp/bench-home")
}

/// As many as the machine has, for both sides.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn load(name: &str) -> Subject {
    parade::register_platforms();
    let folder = tempfile::tempdir().expect("a scratch folder");
    let text = format!(
        "[experiment]\nname = 'bench'\n[[subject]]\nname = 'bench-{name}'\npath = {:?}\n[[configuration]]\nname = 'sequential'\n",
        root().join("subjects").join(name).display()
    );
    let file = folder.path().join("experiment.toml");
    std::fs::write(&file, text).expect("the scratch folder is ours");
    let loaded = experiment::load(&file, &MachineLimits::here()).map_err(miette::Report::from).expect("a sound file");
    loaded.experiment.subjects.into_iter().next().expect("its one subject")
}

/// A subject, built and discovered.
pub fn prepare(name: &str) -> Rc<Prepared> {
    eprintln!("preparing {name} …");
    let subject = load(name);
    let home = Home::at(home());
    let toolchain = java::toolchain().expect("a JDK and Maven");
    let revision = subject::resolve(&subject.origin, &home, &Silent, &|| false).expect("a readable folder");
    let preparation = Preparation {
        subject: &subject,
        revision: &revision,
        toolchain: &toolchain,
        home: &home,
        build_timeout: Duration::from_secs(1200),
        memory_bytes: None,
        progress: &Silent,
        interrupt: &Interrupt::new(),
        tag: TAG,
        discovery: FirstRun::Now,
    };
    match build::prepare(&preparation).expect("parade itself works") {
        BuildOutcome::Ready(prepared) => Rc::from(prepared),
        other => panic!("{name} cannot be built: {other:?}"),
    }
}

/// Seconds that parade takes for one run, from the call to its answer.
pub fn by_parade(session: &mut dyn Session, selection: Selection, policy: ProcessPolicy, logs: &Path) -> f64 {
    let request = RunRequest {
        selection,
        policy,
        ..RunRequest::sequential(
            "stage-1",
            Resources { cores: cores(), memory_bytes: None, logs: logs.to_owned() },
            Duration::from_secs(600),
        )
    };
    let begin = Instant::now();
    let run = session.run(&request).expect("parade itself works");
    let seconds = begin.elapsed().as_secs_f64();
    let sound = !run.executions.is_empty() && run.executions.iter().all(|execution| !execution.outcome.is_failure());
    assert!(sound, "the run by parade is not sound: {:?} {:?}", run.end, run.findings);
    seconds
}

/// Seconds of the same Maven on the same worktree, given by hand. What it changed is put back, off the clock.
pub fn by_hand(prepared: &Prepared, arguments: &[&str]) -> f64 {
    prepared.snapshot.restore().expect("the state after the build");
    let mut repository = std::ffi::OsString::from("-Dmaven.repo.local=");
    repository.push(prepared.repository.folder());
    let begin = Instant::now();
    let status = Command::new(&prepared.toolchain.mvn)
        .args(["-o", "-B"])
        // The repository is parade's, whose artifacts came from wherever they came from.
        .args(["-Daether.enhancedLocalRepository.trackingFilename=parade-offline"])
        .arg(repository)
        .args(arguments)
        .current_dir(&prepared.checkout.root)
        .env("JAVA_HOME", &prepared.toolchain.java_home)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        // Newer JDKs warn of what Maven does.
        .stderr(Stdio::null())
        .status()
        .expect("Maven can be started");
    let seconds = begin.elapsed().as_secs_f64();
    assert!(status.success(), "mvn {arguments:?}: {status}");
    prepared.snapshot.restore().expect("the state after the build");
    seconds
}

/// One run of each that does not count, then the pairs, each time the other one first.
pub fn alternating(mut one: impl FnMut() -> f64, mut other: impl FnMut() -> f64) -> (Vec<f64>, Vec<f64>) {
    one();
    other();
    let (mut ones, mut others) = (Vec::new(), Vec::new());
    for pair in 0..PAIRS {
        if pair % 2 == 0 {
            ones.push(one());
            others.push(other());
        } else {
            others.push(other());
            ones.push(one());
        }
    }
    (ones, others)
}

/// The median of the ratios of pairs.
pub fn ratio(numerators: &[f64], denominators: &[f64]) -> f64 {
    let ratios: Vec<f64> = numerators.iter().zip(denominators).map(|(above, below)| above / below).collect();
    super::figure::median(&ratios)
}

/// The Python that `PARADE_PYTHON` names, or the one on the path, if it has these modules.
pub fn python_with(modules: &str) -> Option<PathBuf> {
    let named = std::env::var_os("PARADE_PYTHON").map(PathBuf::from);
    let has_them = |python: &PathBuf| {
        let status = Command::new(python).args(["-c", &format!("import {modules}")]).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    };
    named.into_iter().chain([PathBuf::from("python3")]).find(has_them)
}
