//! Suspects that time does not suffice to explain: that they depend on the order is known once an order that they ended
//! otherwise in ends so in fresh processes, too, every time. One order tells of many.

use std::collections::{BTreeSet, HashSet};

use super::DetectionState;
use super::evidence::KnownCauses;
use super::order_runner::{Observation, ProcessFreshness, Purpose, Step};
use super::strategy::Order;

/// Fresh runs of one order that have to agree, besides the one that made the test a suspect.
const VOUCHES: usize = 2;

impl DetectionState<'_> {
    /// Runs the orders again that show most of the suspects without an explanation, then each of these suspects alone.
    pub(super) fn confirm_orders(&mut self) -> Step<()> {
        self.vouch_by(usize::MAX)?;
        self.see_vouched_alone()
    }

    /// Runs so many of these orders again at most.
    pub(super) fn vouch_by(&mut self, orders: usize) -> Step<()> {
        let mut done: HashSet<Order> = HashSet::new();
        let mut open = self.unexplained();
        while !open.is_empty() && done.len() < orders {
            let Some(order) = self.telling_order(&open, &done) else { break };
            self.order_runner
                .doing(Purpose::Causes, format!("repeating an order that shows {} unexplained suspects", open.len()));
            let ends = self.end_otherwise(&order, &open)?;
            open.retain(|test| !ends.contains(test));
            self.vouched.extend(ends);
            done.insert(order);
        }
        Ok(())
    }

    /// Is a cause of it known?
    pub(super) fn is_explained(&self, test: usize) -> bool {
        self.known.get(&test).is_some_and(KnownCauses::is_found)
    }

    /// Suspects without a known cause that nobody has cleared.
    pub(super) fn unexplained(&self) -> BTreeSet<usize> {
        let cleared = |test: &usize| {
            self.flaky.contains_key(test) || self.unconfirmed.contains(test) || self.vouched.contains(test)
        };
        self.evidence.keys().copied().filter(|test| !self.is_explained(*test) && !cleared(test)).collect()
    }

    /// Of the orders that were seen, and of what ran before each suspect, the one in which most of them end otherwise.
    fn telling_order(&self, open: &BTreeSet<usize>, done: &HashSet<Order>) -> Option<Order> {
        let shown = |seen: &Observation| self.ending_otherwise(seen).intersection(open).count();
        let orders = self.orders.iter().map(|seen| (shown(seen), sequence(seen)));
        let is_open = |(count, order): &(usize, Order)| {
            *count > 0 && !done.contains(order) && self.order_runner.roster.counts(order)
        };
        let best = orders.filter(is_open).max_by_key(|(count, _)| *count);
        let own = || open.iter().flat_map(|test| self.own_orders(*test)).find(|order| !done.contains(order));
        best.map(|(_, order)| order).or_else(own)
    }

    fn own_orders(&self, test: usize) -> Vec<Order> {
        let Some(evidence) = self.evidence.get(&test) else { return Vec::new() };
        let otherwise =
            if self.baseline.fails.get(&test) == Some(&true) { &evidence.passing } else { &evidence.failing };
        let nearest = otherwise.iter().map(|history| self.order_runner.roster.as_in_a_build(history, test));
        nearest.take(1).map(|history| [history.as_slice(), &[test]].concat()).collect()
    }

    fn ending_otherwise(&self, seen: &Observation) -> BTreeSet<usize> {
        let usual = |test: &usize| self.baseline.fails.get(test).copied();
        let otherwise =
            seen.seen.iter().filter(|seen| seen.fails().is_some_and(|fails| usual(&seen.test) == Some(!fails)));
        otherwise.map(|seen| seen.test).collect()
    }

    /// Of these tests, those that end otherwise than in the original order in every fresh run of this one.
    fn end_otherwise(&mut self, order: &[usize], open: &BTreeSet<usize>) -> Step<BTreeSet<usize>> {
        let runs = vec![order.to_vec(); self.confirmations.max(VOUCHES)];
        let mut left = open.clone();
        for seen in self.order_runner.observe_all(&runs, ProcessFreshness::Fresh)? {
            let otherwise = self.ending_otherwise(&seen);
            left.retain(|test| otherwise.contains(test));
        }
        Ok(left)
    }

    /// Which makes them victims or brittle.
    fn see_vouched_alone(&mut self) -> Step<()> {
        let unknown = |test: &usize| !self.alone.contains_key(test) && !self.is_explained(*test);
        let open: Vec<usize> = self.vouched.iter().copied().filter(unknown).collect();
        self.order_runner.doing(Purpose::Causes, format!("running {} suspects alone", open.len()));
        for batch in open.chunks(self.at_once()) {
            let asked: Vec<(Vec<usize>, usize)> = batch.iter().map(|test| (Vec::new(), *test)).collect();
            for (test, fails) in batch.iter().zip(self.order_runner.fail(&asked, ProcessFreshness::Fresh)?) {
                if let Some(fails) = fails {
                    self.alone.insert(*test, fails);
                }
            }
        }
        Ok(())
    }
}

fn sequence(seen: &Observation) -> Order {
    seen.seen.iter().map(|seen| seen.test).collect()
}
