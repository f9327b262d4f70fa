use std::cell::Cell;
use std::sync::Mutex;

use super::*;
use crate::engine::{Isolation, Mode};

/// What a test does to its process.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Deed {
    Pass,
    Exit,
    /// Exits before it begins.
    ExitFirst,
    /// Exits after it ended.
    ExitAfter,
    Hang,
    Vanish,
    Unrunnable,
}

/// Processes that do as they are told, without any process.
struct Stage {
    deeds: Vec<Deed>,
    ids: Vec<TestId>,
    /// How many tests run at once where several may: all of them start together.
    started: Mutex<Vec<Vec<usize>>>,
    starts: Mutex<u32>,
    close: Option<Close>,
    orders: Mutex<u64>,
}

struct Actor {
    alive: Cell<bool>,
    /// It looks alive until it is to take up an order.
    dying: Cell<bool>,
}

impl Stage {
    fn new(deeds: &[Deed]) -> Self {
        Stage {
            deeds: deeds.to_vec(),
            ids: (0..deeds.len()).map(|n| TestId::new("", "a.B", &format!("t{n}"), 1)).collect(),
            started: Mutex::default(),
            starts: Mutex::default(),
            close: None,
            orders: Mutex::default(),
        }
    }

    fn seen(&self, test: usize, outcome: Outcome, state: State) -> ReportedExecution {
        let execution = Execution {
            test: self.ids[test].clone(),
            display: None,
            outcome,
            start: 0.0,
            seconds: 1.0,
            process: 7,
            thread: String::new(),
            message: None,
        };
        ReportedExecution { asked: Some(test), execution, root: None, state, mark: Mark::default() }
    }

    /// A test at a time, or as many as there are threads.
    fn play(&self, order: &Order<'_>) -> Account {
        let mut account = Account { seen: vec![], unrunnable: vec![], touched: vec![], close: Close::Done };
        for group in order.tests.chunks(order.manner.threads as usize) {
            let died = group.iter().any(|test| matches!(self.deeds[*test], Deed::Exit | Deed::Hang | Deed::ExitFirst));
            for &test in group {
                let state = if died { State::Open } else { State::Ended };
                match self.deeds[test] {
                    Deed::Hang => account.seen.push(self.seen(test, Outcome::Crashed, State::OverLimit)),
                    Deed::Vanish | Deed::ExitFirst => {}
                    Deed::Unrunnable => account.unrunnable.push((test, "no such method".to_owned())),
                    _ => account.seen.push(self.seen(test, Outcome::Passed, state)),
                }
            }
            if died || group.iter().any(|test| self.deeds[*test] == Deed::ExitAfter) {
                account.close = Close::Died("exit code 3".to_owned());
                return account;
            }
        }
        account
    }
}

impl Workplace for Stage {
    type Worker = Actor;

    fn start(&self, _: u32, _: Option<&Order<'_>>) -> miette::Result<Actor> {
        *self.starts.lock().unwrap() += 1;
        Ok(Actor { alive: Cell::new(true), dying: Cell::new(false) })
    }

    fn is_alive(&self, worker: &mut Actor) -> bool {
        worker.alive.get()
    }

    fn carry_out(&self, worker: &mut Actor, order: &Order<'_>) -> miette::Result<Account> {
        assert!(worker.alive.get(), "the dead take no orders");
        if worker.dying.get() {
            let close = Close::NeverBegan("exit code 11".to_owned());
            return Ok(Account { seen: vec![], unrunnable: vec![], touched: vec![], close });
        }
        self.started.lock().unwrap().push(order.tests.to_vec());
        let mut account = self.play(order);
        if let Some(close) = &self.close {
            account.close = close.clone();
        }
        worker.alive.set(account.close == Close::Done);
        Ok(account)
    }

    fn pause(&self, _: &mut Actor) -> Closing {
        Closing::default()
    }

    fn end(&self, _: Actor) -> miette::Result<Closing> {
        let cost = Cost { user_seconds: 1.0, peak_memory_bytes: Some(10), ..Cost::default() };
        Ok(Closing { cost, findings: vec![] })
    }

    fn test(&self, position: usize) -> &TestId {
        &self.ids[position]
    }

    fn next_order(&self) -> u64 {
        let mut orders = self.orders.lock().unwrap();
        *orders += 1;
        *orders
    }
}

fn staffing(threads: u32, forks: usize, reuse: bool) -> Staffing {
    let mode = if threads > 1 { Mode::ClassesAndMethods } else { Mode::Sequential };
    let manner = Manner { mode, threads, limit: None, isolation: Isolation::Fresh };
    Staffing { forks, reuse, stay: false, manner }
}

fn one_job(stage: &Stage, threads: u32) -> WorkerResults {
    let tests = (0..stage.deeds.len()).collect();
    run(stage, staffing(threads, 1, true), vec![tests], &mut Vec::new()).unwrap()
}

fn outcomes(haul: &WorkerResults) -> Vec<(usize, &'static str)> {
    let mut found: Vec<_> = haul.seen.iter().map(|seen| (seen.asked.unwrap(), seen.execution.outcome.name())).collect();
    found.sort_unstable();
    found
}

const OK: &str = "passed";

#[test]
fn a_test_that_ends_its_process_costs_only_itself() {
    let stage = Stage::new(&[Deed::Pass, Deed::Exit, Deed::Pass, Deed::Hang, Deed::Pass]);
    let haul = one_job(&stage, 1);
    assert_eq!(outcomes(&haul), [(0, OK), (1, "crashed"), (2, OK), (3, "timed_out"), (4, OK)]);
    assert_eq!(*stage.started.lock().unwrap(), [vec![0, 1, 2, 3, 4], vec![2, 3, 4], vec![4]]);
    let texts: Vec<_> = haul.findings.iter().map(|finding| finding.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "a process died in a.B#t1 (exit code 3); the other tests continued in a new one",
            "a.B#t3 took too long, and its process was ended; the other tests continued in a new one",
        ]
    );
    assert_eq!((haul.end, haul.cost.user_seconds, haul.cost.peak_memory_bytes), (None, 3.0, Some(10)));
}

#[test]
fn with_several_threads_the_culprit_is_found_one_by_one() {
    let stage = Stage::new(&[Deed::Pass, Deed::Pass, Deed::Exit, Deed::Pass, Deed::Pass]);
    let haul = one_job(&stage, 2);
    assert_eq!(outcomes(&haul), [(0, OK), (1, OK), (2, "crashed"), (3, OK), (4, OK)]);
    // The interrupted two alone, and then the rest together.
    assert_eq!(*stage.started.lock().unwrap(), [vec![0, 1, 2, 3, 4], vec![2], vec![3], vec![4]]);
    let texts: Vec<_> = haul.findings.iter().map(|finding| finding.text.as_str()).collect();
    assert!(texts[0].contains("caused by one of: a.B#t2, a.B#t3; they were rerun one by one"), "{texts:?}");
    assert_eq!(texts[1], "a process died in a.B#t2 (exit code 3)");
}

#[test]
fn with_several_threads_a_hanging_test_is_known_and_its_neighbour_runs_again() {
    let stage = Stage::new(&[Deed::Hang, Deed::Pass, Deed::Pass]);
    let haul = one_job(&stage, 2);
    assert_eq!(outcomes(&haul), [(0, "timed_out"), (1, OK), (2, OK)]);
    assert_eq!(*stage.started.lock().unwrap(), [vec![0, 1, 2], vec![1, 2]]);
}

#[test]
fn what_ends_the_process_before_a_test_begins_is_laid_on_that_test() {
    for threads in [1, 2] {
        let stage = Stage::new(&[Deed::ExitFirst, Deed::ExitFirst, Deed::Pass]);
        let haul = one_job(&stage, threads);
        assert_eq!(outcomes(&haul), [(0, "crashed"), (1, "crashed"), (2, OK)], "{threads}");
    }
}

#[test]
fn a_process_that_dies_between_tests_is_replaced() {
    let stage = Stage::new(&[Deed::ExitAfter, Deed::Pass]);
    let haul = one_job(&stage, 1);
    assert_eq!(outcomes(&haul), [(0, OK), (1, OK)]);
    assert!(haul.findings[0].text.starts_with("a process died while no test was running"));
}

#[test]
fn what_is_lost_stays_lost_and_what_cannot_run_says_why() {
    let stage = Stage::new(&[Deed::Vanish, Deed::Unrunnable, Deed::Pass]);
    let haul = one_job(&stage, 1);
    assert_eq!(outcomes(&haul), [(2, OK)]);
    assert_eq!(haul.unrunnable, [(1, "no such method".to_owned())]);
    assert_eq!(*stage.starts.lock().unwrap(), 1);
}

#[test]
fn every_process_takes_the_next_job_and_each_test_runs_once() {
    let stage = Stage::new(&[Deed::Pass; 30]);
    let jobs: Vec<Vec<usize>> = (0..10).map(|job| (job * 3..job * 3 + 3).collect()).collect();
    let haul = run(&stage, staffing(1, 3, true), jobs.clone(), &mut Vec::new()).unwrap();
    assert_eq!(outcomes(&haul), (0..30).map(|test| (test, OK)).collect::<Vec<_>>());
    assert!(*stage.starts.lock().unwrap() <= 3);
    let alone = Stage::new(&[Deed::Pass; 30]);
    run(&alone, staffing(1, 1, false), jobs, &mut Vec::new()).unwrap();
    assert_eq!(*alone.starts.lock().unwrap(), 10, "a process for every job");
}

#[test]
fn when_the_time_is_up_nothing_more_is_begun() {
    let mut stage = Stage::new(&[Deed::Exit, Deed::Pass]);
    stage.close = Some(Close::OutOfTime);
    let haul = run(&stage, staffing(1, 1, true), vec![vec![0], vec![1]], &mut Vec::new()).unwrap();
    assert_eq!((haul.end.clone(), outcomes(&haul)), (Some(RunEnd::TimedOut), vec![(0, "timed_out")]));
    stage.close = Some(Close::Interrupted);
    let haul = one_job(&stage, 1);
    assert_eq!((haul.end.clone(), outcomes(&haul)), (Some(RunEnd::Interrupted), vec![]));
}

#[test]
fn a_process_that_cannot_start_ends_the_run() {
    let mut stage = Stage::new(&[Deed::Vanish, Deed::Vanish]);
    stage.close = Some(Close::NeverBegan("exit code 1: Unrecognized option".to_owned()));
    let haul = one_job(&stage, 1);
    assert!(matches!(haul.end, Some(RunEnd::Crashed(why)) if why.contains("Unrecognized option")));
    assert_eq!(*stage.starts.lock().unwrap(), 1);
}

#[test]
fn processes_that_stay_serve_the_next_run_and_are_replaced_when_dead() {
    let stage = Stage::new(&[Deed::Pass; 2]);
    let stay = Staffing { stay: true, ..staffing(1, 1, true) };
    let mut idle = Vec::new();
    for _ in 0..2 {
        let haul = run(&stage, stay, vec![vec![0, 1]], &mut idle).unwrap();
        assert_eq!((haul.seen.len(), haul.findings.len(), idle.len()), (2, 0, 1));
    }
    assert_eq!(*stage.starts.lock().unwrap(), 1);
    idle[0].alive.set(false);
    let haul = run(&stage, stay, vec![vec![0, 1]], &mut idle).unwrap();
    assert_eq!((haul.seen.len(), haul.findings.len(), *stage.starts.lock().unwrap()), (2, 1, 2));
}

#[test]
fn a_process_that_stayed_and_dies_over_its_next_order_is_replaced() {
    let stage = Stage::new(&[Deed::Pass; 2]);
    let stay = Staffing { stay: true, ..staffing(1, 1, true) };
    let mut idle = Vec::new();
    run(&stage, stay, vec![vec![0, 1]], &mut idle).unwrap();
    idle[0].dying.set(true);
    let haul = run(&stage, stay, vec![vec![0, 1]], &mut idle).unwrap();
    assert_eq!((haul.end, haul.seen.len(), haul.findings.len()), (None, 2, 1));
    assert_eq!(*stage.starts.lock().unwrap(), 2);
}
