//! Dependencies between tests, as detection writes them and techniques take them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;

use miette::miette;
use petgraph::graph::{DiGraph, NodeIndex};
use serde::{Deserialize, Serialize};

use super::circles::{self, Constraints, Why};
use super::{Precedence, Separation, TestId, Turn};
use crate::wording::plural;

/// The dependency file: version 1.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DependencyFile {
    version: u32,
    /// Are the groups of `after` sequences?
    #[serde(default)]
    ordered: bool,
    /// Tests that may depend on more than the file says.
    #[serde(default)]
    incomplete: BTreeSet<TestId>,
    #[serde(default, rename = "dependency")]
    dependencies: Vec<Dependency>,
    #[serde(default, rename = "conflict")]
    conflicts: Vec<Conflict>,
}

impl DependencyFile {
    fn read(text: &str) -> miette::Result<Self> {
        let file: DependencyFile = toml::from_str(text).map_err(|error| miette!("not a dependency file: {error}"))?;
        if file.version != 1 {
            return Err(miette!("version {} is not known; this parade reads version 1", file.version));
        }
        file.dependencies.iter().try_for_each(Dependency::refuse_empty_groups)?;
        file.conflicts.iter().try_for_each(Conflict::check)?;
        Ok(file)
    }

    /// All that it names.
    fn tests(&self) -> impl Iterator<Item = &TestId> {
        let apart = self.conflicts.iter().flat_map(Conflict::tests);
        self.dependencies.iter().flat_map(Dependency::tests).chain(apart).chain(&self.incomplete)
    }

    /// What is left of it in a suite that lacks some tests.
    fn within(mut self, suite: &HashSet<&TestId>) -> Self {
        self.dependencies = self.dependencies.iter().filter_map(|dependency| dependency.within(suite)).collect();
        self.conflicts = self.conflicts.iter().filter_map(|conflict| conflict.within(suite)).collect();
        self.incomplete.retain(|test| suite.contains(test));
        self
    }
}

/// What one test needs of, and cannot stand about, those before it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dependency {
    pub test: TestId,
    /// Any one group, all of it, must have run before.
    #[serde(default)]
    pub after: Vec<Vec<TestId>>,
    /// No group may have run before, unless a cleaner ran between.
    #[serde(default)]
    pub not_after: Vec<Vec<TestId>>,
    #[serde(default)]
    pub cleaners: Vec<TestId>,
}

impl Dependency {
    /// What is left of it in a suite that lacks some tests. Of what has to run before, the rest still has to; what is gone
    /// pollutes nothing.
    pub fn within(&self, suite: &HashSet<&TestId>) -> Option<Dependency> {
        let present = |test: &TestId| suite.contains(test);
        let rest =
            |group: &Vec<TestId>| -> Vec<TestId> { group.iter().filter(|test| present(test)).cloned().collect() };
        let whole = |group: &&Vec<TestId>| group.iter().all(present);
        let kept = Dependency {
            test: self.test.clone(),
            after: self.after.iter().map(rest).filter(|group| !group.is_empty()).collect(),
            not_after: self.not_after.iter().filter(whole).cloned().collect(),
            cleaners: rest(&self.cleaners),
        };
        let says_something = !kept.after.is_empty() || !kept.not_after.is_empty();
        (present(&self.test) && says_something).then_some(kept)
    }

    fn refuse_empty_groups(&self) -> miette::Result<()> {
        match self.after.iter().chain(&self.not_after).any(Vec::is_empty) {
            true => Err(miette!(
                help = "name the tests of the group, e.g. `after = [[\"a.A#x\"]]`, or leave the key out",
                "the dependencies of `{}` have a group without tests",
                self.test
            )),
            false => Ok(()),
        }
    }

    /// All that it names.
    fn tests(&self) -> impl Iterator<Item = &TestId> {
        let groups = self.after.iter().chain(&self.not_after).flatten();
        groups.chain(&self.cleaners).chain([&self.test])
    }
}

/// Tests that break each other, so that no order of theirs alone is right: a cleaner has to run between, or they run on
/// different machines.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conflict {
    pub tests: Vec<TestId>,
    /// Which of them fail after all of the others; without any, each fails after each other one.
    #[serde(default)]
    pub victims: Vec<TestId>,
    #[serde(default)]
    pub cleaners: Vec<TestId>,
}

impl Conflict {
    fn check(&self) -> miette::Result<()> {
        if self.tests.iter().collect::<BTreeSet<_>>().len() < 2 {
            return Err(miette!(
                help = "name the tests that break each other, e.g. `tests = [\"a.A#x\", \"b.B#y\"]`",
                "a [[conflict]] has fewer than two tests"
            ));
        }
        match self.victims.iter().find(|victim| !self.tests.contains(victim)) {
            Some(stranger) => Err(miette!(
                help = "`victims` are those of `tests` that fail after the others",
                "a [[conflict]] has the victim `{stranger}`, which is not one of its tests"
            )),
            None => Ok(()),
        }
    }

    /// All that it names.
    fn tests(&self) -> impl Iterator<Item = &TestId> {
        self.tests.iter().chain(&self.cleaners)
    }

    /// What is left of it in a suite that lacks some tests: what is gone breaks nothing.
    fn within(&self, suite: &HashSet<&TestId>) -> Option<Conflict> {
        let rest =
            |tests: &[TestId]| -> Vec<TestId> { tests.iter().filter(|test| suite.contains(test)).cloned().collect() };
        let kept = Conflict { tests: rest(&self.tests), victims: rest(&self.victims), cleaners: rest(&self.cleaners) };
        let is_whole = kept.tests.len() == self.tests.len() || self.victims.is_empty();
        (is_whole && kept.check().is_ok()).then_some(kept)
    }

    /// A victim and what breaks it.
    fn breakages(&self) -> Vec<(&TestId, Vec<&TestId>)> {
        let others = |victim: &TestId| self.tests.iter().filter(|test| *test != victim).collect::<Vec<_>>();
        if self.victims.is_empty() {
            let each = |victim| others(victim).into_iter().map(move |polluter| (victim, vec![polluter]));
            return self.tests.iter().flat_map(each).collect();
        }
        self.victims.iter().map(|victim| (victim, others(victim))).collect()
    }
}

/// Two tests of a sequence that a third one needs.
#[derive(Debug, Clone, PartialEq)]
struct Step {
    earlier: TestId,
    later: TestId,
    owner: TestId,
}

/// The dependencies of a suite, every test of which exists.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DependencyGraph {
    original: HashMap<TestId, usize>,
    dependencies: BTreeMap<TestId, Dependency>,
    conflicts: Vec<Conflict>,
    /// Of groups that are sequences, what closes no circle.
    steps: Vec<Step>,
    /// Tests that need a sequence which other dependencies contradict.
    disordered: BTreeSet<TestId>,
    incomplete: BTreeSet<TestId>,
}

impl DependencyGraph {
    /// Reads a dependency file for a suite in its original order.
    pub fn load(path: &Path, suite: &[TestId]) -> miette::Result<Self> {
        let text = crate::whole_file::read(path)?;
        Self::parse(&text, |_| suite.to_vec()).map_err(|error| in_file(path, &error))
    }

    /// Only by position, for a suite of a million tests: what the file does not name is not looked at.
    pub fn load_precedence(path: &Path, suite: &[TestId]) -> miette::Result<Precedence> {
        let text = crate::whole_file::read(path)?;
        let mut places = Vec::new();
        let graph = Self::parse(&text, |named| {
            let named: HashSet<&TestId> = named.iter().copied().collect();
            places = (0..suite.len()).filter(|place| named.contains(&suite[*place])).collect();
            places.iter().map(|place| suite[*place].clone()).collect()
        });
        Ok(graph.map_err(|error| in_file(path, &error))?.precedence().placed(&places, suite.len()))
    }

    /// The same for a suite that may lack tests of the file: they are left out.
    pub fn load_present(path: &Path, suite: &[TestId]) -> miette::Result<Self> {
        let text = crate::whole_file::read(path)?;
        let present: HashSet<&TestId> = suite.iter().collect();
        let file = DependencyFile::read(&text).map_err(|error| in_file(path, &error))?;
        Self::of(file.within(&present), suite).map_err(|error| in_file(path, &error))
    }

    /// An error where a file is wrong whatever its suite is: before a suite is built, which can take long.
    pub fn check(path: &Path) -> miette::Result<()> {
        let text = crate::whole_file::read(path)?;
        Self::check_text(&text).map_err(|error| in_file(path, &error))
    }

    fn check_text(text: &str) -> miette::Result<()> {
        let mut file = DependencyFile::read(text)?;
        let suite: BTreeSet<TestId> = file.tests().cloned().collect();
        for dependency in &mut file.dependencies {
            // Which of several groups counts, and who is the last of one, only the original order says.
            if dependency.after.len() > 1 {
                dependency.after.clear();
            }
            dependency.not_after.retain(|group| group.len() == 1);
        }
        Self::new(file.dependencies, &suite.into_iter().collect::<Vec<_>>()).map(|_| ())
    }

    /// By test.
    pub fn dependencies(&self) -> impl Iterator<Item = &Dependency> {
        self.dependencies.values()
    }

    /// Tests that may depend on more than is known.
    pub fn incomplete(&self) -> &BTreeSet<TestId> {
        &self.incomplete
    }

    /// Tests that need a sequence of others which no order can have.
    pub fn disordered(&self) -> &BTreeSet<TestId> {
        &self.disordered
    }

    /// The suite is asked for once all tests are known that the file names.
    pub fn parse(text: &str, suite: impl FnOnce(&[&TestId]) -> Vec<TestId>) -> miette::Result<Self> {
        let file = DependencyFile::read(text)?;
        let suite = suite(&file.tests().collect::<Vec<_>>());
        Self::of(file, &suite)
    }

    fn of(file: DependencyFile, suite: &[TestId]) -> miette::Result<Self> {
        let known: HashSet<&TestId> = suite.iter().collect();
        refuse_unknown(file.tests().filter(|test| !known.contains(test)))?;
        let mut graph = Self::new(file.dependencies, suite)?;
        (graph.conflicts, graph.incomplete) = (file.conflicts, file.incomplete);
        if file.ordered {
            graph.keep_sequences();
        }
        Ok(graph)
    }

    /// The dependencies of a suite, in which no test is unknown, none is given twice and nothing goes round in a circle.
    pub fn new(dependencies: Vec<Dependency>, suite: &[TestId]) -> miette::Result<Self> {
        let original: HashMap<_, _> = suite.iter().cloned().zip(0..).collect();
        let named = dependencies.iter().flat_map(Dependency::tests);
        refuse_unknown(named.filter(|test| !original.contains_key(*test)))?;
        let mut graph = DependencyGraph { original, ..DependencyGraph::default() };
        for dependency in dependencies {
            let test = dependency.test.clone();
            if graph.dependencies.insert(test.clone(), dependency).is_some() {
                return Err(miette!(
                    help = "write everything about one test into one [[dependency]]",
                    "`{test}` has two [[dependency]] tables"
                ));
            }
        }
        circles::refuse(&graph.constraints(&graph.named()))?;
        Ok(graph)
    }

    /// The rest of the suite is in no circle, and can be large.
    fn named(&self) -> BTreeSet<TestId> {
        self.dependencies.values().flat_map(Dependency::tests).cloned().collect()
    }

    /// Takes the groups that tests need for sequences. Those that would close a circle are given up: the group is still needed.
    fn keep_sequences(&mut self) {
        let pairs = |test: &TestId| {
            let pair = |pair: &[TestId]| Step { earlier: pair[0].clone(), later: pair[1].clone(), owner: test.clone() };
            self.prerequisites(test).windows(2).map(pair).collect::<Vec<_>>()
        };
        self.steps = self.dependencies.keys().flat_map(pairs).collect();
        let named = self.named();
        let circle: HashMap<TestId, usize> = {
            let numbered = circles::numbered(&self.constraints(&named));
            numbered.into_iter().map(|(test, number)| (test.clone(), number)).collect()
        };
        let goes_round = |step: &Step| {
            let ends = [&step.earlier, &step.later].map(|test| circle.get(test));
            ends[0].is_some() && ends[0] == ends[1]
        };
        let (given_up, kept) = std::mem::take(&mut self.steps).into_iter().partition(goes_round);
        self.steps = kept;
        let given_up: Vec<Step> = given_up;
        self.disordered = given_up.into_iter().map(|step| step.owner).collect();
    }

    /// The group of prerequisites that is complete first in the original order.
    pub fn prerequisites(&self, test: &TestId) -> &[TestId] {
        let Some(dependency) = self.dependencies.get(test) else { return &[] };
        let completed_at = |group: &&Vec<TestId>| group.iter().map(|test| self.original.get(test).copied()).max();
        dependency.after.iter().min_by_key(completed_at).map_or(&[], Vec::as_slice)
    }

    /// One test of every group that must not have run before: the group does no harm as long as its last one in the original
    /// order is still to come.
    pub fn polluters(&self, test: &TestId) -> impl Iterator<Item = &TestId> {
        let groups = self.dependencies.get(test).into_iter().flat_map(|dependency| &dependency.not_after);
        groups.filter_map(|group| group.iter().max_by_key(|member| self.original.get(*member)))
    }

    /// The same dependencies by position in the original order.
    pub fn precedence(&self) -> Precedence {
        let (mut positive, mut negative) = (Vec::new(), Vec::new());
        for test in self.dependencies.keys() {
            let pairs = |others: &mut dyn Iterator<Item = &TestId>| -> Vec<(usize, usize)> {
                let positions = others.map(|other| Some((*self.original.get(other)?, *self.original.get(test)?)));
                positions.flatten().collect()
            };
            positive.extend(pairs(&mut self.prerequisites(test).iter()));
            negative.extend(pairs(&mut self.polluters(test)));
        }
        let turn = |step: &Step| {
            let [earlier, later, owner] = [&step.earlier, &step.later, &step.owner].map(|test| self.place(test));
            Some((later?, Turn { earlier: earlier?, owner: owner? }))
        };
        Precedence::of(self.original.len(), positive, negative)
            .with_turns(self.steps.iter().filter_map(turn))
            .with_separations(self.conflicts.iter().flat_map(|conflict| self.separations(conflict)).collect())
    }

    fn place(&self, test: &TestId) -> Option<usize> {
        self.original.get(test).copied()
    }

    fn separations(&self, conflict: &Conflict) -> Vec<Separation> {
        let places = |tests: &mut dyn Iterator<Item = &TestId>| -> Vec<usize> {
            tests.filter_map(|test| self.place(test)).collect()
        };
        let mut cleaners = places(&mut conflict.cleaners.iter());
        cleaners.sort_unstable();
        let of = |(victim, polluters): (&TestId, Vec<&TestId>)| {
            let polluters = places(&mut polluters.into_iter());
            Some(Separation { victim: self.place(victim)?, polluters, cleaners: cleaners.clone() })
        };
        conflict.breakages().into_iter().filter_map(of).collect()
    }

    /// The given tests and, transitively, everything that they need.
    pub fn closure(&self, tests: &[TestId]) -> BTreeSet<TestId> {
        let mut closure = BTreeSet::new();
        let mut open = tests.to_vec();
        while let Some(test) = open.pop() {
            if !closure.contains(&test) {
                open.extend(self.prerequisites(&test).iter().cloned());
                closure.insert(test);
            }
        }
        closure
    }

    /// Sorts so that every test comes after what it needs and before what would break it; among those that are free, the
    /// original order decides.
    pub fn sort(&self, tests: &BTreeSet<TestId>) -> Vec<TestId> {
        let graph = self.constraints(tests);
        let mut waiting: HashMap<NodeIndex, usize> = graph
            .node_indices()
            .map(|node| (node, graph.neighbors_directed(node, petgraph::Incoming).count()))
            .collect();
        let position = |node: NodeIndex| self.original.get(graph[node]).copied().unwrap_or(usize::MAX);
        let mut free: BTreeSet<(usize, NodeIndex)> =
            waiting.iter().filter(|(_, count)| **count == 0).map(|(node, _)| (position(*node), *node)).collect();
        let mut sorted = Vec::with_capacity(tests.len());
        while let Some((_, node)) = free.pop_first() {
            sorted.push(graph[node].clone());
            for next in graph.neighbors(node) {
                if let Some(count) = waiting.get_mut(&next) {
                    *count -= 1;
                    if *count == 0 {
                        free.insert((position(next), next));
                    }
                }
            }
        }
        sorted
    }

    fn constraints<'a>(&'a self, tests: &'a BTreeSet<TestId>) -> Constraints<'a> {
        let mut graph = DiGraph::new();
        let nodes: HashMap<_, _> = tests.iter().map(|test| (test, graph.add_node(test))).collect();
        for (test, node) in tests.iter().filter_map(|test| Some((test, nodes.get(test)?))) {
            for needed in self.prerequisites(test).iter().filter_map(|needed| nodes.get(needed)) {
                graph.add_edge(*needed, *node, Why::Needed);
            }
            for polluter in self.polluters(test).filter_map(|polluter| nodes.get(polluter)) {
                graph.add_edge(*node, *polluter, Why::Broken);
            }
        }
        for Step { earlier, later, owner } in &self.steps {
            if let (Some(earlier), Some(later), true) = (nodes.get(earlier), nodes.get(later), tests.contains(owner)) {
                graph.add_edge(*earlier, *later, Why::Sequence);
            }
        }
        graph
    }
}

/// Tests that are named in an error; of more only the number is told.
const NAMED: usize = 10;

fn refuse_unknown<'t>(unknown: impl Iterator<Item = &'t TestId>) -> miette::Result<()> {
    let unknown: BTreeSet<&TestId> = unknown.collect();
    if unknown.is_empty() {
        return Ok(());
    }
    let mut names = unknown.iter().take(NAMED).map(|test| format!("`{test}`")).collect::<Vec<_>>().join(", ");
    if unknown.len() > NAMED {
        names.push_str(&format!(" and {} more", unknown.len() - NAMED));
    }
    Err(miette!(
        help = "the file may belong to another version of the suite",
        "the dependencies name {} that the suite does not have: {names}",
        plural(unknown.len(), "test")
    ))
}

fn in_file(path: &Path, error: &miette::Report) -> miette::Report {
    let help = error.help().map(|help| help.to_string()).unwrap_or_default();
    miette!(help = help, "{}: {error}", path.display())
}

#[cfg(test)]
mod tests;
