//! How one execution of a test can end.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Passed,
    /// An assertion did not hold.
    Failed,
    /// Something else was thrown.
    Error,
    Skipped,
    /// It was running when the time of the run was up.
    TimedOut,
    /// It was running when its process died.
    Crashed,
    /// It was expected and never started.
    NotRun,
}

impl Outcome {
    pub const ALL: [Outcome; 7] = [
        Outcome::Passed,
        Outcome::Failed,
        Outcome::Error,
        Outcome::Skipped,
        Outcome::TimedOut,
        Outcome::Crashed,
        Outcome::NotRun,
    ];

    /// The one of this [`name`](Self::name).
    pub fn named(name: &str) -> Option<Outcome> {
        Self::ALL.into_iter().find(|outcome| outcome.name() == name)
    }

    /// Did the test run and not succeed? This is what PASTE reruns.
    pub fn is_failure(self) -> bool {
        matches!(self, Outcome::Failed | Outcome::Error | Outcome::TimedOut | Outcome::Crashed)
    }

    pub fn name(self) -> &'static str {
        match self {
            Outcome::Passed => "passed",
            Outcome::Failed => "failed",
            Outcome::Error => "error",
            Outcome::Skipped => "skipped",
            Outcome::TimedOut => "timed_out",
            Outcome::Crashed => "crashed",
            Outcome::NotRun => "not_run",
        }
    }
}

/// How many tests ended in which way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    pub passed: usize,
    pub failed: usize,
    pub errors: usize,
    pub skipped: usize,
    pub timed_out: usize,
    pub crashed: usize,
    pub not_run: usize,
}

impl Tally {
    pub fn of(outcomes: impl IntoIterator<Item = Outcome>) -> Self {
        let mut tally = Tally::default();
        for outcome in outcomes {
            match outcome {
                Outcome::Passed => tally.passed += 1,
                Outcome::Failed => tally.failed += 1,
                Outcome::Error => tally.errors += 1,
                Outcome::Skipped => tally.skipped += 1,
                Outcome::TimedOut => tally.timed_out += 1,
                Outcome::Crashed => tally.crashed += 1,
                Outcome::NotRun => tally.not_run += 1,
            }
        }
        tally
    }

    /// Tests that ran, whatever came of it.
    pub fn ran(&self) -> usize {
        self.passed + self.failures() + self.skipped
    }

    /// Tests that ran and did not succeed.
    pub fn failures(&self) -> usize {
        self.failed + self.errors + self.timed_out + self.crashed
    }
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.errors += other.errors;
        self.skipped += other.skipped;
        self.timed_out += other.timed_out;
        self.crashed += other.crashed;
        self.not_run += other.not_run;
    }
}
