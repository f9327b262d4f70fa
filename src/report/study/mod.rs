//! Published studies: their tables as they are printed, the claims that they make about them, and whether one follows from
//! the other. See docs/claims.md for the files, METHODOLOGY.md for the rules.
//!
//! ```text
//! published/*.csv ─► SourceTable ─┐
//!                                 ├─► Study ─► audit ─► AuditedClaim
//! claims.toml ─► Claim ───────────┘
//! ```
//!
//! [`ComparedStudy`] compares a run of the reader's own with a study: claim by claim for the audit, and cell by cell for
//! the report ([`cells`]).
//!
//! Nothing here prints, and nothing about any one study is known here: a claim is added by adding an entry to a file.

pub mod audit;
pub mod cells;
mod claim;
mod csv_file;
pub mod explain;
pub mod expression;
mod file;
mod library;
mod load;
mod own;
mod printed;
mod range;
mod run_tables;
mod table;

pub use audit::{AuditedClaim, ClaimAnswer, ClaimTally, Verdict};
pub use claim::{Claim, ClaimKind, Computation, Formula, Meaning, Relation, Rounding, Stated};
pub use file::SubjectName;
pub use library::Library;
pub use load::{Document, Faults, Files, OwnColumn, Study};
pub use own::{ComparedStudy, OwnAnswer, OwnVerdict, judged};
pub use range::Range;
pub use run_tables::RunTables;
pub use table::{Mark, Marks, Reader, Reading, SourceRow, SourceTable};

#[cfg(test)]
mod tests;
