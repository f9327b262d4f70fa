//! What each test covers, and what has changed: statements (source lines) and methods of the program under test.
//!
//! Where that was found out is no matter of this: a tool measured it, or somebody declared it.

mod element;
pub(super) mod file;
mod set;
mod written;

use std::collections::HashMap;

use miette::miette;
use serde::Deserialize;

use super::TestId;
pub use element::{Element, MethodLines};
pub use set::{ElementSet, Union};

/// How finely coverage is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unit {
    Statement,
    Method,
}

/// More are no suite's, but would fill the memory.
const MOST_ELEMENTS: usize = 1 << 24;
const MOST_WORDS: usize = 1 << 26;

/// What each test covers, with every statement and every method under a number.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Coverage {
    numbers: Numbers,
    tests: HashMap<TestId, Covered>,
    /// Are covered methods named, and not to be concluded from covered lines?
    exact: bool,
}

/// The program that tests cover, as far as it is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Program {
    /// A method can be here several times, for lines that do not lie together.
    pub methods: Vec<MethodLines>,
    /// All lines that can be covered, whether any test does or not.
    pub executable: Vec<Element>,
}

#[derive(Debug, Clone, Default, PartialEq)]
struct Covered {
    statements: ElementSet,
    methods: ElementSet,
}

/// What has changed since coverage was measured, in the terms of that version.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Change {
    pub new: Vec<Element>,
    pub deleted: Vec<Element>,
    pub modified: Vec<Element>,
}

impl Coverage {
    /// As somebody declared it: who covers a line covers its method. A test that is named twice is an error, and so is
    /// more than fits.
    pub fn new(
        methods: &[MethodLines],
        tests: impl IntoIterator<Item = (TestId, Vec<Element>)>,
    ) -> miette::Result<Self> {
        let program = Program { methods: methods.to_vec(), executable: Vec::new() };
        Self::of_program(&program, tests, false)
    }

    /// As a tool measured it: tests name the lines and the methods that they cover.
    pub fn measured(
        program: &Program,
        tests: impl IntoIterator<Item = (TestId, Vec<Element>)>,
    ) -> miette::Result<Self> {
        Self::of_program(program, tests, true)
    }

    fn of_program(
        program: &Program,
        tests: impl IntoIterator<Item = (TestId, Vec<Element>)>,
        exact: bool,
    ) -> miette::Result<Self> {
        let mut coverage = Coverage { numbers: Numbers::with(&program.methods), tests: HashMap::new(), exact };
        coverage.numbers.covered(&program.executable, true);
        let mut words = 0;
        for (test, elements) in tests {
            let covered = coverage.numbers.covered(&elements, exact);
            words += covered.statements.size() + covered.methods.size();
            if coverage.numbers.count() > MOST_ELEMENTS || words > MOST_WORDS {
                return Err(miette!(
                    help = "split the suite by modules, or give coverage of methods alone",
                    "the coverage is too large: at `{test}` it exceeds {MOST_ELEMENTS} elements or {MOST_WORDS} entries"
                ));
            }
            if coverage.tests.contains_key(&test) {
                return Err(miette!("the coverage has `{test}` twice"));
            }
            coverage.tests.insert(test, covered);
        }
        Ok(coverage)
    }

    /// The source files that anything is known of.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.numbers.files.keys().map(String::as_str)
    }

    /// The lines of a file that tests can cover, ascending; where nobody said which these are, those that tests do cover.
    pub fn executable(&self, file: &str) -> Vec<u32> {
        let lines = self.numbers.files.get(file).map(|file| file.statements.keys().copied());
        let mut lines: Vec<u32> = lines.into_iter().flatten().collect();
        lines.sort_unstable();
        lines
    }

    /// Is anything known of this test, if only that it covers nothing?
    pub fn knows(&self, test: &TestId) -> bool {
        self.tests.contains_key(test)
    }

    /// Nothing for a test that is not known.
    pub fn of(&self, test: &TestId, unit: Unit) -> &ElementSet {
        static NOTHING: std::sync::LazyLock<ElementSet> = std::sync::LazyLock::new(ElementSet::default);
        match (self.tests.get(test), unit) {
            (Some(covered), Unit::Statement) => &covered.statements,
            (Some(covered), Unit::Method) => &covered.methods,
            (None, _) => &NOTHING,
        }
    }

    /// What of a change a test can cover: new, deleted and modified elements alike. A changed line changes its method; that
    /// a method has changed says nothing of its lines.
    pub fn touched_by(&self, change: &Change, unit: Unit) -> ElementSet {
        let found = change.elements().flat_map(|element| self.numbers.find(element, unit));
        found.collect()
    }
}

impl Change {
    pub fn elements(&self) -> impl Iterator<Item = &Element> {
        self.new.iter().chain(&self.deleted).chain(&self.modified)
    }

    /// Does it name methods, and no line at all?
    pub fn is_of_methods_only(&self) -> bool {
        let is_method = |element: &Element| matches!(element, Element::Method(_));
        self.elements().next().is_some() && self.elements().all(is_method)
    }
}

/// Numbers of statements and methods, given as they come.
#[derive(Debug, Clone, Default, PartialEq)]
struct Numbers {
    files: HashMap<String, File>,
    statements: u32,
    methods: HashMap<String, u32>,
}

#[derive(Debug, Clone, Default, PartialEq)]
struct File {
    /// By line.
    statements: HashMap<u32, u32>,
    methods: Vec<Span>,
}

/// The lines of a method.
#[derive(Debug, Clone, PartialEq)]
struct Span {
    first: u32,
    last: u32,
    method: u32,
}

impl Numbers {
    fn with(methods: &[MethodLines]) -> Self {
        let mut numbers = Numbers::default();
        for MethodLines { name, file, first, last } in methods {
            let method = numbers.method(name);
            let spans = &mut numbers.files.entry(file.clone()).or_default().methods;
            spans.push(Span { first: *first, last: *last, method });
        }
        numbers
    }

    fn count(&self) -> usize {
        self.statements as usize + self.methods.len()
    }

    fn method(&mut self, name: &str) -> u32 {
        if let Some(number) = self.methods.get(name) {
            return *number;
        }
        let number = self.methods.len() as u32;
        self.methods.insert(name.to_owned(), number);
        number
    }

    /// `exact` where lines say nothing of methods.
    fn covered(&mut self, elements: &[Element], exact: bool) -> Covered {
        let (mut statements, mut methods) = (Vec::new(), Vec::new());
        for element in elements {
            match element {
                Element::Method(name) => methods.push(self.method(name)),
                Element::Lines { file, first, last } => {
                    let count = &mut self.statements;
                    let file = self.files.entry(file.clone()).or_default();
                    for line in *first..=*last {
                        statements.push(file.statement(line, count));
                        if !exact {
                            methods.extend(file.methods_at(line));
                        }
                    }
                }
            }
        }
        Covered { statements: statements.into_iter().collect(), methods: methods.into_iter().collect() }
    }

    /// What already has a number; the rest nobody covers.
    fn find(&self, element: &Element, unit: Unit) -> Vec<u32> {
        match (element, unit) {
            (Element::Method(name), Unit::Method) => self.methods.get(name).copied().into_iter().collect(),
            (Element::Method(_), Unit::Statement) => Vec::new(),
            (Element::Lines { file, first, last }, _) => {
                let Some(file) = self.files.get(file) else { return Vec::new() };
                let lines = *first..=*last;
                match unit {
                    Unit::Statement => lines.filter_map(|line| file.statements.get(&line).copied()).collect(),
                    Unit::Method => lines.flat_map(|line| file.methods_at(line)).collect(),
                }
            }
        }
    }
}

impl File {
    fn statement(&mut self, line: u32, count: &mut u32) -> u32 {
        *self.statements.entry(line).or_insert_with(|| {
            *count += 1;
            *count - 1
        })
    }

    /// The innermost methods around a line: what a method of a local class does, the method around it need not do.
    fn methods_at(&self, line: u32) -> impl Iterator<Item = u32> {
        let around = move |span: &&Span| (span.first..=span.last).contains(&line);
        let shortest = self.methods.iter().filter(around).map(|span| span.last - span.first).min();
        let innermost = move |span: &&Span| around(span) && Some(span.last - span.first) == shortest;
        self.methods.iter().filter(innermost).map(|span| span.method)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(name: &str) -> TestId {
        TestId::new("", "C", name, 1)
    }

    fn elements(texts: &[&str]) -> Vec<Element> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    fn method(name: &str, first: u32, last: u32) -> MethodLines {
        MethodLines { name: name.to_owned(), file: "B.java".to_owned(), first, last }
    }

    fn coverage(tests: &[(&str, &[&str])]) -> Coverage {
        let methods = [method("B#outer()", 10, 30), method("B$1#inner()", 15, 20), method("B#other()", 40, 50)];
        Coverage::new(&methods, tests.iter().map(|(test, covers)| (id(test), elements(covers)))).unwrap()
    }

    fn touches(coverage: &Coverage, change: &[&str], unit: Unit) -> Vec<bool> {
        let change = Change { modified: elements(change), ..Change::default() };
        let touched = coverage.touched_by(&change, unit);
        ["x", "y", "z"].map(|test| coverage.of(&id(test), unit).meets(&touched)).to_vec()
    }

    #[test]
    fn lines_belong_to_the_innermost_method() {
        let coverage = coverage(&[("x", &["B.java:12"]), ("y", &["B.java:16-17"]), ("z", &["B#other()"])]);
        let sizes = |test| (coverage.of(&id(test), Unit::Statement).len(), coverage.of(&id(test), Unit::Method).len());
        assert_eq!([sizes("x"), sizes("y"), sizes("z")], [(1, 1), (2, 1), (0, 1)]);
        assert_eq!(touches(&coverage, &["B.java:13"], Unit::Method), [true, false, false]);
        assert_eq!(touches(&coverage, &["B.java:20"], Unit::Method), [false, true, false]);
        assert_eq!(touches(&coverage, &["B.java:45"], Unit::Method), [false, false, true]);
    }

    #[test]
    fn statements_are_touched_line_by_line_and_never_by_a_method() {
        let coverage = coverage(&[("x", &["B.java:12"]), ("y", &["B.java:13", "A.java:12"]), ("z", &[])]);
        assert_eq!(touches(&coverage, &["B.java:13-99"], Unit::Statement), [false, true, false]);
        assert_eq!(touches(&coverage, &["B#outer()", "Unknown.java:12"], Unit::Statement), [false; 3]);
        assert_eq!(touches(&coverage, &["B#outer()"], Unit::Method), [true, true, false]);
    }

    #[test]
    fn all_three_kinds_of_change_count() {
        let coverage = coverage(&[("x", &["B.java:1"]), ("y", &["B.java:2"]), ("z", &["B.java:3"])]);
        let change = Change {
            new: elements(&["B.java:1"]),
            deleted: elements(&["B.java:2"]),
            modified: elements(&["B.java:3"]),
        };
        assert_eq!(coverage.touched_by(&change, Unit::Statement).len(), 3);
        assert!(!change.is_of_methods_only() && !Change::default().is_of_methods_only());
        assert!(Change { new: elements(&["B#m()"]), ..Change::default() }.is_of_methods_only());
    }
}
