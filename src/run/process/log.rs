//! A command's output on disk, never longer than its limit.
//!
//! The file grows like any log until the limit is reached. From then on its second half is a ring that keeps the newest
//! bytes; when the output has ended, the ring is unrolled. Memory use does not depend on the limit.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileExt, FileTypeExt};
use std::path::{Path, PathBuf};

pub struct Log {
    /// None of a file without a name.
    path: Option<PathBuf>,
    file: File,
    limit: u64,
    /// Bytes received, kept or not.
    received: u64,
    finished: bool,
}

impl Log {
    /// In place of a log that is there already. A link of that name is replaced too, and what it leads to is left alone.
    pub fn create(path: &Path, limit: u64) -> io::Result<Self> {
        let kind = path.symlink_metadata().map(|metadata| metadata.file_type());
        match kind {
            Ok(kind) if kind.is_file() || kind.is_symlink() => std::fs::remove_file(path)?,
            // No subject can make one.
            Ok(kind) if kind.is_char_device() => {
                let file = File::options().read(true).write(true).open(path)?;
                return Ok(Log { path: Some(path.to_owned()), file, limit, received: 0, finished: false });
            }
            Ok(_) => return Err(io::Error::other("something that is not a file has its name")),
            Err(_) => {}
        }
        let file = File::options().read(true).write(true).create_new(true).open(path)?;
        Ok(Log { path: Some(path.to_owned()), file, limit, received: 0, finished: false })
    }

    /// In the empty file that this process has as its standard output.
    pub fn at_stdout(limit: u64) -> io::Result<Self> {
        let file = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        Ok(Log { path: None, file, limit, received: 0, finished: false })
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
        let Some(path) = self.path.clone() else { return self.unroll_in_place(cut) };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let (oldest, _) = self.place();
        let mut unrolled = tempfile::NamedTempFile::new_in(folder)?;
        self.copy(0..self.head(), &mut unrolled)?;
        unrolled.write_all(cut_marker(cut).as_bytes())?;
        self.copy(oldest..self.limit, &mut unrolled)?;
        self.copy(self.head()..oldest, &mut unrolled)?;
        unrolled.as_file().set_permissions(self.file.metadata()?.permissions())?;
        unrolled.as_file().sync_all()?;
        self.file = unrolled.persist(&path).map_err(|error| error.error)?;
        Ok(())
    }

    /// The tail is written in its order behind the ring, and then moved to where the ring began.
    fn unroll_in_place(&mut self, cut: u64) -> io::Result<()> {
        let (oldest, _) = self.place();
        let marker = cut_marker(cut);
        self.file.write_all_at(marker.as_bytes(), self.limit)?;
        let mut end = self.limit + marker.len() as u64;
        end = self.move_bytes(oldest..self.limit, end)?;
        end = self.move_bytes(self.head()..oldest, end)?;
        let length = self.move_bytes(self.limit..end, self.head())?;
        self.file.set_len(length)
    }

    /// Piece by piece from the front, so that a target before the range may overlap it. Tells where the copy ends.
    fn move_bytes(&self, range: std::ops::Range<u64>, mut to: u64) -> io::Result<u64> {
        let mut buffer = vec![0; 64 << 10];
        let mut from = range.start;
        while from < range.end {
            let piece = usize::try_from(range.end - from).unwrap_or(usize::MAX).min(buffer.len());
            self.file.read_exact_at(&mut buffer[..piece], from)?;
            self.file.write_all_at(&buffer[..piece], to)?;
            from += piece as u64;
            to += piece as u64;
        }
        Ok(to)
    }

    fn copy(&mut self, range: std::ops::Range<u64>, to: &mut impl Write) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(range.start))?;
        io::copy(&mut (&self.file).take(range.end - range.start), to).map(|_| ())
    }
}

fn cut_marker(cut: u64) -> String {
    format!("\n[parade cut {cut} bytes of output here]\n")
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
        let text = std::fs::read_to_string(path).unwrap();
        assert_eq!(logged_without_name(limit, pieces), (text.clone(), cut), "with a name or without");
        (text, cut)
    }

    fn logged_without_name(limit: u64, pieces: &[&str]) -> (String, bool) {
        let mut file = tempfile::tempfile().unwrap();
        let own = file.try_clone().unwrap();
        let mut log = Log { path: None, file: own, limit, received: 0, finished: false };
        pieces.iter().for_each(|piece| log.write(piece.as_bytes()).unwrap());
        let cut = log.finish().unwrap();
        let mut text = String::new();
        file.rewind().unwrap();
        file.read_to_string(&mut text).unwrap();
        (text, cut)
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
    fn a_link_in_place_of_a_log_is_replaced_and_a_pipe_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (precious, path) = (folder.path().join("precious"), folder.path().join("log"));
        std::fs::write(&precious, "x").unwrap();
        std::os::unix::fs::symlink(&precious, &path).unwrap();
        let mut log = Log::create(&path, 10).unwrap();
        log.write(b"ours").unwrap();
        assert_eq!(std::fs::read_to_string(&precious).unwrap(), "x");
        assert!(!path.is_symlink());
        std::fs::remove_file(&path).unwrap();
        let mode = rustix::fs::Mode::RUSR;
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        assert!(Log::create(&path, 10).is_err());
    }

    #[test]
    fn a_full_disk_is_an_error() {
        let mut log = Log::create(Path::new("/dev/full"), 10).unwrap();
        assert_eq!(log.write(b"abc").unwrap_err().kind(), io::ErrorKind::StorageFull);
    }
}
