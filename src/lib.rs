//! parade reproduces evaluations of techniques that make test suites run faster.
//!
//! The pipeline is the architecture, one module per arrow:
//!
//! ```text
//! experiment file ─► Experiment ─► Plan ─► Trial ─► TrialRecord + executions ─► Analysis ─► Report
//!    experiment/      (validated)  (steps)   │             store/                    report/
//!                                            └─ technique/ asks engine/ to run the suite of a subject/
//! ```
//!
//! - [`experiment`] reads and validates the TOML file, and expands it into a plan.
//! - [`toml_file`] reads TOML files that people write, and finds every mistake in them.
//! - [`subject`] brings a repository to a commit, builds it once, and restores that state before every run.
//! - [`suite`] is the vocabulary: what a test is called, how it can end, what one run of a suite yields.
//! - [`engine`] runs tests: `surefire` through the subject's own Maven build, `direct` in JVMs of our own,
//!   `model` in virtual time.
//! - [`maven`] is the build tool of all subjects so far: its command line, and our extension in it.
//! - [`process`] is the only place that spawns: pinned, limited, timed, and killed with all its descendants.
//! - [`technique`] decides what runs when. It knows engines only by their trait.
//! - [`runner`] carries out a plan: prepares subjects, runs what is missing, judges and records it.
//! - [`once`] runs a suite by a technique, now, without an experiment.
//! - [`detection`] finds the order-dependent tests of a project, now, and writes down what it found.
//! - [`simulation`] computes what a suite would take on any number of machines, from times that were measured.
//! - [`assess`] answers whether parallel tests would pay off for a project, by an experiment of its own making.
//! - [`store`] keeps what happened: journal, run folders, environment, Parquet.
//! - [`stats`] holds pure functions on numbers; [`columns`] reads numbers for it from anyone's CSV file.
//! - [`study`] holds what was published: tables, claims about them, and whether one follows from the other.
//! - [`artifact`] makes a folder of a run that others can check and run again.
//! - [`report`] turns records into tables, figures and pages. It runs nothing.

pub mod artifact;
pub mod assess;
pub mod bad_usage;
pub mod columns;
pub mod csv_cells;
pub mod data_table;
pub mod detection;
mod draft;
pub mod engine;
pub mod experiment;
mod folder_handle;
pub mod folders;
#[doc(hidden)]
pub mod fuzzing;
pub mod home;
pub mod java;
mod junit_report;
pub mod once;
pub mod process;
pub mod project;
pub mod python;
pub mod redaction;
pub mod report;
pub mod run_clock;
pub mod runner;
pub mod shown_text;
pub mod simulation;
pub mod spec;
pub mod stats;
pub mod store;
pub mod study;
pub mod subject;
pub mod suite;
pub mod technique;
pub mod toml_file;
mod whole_file;
pub mod wording;
