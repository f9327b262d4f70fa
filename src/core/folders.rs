//! Folders as a whole: copied, listed, measured. Links are never followed, and what is neither file nor folder is left out.

use std::fs::{self, File, FileType};
use std::path::{Path, PathBuf};

use crate::file_content;
use crate::file_error::file_error;
use crate::folder_handle::FolderHandle;

/// Copies the files below a folder, with their holes; what is there already is replaced. Links are left out.
pub fn copy(from: &Path, to: &Path) -> miette::Result<()> {
    let failed =
        |path: &Path, error: std::io::Error| file_error(format_args!("{} could not be copied", path.display()), &error);
    fs::create_dir_all(to).map_err(|error| failed(to, error))?;
    let source = FolderHandle::open(from).map_err(|error| failed(from, error))?;
    for file in source.files().map_err(|error| failed(from, error))? {
        let target = to.join(&file);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent).map_err(|error| failed(parent, error))?;
        }
        let copied = source.file_below(&file).and_then(|from| {
            let copy = File::create(&target)?;
            copy.set_permissions(from.metadata()?.permissions())?;
            file_content::copy(&from, &copy, &|| false)
        });
        copied.map_err(|error| failed(&from.join(&file), error))?;
    }
    Ok(())
}

/// The paths of all files below a folder, relative to it, in order.
pub fn files(folder: &Path) -> miette::Result<Vec<PathBuf>> {
    below(folder, FileType::is_file)
}

/// And of all links.
pub fn links(folder: &Path) -> miette::Result<Vec<PathBuf>> {
    below(folder, FileType::is_symlink)
}

fn below(folder: &Path, is_wanted: fn(&FileType) -> bool) -> miette::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![PathBuf::new()];
    while let Some(below) = open.pop() {
        let here = folder.join(&below);
        let failed = |error: std::io::Error| file_error(format_args!("{} could not be read", here.display()), &error);
        for entry in fs::read_dir(&here).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let kind = entry.file_type().map_err(failed)?;
            let path = below.join(entry.file_name());
            if kind.is_dir() {
                open.push(path);
            } else if is_wanted(&kind) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// What the files below a folder hold, in bytes; of a file, its own size. Nothing if it cannot be read.
pub fn bytes(path: &Path) -> Option<u64> {
    let metadata = fs::symlink_metadata(path).ok()?;
    if metadata.is_file() {
        return Some(metadata.len());
    }
    let sizes = files(path).ok()?.into_iter().map(|file| fs::symlink_metadata(path.join(file)).map_or(0, |m| m.len()));
    Some(sizes.sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_copied_without_its_links() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("from"), dir.path().join("to"));
        fs::create_dir_all(from.join("a/b")).unwrap();
        fs::write(from.join("a/b/file"), "12345").unwrap();
        fs::write(from.join("top"), "67").unwrap();
        std::os::unix::fs::symlink("/etc", from.join("a/link")).unwrap();
        File::options().write(true).open(from.join("top")).unwrap().set_len(32 << 20).unwrap();
        copy(&from, &to).unwrap();
        let top = fs::metadata(to.join("top")).unwrap();
        assert!(top.len() == 32 << 20 && std::os::unix::fs::MetadataExt::blocks(&top) < 4096, "{top:?}");
        File::options().write(true).open(from.join("top")).unwrap().set_len(2).unwrap();
        copy(&from, &to).unwrap();
        assert_eq!(files(&to).unwrap(), [PathBuf::from("a/b/file"), PathBuf::from("top")]);
        assert_eq!((bytes(&to), bytes(&to.join("top"))), (Some(7), Some(2)));
        assert_eq!(bytes(&dir.path().join("none")), None);
    }
}
