//! How tests ended in fresh processes after everything that ran before them there. An order that goes on after a test tells the
//! same of it as one that ends with it, so every beginning of every order is an answer that need not be bought again.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};

use super::order_runner::ObservedTest;

/// Beginnings that are remembered; what comes after that is run again where it is asked for.
const REMEMBERED: usize = 1_000_000;

/// How often a test passed and failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Ends {
    passed: u32,
    failed: u32,
}

impl Ends {
    pub fn of(self, fails: bool) -> usize {
        (if fails { self.failed } else { self.passed }) as usize
    }

    /// Has it done both?
    pub fn is_mixed(self) -> bool {
        self.passed > 0 && self.failed > 0
    }

    /// Does it fail? `None` where nobody has seen it, or where it does so only now and then.
    pub fn agreed(self) -> Option<bool> {
        match (self.passed, self.failed) {
            (0, 0) => None,
            (_, 0) => Some(false),
            (0, _) => Some(true),
            _ => None,
        }
    }
}

/// By the tests of a process up to and with the one in question.
#[derive(Debug, Default)]
pub(super) struct Record {
    ends: HashMap<u64, Ends>,
}

impl Record {
    /// Adds a run in fresh processes.
    pub fn add(&mut self, seen: &[ObservedTest]) {
        for process in seen.chunk_by(|a, b| a.stretch == b.stretch) {
            let mut beginning = DefaultHasher::new();
            for each in process {
                beginning.write_usize(each.test);
                if let Some(fails) = each.fails() {
                    self.count(beginning.finish(), fails);
                }
            }
        }
    }

    fn count(&mut self, beginning: u64, fails: bool) {
        if self.ends.len() >= REMEMBERED && !self.ends.contains_key(&beginning) {
            return;
        }
        let ends = self.ends.entry(beginning).or_default();
        let counted = if fails { &mut ends.failed } else { &mut ends.passed };
        *counted = counted.saturating_add(1);
    }

    /// How the test ended after exactly these, and nothing else.
    pub fn of(&self, before: &[usize], test: usize) -> Ends {
        let mut beginning = DefaultHasher::new();
        before.iter().chain([&test]).for_each(|test| beginning.write_usize(*test));
        self.ends.get(&beginning.finish()).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::Outcome;

    #[test]
    fn beginnings_are_answers_and_processes_are_kept_apart() {
        let seen = |test, outcome, stretch| ObservedTest { test, outcome, stretch };
        let mut record = Record::default();
        record.add(&[seen(2, Outcome::Passed, 0), seen(1, Outcome::Failed, 0), seen(0, Outcome::Passed, 1)]);
        record.add(&[seen(2, Outcome::Failed, 0)]);
        assert_eq!(record.of(&[2], 1).agreed(), Some(true));
        assert_eq!(record.of(&[], 0).agreed(), Some(false));
        assert_eq!((record.of(&[], 2).agreed(), record.of(&[], 2).of(true)), (None, 1));
        assert_eq!(record.of(&[2, 1], 0), Ends::default());
        assert_eq!(record.of(&[], 1), Ends::default());
    }
}
