//! What the tests of a build cover, beside the build: found out once.

use std::path::PathBuf;

use crate::java::build::Prepared;
use crate::suite::Coverage;

/// Where the coverage of one build lies.
pub struct Kept {
    path: PathBuf,
}

impl Kept {
    /// The worktree is of one revision; what else coverage depends on is in the name.
    pub fn of(prepared: &Prepared) -> miette::Result<Self> {
        let mut key = prepared.memory.fingerprint("coverage");
        key.value("tests", &prepared.discovery.tests)?;
        key.value("suites", &prepared.discovery.suites)?;
        let name = format!("coverage-{}.json", key.digits(16));
        Ok(Kept { path: prepared.checkout.root.with_file_name(name) })
    }

    /// A file that is missing or damaged holds nothing.
    pub fn read(&self) -> Option<Coverage> {
        self.path.is_file().then(|| Coverage::load(&self.path).ok()).flatten()
    }

    /// What cannot be kept is found out again.
    pub fn write(&self, coverage: &Coverage) {
        if let Err(error) = coverage.save(&self.path) {
            tracing::warn!("{error}");
        }
    }
}
