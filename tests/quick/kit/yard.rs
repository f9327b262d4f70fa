//! Runs of one experiment, as several machines would have made them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use polars::prelude::{DataType, ParquetReader, SerReader};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::lab::{Lab, SUITE, stderr};

/// The suite whose last test takes most of the time: the short version of an artifact has something to choose.
pub fn suite() -> String {
    SUITE.replace("seconds = 4\n", "seconds = 40\n")
}

pub const EXPERIMENT: &str = "
# Two subjects, one suite.
[experiment]
name = 'model'
repetitions = 5
screening = 2
warmup = 1
seed = 7
[machine]
cores = [1, 'all']
timeout = '1h'
[[subject]]
name = 'one'
model = 'suite.toml'
[[subject]]
name = 'two'
model = 'suite.toml'
[[configuration]]
name = 'sequential'
[[configuration]]
name = 'both'
technique = 'paste'
parallel = 'classesAndMethods'
threads = 4
forks = '1C'
";

pub fn lab() -> Lab {
    Lab::new(EXPERIMENT, &suite())
}

/// A run below a results folder of its own, on a machine of that name.
pub fn run_on(lab: &Lab, host: &str, extra: &[&str]) -> PathBuf {
    let mut arguments = vec!["--out", host];
    arguments.extend(extra);
    let output = lab.run(&arguments);
    assert!(output.status.success(), "{}", stderr(&output));
    let dir = fs::canonicalize(lab.path(&format!("{host}/model/latest"))).unwrap();
    call_host(&dir, host);
    dir
}

/// All tests run on one machine: what a run says of its host is all that tells two apart.
pub fn call_host(dir: &Path, host: &str) {
    for (file, key) in [("manifest.json", "host"), ("environment.json", "hostname")] {
        let mut document: Value = serde_json::from_str(&fs::read_to_string(dir.join(file)).unwrap()).unwrap();
        document[key] = host.into();
        fs::write(dir.join(file), serde_json::to_string_pretty(&document).unwrap()).unwrap();
    }
    restate(dir);
}

/// Chains a journal anew, with the hashes of what describes its run now.
fn restate(dir: &Path) {
    let hash = |bytes: &[u8]| Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let (mut previous, mut text) = (String::new(), String::new());
    for line in fs::read_to_string(dir.join("journal.jsonl")).unwrap().lines() {
        let mut line = json(line);
        for (file, stated) in line["chain"]["settings"].as_object_mut().into_iter().flatten() {
            *stated = hash(&fs::read(dir.join(file)).unwrap()).into();
        }
        line["chain"]["previous"] = previous.into();
        previous = hash(line.to_string().as_bytes());
        text += &format!("{line}\n");
    }
    let end = serde_json::json!({ "lines": text.lines().count(), "end": previous });
    fs::write(dir.join("journal.jsonl"), text).unwrap();
    fs::write(dir.join("journal.end"), end.to_string()).unwrap();
}

/// Writes other things into the journal of a run.
pub fn change_trials(dir: &Path, change: impl Fn(&mut Value)) {
    let journal = dir.join("journal.jsonl");
    let mut changed = String::new();
    for line in fs::read_to_string(&journal).unwrap().lines() {
        let mut entry = json(line);
        if entry["kind"] == "trial" {
            change(&mut entry);
        }
        changed += &format!("{entry}\n");
    }
    fs::write(&journal, changed).unwrap();
}

pub fn parade(lab: &Lab, arguments: &[&str]) -> Output {
    lab.command(arguments).output().unwrap()
}

pub fn succeeds(lab: &Lab, arguments: &[&str]) -> String {
    let output = parade(lab, arguments);
    assert!(output.status.success(), "{}", stderr(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// The error message on one line: it is wrapped for the terminal.
pub fn refused(lab: &Lab, arguments: &[&str], code: i32) -> String {
    let output = parade(lab, arguments);
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    stderr(&output).replace('│', " ").split_whitespace().collect::<Vec<_>>().join(" ")
}

pub fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Every file of a folder with its content.
pub fn content(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            found.extend(content(&entry.path()));
        } else {
            found.insert(entry.path(), fs::read(entry.path()).unwrap());
        }
    }
    found
}

/// The rows of a CSV file by the names of its columns.
pub fn table(path: &Path) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(path).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

/// All texts of a Parquet file, column by column.
pub fn texts(path: &Path) -> BTreeMap<String, Vec<String>> {
    let frame = ParquetReader::new(fs::File::open(path).unwrap()).finish().unwrap();
    let mut columns = BTreeMap::new();
    for column in frame.columns() {
        let texts = column.cast(&DataType::String).unwrap();
        let texts = texts.str().unwrap().iter().map(|text| text.unwrap_or_default().to_owned()).collect();
        columns.insert(column.name().to_string(), texts);
    }
    columns
}

pub fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

pub fn report(lab: &Lab, dir: &Path) -> Value {
    json(&succeeds(lab, &["report", text(dir), "--json"]))
}
