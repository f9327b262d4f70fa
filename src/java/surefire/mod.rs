//! The faithful engine: the subject's own Maven build, offline, on the state right after its build, observed and steered
//! by parade's extension.
//!
//! Each run is one `mvn` that goes through the phase which runs the tests, as the subject's developers start it. The
//! worktree is restored after each run; what the run had changed outside its build folders is a finding. Of a suite that
//! nobody has run yet, the first run of everything is online and tells which tests there are.

mod limits;
mod modes;

use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use crate::build::{Discovery, Prepared, build_root, settings};
use crate::engine::{Capabilities, EngineKind, Parallelism, RunRequest, Selection, Session, logs};
use crate::maven::seal::SealKey;
use crate::maven::{self, Harvest, Invocation, Invoked, KnownSuite, Limits, Settings, TestSettings};
use crate::process::Interrupt;
use crate::suite::{Cost, Execution, Finding, Observations, RunEnd, SuiteRun, TestId};

/// A prepared subject, ready to run its tests.
#[derive(Debug)]
pub struct SurefireSession {
    prepared: Rc<Prepared>,
    tests: Vec<TestId>,
    capabilities: Capabilities,
    known: KnownSuite,
    interrupt: Interrupt,
    /// What every run's processes are tagged with.
    tag: String,
    /// May something that the next run needs still have to be fetched?
    online: bool,
    /// Are Surefire's own reports of runs of everything kept?
    keeps_reports: bool,
}

impl SurefireSession {
    /// `tag` begins the mark of all processes, so that a resumed run finds those of a killed one.
    pub fn open(prepared: Rc<Prepared>, tag: impl Into<String>, interrupt: Interrupt) -> miette::Result<Self> {
        prepared.snapshot.restore()?;
        let mut session = SurefireSession {
            tests: Vec::new(),
            capabilities: modes::unknown(),
            known: KnownSuite::default(),
            interrupt,
            tag: tag.into(),
            online: prepared.discovery().is_pending(),
            keeps_reports: false,
            prepared,
        };
        if !session.online {
            session.learn();
        }
        Ok(session)
    }

    /// From now on, Surefire's own reports of runs of the whole suite are copied beside their logs.
    pub fn keep_reports(&mut self) {
        self.keeps_reports = true;
    }

    fn copy_reports(&self, request: &RunRequest, invoked: &Invoked) {
        let Some(handshake) = invoked.handshake.as_ref().filter(|_| self.keeps_reports) else { return };
        if request.selection == Selection::All {
            let into = request.resources.logs.join("surefire-reports");
            let kept = maven::keep_reports(handshake, &self.prepared.checkout.root, &into);
            *self.prepared.kept_reports.borrow_mut() = kept;
        }
    }

    /// Of the subject's processes. With larger limits, frameworks grant tests many times the time that they ask for.
    fn environment(&self, request: &RunRequest) -> miette::Result<BTreeMap<String, String>> {
        let declared = &self.prepared.subject.environment;
        if request.policy.larger_limits {
            limits::enlarged(&self.prepared.helper, declared)
        } else {
            Ok(declared.clone())
        }
    }

    /// Takes over what the discovery holds.
    fn learn(&mut self) {
        let discovery = self.prepared.discovery();
        self.tests = discovery.tests.iter().map(|test| test.id.clone()).collect();
        self.capabilities = modes::capabilities(&discovery.suites);
        let declared = &self.prepared.subject.environment;
        self.capabilities.enlarges_limits = limits::enlarged(&self.prepared.helper, declared).is_ok();
        let suites = discovery.suites.iter();
        let goals: Vec<_> = suites.map(|suite| (suite.module.as_str(), suite.goal.as_str())).collect();
        self.known = KnownSuite::new(discovery.tests.clone(), modes::selected_by_class(discovery), &goals);
    }

    /// The first run of a suite that nobody had run: from now on its tests are known.
    fn discover(&mut self, invoked: &Invoked, harvest: &Harvest, parallelism: Parallelism) -> miette::Result<()> {
        let discovery = Discovery::of(invoked, harvest, parallelism);
        self.online = invoked.handshake.as_ref().is_none_or(|handshake| !handshake.unfetched.is_empty());
        // Behind a fixture that failed there may be tests that nobody has seen.
        let saw_all = !harvest.executions.iter().any(Execution::is_failed_fixture);
        if saw_all && !self.online && harvest.end == RunEnd::Finished {
            self.prepared.memory.keep(&discovery)?;
        }
        if !discovery.is_pending() {
            self.prepared.reveal(discovery);
            self.learn();
        }
        Ok(())
    }

    fn invoke(&self, request: &RunRequest, settings: &Settings) -> miette::Result<Invoked> {
        let subject = &self.prepared.subject;
        let resources = &request.resources;
        Invocation {
            toolchain: &self.prepared.toolchain,
            helper: &self.prepared.helper,
            root: &build_root(subject, &self.prepared.checkout)?,
            worktree: &self.prepared.checkout.root,
            repository: self.prepared.repository.folder(),
            folder: &resources.logs.join(logs::safe_label(&request.label)?),
            exchange: &self.prepared.home.exchange(),
            environment: &self.environment(request)?,
            args: &subject.maven_args,
            goals: &[&subject.phase],
            offline: !self.online,
            settings,
            limits: Limits {
                cores: Some(resources.cores),
                memory_bytes: resources.memory_bytes,
                time: request.time_limit,
            },
            // Everything of the same tag ends with the run, so no other run may have it. It tells nothing about the run.
            tag: format!("{}-{}", self.tag, SealKey::random()?.to_hex()),
            user: self.prepared.user.as_ref(),
        }
        .run(&self.interrupt)
    }

    /// What differs from the published subject is told once, with the subject.
    fn is_news(&self, finding: &Finding) -> bool {
        !finding.is_of_build() || !self.prepared.discovery().findings.contains(finding)
    }
}

impl Session for SurefireSession {
    fn engine(&self) -> EngineKind {
        EngineKind::Surefire
    }

    fn tests(&self) -> &[TestId] {
        &self.tests
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn run(&mut self, request: &RunRequest) -> miette::Result<SuiteRun> {
        self.capabilities.check_mode(request.parallelism.mode, &self.prepared.subject.name)?;
        self.capabilities.check_instrumentation(request)?;
        let selected = maven::select(&request.selection, &self.known);
        let is_first = self.prepared.discovery().is_pending() && request.selection == Selection::All;
        let tests = TestSettings {
            parallelism: request.parallelism,
            cores: request.resources.cores,
            selection: selected.patterns,
            fetch_providers: is_first,
            reveal: is_first,
        };
        let settings = Settings { tests: Some(tests), ..settings(&self.prepared.subject, &self.prepared.toolchain) };

        let meanwhile = self.prepared.before_run()?;
        let invoked = self.invoke(request, &settings)?;
        if self.online {
            self.prepared.repository.seal()?;
        }
        let harvest = maven::harvest(&invoked, &self.known.tests)?;
        if is_first {
            self.discover(&invoked, &harvest, request.parallelism)?;
        }
        self.copy_reports(request, &invoked);
        let changes = self.prepared.worktree.after_run(&self.prepared.snapshot)?;

        let mut findings = selected.findings;
        findings.extend(self.prepared.discovery().gaps());
        findings.extend(harvest.findings.into_iter().filter(|finding| self.is_news(finding)));
        findings.extend(changes.dirty());
        findings.extend(meanwhile.made_meanwhile());
        let mut seen = HashSet::new();
        findings.retain(|finding| seen.insert((finding.kind as u8, finding.text.clone())));
        Ok(SuiteRun {
            executions: harvest.executions,
            cost: Cost { jvm: harvest.jvm, ..invoked.ended.cost },
            end: harvest.end,
            granularity: selected.granularity,
            findings,
            seen: Observations::default(),
        })
    }
}
