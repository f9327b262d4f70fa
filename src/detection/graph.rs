//! What depends on what, drawn: as DOT for Graphviz, and as an SVG of our own that needs nothing. Draws, and knows no file.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::report::text::shown;
use crate::suite::TestId;
use crate::technique::detect::OrderDependent;

/// A picture with more is a black square; the DOT file has all.
const DRAWN: usize = 300;
const LINE: usize = 26;
const TOP: usize = 70;
/// Width of a letter, about.
const LETTER: usize = 7;
const GAP: usize = 260;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Effect {
    Pollutes,
    Sets,
    Cleans,
}

impl Effect {
    const ALL: [Effect; 3] = [Effect::Pollutes, Effect::Sets, Effect::Cleans];

    fn name(self) -> &'static str {
        match self {
            Effect::Pollutes => "makes it fail",
            Effect::Sets => "lets it pass",
            Effect::Cleans => "cleans before it",
        }
    }

    fn colour(self) -> &'static str {
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

type Edge<'a> = (&'a TestId, &'a TestId, Effect);

fn edges(tests: &[OrderDependent]) -> Vec<Edge<'_>> {
    let mut edges = Vec::new();
    for test in tests {
        let all = [
            (&test.polluters, Effect::Pollutes),
            (&test.state_setters, Effect::Sets),
            (&test.cleaners, Effect::Cleans),
        ];
        edges
            .extend(all.into_iter().flat_map(|(from, effect)| from.iter().map(move |from| (from, &test.test, effect))));
    }
    edges
}

/// For Graphviz.
pub fn dot(tests: &[OrderDependent]) -> String {
    let mut text = "digraph dependencies {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n".to_owned();
    let quoted = |id: &TestId| format!("\"{}\"", id.to_string().replace('\\', "\\\\").replace('"', "\\\""));
    for test in tests {
        let _ = writeln!(text, "  {} [tooltip=\"{}\", style=bold];", quoted(&test.test), test.kind.name());
    }
    for (from, to, effect) in edges(tests) {
        let (colour, style) = (effect.colour(), effect.dot_style());
        let _ = writeln!(
            text,
            "  {} -> {} [color=\"{colour}\", style={style}, tooltip=\"{}\"];",
            quoted(from),
            quoted(to),
            effect.name()
        );
    }
    text + "}\n"
}

/// Causes at the left, tests that depend on the order at the right.
pub fn svg(tests: &[OrderDependent]) -> String {
    let all = edges(tests);
    let causes: BTreeSet<&TestId> = all.iter().map(|(from, ..)| *from).collect();
    let rows = |ids: Vec<&TestId>| -> BTreeMap<String, usize> {
        ids.into_iter().take(DRAWN).map(ToString::to_string).zip(0..).collect()
    };
    let (left, right) = (rows(causes.iter().copied().collect()), rows(tests.iter().map(|test| &test.test).collect()));
    let longest =
        |names: &BTreeMap<String, usize>| names.keys().map(|name| shown(name).chars().count()).max().unwrap_or(10);
    let from_x = 20 + LETTER * longest(&left);
    let to_x = from_x + GAP;
    let width = to_x + 20 + LETTER * longest(&right).max(40);
    let height = TOP + LINE * left.len().max(right.len()).max(1) + 20;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<title>Order-dependent tests and their causes</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    legend(&mut text, causes.len().max(tests.len()) > DRAWN);
    for (from, to, effect) in &all {
        let (Some(start), Some(end)) = (left.get(&from.to_string()), right.get(&to.to_string())) else { continue };
        let (y1, y2, middle) = (y(*start) - 4, y(*end) - 4, (from_x + to_x) / 2);
        let dashes = if *effect == Effect::Cleans { " stroke-dasharray=\"5 4\"" } else { "" };
        let (x1, x2) = (from_x + 6, to_x - 6);
        let _ = writeln!(
            text,
            "<path d=\"M {x1} {y1} C {middle} {y1}, {middle} {y2}, {x2} {y2}\" fill=\"none\" stroke=\"{}\"{dashes}/>",
            effect.colour()
        );
    }
    names(&mut text, &left, from_x, "end");
    names(&mut text, &right, to_x, "start");
    text + "</svg>\n"
}

fn legend(text: &mut String, cut: bool) {
    for (number, effect) in Effect::ALL.into_iter().enumerate() {
        let (x, dashes) = (20 + number * 170, if effect == Effect::Cleans { " stroke-dasharray=\"5 4\"" } else { "" });
        let _ = writeln!(
            text,
            "<path d=\"M {x} 26 h 30\" stroke=\"{}\"{dashes}/><text x=\"{}\" y=\"30\">{}</text>",
            effect.colour(),
            x + 38,
            effect.name()
        );
    }
    if cut {
        let _ = writeln!(
            text,
            "<text x=\"20\" y=\"50\">Only the first {DRAWN} are drawn; dependencies.dot has all.</text>"
        );
    }
}

fn names(text: &mut String, rows: &BTreeMap<String, usize>, x: usize, anchor: &str) {
    for (name, row) in rows {
        let _ = writeln!(
            text,
            "<text x=\"{x}\" y=\"{}\" text-anchor=\"{anchor}\">{}</text>",
            y(*row),
            escaped(&shown(name))
        );
    }
}

fn y(row: usize) -> usize {
    TOP + LINE * row + LINE / 2
}

fn escaped(name: &str) -> String {
    name.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::technique::detect::Kind;

    fn found() -> Vec<OrderDependent> {
        let id = |name: &str| TestId::new("", "C", name, 1);
        vec![OrderDependent {
            test: id("v<\"&>"),
            kind: Kind::Both,
            polluters: vec![id("p")],
            cleaners: vec![id("c")],
            state_setters: vec![id("s")],
            polluter_groups: vec![vec![id("p")]],
            state_setter_groups: vec![vec![id("s")]],
            complete: true,
            fails_originally: false,
        }]
    }

    #[test]
    fn every_dependency_is_an_edge() {
        let dot = dot(&found());
        assert_eq!(dot.matches(" -> \"C#v<\\\"&>\"").count(), 3, "{dot}");
        let svg = svg(&found());
        assert_eq!(svg.matches("fill=\"none\"").count(), 3, "{svg}");
        assert!(svg.contains("C#v&lt;\"&amp;&gt;"));
    }

    #[test]
    fn the_picture_is_well_formed() {
        for tests in [found(), vec![]] {
            let svg = svg(&tests);
            let mut reader = quick_xml::Reader::from_str(&svg);
            loop {
                match reader.read_event() {
                    Ok(quick_xml::events::Event::Eof) => break,
                    event => drop(event.unwrap()),
                }
            }
        }
    }
}
