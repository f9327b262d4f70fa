//! Makes any order aware of dependencies: `enhanceOrder`, Figure 2 of the study of dependent-test-aware regression testing.
//!
//! Tests are positions in the original order. That dependencies have no circles is for [`Precedence`] to ensure. Sequences and
//! conflicts are ours: where a suite has none, the result is that of the figure. Conflicts are for [`apart`].

pub mod apart;

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::suite::Precedence;

/// The order, changed as little as keeps every dependency: tests are moved before those that they have to precede, and
/// tests that others need are added.
pub fn enhance(unenhanced: &[usize], precedence: &Precedence) -> Vec<usize> {
    Enhancement::of(precedence).enhance(unenhanced)
}

/// The same for each of several machines.
pub fn enhance_each(unenhanced: &[Vec<usize>], precedence: &Precedence) -> Vec<Vec<usize>> {
    let mut enhancement = Enhancement::of(precedence);
    unenhanced.iter().map(|order| enhancement.enhance(order)).collect()
}

/// What is known of each test while an order is enhanced. It is as before when it is done, so that many machines with few tests
/// each cost no more than one with all.
struct Enhancement<'a> {
    precedence: &'a Precedence,
    /// Where a test stands in the order that is enhanced; those that are not in it come after all.
    rank: Vec<usize>,
    place: Vec<QueueState>,
    /// Does it have to precede another test, or follow one? Most tests of a large suite do not.
    is_tied: Vec<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum QueueState {
    /// Neither in the order that is enhanced, nor needed by one that is.
    Outside,
    Awaited,
    Done,
}

/// What one order has to keep besides, of tests that conflicts name.
#[derive(Debug, Clone, Default)]
struct Besides {
    /// For tests those that they need.
    needs: HashMap<usize, Vec<usize>>,
    /// For tests those that come before them, where they are run.
    before: HashMap<usize, Vec<usize>>,
    /// Whatever circle this closes goes through one of these.
    pivots: BTreeSet<usize>,
}

/// A test that waits for those before it.
struct Waiting {
    test: usize,
    before: std::vec::IntoIter<usize>,
}

impl<'a> Enhancement<'a> {
    fn of(precedence: &'a Precedence) -> Self {
        let tests = precedence.tests();
        let (rank, place) = (vec![usize::MAX; tests], vec![QueueState::Outside; tests]);
        Enhancement { precedence, rank, place, is_tied: tied(precedence) }
    }

    fn enhance(&mut self, unenhanced: &[usize]) -> Vec<usize> {
        // Nothing is asked for besides, so nothing can go round in a circle.
        self.enhance_besides(unenhanced, &Besides::default()).unwrap_or_default()
    }

    /// `None` where what is asked for besides cannot be kept.
    fn enhance_besides(&mut self, unenhanced: &[usize], besides: &Besides) -> Option<Vec<usize>> {
        let tied: Vec<usize> = unenhanced.iter().copied().filter(|test| self.is_tied[*test]).collect();
        let awaited = self.await_with_needs(&tied, besides);
        tied.iter().enumerate().rev().for_each(|(at, test)| self.rank[*test] = at);
        let order = (!self.goes_round(besides)).then(|| self.lay(unenhanced, besides));
        for test in awaited {
            (self.rank[test], self.place[test]) = (usize::MAX, QueueState::Outside);
        }
        order
    }

    fn lay(&mut self, unenhanced: &[usize], besides: &Besides) -> Vec<usize> {
        let mut order = Vec::with_capacity(unenhanced.len());
        for test in unenhanced {
            if self.is_tied[*test] { self.add(*test, besides, &mut order) } else { order.push(*test) }
        }
        order
    }

    /// The tests of the order and, transitively, what they need.
    fn await_with_needs(&mut self, unenhanced: &[usize], besides: &Besides) -> Vec<usize> {
        let (mut awaited, mut open) = (Vec::new(), unenhanced.to_vec());
        while let Some(test) = open.pop() {
            if std::mem::replace(&mut self.place[test], QueueState::Awaited) == QueueState::Outside {
                awaited.push(test);
                open.extend(self.precedence.needs(test));
                open.extend(besides.needs.get(&test).into_iter().flatten());
            }
        }
        awaited
    }

    /// Adds a test after all that has to precede it, if it is not there yet. The study calls itself for each of those; a
    /// chain of tests can be longer than a stack is deep.
    fn add(&mut self, test: usize, besides: &Besides, order: &mut Vec<usize>) {
        if self.place[test] == QueueState::Done {
            return;
        }
        let mut waiting = vec![self.waiting(test, besides)];
        while let Some(last) = waiting.last_mut() {
            match last.before.find(|test| self.place[*test] != QueueState::Done) {
                Some(before) => waiting.push(self.waiting(before, besides)),
                None => {
                    self.place[last.test] = QueueState::Done;
                    order.push(last.test);
                    waiting.pop();
                }
            }
        }
    }

    /// What has to precede a test: first what is in the unenhanced order, by that order, then the rest by the original one.
    fn waiting(&self, test: usize, besides: &Besides) -> Waiting {
        let mut before = self.before(test, besides);
        before.sort_unstable_by_key(|test| (self.rank[*test], *test));
        Waiting { test, before: before.into_iter() }
    }

    /// What has to precede a test, of what is run.
    fn before(&self, test: usize, besides: &Besides) -> Vec<usize> {
        let is_run = |test: &usize| self.place[*test] != QueueState::Outside;
        let needed = self.precedence.needs(test).iter().chain(besides.needs.get(&test).into_iter().flatten());
        let victims = self.precedence.breaks(test).iter().filter(|victim| is_run(victim));
        let turns = self.precedence.turns(test).iter().filter(|turn| is_run(&turn.owner)).map(|turn| &turn.earlier);
        let asked = besides.before.get(&test).into_iter().flatten().filter(|earlier| is_run(earlier));
        needed.chain(victims).chain(turns).chain(asked).copied().collect()
    }

    fn goes_round(&self, besides: &Besides) -> bool {
        besides.pivots.iter().any(|pivot| self.follows_itself(*pivot, besides))
    }

    fn follows_itself(&self, test: usize, besides: &Besides) -> bool {
        let (mut seen, mut open) = (HashSet::new(), self.before(test, besides));
        while let Some(earlier) = open.pop() {
            if earlier == test {
                return true;
            }
            if seen.insert(earlier) {
                open.extend(self.before(earlier, besides));
            }
        }
        false
    }
}

fn tied(precedence: &Precedence) -> Vec<bool> {
    let mut tied = vec![false; precedence.tests()];
    for test in 0..precedence.tests() {
        let turns = precedence.turns(test).iter().map(|turn| &turn.earlier);
        for other in precedence.needs(test).iter().chain(precedence.breaks(test)).chain(turns) {
            (tied[test], tied[*other]) = (true, true);
        }
    }
    precedence.separations().iter().flat_map(|apart| apart.tests()).for_each(|test| tied[test] = true);
    tied
}

#[cfg(test)]
mod tests;
