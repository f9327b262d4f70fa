//! A command's output on disk, never longer than its limit.
//!
//! The file grows like any log until the limit is reached. From then on its second half is a ring that keeps the newest
//! bytes; when the output has ended, the ring is unrolled. Memory use does not depend on the limit.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

pub struct Log {
    path: PathBuf,
    file: File,
    limit: u64,
    /// Bytes received, kept or not.
    received: u64,
    finished: bool,
}

impl Log {
    pub fn create(path: &Path, limit: u64) -> io::Result<Self> {
        let file = File::options().read(true).write(true).create(true).truncate(true).open(path)?;
        Ok(Log { path: path.to_owned(), file, limit, received: 0, finished: false })
    }

    pub fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() && !self.finished {
            let (offset, room) = self.place();
            if room == 0 {
                self.received += bytes.len() as u64;
                return Ok(());
            }
            let count = usize::try_from(room).unwrap_or(usize::MAX).min(bytes.len());
            let (now, later) = bytes.split_at(count);
            self.file.write_all_at(now, offset)?;
            self.received += count as u64;
            bytes = later;
        }
        Ok(())
    }

    /// Where the next byte goes, and how many fit there in a row.
    fn place(&self) -> (u64, u64) {
        if self.received < self.limit {
            return (self.received, self.limit - self.received);
        }
        let ring = self.limit - self.head();
        let turned = (self.received - self.limit).checked_rem(ring).unwrap_or(0);
        (self.head() + turned, ring - turned)
    }

    /// Bytes at the beginning that are never overwritten.
    fn head(&self) -> u64 {
        self.limit / 2
    }

    /// Puts the file in order and on the disk. True if something was cut. What is written later is dropped.
    pub fn finish(&mut self) -> io::Result<bool> {
        self.finished = true;
        let cut = self.received.saturating_sub(self.limit);
        if cut > 0 {
            self.unroll(cut)?;
        }
        match self.file.sync_all() {
            // Devices and pipes have nothing to sync.
            Err(error) if error.kind() != io::ErrorKind::InvalidInput => Err(error),
            _ => Ok(cut > 0),
        }
    }

    fn unroll(&mut self, cut: u64) -> io::Result<()> {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let (oldest, _) = self.place();
        let mut unrolled = tempfile::NamedTempFile::new_in(folder)?;
        self.copy(0..self.head(), &mut unrolled)?;
        writeln!(unrolled, "\n[parade cut {cut} bytes of output here]")?;
        self.copy(oldest..self.limit, &mut unrolled)?;
        self.copy(self.head()..oldest, &mut unrolled)?;
        unrolled.as_file().set_permissions(self.file.metadata()?.permissions())?;
        unrolled.as_file().sync_all()?;
        self.file = unrolled.persist(&self.path).map_err(|error| error.error)?;
        Ok(())
    }

    fn copy(&mut self, range: std::ops::Range<u64>, to: &mut impl Write) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(range.start))?;
        io::copy(&mut (&self.file).take(range.end - range.start), to).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logged(limit: u64, pieces: &[&str]) -> (String, bool) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let mut log = Log::create(&path, limit).unwrap();
        for piece in pieces {
            log.write(piece.as_bytes()).unwrap();
            assert!(std::fs::metadata(&path).unwrap().len() <= limit);
        }
        let cut = log.finish().unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        (std::fs::read_to_string(path).unwrap(), cut)
    }

    #[test]
    fn output_within_the_limit_is_kept_as_it_is() {
        assert_eq!(logged(10, &["01234", "56789"]), ("0123456789".to_owned(), false));
        assert_eq!(logged(10, &[]), (String::new(), false));
    }

    #[test]
    fn head_and_tail_are_kept_and_the_gap_is_stated() {
        let expected = |cut, tail| (format!("01234\n[parade cut {cut} bytes of output here]\n{tail}"), true);
        assert_eq!(logged(10, &["0123456789", "a"]), expected(1, "6789a"));
        assert_eq!(logged(10, &["01234567", "89abcdef"]), expected(6, "bcdef"));
        assert_eq!(logged(10, &["0123456789abcdefghijklmnopqrstuvwxyz"]), expected(26, "vwxyz"));
        assert_eq!(logged(10, &["0123456789", "abcde"]), expected(5, "abcde"));
    }

    #[test]
    fn a_limit_of_nothing_keeps_nothing() {
        assert_eq!(logged(0, &["abc"]), ("\n[parade cut 3 bytes of output here]\n".to_owned(), true));
        assert_eq!(logged(1, &["abc"]), ("\n[parade cut 2 bytes of output here]\nc".to_owned(), true));
    }

    #[test]
    fn a_full_disk_is_an_error() {
        let mut log = Log::create(Path::new("/dev/full"), 10).unwrap();
        assert_eq!(log.write(b"abc").unwrap_err().kind(), io::ErrorKind::StorageFull);
    }
}
