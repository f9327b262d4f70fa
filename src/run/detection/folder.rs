//! The folder of a detection: `results/detect-<project>/<utc time>/`, never overwritten once it is finished.

use std::fs;
use std::path::{Path, PathBuf};

use miette::miette;

use super::DetectionRequest;
use super::opened::Suite;
use crate::store::order_journal::{ACCESSES, Journal};
use crate::technique::detect::Detection;
use crate::whole_file;

const JOURNAL: &str = "journal.jsonl";
/// Is there only when everything else is.
const RECORD: &str = "detection.json";

/// Everything that a detection follows from: the same identity means the same runs.
pub(super) struct Identity(pub String);

impl Identity {
    pub fn of(order: &DetectionRequest, suite: &Suite) -> Self {
        let mut identity = order.subject.fingerprint().of_outcomes("detection");
        identity.text("parade", env!("CARGO_PKG_VERSION"));
        identity.text("revision", &suite.revision);
        identity.text("jdk", suite.jdk.as_deref().unwrap_or_default());
        identity.number("memory", order.memory_bytes.unwrap_or(0));
        let settings = order.settings;
        identity.text("asked", &format!("{:?} {settings:?} {:?} {}", order.strategies, order.budget, order.baseline));
        identity.text("interleave", if order.interleave { "all orders count" } else { "orders of builds count" });
        let tests: Vec<String> = suite.session.tests().iter().map(ToString::to_string).collect();
        identity.texts("tests", tests.iter().map(String::as_str));
        Identity(identity.digits(64))
    }
}

pub(super) struct Folder {
    dir: PathBuf,
}

impl Folder {
    /// The unfinished detection of the same identity, or a new one.
    pub fn obtain(order: &DetectionRequest, identity: &Identity) -> miette::Result<(Self, Journal)> {
        let name = order.subject.name.strip_prefix("test-").unwrap_or(&order.subject.name);
        let name = name.strip_suffix(".toml").unwrap_or(name);
        let above = order.results.join(format!("detect-{name}"));
        let failed = |error: std::io::Error| {
            miette!(help = "name another folder with --results", "{} could not be made: {error}", above.display())
        };
        fs::create_dir_all(&above).map_err(failed)?;
        if let Some(dir) = fs::canonicalize(above.join("latest")).ok().filter(|dir| !order.fresh && !is_finished(dir))
            && let Some(journal) = Journal::go_on(&dir.join(JOURNAL), &identity.0)?
        {
            return Ok((Folder { dir }, journal));
        }
        let dir = new_dir(&above).map_err(failed)?;
        let journal = Journal::begin(&dir.join(JOURNAL), &identity.0)?;
        point_latest_to(&above, &dir).map_err(failed)?;
        Ok((Folder { dir }, journal))
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// What tests read and write, where that was watched.
    pub fn accesses(&self) -> Option<PathBuf> {
        Some(self.dir.join(ACCESSES)).filter(|file| file.is_file())
    }

    pub fn logs(&self) -> PathBuf {
        self.dir.join("logs")
    }

    pub fn finish(&self, detection: &Detection) -> miette::Result<()> {
        whole_file::write_json(&self.dir.join(RECORD), detection)
    }
}

fn is_finished(dir: &Path) -> bool {
    dir.join(RECORD).exists()
}

fn new_dir(above: &Path) -> std::io::Result<PathBuf> {
    let time = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ").to_string();
    let names = std::iter::once(time.clone()).chain((2..1_000).map(|number| format!("{time}-{number}")));
    for name in names {
        match fs::create_dir(above.join(&name)) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
            Ok(()) => return above.join(name).canonicalize(),
        }
    }
    Err(std::io::ErrorKind::AlreadyExists.into())
}

fn point_latest_to(above: &Path, dir: &Path) -> std::io::Result<()> {
    let draft = above.join(".latest.part");
    let _ = fs::remove_file(&draft);
    std::os::unix::fs::symlink(dir.file_name().unwrap_or_default(), &draft)?;
    fs::rename(&draft, above.join("latest"))
}
