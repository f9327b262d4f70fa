//! Files of a subject that runs as another user: its worktree and a Maven repository of that user's own are handed over,
//! and what it only reads has to be within its reach.

use std::path::{Path, PathBuf};

use miette::miette;

use super::Toolchain;
use crate::home::Home;
use crate::process::Account;

/// The Maven repository of whoever builds: parade's, or one that the user can write.
pub(super) fn repository(home: &Home, user: Option<&Account>) -> miette::Result<PathBuf> {
    let Some(user) = user else { return Ok(home.maven_repository()) };
    let folder = home.maven_repository_of(&user.name);
    std::fs::create_dir_all(&folder)
        .and_then(|()| user.take_over(&folder))
        .map_err(|error| miette!("{} cannot be given to {}: {error}", folder.display(), user.name))?;
    Ok(folder)
}

/// A worktree that somebody else made.
pub(super) fn hand_over(worktree: &Path, user: Option<&Account>) -> miette::Result<()> {
    let Some(user) = user else { return Ok(()) };
    user.take_over_all(worktree)
        .map_err(|error| miette!("{} cannot be given to {}: {error}", worktree.display(), user.name))
}

/// Can the user get to the cache and to the tools?
pub(super) fn check_reach(home: &Home, toolchain: &Toolchain, user: Option<&Account>) -> miette::Result<()> {
    let Some(user) = user else { return Ok(()) };
    check_open(user, home.root(), "set PARADE_HOME to a folder that everyone may enter")?;
    let install = "use one that is installed for everyone";
    check_open(user, &toolchain.java_home, install)?;
    check_open(user, &toolchain.mvn, install)
}

/// An error names the folder on the way that the user may not enter.
pub fn check_open(user: &Account, path: &Path, help: &str) -> miette::Result<()> {
    match user.closed_to(path) {
        None => Ok(()),
        Some(closed) => Err(miette!(
            help = help.to_owned(),
            "the user {} cannot get to {}, as {} is closed to it",
            user.name,
            path.display(),
            closed.display()
        )),
    }
}
