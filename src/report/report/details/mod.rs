//! What the executions of single tests add to a report: how long each test took on its own and beside others, and what ran
//! where and when. Only a part of a large run is read; what is left out is said.

mod pairs;
mod timeline;

use std::path::Path;

pub use pairs::TestPairs;
pub use timeline::Timeline;

use super::Analysis;
use crate::store::record::{RunData, TrialRecord};
use crate::store::{RunFolder, TrialExecutions};

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Details {
    /// Per configuration: each test's time in the baseline beside its time in that configuration.
    pub pairs: Vec<TestPairs>,
    /// What the scatter of those pairs leaves out.
    pub pairs_note: Option<String>,
    /// The one that the page begins with is the first.
    pub timelines: Vec<Timeline>,
    /// Trials that there is no timeline of in the page.
    pub timelines_left_out: usize,
    /// The run is not finished, so its `tests.parquet` is not there yet.
    pub lacks_executions_file: bool,
}

impl Details {
    /// Reads them from a run folder. What cannot be read is left out: a report does not depend on it.
    pub fn read(analysis: &Analysis, run_dir: &Path) -> miette::Result<Details> {
        let source = Source { folder: RunFolder::open(run_dir)?, run: crate::store::open_run(run_dir)? };
        let (pairs, pairs_note) = pairs::read(analysis, &source);
        let (timelines, timelines_left_out) = timeline::read(analysis, &source);
        let lacks_executions_file = !run_dir.join("tests.parquet").is_file();
        Ok(Details { pairs, pairs_note, timelines, timelines_left_out, lacks_executions_file })
    }
}

/// The timeline of one trial, whole.
pub fn timeline_of(run_dir: &Path, trial: &str) -> miette::Result<Option<Timeline>> {
    let source = Source { folder: RunFolder::open(run_dir)?, run: crate::store::open_run(run_dir)? };
    let Some(record) = source.run.trials.iter().find(|record| record.trial == trial) else { return Ok(None) };
    let executions = source.folder.executions(trial, timeline::MOST_BARS)?;
    Ok(Some(Timeline::of(record, &executions)))
}

/// Where executions are read from.
struct Source {
    folder: RunFolder,
    run: RunData,
}

impl Source {
    fn executions(&self, record: &TrialRecord) -> Option<TrialExecutions> {
        let executions = self.folder.executions(&record.trial, timeline::MOST_BARS).ok();
        executions.filter(|executions| !executions.rows.is_empty())
    }
}
