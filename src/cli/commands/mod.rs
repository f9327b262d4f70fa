//! One file per subcommand. Each takes plain options and tells its story in `run`.

pub mod artifact;
pub mod assess;
pub mod audit;
pub mod check;
pub mod clean;
pub mod compare;
pub mod detect;
pub mod doctor;
pub mod init;
pub mod maven_options;
pub mod merge;
pub mod order;
mod output;
mod progress;
pub mod report;
pub mod run;
pub mod simulate;
pub mod stats;
pub mod test;
mod trial_progress;

pub use parade::bad_usage::BadUsage;
use parade::java::{self, MavenJdk};
use parade::spec::JdkWish;

/// The exit code when the user interrupted.
const INTERRUPTED: u8 = 130;

/// What `--jdk` asks for; relative paths start at the current folder.
fn asked_jdk(written: &str) -> Result<JdkWish, BadUsage> {
    let here = std::env::current_dir().unwrap_or_default();
    java::asked_jdk(written, &here).map_err(|report| BadUsage {
        message: format!("--jdk: {report}"),
        help: report.help().map(|help| help.to_string()).unwrap_or_default(),
    })
}

/// The JDK of a project that is run now: the one that is asked for, else the one that `mvn` takes. Nothing where there is none: then
/// it is searched for.
fn wanted_jdk(asked: Option<&str>) -> Result<Option<JdkWish>, BadUsage> {
    if let Some(asked) = asked {
        return asked_jdk(asked).map(Some);
    }
    match java::maven_jdk() {
        MavenJdk::Jdk { home, why } => {
            let wish = asked_jdk(&home.to_string_lossy())?;
            Ok(Some(wish.because(why)))
        }
        MavenJdk::Unusable { path, why } => {
            eprintln!("{why} is {}, which has no bin/javac; another JDK is used", path.display());
            Ok(None)
        }
        MavenJdk::Nothing => Ok(None),
    }
}
