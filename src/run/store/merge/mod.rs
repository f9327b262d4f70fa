//! Joins runs of one experiment, of one machine or several, into a run folder that is read like any other.
//!
//! Every trial says which run it comes from. A pair of baseline and candidate is never put together from two runs: a
//! subject on a number of cores comes from one run only, or its blocks are numbered on, run after run. The runs
//! themselves are read and left as they are; the new folder appears under its name only when it is whole. Nothing is
//! measured and nothing averaged here.

mod agreement;
mod blocks;
mod input;
mod output;

use std::path::{Path, PathBuf};

use super::record::MergedRun;
use super::{RunFolder, write_atomically};
use crate::bad_usage::BadUsage;
use crate::draft;
use input::Input;

/// What happens to a subject that several runs have on the same number of cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overlap {
    Refuse,
    /// The blocks of each further run count as further repetitions.
    FurtherRepetitions,
}

/// A run made of others.
#[derive(Debug)]
pub struct Merged {
    pub folder: RunFolder,
    pub runs: Vec<MergedRun>,
    /// Measured trials.
    pub trials: usize,
    /// What was left out, or has to be known, a sentence each.
    pub notes: Vec<String>,
}

/// Merges runs into a new folder.
pub fn merge(runs: &[PathBuf], out: &Path, overlap: Overlap) -> miette::Result<Merged> {
    draft::check_free(out)?;
    let inputs = Input::read_all(runs)?;
    inputs.iter().try_for_each(|input| draft::check_outside(out, input.folder.dir()))?;
    agreement::check(&inputs, overlap)?;
    let shares = blocks::distribute(&inputs, overlap)?;
    output::write(&inputs, &shares, out)
}

/// What cannot be merged, reason by reason.
fn refusal(why: &str, reasons: &[String], help: &str) -> miette::Report {
    const LISTED: usize = 8;
    let mut lines: Vec<String> = reasons.iter().take(LISTED).map(|reason| format!("\n  - {reason}")).collect();
    if let Some(more) = reasons.len().checked_sub(LISTED).filter(|more| *more > 0) {
        lines.push(format!("\n  - and {more} more"));
    }
    BadUsage { message: format!("{why}:{}", lines.concat()), help: help.to_owned() }.into()
}
