//! Folders for an artifact committee: they run wherever they are put, and an anonymous one tells nobody.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::yard::*;
use crate::lab::Lab;

/// A script of an artifact, in an environment that knows of no parade.
fn script(kit: &Path, name: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(kit.join(name));
    command.args(arguments).current_dir("/").env_remove("PARADE_HOME").env_remove("PARADE");
    command.output().unwrap()
}

fn output_of(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Puts an artifact where nothing of its origin is left.
fn moved_away(lab: Lab, name: &str) -> (tempfile::TempDir, PathBuf) {
    let elsewhere = tempfile::tempdir().unwrap();
    let kit = elsewhere.path().join("a kit, elsewhere");
    let copied = Command::new("cp").arg("-R").arg(lab.path(name)).arg(&kit).status().unwrap();
    assert!(copied.success());
    drop(lab);
    (elsewhere, kit)
}

#[test]
fn an_artifact_runs_from_where_it_is() {
    let lab = lab();
    let run = run_on(&lab, "alpha", &[]);
    let told = json(&succeeds(&lab, &["artifact", text(&run), "--out", "kit", "--json"]));
    assert_eq!(told["program"], true, "{told}");
    let (_elsewhere, kit) = moved_away(lab, "kit");

    check_documents(&kit);
    assert_eq!(fs::read_to_string(kit.join("experiment/full.toml")).unwrap(), EXPERIMENT);
    assert!(output_of(&script(&kit, "check", &[])).contains("files are unchanged"));
    let rebuilt = output_of(&script(&kit, "rebuild-report", &[]));
    assert!(rebuilt.contains("tables are identical to the authors'"), "{rebuilt}");

    let short = output_of(&script(&kit, "run-short", &[]));
    assert!(short.contains("Comparison of the authors' run"), "{short}");
    let speedups = |dir: &Path| -> Vec<(String, String, String)> {
        let rows = table(&dir.join("report/speedups.csv"))
            .into_iter()
            .filter(|row| row["cores"] != "1" || dir.ends_with("latest"));
        rows.map(|row| (row["subject"].clone(), row["configuration"].clone(), row["speedup"].clone())).collect()
    };
    let latest = kit.join("results/model-short/latest");
    let many_cores = std::thread::available_parallelism().unwrap().get() > 1;
    if many_cores {
        assert_eq!(speedups(&latest), speedups(&kit.join("run")), "a model gives the same again");
    }
    let full = output_of(&script(&kit, "run-full", &["--only", "subject=one,cores=1"]));
    assert!(full.contains("shared cells"), "{full}");
    assert!(
        output_of(&script(&kit, "check", &[])).contains("files are unchanged"),
        "runs change nothing that came with it"
    );

    check_finds_damage(&kit);
    fs::write(kit.join("run/trials.csv"), "changed").unwrap();
    let changed = script(&kit, "check", &[]);
    assert!(!changed.status.success() && String::from_utf8_lossy(&changed.stderr).contains("run/trials.csv"));
}

/// A list that is gone, empty, shorter or no list at all is no proof of anything.
fn check_finds_damage(kit: &Path) {
    fs::write(kit.join("notes.txt"), "mine").unwrap();
    let with_mine = script(kit, "check", &[]);
    assert!(String::from_utf8_lossy(&with_mine.stderr).contains("notes.txt"), "{with_mine:?}");
    assert!(with_mine.status.success());
    fs::remove_file(kit.join("notes.txt")).unwrap();
    let list = kit.join("CHECKSUMS.sha256");
    let whole = fs::read_to_string(&list).unwrap();
    let shorter = whole.lines().skip(1).map(|line| format!("{line}\n")).collect::<String>();
    for damaged in ["", "garbage\n", &shorter, &format!("{shorter}garbage\n")] {
        fs::write(&list, damaged).unwrap();
        assert_eq!(script(kit, "check", &[]).status.code(), Some(1), "{}", damaged.len());
    }
    fs::remove_file(&list).unwrap();
    assert_eq!(script(kit, "check", &[]).status.code(), Some(1));
    fs::write(&list, whole).unwrap();
}

#[test]
fn an_anonymous_artifact_still_runs() {
    let lab = lab();
    let suite = suite().replace("Race#", "shop.Race#");
    fs::write(lab.path("suite.toml"), &suite).unwrap();
    let absolute = format!("name = 'root-abs'\nmodel = '{}'", lab.path("suite.toml").display());
    lab.write(
        &EXPERIMENT
            .replace("name = 'model'", "name = 'ada-study'")
            .replace("name = 'one'\nmodel = 'suite.toml'", &absolute),
    );
    assert!(lab.run(&["--only", "cores=1"]).status.success());
    let run = fs::canonicalize(lab.path("results/ada-study/latest")).unwrap();
    call_host(&run, "shop");
    let mut command = lab.command(&["artifact", text(&run), "--out", "kit", "--anonymous", "--json"]);
    let told = json(&output_of(&command.env("HOME", "/root").env("USER", "ada").output().unwrap()));
    assert!(told["notes"].to_string().contains("test names are kept unchanged"), "{told}");

    let (_elsewhere, kit) = moved_away(lab, "kit");
    assert!(kit.join("experiment/bundled/root-abs.model.toml").is_file());
    let executed = texts(&kit.join("run/tests.parquet"));
    assert!(executed["class"].iter().any(|class| class == "shop.Race"), "the suite is the bundled one");
    let run_short = || {
        let mut command = Command::new(kit.join("run-short"));
        command.env("PARADE", env!("CARGO_BIN_EXE_parade")).env_remove("PARADE_HOME").output().unwrap()
    };
    let ran = output_of(&run_short());
    assert!(ran.contains("Comparison of the authors' run") && ran.contains("root-abs"), "{ran}");
    assert!(kit.join("results/someone-study-short/latest").is_dir());

    let script = fs::read_to_string(kit.join("run-short")).unwrap();
    fs::write(kit.join("run-short"), script.replace("someone-study-short/latest", "elsewhere/latest")).unwrap();
    let lost = run_short();
    assert_eq!(lost.status.code(), Some(1), "{lost:?}");
    assert!(String::from_utf8_lossy(&lost.stderr).contains("there is no run in"), "{lost:?}");
}

fn check_documents(kit: &Path) {
    let claims = fs::read_to_string(kit.join("CLAIMS.md")).unwrap();
    for expected in [
        "speedup of both over sequential on 1 core",
        "`./run-full --only configuration=both,cores=1 --only configuration=sequential,cores=1`",
        "`./run-full --only subject=two`",
        "`bin/parade report run --table speedups`",
        "`run/report/figures/speedups.svg`",
        "virtual |",
    ] {
        assert!(claims.contains(expected), "{expected}\n{claims}");
    }
    for document in ["README.md", "REQUIREMENTS.md", "INSTALL.md", "STATUS.md", "CLAIMS.md", "LICENSE"] {
        let text = fs::read_to_string(kit.join(document)).unwrap();
        assert!(text.len() > 200 && !text.contains("://"), "{document}");
        assert!(!text.contains("{{") && !text.contains("<script") && !text.contains("experiment//"), "{document}");
    }
}

#[test]
fn a_merged_run_makes_an_artifact_too() {
    let lab = lab();
    let (a, b) = (run_on(&lab, "alpha", &["--only", "subject=one"]), run_on(&lab, "beta", &["--only", "subject=two"]));
    succeeds(&lab, &["merge", text(&a), text(&b), "--out", "merged"]);
    succeeds(&lab, &["artifact", "merged", "--out", "kit"]);
    assert!(fs::read_to_string(lab.path("kit/README.md")).unwrap().contains("merged from 2 runs"));
    assert_eq!(fs::read_dir(lab.path("kit/run/origins")).unwrap().count(), 2);
    let rebuilt = output_of(&script(&lab.path("kit"), "rebuild-report", &[]));
    assert!(rebuilt.contains("tables are identical to the authors'"), "{rebuilt}");
}

#[test]
fn what_cannot_be_bundled_is_refused_and_nothing_is_left() {
    let lab = lab();
    let run = run_on(&lab, "alpha", &["--only", "subject=one,cores=1"]);
    fs::write(lab.path("suite.toml"), suite().replace("seconds = 40", "seconds = 41")).unwrap();
    let error = refused(&lab, &["artifact", text(&run), "--out", "kit"], 1);
    assert!(error.contains("`one` has changed since the run"), "{error}");
    fs::write(lab.path("suite.toml"), suite()).unwrap();
    fs::create_dir(lab.path("taken")).unwrap();
    fs::write(lab.path("taken/mine"), "").unwrap();
    assert!(refused(&lab, &["artifact", text(&run), "--out", "taken"], 2).contains("already exists"));
    assert!(refused(&lab, &["artifact", "nowhere", "--out", "kit"], 2).contains("is not a run folder"));
    let inside = run.join("kit");
    assert!(refused(&lab, &["artifact", text(&run), "--out", text(&inside)], 2).contains("is inside the run"));
    let names = fs::read_dir(lab.path("")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(!names.into_iter().any(|name| name == "kit" || name.starts_with(".parade")));
}

/// Names and paths that a blind reviewer must not see.
const HOST: &str = "analytical-engine";
const USER: &str = "lovelace";

/// A run whose records name host, user and paths wherever they can.
fn telling_run(lab: &Lab) -> PathBuf {
    let suite = format!("# /home/{USER}/data on {HOST}\n{}", suite());
    fs::write(lab.path("suite.toml"), suite).unwrap();
    lab.write(&EXPERIMENT.replace("# Two subjects", &format!("# {USER}'s file on {HOST}: two subjects")));
    let run = run_on(lab, HOST, &["--only", "cores=1"]);
    change_trials(&run, |trial| {
        let home = lab.path("home");
        trial["reason"] = format!("see /root/.cache/x.log and {} of {USER}@{HOST}", home.display()).into();
        trial["java_home"] = "/opt/java/jdk-17".into();
    });
    run
}

#[test]
fn an_anonymous_artifact_tells_nobody_who_made_it() {
    let lab = lab();
    let run = telling_run(&lab);
    let home = lab.path(&format!("homes/{USER}"));
    fs::create_dir_all(&home).unwrap();
    fs::write(home.join(".gitconfig"), "[user]\n\tname = Augusta King\n\temail = augusta@example.org\n").unwrap();
    lab.write(&format!("{EXPERIMENT}# written by Augusta King, augusta@example.org\n"));
    let text_of_run = fs::read_to_string(lab.path("experiment.toml")).unwrap();
    fs::write(run.join("experiment.toml"), text_of_run).unwrap();
    let mut command = lab.command(&["artifact", text(&run), "--out", "kit", "--anonymous", "--json"]);
    let output = command.env("HOME", &home).env("USER", USER).output().unwrap();
    let told = json(&output_of(&output));
    let kit = lab.path("kit");

    let lab_path = lab.path("").display().to_string();
    let needles = [HOST, USER, "Augusta", "augusta", lab_path.trim_end_matches('/'), "/root/", "/opt/", "/home/"];
    for (file, bytes) in content(&kit) {
        // The author's own files are not changed, and are named instead.
        if file.ends_with("experiment/suite.toml") {
            assert!(told["notes"].to_string().contains("experiment/suite.toml still contains"), "{told}");
            continue;
        }
        let mut texts_of_file = String::from_utf8_lossy(&bytes).into_owned();
        if file.extension().is_some_and(|extension| extension == "parquet") {
            texts_of_file += &texts(&file).into_values().flatten().collect::<String>();
        }
        texts_of_file += text(&file).strip_prefix(text(&kit)).unwrap();
        for needle in needles {
            assert!(!texts_of_file.contains(needle), "{} has {needle}", file.display());
        }
    }
    assert!(!kit.join("run/logs").exists());
    let manifest = json(&fs::read_to_string(kit.join("run/manifest.json")).unwrap());
    assert_eq!(manifest["host"], "machine-1");

    let mut rebuild = Command::new(kit.join("rebuild-report"));
    let rebuilt = rebuild.env("PARADE", env!("CARGO_BIN_EXE_parade")).env("HOME", &home).output().unwrap();
    assert!(output_of(&rebuilt).contains("tables are identical to the authors'"));
    assert_eq!(told["program"], kit.join("bin/parade").exists());
    if told["program"] == false {
        assert!(fs::read_to_string(kit.join("INSTALL.md")).unwrap().contains("It is not in this folder"));
    }
}
