//! The tests of a suite by number, in their original order: which class each is of, and which tests can meet in a process.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use crate::suite::{ClassId, TestId};

/// Numbers are positions in the original order.
#[derive(Debug, Clone)]
pub struct TestRoster {
    ids: Vec<TestId>,
    classes: Vec<usize>,
    groups: Vec<usize>,
    numbers: HashMap<TestId, usize>,
    /// Which orders count; all of them where there is none.
    build_rules: Option<BuildRules>,
}

/// A build runs every class in one block, and the tests of a class that declares their order in that order. What another order shows
/// no build can show: JUnit makes instances anew, and runs fixtures again, whenever a class is entered once more.
#[derive(Debug, Clone, Default)]
struct BuildRules {
    /// By number: is it of a class that declares the order of its tests?
    ordered: Vec<bool>,
}

impl TestRoster {
    /// Tests of different modules never share a process.
    pub fn by_module(ids: &[TestId]) -> Self {
        Self::new(ids, &numbered(ids.iter().map(|id| &id.module)))
    }

    /// `groups` says for every test which others can run in the same process as it.
    pub fn new(ids: &[TestId], groups: &[usize]) -> Self {
        let group = |number: usize| groups.get(number).copied().unwrap_or_default();
        let classes = numbered(ids.iter().enumerate().map(|(number, id)| (group(number), id.class_id())));
        let numbers = ids.iter().cloned().enumerate().map(|(number, id)| (id, number)).collect();
        let groups = (0..ids.len()).map(group).collect();
        TestRoster { ids: ids.to_vec(), classes, groups, numbers, build_rules: None }
    }

    /// From now on only orders count that a build can produce. These classes declare the order of their tests.
    pub fn only_orders_of_builds(mut self, declaring: &HashSet<ClassId>) -> Self {
        let ordered = self.ids.iter().map(|id| declaring.contains(&id.class_id())).collect();
        self.build_rules = Some(BuildRules { ordered });
        self
    }

    /// Does the test's class declare the order of its tests?
    pub fn declares_order(&self, test: usize) -> bool {
        self.build_rules.as_ref().is_some_and(|rules| rules.ordered[test])
    }

    /// Does what this order shows count? A test may be asked for once only.
    pub fn counts(&self, order: &[usize]) -> bool {
        let Some(rules) = &self.build_rules else { return true };
        let mut left: HashSet<usize> = HashSet::new();
        for pair in order.windows(2) {
            let (before, after) = (pair[0], pair[1]);
            if self.classes[before] == self.classes[after] {
                if rules.ordered[after] && after < before {
                    return false;
                }
            } else {
                left.insert(self.classes[before]);
                if left.contains(&self.classes[after]) {
                    return false;
                }
            }
        }
        true
    }

    /// The same tests before a test, as a build can have them: class by class in the order in which they were left, the test's own
    /// class last, and of a class that declares its order only what comes before the test in it.
    pub fn as_in_a_build(&self, history: &[usize], test: usize) -> Vec<usize> {
        let Some(rules) = &self.build_rules else { return history.to_vec() };
        let own = self.classes[test];
        let backwards = gathered(history.iter().rev().copied(), |earlier| self.classes[earlier]);
        let (mates, others): (Vec<Vec<usize>>, Vec<Vec<usize>>) =
            backwards.into_iter().partition(|class| self.classes[class[0]] == own);
        let mut order = Vec::with_capacity(history.len());
        for mut class in others.into_iter().rev().chain(mates) {
            class.reverse();
            if rules.ordered[class[0]] {
                class.sort_unstable();
                class.retain(|earlier| self.classes[*earlier] != own || *earlier < test);
            }
            order.extend(class);
        }
        order
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
        let roster = TestRoster::by_module(&ids);
        assert_eq!(roster.blocks(&[0, 1, 2, 3]), [vec![vec![0, 3], vec![2]], vec![vec![1]]]);
        assert!(roster.meet(0, 2) && !roster.meet(0, 1) && !roster.meet(0, 0));
        assert_eq!(roster.number(&ids[2]), Some(2));
    }

    #[test]
    fn a_build_enters_a_class_once_and_keeps_the_order_that_it_declares() {
        let ids: Vec<TestId> =
            ["A#a", "A#b", "A#c", "B#x", "B#y", "C#z"].iter().map(|id| id.parse().unwrap()).collect();
        let all = TestRoster::by_module(&ids);
        assert!(all.counts(&[0, 3, 1]) && all.as_in_a_build(&[0, 3], 1) == [0, 3], "without rules everything counts");
        let roster = all.only_orders_of_builds(&HashSet::from([ids[3].class_id()]));
        for (order, counts) in [
            (&[0, 1, 2, 3, 4, 5][..], true),
            (&[5, 2, 0, 1], true),
            (&[0, 3, 1], false),
            (&[0, 5, 3, 4, 1], false),
            (&[3, 4], true),
            (&[4, 3], false),
            (&[4], true),
            (&[], true),
        ] {
            assert_eq!(roster.counts(order), counts, "{order:?}");
        }
        assert_eq!(roster.as_in_a_build(&[0, 3, 2, 5], 1), [3, 5, 0, 2]);
        assert_eq!(roster.as_in_a_build(&[4, 0, 5], 3), [0, 5], "B declares that y comes after x");
        assert_eq!(roster.as_in_a_build(&[4, 3, 0], 5), [3, 4, 0]);
    }
}
