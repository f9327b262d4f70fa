//! The graph as an SVG of our own that needs nothing: causes at the left, tests that depend on the order at the right. Tests that
//! have the same causes, and causes that have the same effect on the same tests, share their arrows. Draws, and knows no file.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::graph::{Cause, Effect, causes};
use crate::shown_text::shown;
use crate::suite::TestId;
use crate::technique::detect::OrderDependent;

/// Lines at each side; the DOT file has all.
const DRAWN: usize = 300;
const LINE: usize = 20;
const BETWEEN: usize = 12;
const TOP: usize = 104;
/// Width of a letter, about.
const LETTER: usize = 7;
const GAP: usize = 260;
/// From the names to the arrows, with room for a bracket.
const MARGIN: usize = 16;

/// Names of one side that share their arrows.
struct Block {
    names: Vec<Name>,
    /// Of the first line.
    top: usize,
}

struct Name {
    short: String,
    whole: String,
}

impl Block {
    fn middle(&self) -> usize {
        self.top + LINE * self.names.len().saturating_sub(1) / 2
    }

    fn bottom(&self) -> usize {
        self.top + LINE * self.names.len().saturating_sub(1)
    }
}

struct Drawing {
    left: Vec<Block>,
    right: Vec<Block>,
    /// From a block at the left to one at the right.
    arrows: BTreeSet<(usize, usize, Effect)>,
    cut: bool,
    incomplete: bool,
}

pub fn svg(tests: &[OrderDependent]) -> String {
    let drawing = Drawing::of(tests);
    let (from_x, to_x) = (20 + width(&drawing.left), 20 + width(&drawing.left) + GAP);
    let (wide, high) = (to_x + 20 + width(&drawing.right).max(280), drawing.height());
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{wide}\" height=\"{high}\" viewBox=\"0 0 {wide} {high}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<title>DetectionRequest-dependent tests and their causes</title>\n"
    );
    markers(&mut text);
    text.push_str("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
    legend(&mut text, &drawing);
    heading(&mut text, from_x, "end", "After any one of these tests …");
    heading(&mut text, to_x, "start", "… these tests pass or fail differently");
    for (from, to, effect) in &drawing.arrows {
        arrow(&mut text, (from_x + MARGIN, &drawing.left[*from]), (to_x - MARGIN, &drawing.right[*to]), *effect);
    }
    drawing.left.iter().for_each(|block| names(&mut text, block, from_x, "end"));
    drawing.right.iter().for_each(|block| names(&mut text, block, to_x, "start"));
    text + "</svg>\n"
}

impl Drawing {
    fn of(tests: &[OrderDependent]) -> Self {
        let short = short_classes(tests);
        // Tests with the same causes, in order of the first of each.
        let mut alike: Vec<(BTreeSet<Cause<'_>>, Vec<&OrderDependent>)> = Vec::new();
        let mut places: BTreeMap<BTreeSet<Cause<'_>>, usize> = BTreeMap::new();
        for test in tests.iter().take(DRAWN) {
            let causes: BTreeSet<Cause<'_>> = causes(test).into_iter().collect();
            let place = *places.entry(causes.clone()).or_insert(alike.len());
            match alike.get_mut(place) {
                Some((_, members)) => members.push(test),
                None => alike.push((causes, vec![test])),
            }
        }
        let mut reach: BTreeMap<&Cause<'_>, BTreeSet<usize>> = BTreeMap::new();
        for (place, (causes, _)) in alike.iter().enumerate() {
            for cause in causes {
                reach.entry(cause).or_default().insert(place);
            }
        }
        // Causes with the same effect on the same tests, near to what they act on.
        let mut sources: BTreeMap<(BTreeSet<usize>, Effect), Vec<&Cause<'_>>> = BTreeMap::new();
        let many = reach.len() > DRAWN;
        for (cause, targets) in reach.into_iter().take(DRAWN) {
            sources.entry((targets, cause.0)).or_default().push(cause);
        }
        let arrows = sources.keys().enumerate().flat_map(|(from, (targets, effect))| {
            targets.iter().map(move |to| (from, *to, *effect)).collect::<Vec<_>>()
        });
        let arrows = arrows.collect();
        let left = sources.values().map(|causes| causes.iter().map(|(_, group)| joined(group, &short)).collect());
        let right = alike.iter().map(|(causes, members)| {
            members.iter().map(|test| marked(test, causes.is_empty(), &short)).collect::<Vec<Name>>()
        });
        Drawing {
            left: stacked(left.collect()),
            right: stacked(right.collect()),
            arrows,
            cut: many || tests.len() > DRAWN,
            incomplete: tests.iter().any(|test| !test.complete),
        }
    }

    fn height(&self) -> usize {
        let bottom = |blocks: &[Block]| blocks.last().map_or(TOP, Block::bottom);
        bottom(&self.left).max(bottom(&self.right)) + 2 * LINE
    }
}

/// Blocks one below the other.
fn stacked(columns: Vec<Vec<Name>>) -> Vec<Block> {
    let mut next = TOP;
    let mut block = |names: Vec<Name>| {
        let top = next;
        next += LINE * names.len() + BETWEEN;
        Block { names, top }
    };
    columns.into_iter().map(&mut block).collect()
}

/// By class: its simple name, unless two classes have the same.
fn short_classes(tests: &[OrderDependent]) -> BTreeMap<&str, &str> {
    let actors = tests.iter().flat_map(causes).flat_map(|(_, group)| group);
    let classes: BTreeSet<&str> =
        tests.iter().map(|test| &test.test).chain(actors).map(|id| id.class.as_str()).collect();
    let mut simple: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for class in classes {
        simple.entry(class.rsplit('.').next().unwrap_or(class)).or_default().push(class);
    }
    let single = simple.into_iter().filter(|(_, classes)| classes.len() == 1);
    single.map(|(short, classes)| (classes[0], short)).collect()
}

fn short_name(id: &TestId, short: &BTreeMap<&str, &str>) -> String {
    let whole = id.to_string();
    short.get(id.class.as_str()).map_or(whole.clone(), |short| whole.replacen(&id.class, short, 1))
}

fn joined(group: &[&TestId], short: &BTreeMap<&str, &str>) -> Name {
    let list = |name: &dyn Fn(&TestId) -> String| group.iter().map(|id| name(id)).collect::<Vec<_>>().join(" with ");
    Name { short: list(&|id| short_name(id, short)), whole: list(&ToString::to_string) }
}

fn marked(test: &OrderDependent, unknown: bool, short: &BTreeMap<&str, &str>) -> Name {
    let mark = match (unknown, test.complete) {
        (true, _) => " (cause unknown) *",
        (false, false) => " *",
        (false, true) => "",
    };
    Name { short: format!("{}{mark}", short_name(&test.test, short)), whole: test.test.to_string() }
}

fn width(blocks: &[Block]) -> usize {
    let names = blocks.iter().flat_map(|block| &block.names);
    LETTER * names.map(|name| shown(&name.short).chars().count()).max().unwrap_or(0).max(24)
}

fn markers(text: &mut String) {
    text.push_str("<defs>\n");
    for (number, effect) in Effect::ALL.into_iter().enumerate() {
        let _ = writeln!(
            text,
            "<marker id=\"head{number}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
             orient=\"auto\"><path d=\"M 0 0 L 8 4 L 0 8 z\" fill=\"{}\"/></marker>",
            effect.colour()
        );
    }
    text.push_str("</defs>\n");
}

fn legend(text: &mut String, drawing: &Drawing) {
    for (number, effect) in Effect::ALL.into_iter().enumerate() {
        let x = 20 + number * 170;
        line(text, &format!("M {x} 26 h 30"), effect);
        let _ = writeln!(text, "<text x=\"{}\" y=\"30\">{}</text>", x + 40, effect.name());
    }
    let cut = format!("Only the first {DRAWN} are drawn; dependencies.dot contains all. ");
    let star = "* not all other tests were tried";
    let words = format!("{}{}", if drawing.cut { &cut } else { "" }, if drawing.incomplete { star } else { "" });
    let _ = writeln!(text, "<text x=\"20\" y=\"52\">{words}</text>");
}

fn heading(text: &mut String, x: usize, anchor: &str, words: &str) {
    let y = TOP - 26;
    let _ = writeln!(text, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" font-weight=\"bold\">{words}</text>");
}

fn arrow(text: &mut String, from: (usize, &Block), to: (usize, &Block), effect: Effect) {
    let ((x1, start), (x2, end)) = (from, to);
    let (y1, y2, middle) = (start.middle() - 4, end.middle() - 4, usize::midpoint(x1, x2));
    line(text, &format!("M {x1} {y1} C {middle} {y1}, {middle} {y2}, {x2} {y2}"), effect);
}

fn line(text: &mut String, path: &str, effect: Effect) {
    let dashes = if effect == Effect::Cleans { " stroke-dasharray=\"5 4\"" } else { "" };
    let (colour, head) = (effect.colour(), effect as usize);
    let _ = writeln!(
        text,
        "<path class=\"arrow\" d=\"{path}\" fill=\"none\" stroke=\"{colour}\"{dashes} marker-end=\"url(#head{head})\"/>"
    );
}

/// With a bracket where several share their arrows.
fn names(text: &mut String, block: &Block, x: usize, anchor: &str) {
    for (row, name) in block.names.iter().enumerate() {
        let (y, short, whole) = (block.top + LINE * row, escaped(&shown(&name.short)), escaped(&shown(&name.whole)));
        let _ =
            writeln!(text, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{short}<title>{whole}</title></text>");
    }
    if block.names.len() > 1 {
        let (top, bottom) = (block.top - 10, block.bottom() + 3);
        let (start, turn) = if anchor == "end" { (x + 5, x + 10) } else { (x - 5, x - 10) };
        let _ = writeln!(
            text,
            "<path d=\"M {start} {top} H {turn} V {bottom} H {start}\" fill=\"none\" stroke=\"#888888\"/>"
        );
    }
}

fn escaped(name: &str) -> String {
    name.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::super::graph::tests::{of_all_kinds, victim};
    use super::*;

    /// Besides those of the legend.
    fn arrows(svg: &str) -> usize {
        svg.matches("class=\"arrow\"").count() - Effect::ALL.len()
    }

    #[test]
    fn every_dependency_is_an_arrow() {
        let svg = svg(&[of_all_kinds()]);
        assert_eq!(arrows(&svg), 3, "{svg}");
        assert!(svg.contains(">C#v&lt;\"&amp;&gt;<title>some.where.C#v&lt;\"&amp;&gt;</title>"), "{svg}");
    }

    #[test]
    fn what_is_alike_shares_its_arrows() {
        let names: Vec<String> = (0..40).map(|n| format!("v{n}")).collect();
        let tests: Vec<OrderDependent> = names.iter().map(|name| victim(name, &[&["p"], &["q"]])).collect();
        assert_eq!(arrows(&svg(&tests)), 1);
        let other = [victim("v", &[&["p"], &["q"]]), victim("w", &[&["q"]])];
        assert_eq!(arrows(&svg(&other)), 3);
    }

    #[test]
    fn together_is_not_either_one() {
        let both = svg(&[victim("v", &[&["p", "q"]])]);
        assert!(both.contains(">C#p with C#q<"), "{both}");
        assert!(!svg(&[victim("v", &[&["p"], &["q"]])]).contains(" with "));
    }

    #[test]
    fn what_is_not_known_is_marked() {
        let unknown = OrderDependent { complete: false, ..victim("v", &[]) };
        assert!(svg(&[unknown]).contains("C#v (cause unknown) *<"));
        assert!(!svg(&[victim("v", &[&["p"]])]).contains('*'));
    }

    #[test]
    fn classes_of_the_same_name_keep_their_packages() {
        let mut other = victim("v", &[&["p"]]);
        other.test.class = "else.where.C".to_owned();
        assert!(svg(&[other]).contains(">else.where.C#v<"));
    }

    #[test]
    fn the_picture_is_well_formed() {
        for tests in [vec![of_all_kinds()], vec![]] {
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
