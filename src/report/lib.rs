//! What becomes of records.
//!
//! - [`report`] turns records into tables, figures and pages. It runs nothing.
//! - [`study`] holds what was published: tables, claims about them, and whether one follows from the other.
//! - [`artifact`] makes a folder of a run that others can check and run again.

pub use parade_run::{
    assess, bad_usage, columns, csv_cells, data_table, draft, engine, experiment, folders, home, pairing, project,
    redaction, shown_text, spec, stats, store, subject, suite, technique, toml_file, whole_file, wording,
};

pub mod artifact;
pub mod report;
pub mod study;
