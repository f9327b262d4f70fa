//! Dependencies between tests by position in the original order, one way or the other: for algorithms that go through
//! suites of a hundred thousand tests.

use std::collections::HashMap;

/// What has to run before what. It has no circles: a [`super::DependencyGraph`] has none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Precedence {
    /// For every test those that it passes only after, ascending: its positive dependencies.
    needs: Vec<Vec<usize>>,
    /// For every test those that fail after it, ascending: its negative dependencies, seen from the polluter.
    breaks: Vec<Vec<usize>>,
    /// For few tests, who comes earlier in a sequence that somebody needs.
    turns: HashMap<usize, Vec<Turn>>,
    /// What no order of the tests alone can keep.
    separations: Vec<Separation>,
}

/// A test comes earlier than another one, wherever the owner of their sequence is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    pub earlier: usize,
    pub owner: usize,
}

/// A test that fails once all of its polluters have run, unless a cleaner has run since one of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Separation {
    pub victim: usize,
    pub polluters: Vec<usize>,
    pub cleaners: Vec<usize>,
}

impl Separation {
    /// All that it names.
    pub fn tests(&self) -> impl Iterator<Item = usize> + '_ {
        self.polluters.iter().chain(&self.cleaners).chain([&self.victim]).copied()
    }
}

impl Precedence {
    /// For so many tests, without a dependency.
    pub fn none(tests: usize) -> Self {
        Precedence { needs: vec![Vec::new(); tests], breaks: vec![Vec::new(); tests], ..Precedence::default() }
    }

    /// Of pairs `(p, d)`: by the first ones d passes only after p, by the second ones d fails after p.
    pub(super) fn of(tests: usize, positive: Vec<(usize, usize)>, negative: Vec<(usize, usize)>) -> Self {
        let mut precedence = Precedence::none(tests);
        positive.into_iter().for_each(|(dependee, test)| precedence.needs[test].push(dependee));
        negative.into_iter().for_each(|(dependee, test)| precedence.breaks[dependee].push(test));
        for list in precedence.needs.iter_mut().chain(&mut precedence.breaks) {
            list.sort_unstable();
            list.dedup();
        }
        precedence
    }

    /// The same with sequences: pairs of the later test and its turn, none of which closes a circle.
    pub(super) fn with_turns(mut self, turns: impl Iterator<Item = (usize, Turn)>) -> Self {
        turns.for_each(|(later, turn)| self.turns.entry(later).or_default().push(turn));
        self
    }

    pub(super) fn with_separations(self, separations: Vec<Separation>) -> Self {
        Precedence { separations, ..self }
    }

    /// The same in a larger suite, where each test stands at the given place.
    pub(super) fn placed(&self, places: &[usize], tests: usize) -> Self {
        let at = |list: &[usize]| -> Vec<usize> { list.iter().map(|test| places[*test]).collect() };
        let turn = |turn: &Turn| Turn { earlier: places[turn.earlier], owner: places[turn.owner] };
        let turns = self.turns.iter().map(|(later, turns)| (places[*later], turns.iter().map(turn).collect()));
        let apart = |apart: &Separation| Separation {
            victim: places[apart.victim],
            polluters: at(&apart.polluters),
            cleaners: at(&apart.cleaners),
        };
        let mut placed = Precedence {
            turns: turns.collect(),
            separations: self.separations.iter().map(apart).collect(),
            ..Precedence::none(tests)
        };
        for (test, place) in places.iter().enumerate() {
            placed.needs[*place] = at(&self.needs[test]);
            placed.needs[*place].sort_unstable();
            placed.breaks[*place] = at(&self.breaks[test]);
            placed.breaks[*place].sort_unstable();
        }
        placed
    }

    pub fn tests(&self) -> usize {
        self.needs.len()
    }

    /// Tests that have to run before this one, and to run at all.
    pub fn needs(&self, test: usize) -> &[usize] {
        &self.needs[test]
    }

    /// Tests that have to run before this one, if they run at all.
    pub fn breaks(&self, test: usize) -> &[usize] {
        &self.breaks[test]
    }

    /// Tests that have to run before this one, if the owner of the sequence runs.
    pub fn turns(&self, test: usize) -> &[Turn] {
        self.turns.get(&test).map_or(&[], Vec::as_slice)
    }

    /// Tests that break each other, one way or both.
    pub fn separations(&self) -> &[Separation] {
        &self.separations
    }
}
