//! What a test process answers: its event file, read on as it grows.
//!
//! A subject can write into the file too, or die in the middle of a line: what is not ours is passed over, and no line is
//! held beyond its limit.

use std::collections::HashSet;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use miette::miette;
use serde::{Deserialize, Serialize};

use super::accesses::{Ledger, Touched};
use super::coverage::Mark;
use crate::maven::Clock;
use crate::maven::events::ProcessEvents;
use crate::maven::line::Line;
use crate::suite::Execution;

const LINE_LIMIT: usize = 1 << 20;
const CHUNK: usize = 64 << 10;
/// The runner announces itself before the subject's code can have filled so much.
const HEAD: u64 = 8 << 10;

/// One execution, as far as its process told.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    /// The number of the test that it answers; `None` for what ran without being asked for.
    pub asked: Option<usize>,
    pub execution: Execution,
    /// The class that was run for it.
    pub root: Option<String>,
    pub state: State,
    /// By which records of its process refer to it.
    pub mark: Mark,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Ended,
    /// Its process was gone before it ended.
    Open,
    /// It took longer than a test may, and its process ended itself.
    OverLimit,
}

/// A test that a listing found, in its framework's order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leaf {
    pub root: String,
    pub class: String,
    pub name: String,
    /// Within the root.
    pub occurrence: u32,
}

/// What was answered to one order or listing.
#[derive(Debug, Default)]
pub struct Answer {
    pub begun: bool,
    pub done: bool,
    pub seen: Vec<Seen>,
    /// Tests that could not be run at all, with the reason.
    pub unrunnable: Vec<(usize, String)>,
    pub leaves: Vec<Leaf>,
    /// What tests shared, where that is watched.
    pub touched: Vec<Touched>,
    /// Classes that could not be listed, with the reason.
    pub unlisted: Vec<(String, String)>,
}

/// Reads the events of one process.
#[derive(Debug)]
pub struct Follower {
    folder: PathBuf,
    module: String,
    clock: Clock,
    file: Option<(File, ProcessEvents)>,
    /// What came after the last whole line.
    rest: Vec<u8>,
    /// Inside a line that is too long.
    skipping: bool,
    order: u64,
    answer: Answer,
    over_limit: HashSet<u32>,
    ledger: Ledger,
}

impl Follower {
    pub fn new(folder: &Path, module: &str, clock: Clock) -> Self {
        Follower {
            folder: folder.to_owned(),
            module: module.to_owned(),
            clock,
            file: None,
            rest: Vec::new(),
            skipping: false,
            order: 0,
            answer: Answer::default(),
            over_limit: HashSet::new(),
            ledger: Ledger::default(),
        }
    }

    /// Another order is about to be given; times count from `clock` on.
    pub fn expect(&mut self, order: u64, clock: Clock) {
        (self.order, self.clock, self.answer) = (order, clock, Answer::default());
        if let Some((_, events)) = &mut self.file {
            events.begin_run(clock);
            events.drain();
        }
    }

    pub fn is_done(&self) -> bool {
        self.answer.done
    }

    /// The process, once it has said anything.
    pub fn process(&self) -> Option<u32> {
        self.file.as_ref().map(|(_, events)| events.process())
    }

    /// Reads what was added since the last time.
    pub fn poll(&mut self) -> miette::Result<()> {
        if self.file.is_none() {
            self.file = self.find()?;
        }
        let mut chunk = vec![0; CHUNK];
        while let Some((file, _)) = &mut self.file {
            match file.read(&mut chunk) {
                Ok(0) => break,
                Ok(count) => self.take_bytes(&chunk[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(miette!("{} cannot be read: {error}", self.folder.display())),
            }
        }
        Ok(())
    }

    /// What was answered to the order up to now.
    pub fn answer(&mut self) -> Answer {
        let mut answer = std::mem::take(&mut self.answer);
        let Some((_, events)) = &mut self.file else { return answer };
        let (observations, open) = events.drain();
        let states = open.into_iter().map(|(number, index)| {
            let state = if self.over_limit.contains(&number) { State::OverLimit } else { State::Open };
            (index, state)
        });
        let mut seen: Vec<Seen> = observations
            .into_iter()
            .map(|one| Seen {
                asked: one.asked,
                execution: one.execution,
                root: one.root,
                state: State::Ended,
                mark: Mark { process: 0, number: one.number },
            })
            .collect();
        for (index, state) in states {
            seen[index].state = state;
        }
        answer.seen = seen;
        answer
    }

    /// The runner's own file: tests can start JVMs whose listeners write here too.
    fn find(&self) -> miette::Result<Option<(File, ProcessEvents)>> {
        let broken = |error| miette!("{} cannot be read: {error}", self.folder.display());
        for entry in self.folder.read_dir().map_err(broken)? {
            let path = entry.map_err(broken)?.path();
            if path.extension().is_some_and(|extension| extension == "events") && is_of_the_runner(&path) {
                let file = File::open(&path).map_err(broken)?;
                return Ok(Some((file, ProcessEvents::new(&self.module, &path, self.clock))));
            }
        }
        Ok(None)
    }

    fn take_bytes(&mut self, mut bytes: &[u8]) {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            self.rest.extend(&bytes[..end]);
            bytes = &bytes[end + 1..];
            let whole = std::mem::take(&mut self.rest);
            if !std::mem::take(&mut self.skipping) {
                let line = std::str::from_utf8(&whole).ok().and_then(Line::parse);
                // What is not understood was not written by the runner.
                let _ = line.and_then(|line| self.take(&line));
            }
        }
        self.rest.extend(bytes);
        if self.rest.len() > LINE_LIMIT {
            self.rest.clear();
            self.skipping = true;
        }
    }

    fn take(&mut self, line: &Line) -> Option<()> {
        let text = |index| line.text(index).map(str::to_owned);
        match line.kind.as_str() {
            "B" => self.answer.begun |= line.number(0) == Some(self.order),
            "D" => self.answer.done |= line.number(0) == Some(self.order),
            "X" => self.answer.unrunnable.push((line.number(0)?, text(1)?)),
            "L" => {
                let occurrence = line.number(3)?;
                self.answer.leaves.push(Leaf { root: text(0)?, class: text(1)?, name: text(2)?, occurrence });
            }
            "N" => self.ledger.name(line)?,
            "I" => self.ledger.introduce(line)?,
            "A" => self.answer.touched.push(self.ledger.take(line)?),
            "E" => self.answer.unlisted.push((text(0)?, text(1)?)),
            kind => {
                match kind {
                    "T" => drop(self.over_limit.insert(line.number(0)?)),
                    "S" => self.ledger.start(line),
                    _ => {}
                }
                let (_, events) = self.file.as_mut()?;
                events.take(line)?;
            }
        }
        Some(())
    }
}

fn is_of_the_runner(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    read.is_ok() && head.windows(3).any(|bytes| matches!(bytes, [b'\n', b'B' | b'D' | b'L' | b'E', b'\t']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::Outcome;
    use proptest::prelude::*;
    use std::io::Write;

    const RUN: Clock = Clock { monotonic_nanos: 0, epoch_micros: 0 };
    const START: &str = "P\t1\t42\t0\t0\n";

    struct Bench {
        folder: tempfile::TempDir,
        follower: Follower,
    }

    impl Bench {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let mut follower = Follower::new(folder.path(), "m", RUN);
            follower.expect(1, RUN);
            Bench { folder, follower }
        }

        fn write(&mut self, name: &str, text: &str) {
            let path = self.folder.path().join(name);
            let mut file = File::options().create(true).append(true).open(path).unwrap();
            file.write_all(text.as_bytes()).unwrap();
            self.follower.poll().unwrap();
        }
    }

    fn started(number: u32, name: &str, asked: &str) -> String {
        format!("S\t{number}\t1000000\t1000000000\tmain\ta.B\t{name}\t1\t\t\t{asked}\n")
    }

    #[test]
    fn lines_are_read_as_they_come_whole() {
        let mut bench = Bench::new();
        bench.write("42-1.events", START);
        assert_eq!(bench.follower.process(), None, "nothing says that this is the runner's file");
        bench.write("42-1.events", "B\t1\nS\t1\t1000000\t10000");
        bench.write(
            "42-1.events",
            "00000\tmain\ta.B\tt\t1\t\t\t7\nF\t1\t1500000\t1500000000\tpassed\t\nX\t8\tno such class\nD\t1\n",
        );
        assert_eq!((bench.follower.is_done(), bench.follower.process()), (true, Some(42)));
        let answer = bench.follower.answer();
        assert!(answer.begun);
        assert_eq!(answer.unrunnable, [(8, "no such class".to_owned())]);
        let seen = &answer.seen[0];
        assert_eq!((seen.asked, seen.state, seen.execution.outcome), (Some(7), State::Ended, Outcome::Passed));
        assert!((seen.execution.start - 1.0).abs() < 1e-9 && (seen.execution.seconds - 0.5).abs() < 1e-9);
    }

    #[test]
    fn what_did_not_end_is_open_or_over_its_limit() {
        let mut bench = Bench::new();
        let text = format!("{START}B\t1\n{}{}T\t2\t3000000\t3000000000\n", started(1, "x", "0"), started(2, "y", "1"));
        bench.write("42-1.events", &text);
        let answer = bench.follower.answer();
        let states: Vec<_> = answer.seen.iter().map(|seen| (seen.asked, seen.state)).collect();
        assert_eq!(states, [(Some(0), State::Open), (Some(1), State::OverLimit)]);
        assert!((answer.seen[1].execution.seconds - 2.0).abs() < 1e-9);
        assert!(!answer.done);
    }

    #[test]
    fn events_of_jvms_that_a_test_started_are_not_ours() {
        let mut bench = Bench::new();
        bench.write("7-1.events", &format!("P\t1\t7\t0\t0\n{}", started(1, "inner", "")));
        bench.write("42-1.events", &format!("{START}B\t1\n{}D\t1\n", started(1, "x", "0")));
        let names: Vec<_> = bench.follower.answer().seen.into_iter().map(|seen| seen.execution.test.name).collect();
        assert_eq!(names, ["x"]);
    }

    #[test]
    fn each_order_has_an_answer_of_its_own() {
        let mut bench = Bench::new();
        bench.write("42-1.events", &format!("{START}B\t1\n{}D\t1\n", started(1, "x", "0")));
        assert_eq!(bench.follower.answer().seen.len(), 1);
        bench.follower.expect(2, RUN);
        bench.write("42-1.events", "D\t1\n");
        assert!(!bench.follower.is_done());
        bench.write("42-1.events", &format!("B\t2\n{}D\t2\n", started(2, "y", "0")));
        assert!(bench.follower.is_done());
        assert_eq!(bench.follower.answer().seen[0].execution.test.name, "y");
    }

    #[test]
    fn a_listing_gives_leaves_and_what_could_not_be_listed() {
        let mut bench = Bench::new();
        bench.write("42-1.events", &format!("{START}L\ta.All\ta.B\tx\t2\tx\nE\ta.C\tno tests\nD\t1\n"));
        let answer = bench.follower.answer();
        let leaf = Leaf { root: "a.All".into(), class: "a.B".into(), name: "x".into(), occurrence: 2 };
        assert_eq!((answer.leaves, answer.unlisted), (vec![leaf], vec![("a.C".to_owned(), "no tests".to_owned())]));
    }

    proptest! {
        #[test]
        fn no_content_panics(content in "[PSFTBDXLE\t0-9a-z%\u{0}\n]{0,300}") {
            let mut bench = Bench::new();
            bench.write("42-1.events", &format!("{START}B\t1\n{content}"));
            bench.follower.answer();
        }
    }
}
