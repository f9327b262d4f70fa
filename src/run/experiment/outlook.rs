//! What an experiment will cost and what it can show, before anything has run.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::Serialize;

use super::versions::SOUGHT;
use super::warnings::warnings;
use super::{Configuration, Experiment, Plan};
use crate::engine::{EngineKind, Parallelism};
use crate::project::only_engine;
use crate::redaction::redact;
use crate::spec::{Origin, Subject, Version};
use crate::stats;
use crate::technique::{Harness, Ordering, TechniqueKind};

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
    /// If everything ran into its time-out, builds included. Model suites take no time.
    pub at_most_seconds: u64,
    /// Are versions of a subject still to be sought? Then all counts are the most that there can be.
    pub versions_sought: bool,
    /// What is found out before orders of algorithms are evaluated.
    pub knowledge: Option<KnowledgeOutlook>,
    pub warnings: Vec<String>,
}

/// What algorithms have to know, and how it is found out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KnowledgeOutlook {
    /// As the file names them: what is known is of the first version of each.
    pub subjects: Vec<String>,
    pub coverage: bool,
    /// Are dependencies sought for enhanced orders, or read from files?
    pub dependencies_sought: bool,
    /// Random orders on every version.
    pub rounds: u32,
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
    /// Its name in the study's tables.
    pub label: Option<String>,
    /// Which of several versions it is.
    pub version: Option<Version>,
    /// Why it is taken for what the study had.
    pub inferred: Option<String>,
    /// Does a generator write its tests?
    pub generated: bool,
    /// Is it a model suite? Its times are virtual.
    pub model: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConfigurationOutlook {
    pub name: String,
    pub technique: TechniqueKind,
    pub parallelism: Parallelism,
    /// Where all its subjects have the same engine and no other, its engines are that one.
    pub harness: Harness,
    /// Does it run on model suites?
    pub runs_models: bool,
    /// Engines of subjects that have no other, whatever the configuration asks for.
    pub only_engines: BTreeSet<EngineKind>,
    /// May Maven projects be among its subjects?
    #[serde(skip)]
    pub runs_java: bool,
    /// Of algorithms.
    pub ordering: Option<Ordering>,
}

impl Outlook {
    pub fn of(experiment: &Experiment, plan: &Plan) -> Self {
        // The first version of a subject has no trials, but is prepared for those of the others.
        let families: BTreeSet<&str> =
            plan.trials.iter().filter_map(|trial| experiment.subject(&trial.subject)).map(Subject::family).collect();
        let planned = |subject: &&Subject| families.contains(subject.family());
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
            configurations: experiment
                .configurations
                .iter()
                .map(|each| ConfigurationOutlook::of(experiment, each, plan))
                .collect(),
            smallest_p: subjects.iter().map(|subject| subject.smallest_p).fold(0.0, f64::max),
            smallest_p_by_subject: subjects.iter().map(|subject| (subject.name.clone(), subject.smallest_p)).collect(),
            at_most_seconds: upper_bound(experiment, plan).as_secs(),
            versions_sought: subjects.iter().any(|subject| subject.revision.as_deref() == Some(SOUGHT)),
            knowledge: KnowledgeOutlook::of(experiment, plan),
            warnings: warnings(experiment, plan),
            subjects,
        }
    }
}

impl KnowledgeOutlook {
    fn of(experiment: &Experiment, plan: &Plan) -> Option<Self> {
        let ordered = |name: &str| experiment.configuration(name).and_then(|each| each.ordering);
        let mut outlook = KnowledgeOutlook {
            subjects: Vec::new(),
            coverage: false,
            dependencies_sought: false,
            rounds: experiment.regression.rounds,
        };
        for trial in &plan.trials {
            let (Some(ordering), Some(subject)) = (ordered(&trial.configuration), experiment.subject(&trial.subject))
            else {
                continue;
            };
            if !outlook.subjects.iter().any(|known| known == subject.family()) {
                outlook.subjects.push(subject.family().to_owned());
            }
            outlook.coverage |= ordering.algorithm.needs_coverage();
            outlook.dependencies_sought |= ordering.enhanced && subject.dependencies.is_none();
        }
        outlook.subjects.sort();
        (!outlook.subjects.is_empty()).then_some(outlook)
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
            label: subject.label.clone(),
            version: subject.version.clone(),
            inferred: subject.inferred.clone(),
            generated: subject.generator.is_some(),
            model: subject.is_model(),
        }
    }
}

impl ConfigurationOutlook {
    fn of(experiment: &Experiment, configuration: &Configuration, plan: &Plan) -> Self {
        let own = plan.trials.iter().filter(|trial| trial.configuration == configuration.name);
        let subjects: Vec<&Subject> = own.filter_map(|trial| experiment.subject(&trial.subject)).collect();
        let engines: BTreeSet<Option<EngineKind>> = subjects.iter().map(|subject| only_engine(subject)).collect();
        let only = match (engines.len(), engines.first()) {
            (1, Some(only)) => *only,
            _ => None,
        };
        let of_one = |engine| Harness { engine, rerun_engine: engine, ..configuration.harness };
        ConfigurationOutlook {
            name: configuration.name.clone(),
            technique: configuration.technique,
            parallelism: configuration.parallelism,
            harness: only.map_or(configuration.harness, of_one),
            runs_models: engines.contains(&Some(EngineKind::Model)),
            runs_java: engines.contains(&None),
            only_engines: engines.into_iter().flatten().collect(),
            ordering: configuration.ordering,
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

/// Everything up to its time-out: no run takes longer. Virtual time takes none.
fn upper_bound(experiment: &Experiment, plan: &Plan) -> Duration {
    let limit = |subject: &str, configuration: &str| {
        let timed = experiment.subject(subject).filter(|subject| !subject.is_model());
        let found = timed.zip(experiment.configuration(configuration));
        found.map_or(0, |(subject, configuration)| experiment.time_limit(subject, configuration).as_secs())
    };
    let measured = plan.trials.iter().map(|trial| limit(&trial.subject, &trial.configuration));
    let warmup = cells(plan).into_iter().map(|cell| limit(cell.0, cell.1).saturating_mul(experiment.warmup.into()));
    let families: BTreeSet<&str> =
        plan.trials.iter().filter_map(|trial| experiment.subject(&trial.subject)).map(Subject::family).collect();
    let prepared = |subject: &&Subject| families.contains(subject.family()) && !subject.is_model();
    let before = experiment.subjects.iter().filter(prepared).map(|subject| {
        let screening = subject.timeout.as_secs().saturating_mul(experiment.screening.into());
        screening.saturating_add(experiment.machine.build_timeout.as_secs())
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
