//! `parade doctor`: what this machine can measure, and what is missing, with the command that installs it.

use std::path::Path;
use std::process::ExitCode;

use parade::folders;
use parade::home::Home;
use parade::java::maven::Helper;
use parade::java::{self, Jdk, Jdks, MavenJdk};
use parade::process::{self, Interrupt};
use parade::store;
use parade::wording::plural;
use serde::Serialize;
use serde_json::json;

use super::clean::size;
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
    checks.push(python());
    checks.extend(process::probe().abilities.into_iter().map(ability));
    checks.extend([user(), other_users(), forged_results(), memory_of_tests(&ptrace_scope()), cache()?]);
    if options.prepare {
        checks.extend(prepare()?);
    }
    let ready = checks.iter().all(|check| check.state != State::Missing);
    if options.json {
        let jdks = jdk_documents(java::jdks(), &java::maven_jdk());
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
    let mut checks = jdk_checks(java::jdks(), &java::maven_jdk());
    match java::toolchain() {
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

/// Only pytest projects need it.
fn python() -> Check {
    match parade::python::interpreter(None) {
        Ok(found) if found.xdist.is_some() => good("python", found.in_words()),
        Ok(found) => Check {
            name: "python".to_owned(),
            state: State::Degraded,
            finding: format!("{}, without pytest-xdist", found.in_words()),
            consequence: Some("pytest projects cannot be run in parallel".to_owned()),
            advice: Some(format!("run `{} -m pip install pytest-xdist`", found.program.display())),
        },
        Err(error) => Check {
            name: "python".to_owned(),
            state: State::Degraded,
            finding: error.to_string(),
            consequence: Some("pytest projects cannot be run".to_owned()),
            advice: error.help().map(|help| help.to_string()),
        },
    }
}

/// Is it the one that Maven would take by itself?
fn is_of_maven(jdk: &Jdk, of_maven: &MavenJdk) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    matches!(of_maven, MavenJdk::Jdk { home, .. } if real(home) == real(&jdk.home))
}

/// The newest comes first. Experiments take it for subjects that do not ask for another, if it builds them. Commands on a single
/// project take the one that Maven would take.
fn jdk_checks(jdks: &Jdks, of_maven: &MavenJdk) -> Vec<Check> {
    let jdk = |(at, jdk): (usize, &Jdk)| {
        let vendor = jdk.vendor.as_deref().map(|vendor| format!(", {vendor}")).unwrap_or_default();
        let mut uses = String::new();
        if at == 0 {
            uses += "; `parade run` uses it, unless an older one is requested or needed";
        }
        if let MavenJdk::Jdk { why, .. } = of_maven
            && is_of_maven(jdk, of_maven)
        {
            uses += &format!("; `parade test`, `assess`, `detect` and `order` use it without --jdk ({why})");
        }
        let found_by = jdk.found_by.join(", ");
        good("jdk", format!("{}{vendor} in {} (by {found_by}){uses}", jdk.version, jdk.home.display()))
    };
    let passed_over = |note: &String| Check {
        name: "jdk".to_owned(),
        state: State::Degraded,
        finding: format!("ignored: {note}"),
        consequence: None,
        advice: None,
    };
    jdks.found.iter().enumerate().map(jdk).chain(jdks.notes.iter().map(passed_over)).collect()
}

/// For scripts.
fn jdk_documents(jdks: &Jdks, of_maven: &MavenJdk) -> Vec<serde_json::Value> {
    let document = |(at, jdk): (usize, &Jdk)| {
        json!({
            "version": jdk.version,
            "major": jdk.major(),
            "vendor": jdk.vendor,
            "home": jdk.home,
            "found_by": jdk.found_by,
            "default": at == 0,
            "default_of_run": at == 0,
            "default_of_commands": is_of_maven(jdk, of_maven),
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
        None => "write `user = \"nobody\"` (or another user) in the experiment: its subjects then run as that user"
            .to_owned(),
        Some(why) => format!("run parade as an ordinary user; `user` in an experiment does not work here: {why}"),
    };
    Check {
        name: "user".to_owned(),
        state: State::Degraded,
        finding: "parade runs as root, and so do the subjects' tests".to_owned(),
        consequence: Some(
            "tests of file permissions fail, because root may read and write everything; without a sandbox, nothing keeps a \
             subject that runs as root from changing other files, parade's records included"
                .to_owned(),
        ),
        advice: Some(other),
    }
}

/// Can subjects be run as someone else?
fn other_users() -> Check {
    match process::missing_privileges() {
        None => good("other_users", "`user` in an experiment can run subjects as another user".to_owned()),
        Some(why) => good("other_users", format!("`user` in an experiment can only name parade's own user: {why}")),
    }
}

/// What no record can show, wherever parade runs.
fn forged_results() -> Check {
    let finding = "what tests report is compared with Surefire's own count. Three attacks are not detected: code in the tests' \
        JVM, or a child process that may read its memory, that changes both in the same way; a subject that runs as root \
        without a sandbox, which may change every file; and a test of Surefire's JUnit 3 provider that forges Surefire's own \
        record, because that provider takes no listener";
    good("forged_results", finding.to_owned())
}

/// Whom the kernel lets read the memory of a process of the same user, by Yama's setting; `None` where it has no Yama.
fn ptrace_scope() -> Option<String> {
    std::fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").ok().map(|text| text.trim().to_owned())
}

/// Can a child of a test process read that process's memory?
fn memory_of_tests(scope: &Option<String>) -> Check {
    let protection = match scope.as_deref() {
        Some("1") => "only its ancestors",
        Some("2") => "only root",
        Some("3") => "no other process",
        other => {
            let why = other.map_or("Yama is missing".to_owned(), |scope| format!("Yama's ptrace_scope is {scope}"));
            return Check {
                name: "memory_of_tests".to_owned(),
                state: State::Degraded,
                finding: format!("the kernel does not protect a test process from its own children ({why})"),
                consequence: Some(
                    "a child process of a test can read the key of the record in that test's memory; parade's own memory is \
                     protected, except from root"
                        .to_owned(),
                ),
                advice: Some("set kernel.yama.ptrace_scope to 1 or more, if the kernel has Yama".to_owned()),
            };
        }
    };
    let finding =
        format!("the kernel protects it: {protection} may read a process's memory (root with privileges always may)");
    good("memory_of_tests", finding)
}

/// Everything that a machine without a network would miss, as far as it does not depend on the project.
fn prepare() -> miette::Result<Vec<Check>> {
    let home = Home::find()?;
    let helper = Helper::obtain(&home, &java::toolchain()?, "doctor", &Interrupt::install()?)?;
    let mut checks =
        vec![good("jvm_helper", format!("compiled, together with JaCoCo and ASM: {}", helper.extension.display()))];
    checks.extend(fetched(&home.maven_repository()).into_iter().map(|finding| good("fetched", finding)));
    checks.push(Check {
        name: "not_fetched".to_owned(),
        state: State::Good,
        finding:
            "what a project itself needs: its dependencies, its plugins, and the JUnit Platform launcher of its version"
                .to_owned(),
        consequence: None,
        advice: Some(
            "run the project or experiment once with a network on this machine; after that it runs offline".to_owned(),
        ),
    });
    Ok(checks)
}

/// Groups of artifacts that parade's own runs take from its repository.
const FETCHED: [(&str, &str); 4] = [
    ("Surefire", "org/apache/maven/plugins/maven-surefire-plugin"),
    ("Surefire's providers", "org/apache/maven/surefire"),
    ("JaCoCo", "org/jacoco"),
    ("ASM", "org/ow2/asm"),
];

/// Each group with versions and size, where it is there.
fn fetched(repository: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for (name, folder) in FETCHED {
        let files = folders::files(&repository.join(folder)).unwrap_or_default();
        let jars: Vec<_> = files.iter().filter(|file| file.extension().is_some_and(|end| end == "jar")).collect();
        if jars.is_empty() {
            continue;
        }
        let names: Vec<String> =
            jars.iter().filter_map(|jar| jar.file_stem()).map(|stem| stem.to_string_lossy().into_owned()).collect();
        let bytes: u64 = jars.iter().filter_map(|jar| folders::bytes(&repository.join(folder).join(jar))).sum();
        found.push(format!("{name}: {} ({})", names.join(", "), size(bytes)));
    }
    found
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
    use parade::java::Version;

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
    fn who_may_read_the_memory_of_tests_follows_from_yama() {
        let state = |scope: Option<&str>| memory_of_tests(&scope.map(str::to_owned)).state;
        assert_eq!([None, Some("0")].map(state), [State::Degraded; 2]);
        assert_eq!([Some("1"), Some("2"), Some("3")].map(state), [State::Good; 3]);
        let said = forged_results().finding;
        assert!(
            said.contains("JVM") && said.contains("child process") && said.contains("root") && said.contains("JUnit 3"),
            "{said}"
        );
    }

    #[test]
    fn what_was_fetched_is_listed_with_versions_and_sizes() {
        let repository = tempfile::tempdir().expect("a folder");
        let folder = repository.path().join("org/apache/maven/surefire/surefire-junit4/3.5.6");
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("surefire-junit4-3.5.6.jar"), "1234").expect("a file");
        std::fs::write(folder.join("surefire-junit4-3.5.6.pom"), "1").expect("a file");
        assert_eq!(fetched(repository.path()), ["Surefire's providers: surefire-junit4-3.5.6 (4 B)"]);
    }

    #[test]
    fn all_jdks_are_listed_and_the_default_is_marked() {
        let of_maven = MavenJdk::Jdk { home: "/jdk/1.8.0_392".into(), why: "the java on the PATH, as for mvn" };
        let lines: String = jdk_checks(&jdks(), &of_maven).iter().map(shown).collect();
        assert_eq!(
            lines,
            "✓ jdk: 17.0.2, Lab in /jdk/17.0.2 (by JAVA_HOME); `parade run` uses it, unless an older one is requested or \
             needed\n\
             ✓ jdk: 1.8.0_392, Lab in /jdk/1.8.0_392 (by JAVA_HOME); `parade test`, `assess`, `detect` and `order` use it \
             without --jdk (the java on the PATH, as for mvn)\n\
             ! jdk: ignored: /x: nothing\n"
        );
        let documents = jdk_documents(&jdks(), &of_maven);
        assert_eq!((&documents[0]["default"], &documents[1]["default"]), (&json!(true), &json!(false)));
        assert_eq!(documents[1]["default_of_commands"], true);
        assert_eq!(documents[1]["version"], "1.8.0_392");
        assert_eq!(documents[1]["major"], 8);
    }
}
