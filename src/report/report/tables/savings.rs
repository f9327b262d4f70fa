//! Time saved, as a table that is read by its colours: subjects down, configurations and numbers of cores across.

use std::collections::HashMap;

use super::{DisplayCell, DisplayColumn, DisplayRow, DisplayTable, Tone};
use crate::report::Analysis;
use crate::report::analysis::SavingRow;
use crate::shown_text::shown;
use crate::stats;
use crate::stats::speed_judgement::SpeedJudgement;
use crate::wording::plural;

type SavingKey<'a> = (&'a str, &'a str, usize);

pub(super) fn table(analysis: &Analysis) -> DisplayTable {
    let by_key: HashMap<SavingKey, &SavingRow> = analysis
        .savings
        .iter()
        .map(|row| ((row.subject.as_str(), row.configuration.as_str(), row.cores), row))
        .collect();
    let columns = columns(analysis);
    let shown_savings = analysis.savings.iter().filter(|row| has_colour(row.judgement));
    let widest = shown_savings.filter_map(|row| row.saving_percent).map(f64::abs).fold(1.0, f64::max);
    let subjects: Vec<&str> = analysis.run.manifest.subjects.iter().map(String::as_str).collect();
    let mut rows: Vec<DisplayRow> =
        subjects.iter().filter_map(|subject| row(subject, &columns, &by_key, widest)).collect();
    if rows.len() > 1 {
        rows.push(means(&columns, &analysis.savings));
    }
    DisplayTable { columns: heads(analysis, &columns), rows, ..DisplayTable::default() }
}

/// Configurations outermost, so that the numbers of cores stand side by side.
fn columns(analysis: &Analysis) -> Vec<(&str, usize)> {
    let cores = &analysis.run.manifest.cores;
    analysis.run.candidates().flat_map(|c| cores.iter().map(move |cores| (c.name.as_str(), *cores))).collect()
}

fn heads(analysis: &Analysis, columns: &[(&str, usize)]) -> Vec<DisplayColumn> {
    let several = analysis.run.manifest.cores.len() > 1;
    let head = |(name, cores): &(&str, usize)| match several {
        true => DisplayColumn::right(plural(*cores, "core")).under(shown(name)),
        false => DisplayColumn::right(shown(name)),
    };
    [DisplayColumn::left("subject")].into_iter().chain(columns.iter().map(head)).collect()
}

/// Nothing for a subject without any saving to show.
fn row(
    subject: &str,
    columns: &[(&str, usize)],
    by_key: &HashMap<SavingKey, &SavingRow>,
    widest: f64,
) -> Option<DisplayRow> {
    let found: Vec<Option<&SavingRow>> =
        columns.iter().map(|(name, cores)| by_key.get(&(subject, *name, *cores)).copied()).collect();
    found.iter().flatten().any(|row| row.saving_percent.is_some()).then(|| {
        let cells = found.into_iter().map(|row| row.map_or_else(|| DisplayCell::new(""), |row| cell(row, widest)));
        DisplayRow::body([DisplayCell::new(shown(subject))].into_iter().chain(cells).collect())
    })
}

fn cell(row: &SavingRow, widest: f64) -> DisplayCell {
    match row.saving_percent {
        Some(saving) if has_colour(row.judgement) => saving_cell(saving).shaded(saving / widest),
        Some(saving) => {
            let tone = if row.judgement.is_answer() { Tone::Plain } else { Tone::Muted };
            saving_cell(saving).toned(tone).hinted(Some(row.judgement.words().to_owned()))
        }
        None => DisplayCell::muted(row.reason.clone().unwrap_or_default()),
    }
}

fn has_colour(judgement: SpeedJudgement) -> bool {
    matches!(judgement, SpeedJudgement::Faster | SpeedJudgement::Slower)
}

fn saving_text(saving: f64) -> String {
    format!("{:.0} %", saving.round() + 0.0).replace('-', "−")
}

fn saving_cell(saving: f64) -> DisplayCell {
    DisplayCell::new(saving_text(saving)).valued(saving)
}

/// Over the comparisons that show anything, with how many these are.
fn means(columns: &[(&str, usize)], rows: &[SavingRow]) -> DisplayRow {
    let mean = |(name, cores): &(&str, usize)| {
        let here = rows.iter().filter(|row| row.configuration == *name && row.cores == *cores);
        let answers: Vec<f64> =
            here.filter(|row| row.judgement.is_answer()).filter_map(|row| row.saving_percent).collect();
        let text = stats::mean(&answers).map(|mean| format!("{} (n = {})", saving_text(mean), answers.len()));
        text.map_or_else(DisplayCell::dash, DisplayCell::new)
    };
    DisplayRow::summary([DisplayCell::new("Average")].into_iter().chain(columns.iter().map(mean)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn the_largest_change_has_the_strongest_colour() {
        let table = table(sample::studied());
        let shades: Vec<f64> = table.rows.iter().flat_map(|row| &row.cells).filter_map(|cell| cell.shade).collect();
        assert_eq!(shades.iter().copied().map(f64::abs).fold(0.0, f64::max), 1.0);
        assert!(shades.iter().any(|shade| *shade < 0.0), "a subject that became slower is shaded the other way");
        for cell in table.rows.iter().flat_map(|row| &row.cells).filter(|cell| cell.shade.is_some()) {
            assert_eq!(cell.shade < Some(0.0), cell.value < Some(0.0), "{}", cell.text);
        }
    }

    #[test]
    fn a_void_cell_says_why() {
        let table = table(sample::studied());
        assert!(table.rows.iter().flat_map(|row| &row.cells).any(|cell| cell.text == "6 failing"));
    }
}
