//! The part of a run whose times are compared with the baseline's. Orders of regression testing algorithms are no part of it: a
//! selection leaves tests out, machines run one after the other, and a prioritization does not aim at time at all.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};

use crate::store::record::RunData;

/// Configurations whose orders come from an algorithm.
pub(super) fn arranged(run: &RunData) -> BTreeSet<String> {
    let given =
        run.manifest.configurations.iter().filter(|configuration| configuration.technique.algorithm().is_some());
    given.map(|configuration| configuration.name.clone()).collect()
}

/// The run without them, and without versions that were there for them alone.
pub(super) fn timed<'a>(run: &'a RunData, arranged: &BTreeSet<String>) -> Cow<'a, RunData> {
    if arranged.is_empty() {
        return Cow::Borrowed(run);
    }
    let mut timed = run.clone();
    timed.trials.retain(|trial| !arranged.contains(&trial.configuration));
    let manifest = &mut timed.manifest;
    manifest.configurations.retain(|configuration| !arranged.contains(&configuration.name));
    manifest.trials.retain(|trial| !arranged.contains(&trial.configuration));
    let planned: HashSet<&str> = manifest.trials.iter().map(|trial| trial.subject.as_str()).collect();
    manifest.subjects.retain(|subject| planned.contains(subject.as_str()));
    Cow::Owned(timed)
}
