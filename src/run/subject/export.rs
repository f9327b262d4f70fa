//! Subjects taken elsewhere: the content of a folder, and the files of a commit, without any history.

use std::path::{Path, PathBuf};

use git2::Repository;
use git2::build::CheckoutBuilder;
use miette::{Result, miette};

use super::address::{folder_name, is_local, local_path};
use super::{Silent, folder, worktree};
use crate::file_error::file_error;
use crate::home::Home;

/// Is it a path or a `file://` url?
pub fn is_local_address(url: &str) -> bool {
    is_local(url)
}

/// The path of a repository on this machine.
pub fn local_repository(url: &str) -> Option<PathBuf> {
    local_path(url)
}

/// Copies a folder as it is copied for a run, and gives the revision of what was copied.
pub fn copy_folder(from: &Path, to: &Path) -> Result<String> {
    folder::copy(from, to, &Silent, &|| false)
}

/// The revision of a single file.
pub fn revision_of_file(path: &Path) -> Result<String> {
    folder::revision_of_file(path)
}

/// Writes the files of a commit into a folder; submodules stay empty.
pub fn export_commit(repository: &Path, revision: &str, to: &Path) -> Result<()> {
    let failed =
        |error: git2::Error| miette!("{} at {revision} could not be copied: {}", repository.display(), error.message());
    std::fs::create_dir_all(to)
        .map_err(|error| file_error(format_args!("{} could not be made", to.display()), &error))?;
    let repository = Repository::open(repository).map_err(failed)?;
    let commit = repository.revparse_single(revision).map_err(failed)?;
    let mut options = CheckoutBuilder::new();
    options.force().target_dir(to).update_index(false);
    repository.checkout_tree(&commit, Some(&mut options)).map_err(failed)
}

/// Where the clone and the built worktree of a subject are kept, whether they are there or not.
pub fn kept(subject: &str, url: Option<&str>, revision: &str, home: &Home) -> (Option<PathBuf>, PathBuf) {
    let clone = url.map(|url| home.repositories().join(format!("{}.git", folder_name(&super::address::absolute(url)))));
    (clone, home.worktrees().join(worktree::place_name(subject, revision)))
}
