//! `parade test`, run in a folder, and the JUnit reports that it writes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use quick_xml::Reader;
use quick_xml::events::Event;
use serde_json::Value;

use super::desk::Desk;

pub fn parade(desk: &Desk, arguments: &[&str]) -> Output {
    desk.command(arguments.iter().copied()).output().unwrap()
}

/// The exit code of `parade test`, and its document.
pub fn tested(desk: &Desk, arguments: &[&str]) -> (Option<i32>, Value) {
    let output = parade(desk, &[&["test", "--json"], arguments].concat());
    let document = serde_json::from_slice(&output.stdout);
    let document = document.unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    (output.status.code(), document)
}

/// What the XML files below a folder say, in sums: by attribute of test suites, and by kind of element.
pub fn sums(folder: &Path) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.path().is_dir() {
            sums_into(&mut sums, self::sums(&entry.path()));
        } else if entry.path().extension().is_some_and(|extension| extension == "xml") {
            sums_into(&mut sums, sums_of(&fs::read_to_string(entry.path()).unwrap()));
        }
    }
    sums
}

fn sums_into(sums: &mut BTreeMap<String, u64>, more: BTreeMap<String, u64>) {
    more.into_iter().for_each(|(key, number)| *sums.entry(key).or_default() += number);
}

fn sums_of(document: &str) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    let mut reader = Reader::from_str(document);
    loop {
        let tag = match reader.read_event().unwrap() {
            Event::Start(tag) | Event::Empty(tag) => tag,
            Event::Eof => return sums,
            _ => continue,
        };
        *sums.entry(tag.name().as_ref().to_owned()).or_default() += 1;
        for attribute in tag.attributes().map(Result::unwrap).filter(|_| tag.name().as_ref() == "testsuite") {
            if let Ok(number) = attribute.value.parse::<u64>() {
                *sums.entry(attribute.key.as_ref().to_owned()).or_default() += number;
            }
        }
    }
}

/// The document and the reports are two accounts of the same run.
pub fn assert_agreement(document: &Value, reports: &Path) {
    let sums = sums(reports);
    for (key, attribute) in [("tests", "tests"), ("failed", "failures"), ("errors", "errors"), ("skipped", "skipped")] {
        assert_eq!(document[key].as_u64(), sums.get(attribute).copied(), "{key}: {sums:?}");
    }
    assert_eq!(document["tests"].as_u64(), sums.get("testcase").copied());
    let flaky = ["flakyFailure", "flakyError"].iter().filter_map(|kind| sums.get(*kind)).sum::<u64>();
    assert!(flaky >= document["flaky"].as_array().unwrap().len() as u64, "{sums:?}");
}

/// Where the command says that it wrote them.
pub fn reports_of(document: &Value) -> PathBuf {
    PathBuf::from(document["reports"].as_str().unwrap())
}
