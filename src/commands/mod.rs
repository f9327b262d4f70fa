//! One file per subcommand. Each takes plain options and tells its story in `run`.

pub mod artifact;
pub mod audit;
pub mod check;
pub mod compare;
pub mod detect;
pub mod doctor;
pub mod init;
pub mod merge;
pub mod order;
mod output;
mod progress;
pub mod report;
pub mod run;
pub mod stats;
pub mod test;

use miette::Diagnostic;
use parade::subject::{self, JdkWish};

/// The exit code when the user interrupted.
const INTERRUPTED: u8 = 130;

/// What `--jdk` asks for; relative paths start at the current folder.
fn asked_jdk(written: &str) -> Result<JdkWish, BadUsage> {
    let here = std::env::current_dir().unwrap_or_default();
    subject::asked_jdk(written, &here).map_err(|report| BadUsage {
        message: format!("--jdk: {report}"),
        help: report.help().map(|help| help.to_string()).unwrap_or_default(),
    })
}

/// A combination of options that makes no sense; the exit code is that of bad usage.
#[derive(Debug)]
pub struct BadUsage {
    pub message: String,
    pub help: String,
}

impl std::fmt::Display for BadUsage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for BadUsage {}

impl Diagnostic for BadUsage {
    fn help<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        Some(Box::new(&self.help))
    }
}
