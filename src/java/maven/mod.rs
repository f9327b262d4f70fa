//! Maven, as parade drives it: the command line, the extension that goes with it, and the files by which extension and
//! test processes report back.
//!
//! It knows nothing of experiments, trials or techniques. What a build does wrong is data; `Err` means that parade could
//! not start Maven or that its extension was not loaded.

mod base_folder;
mod build_failure;
mod chosen_tests;
pub mod event_files;
pub mod events;
mod exchange;
mod handshake;
mod harvest;
mod helper;
mod identity;
mod invocation;
mod kept_reports;
mod launch;
pub mod line;
mod live_log;
mod log;
pub mod protocol;
pub mod reconcile;
pub mod seal;
mod selection;
mod settings;

pub use crate::run_clock::Clock;
pub use base_folder::base_folder;
pub use build_failure::{is_in_build_folder, is_independent_of_jdk, with_own_paths};
pub use chosen_tests::chosen_tests;
pub use events::observe_process;
pub use handshake::{Failure, Goal, Handshake, Module};
pub use harvest::{Harvest, harvest};
pub use harvest::{contradiction, process_findings, why};
pub use helper::Helper;
pub use identity::identify;
pub use invocation::environment;
pub use invocation::{Invocation, Invoked, Limits};
pub use kept_reports::keep_reports;
pub use launch::Launch;
pub use live_log::LiveLog;
pub use log::{dead_workers, decisive_lines};
pub use log::{dead_workers_in, decisive_lines_in};
pub use selection::{KnownSuite, KnownTest, Picked, Selected, select};
pub use settings::{Settings, TestSettings};

/// The Surefire that runs every subject unless the experiment says otherwise: 3.6 has no providers for JUnit 3 and 4.
pub const SUREFIRE_VERSION: &str = "3.5.6";
