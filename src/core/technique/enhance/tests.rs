use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;
use crate::suite::{Dependency, DependencyGraph, TestId};

fn id(position: usize) -> TestId {
    TestId::new("", "C", &format!("t{position}"), 1)
}

/// Pairs `(p, d)`: d passes only after p, d fails after p.
type Pairs = BTreeSet<(usize, usize)>;

fn precedence(tests: usize, positive: &Pairs, negative: &Pairs) -> Precedence {
    let mut dependencies: BTreeMap<usize, Dependency> = BTreeMap::new();
    let blank = |test| Dependency { test: id(test), after: vec![], not_after: vec![], cleaners: vec![] };
    for (dependee, test) in positive {
        let after = &mut dependencies.entry(*test).or_insert_with(|| blank(*test)).after;
        if after.is_empty() {
            after.push(vec![]);
        }
        after[0].push(id(*dependee));
    }
    for (dependee, test) in negative {
        dependencies.entry(*test).or_insert_with(|| blank(*test)).not_after.push(vec![id(*dependee)]);
    }
    let suite: Vec<TestId> = (0..tests).map(id).collect();
    DependencyGraph::new(dependencies.into_values().collect(), &suite).unwrap().precedence()
}

fn enhanced(
    unenhanced: &[usize],
    tests: usize,
    positive: &[(usize, usize)],
    negative: &[(usize, usize)],
) -> Vec<usize> {
    let pairs = |pairs: &[(usize, usize)]| pairs.iter().copied().collect();
    enhance(unenhanced, &precedence(tests, &pairs(positive), &pairs(negative)))
}

/// Figure 2 line by line: sets, recursion and all. Tests are positions, so the original order is that of the numbers.
mod figure_2 {
    use super::Pairs;

    pub fn enhance_order(t_u: &[usize], p: &Pairs, n: &Pairs) -> Vec<usize> {
        let mut t_e = Vec::new();
        let t_a = transitive_dependees(t_u, p);
        for t in t_u {
            if t_e.contains(t) {
                continue;
            }
            t_e = add_test(*t, t_e, t_u, &t_a, p, n);
        }
        t_e
    }

    fn transitive_dependees(t_u: &[usize], p: &Pairs) -> Vec<usize> {
        let mut t_a = t_u.to_vec();
        while let Some((dependee, _)) = p.iter().find(|(dependee, d)| t_a.contains(d) && !t_a.contains(dependee)) {
            t_a.push(*dependee);
        }
        t_a
    }

    fn add_test(t: usize, t_e: Vec<usize>, t_u: &[usize], t_a: &[usize], p: &Pairs, n: &Pairs) -> Vec<usize> {
        let mut union: Vec<usize> = t_u.iter().chain(t_a).copied().collect();
        union.sort_unstable();
        union.dedup();
        let b: Vec<usize> =
            union.into_iter().filter(|other| p.contains(&(*other, t)) || n.contains(&(t, *other))).collect();
        let in_unenhanced = t_u.iter().filter(|test| b.contains(test));
        let outside = b.iter().filter(|test| !t_u.contains(test));
        let l: Vec<usize> = in_unenhanced.chain(outside).copied().collect();
        let mut t_e = t_e;
        for b in l {
            if t_e.contains(&b) {
                continue;
            }
            t_e = add_test(b, t_e, t_u, t_a, p, n);
        }
        t_e.push(t);
        t_e
    }
}

#[test]
fn the_example_of_figure_1() {
    assert_eq!(enhanced(&[2, 1, 0, 3], 4, &[(0, 1)], &[]), [2, 0, 1, 3]);
}

#[test]
fn what_a_selection_left_out_is_added_with_all_that_it_needs_in_turn() {
    assert_eq!(enhanced(&[4], 5, &[(3, 4), (1, 4), (0, 3)], &[]), [1, 0, 3, 4]);
}

#[test]
fn what_is_there_comes_before_what_is_added() {
    assert_eq!(enhanced(&[3, 2], 4, &[(0, 3), (2, 3)], &[]), [2, 0, 3]);
}

#[test]
fn a_victim_is_moved_before_its_polluter_but_never_added() {
    assert_eq!(enhanced(&[2, 0], 3, &[], &[(2, 0), (2, 1)]), [0, 2]);
    assert_eq!(enhanced(&[2], 3, &[], &[(2, 0)]), [2]);
}

#[test]
fn an_added_test_that_is_a_victim_comes_before_its_polluter() {
    assert_eq!(enhanced(&[3, 2], 4, &[(0, 2)], &[(3, 0)]), [0, 3, 2]);
}

#[test]
fn a_chain_longer_than_the_stack_is_deep_is_no_trouble() {
    let tests = 100_000;
    let chain: Vec<(usize, usize)> = (1..tests).map(|test| (test - 1, test)).collect();
    assert_eq!(enhanced(&[tests - 1], tests, &chain, &[]), (0..tests).collect::<Vec<_>>());
}

#[derive(Debug, Clone)]
struct Case {
    tests: usize,
    unenhanced: Vec<usize>,
    positive: Pairs,
    negative: Pairs,
}

/// Any part of a suite in any order; dependencies that the original order satisfies, as the study assumes.
fn cases() -> impl Strategy<Value = Case> {
    (1usize..12).prop_flat_map(|tests| {
        let subset = proptest::collection::vec(any::<bool>(), tests);
        let shuffled = Just((0..tests).collect::<Vec<_>>()).prop_shuffle();
        let pairs = || proptest::collection::btree_set((0..tests, 0..tests), 0..10);
        (subset, shuffled, pairs(), pairs()).prop_map(move |(subset, shuffled, positive, negative)| {
            let unenhanced = shuffled.into_iter().filter(|test| subset[*test]).collect();
            let positive = positive.into_iter().filter(|(dependee, test)| dependee < test).collect();
            let negative = negative.into_iter().filter(|(dependee, test)| test < dependee).collect();
            Case { tests, unenhanced, positive, negative }
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn it_is_figure_2(case in cases()) {
        let order = enhance(&case.unenhanced, &precedence(case.tests, &case.positive, &case.negative));
        prop_assert_eq!(order, figure_2::enhance_order(&case.unenhanced, &case.positive, &case.negative));
    }

    #[test]
    fn every_dependency_is_satisfied_no_test_is_lost_and_none_comes_twice(case in cases()) {
        let order = enhance(&case.unenhanced, &precedence(case.tests, &case.positive, &case.negative));
        let at = |test: &usize| order.iter().position(|other| other == test);
        for test in &case.unenhanced {
            prop_assert_eq!(order.iter().filter(|other| *other == test).count(), 1);
        }
        for (dependee, test) in &case.positive {
            prop_assert!(at(test).is_none() || (at(dependee).is_some() && at(dependee) < at(test)));
        }
        for (polluter, victim) in &case.negative {
            prop_assert!(at(polluter).is_none() || at(victim).is_none() || at(victim) < at(polluter));
        }
        let unique: BTreeSet<&usize> = order.iter().collect();
        prop_assert_eq!(unique.len(), order.len());
    }

    #[test]
    fn an_order_that_satisfies_all_stays_as_it_is(case in cases()) {
        let precedence = precedence(case.tests, &case.positive, &case.negative);
        let order = enhance(&case.unenhanced, &precedence);
        prop_assert_eq!(enhance(&order, &precedence), order);
        let original: Vec<usize> = (0..case.tests).collect();
        prop_assert_eq!(enhance(&original, &precedence), original);
    }
}
