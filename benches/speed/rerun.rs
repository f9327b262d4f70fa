//! (b) Rerunning one test: a fresh JVM of the direct engine against Maven with `-Dtest`.

use std::rc::Rc;

use parade::engine::{ProcessPolicy, Selection};
use parade::java::direct::DirectSession;
use parade::process::Interrupt;
use parade::suite::TestId;

use super::figure::{Figure, Goal, seconds};
use super::workbench::{TAG, alternating, by_hand, by_parade, prepare, ratio};

pub fn measure() -> Vec<Figure> {
    vec![
        rerun("order-within-class", "bank.InterestTest", "a plain unit test", 10.0),
        rerun("starts-server", "harbour.HarbourServerTest", "a test that starts a server", 5.0),
    ]
}

fn rerun(subject: &str, class: &str, kind: &str, goal: f64) -> Figure {
    let prepared = prepare(subject);
    let mut session = DirectSession::open(Rc::clone(&prepared), TAG, Interrupt::new()).expect("a session");
    let test = first_of(&prepared.discovery().tests, class);
    let pattern = format!("-Dtest={}#{}", test.class, test.name);
    let logs = tempfile::tempdir().expect("a scratch folder");
    let policy = ProcessPolicy { quick_start: true, ..ProcessPolicy::default() };
    let (direct, hand) = alternating(
        || by_parade(&mut session, Selection::Tests(vec![test.clone()]), policy, logs.path()),
        || by_hand(&prepared, &["surefire:test", &pattern]),
    );
    Figure {
        what: format!("rerun of {kind} (`{test}`): `mvn -o surefire:test -Dtest=…` / direct, JVM start included"),
        goal: Goal::AtLeast(goal),
        unit: " times",
        value: ratio(&hand, &direct),
        detail: format!("direct {}, Maven {}, {} pairs", seconds(&direct), seconds(&hand), direct.len()),
    }
}

fn first_of(tests: &[parade::java::maven::KnownTest], class: &str) -> TestId {
    let test = tests.iter().find(|test| test.id.class == class);
    test.unwrap_or_else(|| panic!("no test of {class}")).id.clone()
}
