//! The study's precondition: tests that do not pass every time without any parallelism say nothing about parallelism.
//!
//! They still run, as leaving them out would change the suite, but their failures are not counted.

use std::collections::{BTreeSet, HashSet};

use crate::experiment::{Machine, Trial};
use crate::spec::Subject;
use crate::store::record::{Phase, SetAsideTest, SubjectRecord, TrialRecord, Verdict};
use crate::suite::{Outcome, TestId};
use crate::wording::plural;

use super::open::OpenSubject;
use super::{Event, Run};

/// The configuration's name in records of screening runs.
pub const CONFIGURATION: &str = "screening";

impl Run<'_> {
    /// Runs what is missing of the screening, sets aside what did not pass every time, and records the subject.
    pub(super) fn screen(&mut self, name: &str) -> miette::Result<()> {
        let Some(mut open) = self.subjects.open.remove(name) else { return Ok(()) };
        if open.record.failure.is_none() {
            self.screen_open(name, &mut open)?;
        }
        if self.interrupt.is_set() {
            return Ok(());
        }
        self.record.record_subject(&open.record)?;
        self.watcher.event(&Event::Prepared { subject: &open.record });
        self.subjects.open.insert(name.to_owned(), open);
        Ok(())
    }

    fn screen_open(&mut self, name: &str, open: &mut OpenSubject) -> miette::Result<()> {
        let Some(subject) = self.order.experiment.subject(name) else { return Ok(()) };
        let Ok(subject) = &self.with_generated_tests(subject)? else { return Ok(()) };
        let runs = self.order.experiment.screening;
        let machine = &self.order.experiment.machine;
        let cores = machine.cores.iter().copied().max().unwrap_or(1);
        let trials: Vec<Trial> =
            (1..=runs).map(|number| screening_trial(subject, &open.record, machine, number, cores)).collect();
        for trial in &trials {
            let known = self.record.recorded().trials.get(&trial.id).is_some();
            if !known && !self.interrupt.is_set() {
                self.run_trial_on(open, trial, Phase::Screening)?;
            }
        }
        let records: Vec<&TrialRecord> =
            trials.iter().filter_map(|trial| self.record.recorded().trials.get(&trial.id)).collect();
        let set_aside = unreliable(&records);
        open.set_aside = set_aside.iter().map(|test| test.test.clone()).collect::<HashSet<TestId>>();
        open.record.screening_runs = records.len() as u32;
        open.record.set_aside = set_aside;
        Ok(())
    }
}

/// Its id holds what its outcome depends on: the subject's settings, its revision, its generated tests, the JDK and Maven.
pub fn screening_trial(
    subject: &Subject,
    record: &SubjectRecord,
    machine: &Machine,
    number: u32,
    cores: usize,
) -> Trial {
    let mut settings = subject.fingerprint().of_outcomes("screening");
    settings.text("revision", record.revision.as_deref().unwrap_or_default());
    settings.text("generated tests", subject.generated_tests().map_or("", |tests| &tests.hash));
    settings.text("jdk", record.jdk.as_deref().unwrap_or_default());
    settings.text("maven", record.maven.as_deref().unwrap_or_default());
    settings.number("memory", machine.memory_bytes.unwrap_or(0));
    settings.number("timeout", subject.timeout.as_secs());
    Trial {
        id: format!("{}.{CONFIGURATION}.c{cores}.r{number}-{}", subject.name, settings.digits(8)),
        subject: subject.name.clone(),
        configuration: CONFIGURATION.to_owned(),
        cores,
        repetition: number,
    }
}

/// How often a test passed, was skipped, never ran, and could have run at all.
#[derive(Default)]
struct Record {
    passed: usize,
    skipped: usize,
    not_run: usize,
    runs: usize,
}

/// Tests that passed in some runs only, or in none. A test that is skipped every time is as reliable as one that passes.
fn unreliable(records: &[&TrialRecord]) -> Vec<SetAsideTest> {
    let runs: Vec<&&TrialRecord> = records.iter().filter(|record| record.verdict.is_completed()).collect();
    let named: BTreeSet<&TestId> = runs.iter().flat_map(|run| &run.residual).map(|test| &test.test).collect();
    let judged = named.into_iter().map(|test| (test, record_of(test, &runs)));
    let unsteady = judged.filter(|(_, record)| record.passed < record.runs && record.skipped < record.runs);
    unsteady.map(|(test, record)| SetAsideTest { test: test.clone(), reason: reason(&record) }).collect()
}

fn record_of(test: &TestId, runs: &[&&TrialRecord]) -> Record {
    let mut record = Record::default();
    for run in runs {
        let outcome = run.residual.iter().find(|entry| entry.test == *test).map(|entry| entry.outcome);
        // Behind a hang or a breakdown a test has no chance to show what it does.
        let cut_off = !matches!(run.verdict, Verdict::Clean | Verdict::Failing | Verdict::LostTests);
        match outcome {
            Some(Outcome::NotRun) if cut_off => continue,
            Some(Outcome::Skipped) => record.skipped += 1,
            Some(Outcome::NotRun) => record.not_run += 1,
            None => record.passed += 1,
            Some(_) => {}
        }
        record.runs += 1;
    }
    record
}

fn reason(record: &Record) -> String {
    if record.not_run == record.runs {
        return format!("never ran in {}", plural(record.runs, "sequential run"));
    }
    let also = |count: usize, what: &str| if count > 0 { format!(", {what} in {count}") } else { String::new() };
    let (skipped, not_run) = (also(record.skipped, "was skipped"), also(record.not_run, "never ran"));
    format!("passed {} of {} sequential runs{skipped}{not_run}", record.passed, record.runs)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::spec::GeneratedTests;
    use crate::spec::Generator;
    use crate::spec::fingerprint_tests::{Dependents, assert_key_follows, subject};
    use crate::store::record::ResidualTest;
    use crate::store::record::tests::trial;

    fn run(verdict: Verdict, not_passed: &[(&str, Outcome)]) -> TrialRecord {
        let entry = |&(name, outcome): &(&str, Outcome)| ResidualTest {
            test: TestId::new("", "C", name, 1),
            outcome,
            message: None,
        };
        TrialRecord { verdict, residual: not_passed.iter().map(entry).collect(), ..trial("x") }
    }

    fn set_aside(runs: &[TrialRecord]) -> Vec<(String, String)> {
        let found = unreliable(&runs.iter().collect::<Vec<_>>());
        found.into_iter().map(|test| (test.test.name, test.reason)).collect()
    }

    #[test]
    fn a_test_that_fails_once_is_set_aside_with_its_record() {
        let runs = [run(Verdict::Clean, &[]), run(Verdict::Failing, &[("a", Outcome::Failed)])];
        assert_eq!(set_aside(&runs), [("a".to_owned(), "passed 1 of 2 sequential runs".to_owned())]);
    }

    #[test]
    fn always_skipped_is_reliable_and_sometimes_skipped_is_not() {
        let both = [("always", Outcome::Skipped), ("sometimes", Outcome::Skipped)];
        let runs = [run(Verdict::Clean, &both), run(Verdict::Clean, &both[..1])];
        assert_eq!(set_aside(&runs).len(), 1);
        assert_eq!(set_aside(&runs)[0].1, "passed 1 of 2 sequential runs, was skipped in 1");
    }

    #[test]
    fn what_a_hang_kept_from_running_is_not_held_against_it() {
        let cut = [("hangs", Outcome::TimedOut), ("behind", Outcome::NotRun)];
        let names: Vec<String> = set_aside(&[run(Verdict::TimedOut, &cut)]).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["hangs"]);
    }

    #[test]
    fn what_a_complete_run_lost_is_set_aside_and_did_not_fail() {
        let lost = || run(Verdict::LostTests, &[("lost", Outcome::NotRun)]);
        assert_eq!(set_aside(&[lost()])[0].1, "never ran in 1 sequential run");
        assert_eq!(set_aside(&[lost(), lost()])[0].1, "never ran in 2 sequential runs");
        let runs = [lost(), run(Verdict::Clean, &[])];
        assert_eq!(set_aside(&runs)[0].1, "passed 1 of 2 sequential runs, never ran in 1");
    }

    #[test]
    fn a_screening_run_follows_everything_that_its_outcome_depends_on() {
        let machine = |memory_bytes| Machine {
            cores: vec![2],
            memory_bytes,
            timeout: Duration::from_secs(1),
            build_timeout: Duration::from_secs(1),
        };
        let built = crate::store::record::tests::subject("shop");
        let id = |subject: &Subject| screening_trial(subject, &built, &machine(None), 1, 2).id;
        assert_key_follows(id, &[Dependents::Build, Dependents::Outcomes], &[]);
        let plain = subject();
        let of_record = |record: &SubjectRecord| screening_trial(&plain, record, &machine(None), 1, 2).id;
        for changed in [
            SubjectRecord { revision: Some("other".to_owned()), ..built.clone() },
            SubjectRecord { jdk: Some("other".to_owned()), ..built.clone() },
            SubjectRecord { maven: Some("other".to_owned()), ..built.clone() },
        ] {
            assert_ne!(of_record(&changed), of_record(&built));
        }
        assert_ne!(screening_trial(&plain, &built, &machine(Some(1)), 1, 2).id, of_record(&built));
        let written = |hash: &str| GeneratedTests { folder: "tests".into(), hash: hash.to_owned() };
        let generated = |hash: &str| {
            let command = vec!["generate".to_owned()];
            let generator = Generator { command, timeout: Duration::from_secs(1), sources: Some(written(hash)) };
            screening_trial(&Subject { generator: Some(generator), ..plain.clone() }, &built, &machine(None), 1, 2).id
        };
        assert_ne!(generated("a"), generated("b"));
    }
}
