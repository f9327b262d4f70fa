//! The order of a trial, from what is known of the subject's first version.
//!
//! Old tests only: what the first version has and this one lacks is skipped, what is new here is ignored, as nothing is known of
//! it. Ties are broken by the original order of the first version.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use miette::miette;

use crate::experiment::Trial;
use crate::project::{self, ChangeRequest};
use crate::spec::Subject;
use crate::suite::{Change, Dependency, DependencyGraph, TestId, dependency_file};
use crate::technique::Ordering;
use crate::technique::arrange::{Arrangement, Material, arrange};

use super::Run;
use super::open::OpenSubject;
use super::profile::{Refusal, SubjectProfile};
use super::trial::describe;

impl Run<'_> {
    /// Nothing for trials of other techniques.
    pub(super) fn arrangement(
        &mut self,
        trial: &Trial,
        open: &OpenSubject,
    ) -> miette::Result<Option<Result<Arrangement, Refusal>>> {
        let experiment = self.order.experiment;
        let ordering = experiment.configuration(&trial.configuration).and_then(|each| each.ordering);
        let (Some(ordering), Some(subject)) = (ordering, experiment.subject(&trial.subject)) else { return Ok(None) };
        if open.record.failure.is_some() {
            return Ok(Some(Err(Refusal::unsupported("the subject could not be prepared"))));
        }
        let profile = match self.subjects.profiles.get(subject.family()) {
            Some(Ok(profile)) => profile,
            Some(Err(refusal)) => return Ok(Some(Err(refusal.clone()))),
            None => return Ok(Some(Err(Refusal::unsupported("nothing is known about the first version")))),
        };
        if let (true, Err(why)) = (ordering.algorithm.needs_coverage(), &profile.coverage) {
            return Ok(Some(Err(Refusal::unsupported(format!("the algorithm needs coverage: {why}")))));
        }
        let mut change = None;
        if ordering.algorithm.needs_change() {
            if !self.subjects.changes.contains_key(&subject.name) {
                let found = match change_of(profile, subject, open) {
                    Ok(found) => found,
                    Err(error) => return Ok(Some(Err(Refusal::unsupported(describe(&error))))),
                };
                profile.write_change(&subject.name, &found)?;
                self.subjects.changes.insert(subject.name.clone(), Rc::new(found));
            }
            change = self.subjects.changes.get(&subject.name).cloned();
        }
        let tests = open.session.as_ref().map(|session| session.tests()).unwrap_or_default();
        let arranged = arranged(profile, &ordering, change.as_deref(), tests);
        Ok(Some(arranged.map_err(|error| Refusal::unsupported(describe(&error)))))
    }
}

/// What has changed since the first version: as a model says, or as the repository shows.
fn change_of(profile: &SubjectProfile, subject: &Subject, open: &OpenSubject) -> miette::Result<Change> {
    let project = open.project.as_ref();
    if let Some(declared) = project.and_then(|project| project.model()).and_then(|model| model.changes.clone()) {
        return Ok(declared);
    }
    let checkout = project.and_then(|project| project.checkout());
    let (Some(checkout), Some(old), Ok(coverage)) = (checkout, &profile.revision, &profile.coverage) else {
        return Err(miette!("the changes since the first version are not known"));
    };
    let (folders, new) = (subject.folders(), Some(checkout.revision.as_str()));
    let request = ChangeRequest { repository: &checkout.root, old, new, coverage, folders: &folders };
    project::change(Some(&checkout.root), &request)
}

/// The order of the tests that both versions have.
fn arranged(
    profile: &SubjectProfile,
    ordering: &Ordering,
    change: Option<&Change>,
    present: &[TestId],
) -> miette::Result<Arrangement> {
    let present: HashSet<&TestId> = present.iter().collect();
    let times: HashMap<&TestId, f64> = profile.tests.iter().zip(profile.seconds.iter().copied()).collect();
    let suite: Vec<TestId> = profile.tests.iter().filter(|test| present.contains(test)).cloned().collect();
    let seconds: Vec<f64> = suite.iter().map(|test| times.get(test).copied().unwrap_or_default()).collect();
    let graph = ordering.enhanced.then(|| kept(profile.dependencies(ordering), &suite)).transpose()?;
    let material = Material {
        suite: &suite,
        coverage: profile.coverage.as_ref().ok(),
        change,
        seconds: Some(&seconds),
        dependencies: graph.as_ref(),
        machines: ordering.machines as usize,
    };
    arrange(ordering.algorithm, &material)
}

/// What is left of dependencies in a suite that lacks some of their tests.
fn kept(dependencies: &[Dependency], suite: &[TestId]) -> miette::Result<DependencyGraph> {
    let present: HashSet<&TestId> = suite.iter().collect();
    let within = dependencies.iter().filter_map(|dependency| dependency.within(&present)).collect();
    DependencyGraph::new(dependency_file::without_circles(within, suite).0, suite)
}
