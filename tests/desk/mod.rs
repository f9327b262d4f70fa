//! A folder of its own for a test, and the real program run in it. Each test binary adds the commands that it is about.

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
        Desk { home: Path::new(env!("CARGO_TARGET_TMPDIR")).join("parade-home"), ..Desk::new() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn command<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_parade"));
        command.current_dir(self.dir.path()).env("PARADE_HOME", &self.home).env("NO_COLOR", "1").args(arguments);
        command
    }
}
