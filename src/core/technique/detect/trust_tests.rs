//! What processes that stay hide, and what they make up.

use std::cell::Cell;
use std::time::Duration;

use super::tests::{detected, expected, plan, scripted, summary};
use super::*;

fn names(tests: usize) -> Vec<String> {
    (0..tests).map(|test| format!("C{}#t{test}", test / 10)).collect()
}

fn borrowed(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

#[test]
fn a_test_that_fails_only_alone_in_a_fresh_process_is_found_in_what_is_left_of_the_budget() {
    // A library remembers for a whole process that any test has run.
    let names = names(300);
    let names = borrowed(&names);
    let mut session = scripted(&names, |before, test, warm| !warm && test == "C14#t145" && before.is_empty());
    let detection = detected(&mut session, &plan(None), &mut Forgetful);
    let found: Vec<(String, Kind)> =
        detection.order_dependent.iter().map(|test| (test.test.to_string(), test.kind)).collect();
    assert_eq!(found, [("C14#t145".to_owned(), Kind::Brittle)]);
    assert!(!detection.order_dependent[0].state_setters.is_empty());
}

#[test]
fn a_short_budget_is_not_spent_on_what_staying_processes_make_up() {
    let names = names(60);
    let runs = Cell::new(0);
    // From its second order on, half of the tests fail in a process that stays.
    let aged = |before: &[&str], test: &str, warm: bool| {
        runs.set(runs.get() + usize::from(warm && before.is_empty()));
        let spoilt = warm && runs.get() > 1 && test.ends_with(['0', '2', '4', '6', '8']);
        spoilt || test == "C1#t11" && before.contains(&"C3#t33")
    };
    let names = borrowed(&names);
    let mut session = scripted(&names, aged);
    let short = Plan { budget: Duration::from_secs(30), ..plan(None) };
    let detection = detected(&mut session, &short, &mut Forgetful);
    assert_eq!(summary(&detection), expected(&[("C1#t11", ["victim", "C3#t33", "", ""])]));
    assert!(detection.unconfirmed.is_empty(), "{:?}", detection.unconfirmed);
    let random = [Strategy::RandomClassMethod, Strategy::RandomInterleaved];
    let tried = detection.strategies.iter().filter(|tried| random.contains(&tried.strategy) && tried.orders > 0);
    assert_eq!(tried.count(), 2, "{:?}", detection.strategies);
}
