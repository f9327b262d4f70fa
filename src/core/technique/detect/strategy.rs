//! Which orders to try: pure generators, the same for the same seed. They run nothing and know no outcome.

use std::fmt;
use std::iter;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Serialize, Serializer};

use super::roster::TestRoster;
use super::square;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Strategy {
    /// Everything, last first.
    Reverse,
    /// Classes, last first; each class as it is.
    ReverseClasses,
    /// Each class, last test first; classes as they are.
    ReverseMethods,
    RandomClasses,
    RandomMethods,
    /// Classes in random order, and their tests in random order.
    RandomClassMethod,
    /// All tests in random order, across classes.
    RandomInterleaved,
    /// Every sequence of `k` tests.
    Exhaustive,
    /// Of the sequences of up to `k` tests, those in which each but the last can matter to a later one.
    DependenceAware,
    /// Each test alone.
    Isolation,
    /// Every test right after every other.
    Pairs,
}

impl Strategy {
    pub const ALL: [Strategy; 11] = [
        Strategy::Reverse,
        Strategy::ReverseClasses,
        Strategy::ReverseMethods,
        Strategy::RandomClasses,
        Strategy::RandomMethods,
        Strategy::RandomClassMethod,
        Strategy::RandomInterleaved,
        Strategy::Exhaustive,
        Strategy::DependenceAware,
        Strategy::Isolation,
        Strategy::Pairs,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Strategy::Reverse => "reverse",
            Strategy::ReverseClasses => "reverse-classes",
            Strategy::ReverseMethods => "reverse-methods",
            Strategy::RandomClasses => "random-classes",
            Strategy::RandomMethods => "random-methods",
            Strategy::RandomClassMethod => "random-class-method",
            Strategy::RandomInterleaved => "random-interleaved",
            Strategy::Exhaustive => "exhaustive",
            Strategy::DependenceAware => "dependence-aware",
            Strategy::Isolation => "isolation",
            Strategy::Pairs => "pairs",
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for Strategy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// What the generators go by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// Orders of each random strategy.
    pub rounds: usize,
    /// Tests in each order of `exhaustive`, and at most in each of `dependence-aware`.
    pub k: usize,
    pub seed: u64,
}

/// Orders of `exhaustive` that are planned in a group; nobody has time for more.
const MOST: usize = 1_000_000;

/// Test numbers, in the order to run them.
pub type Order = Vec<usize>;
pub type Orders = Box<dyn Iterator<Item = Order>>;
/// Classes with their tests that can share a process.
type Group = Vec<Vec<usize>>;

/// The orders of a strategy for these tests, and how many there are. `dependence-aware` leaves out none here: what tests share
/// is not known, and then anything can matter.
pub fn orders(strategy: Strategy, roster: &TestRoster, tests: &[usize], settings: Settings) -> (Orders, usize) {
    let groups = roster.blocks(tests);
    let streams: Vec<(Orders, usize)> =
        groups.into_iter().enumerate().map(|(place, group)| stream(strategy, group, place, settings)).collect();
    let counts = streams.iter().map(|(_, count)| *count);
    let alone = matches!(strategy, Strategy::Exhaustive | Strategy::DependenceAware | Strategy::Isolation);
    let total = if alone { counts.fold(0, usize::saturating_add) } else { counts.max().unwrap_or_default() };
    let streams: Vec<Orders> = streams.into_iter().map(|(orders, _)| orders).collect();
    let orders: Orders = if alone { Box::new(streams.into_iter().flatten()) } else { Box::new(beside(streams)) };
    (orders, total)
}

/// How many sequences of `k` tests there are, of tests that can share a process.
pub fn possible(roster: &TestRoster, tests: &[usize], k: usize) -> usize {
    let sizes = roster.blocks(tests).into_iter().map(|group| group.concat().len());
    sizes.map(|size| count_sequences(size, k.min(size))).fold(0, usize::saturating_add)
}

fn count_sequences(tests: usize, k: usize) -> usize {
    (0..k).fold(1, |count: usize, taken| count.saturating_mul(tests - taken))
}

/// One order of each group after the other, as long as any has one: groups do not share processes.
fn beside(mut streams: Vec<Orders>) -> impl Iterator<Item = Order> {
    iter::from_fn(move || {
        let parts: Vec<Order> = streams.iter_mut().filter_map(Iterator::next).collect();
        (!parts.is_empty()).then(|| parts.concat())
    })
}

fn stream(strategy: Strategy, group: Group, place: usize, settings: Settings) -> (Orders, usize) {
    let all: Order = group.concat();
    match strategy {
        Strategy::Reverse => once(all.into_iter().rev().collect()),
        Strategy::ReverseClasses => once(group.into_iter().rev().flatten().collect()),
        Strategy::ReverseMethods => once(group.into_iter().flat_map(|class| class.into_iter().rev()).collect()),
        Strategy::Exhaustive | Strategy::DependenceAware => {
            let k = settings.k.min(all.len());
            let count = count_sequences(all.len(), k).min(MOST);
            (Box::new(sequences(all, k).take(MOST)), count)
        }
        Strategy::Isolation => {
            let count = all.len();
            (Box::new(all.into_iter().map(|test| vec![test])), count)
        }
        Strategy::Pairs => pairs(group),
        Strategy::RandomClasses
        | Strategy::RandomMethods
        | Strategy::RandomClassMethod
        | Strategy::RandomInterleaved => (Box::new(random(strategy, group, place, settings)), settings.rounds),
    }
}

fn once(order: Order) -> (Orders, usize) {
    (Box::new(iter::once(order)), 1)
}

fn random(strategy: Strategy, group: Group, place: usize, settings: Settings) -> impl Iterator<Item = Order> {
    // Strategies and groups draw from sequences of their own, so that leaving one out changes no other.
    let own = settings.seed ^ ((strategy as u64 + 1) << 56) ^ ((place as u64) << 24);
    let mut random = ChaCha8Rng::seed_from_u64(own);
    (0..settings.rounds).map(move |_| {
        let mut group = group.clone();
        if matches!(strategy, Strategy::RandomClasses | Strategy::RandomClassMethod) {
            shuffle(&mut group, &mut random);
        }
        if matches!(strategy, Strategy::RandomMethods | Strategy::RandomClassMethod) {
            group.iter_mut().for_each(|class| shuffle(class, &mut random));
        }
        let mut order = group.concat();
        if strategy == Strategy::RandomInterleaved {
            shuffle(&mut order, &mut random);
        }
        order
    })
}

pub(super) fn shuffle<T>(items: &mut [T], random: &mut ChaCha8Rng) {
    for last in (1..items.len()).rev() {
        items.swap(last, random.random_range(0..=last));
    }
}

/// First with classes whole: every test right after every other of its class, and every class right after every other.
/// Then across classes, unless the first has brought all together: in a single class, and in classes of one test.
fn pairs(group: Group) -> (Orders, usize) {
    let all = group.concat();
    let within = group.iter().map(|class| square::rows(class.len())).max().unwrap_or_default();
    let whole = within.max(square::rows(group.len()));
    let apart = group.len() > 1 && group.len() < all.len();
    let across = if apart { square::rows(all.len()) } else { 0 };
    let contiguous = (0..whole).map(move |number| class_rows(&group, number));
    let count = all.len();
    let interleaved =
        (0..across).map(move |number| square::row(count, number).into_iter().map(|place| all[place]).collect());
    (Box::new(contiguous.chain(interleaved)), whole + across)
}

fn class_rows(group: &Group, number: usize) -> Order {
    let classes = square::row(group.len(), number % square::rows(group.len()));
    let of = |class: &Vec<usize>| -> Order {
        let tests = square::row(class.len(), number % square::rows(class.len()));
        tests.into_iter().map(|place| class[place]).collect()
    };
    classes.into_iter().flat_map(|place| of(&group[place])).collect()
}

/// All sequences of `k` different tests, one after the other: there are too many to hold.
fn sequences(all: Order, k: usize) -> impl Iterator<Item = Order> {
    let mut places: Option<Vec<usize>> = (k > 0).then(|| (0..k).collect());
    iter::from_fn(move || {
        let now = places.clone()?;
        places = successor(now.clone(), all.len());
        Some(now.into_iter().map(|place| all[place]).collect())
    })
}

/// The next sequence of different numbers below `n`.
fn successor(mut places: Vec<usize>, n: usize) -> Option<Vec<usize>> {
    let k = places.len();
    while let Some(last) = places.pop() {
        if let Some(next) = (last + 1..n).find(|place| !places.contains(place)) {
            places.push(next);
            while places.len() < k {
                let lowest = (0..n).find(|place| !places.contains(place))?;
                places.push(lowest);
            }
            return Some(places);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Order, Settings, Strategy, TestRoster, orders};
    use crate::suite::TestId;
    use proptest::prelude::{any, prop, prop_assert, prop_assert_eq, proptest};
    use std::collections::HashSet;

    fn roster(classes: &[usize]) -> TestRoster {
        let ids: Vec<TestId> = classes
            .iter()
            .enumerate()
            .flat_map(|(class, count)| {
                (0..*count).map(move |test| TestId::new("", &format!("C{class}"), &format!("t{test}"), 1))
            })
            .collect();
        TestRoster::by_module(&ids)
    }

    fn all(roster: &TestRoster) -> Vec<usize> {
        (0..roster.len()).collect()
    }

    fn generated(strategy: Strategy, roster: &TestRoster, seed: u64) -> Vec<Order> {
        let (orders, count) = orders(strategy, roster, &all(roster), Settings { rounds: 4, k: 2, seed });
        let orders: Vec<Order> = orders.collect();
        assert_eq!(orders.len(), count, "{strategy}");
        orders
    }

    #[test]
    fn reversals_are_what_their_names_say() {
        let roster = roster(&[2, 1]);
        assert_eq!(generated(Strategy::Reverse, &roster, 1), [[2, 1, 0]]);
        assert_eq!(generated(Strategy::ReverseClasses, &roster, 1), [[2, 0, 1]]);
        assert_eq!(generated(Strategy::ReverseMethods, &roster, 1), [[1, 0, 2]]);
        assert_eq!(generated(Strategy::Isolation, &roster, 1), [[0], [1], [2]]);
    }

    #[test]
    fn exhaustive_is_all_sequences() {
        let orders = generated(Strategy::Exhaustive, &roster(&[2, 2]), 1);
        assert_eq!((orders.len(), &orders[0], &orders[11]), (12, &vec![0, 1], &vec![3, 2]));
        assert_eq!(orders.iter().collect::<HashSet<_>>().len(), 12);
    }

    #[test]
    fn exhaustive_ends_somewhere() {
        let roster = roster(&[12]);
        let (orders, count) =
            orders(Strategy::Exhaustive, &roster, &all(&roster), Settings { rounds: 1, k: 99, seed: 1 });
        assert_eq!((count, super::possible(&roster, &all(&roster), 99)), (1_000_000, 479_001_600));
        assert_eq!(orders.count(), count);
    }

    #[test]
    fn pairs_take_no_orders_that_bring_nothing_together() {
        let count = |classes: &[usize]| generated(Strategy::Pairs, &roster(classes), 1).len();
        assert_eq!((count(&[1; 9]), count(&[9]), count(&[4, 4])), (10, 10, 4 + 8));
    }

    #[test]
    fn modules_are_ordered_each_for_itself() {
        let ids: Vec<TestId> = ["m:A#a", "m:A#b", "n:B#c", "n:B#d"].iter().map(|id| id.parse().unwrap()).collect();
        let roster = TestRoster::by_module(&ids);
        assert_eq!(generated(Strategy::Reverse, &roster, 1), [[1, 0, 3, 2]]);
        assert_eq!(generated(Strategy::Exhaustive, &roster, 1), [[0, 1], [1, 0], [2, 3], [3, 2]]);
    }

    /// Do the tests of each class stand together?
    fn is_contiguous(order: &[usize], roster: &TestRoster) -> bool {
        let classes: Vec<usize> = order.iter().map(|test| roster.class(*test)).collect();
        let runs = classes.chunk_by(|a, b| a == b).count();
        runs == classes.iter().collect::<HashSet<_>>().len()
    }

    proptest! {
        #[test]
        fn whole_orders_are_permutations(sizes in prop::collection::vec(1usize..6, 1..6), seed in any::<u64>()) {
            let roster = roster(&sizes);
            for strategy in Strategy::ALL {
                if matches!(strategy, Strategy::Exhaustive | Strategy::DependenceAware | Strategy::Isolation) {
                    continue;
                }
                let first = generated(strategy, &roster, seed);
                prop_assert_eq!(&first, &generated(strategy, &roster, seed));
                for order in &first {
                    let mut sorted = order.clone();
                    sorted.sort_unstable();
                    prop_assert_eq!(sorted, all(&roster));
                    let mixes = matches!(strategy, Strategy::RandomInterleaved | Strategy::Pairs);
                    prop_assert!(mixes || is_contiguous(order, &roster));
                }
            }
        }

        #[test]
        fn pairs_bring_every_two_tests_together(sizes in prop::collection::vec(1usize..6, 1..6)) {
            let roster = roster(&sizes);
            let orders = generated(Strategy::Pairs, &roster, 1);
            let together = |orders: &[Order]| -> HashSet<(usize, usize)> {
                orders.iter().flat_map(|order| order.windows(2).map(|pair| (pair[0], pair[1]))).collect()
            };
            let n = roster.len();
            prop_assert_eq!(together(&orders).len(), n * (n - 1));
            let whole: Vec<Order> = orders.into_iter().filter(|order| is_contiguous(order, &roster)).collect();
            let met = together(&whole);
            for (a, b) in (0..n).flat_map(|a| (0..n).map(move |b| (a, b))) {
                prop_assert!(a == b || roster.class(a) != roster.class(b) || met.contains(&(a, b)));
            }
        }
    }
}
