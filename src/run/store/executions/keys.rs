//! Tests told apart by hashes of their names, alike in all row groups and threads.
//!
//! The hashes of module, class and name are added up: a word costs its hash once per row group, and a row three additions. Two
//! hashes of 64 bits, by keys that nobody knows beforehand, make it as good as certain that different tests stay different.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};

use super::Fault;
use super::column::Names;
use super::source::Group;
use crate::suite::TestId;

pub type TestKey = (u64, u64);

/// Something by test. The keys are hashes already.
pub type ByTest<T> = HashMap<TestKey, T, BuildHasherDefault<AsItIs>>;

/// Takes the first number that it is given for the hash.
#[derive(Debug, Default)]
pub struct AsItIs(Option<u64>);

impl Hasher for AsItIs {
    fn write(&mut self, bytes: &[u8]) {
        let sum = bytes.iter().fold(0, |sum: u64, byte| sum.wrapping_mul(257).wrapping_add(u64::from(*byte)));
        self.write_u64(sum);
    }

    fn write_u64(&mut self, number: u64) {
        self.0.get_or_insert(number);
    }

    fn finish(&self) -> u64 {
        self.0.unwrap_or(0)
    }
}

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

    fn module(&self, word: &str) -> TestKey {
        self.word(1, word)
    }

    pub fn class(&self, word: &str) -> TestKey {
        self.word(2, word)
    }

    fn name(&self, word: &str) -> TestKey {
        self.word(3, word)
    }

    fn key(&self, module: TestKey, class: TestKey, name: TestKey, occurrence: u32) -> TestKey {
        let lane = |module: u64, class: u64, name: u64, times: u64| {
            module.wrapping_add(class).wrapping_add(name).wrapping_add(times.wrapping_mul(u64::from(occurrence)))
        };
        (lane(module.0, class.0, name.0, self.occurrence.0), lane(module.1, class.1, name.1, self.occurrence.1))
    }

    pub fn of(&self, test: &TestId) -> TestKey {
        self.key(self.module(&test.module), self.class(&test.class), self.name(&test.name), test.occurrence)
    }
}

/// The tests of a row group's rows: the four columns that tell them apart, and the hash of every word.
pub struct Tests {
    module: Names,
    class: Names,
    name: Names,
    occurrence: Vec<u32>,
    modules: Vec<TestKey>,
    classes: Vec<TestKey>,
    names: Vec<TestKey>,
    nested: Vec<bool>,
    whole_classes: Vec<u32>,
}

impl Tests {
    pub fn read(group: &Group<'_>, hashes: &Hashes) -> Result<Self, Fault> {
        let (module, class, name) = (group.names("module")?, group.names("class")?, group.names("name")?);
        let whole_classes = name.words().zip(0..).filter(|(word, _)| *word == TestId::WHOLE_CLASS);
        Ok(Tests {
            occurrence: group.counts("occurrence")?,
            modules: module.words().map(|word| hashes.module(word)).collect(),
            classes: class.words().map(|word| hashes.class(word)).collect(),
            names: name.words().map(|word| hashes.name(word)).collect(),
            nested: class.words().map(|word| word.contains('$')).collect(),
            whole_classes: whole_classes.map(|(_, code)| code).collect(),
            module,
            class,
            name,
        })
    }

    pub fn key(&self, row: usize, hashes: &Hashes) -> TestKey {
        let module = self.modules[self.module.codes[row] as usize];
        let class = self.classes[self.class.codes[row] as usize];
        hashes.key(module, class, self.names[self.name.codes[row] as usize], self.occurrence[row])
    }

    /// Of the row's module and class.
    pub fn class_key(&self, row: usize) -> u64 {
        let module = self.modules[self.module.codes[row] as usize];
        module.0.wrapping_add(self.classes[self.class.codes[row] as usize].0)
    }

    /// Is the row's class in another one, by its name?
    pub fn is_nested(&self, row: usize) -> bool {
        self.nested[self.class.codes[row] as usize]
    }

    /// The classes that the row's class is in, by their keys.
    pub fn outer_classes(&self, row: usize, hashes: &Hashes) -> Vec<u64> {
        let module = self.modules[self.module.codes[row] as usize];
        let class = self.class.of_row(row);
        class.match_indices('$').map(|(at, _)| hashes.class(&class[..at]).0.wrapping_add(module.0)).collect()
    }

    pub fn is_whole_class(&self, row: usize) -> bool {
        !self.whole_classes.is_empty() && self.whole_classes.contains(&self.name.codes[row])
    }

    pub fn id(&self, row: usize) -> TestId {
        TestId::new(self.module.of_row(row), self.class.of_row(row), self.name.of_row(row), self.occurrence[row])
    }
}
