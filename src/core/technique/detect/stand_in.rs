//! A model suite that tests of the search change: what it can do, and how its tests end.

use crate::engine::model::{ModelSession, ModelSuite};
use crate::engine::{Capabilities, EngineKind, Isolation, RunRequest, Session};
use crate::suite::{SuiteRun, TestId};

pub(super) struct StandIn<F> {
    model: ModelSession,
    capabilities: Capabilities,
    at_once: usize,
    /// What becomes of a run that was asked for.
    tamper: F,
}

impl<F: Fn(&RunRequest, &mut SuiteRun)> StandIn<F> {
    /// It has a process that stays, too.
    pub fn new(toml: &str, tamper: F) -> Self {
        let model = ModelSession::new(ModelSuite::parse(toml).unwrap(), 1);
        let mut capabilities = model.capabilities().clone();
        capabilities.isolations.push(Isolation::Warm);
        StandIn { model, capabilities, at_once: 1, tamper }
    }

    /// Runs that can go on side by side.
    pub fn at_once(self, at_once: usize) -> Self {
        StandIn { at_once, ..self }
    }
}

impl<F: Fn(&RunRequest, &mut SuiteRun)> Session for StandIn<F> {
    fn engine(&self) -> EngineKind {
        EngineKind::Model
    }

    fn tests(&self) -> &[TestId] {
        self.model.tests()
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn run(&mut self, request: &RunRequest) -> miette::Result<SuiteRun> {
        let mut run = self.model.run(request)?;
        (self.tamper)(request, &mut run);
        Ok(run)
    }

    fn side_by_side(&self) -> usize {
        self.at_once
    }
}
