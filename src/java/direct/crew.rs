//! Who runs which tests, and what happens when a process dies over one: the test that did it is found and paid for, and
//! the rest goes on in a new process. Every restart retires at least one test, so there is an end to them.
//!
//! It knows nothing of JVMs: a [`Workplace`] has the processes, and tests of this module have one without.

use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, PoisonError};

use super::accesses::Touched;
use super::coverage::Mark;
use super::events::{ReportedExecution, State};
use super::request::Manner;
use crate::suite::{Cost, Execution, Finding, FindingKind, Outcome, RunEnd, TestId};

/// Tests to run in one go, by their positions in the request.
#[derive(Debug)]
pub struct Order<'a> {
    pub id: u64,
    pub tests: &'a [usize],
    pub manner: Manner,
}

/// What came of an order.
#[derive(Debug)]
pub struct Account {
    pub seen: Vec<ReportedExecution>,
    /// Tests that could not be run at all, with the reason.
    pub unrunnable: Vec<(usize, String)>,
    pub touched: Vec<Touched>,
    pub close: Close,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Close {
    Done,
    /// The process ended before its order was done; with how.
    Died(String),
    /// It ended before it took the order up.
    NeverBegan(String),
    OutOfTime,
    Interrupted,
}

/// What a process leaves behind.
#[derive(Debug, Default)]
pub struct Closing {
    pub cost: Cost,
    pub findings: Vec<Finding>,
}

/// Where processes that run tests are started.
pub trait Workplace: Sync {
    type Worker: Send;

    /// With `only`, the process gets this one order and ends.
    fn start(&self, slot: u32, only: Option<&Order<'_>>) -> miette::Result<Self::Worker>;

    fn is_alive(&self, worker: &mut Self::Worker) -> bool;

    fn carry_out(&self, worker: &mut Self::Worker, order: &Order<'_>) -> miette::Result<Account>;

    /// Its share of the run, for a process that stays.
    fn pause(&self, worker: &mut Self::Worker) -> Closing;

    fn end(&self, worker: Self::Worker) -> miette::Result<Closing>;

    fn test(&self, position: usize) -> &TestId;

    /// A number that no order of any process has had.
    fn next_order(&self) -> u64;
}

/// How tests are spread over processes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Staffing {
    /// Processes at once.
    pub forks: usize,
    /// Does a process take job after job?
    pub reuse: bool,
    /// Do processes outlive the run?
    pub stay: bool,
    pub manner: Manner,
}

/// What all processes together brought home.
#[derive(Debug, Default)]
pub struct WorkerResults {
    pub seen: Vec<ReportedExecution>,
    pub unrunnable: Vec<(usize, String)>,
    pub touched: Vec<Touched>,
    pub findings: Vec<Finding>,
    /// Wall time apart.
    pub cost: Cost,
    /// Why the run as a whole is over, where that is not because all is done.
    pub end: Option<RunEnd>,
}

/// Carries out all jobs; `idle` are processes that stayed from earlier runs, and get those that stay now.
pub fn run<W: Workplace>(
    place: &W,
    staffing: Staffing,
    jobs: Vec<Vec<usize>>,
    idle: &mut Vec<W::Worker>,
) -> miette::Result<WorkerResults> {
    let slots = staffing.forks.min(jobs.len()).max(1);
    let keeps = staffing.stay || (staffing.reuse && jobs.len() > 1);
    let queue = Mutex::new(VecDeque::from(jobs));
    let make = |number: usize, worker| Slot {
        place,
        number: u32::try_from(number).unwrap_or(u32::MAX),
        keeps,
        worker,
        haul: WorkerResults::default(),
    };
    let mut crew: Vec<Slot<'_, W>> = (1..=slots).map(|number| make(number, idle.pop())).collect();
    if let [only] = crew.as_mut_slice() {
        only.serve(&queue, staffing)?;
    } else {
        let results: Vec<_> = std::thread::scope(|scope| {
            let serve = |slot| scope.spawn(|| Slot::serve(slot, &queue, staffing));
            let threads: Vec<_> = crew.iter_mut().map(serve).collect();
            threads.into_iter().map(std::thread::ScopedJoinHandle::join).collect()
        });
        for result in results {
            result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        }
    }
    idle.extend(crew.iter_mut().filter_map(|slot| slot.worker.take()));
    Ok(crew.into_iter().map(|slot| slot.haul).reduce(WorkerResults::beside).unwrap_or_default())
}

impl WorkerResults {
    /// Of processes that worked one after the other.
    pub fn then(mut self, next: WorkerResults) -> WorkerResults {
        let peak = self.cost.peak_memory_bytes.max(next.cost.peak_memory_bytes);
        self = self.beside(next);
        self.cost.peak_memory_bytes = peak;
        self
    }

    /// Of processes that worked at the same time: they had at most the sum of their peaks.
    fn beside(mut self, other: WorkerResults) -> WorkerResults {
        self.seen.extend(other.seen);
        self.unrunnable.extend(other.unrunnable);
        self.touched.extend(other.touched);
        self.findings.extend(other.findings);
        self.cost = sum(self.cost, other.cost);
        self.end = self.end.or(other.end);
        self
    }

    fn add(&mut self, closing: Closing) {
        let peak = self.cost.peak_memory_bytes.max(closing.cost.peak_memory_bytes);
        self.cost = Cost { peak_memory_bytes: peak, ..sum(self.cost, closing.cost) };
        self.findings.extend(closing.findings);
    }
}

fn sum(a: Cost, b: Cost) -> Cost {
    let both = |a: Option<u64>, b: Option<u64>| match (a, b) {
        (Some(a), Some(b)) => Some(a.saturating_add(b)),
        (one, other) => one.or(other),
    };
    Cost {
        wall_seconds: a.wall_seconds + b.wall_seconds,
        user_seconds: a.user_seconds + b.user_seconds,
        system_seconds: a.system_seconds + b.system_seconds,
        peak_memory_bytes: both(a.peak_memory_bytes, b.peak_memory_bytes),
        voluntary_switches: both(a.voluntary_switches, b.voluntary_switches),
        involuntary_switches: both(a.involuntary_switches, b.involuntary_switches),
        jvm: None,
    }
}

/// One process at a time, and its successors.
struct Slot<'a, W: Workplace> {
    place: &'a W,
    number: u32,
    /// Does a process take several orders?
    keeps: bool,
    worker: Option<W::Worker>,
    haul: WorkerResults,
}

impl<W: Workplace> Slot<'_, W> {
    fn serve(&mut self, queue: &Mutex<VecDeque<Vec<usize>>>, staffing: Staffing) -> miette::Result<()> {
        let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        while let Some(job) = next() {
            let worked = self.work(job, staffing.manner);
            if worked.is_err() || self.haul.end.is_some() {
                queue.lock().unwrap_or_else(PoisonError::into_inner).clear();
            }
            worked?;
        }
        match &mut self.worker {
            Some(worker) if staffing.stay => {
                let share = self.place.pause(worker);
                self.haul.add(share);
                Ok(())
            }
            _ => self.dismiss(),
        }
    }

    /// Runs tests until each has ended, or cannot.
    fn work(&mut self, mut tests: Vec<usize>, manner: Manner) -> miette::Result<()> {
        while !tests.is_empty() && self.haul.end.is_none() {
            let account = self.give(&tests, manner)?;
            tests = self.settle(tests, manner, account)?;
        }
        Ok(())
    }

    fn give(&mut self, tests: &[usize], manner: Manner) -> miette::Result<Account> {
        self.bury_the_dead()?;
        let has_stayed = self.worker.is_some();
        let account = self.hand_over(tests, manner)?;
        if has_stayed && matches!(account.close, Close::NeverBegan(_)) {
            // What earlier tests left in it ended it just now.
            self.mourn();
            return self.hand_over(tests, manner);
        }
        Ok(account)
    }

    fn hand_over(&mut self, tests: &[usize], manner: Manner) -> miette::Result<Account> {
        let order = Order { id: self.place.next_order(), tests, manner };
        let mut worker = match self.worker.take() {
            Some(worker) => worker,
            None => self.place.start(self.number, (!self.keeps).then_some(&order))?,
        };
        let account = self.place.carry_out(&mut worker, &order)?;
        if self.keeps && account.close == Close::Done {
            self.worker = Some(worker);
        } else {
            let closing = self.place.end(worker)?;
            self.haul.add(closing);
        }
        Ok(account)
    }

    /// A process that stayed can have died since.
    fn bury_the_dead(&mut self) -> miette::Result<()> {
        let place = self.place;
        if let Some(dead) = self.worker.take_if(|worker| !place.is_alive(worker)) {
            let closing = place.end(dead)?;
            self.haul.add(closing);
            self.mourn();
        }
        Ok(())
    }

    fn mourn(&mut self) {
        let text = "a warm JVM died between two runs and was replaced";
        self.haul.findings.push(Finding::new(FindingKind::DeadWorker, text));
    }

    fn dismiss(&mut self) -> miette::Result<()> {
        if let Some(worker) = self.worker.take() {
            let closing = self.place.end(worker)?;
            self.haul.add(closing);
        }
        Ok(())
    }

    /// Takes down what came of an order, and returns the tests that are still to run.
    fn settle(&mut self, tests: Vec<usize>, manner: Manner, account: Account) -> miette::Result<Vec<usize>> {
        let mut retired: HashSet<usize> = account.unrunnable.iter().map(|(position, _)| *position).collect();
        self.haul.unrunnable.extend(account.unrunnable);
        self.haul.touched.extend(account.touched);
        let (ended, cut_off): (Vec<_>, Vec<_>) = account.seen.into_iter().partition(|seen| seen.state == State::Ended);
        retired.extend(ended.iter().filter_map(|seen| seen.asked));
        self.haul.seen.extend(ended);
        match account.close {
            Close::Done => return Ok(Vec::new()),
            Close::OutOfTime => {
                let message = "it was running when the time limit was reached";
                self.haul.seen.extend(cut_off.into_iter().map(|seen| closed(seen, Outcome::TimedOut, message)));
                self.haul.end = Some(RunEnd::TimedOut);
            }
            Close::Interrupted => self.haul.end = Some(RunEnd::Interrupted),
            Close::NeverBegan(why) => {
                self.haul.end = Some(RunEnd::Crashed(format!("a test process could not be started: {why}")));
            }
            Close::Died(how) => return self.go_on(tests, retired, cut_off, manner, &how),
        }
        Ok(Vec::new())
    }

    /// After a process died: who is to blame, and who has to run again?
    fn go_on(
        &mut self,
        tests: Vec<usize>,
        mut retired: HashSet<usize>,
        cut_off: Vec<ReportedExecution>,
        manner: Manner,
        how: &str,
    ) -> miette::Result<Vec<usize>> {
        let (over_limit, open): (Vec<_>, Vec<_>) = cut_off.into_iter().partition(|seen| seen.state == State::OverLimit);
        let alone = tests.len() == 1 || manner.threads <= 1;
        let progressed = !retired.is_empty() || !over_limit.is_empty();
        let (mut culprits, mut suspects) = (Vec::new(), Vec::new());
        if !over_limit.is_empty() {
            let limit = manner.limit.unwrap_or_default().as_secs_f64();
            let message = format!("it took longer than the limit of {limit} seconds per test");
            culprits.extend(over_limit.into_iter().map(|seen| closed(seen, Outcome::TimedOut, &message)));
        } else {
            let mut open: Vec<ReportedExecution> = open.into_iter().filter(|seen| seen.asked.is_some()).collect();
            match open.len() {
                0 => {
                    suspects.extend(tests.iter().filter(|test| !retired.contains(test)).take(usize::from(!progressed)))
                }
                // With several threads another one may have been at it, before its test began or after it ended.
                1 if alone => culprits.extend(open.pop().map(|seen| closed(seen, Outcome::Crashed, &running(how)))),
                _ => suspects.extend(open.iter().filter_map(|seen| seen.asked)),
            }
        }
        retired.extend(culprits.iter().filter_map(|seen| seen.asked));
        if let (true, [first]) = (alone, suspects.as_slice()) {
            retired.insert(*first);
            culprits.push(self.never_started(*first, how));
            suspects.clear();
        }
        let rest: Vec<usize> =
            tests.into_iter().filter(|test| !retired.contains(test) && !suspects.contains(test)).collect();
        self.tell(&culprits, &suspects, how, !rest.is_empty());
        self.haul.seen.extend(culprits);
        self.interrogate(suspects, manner)?;
        Ok(rest)
    }

    /// One after the other, each in a process of its own.
    fn interrogate(&mut self, suspects: Vec<usize>, manner: Manner) -> miette::Result<()> {
        for suspect in suspects {
            self.dismiss()?;
            self.work(vec![suspect], manner.one_by_one())?;
            self.dismiss()?;
        }
        Ok(())
    }

    /// Its class may do something before its first test that ends the process.
    fn never_started(&self, position: usize, how: &str) -> ReportedExecution {
        let execution = Execution {
            test: self.place.test(position).clone(),
            display: None,
            outcome: Outcome::Crashed,
            start: self.haul.seen.iter().map(|seen| seen.execution.start + seen.execution.seconds).fold(0.0, f64::max),
            seconds: 0.0,
            process: 0,
            thread: String::new(),
            message: Some(format!("its process ended before the test began: {how}")),
        };
        ReportedExecution { asked: Some(position), execution, root: None, state: State::Ended, mark: Mark::default() }
    }

    fn tell(&mut self, culprits: &[ReportedExecution], suspects: &[usize], how: &str, goes_on: bool) {
        let rest = if goes_on { "; the other tests continued in a new one" } else { "" };
        let names = |positions: &mut dyn Iterator<Item = usize>| -> String {
            positions.map(|position| self.place.test(position).to_string()).collect::<Vec<_>>().join(", ")
        };
        let culprit = names(&mut culprits.iter().filter_map(|seen| seen.asked));
        let text = match (culprits, suspects) {
            ([], []) => format!("a process died while no test was running ({how}){rest}"),
            ([], several) => format!(
                "a process died ({how}), caused by one of: {}; they were rerun one by one{rest}",
                names(&mut several.iter().copied())
            ),
            ([seen, ..], _) if seen.execution.outcome == Outcome::TimedOut => {
                format!("{culprit} took too long, and its process was ended{rest}")
            }
            _ => format!("a process died in {culprit} ({how}){rest}"),
        };
        self.haul.findings.push(Finding::new(FindingKind::DeadWorker, text));
    }
}

fn running(how: &str) -> String {
    format!("it was running when its process died: {how}")
}

fn closed(mut seen: ReportedExecution, outcome: Outcome, message: &str) -> ReportedExecution {
    seen.execution.outcome = outcome;
    seen.execution.message = Some(message.to_owned());
    seen.state = State::Ended;
    seen
}

#[cfg(test)]
mod tests;
