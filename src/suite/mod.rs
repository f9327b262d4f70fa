//! The vocabulary that every other module speaks: tests, outcomes, and what one run of a suite yields.
//!
//! Nothing here runs, reads or writes anything.

mod id;
mod outcome;
mod run;

pub use id::{ClassId, ParseIdError, TestId};
pub use outcome::{Outcome, Tally};
pub use run::{Concurrency, Cost, Execution, Finding, FindingKind, Granularity, RunEnd, SuiteRun};
