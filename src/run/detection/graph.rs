//! What depends on what, as a graph: which tests act together, on whom, and how; and as DOT for Graphviz. Knows no file.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::suite::TestId;
use crate::technique::detect::OrderDependent;

/// What tests that ran before do to a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Effect {
    Pollutes,
    Sets,
    Cleans,
}

impl Effect {
    pub const ALL: [Effect; 3] = [Effect::Pollutes, Effect::Sets, Effect::Cleans];

    pub fn name(self) -> &'static str {
        match self {
            Effect::Pollutes => "makes it fail",
            Effect::Sets => "lets it pass",
            Effect::Cleans => "cleans up before it",
        }
    }

    pub fn colour(self) -> &'static str {
        match self {
            Effect::Pollutes => "#c0392b",
            Effect::Sets => "#1e8449",
            Effect::Cleans => "#2471a3",
        }
    }

    fn dot_style(self) -> &'static str {
        if self == Effect::Cleans { "dashed" } else { "solid" }
    }
}

/// Tests that do something to another, all of them together.
pub(super) type Cause<'a> = (Effect, Vec<&'a TestId>);

/// Each by itself is enough.
pub(super) fn causes(test: &OrderDependent) -> Vec<Cause<'_>> {
    let cleaners = test.cleaners.iter().map(|cleaner| (Effect::Cleans, vec![cleaner]));
    let polluters = test.polluter_groups.iter().map(|group| (Effect::Pollutes, group.iter().collect()));
    let setters = test.state_setter_groups.iter().map(|group| (Effect::Sets, group.iter().collect()));
    polluters.chain(setters).chain(cleaners).collect()
}

/// For Graphviz. Tests that work only together meet in a point.
pub fn dot(tests: &[OrderDependent]) -> String {
    let mut text = "digraph dependencies {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n".to_owned();
    for test in tests {
        let (tooltip, dashed) = match (test.complete, causes(test).is_empty()) {
            (_, true) => (", cause unknown", ",dashed"),
            (false, _) => (", not all other tests were tried", ",dashed"),
            (true, _) => ("", ""),
        };
        let name = test.kind.name();
        let _ = writeln!(text, "  {} [tooltip=\"{name}{tooltip}\", style=\"bold{dashed}\"];", quoted(&test.test));
    }
    let mut meetings: BTreeMap<Cause<'_>, usize> = BTreeMap::new();
    for test in tests {
        for cause in causes(test) {
            let (effect, group) = &cause;
            let from = match group.as_slice() {
                [single] => quoted(single),
                _ => {
                    let next = meetings.len() + 1;
                    let number = *meetings.entry(cause.clone()).or_insert(next);
                    if number == next {
                        meeting(&mut text, number, *effect, group);
                    }
                    format!("together_{number}")
                }
            };
            edge(&mut text, &from, &quoted(&test.test), *effect, "");
        }
    }
    text + "}\n"
}

/// The point where tests meet that work only together.
fn meeting(text: &mut String, number: usize, effect: Effect, group: &[&TestId]) {
    let _ = writeln!(text, "  together_{number} [shape=point, tooltip=\"all of these together\"];");
    let to = format!("together_{number}");
    group.iter().for_each(|from| edge(text, &quoted(from), &to, effect, ", arrowhead=none"));
}

fn edge(text: &mut String, from: &str, to: &str, effect: Effect, more: &str) {
    let (colour, style, name) = (effect.colour(), effect.dot_style(), effect.name());
    let _ = writeln!(text, "  {from} -> {to} [color=\"{colour}\", style={style}, tooltip=\"{name}\"{more}];");
}

fn quoted(id: &TestId) -> String {
    format!("\"{}\"", id.to_string().replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::technique::detect::Kind;

    pub fn id(name: &str) -> TestId {
        TestId::new("", "some.where.C", name, 1)
    }

    pub fn victim(name: &str, polluters: &[&[&str]]) -> OrderDependent {
        let groups: Vec<Vec<TestId>> =
            polluters.iter().map(|group| group.iter().map(|name| id(name)).collect()).collect();
        OrderDependent {
            test: id(name),
            kind: Kind::Victim,
            polluters: groups.concat(),
            cleaners: vec![],
            state_setters: vec![],
            polluter_groups: groups,
            state_setter_groups: vec![],
            complete: true,
            fails_originally: false,
            declared_order: false,
        }
    }

    pub fn of_all_kinds() -> OrderDependent {
        OrderDependent {
            kind: Kind::Both,
            cleaners: vec![id("c")],
            state_setters: vec![id("s")],
            state_setter_groups: vec![vec![id("s")]],
            ..victim("v<\"&>", &[&["p"]])
        }
    }

    #[test]
    fn every_dependency_is_an_edge() {
        let dot = dot(&[of_all_kinds()]);
        assert_eq!(dot.matches(" -> \"some.where.C#v<\\\"&>\"").count(), 3, "{dot}");
    }

    #[test]
    fn who_works_only_together_meets_in_a_point() {
        let dot = dot(&[victim("v", &[&["p", "q"]]), victim("w", &[&["p", "q"], &["r"]])]);
        assert_eq!((dot.matches("shape=point").count(), dot.matches("arrowhead=none").count()), (1, 2), "{dot}");
        assert_eq!(dot.matches("  together_1 -> ").count(), 2, "{dot}");
        assert!(dot.contains("#r\" -> "), "{dot}");
    }
}
