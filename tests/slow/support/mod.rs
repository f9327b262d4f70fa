//! What the integration tests share: expectations as types, a bench that runs the real binary, and the comparison.

mod compare;
mod expectation;
mod experiment_file;
mod leftovers;
mod machine;
mod outcome;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

pub use expectation::Expectation;
use leftovers::Marker;
pub use machine::{check_choice_of_jdks, check_jdk_by_what_passes, check_root_is_told_apart};
use outcome::RunOutcome;

use crate::common::desk::shared_home;
use crate::turn;

/// Downloads count, the first time.
const PATIENCE: Duration = Duration::from_secs(900);

pub fn subjects_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("subjects")
}

/// Runs parade on a subject and compares what it wrote with what `expected.toml` says.
///
/// # Panics
/// When anything differs, naming every difference; the run folder is then kept.
pub fn check_subject(name: &str) {
    let Some(_turn) = turn::of_subject(name) else { return };
    let mut expectation = Expectation::of(name);
    if let Some(why) = machine::lacks(&expectation) {
        println!("{name}: skipped, as {why}");
        return;
    }
    if expectation.user.is_some() && parade::process::missing_privileges().is_some() {
        expectation.user = None;
    }
    check(name, &expectation);
}

/// The same with an expectation that is not the subject's own.
///
/// # Panics
/// When anything differs.
pub fn check(name: &str, expectation: &Expectation) {
    let scratch = scratch(name);
    let marker = Marker::new(name);
    let file = experiment_file::write(scratch.path(), name, expectation, &marker);
    let outcome = RunOutcome::of(run_parade(&file, &scratch.path().join("results")));

    let mut differences = compare::differences(expectation, &outcome);
    differences.extend(marker.processes().into_iter().map(|process| format!("still running: {process}")));
    if !differences.is_empty() {
        let kept = scratch.keep();
        let list = differences.join("\n  ");
        panic!("{name} ({})\n  {list}\nsee {}\n{}", expectation.summary, kept.display(), outcome.last_words());
    }
}

/// Open to all: some subjects run as another user.
fn scratch(name: &str) -> tempfile::TempDir {
    let scratch = tempfile::Builder::new().prefix(&format!("parade-{name}-")).tempdir().expect("a scratch folder");
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(scratch.path(), open).expect("the scratch folder is ours");
    scratch
}

/// Kills parade while a test of the subject is running; what the subject started has to go with it.
///
/// # Panics
/// When some process outlives parade.
pub fn check_nothing_outlives_parade(subject: &str) {
    let Some(_turn) = turn::of_subject(subject) else { return };
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let marker = Marker::new(subject);
    let file = experiment_file::write(scratch.path(), subject, &Expectation::of(subject), &marker);
    let mut parade = parade_run(&file, &scratch.path().join("results"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("parade can be started");

    let forked = || marker.processes().iter().any(|process| process.contains("surefirebooter"));
    let started = becomes_true(PATIENCE, forked);
    parade.kill().expect("parade is still running");
    parade.wait().expect("parade was started here");
    assert!(started, "no test ever ran");
    becomes_true(Duration::from_secs(10), || marker.processes().is_empty());
    assert_eq!(marker.processes(), Vec::<String>::new(), "these outlive parade");
}

fn becomes_true(patience: Duration, mut condition: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + patience;
    while Instant::now() < deadline {
        if condition() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    false
}

fn run_parade(file: &Path, results: &Path) -> std::process::Output {
    assert_cmd::Command::from_std(parade_run(file, results)).timeout(PATIENCE).output().expect("parade can be started")
}

fn parade_run(file: &Path, results: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parade"));
    command.arg("run").arg(file).arg("--out").arg(results).arg("--json");
    command.env("PARADE_HOME", shared_home()).env("NO_COLOR", "1");
    command
}
