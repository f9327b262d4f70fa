//! Table II as the study lays it out: subjects down, configurations and their stages across.

use std::collections::HashMap;

use super::{DisplayCell, DisplayColumn, DisplayRow, DisplayTable, Tone};
use crate::report::Analysis;
use crate::report::analysis::{FailureRow, StageState};
use crate::report::legend;
use crate::shown_text::shown;
use crate::wording::{plural, ranged};

/// A configuration's stage: a column.
type StageColumn<'a> = (&'a str, u32);

pub(super) fn table(analysis: &Analysis, cores: usize) -> DisplayTable {
    let mut here: Vec<&FailureRow> = analysis.failures.iter().filter(|row| row.cores == cores).collect();
    if here.iter().all(|row| matches!(row.state, StageState::Pending | StageState::NotPlanned)) {
        here.clear();
    }
    let columns = stage_columns(analysis, &here);
    let found = FailuresByStage::new(&here);
    let mut subjects: Vec<&str> = here.iter().map(|row| row.subject.as_str()).collect();
    subjects.dedup();
    let mut rows: Vec<DisplayRow> = subjects.iter().map(|subject| row(subject, &columns, &found)).collect();
    if !rows.is_empty() {
        rows.push(sums(&columns, &found, &subjects));
    }
    DisplayTable { columns: heads(&columns), rows, notes: notes(analysis, &here), ..DisplayTable::default() }
}

fn stage_columns<'a>(analysis: &'a Analysis, rows: &[&FailureRow]) -> Vec<StageColumn<'a>> {
    let stages = |name: &str| rows.iter().filter(|row| row.configuration == name).map(|row| row.stage).max();
    analysis
        .run
        .provoking()
        .flat_map(|c| (1..=stages(&c.name).unwrap_or(0)).map(move |stage| (c.name.as_str(), stage)))
        .collect()
}

fn heads(columns: &[StageColumn]) -> Vec<DisplayColumn> {
    let fixed = [DisplayColumn::left("subject"), DisplayColumn::right("# tests")];
    let stages = columns
        .iter()
        .map(|(configuration, stage)| DisplayColumn::right(format!("#{stage}")).under(shown(configuration)));
    fixed.into_iter().chain(stages).collect()
}

/// Rows by subject, configuration and stage.
struct FailuresByStage<'a>(HashMap<(&'a str, &'a str, u32), &'a FailureRow>);

impl<'a> FailuresByStage<'a> {
    fn new(rows: &[&'a FailureRow]) -> Self {
        FailuresByStage(
            rows.iter().map(|row| ((row.subject.as_str(), row.configuration.as_str(), row.stage), *row)).collect(),
        )
    }

    fn get(&self, subject: &str, column: &StageColumn) -> Option<&'a FailureRow> {
        self.0.get(&(subject, column.0, column.1)).copied()
    }
}

fn row(subject: &str, columns: &[StageColumn], found: &FailuresByStage) -> DisplayRow {
    let tests = columns.first().and_then(|column| found.get(subject, column)).and_then(|row| row.tests);
    let mut cells = vec![DisplayCell::new(shown(subject)), tests.map_or_else(DisplayCell::dash, DisplayCell::count)];
    cells.extend(columns.iter().map(|column| found.get(subject, column).map_or_else(|| DisplayCell::new(""), cell)));
    DisplayRow::body(cells)
}

fn cell(row: &FailureRow) -> DisplayCell {
    let tone = match (row.state, row.failures) {
        (StageState::Counted, Some(failures)) if failures > 0.0 || row.lost > 0.0 || row.note.is_some() => Tone::Bad,
        (StageState::Counted, _) => Tone::Good,
        (StageState::Skipped | StageState::Pending | StageState::NotPlanned, _) => Tone::Muted,
        _ => Tone::Bad,
    };
    DisplayCell::new(row.text()).toned(tone).hinted(hint(row)).valued(row.failures)
}

fn hint(row: &FailureRow) -> Option<String> {
    match row.state {
        StageState::Counted => Some(format!("mean over {}", plural(row.trials, "repetition"))),
        StageState::Skipped => Some("this stage was not needed or not reached".to_owned()),
        StageState::TimedOut => Some("the time limit was reached".to_owned()),
        StageState::Unsupported => Some("the suite's frameworks do not support this mode".to_owned()),
        StageState::Crashed => Some("the runner broke down".to_owned()),
        StageState::BuildFailed => Some("the subject could not be built".to_owned()),
        StageState::HarnessError => Some("parade itself failed here".to_owned()),
        StageState::Contradicted => Some("the records of the run contradict each other".to_owned()),
        StageState::Pending => Some("planned, not run yet".to_owned()),
        StageState::NotPlanned => None,
    }
}

/// Σ over the numbers as they are shown, so that a reader can add them up; a dash where there is none.
fn sums(columns: &[StageColumn], found: &FailuresByStage, subjects: &[&str]) -> DisplayRow {
    let in_tenths = |failures: f64| (failures * 10.0).round();
    let tests: usize = subjects.iter().filter_map(|subject| found.get(subject, columns.first()?)?.tests).sum();
    let mut cells = vec![DisplayCell::new("Σ"), DisplayCell::new(tests.to_string())];
    for column in columns {
        let shown: Vec<f64> =
            subjects.iter().filter_map(|subject| found.get(subject, column)?.failures).map(in_tenths).collect();
        let text = if shown.is_empty() { "–".to_owned() } else { format!("{:.1}", shown.iter().sum::<f64>() / 10.0) };
        cells.push(DisplayCell::new(text));
    }
    DisplayRow::summary(cells)
}

fn notes(analysis: &Analysis, rows: &[&FailureRow]) -> Vec<String> {
    let counted = || rows.iter().filter(|row| row.state == StageState::Counted).map(|row| row.trials);
    let over = match (counted().min(), counted().max()) {
        (Some(fewest), Some(most)) => format!(", mean over {}", ranged(fewest, most, "repetition")),
        _ => String::new(),
    };
    let mut notes = vec![format!("Failing tests after each stage{over}. –: the stage was not needed, or not reached.")];
    if analysis.headline.also_in_baseline > 0 {
        notes.push(format!(
            "Failures of tests that also failed in {} are included here. The sentence about repairs leaves them out.",
            shown(&analysis.run.manifest.baseline)
        ));
    }
    let states = [
        (StageState::TimedOut, "TO: the time limit was reached."),
        (StageState::Unsupported, "n/a: the suite's frameworks do not support this mode."),
        (StageState::Crashed, "crashed: the test runner broke down."),
        (StageState::BuildFailed, "build failed: the subject could not be built."),
        (StageState::Pending, "pending: planned, not run yet."),
    ];
    notes.extend(
        states
            .iter()
            .filter(|(state, _)| rows.iter().any(|row| row.state == *state))
            .map(|(_, text)| (*text).to_owned()),
    );
    if rows.iter().any(|row| row.lost > 0.0) {
        notes.push(
            "lost: expected tests that had not run after the stage. They count neither as passed nor as failed."
                .to_owned(),
        );
    }
    notes.extend(legend::lines(analysis));
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn the_note_says_how_many_repetitions_the_means_are_over() {
        let mut run = sample::study();
        run.trials.retain(|trial| trial.subject == "clean-gain" || trial.repetition <= 3);
        run.trials.retain(|trial| trial.subject != "hangs");
        let note = |analysis: &Analysis| table(analysis, 2).notes.join(" ");
        let mut analysis = Analysis::of(&run);
        let told = note(&analysis);
        assert!(told.contains("mean over 3 to 5 repetitions") && told.contains("not needed, or not reached"), "{told}");
        assert!(!told.contains("also failed in sequential"), "{told}");
        analysis.headline.also_in_baseline = 1;
        assert!(note(&analysis).contains("also failed in sequential"));
    }
}
