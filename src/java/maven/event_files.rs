//! The files to which test processes write what happens, taken hold of before the first test can reach them.
//!
//! Nobody knows how many processes a build will start. So each makes an empty file in a folder; parade, who looks there all
//! the time, opens it, removes its name and answers with a key in its first bytes. From then on the file can be reached
//! through open descriptors only. What the processes wrote before they died stays on record.
//!
//! A file is answered only where the process that its name tells has it open, has not asked before and was not started by
//! one that has: test code that makes such files gets no key. Nothing here is followed that is no plain file.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::seal::SealKey;
use crate::folder_handle::FolderHandle;

/// The key and the end of its line; the writer blanks it out.
pub const HEAD: u64 = 33;
/// How often the folder is looked at. Each test process waits so long, once.
const PAUSE: Duration = Duration::from_millis(3);
/// More files than this are no test processes.
const MOST_FILES: usize = 100_000;
/// No chain of processes is longer.
const MOST_ANCESTORS: usize = 64;
/// Fields of `/proc/PID/stat`, counted from the one behind the name.
const PARENT: usize = 1;
const STARTED: usize = 19;

/// What one process wrote, or still writes.
#[derive(Debug)]
pub struct EventFile {
    /// The number of the test goal.
    pub goal: u32,
    pub process: u32,
    pub key: SealKey,
    file: File,
}

impl EventFile {
    /// What was written so far, after the key.
    pub fn read(&self) -> io::Result<impl Read> {
        let mut file = self.file.try_clone()?;
        file.seek(SeekFrom::Start(HEAD))?;
        Ok(file)
    }

    #[cfg(test)]
    pub fn with_content(goal: u32, process: u32, content: &str) -> Self {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&[0; HEAD as usize]).unwrap();
        let key = SealKey::of(3, 4);
        file.write_all(content.as_bytes()).unwrap();
        EventFile { goal, process, key, file }
    }
}

/// Waits for test processes until it is told that there will be none.
#[derive(Debug)]
pub struct EventFolder {
    folder: FolderHandle,
    files: Vec<EventFile>,
    /// What was dealt with, and could not be removed.
    known: HashSet<OsString>,
}

impl EventFolder {
    /// To be opened before a subject runs: afterwards its path can lead anywhere.
    pub fn open(folder: &Path) -> io::Result<Self> {
        Ok(EventFolder { folder: FolderHandle::open(folder)?, files: Vec::new(), known: HashSet::new() })
    }

    pub fn watch(mut self, is_over: &AtomicBool) -> Vec<EventFile> {
        while !is_over.load(Ordering::Acquire) {
            self.look();
            std::thread::sleep(PAUSE);
        }
        self.files
    }

    /// A folder that cannot be read, as the subject removed it, has no files: what its processes do then is not recorded.
    fn look(&mut self) {
        let Ok(entries) = self.folder.entries() else { return };
        for name in entries.into_keys() {
            // Its process is not ready to ask.
            if name.as_bytes().ends_with(b".new") {
                continue;
            }
            if self.known.len() + self.files.len() >= MOST_FILES || self.known.contains(&name) {
                continue;
            }
            if let Ok(Some(file)) = self.answer(&name) {
                self.files.push(file);
            }
            if !matches!(self.folder.facts_of(&name), Ok(None)) {
                self.known.insert(name);
            }
        }
    }

    /// `None` for what no test process of the build has made.
    fn answer(&self, name: &OsStr) -> io::Result<Option<EventFile>> {
        let mut file = self.folder.answerable(name)?;
        if file.metadata()?.len() > 0 {
            return Ok(None);
        }
        let asked = asked(name).filter(|&(goal, process)| self.may_write(goal, process, &file));
        let key = SealKey::random().map_err(|error| io::Error::other(error.to_string()))?;
        let head = if asked.is_some() { key.to_hex() } else { "-".repeat(32) };
        self.folder.remove(name)?;
        file.write_all(format!("{head}\n").as_bytes())?;
        Ok(asked.map(|(goal, process)| EventFile { goal, process, key, file }))
    }

    fn may_write(&self, goal: u32, process: u32, file: &File) -> bool {
        let is_worker = |process: u32| self.files.iter().any(|file| file.process == process);
        let asked_before = self.files.iter().any(|file| (file.goal, file.process) == (goal, process));
        let ancestors = ancestors(process);
        !asked_before
            && has_open(process, file)
            && !ancestors.iter().any(|ancestor| is_worker(*ancestor))
            && belongs_to_build(process, &ancestors, std::process::id(), oldest_child)
    }
}

/// Was the process started by the build? A process that tests started and let go of is a child of the keeper or of parade itself,
/// not of the command that the keeper started first.
fn belongs_to_build(process: u32, ancestors: &[u32], own: u32, oldest_child: impl Fn(u32) -> Option<u32>) -> bool {
    if process == own {
        return true;
    }
    let line: Vec<u32> = std::iter::once(process).chain(ancestors.iter().copied()).collect();
    let Some(at) = line.iter().position(|ancestor| *ancestor == own) else { return false };
    match line[..at] {
        [.., command, keeper] => oldest_child(keeper) == Some(command),
        _ => false,
    }
}

/// The child that a process started first, of those that are left.
fn oldest_child(process: u32) -> Option<u32> {
    let processes = Path::new("/proc").read_dir().ok()?.flatten();
    let processes = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let children = processes.filter(|child| parent(*child) == Some(process));
    children.filter_map(|child| Some((stat_field(child, STARTED)?, child))).min().map(|(_, child)| child)
}

/// The goal and the process that a file's name tells.
fn asked(name: &OsStr) -> Option<(u32, u32)> {
    let name = name.to_str()?.strip_suffix(".events")?;
    let mut parts = name.split('-');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

fn has_open(process: u32, file: &File) -> bool {
    let Ok(own) = file.metadata() else { return false };
    let Ok(descriptors) = Path::new("/proc").join(process.to_string()).join("fd").read_dir() else { return false };
    let opened = descriptors.flatten().filter_map(|entry| std::fs::metadata(entry.path()).ok());
    opened.into_iter().any(|opened| (opened.dev(), opened.ino()) == (own.dev(), own.ino()))
}

fn ancestors(process: u32) -> Vec<u32> {
    let mut ancestors = Vec::new();
    let mut process = process;
    while let (Some(parent), true) = (parent(process), ancestors.len() < MOST_ANCESTORS) {
        ancestors.push(parent);
        process = parent;
    }
    ancestors
}

fn parent(process: u32) -> Option<u32> {
    stat_field(process, PARENT).and_then(|parent| u32::try_from(parent).ok()).filter(|parent| *parent > 0)
}

/// Fields are counted behind the name, which can be anything.
fn stat_field(process: u32, field: usize) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, fields) = stat.rsplit_once(") ")?;
    fields.split(' ').nth(field)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn create(folder: &Path, name: &str) -> File {
        File::options().read(true).write(true).create_new(true).open(folder.join(name)).unwrap()
    }

    fn text(mut file: File) -> String {
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn a_process_that_asks_gets_a_key_and_its_file_has_no_name_any_more() {
        let folder = tempfile::tempdir().unwrap();
        let me = std::process::id();
        let mut events = EventFolder::open(folder.path()).unwrap();
        let own = create(folder.path(), &format!("2-{me}-1f.events"));
        events.look();
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
        let [file] = &events.files[..] else { panic!("{events:?}") };
        assert_eq!((file.goal, file.process), (2, me));
        assert_eq!(text(own), format!("{}\n", file.key.to_hex()));
    }

    #[test]
    fn what_tests_put_there_gets_no_key() {
        let folder = tempfile::tempdir().unwrap();
        let me = std::process::id();
        let mut events = EventFolder::open(folder.path()).unwrap();
        create(folder.path(), &format!("1-{me}-first.events"));
        let first = File::open(folder.path().join(format!("1-{me}-first.events"))).unwrap();
        events.look();
        let again = create(folder.path(), &format!("1-{me}-second.events"));
        let others = create(folder.path(), "1-1-x.events");
        let unnamed = create(folder.path(), "x");
        let unready = create(folder.path(), &format!("1-{me}-third.new"));
        std::fs::create_dir(folder.path().join("1-1-folder.events")).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("1-1-link.events")).unwrap();
        let pipe = folder.path().join("1-1-pipe.events");
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        events.look();
        events.look();
        assert_eq!(events.files.len(), 1, "{events:?}");
        assert_eq!(text(first).len(), 33);
        assert_eq!(text(unready), "", "it is answered under its last name only");
        for refused in [again, others, unnamed] {
            assert!(text(refused).starts_with("--"));
        }
    }

    /// parade is 10, its keeper 20, Maven 30, a test process 40.
    #[test]
    fn only_what_the_build_started_gets_a_key() {
        let first = |keeper: u32| (keeper == 20).then_some(30);
        let asks = |process: u32, ancestors: &[u32]| belongs_to_build(process, ancestors, 10, first);
        assert!(asks(40, &[30, 20, 10, 1]) && asks(41, &[40, 30, 20, 10, 1]), "Maven's forks, through a shell or not");
        assert!(asks(30, &[20, 10, 1]), "Maven itself, where tests run in it");
        assert!(!asks(50, &[20, 10, 1]) && !asks(51, &[50, 20, 10, 1]), "what tests left behind");
        assert!(!asks(50, &[10, 1]) && !asks(20, &[10, 1]) && !asks(50, &[1]), "no keeper above it, or the keeper");
    }

    #[test]
    fn the_oldest_child_of_this_process_is_found() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        assert!(oldest_child(std::process::id()).is_some());
        assert_eq!(parent(child.id()), Some(std::process::id()));
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn a_process_that_a_test_process_started_is_none() {
        assert!(ancestors(std::process::id()).len() > 1);
        assert_eq!(parent(u32::MAX), None);
    }
}
