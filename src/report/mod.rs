//! Turns the records of a run into tables, figures and pages. It runs nothing, and it computes nothing twice:
//! [`Analysis::of`] derives every number that is shown, [`tables`] arranges them as a study would, and [`render`] only
//! writes them down as text, CSV, Markdown, LaTeX, HTML, SVG or PNG.

pub mod analysis;
mod beside;
pub mod compare;
mod details;
mod figures;
mod folder;
pub mod render;
#[cfg(test)]
pub(crate) mod sample;
mod tables;
pub(crate) mod text;

pub use analysis::Analysis;
pub use details::Details;
pub use folder::{write_all, write_timeline};
pub use tables::{Align, Cell, Column, ComparisonTable, Row, Table, TableName, Tone};
pub use text::sentence;
