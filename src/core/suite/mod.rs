//! The vocabulary that every other module speaks: tests, outcomes, dependencies, and what one run of a suite yields.
//!
//! Nothing here runs anything.

mod circles;
mod coverage;
mod dependencies;
pub mod dependency_file;
mod durations;
mod id;
mod outcome;
mod precedence;
mod run;

pub use coverage::file::Notation;
pub use coverage::{Change, Coverage, Element, ElementSet, MethodLines, Program, Union, Unit};
pub use dependencies::{Conflict, Dependency, DependencyGraph};
pub use durations::Durations;
pub use id::{ClassId, ParseIdError, TestId};
pub use outcome::{Outcome, Tally};
pub use precedence::{Precedence, Separation, Turn};
pub use run::{
    Accesses, Concurrency, Cost, Execution, Finding, FindingKind, Granularity, JvmWork, Observations, RunEnd, SuiteRun,
};
