//! What speaks for a test depending on the order: what ran before it where it ended otherwise than in the original order.

use std::collections::BTreeSet;

/// More histories of one kind teach nothing new.
const KEPT: usize = 6;

#[derive(Debug, Clone, Default)]
pub struct Evidence {
    pub failing: Vec<Vec<usize>>,
    pub passing: Vec<Vec<usize>>,
    /// Was any of it seen in an order that counts?
    pub counts: bool,
}

impl Evidence {
    /// `counts`: can a build produce the order that showed it?
    pub fn add(&mut self, fails: bool, history: Vec<usize>, counts: bool) {
        let kept = if fails { &mut self.failing } else { &mut self.passing };
        if kept.contains(&history) {
            return;
        }
        if counts && !self.counts {
            // What no build can show was good enough to look for this.
            (self.failing, self.passing) = (Vec::new(), Vec::new());
            self.counts = true;
        } else if !counts && self.counts {
            return;
        }
        let kept = if fails { &mut self.failing } else { &mut self.passing };
        kept.push(history);
        // Short ones are quicker to run again.
        kept.sort_by_key(Vec::len);
        kept.truncate(KEPT);
    }

    /// The length of the shortest.
    pub fn shortest(&self) -> usize {
        self.failing.iter().chain(&self.passing).map(Vec::len).min().unwrap_or(usize::MAX)
    }
}

/// What is known of a test that depends on the order; every group and cleaner was confirmed in fresh processes.
#[derive(Debug, Clone, Default)]
pub struct KnownCauses {
    pub fails_alone: bool,
    pub setters: BTreeSet<Vec<usize>>,
    pub polluters: BTreeSet<Vec<usize>>,
    pub cleaners: BTreeSet<usize>,
    /// The polluting group whose cleaners were sought.
    pub cleaned: Option<Vec<usize>>,
    pub searched: Searched,
}

/// What was sought among all other tests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Searched {
    pub setters: bool,
    pub polluters: bool,
    pub cleaners: bool,
}

impl KnownCauses {
    /// What lets the test pass where it fails alone: the group of fewest tests.
    pub fn base(&self) -> Vec<usize> {
        self.setters.iter().min_by_key(|group| group.len()).cloned().unwrap_or_default()
    }

    /// The polluting group that cleaners are sought for: that of fewest tests.
    pub fn pollution(&self) -> Option<&Vec<usize>> {
        self.cleaned.as_ref().or_else(|| self.fewest_polluters())
    }

    fn fewest_polluters(&self) -> Option<&Vec<usize>> {
        self.polluters.iter().min_by_key(|group| group.len())
    }

    /// Is it known why the test fails after these?
    pub fn explains(&self, history: &[usize]) -> bool {
        let has = |group: &Vec<usize>| group.iter().all(|test| history.contains(test));
        let unset = self.fails_alone && !self.setters.iter().any(has);
        unset || self.polluters.iter().any(has)
    }

    pub fn is_found(&self) -> bool {
        !self.setters.is_empty() || !self.polluters.is_empty()
    }

    pub fn is_complete(&self) -> bool {
        let setters = self.searched.setters || !self.fails_alone;
        setters && self.searched.polluters && (self.searched.cleaners || self.polluters.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_histories_are_kept() {
        let mut evidence = Evidence::default();
        (0..20).rev().for_each(|length| evidence.add(true, (0..length).collect(), true));
        assert_eq!((evidence.failing.len(), evidence.shortest()), (KEPT, 0));
    }

    #[test]
    fn a_brittle_test_without_its_setter_needs_no_polluter() {
        let known = KnownCauses { fails_alone: true, setters: BTreeSet::from([vec![1, 2]]), ..KnownCauses::default() };
        assert!(known.explains(&[1]));
        assert!(!known.explains(&[2, 1, 3]));
        let polluted = KnownCauses { polluters: BTreeSet::from([vec![3]]), ..known };
        assert!(polluted.explains(&[2, 1, 3]));
    }
}
