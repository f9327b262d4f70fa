//! File locks between parades on one machine. A lock dies with its process, so a killed parade blocks nobody.

use crate::file_error::file_error;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::Duration;

use miette::{Result, miette};

use super::Progress;

const POLL: Duration = Duration::from_millis(50);

/// Held as long as it lives.
#[derive(Debug)]
pub struct Hold {
    _file: File,
}

impl Hold {
    /// Without waiting: nothing where somebody has it, or where there is no such lock.
    pub(super) fn try_take(path: &Path) -> Option<Self> {
        let file = File::options().write(true).open(path).ok()?;
        file.try_lock().ok()?;
        Some(Hold { _file: file })
    }

    /// Waits until nobody else has it; what is waited for is told once.
    pub(super) fn take(path: &Path, what: &str, progress: &dyn Progress, interrupt: &dyn Fn() -> bool) -> Result<Self> {
        let file = open(path)?;
        let mut waiting = false;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Hold { _file: file }),
                Err(TryLockError::Error(error)) => {
                    return Err(file_error(format_args!("cannot lock {}", path.display()), &error));
                }
                Err(TryLockError::WouldBlock) if interrupt() => {
                    return Err(miette!("interrupted while another parade process used {what}"));
                }
                Err(TryLockError::WouldBlock) => {
                    if !waiting {
                        progress.stage(&format!("waiting for another parade process that uses {what}"));
                        waiting = true;
                    }
                    std::thread::sleep(POLL);
                }
            }
        }
    }
}

fn open(path: &Path) -> Result<File> {
    let failed = |error: std::io::Error| file_error(format_args!("cannot open the lock {}", path.display()), &error);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    OpenOptions::new().create(true).truncate(false).write(true).open(path).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::super::Silent;
    use super::*;
    use std::cell::Cell;

    #[test]
    fn a_second_taker_waits_and_can_be_interrupted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/lock");
        let first = Hold::take(&path, "x", &Silent, &|| false).unwrap();
        let asked = Cell::new(0);
        let interrupt = || {
            asked.set(asked.get() + 1);
            asked.get() > 2
        };
        let refused = Hold::take(&path, "the repository", &Silent, &interrupt).unwrap_err();
        assert!(refused.to_string().contains("the repository"));
        assert_eq!(asked.get(), 3);
        drop(first);
        Hold::take(&path, "x", &Silent, &|| true).unwrap();
    }
}
