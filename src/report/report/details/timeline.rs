//! What ran where and when in one trial: lanes of workers, bars of tests.

use std::collections::{HashMap, HashSet};

use super::Source;
use crate::report::Analysis;
use crate::shown_text::shown;
use crate::store::TrialExecutions;
use crate::store::record::{ExecutionRow, Phase, TrialRecord};
use crate::suite::Outcome;
use crate::wording::plural;

/// What the timelines of a page may take, in bytes of the page.
const BUDGET: usize = 2_000_000;
/// Trials whose timelines a page offers at most.
const MOST_TRIALS: usize = 400;
/// About what a bar takes in the page, its name aside.
const BYTES_PER_BAR: usize = 22;
/// Executions of one trial that are drawn at most, the longest.
pub(super) const MOST_BARS: usize = 20_000;
/// More workers than this share lanes with others that were not there at the same time.
const MOST_LANES: usize = 32;

#[derive(Debug, Clone, PartialEq)]
pub struct Timeline {
    pub trial: String,
    /// `subject · configuration · 2 cores · repetition 1`
    pub label: String,
    pub verdict: &'static str,
    /// From the start of the first stage to the end of the last.
    pub seconds: f64,
    pub stages: Vec<TimelineStage>,
    pub lanes: Vec<String>,
    pub bars: Vec<Bar>,
    /// Executions that are not among the bars.
    pub left_out: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub struct TimelineStage {
    pub start: f64,
    pub purpose: String,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    pub lane: usize,
    pub start: f64,
    pub seconds: f64,
    pub outcome: Outcome,
    pub test: String,
}

/// A worker: machine, process, thread.
type Worker<'a> = (u32, u32, &'a str);

impl Timeline {
    pub fn of(record: &TrialRecord, executions: &TrialExecutions) -> Timeline {
        let offsets = offsets(record);
        let start = |row: &ExecutionRow| offsets.get(&row.stage).copied().unwrap_or(0.0) + row.execution.start.max(0.0);
        let rows = executions.rows.iter();
        let mut ran: Vec<&ExecutionRow> = rows.filter(|row| row.execution.outcome != Outcome::NotRun).collect();
        ran.sort_by(|a, b| start(a).total_cmp(&start(b)));
        let spans: Vec<(Worker, f64, f64)> =
            ran.iter().map(|row| (worker(row), start(row), start(row) + row.execution.seconds)).collect();
        let (lane_of, lanes) = lanes(&spans);
        let bars: Vec<Bar> = ran
            .iter()
            .map(|row| Bar {
                lane: lane_of.get(&worker(row)).copied().unwrap_or(0),
                start: start(row),
                seconds: row.execution.seconds,
                outcome: row.execution.outcome,
                test: shown(&row.execution.test.to_string()),
            })
            .collect();
        let last = bars.iter().map(|bar| bar.start + bar.seconds).fold(0.0, f64::max);
        Timeline {
            trial: shown(&record.trial),
            label: label(record),
            verdict: record.verdict.name(),
            seconds: last.max(record.stages.iter().map(|stage| stage.cost.wall_seconds).sum()),
            stages: stages(record, &offsets),
            lanes,
            bars,
            left_out: executions.left_out,
        }
    }

    fn bytes(&self) -> usize {
        self.bars.len() * BYTES_PER_BAR + self.lanes.iter().map(|lane| lane.len() + 3).sum::<usize>() + 200
    }
}

fn label(record: &TrialRecord) -> String {
    format!(
        "{} · {} · {} · repetition {}",
        shown(&record.subject),
        shown(&record.configuration),
        plural(record.cores, "core"),
        record.repetition
    )
}

fn worker(row: &ExecutionRow) -> Worker<'_> {
    (row.machine, row.execution.process, row.execution.thread.as_str())
}

/// When each stage began: starts are on record relative to it, and stages follow one another.
fn offsets(record: &TrialRecord) -> HashMap<u32, f64> {
    let mut passed = 0.0;
    let mut offsets = HashMap::new();
    for stage in &record.stages {
        offsets.insert(stage.stage, passed);
        passed += stage.cost.wall_seconds;
    }
    offsets
}

fn stages(record: &TrialRecord, offsets: &HashMap<u32, f64>) -> Vec<TimelineStage> {
    record
        .stages
        .iter()
        .map(|stage| TimelineStage {
            start: offsets.get(&stage.stage).copied().unwrap_or(0.0),
            purpose: shown(&stage.purpose),
        })
        .collect()
}

/// A lane for each worker in the order of their first tests; where there are too many, one for several that follow another.
fn lanes<'a>(spans: &[(Worker<'a>, f64, f64)]) -> (HashMap<Worker<'a>, usize>, Vec<String>) {
    let mut extents: Vec<(Worker, f64, f64)> = Vec::new();
    let mut places: HashMap<Worker, usize> = HashMap::new();
    for (worker, start, end) in spans {
        match places.get(worker) {
            Some(place) => extents[*place].2 = extents[*place].2.max(*end),
            None => {
                places.insert(*worker, extents.len());
                extents.push((*worker, *start, *end));
            }
        }
    }
    if extents.len() <= MOST_LANES {
        let several_machines = extents.iter().any(|(worker, ..)| worker.0 > 1);
        return (places, extents.iter().map(|(worker, ..)| lane_name(worker, several_machines)).collect());
    }
    let mut ends: Vec<f64> = Vec::new();
    let mut shared = HashMap::new();
    for (worker, start, end) in &extents {
        let free = ends.iter().position(|until| until <= start);
        let lane = free.unwrap_or_else(|| {
            ends.push(0.0);
            ends.len() - 1
        });
        ends[lane] = *end;
        shared.insert(*worker, lane);
    }
    (shared, (1..=ends.len()).map(|lane| format!("worker {lane}")).collect())
}

fn lane_name((machine, process, thread): &Worker, several_machines: bool) -> String {
    let machine = if several_machines { format!("machine {machine} · ") } else { String::new() };
    let name = match *thread {
        "" => format!("process {process}"),
        thread => format!("{process} · {thread}"),
    };
    shown(&format!("{machine}{name}"))
}

/// Timelines for the page: one to begin with, then the first repetition of every cell on the most cores, then the others,
/// as long as there is room.
pub(super) fn read(analysis: &Analysis, source: &Source) -> (Vec<Timeline>, usize) {
    let records = in_order(analysis, source);
    let (mut timelines, mut bytes) = (Vec::new(), 0);
    let mut named: HashSet<String> = HashSet::new();
    for record in records.iter().take(MOST_TRIALS) {
        let Some(executions) = source.executions(record) else { continue };
        let timeline = Timeline::of(record, &executions);
        bytes += timeline.bytes();
        for bar in &timeline.bars {
            if named.insert(bar.test.clone()) {
                bytes += bar.test.len() + 3;
            }
        }
        if bytes > BUDGET && !timelines.is_empty() {
            break;
        }
        timelines.push(timeline);
    }
    let left_out = records.len() - timelines.len();
    (timelines, left_out)
}

fn in_order<'s>(analysis: &Analysis, source: &'s Source) -> Vec<&'s TrialRecord> {
    let manifest = &analysis.run.manifest;
    let most = manifest.cores.iter().copied().max();
    let best = analysis.headline.best.as_ref();
    let is_best = |record: &TrialRecord| {
        best.is_some_and(|best| {
            (record.subject.as_str(), record.configuration.as_str(), record.cores)
                == (best.subject.as_str(), best.configuration.as_str(), best.cores)
        })
    };
    let places: HashMap<&str, usize> =
        manifest.subjects.iter().enumerate().map(|(place, name)| (name.as_str(), place)).collect();
    let configuration = |name: &str| manifest.configurations.iter().position(|c| c.name == name);
    let mut records: Vec<&TrialRecord> = source.run.trials.iter().filter(|t| t.phase == Phase::Measured).collect();
    records.sort_by_key(|record| {
        (
            !(is_best(record) && record.repetition == 1),
            record.repetition,
            Some(record.cores) != most,
            places.get(record.subject.as_str()).copied(),
            configuration(&record.configuration),
            record.cores,
        )
    });
    records
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;
    use crate::suite::{Execution, TestId};

    fn row(stage: u32, process: u32, start: f64, seconds: f64) -> ExecutionRow {
        ExecutionRow {
            stage,
            machine: 1,
            execution: Execution {
                test: TestId::new("", "C", &format!("t{process}"), 1),
                display: None,
                outcome: Outcome::Passed,
                start,
                seconds,
                process,
                thread: String::new(),
                message: None,
            },
        }
    }

    fn of_rows(rows: Vec<ExecutionRow>) -> TrialExecutions {
        TrialExecutions { rows, left_out: 0 }
    }

    #[test]
    fn stages_follow_one_another() {
        let run = sample::study();
        let record = run.trials.iter().find(|trial| trial.stages.len() == 2).unwrap();
        let timeline = Timeline::of(record, &of_rows(vec![row(1, 7, 0.5, 2.0), row(2, 8, 0.5, 1.0)]));
        let wall = record.stages[0].cost.wall_seconds;
        assert_eq!(timeline.bars.iter().map(|bar| bar.start).collect::<Vec<_>>(), [0.5, wall + 0.5]);
        assert_eq!(timeline.lanes, ["process 7", "process 8"]);
        assert_eq!(timeline.stages.iter().map(|stage| stage.start).collect::<Vec<_>>(), [0.0, wall]);
    }

    #[test]
    fn many_short_lived_workers_share_lanes() {
        let run = sample::study();
        let rows: Vec<ExecutionRow> = (0..100).map(|n| row(1, n, f64::from(n / 2), 0.9)).collect();
        let timeline = Timeline::of(&run.trials[0], &of_rows(rows));
        assert_eq!(timeline.lanes, ["worker 1", "worker 2"]);
        assert!(timeline.bars.iter().all(|bar| bar.lane < 2));
    }
}
