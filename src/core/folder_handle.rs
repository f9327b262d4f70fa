//! A folder that is held open, and everything below it reached step by step from there without ever following a link.
//!
//! For folders that code under test can write: whatever it puts there, and whenever it swaps one thing for another, parade
//! neither reads nor writes nor gives away anything outside. A pipe or a device in place of a file is refused at once instead
//! of being waited for. What the bytes mean is for others to judge.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Gid, Mode, OFlags, ResolveFlags, Stat, Timespec, Timestamps, Uid};

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// Without NONBLOCK, opening a pipe would wait for whoever writes to it.
const FILE: OFlags =
    OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);
const NEW_FILE: OFlags =
    OFlags::RDWR.union(OFlags::CREATE).union(OFlags::EXCL).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// How deep folders may be nested in what parade copies or hands over. Projects stay far below; each level costs stack and
/// open files.
pub const MOST_LEVELS: usize = 256;

#[derive(Debug)]
pub struct FolderHandle {
    fd: OwnedFd,
    /// For messages only.
    path: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    File,
    Folder,
    Link,
    /// A pipe, a socket, a device.
    Special,
}

/// What the file system says of an entry itself, never of what a link leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryFacts {
    pub kind: EntryKind,
    /// Permissions alone.
    pub mode: u32,
    pub owner: (u32, u32),
    pub size: u64,
    /// Seconds and nanoseconds. Anyone who may write a file can set it.
    pub modified: (i64, i64),
    /// The same; nobody can set it.
    pub changed: (i64, i64),
    pub inode: u64,
    /// How many names the file has.
    pub names: u64,
}

impl EntryFacts {
    #[allow(clippy::unnecessary_cast, reason = "the types of these fields differ from machine to machine")]
    fn new(stat: &Stat) -> Self {
        let kind = match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => EntryKind::File,
            FileType::Directory => EntryKind::Folder,
            FileType::Symlink => EntryKind::Link,
            _ => EntryKind::Special,
        };
        EntryFacts {
            kind,
            mode: stat.st_mode & 0o7777,
            owner: (stat.st_uid, stat.st_gid),
            size: stat.st_size as u64,
            modified: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            changed: (stat.st_ctime as i64, stat.st_ctime_nsec as i64),
            inode: stat.st_ino as u64,
            names: stat.st_nlink as u64,
        }
    }

    pub fn is_folder(&self) -> bool {
        self.kind == EntryKind::Folder
    }

    pub fn is_link(&self) -> bool {
        self.kind == EntryKind::Link
    }
}

/// Opens a regular file for reading; a link at the end of the path, a pipe, a device or a folder is an error.
/// The folders on the way there have to be out of a subject's reach.
pub fn open_regular(path: &Path) -> io::Result<File> {
    regular(rustix::fs::openat(CWD, path, FILE, Mode::empty()).map_err(no_link)?)
}

/// Such a file whole, if it is no larger than this.
pub fn read_regular(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    read_bounded(open_regular(path)?, limit)
}

/// The rest of a file, if it is no larger than this.
pub fn read_bounded(file: File, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::other(format!("it is larger than {limit} bytes")));
    }
    Ok(bytes)
}

/// Of a file that is open.
pub fn facts_of_open(file: &File) -> io::Result<EntryFacts> {
    Ok(EntryFacts::new(&rustix::fs::fstat(file)?))
}

fn regular(fd: OwnedFd) -> io::Result<File> {
    let stat = rustix::fs::fstat(&fd)?;
    if EntryFacts::new(&stat).kind != EntryKind::File {
        return Err(io::Error::other("it is not a regular file"));
    }
    Ok(File::from(fd))
}

/// What the kernel calls too many levels of links is one link too many.
fn no_link(error: rustix::io::Errno) -> io::Error {
    match error {
        rustix::io::Errno::LOOP => io::Error::other("it is a symbolic link"),
        rustix::io::Errno::NXIO => io::Error::other("it is not a regular file"),
        error => error.into(),
    }
}

impl FolderHandle {
    /// The folder itself must not be a link; the way to it has to be out of a subject's reach.
    pub fn open(path: &Path) -> io::Result<Self> {
        let fd = rustix::fs::openat(CWD, path, FOLDER, Mode::empty()).map_err(no_link)?;
        Ok(FolderHandle { fd, path: path.to_owned() })
    }

    /// A folder below. One that forbids reading is opened up where it is this user's.
    pub fn folder(&self, name: &OsStr) -> io::Result<Self> {
        let path = self.path.join(name);
        let fd = match rustix::fs::openat(&self.fd, name, FOLDER, Mode::empty()) {
            Err(rustix::io::Errno::ACCESS) => {
                self.open_up(name)?;
                rustix::fs::openat(&self.fd, name, FOLDER, Mode::empty()).map_err(no_link)?
            }
            opened => opened.map_err(no_link)?,
        };
        Ok(FolderHandle { fd, path })
    }

    /// By a path of plain names, e.g. `src/test/java`.
    pub fn descend(&self, below: &Path) -> io::Result<Self> {
        let mut here = self.duplicate()?;
        for part in below.components() {
            here = here.folder(plain(part)?)?;
        }
        Ok(here)
    }

    /// The same; what is missing on the way is made, and given to an owner if there is one.
    pub fn make_folders(&self, below: &Path, owner: Option<(u32, u32)>) -> io::Result<Self> {
        let mut here = self.duplicate()?;
        for part in below.components() {
            let name = plain(part)?;
            here = match here.folder(name) {
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    let made = here.make_folder(name)?;
                    owner.map_or(Ok(()), |owner| made.set_owner(owner))?;
                    made
                }
                opened => opened?,
            };
        }
        Ok(here)
    }

    fn duplicate(&self) -> io::Result<Self> {
        Ok(FolderHandle { fd: self.fd.try_clone()?, path: self.path.clone() })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn facts(&self) -> io::Result<EntryFacts> {
        Ok(EntryFacts::new(&rustix::fs::fstat(&self.fd)?))
    }

    /// `None` where there is nothing of this name.
    pub fn facts_of(&self, name: &OsStr) -> io::Result<Option<EntryFacts>> {
        match rustix::fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(EntryFacts::new(&stat))),
            Err(rustix::io::Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// What is in it now, by name.
    pub fn entries(&self) -> io::Result<BTreeMap<OsString, EntryFacts>> {
        let mut found = BTreeMap::new();
        for entry in Dir::read_from(&self.fd)? {
            let name = OsStr::from_bytes(entry?.file_name().to_bytes()).to_owned();
            if name == "." || name == ".." {
                continue;
            }
            if let Some(facts) = self.facts_of(&name)? {
                found.insert(name, facts);
            }
        }
        Ok(found)
    }

    /// A regular file, for reading.
    pub fn file(&self, name: &OsStr) -> io::Result<File> {
        regular(rustix::fs::openat(&self.fd, name, FILE, Mode::empty()).map_err(no_link)?)
    }

    /// A regular file that its maker waits for an answer in. It must have no other name: that could be anywhere.
    pub fn answerable(&self, name: &OsStr) -> io::Result<File> {
        let flags = FILE.difference(OFlags::RDONLY).union(OFlags::RDWR);
        let file = regular(rustix::fs::openat(&self.fd, name, flags, Mode::empty()).map_err(no_link)?)?;
        match EntryFacts::new(&rustix::fs::fstat(&file)?).names {
            0 | 1 => Ok(file),
            _ => Err(io::Error::other("it has a second name")),
        }
    }

    /// A file that must not be there yet, for writing and reading. Its mode is for its owner to widen.
    pub fn create(&self, name: &OsStr) -> io::Result<File> {
        Ok(File::from(rustix::fs::openat(&self.fd, name, NEW_FILE, Mode::RUSR | Mode::WUSR)?))
    }

    /// Writes a file in place of whatever has the name, with these permissions.
    pub fn write(&self, name: &OsStr, bytes: &[u8], mode: u32) -> io::Result<()> {
        self.remove(name)?;
        let mut file = self.create(name)?;
        io::Write::write_all(&mut file, bytes)?;
        file.set_permissions(std::fs::Permissions::from_mode(mode))
    }

    /// A folder that must not be there yet.
    pub fn make_folder(&self, name: &OsStr) -> io::Result<Self> {
        rustix::fs::mkdirat(&self.fd, name, Mode::RWXU | Mode::RGRP | Mode::XGRP | Mode::ROTH | Mode::XOTH)?;
        self.folder(name)
    }

    pub fn link_target(&self, name: &OsStr) -> io::Result<OsString> {
        Ok(OsString::from_vec(rustix::fs::readlinkat(&self.fd, name, Vec::new())?.into_bytes()))
    }

    pub fn make_link(&self, name: &OsStr, target: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::symlinkat(target, &self.fd, name)?)
    }

    /// Removes whatever has the name, with all that is in it; also folders that forbid it to their owner. Nothing of that
    /// name is fine.
    pub fn remove(&self, name: &OsStr) -> io::Result<()> {
        if !self.unlink(name)? {
            return Ok(());
        }
        self.folder(name)?.clear()?;
        self.remove_empty(name)
    }

    /// Removes what is not a folder; tells whether it is one.
    fn unlink(&self, name: &OsStr) -> io::Result<bool> {
        match rustix::fs::unlinkat(&self.fd, name, AtFlags::empty()) {
            Ok(()) | Err(rustix::io::Errno::NOENT) => Ok(false),
            Err(rustix::io::Errno::ISDIR | rustix::io::Errno::PERM) => Ok(true),
            Err(error) => Err(error.into()),
        }
    }

    fn remove_empty(&self, name: &OsStr) -> io::Result<()> {
        match rustix::fs::unlinkat(&self.fd, name, AtFlags::REMOVEDIR) {
            Err(rustix::io::Errno::NOENT) => Ok(()),
            removed => Ok(removed?),
        }
    }

    /// Removes all that is in it, however deep it is nested.
    pub fn clear(&self) -> io::Result<()> {
        let mut removal = Removal { top: self, raised: 0 };
        loop {
            let before = removal.raised;
            removal.clear(self, 0)?;
            if removal.raised == before {
                return Ok(());
            }
        }
    }

    pub fn set_mode(&self, mode: u32) -> io::Result<()> {
        Ok(rustix::fs::fchmod(&self.fd, Mode::from_raw_mode(mode))?)
    }

    pub fn set_mode_of(&self, name: &OsStr, mode: u32) -> io::Result<()> {
        let fd = rustix::fs::openat(&self.fd, name, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
        if EntryFacts::new(&rustix::fs::fstat(&fd)?).is_link() {
            return Ok(());
        }
        // A descriptor that was opened as a path only can be changed only by this name of it.
        let held = format!("/proc/self/fd/{}", fd.as_fd().as_raw_fd());
        std::fs::set_permissions(held, std::fs::Permissions::from_mode(mode))
    }

    fn open_up(&self, name: &OsStr) -> io::Result<()> {
        self.set_mode_of(name, 0o700)
    }

    /// Of the folder itself.
    pub fn set_owner(&self, owner: (u32, u32)) -> io::Result<()> {
        Ok(rustix::fs::fchown(&self.fd, Some(Uid::from_raw(owner.0)), Some(Gid::from_raw(owner.1)))?)
    }

    /// Of an entry; of a link itself, not of what it leads to.
    pub fn set_owner_of(&self, name: &OsStr, owner: (u32, u32)) -> io::Result<()> {
        let (uid, gid) = (Uid::from_raw(owner.0), Gid::from_raw(owner.1));
        Ok(rustix::fs::chownat(&self.fd, name, Some(uid), Some(gid), AtFlags::SYMLINK_NOFOLLOW)?)
    }

    pub fn set_time(&self, modified: (i64, i64)) -> io::Result<()> {
        Ok(rustix::fs::futimens(&self.fd, &times(modified))?)
    }

    pub fn set_time_of(&self, name: &OsStr, modified: (i64, i64)) -> io::Result<()> {
        Ok(rustix::fs::utimensat(&self.fd, name, &times(modified), AtFlags::SYMLINK_NOFOLLOW)?)
    }

    /// Gives the folder with all that is in it to a user. A file that has another name too stays whose it is: that name may
    /// be anywhere.
    pub fn give_all_to(&self, owner: (u32, u32)) -> io::Result<()> {
        self.give_level_to(owner, 0)
    }

    fn give_level_to(&self, owner: (u32, u32), level: usize) -> io::Result<()> {
        check_level(level)?;
        self.set_owner(owner)?;
        for (name, facts) in self.entries()? {
            match facts.kind {
                EntryKind::Folder => self.folder(&name)?.give_level_to(owner, level + 1)?,
                _ if facts.owner == owner => {}
                EntryKind::File => self.give_file_to(&name, owner)?,
                EntryKind::Link | EntryKind::Special => self.set_owner_of(&name, owner)?,
            }
        }
        Ok(())
    }

    fn give_file_to(&self, name: &OsStr, owner: (u32, u32)) -> io::Result<()> {
        // Looked at and given away by one descriptor: nothing else can take its place in between.
        let fd = rustix::fs::openat(&self.fd, name, FILE, Mode::empty()).map_err(no_link)?;
        if EntryFacts::new(&rustix::fs::fstat(&fd)?).names == 1 {
            rustix::fs::fchown(&fd, Some(Uid::from_raw(owner.0)), Some(Gid::from_raw(owner.1)))?;
        }
        Ok(())
    }

    /// The paths of all regular files below, relative to it, in order.
    pub fn files(&self) -> io::Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        self.gather(Path::new(""), 0, &mut found)?;
        found.sort();
        Ok(found)
    }

    fn gather(&self, below: &Path, level: usize, found: &mut Vec<PathBuf>) -> io::Result<()> {
        check_level(level)?;
        for (name, facts) in self.entries()? {
            match facts.kind {
                EntryKind::Folder => self.folder(&name)?.gather(&below.join(&name), level + 1, found)?,
                EntryKind::File => found.push(below.join(&name)),
                EntryKind::Link | EntryKind::Special => {}
            }
        }
        Ok(())
    }

    /// A regular file by a path of plain names.
    pub fn file_below(&self, below: &Path) -> io::Result<File> {
        let name = below.file_name().ok_or_else(|| io::Error::other("it is not a regular file"))?;
        self.descend(below.parent().unwrap_or(Path::new("")))?.file(name)
    }
}

/// A folder on its way out. What is nested too deep is raised to the top first, so that no depth costs stack or descriptors.
struct Removal<'a> {
    top: &'a FolderHandle,
    /// How many folders were raised.
    raised: u64,
}

impl Removal<'_> {
    /// Deeper than in any project, and far below what a stack holds.
    const LEVELS: usize = 64;

    fn clear(&mut self, folder: &FolderHandle, level: usize) -> io::Result<()> {
        let names: Vec<OsString> = folder.entries()?.into_keys().collect();
        for name in names {
            match self.remove(folder, &name, level) {
                Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                    folder.set_mode(0o700)?;
                    self.remove(folder, &name, level)?;
                }
                removed => removed?,
            }
        }
        Ok(())
    }

    fn remove(&mut self, folder: &FolderHandle, name: &OsStr, level: usize) -> io::Result<()> {
        if !folder.unlink(name)? {
            return Ok(());
        }
        if level >= Self::LEVELS {
            return self.raise(folder, name);
        }
        self.clear(&folder.folder(name)?, level + 1)?;
        folder.remove_empty(name)
    }

    fn raise(&mut self, folder: &FolderHandle, name: &OsStr) -> io::Result<()> {
        // A folder can be moved only by who may write it.
        folder.open_up(name)?;
        loop {
            self.raised += 1;
            let raised = format!(".parade-removed-{}", self.raised);
            match rustix::fs::renameat(&folder.fd, name, &self.top.fd, raised.as_str()) {
                Err(rustix::io::Errno::EXIST | rustix::io::Errno::NOTEMPTY | rustix::io::Errno::NOTDIR) => {}
                moved => return Ok(moved?),
            }
        }
    }
}

/// Refuses to go deeper.
fn check_level(level: usize) -> io::Result<()> {
    if level > MOST_LEVELS {
        return Err(io::Error::other(format!("its folders are nested more than {MOST_LEVELS} levels deep")));
    }
    Ok(())
}

/// A path as it is without links, as far as it exists.
pub fn without_links(path: &Path) -> PathBuf {
    for ancestor in path.ancestors() {
        if let (Ok(resolved), Ok(rest)) = (ancestor.canonicalize(), path.strip_prefix(ancestor)) {
            return if rest.as_os_str().is_empty() { resolved } else { resolved.join(rest) };
        }
    }
    path.to_owned()
}

/// A folder on whose path there is no link, made if it is not there. For paths that had none before a subject ran: a link that
/// is there now leads elsewhere. A kernel without this way of opening (before 5.6) does not notice links above the last folder.
pub fn make_unlinked(path: &Path) -> io::Result<FolderHandle> {
    let opened = match rustix::fs::openat2(CWD, path, FOLDER, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        Err(rustix::io::Errno::NOSYS) => return std::fs::create_dir_all(path).and_then(|()| FolderHandle::open(path)),
        opened => opened,
    };
    match (opened, path.parent(), path.file_name()) {
        (Ok(fd), ..) => Ok(FolderHandle { fd, path: path.to_owned() }),
        (Err(rustix::io::Errno::NOENT), Some(parent), Some(name)) => {
            let parent = make_unlinked(parent)?;
            match parent.make_folder(name) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => parent.folder(name),
                made => made,
            }
        }
        (Err(rustix::io::Errno::LOOP | rustix::io::Errno::NOTDIR), ..) => {
            Err(io::Error::other("a symbolic link, or something else that is no folder, is on its path"))
        }
        (Err(error), ..) => Err(error.into()),
    }
}

/// Removes a folder or file with all that is in it, from a folder that is out of a subject's reach.
pub fn remove_all(path: &Path) -> io::Result<()> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::Error::other("it has no name"));
    };
    let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    let parent = match rustix::fs::openat(CWD, parent, FOLDER.difference(OFlags::NOFOLLOW), Mode::empty()) {
        Ok(fd) => FolderHandle { fd, path: parent.to_owned() },
        Err(rustix::io::Errno::NOENT) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    match parent.remove(name) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            parent.set_mode(0o700)?;
            parent.remove(name)
        }
        removed => removed,
    }
}

fn plain(part: Component<'_>) -> io::Result<&OsStr> {
    match part {
        Component::Normal(name) => Ok(name),
        _ => Err(io::Error::other("it leads out of its folder")),
    }
}

fn times(modified: (i64, i64)) -> Timestamps {
    let time = Timespec { tv_sec: modified.0, tv_nsec: modified.1 };
    Timestamps { last_access: time, last_modification: time }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt, symlink};

    use super::*;

    /// A folder as a hostile subject would leave it, beside one that it must not reach.
    struct Trap {
        dir: tempfile::TempDir,
    }

    impl Trap {
        fn new() -> Self {
            let trap = Trap { dir: tempfile::tempdir().unwrap() };
            fs::create_dir_all(trap.path("outside/deep")).unwrap();
            fs::write(trap.path("outside/precious"), "secret").unwrap();
            fs::create_dir(trap.path("inside")).unwrap();
            symlink(trap.path("outside"), trap.path("inside/folder")).unwrap();
            symlink(trap.path("outside/precious"), trap.path("inside/file")).unwrap();
            symlink(trap.path("outside/missing"), trap.path("inside/dangling")).unwrap();
            rustix::fs::mknodat(CWD, trap.path("inside/pipe"), FileType::Fifo, Mode::RUSR, 0).unwrap();
            trap
        }

        fn path(&self, name: &str) -> PathBuf {
            self.dir.path().join(name)
        }

        fn inside(&self) -> FolderHandle {
            FolderHandle::open(&self.path("inside")).unwrap()
        }

        fn assert_outside_is_untouched(&self) {
            assert_eq!(fs::read_to_string(self.path("outside/precious")).unwrap(), "secret");
            assert!(self.path("outside/deep").is_dir() && !self.path("outside/missing").exists());
            assert_eq!(fs::read_dir(self.path("outside")).unwrap().count(), 2);
        }
    }

    #[test]
    fn no_link_is_followed_to_read() {
        let trap = Trap::new();
        let inside = trap.inside();
        for below in ["file", "dangling", "folder/precious", "folder", "pipe", "../outside/precious", ""] {
            assert!(inside.file_below(Path::new(below)).is_err(), "{below}");
        }
        for name in ["inside/file", "inside/pipe", "inside", "/dev/null"] {
            let error = open_regular(&trap.path(name)).unwrap_err().to_string();
            assert!(error.contains("symbolic link") || error.contains("not a regular file"), "{name}: {error}");
        }
        assert!(FolderHandle::open(&trap.path("inside/folder")).is_err());
        assert!(inside.files().unwrap().is_empty());
    }

    #[test]
    fn nothing_is_written_through_a_link() {
        let trap = Trap::new();
        let inside = trap.inside();
        for name in ["file", "dangling", "pipe"] {
            assert!(inside.create(OsStr::new(name)).is_err(), "{name}");
            inside.write(OsStr::new(name), b"ours", 0o644).unwrap();
            assert_eq!(fs::read_to_string(trap.path("inside").join(name)).unwrap(), "ours");
        }
        assert!(inside.make_folders(Path::new("folder/new"), None).is_err());
        assert!(inside.make_folder(OsStr::new("folder")).is_err());
        fs::hard_link(trap.path("outside/precious"), trap.path("inside/second-name")).unwrap();
        for name in ["folder", "second-name"] {
            assert!(inside.answerable(OsStr::new(name)).is_err(), "{name}");
        }
        trap.assert_outside_is_untouched();
    }

    #[test]
    fn removing_takes_links_and_not_what_they_lead_to() {
        let trap = Trap::new();
        fs::create_dir_all(trap.path("inside/locked/deep")).unwrap();
        fs::write(trap.path("inside/locked/deep/file"), "").unwrap();
        for folder in ["inside/locked/deep", "inside/locked"] {
            fs::set_permissions(trap.path(folder), fs::Permissions::from_mode(0o000)).unwrap();
        }
        remove_all(&trap.path("inside")).unwrap();
        assert!(!trap.path("inside").exists());
        remove_all(&trap.path("inside")).unwrap();
        trap.assert_outside_is_untouched();
    }

    #[test]
    fn what_is_given_away_is_never_what_a_link_leads_to() {
        if !rustix::process::geteuid().is_root() {
            println!("skipped: only root can give files away");
            return;
        }
        let trap = Trap::new();
        fs::write(trap.path("inside/own"), "").unwrap();
        fs::hard_link(trap.path("outside/precious"), trap.path("inside/second-name")).unwrap();
        trap.inside().give_all_to((65_534, 65_534)).unwrap();
        let owner = |name: &str| trap.path(name).symlink_metadata().unwrap().uid();
        assert_eq!(owner("inside/own"), 65_534);
        assert_eq!(owner("inside/folder"), 65_534, "the link itself");
        for name in ["outside", "outside/precious", "outside/deep"] {
            assert_eq!(owner(name), 0, "{name}");
        }
    }

    #[test]
    fn modes_are_changed_of_entries_and_not_of_what_links_lead_to() {
        let trap = Trap::new();
        let before = fs::metadata(trap.path("outside/precious")).unwrap().mode();
        trap.inside().set_mode_of(OsStr::new("file"), 0o777).unwrap();
        trap.inside().set_time_of(OsStr::new("file"), (1, 0)).unwrap();
        let after = fs::metadata(trap.path("outside/precious")).unwrap();
        assert_eq!(after.mode(), before);
        assert_ne!(after.mtime(), 1);
    }

    /// Folders in folders, made step by step: their path is longer than the kernel takes.
    fn nest(folder: &Path, levels: usize) {
        let mut here = FolderHandle::open(folder).unwrap();
        for _ in 0..levels {
            here.write(OsStr::new("file"), b"", 0o600).unwrap();
            let inner = here.make_folder(OsStr::new("d")).unwrap();
            here.set_mode(0o500).unwrap();
            here = inner;
        }
    }

    #[test]
    fn folders_nested_without_end_are_removed_and_nothing_else_goes_into_them() {
        let trap = Trap::new();
        nest(&trap.path("inside"), 6_000);
        let inside = trap.inside();
        assert!(inside.files().unwrap_err().to_string().contains("256 levels"));
        let give = inside.give_all_to((rustix::process::getuid().as_raw(), rustix::process::getgid().as_raw()));
        assert!(give.unwrap_err().to_string().contains("256 levels"));
        remove_all(&trap.path("inside")).unwrap();
        assert!(!trap.path("inside").exists());
        trap.assert_outside_is_untouched();
    }

    #[test]
    fn a_file_without_end_is_cut_off() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("sparse");
        File::create(&path).unwrap().set_len(1 << 40).unwrap();
        assert!(read_regular(&path, 1 << 10).unwrap_err().to_string().contains("larger than"));
    }
}
