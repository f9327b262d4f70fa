//! One file per subcommand. Each takes plain options and tells its story in `run`.

pub mod artifact;
pub mod assess;
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
pub mod simulate;
pub mod stats;
pub mod test;

pub use parade::bad_usage::BadUsage;
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
