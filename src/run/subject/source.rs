//! From an origin to a pinned revision, and from there to a clean worktree.

use miette::{Result, miette};

use super::cache::Cache;
use super::network::Network;
use super::{Checkout, Progress, folder, revision, worktree};
use crate::home::Home;
use crate::redaction::redact;
use crate::spec::{Origin, Subject};

/// Pins an origin: the full hash of the commit that its revision names now, or the hash of a folder's content.
pub fn resolve(origin: &Origin, home: &Home, progress: &dyn Progress, interrupt: &dyn Fn() -> bool) -> Result<String> {
    Sources { home, network: Network::from_environment()?, progress, interrupt }.resolve(origin)
}

/// The worktree of a subject at a revision that [`resolve`] gave. It is as the revision has it, unless a
/// [`super::Snapshot`] of its build is kept beside it: then it is left as it is, for the snapshot to restore.
pub fn checkout(
    subject: &Subject,
    revision: &str,
    home: &Home,
    progress: &dyn Progress,
    interrupt: &dyn Fn() -> bool,
) -> Result<Checkout> {
    Sources { home, network: Network::from_environment()?, progress, interrupt }.checkout(subject, revision)
}

/// What fetching needs: where to keep things, how patient to be, whom to tell, when to stop.
pub struct Sources<'a> {
    pub home: &'a Home,
    pub network: Network,
    pub progress: &'a dyn Progress,
    pub interrupt: &'a dyn Fn() -> bool,
}

impl Sources<'_> {
    /// See [`resolve`].
    pub fn resolve(&self, origin: &Origin) -> Result<String> {
        self.network.prepare_libgit2();
        match origin {
            Origin::Git { url, revision } => self.resolve_git(url, revision),
            Origin::Folder { path } => folder::revision_of(path, self.progress, self.interrupt),
            Origin::Model { path } => folder::revision_of_file(path),
        }
    }

    /// See [`checkout`].
    pub fn checkout(&self, subject: &Subject, revision: &str) -> Result<Checkout> {
        self.network.prepare_libgit2();
        worktree::prepare(self, subject, revision)
    }

    fn resolve_git(&self, url: &str, wanted: &str) -> Result<String> {
        let mut cache = Cache::open(self, url)?;
        let repository = cache.repository()?;
        if let Some(commit) = revision::settled(&repository, wanted) {
            return Ok(commit.to_string());
        }
        cache.refresh().map_err(|error| with_last_known(error, &repository, url, wanted))?;
        if let Some(commit) = revision::find(&cache.repository()?, url, wanted)? {
            return Ok(commit.to_string());
        }
        let Some(full) = revision::as_full_hash(wanted) else {
            return Err(revision::missing(&cache.repository()?, url, wanted));
        };
        cache.ask_for(full)?;
        let repository = cache.repository()?;
        let commit = revision::settled(&repository, wanted);
        commit.map(|commit| commit.to_string()).ok_or_else(|| revision::missing(&repository, url, wanted))
    }

    pub(super) fn stop_if_interrupted(&self) -> Result<()> {
        if (self.interrupt)() { Err(miette!("interrupted")) } else { Ok(()) }
    }
}

/// A branch cannot be trusted without its origin, but its last known commit can be pinned.
fn with_last_known(error: miette::Report, repository: &git2::Repository, url: &str, wanted: &str) -> miette::Report {
    match revision::find(repository, url, wanted) {
        Ok(Some(commit)) => {
            let help = format!("without network access, use the commit that was last seen there: {commit}");
            miette!(help = help, "cannot look up {wanted:?} in {}: {error}", redact(url))
        }
        _ => error,
    }
}
