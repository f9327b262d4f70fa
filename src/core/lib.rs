//! What parade knows without running anything.
//!
//! - [`suite`] is the vocabulary: what a test is called, how it can end, what one run of a suite yields.
//! - [`engine`] is what can run tests: the `Session` trait, and the model engine, which runs scripted suites in virtual time.
//! - [`technique`] decides what runs when. It knows engines only by their trait.
//! - [`stats`] holds pure functions on numbers.
//! - [`simulation`] computes what a suite would take on any number of machines, from times that were measured.
//! - [`spec`] is what a subject is, and the only place that says what its outcome depends on.
//! - The rest are files and texts as all crates read and write them: [`toml_file`], [`whole_file`], [`file_content`],
//!   [`folder_handle`], [`folders`], [`csv_cells`], [`data_table`], [`junit_report`], [`redaction`], [`wording`], [`shown_text`], [`bad_usage`].
//!
//! Nothing here starts a process, knows a build tool, a repository or a run folder. Techniques read no file and no clock.

pub mod bad_usage;
pub mod csv_cells;
pub mod data_table;
pub mod engine;
pub mod file_content;
pub mod file_error;
pub mod folder_handle;
pub mod folders;
pub mod junit_report;
pub mod redaction;
pub mod run_clock;
pub mod shown_text;
pub mod simulation;
pub mod spec;
pub mod stats;
pub mod suite;
pub mod technique;
pub mod toml_file;
pub mod whole_file;
pub mod wording;
