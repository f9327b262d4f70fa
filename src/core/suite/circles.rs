//! Circles in what has to run before what: found, and told so that a person sees where they could be opened.

use std::collections::{HashMap, HashSet, VecDeque};

use miette::miette;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use super::TestId;

/// Why a test has to run before another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// The other one needs it.
    Needed,
    /// The other one breaks it.
    Broken,
    /// Somebody needs the two in this order.
    Sequence,
}

/// An edge leads from what has to run earlier to what has to run later.
pub(super) type Constraints<'a> = DiGraph<&'a TestId, Why>;

/// Tests of a long circle that are named.
const NAMED: usize = 10;

/// For each test in a circle, which one.
pub(super) fn numbered<'a>(graph: &Constraints<'a>) -> HashMap<&'a TestId, usize> {
    let parts = circles(graph).into_iter().enumerate();
    parts.flat_map(|(number, part)| part.into_iter().map(move |node| (graph[node], number))).collect()
}

pub(super) fn refuse(graph: &Constraints<'_>) -> miette::Result<()> {
    let Some(part) = circles(graph).into_iter().next() else { return Ok(()) };
    let circle = shortest(graph, &part);
    let name = |node: &NodeIndex| format!("`{}`", graph[*node]);
    let mut names: Vec<String> = circle.iter().take(NAMED).map(name).collect();
    if circle.len() > NAMED {
        names.push(format!("… {} more …", circle.len() - NAMED));
    }
    names.extend(circle.first().map(name));
    Err(miette!(
        help = help(graph, &circle),
        "the dependencies form a cycle: {} (each must run before the next)",
        names.join(" → ")
    ))
}

fn help(graph: &Constraints<'_>, circle: &[NodeIndex]) -> &'static str {
    let next = circle.iter().cycle().skip(1);
    let breaks = |(from, to): (&NodeIndex, &NodeIndex)| {
        graph.edges_connecting(*from, *to).any(|edge| *edge.weight() == Why::Broken)
    };
    if circle.iter().zip(next).all(breaks) {
        "tests that break each other in either order belong in a [[conflict]], with `cleaners` if there are any"
    } else {
        "no order satisfies all of these: remove one of them from `after` or `not_after`"
    }
}

/// Not Tarjan's way, which petgraph goes by recursion: a long chain of tests would overflow the stack.
fn circles(graph: &Constraints<'_>) -> Vec<Vec<NodeIndex>> {
    let cyclic = |part: &Vec<NodeIndex>| part.len() > 1 || graph.contains_edge(part[0], part[0]);
    kosaraju_scc(graph).into_iter().filter(cyclic).collect()
}

/// The shortest way from the first test of a part back to it, without the return.
fn shortest(graph: &Constraints<'_>, part: &[NodeIndex]) -> Vec<NodeIndex> {
    let Some(start) = part.first().copied() else { return Vec::new() };
    let inside: HashSet<NodeIndex> = part.iter().copied().collect();
    let mut from: HashMap<NodeIndex, NodeIndex> = HashMap::new();
    let mut open = VecDeque::from([start]);
    while let Some(node) = open.pop_front() {
        for next in graph.neighbors(node).filter(|next| inside.contains(next)) {
            if next == start {
                let mut way: Vec<NodeIndex> = std::iter::successors(Some(node), |at| from.get(at).copied()).collect();
                way.reverse();
                return way;
            }
            if let std::collections::hash_map::Entry::Vacant(unseen) = from.entry(next) {
                unseen.insert(node);
                open.push_back(next);
            }
        }
    }
    part.to_vec()
}
