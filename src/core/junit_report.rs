//! Surefire's own XML reports, for JUnit 3 alone: the one provider that takes no listener.
//!
//! Only the files directly in a module's report folder are read; builds copy them elsewhere. A report that is cut short
//! or not XML at all is said, and what was read before counts.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use crate::file_error::file_error;
use crate::run_clock::Clock;
use crate::suite::{Execution, Outcome, TestId};
use crate::wording::first_bytes;

/// Of one report.
const FILE_LIMIT: u64 = 64 << 20;
const MESSAGE_LIMIT: usize = 4096;
/// Stamps are rounded, in seconds at worst.
const STAMP_TOLERANCE: f64 = 1.0;

/// What the reports of one module hold.
#[derive(Debug, Default, PartialEq)]
pub struct Reports {
    pub executions: Vec<Execution>,
    /// Files that could not be read to their end, with the reason.
    pub damaged: Vec<String>,
}

pub fn read(folder: &Path, module: &str, run: Clock) -> miette::Result<Reports> {
    let mut reports = Reports::default();
    for path in report_files(folder)? {
        let file = File::open(&path).map_err(|error| error.to_string());
        let mut keep = |execution| reports.executions.push(execution);
        let read = file.and_then(|file| read_report(BufReader::new(file.take(FILE_LIMIT)), module, run, &mut keep));
        if let Err(why) = read {
            reports.damaged.push(format!("{}: {why}", path.display()));
        }
    }
    Ok(reports)
}

fn report_files(folder: &Path) -> miette::Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let broken = |error| file_error(format_args!("{} cannot be read", folder.display()), &error);
    let mut files = Vec::new();
    for entry in folder.read_dir().map_err(broken)? {
        let path = entry.map_err(broken)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.starts_with("TEST-") && name.ends_with(".xml") && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Where the reader is inside a report.
#[derive(Default)]
struct Position {
    depth: usize,
    current: Option<Execution>,
    /// Where the next test starts that has no time stamp of its own.
    clock: f64,
    closed: bool,
    /// Of the end of the present tag.
    line: u64,
    unreadable: Unreadable,
}

/// Times of a report that say nothing, and count as none.
#[derive(Debug, Default, PartialEq)]
pub struct Unreadable {
    pub count: usize,
    /// The first one: its line, and what is written there.
    pub first: Option<(u64, String)>,
}

/// One report, handed out test by test. What was read before it turned out to be damaged counts.
pub fn read_report(
    report: impl BufRead,
    module: &str,
    run: Clock,
    keep: &mut dyn FnMut(Execution),
) -> Result<Unreadable, String> {
    let mut reader = Reader::from_reader(Lines::of(report));
    let mut position = Position::default();
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        let event = reader.read_event_into(&mut buffer).map_err(|error| error.to_string());
        position.line = reader.get_ref().number;
        match event.map_err(|error| format!("line {}: {error}", position.line))? {
            Event::Start(tag) => {
                position.open(&tag, module, run);
                position.depth += 1;
            }
            Event::Empty(tag) => {
                position.open(&tag, module, run);
                position.close(tag.local_name().as_ref(), keep);
            }
            Event::End(tag) => {
                position.depth = position.depth.saturating_sub(1);
                position.close(tag.local_name().as_ref(), keep);
            }
            Event::Eof if position.closed => return Ok(position.unreadable),
            Event::Eof => return Err("the file ends before its test suite does".to_owned()),
            _ => {}
        }
    }
}

/// Knows the line that has been read to.
struct Lines<R> {
    report: R,
    number: u64,
}

impl<R> Lines<R> {
    fn of(report: R) -> Self {
        Lines { report, number: 1 }
    }
}

impl<R: BufRead> Read for Lines<R> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let length = self.fill_buf()?.read(into)?;
        self.consume(length);
        Ok(length)
    }
}

impl<R: BufRead> BufRead for Lines<R> {
    fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
        self.report.fill_buf()
    }

    /// What is consumed is in the buffer already: looking at it reads nothing.
    fn consume(&mut self, length: usize) {
        let read = self.report.fill_buf().map(|bytes| bytes.get(..length).unwrap_or(bytes)).unwrap_or_default();
        self.number += read.iter().filter(|byte| **byte == b'\n').count() as u64;
        self.report.consume(length);
    }
}

impl Position {
    fn open(&mut self, tag: &BytesStart<'_>, module: &str, run: Clock) {
        match (tag.local_name().as_ref(), &mut self.current) {
            ("testcase", None) => self.current = Some(self.test_case(tag, module, run)),
            ("failure", Some(test)) => fail(test, tag, Outcome::Failed),
            ("error", Some(test)) => fail(test, tag, Outcome::Error),
            ("skipped", Some(test)) => fail(test, tag, Outcome::Skipped),
            _ => {}
        }
    }

    fn close(&mut self, name: &str, keep: &mut dyn FnMut(Execution)) {
        match name {
            "testcase" => self.current.take().into_iter().for_each(keep),
            "testsuite" | "testsuites" if self.depth == 0 => self.closed = true,
            _ => {}
        }
    }

    fn test_case(&mut self, tag: &BytesStart<'_>, module: &str, run: Clock) -> Execution {
        let written = attribute(tag, "time");
        let taken = written.as_deref().and_then(seconds);
        if let (Some(written), None) = (written, taken) {
            self.unreadable.count += 1;
            self.unreadable.first.get_or_insert((self.line, written));
        }
        let seconds = taken.unwrap_or(0.0);
        let stamp = attribute(tag, "timestamp").and_then(|stamp| stamp.parse::<jiff::Timestamp>().ok());
        let since_began = |stamp: jiff::Timestamp| stamp.as_microsecond().saturating_sub(run.epoch_micros) as f64 / 1e6;
        // A stamp from outside the run tells of a clock that was set, not of the test.
        let within = |start: &f64| (-STAMP_TOLERANCE..=run.elapsed() + STAMP_TOLERANCE).contains(start);
        let start = stamp.map(since_began).filter(within).unwrap_or(self.clock);
        self.clock = start + seconds;
        let named = |key| attribute(tag, key).filter(|text| !text.is_empty()).unwrap_or_else(|| "unknown".to_owned());
        Execution {
            test: TestId::new(module, &named("classname"), &named("name"), 1),
            display: None,
            outcome: Outcome::Passed,
            start: start.max(0.0),
            seconds,
            process: 0,
            thread: String::new(),
            message: None,
        }
    }
}

/// Thousands are separated by commas. Some tools write a decimal comma instead: there is no point then, and what follows the
/// one comma are not three digits, or what precedes it is a zero.
fn seconds(written: &str) -> Option<f64> {
    let decimal_comma = match written.trim().split_once(',') {
        Some((whole, part)) if !part.contains([',', '.']) => part.len() != 3 || whole == "0",
        _ => false,
    };
    let plain = written.trim().replace(',', if decimal_comma { "." } else { "" });
    plain.parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds >= 0.0)
}

fn fail(test: &mut Execution, tag: &BytesStart<'_>, outcome: Outcome) {
    if test.outcome != Outcome::Passed {
        return;
    }
    test.outcome = outcome;
    let parts = [attribute(tag, "type"), attribute(tag, "message")];
    let text = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ");
    test.message = (!text.is_empty()).then(|| first_bytes(&text, MESSAGE_LIMIT).to_owned());
}

/// Only XML's own entities are known, so none can expand into anything large; others stay as they are written.
fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = tag.try_get_attribute(name).ok()??;
    let value = attribute.normalized_value(XmlVersion::Implicit1_0);
    Some(value.map_or_else(|_| attribute.value.clone().into_owned(), Cow::into_owned))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RUN: Clock = Clock { monotonic_nanos: 0, epoch_micros: 0 };

    fn read_text(content: &str) -> Reports {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("TEST-a.B.xml"), content).unwrap();
        std::fs::create_dir(folder.path().join("copies")).unwrap();
        std::fs::write(folder.path().join("copies/TEST-a.B.xml"), content).unwrap();
        read(folder.path(), "old", RUN).unwrap()
    }

    #[test]
    fn outcomes_times_and_messages_are_read_once() {
        let reports = read_text(
            "<?xml version=\"1.0\"?><testsuite tests=\"9\"><properties/>\
             <testcase name=\"a\" classname=\"a.B\" time=\"1.5\" timestamp=\"1970-01-01T00:00:02Z\"/>\
             <testcase name=\"b\" classname=\"a.B\" time=\"1,000.25\"><failure message=\"&lt;x&gt;\" type=\"E\">t</failure></testcase>\
             <testcase name=\"c\" classname=\"a.B\" time=\"0\"><error type=\"E\"/></testcase>\
             <testcase name=\"d\" classname=\"a.B\"><skipped/></testcase></testsuite>",
        );
        assert_eq!(reports.damaged, Vec::<String>::new());
        let found: Vec<_> = reports.executions.iter().map(|e| (e.test.to_string(), e.outcome, e.start)).collect();
        assert_eq!(
            found,
            [
                ("old:a.B#a".to_owned(), Outcome::Passed, 2.0),
                ("old:a.B#b".to_owned(), Outcome::Failed, 3.5),
                ("old:a.B#c".to_owned(), Outcome::Error, 1003.75),
                ("old:a.B#d".to_owned(), Outcome::Skipped, 1003.75),
            ]
        );
        assert_eq!(reports.executions[1].message.as_deref(), Some("E: <x>"));
    }

    #[test]
    fn a_stamp_from_outside_the_run_is_not_believed() {
        let reports = read_text(
            "<testsuite><testcase name=\"a\" classname=\"B\" time=\"2\" timestamp=\"1970-01-01T00:00:05Z\"/>\
             <testcase name=\"b\" classname=\"B\" time=\"1\" timestamp=\"2038-01-01T00:00:05Z\"/>\
             <testcase name=\"c\" classname=\"B\" time=\"1\" timestamp=\"1950-01-01T00:00:05Z\"/></testsuite>",
        );
        assert_eq!(reports.executions.iter().map(|e| e.start).collect::<Vec<_>>(), [5.0, 7.0, 8.0]);
    }

    #[test]
    fn commas_separate_thousands_unless_they_are_decimal() {
        let written = ["1,234.5", "1,234,567.25", "1,234", "0,250", "12,5", " 3.5 ", "", "-1", "inf"];
        let read = [1234.5, 1_234_567.25, 1234.0, 0.25, 12.5, 3.5].map(Some);
        assert_eq!(written.map(seconds)[..6], read);
        assert_eq!(written.map(seconds)[6..], [None; 3]);
    }

    #[test]
    fn a_time_that_says_nothing_is_told_with_its_line() {
        let report = "<testsuite>\n<testcase name='a' classname='B'/>\n<testcase name='b'\n classname='B' time='fast'/>\n\
                      <testcase name='c' classname='B' time='-1'/></testsuite>";
        let unreadable = read_report(report.as_bytes(), "", RUN, &mut |_| {}).unwrap();
        assert_eq!(unreadable, Unreadable { count: 2, first: Some((4, "fast".to_owned())) });
        let broken = read_report("<testsuite>\n</testcase>".as_bytes(), "", RUN, &mut |_| {}).unwrap_err();
        assert!(broken.starts_with("line 2: "), "{broken}");
    }

    #[test]
    fn a_report_cut_short_is_said_and_its_tests_count() {
        let reports = read_text("<testsuite><testcase name=\"a\" classname=\"B\"/><testcase name=\"b\" class");
        assert_eq!((reports.executions.len(), reports.damaged.len()), (1, 1));
        assert_eq!(read_text("").damaged.len(), 1);
    }

    #[test]
    fn entities_are_not_expanded() {
        let reports = read_text(
            "<!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;\">]>\
             <testsuite><testcase name=\"&b;\" classname=\"C\"/></testsuite>",
        );
        assert_eq!(reports.executions[0].test.name, "&b;");
    }

    proptest! {
        #[test]
        fn no_content_panics(content in "[<>/a-z=\"'&; \\[\\]!?-]{0,200}") {
            read_text(&content);
            read_text(&format!("<testsuite><testcase name=\"x\" {content}"));
        }
    }
}
