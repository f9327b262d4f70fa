//! Keeps an assessment within its budget: before each block, what is left is held against what runs have taken lately. What
//! does not fit is left out, and a run that the end of the budget cuts off is no result.

use std::cell::{Cell as Mutable, RefCell};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::agenda;
use super::evidence;
use super::parallel_mode::{ParallelMode, SEQUENTIAL};
use super::run_time_estimates::RunTimeEstimates;
use super::schedule::{self, BlockSchedule, Cell, EarlierBlocks, FEWEST_BLOCKS, Fitting};
use crate::experiment::Trial;
use crate::runner::{Allowance, BudgetPolicy};
use crate::store::record::{Phase, TrialRecord};

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
    /// In a model's run that was cut off: there is no record of it.
    pub lost: Mutable<f64>,
}

impl Clock {
    pub fn spent(&self, finished: &[TrialRecord]) -> f64 {
        match self.model {
            Some(first) => {
                first + self.lost.get() + finished.iter().map(|record| record.cost.wall_seconds).sum::<f64>()
            }
            None => self.earlier + self.began.elapsed().as_secs_f64(),
        }
    }
}

/// How much time there is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    pub time: Duration,
    /// Is it the user's own? Else the blocks that an interval needs are run whatever they take.
    pub is_strict: bool,
}

impl Budget {
    /// What is left of it, in seconds.
    pub fn left(&self, clock: &Clock, finished: &[TrialRecord]) -> f64 {
        self.time.as_secs_f64() - clock.spent(finished)
    }

    /// What is left of it for runs: not the time for the answer, nor, once tests fail, that for finding out why.
    fn left_for_runs(&self, clock: &Clock, finished: &[TrialRecord], taken: &RunTimeEstimates<'_>) -> f64 {
        let all = self.time.as_secs_f64();
        let has_trouble = finished.iter().any(|trial| schedule::has_trouble(trial, finished));
        let looking = (all * agenda::FOR_CAUSES).max(3.0 * taken.sequential() + 5.0).min(0.35 * all);
        let reserve = if has_trouble { looking } else { 0.0 };
        self.left(clock, finished) - FOR_ANSWERING.min(all * 0.02) - reserve
    }
}

#[derive(Debug)]
pub(super) struct BudgetedSchedule<'a> {
    pub course: BlockSchedule<'a>,
    pub clock: &'a Clock,
    pub budget: Budget,
    state: State,
}

/// What has been decided so far.
#[derive(Debug)]
struct State {
    /// The block under way.
    block: Mutable<u32>,
    /// What is run of it.
    chosen: RefCell<Fitting>,
    is_over: Mutable<bool>,
    /// What the run under way may take.
    allowed: Mutable<f64>,
    cut: RefCell<BTreeSet<String>>,
}

impl<'a> BudgetedSchedule<'a> {
    /// For the blocks from this one on.
    pub fn new(course: BlockSchedule<'a>, clock: &'a Clock, budget: Budget, from: u32) -> Self {
        let state = State {
            block: Mutable::new(from.saturating_sub(1)),
            chosen: RefCell::new(Fitting { cells: Vec::new(), are_all: true }),
            is_over: Mutable::new(false),
            allowed: Mutable::new(0.0),
            cut: RefCell::default(),
        };
        BudgetedSchedule { course, clock, budget, state }
    }

    /// Configurations of which a run was cut off when the budget was up.
    pub fn cut(&self) -> BTreeSet<String> {
        self.state.cut.borrow().clone()
    }

    /// What will probably be run after the block under way, by block.
    pub fn outlook(&self, finished: &[TrialRecord]) -> Vec<(u32, Vec<Cell>)> {
        let from = self.state.block.get() + 1;
        let BlockSchedule { survey, cores } = self.course;
        let taken = RunTimeEstimates::of(survey, cores, finished);
        let known = EarlierBlocks::before(from, survey, cores, finished);
        self.course.ahead(from, known, &taken, self.budget.left_for_runs(self.clock, finished, &taken))
    }

    fn is_wanted(&self, trial: &Trial, taken: &RunTimeEstimates<'_>, finished: &[TrialRecord]) -> bool {
        if trial.repetition != self.state.block.get() {
            self.begin(trial.repetition, taken, finished);
        }
        let is_chosen = self.state.chosen.borrow().cells.iter().any(|cell| cell.is_of(trial));
        let left = self.budget.left(self.clock, finished) - self.kept_for_baseline(trial, taken, finished);
        if is_chosen && self.budget.is_strict && taken.of_trial(trial) * 0.9 > left {
            self.end_after_baseline(trial);
            return false;
        }
        is_chosen && !self.state.is_over.get()
    }

    /// The seconds that the baseline of this block still needs. Without it, no other run of the block can be compared.
    fn kept_for_baseline(&self, trial: &Trial, taken: &RunTimeEstimates<'_>, finished: &[TrialRecord]) -> f64 {
        let baseline = self.baseline();
        let is_chosen = self.state.chosen.borrow().cells.contains(&baseline);
        if !is_chosen || baseline.is_of(trial) || baseline.is_done(trial.repetition, finished) {
            return 0.0;
        }
        taken.next(baseline.configuration, baseline.cores)
    }

    fn baseline(&self) -> Cell {
        Cell { configuration: SEQUENTIAL, cores: self.course.cores }
    }

    /// There is no time for this trial: nothing but the baseline of its block is run now.
    fn end_after_baseline(&self, trial: &Trial) {
        let baseline = self.baseline();
        if baseline.is_of(trial) {
            self.state.is_over.set(true);
            return;
        }
        let mut chosen = self.state.chosen.borrow_mut();
        chosen.cells.retain(|cell| *cell == baseline);
        chosen.are_all = false;
    }

    /// Decides what is run of a block. What an earlier sitting ran of it is paid for.
    fn begin(&self, block: u32, taken: &RunTimeEstimates<'_>, finished: &[TrialRecord]) {
        let was_cut_short = !self.state.chosen.borrow().are_all;
        let BlockSchedule { survey, cores } = self.course;
        let known = EarlierBlocks::before(block, survey, cores, finished);
        let cost =
            |cell: Cell| if cell.is_done(block, finished) { 0.0 } else { taken.next(cell.configuration, cell.cores) };
        let groups = self.course.block(block, &known);
        let first = groups.first().cloned().unwrap_or_default();
        let mut chosen = schedule::fitting(groups, self.budget.left_for_runs(self.clock, finished, taken), cost);
        let must = !self.budget.is_strict && block <= FEWEST_BLOCKS;
        if must && chosen.cells.is_empty() {
            chosen.cells = first;
        }
        // What breaks down by itself is no suite that any way is worth trying on.
        if chosen.cells.is_empty() || was_cut_short && !must || !evidence::ended_their_process(finished).is_empty() {
            self.state.is_over.set(true);
        }
        self.state.block.set(block);
        *self.state.chosen.borrow_mut() = chosen;
    }

    /// A way that hangs is not waited for to the end of the budget. One test after the other has come to its end before.
    fn allowance(&self, trial: &Trial, taken: &RunTimeEstimates<'_>, left: f64) -> Allowance {
        let BlockSchedule { survey, .. } = self.course;
        let fair = match ParallelMode::of_name(&trial.configuration) {
            None => agenda::trial_limit(survey),
            Some(_) => agenda::way_limit(survey, taken.sequential()),
        };
        let fair = fair.as_secs_f64();
        let time = if self.budget.is_strict { fair.min(left.max(1.0)) } else { fair };
        Allowance { time: Duration::from_secs_f64(time), is_fair: time >= fair }
    }
}

impl BudgetPolicy for BudgetedSchedule<'_> {
    fn allow(&self, trial: &Trial, phase: Phase, finished: &[TrialRecord]) -> Option<Allowance> {
        let BlockSchedule { survey, cores } = self.course;
        let taken = RunTimeEstimates::of(survey, cores, finished);
        let is_wanted = phase != Phase::Measured || self.is_wanted(trial, &taken, finished);
        let left = self.budget.left(self.clock, finished) - self.kept_for_baseline(trial, &taken, finished);
        let allowance = self.allowance(trial, &taken, left);
        self.state.allowed.set(allowance.time.as_secs_f64());
        (is_wanted && (left > 0.0 || !self.budget.is_strict)).then_some(allowance)
    }

    fn cut_off(&self, trial: &Trial) {
        self.end_after_baseline(trial);
        self.state.cut.borrow_mut().insert(trial.configuration.clone());
        if self.clock.model.is_some() {
            self.clock.lost.set(self.clock.lost.get() + self.state.allowed.get());
        }
    }

    fn seconds_ahead(&self, finished: &[TrialRecord]) -> Option<f64> {
        let BlockSchedule { survey, cores } = self.course;
        let taken = RunTimeEstimates::of(survey, cores, finished);
        let block = self.state.block.get();
        let present = self.state.chosen.borrow();
        let later = if present.are_all { self.outlook(finished) } else { Vec::new() };
        let missing = present.cells.iter().filter(|cell| !cell.is_done(block, finished));
        let cells: Vec<&Cell> = missing.chain(later.iter().flat_map(|(_, cells)| cells)).collect();
        let left = self.budget.left(self.clock, finished).max(0.0);
        let most = if self.budget.is_strict { left } else { f64::INFINITY };
        let seconds = || cells.iter().map(|cell| self.course.expected(**cell, &taken)).sum::<f64>().min(most);
        self.clock.model.is_none().then(seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assess::agenda::tests::{plan, trial};
    use crate::assess::survey::Survey;
    use crate::store::record::Verdict;
    use crate::store::record::tests::trial as record;
    use crate::suite::{Concurrency, Cost};

    /// A suite of ten seconds, six by classes, and what became of it.
    struct Sitting {
        spent: f64,
        runs: Vec<String>,
    }

    impl Sitting {
        fn count(&self, name: &str) -> usize {
            self.runs.iter().filter(|id| id.starts_with(name)).count()
        }
    }

    fn survey() -> Survey {
        let promise = vec![(ParallelMode::Classes, 6.0), (ParallelMode::Forks, 7.0), (ParallelMode::Methods, 8.0)];
        Survey {
            ways: vec![ParallelMode::Forks, ParallelMode::Classes, ParallelMode::Methods],
            promise,
            ..Survey::example(10.0, 12.0)
        }
    }

    /// On a machine that is so many times slower than it was for the first run; failures of a way are given by its name.
    fn carried_out(budget: u64, slower: impl Fn(usize) -> f64, failing: &str) -> Sitting {
        let (survey, time) = (survey(), Duration::from_secs(budget));
        let clock = Clock { began: Instant::now(), earlier: 0.0, model: Some(10.0), lost: Mutable::new(0.0) };
        let course = BlockSchedule { survey: &survey, cores: 2 };
        let purse = BudgetedSchedule::new(course, &clock, Budget { time, is_strict: true }, 1);
        let mut finished: Vec<TrialRecord> = Vec::new();
        for trial in &plan(&[1, 2]).trials {
            let Some(allowance) = purse.allow(trial, Phase::Measured, &finished) else { continue };
            let alone = match trial.configuration.as_str() {
                SEQUENTIAL => 10.0 + 2.0 * f64::from(trial.cores == 1),
                "classes" => 6.0,
                _ => 7.0,
            };
            let takes = alone * slower(finished.len());
            let time = allowance.time.as_secs_f64();
            let is_cut = takes > time;
            if is_cut && !allowance.is_fair {
                purse.cut_off(trial);
                continue;
            }
            let verdict = if trial.configuration == failing { Verdict::LostTests } else { Verdict::Clean };
            let concurrency = Concurrency { max: if trial.configuration == SEQUENTIAL { 1 } else { 2 }, mean: 1.0 };
            finished.push(TrialRecord {
                configuration: trial.configuration.clone(),
                cores: trial.cores,
                repetition: trial.repetition,
                phase: Phase::Measured,
                cost: Cost { wall_seconds: takes.min(time), ..Cost::default() },
                verdict: if is_cut { Verdict::TimedOut } else { verdict },
                concurrency,
                ..record(&trial.id)
            });
        }
        Sitting { spent: clock.spent(&finished), runs: finished.into_iter().map(|record| record.trial).collect() }
    }

    #[test]
    fn the_budget_holds_however_slow_the_machine_gets() {
        for budget in [60, 120, 300, 900] {
            for slowness in [1.0, 1.5, 2.0, 4.0, 8.0] {
                let all = carried_out(budget, |_| slowness, "");
                assert!(
                    all.spent <= budget as f64 * 1.02,
                    "{budget} s, {slowness} times: {} s, {:?}",
                    all.spent,
                    all.runs
                );
                let late = carried_out(budget, |number| if number > 3 { slowness } else { 1.0 }, "");
                assert!(
                    late.spent <= budget as f64 * 1.02,
                    "{budget} s, {slowness} later: {} s, {:?}",
                    late.spent,
                    late.runs
                );
            }
        }
    }

    #[test]
    fn what_a_budget_runs_a_larger_one_runs_too() {
        for failing in ["", "classes", "forks"] {
            let mut before: BTreeSet<String> = BTreeSet::new();
            for budget in 30..420 {
                let now: BTreeSet<String> = carried_out(budget, |_| 1.0, failing).runs.into_iter().collect();
                // Where something fails, looking into it takes its share from then on, and more of a larger budget.
                assert!(before.is_subset(&now), "{failing}, {budget} s: {before:?}, then {now:?}");
                before = now;
            }
            assert!(before.contains("sequential.2.10"), "{before:?}");
        }
    }

    #[test]
    fn the_likeliest_way_first_then_a_single_core_then_the_others() {
        let runs = |budget| carried_out(budget, |_| 1.0, "");
        let tight = runs(62);
        assert_eq!(
            (tight.count("sequential.2"), tight.count("classes.2"), tight.runs.len()),
            (3, 3, 6),
            "{:?}",
            tight.runs
        );
        let more = runs(75);
        assert_eq!((more.count("sequential.1"), more.runs.len()), (1, 7), "{:?}", more.runs);
        let tried = runs(130);
        assert_eq!((tried.count("forks"), tried.count("methods")), (1, 1), "{:?}", tried.runs);
        let plenty = runs(900);
        let of = |name| plenty.count(name);
        assert_eq!([of("sequential.2"), of("classes.2"), of("forks.2"), of("sequential.1")], [10, 10, 7, 3]);
    }

    #[test]
    fn where_the_likeliest_way_fails_the_others_come_before_more_of_it() {
        let runs = carried_out(90, |_| 1.0, "classes");
        assert_eq!((runs.count("classes"), runs.count("forks"), runs.count("methods")), (1, 1, 1), "{:?}", runs.runs);
    }

    #[test]
    fn a_slow_machine_makes_fewer_runs() {
        let (quick, slow) = (carried_out(300, |_| 1.0, ""), carried_out(300, |_| 4.0, ""));
        assert!(quick.runs.len() > 2 * slow.runs.len(), "{:?} {:?}", quick.runs, slow.runs);
    }

    #[test]
    fn a_hang_is_a_finding_only_where_the_time_was_fair() {
        let survey = Survey::example(10.0, 12.0);
        let allowed = |spent: f64, name: &str, is_strict: bool| {
            let clock = Clock { began: Instant::now(), earlier: 0.0, model: Some(spent), lost: Mutable::new(0.0) };
            let budget = Budget { time: Duration::from_secs(400), is_strict };
            let purse = BudgetedSchedule::new(BlockSchedule { survey: &survey, cores: 2 }, &clock, budget, 1);
            purse.allowance(&trial(name, 2, 1), &RunTimeEstimates::of(&survey, 2, &[]), 400.0 - spent)
        };
        let (early, late) = (allowed(100.0, "classes", true), allowed(380.0, "classes", true));
        assert_eq!((early.time.as_secs(), early.is_fair), (50, true));
        assert_eq!((late.time.as_secs(), late.is_fair), (20, false));
        assert!(allowed(500.0, "classes", false).is_fair, "a budget that nobody gave does not cut runs off");
        assert!(allowed(100.0, SEQUENTIAL, true).time > early.time, "slower is not hung");
    }

    /// Runs that cannot be compared are worth nothing: when time gets short within a block, the baseline still runs.
    #[test]
    fn time_is_kept_for_the_baseline_of_a_block() {
        let survey = survey();
        let clock = Clock { began: Instant::now(), earlier: 0.0, model: Some(10.0), lost: Mutable::new(0.0) };
        let budget = Budget { time: Duration::from_secs(200), is_strict: true };
        let purse = BudgetedSchedule::new(BlockSchedule { survey: &survey, cores: 2 }, &clock, budget, 4);
        let mut finished = Vec::new();
        for block in 1..=3 {
            for (configuration, wall_seconds, max) in [(SEQUENTIAL, 10.0, 1), ("classes", 6.0, 2)] {
                finished.push(TrialRecord {
                    configuration: configuration.to_owned(),
                    cores: 2,
                    repetition: block,
                    cost: Cost { wall_seconds, ..Cost::default() },
                    concurrency: Concurrency { max, mean: 1.0 },
                    ..record(&format!("{configuration}.2.{block}"))
                });
            }
        }
        let allows =
            |configuration: &str| purse.allow(&trial(configuration, 2, 4), Phase::Measured, &finished).is_some();
        assert!(allows("forks"), "there is time for the whole block");
        clock.lost.set(128.0);
        assert!(!allows("methods"), "14 seconds are left: the baseline needs 10 of them");
        assert!(allows(SEQUENTIAL));
        assert!(!allows("classes"), "nothing else of this block is run");
    }
}
