//! The bundled project with a history: its repository is the one that the experiment file names.

use std::path::Path;
use std::process::Command;

use crate::common::desk::Desk;
use crate::common::histories::{has_git, make_history};

fn git(desk: &Desk, arguments: &[&str]) -> String {
    let repository = desk.path("histories").join("shop");
    let told = Command::new("git").arg("-C").arg(repository).args(arguments).output().expect("git starts");
    String::from_utf8_lossy(&told.stdout).trim().to_owned()
}

#[test]
fn the_repository_is_the_same_everywhere() {
    if !has_git() {
        return;
    }
    let desk = Desk::new();
    make_history(&desk.path("histories"));
    let file = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments/history.toml")).unwrap();
    for version in ["v1", "v2", "v3", "v4"] {
        let hash = git(&desk, &["rev-parse", "--short=7", version]);
        assert!(file.contains(&format!("\"{hash}\"")), "{version} is {hash}");
    }
}
