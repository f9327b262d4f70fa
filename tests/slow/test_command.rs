//! `parade test`: the real program on bundled subjects.

use std::fs;
use std::path::{Path, PathBuf};

use quick_xml::Reader;
use quick_xml::events::Event;
use serde_json::Value;

use crate::common::desk::{Desk, bundled, copy_folder};
use crate::common::testing::{assert_agreement, reports_of, sums, tested};
use crate::turn;

fn subject(name: &str) -> String {
    bundled(name).to_string_lossy().into_owned()
}

#[test]
fn a_real_race_is_repaired_by_either_engine() {
    let Some(_turn) = turn::beside_others("a bundled subject") else { return };
    let desk = Desk::with_downloads();
    let race = subject("data-race");
    for engine in ["direct", "surefire"] {
        let methods = ["--parallel", "methods", "--threads", "4", "--rerun-engine", engine];
        let (code, document) = tested(&desk, &[&[race.as_str()], &methods[..]].concat());
        assert_eq!((code, document["tests"].as_u64(), document["passed"].as_u64()), (Some(0), Some(4), Some(4)));
        assert_eq!(document["retried"], 2, "{document:#}");
        assert_eq!(document["stages"][1]["engine"], engine, "{document:#}");
        assert_agreement(&document, &reports_of(&document));
        assert_names_of_surefire(&document);
        assert!(sums(&reports_of(&document))["flakyFailure"] >= 2);
    }
    assert!(!Path::new(&race).join("target").exists(), "nothing is written into the project");
}

/// File, class and name of every test case below a folder, sorted, and how many of them have output.
fn cases(folder: &Path) -> (Vec<[String; 3]>, usize) {
    let (mut cases, mut outputs) = (Vec::new(), 0);
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let file = entry.file_name().into_string().unwrap();
        if !(file.starts_with("TEST-") && file.ends_with(".xml")) {
            continue;
        }
        let text = fs::read_to_string(entry.path()).unwrap();
        let mut reader = Reader::from_str(&text);
        loop {
            let tag = match reader.read_event().unwrap() {
                Event::Start(tag) | Event::Empty(tag) => tag,
                Event::Eof => break,
                _ => continue,
            };
            let value = |key: &str| {
                let attribute = tag.try_get_attribute(key).unwrap().unwrap();
                attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0).unwrap().into_owned()
            };
            match tag.name().as_ref() {
                "testcase" => cases.push([file.clone(), value("classname"), without_hash_code(&value("name"))]),
                "system-out" => outputs += 1,
                _ => {}
            }
        }
    }
    cases.sort();
    (cases, outputs)
}

/// A name without the hash code of an object, which every process gives anew.
fn without_hash_code(name: &str) -> String {
    let Some((before, after)) = name.split_once('@') else { return name.to_owned() };
    let code = after.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(after.len());
    format!("{before}@{}", &after[code..])
}

/// Parade's reports have the test cases that Surefire reported in the same run, whatever was run again.
fn assert_names_of_surefire(document: &Value) {
    let kept = Path::new(document["logs"].as_str().unwrap()).join("surefire-reports");
    let own = reports_of(document);
    let folders = |root: &Path| -> Vec<PathBuf> {
        let below = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
        below.chain([root.to_owned()]).collect()
    };
    let all = |root: &Path| {
        let mut all: Vec<[String; 3]> = folders(root).iter().flat_map(|folder| cases(folder).0).collect();
        all.sort();
        all
    };
    let theirs = all(&kept);
    assert!(!theirs.is_empty(), "{document:#}");
    assert_eq!(all(&own), theirs, "{document:#}");
}

/// Those whose tests take seconds, hang or end their process are left out.
const NAMED_SUBJECTS: [&str; 22] = [
    "covers-lines",
    "file-permissions",
    "flaky",
    "hangs-in-parallel",
    "hostile-names",
    "integration-tests",
    "junit3",
    "junit5",
    "multi-module",
    "needs-jdk17",
    "old-junit4",
    "order-across-classes",
    "order-within-class",
    "ordered-instances",
    "orders-junit3",
    "orders-junit4",
    "orders-jupiter",
    "orders-testng",
    "repeated-names",
    "same-class-in-two-modules",
    "several-frameworks",
    "testng",
];

/// All these subjects as modules of one project, so that one build runs them.
fn gathered(desk: &Desk, name: &str) {
    let modules: String = NAMED_SUBJECTS.iter().map(|module| format!("<module>{module}</module>")).collect();
    for module in NAMED_SUBJECTS {
        copy_folder(Path::new(&subject(module)), &desk.path(name).join(module));
    }
    let pom = format!(
        "<project><modelVersion>4.0.0</modelVersion><groupId>all</groupId><artifactId>all</artifactId>\
         <version>1</version><packaging>pom</packaging><modules>{modules}</modules></project>"
    );
    fs::write(desk.path(name).join("pom.xml"), pom).unwrap();
}

/// Folders with Surefire's reports, as paths of modules.
fn reported_modules(root: &Path, module: &Path, found: &mut Vec<PathBuf>) {
    if root.join(module).join("target/surefire-reports").is_dir() {
        found.push(module.to_owned());
    }
    for entry in fs::read_dir(root.join(module)).unwrap().map(Result::unwrap) {
        if entry.path().is_dir() && !["src", "target"].iter().any(|name| entry.file_name() == *name) {
            reported_modules(root, &module.join(entry.file_name()), found);
        }
    }
}

/// Nested, parameterized and dynamic tests, display names, all frameworks: as Maven alone writes them.
#[test]
fn reports_have_the_names_that_surefire_gives() {
    let Some(_turn) = turn::beside_others("bundled subjects") else { return };
    let desk = Desk::with_downloads();
    gathered(&desk, "all");
    // Some fail as root, or by chance: their names count, not their outcomes.
    let (_, document) = tested(&desk, &["all", "--technique", "sequential", "--reports", "all-reports"]);
    assert!(document["tests"].as_u64() >= Some(200), "{document:#}");
    let repository = format!("-Dmaven.repo.local={}/plain-m2", env!("CARGO_TARGET_TMPDIR"));
    let mut maven = std::process::Command::new("mvn");
    let plain =
        maven.current_dir(desk.path("all")).args(["-B", "-q", "-fn", "-T2", &repository, "test"]).output().unwrap();
    assert!(plain.status.success(), "{}", String::from_utf8_lossy(&plain.stdout));
    let mut modules = Vec::new();
    reported_modules(&desk.path("all"), Path::new(""), &mut modules);
    for name in NAMED_SUBJECTS {
        let has_reports = modules.iter().any(|module| module.starts_with(name));
        assert!(has_reports, "{name}: {}", String::from_utf8_lossy(&plain.stdout));
    }
    for module in &modules {
        let theirs = cases(&desk.path("all").join(module).join("target/surefire-reports"));
        let own = cases(&desk.path("all-reports").join(module));
        assert_eq!(own, theirs, "{}", module.display());
    }
}

#[test]
fn a_real_failure_stays_one() {
    let Some(_turn) = turn::beside_others("a bundled subject") else { return };
    let desk = Desk::with_downloads();
    let (code, document) = tested(&desk, &[&subject("order-across-classes"), "--threads", "4"]);
    assert_eq!((code, document["verdict"].as_str()), (Some(1), Some("failing")), "{document:#}");
    assert_eq!(document["stages"].as_array().unwrap().len(), 3);
    assert_agreement(&document, &reports_of(&document));
    assert_names_of_surefire(&document);
    // Tests that nobody saw before their process died are no success, though none is known to be missing.
    let (code, document) = tested(&desk, &[&subject("loses-tests"), "--parallel", "methods", "--threads", "4"]);
    assert_eq!((code, document["verdict"].as_str()), (Some(1), Some("lost_tests")), "{document:#}");
    let (code, document) = tested(&desk, &[&subject("build-fails")]);
    assert_eq!((code, document["verdict"].as_str()), (Some(1), Some("build_failed")), "{document:#}");
}

#[test]
fn modules_run_at_once_and_one_of_them_alone() {
    let Some(_turn) = turn::beside_others("a bundled subject") else { return };
    let desk = Desk::with_downloads();
    // Without the project's own `-T`: it is parade that has two modules run at once.
    let project = desk.path("modules");
    copy_folder(Path::new(&subject("parallel-modules")), &project);
    fs::remove_dir_all(project.join(".mvn")).unwrap();
    let (code, both) = tested(&desk, &["modules", "--parallel", "sequential", "--modules", "2"]);
    assert_eq!((code, both["tests"].as_u64(), both["concurrency_max"].as_u64()), (Some(0), Some(2), Some(2)));
    assert_names_of_surefire(&both);
    let (code, apart) = tested(&desk, &["modules"]);
    assert_eq!((code, apart["concurrency_max"].as_u64()), (Some(0), Some(1)), "{apart:#}");
    let (code, one) = tested(&desk, &["modules/hare", "--technique", "sequential", "--", "-Pnope"]);
    assert_eq!((code, one["tests"].as_u64()), (Some(0), Some(1)), "{one:#}");
    let text = "Maven does not know the profile `nope`, so it was not activated";
    assert!(one["findings"].as_array().unwrap().iter().any(|found| found["text"] == text), "{one:#}");
    assert!(reports_of(&one).join("hare/TEST-race.HareTest.xml").is_file());
}
