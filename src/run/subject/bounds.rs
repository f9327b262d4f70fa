//! How much of a folder parade copies: sizes as files claim them, depth, time, and until the user interrupts. What is beyond is
//! refused with the name of the file, and nothing is copied in part.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::folder_handle::MOST_LEVELS;
use crate::shown_text;

/// As files claim it: a hole takes no room, but whoever reads it reads it all.
const MOST_BYTES: u64 = 64 << 30;

/// What bounds a copy.
#[derive(Clone, Copy)]
pub struct Bounds<'a> {
    /// Of one file, and of all together.
    pub bytes: u64,
    pub levels: usize,
    /// When it has to be done, and the time that it had.
    pub deadline: Option<(Instant, Duration)>,
    pub interrupt: &'a dyn Fn() -> bool,
}

impl<'a> Bounds<'a> {
    pub fn new(interrupt: &'a dyn Fn() -> bool) -> Self {
        Bounds { bytes: MOST_BYTES, levels: MOST_LEVELS, deadline: None, interrupt }
    }

    /// From now on.
    pub fn within(self, time: Duration) -> Self {
        Bounds { deadline: Instant::now().checked_add(time).map(|end| (end, time)), ..self }
    }

    pub fn must_stop(&self) -> bool {
        (self.interrupt)() || self.is_late()
    }

    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|(end, _)| Instant::now() >= end)
    }

    /// Why it stopped, if it did.
    pub(super) fn why_stopped(&self) -> Option<NotCopied> {
        if (self.interrupt)() {
            return Some(NotCopied::Interrupted);
        }
        let (_, time) = self.deadline.filter(|_| self.is_late())?;
        let reason = format!("copying its files took longer than {} seconds, the time limit of builds", time.as_secs());
        Some(NotCopied::Refused(reason))
    }

    /// `before` is what was counted so far; gives the sum.
    pub(super) fn add_file(&self, before: u64, size: u64, path: &Path) -> Result<u64, NotCopied> {
        let most = shown_text::bytes(self.bytes);
        let (path, size_shown) = (shown_text::shown(&path.display().to_string()), shown_text::bytes(size));
        if size > self.bytes {
            let reason =
                format!("{path} claims a size of {size_shown}; parade copies at most {most}, so remove the file");
            return Err(NotCopied::Refused(reason));
        }
        before.checked_add(size).filter(|sum| *sum <= self.bytes).ok_or_else(|| {
            NotCopied::Refused(format!(
                "its files claim more than {most} together, which is what parade copies at most; the last was {path} \
                 ({size_shown}). Remove what the tests do not need"
            ))
        })
    }

    pub(super) fn check_level(&self, path: &Path) -> Result<(), NotCopied> {
        if path.components().count() <= self.levels {
            return Ok(());
        }
        let begin: std::path::PathBuf = path.components().take(3).collect();
        Err(NotCopied::Refused(format!(
            "its folders are nested more than {} levels deep below {}; remove them",
            self.levels,
            shown_text::shown(&begin.display().to_string())
        )))
    }
}

/// Why there is no copy, through no fault of parade or the machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotCopied {
    /// It is too much: the reason.
    Refused(String),
    Interrupted,
}
