//! What happened, kept: the journal, run folders, the environment of a run, and frames of executions.

pub mod record;
