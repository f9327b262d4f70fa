//! Files that are no experiment files at all: one sentence about them instead of a mistake for each of their lines.

use toml::de::DeTable;

use super::raw;
use crate::toml_file::Mistakes;
use crate::toml_file::names::{closest, quoted};
use crate::toml_file::other_kind::other_text;

/// What the file seems to be instead. `None` for whatever may be meant as an experiment file.
pub(super) fn refusal(text: &str, name: &str) -> Option<Mistakes> {
    let (what, help) = match DeTable::parse(text) {
        Ok(tree) => other_toml(tree.get_ref())?,
        Err(_) => (other_text(text, raw::FILE.keys)?, INIT),
    };
    Some(Mistakes::unreadable(name, format!("{} is not an experiment file: {what}", quoted(name)), help))
}

const INIT: &str = "give an experiment file; `parade init mine.toml --subject PROJECT` writes one for a project";

/// TOML of another kind: none of its keys is, or resembles, one of an experiment file.
fn other_toml(tree: &DeTable<'_>) -> Option<(&'static str, &'static str)> {
    let keys: Vec<&str> = tree.keys().map(|key| key.get_ref().as_ref()).collect();
    let is_meant = |key: &&str| closest(key, raw::FILE.keys.iter().copied()).is_some();
    if keys.is_empty() || keys.iter().any(is_meant) {
        return None;
    }
    let has = |key: &str| keys.contains(&key);
    Some(if has("test") {
        (
            "it is a model suite",
            "name it in an experiment file with `model`; `parade init mine.toml --subject SUITE` does",
        )
    } else if has("dependency") || has("conflict") {
        ("it is a dependency file", "name it in an experiment file with `dependencies`, below `[[subject]]`")
    } else {
        ("it has none of the tables `[experiment]`, `[[subject]]` and `[[configuration]]`", INIT)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Option<String> {
        refusal(text, "it").map(|mistakes| {
            assert_eq!((mistakes.count(), mistakes.entries()[0].line), (1, None));
            format!("{} | {}", mistakes.entries()[0].message, mistakes.entries()[0].help)
        })
    }

    #[test]
    fn other_files_are_told_by_what_they_are() {
        let pom = "<?xml version=\"1.0\"?>\n<project>\n  <modelVersion>4.0.0</modelVersion>\n</project>\n";
        for (text, expected) in [
            (pom, "`it` is not an experiment file: it is XML | give an experiment file; `parade init"),
            ("{ \"a\": 1 }", "it is JSON"),
            ("[[test]]\nid = 'C#a'\n", "it is a model suite | name it in an experiment file with `model`"),
            ("version = 1\n[[dependency]]\ntest = 'C#a'\n", "it is a dependency file"),
            ("[package]\nname = 'x'\n[dependencies]\n", "it has none of the tables `[experiment]`"),
            ("class A {\n  int a;\n\n  int b;\n  int c;\n}\n", "it is not TOML"),
        ] {
            let told = told(text).unwrap_or_default();
            assert!(told.contains(expected), "{text}: {told}");
        }
    }

    #[test]
    fn what_may_be_meant_as_an_experiment_is_read() {
        for text in [
            "",
            "# nothing yet\n",
            "[experiment]\nname = x\n",
            "[experimnt]\nname = 'x'\n",
            "[[subjects]]\nname = 'x'\n",
            "[experiment\nname = 'x'\n\n\n\n\n",
            "name = x\n",
        ] {
            assert_eq!(told(text), None, "{text}");
        }
    }
}
