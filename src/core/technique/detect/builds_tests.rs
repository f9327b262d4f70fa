//! What no build can show is no finding, unless it is asked for.

use super::tests::plan;
use super::{Detection, Forgetful, SearchContext, TestRoster, detect};
use crate::engine::Session;
use crate::engine::model::{ModelSession, ModelSuite};

/// Two tests that share an instance, one that any test of another class between them breaks, and a real victim.
const SUITE: &str = "
[[test]]
id = 'Steps#first'
declared_order = true
per_class_instance = true
[[test]]
id = 'Steps#second'
declared_order = true
per_class_instance = true
needs = ['Steps#first']
[[test]]
id = 'Loose#sets'
[[test]]
id = 'Loose#uses'
per_class_instance = true
needs = ['Loose#sets']
[[test]]
id = 'Other#pollutes'
[[test]]
id = 'Other#fine'
[[test]]
id = 'Victim#fails'
polluted_by = ['Other#pollutes']
[[test]]
id = 'Victim#passes'
";

fn detected(suite: &str, interleave: bool) -> Detection {
    let mut session = ModelSession::new(ModelSuite::parse(suite).unwrap(), 1);
    let all = TestRoster::by_module(session.tests());
    let roster = if interleave { all } else { all.only_orders_of_builds(&session.declared_orders()) };
    let company = SearchContext { memory: &mut Forgetful, hear: &mut |_| {}, stop: &|| false };
    detect(&mut session, roster, &plan(None), company).unwrap()
}

fn told(detection: &Detection) -> Vec<(String, &'static str, Vec<String>, bool)> {
    let names = |tests: &[crate::suite::TestId]| tests.iter().map(ToString::to_string).collect();
    let of = |test: &super::OrderDependent| {
        let causes = if test.polluters.is_empty() { names(&test.state_setters) } else { names(&test.polluters) };
        (test.test.to_string(), test.kind.name(), causes, test.declared_order)
    };
    detection.order_dependent.iter().map(of).collect()
}

#[test]
fn what_only_interleaving_shows_is_no_finding() {
    let found = detected(SUITE, false);
    let expected = [
        ("Steps#second", "brittle", "Steps#first", true),
        ("Loose#uses", "brittle", "Loose#sets", false),
        ("Victim#fails", "victim", "Other#pollutes", false),
    ];
    let expected =
        expected.map(|(test, kind, cause, declared)| (test.to_owned(), kind, vec![cause.to_owned()], declared));
    assert_eq!(told(&found), expected, "{found:?}");
    assert!(found.order_dependent.iter().all(|test| test.complete), "{found:?}");
}

#[test]
fn what_interleaving_shows_is_there_for_who_asks() {
    let found = detected(SUITE, true);
    let second = found.order_dependent.iter().find(|test| test.test.to_string() == "Steps#second").unwrap();
    assert_eq!(second.kind.name(), "both", "any test between the two makes the instance anew: {second:?}");
    assert!(second.polluters.len() >= 4 && !second.declared_order, "{second:?}");
}

/// A test that fails whenever its class is entered a second time, and passes alone.
#[test]
fn a_test_that_fails_only_where_classes_are_interleaved_is_named_and_not_reported() {
    let suite = "
[[test]]
id = 'A#opens'
[[test]]
id = 'A#closes'
per_class_instance = true
needs = ['A#opens']
[[test]]
id = 'B#x'
[[test]]
id = 'B#y'
";
    let found = detected(suite, false);
    let named: Vec<String> = found.order_dependent.iter().map(|test| test.test.to_string()).collect();
    assert_eq!(named, ["A#closes"]);
    let polluters = &found.order_dependent[0].polluters;
    assert!(polluters.is_empty(), "B comes between the two in no build: {polluters:?}");
}
