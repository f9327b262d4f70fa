//! `parade run` on model suites: what is written, what survives a kill, what is refused. No Maven, no Java: milliseconds.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

/// A suite in which PASTE needs all three stages, and one test that cannot be repaired.
const SUITE: &str = "
startup = 1
[[test]]
id = 'Race#a'
seconds = 2
[[test]]
id = 'Race#b'
seconds = 2
races_with = ['Race#a']
[[test]]
id = 'Chain#maker'
seconds = 2
[[test]]
id = 'Chain#user'
seconds = 2
needs = ['Chain#maker']
[[test]]
id = 'Other#<script>alert(1)</script>'
seconds = 4
";

const EXPERIMENT: &str = "
[experiment]
name = 'model'
repetitions = 6
seed = 7
[machine]
cores = [1, 'all']
[[subject]]
name = 'one'
model = 'suite.toml'
[[subject]]
name = 'two'
model = 'suite.toml'
[[configuration]]
name = 'sequential'
[[configuration]]
name = 'both'
technique = 'paste'
parallel = 'classesAndMethods'
threads = 4
";

struct Lab {
    dir: tempfile::TempDir,
}

impl Lab {
    fn new() -> Self {
        let lab = Lab { dir: tempfile::tempdir().unwrap() };
        fs::write(lab.path("suite.toml"), SUITE).unwrap();
        lab.write(EXPERIMENT);
        lab
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn write(&self, experiment: &str) {
        fs::write(self.path("experiment.toml"), experiment).unwrap();
    }

    fn parade(&self, extra: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_parade"));
        command.current_dir(self.dir.path()).env("PARADE_HOME", self.path("home"));
        command.args(["run", "experiment.toml", "--json"]).args(extra);
        command
    }

    fn run(&self, extra: &[&str]) -> Output {
        self.parade(extra).output().unwrap()
    }

    fn latest(&self) -> PathBuf {
        fs::canonicalize(self.path("results/model/latest")).unwrap()
    }

    /// The ids of the measured trials in the journal, in order.
    fn journaled(&self) -> Vec<String> {
        let journal = fs::read_to_string(self.latest().join("journal.jsonl")).unwrap();
        let lines = journal.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let trials = lines.filter(|line| line["kind"] == "trial" && line["phase"] == "measured");
        trials.map(|line| line["trial"].as_str().unwrap().to_owned()).collect()
    }
}

fn last_json(output: &Output) -> Value {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    serde_json::from_str(text.lines().last().unwrap_or_else(|| panic!("no output: {output:?}"))).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn csv_rows(path: &Path) -> Vec<csv::StringRecord> {
    csv::Reader::from_path(path).unwrap().records().map(Result::unwrap).collect()
}

#[test]
fn a_run_leaves_everything_that_a_report_needs() {
    let lab = Lab::new();
    let output = lab.run(&[]);
    assert!(output.status.success(), "{}", stderr(&output));
    let result = last_json(&output);
    let cores = std::thread::available_parallelism().unwrap().get();
    let expected = 2 * 2 * 6 * if cores > 1 { 2 } else { 1 };
    assert_eq!((result["completed"].as_u64(), result["failed"].as_u64()), (Some(expected), Some(0)));
    let dir = lab.latest();
    assert_eq!(fs::canonicalize(result["run_dir"].as_str().unwrap()).unwrap(), dir);
    for file in
        ["experiment.toml", "environment.json", "manifest.json", "trials.csv", "tests.parquet", "report/index.html"]
    {
        assert!(dir.join(file).is_file(), "{file} is missing");
    }
    assert_eq!(csv_rows(&dir.join("trials.csv")).len() as u64, expected);
    let html = fs::read_to_string(dir.join("report/index.html")).unwrap();
    assert!(!html.contains("<script>alert(1)"), "a test's name must not become markup");
}

#[test]
fn every_stage_of_paste_is_in_the_records() {
    let lab = Lab::new();
    assert!(lab.run(&["--only", "cores=1,subject=one,configuration=both"]).status.success());
    let journal = fs::read_to_string(lab.latest().join("journal.jsonl")).unwrap();
    let trial = journal.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let trial = trial.into_iter().find(|line| line["kind"] == "trial").unwrap();
    // On one core nothing overlaps: no race, no failure, and the mode is called out as having no effect.
    assert_eq!(trial["stages"].as_array().unwrap().len(), 1);
    assert_eq!(trial["findings"][0]["kind"], "no_concurrency");
    assert_eq!(trial["verdict"], "clean");
}

#[test]
fn nothing_left_to_do_is_success_and_fresh_starts_anew() {
    let lab = Lab::new();
    lab.run(&["--only", "cores=1"]);
    let (first, trials) = (lab.latest(), lab.journaled());
    let again = lab.run(&["--only", "cores=1"]);
    assert!(again.status.success());
    assert_eq!(last_json(&again)["ran"], 0);
    assert_eq!((lab.latest(), lab.journaled()), (first.clone(), trials));
    assert!(lab.run(&["--only", "cores=1", "--fresh"]).status.success());
    assert_ne!(lab.latest(), first);
}

#[test]
fn killed_at_any_moment_a_run_goes_on_and_ends_with_the_same_trials() {
    let undisturbed = Lab::new();
    let started = std::time::Instant::now();
    assert!(undisturbed.run(&[]).status.success());
    let whole = started.elapsed();
    let expected: BTreeSet<String> = undisturbed.journaled().into_iter().collect();

    let lab = Lab::new();
    for kill in 1..=20u32 {
        let mut child = lab.parade(&[]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // Spread over the whole of a run, from before its folder exists until after its last trial.
        std::thread::sleep(whole * (kill % 7 + 1) / 8 + Duration::from_millis(u64::from(kill)));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let output = lab.run(&[]);
    assert!(output.status.success(), "{}", stderr(&output));
    let journaled = lab.journaled();
    let distinct: BTreeSet<String> = journaled.iter().cloned().collect();
    assert_eq!(journaled.len(), distinct.len(), "a trial was recorded twice");
    assert_eq!(distinct, expected);
    assert_eq!(fs::read_dir(lab.path("results/model")).unwrap().filter(|e| is_run(e.as_ref().unwrap())).count(), 1);
}

fn is_run(entry: &fs::DirEntry) -> bool {
    entry.file_type().unwrap().is_dir() && !entry.file_name().to_string_lossy().starts_with('.')
}

#[test]
fn a_changed_experiment_is_refused_with_what_changed_and_can_be_accepted() {
    let lab = Lab::new();
    lab.run(&["--only", "cores=1"]);
    lab.write(&EXPERIMENT.replace("repetitions = 6", "repetitions = 7"));
    let refused = lab.run(&["--only", "cores=1"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("repetitions: 6 is now 7"), "{}", stderr(&refused));
    let accepted = lab.run(&["--only", "cores=1", "--accept-changes"]);
    assert!(accepted.status.success(), "{}", stderr(&accepted));
    // Only what is new was run: adding a repetition keeps the identity of the others.
    assert_eq!(last_json(&accepted)["ran"], 4);
    assert!(lab.latest().join("manifest.1.json").is_file());
}

#[test]
fn a_changed_setting_of_one_configuration_is_seen() {
    let lab = Lab::new();
    lab.run(&["--only", "cores=1"]);
    lab.write(&EXPERIMENT.replace("threads = 4", "threads = 3"));
    let refused = lab.run(&["--only", "cores=1"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("settings of"), "{}", stderr(&refused));
}

#[test]
fn a_full_disk_is_an_error_that_loses_nothing_recorded() {
    let lab = Lab::new();
    let disk = lab.path("small");
    fs::create_dir(&disk).unwrap();
    let Some(_mounted) = SmallDisk::mount(&disk) else {
        eprintln!("skipped: a small file system can be mounted only by root");
        return;
    };
    let out = ["--out", "small/results", "--only", "cores=1"];
    let failed = lab.run(&out);
    assert_eq!(failed.status.code(), Some(1), "{}", stderr(&failed));
    assert!(stderr(&failed).contains("could not be written"), "{}", stderr(&failed));
    fs::remove_file(disk.join("ballast")).unwrap();
    let journal = fs::canonicalize(disk.join("results/model/latest")).unwrap().join("journal.jsonl");
    let before = fs::read_to_string(&journal).unwrap_or_default();
    let resumed = lab.run(&out);
    assert!(resumed.status.success(), "{}", stderr(&resumed));
    let after = fs::read_to_string(&journal).unwrap();
    assert!(after.starts_with(&before) || before.lines().all(|line| after.contains(line)));
    let ids: Vec<&str> = after.lines().filter(|line| line.contains("\"kind\":\"trial\"")).collect();
    assert_eq!(ids.len(), 24);
}

/// A file system with room for little more than the folder of a run.
struct SmallDisk<'a>(&'a Path);

impl<'a> SmallDisk<'a> {
    fn mount(at: &'a Path) -> Option<Self> {
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=2m", "tmpfs"]).arg(at).status();
        if !mounted.is_ok_and(|status| status.success()) {
            return None;
        }
        fs::write(at.join("ballast"), vec![0; (2 << 20) - 96 * 1024]).unwrap();
        Some(SmallDisk(at))
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0).status();
    }
}

#[test]
fn a_run_in_which_trials_cannot_complete_exits_with_three() {
    let lab = Lab::new();
    lab.write(&EXPERIMENT.replacen("model = 'suite.toml'", "path = 'empty'", 1));
    fs::create_dir(lab.path("empty")).unwrap();
    let output = lab.run(&["--only", "cores=1"]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let result = last_json(&output);
    assert_eq!((result["completed"].as_u64(), result["failed"].as_u64()), (Some(12), Some(12)));
}
