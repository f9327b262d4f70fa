//! What a run of the binary left: exit code, closing JSON, table, journal and executions.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Output;

use parade::store::Entry;
use parade::store::record::{SubjectRecord, TrialRecord};
use parade::suite::TestId;
use polars::prelude::{Column, DataFrame, DataType, ParquetReader, SerReader};
use serde::Deserialize;

pub struct RunOutcome {
    output: Output,
    /// Nothing where parade ended without its closing object, with the reason.
    pub run: Result<Run, String>,
}

/// What the run folder holds.
pub struct Run {
    pub summary: Summary,
    /// Measured trials by configuration.
    pub rows: BTreeMap<String, Row>,
    pub subjects: Vec<SubjectRecord>,
    pub trials: Vec<TrialRecord>,
    pub executions: Vec<ExecutedTest>,
}

/// The object that `parade run --json` ends with.
#[derive(Debug, Deserialize)]
pub struct Summary {
    pub run_dir: std::path::PathBuf,
    pub completed: u64,
    pub failed: u64,
}

/// A line of `trials.csv`, as far as it is promised to other tools.
#[derive(Debug, Deserialize)]
pub struct Row {
    pub trial: String,
    pub subject: String,
    pub configuration: String,
    pub cores: u64,
    pub repetition: u32,
    pub verdict: String,
    pub wall_seconds: f64,
    pub cpu_seconds: f64,
    pub peak_memory_bytes: Option<u64>,
    pub tests: u64,
    pub passed: u64,
    pub failed: u64,
    pub errors: u64,
    pub skipped: u64,
    pub concurrency: f64,
}

/// A row of `tests.parquet`.
#[derive(Debug, Clone)]
pub struct ExecutedTest {
    pub trial: String,
    pub stage: u32,
    pub outcome: String,
    pub test: TestId,
}

impl RunOutcome {
    pub fn of(output: Output) -> Self {
        let run = read_run(&String::from_utf8_lossy(&output.stdout));
        RunOutcome { output, run }
    }

    pub fn exit_code(&self) -> Option<i32> {
        self.output.status.code()
    }

    /// The end of what parade told people.
    pub fn last_words(&self) -> String {
        let text = String::from_utf8_lossy(&self.output.stderr);
        let lines: Vec<_> = text.lines().collect();
        lines[lines.len().saturating_sub(40)..].join("\n")
    }
}

fn read_run(stdout: &str) -> Result<Run, String> {
    let summary: Summary = closing_object(stdout)?;
    let folder = summary.run_dir.clone();
    let (subjects, trials) = read_journal(&folder.join("journal.jsonl"))?;
    Ok(Run {
        rows: read_rows(&folder.join("trials.csv"))?,
        executions: read_executions(&folder.join("tests.parquet"))?,
        summary,
        subjects,
        trials,
    })
}

fn closing_object(stdout: &str) -> Result<Summary, String> {
    let start = stdout.rfind("\n{").map_or(0, |at| at + 1);
    serde_json::from_str(&stdout[start..]).map_err(|error| format!("no closing JSON object ({error}) in: {stdout}"))
}

fn read_journal(path: &Path) -> Result<(Vec<SubjectRecord>, Vec<TrialRecord>), String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let (mut subjects, mut trials) = (Vec::new(), Vec::new());
    for line in text.lines() {
        match serde_json::from_str(line).map_err(|error| format!("{}: {error}: {line}", path.display()))? {
            Entry::Subject(subject) => subjects.push(subject),
            Entry::Trial(trial) => trials.push(trial),
            Entry::Knowledge(_) | Entry::Step(_) => {}
        }
    }
    Ok((subjects, trials))
}

fn read_rows(path: &Path) -> Result<BTreeMap<String, Row>, String> {
    let failed = |error: csv::Error| format!("{}: {error}", path.display());
    let mut reader = csv::Reader::from_path(path).map_err(failed)?;
    let mut rows = BTreeMap::new();
    for row in reader.deserialize::<Row>() {
        let row = row.map_err(failed)?;
        if let Some(twice) = rows.insert(row.configuration.clone(), row) {
            return Err(format!("{}: {} is there twice", path.display(), twice.configuration));
        }
    }
    Ok(rows)
}

fn read_executions(path: &Path) -> Result<Vec<ExecutedTest>, String> {
    let failed = |error: String| format!("{}: {error}", path.display());
    let file = std::fs::File::open(path).map_err(|error| failed(error.to_string()))?;
    let frame = ParquetReader::new(file).finish().map_err(|error| failed(error.to_string()))?;
    executed_tests(&frame).map_err(|error| failed(error.to_string()))
}

fn executed_tests(frame: &DataFrame) -> polars::prelude::PolarsResult<Vec<ExecutedTest>> {
    let texts = |name: &str| -> polars::prelude::PolarsResult<Vec<String>> {
        let column: Column = frame.column(name)?.cast(&DataType::String)?;
        Ok(column.str()?.iter().map(|value| value.unwrap_or_default().to_owned()).collect())
    };
    let (trial, outcome) = (texts("trial")?, texts("outcome")?);
    let (module, class, name) = (texts("module")?, texts("class")?, texts("name")?);
    let (stage, occurrence) = (frame.column("stage")?.u32()?, frame.column("occurrence")?.u32()?);
    let row = |at: usize| ExecutedTest {
        trial: trial[at].clone(),
        stage: stage.get(at).unwrap_or_default(),
        outcome: outcome[at].clone(),
        test: TestId::new(&module[at], &class[at], &name[at], occurrence.get(at).unwrap_or_default()),
    };
    Ok((0..frame.height()).map(row).collect())
}
