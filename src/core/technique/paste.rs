//! PASTE: run everything in parallel, then repair what that broke by rerunning it sequentially.
//!
//! 1. The whole suite in a parallel mode.
//! 2. The *tests* that failed, one after the other: a data race has nobody left to race with.
//! 3. The *classes* of the tests that failed again, each whole and in original order: a dependence on an earlier test of
//!    the same class is met again.
//!
//! It stops as soon as nothing fails. What still fails after stage 3 depends on something outside its class; it is
//! reported, not hidden. Stages 2 and 3 may be run by another engine, one that starts faster.

use crate::engine::{Parallelism, Selection, Session};
use crate::suite::{ClassId, TestId};

use super::Stages;

pub(super) fn run(stages: &mut Stages<'_, '_>, parallelism: Parallelism) -> miette::Result<()> {
    let sequential = Parallelism::SEQUENTIAL.reusing(parallelism);

    let goes_on = stages.run_all("parallel run", parallelism)?;
    let failed = stages.failing();
    if !goes_on || failed.is_empty() {
        return Ok(());
    }

    let goes_on = stages.rerun("failed tests", Selection::Tests(failed), sequential)?;
    let failed_again = stages.failing();
    if !goes_on || failed_again.is_empty() {
        return Ok(());
    }

    let classes = classes_of(&failed_again, stages.engines.main);
    stages.rerun("their classes", Selection::Classes(classes), sequential)?;
    Ok(())
}

/// The classes of these tests, once each, in original order.
fn classes_of(tests: &[TestId], session: &dyn Session) -> Vec<ClassId> {
    let mut classes: Vec<ClassId> = Vec::new();
    let mut wanted: std::collections::HashSet<ClassId> = tests.iter().map(TestId::class_id).collect();
    for class in session.tests().iter().chain(tests).map(TestId::class_id) {
        if wanted.remove(&class) {
            classes.push(class);
        }
    }
    classes
}
