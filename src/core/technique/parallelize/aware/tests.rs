use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::suite::{Dependency, DependencyGraph, TestId};
use crate::technique::parallelize::lower_bound;

struct Suite {
    work: Vec<u64>,
    precedence: Precedence,
}

impl Suite {
    /// Pairs of a test and what it needs, and of a test and one that fails after it.
    fn new(work: &[u64], needs: &[(usize, &[usize])], breaks: &[(usize, usize)]) -> Self {
        let id = |test: usize| TestId::new("", "C", &format!("t{test}"), 1);
        let suite: Vec<TestId> = (0..work.len()).map(id).collect();
        let blank = |test| Dependency { test: id(test), after: vec![], not_after: vec![], cleaners: vec![] };
        let mut dependencies: BTreeMap<usize, Dependency> = BTreeMap::new();
        for (test, needed) in needs {
            let dependency = dependencies.entry(*test).or_insert_with(|| blank(*test));
            dependency.after.push(needed.iter().copied().map(id).collect());
        }
        for (polluter, victim) in breaks {
            dependencies.entry(*victim).or_insert_with(|| blank(*victim)).not_after.push(vec![id(*polluter)]);
        }
        let graph = DependencyGraph::new(dependencies.into_values().collect(), &suite).unwrap();
        Suite { work: work.to_vec(), precedence: graph.precedence() }
    }

    /// Tests of very different lengths; a tenth needs one to three tests before it, some fail after a later one.
    fn random(tests: usize, seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut below = |limit: usize| (random.next_u64() % limit.max(1) as u64) as usize;
        let work: Vec<u64> =
            (0..tests).map(|_| 1 + (below(10_000) * below(100)) as u64 / (1 + below(50)) as u64).collect();
        let dependent: BTreeSet<usize> = (0..tests / 10).map(|_| 1 + below(tests - 1)).collect();
        let needs: Vec<(usize, Vec<usize>)> =
            dependent.into_iter().map(|test| (test, (0..=below(3)).map(|_| below(test)).collect())).collect();
        let needs: Vec<(usize, &[usize])> = needs.iter().map(|(test, needed)| (*test, &needed[..])).collect();
        let polluters: Vec<usize> = (0..tests.min(200) / 10).map(|_| 1 + below(tests - 1)).collect();
        let breaks: Vec<(usize, usize)> = polluters.into_iter().map(|polluter| (polluter, below(polluter))).collect();
        Suite::new(&work, &needs, &breaks)
    }

    /// What a machine runs is given to it, or needed by what is.
    fn everything_is_given_or_needed(&self, kept: &KeptDependencies) {
        for (given, queue) in kept.given.iter().zip(&kept.queues) {
            let (mut needed, mut open) = (BTreeSet::new(), given.clone());
            while let Some(test) = open.pop() {
                if needed.insert(test) {
                    open.extend(self.precedence.needs(test));
                }
            }
            assert!(queue.iter().all(|test| needed.contains(test)), "nobody needs all of {queue:?}: {given:?}");
        }
        let given: Vec<usize> = kept.given.concat();
        assert_eq!(given.iter().collect::<BTreeSet<_>>().len(), given.len(), "a test is given to one machine");
    }

    fn bound(&self, machines: usize) -> u64 {
        lower_bound(&self.work, &self.precedence, machines)
    }

    fn enhanced_p2(&self, machines: usize) -> u64 {
        makespan(&enhance_each(&by_time(&self.work, machines), &self.precedence), &self.work)
    }

    /// P3's makespan, after a look at all that a schedule must be.
    fn p3(&self, machines: usize) -> u64 {
        let kept = aware(&self.work, &self.precedence, machines);
        self.everything_is_given_or_needed(&kept);
        let queues = kept.queues;
        assert_eq!(queues.len(), machines);
        let ran: BTreeSet<usize> = queues.iter().flatten().copied().collect();
        assert_eq!(ran.len(), self.work.len(), "no test is lost");
        for queue in &queues {
            let mut at = vec![usize::MAX; self.work.len()];
            queue.iter().enumerate().for_each(|(place, test)| at[*test] = place);
            assert_eq!(queue.iter().collect::<BTreeSet<_>>().len(), queue.len(), "none comes twice on a machine");
            for test in queue {
                assert!(self.precedence.needs(*test).iter().all(|needed| at[*needed] < at[*test]));
                assert!(
                    self.precedence
                        .breaks(*test)
                        .iter()
                        .all(|victim| at[*victim] == usize::MAX || at[*victim] < at[*test])
                );
            }
        }
        let end = makespan(&queues, &self.work);
        assert!(end <= self.enhanced_p2(machines) && end >= self.bound(machines));
        end
    }
}

#[test]
fn a_costly_dependee_is_run_once_and_its_chain_kept_together() {
    let suite = Suite::new(&[10, 2, 2, 2, 3, 3], &[(1, &[0]), (2, &[0]), (3, &[0])], &[]);
    assert_eq!((suite.p3(2), suite.enhanced_p2(2)), (16, 20));
}

#[test]
fn a_cheap_dependee_is_repeated() {
    let suite = Suite::new(&[1, 8, 8, 8], &[(1, &[0]), (2, &[0]), (3, &[0])], &[]);
    assert_eq!((suite.p3(3), suite.bound(3)), (9, 9));
}

#[test]
fn a_long_chain_is_the_lower_bound() {
    let suite = Suite::new(&[3, 3, 3, 1, 1], &[(1, &[0]), (2, &[1])], &[]);
    assert_eq!((suite.p3(4), suite.bound(4)), (9, 9));
}

#[test]
fn a_chain_runs_on_one_machine_only() {
    let suite = Suite::new(&[1, 1, 1], &[(1, &[0]), (2, &[1])], &[]);
    let kept = aware(&suite.work, &suite.precedence, 2);
    assert_eq!(kept.queues, [vec![0, 1, 2], vec![]]);
}

#[test]
fn what_two_needs_share_is_counted_once() {
    let suite = Suite::new(&[5, 1, 1, 1], &[(1, &[0]), (2, &[0]), (3, &[1, 2])], &[]);
    assert_eq!((suite.p3(2), suite.bound(2)), (8, 8));
}

#[test]
fn without_tests_or_with_more_machines_than_tests_there_is_a_schedule_too() {
    assert_eq!(Suite::new(&[], &[], &[]).p3(3), 0);
    assert_eq!(Suite::new(&[4, 2], &[], &[]).p3(5), 4);
    assert_eq!(Suite::new(&[0, 0], &[(1, &[0])], &[]).p3(1), 0);
}

/// Chains cost something that the bound does not know of: several machines run what all of them need.
#[test]
fn random_suites_of_ten_to_a_hundred_thousand_tests_end_close_to_the_bound() {
    for (tests, machines, at_most) in
        [(10, 2, 1.15), (100, 4, 1.1), (1_000, 16, 1.02), (10_000, 64, 1.01), (100_000, 256, 1.01)]
    {
        for seed in 1..=if tests > 1_000 { 1 } else { 20 } {
            let suite = Suite::random(tests, seed);
            let ratio = suite.p3(machines) as f64 / suite.bound(machines) as f64;
            assert!(ratio <= at_most, "{tests} tests on {machines} machines, seed {seed}: {ratio}");
        }
    }
}

proptest! {
    #[test]
    fn it_is_a_schedule_and_never_worse_than_the_enhanced_p2(tests in 2usize..40, machines in 1usize..6, seed in any::<u64>()) {
        Suite::random(tests, seed).p3(machines);
    }
}

/// Two pairs that break each other, on as many machines.
fn with_conflicts(work: &[u64], tests: &[[usize; 2]], cleaners: &[usize]) -> Suite {
    let id = |test: usize| TestId::new("", "C", &format!("t{test}"), 1);
    let quoted = |tests: &[usize]| tests.iter().map(|test| format!("'{}'", id(*test))).collect::<Vec<_>>().join(", ");
    let conflict =
        |tests: &[usize; 2]| format!("[[conflict]]\ntests = [{}]\ncleaners = [{}]\n", quoted(tests), quoted(cleaners));
    let text = format!("version = 1\n{}", tests.iter().map(conflict).collect::<String>());
    let graph = DependencyGraph::parse(&text, |_| (0..work.len()).map(id).collect()).unwrap();
    Suite { work: work.to_vec(), precedence: graph.precedence() }
}

#[test]
fn tests_that_break_each_other_run_on_different_machines() {
    let suite = with_conflicts(&[3, 1, 3, 1], &[[0, 1], [2, 3]], &[]);
    let kept = aware(&suite.work, &suite.precedence, 2);
    assert_eq!((kept.breaches(), makespan(&kept.queues, &suite.work)), (0, 4));
    assert_eq!(aware(&suite.work, &suite.precedence, 1).breaches(), 2, "one machine cannot keep them apart");
}

#[test]
fn on_one_machine_a_cleaner_comes_between() {
    let suite = with_conflicts(&[1, 1, 1], &[[0, 2]], &[1]);
    assert_eq!(aware(&suite.work, &suite.precedence, 1).breaches(), 0);
    let kept = aware(&suite.work, &suite.precedence, 2);
    assert_eq!((kept.breaches(), makespan(&kept.queues, &suite.work)), (0, 2));
}

proptest! {
    #[test]
    fn with_conflicts_it_breaks_no_more_than_the_enhanced_p2(
        work in proptest::collection::vec(0u64..9, 4..12),
        pairs in proptest::collection::vec((0usize..4, 0usize..4, 0usize..4), 1..5),
        machines in 1usize..4,
    ) {
        let tests: Vec<[usize; 2]> = pairs.iter().filter(|(a, b, _)| a != b).map(|(a, b, _)| [*a, *b]).collect();
        let suite = with_conflicts(&work, &tests, &[pairs[0].2]);
        let p3 = aware(&suite.work, &suite.precedence, machines);
        let p2 = enhance_apart(by_time(&work, machines), &suite.precedence, |test| work[test]);
        let worth = |kept: &KeptDependencies| (kept.breaches(), makespan(&kept.queues, &work));
        prop_assert!(worth(&p3) <= worth(&p2), "{:?} {:?}", p3, p2);
        let ran: BTreeSet<usize> = p3.queues.iter().flatten().copied().collect();
        prop_assert_eq!(ran.len(), work.len());
    }
}
