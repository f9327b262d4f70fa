//! source
use miette::{Result, miette};

use super::{Checkout, Progress};
use crate::experiment::{Origin, Subject};
use crate::home::Home;

/// Pins an origin: the full hash of the commit that its revision names now, or the hash of a folder's content.
pub fn resolve(
    _origin: &Origin,
    _home: &Home,
    _progress: &dyn Progress,
    _interrupt: &dyn Fn() -> bool,
) -> Result<String> {
    Err(miette!("not yet"))
}

/// The clean worktree of a subject at a revision that [`resolve`] gave.
pub fn checkout(
    _subject: &Subject,
    _revision: &str,
    _home: &Home,
    _progress: &dyn Progress,
    _interrupt: &dyn Fn() -> bool,
) -> Result<Checkout> {
    Err(miette!("not yet"))
}
