//! `parade report` by the real program, on runs of model suites: every form that it writes, and what it refuses.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::kit::yard;
use crate::lab::{Lab, stderr};

const SUITE: &str = "
startup = 1
[[test]]
id = 'Long#waits'
seconds = 4
[[test]]
id = 'Markup#<img src=x onerror=alert(1)>'
seconds = 2
needs = ['Long#waits']
[[test]]
id = 'Race#a'
seconds = 2
[[test]]
id = 'Race#b'
seconds = 2
races_with = ['Race#a']
";

const EXPERIMENT: &str = "
[experiment]
name = 'model'
study = 'paste'
repetitions = 6
seed = 7
[machine]
cores = [1, 'all']
[[subject]]
name = 'commons-io'
model = 'suite.toml'
[[subject]]
name = 'two'
model = 'suite.toml'
[[configuration]]
name = 'sequential'
[[configuration]]
name = 'classes'
technique = 'paste'
parallel = 'classesAndMethods'
threads = 4
";

fn report(lab: &Lab, arguments: &[&str]) -> Output {
    lab.command(&[&["report", "results/model/latest"], arguments].concat()).output().unwrap()
}

/// A laboratory with a finished run, and the folder of that.
fn run() -> (Lab, PathBuf) {
    let lab = Lab::new(EXPERIMENT, SUITE);
    let output = lab.run(&[]);
    assert!(output.status.success(), "{}", stderr(&output));
    let dir = lab.latest();
    (lab, dir)
}

/// By the names of the columns.
fn rows(path: &Path) -> Vec<HashMap<String, String>> {
    csv::Reader::from_path(path).unwrap().deserialize().map(Result::unwrap).collect()
}

#[test]
fn a_report_is_made_again_in_every_form() {
    let (lab, dir) = run();
    fs::remove_dir_all(dir.join("report")).unwrap();
    fs::remove_file(dir.join("trials.csv")).unwrap();
    let output = report(&lab, &[]);
    assert!(output.status.success(), "{}", stderr(&output));
    for file in [
        "report/index.html",
        "report/report.md",
        "report/numbers.tex",
        "report/failures.tex",
        "report/speedups.csv",
        "report/savings.csv",
        "report/study.csv",
        "report/claims.csv",
        "report/figures/timeline.svg",
        "report/figures/tests.png",
        "trials.csv",
    ] {
        assert!(dir.join(file).is_file(), "{file}");
    }
    let page = fs::read_to_string(dir.join("report/index.html")).unwrap();
    assert!(page.contains("Does it reproduce the study?") && page.contains("comparable claims"), "no verdict");
    assert!(page.contains("Threats to validity") && page.contains("virtual time"));
    assert!(!page.contains("<img"), "a test's name became markup");
}

#[test]
fn trials_csv_has_what_the_tables_are_made_from() {
    let (_lab, dir) = run();
    let trials = rows(&dir.join("trials.csv"));
    let journal = fs::read_to_string(dir.join("journal.jsonl")).unwrap();
    let records: Vec<Value> = journal.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let record = |trial: &str| records.iter().find(|record| record["trial"] == trial).unwrap();
    for row in &trials {
        let record = record(&row["trial"]);
        let wall: f64 = row["wall_seconds"].parse().unwrap();
        assert_eq!(Some(wall), record["cost"]["wall_seconds"].as_f64(), "it is not rounded");
        let stages = record["stages"].as_array().unwrap().len();
        for column in ["stage_ends", "lost_in_stages", "failures_after_stages"] {
            assert_eq!(row[column].split_whitespace().count(), stages, "{column}");
        }
        assert_eq!(row["subject_tests"], "4");
        assert_eq!(Some(row["outcomes_hash"].as_str()), record["outcomes_hash"].as_str());
    }
}

#[test]
fn numbers_are_unique_macros_of_letters() {
    let (_lab, dir) = run();
    let text = fs::read_to_string(dir.join("report/numbers.tex")).unwrap();
    let mut seen = HashSet::new();
    for line in text.lines().filter(|line| line.starts_with("\\newcommand")) {
        let name = line.strip_prefix("\\newcommand{\\").and_then(|rest| rest.split('}').next()).unwrap();
        assert!(name.bytes().all(|byte| byte.is_ascii_alphabetic()), "{name}");
        assert!(seen.insert(name), "{name} twice");
    }
    assert!(seen.contains("paradeSubjects") && seen.len() > 20);
}

#[test]
fn any_trial_has_a_timeline() {
    let (lab, dir) = run();
    let trials = rows(&dir.join("trials.csv"));
    let trial = &trials[0]["trial"];
    let output = report(&lab, &["--timeline", trial, "--json"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let svg = fs::read_to_string(lab.path(document["timeline"].as_str().unwrap())).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("seconds"));
    let output = report(&lab, &["--timeline", "no-such-trial"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("trials.csv"), "{}", stderr(&output));
    let output = report(&lab, &["--timeline", trial, "--format", "csv"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_run_without_executions_on_record_still_has_its_report() {
    let (lab, dir) = run();
    fs::remove_dir_all(dir.join("tests")).unwrap();
    fs::remove_file(dir.join("tests.parquet")).unwrap();
    fs::remove_dir_all(dir.join("report")).unwrap();
    let output = report(&lab, &[]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(dir.join("report/index.html").is_file());
    assert!(!dir.join("report/figures/timeline.svg").exists());
}

/// Times that vary, so that intervals have something to say; the same in every run of this test.
fn vary_times(dir: &Path, change: fn(usize) -> f64) {
    let journal = dir.join("journal.jsonl");
    let mut changed = String::new();
    for (number, line) in fs::read_to_string(&journal).unwrap().lines().enumerate() {
        let mut entry: Value = serde_json::from_str(line).unwrap();
        if entry["kind"] == "trial" {
            let wall = entry["cost"]["wall_seconds"].as_f64().unwrap();
            entry["cost"]["wall_seconds"] = (wall * change(number)).into();
        }
        changed += &format!("{entry}\n");
    }
    fs::write(&journal, changed).unwrap();
}

/// A Python that has pandas, if there is one; `PARADE_TEST_PYTHON` names another than `python3`.
fn python_with_pandas() -> Option<Command> {
    let python = std::env::var_os("PARADE_TEST_PYTHON").unwrap_or_else(|| "python3".into());
    let found = Command::new(&python).args(["-c", "import pandas, pyarrow"]).output().ok()?.status.success();
    found.then(|| Command::new(python))
}

/// What `scripts/recompute.py` says of a run, and whether it agrees.
fn recomputed(dir: &Path, more: &[&str]) -> Option<(bool, String)> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/recompute.py");
    let Some(mut python) = python_with_pandas() else {
        eprintln!("skipped: there is no Python with pandas and pyarrow");
        return None;
    };
    let output = python.arg(script).arg(dir).args(more).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    Some((output.status.success(), text))
}

#[test]
fn headline_cards_and_intervals_can_be_recomputed() {
    let (lab, dir) = run();
    vary_times(&dir, |line| 1.0 + (line * 7 % 11) as f64 / 100.0);
    assert!(report(&lab, &[]).status.success());
    let Some((agrees, text)) = recomputed(&dir, &["--edited"]) else { return };
    assert!(agrees, "{text}");
    let (agrees, text) = recomputed(&dir, &[]).unwrap();
    assert!(!agrees && text.starts_with("CLAIM: journal.jsonl, line 2 does not follow"), "{text}");
    let page = dir.join("report/index.html");
    let text = fs::read_to_string(&page).unwrap();
    let (before, rest) = text.split_once("<h1>").unwrap();
    let (_, after) = rest.split_once("</h1>").unwrap();
    fs::write(&page, format!("{before}<h1>classes is 9.99× faster than sequential.</h1>{after}")).unwrap();
    let (agrees, text) = recomputed(&dir, &["--edited"]).unwrap();
    assert!(!agrees && text.starts_with("CLAIM: index.html says"), "{text}");
}

#[test]
fn times_that_vary_more_than_they_differ_claim_nothing() {
    let (lab, dir) = run();
    vary_times(&dir, |line| [0.2, 5.0, 0.4, 3.0, 0.3, 2.0, 1.0][line * 5 % 7]);
    let output = report(&lab, &[]);
    assert!(output.status.success(), "{}", stderr(&output));
    let screen = String::from_utf8_lossy(&output.stdout).into_owned();
    let page = fs::read_to_string(dir.join("report/index.html")).unwrap();
    let numbers = fs::read_to_string(dir.join("report/numbers.tex")).unwrap();
    assert!(!screen.contains("faster") && !screen.contains("slower than"), "{screen}");
    assert!(!page.contains("Best speedup") && !numbers.contains("paradeBestSpeedup"));
    let document: Value = serde_json::from_slice(&report(&lab, &["--json"]).stdout).unwrap();
    assert_eq!((&document["headline"]["best"], &document["headline"]["gained"]), (&Value::Null, &0.into()));
    let first = &document["warnings"][0];
    assert_eq!(first["gravity"], "grave", "{first}");
    let listed = rows(&dir.join("report/warnings.csv"));
    let gravities: Vec<usize> = listed
        .iter()
        .map(|row| ["grave", "serious", "minor"].iter().position(|gravity| *gravity == row["gravity"]).unwrap())
        .collect();
    assert!(gravities.is_sorted(), "{gravities:?}");
    if let Some((agrees, text)) = recomputed(&dir, &["--edited"]) {
        assert!(agrees, "{text}");
    }
}

/// A test ends its process, so the one behind it never runs, whatever the configuration.
#[test]
fn a_suite_whose_process_dies_halfway_is_not_called_faster() {
    let suite = "[[test]]\nid = 'A#a'\nseconds = 3\n[[test]]\nid = 'A#b'\nseconds = 3\n[[test]]\nid = 'B#exit'\nseconds = 1\n\
                 exits_after = 0.5\n[[test]]\nid = 'C#c'\nseconds = 3\n";
    let experiment = EXPERIMENT.replace("study = 'paste'\n", "screening = 2\n").replace("[1, 'all']", "2");
    let experiment = experiment.replace("'paste'", "'parallel'").replace("classesAndMethods", "methods");
    let lab = Lab::new(&experiment, suite);
    assert!(lab.run(&[]).status.success());
    let document: Value = serde_json::from_slice(&report(&lab, &["--json"]).stdout).unwrap();
    assert_eq!(document["headline"]["gained"], 0);
    let first = &document["warnings"][0];
    assert_eq!((&first["kind"], &first["gravity"]), (&"baseline_partial".into(), &"grave".into()), "{first}");
    assert!(first["text"].as_str().unwrap().contains("`C#c` (never ran)"), "{first}");
    for row in rows(&lab.latest().join("report/speedups.csv")) {
        assert_eq!((row["state"].as_str(), row["judgement"].as_str()), ("baseline_partial", "not_compared"));
    }
    let aside = rows(&lab.latest().join("report/set-aside.csv"));
    let lost = aside.iter().find(|row| row["test"] == "C#c").unwrap();
    assert_eq!(lost["reason"], "never ran in 2 sequential runs");
    if let Some((agrees, text)) = recomputed(&lab.latest(), &[]) {
        assert!(agrees, "{text}");
    }
}

#[test]
fn orders_of_algorithms_can_be_recomputed_too() {
    let suite = "[[test]]\nid = 'C#a'\nseconds = 3\ncovers = ['B.java:1']\npolluted_by = ['C#b']\n\
                 [[test]]\nid = 'C#b'\nseconds = 1\ncovers = ['B.java:1-2']\n";
    let orders = "[experiment]\nname = 'model'\nrepetitions = 2\n[[subject]]\nname = 's'\nmodel = 'suite.toml'\n\
                  [[configuration]]\nname = 'T1'\ntechnique = 'T1'\n";
    let parallel = "[[configuration]]\nname = 'sequential'\n[[configuration]]\nname = 'methods'\n\
                    technique = 'parallel'\nparallel = 'methods'\nthreads = 2\n";
    for experiment in [orders.to_owned(), format!("{orders}{parallel}")] {
        let lab = Lab::new(&experiment, suite);
        let output = lab.run(&[]);
        assert!(output.status.success(), "{}", stderr(&output));
        let Some((agrees, text)) = recomputed(&lab.latest(), &[]) else { return };
        assert!(agrees, "{text}");
    }
}

#[test]
fn what_two_merged_runs_computed_alike_is_recomputed_once() {
    let lab = yard::lab();
    let (one, two) = (yard::run_on(&lab, "one", &[]), yard::run_on(&lab, "two", &[]));
    yard::succeeds(&lab, &["merge", yard::text(&one), yard::text(&two), "--out", "merged", "--repetitions"]);
    yard::succeeds(&lab, &["report", "merged"]);
    if let Some((agrees, text)) = recomputed(&lab.path("merged"), &[]) {
        assert!(agrees, "{text}");
    }
}

#[test]
fn a_detection_has_nothing_to_recompute_and_makes_no_artifact() {
    let lab = Lab::new(EXPERIMENT, SUITE);
    let output = lab.command(&["detect", "suite.toml", "--results", "found"]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let dir = lab.path("found/detect-suite/latest");
    let output = lab.command(&["artifact", dir.to_str().unwrap(), "--out", "made"]).output().unwrap();
    let told = stderr(&output);
    assert!(output.status.code() == Some(2) && !lab.path("made").exists());
    assert!(told.contains("this run is of parade detect; artifacts are made of experiments"), "{told}");
    if let Some((agrees, text)) = recomputed(&dir, &[]) {
        assert!(agrees && text.contains("nothing to recompute"), "{text}");
    }
}

/// One test is flaky with and without parallelism, and one fails whenever it overlaps with the flaky one.
#[test]
fn a_flaky_test_is_not_called_a_failure_that_paste_repaired() {
    let suite = "[[test]]\nid = 'A#flaky'\nseconds = 2\nflaky = 0.3\n[[test]]\nid = 'B#races'\nseconds = 2\n\
                 races_with = ['A#flaky']\n[[test]]\nid = 'B#other'\nseconds = 1\n";
    let experiment = EXPERIMENT.replace("repetitions = 6", "repetitions = 12").replace("study = 'paste'\n", "");
    let lab = Lab::new(&experiment, suite);
    assert!(lab.run(&[]).status.success());
    let document: Value = serde_json::from_slice(&report(&lab, &["--json"]).stdout).unwrap();
    let headline = &document["headline"];
    let trials = rows(&lab.latest().join("trials.csv"));
    let first = |row: &&HashMap<String, String>| row["configuration"] == "classes" && row["cores"] != "1";
    let failures = |row: &HashMap<String, String>| row["failures_after_stages"].split(' ').next().unwrap().to_owned();
    let all: u64 = trials.iter().filter(first).map(|row| failures(row).parse::<u64>().unwrap()).sum();
    let of_flaky = headline["also_in_baseline"].as_u64().unwrap();
    // Both subjects are this suite, with twelve repetitions each; the race is there in each of them.
    assert_eq!((headline["provoked"].as_u64(), headline["repaired"].as_u64()), (Some(24), Some(24)), "{headline}");
    assert!(of_flaky > 0 && all == 24 + of_flaky, "{all} failures after the first stage, {headline}");
    let told = headline["repair"].as_str().unwrap();
    assert!(told.starts_with("PASTE repaired all 24 failures of tests that never failed in sequential."), "{told}");
    assert!(told.contains("also failed in sequential") && told.contains("no screening runs"), "{told}");
    if let Some((agrees, text)) = recomputed(&lab.latest(), &[]) {
        assert!(agrees, "{text}");
    }
}

/// Two of three subjects are compared with the baseline: Holm's correction is over two, before the run and after it.
#[test]
fn the_check_and_the_report_correct_for_the_same_number_of_comparisons() {
    let third = "[[subject]]\nname = 'third'\nmodel = 'suite.toml'\nconfigurations = ['sequential']\n[[configuration]]";
    let clean = "[[test]]\nid = 'A#t'\nseconds = 4\n[[test]]\nid = 'B#t'\nseconds = 4\n";
    let lab = Lab::new(&EXPERIMENT.replacen("[[configuration]]", third, 1), clean);
    let checked = lab.command(&["check", "experiment.toml", "--json"]).output().unwrap();
    let outlook: Value = serde_json::from_slice(&checked.stdout).expect("the plan as JSON");
    let warnings: Vec<&str> = outlook["warnings"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let told = warnings.iter().find(|warning| warning.contains("Holm")).expect("a warning about Holm's correction");
    assert!(
        told.contains("across 2 subjects requires 7") && told.contains("of `commons-io`, `two` reach"),
        "{warnings:?}"
    );
    assert!(lab.run(&[]).status.success());
    let speedups = rows(&lab.latest().join("report/speedups.csv"));
    let compared: Vec<(f64, f64)> = speedups
        .iter()
        .filter(|row| row["configuration"] == "classes" && row["cores"] != "1" && row["subject"] != "third")
        .map(|row| (row["p"].parse().unwrap(), row["p_holm"].parse().unwrap()))
        .collect();
    assert_eq!(compared.len(), 2, "{speedups:?}");
    for (p, corrected) in compared {
        assert!((corrected - 2.0 * p).abs() < 1e-9, "{corrected} from {p}");
    }
}
