//! Turns the records of a run into tables, figures and pages. It runs nothing, and it computes nothing twice:
//! [`Analysis::of`] derives every number that is shown, [`tables`] arranges them as a study would, and [`render`] only
//! writes them down as text, CSV, Markdown, LaTeX, HTML, SVG or PNG.

pub mod analysis;
#[cfg(test)]
mod claim_tests;
pub mod compare;
mod details;
mod figures;
mod folder;
mod legend;
mod page_section;
pub mod render;
pub mod run_report;
#[cfg(test)]
pub mod sample;
mod study_comparison;
mod tables;

pub use crate::shown_text::sentence;
pub use analysis::Analysis;
pub use details::Details;
pub use folder::{write_all, write_timeline};
pub use page_section::PageSection;
pub use run_report::RunReport;
pub use tables::{
    Align, DisplayCell, DisplayColumn, DisplayRow, DisplayTable, TABLES, TableDefinition, TableOutput, Tone,
};
