//! What the runs were like: concurrency, costs, scaling.

use super::{Align, Cell, Column, Row, Table, TableName, Tone, cores_suffix};
use crate::report::Analysis;
use crate::report::analysis::{ConcurrencyRow, CostRow};
use crate::report::text::{bytes, duration, shown};
use crate::wording::plural;

pub(super) fn concurrency(analysis: &Analysis, cores: usize) -> Table {
    let here: Vec<&ConcurrencyRow> = analysis.concurrency.iter().filter(|row| row.cores == cores).collect();
    let names: Vec<&str> = analysis.run.manifest.configurations.iter().map(|c| c.name.as_str()).collect();
    let mut columns = vec![Column::left("subject")];
    for name in &names {
        columns.extend(["asked", "mean", "max"].map(|label| Column::right(label).under(shown(name))));
    }
    let rows = subjects_of(here.iter().map(|row| row.subject.as_str()))
        .into_iter()
        .map(|subject| {
            let mut cells = vec![Cell::new(shown(subject))];
            for name in &names {
                let found = here.iter().find(|row| row.subject == subject && row.configuration == *name);
                cells.extend(found.map_or_else(blank_cells, |row| concurrency_cells(row)));
            }
            Row::body(cells)
        })
        .collect();
    Table {
        name: TableName::Concurrency,
        title: format!("Tests at once: asked for and observed{}", cores_suffix(analysis, cores)),
        columns,
        rows,
        notes: vec![
            "asked: forks × threads. mean: overlapping tests, weighted by time, over the repetitions. A maximum that is \
             marked shows a mode that had no effect of its own."
                .to_owned(),
        ],
    }
}

fn concurrency_cells(row: &ConcurrencyRow) -> [Cell; 3] {
    let tone = if row.no_effect.is_some() { Tone::Bad } else { Tone::Plain };
    let mark = if row.no_effect.is_some() { "!" } else { "" };
    [
        Cell::muted(row.asked.to_string()).valued(row.asked as f64).hinted(Some(format!(
            "{} × {}",
            plural(row.forks as usize, "fork"),
            plural(row.threads as usize, "thread")
        ))),
        Cell::new(format!("{:.1}", row.mean)).valued(row.mean),
        Cell::new(format!("{}{mark}", row.max)).valued(row.max as f64).toned(tone).hinted(row.no_effect.clone()),
    ]
}

pub(super) fn costs(analysis: &Analysis, cores: usize) -> Table {
    let here: Vec<&CostRow> = analysis.costs.iter().filter(|row| row.cores == cores).collect();
    let names: Vec<&str> = analysis.run.manifest.configurations.iter().map(|c| c.name.as_str()).collect();
    let mut columns = vec![Column::left("subject")];
    for name in &names {
        columns.extend(["time", "CPU", "memory"].map(|label| Column::right(label).under(shown(name))));
    }
    let subjects = subjects_of(here.iter().map(|row| row.subject.as_str()));
    let mut rows: Vec<Row> = Vec::new();
    for subject in &subjects {
        let mut cells = vec![Cell::new(shown(subject))];
        for name in &names {
            let found = here.iter().find(|row| row.subject == *subject && row.configuration == *name);
            cells.extend(found.map_or_else(blank_cells, |row| cost_cells(row)));
        }
        rows.push(Row::body(cells));
    }
    if rows.len() > 1 {
        rows.push(total(&names, &here));
    }
    Table {
        name: TableName::Costs,
        title: format!("Time, processor and memory{}", cores_suffix(analysis, cores)),
        columns,
        rows,
        notes: vec![
            "Means over the repetitions that ran to their end, failing or not; memory is the largest peak. All stages and \
             all processes count. Σ adds up what there is in each column."
                .to_owned(),
        ],
    }
}

fn cost_cells(row: &CostRow) -> [Cell; 3] {
    let spread = row.wall_sd.map(|sd| format!("± {} (sd) over {}", duration(sd), plural(row.trials, "repetition")));
    [
        Cell::new(duration(row.wall_seconds)).hinted(spread).valued(row.wall_seconds),
        Cell::new(duration(row.cpu_seconds)).valued(row.cpu_seconds),
        Cell::new(row.peak_memory_bytes.map_or("–".to_owned(), bytes)).valued(row.peak_memory_bytes.map(|b| b as f64)),
    ]
}

fn total(names: &[&str], rows: &[&CostRow]) -> Row {
    let mut cells = vec![Cell::new("Σ / largest")];
    for name in names {
        let of_it: Vec<&&CostRow> = rows.iter().filter(|row| row.configuration == *name).collect();
        if of_it.is_empty() {
            cells.extend(blank_cells());
            continue;
        }
        let peak = of_it.iter().filter_map(|row| row.peak_memory_bytes).max();
        cells.push(Cell::new(duration(of_it.iter().map(|row| row.wall_seconds).sum())));
        cells.push(Cell::new(duration(of_it.iter().map(|row| row.cpu_seconds).sum())));
        cells.push(Cell::new(peak.map_or("–".to_owned(), bytes)));
    }
    Row::summary(cells)
}

fn blank_cells() -> [Cell; 3] {
    [Cell::muted("–"), Cell::muted("–"), Cell::muted("–")]
}

pub(super) fn scaling(analysis: &Analysis) -> Table {
    let mut columns = vec![Column::left("subject"), Column::left("configuration")];
    let counts: Vec<usize> = analysis.run.manifest.cores.iter().copied().skip(1).collect();
    columns.extend(counts.iter().map(|cores| Column { align: Align::Right, ..Column::left(plural(*cores, "core")) }));
    let mut places: Vec<(&str, &str)> =
        analysis.scaling.iter().map(|row| (row.subject.as_str(), row.configuration.as_str())).collect();
    places.sort_by_key(|place| analysis.subjects.iter().position(|subject| subject.subject == place.0));
    let mut seen = std::collections::HashSet::new();
    places.retain(|place| seen.insert(*place));
    let rows = places
        .into_iter()
        .map(|(subject, configuration)| {
            let mut cells = vec![Cell::new(shown(subject)), Cell::new(shown(configuration))];
            cells.extend(counts.iter().map(|cores| scaling_cell(analysis, subject, configuration, *cores)));
            Row::body(cells)
        })
        .collect();
    let lowest = analysis.run.manifest.cores.first().copied().unwrap_or(1);
    Table {
        name: TableName::Scaling,
        title: format!("Scaling against {}", plural(lowest, "core")),
        columns,
        rows,
        notes: vec![
            "Each configuration against itself on the fewest cores, clean repetitions only; the part of the added cores that \
             was used in brackets. This is no speedup over the baseline."
                .to_owned(),
        ],
    }
}

fn scaling_cell(analysis: &Analysis, subject: &str, configuration: &str, cores: usize) -> Cell {
    let found = analysis
        .scaling
        .iter()
        .find(|row| row.subject == subject && row.configuration == configuration && row.cores == cores);
    found.map_or_else(
        || Cell::muted("–"),
        |row| Cell::new(format!("{:.2} ({:.0} %)", row.scaling, row.efficiency * 100.0)).valued(row.scaling),
    )
}

fn subjects_of<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut subjects: Vec<&str> = names.collect();
    subjects.dedup();
    subjects
}
