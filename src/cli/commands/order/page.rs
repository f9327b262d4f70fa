//! An order for a person, and for a script.

use std::collections::HashSet;
use std::path::Path;

use parade::once::orders::{Failure, OrderedRunResult};
use parade::simulation::Scheduler;
use parade::store::record::Verdict;
use parade::suite::TestId;
use parade::technique::algorithm::Algorithm;
use parade::technique::arrange::Arrangement;
use parade::wording::{VIRTUAL_TIME, plural};
use serde_json::{Map, Value, json};

use super::super::output::{one_line, pretty};
use super::{OrderOptions, Told};

pub fn document(told: &Told<'_>) -> miette::Result<String> {
    let Arrangement { algorithm, enhanced, machines, added, forecast, .. } = told.arrangement;
    let mut document = Map::new();
    let mut put = |key: &str, value: Value| document.insert(key.to_owned(), value);
    put("algorithm", json!(algorithm));
    put("enhanced", json!(enhanced));
    put("tests", json!(told.tests));
    if algorithm.is_parallel() {
        put("machines", json!(machines));
        put("added", json!(added));
        put("makespan", json!(forecast.map(|forecast| forecast.makespan)));
        put("lower_bound", json!(forecast.map(|forecast| forecast.lower_bound)));
    } else {
        put("order", json!(machines.concat()));
        put("added", json!(added.concat()));
    }
    put("notes", json!(told.notes));
    put("virtual_time", json!(told.virtual_time));
    put("jdk", json!(told.jdk));
    put("project", json!(told.identity));
    if let Some(ran) = told.ran {
        put("run", run_document(ran));
    }
    pretty(&document)
}

fn run_document(ran: &OrderedRunResult) -> Value {
    let rounded = |seconds: f64| (seconds * 1000.0).round() / 1000.0;
    let errors = ran.tally.errors + ran.tally.crashed + ran.tally.timed_out + ran.tally.not_run;
    let failure = |failure: &Failure| {
        json!({
            "test": failure.test, "machine": failure.machine, "outcome": failure.outcome,
            "message": failure.message.as_deref().map(one_line),
        })
    };
    json!({
        "verdict": ran.verdict,
        "reason": ran.reason,
        "engine": ran.engine,
        "tests": ran.tally.ran() + ran.tally.not_run,
        "passed": ran.tally.passed,
        "failed": ran.tally.failed,
        "errors": errors,
        "skipped": ran.tally.skipped,
        "seconds": rounded(ran.seconds),
        "makespan_seconds": rounded(ran.makespan),
        "failures": ran.failures.iter().map(failure).collect::<Vec<_>>(),
        "findings": ran.findings,
    })
}

pub fn failed_build(options: &OrderOptions, reason: &str, log: &Path) -> miette::Result<String> {
    if options.json {
        let verdict = Verdict::BuildFailed.name();
        return pretty(&json!({ "algorithm": options.algorithm, "verdict": verdict, "reason": reason, "log": log }));
    }
    let lines: String = reason.lines().map(|line| format!("  {line}\n")).collect();
    Ok(format!("The build failed, so there is no order:\n{lines}The log is {}\n", log.display()))
}

pub fn text(told: &Told<'_>) -> String {
    let arrangement = told.arrangement;
    let mut page = if told.virtual_time { format!("! {VIRTUAL_TIME}\n") } else { String::new() };
    page.push_str(&format!("{}\n", heading(told)));
    for (number, (tests, added)) in (1..).zip(arrangement.machines.iter().zip(&arrangement.added)) {
        if arrangement.algorithm.is_parallel() {
            page.push_str(&format!("machine {number}: {}\n", plural(tests.len(), "test")));
        }
        page.push_str(&queue(tests, added));
    }
    if let Some(forecast) = arrangement.forecast {
        page.push_str(&format!(
            "The last machine is done after {:.3} s; the lower bound is {:.3} s\n",
            forecast.makespan, forecast.lower_bound
        ));
    }
    if let Some(explained) = explained(arrangement.algorithm) {
        page.push_str(&format!("{}: {explained}\n", arrangement.algorithm));
    }
    if told.jdk.is_some() {
        page.push_str(&format!("{}\n", one_line(&told.identity.line(told.jdk))));
    }
    told.notes.iter().for_each(|note| page.push_str(&format!("Note: {}\n", one_line(note))));
    page + &told.ran.map(outcome).unwrap_or_default()
}

/// What algorithms for several machines do; the others are orders on one.
fn explained(algorithm: Algorithm) -> Option<&'static str> {
    Scheduler::ALL.into_iter().find(|scheduler| scheduler.name() == algorithm.name()).map(Scheduler::explained)
}

fn heading(told: &Told<'_>) -> String {
    let arrangement = told.arrangement;
    let distinct: HashSet<&TestId> = arrangement.machines.iter().flatten().collect();
    let added: usize = arrangement.added.iter().map(Vec::len).sum();
    let kind = if arrangement.enhanced { ", enhanced" } else { "" };
    let more = if added > 0 { format!("; {added} added because others depend on them") } else { String::new() };
    format!("{}{kind}: {} of {}{more}", arrangement.algorithm, distinct.len(), plural(told.tests, "test"))
}

fn queue(tests: &[TestId], added: &[TestId]) -> String {
    let added: HashSet<&TestId> = added.iter().collect();
    let mark = |test| if added.contains(test) { " (added)" } else { "" };
    tests.iter().map(|test| format!("  {test}{}\n", mark(test))).collect()
}

fn outcome(ran: &OrderedRunResult) -> String {
    let mut text = String::new();
    for Failure { machine, test, outcome, message } in &ran.failures {
        let message = message.as_deref().map(|message| format!(": {}", one_line(message))).unwrap_or_default();
        let outcome = outcome.name().replace('_', " ");
        text.push_str(&format!("Machine {machine}: {test} {outcome}{message}\n"));
    }
    let reason = ran.reason.as_deref().map(|reason| format!(" ({})", one_line(reason))).unwrap_or_default();
    let bad = ran.tally.failures() + ran.tally.not_run;
    text + &format!(
        "Run by the {} engine in {:.1} s: {}{reason}; {} passed, {bad} did not, {} skipped\n",
        ran.engine,
        ran.seconds,
        ran.verdict.name().replace('_', " "),
        ran.tally.passed,
        ran.tally.skipped
    )
}
