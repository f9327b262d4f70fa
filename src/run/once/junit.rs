//! JUnit XML as Surefire writes it: `<reports>/<module>/TEST-<class>.xml`, a file for each class.
//!
//! Where Surefire wrote reports of the first run, they are the beginning: names, files and output of tests are its own, and only
//! tests that were run again, or that no report has, are written anew (`surefire`).
//!
//! A pass that took a retry has its failures in it (`flakyFailure`), a failure that stayed its reruns (`rerunFailure`). The
//! folder may be anyone's: only files that parade wrote, and noted in a list there, are ever removed.

mod surefire;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use miette::Result;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};
use sha2::{Digest, Sha256};

use super::outcome::{Attempt, TestStory};
use crate::file_error::file_error;
use crate::project::KeptReports;
use crate::subject::REPORTS_LIST;
use crate::suite::Outcome;
use crate::wording::hex;

/// The list of files that parade wrote into a folder.
const LIST: &str = REPORTS_LIST;
const LIST_LIMIT: u64 = 64 << 20;
/// Of a file name, in bytes; file systems take 255.
const NAME_LIMIT: usize = 200;

/// Removes what an earlier run left in the folder: old results must not pass for new ones.
pub fn clear(reports: &Path) -> Result<()> {
    let list = reports.join(LIST);
    let size = fs::metadata(&list).map_or(0, |metadata| metadata.len());
    let text = if size <= LIST_LIMIT { fs::read_to_string(&list).unwrap_or_default() } else { String::new() };
    for line in text.lines().filter(|line| is_report(Path::new(line))) {
        let path = reports.join(line);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(file_error(format_args!("the old report {} cannot be removed", path.display()), &error));
            }
            _ => remove_empty(path.parent(), reports),
        }
    }
    Ok(())
}

/// An error where reports could not be written in the end: better before the tests have run.
pub fn check(reports: &Path) -> std::io::Result<()> {
    fs::create_dir_all(reports)?;
    tempfile::Builder::new().prefix(".parade-").tempfile_in(reports).map(drop)
}

/// Writes the reports of all tests; how many files there are is the answer.
pub fn write(reports: &Path, tests: &[TestStory], surefire: &KeptReports) -> Result<usize> {
    let mut modules: BTreeMap<&str, Vec<&TestStory>> = BTreeMap::new();
    for story in tests {
        modules.entry(&story.test.module).or_default().push(story);
    }
    let mut files: BTreeMap<PathBuf, Vec<u8>> = BTreeMap::new();
    for (module, stories) in &modules {
        let own = surefire.folders.get(*module).map(|folder| surefire::read(folder)).unwrap_or_default();
        for (name, document) in surefire::documents(&own, stories)? {
            files.insert(folder_of(module).join(name), document);
        }
    }
    // First, so that whatever ends parade now, the next run knows what is its own.
    let list: String = files.keys().map(|path| format!("{}\n", path.display())).collect();
    put(&reports.join(LIST), list.as_bytes())?;
    for (path, document) in &files {
        put(&reports.join(path), document)?;
    }
    Ok(files.len())
}

/// There whole or not at all. Not synced: what a power cut takes, the next build makes again.
fn put(path: &Path, content: &[u8]) -> Result<()> {
    let failed = |error: std::io::Error| file_error(format_args!("{} cannot be written", path.display()), &error);
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(failed)?;
    let mut file = tempfile::Builder::new()
        .prefix(".parade-")
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644))
        .tempfile_in(folder)
        .map_err(failed)?;
    std::io::Write::write_all(&mut file, content).map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error)).map(drop)
}

/// A line of the list that names a report below the folder, and nothing else.
fn is_report(path: &Path) -> bool {
    let inside = path.components().all(|part| matches!(part, Component::Normal(_)));
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    inside && name.starts_with("TEST-") && name.ends_with(".xml")
}

/// Folders up to the reports' own that nothing is in any more.
fn remove_empty(folder: Option<&Path>, reports: &Path) {
    let mut folder = folder;
    while let Some(empty) = folder.filter(|folder| *folder != reports && folder.starts_with(reports)) {
        if fs::remove_dir(empty).is_err() {
            return;
        }
        folder = empty.parent();
    }
}

/// The module's path, made of names that stay below the reports.
fn folder_of(module: &str) -> PathBuf {
    module.split('/').filter(|part| !part.is_empty()).map(safe).collect()
}

fn file_name(class: &str) -> String {
    format!("TEST-{}.xml", safe(class))
}

/// Letters, digits and a few signs as they are, everything else in percent: no two names become one.
fn safe(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for c in name.chars() {
        // A name of dots alone is a way out of the folder.
        let dots = c == '.' && name.chars().all(|c| c == '.');
        if !dots && (c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '$' | '+')) {
            text.push(c);
        } else {
            let mut bytes = [0; 4];
            c.encode_utf8(&mut bytes).bytes().for_each(|byte| text.push_str(&format!("%{byte:02x}")));
        }
    }
    if text.len() <= NAME_LIMIT {
        return text;
    }
    let digest = hex(&Sha256::digest(name)[..8]);
    let mut end = NAME_LIMIT - digest.len();
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}-{digest}", &text[..end])
}

/// One class as a document.
fn document(class: &str, stories: &[&TestStory]) -> std::io::Result<Vec<u8>> {
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let count = |which: fn(Outcome) -> bool| stories.iter().filter(|story| which(story.outcome())).count().to_string();
    let seconds: f64 = stories.iter().map(|story| story.last().seconds).sum();
    let mut suite = BytesStart::new("testsuite");
    for (key, value) in [
        ("version", "3.0".to_owned()),
        ("name", clean(class)),
        ("time", time(seconds)),
        ("tests", stories.len().to_string()),
        ("errors", count(is_error)),
        ("skipped", count(|outcome| outcome == Outcome::Skipped)),
        ("failures", count(|outcome| outcome == Outcome::Failed)),
    ] {
        suite.push_attribute((key, value.as_str()));
    }
    xml.write_event(Event::Start(suite))?;
    for story in stories {
        test_case(&mut xml, story)?;
    }
    xml.write_event(Event::End(BytesEnd::new("testsuite")))?;
    let mut bytes = xml.into_inner();
    bytes.push(b'\n');
    Ok(bytes)
}

fn is_error(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Error | Outcome::Crashed | Outcome::TimedOut | Outcome::NotRun)
}

/// Failures come before errors, as the order of elements is fixed.
fn test_case(xml: &mut Writer<Vec<u8>>, story: &TestStory) -> std::io::Result<()> {
    let mut case = BytesStart::new("testcase");
    case.push_attribute(("name", clean(&name_of(story)).as_str()));
    case.push_attribute(("classname", clean(&story.test.class).as_str()));
    case.push_attribute(("time", time(story.last().seconds).as_str()));
    let failed: Vec<&Attempt> = story.earlier_failures().collect();
    if failed.is_empty() && story.outcome() == Outcome::Passed {
        return xml.write_event(Event::Empty(case));
    }
    xml.write_event(Event::Start(case))?;
    problems(xml, story)?;
    xml.write_event(Event::End(BytesEnd::new("testcase")))
}

/// Everything that a test case holds because something went wrong.
fn problems(xml: &mut Writer<Vec<u8>>, story: &TestStory) -> std::io::Result<()> {
    let failed: Vec<&Attempt> = story.earlier_failures().collect();
    if story.is_bad() {
        return still_bad(xml, story, &failed);
    }
    each(xml, &failed, "flakyFailure", |outcome| !is_error(outcome))?;
    if story.outcome() == Outcome::Skipped {
        skipped(xml, story.last())?;
    }
    each(xml, &failed, "flakyError", is_error)
}

/// What failed first is the failure, and what failed after it are its reruns.
fn still_bad(xml: &mut Writer<Vec<u8>>, story: &TestStory, earlier: &[&Attempt]) -> std::io::Result<()> {
    let (first, mut reruns) = match earlier {
        [first, rest @ ..] => (*first, rest.to_vec()),
        [] => (story.last(), Vec::new()),
    };
    if !earlier.is_empty() {
        reruns.push(story.last());
    }
    // The kind is that of the end, as the counts have it.
    let fails = !is_error(story.outcome());
    if fails {
        problem(xml, "failure", first, false)?;
    }
    each(xml, &reruns, "rerunFailure", |outcome| !is_error(outcome))?;
    if !fails {
        problem(xml, "error", first, false)?;
    }
    each(xml, &reruns, "rerunError", is_error)
}

fn each(
    xml: &mut Writer<Vec<u8>>,
    attempts: &[&Attempt],
    element: &str,
    which: fn(Outcome) -> bool,
) -> std::io::Result<()> {
    attempts
        .iter()
        .filter(|attempt| which(attempt.outcome))
        .try_for_each(|attempt| problem(xml, element, attempt, true))
}

/// The trace is the element's own text, or an element in it.
fn problem(xml: &mut Writer<Vec<u8>>, element: &str, attempt: &Attempt, nested: bool) -> std::io::Result<()> {
    let Description { kind, message } = describe(attempt);
    let mut start = BytesStart::new(element);
    start.push_attribute(("message", clean(&message).as_str()));
    start.push_attribute(("type", clean(&kind).as_str()));
    let trace = clean(attempt.message.as_deref().unwrap_or(&message));
    xml.write_event(Event::Start(start))?;
    if nested {
        xml.write_event(Event::Start(BytesStart::new("stackTrace")))?;
    }
    xml.write_event(Event::Text(BytesText::new(&trace)))?;
    if nested {
        xml.write_event(Event::End(BytesEnd::new("stackTrace")))?;
    }
    xml.write_event(Event::End(BytesEnd::new(element)))
}

fn skipped(xml: &mut Writer<Vec<u8>>, attempt: &Attempt) -> std::io::Result<()> {
    let mut start = BytesStart::new("skipped");
    if let Some(message) = &attempt.message {
        start.push_attribute(("message", clean(message.lines().next().unwrap_or_default()).as_str()));
    }
    xml.write_event(Event::Empty(start))
}

/// A name that several tests of a class share has its number.
fn name_of(story: &TestStory) -> String {
    let test = &story.test;
    if test.occurrence == 1 { test.name.clone() } else { format!("{}[{}]", test.name, test.occurrence) }
}

struct Description {
    kind: String,
    message: String,
}

/// What was thrown and what it said, from the trace; in other words where nothing was thrown.
fn describe(attempt: &Attempt) -> Description {
    let own = |kind: &str, message: &str| Description { kind: kind.to_owned(), message: message.to_owned() };
    match attempt.outcome {
        Outcome::Crashed => own("parade.Crashed", "its process died while the test was running"),
        Outcome::TimedOut => own("parade.TimedOut", "it was still running when its time limit was reached"),
        Outcome::NotRun => own("parade.NotRun", "it was expected and never ran"),
        Outcome::Passed | Outcome::Failed | Outcome::Error | Outcome::Skipped => {
            thrown(attempt.message.as_deref().unwrap_or_default(), attempt.outcome)
        }
    }
}

fn thrown(trace: &str, outcome: Outcome) -> Description {
    let head = trace.split("\n\tat ").next().unwrap_or_default().trim_end();
    let (kind, message) = head.split_once(':').unwrap_or((head, ""));
    let is_class = !kind.is_empty() && kind.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '$'));
    if is_class {
        Description { kind: kind.to_owned(), message: message.trim_start().to_owned() }
    } else {
        Description { kind: format!("parade.{}", outcome.name()), message: head.to_owned() }
    }
}

/// Seconds as Surefire's reports have them.
fn time(seconds: f64) -> String {
    format!("{:.3}", seconds.max(0.0))
}

/// XML 1.0 cannot hold most control characters, however they are written: they are spelt out.
fn clean(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'.. => clean.push(c),
            other => clean.push_str(&format!("\\u{:04x}", u32::from(other))),
        }
    }
    clean
}

#[cfg(test)]
mod tests;
