//! Where a subject comes from: a repository brought to a commit or a folder as it stands, in a clean worktree; the state
//! after its build, kept and restored before every run; the Java tools that build it.
//!
//! Nothing here draws, prints or asks. The caller hears of progress through [`Progress`] and can stop the work.

pub mod address;
mod bounds;
mod cache;
mod cleaning;
mod cleanliness;
mod credentials;
mod export;
pub mod file_state;
mod folder;
mod history;
mod lock;
mod network;
mod ownership;
mod revision;
pub mod snapshot;
mod source;
#[cfg(any(test, feature = "testing"))]
pub mod test_repository;
mod transfer;
mod worktree;

pub use bounds::{Bounds, NotCopied};
pub use cleaning::{CacheEntry, CacheKind, CleaningWish, cache_entries, free};
pub use cleanliness::Cleanliness;
pub use credentials::git_author;
pub use export::{copy_folder, export_commit, is_local_address, kept, local_repository, revision_of_file};
pub use folder::REPORTS_LIST;
pub use history::{Candidate, committed_at, earlier_commits};
pub use network::Network;
pub use ownership::{check_open, hand_over};
pub use snapshot::{Changes, Snapshot};
pub use source::{Sources, checkout, resolve};
pub use worktree::forget_others;

use std::path::PathBuf;

/// A clean worktree of a subject at one revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkout {
    /// The worktree.
    pub root: PathBuf,
    /// The full commit hash, or `content-` and the beginning of a SHA-256 for a folder.
    pub revision: String,
}

/// How far the work is, for a caller that draws a bar.
pub trait Progress {
    /// A new stage begins, e.g. `cloning https://…`.
    fn stage(&self, text: &str);
    /// Of the current stage; `total` is zero while it is not known.
    fn at(&self, done: u64, total: u64);
}

/// For callers that show nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn stage(&self, _: &str) {}
    fn at(&self, _: u64, _: u64) {}
}
