//! One start of Maven: its command line, its surroundings, and what came back.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use miette::miette;

use super::base_folder::{base_folder, check_above};
use super::event_files::EventFile;
use super::exchange::{Answered, Exchange};
use super::handshake::Handshake;
use super::helper::Helper;
use super::live_log::LiveLog;
use super::seal::SealDamage;
use super::settings::{Orders, Settings, TestSettings};
use crate::Toolchain;
use crate::file_error::file_error;
use crate::folder_handle;
use crate::process::{self, Account, Cause, CommandOutput, Ended, Exit, Interrupt, UnnamedOutput};
use crate::run_clock::Clock;
use crate::toolchain::BASE_VARIABLE;

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
    /// All that is the subject's. Nothing outside of it is obeyed, deleted or read as a report.
    pub worktree: &'a Path,
    pub repository: &'a Path,
    /// Where the log goes when Maven has ended; made anew then. Its name may tell what is measured.
    pub folder: &'a Path,
    /// Where a folder is made for settings, hand-shake and events. Its name tells tests nothing of what is measured.
    pub exchange: &'a Path,
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
    /// What the test processes wrote.
    pub events: Vec<EventFile>,
    /// Of what the extension wrote.
    pub damage: SealDamage,
}

impl Invocation<'_> {
    /// `Err` also where Maven succeeded without the extension: then nothing that parade asked for has happened.
    pub fn run(&self, interrupt: &Interrupt) -> miette::Result<Invoked> {
        let base = base_folder(self.root, self.worktree)?;
        check_above(&base, &self.toolchain.maven_version)?;
        let orders = Orders { settings: self.settings, listeners: &self.helper.listeners, worktree: self.worktree };
        let exchange = Exchange::prepare(self.exchange, &orders, self.user)?;
        let output = UnnamedOutput::create_in(self.exchange)
            .map_err(|error| file_error(format_args!("no file can be made in {}", self.exchange.display()), &error))?;
        let live = LiveLog::begin(&output);
        let command = self.command(&exchange, &output, &base);
        let began = Clock::now();
        let (ended, events) = exchange.during(|| process::run(&command, interrupt))?;
        drop(live);
        let log = self.keep_log(&output)?;
        let ended = ended?;
        let Answered { mut handshake, damage } = exchange.answer()?;
        handshake.iter_mut().for_each(|handshake| handshake.forget_foreign_reports(self.worktree));
        if handshake.is_none() && ended.cause == Cause::Exited && ended.exit == Exit::Code(0) {
            return Err(miette!(
                help = format!("Maven silently ignores an extension that it cannot load; see {}", log.display()),
                "Maven {} ran without parade's extension {}",
                self.toolchain.maven_version,
                self.helper.extension.display()
            ));
        }
        Ok(Invoked { ended, began, handshake, log, events, damage })
    }

    /// Nothing of an earlier run is kept. An earlier parade gave such folders away, with links in them by now.
    fn keep_log(&self, output: &UnnamedOutput) -> miette::Result<PathBuf> {
        let log = self.folder.join("maven.log");
        let cleared = match (self.folder.parent(), self.folder.file_name()) {
            (Some(parent), Some(name)) => folder_handle::make_unlinked(parent).and_then(|parent| parent.remove(name)),
            _ => Ok(()),
        };
        cleared.and_then(|()| output.copy_to(&log)).map_err(|error| {
            file_error(format_args!("the output of Maven cannot be written to {}", log.display()), &error)
        })?;
        Ok(log)
    }

    fn command(&self, exchange: &Exchange, output: &UnnamedOutput, base: &Path) -> process::Command {
        let mut environment = environment(self.toolchain, self.user, self.environment);
        environment.insert(BASE_VARIABLE.to_owned(), base.to_string_lossy().into_owned());
        process::Command {
            program: self.toolchain.mvn.clone(),
            args: self.arguments(exchange.settings()),
            dir: self.root.to_path_buf(),
            environment,
            output: CommandOutput::Unnamed(output.clone()),
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
    fn arguments(&self, settings: &Path) -> Vec<OsString> {
        let on_failure = if self.settings.tests.is_some() { "-fn" } else { "-fae" };
        let mut arguments: Vec<OsString> = vec!["-B".into(), on_failure.into(), "-Dstyle.color=never".into()];
        if self.offline {
            arguments.push("-o".into());
            // Which repository an artifact once came from is no reason not to find it now.
            arguments.push("-Daether.enhancedLocalRepository.trackingFilename=parade-offline".into());
        }
        arguments.push(property("maven.repo.local", self.repository));
        arguments.push(property("maven.ext.class.path", &self.helper.extension));
        arguments.push(property("parade.settings", settings));
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

/// What a Maven needs to start: the JDK by both ways in which programs look for it, and who it runs as. `own` are the subject's
/// variables: they replace what is inherited. Its `PATH` comes behind the JDK's programs, and `JAVA_HOME` is always the JDK.
pub fn environment(
    toolchain: &Toolchain,
    user: Option<&Account>,
    own: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    let mut environment = process::base_environment();
    user.iter().for_each(|user| user.adapt(&mut environment));
    environment.extend(own.clone());
    let java_home = toolchain.java_home.to_string_lossy().into_owned();
    let path = environment.get("PATH").cloned().unwrap_or_default();
    environment.insert("PATH".to_owned(), format!("{java_home}/bin:{path}"));
    environment.insert("JAVA_HOME".to_owned(), java_home);
    // Or `mvn` would run what is in the user's home folder, where a subject may write.
    environment.insert("MAVEN_SKIP_RC".to_owned(), "true".to_owned());
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

    fn toolchain() -> Toolchain {
        Toolchain {
            java_home: "/jdk".into(),
            java_version: "17.0.1".into(),
            java_major: 17,
            mvn: "/mvn".into(),
            maven_version: "3.8.7".into(),
            maven_origin: crate::MavenOrigin::Path,
        }
    }

    #[test]
    fn a_subjects_own_path_comes_behind_the_jdk_and_its_java_home_is_the_jdk() {
        let own = [("PATH", "/own/bin"), ("JAVA_HOME", "/other"), ("MAVEN_OPTS", "-Xmx1g"), ("HOME", "/own")];
        let own = own.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let environment = environment(&toolchain(), None, &own);
        let values = ["PATH", "JAVA_HOME", "MAVEN_OPTS", "HOME"].map(|name| environment[name].as_str());
        assert_eq!(values, ["/jdk/bin:/own/bin", "/jdk", "-Xmx1g", "/own"]);
    }

    #[test]
    fn maven_is_told_whose_settings_to_obey() {
        let (tree, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (settings, tools, helper) = (Settings::default(), toolchain(), helper());
        let orders = Orders { settings: &settings, listeners: &helper.listeners, worktree: tree.path() };
        let exchange = Exchange::prepare(folder.path(), &orders, None).unwrap();
        let output = UnnamedOutput::create_in(folder.path()).unwrap();
        let own = [("MAVEN_BASEDIR".to_owned(), "/elsewhere".to_owned())].into();
        let asked = Invocation { environment: &own, ..invocation(&tools, &helper, &settings) };
        let command = asked.command(&exchange, &output, Path::new("/w/core"));
        assert_eq!(command.environment["MAVEN_BASEDIR"], "/w/core");
    }

    fn helper() -> Helper {
        Helper { extension: "/h/e.jar".into(), listeners: "/h/l.jar".into(), hash: "0".into() }
    }

    fn arguments_for(offline: bool, settings: &Settings) -> Vec<String> {
        let (tools, helper) = (toolchain(), helper());
        let invocation =
            Invocation { args: &["-Dx=a b; rm".to_owned()], offline, ..invocation(&tools, &helper, settings) };
        let arguments = invocation.arguments(Path::new("/x/settings.properties"));
        arguments.into_iter().map(|argument| argument.into_string().unwrap()).collect()
    }

    fn invocation<'a>(toolchain: &'a Toolchain, helper: &'a Helper, settings: &'a Settings) -> Invocation<'a> {
        static NO_VARIABLES: BTreeMap<String, String> = BTreeMap::new();
        Invocation {
            toolchain,
            helper,
            root: Path::new("/w"),
            worktree: Path::new("/w"),
            repository: Path::new("/m2"),
            folder: Path::new("/logs"),
            exchange: Path::new("/exchange"),
            environment: &NO_VARIABLES,
            args: &[],
            goals: &["test"],
            offline: false,
            settings,
            limits: Limits { cores: None, memory_bytes: None, time: Duration::from_secs(1) },
            tag: "t".into(),
            user: None,
        }
    }

    #[test]
    fn the_subjects_arguments_come_unchanged_before_the_phase() {
        let arguments = arguments(false, &[]);
        assert_eq!(arguments[arguments.len() - 2..], ["-Dx=a b; rm", "test"]);
        assert!(arguments.contains(&"-Dparade.settings=/x/settings.properties".to_owned()));
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
