//! The folder through which parade and one Maven talk: what the extension is asked, what it says, and what test processes
//! write.
//!
//! A subject can read its path, and write there where it runs as the same user. So the path tells nothing about the run,
//! and everything in it is gone by the time a test runs: parade reads on through what it has open.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use miette::miette;

use super::event_files::{EventFile, EventFolder};
use super::handshake::Handshake;
use super::line::FILE_LIMIT;
use super::seal::{SealDamage, SealKey};
use super::settings::{Files, Orders};
use crate::draft::ScratchFolder;
use crate::file_error::file_error;
use crate::process::Account;

#[derive(Debug)]
pub struct Exchange {
    /// Goes with this.
    _scratch: ScratchFolder,
    files: Files,
    handshake: File,
    key: SealKey,
}

/// What the extension said.
#[derive(Debug)]
pub struct Answered {
    /// `None` where it never said hello.
    pub handshake: Option<Handshake>,
    pub damage: SealDamage,
}

impl Exchange {
    /// Written by parade while it is parade's own, and given away as a whole before anything else can run.
    pub fn prepare(parent: &Path, orders: &Orders<'_>, user: Option<&Account>) -> miette::Result<Self> {
        let broken = |error| file_error(format_args!("{} cannot be prepared", parent.display()), &error);
        let scratch = ScratchFolder::make_in(parent)?;
        let folder = scratch.folder_for("files", None).map_err(broken)?;
        let files = Files::new(&folder);
        let key = SealKey::random()?;
        std::fs::create_dir(&files.events).map_err(broken)?;
        let mut options = File::options();
        let handshake = options.read(true).write(true).create_new(true).open(&files.handshake).map_err(broken)?;
        orders.write(&files, key)?;
        user.map_or(Ok(()), |user| user.take_over_all(&folder)).map_err(broken)?;
        Ok(Exchange { _scratch: scratch, files, handshake, key })
    }

    /// What the extension has to be told.
    pub fn settings(&self) -> &Path {
        &self.files.settings
    }

    /// Does the work, and takes hold of the files of all test processes that are started meanwhile.
    pub fn during<T>(&self, work: impl FnOnce() -> T) -> miette::Result<(T, Vec<EventFile>)> {
        let events = &self.files.events;
        let folder = EventFolder::open(events)
            .map_err(|error| file_error(format_args!("{} cannot be read", events.display()), &error))?;
        let is_over = AtomicBool::new(false);
        Ok(std::thread::scope(|scope| {
            let watcher = scope.spawn(|| folder.watch(&is_over));
            let done = work();
            is_over.store(true, Ordering::Release);
            (done, watcher.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        }))
    }

    pub fn answer(&self) -> miette::Result<Answered> {
        let mut file = &self.handshake;
        let read = file.seek(SeekFrom::Start(0)).and_then(|_| {
            let lines = BufReader::new(file.take(FILE_LIMIT));
            Handshake::from_sealed_lines(lines, self.key)
        });
        let (handshake, damage) =
            read.map_err(|error| miette!("the messages of parade's Maven extension cannot be read: {error}"))?;
        Ok(Answered { handshake, damage })
    }
}

#[cfg(test)]
mod tests {
    use super::super::settings::Settings;
    use super::*;
    use std::io::Write;

    fn prepared(parent: &Path) -> Exchange {
        let orders =
            Orders { settings: &Settings::default(), listeners: Path::new("/l.jar"), worktree: Path::new("/w") };
        Exchange::prepare(parent, &orders, None).unwrap()
    }

    #[test]
    fn what_the_extension_says_is_read_though_its_file_has_no_name_any_more() {
        let parent = tempfile::tempdir().unwrap();
        let exchange = prepared(parent.path());
        assert!(exchange.answer().unwrap().handshake.is_none());
        let mut file = File::options().append(true).open(&exchange.files.handshake).unwrap();
        std::fs::remove_file(&exchange.files.handshake).unwrap();
        file.write_all(exchange.key.seal(1, "hello\t1\t3.9\t17\n").as_bytes()).unwrap();
        file.write_all(b"end\n").unwrap();
        let answered = exchange.answer().unwrap();
        assert!(answered.handshake.is_some_and(|handshake| handshake.maven == "3.9" && !handshake.ended));
        assert_eq!(answered.damage.foreign, 1);
    }

    #[test]
    fn the_path_says_nothing_about_the_run() {
        let parent = tempfile::tempdir().unwrap();
        let (one, other) = (prepared(parent.path()), prepared(parent.path()));
        let folder = |exchange: &Exchange| exchange.settings().parent().map(Path::to_owned).unwrap();
        assert!(folder(&one).starts_with(parent.path()));
        assert_eq!(folder(&one).as_os_str().len(), folder(&other).as_os_str().len());
    }

    #[test]
    fn test_processes_that_ask_during_the_work_are_answered() {
        let parent = tempfile::tempdir().unwrap();
        let exchange = prepared(parent.path());
        let name = format!("1-{}-x.events", std::process::id());
        let ask = || {
            let path = exchange.files.events.join(name);
            let file = File::options().read(true).write(true).create_new(true).open(&path).unwrap();
            while file.metadata().unwrap().len() == 0 {
                std::thread::yield_now();
            }
            path.exists()
        };
        let (has_a_name, files) = exchange.during(ask).unwrap();
        assert!(!has_a_name && files.len() == 1);
    }
}
