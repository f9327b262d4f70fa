//! The study's precondition: tests that do not pass every time without any parallelism say nothing about parallelism.
//!
//! They still run, as leaving them out would change the suite, but their failures are not counted.

use std::collections::{BTreeMap, HashSet};

use crate::experiment::{Subject, Trial};
use crate::store::record::{Phase, SetAsideTest, TrialRecord};
use crate::suite::TestId;

use super::open::OpenSubject;
use super::{Run, is_broken};

/// The configuration's name in records of screening runs.
pub const CONFIGURATION: &str = "screening";

impl Run<'_> {
    /// Runs what is missing of the screening, and sets aside what did not pass every time.
    pub(super) fn screen(&mut self, subject: &Subject, open: &mut OpenSubject) -> miette::Result<()> {
        if open.record.failure.is_some() {
            return Ok(());
        }
        let runs = self.order.experiment.screening;
        for number in 1..=runs {
            let trial = screening_trial(subject, number, self.order.experiment.machine.cores.iter().copied().max());
            let known = self.trials.iter().any(|record| record.trial == trial.id);
            if !known && !self.interrupt.is_set() {
                self.run_trial_on(open, &trial, Phase::Screening)?;
            }
        }
        let of_subject = |record: &&TrialRecord| record.phase == Phase::Screening && record.subject == subject.name;
        let records: Vec<&TrialRecord> = self.trials.iter().filter(of_subject).collect();
        let set_aside = unreliable(&records);
        open.set_aside = set_aside.iter().map(|test| test.test.clone()).collect::<HashSet<TestId>>();
        open.record.screening_runs = records.len() as u32;
        open.record.set_aside = set_aside;
        Ok(())
    }
}

fn screening_trial(subject: &Subject, number: u32, cores: Option<usize>) -> Trial {
    let cores = cores.unwrap_or(1);
    Trial {
        id: format!("{}.{CONFIGURATION}.c{cores}.r{number}", subject.name),
        subject: subject.name.clone(),
        configuration: CONFIGURATION.to_owned(),
        cores,
        repetition: number,
    }
}

/// Tests that did not pass in every run that took place, with how often they did.
fn unreliable(records: &[&TrialRecord]) -> Vec<SetAsideTest> {
    let runs: Vec<&&TrialRecord> = records.iter().filter(|record| !is_broken(record.verdict)).collect();
    let mut misses: BTreeMap<&TestId, usize> = BTreeMap::new();
    for test in runs.iter().flat_map(|record| &record.residual) {
        *misses.entry(&test.test).or_default() += 1;
    }
    let reason = |missed: usize| format!("passed {} of {} sequential runs", runs.len() - missed, runs.len());
    misses.into_iter().map(|(test, missed)| SetAsideTest { test: test.clone(), reason: reason(missed) }).collect()
}
