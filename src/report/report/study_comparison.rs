//! A run compared with the study that it replicates: every claim with the run's own answer, and the published tables cell
//! by cell. [`crate::study`] knows what is published and how it is judged; here it becomes rows of a report.

use std::sync::LazyLock;

use serde::Serialize;

use super::RunReport;
use super::run_report::empty_run_tables;
use crate::study::cells::PublishedTable;
use crate::study::{AuditedClaim, ClaimAnswer, Library, OwnVerdict};
use crate::wording::plural;

static LIBRARY: LazyLock<Library> = LazyLock::new(|| Library::embedded(empty_run_tables()));

/// A study, and what a run says to it.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyComparison {
    pub title: String,
    /// Those with a counterpart in a run.
    pub tables: Vec<PublishedTable>,
    /// Claims that the run speaks to first.
    pub claims: Vec<AuditedClaim>,
    /// Subjects of the study that the run has results of.
    pub subjects: usize,
    /// Subjects that the study has.
    pub study_subjects: usize,
}

/// A published value, and that of the run.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct StudyCellRow {
    pub table: String,
    pub row: String,
    pub column: String,
    /// As it is printed.
    pub published: String,
    pub own: Option<f64>,
    pub own_low: Option<f64>,
    pub own_high: Option<f64>,
    /// What the run has instead of a number.
    pub own_text: Option<String>,
    /// What it was compared with, where that is not the printed value.
    pub reference: Option<f64>,
    pub verdict: &'static str,
}

/// A claim, and the run's answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ClaimRow {
    pub id: String,
    #[serde(rename = "where")]
    pub place: String,
    pub claim: String,
    pub stated: String,
    pub recomputed: Option<String>,
    /// Whether it follows from the printed rows.
    pub verdict: &'static str,
    pub own: Option<String>,
    pub reference: Option<String>,
    pub own_verdict: &'static str,
    pub reason: Option<String>,
}

impl StudyComparison {
    /// Nothing where the experiment names no study, or one that parade does not have.
    pub fn new(report: &RunReport) -> Option<StudyComparison> {
        let study = LIBRARY.study(report.analysis.run.manifest.study.as_deref()?)?.ok()?;
        let compared = LIBRARY.compared(study, report.run_tables().ok()?);
        let mut claims = LIBRARY.audit(study);
        for (audited, claim) in claims.iter_mut().zip(&study.claims) {
            audited.own = Some(compared.answer(claim));
        }
        claims.sort_by_key(|claim| own_verdict(claim) == OwnVerdict::NotRun);
        Some(StudyComparison {
            title: study.title.clone(),
            tables: crate::study::cells::published_tables(&compared),
            claims,
            subjects: compared.covered.len(),
            study_subjects: study.subjects.len(),
        })
    }

    /// Does the run reproduce the study? In a sentence, with how many of the comparable claims do.
    pub fn sentence(&self) -> String {
        let number = |verdict| self.claims.iter().filter(|claim| own_verdict(claim) == verdict).count();
        let (same, direction) = (number(OwnVerdict::Reproduced), number(OwnVerdict::DirectionOnly));
        let comparable = self.claims.len() - number(OwnVerdict::NotRun);
        let ran = format!("{} of its {}", self.subjects, plural(self.study_subjects, "subject"));
        if comparable == 0 {
            return format!("No claim can be compared: the run has results for {ran}.");
        }
        let more = if direction > 0 { format!(", {direction} more in direction only") } else { String::new() };
        format!("{same} of {comparable} comparable claims reproduced{more}; the run has results for {ran}.")
    }

    /// Of the claims that can be compared, the part that the run reproduces.
    pub fn share(&self) -> Option<f64> {
        let known: Vec<OwnVerdict> =
            self.claims.iter().map(own_verdict).filter(|verdict| *verdict != OwnVerdict::NotRun).collect();
        let same = known.iter().filter(|verdict| **verdict == OwnVerdict::Reproduced).count();
        (!known.is_empty()).then(|| same as f64 / known.len() as f64)
    }

    pub fn cell_rows(&self) -> Vec<StudyCellRow> {
        let mut rows = Vec::new();
        for table in &self.tables {
            for row in &table.rows {
                for (column, cell) in table.columns.iter().zip(&row.cells) {
                    let Some(own) = &cell.own else { continue };
                    rows.push(StudyCellRow {
                        table: table.name.clone(),
                        row: row.key.clone(),
                        column: column.clone(),
                        published: cell.text.clone(),
                        own: own.value,
                        own_low: own.low,
                        own_high: own.high,
                        own_text: own.text.clone(),
                        reference: own.reference,
                        verdict: own.verdict.name(),
                    });
                }
            }
        }
        rows
    }

    pub fn claim_rows(&self) -> Vec<ClaimRow> {
        self.claims.iter().map(claim_row).collect()
    }
}

pub fn own_verdict(claim: &AuditedClaim) -> OwnVerdict {
    claim.own.as_ref().map_or(OwnVerdict::NotRun, |own| own.own_verdict)
}

fn claim_row(claim: &AuditedClaim) -> ClaimRow {
    let own = claim.own.as_ref();
    let text = |answer: Option<&ClaimAnswer>| answer.map(|answer| answer_text(answer, &claim.stated_text));
    ClaimRow {
        id: claim.id.clone(),
        place: claim.place.clone(),
        claim: claim.claim.clone(),
        stated: claim.stated_text.clone(),
        recomputed: text(claim.recomputed.as_ref()),
        verdict: claim.verdict.name(),
        own: text(own.and_then(|own| own.own.as_ref())),
        reference: text(own.and_then(|own| own.own_reference.as_ref())),
        own_verdict: own_verdict(claim).name(),
        reason: own.and_then(|own| own.own_reason.clone()).or_else(|| claim.reason.clone()),
    }
}

/// A number with as many decimals as the printed one.
pub fn like(number: f64, printed: &str) -> String {
    let digits = printed.split_once('.').map_or("", |(_, fraction)| fraction);
    let decimals = digits.chars().take_while(char::is_ascii_digit).count();
    format!("{number:.decimals$}")
}

fn answer_text(answer: &ClaimAnswer, printed: &str) -> String {
    match answer {
        ClaimAnswer::Text(text) if text.is_empty() => "none".to_owned(),
        ClaimAnswer::Text(text) => text.clone(),
        ClaimAnswer::Number(number) => like(*number, printed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Analysis, sample};

    /// The sample under names of the study's subjects.
    fn as_in_paste() -> Analysis {
        let mut run = sample::study();
        let study = LIBRARY.study("paste").unwrap().unwrap();
        for (old, new) in ["clean-gain", "data-race", "order-in-class"].iter().zip(&study.subjects) {
            let rename = |name: &mut String| {
                if name == old {
                    name.clone_from(&new.name);
                }
            };
            run.manifest.subjects.iter_mut().for_each(rename);
            run.subjects.iter_mut().for_each(|subject| rename(&mut subject.subject));
            run.trials.iter_mut().for_each(|trial| rename(&mut trial.subject));
            run.manifest.trials.iter_mut().for_each(|trial| rename(&mut trial.subject));
        }
        Analysis::of(&run)
    }

    #[test]
    fn a_replication_is_compared_with_its_study() {
        let analysis = as_in_paste();
        let report = RunReport::new(&analysis);
        let comparison = report.study().unwrap();
        assert_eq!(comparison.subjects, 3);
        assert!(comparison.sentence().contains("comparable claims reproduced"), "{}", comparison.sentence());
        let rows = comparison.cell_rows();
        assert!(rows.iter().any(|row| row.column == "Speedup/classes" && row.own.is_some()), "{rows:?}");
        assert!(comparison.claim_rows().iter().any(|row| row.own_verdict != "not_run"));
    }

    #[test]
    fn without_a_study_nothing_is_compared() {
        let mut run = sample::study();
        run.manifest.study = None;
        assert_eq!(RunReport::new(&Analysis::of(&run)).study(), None);
        run.manifest.study = Some("no such study".into());
        assert_eq!(RunReport::new(&Analysis::of(&run)).study(), None);
    }

    #[test]
    fn a_number_has_the_decimals_of_its_neighbour() {
        assert_eq!([like(1.588, "1.59x"), like(62.4, "62%"), like(3.0, "TO")], ["1.59", "62", "3"]);
    }
}
