//! How a claim's value comes about, part by part, in words.

use super::claim::{Claim, Computation};
use super::expression::{Column, Entry, Item, Source, Value, evaluate_in_steps};
use super::range::Range;

/// So many rows of a column are written out.
const LISTED: usize = 40;

/// A part of an expression and what it came to.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Explained {
    pub expression: String,
    pub value: String,
}

/// Nothing for a claim that is not computed.
pub fn explain(claim: &Claim, source: &Source<'_>) -> Vec<Explained> {
    let Computation::From(formula) = &claim.compute else { return Vec::new() };
    let (value, steps) = evaluate_in_steps(&formula.tree, source);
    let mut explained: Vec<Explained> = Vec::new();
    for step in steps {
        let part = Explained { expression: step.expression, value: in_words(&step.value, source) };
        if !explained.contains(&part) {
            explained.push(part);
        }
    }
    if let Err(trouble) = value {
        explained.push(Explained { expression: formula.tree.to_string(), value: trouble.message });
    }
    explained
}

fn in_words(value: &Value, source: &Source<'_>) -> String {
    match value {
        Value::Number(range) => number(*range),
        Value::Truth(truth) => {
            format!("{}{}", yes_or_no(truth.value), if truth.sure { "" } else { ", but rounding could reverse it" })
        }
        Value::Text(text) => format!("\"{text}\""),
        Value::Names(names) => names.listed.join("; "),
        Value::Cell(cell) => source.tables[cell.table].cell(cell.row, cell.column).into_owned(),
        Value::Column(column) => rows(column, source),
    }
}

fn rows(column: &Column, source: &Source<'_>) -> String {
    let entries: Vec<&Entry> = column.inside().collect();
    let shown: Vec<String> = entries.iter().take(LISTED).map(|entry| row(entry, source)).collect();
    let more = entries.len().saturating_sub(LISTED);
    let rest = if more > 0 { format!(", and {more} more") } else { String::new() };
    let doubtful: Vec<&str> =
        column.entries.iter().filter(|entry| !entry.inclusion.is_inside()).map(|entry| entry.key.as_str()).collect();
    let doubt = if doubtful.is_empty() {
        String::new()
    } else {
        format!("; before rounding perhaps also {}", doubtful.join(", "))
    };
    let list = if shown.is_empty() { String::new() } else { format!(": {}", shown.join(", ")) };
    format!("{}{list}{rest}{doubt}", crate::wording::plural(entries.len(), "row"))
}

fn row(entry: &Entry, source: &Source<'_>) -> String {
    let item = match &entry.item {
        Item::Cell(cell) => source.tables[cell.table].cell(cell.row, cell.column).into_owned(),
        Item::Number(range) => short(range.value),
        Item::Truth(truth) => yes_or_no(truth.value).to_owned(),
        Item::Text(text) | Item::Missing(text) => text.clone(),
        Item::Undefined(why) => format!("({why})"),
    };
    format!("{} {item}", entry.key).trim().to_owned()
}

fn number(range: Range) -> String {
    if range.is_exact() {
        return short(range.value);
    }
    format!("{} ({} to {} before rounding)", short(range.value), short(range.low), short(range.high))
}

fn yes_or_no(value: bool) -> &'static str {
    if value { "yes" } else { "no" }
}

/// Six digits say enough.
pub fn short(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        return number.to_string();
    }
    let magnitude = number.abs().log10().floor();
    if !(-5.0..15.0).contains(&magnitude) {
        return format!("{number:.5e}");
    }
    let decimals = (5.0 - magnitude).clamp(0.0, 10.0) as usize;
    trimmed(&format!("{number:.decimals$}"), 0)
}

/// Without zeros at the end, but with so many decimals at least.
pub fn trimmed(text: &str, least: usize) -> String {
    let Some((whole, fraction)) = text.split_once('.') else { return text.to_owned() };
    let kept = fraction.trim_end_matches('0').len().max(least.min(fraction.len()));
    if kept == 0 { whole.to_owned() } else { format!("{whole}.{}", &fraction[..kept]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (number, text) in [
            (1.0 / 3.0, "0.333333"),
            (16.0, "16"),
            (1234.5, "1234.5"),
            (1e-9, "1.00000e-9"),
            (0.0, "0"),
            (1e6, "1000000"),
        ] {
            assert_eq!(short(number), text);
        }
        assert_eq!([trimmed("1.5900", 1), trimmed("2.000", 2), trimmed("7", 3)], ["1.59", "2.00", "7"]);
    }
}
