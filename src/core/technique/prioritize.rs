//! Test prioritization: the tests that cover most come first. T1 to T4 are these two functions on statements and on methods.
//!
//! Tests are positions in the original order, which also breaks every tie. `covered` has what each test of the suite covers.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};

use crate::suite::{ElementSet, Union};

/// By how much each test covers, most first.
pub fn by_total(tests: &[usize], covered: &[&ElementSet]) -> Vec<usize> {
    let mut order = tests.to_vec();
    order.sort_by_key(|test| (Reverse(covered[*test].len()), *test));
    order
}

/// Each time the test that covers most of what those before it do not. Once no test adds anything, all counts as uncovered
/// again for the rest. Tests that never add anything come last.
pub fn by_additional(tests: &[usize], covered: &[&ElementSet]) -> Vec<usize> {
    let (mut rest, without) = alike(tests, covered);
    let mut order = Vec::with_capacity(tests.len());
    while !rest.is_empty() {
        one_round(&mut rest, &mut order);
        rest.retain(|group| !group.tests.is_empty());
    }
    order.extend(without);
    order
}

/// Tests that cover the same, in the original order. In a round only one of them can add anything.
struct Alike<'a> {
    covered: &'a ElementSet,
    tests: VecDeque<usize>,
}

/// And apart from them those that cover nothing.
fn alike<'a>(tests: &[usize], covered: &[&'a ElementSet]) -> (Vec<Alike<'a>>, Vec<usize>) {
    let mut sorted = tests.to_vec();
    sorted.sort_unstable();
    let (something, without): (Vec<usize>, Vec<usize>) =
        sorted.into_iter().partition(|test| !covered[*test].is_empty());
    let mut groups: HashMap<&ElementSet, VecDeque<usize>> = HashMap::new();
    something.into_iter().for_each(|test| groups.entry(covered[test]).or_default().push_back(test));
    (groups.into_iter().map(|(covered, tests)| Alike { covered, tests }).collect(), without)
}

/// Takes tests as long as one adds something.
///
/// What a test adds only ever shrinks within a round, so what it added when it was last looked at is a bound: a test that
/// still adds as much as its bound is the best, and few others need another look.
fn one_round(rest: &mut [Alike<'_>], order: &mut Vec<usize>) {
    let mut seen = Union::default();
    let mut bounds: BinaryHeap<(usize, Reverse<usize>, usize)> = BinaryHeap::with_capacity(rest.len());
    for (group, Alike { covered, tests }) in rest.iter().enumerate() {
        bounds.extend(tests.front().map(|first| (covered.len(), Reverse(*first), group)));
    }
    while let Some((bound, first, group)) = bounds.pop() {
        let Alike { covered, tests } = &mut rest[group];
        match covered.adds_to(&seen) {
            0 => {}
            adds if adds == bound => {
                seen.add(covered);
                order.extend(tests.pop_front());
            }
            fewer => bounds.push((fewer, first, group)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sets(matrix: &[&[u32]]) -> Vec<ElementSet> {
        matrix.iter().map(|row| row.iter().copied().collect()).collect()
    }

    fn total(matrix: &[&[u32]]) -> Vec<usize> {
        let sets = sets(matrix);
        by_total(&(0..sets.len()).collect::<Vec<_>>(), &sets.iter().collect::<Vec<_>>())
    }

    fn additional(matrix: &[&[u32]]) -> Vec<usize> {
        let sets = sets(matrix);
        by_additional(&(0..sets.len()).collect::<Vec<_>>(), &sets.iter().collect::<Vec<_>>())
    }

    #[test]
    fn the_original_order_breaks_ties_of_total_coverage() {
        assert_eq!(total(&[&[1], &[1, 2], &[], &[3, 4], &[1, 2, 3], &[9]]), [4, 1, 3, 0, 5, 2]);
    }

    #[test]
    fn additional_coverage_counts_what_is_new_and_ties_keep_the_original_order() {
        // 1 and 4 cover three each; after 1, test 4 adds one and test 2 adds two.
        assert_eq!(additional(&[&[1, 2], &[1, 2, 3], &[4, 5], &[6], &[1, 2, 6]]), [1, 2, 3, 4, 0]);
    }

    #[test]
    fn coverage_is_reset_once_nothing_adds_to_it() {
        // 0 covers all. Then anew: 2 has two, 1 adds one to it, and 3 nothing: anew again.
        assert_eq!(additional(&[&[1, 2, 3], &[1], &[2, 3], &[2], &[]]), [0, 2, 1, 3, 4]);
    }

    #[test]
    fn tests_without_coverage_keep_the_original_order_at_the_end() {
        assert_eq!(additional(&[&[], &[], &[7], &[]]), [2, 0, 1, 3]);
        assert_eq!(total(&[&[], &[], &[7], &[]]), [2, 0, 1, 3]);
    }

    #[test]
    fn only_the_given_tests_are_ordered() {
        let sets = sets(&[&[1], &[1, 2], &[1, 2, 3], &[4]]);
        let covered: Vec<&ElementSet> = sets.iter().collect();
        assert_eq!(by_total(&[0, 1, 3], &covered), [1, 0, 3]);
        assert_eq!(by_additional(&[0, 1, 3], &covered), [1, 3, 0]);
    }

    #[test]
    fn many_tests_that_cover_the_same_are_taken_one_a_round() {
        let (one, other): (ElementSet, ElementSet) = ([1].into_iter().collect(), [1, 2].into_iter().collect());
        let mut covered = vec![&one; 50_000];
        covered[7] = &other;
        let order = by_additional(&(0..covered.len()).collect::<Vec<_>>(), &covered);
        assert_eq!((&order[..3], order[49_999]), (&[7, 0, 1][..], 49_999));
    }

    /// The definition, step by step.
    fn plainly(sets: &[ElementSet]) -> Vec<usize> {
        let (mut order, mut seen) = (Vec::new(), Union::default());
        let mut rest: Vec<usize> = (0..sets.len()).collect();
        while !rest.is_empty() {
            let best = |seen: &Union| {
                let best = rest.iter().map(|test| sets[*test].adds_to(seen)).max().unwrap_or(0);
                (best, rest.iter().position(|test| sets[*test].adds_to(seen) == best).unwrap())
            };
            let (mut adds, mut at) = best(&seen);
            if adds == 0 {
                seen.clear();
                (adds, at) = best(&seen);
            }
            let test = rest.remove(at);
            if adds > 0 {
                seen.add(&sets[test]);
            }
            order.push(test);
        }
        order
    }

    proptest! {
        #[test]
        fn the_quick_way_gives_the_order_of_the_plain_one(
            matrix in proptest::collection::vec(proptest::collection::vec(0u32..12, 0..6), 0..14)
        ) {
            let sets: Vec<ElementSet> = matrix.iter().map(|row| row.iter().copied().collect()).collect();
            let all: Vec<usize> = (0..sets.len()).collect();
            prop_assert_eq!(by_additional(&all, &sets.iter().collect::<Vec<_>>()), plainly(&sets));
        }
    }
}
