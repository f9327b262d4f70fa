//! `parade report` by the real program, on runs of model suites: every form that it writes, and what it refuses.

#[path = "run/lab.rs"]
#[expect(dead_code, reason = "the laboratory has more than these tests need")]
mod lab;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

use lab::{Lab, stderr};

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
