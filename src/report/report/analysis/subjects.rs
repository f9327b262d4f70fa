//! Table I: what the subjects are, and what parade had to change about them.

use std::collections::HashMap;

use serde::Serialize;

use super::grid::ran_to_its_end;
use crate::store::record::{Phase, RunData, SubjectRecord};

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SubjectRow {
    pub subject: String,
    pub origin: String,
    pub revision: Option<String>,
    pub tests: usize,
    pub classes: usize,
    pub modules: usize,
    pub frameworks: String,
    pub jdk: Option<String>,
    /// Why it is this one.
    pub jdk_choice: Option<String>,
    pub maven: Option<String>,
    pub deviations: usize,
    pub set_aside: usize,
    /// Tests that the suite skips: the most in any trial of the baseline. None where no such trial ran to its end.
    pub skipped: Option<usize>,
    /// Why it could not be prepared.
    pub failure: Option<String>,
}

/// How a subject differs from what was published.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct DeviationRow {
    pub subject: String,
    pub deviation: String,
}

/// A test that is run, but not counted.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SetAsideRow {
    pub subject: String,
    pub test: String,
    pub reason: String,
}

impl SubjectRow {
    /// The first seven digits of a commit, as studies print it, or of the hash of a folder.
    pub fn short_revision(&self) -> &str {
        let revision = self.revision.as_deref().unwrap_or("–");
        let revision = revision.strip_prefix("content-").unwrap_or(revision);
        revision.char_indices().nth(7).map_or(revision, |(end, _)| &revision[..end])
    }
}

pub(super) fn rows(run: &RunData) -> Vec<SubjectRow> {
    in_order(run).map(|record| SubjectRow { skipped: skipped(run, &record.subject), ..row(record) }).collect()
}

fn skipped(run: &RunData, subject: &str) -> Option<usize> {
    let trials = run.trials.iter().filter(|trial| trial.phase == Phase::Measured && trial.subject == subject);
    let baselines = trials.filter(|trial| trial.configuration == run.manifest.baseline && ran_to_its_end(trial));
    baselines.map(|trial| trial.tally.skipped).max()
}

/// In the order of the experiment file, versions of a subject one after the other; what the file does not name comes last.
fn in_order(run: &RunData) -> impl Iterator<Item = &SubjectRecord> {
    let places: HashMap<&str, usize> =
        run.manifest.subjects.iter().enumerate().map(|(place, name)| (name.as_str(), place)).collect();
    let place = |record: &SubjectRecord| places.get(record.subject.as_str()).copied().unwrap_or(usize::MAX);
    let family = |record: &SubjectRecord| record.version.as_ref().map(|version| version.of.clone());
    let mut families: HashMap<Option<String>, usize> = HashMap::new();
    for record in &run.subjects {
        let first = families.entry(family(record)).or_insert(usize::MAX);
        *first = place(record).min(*first);
    }
    let mut records: Vec<&SubjectRecord> = run.subjects.iter().collect();
    records.sort_by_cached_key(|record| match &record.version {
        Some(version) => (families.get(&family(record)).copied().unwrap_or(usize::MAX), version.number),
        None => (place(record), 0),
    });
    records.into_iter()
}

fn row(record: &SubjectRecord) -> SubjectRow {
    SubjectRow {
        subject: record.subject.clone(),
        origin: record.origin.clone(),
        revision: record.revision.clone(),
        tests: record.tests,
        classes: record.classes,
        modules: record.modules.len(),
        frameworks: record.frameworks.join(", "),
        jdk: record.jdk.clone(),
        jdk_choice: record.jdk_choice.clone(),
        maven: record.maven.clone(),
        deviations: record.deviations.len(),
        set_aside: record.set_aside.len(),
        skipped: None,
        failure: record.failure.as_ref().map(|failure| failure.reason.clone()),
    }
}

pub(super) fn deviations(run: &RunData) -> Vec<DeviationRow> {
    let of = |record: &SubjectRecord| {
        let subject = record.subject.clone();
        let texts: Vec<String> = record.deviations.iter().map(|finding| finding.text.clone()).collect();
        texts.into_iter().map(move |deviation| DeviationRow { subject: subject.clone(), deviation })
    };
    in_order(run).flat_map(of).collect()
}

pub(super) fn set_aside(run: &RunData) -> Vec<SetAsideRow> {
    let mut rows = Vec::new();
    for record in in_order(run) {
        rows.extend(record.set_aside.iter().map(|aside| SetAsideRow {
            subject: record.subject.clone(),
            test: aside.test.to_string(),
            reason: aside.reason.clone(),
        }));
    }
    rows
}
