//! What the first run of a suite revealed: its tests in their order, and what runs them. How that run comes about is the build's
//! matter.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::engine::{Mode, Parallelism};
use crate::maven::{self, Handshake, Harvest, Invoked, KnownTest, Launch};
use crate::suite::{ClassId, Finding, FindingKind, RunEnd, TestId};
use crate::wording::counted;

/// Of what was left out, so many are named.
const NAMED: usize = 5;

/// What the run of the whole suite revealed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Discovery {
    /// In their original order.
    pub tests: Vec<KnownTest>,
    /// One per test goal that ran.
    pub suites: Vec<ModuleSuite>,
    /// What differs from the subject as published, and what else a reader must know of this first run.
    pub findings: Vec<Finding>,
    /// Were the tests seen in a parallel run? Then their order is not the original one.
    #[serde(default)]
    pub scrambled: bool,
}

/// The tests of one module, and what runs them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModuleSuite {
    pub module: String,
    /// `plugin:goal@execution`.
    pub goal: String,
    /// The version of Surefire (or Failsafe).
    pub surefire: String,
    pub providers: Vec<String>,
    /// Versions by `junit`, `jupiter`, `vintage`, `platform`, `testng`.
    pub frameworks: BTreeMap<String, String>,
    /// How its test processes are started, where Surefire told.
    pub launch: Option<Launch>,
    /// Why it did not.
    pub unrevealed: Option<String>,
}

impl Discovery {
    /// With what had to be left out of the suite on record.
    pub(super) fn without_dropped(mut self, dropped: &[String]) -> Self {
        if !dropped.is_empty() {
            let mut names: Vec<String> = dropped.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
            if dropped.len() > NAMED {
                names.push(format!("and {} more", dropped.len() - NAMED));
            }
            let count = counted(dropped.len(), "generated test or class does", "generated tests or classes do");
            let text = format!("{count} not compile on this version and were left out: {}", names.join(", "));
            self.findings.push(Finding::new(FindingKind::Deviation, text));
        }
        self
    }

    /// Has nobody run the suite yet?
    pub fn is_pending(&self) -> bool {
        self.suites.is_empty()
    }

    /// What a run of the whole suite revealed.
    pub fn of(invoked: &Invoked, harvest: &Harvest, parallelism: Parallelism) -> Self {
        let mut findings = harvest.findings.clone();
        findings.extend(incomplete(&harvest.end, &findings));
        // That a fixture fails is seen in every run again; it is no test to expect.
        let fixtures = harvest.executions.iter().filter(|execution| execution.is_failed_fixture());
        let fixtures: HashSet<&TestId> = fixtures.map(|execution| &execution.test).collect();
        let tests = harvest.tests.iter().filter(|test| !fixtures.contains(&test.id)).cloned().collect();
        let suites = invoked.handshake.iter().flat_map(suites).collect();
        let scrambled = parallelism.mode != Mode::Sequential || parallelism.modules.is_some();
        Discovery { tests, suites, findings, scrambled }
    }

    /// Where the subject differs from what was published, or from what was asked for.
    pub(super) fn deviations(&self) -> Vec<Finding> {
        self.findings.iter().filter(|finding| finding.is_of_build()).cloned().collect()
    }

    /// Where the first run did not see the whole suite, no later one can be held against it.
    pub fn gaps(&self) -> impl Iterator<Item = Finding> {
        self.findings.iter().filter(|finding| finding.kind == FindingKind::LostTests).cloned()
    }

    /// For each test, the number of the group of tests that it can meet in a process: one goal runs them in one process. A goal
    /// that takes a new process for every class keeps classes apart.
    pub fn process_groups(&self) -> Vec<usize> {
        let mut numbers: HashMap<(usize, Option<ClassId>), usize> = HashMap::new();
        let mut groups = Vec::new();
        for test in &self.tests {
            let launch = self.suites.get(test.suite).and_then(|suite| suite.launch.as_ref());
            let reuses = launch.is_none_or(|launch| launch.reuse_forks);
            let next = numbers.len();
            groups.push(*numbers.entry((test.suite, (!reuses).then(|| test.id.class_id()))).or_insert(next));
        }
        groups
    }

    pub fn is_complete(&self) -> bool {
        self.gaps().next().is_none()
    }
}

impl ModuleSuite {
    pub(super) fn framework_names(&self) -> Vec<String> {
        let name = |(kind, version): (&String, &String)| match kind.as_str() {
            "junit" => Some(format!("JUnit {version}")),
            "jupiter" => Some(format!("JUnit Jupiter {version}")),
            "vintage" => Some(format!("JUnit Vintage {version}")),
            "testng" => Some(format!("TestNG {version}")),
            _ => None,
        };
        self.frameworks.iter().filter_map(name).collect()
    }
}

/// A first run that did not get to its end has not seen all tests.
fn incomplete(end: &RunEnd, findings: &[Finding]) -> Option<Finding> {
    let why = match end {
        RunEnd::TimedOut => "its time limit was reached",
        RunEnd::Crashed(reason) => reason,
        _ if findings.iter().any(|finding| finding.kind == FindingKind::DeadWorker) => "a worker process died",
        _ => return None,
    };
    let text = format!("the first run of the suite ended early, so some tests may be unknown: {why}");
    Some(Finding::new(FindingKind::LostTests, text))
}

fn suites(handshake: &Handshake) -> Vec<ModuleSuite> {
    let suite = |goal: &maven::Goal| ModuleSuite {
        module: goal.module.clone(),
        goal: goal.goal.clone(),
        surefire: goal.version.clone(),
        providers: goal.providers.clone(),
        frameworks: goal.frameworks.clone(),
        launch: goal.launch.clone(),
        unrevealed: goal.unrevealed.clone(),
    };
    handshake.goals.iter().map(suite).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frameworks_have_the_names_that_people_use() {
        let frameworks = [("junit", "4.13.2"), ("platform", "1.9.0"), ("jupiter", "5.9.0")];
        let suite = ModuleSuite {
            module: String::new(),
            goal: String::new(),
            surefire: String::new(),
            providers: vec![],
            frameworks: frameworks.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
            launch: None,
            unrevealed: None,
        };
        assert_eq!(suite.framework_names(), ["JUnit 4.13.2", "JUnit Jupiter 5.9.0"]);
    }

    #[test]
    fn a_first_run_that_ended_early_has_not_seen_the_suite() {
        let dead = [Finding::new(FindingKind::DeadWorker, "x")];
        let complete = |end: RunEnd, findings: &[Finding]| {
            let findings = incomplete(&end, findings).into_iter().collect();
            Discovery { findings, ..Discovery::default() }.is_complete()
        };
        assert!(complete(RunEnd::Finished, &[]));
        assert!(!complete(RunEnd::Finished, &dead));
        assert!(!complete(RunEnd::TimedOut, &[]));
        assert!(!complete(RunEnd::Crashed("x".into()), &[]));
    }

    #[test]
    fn only_what_differs_from_the_published_subject_is_a_deviation() {
        let kinds =
            [FindingKind::Deviation, FindingKind::UnknownProfile, FindingKind::Disturbance, FindingKind::DeadWorker];
        let findings = kinds.map(|kind| Finding::new(kind, "x")).to_vec();
        let deviations = Discovery { findings: findings.clone(), ..Discovery::default() }.deviations();
        assert_eq!(deviations, findings[..2]);
    }
}
