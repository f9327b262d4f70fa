//! The vocabulary that every other module speaks: tests, outcomes, dependencies, and what one run of a suite yields.
//!
//! Nothing here runs anything.

mod dependencies;
pub mod dependency_file;
mod id;
mod outcome;
mod run;

pub use dependencies::{Conflict, Dependency, DependencyGraph};
pub use id::{ClassId, ParseIdError, TestId};
pub use outcome::{Outcome, Tally};
pub use run::{Concurrency, Cost, Execution, Finding, FindingKind, Granularity, RunEnd, SuiteRun};
