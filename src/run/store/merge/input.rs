//! The runs that are to be merged, as they are read.

use std::collections::HashMap;
use std::path::PathBuf;

use miette::miette;

use crate::bad_usage::BadUsage;
use crate::store::layout::is_plain_name;
use crate::store::record::{Environment, MergedRun, Provenance, RunManifest, SubjectRecord, TrialRecord};
use crate::store::{JournalDoubts, RunFolder};

/// One of them. Its trials all say where they come from.
pub(super) struct Input {
    pub folder: RunFolder,
    /// The name of its folder, and no other input's.
    pub label: String,
    pub manifest: RunManifest,
    pub environment: Environment,
    pub text: String,
    pub subjects: Vec<SubjectRecord>,
    pub trials: Vec<TrialRecord>,
    /// Was it changed since it was recorded?
    pub doubts: JournalDoubts,
}

impl Input {
    pub fn read_all(dirs: &[PathBuf]) -> miette::Result<Vec<Input>> {
        let mut inputs: Vec<Input> = Vec::new();
        for dir in dirs {
            let folder = RunFolder::open(dir)?;
            if let Some(known) = inputs.iter().find(|known| known.folder.dir() == folder.dir()) {
                let dir = known.folder.dir().display();
                let (message, help) = (format!("{dir} is given twice"), "name each run once".to_owned());
                return Err(BadUsage { message, help }.into());
            }
            let label = free_label(&folder, &inputs);
            inputs.push(Input::read(folder, label)?);
        }
        check_distinct(&inputs)?;
        Ok(inputs)
    }

    fn read(folder: RunFolder, label: String) -> miette::Result<Input> {
        let (manifest, data) = (folder.manifest()?, folder.read()?);
        let doubts = folder.doubts(&data);
        let mut trials = data.trials;
        for trial in &mut trials {
            if !is_plain_name(&trial.trial) {
                let (dir, name) = (folder.dir().display(), trial.trial.escape_debug());
                return Err(miette!("{dir} is not a run of parade: it has a trial called `{name}`"));
            }
            trial.provenance.get_or_insert_with(|| Provenance {
                run: label.clone(),
                host: manifest.host.clone(),
                trial: trial.trial.clone(),
                repetition: trial.repetition,
            });
        }
        let text = folder.experiment_text()?;
        let (environment, subjects) = (data.environment, data.subjects);
        Ok(Input { environment, subjects, manifest, text, trials, label, folder, doubts })
    }

    /// The runs that it stands for: itself, or those that it was merged from.
    pub fn runs(&self) -> Vec<MergedRun> {
        if !self.manifest.merged.is_empty() {
            return self.manifest.merged.clone();
        }
        vec![MergedRun {
            run: self.label.clone(),
            host: self.manifest.host.clone(),
            started_at: self.manifest.started_at,
            parade: self.manifest.parade.clone(),
            environment: self.environment.clone(),
        }]
    }

    pub fn subject(&self, name: &str) -> Option<&SubjectRecord> {
        self.subjects.iter().find(|record| record.subject == name)
    }
}

/// Hosts can share a name, and folders a second.
fn free_label(folder: &RunFolder, others: &[Input]) -> String {
    let name = folder.dir().file_name().map_or_else(|| "run".to_owned(), |name| name.to_string_lossy().into_owned());
    let is_taken =
        |label: &str| others.iter().any(|other| other.label == label || other.runs().iter().any(|r| r.run == label));
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    std::iter::once(name.clone()).chain(numbered).find(|label| !is_taken(label)).unwrap_or(name)
}

/// The same measurement must not count twice, by whatever way it came into two runs.
fn check_distinct(inputs: &[Input]) -> miette::Result<()> {
    let mut seen: HashMap<(&str, &str, jiff::Timestamp), &Input> = HashMap::new();
    for input in inputs {
        for trial in &input.trials {
            let Some(provenance) = &trial.provenance else { continue };
            let key = (provenance.host.as_str(), provenance.trial.as_str(), trial.started_at);
            let Some(other) = seen.insert(key, input).filter(|other| other.label != input.label) else { continue };
            let help =
                "leave one of them out: a copy of a run, or a run that the other was merged from, is not new data";
            let message = format!(
                "the same measurement is in {} and in {}: {} of {}",
                other.folder.dir().display(),
                input.folder.dir().display(),
                provenance.trial,
                trial.started_at
            );
            return Err(BadUsage { message, help: help.to_owned() }.into());
        }
    }
    Ok(())
}
