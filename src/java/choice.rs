//! Which JDK a subject gets: the one that is asked for, the one that an earlier sitting used, or the newest that builds it. Where
//! tests fail on that one, older ones are tried within bounds, and the one on which most tests pass is taken. What failed on the
//! way is kept with the choice, and the choice is kept for the next time.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::build::{self, BuildOutcome, Discovery, Preparation};
use super::jdks::Jdk;
use super::toolchain::Tools;
use crate::maven::is_independent_of_jdk;
use crate::process;
use crate::spec::Subject;
use crate::subject::Progress;
use crate::suite::Outcome;
use crate::whole_file;

/// A reason is cut to this where it is one of several.
const BRIEF: usize = 160;

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
    let pin = pin.filter(|pin| wish.is_none_or(|wish| pin.jdk.meets(wish)));
    if let Some(Pin { jdk, why }) = pin {
        return on(base, tools, &jdk, why);
    }
    if let Some(wish) = wish {
        let jdk = tools.jdks.choose(wish)?;
        return on(base, tools, &jdk, tools.jdks.reason(wish));
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
    let found = candidates(base, tools)?;
    let began = Instant::now();
    let mut bench = JdkSearch { name: &base.subject.name, progress: base.progress, elapsed: &|| began.elapsed() };
    let found_out = bench.search(&found, |jdk| {
        let toolchain = tools.with(jdk)?;
        Ok(match build::prepare(&Preparation { toolchain: &toolchain, ..*base })? {
            BuildOutcome::Ready(prepared) => {
                let suite = suite_of(prepared.discovery());
                JdkAttempt::Ready(prepared, suite)
            }
            BuildOutcome::Failed { reason, log, whatever_the_jdk } => {
                let log = keep(&log, base, &jdk.version.to_string());
                JdkAttempt::Failed { reason, log, whatever_the_jdk }
            }
            BuildOutcome::Interrupted => JdkAttempt::Interrupted,
        })
    })?;
    Ok(match found_out {
        Found::Ready { prepared, jdk, why, attempts } => {
            store.write(&jdk, &why)?;
            Chosen { outcome: BuildOutcome::Ready(prepared), why, attempts }
        }
        Found::Interrupted { attempts } => Chosen { outcome: BuildOutcome::Interrupted, why: String::new(), attempts },
        Found::Nothing { attempts } => failed(attempts),
    })
}

/// Further JDKs that are tried where tests fail on the newest one that builds.
const MOST_FURTHER: usize = 2;
/// They may take so many times as long as the first one did, build and first run together.
const FURTHER_TIME: u32 = 3;

/// What the suite did on one JDK.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SuiteResult {
    tests: usize,
    passed: usize,
    failing: usize,
}

/// `None` where the suite was not run, or not to its end: then nothing can be compared.
fn suite_of(discovery: &Discovery) -> Option<SuiteResult> {
    if discovery.is_pending() || !discovery.is_complete() || discovery.tests.is_empty() {
        return None;
    }
    let count = |is: fn(Outcome) -> bool| discovery.tests.iter().filter(|test| is(test.outcome)).count();
    Some(SuiteResult {
        tests: discovery.tests.len(),
        passed: count(|outcome| outcome == Outcome::Passed),
        failing: count(Outcome::is_failure),
    })
}

/// How an attempt with one JDK ended.
enum JdkAttempt<P> {
    Ready(P, Option<SuiteResult>),
    Failed { reason: String, log: PathBuf, whatever_the_jdk: bool },
    Interrupted,
}

/// How the search ended.
enum Found<P> {
    Ready { prepared: P, jdk: Jdk, why: String, attempts: Vec<Attempt> },
    Interrupted { attempts: Vec<Attempt> },
    Nothing { attempts: Vec<Attempt> },
}

/// The search for a JDK; what builds is brought by who asks.
struct JdkSearch<'a> {
    name: &'a str,
    progress: &'a dyn Progress,
    elapsed: &'a dyn Fn() -> Duration,
}

impl JdkSearch<'_> {
    fn search<P>(
        &mut self,
        found: &[Jdk],
        mut try_on: impl FnMut(&Jdk) -> miette::Result<JdkAttempt<P>>,
    ) -> miette::Result<Found<P>> {
        let mut attempts: Vec<Attempt> = Vec::new();
        for (position, jdk) in found.iter().enumerate() {
            match try_on(jdk)? {
                JdkAttempt::Interrupted => return Ok(Found::Interrupted { attempts }),
                JdkAttempt::Failed { reason, log, whatever_the_jdk } => {
                    tracing::info!("{} does not build with JDK {}: {reason}", self.name, jdk.version);
                    let is_hopeless = whatever_the_jdk || is_independent_of_jdk(&reason);
                    attempts.push(Attempt { jdk: jdk.version.to_string(), reason, log });
                    if is_hopeless {
                        break;
                    }
                    if position + 1 < found.len() {
                        let name = self.name;
                        self.progress.stage(&format!("JDK {} does not build {name}; trying an older one", jdk.version));
                    }
                }
                JdkAttempt::Ready(prepared, suite) => {
                    let first = OnJdk { jdk: jdk.clone(), suite };
                    return self.compare(found, position, first, prepared, attempts, try_on);
                }
            }
        }
        Ok(Found::Nothing { attempts })
    }

    /// Tries older JDKs where tests fail on the newest that builds. A worktree holds one build at a time, so the best JDK is built
    /// again unless it was the last.
    fn compare<P>(
        &mut self,
        found: &[Jdk],
        position: usize,
        first: OnJdk,
        prepared: P,
        mut attempts: Vec<Attempt>,
        mut try_on: impl FnMut(&Jdk) -> miette::Result<JdkAttempt<P>>,
    ) -> miette::Result<Found<P>> {
        let first_took = (self.elapsed)();
        let mut tried = vec![first];
        let mut last = Some(prepared);
        let mut older: Vec<&Jdk> = found[position + 1..].iter().collect();
        for _ in 0..MOST_FURTHER {
            let time_is_up = (self.elapsed)() > first_took * (1 + FURTHER_TIME);
            let Some(next) = next_older(&tried, &mut older).filter(|_| !time_is_up) else { break };
            let worst = &tried[tried.len() - 1];
            let (name, version) = (self.name, &worst.jdk.version);
            self.progress.stage(&format!(
                "{} of {name} fail on JDK {version}; trying {}",
                worst.failing(),
                next.version
            ));
            last = None;
            match try_on(next)? {
                JdkAttempt::Interrupted => return Ok(Found::Interrupted { attempts }),
                JdkAttempt::Failed { reason, log, .. } => {
                    attempts.push(Attempt { jdk: next.version.to_string(), reason, log });
                }
                JdkAttempt::Ready(prepared, suite) => {
                    last = Some(prepared);
                    tried.push(OnJdk { jdk: next.clone(), suite });
                }
            }
        }
        let best = best_of(&tried).clone();
        let is_last = tried.last().is_some_and(|last| last.jdk == best.jdk);
        let why = explain(found.len(), &attempts, &tried, &best);
        let again = match last.filter(|_| is_last) {
            Some(prepared) => JdkAttempt::Ready(prepared, best.suite),
            None => try_on(&best.jdk)?,
        };
        Ok(match again {
            JdkAttempt::Ready(prepared, _) => Found::Ready { prepared, jdk: best.jdk, why, attempts },
            JdkAttempt::Interrupted => Found::Interrupted { attempts },
            JdkAttempt::Failed { reason, log, .. } => {
                // It built a moment ago: what failed now is told first.
                attempts.insert(0, Attempt { jdk: best.jdk.version.to_string(), reason, log });
                Found::Nothing { attempts }
            }
        })
    }
}

/// A JDK that builds the subject, and what its suite did there.
#[derive(Debug, Clone)]
struct OnJdk {
    jdk: Jdk,
    suite: Option<SuiteResult>,
}

impl OnJdk {
    fn failing(&self) -> String {
        let SuiteResult { tests, failing, .. } = self.suite.unwrap_or(SuiteResult { tests: 0, passed: 0, failing: 0 });
        if failing == 0 { "none".to_owned() } else { format!("{failing} of {tests} tests") }
    }
}

/// The next JDK to try: none where nothing fails, else the next older one. If that was no better, the oldest: what newer ones lack
/// often went away at once.
fn next_older<'a>(tried: &[OnJdk], older: &mut Vec<&'a Jdk>) -> Option<&'a Jdk> {
    let passed = |on: &OnJdk| on.suite.map_or(0, |suite| suite.passed);
    let best = best_of(tried);
    if best.suite.is_none_or(|suite| suite.failing == 0) {
        return None;
    }
    older.retain(|jdk| tried.iter().all(|on| on.jdk.major() != jdk.major()));
    let is_no_better = tried.len() > 1 && passed(best) <= passed(&tried[0]);
    let at = if is_no_better { older.len().checked_sub(1)? } else { 0 };
    (at < older.len()).then(|| older.remove(at))
}

/// The one on which most tests pass; of several the newest, which was tried first.
fn best_of(tried: &[OnJdk]) -> &OnJdk {
    let mut best = &tried[0];
    for on in &tried[1..] {
        let key = |on: &OnJdk| on.suite.map_or((0, usize::MAX), |suite| (suite.passed, usize::MAX - suite.failing));
        if key(on) > key(best) {
            best = on;
        }
    }
    best
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

/// Why it is this JDK: what did not build, and what failed where.
fn explain(found: usize, attempts: &[Attempt], tried: &[OnJdk], best: &OnJdk) -> String {
    let is_newest = tried.first().is_none_or(|first| first.jdk == best.jdk);
    let mut why = match (found, attempts.len()) {
        (1, _) => "the only one here".to_owned(),
        (_, 0) if is_newest => format!("the newest of {found}"),
        _ if is_newest => format!("the newest of {found} that builds it; {}", reasons(attempts)),
        (_, 0) => format!("of {found}, the one on which most tests pass; it is not the newest that builds it"),
        _ => format!(
            "of {found}, the one on which most tests pass; it is not the newest that builds it; {}",
            reasons(attempts)
        ),
    };
    if tried.iter().any(|on| on.suite.is_some_and(|suite| suite.failing > 0)) {
        let (first, rest) = (&tried[0], &tried[1..]);
        why.push_str(&format!("; {} fail on {}", first.failing(), first.jdk.version));
        for on in rest {
            why.push_str(&format!(", {} on {}", on.failing(), on.jdk.version));
        }
    }
    why
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
        let (reason, log) = ("there is no JDK to build it with".to_owned(), PathBuf::new());
        return Chosen {
            outcome: BuildOutcome::Failed { reason, log, whatever_the_jdk: true },
            why: String::new(),
            attempts,
        };
    };
    let reason = match attempts.len() {
        1 => first.reason.clone(),
        _ => format!("{}\nnone of the tried JDKs builds it: {}", first.reason, reasons(&attempts)),
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

/// Over everything that a choice depends on.
fn choice_key(subject: &Subject, revision: &str, maven_version: &str, jdks: &[Jdk]) -> miette::Result<String> {
    let jdks: Vec<_> = jdks.iter().map(|jdk| (&jdk.home, &jdk.version)).collect();
    // Choices of before they were made by what passes had another purpose.
    let mut key = subject.fingerprint().of_build("JDK by what passes");
    key.text("revision", revision);
    key.text("maven", maven_version);
    key.value("JDKs", &jdks)?;
    Ok(key.digits(32))
}

/// Where a choice is kept.
struct Store {
    file: PathBuf,
}

impl Store {
    fn of(base: &Preparation<'_>, tools: &Tools) -> miette::Result<Store> {
        let digits = choice_key(base.subject, base.revision, &base.toolchain.maven_version, &tools.jdks.found)?;
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
    use super::super::jdks::Version;
    use super::*;
    use crate::spec::fingerprint_tests::{self, Dependents, assert_key_follows};

    fn attempt(jdk: &str, reason: &str) -> Attempt {
        Attempt { jdk: jdk.to_owned(), reason: reason.to_owned(), log: PathBuf::new() }
    }

    fn jdk(version: &str) -> Jdk {
        let version = Version::parse(version).unwrap();
        Jdk { home: format!("/jdk/{version}").into(), version, vendor: None, found_by: vec![] }
    }

    fn on(version: &str, failing: usize) -> OnJdk {
        OnJdk { jdk: jdk(version), suite: Some(SuiteResult { tests: 576, passed: 576 - failing, failing }) }
    }

    #[test]
    fn a_choice_says_what_was_tried() {
        let newest = on("8", 0);
        let explained = |found, attempts: &[Attempt]| explain(found, attempts, std::slice::from_ref(&newest), &newest);
        assert_eq!(explained(1, &[]), "the only one here");
        assert_eq!(explained(4, &[]), "the newest of 4");
        let goal = "Failed to execute goal x\n/home/x/A.java:[3,5] package sun.misc does not exist\nmore";
        let old = "Source option 5 is no longer supported.";
        let tried = [attempt("25.0.1", old), attempt("21.0.2", old), attempt("17.0.15", goal)];
        assert_eq!(
            explained(4, &tried),
            "the newest of 4 that builds it; 25.0.1, 21.0.2: Source option 5 is no longer supported.; \
             17.0.15: A.java:[3,5] package sun.misc does not exist"
        );
    }

    /// How many of 576 tests fail on which JDK, what is tried in which order, and why the choice is what it is. `None`: it does
    /// not build.
    fn chosen(failing: &[(&str, Option<usize>)], seconds: u64) -> (Vec<String>, String, String) {
        let found: Vec<Jdk> = failing.iter().map(|(version, _)| jdk(version)).collect();
        let now = std::cell::Cell::new(Duration::ZERO);
        let elapsed = || now.get();
        let mut order = Vec::new();
        let mut bench = JdkSearch { name: "shop", progress: &crate::subject::Silent, elapsed: &elapsed };
        let ended = bench.search(&found, |jdk| {
            let took = if order.is_empty() { 10 } else { seconds };
            now.set(now.get() + Duration::from_secs(took));
            order.push(jdk.version.to_string());
            let of = failing.iter().find(|(version, _)| *version == jdk.version.to_string()).unwrap().1;
            Ok(match of {
                None => {
                    JdkAttempt::Failed { reason: "no symbol".to_owned(), log: PathBuf::new(), whatever_the_jdk: false }
                }
                Some(failing) => {
                    let suite = SuiteResult { tests: 576, passed: 576 - failing, failing };
                    JdkAttempt::Ready(jdk.version.to_string(), Some(suite))
                }
            })
        });
        let Found::Ready { prepared, jdk, why, .. } = ended.unwrap() else { panic!("none builds") };
        assert_eq!(prepared, jdk.version.to_string(), "what is handed over is what was chosen");
        (order, prepared, why)
    }

    #[test]
    fn a_jdk_is_chosen_by_what_passes() {
        let (order, version, why) = chosen(&[("21", Some(12)), ("17", Some(0)), ("11", Some(0))], 10);
        assert_eq!((order, version.as_str()), (vec!["21".to_owned(), "17".to_owned()], "17"));
        assert!(why.ends_with("; 12 of 576 tests fail on 21, none on 17"), "{why}");
        assert!(why.contains("that builds it"), "reports show a choice that has this in it: {why}");
        let (order, version, why) = chosen(&[("21", Some(0)), ("17", Some(0))], 10);
        assert_eq!((order.len(), version.as_str(), why.as_str()), (1, "21", "the newest of 2"));
    }

    #[test]
    fn where_the_next_older_one_is_no_better_the_oldest_is_tried() {
        let all = [("25", Some(34)), ("21", Some(34)), ("17", Some(34)), ("11", Some(34)), ("8", Some(0))];
        let (order, version, why) = chosen(&all, 10);
        assert_eq!((order, version.as_str()), (["25", "21", "8"].map(str::to_owned).to_vec(), "8"));
        assert!(why.ends_with("; 34 of 576 tests fail on 25, 34 of 576 tests on 21, none on 8"), "{why}");
    }

    #[test]
    fn where_none_is_better_the_newest_is_built_again() {
        let (order, version, why) = chosen(&[("21", Some(5)), ("17", Some(5)), ("11", Some(7)), ("8", Some(9))], 10);
        assert_eq!((order, version.as_str()), (["21", "17", "8", "21"].map(str::to_owned).to_vec(), "21"));
        assert!(why.starts_with("the newest of 4; 5 of 576 tests fail on 21"), "{why}");
    }

    #[test]
    fn older_ones_are_tried_within_reason() {
        let all = [("21", Some(5)), ("17", Some(4)), ("11", Some(3)), ("8", Some(0))];
        let (order, version, _) = chosen(&all, 10);
        assert_eq!((order.len(), version.as_str()), (3, "11"), "two further ones");
        let (order, version, _) = chosen(&all, 1000);
        assert_eq!((order.len(), version.as_str()), (2, "17"), "time is bounded by what the first one took");
        let (order, version, why) = chosen(&[("25", None), ("21", Some(5)), ("17", None), ("8", Some(0))], 10);
        assert_eq!((order, version.as_str()), (["25", "21", "17", "8"].map(str::to_owned).to_vec(), "8"), "{why}");
    }

    #[test]
    fn when_none_builds_it_the_newest_ones_reason_comes_first() {
        let chosen = failed(vec![attempt("25", "no symbol"), attempt("17", "no symbol"), attempt("8", "no records")]);
        let BuildOutcome::Failed { reason, .. } = chosen.outcome else { panic!("it failed") };
        assert_eq!(reason, "no symbol\nnone of the tried JDKs builds it: 25, 17: no symbol; 8: no records");
        assert_eq!(chosen.attempts.len(), 2);
    }

    #[test]
    fn long_reasons_are_cut() {
        assert_eq!(brief(&"ä".repeat(1000)).chars().count(), BRIEF + 1);
        assert_eq!(brief(""), "");
    }

    #[test]
    fn a_jdk_is_chosen_again_when_something_changed_that_the_choice_depends_on() {
        let jdks = [jdk("17"), jdk("8")];
        let key = |subject: &Subject| choice_key(subject, "abc", "3.9.11", &jdks).unwrap();
        assert_key_follows(key, &[Dependents::Build], &[]);
        let subject = fingerprint_tests::subject();
        assert_ne!(choice_key(&subject, "abd", "3.9.11", &jdks).unwrap(), key(&subject));
        assert_ne!(choice_key(&subject, "abc", "3.9.12", &jdks).unwrap(), key(&subject));
        assert_ne!(choice_key(&subject, "abc", "3.9.11", &jdks[..1]).unwrap(), key(&subject));
    }
}
