//! A table as markup. It is written directly, not by the template: a report can have hundreds of thousands of cells.

use std::fmt::Write;

use crate::report::render::csv;
use crate::report::tables::{Agreement, Align, DisplayCell, DisplayColumn, DisplayRow, DisplayTable, Tone};
use crate::shown_text::shown;

/// Longer texts are given a wider column.
const LONG_TEXT: usize = 28;
/// In longer tables the tooltips are left out: they are most of the page there, and the CSV has what they say.
const MOST_HINTED_ROWS: usize = 300;
/// Steps of colour on each side of a gradient.
const STEPS: f64 = 5.0;

/// The table with its title, its links and its notes; `number` tells tables of one page apart. Its CSV lies beside the page.
pub fn render(table: &DisplayTable, number: usize) -> String {
    linked(table, number, &format!("href=\"{}.csv\" download", table.name))
}

/// The same for a page that has nothing beside it: its CSV is in the link.
pub fn render_alone(table: &DisplayTable, number: usize) -> miette::Result<String> {
    let text = csv::of_table(table)?;
    let encoded: String = text.bytes().map(percent).collect();
    Ok(linked(
        table,
        number,
        &format!("href=\"data:text/csv;charset=utf-8,{encoded}\" download=\"{}.csv\"", table.name),
    ))
}

fn percent(byte: u8) -> String {
    if byte.is_ascii_alphanumeric() { char::from(byte).to_string() } else { format!("%{byte:02X}") }
}

fn linked(table: &DisplayTable, number: usize, address: &str) -> String {
    let mut out = String::new();
    let name = table.name;
    let title = escape(&table.title);
    let long = if table.rows.len() > MOST_HINTED_ROWS { " endless" } else { "" };
    let _ = write!(
        out,
        "<div class=\"block{long}\" id=\"table-{number}\">\n<div class=\"bar\"><h3 id=\"title-{number}\">{title}</h3> \
         <a class=\"raw\" {address} data-csv=\"{name}\">CSV</a></div>\n\
         <div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-labelledby=\"title-{number}\">\n\
         <table>\n<caption class=\"unseen\">{title}</caption>\n"
    );
    heads(&mut out, table);
    bodies(&mut out, table);
    out.push_str("</table>\n</div>\n");
    for note in &table.notes {
        let _ = writeln!(out, "<p class=\"note\">{}</p>", escape(note));
    }
    out.push_str("</div>");
    out
}

fn heads(out: &mut String, table: &DisplayTable) {
    out.push_str("<thead>\n");
    if table.columns.iter().any(|column| column.group.is_some()) {
        out.push_str("<tr>");
        for group in table.columns.chunk_by(|a, b| a.group == b.group) {
            let label = group.first().and_then(|column| column.group.as_deref());
            let scope = if label.is_some() { " class=\"group edge\" scope=\"colgroup\"" } else { "" };
            let tag = if label.is_some() { "th" } else { "td" };
            let _ =
                write!(out, "<{tag} colspan=\"{}\"{scope}>{}</{tag}>", group.len(), escape(label.unwrap_or_default()));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("<tr>");
    for (index, column) in table.columns.iter().enumerate() {
        let class = class_attribute(&classes(&table.columns, index, None));
        let _ = write!(out, "<th scope=\"col\"{class}>{}</th>", escape(&column.label));
    }
    out.push_str("</tr>\n</thead>\n");
}

/// What sums up the others stays below them, however they are sorted: it has a body of its own.
fn bodies(out: &mut String, table: &DisplayTable) {
    let is_hinted = table.rows.len() <= MOST_HINTED_ROWS;
    let (sums, rows): (Vec<&DisplayRow>, Vec<&DisplayRow>) = table.rows.iter().partition(|row| row.is_summary);
    for (class, rows) in [("", rows), (" class=\"summary\"", sums)] {
        if rows.is_empty() {
            continue;
        }
        out.push_str("<tbody>\n");
        for row in rows {
            let _ = write!(out, "<tr{class}>");
            for (index, cell) in row.cells.iter().enumerate() {
                write_cell(out, &table.columns, index, cell, is_hinted);
            }
            out.push_str("</tr>\n");
        }
        out.push_str("</tbody>\n");
    }
}

fn write_cell(out: &mut String, columns: &[DisplayColumn], index: usize, cell: &DisplayCell, is_hinted: bool) {
    let (tag, scope) = if index == 0 { ("th", " scope=\"row\"") } else { ("td", "") };
    let class = class_attribute(&classes(columns, index, Some(cell)));
    let _ = write!(out, "<{tag}{scope}{class}");
    if let Some(value) = cell.value.filter(|value| value.is_finite() && cell.whole().parse() != Ok(*value)) {
        let _ = write!(out, " data-v=\"{}\"", for_sorting(value));
    }
    if let Some(hint) = cell.hint.as_deref().filter(|_| is_hinted) {
        let _ = write!(out, " title=\"{}\"", escape(&shown(hint)));
    }
    let _ = write!(out, ">{}", with_code(&cell.text));
    if let Some(published) = &cell.published {
        let (class, symbol) = (agreement(published.agreement), published.agreement.symbol());
        let _ = write!(out, " <span class=\"published {class}\">{} {symbol}</span>", escape(&published.text));
    }
    let _ = write!(out, "</{tag}>");
}

/// What stands between backticks as code, where they come in pairs.
fn with_code(text: &str) -> String {
    let parts: Vec<String> = text.split('`').map(escape).collect();
    if parts.len().is_multiple_of(2) {
        return escape(text);
    }
    let marked = |(at, part): (usize, &String)| if at % 2 == 1 { format!("<code>{part}</code>") } else { part.clone() };
    parts.iter().enumerate().map(marked).collect()
}

/// Enough digits to sort by.
fn for_sorting(value: f64) -> f64 {
    if value == 0.0 {
        return 0.0;
    }
    let unit = 10f64.powi(5 - value.abs().log10().floor().clamp(-300.0, 300.0) as i32);
    let rounded = (value * unit).round() / unit;
    if rounded.is_finite() { rounded } else { value }
}

fn class_attribute(classes: &str) -> String {
    if classes.is_empty() { String::new() } else { format!(" class=\"{classes}\"") }
}

fn classes(columns: &[DisplayColumn], index: usize, cell: Option<&DisplayCell>) -> String {
    let group = |index: usize| columns.get(index).and_then(|column| column.group.as_ref());
    let starts_group = index > 0 && group(index).is_some() && group(index) != group(index - 1);
    let is_number = columns.get(index).is_some_and(|column| column.align == Align::Right);
    let text = cell.map_or("", |cell| cell.text.as_str());
    let width = if text.chars().count() > LONG_TEXT {
        "long"
    } else if !is_number && (!text.contains(' ') || cell.is_some_and(|cell| cell.tone != Tone::Plain)) {
        "code"
    } else {
        ""
    };
    let parts = [
        if is_number { "num" } else { "" },
        cell.map_or("", |cell| tone(cell.tone)),
        if starts_group { "edge" } else { "" },
        if cell.is_some() && index > 0 { width } else { "" },
    ];
    let shade = cell.and_then(|cell| cell.shade).map(shade).unwrap_or_default();
    let named = parts.into_iter().filter(|part| !part.is_empty()).chain((!shade.is_empty()).then_some(shade.as_str()));
    named.collect::<Vec<_>>().join(" ")
}

fn tone(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "",
        Tone::Good => "good",
        Tone::Bad => "bad",
        Tone::Muted => "muted",
    }
}

fn agreement(agreement: Agreement) -> &'static str {
    match agreement {
        Agreement::Agrees => "agrees",
        Agreement::DirectionOnly => "direction",
        Agreement::Differs => "differs",
        Agreement::Unknown => "unknown",
    }
}

/// `shade p3`: the third step on the side of gain.
fn shade(shade: f64) -> String {
    match (shade.abs() * STEPS).ceil() {
        0.0 => "shade".to_owned(),
        step if shade > 0.0 => format!("shade p{step}"),
        step => format!("shade m{step}"),
    }
}

/// Text as text, also between quotes.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::RunReport;
    use crate::report::sample;
    use crate::report::tables::TableDefinition;

    fn speedups() -> DisplayTable {
        RunReport::new(sample::studied()).tables(TableDefinition::find("speedups").unwrap()).remove(0)
    }

    #[test]
    fn a_number_that_is_shown_otherwise_carries_itself_for_sorting() {
        let markup = render(&speedups(), 1);
        assert!(markup.contains(" data-v=\"62\""), "{markup}");
        assert!(markup.contains("scope=\"row\"") && markup.contains("<caption"));
    }

    #[test]
    fn six_digits_are_enough_to_sort_by() {
        assert_eq!([for_sorting(1.234567891), for_sorting(-98765.4321), for_sorting(0.0)], [1.23457, -98765.4, 0.0]);
        assert!(for_sorting(f64::MIN_POSITIVE).is_finite());
    }

    #[test]
    fn shades_have_five_steps_on_each_side() {
        assert_eq!([shade(0.0), shade(0.1), shade(1.0), shade(-0.61)], ["shade", "shade p1", "shade p5", "shade m4"]);
    }

    #[test]
    fn long_tables_do_without_tooltips() {
        let mut table = speedups();
        assert!(render(&table, 1).contains(" title="));
        let row = table.rows[0].clone();
        table.rows.extend(std::iter::repeat_n(row, MOST_HINTED_ROWS));
        assert!(!render(&table, 1).contains(" title="));
    }
}
