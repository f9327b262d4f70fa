//! The tests of a suite by number, in their original order: which class each is of, and which tests can meet in a process.

use std::collections::HashMap;
use std::hash::Hash;

use crate::suite::TestId;

/// Numbers are positions in the original order.
#[derive(Debug, Clone)]
pub struct Roster {
    ids: Vec<TestId>,
    classes: Vec<usize>,
    groups: Vec<usize>,
    numbers: HashMap<TestId, usize>,
}

impl Roster {
    /// Tests of different modules never share a process.
    pub fn by_module(ids: &[TestId]) -> Self {
        Self::new(ids, &numbered(ids.iter().map(|id| &id.module)))
    }

    /// `groups` says for every test which others can run in the same process as it.
    pub fn new(ids: &[TestId], groups: &[usize]) -> Self {
        let group = |number: usize| groups.get(number).copied().unwrap_or_default();
        let classes = numbered(ids.iter().enumerate().map(|(number, id)| (group(number), id.class_id())));
        let numbers = ids.iter().cloned().enumerate().map(|(number, id)| (id, number)).collect();
        Roster { ids: ids.to_vec(), classes, groups: (0..ids.len()).map(group).collect(), numbers }
    }

    pub fn len(&self) -> usize {
        self.ids.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    pub fn id(&self, test: usize) -> &TestId {
        &self.ids[test]
    }

    pub fn ids(&self, tests: &[usize]) -> Vec<TestId> {
        tests.iter().map(|test| self.ids[*test].clone()).collect()
    }

    pub fn number(&self, id: &TestId) -> Option<usize> {
        self.numbers.get(id).copied()
    }

    pub fn class(&self, test: usize) -> usize {
        self.classes[test]
    }

    /// Can the two run in one process?
    pub fn meet(&self, one: usize, other: usize) -> bool {
        one != other && self.groups[one] == self.groups[other]
    }

    pub fn groups(&self) -> &[usize] {
        &self.groups
    }

    /// These tests by group and class, both in order of their first test.
    pub fn blocks(&self, tests: &[usize]) -> Vec<Vec<Vec<usize>>> {
        let by_group = gathered(tests.iter().copied(), |test| self.groups[test]);
        by_group.into_iter().map(|group| gathered(group.into_iter(), |test| self.classes[test])).collect()
    }
}

/// Equal keys get equal numbers, in order of first sight.
fn numbered<K: Eq + Hash>(keys: impl Iterator<Item = K>) -> Vec<usize> {
    let mut seen: HashMap<K, usize> = HashMap::new();
    let mut number = |key| {
        let next = seen.len();
        *seen.entry(key).or_insert(next)
    };
    keys.map(&mut number).collect()
}

fn gathered(tests: impl Iterator<Item = usize>, key: impl Fn(usize) -> usize) -> Vec<Vec<usize>> {
    let (mut places, mut gathered): (HashMap<usize, usize>, Vec<Vec<usize>>) = (HashMap::new(), Vec::new());
    for test in tests {
        let place = *places.entry(key(test)).or_insert(gathered.len());
        match gathered.get_mut(place) {
            Some(members) => members.push(test),
            None => gathered.push(vec![test]),
        }
    }
    gathered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_gathered_by_process_and_class() {
        let ids: Vec<TestId> =
            ["m:a.A#x", "n:a.A#x", "m:a.B#y", "m:a.A#z"].iter().map(|id| id.parse().unwrap()).collect();
        let roster = Roster::by_module(&ids);
        assert_eq!(roster.blocks(&[0, 1, 2, 3]), [vec![vec![0, 3], vec![2]], vec![vec![1]]]);
        assert!(roster.meet(0, 2) && !roster.meet(0, 1) && !roster.meet(0, 0));
        assert_eq!(roster.number(&ids[2]), Some(2));
    }
}
