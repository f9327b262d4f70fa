//! The tables of a comparison of two runs.

use super::{DisplayCell, DisplayColumn, DisplayRow, DisplayTable, Tone};
use crate::data_table::DataTable;
use crate::report::compare::{CellRow, Comparison};
use crate::shown_text::{decimal, decimals_beside_one, duration, p_value, sentence, shown};
use crate::stats;
use crate::stats::speed_judgement::{Design, SpeedJudgement};
use crate::wording::plural;

/// A table of a comparison. Several tables can show parts of the same rows.
pub struct ComparisonTableDefinition {
    pub name: &'static str,
    title: &'static str,
    layout: fn(&Comparison) -> DisplayTable,
    pub data: fn(&Comparison) -> miette::Result<DataTable>,
}

/// The answer first.
pub static COMPARISON_TABLES: &[ComparisonTableDefinition] = &[
    ComparisonTableDefinition {
        name: "compared-times",
        title: "Times",
        layout: times,
        data: |comparison| DataTable::from_records(&comparison.cells),
    },
    ComparisonTableDefinition {
        name: "compared-speedups",
        title: "Speedups over the baseline of the same run",
        layout: speedups,
        data: |comparison| DataTable::from_records(&comparison.cells),
    },
    ComparisonTableDefinition {
        name: "compared-failures",
        title: "What was not clean",
        layout: failures,
        data: |comparison| DataTable::from_records(&comparison.cells),
    },
    ComparisonTableDefinition {
        name: "compared-runs",
        title: "The two runs",
        layout: runs,
        data: |comparison| DataTable::from_records(&comparison.facts),
    },
    ComparisonTableDefinition {
        name: "compared-settings",
        title: "Settings that differ",
        layout: settings,
        data: |comparison| DataTable::from_records(&comparison.settings),
    },
    ComparisonTableDefinition {
        name: "only-in-one",
        title: "Only in one of the runs",
        layout: only_in_one,
        data: |comparison| DataTable::from_records(&comparison.only_in_one),
    },
];

impl DisplayTable {
    /// The tables of a comparison that have rows.
    pub fn of_comparison(comparison: &Comparison) -> Vec<DisplayTable> {
        let mut tables = Vec::new();
        for definition in COMPARISON_TABLES {
            let table = (definition.layout)(comparison);
            if !table.rows.is_empty() {
                tables.push(DisplayTable { name: definition.name, title: definition.title.to_owned(), ..table });
            }
        }
        tables
    }
}

fn table(columns: Vec<DisplayColumn>, rows: Vec<DisplayRow>, note: &str) -> DisplayTable {
    let keys = columns.iter().take_while(|column| CELL_HEADS.contains(&column.label.as_str())).count();
    DisplayTable { columns, rows, keys, notes: vec![note.to_owned()], ..DisplayTable::default() }
}

/// What names a cell.
const CELL_HEADS: [&str; 3] = ["subject", "configuration", "cores"];

fn cell_heads() -> Vec<DisplayColumn> {
    DisplayColumn::aligned(&["<subject", "<configuration", ">cores"])
}

fn cell_names(row: &CellRow) -> Vec<DisplayCell> {
    vec![
        DisplayCell::new(shown(&row.subject)),
        DisplayCell::new(shown(&row.configuration)),
        DisplayCell::new(row.cores.to_string()),
    ]
}

fn times(comparison: &Comparison) -> DisplayTable {
    let mut columns = cell_heads();
    columns.extend(["first", "second"].map(|run| DisplayColumn::right(run).under("time")));
    columns.extend(
        ["first / second", "95 % CI (method)", "shows"].map(|label| DisplayColumn::right(label).under("ratio")),
    );
    columns.extend(["p", "p (Holm)", "A12"].map(|label| DisplayColumn::right(label).under("difference")));
    let rows = comparison.cells.iter().map(|row| {
        let mut cells = cell_names(row);
        cells.push(time(row.first_seconds, row.first_clean, &row.first_state));
        cells.push(time(row.second_seconds, row.second_clean, &row.second_state));
        cells.push(ratio(row));
        if row.did_other_work() {
            cells.extend([DisplayCell::dash(), DisplayCell::muted("not compared: other tests or outcomes")]);
        } else {
            cells.push(DisplayCell::muted(interval(&Interval {
                ends: (row.ci_low, row.ci_high),
                method: row.ci_method,
                design: Design::Unpaired,
                decimals: decimals(row.judgement, &[row.ratio, row.ci_low, row.ci_high]),
            })));
            cells.push(shows(row.judgement));
        }
        cells.push(DisplayCell::muted(row.p.map_or("–".to_owned(), p_value)).valued(row.p).hinted(smallest(row)));
        cells.push(DisplayCell::new(row.p_holm.map_or("–".to_owned(), p_value)).valued(row.p_holm));
        cells.push(DisplayCell::muted(row.a12.map_or("–".to_owned(), |a12| format!("{a12:.2}"))));
        DisplayRow::body(cells)
    });
    table(
        columns,
        rows.collect(),
        "Means of clean trials. A ratio above 1: the second run took less time. shows: what the 95 % CI says of the second run, if \
             both runs have at least five clean trials. Runs are not paired. CI: Welch's t interval of the log times where a run has 3 \
             to 29 clean trials (unpaired t), above that the BCa bootstrap interval of two samples (unpaired BCa). p: Mann-Whitney, \
             two-sided; Holm's correction is over all cells; p does not decide. A12: the chance that a time of the first run is above \
             one of the second.",
    )
}

fn time(seconds: Option<f64>, clean: usize, state: &str) -> DisplayCell {
    match seconds {
        Some(seconds) => DisplayCell::new(duration(seconds))
            .valued(seconds)
            .hinted(Some(format!("{}; {state}", plural(clean, "clean trial")))),
        None => DisplayCell::muted(shown(state)),
    }
}

fn ratio(row: &CellRow) -> DisplayCell {
    let Some(ratio) = row.ratio else { return DisplayCell::dash() };
    let (tone, hint) = match row.judgement {
        SpeedJudgement::Faster => (Tone::Good, "the second run took less time"),
        SpeedJudgement::Slower => (Tone::Bad, "the second run took more time"),
        SpeedJudgement::NoDifferenceShown => (Tone::Plain, "no difference shown"),
        SpeedJudgement::NotEnoughRuns => {
            (Tone::Muted, "not enough runs to tell; five clean trials in each run are needed")
        }
        SpeedJudgement::NoConcurrency | SpeedJudgement::NotCompared => (Tone::Muted, ""),
    };
    let decimals = decimals(row.judgement, &[row.ratio, row.ci_low, row.ci_high]);
    DisplayCell::new(format!("{ratio:.decimals$}")).valued(ratio).toned(tone).hinted(Some(hint.to_owned()))
}

fn smallest(row: &CellRow) -> Option<String> {
    row.smallest_p.map(|p| format!("the smallest p that this many trials can reach is {}", p_value(p)))
}

fn shows(judgement: SpeedJudgement) -> DisplayCell {
    DisplayCell::new(judgement.words()).toned(if judgement.is_answer() { Tone::Plain } else { Tone::Muted })
}

/// `1.41–1.77 (BCa)`.
fn interval(shown: &Interval) -> String {
    let Interval { ends: (low, high), method, design, decimals } = *shown;
    let label = stats::IntervalMethod::ALL.into_iter().find(|known| Some(known.name()) == method);
    let label = label.map_or(String::new(), |method| format!(" ({})", design.label(method)));
    low.zip(high).map_or("too few".to_owned(), |(low, high)| format!("{low:.decimals$}–{high:.decimals$}{label}"))
}

#[derive(Clone, Copy)]
struct Interval<'a> {
    ends: (Option<f64>, Option<f64>),
    method: Option<&'a str>,
    design: Design,
    decimals: usize,
}

/// Where numbers show a difference, none of them reads like 1.
fn decimals(judgement: SpeedJudgement, numbers: &[Option<f64>]) -> usize {
    let is_shown = matches!(judgement, SpeedJudgement::Faster | SpeedJudgement::Slower);
    let numbers: Vec<f64> = numbers.iter().flatten().copied().filter(|_| is_shown).collect();
    decimals_beside_one(&numbers)
}

fn speedups(comparison: &Comparison) -> DisplayTable {
    let mut columns = cell_heads();
    for run in ["first", "second"] {
        columns.extend(["speedup", "95 % CI (method)", "shows"].map(|label| DisplayColumn::right(label).under(run)));
    }
    columns.extend(["second − first", "95 % CI (BCa)"].map(|label| DisplayColumn::right(label).under("difference")));
    let has_one = |row: &&CellRow| {
        let reasons = [&row.first_speedup_reason, &row.second_speedup_reason];
        row.first_speedup.is_some() || row.second_speedup.is_some() || reasons.iter().any(|reason| reason.is_some())
    };
    let rows = comparison.cells.iter().filter(has_one).map(|row| {
        let first = decimals(row.first_judgement, &[row.first_speedup, row.first_speedup_low, row.first_speedup_high]);
        let second =
            decimals(row.second_judgement, &[row.second_speedup, row.second_speedup_low, row.second_speedup_high]);
        let mut cells = cell_names(row);
        cells.extend(speedup(&OwnSpeedup {
            value: row.first_speedup,
            decimals: first,
            interval: interval(&Interval {
                ends: (row.first_speedup_low, row.first_speedup_high),
                method: row.first_speedup_method,
                design: Design::Paired,
                decimals: first,
            }),
            judgement: row.first_judgement,
            reason: row.first_speedup_reason.as_deref(),
        }));
        cells.extend(speedup(&OwnSpeedup {
            value: row.second_speedup,
            decimals: second,
            interval: interval(&Interval {
                ends: (row.second_speedup_low, row.second_speedup_high),
                method: row.second_speedup_method,
                design: Design::Paired,
                decimals: second,
            }),
            judgement: row.second_judgement,
            reason: row.second_speedup_reason.as_deref(),
        }));
        cells.push(difference(row));
        cells.push(DisplayCell::muted(signed_interval(row.difference_low, row.difference_high)));
        DisplayRow::body(cells)
    });
    table(
        columns,
        rows.collect(),
        "Each speedup is computed from the pairs of its own run. shows: what its 95 % CI says, if there are at least five pairs. \
             The interval of the difference resamples the pairs of each run separately. It needs six pairs in each run, and \
             is marked if it excludes zero.",
    )
}

/// The speedup of one of the runs.
struct OwnSpeedup<'a> {
    value: Option<f64>,
    decimals: usize,
    interval: String,
    judgement: SpeedJudgement,
    reason: Option<&'a str>,
}

fn speedup(own: &OwnSpeedup) -> [DisplayCell; 3] {
    let tone = if own.judgement.is_answer() { Tone::Plain } else { Tone::Muted };
    match (own.value, own.reason) {
        (Some(value), _) => [
            DisplayCell::new(format!("{value:.*}", own.decimals)).toned(tone),
            DisplayCell::muted(own.interval.clone()),
            shows(own.judgement),
        ],
        (None, Some(reason)) => {
            [DisplayCell::new(sentence(reason, 60)).toned(Tone::Bad), DisplayCell::muted(""), DisplayCell::muted("")]
        }
        (None, None) => [DisplayCell::dash(), DisplayCell::muted(""), DisplayCell::muted("")],
    }
}

fn difference(row: &CellRow) -> DisplayCell {
    let Some(difference) = row.speedup_difference else { return DisplayCell::dash() };
    let answers = row.first_judgement.is_answer() && row.second_judgement.is_answer();
    let tone = match (row.difference_low, row.difference_high) {
        _ if !answers => Tone::Muted,
        (Some(low), _) if low > 0.0 => Tone::Good,
        (_, Some(high)) if high < 0.0 => Tone::Bad,
        _ => Tone::Plain,
    };
    DisplayCell::new(format!("{difference:+.2}")).valued(difference).toned(tone)
}

fn signed_interval(low: Option<f64>, high: Option<f64>) -> String {
    low.zip(high).map_or(String::new(), |(low, high)| format!("{low:+.2} to {high:+.2}"))
}

/// Only the cells in which some trial of some run was not clean.
fn failures(comparison: &Comparison) -> DisplayTable {
    let mut columns = cell_heads();
    for run in ["first", "second"] {
        columns.extend([DisplayColumn::left("trials").under(run), DisplayColumn::right("failures").under(run)]);
    }
    columns.push(DisplayColumn::right("p (clean)"));
    let unclean = |row: &&CellRow| row.first_state != "clean" || row.second_state != "clean";
    let rows = comparison.cells.iter().filter(unclean).map(|row| {
        let count = |failures: Option<f64>| DisplayCell::new(failures.map_or("–".to_owned(), decimal));
        let state =
            |state: &str| DisplayCell::new(shown(state)).toned(if state == "clean" { Tone::Plain } else { Tone::Bad });
        let mut cells = cell_names(row);
        cells.extend([state(&row.first_state), count(row.first_failures)]);
        cells.extend([state(&row.second_state), count(row.second_failures)]);
        cells.push(DisplayCell::muted(row.clean_p.map_or("–".to_owned(), p_value)));
        DisplayRow::body(cells)
    });
    table(
        columns,
        rows.collect(),
        "failures: tests that still fail after the last stage, means over the trials with data. p: Fisher's exact \
             test of how many \
           trials were clean.",
    )
}

fn runs(comparison: &Comparison) -> DisplayTable {
    let columns = vec![
        DisplayColumn::left("what"),
        DisplayColumn::left(""),
        DisplayColumn::left(sentence(&comparison.first, 50)),
        DisplayColumn::left(sentence(&comparison.second, 50)),
    ];
    let rows = comparison.facts.iter().map(|fact| {
        let value = |text: &str| match (text.is_empty(), fact.differs) {
            (true, _) => DisplayCell::dash(),
            (false, true) => DisplayCell::new(shown(text)).toned(Tone::Bad),
            (false, false) => DisplayCell::new(shown(text)),
        };
        let mark = DisplayCell::new(if fact.differs { "≠" } else { "" }).toned(Tone::Bad);
        DisplayRow::body(vec![DisplayCell::new(shown(&fact.what)), mark, value(&fact.first), value(&fact.second)])
    });
    table(columns, rows.collect(), "≠: they differ.")
}

fn settings(comparison: &Comparison) -> DisplayTable {
    let columns = DisplayColumn::aligned(&["<setting", "<first", "<second"]);
    let rows = comparison.settings.iter().map(|setting| {
        let value = |value: &Option<String>| match value {
            Some(value) => DisplayCell::new(shown(value)),
            None => DisplayCell::dash(),
        };
        DisplayRow::body(vec![DisplayCell::new(shown(&setting.place)), value(&setting.left), value(&setting.right)])
    });
    table(columns, rows.collect(), "As written in the experiment files.")
}

fn only_in_one(comparison: &Comparison) -> DisplayTable {
    let columns = DisplayColumn::aligned(&["<what", "<name", "<only in"]);
    let rows = comparison.only_in_one.iter().map(|row| {
        DisplayRow::body([&row.what, &row.name, &row.run].map(|text| DisplayCell::new(shown(text))).to_vec())
    });
    table(columns, rows.collect(), "Not compared.")
}
