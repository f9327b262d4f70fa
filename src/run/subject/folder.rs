//! A subject that is a folder: hashed by content, and copied. Left out are what builds make (`target` next to a pom), what
//! belongs to git (`.git`), and reports that parade itself wrote there; the copy gets a repository of its own with one commit, since builds ask git about
//! themselves. Links are copied as links and never followed. Owner and time do not count, nor modes but "executable", so
//! the same content gives the same revision everywhere.

use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use git2::{IndexAddOption, Repository, RepositoryInitOptions, Signature, Time};
use miette::{Result, miette};
use sha2::{Digest, Sha256};

use super::Progress;
use super::bounds::{Bounds, NotCopied};
use crate::file_content;
use crate::file_error::file_error;
use crate::wording::hex;

/// In a folder of reports: the list of those that parade wrote.
pub const REPORTS_LIST: &str = ".parade-reports";

const PREFIX: &str = "content-";
const HASH_DIGITS: usize = 32;

/// The revision of a folder as it stands.
pub(super) fn revision_of(path: &Path, progress: &dyn Progress, interrupt: &dyn Fn() -> bool) -> Result<String> {
    progress.stage(&format!("hashing {}", path.display()));
    Walk::new(None, progress, interrupt).run(path)
}

/// Copies a folder, and gives the revision of what was copied.
pub(super) fn copy(path: &Path, to: &Path, progress: &dyn Progress, interrupt: &dyn Fn() -> bool) -> Result<String> {
    progress.stage(&format!("copying {}", path.display()));
    Walk::new(Some(to.to_owned()), progress, interrupt).run(path)
}

/// The revision of a single file.
pub(super) fn revision_of_file(path: &Path) -> Result<String> {
    let read = File::open(path).and_then(|file| file_content::hash(&file, &|| false));
    Ok(revision(&read.map_err(|error| file_error(format_args!("cannot read {}", path.display()), &error))?))
}

fn revision(hash: &[u8]) -> String {
    let digits = hex(hash);
    format!("{PREFIX}{}", &digits[..HASH_DIGITS])
}

struct Walk<'a> {
    hash: Sha256,
    copy_to: Option<PathBuf>,
    progress: &'a dyn Progress,
    bounds: Bounds<'a>,
    seen: u64,
    /// As the files so far claim.
    bytes: u64,
}

impl<'a> Walk<'a> {
    fn new(copy_to: Option<PathBuf>, progress: &'a dyn Progress, interrupt: &'a dyn Fn() -> bool) -> Self {
        Walk { hash: Sha256::new(), copy_to, progress, bounds: Bounds::new(interrupt), seen: 0, bytes: 0 }
    }

    fn run(mut self, root: &Path) -> Result<String> {
        if !root.is_dir() {
            return Err(miette!(
                help = "give the folder that contains the pom.xml",
                "{} is not a \
                folder",
                root.display()
            ));
        }
        // The root itself may be a link; from here on none is followed.
        let root = root.canonicalize().map_err(|error| file_error(format_args!("{}", root.display()), &error))?;
        let within = self.copy_to.as_ref().and_then(|to| to.parent()).and_then(|to| to.canonicalize().ok());
        if within.is_some_and(|to| to.starts_with(&root)) {
            let help = "set PARADE_HOME to a folder outside of it";
            return Err(miette!(
                help = help,
                "parade's cache is inside {}, so the copy would contain itself",
                root.display()
            ));
        }
        self.folder(&root, Path::new(""))?;
        Ok(revision(&self.hash.finalize()))
    }

    fn folder(&mut self, root: &Path, relative: &Path) -> Result<()> {
        if self.bounds.must_stop() {
            return Err(miette!("interrupted while reading {}", root.display()));
        }
        if let Some(to) = &self.copy_to {
            let to = to.join(relative);
            fs::create_dir_all(&to)
                .map_err(|error| file_error(format_args!("cannot make {}", to.display()), &error))?;
        }
        let folder = root.join(relative);
        let names =
            children(&folder).map_err(|error| file_error(format_args!("cannot read {}", folder.display()), &error))?;
        let has_pom = names.iter().any(|name| name == "pom.xml");
        for name in names {
            let path = folder.join(&name);
            let built = name == "target" && has_pom && !path.is_file();
            if name != ".git" && !built && !holds_only_reports(&path) {
                self.entry(root, &relative.join(name))?;
            }
        }
        Ok(())
    }

    fn entry(&mut self, root: &Path, relative: &Path) -> Result<()> {
        let path = root.join(relative);
        let failed = |error: io::Error| file_error(format_args!("cannot copy {}", path.display()), &error);
        let metadata = path.symlink_metadata().map_err(failed)?;
        self.seen += 1;
        self.progress.at(self.seen, 0);
        let kind = metadata.file_type();
        let refused = |why| match why {
            NotCopied::Refused(reason) => miette!("cannot copy {}: {reason}", root.display()),
            NotCopied::Interrupted => miette!("interrupted while reading {}", root.display()),
        };
        if kind.is_dir() {
            self.bounds.check_level(relative).map_err(refused)?;
            self.record(b'd', relative);
            self.folder(root, relative)
        } else if kind.is_symlink() {
            self.link(&path, relative).map_err(failed)
        } else if kind.is_file() {
            self.bytes = self.bounds.add_file(self.bytes, metadata.len(), relative).map_err(refused)?;
            self.file(&path, relative, &metadata).map_err(failed)
        } else {
            tracing::warn!("{} is not a file, folder or link and was left out", path.display());
            Ok(())
        }
    }

    /// Lengths first, so that no two trees are written the same way.
    fn record(&mut self, kind: u8, relative: &Path) {
        let name = relative.as_os_str().as_bytes();
        self.hash.update([kind]);
        self.hash.update((name.len() as u64).to_le_bytes());
        self.hash.update(name);
    }

    fn link(&mut self, path: &Path, relative: &Path) -> io::Result<()> {
        let target = fs::read_link(path)?;
        self.record(b'l', relative);
        self.hash.update((target.as_os_str().len() as u64).to_le_bytes());
        self.hash.update(target.as_os_str().as_bytes());
        match &self.copy_to {
            Some(to) => std::os::unix::fs::symlink(target, to.join(relative)),
            None => Ok(()),
        }
    }

    fn file(&mut self, path: &Path, relative: &Path, metadata: &Metadata) -> io::Result<()> {
        let executable = metadata.permissions().mode() & 0o100 != 0;
        self.record(if executable { b'x' } else { b'f' }, relative);
        let from = File::open(path)?;
        let copy = self.copy_to.as_ref().map(|to| File::create_new(to.join(relative))).transpose()?;
        let content = file_content::hash_and_copy(&from, copy.as_ref(), &|| self.bounds.must_stop())?;
        if let Some(copy) = copy {
            copy.set_permissions(fs::Permissions::from_mode(if executable { 0o755 } else { 0o644 }))?;
        }
        self.hash.update(content);
        Ok(())
    }
}

fn children(folder: &Path) -> io::Result<Vec<OsString>> {
    let mut names: Vec<OsString> =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.file_name())).collect::<io::Result<_>>()?;
    names.sort();
    Ok(names)
}

/// Makes the copy a repository with one commit, the same for the same content.
pub(super) fn commit_all(tree: &Path) -> std::result::Result<(), git2::Error> {
    let mut options = RepositoryInitOptions::new();
    options.external_template(false).initial_head("main");
    let repository = Repository::init_opts(tree, &options)?;
    repository.config()?.set_str("core.autocrlf", "false")?;
    let mut index = repository.index()?;
    index.add_all(["*"], IndexAddOption::FORCE, None)?;
    index.write()?;
    let files = repository.find_tree(index.write_tree()?)?;
    let author = Signature::new("parade", "parade@localhost", &Time::new(0, 0))?;
    repository.commit(Some("HEAD"), &author, &author, "A folder as it stands", &files, &[])?;
    Ok(())
}

/// Is this a folder into which parade wrote reports, and nobody anything else? Sources that stand beside reports are part of the
/// project.
fn holds_only_reports(folder: &Path) -> bool {
    let is_report = |file: &std::path::PathBuf| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        name == REPORTS_LIST || (name.starts_with("TEST-") && name.ends_with(".xml"))
    };
    let is_marked = folder.join(REPORTS_LIST).symlink_metadata().is_ok_and(|metadata| metadata.is_file());
    is_marked && crate::folders::files(folder).is_ok_and(|files| files.iter().all(is_report))
}

#[cfg(test)]
mod tests;
