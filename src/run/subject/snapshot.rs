//! The state of a worktree right after its build, kept as a copy and brought back before every run: content, modes,
//! links, empty folders, times to the nanosecond, which incremental compilers look at, and owners where parade may give
//! files away. Folders named `.git` are left alone. Extended attributes and special files are not kept.
//!
//! The copy is sealed: the hash of every file is kept beside it, and a copy that was changed is an error, never a result. Only
//! parade's own user may enter it. The worktree is compared by times that nobody can set, and by content where those differ or
//! are not known yet. No link is followed on either side.

mod seal;

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use miette::{Report, Result, miette};
use sha2::{Digest, Sha256};

use super::bounds::{Bounds, NotCopied};
use crate::file_content::{self, ContentHash};
use crate::file_error::file_error;
use crate::folder_handle::{self, EntryFacts, EntryKind, FolderHandle, MOST_LEVELS};
use seal::Seal;

const FILES: &str = "files";
const ROOT: &str = "root";
const SEAL: &str = "seal.json";

/// A worktree's state, and where it belongs.
#[derive(Debug)]
pub struct Snapshot {
    root: PathBuf,
    store: PathBuf,
    seal: Seal,
    /// What files of the worktree were when their content was last known to be right.
    known: RefCell<HashMap<PathBuf, FileIdentity>>,
}

/// A file that has the same is the same: the last of it is a time that nobody can set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileIdentity {
    inode: u64,
    changed: (i64, i64),
}

impl From<&EntryFacts> for FileIdentity {
    fn from(facts: &EntryFacts) -> Self {
        FileIdentity { inode: facts.inode, changed: facts.changed }
    }
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
    /// Copies the worktree at `root` into `store`. Until it is whole, [`Snapshot::open`] does not see it; what could not be
    /// made whole is removed.
    pub fn take(root: &Path, store: &Path, bounds: &Bounds<'_>) -> Result<std::result::Result<Self, NotCopied>> {
        let root = std::path::absolute(root).map_err(|error| file_error(format_args!("{}", root.display()), &error))?;
        let half = with_ending(store, ".half");
        remove(&half)?;
        let taken = Self::take_half(&root, store, &half, bounds);
        if !matches!(taken, Ok(Ok(_))) {
            // The reason matters more than a leftover, which the next one removes.
            let _ = remove(&half);
        }
        taken
    }

    fn take_half(
        root: &Path,
        store: &Path,
        half: &Path,
        bounds: &Bounds<'_>,
    ) -> Result<std::result::Result<Self, NotCopied>> {
        let failed = |path: &Path, error: &io::Error| file_error(format_args!("cannot keep {}", path.display()), error);
        make_private(half).map_err(|error| failed(half, &error))?;
        let mut taking = Taking { bounds, bytes: 0, seal: Seal::default(), known: HashMap::new() };
        match taking.whole(root, &half.join(FILES)) {
            Ok(()) => {}
            Err(Trouble::NotCopied(why)) => return Ok(Err(why)),
            Err(trouble) => return bounds.why_stopped().map(Err).ok_or_else(|| trouble.report("cannot keep", store)),
        }
        let Taking { seal, known, .. } = taking;
        finish(half, root, &seal).map_err(|error| failed(half, &error))?;
        remove(store)?;
        fs::rename(half, store).map_err(|error| failed(store, &error))?;
        Ok(Ok(Snapshot { root: root.to_owned(), store: store.to_owned(), seal, known: RefCell::new(known) }))
    }

    /// The snapshot that is whole in `store`, if there is one. One without a seal is an older parade's, and not used.
    pub fn open(store: &Path) -> Result<Option<Self>> {
        let broken =
            |error: io::Error| file_error(format_args!("cannot read the snapshot {}", store.display()), &error);
        let root = match fs::read(store.join(ROOT)) {
            Ok(root) => root,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
            Err(error) => return Err(broken(error)),
        };
        let Some(seal) = Seal::read(&store.join(SEAL)).map_err(broken)? else { return Ok(None) };
        let root = OsString::from_vec(root).into();
        Ok(Some(Snapshot { root, store: store.to_owned(), seal, known: RefCell::default() }))
    }

    /// Makes the worktree what it was, and says what had changed.
    ///
    /// # Errors
    /// Also where the kept copy is not what it was when it was made: the error names the file.
    pub fn restore(&self) -> Result<Changes> {
        let mut known = self.known.borrow_mut();
        let mut restoring = Restoring { seal: &self.seal, known: &mut known, met: 0, changes: Changes::default() };
        restoring
            .whole(&self.store.join(FILES), &self.root)
            .map_err(|trouble| trouble.report("cannot restore", &self.store))?;
        let mut changes = restoring.changes;
        changes.elsewhere.sort();
        changes.elsewhere_total = changes.elsewhere.len();
        changes.elsewhere.truncate(Changes::MAX_LISTED);
        Ok(changes)
    }
}

/// What went wrong, and at which path.
#[derive(Debug)]
enum Trouble {
    Io(PathBuf, io::Error),
    /// The kept copy is not what was kept.
    Changed(PathBuf),
    /// There is to be none.
    NotCopied(NotCopied),
}

impl From<NotCopied> for Trouble {
    fn from(why: NotCopied) -> Self {
        Trouble::NotCopied(why)
    }
}

impl Trouble {
    fn report(self, what: &str, store: &Path) -> Report {
        match self {
            Trouble::Io(path, error) => file_error(format_args!("{what} {}", path.display()), &error),
            Trouble::NotCopied(NotCopied::Refused(reason)) => miette!("{what} {}: {reason}", store.display()),
            Trouble::NotCopied(NotCopied::Interrupted) => miette!("{what} {}: interrupted", store.display()),
            Trouble::Changed(path) => miette!(
                help = format!(
                    "another program, maybe another subject's tests, wrote into parade's cache; remove {} and run the \
                     same command again: the subject is then built again. `user = \"nobody\"` keeps subjects out of \
                     the cache",
                    store.parent().unwrap_or(store).display()
                ),
                "the kept build was changed since it was made: {}",
                path.display()
            ),
        }
    }
}

type Attempt<T> = std::result::Result<T, Trouble>;

fn located<T>(path: &Path, result: io::Result<T>) -> Attempt<T> {
    result.map_err(|error| Trouble::Io(path.to_owned(), error))
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(ending);
    path.with_file_name(name)
}

/// Files in a snapshot keep their owners, who must not get at them.
fn make_private(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700))
}

/// Everything on disk before the name is.
fn finish(half: &Path, root: &Path, seal: &Seal) -> io::Result<()> {
    seal.write(&half.join(SEAL))?;
    fs::write(half.join(ROOT), root.as_os_str().as_bytes())?;
    rustix::fs::syncfs(File::open(half)?)?;
    Ok(())
}

/// What of a folder is kept or looked at: everything but git's own.
fn children(folder: &FolderHandle) -> Attempt<BTreeMap<OsString, EntryFacts>> {
    let mut found = located(folder.path(), folder.entries())?;
    found.remove(OsStr::new(".git"));
    Ok(found)
}

/// What is kept is bounded, and so is its hash.
fn hash_content(file: &File) -> io::Result<ContentHash> {
    file_content::hash(file, &|| false)
}

/// Copies an entry that is not a folder, and gives the copy owner, mode and time of its original. A special file is passed over.
fn copy_leaf(
    from: &FolderHandle,
    to: &FolderHandle,
    name: &OsStr,
    facts: &EntryFacts,
    stop: &dyn Fn() -> bool,
) -> io::Result<Option<ContentHash>> {
    let hash = match facts.kind {
        EntryKind::File => {
            let copy = to.create(name)?;
            file_content::hash_and_copy(&from.file(name)?, Some(&copy), stop)?
        }
        EntryKind::Link => {
            let target = from.link_target(name)?;
            to.make_link(name, &target)?;
            Sha256::digest(target.as_bytes()).into()
        }
        EntryKind::Folder | EntryKind::Special => return Ok(None),
    };
    settle(to, name, facts)?;
    Ok(Some(hash))
}

/// Gives an entry the owner, the mode and the time of its original.
fn settle(folder: &FolderHandle, name: &OsStr, original: &EntryFacts) -> io::Result<()> {
    let Some(now) = folder.facts_of(name)? else { return Err(ErrorKind::NotFound.into()) };
    if now.owner != original.owner {
        // Only root may, and only root has anything to give back: for others all files are their own.
        let _ = folder.set_owner_of(name, original.owner);
    }
    if now.mode != original.mode && !original.is_link() {
        folder.set_mode_of(name, original.mode)?;
    }
    folder.set_time_of(name, original.modified)
}

/// The same for a folder itself, when it is filled.
fn settle_folder(folder: &FolderHandle, original: &EntryFacts) -> Attempt<()> {
    let settled = folder.facts().and_then(|now| {
        if now.owner != original.owner {
            let _ = folder.set_owner(original.owner);
        }
        folder.set_mode(original.mode)?;
        folder.set_time(original.modified)
    });
    located(folder.path(), settled)
}

/// Removes whatever is there, also folders that forbid it to their owner.
pub fn remove(path: &Path) -> Result<()> {
    folder_handle::remove_all(path)
        .map_err(|error| file_error(format_args!("cannot remove {}", path.display()), &error))
}

/// A worktree on its way into the store.
struct Taking<'a> {
    bounds: &'a Bounds<'a>,
    /// As the files so far claim.
    bytes: u64,
    seal: Seal,
    known: HashMap<PathBuf, FileIdentity>,
}

impl Taking<'_> {
    fn whole(&mut self, root: &Path, to: &Path) -> Attempt<()> {
        let from = located(root, FolderHandle::open(root))?;
        let to = located(to, fs::create_dir(to).and_then(|()| FolderHandle::open(to)))?;
        self.folder(&from, &to, Path::new(""))
    }

    /// A folder's mode and time come last: filling it would change the one and need more than the other may allow.
    fn folder(&mut self, from: &FolderHandle, to: &FolderHandle, relative: &Path) -> Attempt<()> {
        let original = located(from.path(), from.facts())?;
        for (name, facts) in children(from)? {
            let below = relative.join(&name);
            if let Some(why) = self.bounds.why_stopped() {
                return Err(why.into());
            }
            if facts.is_folder() {
                self.bounds.check_level(&below)?;
                let inner = located(from.path(), from.folder(&name))?;
                let copy = located(to.path(), to.make_folder(&name))?;
                self.folder(&inner, &copy, &below)?;
                self.seal.add_folder(below);
                continue;
            }
            let path = from.path().join(&name);
            if facts.kind == EntryKind::File {
                self.bytes = self.bounds.add_file(self.bytes, facts.size, &below)?;
            }
            let copied = copy_leaf(from, to, &name, &facts, &|| self.bounds.must_stop());
            if let Some(hash) = located(&path, copied)? {
                let kept = located(&path, to.facts_of(&name))?;
                self.seal.add(below.clone(), hash, kept.as_ref());
                // Had it changed while it was copied, the next look would find another time and compare the content.
                self.known.insert(below, FileIdentity::from(&facts));
            }
        }
        settle_folder(to, &original)
    }
}

struct Restoring<'a> {
    seal: &'a Seal,
    known: &'a mut HashMap<PathBuf, FileIdentity>,
    /// Entries of the kept copy so far.
    met: usize,
    changes: Changes,
}

impl Restoring<'_> {
    fn whole(&mut self, kept: &Path, live: &Path) -> Attempt<()> {
        let from = located(kept, FolderHandle::open(kept))?;
        if live.symlink_metadata().is_ok_and(|metadata| !metadata.is_dir()) {
            located(live, folder_handle::remove_all(live))?;
        }
        let to = located(live, fs::create_dir_all(live).and_then(|()| FolderHandle::open(live)))?;
        self.folder(&from, &to, Path::new(""), false)?;
        match self.met == self.seal.len() {
            true => Ok(()),
            false => Err(Trouble::Changed(self.missing(&from).unwrap_or_else(|| kept.to_owned()))),
        }
    }

    /// A kept entry that is gone.
    fn missing(&self, kept: &FolderHandle) -> Option<PathBuf> {
        let is_gone = |below: &&PathBuf| {
            let (parent, name) = (below.parent().unwrap_or(Path::new("")), below.file_name().unwrap_or_default());
            !kept.descend(parent).and_then(|folder| folder.facts_of(name)).is_ok_and(|facts| facts.is_some())
        };
        self.seal.paths().find(is_gone).map(|below| kept.path().join(below))
    }

    /// One folder that both sides have.
    fn folder(&mut self, kept: &FolderHandle, live: &FolderHandle, relative: &Path, in_build: bool) -> Attempt<()> {
        let original = located(kept.path(), kept.facts())?;
        let now = located(live.path(), live.facts())?;
        if now.mode & 0o700 != 0o700 {
            located(live.path(), live.set_mode(0o700))?;
        }
        let (kept_entries, live_entries) = (children(kept)?, children(live)?);
        let has_pom = kept_entries.contains_key(OsStr::new("pom.xml"));
        let below = |name: &OsStr| in_build || (name == "target" && has_pom);
        for (name, facts) in &live_entries {
            if !kept_entries.contains_key(name) {
                self.note_folder(live, name, facts, &relative.join(name), below(name));
                located(&live.path().join(name), live.remove(name))?;
            }
        }
        for (name, facts) in &kept_entries {
            self.check_sealed(kept, name, facts, &relative.join(name))?;
            self.entry((kept, live), name, (facts, live_entries.get(name)), &relative.join(name), below(name))?;
        }
        if now.mode != original.mode {
            self.note(relative, in_build);
        }
        settle_folder(live, &original)
    }

    /// Is a kept entry what was kept? By its times, or else by its content.
    fn check_sealed(&mut self, kept: &FolderHandle, name: &OsStr, facts: &EntryFacts, relative: &Path) -> Attempt<()> {
        self.met += 1;
        let path = kept.path().join(name);
        let intact = self.seal.is_untouched(relative, facts) || {
            let hash = match facts.kind {
                EntryKind::File => kept.file(name).and_then(|file| hash_content(&file)).map(Some),
                EntryKind::Link => kept.link_target(name).map(|target| Some(Sha256::digest(target.as_bytes()).into())),
                EntryKind::Folder | EntryKind::Special => Ok(None),
            };
            self.seal.holds(relative, facts, located(&path, hash)?)
        };
        if intact { Ok(()) } else { Err(Trouble::Changed(path)) }
    }

    /// One entry that was kept, whatever of that name is in the worktree now.
    fn entry(
        &mut self,
        (kept, live): (&FolderHandle, &FolderHandle),
        name: &OsStr,
        (was, now): (&EntryFacts, Option<&EntryFacts>),
        relative: &Path,
        in_build: bool,
    ) -> Attempt<()> {
        if was.is_folder() {
            if !now.is_some_and(EntryFacts::is_folder) {
                self.note_folder(kept, name, was, relative, in_build);
                located(&live.path().join(name), live.remove(name).and_then(|()| live.make_folder(name)).map(drop))?;
                let changes = std::mem::take(&mut self.changes);
                let inner = (located(kept.path(), kept.folder(name))?, located(live.path(), live.folder(name))?);
                self.folder(&inner.0, &inner.1, relative, in_build)?;
                self.changes = changes;
                return Ok(());
            }
            let inner = (located(kept.path(), kept.folder(name))?, located(live.path(), live.folder(name))?);
            return self.folder(&inner.0, &inner.1, relative, in_build);
        }
        if now.is_some_and(|now| self.is_same(live, name, was, now, relative)) {
            return Ok(());
        }
        self.note(relative, in_build);
        let path = live.path().join(name);
        located(&path, live.remove(name))?;
        let hash = located(&path, copy_leaf(kept, live, name, was, &|| false))?;
        // Read once more, and compared once more: it may have been changed since it was looked at.
        if !self.seal.holds(relative, was, hash) {
            return Err(Trouble::Changed(kept.path().join(name)));
        }
        if let Some(facts) = located(&path, live.facts_of(name))? {
            self.known.insert(relative.to_owned(), FileIdentity::from(&facts));
        }
        Ok(())
    }

    /// Has the worktree this entry as it was kept? When a link was made means nothing; its time is brought back without a word.
    fn is_same(
        &mut self,
        live: &FolderHandle,
        name: &OsStr,
        was: &EntryFacts,
        now: &EntryFacts,
        relative: &Path,
    ) -> bool {
        if was.kind != now.kind {
            return false;
        }
        if was.is_link() {
            let target = live.link_target(name).map(|target| Sha256::digest(target.as_bytes()).into());
            return target.is_ok_and(|hash| self.seal.holds(relative, was, Some(hash)))
                && (was.modified == now.modified || settle(live, name, was).is_ok());
        }
        if (was.mode, was.size, was.modified) != (now.mode, now.size, now.modified) {
            return false;
        }
        let identity = FileIdentity::from(now);
        if self.known.get(relative) == Some(&identity) {
            return true;
        }
        let hash = live.file(name).and_then(|file| hash_content(&file));
        let same = hash.is_ok_and(|hash| self.seal.holds(relative, was, Some(hash)));
        if same {
            self.known.insert(relative.to_owned(), identity);
        }
        same
    }

    fn note_folder(
        &mut self,
        parent: &FolderHandle,
        name: &OsStr,
        facts: &EntryFacts,
        relative: &Path,
        in_build: bool,
    ) {
        match in_build && facts.is_folder() {
            true => self.changes.in_build_folders += count_files(parent, name, 0).max(1),
            false => self.note(relative, in_build),
        }
    }

    fn note(&mut self, relative: &Path, in_build: bool) {
        match in_build {
            true => self.changes.in_build_folders += 1,
            false => self.changes.elsewhere.push(relative.to_owned()),
        }
    }
}

/// For the report only: what cannot be read, or is nested too deep, counts as nothing.
fn count_files(parent: &FolderHandle, name: &OsStr, level: usize) -> usize {
    let Some(folder) = parent.folder(name).ok().filter(|_| level < MOST_LEVELS) else { return 0 };
    let mut count = 0;
    for (name, facts) in folder.entries().unwrap_or_default() {
        count += if facts.is_folder() { count_files(&folder, &name, level + 1) } else { 1 };
    }
    count
}

#[cfg(test)]
mod tests;
