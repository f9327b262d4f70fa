//! Coverage and changes as the files that are read back: the other direction of `file`.

use std::path::Path;

use miette::miette;
use serde_json::{Value, json};

use super::file::{Notation, VERSION};
use super::{Change, Coverage, Element, ElementSet, Numbers, Span};
use crate::suite::TestId;
use crate::whole_file;

impl Coverage {
    /// TOML, or JSON by the ending of the name.
    pub fn save(&self, path: &Path) -> miette::Result<()> {
        save(path, &self.document(Notation::of(path)))
    }

    fn document(&self, notation: Notation) -> Value {
        let names = Names::of(&self.numbers);
        let mut tests: Vec<&TestId> = self.tests.keys().collect();
        tests.sort();
        let test = |id: &&TestId| {
            let covered = &self.tests[*id];
            json!({ "id": id.to_string(), "covers": names.shown(&covered.statements, &covered.methods) })
        };
        let (methods, of_tests) = match notation {
            Notation::Toml => ("method", "test"),
            Notation::Json => ("methods", "tests"),
        };
        let all: ElementSet = (0..self.numbers.statements).collect();
        json!({
            "version": VERSION,
            "exact": self.exact,
            "executable": names.shown(&all, &ElementSet::default()),
            methods: names.method_lines(&self.numbers),
            of_tests: tests.iter().map(test).collect::<Vec<_>>(),
        })
    }
}

impl Change {
    /// TOML, or JSON by the ending of the name.
    pub fn save(&self, path: &Path) -> miette::Result<()> {
        let shown = |elements: &[Element]| elements.iter().map(Element::to_string).collect::<Vec<_>>();
        let (new, deleted, modified) = (shown(&self.new), shown(&self.deleted), shown(&self.modified));
        save(path, &json!({ "version": VERSION, "new": new, "deleted": deleted, "modified": modified }))
    }
}

fn save(path: &Path, document: &Value) -> miette::Result<()> {
    let broken = |error: &dyn std::fmt::Display| miette!("{} cannot be written: {error}", path.display());
    let text = match Notation::of(path) {
        Notation::Json => serde_json::to_string(document).map_err(|error| broken(&error))?,
        Notation::Toml => toml::to_string(document).map_err(|error| broken(&error))?,
    };
    // A bare name has no folder that a file could be put beside it in.
    let path = std::path::absolute(path).map_err(|error| broken(&error))?;
    whole_file::write_atomically(&path, text.as_bytes())
}

/// From numbers back to what they stand for.
struct Names<'a> {
    statements: Vec<(&'a str, u32)>,
    methods: Vec<&'a str>,
}

impl<'a> Names<'a> {
    fn of(numbers: &'a Numbers) -> Self {
        let mut statements = vec![("", 0); numbers.statements as usize];
        for (file, known) in &numbers.files {
            for (line, number) in &known.statements {
                statements[*number as usize] = (file.as_str(), *line);
            }
        }
        let mut methods = vec![""; numbers.methods.len()];
        for (name, number) in &numbers.methods {
            methods[*number as usize] = name;
        }
        Names { statements, methods }
    }

    /// Lines first, those that follow one another together, then methods.
    fn shown(&self, statements: &ElementSet, methods: &ElementSet) -> Vec<String> {
        let mut lines: Vec<(&str, u32)> = statements.iter().map(|number| self.statements[number as usize]).collect();
        lines.sort_unstable();
        let together = lines.chunk_by(|(file, line), (next, after)| file == next && line + 1 == *after);
        let element = |run: &[(&str, u32)]| {
            Element::Lines { file: run[0].0.to_owned(), first: run[0].1, last: run[run.len() - 1].1 }.to_string()
        };
        let mut methods: Vec<String> = methods.iter().map(|number| self.methods[number as usize].to_owned()).collect();
        methods.sort_unstable();
        together.map(element).chain(methods).collect()
    }

    fn method_lines(&self, numbers: &Numbers) -> Vec<Value> {
        let spans = numbers.files.iter().flat_map(|(file, known)| known.methods.iter().map(move |span| (file, span)));
        let mut spans: Vec<(&String, &Span)> = spans.collect();
        spans.sort_by_key(|(file, span)| (*file, span.first, span.last, span.method));
        let written = |(file, span): (&String, &Span)| {
            let lines = Element::Lines { file: file.clone(), first: span.first, last: span.last };
            json!({ "name": self.methods[span.method as usize], "lines": lines.to_string() })
        };
        spans.into_iter().map(written).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::{MethodLines, Program, Unit};

    fn elements(texts: &[&str]) -> Vec<Element> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    fn measured() -> Coverage {
        let method = |name: &str, first, last| MethodLines { name: name.into(), file: "a/B.java".into(), first, last };
        let program = Program {
            methods: vec![method("a.B#m()", 10, 14), method("a.B#<init>()", 3, 3), method("a.B#<init>()", 20, 21)],
            executable: elements(&["a/B.java:3", "a/B.java:10-14", "a/B.java:20-21"]),
        };
        let x = ("C#x".parse().unwrap(), elements(&["a/B.java:10-11", "a/B.java:14", "a.B#m()"]));
        let y = ("C#y".parse().unwrap(), elements(&["a/B.java:3"]));
        Coverage::measured(&program, [x, y]).unwrap()
    }

    #[test]
    fn what_is_saved_is_read_back_in_both_notations() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["coverage.toml", "coverage.json"] {
            let path = folder.path().join(name);
            measured().save(&path).unwrap();
            let read = Coverage::load(&path).unwrap();
            let again = folder.path().join(format!("again-{name}"));
            read.save(&again).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), std::fs::read_to_string(&again).unwrap());
            assert_eq!(read.executable("a/B.java"), [3, 10, 11, 12, 13, 14, 20, 21]);
            let sizes = |test: &str| {
                let test = test.parse().unwrap();
                (read.of(&test, Unit::Statement).len(), read.of(&test, Unit::Method).len())
            };
            // The line of a method is no sign that the method was run, where methods are named.
            assert_eq!((sizes("C#x"), sizes("C#y")), ((3, 1), (1, 0)));
        }
    }

    #[test]
    fn changes_are_read_back() {
        let path = tempfile::tempdir().unwrap().path().join("changes.toml");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let change = Change { deleted: elements(&["a/B.java:3-4"]), ..Change::default() };
        change.save(&path).unwrap();
        assert_eq!(Change::load(&path).unwrap(), change);
    }
}
