//! Which orders were run, and what came of them: one JSON object a line, synced after each, read back by the next sitting.
//!
//! A line has the tests as they ran, and of their ends only what differs from "in one process, and passed".

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use miette::miette;
use serde::{Deserialize, Serialize};

use crate::suite::Outcome;
use crate::technique::detect::{Memory, Observation, Seen, Watched};
use crate::whole_file;

const VERSION: u32 = 1;
/// What tests read and write, where a strategy asked for it.
pub const ACCESSES: &str = "accesses.json";

#[derive(Debug, Serialize, Deserialize)]
struct Header {
    version: u32,
    identity: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Line {
    key: String,
    seconds: f64,
    longest: f64,
    work: f64,
    /// The tests as they ran.
    ran: Vec<usize>,
    /// Places of those that did not pass, and how they ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    otherwise: Vec<(usize, Outcome)>,
    /// Places at which another process begins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    breaks: Vec<usize>,
}

/// Open for writing; its lock keeps a second detection out.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    known: HashMap<String, Observation>,
}

impl Journal {
    pub fn begin(path: &Path, identity: &str) -> miette::Result<Self> {
        let mut journal = Self::open(path)?;
        journal.write(&Header { version: VERSION, identity: identity.to_owned() })?;
        Ok(journal)
    }

    /// `None` where the journal is of another detection, or is not one.
    pub fn go_on(path: &Path, identity: &str) -> miette::Result<Option<Self>> {
        if !path.exists() {
            return Ok(None);
        }
        let mut journal = Self::open(path)?;
        let failed = |error: std::io::Error| miette!("{} could not be read: {error}", path.display());
        let mut reader = BufReader::new(File::open(path).map_err(failed)?);
        let (mut line, mut intact) = (Vec::new(), 0);
        while let Some(text) = whole_line(&mut reader, &mut line).map_err(failed)? {
            if intact == 0 {
                let header: Option<Header> = serde_json::from_slice(text).ok();
                if header.is_none_or(|header| header.version != VERSION || header.identity != identity) {
                    return Ok(None);
                }
            } else {
                // What cannot be read is run again.
                let Ok(entry) = serde_json::from_slice::<Line>(text) else { break };
                journal.known.insert(entry.key.clone(), entry.observation());
            }
            intact += text.len() as u64;
        }
        journal.file.set_len(intact).map_err(failed)?;
        Ok((intact > 0).then_some(journal))
    }

    fn open(path: &Path) -> miette::Result<Self> {
        let failed = |error| miette!("{} could not be opened: {error}", path.display());
        let file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(failed)?;
        file.try_lock().map_err(|_| {
            miette!(
                help = "wait for it to end, or start a separate one with --fresh",
                "another parade is writing {}",
                path.display()
            )
        })?;
        Ok(Journal { file, path: path.to_owned(), known: HashMap::new() })
    }

    /// Lies beside the journal, as a person may want to read it.
    fn accesses(&self) -> PathBuf {
        self.path.with_file_name(ACCESSES)
    }

    pub fn recorded(&self) -> usize {
        self.known.len()
    }

    fn write(&mut self, record: &impl Serialize) -> miette::Result<()> {
        let mut line = serde_json::to_vec(record).map_err(|error| miette!("a record could not be written: {error}"))?;
        line.push(b'\n');
        self.file.write_all(&line).and_then(|()| self.file.sync_data()).map_err(|error| {
            miette!(
                help = "free some disk space, then run the same command again: existing records are kept",
                "{} could not be written: {error}",
                self.path.display()
            )
        })
    }
}

impl Memory for Journal {
    fn recall(&mut self, key: &str) -> Option<Observation> {
        self.known.remove(key)
    }

    fn keep(&mut self, key: &str, observation: &Observation) -> miette::Result<()> {
        self.write(&Line::of(key, observation))
    }

    /// What cannot be read is watched again.
    fn recall_accesses(&mut self) -> Option<Watched> {
        serde_json::from_slice(&std::fs::read(self.accesses()).ok()?).ok()
    }

    fn keep_accesses(&mut self, watched: &Watched) -> miette::Result<()> {
        whole_file::write_json(&self.accesses(), watched)
    }
}

/// The next line with its end; what a crash left without one is not there.
fn whole_line<'l>(reader: &mut impl BufRead, line: &'l mut Vec<u8>) -> std::io::Result<Option<&'l [u8]>> {
    line.clear();
    reader.read_until(b'\n', line)?;
    Ok(line.ends_with(b"\n").then_some(line.as_slice()))
}

impl Line {
    fn of(key: &str, observation: &Observation) -> Self {
        let seen = &observation.seen;
        let places = || seen.iter().enumerate();
        Line {
            key: key.to_owned(),
            seconds: observation.seconds,
            longest: observation.longest,
            work: observation.work,
            ran: seen.iter().map(|seen| seen.test).collect(),
            otherwise: places()
                .filter(|(_, seen)| seen.outcome != Outcome::Passed)
                .map(|(place, seen)| (place, seen.outcome))
                .collect(),
            breaks: places()
                .filter(|(place, at)| *place > 0 && seen[place - 1].stretch != at.stretch)
                .map(|(place, _)| place)
                .collect(),
        }
    }

    fn observation(self) -> Observation {
        let outcomes: HashMap<usize, Outcome> = self.otherwise.into_iter().collect();
        let mut stretch = 0;
        let seen = self.ran.into_iter().enumerate().map(|(place, test)| {
            stretch += u32::from(self.breaks.contains(&place));
            Seen { test, outcome: outcomes.get(&place).copied().unwrap_or(Outcome::Passed), stretch }
        });
        Observation { seen: seen.collect(), seconds: self.seconds, longest: self.longest, work: self.work }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::Accesses;

    fn observation() -> Observation {
        let seen = |test, outcome, stretch| Seen { test, outcome, stretch };
        let seen = vec![
            seen(3, Outcome::Passed, 0),
            seen(1, Outcome::Crashed, 0),
            seen(2, Outcome::Passed, 1),
            seen(0, Outcome::Skipped, 2),
        ];
        Observation { seen, seconds: 1.25, longest: 0.5, work: 1.0 }
    }

    #[test]
    fn what_was_kept_is_recalled_once_by_the_next_sitting() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal.jsonl");
        let mut journal = Journal::begin(&path, "i").unwrap();
        journal.keep("a", &observation()).unwrap();
        journal.keep("b", &observation()).unwrap();
        assert!(Journal::open(&path).is_err(), "a second writer is kept out");
        drop(journal);
        std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"key\":\"c\"").unwrap();
        assert!(Journal::go_on(&path, "other").unwrap().is_none());
        let mut journal = Journal::go_on(&path, "i").unwrap().unwrap();
        assert_eq!(journal.recorded(), 2);
        assert_eq!(journal.recall("a"), Some(observation()));
        assert_eq!(journal.recall("b"), Some(observation()));
        assert_eq!(journal.recall("b"), None);
        journal.keep("c", &observation()).unwrap();
        assert_eq!(journal.recall_accesses(), None);
        let accesses = vec![Accesses { test: "C#a".parse().unwrap(), reads: vec![], writes: vec!["x".to_owned()] }];
        let watched = Watched { seconds: 2.5, accesses };
        journal.keep_accesses(&watched).unwrap();
        assert_eq!(journal.recall_accesses(), Some(watched));
        drop(journal);
        assert_eq!(Journal::go_on(&path, "i").unwrap().unwrap().recorded(), 3);
    }
}
