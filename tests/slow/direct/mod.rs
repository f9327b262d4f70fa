//! The direct engine on the bundled subjects: it agrees with Maven, runs exactly what is asked for, and loses nothing but
//! the test that hangs or ends its process.

mod bench;
mod coverage;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use parade::engine::{
    Forks, Instrumentation, Isolation, Mode, Parallelism, ProcessPolicy, RunRequest, Selection, Session,
};
use parade::suite::{ClassId, FindingKind, Outcome, TestId};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use bench::{Bench, assert_finished, open, order_of, outcomes_of};

/// Left out of the comparison with Maven, and why.
const NOT_COMPARED: [(&str, &str); 9] = [
    ("pytest-order-and-race", "pytest runs it, and has one engine only"),
    ("build-fails", "there is nothing to run"),
    ("flaky", "its outcomes change from run to run"),
    ("forges-records", "what it records is void on every engine"),
    ("slow-when-sequential", "it is about times, not about outcomes"),
    ("hanging-test", "Maven's run ends with the hanging test"),
    ("kills-its-jvm", "Maven's run ends with the test that ends its process"),
    ("crash-upstream", "Maven's run ends with the test that ends its process"),
    ("redirects-records", "it is no suite to compare, but an attack on whoever runs it"),
];

macro_rules! agreement {
    ($($test:ident = $subject:literal,)*) => {
        const COMPARED: &[&str] = &[$($subject),*];
        mod agrees_with_maven_on {
            $(
                #[test]
                fn $test() {
                    super::check_agreement($subject);
                }
            )*
        }
    };
}

agreement! {
    already_parallel = "already-parallel",
    clean_gains = "clean-gains",
    covers_lines = "covers-lines",
    data_race = "data-race",
    detached_process = "detached-process",
    enormous_output = "enormous-output",
    file_permissions = "file-permissions",
    fixture_race = "fixture-race",
    hangs_in_parallel = "hangs-in-parallel",
    hostile_names = "hostile-names",
    integration_tests = "integration-tests",
    junit3 = "junit3",
    junit5 = "junit5",
    loses_tests = "loses-tests",
    multi_module = "multi-module",
    needs_another_class = "needs-another-class",
    needs_jdk17 = "needs-jdk17",
    needs_jdk8 = "needs-jdk8",
    old_junit4 = "old-junit4",
    order_across_classes = "order-across-classes",
    order_within_class = "order-within-class",
    ordered_instances = "ordered-instances",
    orders_junit3 = "orders-junit3",
    orders_junit4 = "orders-junit4",
    orders_jupiter = "orders-jupiter",
    orders_testng = "orders-testng",
    parallel_modules = "parallel-modules",
    pins_parallel = "pins-parallel",
    races_for_a_file = "races-for-a-file",
    repeated_names = "repeated-names",
    same_class_in_two_modules = "same-class-in-two-modules",
    several_frameworks = "several-frameworks",
    shares_state = "shares-state",
    starts_server = "starts-server",
    testng = "testng",
}

#[test]
fn every_subject_is_compared_or_has_a_reason() {
    let left_out = NOT_COMPARED.iter().map(|(name, _)| (*name).to_owned());
    let named: BTreeSet<String> = COMPARED.iter().map(|&name| name.to_owned()).chain(left_out).collect();
    let folders = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/subjects")).unwrap().flatten();
    let folders: BTreeSet<String> = folders
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(named, folders);
}

/// The same tests in the same order with the same outcomes.
fn check_agreement(subject: &str) {
    let Some(mut bench) = open(subject) else { return };
    let run = bench.run_all();
    assert_finished(&run);
    let known = &bench.prepared.discovery().tests;
    let mut expected: Vec<_> = known.iter().map(|test| format!("{} {}", test.id, test.outcome.name())).collect();
    expected.sort();
    assert_eq!(outcomes_of(&run), expected, "{:?}\n{}", run.findings, bench.output());
    let original: Vec<String> = known.iter().map(|test| test.id.to_string()).collect();
    assert_eq!(order_of(&run), original);
    let disagreement = run.findings.iter().find(|finding| finding.kind == FindingKind::EngineDisagreement);
    assert_eq!(disagreement, None);
}

/// Of one module: another one would need another process at every change.
fn random_selection(bench: &Bench, random: &mut ChaCha8Rng) -> Vec<TestId> {
    let all = bench.session.tests();
    let module = all[random.random_range(0..all.len())].module.clone();
    let mut tests: Vec<TestId> = all.iter().filter(|test| test.module == module).cloned().collect();
    tests.shuffle(random);
    tests.truncate(random.random_range(1..=tests.len()));
    tests
}

/// What ran is what was asked for, test by test.
fn check_orders(subject: &str) {
    let Some(mut bench) = open(subject) else { return };
    let mut random = ChaCha8Rng::seed_from_u64(20);
    for round in 0..20 {
        let asked = random_selection(&bench, &mut random);
        check_order(&mut bench, &asked, &format!("round {round}"));
    }
}

fn check_order(bench: &mut Bench, asked: &[TestId], what: &str) {
    let quick = ProcessPolicy { quick_start: true, ..ProcessPolicy::default() };
    let run = bench.run(Selection::Tests(asked.to_vec()), Parallelism::SEQUENTIAL, quick);
    assert_finished(&run);
    let names: Vec<String> = asked.iter().map(TestId::to_string).collect();
    let mut ran = order_of(&run);
    if bench.prepared.frameworks().iter().any(|name| name.starts_with("TestNG")) {
        ran = without_company(ran, &names);
    }
    assert_eq!(ran, names, "{what}: {:?}\n{}", run.findings, bench.output());
}

/// TestNG runs what a test depends on before it, and all invocations of a method with one of them.
fn without_company(ran: Vec<String>, asked: &[String]) -> Vec<String> {
    let mut next = asked.iter().peekable();
    ran.into_iter().filter(|test| next.next_if(|wanted| *wanted == test).is_some()).collect()
}

#[test]
fn an_order_across_modules_is_kept() {
    let Some(mut bench) = open("multi-module") else { return };
    let mut tests = bench.session.tests().to_vec();
    tests.shuffle(&mut ChaCha8Rng::seed_from_u64(7));
    check_order(&mut bench, &tests, "across modules");
}

#[test]
fn any_order_of_junit_3() {
    check_orders("junit3");
}

#[test]
fn any_order_of_junit_4_with_suites_and_parameters() {
    check_orders("repeated-names");
}

#[test]
fn any_order_of_jupiter() {
    check_orders("junit5");
}

#[test]
fn any_order_of_testng() {
    check_orders("testng");
}

#[test]
fn any_order_of_suites_that_decorate_and_repeat() {
    check_orders("orders-junit3");
}

#[test]
fn any_order_of_junit_4_classes_that_insist_on_one() {
    check_orders("orders-junit4");
}

#[test]
fn any_order_of_junit_4_8() {
    check_orders("old-junit4");
}

#[test]
fn any_order_of_everything_that_jupiter_makes() {
    check_orders("orders-jupiter");
}

#[test]
fn any_order_of_rows_instances_and_dependences() {
    check_orders("orders-testng");
}

#[test]
fn any_order_of_several_frameworks() {
    check_orders("several-frameworks");
}

#[test]
fn any_order_of_odd_names() {
    check_orders("hostile-names");
}

#[test]
fn classes_run_whole_in_their_original_order() {
    let Some(mut bench) = open("multi-module") else { return };
    let mut classes: Vec<ClassId> = bench.session.tests().iter().map(TestId::class_id).collect();
    classes.dedup();
    classes.reverse();
    let run = bench.run(Selection::Classes(classes.clone()), Parallelism::SEQUENTIAL, ProcessPolicy::default());
    let mut expected = Vec::new();
    for class in &classes {
        let members = bench.session.tests().iter().filter(|test| test.class_id() == *class);
        expected.extend(members.map(TestId::to_string));
    }
    assert_eq!(order_of(&run), expected);
}

#[test]
fn a_test_that_hangs_costs_only_itself() {
    let Some(mut bench) = open("hanging-test") else { return };
    let hanging = bench.test("harbour.LighthouseTest#waitsForAShipThatNeverComes");
    let others: Vec<TestId> = bench.session.tests().iter().filter(|test| **test != hanging).cloned().collect();
    let mut asked = vec![hanging.clone()];
    asked.extend(others.clone());
    let policy = ProcessPolicy { test_limit: Some(Duration::from_secs(5)), ..ProcessPolicy::default() };
    let run = bench.run(Selection::Tests(asked), Parallelism::SEQUENTIAL, policy);
    assert_finished(&run);
    let expect = |test: &TestId, outcome: Outcome| format!("{test} {}", outcome.name());
    let mut expected: Vec<String> = others.iter().map(|test| expect(test, Outcome::Passed)).collect();
    expected.push(expect(&hanging, Outcome::TimedOut));
    expected.sort();
    assert_eq!(outcomes_of(&run), expected, "{:?}", run.findings);
    let told = run
        .findings
        .iter()
        .any(|finding| finding.kind == FindingKind::DeadWorker && finding.text.contains("continued in a new one"));
    assert!(told, "{:?}", run.findings);
}

#[test]
fn a_test_that_ends_its_process_costs_only_itself() {
    let Some(mut bench) = open("kills-its-jvm") else { return };
    let crashed = bench.prepared.discovery().tests.iter().find(|test| test.outcome == Outcome::Crashed);
    let killer = crashed.expect("Maven saw it").id.clone();
    let others: Vec<TestId> = bench.session.tests().iter().filter(|test| **test != killer).cloned().collect();
    let both = Parallelism { mode: Mode::ClassesAndMethods, threads: 4, ..Parallelism::SEQUENTIAL };
    for parallelism in [Parallelism::SEQUENTIAL, both] {
        let mut asked = vec![killer.clone()];
        asked.extend(others.clone());
        let run = bench.run(Selection::Tests(asked), parallelism, ProcessPolicy::default());
        assert_finished(&run);
        let mut expected: Vec<String> = others.iter().map(|test| format!("{test} passed")).collect();
        expected.push(format!("{killer} crashed"));
        expected.sort();
        assert_eq!(outcomes_of(&run), expected, "{:?}", run.findings);
        let told = |finding: &parade::suite::Finding| {
            finding.kind == FindingKind::DeadWorker && finding.text.contains(&killer.to_string())
        };
        assert!(run.findings.iter().any(told), "{:?}", run.findings);
    }
}

/// A process that stays, with the subject's classes loaded anew, gives what fresh ones give.
fn check_warm(subject: &str) {
    let Some(mut bench) = open(subject) else { return };
    let warm = ProcessPolicy { isolation: Isolation::Warm, ..ProcessPolicy::default() };
    let fresh = bench.run_all();
    let mut processes = BTreeSet::new();
    for _ in 0..3 {
        let run = bench.run(Selection::All, Parallelism::SEQUENTIAL, warm);
        assert_finished(&run);
        assert_eq!(outcomes_of(&run), outcomes_of(&fresh), "{:?}\n{}", run.findings, bench.output());
        assert_eq!(order_of(&run), order_of(&fresh));
        processes.extend(run.executions.iter().map(|execution| (execution.test.module.clone(), execution.process)));
    }
    let modules: BTreeSet<_> = processes.iter().map(|(module, _)| module.clone()).collect();
    assert_eq!(processes.len(), modules.len(), "one process for each module in all runs");
    let alive = || processes.iter().filter(|(_, process)| Path::new(&format!("/proc/{process}")).exists()).count();
    assert_eq!(alive(), processes.len());
    bench.session.let_go();
    assert_eq!(alive(), 0, "nobody waits for them any more");
    assert_finished(&bench.run(Selection::All, Parallelism::SEQUENTIAL, warm));
}

#[test]
fn warm_is_as_fresh_in_junit_4() {
    check_warm("order-within-class");
}

#[test]
fn warm_is_as_fresh_in_jupiter() {
    check_warm("junit5");
}

#[test]
fn warm_is_as_fresh_in_several_modules_and_frameworks() {
    check_warm("several-frameworks");
}

/// Every test once, whatever runs beside it.
fn check_once(subject: &str) {
    let Some(mut bench) = open(subject) else { return };
    let mut expected: Vec<String> = bench.session.tests().iter().map(TestId::to_string).collect();
    expected.sort();
    for mode in [Mode::Methods, Mode::Classes, Mode::ClassesAndMethods] {
        for (forks, reuse_forks) in [(1, true), (2, true), (2, false)] {
            let parallelism = Parallelism {
                mode,
                threads: 3,
                threads_per_core: false,
                forks: Forks::Count(forks),
                reuse_forks,
                modules: None,
            };
            let run = bench.run(Selection::All, parallelism, ProcessPolicy::default());
            assert_finished(&run);
            let mut ran = order_of(&run);
            ran.sort();
            assert_eq!(ran, expected, "{mode} {forks} {reuse_forks}: {:?}\n{}", run.findings, bench.output());
        }
    }
}

#[test]
fn threads_and_forks_run_junit_4_once() {
    check_once("clean-gains");
}

#[test]
fn threads_and_forks_run_jupiter_once() {
    check_once("junit5");
}

#[test]
fn threads_and_forks_run_testng_once() {
    check_once("testng");
}

#[test]
fn threads_really_overlap() {
    let Some(mut bench) = open("clean-gains") else { return };
    let parallelism = Parallelism { mode: Mode::ClassesAndMethods, threads: 4, ..Parallelism::SEQUENTIAL };
    let run = bench.run(Selection::All, parallelism, ProcessPolicy::default());
    assert!(run.concurrency().max >= 2, "{:?}", run.concurrency());
    assert_eq!(bench.run_all().concurrency().max, 1);
}

#[test]
fn a_quick_start_changes_nothing_but_time() {
    let Some(mut bench) = open("order-within-class") else { return };
    let plain = bench.run_all();
    let quick = ProcessPolicy { quick_start: true, ..ProcessPolicy::default() };
    for _ in 0..2 {
        let run = bench.run(Selection::All, Parallelism::SEQUENTIAL, quick);
        assert_finished(&run);
        assert_eq!(outcomes_of(&run), outcomes_of(&plain));
    }
}

/// Whatever the framework: a watched run ends as any other does, and every test that ran has told what it touched.
#[test]
fn watching_what_tests_share_changes_nothing() {
    for subject in ["orders-junit3", "orders-jupiter", "orders-testng"] {
        let Some(mut bench) = open(subject) else { return };
        let plain = bench.run_all();
        let watch = Instrumentation { accesses: true, ..Instrumentation::default() };
        let request = bench.request(Selection::All, Parallelism::SEQUENTIAL, ProcessPolicy::default());
        let watched = bench.session.run(&RunRequest { watch, ..request }).unwrap();
        assert_finished(&watched);
        assert_eq!(outcomes_of(&watched), outcomes_of(&plain), "{subject}");
        let ran = watched.executions.iter().filter(|execution| execution.outcome != Outcome::Skipped);
        let told: BTreeSet<&TestId> = watched.seen.accesses.iter().map(|accesses| &accesses.test).collect();
        for execution in ran.filter(|execution| !execution.is_failed_fixture()) {
            assert!(told.contains(&execution.test), "{subject}: {} told nothing", execution.test);
        }
        assert!(plain.seen.accesses.is_empty());
        assert!(!bench.output().contains("is not seen"), "{subject}: {}", bench.output());
    }
}
