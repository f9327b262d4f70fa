//! `trials.csv`: one row per measured trial, for people and for other tools. Numbers are not rounded: the report's tables can be
//! computed again from them.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use miette::miette;

use super::record::{Phase, RunData, StageRecord, SubjectRecord, TrialRecord};
use crate::csv_cells;
use crate::suite::RunEnd;

const COLUMNS: [&str; 49] = [
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
    "stage_ends",
    "lost_in_stages",
    "outcomes_hash",
    "findings",
    "forks",
    "threads",
    "modules_at_once",
    "engine",
    "jdk",
    "maven",
    "load_after",
    "load_during",
    "subject_tests",
    "subject_classes",
    "subject_modules",
    "subject_set_aside",
    "subject_deviations",
];

/// Writes the measured trials in the order in which they ended.
pub fn write(path: &Path, run: &RunData) -> miette::Result<()> {
    let subjects: HashMap<&str, &SubjectRecord> = run.subjects.iter().map(|s| (s.subject.as_str(), s)).collect();
    let measured = run.trials.iter().filter(|trial| trial.phase == Phase::Measured);
    let records = measured.map(|trial| {
        let cells = of_the_trial(trial).into_iter().chain(of_its_stages(trial));
        cells.chain(of_its_subject(subjects.get(trial.subject.as_str())))
    });
    let bytes = csv_cells::of_records(COLUMNS, records).map_err(|error| miette!("{}: {error}", path.display()))?;
    super::write_atomically(path, &bytes)
}

fn some<T: ToString>(value: Option<T>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

fn of_the_trial(trial: &TrialRecord) -> [String; 32] {
    [
        trial.trial.clone(),
        trial.subject.clone(),
        trial.configuration.clone(),
        trial.cores.to_string(),
        trial.repetition.to_string(),
        trial.verdict.name().to_owned(),
        trial.cost.wall_seconds.to_string(),
        (trial.cost.user_seconds + trial.cost.system_seconds).to_string(),
        some(trial.cost.peak_memory_bytes),
        trial.tally.ran().to_string(),
        trial.tally.passed.to_string(),
        trial.tally.failed.to_string(),
        trial.tally.errors.to_string(),
        trial.tally.skipped.to_string(),
        trial.concurrency.mean.to_string(),
        trial.concurrency.max.to_string(),
        trial.tally.timed_out.to_string(),
        trial.tally.crashed.to_string(),
        trial.tally.not_run.to_string(),
        trial.test_seconds.to_string(),
        trial.makespan_seconds.to_string(),
        trial.cost.user_seconds.to_string(),
        trial.cost.system_seconds.to_string(),
        trial.stages.len().to_string(),
        per_stage(trial, |stage| stage.failures_after.to_string()),
        trial.technique.clone(),
        trial.mode.to_string(),
        trial.started_at.to_string(),
        some(trial.load_before),
        some(trial.revision.as_deref()),
        some(trial.reason.as_deref()),
        some(trial.provenance.as_ref().map(|provenance| provenance.run.as_str())),
    ]
}

/// What the judgement of a trial rests on besides.
fn of_its_stages(trial: &TrialRecord) -> [String; 12] {
    let given = trial.stages.first().map(|stage| stage.parallelism);
    let findings: BTreeSet<&str> = trial.findings.iter().map(|finding| finding.kind.name()).collect();
    [
        per_stage(trial, |stage| end(stage).to_owned()),
        per_stage(trial, |stage| stage.tally.not_run.to_string()),
        some(trial.outcomes_hash.as_deref()),
        findings.into_iter().collect::<Vec<_>>().join(" "),
        some(given.map(|given| given.forks.on(trial.cores))),
        some(given.map(|given| given.threads_at_once(trial.cores))),
        some(given.map(|given| given.modules_on(trial.cores))),
        some(trial.engine),
        some(trial.jdk.as_deref()),
        some(trial.maven.as_deref()),
        some(trial.load_after),
        some(trial.load_during),
    ]
}

fn of_its_subject(subject: Option<&&SubjectRecord>) -> [String; 5] {
    let count = |of: fn(&SubjectRecord) -> usize| some(subject.map(|subject| of(subject)));
    [
        count(|subject| subject.tests),
        count(|subject| subject.classes),
        count(|subject| subject.modules.len()),
        count(|subject| subject.set_aside.len()),
        count(|subject| subject.deviations.len()),
    ]
}

/// A value of each stage, separated by blanks.
fn per_stage(trial: &TrialRecord, of: impl Fn(&StageRecord) -> String) -> String {
    trial.stages.iter().map(of).collect::<Vec<_>>().join(" ")
}

fn end(stage: &StageRecord) -> &'static str {
    match stage.end {
        RunEnd::Finished => "finished",
        RunEnd::TimedOut => "timed_out",
        RunEnd::Crashed(_) => "crashed",
        RunEnd::BuildFailed(_) => "build_failed",
        RunEnd::Interrupted => "interrupted",
    }
}
