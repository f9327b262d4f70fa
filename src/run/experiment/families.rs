//! Which comparisons with the baseline are corrected together. The check before a run and the report after it both ask here.

use std::collections::{BTreeMap, BTreeSet};

use super::{Experiment, Plan};

/// Holm's correction is over one of these: one configuration on one number of cores, over the subjects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ComparisonFamily<'a> {
    pub configuration: &'a str,
    pub cores: usize,
}

/// The members of each family, in the order in which they came.
pub fn by_family<'a, T>(
    comparisons: impl IntoIterator<Item = (ComparisonFamily<'a>, T)>,
) -> BTreeMap<ComparisonFamily<'a>, Vec<T>> {
    let mut families: BTreeMap<ComparisonFamily<'a>, Vec<T>> = BTreeMap::new();
    for (family, comparison) in comparisons {
        families.entry(family).or_default().push(comparison);
    }
    families
}

/// The subjects that a plan will compare with the baseline, by family. Orders of algorithms have no times to compare.
pub(super) fn planned_families<'a>(
    experiment: &'a Experiment,
    plan: &'a Plan,
) -> BTreeMap<ComparisonFamily<'a>, Vec<&'a str>> {
    let is_timed = |name: &str| experiment.configuration(name).is_some_and(|each| each.ordering.is_none());
    let mut cells: BTreeSet<(ComparisonFamily<'a>, &'a str)> = BTreeSet::new();
    for trial in &plan.trials {
        let family = ComparisonFamily { configuration: &trial.configuration, cores: trial.cores };
        cells.insert((family, &trial.subject));
    }
    let mut compared = Vec::new();
    for (family, subject) in &cells {
        let baseline = ComparisonFamily { configuration: &experiment.baseline, cores: family.cores };
        let is_baseline = family.configuration == experiment.baseline;
        if !is_baseline && is_timed(family.configuration) && cells.contains(&(baseline, subject)) {
            compared.push((*family, *subject));
        }
    }
    by_family(compared)
}
