//! The report as one JSON document: `{run_dir, run, headline, tables: {subjects: […], failures: […], speedups: […], …},
//! executions: {stages: […], times: […]}, warnings: […]}`. `executions` is what `tests.parquet` alone says. The rows are those of the CSV files; times are in seconds, sizes in bytes, cells without a number are
//! `null` beside a `state` that says why.

use std::path::Path;

use miette::IntoDiagnostic;
use serde_json::{Value, json};

use crate::report::Analysis;
use crate::report::beside::Beside;
use crate::report::tables::TableName;

/// The document, with all tables or only one.
pub fn render(analysis: &Analysis, run_dir: &Path, only: Option<TableName>) -> miette::Result<Value> {
    let mut tables = serde_json::Map::new();
    for table in
        TableName::named().chain(TableName::of_the_study()).filter(|table| only.is_none_or(|only| only == *table))
    {
        if let Some(rows) = rows(analysis, table)? {
            tables.insert(table.name().replace('-', "_"), rows);
        }
    }
    Ok(json!({
        "run_dir": run_dir.to_string_lossy(),
        "run": run(analysis)?,
        "machine": analysis.machine,
        "headline": analysis.headline,
        "tables": tables,
        "executions": analysis.executions,
        "warnings": analysis.warnings,
    }))
}

/// What was run, without the plan trial by trial: `manifest.json` has that.
fn run(analysis: &Analysis) -> miette::Result<Value> {
    let mut run = serde_json::to_value(&analysis.run).into_diagnostic()?;
    if let Some(facts) = run.as_object_mut() {
        facts.remove("trials");
    }
    Ok(run)
}

/// Nothing for what is told elsewhere in the document.
fn rows(analysis: &Analysis, table: TableName) -> miette::Result<Option<Value>> {
    let value = match table {
        TableName::Subjects => serde_json::to_value(&analysis.subjects),
        TableName::Failures => serde_json::to_value(&analysis.failures),
        TableName::Speedups => serde_json::to_value(&analysis.speedups),
        TableName::Averages => serde_json::to_value(&analysis.averages),
        TableName::Savings => serde_json::to_value(&analysis.savings),
        TableName::Concurrency => serde_json::to_value(&analysis.concurrency),
        TableName::Costs => serde_json::to_value(&analysis.costs),
        TableName::Scaling => serde_json::to_value(&analysis.scaling),
        TableName::Residual => serde_json::to_value(&analysis.residual),
        TableName::Incomplete => serde_json::to_value(&analysis.incomplete),
        TableName::Findings => serde_json::to_value(&analysis.findings),
        TableName::Deviations => serde_json::to_value(&analysis.deviations),
        TableName::SetAside => serde_json::to_value(&analysis.set_aside),
        TableName::Origins => serde_json::to_value(&analysis.origins),
        TableName::OdStatistics => serde_json::to_value(&analysis.orders.statistics),
        TableName::OdTechniques => serde_json::to_value(&analysis.orders.techniques),
        TableName::OdAlgorithms => serde_json::to_value(&analysis.orders.algorithms),
        TableName::OdTimes => serde_json::to_value(&analysis.orders.searches),
        TableName::OdReduction => serde_json::to_value(&analysis.orders.reductions),
        TableName::OdSlowdown => serde_json::to_value(&analysis.orders.slowdowns),
        TableName::OdFailures => serde_json::to_value(&analysis.orders.failures),
        TableName::OdSchedules => serde_json::to_value(&analysis.orders.schedules),
        TableName::Regressions => serde_json::to_value(&analysis.regressions),
        TableName::Amdahl => serde_json::to_value(&analysis.fits),
        TableName::Study => match Beside::of(analysis) {
            Some(beside) => serde_json::to_value(beside.study_rows()),
            None => return Ok(None),
        },
        TableName::Claims => match Beside::of(analysis) {
            Some(beside) => serde_json::to_value(beside.claim_rows()),
            None => return Ok(None),
        },
        TableName::SpeedupsStudy | TableName::Warnings | TableName::Comparison(_) | TableName::Assessment(_) => {
            return Ok(None);
        }
    };
    value.map(Some).into_diagnostic()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn the_document_has_what_scripts_rely_on() {
        let analysis = sample::studied();
        let document = render(analysis, Path::new("results/x"), None).unwrap();
        assert_eq!(document["run_dir"], "results/x");
        assert_eq!((&document["run"]["seed"], &document["run"]["planned_trials"]), (&json!(2021), &json!(160)));
        assert!(document["run"].get("trials").is_none());
        for table in ["failures", "speedups", "subjects", "averages"] {
            assert!(document["tables"][table].as_array().is_some_and(|rows| !rows.is_empty()), "{table}");
        }
        assert!(document["warnings"].is_array());
        let row = &document["tables"]["speedups"][0];
        for key in
            ["subject", "configuration", "cores", "state", "speedup", "ci_low", "ci_high", "pairs", "p", "p_holm"]
        {
            assert!(row.get(key).is_some(), "{key}");
        }
    }

    #[test]
    fn one_table_can_be_asked_for() {
        let document = render(sample::studied(), Path::new("x"), Some(TableName::Failures)).unwrap();
        assert_eq!(document["tables"].as_object().unwrap().keys().collect::<Vec<_>>(), ["failures"]);
    }
}
