//! `parade merge`: runs of one experiment from several machines, joined into one that is reported like any other.

use std::path::PathBuf;
use std::process::ExitCode;

use parade::report::render::terminal;
use parade::report::{self, Analysis};
use parade::store::{self, Merged, Overlap};
use serde_json::json;

use super::output::{one_line, pretty, print};
use super::report::terminal_style;

pub struct MergeOptions {
    pub runs: Vec<PathBuf>,
    pub out: PathBuf,
    /// Runs that have the same subjects are further repetitions of each other.
    pub repetitions: bool,
    pub json: bool,
}

pub fn run(options: &MergeOptions) -> miette::Result<ExitCode> {
    let overlap = if options.repetitions { Overlap::FurtherRepetitions } else { Overlap::Refuse };
    let merged = store::merge(&options.runs, &options.out, overlap)?;
    let run = merged.folder.read()?;
    let analysis = Analysis::checked(&run, &merged.folder.totals(&run));
    let page = report::write_all(&analysis, merged.folder.dir())?;
    if options.json {
        print(&pretty(&document(&merged))?)?;
        return Ok(ExitCode::SUCCESS);
    }
    print(&terminal::render(&analysis, terminal_style()))?;
    print(&format!("\n{} trials of {} runs in {}\n", merged.trials, merged.runs.len(), merged.folder.dir().display()))?;
    for note in &merged.notes {
        print(&format!("note: {}\n", one_line(note)))?;
    }
    print(&format!("Report: {}\n", page.display()))?;
    Ok(ExitCode::SUCCESS)
}

fn document(merged: &Merged) -> serde_json::Value {
    let runs: Vec<_> = merged
        .runs
        .iter()
        .map(|run| json!({"run": run.run, "host": run.host, "started_at": run.started_at, "parade": run.parade}))
        .collect();
    json!({"run_dir": merged.folder.dir(), "trials": merged.trials, "runs": runs, "notes": merged.notes})
}
