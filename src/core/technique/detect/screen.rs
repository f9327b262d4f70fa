//! Runs the orders of the strategies and takes down who ended otherwise than in the original order.

use super::order_runner::{Observation, ProcessFreshness, Purpose, SearchStop, Step};
use super::sharing::Sharing;
use super::strategy::{Order, Orders, Settings, Strategy, orders, possible};
use super::{DetectionState, EXPLAINED_SHORT, StrategyProgress};
use crate::suite::Outcome;
use crate::wording::plural;

/// A test that hung or ended its process this often is left out of further orders: each costs as much as many others.
const ACCIDENTS: usize = 3;
/// Orders for each lane that are begun before the first of them is looked at.
const AT_ONCE: usize = 4;
const HOPELESS: usize = 20;
/// Executions that all pairs of a suite may take for each test of it to be run alone before; in larger suites pairs get all
/// the time that is left, those within classes first.
const AFFORDABLE: usize = 1_000_000;

/// Strategies that take turns: where time is short, each gets some of it.
pub type Turns = Vec<Strategy>;

/// What finds most: each reversal and some random orders first, then what finds the rest, as far as the time goes.
pub fn mix(tests: usize) -> (Vec<Turns>, Vec<Strategy>) {
    let first = vec![
        vec![Strategy::Reverse],
        vec![Strategy::ReverseClasses],
        vec![Strategy::ReverseMethods],
        vec![Strategy::RandomClassMethod, Strategy::RandomInterleaved],
    ];
    let affordable = tests.saturating_mul(tests) <= AFFORDABLE;
    (first, if affordable { vec![Strategy::Isolation, Strategy::Pairs] } else { vec![Strategy::Pairs] })
}

impl DetectionState<'_> {
    pub(super) fn screen_all(&mut self, strategies: &[Turns], settings: Settings) -> Step<()> {
        strategies.iter().try_for_each(|turns| {
            self.screen(turns, settings)?;
            self.check_staying(settings)
        })
    }

    /// What finds the rest. Before pairs take all that is left, what staying processes can hide is looked for in fresh ones.
    pub(super) fn screen_second(&mut self, strategies: &[Strategy], settings: Settings) -> Step<()> {
        for strategy in strategies {
            if *strategy == Strategy::Pairs {
                self.look_behind_all(settings)?;
            }
            self.screen_all(&[vec![*strategy]], settings)?;
            if *strategy == Strategy::Isolation {
                self.see_each_alone(settings)?;
            }
        }
        Ok(())
    }

    fn screen(&mut self, turns: &[Strategy], settings: Settings) -> Step<()> {
        let mut streams = Vec::new();
        for strategy in turns {
            let (orders, planned, possible) = self.planned(*strategy, settings)?;
            streams.push((self.tried.len(), orders));
            self.tried.push(StrategyProgress { strategy: *strategy, orders: 0, planned, possible, fresh: 0 });
        }
        while !streams.is_empty() {
            let mut going_on = Vec::new();
            for (place, mut orders) in streams {
                let batch: Vec<Order> = orders.by_ref().take(self.at_once()).collect();
                if !batch.is_empty() {
                    self.screen_some(place, batch, settings)?;
                    going_on.push((place, orders));
                }
            }
            streams = going_on;
        }
        Ok(())
    }

    fn screen_some(&mut self, place: usize, batch: Vec<Order>, settings: Settings) -> Step<()> {
        let StrategyProgress { strategy, orders: done, planned, .. } = self.tried[place];
        let suspects = self.evidence.len();
        self.order_runner
            .doing(Purpose::Orders, format!("{strategy}: order {} of {planned}, {suspects} suspected", done + 1));
        let count = batch.len();
        self.look_at_all(batch, self.care_for_orders())?;
        self.tried[place].orders += count;
        self.explain_between(settings)
    }

    /// Where the budget is short, what an order has shown is explained before the next one; first of all by whether a process
    /// that stays is to be believed, as explaining what it made up takes as long.
    fn explain_between(&mut self, settings: Settings) -> Step<()> {
        if !self.order_runner.is_short() || self.open_suspects().next().is_none() {
            return Ok(());
        }
        self.check_staying(settings)?;
        let share = self.order_runner.allowed();
        self.order_runner.allow(EXPLAINED_SHORT.max(share));
        let explained = self.explain_all();
        self.order_runner.allow(share);
        match explained {
            // The rest is explained later, if at all.
            Err(SearchStop::Budget) => Ok(()),
            done => done,
        }
    }

    pub(super) fn at_once(&self) -> usize {
        match self.order_runner.lanes() {
            1 => 1,
            lanes if self.order_runner.is_short() => lanes,
            lanes => lanes * AT_ONCE,
        }
    }

    /// Tests that failed in every order so far, after each other test by itself: one that needs another, and that most
    /// orders have polluted as well, passes nowhere else.
    pub(super) fn give_a_chance(&mut self) -> Step<()> {
        let fails = |test: &usize| self.baseline.fails.get(test) == Some(&true) && !self.evidence.contains_key(test);
        let hopeless: Vec<usize> = self.present().into_iter().filter(fails).collect();
        // Very many of them fail for want of something that no other test gives.
        if hopeless.is_empty() || hopeless.len() > HOPELESS {
            return Ok(());
        }
        self.order_runner.doing(
            Purpose::Orders,
            format!("running {} that always failed, each time after one other test", plural(hopeless.len(), "test")),
        );
        let orders = self.present().into_iter().flat_map(|first| {
            let after: Order =
                hopeless.iter().copied().filter(|test| self.order_runner.roster.meet(first, *test)).collect();
            let backwards: Order = after.iter().rev().copied().collect();
            let both = if after.len() > 1 { vec![after, backwards] } else { vec![after] };
            both.into_iter().filter(|after| !after.is_empty()).map(move |after| [vec![first], after].concat())
        });
        self.look_at_all(orders.collect(), self.care_for_orders())
    }

    /// The orders of a strategy, how many there are, and how many there would be if nothing were known.
    pub(super) fn planned(&mut self, strategy: Strategy, settings: Settings) -> Step<(Orders, usize, Option<usize>)> {
        let tests = self.present();
        if strategy != Strategy::DependenceAware {
            let (orders, planned) = orders(strategy, &self.order_runner.roster, &tests, settings);
            let all =
                (strategy == Strategy::Exhaustive).then(|| possible(&self.order_runner.roster, &tests, settings.k));
            return Ok((orders, planned, all.filter(|all| *all > planned)));
        }
        self.order_runner.doing(Purpose::Original, "the original order, to record what tests share");
        let accesses = self.order_runner.accesses(&tests)?;
        let sharing = Sharing::new(&accesses, &self.order_runner.roster, &tests);
        let (planned, possible) = (sharing.count(settings.k), sharing.possible(settings.k));
        Ok((Box::new(sharing.orders(settings.k)), planned, Some(possible)))
    }

    /// Explains what is suspected, and looks who else suffers from what is found: who pollutes one test often pollutes more.
    pub(super) fn follow_up(&mut self) -> Step<()> {
        loop {
            self.explain_all()?;
            let Some((pollutes, cause)) = self.unfollowed() else { return Ok(()) };
            self.order_runner.doing(
                Purpose::Causes,
                format!("finding other tests that depend on {}", self.order_runner.roster.id(cause)),
            );
            let mut others = self.present();
            others.retain(|test| self.order_runner.roster.meet(*test, cause));
            let backwards: Order = others.iter().rev().copied().collect();
            let first = if pollutes { vec![cause] } else { Vec::new() };
            let orders = [others, backwards].map(|order| [first.clone(), order].concat()).to_vec();
            self.look_at_all(orders, self.care_for_orders())?;
            self.followed.insert((pollutes, cause));
        }
    }

    /// A single polluter, or a state-setter that others can be run without.
    fn unfollowed(&self) -> Option<(bool, usize)> {
        let singles = self.known.values().flat_map(|known| {
            let polluters = known.polluters.iter().map(|group| (true, group));
            polluters.chain(known.setters.iter().map(|group| (false, group)))
        });
        let mut singles = singles.filter_map(|(pollutes, group)| match group.as_slice() {
            [single] => Some((pollutes, *single)),
            _ => None,
        });
        singles.find(|cause| !self.followed.contains(cause) && !self.dropped.contains_key(&cause.1))
    }

    /// A test that takes its run down with it is left out, and the order run again.
    pub(super) fn look_at_all(&mut self, mut orders: Vec<Order>, care: ProcessFreshness) -> Step<()> {
        while !orders.is_empty() {
            orders.iter_mut().for_each(|order| order.retain(|test| !self.dropped.contains_key(test)));
            // The same order again shows nothing new.
            let way = if self.order_runner.has_warm() { care } else { ProcessFreshness::Fresh };
            orders.retain(|order| !order.is_empty() && self.looked.insert((way, order.clone())));
            let (seen, ended) = self.order_runner.observe_some(&orders, care);
            let mut again = Vec::new();
            for (order, observation) in orders.into_iter().zip(seen) {
                self.take_in(&observation, care);
                let lost = observation.seen.len() < order.len();
                self.drop_breakers(&observation, lost);
                self.remember(observation);
                again.extend(lost.then_some(order));
            }
            ended?;
            again.retain(|order| order.iter().any(|test| self.dropped.contains_key(test)));
            orders = again;
        }
        Ok(())
    }

    pub(super) fn take_in(&mut self, observation: &Observation, care: ProcessFreshness) {
        for (place, seen) in observation.seen.iter().enumerate() {
            let (Some(fails), Some(usually)) = (seen.fails(), self.baseline.fails.get(&seen.test)) else { continue };
            if fails == *usually || self.order_runner.care_for(seen.test, care) != care {
                continue;
            }
            let history = observation.history(place);
            let explained = fails && self.known.get(&seen.test).is_some_and(|known| known.explains(&history));
            if !explained {
                let counts = self.order_runner.roster.counts(&[history.as_slice(), &[seen.test]].concat());
                self.evidence.entry(seen.test).or_default().add(fails, history, counts);
                self.reopen(seen.test);
            }
        }
    }

    fn drop_breakers(&mut self, observation: &Observation, lost: bool) {
        for seen in &observation.seen {
            let why = match seen.outcome {
                Outcome::TimedOut => "it did not end in some orders",
                Outcome::Crashed => "its process ended with it in some orders",
                _ => continue,
            };
            let often =
                self.order_runner.accidents.get(&(seen.test, seen.outcome)).is_some_and(|runs| *runs >= ACCIDENTS);
            if lost || often {
                self.dropped.insert(seen.test, format!("{why}; it was left out of later orders"));
            }
        }
    }
}
