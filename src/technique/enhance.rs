//! Makes any order aware of dependencies: `enhanceOrder`, Figure 2 of the study of dependent-test-aware regression testing.
//!
//! Tests are positions in the original order. That dependencies have no circles is for [`Precedence`] to ensure.

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
    place: Vec<Place>,
    /// Does it have to precede another test, or follow one? Most tests of a large suite do not.
    is_tied: Vec<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Neither in the order that is enhanced, nor needed by one that is.
    Outside,
    Awaited,
    Done,
}

/// A test that waits for those before it.
struct Waiting {
    test: usize,
    before: std::vec::IntoIter<usize>,
}

impl<'a> Enhancement<'a> {
    fn of(precedence: &'a Precedence) -> Self {
        let tests = precedence.tests();
        let (rank, place) = (vec![usize::MAX; tests], vec![Place::Outside; tests]);
        Enhancement { precedence, rank, place, is_tied: tied(precedence) }
    }

    fn enhance(&mut self, unenhanced: &[usize]) -> Vec<usize> {
        let tied: Vec<usize> = unenhanced.iter().copied().filter(|test| self.is_tied[*test]).collect();
        self.await_with_needs(&tied);
        tied.iter().enumerate().rev().for_each(|(at, test)| self.rank[*test] = at);
        let mut order = Vec::with_capacity(unenhanced.len());
        for test in unenhanced {
            if self.is_tied[*test] { self.add(*test, &mut order) } else { order.push(*test) }
        }
        for test in order.iter().filter(|test| self.is_tied[**test]) {
            (self.rank[*test], self.place[*test]) = (usize::MAX, Place::Outside);
        }
        order
    }

    /// The tests of the order and, transitively, what they need.
    fn await_with_needs(&mut self, unenhanced: &[usize]) {
        let mut open = unenhanced.to_vec();
        while let Some(test) = open.pop() {
            if std::mem::replace(&mut self.place[test], Place::Awaited) == Place::Outside {
                open.extend(self.precedence.needs(test));
            }
        }
    }

    /// Adds a test after all that has to precede it, if it is not there yet. The study calls itself for each of those; a
    /// chain of tests can be longer than a stack is deep.
    fn add(&mut self, test: usize, order: &mut Vec<usize>) {
        if self.place[test] == Place::Done {
            return;
        }
        let mut waiting = vec![self.waiting(test)];
        while let Some(last) = waiting.last_mut() {
            match last.before.find(|test| self.place[*test] != Place::Done) {
                Some(before) => waiting.push(self.waiting(before)),
                None => {
                    self.place[last.test] = Place::Done;
                    order.push(last.test);
                    waiting.pop();
                }
            }
        }
    }

    /// What has to precede a test: first what is in the unenhanced order, by that order, then the rest by the original one.
    fn waiting(&self, test: usize) -> Waiting {
        let needed = self.precedence.needs(test).iter();
        let victims = self.precedence.breaks(test).iter().filter(|victim| self.place[**victim] != Place::Outside);
        let mut before: Vec<usize> = needed.chain(victims).copied().collect();
        before.sort_unstable_by_key(|test| (self.rank[*test], *test));
        Waiting { test, before: before.into_iter() }
    }
}

fn tied(precedence: &Precedence) -> Vec<bool> {
    let mut tied = vec![false; precedence.tests()];
    for test in 0..precedence.tests() {
        for other in precedence.needs(test).iter().chain(precedence.breaks(test)) {
            (tied[test], tied[*other]) = (true, true);
        }
    }
    tied
}

#[cfg(test)]
mod tests;
