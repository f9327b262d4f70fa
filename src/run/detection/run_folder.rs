//! The run folder of a detection: `results/detect-<project>/<utc time>-<host>/`, with the same journal as an experiment's.
//! Its steps are the question, every order that was run, and the answer.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::DetectionRequest;
use super::opened::Suite;
use crate::redaction::redact;
use crate::store::record::{CommandKind, RunManifest, StepKind, StepRecord, SubjectRecord};
use crate::store::{self, OpenRun};
use crate::technique::detect::{Detection, ObservedAccesses};
use crate::whole_file;

/// The answer as a file, for people and programs.
const ANSWER_FILE: &str = "detection.json";
/// What tests read and write, where a strategy asked for it.
const ACCESSES_FILE: &str = "accesses.json";

/// A fingerprint of everything that a detection depends on: the same question means the same runs.
pub(super) fn identity(request: &DetectionRequest, suite: &Suite) -> String {
    let mut identity = request.subject.fingerprint().of_outcomes("detection");
    identity.text("parade", env!("CARGO_PKG_VERSION"));
    identity.text("revision", &suite.revision);
    identity.text("jdk", suite.jdk.as_deref().unwrap_or_default());
    suite.tools.iter().for_each(|(name, value)| identity.text(name, value));
    identity.number("memory", request.memory_bytes.unwrap_or(0));
    let settings = request.settings;
    let asked = format!("{:?} {settings:?} {:?} {}", request.strategies, request.budget, request.baseline);
    identity.text("asked", &asked);
    identity.text("interleave", if request.interleave { "all orders count" } else { "orders of builds count" });
    let tests: Vec<String> = suite.session.tests().iter().map(ToString::to_string).collect();
    identity.texts("tests", tests.iter().map(String::as_str));
    identity.digits(64)
}

/// What was asked, as the journal has it.
#[derive(Debug, Serialize)]
struct Question<'a> {
    revision: &'a str,
    jdk: Option<&'a str>,
    tests: usize,
    budget_seconds: f64,
    original_order_runs: usize,
    cores: usize,
    interleave: bool,
}

/// A detection that is being recorded.
pub(super) struct DetectionRun {
    pub record: OpenRun,
    pub identity: String,
}

impl DetectionRun {
    /// The unfinished detection of the same question, or a new one.
    pub fn obtain(request: &DetectionRequest, suite: &Suite) -> miette::Result<Self> {
        let identity = identity(request, suite);
        let located = store::locate(&request.results, &experiment_name(request))?;
        if let Some(latest) = located.latest.as_ref().filter(|_| !request.fresh) {
            let record = OpenRun::open(latest.dir())?;
            let is_asked = record.recorded().steps.get(&identity).is_some();
            if is_asked && record.recorded().last_step(StepKind::Answer).is_none() {
                return Ok(DetectionRun { record, identity });
            }
        }
        let manifest = manifest(request);
        let folder = located.create(&manifest, &question_text(request), &store::capture_environment())?;
        let mut record = OpenRun::open(folder.dir())?;
        record.record_subject(&SubjectRecord { subject: project_name(request).to_owned(), ..suite.record.clone() })?;
        let question = Question {
            revision: &suite.revision,
            jdk: suite.jdk.as_deref(),
            tests: suite.session.tests().len(),
            budget_seconds: request.budget.as_secs_f64(),
            original_order_runs: request.baseline,
            cores: request.cores,
            interleave: request.interleave,
        };
        record.record_step(StepRecord::new(&identity, StepKind::Question, project_name(request), &question)?)?;
        Ok(DetectionRun { record, identity })
    }

    pub fn dir(&self) -> &Path {
        self.record.folder().dir()
    }

    pub fn logs(&self) -> PathBuf {
        self.record.folder().logs("orders")
    }

    /// What tests read and write, as a file; nothing where it was not watched.
    pub fn write_accesses(&self) -> miette::Result<Option<PathBuf>> {
        let Some(step) = self.record.recorded().last_step(StepKind::Profile) else { return Ok(None) };
        let Some(watched) = step.outcome::<ObservedAccesses>() else { return Ok(None) };
        let path = self.dir().join(ACCESSES_FILE);
        whole_file::write_json(&path, &watched)?;
        Ok(Some(path))
    }

    /// Comes last: it says that everything is there.
    pub fn finish(&mut self, request: &DetectionRequest, detection: &Detection) -> miette::Result<()> {
        whole_file::write_json(&self.dir().join(ANSWER_FILE), detection)?;
        let id = format!("answer.{}", &self.identity[..16]);
        self.record.record_step(StepRecord::new(&id, StepKind::Answer, project_name(request), detection)?)
    }
}

/// As people call it.
fn project_name(request: &DetectionRequest) -> &str {
    let name = request.subject.name.strip_prefix("test-").unwrap_or(&request.subject.name);
    name.strip_suffix(".toml").unwrap_or(name)
}

fn experiment_name(request: &DetectionRequest) -> String {
    format!("detect-{}", project_name(request))
}

fn manifest(request: &DetectionRequest) -> RunManifest {
    let environment = store::capture_environment();
    RunManifest {
        experiment: experiment_name(request),
        study: None,
        baseline: "original order".to_owned(),
        repetitions: u32::try_from(request.baseline).unwrap_or(u32::MAX),
        warmup: 0,
        screening: 0,
        seed: request.settings.seed,
        quick: false,
        cores: vec![request.cores],
        subjects: vec![project_name(request).to_owned()],
        configurations: Vec::new(),
        trials: Vec::new(),
        started_at: jiff::Timestamp::now(),
        host: environment.hostname.clone(),
        parade: environment.parade,
        contents: Default::default(),
        experiment_folder: None,
        merged: Vec::new(),
        accepted_changes: Vec::new(),
        command: Some(CommandKind::Detect),
    }
}

/// The question as the file that a run folder has in place of an experiment.
fn question_text(request: &DetectionRequest) -> String {
    let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
    let mut text = String::from("# What `parade detect` was asked.\n[detect]\n");
    let mut line = |key: &str, value: String| text.push_str(&format!("{key} = {value}\n"));
    line("subject", quoted(&redact(&request.subject.source)));
    if let Some(strategies) = &request.strategies {
        let names: Vec<String> = strategies.iter().map(|strategy| quoted(strategy.name())).collect();
        line("strategies", format!("[{}]", names.join(", ")));
    }
    line("budget_seconds", request.budget.as_secs_f64().to_string());
    line("original_order_runs", request.baseline.to_string());
    line("seed", request.settings.seed.to_string());
    line("cores", request.cores.to_string());
    line("interleave", request.interleave.to_string());
    text
}
