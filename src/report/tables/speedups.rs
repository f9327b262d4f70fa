//! Table IV: every subject, and as the study prints it (only subjects that some configuration made faster).

use std::collections::HashMap;

use super::{Cell, Column, Row, Table, TableName, Tone, cores_suffix};
use crate::report::Analysis;
use crate::report::analysis::{AverageRow, Scope, SpeedupRow, SpeedupState};
use crate::report::text::{duration, p_value, shown};
use crate::wording::plural;

pub(super) fn full(analysis: &Analysis, cores: usize) -> Table {
    table(analysis, cores, Scope::All)
}

/// Left empty where it would only repeat the full one.
pub(super) fn as_in_the_study(analysis: &Analysis, cores: usize) -> Table {
    let mut table = table(analysis, cores, Scope::Study);
    let here: Vec<&SpeedupRow> = analysis.speedups.iter().filter(|row| row.cores == cores).collect();
    let members = Scope::Study.members(&here);
    if here.iter().all(|row| members.has(&row.subject)) {
        table.rows.clear();
    }
    table
}

fn table(analysis: &Analysis, cores: usize, scope: Scope) -> Table {
    let mut here: Vec<&SpeedupRow> = analysis.speedups.iter().filter(|row| row.cores == cores).collect();
    if here.iter().all(|row| matches!(row.state, SpeedupState::Pending | SpeedupState::NotPlanned)) {
        here.clear();
    }
    let mut subjects: Vec<&str> = here.iter().map(|row| row.subject.as_str()).collect();
    subjects.dedup();
    let members = Scope::Study.members(&here);
    let gained = subjects.iter().filter(|subject| members.has(subject)).count();
    let of = subjects.len();
    let members = scope.members(&here);
    subjects.retain(|subject| members.has(subject));
    let found = Found::of(analysis, cores, &here);
    let mut rows: Vec<Row> = subjects.iter().map(|subject| row(analysis, subject, &found)).collect();
    if !rows.is_empty() {
        rows.extend(summaries(analysis, cores, scope));
    }
    let (name, subtitle) = match scope {
        Scope::All => (TableName::Speedups, ""),
        Scope::Study => (TableName::SpeedupsStudy, ", subjects that gained"),
    };
    Table {
        name,
        title: format!(
            "Speedup over {}{subtitle}{}",
            shown(&analysis.run.manifest.baseline),
            cores_suffix(analysis, cores)
        ),
        columns: heads(analysis),
        rows,
        notes: notes(scope, gained, of),
    }
}

fn heads(analysis: &Analysis) -> Vec<Column> {
    let mut columns =
        vec![Column::left("subject"), Column::right(format!("time ({})", shown(&analysis.run.manifest.baseline)))];
    for configuration in analysis.run.candidates() {
        let group = shown(&configuration.name);
        columns.push(Column::right("speedup").under(group.clone()));
        columns.push(Column::right("95 %").under(group.clone()));
        columns.push(Column::right("p (Holm)").under(group));
    }
    columns
}

/// What a row is made from, by subject, and by subject and configuration.
struct Found<'a> {
    baseline_seconds: HashMap<&'a str, Option<f64>>,
    speedups: HashMap<(&'a str, &'a str), &'a SpeedupRow>,
}

impl<'a> Found<'a> {
    fn of(analysis: &'a Analysis, cores: usize, rows: &[&'a SpeedupRow]) -> Self {
        let baseline = &analysis.run.manifest.baseline;
        let costs = analysis.costs.iter().filter(|cost| cost.cores == cores && cost.configuration == *baseline);
        let speedups = rows.iter().map(|row| ((row.subject.as_str(), row.configuration.as_str()), *row));
        Found {
            baseline_seconds: costs.map(|cost| (cost.subject.as_str(), cost.clean_wall_seconds)).collect(),
            speedups: speedups.collect(),
        }
    }
}

fn row(analysis: &Analysis, subject: &str, found: &Found) -> Row {
    let seconds = found.baseline_seconds.get(subject).copied().flatten();
    let time = Cell::new(seconds.map_or("–".to_owned(), duration)).valued(seconds);
    let mut cells = vec![Cell::new(shown(subject)), time];
    for configuration in analysis.run.candidates() {
        match found.speedups.get(&(subject, configuration.name.as_str())) {
            Some(row) => cells.extend(ratio_cells(row)),
            None => cells.extend([Cell::new(""), Cell::new(""), Cell::new("")]),
        }
    }
    Row::body(cells)
}

fn ratio_cells(row: &SpeedupRow) -> [Cell; 3] {
    let tone = match (row.state, row.speedup) {
        (SpeedupState::Sound, Some(speedup)) if speedup > 1.0 => Tone::Good,
        (SpeedupState::Sound, _) => Tone::Plain,
        (SpeedupState::Pending | SpeedupState::NotPlanned | SpeedupState::Unsupported, _) => Tone::Muted,
        _ => Tone::Bad,
    };
    let interval = match (row.ci_low, row.ci_high) {
        (Some(low), Some(high)) => format!("{low:.2}–{high:.2}"),
        _ => String::new(),
    };
    [
        Cell::new(row.text()).toned(tone).hinted(Some(hint(row))).valued(row.speedup),
        Cell::muted(interval).valued(row.ci_low),
        Cell::muted(row.p_holm.map_or(String::new(), p_value)).hinted(p_hint(row)).valued(row.p_holm),
    ]
}

fn hint(row: &SpeedupRow) -> String {
    match (row.baseline_seconds, row.candidate_seconds) {
        (Some(baseline), Some(candidate)) => {
            let dropped = match row.dropped_pairs {
                0 => String::new(),
                n => format!(", {} left out", plural(n, "pair")),
            };
            format!(
                "{} against {} over {}{dropped}",
                duration(baseline),
                duration(candidate),
                plural(row.pairs, "pair")
            )
        }
        _ => match row.state {
            SpeedupState::Failing => "tests still fail in the end: no speedup counts".to_owned(),
            SpeedupState::LostTests => "expected tests never ran: no speedup counts".to_owned(),
            SpeedupState::OutcomesDiffer => "other tests passed or were skipped than in the baseline".to_owned(),
            SpeedupState::TimedOut => "the time was up".to_owned(),
            SpeedupState::Crashed => "a worker or the runner broke down".to_owned(),
            SpeedupState::Unsupported => "the suite's frameworks do not have this mode".to_owned(),
            SpeedupState::BuildFailed => "the subject could not be built".to_owned(),
            SpeedupState::HarnessError => "parade itself failed here".to_owned(),
            SpeedupState::NoBaseline => "there is no sound baseline to compare with".to_owned(),
            SpeedupState::Pending => "planned, and not run yet".to_owned(),
            SpeedupState::Sound | SpeedupState::NotPlanned => String::new(),
        },
    }
}

fn p_hint(row: &SpeedupRow) -> Option<String> {
    let (raw, smallest) = (row.p?, row.smallest_p?);
    let effect = row.effect.map_or(String::new(), |effect| format!(", rank-biserial {effect:.2}"));
    Some(format!(
        "p = {} before correction{effect}; {} can reach {} at best",
        p_value(raw),
        plural(row.pairs, "pair"),
        p_value(smallest)
    ))
}

/// The averages by themselves, for all numbers of cores.
pub(super) fn averages(analysis: &Analysis) -> Table {
    let number =
        |value: Option<f64>| Cell::new(value.map_or("–".to_owned(), |value| format!("{value:.2}"))).valued(value);
    let row = |row: &AverageRow| {
        let over = match row.scope {
            Scope::All => "all subjects",
            Scope::Study => "subjects that gained",
        };
        Row::body(vec![
            Cell::new(shown(&row.configuration)),
            Cell::count(row.cores),
            Cell::new(over),
            Cell::count(row.subjects),
            number(row.average),
            number(row.median),
            number(row.geometric_mean),
        ])
    };
    Table {
        name: TableName::Averages,
        title: "Averages of the speedups".to_owned(),
        columns: vec![
            Column::left("Configuration"),
            Column::right("Cores"),
            Column::left("Over"),
            Column::right("n"),
            Column::right("Average"),
            Column::right("Median"),
            Column::right("Geometric mean"),
        ],
        rows: analysis.averages.iter().map(row).collect(),
        notes: vec!["n: subjects with a sound speedup.".to_owned()],
    }
}

fn summaries(analysis: &Analysis, cores: usize, scope: Scope) -> Vec<Row> {
    type Statistic = fn(&AverageRow) -> Option<f64>;
    let statistics: [(&str, Statistic); 3] =
        [("Average", |row| row.average), ("Median", |row| row.median), ("Geometric mean", |row| row.geometric_mean)];
    let rows: Vec<&AverageRow> =
        analysis.averages.iter().filter(|row| row.cores == cores && row.scope == scope).collect();
    statistics
        .iter()
        .map(|(label, statistic)| {
            let mut cells = vec![Cell::new(*label), Cell::new("")];
            for configuration in analysis.run.candidates() {
                let row = rows.iter().find(|row| row.configuration == configuration.name);
                let value = row.and_then(|row| statistic(row));
                cells.push(Cell::new(value.map_or("–".to_owned(), |value| format!("{value:.2}"))));
                let over = row.map_or(0, |row| row.subjects);
                cells.push(Cell::muted(if over > 0 { format!("n = {over}") } else { String::new() }));
                cells.push(Cell::new(""));
            }
            Row::summary(cells)
        })
        .collect()
}

fn notes(scope: Scope, gained: usize, of: usize) -> Vec<String> {
    let mut notes = vec![format!(
        "{gained} of {} gained from running tests at the same time in at least one configuration.",
        plural(of, "subject")
    )];
    notes.push(match scope {
        Scope::All => "Mean baseline time over mean candidate time, over pairs of the same block on the same cores. A \
                       speedup counts only where the candidate ran clean in every repetition, with the same tests ending alike; \
                       otherwise the cell says what went wrong."
            .to_owned(),
        Scope::Study => {
            "Averages over these subjects only, as the study takes them: they leave out every subject that \
                         became slower everywhere."
                .to_owned()
        }
    });
    notes.push(
        "95 %: bootstrap interval (BCa) of the ratio. p: exact two-sided Wilcoxon signed-rank test, corrected over the \
         subjects by Holm's method."
            .to_owned(),
    );
    notes
}
