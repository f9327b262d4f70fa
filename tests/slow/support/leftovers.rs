//! Finds processes that a run left behind: each one that a subject starts carries a marker in its environment.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// A text that only the processes of one run know.
pub struct Marker(String);

impl Marker {
    pub fn new(subject: &str) -> Self {
        let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos());
        Marker(format!("parade-{subject}-{}-{nanos}", std::process::id()))
    }

    pub fn text(&self) -> &str {
        &self.0
    }

    /// Every process alive that carries the marker, by number and command line.
    pub fn processes(&self) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
        entries.flatten().filter_map(|entry| self.describe(&entry.path())).collect()
    }

    fn describe(&self, process: &Path) -> Option<String> {
        let number = process.file_name()?.to_str()?.parse::<u32>().ok()?;
        let read =
            |file: &str| std::fs::read(process.join(file)).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let command = read("cmdline").ok()?;
        let marked =
            command.contains(&self.0) || read("environ").is_ok_and(|environment| environment.contains(&self.0));
        marked.then(|| format!("{number} {}", command.replace('\0', " ")))
    }
}
