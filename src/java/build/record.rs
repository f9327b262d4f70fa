//! What is kept of a build beside its worktree: which tests its first run showed, for which settings.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Discovery;
use crate::file_error::file_error;
use crate::project::FirstRun;
use crate::spec::Fingerprint;
use crate::subject::{Checkout, snapshot};
use crate::whole_file;

/// Of the file with what was found; a change makes every subject build again.
const RECORD_VERSION: u32 = 3;
pub(super) const RECORD: &str = "build.json";
/// What a run that was not sequential revealed.
pub(super) const SEEN: &str = "seen.json";
pub(super) const LOGS: &str = "logs";

/// Where discoveries about one build are kept.
#[derive(Debug, Clone)]
pub struct Memory {
    pub(super) place: BuildRecordPaths,
    pub(super) key: String,
}

impl Memory {
    /// For what is found out about this build later: it depends on all that the build depends on.
    pub fn fingerprint(&self, purpose: &str) -> Fingerprint {
        let mut fingerprint = Fingerprint::new(purpose);
        fingerprint.text("build", &self.key);
        fingerprint
    }

    /// What did not see the whole suite is not worth keeping.
    pub fn keep(&self, discovery: &Discovery) -> miette::Result<()> {
        if discovery.is_complete() { self.place.write(&self.key, discovery) } else { Ok(()) }
    }
}

#[derive(Serialize, Deserialize)]
struct Record {
    version: u32,
    key: String,
    discovery: Discovery,
}

/// Where a build's records and logs lie, beside its worktree.
#[derive(Debug, Clone)]
pub(super) struct BuildRecordPaths {
    pub(super) record: PathBuf,
    /// The record of a run that was not sequential: good enough to run the suite once more, not to measure it.
    pub(super) seen: PathBuf,
    pub(super) logs: PathBuf,
}

impl BuildRecordPaths {
    pub(super) fn beside(checkout: &Checkout) -> Self {
        let beside = |name| checkout.root.with_file_name(name);
        BuildRecordPaths { record: beside(RECORD), seen: beside(SEEN), logs: beside(LOGS) }
    }

    /// A record that is missing, damaged or of other settings is no record.
    pub(super) fn read(&self, key: &str, discovery: FirstRun) -> Option<Discovery> {
        let whole = read_record(&self.record, key);
        whole.or_else(|| if discovery == FirstRun::Later { read_record(&self.seen, key) } else { None })
    }

    pub(super) fn write(&self, key: &str, discovery: &Discovery) -> miette::Result<()> {
        let path = if discovery.scrambled { &self.seen } else { &self.record };
        let record = Record { version: RECORD_VERSION, key: key.to_owned(), discovery: discovery.clone() };
        whole_file::write_json(path, &record)
    }

    pub(super) fn forget(&self, checkout: &Checkout) -> miette::Result<()> {
        let store = checkout.snapshot_store();
        for record in [&self.record, &self.seen].into_iter().filter(|record| record.exists()) {
            std::fs::remove_file(record).map_err(|error| file_error(format_args!("{}", record.display()), &error))?;
        }
        snapshot::remove(&store)
    }
}

fn read_record(path: &Path, key: &str) -> Option<Discovery> {
    let record: Record = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
    (record.version == RECORD_VERSION && record.key == key).then_some(record.discovery)
}
