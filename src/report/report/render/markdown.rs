//! Markdown tables, as GitHub reads them.

use super::NOT_FOR_PUBLICATION;
use crate::report::RunReport;
use crate::report::tables::{Align, DisplayColumn, DisplayRow, DisplayTable};
use crate::shown_text::shown;
use crate::wording::plural;

/// The whole report.
pub fn render(report: &RunReport) -> String {
    let analysis = report.analysis;
    let run = &analysis.run;
    let mut out = format!("# {}\n\n", escape(&shown(&run.manifest.experiment)));
    if run.manifest.quick {
        out += &format!("**{NOT_FOR_PUBLICATION}**\n\n");
    }
    for sentence in analysis.headline.sentences() {
        out += &format!("{}\n", escape(sentence));
    }
    if !analysis.headline.caveats.is_empty() {
        out += "\nRead this first:\n\n";
    }
    for caveat in &analysis.headline.caveats {
        out += &format!("- {}\n", escape(caveat));
    }
    out += &format!(
        "\n{}, {}, seed {}, on {} ({}, {}); parade {}.\n",
        run.extent(),
        run.manifest.told_repetitions(),
        run.manifest.seed,
        escape(&shown(&run.manifest.host)),
        escape(&shown(&analysis.machine.cpu_model)),
        plural(analysis.machine.logical_cores, "logical core"),
        escape(&shown(&run.manifest.parade)),
    );
    for table in report.document_tables() {
        out.push('\n');
        out += &render_table(&table);
    }
    out
}

pub fn render_table(table: &DisplayTable) -> String {
    let mut out = format!("## {}\n\n", escape(&table.title));
    out += &line(table.columns.iter().map(head));
    out += &line(table.columns.iter().map(|column| match column.align {
        Align::Left => ":--".to_owned(),
        Align::Right => "--:".to_owned(),
    }));
    for row in &table.rows {
        out += &line(row.cells.iter().map(|cell| emphasised(&escape(&cell.whole()), row)));
    }
    out.push('\n');
    for note in &table.notes {
        out += &format!("{}\n", escape(note));
    }
    out
}

fn head(column: &DisplayColumn) -> String {
    match &column.group {
        Some(group) => escape(&format!("{group} {}", column.label)),
        None => escape(&column.label),
    }
}

fn emphasised(text: &str, row: &DisplayRow) -> String {
    if row.is_summary && !text.is_empty() { format!("**{text}**") } else { text.to_owned() }
}

fn line(cells: impl Iterator<Item = String>) -> String {
    format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
}

/// Marks what Markdown or HTML would read as markup.
pub fn escape(text: &str) -> String {
    if !has_code_spans(text) {
        return escape_all(text);
    }
    let mut out = String::with_capacity(text.len());
    for (place, part) in text.split('`').enumerate() {
        out += &if place % 2 == 1 { format!("`{part}`") } else { escape_all(part) };
    }
    out
}

/// Names between single backticks are code, whatever else is in them. Where backticks are not paired, or a name would end a cell
/// of a table, nothing is code.
fn has_code_spans(text: &str) -> bool {
    let is_name = |part: &str| !part.trim().is_empty() && !part.contains(['|', '\n', '\r']);
    let parts: Vec<&str> = text.split('`').collect();
    parts.len() > 1
        && parts.len() % 2 == 1
        && parts.iter().skip(1).step_by(2).all(|part| is_name(part))
        && !text.contains("``")
}

fn escape_all(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '&' => out += "&amp;",
            '\\' | '|' | '*' | '_' | '`' | '[' | ']' | '~' => out.extend(['\\', c]),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn the_report_reads_well() {
        insta::assert_snapshot!(render(&RunReport::new(sample::studied())));
    }

    #[test]
    fn names_between_backticks_are_code_and_nothing_else_is() {
        assert_eq!(escape("the mode `a_b` is *fast*"), "the mode `a_b` is \\*fast\\*");
        assert_eq!(escape("`x` and `y`"), "`x` and `y`");
        assert_eq!(escape("one ` alone"), "one \\` alone");
        assert_eq!(escape("``x` y`"), "\\`\\`x\\` y\\`");
        assert_eq!(escape("`a|b`"), "\\`a\\|b\\`");
        assert_eq!(escape("<b> `<b>`"), "&lt;b&gt; `<b>`");
    }

    #[test]
    fn names_cannot_break_a_table() {
        let report = RunReport::new(sample::attacked());
        let text = render(&report);
        assert!(!text.contains("<img"), "markup came through");
        for table in report.document_tables() {
            for line in render_table(&table).lines().filter(|line| line.starts_with('|')) {
                let bars = line.replace("\\\\", "").replace("\\|", "").matches('|').count();
                assert_eq!(bars, table.columns.len() + 1, "{line}");
            }
        }
    }
}
