//! What a run tells whoever watches it.

use std::cell::RefCell;
use std::path::Path;

use crate::experiment::Trial;
use crate::store::record::{KnowledgeRecord, Phase, SubjectRecord, TrialRecord};
use crate::subject::Progress;

#[derive(Debug)]
pub enum Event<'a> {
    Started {
        folder: &'a Path,
        /// `None` where it is decided on the way what is run.
        planned: Option<usize>,
        done: usize,
    },
    Preparing {
        subject: &'a str,
    },
    /// What the preparation is doing now, e.g. `cloning`, `building`.
    Stage {
        text: &'a str,
    },
    /// How far it is; a total of 0 means that nobody knows.
    Progress {
        done: u64,
        total: u64,
    },
    Prepared {
        subject: &'a SubjectRecord,
    },
    /// What was found out about a subject before its orders are evaluated.
    Learnt {
        knowledge: &'a KnowledgeRecord,
    },
    TrialStarted {
        trial: &'a Trial,
        phase: Phase,
        /// Trials that ended before this one.
        done: usize,
        /// `None` where it is decided on the way what is run.
        planned: Option<usize>,
        seconds_left: Option<f64>,
        /// How many tests it will run, where that is known.
        tests: Option<usize>,
    },
    TrialEnded {
        record: &'a TrialRecord,
    },
    Note(String),
}

pub trait Watcher {
    fn event(&mut self, event: &Event<'_>);
}

/// Passes on what fetching and building tell.
pub struct WatcherProgress<'a, 'w>(pub &'a RefCell<&'w mut dyn Watcher>);

impl Progress for WatcherProgress<'_, '_> {
    fn stage(&self, text: &str) {
        self.0.borrow_mut().event(&Event::Stage { text });
    }

    fn at(&self, done: u64, total: u64) {
        self.0.borrow_mut().event(&Event::Progress { done, total });
    }
}
