//! What happened, kept: run folders, the journal, the environment of a run, and frames of executions.
//!
//! A trial's executions are on disk before its line is in the journal, and the journal is synced after every line: whatever
//! ends a run, at most the trial that was running is lost. Nothing else in parade reads or writes these files.

mod environment;
mod executions;
mod export;
mod frames;
mod integrity;
mod journal;
mod layout;
mod merge;
mod open_run;
mod order_records;
mod profile_files;
pub mod record;
mod table;

use std::path::Path;

pub use environment::{Strain, busy_cores, capture_environment, logical_cores};
pub use executions::{RowTotals, StageTotals, TestTime, TestTimes, TrialExecutions, TrialTotals, failed_in_baseline};
pub use export::{Rewrite, TEST, export, export_rewritten};
pub use integrity::UNCHAINED;
pub use journal::read_entries;
pub use journal::{Entry, Journal, JournalDoubts, SourceEnd};
pub use layout::assemble;
pub use layout::{Located, Recorded, RunFolder, locate};
pub use merge::{Merged, Overlap, merge};
pub use open_run::OpenRun;
pub use order_records::OrderRecords;
pub use profile_files::{ProfileFiles, TestDuration};

pub use crate::whole_file::sync_folder;
pub use crate::whole_file::write_atomically;

use record::RunData;

/// Reads a run folder back, finished or not.
pub fn open_run(dir: &Path) -> miette::Result<RunData> {
    RunFolder::open(dir)?.read()
}
