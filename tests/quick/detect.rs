//! `parade detect`: the real program, on model suites.

use std::fs;
use std::process::Output;

use serde_json::Value;

use crate::common::desk::Desk;
use crate::common::detecting::{detect, detected, entry};

const SUITE: &str = "
startup = 1
[[test]]
id = 'a.A#setter'
[[test]]
id = 'a.A#brittle'
needs = ['a.A#setter']
[[test]]
id = 'a.B#victim'
polluted_by = ['a.C#polluter']
cleaned_by = ['a.C#cleaner']
[[test]]
id = 'a.C#polluter'
[[test]]
id = 'a.C#cleaner'
[[test]]
id = 'a.C#mutual'
polluted_by = ['a.C#other']
[[test]]
id = 'a.C#other'
polluted_by = ['a.C#mutual']
";

fn suite(desk: &Desk, text: &str) -> &'static str {
    desk.write("suite.toml", text);
    "suite.toml"
}

#[test]
fn the_document_has_what_scripts_need() {
    let desk = Desk::new();
    let document = detected(&desk, &[suite(&desk, SUITE), "--out", "here/dependencies.toml"]);
    assert_eq!((&document["tests"], &document["virtual_time"]), (&7.into(), &true.into()));
    assert_eq!(document["flaky"], Value::Array(vec![]));
    assert_eq!(document["order_dependent"].as_array().unwrap().len(), 4);
    let brittle = entry(&document, "a.A#brittle");
    assert_eq!((&brittle["kind"], &brittle["complete"]), (&"brittle".into(), &true.into()));
    assert_eq!(brittle["state_setters"], serde_json::json!(["a.A#setter"]));
    let victim = entry(&document, "a.B#victim");
    assert_eq!(victim["kind"], "victim");
    assert_eq!(victim["polluters"], serde_json::json!(["a.C#polluter"]));
    assert_eq!(victim["cleaners"], serde_json::json!(["a.C#cleaner"]));
    assert_eq!(document["coverage"]["consecutive_share"], 1.0);
    assert_eq!(document["coverage"]["pairs"], 42);
    for file in ["dot", "svg", "dependencies"] {
        assert!(desk.path(document[file].as_str().unwrap()).is_file(), "{file}");
    }
}

#[test]
fn the_dependency_file_is_one_that_other_commands_take() {
    let desk = Desk::new();
    detected(&desk, &[suite(&desk, SUITE), "--out", "dependencies.toml"]);
    let text = fs::read_to_string(desk.path("dependencies.toml")).unwrap();
    assert!(text.contains("[[conflict]]") && text.contains("a.C#mutual"), "{text}");
    let experiment = "[experiment]\nname = 'x'\nrepetitions = 1\n[[subject]]\nname = 's'\nmodel = 'suite.toml'\n\
                      dependencies = 'dependencies.toml'\n[[configuration]]\nname = 'one'\ntechnique = 'sound-rerun'\n\
                      parallel = 'classes'\nthreads = 2\n[analysis]\nbaseline = 'one'\n";
    fs::write(desk.path("x.toml"), experiment).unwrap();
    let output = desk.command(["run", "x.toml"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_person_reads_who_breaks_whom_and_what_was_tried() {
    let desk = Desk::new();
    let output = detect(&desk, &[suite(&desk, SUITE), "--strategy", "reverse,isolation"]);
    let page = String::from_utf8(output.stdout).unwrap();
    for part in [
        "4 of 7 tests depend on the order",
        "fails after  a.C#polluter",
        "passes only after  a.A#setter",
        "reverse 1, isolation 7",
    ] {
        assert!(page.contains(part), "{part:?} is missing in\n{page}");
    }
}

/// A model's times are virtual, which comes first and once.
fn after_caution(page: &str) -> &str {
    let caution = "! times are computed from model suites; nothing was measured\n";
    assert_eq!(page.matches(caution).count(), 1, "{page}");
    page.strip_prefix(caution).unwrap_or_else(|| panic!("{page}"))
}

/// All of them, each with its place.
#[test]
fn mistakes_of_a_model_suite_are_told_at_once() {
    let desk = Desk::new();
    let output = detect(&desk, &[suite(&desk, "[[test]]\nid='A#a'\nflaky=2\n[[test]]\nid='A#a'\nneeds=['A#c']\n")]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{told}");
    for part in ["suite.toml has 3 mistakes", "suite.toml:3:7", "suite.toml:5:4", "suite.toml:6:8"] {
        assert!(told.contains(part), "{part}: {told}");
    }
}

fn page(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn the_first_lines_never_hide_what_only_seems_so() {
    let desk = Desk::new();
    let slow = "[[test]]\nid='A#v'\nseconds=30\npolluted_by=['A#p']\n[[test]]\nid='A#p'\nseconds=30\n[[test]]\nid='A#x'\nseconds=30\n";
    let text = page(&detect(&desk, &[suite(&desk, slow), "--budget", "7m"]));
    assert!(after_caution(&text).starts_with("1 of 3 tests seems to depend on the order: A#v\n"), "{text}");
    assert!(text.contains("--budget") && text.contains("run 2 times instead of 3"), "{text}");
    let text = page(&detect(&desk, &["suite.toml", "--budget", "15m"]));
    assert!(after_caution(&text).starts_with("1 of 3 tests depends on the order\n"), "{text}");
}

#[test]
fn suites_of_one_test_and_of_none_are_spoken_of_as_such() {
    let desk = Desk::new();
    let text = page(&detect(&desk, &[suite(&desk, "[[test]]\nid='A#only'\n")]));
    assert!(after_caution(&text).starts_with("0 of 1 test depends on the order\n") && !text.contains('%'), "{text}");
}

#[test]
fn a_model_that_takes_no_time_comes_to_an_end() {
    let desk = Desk::new();
    let tests: String = (0..12).map(|n| format!("[[test]]\nid='A#t{n}'\n")).collect();
    let document = detected(&desk, &[suite(&desk, &tests), "--strategy", "exhaustive", "--k", "99", "--budget", "10s"]);
    let tried = &document["strategies"][0];
    assert_eq!((&tried["planned"], &tried["possible"]), (&1_000_000.into(), &479_001_600.into()));
    assert!(tried["orders"].as_u64().unwrap() < 2_000 && document["budget_ended"] == true, "{tried}");
}

#[test]
fn a_detection_that_was_cut_short_goes_on() {
    let desk = Desk::new();
    let suite = suite(&desk, SUITE);
    let whole = detected(&desk, &[suite]);
    let folder = fs::canonicalize(desk.path("home/results/detect-suite/latest")).unwrap();
    // As a kill leaves it: some runs on record, the last of them cut off, and nothing said to be finished.
    fs::remove_file(folder.join("detection.json")).unwrap();
    let journal = fs::read_to_string(folder.join("journal.jsonl")).unwrap();
    let lines: Vec<&str> = journal.lines().collect();
    let half = lines[..lines.len() / 2].join("\n");
    fs::write(folder.join("journal.jsonl"), format!("{half}\n{{\"key\":")).unwrap();
    let output = detect(&desk, &[suite, "--json"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("resuming after"), "{told}");
    let resumed: Value = serde_json::from_slice(&output.stdout).unwrap();
    for part in ["tests", "order_dependent", "coverage", "runs", "folder"] {
        assert_eq!(resumed[part], whole[part], "{part}");
    }
    let again = detected(&desk, &[suite]);
    assert_ne!(again["folder"], whole["folder"], "a finished detection is never overwritten");
}

/// More victims than anybody explains in that time.
#[test]
fn what_depends_on_the_order_is_named_even_where_its_cause_is_not() {
    let desk = Desk::new();
    let victim = |n: usize| format!("[[test]]\nid = 'a.C{}#v{n}'\npolluted_by = ['a.Z#polluter']\n", n / 10);
    let victims: String = (0..80).map(victim).collect();
    let text = format!("startup = 10\n{victims}[[test]]\nid = 'a.Z#polluter'\n");
    let arguments = [suite(&desk, &text), "--budget", "1h"];
    let document = detected(&desk, &arguments);
    assert_eq!((&document["budget_ended"], &document["unexplained"]), (&true.into(), &Value::Array(vec![])));
    let found = document["order_dependent"].as_array().unwrap();
    assert_eq!(found.len(), 80);
    let unexplained = found.iter().filter(|entry| entry["polluters"] == Value::Array(vec![]));
    assert!(unexplained.clone().count() > 10 && unexplained.clone().all(|entry| entry["complete"] == false));
    let named = unexplained.clone().next().unwrap()["test"].as_str().unwrap();
    let file = fs::read_to_string(desk.path(document["dependencies"].as_str().unwrap())).unwrap();
    assert!(file.contains("a.Z#polluter") && !file.contains(&format!("test = \"{named}\"")), "{file}");
    let page = String::from_utf8(detect(&desk, &arguments).stdout).unwrap();
    assert!(page.contains("the budget ended before the cause was found"), "{page}");
}

#[test]
fn wrong_options_are_bad_usage() {
    let desk = Desk::new();
    let suite = suite(&desk, SUITE);
    for arguments in [
        &["nowhere"] as &[&str],
        &[suite, "--strategy", "best"],
        &[suite, "--rounds", "0"],
        &[suite, "--budget", "soon"],
        &[suite, "--out", "/dev/null/x"],
    ] {
        let output = detect(&desk, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

const INTERLEAVED: &str = "
[[test]]
id = 'a.Steps#first'
declared_order = true
per_class_instance = true
[[test]]
id = 'a.Steps#second'
declared_order = true
per_class_instance = true
needs = ['a.Steps#first']
[[test]]
id = 'a.Other#x'
[[test]]
id = 'a.Other#y'
";

#[test]
fn what_no_build_can_produce_is_reported_only_if_asked_for() {
    let desk = Desk::new();
    let suite = suite(&desk, INTERLEAVED);
    let document = detected(&desk, &[suite]);
    let second = entry(&document, "a.Steps#second");
    assert_eq!((&second["kind"], &second["declared_order"]), (&"brittle".into(), &true.into()), "{second}");
    let text = page(&detect(&desk, &[suite]));
    assert!(after_caution(&text).starts_with("0 of 4 tests depend on the order"), "{text}");
    assert!(text.contains("Rely on the order that their class declares"), "{text}");
    let asked = detected(&desk, &[suite, "--interleave"]);
    let second = entry(&asked, "a.Steps#second");
    assert_eq!((&second["kind"], &second["declared_order"]), (&"both".into(), &false.into()), "{second}");
}

/// Says what its tests share; two pairs of them matter.
const SHARING: &str = "
[[test]]
id = 'a.A#setter'
writes = ['tray']
[[test]]
id = 'a.A#brittle'
needs = ['a.A#setter']
reads = ['tray']
[[test]]
id = 'a.B#victim'
polluted_by = ['a.C#polluter']
reads = ['language']
[[test]]
id = 'a.C#polluter'
writes = ['language']
[[test]]
id = 'a.C#bystander'
";

#[test]
fn what_tests_share_says_which_orders_to_try() {
    let desk = Desk::new();
    let arguments = [suite(&desk, SHARING), "--strategy", "dependence-aware", "--k", "2"];
    let document = detected(&desk, &arguments);
    let tried = serde_json::json!([{"strategy": "dependence-aware", "orders": 4, "planned": 4, "possible": 25}]);
    assert_eq!(document["strategies"], tried);
    assert_eq!(entry(&document, "a.A#brittle")["state_setters"], serde_json::json!(["a.A#setter"]));
    assert_eq!(entry(&document, "a.B#victim")["polluters"], serde_json::json!(["a.C#polluter"]));
    let accesses = fs::read_to_string(desk.path(document["accesses"].as_str().unwrap())).unwrap();
    assert!(accesses.contains("\"test\":\"a.C#polluter\",\"reads\":[],\"writes\":[\"language\"]"), "{accesses}");
    let page = String::from_utf8(detect(&desk, &arguments).stdout).unwrap();
    assert!(page.contains("dependence-aware 4 (others of 25 cannot make a difference)"), "{page}");
}

#[test]
fn a_suite_that_does_not_say_what_it_shares_is_bad_usage_for_that_strategy() {
    let desk = Desk::new();
    let output = detect(&desk, &[suite(&desk, SUITE), "--strategy", "dependence-aware"]);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("`reads` and `writes`"), "{message}");
}
