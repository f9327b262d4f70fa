//! Turns an expectation into the experiment file that puts it to the test.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::expectation::{Expectation, ExpectedConfiguration};
use super::leftovers::Marker;

const TIMEOUT: &str = "120s";

/// Nothing is timed here: Maven had better start quickly than run fast.
const MAVEN_OPTS: &str = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

#[derive(Serialize)]
struct ExperimentFile<'a> {
    experiment: Header<'a>,
    machine: Machine<'a>,
    subject: [Subject<'a>; 1],
    configuration: Vec<Configuration<'a>>,
    analysis: Analysis<'a>,
}

#[derive(Serialize)]
struct Header<'a> {
    name: &'a str,
    repetitions: u32,
    warmup: u32,
    screening: u32,
    seed: u32,
}

#[derive(Serialize)]
struct Machine<'a> {
    cores: [&'a str; 1],
    timeout: &'a str,
    build_timeout: &'a str,
}

#[derive(Serialize)]
struct Subject<'a> {
    name: &'a str,
    path: PathBuf,
    environment: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    phase: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<&'a str>,
}

#[derive(Serialize)]
struct Configuration<'a> {
    name: &'a str,
    technique: parade::technique::TechniqueKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    parallel: Option<parade::engine::Mode>,
    #[serde(skip_serializing_if = "Option::is_none")]
    threads: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    threads_per_core: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    forks: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    modules: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    engine: Option<parade::engine::EngineKind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rerun_engine: Option<parade::engine::EngineKind>,
}

#[derive(Serialize)]
struct Analysis<'a> {
    baseline: &'a str,
}

/// Writes the file into the folder.
pub fn write(folder: &Path, subject: &str, expectation: &Expectation, marker: &Marker) -> PathBuf {
    let file = ExperimentFile {
        experiment: Header { name: subject, repetitions: 1, warmup: 0, screening: expectation.screening, seed: 1 },
        machine: Machine {
            cores: ["all"],
            timeout: expectation.timeout.as_deref().unwrap_or(TIMEOUT),
            build_timeout: "10m",
        },
        subject: [Subject {
            name: subject,
            path: super::subjects_folder().join(subject),
            environment: environment(folder, expectation, marker),
            phase: expectation.phase.as_deref(),
            user: expectation.user.as_deref(),
        }],
        configuration: expectation.configurations.iter().map(configuration).collect(),
        analysis: Analysis { baseline: "sequential" },
    };
    let path = folder.join("experiment.toml");
    std::fs::write(&path, toml::to_string(&file).expect("it is a TOML document")).expect("the scratch folder is ours");
    path
}

fn environment(folder: &Path, expectation: &Expectation, marker: &Marker) -> BTreeMap<String, String> {
    let scratch = folder.to_string_lossy();
    let mut environment: BTreeMap<_, _> = expectation
        .environment
        .iter()
        .map(|(name, value)| (name.clone(), value.replace("{scratch}", &scratch)))
        .collect();
    environment.insert("MAVEN_OPTS".to_owned(), MAVEN_OPTS.to_owned());
    environment.insert("SUBJECT_MARKER".to_owned(), marker.text().to_owned());
    environment
}

/// One fork and threads counted as they are, unless the expectation says otherwise; the project's own mode takes neither.
fn configuration(expected: &ExpectedConfiguration) -> Configuration<'_> {
    let steered = expected.threads.is_some();
    Configuration {
        name: &expected.name,
        technique: expected.technique,
        parallel: expected.parallel,
        threads: expected.threads,
        threads_per_core: steered.then_some(false),
        forks: expected.forks.as_deref().or(steered.then_some("1")),
        modules: expected.modules,
        engine: expected.engine,
        rerun_engine: expected.rerun_engine,
    }
}
