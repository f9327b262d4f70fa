//! What a Maven log says about a build that failed. The whole log is kept; these are the lines to read first.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use crate::redaction::redact;
use crate::wording::first_bytes;

/// At most so many lines, each at most so long.
const MAX_LINES: usize = 12;
const MAX_LENGTH: usize = 400;
const LINE_LIMIT: u64 = 64 << 10;
/// What Maven says before it builds anything is not longer.
const HEAD_LIMIT: u64 = 1 << 20;

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
    // A mirror's address can have a password in it.
    causes.iter().map(|line| redact(line)).collect()
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

/// The profiles that Maven was told to activate and does not know. Maven says so before it builds anything: what comes later in
/// the log can be the output of a test.
pub fn unknown_profiles(log: &Path) -> Vec<String> {
    File::open(log).map(|file| unknown_profiles_in(BufReader::new(file))).unwrap_or_default()
}

pub fn unknown_profiles_in(log: impl BufRead) -> Vec<String> {
    const BEGUN: [&str; 3] = ["[INFO] Building ", "[INFO] Reactor Build Order", "[INFO] -----"];
    let mut profiles: Vec<String> = Vec::new();
    let mut has_begun = false;
    each_line(log.take(HEAD_LIMIT), |line| {
        has_begun |= BEGUN.iter().any(|mark| line.starts_with(mark));
        let named = line.strip_prefix("[WARNING] The requested profile \"").filter(|_| !has_begun);
        let Some((name, rest)) = named.and_then(|named| named.split_once('"')) else { return };
        let name = first_bytes(name, MAX_LENGTH).to_owned();
        if rest.contains("does not exist") && profiles.len() < MAX_LINES && !profiles.contains(&name) {
            profiles.push(name);
        }
    });
    profiles
}

fn push(lines: &mut Vec<String>, line: &str) {
    let line = line.trim_start_matches("[ERROR]").trim();
    let line = first_bytes(line, MAX_LENGTH);
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
    fn profiles_that_maven_does_not_know_are_named_but_not_what_tests_print() {
        let line = |name: &str| {
            format!("[WARNING] The requested profile \"{name}\" could not be activated because it does not exist.\n")
        };
        let text = format!(
            "[INFO] Scanning for projects...\n{}{}{}[INFO] \n[INFO] ----------< shop >----------\n\
             [INFO] Building shop 1\n{}[INFO] BUILD SUCCESS\n{}",
            line("nope"),
            line("other one"),
            line("nope"),
            line("forged"),
            line("nope")
        );
        assert_eq!(unknown_profiles(log(text.as_bytes()).path()), ["nope", "other one"]);
        assert!(unknown_profiles(log(b"[INFO] Scanning for projects...\n").path()).is_empty());
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
