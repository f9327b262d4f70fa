//! A session that keeps the logs of those runs only in which a process broke down: there are hundreds of the others.

use crate::engine::{Capabilities, EngineKind, RunRequest, Session};
use crate::suite::{FindingKind, SuiteRun, TestId};

pub(super) struct Tidy<'a> {
    pub inner: &'a mut dyn Session,
}

impl Session for Tidy<'_> {
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
        if !run.findings.iter().any(|finding| finding.kind == FindingKind::DeadWorker) {
            // What stays behind is only room on the disk.
            let _ = std::fs::remove_dir_all(request.allotment.logs.join(&request.label));
        }
        Ok(run)
    }
}
