//! Where the trials of a merged run were measured. A run that was not merged has no rows.

use std::collections::BTreeSet;

use serde::Serialize;

use super::warnings::{Warning, WarningKind};
use crate::store::record::{MergedRun, Phase, RunData, TrialRecord};
use crate::wording::plural;

/// What one run gave to a subject.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct OriginRow {
    pub subject: String,
    /// The name of the run's folder.
    pub run: String,
    pub host: String,
    pub processor: String,
    pub logical_cores: usize,
    pub jdk: Option<String>,
    pub parade: String,
    /// Measured trials.
    pub trials: usize,
    /// The numbers of cores that they ran on.
    pub cores: String,
    /// The first and the last block, as the merged run numbers them.
    pub first_block: u32,
    pub last_block: u32,
}

pub(super) fn rows(run: &RunData) -> Vec<OriginRow> {
    let subjects = &run.manifest.subjects;
    let pairs = subjects.iter().flat_map(|subject| run.manifest.merged.iter().map(move |origin| (subject, origin)));
    pairs.filter_map(|(subject, origin)| row(run, subject, origin)).collect()
}

fn row(run: &RunData, subject: &str, origin: &MergedRun) -> Option<OriginRow> {
    let is_of = |trial: &&TrialRecord| {
        let from = trial.provenance.as_ref().map(|provenance| provenance.run.as_str());
        trial.phase == Phase::Measured && trial.subject == subject && from == Some(origin.run.as_str())
    };
    let trials: Vec<&TrialRecord> = run.trials.iter().filter(is_of).collect();
    let cores: BTreeSet<usize> = trials.iter().map(|trial| trial.cores).collect();
    Some(OriginRow {
        subject: subject.to_owned(),
        run: origin.run.clone(),
        host: origin.host.clone(),
        processor: origin.environment.cpu_model.clone(),
        logical_cores: origin.environment.logical_cores,
        jdk: trials.iter().find_map(|trial| trial.jdk.clone()),
        parade: origin.parade.clone(),
        trials: trials.len(),
        cores: cores.iter().map(usize::to_string).collect::<Vec<_>>().join(" "),
        first_block: trials.iter().map(|trial| trial.repetition).min()?,
        last_block: trials.iter().map(|trial| trial.repetition).max()?,
    })
}

/// A merged run says so, and which subjects have repetitions from several of them.
pub(super) fn warning(run: &RunData, rows: &[OriginRow]) -> Option<Warning> {
    if run.manifest.merged.is_empty() {
        return None;
    }
    let mixed: BTreeSet<&str> = rows
        .iter()
        .filter(|row| rows.iter().filter(|other| other.subject == row.subject).count() > 1)
        .map(|row| row.subject.as_str())
        .collect();
    let runs = plural(run.manifest.merged.len(), "run");
    let part = if run.manifest.is_of_several_machines() { "machine" } else { "run" };
    let mut text = format!("merged from {runs}: times of different subjects may come from different {part}s");
    if !mixed.is_empty() {
        let subjects = plural(mixed.len(), "subject");
        text += &format!(
            "; repetitions of {subjects} come from several {part}s: baseline and candidate of a pair come from the same {part}, \
             but the spread of the times includes the difference between the {part}s"
        );
    }
    Some(Warning::of_run(WarningKind::Merged, text))
}
