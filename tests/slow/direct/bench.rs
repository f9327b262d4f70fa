//! Bundled subjects, prepared once and opened with the direct engine.

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use parade::engine::{Parallelism, ProcessPolicy, Resources, RunRequest, Selection, Session};
use parade::experiment::{self, MachineLimits};
use parade::home::Home;
use parade::java;
use parade::java::build::{BuildOutcome, Prepared};
use parade::java::direct::DirectSession;
use parade::process::{self, Interrupt};
use parade::project::OpenRequest;
use parade::spec::Subject;
use parade::subject::{self, Silent};
use parade::suite::{Execution, RunEnd, SuiteRun, TestId};

use crate::common::desk::{bundled, shared_home};
use crate::turn::{self, Turn};

const TAG: &str = "direct-tests";

/// A subject with its session.
pub struct Bench {
    pub prepared: Rc<Prepared>,
    pub session: DirectSession,
    logs: tempfile::TempDir,
    runs: u32,
    _turn: Turn,
}

/// `None` where tests that run Maven are not wanted.
pub fn open(name: &str) -> Option<Bench> {
    let turn = turn::of_subject(name)?;
    parade::register_platforms();
    process::keeper::use_program(env!("CARGO_BIN_EXE_parade"));
    if !has_jdk_for(name) {
        println!("{name}: skipped, as its JDK is not here; PARADE_JDKS can name a folder that has one");
        return None;
    }
    let prepared = Rc::new(prepare(name));
    let session = DirectSession::open(Rc::clone(&prepared), TAG, Interrupt::new()).unwrap();
    let logs = tempfile::tempdir().unwrap();
    Some(Bench { prepared, session, logs, runs: 0, _turn: turn })
}

fn has_jdk_for(name: &str) -> bool {
    let any = |fits: fn(u32) -> bool| java::jdks().found.iter().any(|jdk| fits(jdk.major()));
    match name {
        "needs-jdk8" => any(|major| major == 8),
        "needs-jdk17" => any(|major| major >= 17),
        _ => true,
    }
}

/// Under a name of its own: other tests build the same folder with other settings.
fn load(name: &str) -> Subject {
    let folder = tempfile::tempdir().unwrap();
    let path = bundled(name);
    let timeout = if name == "hanging-test" { "25s" } else { "120s" };
    let phase = if name == "integration-tests" { "verify" } else { "test" };
    let text = format!(
        "[experiment]\nname = \"direct\"\nseed = 1\n[machine]\ntimeout = \"{timeout}\"\n\
         [[subject]]\nname = \"direct-{name}\"\npath = {:?}\nphase = \"{phase}\"\nenvironment = {{ MAVEN_OPTS = \"-XX:TieredStopAtLevel=1\" }}\n\
         [[configuration]]\nname = \"sequential\"\n",
        path.display()
    );
    let file = folder.path().join("experiment.toml");
    std::fs::write(&file, text).unwrap();
    let loaded = experiment::load(&file, &MachineLimits::here()).map_err(miette::Report::from).unwrap();
    loaded.experiment.subjects.into_iter().next().unwrap()
}

fn prepare(name: &str) -> Prepared {
    let subject = load(name);
    let home = Home::at(shared_home());
    let revision = subject::resolve(&subject.origin, &home, &Silent, &|| false).unwrap();
    let interrupt = Interrupt::new();
    let request = OpenRequest {
        revision: Some(&revision),
        build_timeout: Duration::from_secs(600),
        ..OpenRequest::of_command(&subject, &home, &Silent, &interrupt, TAG)
    };
    match java::prepare(&request).unwrap().outcome {
        BuildOutcome::Ready(prepared) => *prepared,
        other => panic!("{name}: {other:?}"),
    }
}

impl Bench {
    pub fn run(&mut self, selection: Selection, parallelism: Parallelism, policy: ProcessPolicy) -> SuiteRun {
        let request = self.request(selection, parallelism, policy);
        self.session.run(&request).unwrap()
    }

    pub fn request(&mut self, selection: Selection, parallelism: Parallelism, policy: ProcessPolicy) -> RunRequest {
        self.runs += 1;
        RunRequest {
            selection,
            parallelism,
            policy,
            ..RunRequest::sequential(
                &format!("run-{}", self.runs),
                Resources { cores: cores(), memory_bytes: None, logs: self.logs.path().to_owned() },
                Duration::from_secs(120),
            )
        }
    }

    /// The whole suite, one test after the other.
    pub fn run_all(&mut self) -> SuiteRun {
        self.run(Selection::All, Parallelism::SEQUENTIAL, ProcessPolicy::default())
    }

    pub fn test(&self, id: &str) -> TestId {
        let id: TestId = id.parse().unwrap();
        assert!(self.session.tests().contains(&id), "{id} is not among {:?}", self.session.tests());
        id
    }

    /// What processes printed, for a test that fails.
    pub fn output(&self) -> String {
        let logs = walk(self.logs.path());
        logs.iter().map(|log| std::fs::read_to_string(log).unwrap_or_default()).collect()
    }
}

fn walk(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// In the order in which they started; what a class does around its tests is none.
pub fn order_of(run: &SuiteRun) -> Vec<String> {
    tests_of(run).map(|execution| execution.test.to_string()).collect()
}

pub fn tests_of(run: &SuiteRun) -> impl Iterator<Item = &Execution> {
    run.executions.iter().filter(|execution| !execution.is_failed_fixture())
}

/// Test and outcome, as a multiset.
pub fn outcomes_of(run: &SuiteRun) -> Vec<String> {
    let mut found: Vec<_> = tests_of(run).map(|one| format!("{} {}", one.test, one.outcome.name())).collect();
    found.sort();
    found
}

pub fn assert_finished(run: &SuiteRun) {
    assert_eq!(run.end, RunEnd::Finished, "{:?}", run.findings);
}
