//! CSV for machines: one flat row per cell, unrounded, names as they are but for what [`csv_cells`] does to formulas.

use miette::IntoDiagnostic;
use serde::Serialize;

use crate::csv_cells;
use crate::report::Analysis;
use crate::report::analysis::{Scope, SpeedupRow};
use crate::report::beside::Beside;
use crate::report::tables::{DisplayCell, DisplayColumn, DisplayTable, TableName};

/// The rows behind a table; only a header line where there are none.
pub fn render(analysis: &Analysis, table: TableName) -> miette::Result<String> {
    text(Some(analysis), table)
}

/// The header line of a table, whatever a run has to say.
pub fn heads(table: TableName) -> miette::Result<String> {
    text(None, table)
}

fn text(analysis: Option<&Analysis>, table: TableName) -> miette::Result<String> {
    match table {
        TableName::Subjects => rows(analysis, |analysis| &analysis.subjects),
        TableName::Failures => rows(analysis, |analysis| &analysis.failures),
        TableName::Speedups => rows(analysis, |analysis| &analysis.speedups),
        TableName::SpeedupsStudy => write(&analysis.map_or_else(Vec::new, gained)),
        TableName::Averages => rows(analysis, |analysis| &analysis.averages),
        TableName::Savings => rows(analysis, |analysis| &analysis.savings),
        TableName::Concurrency => rows(analysis, |analysis| &analysis.concurrency),
        TableName::Costs => rows(analysis, |analysis| &analysis.costs),
        TableName::Scaling => rows(analysis, |analysis| &analysis.scaling),
        TableName::Residual => rows(analysis, |analysis| &analysis.residual),
        TableName::Incomplete => rows(analysis, |analysis| &analysis.incomplete),
        TableName::Findings => rows(analysis, |analysis| &analysis.findings),
        TableName::Deviations => rows(analysis, |analysis| &analysis.deviations),
        TableName::SetAside => rows(analysis, |analysis| &analysis.set_aside),
        TableName::Warnings => rows(analysis, |analysis| &analysis.warnings),
        TableName::Origins => rows(analysis, |analysis| &analysis.origins),
        TableName::OdStatistics => rows(analysis, |analysis| &analysis.orders.statistics),
        TableName::OdTechniques => rows(analysis, |analysis| &analysis.orders.techniques),
        TableName::OdAlgorithms => rows(analysis, |analysis| &analysis.orders.algorithms),
        TableName::OdTimes => rows(analysis, |analysis| &analysis.orders.searches),
        TableName::OdReduction => rows(analysis, |analysis| &analysis.orders.reductions),
        TableName::OdSlowdown => rows(analysis, |analysis| &analysis.orders.slowdowns),
        TableName::OdFailures => rows(analysis, |analysis| &analysis.orders.failures),
        TableName::OdSchedules => rows(analysis, |analysis| &analysis.orders.schedules),
        TableName::Regressions => rows(analysis, |analysis| &analysis.regressions),
        TableName::Amdahl => rows(analysis, |analysis| &analysis.fits),
        TableName::Study => write(&analysis.and_then(Beside::of).map(|beside| beside.study_rows()).unwrap_or_default()),
        TableName::Claims => {
            write(&analysis.and_then(Beside::of).map(|beside| beside.claim_rows()).unwrap_or_default())
        }
        TableName::Comparison(_) | TableName::Assessment(_) => Ok(String::new()),
    }
}

fn rows<R: Serialize + Default>(analysis: Option<&Analysis>, of: fn(&Analysis) -> &[R]) -> miette::Result<String> {
    write(analysis.map_or(&[][..], of))
}

/// The rows of subjects that some configuration made faster on as many cores.
fn gained(analysis: &Analysis) -> Vec<SpeedupRow> {
    let mut rows = Vec::new();
    for cores in &analysis.run.manifest.cores {
        let here: Vec<&SpeedupRow> = analysis.speedups.iter().filter(|row| row.cores == *cores).collect();
        let members = Scope::Study.members(&here);
        rows.extend(here.iter().copied().filter(|row| members.has(&row.subject)).cloned());
    }
    rows
}

/// A table as it is shown, with numbers where its cells have some.
pub(super) fn of_table(table: &DisplayTable) -> miette::Result<String> {
    let head =
        |column: &DisplayColumn| column.group.iter().chain([&column.label]).cloned().collect::<Vec<_>>().join("/");
    let cell = |cell: &DisplayCell| cell.value.map_or_else(|| cell.text.clone(), |value| value.to_string());
    let records = table.rows.iter().map(|row| row.cells.iter().map(cell));
    String::from_utf8(csv_cells::of_records(table.columns.iter().map(head), records)?).into_diagnostic()
}

pub(crate) fn write<R: Serialize + Default>(rows: &[R]) -> miette::Result<String> {
    if rows.is_empty() {
        // The heads come from a row: one is written and everything but them dropped.
        let text = write(&[R::default()])?;
        return Ok(text.lines().take(1).map(|line| format!("{line}\n")).collect());
    }
    String::from_utf8(csv_cells::of_rows(rows)?).into_diagnostic()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn every_table_can_be_read_back() {
        for analysis in [sample::studied(), sample::attacked(), &Analysis::of(&sample::empty())] {
            for table in TableName::all() {
                let text = render(analysis, table).unwrap();
                let mut reader = csv::Reader::from_reader(text.as_bytes());
                let columns = reader.headers().unwrap().len();
                assert!(columns > 1, "{} has no heads", table.name());
                for record in reader.records() {
                    assert_eq!(record.unwrap().len(), columns, "{}", table.name());
                }
            }
        }
    }

    #[test]
    fn failures_are_one_row_per_stage() {
        insta::assert_snapshot!(render(sample::studied(), TableName::Failures).unwrap());
    }

    #[test]
    fn names_are_kept_as_they_are() {
        let analysis = sample::attacked();
        let text = render(analysis, TableName::Subjects).unwrap();
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let cells: Vec<String> = reader.records().map(|record| record.unwrap()[0].to_owned()).collect();
        assert!(cells.iter().all(|cell| !cell.starts_with('=')), "a name became a formula");
        let names: Vec<&str> = cells.iter().map(|cell| csv_cells::read(cell)).collect();
        assert_eq!(names, sample::HOSTILE_NAMES);
    }
}
