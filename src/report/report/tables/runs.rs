//! What the runs were like: concurrency, costs, scaling.

use std::collections::HashMap;

use super::{Align, DisplayCell, DisplayColumn, DisplayRow, DisplayTable, Tone};
use crate::report::Analysis;
use crate::report::analysis::{ConcurrencyRow, CostRow, ScalingFit, ScalingRow};
use crate::report::legend;
use crate::shown_text::{bytes, duration, p_value, shown};
use crate::wording::plural;

pub(super) fn concurrency(analysis: &Analysis, cores: usize) -> DisplayTable {
    let here: Vec<&ConcurrencyRow> = analysis.concurrency.iter().filter(|row| row.cores == cores).collect();
    let names: Vec<&str> = analysis.run.manifest.configurations.iter().map(|c| c.name.as_str()).collect();
    let found: HashMap<(&str, &str), &ConcurrencyRow> =
        here.iter().map(|row| ((row.subject.as_str(), row.configuration.as_str()), *row)).collect();
    let mut columns = vec![DisplayColumn::left("subject")];
    for name in &names {
        columns.extend(["asked", "mean", "max"].map(|label| DisplayColumn::right(label).under(shown(name))));
    }
    let rows = subjects_of(here.iter().map(|row| row.subject.as_str()))
        .into_iter()
        .map(|subject| {
            let mut cells = vec![DisplayCell::new(shown(subject))];
            for name in &names {
                cells.extend(found.get(&(subject, *name)).map_or_else(blank_cells, |row| concurrency_cells(row)));
            }
            DisplayRow::body(cells)
        })
        .collect();
    DisplayTable { columns, rows, notes: legend::lines(analysis), ..DisplayTable::default() }
}

fn concurrency_cells(row: &ConcurrencyRow) -> [DisplayCell; 3] {
    let tone = if row.no_effect.is_some() { Tone::Bad } else { Tone::Plain };
    let mark = if row.no_effect.is_some() { "!" } else { "" };
    [
        DisplayCell::muted(row.asked.to_string()).valued(row.asked as f64).hinted(Some(format!(
            "{} × {}",
            plural(row.forks as usize, "fork"),
            plural(row.threads as usize, "thread")
        ))),
        DisplayCell::new(format!("{:.1}", row.mean)).valued(row.mean),
        DisplayCell::new(format!("{}{mark}", row.max)).valued(row.max as f64).toned(tone).hinted(row.no_effect.clone()),
    ]
}

pub(super) fn costs(analysis: &Analysis, cores: usize) -> DisplayTable {
    let here: Vec<&CostRow> = analysis.costs.iter().filter(|row| row.cores == cores).collect();
    let names: Vec<&str> = analysis.run.manifest.configurations.iter().map(|c| c.name.as_str()).collect();
    let found: HashMap<(&str, &str), &CostRow> =
        here.iter().map(|row| ((row.subject.as_str(), row.configuration.as_str()), *row)).collect();
    let mut columns = vec![DisplayColumn::left("subject")];
    for name in &names {
        columns.extend(["time", "CPU", "memory"].map(|label| DisplayColumn::right(label).under(shown(name))));
    }
    let subjects = subjects_of(here.iter().map(|row| row.subject.as_str()));
    let mut rows: Vec<DisplayRow> = Vec::new();
    for subject in &subjects {
        let mut cells = vec![DisplayCell::new(shown(subject))];
        for name in &names {
            cells.extend(found.get(&(*subject, *name)).map_or_else(blank_cells, |row| cost_cells(row)));
        }
        rows.push(DisplayRow::body(cells));
    }
    if rows.len() > 1 {
        rows.push(total(&names, &here));
    }
    DisplayTable { columns, rows, ..DisplayTable::default() }
}

fn cost_cells(row: &CostRow) -> [DisplayCell; 3] {
    let spread = row.wall_sd.map(|sd| format!("± {} (sd) over {}", duration(sd), plural(row.trials, "repetition")));
    [
        DisplayCell::new(duration(row.wall_seconds)).hinted(spread).valued(row.wall_seconds),
        DisplayCell::new(duration(row.cpu_seconds)).valued(row.cpu_seconds),
        DisplayCell::new(row.peak_memory_bytes.map_or("–".to_owned(), bytes))
            .valued(row.peak_memory_bytes.map(|b| b as f64)),
    ]
}

fn total(names: &[&str], rows: &[&CostRow]) -> DisplayRow {
    let mut cells = vec![DisplayCell::new("Σ / largest")];
    for name in names {
        let of_it: Vec<&&CostRow> = rows.iter().filter(|row| row.configuration == *name).collect();
        if of_it.is_empty() {
            cells.extend(blank_cells());
            continue;
        }
        let peak = of_it.iter().filter_map(|row| row.peak_memory_bytes).max();
        cells.push(DisplayCell::new(duration(of_it.iter().map(|row| row.wall_seconds).sum())));
        cells.push(DisplayCell::new(duration(of_it.iter().map(|row| row.cpu_seconds).sum())));
        cells.push(DisplayCell::new(peak.map_or("–".to_owned(), bytes)));
    }
    DisplayRow::summary(cells)
}

fn blank_cells() -> [DisplayCell; 3] {
    [DisplayCell::dash(), DisplayCell::dash(), DisplayCell::dash()]
}

pub(super) fn scaling(analysis: &Analysis) -> DisplayTable {
    let mut columns = vec![DisplayColumn::left("subject"), DisplayColumn::left("configuration")];
    let counts: Vec<usize> = analysis.run.manifest.cores.iter().copied().skip(1).collect();
    columns.extend(
        counts.iter().map(|cores| DisplayColumn { align: Align::Right, ..DisplayColumn::left(plural(*cores, "core")) }),
    );
    let at: HashMap<(&str, &str, usize), &ScalingRow> = analysis
        .scaling
        .iter()
        .map(|row| ((row.subject.as_str(), row.configuration.as_str(), row.cores), row))
        .collect();
    let scales =
        |subject: &str, configuration: &str| counts.iter().any(|c| at.contains_key(&(subject, configuration, *c)));
    let mut rows = Vec::new();
    for subject in &analysis.run.manifest.subjects {
        for configuration in analysis.run.manifest.configurations.iter().filter(|c| scales(subject, &c.name)) {
            let mut cells = vec![DisplayCell::new(shown(subject)), DisplayCell::new(shown(&configuration.name))];
            let found = counts.iter().map(|cores| at.get(&(subject.as_str(), configuration.name.as_str(), *cores)));
            cells.extend(found.map(|row| row.map_or_else(DisplayCell::dash, |row| scaling_cell(row))));
            rows.push(DisplayRow::body(cells));
        }
    }
    DisplayTable { columns, rows, ..DisplayTable::default() }
}

fn scaling_cell(row: &ScalingRow) -> DisplayCell {
    let text = format!("{:.2} ({:.0} %)", row.scaling, row.efficiency * 100.0);
    if row.judgement.is_answer() {
        let hint = format!("{} ({})", row.judgement.words(), row.evidence());
        return DisplayCell::new(text).valued(row.scaling).hinted(Some(hint));
    }
    DisplayCell::new(format!("{text}*"))
        .valued(row.scaling)
        .toned(Tone::Muted)
        .hinted(Some(format!("not enough runs to tell ({}; five are needed)", plural(row.runs, "run"))))
}

pub(super) fn amdahl(analysis: &Analysis) -> DisplayTable {
    let number =
        |value: Option<f64>| DisplayCell::new(value.map_or("–".to_owned(), |v| format!("{v:.2}"))).valued(value);
    let rows = analysis.fits.iter().map(|fit| {
        let points = fit.points.iter().map(|(cores, scaling)| format!("{cores}: {scaling:.2}")).collect::<Vec<_>>();
        let limit = fit.serial_fraction.filter(|serial| *serial > 0.0).map(|serial| 1.0 / serial);
        DisplayRow::body(vec![
            DisplayCell::new(shown(&fit.configuration)),
            DisplayCell::count(fit.subjects),
            DisplayCell::new(points.join(", ")),
            number(fit.serial_fraction),
            number(limit),
            fitted(fit),
        ])
    });
    DisplayTable {
        columns: DisplayColumn::aligned(&[
            "<configuration",
            ">subjects",
            "<cores: scaling",
            ">serial part",
            ">limit",
            ">R²",
        ]),
        rows: rows.collect(),
        ..DisplayTable::default()
    }
}

/// R², or why there is none.
fn fitted(fit: &ScalingFit) -> DisplayCell {
    match fit.r_squared {
        Some(r_squared) => DisplayCell::new(format!("{r_squared:.2}")).valued(r_squared),
        None if fit.points.len() < 3 => DisplayCell::muted("none (two points)"),
        None => DisplayCell::dash(),
    }
}

pub(super) fn regressions(analysis: &Analysis) -> DisplayTable {
    let number = |value: f64| DisplayCell::new(format!("{value:.2}")).valued(value);
    let rows = analysis.regressions.iter().map(|row| {
        DisplayRow::body(vec![
            DisplayCell::new(shown(&row.configuration)),
            DisplayCell::count(row.cores),
            DisplayCell::count(row.subjects),
            DisplayCell::new(row.form),
            number(row.slope),
            DisplayCell::muted(format!("{:.2}–{:.2}", row.slope_low, row.slope_high)).valued(row.slope_low),
            number(row.intercept),
            number(row.r_squared),
            DisplayCell::new(p_value(row.p)).valued(row.p),
        ])
    });
    DisplayTable {
        columns: DisplayColumn::aligned(&[
            "<configuration",
            ">cores",
            ">subjects",
            "<form",
            ">slope",
            ">95 %",
            ">intercept",
            ">R²",
            ">p",
        ]),
        rows: rows.collect(),
        ..DisplayTable::default()
    }
}

fn subjects_of<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut subjects: Vec<&str> = names.collect();
    subjects.dedup();
    subjects
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn few_runs_are_marked_without_colours() {
        let text = |run| scaling(&Analysis::of(&run)).rows[0].cells[2].text.clone();
        let mut run = sample::two_core_counts();
        assert!(!text(run.clone()).ends_with('*'));
        run.trials.retain(|trial| trial.repetition <= 4);
        assert!(text(run).ends_with("%)*"));
    }
}
