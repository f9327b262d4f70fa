//! Keeps an assessment within its budget: before each run, what is left is held against what runs have taken lately. A run for
//! which there is no time is left out, and one that the end of the budget cuts off is no result.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::agenda;
use super::survey::Survey;
use super::taken::Taken;
use super::ways::{SEQUENTIAL, Way};
use crate::experiment::{Plan, Trial};
use crate::runner::{Allowance, Pace};
use crate::store::record::{Phase, TrialRecord, Verdict};

/// Of what is left when the first block begins, for trying ways beyond the most promising one.
const FOR_TRYING: f64 = 0.7;
/// For writing the answer down, in seconds.
const FOR_ANSWERING: f64 = 2.0;

/// What has been spent of the budget.
#[derive(Debug, Clone)]
pub(super) struct Clock {
    pub began: Instant,
    /// In sittings before this one, in seconds.
    pub earlier: f64,
    /// A model's time passes in its runs alone; its first run took so many seconds.
    pub model: Option<f64>,
}

impl Clock {
    pub fn spent(&self, finished: &[TrialRecord]) -> f64 {
        match self.model {
            Some(first) => first + finished.iter().map(|record| record.cost.wall_seconds).sum::<f64>(),
            None => self.earlier + self.began.elapsed().as_secs_f64(),
        }
    }
}

/// What is being run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// Ways for the first time.
    Trying,
    /// Blocks of what may pay off.
    Repeating,
}

#[derive(Debug)]
pub(super) struct Purse<'a> {
    pub survey: &'a Survey,
    pub clock: &'a Clock,
    pub budget: Duration,
    /// Is it the user's own? Else three blocks are run whatever they take.
    pub strict: bool,
    pub cores: usize,
    pub stage: Stage,
    pub plan: &'a Plan,
    /// What had been spent when this stage began, in seconds.
    pub since: f64,
    state: State,
}

/// What has been decided so far.
#[derive(Debug, Default)]
struct State {
    /// The last block that was begun, and whether what only serves the prediction fits into it.
    block: Cell<(u32, bool)>,
    is_over: Cell<bool>,
    cut: RefCell<BTreeSet<String>>,
}

impl<'a> Purse<'a> {
    pub fn new(
        (survey, clock): (&'a Survey, &'a Clock),
        (budget, strict): (Duration, bool),
        cores: usize,
        (stage, plan): (Stage, &'a Plan),
        finished: &[TrialRecord],
    ) -> Self {
        let since = clock.spent(finished);
        Purse { survey, clock, budget, strict, cores, stage, plan, since, state: State::default() }
    }

    /// Configurations of which a run was cut off when the budget was up.
    pub fn cut(&self) -> BTreeSet<String> {
        self.state.cut.borrow().clone()
    }

    fn left(&self, finished: &[TrialRecord]) -> f64 {
        self.budget.as_secs_f64() - self.clock.spent(finished)
    }

    /// Sequential runs that only look for flaky tests; where the budget is tight, those of the blocks have to do.
    fn affords_screening(&self, number: u32, taken: &Taken<'_>, left: f64) -> bool {
        let runs = self.budget.as_secs_f64() / taken.sequential().max(1e-3);
        number <= agenda::screening_runs(runs) && taken.sequential() * agenda::FEWEST_RUNS <= left
    }

    fn is_worth_trying(&self, trial: &Trial, taken: &Taken<'_>, finished: &[TrialRecord]) -> bool {
        let ways = |trial: &&Trial| Way::of_name(&trial.configuration).is_some();
        let first = self.plan.trials.iter().find(ways).map(|first| first.id.as_str());
        if trial.configuration == SEQUENTIAL && trial.cores == self.cores || Some(trial.id.as_str()) == first {
            return true;
        }
        if trial.configuration == SEQUENTIAL {
            let missing: f64 = self.missing(trial.repetition, finished).map(|trial| taken.of_trial(trial)).sum();
            return missing <= self.left(finished) * FOR_TRYING;
        }
        let until = self.since + (self.budget.as_secs_f64() - self.since) * FOR_TRYING;
        self.clock.spent(finished) + taken.of_trial(trial) <= until
    }

    /// Of a block of the plan, what has not been run.
    fn missing<'s>(&'s self, block: u32, finished: &'s [TrialRecord]) -> impl Iterator<Item = &'s Trial> {
        let is_done = |trial: &Trial| finished.iter().any(|record| record.trial == trial.id);
        self.plan.trials.iter().filter(move |trial| trial.repetition == block && !is_done(trial))
    }

    fn is_worth_repeating(&self, trial: &Trial, taken: &Taken<'_>, finished: &[TrialRecord]) -> bool {
        if self.state.is_over.get() {
            return false;
        }
        let left = self.left(finished) - FOR_ANSWERING.min(self.budget.as_secs_f64() * 0.02);
        if self.state.block.get().0 != trial.repetition {
            let needs = |all: bool| -> f64 {
                let trials = self.missing(trial.repetition, finished);
                trials.filter(|trial| all || trial.cores == self.cores).map(|trial| taken.of_trial(trial)).sum()
            };
            let room = left - self.reserve(taken, finished);
            let must = !self.strict && trial.repetition <= agenda::FEWEST_BLOCKS;
            self.state.is_over.set(needs(false) > room && !must);
            self.state.block.set((trial.repetition, needs(true) <= room));
        } else if self.strict && taken.of_trial(trial) * 0.9 > left {
            self.state.is_over.set(true);
        }
        !self.state.is_over.get() && (trial.cores == self.cores || self.state.block.get().1)
    }

    /// For finding out why tests fail, once some do.
    fn reserve(&self, taken: &Taken<'_>, finished: &[TrialRecord]) -> f64 {
        let budget = self.budget.as_secs_f64();
        let share = (budget - self.since) * agenda::FOR_CAUSES;
        if finished.iter().any(has_trouble) {
            share.max(3.0 * taken.sequential() + 5.0).min(0.35 * budget)
        } else {
            0.0
        }
    }

    /// A way that hangs is not waited for to the end of the budget. One test after the other has come to its end before.
    fn allowance(&self, trial: &Trial, taken: &Taken<'_>, left: f64) -> Allowance {
        let fair = match Way::of_name(&trial.configuration) {
            None => agenda::trial_limit(self.survey),
            Some(_) => agenda::way_limit(self.survey, taken.sequential(), self.budget),
        };
        let fair = fair.as_secs_f64();
        let time = if self.strict { fair.min(left.max(1.0)) } else { fair };
        Allowance { time: Duration::from_secs_f64(time), is_fair: time >= fair }
    }
}

/// Did something fail for want of which other runs pass?
fn has_trouble(record: &TrialRecord) -> bool {
    let is_way = record.phase == Phase::Measured && record.configuration != SEQUENTIAL;
    let failed = record.stages.first().is_some_and(|stage| stage.failures_after > 0);
    is_way && (failed || !matches!(record.verdict, Verdict::Clean | Verdict::Unsupported))
}

impl Pace for Purse<'_> {
    fn allow(&self, trial: &Trial, phase: Phase, finished: &[TrialRecord]) -> Option<Allowance> {
        let taken = Taken::of(self.survey, self.cores, finished);
        let left = self.left(finished);
        let must = !self.strict && phase == Phase::Measured && self.stage == Stage::Trying;
        let is_wanted = match (phase, self.stage) {
            (Phase::Screening, _) => self.affords_screening(trial.repetition, &taken, left),
            (Phase::Warmup, _) => true,
            (Phase::Measured, Stage::Trying) => must || self.is_worth_trying(trial, &taken, finished),
            (Phase::Measured, Stage::Repeating) => self.is_worth_repeating(trial, &taken, finished),
        };
        (is_wanted && (left > 0.0 || !self.strict)).then(|| self.allowance(trial, &taken, left))
    }

    fn cut_off(&self, trial: &Trial) {
        self.state.is_over.set(true);
        self.state.cut.borrow_mut().insert(trial.configuration.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::record::tests::trial as record;
    use crate::suite::Cost;

    /// A suite of ten seconds on a machine that is so many times slower than it was for the first run; what it takes in the
    /// end, and the runs that were made.
    fn carried_out(budget: u64, slower: impl Fn(usize) -> f64) -> (f64, Vec<String>) {
        let survey = Survey::example(10.0, 12.0);
        let clock = Clock { began: Instant::now(), earlier: 0.0, model: Some(10.0) };
        let budget = (Duration::from_secs(budget), true);
        let mut finished: Vec<TrialRecord> = Vec::new();
        let whole = agenda::tests::plan(&[1, 2]);
        let ways = [Way::Classes, Way::Forks, Way::Methods];
        let first = agenda::most_needed_first(agenda::tryout(&whole, 1, &ways, 2, true), &ways, 2);
        let mut sit = |stage: Stage, plan: &Plan| {
            let purse = Purse::new((&survey, &clock), budget, 2, (stage, plan), &finished);
            for trial in &plan.trials {
                let Some(allowance) = purse.allow(trial, Phase::Measured, &finished) else { continue };
                let alone = if trial.configuration == SEQUENTIAL { 10.0 } else { 6.0 };
                let takes = alone * slower(finished.len());
                let time = allowance.time.as_secs_f64();
                let is_cut = takes > time;
                if is_cut && !allowance.is_fair {
                    purse.cut_off(trial);
                }
                let cost = Cost { wall_seconds: takes.min(time), ..Cost::default() };
                let id = if is_cut { format!("{} cut", trial.id) } else { trial.id.clone() };
                let (configuration, cores) = (trial.configuration.clone(), trial.cores);
                finished.push(TrialRecord { configuration, cores, phase: Phase::Measured, cost, ..record(&id) });
            }
        };
        sit(Stage::Trying, &first);
        let chosen = [Way::Classes];
        let wanted = |trial: &&Trial| {
            trial.repetition > 1 && (trial.configuration == SEQUENTIAL || chosen[0].name() == trial.configuration)
        };
        let rest = Plan { trials: whole.trials.iter().filter(wanted).cloned().collect() };
        sit(Stage::Repeating, &rest);
        (clock.spent(&finished), finished.into_iter().map(|record| record.trial).collect())
    }

    #[test]
    fn the_budget_holds_however_slow_the_machine_gets() {
        for budget in [60, 120, 300, 900] {
            for slowness in [1.0, 1.5, 2.0, 4.0, 8.0] {
                let (spent, runs) = carried_out(budget, |_| slowness);
                assert!(spent <= budget as f64 * 1.02, "{budget} s, {slowness} times slower: {spent} s, {runs:?}");
                let (spent, runs) = carried_out(budget, |number| if number > 3 { slowness } else { 1.0 });
                assert!(spent <= budget as f64 * 1.02, "{budget} s, {slowness} times later: {spent} s, {runs:?}");
            }
        }
    }

    #[test]
    fn a_slow_machine_makes_fewer_runs_and_the_likeliest_way_is_among_them() {
        let (_, quick) = carried_out(300, |_| 1.0);
        let (_, slow) = carried_out(300, |_| 4.0);
        assert!(quick.len() > 2 * slow.len(), "{quick:?} {slow:?}");
        let (_, tight) = carried_out(60, |_| 1.5);
        assert_eq!(tight[..2], ["sequential.2.1", "classes.2.1"], "{tight:?}");
        assert!(quick.iter().any(|id| id == "sequential.2.6"), "{quick:?}");
    }

    #[test]
    fn blocks_are_run_whole() {
        let (_, runs) = carried_out(200, |_| 1.0);
        let of = |name: &str| runs.iter().filter(|id| id.starts_with(name)).count();
        assert_eq!(of("sequential.2"), of("classes.2"), "{runs:?}");
    }

    #[test]
    fn a_hang_is_a_finding_only_where_the_time_was_fair() {
        let survey = Survey::example(10.0, 12.0);
        let plan = Plan { trials: Vec::new() };
        let allowed = |spent: f64, name: &str, strict: bool| {
            let clock = Clock { began: Instant::now(), earlier: 0.0, model: Some(spent) };
            let budget = (Duration::from_secs(400), strict);
            let purse = Purse::new((&survey, &clock), budget, 2, (Stage::Trying, &plan), &[]);
            let taken = Taken::of(&survey, 2, &[]);
            let trial = agenda::tests::trial(name, 2, 1);
            purse.allowance(&trial, &taken, 400.0 - spent)
        };
        let (early, late) = (allowed(100.0, "classes", true), allowed(380.0, "classes", true));
        assert_eq!((early.time.as_secs(), early.is_fair), (70, true));
        assert_eq!((late.time.as_secs(), late.is_fair), (20, false));
        assert!(allowed(500.0, "classes", false).is_fair, "a budget that nobody gave does not cut runs off");
        assert!(allowed(100.0, SEQUENTIAL, true).time > early.time, "slower is not hung");
    }
}
