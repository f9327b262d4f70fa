//! Where a subject comes from: a repository brought to a commit or a folder as it stands, in a clean worktree; the state
//! after its build, kept and restored before every run; the Java tools that build it.
//!
//! Nothing here draws, prints or asks. The caller hears of progress through [`Progress`] and can stop the work.

pub(crate) mod address;
pub mod build;
mod built;
mod cache;
pub mod changes;
mod choice;
mod cleaning;
mod credentials;
mod export;
mod file_state;
mod folder;
pub mod generated;
mod history;
mod identity;
pub(crate) mod jdks;
mod lock;
mod network;
mod ownership;
pub mod project;
pub mod reactor;
mod revision;
mod sealed_repository;
mod snapshot;
mod source;
#[cfg(test)]
mod test_repository;
mod toolchain;
mod transfer;
mod worktree;
mod wrapper;

pub use built::{BuildOrder, Built};
pub use choice::{Attempt, Chosen, Pin, prepare as prepare_on_some_jdk};
pub use cleaning::{CacheEntry, CacheKind, CleaningWish, cache_entries, free};
pub use export::{copy_folder, export_commit, is_local_address, kept, local_repository, revision_of_file};
pub use folder::REPORTS_LIST;
pub use history::{Candidate, committed_at, earlier_commits};
pub use identity::ProjectIdentity;
pub use jdks::{Jdk, JdkWish, Jdks, MavenJdk, Version, asked_jdk, jdks, maven_jdk};
pub use network::Network;
pub use ownership::check_open;
pub use sealed_repository::SealedRepository;
pub use snapshot::{Changes, Snapshot};
pub use source::{Sources, checkout, resolve};
pub use toolchain::{MavenOrigin, Toolchain, Tools, maven_at, toolchain, tools, tools_with};
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
