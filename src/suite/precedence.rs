//! Dependencies between tests by position in the original order, one way or the other: for algorithms that go through
//! suites of a hundred thousand tests.

/// What has to run before what. It has no circles: a [`super::DependencyGraph`] has none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Precedence {
    /// For every test those that it passes only after, ascending: its positive dependencies.
    needs: Vec<Vec<usize>>,
    /// For every test those that fail after it, ascending: its negative dependencies, seen from the polluter.
    breaks: Vec<Vec<usize>>,
}

impl Precedence {
    /// For so many tests, without a dependency.
    pub fn none(tests: usize) -> Self {
        Precedence { needs: vec![Vec::new(); tests], breaks: vec![Vec::new(); tests] }
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

    /// The same in a larger suite, where each test stands at the given place.
    pub(super) fn placed(&self, places: &[usize], tests: usize) -> Self {
        let mut placed = Precedence::none(tests);
        let at = |list: &[usize]| {
            let mut list: Vec<usize> = list.iter().map(|test| places[*test]).collect();
            list.sort_unstable();
            list
        };
        for (test, place) in places.iter().enumerate() {
            placed.needs[*place] = at(&self.needs[test]);
            placed.breaks[*place] = at(&self.breaks[test]);
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
}
