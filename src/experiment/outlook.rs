//! What an experiment will cost and what it can show, before anything has run.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use super::warnings::warnings;
use super::{Configuration, Experiment, Origin, Plan, Subject, TechniqueKind};
use crate::engine::Parallelism;

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
    /// As the file has it: url, path or model file.
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
}

impl Outlook {
    pub fn of(experiment: &Experiment, plan: &Plan) -> Self {
        let subjects: Vec<_> =
            experiment.subjects.iter().map(|subject| SubjectOutlook::of(experiment, subject, plan)).collect();
        let cells: u64 = subjects
            .iter()
            .map(|subject| subject.configurations.len() as u64 * experiment.machine.cores.len() as u64)
            .sum();
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
            at_most_seconds: upper_bound(experiment).as_secs(),
            warnings: warnings(experiment),
            subjects,
        }
    }
}

impl SubjectOutlook {
    fn of(experiment: &Experiment, subject: &Subject, plan: &Plan) -> Self {
        SubjectOutlook {
            name: subject.name.clone(),
            source: subject.source.clone(),
            revision: match &subject.origin {
                Origin::Git { revision, .. } => Some(revision.clone()),
                Origin::Folder { .. } | Origin::Model { .. } => None,
            },
            repetitions: subject.repetitions,
            configurations: experiment.configurations_of(subject).map(|each| each.name.clone()).collect(),
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
        }
    }
}

/// The smallest p-value of an exact two-sided Wilcoxon signed-rank test of so many pairs: when all differences have one
/// sign, 2 of the 2ⁿ possible assignments of signs are as extreme.
pub fn smallest_p(pairs: u32) -> f64 {
    2.0 * 0.5_f64.powi(i32::try_from(pairs).unwrap_or(i32::MAX)).min(0.5)
}

/// The pairs that it takes to reach a level of significance, were Holm's correction for so many tests applied.
pub fn repetitions_needed(level: f64, tests: usize) -> u32 {
    let wanted = level / tests.max(1) as f64;
    (1..=1000).find(|&pairs| smallest_p(pairs) <= wanted).unwrap_or(1000)
}

/// Everything up to its time-out: no run takes longer.
fn upper_bound(experiment: &Experiment) -> Duration {
    let cores = experiment.machine.cores.len() as u32;
    let mut seconds: u64 = 0;
    for subject in &experiment.subjects {
        let runs_of_a_cell = cores * (subject.repetitions + experiment.warmup);
        for configuration in experiment.configurations_of(subject) {
            let limit = experiment.time_limit(subject, configuration);
            seconds = seconds.saturating_add(limit.as_secs() * u64::from(runs_of_a_cell));
        }
        seconds = seconds.saturating_add(subject.timeout.as_secs() * u64::from(experiment.screening));
        if !matches!(subject.origin, Origin::Model { .. }) {
            seconds = seconds.saturating_add(experiment.machine.build_timeout.as_secs());
        }
    }
    Duration::from_secs(seconds)
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
