//! What a suite would take on machines that nobody has to own: schedules of measured times, computed and not run.
//!
//! P1, P2 and P3 spread tests over machines, each of which runs its own in order. The others are threads of one machine, as
//! Surefire has them: `classes` take the next class, `methods` the next test of the same class, `classesAndMethods` any. Nothing here knows overhead or contention: times are taken as they are.

mod encoding;
mod reports;
mod workload;

use std::fmt;

use serde::Serialize;

pub use workload::Workload;

use crate::suite::Precedence;
use crate::technique::enhance::apart::{KeptDependencies, enhance_apart};
use crate::technique::parallelize::{self, Work, pool};

/// Who decides what runs where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub enum Scheduler {
    P1,
    P2,
    P3,
    #[serde(rename = "classes")]
    Classes,
    #[serde(rename = "methods")]
    Methods,
    #[serde(rename = "classesAndMethods")]
    ClassesAndMethods,
}

impl Scheduler {
    pub const ALL: [Scheduler; 6] = [
        Scheduler::P1,
        Scheduler::P2,
        Scheduler::P3,
        Scheduler::Classes,
        Scheduler::Methods,
        Scheduler::ClassesAndMethods,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Scheduler::P1 => "P1",
            Scheduler::P2 => "P2",
            Scheduler::P3 => "P3",
            Scheduler::Classes => "classes",
            Scheduler::Methods => "methods",
            Scheduler::ClassesAndMethods => "classesAndMethods",
        }
    }

    /// Which tests run at the same time, and where.
    pub fn explained(self) -> &'static str {
        match self {
            Scheduler::P1 => "N machines, each runs its tests one after the other; tests are distributed in turn",
            Scheduler::P2 => {
                "N machines, each runs its tests one after the other; each time the longest test goes to the machine that is done earliest"
            }
            Scheduler::P3 => {
                "N machines, each runs its tests one after the other; tests are distributed by their durations, each together with the tests that it depends on"
            }
            Scheduler::Classes => "N threads in one process, one test class each",
            Scheduler::Methods => "N threads in one process, one test method each, class after class",
            Scheduler::ClassesAndMethods => "N threads in one process, one test method each, of any class",
        }
    }
}

impl fmt::Display for Scheduler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What becomes of a suite on so many machines, or threads.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Forecast {
    pub algorithm: Scheduler,
    pub machines: usize,
    /// Until the last one is done, in seconds.
    pub makespan: f64,
    /// No schedule of this kind is done earlier.
    pub lower_bound: f64,
    /// With what is repeated on several machines, as tests there need it.
    pub tests_run: usize,
    /// Dependencies that this schedule does not keep, where dependencies are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken_dependencies: Option<usize>,
}

/// Every scheduler on every number of machines, in the order of both lists.
pub fn simulate(workload: &Workload, schedulers: &[Scheduler], machines: &[usize]) -> Vec<Forecast> {
    let each = schedulers.iter().flat_map(|scheduler| machines.iter().map(move |machines| (*scheduler, *machines)));
    let costliest = workload.costliest();
    each.map(|(scheduler, machines)| workload.forecast(scheduler, machines, costliest)).collect()
}

impl Workload {
    /// The largest piece that one machine has to run: a test with all that it needs.
    fn costliest(&self) -> u64 {
        match &self.precedence {
            Some(precedence) => parallelize::costliest(&self.work, precedence),
            None => self.work.iter().copied().max().unwrap_or(0),
        }
    }

    fn forecast(&self, scheduler: Scheduler, machines: usize, costliest: u64) -> Forecast {
        let spread = |kept: KeptDependencies| self.spread(scheduler, &kept, machines, costliest);
        match scheduler {
            Scheduler::P1 => spread(self.kept(parallelize::by_position(self.work.len(), machines))),
            Scheduler::P2 => spread(self.kept(parallelize::by_time(&self.work, machines))),
            Scheduler::P3 => match &self.precedence {
                Some(precedence) => spread(parallelize::aware(&self.work, precedence, machines)),
                // Without a dependency there is nothing to be aware of.
                None => spread(self.kept(parallelize::by_time(&self.work, machines))),
            },
            Scheduler::Classes => self.pooled(scheduler, machines, &self.class_work(), |test| self.class[test]),
            Scheduler::Methods => self.class_by_class(machines),
            Scheduler::ClassesAndMethods => self.pooled(scheduler, machines, &self.work, |test| test),
        }
    }

    /// Tests dealt out to machines, each of which keeps the dependencies of its own.
    fn kept(&self, plain: Vec<Vec<usize>>) -> KeptDependencies {
        match &self.precedence {
            Some(precedence) => enhance_apart(plain, precedence, |test| self.work[test]),
            None => KeptDependencies { queues: plain, ..KeptDependencies::default() },
        }
    }

    fn spread(&self, algorithm: Scheduler, kept: &KeptDependencies, machines: usize, costliest: u64) -> Forecast {
        let queues = &kept.queues;
        let lower_bound = costliest.max(bound(&self.work, machines));
        Forecast {
            algorithm,
            machines,
            makespan: seconds(parallelize::makespan(queues, &self.work)),
            lower_bound: seconds(lower_bound),
            tests_run: queues.iter().map(Vec::len).sum(),
            broken_dependencies: self.precedence.as_ref().map(|_| kept.breaches()),
        }
    }

    /// The tests of a class taken in order by the threads of one machine, one class after the other.
    fn class_by_class(&self, threads: usize) -> Forecast {
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); self.classes()];
        self.class.iter().enumerate().for_each(|(test, class)| members[*class].push(test));
        let mut starts = vec![0u64; self.work.len()];
        let (mut end, mut lower_bound) = (0u64, 0u64);
        for tests in members {
            let pieces: Vec<u64> = tests.iter().map(|test| self.work[*test]).collect();
            let pool = pool::in_order(&pieces, threads);
            tests.iter().zip(&pool.starts).for_each(|(test, start)| starts[*test] = end.saturating_add(*start));
            end = end.saturating_add(pool.end);
            lower_bound = lower_bound.saturating_add(bound(&pieces, threads));
        }
        Forecast {
            algorithm: Scheduler::Methods,
            machines: threads,
            makespan: seconds(end),
            lower_bound: seconds(lower_bound),
            tests_run: self.work.len(),
            broken_dependencies: self.precedence.as_ref().map(|known| broken(known, &self.work, |test| starts[test])),
        }
    }

    /// Pieces taken in order by the threads of one machine.
    fn pooled(
        &self,
        algorithm: Scheduler,
        threads: usize,
        pieces: &Work,
        piece_of: impl Fn(usize) -> usize,
    ) -> Forecast {
        let pool = pool::in_order(pieces, threads);
        let within = if algorithm == Scheduler::Classes { self.offsets_in_class() } else { Vec::new() };
        let start = |test: usize| pool.starts[piece_of(test)].saturating_add(within.get(test).copied().unwrap_or(0));
        let broken = self.precedence.as_ref().map(|precedence| broken(precedence, &self.work, start));
        Forecast {
            algorithm,
            machines: threads,
            makespan: seconds(pool.end),
            lower_bound: seconds(bound(pieces, threads)),
            tests_run: self.work.len(),
            broken_dependencies: broken,
        }
    }
}

/// Somebody runs the largest piece, and all of the work is done.
fn bound(pieces: &Work, machines: usize) -> u64 {
    let total = pieces.iter().fold(0u64, |sum, piece| sum.saturating_add(*piece));
    pieces.iter().copied().max().unwrap_or(0).max(total.div_ceil(machines.max(1) as u64))
}

/// Tests that start before one that they need has ended, or after the start of one that breaks them: each such pair once.
fn broken(precedence: &Precedence, work: &Work, start: impl Fn(usize) -> u64) -> usize {
    let end = |test: usize| start(test).saturating_add(work[test]);
    let of = |test: usize| {
        let early = precedence.needs(test).iter().filter(|needed| start(test) < end(**needed)).count();
        let late = precedence.breaks(test).iter().filter(|victim| start(test) < end(**victim)).count();
        early + late
    };
    (0..precedence.tests()).map(of).sum()
}

fn seconds(nanoseconds: u64) -> f64 {
    std::time::Duration::from_nanos(nanoseconds).as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::{Dependency, DependencyGraph, TestId};

    /// Two classes: A with 3, 1 and 1 seconds, B with 4.
    fn suite() -> Vec<(TestId, f64)> {
        let test = |class: &str, name: &str, seconds| (TestId::new("", class, name, 1), seconds);
        vec![test("A", "a", 3.0), test("A", "b", 1.0), test("B", "d", 4.0), test("A", "c", 1.0)]
    }

    fn on(workload: &Workload, scheduler: Scheduler, machines: usize) -> Forecast {
        workload.forecast(scheduler, machines, workload.costliest())
    }

    fn forecast(workload: &Workload, scheduler: Scheduler, machines: usize) -> (f64, f64, usize) {
        let forecast = on(workload, scheduler, machines);
        (forecast.makespan, forecast.lower_bound, forecast.tests_run)
    }

    #[test]
    fn each_scheduler_has_its_own_makespan_and_bound() {
        let workload = Workload::of(suite());
        assert_eq!(forecast(&workload, Scheduler::P1, 2), (7.0, 4.5, 4));
        assert_eq!(forecast(&workload, Scheduler::P2, 2), (5.0, 4.5, 4));
        assert_eq!(forecast(&workload, Scheduler::P3, 2), (5.0, 4.5, 4));
        assert_eq!(forecast(&workload, Scheduler::Classes, 2), (5.0, 5.0, 4));
        // Class B starts when all of class A has ended.
        assert_eq!(forecast(&workload, Scheduler::Methods, 2), (7.0, 7.0, 4));
        assert_eq!(forecast(&workload, Scheduler::Methods, 1000), (7.0, 7.0, 4));
        assert_eq!(forecast(&workload, Scheduler::ClassesAndMethods, 2), (5.0, 4.5, 4));
        assert_eq!(forecast(&workload, Scheduler::ClassesAndMethods, 1000), (4.0, 4.0, 4));
    }

    #[test]
    fn machines_repeat_what_tests_need_and_threads_break_it() {
        let tests: Vec<TestId> = suite().into_iter().map(|(test, _)| test).collect();
        let needs = |test: usize, needed: usize| Dependency {
            test: tests[test].clone(),
            after: vec![vec![tests[needed].clone()]],
            not_after: vec![],
            cleaners: vec![],
        };
        let graph = DependencyGraph::new(vec![needs(1, 0), needs(2, 0)], &tests).unwrap();
        let workload = Workload::of(suite()).with_dependencies(graph.precedence());
        let p1 = on(&workload, Scheduler::P1, 2);
        assert_eq!((p1.makespan, p1.lower_bound, p1.tests_run, p1.broken_dependencies), (7.0, 7.0, 5, Some(0)));
        let p3 = on(&workload, Scheduler::P3, 2);
        assert!(p3.makespan <= 7.0 && p3.broken_dependencies == Some(0), "{p3:?}");
        // One after the other nothing breaks; in class A the order stays, in class B the one that it needs is not over.
        let broken = |scheduler, threads| on(&workload, scheduler, threads).broken_dependencies;
        assert_eq!([broken(Scheduler::Methods, 1), broken(Scheduler::Methods, 2)], [Some(0), Some(1)]);
        let both = Scheduler::ClassesAndMethods;
        assert_eq!([broken(both, 1), broken(both, 2)], [Some(0), Some(2)]);
        assert_eq!([broken(Scheduler::Classes, 1), broken(Scheduler::Classes, 2)], [Some(0), Some(1)]);
    }

    #[test]
    fn nothing_takes_no_time() {
        let workload = Workload::of(Vec::new());
        for forecast in simulate(&workload, &Scheduler::ALL, &[1, 7]) {
            assert_eq!((forecast.makespan, forecast.lower_bound, forecast.tests_run), (0.0, 0.0, 0));
        }
    }

    #[test]
    fn no_schedule_beats_its_bound() {
        let suite: Vec<(TestId, f64)> = (0..200u32)
            .map(|n| (TestId::new("", &format!("C{}", n % 17), &format!("t{n}"), 1), f64::from(n * 37 % 101)))
            .collect();
        for forecast in simulate(&Workload::of(suite), &Scheduler::ALL, &[1, 2, 3, 16, 64, 1000]) {
            assert!(forecast.makespan >= forecast.lower_bound, "{forecast:?}");
        }
    }
}
