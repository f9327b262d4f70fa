//! What runs when: a technique asks [`Engines`] for runs and reads their records, nothing else.
//!
//! It spawns no process, reads no file of the subject, knows no build tool, and takes time only from a [`SuiteRun`]: so it
//! runs unchanged on the model engine, in virtual time.

pub mod algorithm;
pub mod arrange;
pub mod detect;
pub mod enhance;
mod kind;
mod last_outcomes;
pub mod ordered;
pub mod parallelize;
mod paste;
pub mod prioritize;
pub mod select;
mod single;
mod sound_rerun;
#[cfg(test)]
mod tests;

use std::time::Duration;

use crate::engine::{EngineKind, Parallelism, ProcessPolicy, Resources, RunRequest, Selection, Session, Support};
use crate::suite::{DependencyGraph, RunEnd, SuiteRun, TestId};

pub use kind::{Harness, Ordering, TechniqueKind};
pub use last_outcomes::LastOutcomes;

/// What a technique may use for one trial.
#[derive(Debug, Clone)]
pub struct TrialLimits {
    pub resources: Resources,
    /// For all stages together.
    pub time_limit: Duration,
    /// Tests that do not pass every time without any parallelism: they run, but their failures are nobody's concern.
    pub set_aside: std::collections::HashSet<TestId>,
}

/// What runs the tests of one trial.
pub struct Engines<'a> {
    pub main: &'a mut dyn Session,
    /// Runs again what failed; the main one where there is none.
    pub rerun: Option<&'a mut dyn Session>,
    pub policy: ProcessPolicy,
    /// Of what is run again.
    pub rerun_policy: ProcessPolicy,
}

impl<'a> Engines<'a> {
    /// One engine for everything, as it handles processes by default.
    pub fn only(main: &'a mut dyn Session) -> Self {
        Engines { main, rerun: None, policy: ProcessPolicy::default(), rerun_policy: ProcessPolicy::default() }
    }

    fn rerun_imposes_order(&self) -> bool {
        self.rerun.as_deref().unwrap_or(&*self.main).capabilities().imposes_order
    }

    /// Why these engines cannot run a technique at this parallelism, or treat their processes as they should.
    fn refusal(&self, kind: TechniqueKind, parallelism: Parallelism) -> Option<String> {
        let capabilities = self.main.capabilities();
        if let Support::None(why) = capabilities.support(parallelism.mode) {
            return Some(why);
        }
        if parallelism.modules.is_some() && !capabilities.modules_at_once {
            return Some("the engine runs one module after the other".to_owned());
        }
        let rerun = self.rerun.as_deref().map_or(capabilities, Session::capabilities);
        let again = kind.reruns().then(|| rerun.refuses(&self.rerun_policy)).flatten();
        capabilities.refuses(&self.policy).or(again)
    }
}

/// One run of (a part of) the suite inside a trial.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// From 1 on.
    pub number: u32,
    pub purpose: &'static str,
    /// From 1 on: what one machine did, no other repairs.
    pub machine: u32,
    /// What ran it.
    pub engine: EngineKind,
    pub parallelism: Parallelism,
    pub run: SuiteRun,
}

/// What a technique did, stage by stage, or why it could not begin.
#[derive(Debug, Clone, PartialEq)]
pub enum TechniqueRun {
    Ran(Vec<Stage>),
    /// The mode does not exist for this suite, or an engine lacks what is asked of it.
    Unsupported(String),
}

/// Runs a technique once.
pub fn run(
    kind: TechniqueKind,
    parallelism: Parallelism,
    dependencies: Option<&DependencyGraph>,
    engines: &mut Engines<'_>,
    bench: &TrialLimits,
) -> miette::Result<TechniqueRun> {
    if let Some(why) = engines.refusal(kind, parallelism) {
        return Ok(TechniqueRun::Unsupported(why));
    }
    let mut stages = Stages { engines, bench, done: Vec::new() };
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
        TechniqueKind::Ordered(algorithm) => {
            return Err(miette::miette!("the order of `{algorithm}` must be computed before it is run"));
        }
    }
    Ok(TechniqueRun::Ran(stages.done))
}

/// The stages of a trial as they come about.
struct Stages<'a, 'e> {
    engines: &'a mut Engines<'e>,
    bench: &'a TrialLimits,
    done: Vec<Stage>,
}

impl Stages<'_, '_> {
    /// Runs the whole suite within the time that there is. Whether the trial can go on after it is the answer.
    fn run_all(&mut self, purpose: &'static str, parallelism: Parallelism) -> miette::Result<bool> {
        let request = self.request(Selection::All, parallelism, self.engines.policy);
        let run = self.engines.main.run(&request)?;
        Ok(self.push(purpose, self.engines.main.engine(), parallelism, run))
    }

    /// The same for a part of the suite that ran before, by the engine for such runs.
    fn rerun(&mut self, purpose: &'static str, selection: Selection, parallelism: Parallelism) -> miette::Result<bool> {
        let request = self.request(selection, parallelism, self.engines.rerun_policy);
        let session = match self.engines.rerun.as_deref_mut() {
            Some(session) => session,
            None => &mut *self.engines.main,
        };
        let run = session.run(&request)?;
        let engine = session.engine();
        Ok(self.push(purpose, engine, parallelism, run))
    }

    fn request(&self, selection: Selection, parallelism: Parallelism, policy: ProcessPolicy) -> RunRequest {
        RunRequest {
            selection,
            parallelism,
            policy,
            ..RunRequest::sequential(
                &format!("stage-{}", self.next_number()),
                self.bench.resources.clone(),
                self.time_left(),
            )
        }
    }

    fn push(&mut self, purpose: &'static str, engine: EngineKind, parallelism: Parallelism, run: SuiteRun) -> bool {
        let goes_on = run.end == RunEnd::Finished;
        self.done.push(Stage { number: self.next_number(), purpose, machine: 1, engine, parallelism, run });
        goes_on
    }

    fn next_number(&self) -> u32 {
        self.done.len() as u32 + 1
    }

    fn time_left(&self) -> Duration {
        let spent: f64 = self.done.iter().map(|stage| stage.run.cost.wall_seconds).sum();
        self.bench.time_limit.saturating_sub(Duration::try_from_secs_f64(spent).unwrap_or(Duration::MAX))
    }

    /// The tests that fail as of now, or never ran as their class's fixture failed, in original order.
    fn failing(&self) -> Vec<TestId> {
        let set_aside = &self.bench.set_aside;
        let mut failing = LastOutcomes::after(&self.done, set_aside).failing_or_prevented(self.engines.main.tests());
        failing.retain(|test| !set_aside.contains(test));
        failing
    }
}
