//! Claims against the rows that they are about. Pure: a study goes in, verdicts come out. A difference is a finding about
//! numbers; whose fault it is, if anybody's, is not for parade to say.

use serde::Serialize;

use super::claim::{Claim, ClaimKind, Computation, Formula, Meaning, agrees};
use super::expression::{Names, Source, Trouble, Truth, Value, as_number, as_text, evaluate};
use super::load::Study;
use super::own::OwnAnswer;
use super::range::Range;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Holds,
    Differs,
    NotComputable,
}

impl Verdict {
    pub const ALL: [Verdict; 3] = [Verdict::Holds, Verdict::Differs, Verdict::NotComputable];

    pub fn name(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Differs => "differs",
            Verdict::NotComputable => "not_computable",
        }
    }
}

/// A number, or names, or yes or no.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum ClaimAnswer {
    Number(f64),
    Text(String),
}

/// A claim with what its rows say.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AuditedClaim {
    pub study: String,
    pub id: String,
    #[serde(rename = "where")]
    pub place: String,
    pub claim: String,
    pub stated: ClaimAnswer,
    /// As it is printed.
    pub stated_text: String,
    /// Not rounded.
    pub recomputed: Option<ClaimAnswer>,
    pub verdict: Verdict,
    pub kind: ClaimKind,
    pub unit: Option<String>,
    /// Why it is not computable.
    pub reason: Option<String>,
    pub note: Option<String>,
    /// Of what differs: the rows are rounded so much that the stated value is possible.
    pub rounding_explains: Option<bool>,
    /// The smallest and the largest number that the rounded rows allow.
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub compute: Option<String>,
    /// What a run of the reader's own says, if there is one.
    #[serde(flatten)]
    pub own: Option<OwnAnswer>,
}

/// What an expression came to, in the kind that a claim states.
#[derive(Debug, Clone, PartialEq)]
pub enum ClaimOutcome {
    Number(Range),
    Truth(Truth),
    Names(Names),
}

impl ClaimOutcome {
    pub fn answer(&self) -> ClaimAnswer {
        match self {
            // Without the sign of a negative zero.
            ClaimOutcome::Number(range) => ClaimAnswer::Number(range.value + 0.0),
            ClaimOutcome::Truth(truth) => ClaimAnswer::Text(if truth.value { "yes" } else { "no" }.to_owned()),
            ClaimOutcome::Names(names) => ClaimAnswer::Text(names.listed.join("; ")),
        }
    }
}

/// All claims of a study, in the order of its file.
pub fn audit(study: &Study, source: &Source<'_>) -> Vec<AuditedClaim> {
    study.claims.iter().map(|claim| audited(&study.name, claim, source)).collect()
}

pub fn audited(study: &str, claim: &Claim, source: &Source<'_>) -> AuditedClaim {
    match &claim.compute {
        Computation::Impossible(reason) => without_value(study, claim, reason.clone()),
        Computation::From(formula) => match result(formula, &claim.stated.meaning, source) {
            Ok(outcome) => judged(study, claim, formula, &outcome),
            Err(trouble) => {
                let compute = Some(formula.text.clone());
                AuditedClaim { compute, ..without_value(study, claim, trouble.message) }
            }
        },
    }
}

fn without_value(study: &str, claim: &Claim, reason: String) -> AuditedClaim {
    AuditedClaim {
        study: study.to_owned(),
        id: claim.id.clone(),
        place: claim.place.clone(),
        claim: claim.claim.clone(),
        stated: stated_answer(claim),
        stated_text: claim.stated.text.clone(),
        recomputed: None,
        verdict: Verdict::NotComputable,
        kind: claim.kind,
        unit: claim.unit.clone(),
        reason: Some(reason),
        note: claim.note.clone(),
        rounding_explains: None,
        low: None,
        high: None,
        compute: None,
        own: None,
    }
}

fn judged(study: &str, claim: &Claim, formula: &Formula, outcome: &ClaimOutcome) -> AuditedClaim {
    let (holds, can_hold) = judgement(claim, outcome);
    let bound = |number: f64| number.is_finite().then_some(number);
    let (low, high) =
        if let ClaimOutcome::Number(range) = outcome { (bound(range.low), bound(range.high)) } else { (None, None) };
    AuditedClaim {
        recomputed: Some(outcome.answer()),
        verdict: if holds { Verdict::Holds } else { Verdict::Differs },
        reason: None,
        rounding_explains: (!holds).then_some(can_hold),
        low,
        high,
        compute: Some(formula.text.clone()),
        ..without_value(study, claim, String::new())
    }
}

/// A number where the text is plainly one, else the text.
fn stated_answer(claim: &Claim) -> ClaimAnswer {
    match super::printed::number(&claim.stated.text) {
        Some(printed) => ClaimAnswer::Number(printed.value),
        None => ClaimAnswer::Text(claim.stated.text.clone()),
    }
}

/// Whether the claim holds, and whether it can hold within the rounding of the rows.
pub fn judgement(claim: &Claim, outcome: &ClaimOutcome) -> (bool, bool) {
    match (&claim.stated.meaning, outcome) {
        (Meaning::Number { value: stated, step, has_decimals }, ClaimOutcome::Number(range)) => {
            let fits = |number: f64| agrees(number, *stated, *step, *has_decimals, claim.relation, claim.rounding);
            // Between the ends the nearest to what is stated is the best that the rows allow.
            let nearest = stated.clamp(range.low, range.high);
            (fits(range.value), fits(range.low) || fits(range.high) || fits(nearest))
        }
        (Meaning::Truth(stated), ClaimOutcome::Truth(truth)) => (truth.value == *stated, !truth.sure),
        (Meaning::Names(stated), ClaimOutcome::Names(names)) => {
            let has = |list: &[String], name: &String| list.iter().any(|other| other.trim() == name.trim());
            let holds =
                stated.iter().all(|name| has(&names.listed, name)) && names.listed.iter().all(|name| has(stated, name));
            let can = stated.iter().all(|name| has(&names.possible, name))
                && names.certain.iter().all(|name| has(stated, name));
            (holds, can)
        }
        _ => (false, false),
    }
}

/// The value of an expression in the kind that is stated.
pub fn result(formula: &Formula, meaning: &Meaning, source: &Source<'_>) -> Result<ClaimOutcome, Trouble> {
    let span = &formula.tree.span;
    let value = evaluate(&formula.tree, source)?;
    let unfit = || {
        Trouble::mistake(
            span.clone(),
            "the expression gives another kind of answer than the claim states",
            "see \
            docs/claims.md",
        )
    };
    match meaning {
        Meaning::Number { .. } => match as_number(value, source, span)? {
            Value::Number(range) => Ok(ClaimOutcome::Number(range)),
            _ => Err(unfit()),
        },
        Meaning::Truth(_) => match value {
            Value::Truth(truth) => Ok(ClaimOutcome::Truth(truth)),
            _ => Err(unfit()),
        },
        Meaning::Names(_) => match value {
            Value::Names(names) => Ok(ClaimOutcome::Names(names)),
            other => {
                let listed = super::claim::names(&as_text(other, source).ok_or_else(unfit)?);
                Ok(ClaimOutcome::Names(Names { certain: listed.clone(), possible: listed.clone(), listed }))
            }
        },
    }
}

/// How many of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct ClaimTally {
    pub claims: usize,
    pub hold: usize,
    pub differ: usize,
    /// Of those that differ.
    pub within_rounding: usize,
    pub not_computable: usize,
}

impl ClaimTally {
    pub fn count<'a>(audited: impl IntoIterator<Item = &'a AuditedClaim>) -> ClaimTally {
        audited.into_iter().fold(ClaimTally::default(), |tally, claim| ClaimTally {
            claims: tally.claims + 1,
            hold: tally.hold + usize::from(claim.verdict == Verdict::Holds),
            differ: tally.differ + usize::from(claim.verdict == Verdict::Differs),
            within_rounding: tally.within_rounding + usize::from(claim.rounding_explains == Some(true)),
            not_computable: tally.not_computable + usize::from(claim.verdict == Verdict::NotComputable),
        })
    }
}
