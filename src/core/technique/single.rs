//! The suite once, as it is asked for: the sequential baseline, and plain parallel modes with whatever they break.

use crate::engine::Parallelism;

use super::Stages;

pub(super) fn run(stages: &mut Stages<'_, '_>, parallelism: Parallelism, purpose: &'static str) -> miette::Result<()> {
    stages.run_all(purpose, parallelism)?;
    Ok(())
}
