//! Who should not run on the same machine, as one breaks the other.
//!
//! Only single polluters are looked at: of those that break a test only together, one elsewhere is enough, and chance sees to that.

use std::collections::{HashMap, HashSet};

use super::closures::Closures;
use crate::suite::Precedence;

/// Of what a test needs, so much is looked at: this is about good schedules, right ones are made afterwards.
const LOOKED_AT: usize = 64;

pub(super) struct Rivals {
    contested: HashSet<usize>,
    /// For tests that no other needs: what would break it, or what it needs, or be broken.
    of: HashMap<usize, Vec<usize>>,
}

impl Rivals {
    pub fn of(closures: &Closures, precedence: &Precedence) -> Self {
        let mut pairs: HashMap<usize, Vec<usize>> = HashMap::new();
        for apart in precedence.separations() {
            if let [polluter] = apart.polluters[..] {
                pairs.entry(polluter).or_default().push(apart.victim);
                pairs.entry(apart.victim).or_default().push(polluter);
            }
        }
        let mut of = HashMap::new();
        for test in closures.last.iter().filter(|_| !pairs.is_empty()) {
            let closure = closure(*test, precedence);
            let mut rivals: Vec<usize> = closure.iter().filter_map(|test| pairs.get(test)).flatten().copied().collect();
            // What a test brings along itself is nowhere avoided.
            rivals.retain(|rival| !closure.contains(rival));
            if !rivals.is_empty() {
                of.insert(*test, rivals);
            }
        }
        Rivals { contested: pairs.into_keys().collect(), of }
    }

    pub fn of_test(&self, test: usize) -> &[usize] {
        self.of.get(&test).map_or(&[], Vec::as_slice)
    }

    pub fn is_contested(&self, test: usize) -> bool {
        self.contested.contains(&test)
    }
}

fn closure(test: usize, precedence: &Precedence) -> HashSet<usize> {
    let (mut closure, mut open) = (HashSet::new(), vec![test]);
    while let Some(test) = open.pop() {
        if closure.len() < LOOKED_AT && closure.insert(test) {
            open.extend(precedence.needs(test).iter().take(LOOKED_AT));
        }
    }
    closure
}
