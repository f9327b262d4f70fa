//! Running a command as someone else: who that is, whether it can be done here, and what that user can reach.
//!
//! Access is judged by owner, group and mode. Access control lists and security modules may still say no.

use std::ffi::{CStr, CString, OsString};
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use miette::miette;
use rustix::process::{Gid, Uid};
use serde::{Deserialize, Serialize};

use crate::folder_handle::FolderHandle;

/// A user of this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    pub name: String,
    pub uid: u32,
    pub gid: u32,
    /// All groups, the one above included.
    pub groups: Vec<u32>,
    pub home: PathBuf,
}

/// Linux's numbers of what it takes to hand files over and to change group and user.
const CAPABILITIES: [(u32, &str); 3] = [(0, "CAP_CHOWN"), (6, "CAP_SETGID"), (7, "CAP_SETUID")];

/// The user of this name, if commands can be run as that user here. One that parade is already is `None`.
pub fn other_user(name: &str) -> miette::Result<Option<Account>> {
    let account = Account::find(name)?;
    if account.uid == rustix::process::geteuid().as_raw() {
        return Ok(None);
    }
    match missing_privileges() {
        None => Ok(Some(account)),
        Some(missing) => Err(miette!(
            help = format!("run parade as root, or as {name}, or leave `user` out"),
            "parade cannot run anything as {name}: {missing}"
        )),
    }
}

/// Why commands cannot be run as another user; `None` where they can.
pub fn missing_privileges() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let effective = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let effective = effective.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok()).unwrap_or(0);
    let missing: Vec<&str> =
        CAPABILITIES.iter().filter(|(bit, _)| effective & (1 << bit) == 0).map(|(_, name)| *name).collect();
    match (missing.is_empty(), rustix::process::geteuid().is_root()) {
        (true, _) => None,
        (false, true) => Some(format!("it is root, but lacks {}", missing.join(", "))),
        (false, false) => Some("it is not root".to_owned()),
    }
}

impl Account {
    fn find(name: &str) -> miette::Result<Account> {
        let found = CString::new(name).ok().filter(|_| !name.is_empty()).map(|name| entry(&name)).transpose();
        let found = found.map_err(|error| miette!("the user {name} cannot be looked up: {error}"))?.flatten();
        let unknown = || {
            let shown: String = name.chars().filter(|c| !c.is_control()).take(60).collect();
            miette!(
                help = "write the name of a user of this machine, e.g. \"nobody\"; `useradd` creates one",
                "this machine has no user `{shown}`"
            )
        };
        let Entry { uid, gid, home } = found.ok_or_else(unknown)?;
        let groups = CString::new(name).map(|name| groups(&name, gid)).unwrap_or_else(|_| vec![gid]);
        Ok(Account { name: name.to_owned(), uid, gid, groups, home })
    }

    /// Gives a file, folder or link to this user; what a link leads to stays whose it is.
    pub fn take_over(&self, path: &Path) -> io::Result<()> {
        std::os::unix::fs::lchown(path, Some(self.uid), Some(self.gid))
    }

    /// A folder with all that is in it, whatever its owners do to it meanwhile.
    pub fn take_over_all(&self, folder: &Path) -> io::Result<()> {
        FolderHandle::open(folder)?.give_all_to(self.owner())
    }

    /// As the owner of a file.
    pub fn owner(&self) -> (u32, u32) {
        (self.uid, self.gid)
    }

    /// Could this user put something else into the place of what is in the folder?
    pub(super) fn may_write(&self, folder: &Path) -> io::Result<bool> {
        let metadata = folder.metadata()?;
        let bit = if metadata.uid() == self.uid {
            // An owner can always allow itself to.
            return Ok(self.uid != 0);
        } else if self.groups.contains(&metadata.gid()) {
            0o020
        } else {
            0o002
        };
        let is_sticky = metadata.mode() & 0o1000 != 0;
        Ok(self.uid != 0 && metadata.mode() & bit != 0 && !is_sticky)
    }

    /// The first folder on the way to a path, itself included if it is one, that this user may not enter.
    pub fn closed_to(&self, path: &Path) -> Option<PathBuf> {
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let mut folders: Vec<&Path> = real.ancestors().filter(|folder| folder.is_dir()).collect();
        folders.reverse();
        folders.into_iter().find(|folder| !self.may_enter(folder)).map(Path::to_owned)
    }

    fn may_enter(&self, folder: &Path) -> bool {
        let Ok(metadata) = folder.metadata() else { return true };
        let bit = if metadata.uid() == self.uid {
            0o100
        } else if self.groups.contains(&metadata.gid()) {
            0o010
        } else {
            0o001
        };
        self.uid == 0 || metadata.mode() & bit != 0
    }

    /// What tells programs who they run as. A folder for temporary files of someone else's is not passed on.
    pub fn adapt(&self, environment: &mut std::collections::BTreeMap<String, String>) {
        environment.insert("USER".to_owned(), self.name.clone());
        environment.insert("LOGNAME".to_owned(), self.name.clone());
        environment.insert("HOME".to_owned(), self.home.to_string_lossy().into_owned());
        environment.remove("TMPDIR");
    }

    /// Makes this thread, of a process that has no other, the user's for good.
    pub(super) fn become_it(&self) -> io::Result<()> {
        let groups: Vec<Gid> = self.groups.iter().map(|group| Gid::from_raw(*group)).collect();
        let (uid, gid) = (Uid::from_raw(self.uid), Gid::from_raw(self.gid));
        rustix::thread::set_thread_groups(&groups)?;
        rustix::thread::set_thread_res_gid(gid, gid, gid)?;
        rustix::thread::set_thread_res_uid(uid, uid, uid)?;
        Ok(())
    }
}

struct Entry {
    uid: u32,
    gid: u32,
    home: PathBuf,
}

/// From wherever this machine keeps its users, which need not be a file.
#[expect(unsafe_code, reason = "no safe wrapper of getpwnam_r is among the dependencies")]
fn entry(name: &CStr) -> io::Result<Option<Entry>> {
    let mut buffer = vec![0; 64 << 10];
    let mut record = std::mem::MaybeUninit::<libc::passwd>::uninit();
    let mut result = std::ptr::null_mut();
    // SAFETY: all pointers are to live values of ours, and the length is the buffer's.
    let code = unsafe {
        libc::getpwnam_r(name.as_ptr(), record.as_mut_ptr(), buffer.as_mut_ptr(), buffer.len(), &raw mut result)
    };
    match (code, result.is_null()) {
        (0, true) => return Ok(None),
        (0, false) => {}
        (code, _) => return Err(io::Error::from_raw_os_error(code)),
    }
    // SAFETY: the call succeeded and found an entry, so the record is filled, and its text lies in the buffer.
    let (record, home) = unsafe {
        let record = record.assume_init();
        (record, CStr::from_ptr(record.pw_dir).to_bytes().to_vec())
    };
    Ok(Some(Entry { uid: record.pw_uid, gid: record.pw_gid, home: OsString::from_vec(home).into() }))
}

/// All groups of a user; only the given one where they cannot be had.
#[expect(unsafe_code, reason = "no safe wrapper of getgrouplist is among the dependencies")]
fn groups(name: &CStr, gid: u32) -> Vec<u32> {
    let mut groups = vec![0; 1024];
    let mut count = i32::try_from(groups.len()).unwrap_or(0);
    // SAFETY: the name ends in a zero byte, and the count is that of the groups there is room for.
    let code = unsafe { libc::getgrouplist(name.as_ptr(), gid, groups.as_mut_ptr(), &raw mut count) };
    match usize::try_from(count) {
        Ok(count) if code >= 0 => {
            groups.truncate(count);
            groups
        }
        _ => vec![gid],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn stranger() -> Account {
        Account { name: "x".into(), uid: 4_000_000, gid: 4_000_000, groups: vec![4_000_000], home: "/x".into() }
    }

    #[test]
    fn users_of_the_machine_are_known_and_others_are_not() {
        let root = Account::find("root").unwrap();
        assert_eq!((root.uid, root.gid), (0, 0));
        assert!(root.groups.contains(&0));
        for name in ["", "no-such-user-here", "ro\0ot"] {
            let error = Account::find(name).unwrap_err();
            assert!(error.to_string().starts_with("this machine has no user"), "{error}");
        }
    }

    #[test]
    fn a_folder_that_is_closed_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let (open, closed) = (folder.path().join("open"), folder.path().join("open/closed"));
        std::fs::create_dir_all(closed.join("deep")).unwrap();
        for (path, mode) in [(folder.path(), 0o755), (open.as_path(), 0o711), (closed.as_path(), 0o700)] {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        }
        let closed = closed.canonicalize().unwrap();
        assert_eq!(stranger().closed_to(&closed.join("deep/not/there/yet")), Some(closed.clone()));
        assert_eq!(stranger().closed_to(&open), None);
        assert_eq!(Account::find("root").unwrap().closed_to(&closed), None);
    }

    #[test]
    fn the_environment_names_the_user() {
        let mut environment = [("HOME", "/root"), ("TMPDIR", "/root/tmp"), ("PATH", "/bin")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into();
        stranger().adapt(&mut environment);
        let expected = [("HOME", "/x"), ("LOGNAME", "x"), ("PATH", "/bin"), ("USER", "x")];
        assert!(environment.iter().map(|(name, value)| (name.as_str(), value.as_str())).eq(expected));
    }
}
