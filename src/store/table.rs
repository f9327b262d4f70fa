//! `trials.csv`: one row per measured trial, for people and for other tools.

use std::path::Path;

use miette::IntoDiagnostic;

use super::record::{Phase, TrialRecord};

const COLUMNS: [&str; 32] = [
    "trial",
    "subject",
    "configuration",
    "cores",
    "repetition",
    "verdict",
    "wall_seconds",
    "cpu_seconds",
    "peak_memory_bytes",
    "tests",
    "passed",
    "failed",
    "errors",
    "skipped",
    "concurrency",
    "concurrency_max",
    "timed_out",
    "crashed",
    "not_run",
    "test_seconds",
    "makespan_seconds",
    "user_seconds",
    "system_seconds",
    "stages",
    "failures_after_stages",
    "technique",
    "mode",
    "started_at",
    "load_before",
    "revision",
    "reason",
    "origin",
];

/// Writes the measured trials in the order in which they ended.
pub fn write(path: &Path, trials: &[TrialRecord]) -> miette::Result<()> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS).into_diagnostic()?;
    for trial in trials.iter().filter(|trial| trial.phase == Phase::Measured) {
        writer.write_record(row(trial)).into_diagnostic()?;
    }
    let bytes = writer.into_inner().map_err(|error| miette::miette!("{}: {error}", path.display()))?;
    super::write_atomically(path, &bytes)
}

fn row(trial: &TrialRecord) -> [String; COLUMNS.len()] {
    let seconds = |value: f64| format!("{value:.6}");
    let some = |value: Option<String>| value.unwrap_or_default();
    let after: Vec<_> = trial.stages.iter().map(|stage| stage.failures_after.to_string()).collect();
    [
        trial.trial.clone(),
        trial.subject.clone(),
        trial.configuration.clone(),
        trial.cores.to_string(),
        trial.repetition.to_string(),
        trial.verdict.name().to_owned(),
        seconds(trial.cost.wall_seconds),
        seconds(trial.cost.user_seconds + trial.cost.system_seconds),
        some(trial.cost.peak_memory_bytes.map(|bytes| bytes.to_string())),
        trial.tally.ran().to_string(),
        trial.tally.passed.to_string(),
        trial.tally.failed.to_string(),
        trial.tally.errors.to_string(),
        trial.tally.skipped.to_string(),
        format!("{:.3}", trial.concurrency.mean),
        trial.concurrency.max.to_string(),
        trial.tally.timed_out.to_string(),
        trial.tally.crashed.to_string(),
        trial.tally.not_run.to_string(),
        seconds(trial.test_seconds),
        seconds(trial.makespan_seconds),
        seconds(trial.cost.user_seconds),
        seconds(trial.cost.system_seconds),
        trial.stages.len().to_string(),
        after.join(" "),
        trial.technique.clone(),
        trial.mode.to_string(),
        trial.started_at.to_string(),
        some(trial.load_before.map(|load| format!("{load:.2}"))),
        some(trial.revision.clone()),
        some(trial.reason.clone()),
        some(trial.provenance.as_ref().map(|provenance| provenance.run.clone())),
    ]
}
