//! A folder that is written beside its place and appears there when it is whole. Nothing is overwritten, and what a killed
//! parade left of its own draft is removed by the next one.

use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use miette::miette;
use tempfile::TempDir;

use crate::bad_usage::BadUsage;
use crate::folder_handle;
use crate::process::Account;

/// Between making a draft and locking it passes far less.
const YOUNGEST_LEFTOVER: Duration = Duration::from_secs(2);

/// A folder under a name of its own, locked as long as it is written.
pub struct Draft {
    dir: TempDir,
    out: PathBuf,
    _lock: File,
}

impl Draft {
    /// For a folder at `out`. Drafts of the same purpose begin with the same prefix.
    pub fn of(out: &Path, prefix: &str) -> miette::Result<Self> {
        let failed = |error: std::io::Error| miette!("{} could not be made: {error}", out.display());
        let parent = out.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs::create_dir_all(parent).map_err(failed)?;
        remove_leftovers(parent, prefix);
        let dir = tempfile::Builder::new().prefix(prefix).tempdir_in(parent).map_err(failed)?;
        let lock = File::open(dir.path()).map_err(failed)?;
        // Some file systems know no locks; there, leftovers stay.
        let _ = lock.try_lock();
        Ok(Draft { dir, out: out.to_owned(), _lock: lock })
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Puts it at its place. Temporary folders are private to their owner; what is published is not.
    pub fn publish(self) -> miette::Result<()> {
        let failed = |error: std::io::Error| miette!("{} could not be made: {error}", self.out.display());
        fs::set_permissions(self.dir.path(), fs::Permissions::from_mode(0o755)).map_err(failed)?;
        fs::rename(self.dir.path(), &self.out).map_err(failed)?;
        // It is no draft any more: nothing is left to be removed.
        let _ = self.dir.keep();
        Ok(())
    }
}

/// A folder for the time being, which others may enter but not write. It is gone when this is dropped; what a killed parade
/// left is removed by the next one.
#[derive(Debug)]
pub struct ScratchFolder {
    path: PathBuf,
    _lock: File,
}

impl ScratchFolder {
    const PREFIX: &str = "scratch-";

    /// Below a folder that only parade can write.
    pub fn make_in(parent: &Path) -> miette::Result<Self> {
        let failed = |error: std::io::Error| miette!("no folder can be made in {}: {error}", parent.display());
        fs::create_dir_all(parent).map_err(failed)?;
        remove_leftovers(parent, Self::PREFIX);
        let dir = tempfile::Builder::new().prefix(Self::PREFIX).tempdir_in(parent).map_err(failed)?;
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o711)).map_err(failed)?;
        let lock = File::open(dir.path()).map_err(failed)?;
        let _ = lock.try_lock();
        Ok(ScratchFolder { path: dir.keep(), _lock: lock })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A folder in it that a user owns, or parade itself.
    pub fn folder_for(&self, name: &str, user: Option<&Account>) -> std::io::Result<PathBuf> {
        let path = self.path.join(name);
        fs::create_dir(&path)?;
        user.map_or(Ok(()), |user| user.take_over(&path))?;
        Ok(path)
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        if let Err(error) = folder_handle::remove_all(&self.path) {
            tracing::debug!(
                "{} could not be removed now; the next parade will remove it: \
                {error}",
                self.path.display()
            );
        }
    }
}

/// Is the place free?
pub fn check_free(out: &Path) -> Result<(), BadUsage> {
    let is_empty = |dir: &Path| fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_none());
    if out.symlink_metadata().is_err() || is_empty(out) {
        return Ok(());
    }
    Err(BadUsage {
        message: format!("{} already exists, and parade does not overwrite it", out.display()),
        help: "name a folder that does not exist with --out".to_owned(),
    })
}

/// A run's folder holds that run alone. `run` is a path without links.
pub fn check_outside(out: &Path, run: &Path) -> Result<(), BadUsage> {
    let out = std::path::absolute(out).unwrap_or_else(|_| out.to_owned());
    let there = out.ancestors().find_map(|ancestor| ancestor.canonicalize().ok());
    if there.is_some_and(|there| there.starts_with(run)) {
        return Err(BadUsage {
            message: format!("{} is inside the run folder {}, which parade only reads", out.display(), run.display()),
            help: "name a folder outside of it with --out".to_owned(),
        });
    }
    Ok(())
}

/// Nothing but folders of this user under our names that no parade has locked.
fn remove_leftovers(parent: &Path, prefix: &str) {
    let names = fs::read_dir(parent).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let is_ours = |name: &str| {
        let rest = name.strip_prefix(prefix);
        rest.is_some_and(|rest| rest.len() == 6 && rest.chars().all(|c| c.is_ascii_alphanumeric()))
    };
    for name in names.filter(|name| name.to_str().is_some_and(is_ours)) {
        let leftover = parent.join(name);
        if is_abandoned(&leftover) && folder_handle::remove_all(&leftover).is_err() {
            tracing::warn!("{} was left by an earlier parade and could not be removed", leftover.display());
        }
    }
}

fn is_abandoned(dir: &Path) -> bool {
    let Ok(metadata) = dir.symlink_metadata() else { return false };
    let is_mine = metadata.is_dir() && metadata.uid() == rustix::process::geteuid().as_raw();
    let age = metadata.modified().ok().and_then(|time| time.elapsed().ok());
    let is_old = age.is_some_and(|age| age >= YOUNGEST_LEFTOVER);
    is_mine && is_old && File::open(dir).is_ok_and(|file| file.try_lock().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_parade_left_is_removed_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let in_use = Draft::of(&dir.path().join("other"), ".parade-x-").unwrap();
        for name in [".parade-x-abc123", ".parade-x-mine", ".parade-y-abc123"] {
            fs::create_dir(dir.path().join(name)).unwrap();
        }
        let long_ago = std::time::SystemTime::now() - Duration::from_secs(60);
        for entry in fs::read_dir(dir.path()).unwrap() {
            File::open(entry.unwrap().path()).unwrap().set_modified(long_ago).unwrap();
        }
        let draft = Draft::of(&dir.path().join("out"), ".parade-x-").unwrap();
        draft.publish().unwrap();
        assert!(!dir.path().join(".parade-x-abc123").exists());
        assert!(in_use.path().exists() && dir.path().join("out").is_dir());
        assert!(dir.path().join(".parade-x-mine").exists() && dir.path().join(".parade-y-abc123").exists());
    }

    #[test]
    fn a_run_is_no_place_for_anything_else() {
        let dir = tempfile::tempdir().unwrap();
        let run = dir.path().canonicalize().unwrap();
        assert!(check_outside(&run.join("a/b"), &run).is_err());
        assert!(check_outside(&run.join("../elsewhere"), &run).is_ok());
        assert!(check_free(&run).is_ok() && check_free(&run.join("none")).is_ok());
        fs::write(run.join("file"), "").unwrap();
        assert!(check_free(&run).is_err());
    }
}
