//! The bare clone of a url: made once, refreshed when asked, shared by every subject and parade on the machine. A clone
//! appears under its name only when it is whole.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use git2::{Error, ErrorClass, Oid, Repository};
use miette::{Result, miette};

use super::address::{absolute, folder_name, local_path};
use super::lock::Hold;
use super::source::Sources;
use super::transfer::{Failure, Wanted, fetch};
use crate::file_error::file_error;
use crate::redaction::redact;

/// Clones can be of private repositories. Only those that a subject of another user borrows from are open to others, and nobody
/// can list the folder that they are in.
const PRIVATE: u32 = 0o700;
const OPEN: u32 = 0o755;
const UNLISTED: u32 = 0o711;

pub(super) struct Cache<'a> {
    sources: &'a Sources<'a>,
    url: String,
    path: PathBuf,
    /// Just cloned, so there is nothing newer to fetch.
    fresh: bool,
    _hold: Hold,
}

impl<'a> Cache<'a> {
    /// Locks the clone of a url, and makes it if it is not there.
    pub(super) fn open(sources: &'a Sources<'a>, url: &str) -> Result<Self> {
        let url = absolute(url);
        if url.is_empty() {
            return Err(miette!("the url of a repository is empty"));
        }
        let folder = sources.home.repositories();
        let name = folder_name(&url);
        let what = format!("the clone of {}", redact(&url));
        let hold = Hold::take(&folder.join(format!("{name}.lock")), &what, sources.progress, sources.interrupt)?;
        // A folder that another user shares with parade's stays as it is.
        let _ = set_mode(&folder, UNLISTED);
        let mut cache = Cache { sources, url, path: folder.join(format!("{name}.git")), fresh: false, _hold: hold };
        cache.sweep(&folder, &name)?;
        if cache.repository().is_err() {
            cache.clone_anew(&folder, &name)?;
        }
        Ok(cache)
    }

    pub(super) fn repository(&self) -> Result<Repository> {
        let opened = self.sources.network.open_bare(&self.path);
        opened.map_err(|error| {
            let help = format!("remove {}; parade creates it again", self.path.display());
            miette!(help = help, "the clone of {} is broken: {}", redact(&self.url), redact(error.message()))
        })
    }

    pub(super) fn objects(&self) -> PathBuf {
        self.path.join("objects")
    }

    /// Lets a subject of another user ask git about its own commit.
    pub(super) fn open_to_others(&self) -> Result<()> {
        set_mode(&self.path, OPEN)
    }

    /// Brings branches and tags up to date, unless they have just been cloned.
    pub(super) fn refresh(&mut self) -> Result<()> {
        if self.fresh {
            return Ok(());
        }
        self.sources.progress.stage(&format!("updating {}", redact(&self.url)));
        self.fetch(&self.path, &Wanted::Everything)?;
        self.fresh = true;
        Ok(())
    }

    /// Asks for a commit that no branch leads to. Whether the origin had it shows when it is looked up.
    pub(super) fn ask_for(&self, commit: Oid) -> Result<()> {
        self.sources.progress.stage(&format!("asking {} for {commit}", redact(&self.url)));
        if let Some(origin) = self.local_origin() {
            // libgit2 gives only what branches and tags lead to, from a local origin.
            return copy_commit(&origin, commit, &self.objects().join("pack")).map_err(|error| {
                miette!("cannot copy {commit} from {}: {}", redact(&self.url), redact(error.message()))
            });
        }
        match fetch(self.sources, &self.url, &self.path, &Wanted::Commit(commit)) {
            Ok(()) => Ok(()),
            Err(Failure::Git(error)) => {
                tracing::debug!("{} does not give {commit}: {}", redact(&self.url), redact(error.message()));
                Ok(())
            }
            Err(failure) => Err(failure.explain(&self.sources.network, &self.url)),
        }
    }

    fn fetch(&self, into: &Path, wanted: &Wanted) -> Result<()> {
        match (fetch(self.sources, &self.url, into, wanted), self.local_origin()) {
            (Err(Failure::Git(error)), Some(origin)) if error.class() == ErrorClass::Odb => {
                // Somewhere in its history an object is missing. What is asked for may be whole all the same.
                tracing::debug!("{} is incomplete: {}", redact(&self.url), redact(error.message()));
                let failed = |error: Error| miette!("cannot read {}: {}", redact(&self.url), redact(error.message()));
                borrow(&origin, into).map_err(failed)?;
            }
            (fetched, _) => fetched.map_err(|failure| failure.explain(&self.sources.network, &self.url))?,
        }
        if let Some(origin) = self.local_origin().filter(Repository::is_shallow) {
            // libgit2 does not hand on where a shallow local clone ends; without it, git finds holes in the history.
            let copied = fs::copy(origin.commondir().join("shallow"), into.join("shallow"));
            copied.map_err(|error| miette!("cannot read where {} ends: {error}", redact(&self.url)))?;
        }
        Ok(())
    }

    /// libgit2's own words for a path without a repository are about protocols.
    fn check_local(&self) -> Result<()> {
        let path = local_path(&self.sources.network.effective_url(&self.url));
        if path.is_none() || self.local_origin().is_some() {
            return Ok(());
        }
        let help = "give the folder that contains .git, or leave the revision out";
        Err(miette!(help = help, "there is no repository at {}", self.sources.network.shown(&self.url)))
    }

    fn local_origin(&self) -> Option<Repository> {
        let path = local_path(&self.sources.network.effective_url(&self.url))?;
        Repository::open(path).ok()
    }

    fn clone_anew(&mut self, folder: &Path, name: &str) -> Result<()> {
        self.sources.progress.stage(&format!("cloning {}", redact(&self.url)));
        self.check_local()?;
        let failed = |error: std::io::Error| file_error(format_args!("cannot write to {}", folder.display()), &error);
        let half = tempfile::Builder::new().prefix(&unfinished_prefix(name)).tempdir_in(folder).map_err(failed)?;
        init(half.path()).map_err(|error| miette!("cannot make {}: {}", half.path().display(), error.message()))?;
        self.fetch(half.path(), &Wanted::Everything)?;
        let former = fs::metadata(&self.path).map(|metadata| metadata.permissions().mode() & 0o777);
        set_mode(half.path(), former.unwrap_or(PRIVATE))?;
        if self.path.exists() {
            fs::remove_dir_all(&self.path).map_err(failed)?;
        }
        fs::rename(half.keep(), &self.path).map_err(failed)?;
        self.fresh = true;
        Ok(())
    }

    /// Removes what a killed parade has left: half a clone, git's own lock files, half a pack. The hold says that
    /// nobody is using them.
    fn sweep(&self, folder: &Path, name: &str) -> Result<()> {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(&unfinished_prefix(name)) {
                fs::remove_dir_all(entry.path())
                    .map_err(|error| file_error(format_args!("{}", entry.path().display()), &error))?;
            }
        }
        sweep_git_leftovers(&self.path.join("refs"));
        sweep_git_leftovers(&self.path.join("objects/pack"));
        for file in ["packed-refs.lock", "config.lock", "HEAD.lock", "shallow.lock"] {
            let _ = fs::remove_file(self.path.join(file));
        }
        Ok(())
    }
}

fn set_mode(folder: &Path, mode: u32) -> Result<()> {
    fs::set_permissions(folder, fs::Permissions::from_mode(mode))
        .map_err(|error| file_error(format_args!("the permissions of {} cannot be changed", folder.display()), &error))
}

fn unfinished_prefix(name: &str) -> String {
    format!(".{name}.unfinished-")
}

/// A leftover that cannot be removed shows itself when git trips over it, with a better message than ours.
fn sweep_git_leftovers(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            sweep_git_leftovers(&entry.path());
        } else if name.ends_with(".lock") || name.starts_with("pack_git2_") {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn init(path: &Path) -> std::result::Result<(), git2::Error> {
    let mut options = git2::RepositoryInitOptions::new();
    options.bare(true).external_template(false);
    let repository = Repository::init_opts(path, &options)?;
    let mut config = repository.config()?;
    // A power cut must not leave a named pack with nothing in it.
    config.set_bool("core.fsyncObjectFiles", true)
}

/// Uses the objects of a local origin where they lie, with those of its branches and tags that lead somewhere.
fn borrow(origin: &Repository, into: &Path) -> std::result::Result<(), Error> {
    let objects = origin.commondir().join("objects");
    let alternates = into.join("objects/info/alternates");
    let written = fs::create_dir_all(into.join("objects/info"))
        .and_then(|()| fs::write(&alternates, format!("{}\n", objects.display())));
    written.map_err(|error| Error::from_str(&format!("{}: {error}", alternates.display())))?;
    let cache = Repository::open_bare(into)?;
    for reference in origin.references()?.flatten() {
        let Ok(name) = reference.name() else { continue };
        let kept = ["refs/heads/", "refs/tags/", "refs/remotes/"].iter().any(|kind| name.starts_with(kind));
        if let Some(target) = reference.target().filter(|target| kept && cache.find_object(*target, None).is_ok()) {
            cache.reference(name, target, true, "borrowed from an incomplete origin")?;
        }
    }
    Ok(())
}

/// Copies a commit and what it needs, but for what branches and tags have brought already.
fn copy_commit(origin: &Repository, commit: Oid, packs: &Path) -> std::result::Result<(), git2::Error> {
    if origin.find_commit(commit).is_err() {
        return Ok(());
    }
    let mut walk = origin.revwalk()?;
    walk.push(commit)?;
    for glob in ["heads/*", "tags/*"] {
        walk.hide_glob(glob)?;
    }
    let mut pack = origin.packbuilder()?;
    pack.insert_walk(&mut walk)?;
    pack.write(packs, 0)
}
