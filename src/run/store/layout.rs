//! The folder of a run: `results/<experiment>/<utc time>-<host>/`, never overwritten, enough to redo every table elsewhere.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use miette::{IntoDiagnostic, miette};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::journal::{self, Entry};
use super::record::{
    Environment, ExecutionRow, HistoryRecord, KnowledgeRecord, LeftOut, Phase, RunData, RunManifest, StepKind,
    StepRecord, SubjectRecord, TrialRecord,
};
use super::{frames, table, write_atomically};
use crate::bad_usage::BadUsage;
use crate::file_error::file_error;
use crate::folder_handle;
use crate::suite::TestId;

/// Versions that were found in histories.
const VERSIONS: &str = "versions.json";
const TESTS: &str = "tests";
const LOGS: &str = "logs";
/// What is read and written below a run folder must be there.
const NEVER_LINKS: [&str; 7] = [TESTS, LOGS, "report", "report/figures", "origins", "knowledge", "generated"];

/// One run's folder.
#[derive(Debug, Clone)]
pub struct RunFolder {
    dir: PathBuf,
}

/// The newest run of an experiment, if there is one, under a lock that keeps other parades out of the experiment.
#[derive(Debug)]
pub struct Located {
    experiment_dir: PathBuf,
    pub latest: Option<RunFolder>,
    _lock: File,
}

/// Looks up an experiment's runs below a results folder, and locks them.
pub fn locate(results: &Path, experiment: &str) -> miette::Result<Located> {
    let experiment_dir = results.join(experiment);
    fs::create_dir_all(&experiment_dir).map_err(|error| {
        miette!(
            help = "name another folder with --out or --results",
            "{} could not be made: {error}",
            experiment_dir.display()
        )
    })?;
    let lock = lock(&experiment_dir)?;
    let latest = experiment_dir.join("latest");
    let latest = fs::canonicalize(&latest).ok().filter(|dir| dir.join("manifest.json").is_file());
    Ok(Located { experiment_dir, latest: latest.map(|dir| RunFolder { dir }), _lock: lock })
}

fn lock(experiment_dir: &Path) -> miette::Result<File> {
    let path = experiment_dir.join(".lock");
    let file =
        journal::open_own(&path, false).map_err(|error| file_error(format_args!("{}", path.display()), &error))?;
    file.try_lock().map_err(|_| {
        miette!(
            help = "wait until it ends, or use another results folder with --out",
            "another parade is running this experiment in {}",
            experiment_dir.display()
        )
    })?;
    Ok(file)
}

impl Located {
    /// Makes the folder of a new run. It appears under its name only when it is whole.
    pub fn create(
        &self,
        manifest: &RunManifest,
        experiment_text: &str,
        environment: &Environment,
    ) -> miette::Result<RunFolder> {
        let name = folder_name(manifest);
        let dir = (1..)
            .map(|n| self.experiment_dir.join(if n == 1 { name.clone() } else { format!("{name}-{n}") }))
            .find(|dir| !dir.exists())
            .unwrap_or_else(|| self.experiment_dir.join(&name));
        let draft = RunFolder { dir: self.experiment_dir.join(format!(".{name}.part")) };
        let _ = fs::remove_dir_all(&draft.dir);
        draft.begin(manifest, experiment_text, environment)?;
        fs::rename(&draft.dir, &dir).map_err(|error| file_error(format_args!("{}", dir.display()), &error))?;
        self.point_latest_to(&dir)?;
        super::sync_folder(&self.experiment_dir)
            .map_err(|error| file_error(format_args!("{}", dir.display()), &error))?;
        RunFolder::open(&dir)
    }

    fn point_latest_to(&self, dir: &Path) -> miette::Result<()> {
        let link = self.experiment_dir.join("latest");
        let draft = self.experiment_dir.join(".latest.part");
        let _ = fs::remove_file(&draft);
        let name = dir.file_name().unwrap_or_default();
        std::os::unix::fs::symlink(name, &draft).and_then(|()| fs::rename(&draft, &link)).map_err(|error| {
            file_error(format_args!("the link {} could not be changed to the new run", link.display()), &error)
        })
    }
}

/// UTC time and host, of characters that every file system takes.
fn folder_name(manifest: &RunManifest) -> String {
    let time = manifest.started_at.strftime("%Y%m%dT%H%M%SZ");
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let host: String = manifest.host.chars().take(40).map(safe).collect();
    format!("{time}-{host}")
}

impl RunFolder {
    pub fn open(dir: &Path) -> miette::Result<Self> {
        let dir = fs::canonicalize(dir).map_err(|error| not_a_run(dir, &error.to_string()))?;
        if !is_own_file(&dir.join("manifest.json")) {
            return Err(not_a_run(&dir, "it has no manifest.json"));
        }
        if let Some(link) = NEVER_LINKS.iter().find(|name| dir.join(name).is_symlink()) {
            return Err(not_a_run(&dir, &format!("its folder {link} is a link, and links are not followed")));
        }
        Ok(RunFolder { dir })
    }

    /// A folder that is not a run's yet.
    pub(super) fn at(dir: &Path) -> Self {
        RunFolder { dir: dir.to_owned() }
    }

    /// Writes what every run has from its beginning on.
    pub(super) fn begin(
        &self,
        manifest: &RunManifest,
        experiment_text: &str,
        environment: &Environment,
    ) -> miette::Result<()> {
        for folder in [self.tests(), self.dir.join(LOGS)] {
            fs::create_dir_all(&folder).map_err(|error| file_error(format_args!("{}", folder.display()), &error))?;
        }
        write_atomically(&self.dir.join("experiment.toml"), experiment_text.as_bytes())?;
        self.write_json("environment.json", environment)?;
        self.write_json("manifest.json", manifest)
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The experiment file as it was run.
    pub fn experiment_text(&self) -> miette::Result<String> {
        crate::whole_file::read_own(&self.dir.join("experiment.toml"))
    }

    pub fn logs(&self, trial: &str) -> PathBuf {
        self.dir.join(LOGS).join(trial)
    }

    /// The versions that were found in histories; none where nobody sought any.
    pub fn histories(&self) -> miette::Result<Vec<HistoryRecord>> {
        if is_own_file(&self.dir.join(VERSIONS)) { self.read_json(VERSIONS) } else { Ok(Vec::new()) }
    }

    /// Pins versions for the whole run, beside those of other subjects.
    pub fn pin_histories(&self, histories: &[HistoryRecord]) -> miette::Result<()> {
        let mut all = self.histories()?;
        all.retain(|known| !histories.iter().any(|history| history.subject == known.subject));
        all.extend(histories.iter().cloned());
        all.sort_by(|a, b| a.subject.cmp(&b.subject));
        if all == self.histories()? { Ok(()) } else { self.write_json(VERSIONS, &all) }
    }

    /// Where the tests lie that a subject's generator wrote.
    pub fn generated(&self, subject: &str) -> PathBuf {
        self.dir.join("generated").join(subject)
    }

    /// Where what was found out about a subject is kept.
    pub fn knowledge(&self, subject: &str) -> PathBuf {
        self.dir.join("knowledge").join(subject)
    }

    /// What the logs and the executions of a trial take.
    pub fn bytes_of(&self, trial: &str) -> u64 {
        if !is_plain_name(trial) {
            return 0;
        }
        let parts = [self.logs(trial), self.tests_of(trial)];
        parts.iter().filter_map(|part| crate::folders::bytes(part)).sum()
    }

    pub fn manifest(&self) -> miette::Result<RunManifest> {
        self.read_json("manifest.json")
    }

    pub fn environment(&self) -> miette::Result<Environment> {
        self.read_json("environment.json")
    }

    /// Writes the executions of a trial, and tells their hash.
    pub(super) fn write_executions(&self, record: &TrialRecord, rows: &[ExecutionRow]) -> miette::Result<String> {
        let tests = folder_handle::make_unlinked(&self.tests());
        tests.map_err(|error| file_error(format_args!("{} cannot be written", self.tests().display()), &error))?;
        frames::write_trial(&self.tests_of(&record.trial), &record.trial, rows)
    }

    /// Derives `trials.csv` and `tests.parquet` from what is recorded of the plan.
    pub fn derive_tables(&self) -> miette::Result<()> {
        let run = self.read()?;
        table::write(&self.dir.join("trials.csv"), &run)?;
        let mut measured: Vec<_> = run.trials.iter().filter(|trial| trial.phase == Phase::Measured).collect();
        // Trials of a subject have the same names in them, which then take little room.
        measured.sort_by(|a, b| a.subject.cmp(&b.subject));
        let files: Vec<_> = measured.iter().filter_map(|trial| self.own_tests(&trial.trial)).collect();
        frames::merge(&files, &self.dir.join("tests.parquet"))?;
        if self.dir.join("tests.parquet").exists() {
            self.note_derived("tests.parquet")?;
        }
        self.note_derived("trials.csv")
    }

    /// Derives `trials.csv` alone.
    pub fn derive_trials(&self, run: &RunData) -> miette::Result<()> {
        table::write(&self.dir.join("trials.csv"), run)?;
        self.note_derived("trials.csv")
    }

    /// What was planned, and what became of it.
    pub fn read(&self) -> miette::Result<RunData> {
        Ok(assemble(self.manifest()?, self.environment()?, journal::read(&self.journal_path())?))
    }

    pub(super) fn journal_path(&self) -> PathBuf {
        self.dir.join("journal.jsonl")
    }

    fn tests(&self) -> PathBuf {
        self.dir.join(TESTS)
    }

    /// The file of a trial's executions, where there is one. A run folder that came from elsewhere must not lead out of itself.
    /// What tests of a trial failed of in its first stage: the first line of each one's message, by test. Tests that gave no
    /// message are not in it.
    pub fn failure_messages(&self, trial: &str) -> miette::Result<BTreeMap<TestId, String>> {
        match self.own_tests(trial) {
            Some(file) => frames::failure_messages(&file, trial),
            None => frames::failure_messages(&self.dir.join("tests.parquet"), trial),
        }
    }

    pub(super) fn own_tests(&self, trial: &str) -> Option<PathBuf> {
        is_plain_name(trial).then(|| self.tests_of(trial)).filter(|file| is_own_file(file))
    }

    pub(super) fn tests_of(&self, trial: &str) -> PathBuf {
        self.tests().join(format!("{trial}.parquet"))
    }

    fn write_json(&self, name: &str, value: &impl Serialize) -> miette::Result<()> {
        write_atomically(&self.dir.join(name), &pretty(value)?)
    }

    fn read_json<T: DeserializeOwned>(&self, name: &str) -> miette::Result<T> {
        let path = self.dir.join(name);
        let text = crate::whole_file::read_own(&path)?;
        serde_json::from_str(&text).map_err(|error| {
            miette!(
                help = "it was written by another version of parade, or it is damaged",
                "{}:{}:{}: {error}",
                path.display(),
                error.line(),
                error.column()
            )
        })
    }
}

/// Measured trials that the plan no longer has stay in the journal, but say nothing about the present settings.
pub fn assemble(mut manifest: RunManifest, environment: Environment, entries: Vec<Entry>) -> RunData {
    let planned: HashSet<&str> = manifest.trials.iter().map(|trial| trial.id.as_str()).collect();
    let Recorded { subjects, mut trials, knowledge, mut steps } = Recorded::of(entries);
    trials.retain(|record| record.phase != Phase::Measured || planned.contains(record.trial.as_str()));
    trials.retain(|record| !manifest.is_superseded(record));
    // Single orders are there to go on from, and there can be many thousands of them.
    steps.retain(|step| step.step_kind != StepKind::Order);
    let (subjects, trials) = (subjects.values, trials.values);
    let (knowledge, steps) = (knowledge.values, steps.values);
    let planned: HashSet<&str> = manifest.trials.iter().map(|trial| trial.subject.as_str()).collect();
    let (kept, subjects_left) = manifest.subjects.into_iter().partition(|name| planned.contains(name.as_str()));
    manifest.subjects = kept;
    let planned: HashSet<&str> = manifest.trials.iter().map(|trial| trial.configuration.as_str()).collect();
    let (kept, others): (Vec<_>, Vec<_>) =
        manifest.configurations.into_iter().partition(|entry| planned.contains(entry.name.as_str()));
    manifest.configurations = kept;
    let configurations = others.into_iter().map(|entry| entry.name).collect();
    let left_out = LeftOut { subjects: subjects_left, configurations };
    RunData { environment, subjects, trials, knowledge, steps, left_out, manifest }
}

/// What a journal holds, by kind. Later lines about a subject, a trial or a step replace earlier ones: it was done again.
#[derive(Debug, Default)]
pub struct Recorded {
    pub subjects: Latest<SubjectRecord>,
    pub trials: Latest<TrialRecord>,
    pub knowledge: Latest<KnowledgeRecord>,
    pub steps: Latest<StepRecord>,
}

impl Recorded {
    pub fn of(entries: Vec<Entry>) -> Self {
        let mut recorded = Recorded::default();
        entries.into_iter().for_each(|entry| recorded.keep(entry));
        recorded
    }

    pub(super) fn keep(&mut self, entry: Entry) {
        match entry {
            Entry::Trial(trial) => self.trials.keep(trial.trial.clone(), trial),
            Entry::Subject(subject) => self.subjects.keep(subject.subject.clone(), subject),
            Entry::Knowledge(record) => self.knowledge.keep(record.subject.clone(), record),
            Entry::Step(step) => self.steps.keep(step.step.clone(), step),
        }
    }

    /// The last step of a kind.
    pub fn last_step(&self, kind: StepKind) -> Option<&StepRecord> {
        self.steps.values.iter().rev().find(|step| step.step_kind == kind)
    }
}

/// Values in the order of their first appearance, each in its last version.
#[derive(Debug)]
pub struct Latest<T> {
    places: HashMap<String, usize>,
    pub values: Vec<T>,
}

impl<T> Default for Latest<T> {
    fn default() -> Self {
        Latest { places: HashMap::new(), values: Vec::new() }
    }
}

impl<T> Latest<T> {
    fn keep(&mut self, name: String, value: T) {
        match self.places.get(&name) {
            Some(place) => self.values[*place] = value,
            None => {
                self.places.insert(name, self.values.len());
                self.values.push(value);
            }
        }
    }

    pub fn get(&self, name: &str) -> Option<&T> {
        self.places.get(name).map(|place| &self.values[*place])
    }

    pub(super) fn retain(&mut self, is_kept: impl Fn(&T) -> bool) {
        let mut names: Vec<(String, usize)> = self.places.drain().collect();
        names.sort_by_key(|(_, place)| *place);
        let values = std::mem::take(&mut self.values);
        for ((name, _), value) in names.into_iter().zip(values).filter(|(_, value)| is_kept(value)) {
            self.keep(name, value);
        }
    }
}

pub(super) fn pretty(value: &impl Serialize) -> miette::Result<Vec<u8>> {
    serde_json::to_vec_pretty(value).into_diagnostic()
}

/// A file, and not a link to one: a run folder that came from elsewhere must not lead out of itself.
pub(super) fn is_own_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| metadata.is_file())
}

/// A run folder that came from elsewhere must not lead out of itself.
pub(super) fn is_plain_name(name: &str) -> bool {
    !name.contains(['/', '\0']) && name != ".."
}

fn not_a_run(dir: &Path, why: &str) -> miette::Report {
    BadUsage {
        message: format!("{} is not a run folder: {why}", dir.display()),
        help: "give a run folder, such as results/quickstart/latest".to_owned(),
    }
    .into()
}

#[cfg(test)]
pub mod tests {
    use super::*;

    pub fn manifest() -> RunManifest {
        RunManifest {
            experiment: "e".into(),
            study: None,
            baseline: "sequential".into(),
            repetitions: 1,
            warmup: 0,
            screening: 0,
            seed: 1,
            quick: false,
            cores: vec![1],
            subjects: vec![],
            configurations: vec![],
            trials: vec![],
            started_at: "2026-01-02T03:04:05Z".parse().unwrap(),
            host: "ho/st..\n".into(),
            contents: std::collections::BTreeMap::new(),
            experiment_folder: None,
            merged: vec![],
            accepted_changes: Vec::new(),
            command: None,
            parade: "0".into(),
        }
    }

    #[test]
    fn a_run_folder_is_never_overwritten_and_latest_is_the_newest() {
        let results = tempfile::tempdir().unwrap();
        let located = locate(results.path(), "e").unwrap();
        let first = located.create(&manifest(), "text", &Environment::default()).unwrap();
        let second = located.create(&manifest(), "text", &Environment::default()).unwrap();
        assert_ne!(first.dir(), second.dir());
        assert_eq!(first.dir().file_name().unwrap(), "20260102T030405Z-ho_st___");
        assert_eq!(fs::canonicalize(results.path().join("e/latest")).unwrap(), fs::canonicalize(second.dir()).unwrap());
        assert_eq!(second.manifest().unwrap(), manifest());
    }

    #[test]
    fn what_no_trial_was_planned_of_is_kept_by_name() {
        let subjects = ["a", "b", "c"].map(str::to_owned).to_vec();
        let trial = crate::experiment::Trial {
            id: "t".into(),
            subject: "b".into(),
            configuration: "sequential".into(),
            cores: 1,
            repetition: 1,
        };
        let manifest = RunManifest { subjects, trials: vec![trial], ..manifest() };
        let run = assemble(manifest, Environment::default(), Vec::new());
        assert_eq!((run.manifest.subjects, run.left_out.subjects), (vec!["b".into()], vec!["a".into(), "c".into()]));
    }

    #[test]
    fn an_experiment_is_run_by_one_parade_at_a_time() {
        let results = tempfile::tempdir().unwrap();
        let _located = locate(results.path(), "e").unwrap();
        let error = locate(results.path(), "e").unwrap_err().to_string();
        assert!(error.contains("another parade is running"), "{error}");
    }

    #[test]
    fn what_is_no_run_folder_is_refused_with_advice() {
        let error = RunFolder::open(Path::new("/nonexistent/run")).unwrap_err();
        assert!(format!("{error:?}").contains("results/quickstart/latest"));
    }
}
