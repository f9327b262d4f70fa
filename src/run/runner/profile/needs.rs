//! What has to be known of a subject for the configurations that run on it. Pure.

use crate::experiment::{Experiment, Trial};
use crate::spec::Subject;
use crate::store::record::KnowledgeRecord;
use crate::technique::Ordering;
use crate::technique::algorithm::Algorithm;

/// The orders in which dependencies are sought where selections need them and nothing else gives orders.
const USUAL: [Algorithm; 6] =
    [Algorithm::T1, Algorithm::T2, Algorithm::T3, Algorithm::T4, Algorithm::P1, Algorithm::P2];
const USUAL_MACHINES: u32 = 2;

/// The configurations of a subject, in all its versions, that are orders of algorithms.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ProfileNeeds {
    /// With the names of the configurations.
    pub orderings: Vec<(String, Ordering)>,
    pub rounds: u32,
    /// Are dependencies in a file?
    pub has_file: bool,
}

/// Dependencies are sought in the orders of one algorithm for so many machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::runner) struct DependencySearch {
    pub algorithm: Algorithm,
    pub machines: u32,
}

impl DependencySearch {
    pub fn of(ordering: &Ordering) -> Self {
        let machines = if ordering.algorithm.is_parallel() { ordering.machines } else { 1 };
        DependencySearch { algorithm: ordering.algorithm, machines }
    }
}

impl ProfileNeeds {
    /// For these trials.
    pub fn of(experiment: &Experiment, trials: &[Trial], family: &str) -> Self {
        let here = |trial: &&Trial| experiment.subject(&trial.subject).is_some_and(|each| each.family() == family);
        let planned: std::collections::HashSet<&str> =
            trials.iter().filter(here).map(|trial| trial.configuration.as_str()).collect();
        let wanted = experiment.configurations.iter().filter(|each| planned.contains(each.name.as_str()));
        ProfileNeeds {
            orderings: wanted.filter_map(|each| Some((each.name.clone(), each.ordering?))).collect(),
            rounds: experiment.regression.rounds,
            has_file: experiment.versions_of(family).any(|subject: &Subject| subject.dependencies.is_some()),
        }
    }

    pub fn coverage(&self) -> bool {
        let declared = self.orderings.iter().any(|(_, ordering)| ordering.algorithm.needs_coverage());
        declared || self.searches().iter().any(|search| search.algorithm.needs_coverage())
    }

    /// Those of enhanced orders. Selections take what all others have shown, as nobody knows what they will select.
    pub fn searches(&self) -> Vec<DependencySearch> {
        let gives_all = |ordering: &Ordering| !ordering.algorithm.needs_change();
        let for_selection = self.orderings.iter().any(|(_, each)| each.enhanced && !gives_all(each));
        let wanted = self.orderings.iter().filter(|(_, each)| gives_all(each) && (each.enhanced || for_selection));
        let mut searches: Vec<DependencySearch> = wanted.map(|(_, each)| DependencySearch::of(each)).collect();
        if searches.is_empty() && for_selection {
            let machines = |algorithm: Algorithm| if algorithm.is_parallel() { USUAL_MACHINES } else { 1 };
            searches.extend(USUAL.map(|algorithm| DependencySearch { algorithm, machines: machines(algorithm) }));
        }
        searches.sort();
        searches.dedup();
        if self.has_file { Vec::new() } else { searches }
    }

    /// Is everything on record?
    pub fn are_met_by(&self, record: &KnowledgeRecord) -> bool {
        let sought = |search: &DependencySearch| {
            record
                .dependencies
                .iter()
                .any(|each| (each.algorithm, each.machines) == (search.algorithm, search.machines))
        };
        record.rounds == self.rounds && self.searches().iter().all(sought)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needs(orderings: &[(Algorithm, bool, u32)]) -> ProfileNeeds {
        let ordering = |&(algorithm, enhanced, machines): &(Algorithm, bool, u32)| {
            (String::new(), Ordering { algorithm, enhanced, machines })
        };
        ProfileNeeds { orderings: orderings.iter().map(ordering).collect(), rounds: 0, has_file: false }
    }

    fn searches(orderings: &[(Algorithm, bool, u32)]) -> Vec<(Algorithm, u32)> {
        needs(orderings).searches().iter().map(|search| (search.algorithm, search.machines)).collect()
    }

    #[test]
    fn dependencies_are_sought_for_enhanced_orders() {
        use Algorithm::{P2, S1, T1, T2};
        assert_eq!(searches(&[(T1, false, 1), (P2, false, 4)]), []);
        assert_eq!(
            searches(&[(T1, false, 1), (T2, true, 1), (P2, true, 4), (P2, true, 2)]),
            [(T2, 1), (P2, 2), (P2, 4)]
        );
        assert_eq!(searches(&[(T1, false, 1), (S1, true, 1)]), [(T1, 1)]);
        assert_eq!(searches(&[(S1, true, 1)]).len(), 6);
        let file = ProfileNeeds { has_file: true, ..needs(&[(T2, true, 1)]) };
        assert!(file.searches().is_empty() && file.coverage());
        assert!(!needs(&[(P2, true, 2)]).coverage());
    }
}
