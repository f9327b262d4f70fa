//! Executions of single trials, for figures: bounded, whatever the trial.

use std::path::PathBuf;

use super::Fault;
use super::column::Names;
use super::keys::{ByTest, Hashes, Tests};
use super::source::{ExecutionFile, Group};
use crate::store::RunFolder;
use crate::store::record::ExecutionRow;
use crate::suite::{Execution, Outcome, TestId};

/// Executions of one trial, in the order of the file: by stage, then by start. Messages and display names are left out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TrialExecutions {
    pub rows: Vec<ExecutionRow>,
    /// Shorter ones that there was no room for.
    pub left_out: usize,
}

/// A test's mean time in two sets of trials.
#[derive(Debug, Clone, PartialEq)]
pub struct TestTime {
    pub test: TestId,
    pub baseline: f64,
    pub candidate: f64,
}

/// The tests that ran in both sets of trials, by their time in the baseline.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TestTimes {
    pub tests: Vec<TestTime>,
    /// Tests that there was no room for. What is left is spread evenly over the times, with the shortest and the longest in it.
    pub left_out: usize,
    /// Tests that ran in one of the two sets only.
    pub unpaired: usize,
}

impl RunFolder {
    /// The executions of a trial, at most so many: the longest ones.
    pub fn executions(&self, trial: &str, most: usize) -> miette::Result<TrialExecutions> {
        let file = self.file_with(trial)?;
        let mut seconds: Vec<f64> = Vec::new();
        each_row(&file, trial, Seconds::read, |columns, row| seconds.push(columns.0[row]))?;
        let mut room = Room::of(&mut seconds, most);
        let (mut rows, hashes) = (Vec::new(), Hashes::new());
        each_row(
            &file,
            trial,
            |group| FullColumns::read(group, &hashes),
            |columns, row| {
                if room.takes(columns.times.seconds[row]) {
                    rows.push(columns.row(row));
                }
            },
        )?;
        Ok(TrialExecutions { left_out: seconds.len() - rows.len(), rows })
    }

    /// Each test's seconds in the first stage, where the parallelism is: the means over some trials of the baseline and some of a
    /// candidate, for at most so many tests. Executions that were skipped, or never began, are no part of a mean.
    pub fn test_times(&self, baseline: &[&str], candidate: &[&str], most: usize) -> miette::Result<TestTimes> {
        let (mut times, hashes) = (Times::default(), Hashes::new());
        for (side, trials) in [baseline, candidate].into_iter().enumerate() {
            for trial in trials {
                let file = self.file_with(trial)?;
                each_row(
                    &file,
                    trial,
                    |group| TimeColumns::read(group, &hashes),
                    |columns, row| {
                        times.note(columns, row, side, &hashes);
                    },
                )?;
            }
        }
        Ok(times.paired(most))
    }

    /// The trial's own file, or else the merged one.
    fn file_with(&self, trial: &str) -> miette::Result<ExecutionFile> {
        ExecutionFile::open(&self.own_tests(trial).unwrap_or_else(|| self.merged_tests()))
    }

    pub(super) fn merged_tests(&self) -> PathBuf {
        self.dir().join("tests.parquet")
    }
}

/// Visits a trial's rows. Of row groups without any, only the column `trial` is read.
fn each_row<C>(
    file: &ExecutionFile,
    trial: &str,
    read: impl Fn(&Group<'_>) -> Result<C, Fault>,
    mut visit: impl FnMut(&C, usize),
) -> miette::Result<()> {
    for group in 0..file.group_sizes().len() {
        file.read(group, |group| {
            let trials = group.names("trial")?;
            let ours: Vec<bool> = trials.words().map(|word| word == trial).collect();
            if ours.contains(&true) {
                let columns = read(group)?;
                let rows = trials.codes.iter().enumerate().filter(|(_, code)| ours[**code as usize]);
                rows.for_each(|(row, _)| visit(&columns, row));
            }
            Ok(())
        })?;
    }
    Ok(())
}

struct Seconds(Vec<f64>);

impl Seconds {
    fn read(group: &Group<'_>) -> Result<Self, Fault> {
        Ok(Seconds(group.seconds("seconds")?))
    }
}

/// Which executions fit: all that are longer than a limit, and the first of those that are just as long.
struct Room {
    limit: f64,
    at_limit: usize,
}

impl Room {
    fn of(seconds: &mut [f64], most: usize) -> Self {
        let Some(surplus) = seconds.len().checked_sub(most).filter(|surplus| *surplus > 0) else {
            return Room { limit: f64::NEG_INFINITY, at_limit: usize::MAX };
        };
        let (_, limit, above) = seconds.select_nth_unstable_by(surplus - 1, f64::total_cmp);
        let limit = *limit;
        let longer = above.iter().filter(|other| other.total_cmp(&limit).is_gt()).count();
        Room { limit, at_limit: most - longer }
    }

    fn takes(&mut self, seconds: f64) -> bool {
        match seconds.total_cmp(&self.limit) {
            std::cmp::Ordering::Less => false,
            std::cmp::Ordering::Greater => true,
            std::cmp::Ordering::Equal => {
                let fits = self.at_limit > 0;
                self.at_limit = self.at_limit.saturating_sub(1);
                fits
            }
        }
    }
}

/// The columns of a row group, but for the texts.
struct FullColumns {
    times: TimeColumns,
    machine: Vec<u32>,
    start: Vec<f64>,
    process: Vec<u32>,
    thread: Names,
}

impl FullColumns {
    fn read(group: &Group<'_>, hashes: &Hashes) -> Result<Self, Fault> {
        Ok(FullColumns {
            times: TimeColumns::read(group, hashes)?,
            machine: group.counts("machine")?,
            start: group.seconds("start")?,
            process: group.counts("process")?,
            thread: group.names("thread")?,
        })
    }

    fn row(&self, row: usize) -> ExecutionRow {
        ExecutionRow {
            stage: self.times.stage[row],
            machine: self.machine[row],
            execution: Execution {
                test: self.times.tests.id(row),
                display: None,
                outcome: self.times.outcome(row),
                start: self.start[row],
                seconds: self.times.seconds[row],
                process: self.process[row],
                thread: self.thread.of_row(row).to_owned(),
                message: None,
            },
        }
    }
}

/// Those that a test's time is made of.
struct TimeColumns {
    stage: Vec<u32>,
    tests: Tests,
    outcome: Vec<u32>,
    /// By word.
    outcomes: Vec<Outcome>,
    seconds: Vec<f64>,
}

impl TimeColumns {
    fn read(group: &Group<'_>, hashes: &Hashes) -> Result<Self, Fault> {
        let outcome = group.names("outcome")?;
        Ok(TimeColumns {
            stage: group.counts("stage")?,
            tests: Tests::read(group, hashes)?,
            outcomes: outcome.words().map(super::outcome).collect::<Result<_, _>>()?,
            outcome: outcome.codes,
            seconds: group.seconds("seconds")?,
        })
    }

    fn outcome(&self, row: usize) -> Outcome {
        self.outcomes[self.outcome[row] as usize]
    }
}

/// Sums of times, test by test.
#[derive(Default)]
struct Times {
    places: ByTest<usize>,
    found: Vec<(TestId, [Sum; 2])>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    seconds: f64,
    count: usize,
}

impl Sum {
    fn mean(self) -> Option<f64> {
        (self.count > 0).then(|| self.seconds / self.count as f64)
    }
}

impl Times {
    fn note(&mut self, columns: &TimeColumns, row: usize, side: usize, hashes: &Hashes) {
        if columns.stage[row] != 1 || matches!(columns.outcome(row), Outcome::NotRun | Outcome::Skipped) {
            return;
        }
        let place = *self.places.entry(columns.tests.key(row, hashes)).or_insert_with(|| {
            self.found.push((columns.tests.id(row), [Sum::default(); 2]));
            self.found.len() - 1
        });
        let sum = &mut self.found[place].1[side];
        sum.seconds += columns.seconds[row];
        sum.count += 1;
    }

    fn paired(self, most: usize) -> TestTimes {
        let all = self.found.len();
        let paired = |(test, [baseline, candidate]): (TestId, [Sum; 2])| {
            Some(TestTime { test, baseline: baseline.mean()?, candidate: candidate.mean()? })
        };
        let mut tests: Vec<TestTime> = self.found.into_iter().filter_map(paired).collect();
        let paired = tests.len();
        tests.sort_by(|a, b| a.baseline.total_cmp(&b.baseline).then_with(|| a.test.cmp(&b.test)));
        if paired > most {
            let mut chosen = spread(paired, most).peekable();
            let mut at = 0..paired;
            tests.retain(|_| at.next().is_some_and(|at| chosen.next_if_eq(&at).is_some()));
        }
        TestTimes { left_out: paired - tests.len(), unpaired: all - paired, tests }
    }
}

/// `most` of `count` places, evenly spread, the first and the last among them.
fn spread(count: usize, most: usize) -> impl Iterator<Item = usize> {
    let steps = most.saturating_sub(1).max(1) as u128;
    (0..most).map(move |n| (n as u128 * (count - 1) as u128 / steps) as usize)
}
