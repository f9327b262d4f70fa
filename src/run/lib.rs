//! What carries out experiments and commands on projects.
//!
//! - [`process`] is the only place that spawns: pinned, limited, timed, and killed with all its descendants.
//! - [`subject`] brings a repository to a commit, in a clean worktree, and restores the state after its build.
//! - [`project`] is the one way to a subject's tests, and the seam behind which build tools live.
//! - [`experiment`] reads and validates the TOML file, and expands it into a plan.
//! - [`store`] keeps what happened: journal, run folders, environment, Parquet. Nobody else touches a run folder.
//! - [`runner`] carries out a plan: prepares subjects, runs what is missing, judges and records it.
//! - [`once`] runs a suite by a technique, now, without an experiment.
//! - [`detection`] finds the order-dependent tests of a project, now, and writes down what it found.
//! - [`assess`] answers whether parallel tests would pay off for a project, by an experiment of its own making.
//! - [`columns`] reads numbers from anyone's CSV file; [`home`] is the cache; [`draft`] makes folders appear whole.

// The vocabulary of the crate below is used by the same paths in all crates above it.
pub use parade_core::{
    bad_usage, csv_cells, data_table, engine, file_content, file_error, folder_handle, folders, junit_report,
    redaction, run_clock, shown_text, simulation, spec, stats, suite, technique, toml_file, whole_file, wording,
};

pub mod assess;
pub mod columns;
pub mod detection;
pub mod draft;
pub mod experiment;
pub mod home;
pub mod once;
pub mod pairing;
pub mod process;
pub mod project;
pub mod runner;
pub mod store;
pub mod subject;
