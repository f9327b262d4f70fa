//! The suite once, as it is asked for: the sequential baseline, and plain parallel modes with whatever they break.

use crate::engine::{Parallelism, Selection};

use super::Stages;

pub(super) fn run(stages: &mut Stages<'_>, parallelism: Parallelism, purpose: &'static str) -> miette::Result<()> {
    stages.run(purpose, Selection::All, parallelism)?;
    Ok(())
}
