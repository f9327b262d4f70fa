//! A file or folder that could not be read or written. It keeps the kind of the system's error, so that callers can tell a
//! full disk from everything else without reading messages.

use std::fmt::Display;
use std::io;

use miette::Diagnostic;

#[derive(Debug)]
struct FileError {
    message: String,
    help: Option<String>,
    kind: io::ErrorKind,
}

/// `what` names the file and what was to be done with it.
pub fn file_error(what: impl Display, error: &io::Error) -> miette::Report {
    FileError { message: format!("{what}: {error}"), help: None, kind: error.kind() }.into()
}

/// The same with what to do about it.
pub fn file_error_with_help(what: impl Display, error: &io::Error, help: &str) -> miette::Report {
    FileError { message: format!("{what}: {error}"), help: Some(help.to_owned()), kind: error.kind() }.into()
}

impl FileError {
    fn is_of_full_disk(&self) -> bool {
        matches!(self.kind, io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
    }
}

impl Display for FileError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for FileError {}

impl Diagnostic for FileError {
    fn help<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn Display>)
    }
}

/// Did something fail because there was no room left?
pub fn is_disk_full(error: &miette::Report) -> bool {
    error.chain().any(|cause| cause.downcast_ref::<FileError>().is_some_and(FileError::is_of_full_disk))
}

#[cfg(test)]
mod tests {
    use miette::WrapErr;

    use super::*;

    fn system(code: i32) -> io::Error {
        io::Error::from_raw_os_error(code)
    }

    #[test]
    fn a_full_disk_is_known_by_its_kind_wherever_it_is_in_the_chain() {
        const ENOSPC: i32 = 28;
        const EDQUOT: i32 = 122;
        for code in [ENOSPC, EDQUOT] {
            let own = file_error("a", &system(code));
            assert!(is_disk_full(&own));
            assert!(is_disk_full(&Err::<(), _>(own).wrap_err("b").unwrap_err()));
        }
        assert!(!is_disk_full(&file_error("a", &system(13))));
        assert!(!is_disk_full(&miette::miette!("a test said: No space left on device")));
    }
}
