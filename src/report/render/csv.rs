//! CSV for machines: one flat row per cell, unrounded, names as they are.

use miette::IntoDiagnostic;
use serde::Serialize;

use crate::report::Analysis;
use crate::report::analysis::{Scope, SpeedupRow};
use crate::report::tables::TableName;

/// The rows behind a table; only a header line where there are none.
pub fn render(analysis: &Analysis, table: TableName) -> miette::Result<String> {
    match table {
        TableName::Subjects => write(&analysis.subjects),
        TableName::Failures => write(&analysis.failures),
        TableName::Speedups => write(&analysis.speedups),
        TableName::SpeedupsStudy => write(&gained(analysis)),
        TableName::Averages => write(&analysis.averages),
        TableName::Savings => write(&analysis.savings),
        TableName::Concurrency => write(&analysis.concurrency),
        TableName::Costs => write(&analysis.costs),
        TableName::Scaling => write(&analysis.scaling),
        TableName::Residual => write(&analysis.residual),
        TableName::Incomplete => write(&analysis.incomplete),
        TableName::Findings => write(&analysis.findings),
        TableName::Deviations => write(&analysis.deviations),
        TableName::SetAside => write(&analysis.set_aside),
        TableName::Warnings => write(&analysis.warnings),
        TableName::Origins => write(&analysis.origins),
        TableName::Comparison(_) => Ok(String::new()),
    }
}

/// The rows of subjects that some configuration made faster on as many cores.
pub(crate) fn gained(analysis: &Analysis) -> Vec<SpeedupRow> {
    let all = &analysis.speedups;
    let here = |row: &SpeedupRow| all.iter().filter(|other| other.cores == row.cores).collect::<Vec<_>>();
    all.iter().filter(|row| Scope::Study.includes(&row.subject, &here(row))).cloned().collect()
}

pub(crate) fn write<R: Serialize + Default>(rows: &[R]) -> miette::Result<String> {
    if rows.is_empty() {
        // The heads come from a row: one is written and everything but them dropped.
        let text = write(&[R::default()])?;
        return Ok(text.lines().take(1).map(|line| format!("{line}\n")).collect());
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row).into_diagnostic()?;
    }
    let bytes = writer.into_inner().into_diagnostic()?;
    String::from_utf8(bytes).into_diagnostic()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn every_table_can_be_read_back() {
        for analysis in [sample::studied(), sample::attacked(), &Analysis::of(&sample::empty())] {
            for table in TableName::ALL {
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
        let names: Vec<String> = reader.records().map(|record| record.unwrap()[0].to_owned()).collect();
        assert_eq!(names, sample::HOSTILE_NAMES.map(str::to_owned));
    }
}
