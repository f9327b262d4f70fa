//! The real program on projects that pytest runs.

use std::process::Output;

use serde_json::Value;

use super::desk::Desk;

/// Exit code, document and what was said beside it.
pub fn run(desk: &Desk, arguments: &[&str]) -> (Option<i32>, Value, String) {
    let Output { status, stdout, stderr } = desk.command(arguments.iter().copied()).output().unwrap();
    let told = String::from_utf8_lossy(&stderr).into_owned();
    let last = String::from_utf8_lossy(&stdout).into_owned();
    let document = serde_json::from_str(&last).or_else(|_| serde_json::from_str(last.lines().last().unwrap_or("")));
    (status.code(), document.unwrap_or(Value::Null), told)
}

pub fn project(desk: &Desk, name: &str, files: &[(&str, &str)]) {
    std::fs::create_dir_all(desk.path(name)).unwrap();
    for (file, text) in files {
        std::fs::write(desk.path(name).join(file), text).unwrap();
    }
}
