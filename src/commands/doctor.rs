//! `parade doctor`: what this machine can measure, and what is missing, with the command that installs it.

use std::process::ExitCode;

use parade::home::Home;
use parade::maven::Helper;
use parade::process::{self, Interrupt};
use parade::store;
use parade::subject;
use serde::Serialize;
use serde_json::json;

use super::output;

#[derive(Debug)]
pub struct DoctorOptions {
    /// Compile the JVM helper and fetch what it needs.
    pub prepare: bool,
    pub json: bool,
}

/// One line of the examination.
#[derive(Debug, Serialize)]
struct Check {
    name: String,
    state: State,
    finding: String,
    consequence: Option<String>,
    advice: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    Good,
    /// Measurements are possible, but less exact or less safe.
    Degraded,
    /// Nothing can be run without it.
    Missing,
}

pub fn run(options: &DoctorOptions) -> miette::Result<ExitCode> {
    let mut checks = vec![machine()];
    checks.extend(java());
    checks.extend(process::probe().abilities.into_iter().map(ability));
    checks.extend([user(), cache()?]);
    if options.prepare {
        checks.push(prepare()?);
    }
    let ready = checks.iter().all(|check| check.state != State::Missing);
    if options.json {
        output::print(&format!("{}\n", json!({ "ready": ready, "checks": checks })))?;
    } else {
        let conclusion = if ready { "Ready to measure." } else { "Not ready: see what is missing above." };
        let lines: String = checks.iter().map(shown).collect();
        output::print(&format!("{lines}\n{conclusion}\n"))?;
    }
    Ok(if ready { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn shown(check: &Check) -> String {
    let mark = match check.state {
        State::Good => '✓',
        State::Degraded => '!',
        State::Missing => '✗',
    };
    let mut text = format!("{mark} {}: {}\n", check.name.replace('_', " "), check.finding);
    for line in [&check.consequence, &check.advice].into_iter().flatten() {
        text.push_str(&format!("      {line}\n"));
    }
    text
}

fn good(name: &str, finding: String) -> Check {
    Check { name: name.to_owned(), state: State::Good, finding, consequence: None, advice: None }
}

fn machine() -> Check {
    let machine = store::capture_environment();
    let gib = machine.memory_bytes as f64 / f64::from(1 << 30);
    let kind = machine.virtualization.map(|kind| format!(", {kind}")).unwrap_or_default();
    good(
        "machine",
        format!("{}, {} cores, {gib:.0} GiB, {}{kind}", machine.cpu_model, machine.logical_cores, machine.os),
    )
}

fn java() -> Vec<Check> {
    match subject::toolchain() {
        Ok(found) => vec![
            good("jdk", format!("{} in {}", found.java_version, found.java_home.display())),
            good("maven", format!("{} ({})", found.maven_version, found.mvn.display())),
        ],
        Err(error) => vec![Check {
            name: "jdk_and_maven".to_owned(),
            state: State::Missing,
            finding: error.to_string(),
            consequence: Some("Java subjects cannot be built; model suites can be run".to_owned()),
            advice: error.help().map(|help| help.to_string()),
        }],
    }
}

fn ability(ability: process::Ability) -> Check {
    Check {
        name: ability.name,
        state: if ability.present { State::Good } else { State::Degraded },
        finding: ability.how,
        consequence: ability.consequence,
        advice: ability.fix,
    }
}

fn user() -> Check {
    if store::capture_environment().user != "root" {
        return good("user", "not root".to_owned());
    }
    Check {
        name: "user".to_owned(),
        state: State::Degraded,
        finding: "parade runs as root, and so do the subjects' tests".to_owned(),
        consequence: Some("tests of file permissions fail, as root may read and write everything".to_owned()),
        advice: Some("run it as an ordinary user".to_owned()),
    }
}

/// Everything that a machine without a network would miss.
fn prepare() -> miette::Result<Check> {
    let helper = Helper::obtain(&Home::find()?, &subject::toolchain()?, "doctor", &Interrupt::install()?)?;
    Ok(good("jvm_helper", format!("compiled: {}", helper.extension.display())))
}

fn cache() -> miette::Result<Check> {
    let home = Home::find()?;
    let free = free_bytes(home.root()).map(|bytes| format!(", {:.0} GiB free", bytes as f64 / f64::from(1 << 30)));
    Ok(good("cache", format!("{}{}", home.root().display(), free.unwrap_or_default())))
}

/// Of the file system that the folder is on, or will be.
fn free_bytes(folder: &std::path::Path) -> Option<u64> {
    let existing = folder.ancestors().find(|folder| folder.exists())?;
    let statistics = rustix::fs::statvfs(existing).ok()?;
    Some(statistics.f_bavail * statistics.f_frsize)
}
