//! Surefire's own reports of the first run, brought up to date with what ran after it.
//!
//! A report in which nothing changed is kept byte for byte, if it is well-formed. A test case is written anew where its test was run again; one is
//! added where no report has the test (its process died, its time was up, a fixture kept it from running). What cannot be read as
//! a report is left out, and its tests are written as parade knows them.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use miette::{Result, miette};
use quick_xml::events::{BytesEnd, BytesStart, BytesText, Event};
use quick_xml::{Reader, Writer, XmlVersion};

use super::super::outcome::TestStory;
use super::{clean, document, file_name, is_error, problems, time};
use crate::suite::Outcome;
use crate::whole_file;

/// A report of Surefire, taken apart.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Report {
    name: String,
    /// The whole text.
    text: String,
    /// The start tag of the suite, from its `<` to its `>`.
    suite: std::ops::Range<usize>,
    /// As the suite is named: a class, for most frameworks.
    class: String,
    cases: Vec<Case>,
}

/// A test case in a report.
#[derive(Debug, Clone, PartialEq)]
struct Case {
    /// The whole element in the report's text.
    place: std::ops::Range<usize>,
    class: String,
    name: String,
    ended: Ended,
    /// What the test printed: whole elements in the report's text.
    output: Vec<std::ops::Range<usize>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ended {
    Passed,
    Failed,
    Error,
    Skipped,
}

/// All reports of a folder that can be read.
pub(super) fn read(folder: &Path) -> Vec<Report> {
    let mut names: Vec<_> = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.file_name()).collect();
    names.sort();
    let mut reports = Vec::new();
    for name in names {
        let text = whole_file::read(&folder.join(&name)).ok();
        let report = text.and_then(|text| Report::parse(&name.to_string_lossy(), text));
        match report {
            Some(report) => reports.push(report),
            None => tracing::warn!("{} is not kept: it is not a complete report", folder.join(&name).display()),
        }
    }
    reports
}

impl Report {
    fn parse(name: &str, text: String) -> Option<Report> {
        let mut reader = Reader::from_str(&text);
        let (mut suite, mut class, mut cases) = (None, String::new(), Vec::new());
        let (mut case, mut output): (Option<Case>, Option<usize>) = (None, None);
        let (mut depth, mut ended) = (0_usize, false);
        loop {
            let before = usize::try_from(reader.buffer_position()).ok()?;
            let event = reader.read_event().ok()?;
            let after = usize::try_from(reader.buffer_position()).ok()?;
            let (tag, is_empty) = match &event {
                Event::Start(tag) => (tag, false),
                Event::Empty(tag) => (tag, true),
                Event::End(tag) => {
                    depth = depth.checked_sub(1)?;
                    match (tag.local_name().as_ref(), depth) {
                        ("testsuite", 0) => ended = true,
                        ("testcase", 1) => {
                            cases.push(Case { place: case.as_ref()?.place.start..after, ..case.take()? })
                        }
                        ("system-out" | "system-err", 2) => {
                            if let (Some(case), Some(start)) = (&mut case, output.take()) {
                                case.output.push(start..after);
                            }
                        }
                        _ => {}
                    }
                    continue;
                }
                Event::Eof => break,
                _ => continue,
            };
            match (tag.local_name().as_ref(), depth) {
                ("testsuite", 0) => {
                    suite = (!is_empty).then_some(before..after);
                    class = attribute(tag, "name").unwrap_or_default();
                }
                ("testcase", 1) => {
                    let opened = Case::open(tag, before..after);
                    if is_empty { cases.push(opened) } else { case = Some(opened) }
                }
                ("failure", 2) => case.as_mut()?.ended = Ended::Failed,
                ("error", 2) => case.as_mut()?.ended = Ended::Error,
                ("skipped", 2) => case.as_mut()?.ended = Ended::Skipped,
                ("system-out" | "system-err", 2) if !is_empty => output = Some(before),
                _ => {}
            }
            depth += usize::from(!is_empty);
        }
        let suite = suite.filter(|_| ended)?;
        Some(Report { name: name.to_owned(), text, suite, class, cases })
    }

    /// Does Surefire report this class here? Nested classes are in the report of the class around them.
    fn is_home_of(&self, class: &str) -> bool {
        let rest = class.strip_prefix(self.class.as_str());
        let by_suite = !self.class.is_empty() && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('$'));
        by_suite || self.cases.iter().any(|case| case.plain_class() == class)
    }

    /// The report with some cases written anew and others added; `None` takes a case out.
    fn rewritten(&self, changed: &HashMap<usize, Option<&TestStory>>, added: &[&TestStory]) -> Result<Vec<u8>> {
        let failed = |error: std::io::Error| miette!("the report {}: {error}", self.name);
        let mut counts = Counts::default();
        let mut cases = Vec::new();
        let mut at = self.suite.end;
        for (number, case) in self.cases.iter().enumerate() {
            let between = self.text.get(at..case.place.start).unwrap_or_default();
            at = case.place.end;
            match changed.get(&number) {
                None => {
                    counts.add(case.ended);
                    cases.extend_from_slice(between.as_bytes());
                    cases.extend_from_slice(self.text.get(case.place.clone()).unwrap_or_default().as_bytes());
                }
                Some(None) => {}
                Some(Some(story)) => {
                    counts.add(ended_of(story));
                    cases.extend_from_slice(between.as_bytes());
                    cases.extend(self.case_of(case, story).map_err(failed)?);
                }
            }
        }
        for story in added {
            counts.add(ended_of(story));
            let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
            super::test_case(&mut xml, story).map_err(failed)?;
            cases.extend_from_slice(b"\n  ");
            cases.extend(xml.into_inner());
        }
        let mut whole = self.text.get(..self.suite.start).unwrap_or_default().as_bytes().to_vec();
        whole.extend(self.suite_tag(&counts).map_err(failed)?);
        whole.extend(cases);
        whole.extend_from_slice(self.text.get(at..).unwrap_or_default().as_bytes());
        Ok(whole)
    }

    /// Its own names and output, with what became of the test in the end.
    fn case_of(&self, case: &Case, story: &TestStory) -> std::io::Result<Vec<u8>> {
        let mut xml = Writer::new(Vec::new());
        let mut start = BytesStart::new("testcase");
        start.push_attribute(("name", clean(&case.name).as_str()));
        start.push_attribute(("classname", clean(&case.class).as_str()));
        start.push_attribute(("time", time(story.last().seconds).as_str()));
        xml.write_event(Event::Start(start))?;
        problems(&mut xml, story)?;
        for output in &case.output {
            let raw = self.text.get(output.clone()).unwrap_or_default();
            xml.write_event(Event::Text(BytesText::from_escaped(raw)))?;
        }
        xml.write_event(Event::End(BytesEnd::new("testcase")))?;
        Ok(xml.into_inner())
    }

    /// As it was, with other numbers.
    fn suite_tag(&self, counts: &Counts) -> std::io::Result<Vec<u8>> {
        let numbers = [
            ("tests", counts.tests),
            ("errors", counts.errors),
            ("skipped", counts.skipped),
            ("failures", counts.failures),
        ];
        let mut reader = Reader::from_str(self.text.get(self.suite.clone()).unwrap_or_default());
        let mut start = BytesStart::new("testsuite");
        if let Ok(Event::Start(tag)) = reader.read_event() {
            for attribute in tag.attributes().with_checks(false).flatten() {
                let key = attribute.key.as_ref();
                match numbers.iter().find(|(name, _)| *name == key) {
                    Some((_, number)) => start.push_attribute((key, number.to_string().as_str())),
                    None => start.push_attribute(attribute.clone()),
                }
            }
        }
        let mut xml = Writer::new(Vec::new());
        xml.write_event(Event::Start(start))?;
        Ok(xml.into_inner())
    }
}

#[derive(Debug, Default)]
struct Counts {
    tests: usize,
    errors: usize,
    skipped: usize,
    failures: usize,
}

impl Counts {
    fn add(&mut self, ended: Ended) {
        self.tests += 1;
        match ended {
            Ended::Passed => {}
            Ended::Failed => self.failures += 1,
            Ended::Error => self.errors += 1,
            Ended::Skipped => self.skipped += 1,
        }
    }
}

fn ended_of(story: &TestStory) -> Ended {
    match story.outcome() {
        Outcome::Passed => Ended::Passed,
        Outcome::Skipped => Ended::Skipped,
        outcome if is_error(outcome) => Ended::Error,
        _ => Ended::Failed,
    }
}

impl Case {
    fn open(tag: &BytesStart<'_>, place: std::ops::Range<usize>) -> Case {
        let (class, name) = (attribute(tag, "classname"), attribute(tag, "name"));
        let (class, name) = (class.unwrap_or_default(), name.unwrap_or_default());
        Case { place, class, name, ended: Ended::Passed, output: Vec::new() }
    }

    fn is_bad(&self) -> bool {
        matches!(self.ended, Ended::Failed | Ended::Error)
    }

    /// The class without the suffix that a build can give to its reports.
    fn plain_class(&self) -> &str {
        self.class.split_once('(').map_or(self.class.as_str(), |(class, _)| class)
    }

    /// The number in brackets at the end, by which invocations are told apart.
    fn number(&self) -> Option<u32> {
        let (_, last) = self.name.strip_suffix(']')?.rsplit_once('[')?;
        last.parse().ok()
    }
}

fn attribute(tag: &BytesStart<'_>, key: &str) -> Option<String> {
    let attribute = tag.try_get_attribute(key).ok().flatten()?;
    attribute.normalized_value(XmlVersion::Implicit1_0).map(|value| value.into_owned()).ok()
}

/// A method's name without parameters and numbers, which Surefire and parade write differently.
fn method(name: &str) -> &str {
    name.split(['(', '[', '{', '/', ' ']).next().unwrap_or(name)
}

/// Every report of a module, by file name.
pub(super) fn documents(reports: &[Report], stories: &[&TestStory]) -> Result<BTreeMap<String, Vec<u8>>> {
    let matched = Matched::of(reports, stories);
    let mut added: BTreeMap<String, Vec<&TestStory>> = BTreeMap::new();
    for story in &matched.added {
        let home = reports.iter().find(|report| report.is_home_of(&story.test.class));
        let name = home.map_or_else(|| file_name(&story.test.class), |report| report.name.clone());
        added.entry(name).or_default().push(story);
    }
    let mut documents = BTreeMap::new();
    for (number, report) in reports.iter().enumerate() {
        let more = added.remove(&report.name).unwrap_or_default();
        let changed: HashMap<usize, Option<&TestStory>> = matched
            .changed
            .iter()
            .filter(|((at, _), _)| *at == number)
            .map(|((_, case), story)| (*case, *story))
            .collect();
        let text = if more.is_empty() && changed.is_empty() {
            report.text.clone().into_bytes()
        } else {
            report.rewritten(&changed, &more)?
        };
        documents.insert(report.name.clone(), well_formed(text));
    }
    for (name, stories) in added {
        let class = stories.first().map_or("", |story| story.test.class.as_str());
        let text = document(class, &stories).map_err(|error| miette!("the report of {class}: {error}"))?;
        documents.insert(name, text);
    }
    Ok(documents)
}

/// Surefire writes some characters of names that XML forbids, U+FFFE among them.
fn well_formed(document: Vec<u8>) -> Vec<u8> {
    match String::from_utf8(document) {
        Ok(text) => clean(&text).into_bytes(),
        Err(other) => other.into_bytes(),
    }
}

/// Which test is which case.
#[derive(Debug, Default)]
struct Matched<'a> {
    /// `None` for a case that is none any more.
    changed: HashMap<CaseAt, Option<&'a TestStory>>,
    added: Vec<&'a TestStory>,
}

/// The report's number, and the case's in it.
type CaseAt = (usize, usize);

/// Cases and tests that may be the same.
#[derive(Debug, Default)]
struct Group<'a> {
    cases: Vec<CaseAt>,
    stories: Vec<&'a TestStory>,
}

impl<'a> Matched<'a> {
    /// By class and method; then by method alone, as display names can stand for classes; then in order.
    fn of(reports: &[Report], stories: &[&'a TestStory]) -> Self {
        let mut matched = Matched::default();
        let mut groups: BTreeMap<(&str, &str), Group<'a>> = BTreeMap::new();
        for (at, report) in reports.iter().enumerate() {
            for (number, case) in report.cases.iter().enumerate() {
                groups.entry((case.plain_class(), method(&case.name))).or_default().cases.push((at, number));
            }
        }
        for &story in stories {
            groups.entry((&story.test.class, method(&story.test.name))).or_default().stories.push(story);
        }
        let mut left = matched.pair_all(reports, groups.into_values());
        for by_method in [true, false] {
            let mut groups: BTreeMap<(usize, &str), Group<'a>> = BTreeMap::new();
            for at in std::mem::take(&mut left.cases) {
                let name = if by_method { method(&reports[at.0].cases[at.1].name) } else { "" };
                groups.entry((at.0, name)).or_default().cases.push(at);
            }
            for story in std::mem::take(&mut left.stories) {
                let name = if by_method { method(&story.test.name) } else { "" };
                match reports.iter().position(|report| report.is_home_of(&story.test.class)) {
                    Some(report) => groups.entry((report, name)).or_default().stories.push(story),
                    None => left.stories.push(story),
                }
            }
            let is_clear = |group: &Group<'_>| by_method || group.cases.len() == group.stories.len();
            let (clear, unclear): (Vec<_>, Vec<_>) = groups.into_values().partition(is_clear);
            let again = matched.pair_all(reports, clear.into_iter());
            for group in unclear.into_iter().chain([again]) {
                left.cases.extend(group.cases);
                left.stories.extend(group.stories);
            }
        }
        // A fixture that failed and then did not has no case of its own.
        for at in left.cases.into_iter().filter(|&(at, number)| reports[at].cases[number].is_bad()) {
            matched.changed.insert(at, None);
        }
        matched.added.extend(left.stories);
        matched
    }

    /// Returns what is left of each group.
    fn pair_all(&mut self, reports: &[Report], groups: impl Iterator<Item = Group<'a>>) -> Group<'a> {
        let case = |&(at, number): &CaseAt| &reports[at].cases[number];
        let mut left = Group::default();
        for mut group in groups {
            if group.cases.iter().all(|at| case(at).number().is_some()) {
                group.cases.sort_by_key(|at| (signature(&case(at).name).to_owned(), case(at).number()));
                let key = |story: &&TestStory| (story.test.name.clone(), story.test.occurrence);
                group.stories.sort_by_key(key);
            }
            let rest = self.pair(reports, group);
            left.cases.extend(rest.cases);
            left.stories.extend(rest.stories);
        }
        left
    }

    /// Pairs in order, but a test that failed first with a case that failed.
    fn pair(&mut self, reports: &[Report], group: Group<'a>) -> Group<'a> {
        let is_bad = |&(at, number): &CaseAt| reports[at].cases[number].is_bad();
        let same = |(case, story): (&CaseAt, &&TestStory)| is_bad(case) == failed_first(story);
        let in_order = group.cases.len() == group.stories.len() && group.cases.iter().zip(&group.stories).all(same);
        let mut left = Group { cases: group.cases, stories: Vec::new() };
        for story in group.stories {
            let fits = left.cases.iter().position(|case| in_order || is_bad(case) == failed_first(story));
            let Some(place) = fits else {
                left.stories.push(story);
                continue;
            };
            let case = left.cases.remove(place);
            if story.attempts.len() > 1 {
                self.changed.insert(case, Some(story));
            }
        }
        left
    }
}

/// The name up to the number of an invocation.
fn signature(name: &str) -> &str {
    name.rsplit_once('[').map_or(name, |(signature, _)| signature)
}

/// Did the first attempt fail in a way that a report tells?
fn failed_first(story: &TestStory) -> bool {
    story.attempts.first().is_some_and(|attempt| matches!(attempt.outcome, Outcome::Failed | Outcome::Error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::once::Attempt;

    fn story(id: &str, outcomes: &[Outcome]) -> TestStory {
        let attempt = |(&outcome, stage): (&Outcome, u32)| Attempt {
            stage,
            outcome,
            seconds: 0.5,
            message: matches!(outcome, Outcome::Failed | Outcome::Error)
                .then(|| "E: why\n\tat a.B.x(B.java:3)".to_owned()),
            display: None,
        };
        TestStory { test: id.parse().unwrap(), attempts: outcomes.iter().zip(1..).map(attempt).collect() }
    }

    fn report(name: &str, cases: &str) -> Report {
        let text = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"a.B\" tests=\"9\" errors=\"9\" skipped=\"9\" failures=\"9\">\n  \
             <properties><property name=\"p\" value=\"&lt;\"/></properties>{cases}\n</testsuite>\n"
        );
        Report::parse(name, text).unwrap()
    }

    fn written(reports: &[Report], stories: &[TestStory]) -> BTreeMap<String, String> {
        let documents = documents(reports, &stories.iter().collect::<Vec<_>>()).unwrap();
        documents.into_iter().map(|(name, text)| (name, String::from_utf8(text).unwrap())).collect()
    }

    use Outcome::{Crashed, Error, Failed, NotRun, Passed};

    #[test]
    fn a_report_in_which_nothing_changed_is_kept_as_it_is() {
        let cases = "<testcase name=\"adds(int)[1]\" classname=\"a.B\" time=\"0.1\"><system-out><![CDATA[x]]></system-out></testcase>\
                     <testcase name=\"adds(int)[2]\" classname=\"a.B\"/>";
        let report = report("TEST-a.B.xml", cases);
        let text = report.text.clone();
        let stories = [story("a.B#adds(int)", &[Passed]), story("a.B#adds(int)~2", &[Passed])];
        assert_eq!(written(&[report], &stories), BTreeMap::from([("TEST-a.B.xml".to_owned(), text)]));
    }

    #[test]
    fn characters_that_xml_forbids_are_written_out() {
        let cases =
            "<testcase name=\"x[\u{fffe}]\" classname=\"a.B\"><system-out>\u{ffff}\u{b}</system-out></testcase>";
        let stories = [story("a.B#x", &[Passed])];
        let text = &written(&[report("TEST-a.B.xml", cases)], &stories)["TEST-a.B.xml"];
        let name = "<testcase name=\"x[\\ufffe]\" classname=\"a.B\"><system-out>\\uffff\\u000b</system-out></testcase>";
        assert!(text.contains(name), "{text}");
        assert_eq!(text.matches("<testcase").count(), 1, "it is still the same test");
    }

    #[test]
    fn a_test_that_passed_in_the_end_keeps_name_and_output() {
        let cases = "\n  <testcase name=\"adds(int)[1]\" classname=\"a.B\" time=\"0.1\"/>\n  \
                     <testcase name=\"adds(int)[2]\" classname=\"a.B\"><failure message=\"m\">t</failure><system-out><![CDATA[said]]></system-out></testcase>";
        let report = report("TEST-a.B.xml", cases);
        let stories = [story("a.B#adds(int)", &[Passed]), story("a.B#adds(int)~2", &[Failed, Passed])];
        let text = &written(&[report], &stories)["TEST-a.B.xml"];
        assert!(text.contains("tests=\"2\" errors=\"0\" skipped=\"0\" failures=\"0\""), "{text}");
        assert!(
            text.contains("<testcase name=\"adds(int)[2]\" classname=\"a.B\" time=\"0.500\"><flakyFailure"),
            "{text}"
        );
        assert!(text.contains("<system-out><![CDATA[said]]></system-out></testcase>"), "{text}");
        assert!(text.contains("<testcase name=\"adds(int)[1]\" classname=\"a.B\" time=\"0.1\"/>"), "{text}");
        assert!(text.contains("<property name=\"p\" value=\"&lt;\"/>") && text.ends_with("\n</testsuite>\n"), "{text}");
        assert!(Report::parse("x", text.clone()).is_some());
    }

    #[test]
    fn tests_that_no_report_has_are_added() {
        let report = report("TEST-a.B.xml", "<testcase name=\"x\" classname=\"a.B\"/>");
        let stories = [
            story("a.B#x", &[Passed]),
            story("a.B#y", &[Crashed, Passed]),
            story("a.B#z", &[NotRun]),
            story("a.C#lost", &[Crashed]),
        ];
        let written = written(&[report], &stories);
        assert_eq!(written.keys().collect::<Vec<_>>(), ["TEST-a.B.xml", "TEST-a.C.xml"]);
        let text = &written["TEST-a.B.xml"];
        assert!(
            text.contains("tests=\"3\" errors=\"1\"") && text.contains("name=\"y\"") && text.contains("name=\"z\""),
            "{text}"
        );
    }

    #[test]
    fn a_fixture_that_failed_and_then_did_not_is_gone() {
        let report = report("TEST-a.B.xml", "<testcase name=\"\" classname=\"a.B\"><error>x</error></testcase>");
        let stories = [story("a.B#x", &[Error, Passed]), story("a.B#y", &[Error, Passed])];
        let text = &written(&[report], &stories)["TEST-a.B.xml"];
        assert!(text.contains("tests=\"2\" errors=\"0\"") && !text.contains("name=\"\""), "{text}");
    }

    #[test]
    fn one_report_can_hold_many_classes_and_their_display_names() {
        let cases = "<testcase name=\"It adds\" classname=\"a.B\"><failure>x</failure></testcase><testcase name=\"t\" classname=\"a.C(fast)\"/>";
        let report = report("TEST-TestSuite.xml", cases);
        let stories = [story("a.B#adds", &[Failed, Failed]), story("a.C#t", &[Passed])];
        let written = written(&[report], &stories);
        assert_eq!(written.keys().collect::<Vec<_>>(), ["TEST-TestSuite.xml"]);
        let text = &written["TEST-TestSuite.xml"];
        assert!(
            text.contains("name=\"It adds\"") && text.contains("rerunFailure") && text.contains("failures=\"1\""),
            "{text}"
        );
    }

    #[test]
    fn nested_classes_are_in_the_report_of_the_outer_one_under_their_display_names() {
        let cases = "<testcase name=\"x\" classname=\"A thing\"/><testcase name=\"y\" classname=\"when it is off\"><failure>n</failure></testcase>\
                     <testcase name=\"y\" classname=\"a.B$Off$In\"/>";
        let report = report("TEST-a.B.xml", cases);
        let stories =
            [story("a.B#x", &[Passed]), story("a.B$Off#y", &[Failed, Passed]), story("a.B$Off$In#y", &[Passed])];
        let written = written(&[report], &stories);
        assert_eq!(written.keys().collect::<Vec<_>>(), ["TEST-a.B.xml"]);
        let text = &written["TEST-a.B.xml"];
        assert!(
            text.contains("tests=\"3\"") && text.contains("classname=\"when it is off\" time=\"0.500\"><flakyFailure"),
            "{text}"
        );
    }

    #[test]
    fn what_is_no_whole_report_is_none() {
        for text in ["", "<testsuite><testcase name=\"a\" classname=\"B\"/>", "<html/>", "<testsuite/>"] {
            assert_eq!(Report::parse("x", text.to_owned()), None, "{text}");
        }
    }
}
