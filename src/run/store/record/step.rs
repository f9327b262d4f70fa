//! What is written down about a step that is no trial.

use miette::{IntoDiagnostic, WrapErr};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a step does. Preparing a subject, profiling it and running a trial have records of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// States the question of a command: everything that its answer depends on.
    Question,
    /// Has a generator write tests.
    Generate,
    /// Runs the suite once, to learn what can be measured.
    Survey,
    /// Measures durations, coverage or accesses of tests.
    Profile,
    /// Runs tests in one order, to see which of them fail in it.
    Order,
    /// Looks for the causes of failures.
    Diagnose,
    /// Was interrupted by the user: what had been spent until then.
    Interruption,
    /// Answers the question of a command.
    Answer,
}

/// One line of the journal for one finished step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepRecord {
    /// A fingerprint of everything that the outcome depends on. A step that is on record is not carried out again.
    pub step: String,
    pub step_kind: StepKind,
    pub subject: String,
    pub ended_at: jiff::Timestamp,
    /// What came of it. Its form depends on the kind.
    pub outcome: Value,
}

impl StepRecord {
    pub fn new(step: &str, step_kind: StepKind, subject: &str, outcome: &impl Serialize) -> miette::Result<Self> {
        let outcome = serde_json::to_value(outcome)
            .into_diagnostic()
            .wrap_err_with(|| format!("the outcome of {step} cannot be recorded"))?;
        let (step, subject) = (step.to_owned(), subject.to_owned());
        Ok(StepRecord { step, step_kind, subject, ended_at: jiff::Timestamp::now(), outcome })
    }

    /// `None` for an outcome of another form, such as one that another version of parade wrote.
    pub fn outcome<T: DeserializeOwned>(&self) -> Option<T> {
        T::deserialize(&self.outcome).ok()
    }
}
