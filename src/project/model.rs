//! A scripted suite as a project: nothing to build, and every engine is the model.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::{OpenRequest, Project, ToolFacts};
use crate::engine::model::{ModelSession, ModelSuite};
use crate::engine::{EngineKind, Session};
use crate::subject::{self, Checkout};
use crate::suite::{Change, ClassId, TestId};

pub struct ModelProject {
    pub suite: ModelSuite,
    path: PathBuf,
    revision: String,
    seed: u64,
}

impl ModelProject {
    pub(super) fn open(request: &OpenRequest<'_>, path: &Path) -> miette::Result<Self> {
        let stop = || request.interrupt.is_set();
        let revision = subject::resolve(&request.subject.origin, request.home, request.progress, &stop)?;
        let suite = ModelSuite::load(path)?;
        Ok(ModelProject { suite, path: path.to_owned(), revision, seed: request.seed })
    }

    fn model_session(&self) -> ModelSession {
        ModelSession::new(self.suite.clone(), self.seed)
    }
}

impl Project for ModelProject {
    fn revision(&self) -> &str {
        &self.revision
    }

    fn checkout(&self) -> Option<&Checkout> {
        None
    }

    fn tools(&self) -> ToolFacts {
        ToolFacts::new()
    }

    fn tools_in_words(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn frameworks(&self) -> Vec<String> {
        vec!["model".to_owned()]
    }

    fn tests(&self) -> Vec<TestId> {
        self.model_session().tests().to_vec()
    }

    fn declared_orders(&self) -> HashSet<ClassId> {
        self.model_session().declared_orders()
    }

    fn runs_for_real(&self) -> bool {
        false
    }

    fn declared_change(&self) -> Option<Change> {
        self.suite.changes.clone()
    }

    fn session(&self, _: EngineKind) -> miette::Result<Box<dyn Session>> {
        Ok(Box::new(self.model_session()))
    }

    fn source_folders(&self) -> Vec<PathBuf> {
        debug_assert!(self.path.is_absolute() || !self.path.as_os_str().is_empty());
        Vec::new()
    }
}
