//! Coverage of a program whose lines have names: each test has what it ran, whatever its framework, and nothing else.

use std::collections::BTreeSet;
use std::path::Path;

use parade::engine::{Instrumentation, Isolation, Mode, Parallelism, ProcessPolicy, Selection, Session};
use parade::suite::{Change, Coverage, Element, Outcome, SuiteRun, TestId, Unit};

use super::bench::{Bench, assert_finished, open};

const FILE: &str = "garden/Bed.java";

/// Names of lines, by what is written at their ends.
fn names() -> Vec<(u32, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("subjects/covers-lines/program/src/main/java").join(FILE);
    let text = std::fs::read_to_string(path).unwrap();
    let named = |(number, line): (usize, &str)| {
        Some((number as u32 + 1, line.split_once("; // ").or_else(|| line.split_once("{ // "))?.1.to_owned()))
    };
    text.lines().enumerate().filter_map(named).collect()
}

/// Which of the named lines a test covers, in their order.
fn covered(coverage: &Coverage, test: &str) -> String {
    let test: TestId = test.parse().unwrap();
    assert!(coverage.knows(&test), "nothing is known of {test}");
    let is_covered = |line: u32| {
        let line = Element::Lines { file: FILE.to_owned(), first: line, last: line };
        let change = Change { modified: vec![line], ..Change::default() };
        coverage.of(&test, Unit::Statement).meets(&coverage.touched_by(&change, Unit::Statement))
    };
    let names: Vec<String> = names().into_iter().filter(|(line, _)| is_covered(*line)).map(|(_, name)| name).collect();
    names.join(" ")
}

fn watched(bench: &mut Bench, selection: Selection) -> SuiteRun {
    let mut request = bench.request(selection, Parallelism::SEQUENTIAL, ProcessPolicy::default());
    request.watch = Instrumentation { coverage: true, accesses: false };
    bench.session.run(&request).unwrap()
}

#[test]
fn tests_cover_what_they_run_and_nothing_else() {
    let Some(mut bench) = open("covers-lines") else { return };
    let run = watched(&mut bench, Selection::All);
    assert_finished(&run);
    let coverage = run.seen.coverage.expect("coverage");
    let expected = [
        ("junit3:garden.BedTest#testFloods", "field planted seedlings dug raked asked flooded"),
        ("junit3:garden.BedTest#testWaters", "field planted seedlings dug raked asked watered"),
        ("junit4:garden.BedTest#aNeglected", ""),
        // What a class does before its tests is its first test's, and what it does afterwards its last one's.
        ("junit4:garden.BedTest#floods", "field planted seedlings dug asked flooded"),
        ("junit4:garden.BedTest#grows", "field given seedlings grown growing"),
        ("junit4:garden.BedTest#waters", "field planted seedlings raked asked watered"),
        ("junit4:garden.OtherTest#waters", "field given seedlings asked watered"),
        ("jupiter:garden.BedTest#aNeglected", ""),
        ("jupiter:garden.BedTest#floodsOrNot(int)", "field planted seedlings dug asked flooded"),
        ("jupiter:garden.BedTest#floodsOrNot(int)~2", "field planted seedlings asked watered"),
        ("jupiter:garden.BedTest#grows", "field given seedlings raked grown growing"),
        ("jupiter:garden.OtherTest#waters", "field given seedlings asked watered"),
        ("testng:garden.BedTest#floods", "field planted seedlings dug composted asked flooded"),
        ("testng:garden.BedTest#waters", "field planted seedlings raked composted asked watered"),
        ("testng:garden.OtherTest#waters", "field given seedlings asked watered"),
    ];
    for (test, lines) in expected {
        assert_eq!(covered(&coverage, test), lines, "{test}");
    }
    check_methods(&coverage);
}

/// A lambda is no method of its own, and both constructors run what fields begin with.
fn check_methods(coverage: &Coverage) {
    let grows: TestId = "junit4:garden.BedTest#grows".parse().unwrap();
    assert_eq!(coverage.of(&grows, Unit::Method).len(), 3, "constructor, seedlings, grow");
    let (line, _) = names().into_iter().find(|(_, name)| name == "field").unwrap();
    let change = Change {
        modified: vec![Element::Lines { file: FILE.to_owned(), first: line, last: line }],
        ..Change::default()
    };
    assert_eq!(coverage.touched_by(&change, Unit::Method).len(), 2);
    let known: BTreeSet<u32> = coverage.executable(FILE).into_iter().collect();
    assert!(names().iter().all(|(line, _)| known.contains(line)), "also lines that nobody covers");
}

#[test]
fn what_a_test_covers_before_it_ends_its_process_is_known() {
    let Some(mut bench) = open("covers-lines") else { return };
    let tests = ["junit4:garden.ExitTest#opens", "junit4:garden.ExitTest#leaves", "junit4:garden.OtherTest#waters"];
    let ids: Vec<TestId> = tests.iter().map(|id| bench.test(id)).collect();
    let run = watched(&mut bench, Selection::Tests(ids));
    let outcomes: Vec<Outcome> = run.executions.iter().map(|execution| execution.outcome).collect();
    assert_eq!(outcomes, [Outcome::Passed, Outcome::Crashed, Outcome::Passed]);
    let coverage = run.seen.coverage.expect("coverage");
    let lines = tests.map(|test| covered(&coverage, test));
    assert_eq!(lines, ["field given seedlings asked watered", "left", "field given seedlings asked watered"]);
}

#[test]
fn coverage_is_refused_where_nobody_could_say_whose_it_is() {
    let Some(mut bench) = open("covers-lines") else { return };
    let warm = ProcessPolicy { isolation: Isolation::Warm, ..ProcessPolicy::default() };
    let at_once = Parallelism { mode: Mode::Classes, threads: 2, ..Parallelism::SEQUENTIAL };
    for (parallelism, policy) in [(Parallelism::SEQUENTIAL, warm), (at_once, ProcessPolicy::default())] {
        let mut request = bench.request(Selection::All, parallelism, policy);
        request.watch.coverage = true;
        let error = bench.session.run(&request).unwrap_err().to_string();
        assert!(error.contains("the coverage of tests cannot be recorded"), "{error}");
    }
}
