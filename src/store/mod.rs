//! What happened, kept: run folders, the journal, the environment of a run, and frames of executions.
//!
//! A trial's executions are on disk before its line is in the journal, and the journal is synced after every line: whatever
//! ends a run, at most the trial that was running is lost. Nothing else in parade reads or writes these files.

mod environment;
mod frames;
mod journal;
mod layout;
pub mod record;
mod table;

use std::path::Path;

pub use environment::{Strain, busy_cores, capture_environment, logical_cores};
pub(crate) use journal::read_entries;
pub use journal::{Entry, Journal};
pub(crate) use layout::assemble;
pub use layout::{Located, RunFolder, locate, sort_out};

use record::RunData;

/// Reads a run folder back, finished or not.
pub fn open_run(dir: &Path) -> miette::Result<RunData> {
    RunFolder::open(dir)?.read()
}

/// Writes a file so that it is either there whole or not at all.
pub fn write_atomically(path: &Path, content: &[u8]) -> miette::Result<()> {
    let failed = |error: std::io::Error| {
        miette::miette!(
            help = "is there room on the disk, and may the folder be written?",
            "{} could not be written: {error}",
            path.display()
        )
    };
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mut file = tempfile::Builder::new().prefix(".parade-").tempfile_in(folder).map_err(failed)?;
    std::io::Write::write_all(&mut file, content).map_err(failed)?;
    file.as_file().sync_all().map_err(failed)?;
    let file = file.persist(path).map_err(|error| failed(error.error))?;
    make_readable(&file).map_err(failed)?;
    sync_folder(folder).map_err(failed)
}

/// Temporary files are private to their owner; results are not.
fn make_readable(file: &std::fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

/// A rename is durable only once its folder is.
fn sync_folder(folder: &Path) -> std::io::Result<()> {
    std::fs::File::open(folder)?.sync_all()
}
