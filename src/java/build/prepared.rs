//! A subject that is built: where it lies, what built it, and what its first run revealed.

use std::cell::{OnceCell, RefCell};

use super::record::Memory;
use super::{Discovery, ModuleSuite, build_root, why_replaced};
use crate::home::Home;
use crate::maven::{self, Helper};
use crate::process::Account;
use crate::project::KeptReports;
use crate::spec::Subject;
use crate::subject::{Changes, Checkout, Cleanliness, Snapshot};
use crate::suite::{Finding, FindingKind};
use crate::{SealedRepository, Toolchain};

/// A subject that is built and known, with its worktree as the build left it.
#[derive(Debug)]
pub struct Prepared {
    pub subject: Subject,
    pub checkout: Checkout,
    pub toolchain: Toolchain,
    pub helper: Helper,
    /// Parade's cache folder.
    pub home: Home,
    /// The subject's own Maven repository, with everything that it needs.
    pub repository: SealedRepository,
    /// Who its processes run as, where that is not parade's own user.
    pub user: Option<Account>,
    pub snapshot: Snapshot,
    /// Shared by all engines that run on this worktree.
    pub worktree: Cleanliness,
    /// Filled as soon as a run has shown which tests there are.
    pub(super) revealed: OnceCell<Discovery>,
    /// Surefire's own reports of the last run of everything, where somebody wants them.
    pub kept_reports: RefCell<KeptReports>,
    /// Where what a later run reveals is kept.
    pub memory: Memory,
    /// Why it was not built with the Maven that the project asks for.
    pub maven_note: Option<String>,
}

static NOTHING_REVEALED: Discovery =
    Discovery { tests: Vec::new(), suites: Vec::new(), findings: Vec::new(), scrambled: false };

impl Prepared {
    /// What the first run of the suite revealed; nothing before it.
    pub fn discovery(&self) -> &Discovery {
        self.revealed.get().unwrap_or(&NOTHING_REVEALED)
    }

    pub(crate) fn discovery_mut(&mut self) -> Option<&mut Discovery> {
        self.revealed.get_mut()
    }

    /// The first run tells which tests there are. Later ones cannot tell otherwise.
    pub(crate) fn reveal(&self, discovery: Discovery) {
        let _ = self.revealed.set(discovery);
    }

    /// Before every run: the worktree is as the build left it, the artifacts are as they were downloaded, and parade's helper is as
    /// it was built.
    /// Tells what had to be put right in the worktree though nothing of this subject had run.
    pub fn before_run(&self) -> miette::Result<Changes> {
        self.repository.verify()?;
        SealedRepository::of_helper(&self.home, &self.helper.hash).verify()?;
        self.worktree.before_run(&self.snapshot)
    }

    /// As people write them, e.g. `JUnit 4.13.2`.
    pub fn frameworks(&self) -> Vec<String> {
        let mut names: Vec<String> = self.discovery().suites.iter().flat_map(ModuleSuite::framework_names).collect();
        names.sort();
        names.dedup();
        names
    }

    /// The modules that have tests.
    pub fn modules(&self) -> Vec<String> {
        let mut modules: Vec<String> = self.discovery().tests.iter().map(|test| test.id.module.clone()).collect();
        modules.sort();
        modules.dedup();
        modules
    }

    pub fn classes(&self) -> usize {
        let classes: std::collections::HashSet<_> =
            self.discovery().tests.iter().map(|test| (&test.id.module, &test.id.class)).collect();
        classes.len()
    }

    pub fn deviations(&self) -> Vec<Finding> {
        let maven = self.maven_note.iter().map(|note| Finding::new(FindingKind::Deviation, note));
        let maven = maven.chain(self.left_out());
        maven.chain(self.discovery().deviations().into_iter().map(|deviation| self.explained(deviation))).collect()
    }

    /// Options of the project that keep tests from ever being found.
    fn left_out(&self) -> Vec<Finding> {
        let root = build_root(&self.subject, &self.checkout);
        let Ok(base) = root.and_then(|root| maven::base_folder(&root, &self.checkout.root)) else { return Vec::new() };
        let texts = maven::chosen_tests(&base).into_iter();
        texts.map(|text| Finding::new(FindingKind::Deviation, text)).collect()
    }

    /// A changed version is told with its reason.
    fn explained(&self, mut deviation: Finding) -> Finding {
        let is_version =
            ["maven-surefire-plugin ", "maven-failsafe-plugin "].iter().any(|name| deviation.text.contains(name));
        if is_version && deviation.text.contains(" replaced by ") {
            deviation.text.push_str(&format!(" ({})", why_replaced(&self.subject.surefire)));
        }
        deviation
    }
}
