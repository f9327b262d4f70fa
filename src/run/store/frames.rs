//! Executions as Parquet: one file per trial, and all of them merged.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use miette::{IntoDiagnostic, WrapErr};
use polars::prelude::*;

use super::journal;
use super::record::ExecutionRow;
use crate::file_error::file_error;
use crate::folder_handle::open_regular;
use crate::suite::{Outcome, TestId};
use crate::wording::first_line;

/// Writes the executions of one trial, and tells the hash of the file.
pub fn write_trial(path: &Path, trial: &str, rows: &[ExecutionRow]) -> miette::Result<String> {
    let mut frame = frame(trial, rows).into_diagnostic().wrap_err("a frame of executions could not be made")?;
    encode(&mut frame, path)
}

fn encode(frame: &mut DataFrame, path: &Path) -> miette::Result<String> {
    let mut bytes = Vec::new();
    ParquetWriter::new(&mut bytes)
        .finish(frame)
        .into_diagnostic()
        .wrap_err_with(|| format!("{} could not be encoded", path.display()))?;
    super::write_atomically(path, &bytes)?;
    Ok(journal::hash(&bytes))
}

/// Copies the executions of a trial with all texts rewritten.
pub fn copy_rewritten(from: &Path, to: &Path, rewrite: super::Rewrite<'_>) -> miette::Result<String> {
    let failed = || format!("{} could not be copied", from.display());
    let mut frame = read(from)?;
    for name in frame.get_column_names_owned() {
        let column = frame.column(&name).into_diagnostic().wrap_err_with(failed)?;
        let kind = column.dtype().clone();
        if !matches!(kind, DataType::String | DataType::Categorical(..)) {
            continue;
        }
        let texts = column.cast(&DataType::String).into_diagnostic().wrap_err_with(failed)?;
        let texts = texts.str().into_diagnostic().wrap_err_with(failed)?;
        let key = ["module", "class", "name"].contains(&name.as_str()).then_some(super::TEST);
        let changed: Vec<Option<String>> = texts.iter().map(|text| text.map(|text| rewrite(key, text))).collect();
        let changed = Column::new(name, changed).cast(&kind).into_diagnostic().wrap_err_with(failed)?;
        frame.with_column(changed).into_diagnostic().wrap_err_with(failed)?;
    }
    encode(&mut frame, to)
}

/// Copies the executions of a trial that is called otherwise from now on.
pub fn copy_as(from: &Path, to: &Path, trial: &str) -> miette::Result<String> {
    let mut frame = read(from)?;
    let failed = || format!("{} could not be copied", from.display());
    let names = Column::new("trial".into(), vec![trial; frame.height()]);
    let names = names.cast(&DataType::from_categories(Categories::global())).into_diagnostic().wrap_err_with(failed)?;
    frame.with_column(names).into_diagnostic().wrap_err_with(failed)?;
    encode(&mut frame, to)
}

/// Rows of a row group: enough for names to be few beside them, few enough to be held in memory.
const GROUP_ROWS: usize = 1 << 19;

/// Merges the files of many trials. Memory holds the trials of one row group at a time; small trials share one.
pub fn merge(files: &[std::path::PathBuf], target: &Path) -> miette::Result<()> {
    let temporary = target.with_extension("parquet.part");
    let written = write_merged(files, &temporary, GROUP_ROWS);
    let renamed = written.and_then(|()| std::fs::rename(&temporary, target).into_diagnostic());
    if renamed.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    renamed.wrap_err_with(|| format!("{} could not be written", target.display()))
}

pub(super) fn write_merged(files: &[std::path::PathBuf], target: &Path, group_rows: usize) -> miette::Result<()> {
    let output = File::create(target).into_diagnostic()?;
    let empty = frame("", &[]).into_diagnostic()?;
    let mut writer = ParquetWriter::new(&output).batched(empty.schema()).into_diagnostic()?;
    let mut group: Option<DataFrame> = None;
    for file in files {
        let trial = read(file)?;
        let rows = group.as_ref().map_or(0, DataFrame::height);
        if rows > 0 && rows + trial.height() > group_rows {
            write_group(&mut writer, group.take(), group_rows)?;
        }
        match &mut group {
            Some(group) => group.vstack_mut_owned(trial).map(|_| ()).into_diagnostic()?,
            None => group = Some(trial),
        }
    }
    write_group(&mut writer, group, group_rows)?;
    writer.finish().into_diagnostic()?;
    output.sync_all().into_diagnostic()
}

/// One row group, or several of a trial that is larger than one.
fn write_group(writer: &mut BatchedWriter<&File>, group: Option<DataFrame>, rows: usize) -> miette::Result<()> {
    let Some(mut group) = group else { return Ok(()) };
    group.rechunk_mut_par();
    for begin in (0..group.height()).step_by(rows) {
        writer.write_batch(&group.slice(begin as i64, rows)).into_diagnostic()?;
    }
    Ok(())
}

fn read(path: &Path) -> miette::Result<DataFrame> {
    let file =
        open_regular(path).map_err(|error| file_error(format_args!("{} could not be read", path.display()), &error))?;
    // polars checks what it reads by assertions: a file with wrong bytes in the right places is a panic to it.
    let read = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| ParquetReader::new(file).finish()));
    let read = read.unwrap_or_else(|_| Err(polars_err!(ComputeError: "its columns contradict each other")));
    read.into_diagnostic().wrap_err_with(|| {
        format!("{} is damaged; to rerun the trial, remove this file and its line in journal.jsonl", path.display())
    })
}

/// What tests of a trial failed of in its first stage: the first line of each one's first message.
pub fn failure_messages(path: &Path, trial: &str) -> miette::Result<BTreeMap<TestId, String>> {
    let frame = read(path)?;
    let wrong = || format!("{} does not have the columns of executions", path.display());
    messages_of(&frame, trial).into_diagnostic().wrap_err_with(wrong)
}

fn messages_of(frame: &DataFrame, trial: &str) -> PolarsResult<BTreeMap<TestId, String>> {
    let text = |name: &str| frame.column(name)?.cast(&DataType::String);
    let columns = ["trial", "module", "class", "name", "outcome", "message"].map(text);
    let [trials, modules, classes, names, outcomes, messages] = columns;
    let (trials, modules, classes) = (trials?, modules?, classes?);
    let (names, outcomes, messages) = (names?, outcomes?, messages?);
    let (trials, modules, classes) = (trials.str()?, modules.str()?, classes.str()?);
    let (names, outcomes, messages) = (names.str()?, outcomes.str()?, messages.str()?);
    let (stages, occurrences) = (frame.column("stage")?.u32()?, frame.column("occurrence")?.u32()?);
    let is_failure = |name: &str| Outcome::named(name).is_some_and(Outcome::is_failure);
    let mut found = BTreeMap::new();
    for row in 0..frame.height() {
        let is_ours = trials.get(row) == Some(trial) && stages.get(row) == Some(1);
        let (Some(message), true) = (messages.get(row), is_ours && outcomes.get(row).is_some_and(is_failure)) else {
            continue;
        };
        let part = |column: &StringChunked| column.get(row).unwrap_or_default().to_owned();
        let occurrence = occurrences.get(row).unwrap_or(1);
        let test = TestId::new(&part(modules), &part(classes), &part(names), occurrence);
        found.entry(test).or_insert_with(|| first_line(message));
    }
    Ok(found)
}

fn frame(trial: &str, rows: &[ExecutionRow]) -> PolarsResult<DataFrame> {
    let text = |name: &str, of: &dyn Fn(&ExecutionRow) -> Option<String>| {
        Column::new(name.into(), rows.iter().map(of).collect::<Vec<_>>())
    };
    let category = |name: &str, of: &dyn Fn(&ExecutionRow) -> String| {
        Column::new(name.into(), rows.iter().map(of).collect::<Vec<_>>())
            .cast(&DataType::from_categories(Categories::global()))
    };
    let number = |name: &str, of: &dyn Fn(&ExecutionRow) -> u32| {
        Column::new(name.into(), rows.iter().map(of).collect::<Vec<_>>())
    };
    let seconds = |name: &str, of: &dyn Fn(&ExecutionRow) -> f64| {
        Column::new(name.into(), rows.iter().map(of).collect::<Vec<_>>())
    };
    DataFrame::new(
        rows.len(),
        vec![
            category("trial", &|_| trial.to_owned())?,
            number("stage", &|row| row.stage),
            number("machine", &|row| row.machine),
            category("module", &|row| row.execution.test.module.clone())?,
            category("class", &|row| row.execution.test.class.clone())?,
            category("name", &|row| row.execution.test.name.clone())?,
            number("occurrence", &|row| row.execution.test.occurrence),
            category("outcome", &|row| row.execution.outcome.name().to_owned())?,
            seconds("start", &|row| row.execution.start),
            seconds("seconds", &|row| row.execution.seconds),
            number("process", &|row| row.execution.process),
            category("thread", &|row| row.execution.thread.clone())?,
            text("display", &|row| row.execution.display.clone()),
            text("message", &|row| row.execution.message.clone()),
        ],
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::{Execution, Outcome, TestId};

    fn row(name: &str, outcome: Outcome) -> ExecutionRow {
        ExecutionRow {
            stage: 1,
            machine: 1,
            execution: Execution {
                test: TestId::new("m", "a.B", name, 1),
                display: None,
                outcome,
                start: 0.5,
                seconds: 1.5,
                process: 7,
                thread: "main".into(),
                message: Some("<b>\"'\n\0".into()),
            },
        }
    }

    fn names(frame: &DataFrame) -> Vec<String> {
        let names = frame.column("name").unwrap().cast(&DataType::String).unwrap();
        names.str().unwrap().iter().map(|name| name.unwrap().to_owned()).collect()
    }

    #[test]
    fn trials_merge_into_one_file_in_the_given_order() {
        let dir = tempfile::tempdir().unwrap();
        let files = ["x", "y", "z"].map(|trial| dir.path().join(format!("{trial}.parquet")));
        write_trial(&files[0], "x", &[row("one", Outcome::Passed), row("two <i>", Outcome::Error)]).unwrap();
        write_trial(&files[1], "y", &[]).unwrap();
        write_trial(&files[2], "z", &[row("three", Outcome::Crashed)]).unwrap();
        let merged = dir.path().join("tests.parquet");
        merge(&files, &merged).unwrap();
        let frame = read(&merged).unwrap();
        assert_eq!(names(&frame), ["one", "two <i>", "three"]);
        assert_eq!(frame.get_column_names()[..3], ["trial", "stage", "machine"]);
        assert_eq!(frame.column("start").unwrap().f64().unwrap().get(2), Some(0.5));
    }

    #[test]
    fn a_damaged_file_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("x.parquet");
        std::fs::write(&file, b"PAR1garbage").unwrap();
        let error = merge(&[file], &dir.path().join("tests.parquet")).unwrap_err();
        assert!(format!("{error:?}").contains("x.parquet"), "{error:?}");
        assert!(!dir.path().join("tests.parquet.part").exists());
    }

    #[test]
    fn a_damaged_file_is_an_error_and_never_a_panic() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.parquet");
        write_trial(&path, "t", &[row("one", Outcome::Failed), row("two", Outcome::Passed)]).unwrap();
        let whole = std::fs::read(&path).unwrap();
        for length in (0..whole.len()).step_by(13) {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert!(read(&path).unwrap_err().to_string().contains("is damaged"), "cut to {length} bytes");
        }
        for at in (0..whole.len()).step_by(5) {
            let mut flipped = whole.clone();
            flipped[at] ^= 0xff;
            std::fs::write(&path, flipped).unwrap();
            // Some bytes are of no consequence.
            drop(read(&path));
        }
    }

    #[test]
    fn what_tests_failed_of_is_read_back_without_passes_and_later_stages() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        let said = |name: &str, outcome, message: Option<&str>, stage| {
            let mut row = row(name, outcome);
            row.stage = stage;
            row.execution.message = message.map(str::to_owned);
            row
        };
        let rows = [
            said("port", Outcome::Error, Some("java.net.BindException: in use\n at A"), 1),
            said("port", Outcome::Error, Some("another"), 2),
            said("fine", Outcome::Passed, None, 1),
            said("silent", Outcome::Failed, None, 1),
        ];
        write_trial(&path, "x", &rows).unwrap();
        let found = failure_messages(&path, "x").unwrap();
        let expected = (TestId::new("m", "a.B", "port", 1), "java.net.BindException: in use".to_owned());
        assert_eq!(found.into_iter().collect::<Vec<_>>(), [expected]);
        assert!(failure_messages(&path, "other").unwrap().is_empty());
    }
}
