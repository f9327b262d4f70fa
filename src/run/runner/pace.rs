//! Where time is scarce, somebody says before each trial whether there is time for it. The runner itself never gives up.

use std::fmt;
use std::time::Duration;

use crate::experiment::Trial;
use crate::store::record::{Phase, TrialRecord};

/// Knows how much time there is.
pub trait BudgetPolicy: fmt::Debug {
    /// What a trial may take, given those that have finished; `None` leaves it out.
    fn allow(&self, trial: &Trial, phase: Phase, finished: &[TrialRecord]) -> Option<Allowance>;

    /// A trial did not end in a time that would not have been fair.
    fn cut_off(&self, trial: &Trial);

    /// How long it will probably go on, the trial under way included. Unknown where time passes in a model only.
    fn seconds_ahead(&self, finished: &[TrialRecord]) -> Option<f64>;
}

/// The time of one trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    pub time: Duration,
    /// Does it say something about the suite if the time does not suffice? If not, the trial never was.
    pub is_fair: bool,
}
