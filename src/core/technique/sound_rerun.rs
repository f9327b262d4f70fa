//! The sound alternative to PASTE: failed tests are rerun after everything that they depend on, transitively.
//!
//! It needs the dependencies beforehand, and finding those is what makes it expensive.

use crate::engine::{Parallelism, Selection};
use crate::suite::{DependencyGraph, Execution, Finding, FindingKind, TestId};

use super::Stages;

pub(super) fn run(
    stages: &mut Stages<'_, '_>,
    parallelism: Parallelism,
    dependencies: &DependencyGraph,
) -> miette::Result<()> {
    let goes_on = stages.run_all("parallel run", parallelism)?;
    let failed = stages.failing();
    if !goes_on || failed.is_empty() {
        return Ok(());
    }
    let order = dependencies.sort(&dependencies.closure(&failed));
    stages.rerun(
        "failed tests after their dependencies",
        Selection::Tests(order),
        Parallelism::SEQUENTIAL.reusing(parallelism),
    )?;
    report_broken_order(stages, dependencies);
    Ok(())
}

/// An engine that does not control the order may have run a test before what it needs: that must be known.
fn report_broken_order(stages: &mut Stages<'_, '_>, dependencies: &DependencyGraph) {
    let Some(rerun) = stages.done.last_mut() else { return };
    let executions = &rerun.run.executions;
    let started = |test: &TestId| executions.iter().find(|execution| &execution.test == test).map(|first| first.start);
    let too_early = |execution: &&Execution| {
        let needs = dependencies.prerequisites(&execution.test);
        needs.iter().any(|needed| started(needed).is_none_or(|start| start > execution.start))
    };
    let broken = executions.iter().filter(too_early).count();
    if broken > 0 {
        let why = if stages.engines.rerun_imposes_order() { "" } else { ": the engine does not control the order" };
        let tests = if broken == 1 { "1 test was" } else { &format!("{broken} tests were") };
        let text = format!("{tests} rerun before the tests that they depend on{why}");
        rerun.run.findings.push(Finding::new(FindingKind::OrderNotKept, text));
    }
}
