//! The chain through the lines of a journal: each line carries the hash of the one before it, who wrote it and its number in
//! that writer's chain; `journal.end` beside the journal holds the hash of the last one. So a line that was changed, removed,
//! inserted or moved is seen by whoever reads the journal later.
//!
//! A line also carries the hashes of the files that describe the run, where they are not those of the line before it.
//!
//! Whoever may write all of these files can make the whole chain anew. It shows what was changed by accident or by somebody who
//! wrote into a journal, not what its owner made up.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::folder_handle::{self, FolderHandle};
use crate::wording::{counted, hex};

pub(in crate::store) const END_FILE: &str = "journal.end";
/// Broken places beyond these are counted, not named.
const MOST_NAMED: usize = 3;
const LARGEST_END: u64 = 4096;
/// No file that describes a run comes near this.
const LARGEST_SETTINGS: u64 = 1 << 30;
/// The end of the chain is padded to this length.
const END_LENGTH: usize = 640;
/// What a run is described by, beside the journal.
const SETTINGS: [&str; 3] = ["manifest.json", "environment.json", "experiment.toml"];

/// The hashes of files that describe the run, by name.
pub(in crate::store) type SettingsHashes = BTreeMap<String, String>;

/// What a line says of its place, under the key `chain`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Link {
    /// One sitting of one parade, an export or a merge.
    pub writer: String,
    /// From 1 on, for each writer.
    pub number: u64,
    /// Of the line before it in the file, whoever wrote that; empty at the beginning of a journal.
    pub previous: String,
    /// Of the trial's file below `tests/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<String>,
    /// Where the first line of a journal that was made of others comes from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SourceEnd>,
    /// Of a writer's first line, and of the first line after a change.
    #[serde(default, skip_serializing_if = "SettingsHashes::is_empty")]
    pub settings: SettingsHashes,
}

/// A journal that another one was made of, as it was then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceEnd {
    pub run: String,
    /// The hash of its last line; empty where it had none.
    pub end: String,
    /// What showed even then that it had been changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<String>,
}

/// The end of a chain, as far as its writer knows.
#[derive(Debug)]
pub(super) struct Chain {
    writer: String,
    number: u64,
    /// Of the whole journal.
    lines: u64,
    last: String,
    sources: Vec<SourceEnd>,
    settings: SettingsHashes,
    /// Does a line of this writer have these hashes?
    is_stated: bool,
}

impl Chain {
    /// Goes on after the lines that are there. What shows that the settings were changed meanwhile becomes part of the chain.
    pub fn after(state: &ChainState, folder: &Path) -> Self {
        let changed = FolderHandle::open(folder).map(|folder| state.changed_settings(&folder)).unwrap_or_default();
        let doubts: Vec<String> = changed.iter().map(|name| format!("{name} is not what parade wrote")).collect();
        let source = SourceEnd { run: "this run".to_owned(), end: state.end.clone(), doubts };
        let sources = if source.doubts.is_empty() { Vec::new() } else { vec![source] };
        Chain {
            writer: new_writer(),
            number: 0,
            lines: state.lines,
            last: state.end.clone(),
            sources,
            settings: settings_in(folder),
            is_stated: false,
        }
    }

    /// For a journal in a folder whose settings are written.
    pub fn of_sources(sources: Vec<SourceEnd>, folder: &Path) -> Self {
        Chain { sources, ..Chain::after(&ChainState::default(), folder) }
    }

    /// A file of the settings will have this content. Its hash is in the chain from the next line on.
    pub fn announce(&mut self, name: &str, content: &[u8]) {
        self.settings.insert(name.to_owned(), hash(content));
        self.is_stated = false;
    }

    /// The line with its link in it, without its end. The entry has to be a JSON object with at least one field.
    pub fn line(&self, entry: &impl Serialize, tests: Option<String>) -> serde_json::Result<Vec<u8>> {
        let link = Link {
            writer: self.writer.clone(),
            number: self.number + 1,
            previous: self.last.clone(),
            tests,
            sources: if self.number == 0 { self.sources.clone() } else { Vec::new() },
            settings: if self.is_stated { SettingsHashes::new() } else { self.settings.clone() },
        };
        let mut line = serde_json::to_vec(entry)?;
        line.pop();
        line.extend_from_slice(b",\"chain\":");
        serde_json::to_writer(&mut line, &link)?;
        line.push(b'}');
        Ok(line)
    }

    /// The line is in the file now.
    pub fn advance(&mut self, line: &[u8]) {
        self.number += 1;
        self.lines += 1;
        self.last = hash(line);
        self.is_stated = true;
    }

    /// Of one length, so that it can be written in place by a single write. `next` is the line that is about to be appended.
    fn end(&self, next: Option<&[u8]>) -> serde_json::Result<String> {
        let settings = if self.is_stated { SettingsHashes::new() } else { self.settings.clone() };
        let end = End { lines: self.lines, end: self.last.clone(), next: next.map(hash), settings };
        let end = serde_json::to_string(&end)?;
        Ok(format!("{end:<END_LENGTH$}\n"))
    }
}

/// Opens `journal.end` beside a journal for writing, made if it is not there.
pub(super) fn open_end(journal: &Path) -> io::Result<File> {
    let path = journal.with_file_name(END_FILE);
    super::open_own(&path, false)
}

pub(super) fn write_end(file: &File, chain: &Chain) -> io::Result<()> {
    file.write_all_at(chain.end(None)?.as_bytes(), 0)?;
    file.sync_data()
}

/// Says which line comes next, before it is there. parade can be killed on either side of it.
pub(super) fn announce_line(file: &File, chain: &Chain, line: &[u8]) -> io::Result<()> {
    file.write_all_at(chain.end(Some(line))?.as_bytes(), 0)?;
    file.sync_data()
}

fn new_writer() -> String {
    let now = jiff::Timestamp::now().as_nanosecond();
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    hex(&Sha256::digest(format!("{host} {} {now}", std::process::id()))[..8])
}

pub(in crate::store) fn hash(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// What a journal's chain shows.
#[derive(Debug, Default)]
pub(in crate::store) struct ChainState {
    pub lines: u64,
    /// The hash of the last line.
    pub end: String,
    chained: u64,
    /// Pairs of lines that do not follow from each other, by the number of the second.
    breaks: Vec<u64>,
    /// The hashes of trials' executions, by trial: of the last line about each.
    pub tests: HashMap<String, String>,
    /// The last that were stated.
    settings: SettingsHashes,
    /// Of the line before the last one.
    before_end: String,
    /// What was wrong with the journals that this one was made of.
    inherited: Vec<String>,
}

/// What can be said against a journal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JournalDoubts {
    /// Somebody changed what was recorded; a sentence each.
    pub altered: Vec<String>,
    /// It has no chain, so nobody could see whether it was changed.
    pub unchained: bool,
}

#[derive(Deserialize)]
struct LineParts {
    chain: Option<Link>,
    trial: Option<serde_json::Value>,
}

impl ChainState {
    /// Reads whole lines only: what a crash cut off is no line.
    pub fn read(reader: impl BufRead) -> io::Result<Self> {
        let mut state = ChainState::default();
        let mut last: Option<Link> = None;
        for line in WholeLines(reader) {
            let line = line?;
            state.take(&line, &mut last);
        }
        Ok(state)
    }

    fn take(&mut self, line: &[u8], last: &mut Option<Link>) {
        self.lines += 1;
        let parts = serde_json::from_slice::<LineParts>(line).ok();
        let (link, trial) = parts.map_or((None, None), |parts| (parts.chain, parts.trial));
        let follows = match (&link, &*last) {
            (None, None) => true,
            (None, Some(_)) => false,
            (Some(link), before) => link.previous == self.end && link.number == expected_number(link, before.as_ref()),
        };
        if !follows {
            self.breaks.push(self.lines);
        }
        if let Some(link) = link {
            self.chained += 1;
            // Whoever has one source only says the same as that one did.
            let is_only = link.sources.len() == 1;
            for source in &link.sources {
                let place = if is_only { String::new() } else { format!(" (found in {})", source.run) };
                self.inherited.extend(source.doubts.iter().map(|doubt| format!("{doubt}{place}")));
            }
            if let (Some(tests), Some(trial)) = (&link.tests, trial.as_ref().and_then(|trial| trial.as_str())) {
                self.tests.insert(trial.to_owned(), tests.clone());
            }
            if !link.settings.is_empty() {
                self.settings.clone_from(&link.settings);
            }
            *last = Some(link);
        }
        self.before_end = std::mem::replace(&mut self.end, hash(line));
    }

    /// Held against `journal.end`. One more line than that counts is fine only if `journal.end` announced it: parade can be killed
    /// between the two.
    pub fn doubts(&self, folder: &FolderHandle) -> JournalDoubts {
        if self.chained == 0 && self.lines > 0 {
            return JournalDoubts { altered: Vec::new(), unchained: true };
        }
        let mut altered: Vec<String> = self.breaks.iter().take(MOST_NAMED).map(|line| broken_at(*line)).collect();
        if self.breaks.len() > MOST_NAMED {
            altered.push(format!("journal.jsonl is broken in {} more places", self.breaks.len() - MOST_NAMED));
        }
        altered.extend(self.doubt_about_end(folder));
        altered.extend(self.inherited.iter().cloned());
        JournalDoubts { altered, unchained: false }
    }

    /// The files that describe the run and are not those of the chain. A change that parade announced in `journal.end` may or may
    /// not have happened: parade can be killed in between. Where nothing is stated, an older parade wrote the journal.
    pub fn changed_settings(&self, folder: &FolderHandle) -> Vec<String> {
        let announced = read_end(folder).map(|end| end.settings).unwrap_or_default();
        let mut changed = Vec::new();
        for (name, stated) in &self.settings {
            let is_known = SETTINGS.contains(&name.as_str());
            let now = if is_known { hash_of(folder, name) } else { continue };
            if now.as_ref() != Some(stated) && (now.is_none() || now.as_ref() != announced.get(name)) {
                changed.push(name.clone());
            }
        }
        changed
    }

    fn doubt_about_end(&self, folder: &FolderHandle) -> Option<String> {
        let end = match read_end(folder) {
            Ok(end) => end,
            Err(error) if error.kind() == io::ErrorKind::NotFound && self.lines <= 1 => return None,
            Err(error) => {
                return Some(format!("{END_FILE}, which contains the end of journal.jsonl, cannot be read: {error}"));
            }
        };
        match self.lines.checked_sub(end.lines) {
            Some(0) if end.end.trim() == self.end => None,
            Some(1) if end.end.trim() == self.before_end && end.next.as_ref() == Some(&self.end) => None,
            Some(0) => Some("the last line of journal.jsonl is not the one that parade wrote".to_owned()),
            Some(more) => {
                Some(format!("journal.jsonl has {} more than parade wrote", counted(more as usize, "line", "lines")))
            }
            None => Some(format!(
                "journal.jsonl ends early: it has {} of {} lines that parade wrote",
                self.lines, end.lines
            )),
        }
    }
}

fn expected_number(link: &Link, before: Option<&Link>) -> u64 {
    before.filter(|before| before.writer == link.writer).map_or(1, |before| before.number + 1)
}

fn broken_at(line: u64) -> String {
    match line {
        1 => "journal.jsonl does not begin with the line that parade wrote first".to_owned(),
        line => format!(
            "lines {} and {line} of journal.jsonl do not follow from each other: a line was changed, removed, inserted or moved",
            line - 1
        ),
    }
}

#[derive(Serialize, Deserialize)]
struct End {
    lines: u64,
    end: String,
    /// The hash of the line that was about to be appended; nothing once it is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next: Option<String>,
    /// What no line states yet.
    #[serde(default, skip_serializing_if = "SettingsHashes::is_empty")]
    settings: SettingsHashes,
}

fn settings_in(folder: &Path) -> SettingsHashes {
    let Ok(folder) = FolderHandle::open(folder) else { return SettingsHashes::new() };
    SETTINGS.iter().filter_map(|name| Some(((*name).to_owned(), hash_of(&folder, name)?))).collect()
}

/// None of what is no regular file.
fn hash_of(folder: &FolderHandle, name: &str) -> Option<String> {
    let bytes = folder_handle::read_bounded(folder.file(name.as_ref()).ok()?, LARGEST_SETTINGS).ok()?;
    Some(hash(&bytes))
}

fn read_end(folder: &FolderHandle) -> io::Result<End> {
    let bytes = folder_handle::read_bounded(folder.file(END_FILE.as_ref())?, LARGEST_END)?;
    Ok(serde_json::from_slice(&bytes)?)
}

/// Where a journal is, and the hash of its last whole line.
pub(in crate::store) fn source_end(run: String, journal: &Path, doubts: Vec<String>) -> SourceEnd {
    let state = folder_handle::open_regular(journal).and_then(|file| ChainState::read(BufReader::new(file)));
    SourceEnd { run, end: state.map(|state| state.end).unwrap_or_default(), doubts }
}

/// A journal that is written as a whole, in a folder that nobody has seen yet.
pub(in crate::store) struct NewJournal {
    path: PathBuf,
    file: io::BufWriter<File>,
    chain: Chain,
}

impl NewJournal {
    pub fn create(path: &Path, sources: Vec<SourceEnd>) -> io::Result<Self> {
        let file = io::BufWriter::new(File::create_new(path)?);
        let folder = path.parent().unwrap_or(Path::new("."));
        Ok(NewJournal { path: path.to_owned(), file, chain: Chain::of_sources(sources, folder) })
    }

    pub fn append(&mut self, entry: &impl Serialize, tests: Option<String>) -> io::Result<()> {
        let mut line = self.chain.line(entry, tests)?;
        self.chain.advance(&line);
        line.push(b'\n');
        io::Write::write_all(&mut self.file, &line)
    }

    pub fn finish(self) -> io::Result<()> {
        self.file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        write_end(&open_end(&self.path)?, &self.chain)
    }
}

/// Lines without their ends; a last one that has none is left out.
struct WholeLines<R>(R);

impl<R: BufRead> Iterator for WholeLines<R> {
    type Item = io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut line = Vec::new();
        match io::Read::take(&mut self.0, super::LONGEST_LINE).read_until(b'\n', &mut line) {
            Ok(_) if line.pop() == Some(b'\n') => Some(Ok(line)),
            Ok(_) => None,
            Err(error) => Some(Err(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::tests::entry;
    use super::super::{Journal, read};
    use super::*;

    struct Fixture {
        dir: tempfile::TempDir,
    }

    impl Fixture {
        /// Two sittings of two lines each.
        fn new() -> Self {
            let fixture = Fixture { dir: tempfile::tempdir().unwrap() };
            for names in [["a", "b"], ["c", "d"]] {
                let (mut journal, _) = Journal::open(&fixture.journal()).unwrap();
                names.iter().for_each(|name| journal.append(&entry(name)).unwrap());
            }
            fixture
        }

        fn journal(&self) -> PathBuf {
            self.dir.path().join("journal.jsonl")
        }

        fn lines(&self) -> Vec<String> {
            fs::read_to_string(self.journal()).unwrap().lines().map(str::to_owned).collect()
        }

        fn write(&self, lines: &[String]) {
            fs::write(self.journal(), lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
        }

        fn doubts(&self) -> JournalDoubts {
            let file = BufReader::new(File::open(self.journal()).unwrap());
            ChainState::read(file).unwrap().doubts(&FolderHandle::open(self.dir.path()).unwrap())
        }
    }

    #[test]
    fn a_journal_that_nobody_touched_has_no_doubts() {
        let fixture = Fixture::new();
        assert_eq!(fixture.doubts(), JournalDoubts::default());
        let writers: Vec<Link> = fixture
            .lines()
            .iter()
            .map(|line| serde_json::from_str::<LineParts>(line).unwrap().chain.unwrap())
            .collect();
        assert_eq!(writers.iter().map(|link| link.number).collect::<Vec<_>>(), [1, 2, 1, 2]);
        assert_ne!(writers[0].writer, writers[2].writer, "one chain per sitting");
    }

    #[test]
    fn whatever_is_done_to_its_lines_is_seen() {
        type Deed = fn(&mut Vec<String>);
        let deeds: [(&str, Deed); 10] = [
            ("a changed first line", |lines| lines[0] = lines[0].replace("\"a\"", "\"x\"")),
            ("a changed line", |lines| lines[1] = lines[1].replace("\"b\"", "\"x\"")),
            ("a changed last line", |lines| lines[3] = lines[3].replace("\"d\"", "\"x\"")),
            ("a removed first line", |lines| drop(lines.remove(0))),
            ("a removed line", |lines| drop(lines.remove(2))),
            ("a removed last line", |lines| drop(lines.pop())),
            ("an inserted copy", |lines| lines.insert(2, lines[1].clone())),
            ("an unchained line at the end", |lines| lines.push("{\"kind\":\"subject\"}".to_owned())),
            ("a line moved", |lines| lines.swap(1, 2)),
            ("two lines more", |lines| lines.extend([lines[3].clone(), lines[3].clone()])),
        ];
        for (what, deed) in deeds {
            let fixture = Fixture::new();
            let mut lines = fixture.lines();
            deed(&mut lines);
            fixture.write(&lines);
            let doubts = fixture.doubts();
            assert!(!doubts.altered.is_empty() && !doubts.unchained, "{what}: {doubts:?}");
        }
    }

    #[test]
    fn a_kill_between_a_line_and_the_end_is_no_alarm() {
        let fixture = Fixture::new();
        let end = fixture.dir.path().join(END_FILE);
        let before = fs::read(&end).unwrap();
        let (mut journal, _) = Journal::open(&fixture.journal()).unwrap();
        journal.append(&entry("e")).unwrap();
        drop(journal);
        let line = fixture.lines().pop().unwrap();
        let announced = |line: &str| {
            let mut end: serde_json::Value = serde_json::from_slice(&before).unwrap();
            end["next"] = hash(line.as_bytes()).into();
            fs::write(fixture.dir.path().join(END_FILE), end.to_string()).unwrap();
        };
        announced(&line);
        assert_eq!(fixture.doubts(), JournalDoubts::default(), "killed after the line");
        fixture.write(&fixture.lines()[..4]);
        assert_eq!(fixture.doubts(), JournalDoubts::default(), "killed before the line");
        fixture.write(&[fixture.lines(), vec![line]].concat());
        announced("another line");
        assert!(fixture.doubts().altered[0].contains("1 line more"), "{:?}", fixture.doubts());
        fs::write(&end, &before).unwrap();
        assert!(fixture.doubts().altered[0].contains("1 line more"), "nobody announced it: {:?}", fixture.doubts());
        let (mut journal, _) = Journal::open(&fixture.journal()).unwrap();
        journal.append(&entry("f")).unwrap();
        drop(journal);
        assert_eq!(fixture.doubts(), JournalDoubts::default());
        fs::write(&end, &before).unwrap();
        assert!(fixture.doubts().altered[0].contains("2 lines more"), "{:?}", fixture.doubts());
        fs::remove_file(&end).unwrap();
        assert!(fixture.doubts().altered[0].contains(END_FILE), "{:?}", fixture.doubts());
    }

    #[test]
    fn what_a_crash_left_of_a_line_is_no_alarm() {
        let fixture = Fixture::new();
        let whole = fs::read(fixture.journal()).unwrap();
        fs::write(fixture.journal(), [&whole[..], b"{\"kind\":\"sub"].concat()).unwrap();
        assert_eq!(fixture.doubts(), JournalDoubts::default());
        let (mut journal, _) = Journal::open(&fixture.journal()).unwrap();
        journal.append(&entry("e")).unwrap();
        assert_eq!(fixture.doubts(), JournalDoubts::default());
    }

    #[test]
    fn a_journal_of_an_older_parade_is_readable_and_called_unchained() {
        let dir = tempfile::tempdir().unwrap();
        let fixture = Fixture { dir };
        let old: Vec<String> = ["a", "b"].map(|name| serde_json::to_string(&entry(name)).unwrap()).to_vec();
        fixture.write(&old);
        assert_eq!(fixture.doubts(), JournalDoubts { unchained: true, ..JournalDoubts::default() });
        let (mut journal, entries) = Journal::open(&fixture.journal()).unwrap();
        assert_eq!(entries.len(), 2);
        journal.append(&entry("c")).unwrap();
        drop(journal);
        assert_eq!(fixture.doubts(), JournalDoubts::default(), "from then on it is chained");
        let mut lines = fixture.lines();
        lines[1] = lines[1].replace("\"b\"", "\"x\"");
        fixture.write(&lines);
        assert!(!fixture.doubts().altered.is_empty());
        assert_eq!(read(&fixture.journal()).unwrap().len(), 3);
    }

    #[test]
    fn a_journal_made_of_others_names_their_ends() {
        let (one, other) = (Fixture::new(), tempfile::tempdir().unwrap());
        let path = other.path().join("journal.jsonl");
        let end = source_end("first".to_owned(), &one.journal(), Vec::new());
        let mut journal = NewJournal::create(&path, vec![end.clone()]).unwrap();
        journal.append(&entry("a"), Some("0".repeat(64))).unwrap();
        journal.append(&entry("b"), None).unwrap();
        journal.finish().unwrap();
        let made = Fixture { dir: other };
        assert_eq!(made.doubts(), JournalDoubts::default());
        let first: LineParts = serde_json::from_str(&made.lines()[0]).unwrap();
        assert_eq!(first.chain.unwrap().sources, std::slice::from_ref(&end));
        assert_eq!(end.end, hash(one.lines()[3].as_bytes()));
    }

    #[test]
    fn what_was_wrong_with_a_source_stays_to_be_seen() {
        let source = |run: &str, doubts: &[&str]| SourceEnd {
            run: run.to_owned(),
            end: String::new(),
            doubts: doubts.iter().map(|&doubt| doubt.to_owned()).collect(),
        };
        let cases = [
            (vec![source("first", &["line 2"])], "line 2"),
            (vec![source("first", &["line 2"]), source("second", &[])], "line 2 (found in first)"),
        ];
        for (sources, expected) in cases {
            let made = Fixture { dir: tempfile::tempdir().unwrap() };
            let mut journal = NewJournal::create(&made.journal(), sources).unwrap();
            journal.append(&entry("a"), None).unwrap();
            journal.finish().unwrap();
            assert_eq!(made.doubts().altered, [expected]);
        }
    }
}
