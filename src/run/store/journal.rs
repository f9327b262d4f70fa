//! The append-only journal: one JSON object a line, synced after each, chained to the one before it.

mod chain;

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use miette::miette;
use serde::{Deserialize, Serialize};

use super::record::{KnowledgeRecord, StepRecord, SubjectRecord, TrialRecord};
use crate::file_error::{file_error, file_error_with_help};
use crate::folder_handle;
use chain::Chain;
pub(super) use chain::{ChainState, NewJournal, hash, source_end};
pub use chain::{JournalDoubts, SourceEnd};

/// A line of the journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "nearly all entries are trials")]
pub enum Entry {
    Subject(SubjectRecord),
    Trial(TrialRecord),
    Knowledge(KnowledgeRecord),
    Step(StepRecord),
}

/// The journal, open for writing. Its lock keeps a second run out.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    chain: Chain,
    /// Holds the end of the chain.
    end: File,
    /// How long parade left the file.
    length: u64,
}

/// No line comes near this; a longer one is not ours.
const LONGEST_LINE: u64 = 64 << 20;

impl Journal {
    /// Opens the journal, made if it is not there, and takes back a line that was cut off by a crash.
    pub fn open(path: &Path) -> miette::Result<(Self, Vec<Entry>)> {
        let failed = |error| file_error(format_args!("{} could not be opened", path.display()), &error);
        let mut file = open_own(path, true).map_err(failed)?;
        file.try_lock().map_err(|_| {
            miette!(
                help = "wait until it ends, or start a new run with --fresh after that",
                "another parade is writing {}",
                path.display()
            )
        })?;
        // A new file outlives a power cut only once its folder is on the disk.
        super::sync_folder(path.parent().unwrap_or(Path::new("."))).map_err(failed)?;
        let (entries, intact) = read_entries(BufReader::new(&file), path)?;
        file.set_len(intact).map_err(failed)?;
        file.rewind().map_err(failed)?;
        let folder = path.parent().unwrap_or(Path::new("."));
        let chain = Chain::after(&ChainState::read(BufReader::new(&file)).map_err(failed)?, folder);
        let end = chain::open_end(path).map_err(failed)?;
        Ok((Journal { file, path: path.to_owned(), chain, end, length: intact }, entries))
    }

    pub fn append(&mut self, entry: &Entry) -> miette::Result<()> {
        self.append_with(entry, None)
    }

    /// With the hash of the trial's executions.
    pub(super) fn append_with(&mut self, entry: &Entry, tests: Option<String>) -> miette::Result<()> {
        let line = self.chain.line(entry, tests);
        let mut line = line.map_err(|error| miette!("a record could not be written: {error}"))?;
        line.push(b'\n');
        let before = self.file.seek(SeekFrom::End(0)).map_err(|error| self.failed(&error))?;
        if before != self.length {
            return Err(miette!(
                help = "something else wrote into it, maybe the subject's tests: look at the file, then start a new run with --fresh",
                "{} was changed while this run wrote it",
                self.path.display()
            ));
        }
        chain::announce_line(&self.end, &self.chain, &line[..line.len() - 1]).map_err(|error| self.failed(&error))?;
        let written = self.file.write_all(&line).and_then(|()| self.file.sync_data());
        if let Err(error) = written {
            // What a full disk let through of the line must not stay: the next one would be glued to it.
            let taken_back = self.file.set_len(before).and_then(|()| self.file.sync_data());
            return Err(match taken_back {
                Ok(()) => self.failed(&error),
                Err(second) => self.failed(&second),
            });
        }
        self.length += line.len() as u64;
        self.chain.advance(&line[..line.len() - 1]);
        chain::write_end(&self.end, &self.chain).map_err(|error| self.failed(&error))
    }

    /// Writes a file that describes the run, beside the journal. The change is announced before it happens, so that a kill in
    /// between is no alarm.
    pub(super) fn write_settings(&mut self, name: &str, content: &[u8]) -> miette::Result<()> {
        self.chain.announce(name, content);
        chain::write_end(&self.end, &self.chain).map_err(|error| self.failed(&error))?;
        super::write_atomically(&self.path.with_file_name(name), content)
    }

    fn failed(&self, error: &std::io::Error) -> miette::Report {
        let help = "free some disk space, then run the same command again: existing records are kept";
        file_error_with_help(format_args!("{} could not be written", self.path.display()), error, help)
    }
}

/// Opens a file of parade's own for reading and writing, made if it is not there. A link or a pipe of that name is an error.
pub(super) fn open_own(path: &Path, append: bool) -> io::Result<File> {
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let mut options = OpenOptions::new();
    options.read(true).write(!append).append(append).create(true).truncate(false);
    let file = options.custom_flags(i32::try_from(flags.bits()).unwrap_or(0)).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    Ok(file)
}

/// Reads a journal that may be in use.
pub fn read(path: &Path) -> miette::Result<Vec<Entry>> {
    let file = folder_handle::open_regular(path).map_err(|error| {
        miette!(
            help = "give a run folder, such as results/quickstart/latest",
            "{} could not be read: {error}",
            path.display()
        )
    })?;
    Ok(read_entries(BufReader::new(&file), path)?.0)
}

/// The entries, and the length up to which the file holds whole lines. A last line without its end is what a crash leaves.
/// A whole line that cannot be read is damage, or another version's, and must not be passed over.
pub fn read_entries(mut reader: impl BufRead, path: &Path) -> miette::Result<(Vec<Entry>, u64)> {
    let (mut entries, mut intact, mut number) = (Vec::new(), 0, 0);
    let mut line = Vec::new();
    loop {
        line.clear();
        let length = std::io::Read::take(&mut reader, LONGEST_LINE)
            .read_until(b'\n', &mut line)
            .map_err(|error| file_error(format_args!("{}", path.display()), &error))?;
        if length == 0 {
            return Ok((entries, intact));
        }
        number += 1;
        match serde_json::from_slice(&line) {
            _ if !line.ends_with(b"\n") && at_end(&mut reader) => return Ok((entries, intact)),
            Ok(entry) => match impossible(&entry) {
                Some(why) => return Err(damaged(path, number, &why)),
                None => entries.push(entry),
            },
            Err(error) => return Err(damaged(path, number, &error)),
        }
        intact += length as u64;
    }
}

fn at_end(reader: &mut impl BufRead) -> bool {
    reader.fill_buf().map_or(true, <[u8]>::is_empty)
}

/// A time that no trial can have taken.
fn impossible(entry: &Entry) -> Option<String> {
    let Entry::Trial(trial) = entry else { return None };
    let stages = trial.stages.iter().map(|stage| stage.cost.wall_seconds);
    let mut seconds = std::iter::once(trial.cost.wall_seconds).chain(stages);
    let wrong = seconds.find(|seconds| !seconds.is_finite() || *seconds < 0.0);
    wrong.map(|seconds| format!("{} cannot have taken {seconds} seconds", trial.trial.escape_debug()))
}

fn damaged(path: &Path, line: usize, error: &dyn std::fmt::Display) -> miette::Report {
    miette!(
        help = "restore the file from a copy, or start a new run with --fresh",
        "{}:{line}: not a record of parade: {error}",
        path.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::record::tests::subject;

    pub(super) fn entry(name: &str) -> Entry {
        Entry::Subject(subject(name))
    }

    #[test]
    fn what_is_appended_is_read_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal.jsonl");
        let (mut journal, entries) = Journal::open(&path).unwrap();
        assert!(entries.is_empty());
        journal.append(&entry("a")).unwrap();
        journal.append(&entry("b")).unwrap();
        assert_eq!(read(&path).unwrap(), [entry("a"), entry("b")]);
    }

    #[test]
    fn a_line_cut_off_by_a_crash_is_taken_back_at_every_length() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal.jsonl");
        let (mut journal, _) = Journal::open(&path).unwrap();
        journal.append(&entry("a")).unwrap();
        journal.append(&entry("b")).unwrap();
        drop(journal);
        let whole = std::fs::read(&path).unwrap();
        let first = whole.iter().position(|b| *b == b'\n').unwrap() + 1;
        for length in first..whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            let (mut journal, entries) = Journal::open(&path).unwrap();
            assert_eq!(entries, [entry("a")], "cut at {length}");
            journal.append(&entry("c")).unwrap();
            assert_eq!(read(&path).unwrap(), [entry("a"), entry("c")], "cut at {length}");
        }
    }

    #[test]
    fn damage_in_the_middle_is_an_error_that_names_the_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal.jsonl");
        let (mut journal, _) = Journal::open(&path).unwrap();
        journal.append(&entry("a")).unwrap();
        let line = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("{line}garbage\n{line}")).unwrap();
        drop(journal);
        let error = Journal::open(&path).unwrap_err().to_string();
        assert!(error.contains("journal.jsonl:2"), "{error}");
    }

    #[test]
    fn a_time_that_cannot_be_is_damage() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal.jsonl");
        let (mut journal, _) = Journal::open(&path).unwrap();
        let mut trial = crate::store::record::tests::trial("t");
        journal.append(&Entry::Trial(trial.clone())).unwrap();
        trial.cost.wall_seconds = -1.0;
        journal.append(&Entry::Trial(trial)).unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(error.contains("journal.jsonl:2") && error.contains("-1 seconds"), "{error}");
    }

    #[test]
    fn a_whole_last_line_that_cannot_be_read_is_not_thrown_away() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal.jsonl");
        std::fs::write(&path, "{\"kind\":\"of another version\"}\n").unwrap();
        assert!(Journal::open(&path).unwrap_err().to_string().contains("journal.jsonl:1"));
        assert!(std::fs::metadata(&path).unwrap().len() > 0);
    }

    #[test]
    fn a_second_writer_is_kept_out() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal.jsonl");
        let (_journal, _) = Journal::open(&path).unwrap();
        assert!(Journal::open(&path).unwrap_err().to_string().contains("another parade"));
    }
}
