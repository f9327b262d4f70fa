//! What the orders that were run anyway rule out: a test that passed after others was polluted by none of them. It saves most
//! of the runs that trying everything by itself would take, where runs cost real time.
//!
//! One order rules nothing out: an unknown cleaner may have stood between. Two of them do.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::Detective;
use super::evidence::Known;
use super::lab::Observation;
use super::search::Role;
use super::sweep::Question;

const ORDERS: usize = 2;
/// Executions that are remembered.
const REMEMBERED: usize = 5_000_000;

impl Detective<'_> {
    pub(super) fn remember(&mut self, observation: Observation) {
        let held: usize = self.orders.iter().map(|order| order.seen.len()).sum();
        if self.lab.has_warm() && held + observation.seen.len() <= REMEMBERED {
            self.orders.push(observation);
        }
    }

    /// By target: tests that need not be tried in this role.
    pub(super) fn ruled_out(&self, role: Role, targets: &[usize]) -> HashMap<usize, HashSet<usize>> {
        let of = |target: &usize| (*target, self.ruled_out_for(role, *target));
        targets.iter().map(of).collect()
    }

    /// A target that passed although what leads to its failure had run, and what ran since: the shortest there is.
    pub(super) fn cleaned(&self, question: &Question) -> Option<(usize, Vec<usize>)> {
        let polluter = question.lead.last()?;
        let between = |order: &Observation, target: &usize| {
            let place = order.seen.iter().position(|seen| seen.test == *target && seen.fails() == Some(false))?;
            let history = order.history(place);
            let after = history.iter().position(|test| test == polluter)? + 1;
            (after < history.len()).then(|| (*target, history[after..].to_vec()))
        };
        let all =
            self.orders.iter().flat_map(|order| question.targets.iter().filter_map(|target| between(order, target)));
        all.min_by_key(|(_, between)| between.len())
    }

    fn ruled_out_for(&self, role: Role, target: usize) -> HashSet<usize> {
        let mut counts: HashMap<usize, usize> = HashMap::new();
        let Some(known) = self.known.get(&target) else { return HashSet::new() };
        for order in &self.orders {
            let Some(place) = order.seen.iter().position(|seen| seen.test == target) else { continue };
            let Some(fails) = order.seen[place].fails() else { continue };
            let history = order.history(place);
            innocent(role, known, &history, fails).iter().for_each(|test| *counts.entry(*test).or_default() += 1);
        }
        counts.into_iter().filter(|(_, count)| *count >= ORDERS).map(|(test, _)| test).collect()
    }
}

/// The tests of a history that did not do in it what the role says.
fn innocent<'h>(role: Role, known: &Known, history: &'h [usize], fails: bool) -> &'h [usize] {
    let singles = |groups: &BTreeSet<Vec<usize>>| -> BTreeSet<usize> {
        groups.iter().filter(|group| group.len() == 1).flatten().copied().collect()
    };
    let after_last = |of: &BTreeSet<usize>| history.iter().rposition(|test| of.contains(test)).map(|place| place + 1);
    let nobody = &history[..0];
    match role {
        Role::Polluter if fails || known.fails_alone => nobody,
        Role::Polluter => &history[after_last(&known.cleaners).unwrap_or(0)..],
        Role::Cleaner if !fails || known.fails_alone => nobody,
        Role::Cleaner => after_last(&singles(&known.polluters)).map_or(nobody, |place| &history[place..]),
        // A test that is polluted as well says nothing about who sets its state.
        Role::Setter if !fails || !known.polluters.is_empty() => nobody,
        Role::Setter => history,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_clears_those_that_had_their_chance() {
        let victim = Known { polluters: BTreeSet::from([vec![3]]), cleaners: BTreeSet::from([5]), ..Known::default() };
        assert_eq!(innocent(Role::Polluter, &victim, &[1, 5, 2], false), [2]);
        assert_eq!(innocent(Role::Polluter, &victim, &[1, 2], false), [1, 2]);
        assert!(innocent(Role::Polluter, &victim, &[1, 2], true).is_empty());
        assert_eq!(innocent(Role::Cleaner, &victim, &[1, 3, 2], true), [2]);
        assert!(innocent(Role::Cleaner, &victim, &[1, 2], true).is_empty());
        let brittle = Known { fails_alone: true, setters: BTreeSet::from([vec![9]]), ..Known::default() };
        assert_eq!(innocent(Role::Setter, &brittle, &[1, 2], true), [1, 2]);
        assert!(innocent(Role::Setter, &brittle, &[1, 2], false).is_empty());
    }
}
