//! Keeps tests apart that break each other, which Figure 2 knows nothing of: a cleaner is moved or added between them, one
//! comes first where that does no harm, or they go to different machines. What cannot be kept is told, never hidden.
//!
//! Each remedy is one more thing that an enhanced order has to keep, so that all dependencies are kept as before. No test runs
//! twice on a machine. A remedy counts only if fewer conflicts are broken with it than without.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{Besides, Enhancement};
use crate::suite::{Precedence, Separation};

/// Cleaners that are tried for a conflict, and machines that a test is moved to.
const TRIED: usize = 8;
/// Orders that are made to mend one, in tests: a hostile file must not take for ever.
const EFFORT: usize = 5_000_000;

/// Orders that keep dependencies, and what they do not keep.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeptDependencies {
    /// What each machine was given to run; moved where conflicts asked for it.
    pub given: Vec<Vec<usize>>,
    /// What each machine runs, in order.
    pub queues: Vec<Vec<usize>>,
    /// For each machine the separations that its order breaks, by their number.
    pub broken: Vec<Vec<usize>>,
}

impl KeptDependencies {
    /// How many separations are broken.
    pub fn breaches(&self) -> usize {
        self.broken.iter().map(Vec::len).sum()
    }
}

/// Enhances what each machine is given. `cost` says what a test adds to the load of a machine.
pub fn enhance_apart(given: Vec<Vec<usize>>, precedence: &Precedence, cost: impl Fn(usize) -> u64) -> KeptDependencies {
    let mut keeper = Keeper::of(precedence);
    let settled: Vec<Settled> = given.iter().map(|given| keeper.settle(given)).collect();
    let mut kept = KeptDependencies { given, ..KeptDependencies::default() };
    for Settled { queue, broken } in settled {
        kept.queues.push(queue);
        kept.broken.push(broken);
    }
    if kept.queues.len() > 1 && kept.breaches() > 0 {
        keeper.move_between_machines(&mut kept, &cost);
    }
    kept
}

/// An order, and the separations that it breaks.
struct Settled {
    queue: Vec<usize>,
    broken: Vec<usize>,
}

struct Keeper<'a> {
    precedence: &'a Precedence,
    enhancement: Enhancement<'a>,
    /// Tests that separations name.
    named: HashSet<usize>,
    /// By victim.
    of_victim: HashMap<usize, Vec<usize>>,
    left: usize,
}

enum Remedy {
    /// This cleaner runs between.
    Cleaner(usize),
    /// The victim runs before this polluter.
    Before(usize),
}

impl<'a> Keeper<'a> {
    fn of(precedence: &'a Precedence) -> Self {
        let mut of_victim: HashMap<usize, Vec<usize>> = HashMap::new();
        for (number, apart) in precedence.separations().iter().enumerate() {
            of_victim.entry(apart.victim).or_default().push(number);
        }
        let named = precedence.separations().iter().flat_map(Separation::tests).collect();
        Keeper { precedence, enhancement: Enhancement::of(precedence), named, of_victim, left: EFFORT }
    }

    /// Mends one breach after the other, as long as that leaves fewer.
    fn settle(&mut self, given: &[usize]) -> Settled {
        let mut besides = Besides::default();
        let queue = self.enhancement.enhance(given);
        let mut settled = Settled { broken: self.breaches(&queue), queue };
        let mut hopeless = BTreeSet::new();
        while let Some(breach) = settled.broken.iter().copied().find(|breach| !hopeless.contains(breach)) {
            match self.mend(given, &besides, breach, &settled) {
                Some((more, better)) => (besides, settled) = (more, better),
                None => {
                    hopeless.insert(breach);
                }
            }
        }
        settled
    }

    fn mend(
        &mut self,
        given: &[usize],
        besides: &Besides,
        breach: usize,
        settled: &Settled,
    ) -> Option<(Besides, Settled)> {
        let apart = &self.precedence.separations()[breach];
        for remedy in self.remedies(apart, &settled.queue) {
            self.left = self.left.checked_sub(settled.queue.len() * (1 + besides.pivots.len() / 8))?;
            let more = besides.with(apart, &remedy);
            let Some(queue) = self.enhancement.enhance_besides(given, &more) else { continue };
            let broken = self.breaches(&queue);
            if broken.len() < settled.broken.len() {
                return Some((more, Settled { queue, broken }));
            }
        }
        None
    }

    /// What costs nothing first: a cleaner that is run anyway, another order, a cleaner that is added.
    fn remedies(&self, apart: &Separation, queue: &[usize]) -> Vec<Remedy> {
        let at = self.places(queue);
        let is_other = |test: &&usize| **test != apart.victim && !apart.polluters.contains(test);
        let (there, absent): (Vec<usize>, Vec<usize>) =
            apart.cleaners.iter().filter(is_other).partition(|cleaner| at.contains_key(cleaner));
        let last = apart.polluters.iter().copied().max_by_key(|polluter| at.get(polluter));
        let there = there.into_iter().take(TRIED).map(Remedy::Cleaner);
        let absent = absent.into_iter().take(TRIED).map(Remedy::Cleaner);
        there.chain(last.map(Remedy::Before)).chain(absent).collect()
    }

    /// Separations that an order breaks, by their victims' places.
    fn breaches(&self, queue: &[usize]) -> Vec<usize> {
        if self.of_victim.is_empty() {
            return Vec::new();
        }
        let at = self.places(queue);
        let of = |test: &usize| self.of_victim.get(test).into_iter().flatten().copied();
        queue.iter().flat_map(of).filter(|number| is_broken(&self.precedence.separations()[*number], &at)).collect()
    }

    fn places(&self, queue: &[usize]) -> HashMap<usize, usize> {
        let named = queue.iter().copied().zip(0..).filter(|(test, _)| self.named.contains(test));
        named.collect()
    }

    /// One of the tests that break each other goes where they do not meet, the least busy machine first.
    fn move_between_machines(&mut self, kept: &mut KeptDependencies, cost: &dyn Fn(usize) -> u64) {
        let load = |queue: &Vec<usize>| queue.iter().fold(0u64, |sum, test| sum.saturating_add(cost(*test)));
        let mut loads: Vec<u64> = kept.queues.iter().map(load).collect();
        for machine in 0..kept.queues.len() {
            for breach in kept.broken[machine].clone() {
                let Some(target) = self.relocate(kept, machine, breach, &loads) else { continue };
                for changed in [machine, target] {
                    loads[changed] = load(&kept.queues[changed]);
                }
            }
        }
    }

    /// The machine that got a test of the breach; `None` where no move helps, or nothing is broken any more.
    fn relocate(&mut self, kept: &mut KeptDependencies, machine: usize, breach: usize, loads: &[u64]) -> Option<usize> {
        if !kept.broken[machine].contains(&breach) {
            return None;
        }
        let apart = &self.precedence.separations()[breach];
        let mut targets: Vec<usize> = (0..loads.len()).filter(|target| *target != machine).collect();
        targets.sort_by_key(|target| loads[*target]);
        targets.truncate(TRIED);
        for test in [apart.victim].iter().chain(&apart.polluters) {
            let rest: Vec<usize> = kept.given[machine].iter().copied().filter(|other| other != test).collect();
            self.left = self.left.checked_sub(kept.queues[machine].len())?;
            let without = self.settle(&rest);
            // A test that others need there stays there.
            if rest.len() == kept.given[machine].len() || without.queue.contains(test) {
                continue;
            }
            for target in &targets {
                let mut more = kept.given[*target].clone();
                if !more.contains(test) {
                    more.push(*test);
                }
                self.left = self.left.checked_sub(more.len())?;
                let with = self.settle(&more);
                if without.broken.len() + with.broken.len() < kept.broken[machine].len() + kept.broken[*target].len() {
                    kept.put(machine, rest, without);
                    kept.put(*target, more, with);
                    return Some(*target);
                }
            }
        }
        None
    }
}

impl KeptDependencies {
    fn put(&mut self, machine: usize, given: Vec<usize>, settled: Settled) {
        self.given[machine] = given;
        (self.queues[machine], self.broken[machine]) = (settled.queue, settled.broken);
    }
}

impl Besides {
    fn with(&self, apart: &Separation, remedy: &Remedy) -> Besides {
        let mut more = self.clone();
        match remedy {
            Remedy::Cleaner(cleaner) => {
                more.needs.entry(apart.victim).or_default().push(*cleaner);
                more.before.entry(*cleaner).or_default().extend(&apart.polluters);
                more.pivots.insert(*cleaner);
            }
            Remedy::Before(polluter) => {
                more.before.entry(*polluter).or_default().push(apart.victim);
                more.pivots.insert(*polluter);
            }
        }
        more
    }
}

/// Have all polluters run before the victim, and no cleaner since the first of them?
fn is_broken(apart: &Separation, at: &HashMap<usize, usize>) -> bool {
    let Some(victim) = at.get(&apart.victim) else { return false };
    let polluters: Option<Vec<usize>> = apart.polluters.iter().map(|polluter| at.get(polluter).copied()).collect();
    let Some(polluters) = polluters.filter(|polluters| polluters.iter().all(|polluter| polluter < victim)) else {
        return false;
    };
    let first = polluters.into_iter().min();
    let cleans = |cleaner: &usize| at.get(cleaner).is_some_and(|cleaner| Some(*cleaner) > first && cleaner < victim);
    !apart.cleaners.iter().any(cleans)
}

#[cfg(test)]
mod tests;
