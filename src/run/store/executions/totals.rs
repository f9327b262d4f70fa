//! What the rows of one trial add up to, stage by stage. Pure; it knows no file.
//!
//! Failures after a stage are counted as the technique counts them while it runs: a test's last execution counts, set-aside tests do
//! not, and the failure of a class fixture stands until a later stage runs its class, or one nested in it, again. What failed on one
//! machine, another one does not repair.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use super::keys::TestKey;
use crate::suite::{Concurrency, Outcome, Tally};

/// One trial's rows, added up.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrialTotals {
    pub trial: String,
    /// Different tests, in all stages together.
    pub tests: usize,
    /// Each test's last outcome; set-aside tests are left out. Tests that have no row at all are not in it.
    pub tally: Tally,
    pub stages: Vec<StageTotals>,
}

/// One stage's rows, added up.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StageTotals {
    pub stage: u32,
    pub executions: usize,
    /// Different tests in this stage.
    pub tests: usize,
    /// Outcomes of the executions; set-aside tests are left out.
    pub tally: Tally,
    /// Failures that remain once the stage is over.
    pub failures_after: usize,
    /// Those of them whose test also failed in a trial of the baseline on as many cores.
    pub baseline_failures_after: usize,
    /// Seconds since the stage began.
    pub first_start: f64,
    pub last_end: f64,
    /// Of all executions.
    pub seconds: f64,
    pub median_seconds: f64,
    pub concurrency: Concurrency,
}

impl StageTotals {
    /// From the first start to the last end, as [`crate::suite::SuiteRun::test_seconds`] has it.
    pub fn test_seconds(&self) -> f64 {
        (self.last_end - self.first_start).max(0.0)
    }
}

impl TrialTotals {
    /// Summed over the stages, which follow each other.
    pub fn test_seconds(&self) -> f64 {
        self.stages.iter().map(StageTotals::test_seconds).sum()
    }
}

/// An execution, as far as the totals look at it.
#[derive(Debug, Clone, Copy)]
pub struct Execution {
    pub key: TestKey,
    /// Of its module and class.
    pub class: u64,
    pub start: f64,
    pub seconds: f64,
    pub stage: u32,
    pub outcome: Outcome,
    /// It stands for a class rather than for one of its tests.
    pub is_whole_class: bool,
    /// In 16 bits, which take no room of their own.
    pub machine: u16,
}

/// The keys of tests whose failures are counted in another way; see [`super::pass::MarkedTests`].
#[derive(Clone, Copy)]
pub struct MarkedKeys<'a> {
    pub set_aside: &'a HashSet<TestKey>,
    pub failed_in_baseline: &'a HashSet<TestKey>,
}

/// The executions of one trial as they come.
#[derive(Debug, Default)]
pub struct TrialRows {
    pub trial: String,
    pub rows: Vec<Execution>,
    /// The classes that a nested class is in.
    pub outer: HashMap<u64, Vec<u64>>,
}

/// Where a test stands.
struct Standing {
    key: TestKey,
    class: u64,
    stage: u32,
    /// Nothing for set-aside tests, and for fixtures whose class ran again.
    outcome: Option<Outcome>,
    is_whole_class: bool,
    /// Of the execution that counts.
    machine: u16,
}

impl Standing {
    /// What fails or is lost on one machine, no other repairs.
    fn outweighs(&self, row: &Execution) -> bool {
        let gravity = |outcome: Outcome| u8::from(outcome == Outcome::NotRun) + 2 * u8::from(outcome.is_failure());
        self.machine != row.machine && self.outcome.is_some_and(|outcome| gravity(outcome) > gravity(row.outcome))
    }
}

/// Adds up one trial after the other, in the same memory.
#[derive(Default)]
pub struct Adder {
    tests: Vec<Standing>,
    /// Places in `tests` plus one, by hash; zero is free.
    slots: Vec<u32>,
    failing: usize,
    /// Failed fixtures among the tests, also those that no longer fail.
    fixtures: Vec<usize>,
    seconds: Vec<f64>,
}

impl Adder {
    pub fn add_up(&mut self, trial: &mut TrialRows, marked: MarkedKeys<'_>) -> TrialTotals {
        self.begin(trial.rows.len());
        if !trial.rows.is_sorted_by_key(|row| row.stage) {
            trial.rows.sort_by_key(|row| row.stage);
        }
        let by_stage = trial.rows.chunk_by(|a, b| a.stage == b.stage);
        let stages = by_stage.map(|rows| self.stage(rows, &trial.outer, marked)).collect();
        TrialTotals {
            trial: std::mem::take(&mut trial.trial),
            tests: self.tests.len(),
            tally: Tally::of(self.tests.iter().filter_map(|test| test.outcome)),
            stages,
        }
    }

    fn begin(&mut self, rows: usize) {
        self.tests.clear();
        self.fixtures.clear();
        self.failing = 0;
        self.slots.clear();
        self.slots.resize((rows * 2).next_power_of_two().max(2), 0);
    }

    fn stage(&mut self, rows: &[Execution], outer: &HashMap<u64, Vec<u64>>, marked: MarkedKeys<'_>) -> StageTotals {
        self.forget_repaired_fixtures(rows, outer);
        let (mut tests, mut counts) = (0, [0; 7]);
        for row in rows {
            let place = self.place(row);
            let test = &mut self.tests[place];
            tests += usize::from(test.stage != row.stage);
            test.stage = row.stage;
            if !marked.set_aside.is_empty() && marked.set_aside.contains(&row.key) {
                continue;
            }
            counts[row.outcome as usize] += 1;
            if test.outweighs(row) {
                continue;
            }
            test.machine = row.machine;
            self.failing -= usize::from(test.outcome.is_some_and(Outcome::is_failure));
            self.failing += usize::from(row.outcome.is_failure());
            test.outcome = Some(row.outcome);
            if row.is_whole_class && row.outcome.is_failure() {
                self.fixtures.push(place);
            }
        }
        StageTotals {
            tests,
            tally: tally(counts),
            failures_after: self.failing,
            baseline_failures_after: self.failing_among(marked.failed_in_baseline),
            ..self.times(rows)
        }
    }

    fn failing_among(&self, chosen: &HashSet<TestKey>) -> usize {
        if chosen.is_empty() || self.failing == 0 {
            return 0;
        }
        let failing = self.tests.iter().filter(|test| test.outcome.is_some_and(Outcome::is_failure));
        failing.filter(|test| chosen.contains(&test.key)).count()
    }

    /// The place of the row's test, which is new or known.
    fn place(&mut self, row: &Execution) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = row.key.0 as usize & mask;
        loop {
            match self.slots[slot] {
                0 => break,
                taken if self.tests[taken as usize - 1].key == row.key => return taken as usize - 1,
                _ => slot = (slot + 1) & mask,
            }
        }
        self.tests.push(Standing {
            key: row.key,
            class: row.class,
            stage: !row.stage,
            outcome: None,
            is_whole_class: row.is_whole_class,
            machine: row.machine,
        });
        self.slots[slot] = self.tests.len() as u32;
        self.tests.len() - 1
    }

    fn forget_repaired_fixtures(&mut self, rows: &[Execution], outer: &HashMap<u64, Vec<u64>>) {
        if self.fixtures.is_empty() {
            return;
        }
        let ran = rows.iter().filter(|row| row.outcome != Outcome::NotRun).map(|row| row.class);
        let ran: HashSet<u64> = ran.collect();
        let around: HashSet<u64> =
            ran.iter().flat_map(|class| outer.get(class).into_iter().flatten()).copied().collect();
        let machine = rows.first().map_or(1, |row| row.machine);
        for place in std::mem::take(&mut self.fixtures) {
            let test = &mut self.tests[place];
            let fails = test.is_whole_class && test.outcome.is_some_and(Outcome::is_failure);
            if fails && test.machine == machine && (ran.contains(&test.class) || around.contains(&test.class)) {
                test.outcome = None;
                self.failing -= 1;
            } else if fails {
                self.fixtures.push(place);
            }
        }
    }

    /// Everything but the counts.
    fn times(&mut self, rows: &[Execution]) -> StageTotals {
        StageTotals {
            stage: rows.first().map_or(0, |row| row.stage),
            executions: rows.len(),
            tests: 0,
            tally: Tally::default(),
            failures_after: 0,
            baseline_failures_after: 0,
            first_start: rows.iter().map(|row| row.start).fold(f64::INFINITY, f64::min),
            last_end: rows.iter().map(|row| row.start + row.seconds).fold(0.0, f64::max),
            seconds: rows.iter().map(|row| row.seconds).sum(),
            median_seconds: self.median(rows),
            concurrency: Concurrency::of_spans(rows.iter().map(|row| (row.outcome, row.start, row.seconds))),
        }
    }

    fn median(&mut self, rows: &[Execution]) -> f64 {
        self.seconds.clear();
        self.seconds.extend(rows.iter().map(|row| row.seconds));
        let middle = rows.len() / 2;
        if middle >= self.seconds.len() {
            return f64::NAN;
        }
        let (below, upper, _) = self.seconds.select_nth_unstable_by(middle, f64::total_cmp);
        if rows.len() % 2 == 1 {
            return *upper;
        }
        let lower = below.iter().copied().max_by(f64::total_cmp).unwrap_or(*upper);
        f64::midpoint(lower, *upper)
    }
}

/// In the order in which [`Outcome`] declares them.
fn tally(counts: [usize; 7]) -> Tally {
    let [passed, failed, errors, skipped, timed_out, crashed, not_run] = counts;
    Tally { passed, failed, errors, skipped, timed_out, crashed, not_run }
}
