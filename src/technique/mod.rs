//! What runs when: a technique asks a [`Session`] for runs and reads their records, nothing else.
//!
//! It spawns no process, reads no file of the subject, knows no build tool, and takes time only from a [`SuiteRun`]: so it
//! runs unchanged on the model engine, in virtual time.

mod last_outcomes;
mod paste;
mod single;
mod sound_rerun;
#[cfg(test)]
mod tests;

use std::time::Duration;

use crate::engine::{Allotment, Handling, Parallelism, RunRequest, Selection, Session, Support};
use crate::experiment::TechniqueKind;
use crate::suite::{DependencyGraph, RunEnd, SuiteRun, TestId};

pub use last_outcomes::LastOutcomes;

/// What a technique may use for one trial.
#[derive(Debug, Clone)]
pub struct Bench {
    pub allotment: Allotment,
    /// For all stages together.
    pub time_limit: Duration,
    /// Tests that do not pass every time without any parallelism: they run, but their failures are nobody's concern.
    pub set_aside: std::collections::HashSet<TestId>,
}

/// One run of (a part of) the suite inside a trial.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// From 1 on.
    pub number: u32,
    pub purpose: &'static str,
    pub parallelism: Parallelism,
    pub run: SuiteRun,
}

/// What a technique did, stage by stage, or why it could not begin.
#[derive(Debug, Clone, PartialEq)]
pub enum TechniqueRun {
    Ran(Vec<Stage>),
    /// The mode does not exist for this suite.
    Unsupported(String),
}

/// Runs a technique once.
pub fn run(
    kind: TechniqueKind,
    parallelism: Parallelism,
    dependencies: Option<&DependencyGraph>,
    session: &mut dyn Session,
    bench: &Bench,
) -> miette::Result<TechniqueRun> {
    if let Support::None(why) = session.capabilities().support(parallelism.mode) {
        return Ok(TechniqueRun::Unsupported(why));
    }
    let mut stages = Stages { session, bench, done: Vec::new() };
    match kind {
        TechniqueKind::Sequential => {
            single::run(&mut stages, Parallelism::SEQUENTIAL.reusing(parallelism), "sequential run")?
        }
        TechniqueKind::Parallel => single::run(&mut stages, parallelism, "parallel run")?,
        TechniqueKind::Paste => paste::run(&mut stages, parallelism)?,
        TechniqueKind::SoundRerun => {
            let graph = dependencies.ok_or_else(|| {
                miette::miette!(
                    help = "give the subject a `dependencies` file",
                    "the technique `sound-rerun` needs the dependencies between the tests"
                )
            })?;
            sound_rerun::run(&mut stages, parallelism, graph)?;
        }
    }
    Ok(TechniqueRun::Ran(stages.done))
}

/// The stages of a trial as they come about.
struct Stages<'a> {
    session: &'a mut dyn Session,
    bench: &'a Bench,
    done: Vec<Stage>,
}

impl Stages<'_> {
    /// Runs one more stage within what is left of the time. Whether the trial can go on after it is the answer.
    fn run(&mut self, purpose: &'static str, selection: Selection, parallelism: Parallelism) -> miette::Result<bool> {
        let number = self.done.len() as u32 + 1;
        let request = RunRequest {
            label: format!("stage-{number}"),
            selection,
            parallelism,
            allotment: self.bench.allotment.clone(),
            time_limit: self.time_left(),
            handling: Handling::default(),
        };
        let run = self.session.run(&request)?;
        let goes_on = run.end == RunEnd::Finished;
        self.done.push(Stage { number, purpose, parallelism, run });
        Ok(goes_on)
    }

    fn time_left(&self) -> Duration {
        let spent: f64 = self.done.iter().map(|stage| stage.run.cost.wall_seconds).sum();
        self.bench.time_limit.saturating_sub(Duration::try_from_secs_f64(spent).unwrap_or(Duration::MAX))
    }

    /// The tests that fail as of now, or never ran as their class's fixture failed, in original order.
    fn failing(&self) -> Vec<TestId> {
        let set_aside = &self.bench.set_aside;
        let mut failing = LastOutcomes::after(&self.done, set_aside).failing_or_prevented(self.session.tests());
        failing.retain(|test| !set_aside.contains(test));
        failing
    }
}
