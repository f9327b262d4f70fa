//! Joining runs of several machines.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use super::yard::*;
use crate::lab::Lab;

fn left_behind(lab: &Lab) -> Vec<String> {
    let names = fs::read_dir(lab.path("")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with(".parade")).collect()
}

#[test]
fn machines_that_shared_the_subjects_give_one_run() {
    let lab = lab();
    let (a, b) = (run_on(&lab, "alpha", &["--only", "subject=one"]), run_on(&lab, "beta", &["--only", "subject=two"]));
    let whole = run_on(&lab, "gamma", &[]);
    let before = (content(&a), content(&b));
    let merged = lab.path("merged");
    let told = json(&succeeds(&lab, &["merge", text(&a), text(&b), "--out", "merged", "--json"]));
    assert_eq!((content(&a), content(&b)), before, "the runs themselves stay as they were");

    let trials = table(&merged.join("trials.csv"));
    assert_eq!(
        (told["trials"].as_u64(), trials.len()),
        (Some(trials.len() as u64), table(&whole.join("trials.csv")).len())
    );
    let origins: BTreeSet<(&str, &str)> =
        trials.iter().map(|row| (row["subject"].as_str(), row["origin"].as_str())).collect();
    let name = |dir: &std::path::Path| dir.file_name().unwrap().to_str().unwrap().to_owned();
    assert_eq!(origins, BTreeSet::from([("one", name(&a).as_str()), ("two", name(&b).as_str())]));

    let (merged_report, whole_report) = (report(&lab, &merged), report(&lab, &whole));
    assert_eq!(merged_report["tables"]["speedups"], whole_report["tables"]["speedups"]);
    let hosts: Vec<&str> = merged_report["tables"]["origins"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["host"].as_str().unwrap())
        .collect();
    assert_eq!(hosts, ["alpha", "beta"]);
    assert!(merged_report["warnings"].as_array().unwrap().iter().any(|warning| warning["kind"] == "merged"));
    assert_eq!(texts(&merged.join("tests.parquet"))["trial"].len(), texts(&whole.join("tests.parquet"))["trial"].len(),);
    let kept = merged.join("origins").join(name(&a));
    assert_eq!(fs::read(kept.join("environment.json")).unwrap(), before.0[&a.join("environment.json")]);
    assert!(left_behind(&lab).is_empty());
}

#[test]
fn the_same_trials_are_refused_or_become_further_blocks() {
    let lab = lab();
    let (a, b) = (run_on(&lab, "alpha", &[]), run_on(&lab, "beta", &[]));
    let error = refused(&lab, &["merge", text(&a), text(&b), "--out", "merged"], 2);
    assert!(error.contains("`one` on 1 core") && error.contains("--repetitions"), "{error}");
    assert!(!lab.path("merged").exists() && left_behind(&lab).is_empty());

    succeeds(&lab, &["merge", text(&a), text(&b), "--out", "merged", "--repetitions"]);
    let trials = table(&lab.path("merged/trials.csv"));
    let mut blocks: BTreeMap<(&str, &str, &str), BTreeSet<&str>> = BTreeMap::new();
    for row in &trials {
        let block = (row["subject"].as_str(), row["cores"].as_str(), row["repetition"].as_str());
        blocks.entry(block).or_default().insert(&row["origin"]);
    }
    assert!(blocks.values().all(|origins| origins.len() == 1), "a block of two machines: {blocks:?}");
    let repetitions: BTreeSet<&str> = trials.iter().map(|row| row["repetition"].as_str()).collect();
    assert_eq!(
        repetitions,
        (1..=10).map(|n| n.to_string()).collect::<BTreeSet<_>>().iter().map(String::as_str).collect()
    );

    let ids: BTreeSet<&str> = trials.iter().map(|row| row["trial"].as_str()).collect();
    assert_eq!(ids.len(), trials.len());
    let executions = texts(&lab.path("merged/tests.parquet"));
    let executed: BTreeSet<&str> = executions["trial"].iter().map(String::as_str).collect();
    assert_eq!(executed, ids, "executions are known by the new ids");
    let merged = report(&lab, &lab.path("merged"));
    let speedups = merged["tables"]["speedups"].as_array().unwrap();
    // Both machines computed the same: that is evidence once.
    assert!(speedups.iter().all(|row| row["pairs"] == 5 && row["repeated_pairs"] == 5), "{speedups:?}");
    let warnings = merged["warnings"].as_array().unwrap();
    assert!(warnings.iter().any(|warning| warning["kind"] == "repeated_model"), "{warnings:?}");
    assert_eq!(merged["run"]["planned_trials"], merged["run"]["finished_trials"]);
}

#[test]
fn other_settings_are_refused_and_named() {
    let lab = lab();
    let a = run_on(&lab, "alpha", &["--only", "subject=one"]);
    let changes = [
        ("threads = 4", "threads = 8", "configuration `both`"),
        ("timeout = '1h'", "timeout = '2h'", "machine.timeout: \"1h\" and \"2h\""),
        ("seed = 7", "seed = 8", "seed: 7 and 8"),
        ("screening = 2", "screening = 1", "screening: 2 and 1"),
    ];
    for (number, (old, new, expected)) in changes.into_iter().enumerate() {
        lab.write(&EXPERIMENT.replace(old, new));
        let b = run_on(&lab, &format!("beta{number}"), &["--only", "subject=two"]);
        let error = refused(&lab, &["merge", text(&a), text(&b), "--out", "merged", "--repetitions"], 2);
        assert!(error.contains("not runs of the same experiment") && error.contains(expected), "{error}");
    }
    lab.write(EXPERIMENT);
    fs::write(lab.path("suite.toml"), suite().replace("seconds = 40", "seconds = 41")).unwrap();
    let b = run_on(&lab, "edited", &["--only", "subject=two"]);
    let error = refused(&lab, &["merge", text(&a), text(&b), "--out", "merged"], 2);
    assert!(error.contains("the content of subject `one`"), "{error}");
    assert!(!lab.path("merged").exists());
}

#[test]
fn files_that_split_the_subjects_are_one_experiment() {
    let lab = lab();
    let second = "[[subject]]\nname = 'two'\nmodel = 'suite.toml'\n";
    lab.write(&EXPERIMENT.replace(second, ""));
    let a = run_on(&lab, "alpha", &[]);
    lab.write(&EXPERIMENT.replace(&second.replace("two", "one"), ""));
    let b = run_on(&lab, "beta", &[]);
    succeeds(&lab, &["merge", text(&a), text(&b), "--out", "merged"]);
    let file: toml::Table = fs::read_to_string(lab.path("merged/experiment.toml")).unwrap().parse().unwrap();
    let names: Vec<&str> = file["subject"].as_array().unwrap().iter().map(|s| s["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["one", "two"]);
}

#[test]
fn a_merged_run_merges_again_but_nothing_counts_twice() {
    let lab = lab();
    let only = ["--only", "subject=one,cores=1"];
    let runs = ["alpha", "beta", "gamma"].map(|host| run_on(&lab, host, &only));
    let merge = |runs: &[&str], out: &str| {
        let mut arguments = vec!["merge"];
        arguments.extend(runs);
        arguments.extend(["--out", out, "--repetitions"]);
        parade(&lab, &arguments)
    };
    assert!(merge(&[text(&runs[0]), text(&runs[1])], "two").status.success());
    assert!(merge(&["two", text(&runs[2])], "three").status.success());
    let origins = table(&lab.path("three/report/origins.csv"));
    let seen: Vec<(&str, &str, &str)> =
        origins.iter().map(|row| (&*row["host"], &*row["first_block"], &*row["last_block"])).collect();
    assert_eq!(seen, [("alpha", "1", "5"), ("beta", "6", "10"), ("gamma", "11", "15")]);
    assert_eq!(fs::read_dir(lab.path("three/origins")).unwrap().count(), 3);

    let twice = merge(&["two", text(&runs[1])], "four");
    assert!(String::from_utf8_lossy(&twice.stderr).contains("the same measurement"), "{twice:?}");
    let error = refused(&lab, &["merge", text(&runs[0]), text(&runs[0]), "--out", "four"], 2);
    assert!(error.contains("is given twice"), "{error}");
    assert!(!lab.path("four").exists());
}

#[test]
fn a_merged_run_is_never_overwritten_nor_resumed() {
    let lab = lab();
    let (a, b) = (run_on(&lab, "alpha", &["--only", "subject=one"]), run_on(&lab, "beta", &["--only", "subject=two"]));
    let out = "results/model/merged";
    succeeds(&lab, &["merge", text(&a), text(&b), "--out", out]);
    let error = refused(&lab, &["merge", text(&a), text(&b), "--out", out], 2);
    assert!(error.contains("already exists"), "{error}");

    std::os::unix::fs::symlink("merged", lab.path("results/model/latest")).unwrap();
    let before = content(&lab.path(out));
    for extra in [&[][..], &["--accept-changes"]] {
        let mut arguments = vec!["run", "experiment.toml"];
        arguments.extend(extra);
        let error = refused(&lab, &arguments, 1);
        assert!(error.contains("was merged from other runs"), "{error}");
    }
    assert_eq!(content(&lab.path(out)), before);
    assert!(lab.run(&["--fresh"]).status.success());
}

#[test]
fn a_subject_that_yielded_nothing_gives_way_to_one_that_did() {
    let lab = lab();
    let a = run_on(&lab, "alpha", &[]);
    let b = run_on(&lab, "beta", &["--only", "subject=two"]);
    change_trials(&a, |trial| {
        if trial["subject"] == "two" {
            trial["verdict"] = "build_failed".into();
        }
    });
    let told = json(&succeeds(&lab, &["merge", text(&a), text(&b), "--out", "merged", "--json"]));
    assert!(told["notes"][0].as_str().unwrap().contains("no trial of `two`"), "{told}");
    let trials = table(&lab.path("merged/trials.csv"));
    assert!(trials.iter().all(|row| row["verdict"] == "clean"));
    assert!(trials.iter().any(|row| row["subject"] == "two"));
}

#[test]
fn a_baseline_of_one_run_is_no_pair_for_a_candidate_of_another() {
    let lab = lab();
    let a = run_on(&lab, "alpha", &["--only", "configuration=sequential,cores=1"]);
    let b = run_on(&lab, "beta", &["--only", "configuration=both,cores=1"]);
    let error = refused(&lab, &["merge", text(&a), text(&b), "--out", "merged"], 2);
    assert!(error.contains("in one run") && !error.contains("--repetitions"), "{error}");
    let error = refused(&lab, &["merge", text(&a), text(&b), "--out", "merged", "--repetitions"], 2);
    assert!(error.contains("there are no pairs"), "{error}");
    let inside = a.join("merged");
    let error = refused(&lab, &["merge", text(&a), text(&b), "--out", text(&inside)], 2);
    assert!(error.contains("is inside the run"), "{error}");
}
