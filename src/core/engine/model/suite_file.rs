//! A model suite as it is written: all of its mistakes at once, each with its place.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use toml::de::DeTable;

use super::suite::{FailsBy, ModelSuite, ModelTest};
use crate::suite::{Change, Element, MethodLines, TestId};
use crate::toml_file::document;
use crate::toml_file::mistake::{Log, Mistakes};
use crate::toml_file::names::{quoted, suggestion};
use crate::toml_file::other_kind::other_text;
use crate::toml_file::reader::{At, Reader, TableKind};

const FILE: TableKind = TableKind { header: "", keys: &["startup", "test", "method", "changes"] };
const TEST: TableKind = TableKind {
    header: "[[test]]",
    keys: &[
        "id",
        "seconds",
        "needs",
        "polluted_by",
        "cleaned_by",
        "races_with",
        "flaky",
        "hangs_after",
        "exits_after",
        "covers",
        "reads",
        "writes",
        "per_class_instance",
        "declared_order",
        "fails_by",
    ],
};
const METHOD: TableKind = TableKind { header: "[[method]]", keys: &["name", "lines"] };
const CHANGES: TableKind = TableKind { header: "[changes]", keys: &["new", "deleted", "modified"] };
const KINDS: &[&TableKind] = &[&FILE, &TEST, &METHOD, &CHANGES];

const TEST_ID: &str = "a test is written as `module:pkg.Class#name~occurrence`; module and occurrence can be left out";
const ELEMENT: &str = "write lines such as \"a/B.java:12-15\", or a method such as \"a.B#m()\"";

/// `name` is the file's, for people.
pub(super) fn read(text: &str, name: &str) -> Result<ModelSuite, Mistakes> {
    if let Some(what) = other_text(text, FILE.keys).filter(|_| DeTable::parse(text).is_err()) {
        let message = format!("{} is not a model suite: {what}", quoted(name));
        return Err(Mistakes::unreadable(name, message, "docs/model-suite.md describes model suites"));
    }
    if let Ok(tree) = DeTable::parse(text)
        && is_experiment(tree.get_ref())
    {
        let message = format!("{} is an experiment file, not a model suite", quoted(name));
        return Err(Mistakes::unreadable(name, message, &format!("use `parade run {name}`")));
    }
    let log = Log::default();
    let suite = document::parse(text, &log).map(|tree| Pen { log: &log }.suite(&tree));
    match suite {
        Some(suite) if log.is_empty() => Ok(suite),
        _ => Err(log.into_mistakes(name, text)),
    }
}

/// Has it tables of an experiment file, and nothing of a model suite?
fn is_experiment(tree: &DeTable<'_>) -> bool {
    let has = |names: &[&str]| names.iter().any(|name| tree.contains_key(*name));
    has(&["experiment", "subject", "configuration"]) && !has(FILE.keys)
}

/// A test with the place of its id, and the tests that it names with theirs.
struct WrittenTest {
    test: ModelTest,
    id: Option<At<TestId>>,
    needs: Vec<At<TestId>>,
    named: Vec<At<TestId>>,
}

struct Pen<'a> {
    log: &'a Log,
}

impl Pen<'_> {
    fn suite(&self, tree: &DeTable<'_>) -> ModelSuite {
        let top = At::new(tree, 0..0);
        let reader = Reader::new(&top, &FILE, KINDS, self.log);
        let startup = self.seconds(&reader, "startup", "1.5").unwrap_or_default();
        let tests: Vec<WrittenTest> = reader.tables("test").iter().map(|table| self.test(table)).collect();
        self.check_names(&tests);
        self.check_cycles(&tests);
        ModelSuite {
            startup,
            tests: tests.into_iter().map(|written| written.test).collect(),
            methods: reader.tables("method").iter().filter_map(|table| self.method(table)).collect(),
            changes: reader.table("changes").map(|table| self.changes(&table)),
        }
    }

    fn test(&self, table: &At<&DeTable<'_>>) -> WrittenTest {
        let reader = Reader::new(table, &TEST, KINDS, self.log);
        reader.require("id", "\"shop.StockTest#fills\"");
        let id = reader.text("id", "\"shop.StockTest#fills\"").and_then(|text| self.parsed::<TestId>(&text, TEST_ID));
        let [needs, polluted_by, cleaned_by, races_with] =
            ["needs", "polluted_by", "cleaned_by", "races_with"].map(|key| self.test_ids(&reader, key));
        let plain = |ids: &[At<TestId>]| ids.iter().map(|id| id.value.clone()).collect::<Vec<TestId>>();
        let names = |key| {
            let texts = reader.texts(key, "[\"language\"]")?;
            Some(texts.value.into_iter().map(|text| text.value).collect::<Vec<String>>())
        };
        let test = ModelTest {
            // One that cannot be read is a mistake, so this suite is never used.
            id: id.as_ref().map_or_else(|| TestId::new("", "", "", 1), |id| id.value.clone()),
            seconds: self.seconds(&reader, "seconds", "0.5").unwrap_or_default(),
            needs: plain(&needs),
            polluted_by: plain(&polluted_by),
            cleaned_by: plain(&cleaned_by),
            races_with: plain(&races_with),
            flaky: self.probability(&reader).unwrap_or_default(),
            hangs_after: self.seconds(&reader, "hangs_after", "3.0"),
            exits_after: self.seconds(&reader, "exits_after", "3.0"),
            covers: self.elements(&reader, "covers"),
            reads: names("reads"),
            writes: names("writes"),
            per_class_instance: reader.flag("per_class_instance").is_some_and(|flag| flag.value),
            declared_order: reader.flag("declared_order").is_some_and(|flag| flag.value),
            fails_by: self.fails_by(&reader),
        };
        let named = [needs.clone(), polluted_by, cleaned_by, races_with].into_iter().flatten().collect();
        WrittenTest { test, id, needs, named }
    }

    /// Tests that need each other can never pass: each cycle is named once, where it is closed.
    fn check_cycles(&self, tests: &[WrittenTest]) {
        let by_id: BTreeMap<&TestId, &WrittenTest> =
            tests.iter().filter_map(|test| Some((&test.id.as_ref()?.value, test))).collect();
        let mut done: BTreeSet<&TestId> = BTreeSet::new();
        for start in by_id.keys().copied() {
            // Each entry: a test on the path, and how many of its needs were followed.
            let mut path: Vec<(&TestId, usize)> = if done.contains(start) { Vec::new() } else { vec![(start, 0)] };
            while let Some((id, followed)) = path.last_mut() {
                let Some(need) = by_id.get(*id).and_then(|test| test.needs.get(*followed)) else {
                    done.insert(*id);
                    path.pop();
                    continue;
                };
                *followed += 1;
                if let Some(from) = path.iter().position(|(id, _)| **id == need.value) {
                    let names = path[from..].iter().map(|(id, _)| id.to_string()).chain([need.value.to_string()]);
                    let cycle = names.collect::<Vec<_>>().join(" → ");
                    let message = format!("these tests need each other: {cycle}");
                    self.log.add(&need.span, message, "take one of these out of `needs`");
                } else if let Some((known, _)) = by_id.get_key_value(&need.value).filter(|(id, _)| !done.contains(*id))
                {
                    path.push((known, 0));
                }
            }
        }
    }

    /// Every test once, and no other named.
    fn check_names(&self, tests: &[WrittenTest]) {
        let mut known: BTreeSet<&TestId> = BTreeSet::new();
        for id in tests.iter().filter_map(|test| test.id.as_ref()) {
            if !known.insert(&id.value) {
                let message = format!("the test {} is declared twice", quoted(&id.value.to_string()));
                self.log.add(&id.span, message, "give the second one an occurrence, as in `C#name~2`");
            }
        }
        let strangers = tests.iter().flat_map(|test| &test.named).filter(|named| !known.contains(&named.value));
        for stranger in strangers {
            self.log.add_with(&stranger.span, || {
                let name = stranger.value.to_string();
                let all: Vec<String> = known.iter().map(|id| id.to_string()).collect();
                let help = suggestion(&name, "tests here", all.iter().map(String::as_str));
                (format!("{} is not a test of this suite", quoted(&name)), help)
            });
        }
    }

    fn method(&self, table: &At<&DeTable<'_>>) -> Option<MethodLines> {
        let reader = Reader::new(table, &METHOD, KINDS, self.log);
        reader.require("name", "\"a.B#m()\"");
        reader.require("lines", "\"a/B.java:12-15\"");
        let name = reader.text("name", "\"a.B#m()\"");
        let lines = reader.text("lines", "\"a/B.java:12-15\"");
        let name = name.and_then(|text| match text.value.contains('#') {
            true => Some(text.value),
            false => {
                let message = format!("{} is not the name of a method", quoted(&text.value));
                self.log.add(&text.span, message, "write e.g. `name = \"a.B#m()\"`");
                None
            }
        });
        let lines = lines.and_then(|text| {
            let parsed = self.parsed::<Element>(&text, ELEMENT)?;
            match parsed.value {
                Element::Lines { file, first, last } => Some((file, first, last)),
                Element::Method(_) => {
                    let message = format!("{} is a method, not lines", quoted(&text.value));
                    self.log.add(&text.span, message, "write e.g. `lines = \"a/B.java:12-15\"`");
                    None
                }
            }
        });
        let (name, (file, first, last)) = name.zip(lines)?;
        Some(MethodLines { name, file, first, last })
    }

    fn changes(&self, table: &At<&DeTable<'_>>) -> Change {
        let reader = Reader::new(table, &CHANGES, KINDS, self.log);
        let of = |key| self.elements(&reader, key).unwrap_or_default();
        Change { new: of("new"), deleted: of("deleted"), modified: of("modified") }
    }

    fn test_ids(&self, reader: &Reader<'_>, key: &'static str) -> Vec<At<TestId>> {
        let texts = reader.texts(key, "[\"shop.StockTest#fills\"]").map(|texts| texts.value).unwrap_or_default();
        texts.iter().filter_map(|text| self.parsed(text, TEST_ID)).collect()
    }

    fn elements(&self, reader: &Reader<'_>, key: &'static str) -> Option<Vec<Element>> {
        let texts = reader.texts(key, "[\"a/B.java:12-15\"]")?;
        Some(texts.value.iter().filter_map(|text| self.parsed(text, ELEMENT)).map(|element| element.value).collect())
    }

    fn parsed<T: FromStr<Err: ToString>>(&self, text: &At<String>, help: &str) -> Option<At<T>> {
        match text.value.parse() {
            Ok(value) => Some(At::new(value, text.span.clone())),
            Err(error) => {
                self.log.add(&text.span, ToString::to_string(&error), help);
                None
            }
        }
    }

    fn seconds(&self, reader: &Reader<'_>, key: &'static str, example: &str) -> Option<f64> {
        let number = reader.number(key, example)?;
        if number.value < 0.0 {
            let message = format!("`{key}` is below 0");
            self.log.add(&number.span, message, format!("write a number of seconds, e.g. `{key} = {example}`"));
        }
        Some(number.value)
    }

    fn probability(&self, reader: &Reader<'_>) -> Option<f64> {
        let number = reader.number("flaky", "0.05")?;
        if !(0.0..=1.0).contains(&number.value) {
            self.log.add(&number.span, "`flaky` is not between 0 and 1", "write a probability, e.g. `flaky = 0.05`");
        }
        Some(number.value)
    }

    fn fails_by(&self, reader: &Reader<'_>) -> Option<FailsBy> {
        let text = reader.text("fails_by", "\"hanging\"")?;
        match text.value.as_str() {
            "hanging" => Some(FailsBy::Hanging),
            "exiting" => Some(FailsBy::Exiting),
            other => {
                let message = format!("`fails_by` cannot be {}", quoted(other));
                self.log.add(&text.span, message, "write `fails_by = \"hanging\"` or `fails_by = \"exiting\"`");
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_mistakes_are_told_at_once_with_their_places() {
        let text = "startup = -1\n\
                    [[test]]\nid = 'C#a'\nsecnods = 1\nflaky = 2\nneeds = ['C#b', 'nothing']\n\
                    [[test]]\nid = 'C#a'\nfails_by = 'chance'\ncovers = ['B.java']\nseconds = 'long'\n\
                    [[test]]\nseconds = 1\n\
                    [[method]]\nname = 'm'\nlines = 'B#m()'\n";
        let mistakes = read(text, "shop.toml").unwrap_err();
        let told: Vec<(Option<usize>, Option<usize>, &str)> =
            mistakes.entries().iter().map(|each| (each.line, each.column, each.message.as_str())).collect();
        let expected = [
            (1, 11, "`startup` is below 0"),
            (4, 1, "[[test]] has no key `secnods`"),
            (5, 9, "`flaky` is not between 0 and 1"),
            (6, 10, "`C#b` is not a test of this suite"),
            (6, 17, "`nothing` is not a test id"),
            (8, 6, "the test `C#a` is declared twice"),
            (9, 12, "`fails_by` cannot be `chance`"),
            (10, 11, "`B.java` is neither a line"),
            (11, 11, "`seconds` must be a number"),
            (12, 1, "[[test]] has no `id`"),
            (15, 8, "`m` is not the name of a method"),
            (16, 9, "`B#m()` is a method, not lines"),
        ];
        assert_eq!(told.len(), expected.len(), "{told:#?}");
        for ((line, column, message), found) in expected.into_iter().zip(&told) {
            assert_eq!((found.0, found.1), (Some(line), Some(column)), "{found:?}");
            assert!(found.2.starts_with(message), "{found:?}");
        }
        assert!(mistakes.entries().iter().all(|each| each.file == "shop.toml" && !each.help.is_empty()));
    }

    #[test]
    fn an_experiment_file_is_told_in_one_sentence() {
        let text = "[experiment]\nname = 'x'\n[[subject]]\nname = 'y'\n[[configuration]]\nname = 'z'\n";
        let mistakes = read(text, "paste.toml").unwrap_err();
        let told = format!("{} | {}", mistakes.entries()[0].message, mistakes.entries()[0].help);
        assert_eq!(told, "`paste.toml` is an experiment file, not a model suite | use `parade run paste.toml`");
        assert_eq!(mistakes.count(), 1);
    }

    #[test]
    fn tests_that_need_each_other_are_named() {
        let cycle = "[[test]]\nid = 'A#a'\nneeds = ['A#b']\n[[test]]\nid = 'A#b'\nneeds = ['A#c']\n\
            [[test]]\nid = 'A#c'\nneeds = ['A#a']\n[[test]]\nid = 'A#d'\nneeds = ['A#a']\n";
        let mistakes = read(cycle, "suite.toml").unwrap_err();
        let told: Vec<&str> = mistakes.entries().iter().map(|mistake| mistake.message.as_str()).collect();
        assert_eq!(told, ["these tests need each other: A#a → A#b → A#c → A#a"]);
        let itself = "[[test]]\nid = 'A#a'\nneeds = ['A#a']\n";
        assert_eq!(read(itself, "suite.toml").unwrap_err().count(), 1);
        let chain = cycle.replace("needs = ['A#a']\n[[test]]", "[[test]]");
        assert!(read(&chain, "suite.toml").is_ok());
    }

    #[test]
    fn broken_syntax_has_a_place_too() {
        let mistakes = read("[[test]]\nid = C#a\n", "shop.toml").unwrap_err();
        assert_eq!(mistakes.entries()[0].line, Some(2));
        let mistakes = read("<project>\n<a/>\n<b/>\n</project>\n", "pom.xml").unwrap_err();
        assert_eq!(mistakes.count(), 1);
        assert_eq!(mistakes.entries()[0].message, "`pom.xml` is not a model suite: it is XML");
    }
}
