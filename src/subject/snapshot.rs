//! The state of a worktree right after its build, kept as a copy and brought back before every run: content, modes,
//! links, empty folders, times to the nanosecond, which incremental compilers look at, and owners where parade may give
//! files away. Folders named `.git` are left alone. Extended attributes and special files are not kept; what changes without its size, mode or time
//! changing is not seen.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use miette::{Result, miette};
use rustix::fs::{AtFlags, CWD, Timespec, Timestamps};

const FILES: &str = "files";
const ROOT: &str = "root";

/// A worktree's state, and where it belongs.
#[derive(Debug)]
pub struct Snapshot {
    root: PathBuf,
    files: PathBuf,
}

/// What a run had changed in the worktree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// Files that differed in `target` folders next to a pom.
    pub in_build_folders: usize,
    /// What differed anywhere else: relative, sorted, at most [`Changes::MAX_LISTED`] of them. A new folder stands for
    /// all that is in it.
    pub elsewhere: Vec<PathBuf>,
    /// How many there were before the list was cut.
    pub elsewhere_total: usize,
}

impl Changes {
    pub const MAX_LISTED: usize = 100;
}

impl Snapshot {
    /// Copies the worktree at `root` into `store`. Until it is whole, [`Snapshot::open`] does not see it.
    pub fn take(root: &Path, store: &Path) -> Result<Self> {
        let root = std::path::absolute(root).map_err(|error| miette!("{}: {error}", root.display()))?;
        let half = with_ending(store, ".half");
        remove(&half)?;
        let failed = |path: &Path, error: &io::Error| miette!("cannot keep {}: {error}", path.display());
        fs::create_dir_all(&half).map_err(|error| failed(&half, &error))?;
        copy_folder(&root, &half.join(FILES)).map_err(|(path, error)| failed(&path, &error))?;
        finish(&half, &root).map_err(|error| failed(&half, &error))?;
        remove(store)?;
        fs::rename(&half, store).map_err(|error| failed(store, &error))?;
        Ok(Snapshot { root, files: store.join(FILES) })
    }

    /// The snapshot that is whole in `store`, if there is one.
    pub fn open(store: &Path) -> Result<Option<Self>> {
        match fs::read(store.join(ROOT)) {
            Ok(root) => Ok(Some(Snapshot { root: OsString::from_vec(root).into(), files: store.join(FILES) })),
            Err(error) if error.kind() == ErrorKind::NotFound || error.kind() == ErrorKind::NotADirectory => Ok(None),
            Err(error) => Err(miette!("cannot read the snapshot {}: {error}", store.display())),
        }
    }

    /// Makes the worktree what it was, and says what had changed.
    pub fn restore(&self) -> Result<Changes> {
        let mut restoring = Restoring { kept: &self.files, live: &self.root, changes: Changes::default() };
        let done = fs::create_dir_all(&self.root).map_err(|error| (self.root.clone(), error));
        let done = done.and_then(|()| restoring.folder(Path::new(""), false));
        done.map_err(|(path, error)| miette!("cannot restore {}: {error}", path.display()))?;
        let mut changes = restoring.changes;
        changes.elsewhere.sort();
        changes.elsewhere_total = changes.elsewhere.len();
        changes.elsewhere.truncate(Changes::MAX_LISTED);
        Ok(changes)
    }
}

/// An error with the path that it is about.
type Located<T> = std::result::Result<T, (PathBuf, io::Error)>;

fn located<T>(path: &Path, result: io::Result<T>) -> Located<T> {
    result.map_err(|error| (path.to_owned(), error))
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(ending);
    path.with_file_name(name)
}

/// Everything on disk before the name is.
fn finish(half: &Path, root: &Path) -> io::Result<()> {
    fs::write(half.join(ROOT), root.as_os_str().as_bytes())?;
    rustix::fs::syncfs(File::open(half)?)?;
    Ok(())
}

/// What of a folder is kept: everything but git's own and what is neither file, folder nor link.
fn children(folder: &Path) -> Located<BTreeMap<OsString, Metadata>> {
    let mut found = BTreeMap::new();
    for entry in located(folder, fs::read_dir(folder))? {
        let entry = located(folder, entry)?;
        if entry.file_name() == OsStr::new(".git") {
            continue;
        }
        match entry.metadata() {
            Ok(metadata) => found.insert(entry.file_name(), metadata),
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err((entry.path(), error)),
        };
    }
    Ok(found)
}

fn is_special(metadata: &Metadata) -> bool {
    let kind = metadata.file_type();
    !(kind.is_dir() || kind.is_file() || kind.is_symlink())
}

/// Copies a folder with all that is in it. Its mode and time come last: filling it would change the one and need more
/// than the other may allow.
fn copy_folder(from: &Path, to: &Path) -> Located<()> {
    let metadata = located(from, from.symlink_metadata())?;
    located(to, fs::create_dir(to))?;
    for (name, child) in children(from)? {
        copy_entry(&from.join(&name), &to.join(&name), &child)?;
    }
    located(to, settle(to, &metadata))
}

fn copy_entry(from: &Path, to: &Path, metadata: &Metadata) -> Located<()> {
    if is_special(metadata) {
        return Ok(());
    }
    if metadata.is_dir() {
        return copy_folder(from, to);
    }
    if metadata.is_symlink() {
        located(to, fs::read_link(from).and_then(|target| std::os::unix::fs::symlink(target, to)))?;
    } else {
        located(from, fs::copy(from, to))?;
    }
    located(to, settle(to, metadata))
}

/// Gives a copy the owner, the mode and the time of its original.
fn settle(path: &Path, original: &Metadata) -> io::Result<()> {
    let now = path.symlink_metadata()?;
    if (now.uid(), now.gid()) != (original.uid(), original.gid()) {
        // Only root may, and only root has anything to give back: for others all files are their own.
        let _ = std::os::unix::fs::lchown(path, Some(original.uid()), Some(original.gid()));
    }
    if !original.is_symlink() {
        fs::set_permissions(path, original.permissions())?;
    }
    let time = Timespec { tv_sec: original.mtime(), tv_nsec: original.mtime_nsec() };
    let times = Timestamps { last_access: time, last_modification: time };
    rustix::fs::utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(())
}

/// Removes whatever is there, also folders that forbid it to their owner.
pub(super) fn remove(path: &Path) -> Result<()> {
    remove_any(path).map_err(|(path, error)| miette!("cannot remove {}: {error}", path.display()))
}

fn remove_any(path: &Path) -> Located<()> {
    let is_dir = match path.symlink_metadata() {
        Ok(metadata) => metadata.is_dir(),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err((path.to_owned(), error)),
    };
    if !is_dir {
        return located(path, fs::remove_file(path));
    }
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            open_up(path)?;
            located(path, fs::remove_dir_all(path))
        }
        removed => located(path, removed),
    }
}

fn open_up(folder: &Path) -> Located<()> {
    located(folder, fs::set_permissions(folder, fs::Permissions::from_mode(0o700)))?;
    for entry in located(folder, fs::read_dir(folder))? {
        let entry = located(folder, entry)?;
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_up(&entry.path())?;
        }
    }
    Ok(())
}

struct Restoring<'a> {
    kept: &'a Path,
    live: &'a Path,
    changes: Changes,
}

impl Restoring<'_> {
    /// One folder that both sides have.
    fn folder(&mut self, relative: &Path, in_build: bool) -> Located<()> {
        let (kept_folder, live_folder) = (self.kept.join(relative), self.live.join(relative));
        let original = located(&kept_folder, kept_folder.symlink_metadata())?;
        let now = located(&live_folder, live_folder.symlink_metadata())?;
        if now.mode() & 0o700 != 0o700 {
            located(&live_folder, fs::set_permissions(&live_folder, fs::Permissions::from_mode(0o700)))?;
        }
        let kept = children(&kept_folder)?;
        let live = children(&live_folder)?;
        let below = |name: &OsStr| in_build || (name == "target" && kept.contains_key(OsStr::new("pom.xml")));
        for (name, metadata) in &live {
            if !kept.contains_key(name) {
                self.remove_extra(&relative.join(name), metadata, below(name))?;
            }
        }
        for (name, metadata) in &kept {
            self.entry(&relative.join(name), metadata, live.get(name), below(name))?;
        }
        if now.mode() != original.mode() {
            self.note(relative, in_build);
        }
        located(&live_folder, settle(&live_folder, &original))
    }

    fn remove_extra(&mut self, relative: &Path, metadata: &Metadata, in_build: bool) -> Located<()> {
        let path = self.live.join(relative);
        if in_build && metadata.is_dir() {
            self.changes.in_build_folders += count_files(&path).max(1);
        } else {
            self.note(relative, in_build);
        }
        remove_any(&path)
    }

    fn entry(&mut self, relative: &Path, kept: &Metadata, live: Option<&Metadata>, in_build: bool) -> Located<()> {
        match live {
            Some(live) if live.is_dir() && kept.is_dir() => return self.folder(relative, in_build),
            Some(live) if self.is_same(relative, kept, live) => return Ok(()),
            _ => {}
        }
        let (from, to) = (self.kept.join(relative), self.live.join(relative));
        if in_build && kept.is_dir() {
            self.changes.in_build_folders += count_files(&from).max(1);
        } else {
            self.note(relative, in_build);
        }
        remove_any(&to)?;
        copy_entry(&from, &to, kept)
    }

    fn is_same(&self, relative: &Path, kept: &Metadata, live: &Metadata) -> bool {
        if kept.is_symlink() && live.is_symlink() {
            let target = |root: &Path| fs::read_link(root.join(relative)).ok();
            let same = target(self.kept) == target(self.live);
            // When a link was made means nothing; its time is brought back without a word.
            return same && (modified(kept) == modified(live) || settle(&self.live.join(relative), kept).is_ok());
        }
        kept.mode() == live.mode() && kept.len() == live.len() && modified(kept) == modified(live)
    }

    fn note(&mut self, relative: &Path, in_build: bool) {
        match in_build {
            true => self.changes.in_build_folders += 1,
            false => self.changes.elsewhere.push(relative.to_owned()),
        }
    }
}

fn modified(metadata: &Metadata) -> (i64, i64) {
    (metadata.mtime(), metadata.mtime_nsec())
}

/// For the report only: what cannot be read counts as nothing.
fn count_files(folder: &Path) -> usize {
    let count = |entry: fs::DirEntry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => count_files(&entry.path()),
        _ => 1,
    };
    fs::read_dir(folder).into_iter().flatten().flatten().map(count).sum()
}

#[cfg(test)]
mod tests;
