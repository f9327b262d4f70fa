//! One pass over a file of executions: every trial, added up.
//!
//! The rows of a trial lie together in the merged file, so one trial per thread is in memory at a time, and nothing of it is kept
//! but its totals. That they lie together is not taken for granted: a trial that is met a second time is read once more, with all of
//! its rows gathered from wherever they are.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::Fault;
use super::column::Names;
use super::keys::{Hashes, TestKey, Tests};
use super::source::{ExecutionFile, Group};
use super::totals::{Adder, Execution, MarkedKeys, TrialRows, TrialTotals};
use crate::suite::{Outcome, TestId};

/// More threads than this only take memory.
const MOST_THREADS: usize = 8;

/// Tests by trial.
pub type TestsOfTrials<'a> = HashMap<&'a str, &'a HashSet<TestId>>;

/// Tests whose failures are counted in another way.
#[derive(Default)]
pub struct MarkedTests<'a> {
    /// They do not count at all.
    pub set_aside: TestsOfTrials<'a>,
    /// They failed in a trial of the baseline on as many cores. Their failures count, and are also counted apart.
    pub failed_in_baseline: TestsOfTrials<'a>,
}

/// Adds up every trial of a file, in the order in which they begin.
pub fn totals(file: &ExecutionFile, marked: &MarkedTests<'_>) -> miette::Result<Vec<TrialTotals>> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
    by_threads(file, marked, threads)
}

pub(super) fn by_threads(
    file: &ExecutionFile,
    marked: &MarkedTests<'_>,
    threads: usize,
) -> miette::Result<Vec<TrialTotals>> {
    let reading = Reading::new(file, marked);
    let parts = parts(&file.group_sizes(), threads);
    let read: Vec<miette::Result<Part>> = std::thread::scope(|scope| {
        let readers: Vec<_> = parts.into_iter().map(|groups| scope.spawn(|| reading.part(groups))).collect();
        readers.into_iter().map(|reader| reader.join().unwrap_or_else(|_| Err(broke_down()))).collect()
    });
    let totals = reading.joined(read.into_iter().collect::<miette::Result<_>>()?);
    let scattered = repeated(&totals);
    if scattered.is_empty() { Ok(totals) } else { reading.again(totals, &scattered) }
}

fn broke_down() -> miette::Report {
    miette::miette!("a thread that reads executions failed")
}

/// Row groups that lie together, as many rows for each thread.
fn parts(sizes: &[usize], threads: usize) -> Vec<Range<usize>> {
    let share = sizes.iter().sum::<usize>().div_ceil(threads).max(1);
    let (mut parts, mut begin, mut rows) = (Vec::new(), 0, 0);
    for (group, size) in sizes.iter().enumerate() {
        rows += size;
        if rows >= share || group + 1 == sizes.len() {
            parts.push(begin..group + 1);
            (begin, rows) = (group + 1, 0);
        }
    }
    parts
}

fn repeated(totals: &[TrialTotals]) -> HashSet<String> {
    let mut seen = HashSet::new();
    totals.iter().filter(|trial| !seen.insert(trial.trial.as_str())).map(|trial| trial.trial.clone()).collect()
}

/// What a thread found: its first and its last trial may go on in the parts beside it.
#[derive(Default)]
struct Part {
    first: Option<TrialRows>,
    between: Vec<TrialTotals>,
    last: Option<TrialRows>,
}

/// What all threads need to know.
struct Reading<'a> {
    file: &'a ExecutionFile,
    hashes: Hashes,
    set_aside: HashMap<&'a str, HashSet<TestKey>>,
    failed_in_baseline: HashMap<&'a str, HashSet<TestKey>>,
    nothing: HashSet<TestKey>,
}

impl<'a> Reading<'a> {
    fn new(file: &'a ExecutionFile, marked: &MarkedTests<'a>) -> Self {
        let hashes = Hashes::new();
        let set_aside = by_keys(&marked.set_aside, &hashes);
        let failed_in_baseline = by_keys(&marked.failed_in_baseline, &hashes);
        Reading { file, hashes, set_aside, failed_in_baseline, nothing: HashSet::new() }
    }

    fn part(&self, groups: Range<usize>) -> miette::Result<Part> {
        let (mut part, mut adder) = (Part::default(), Adder::default());
        for group in groups {
            self.file.read(group, |group| {
                let columns = Columns::read(group, &self.hashes)?;
                for (trial, rows) in columns.by_trial() {
                    if part.last.as_ref().is_none_or(|open| open.trial != trial) {
                        self.begin(&mut part, trial, &mut adder);
                    }
                    if let Some(open) = &mut part.last {
                        columns.append(rows, &self.hashes, open);
                    }
                }
                Ok(())
            })?;
        }
        Ok(part)
    }

    /// Another trial begins; the one before is done.
    fn begin(&self, part: &mut Part, trial: &str, adder: &mut Adder) {
        let mut next = TrialRows { trial: trial.to_owned(), ..TrialRows::default() };
        match part.last.take() {
            None => {}
            Some(whole) if part.first.is_none() => part.first = Some(whole),
            Some(mut whole) => {
                part.between.push(self.add_up(&mut whole, adder));
                (next.rows, next.outer) = (whole.rows, whole.outer);
                next.rows.clear();
                next.outer.clear();
            }
        }
        part.last = Some(next);
    }

    fn add_up(&self, trial: &mut TrialRows, adder: &mut Adder) -> TrialTotals {
        let name = trial.trial.as_str();
        let marked = MarkedKeys {
            set_aside: self.set_aside.get(name).unwrap_or(&self.nothing),
            failed_in_baseline: self.failed_in_baseline.get(name).unwrap_or(&self.nothing),
        };
        adder.add_up(trial, marked)
    }

    /// The trials of all parts; one that was cut by the border of two is whole again.
    fn joined(&self, parts: Vec<Part>) -> Vec<TrialTotals> {
        let mut join = Join { reading: self, adder: Adder::default(), open: None, totals: Vec::new() };
        for part in parts {
            part.first.into_iter().for_each(|first| join.go_on(first));
            if !part.between.is_empty() {
                join.end();
                join.totals.extend(part.between);
            }
            part.last.into_iter().for_each(|last| join.go_on(last));
        }
        join.end();
        join.totals
    }

    /// Reads scattered trials once more, each as a whole, and puts them where they began.
    fn again(&self, totals: Vec<TrialTotals>, scattered: &HashSet<String>) -> miette::Result<Vec<TrialTotals>> {
        let mut gathered: HashMap<&str, TrialRows> = HashMap::new();
        for group in 0..self.file.group_sizes().len() {
            self.file.read(group, |group| {
                let columns = Columns::read(group, &self.hashes)?;
                for (trial, rows) in columns.by_trial() {
                    if let Some(name) = scattered.get(trial) {
                        columns.append(rows, &self.hashes, gathered.entry(name).or_default());
                    }
                }
                Ok(())
            })?;
        }
        let mut adder = Adder::default();
        let whole = |part: TrialTotals| {
            if !scattered.contains(&part.trial) {
                return Some(part);
            }
            let mut rows = gathered.remove(part.trial.as_str())?;
            rows.trial = part.trial;
            Some(self.add_up(&mut rows, &mut adder))
        };
        Ok(totals.into_iter().filter_map(whole).collect())
    }
}

fn by_keys<'a>(tests: &TestsOfTrials<'a>, hashes: &Hashes) -> HashMap<&'a str, HashSet<TestKey>> {
    tests.iter().map(|(trial, tests)| (*trial, tests.iter().map(|test| hashes.of(test)).collect())).collect()
}

/// Trials whose rows come in pieces.
struct Join<'r, 'a> {
    reading: &'r Reading<'a>,
    adder: Adder,
    open: Option<TrialRows>,
    totals: Vec<TrialTotals>,
}

impl Join<'_, '_> {
    fn go_on(&mut self, piece: TrialRows) {
        match &mut self.open {
            Some(open) if open.trial == piece.trial => {
                open.rows.extend(piece.rows);
                open.outer.extend(piece.outer);
            }
            _ => {
                self.end();
                self.open = Some(piece);
            }
        }
    }

    fn end(&mut self) {
        if let Some(mut whole) = self.open.take() {
            self.totals.push(self.reading.add_up(&mut whole, &mut self.adder));
        }
    }
}

/// The columns of a row group that totals are made of.
struct Columns {
    trial: Names,
    tests: Tests,
    outcome: Vec<u32>,
    /// By word.
    outcomes: Vec<Outcome>,
    stage: Vec<u32>,
    machine: Vec<u32>,
    start: Vec<f64>,
    seconds: Vec<f64>,
}

impl Columns {
    fn read(group: &Group<'_>, hashes: &Hashes) -> Result<Self, Fault> {
        let outcome = group.names("outcome")?;
        Ok(Columns {
            trial: group.names("trial")?,
            tests: Tests::read(group, hashes)?,
            outcomes: outcome.words().map(super::outcome).collect::<Result<_, _>>()?,
            outcome: outcome.codes,
            stage: group.counts("stage")?,
            machine: group.counts("machine")?,
            start: group.seconds("start")?,
            seconds: group.seconds("seconds")?,
        })
    }

    /// The rows of each trial, as long as they lie together.
    fn by_trial(&self) -> impl Iterator<Item = (&str, Range<usize>)> {
        let mut end = 0;
        self.trial.codes.chunk_by(|a, b| a == b).map(move |run| {
            let begin = end;
            end += run.len();
            (self.trial.of_row(begin), begin..end)
        })
    }

    fn append(&self, rows: Range<usize>, hashes: &Hashes, trial: &mut TrialRows) {
        let mut before = None;
        trial.rows.reserve(rows.len());
        for row in rows {
            let class = self.tests.class_key(row);
            if self.tests.is_nested(row) && before != Some(class) {
                before = Some(class);
                trial.outer.entry(class).or_insert_with(|| self.tests.outer_classes(row, hashes));
            }
            trial.rows.push(Execution {
                key: self.tests.key(row, hashes),
                class,
                start: self.start[row],
                seconds: self.seconds[row],
                stage: self.stage[row],
                outcome: self.outcomes[self.outcome[row] as usize],
                is_whole_class: self.tests.is_whole_class(row),
                machine: u16::try_from(self.machine[row]).unwrap_or(u16::MAX),
            });
        }
    }
}
