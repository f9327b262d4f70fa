//! How far processes that stay can be trusted. New classes for each order undo what tests do to the project's own state, not
//! what they do to a library's or the JDK's: that can make tests fail for ever, and can hide that others would fail.
//!
//! The original order, run in such a process after others, shows the first; orders in fresh processes show the second.

use std::collections::BTreeSet;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::DetectionState;
use super::order_runner::{ProcessFreshness, Purpose, Step};
use super::strategy::{Order, Settings, Strategy, shuffle};
use crate::wording::plural;

/// One in so many tests that are misled, and whole orders are worth a fresh process each.
const MANY: usize = 10;
/// Random orders of each kind that are run in fresh processes, too.
const ROUNDS: usize = 2;
/// The share of the budget after which single tests in fresh processes wait for what is left of it in the end.
const ALONE: f64 = 0.15;

impl DetectionState<'_> {
    /// How whole orders are run: a process that stays has to save time, and to tell the truth about most tests.
    pub(super) fn care_for_orders(&self) -> ProcessFreshness {
        let misled = self.order_runner.misled().len() * MANY > self.baseline.tests.len();
        if misled || self.order_runner.tests_dominate() { ProcessFreshness::Fresh } else { ProcessFreshness::Warm }
    }

    /// Runs the original order in warm processes. Tests that end otherwise than in fresh ones are from now on looked
    /// at in fresh ones only, and what was held against them is dropped.
    pub(super) fn check_staying(&mut self, settings: Settings) -> Step<()> {
        let stays = self.order_runner.has_warm() && self.care_for_orders() == ProcessFreshness::Warm;
        if !stays || self.evidence.len() <= self.trusted {
            return Ok(());
        }
        self.order_runner.doing(Purpose::Original, "the original order in warm processes");
        let order = self.present();
        let seen =
            self.order_runner.observe_all(&vec![order.clone(); self.order_runner.lanes()], ProcessFreshness::Warm)?;
        let otherwise = |test: &usize| {
            let usual = self.baseline.fails.get(test);
            usual.is_some_and(|usual| seen.iter().any(|run| run.fails(*test) == Some(!usual)))
        };
        let misled: BTreeSet<usize> = order.iter().copied().filter(otherwise).collect();
        let new = misled.difference(self.order_runner.misled()).count();
        self.order_runner.distrust(&misled);
        self.evidence.retain(|test, _| !misled.contains(test));
        self.trusted = self.evidence.len();
        if new > 0 { self.screen_afresh(settings) } else { Ok(()) }
    }

    /// The orders of all strategies so far again, in fresh processes, for the tests that staying ones mislead.
    fn screen_afresh(&mut self, settings: Settings) -> Step<()> {
        for place in 0..self.tried.len() {
            let strategy = self.tried[place].strategy;
            let (orders, ..) = self.planned(strategy, settings)?;
            let orders = orders.take(self.tried[place].orders);
            let misled = self.order_runner.misled();
            let count = plural(misled.len(), "test");
            let orders: Vec<Order> = match strategy {
                // Every order is of as many tests as there are, and there are as many orders.
                Strategy::Pairs => Vec::new(),
                Strategy::Isolation | Strategy::Exhaustive | Strategy::DependenceAware => {
                    orders.filter(|order| order.last().is_some_and(|last| misled.contains(last))).collect()
                }
                _ => orders.collect(),
            };
            self.order_runner.doing(Purpose::Orders, format!("{strategy} in fresh processes, for {count}"));
            self.look_afresh(place, &orders)?;
        }
        Ok(())
    }

    /// What a process that stays can hide: some orders of the suite, and each test alone, in fresh processes.
    pub(super) fn look_behind(&mut self, settings: Settings) -> Step<()> {
        if !self.order_runner.has_warm() || self.care_for_orders() == ProcessFreshness::Fresh {
            return Ok(());
        }
        let few = Settings { rounds: settings.rounds.min(ROUNDS), ..settings };
        for place in 0..self.tried.len() {
            let strategy = self.tried[place].strategy;
            if matches!(strategy, Strategy::Isolation | Strategy::Pairs) {
                continue;
            }
            let (orders, ..) = self.planned(strategy, few)?;
            self.order_runner.doing(Purpose::Orders, format!("{strategy} in fresh processes"));
            self.look_afresh(place, &orders.collect::<Vec<Order>>())?;
        }
        Ok(())
    }

    /// Each test alone in a fresh process, as long as that does not take too much of the time.
    pub(super) fn see_each_alone(&mut self, settings: Settings) -> Step<()> {
        let until = self.order_runner.spent() + ALONE * self.order_runner.budget();
        self.see_alone_until(until, settings)
    }

    /// What there was no time for before: the rest of what processes that stay can hide.
    pub(super) fn see_the_rest_alone(&mut self, settings: Settings) -> Step<()> {
        self.see_alone_until(f64::INFINITY, settings)
    }

    /// In no particular order, as it may be cut short: neighbours in a class are much alike.
    fn see_alone_until(&mut self, until: f64, settings: Settings) -> Step<()> {
        let place = self.tried.iter().position(|tried| tried.strategy == Strategy::Isolation);
        let Some(place) = place.filter(|_| self.order_runner.has_warm()) else { return Ok(()) };
        let (orders, ..) = self.planned(Strategy::Isolation, settings)?;
        let mut orders: Vec<Order> = orders.collect();
        shuffle(&mut orders, &mut ChaCha8Rng::seed_from_u64(settings.seed));
        orders.retain(|order| !self.looked.contains(&(ProcessFreshness::Fresh, order.clone())));
        self.order_runner.doing(Purpose::Orders, "each test alone in a fresh process");
        for batch in orders.chunks(self.at_once()) {
            if self.order_runner.spent() >= until {
                break;
            }
            self.look_afresh(place, batch)?;
        }
        Ok(())
    }

    /// All random orders in fresh processes, where there is time left.
    pub(super) fn look_behind_all(&mut self, settings: Settings) -> Step<()> {
        if !self.order_runner.has_warm() {
            return Ok(());
        }
        for place in 0..self.tried.len() {
            let strategy = self.tried[place].strategy;
            if matches!(strategy, Strategy::RandomClassMethod | Strategy::RandomInterleaved) {
                let (orders, ..) = self.planned(strategy, settings)?;
                let orders: Vec<Order> =
                    orders.filter(|order| !self.looked.contains(&(ProcessFreshness::Fresh, order.clone()))).collect();
                self.order_runner.doing(Purpose::Orders, format!("{strategy} in fresh processes"));
                self.look_afresh(place, &orders)?;
            }
        }
        Ok(())
    }

    fn look_afresh(&mut self, place: usize, orders: &[Order]) -> Step<()> {
        for batch in orders.chunks(self.at_once()) {
            self.look_at_all(batch.to_vec(), ProcessFreshness::Fresh)?;
            self.tried[place].fresh += batch.len();
        }
        Ok(())
    }
}
