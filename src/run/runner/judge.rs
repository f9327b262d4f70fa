//! From what a technique did to a verdict: pure, and the only place that decides whether a trial counts.

use std::collections::{BTreeSet, HashMap, HashSet};

use sha2::{Digest, Sha256};

use crate::engine::{Capabilities, Mode, Support};
use crate::store::record::{ResidualTest, StageRecord, TrialRecord, Verdict};
use crate::suite::{Execution, Finding, FindingKind, Outcome, RunEnd, Tally, TestId};
use crate::technique::{LastOutcomes, Stage};
use crate::wording::{counted, hex};

/// Of a message's first line in the journal; `tests.parquet` has the rest.
const MAX_MESSAGE: usize = 500;

/// What was expected of a trial.
#[derive(Debug)]
pub struct Expectation<'a> {
    /// The suite's tests in original order.
    pub tests: &'a [TestId],
    pub set_aside: &'a HashSet<TestId>,
    pub capabilities: &'a Capabilities,
    pub cores: usize,
}

/// The verdict with its grounds.
#[derive(Debug, PartialEq)]
pub struct Judgement {
    pub verdict: Verdict,
    pub reason: Option<String>,
    pub tally: Tally,
    /// Which test ended how, as a fingerprint.
    pub outcomes_hash: String,
    pub residual: Vec<ResidualTest>,
    pub findings: Vec<Finding>,
}

pub fn judge(stages: &[Stage], expectation: &Expectation<'_>) -> Judgement {
    let last = LastOutcomes::after(stages, expectation.set_aside);
    let residual = residual(&last, expectation);
    let lost = count(&residual, |outcome| outcome == Outcome::NotRun);
    // A test that never ran may have a record that says so; it counts once.
    let ran = last.outcomes().filter(|outcome| *outcome != Outcome::NotRun);
    let tally = Tally::of(ran.chain(std::iter::repeat_n(Outcome::NotRun, lost)));
    let unexpected = unexpected_tests(stages, &last, expectation);
    let (verdict, reason) = verdict(stages, &residual, &unexpected);
    let mut findings: Vec<Finding> = stages.iter().flat_map(|stage| stage.run.findings.clone()).collect();
    findings.extend(lost_tests(&residual));
    findings.extend(set_aside_cut(stages, expectation));
    findings.extend(unexpected.finding());
    findings.extend(stages.first().and_then(|stage| idle_parallelism(stage, expectation)));
    findings.extend(stages.first().and_then(|stage| partial_mode(stage, expectation)));
    findings.sort();
    findings.dedup();
    let outcomes_hash = outcomes_hash(&last, &residual);
    Judgement { verdict, reason, tally, outcomes_hash, residual: bounded(residual), findings }
}

/// A fingerprint of every counted test with its final outcome: equal only if the same tests ended alike.
fn outcomes_hash(last: &LastOutcomes<'_>, residual: &[ResidualTest]) -> String {
    let ran = last.tests().filter_map(|test| last.of(test)).map(|execution| (&execution.test, execution.outcome));
    let lost = residual.iter().filter(|test| test.outcome == Outcome::NotRun).map(|lost| (&lost.test, lost.outcome));
    let lines = ran.chain(lost).map(|(test, outcome)| format!("{test}\t{}\n", outcome.name()));
    let mut digest = Sha256::new();
    lines.collect::<BTreeSet<String>>().iter().for_each(|line| digest.update(line));
    hex(&digest.finalize()[..8])
}

/// Tests that did not come to a good end: failures first in original order, then what never ran.
fn residual(last: &LastOutcomes<'_>, expectation: &Expectation<'_>) -> Vec<ResidualTest> {
    let failed = last.failing(expectation.tests).into_iter().filter_map(|test| last.of(&test)).map(of_execution);
    let counted = expectation.tests.iter().filter(|test| !expectation.set_aside.contains(*test));
    let lost = counted.filter(|test| last.of(test).is_none_or(|execution| execution.outcome == Outcome::NotRun));
    failed
        .chain(lost.map(|test| ResidualTest { test: test.clone(), outcome: Outcome::NotRun, message: None }))
        .collect()
}

/// Everything that did not pass, skipped tests too, without messages: what screening compares run by run.
pub fn not_passed(stages: &[Stage], tests: &[TestId]) -> Vec<ResidualTest> {
    let nobody = HashSet::new();
    let last = LastOutcomes::after(stages, &nobody);
    let outcome = |test: &TestId| last.of(test).map_or(Outcome::NotRun, |execution| execution.outcome);
    let entry = |test: &TestId| ResidualTest { test: test.clone(), outcome: outcome(test), message: None };
    tests.iter().map(entry).filter(|entry| entry.outcome != Outcome::Passed).collect()
}

fn of_execution(execution: &Execution) -> ResidualTest {
    let shortened = |message: &String| message.lines().next().unwrap_or("").chars().take(MAX_MESSAGE).collect();
    ResidualTest {
        test: execution.test.clone(),
        outcome: execution.outcome,
        message: execution.message.as_ref().map(shortened),
    }
}

/// The gravest thing that happened names the trial.
fn verdict(stages: &[Stage], residual: &[ResidualTest], unexpected: &UnexpectedTests<'_>) -> (Verdict, Option<String>) {
    for stage in stages {
        let reason = |text: &str| Some(format!("stage {} ({}): {text}", stage.number, stage.purpose));
        match &stage.run.end {
            RunEnd::BuildFailed(why) => return (Verdict::BuildFailed, reason(why)),
            RunEnd::TimedOut => return (Verdict::TimedOut, reason("the time limit was reached")),
            RunEnd::Crashed(why) => return (Verdict::Crashed, reason(why)),
            RunEnd::Interrupted => return (Verdict::HarnessError, reason("interrupted")),
            RunEnd::Finished => {}
        }
    }
    if let Some((stage, finding)) = first_contradiction(stages) {
        let reason = format!("stage {} ({}): {}", stage.number, stage.purpose, finding.text);
        return (Verdict::Contradicted, Some(reason));
    }
    let lost = count(residual, |outcome| outcome == Outcome::NotRun);
    let crashed = count(residual, |outcome| outcome == Outcome::Crashed);
    let failing = residual.len() - lost;
    if lost == 0
        && crashed == 0
        && let Some(reason) = unexplained_death(stages).or_else(|| unexpected.contradiction())
    {
        return (Verdict::Contradicted, Some(reason));
    }
    match (lost, crashed, failing) {
        (0, 0, 0) => (Verdict::Clean, None),
        (0, 0, _) => (Verdict::Failing, Some(format!("{} in the end", counted(failing, "test fails", "tests fail")))),
        (0, _, _) => (
            Verdict::Crashed,
            Some(format!("{} running when a process died", counted(crashed, "test was", "tests were"))),
        ),
        _ => (Verdict::LostTests, Some(format!("{} never ran", counted(lost, "expected test", "expected tests")))),
    }
}

/// Records that contradict each other void everything that they say.
fn first_contradiction(stages: &[Stage]) -> Option<(&Stage, &Finding)> {
    for stage in stages {
        let found = stage.run.findings.iter().find(|finding| finding.kind == FindingKind::Contradiction);
        if let Some(finding) = found {
            return Some((stage, finding));
        }
    }
    None
}

/// A fork died, so Surefire counted nothing, and yet every test of the stage is on record with an end: nothing confirms these
/// records. A fork that dies by itself leaves the test that it was running without an end. Where the suite itself is not wholly
/// known, tests are lost, which is told anyway.
fn unexplained_death(stages: &[Stage]) -> Option<String> {
    for stage in stages {
        let has = |kind| stage.run.findings.iter().any(|finding| finding.kind == kind);
        let was_cut = |execution: &Execution| matches!(execution.outcome, Outcome::Crashed | Outcome::TimedOut);
        let is_explained = stage.run.executions.iter().any(was_cut);
        let is_unconfirmed = has(FindingKind::DeadWorker) && has(FindingKind::NotReconciled);
        if is_unconfirmed && !is_explained && !has(FindingKind::LostTests) {
            return Some(format!(
                "stage {} ({}): a fork died, but the records show no test that was running in it, and Surefire counted nothing",
                stage.number, stage.purpose
            ));
        }
    }
    None
}

fn count(residual: &[ResidualTest], which: impl Fn(Outcome) -> bool) -> usize {
    residual.iter().filter(|test| which(test.outcome)).count()
}

fn bounded(mut residual: Vec<ResidualTest>) -> Vec<ResidualTest> {
    residual.truncate(TrialRecord::MAX_RESIDUAL);
    residual
}

fn lost_tests(residual: &[ResidualTest]) -> Option<Finding> {
    let lost: Vec<&TestId> = residual.iter().filter(|r| r.outcome == Outcome::NotRun).map(|r| &r.test).collect();
    (!lost.is_empty()).then(|| {
        let text =
            format!("{} never ran: {}", counted(lost.len(), "expected test", "expected tests"), some_names(&lost));
        Finding::new(FindingKind::LostTests, text)
    })
}

/// Set-aside tests that did not run to their end, each with how it ended. They count in no verdict, but what they did not do saves
/// time. All are named: trials are compared by this text.
fn set_aside_cut(stages: &[Stage], expectation: &Expectation<'_>) -> Option<Finding> {
    if stages.iter().all(|stage| stage.run.executions.is_empty()) {
        return None;
    }
    let mut ends: HashMap<&TestId, Outcome> = HashMap::new();
    for execution in stages.iter().flat_map(|stage| &stage.run.executions) {
        ends.insert(&execution.test, execution.outcome);
    }
    let mut cut = Vec::new();
    for test in expectation.tests.iter().filter(|test| expectation.set_aside.contains(*test)) {
        match ends.get(test).copied().unwrap_or(Outcome::NotRun) {
            Outcome::Passed | Outcome::Failed | Outcome::Error | Outcome::Skipped => {}
            Outcome::TimedOut => cut.push(format!("`{test}` (its time was up)")),
            Outcome::Crashed => cut.push(format!("`{test}` (its process ended)")),
            Outcome::NotRun => cut.push(format!("`{test}` (never ran)")),
        }
    }
    let text = || {
        let tests = counted(cut.len(), "set-aside test", "set-aside tests");
        format!("{tests} did not run to the end: {}", cut.join(", "))
    };
    (!cut.is_empty()).then(|| Finding::new(FindingKind::SetAsideCut, text()))
}

/// Tests that ran and that discovery had not seen.
struct UnexpectedTests<'a> {
    tests: Vec<&'a TestId>,
    /// Those that passed in a class with a failure. Surefire's count does not tell them apart there, so nothing supports them.
    unsupported: Vec<&'a TestId>,
}

impl UnexpectedTests<'_> {
    fn finding(&self) -> Option<Finding> {
        let text = || {
            let ran = counted(self.tests.len(), "test ran", "tests ran");
            format!("{ran} not seen at discovery: {}", some_names(&self.tests))
        };
        (!self.tests.is_empty()).then(|| Finding::new(FindingKind::UnexpectedTests, text()))
    }

    fn contradiction(&self) -> Option<String> {
        (!self.unsupported.is_empty()).then(|| {
            let passed = counted(self.unsupported.len(), "test is recorded as passed", "tests are recorded as passed");
            format!("{passed} that discovery did not see, in a class that fails: {}", some_names(&self.unsupported))
        })
    }
}

fn unexpected_tests<'a>(
    stages: &[Stage],
    last: &'a LastOutcomes<'_>,
    expectation: &Expectation<'_>,
) -> UnexpectedTests<'a> {
    let expected: HashSet<&TestId> = expectation.tests.iter().collect();
    let mut tests: Vec<&TestId> =
        last.tests().filter(|test| !expected.contains(test) && !test.is_whole_class()).collect();
    tests.sort();
    let executions = stages.iter().flat_map(|stage| &stage.run.executions);
    let failing = executions.filter(|execution| execution.outcome.is_failure());
    let failing: HashSet<_> = failing.map(|execution| (&execution.test.module, &execution.test.class)).collect();
    let mut unsupported = Vec::new();
    for &test in &tests {
        let passed = last.of(test).is_some_and(|execution| execution.outcome == Outcome::Passed);
        if passed && failing.contains(&(&test.module, &test.class)) {
            unsupported.push(test);
        }
    }
    UnexpectedTests { tests, unsupported }
}

fn some_names(tests: &[&TestId]) -> String {
    let mut names: Vec<String> = tests.iter().take(5).map(|test| format!("`{test}`")).collect();
    if tests.len() > names.len() {
        names.push(format!("and {} more", tests.len() - names.len()));
    }
    names.join(", ")
}

/// Parallelism that was asked for and did not take place, or threads that did not while worker processes did.
fn idle_parallelism(stage: &Stage, expectation: &Expectation<'_>) -> Option<Finding> {
    let asked = stage.parallelism;
    if stage.run.executions.len() < 2 {
        return None;
    }
    if matches!(asked.mode, Mode::Sequential | Mode::Project) {
        return idle_modules(stage, expectation);
    }
    let (seen, inside) = (stage.run.concurrency().max, most_in_one_process(&stage.run.executions));
    let forks = asked.forks.on(expectation.cores);
    let threads = asked.threads_on(expectation.cores);
    let text = match (seen, inside) {
        (..=1, _) if forks > 1 || threads > 1 || asked.modules_on(expectation.cores) > 1 => {
            format!("`{}` had no effect: no two tests ever ran at the same time", asked.mode)
        }
        (2.., ..=1) if threads > 1 && !expectation.capabilities.processes_only => {
            let processes = forks * asked.modules_on(expectation.cores);
            format!(
                "`{}` had no effect: all overlap came from {processes} forks, none from threads within a fork",
                asked.mode
            )
        }
        _ => return None,
    };
    Some(Finding::new(FindingKind::NoConcurrency, text))
}

/// Modules that were to run at the same time and did not, each one test after the other.
fn idle_modules(stage: &Stage, expectation: &Expectation<'_>) -> Option<Finding> {
    let asked = stage.parallelism.modules_on(expectation.cores);
    (asked > 1 && stage.run.concurrency().max < 2).then(|| {
        let text = format!("up to {asked} modules at once had no effect: no two tests ever ran at the same time");
        Finding::new(FindingKind::NoConcurrency, text)
    })
}

fn most_in_one_process(executions: &[Execution]) -> usize {
    let mut processes: HashMap<u32, Vec<Execution>> = HashMap::new();
    for execution in executions {
        processes.entry(execution.process).or_default().push(execution.clone());
    }
    processes.values().map(|tests| crate::suite::Concurrency::of(tests).max).max().unwrap_or(0)
}

fn partial_mode(stage: &Stage, expectation: &Expectation<'_>) -> Option<Finding> {
    match expectation.capabilities.support(stage.parallelism.mode) {
        Support::Partial(why) => Some(Finding::new(FindingKind::PartialMode, why)),
        Support::Full | Support::None(_) => None,
    }
}

/// The stages as they are written down.
pub fn stage_records(stages: &[Stage], set_aside: &HashSet<TestId>) -> Vec<StageRecord> {
    (0..stages.len()).map(|index| stage_record(&stages[..=index], set_aside)).collect()
}

fn stage_record(so_far: &[Stage], set_aside: &HashSet<TestId>) -> StageRecord {
    let stage = &so_far[so_far.len() - 1];
    let counted = stage.run.executions.iter().filter(|execution| !set_aside.contains(&execution.test));
    StageRecord {
        stage: stage.number,
        purpose: stage.purpose.to_owned(),
        engine: Some(stage.engine),
        parallelism: stage.parallelism,
        tally: Tally::of(counted.map(|execution| execution.outcome)),
        failures_after: LastOutcomes::after(so_far, set_aside).failures(),
        cost: stage.run.cost,
        test_seconds: stage.run.test_seconds(),
        concurrency: stage.run.concurrency(),
        granularity: stage.run.granularity,
        end: stage.run.end.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{EngineKind, Forks, Parallelism};
    use crate::suite::{Cost, Granularity, SuiteRun};

    const CLASSES: Parallelism = Parallelism {
        mode: Mode::Classes,
        threads: 2,
        threads_per_core: false,
        forks: Forks::Count(1),
        reuse_forks: true,
        modules: None,
    };

    fn id(name: &str) -> TestId {
        TestId::new("", "C", name, 1)
    }

    /// `name outcome start end` per test; all in one process unless a fifth word names another.
    fn stage(number: u32, parallelism: Parallelism, tests: &[(&str, Outcome, f64, f64, u32)]) -> Stage {
        let execution = |&(name, outcome, start, end, process): &(&str, Outcome, f64, f64, u32)| Execution {
            test: id(name),
            display: None,
            outcome,
            start,
            seconds: end - start,
            process,
            thread: "main".into(),
            message: None,
        };
        let run = SuiteRun {
            executions: tests.iter().map(execution).collect(),
            cost: Cost::default(),
            end: RunEnd::Finished,
            granularity: Granularity::Occurrence,
            findings: vec![],
            seen: crate::suite::Observations::default(),
        };
        Stage { number, purpose: "test", machine: 1, engine: EngineKind::Surefire, parallelism, run }
    }

    fn judge_suite(stages: &[Stage], suite: &[&str], set_aside: &[&str]) -> Judgement {
        let tests: Vec<TestId> = suite.iter().map(|name| id(name)).collect();
        let set_aside = set_aside.iter().map(|name| id(name)).collect();
        let capabilities = Capabilities {
            selection: Granularity::Occurrence,
            modes: vec![],
            imposes_order: true,
            isolations: vec![],
            limits_tests: false,
            enlarges_limits: false,
            modules_at_once: true,
            processes_only: false,
            watches: crate::engine::Instrumentation::default(),
        };
        judge(stages, &Expectation { tests: &tests, set_aside: &set_aside, capabilities: &capabilities, cores: 2 })
    }

    fn kinds(judgement: &Judgement) -> Vec<FindingKind> {
        judgement.findings.iter().map(|finding| finding.kind).collect()
    }

    use Outcome::{Crashed, Failed, Passed, Skipped};

    #[test]
    fn all_passed_or_skipped_is_clean() {
        let stages = [stage(1, CLASSES, &[("a", Passed, 0.0, 2.0, 1), ("b", Skipped, 0.0, 1.0, 1)])];
        let judgement = judge_suite(&stages, &["a", "b"], &[]);
        assert_eq!((judgement.verdict, judgement.reason, judgement.findings), (Verdict::Clean, None, vec![]));
    }

    #[test]
    fn a_test_that_is_on_record_as_never_run_counts_once() {
        let tests = [("a", Passed, 0.0, 2.0, 1), ("b", Failed, 0.0, 1.0, 1), ("c", Outcome::NotRun, 0.0, 0.0, 1)];
        let tally = judge_suite(&[stage(1, CLASSES, &tests)], &["a", "b", "c"], &[]).tally;
        assert_eq!((tally.passed, tally.failed, tally.not_run), (1, 1, 1));
    }

    #[test]
    fn a_process_that_ends_in_a_set_aside_test_is_told() {
        let tests = |slow| [("a", Passed, 0.0, 2.0, 1), ("slow", slow, 0.0, 1.0, 1), ("exits", Crashed, 0.5, 1.0, 1)];
        let told = |slow| {
            let stages = [stage(1, CLASSES, &tests(slow))];
            let judgement = judge_suite(&stages, &["a", "slow", "exits", "last"], &["slow", "exits", "last"]);
            assert_eq!((judgement.verdict, kinds(&judgement)), (Verdict::Clean, vec![FindingKind::SetAsideCut]));
            judgement.findings[0].text.clone()
        };
        let exits = "`C#exits` (its process ended), `C#last` (never ran)";
        assert_eq!(told(Failed), format!("2 set-aside tests did not run to the end: {exits}"));
        assert_eq!(
            told(Crashed),
            format!("3 set-aside tests did not run to the end: `C#slow` (its process ended), {exits}")
        );
    }

    #[test]
    fn a_fork_that_died_in_no_test_confirms_nothing() {
        let with = |outcome, kinds: &[FindingKind]| {
            let mut stage = stage(1, CLASSES, &[("a", outcome, 0.0, 2.0, 1), ("b", Passed, 0.0, 1.0, 1)]);
            stage.run.findings = kinds.iter().map(|kind| Finding::new(*kind, "x")).collect();
            judge_suite(&[stage], &["a", "b"], &[]).verdict
        };
        use FindingKind::{DeadWorker, NotReconciled};
        assert_eq!(with(Passed, &[DeadWorker, NotReconciled]), Verdict::Contradicted);
        assert_eq!(with(Failed, &[DeadWorker, NotReconciled]), Verdict::Contradicted);
        assert_eq!(with(Crashed, &[DeadWorker, NotReconciled]), Verdict::Crashed);
        assert_eq!(with(Passed, &[NotReconciled]), Verdict::Clean);
    }

    #[test]
    fn unknown_tests_that_pass_beside_a_failure_are_not_believed() {
        let ghost = ("ghost", Passed, 1.0, 2.0, 1);
        let run = |own| judge_suite(&[stage(1, CLASSES, &[("a", own, 0.0, 2.0, 1), ghost])], &["a"], &[]);
        assert_eq!(run(Failed).verdict, Verdict::Contradicted);
        assert!(run(Failed).reason.is_some_and(|reason| reason.contains("C#ghost")));
        assert_eq!(run(Passed).verdict, Verdict::Clean, "Surefire's count has confirmed it");
        let failing = judge_suite(&[stage(1, CLASSES, &[("ghost", Failed, 1.0, 2.0, 1)])], &[], &[]);
        assert_eq!(failing.verdict, Verdict::Failing, "frameworks report classes that cannot be loaded like that");
    }

    #[test]
    fn a_failure_repaired_by_a_later_stage_is_clean_and_both_stages_are_counted() {
        let stages = [
            stage(1, CLASSES, &[("a", Failed, 0.0, 2.0, 1), ("b", Passed, 0.0, 1.0, 1)]),
            stage(2, Parallelism::SEQUENTIAL, &[("a", Passed, 0.0, 2.0, 1)]),
        ];
        assert_eq!(judge_suite(&stages, &["a", "b"], &[]).verdict, Verdict::Clean);
        let records = stage_records(&stages, &HashSet::new());
        assert_eq!(records.iter().map(|record| record.failures_after).collect::<Vec<_>>(), [1, 0]);
    }

    #[test]
    fn the_fingerprint_tells_which_tests_ended_how() {
        let hash = |tests: &[(&str, Outcome, f64, f64, u32)], set_aside: &[&str]| {
            judge_suite(&[stage(1, CLASSES, tests)], &["a", "b"], set_aside).outcomes_hash
        };
        let (a, b) = (("a", Passed, 0.0, 1.0, 1), ("b", Skipped, 0.0, 1.0, 1));
        let swapped = [("a", Skipped, 0.0, 1.0, 1), ("b", Passed, 0.0, 1.0, 1)];
        assert_eq!(hash(&[a, b], &[]), hash(&[b, ("a", Passed, 4.0, 9.0, 2)], &[]));
        assert_ne!(hash(&[a, b], &[]), hash(&swapped, &[]));
        assert_ne!(hash(&[a, b], &[]), hash(&[a], &[]));
        assert_eq!(hash(&[a, b], &["b"]), hash(&[a], &["b"]));
        assert_eq!(hash(&[a, b], &[]).len(), 16);
    }

    #[test]
    fn records_that_contradict_each_other_have_no_verdict_however_good_they_look() {
        let mut stages = [
            stage(1, CLASSES, &[("a", Passed, 0.0, 2.0, 1), ("b", Passed, 0.0, 1.0, 1)]),
            stage(2, Parallelism::SEQUENTIAL, &[("a", Passed, 0.0, 2.0, 1)]),
        ];
        stages[0].run.findings.push(Finding::new(FindingKind::Contradiction, "x: 2 tests passed, and 1"));
        let judgement = judge_suite(&stages, &["a", "b"], &[]);
        assert_eq!(judgement.verdict, Verdict::Contradicted);
        assert_eq!(judgement.reason.as_deref(), Some("stage 1 (test): x: 2 tests passed, and 1"));
        stages[1].run.end = RunEnd::TimedOut;
        assert_eq!(judge_suite(&stages, &["a", "b"], &[]).verdict, Verdict::TimedOut);
        let not_reconciled = Finding::new(FindingKind::NotReconciled, "no count");
        stages[0].run.findings = vec![not_reconciled];
        assert_eq!(judge_suite(&stages[..1], &["a", "b"], &[]).verdict, Verdict::Clean);
    }

    #[test]
    fn a_residual_failure_is_named() {
        let judgement = judge_suite(&[stage(1, CLASSES, &[("a", Failed, 0.0, 2.0, 1)])], &["a"], &[]);
        assert_eq!((judgement.verdict, judgement.residual[0].test.clone()), (Verdict::Failing, id("a")));
    }

    #[test]
    fn a_test_that_never_ran_is_lost_even_if_all_others_passed() {
        let judgement = judge_suite(&[stage(1, CLASSES, &[("a", Passed, 0.0, 2.0, 1)])], &["a", "b"], &[]);
        assert_eq!((judgement.verdict, judgement.tally.not_run), (Verdict::LostTests, 1));
        assert_eq!(kinds(&judgement), [FindingKind::LostTests]);
    }

    #[test]
    fn a_loss_weighs_more_than_a_crash_and_a_crash_more_than_a_failure() {
        let crash = [stage(1, CLASSES, &[("a", Crashed, 0.0, 2.0, 1), ("b", Failed, 0.0, 2.0, 1)])];
        assert_eq!(judge_suite(&crash, &["a", "b"], &[]).verdict, Verdict::Crashed);
        assert_eq!(judge_suite(&crash, &["a", "b", "c"], &[]).verdict, Verdict::LostTests);
    }

    #[test]
    fn what_was_set_aside_neither_fails_nor_is_lost() {
        let judgement = judge_suite(&[stage(1, CLASSES, &[("a", Failed, 0.0, 2.0, 1)])], &["a", "b"], &["a", "b"]);
        assert_eq!((judgement.verdict, judgement.tally), (Verdict::Clean, Tally::default()));
    }

    #[test]
    fn a_time_out_names_the_trial_whatever_else_happened() {
        let mut stages = [stage(1, CLASSES, &[("a", Failed, 0.0, 2.0, 1)])];
        stages[0].run.end = RunEnd::TimedOut;
        assert_eq!(judge_suite(&stages, &["a", "b"], &[]).verdict, Verdict::TimedOut);
    }

    #[test]
    fn a_mode_without_effect_is_called_out() {
        let in_turn = [("a", Passed, 0.0, 1.0, 1), ("b", Passed, 1.0, 2.0, 1)];
        assert_eq!(kinds(&judge_suite(&[stage(1, CLASSES, &in_turn)], &["a", "b"], &[])), [FindingKind::NoConcurrency]);
        let by_forks = [("a", Passed, 0.0, 1.0, 1), ("b", Passed, 0.0, 2.0, 2)];
        let judgement = judge_suite(&[stage(1, CLASSES, &by_forks)], &["a", "b"], &[]);
        assert!(judgement.findings[0].text.contains("none from threads"), "{judgement:?}");
        let threads = [("a", Passed, 0.0, 1.0, 1), ("b", Passed, 0.0, 2.0, 1)];
        assert!(judge_suite(&[stage(1, CLASSES, &threads)], &["a", "b"], &[]).findings.is_empty());
    }

    #[test]
    fn one_thread_is_not_blamed_for_running_one_test_at_a_time() {
        let single = Parallelism { threads: 1, ..CLASSES };
        let in_turn = [("a", Passed, 0.0, 1.0, 1), ("b", Passed, 1.0, 2.0, 1)];
        assert!(judge_suite(&[stage(1, single, &in_turn)], &["a", "b"], &[]).findings.is_empty());
        let forked = Parallelism { forks: Forks::Count(2), ..single };
        let by_forks = [("a", Passed, 0.0, 1.0, 1), ("b", Passed, 0.0, 2.0, 2)];
        assert!(judge_suite(&[stage(1, forked, &by_forks)], &["a", "b"], &[]).findings.is_empty());
        assert_eq!(kinds(&judge_suite(&[stage(1, forked, &in_turn)], &["a", "b"], &[])), [FindingKind::NoConcurrency]);
    }

    #[test]
    fn a_test_nobody_expected_is_a_finding() {
        let judgement = judge_suite(&[stage(1, Parallelism::SEQUENTIAL, &[("new", Passed, 0.0, 1.0, 1)])], &[], &[]);
        assert_eq!(kinds(&judgement), [FindingKind::UnexpectedTests]);
    }
}
