//! What became of every test, attempt by attempt: a pass that took a retry is still a test that failed first.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use crate::engine::EngineKind;
use crate::project::{KeptReports, Words};
use crate::runner::judge::Judgement;
use crate::store::record::Verdict;
use crate::suite::{Concurrency, Execution, Finding, FindingKind, Outcome as TestOutcome, RunEnd, TestId};
use crate::technique::{LastOutcomes, Stage};

/// A suite that was run.
#[derive(Debug)]
pub struct Outcome {
    /// In original order as far as it is known.
    pub tests: Vec<TestStory>,
    pub verdict: Verdict,
    /// One sentence, for every verdict but `clean`.
    pub reason: Option<String>,
    pub findings: Vec<Finding>,
    /// All stages together, each from the start of its first process to the end of its last.
    pub seconds: f64,
    pub stages: Vec<StageStory>,
    /// What ran again what failed.
    pub rerun_engine: Option<EngineKind>,
    pub concurrency: Concurrency,
    /// The tools in words, by what they are; a model has none.
    pub tools: Vec<(&'static str, String)>,
    /// What was checked out; a model has none.
    pub revision: Option<String>,
    pub logs: PathBuf,
    /// What people of the project's platform call things.
    pub words: Words,
    /// Commands that run tests again, where the platform tells them.
    pub again: HashMap<TestId, String>,
    /// Copies of Surefire's own reports of the first run, where it wrote any.
    pub surefire_reports: KeptReports,
}

#[derive(Debug, Clone, PartialEq)]
pub struct StageStory {
    pub purpose: &'static str,
    pub engine: EngineKind,
    pub tests: usize,
    pub failures_after: usize,
    pub seconds: f64,
}

/// One test with everything that it did.
#[derive(Debug, Clone, PartialEq)]
pub struct TestStory {
    pub test: TestId,
    /// In the order of the stages; never empty.
    pub attempts: Vec<Attempt>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    pub stage: u32,
    pub outcome: TestOutcome,
    pub seconds: f64,
    pub message: Option<String>,
    /// What the framework shows to people.
    pub display: Option<String>,
}

/// How many tests ended in which way; the four kinds add up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub tests: usize,
    pub passed: usize,
    pub failed: usize,
    /// Also what crashed, ran out of time, or never ran.
    pub errors: usize,
    pub skipped: usize,
    /// Tests that failed and were run again, whatever came of it.
    pub retried: usize,
}

impl TestStory {
    pub fn last(&self) -> &Attempt {
        &self.attempts[self.attempts.len() - 1]
    }

    pub fn outcome(&self) -> TestOutcome {
        self.last().outcome
    }

    /// Attempts that failed before the last one.
    pub fn earlier_failures(&self) -> impl Iterator<Item = &Attempt> {
        self.attempts[..self.attempts.len() - 1].iter().filter(|attempt| is_bad(attempt.outcome))
    }

    pub fn was_retried(&self) -> bool {
        self.earlier_failures().next().is_some()
    }

    /// Did it fail first, and not in the end?
    pub fn is_flaky(&self) -> bool {
        self.was_retried() && !self.is_bad()
    }

    pub fn is_bad(&self) -> bool {
        is_bad(self.outcome())
    }
}

fn is_bad(outcome: TestOutcome) -> bool {
    outcome.is_failure() || outcome == TestOutcome::NotRun
}

impl Outcome {
    pub(super) fn of(
        stages: &[Stage],
        expected: &[TestId],
        judgement: Judgement,
        was_pending: bool,
        logs: PathBuf,
    ) -> Self {
        let Judgement { verdict, reason, findings, .. } = judgement;
        let (verdict, reason) = match lost_unseen(stages, was_pending) {
            Some(why) if verdict == Verdict::Clean || verdict == Verdict::Failing => (Verdict::LostTests, Some(why)),
            _ => (verdict, reason),
        };
        Outcome {
            tests: stories(stages, expected),
            verdict,
            reason,
            findings,
            seconds: stages.iter().map(|stage| stage.run.cost.wall_seconds).sum(),
            stages: (0..stages.len()).map(|last| stage_story(&stages[..=last])).collect(),
            rerun_engine: super::rerun_engine(stages),
            concurrency: stages.first().map(|stage| stage.run.concurrency()).unwrap_or_default(),
            tools: Vec::new(),
            revision: None,
            logs,
            words: Words::default(),
            again: HashMap::new(),
            surefire_reports: KeptReports::default(),
        }
    }

    /// One tool in words, e.g. the `JDK` with why it is this one.
    pub fn tool(&self, name: &str) -> Option<&str> {
        self.tools.iter().find(|(known, _)| *known == name).map(|(_, text)| text.as_str())
    }

    pub fn counts(&self) -> Counts {
        let mut counts = Counts { tests: self.tests.len(), ..Counts::default() };
        for story in &self.tests {
            match story.outcome() {
                TestOutcome::Passed => counts.passed += 1,
                TestOutcome::Failed => counts.failed += 1,
                TestOutcome::Skipped => counts.skipped += 1,
                TestOutcome::Error | TestOutcome::Crashed | TestOutcome::TimedOut | TestOutcome::NotRun => {
                    counts.errors += 1;
                }
            }
            counts.retried += usize::from(story.was_retried());
        }
        counts
    }

    /// Did everything that there is to run pass, or was skipped, in the end?
    pub fn is_good(&self) -> bool {
        self.verdict == Verdict::Clean
    }
}

/// A worker that died takes tests along that nobody knew of yet: nothing can say how many.
fn lost_unseen(stages: &[Stage], was_pending: bool) -> Option<String> {
    let first = stages.first().filter(|_| was_pending)?;
    let died = first.run.findings.iter().any(|finding| finding.kind == FindingKind::DeadWorker);
    (died && first.run.end == RunEnd::Finished)
        .then(|| "a fork died in the first run of this suite, and tests that it had not begun are lost".to_owned())
}

fn stage_story(so_far: &[Stage]) -> StageStory {
    let stage = &so_far[so_far.len() - 1];
    StageStory {
        purpose: stage.purpose,
        engine: stage.engine,
        tests: stage.run.executions.iter().filter(|execution| !execution.test.is_whole_class()).count(),
        failures_after: LastOutcomes::after(so_far, &HashSet::new()).failures(),
        seconds: stage.run.cost.wall_seconds,
    }
}

/// Every test that was expected or ran, and every fixture that still fails.
fn stories(stages: &[Stage], expected: &[TestId]) -> Vec<TestStory> {
    let mut attempts = attempts_by_test(stages);
    add_prevented(stages, &mut attempts);
    let nobody = HashSet::new();
    let last = LastOutcomes::after(stages, &nobody);
    // A fixture that failed and then did not is told by the tests that it kept from running.
    attempts.retain(|test, _| !test.is_whole_class() || last.of(test).is_some());
    let never = || vec![Attempt { stage: 1, outcome: TestOutcome::NotRun, seconds: 0.0, message: None, display: None }];
    let mut stories: Vec<TestStory> = Vec::new();
    for test in expected {
        let attempts = attempts.remove(test).unwrap_or_else(never);
        stories.push(TestStory { test: test.clone(), attempts });
    }
    let mut others: Vec<TestStory> =
        attempts.into_iter().map(|(test, attempts)| TestStory { test: test.clone(), attempts }).collect();
    others.sort_by(|a, b| a.test.cmp(&b.test));
    stories.extend(others);
    stories
}

fn attempts_by_test(stages: &[Stage]) -> HashMap<&TestId, Vec<Attempt>> {
    let mut attempts: HashMap<&TestId, Vec<Attempt>> = HashMap::new();
    for stage in stages {
        for execution in &stage.run.executions {
            attempts.entry(&execution.test).or_default().push(attempt(stage, execution));
        }
    }
    attempts
}

fn attempt(stage: &Stage, execution: &Execution) -> Attempt {
    Attempt {
        stage: stage.number,
        outcome: execution.outcome,
        seconds: execution.seconds,
        message: execution.message.clone(),
        display: execution.display.clone(),
    }
}

/// Where a fixture failed, the tests that did not run for it failed too.
fn add_prevented(stages: &[Stage], attempts: &mut HashMap<&TestId, Vec<Attempt>>) {
    for stage in stages {
        for fixture in stage.run.executions.iter().filter(|execution| execution.is_failed_fixture()) {
            let prevented = attempts.iter_mut().filter(|(test, _)| is_inside(test, &fixture.test));
            for (_, attempts) in prevented {
                blame(attempts, &attempt(stage, fixture));
            }
        }
    }
}

/// In the fixture's class, or in one that is nested in it.
fn is_inside(test: &TestId, fixture: &TestId) -> bool {
    let rest = test.class.strip_prefix(fixture.class.as_str());
    test.module == fixture.module
        && !test.is_whole_class()
        && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('$'))
}

/// Puts the fixture's failure where the test has nothing to show for that stage, and something later.
fn blame(attempts: &mut Vec<Attempt>, fixture: &Attempt) {
    let ran = |attempt: &Attempt| !matches!(attempt.outcome, TestOutcome::Skipped | TestOutcome::NotRun);
    let has_later = attempts.iter().any(|attempt| attempt.stage > fixture.stage && ran(attempt));
    if !has_later || attempts.iter().any(|attempt| attempt.stage == fixture.stage && ran(attempt)) {
        return;
    }
    attempts.retain(|attempt| attempt.stage != fixture.stage);
    let at = attempts.iter().position(|attempt| attempt.stage > fixture.stage).unwrap_or(attempts.len());
    attempts.insert(at, Attempt { seconds: 0.0, ..fixture.clone() });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Parallelism;
    use crate::suite::{Cost, Granularity, SuiteRun, Tally};
    use TestOutcome::{Crashed, Error, Failed, NotRun, Passed, Skipped};

    fn id(text: &str) -> TestId {
        text.parse().unwrap()
    }

    fn stage(number: u32, tests: &[(&str, TestOutcome)]) -> Stage {
        let execution = |&(test, outcome): &(&str, TestOutcome)| Execution {
            test: id(test),
            display: None,
            outcome,
            start: 0.0,
            seconds: 1.0,
            process: 1,
            thread: String::new(),
            message: outcome.is_failure().then(|| format!("stage {number}")),
        };
        let run = SuiteRun {
            executions: tests.iter().map(execution).collect(),
            cost: Cost { wall_seconds: 2.0, ..Cost::default() },
            end: RunEnd::Finished,
            granularity: Granularity::Name,
            findings: vec![],
            seen: crate::suite::Observations::default(),
        };
        Stage {
            number,
            purpose: "test",
            engine: EngineKind::Surefire,
            parallelism: Parallelism::SEQUENTIAL,
            machine: 1,
            run,
        }
    }

    fn outcome(stages: &[Stage], expected: &[&str], verdict: Verdict, was_pending: bool) -> Outcome {
        let expected: Vec<TestId> = expected.iter().map(|text| id(text)).collect();
        let judgement = Judgement {
            verdict,
            reason: None,
            tally: Tally::default(),
            outcomes_hash: String::new(),
            residual: vec![],
            findings: vec![],
        };
        Outcome::of(stages, &expected, judgement, was_pending, PathBuf::new())
    }

    fn told(outcome: &Outcome) -> Vec<(String, Vec<TestOutcome>)> {
        let attempts = |story: &TestStory| story.attempts.iter().map(|attempt| attempt.outcome).collect();
        outcome.tests.iter().map(|story| (story.test.to_string(), attempts(story))).collect()
    }

    #[test]
    fn every_attempt_of_every_test_is_told_and_the_counts_add_up() {
        let stages = [
            stage(1, &[("C#a", Failed), ("C#b", Crashed), ("C#c", Passed), ("C#s", Skipped), ("C#x", Failed)]),
            stage(2, &[("C#a", Passed), ("C#b", Error), ("C#c", Passed), ("C#x", Failed)]),
        ];
        let outcome = outcome(&stages, &["C#s", "C#a", "C#b", "C#c", "C#lost"], Verdict::Failing, false);
        let expected = [
            ("C#s", vec![Skipped]),
            ("C#a", vec![Failed, Passed]),
            ("C#b", vec![Crashed, Error]),
            ("C#c", vec![Passed, Passed]),
            ("C#lost", vec![NotRun]),
            ("C#x", vec![Failed, Failed]),
        ];
        assert_eq!(told(&outcome), expected.map(|(test, attempts)| (test.to_owned(), attempts)));
        let counts = Counts { tests: 6, passed: 2, failed: 1, errors: 2, skipped: 1, retried: 3 };
        assert_eq!((outcome.counts(), outcome.seconds), (counts, 4.0));
        let flaky: Vec<_> = outcome.tests.iter().filter(|story| story.is_flaky()).collect();
        assert_eq!(flaky.len(), 1, "a test that passed both times is not flaky");
    }

    #[test]
    fn a_test_that_a_broken_fixture_kept_from_running_failed_first() {
        let first = stage(1, &[("C#<class>", Error), ("C#skipped", Skipped), ("D#d", Passed)]);
        let again = stage(2, &[("C#a", Passed), ("C#skipped", Passed), ("C$In#b", Passed)]);
        let repaired = outcome(&[first.clone(), again], &["D#d"], Verdict::Clean, false);
        let expected = [
            ("D#d", vec![Passed]),
            ("C#a", vec![Error, Passed]),
            ("C#skipped", vec![Error, Passed]),
            ("C$In#b", vec![Error, Passed]),
        ];
        assert_eq!(told(&repaired), expected.map(|(test, attempts)| (test.to_owned(), attempts)));
        assert_eq!(repaired.counts().retried, 3);
        let broken = outcome(&[first], &["D#d"], Verdict::Failing, false);
        assert_eq!(broken.counts(), Counts { tests: 3, passed: 1, errors: 1, skipped: 1, ..Counts::default() });
    }

    #[test]
    fn what_a_dead_worker_took_along_unseen_is_no_success() {
        let mut first = stage(1, &[("C#a", Passed)]);
        first.run.findings.push(Finding::new(FindingKind::DeadWorker, "x"));
        let stages = [first];
        assert_eq!(outcome(&stages, &["C#a"], Verdict::Clean, true).verdict, Verdict::LostTests);
        assert!(outcome(&stages, &["C#a"], Verdict::Clean, false).is_good(), "every expected test ran");
        assert_eq!(outcome(&stages, &["C#a"], Verdict::TimedOut, true).verdict, Verdict::TimedOut);
    }
}
