//! Tests told apart by hashes of their names, alike in all row groups and threads.
//!
//! The hashes of module, class and name are added up: a word costs its hash once per row group, and a row three additions. Two
//! hashes of 64 bits, by keys that nobody knows beforehand, make it as good as certain that different tests stay different.

use std::hash::{BuildHasher, RandomState};

use crate::suite::TestId;

pub type TestKey = (u64, u64);

/// The same names give the same keys for as long as this lives.
pub struct Hashes {
    first: RandomState,
    second: RandomState,
    occurrence: TestKey,
}

impl Hashes {
    pub fn new() -> Self {
        let (first, second) = (RandomState::new(), RandomState::new());
        let occurrence = (first.hash_one("occurrence") | 1, second.hash_one("occurrence") | 1);
        Hashes { first, second, occurrence }
    }

    fn word(&self, column: u8, word: &str) -> TestKey {
        (self.first.hash_one((column, word)), self.second.hash_one((column, word)))
    }

    pub fn module(&self, word: &str) -> TestKey {
        self.word(1, word)
    }

    pub fn class(&self, word: &str) -> TestKey {
        self.word(2, word)
    }

    pub fn name(&self, word: &str) -> TestKey {
        self.word(3, word)
    }

    pub fn key(&self, module: TestKey, class: TestKey, name: TestKey, occurrence: u32) -> TestKey {
        let lane = |module: u64, class: u64, name: u64, times: u64| {
            module.wrapping_add(class).wrapping_add(name).wrapping_add(times.wrapping_mul(u64::from(occurrence)))
        };
        (lane(module.0, class.0, name.0, self.occurrence.0), lane(module.1, class.1, name.1, self.occurrence.1))
    }

    pub fn of(&self, test: &TestId) -> TestKey {
        self.key(self.module(&test.module), self.class(&test.class), self.name(&test.name), test.occurrence)
    }
}
