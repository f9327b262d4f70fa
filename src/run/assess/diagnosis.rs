//! Looks for the causes of failures within an assessment: opens what runs single tests, and keeps what was found, so that an
//! answer that is asked for again need not be found out again.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::causes::{self, Cause, CauseSearchInput, Kind, NotExamined, ParallelObservation};
use super::evidence::{Evidence, Measured};
use super::schedule::MOST_BLOCKS;
use super::survey::Opener;
use super::{Assessment, agenda, repeated_runs};
use crate::engine::{EngineKind, Session};
use crate::project::Opened;
use crate::runner::{Event, Watcher};
use crate::store::RunFolder;
use crate::store::record::{RunData, StepKind};
use crate::suite::TestId;
use crate::wording::plural;

/// In less time nothing is found out: opening what runs single tests takes as long.
const LEAST: Duration = Duration::from_secs(3);

/// What was found out of so many runs.
#[derive(Serialize, Deserialize)]
struct DiagnosisRecord {
    runs: usize,
    causes: Vec<Cause>,
}

impl DiagnosisRecord {
    fn on_record(run: &RunData) -> Option<DiagnosisRecord> {
        run.steps.iter().rev().find(|step| step.step_kind == StepKind::Diagnose)?.outcome()
    }

    fn is_complete(&self) -> bool {
        self.causes.iter().all(|cause| cause.kind != Kind::NotTried)
    }
}

/// The tests of this kind.
pub(super) fn of_kind(causes: &[Cause], kind: Kind) -> BTreeSet<TestId> {
    causes.iter().filter(|cause| cause.kind == kind).map(|cause| cause.test.clone()).collect()
}

impl Assessment<'_> {
    /// Why tests failed in parallel.
    pub(super) fn causes(
        &self,
        run: &RunData,
        measured: &Measured,
        folder: &RunFolder,
        is_done: bool,
        watcher: &mut dyn Watcher,
    ) -> miette::Result<Vec<Cause>> {
        let tests = failed_tests(measured);
        if tests.is_empty() {
            return Ok(Vec::new());
        }
        let kept = DiagnosisRecord::on_record(run)
            .filter(|kept| kept.runs == run.trials.len() && (is_done || kept.is_complete()));
        if let Some(kept) = kept {
            return Ok(kept.causes);
        }
        watcher.event(&Event::Note(format!("Examining {} that failed only in parallel", plural(tests.len(), "test"))));
        let causes = self.look(run, measured, &tests, &folder.logs("causes"), watcher)?;
        if !self.interrupt.is_set() {
            let runs = run.trials.len();
            let kept = DiagnosisRecord { runs, causes: causes.clone() };
            super::record(folder, &format!("diagnose.{runs}"), StepKind::Diagnose, &self.order.subject.name, &kept)?;
        }
        Ok(causes)
    }

    fn look(
        &self,
        run: &RunData,
        measured: &Measured,
        tests: &BTreeSet<TestId>,
        logs: &Path,
        watcher: &mut dyn Watcher,
    ) -> miette::Result<Vec<Cause>> {
        let stop = || self.interrupt.is_set();
        let mut beside = frequencies(measured, tests);
        let laboratory = |session, time| CauseSearchInput {
            session,
            cores: self.order.cores,
            memory_bytes: self.order.memory_bytes,
            logs: logs.to_owned(),
            time,
            // Of the first run no names are known: it counts where nothing failed in it.
            sequential_runs: measured.sequential_runs + usize::from(self.survey.failed == 0),
            fair: agenda::trial_limit(&self.survey),
            stop: &stop,
        };
        let is_model = self.order.subject.is_model();
        if !is_model && self.budget.is_strict && self.time_left(run) < LEAST {
            return Ok(causes::not_tried(tests, &beside, NotExamined::NoBudgetLeft));
        }
        let watcher = RefCell::new(watcher);
        let opener = Opener {
            order: self.order,
            home: self.home,
            interrupt: self.interrupt,
            watcher: &watcher,
            began: self.clock.began,
        };
        let Opened::Ready(project) = opener.open(&self.survey.revision)? else {
            return Ok(causes::not_tried(tests, &beside, NotExamined::BuildFailed));
        };
        if is_model {
            let mut session = project.session(EngineKind::Model)?;
            return causes::explain(laboratory(session.as_mut(), self.budget.time), tests, &beside);
        }
        let mut faithful = project.session(EngineKind::Surefire)?;
        self.look_beside(run, measured, faithful.as_mut(), logs, &mut beside)?;
        let mut session = project.session(EngineKind::Direct).unwrap_or(faithful);
        causes::explain(laboratory(session.as_mut(), self.time_left(run)), tests, &beside)
    }

    /// A budget that nobody gave leaves some for it.
    fn time_left(&self, run: &RunData) -> Duration {
        let left = Duration::from_secs_f64(self.left(&run.trials));
        if self.budget.is_strict { left } else { left.max(self.budget.time.mul_f64(agenda::FOR_CAUSES)) }
    }

    /// What tests do beside others once more, in the way in which most of them fail.
    fn look_beside(
        &self,
        run: &RunData,
        measured: &Measured,
        session: &mut dyn Session,
        logs: &Path,
        known: &mut BTreeMap<TestId, ParallelObservation>,
    ) -> miette::Result<()> {
        let worst = measured.ways.iter().max_by_key(|evidence| evidence.failed.len() + evidence.unrepaired.len());
        let configuration = worst.and_then(|evidence| self.experiment.configuration(evidence.way.name()));
        let (Some(worst), Some(configuration)) = (worst, configuration) else { return Ok(()) };
        let again = repeated_runs::RepeatedRuns {
            way: worst.way,
            parallelism: configuration.parallelism,
            cores: self.order.cores,
            memory_bytes: self.order.memory_bytes,
            logs,
            sequential: self.survey.seconds,
            limit: agenda::way_limit(&self.survey, self.survey.seconds),
            time: self.time_left(run),
            cut: repeated_runs::cut_down(run, worst.way),
        };
        again.look(session, known)
    }
}

/// Every test that failed in some parallel run, and was not set aside.
fn failed_tests(measured: &Measured) -> BTreeSet<TestId> {
    let named = measured.ways.iter().flat_map(|evidence| evidence.failed.keys().chain(evidence.unrepaired.keys()));
    named.filter_map(|test| test.parse().ok()).filter(|test: &TestId| !test.is_whole_class()).collect()
}

/// How often each test failed, in the ways in which it did.
fn frequencies(measured: &Measured, tests: &BTreeSet<TestId>) -> BTreeMap<TestId, ParallelObservation> {
    let is_final = measured.blocks >= MOST_BLOCKS as usize;
    let of = |test: &TestId| {
        let name = test.to_string();
        let is_concerned = |evidence: &&Evidence| evidence.overlapped || evidence.times_failed(&name).is_some();
        let concerned: Vec<&Evidence> = measured.ways.iter().filter(is_concerned).collect();
        let failing: Vec<(usize, usize)> =
            concerned.iter().filter_map(|evidence| Some((evidence.times_failed(&name)?, evidence.runs))).collect();
        let mut beside = ParallelObservation {
            failed: failing.iter().map(|(failed, _)| failed).sum(),
            runs: failing.iter().map(|(_, runs)| runs).sum(),
            ways: if failing.len() < concerned.len() { concerned.len() } else { 1 },
            is_final,
            without: measured.racing.get(test).copied(),
            ..ParallelObservation::default()
        };
        if let Some(message) = concerned.iter().find_map(|evidence| evidence.messages.get(&name)) {
            beside.told(Some(message.clone()));
        }
        (test.clone(), beside)
    };
    tests.iter().map(of).collect()
}
