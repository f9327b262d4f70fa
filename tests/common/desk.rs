//! A folder of its own for a test, and the real program run in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub struct Desk {
    dir: tempfile::TempDir,
    home: PathBuf,
}

impl Desk {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        Desk { home: dir.path().join("home"), dir }
    }

    /// With the downloads of the tests of bundled subjects.
    pub fn with_downloads() -> Self {
        Desk { home: shared_home(), ..Desk::new() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    pub fn command<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_parade"));
        command.current_dir(self.dir.path()).env("PARADE_HOME", &self.home).env("NO_COLOR", "1").args(arguments);
        command
    }
}

/// The cache that all tests share which run Maven: what it downloads, and the builds of bundled subjects.
pub fn shared_home() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("parade-home")
}

/// The folder of a bundled subject.
pub fn bundled(subject: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("subjects").join(subject)
}

/// A folder with all that is in it.
pub fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
