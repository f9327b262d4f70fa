//! Small changes to an experiment file that leave everything else in it as it is written, comments too.

use std::ops::Range;

use miette::miette;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A text with changes to be made to it.
pub(super) struct Edits<'t> {
    text: &'t str,
    changes: Vec<(Range<usize>, String)>,
}

/// Where a key and its value are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeyPosition {
    pub value: String,
    key: Range<usize>,
    span: Range<usize>,
}

/// A table of the file, by its header and, for lists, its name: `machine`, or `subject` and `commons-io`.
#[derive(Debug, Clone, Copy)]
pub(super) enum Table<'a> {
    Single(&'a str),
    Named(&'a str, &'a str),
}

impl KeyPosition {
    pub fn value_range(&self) -> Range<usize> {
        self.span.clone()
    }
}

impl<'t> Edits<'t> {
    pub fn of(text: &'t str) -> Self {
        Edits { text, changes: Vec::new() }
    }

    /// A key whose value is a text, if the file has it.
    pub fn find(&self, table: Table<'_>, key: &str) -> miette::Result<Option<KeyPosition>> {
        let file = DeTable::parse(self.text).map_err(|error| miette!("experiment.toml is damaged: {error}"))?;
        let found = chosen(file.get_ref(), table).and_then(|table| table.get_key_value(key));
        Ok(found.and_then(|(key, value)| match value.get_ref() {
            DeValue::String(text) => Some(KeyPosition { value: text.to_string(), key: key.span(), span: value.span() }),
            _ => None,
        }))
    }

    pub fn replace(&mut self, place: &KeyPosition, value: &str) {
        self.changes.push((place.span.clone(), toml::Value::from(value).to_string()));
    }

    /// The key goes too.
    pub fn rename(&mut self, place: &KeyPosition, key: &str, value: &str) {
        self.changes.push((place.key.start..place.span.end, format!("{key} = {}", toml::Value::from(value))));
    }

    /// The line of a key becomes a comment.
    pub fn drop(&mut self, place: &KeyPosition) {
        self.changes.push((place.key.start..place.key.start, "# ".to_owned()));
    }

    pub fn applied(mut self) -> String {
        self.changes.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
        let mut text = self.text.to_owned();
        for (range, replacement) in self.changes {
            text.replace_range(range, &replacement);
        }
        text
    }
}

fn chosen<'a, 'd>(file: &'a DeTable<'d>, table: Table<'_>) -> Option<&'a DeTable<'d>> {
    match table {
        Table::Single(header) => as_table(file.get(header)?),
        Table::Named(header, name) => {
            let DeValue::Array(items) = file.get(header)?.get_ref() else { return None };
            items.iter().filter_map(as_table).find(|table| match table.get("name").map(Spanned::get_ref) {
                Some(DeValue::String(text)) => text == name,
                _ => false,
            })
        }
    }
}

fn as_table<'a, 'd>(value: &'a Spanned<DeValue<'d>>) -> Option<&'a DeTable<'d>> {
    match value.get_ref() {
        DeValue::Table(table) => Some(table),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "# kept\n[[subject]]\nname = \"a\"  # too\npath = '../a'\ncommit = \"x\"\n\n[[subject]]\nname = 'b'\nmodel = 'b.toml'\n[machine]\njdk = '/opt/jdk'\n";

    #[test]
    fn only_what_is_changed_changes() {
        let mut edits = Edits::of(FILE);
        let a = Table::Named("subject", "a");
        let path = edits.find(a, "path").unwrap().unwrap();
        assert_eq!(path.value, "../a");
        edits.rename(&path, "path", "subjects/a");
        let commit = edits.find(a, "commit").unwrap().unwrap();
        edits.drop(&commit);
        let jdk = edits.find(Table::Single("machine"), "jdk").unwrap().unwrap();
        edits.replace(&jdk, "17");
        assert_eq!(edits.find(Table::Named("subject", "b"), "path").unwrap(), None);
        let expected = FILE
            .replace("path = '../a'", "path = \"subjects/a\"")
            .replace("commit = \"x\"", "# commit = \"x\"")
            .replace("'/opt/jdk'", "\"17\"");
        assert_eq!(edits.applied(), expected);
    }

    #[test]
    fn what_is_no_toml_is_an_error() {
        assert!(Edits::of("= 1").find(Table::Single("machine"), "jdk").is_err());
    }
}
