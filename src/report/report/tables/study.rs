//! The published tables in the study's layout, with the run's values in them, and the study's claims with the run's
//! answers.

use super::{Agreement, DisplayCell, DisplayColumn, DisplayRow, DisplayTable, Published, Tone};
use crate::report::study_comparison::{ClaimRow, StudyComparison, like};
use crate::shown_text::{duration, sentence, shown};
use crate::study::OwnVerdict;
use crate::study::cells::{PublishedCell, PublishedRow, PublishedTable};

/// Claims are cut here; CSV has them whole.
const LONGEST_TEXT: usize = 300;

pub(super) fn published_tables(comparison: &StudyComparison) -> Vec<DisplayTable> {
    comparison.tables.iter().map(table).collect()
}

fn table(published: &PublishedTable) -> DisplayTable {
    let label = published.name.trim_start_matches("table-").replace('-', ".");
    let title = published.title.as_deref().map_or(String::new(), |title| format!(": {title}"));
    DisplayTable {
        title: format!("Table {label} of the study{title}"),
        columns: published
            .columns
            .iter()
            .enumerate()
            .map(|(at, column)| head(column, has_numbers(published, at)))
            .collect(),
        rows: published.rows.iter().filter(|row| speaks(row)).map(row).collect(),
        notes: vec![
            format!(
                "Values of this run, with the published values in small type: ✓ agrees (within the interval of the run, or within a tenth), \
                 → agrees in direction only, ≠ differs. A grey value is in the study only. The table has the rows that the run covers: it has results for {} of {} subjects.",
                published.own_subjects, published.own_of
            ),
            "A summary row is compared with the published rows of the same subjects.".to_owned(),
        ],
        ..DisplayTable::default()
    }
}

/// `classes/#1` is the column `#1` under the head `classes`.
fn head(name: &str, is_number: bool) -> DisplayColumn {
    let column =
        |label: &str| if is_number { DisplayColumn::right(shown(label)) } else { DisplayColumn::left(shown(label)) };
    match name.rsplit_once('/') {
        Some((group, label)) => column(label).under(shown(group)),
        None => column(name),
    }
}

/// Whether most cells of the column are numbers, or have one from the run.
fn has_numbers(table: &PublishedTable, at: usize) -> bool {
    let cells: Vec<&PublishedCell> = table.rows.iter().filter_map(|row| row.cells.get(at)).collect();
    let numbers = cells.iter().filter(|cell| cell.value.is_some() || cell.own.is_some()).count();
    at > 0 && 2 * numbers > cells.len()
}

fn speaks(row: &PublishedRow) -> bool {
    row.cells.iter().filter_map(|cell| cell.own.as_ref()).any(|own| own.verdict != OwnVerdict::NotRun)
}

fn row(row: &PublishedRow) -> DisplayRow {
    let mut cells: Vec<DisplayCell> = row.cells.iter().map(cell).collect();
    if let Some(name) = cells.first_mut() {
        name.tone = Tone::Plain;
    }
    DisplayRow { cells, is_summary: row.is_summary }
}

fn cell(published: &PublishedCell) -> DisplayCell {
    let Some(own) = &published.own else {
        return DisplayCell::muted(shown(&published.text)).valued(published.value).hinted(published.mark.clone());
    };
    let text = match (own.value, &own.text) {
        (Some(value), _) if is_time(&published.text) => duration(value),
        (Some(value), _) if published.value.is_some() => like(value, &published.text),
        (Some(value), _) => crate::shown_text::decimal(value),
        (None, Some(text)) => shown(text),
        (None, None) => "–".to_owned(),
    };
    if own.verdict == OwnVerdict::NotRun && text == published.text {
        return DisplayCell::muted(text);
    }
    let reference = own.reference.map(|reference| like(reference, &published.text));
    let agreement = agreement(own.verdict);
    let interval = own.low.zip(own.high).map(|(low, high)| format!("95 % interval of the run: {low:.2} to {high:.2}"));
    let hint = [interval, published.mark.clone()].into_iter().flatten().collect::<Vec<_>>().join("; ");
    DisplayCell {
        published: Some(Published { text: shown(&reference.unwrap_or_else(|| published.text.clone())), agreement }),
        ..DisplayCell::new(text).valued(own.value).hinted((!hint.is_empty()).then_some(hint))
    }
}

/// `2m50s`, `1h 2m`: digits with the letters of a time.
fn is_time(text: &str) -> bool {
    let has_unit = text.contains(['h', 'm', 's']) && text.contains(|c: char| c.is_ascii_digit());
    has_unit && text.chars().all(|c| c.is_ascii_digit() || matches!(c, 'h' | 'm' | 's' | '.' | ' '))
}

fn agreement(verdict: OwnVerdict) -> Agreement {
    match verdict {
        OwnVerdict::Reproduced => Agreement::Agrees,
        OwnVerdict::DirectionOnly => Agreement::DirectionOnly,
        OwnVerdict::NotReproduced => Agreement::Differs,
        OwnVerdict::NotRun => Agreement::Unknown,
    }
}

/// Claims that the run does not speak to have a table of their own, below the others.
pub(super) fn claim_tables(comparison: &StudyComparison) -> Vec<DisplayTable> {
    let (silent, spoken): (Vec<ClaimRow>, Vec<ClaimRow>) =
        comparison.claim_rows().into_iter().partition(|row| row.own_verdict == OwnVerdict::NotRun.name());
    let notes = vec![
        format!("{}. {}", shown(&comparison.title), comparison.sentence()),
        "recomputed: from the rows that the study prints. A claim that does not follow from them is a finding about \
         numbers, not about people. parade audit --claim ID shows every step. compared with: the published value for \
         the subjects of this run."
            .to_owned(),
    ];
    let mut tables =
        vec![claim_table("Claims of the study, recomputed from its rows and compared with this run", &spoken, notes)];
    if !silent.is_empty() {
        tables.push(claim_table("Claims of the study that this run does not cover", &silent, Vec::new()));
    }
    tables
}

fn claim_table(title: &str, rows: &[ClaimRow], notes: Vec<String>) -> DisplayTable {
    DisplayTable {
        title: title.to_owned(),
        columns: DisplayColumn::aligned(&[
            "<where",
            "<claim",
            ">stated",
            ">recomputed",
            "<follows?",
            ">compared with",
            ">this run",
            "<reproduced?",
        ]),
        rows: rows.iter().map(claim).collect(),
        notes,
        ..DisplayTable::default()
    }
}

fn claim(row: &ClaimRow) -> DisplayRow {
    let text = |text: Option<&str>| DisplayCell::new(sentence(text.unwrap_or("–"), LONGEST_TEXT));
    let number = |text: &Option<String>| text.as_deref().and_then(|text| text.parse::<f64>().ok());
    let (follows, follows_tone) = match row.verdict {
        "holds" => ("✓ holds", Tone::Good),
        "differs" => ("≠ differs", Tone::Bad),
        _ => ("not computable", Tone::Muted),
    };
    let (own, own_tone) = match row.own_verdict {
        "reproduced" => ("✓ reproduced", Tone::Good),
        "direction_only" => ("→ direction only", Tone::Plain),
        "not_reproduced" => ("≠ not reproduced", Tone::Bad),
        _ => ("not run", Tone::Muted),
    };
    DisplayRow::body(vec![
        DisplayCell::new(sentence(&row.place, LONGEST_TEXT)),
        DisplayCell::new(sentence(&row.claim, LONGEST_TEXT)),
        DisplayCell::new(sentence(&row.stated, LONGEST_TEXT)).valued(row.stated.parse::<f64>().ok()),
        text(row.recomputed.as_deref()).valued(number(&row.recomputed)),
        DisplayCell::new(follows).toned(follows_tone),
        text(row.reference.as_deref()).valued(number(&row.reference)),
        text(row.own.as_deref()).valued(number(&row.own)),
        DisplayCell::new(own).toned(own_tone).hinted(row.reason.clone()),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_from_other_texts() {
        assert!(is_time("2m50s") && is_time("1h 2m") && is_time("34s"));
        assert!(!is_time("TO") && !is_time("methods") && !is_time("12") && !is_time("1.59"));
    }

    #[test]
    fn nested_heads_come_apart_again() {
        let column = head("classes/#1", true);
        assert_eq!((column.group.as_deref(), column.label.as_str()), (Some("classes"), "#1"));
    }
}
