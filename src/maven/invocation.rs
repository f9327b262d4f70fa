//! One start of Maven: its command line, its surroundings, and what came back.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use miette::miette;

use super::events::Clock;
use super::handshake::Handshake;
use super::helper::Helper;
use super::settings::{Files, Settings, TestSettings};
use crate::process::{self, Account, Cause, Ended, Exit, Interrupt};
use crate::subject::Toolchain;

/// Of Maven's log; what a test prints goes there too.
const LOG_LIMIT: u64 = 64 << 20;
const GRACE: Duration = Duration::from_secs(10);

/// What an invocation may use of the machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    pub cores: Option<usize>,
    pub memory_bytes: Option<u64>,
    pub time: Duration,
}

/// Maven, about to be started in a worktree.
#[derive(Debug, Clone)]
pub struct Invocation<'a> {
    pub toolchain: &'a Toolchain,
    pub helper: &'a Helper,
    /// The reactor's root.
    pub root: &'a Path,
    pub repository: &'a Path,
    /// Where log, settings, hand-shake and events go; created, and emptied of those.
    pub folder: &'a Path,
    /// On top of what is inherited.
    pub environment: &'a BTreeMap<String, String>,
    /// The subject's own.
    pub args: &'a [String],
    /// Phase or goals, with properties that belong to them.
    pub goals: &'a [&'a str],
    pub offline: bool,
    pub settings: &'a Settings,
    pub limits: Limits,
    pub tag: String,
    /// Run as this user instead of parade's own.
    pub user: Option<&'a Account>,
}

/// What came back.
#[derive(Debug)]
pub struct Invoked {
    pub ended: Ended,
    pub began: Clock,
    /// `None` where Maven failed before it loaded its extensions.
    pub handshake: Option<Handshake>,
    pub log: PathBuf,
    pub events: PathBuf,
}

impl Invocation<'_> {
    /// `Err` also where Maven succeeded without the extension: then nothing that parade asked for has happened.
    pub fn run(&self, interrupt: &Interrupt) -> miette::Result<Invoked> {
        let files = self.prepare_folder()?;
        let log = self.folder.join("maven.log");
        let began = Clock::now();
        let ended = process::run(&self.command(&files, &log), interrupt)?;
        let handshake = Handshake::read(&files.handshake)?;
        if handshake.is_none() && ended.cause == Cause::Exited && ended.exit == Exit::Code(0) {
            return Err(miette!(
                help = format!("Maven ignores an extension that it cannot load; see {}", log.display()),
                "Maven {} ran without parade's extension {}",
                self.toolchain.maven_version,
                self.helper.extension.display()
            ));
        }
        Ok(Invoked { ended, began, handshake, log, events: files.events })
    }

    fn prepare_folder(&self) -> miette::Result<Files> {
        let broken = |error| miette!("{} cannot be prepared: {error}", self.folder.display());
        std::fs::create_dir_all(self.folder).map_err(broken)?;
        let files = Files::new(self.folder);
        if files.handshake.exists() {
            std::fs::remove_file(&files.handshake).map_err(broken)?;
        }
        if files.events.exists() {
            std::fs::remove_dir_all(&files.events).map_err(broken)?;
        }
        std::fs::create_dir(&files.events).map_err(broken)?;
        self.settings.write(&files, &self.helper.listeners)?;
        // The extension and the tests write there.
        self.user.map_or(Ok(()), |user| user.take_over_all(self.folder)).map_err(broken)?;
        Ok(files)
    }

    fn command(&self, files: &Files, log: &Path) -> process::Command {
        let mut environment = environment(self.toolchain, self.user);
        environment.extend(self.environment.clone());
        process::Command {
            program: self.toolchain.mvn.clone(),
            args: self.arguments(files),
            dir: self.root.to_path_buf(),
            environment,
            output: log.to_path_buf(),
            output_limit: LOG_LIMIT,
            cores: self.limits.cores,
            memory_bytes: self.limits.memory_bytes,
            time_limit: self.limits.time,
            grace: GRACE,
            tag: self.tag.clone(),
            user: self.user.cloned(),
        }
    }

    /// Options that every Maven from 3.0 to 4.0 takes. Where tests run, `-fn`: a worker that dies fails its goal, and must
    /// not keep the modules that build on its own from running. A build without tests may tell by its exit code.
    fn arguments(&self, files: &Files) -> Vec<OsString> {
        let on_failure = if self.settings.tests.is_some() { "-fn" } else { "-fae" };
        let mut arguments: Vec<OsString> = vec!["-B".into(), on_failure.into(), "-Dstyle.color=never".into()];
        if self.offline {
            arguments.push("-o".into());
            // Which repository an artifact once came from is no reason not to find it now.
            arguments.push("-Daether.enhancedLocalRepository.trackingFilename=parade-offline".into());
        }
        arguments.push(property("maven.repo.local", self.repository));
        arguments.push(property("maven.ext.class.path", &self.helper.extension));
        arguments.push(property("parade.settings", &files.settings));
        // Without it Maven has chosen a builder that knows of one module only.
        let at_once = self.settings.tests.as_ref().map_or(1, TestSettings::modules_at_once);
        if at_once > 1 {
            arguments.extend(["-T".into(), at_once.to_string().into()]);
        }
        if !self.settings.modules.is_empty() {
            arguments.extend(["-pl".into(), self.settings.modules.join(",").into(), "-am".into()]);
        }
        arguments.extend(self.args.iter().map(OsString::from));
        arguments.extend(self.goals.iter().map(OsString::from));
        arguments
    }
}

fn property(name: &str, value: &Path) -> OsString {
    let mut argument = OsString::from(format!("-D{name}="));
    argument.push(value);
    argument
}

/// What a Maven needs to start: the JDK by both ways in which programs look for it, and who it runs as.
pub fn environment(toolchain: &Toolchain, user: Option<&Account>) -> BTreeMap<String, String> {
    let mut environment = process::base_environment();
    user.iter().for_each(|user| user.adapt(&mut environment));
    let java_home = toolchain.java_home.to_string_lossy().into_owned();
    let path = environment.get("PATH").cloned().unwrap_or_default();
    environment.insert("PATH".to_owned(), format!("{java_home}/bin:{path}"));
    environment.insert("JAVA_HOME".to_owned(), java_home);
    environment
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Forks, Parallelism};

    fn arguments(offline: bool, modules: &[&str]) -> Vec<String> {
        let settings = Settings { modules: modules.iter().map(|&m| m.to_owned()).collect(), ..Settings::default() };
        arguments_for(offline, &settings)
    }

    fn arguments_for(offline: bool, settings: &Settings) -> Vec<String> {
        let toolchain = Toolchain {
            java_home: "/jdk".into(),
            java_version: "17.0.1".into(),
            java_major: 17,
            mvn: "/mvn".into(),
            maven_version: "3.8.7".into(),
        };
        let helper = Helper { extension: "/h/e.jar".into(), listeners: "/h/l.jar".into(), hash: "0".into() };
        let invocation = Invocation {
            toolchain: &toolchain,
            helper: &helper,
            root: Path::new("/w"),
            repository: Path::new("/m2"),
            folder: Path::new("/logs"),
            environment: &BTreeMap::new(),
            args: &["-Dx=a b; rm".to_owned()],
            goals: &["test"],
            offline,
            settings,
            limits: Limits { cores: None, memory_bytes: None, time: Duration::from_secs(1) },
            tag: "t".into(),
            user: None,
        };
        let arguments = invocation.arguments(&Files::new(Path::new("/logs")));
        arguments.into_iter().map(|argument| argument.into_string().unwrap()).collect()
    }

    #[test]
    fn the_subjects_arguments_come_unchanged_before_the_phase() {
        let arguments = arguments(false, &[]);
        assert_eq!(arguments[arguments.len() - 2..], ["-Dx=a b; rm", "test"]);
        assert!(arguments.contains(&"-Dparade.settings=/logs/settings.properties".to_owned()));
        assert!(!arguments.contains(&"-o".to_owned()) && !arguments.contains(&"-pl".to_owned()));
    }

    #[test]
    fn a_dead_worker_does_not_keep_other_modules_from_running() {
        let tests = TestSettings {
            parallelism: Parallelism::SEQUENTIAL,
            cores: 1,
            selection: None,
            fetch_providers: false,
            reveal: false,
        };
        let running = arguments_for(true, &Settings { tests: Some(tests), ..Settings::default() });
        assert!(running.contains(&"-fn".to_owned()) && !running.contains(&"-fae".to_owned()));
        assert!(arguments(true, &[]).contains(&"-fae".to_owned()), "a build without tests tells by its exit code");
    }

    #[test]
    fn modules_run_at_once_only_where_that_is_asked_for() {
        let given = |modules| {
            let parallelism = Parallelism { modules, ..Parallelism::SEQUENTIAL };
            let tests = TestSettings { parallelism, cores: 2, selection: None, fetch_providers: false, reveal: false };
            arguments_for(true, &Settings { tests: Some(tests), ..Settings::default() })
        };
        let both = given(Some(Forks::PerCore(1.0)));
        let at = both.iter().position(|argument| argument == "-T").unwrap();
        assert_eq!(both[at + 1], "2");
        assert!(!given(None).contains(&"-T".to_owned()));
    }

    #[test]
    fn chosen_modules_are_built_with_what_they_need() {
        let arguments = arguments(true, &["lib", ":core"]);
        let at = arguments.iter().position(|argument| argument == "-pl").unwrap();
        assert_eq!(arguments[at..at + 3], ["-pl", "lib,:core", "-am"]);
        assert!(arguments.contains(&"-o".to_owned()));
    }
}
