//! Files that are read whole and written whole: model suites, dependencies, the documents of a run, what builds revealed.
//! What is too large to be one of them, or has no end, is refused before it fills the memory; what is written is there
//! whole or not at all.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use miette::miette;

use crate::file_content;
use crate::file_error::{file_error, file_error_with_help};
use crate::folder_handle;

/// The manifest of the largest plan that parade accepts is a fifth of this.
const LIMIT: u64 = 256 << 20;

pub fn read(path: &Path) -> miette::Result<String> {
    let mut text = String::new();
    bounded(path, |mut file| file.read_to_string(&mut text))?;
    Ok(text)
}

/// The same for what need not be text.
pub fn read_bytes(path: &Path) -> miette::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    bounded(path, |mut file| file.read_to_end(&mut bytes))?;
    Ok(bytes)
}

/// The same for a file of parade's own, which is never a link, a pipe or a device.
pub fn read_own(path: &Path) -> miette::Result<String> {
    let failed = |error: std::io::Error| file_error(format_args!("{} could not be read", path.display()), &error);
    let bytes = folder_handle::read_regular(path, LIMIT).map_err(failed)?;
    String::from_utf8(bytes).map_err(|_| failed(std::io::Error::other("it is not UTF-8")))
}

fn bounded(path: &Path, read: impl FnOnce(std::io::Take<File>) -> std::io::Result<usize>) -> miette::Result<()> {
    let failed = |error: std::io::Error| file_error(format_args!("{} could not be read", path.display()), &error);
    let length = read(File::open(path).map_err(failed)?.take(LIMIT + 1)).map_err(failed)?;
    if length as u64 > LIMIT {
        return Err(miette!(help = "is it the right file?", "{} is larger than 256 MiB", path.display()));
    }
    Ok(())
}

/// Copies a regular file in place of whatever has the other name. Links at either end are not followed.
pub fn copy_regular(from: &Path, to: &Path) -> std::io::Result<()> {
    let from = folder_handle::open_regular(from)?;
    let folder = to.parent().unwrap_or(Path::new("."));
    let file = tempfile::Builder::new().prefix(".parade-").tempfile_in(folder)?;
    file_content::copy(&from, file.as_file(), &|| false)?;
    make_readable(file.as_file())?;
    file.persist(to).map(drop).map_err(|error| error.error)
}

/// Writes a file so that it is either there whole or not at all.
pub fn write_atomically(path: &Path, content: &[u8]) -> miette::Result<()> {
    let failed = |error: std::io::Error| {
        let help = "check the free disk space and the permissions of the folder";
        file_error_with_help(format_args!("{} could not be written", path.display()), &error, help)
    };
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mut file = tempfile::Builder::new().prefix(".parade-").tempfile_in(folder).map_err(failed)?;
    std::io::Write::write_all(&mut file, content).map_err(failed)?;
    file.as_file().sync_all().map_err(failed)?;
    let file = file.persist(path).map_err(|error| failed(error.error))?;
    make_readable(&file).map_err(failed)?;
    sync_folder(folder).map_err(failed)
}

/// Temporary files are private to their owner; results are not.
fn make_readable(file: &std::fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

/// A rename is durable only once its folder is.
pub fn sync_folder(folder: &Path) -> std::io::Result<()> {
    std::fs::File::open(folder)?.sync_all()
}

/// The same for a record of ours.
pub fn write_json(path: &Path, record: &impl serde::Serialize) -> miette::Result<()> {
    let text = serde_json::to_vec(record).map_err(|error| miette!("{} cannot be written: {error}", path.display()))?;
    write_atomically(path, &text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_whole_file_is_refused_by_name() {
        for (path, why) in
            [("/nowhere/file", "No such file"), ("/dev/zero", "larger than"), ("/proc/self/exe", "UTF-8")]
        {
            let error = read(Path::new(path)).unwrap_err().to_string();
            assert!(error.contains(path) && error.contains(why), "{error}");
        }
    }
}
