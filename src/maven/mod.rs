//! Maven, as parade drives it: the command line, the extension that goes with it, and the files by which extension and
//! test processes report back.
//!
//! It knows nothing of experiments, trials or techniques. What a build does wrong is data; `Err` means that parade could
//! not start Maven or that its extension was not loaded.

pub(crate) mod events;
mod handshake;
mod harvest;
mod helper;
mod identity;
mod invocation;
mod launch;
pub(crate) mod line;
mod log;
mod reports;
mod selection;
mod settings;

pub use events::Clock;
pub(crate) use events::observe_process;
pub use handshake::{Failure, Goal, Handshake, Module};
pub use harvest::{Harvest, harvest};
pub(crate) use harvest::{process_findings, why};
pub use helper::Helper;
pub(crate) use identity::identify;
pub(crate) use invocation::environment;
pub use invocation::{Invocation, Invoked, Limits};
pub use launch::Launch;
pub use log::{dead_workers, decisive_lines};
pub(crate) use log::{dead_workers_in, decisive_lines_in};
pub(crate) use reports::{Unreadable, read_report};
pub use selection::{Known, KnownTest, Picked, Selected, select};
pub use settings::{Settings, TestSettings};

/// The Surefire that runs every subject unless the experiment says otherwise: 3.6 has no providers for JUnit 3 and 4.
pub const SUREFIRE_VERSION: &str = "3.5.6";
