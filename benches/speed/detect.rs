//! (h) Order-dependent tests of http-request, module `lib`, on a JDK 8: `parade detect` against the iDFlakies Maven plugin, the same
//! strategy and the same number of rounds. parade also seeks all polluters and cleaners, and confirms each; iDFlakies does not.
//!
//! Both find the project built. What is compared with is found by environment variables, and the row is left out without them:
//! `PARADE_BENCH_HTTP_REQUEST`, the project's folder at commit 2d62a3e9; `PARADE_BENCH_IDFLAKIES`, the plugin as
//! `group:artifact:version`, installed where that Maven finds it; `PARADE_BENCH_JDK8`, the JDK's folder.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use super::figure::{Figure, Goal, seconds};
use super::workbench::{PARADE, home, ratio};

/// Of minutes each: the usual number of pairs would take hours.
const PAIRS: usize = 3;
const STRATEGY: &str = "random-class-method";
const ROUNDS: &str = "10";

struct Setting {
    project: PathBuf,
    plugin: String,
    jdk: PathBuf,
    scratch: tempfile::TempDir,
}

pub fn measure() -> Vec<Figure> {
    let Some(setting) = Setting::find() else { return Vec::new() };
    eprintln!("preparing http-request …");
    setting.compile();
    setting.by_parade();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let (mut found, mut peers) = (usize::MAX, 0);
    for pair in 0..PAIRS {
        let both: [&dyn Fn() -> Side; 2] = [&|| Side::Ours(setting.by_parade()), &|| Side::Theirs(setting.by_plugin())];
        for side in [pair % 2, 1 - pair % 2] {
            match both[side]() {
                Side::Ours((time, tests)) => {
                    ours.push(time);
                    found = found.min(tests);
                }
                Side::Theirs((time, tests)) => {
                    theirs.push(time);
                    peers = peers.max(tests);
                }
            }
        }
    }
    vec![
        Figure {
            what: format!(
                "order-dependent tests of http-request, `{STRATEGY}`, {ROUNDS} rounds, JDK 8: iDFlakies / `parade detect`"
            ),
            goal: Goal::AtLeast(5.0),
            unit: " times",
            value: ratio(&theirs, &ours),
            detail: format!("parade {}, iDFlakies {}, {PAIRS} pairs", seconds(&ours), seconds(&theirs)),
        },
        Figure {
            what: "tests that parade finds there, in its worst run / iDFlakies, in its best".to_owned(),
            goal: Goal::AtLeast(1.0),
            unit: "",
            value: found as f64 / peers.max(1) as f64,
            detail: format!("parade {found}, iDFlakies {peers}"),
        },
    ]
}

/// Seconds, and how many tests were found.
type Outcome = (f64, usize);

enum Side {
    Ours(Outcome),
    Theirs(Outcome),
}

impl Setting {
    fn find() -> Option<Self> {
        let named = |name: &str| {
            let value = std::env::var_os(name);
            if value.is_none() {
                eprintln!("detection beside iDFlakies is left out: {name} is not set");
            }
            value
        };
        let project = PathBuf::from(named("PARADE_BENCH_HTTP_REQUEST")?);
        let plugin = named("PARADE_BENCH_IDFLAKIES")?.to_string_lossy().into_owned();
        let jdk = PathBuf::from(named("PARADE_BENCH_JDK8")?);
        let scratch = tempfile::tempdir().expect("a scratch folder");
        Some(Setting { project, plugin, jdk, scratch })
    }

    fn copy(&self) -> PathBuf {
        self.scratch.path().join("http-request")
    }

    /// The plugin writes into the project, which is not ours.
    fn compile(&self) {
        let copied = Command::new("cp").arg("-r").args([&self.project, &self.copy()]).status();
        assert!(copied.is_ok_and(|status| status.success()), "{} cannot be copied", self.project.display());
        self.maven(&["-q", "test-compile"]);
    }

    fn maven(&self, arguments: &[&str]) {
        let status = Command::new("mvn")
            .arg("-B")
            .args(arguments)
            .current_dir(self.copy().join("lib"))
            .env("JAVA_HOME", &self.jdk)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .expect("Maven can be started");
        assert!(status.success(), "mvn {arguments:?}: {status}");
    }

    fn by_plugin(&self) -> Outcome {
        let results = self.copy().join("lib/.dtfixingtools");
        let _ = std::fs::remove_dir_all(&results);
        let begin = Instant::now();
        self.maven(&[
            &format!("{}:detect", self.plugin),
            &format!("-Ddetector.detector_type={STRATEGY}"),
            &format!("-Ddt.randomize.rounds={ROUNDS}"),
            "-Ddt.detector.original_order.all_must_pass=false",
        ]);
        let time = begin.elapsed().as_secs_f64();
        let list = std::fs::read_to_string(results.join("detection-results/list.txt")).expect("its list of tests");
        (time, list.lines().filter(|line| !line.trim().is_empty()).count())
    }

    fn by_parade(&self) -> Outcome {
        let begin = Instant::now();
        let output = Command::new(PARADE)
            .arg("detect")
            .arg(&self.project)
            .args(["--module", "lib", "--strategy", STRATEGY, "--rounds", ROUNDS, "--json", "--fresh", "--jdk", "8"])
            .arg("--results")
            .arg(self.scratch.path().join("results"))
            .env("PARADE_HOME", home())
            .env("PARADE_JDKS", above(&self.jdk))
            .stderr(Stdio::null())
            .output()
            .expect("parade can be started");
        let time = begin.elapsed().as_secs_f64();
        assert!(output.status.success(), "parade detect: {}", output.status);
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("its document");
        (time, document["order_dependent"].as_array().map_or(0, Vec::len))
    }
}

fn above(folder: &Path) -> &Path {
    folder.parent().unwrap_or(folder)
}
