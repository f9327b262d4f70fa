//! Whole files through all layers: what is accepted, what is refused and how it is told, what becomes of it.

mod accepted;
mod hostile;
mod identities;
mod mistakes;
mod regression;

use std::path::Path;

use super::validate::Context;
use super::*;
use crate::java::Jdk;
use crate::technique::TechniqueKind;

const LIMITS: MachineLimits = MachineLimits { cores: 4, memory_bytes: 16 << 30 };

/// A machine with two JDKs, on which parade may run subjects as `nobody`.
const HERE: Here = Here {
    jdks: Some(|| {
        static JDKS: std::sync::LazyLock<Jdks> =
            std::sync::LazyLock::new(|| Jdks { found: ["17.0.15", "1.8.0_392"].map(jdk).to_vec(), notes: Vec::new() });
        &JDKS
    }),
    check_user: |name| match name {
        "nobody" => Ok(()),
        _ => Err(miette::miette!(help = "write a name that is known", "this machine has no user `{name}`")),
    },
    looks_into_projects: false,
};

fn jdk(version: &str) -> Jdk {
    let parsed = subject::Version::parse(version).expect("a version");
    Jdk { home: format!("/jdk/{version}").into(), version: parsed, vendor: None, found_by: Vec::new() }
}

/// A file read as if it lay in this module's folder.
fn read(text: &str) -> Result<Experiment, Mistakes> {
    let log = Log::default();
    let folder = Path::new("src/experiment");
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
