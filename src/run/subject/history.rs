//! The history that a worktree stands at the end of: commits before it, and when they were made. It checks nothing out.

use std::path::{Path, PathBuf};

use git2::{Commit, Delta, DiffDelta, DiffOptions, Oid, Repository};
use miette::{Result, miette};

use super::Checkout;

/// A commit that may be a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The full hash.
    pub revision: String,
    pub committed_at: Option<jiff::Timestamp>,
}

/// When the commit of a worktree was made; a folder as it stands has none.
pub fn committed_at(checkout: &Checkout) -> Option<jiff::Timestamp> {
    let repository = Repository::open(&checkout.root).ok()?;
    let commit = repository.find_commit(Oid::from_str(&checkout.revision).ok()?).ok()?;
    time_of(&commit)
}

fn time_of(commit: &Commit<'_>) -> Option<jiff::Timestamp> {
    jiff::Timestamp::from_second(commit.time().seconds()).ok()
}

/// The commits before a worktree's own, newest first, along first parents, that touch Java files below one of these folders; of
/// the whole repository where there is none. Looked up as they are asked for: histories are long.
pub fn earlier_commits(checkout: &Checkout, below: Vec<PathBuf>) -> Result<EarlierCommits> {
    let failed =
        |error: git2::Error| miette!("the history of {} cannot be read: {}", checkout.root.display(), error.message());
    let repository = Repository::open(&checkout.root).map_err(failed)?;
    let newest = Oid::from_str(&checkout.revision).map_err(failed)?;
    let next = repository.find_commit(newest).map_err(failed)?.parent_id(0).ok();
    Ok(EarlierCommits { repository, next, below })
}

pub struct EarlierCommits {
    repository: Repository,
    next: Option<Oid>,
    below: Vec<PathBuf>,
}

impl Iterator for EarlierCommits {
    type Item = Candidate;

    fn next(&mut self) -> Option<Candidate> {
        loop {
            // Where a shallow clone ends, a parent is not there: then so does the walk.
            let commit = self.repository.find_commit(self.next?).ok()?;
            self.next = commit.parent_id(0).ok();
            if touches_java(&self.repository, &commit, &self.below).unwrap_or(false) {
                return Some(Candidate { revision: commit.id().to_string(), committed_at: time_of(&commit) });
            }
        }
    }
}

fn touches_java(repository: &Repository, commit: &Commit<'_>, below: &[PathBuf]) -> Result<bool, git2::Error> {
    let before = commit.parent(0).ok().map(|parent| parent.tree()).transpose()?;
    let mut options = DiffOptions::new();
    options.skip_binary_check(true).ignore_submodules(true);
    for folder in below {
        options.pathspec(folder);
    }
    let diff = repository.diff_tree_to_tree(before.as_ref(), Some(&commit.tree()?), Some(&mut options))?;
    Ok(diff.deltas().any(|delta| is_java(&delta)))
}

fn is_java(delta: &DiffDelta<'_>) -> bool {
    let java = |path: Option<&Path>| path.and_then(Path::extension).is_some_and(|extension| extension == "java");
    delta.status() != Delta::Unmodified && (java(delta.new_file().path()) || java(delta.old_file().path()))
}

#[cfg(test)]
mod tests {
    use super::super::test_repository::TestRepository;
    use super::*;

    fn found(repository: &TestRepository, newest: Oid, below: &[&str]) -> Vec<Oid> {
        let checkout = Checkout { root: repository.git.path().to_owned(), revision: newest.to_string() };
        let below: Vec<PathBuf> = below.iter().map(PathBuf::from).collect();
        let candidates = earlier_commits(&checkout, below).unwrap();
        candidates.map(|candidate| Oid::from_str(&candidate.revision).unwrap()).collect()
    }

    #[test]
    fn only_commits_that_touch_java_files_of_the_module_count() {
        let repository = TestRepository::create();
        let first = repository.commit(&[("core/A.java", "1"), ("web/B.java", "1")]);
        let web = repository.commit(&[("web/B.java", "2")]);
        repository.commit(&[("core/notes.txt", "x")]);
        let core = repository.commit(&[("core/A.java", "2")]);
        let newest = repository.commit(&[("web/B.java", "3"), ("core/C.java", "1")]);
        assert_eq!(found(&repository, newest, &["core"]), [core, first]);
        assert_eq!(found(&repository, newest, &[]), [core, web, first]);
        assert_eq!(found(&repository, first, &[]), []);
        let checkout = Checkout { root: repository.git.path().to_owned(), revision: newest.to_string() };
        assert!(committed_at(&checkout).is_some());
    }
}
