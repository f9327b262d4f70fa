//! What two experiment files say differently, key by key. Subjects and configurations are matched by their names, so that
//! neither their order nor comments count. Nothing is validated: files of other machines name paths that are not here.

use std::collections::BTreeSet;

use toml::{Table, Value};

/// Longer values are cut where they are shown.
const LONGEST_VALUE: usize = 80;

/// One key that is not the same in both files.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Difference {
    /// `machine.timeout`, ``subject `commons-io`.commit``, ``configuration `classes` ``.
    pub place: String,
    /// What the first file has there, if anything.
    pub left: Option<String>,
    pub right: Option<String>,
}

impl Difference {
    /// Is it a whole subject, configuration or table that only one file has?
    pub fn is_only_in_one(&self) -> bool {
        self.left.is_none() || self.right.is_none()
    }
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "not there".to_owned());
        write!(f, "{}: {} and {}", self.place, value(&self.left), value(&self.right))
    }
}

/// All of them, in the order of the keys. The error says which file is no TOML, and why.
pub fn differences(left: &str, right: &str) -> Result<Vec<Difference>, String> {
    let parse = |text: &str, which: &str| {
        text.parse::<Table>().map_err(|error| format!("the {which} experiment file is not TOML: {}", error.message()))
    };
    let mut found = Vec::new();
    tables("", &parse(left, "first")?, &parse(right, "second")?, &mut found);
    Ok(found)
}

fn tables(place: &str, left: &Table, right: &Table, found: &mut Vec<Difference>) {
    let keys: BTreeSet<&String> = left.keys().chain(right.keys()).collect();
    for key in keys {
        let below = if place.is_empty() { key.clone() } else { format!("{place}.{key}") };
        match (left.get(key), right.get(key)) {
            (Some(Value::Table(a)), Some(Value::Table(b))) => tables(&below, a, b, found),
            (a, b) if is_named(a) && is_named(b) => named(key, a, b, found),
            (a, b) if a != b => found.push(Difference { place: below, left: a.map(shown), right: b.map(shown) }),
            _ => {}
        }
    }
}

/// A list of tables that all have names; what is not there counts as such a list too.
fn is_named(value: Option<&Value>) -> bool {
    match value {
        None => true,
        Some(Value::Array(items)) => !items.is_empty() && items.iter().all(|item| name_of(item).is_some()),
        Some(_) => false,
    }
}

fn name_of(item: &Value) -> Option<&str> {
    item.as_table()?.get("name")?.as_str()
}

fn named(kind: &str, left: Option<&Value>, right: Option<&Value>, found: &mut Vec<Difference>) {
    let items = |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
    let (left, right) = (items(left), items(right));
    let mut names: Vec<&str> = left.iter().chain(&right).filter_map(name_of).collect();
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(*name));
    for name in names {
        let of = |items: &[Value]| items.iter().find(|item| name_of(item) == Some(name)).cloned();
        let place = format!("{kind} `{}`", name.escape_debug());
        match (of(&left), of(&right)) {
            (Some(Value::Table(a)), Some(Value::Table(b))) => tables(&place, &a, &b, found),
            (a, b) => found.push(Difference {
                place,
                left: a.map(|_| "there".to_owned()),
                right: b.map(|_| "there".to_owned()),
            }),
        }
    }
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    let short: String = text.chars().take(LONGEST_VALUE).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(LONGEST_VALUE).is_some() { format!("{short}…") } else { short }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(left: &str, right: &str) -> Vec<String> {
        differences(left, right).unwrap().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn order_and_comments_do_not_count() {
        let left = "# mine\n[[subject]]\nname = 'a'\n[[subject]]\nname = 'b'\n[machine]\ncores = 2\n";
        let right = "[machine]\ncores = 2\n[[subject]]\nname = 'b'\n[[subject]]\nname = 'a'\n";
        assert_eq!(told(left, right), Vec::<String>::new());
    }

    #[test]
    fn every_other_value_is_named_with_its_place() {
        let left = "[experiment]\nseed = 1\n[[subject]]\nname = 'a'\ncommit = 'x'\n[[configuration]]\nname = 'c'\n";
        let right =
            "[experiment]\nseed = 2\n[[subject]]\nname = 'a'\ncommit = 'y'\n[subject.override.c]\nthreads = 2\n";
        assert_eq!(
            told(left, right),
            [
                "configuration `c`: there and not there",
                "experiment.seed: 1 and 2",
                "subject `a`.commit: \"x\" and \"y\"",
                "subject `a`.override: not there and { c = { threads = 2 } }",
            ]
        );
    }

    #[test]
    fn what_is_no_toml_is_an_error_and_lists_of_another_kind_are_values() {
        assert!(differences("a = ", "").unwrap_err().starts_with("the first experiment file is not TOML"));
        assert!(differences("", "=").unwrap_err().starts_with("the second"));
        assert_eq!(told("cores = [1]", "cores = [1, 2]"), ["cores: [1] and [1, 2]"]);
        assert_eq!(told("subject = [{ x = 1 }]", "subject = [{ name = 'a' }]").len(), 1);
    }
}
