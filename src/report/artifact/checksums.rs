//! `CHECKSUMS.sha256`, as sha256sum writes and reads it.

use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use miette::miette;
use sha2::{Digest, Sha256};

use crate::folders;
use crate::wording::hex;

pub(super) const FILE: &str = "CHECKSUMS.sha256";

/// Writes the checksums of all files below a folder, and says how many there are.
pub(super) fn write(folder: &Path) -> miette::Result<usize> {
    let files = folders::files(folder)?;
    let mut list = Vec::new();
    for file in &files {
        list.extend(line(&digest(&folder.join(file))?, file.as_os_str().as_bytes()));
    }
    crate::whole_file::write_atomically(&folder.join(FILE), &list)?;
    Ok(files.len())
}

fn digest(path: &Path) -> miette::Result<String> {
    let failed = |error: std::io::Error| miette!("{} could not be read: {error}", path.display());
    let mut file = File::open(path).map_err(failed)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer).map_err(failed)? {
            0 => return Ok(hex(&hash.finalize())),
            length => hash.update(&buffer[..length]),
        }
    }
}

/// A name with a line break or a backslash in it is escaped, and the line begins with a backslash to say so.
fn line(digest: &str, name: &[u8]) -> Vec<u8> {
    let is_odd = name.iter().any(|byte| matches!(byte, b'\\' | b'\n' | b'\r'));
    let mut line = if is_odd { b"\\".to_vec() } else { Vec::new() };
    line.extend(digest.bytes());
    line.extend(b"  ");
    for byte in name {
        match byte {
            b'\\' => line.extend(b"\\\\"),
            b'\n' => line.extend(b"\\n"),
            b'\r' => line.extend(b"\\r"),
            other => line.push(*other),
        }
    }
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_has_a_line_that_sha256sum_reads() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("a")).unwrap();
        std::fs::write(dir.path().join("a/empty"), "").unwrap();
        std::fs::write(dir.path().join("odd\\na\nme"), "x").unwrap();
        assert_eq!(write(dir.path()).unwrap(), 2);
        let list = std::fs::read_to_string(dir.path().join(FILE)).unwrap();
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert!(list.contains(&format!("{empty}  a/empty\n")), "{list}");
        assert!(list.contains("  odd\\\\na\\nme\n") && list.lines().any(|line| line.starts_with('\\')), "{list}");
    }
}
