//! Which sequences of tests can show a dependence, by what the tests read and write: after Zhang and others' dependence-aware
//! bounded algorithm. A test can only end otherwise than alone if an earlier one wrote something that it reads.
//!
//! Sequences of up to `k` tests are kept in which every test but the last writes something that a later one reads; in any
//! other, some test is idle, and a shorter sequence shows the same. Pure: it runs nothing.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use super::roster::TestRoster;
use super::strategy::Order;
use crate::suite::{Accesses, ClassId};

/// Counting ends here.
const COUNTED: usize = 100_000_000;

/// What a test, or a class before its first test, reads and writes, by number.
#[derive(Debug, Clone, Default)]
struct Uses {
    reads: BTreeSet<usize>,
    writes: BTreeSet<usize>,
}

/// Who can matter to whom.
#[derive(Debug)]
pub struct Sharing {
    tests: Vec<usize>,
    /// By test: those that write something that it reads. Sorted.
    earlier: Rc<HashMap<usize, Vec<usize>>>,
    /// Sizes of the groups of tests that can share a process.
    groups: Vec<usize>,
}

impl Sharing {
    /// Of tests that nothing is known of, anything is possible.
    pub fn new(accesses: &[Accesses], roster: &TestRoster, tests: &[usize]) -> Self {
        let ledger = Ledger::new(accesses, roster, tests);
        let earlier = tests.iter().map(|test| (*test, ledger.earlier(*test))).collect();
        let groups = roster.blocks(tests).iter().map(|group| group.iter().map(Vec::len).sum()).collect();
        Sharing { tests: tests.to_vec(), earlier: Rc::new(earlier), groups }
    }

    /// All sequences to run, the short ones first.
    pub fn orders(&self, k: usize) -> impl Iterator<Item = Order> + use<> {
        let (tests, earlier) = (self.tests.clone(), Rc::clone(&self.earlier));
        (1..=k.min(tests.len())).flat_map(move |length| Sequences::of(length, tests.clone(), Rc::clone(&earlier)))
    }

    /// How many these are; beyond a hundred million nobody counts.
    pub fn count(&self, k: usize) -> usize {
        let mut count = self.tests.iter().filter(|test| self.matters(**test)).count();
        for length in 2..=k.min(self.tests.len()) {
            let shorter = Sequences::of(length - 1, self.tests.clone(), Rc::clone(&self.earlier));
            for sequence in shorter {
                count += candidates(&sequence, &self.earlier).len();
                if count >= COUNTED {
                    return COUNTED;
                }
            }
        }
        count
    }

    /// All sequences of up to `k` tests, whatever they share.
    pub fn possible(&self, k: usize) -> usize {
        let of_group = |size: usize| {
            let longer = |(count, all): (usize, usize), taken: usize| {
                let next = count.saturating_mul(size - taken);
                (next, all.saturating_add(next))
            };
            (0..k.min(size)).fold((1, 0), longer).1
        };
        self.groups.iter().map(|size| of_group(*size)).fold(0, usize::saturating_add)
    }

    fn matters(&self, test: usize) -> bool {
        self.earlier.get(&test).is_some_and(|earlier| !earlier.is_empty())
    }
}

/// Tests that can stand before a sequence without being idle there.
fn candidates(sequence: &[usize], earlier: &HashMap<usize, Vec<usize>>) -> Vec<usize> {
    let all: BTreeSet<usize> = sequence.iter().filter_map(|test| earlier.get(test)).flatten().copied().collect();
    all.into_iter().filter(|test| !sequence.contains(test)).collect()
}

/// Sequences of one length, made from their last test towards the first.
struct Sequences {
    length: usize,
    earlier: Rc<HashMap<usize, Vec<usize>>>,
    /// What is left to try at each place, the last place first.
    left: Vec<std::vec::IntoIter<usize>>,
    /// What stands there, the last test first.
    chosen: Vec<usize>,
}

impl Sequences {
    fn of(length: usize, tests: Vec<usize>, earlier: Rc<HashMap<usize, Vec<usize>>>) -> Self {
        let last: Vec<usize> =
            tests.into_iter().filter(|test| earlier.get(test).is_some_and(|earlier| !earlier.is_empty())).collect();
        Sequences { length, earlier, left: vec![last.into_iter()], chosen: Vec::new() }
    }
}

impl Iterator for Sequences {
    type Item = Order;

    fn next(&mut self) -> Option<Order> {
        loop {
            let place = self.left.len().checked_sub(1)?;
            self.chosen.truncate(place);
            let Some(test) = self.left[place].next() else {
                self.left.pop();
                continue;
            };
            self.chosen.push(test);
            if self.chosen.len() == self.length {
                return Some(self.chosen.iter().rev().copied().collect());
            }
            self.left.push(candidates(&self.chosen, &self.earlier).into_iter());
        }
    }
}

/// What everybody uses, from both sides.
struct Ledger<'a> {
    roster: &'a TestRoster,
    tests: &'a [usize],
    /// Of the tests that something is known of.
    uses: BTreeMap<usize, Uses>,
    /// What classes do before their first test, and after their last.
    set_up: HashMap<usize, Uses>,
    aftermath: HashMap<usize, Uses>,
    /// By resource: the tests that write it, and the classes.
    writers: HashMap<usize, Vec<usize>>,
    writing_classes: HashMap<usize, Vec<usize>>,
    members: HashMap<usize, Vec<usize>>,
    nothing: Uses,
}

impl<'a> Ledger<'a> {
    fn new(accesses: &[Accesses], roster: &'a TestRoster, tests: &'a [usize]) -> Self {
        let classes: HashMap<ClassId, usize> =
            tests.iter().map(|test| (roster.id(*test).class_id(), roster.class(*test))).collect();
        let mut ledger = Ledger {
            roster,
            tests,
            uses: BTreeMap::new(),
            set_up: HashMap::new(),
            aftermath: HashMap::new(),
            writers: HashMap::new(),
            writing_classes: HashMap::new(),
            members: HashMap::new(),
            nothing: Uses::default(),
        };
        let mut numbers: HashMap<String, usize> = HashMap::new();
        for one in accesses {
            let uses = Uses { reads: numbered(&one.reads, &mut numbers), writes: numbered(&one.writes, &mut numbers) };
            if let Some(test) = roster.number(&one.test) {
                ledger.uses.entry(test).or_default().add(uses);
            } else if let Some(class) = classes.get(&one.test.class_id()).filter(|_| one.test.is_whole_class()) {
                let around = if one.test.occurrence == 1 { &mut ledger.set_up } else { &mut ledger.aftermath };
                around.entry(*class).or_default().add(uses);
            }
        }
        ledger.index();
        ledger
    }

    fn index(&mut self) {
        for (test, uses) in &self.uses {
            uses.writes.iter().for_each(|what| self.writers.entry(*what).or_default().push(*test));
        }
        for (class, uses) in self.set_up.iter().chain(&self.aftermath) {
            uses.writes.iter().for_each(|what| self.writing_classes.entry(*what).or_default().push(*class));
        }
        for test in self.tests {
            self.members.entry(self.roster.class(*test)).or_default().push(*test);
        }
    }

    /// Those that can matter to a test when they run before it.
    fn earlier(&self, test: usize) -> Vec<usize> {
        let class = self.roster.class(test);
        let set_up = self.set_up.get(&class).unwrap_or(&self.nothing);
        let mut found: BTreeSet<usize> = BTreeSet::new();
        match self.uses.get(&test) {
            None => found.extend(self.tests),
            Some(uses) => {
                self.within_class(class, uses, &mut found);
                // What its class sets up anyway is the same after any other class.
                let exposed = uses.reads.difference(&set_up.writes).chain(&set_up.reads);
                self.across_classes(class, exposed, &mut found);
                if !uses.reads.is_empty() || !set_up.reads.is_empty() {
                    found.extend(self.tests.iter().filter(|other| !self.uses.contains_key(other)));
                }
            }
        }
        let present: BTreeSet<usize> = self.tests.iter().copied().collect();
        found.into_iter().filter(|other| present.contains(other) && self.roster.meet(*other, test)).collect()
    }

    fn within_class(&self, class: usize, uses: &Uses, found: &mut BTreeSet<usize>) {
        let writers = uses.reads.iter().filter_map(|what| self.writers.get(what)).flatten();
        found.extend(writers.filter(|writer| self.roster.class(**writer) == class));
    }

    fn across_classes<'u>(&self, class: usize, reads: impl Iterator<Item = &'u usize>, found: &mut BTreeSet<usize>) {
        for what in reads {
            let writers = self.writers.get(what).into_iter().flatten();
            found.extend(writers.filter(|writer| self.roster.class(**writer) != class));
            let classes = self.writing_classes.get(what).into_iter().flatten().filter(|other| **other != class);
            found.extend(classes.filter_map(|class| self.members.get(class)).flatten());
        }
    }
}

impl Uses {
    fn add(&mut self, more: Uses) {
        self.reads.extend(more.reads);
        self.writes.extend(more.writes);
    }
}

fn numbered(names: &[String], numbers: &mut HashMap<String, usize>) -> BTreeSet<usize> {
    let mut number = |name: &String| {
        let next = numbers.len();
        *numbers.entry(name.clone()).or_insert(next)
    };
    names.iter().map(&mut number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::TestId;
    use proptest::prelude::*;

    fn accesses(test: &str, reads: &str, writes: &str) -> Accesses {
        let names = |text: &str| text.split_whitespace().map(str::to_owned).collect();
        Accesses { test: test.parse().unwrap(), reads: names(reads), writes: names(writes) }
    }

    fn roster(ids: &[&str]) -> (TestRoster, Vec<usize>) {
        let ids: Vec<TestId> = ids.iter().map(|id| id.parse().unwrap()).collect();
        (TestRoster::by_module(&ids), (0..ids.len()).collect())
    }

    fn orders(ids: &[&str], accesses: &[Accesses], k: usize) -> Vec<Order> {
        let (roster, tests) = roster(ids);
        let sharing = Sharing::new(accesses, &roster, &tests);
        let orders: Vec<Order> = sharing.orders(k).collect();
        assert_eq!(orders.len(), sharing.count(k));
        orders
    }

    #[test]
    fn only_who_reads_what_another_writes_is_run() {
        let ids = ["A#reader", "A#writer", "B#both", "B#own"];
        let known = [
            accesses("A#reader", "x", ""),
            accesses("A#writer", "", "x y"),
            accesses("B#both", "y z", "z"),
            accesses("B#own", "w", "w"),
        ];
        assert_eq!(orders(&ids, &known, 1), [[0], [2]]);
        assert_eq!(orders(&ids, &known, 2), [vec![0], vec![2], vec![1, 0], vec![1, 2]]);
        let (roster, tests) = roster(&ids);
        let sharing = Sharing::new(&known, &roster, &tests);
        assert_eq!((sharing.possible(1), sharing.possible(2), sharing.possible(9)), (4, 4 + 12, 4 + 12 + 24 + 24));
    }

    #[test]
    fn in_longer_sequences_nobody_is_idle() {
        let ids = ["C#a", "C#b", "C#c", "C#d"];
        let known =
            [accesses("C#a", "", "x"), accesses("C#b", "x", "y"), accesses("C#c", "y", ""), accesses("C#d", "", "y")];
        let long: Vec<Order> = orders(&ids, &known, 3).into_iter().filter(|order| order.len() == 3).collect();
        assert!(long.contains(&vec![0, 1, 2]), "a chain: a writes what b reads, b what c reads");
        assert!(long.contains(&vec![1, 3, 2]) && long.contains(&vec![3, 1, 2]), "two writers of what c reads");
        assert!(!long.contains(&vec![0, 3, 2]), "a is idle: d reads nothing of it, and c neither");
        assert!(!long.contains(&vec![1, 0, 2]), "a is idle there too");
    }

    #[test]
    fn what_a_class_sets_up_shields_its_tests_from_others_only() {
        let ids = ["A#first", "A#second", "B#writer", "B#reader"];
        let known = [
            accesses("A#<class>", "", "x"),
            accesses("A#first", "", "x"),
            accesses("A#second", "x", ""),
            accesses("A#<class>~2", "", "x"),
            accesses("B#writer", "", "x"),
            accesses("B#reader", "x", ""),
        ];
        let pairs: Vec<Order> = orders(&ids, &known, 2).into_iter().filter(|order| order.len() == 2).collect();
        assert_eq!(pairs, [[0, 1], [0, 3], [1, 3], [2, 3]], "the set-up of A comes before `second` whatever B does");
    }

    #[test]
    fn what_is_unknown_can_matter_to_all_that_read_anything() {
        let ids = ["A#unknown", "A#reader", "A#none"];
        let known = [accesses("A#reader", "x", ""), accesses("A#none", "", "")];
        let pairs: Vec<Order> = orders(&ids, &known, 2).into_iter().filter(|order| order.len() == 2).collect();
        assert_eq!(pairs, [[1, 0], [2, 0], [0, 1]]);
    }

    #[test]
    fn modules_do_not_meet() {
        let known = [accesses("m:A#reader", "x", ""), accesses("n:A#writer", "", "x")];
        assert_eq!(orders(&["m:A#reader", "n:A#writer"], &known, 2), [] as [Order; 0]);
    }

    proptest! {
        /// Against the definition, on single classes.
        #[test]
        fn exactly_the_sequences_without_idle_tests_are_kept(
            uses in prop::collection::vec((prop::collection::btree_set(0u8..4, 0..3), prop::collection::btree_set(0u8..4, 0..3)), 1..6),
            k in 1usize..4,
        ) {
            let ids: Vec<String> = (0..uses.len()).map(|test| format!("C#t{test}")).collect();
            let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
            let names = |set: &BTreeSet<u8>| set.iter().map(u8::to_string).collect::<Vec<_>>().join(" ");
            let known: Vec<Accesses> =
                ids.iter().zip(&uses).map(|(id, (reads, writes))| accesses(id, &names(reads), &names(writes))).collect();
            let found: BTreeSet<Order> = orders(&ids, &known, k).into_iter().collect();
            let matters = |a: usize, b: usize| a != b && !uses[a].1.is_disjoint(&uses[b].0);
            let mut expected: BTreeSet<Order> = BTreeSet::new();
            let mut open: Vec<Order> = (0..uses.len()).map(|test| vec![test]).collect();
            while let Some(order) = open.pop() {
                let alone = order.len() == 1 && (0..uses.len()).any(|other| matters(other, order[0]));
                let linked = (0..order.len() - 1).all(|place| order[place + 1..].iter().any(|later| matters(order[place], *later)));
                if alone || order.len() > 1 && linked {
                    expected.insert(order.clone());
                }
                if order.len() < k {
                    open.extend((0..uses.len()).filter(|test| !order.contains(test)).map(|test| {
                        let mut longer = order.clone();
                        longer.push(test);
                        longer
                    }));
                }
            }
            prop_assert_eq!(found, expected);
        }
    }
}
