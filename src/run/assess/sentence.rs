//! The answer's reason in a sentence or two, from the fields of the answer and nothing else.

use std::collections::BTreeMap;

use super::answer::{Answer, Basis, Failure};
use super::decide::LEAST_GAIN;
use super::evidence::{Evidence, FEW_BROKEN};
use super::parallel_mode::ParallelMode;
use crate::suite::TestId;
use crate::wording::plural;

/// Tests that a sentence names.
const NAMED: usize = 3;

/// Why the verdict is what it is.
pub fn reason(answer: &Answer) -> String {
    let mode = answer.mode.as_deref().map(|mode| answer.explained(mode)).unwrap_or_default();
    let compared = answer.speedup.map(|speedup| speedup.compared());
    let gain = compared.clone().unwrap_or_else(|| "did not end".to_owned());
    match &answer.basis {
        Basis::CleanGain => format!("{mode} {gain}, and no test failed in {}{}", runs(answer), set_aside(answer)),
        Basis::UsualFailures => {
            format!(
                "{mode} {gain}, and its few failures look like flaky tests, not like parallelism, as far as these runs show"
            )
        }
        Basis::Repaired => {
            format!("{mode} {gain} if failed tests are rerun; {} and passed in a rerun", failing(answer, "failed"))
        }
        Basis::RepairedOrChance => {
            let what = "that parallelism is the cause is not yet proven";
            format!("{mode} {gain} if failed tests are rerun; {}; {what}", failing(answer, "failed"))
        }
        Basis::FailsInParallel => {
            format!("{mode} {gain}, but {}: fix or isolate what fails first", failing(answer, "fail"))
        }
        Basis::SuiteFails => {
            let broken = &answer.broken;
            let tests = share(broken.len(), answer, "fails", "fail");
            let most = FEW_BROKEN * 100.0;
            format!(
                "{tests} in every sequential run: {}. That is more than {most:.0} %, so no mode is judged before they pass",
                quoted(broken, &answer.messages)
            )
        }
        Basis::SuiteIsFlaky => {
            let flaky = &answer.flaky;
            let tests = share(flaky.len(), answer, "is flaky: it fails", "are flaky: they fail");
            format!(
                "{tests} in some sequential runs and not in others, for example {}. That is more than half of the tests, so no mode is judged before they are fixed",
                quoted(flaky, &answer.messages)
            )
        }
        Basis::SuiteBreaksDown(why) => format!("a sequential run of the suite does not end: {why}"),
        Basis::NothingToTry => "no parallel mode can be run here".to_owned() + &impossible(answer),
        Basis::NoOverlap if answer.survey.tests == 1 => "the suite has only one test".to_owned(),
        Basis::NoOverlap => format!("no two tests ran at the same time in any mode ({})", tried(answer)),
        Basis::TooLittle => format!(
            "{}, {mode}, {gain}; less than {LEAST_GAIN:.2}× is not worth a change ({})",
            best(answer),
            tried(answer)
        ),
        Basis::NotShown => {
            format!("{}, {mode}, {gain}; no gain of {LEAST_GAIN:.2}× is shown ({})", best(answer), tried(answer))
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
    let often = failing_runs(answer);
    if in_mode.is_empty() {
        return format!("tests {verb}{often}");
    }
    let mut messages: BTreeMap<&str, usize> = BTreeMap::new();
    for message in in_mode.iter().filter_map(|failure| failure.message.as_deref()) {
        *messages.entry(message).or_default() += 1;
    }
    let verb = if in_mode.len() == 1 && verb == "fail" { "fails" } else { verb };
    let count = format!("{} {verb}", plural(in_mode.len(), "test"));
    let named = match messages.into_iter().max_by_key(|(_, times)| *times) {
        None => format!("{}, without a message", in_mode[0].test),
        Some((message, 1)) => {
            let first = in_mode.iter().find(|failure| failure.message.as_deref() == Some(message));
            let test = first.map(|failure| failure.test.to_string()).unwrap_or_default();
            let example = if in_mode.len() > 1 { "e.g. " } else { "" };
            format!("{example}{test}: “{message}”")
        }
        Some((message, times)) if times == in_mode.len() => format!("“{message}”"),
        Some((message, times)) => format!("{times} of them “{message}”"),
    };
    format!("{count} ({named}){often}")
}

/// `1 of 8 tests fails`.
fn share(tests: usize, answer: &Answer, one: &str, several: &str) -> String {
    let all = plural(answer.survey.tests.max(tests), "test");
    format!("{tests} of {all} {}", if tests == 1 { one } else { several })
}

fn of_mode(answer: &Answer) -> Option<&Evidence> {
    answer.ways.iter().find(|evidence| Some(evidence.way.name()) == answer.mode.as_deref())
}

/// `its 8 runs`: what a sentence about the mode rests on.
fn runs(answer: &Answer) -> String {
    match of_mode(answer).map(|evidence| evidence.runs) {
        None => "it".to_owned(),
        Some(1) => "its only run".to_owned(),
        Some(runs) => format!("its {runs} runs"),
    }
}

fn failing_runs(answer: &Answer) -> String {
    let of = |evidence: &Evidence| format!(" in {} of {}", evidence.failing_runs, its(evidence.runs));
    of_mode(answer).map(of).unwrap_or_else(|| " in it".to_owned())
}

fn its(runs: usize) -> String {
    if runs == 1 { "its 1 run".to_owned() } else { format!("its {runs} runs") }
}

/// What failed there, and is not held against the mode.
fn set_aside(answer: &Answer) -> String {
    match answer.flaky.len() + answer.broken.len() {
        0 => String::new(),
        1 => ", except 1 that also fails in sequential runs".to_owned(),
        several => format!(", except {several} that also fail in sequential runs"),
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

/// Modes without effect are no candidates.
fn best(answer: &Answer) -> &'static str {
    let is_mode = |evidence: &&Evidence| evidence.way != ParallelMode::Project;
    match answer.ways.iter().filter(is_mode).any(Evidence::had_no_effect) {
        true => "the best of the modes that had an effect",
        false => "the best mode",
    }
}

fn tried(answer: &Answer) -> String {
    let named = |evidence: &Evidence| match evidence.had_no_effect() {
        true => format!("{} (no effect)", evidence.way),
        false => evidence.way.name().to_owned(),
    };
    let names: Vec<String> =
        answer.ways.iter().filter(|evidence| evidence.way != ParallelMode::Project).map(named).collect();
    let tried = if names.is_empty() { "no mode was tried".to_owned() } else { format!("tried: {}", names.join(", ")) };
    if answer.not_tried.is_empty() { tried } else { format!("{tried}; not tried: {}", answer.not_tried.join(", ")) }
}

fn impossible(answer: &Answer) -> String {
    let told: Vec<String> = answer.survey.impossible.iter().map(|(way, why)| format!("{way}: {why}")).collect();
    if told.is_empty() { String::new() } else { format!(": {}", told.join("; ")) }
}
