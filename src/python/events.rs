//! What our plugin wrote while tests ran: one line of JSON for each event, one file for each process.
//!
//! A test runs in the same process and can write there, too, or kill it in the middle of a line: a line that says nothing is
//! counted and passed over, and no file is read beyond its limit.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use serde::Deserialize;

use super::ids::{Collected, display};
use crate::folder_handle::FolderHandle;
use crate::run_clock::Clock;
use crate::suite::{Execution, Outcome};

const LINE_LIMIT: u64 = 1 << 20;
const FILE_LIMIT: u64 = 1 << 30;
const MESSAGE_LIMIT: usize = 8 << 10;

#[derive(Debug, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
enum Event {
    Settings { addopts: Vec<String> },
    Collected { node: String },
    Done,
    Start { node: String, thread: String, process: u32, epoch_micros: i64, monotonic_nanos: i64 },
    End { node: String, outcome: Ended, message: Option<String>, epoch_micros: i64, monotonic_nanos: i64 },
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Ended {
    Passed,
    Failed,
    Error,
    Skipped,
}

/// What a listing told.
#[derive(Debug, Default)]
pub struct Listed {
    pub nodes: Vec<String>,
    pub addopts: Vec<String>,
    pub is_done: bool,
}

/// What a run told.
#[derive(Debug, Default)]
pub struct Told {
    /// In the order in which they started.
    pub executions: Vec<Execution>,
    /// Those that started and never ended.
    pub open: Vec<usize>,
    pub damaged_lines: usize,
}

/// The lines of all processes.
fn events(folder: &Path, mut each: impl FnMut(usize, Event)) -> io::Result<usize> {
    let folder = FolderHandle::open(folder)?;
    let mut damaged = 0;
    for (number, name) in folder.entries()?.keys().enumerate() {
        let mut lines = BufReader::new(folder.file(name)?.take(FILE_LIMIT));
        let mut line = Vec::new();
        while lines.by_ref().take(LINE_LIMIT).read_until(b'\n', &mut line)? > 0 {
            match serde_json::from_slice(&line) {
                Ok(event) => each(number, event),
                Err(_) => damaged += 1,
            }
            line.clear();
        }
    }
    Ok(damaged)
}

pub fn read_listing(folder: &Path) -> io::Result<Listed> {
    let mut listed = Listed::default();
    events(folder, |_, event| match event {
        Event::Settings { addopts } => listed.addopts = addopts,
        Event::Collected { node } => listed.nodes.push(node),
        Event::Done => listed.is_done = true,
        Event::Start { .. } | Event::End { .. } => {}
    })?;
    Ok(listed)
}

/// `unfinished` is what became of a test that its process did not end; by then the run was `seconds` old.
pub fn read_run(
    folder: &Path,
    collected: &Collected,
    began: Clock,
    unfinished: Outcome,
    seconds: f64,
) -> io::Result<Told> {
    let mut told = Told::default();
    let mut nodes: Vec<String> = Vec::new();
    let mut running: HashMap<usize, usize> = HashMap::new();
    told.damaged_lines = events(folder, |file, event| match event {
        Event::Start { node, thread, process, epoch_micros, monotonic_nanos } => {
            running.insert(file, told.executions.len());
            told.executions.push(Execution {
                test: collected.test(&node, 0),
                display: display(&node),
                outcome: unfinished,
                start: began.until(epoch_micros, monotonic_nanos),
                seconds: -1.0,
                process,
                thread,
                message: None,
            });
            nodes.push(node);
        }
        Event::End { node, outcome, message, epoch_micros, monotonic_nanos } => {
            // A process runs one test at a time: another end than that of its test is not its own.
            let Some(index) = running.remove(&file).filter(|index| nodes[*index] == node) else { return };
            let execution = &mut told.executions[index];
            execution.seconds = (began.until(epoch_micros, monotonic_nanos) - execution.start).max(0.0);
            execution.message = message.map(|text| text.chars().take(MESSAGE_LIMIT).collect());
            execution.outcome = match outcome {
                Ended::Passed => Outcome::Passed,
                Ended::Failed => Outcome::Failed,
                Ended::Error => Outcome::Error,
                Ended::Skipped => Outcome::Skipped,
            };
        }
        Event::Settings { .. } | Event::Collected { .. } | Event::Done => {}
    })?;
    for execution in told.executions.iter_mut().filter(|execution| execution.seconds < 0.0) {
        execution.seconds = (seconds - execution.start).max(0.0);
    }
    in_order_of_start(&mut told, nodes, collected, unfinished);
    Ok(told)
}

/// Of a node id that comes twice, the first to start is the first.
fn in_order_of_start(told: &mut Told, nodes: Vec<String>, collected: &Collected, unfinished: Outcome) {
    let mut pairs: Vec<(Execution, String)> = told.executions.drain(..).zip(nodes).collect();
    pairs.sort_by(|a, b| a.0.start.total_cmp(&b.0.start));
    let mut times: HashMap<String, usize> = HashMap::new();
    for (mut execution, node) in pairs {
        execution.test = collected.test(&node, times.get(&node).copied().unwrap_or(0));
        *times.entry(node).or_default() += 1;
        told.open.extend((execution.outcome == unfinished).then_some(told.executions.len()));
        told.executions.push(execution);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEGAN: Clock = Clock { monotonic_nanos: 0, epoch_micros: 0 };

    fn start(node: &str, second: u64) -> String {
        format!(
            r#"{{"event": "start", "node": {node:?}, "thread": "MainThread", "process": 7, "epoch_micros": {second}000000, "monotonic_nanos": {second}000000000}}"#
        )
    }

    fn end(node: &str, outcome: &str, second: u64) -> String {
        format!(
            r#"{{"event": "end", "node": {node:?}, "outcome": "{outcome}", "message": "no\nF", "process": 7, "epoch_micros": {second}000000, "monotonic_nanos": {second}000000000}}"#
        )
    }

    fn read(files: &[Vec<String>]) -> Told {
        let folder = tempfile::tempdir().unwrap();
        for (number, lines) in files.iter().enumerate() {
            std::fs::write(folder.path().join(format!("{number}.jsonl")), lines.join("\n") + "\n").unwrap();
        }
        let collected = Collected::new(vec!["a.py::x".to_owned(), "a.py::y".to_owned()]);
        read_run(folder.path(), &collected, BEGAN, Outcome::Crashed, 9.0).unwrap()
    }

    #[test]
    fn what_started_and_never_ended_is_open() {
        let one = vec![start("a.py::y", 2), end("a.py::y", "failed", 4)];
        let other = vec![start("a.py::x", 1), "torn".to_owned()];
        let told = read(&[one, other]);
        let seen: Vec<_> =
            told.executions.iter().map(|one| (one.test.name.as_str(), one.outcome, one.seconds)).collect();
        assert_eq!(seen, [("x", Outcome::Crashed, 8.0), ("y", Outcome::Failed, 2.0)]);
        assert_eq!((told.open, told.damaged_lines), (vec![0], 1));
        assert_eq!(told.executions[1].message.as_deref(), Some("no\nF"));
    }

    #[test]
    fn the_end_of_another_test_ends_nothing() {
        let told = read(&[vec![start("a.py::x", 1), end("a.py::y", "passed", 2)]]);
        assert_eq!((told.executions.len(), told.open.len()), (1, 1));
    }

    #[test]
    fn a_listing_is_complete_or_not() {
        let folder = tempfile::tempdir().unwrap();
        let lines = "{\"event\": \"settings\", \"addopts\": [\"-n\", \"4\"]}\n{\"event\": \"collected\", \"node\": \"a.py::x\"}\n";
        std::fs::write(folder.path().join("1.jsonl"), lines).unwrap();
        let listed = read_listing(folder.path()).unwrap();
        assert_eq!((listed.nodes.as_slice(), listed.is_done), (&["a.py::x".to_owned()][..], false));
        assert_eq!(listed.addopts, ["-n", "4"]);
    }
}
