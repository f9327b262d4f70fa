//! Files of a subject that runs as another user: its worktree is handed over, and what it only reads has to be within its reach.

use std::path::Path;

use miette::miette;

use crate::process::Account;

/// A worktree that somebody else made.
pub fn hand_over(worktree: &Path, user: Option<&Account>) -> miette::Result<()> {
    let Some(user) = user else { return Ok(()) };
    user.take_over_all(worktree)
        .map_err(|error| miette!("the owner of {} cannot be changed to {}: {error}", worktree.display(), user.name))
}

/// An error names the folder on the way that the user may not enter.
pub fn check_open(user: &Account, path: &Path, help: &str) -> miette::Result<()> {
    match user.closed_to(path) {
        None => Ok(()),
        Some(closed) => Err(miette!(
            help = help.to_owned(),
            "the user {} cannot access {}, because {} does not allow it",
            user.name,
            path.display(),
            closed.display()
        )),
    }
}
