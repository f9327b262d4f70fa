//! A scripted suite as a project: nothing to build, and every engine is the model.

use std::collections::HashSet;
use std::path::Path;

use super::{AdoptionFacts, OpenRequest, Project, ToolFacts};
use crate::bad_usage::BadUsage;
use crate::engine::model::{ModelSession, ModelSuite};
use crate::engine::{EngineKind, Session};
use crate::subject::{self, Checkout};
use crate::suite::{ClassId, TestId};
use crate::toml_file::Mistakes;

pub struct ModelProject {
    pub suite: ModelSuite,
    revision: String,
    seed: u64,
}

impl ModelProject {
    pub(super) fn open(request: &OpenRequest<'_>, path: &Path) -> miette::Result<Self> {
        let stop = || request.interrupt.is_set();
        let revision = subject::resolve(&request.subject.origin, request.home, request.progress, &stop)?;
        let suite = ModelSuite::load(path).map_err(|error| match error.is::<Mistakes>() {
            true => error,
            false => BadUsage { message: error.to_string(), help: "give the path of a model suite".to_owned() }.into(),
        })?;
        Ok(ModelProject { suite, revision, seed: request.seed })
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
        self.suite.tests.iter().map(|test| test.id.clone()).collect()
    }

    fn adoption(&self) -> AdoptionFacts {
        AdoptionFacts::of_model()
    }

    fn declared_orders(&self) -> HashSet<ClassId> {
        self.suite.declared_orders()
    }

    fn model(&self) -> Option<&ModelSuite> {
        Some(&self.suite)
    }

    fn session(&self, _: EngineKind) -> miette::Result<Box<dyn Session>> {
        Ok(Box::new(ModelSession::new(self.suite.clone(), self.seed)))
    }
}
