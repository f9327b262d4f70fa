//! The report as one JSON document: `{run_dir, run, headline, tables: {subjects: […], failures: […], speedups: […], …},
//! executions: {stages: […], times: […]}, warnings: […]}`. `executions` is what `tests.parquet` alone says. The rows are those of the CSV files; times are in seconds, sizes in bytes, cells without a number are
//! `null` beside a `state` that says why.

use std::path::Path;

use miette::IntoDiagnostic;
use serde_json::{Value, json};

use crate::report::tables::{TableDefinition, TableOutput};
use crate::report::{Analysis, RunReport};

/// The document, with all tables or only one.
pub fn render(report: &RunReport, run_dir: &Path, only: Option<&TableDefinition>) -> miette::Result<Value> {
    let analysis = report.analysis;
    let mut tables = serde_json::Map::new();
    for table in TableDefinition::in_output(TableOutput::Json) {
        let is_wanted = only.is_none_or(|only| only.name == table.name);
        if is_wanted && (!table.needs_study() || report.study().is_some()) {
            tables.insert(table.name.replace('-', "_"), report.data(table)?.to_json()?);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn the_document_has_what_scripts_rely_on() {
        let document = render(&RunReport::new(sample::studied()), Path::new("results/x"), None).unwrap();
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
        let document =
            render(&RunReport::new(sample::studied()), Path::new("x"), TableDefinition::find("failures")).unwrap();
        assert_eq!(document["tables"].as_object().unwrap().keys().collect::<Vec<_>>(), ["failures"]);
    }
}
