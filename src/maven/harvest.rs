//! From what an invocation left behind to what it yielded: executions, how the run ended, and what to know about it.

use std::collections::BTreeMap;

use super::events::{Observation, Observed, observe};
use super::handshake::{Goal, Handshake};
use super::identity::identify;
use super::invocation::Invoked;
use super::log::{dead_workers, decisive_lines};
use super::reports;
use super::selection::KnownTest;
use crate::process::{Cause, Exit};
use crate::suite::{Execution, Finding, FindingKind, Outcome, RunEnd};

/// The yield of one run of a suite.
#[derive(Debug, Clone, PartialEq)]
pub struct Harvest {
    /// In order of start, each with an identity of its own.
    pub executions: Vec<Execution>,
    /// The same tests as one knows them for later runs.
    pub tests: Vec<KnownTest>,
    pub end: RunEnd,
    pub findings: Vec<Finding>,
}

/// `known` are the tests of the suite, as its first run found them.
pub fn harvest(invoked: &Invoked, known: &[KnownTest]) -> miette::Result<Harvest> {
    let unfinished = if invoked.ended.cause == Cause::TimedOut { Outcome::TimedOut } else { Outcome::Crashed };
    let mut observations = Vec::new();
    let mut findings = Vec::new();
    for goal in invoked.handshake.iter().flat_map(|handshake| &handshake.goals) {
        let (observed, damage) = observe_goal(invoked, goal, unfinished)?;
        observations.extend(observed.observations);
        findings.extend(damage);
    }
    let (executions, tests): (Vec<_>, Vec<_>) = identify(observations, known).into_iter().map(split).unzip();
    findings.extend(process_findings(invoked));
    findings.extend(worker_findings(invoked, &executions));
    if let Some(handshake) = &invoked.handshake {
        findings.extend(deviations(handshake));
        // A worker that died fails its goal: one finding is enough.
        let explained = findings.iter().any(|finding| finding.kind == FindingKind::DeadWorker);
        let failures = failures(handshake).into_iter();
        findings.extend(failures.filter(|failure| !(explained && failure.kind == FindingKind::DeadWorker)));
    }
    Ok(Harvest { end: run_end(invoked, !executions.is_empty()), executions, tests, findings })
}

fn split(observation: Observation) -> (Execution, KnownTest) {
    let Observation { execution, root } = observation;
    let test = KnownTest { id: execution.test.clone(), display: execution.display.clone(), root };
    (execution, test)
}

fn observe_goal(invoked: &Invoked, goal: &Goal, unfinished: Outcome) -> miette::Result<(Observed, Vec<Finding>)> {
    let folder = invoked.events.join(goal.number.to_string());
    let mut observed = observe(&folder, &goal.module, invoked.began, unfinished, invoked.ended.cost.wall_seconds)?;
    let mut damage = Vec::new();
    let cut_off = observed.observations.iter().any(|one| one.execution.outcome == unfinished);
    if observed.damaged > 0 && !cut_off {
        damage.push(format!("{} lines of the records of {} could not be read", observed.damaged, goal.goal));
    }
    if goal.runs("surefire-junit3") {
        let reports = reports::read(&goal.reports, &goal.module, invoked.began)?;
        let unrooted = |execution| Observation { execution, root: None };
        observed.observations.extend(reports.executions.into_iter().map(unrooted));
        damage.extend(reports.damaged);
    }
    let findings = damage.into_iter().map(|text| Finding::new(FindingKind::Disturbance, text)).collect();
    Ok((observed, findings))
}

fn process_findings(invoked: &Invoked) -> Vec<Finding> {
    let mut findings = Vec::new();
    if !invoked.ended.strays.is_empty() {
        let list: Vec<_> = invoked.ended.strays.iter().take(5).map(|stray| stray.command.as_str()).collect();
        let text = format!("{} processes were left behind and killed: {}", invoked.ended.strays.len(), list.join("; "));
        findings.push(Finding::new(FindingKind::StrayProcesses, text));
    }
    if invoked.ended.output_cut {
        let text = format!("the output was too long; {} holds its beginning and its end", invoked.log.display());
        findings.push(Finding::new(FindingKind::OutputCut, text));
    }
    findings
}

/// A process that parade itself ended did not die.
fn worker_findings(invoked: &Invoked, executions: &[Execution]) -> Vec<Finding> {
    if invoked.ended.cause != Cause::Exited && invoked.ended.cause != Cause::OutOfMemory {
        return Vec::new();
    }
    let mut texts: Vec<String> = executions
        .iter()
        .filter(|execution| execution.outcome == Outcome::Crashed)
        .map(|execution| format!("process {} died in {}", execution.process, execution.test))
        .collect();
    texts.extend(dead_workers(&invoked.log));
    texts.into_iter().map(|text| Finding::new(FindingKind::DeadWorker, text)).collect()
}

/// The same change in many modules is one finding.
fn deviations(handshake: &Handshake) -> Vec<Finding> {
    let mut modules: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (module, text) in &handshake.deviations {
        let modules = modules.entry(text).or_default();
        if !modules.contains(&module.as_str()) {
            modules.push(module);
        }
    }
    let mut findings: Vec<Finding> = modules
        .into_iter()
        .map(|(text, modules)| Finding::new(FindingKind::Deviation, format!("{text}{}", location(&modules))))
        .collect();
    for goal in &handshake.goals {
        if let Some(agent) = goal.arg_line.split_whitespace().find(|word| word.contains("-javaagent:")) {
            let text = format!("the build instruments its tests: {agent}{}", location(&[&goal.module]));
            findings.push(Finding::new(FindingKind::Disturbance, text));
        }
    }
    findings
}

fn location(modules: &[&str]) -> String {
    match modules {
        [] | [""] => String::new(),
        [module] => format!(" (module {module})"),
        many => format!(" ({} modules)", many.len()),
    }
}

/// A build can fail in one module and still run tests in others.
fn failures(handshake: &Handshake) -> Vec<Finding> {
    let describe = |failure: &String| {
        let is_test_goal = failure.contains("maven-surefire-plugin") || failure.contains("maven-failsafe-plugin");
        let kind = if is_test_goal { FindingKind::DeadWorker } else { FindingKind::Disturbance };
        let lines = failure.lines().filter(|line| !line.trim().is_empty() && !line.starts_with("See "));
        Finding::new(kind, lines.take(3).collect::<Vec<_>>().join(" "))
    };
    handshake.failures.iter().map(describe).collect()
}

fn run_end(invoked: &Invoked, ran: bool) -> RunEnd {
    match (invoked.ended.cause, invoked.ended.exit) {
        (Cause::TimedOut, _) => RunEnd::TimedOut,
        (Cause::Interrupted, _) => RunEnd::Interrupted,
        (Cause::OutOfMemory, _) => RunEnd::Crashed("a process was killed as the memory limit was reached".to_owned()),
        (Cause::Exited, Exit::Signal(signal)) => RunEnd::Crashed(format!("Maven was killed by signal {signal}")),
        (Cause::Exited, Exit::Code(code)) => exited(invoked, ran, code),
    }
}

fn exited(invoked: &Invoked, ran: bool, code: i32) -> RunEnd {
    let ended = invoked.handshake.as_ref().is_some_and(|handshake| handshake.ended);
    if code != 0 && !ran {
        RunEnd::BuildFailed(why(invoked))
    } else if !ended {
        RunEnd::Crashed(format!("Maven ended before its build did: {}", why(invoked)))
    } else {
        RunEnd::Finished
    }
}

/// Why a build failed: what Maven says, and the lines of its log to read first.
pub(crate) fn why(invoked: &Invoked) -> String {
    let failure = invoked.handshake.as_ref().and_then(|handshake| handshake.failures.first());
    let mut lines: Vec<String> = failure.and_then(|text| text.lines().next()).map(str::to_owned).into_iter().collect();
    for line in decisive_lines(&invoked.log) {
        if !lines.iter().any(|known| known.contains(&line) || line.contains(known.as_str())) {
            lines.push(line);
        }
    }
    lines.truncate(8);
    if lines.is_empty() { format!("see {}", invoked.log.display()) } else { lines.join("\n") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::maven::Clock;
    use crate::process::{Accounting, Ended, Means};
    use crate::suite::Cost;

    fn invoked(cause: Cause, exit: Exit, handshake: Option<Handshake>, log: &str) -> (tempfile::TempDir, Invoked) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("maven.log"), log).unwrap();
        let means = Means::Processes;
        let accounting = Accounting {
            kill: means,
            cpu: means,
            memory: means,
            memory_limit: means,
            peak_with_page_cache_bytes: None,
        };
        let ended = Ended { exit, cause, cost: Cost::default(), strays: vec![], output_cut: false, accounting };
        let invoked = Invoked {
            ended,
            began: Clock { monotonic_nanos: 0, epoch_micros: 0 },
            handshake,
            log: folder.path().join("maven.log"),
            events: folder.path().join("events"),
        };
        (folder, invoked)
    }

    fn ended(failures: &[&str]) -> Handshake {
        Handshake { ended: true, failures: failures.iter().map(|&f| f.to_owned()).collect(), ..Handshake::default() }
    }

    fn end_of(cause: Cause, exit: Exit, handshake: Option<Handshake>, ran: bool) -> RunEnd {
        let (_folder, invoked) = invoked(cause, exit, handshake, "[ERROR] COMPILATION ERROR :\n");
        run_end(&invoked, ran)
    }

    #[test]
    fn every_end_has_its_name() {
        let ok = Exit::Code(0);
        assert_eq!(end_of(Cause::Exited, ok, Some(ended(&[])), true), RunEnd::Finished);
        assert_eq!(end_of(Cause::TimedOut, ok, None, true), RunEnd::TimedOut);
        assert_eq!(end_of(Cause::Interrupted, ok, None, true), RunEnd::Interrupted);
        assert!(matches!(end_of(Cause::OutOfMemory, ok, None, true), RunEnd::Crashed(_)));
        assert!(matches!(end_of(Cause::Exited, Exit::Signal(9), None, true), RunEnd::Crashed(_)));
        assert!(matches!(end_of(Cause::Exited, ok, Some(Handshake::default()), true), RunEnd::Crashed(_)));
        assert_eq!(end_of(Cause::Exited, Exit::Code(1), Some(ended(&["x"])), true), RunEnd::Finished);
    }

    #[test]
    fn a_build_that_ran_nothing_says_why() {
        let end = end_of(Cause::Exited, Exit::Code(1), Some(ended(&["Failed to execute goal\nmore"])), false);
        assert_eq!(end, RunEnd::BuildFailed("Failed to execute goal\nCOMPILATION ERROR :".to_owned()));
    }

    #[test]
    fn a_worker_lost_in_a_successful_build_is_found() {
        let log = "[ERROR] The forked VM terminated without properly saying goodbye.\n[INFO] BUILD SUCCESS\n";
        let (_folder, invoked) = invoked(Cause::Exited, Exit::Code(0), Some(ended(&[])), log);
        let harvest = harvest(&invoked, &[]).unwrap();
        assert_eq!(harvest.end, RunEnd::Finished);
        assert_eq!(harvest.findings[0].kind, FindingKind::DeadWorker);
    }

    #[test]
    fn one_change_in_many_modules_is_one_finding() {
        let mut handshake = ended(&[]);
        handshake.deviations = vec![("a".into(), "x".into()), ("b".into(), "x".into()), ("b".into(), "y".into())];
        let texts: Vec<_> = deviations(&handshake).into_iter().map(|finding| finding.text).collect();
        assert_eq!(texts, ["x (2 modules)", "y (module b)"]);
    }

    #[test]
    fn a_failing_module_is_told_even_if_others_ran() {
        let goal = "Failed to execute goal o:maven-surefire-plugin:3:test\n\nSee reports\nExecutionException x";
        let found = failures(&ended(&[goal, "Failed to execute goal o:x:1:y"]));
        assert_eq!(found[0].kind, FindingKind::DeadWorker);
        assert_eq!(found[0].text, "Failed to execute goal o:maven-surefire-plugin:3:test ExecutionException x");
        assert_eq!(found[1].kind, FindingKind::Disturbance);
    }
}
