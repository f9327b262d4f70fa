//! Runs the real binary on every bundled subject and compares with the subject's `expected.toml`.

use std::collections::BTreeSet;

use crate::support::{self, Expectation};

macro_rules! subjects {
    ($($test:ident = $folder:literal,)*) => {
        const SUBJECTS: &[&str] = &[$($folder),*];
        $(
            #[test]
            fn $test() {
                support::check_subject($folder);
            }
        )*
    };
}

subjects! {
    already_parallel = "already-parallel",
    build_fails = "build-fails",
    clean_gains = "clean-gains",
    covers_lines = "covers-lines",
    crash_upstream = "crash-upstream",
    data_race = "data-race",
    detached_process = "detached-process",
    enormous_output = "enormous-output",
    file_permissions = "file-permissions",
    fixture_race = "fixture-race",
    flaky = "flaky",
    forges_records = "forges-records",
    hanging_test = "hanging-test",
    hangs_in_parallel = "hangs-in-parallel",
    hostile_names = "hostile-names",
    integration_tests = "integration-tests",
    junit3 = "junit3",
    junit5 = "junit5",
    kills_its_jvm = "kills-its-jvm",
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
    shares_state = "shares-state",
    parallel_modules = "parallel-modules",
    pins_parallel = "pins-parallel",
    pytest_order_and_race = "pytest-order-and-race",
    races_for_a_file = "races-for-a-file",
    redirects_records = "redirects-records",
    repeated_names = "repeated-names",
    same_class_in_two_modules = "same-class-in-two-modules",
    several_frameworks = "several-frameworks",
    slow_when_sequential = "slow-when-sequential",
    starts_server = "starts-server",
    testng = "testng",
}

#[test]
fn nothing_outlives_a_killed_parade() {
    support::check_nothing_outlives_parade("hanging-test");
}

#[test]
fn subjects_get_the_jdks_that_they_need() {
    support::check_choice_of_jdks();
}

#[test]
fn a_jdk_is_chosen_by_what_passes() {
    support::check_jdk_by_what_passes();
}

#[test]
fn root_is_told_apart() {
    support::check_root_is_told_apart();
}

#[test]
fn every_folder_is_tested() {
    let folders: BTreeSet<String> = std::fs::read_dir(support::subjects_folder())
        .expect("the subjects are there")
        .flatten()
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    let tested: BTreeSet<String> = SUBJECTS.iter().map(|&name| name.to_owned()).collect();
    assert_eq!(folders, tested);
}

#[test]
fn every_expectation_can_be_put_to_the_test() {
    for subject in SUBJECTS {
        let expectation = Expectation::of(subject);
        let first = expectation.configurations.first().unwrap_or_else(|| panic!("{subject}: no configuration"));
        assert_eq!(first.name, "sequential", "{subject}: the baseline comes first");
        let known = ["adopt", "adopt_with_paste", "fix_first", "not_worth_it", "already_parallel"];
        assert!(expectation.assess.as_deref().is_none_or(|verdict| known.contains(&verdict)), "{subject}: assess");
        if let Some(ids) = &expectation.ids {
            let distinct: BTreeSet<_> = ids.iter().collect();
            assert_eq!(distinct.len() as u64, expectation.tests, "{subject}: ids");
        }
    }
}
