//! A run folder that is open for writing: what is on record, and the journal that everything else is appended to.

use std::collections::HashSet;
use std::path::Path;

use super::journal::{Entry, Journal};
use super::layout::{Recorded, RunFolder};
use super::record::{
    Environment, ExecutionRow, KnowledgeRecord, RunManifest, StepRecord, SubjectRecord, TrialRecord, UsedJdk,
};
use crate::experiment::Trial;
use crate::file_error::file_error;

/// Nobody else can open the same run meanwhile.
#[derive(Debug)]
pub struct OpenRun {
    folder: RunFolder,
    journal: Journal,
    recorded: Recorded,
}

impl OpenRun {
    /// Links on the way are resolved once, before anything of a subject runs: later there must be none.
    pub fn open(dir: &Path) -> miette::Result<Self> {
        let folder = RunFolder::open(dir)?;
        let (journal, entries) = Journal::open(&folder.journal_path())?;
        Ok(OpenRun { folder, journal, recorded: Recorded::of(entries) })
    }

    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }

    pub fn recorded(&self) -> &Recorded {
        &self.recorded
    }

    pub fn trials(&self) -> &[TrialRecord] {
        &self.recorded.trials.values
    }

    /// Trials of content that their subject no longer has do not count.
    pub fn forget_superseded(&mut self, manifest: &RunManifest) {
        self.recorded.trials.retain(|trial| !manifest.is_superseded(trial));
    }

    pub fn record_subject(&mut self, record: &SubjectRecord) -> miette::Result<()> {
        self.journal.append(&Entry::Subject(record.clone()))?;
        self.note_jdk(record)
    }

    pub fn record_knowledge(&mut self, record: &KnowledgeRecord) -> miette::Result<()> {
        self.append(Entry::Knowledge(record.clone()))
    }

    pub fn record_step(&mut self, record: StepRecord) -> miette::Result<()> {
        self.append(Entry::Step(record))
    }

    /// The executions are on disk before the line is in the journal.
    pub fn record_trial(&mut self, record: &TrialRecord, rows: &[ExecutionRow]) -> miette::Result<()> {
        let hash = self.folder.write_executions(record, rows)?;
        self.journal.append_with(&Entry::Trial(record.clone()), Some(hash))?;
        self.recorded.keep(Entry::Trial(record.clone()));
        Ok(())
    }

    fn append(&mut self, entry: Entry) -> miette::Result<()> {
        self.journal.append(&entry)?;
        self.recorded.keep(entry);
        Ok(())
    }

    /// The settings of a run that was changed on purpose between two sittings; the earlier ones stay beside it.
    pub fn accept(
        &mut self,
        manifest: &RunManifest,
        experiment_text: &str,
        environment: &Environment,
    ) -> miette::Result<()> {
        let dir = self.folder.dir();
        let number = (1..).find(|n| !dir.join(format!("manifest.{n}.json")).exists()).unwrap_or(1);
        for (name, extension) in [("manifest", "json"), ("environment", "json"), ("experiment", "toml")] {
            let (from, to) = (format!("{name}.{extension}"), format!("{name}.{number}.{extension}"));
            crate::whole_file::copy_regular(&dir.join(&from), &dir.join(&to))
                .map_err(|error| file_error(format_args!("{} could not be kept", dir.join(from).display()), &error))?;
        }
        self.journal.write_settings("experiment.toml", experiment_text.as_bytes())?;
        self.journal.write_settings("environment.json", &super::layout::pretty(environment)?)?;
        self.write_manifest(manifest)
    }

    /// Adds a subject's JDK to those of the run. Which one it is turns out only when the subject is built.
    fn note_jdk(&mut self, subject: &SubjectRecord) -> miette::Result<()> {
        let (Some(version), Some(home)) = (subject.jdk.clone(), subject.java_home.clone()) else { return Ok(()) };
        let mut environment = self.folder.environment()?;
        let used = UsedJdk { version, home };
        if environment.jdks.contains(&used) {
            return Ok(());
        }
        environment.jdks.push(used);
        self.journal.write_settings("environment.json", &super::layout::pretty(&environment)?)
    }

    /// Adds trials to the plan: the run was begun with a part of the matrix.
    pub fn plan_also(&mut self, trials: &[Trial]) -> miette::Result<()> {
        let mut manifest = self.folder.manifest()?;
        let added: Vec<Trial> = trials.iter().filter(|trial| !manifest.trials.contains(trial)).cloned().collect();
        if added.is_empty() {
            return Ok(());
        }
        manifest.trials.extend(added);
        self.write_manifest(&manifest)
    }

    /// Takes trials out of the plan again that never came to run.
    pub fn unplan(&mut self, trials: &HashSet<String>) -> miette::Result<()> {
        if trials.is_empty() {
            return Ok(());
        }
        let mut manifest = self.folder.manifest()?;
        manifest.trials.retain(|trial| !trials.contains(&trial.id));
        self.write_manifest(&manifest)
    }

    fn write_manifest(&mut self, manifest: &RunManifest) -> miette::Result<()> {
        self.journal.write_settings("manifest.json", &super::layout::pretty(manifest)?)
    }
}
