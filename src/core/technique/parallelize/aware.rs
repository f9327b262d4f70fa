//! P3: a parallelization that knows the dependencies while it assigns tests, which the study names as future work.
//!
//! What a machine runs contains, for each of its tests, all that it needs. So only tests that no other needs are assigned, each
//! with what its machine does not have yet: either where its chain already runs, or on the idlest machine, where what it needs
//! is repeated. How long a chain is kept together before it is split is tried out; the enhanced P2 is one of the candidates,
//! so it is never worse than that. Tests that break each other are kept on different machines as long as there are enough.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use super::closures::Closures;
use super::rivals::Rivals;
use super::{Work, by_time, makespan, total};
use crate::suite::Precedence;
use crate::technique::enhance::apart::{KeptDependencies, enhance_apart};
use crate::technique::enhance::enhance_each;

/// How often the patience is halved in; less often in suites of more tests than `MANY`, where a trial takes its time.
const TRIALS: usize = 12;
const FEW_TRIALS: usize = 4;
const MANY: usize = 20_000;
/// A test that needs many others can follow any of them; a few are looked at.
const HOMES: usize = 8;
/// A schedule this close to the lower bound, in parts of it, is good enough to look no further.
const CLOSE: u64 = 1000;

/// What each machine is given to run, only tests that no other needs, and what it runs, in order.
pub fn aware(work: &Work, precedence: &Precedence, machines: usize) -> KeptDependencies {
    let closures = Closures::of(work, precedence);
    let by_time = enhance_each(&by_time(work, machines), precedence);
    let given = only_last(&by_time, &closures);
    let mut search = Search {
        work,
        precedence,
        closures: &closures,
        rivals: Rivals::of(&closures, precedence),
        bound: closures.lower_bound(machines),
        best: Candidate::of(enhance_each(&given, precedence), work),
        orders: orders(&closures, precedence),
    };
    search.run();
    let best = only_last(&search.best.queues, &closures);
    if precedence.separations().is_empty() {
        let queues = enhance_each(&best, precedence);
        return KeptDependencies { given: best, broken: vec![Vec::new(); queues.len()], queues };
    }
    let plain = super::by_time(work, machines);
    // The search ends once a schedule is short, whatever it breaks: two more that look at conflicts only.
    let peaceful = [0, 1].map(|order| only_last(&search.schedule(order, search.bound).queues, &closures));
    let [by_cost, by_chain] = peaceful;
    let apart =
        [best, by_cost, by_chain, given, plain].map(|given| enhance_apart(given, precedence, |test| work[test]));
    let worth = |kept: &KeptDependencies| (kept.breaches(), makespan(&kept.queues, work), effort(&kept.queues, work));
    apart.into_iter().min_by_key(worth).unwrap_or_default()
}

/// Tests that no other needs: with these a machine gets all that they need, and without them nobody has to run it there.
fn only_last(queues: &[Vec<usize>], closures: &Closures) -> Vec<Vec<usize>> {
    let mut is_last = vec![false; closures.work.len()];
    closures.last.iter().for_each(|test| is_last[*test] = true);
    let last = |queue: &Vec<usize>| queue.iter().copied().filter(|test| is_last[*test]).collect();
    queues.iter().map(last).collect()
}

fn effort(queues: &[Vec<usize>], work: &Work) -> u64 {
    queues.iter().fold(0, |sum: u64, queue| sum.saturating_add(total(queue, work)))
}

/// A schedule: the earlier it ends the better, and of two that end at the same time the one that repeats less.
struct Candidate {
    queues: Vec<Vec<usize>>,
    makespan: u64,
    effort: u64,
}

impl Candidate {
    fn of(queues: Vec<Vec<usize>>, work: &Work) -> Self {
        Candidate { makespan: makespan(&queues, work), effort: effort(&queues, work), queues }
    }
}

/// The costliest first; and the same with whole chains before tests that stand alone and fill what is left.
fn orders(closures: &Closures, precedence: &Precedence) -> [Vec<usize>; 2] {
    let mut order: Vec<(Reverse<u64>, usize)> =
        closures.last.iter().map(|test| (Reverse(closures.work[*test]), *test)).collect();
    order.sort_unstable();
    let costliest: Vec<usize> = order.into_iter().map(|(_, test)| test).collect();
    let (mut chains, alone): (Vec<usize>, Vec<usize>) =
        costliest.iter().partition(|test| !precedence.needs(**test).is_empty());
    chains.extend(alone);
    [costliest, chains]
}

struct Search<'a> {
    work: &'a Work,
    precedence: &'a Precedence,
    closures: &'a Closures,
    rivals: Rivals,
    bound: u64,
    best: Candidate,
    /// In which tests can be assigned.
    orders: [Vec<usize>; 2],
}

impl Search<'_> {
    /// Without patience first, then with as much as the best possible schedule allows; then, in the order that did better,
    /// between what was too little and what was reached.
    fn run(&mut self) {
        let ends = [0, 1].map(|order| self.try_out(order, 0).min(self.try_out(order, self.bound)));
        let order = usize::from(ends[1] < ends[0]);
        let (mut low, mut high) = (self.bound, self.best.makespan);
        for _ in 0..if self.work.len() > MANY { FEW_TRIALS } else { TRIALS } {
            if self.is_close() || low + 1 >= high {
                return;
            }
            let patience = low + (high - low) / 2;
            if self.try_out(order, patience) <= patience {
                high = patience;
            } else {
                low = patience;
            }
        }
    }

    fn is_close(&self) -> bool {
        self.best.makespan - self.bound <= self.bound / CLOSE
    }

    fn schedule(&self, order: usize, patience: u64) -> Candidate {
        let machines = self.best.queues.len();
        let mut schedule = Schedule::new(self.work, self.precedence, (self.closures, &self.rivals), machines);
        self.orders[order].iter().for_each(|test| schedule.assign(*test, patience));
        schedule.into_candidate()
    }

    /// When a schedule ends that is made with this patience.
    fn try_out(&mut self, order: usize, patience: u64) -> u64 {
        if self.is_close() {
            return self.best.makespan;
        }
        let candidate = self.schedule(order, patience);
        let end = candidate.makespan;
        if (end, candidate.effort) < (self.best.makespan, self.best.effort) {
            self.best = candidate;
        }
        end
    }
}

/// A schedule that grows test by test.
struct Schedule<'a> {
    work: &'a Work,
    precedence: &'a Precedence,
    closures: &'a Closures,
    rivals: &'a Rivals,
    queues: Vec<Vec<usize>>,
    load: Vec<u64>,
    /// Every machine once, with a load that it had at some time: loads only grow.
    idle: BinaryHeap<Reverse<(u64, usize)>>,
    /// Bits by linked test, for machines that run chains.
    has: Vec<Vec<u64>>,
    /// Which groups a machine has anything of.
    started: HashSet<(usize, usize)>,
    /// Which machines have a test that breaks others, or that others break.
    contested: HashSet<(usize, usize)>,
    /// By linked test, the machine that got it last.
    home: Vec<Option<usize>>,
    /// By linked test, the last visit.
    seen: Vec<usize>,
    visits: usize,
}

impl<'a> Schedule<'a> {
    fn new(
        work: &'a Work,
        precedence: &'a Precedence,
        (closures, rivals): (&'a Closures, &'a Rivals),
        machines: usize,
    ) -> Self {
        Schedule {
            work,
            precedence,
            closures,
            rivals,
            queues: vec![Vec::new(); machines],
            load: vec![0; machines],
            idle: (0..machines).map(|machine| Reverse((0, machine))).collect(),
            has: vec![Vec::new(); machines],
            started: HashSet::new(),
            contested: HashSet::new(),
            home: vec![None; closures.links + 1],
            seen: vec![0; closures.links + 1],
            visits: 0,
        }
    }

    /// Keeps a test with its chain where that ends within the patience, or no later than on the idlest machine.
    fn assign(&mut self, test: usize, patience: u64) {
        if let Some(machine) = self.peaceful(test) {
            return self.place(test, machine);
        }
        let Some(idlest) = self.idlest() else { return };
        let home = self.homes(test).into_iter().filter_map(|home| Some((self.end(test, home, u64::MAX)?, home))).min();
        let machine = match home {
            Some((end, home)) if end <= patience => home,
            Some((end, home)) => match self.end(test, idlest, end) {
                Some(earlier) if earlier < end => idlest,
                _ => home,
            },
            None => idlest,
        };
        self.place(test, machine);
    }

    /// For a test that others break, or that breaks others: of the machines without those, the one that is done first.
    fn peaceful(&mut self, test: usize) -> Option<usize> {
        let rivals = self.rivals.of_test(test);
        if rivals.is_empty() {
            return None;
        }
        let is_peaceful = |machine: &usize| rivals.iter().all(|rival| !self.contested.contains(&(*rival, *machine)));
        let machines: Vec<usize> = (0..self.load.len()).filter(is_peaceful).collect();
        machines
            .into_iter()
            .filter_map(|machine| Some((self.end(test, machine, u64::MAX)?, machine)))
            .min()
            .map(|(_, machine)| machine)
    }

    fn idlest(&mut self) -> Option<usize> {
        loop {
            let mut first = self.idle.peek_mut()?;
            let Reverse((load, machine)) = *first;
            if load == self.load[machine] {
                return Some(machine);
            }
            *first = Reverse((self.load[machine], machine));
        }
    }

    /// Machines that have something of what a test needs.
    fn homes(&self, test: usize) -> Vec<usize> {
        let needed = self.precedence.needs(test).iter().take(HOMES);
        let mut homes: Vec<usize> = needed.filter_map(|needed| self.home[self.closures.linked[*needed]]).collect();
        homes.sort_unstable();
        homes.dedup();
        homes
    }

    /// When a machine would be done if it ran this test too; `None` where that is later than a limit.
    fn end(&mut self, test: usize, machine: usize, limit: u64) -> Option<u64> {
        let load = self.load[machine];
        if !self.started.contains(&(self.closures.group[test], machine)) {
            return Some(load.saturating_add(self.closures.work[test])).filter(|end| *end <= limit);
        }
        self.visits += 1;
        let (mut end, mut open) = (load, vec![test]);
        while let Some(test) = open.pop() {
            let seen = &mut self.seen[self.closures.linked[test]];
            let is_new = std::mem::replace(seen, self.visits) != self.visits;
            // What a machine has, it has with all that it needs.
            if is_new && !self.has(machine, test) {
                end = end.saturating_add(self.work[test]);
                if end > limit {
                    return None;
                }
                open.extend(self.precedence.needs(test));
            }
        }
        Some(end)
    }

    fn has(&self, machine: usize, test: usize) -> bool {
        let bit = self.closures.linked[test];
        self.has[machine].get(bit / 64).is_some_and(|word| word >> (bit % 64) & 1 == 1)
    }

    /// Adds a test to a machine, after what it needs and is not there yet.
    fn place(&mut self, test: usize, machine: usize) {
        if self.precedence.needs(test).is_empty() {
            return self.append(test, machine);
        }
        self.started.insert((self.closures.group[test], machine));
        let mut open = vec![(test, 0)];
        while let Some((test, next)) = open.last_mut() {
            let (test, missing) = (*test, self.precedence.needs(*test).get(*next).copied());
            *next += 1;
            match missing {
                Some(needed) if !self.has(machine, needed) => open.push((needed, 0)),
                Some(_) => {}
                None => {
                    open.pop();
                    self.keep(machine, test);
                    self.home[self.closures.linked[test]] = Some(machine);
                    self.append(test, machine);
                }
            }
        }
    }

    /// Its loads say all about it.
    fn into_candidate(self) -> Candidate {
        Candidate {
            makespan: self.load.iter().copied().max().unwrap_or(0),
            effort: self.load.iter().fold(0, |sum: u64, load| sum.saturating_add(*load)),
            queues: self.queues,
        }
    }

    fn keep(&mut self, machine: usize, test: usize) {
        let (bit, words) = (self.closures.linked[test], &mut self.has[machine]);
        words.resize(words.len().max(bit / 64 + 1), 0);
        words[bit / 64] |= 1 << (bit % 64);
    }

    fn append(&mut self, test: usize, machine: usize) {
        if self.rivals.is_contested(test) {
            self.contested.insert((test, machine));
        }
        self.queues[machine].push(test);
        self.load[machine] = self.load[machine].saturating_add(self.work[test]);
    }
}

#[cfg(test)]
mod tests;
