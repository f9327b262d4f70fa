//! Tests with all that they need: the pieces that a schedule consists of.

use crate::suite::Precedence;

use super::Work;

/// Which tests have to be placed, and what each costs with everything that it needs, transitively.
pub(super) struct Closures {
    /// Tests that no other needs: whoever runs all of these with what they need runs everything.
    pub last: Vec<usize>,
    /// For those: the work of the test and all that it needs.
    pub work: Vec<u64>,
    /// Tests that are connected by what they need share a number.
    pub group: Vec<usize>,
    /// For tests that need others or are needed, a number among these.
    pub linked: Vec<usize>,
    /// How many of those there are.
    pub links: usize,
    total: u64,
}

impl Closures {
    pub fn of(work: &Work, precedence: &Precedence) -> Self {
        let tests = precedence.tests();
        let mut needed = vec![false; tests];
        (0..tests).flat_map(|test| precedence.needs(test)).for_each(|test| needed[*test] = true);
        let last: Vec<usize> = (0..tests).filter(|test| !needed[*test]).collect();
        let mut sums = Sums::of(work, precedence);
        last.iter().for_each(|test| sums.fill(*test));
        let (linked, links) = linked(precedence, &needed);
        Closures {
            work: sums.known.into_iter().map(|sum| sum.unwrap_or(0)).collect(),
            group: groups(precedence),
            linked,
            links,
            last,
            total: work.iter().fold(0, |sum, work| sum.saturating_add(*work)),
        }
    }

    pub fn costliest(&self) -> u64 {
        self.last.iter().map(|test| self.work[*test]).max().unwrap_or(0)
    }

    pub fn lower_bound(&self, machines: usize) -> u64 {
        self.costliest().max(self.total.div_ceil(machines.max(1) as u64))
    }
}

/// Work with all that is needed, found as it is asked for.
struct Sums<'a> {
    work: &'a Work,
    precedence: &'a Precedence,
    known: Vec<Option<u64>>,
    seen: Vec<usize>,
    visits: usize,
}

impl<'a> Sums<'a> {
    fn of(work: &'a Work, precedence: &'a Precedence) -> Self {
        Sums { work, precedence, known: vec![None; work.len()], seen: vec![0; work.len()], visits: 0 }
    }

    /// Along a chain the sums add up. Where a test needs several, those can share what they need: it is counted once.
    fn fill(&mut self, test: usize) {
        let mut chain = vec![test];
        let mut sum = loop {
            let last = chain[chain.len() - 1];
            match (self.known[last], self.precedence.needs(last)) {
                (Some(sum), _) => break sum.saturating_sub(self.work[last]),
                (None, [need]) => chain.push(*need),
                (None, []) => break 0,
                (None, _) => break self.gather(last).saturating_sub(self.work[last]),
            }
        };
        for test in chain.into_iter().rev() {
            sum = sum.saturating_add(self.work[test]);
            self.known[test] = Some(sum);
        }
    }

    fn gather(&mut self, test: usize) -> u64 {
        self.visits += 1;
        let (mut sum, mut open) = (0u64, vec![test]);
        while let Some(test) = open.pop() {
            if std::mem::replace(&mut self.seen[test], self.visits) != self.visits {
                sum = sum.saturating_add(self.work[test]);
                open.extend(self.precedence.needs(test));
            }
        }
        sum
    }
}

/// Numbers, and how many there are.
fn linked(precedence: &Precedence, needed: &[bool]) -> (Vec<usize>, usize) {
    let is_linked = |test: usize| needed[test] || !precedence.needs(test).is_empty();
    let mut next = 0;
    let number = |test: usize| {
        let number = next;
        next += usize::from(is_linked(test));
        number
    };
    ((0..precedence.tests()).map(number).collect(), next)
}

/// Each test's group, named by one of its members.
fn groups(precedence: &Precedence) -> Vec<usize> {
    let mut group: Vec<usize> = (0..precedence.tests()).collect();
    for test in 0..precedence.tests() {
        for needed in precedence.needs(test) {
            let (one, other) = (root(&mut group, test), root(&mut group, *needed));
            group[one.max(other)] = one.min(other);
        }
    }
    (0..group.len()).map(|test| root(&mut group, test)).collect()
}

fn root(group: &mut [usize], mut test: usize) -> usize {
    while group[test] != test {
        group[test] = group[group[test]];
        test = group[test];
    }
    test
}
