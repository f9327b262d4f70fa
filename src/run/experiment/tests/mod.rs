//! Whole files through all layers: what is accepted, what is refused and how it is told, what becomes of it.

mod accepted;
mod hostile;
mod identities;
mod mistakes;
mod regression;

use std::path::Path;

use super::validate::Context;
use super::*;
use crate::spec::{JdkWishKind, Origin, SurefireVersion};
use crate::technique::TechniqueKind;

const LIMITS: MachineLimits = MachineLimits { cores: 4, memory_bytes: 16 << 30 };

/// A machine with two JDKs, on which parade may run subjects as `nobody`.
const HERE: Here = Here {
    check_jdk,
    check_user: |name| match name {
        "nobody" => Ok(()),
        _ => Err(miette::miette!(help = "write a name that is known", "this machine has no user `{name}`")),
    },
    looks_into_projects: false,
};

fn check_jdk(wish: &JdkWish) -> miette::Result<()> {
    let has = |wanted: &[u32]| [[17, 0, 15], [8, 0, 392]].iter().any(|jdk| jdk.starts_with(wanted));
    let help = "this machine has: 17.0.15, 1.8.0_392. Install the missing JDK, or name its folder in PARADE_JDKS; \
        `parade doctor` lists all JDKs";
    match &wish.kind {
        JdkWishKind::Version(wanted) if has(wanted) => Ok(()),
        JdkWishKind::Version(_) => Err(miette::miette!(help = help, "this machine has no JDK {}", wish.written)),
        JdkWishKind::Home(_) => {
            Err(miette::miette!(help = help, "`{}` is not a JDK: it is not a folder", wish.written))
        }
    }
}

/// A file read as if it lay in this module's folder.
fn read(text: &str) -> Result<Experiment, Mistakes> {
    let log = Log::default();
    let folder = Path::new("experiment");
    match interpret(text, &Context { folder, limits: &LIMITS, log: &log, here: HERE }) {
        Some(experiment) if log.is_empty() => Ok(experiment),
        _ => Err(log.into_mistakes("experiment.toml", text)),
    }
}

/// The same on a machine whose folders are looked into, in a folder of one's own.
fn read_in(folder: &Path, text: &str) -> Result<Experiment, Mistakes> {
    let log = Log::default();
    let here = Here { looks_into_projects: true, ..HERE };
    match interpret(text, &Context { folder, limits: &LIMITS, log: &log, here }) {
        Some(experiment) if log.is_empty() => Ok(experiment),
        _ => Err(log.into_mistakes("experiment.toml", text)),
    }
}

pub(super) fn accepted(text: &str) -> Experiment {
    read(text).unwrap_or_else(|mistakes| panic!("{:?}", miette::Report::new(mistakes)))
}

const HEADER: &str = "[experiment]\nname = \"trial\"\n";
const SUBJECT: &str = "[[subject]]\nname = \"here\"\npath = \".\"\n";
const SEQUENTIAL: &str = "[[configuration]]\nname = \"sequential\"\n";

/// A right file with lines added to `[experiment]`.
fn with_header(lines: &str) -> String {
    format!("{HEADER}{lines}\n{SUBJECT}{SEQUENTIAL}")
}

/// A right file with another table added.
fn with_table(table: &str) -> String {
    format!("{HEADER}{SUBJECT}{SEQUENTIAL}{table}\n")
}

/// A right file with lines added to its subject.
fn with_subject(lines: &str) -> String {
    format!("{HEADER}{SEQUENTIAL}{SUBJECT}{lines}\n")
}

/// A right file with a second configuration of these lines.
fn with_configuration(lines: &str) -> String {
    format!("{HEADER}{SUBJECT}{SEQUENTIAL}[[configuration]]\nname = \"second\"\n{lines}\n")
}
