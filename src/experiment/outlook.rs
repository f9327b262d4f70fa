//! What an experiment will cost and what it can show, before anything has run.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::Serialize;

use super::warnings::warnings;
use super::{Configuration, Experiment, Harness, Origin, Plan, Subject, TechniqueKind};
use crate::engine::Parallelism;
use crate::stats;
use crate::subject::redact;

/// The usual level of significance.
pub(super) const SIGNIFICANT: f64 = 0.05;

/// What `parade check` tells; its JSON is this, field by field.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Outlook {
    pub experiment: String,
    pub study: Option<String>,
    /// Measured ones.
    pub trials: usize,
    /// Unmeasured runs before the measured ones: `warmup` of every subject, configuration and core count.
    pub warmup: u64,
    /// Sequential runs before everything: `screening` of every subject.
    pub screening: u64,
    pub repetitions: u32,
    pub cores: Vec<usize>,
    pub seed: u64,
    pub baseline: String,
    pub subjects: Vec<SubjectOutlook>,
    pub configurations: Vec<ConfigurationOutlook>,
    /// The smallest p-value that the subject with the fewest repetitions can reach.
    pub smallest_p: f64,
    pub smallest_p_by_subject: BTreeMap<String, f64>,
    /// If everything ran into its time-out, builds included.
    pub at_most_seconds: u64,
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SubjectOutlook {
    pub name: String,
    /// As the file has it, but without passwords: url, path or model file.
    pub source: String,
    /// The commit, tag or branch, where there is one.
    pub revision: Option<String>,
    pub repetitions: u32,
    pub configurations: Vec<String>,
    pub trials: usize,
    pub smallest_p: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConfigurationOutlook {
    pub name: String,
    pub technique: TechniqueKind,
    pub parallelism: Parallelism,
    pub harness: Harness,
}

impl Outlook {
    pub fn of(experiment: &Experiment, plan: &Plan) -> Self {
        let planned = |subject: &&Subject| plan.trials.iter().any(|trial| trial.subject == subject.name);
        let subjects: Vec<_> = experiment
            .subjects
            .iter()
            .filter(planned)
            .map(|subject| SubjectOutlook::of(experiment, subject, plan))
            .collect();
        let cells = cells(plan).len() as u64;
        Outlook {
            experiment: experiment.name.clone(),
            study: experiment.study.clone(),
            trials: plan.trials.len(),
            warmup: u64::from(experiment.warmup) * cells,
            screening: u64::from(experiment.screening) * subjects.len() as u64,
            repetitions: experiment.repetitions,
            cores: experiment.machine.cores.clone(),
            seed: experiment.seed,
            baseline: experiment.baseline.clone(),
            configurations: experiment.configurations.iter().map(ConfigurationOutlook::of).collect(),
            smallest_p: subjects.iter().map(|subject| subject.smallest_p).fold(0.0, f64::max),
            smallest_p_by_subject: subjects.iter().map(|subject| (subject.name.clone(), subject.smallest_p)).collect(),
            at_most_seconds: upper_bound(experiment, plan).as_secs(),
            warnings: warnings(experiment),
            subjects,
        }
    }
}

impl SubjectOutlook {
    fn of(experiment: &Experiment, subject: &Subject, plan: &Plan) -> Self {
        let cells = cells(plan);
        SubjectOutlook {
            name: subject.name.clone(),
            source: redact(&subject.source),
            revision: match &subject.origin {
                Origin::Git { revision, .. } => Some(revision.clone()),
                Origin::Folder { .. } | Origin::Model { .. } => None,
            },
            repetitions: subject.repetitions,
            configurations: experiment
                .configurations_of(subject)
                .map(|each| each.name.clone())
                .filter(|name| cells.iter().any(|cell| cell.0 == subject.name && cell.1 == name.as_str()))
                .collect(),
            trials: plan.trials.iter().filter(|trial| trial.subject == subject.name).count(),
            smallest_p: smallest_p(subject.repetitions),
        }
    }
}

impl ConfigurationOutlook {
    fn of(configuration: &Configuration) -> Self {
        ConfigurationOutlook {
            name: configuration.name.clone(),
            technique: configuration.technique,
            parallelism: configuration.parallelism,
            harness: configuration.harness,
        }
    }
}

/// The smallest p-value of an exact two-sided Wilcoxon signed-rank test of so many pairs: when all differences have one
/// sign, 2 of the 2ⁿ possible assignments of signs are as extreme.
pub fn smallest_p(pairs: u32) -> f64 {
    stats::smallest_reachable_p(pairs as usize)
}

/// The pairs that it takes to reach a level of significance, were Holm's correction for so many tests applied.
pub fn repetitions_needed(level: f64, tests: usize) -> u32 {
    stats::pairs_needed(tests, level).and_then(|pairs| u32::try_from(pairs).ok()).unwrap_or(1000)
}

/// What is planned, but for the repetitions.
fn cells(plan: &Plan) -> BTreeSet<(&str, &str, usize)> {
    plan.trials.iter().map(|trial| (trial.subject.as_str(), trial.configuration.as_str(), trial.cores)).collect()
}

/// Everything up to its time-out: no run takes longer.
fn upper_bound(experiment: &Experiment, plan: &Plan) -> Duration {
    let limit = |subject: &str, configuration: &str| {
        let found = experiment.subject(subject).zip(experiment.configuration(configuration));
        found.map_or(0, |(subject, configuration)| experiment.time_limit(subject, configuration).as_secs())
    };
    let measured = plan.trials.iter().map(|trial| limit(&trial.subject, &trial.configuration));
    let warmup = cells(plan).into_iter().map(|cell| limit(cell.0, cell.1).saturating_mul(experiment.warmup.into()));
    let planned: BTreeSet<&str> = plan.trials.iter().map(|trial| trial.subject.as_str()).collect();
    let before = planned.into_iter().filter_map(|name| experiment.subject(name)).map(|subject| {
        let builds = !matches!(subject.origin, Origin::Model { .. });
        let build = if builds { experiment.machine.build_timeout.as_secs() } else { 0 };
        subject.timeout.as_secs().saturating_mul(experiment.screening.into()).saturating_add(build)
    });
    Duration::from_secs(measured.chain(warmup).chain(before).fold(0, u64::saturating_add))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_pairs_cannot_be_significant_and_six_can() {
        assert_eq!(smallest_p(5), 0.0625);
        assert_eq!(smallest_p(6), 0.03125);
        assert_eq!(smallest_p(1), 1.0);
        assert_eq!(smallest_p(0), 1.0);
        assert_eq!(repetitions_needed(SIGNIFICANT, 1), 6);
        assert_eq!(repetitions_needed(SIGNIFICANT, 25), 10);
    }
}
