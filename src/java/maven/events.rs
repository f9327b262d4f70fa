//! What the test processes report: one file per process, one line when a test starts and one when it ends, each under its
//! process' seal.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read};

use miette::miette;

use super::event_files::EventFile;
use super::line::{FILE_LIMIT, Line, each_line, each_line_of_bytes};
use super::protocol::{EventKind, LineKind};
use super::seal::{SealDamage, SealedLines};
use crate::run_clock::Clock;
use crate::suite::{Execution, JvmWork, Outcome, TestId};
use crate::wording::first_bytes;

/// Messages beyond this many bytes in one run are cut to their first line.
const MESSAGE_BUDGET: usize = 64 << 20;
const SHORT_MESSAGE: usize = 300;
fn seconds(nanos: i64) -> f64 {
    nanos as f64 / 1e9
}

/// An execution as a process reported it.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// Its occurrence counts within the process, or within the root.
    pub execution: Execution,
    /// The class that was run for it, where that is known: JUnit 3 suites gather tests of others.
    pub root: Option<String>,
    /// The test goal that it belongs to, by position.
    pub suite: usize,
    /// The occurrence as reported.
    pub local: u32,
    /// The number of the request that it answers, where tests are asked for one by one.
    pub asked: Option<usize>,
    /// By which its process referred to it.
    pub number: u32,
}

impl Observation {
    /// Of an execution as it was reported.
    pub fn unrooted(execution: Execution) -> Self {
        Observation { local: execution.test.occurrence, execution, root: None, suite: 0, asked: None, number: 0 }
    }
}

/// What one test goal's processes reported.
#[derive(Debug, Default, PartialEq)]
pub struct Observed {
    /// As they were started, process by process.
    pub observations: Vec<Observation>,
    /// What the processes computed; nothing where one did not tell.
    pub work: Option<JvmWork>,
    pub damage: RecordDamage,
}

/// What of the processes' records is not as the listeners write them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RecordDamage {
    pub seals: SealDamage,
    /// Lines of a listener that say nothing.
    pub meaningless: usize,
    /// Ends of tests that had not started, or had ended before.
    pub unmatched_ends: usize,
}

/// Reads what processes wrote. A test that did not end was cut off by `unfinished`: its process died, or the time was up;
/// `end` is when the run ended, in seconds.
pub fn observe<'a>(
    files: impl IntoIterator<Item = &'a EventFile>,
    module: &str,
    run: Clock,
    unfinished: Outcome,
    end: f64,
) -> miette::Result<Observed> {
    let mut observed = Observed::default();
    let mut budget = MESSAGE_BUDGET;
    let mut works = Vec::new();
    for file in files {
        let mut process = ProcessEvents { budget, ..ProcessEvents::new(module, file.process, run) };
        let damage = read_sealed(file, &mut process)
            .map_err(|error| miette!("the records of process {} cannot be read: {error}", file.process))?;
        observed.damage.add(damage);
        budget = process.budget;
        works.push(process.work());
        observed.observations.extend(process.finish(unfinished, end));
    }
    observed.work = works.into_iter().reduce(|a, b| Some(a? + b?)).flatten();
    Ok(observed)
}

fn read_sealed(file: &EventFile, process: &mut ProcessEvents) -> io::Result<RecordDamage> {
    let mut seals = SealedLines::new(file.key);
    let mut damage = RecordDamage::default();
    let lines = each_line_of_bytes(BufReader::new(file.read()?.take(FILE_LIMIT)), |sealed| {
        if let Some(line) = seals.open(sealed) {
            process.take_or_note(line, &mut damage);
        }
        true
    })?;
    seals.note_unreadable(lines.lines);
    damage.seals = seals.damage();
    Ok(damage)
}

impl RecordDamage {
    fn add(&mut self, other: RecordDamage) {
        self.seals.add(other.seals);
        self.meaningless += other.meaningless;
        self.unmatched_ends += other.unmatched_ends;
    }
}

/// What one process reported, by lines without seals.
pub fn observe_process(events: impl BufRead, module: &str, run: Clock) -> io::Result<Observed> {
    let mut process = ProcessEvents::new(module, 0, run);
    each_line(events, |line| process.take(line).is_some())?;
    let work = process.work();
    let damage = RecordDamage::default();
    Ok(Observed { observations: process.finish(Outcome::Crashed, 0.0), work, damage })
}

/// The events of one process, while they are read.
#[derive(Debug)]
pub struct ProcessEvents {
    module: String,
    run: Clock,
    /// How many bytes of messages may still be kept.
    budget: usize,
    process: u32,
    /// The process' own clocks, read together when it began.
    anchor: Option<(i64, i64)>,
    observations: Vec<Observation>,
    open: HashMap<u32, usize>,
    last: f64,
    /// CPU seconds beside the program and in all, as told when tests began and at the end.
    told: [Option<(f64, f64)>; 2],
}

impl ProcessEvents {
    /// Of a process that will tell who it is, if `process` is not.
    pub fn new(module: &str, process: u32, run: Clock) -> Self {
        ProcessEvents {
            module: module.to_owned(),
            run,
            budget: MESSAGE_BUDGET,
            process,
            anchor: None,
            observations: Vec::new(),
            open: HashMap::new(),
            last: 0.0,
            told: [None; 2],
        }
    }

    /// Counts the time from another run's beginning on, for a process that serves several.
    pub fn begin_run(&mut self, run: Clock) {
        self.run = run;
        self.budget = MESSAGE_BUDGET;
        self.last = 0.0;
    }

    pub fn process(&self) -> u32 {
        self.process
    }

    /// What was started since the last time, and which of it has not ended, by the numbers of its starts. Those last
    /// until the process' last sign of life.
    pub fn drain(&mut self) -> (Vec<Observation>, HashMap<u32, usize>) {
        for &index in self.open.values() {
            let execution = &mut self.observations[index].execution;
            execution.seconds = (self.last - execution.start).max(0.0);
        }
        (std::mem::take(&mut self.observations), std::mem::take(&mut self.open))
    }

    /// What it computed, if it told so twice.
    fn work(&self) -> Option<JvmWork> {
        let [(beside_startup, process_startup), (beside, all)] = [self.told[0]?, self.told[1]?];
        Some(JvmWork {
            beside_startup,
            process_startup,
            beside_tests: (beside - beside_startup).max(0.0),
            tests: (all - process_startup).max(0.0),
            processes: 1,
        })
    }

    fn take_or_note(&mut self, line: &str, damage: &mut RecordDamage) {
        let Some(line) = Line::parse(line) else {
            damage.meaningless += 1;
            return;
        };
        let ends_nothing = line.kind == EventKind::Finished.word()
            && line.number(0).is_none_or(|number| !self.open.contains_key(&number));
        if ends_nothing {
            damage.unmatched_ends += 1;
        } else if self.take(&line).is_none() {
            damage.meaningless += 1;
        }
    }

    /// `None` for a line that is not about a test.
    pub fn take(&mut self, line: &Line) -> Option<()> {
        match EventKind::of(&line.kind)? {
            EventKind::Process => {
                self.process = line.number(1)?;
                self.anchor = Some((line.number(2)?, line.number(3)?));
            }
            EventKind::Started => self.start(line)?,
            EventKind::Finished => self.end(line)?,
            EventKind::Computed => {
                let told = Some((seconds(line.number(0)?), seconds(line.number(1)?)));
                self.told = [self.told[0].or(told), told];
            }
            // That a test took too long, which says when.
            EventKind::TimedOut => drop(self.time(line)?),
            // Of the direct engine, which reads them itself.
            EventKind::Begun
            | EventKind::Done
            | EventKind::Refused
            | EventKind::Listed
            | EventKind::Unlisted
            | EventKind::Named
            | EventKind::Initialised
            | EventKind::Accessed => return None,
        }
        Some(())
    }

    fn start(&mut self, line: &Line) -> Option<()> {
        let number = line.number(0)?;
        let start = self.time(line)?;
        let (class, name) = (line.text(4)?, line.text(5)?);
        let occurrence: u32 = line.number(6)?;
        let display = line.text(7)?;
        let execution = Execution {
            test: TestId::new(&self.module, nonempty(class), nonempty(name), occurrence.max(1)),
            display: (!display.is_empty() && display != name).then(|| display.to_owned()),
            outcome: Outcome::Crashed,
            start,
            seconds: 0.0,
            process: self.process,
            thread: line.text(3)?.to_owned(),
            message: None,
        };
        let root = line.text(8).filter(|root| !root.is_empty()).map(str::to_owned);
        self.open.insert(number, self.observations.len());
        let asked = line.number(9);
        self.observations.push(Observation { root, asked, number, ..Observation::unrooted(execution) });
        Some(())
    }

    fn end(&mut self, line: &Line) -> Option<()> {
        let end = self.time(line)?;
        let outcome = match line.text(3)? {
            "passed" => Outcome::Passed,
            "failed" => Outcome::Failed,
            "error" => Outcome::Error,
            "skipped" => Outcome::Skipped,
            _ => return None,
        };
        let message = self.message(line.text(4)?);
        let index = self.open.remove(&line.number(0)?)?;
        let execution = &mut self.observations.get_mut(index)?.execution;
        execution.outcome = outcome;
        execution.seconds = (end - execution.start).max(0.0);
        execution.message = message;
        Some(())
    }

    fn time(&mut self, line: &Line) -> Option<f64> {
        let (epoch, monotonic): (i64, i64) = (line.number(1)?, line.number(2)?);
        let time = match self.anchor {
            Some((epoch, reading)) => self.run.until(epoch, reading) + seconds(monotonic.saturating_sub(reading)),
            None => self.run.until(epoch, monotonic),
        };
        self.last = self.last.max(time);
        Some(time.max(0.0))
    }

    fn message(&mut self, text: &str) -> Option<String> {
        if text.is_empty() {
            return None;
        }
        let kept = if text.len() <= self.budget {
            text
        } else {
            first_bytes(text.lines().next().unwrap_or_default(), SHORT_MESSAGE)
        };
        self.budget = self.budget.saturating_sub(kept.len());
        Some(kept.to_owned())
    }

    /// When a process died is not on record: its last sign of life counts.
    fn finish(mut self, unfinished: Outcome, end: f64) -> Vec<Observation> {
        let cut_off = if unfinished == Outcome::TimedOut { end } else { self.last };
        for index in self.open.into_values() {
            let execution = &mut self.observations[index].execution;
            execution.outcome = unfinished;
            execution.seconds = (cut_off - execution.start).max(0.0);
            execution.message = Some(match unfinished {
                Outcome::TimedOut => "it was running when the time limit was reached".to_owned(),
                _ => "it was running when its process died".to_owned(),
            });
        }
        self.observations
    }
}

fn nonempty(text: &str) -> &str {
    if text.is_empty() { "unknown" } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::maven::protocol::table;
    use crate::maven::seal::SealKey;
    use proptest::prelude::*;

    const RUN: Clock = Clock { monotonic_nanos: 5_000_000_000, epoch_micros: 1_000_000_000_000 };
    const HEADER: &str = "P\t1\t42\t1000001000000\t6000000000\n";

    fn observed(content: &[u8], unfinished: Outcome) -> Observed {
        let sealed = SealKey::of(3, 4).seal(1, &String::from_utf8_lossy(content));
        observe([&EventFile::with_content(1, 42, &sealed)], "lib", RUN, unfinished, 100.0).unwrap()
    }

    #[test]
    fn a_test_has_its_times_thread_process_and_message() {
        let events = format!(
            "{HEADER}S\t1\t1000001500000\t6500000000\tpool-1\ta.B\ttest\t3\ttest[x]\n\
             F\t1\t1000001750000\t6750000000\tfailed\tjava.lang.AssertionError: no%0a%09at a.B\n"
        );
        let observations = observed(events.as_bytes(), Outcome::Crashed).observations;
        let test = &observations[0].execution;
        assert_eq!(test.test.to_string(), "lib:a.B#test~3");
        assert_eq!((test.outcome, test.process, test.thread.as_str()), (Outcome::Failed, 42, "pool-1"));
        assert!((test.start - 1.5).abs() < 1e-9 && (test.seconds - 0.25).abs() < 1e-9);
        assert_eq!(test.message.as_deref(), Some("java.lang.AssertionError: no\n\tat a.B"));
        assert_eq!(test.display.as_deref(), Some("test[x]"));
    }

    #[test]
    fn the_examples_of_the_protocol_are_understood() {
        let kinds = ["P", "S", "F", "T", "C"];
        let observed =
            observed(kinds.map(|kind| table::lines_of("events", kind)).concat().as_bytes(), Outcome::Crashed);
        assert_eq!(observed.damage, RecordDamage::default());
        let [unasked, asked] = &observed.observations[..] else { panic!("{observed:?}") };
        assert_eq!((unasked.asked, unasked.number, unasked.root.as_deref()), (None, 2, None));
        assert_eq!(unasked.execution.test.to_string(), "lib:a.B#test");
        assert!((unasked.execution.seconds - 0.6).abs() < 1e-9, "until the line that says that it took too long");
        assert_eq!((asked.asked, asked.number, asked.root.as_deref()), (Some(7), 1, Some("a.All")));
        let test = &asked.execution;
        assert_eq!(test.test.to_string(), "lib:a.B#test(int)~3");
        assert_eq!((test.process, test.thread.as_str(), test.display.as_deref()), (42, "pool-1", Some("100%\t\u{e9}")));
        assert!((test.start - 1.5).abs() < 1e-9 && (test.seconds - 0.25).abs() < 1e-9);
        assert_eq!(
            (test.outcome, test.message.as_deref()),
            (Outcome::Failed, Some("java.lang.AssertionError: no\n\tat a.B"))
        );
        let work = observed.work.unwrap();
        assert_eq!((work.beside_startup, work.process_startup), (1.5, 4.0));
        assert_eq!((work.beside_tests, work.tests), (0.5, 5.0));
    }

    #[test]
    fn every_outcome_of_the_protocol_is_understood() {
        let outcomes = table::entry("events", "F").values("outcome");
        let read = outcomes.iter().map(|outcome| {
            let events = format!(
                "{HEADER}S\t1\t1000001500000\t6500000000\tmain\ta.B\tt\t1\t\nF\t1\t1000001750000\t6750000000\t{outcome}\t\n"
            );
            observed(events.as_bytes(), Outcome::Crashed).observations[0].execution.outcome
        });
        let read: Vec<_> = read.collect();
        assert_eq!(read, [Outcome::Passed, Outcome::Failed, Outcome::Error, Outcome::Skipped]);
    }

    #[test]
    fn a_test_that_a_suite_gathered_names_the_suite() {
        let events = format!("{HEADER}S\t1\t1000001500000\t6500000000\tmain\ta.B\ttest\t1\t\ta.AllTests\n");
        let observations = observed(events.as_bytes(), Outcome::Crashed).observations;
        assert_eq!(observations[0].root.as_deref(), Some("a.AllTests"));
    }

    #[test]
    fn a_test_without_an_end_was_cut_off() {
        let events = format!("{HEADER}S\t1\t1000001500000\t6500000000\tmain\ta.B\ttest\t1\t\nF\t1\t10000");
        let crashed = observed(events.as_bytes(), Outcome::Crashed);
        assert_eq!(crashed.observations[0].execution.outcome, Outcome::Crashed);
        assert_eq!(crashed.damage, RecordDamage::default(), "its process died while it wrote");
        let timed_out = observed(events.as_bytes(), Outcome::TimedOut);
        assert_eq!(timed_out.observations[0].execution.outcome, Outcome::TimedOut);
        assert!((timed_out.observations[0].execution.seconds - 98.5).abs() < 1e-9);
    }

    #[test]
    fn a_monotonic_clock_of_its_own_is_not_trusted() {
        let events = "P\t1\t42\t1000003000000\t77\nS\t1\t1000003500000\t500000077\tmain\ta.B\tt\t1\t\n";
        let start = observed(events.as_bytes(), Outcome::Crashed).observations[0].execution.start;
        assert!((start - 3.5).abs() < 1e-9, "{start}");
    }

    /// A test of a quarter second, half a second after its process began, which was one second after the run had; with
    /// wall clocks that were set by so many seconds before the process began, before the test did, and while it ran.
    fn with_steps(steps: [i64; 3]) -> Execution {
        let epoch = |at: i64, step: i64| 1_000_000_000_000 + at * 1000 + step * 1_000_000;
        let events = format!(
            "P\t1\t42\t{}\t6000000000\nS\t1\t{}\t6500000000\tmain\ta.B\tt\t1\t\nF\t1\t{}\t6750000000\tpassed\t\n",
            epoch(1000, steps[0]),
            epoch(1500, steps[0] + steps[1]),
            epoch(1750, steps.iter().sum())
        );
        observed(events.as_bytes(), Outcome::Crashed).observations.remove(0).execution
    }

    #[test]
    fn a_wall_clock_that_is_set_changes_no_time() {
        for by in [0, 1, -1, 3600, -3600, 40 * 365 * 86400, -40 * 365 * 86400] {
            for steps in [[by, 0, 0], [0, by, 0], [0, 0, by], [by, -by, by]] {
                let test = with_steps(steps);
                assert!((test.start - 1.5).abs() < 1e-9, "{steps:?}: {}", test.start);
                assert!((test.seconds - 0.25).abs() < 1e-9, "{steps:?}: {}", test.seconds);
            }
        }
    }

    #[test]
    fn lines_that_tests_write_are_counted_and_not_believed() {
        let key = SealKey::of(3, 4);
        let own = key.seal(1, &format!("{HEADER}S\t1\t1000001500000\t6500000000\tmain\ta.B\tt\t1\t\n"));
        let end = |outcome: &str| format!("F\t1\t1000001750000\t6750000000\t{outcome}\t\n");
        let forged = format!("{}\u{0}\u{0}\n{}", end("passed"), SealKey::of(1, 1).seal(3, &end("passed")));
        let file = EventFile::with_content(1, 42, &(own + &forged + &key.seal(3, &end("failed"))));
        let observed = observe([&file], "", RUN, Outcome::Crashed, 9.0).unwrap();
        assert_eq!(observed.observations[0].execution.outcome, Outcome::Failed);
        assert_eq!(observed.damage.seals, SealDamage { foreign: 3, ..SealDamage::default() });
    }

    #[test]
    fn a_second_end_and_one_without_a_start_are_counted_and_the_first_stays() {
        let end = |number: u32, outcome: &str| format!("F\t{number}\t1000001750000\t6750000000\t{outcome}\t\n");
        let start = "S\t1\t1000001500000\t6500000000\tmain\ta.B\tt\t1\t\n";
        let events = format!("{HEADER}{start}{}{}{}what\n", end(1, "failed"), end(1, "passed"), end(7, "passed"));
        let observed = observed(events.as_bytes(), Outcome::Crashed);
        assert_eq!(observed.observations[0].execution.outcome, Outcome::Failed);
        let damage = RecordDamage { unmatched_ends: 2, meaningless: 1, ..RecordDamage::default() };
        assert_eq!(observed.damage, damage);
    }

    #[test]
    fn no_file_means_no_tests() {
        let observed = observe([], "", RUN, Outcome::Crashed, 1.0).unwrap();
        assert_eq!(observed, Observed::default());
    }

    proptest! {
        #[test]
        fn no_content_panics(lines in proptest::collection::vec("[PSF\t0-9a-z%\u{0}\n]{0,60}", 0..30)) {
            observed(lines.join("\n").as_bytes(), Outcome::Crashed);
        }
    }
}
