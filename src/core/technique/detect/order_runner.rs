//! Runs orders and reads what came of them: counts the time, remembers what was run before, and stops in time.
//!
//! Two ways to run an order: to look, quickly and often, in a process that stays where the engine has one; and to be sure, in
//! fresh processes. What only looking has shown is never more than a suspicion.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::coverage::Pairs;
use super::record::{Ends, Record};
use super::roster::TestRoster;
use crate::bad_usage::BadUsage;
use crate::engine::{Instrumentation, Isolation, ProcessPolicy, Resources, RunRequest, Selection, Session};
use crate::suite::{Accesses, Outcome, RunEnd, SuiteRun};
use crate::wording::hex;

/// Orders in a batch for each lane, and what they may take together.
const BATCH: usize = 8;
const BRIEF: f64 = 10.0;
/// ObservedAccesses tests may take so many times as long as others.
const WATCHING: u32 = 4;
/// Where tests take so many times as long as all else about a run, a process that stays saves next to nothing.
const LONG: f64 = 4.0;
/// Budgets of fewer runs of the suite are short: every run counts.
const SHORT: f64 = 60.0;
/// Budgets of fewer runs than this have no time for three of the original order.
const SHORTEST: f64 = 15.0;
/// A run of a model can take no time at all, and a budget has to end.
const LEAST: f64 = 0.01;

/// One test in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObservedTest {
    pub test: usize,
    pub outcome: Outcome,
    /// Changes where the process does: what ran before such a change is forgotten.
    pub stretch: u32,
}

impl ObservedTest {
    pub fn has_run(&self) -> bool {
        !matches!(self.outcome, Outcome::NotRun | Outcome::Skipped)
    }

    /// `None` where it says nothing about the test.
    pub fn fails(&self) -> Option<bool> {
        self.has_run().then(|| self.outcome.is_failure())
    }
}

/// What came of one order: the tests as they ran.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    pub seen: Vec<ObservedTest>,
    pub seconds: f64,
    /// Of the test that took longest.
    pub longest: f64,
    /// Of all tests together.
    pub work: f64,
}

impl Observation {
    /// How the last run of a test ended.
    pub fn fails(&self, test: usize) -> Option<bool> {
        self.seen.iter().rev().find(|seen| seen.test == test).and_then(ObservedTest::fails)
    }

    /// How a test ended that was asked for last. A process that broke down earlier has left it without what was to run
    /// before it: then nobody can tell.
    fn fails_at_end(&self, test: usize) -> Option<bool> {
        let cut = self.seen.iter().any(|seen| seen.stretch > 0);
        if cut { None } else { self.fails(test) }
    }

    /// What ran in the same process before the one at this place, each once, where it ran last.
    pub fn history(&self, place: usize) -> Vec<usize> {
        let at = &self.seen[place];
        let mut known = HashSet::from([at.test]);
        let earlier = self.seen[..place].iter().rev().take_while(|seen| seen.stretch == at.stretch);
        let mut history: Vec<usize> =
            earlier.filter(|seen| seen.has_run() && known.insert(seen.test)).map(|seen| seen.test).collect();
        history.reverse();
        history
    }

    /// Did everything run as asked, in one process?
    pub fn is_as_asked(&self, order: &[usize]) -> bool {
        self.seen.len() == order.len()
            && self.seen.iter().zip(order).all(|(seen, asked)| seen.test == *asked && seen.stretch == 0)
    }

    fn of(run: &SuiteRun, roster: &TestRoster, asked: &[usize]) -> Self {
        let ran: HashSet<usize> =
            run.executions.iter().filter_map(|execution| roster.number(&execution.test)).collect();
        let (mut seen, mut stretch, mut place) = (Vec::new(), 0, None);
        for execution in &run.executions {
            let number = roster.number(&execution.test);
            let group = number.map(|test| roster.groups()[test]).or(place.and_then(|(_, group)| group));
            // What a process that stays runs of another group would have had a process of its own.
            if place.is_some_and(|place| place != (execution.process, group)) {
                stretch += 1;
            }
            place = Some((execution.process, group));
            if let Some(test) = number {
                seen.push(ObservedTest { test, outcome: execution.outcome, stretch });
            } else if execution.is_failed_fixture() {
                // What a failed fixture kept from running has failed.
                let class = execution.test.class_id();
                let kept = asked.iter().filter(|test| !ran.contains(test) && roster.id(**test).class_id() == class);
                seen.extend(kept.map(|test| ObservedTest { test: *test, outcome: execution.outcome, stretch }));
            }
        }
        let longest = run.executions.iter().map(|execution| execution.seconds).fold(0.0, f64::max);
        let work = run.executions.iter().map(|execution| execution.seconds).sum();
        Observation { seen, seconds: run.cost.wall_seconds, longest, work }
    }
}

/// Why work stops before it is done.
#[derive(Debug)]
pub enum SearchStop {
    /// The time for it is used up.
    Budget,
    Interrupted,
    Broken(miette::Report),
}

impl From<miette::Report> for SearchStop {
    fn from(report: miette::Report) -> Self {
        SearchStop::Broken(report)
    }
}

pub type Step<T> = Result<T, SearchStop>;

/// What earlier sittings have run already, and where what is run now is kept.
pub trait Memory {
    fn recall(&mut self, key: &str) -> Option<Observation>;
    fn keep(&mut self, key: &str, observation: &Observation) -> miette::Result<()>;

    /// What tests share, where that was watched before.
    fn recall_accesses(&mut self) -> Option<ObservedAccesses> {
        None
    }

    fn keep_accesses(&mut self, _: &ObservedAccesses) -> miette::Result<()> {
        Ok(())
    }
}

/// What one run of the original order showed of what tests share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ObservedAccesses {
    /// That the run took.
    pub seconds: f64,
    pub accesses: Vec<Accesses>,
}

/// For callers that never go on.
#[derive(Debug, Default)]
pub struct Forgetful;

impl Memory for Forgetful {
    fn recall(&mut self, _: &str) -> Option<Observation> {
        None
    }

    fn keep(&mut self, _: &str, _: &Observation) -> miette::Result<()> {
        Ok(())
    }
}

/// How far the work is.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    pub text: String,
    /// At most.
    pub seconds_left: f64,
}

/// What a search uses of its surroundings: earlier results, progress, and interruption.
pub struct SearchContext<'a> {
    pub memory: &'a mut dyn Memory,
    pub hear: &'a mut dyn FnMut(&Progress),
    pub stop: &'a dyn Fn() -> bool,
}

/// How an order is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProcessFreshness {
    Warm,
    Fresh,
}

/// Runs that took place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Runs {
    pub total: usize,
    pub warm: usize,
    pub fresh: usize,
    /// The same runs by what they were for. Both parts add up to the total.
    pub original: usize,
    pub orders: usize,
    pub causes: usize,
}

impl Runs {
    fn add(&mut self, isolation: Isolation, purpose: Purpose) {
        self.total += 1;
        match isolation {
            Isolation::Warm => self.warm += 1,
            Isolation::Fresh => self.fresh += 1,
        }
        match purpose {
            Purpose::Original => self.original += 1,
            Purpose::Orders => self.orders += 1,
            Purpose::Causes => self.causes += 1,
        }
    }
}

/// What a run is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The original order, which other orders are compared with.
    Original,
    /// Another order, to see which tests end otherwise.
    Orders,
    /// Why a test ends otherwise, and whether it does so again.
    Causes,
}

/// Longest times.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub run: Duration,
    /// Added for a run of the whole suite, and in proportion for less; where there is none, only longer runs get more.
    pub suite: Option<Duration>,
    pub test: Option<Duration>,
}

pub struct OrderRunner<'a> {
    pub roster: TestRoster,
    pub limits: Limits,
    session: &'a mut dyn Session,
    company: SearchContext<'a>,
    resources: Resources,
    has_warm: bool,
    /// Do tests end alike when other runs are under way at the same time?
    sociable: bool,
    /// Tests that end otherwise in a process that stays, for what earlier orders left in it: only fresh ones tell about them.
    misled: BTreeSet<usize>,
    /// Is most of a run's time that of its tests?
    tests_dominate: bool,
    /// What a run of the whole suite takes, about.
    suite: f64,
    /// What an execution takes in an order of the whole suite, about.
    pace: f64,
    /// How often each order was asked for: a rerun is another run.
    asked: HashMap<[u8; 16], u32>,
    budget: f64,
    /// Up to where the present phase may go.
    allowance: f64,
    spent: f64,
    pub runs: Runs,
    pairs: Pairs,
    record: Record,
    /// Tests that hung or ended their process, and how often.
    pub accidents: BTreeMap<(usize, Outcome), usize>,
    /// What is being done, for the progress.
    doing: String,
    purpose: Purpose,
}

impl<'a> OrderRunner<'a> {
    pub fn new(
        session: &'a mut dyn Session,
        roster: TestRoster,
        company: SearchContext<'a>,
        resources: Resources,
        budget: Duration,
    ) -> Self {
        let capabilities = session.capabilities();
        let has_warm = capabilities.isolations.contains(&Isolation::Warm);
        let budget = budget.as_secs_f64();
        let whole = Duration::from_secs_f64(budget.clamp(1.0, 30.0 * 86_400.0));
        // Nobody knows yet how long anything takes; what hangs may not use everything up.
        let limits = match capabilities.limits_tests {
            true => Limits { run: whole, suite: None, test: Some(whole / 8) },
            false => Limits { run: whole / 4, suite: None, test: None },
        };
        OrderRunner {
            pairs: Pairs::of(roster.len()),
            roster,
            limits,
            session,
            company,
            resources,
            has_warm,
            sociable: false,
            misled: BTreeSet::new(),
            tests_dominate: false,
            suite: 0.0,
            pace: 0.0,
            asked: HashMap::new(),
            budget,
            allowance: budget,
            spent: 0.0,
            runs: Runs::default(),
            record: Record::default(),
            accidents: BTreeMap::new(),
            doing: String::new(),
            purpose: Purpose::Original,
        }
    }

    pub fn has_warm(&self) -> bool {
        self.has_warm
    }

    pub fn spent(&self) -> f64 {
        self.spent
    }

    pub fn coverage(&self) -> super::Coverage {
        self.pairs.coverage(&self.roster)
    }

    /// The next phase may use the budget up to this share of it.
    pub fn allow(&mut self, share: f64) {
        self.allowance = self.budget * share;
    }

    /// The share of the budget up to which this phase may go.
    pub fn allowed(&self) -> f64 {
        self.allowance / self.budget.max(f64::MIN_POSITIVE)
    }

    pub fn doing(&mut self, purpose: Purpose, text: impl Into<String>) {
        self.purpose = purpose;
        self.doing = text.into();
    }

    /// Limits by a run of the whole suite. Where single tests have a limit, that of a run need not be tight.
    pub fn limit_by(&mut self, whole: &Observation) {
        let test = (10.0 * whole.longest).max(5.0);
        let seconds = |seconds: f64| Duration::from_secs_f64(seconds.clamp(1.0, 30.0 * 86_400.0));
        let overhead = (whole.seconds - whole.work).max(0.0);
        self.suite = whole.seconds;
        self.pace = whole.seconds / whole.seen.len().max(1) as f64;
        self.tests_dominate = whole.work > LONG * overhead;
        self.limits = match self.limits.test {
            Some(_) => Limits { run: seconds(3.0 * whole.seconds + test), suite: None, test: Some(seconds(test)) },
            None => Limits { run: seconds(overhead + test), suite: Some(seconds(3.0 * whole.work)), test: None },
        };
    }

    /// From now on, only fresh processes tell about these tests.
    pub fn distrust(&mut self, tests: &BTreeSet<usize>) {
        self.misled.extend(tests);
    }

    pub fn misled(&self) -> &BTreeSet<usize> {
        &self.misled
    }

    /// Is most of a run's time that of its tests?
    pub fn tests_dominate(&self) -> bool {
        self.tests_dominate
    }

    /// Is a run of the whole suite a large part of what there is time for?
    pub fn is_short(&self) -> bool {
        self.suite * SHORT > self.budget
    }

    /// How often the original order is run, of so many times that were asked for.
    pub fn affordable(&self, times: usize) -> usize {
        if self.suite * SHORTEST > self.budget { times.min(2) } else { times }
    }

    /// How questions about causes are asked first. Where tests take nearly all of the time, a process that stays saves none,
    /// and tells less.
    pub fn care_for_causes(&self) -> ProcessFreshness {
        if !self.has_warm || self.is_short() && self.tests_dominate {
            ProcessFreshness::Fresh
        } else {
            ProcessFreshness::Warm
        }
    }

    /// How the test has ended in fresh processes so far, after exactly these.
    pub fn recorded(&self, before: &[usize], test: usize) -> Ends {
        self.record.of(before, test)
    }

    pub fn budget(&self) -> f64 {
        self.budget
    }

    /// How a question about this test is asked.
    pub fn care_for(&self, test: usize, care: ProcessFreshness) -> ProcessFreshness {
        if self.misled.contains(&test) { ProcessFreshness::Fresh } else { care }
    }

    /// From now on, runs are carried out side by side or not.
    pub fn be_sociable(&mut self, sociable: bool) {
        self.sociable = sociable;
    }

    /// How many runs are carried out side by side.
    pub fn lanes(&self) -> usize {
        if self.sociable { self.session.side_by_side().max(1) } else { 1 }
    }

    /// Questions that a search asks at once, as it would ask most of them anyway. Short runs mostly wait, so there are more of
    /// them than lanes, unless every run counts.
    pub fn width(&self) -> usize {
        match self.lanes() {
            1 => 1,
            lanes if self.is_short() => lanes,
            lanes => 2 * lanes,
        }
    }

    /// Does the test fail at the end of this order? `None` where it did not run, or nobody can tell.
    pub fn fails(&mut self, before: &[usize], test: usize, care: ProcessFreshness) -> Step<Option<bool>> {
        let order: Vec<usize> = before.iter().copied().chain([test]).collect();
        let care = self.care_for(test, care);
        Ok(self.observe(&order, care)?.fails_at_end(test))
    }

    /// The same of several orders and tests.
    pub fn fail(&mut self, asked: &[(Vec<usize>, usize)], care: ProcessFreshness) -> Step<Vec<Option<bool>>> {
        let mut ends = vec![None; asked.len()];
        for way in [ProcessFreshness::Warm, ProcessFreshness::Fresh] {
            let places: Vec<usize> =
                (0..asked.len()).filter(|place| self.care_for(asked[*place].1, care) == way).collect();
            let orders: Vec<Vec<usize>> =
                places.iter().map(|place| [asked[*place].0.as_slice(), &[asked[*place].1]].concat()).collect();
            for (place, seen) in places.into_iter().zip(self.observe_all(&orders, way)?) {
                ends[place] = seen.fails_at_end(asked[place].1);
            }
        }
        Ok(ends)
    }

    /// The same; what fresh processes have shown before they are not asked again.
    pub fn fail_or_failed(&mut self, asked: &[(Vec<usize>, usize)], care: ProcessFreshness) -> Step<Vec<Option<bool>>> {
        let known = |(before, test): &(Vec<usize>, usize)| match care {
            ProcessFreshness::Fresh => self.recorded(before, *test).agreed(),
            ProcessFreshness::Warm => None,
        };
        let mut ends: Vec<Option<bool>> = asked.iter().map(known).collect();
        let open: Vec<usize> = (0..asked.len()).filter(|place| ends[*place].is_none()).collect();
        let questions: Vec<(Vec<usize>, usize)> = open.iter().map(|place| asked[*place].clone()).collect();
        let answers = self.fail(&questions, care)?;
        open.into_iter().zip(answers).for_each(|(place, end)| ends[place] = end);
        Ok(ends)
    }

    pub fn observe(&mut self, order: &[usize], care: ProcessFreshness) -> Step<Observation> {
        self.observe_all(&[order.to_vec()], care).map(|mut seen| seen.pop().unwrap_or_default())
    }

    /// Several orders, none of which has to wait for what another shows.
    pub fn observe_all(&mut self, orders: &[Vec<usize>], care: ProcessFreshness) -> Step<Vec<Observation>> {
        let (seen, ended) = self.observe_some(orders, care);
        ended.map(|()| seen)
    }

    /// The same, with what was seen before it had to stop.
    pub fn observe_some(&mut self, orders: &[Vec<usize>], care: ProcessFreshness) -> (Vec<Observation>, Step<()>) {
        let mut seen = Vec::new();
        while seen.len() < orders.len() {
            let rest = &orders[seen.len()..];
            match self.observe_batch(&rest[..self.batch(rest)], care) {
                Ok(batch) => seen.extend(batch),
                Err(halt) => return (seen, Err(halt)),
            }
        }
        (seen, Ok(()))
    }

    /// So many orders that all lanes have work, and that a kill or the end of the time does not lose much.
    fn batch(&self, orders: &[Vec<usize>]) -> usize {
        let lanes = self.lanes();
        if lanes == 1 {
            return orders.len().min(1);
        }
        let mut seconds = 0.0;
        let brief = orders.iter().take(lanes * BATCH).take_while(|order| {
            seconds += self.pace * order.len() as f64;
            seconds <= BRIEF
        });
        brief.count().max(lanes).min(orders.len())
    }

    fn observe_batch(&mut self, orders: &[Vec<usize>], care: ProcessFreshness) -> Step<Vec<Observation>> {
        let isolation = match care {
            ProcessFreshness::Warm if self.has_warm => Isolation::Warm,
            ProcessFreshness::Warm | ProcessFreshness::Fresh => Isolation::Fresh,
        };
        let keys: Vec<String> = orders.iter().map(|order| self.next_key(order, isolation)).collect();
        let mut seen: Vec<Option<Observation>> = keys.iter().map(|key| self.company.memory.recall(key)).collect();
        let missing: Vec<usize> = (0..orders.len()).filter(|place| seen[*place].is_none()).collect();
        if !missing.is_empty() {
            self.check_time()?;
            let asked: Vec<(&[usize], &str)> =
                missing.iter().map(|place| (orders[*place].as_slice(), keys[*place].as_str())).collect();
            let answers = self.run(&asked, isolation)?;
            for (place, observation) in missing.into_iter().zip(answers) {
                self.company.memory.keep(&keys[place], &observation)?;
                seen[place] = Some(observation);
            }
        }
        let seen: Vec<Observation> = seen.into_iter().flatten().collect();
        seen.iter().for_each(|observation| self.count(observation, isolation));
        self.report();
        Ok(seen)
    }

    fn count(&mut self, observation: &Observation, isolation: Isolation) {
        self.spent += observation.seconds.max(LEAST);
        self.runs.add(isolation, self.purpose);
        if isolation == Isolation::Fresh {
            self.record.add(&observation.seen);
        }
        self.pairs.add(&observation.seen);
        for seen in observation.seen.iter().filter(|seen| matches!(seen.outcome, Outcome::TimedOut | Outcome::Crashed))
        {
            *self.accidents.entry((seen.test, seen.outcome)).or_default() += 1;
        }
    }

    /// What these tests share, from one run of them in this order: from memory, where it was made before.
    pub fn accesses(&mut self, tests: &[usize]) -> Step<Vec<Accesses>> {
        let watched = match self.company.memory.recall_accesses() {
            Some(watched) => watched,
            None => {
                self.check_time()?;
                let run = self.watch(tests)?;
                let watched = ObservedAccesses { seconds: run.cost.wall_seconds, accesses: run.seen.accesses };
                self.company.memory.keep_accesses(&watched)?;
                watched
            }
        };
        self.spent += watched.seconds;
        self.runs.add(Isolation::Fresh, self.purpose);
        self.report();
        Ok(watched.accesses)
    }

    fn watch(&mut self, tests: &[usize]) -> Step<SuiteRun> {
        if !self.session.capabilities().watches.accesses {
            let message = "it is not known what the tests of this suite read and write".to_owned();
            let help = "declare `reads` and `writes` in the model suite, or choose another strategy".to_owned();
            return Err(SearchStop::Broken(BadUsage { message, help }.into()));
        }
        let plain = self.request(tests, Isolation::Fresh, "accesses");
        let test_limit = plain.policy.test_limit.map(|limit| limit * WATCHING);
        let request = RunRequest {
            time_limit: plain.time_limit * WATCHING,
            policy: ProcessPolicy { test_limit, ..ProcessPolicy::default() },
            watch: Instrumentation { accesses: true, ..Instrumentation::default() },
            ..plain
        };
        let run = self.session.run(&request)?;
        self.check_run(&run)?;
        Ok(run)
    }

    fn check_time(&self) -> Step<()> {
        if (self.company.stop)() {
            return Err(SearchStop::Interrupted);
        }
        if self.spent >= self.allowance { Err(SearchStop::Budget) } else { Ok(()) }
    }

    fn report(&mut self) {
        let seconds_left = (self.budget - self.spent).max(0.0);
        (self.company.hear)(&Progress { text: self.doing.clone(), seconds_left });
    }

    fn run(&mut self, asked: &[(&[usize], &str)], isolation: Isolation) -> Step<Vec<Observation>> {
        let requests: Vec<RunRequest> = asked.iter().map(|(order, key)| self.request(order, isolation, key)).collect();
        let runs = self.obtain(&requests)?;
        Ok(runs.iter().zip(asked).map(|(run, (order, _))| Observation::of(run, &self.roster, order)).collect())
    }

    fn request(&self, order: &[usize], isolation: Isolation, label: &str) -> RunRequest {
        RunRequest {
            selection: Selection::Tests(self.roster.ids(order)),
            policy: ProcessPolicy {
                isolation,
                test_limit: self.limits.test,
                quick_start: self.has_warm,
                ..ProcessPolicy::default()
            },
            ..RunRequest::sequential(label, self.resources.clone(), self.limit_of(order.len()))
        }
    }

    fn obtain(&mut self, requests: &[RunRequest]) -> Step<Vec<SuiteRun>> {
        let runs = match requests {
            [only] => vec![self.session.run(only)?],
            several => self.session.run_all(several)?,
        };
        runs.iter().try_for_each(|run| self.check_run(run))?;
        Ok(runs)
    }

    fn check_run(&self, run: &SuiteRun) -> Step<()> {
        if run.end == RunEnd::Interrupted || (self.company.stop)() {
            return Err(SearchStop::Interrupted);
        }
        match &run.end {
            RunEnd::BuildFailed(reason) | RunEnd::Crashed(reason) if run.executions.is_empty() => {
                Err(SearchStop::Broken(miette::miette!("the tests could not be run: {reason}")))
            }
            _ => Ok(()),
        }
    }

    /// An order can have tests more than once, and so be longer than the suite.
    fn limit_of(&self, tests: usize) -> Duration {
        let suites = (tests as f64 / self.roster.len().max(1) as f64).min(10_000.0);
        match self.limits.suite {
            Some(suite) => self.limits.run + suite.mul_f64(suites),
            None => self.limits.run.mul_f64(suites.max(1.0)),
        }
    }

    /// The same order asked for the same time is the same run, in this sitting and in the next.
    fn next_key(&mut self, order: &[usize], isolation: Isolation) -> String {
        let mut hash = Sha256::new();
        hash.update(isolation.name());
        order.iter().for_each(|test| hash.update((*test as u64).to_le_bytes()));
        let mut digest = [0; 16];
        digest.copy_from_slice(&hash.finalize()[..16]);
        let times = self.asked.entry(digest).or_insert(0);
        *times += 1;
        format!("{}-{times}", hex(&digest))
    }
}
