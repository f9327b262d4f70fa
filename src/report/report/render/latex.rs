//! LaTeX tables in the style of the booktabs package, to be put into a paper with `\input`.

use std::fmt::Write;

use super::NOT_FOR_PUBLICATION;
use crate::report::Analysis;
use crate::report::tables::{Align, DisplayCell, DisplayTable};

pub fn render(analysis: &Analysis, tables: &[DisplayTable]) -> String {
    let mut out = String::from("% needs \\usepackage{booktabs} and \\usepackage[T1]{fontenc}\n");
    if tables.iter().flat_map(|table| &table.rows).flat_map(|row| &row.cells).any(|cell| cell.shade.is_some()) {
        out += "% and \\usepackage[table]{xcolor}\n";
    }
    if analysis.run.manifest.quick {
        let _ = writeln!(out, "% {NOT_FOR_PUBLICATION}");
    }
    for table in tables {
        out.push('\n');
        out += &render_table(table);
    }
    out
}

pub fn render_table(table: &DisplayTable) -> String {
    let alignment: String = table.columns.iter().map(|c| if c.align == Align::Left { 'l' } else { 'r' }).collect();
    let mut out = format!("\\begin{{table}}\n\\centering\n\\caption{{{}}}\n", escape(&table.title));
    let _ = writeln!(out, "\\begin{{tabular}}{{{alignment}}}\n\\toprule");
    out += &group_heads(table);
    out += &line(table.columns.iter().map(|column| escape(&column.label)));
    out += "\\midrule\n";
    let mut in_summary = false;
    for row in &table.rows {
        if row.is_summary && !in_summary {
            out += "\\midrule\n";
            in_summary = true;
        }
        out += &line(row.cells.iter().map(cell));
    }
    out += "\\bottomrule\n\\end{tabular}\n";
    out += &notes(table);
    out + "\\end{table}\n"
}

/// Below the table, where a reader of the paper finds what qualifies its numbers.
fn notes(table: &DisplayTable) -> String {
    let notes = table.notes.iter().map(|note| format!("\\par\\smallskip{{\\footnotesize {}\\par}}\n", escape(note)));
    notes.collect()
}

fn group_heads(table: &DisplayTable) -> String {
    if table.columns.iter().all(|column| column.group.is_none()) {
        return String::new();
    }
    let (mut cells, mut rules, mut start) = (Vec::new(), String::new(), 1);
    for group in table.columns.chunk_by(|a, b| a.group == b.group) {
        let end = start + group.len() - 1;
        match group.first().and_then(|column| column.group.as_ref()) {
            Some(name) => {
                cells.push(format!("\\multicolumn{{{}}}{{c}}{{{}}}", group.len(), escape(name)));
                let _ = write!(rules, "\\cmidrule(lr){{{start}-{end}}}");
            }
            None => cells.extend(group.iter().map(|_| String::new())),
        }
        start = end + 1;
    }
    format!("{}{rules}\n", line(cells.into_iter()))
}

fn cell(cell: &DisplayCell) -> String {
    match cell.shade {
        Some(shade) => format!("\\cellcolor[HTML]{{{}}}{}", tint(shade), escape(&cell.whole())),
        None => escape(&cell.whole()),
    }
}

/// Blue for gain, orange for loss, the stronger the farther from white; light enough for black letters.
fn tint(shade: f64) -> String {
    let (red, green, blue) = if shade < 0.0 { (236.0, 143.0, 63.0) } else { (61.0, 148.0, 214.0) };
    let mixed = |full: f64| (255.0 + (full - 255.0) * 0.6 * shade.abs().min(1.0)).round() as u8;
    format!("{:02X}{:02X}{:02X}", mixed(red), mixed(green), mixed(blue))
}

fn line(cells: impl Iterator<Item = String>) -> String {
    format!("{} \\\\\n", cells.collect::<Vec<_>>().join(" & "))
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => out += "\\textbackslash{}",
            '~' => out += "\\textasciitilde{}",
            '^' => out += "\\textasciicircum{}",
            '<' => out += "\\textless{}",
            '>' => out += "\\textgreater{}",
            '|' => out += "\\textbar{}",
            '"' => out += "\\textquotedbl{}",
            '–' => out += "--",
            '…' => out += "\\dots{}",
            '×' => out += "$\\times$",
            '±' => out += "$\\pm$",
            'Σ' => out += "$\\Sigma$",
            '↵' => out += "$\\hookleftarrow$",
            '−' => out += "$-$",
            '·' => out += "\\textperiodcentered{}",
            '✓' => out += "$\\surd$",
            '≈' => out += "$\\approx$",
            '→' => out += "$\\to$",
            '²' => out += "\\textsuperscript{2}",
            '≠' => out += "$\\neq$",
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => out.extend(['\\', c]),
            // What the T1 fonts have; any other character would stop LaTeX.
            ' '..='~' | '\u{c0}'..='\u{17e}' => out.push(c),
            c => {
                let _ = write!(out, "[U+{:04X}]", u32::from(c));
            }
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

    #[test]
    fn table_ii_is_ready_for_a_paper() {
        let analysis = sample::studied();
        let tables = RunReport::new(analysis).tables(TableDefinition::find("failures").unwrap());
        insta::assert_snapshot!(render(analysis, &tables));
    }

    #[test]
    fn names_cannot_run_commands() {
        assert_eq!(escape("\\input{x}_50%"), "\\textbackslash{}input\\{x\\}\\_50\\%");
        assert_eq!(escape("größe 日"), "größe [U+65E5]");
    }
}
