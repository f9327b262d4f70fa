//! The content of a file, hashed and copied. Holes stay holes: a file that says it is large and holds little costs what it holds.
//!
//! What is read is at most what the file held when it was opened, and the caller can stop it at every block.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use rustix::fs::SeekFrom;
use sha2::{Digest, Sha256};

pub type ContentHash = [u8; 32];

const BLOCK: usize = 128 << 10;
static ZEROS: [u8; BLOCK] = [0; BLOCK];

/// The hash of a smaller file is the SHA-256 of its bytes. From this size on, blocks of zeros are left out of it, so that
/// the hash of a hole costs nothing and that of zeros is the same as that of a hole.
const LARGE: u64 = 1 << 30;

/// Copies a file's content. Both files are at their beginning, and `to` is empty.
pub fn copy(from: &File, to: &File, stop: &dyn Fn() -> bool) -> io::Result<()> {
    read(from, LARGE, stop, |block| block.copy_to(to)).and_then(|size| to.set_len(size))
}

pub fn hash(file: &File, stop: &dyn Fn() -> bool) -> io::Result<ContentHash> {
    hash_and_copy(file, None, stop)
}

/// Both in one go, so that the hash is of what was copied.
pub fn hash_and_copy(from: &File, to: Option<&File>, stop: &dyn Fn() -> bool) -> io::Result<ContentHash> {
    pour(from, to, LARGE, stop)
}

fn pour(from: &File, to: Option<&File>, large: u64, stop: &dyn Fn() -> bool) -> io::Result<ContentHash> {
    let mut hash = Sha256::new();
    let leaves_zeros_out = from.metadata()?.len() >= large;
    let size = read(from, large, stop, |block| {
        if leaves_zeros_out {
            let Some(bytes) = block.bytes.filter(|bytes| **bytes != ZEROS[..bytes.len()]) else { return Ok(()) };
            hash.update(block.at.to_le_bytes());
            hash.update(bytes);
        } else {
            hash.update(block.bytes.unwrap_or(&ZEROS[..block.length]));
        }
        to.map_or(Ok(()), |to| block.copy_to(to))
    })?;
    if leaves_zeros_out {
        hash.update(size.to_le_bytes());
    }
    to.map_or(Ok(()), |to| to.set_len(size))?;
    Ok(hash.finalize().into())
}

/// A part of a file.
struct Block<'a> {
    at: u64,
    length: usize,
    /// None in a hole.
    bytes: Option<&'a [u8]>,
}

impl Block<'_> {
    fn copy_to(&self, to: &File) -> io::Result<()> {
        self.bytes.map_or(Ok(()), |bytes| to.write_all_at(bytes, self.at))
    }
}

/// Reads a file block by block, and gives its size. Of a large file, holes are passed over without a word.
fn read(
    file: &File,
    large: u64,
    stop: &dyn Fn() -> bool,
    mut take: impl FnMut(&Block<'_>) -> io::Result<()>,
) -> io::Result<u64> {
    let size = file.metadata()?.len();
    let mut buffer = vec![0; BLOCK];
    let (mut at, mut data) = (0, 0);
    while at < size {
        if stop() {
            return Err(io::Error::other("parade was told to stop"));
        }
        if data <= at {
            data = next_data(file, at)?.unwrap_or(size).min(size);
        }
        let length = usize::try_from(size - at).map_or(BLOCK, |rest| rest.min(BLOCK));
        if at + length as u64 <= data {
            if size >= large {
                // To the block that the data begins in.
                at = if data == size { size } else { data / BLOCK as u64 * BLOCK as u64 };
                continue;
            }
            take(&Block { at, length, bytes: None })?;
            at += length as u64;
            continue;
        }
        let found = read_up_to(file, &mut buffer[..length], at)?;
        take(&Block { at, length: found, bytes: Some(&buffer[..found]) })?;
        at += found as u64;
        if found < length {
            // Somebody made it shorter meanwhile.
            return Ok(at);
        }
    }
    Ok(size)
}

/// Where the next data is, from a position on; none if the rest is a hole.
fn next_data(file: &File, at: u64) -> io::Result<Option<u64>> {
    match rustix::fs::seek(file, SeekFrom::Data(at)) {
        Ok(data) => Ok(Some(data)),
        Err(rustix::io::Errno::NXIO) => Ok(None),
        // A file system that does not tell.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::OPNOTSUPP) => Ok(Some(at)),
        Err(error) => Err(error.into()),
    }
}

fn read_up_to(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    let mut found = 0;
    while found < buffer.len() {
        match file.read_at(&mut buffer[found..], at + found as u64) {
            Ok(0) => break,
            Ok(length) => found += length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::os::unix::fs::MetadataExt;

    use super::*;

    const MIB: u64 = 1 << 20;

    fn never() -> bool {
        false
    }

    /// 64 MiB that hold three pieces of data.
    fn sparse() -> File {
        let file = tempfile::tempfile().unwrap();
        file.set_len(64 * MIB).unwrap();
        for (at, text) in [(3, "begin"), (20 * MIB + 7, "middle"), (64 * MIB - 3, "end")] {
            file.write_all_at(text.as_bytes(), at).unwrap();
        }
        file
    }

    fn bytes(file: &File) -> Vec<u8> {
        let mut bytes = vec![0; file.metadata().unwrap().len() as usize];
        file.read_exact_at(&mut bytes, 0).unwrap();
        bytes
    }

    #[test]
    fn holes_are_copied_as_holes_and_hashed_as_zeros() {
        let (from, to) = (sparse(), tempfile::tempfile().unwrap());
        let hash = hash_and_copy(&from, Some(&to), &never).unwrap();
        let content = bytes(&from);
        assert!(content == bytes(&to), "the same content");
        assert_eq!(hash, <[u8; 32]>::from(Sha256::digest(&content)), "as it always was");
        assert!(to.metadata().unwrap().blocks() * 512 < 4 * MIB, "{} blocks", to.metadata().unwrap().blocks());
        let plain = tempfile::tempfile().unwrap();
        copy(&from, &plain, &never).unwrap();
        assert!(content == bytes(&plain) && plain.metadata().unwrap().blocks() * 512 < 4 * MIB);
    }

    #[test]
    fn the_hash_of_a_large_file_does_not_depend_on_where_its_holes_are() {
        let (from, dense) = (sparse(), tempfile::tempfile().unwrap());
        dense.write_all_at(&bytes(&from), 0).unwrap();
        let hash = |file: &File| pour(file, None, MIB, &never).unwrap();
        assert_eq!(hash(&from), hash(&dense));
        let longer = sparse();
        longer.set_len(64 * MIB + 1).unwrap();
        let moved = sparse();
        moved.write_all_at(b"\0middle", 20 * MIB + 7).unwrap();
        assert!(hash(&longer) != hash(&from) && hash(&moved) != hash(&from));
    }

    #[test]
    fn a_large_file_that_holds_little_is_done_at_once() {
        let (from, to) = (sparse(), tempfile::tempfile().unwrap());
        let asked = Cell::new(0);
        let stop = || {
            asked.set(asked.get() + 1);
            false
        };
        let hash = pour(&from, Some(&to), MIB, &stop).unwrap();
        assert!(asked.get() < 10, "{} blocks", asked.get());
        assert_eq!(to.metadata().unwrap().len(), 64 * MIB);
        assert_eq!(pour(&to, None, MIB, &never).unwrap(), hash);
    }

    #[test]
    fn whoever_is_told_to_stop_stops() {
        let asked = Cell::new(0);
        let stop = || {
            asked.set(asked.get() + 1);
            asked.get() > 3
        };
        assert!(hash(&sparse(), &stop).is_err());
        assert_eq!(asked.get(), 4);
    }
}
