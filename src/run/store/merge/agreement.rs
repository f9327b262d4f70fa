//! Are these runs of one experiment? Everything that is not alike and could matter is named; what two machines may differ in
//! is not: which subjects they ran, on how many cores, and what they are.

use std::collections::HashMap;
use std::fmt::Debug;

use super::input::Input;
use super::{Overlap, refusal};
use crate::experiment;
use crate::store::record::{Phase, RunManifest};

pub(super) fn check(inputs: &[Input], overlap: Overlap) -> miette::Result<()> {
    let Some((first, others)) = inputs.split_first() else { return Ok(()) };
    for other in others {
        let mut reasons = of_manifests(&first.manifest, &other.manifest, overlap);
        reasons.extend(of_texts(&first.text, &other.text, overlap));
        reasons.extend(of_trials(first, other));
        reasons.extend(of_subjects(first, other));
        if !reasons.is_empty() {
            let (a, b) = (first.folder.dir().display(), other.folder.dir().display());
            return Err(refusal(
                &format!("{a} and {b} are not runs of the same experiment"),
                &reasons,
                "parade merge joins parts or repetitions of one experiment; parade compare compares different \
                 experiments",
            ));
        }
    }
    Ok(())
}

struct Reasons(Vec<String>);

impl Reasons {
    fn compare<T: PartialEq + Debug>(&mut self, what: &str, first: &T, other: &T) {
        if first != other {
            self.0.push(format!("{what}: {first:?} and {other:?}"));
        }
    }
}

fn of_manifests(first: &RunManifest, other: &RunManifest, overlap: Overlap) -> Vec<String> {
    let mut reasons = Reasons(Vec::new());
    reasons.compare("name", &first.experiment, &other.experiment);
    reasons.compare("study", &first.study, &other.study);
    reasons.compare("baseline", &first.baseline, &other.baseline);
    reasons.compare("warmup", &first.warmup, &other.warmup);
    reasons.compare("screening", &first.screening, &other.screening);
    reasons.compare("seed", &first.seed, &other.seed);
    reasons.compare("quick", &first.quick, &other.quick);
    if overlap == Overlap::Refuse && first.merged.is_empty() && other.merged.is_empty() {
        reasons.compare("repetitions", &first.repetitions, &other.repetitions);
    }
    for summary in &first.configurations {
        if let Some(same_name) = other.configurations.iter().find(|each| each.name == summary.name) {
            reasons.compare(&format!("configuration `{}`", summary.name), summary, same_name);
        }
    }
    for (subject, content) in &first.contents {
        if other.contents.get(subject).is_some_and(|known| known != content) {
            reasons.0.push(format!("the content of subject `{subject}`"));
        }
    }
    reasons.0
}

/// What the files say differently, apart from what splits an experiment between machines.
fn of_texts(first: &str, other: &str, overlap: Overlap) -> Vec<String> {
    let found = match experiment::differences(first, other) {
        Ok(found) => found,
        Err(why) => return vec![why],
    };
    let is_free = |place: &str| {
        let whole_subject = place.starts_with("subject `") && place.ends_with('`');
        let repetitions = overlap == Overlap::FurtherRepetitions && place.ends_with(".repetitions");
        whole_subject || repetitions || place == "machine.cores"
    };
    // These four are told from the manifests, with the values that really counted.
    let told = ["experiment.name", "experiment.study", "experiment.warmup", "experiment.screening", "experiment.seed"];
    let counts = |place: &str| !is_free(place) && !told.contains(&place) && place != "experiment.repetitions";
    found.iter().filter(|difference| counts(&difference.place)).map(ToString::to_string).collect()
}

/// A trial's id holds every setting: another id for the same cell and block means other settings.
fn of_trials(first: &Input, other: &Input) -> Vec<String> {
    let ids = |input: &Input| -> HashMap<(String, String, usize, u32), String> {
        let measured = input.trials.iter().filter(|trial| trial.phase == Phase::Measured);
        let identity = measured.filter_map(|trial| {
            let was = trial.provenance.as_ref()?;
            let cell = (trial.subject.clone(), trial.configuration.clone(), trial.cores, was.repetition);
            Some((cell, was.trial.clone()))
        });
        identity.collect()
    };
    let (known, here) = (ids(first), ids(other));
    let mut differing: Vec<String> = here
        .iter()
        .filter_map(|(cell, id)| known.get(cell).filter(|known| *known != id).map(|known| format!("{known} and {id}")))
        .collect();
    differing.sort();
    let count = differing.len();
    differing.first().map(|first| format!("the settings of {count} trials, such as {first}")).into_iter().collect()
}

fn of_subjects(first: &Input, other: &Input) -> Vec<String> {
    let pairs = first.subjects.iter().filter_map(|record| Some((record, other.subject(&record.subject)?)));
    let mut reasons = Reasons(Vec::new());
    for (a, b) in pairs {
        if let (Some(one), Some(two)) = (&a.revision, &b.revision) {
            reasons.compare(&format!("the revision of subject `{}`", a.subject), one, two);
        }
    }
    reasons.0
}
