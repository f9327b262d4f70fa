//! A folder with an experiment on model suites, and the real program run in it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// A suite in which PASTE needs all three stages; one name would be markup.
pub const SUITE: &str = concat!(
    include_str!("../data/race-and-chain.toml"),
    "
[[test]]
id = 'Other#<script>alert(1)</script>'
seconds = 4
"
);

pub struct Lab {
    dir: tempfile::TempDir,
}

impl Lab {
    pub fn new(experiment: &str, suite: &str) -> Self {
        let lab = Lab { dir: tempfile::tempdir().unwrap() };
        fs::write(lab.path("suite.toml"), suite).unwrap();
        lab.write(experiment);
        lab
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn write(&self, experiment: &str) {
        fs::write(self.path("experiment.toml"), experiment).unwrap();
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_parade"));
        command.current_dir(self.dir.path()).env("PARADE_HOME", self.path("home")).args(arguments);
        command
    }

    pub fn parade(&self, extra: &[&str]) -> Command {
        let mut command = self.command(&["run", "experiment.toml", "--json"]);
        command.args(extra);
        command
    }

    pub fn run(&self, extra: &[&str]) -> Output {
        self.parade(extra).output().unwrap()
    }

    /// A run that goes on by itself.
    pub fn start(&self) -> Child {
        self.parade(&[]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    pub fn latest(&self) -> PathBuf {
        fs::canonicalize(self.path("results/model/latest")).unwrap()
    }

    /// The trials of the journal in order, of all phases. A line that a kill cut off is none.
    pub fn trials(&self) -> Vec<Value> {
        let journal = self.path("results/model/latest/journal.jsonl");
        let journal = fs::read_to_string(journal).unwrap_or_default();
        let lines = journal.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        lines.filter(|line| line["kind"] == "trial").collect()
    }

    /// How often each trial was recorded.
    pub fn recorded(&self) -> BTreeMap<String, usize> {
        let mut recorded = BTreeMap::new();
        for trial in self.trials() {
            *recorded.entry(trial["trial"].as_str().unwrap().to_owned()).or_default() += 1;
        }
        recorded
    }

    pub fn journal_bytes(&self) -> u64 {
        fs::metadata(self.path("results/model/latest/journal.jsonl")).map_or(0, |journal| journal.len())
    }

    /// Waits until something was appended to the journal, or the run is over.
    pub fn wait_for_growth(&self, before: u64, run: &mut Child) {
        let patience = Instant::now() + Duration::from_secs(60);
        while self.journal_bytes() <= before && run.try_wait().unwrap().is_none() {
            assert!(Instant::now() < patience, "the journal did not grow within a minute");
            std::thread::sleep(Duration::from_micros(200));
        }
    }

    /// Waits until the journal has so many trials, or the run is over.
    pub fn wait_for_trials(&self, count: usize, run: &mut Child) {
        let patience = Instant::now() + Duration::from_secs(60);
        while self.trials().len() < count && run.try_wait().unwrap().is_none() {
            assert!(Instant::now() < patience, "no {count} trials within a minute");
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

pub fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

pub fn last_json(output: &Output) -> Value {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    serde_json::from_str(text.lines().last().unwrap_or_else(|| panic!("no output: {output:?}"))).unwrap()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub fn csv_rows(path: &Path) -> Vec<csv::StringRecord> {
    csv::Reader::from_path(path).unwrap().records().map(Result::unwrap).collect()
}

/// Files below a folder that hold a text.
pub fn files_with(text: &str, folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            found.extend(files_with(text, &entry.path()));
        } else if kind.is_file() {
            let bytes = fs::read(entry.path()).unwrap();
            let holds = bytes.windows(text.len()).any(|window| window == text.as_bytes());
            found.extend((holds || entry.file_name().to_string_lossy().contains(text)).then(|| entry.path()));
        }
    }
    found
}
