//! The suites of a run whose orders algorithms gave, each with what became of every order on every version.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::{Technique, noted};
use crate::report::analysis::grid::ran_to_its_end;
use crate::stats;
use crate::store::record::{
    ArrangementRecord, Authorship, KnowledgeRecord, Phase, RunData, SubjectRecord, TrialRecord, Verdict,
};
use crate::suite::{Outcome, TestId};
use crate::technique::algorithm::Algorithm;

/// A module's tests, written or generated.
pub struct Suite<'a> {
    pub knowledge: &'a KnowledgeRecord,
    /// In their order; a single one where the experiment names no versions.
    pub versions: Vec<&'a SubjectRecord>,
    pub orders: Vec<EvaluatedOrder<'a>>,
}

/// One order of one algorithm on one version, over its repetitions.
pub struct EvaluatedOrder<'a> {
    pub configuration: &'a str,
    pub arrangement: &'a ArrangementRecord,
    /// From 1 on; nothing where there are no versions.
    pub version: Option<u32>,
    pub trials: Vec<&'a TrialRecord>,
    /// Tests that failed in every repetition.
    pub failing: BTreeSet<&'a TestId>,
}

/// What tells orders of a suite apart.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct OrderKey {
    algorithm: Algorithm,
    machines: u32,
    enhanced: bool,
    version: Option<u32>,
}

/// A row of the study's tables: the written and the generated tests of one module.
pub struct Module<'s, 'a> {
    pub id: &'a str,
    suites: Vec<&'s Suite<'a>>,
}

impl<'s, 'a> Module<'s, 'a> {
    pub fn suite(&self, authorship: Authorship) -> Option<&'s Suite<'a>> {
        self.suites.iter().copied().find(|suite| suite.knowledge.authorship == authorship)
    }

    /// What both kinds of tests share is told of the written ones where there are any.
    pub fn suites(&self) -> impl Iterator<Item = &'s Suite<'a>> {
        self.suites.iter().copied()
    }
}

/// Suites with one label are one module; a second one of the same kind is a module of its own.
pub fn modules<'s, 'a>(suites: &'s [Suite<'a>]) -> Vec<Module<'s, 'a>> {
    let mut modules: Vec<Module<'s, 'a>> = Vec::new();
    for suite in suites {
        let id = suite.id();
        let fits = |module: &&mut Module<'_, '_>| module.id == id && module.suite(suite.knowledge.authorship).is_none();
        match modules.iter_mut().find(fits) {
            Some(module) => module.suites.push(suite),
            None => modules.push(Module { id, suites: vec![suite] }),
        }
    }
    for module in &mut modules {
        module.suites.sort_by_key(|suite| suite.knowledge.authorship);
    }
    modules
}

/// A row for each suite and technique, in the order of the study's tables.
pub fn by_technique<R>(
    suites: &[Suite<'_>],
    techniques: &[Technique],
    row: impl Fn(&Suite<'_>, Technique) -> R,
) -> Vec<R> {
    let mut rows = Vec::new();
    for module in modules(suites) {
        for technique in techniques {
            rows.extend(module.suites().map(|suite| row(suite, *technique)));
        }
    }
    rows
}

impl<'a> Suite<'a> {
    /// Its name in the study's tables.
    pub fn id(&self) -> &'a str {
        self.knowledge.label.as_deref().unwrap_or(&self.knowledge.subject)
    }

    /// Order-dependent tests that are known by any means: random orders, the search for dependencies, evaluated orders.
    pub fn known(&self) -> BTreeSet<&'a TestId> {
        let searched = self.knowledge.dependencies.iter().flat_map(|search| &search.order_dependent);
        let failing = self.orders.iter().flat_map(|order| order.failing.iter().copied());
        self.knowledge.order_dependent.iter().chain(searched).chain(failing).collect()
    }

    pub fn orders_of(&self, technique: Technique) -> impl Iterator<Item = &EvaluatedOrder<'a>> {
        self.orders.iter().filter(move |order| Technique::of(order.arrangement.algorithm) == Some(technique))
    }

    /// Unenhanced and enhanced orders of the same algorithm, machines and version, where both ran.
    pub fn pairs(&self, technique: Technique) -> Vec<(&EvaluatedOrder<'a>, &EvaluatedOrder<'a>)> {
        let plain = self.orders_of(technique).filter(|order| !order.arrangement.enhanced);
        plain.filter_map(|plain| Some((plain, self.enhanced_of(plain)?))).collect()
    }

    fn enhanced_of(&self, plain: &EvaluatedOrder<'a>) -> Option<&EvaluatedOrder<'a>> {
        let wanted = OrderKey { enhanced: true, ..plain.place() };
        self.orders.iter().find(|order| order.place() == wanted)
    }

    pub fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = self.knowledge.notes.iter().map(|note| noted(self.id(), note)).collect();
        let open: Vec<String> = self
            .knowledge
            .dependencies
            .iter()
            .filter(|search| !search.complete)
            .map(|search| configuration_name(search.algorithm, search.machines))
            .collect();
        if !open.is_empty() {
            let text = format!(
                "the search for dependencies ended before all tests passed in the enhanced orders of \
                    {}",
                open.join(", ")
            );
            notes.push(noted(self.id(), &text));
        }
        notes
    }
}

/// `T2`, `P1 on 4 machines`.
pub fn configuration_name(algorithm: Algorithm, machines: u32) -> String {
    if algorithm.is_parallel() { format!("{algorithm} on {machines} machines") } else { algorithm.to_string() }
}

impl EvaluatedOrder<'_> {
    fn place(&self) -> OrderKey {
        OrderKey {
            algorithm: self.arrangement.algorithm,
            machines: self.arrangement.machines,
            enhanced: self.arrangement.enhanced,
            version: self.version,
        }
    }

    /// What the longest machine took, on average over the repetitions that ran to their end.
    pub fn seconds(&self) -> Option<f64> {
        let ended = self.trials.iter().filter(|trial| ran_to_its_end(trial));
        stats::mean(&ended.map(|trial| trial.makespan_seconds).collect::<Vec<_>>())
    }
}

/// Those of which anything is known, in the order of the experiment file.
pub fn suites(run: &RunData) -> Vec<Suite<'_>> {
    let mut knowledge: Vec<&KnowledgeRecord> = run.knowledge.iter().collect();
    let places: HashMap<&str, usize> =
        run.manifest.subjects.iter().enumerate().rev().map(|(at, name)| (unversioned(run, name), at)).collect();
    knowledge.sort_by_key(|record| places.get(record.subject.as_str()).copied().unwrap_or(usize::MAX));
    knowledge.into_iter().map(|record| suite(run, record)).collect()
}

/// The subject of the file that a subject of the run is a version of.
fn unversioned<'a>(run: &'a RunData, name: &'a str) -> &'a str {
    let record = run.subjects.iter().find(|record| record.subject == name);
    record.and_then(|record| record.version.as_ref()).map_or(name, |version| version.of.as_str())
}

fn suite<'a>(run: &'a RunData, knowledge: &'a KnowledgeRecord) -> Suite<'a> {
    let is_version = |record: &&SubjectRecord| match &record.version {
        Some(version) => version.of == knowledge.subject,
        None => record.subject == knowledge.subject,
    };
    let mut versions: Vec<&SubjectRecord> = run.subjects.iter().filter(is_version).collect();
    versions.sort_by_key(|record| record.version.as_ref().map(|version| version.number));
    let numbers: HashMap<&str, Option<u32>> = versions
        .iter()
        .map(|record| (record.subject.as_str(), record.version.as_ref().map(|version| version.number)))
        .collect();
    Suite { knowledge, orders: orders(run, &numbers), versions }
}

/// On the most cores of the run. Where two configurations ask for the same, the first one's trials count.
fn orders<'a>(run: &'a RunData, versions: &HashMap<&str, Option<u32>>) -> Vec<EvaluatedOrder<'a>> {
    let cores = run.manifest.cores.iter().max();
    let mut found: BTreeMap<OrderKey, EvaluatedOrder<'a>> = BTreeMap::new();
    for trial in run.trials.iter().filter(|trial| is_evidence(trial) && Some(&trial.cores) == cores) {
        let Some((arrangement, version)) = trial.arrangement.as_ref().zip(versions.get(trial.subject.as_str())) else {
            continue;
        };
        let order = EvaluatedOrder {
            configuration: &trial.configuration,
            arrangement,
            version: *version,
            trials: Vec::new(),
            failing: BTreeSet::new(),
        };
        let order = found.entry(order.place()).or_insert(order);
        if order.configuration == trial.configuration {
            order.trials.push(trial);
        }
    }
    let consistent = |order: EvaluatedOrder<'a>| EvaluatedOrder { failing: always_failing(&order.trials), ..order };
    found.into_values().map(consistent).collect()
}

/// A trial that never came to its tests says nothing about them.
fn is_evidence(trial: &TrialRecord) -> bool {
    trial.phase == Phase::Measured && trial.verdict.is_completed() && trial.verdict != Verdict::Unsupported
}

fn always_failing<'a>(trials: &[&'a TrialRecord]) -> BTreeSet<&'a TestId> {
    let mut each = trials.iter().map(|trial| failing(trial));
    let first = each.next().unwrap_or_default();
    each.fold(first, |all, next| all.intersection(&next).copied().collect())
}

/// A test that the failed fixture of its class kept from running has failed too.
fn failing(trial: &TrialRecord) -> BTreeSet<&TestId> {
    let failed = trial.residual.iter().filter(|test| test.outcome.is_failure());
    let (fixtures, mut tests): (Vec<&TestId>, BTreeSet<&TestId>) = {
        let (fixtures, tests): (Vec<&TestId>, Vec<&TestId>) =
            failed.map(|residual| &residual.test).partition(|test| test.is_whole_class());
        (fixtures, tests.into_iter().collect())
    };
    let broken: HashSet<(&str, &str)> =
        fixtures.iter().map(|fixture| (fixture.module.as_str(), fixture.class.as_str())).collect();
    let lost = trial.residual.iter().filter(|test| test.outcome == Outcome::NotRun).map(|residual| &residual.test);
    tests.extend(
        lost.filter(|test| enclosing(&test.class).any(|class| broken.contains(&(test.module.as_str(), class)))),
    );
    tests
}

/// A class, and those that it is nested in.
fn enclosing(class: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(class), |inner| inner.rsplit_once('$').map(|(outer, _)| outer))
}
