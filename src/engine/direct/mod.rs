//! Stands in for the direct engine until its own branch brings it.

use std::rc::Rc;

use miette::miette;

use super::{Capabilities, EngineKind, RunRequest, Session};
use crate::process::Interrupt;
use crate::subject::build::Prepared;
use crate::suite::{SuiteRun, TestId};

#[derive(Debug)]
pub enum DirectSession {}

impl DirectSession {
    pub fn open(_prepared: Rc<Prepared>, _tag: impl Into<String>, _interrupt: Interrupt) -> miette::Result<Self> {
        Err(miette!("this build of parade has no direct engine"))
    }
}

impl Session for DirectSession {
    fn engine(&self) -> EngineKind {
        EngineKind::Direct
    }

    fn tests(&self) -> &[TestId] {
        match *self {}
    }

    fn capabilities(&self) -> &Capabilities {
        match *self {}
    }

    fn run(&mut self, _: &RunRequest) -> miette::Result<SuiteRun> {
        match *self {}
    }
}
