//! Order-dependent tests: found by running the suite in other orders, confirmed in fresh processes, explained by the fewest
//! tests that bring the failure about.
//!
//! Against [`Session`] only, so it runs unchanged in virtual time. It takes time from the runs themselves, writes no file and
//! draws nothing. Everything it does follows from the runs and the seed: with the same memory it goes on where it was.

#[cfg(test)]
mod aware_tests;
mod baseline;
#[cfg(test)]
mod budget_tests;
#[cfg(test)]
mod builds_tests;
mod confirm_orders;
mod coverage;
mod evidence;
mod examine;
mod explain;
mod minimise;
mod order_runner;
#[cfg(test)]
mod planted_tests;
mod recall;
mod record;
mod result;
mod roster;
mod scan_causes;
mod screen;
mod search;
pub mod seek;
mod sharing;
mod square;
#[cfg(test)]
mod stand_in;
mod strategy;
#[cfg(test)]
mod tests;
mod trust;
#[cfg(test)]
mod trust_tests;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

use crate::engine::{Resources, Session};
use crate::suite::TestId;

pub use coverage::Coverage;
pub use order_runner::{
    Forgetful, Memory, Observation, ObservedAccesses, ObservedTest, Progress, Runs, SearchContext, SearchStop,
};
pub use result::{Detection, Flaky, Kind, LeftOut, OrderDependent, ProcessAccident, StrategyProgress};
pub use roster::TestRoster;
pub use strategy::{Settings, Strategy, orders};

use baseline::Baseline;
use evidence::{Evidence, KnownCauses};
use order_runner::{OrderRunner, ProcessFreshness, Step};

/// What to do, and for how long.
#[derive(Debug, Clone)]
pub struct Plan {
    /// `None` for a mix that finds most within the budget.
    pub strategies: Option<Vec<Strategy>>,
    pub settings: Settings,
    pub budget: Duration,
    /// How often the original order is run first.
    pub baseline: usize,
    pub resources: Resources,
}

/// Runs in fresh processes that have to agree before anything is reported. A process that stays has shown it twice before
/// (in an order of a strategy, and in this one); where there is none, fresh ones have to do it all.
const CONFIRMATIONS: usize = 1;
const CONFIRMATIONS_COLD: usize = 3;
/// Shares of the budget up to which the phases may go.
const SCREENED: f64 = 0.5;
const EXPLAINED: f64 = 0.65;
const SEARCHED: f64 = 0.75;
const SCREENED_AGAIN: f64 = 0.85;
const EXPLAINED_AGAIN: f64 = 0.88;
const VOUCHED: f64 = 0.96;
/// So many suspects, or a third of a suite that is not tiny, and so many whole orders confirm them before they are explained.
const MASS: usize = 50;
const MASS_OF: usize = 45;
const FIRST_ORDERS: usize = 3;
/// Where the budget is short, suspects are explained between the first orders.
const SCREENED_SHORT: f64 = 0.6;
const EXPLAINED_SHORT: f64 = 0.8;

/// What is known so far.
struct DetectionState<'a> {
    order_runner: OrderRunner<'a>,
    baseline: Baseline,
    evidence: BTreeMap<usize, Evidence>,
    known: BTreeMap<usize, KnownCauses>,
    alone: BTreeMap<usize, bool>,
    /// KnownCauses polluters that were tried for other tests, too.
    accused: BTreeSet<(usize, usize)>,
    /// Of these, those that a process that stays has shown to be polluters of the test.
    guilty: Vec<(usize, usize)>,
    /// Of suspects that are being explained: failing orders that were looked into.
    looked_into: BTreeMap<usize, usize>,
    /// Suspects whose evidence was looked into.
    settled: BTreeSet<usize>,
    flaky: BTreeMap<usize, String>,
    unconfirmed: BTreeSet<usize>,
    /// Tests that are in no further order, as they cut orders in two.
    dropped: BTreeMap<usize, String>,
    tried: Vec<StrategyProgress>,
    /// Orders that were run to look for suspects.
    looked: HashSet<(ProcessFreshness, Vec<usize>)>,
    /// Suspects that there were when processes that stay were last compared with fresh ones.
    trusted: usize,
    /// Suspects that were run without all others.
    gathered: BTreeSet<usize>,
    /// Suspects that fresh processes confirmed in whole orders.
    vouched: BTreeSet<usize>,
    /// Causes whose other effects were looked for.
    followed: BTreeSet<(bool, usize)>,
    /// By target and by how it ends by itself: what was proved not to matter to it.
    neutral: BTreeMap<(usize, bool), BTreeSet<usize>>,
    /// Whole orders as they were seen.
    orders: Vec<Observation>,
    confirmations: usize,
    budget_ended: bool,
}

/// Finds the order-dependent tests of a suite. An error is an interruption, or a harness that broke.
pub fn detect<'a>(
    session: &'a mut dyn Session,
    roster: TestRoster,
    plan: &Plan,
    company: SearchContext<'a>,
) -> Result<Detection, SearchStop> {
    let mut order_runner = OrderRunner::new(session, roster, company, plan.resources.clone(), plan.budget);
    let baseline = baseline::baseline(&mut order_runner, plan.baseline)?;
    let confirmations = if order_runner.has_warm() { CONFIRMATIONS } else { CONFIRMATIONS_COLD };
    let mut detective = DetectionState::of(order_runner, baseline, confirmations);
    detective.work(plan)?;
    detective.set_the_flaky_aside();
    Ok(detective.result())
}

impl<'a> DetectionState<'a> {
    fn of(order_runner: OrderRunner<'a>, baseline: Baseline, confirmations: usize) -> Self {
        // It was run, and shows nothing new.
        let original = baseline.tests.clone();
        DetectionState {
            flaky: baseline.flaky.clone(),
            confirmations,
            order_runner,
            baseline,
            evidence: BTreeMap::new(),
            known: BTreeMap::new(),
            alone: BTreeMap::new(),
            accused: BTreeSet::new(),
            guilty: Vec::new(),
            neutral: BTreeMap::new(),
            looked_into: BTreeMap::new(),
            settled: BTreeSet::new(),
            unconfirmed: BTreeSet::new(),
            dropped: BTreeMap::new(),
            tried: Vec::new(),
            orders: Vec::new(),
            looked: HashSet::from(
                [ProcessFreshness::Warm, ProcessFreshness::Fresh].map(|care| (care, original.clone())),
            ),
            trusted: 0,
            gathered: BTreeSet::new(),
            vouched: BTreeSet::new(),
            followed: BTreeSet::new(),
            budget_ended: false,
        }
    }
}

impl DetectionState<'_> {
    fn work(&mut self, plan: &Plan) -> Step<()> {
        let (first, second) = match &plan.strategies {
            Some(strategies) => (each_once(strategies).into_iter().map(|one| vec![one]).collect(), Vec::new()),
            None => screen::mix(self.baseline.tests.len()),
        };
        let free = plan.strategies.is_none();
        let short = self.order_runner.is_short();
        self.within(if short { SCREENED_SHORT } else { SCREENED }, |detective| {
            detective.screen_all(&first, plan.settings)?;
            if free { detective.look_behind(plan.settings) } else { Ok(()) }
        })?;
        self.within(if short { EXPLAINED_SHORT } else { EXPLAINED }, |detective| {
            // More than anybody may have the time to explain are first seen for certain.
            let suspects = detective.unexplained().len();
            if suspects > MASS || suspects * 3 > detective.baseline.tests.len().max(MASS_OF) {
                detective.vouch_by(FIRST_ORDERS)?;
            }
            detective.follow_up()
        })?;
        self.within(if short { SCREENED_AGAIN } else { SEARCHED }, |detective| {
            // Every suspect has its first cause before any has all.
            detective.follow_up()?;
            detective.search_all()
        })?;
        self.within(SCREENED_AGAIN, |detective| {
            detective.screen_second(&second, plan.settings)?;
            if free {
                detective.give_a_chance()?;
                detective.see_the_rest_alone(plan.settings)?;
            }
            Ok(())
        })?;
        self.within(EXPLAINED_AGAIN, Self::follow_up)?;
        self.within(VOUCHED, Self::confirm_orders)?;
        self.within(1.0, |detective| {
            detective.follow_up()?;
            detective.search_all()?;
            // The search is made of orders too, which can show what no order before did.
            detective.follow_up()?;
            detective.search_all()
        })
    }

    /// The end of its time ends a phase, not the work.
    fn within(&mut self, share: f64, phase: impl FnOnce(&mut Self) -> Step<()>) -> Step<()> {
        self.order_runner.allow(share);
        match phase(self) {
            Err(SearchStop::Budget) => {
                self.budget_ended = true;
                Ok(())
            }
            done => done,
        }
    }

    /// The tests that further orders are made of.
    fn present(&self) -> Vec<usize> {
        self.baseline.tests.iter().copied().filter(|test| !self.dropped.contains_key(test)).collect()
    }

    /// What is known of a test; without a cause, no more than how it ends alone.
    fn story_of(&self, test: usize) -> KnownCauses {
        let known = self.known_of(test);
        let fails_alone = if known.is_found() { known.fails_alone } else { self.alone.get(&test) == Some(&true) };
        KnownCauses { fails_alone, ..known }
    }

    fn result(self) -> Detection {
        let roster = &self.order_runner.roster;
        let id = |test: &usize| roster.id(*test).clone();
        let is_reported =
            |test: &usize| !self.flaky.contains_key(test) && (self.is_explained(*test) || self.vouched.contains(test));
        let reported: BTreeSet<usize> =
            self.known.keys().chain(&self.vouched).copied().filter(|test| is_reported(test)).collect();
        let is_settled = |test: &usize| reported.contains(test) || self.flaky.contains_key(test);
        let order_dependent: Vec<OrderDependent> = reported
            .iter()
            .map(|test| {
                let fails = self.baseline.fails.get(test) == Some(&true);
                order_dependent(roster, *test, &self.story_of(*test), fails)
            })
            .collect();
        let left_out = self.baseline.left_out.iter().chain(&self.dropped);
        let unproducible = |test: &&usize| self.evidence.get(test).is_some_and(|evidence| !evidence.counts);
        let unsettled = || self.unconfirmed.iter().filter(|test| !is_settled(test));
        Detection {
            tests: (0..roster.len()).map(|test| id(&test)).collect(),
            failing_originally: self.baseline.fails.values().filter(|fails| **fails).count(),
            flaky: self.flaky.iter().map(|(test, seen)| Flaky { test: id(test), seen: seen.clone() }).collect(),
            order_dependent,
            unconfirmed: unsettled().filter(|test| !unproducible(test)).map(id).collect(),
            interleaved_only: unsettled().filter(unproducible).map(id).collect(),
            unexplained: self.unexplained().iter().map(id).collect(),
            fresh_only: self.order_runner.misled().len(),
            left_out: left_out.map(|(test, why)| LeftOut { test: id(test), why: why.clone() }).collect(),
            accidents: self
                .order_runner
                .accidents
                .iter()
                .map(|((test, outcome), runs)| ProcessAccident { test: id(test), outcome: *outcome, runs: *runs })
                .collect(),
            coverage: self.order_runner.coverage(),
            strategies: self.tried,
            runs: self.order_runner.runs,
            seconds: self.order_runner.spent(),
            baseline: self.baseline.runs,
            budget_ended: self.budget_ended,
        }
    }
}

fn each_once(strategies: &[Strategy]) -> Vec<Strategy> {
    let mut seen = HashSet::new();
    strategies.iter().copied().filter(|strategy| seen.insert(*strategy)).collect()
}

fn order_dependent(roster: &TestRoster, test: usize, known: &KnownCauses, fails_originally: bool) -> OrderDependent {
    let kind = match (known.fails_alone, known.polluters.is_empty()) {
        (false, _) => Kind::Victim,
        (true, true) => Kind::Brittle,
        (true, false) => Kind::Both,
    };
    let groups =
        |groups: &BTreeSet<Vec<usize>>| -> Vec<Vec<TestId>> { groups.iter().map(|group| roster.ids(group)).collect() };
    let flat = |groups: &BTreeSet<Vec<usize>>| -> Vec<TestId> {
        let all: BTreeSet<usize> = groups.iter().flatten().copied().collect();
        all.iter().map(|test| roster.id(*test).clone()).collect()
    };
    let causes = known.setters.iter().chain(&known.polluters).flatten();
    let is_own = |cause: &usize| roster.class(*cause) == roster.class(test);
    OrderDependent {
        test: roster.id(test).clone(),
        kind,
        declared_order: known.is_found() && roster.declares_order(test) && causes.clone().all(is_own),
        polluters: flat(&known.polluters),
        cleaners: known.cleaners.iter().map(|test| roster.id(*test).clone()).collect(),
        state_setters: flat(&known.setters),
        polluter_groups: groups(&known.polluters),
        state_setter_groups: groups(&known.setters),
        complete: known.is_complete(),
        fails_originally,
    }
}
