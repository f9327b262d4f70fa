//! Typed access to one TOML table. What has the wrong type, is missing or is unknown is logged with its place; what the
//! values mean is not known here.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::mistake::{Log, Span};
use super::names::{closest, list, quoted};

/// A value with its place in the file.
#[derive(Debug, Clone)]
pub struct At<T> {
    pub value: T,
    pub span: Span,
}

impl<T> At<T> {
    pub fn new(value: T, span: Span) -> Self {
        At { value, span }
    }
}

/// A program and its arguments.
pub type Command = Vec<At<String>>;

/// A kind of table: how it is written, and the keys that it may have.
#[derive(Debug)]
pub struct TableKind {
    /// E.g. `[[subject]]`; nothing for the file itself.
    pub header: &'static str,
    pub keys: &'static [&'static str],
}

impl TableKind {
    fn place(&self) -> &'static str {
        if self.header.is_empty() { "the file" } else { self.header }
    }
}

/// Reads the keys of one table.
pub struct Reader<'a> {
    table: &'a DeTable<'a>,
    span: Span,
    kind: &'static TableKind,
    /// All kinds of tables, to tell where a misplaced key belongs.
    kinds: &'static [&'static TableKind],
    log: &'a Log,
}

impl<'a> Reader<'a> {
    /// Unknown keys are logged here, once and for all.
    pub fn new(
        table: &At<&'a DeTable<'a>>,
        kind: &'static TableKind,
        kinds: &'static [&'static TableKind],
        log: &'a Log,
    ) -> Self {
        let reader = Reader { table: table.value, span: table.span.clone(), kind, kinds, log };
        reader.log_unknown_keys();
        reader
    }

    fn log_unknown_keys(&self) {
        for key in self.table.keys().filter(|key| !self.kind.keys.contains(&key.get_ref().as_ref())) {
            let name = key.get_ref().as_ref();
            let message = || format!("{} has no key {}", self.place(), quoted(name));
            self.log.add_with(&key.span(), || (message(), self.unknown_key_help(name)));
        }
    }

    fn place(&self) -> &'static str {
        self.kind.place()
    }

    fn unknown_key_help(&self, name: &str) -> String {
        let all = format!("keys here: {}", list(self.kind.keys.iter().copied()));
        if let Some(meant) = closest(name, self.kind.keys.iter().copied()) {
            return format!("did you mean `{meant}`? {all}");
        }
        let elsewhere: Vec<_> =
            self.kinds.iter().filter(|kind| kind.keys.contains(&name)).map(|kind| kind.place()).collect();
        if elsewhere.is_empty() { all } else { format!("`{name}` belongs to {}; {all}", elsewhere.join(" or ")) }
    }

    /// Every known key that was written, right or wrong, with its place.
    pub fn written(&self) -> BTreeMap<&'static str, Span> {
        let place = |key: &&'static str| self.table.get_key_value(*key).map(|(written, _)| (*key, written.span()));
        self.kind.keys.iter().filter_map(place).collect()
    }

    fn get(&self, key: &'static str) -> Option<&'a Spanned<DeValue<'a>>> {
        debug_assert!(self.kind.keys.contains(&key), "`{key}` is read but not declared in {}", self.kind.header);
        self.table.get(key)
    }

    /// Logs the absence of a key.
    pub fn require(&self, key: &'static str, example: &str) {
        if self.get(key).is_none() {
            self.log.add(&self.span, format!("{} has no `{key}`", self.place()), format!("add `{key} = {example}`"));
        }
    }

    pub fn text(&self, key: &'static str, example: &str) -> Option<At<String>> {
        let value = self.get(key)?;
        self.text_of(value, key, &format!("{key} = {example}"))
    }

    fn text_of(&self, value: &Spanned<DeValue<'_>>, what: &str, example: &str) -> Option<At<String>> {
        match value.get_ref() {
            DeValue::String(text) => Some(At::new(text.clone().into_owned(), value.span())),
            DeValue::Integer(_) | DeValue::Float(_) | DeValue::Boolean(_) | DeValue::Datetime(_) => {
                self.wrong_type(value, what, "text", &format!("put it between double quotes, e.g. `{example}`"));
                None
            }
            _ => {
                self.wrong_type(value, what, "text", &format!("write e.g. `{example}`"));
                None
            }
        }
    }

    /// A whole number from 0 on.
    pub fn count(&self, key: &'static str, example: &str) -> Option<At<u64>> {
        let value = self.get(key)?;
        let number = match value.get_ref() {
            DeValue::Integer(number) => number,
            _ => {
                self.wrong_type(value, key, "a whole number", &format!("write e.g. `{key} = {example}`"));
                return None;
            }
        };
        let read = u64::from_str_radix(number.as_str(), number.radix()).ok();
        if read.is_none() {
            let message = format!("`{key}` is out of range: {}", quoted(&number.to_string()));
            self.log.add(
                &value.span(),
                message,
                format!(
                    "write a whole number of at least 0, e.g. `{key} = \
                {example}`"
                ),
            );
        }
        read.map(|number| At::new(number, value.span()))
    }

    /// A number, whole or not.
    pub fn number(&self, key: &'static str, example: &str) -> Option<At<f64>> {
        let value = self.get(key)?;
        let written = match value.get_ref() {
            DeValue::Integer(number) if number.radix() == 10 => number.as_str(),
            DeValue::Float(number) => number.as_str(),
            _ => "",
        };
        let read = written.parse::<f64>().ok().filter(|number| number.is_finite());
        if read.is_none() {
            self.wrong_type(value, key, "a number", &format!("write e.g. `{key} = {example}`"));
        }
        read.map(|number| At::new(number, value.span()))
    }

    pub fn flag(&self, key: &'static str) -> Option<At<bool>> {
        let value = self.get(key)?;
        match value.get_ref() {
            DeValue::Boolean(flag) => Some(At::new(*flag, value.span())),
            _ => {
                self.wrong_type(value, key, "true or false", &format!("write `{key} = true` or `{key} = false`"));
                None
            }
        }
    }

    /// A text or a whole number, as text: `forks = 2` and `forks = "1C"`, `cores = 2` and `cores = "all"`.
    pub fn text_or_count(&self, key: &'static str, example: &str) -> Option<At<String>> {
        self.text_or_count_of(self.get(key)?, key, example)
    }

    fn text_or_count_of(&self, value: &Spanned<DeValue<'_>>, key: &str, example: &str) -> Option<At<String>> {
        match value.get_ref() {
            DeValue::String(text) => Some(At::new(text.clone().into_owned(), value.span())),
            DeValue::Integer(number) => Some(At::new(number.to_string(), value.span())),
            _ => {
                self.wrong_type(value, key, "a whole number or text", &format!("write e.g. `{key} = {example}`"));
                None
            }
        }
    }

    /// One text or number, or a list of them.
    pub fn texts_or_counts(&self, key: &'static str, example: &str) -> Option<At<Vec<At<String>>>> {
        let value = self.get(key)?;
        let items = match value.get_ref() {
            DeValue::Array(items) => {
                items.iter().filter_map(|item| self.text_or_count_of(item, key, example)).collect()
            }
            _ => self.text_or_count_of(value, key, example).into_iter().collect(),
        };
        Some(At::new(items, value.span()))
    }

    /// Is the value of a key a list, of whatever?
    pub fn is_list(&self, key: &'static str) -> bool {
        self.get(key).is_some_and(|value| matches!(value.get_ref(), DeValue::Array(_)))
    }

    pub fn texts(&self, key: &'static str, example: &str) -> Option<At<Vec<At<String>>>> {
        let value = self.get(key)?;
        self.texts_of(value, key, &format!("{key} = {example}"))
    }

    fn texts_of(&self, value: &Spanned<DeValue<'_>>, what: &str, example: &str) -> Option<At<Vec<At<String>>>> {
        let DeValue::Array(items) = value.get_ref() else {
            self.wrong_type(value, what, "a list of texts", &format!("write e.g. `{example}`"));
            return None;
        };
        let item = format!("an item of `{what}`");
        let texts = items.iter().filter_map(|value| self.text_of(value, &item, example)).collect();
        Some(At::new(texts, value.span()))
    }

    /// A list of lists of texts: programs with their arguments.
    pub fn text_lists(&self, key: &'static str, example: &str) -> Option<Vec<At<Command>>> {
        let value = self.get(key)?;
        let example = format!("{key} = {example}");
        let DeValue::Array(items) = value.get_ref() else {
            self.wrong_type(value, key, "a list of commands", &format!("write e.g. `{example}`"));
            return None;
        };
        let item = format!("a command of `{key}`");
        Some(items.iter().filter_map(|value| self.texts_of(value, &item, &example)).collect())
    }

    /// A table of texts with free keys.
    pub fn text_table(&self, key: &'static str, example: &str) -> Vec<(At<String>, At<String>)> {
        let Some(value) = self.get(key) else { return Vec::new() };
        let DeValue::Table(table) = value.get_ref() else {
            self.wrong_type(value, key, "a table", &format!("write e.g. `{key} = {example}`"));
            return Vec::new();
        };
        let entry = |(name, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
            let name =
                At::new(AsRef::<str>::as_ref(name.get_ref() as &std::borrow::Cow<'_, str>).to_owned(), name.span());
            let text = self.text_of(value, &name.value, &format!("{key} = {example}"))?;
            Some((name, text))
        };
        table.iter().filter_map(entry).collect()
    }

    /// A `[key]` table.
    pub fn table(&self, key: &'static str) -> Option<At<&'a DeTable<'a>>> {
        let value = self.get(key)?;
        match value.get_ref() {
            DeValue::Table(table) => Some(At::new(table, value.span())),
            DeValue::Array(_) => {
                let help = format!("there can be only one: write `[{key}]` once, with single brackets");
                self.wrong_type(value, key, "a table", &help);
                None
            }
            _ => {
                self.wrong_type(value, key, "a table", &format!("write `[{key}]` on a separate line"));
                None
            }
        }
    }

    /// The `[[key]]` tables.
    pub fn tables(&self, key: &'static str) -> Vec<At<&'a DeTable<'a>>> {
        let Some(value) = self.get(key) else { return Vec::new() };
        let help = format!("there can be several: write `[[{key}]]`, with double brackets, before each");
        let DeValue::Array(items) = value.get_ref() else {
            self.wrong_type(value, key, "a list of tables", &help);
            return Vec::new();
        };
        let table = |item: &'a Spanned<DeValue<'a>>| match item.get_ref() {
            DeValue::Table(table) => Some(At::new(table, item.span())),
            _ => {
                self.wrong_type(item, key, "a table", &help);
                None
            }
        };
        items.iter().filter_map(table).collect()
    }

    /// The `[….key.<name>]` tables, by their free names.
    pub fn named_tables(&self, key: &'static str) -> Vec<(At<String>, At<&'a DeTable<'a>>)> {
        let Some(parent) = self.table(key) else { return Vec::new() };
        let mut tables = Vec::new();
        for (name, value) in parent.value {
            let text: &str = name.get_ref();
            match value.get_ref() {
                DeValue::Table(table) => {
                    tables.push((At::new(text.to_owned(), name.span()), At::new(table, value.span())));
                }
                _ => {
                    let help = format!("add the name that it applies to: `[{}.{key}.<name>]`", self.plain_header());
                    self.wrong_type(value, text, "a table", &help);
                }
            }
        }
        tables
    }

    fn plain_header(&self) -> &'static str {
        self.kind.header.trim_matches(['[', ']'])
    }

    fn wrong_type(&self, value: &Spanned<DeValue<'_>>, what: &str, expected: &str, help: &str) {
        let what = if what.contains('`') { what.to_owned() } else { quoted(what) };
        let found = found(value.get_ref());
        self.log.add(&value.span(), format!("{what} must be {expected}, but is {found}"), help);
    }
}

fn found(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("the text {}", quoted(text)),
        DeValue::Integer(number) => format!("the number {}", quoted(&number.to_string())),
        DeValue::Float(number) => format!("the decimal number {}", quoted(number.as_str())),
        DeValue::Boolean(flag) => format!("`{flag}`"),
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}
