//! The output of the Maven that runs now, for who shows how far it is. It has no name until Maven has ended.

use std::sync::{Mutex, PoisonError};

use crate::process::UnnamedOutput;

static CURRENT: Mutex<Option<LiveLog>> = Mutex::new(None);

#[derive(Debug, Clone, PartialEq)]
pub struct LiveLog {
    output: UnnamedOutput,
}

/// Ends it.
pub(super) struct LiveLogGuard {
    log: LiveLog,
}

impl LiveLog {
    /// The one that began last, if it has not ended.
    pub fn current() -> Option<Self> {
        CURRENT.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn begin(output: &UnnamedOutput) -> LiveLogGuard {
        let log = LiveLog { output: output.clone() };
        *CURRENT.lock().unwrap_or_else(PoisonError::into_inner) = Some(log.clone());
        LiveLogGuard { log }
    }

    /// At most this many bytes from a position on; nothing where it cannot be read.
    pub fn read_from(&self, position: u64, most: u64) -> Vec<u8> {
        self.output.read_from(position, most).unwrap_or_default()
    }
}

impl Drop for LiveLogGuard {
    fn drop(&mut self) {
        let mut current = CURRENT.lock().unwrap_or_else(PoisonError::into_inner);
        if current.as_ref() == Some(&self.log) {
            *current = None;
        }
    }
}
