//! Which test runs where and when, in virtual time.
//!
//! The lanes of a process are its threads. As in Surefire, one process takes classes as its mode says, and several processes
//! take one class at a time from a common queue. No more tests run at once than there are cores: a model's seconds are
//! work, not waiting.

use std::collections::VecDeque;

use super::suite::{FailsBy, ModelSuite};
use crate::engine::{Mode, Parallelism};
use crate::suite::{ClassId, Outcome};

/// One test in its place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Slot {
    pub test: usize,
    /// From 1 on.
    pub process: u32,
    /// Counts the process's fresh starts: state does not outlive one.
    life: u32,
    pub lane: u32,
    pub start: f64,
    pub end: f64,
    /// Set when it did not come to its own end.
    pub cut: Option<Outcome>,
    /// Does its process end with it?
    exits: bool,
    /// Drawn for its chance to fail, from 0 to 1.
    pub coin: f64,
}

/// What a schedule is made for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Machine {
    pub parallelism: Parallelism,
    pub cores: usize,
    /// Seconds after which everything is cut.
    pub limit: f64,
}

#[derive(Debug, Default)]
pub(super) struct Schedule {
    pub slots: Vec<Slot>,
    pub end: f64,
    pub timed_out: bool,
}

impl Schedule {
    /// `coin` is called once for every test that starts.
    pub(super) fn of(
        suite: &ModelSuite,
        selected: &[usize],
        machine: Machine,
        coin: &mut dyn FnMut() -> f64,
    ) -> Schedule {
        let mut simulation = Simulation::new(suite, selected, machine, coin);
        simulation.run(machine.limit);
        Schedule { end: simulation.now, timed_out: simulation.timed_out, slots: simulation.slots }
    }

    /// What finished in the same life of the same process before this one began, in order of its end.
    pub(super) fn finished_before(&self, slot: &Slot) -> impl Iterator<Item = &Slot> {
        let (process, life, start, test) = (slot.process, slot.life, slot.start, slot.test);
        let mut earlier: Vec<&Slot> = self
            .slots
            .iter()
            // Tests that take no time start and end at once; what stands behind has not run yet.
            .take_while(|other| !std::ptr::eq(*other, slot))
            .filter(|other| other.process == process && other.life == life)
            .filter(|other| other.cut.is_none() && other.end <= start && other.test != test)
            .collect();
        earlier.sort_by(|a, b| a.end.total_cmp(&b.end));
        earlier.into_iter()
    }

    pub(super) fn overlapping<'a>(&'a self, slot: &'a Slot) -> impl Iterator<Item = &'a Slot> {
        let same = |other: &&Slot| other.process == slot.process && other.test != slot.test;
        self.slots.iter().filter(same).filter(|other| other.start < slot.end && slot.start < other.end)
    }
}

/// A class's tests that are yet to start.
type Class = VecDeque<usize>;

struct Simulation<'a> {
    suite: &'a ModelSuite,
    queue: VecDeque<Class>,
    processes: Vec<Process>,
    width: Width,
    cores: usize,
    now: f64,
    timed_out: bool,
    slots: Vec<Slot>,
    coin: &'a mut dyn FnMut() -> f64,
}

/// How a process takes its work.
#[derive(Clone, Copy)]
struct Width {
    lanes: usize,
    /// May tests of one class overlap?
    methods: bool,
    /// May classes overlap inside a process?
    classes: bool,
    reuse: bool,
}

#[derive(Default)]
struct Process {
    dead: bool,
    life: u32,
    /// Classes that are under way here, each with the lane that owns it where lanes own classes.
    open: Vec<(Option<usize>, Class)>,
    /// Indices into the slots, by lane.
    running: Vec<Option<usize>>,
}

impl<'a> Simulation<'a> {
    fn new(suite: &'a ModelSuite, selected: &[usize], machine: Machine, coin: &'a mut dyn FnMut() -> f64) -> Self {
        let Machine { parallelism, cores, .. } = machine;
        let sequential = matches!(parallelism.mode, Mode::Sequential | Mode::Project);
        let forks = if sequential { 1 } else { parallelism.forks.on(cores) as usize };
        let threads = parallelism.threads as usize * if parallelism.threads_per_core { cores } else { 1 };
        let methods = matches!(parallelism.mode, Mode::Methods | Mode::ClassesAndMethods);
        let classes = forks == 1 && matches!(parallelism.mode, Mode::Classes | Mode::ClassesAndMethods);
        let lanes = if sequential || !(methods || classes) { 1 } else { threads.max(1) };
        let process = || Process { running: vec![None; lanes], ..Process::default() };
        Simulation {
            suite,
            queue: by_class(suite, selected),
            processes: (0..forks).map(|_| process()).collect(),
            width: Width { lanes, methods, classes, reuse: parallelism.reuse_forks },
            cores: cores.max(1),
            now: 0.0,
            timed_out: false,
            slots: Vec::new(),
            coin,
        }
    }

    fn run(&mut self, limit: f64) {
        loop {
            self.start_what_can();
            match self.next_event() {
                Some(time) if time > limit => return self.cut_all(limit),
                Some(time) => self.now = time,
                None if self.is_idle() => return,
                None => return self.cut_all(limit),
            }
            self.finish_what_ends();
        }
    }

    fn is_idle(&self) -> bool {
        self.processes.iter().all(|process| process.running.iter().all(Option::is_none))
    }

    fn start_what_can(&mut self) {
        for process in 0..self.processes.len() {
            for lane in 0..self.width.lanes {
                let running = self.processes.iter().flat_map(|p| &p.running).flatten().count();
                let free = !self.processes[process].dead && self.processes[process].running[lane].is_none();
                if free
                    && running < self.cores
                    && let Some(test) = self.next_test(process, lane)
                {
                    self.start(process, lane, test);
                }
            }
        }
    }

    fn next_test(&mut self, process: usize, lane: usize) -> Option<usize> {
        let width = self.width;
        let owner = (!width.methods).then_some(lane);
        let here = &mut self.processes[process];
        let busy = here.running.iter().any(Option::is_some);
        here.open.retain(|(own, class)| !class.is_empty() || own.is_some_and(|own| own != lane));
        if let Some((_, class)) = here.open.iter_mut().find(|(own, class)| *own == owner && !class.is_empty()) {
            return class.pop_front();
        }
        // Without concurrent classes the next one begins only when the last test of this one is over.
        if !width.classes && busy {
            return None;
        }
        let mut class = self.queue.pop_front()?;
        if !width.reuse {
            here.life += 1;
        }
        let first = class.pop_front();
        here.open.push((owner, class));
        first
    }

    fn start(&mut self, process: usize, lane: usize, test: usize) {
        let model = &self.suite.tests[test];
        let coin = (self.coin)();
        let is_broken =
            model.fails_by.is_some() && (coin < model.flaky || self.suite.is_broken(test, &self.finished_in(process)));
        let end = if model.hangs_after.is_some() {
            f64::INFINITY
        } else {
            self.now + model.exits_after.unwrap_or(model.seconds)
        };
        let started = self.slots.len();
        let (life, number) = (self.processes[process].life, process as u32 + 1);
        let exits = model.exits_after.is_some();
        self.slots.push(Slot {
            test,
            process: number,
            life,
            lane: lane as u32 + 1,
            start: self.now,
            end,
            cut: None,
            exits,
            coin,
        });
        if is_broken {
            self.break_down(started);
        }
        self.race(process, started);
        self.processes[process].running[lane] = Some(started);
    }

    /// A test that starts may race with those that are running in its process, and they with it.
    fn race(&mut self, process: usize, started: usize) {
        let running: Vec<usize> = self.processes[process].running.iter().flatten().copied().collect();
        for other in running {
            let (new, old) = (&self.slots[started], &self.slots[other]);
            if old.start < new.end && new.start < old.end {
                self.break_by_race(started, other);
                self.break_by_race(other, started);
            }
        }
    }

    fn break_by_race(&mut self, slot: usize, other: usize) {
        let id = &self.suite.tests[self.slots[other].test].id;
        if self.suite.tests[self.slots[slot].test].races_with.contains(id) {
            self.break_down(slot);
        }
    }

    /// What a test that fails does to its process, where it does not just fail.
    fn break_down(&mut self, slot: usize) {
        let slot = &mut self.slots[slot];
        match self.suite.tests[slot.test].fails_by {
            Some(FailsBy::Hanging) => slot.end = f64::INFINITY,
            Some(FailsBy::Exiting) => slot.exits = true,
            None => {}
        }
    }

    /// What has run in the present life of a process, in order of its end.
    fn finished_in(&self, process: usize) -> Vec<usize> {
        let (number, life) = (process as u32 + 1, self.processes[process].life);
        let here = |slot: &&Slot| slot.process == number && slot.life == life && slot.cut.is_none();
        let mut finished: Vec<&Slot> = self.slots.iter().filter(here).filter(|slot| slot.end <= self.now).collect();
        finished.sort_by(|a, b| a.end.total_cmp(&b.end));
        finished.into_iter().map(|slot| slot.test).collect()
    }

    fn next_event(&self) -> Option<f64> {
        let running = self.processes.iter().flat_map(|process| &process.running).flatten();
        running.map(|slot| self.slots[*slot].end).filter(|end| end.is_finite()).min_by(f64::total_cmp)
    }

    fn finish_what_ends(&mut self) {
        for process in 0..self.processes.len() {
            for lane in 0..self.width.lanes {
                let Some(slot) = self.processes[process].running[lane] else { continue };
                if self.slots[slot].end <= self.now {
                    self.processes[process].running[lane] = None;
                    if self.slots[slot].exits {
                        self.slots[slot].cut = Some(Outcome::Crashed);
                        self.kill(process, Outcome::Crashed);
                    }
                }
            }
        }
    }

    /// The process ends with all that runs in it; its open classes are lost.
    fn kill(&mut self, process: usize, outcome: Outcome) {
        let here = &mut self.processes[process];
        here.dead = true;
        here.open.clear();
        for slot in here.running.iter_mut().filter_map(Option::take) {
            self.slots[slot].end = self.now;
            self.slots[slot].cut = Some(outcome);
        }
    }

    fn cut_all(&mut self, limit: f64) {
        self.now = limit.max(self.now);
        self.timed_out = true;
        (0..self.processes.len()).for_each(|process| self.kill(process, Outcome::TimedOut));
    }
}

/// Consecutive tests of one class belong together; a class that is entered again is a new one.
fn by_class(suite: &ModelSuite, selected: &[usize]) -> VecDeque<Class> {
    let mut classes: VecDeque<(ClassId, Class)> = VecDeque::new();
    for test in selected {
        let id = suite.tests[*test].id.class_id();
        match classes.back_mut() {
            Some((class, tests)) if *class == id => tests.push_back(*test),
            _ => classes.push_back((id, VecDeque::from([*test]))),
        }
    }
    classes.into_iter().map(|(_, class)| class).collect()
}
