//! `parade detect`, run in a folder.

use std::process::Output;

use serde_json::Value;

use super::desk::Desk;

pub fn detect(desk: &Desk, arguments: &[&str]) -> Output {
    desk.command(["detect"].into_iter().chain(arguments.iter().copied())).output().unwrap()
}

/// Its document, when it ends well.
pub fn detected(desk: &Desk, arguments: &[&str]) -> Value {
    let output = detect(desk, &[arguments, &["--json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

pub fn entry<'d>(document: &'d Value, test: &str) -> &'d Value {
    let found = document["order_dependent"].as_array().unwrap().iter().find(|entry| entry["test"] == test);
    found.unwrap_or_else(|| panic!("{test} is not among {}", document["order_dependent"]))
}
