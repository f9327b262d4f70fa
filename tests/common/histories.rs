//! The bundled project with a history.

use std::path::Path;
use std::process::Command;

/// The repository that the experiment file names, made in a folder of its own.
pub fn make_history(into: &Path) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/make-history");
    let made = Command::new(script).arg(into).output().expect("the script starts");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}

/// The script needs it, and parade does not.
pub fn has_git() -> bool {
    let found = Command::new("git").arg("--version").output().is_ok_and(|told| told.status.success());
    if !found {
        eprintln!("skipped: there is no git here");
    }
    found
}
