//! Run folders that somebody changed, or that somebody prepared: nothing is read through a link, nothing hangs on a pipe, and
//! what is not what parade wrote is said.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::common::desk::copy_folder;

/// A run that parade 0.1 recorded.
const OLD_RUN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/run-of-0.1");
/// Every file that a report may read.
const FILES: [&str; 6] = [
    "manifest.json",
    "environment.json",
    "journal.jsonl",
    "experiment.toml",
    "tests.parquet",
    "tests/race.sequential.c2.r1-ac26132e.parquet",
];

fn run_of_0_1(folder: &Path) -> PathBuf {
    let run = folder.join("run");
    copy_folder(Path::new(OLD_RUN), &run);
    run
}

/// The program, which must come to an end.
fn parade(folder: &Path, args: &[&str]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_parade"))
        .args(args)
        .current_dir(folder)
        .env("PARADE_HOME", folder.join("home"))
        .env("NO_COLOR", "1")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let end = Instant::now() + Duration::from_secs(120);
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > end {
            child.kill().unwrap();
            panic!("it hangs: parade {args:?}");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.wait_with_output().unwrap()
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn a_run_of_an_older_parade_is_readable_and_called_unchained() {
    let folder = tempfile::tempdir().unwrap();
    let run = run_of_0_1(folder.path());
    let output = parade(folder.path(), &["report", "run"]);
    assert!(output.status.success(), "{}", said(&output));
    let warnings = fs::read_to_string(run.join("report/warnings.csv")).unwrap();
    assert!(warnings.contains("unchained") && !warnings.contains("was changed after"), "{warnings}");
}

#[test]
fn a_pipe_or_a_link_in_place_of_a_file_is_neither_waited_for_nor_followed() {
    for name in FILES {
        let folder = tempfile::tempdir().unwrap();
        let run = run_of_0_1(folder.path());
        let (path, kept) = (run.join(name), folder.path().join("kept"));
        fs::rename(&path, &kept).unwrap();
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        parade(folder.path(), &["report", "run"]);
        fs::remove_file(&path).unwrap();
        symlink(&kept, &path).unwrap();
        let output = parade(folder.path(), &["report", "run"]);
        let told = said(&output);
        // The executions are found elsewhere, or said to be missing; without the rest there is no report.
        let is_refused = !output.status.success() && (told.contains("link") || told.contains("has no manifest"));
        assert!(is_refused || name.ends_with("parquet") || name == "experiment.toml", "{name}: {told}");
    }
}

#[test]
fn folders_of_a_run_that_are_links_are_refused_and_nothing_is_written_through_them() {
    for name in ["tests", "report", "logs"] {
        let folder = tempfile::tempdir().unwrap();
        let run = run_of_0_1(folder.path());
        let outside = folder.path().join("outside");
        fs::create_dir(&outside).unwrap();
        let _ = fs::remove_dir_all(run.join(name));
        symlink(&outside, run.join(name)).unwrap();
        let output = parade(folder.path(), &["report", "run"]);
        assert!(
            !output.status.success() && said(&output).contains("links are not followed"),
            "{name}: {}",
            said(&output)
        );
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0, "{name}");
    }
}

/// Two repetitions of a model suite, recorded by this parade.
fn chained_run(folder: &Path) -> PathBuf {
    fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/race-and-chain.toml"), folder.join("suite.toml"))
        .unwrap();
    let text = "[experiment]\nname = 'm'\nrepetitions = 2\nseed = 1\n[[subject]]\nname = 'race'\nmodel = 'suite.toml'\n\
                [[configuration]]\nname = 'sequential'\n\
                [[configuration]]\nname = 'classes'\ntechnique = 'parallel'\nparallel = 'classes'\nthreads = 2\n";
    fs::write(folder.join("experiment.toml"), text).unwrap();
    let output = parade(folder, &["run", "experiment.toml"]);
    assert!(output.status.success(), "{}", said(&output));
    fs::canonicalize(folder.join("results/m/latest")).unwrap()
}

#[test]
fn a_changed_record_is_a_warning_in_report_merge_and_artifact() {
    let folder = tempfile::tempdir().unwrap();
    let run = chained_run(folder.path());
    let warnings = || fs::read_to_string(run.join("report/warnings.csv")).unwrap();
    assert!(!warnings().contains("was changed after") && !warnings().contains("unchained"), "{}", warnings());

    let journal = fs::read_to_string(run.join("journal.jsonl")).unwrap();
    fs::write(run.join("journal.jsonl"), journal.replacen("\"wall_seconds\":9.0", "\"wall_seconds\":8.0", 1)).unwrap();
    let dir = run.to_str().unwrap();
    assert!(parade(folder.path(), &["report", dir]).status.success());
    assert!(warnings().contains("do not follow from each other"), "{}", warnings());

    let merged = parade(folder.path(), &["merge", dir, OLD_RUN, "--out", "merged", "--overlap", "further-repetitions"]);
    let merged =
        if merged.status.success() { merged } else { parade(folder.path(), &["merge", dir, "--out", "merged"]) };
    if merged.status.success() {
        assert!(said(&merged).contains("was changed after it was written"), "{}", said(&merged));
        assert!(parade(folder.path(), &["report", "merged"]).status.success());
        let warnings = fs::read_to_string(folder.path().join("merged/report/warnings.csv")).unwrap();
        assert!(warnings.contains("do not follow from each other"), "{warnings}");
    }

    let output = parade(folder.path(), &["artifact", dir, "--out", "artifact"]);
    assert!(output.status.success(), "{}", said(&output));
    let found = grep(&folder.path().join("artifact"), "do not follow from each other");
    assert!(found, "the artifact's own report warns");
}

fn grep(folder: &Path, wanted: &str) -> bool {
    fs::read_dir(folder).unwrap().flatten().any(|entry| match entry.path().is_dir() {
        true => grep(&entry.path(), wanted),
        false => fs::read(entry.path()).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(wanted)),
    })
}
