//! (a) What parade adds to a sequential run of the suite by Maven.

use std::rc::Rc;

use parade::engine::{ProcessPolicy, Selection};
use parade::java::surefire::SurefireSession;
use parade::process::Interrupt;

use super::figure::{Figure, Goal, seconds};
use super::workbench::{TAG, alternating, by_hand, by_parade, prepare, ratio};

const SUBJECT: &str = "clean-gains";

pub fn measure() -> Vec<Figure> {
    let prepared = prepare(SUBJECT);
    let mut session = SurefireSession::open(Rc::clone(&prepared), TAG, Interrupt::new()).expect("a session");
    let logs = tempfile::tempdir().expect("a scratch folder");
    let (parade, hand) = alternating(
        || by_parade(&mut session, Selection::All, ProcessPolicy::default(), logs.path()),
        || by_hand(&prepared, &["test"]),
    );
    vec![Figure {
        what: format!("sequential trial of `{SUBJECT}` by parade / `mvn -o test` by hand"),
        goal: Goal::AtMost(1.05),
        unit: "",
        value: ratio(&parade, &hand),
        detail: format!("parade {}, by hand {}, {} pairs", seconds(&parade), seconds(&hand), parade.len()),
    }]
}
