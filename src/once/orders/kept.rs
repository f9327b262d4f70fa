//! What the tests of a build cover, beside the build: found out once.

use std::path::PathBuf;

use miette::miette;
use sha2::{Digest, Sha256};

use crate::subject::build::Prepared;
use crate::suite::Coverage;
use crate::wording::hex;

/// Where the coverage of one build lies.
pub struct Kept {
    path: PathBuf,
}

impl Kept {
    /// The worktree is of one revision; what else coverage depends on is in the name.
    pub fn of(prepared: &Prepared) -> miette::Result<Self> {
        let parts = serde_json::to_vec(&(&prepared.discovery.tests, &prepared.discovery.suites, &prepared.helper.hash))
            .map_err(|error| miette!("the tests of {} cannot be hashed: {error}", prepared.subject.name))?;
        let name = format!("coverage-{}.json", hex(&Sha256::digest(parts)[..8]));
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
