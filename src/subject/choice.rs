//! Which JDK a subject gets: the one that is asked for, the one that an earlier sitting used, or the newest that builds
//! it. What failed on the way is kept with the choice, and the choice is kept for the next time.

use std::path::{Path, PathBuf};

use miette::miette;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::build::{self, BuildOutcome, Preparation};
use super::jdks::Jdk;
use super::toolchain::Tools;
use crate::process;
use crate::whole_file;
use crate::wording::hex;

/// A reason is cut to this where it is one of several.
const BRIEF: usize = 160;

/// What has nothing to do with the JDK: the next one would meet it too.
const ELSEWHERE: [&str; 14] = [
    "Unknown host",
    "Temporary failure in name resolution",
    "Connection refused",
    "Connection timed out",
    "Connect timed out",
    "connect timed out",
    "No route to host",
    "Network is unreachable",
    "No space left on device",
    "Non-parseable POM",
    "Malformed POM",
    "The build could not read",
    "Unable to parse command line",
    "in offline mode",
];

/// How a preparation ended, and on which JDK.
#[derive(Debug)]
pub struct Chosen {
    pub outcome: BuildOutcome,
    /// Why it was this one.
    pub why: String,
    /// JDKs that were tried before.
    pub attempts: Vec<Attempt>,
}

/// A JDK that did not build the subject.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    pub jdk: String,
    pub reason: String,
    /// The whole log; kept until the next build of the subject.
    #[serde(skip)]
    pub log: PathBuf,
}

/// The JDK that earlier trials of the same run had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pin {
    pub jdk: Jdk,
    pub why: String,
}

/// What is kept of a choice.
#[derive(Debug, Serialize, Deserialize)]
struct Record {
    home: PathBuf,
    version: String,
    why: String,
}

/// Prepares a subject with the JDK that it is to have, whichever one `base` has.
pub fn prepare(base: &Preparation<'_>, tools: &Tools, pin: Option<Pin>) -> miette::Result<Chosen> {
    let wish = base.subject.jdk.as_ref();
    let pin = pin.filter(|pin| wish.is_none_or(|wish| wish.is_met_by(&pin.jdk)));
    if let Some(Pin { jdk, why }) = pin {
        return on(base, tools, &jdk, why);
    }
    if let Some(wish) = wish {
        let jdk = wish.choose(tools.jdks)?;
        return on(base, tools, &jdk, wish.reason(tools.jdks));
    }
    let store = Store::of(base, tools)?;
    match store.read(tools) {
        Some((jdk, why)) => on(base, tools, &jdk, why),
        None => search(base, tools, &store),
    }
}

fn on(base: &Preparation<'_>, tools: &Tools, jdk: &Jdk, why: String) -> miette::Result<Chosen> {
    let toolchain = tools.with(jdk)?;
    let outcome = build::prepare(&Preparation { toolchain: &toolchain, ..*base })?;
    Ok(Chosen { outcome, why, attempts: Vec::new() })
}

/// From the newest to the oldest.
fn search(base: &Preparation<'_>, tools: &Tools, store: &Store) -> miette::Result<Chosen> {
    let mut attempts: Vec<Attempt> = Vec::new();
    let found = candidates(base, tools)?;
    for (position, jdk) in found.iter().enumerate() {
        let toolchain = tools.with(jdk)?;
        let outcome = build::prepare(&Preparation { toolchain: &toolchain, ..*base })?;
        match outcome {
            BuildOutcome::Failed { reason, log, whatever_the_jdk } => {
                tracing::info!("{} does not build with JDK {}: {reason}", base.subject.name, jdk.version);
                let log = keep(&log, base, &jdk.version.to_string());
                let hopeless = whatever_the_jdk || has_nothing_to_do_with_the_jdk(&reason);
                attempts.push(Attempt { jdk: jdk.version.to_string(), reason, log });
                if hopeless {
                    break;
                }
                if position + 1 < found.len() {
                    let next = format!("JDK {} does not build {}; trying an older one", jdk.version, base.subject.name);
                    base.progress.stage(&next);
                }
            }
            outcome => {
                let why = explain(found.len(), &attempts);
                if matches!(outcome, BuildOutcome::Ready(_)) {
                    store.write(jdk, &why)?;
                }
                return Ok(Chosen { outcome, why, attempts });
            }
        }
    }
    Ok(failed(attempts))
}

/// Those that whoever runs the subject can run.
fn candidates(base: &Preparation<'_>, tools: &Tools) -> miette::Result<Vec<Jdk>> {
    let user = base.subject.user.as_deref().map(process::other_user).transpose()?.flatten();
    let in_reach = |jdk: &&Jdk| user.as_ref().is_none_or(|user| user.closed_to(&jdk.home).is_none());
    Ok(tools.jdks.found.iter().filter(in_reach).cloned().collect())
}

/// The next attempt has a worktree of its own, and logs with it.
fn keep(log: &Path, base: &Preparation<'_>, jdk: &str) -> PathBuf {
    let safe: String = jdk.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '_' }).collect();
    let folder = base.home.jdk_choices();
    let kept = folder.join(format!("{}-{safe}.log", base.subject.name));
    let copied = std::fs::create_dir_all(&folder).and_then(|()| std::fs::copy(log, &kept));
    if copied.is_ok() { kept } else { log.to_owned() }
}

fn explain(found: usize, attempts: &[Attempt]) -> String {
    match (found, attempts.len()) {
        (1, _) => "the only one here".to_owned(),
        (_, 0) => format!("the newest of {found}"),
        _ => format!("the newest of {found} that builds it; {}", reasons(attempts)),
    }
}

/// One after the other, those with the same reason together.
fn reasons(attempts: &[Attempt]) -> String {
    let same = |a: &Attempt, b: &Attempt| brief(&a.reason) == brief(&b.reason);
    let told = attempts.chunk_by(same).map(|group| {
        let jdks: Vec<&str> = group.iter().map(|attempt| attempt.jdk.as_str()).collect();
        format!("{}: {}", jdks.join(", "), group.first().map(|attempt| brief(&attempt.reason)).unwrap_or_default())
    });
    told.collect::<Vec<String>>().join("; ")
}

/// The newest one's reason is told in full; of the others what differs.
fn failed(mut attempts: Vec<Attempt>) -> Chosen {
    let Some(first) = attempts.first().cloned() else {
        let (reason, log) = ("there is no JDK that it could be built with".to_owned(), PathBuf::new());
        return Chosen {
            outcome: BuildOutcome::Failed { reason, log, whatever_the_jdk: true },
            why: String::new(),
            attempts,
        };
    };
    let reason = match attempts.len() {
        1 => first.reason.clone(),
        _ => format!("{}\nof the JDKs that were tried none builds it: {}", first.reason, reasons(&attempts)),
    };
    attempts.remove(0);
    let outcome = BuildOutcome::Failed { reason, log: first.log, whatever_the_jdk: true };
    Chosen { outcome, why: String::new(), attempts }
}

/// The line that says most, and not more of it than fits beside others.
fn brief(reason: &str) -> String {
    let telling =
        ["Source option", "Target option", ".java:[", "at specified path", "release version", "invalid target"];
    let lines = || reason.lines().map(str::trim).filter(|line| !line.is_empty());
    let line = lines().find(|line| telling.iter().any(|mark| line.contains(mark))).or(lines().next());
    let line = line.unwrap_or_default();
    // Where the worktree lies says nothing.
    let line = line.find(".java:[").and_then(|end| line[..end].rfind('/')).map_or(line, |slash| &line[slash + 1..]);
    match line.char_indices().nth(BRIEF) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

fn has_nothing_to_do_with_the_jdk(reason: &str) -> bool {
    ELSEWHERE.iter().any(|mark| reason.contains(mark))
}

/// Where a choice is kept: by everything that it depends on.
struct Store {
    file: PathBuf,
}

impl Store {
    fn of(base: &Preparation<'_>, tools: &Tools) -> miette::Result<Store> {
        let jdks: Vec<_> = tools.jdks.found.iter().map(|jdk| (&jdk.home, &jdk.version)).collect();
        let parts = serde_json::to_vec(&(
            base.revision,
            build::settings_key(base.subject),
            &base.toolchain.maven_version,
            jdks,
        ))
        .map_err(|error| miette!("the settings of {} cannot be hashed: {error}", base.subject.name))?;
        let digits = hex(&Sha256::digest(parts)[..16]);
        Ok(Store { file: base.home.jdk_choices().join(format!("{}-{digits}.json", base.subject.family())) })
    }

    /// A choice that cannot be read, or of a JDK that is gone, is no choice.
    fn read(&self, tools: &Tools) -> Option<(Jdk, String)> {
        let text = std::fs::read(&self.file).ok()?;
        let record: Record = serde_json::from_slice(&text).ok()?;
        let same = |jdk: &&Jdk| jdk.home == record.home && jdk.version.to_string() == record.version;
        Some((tools.jdks.found.iter().find(same)?.clone(), record.why))
    }

    fn write(&self, jdk: &Jdk, why: &str) -> miette::Result<()> {
        let record = Record { home: jdk.home.clone(), version: jdk.version.to_string(), why: why.to_owned() };
        whole_file::write_json(&self.file, &record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempt(jdk: &str, reason: &str) -> Attempt {
        Attempt { jdk: jdk.to_owned(), reason: reason.to_owned(), log: PathBuf::new() }
    }

    #[test]
    fn a_choice_says_what_was_tried() {
        assert_eq!(explain(1, &[]), "the only one here");
        assert_eq!(explain(4, &[]), "the newest of 4");
        let goal = "Failed to execute goal x\n/home/x/A.java:[3,5] package sun.misc does not exist\nmore";
        let old = "Source option 5 is no longer supported.";
        let tried = [attempt("25.0.1", old), attempt("21.0.2", old), attempt("17.0.15", goal)];
        assert_eq!(
            explain(4, &tried),
            "the newest of 4 that builds it; 25.0.1, 21.0.2: Source option 5 is no longer supported.; \
             17.0.15: A.java:[3,5] package sun.misc does not exist"
        );
    }

    #[test]
    fn when_none_builds_it_the_newest_ones_reason_comes_first() {
        let chosen = failed(vec![attempt("25", "no symbol"), attempt("17", "no symbol"), attempt("8", "no records")]);
        let BuildOutcome::Failed { reason, .. } = chosen.outcome else { panic!("it failed") };
        assert_eq!(reason, "no symbol\nof the JDKs that were tried none builds it: 25, 17: no symbol; 8: no records");
        assert_eq!(chosen.attempts.len(), 2);
    }

    #[test]
    fn a_missing_network_is_no_reason_to_try_another_jdk() {
        assert!(has_nothing_to_do_with_the_jdk("Could not transfer x: Unknown host repo.maven.apache.org"));
        assert!(!has_nothing_to_do_with_the_jdk("Could not find artifact com.sun:tools:jar:1.6 at specified path /x"));
        assert!(!has_nothing_to_do_with_the_jdk("A.java:[3,5] package sun.misc does not exist"));
    }

    #[test]
    fn long_reasons_are_cut() {
        assert_eq!(brief(&"ä".repeat(1000)).chars().count(), BRIEF + 1);
        assert_eq!(brief(""), "");
    }
}
