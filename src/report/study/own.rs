//! Published numbers compared with those of the reader's own run. The rules are stated in METHODOLOGY.md.
//!
//! A run rarely has all subjects of a study. What it is compared with is then the published value recomputed for the same
//! subjects, wherever the rows allow that; how many there are is told with every answer.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::audit::{self, ClaimAnswer, ClaimOutcome};
use super::claim::{Claim, Computation, Formula, Meaning};
use super::expression::{Kind, Node, Source, Span, Value};
use super::load::Study;
use super::run_tables::RunTables;
use super::table::SourceTable;

/// So near is the same.
const NEAR: f64 = 0.1;
/// Claims that repeat others are followed so far.
const FOLLOWED: usize = 5;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OwnVerdict {
    Reproduced,
    /// On the same side of what means no effect, but of another size.
    DirectionOnly,
    NotReproduced,
    /// Nothing in the run speaks to it.
    NotRun,
}

impl OwnVerdict {
    pub fn name(self) -> &'static str {
        match self {
            OwnVerdict::Reproduced => "reproduced",
            OwnVerdict::DirectionOnly => "direction_only",
            OwnVerdict::NotReproduced => "not_reproduced",
            OwnVerdict::NotRun => "not_run",
        }
    }
}

/// What a run says to a claim.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OwnAnswer {
    pub own: Option<ClaimAnswer>,
    pub own_verdict: OwnVerdict,
    /// What it was compared with: the stated value, or the published one for the subjects of the run.
    pub own_reference: Option<ClaimAnswer>,
    /// Subjects of the study that the run has results of.
    pub own_subjects: usize,
    /// Subjects that the study has.
    pub own_of: usize,
    pub own_reason: Option<String>,
}

/// A study and a run, brought together.
pub struct ComparedStudy<'s> {
    pub study: &'s Study,
    stated: BTreeMap<String, Value>,
    /// Of the run, for subjects of the study.
    run: Vec<SourceTable>,
    /// Published, for subjects of the run.
    pub(super) published: Vec<SourceTable>,
    /// By the study's names.
    pub covered: BTreeSet<String>,
}

impl<'s> ComparedStudy<'s> {
    /// `stated`: what expressions of the study can refer to, of [`super::Library::stated_in`].
    pub fn new(study: &'s Study, stated: BTreeMap<String, Value>, run: RunTables) -> Self {
        let covered = run.covered(&study.subjects);
        ComparedStudy {
            run: run.for_study(&study.subjects),
            published: study.tables.iter().map(|table| table.restricted(&covered)).collect(),
            study,
            stated,
            covered,
        }
    }

    /// Whether the run has results of all subjects.
    pub fn is_whole(&self) -> bool {
        self.covered.len() == self.study.subjects.len()
    }

    /// Tables of the run and, of the study, the rows of the same subjects.
    pub(super) fn source(&self) -> Source<'_> {
        Source { tables: self.run.iter().chain(&self.published).collect(), stated: &self.stated, of_run: true }
    }

    pub fn answer(&self, claim: &Claim) -> OwnAnswer {
        let missing = |reason: String| self.told(None, OwnVerdict::NotRun, None, Some(reason));
        let Some(formula) = &claim.own else {
            return missing("no table of a run contains it".to_owned());
        };
        if self.covered.is_empty() {
            return missing("the run has no results for any of the study's subjects".to_owned());
        }
        if let Some(table) = self.empty_table(&formula.tree) {
            return missing(format!("the table `{table}` of the run is empty"));
        }
        match audit::result(formula, &claim.stated.meaning, &self.source()) {
            Err(trouble) => missing(trouble.message),
            Ok(own) => self.compared(claim, &own),
        }
    }

    fn compared(&self, claim: &Claim, own: &ClaimOutcome) -> OwnAnswer {
        let answer = Some(own.answer());
        match self.reference(claim, FOLLOWED) {
            Some(reference) if speaks_otherwise(&claim.stated.meaning, &reference) => {
                let reason = "the published rows of the run's subjects do not support what is claimed for \
                    all"
                .to_owned();
                self.told(answer, OwnVerdict::NotRun, Some(reference.answer()), Some(reason))
            }
            Some(reference) => {
                let verdict = verdict(&reference, own, claim.neutral);
                self.told(answer, verdict, Some(reference.answer()), None)
            }
            None => {
                let reason = "the published value cannot be recomputed for the subjects of the run".to_owned();
                let verdict = match (claim.stated.number(), own, claim.neutral) {
                    (Some(stated), ClaimOutcome::Number(own), Some(neutral))
                        if same_side(stated, own.value, neutral) =>
                    {
                        OwnVerdict::DirectionOnly
                    }
                    (Some(_), ClaimOutcome::Number(_), Some(_)) => OwnVerdict::NotReproduced,
                    _ => OwnVerdict::NotRun,
                };
                self.told(answer, verdict, None, Some(reason))
            }
        }
    }

    fn told(
        &self,
        own: Option<ClaimAnswer>,
        verdict: OwnVerdict,
        reference: Option<ClaimAnswer>,
        reason: Option<String>,
    ) -> OwnAnswer {
        OwnAnswer {
            own,
            own_verdict: verdict,
            own_reference: reference,
            own_subjects: self.covered.len(),
            own_of: self.study.subjects.len(),
            own_reason: reason,
        }
    }

    /// What is stated, where the run has all subjects; else the same of those that it has.
    fn reference(&self, claim: &Claim, depth: usize) -> Option<ClaimOutcome> {
        if self.is_whole() {
            return Some(stated(&claim.stated.meaning));
        }
        let Computation::From(formula) = &claim.compute else { return None };
        if let Some(id) = repeated(formula) {
            let other = self.study.claims.iter().find(|other| other.id == id)?;
            return self.reference(other, depth.checked_sub(1)?);
        }
        // Numbers of other claims are over all subjects.
        if mentions_claims(&formula.tree) {
            return None;
        }
        let source = Source { tables: self.published.iter().collect(), stated: &self.stated, of_run: true };
        audit::result(formula, &claim.stated.meaning, &source).ok()
    }

    fn empty_table(&self, node: &Node) -> Option<&str> {
        if let Kind::Column { table, .. } = &node.kind {
            let found = self.run.iter().find(|other| other.name == *table).filter(|table| table.rows.is_empty());
            return found.map(|table| table.name.as_str());
        }
        node.kind.children().into_iter().find_map(|child| self.empty_table(child))
    }
}

fn stated(meaning: &Meaning) -> ClaimOutcome {
    match super::claim::meant(meaning) {
        Value::Number(range) => ClaimOutcome::Number(range),
        Value::Truth(truth) => ClaimOutcome::Truth(truth),
        Value::Names(names) => ClaimOutcome::Names(names),
        _ => ClaimOutcome::Names(super::expression::Names::default()),
    }
}

/// A yes of all subjects can be a no of some: then these cannot tell whether the claim is reproduced.
fn speaks_otherwise(stated: &Meaning, reference: &ClaimOutcome) -> bool {
    matches!((stated, reference), (Meaning::Truth(stated), ClaimOutcome::Truth(reference)) if *stated != reference.value)
}

/// The claim that this one only repeats.
fn repeated(formula: &Formula) -> Option<&str> {
    let Kind::Call { function, arguments } = &formula.tree.kind else { return None };
    match arguments.first().map(|argument| &argument.kind) {
        Some(Kind::Text(id)) if function.name() == "stated" => Some(id),
        _ => None,
    }
}

/// The ids of claims whose statements an expression uses, with their places in it.
pub(super) fn mentioned(node: &Node) -> Vec<(&str, &Span)> {
    let mut found: Vec<(&str, &Span)> = node.kind.children().into_iter().flat_map(mentioned).collect();
    if let Kind::Call { function, arguments } = &node.kind
        && function.name() == "stated"
        && let Some(Kind::Text(id)) = arguments.first().map(|argument| &argument.kind)
    {
        found.push((id, &node.span));
    }
    found
}

fn mentions_claims(node: &Node) -> bool {
    !mentioned(node).is_empty()
}

fn verdict(reference: &ClaimOutcome, own: &ClaimOutcome, neutral: Option<f64>) -> OwnVerdict {
    match (reference, own) {
        (ClaimOutcome::Number(published), ClaimOutcome::Number(own)) => {
            judged(published.value, own.value, None, neutral)
        }
        (ClaimOutcome::Truth(published), ClaimOutcome::Truth(own)) if published.value == own.value => {
            OwnVerdict::Reproduced
        }
        (ClaimOutcome::Names(published), ClaimOutcome::Names(own)) if same_names(&published.listed, &own.listed) => {
            OwnVerdict::Reproduced
        }
        _ => OwnVerdict::NotReproduced,
    }
}

fn same_names(left: &[String], right: &[String]) -> bool {
    let set = |names: &[String]| names.iter().map(|name| name.trim().to_owned()).collect::<BTreeSet<_>>();
    set(left) == set(right)
}

/// Reproduced: equal, within the interval of the own value, or within a tenth of it. Direction only: on the same side of
/// what means no effect.
pub fn judged(published: f64, own: f64, interval: Option<(f64, f64)>, neutral: Option<f64>) -> OwnVerdict {
    let is_near = (published - own).abs() <= NEAR * own.abs() + 1e-12;
    let is_inside = interval.is_some_and(|(low, high)| low <= published && published <= high);
    if is_near || is_inside {
        OwnVerdict::Reproduced
    } else if neutral.is_some_and(|neutral| same_side(published, own, neutral)) {
        OwnVerdict::DirectionOnly
    } else {
        OwnVerdict::NotReproduced
    }
}

fn same_side(published: f64, own: f64, neutral: f64) -> bool {
    (published - neutral) * (own - neutral) > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_is_reproduced_and_the_side_is_a_direction() {
        assert_eq!(judged(1.59, 1.5, None, Some(1.0)), OwnVerdict::Reproduced);
        assert_eq!(judged(1.59, 1.2, None, Some(1.0)), OwnVerdict::DirectionOnly);
        assert_eq!(judged(1.59, 1.2, Some((0.9, 1.6)), Some(1.0)), OwnVerdict::Reproduced);
        assert_eq!(judged(1.59, 0.9, None, Some(1.0)), OwnVerdict::NotReproduced);
        assert_eq!(judged(1.59, 1.2, None, None), OwnVerdict::NotReproduced);
        assert_eq!(judged(0.0, 0.0, None, None), OwnVerdict::Reproduced);
        assert_eq!(judged(0.0, 3.0, None, Some(0.0)), OwnVerdict::NotReproduced);
    }
}
