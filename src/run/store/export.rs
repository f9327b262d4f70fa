//! A copy of a run for others: what is recorded, as it is or with every text rewritten, and the tables derived again from that.
//! Nothing is left out but logs, if so wished, and nothing is added. A plain copy keeps the journal's chain, so that whatever is
//! wrong with it stays to be seen; a rewritten one begins a chain that names where the other ended.

use std::fs;
use std::path::Path;

use miette::{IntoDiagnostic, miette};
use serde_json::Value;

use super::{Entry, RunFolder, frames, journal, layout, write_atomically};
use crate::file_error::file_error;
use crate::folders;

/// Changes a text on its way out. It is told the key under which JSON has it, if any.
pub type Rewrite<'a> = &'a dyn Fn(Option<&str>, &str) -> String;

/// The key of a test's identity, or of a part of it: it is the same in every copy, or nothing could be looked up.
pub const TEST: &str = "test";

/// What a rewritten copy calls the run that it was made of: its name may be one of the texts that are to be rewritten.
const ORIGINAL: &str = "original";

/// Copies a run into a folder that is not there yet, logs included.
pub fn export(run: &RunFolder, to: &Path) -> miette::Result<RunFolder> {
    folders::copy(run.dir(), to)?;
    let copy = RunFolder::at(to);
    copy.derive_tables()?;
    Ok(copy)
}

/// The same with every text rewritten. Logs, earlier reports and the answers of commands are left out: nobody can say what is
/// in them.
pub fn export_rewritten(run: &RunFolder, to: &Path, rewrite: Rewrite<'_>) -> miette::Result<RunFolder> {
    let copy = RunFolder::at(to);
    fs::create_dir_all(to.join("tests")).map_err(|error| file_error(format_args!("{}", to.display()), &error))?;
    for file in folders::files(run.dir())? {
        let name = file.to_string_lossy().into_owned();
        let described = ["manifest", "environment", "experiment"].iter().any(|stem| name.starts_with(stem));
        if described || file.starts_with("origins") {
            rewrite_document(&run.dir().join(&file), &to.join(rewrite(None, &name)), rewrite)?;
        }
    }
    rewrite_journal(run, &copy, rewrite)?;
    copy.derive_tables()?;
    Ok(copy)
}

/// JSON value by value; TOML as the text that it is.
fn rewrite_document(from: &Path, to: &Path, rewrite: Rewrite<'_>) -> miette::Result<()> {
    let text = crate::whole_file::read_own(from)?;
    if from.extension().is_none_or(|extension| extension != "json") {
        return write_atomically(to, rewrite(None, &text).as_bytes());
    }
    let value: Value =
        serde_json::from_str(&text).map_err(|error| miette!("{} is damaged: {error}", from.display()))?;
    let rewritten = serde_json::to_string_pretty(&rewritten(value, None, rewrite)).into_diagnostic()?;
    write_atomically(to, rewritten.as_bytes())
}

/// The journal with the executions of its trials.
fn rewrite_journal(run: &RunFolder, copy: &RunFolder, rewrite: Rewrite<'_>) -> miette::Result<()> {
    let path = copy.journal_path();
    let failed = |error: std::io::Error| file_error(format_args!("{} could not be written", path.display()), &error);
    let doubts = run.doubts(&run.read()?).altered.iter().map(|doubt| rewrite(None, doubt)).collect();
    let source = journal::source_end(ORIGINAL.to_owned(), &run.journal_path(), doubts);
    let mut new = journal::NewJournal::create(&path, vec![source]).map_err(failed)?;
    for entry in journal::read(&run.journal_path())? {
        // Tables need no other steps, and these quote what was found in words of the project.
        if matches!(entry, Entry::Step(_)) {
            continue;
        }
        let value = serde_json::to_value(&entry).into_diagnostic()?;
        let tests = match &entry {
            Entry::Trial(trial) => copy_executions(run, copy, &trial.trial, rewrite)?,
            _ => None,
        };
        new.append(&rewritten(value, None, rewrite), tests).map_err(failed)?;
    }
    new.finish().map_err(failed)
}

/// Tells the hash of the copy, if there is one.
fn copy_executions(
    run: &RunFolder,
    copy: &RunFolder,
    trial: &str,
    rewrite: Rewrite<'_>,
) -> miette::Result<Option<String>> {
    let Some(from) = run.own_tests(trial) else { return Ok(None) };
    let renamed = rewrite(None, trial);
    if !layout::is_plain_name(&renamed) {
        return Ok(None);
    }
    frames::copy_rewritten(&from, &copy.tests_of(&renamed), rewrite).map(Some)
}

fn rewritten(value: Value, key: Option<&str>, rewrite: Rewrite<'_>) -> Value {
    match value {
        Value::String(text) => Value::String(rewrite(key, &text)),
        Value::Array(items) => items.into_iter().map(|item| rewritten(item, key, rewrite)).collect(),
        Value::Object(fields) => fields
            .into_iter()
            .map(|(name, field)| {
                let field = rewritten(field, Some(&name), rewrite);
                (rewrite(None, &name), field)
            })
            .collect(),
        other => other,
    }
}
