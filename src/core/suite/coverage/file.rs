//! The files that say what tests cover and what has changed: TOML, or JSON by the ending of the name. Version 1 of both.

use std::path::Path;

use miette::miette;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::{Change, Coverage, Element, MethodLines, Program};
use crate::suite::TestId;
use crate::whole_file;

pub(super) const VERSION: u32 = 1;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CoverageFile {
    version: u32,
    /// Tests name the methods that they cover; their lines say nothing of methods.
    #[serde(default)]
    exact: bool,
    #[serde(default)]
    executable: Vec<Element>,
    #[serde(default, rename = "method", alias = "methods")]
    methods: Vec<MethodLines>,
    #[serde(default, rename = "test", alias = "tests")]
    tests: Vec<TestCoverage>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TestCoverage {
    id: TestId,
    #[serde(default)]
    covers: Vec<Element>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChangeFile {
    version: u32,
    #[serde(default)]
    new: Vec<Element>,
    #[serde(default)]
    deleted: Vec<Element>,
    #[serde(default)]
    modified: Vec<Element>,
}

/// How a text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notation {
    Toml,
    Json,
}

impl Notation {
    pub(super) fn of(path: &Path) -> Self {
        let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
        if is_json { Notation::Json } else { Notation::Toml }
    }

    fn parse<T: DeserializeOwned>(self, text: &str) -> Result<T, String> {
        match self {
            Notation::Toml => toml::from_str(text).map_err(|error| error.to_string()),
            Notation::Json => serde_json::from_str(text).map_err(|error| error.to_string()),
        }
    }
}

impl Coverage {
    pub fn load(path: &Path) -> miette::Result<Self> {
        load(path, Self::parse)
    }

    pub fn parse(text: &str, notation: Notation) -> miette::Result<Self> {
        let file: CoverageFile = notation.parse(text).map_err(|error| miette!("not a coverage file: {error}"))?;
        check_version(file.version)?;
        let program = Program { methods: file.methods, executable: file.executable };
        Coverage::of_program(&program, file.tests.into_iter().map(|test| (test.id, test.covers)), file.exact)
    }
}

impl Change {
    pub fn load(path: &Path) -> miette::Result<Self> {
        load(path, Self::parse)
    }

    pub fn parse(text: &str, notation: Notation) -> miette::Result<Self> {
        let file: ChangeFile = notation.parse(text).map_err(|error| miette!("not a file of changes: {error}"))?;
        check_version(file.version)?;
        Ok(Change { new: file.new, deleted: file.deleted, modified: file.modified })
    }
}

fn load<T>(path: &Path, parse: fn(&str, Notation) -> miette::Result<T>) -> miette::Result<T> {
    let text = whole_file::read(path)?;
    parse(&text, Notation::of(path)).map_err(|error| miette!("{}: {error}", path.display()))
}

fn check_version(version: u32) -> miette::Result<()> {
    if version == VERSION {
        return Ok(());
    }
    Err(miette!("version {version} is not known; this parade reads version {VERSION}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::Unit;

    const TOML: &str = "
version = 1
[[method]]
name = 'a.B#m()'
lines = 'a/B.java:10-14'
[[test]]
id = 'C#x'
covers = ['a/B.java:11', 'a.B#other()']
[[test]]
id = 'C#y'
";
    const JSON: &str = r#"{"version": 1, "methods": [{"name": "a.B#m()", "lines": "a/B.java:10-14"}],
        "tests": [{"id": "C#x", "covers": ["a/B.java:11", "a.B#other()"]}, {"id": "C#y"}]}"#;

    #[test]
    fn both_notations_say_the_same() {
        let toml = Coverage::parse(TOML, Notation::Toml).unwrap();
        assert_eq!(toml, Coverage::parse(JSON, Notation::Json).unwrap());
        let x: TestId = "C#x".parse().unwrap();
        assert_eq!((toml.of(&x, Unit::Statement).len(), toml.of(&x, Unit::Method).len()), (1, 2));
        assert!(toml.knows(&"C#y".parse().unwrap()) && !toml.knows(&"C#z".parse().unwrap()));
    }

    #[test]
    fn mistakes_are_named() {
        for (text, named) in [
            (TOML.replace("version = 1", "version = 2"), "version 2"),
            (TOML.replace("C#y", "C#x"), "`C#x` twice"),
            (TOML.replace(":11", ""), "a/B.java"),
            (TOML.replace("'a.B#m()'", "'a.B'"), "a.B"),
            (TOML.replace("covers", "cover"), "cover"),
        ] {
            let error = Coverage::parse(&text, Notation::Toml).unwrap_err().to_string();
            assert!(error.contains(named), "{error}");
        }
        let error = Change::parse("version = 1\nchanged = []\n", Notation::Toml).unwrap_err().to_string();
        assert!(error.contains("changed"), "{error}");
    }
}
