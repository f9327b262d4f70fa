//! Several runs side by side, each in a process of its own, from one queue.
//!
//! Only for suites that leave no file behind: the worktree can be put back only when nothing runs. A batch that changed it
//! is run again, one run after the other, and so is everything after it.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::crew::{self, Staffing, WorkerResults, Workplace};
use super::crowd::{Batch, Crowd};
use super::launch::Jvm;
use super::worker::{Bounds, JvmPlace, JvmWorker, Ticket};
use super::{DirectSession, GoalRun, RunAccumulator, Staff, deadline, fitting, legs, log_folder};
use crate::engine::{Isolation, RunRequest, Session};
use crate::maven::Clock;
use crate::subject::Changes;
use crate::suite::{RunEnd, SuiteRun};

/// More processes than this at once gain little: each wants memory, too.
const MOST: usize = 4;

/// A run that has its place in the queue.
struct Queued {
    chosen: Vec<usize>,
    leg: GoalRun,
    staffing: Staffing,
    logs: PathBuf,
    time_limit: Duration,
}

/// What all runs of a batch share.
struct Shift {
    suite: usize,
    warm: bool,
    jvm: Jvm,
    bounds: Bounds,
}

impl DirectSession {
    /// For a suite that computes all the time; see [`super::crowd`] for others.
    pub(super) fn lanes(&self) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        if self.leaves_files { 1 } else { cores.min(MOST) }
    }

    /// After every run: what did it leave behind?
    pub(super) fn note_changes(&mut self, changes: &Changes) {
        self.leaves_files |= changes.in_build_folders + changes.elsewhere_total > 0;
    }

    pub(super) fn run_beside(&mut self, requests: &[RunRequest]) -> miette::Result<Vec<SuiteRun>> {
        let queued = match self.lanes() {
            1 => None,
            _ => self.queued(requests)?,
        };
        let Some((shift, queued)) = queued else {
            return requests.iter().map(|request| self.run(request)).collect();
        };
        let prepared = Rc::clone(&self.prepared);
        prepared.before_run()?;
        let hauls = self.work_off(&shift, &queued)?;
        let changes = prepared.worktree.after_run(&prepared.snapshot)?;
        self.note_changes(&changes);
        if self.leaves_files {
            return requests.iter().map(|request| self.run(request)).collect();
        }
        let answers = requests.iter().zip(&queued).zip(hauls).map(|((request, queued), haul)| {
            let mut crop = RunAccumulator::default();
            self.gather(&mut crop, haul, shift.suite, &queued.chosen);
            self.suite_run(request, crop)
        });
        Ok(answers.collect())
    }

    /// `None` where the runs are not of one kind: all of one goal, each in one process.
    fn queued(&mut self, requests: &[RunRequest]) -> miette::Result<Option<(Shift, Vec<Queued>)>> {
        let [first, _, ..] = requests else { return Ok(None) };
        let mut all = Vec::new();
        for request in requests {
            let (chosen, unknown) = self.chosen(&request.selection);
            let mut legs = legs(&chosen, self.known());
            if request.policy.quick_start {
                self.quicken(&legs, &chosen)?;
            }
            let (Some(leg), true, true) = (legs.pop(), legs.is_empty(), unknown.is_empty()) else { return Ok(None) };
            let staffing = self.staffing(request, leg.suite)?;
            if staffing.forks > 1 || !(staffing.reuse || staffing.stay) || request.policy != first.policy {
                return Ok(None);
            }
            let (logs, time_limit) = (log_folder(request)?, request.time_limit);
            all.push(Queued { chosen, leg, staffing, logs, time_limit });
        }
        let suite = all.first().map_or(0, |queued| queued.leg.suite);
        if all.iter().any(|queued| queued.leg.suite != suite) {
            return Ok(None);
        }
        let bounds = Bounds {
            cores: Some(first.resources.cores),
            memory_bytes: first.resources.memory_bytes,
            deadline: deadline(first.time_limit),
        };
        let warm = first.policy.isolation == Isolation::Warm;
        Ok(Some((Shift { suite, warm, jvm: self.jvm_for(first, suite)?, bounds }, all)))
    }

    /// As many lanes as there may be take the next run each, until none is left.
    fn work_off(&mut self, shift: &Shift, queued: &[Queued]) -> miette::Result<Vec<WorkerResults>> {
        let usual = self.lanes();
        let lanes = self.crowd(shift.warm).lanes(usual).min(queued.len());
        let mut workers = match &mut self.ready {
            _ if shift.warm => fitting(&mut self.warm, shift.suite, &shift.jvm, &shift.bounds),
            Some(ready) => fitting(ready, shift.suite, &shift.jvm, &shift.bounds),
            None => Vec::new(),
        };
        let queue = Mutex::new((0..queued.len()).collect::<VecDeque<usize>>());
        let pool = Mutex::new(std::mem::take(&mut workers));
        let tickets: Vec<Vec<Ticket<'_>>> =
            queued.iter().map(|queued| queued.chosen.iter().map(|position| self.ticket(*position)).collect()).collect();
        let places: Vec<JvmPlace<'_>> = queued
            .iter()
            .zip(&tickets)
            .map(|(queued, tickets)| {
                let (jvm, bounds) = (shift.jvm.clone(), shift.bounds.clone());
                self.place(shift.suite, jvm, bounds, &queued.logs, tickets)
            })
            .collect();
        let ahead = self.place(shift.suite, shift.jvm.clone(), shift.bounds.clone(), self.scratch.path(), &[]);
        let lane = Lane { queue: &queue, pool: &pool, queued, places: &places, ahead: (!shift.warm).then_some(&ahead) };
        let began = Instant::now();
        let results: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..lanes).map(|_| scope.spawn(|| lane.serve())).collect();
            threads.into_iter().map(std::thread::ScopedJoinHandle::join).collect()
        });
        let wall_seconds = began.elapsed().as_secs_f64();
        let mut hauls: Vec<Option<WorkerResults>> = queued.iter().map(|_| None).collect();
        for result in results {
            for (number, haul) in result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))? {
                hauls[number] = Some(haul);
            }
        }
        let workers = pool.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Bounds { cores, memory_bytes, .. } = shift.bounds;
        drop(places);
        drop(ahead);
        let staff = Staff { jvm: shift.jvm.clone(), cores, memory_bytes, workers };
        match &mut self.ready {
            _ if shift.warm => drop(self.warm.insert(shift.suite, staff)),
            Some(ready) => drop(ready.insert(shift.suite, staff)),
            None => {}
        }
        let hauls: Vec<WorkerResults> = hauls.into_iter().map(Option::unwrap_or_default).collect();
        let cpu_seconds = hauls.iter().map(|haul| haul.cost.user_seconds + haul.cost.system_seconds).sum();
        self.crowd(shift.warm).learn(Batch { runs: hauls.len(), lanes, wall_seconds, cpu_seconds }, usual);
        Ok(hauls)
    }

    fn crowd(&mut self, warm: bool) -> &mut Crowd {
        &mut self.crowds[usize::from(warm)]
    }
}

/// What every lane sees.
struct Lane<'a> {
    queue: &'a Mutex<VecDeque<usize>>,
    /// Processes without an order.
    pool: &'a Mutex<Vec<JvmWorker>>,
    queued: &'a [Queued],
    places: &'a [JvmPlace<'a>],
    /// Where fresh processes are started for the runs to come.
    ahead: Option<&'a JvmPlace<'a>>,
}

impl Lane<'_> {
    fn serve(&self) -> miette::Result<Vec<(usize, WorkerResults)>> {
        let mut done = Vec::new();
        // The lock must not last as long as the run.
        let next = || lock(self.queue).pop_front();
        while let Some(number) = next() {
            let idle = lock(self.pool).pop();
            let mut workers: Vec<JvmWorker> = idle.into_iter().collect();
            if let Some(ahead) = self.ahead {
                let next = ahead.start(1, None)?;
                lock(self.pool).insert(0, next);
            }
            let haul = self.carry_out(number, &mut workers);
            lock(self.pool).append(&mut workers);
            let haul = haul?;
            let interrupted = haul.end == Some(RunEnd::Interrupted);
            done.push((number, haul));
            if interrupted {
                break;
            }
        }
        Ok(done)
    }

    /// A run's time begins with it, not with the batch.
    fn carry_out(&self, number: usize, workers: &mut Vec<JvmWorker>) -> miette::Result<WorkerResults> {
        let (queued, place) = (&self.queued[number], self.places[number].clone());
        let bounds = Bounds { deadline: deadline(queued.time_limit), ..place.bounds.clone() };
        let place = JvmPlace { clock: Clock::now(), bounds, ..place };
        let began = Instant::now();
        let mut haul = crew::run(&place, queued.staffing, vec![queued.leg.tests.clone()], workers)?;
        haul.cost.wall_seconds = began.elapsed().as_secs_f64();
        Ok(haul)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
