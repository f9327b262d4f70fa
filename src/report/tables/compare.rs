//! The tables of a comparison of two runs.

use super::{Cell, Column, Row, Table, TableName, Tone};
use crate::report::compare::{CellRow, Comparison};
use crate::shown_text::{decimal, duration, p_value, sentence, shown};
use crate::stats;
use crate::stats::speed_judgement::{Design, SpeedJudgement};
use crate::wording::plural;

/// A table of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ComparisonTable {
    Times,
    Speedups,
    Failures,
    Runs,
    Settings,
    OnlyInOne,
}

impl ComparisonTable {
    pub const ALL: [ComparisonTable; 6] = [
        ComparisonTable::Times,
        ComparisonTable::Speedups,
        ComparisonTable::Failures,
        ComparisonTable::Runs,
        ComparisonTable::Settings,
        ComparisonTable::OnlyInOne,
    ];

    pub fn name(self) -> &'static str {
        match self {
            ComparisonTable::Times => "compared-times",
            ComparisonTable::Speedups => "compared-speedups",
            ComparisonTable::Failures => "compared-failures",
            ComparisonTable::Runs => "compared-runs",
            ComparisonTable::Settings => "compared-settings",
            ComparisonTable::OnlyInOne => "only-in-one",
        }
    }
}

impl Table {
    /// Those that have rows, the answer first.
    pub fn of_comparison(comparison: &Comparison) -> Vec<Table> {
        let tables = ComparisonTable::ALL.map(|table| match table {
            ComparisonTable::Times => times(comparison),
            ComparisonTable::Speedups => speedups(comparison),
            ComparisonTable::Failures => failures(comparison),
            ComparisonTable::Runs => runs(comparison),
            ComparisonTable::Settings => settings(comparison),
            ComparisonTable::OnlyInOne => only_in_one(comparison),
        });
        tables.into_iter().filter(|table| !table.rows.is_empty()).collect()
    }
}

fn table(name: ComparisonTable, title: &str, columns: Vec<Column>, rows: Vec<Row>, notes: &[&str]) -> Table {
    Table {
        name: TableName::Comparison(name),
        title: title.to_owned(),
        columns,
        rows,
        notes: notes.iter().map(|note| (*note).to_owned()).collect(),
    }
}

fn cell_heads() -> Vec<Column> {
    vec![Column::left("subject"), Column::left("configuration"), Column::right("cores")]
}

fn cell_names(row: &CellRow) -> Vec<Cell> {
    vec![Cell::new(shown(&row.subject)), Cell::new(shown(&row.configuration)), Cell::new(row.cores.to_string())]
}

fn times(comparison: &Comparison) -> Table {
    let mut columns = cell_heads();
    columns.extend(["first", "second"].map(|run| Column::right(run).under("time")));
    columns.extend(["first / second", "95 % CI (method)", "shows"].map(|label| Column::right(label).under("ratio")));
    columns.extend(["p", "p (Holm)", "A12"].map(|label| Column::right(label).under("difference")));
    let rows = comparison.cells.iter().map(|row| {
        let mut cells = cell_names(row);
        cells.push(time(row.first_seconds, row.first_clean, &row.first_state));
        cells.push(time(row.second_seconds, row.second_clean, &row.second_state));
        cells.push(ratio(row));
        cells.push(Cell::muted(interval((row.ci_low, row.ci_high), row.ci_method, Design::Unpaired)));
        cells.push(shows(row.judgement));
        cells.push(Cell::muted(row.p.map_or("–".to_owned(), p_value)).valued(row.p).hinted(smallest(row)));
        cells.push(Cell::new(row.p_holm.map_or("–".to_owned(), p_value)).valued(row.p_holm));
        cells.push(Cell::muted(row.a12.map_or("–".to_owned(), |a12| format!("{a12:.2}"))));
        Row::body(cells)
    });
    table(
        ComparisonTable::Times,
        "Times",
        columns,
        rows.collect(),
        &[
            "Means of clean trials. A ratio above 1: the second run took less time. shows: what the 95 % CI says of the second run, if \
             both runs have at least five clean trials. Runs are not paired. CI: Welch's t interval of the log times where a run has 3 \
             to 29 clean trials (unpaired t), above that the BCa bootstrap interval of two samples (unpaired BCa). p: Mann-Whitney, \
             two-sided; Holm's correction is over all cells; p does not decide. A12: the chance that a time of the first run is above \
             one of the second.",
        ],
    )
}

fn time(seconds: Option<f64>, clean: usize, state: &str) -> Cell {
    match seconds {
        Some(seconds) => Cell::new(duration(seconds))
            .valued(seconds)
            .hinted(Some(format!("{}; {state}", plural(clean, "clean trial")))),
        None => Cell::muted(shown(state)),
    }
}

fn ratio(row: &CellRow) -> Cell {
    let Some(ratio) = row.ratio else { return Cell::muted("–") };
    let (tone, hint) = match row.judgement {
        SpeedJudgement::Faster => (Tone::Good, "the second run took less time"),
        SpeedJudgement::Slower => (Tone::Bad, "the second run took more time"),
        SpeedJudgement::NoDifferenceShown => (Tone::Plain, "no difference shown"),
        SpeedJudgement::NotEnoughRuns => {
            (Tone::Muted, "not enough runs to tell; five clean trials in each run are needed")
        }
        SpeedJudgement::NoConcurrency | SpeedJudgement::NotCompared => (Tone::Muted, ""),
    };
    Cell::new(format!("{ratio:.2}")).valued(ratio).toned(tone).hinted(Some(hint.to_owned()))
}

fn smallest(row: &CellRow) -> Option<String> {
    row.smallest_p.map(|p| format!("the smallest p that this many trials can reach is {}", p_value(p)))
}

fn shows(judgement: SpeedJudgement) -> Cell {
    Cell::new(judgement.words()).toned(if judgement.is_answer() { Tone::Plain } else { Tone::Muted })
}

/// `1.41–1.77 (BCa)`.
fn interval((low, high): (Option<f64>, Option<f64>), method: Option<&str>, design: Design) -> String {
    let label = stats::IntervalMethod::ALL.into_iter().find(|known| Some(known.name()) == method);
    let label = label.map_or(String::new(), |method| format!(" ({})", design.label(method)));
    low.zip(high).map_or("too few".to_owned(), |(low, high)| format!("{low:.2}–{high:.2}{label}"))
}

fn speedups(comparison: &Comparison) -> Table {
    let mut columns = cell_heads();
    for run in ["first", "second"] {
        columns.extend(["speedup", "95 % CI (method)", "shows"].map(|label| Column::right(label).under(run)));
    }
    columns.extend(["second − first", "95 % CI (BCa)"].map(|label| Column::right(label).under("difference")));
    let has_one = |row: &&CellRow| {
        let reasons = [&row.first_speedup_reason, &row.second_speedup_reason];
        row.first_speedup.is_some() || row.second_speedup.is_some() || reasons.iter().any(|reason| reason.is_some())
    };
    let rows = comparison.cells.iter().filter(has_one).map(|row| {
        let mut cells = cell_names(row);
        cells.extend(speedup(&OwnSpeedup {
            value: row.first_speedup,
            interval: interval(
                (row.first_speedup_low, row.first_speedup_high),
                row.first_speedup_method,
                Design::Paired,
            ),
            judgement: row.first_judgement,
            reason: row.first_speedup_reason.as_deref(),
        }));
        cells.extend(speedup(&OwnSpeedup {
            value: row.second_speedup,
            interval: interval(
                (row.second_speedup_low, row.second_speedup_high),
                row.second_speedup_method,
                Design::Paired,
            ),
            judgement: row.second_judgement,
            reason: row.second_speedup_reason.as_deref(),
        }));
        cells.push(difference(row));
        cells.push(Cell::muted(signed_interval(row.difference_low, row.difference_high)));
        Row::body(cells)
    });
    table(
        ComparisonTable::Speedups,
        "Speedups over the baseline of the same run",
        columns,
        rows.collect(),
        &[
            "Each speedup is computed from the pairs of its own run. shows: what its 95 % CI says, if there are at least five pairs. \
             The interval of the difference resamples the pairs of each run separately. It needs six pairs in each run, and \
             is marked if it excludes zero.",
        ],
    )
}

/// The speedup of one of the runs.
struct OwnSpeedup<'a> {
    value: Option<f64>,
    interval: String,
    judgement: SpeedJudgement,
    reason: Option<&'a str>,
}

fn speedup(own: &OwnSpeedup) -> [Cell; 3] {
    let tone = if own.judgement.is_answer() { Tone::Plain } else { Tone::Muted };
    match (own.value, own.reason) {
        (Some(value), _) => {
            [Cell::new(format!("{value:.2}")).toned(tone), Cell::muted(own.interval.clone()), shows(own.judgement)]
        }
        (None, Some(reason)) => [Cell::new(sentence(reason, 60)).toned(Tone::Bad), Cell::muted(""), Cell::muted("")],
        (None, None) => [Cell::muted("–"), Cell::muted(""), Cell::muted("")],
    }
}

fn difference(row: &CellRow) -> Cell {
    let Some(difference) = row.speedup_difference else { return Cell::muted("–") };
    let answers = row.first_judgement.is_answer() && row.second_judgement.is_answer();
    let tone = match (row.difference_low, row.difference_high) {
        _ if !answers => Tone::Muted,
        (Some(low), _) if low > 0.0 => Tone::Good,
        (_, Some(high)) if high < 0.0 => Tone::Bad,
        _ => Tone::Plain,
    };
    Cell::new(format!("{difference:+.2}")).valued(difference).toned(tone)
}

fn signed_interval(low: Option<f64>, high: Option<f64>) -> String {
    low.zip(high).map_or(String::new(), |(low, high)| format!("{low:+.2} to {high:+.2}"))
}

/// Only the cells in which some trial of some run was not clean.
fn failures(comparison: &Comparison) -> Table {
    let mut columns = cell_heads();
    for run in ["first", "second"] {
        columns.extend([Column::left("trials").under(run), Column::right("failures").under(run)]);
    }
    columns.push(Column::right("p (clean)"));
    let unclean = |row: &&CellRow| row.first_state != "clean" || row.second_state != "clean";
    let rows = comparison.cells.iter().filter(unclean).map(|row| {
        let count = |failures: Option<f64>| Cell::new(failures.map_or("–".to_owned(), decimal));
        let state = |state: &str| Cell::new(shown(state)).toned(if state == "clean" { Tone::Plain } else { Tone::Bad });
        let mut cells = cell_names(row);
        cells.extend([state(&row.first_state), count(row.first_failures)]);
        cells.extend([state(&row.second_state), count(row.second_failures)]);
        cells.push(Cell::muted(row.clean_p.map_or("–".to_owned(), p_value)));
        Row::body(cells)
    });
    table(
        ComparisonTable::Failures,
        "What was not clean",
        columns,
        rows.collect(),
        &["failures: tests that still fail after the last stage, means over the trials with data. p: Fisher's exact \
             test of how many \
           trials were clean."],
    )
}

fn runs(comparison: &Comparison) -> Table {
    let columns = vec![
        Column::left("what"),
        Column::left(""),
        Column::left(sentence(&comparison.first, 50)),
        Column::left(sentence(&comparison.second, 50)),
    ];
    let rows = comparison.facts.iter().map(|fact| {
        let value = |text: &str| match (text.is_empty(), fact.differs) {
            (true, _) => Cell::muted("–"),
            (false, true) => Cell::new(shown(text)).toned(Tone::Bad),
            (false, false) => Cell::new(shown(text)),
        };
        let mark = Cell::new(if fact.differs { "≠" } else { "" }).toned(Tone::Bad);
        Row::body(vec![Cell::new(shown(&fact.what)), mark, value(&fact.first), value(&fact.second)])
    });
    table(ComparisonTable::Runs, "The two runs", columns, rows.collect(), &["≠: they differ."])
}

fn settings(comparison: &Comparison) -> Table {
    let columns = vec![Column::left("setting"), Column::left("first"), Column::left("second")];
    let rows = comparison.settings.iter().map(|setting| {
        let value = |value: &Option<String>| match value {
            Some(value) => Cell::new(shown(value)),
            None => Cell::muted("–"),
        };
        Row::body(vec![Cell::new(shown(&setting.place)), value(&setting.left), value(&setting.right)])
    });
    table(
        ComparisonTable::Settings,
        "Settings that differ",
        columns,
        rows.collect(),
        &["As written in the experiment files."],
    )
}

fn only_in_one(comparison: &Comparison) -> Table {
    let columns = vec![Column::left("what"), Column::left("name"), Column::left("only in")];
    let rows = comparison
        .only_in_one
        .iter()
        .map(|row| Row::body([&row.what, &row.name, &row.run].map(|text| Cell::new(shown(text))).to_vec()));
    table(ComparisonTable::OnlyInOne, "Only in one of the runs", columns, rows.collect(), &["Not compared."])
}
