//! The real program on projects that pytest runs. They need a Python with pytest and pytest-xdist (`PARADE_PYTHON`, or `python3`).

use std::path::Path;

use serde_json::{Value, json};

use crate::common::desk::{Desk, bundled};
use crate::common::pytests::{project, run};
use crate::turn::{self, Turn};

/// `None`, said aloud, where slow tests are not wanted, or where there is no pytest.
fn is_possible(what: &str) -> Option<Turn> {
    turn::beside_others(what).filter(|_| has_pytest(what))
}

pub fn has_pytest(what: &str) -> bool {
    parade::process::keeper::use_program(env!("CARGO_BIN_EXE_parade"));
    let found = parade::python::interpreter(None);
    let lacks = match &found {
        Ok(found) => found.xdist.is_none().then(|| "pytest-xdist is not installed".to_owned()),
        Err(why) => Some(why.to_string()),
    };
    if let Some(why) = &lacks {
        println!("{what}: skipped, as {why}");
    }
    lacks.is_none()
}

fn subject() -> String {
    bundled("pytest-order-and-race").to_string_lossy().into_owned()
}

const OUTCOMES: &str = r#"
import os, pytest

class TestRows:
    @pytest.mark.parametrize("row", ["a", "b::c", "d\ne"])
    def test_row(self, row): assert row != "b::c"

def test_fails(): assert 1 == 2

@pytest.mark.xfail
def test_xfails(): assert False

@pytest.mark.xfail(strict=True)
def test_passes_against_its_mark(): pass

@pytest.mark.skip(reason="not now")
def test_skipped(): pass

@pytest.fixture
def broken(): raise ValueError("no fixture")

def test_error(broken): pass
"#;

#[test]
fn outcomes_are_those_of_pytest() {
    let Some(_turn) = is_possible("outcomes_are_those_of_pytest") else { return };
    let desk = Desk::new();
    // What stops at the first failure, or hands tests to workers, does not do so in a sequential run.
    let settings = "[pytest]\naddopts = -x -n 2 --dist loadscope\n";
    project(&desk, "shop", &[("pytest.ini", settings), ("test_shop.py", OUTCOMES)]);
    let (code, document, told) = run(&desk, &["test", "shop", "--technique", "sequential", "--json"]);
    assert_eq!((code, document["verdict"].as_str()), (Some(1), Some("failing")), "{document:#}\n{told}");
    let counts = ["tests", "passed", "failed", "errors", "skipped"].map(|name| document[name].as_u64().unwrap());
    assert_eq!(counts, [8, 2, 3, 1, 2], "{document:#}");
    assert_eq!(
        (&document["concurrency_max"], &document["jdk"], &document["maven"]),
        (&json!(1), &json!(null), &json!(null))
    );
    let failures = document["failures"].as_array().unwrap();
    let names: Vec<&str> = failures.iter().map(|failure| failure["test"].as_str().unwrap()).collect();
    let expected = [
        "test_shop.TestRows#test_row~2",
        "test_shop#test_fails",
        "test_shop#test_passes_against_its_mark",
        "test_shop#test_error",
    ];
    assert_eq!(names, expected);
    assert_eq!(failures[0]["display"], "test_row[b::c]");
    assert_eq!(failures[1]["again"], json!({ "command": "pytest test_shop.py::test_fails" }));
    assert!(failures[3]["message"].as_str().unwrap().starts_with("ValueError: no fixture"), "{failures:?}");
}

#[test]
fn a_process_that_dies_and_a_suite_that_hangs_are_told() {
    let Some(_turn) = is_possible("a_process_that_dies_and_a_suite_that_hangs_are_told") else { return };
    let desk = Desk::new();
    let dies = "import os\ndef test_a(): pass\ndef test_b(): os._exit(0)\ndef test_c(): pass\n";
    project(&desk, "dies", &[("conftest.py", ""), ("test_dies.py", dies)]);
    let (code, document, _) = run(&desk, &["test", "dies", "--technique", "sequential", "--json"]);
    assert_eq!((code, document["verdict"].as_str()), (Some(1), Some("crashed")), "{document:#}");
    let failures = document["failures"].as_array().unwrap();
    let outcomes: Vec<_> = failures.iter().map(|failure| failure["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["crashed", "not_run"], "{document:#}");

    let hangs = "import time\ndef test_a(): pass\ndef test_b(): time.sleep(600)\n";
    project(&desk, "hangs", &[("setup.cfg", ""), ("test_hangs.py", hangs)]);
    let (code, document, _) = run(&desk, &["test", "hangs", "--technique", "sequential", "--timeout", "5s", "--json"]);
    assert_eq!((code, document["verdict"].as_str()), (Some(1), Some("timed_out")), "{document:#}");

    project(&desk, "broken", &[("setup.py", ""), ("test_broken.py", "import nothing_of_this_name\n")]);
    let (code, document, _) = run(&desk, &["test", "broken", "--json"]);
    assert_eq!((code, document["verdict"].as_str()), (Some(1), Some("build_failed")), "{document:#}");
    assert!(document["reason"].as_str().unwrap().contains("nothing_of_this_name"), "{document:#}");
}

#[test]
fn a_race_between_processes_is_repaired_by_a_rerun() {
    let Some(_turn) = is_possible("a_race_between_processes_is_repaired_by_a_rerun") else { return };
    // Other processes may use this folder of parade, too.
    let desk = Desk::with_downloads();
    let parallel = ["test", &subject(), "--parallel", "classes", "--threads", "2", "--json"];
    let (code, document, told) = run(&desk, &parallel);
    assert_eq!((code, document["verdict"].as_str()), (Some(0), Some("clean")), "{document:#}\n{told}");
    let stages = document["stages"].as_array().unwrap();
    let seen: Vec<_> = stages.iter().map(|stage| (&stage["engine"], stage["failures_after"].as_u64())).collect();
    assert_eq!(seen, [(&json!("pytest"), Some(1)), (&json!("pytest"), Some(0))], "{document:#}");
    assert_eq!(document["flaky"][0], "tests.test_a_ledger_reader#test_reads_what_it_wrote", "{document:#}");
    assert_eq!(document["concurrency_max"], 2);
    let findings = document["findings"].as_array().unwrap();
    assert!(!findings.iter().any(|finding| finding["kind"] == "no_concurrency"), "{findings:?}");
}

#[test]
fn dependences_on_the_order_are_found() {
    let Some(_turn) = is_possible("dependences_on_the_order_are_found") else { return };
    let desk = Desk::new();
    let (code, document, told) = run(&desk, &["detect", &subject(), "--budget", "2m", "--json"]);
    assert!(matches!(code, Some(0 | 1)), "{told}");
    let found = document["order_dependent"].as_array().unwrap();
    let entry = |name: &str| found.iter().find(|each| each["test"] == name).unwrap_or_else(|| panic!("{document:#}"));
    let brittle = entry("tests.test_account#test_deposits_ten");
    assert_eq!(brittle["kind"], "brittle");
    assert_eq!(brittle["state_setters"], json!(["tests.test_account#test_opens_the_account"]));
    let victim = entry("tests.test_prices#test_prices_are_in_euro");
    assert_eq!(victim["kind"], "victim");
    assert_eq!(victim["polluters"], json!(["tests.test_prices#test_prices_can_be_in_francs"]));
    assert_eq!(found.len(), 2, "{document:#}");
}

#[test]
fn an_experiment_records_what_ran() {
    let Some(_turn) = is_possible("an_experiment_records_what_ran") else { return };
    let desk = Desk::new();
    let python = parade::python::interpreter(None).unwrap();
    let file = format!(
        r#"[experiment]
name = "py"
repetitions = 2
[machine]
cores = [2]
[[subject]]
name = "race"
path = {:?}
python = {:?}
[[configuration]]
name = "sequential"
[[configuration]]
name = "functions"
technique = "paste"
parallel = "classes"
threads = 2
rerun_engine = "direct"
[analysis]
baseline = "sequential"
"#,
        subject(),
        python.program.display().to_string()
    );
    std::fs::write(desk.path("py.toml"), file).unwrap();
    let (code, document, told) = run(&desk, &["run", "py.toml", "--out", "results", "--json"]);
    assert_eq!(code, Some(0), "{document:#}\n{told}");
    let journal = journal(&desk.path("results"));
    let records: Vec<Value> = journal.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |kind: &'static str| records.iter().filter(move |record| record["kind"] == kind);
    let subject = of("subject").next().unwrap();
    assert_eq!((&subject["tools"]["pytest"], &subject["maven"]), (&json!(python.pytest), &json!(null)));
    let trials: Vec<&Value> = of("trial").collect();
    assert_eq!(trials.len(), 4);
    for trial in trials {
        assert_eq!((&trial["engine"], &trial["verdict"]), (&json!("pytest"), &json!("clean")), "{trial:#}");
        assert_eq!(trial["tools"]["python"], python.python);
    }
}

fn journal(folder: &Path) -> String {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            match entry.path() {
                path if path.is_dir() => folders.push(path),
                path if path.ends_with("journal.jsonl") => return std::fs::read_to_string(path).unwrap(),
                _ => {}
            }
        }
    }
    panic!("there is no journal")
}
