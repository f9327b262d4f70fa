//! Where the output of a command goes: to a file by its path, or to one without a name.
//!
//! A path can be read in `/proc` by the command itself, and replaced by whoever may write its folder. A file without a name tells
//! nothing and cannot be replaced. Its content gets a name when the command has ended.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::file_content;
use crate::folder_handle;

#[derive(Debug, Clone, PartialEq)]
pub enum CommandOutput {
    /// Overwritten.
    Path(PathBuf),
    Unnamed(UnnamedOutput),
}

impl From<PathBuf> for CommandOutput {
    fn from(path: PathBuf) -> Self {
        CommandOutput::Path(path)
    }
}

/// A file that only parade and its keeper have open. It is gone when both have closed it, also if they are killed.
#[derive(Debug, Clone)]
pub struct UnnamedOutput {
    file: Arc<File>,
}

impl PartialEq for UnnamedOutput {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.file, &other.file)
    }
}

impl UnnamedOutput {
    /// In this folder, which is visible as its place in `/proc`.
    pub fn create_in(folder: &Path) -> io::Result<Self> {
        Ok(UnnamedOutput { file: Arc::new(tempfile::tempfile_in(folder)?) })
    }

    /// At most this many bytes from a position on, as far as they are written.
    pub fn read_from(&self, position: u64, most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        Positioned { file: &self.file, position }.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// In place of whatever has the name. The folder is made if it is not there; a link on the way to it is an error.
    pub fn copy_to(&self, path: &Path) -> io::Result<()> {
        let path = std::path::absolute(path)?;
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(io::Error::other("it has no name"));
        };
        let folder = folder_handle::make_unlinked(folder)?;
        folder.remove(name)?;
        let to = folder.create(name)?;
        to.set_permissions(std::fs::Permissions::from_mode(0o644))?;
        // The command can make its output as long as it likes, but not fill the disk by that.
        file_content::copy(&own_position(&self.file)?, &to, &|| false)?;
        to.sync_all()
    }

    pub(super) fn descriptor(&self) -> io::Result<File> {
        self.file.try_clone()
    }
}

/// The same file with a position of its own, so that the one that the keeper shares is not moved.
fn own_position(file: &File) -> io::Result<File> {
    File::open(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// Reads without moving the position that the keeper shares.
struct Positioned<'a> {
    file: &'a File,
    position: u64,
}

impl Read for Positioned<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.file.read_at(buffer, self.position)?;
        self.position += length as u64;
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unnamed_output_is_seen_nowhere_until_it_is_copied() {
        let folder = tempfile::tempdir().unwrap();
        let output = UnnamedOutput::create_in(folder.path()).unwrap();
        output.descriptor().unwrap().write_all_at(b"said", 0).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        assert_eq!(output.read_from(1, 2).unwrap(), b"ai");
        let (precious, log) = (folder.path().join("precious"), folder.path().join("logs/trial/log"));
        std::fs::write(&precious, "x").unwrap();
        std::fs::create_dir_all(log.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(&precious, &log).unwrap();
        output.copy_to(&log).unwrap();
        assert_eq!(std::fs::read_to_string(&log).unwrap(), "said");
        output.descriptor().unwrap().set_len(32 << 20).unwrap();
        output.copy_to(&log).unwrap();
        let copy = std::fs::metadata(&log).unwrap();
        assert!(copy.len() == 32 << 20 && std::os::unix::fs::MetadataExt::blocks(&copy) < 4096, "{copy:?}");
        assert_eq!(std::fs::read_to_string(&precious).unwrap(), "x");
    }

    #[test]
    fn a_link_on_the_way_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("outside")).unwrap();
        std::os::unix::fs::symlink(root.join("outside"), root.join("logs")).unwrap();
        let output = UnnamedOutput::create_in(&root).unwrap();
        for log in ["logs/log", "logs/trial/log"] {
            let error = output.copy_to(&root.join(log)).unwrap_err().to_string();
            assert!(error.contains("symbolic link"), "{error}");
        }
        assert_eq!(std::fs::read_dir(root.join("outside")).unwrap().count(), 0);
        assert_eq!(folder_handle::without_links(&root.join("logs/new/log")), root.join("outside/new/log"));
    }
}
