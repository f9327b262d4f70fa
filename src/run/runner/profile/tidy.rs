//! A session that keeps the logs of those runs only in which a process broke down. It runs one order after the other, so that what
//! each takes is its own.

use crate::engine::{Capabilities, EngineKind, RunRequest, Session, logs};
use crate::suite::{SuiteRun, TestId};

pub(super) struct LogTidyingSession<'a> {
    pub inner: &'a mut dyn Session,
}

impl Session for LogTidyingSession<'_> {
    fn engine(&self) -> EngineKind {
        self.inner.engine()
    }

    fn tests(&self) -> &[TestId] {
        self.inner.tests()
    }

    fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }

    fn run(&mut self, request: &RunRequest) -> miette::Result<SuiteRun> {
        let run = self.inner.run(request)?;
        logs::keep_of_breakdowns_only(request, &run);
        Ok(run)
    }
}
