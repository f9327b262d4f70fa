//! Tests that try to have it recorded that they passed, or to leave no record: through Maven and through the direct engine.
//! Whatever they try, they stay failures and the run is not clean; nothing outside is read or written.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::common::desk::{bundled, copy_folder, shared_home};
use crate::turn::{self, Turn};

/// The bundled subject with an order what to try, in a folder of its own.
struct Forger {
    folder: tempfile::TempDir,
    _turn: Turn,
}

impl Forger {
    /// `None` where slow tests are not wanted.
    fn new(tries: &str) -> Option<Self> {
        let turn = turn::beside_others("forged records")?;
        let forger = Forger { folder: tempfile::tempdir().unwrap(), _turn: turn };
        let project = forger.path("project");
        copy_folder(&bundled("forges-records"), &project);
        fs::create_dir_all(project.join("src/test/resources")).unwrap();
        let order = format!("{tries}\n{}\n", forger.path("canary").display());
        fs::write(project.join("src/test/resources/forge.txt"), order).unwrap();
        fs::write(forger.path("canary"), "untouched").unwrap();
        Some(forger)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What `parade test` says. It is never a success.
    fn test(&self, arguments: &[&str]) -> Value {
        let mut command = Command::new(env!("CARGO_BIN_EXE_parade"));
        command.current_dir(self.folder.path()).env("PARADE_HOME", shared_home()).env("NO_COLOR", "1");
        let ended = command.args(["test", "project", "--json"]).args(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(ended.status.code(), Some(1), "{said}");
        assert_eq!(fs::read_to_string(self.path("canary")).unwrap(), "untouched");
        serde_json::from_slice(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {said}"))
    }
}

fn failures<'a>(document: &'a Value, class: &str) -> Vec<(&'a str, &'a str)> {
    let text = |value: &'a Value| value.as_str().unwrap_or_default();
    let all = document["failures"].as_array().unwrap().iter();
    let all = all.map(|failure| (text(&failure["test"]), text(&failure["message"])));
    all.filter(|(test, _)| test.starts_with(class)).collect()
}

fn contradictions(document: &Value) -> Vec<&str> {
    let findings = document["findings"].as_array().unwrap().iter();
    let found = findings.filter(|finding| finding["kind"] == "contradiction");
    found.filter_map(|finding| finding["text"].as_str()).collect()
}

#[test]
fn a_test_that_claims_to_have_passed_has_failed_on_either_engine() {
    let Some(forger) = Forger::new("claims") else { return };
    let document = forger.test(&["--parallel", "classes", "--threads", "2"]);
    assert_eq!(document["verdict"], "contradicted", "{document:#}");
    let failed = failures(&document, "forging.ClaimsTest#");
    assert_eq!(failed.len(), 12, "{failed:#?}");
    assert_eq!((document["tests"].as_u64(), document["skipped"].as_u64()), (Some(21), Some(1)), "{document:#}");
    let message = |name: &str| failed.iter().find(|(test, _)| test.ends_with(name)).unwrap().1.to_owned();
    for posing in ["#poses", "#hasAChildProcessPose"] {
        let said = message(posing);
        assert!(said.contains("---") || said.contains("no folder") || said.ends_with(": "), "{said}");
    }
    assert!(message("#looksForTheMode").ends_with("it found:"), "{}", message("#looksForTheMode"));
    let found = contradictions(&document).join("\n");
    for place in ["maven-surefire-plugin:test", "Maven's extension", "test process"] {
        assert!(found.contains(place), "{place} in {found}");
    }
    assert_eq!(document["stages"][1]["engine"], "direct", "{document:#}");
}

#[test]
fn a_test_that_damages_the_record_leaves_one() {
    let Some(forger) = Forger::new("damage") else { return };
    let document = forger.test(&["--technique", "parallel", "--parallel", "classes", "--threads", "2"]);
    assert_eq!(document["verdict"], "contradicted", "{document:#}");
    assert!(!contradictions(&document).is_empty(), "{document:#}");
}

#[test]
fn a_test_that_claims_everything_and_exits_is_no_success() {
    let Some(forger) = Forger::new("exit") else { return };
    let document = forger.test(&["--technique", "parallel", "--parallel", "classes", "--threads", "2"]);
    assert_eq!(document["verdict"], "contradicted", "{document:#}");
    assert_eq!(failures(&document, "forging.ExitTest#").len(), 1, "{document:#}");
}
