//! Names every difference between an expectation and what a run left behind.

use std::collections::BTreeSet;

use parade::store::record::{Phase, SubjectRecord, TrialRecord, Verdict};
use parade::suite::{FindingKind, TestId};

use super::expectation::{Bounds, Expectation, ExpectedConfiguration};
use super::outcome::{Row, Run, RunOutcome};

/// Kinds of finding that no trial may have unless its expectation lists them.
const ALARMING: [FindingKind; 6] = [
    FindingKind::LostTests,
    FindingKind::UnexpectedTests,
    FindingKind::DeadWorker,
    FindingKind::StrayProcesses,
    FindingKind::DirtyWorktree,
    FindingKind::Contradiction,
];

pub fn differences(expectation: &Expectation, outcome: &RunOutcome) -> Vec<String> {
    let mut found = Differences::default();
    found.equal("exit code", &expectation.exit_code, &outcome.exit_code().unwrap_or(-1));
    match &outcome.run {
        Ok(run) => compare_run(expectation, run, &mut found),
        Err(why) => found.0.push(why.clone()),
    }
    found.0
}

#[derive(Default)]
struct Differences(Vec<String>);

impl Differences {
    fn equal<T: PartialEq + std::fmt::Debug>(&mut self, what: &str, expected: &T, actual: &T) {
        if expected != actual {
            self.0.push(format!("{what}: expected {expected:?}, got {actual:?}"));
        }
    }

    fn within(&mut self, what: &str, expected: Bounds, actual: u64) {
        if !expected.hold(actual) {
            self.0.push(format!("{what}: expected {expected}, got {actual}"));
        }
    }

    fn holds(&mut self, what: &str, condition: bool) {
        if !condition {
            self.0.push(what.to_owned());
        }
    }
}

fn compare_run(expectation: &Expectation, run: &Run, found: &mut Differences) {
    let unfinished = expectation.configurations.iter().filter(|c| !c.verdict.is_completed()).count() as u64;
    found.equal("failed trials", &unfinished, &run.summary.failed);
    found.equal("completed trials", &(expectation.configurations.len() as u64 - unfinished), &run.summary.completed);
    let warnings = std::fs::read_to_string(run.summary.run_dir.join("report/warnings.csv")).unwrap_or_default();
    let warned = warnings.contains("without using a processor in the baseline");
    found.equal("a warning of an idle baseline", &expectation.idle_only_in_baseline, &warned);
    match run.subjects.as_slice() {
        [subject] => compare_subject(expectation, subject, found),
        others => found.0.push(format!("the journal has {} subjects", others.len())),
    }
    for expected in &expectation.configurations {
        match find_trial(run, &expected.name) {
            Some((trial, row)) => compare_trial(expectation, expected, trial, row, found),
            None => found.0.push(format!("{}: no such trial in the journal and in trials.csv", expected.name)),
        }
    }
    compare_executions(expectation, run, found);
}

fn find_trial<'a>(run: &'a Run, configuration: &str) -> Option<(&'a TrialRecord, &'a Row)> {
    let trial = run.trials.iter().find(|t| t.phase == Phase::Measured && t.configuration == configuration)?;
    Some((trial, run.rows.get(configuration)?))
}

fn compare_subject(expectation: &Expectation, subject: &SubjectRecord, found: &mut Differences) {
    let set_aside: BTreeSet<_> = subject.set_aside.iter().map(|aside| &aside.test).collect();
    found.equal("set aside", &expectation.set_aside.iter().collect(), &set_aside);
    found.equal("screening runs", &expectation.screening, &subject.screening_runs);
    for deviation in &expectation.deviations {
        let said = subject.deviations.iter().any(|finding| finding.text.contains(deviation));
        found.holds(&format!("no deviation says `{deviation}`: {:?}", subject.deviations), said);
    }
    if subject.failure.is_none() {
        found.equal("tests of the subject", &expectation.tests, &(subject.tests as u64));
        // The version of pytest is the machine's matter.
        let of_pytest = expectation.frameworks == ["pytest"] && subject.frameworks[0].starts_with("pytest ");
        if !of_pytest {
            found.equal("frameworks", &expectation.frameworks, &subject.frameworks);
        }
        let has_jdk = subject.jdk_choice.is_some() && subject.java_home.is_some();
        found.holds("no word on the choice of the JDK", has_jdk || of_pytest);
    }
    if let (Some(bounds), None) = (expectation.jdk, &subject.failure) {
        let version = subject.jdk.as_deref().and_then(parade::java::Version::parse);
        found.within("JDK", bounds, version.map_or(0, |version| version.major().into()));
    }
}

fn compare_trial(
    expectation: &Expectation,
    expected: &ExpectedConfiguration,
    trial: &TrialRecord,
    row: &Row,
    found: &mut Differences,
) {
    let name = &expected.name;
    found.equal(
        &format!("{name}: verdict ({})", trial.reason.as_deref().unwrap_or("")),
        &expected.verdict,
        &trial.verdict,
    );
    found.equal(&format!("{name}: verdict in trials.csv"), &expected.verdict.name().to_owned(), &row.verdict);
    if expected.verdict != Verdict::Clean {
        found.holds(&format!("{name}: no reason given"), trial.reason.is_some());
    }
    compare_row(trial, row, found);
    if expected.verdict.is_completed() {
        compare_counts(expectation, expected, trial, row, found);
    }
    compare_stages(expected, trial, found);
    compare_residual(expected, trial, found);
    compare_findings(expected, trial, found);
}

/// The table says what the journal says.
fn compare_row(trial: &TrialRecord, row: &Row, found: &mut Differences) {
    let name = &trial.configuration;
    found.equal(&format!("{name}: identity"), &trial.trial, &row.trial);
    found.equal(&format!("{name}: subject"), &trial.subject, &row.subject);
    found.equal(&format!("{name}: cores"), &(trial.cores as u64), &row.cores);
    found.equal(&format!("{name}: repetition"), &trial.repetition, &row.repetition);
    if !trial.stages.is_empty() {
        found.holds(&format!("{name}: no wall time"), row.wall_seconds > 0.0);
        found.holds(&format!("{name}: no CPU time"), row.cpu_seconds > 0.0);
        found.holds(&format!("{name}: no peak memory"), row.peak_memory_bytes.is_some_and(|bytes| bytes > 0));
        found.holds(&format!("{name}: concurrency {}", row.concurrency), row.concurrency >= 0.0);
    }
}

fn compare_counts(
    expectation: &Expectation,
    expected: &ExpectedConfiguration,
    trial: &TrialRecord,
    row: &Row,
    found: &mut Differences,
) {
    let all = Bounds::Exactly(expectation.counted());
    let none = Bounds::Exactly(0);
    let tally = &trial.tally;
    let counts = [
        ("tests", expected.tests.unwrap_or(all), row.tests),
        ("passed", expected.passed.or(expected.tests).unwrap_or(all), row.passed),
        ("failed", expected.failed.unwrap_or(none), row.failed),
        ("errors", expected.errors.unwrap_or(none), row.errors),
        ("skipped", expected.skipped.unwrap_or(none), row.skipped),
        ("timed out", expected.timed_out.unwrap_or(none), tally.timed_out as u64),
        ("crashed", expected.crashed.unwrap_or(none), tally.crashed as u64),
    ];
    for (what, bounds, count) in counts {
        found.within(&format!("{}: {what}", expected.name), bounds, count);
    }
    if let Some(bounds) = expected.not_run {
        found.within(&format!("{}: not run", expected.name), bounds, tally.not_run as u64);
    }
    if let Some(bounds) = expected.concurrency_max {
        found.within(&format!("{}: overlapping tests", expected.name), bounds, trial.concurrency.max as u64);
    }
}

fn compare_stages(expected: &ExpectedConfiguration, trial: &TrialRecord, found: &mut Differences) {
    let Some(bounds) = &expected.failures_after else { return };
    let after: Vec<u64> = trial.stages.iter().map(|stage| stage.failures_after as u64).collect();
    let hold = bounds.len() == after.len() && bounds.iter().zip(&after).all(|(bounds, count)| bounds.hold(*count));
    if !hold {
        let wanted: Vec<String> = bounds.iter().map(Bounds::to_string).collect();
        found.0.push(format!("{}: failures after stages: expected {wanted:?}, got {after:?}", expected.name));
    }
}

fn compare_residual(expected: &ExpectedConfiguration, trial: &TrialRecord, found: &mut Differences) {
    let residual: BTreeSet<&TestId> = trial.residual.iter().map(|residual| &residual.test).collect();
    let wanted: BTreeSet<&TestId> = match &expected.residual {
        Some(tests) => tests.iter().collect(),
        None if expected.verdict == Verdict::Clean => BTreeSet::new(),
        None => return,
    };
    found.equal(&format!("{}: residual", expected.name), &wanted, &residual);
}

fn compare_findings(expected: &ExpectedConfiguration, trial: &TrialRecord, found: &mut Differences) {
    for kind in &expected.findings {
        let has = trial.findings.iter().any(|finding| finding.kind == *kind);
        found.holds(&format!("{}: no finding of kind {kind:?}", expected.name), has);
    }
    for finding in &trial.findings {
        if ALARMING.contains(&finding.kind) && !expected.findings.contains(&finding.kind) {
            found.0.push(format!("{}: unexpected finding {finding:?}", expected.name));
        }
    }
}

/// A test keeps its identity whatever runs it, and no run has it twice.
fn compare_executions(expectation: &Expectation, run: &Run, found: &mut Differences) {
    for expected in &expectation.configurations {
        let Some((trial, _)) = find_trial(run, &expected.name) else { continue };
        let ran = run.executions.iter().filter(|e| e.trial == trial.trial && e.outcome != "not_run" && e.stage == 1);
        let mut tests: Vec<&TestId> = ran.map(|execution| &execution.test).collect();
        tests.sort();
        found.holds(&format!("{}: a test ran twice in {tests:?}", expected.name), tests.is_sorted_by(|a, b| a < b));
        if expected.tests.is_none() && expected.verdict.is_completed() {
            found.equal(&format!("{}: executions", expected.name), &expectation.tests, &(tests.len() as u64));
            if let Some(ids) = &expectation.ids {
                compare_ids(&expected.name, ids, &tests, found);
            }
        }
    }
}

fn compare_ids(configuration: &str, expected: &[TestId], ran: &[&TestId], found: &mut Differences) {
    let expected: BTreeSet<&TestId> = expected.iter().collect();
    let ran: BTreeSet<&TestId> = ran.iter().copied().collect();
    let list = |tests: BTreeSet<&&TestId>| tests.iter().map(ToString::to_string).collect::<Vec<_>>();
    let empty = Vec::<String>::new();
    found.equal(&format!("{configuration}: missing"), &empty, &list(expected.difference(&ran).collect()));
    found.equal(&format!("{configuration}: not expected"), &empty, &list(ran.difference(&expected).collect()));
}
