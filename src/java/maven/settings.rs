//! What the extension is asked to do, written to the file that it reads. A file, as a selection of thousands of tests is
//! too long for a command line.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::seal::SealKey;
use super::selection::Picked;
use crate::engine::{Mode, Parallelism};
use crate::file_error::file_error;

/// What parade changes in a build.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settings {
    /// Surefire's version; `None` keeps the project's.
    pub surefire: Option<String>,
    /// A project's own version stays from this one on.
    pub surefire_kept_from: Option<String>,
    /// The lowest level that the JDK's compiler takes, where it is above any that a project could declare.
    pub compiler_minimum: Option<u32>,
    /// `group:artifact` each.
    pub disabled_plugins: Vec<String>,
    /// Tests of other modules are skipped; empty for all.
    pub modules: Vec<String>,
    /// `None` for a build that runs no tests.
    pub tests: Option<TestSettings>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct TestSettings {
    pub parallelism: Parallelism,
    pub cores: usize,
    /// `None` for the whole suite.
    pub selection: Option<Vec<Picked>>,
    /// Also fetch what other modes will need; for the one run that is online.
    pub fetch_providers: bool,
    /// Also tell how the test processes are started.
    pub reveal: bool,
}

/// The files that the extension reads and writes, in a folder of the run.
#[derive(Debug, Clone)]
pub struct Files {
    pub settings: PathBuf,
    pub handshake: PathBuf,
    pub events: PathBuf,
    selection: PathBuf,
}

impl Files {
    pub fn new(folder: &Path) -> Self {
        Files {
            settings: folder.join("settings.properties"),
            handshake: folder.join("handshake"),
            events: folder.join("events"),
            selection: folder.join("selection"),
        }
    }
}

/// Everything that the extension is told.
#[derive(Debug, Clone, Copy)]
pub struct Orders<'a> {
    pub settings: &'a Settings,
    /// The jar with the listeners.
    pub listeners: &'a Path,
    /// Outside of it, no report is deleted.
    pub worktree: &'a Path,
}

impl Orders<'_> {
    pub fn write(&self, files: &Files, key: SealKey) -> miette::Result<()> {
        if let Some(selection) = self.settings.tests.as_ref().and_then(|tests| tests.selection.as_ref()) {
            let line = |one: &Picked| format!("{}\t{}\t{}\n", one.module, one.goal.as_deref().unwrap_or(""), one.tests);
            let lines: String = selection.iter().map(line).collect();
            write_file(&files.selection, &lines)?;
        }
        let mut text = String::new();
        let seal = std::iter::once(("seal", key.to_hex()));
        for (key, value) in seal.chain(self.entries(files)) {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{key}={}", escape(&value));
        }
        write_file(&files.settings, &text)
    }

    fn entries(&self, files: &Files) -> Vec<(&'static str, String)> {
        let path = |path: &Path| path.to_string_lossy().into_owned();
        let settings = self.settings;
        let mut entries = vec![
            ("handshake", path(&files.handshake)),
            ("surefire.version", settings.surefire.clone().unwrap_or_default()),
            ("surefire.kept-from", settings.surefire_kept_from.clone().unwrap_or_default()),
            ("compiler.minimum", settings.compiler_minimum.map(|level| level.to_string()).unwrap_or_default()),
            ("plugins.disabled", settings.disabled_plugins.join(",")),
            ("modules", settings.modules.join(",")),
        ];
        if let Some(tests) = &settings.tests {
            entries.push(("events", path(&files.events)));
            entries.push(("listeners", path(self.listeners)));
            entries.push(("worktree", path(self.worktree)));
            entries.extend(tests.entries());
            if tests.selection.is_some() {
                entries.push(("selection", path(&files.selection)));
            }
        }
        entries
    }
}

impl TestSettings {
    pub fn modules_at_once(&self) -> u32 {
        self.parallelism.modules_on(self.cores)
    }

    fn entries(&self) -> Vec<(&'static str, String)> {
        let asked = &self.parallelism;
        let sequential = asked.mode == Mode::Sequential;
        let threads = if sequential { 1 } else { asked.threads.max(1) };
        let per_core = asked.threads_per_core && !sequential;
        let cores = u32::try_from(self.cores).unwrap_or(u32::MAX).max(1);
        let total = if per_core { threads.saturating_mul(cores) } else { threads };
        vec![
            ("mode", asked.mode.name().to_owned()),
            ("threads", threads.to_string()),
            ("threads.total", total.to_string()),
            ("threads.per-core", per_core.to_string()),
            ("forks", if sequential { "1".to_owned() } else { asked.forks.on(self.cores).to_string() }),
            ("forks.reuse", asked.reuse_forks.to_string()),
            ("modules.at-once", self.modules_at_once().to_string()),
            ("providers.fetch", self.fetch_providers.to_string()),
            ("reveal", self.reveal.to_string()),
        ]
    }
}

/// As Java's property files want it.
fn escape(value: &str) -> String {
    let mut escaped = String::with_capacity(value.len());
    for c in value.chars() {
        match c {
            '\\' => escaped.push_str("\\\\"),
            ' ' if escaped.is_empty() => escaped.push_str("\\ "),
            c if c.is_control() => {
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    let _ = write!(escaped, "\\u{unit:04x}");
                }
            }
            c => escaped.push(c),
        }
    }
    escaped
}

fn write_file(path: &Path, content: &str) -> miette::Result<()> {
    std::fs::write(path, content)
        .map_err(|error| file_error(format_args!("{} cannot be written", path.display()), &error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Forks;
    use crate::maven::protocol::table;

    fn written(settings: &Settings) -> String {
        let folder = tempfile::tempdir().unwrap();
        let files = Files::new(folder.path());
        let orders = Orders { settings, listeners: Path::new("/h/parade-jvm.jar"), worktree: Path::new("/w") };
        orders.write(&files, SealKey::of(1, 2)).unwrap();
        let text = std::fs::read_to_string(&files.settings).unwrap();
        text.replace(&folder.path().to_string_lossy().into_owned(), "DIR")
    }

    fn tests(parallelism: Parallelism, selection: Option<Vec<Picked>>) -> Settings {
        Settings {
            tests: Some(TestSettings { parallelism, cores: 2, selection, fetch_providers: false, reveal: false }),
            ..Settings::default()
        }
    }

    #[test]
    fn a_build_without_tests_has_no_events() {
        let text = written(&Settings { compiler_minimum: Some(7), ..Settings::default() });
        assert!(text.contains("compiler.minimum=7\n") && !text.contains("events="), "{text}");
    }

    #[test]
    fn a_recent_surefire_of_the_project_can_stay() {
        let text = written(&Settings {
            surefire: Some("3.5.6".to_owned()),
            surefire_kept_from: Some("2.22.0".to_owned()),
            ..Settings::default()
        });
        assert!(text.contains("surefire.version=3.5.6\nsurefire.kept-from=2.22.0\n"), "{text}");
    }

    #[test]
    fn sequential_is_one_process_and_one_thread_whatever_else_is_said() {
        let odd = Parallelism { threads: 9, threads_per_core: true, forks: Forks::Count(4), ..Parallelism::SEQUENTIAL };
        let text = written(&tests(odd, None));
        for line in [
            "mode=sequential",
            "threads=1",
            "threads.total=1",
            "threads.per-core=false",
            "forks=1",
            "modules.at-once=1",
        ] {
            assert!(text.lines().any(|own| own == line), "{line} in {text}");
        }
        assert!(!text.contains("selection="));
    }

    #[test]
    fn threads_per_core_are_multiplied_where_surefire_does_not() {
        let both = Parallelism {
            mode: Mode::ClassesAndMethods,
            threads: 7,
            threads_per_core: true,
            forks: Forks::PerCore(1.0),
            reuse_forks: false,
            modules: Some(Forks::PerCore(1.0)),
        };
        let text =
            written(&tests(both, Some(vec![Picked { module: "lib".into(), goal: None, tests: "a.B#c".into() }])));
        for line in [
            "mode=classesAndMethods",
            "threads=7",
            "threads.total=14",
            "forks=2",
            "forks.reuse=false",
            "modules.at-once=2",
        ] {
            assert!(text.lines().any(|own| own == line), "{line} in {text}");
        }
        assert!(text.contains("selection=DIR/selection\n"), "{text}");
    }

    #[test]
    fn the_examples_of_the_protocol_are_written() {
        let parallelism = Parallelism {
            mode: Mode::ClassesAndMethods,
            threads: 7,
            threads_per_core: true,
            forks: Forks::PerCore(1.0),
            reuse_forks: false,
            modules: Some(Forks::PerCore(1.0)),
        };
        let goal = Some("maven-surefire-plugin:test@default-test".to_owned());
        let selection = vec![
            Picked { module: "lib".into(), goal, tests: "a.B#c".into() },
            Picked { module: "app".into(), goal: None, tests: "a.C".into() },
        ];
        let selection = Some(selection);
        let settings = Settings {
            surefire: Some("3.5.6".to_owned()),
            surefire_kept_from: Some("2.22.0".to_owned()),
            compiler_minimum: Some(7),
            disabled_plugins: vec!["g:a".to_owned(), "g:b".to_owned()],
            modules: vec!["lib".to_owned(), ":app".to_owned()],
            tests: Some(TestSettings { parallelism, cores: 2, selection, fetch_providers: true, reveal: true }),
        };
        let folder = tempfile::tempdir().unwrap();
        let files = Files::new(folder.path());
        let listeners = Path::new(" /h\\x/\u{e9}\t.jar");
        let orders = Orders { settings: &settings, listeners, worktree: Path::new("/c/worktrees/x/tree") };
        orders.write(&files, SealKey::of(1, 2)).unwrap();
        let text = std::fs::read_to_string(&files.settings).unwrap();
        assert_eq!(text.replace(&*folder.path().to_string_lossy(), "DIR"), table::lines("settings"));
        assert_eq!(std::fs::read_to_string(&files.selection).unwrap(), table::lines("selection"));
    }

    #[test]
    fn property_values_are_escaped() {
        assert_eq!(escape(" a\\b\n é"), "\\ a\\\\b\\u000a é");
    }
}
