//! From what an invocation left behind to what it yielded: executions, how the run ended, and what to know about it.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use super::events::{Observation, Observed, RecordDamage, observe};
use super::handshake::{Failure, Goal, Handshake};
use super::identity::identify;
use super::invocation::Invoked;
use super::log::{dead_workers, decisive_lines, unknown_profiles};
use super::reconcile::{self, Contradiction, EventReconciliation, GoalRecords, SurefireCount, SurefireRecord};
use super::selection::KnownTest;
use crate::junit_report;
use crate::process::{Cause, Ended, Exit};
use crate::suite::{Execution, Finding, FindingKind, JvmWork, Outcome, RunEnd};

/// The one provider that takes no listener.
const JUNIT3: &str = "surefire-junit3";
const ONLY_SUREFIRE: &str = "Surefire's JUnit 3 provider takes no listener: when Maven runs the tests, Surefire's own record is \
                             the only one, and a test that forges it is not detected";

/// The yield of one run of a suite.
#[derive(Debug, Clone, PartialEq)]
pub struct Harvest {
    /// In order of start, each with an identity of its own.
    pub executions: Vec<Execution>,
    /// The same tests as one knows them for later runs.
    pub tests: Vec<KnownTest>,
    pub end: RunEnd,
    pub findings: Vec<Finding>,
    /// What JVMs computed, where all of them told.
    pub jvm: Option<JvmWork>,
}

/// `known` are the tests of the suite, as its first run found them.
pub fn harvest(invoked: &Invoked, known: &[KnownTest]) -> miette::Result<Harvest> {
    let unfinished = if invoked.ended.cause == Cause::TimedOut { Outcome::TimedOut } else { Outcome::Crashed };
    let mut observations = Vec::new();
    let mut findings = Vec::new();
    let mut folders = HashSet::new();
    let mut works = Vec::new();
    for (suite, goal) in invoked.handshake.iter().flat_map(|handshake| &handshake.goals).enumerate() {
        // Goals of one module can share a folder of reports, which then holds those of all.
        let reports = (goal.runs(JUNIT3) && folders.insert(&goal.reports)).then_some(goal.reports.as_path());
        let (observed, damage) = observe_goal(invoked, goal, reports, unfinished)?;
        let (work, observed_nothing) = (observed.work, observed.observations.is_empty());
        findings.extend(damage);
        findings.extend(reconcile_goal(invoked, goal, &observed)?);
        observations.extend(observed.observations.into_iter().map(|one| Observation { suite, ..one }));
        works.extend((!observed_nothing).then_some(work));
    }
    let (executions, tests): (Vec<_>, Vec<_>) = identify(observations, known).into_iter().map(split).unzip();
    findings.extend(process_findings(&invoked.ended, &invoked.log));
    findings.extend(profile_findings(&invoked.log));
    findings.extend(worker_findings(invoked, &executions));
    let extension_damage = RecordDamage { seals: invoked.damage, ..RecordDamage::default() };
    findings
        .extend(reconcile::damaged(&extension_damage).iter().map(|found| contradiction("Maven's extension", found)));
    if let Some(handshake) = &invoked.handshake {
        findings.extend(deviations(handshake));
        // A worker that died fails its goal: one finding is enough.
        let explained = findings.iter().any(|finding| finding.kind == FindingKind::DeadWorker);
        let failures = failures(handshake).into_iter();
        findings.extend(failures.filter(|failure| !(explained && failure.kind == FindingKind::DeadWorker)));
    }
    let jvm = jvm_work(invoked, works);
    Ok(Harvest { end: run_end(invoked, !executions.is_empty()), executions, tests, findings, jvm })
}

/// Holds what the goal's processes recorded against what Surefire counted.
fn reconcile_goal(invoked: &Invoked, goal: &Goal, observed: &Observed) -> miette::Result<Vec<Finding>> {
    let executions: Vec<&Execution> = observed.observations.iter().map(|one| &one.execution).collect();
    let reconciled = EventReconciliation::of(&GoalRecords {
        executions: &executions,
        damage: observed.damage,
        surefire: surefire_record(invoked, goal, &executions)?,
        test_ng: goal.runs("surefire-testng"),
    });
    let place = format!("{}{}", goal.goal, location(&[&goal.module]));
    let mut findings: Vec<Finding> =
        reconciled.contradictions.iter().map(|found| contradiction(&place, found)).collect();
    if let Some(why) = reconciled.not_reconciled {
        let text = format!("the records of {place} could not be compared with Surefire's: {why}");
        findings.push(Finding::new(FindingKind::NotReconciled, text));
    }
    Ok(findings)
}

pub fn contradiction(place: &str, found: &Contradiction) -> Finding {
    Finding::new(FindingKind::Contradiction, format!("{place}: {found}"))
}

/// What Surefire says of a goal, or why it says nothing. Only what Maven's own process told decides: a test can print anything.
fn surefire_record(invoked: &Invoked, goal: &Goal, executions: &[&Execution]) -> miette::Result<SurefireRecord> {
    let handshake = invoked.handshake.iter();
    let died = handshake.clone().flat_map(|handshake| &handshake.failures).any(|failure| {
        failure.is_of_test_goal() && failure.module.as_ref().is_none_or(|module| *module == goal.module)
    });
    if invoked.ended.cause != Cause::Exited {
        return Ok(SurefireRecord::Missing("the run was ended before Surefire had counted".to_owned()));
    }
    if died {
        return Ok(SurefireRecord::Missing("a test process died, so Surefire's count is not complete".to_owned()));
    }
    if let Some(count) = goal.counted.iter().copied().reduce(SurefireCount::and) {
        return Ok(SurefireRecord::Counted(count));
    }
    if executions.is_empty() {
        return Ok(SurefireRecord::Counted(SurefireCount::default()));
    }
    let missing = |why: &str| {
        let text = format!("Surefire {} does not report how many tests it ran, and {why}", goal.version);
        Ok(SurefireRecord::Missing(text))
    };
    if goal.runs(JUNIT3) {
        return missing("its reports are the only record");
    }
    let sharing =
        handshake.flat_map(|handshake| &handshake.goals).filter(|other| other.reports == goal.reports).count();
    if sharing > 1 {
        return missing("its reports lie in a folder with those of another goal");
    }
    let reports = junit_report::read(&goal.reports, &goal.module, invoked.began)?;
    if reports.executions.is_empty() {
        return missing("it left no reports");
    }
    Ok(SurefireRecord::Reported(SurefireCount::of_executions(&reports.executions)))
}

/// Maven's own work, and that of the goals that ran tests.
fn jvm_work(invoked: &Invoked, goals: Vec<Option<JvmWork>>) -> Option<JvmWork> {
    let maven = invoked.handshake.as_ref()?.background_nanos? as f64 / 1e9;
    let start = Some(JvmWork { beside_startup: maven, ..JvmWork::default() });
    goals.into_iter().fold(start, |sum, goal| Some(sum? + goal?))
}

fn split(observation: Observation) -> (Execution, KnownTest) {
    let Observation { execution, root, suite, local, asked: _, number: _ } = observation;
    let (id, display, outcome) = (execution.test.clone(), execution.display.clone(), execution.outcome);
    let test = KnownTest { id, display, root, suite, local, outcome };
    (execution, test)
}

fn observe_goal(
    invoked: &Invoked,
    goal: &Goal,
    reports: Option<&Path>,
    unfinished: Outcome,
) -> miette::Result<(Observed, Vec<Finding>)> {
    let files = invoked.events.iter().filter(|file| file.goal == goal.number);
    let mut observed = observe(files, &goal.module, invoked.began, unfinished, invoked.ended.cost.wall_seconds)?;
    let mut damage = Vec::new();
    if let Some(folder) = reports {
        let reports = junit_report::read(folder, &goal.module, invoked.began)?;
        observed.observations.extend(reports.executions.into_iter().map(Observation::unrooted));
        damage.extend(reports.damaged);
    }
    let findings = damage.into_iter().map(|text| Finding::new(FindingKind::Disturbance, text)).collect();
    Ok((observed, findings))
}

/// What a process and its descendants did besides their work.
pub fn process_findings(ended: &Ended, log: &Path) -> Vec<Finding> {
    let mut findings = Vec::new();
    if !ended.strays.is_empty() {
        let list: Vec<_> = ended.strays.iter().take(5).map(|stray| stray.command.as_str()).collect();
        let text = format!("{} processes were left behind and killed: {}", ended.strays.len(), list.join("; "));
        findings.push(Finding::new(FindingKind::StrayProcesses, text));
    }
    if ended.output_cut {
        let text = format!("the output was too long; {} contains its beginning and its end", log.display());
        findings.push(Finding::new(FindingKind::OutputCut, text));
    }
    if ended.tasks_refused {
        let text = "the subject reached the limit of processes and threads; set PARADE_MAX_TASKS to raise it";
        findings.push(Finding::new(FindingKind::Disturbance, text));
    }
    findings
}

/// Maven goes on without a profile that it does not know, so what was asked for did not happen.
fn profile_findings(log: &Path) -> Vec<Finding> {
    let text = |profile: String| {
        format!("Maven does not know the profile {}, so it was not activated", crate::toml_file::quoted(&profile))
    };
    unknown_profiles(log).into_iter().map(|name| Finding::new(FindingKind::UnknownProfile, text(name))).collect()
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
    for goal in handshake.goals.iter().filter(|goal| goal.runs(JUNIT3)) {
        let modules = modules.entry(ONLY_SUREFIRE).or_default();
        if !modules.contains(&goal.module.as_str()) {
            modules.push(&goal.module);
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
    let describe = |failure: &Failure| {
        let kind = if failure.is_of_test_goal() { FindingKind::DeadWorker } else { FindingKind::Disturbance };
        let lines = failure.message.lines().filter(|line| !line.trim().is_empty() && !line.starts_with("See "));
        Finding::new(kind, lines.take(3).collect::<Vec<_>>().join(" "))
    };
    handshake.failures.iter().map(describe).collect()
}

fn run_end(invoked: &Invoked, ran: bool) -> RunEnd {
    match (invoked.ended.cause, invoked.ended.exit) {
        (Cause::TimedOut, _) => RunEnd::TimedOut,
        (Cause::Interrupted, _) => RunEnd::Interrupted,
        (Cause::OutOfMemory, _) => RunEnd::Crashed(
            "a process was killed because the memory limit was \
            reached"
                .to_owned(),
        ),
        (Cause::Exited, Exit::Signal(signal)) => RunEnd::Crashed(format!("Maven was killed by signal {signal}")),
        (Cause::Exited, Exit::Code(code)) => exited(invoked, ran, code),
    }
}

/// By what the extension saw: Maven goes on whatever fails, and then its exit code says nothing.
fn exited(invoked: &Invoked, ran: bool, code: i32) -> RunEnd {
    let Some(handshake) = &invoked.handshake else {
        return RunEnd::BuildFailed(why(invoked));
    };
    let nothing_came_of_it = !ran && (code != 0 || !handshake.ended || !handshake.failures.is_empty());
    if nothing_came_of_it || handshake.failures.iter().any(|failure| broke_the_build(failure, handshake)) {
        RunEnd::BuildFailed(why(invoked))
    } else if !handshake.ended {
        RunEnd::Crashed(format!("Maven ended before its build did: {}", why(invoked)))
    } else {
        RunEnd::Finished
    }
}

/// Did this keep a module's tests from running as they should? A dead worker did not, nor what came after the tests;
/// and where a worker died, modules can miss what the rest of its module's build would have made.
fn broke_the_build(failure: &Failure, handshake: &Handshake) -> bool {
    let after_the_tests = failure.module.as_ref().is_some_and(|module| handshake.reached.contains(module));
    let bereft = failure.message.contains("Could not resolve dependencies")
        && handshake.failures.iter().any(Failure::is_of_test_goal);
    !(failure.is_of_test_goal() || after_the_tests || bereft)
}

/// Why a build failed: what Maven says, and the lines of its log to read first.
pub fn why(invoked: &Invoked) -> String {
    let mut lines: Vec<String> =
        decisive_failure(invoked).and_then(|text| text.lines().next()).map(str::to_owned).into_iter().collect();
    for line in decisive_lines(&invoked.log) {
        if !lines.iter().any(|known| known.contains(&line) || line.contains(known.as_str())) {
            lines.push(line);
        }
    }
    lines.truncate(8);
    if lines.is_empty() { format!("see {}", invoked.log.display()) } else { lines.join("\n") }
}

fn decisive_failure(invoked: &Invoked) -> Option<&str> {
    let handshake = invoked.handshake.as_ref()?;
    let decisive = handshake.failures.iter().find(|failure| broke_the_build(failure, handshake));
    decisive.or(handshake.failures.first()).map(|failure| failure.message.as_str())
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
        let ended = Ended {
            exit,
            cause,
            cost: Cost::default(),
            strays: vec![],
            output_cut: false,
            tasks_refused: false,
            accounting,
        };
        let invoked = Invoked {
            ended,
            began: Clock { monotonic_nanos: 0, epoch_micros: 0 },
            handshake,
            log: folder.path().join("maven.log"),
            events: Vec::new(),
            damage: crate::maven::seal::SealDamage::default(),
        };
        (folder, invoked)
    }

    fn ended(failures: &[&str]) -> Handshake {
        let failure = |&message: &&str| Failure { message: message.to_owned(), module: Some("lib".to_owned()) };
        Handshake { ended: true, failures: failures.iter().map(failure).collect(), ..Handshake::default() }
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
        assert!(matches!(end_of(Cause::Exited, ok, None, false), RunEnd::BuildFailed(_)));
    }

    const DEAD_FORK: &str = "Failed to execute goal o:maven-surefire-plugin:3:test: The forked VM terminated";

    #[test]
    fn a_dead_fork_is_no_broken_build_though_its_goal_failed() {
        let bereft = "Could not resolve dependencies for project g:app";
        for failures in [&[DEAD_FORK][..], &[DEAD_FORK, bereft], &[bereft, DEAD_FORK]] {
            assert_eq!(end_of(Cause::Exited, Exit::Code(0), Some(ended(failures)), true), RunEnd::Finished);
        }
    }

    #[test]
    fn a_module_that_does_not_compile_breaks_the_build_whatever_ran_elsewhere() {
        let failures = [DEAD_FORK, "Failed to execute goal o:maven-compiler-plugin:3:compile"];
        let end = end_of(Cause::Exited, Exit::Code(0), Some(ended(&failures)), true);
        assert!(matches!(&end, RunEnd::BuildFailed(why) if why.contains("compiler-plugin")), "{end:?}");
    }

    #[test]
    fn what_fails_after_a_modules_tests_does_not_break_the_build() {
        let mut handshake = ended(&["Failed to execute goal o:checkstyle:1:check"]);
        assert!(matches!(end_of(Cause::Exited, Exit::Code(0), Some(handshake.clone()), true), RunEnd::BuildFailed(_)));
        handshake.reached.insert("lib".to_owned());
        assert_eq!(end_of(Cause::Exited, Exit::Code(0), Some(handshake), true), RunEnd::Finished);
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
    fn reports_in_a_folder_that_two_goals_share_are_read_once() {
        let (folder, mut invoked) = invoked(Cause::Exited, Exit::Code(0), None, "");
        let report = "<testsuite><testcase name=\"a\" classname=\"B\"/></testsuite>";
        std::fs::write(folder.path().join("TEST-B.xml"), report).unwrap();
        let goal = |number| Goal {
            number,
            module: String::new(),
            goal: "maven-surefire-plugin:test".into(),
            version: "3.5.6".into(),
            providers: vec!["surefire-junit3".into()],
            frameworks: BTreeMap::new(),
            arg_line: String::new(),
            reports: folder.path().to_path_buf(),
            launch: None,
            unrevealed: None,
            counted: Vec::new(),
        };
        invoked.handshake = Some(Handshake { goals: vec![goal(1), goal(2)], ..ended(&[]) });
        let ids: Vec<_> = harvest(&invoked, &[]).unwrap().executions.iter().map(|e| e.test.to_string()).collect();
        assert_eq!(ids, ["B#a"]);
    }

    #[test]
    fn one_change_in_many_modules_is_one_finding() {
        let mut handshake = ended(&[]);
        handshake.deviations = vec![("a".into(), "x".into()), ("b".into(), "x".into()), ("b".into(), "y".into())];
        let texts: Vec<_> = deviations(&handshake).into_iter().map(|finding| finding.text).collect();
        assert_eq!(texts, ["x (2 modules)", "y (module b)"]);
    }

    #[test]
    fn goals_with_surefires_record_alone_are_named() {
        let goal = |module: &str, provider: &str| Goal {
            module: module.into(),
            providers: vec![provider.into()],
            ..Goal::default()
        };
        let goals = vec![goal("a", "surefire-junit3"), goal("a", "surefire-junit3"), goal("b", "surefire-junit4")];
        let found = deviations(&Handshake { goals, ..ended(&[]) });
        assert_eq!(found, [Finding::new(FindingKind::Deviation, format!("{ONLY_SUREFIRE} (module a)"))]);
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
