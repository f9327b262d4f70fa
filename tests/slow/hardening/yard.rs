//! A Java project made for one test, an experiment on it, and the real program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::Value;

use crate::common::desk::shared_home;
use crate::turn::{self, Turn};

const POM: &str = include_str!("../../../subjects/clean-gains/pom.xml");

pub struct Yard {
    folder: tempfile::TempDir,
    marker: String,
    _turn: Turn,
}

/// A process of a subject.
pub struct Found {
    pub pid: u32,
    pub command: String,
}

impl Yard {
    /// `None`, said aloud, where tests that run Maven are not wanted.
    pub fn new(classes: &[(&str, String)]) -> Option<Self> {
        Some(Self::in_turn(classes, turn::beside_others("a rough subject")?))
    }

    /// The same for a test whose turn it is already.
    pub fn in_turn(classes: &[(&str, String)], turn: Turn) -> Self {
        let nanos = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos();
        let marker = format!("hardening-{}-{nanos}", std::process::id());
        let yard = Yard { folder: tempfile::tempdir().unwrap(), marker, _turn: turn };
        let sources = yard.path("subject/src/test/java/yard");
        fs::create_dir_all(&sources).unwrap();
        fs::write(yard.path("subject/pom.xml"), POM.replace("clean-gains", "yard")).unwrap();
        for (class, body) in classes {
            let text = format!("package yard;\n\nimport org.junit.Test;\n\npublic class {class} {{\n{body}\n}}\n");
            fs::write(sources.join(format!("{class}.java")), text).unwrap();
        }
        yard
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The experiment `yard` on the subject `yard`, which is sequential unless more configurations are given.
    pub fn experiment(&self, repetitions: u32, machine: &str, configurations: &str) {
        let text = format!(
            "[experiment]\nname = 'yard'\nrepetitions = {repetitions}\nseed = 1\n\
             [machine]\ncores = 'all'\n{machine}\n\
             [[subject]]\nname = 'yard'\npath = 'subject'\n\
             environment = {{ MAVEN_OPTS = '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC', MARKER = '{}' }}\n\
             [[configuration]]\nname = 'sequential'\n{configurations}",
            self.marker
        );
        fs::write(self.path("experiment.toml"), text).unwrap();
    }

    pub fn command(&self, extra: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_parade"));
        command.current_dir(self.folder.path()).args(["run", "experiment.toml", "--json"]).args(extra);
        command.env("PARADE_HOME", shared_home()).env("NO_COLOR", "1");
        command
    }

    pub fn run(&self, extra: &[&str]) -> Output {
        self.command(extra).output().unwrap()
    }

    pub fn start(&self, extra: &[&str]) -> Child {
        self.command(extra).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    pub fn latest(&self) -> PathBuf {
        self.path("results/yard/latest")
    }

    pub fn journal(&self) -> String {
        fs::read_to_string(self.latest().join("journal.jsonl")).unwrap_or_default()
    }

    /// All trials on record, whole lines only.
    pub fn trials(&self) -> Vec<Value> {
        let journal = self.journal();
        let lines = journal.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        lines.filter(|line| line["kind"] == "trial").collect()
    }

    /// The subject's processes that are alive.
    pub fn processes(&self) -> Vec<Found> {
        let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
        entries.flatten().filter_map(|entry| self.found(&entry.path())).collect()
    }

    fn found(&self, process: &Path) -> Option<Found> {
        let pid = process.file_name()?.to_str()?.parse().ok()?;
        let read = |file| Some(String::from_utf8_lossy(&fs::read(process.join(file)).ok()?).into_owned());
        read("environ")?.contains(&self.marker).then_some(())?;
        Some(Found { pid, command: read("cmdline")?.replace('\0', " ") })
    }

    /// Nothing of the subject is alive, at the latest a moment after its end.
    pub fn assert_nothing_left(&self, after: &str) {
        let gone = becomes_true(Duration::from_secs(10), || self.processes().is_empty());
        let left: Vec<String> =
            self.processes().into_iter().map(|found| format!("{} {}", found.pid, found.command)).collect();
        assert!(gone, "left behind after {after}: {left:#?}");
    }
}

pub fn becomes_true(patience: Duration, mut condition: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + patience;
    while Instant::now() < deadline {
        if condition() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    false
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
