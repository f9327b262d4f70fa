//! What a run took, from its records and its files: the time and the disk that a reviewer has to count with.

use crate::experiment::Trial;
use crate::folders;
use crate::home::Home;
use crate::store::RunFolder;
use crate::store::record::{Phase, RunData, TrialRecord};
use crate::subject;

/// All of it.
#[derive(Debug, Clone, Default)]
pub(super) struct Costs {
    pub subjects: Vec<SubjectCost>,
    /// All trials, warm-up and screening too.
    pub all: Cost,
    /// Clone, build and discovery of all subjects together: from the start of the run to its first trial.
    pub preparation_seconds: Option<f64>,
    pub peak_memory_bytes: Option<u64>,
    pub records_bytes: Option<u64>,
    pub logs_bytes: Option<u64>,
    /// Clones and built worktrees, where parade's cache still has all of them.
    pub clones_bytes: Option<u64>,
    pub builds_bytes: Option<u64>,
    /// parade's Maven repository, as it is now.
    pub downloads_bytes: Option<u64>,
}

/// What a part of the run took. Seconds of the model engine are virtual and cost nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Cost {
    pub trials: usize,
    pub seconds: f64,
    pub virtual_seconds: f64,
    /// Logs and executions.
    pub bytes: u64,
}

#[derive(Debug, Clone)]
pub(super) struct SubjectCost {
    pub subject: String,
    pub cost: Cost,
}

impl Cost {
    pub fn add(&mut self, other: Cost) {
        self.trials += other.trials;
        self.seconds += other.seconds;
        self.virtual_seconds += other.virtual_seconds;
        self.bytes += other.bytes;
    }
}

impl Costs {
    pub fn of(run: &RunData, folder: &RunFolder, home: Option<&Home>) -> Self {
        let of_subject = |subject: &String| SubjectCost {
            subject: subject.clone(),
            cost: sum(run.trials.iter().filter(|trial| trial.subject == *subject), folder),
        };
        let parts = ["journal.jsonl", "manifest.json", "environment.json", "tests", "tests.parquet", "trials.csv"];
        Costs {
            subjects: run.manifest.subjects.iter().map(of_subject).collect(),
            all: sum(run.trials.iter(), folder),
            preparation_seconds: preparation_seconds(run),
            peak_memory_bytes: run.trials.iter().filter_map(|trial| trial.cost.peak_memory_bytes).max(),
            records_bytes: parts.iter().map(|part| folders::bytes(&folder.dir().join(part))).sum(),
            logs_bytes: folders::bytes(&folder.dir().join("logs")),
            clones_bytes: home.and_then(|home| kept_bytes(run, home, Kept::Clones)),
            builds_bytes: home.and_then(|home| kept_bytes(run, home, Kept::Builds)),
            downloads_bytes: home
                .filter(|_| run.manifest.merged.is_empty() && run.trials.iter().any(is_real))
                .and_then(|home| downloaded_bytes(run, home)),
        }
    }

    pub fn subject(&self, name: &str) -> Cost {
        self.subjects.iter().find(|each| each.subject == name).map(|each| each.cost).unwrap_or_default()
    }
}

/// What some trials took.
pub(super) fn sum<'a>(trials: impl Iterator<Item = &'a TrialRecord>, folder: &RunFolder) -> Cost {
    let mut total = Cost::default();
    for trial in trials {
        total.add(cost(trial, folder));
    }
    total
}

fn cost(trial: &TrialRecord, folder: &RunFolder) -> Cost {
    let (seconds, virtual_seconds) =
        if is_real(trial) { (trial.cost.wall_seconds, 0.0) } else { (0.0, trial.cost.wall_seconds) };
    Cost { trials: 1, seconds, virtual_seconds, bytes: folder.bytes_of(&trial.trial) }
}

/// A model suite has no JDK, and its virtual time passes in no time.
pub(super) fn is_real(trial: &TrialRecord) -> bool {
    trial.jdk.is_some()
}

/// Subjects are prepared before the first trial, screening apart. A run that was resumed, or merged, does not tell.
fn preparation_seconds(run: &RunData) -> Option<f64> {
    if !run.manifest.merged.is_empty() {
        return None;
    }
    let later = run.trials.iter().filter(|trial| trial.phase != Phase::Screening);
    let first = later.map(|trial| trial.started_at).min()?;
    let screening = run.trials.iter().filter(|trial| trial.phase == Phase::Screening && trial.started_at < first);
    let screened: f64 = screening.filter(|trial| is_real(trial)).map(|trial| trial.cost.wall_seconds).sum();
    let elapsed = first.duration_since(run.manifest.started_at).as_secs_f64();
    Some((elapsed - screened).max(0.0))
}

#[derive(Clone, Copy)]
enum Kept {
    Clones,
    Builds,
}

/// Nothing if something that was needed is not there any more: half a sum misleads.
fn kept_bytes(run: &RunData, home: &Home, what: Kept) -> Option<u64> {
    if !run.manifest.merged.is_empty() {
        return None;
    }
    let mut total = 0;
    for record in run.subjects.iter().filter(|record| record.jdk.is_some()) {
        let url = record.requested.as_ref().map(|_| record.origin.as_str());
        let (clone, build) = subject::kept(&record.subject, url, record.revision.as_deref()?, home);
        total += match (what, clone) {
            (Kept::Clones, Some(clone)) => folders::bytes(&clone)?,
            (Kept::Clones, None) => 0,
            (Kept::Builds, _) => folders::bytes(&build)?,
        };
    }
    Some(total)
}

/// What the run's subjects downloaded, each into a Maven repository of its own.
fn downloaded_bytes(run: &RunData, home: &Home) -> Option<u64> {
    let mut total = 0;
    for entry in std::fs::read_dir(home.subject_maven_repositories()).ok()?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_theirs = |subject: &String| name.rsplit_once('-').is_some_and(|(family, _)| family == subject);
        if run.manifest.subjects.iter().any(is_theirs) {
            total += folders::bytes(&entry.path())?;
        }
    }
    Some(total)
}

/// The mean real time of a cell's trials, if there are any.
pub(super) fn cell_seconds(run: &RunData, cell: &Trial) -> Option<f64> {
    let of_cell = |trial: &&TrialRecord| {
        trial.phase == Phase::Measured
            && (trial.subject.as_str(), trial.configuration.as_str(), trial.cores)
                == (cell.subject.as_str(), cell.configuration.as_str(), cell.cores)
    };
    let seconds =
        run.trials.iter().filter(of_cell).map(|trial| if is_real(trial) { trial.cost.wall_seconds } else { 0.0 });
    crate::stats::mean(&seconds.collect::<Vec<_>>())
}
