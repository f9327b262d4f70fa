//! Versions that an experiment only gives a number of: the commits before a subject's own that touch its Java files, build and
//! pass. Sought before a run begins, and pinned in its folder.
//!
//! What a version is for is not known here.

mod examine;

use std::path::Path;

use crate::experiment::Experiment;
use crate::home::Home;
use crate::process::Interrupt;
use crate::spec::Subject;
use crate::store;
use crate::store::record::{CommitRecord, HistoryRecord, PassedOver};
use crate::subject::{Candidate, earlier_commits};
use crate::wording::counted;

use super::{Event, Watcher, folder_of};
use examine::{Examination, Examined};

/// After so many commits in a row that are none, older ones will hardly be.
const HOPELESS: usize = 25;
/// Of a hash that people read.
const SHORT: usize = 10;

/// Whose versions are to be found.
pub struct Wish<'a> {
    pub experiment: &'a Experiment,
    pub results: &'a Path,
    pub quick: bool,
    pub fresh: bool,
    /// By name as the file has it: those that have no part in the run are left as they are.
    pub wanted: &'a dyn Fn(&str) -> bool,
}

/// An experiment whose versions are known.
#[derive(Debug)]
pub struct Settled {
    pub experiment: Experiment,
    /// What was found, to be pinned.
    pub histories: Vec<HistoryRecord>,
}

/// `None` when the user interrupted. What a run has pinned already stays.
pub fn settle(
    wish: &Wish<'_>,
    home: &Home,
    interrupt: &Interrupt,
    watcher: &mut dyn Watcher,
) -> miette::Result<Option<Settled>> {
    let mut settled = Settled { experiment: wish.experiment.clone(), histories: Vec::new() };
    let sought: Vec<&Subject> = wish
        .experiment
        .subjects
        .iter()
        .filter(|subject| subject.earlier.is_some() && (wish.wanted)(&subject.name))
        .collect();
    if sought.is_empty() {
        return Ok(Some(settled));
    }
    let pinned = pinned(wish)?;
    for subject in sought {
        let asked = asked_for(subject);
        let known = pinned.iter().find(|known| known.subject == subject.name && known.asked == asked);
        let history = match known {
            Some(known) => known.clone(),
            None => {
                let examination = Examination { experiment: wish.experiment, subject, home, interrupt };
                let Some(found) = search(&examination, asked, watcher)? else { return Ok(None) };
                found
            }
        };
        let commits: Vec<String> = history.earlier.iter().map(|commit| commit.revision.clone()).collect();
        settled.experiment = settled.experiment.with_versions(&subject.name, &commits);
        settled.histories.push(history);
    }
    Ok(Some(settled))
}

/// Of the run that would go on.
fn pinned(wish: &Wish<'_>) -> miette::Result<Vec<HistoryRecord>> {
    if wish.fresh {
        return Ok(Vec::new());
    }
    let located = store::locate(wish.results, &folder_of(wish.experiment, wish.quick))?;
    located.latest.map_or(Ok(Vec::new()), |folder| folder.histories())
}

/// Of what the file asks for, the same on every machine.
pub fn asked_for(subject: &Subject) -> String {
    let mut asked = subject.fingerprint().of_outcomes("earlier versions");
    asked.number("timeout", subject.timeout.as_secs());
    asked.number("earlier", subject.earlier.unwrap_or_default().into());
    asked.digits(16)
}

/// Goes back through the history until there are enough.
fn search(
    examination: &Examination<'_>,
    asked: String,
    watcher: &mut dyn Watcher,
) -> miette::Result<Option<HistoryRecord>> {
    let subject = examination.subject;
    let wanted = subject.earlier.unwrap_or_default() as usize;
    let mut history =
        HistoryRecord { subject: subject.name.clone(), asked, earlier: Vec::new(), passed_over: Vec::new() };
    let Some(newest) = examination.newest(watcher)? else { return Ok(None) };
    // What cannot be prepared says so when the run comes to it.
    let Some(newest) = newest else { return Ok(Some(history)) };
    let mut in_vain = 0;
    for candidate in earlier_commits(&newest.checkout, subject.folders())? {
        if history.earlier.len() == wanted || in_vain == HOPELESS {
            break;
        }
        tell(&candidate, &history, wanted, subject, watcher);
        let Some(examined) = examination.of(&candidate.revision, watcher)? else { return Ok(None) };
        match examined.refusal(&newest.failing) {
            None => {
                in_vain = 0;
                let Candidate { revision, committed_at } = candidate;
                history.earlier.push(CommitRecord { revision, committed_at });
            }
            Some(reason) => {
                in_vain += 1;
                let short = short(&candidate.revision);
                watcher.event(&Event::Note(format!("  – {}: {short} does not qualify: {reason}", subject.name)));
                history.passed_over.push(PassedOver { revision: candidate.revision, reason });
            }
        }
    }
    history.earlier.reverse();
    let found = counted(history.earlier.len(), "earlier version", "earlier versions");
    let over = counted(history.passed_over.len(), "commit was", "commits were");
    watcher.event(&Event::Note(format!(
        "  ✓ {}: {found} of up to {wanted} versions; {over} did not \
        qualify",
        subject.name
    )));
    Ok(Some(history))
}

fn tell(candidate: &Candidate, history: &HistoryRecord, wanted: usize, subject: &Subject, watcher: &mut dyn Watcher) {
    let day = candidate.committed_at.map(|time| format!(" of {}", time.strftime("%Y-%m-%d"))).unwrap_or_default();
    let number = history.earlier.len() + 1;
    let commit = short(&candidate.revision);
    let text = format!("{}: earlier version {number} of up to {wanted}: looking at {commit}{day}", subject.name);
    watcher.event(&Event::Stage { text: &text });
}

fn short(revision: &str) -> &str {
    revision.get(..SHORT).unwrap_or(revision)
}

impl Examined {
    /// Why it is no version, if so. What fails on the newest one too is nothing that came with this commit.
    fn refusal(&self, failing_on_newest: &[crate::suite::TestId]) -> Option<String> {
        if let Some(why) = &self.failure {
            return Some(why.clone());
        }
        let own: Vec<_> = self.failing.iter().filter(|test| !failing_on_newest.contains(test)).collect();
        let first = own.first()?;
        let more = if own.len() > 1 { format!(" and {} more", own.len() - 1) } else { String::new() };
        Some(format!("`{first}`{more} did not pass in a sequential run"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::fingerprint_tests::{Dependents, assert_key_follows, subject};

    #[test]
    fn what_fails_on_the_newest_version_is_no_reason() {
        let id = |name: &str| crate::suite::TestId::new("", "C", name, 1);
        let examined =
            |failing: &[&str]| Examined { failure: None, failing: failing.iter().map(|name| id(name)).collect() };
        assert_eq!(examined(&[]).refusal(&[]), None);
        assert_eq!(examined(&["a"]).refusal(&[id("a")]), None);
        let reason = examined(&["a", "b", "c"]).refusal(&[id("b")]).unwrap();
        assert!(reason.contains("`C#a` and 1 more"), "{reason}");
        let unbuilt = Examined { failure: Some("does not compile".to_owned()), failing: vec![] };
        assert_eq!(unbuilt.refusal(&[]).unwrap(), "does not compile");
    }

    #[test]
    fn a_search_is_made_again_when_something_changed_that_its_result_depends_on() {
        assert_key_follows(asked_for, &[Dependents::Build, Dependents::Outcomes], &["earlier"]);
        let jdks = ["17".to_owned()];
        let key = |subject: &Subject| examine::examination_key(subject, "abc", &jdks, None);
        assert_key_follows(key, &[Dependents::Build], &["source", "jdk"]);
        let plain = subject();
        assert_ne!(examine::examination_key(&plain, "abd", &jdks, None), key(&plain));
        assert_ne!(examine::examination_key(&plain, "abc", &[], None), key(&plain));
        assert_ne!(examine::examination_key(&plain, "abc", &jdks, Some(1)), key(&plain));
    }
}
