//! Writes dependency files: what a detection found, in a form that every reader of dependencies accepts.

use std::collections::{BTreeSet, HashMap};

use miette::miette;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;
use serde::Serialize;

use super::{Conflict, Dependency, DependencyGraph, TestId};

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    ordered: bool,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    incomplete: &'a [TestId],
    #[serde(rename = "dependency", skip_serializing_if = "Vec::is_empty")]
    dependencies: Vec<Entry<'a>>,
    #[serde(rename = "conflict", skip_serializing_if = "Vec::is_empty")]
    conflicts: Vec<Apart<'a>>,
}

#[derive(Serialize)]
struct Entry<'a> {
    test: &'a TestId,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    after: &'a [Vec<TestId>],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    not_after: &'a [Vec<TestId>],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    cleaners: &'a [TestId],
}

#[derive(Serialize)]
struct Apart<'a> {
    tests: &'a [TestId],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    victims: &'a [TestId],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    cleaners: &'a [TestId],
}

impl<'a> Document<'a> {
    fn of(dependencies: &'a [Dependency], conflicts: &'a [Conflict]) -> Self {
        Document {
            version: 1,
            ordered: false,
            incomplete: &[],
            dependencies: dependencies.iter().map(Entry::of).collect(),
            conflicts: conflicts.iter().map(Apart::of).collect(),
        }
    }
}

impl<'a> Entry<'a> {
    fn of(dependency: &'a Dependency) -> Self {
        let Dependency { test, after, not_after, cleaners } = dependency;
        Entry { test, after, not_after, cleaners }
    }
}

impl<'a> Apart<'a> {
    fn of(conflict: &'a Conflict) -> Self {
        let Conflict { tests, victims, cleaners } = conflict;
        Apart { tests, victims, cleaners }
    }
}

/// The text of a dependency file.
pub fn text(dependencies: &[Dependency], conflicts: &[Conflict]) -> miette::Result<String> {
    write(&Document::of(dependencies, conflicts))
}

/// The same of what a detection saw: groups are in the order in which they let a test pass, and of some tests not all is known.
pub fn text_of_detected(
    dependencies: &[Dependency],
    conflicts: &[Conflict],
    incomplete: &[TestId],
) -> miette::Result<String> {
    let ordered = dependencies.iter().flat_map(|dependency| &dependency.after).any(|group| group.len() > 1);
    write(&Document { ordered, incomplete, ..Document::of(dependencies, conflicts) })
}

fn write(document: &Document<'_>) -> miette::Result<String> {
    toml::to_string(document).map_err(|error| miette!("the dependencies could not be written: {error}"))
}

/// Takes out what would go round in a circle: tests that cannot run before their polluters become conflicts with them. What is left, any reader can sort by.
pub fn without_circles(dependencies: Vec<Dependency>, suite: &[TestId]) -> (Vec<Dependency>, Vec<Conflict>) {
    let circles = circles(&dependencies, suite);
    let mut conflicts = Vec::new();
    let mut kept: Vec<Dependency> = Vec::new();
    for mut dependency in dependencies {
        let circle = circles.get(&dependency.test).copied();
        let shares = |test: &TestId| circle.is_some() && circles.get(test).copied() == circle;
        let (apart, not_after): (Vec<_>, Vec<_>) =
            std::mem::take(&mut dependency.not_after).into_iter().partition(|group| group.iter().any(shares));
        dependency.not_after = not_after;
        conflicts.extend(apart.into_iter().map(|group| conflict(&dependency, group)));
        if !dependency.after.is_empty() || !dependency.not_after.is_empty() {
            kept.push(dependency);
        }
    }
    // A circle of needs alone can only come from tests that the original order breaks: no order can keep all of them.
    while DependencyGraph::new(kept.clone(), suite).is_err() {
        let circles = self::circles(&kept, suite);
        let before = kept.len();
        kept.retain(|dependency| !circles.contains_key(&dependency.test));
        if kept.len() == before {
            kept.clear();
        }
    }
    (kept, merged(conflicts))
}

/// Conflicts of the same tests with the same cleaners are one. Two tests that break each other need not be told apart.
fn merged(conflicts: Vec<Conflict>) -> Vec<Conflict> {
    let mut merged: Vec<Conflict> = Vec::new();
    let mut places = HashMap::new();
    for conflict in conflicts {
        let place = *places.entry((conflict.tests.clone(), conflict.cleaners.clone())).or_insert(merged.len());
        match merged.get_mut(place) {
            Some(same) => same.victims.extend(conflict.victims),
            None => merged.push(conflict),
        }
    }
    for conflict in &mut merged {
        conflict.victims.sort();
        conflict.victims.dedup();
        if conflict.tests.len() == 2 && conflict.victims.len() == 2 {
            conflict.victims.clear();
        }
    }
    merged
}

fn conflict(dependency: &Dependency, group: Vec<TestId>) -> Conflict {
    let tests: BTreeSet<TestId> = group.into_iter().chain([dependency.test.clone()]).collect();
    let victims = vec![dependency.test.clone()];
    Conflict { tests: tests.into_iter().collect(), victims, cleaners: dependency.cleaners.clone() }
}

/// For each test in a circle, which one.
fn circles(dependencies: &[Dependency], suite: &[TestId]) -> HashMap<TestId, usize> {
    let places: HashMap<&TestId, usize> = suite.iter().zip(0..).collect();
    let mut graph: DiGraph<&TestId, ()> = DiGraph::new();
    let mut nodes = HashMap::new();
    let mut edges = Vec::new();
    for dependency in dependencies {
        let completed = |group: &&Vec<TestId>| group.iter().map(|test| places.get(test).copied()).max();
        let needed = dependency.after.iter().min_by_key(completed).into_iter().flatten();
        edges.extend(needed.map(|needed| (needed, &dependency.test)));
        edges.extend(dependency.not_after.iter().flatten().map(|polluter| (&dependency.test, polluter)));
    }
    for (earlier, later) in edges {
        let [earlier, later] = [earlier, later].map(|test| *nodes.entry(test).or_insert_with(|| graph.add_node(test)));
        graph.add_edge(earlier, later, ());
    }
    let round = kosaraju_scc(&graph).into_iter().filter(|part| part.len() > 1 || graph.contains_edge(part[0], part[0]));
    let numbered = round.enumerate();
    numbered
        .flat_map(|(number, part)| part.into_iter().map(move |node| (node, number)))
        .map(|(node, number)| (graph[node].clone(), number))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(name: &str) -> TestId {
        TestId::new("", "C", name, 1)
    }

    fn depends(test: &str, after: &[&str], not_after: &[&str], cleaners: &[&str]) -> Dependency {
        let groups = |groups: &[&str]| groups.iter().map(|group| group.split(' ').map(id).collect()).collect();
        let cleaners = cleaners.iter().map(|name| id(name)).collect();
        Dependency { test: id(test), after: groups(after), not_after: groups(not_after), cleaners }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let suite: Vec<TestId> = ["a", "b", "c", "d", "50%~#"].iter().map(|name| id(name)).collect();
        let dependencies = vec![depends("c", &["a b", "d"], &["50%~#"], &["d"]), depends("b", &["a"], &[], &[])];
        let (kept, conflicts) = without_circles(dependencies.clone(), &suite);
        assert_eq!((&kept, conflicts.len()), (&dependencies, 0));
        let text = text(&kept, &conflicts).unwrap();
        let graph = DependencyGraph::parse(&text, |_| suite.clone()).unwrap();
        assert_eq!(graph, DependencyGraph::new(dependencies, &suite).unwrap());
        assert!(DependencyGraph::parse(&super::text(&[], &[]).unwrap(), |_| suite.clone()).is_ok());
    }

    #[test]
    fn mutual_polluters_become_a_conflict() {
        let suite: Vec<TestId> = ["a", "b", "c"].iter().map(|name| id(name)).collect();
        let dependencies =
            vec![depends("a", &[], &["b"], &["c"]), depends("b", &[], &["a"], &["c"]), depends("c", &[], &["a"], &[])];
        let (kept, conflicts) = without_circles(dependencies, &suite);
        assert_eq!(kept, [depends("c", &[], &["a"], &[])]);
        assert_eq!(conflicts, [Conflict { tests: vec![id("a"), id("b")], victims: vec![], cleaners: vec![id("c")] }]);
        assert!(DependencyGraph::parse(&text(&kept, &conflicts).unwrap(), |_| suite.clone()).is_ok());
    }

    /// `c` needs `b`, that needs `a`, which pollutes `c`: `c` does `a` no harm.
    #[test]
    fn who_is_the_victim_of_a_conflict_is_told() {
        let suite: Vec<TestId> = ["a", "b", "c", "d"].iter().map(|name| id(name)).collect();
        let dependencies = vec![depends("b", &["a"], &[], &[]), depends("c", &["b"], &["a"], &["d"])];
        let (kept, conflicts) = without_circles(dependencies, &suite);
        assert_eq!(kept, [depends("b", &["a"], &[], &[]), depends("c", &["b"], &[], &["d"])]);
        let told = Conflict { tests: vec![id("a"), id("c")], victims: vec![id("c")], cleaners: vec![id("d")] };
        assert_eq!(conflicts, [told]);
        let text = text_of_detected(&kept, &conflicts, &[id("b")]).unwrap();
        assert!(text.contains("incomplete = [\"C#b\"]") && !text.contains("ordered"), "{text}");
        assert_eq!(DependencyGraph::parse(&text, |_| suite.clone()).unwrap().precedence().separations().len(), 1);
    }

    #[test]
    fn needs_in_a_circle_are_left_out() {
        let suite: Vec<TestId> = ["a", "b", "c"].iter().map(|name| id(name)).collect();
        let dependencies =
            vec![depends("a", &["b"], &[], &[]), depends("b", &["a"], &[], &[]), depends("c", &["a"], &[], &[])];
        let (kept, conflicts) = without_circles(dependencies, &suite);
        assert_eq!((kept, conflicts), (vec![depends("c", &["a"], &[], &[])], vec![]));
    }
}
