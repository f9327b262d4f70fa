//! Table IV: every subject, and as the study prints it (only subjects that gained).

use std::collections::HashMap;

use super::{DisplayCell, DisplayColumn, DisplayRow, DisplayTable, Tone};
use crate::report::Analysis;
use crate::report::analysis::{AverageRow, Scope, SpeedupRow, SpeedupState};
use crate::report::legend;
use crate::shown_text::{duration, p_value, shown};
use crate::stats::speed_judgement::SpeedJudgement;
use crate::wording::{counted, plural};

pub(super) fn full(analysis: &Analysis, cores: usize) -> DisplayTable {
    table(analysis, cores, Scope::All)
}

/// Left empty where it would only repeat the full one.
pub(super) fn as_in_the_study(analysis: &Analysis, cores: usize) -> DisplayTable {
    let mut table = table(analysis, cores, Scope::Study);
    let here: Vec<&SpeedupRow> = analysis.speedups.iter().filter(|row| row.cores == cores).collect();
    let members = Scope::Study.members(&here);
    if here.iter().all(|row| members.has(&row.subject)) {
        table.rows.clear();
    }
    table
}

/// The rows of subjects that some configuration made faster on as many cores.
pub(super) fn gained_rows(analysis: &Analysis) -> Vec<SpeedupRow> {
    let mut rows = Vec::new();
    for cores in &analysis.run.manifest.cores {
        let here: Vec<&SpeedupRow> = analysis.speedups.iter().filter(|row| row.cores == *cores).collect();
        let members = Scope::Study.members(&here);
        rows.extend(here.into_iter().filter(|row| members.has(&row.subject)).cloned());
    }
    rows
}

fn table(analysis: &Analysis, cores: usize, scope: Scope) -> DisplayTable {
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
    let found = SpeedupsBySubject::new(analysis, cores, &here);
    let mut rows: Vec<DisplayRow> = subjects.iter().map(|subject| row(analysis, subject, &found)).collect();
    if !rows.is_empty() {
        rows.extend(summaries(analysis, cores, scope));
    }
    DisplayTable {
        columns: heads(analysis),
        rows,
        notes: notes(analysis, scope, gained, of),
        ..DisplayTable::default()
    }
}

fn heads(analysis: &Analysis) -> Vec<DisplayColumn> {
    let mut columns = vec![
        DisplayColumn::left("subject"),
        DisplayColumn::right(format!("time ({})", shown(&analysis.run.manifest.baseline))),
    ];
    for configuration in analysis.run.candidates() {
        let group = shown(&configuration.name);
        columns.push(DisplayColumn::right("speedup").under(group.clone()));
        columns.push(DisplayColumn::right("95 % CI (method)").under(group.clone()));
        columns.push(DisplayColumn::right("pairs").under(group.clone()));
        columns.push(DisplayColumn::right("shows").under(group.clone()));
        columns.push(DisplayColumn::right("p (Holm)").under(group));
    }
    columns
}

/// What a row is made from, by subject, and by subject and configuration.
struct SpeedupsBySubject<'a> {
    baseline_seconds: HashMap<&'a str, Option<f64>>,
    speedups: HashMap<(&'a str, &'a str), &'a SpeedupRow>,
}

impl<'a> SpeedupsBySubject<'a> {
    fn new(analysis: &'a Analysis, cores: usize, rows: &[&'a SpeedupRow]) -> Self {
        let baseline = &analysis.run.manifest.baseline;
        let costs = analysis.costs.iter().filter(|cost| cost.cores == cores && cost.configuration == *baseline);
        let speedups = rows.iter().map(|row| ((row.subject.as_str(), row.configuration.as_str()), *row));
        SpeedupsBySubject {
            baseline_seconds: costs.map(|cost| (cost.subject.as_str(), cost.clean_wall_seconds)).collect(),
            speedups: speedups.collect(),
        }
    }
}

fn row(analysis: &Analysis, subject: &str, found: &SpeedupsBySubject) -> DisplayRow {
    let seconds = found.baseline_seconds.get(subject).copied().flatten();
    let time = DisplayCell::new(seconds.map_or("–".to_owned(), duration)).valued(seconds);
    let mut cells = vec![DisplayCell::new(shown(subject)), time];
    for configuration in analysis.run.candidates() {
        match found.speedups.get(&(subject, configuration.name.as_str())) {
            Some(row) => cells.extend(ratio_cells(row)),
            None => cells.extend(std::iter::repeat_n(DisplayCell::new(""), 5)),
        }
    }
    DisplayRow::body(cells)
}

fn ratio_cells(row: &SpeedupRow) -> [DisplayCell; 5] {
    let tone = tone(row);
    let interval = match row.interval_text() {
        Some(interval) => DisplayCell::muted(interval).valued(row.ci_low),
        None if row.speedup.is_some() => DisplayCell::muted("too few"),
        None => DisplayCell::muted(""),
    };
    let pairs =
        if row.speedup.is_some() { DisplayCell::count(row.pairs).toned(Tone::Muted) } else { DisplayCell::muted("") };
    [
        DisplayCell::new(row.text()).toned(tone).hinted(Some(hint(row))).valued(row.speedup),
        interval.hinted(row.method().map(|method| method.explanation().to_owned())),
        pairs,
        DisplayCell::new(row.judgement.words()).toned(tone).hinted(row.speedup.map(|_| row.told())),
        DisplayCell::muted(row.p_holm.map_or(String::new(), p_value)).hinted(p_hint(row)).valued(row.p_holm),
    ]
}

/// Green is what the data show to be faster, and nothing else.
fn tone(row: &SpeedupRow) -> Tone {
    match (row.judgement, row.state) {
        (SpeedJudgement::Faster, _) => Tone::Good,
        (SpeedJudgement::Slower | SpeedJudgement::NoDifferenceShown, _) => Tone::Plain,
        (SpeedJudgement::NotEnoughRuns | SpeedJudgement::NoConcurrency, _) => Tone::Muted,
        (
            SpeedJudgement::NotCompared,
            SpeedupState::Pending | SpeedupState::NotPlanned | SpeedupState::Unsupported | SpeedupState::Sound,
        ) => Tone::Muted,
        (SpeedJudgement::NotCompared, _) => Tone::Bad,
    }
}

fn hint(row: &SpeedupRow) -> String {
    match (row.baseline_seconds, row.candidate_seconds) {
        (Some(baseline), Some(candidate)) => {
            let dropped = match row.dropped_pairs {
                0 => String::new(),
                n => format!(", {} left out", plural(n, "pair")),
            };
            let repeated = match row.repeated_pairs {
                0 => String::new(),
                n => format!(", {} of another merged run counted once", plural(n, "pair")),
            };
            format!(
                "{}: {} against {} over {}{dropped}{repeated}",
                row.told(),
                duration(baseline),
                duration(candidate),
                plural(row.pairs, "pair")
            )
        }
        _ => match row.state {
            SpeedupState::Failing => "tests still fail after the last stage, so no speedup counts".to_owned(),
            SpeedupState::LostTests => "expected tests never ran, so no speedup counts".to_owned(),
            SpeedupState::OutcomesDiffer => "not the same tests passed or were skipped as in the baseline".to_owned(),
            SpeedupState::SetAsideDiffer => {
                "other set-aside tests ran to their end than in the baseline, so the times are of other work".to_owned()
            }
            SpeedupState::BaselinePartial => {
                "the baseline did not run the whole suite, so its time counts for nothing".to_owned()
            }
            SpeedupState::TimedOut => "the time limit was reached".to_owned(),
            SpeedupState::Crashed => "a fork or the test runner broke down".to_owned(),
            SpeedupState::Unsupported => "the suite's frameworks do not support this mode".to_owned(),
            SpeedupState::BuildFailed => "the subject could not be built".to_owned(),
            SpeedupState::HarnessError => "parade itself failed here".to_owned(),
            SpeedupState::Contradicted => "the records of the run contradict each other, so nothing counts".to_owned(),
            SpeedupState::NoBaseline => "there is no sound baseline to compare with".to_owned(),
            SpeedupState::Pending => "planned, not run yet".to_owned(),
            SpeedupState::Sound | SpeedupState::NotPlanned => String::new(),
        },
    }
}

fn p_hint(row: &SpeedupRow) -> Option<String> {
    let (raw, smallest) = (row.p?, row.smallest_p?);
    let effect = row.effect.map_or(String::new(), |effect| format!(", rank-biserial {effect:.2}"));
    Some(format!(
        "p = {} before correction{effect}; the smallest p that {} can reach is {}",
        p_value(raw),
        plural(row.pairs, "pair"),
        p_value(smallest)
    ))
}

/// The averages by themselves, for all numbers of cores.
pub(super) fn averages(analysis: &Analysis) -> DisplayTable {
    let number = |value: Option<f64>| {
        DisplayCell::new(value.map_or("–".to_owned(), |value| format!("{value:.2}"))).valued(value)
    };
    let row = |row: &AverageRow| {
        let over = match row.scope {
            Scope::All => "all subjects",
            Scope::Study => "subjects that gained",
        };
        DisplayRow::body(vec![
            DisplayCell::new(shown(&row.configuration)),
            DisplayCell::count(row.cores),
            DisplayCell::new(over),
            DisplayCell::count(row.subjects),
            DisplayCell::count(row.left_out),
            number(row.average),
            number(row.median),
            number(row.geometric_mean),
        ])
    };
    DisplayTable {
        columns: DisplayColumn::aligned(&[
            "<Configuration",
            ">Cores",
            "<Over",
            ">n",
            ">Left out",
            ">Average",
            ">Median",
            ">Geometric mean",
        ]),
        rows: analysis.averages.iter().map(row).collect(),
        ..DisplayTable::default()
    }
}

fn summaries(analysis: &Analysis, cores: usize, scope: Scope) -> Vec<DisplayRow> {
    type Statistic = fn(&AverageRow) -> Option<f64>;
    let statistics: [(&str, Statistic); 3] =
        [("Average", |row| row.average), ("Median", |row| row.median), ("Geometric mean", |row| row.geometric_mean)];
    let rows: Vec<&AverageRow> =
        analysis.averages.iter().filter(|row| row.cores == cores && row.scope == scope).collect();
    statistics
        .iter()
        .map(|(label, statistic)| {
            let mut cells = vec![DisplayCell::new(*label), DisplayCell::new("")];
            for configuration in analysis.run.candidates() {
                let row = rows.iter().find(|row| row.configuration == configuration.name);
                let value = row.and_then(|row| statistic(row));
                cells.push(DisplayCell::new(value.map_or("–".to_owned(), |value| format!("{value:.2}"))));
                let over = row.map_or(0, |row| row.subjects);
                cells.push(DisplayCell::muted(if over > 0 { format!("n = {over}") } else { String::new() }));
                cells.extend(std::iter::repeat_n(DisplayCell::new(""), 3));
            }
            DisplayRow::summary(cells)
        })
        .collect()
}

fn notes(analysis: &Analysis, scope: Scope, gained: usize, of: usize) -> Vec<String> {
    let mut notes = vec![format!(
        "{gained} of {} shown to gain from running tests at the same time in at least one configuration.",
        counted(of, "subject is", "subjects are")
    )];
    notes.push(match scope {
        Scope::All => {
            "speedup: mean baseline time divided by mean candidate time, in pairs of the same block on the same \
            cores. It counts only if the candidate ran clean in every repetition and the same tests had the same \
            outcomes. Otherwise the cell says what went wrong."
                .to_owned()
        }
        Scope::Study => {
            "Averages over these subjects only, as in the study. Subjects that gained nowhere are left out.".to_owned()
        }
    });
    notes.push(
        "shows: what the 95 % CI of the speedup says, if there are at least five pairs and the mode took effect in every run: \
         a CI above 1, a CI below 1, or a CI that includes 1 (no difference shown). Averages cover only these. CI: for 3 to 29 \
         pairs the t interval of the log ratios (t), which is that of the geometric mean of the ratios, widened to contain the \
         ratio of means; BCa bootstrap interval from 30 on (BCa). p: two-sided Wilcoxon signed-rank test, \
         exact up to 50 pairs that differ, corrected over the subjects by Holm's method. No judgement depends on p."
            .to_owned(),
    );
    notes.extend(legend::lines(analysis));
    notes
}
