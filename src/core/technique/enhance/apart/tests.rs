use proptest::prelude::*;

use super::super::{enhance, enhance_each};
use super::*;
use crate::suite::{Conflict, Dependency, DependencyGraph, TestId, dependency_file};

fn id(position: usize) -> TestId {
    TestId::new("", "C", &format!("t{position:02}"), 1)
}

fn ids(tests: &[usize]) -> Vec<TestId> {
    tests.iter().copied().map(id).collect()
}

fn depends(test: usize, after: &[usize], not_after: &[usize]) -> Dependency {
    let after = if after.is_empty() { vec![] } else { vec![ids(after)] };
    Dependency {
        test: id(test),
        after,
        not_after: not_after.iter().map(|test| ids(&[*test])).collect(),
        cleaners: vec![],
    }
}

/// Tests that break each other.
fn apart(tests: &[usize], cleaners: &[usize]) -> Conflict {
    Conflict { tests: ids(tests), victims: vec![], cleaners: ids(cleaners) }
}

/// The last of the tests fails after all of the others.
fn breaks(tests: &[usize], cleaners: &[usize]) -> Conflict {
    Conflict { victims: ids(&tests[tests.len() - 1..]), ..apart(tests, cleaners) }
}

fn precedence(tests: usize, dependencies: &[Dependency], conflicts: &[Conflict]) -> Precedence {
    let text = dependency_file::text_of_detected(dependencies, conflicts, &[]).unwrap();
    let suite: Vec<TestId> = (0..tests).map(id).collect();
    DependencyGraph::parse(&text, |_| suite).unwrap().precedence()
}

fn kept(given: &[&[usize]], precedence: &Precedence) -> KeptDependencies {
    enhance_apart(given.iter().map(|given| given.to_vec()).collect(), precedence, |_| 1)
}

fn one(given: &[usize], precedence: &Precedence) -> (Vec<usize>, usize) {
    let kept = kept(&[given], precedence);
    (kept.queues.concat(), kept.breaches())
}

#[test]
fn a_cleaner_that_is_run_anyway_comes_between() {
    let precedence = precedence(3, &[], &[apart(&[0, 2], &[1])]);
    assert_eq!(one(&[2, 0, 1], &precedence), (vec![2, 1, 0], 0));
    assert_eq!(one(&[1, 0, 2], &precedence), (vec![0, 1, 2], 0));
    assert_eq!(one(&[0, 1, 2], &precedence), (vec![0, 1, 2], 0), "nothing has to move");
}

#[test]
fn a_cleaner_that_was_left_out_is_added_with_what_it_needs() {
    let precedence = precedence(4, &[depends(1, &[0], &[])], &[apart(&[2, 3], &[1])]);
    assert_eq!(one(&[3, 2], &precedence), (vec![3, 0, 1, 2], 0));
}

#[test]
fn what_only_one_of_them_breaks_is_run_before_it() {
    let precedence = precedence(3, &[], &[breaks(&[0, 2], &[])]);
    assert_eq!(one(&[0, 1, 2], &precedence), (vec![2, 0, 1], 0));
    assert_eq!(one(&[2, 0], &precedence), (vec![2, 0], 0));
}

/// `3` needs `2`, that needs `0`, which breaks `3` but for the cleaner `1`.
#[test]
fn a_polluter_that_its_victim_needs_is_cleaned_up_after() {
    let precedence = precedence(4, &[depends(2, &[0], &[]), depends(3, &[2], &[])], &[breaks(&[0, 3], &[1])]);
    assert_eq!(one(&[3, 0, 1, 2], &precedence), (vec![0, 1, 2, 3], 0));
}

#[test]
fn a_cleaner_that_cannot_come_between_leaves_a_breach() {
    let precedence = precedence(3, &[depends(0, &[1], &[])], &[breaks(&[0, 2], &[1])]);
    let needs_the_polluter =
        self::precedence(3, &[depends(0, &[1], &[]), depends(2, &[0], &[])], &[breaks(&[0, 2], &[1])]);
    assert_eq!(one(&[0, 2], &precedence), (vec![2, 1, 0], 0));
    assert_eq!(one(&[0, 2], &needs_the_polluter), (vec![1, 0, 2], 1));
    assert_eq!(one(&[0, 1], &self::precedence(2, &[], &[apart(&[0, 1], &[])])), (vec![0, 1], 1));
}

#[test]
fn a_group_harms_only_as_a_whole() {
    let precedence = precedence(4, &[], &[breaks(&[0, 1, 3], &[])]);
    assert_eq!(one(&[0, 3, 1], &precedence), (vec![0, 3, 1], 0));
    assert_eq!(one(&[0, 1, 3], &precedence), (vec![0, 3, 1], 0));
}

#[test]
fn without_a_cleaner_they_go_to_different_machines() {
    let precedence = precedence(4, &[depends(1, &[3], &[])], &[apart(&[0, 1], &[])]);
    let kept = kept(&[&[0, 1], &[2], &[]], &precedence);
    assert_eq!((kept.queues, kept.given.concat().len()), (vec![vec![0], vec![2], vec![3, 1]], 3));
    assert!(kept.broken.concat().is_empty());
}

#[test]
fn a_sequence_is_kept_where_its_owner_runs_and_only_there() {
    let precedence = precedence(4, &[depends(2, &[0, 1], &[])], &[]);
    assert_eq!(one(&[1, 0, 2], &precedence), (vec![0, 1, 2], 0));
    assert_eq!(one(&[1, 0], &precedence), (vec![1, 0], 0), "nobody needs them in order");
    assert_eq!(one(&[2], &precedence), (vec![0, 1, 2], 0));
}

#[test]
fn sequences_that_contradict_each_other_are_given_up_for_sets() {
    let dependencies = [depends(2, &[0, 1], &[]), depends(3, &[1, 0], &[])];
    let precedence = precedence(4, &dependencies, &[]);
    assert_eq!(one(&[1, 3, 2, 0], &precedence), (vec![1, 0, 3, 2], 0));
}

#[test]
fn one_cleaner_can_come_between_many() {
    let conflicts: Vec<Conflict> = (0..40).map(|test| apart(&[2 * test, 2 * test + 1], &[80])).collect();
    let precedence = precedence(81, &[], &conflicts);
    let all: Vec<usize> = (0..81).collect();
    let (order, broken) = one(&all, &precedence);
    assert_eq!((order.len(), broken), (81, 0), "{order:?}");
}

#[derive(Debug, Clone)]
struct Case {
    precedence: Precedence,
    given: Vec<Vec<usize>>,
    needs: Vec<(usize, usize)>,
    breaks: Vec<(usize, usize)>,
}

fn cases() -> impl Strategy<Value = Case> {
    (3usize..12).prop_flat_map(|tests| {
        let shuffled = Just((0..tests).collect::<Vec<_>>()).prop_shuffle();
        let machines = proptest::collection::vec(0usize..4, tests);
        let pairs = || proptest::collection::btree_set((0..tests, 0..tests), 0..5);
        let conflicts = proptest::collection::vec((0..tests, 0..tests, 0..tests, any::<bool>()), 0..4);
        (shuffled, machines, pairs(), pairs(), conflicts).prop_map(
            move |(shuffled, machines, needs, breaks, conflicts)| {
                let needs: Vec<(usize, usize)> = needs.into_iter().filter(|(dependee, test)| dependee < test).collect();
                let breaks: Vec<(usize, usize)> =
                    breaks.into_iter().filter(|(polluter, test)| test < polluter).collect();
                let of = |pairs: &[(usize, usize)], test: usize| -> Vec<usize> {
                    pairs.iter().filter(|pair| pair.1 == test).map(|pair| pair.0).collect()
                };
                let dependencies: Vec<Dependency> = (0..tests)
                    .map(|test| depends(test, &of(&needs, test), &of(&breaks, test)))
                    .filter(|dependency| !dependency.after.is_empty() || !dependency.not_after.is_empty())
                    .collect();
                let conflicts: Vec<Conflict> =
                    conflicts
                        .into_iter()
                        .filter(|(one, other, ..)| one != other)
                        .map(|(one, other, cleaner, both)| {
                            if both {
                                apart(&[one, other], &[cleaner])
                            } else {
                                self::breaks(&[one, other], &[cleaner])
                            }
                        })
                        .collect();
                // Machine 3 is none: those tests are not selected.
                let on = |machine: usize| shuffled.iter().copied().filter(|test| machines[*test] == machine).collect();
                let given = (0..3).map(on).collect();
                Case { precedence: precedence(tests, &dependencies, &conflicts), given, needs, breaks }
            },
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn every_dependency_is_kept_no_test_is_lost_and_what_is_broken_is_told(case in cases()) {
        let kept = enhance_apart(case.given.clone(), &case.precedence, |_| 1);
        let ran: BTreeSet<usize> = kept.queues.iter().flatten().copied().collect();
        prop_assert!(case.given.iter().flatten().all(|test| ran.contains(test)));
        for (queue, broken) in kept.queues.iter().zip(&kept.broken) {
            let at = |test: usize| queue.iter().position(|other| *other == test);
            prop_assert_eq!(queue.iter().collect::<BTreeSet<_>>().len(), queue.len());
            for (dependee, test) in &case.needs {
                prop_assert!(at(*test).is_none() || (at(*dependee).is_some() && at(*dependee) < at(*test)));
            }
            for (polluter, victim) in &case.breaks {
                prop_assert!(at(*polluter).is_none() || at(*victim).is_none() || at(*victim) < at(*polluter));
            }
            for (number, apart) in case.precedence.separations().iter().enumerate() {
                let victim = at(apart.victim);
                let polluter = at(apart.polluters[0]);
                let cleaned = apart.cleaners.iter().any(|cleaner| at(*cleaner) > polluter && at(*cleaner) < victim);
                let breaks = polluter.is_some() && polluter < victim && !cleaned;
                prop_assert_eq!(breaks, broken.contains(&number), "{:?} in {:?}", apart, queue);
            }
        }
    }

    #[test]
    fn conflicts_make_nothing_worse_and_without_them_it_is_figure_2(case in cases()) {
        let kept = enhance_apart(case.given.clone(), &case.precedence, |_| 1);
        let plain = enhance_each(&case.given, &case.precedence);
        let keeper = Keeper::of(&case.precedence);
        let before: usize = plain.iter().map(|queue| keeper.breaches(queue).len()).sum();
        prop_assert!(kept.breaches() <= before);
        if before == 0 {
            prop_assert_eq!(kept.queues, plain);
        }
        prop_assert_eq!(enhance(&case.given[0], &case.precedence), enhance_each(&case.given[..1], &case.precedence).concat());
    }
}
