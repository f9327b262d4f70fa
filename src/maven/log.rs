//! What a Maven log says about a build that failed. The whole log is kept; these are the lines to read first.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use super::line::cut;

/// At most so many lines, each at most so long.
const MAX_LINES: usize = 12;
const MAX_LENGTH: usize = 400;
const LINE_LIMIT: u64 = 64 << 10;

/// Causes, rather than consequences.
const CAUSES: [&str; 12] = [
    "COMPILATION ERROR",
    ".java:[",
    "Could not resolve",
    "Could not find artifact",
    "Could not transfer",
    "Cannot access",
    "Non-resolvable",
    "Non-parseable",
    "OutOfMemoryError",
    "No space left on device",
    "Source option",
    "Unable to parse command line",
];
const DEAD_WORKER: [&str; 3] =
    ["terminated without properly saying goodbye", "There was a timeout or other error in the fork", "The forked VM"];
/// Maven's advice, not its findings.
const NOISE: [&str; 6] = [
    "-> [Help",
    "To see the full stack trace",
    "Re-run Maven using",
    "For more information about the errors",
    "[Help 1]",
    "After correcting the problems",
];

/// The lines that tell why a build failed, causes first, none twice. A log that cannot be read has none: it only explains
/// what is known from elsewhere.
pub fn decisive_lines(log: &Path) -> Vec<String> {
    File::open(log).map(|file| decisive_lines_in(BufReader::new(file))).unwrap_or_default()
}

pub fn decisive_lines_in(log: impl BufRead) -> Vec<String> {
    let (mut causes, mut errors) = (Vec::new(), Vec::new());
    each_line(log, |line| {
        let is_cause = CAUSES.iter().chain(&DEAD_WORKER).any(|mark| line.contains(mark));
        let is_error = line.starts_with("[ERROR]") || line.starts_with("[FATAL]") || line.starts_with("Error: ");
        if is_cause {
            push(&mut causes, line);
        } else if is_error && !NOISE.iter().any(|mark| line.contains(mark)) {
            push(&mut errors, line);
        }
    });
    causes.extend(errors);
    causes.truncate(MAX_LINES);
    causes
}

/// The lines by which Surefire tells that a test process died.
pub fn dead_workers(log: &Path) -> Vec<String> {
    File::open(log).map(|file| dead_workers_in(BufReader::new(file))).unwrap_or_default()
}

pub fn dead_workers_in(log: impl BufRead) -> Vec<String> {
    let mut lines = Vec::new();
    each_line(log, |line| {
        // The same sentence comes again inside exceptions.
        if let Some(at) = DEAD_WORKER.iter().filter_map(|mark| line.find(mark)).min() {
            push(&mut lines, &line[at..]);
        }
    });
    lines
}

fn push(lines: &mut Vec<String>, line: &str) {
    let line = line.trim_start_matches("[ERROR]").trim();
    let line = cut(line, MAX_LENGTH);
    if !line.is_empty() && lines.len() < MAX_LINES && !lines.iter().any(|known| known == line) {
        lines.push(line.to_owned());
    }
}

fn each_line(mut reader: impl BufRead, mut each: impl FnMut(&str)) {
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        match reader.by_ref().take(LINE_LIMIT).read_until(b'\n', &mut bytes) {
            Ok(read) if read > 0 => each(String::from_utf8_lossy(&bytes).trim_end()),
            _ => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(content: &[u8]) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), content).unwrap();
        file
    }

    #[test]
    fn causes_come_before_consequences_and_advice_is_left_out() {
        let file = log(b"[INFO] x\n[ERROR] Failed to execute goal compile\n[ERROR] \n[ERROR] COMPILATION ERROR : \n\
            [ERROR] /p/A.java:[3,5] cannot find symbol\n[ERROR] /p/A.java:[3,5] cannot find symbol\n\
            [ERROR] Re-run Maven using the -X switch\n[ERROR] [Help 1] http://x\n");
        assert_eq!(
            decisive_lines(file.path()),
            ["COMPILATION ERROR :", "/p/A.java:[3,5] cannot find symbol", "Failed to execute goal compile"]
        );
    }

    #[test]
    fn a_dead_worker_is_seen_even_if_the_build_succeeds() {
        let sentence = "The forked VM terminated without properly saying goodbye. VM crash?";
        let text = format!("[ERROR] {sentence}\n[ERROR] Caused by: x.Exception: {sentence}\n[INFO] SUCCESS\n");
        let file = log(text.as_bytes());
        assert_eq!(dead_workers(file.path()), [sentence]);
        assert!(dead_workers(log(b"[INFO] fine\n").path()).is_empty());
    }

    #[test]
    fn hostile_logs_are_bounded() {
        let mut content = b"[ERROR] ".to_vec();
        content.extend(vec![0xff; 1 << 20]);
        for number in 0..100 {
            content.extend(format!("\n[ERROR] line {number}").bytes());
        }
        let lines = decisive_lines(log(&content).path());
        assert_eq!(lines.len(), MAX_LINES);
        assert!(lines.iter().all(|line| line.len() <= MAX_LENGTH));
        assert!(decisive_lines(Path::new("/nowhere")).is_empty());
    }
}
