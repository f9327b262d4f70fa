//! A project built for a command of its own, outside any run: on the JDK that is asked for, else on the newest that builds it; of
//! its other revisions nothing stays. Runs of experiments pin revision and JDK, and keep more of what failed.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::build::{BuildOutcome, DiscoveryTime, Preparation, Prepared};
use super::{Progress, choice, resolve, tools_with, worktree};
use crate::experiment::{Origin, Subject};
use crate::home::Home;
use crate::maven;
use crate::process::Interrupt;

/// What it takes to build a project.
pub struct BuildOrder<'a> {
    pub subject: &'a Subject,
    pub home: &'a Home,
    pub timeout: Duration,
    /// For set-up commands, build and discovery: the same as for the runs that follow.
    pub memory_bytes: Option<u64>,
    /// When the suite runs for the first time.
    pub discovery: DiscoveryTime,
    pub progress: &'a dyn Progress,
    pub interrupt: &'a Interrupt,
    /// Begins the mark of all processes.
    pub tag: &'a str,
}

/// A project that was built, or why it was not.
pub enum Built {
    Ready {
        prepared: Box<Prepared>,
        /// The JDK's version, and why it is this one.
        jdk: String,
    },
    Failed {
        reason: String,
        log: PathBuf,
    },
}

impl BuildOrder<'_> {
    /// A person looks for a mistake in the project, not in parade's copy of it. What the build wrote is only in the copy.
    fn with_own_paths(&self, reason: &str) -> String {
        let copies = self.home.worktrees();
        let copies = copies.canonicalize().unwrap_or(copies);
        let project = match &self.subject.origin {
            Origin::Folder { path } => Some(path.as_path()),
            Origin::Git { .. } | Origin::Model { .. } => None,
        };
        let is_own = |below: &Path| {
            !maven::is_in_build_folder(below) && project.is_none_or(|project| project.join(below).exists())
        };
        maven::with_own_paths(reason, &copies, project, &is_own)
    }

    /// At a revision that [`resolve`] gave, else at the one that the origin has now. That a tool is missing is said before
    /// anything is fetched.
    pub fn build(&self, known: Option<&str>) -> miette::Result<Built> {
        let tools = tools_with(self.subject.maven.as_deref())?;
        let newest = tools.toolchain(self.subject.jdk.as_ref())?;
        let revision = match known {
            Some(revision) => revision.to_owned(),
            None => resolve(&self.subject.origin, self.home, self.progress, &|| self.interrupt.is_set())?,
        };
        let preparation = Preparation {
            subject: self.subject,
            revision: &revision,
            toolchain: &newest,
            home: self.home,
            build_timeout: self.timeout,
            memory_bytes: self.memory_bytes,
            progress: self.progress,
            interrupt: self.interrupt,
            tag: self.tag,
            discovery: self.discovery,
        };
        let chosen = choice::prepare(&preparation, &tools, None)?;
        Ok(match chosen.outcome {
            BuildOutcome::Ready(prepared) => {
                worktree::forget_others(&self.subject.name, &revision, self.home)?;
                let jdk = format!("{} ({})", prepared.toolchain.java_version, chosen.why);
                Built::Ready { prepared, jdk }
            }
            BuildOutcome::Failed { reason, log, .. } => Built::Failed { reason: self.with_own_paths(&reason), log },
            BuildOutcome::Interrupted => Built::Failed { reason: "interrupted".to_owned(), log: PathBuf::new() },
        })
    }
}
