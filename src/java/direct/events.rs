//! What a test process answers: its event file, read on as it grows.
//!
//! A subject that finds the open file can write into it too, or die in the middle of a line: what is not under the runner's
//! seal is counted and passed over, and no line is held beyond its limit.

use std::collections::HashSet;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::sync::atomic::{AtomicUsize, Ordering};

use miette::miette;
use serde::{Deserialize, Serialize};

use super::accesses::{Ledger, Touched};
use super::coverage::Mark;
use crate::maven::Clock;
use crate::maven::events::{ProcessEvents, RecordDamage};
use crate::maven::line::Line;
use crate::maven::protocol::{EventKind, LineKind};
use crate::maven::seal::{SealKey, SealedLines};
use crate::suite::Execution;

/// Over all test processes since parade began.
static ENDED_TESTS: AtomicUsize = AtomicUsize::new(0);

/// How many tests have ended in test processes since parade began, as far as their events were read. Only the difference between
/// two moments means something: it shows how far a run is, and nothing depends on it.
pub fn ended_tests() -> usize {
    ENDED_TESTS.load(Ordering::Relaxed)
}

const LINE_LIMIT: usize = 1 << 20;
const CHUNK: usize = 64 << 10;

/// One execution, as far as its process told.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportedExecution {
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
    pub seen: Vec<ReportedExecution>,
    /// Tests that could not be run at all, with the reason.
    pub unrunnable: Vec<(usize, String)>,
    pub leaves: Vec<Leaf>,
    /// What tests shared, where that is watched.
    pub touched: Vec<Touched>,
    /// Classes that could not be listed, with the reason.
    pub unlisted: Vec<(String, String)>,
}

impl Answer {
    /// Takes out what refers to none of these tests, and says how much that was.
    pub fn retain_asked(&mut self, tests: &[usize]) -> usize {
        let tests: HashSet<usize> = tests.iter().copied().collect();
        let before = self.seen.len() + self.unrunnable.len();
        self.seen.retain(|seen| seen.asked.is_none_or(|asked| tests.contains(&asked)));
        self.unrunnable.retain(|(asked, _)| tests.contains(asked));
        before - self.seen.len() - self.unrunnable.len()
    }
}

/// Reads the events of one process.
#[derive(Debug)]
pub struct Follower {
    file: File,
    seals: SealedLines,
    events: ProcessEvents,
    /// Lines of the runner that say nothing.
    meaningless: usize,
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
    /// The file is at the place where the runner begins.
    pub fn new(file: File, key: SealKey, module: &str, clock: Clock) -> Self {
        Follower {
            file,
            seals: SealedLines::new(key),
            events: ProcessEvents::new(module, 0, clock),
            meaningless: 0,
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
        (self.order, self.answer) = (order, Answer::default());
        self.events.begin_run(clock);
        self.events.drain();
    }

    pub fn is_done(&self) -> bool {
        self.answer.done
    }

    /// The process, once it has said anything.
    pub fn process(&self) -> Option<u32> {
        Some(self.events.process()).filter(|process| *process > 0)
    }

    /// What of all that was read so far is not as the runner wrote it.
    pub fn damage(&self) -> RecordDamage {
        RecordDamage { seals: self.seals.damage(), meaningless: self.meaningless, unmatched_ends: 0 }
    }

    /// Reads what was added since the last time.
    pub fn poll(&mut self) -> miette::Result<()> {
        let mut chunk = vec![0; CHUNK];
        loop {
            match self.file.read(&mut chunk) {
                Ok(0) => return Ok(()),
                Ok(count) => self.take_bytes(&chunk[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(miette!("the answer of a test process cannot be read: {error}")),
            }
        }
    }

    /// What was answered to the order up to now.
    pub fn answer(&mut self) -> Answer {
        let mut answer = std::mem::take(&mut self.answer);
        let (observations, open) = self.events.drain();
        let states = open.into_iter().map(|(number, index)| {
            let state = if self.over_limit.contains(&number) { State::OverLimit } else { State::Open };
            (index, state)
        });
        let mut seen: Vec<ReportedExecution> = observations
            .into_iter()
            .map(|one| ReportedExecution {
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

    fn take_bytes(&mut self, mut bytes: &[u8]) {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            self.rest.extend(&bytes[..end]);
            bytes = &bytes[end + 1..];
            let whole = std::mem::take(&mut self.rest);
            if std::mem::take(&mut self.skipping) {
                self.seals.note_unreadable(1);
            } else if let Some(line) = self.seals.open(&whole) {
                let understood = Line::parse(line).and_then(|line| self.take(&line));
                self.meaningless += usize::from(understood.is_none());
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
        match EventKind::of(&line.kind)? {
            EventKind::Begun => self.answer.begun |= line.number(0) == Some(self.order),
            EventKind::Done => self.answer.done |= line.number(0) == Some(self.order),
            EventKind::Refused => self.answer.unrunnable.push((line.number(0)?, text(1)?)),
            EventKind::Listed => {
                let occurrence = line.number(3)?;
                self.answer.leaves.push(Leaf { root: text(0)?, class: text(1)?, name: text(2)?, occurrence });
            }
            // What tests share decides nothing about how they ended.
            EventKind::Named => drop(self.ledger.name(line)),
            EventKind::Initialised => drop(self.ledger.introduce(line)),
            EventKind::Accessed => self.answer.touched.extend(self.ledger.take(line)),
            // A test that an earlier order left running can end now.
            EventKind::Finished => {
                if self.events.take(line).is_some() {
                    ENDED_TESTS.fetch_add(1, Ordering::Relaxed);
                }
            }
            EventKind::Unlisted => self.answer.unlisted.push((text(0)?, text(1)?)),
            EventKind::TimedOut => {
                self.over_limit.insert(line.number(0)?);
                self.events.take(line)?;
            }
            EventKind::Started => {
                self.ledger.start(line);
                self.events.take(line)?;
            }
            EventKind::Process | EventKind::Computed => self.events.take(line)?,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::maven::protocol::table;
    use crate::suite::Outcome;
    use proptest::prelude::*;
    use std::io::Write;

    const RUN: Clock = Clock { monotonic_nanos: 0, epoch_micros: 0 };
    const START: &str = "P\t1\t42\t0\t0\n";

    /// A process that writes, and who follows it.
    struct Bench {
        writer: File,
        lines: u64,
        follower: Follower,
    }

    fn key() -> SealKey {
        SealKey::of(1, 2)
    }

    impl Bench {
        fn new() -> Self {
            let file = tempfile::NamedTempFile::new().unwrap();
            let follower = Follower::new(file.reopen().unwrap(), key(), "m", RUN);
            let mut bench = Bench { writer: file.reopen().unwrap(), lines: 0, follower };
            bench.follower.expect(1, RUN);
            bench
        }

        /// Whole lines of the runner.
        fn write(&mut self, text: &str) {
            let sealed = key().seal(self.lines + 1, text);
            self.lines += text.split_inclusive('\n').count() as u64;
            self.write_raw(sealed.as_bytes());
        }

        fn write_raw(&mut self, bytes: &[u8]) {
            self.writer.write_all(bytes).unwrap();
            self.follower.poll().unwrap();
        }
    }

    fn started(number: u32, name: &str, asked: &str) -> String {
        format!("S\t{number}\t1000000\t1000000000\tmain\ta.B\t{name}\t1\t\t\t{asked}\n")
    }

    #[test]
    fn lines_are_read_as_they_come_whole() {
        let mut bench = Bench::new();
        assert_eq!(bench.follower.process(), None);
        let end = "F\t1\t1500000\t1500000000\tpassed\t\nX\t8\tno such class\nD\t1\n";
        let sealed = key().seal(1, &format!("{START}B\t1\n{}{end}", started(1, "t", "7")));
        for piece in sealed.as_bytes().chunks(7) {
            bench.write_raw(piece);
        }
        assert_eq!((bench.follower.is_done(), bench.follower.process()), (true, Some(42)));
        let answer = bench.follower.answer();
        assert!(answer.begun);
        assert_eq!(answer.unrunnable, [(8, "no such class".to_owned())]);
        let seen = &answer.seen[0];
        assert_eq!((seen.asked, seen.state, seen.execution.outcome), (Some(7), State::Ended, Outcome::Passed));
        assert!((seen.execution.start - 1.0).abs() < 1e-9 && (seen.execution.seconds - 0.5).abs() < 1e-9);
    }

    #[test]
    fn tests_are_counted_as_they_end_and_not_only_with_the_last() {
        let mut bench = Bench::new();
        let before = ended_tests();
        bench.write(&format!("{START}B\t1\n{}", started(1, "x", "0")));
        bench.write("F\t1\t1500000\t1500000000\tpassed\t\n");
        assert!(ended_tests() > before && !bench.follower.is_done());
    }

    #[test]
    fn the_examples_of_the_protocol_are_understood() {
        let mut bench = Bench::new();
        bench.follower.expect(9, RUN);
        bench.write(&table::lines("events"));
        assert_eq!(bench.follower.damage(), RecordDamage::default());
        let answer = bench.follower.answer();
        assert!(answer.begun && answer.done);
        let states: Vec<_> = answer.seen.iter().map(|seen| (seen.asked, seen.mark.number, seen.state)).collect();
        assert_eq!(states, [(None, 2, State::OverLimit), (Some(7), 1, State::Ended)]);
        assert_eq!(answer.unrunnable, [(8, "a.B has no test x".to_owned())]);
        let leaf = Leaf { root: "a.All".into(), class: "a.B".into(), name: "x".into(), occurrence: 2 };
        assert_eq!(answer.leaves, [leaf]);
        assert_eq!(answer.unlisted, [("a.C".to_owned(), "java.lang.NoClassDefFoundError: a/D".to_owned())]);
        assert_eq!(answer.touched.len(), 1);
    }

    #[test]
    fn what_did_not_end_is_open_or_over_its_limit() {
        let mut bench = Bench::new();
        let text = format!("{START}B\t1\n{}{}T\t2\t3000000\t3000000000\n", started(1, "x", "0"), started(2, "y", "1"));
        bench.write(&text);
        let answer = bench.follower.answer();
        let states: Vec<_> = answer.seen.iter().map(|seen| (seen.asked, seen.state)).collect();
        assert_eq!(states, [(Some(0), State::Open), (Some(1), State::OverLimit)]);
        assert!((answer.seen[1].execution.seconds - 2.0).abs() < 1e-9);
        assert!(!answer.done);
    }

    #[test]
    fn what_a_test_writes_is_counted_and_not_believed() {
        let mut bench = Bench::new();
        bench.write(&format!("{START}B\t1\n{}", started(1, "x", "0")));
        bench.write_raw(b"F\t1\t1500000\t1500000000\tpassed\t\nD\t1\n");
        bench.write_raw(&[b'x'; 3 << 20]);
        bench.write_raw(b"\n");
        assert!(!bench.follower.is_done());
        assert!(bench.follower.rest.len() <= LINE_LIMIT);
        bench.write("F\t1\t1500000\t1500000000\tfailed\t\nD\t1\n");
        assert!(bench.follower.is_done());
        assert_eq!(bench.follower.answer().seen[0].execution.outcome, Outcome::Failed);
        assert_eq!(bench.follower.damage().seals.foreign, 3);
        assert_eq!(bench.follower.damage().seals.missing, 0);
    }

    #[test]
    fn each_order_has_an_answer_of_its_own() {
        let mut bench = Bench::new();
        bench.write(&format!("{START}B\t1\n{}D\t1\n", started(1, "x", "0")));
        assert_eq!(bench.follower.answer().seen.len(), 1);
        bench.follower.expect(2, RUN);
        bench.write("D\t1\n");
        assert!(!bench.follower.is_done());
        bench.write(&format!("B\t2\n{}D\t2\n", started(2, "y", "0")));
        assert!(bench.follower.is_done());
        assert_eq!(bench.follower.answer().seen[0].execution.test.name, "y");
    }

    #[test]
    fn a_listing_gives_leaves_and_what_could_not_be_listed() {
        let mut bench = Bench::new();
        bench.write(&format!("{START}L\ta.All\ta.B\tx\t2\tx\nE\ta.C\tno tests\nD\t1\n"));
        let answer = bench.follower.answer();
        let leaf = Leaf { root: "a.All".into(), class: "a.B".into(), name: "x".into(), occurrence: 2 };
        assert_eq!((answer.leaves, answer.unlisted), (vec![leaf], vec![("a.C".to_owned(), "no tests".to_owned())]));
    }

    proptest! {
        #[test]
        fn no_content_panics(content in "[PSFTBDXLE\t0-9a-z%\u{0}\n]{0,300}") {
            let mut bench = Bench::new();
            bench.write(&format!("{START}B\t1\n{content}"));
            bench.follower.answer();
        }
    }
}
