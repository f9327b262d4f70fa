//! Tables for a terminal: aligned, ruled, as wide as the screen at most, coloured only when asked.

use unicode_width::UnicodeWidthStr;

use super::NOT_FOR_PUBLICATION;
use crate::report::analysis::{Gravity, WarningGroup};
use crate::report::tables::{
    Align, DisplayCell, DisplayColumn, DisplayRow, DisplayTable, TableDefinition, TableOutput, Tone,
};
use crate::report::{Analysis, RunReport};
use crate::shown_text::shown;

/// Columns between two others.
const GAP: usize = 2;
/// Texts are wrapped here, whatever the width, except in the last column.
const WIDEST_CELL: usize = 60;
/// A head over several columns is cut here where they are narrower.
const WIDEST_GROUP: usize = 24;
/// Long lists are cut here; the report folder has them whole.
const MOST_ROWS: usize = 25;
/// A column whose texts are wrapped is not made narrower than this: the longest name of a mode stays whole.
const NARROWEST_WRAPPED: usize = 17;
/// An optional column that would be narrower is left out.
const NARROWEST_OPTIONAL: usize = 16;
/// Before what belongs to the line above.
const INDENT: usize = 2;
/// A screen is taken to be at least this wide.
const NARROWEST: usize = 40;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    pub width: usize,
    pub colour: bool,
}

/// The whole report: the tables that answer the questions. The report folder has all of them.
pub fn render(analysis: &Analysis, style: Style) -> String {
    let mut out = String::new();
    let run = &analysis.run;
    out += &paint(&format!("{}: {}", shown(&run.manifest.experiment), run.extent()), "1", style);
    if run.manifest.quick {
        out += &paint(&format!("  [{NOT_FOR_PUBLICATION}]"), "33", style);
    }
    out.push('\n');
    out += &caveats(analysis, style);
    let report = RunReport::new(analysis);
    for definition in TableDefinition::ranked() {
        if !definition.is_in(TableOutput::Terminal) {
            continue;
        }
        for table in report.tables(definition) {
            out.push('\n');
            out += &render_table(&table, style);
        }
    }
    out += &warnings(analysis, style);
    out.push('\n');
    for sentence in analysis.headline.sentences() {
        out += &emphasised(sentence, style);
    }
    out += &caveats(analysis, style);
    out
}

/// What a reader must distrust: before the tables, and again with the last lines.
fn caveats(analysis: &Analysis, style: Style) -> String {
    analysis.headline.caveats.iter().map(|caveat| caution(caveat, style)).collect()
}

/// A sentence that nobody is to miss.
pub(super) fn emphasised(sentence: &str, style: Style) -> String {
    paint(&wrapped(sentence, style.width.max(NARROWEST)).join("\n"), "1", style) + "\n"
}

/// What is less grave.
fn warnings(analysis: &Analysis, style: Style) -> String {
    let groups = WarningGroup::of(&analysis.warnings);
    let others = groups.iter().filter(|group| group.gravity != Gravity::Grave);
    cautions(&others.map(WarningGroup::told).collect::<Vec<_>>(), style)
}

/// Reasons for caution, if there are any.
pub(super) fn cautions(texts: &[String], style: Style) -> String {
    if texts.is_empty() {
        return String::new();
    }
    let mut out = format!("\n{}\n", paint("Reasons for caution", "1", style));
    out.extend(texts.iter().map(|text| caution(text, style)));
    out
}

/// A text that warns, in lines of its own.
pub(super) fn caution(text: &str, style: Style) -> String {
    let lines = wrapped(text, style.width.max(NARROWEST) - 2);
    paint(&format!("! {}", lines.join("\n  ")), "33", style) + "\n"
}

/// One table: title, heads, rows, notes. Columns that do not fit are continued below, with the columns repeated that name a row.
pub fn render_table(table: &DisplayTable, style: Style) -> String {
    let width = style.width.max(NARROWEST);
    let mut widths = column_widths(table, width);
    widen_for_groups(&table.columns, &mut widths);
    let columns = fitting_columns(table, &mut widths, width);
    let mut out = format!("{}\n", paint(&table.title, "1", style));
    for part in parts(table, &columns, &widths, width) {
        out += &render_part(table, &part, &widths, style);
    }
    for note in &table.notes {
        for line in wrapped(note, width) {
            out += &paint(&line, "2", style);
            out.push('\n');
        }
    }
    out
}

/// A table whose texts need whole lines: each row under its first cell, with a line for every other column.
pub(super) fn render_entries(table: &DisplayTable, style: Style) -> String {
    let width = style.width.max(NARROWEST);
    let labels = table.columns.iter().skip(1).map(|column| column.label.width()).max().unwrap_or(0);
    let mut out = format!("{}\n", paint(&table.title, "1", style));
    for row in &table.rows {
        let mut cells = row.cells.iter().zip(&table.columns);
        if let Some((first, _)) = cells.next() {
            out += &format!("{}\n", wrapped(&first.whole(), width).join("\n"));
        }
        for (cell, column) in cells {
            out += &painted_label(&column.label, labels + 1, &cell.whole(), colour_code(cell.tone), style);
        }
    }
    for note in &table.notes {
        out += &format!("{}\n", paint(&wrapped(note, width).join("\n"), "2", style));
    }
    out
}

/// A label, and a text that is wrapped within its own column.
pub(super) fn labelled(label: &str, labels: usize, text: &str, style: Style) -> String {
    painted_label(label, labels, text, "", style)
}

fn painted_label(label: &str, labels: usize, text: &str, code: &str, style: Style) -> String {
    let indent = INDENT + labels + 1;
    let room = style.width.max(NARROWEST).saturating_sub(indent).max(NARROWEST_WRAPPED);
    let lines: Vec<String> = wrapped(text, room).iter().map(|line| paint(line, code, style)).collect();
    let gap = " ".repeat(labels.saturating_sub(label.width()) + 1);
    format!("{}{label}{gap}{}\n", " ".repeat(INDENT), lines.join(&format!("\n{}", " ".repeat(indent))))
}

/// As wide as their texts. Long texts are wrapped, and only the last column may take all the room that there is.
fn column_widths(table: &DisplayTable, width: usize) -> Vec<usize> {
    let last = table.columns.len().saturating_sub(1);
    (0..table.columns.len())
        .map(|index| {
            let most = if index == last && wraps(&table.columns[index]) { width } else { WIDEST_CELL.min(width / 2) };
            let cells = table.rows.iter().filter_map(|row| row.cells.get(index)).map(|cell| cell.whole().width());
            cells.chain([table.columns[index].label.width()]).max().unwrap_or(0).min(most)
        })
        .collect()
}

/// The head over several columns is to be read too: the last of them makes room for it.
fn widen_for_groups(columns: &[DisplayColumn], widths: &mut [usize]) {
    let all: Vec<usize> = (0..columns.len()).collect();
    for block in blocks(columns, &all) {
        let Some((last, name)) = block.last().zip(columns[block[0]].group.as_ref()) else { continue };
        let span = block.iter().map(|index| widths[*index] + GAP).sum::<usize>() - GAP;
        widths[*last] += name.width().min(WIDEST_GROUP).saturating_sub(span);
    }
}

fn wraps(column: &DisplayColumn) -> bool {
    column.align == Align::Left
}

/// Which columns are shown: where all are too wide together, optional ones are cut or left out, the last first.
fn fitting_columns(table: &DisplayTable, widths: &mut [usize], width: usize) -> Vec<usize> {
    let mut chosen: Vec<usize> = (0..table.columns.len()).collect();
    for index in (0..table.columns.len()).rev().filter(|index| table.columns[*index].is_optional) {
        let taken = chosen.iter().map(|index| widths[*index] + GAP).sum::<usize>() - GAP;
        if taken <= width {
            break;
        }
        match (widths[index] + width).checked_sub(taken) {
            Some(room) if room >= NARROWEST_OPTIONAL => widths[index] = room,
            _ => chosen.retain(|other| *other != index),
        }
    }
    narrow(&table.columns, &chosen, widths, width);
    chosen
}

/// Takes what is too much from the last column, and then from the others that can wrap, always from the widest.
fn narrow(columns: &[DisplayColumn], chosen: &[usize], widths: &mut [usize], width: usize) {
    let mut excess = (chosen.iter().map(|index| widths[*index] + GAP).sum::<usize>()).saturating_sub(GAP + width);
    while excess > 0 {
        let can_give = |index: &&usize| wraps(&columns[**index]) && widths[**index] > NARROWEST_WRAPPED;
        let last = chosen.last().filter(can_give);
        let widest = chosen.iter().filter(can_give).max_by_key(|index| widths[**index]);
        let Some(index) = last.or(widest).copied() else { return };
        widths[index] -= 1;
        excess -= 1;
    }
}

/// Splits the columns so that each part fits; columns of one group stay together where a part can hold them.
fn parts(table: &DisplayTable, chosen: &[usize], widths: &[usize], width: usize) -> Vec<Vec<usize>> {
    let mut parts: Vec<Vec<usize>> = Vec::new();
    let mut part: Vec<usize> = Vec::new();
    let taken = |part: &[usize]| part.iter().map(|index| widths[*index] + GAP).sum::<usize>();
    let repeated = repeated_columns(table, chosen, widths, width);
    for block in blocks(&table.columns, chosen) {
        if part.len() > repeated.len() && taken(&part) + taken(&block) > width + GAP {
            parts.push(std::mem::replace(&mut part, repeated.clone()));
        }
        for index in block {
            if part.len() > repeated.len() && taken(&part) + widths[index] > width {
                parts.push(std::mem::replace(&mut part, repeated.clone()));
            }
            part.push(index);
        }
    }
    parts.push(part);
    parts
}

/// The columns that name a row. Each part repeats them, as long as they leave room for the widest of the others.
fn repeated_columns(table: &DisplayTable, chosen: &[usize], widths: &[usize], width: usize) -> Vec<usize> {
    let keys = table.keys.max(1);
    let widest = chosen.iter().filter(|index| **index >= keys).map(|index| widths[*index]).max().unwrap_or(0);
    let mut repeated = vec![0];
    let mut taken = widths.first().copied().unwrap_or(0) + GAP;
    for index in chosen.iter().copied().filter(|index| (1..keys).contains(index)) {
        taken += widths[index] + GAP;
        if taken + widest > width {
            break;
        }
        repeated.push(index);
    }
    repeated
}

/// Neighbouring columns under the same head.
fn blocks(columns: &[DisplayColumn], chosen: &[usize]) -> Vec<Vec<usize>> {
    let together = |a: &usize, b: &usize| columns[*a].group.is_some() && columns[*a].group == columns[*b].group;
    chosen.chunk_by(together).map(<[usize]>::to_vec).collect()
}

fn render_part(table: &DisplayTable, part: &[usize], widths: &[usize], style: Style) -> String {
    let total = part.iter().map(|index| widths[*index] + GAP).sum::<usize>().saturating_sub(GAP);
    let rule = format!("{}\n", paint(&"─".repeat(total), "2", style));
    let mut out = rule.clone();
    out += &group_heads(table, part, widths);
    let labels = DisplayRow {
        cells: table.columns.iter().map(|c| DisplayCell::new(c.label.clone())).collect(),
        is_summary: false,
    };
    out += &line(&table.columns, &labels, part, widths, style);
    out += &rule;
    let (bodies, summaries): (Vec<&DisplayRow>, Vec<&DisplayRow>) = table.rows.iter().partition(|row| !row.is_summary);
    let most = if table.is_list { MOST_ROWS } else { bodies.len() };
    for row in bodies.iter().take(most) {
        out += &line(&table.columns, row, part, widths, style);
    }
    if bodies.len() > most {
        out += &format!("… and {} more in {}.csv\n", bodies.len() - most, table.name);
    }
    if !summaries.is_empty() {
        out += &rule;
    }
    for row in summaries {
        out += &line(&table.columns, row, part, widths, style);
    }
    out + &rule
}

/// The line above the heads, if any column has a group: each group's name over its columns.
fn group_heads(table: &DisplayTable, part: &[usize], widths: &[usize]) -> String {
    if part.iter().all(|index| table.columns[*index].group.is_none()) {
        return String::new();
    }
    let mut out = String::new();
    for group in part.chunk_by(|a, b| table.columns[*a].group == table.columns[*b].group) {
        let span = group.iter().map(|index| widths[*index] + GAP).sum::<usize>() - GAP;
        let name = group.first().and_then(|index| table.columns[*index].group.clone()).unwrap_or_default();
        let name = cut(&name, span);
        let rest = span - name.width();
        let left = if name.is_empty() { 0 } else { rest / 2 };
        out += &format!("{}{name}{}{}", " ".repeat(left), " ".repeat(rest - left), " ".repeat(GAP));
    }
    format!("{}\n", out.trim_end())
}

/// A row, which takes several lines where a text is wrapped.
fn line(columns: &[DisplayColumn], row: &DisplayRow, part: &[usize], widths: &[usize], style: Style) -> String {
    let cells: Vec<(usize, &DisplayCell, Vec<String>)> = part
        .iter()
        .filter_map(|index| row.cells.get(*index).map(|cell| (*index, cell)))
        .map(|(index, cell)| (index, cell, cell_lines(&cell.whole(), &columns[index], widths[index])))
        .collect();
    let height = cells.iter().map(|(_, _, lines)| lines.len()).max().unwrap_or(0);
    let mut out = String::new();
    for number in 0..height {
        let mut printed = String::new();
        for (index, cell, lines) in &cells {
            let text = lines.get(number).map_or("", String::as_str);
            let padding = " ".repeat(widths[*index].saturating_sub(text.width()));
            let painted = paint(text, colour_code(cell.tone), style);
            printed += &match columns[*index].align {
                Align::Right => format!("{padding}{painted}"),
                Align::Left => format!("{painted}{padding}"),
            };
            printed += &" ".repeat(GAP);
        }
        out += printed.trim_end();
        out.push('\n');
    }
    out
}

fn cell_lines(text: &str, column: &DisplayColumn, width: usize) -> Vec<String> {
    if wraps(column) { wrapped(text, width) } else { vec![cut(text, width)] }
}

fn colour_code(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "",
        Tone::Good => "32",
        Tone::Bad => "31",
        Tone::Muted => "2",
    }
}

fn paint(text: &str, code: &str, style: Style) -> String {
    if style.colour && !code.is_empty() && !text.is_empty() {
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    } else {
        text.to_owned()
    }
}

/// The text in at most so many columns, with an ellipsis where it was cut.
fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut kept = String::new();
    for c in text.chars() {
        if kept.width() + c.to_string().width() + 1 > width {
            break;
        }
        kept.push(c);
    }
    if width > 0 {
        kept.push('…');
    }
    kept
}

/// Lines of at most so many columns, broken between words, and inside a word only where it is longer than a line.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace().flat_map(|word| pieces(word, width)) {
        let line = lines.last().map_or(0, |line| line.width());
        if line > 0 && line + 1 + word.width() > width {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(&word);
        }
    }
    lines
}

/// A word in parts of at most so many columns, cut where a name has its joints as long as that fills half of a line.
fn pieces(word: &str, width: usize) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut piece = String::new();
    for c in word.chars() {
        if !piece.is_empty() && piece.width() + c.to_string().width() > width {
            let joint = piece.rfind(['.', '#', '/', ':', '$', '-']).map_or(0, |at| at + 1);
            let cut = if joint > width / 2 { joint } else { piece.len() };
            let rest = piece.split_off(cut);
            pieces.push(std::mem::replace(&mut piece, rest));
        }
        piece.push(c);
    }
    pieces.push(piece);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;
    use crate::suite::{Finding, FindingKind};

    const PLAIN: Style = Style { width: 110, colour: false };

    #[test]
    fn the_report_reads_well() {
        insta::assert_snapshot!(render(sample::studied(), PLAIN));
    }

    #[test]
    fn nothing_is_wider_than_the_screen() {
        for width in [40, 60, 80, 200] {
            let text = render(sample::studied(), Style { width, colour: false });
            for line in text.lines() {
                assert!(line.width() <= width, "{} > {width}: {line}", line.width());
            }
        }
    }

    #[test]
    fn colour_comes_only_when_asked() {
        let analysis = sample::studied();
        assert!(!render(analysis, PLAIN).contains('\u{1b}'));
        assert!(render(analysis, Style { colour: true, ..PLAIN }).contains("\u{1b}[32m"));
    }

    #[test]
    fn names_cannot_reach_the_terminal_raw() {
        let analysis = sample::attacked();
        let text = render(analysis, PLAIN);
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'));
    }

    #[test]
    fn long_texts_are_wrapped_and_never_cut() {
        let mut run = sample::study();
        let text = (0..60).map(|number| format!("word{number}")).collect::<Vec<_>>().join(" ");
        for trial in run.trials.iter_mut().filter(|trial| trial.subject == "order-across") {
            trial.findings.push(Finding::new(FindingKind::DirtyWorktree, text.clone()));
            trial.residual.iter_mut().for_each(|residual| residual.message = Some(text.clone()));
        }
        for width in [80, 120] {
            let printed = render(&Analysis::of(&run), Style { width, colour: false });
            assert!(!printed.contains('…'), "{printed}");
            let (_, findings) = printed.split_once("\nFindings\n").unwrap();
            for number in 0..60 {
                assert_eq!(findings.split_whitespace().filter(|word| *word == format!("word{number}")).count(), 1);
            }
            assert!(findings.contains("order-across/classes×5"), "{findings}");
        }
    }

    #[test]
    fn before_anything_was_measured_there_is_nothing_to_tabulate() {
        let mut run = sample::empty();
        run.subjects.clear();
        let printed = render(&Analysis::of(&run), PLAIN);
        assert!(!printed.contains('─'), "{printed}");
        assert!(printed.contains("0 of 20 trials") && printed.contains("Nothing has been measured yet."), "{printed}");
    }

    #[test]
    fn wide_characters_keep_the_columns_aligned() {
        assert_eq!(cut("日本語テスト", 5), "日本…");
        assert_eq!(cut("abc", 0), "");
    }
}
