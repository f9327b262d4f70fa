//! Dependencies between tests, as detection writes them and techniques take them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;

use miette::miette;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use serde::{Deserialize, Serialize};

use super::{Precedence, TestId};

/// The dependency file: version 1.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DependencyFile {
    version: u32,
    #[serde(default, rename = "dependency")]
    dependencies: Vec<Dependency>,
    #[serde(default, rename = "conflict")]
    conflicts: Vec<Conflict>,
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

    /// All that it names.
    fn tests(&self) -> impl Iterator<Item = &TestId> {
        let groups = self.after.iter().chain(&self.not_after).flatten();
        groups.chain(&self.cleaners).chain([&self.test])
    }
}

/// Tests that break each other in either order, unless a cleaner runs between.
///
/// No order of theirs is right, so sorting has nothing to go by: a rerun in which both are needed can fail. Conflicts are
/// there for techniques that keep tests apart; here they are only checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conflict {
    pub tests: Vec<TestId>,
    #[serde(default)]
    pub cleaners: Vec<TestId>,
}

/// The dependencies of a suite, every test of which exists.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DependencyGraph {
    original: HashMap<TestId, usize>,
    dependencies: BTreeMap<TestId, Dependency>,
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
        let with_missing = |named: &[&TestId]| {
            let missing: BTreeSet<&TestId> = named.iter().copied().filter(|test| !present.contains(test)).collect();
            suite.iter().chain(missing).cloned().collect()
        };
        let whole = Self::parse(&text, with_missing).map_err(|error| miette!("{}: {error}", path.display()))?;
        Self::new(whole.dependencies().filter_map(|dependency| dependency.within(&present)).collect(), suite)
    }

    /// By test.
    pub fn dependencies(&self) -> impl Iterator<Item = &Dependency> {
        self.dependencies.values()
    }

    /// The suite is asked for once all tests are known that the file names.
    pub(crate) fn parse(text: &str, suite: impl FnOnce(&[&TestId]) -> Vec<TestId>) -> miette::Result<Self> {
        let file: DependencyFile = toml::from_str(text).map_err(|error| miette!("not a dependency file: {error}"))?;
        if file.version != 1 {
            return Err(miette!("version {} is not known; this parade reads version 1", file.version));
        }
        let apart = file.conflicts.iter().flat_map(|conflict| conflict.tests.iter().chain(&conflict.cleaners));
        let named: Vec<&TestId> = file.dependencies.iter().flat_map(Dependency::tests).chain(apart).collect();
        let suite = suite(&named);
        let graph = Self::new(file.dependencies, &suite)?;
        graph.check_conflicts(&file.conflicts)?;
        Ok(graph)
    }

    /// The dependencies of a suite, in which no test is unknown, none is given twice and nothing goes round in a circle.
    pub fn new(dependencies: Vec<Dependency>, suite: &[TestId]) -> miette::Result<Self> {
        let original: HashMap<_, _> = suite.iter().cloned().zip(0..).collect();
        let mut graph = DependencyGraph { original, dependencies: BTreeMap::new() };
        for dependency in dependencies {
            graph.check_known(dependency.tests())?;
            let test = dependency.test.clone();
            if graph.dependencies.insert(test.clone(), dependency).is_some() {
                return Err(miette!(
                    help = "write everything about one test into one [[dependency]]",
                    "`{test}` has two [[dependency]] tables"
                ));
            }
        }
        // The rest of the suite is in no circle, and can be large.
        let named: BTreeSet<TestId> = graph.dependencies.values().flat_map(Dependency::tests).cloned().collect();
        refuse_cycles(&graph.constraints(&named))?;
        Ok(graph)
    }

    fn check_known<'t>(&self, mut named: impl Iterator<Item = &'t TestId>) -> miette::Result<()> {
        match named.find(|test| !self.original.contains_key(*test)) {
            Some(unknown) => Err(miette!(
                help = "the file may belong to another version of the suite",
                "the dependencies name `{unknown}`, which the suite does not have"
            )),
            None => Ok(()),
        }
    }

    fn check_conflicts(&self, conflicts: &[Conflict]) -> miette::Result<()> {
        for conflict in conflicts {
            self.check_known(conflict.tests.iter().chain(&conflict.cleaners))?;
            if conflict.tests.len() < 2 {
                return Err(miette!(
                    help = "name the tests that break each other, e.g. `tests = [\"a.A#x\", \"b.B#y\"]`",
                    "a [[conflict]] has fewer than two tests"
                ));
            }
        }
        Ok(())
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
        Precedence::of(self.original.len(), positive, negative)
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

    /// An edge leads from what has to run earlier to what has to run later.
    fn constraints<'a>(&'a self, tests: &'a BTreeSet<TestId>) -> DiGraph<&'a TestId, ()> {
        let mut graph = DiGraph::new();
        let nodes: HashMap<_, _> = tests.iter().map(|test| (test, graph.add_node(test))).collect();
        for (test, node) in &nodes {
            for needed in self.prerequisites(test).iter().filter_map(|needed| nodes.get(needed)) {
                graph.add_edge(*needed, *node, ());
            }
            for polluter in self.polluters(test).filter_map(|polluter| nodes.get(polluter)) {
                graph.add_edge(*node, *polluter, ());
            }
        }
        graph
    }
}

fn refuse_cycles(graph: &DiGraph<&TestId, ()>) -> miette::Result<()> {
    let cyclic = |component: &Vec<NodeIndex>| component.len() > 1 || graph.contains_edge(component[0], component[0]);
    // Not Tarjan's way, which petgraph goes by recursion: a long chain of tests would overflow the stack.
    match kosaraju_scc(graph).iter().find(|component| cyclic(component)) {
        Some(cycle) => {
            let names: Vec<_> = cycle.iter().take(5).map(|node| format!("`{}`", graph[*node])).collect();
            Err(miette!(
                help = "mutual polluters are written as [[conflict]]",
                "the dependencies go round in a circle: {}",
                names.join(" → ")
            ))
        }
        None => Ok(()),
    }
}

fn in_file(path: &Path, error: &miette::Report) -> miette::Report {
    let help = error.help().map(|help| help.to_string()).unwrap_or_default();
    miette!(help = help, "{}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(name: &str) -> TestId {
        TestId::new("", "C", name, 1)
    }

    fn suite(names: &str) -> Vec<TestId> {
        names.split_whitespace().map(id).collect()
    }

    fn depends(test: &str, after: &[&str], not_after: &[&str]) -> Dependency {
        let groups = |groups: &[&str]| groups.iter().map(|group| suite(group)).collect();
        Dependency { test: id(test), after: groups(after), not_after: groups(not_after), cleaners: vec![] }
    }

    fn sorted(graph: &DependencyGraph, tests: &str) -> Vec<String> {
        let closure = graph.closure(&suite(tests));
        graph.sort(&closure).into_iter().map(|test| test.name).collect()
    }

    #[test]
    fn the_closure_is_transitive_and_sorted_after_its_needs() {
        let dependencies = vec![depends("d", &["c"], &[]), depends("c", &["e a"], &[])];
        let graph = DependencyGraph::new(dependencies, &suite("a b c d e")).unwrap();
        assert_eq!(sorted(&graph, "d"), ["a", "e", "c", "d"]);
    }

    #[test]
    fn free_tests_keep_the_original_order() {
        let graph = DependencyGraph::new(vec![], &suite("z y x")).unwrap();
        assert_eq!(sorted(&graph, "x y z"), ["z", "y", "x"]);
    }

    #[test]
    fn the_group_complete_first_is_taken() {
        let graph = DependencyGraph::new(vec![depends("d", &["c", "a b"], &[])], &suite("a b c d")).unwrap();
        assert_eq!(sorted(&graph, "d"), ["a", "b", "d"]);
    }

    #[test]
    fn a_polluter_in_the_closure_runs_after_its_victim() {
        let graph = DependencyGraph::new(vec![depends("v", &[], &["p"])], &suite("p v")).unwrap();
        assert_eq!(sorted(&graph, "p v"), ["v", "p"]);
    }

    #[test]
    fn a_group_of_polluters_is_harmless_while_its_last_one_is_to_come() {
        let dependencies = vec![depends("v", &["p"], &["p q", "r"])];
        let graph = DependencyGraph::new(dependencies, &suite("p v q r")).unwrap();
        assert_eq!(graph.polluters(&id("v")).cloned().collect::<Vec<_>>(), suite("q r"));
        let precedence = graph.precedence();
        assert_eq!((precedence.needs(1), precedence.breaks(2), precedence.breaks(3)), (&[0][..], &[1][..], &[1][..]));
        assert_eq!((precedence.tests(), precedence.breaks(0)), (4, &[][..]));
    }

    #[test]
    fn a_circle_is_an_error_that_names_it() {
        let dependencies = vec![depends("a", &["b"], &[]), depends("b", &["a"], &[])];
        let error = DependencyGraph::new(dependencies, &suite("a b")).unwrap_err().to_string();
        assert!(error.contains("C#a") && error.contains("C#b"), "{error}");
    }

    #[test]
    fn neither_a_long_chain_nor_a_busy_test_is_too_much() {
        let names: Vec<String> = (0..50_000).map(|n| format!("t{n}")).collect();
        let suite: Vec<TestId> = names.iter().map(|name| id(name)).collect();
        let mut dependencies: Vec<Dependency> =
            names.windows(2).map(|pair| depends(&pair[1], &[&pair[0]], &[])).collect();
        let all: Vec<&str> = names[1..].iter().map(String::as_str).collect();
        dependencies.push(depends("t0", &[], &all));
        let graph = DependencyGraph::new(dependencies, &suite).unwrap();
        assert_eq!(graph.sort(&graph.closure(&[id("t49999")])), suite);
    }

    #[test]
    fn a_second_table_for_one_test_is_refused_by_name() {
        let twice = vec![depends("b", &["a"], &[]), depends("b", &["c"], &[])];
        let error = DependencyGraph::new(twice, &suite("a b c")).unwrap_err().to_string();
        assert!(error.contains("`C#b` has two"), "{error}");
    }

    #[test]
    fn an_unknown_test_is_an_error_that_names_it() {
        let error = DependencyGraph::new(vec![depends("a", &["gone"], &[])], &suite("a")).unwrap_err().to_string();
        assert!(error.contains("C#gone"), "{error}");
    }

    #[test]
    fn in_a_suite_without_some_tests_the_rest_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("dependencies.toml");
        let text = "version = 1\n[[dependency]]\ntest = 'C#b'\nafter = [['C#a', 'C#gone']]\n\
                    not_after = [['C#lost', 'C#p'], ['C#p']]\n[[dependency]]\ntest = 'C#gone'\nafter = [['C#a']]\n";
        std::fs::write(&path, text).unwrap();
        let graph = DependencyGraph::load_present(&path, &suite("a b p")).unwrap();
        assert_eq!(graph.dependencies().cloned().collect::<Vec<_>>(), [depends("b", &["a"], &["p"])]);
        assert!(DependencyGraph::load(&path, &suite("a b p")).is_err());
    }

    #[test]
    fn a_file_is_read_and_its_conflicts_are_checked() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("dependencies.toml");
        let text =
            "version = 1\n[[dependency]]\ntest = 'C#b'\nafter = [['C#a']]\n[[conflict]]\ntests = ['C#a', 'C#b']\n";
        std::fs::write(&path, text).unwrap();
        let graph = DependencyGraph::load(&path, &suite("a b")).unwrap();
        assert_eq!(graph.prerequisites(&id("b")), [id("a")]);
        let precedence = DependencyGraph::load_precedence(&path, &suite("z b y a")).unwrap();
        assert_eq!((precedence.tests(), precedence.needs(1)), (4, &[3][..]));
        assert!(DependencyGraph::load_precedence(&path, &suite("a")).is_err());
        for (wrong, named) in [("tests = ['C#a', 'C#gone']", "C#gone"), ("tests = ['C#a']", "fewer than two")] {
            std::fs::write(&path, text.replace("tests = ['C#a', 'C#b']", wrong)).unwrap();
            let error = DependencyGraph::load(&path, &suite("a b")).unwrap_err();
            assert!(error.to_string().contains(named), "{error}");
            assert!(error.help().is_some_and(|help| !help.to_string().is_empty()));
        }
        std::fs::write(&path, text.replace("version = 1", "version = 2")).unwrap();
        assert!(DependencyGraph::load(&path, &suite("a b")).is_err());
    }
}
