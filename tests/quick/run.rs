//! `parade run` on model suites: what is written, what survives a kill, what is refused. No Maven, no Java: milliseconds.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use polars::prelude::{ParquetReader, SerReader};
use rustix::process::Signal;
use serde_json::Value;

use crate::lab::{Lab, SUITE, csv_rows, files_with, last_json, signal, stderr};

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

fn lab() -> Lab {
    Lab::new(EXPERIMENT, SUITE)
}

/// One that takes about a second or more, in all three phases.
fn long_lab() -> Lab {
    let longer = EXPERIMENT.replace("repetitions = 6", "repetitions = 16\nwarmup = 1\nscreening = 2");
    let many: String = (0..200).map(|n| format!("[[test]]\nid = 'Many{}#t{n}'\nseconds = 1\n", n % 9)).collect();
    Lab::new(&longer, &format!("{SUITE}{many}"))
}

#[test]
fn a_run_leaves_everything_that_a_report_needs() {
    let lab = lab();
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
    if std::thread::available_parallelism().unwrap().get() < 2 {
        eprintln!("skipped: nothing runs in parallel on one core");
        return;
    }
    let lab = lab();
    lab.write(&EXPERIMENT.replace("cores = [1, 'all']", "cores = 2"));
    assert!(lab.run(&["--only", "subject=one,configuration=both"]).status.success());
    let trial = &lab.trials()[0];
    let stages = trial["stages"].as_array().unwrap();
    let of = |key: &str| stages.iter().map(|stage| stage[key].clone()).collect::<Vec<_>>();
    // `Race#b` passes alone; `Chain#user` only after the test before it in its class.
    assert_eq!(of("failures_after"), [2, 1, 0]);
    assert_eq!(of("purpose"), ["parallel run", "failed tests", "their classes"]);
    assert_eq!((&trial["verdict"], &trial["findings"]), (&Value::from("clean"), &Value::from(Vec::<Value>::new())));
    let file = fs::File::open(lab.latest().join("tests.parquet")).unwrap();
    let tests = ParquetReader::new(file).finish().unwrap();
    let stages = tests.column("stage").unwrap().u32().unwrap().into_no_null_iter().collect::<Vec<_>>();
    let executions = [1, 2, 3].map(|stage| stages.iter().filter(|number| **number == stage).count());
    // Five tests, two that failed, and the two of the class `Chain`; six repetitions.
    assert_eq!(executions, [5 * 6, 2 * 6, 2 * 6]);
}

#[test]
fn parallelism_that_cannot_take_place_is_called_out() {
    let lab = lab();
    assert!(lab.run(&["--only", "cores=1,subject=one,configuration=both"]).status.success());
    let trial = &lab.trials()[0];
    assert_eq!(trial["stages"].as_array().unwrap().len(), 1);
    assert_eq!(trial["findings"][0]["kind"], "no_concurrency");
    assert_eq!(trial["verdict"], "clean");
}

#[test]
fn nothing_left_to_do_is_success_and_fresh_starts_anew() {
    let lab = lab();
    lab.run(&["--only", "cores=1"]);
    let (first, trials) = (lab.latest(), lab.recorded());
    let again = lab.run(&["--only", "cores=1"]);
    assert!(again.status.success());
    assert_eq!(last_json(&again)["ran"], 0);
    assert_eq!((lab.latest(), lab.recorded()), (first.clone(), trials));
    assert!(lab.run(&["--only", "cores=1", "--fresh"]).status.success());
    assert_ne!(lab.latest(), first);
}

#[test]
fn killed_at_any_moment_a_run_goes_on_and_ends_with_the_same_trials() {
    let lab = long_lab();
    assert!(lab.run(&[]).status.success());
    let expected = lab.recorded();
    for phase in ["warmup", "screening", "measured"] {
        assert!(lab.trials().iter().any(|trial| trial["phase"] == phase), "no {phase}");
    }
    fs::rename(lab.path("results"), lab.path("undisturbed")).unwrap();

    let mut in_the_middle = 0;
    for kill in 1..=20u32 {
        let before = lab.journal_bytes();
        let mut child = lab.start();
        if kill <= 6 {
            // From before the folder exists on.
            std::thread::sleep(Duration::from_millis(4 * u64::from(kill)));
        } else {
            lab.wait_for_growth(before, &mut child);
            std::thread::sleep(Duration::from_micros(211 * u64::from(kill % 7)));
        }
        let was_running = child.try_wait().unwrap().is_none();
        child.kill().unwrap();
        child.wait().unwrap();
        let recorded = lab.trials().len();
        in_the_middle += usize::from(was_running && recorded > 0 && recorded < expected.len());
    }
    assert!(in_the_middle >= 5, "only {in_the_middle} kills hit a run with some trials recorded and some not");
    let output = lab.run(&[]);
    assert!(output.status.success(), "{}", stderr(&output));
    // Once each, and those of warm-up and screening too.
    assert_eq!(lab.recorded(), expected);
    assert!(expected.values().all(|times| *times == 1));
    assert_eq!(fs::read_dir(lab.path("results/model")).unwrap().filter(|e| is_run(e.as_ref().unwrap())).count(), 1);
}

fn is_run(entry: &fs::DirEntry) -> bool {
    entry.file_type().unwrap().is_dir() && !entry.file_name().to_string_lossy().starts_with('.')
}

#[test]
fn repetitions_can_be_added_and_only_what_is_new_is_run() {
    let lab = lab();
    lab.run(&["--only", "cores=1"]);
    lab.write(&EXPERIMENT.replace("repetitions = 6", "repetitions = 7"));
    let more = lab.run(&["--only", "cores=1"]);
    assert!(more.status.success(), "{}", stderr(&more));
    assert_eq!(last_json(&more)["ran"], 4);
    assert!(lab.latest().join("manifest.1.json").is_file(), "the settings of before are kept");
    let warnings = fs::read_to_string(lab.latest().join("report/warnings.csv")).unwrap();
    assert!(!warnings.contains("accept"), "more of the same is no change: {warnings}");
    let again = lab.run(&["--only", "cores=1"]);
    assert_eq!(last_json(&again)["ran"], 0);
}

#[test]
fn a_changed_experiment_is_refused_with_what_changed_and_can_be_accepted() {
    let lab = lab();
    lab.run(&["--only", "cores=1"]);
    lab.write(&EXPERIMENT.replace("repetitions = 6", "repetitions = 5"));
    let refused = lab.run(&["--only", "cores=1"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("repetitions: was 6, is now 5"), "{}", stderr(&refused));
    let accepted = lab.run(&["--only", "cores=1", "--accept-changes"]);
    assert!(accepted.status.success(), "{}", stderr(&accepted));
    assert_eq!(last_json(&accepted)["ran"], 0);
    let warnings = fs::read_to_string(lab.latest().join("report/warnings.csv")).unwrap();
    assert!(warnings.contains("repetitions: was 6, is now 5"), "{warnings}");
}

/// Times of two versions of a subject are never averaged.
#[test]
fn trials_of_content_that_was_edited_since_are_run_again() {
    let lab = lab();
    lab.run(&["--only", "cores=1"]);
    fs::write(lab.path("suite.toml"), SUITE.replace("seconds = 4", "seconds = 5")).unwrap();
    let accepted = lab.run(&["--only", "cores=1", "--accept-changes"]);
    assert!(accepted.status.success(), "{}", stderr(&accepted));
    assert_eq!(last_json(&accepted)["ran"], 24, "all trials of both subjects");
    let rows = csv_rows(&lab.latest().join("trials.csv"));
    assert_eq!(rows.len(), 24);
    let warnings = fs::read_to_string(lab.latest().join("report/warnings.csv")).unwrap();
    assert!(warnings.contains("accepted_changes") && warnings.contains("Trials of earlier content"), "{warnings}");
    let again = lab.run(&["--only", "cores=1"]);
    assert_eq!(last_json(&again)["ran"], 0);
}

#[test]
fn a_changed_setting_of_one_configuration_is_seen() {
    let lab = lab();
    lab.run(&["--only", "cores=1"]);
    lab.write(&EXPERIMENT.replace("threads = 4", "threads = 3"));
    let refused = lab.run(&["--only", "cores=1"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("settings of"), "{}", stderr(&refused));
}

#[test]
fn a_full_disk_is_an_error_that_loses_nothing_recorded() {
    let lab = lab();
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
    let before = fs::read_to_string(&journal).unwrap();
    let resumed = lab.run(&out);
    assert!(resumed.status.success(), "{}", stderr(&resumed));
    let after = fs::read_to_string(&journal).unwrap();
    assert!(before.lines().any(|line| line.contains("\"kind\":\"trial\"")), "nothing was recorded before: {before}");
    assert!(after.starts_with(&before));
    let ids: Vec<&str> = after.lines().filter(|line| line.contains("\"kind\":\"trial\"")).collect();
    assert_eq!(ids.len(), 24);
}

#[test]
fn results_that_vanish_end_the_run_and_the_next_one_starts_anew() {
    let lab = long_lab();
    let mut run = lab.start();
    lab.wait_for_trials(5, &mut run);
    fs::rename(lab.path("results"), lab.path("elsewhere")).unwrap();
    fs::remove_dir_all(lab.path("elsewhere")).unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(1));
    assert!(lab.run(&[]).status.success());
    assert!(lab.recorded().values().all(|times| *times == 1));
}

#[test]
fn damaged_records_are_an_error_that_names_the_file() {
    let lab = lab();
    assert!(lab.run(&["--only", "cores=1"]).status.success());
    let huge = format!("{}\n", "[".repeat(1 << 20));
    for (file, content) in [
        ("journal.jsonl", "{\"kind\":\"trial\"}\n"),
        ("journal.jsonl", huge.as_str()),
        ("manifest.json", "{"),
        ("manifest.json", ""),
        ("environment.json", "[1, 2"),
    ] {
        let path = lab.latest().join(file);
        let before = fs::read(&path).unwrap();
        fs::write(&path, content).unwrap();
        for arguments in [&["report", "results/model/latest"][..], &["run", "experiment.toml", "--only", "cores=1"]] {
            let output = lab.command(arguments).output().unwrap();
            assert_eq!(output.status.code(), Some(1), "{file} {arguments:?}: {}", stderr(&output));
            assert!(stderr(&output).contains(file), "{file}: {}", stderr(&output));
        }
        fs::write(&path, before).unwrap();
    }
    assert!(lab.run(&["--only", "cores=1"]).status.success(), "and nothing was changed by looking");
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
    let lab = half_broken();
    let output = lab.run(&["--only", "cores=1"]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let result = last_json(&output);
    assert_eq!((result["completed"].as_u64(), result["failed"].as_u64()), (Some(12), Some(12)));
    let failures = result["failures"].as_array().unwrap();
    assert_eq!((failures.len(), &failures[0]["trials"], &failures[0]["subject"]), (1, &12.into(), &"one".into()));
    let said = stderr(&output).lines().filter(|line| line.contains("✗ one")).count();
    assert_eq!(said, 1, "one message for all trials: {}", stderr(&output));
}

/// An experiment whose first subject cannot be had.
fn half_broken() -> Lab {
    let lab = lab();
    // Nobody listens there.
    let unreachable = "git = 'https://127.0.0.1:9/x'\ncommit = 'abcdef0'";
    lab.write(&EXPERIMENT.replacen("model = 'suite.toml'", unreachable, 1));
    lab
}

#[test]
fn retry_runs_again_only_what_did_not_complete() {
    let lab = half_broken();
    assert_eq!(lab.run(&["--only", "cores=1"]).status.code(), Some(3));
    let idle = lab.run(&["--only", "cores=1"]);
    assert_eq!((idle.status.code(), last_json(&idle)["ran"].as_u64()), (Some(3), Some(0)));
    let retried = lab.run(&["--only", "cores=1", "--retry"]);
    assert_eq!((retried.status.code(), last_json(&retried)["ran"].as_u64()), (Some(3), Some(12)));
    for (trial, times) in lab.recorded() {
        assert_eq!(times, if trial.starts_with("one.") { 2 } else { 1 }, "{trial}");
    }
    assert_eq!(csv_rows(&lab.latest().join("trials.csv")).len(), 24);
}

#[test]
fn a_changed_model_is_refused_between_two_sittings() {
    let lab = lab();
    lab.run(&["--only", "cores=1,configuration=sequential"]);
    fs::write(lab.path("suite.toml"), SUITE.replace("seconds = 4", "seconds = 5")).unwrap();
    let refused = lab.run(&["--only", "cores=1"]);
    assert_eq!(refused.status.code(), Some(1));
    let text = stderr(&refused);
    assert!(text.contains("content") && text.contains("`one`") && text.contains("`two`"), "{text}");
}

#[test]
fn after_accepted_changes_the_tables_hold_only_the_new_settings() {
    let lab = lab();
    lab.run(&["--only", "cores=1"]);
    let old: BTreeSet<String> = lab.recorded().into_keys().collect();
    lab.write(&EXPERIMENT.replace("threads = 4", "threads = 3"));
    let accepted = lab.run(&["--only", "cores=1", "--accept-changes"]);
    assert!(accepted.status.success(), "{}", stderr(&accepted));
    assert_eq!(last_json(&accepted)["ran"], 12);
    let rows = csv_rows(&lab.latest().join("trials.csv"));
    let shown: BTreeSet<String> = rows.iter().map(|row| row[0].to_owned()).collect();
    assert_eq!((rows.len(), shown.len()), (24, 24));
    assert!(shown.iter().filter(|trial| trial.contains(".both.")).all(|trial| !old.contains(trial)));
    let report = lab.command(&["report", "results/model/latest", "--json"]).output().unwrap();
    let report: Value = serde_json::from_slice(&report.stdout).unwrap();
    assert_eq!(report["run"]["finished_trials"], 24);
    let on_one_core = |row: &&Value| row["cores"] == 1;
    let speedups = report["tables"]["speedups"].as_array().unwrap();
    assert!(speedups.iter().filter(on_one_core).all(|row| row["pairs"] == 6), "{speedups:?}");
}

#[test]
fn a_commit_that_does_not_exist_is_named_with_its_repository() {
    let lab = lab();
    let repository = git2::Repository::init(lab.path("repository")).unwrap();
    let tree = repository.treebuilder(None).unwrap().write().unwrap();
    let author = git2::Signature::now("a", "a@example.org").unwrap();
    repository.commit(Some("HEAD"), &author, &author, "empty", &repository.find_tree(tree).unwrap(), &[]).unwrap();
    lab.write(&EXPERIMENT.replacen("model = 'suite.toml'", "git = 'repository'\ncommit = 'abcdef0'", 1));
    let output = lab.run(&["--only", "cores=1"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mistake = document["mistakes"][0].to_string();
    assert!(mistake.contains("`repository` has no commit, tag or branch `abcdef0`"), "{mistake}");
}

#[test]
fn a_password_in_a_url_is_neither_kept_nor_shown() {
    let lab = lab();
    let secret = "git = 'https://user:secret@127.0.0.1:9/x'\ncommit = 'abcdef0'";
    lab.write(&EXPERIMENT.replacen("model = 'suite.toml'", secret, 1));
    let output = lab.run(&["--only", "cores=1"]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(lab.trials().iter().any(|trial| trial["subject"] == "one" && trial["verdict"] == "build_failed"));
    let kept = fs::read_to_string(lab.latest().join("experiment.toml")).unwrap();
    assert!(kept.contains("https://***@127.0.0.1:9/x"), "{kept}");
    let mut outputs = vec![output];
    for arguments in [&["check", "experiment.toml"][..], &["check", "experiment.toml", "--json"]] {
        let checked = lab.command(arguments).output().unwrap();
        assert!(String::from_utf8_lossy(&checked.stdout).contains("credential helper"), "{checked:?}");
        outputs.push(checked);
    }
    outputs.push(lab.command(&["report", "results/model/latest"]).output().unwrap());
    for output in outputs {
        let shown = [output.stdout, output.stderr].concat();
        assert!(!String::from_utf8_lossy(&shown).contains("secret"), "{}", String::from_utf8_lossy(&shown));
    }
    assert_eq!(files_with("secret", &lab.path("results")), Vec::<std::path::PathBuf>::new());
    assert_eq!(files_with("secret", &lab.path("home")), Vec::<std::path::PathBuf>::new());
}

#[test]
fn an_interrupt_ends_with_130_and_the_run_goes_on_later() {
    let lab = long_lab();
    let mut run = lab.start();
    lab.wait_for_trials(10, &mut run);
    signal(&run, Signal::INT);
    assert_eq!(run.wait().unwrap().code(), Some(130));
    let before = lab.recorded();
    let resumed = lab.run(&[]);
    assert!(resumed.status.success(), "{}", stderr(&resumed));
    assert!(before.len() >= 10 && before.len() < lab.recorded().len());
    assert!(lab.recorded().values().all(|times| *times == 1));
}

#[test]
fn a_second_run_beside_the_first_is_refused() {
    let lab = long_lab();
    let mut first = lab.start();
    lab.wait_for_trials(1, &mut first);
    // Held still, so that it cannot be over before the second one has looked.
    signal(&first, Signal::STOP);
    let second = lab.run(&[]);
    signal(&first, Signal::CONT);
    assert_eq!(second.status.code(), Some(1));
    assert!(stderr(&second).contains("another parade"), "{}", stderr(&second));
    assert!(first.wait().unwrap().success());
    assert!(lab.recorded().values().all(|times| *times == 1));
}
