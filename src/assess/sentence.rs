//! The answer's reason in a sentence or two, from the fields of the answer and nothing else.

use std::collections::BTreeMap;

use super::answer::{Answer, Basis, Failure};
use super::decide::LEAST_GAIN;
use crate::suite::TestId;
use crate::wording::{counted, plural};

/// Tests that a sentence names.
const NAMED: usize = 3;

/// Why the verdict is what it is.
pub fn reason(answer: &Answer) -> String {
    let mode = answer.mode.as_deref().map(|mode| answer.explained(mode)).unwrap_or_default();
    let compared = answer.speedup.map(|speedup| speedup.compared());
    let gain = compared.clone().unwrap_or_else(|| "did not end".to_owned());
    match &answer.basis {
        Basis::CleanGain => format!("{mode} {gain}, and no test failed in it"),
        Basis::UsualFailures => {
            format!("{mode} {gain}, and no more tests failed in it than in sequential runs, as far as these runs show")
        }
        Basis::Repaired => {
            format!("{mode} {gain} if failed tests are rerun; {} in it and passed alone", failing(answer, "failed"))
        }
        Basis::RepairedOrChance => {
            let what = "by chance or in a rare race";
            format!("{mode} {gain} if failed tests are rerun; {} in it {what}", failing(answer, "failed"))
        }
        Basis::FailsInParallel => {
            format!("{mode} {gain}, but {} in it: fix or isolate what fails first", failing(answer, "fail"))
        }
        Basis::SuiteFails => {
            let broken = &answer.broken;
            let tests = counted(broken.len(), "test fails", "tests fail");
            format!("{tests} in every sequential run: {}", quoted(broken, &answer.messages))
        }
        Basis::SuiteBreaksDown(why) => format!("a sequential run of the suite does not end: {why}"),
        Basis::NothingToTry => "no parallel mode can be run here".to_owned() + &impossible(answer),
        Basis::NoOverlap => format!("no two tests ran at the same time in any mode ({})", tried(answer)),
        Basis::TooLittle => format!(
            "the best mode, {mode}, {gain}; less than {LEAST_GAIN:.2}× is not worth a change ({})",
            tried(answer)
        ),
        Basis::NotShown => {
            format!("the best mode, {mode}, {gain}; no gain of {LEAST_GAIN:.2}× is shown ({})", tried(answer))
        }
        Basis::OwnSettings => {
            let gain =
                compared.map(|compared| format!("; with these settings, the suite {compared}")).unwrap_or_default();
            format!(
                "the project's own settings already run tests at the same time{gain}; no other mode that was tried is {LEAST_GAIN:.2}× faster than that ({})",
                tried(answer)
            )
        }
    }
}

/// The tests that fail in the mode, with what most of them fail of.
fn failing(answer: &Answer, verb: &str) -> String {
    let in_mode: Vec<&Failure> = answer.failures.iter().filter(|failure| failure.in_mode).collect();
    if in_mode.is_empty() {
        return format!("tests {verb}");
    }
    let mut messages: BTreeMap<&str, usize> = BTreeMap::new();
    for message in in_mode.iter().filter_map(|failure| failure.message.as_deref()) {
        *messages.entry(message).or_default() += 1;
    }
    let verb = if in_mode.len() == 1 && verb == "fail" { "fails" } else { verb };
    let count = format!("{} {verb}", plural(in_mode.len(), "test"));
    match messages.into_iter().max_by_key(|(_, times)| *times) {
        None => format!("{count} ({}, without a message)", in_mode[0].test),
        Some((message, 1)) if in_mode.len() > 1 => {
            let first = in_mode.iter().find(|failure| failure.message.as_deref() == Some(message));
            let test = first.map(|failure| failure.test.to_string()).unwrap_or_default();
            format!("{count} (e.g. {test}: “{message}”)")
        }
        Some((message, times)) if times == in_mode.len() => format!("{count} (“{message}”)"),
        Some((message, times)) => format!("{count} ({times} of them “{message}”)"),
    }
}

/// Some of the tests, each with what it failed of.
pub fn quoted(tests: &[TestId], messages: &BTreeMap<String, String>) -> String {
    let told = tests.iter().take(NAMED).map(|test| match messages.get(&test.to_string()) {
        Some(message) if !message.is_empty() => format!("{test} (“{message}”)"),
        _ => test.to_string(),
    });
    let named: Vec<String> = told.collect();
    let more = if tests.len() > NAMED { format!(" and {} more", tests.len() - NAMED) } else { String::new() };
    named.join(", ") + &more
}

fn tried(answer: &Answer) -> String {
    let names: Vec<&str> =
        answer.ways.iter().map(|evidence| evidence.way.name()).filter(|name| *name != "project").collect();
    let tried = if names.is_empty() { "no mode was tried".to_owned() } else { format!("tried: {}", names.join(", ")) };
    if answer.not_tried.is_empty() { tried } else { format!("{tried}; not tried: {}", answer.not_tried.join(", ")) }
}

fn impossible(answer: &Answer) -> String {
    let told: Vec<String> = answer.survey.impossible.iter().map(|(way, why)| format!("{way}: {why}")).collect();
    if told.is_empty() { String::new() } else { format!(": {}", told.join("; ")) }
}
