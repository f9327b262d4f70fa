//! How a subject is built and run: its own settings on top of `[defaults]`.
//!
//! Lists of arguments and plugins are added to the default ones, environment variables are merged, everything else is
//! replaced.

use std::collections::BTreeMap;
use std::time::Duration;

use super::{At, Context, quoted, suggestion};
use crate::experiment::raw::RawSettings;
use crate::spec::SurefireVersion;

/// Phases in or before which tests have run; `verify` brings Failsafe's.
const PHASES_WITH_TESTS: [&str; 8] = [
    "test",
    "prepare-package",
    "package",
    "pre-integration-test",
    "integration-test",
    "post-integration-test",
    "verify",
    "install",
];

/// Phases that end before a test has run.
const PHASES_WITHOUT_TESTS: [&str; 14] = [
    "validate",
    "initialize",
    "generate-sources",
    "process-sources",
    "generate-resources",
    "process-resources",
    "compile",
    "process-classes",
    "generate-test-sources",
    "process-test-sources",
    "generate-test-resources",
    "process-test-resources",
    "test-compile",
    "process-test-classes",
];

/// Maven properties that parade itself decides, with what to write instead.
const RESERVED_PROPERTIES: [(&str, &str); 9] = [
    ("parallel", "write `parallel` in a `[[configuration]]`"),
    ("threadCount", "write `threads` in a `[[configuration]]`"),
    ("perCoreThreadCount", "write `threads_per_core` in a `[[configuration]]`"),
    ("forkCount", "write `forks` in a `[[configuration]]`"),
    ("reuseForks", "write `reuse_forks` in a `[[configuration]]`"),
    ("test", "write `modules` in the subject to run a part of a project"),
    ("skipTests", "remove it: skipped tests cannot be measured"),
    ("maven.test.skip", "remove it: skipped tests cannot be measured"),
    ("maven.repo.local", "remove it: parade uses its own local repository"),
];

/// Options of Maven that parade itself decides, in their short and long form, with what to do instead.
const RESERVED_OPTIONS: [(&str, &str, &str); 3] = [
    ("-T", "--threads", "write `modules` in a `[[configuration]]`: then it is part of the comparison"),
    ("-f", "--file", "write `directory`, the root of the build"),
    ("-o", "--offline", "remove it: builds are online and measured runs offline"),
];
/// Other options that begin like a reserved one.
const FAIL_OPTIONS: [&str; 4] = ["-fae", "-ff", "-fn", "-fos"];

/// A subject's settings, complete.
pub(super) struct Settings {
    pub maven_args: Vec<String>,
    pub environment: BTreeMap<String, String>,
    pub phase: String,
    pub setup: Vec<Vec<String>>,
    pub surefire: SurefireVersion,
    pub disable_plugins: Vec<String>,
    pub timeout: Duration,
}

/// The settings of a subject; those of `[defaults]` are not checked again.
pub(super) fn settings(
    own: &RawSettings,
    defaults: &RawSettings,
    timeout: Duration,
    context: &Context<'_>,
) -> Settings {
    check(own, context);
    let phase = own.phase.as_ref().or(defaults.phase.as_ref());
    let surefire = own.surefire.as_ref().or(defaults.surefire.as_ref());
    let setup = own.setup.as_ref().or(defaults.setup.as_ref());
    let own_timeout = own.timeout.as_ref().and_then(|written| context.duration(written, "timeout"));
    Settings {
        maven_args: added(&defaults.maven_args, &own.maven_args),
        environment: merged(defaults, own),
        phase: phase.map_or_else(|| "test".to_owned(), |written| written.value.clone()),
        setup: setup.into_iter().flatten().map(|command| values(&command.value)).collect(),
        surefire: surefire.map_or(SurefireVersion::Pinned, |written| surefire_version(&written.value)),
        disable_plugins: added(&defaults.disable_plugins, &own.disable_plugins),
        timeout: own_timeout.unwrap_or(timeout),
    }
}

/// Logs what is wrong in one table of settings.
pub(super) fn check(raw: &RawSettings, context: &Context<'_>) {
    raw.maven_args.iter().for_each(|argument| check_argument(argument, context));
    raw.environment.iter().for_each(|(name, value)| check_variable(name, value, context));
    raw.phase.iter().for_each(|phase| check_phase(phase, context));
    raw.setup.iter().flatten().for_each(|command| check_command(command, context));
    raw.surefire.iter().for_each(|version| check_surefire(version, context));
    raw.disable_plugins.iter().for_each(|plugin| check_plugin(plugin, context));
}

fn values(list: &[At<String>]) -> Vec<String> {
    list.iter().map(|entry| entry.value.clone()).collect()
}

fn added(defaults: &[At<String>], own: &[At<String>]) -> Vec<String> {
    let mut all = values(defaults);
    all.extend(values(own));
    all
}

fn merged(defaults: &RawSettings, own: &RawSettings) -> BTreeMap<String, String> {
    let both = defaults.environment.iter().chain(&own.environment);
    both.map(|(name, value)| (name.value.clone(), value.value.clone())).collect()
}

fn surefire_version(text: &str) -> SurefireVersion {
    match text {
        "pinned" => SurefireVersion::Pinned,
        "project" => SurefireVersion::Project,
        version => SurefireVersion::Exactly(version.to_owned()),
    }
}

fn check_argument(argument: &At<String>, context: &Context<'_>) {
    if argument.value.is_empty() || argument.value.contains('\0') {
        let help = "each item is one argument of mvn, e.g. \"-Drat.skip=true\"";
        context.log.add(&argument.span, format!("{} is not an argument", quoted(&argument.value)), help);
    }
    let property = argument.value.strip_prefix("-D").map(|rest| rest.split('=').next().unwrap_or(rest));
    let property = RESERVED_PROPERTIES.iter().find(|(name, _)| Some(*name) == property);
    let reserved = property.copied().or_else(|| reserved_option(&argument.value));
    if let Some((name, help)) = reserved {
        context.log.add(&argument.span, format!("parade sets `{name}` itself"), help);
    }
}

/// `-T4`, `-T` `4`, `--threads=4` and `--threads` `4` are the same to Maven.
fn reserved_option(argument: &str) -> Option<(&'static str, &'static str)> {
    let is = |(short, long, _): &&(&str, &str, &str)| {
        let long = argument.strip_prefix(long).is_some_and(|rest| rest.is_empty() || rest.starts_with('='));
        let takes_value = *short != "-o";
        long || argument == *short || takes_value && argument.starts_with(short) && !FAIL_OPTIONS.contains(&argument)
    };
    RESERVED_OPTIONS.iter().find(is).map(|(short, _, instead)| (*short, *instead))
}

fn check_variable(name: &At<String>, value: &At<String>, context: &Context<'_>) {
    let first = name.value.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if !first || !name.value.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        let message = format!("{} cannot be the name of an environment variable", quoted(&name.value));
        let help = "use letters, digits and `_`, not beginning with a digit, e.g. `MAVEN_OPTS`";
        context.log.add(&name.span, message, help);
    }
    if let Some(instead) = reserved_variable(&name.value) {
        context.log.add(&name.span, format!("parade sets {} itself", quoted(&name.value)), instead);
    }
    if value.value.contains('\0') {
        context.log.add(&value.span, "an environment variable cannot contain a NUL character", "remove it");
    }
}

/// What parade decides, with what to do instead.
fn reserved_variable(name: &str) -> Option<&'static str> {
    match name {
        "JAVA_HOME" => Some("remove it, and write `jdk` with a version or a path"),
        crate::process::TAG_VARIABLE => Some("remove it"),
        _ => None,
    }
}

fn check_phase(phase: &At<String>, context: &Context<'_>) {
    let name = phase.value.as_str();
    if PHASES_WITH_TESTS.contains(&name) {
        return;
    }
    let (message, help) = if PHASES_WITHOUT_TESTS.contains(&name) {
        let help = "write \"test\", or a later phase such as \"package\" or \"verify\"".to_owned();
        (format!("the phase {} ends before a test has run", quoted(name)), help)
    } else if name == "deploy" {
        let help = "write \"verify\", which ends right before it".to_owned();
        ("the phase `deploy` would publish the subject".to_owned(), help)
    } else {
        let known = suggestion(name, "phases that run tests", PHASES_WITH_TESTS);
        let help = format!("{known}; goals and arguments go into `maven_args`");
        (format!("{} is not a phase of the Maven lifecycle", quoted(name)), help)
    };
    context.log.add(&phase.span, message, help);
}

fn check_command(command: &At<Vec<At<String>>>, context: &Context<'_>) {
    let help = "write the program and its arguments, e.g. `setup = [[\"git\", \"submodule\", \"update\"]]`";
    if command.value.first().is_none_or(|program| program.value.is_empty()) {
        context.log.add(&command.span, "a command of `setup` has no program", help);
    }
    for argument in command.value.iter().filter(|argument| argument.value.contains('\0')) {
        context.log.add(&argument.span, "an argument cannot contain a NUL character", help);
    }
}

fn check_surefire(version: &At<String>, context: &Context<'_>) {
    let is_version = version.value.starts_with(|c: char| c.is_ascii_digit())
        && version.value.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-'));
    if !is_version && !matches!(version.value.as_str(), "pinned" | "project") {
        let message = format!("{} is not a version of Surefire", quoted(&version.value));
        let help =
            "write \"pinned\" (parade's choice), \"project\" (the project's own), or a version such as \"2.22.2\"";
        context.log.add(&version.span, message, help);
    }
}

fn check_plugin(plugin: &At<String>, context: &Context<'_>) {
    let part = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
    };
    let parts = plugin.value.split_once(':');
    if !parts.is_some_and(|(group, artifact)| part(group) && part(artifact)) {
        let message = format!("{} does not name a plugin", quoted(&plugin.value));
        context.log.add(&plugin.span, message, "write group and artifact, e.g. \"org.apache.rat:apache-rat-plugin\"");
    }
}
