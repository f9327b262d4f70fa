//! snapshot
use std::path::{Path, PathBuf};

use miette::{Result, miette};

/// The state of a worktree right after its build.
#[derive(Debug)]
pub struct Snapshot {}

/// What a run had changed in the worktree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// Files that differed in `target` folders next to a pom.
    pub in_build_folders: usize,
    /// Files that differed anywhere else: relative, sorted, at most [`Changes::MAX_LISTED`] of them.
    pub elsewhere: Vec<PathBuf>,
}

impl Changes {
    pub const MAX_LISTED: usize = 100;
}

impl Snapshot {
    /// Copies the worktree at `root` into `store`.
    pub fn take(_root: &Path, _store: &Path) -> Result<Self> {
        Err(miette!("not yet"))
    }

    /// The snapshot that is complete in `store`, if there is one.
    pub fn open(_store: &Path) -> Result<Option<Self>> {
        Err(miette!("not yet"))
    }

    /// Makes the worktree what it was, and says what had changed.
    pub fn restore(&self) -> Result<Changes> {
        Err(miette!("not yet"))
    }
}
