//! Modes that were not compared, and why: what is missing in an answer is named, with its reason.

use serde::Serialize;

use super::evidence;
use super::parallel_mode::ParallelMode;
use super::survey::Survey;
use crate::store::record::{TrialRecord, Verdict};

/// Why a mode was not compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Because {
    /// The engine does not offer it for this suite.
    NotOffered,
    /// There is only one module to run.
    SingleModule,
    /// Its runs were refused, though the engine seemed to offer it.
    Refused,
    /// A process of the suite ends in a sequential run.
    SuiteBreaksDown,
    BudgetUsedUp,
}

/// A mode that was not compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Untried {
    pub mode: ParallelMode,
    pub because: Because,
    /// For a person.
    pub why: String,
}

impl Untried {
    fn new(mode: ParallelMode, because: Because, why: impl Into<String>) -> Self {
        Untried { mode, because, why: why.into() }
    }

    /// Is it a mode that the project could have?
    pub fn is_of_interest(&self) -> bool {
        self.because != Because::SingleModule
    }

    /// `methods (the budget was used up)`.
    pub fn told(&self) -> String {
        format!("{} ({})", self.mode, self.why)
    }
}

/// Of all modes, those that were not compared. What the project does by itself is no mode to choose, unless it is parallel today.
pub(super) fn untried(survey: &Survey, left_out: &[ParallelMode], trials: &[TrialRecord]) -> Vec<Untried> {
    let breaks_down = !evidence::ended_their_process(trials).is_empty();
    let of = |way: ParallelMode| {
        if let Some((_, why)) = survey.impossible.iter().find(|(known, _)| *known == way) {
            return Some(Untried::new(way, Because::NotOffered, why));
        }
        if way == ParallelMode::Modules && !survey.ways.contains(&way) {
            return Some(Untried::new(way, Because::SingleModule, modules(survey)));
        }
        if !left_out.contains(&way) {
            return refused(way, trials);
        }
        Some(match breaks_down {
            true => Untried::new(way, Because::SuiteBreaksDown, "a process ends in a sequential run of the suite"),
            false => Untried::new(way, Because::BudgetUsedUp, "the budget was used up"),
        })
    };
    let is_mode = |way: &ParallelMode| *way != ParallelMode::Project || !survey.parallel_today.is_empty();
    ParallelMode::ALL.into_iter().filter(is_mode).filter_map(of).collect()
}

fn modules(survey: &Survey) -> &'static str {
    if survey.modules.len() > 1 { "the engine runs modules one after the other" } else { "there is one module" }
}

/// Was every run of it refused?
fn refused(way: ParallelMode, trials: &[TrialRecord]) -> Option<Untried> {
    let mut runs = trials.iter().filter(|trial| trial.configuration == way.name()).peekable();
    let first = *runs.peek()?;
    let why = first.reason.clone().unwrap_or_else(|| first.verdict.name().to_owned());
    runs.all(|trial| trial.verdict == Verdict::Unsupported).then(|| Untried::new(way, Because::Refused, why))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::record::tests::trial;

    #[test]
    fn every_mode_that_was_not_compared_has_its_reason() {
        let survey = Survey {
            ways: vec![ParallelMode::Project, ParallelMode::Forks, ParallelMode::Classes, ParallelMode::Methods],
            impossible: vec![(ParallelMode::ClassesAndMethods, "JUnit 3 has no such mode".to_owned())],
            ..Survey::example(10.0, 10.0)
        };
        let refused = TrialRecord {
            configuration: "forks".to_owned(),
            verdict: Verdict::Unsupported,
            reason: Some("it keeps one process".to_owned()),
            ..trial("t")
        };
        let ran = TrialRecord { configuration: "classes".to_owned(), ..trial("u") };
        let found = untried(&survey, &[ParallelMode::Project, ParallelMode::Methods], &[refused, ran]);
        let told: Vec<(Because, String)> = found.iter().map(|each| (each.because, each.told())).collect();
        let expected = [
            (Because::Refused, "forks (it keeps one process)"),
            (Because::SingleModule, "modules (there is one module)"),
            (Because::NotOffered, "classesAndMethods (JUnit 3 has no such mode)"),
            (Because::BudgetUsedUp, "methods (the budget was used up)"),
        ];
        assert_eq!(told, expected.map(|(because, text)| (because, text.to_owned())));
    }
}
