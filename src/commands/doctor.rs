//! `parade doctor`: what this machine can measure, and what is missing, with the command that installs it.

use std::process::ExitCode;

use parade::home::Home;
use parade::maven::Helper;
use parade::process::{self, Interrupt};
use parade::store;
use parade::subject::{self, Jdk, Jdks};
use parade::wording::plural;
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
    checks.extend([user(), other_users(), cache()?]);
    if options.prepare {
        checks.push(prepare()?);
    }
    let ready = checks.iter().all(|check| check.state != State::Missing);
    if options.json {
        let jdks = jdk_documents(subject::jdks());
        output::print(&format!("{}\n", json!({ "ready": ready, "checks": checks, "jdks": jdks })))?;
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
        format!("{}, {}, {gib:.0} GiB, {}{kind}", machine.cpu_model, plural(machine.logical_cores, "core"), machine.os),
    )
}

fn java() -> Vec<Check> {
    let mut checks = jdk_checks(subject::jdks());
    match subject::toolchain() {
        Ok(found) => checks.push(good("maven", format!("{} ({})", found.maven_version, found.mvn.display()))),
        Err(error) => checks.push(Check {
            name: "jdk_and_maven".to_owned(),
            state: State::Missing,
            finding: error.to_string(),
            consequence: Some("Java subjects cannot be built; model suites can be run".to_owned()),
            advice: error.help().map(|help| help.to_string()),
        }),
    }
    checks
}

/// The newest comes first, and is what subjects get that do not ask for another, if it builds them.
fn jdk_checks(jdks: &Jdks) -> Vec<Check> {
    let jdk = |(at, jdk): (usize, &Jdk)| {
        let vendor = jdk.vendor.as_deref().map(|vendor| format!(", {vendor}")).unwrap_or_default();
        let default = if at == 0 { "; taken unless an older one is asked for or needed" } else { "" };
        let found_by = jdk.found_by.join(", ");
        good("jdk", format!("{}{vendor} in {} (by {found_by}){default}", jdk.version, jdk.home.display()))
    };
    let passed_over = |note: &String| Check {
        name: "jdk".to_owned(),
        state: State::Degraded,
        finding: format!("passed over: {note}"),
        consequence: None,
        advice: None,
    };
    jdks.found.iter().enumerate().map(jdk).chain(jdks.notes.iter().map(passed_over)).collect()
}

/// For scripts.
fn jdk_documents(jdks: &Jdks) -> Vec<serde_json::Value> {
    let document = |(at, jdk): (usize, &Jdk)| {
        json!({
            "version": jdk.version,
            "major": jdk.major(),
            "vendor": jdk.vendor,
            "home": jdk.home,
            "found_by": jdk.found_by,
            "default": at == 0,
        })
    };
    jdks.found.iter().enumerate().map(document).collect()
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
    let other = match process::missing_privileges() {
        None => {
            "write `user = \"nobody\"`, or another user's name, in the experiment: its subjects then run as that user"
                .to_owned()
        }
        Some(why) => format!("run it as an ordinary user; `user` in an experiment cannot help here: {why}"),
    };
    Check {
        name: "user".to_owned(),
        state: State::Degraded,
        finding: "parade runs as root, and so do the subjects' tests".to_owned(),
        consequence: Some("tests of file permissions fail, as root may read and write everything".to_owned()),
        advice: Some(other),
    }
}

/// Can subjects be run as someone else?
fn other_users() -> Check {
    match process::missing_privileges() {
        None => good("other_users", "`user` in an experiment runs subjects as someone else".to_owned()),
        Some(why) => {
            good("other_users", format!("`user` in an experiment can name nobody but parade's own user: {why}"))
        }
    }
}

/// Everything that a machine without a network would miss.
fn prepare() -> miette::Result<Check> {
    let helper = Helper::obtain(&Home::find()?, &subject::toolchain()?, "doctor", &Interrupt::install()?)?;
    Ok(good("jvm_helper", format!("compiled, with JaCoCo and ASM beside it: {}", helper.extension.display())))
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

#[cfg(test)]
mod tests {
    use parade::subject::Version;

    use super::*;

    fn jdks() -> Jdks {
        let jdk = |version: &str| Jdk {
            home: format!("/jdk/{version}").into(),
            version: Version::parse(version).expect("a version"),
            vendor: Some("Lab".to_owned()),
            found_by: vec!["JAVA_HOME".to_owned()],
        };
        Jdks { found: ["17.0.2", "1.8.0_392"].map(jdk).to_vec(), notes: vec!["/x: nothing".to_owned()] }
    }

    #[test]
    fn all_jdks_are_listed_and_the_default_is_marked() {
        let lines: String = jdk_checks(&jdks()).iter().map(shown).collect();
        assert_eq!(
            lines,
            "✓ jdk: 17.0.2, Lab in /jdk/17.0.2 (by JAVA_HOME); taken unless an older one is asked for or needed\n\
             ✓ jdk: 1.8.0_392, Lab in /jdk/1.8.0_392 (by JAVA_HOME)\n\
             ! jdk: passed over: /x: nothing\n"
        );
        let documents = jdk_documents(&jdks());
        assert_eq!((&documents[0]["default"], &documents[1]["default"]), (&json!(true), &json!(false)));
        assert_eq!(documents[1]["version"], "1.8.0_392");
        assert_eq!(documents[1]["major"], 8);
    }
}
