//! What is different since a run began: mixing two machines or two experiments in one run would make its numbers worthless.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Debug;
use std::path::Path;

use miette::miette;

use crate::experiment::{Experiment, Trial};
use crate::project;
use crate::store::RunFolder;
use crate::store::record::{Environment, RunManifest, SubjectRecord};
use crate::wording::plural;

/// One sentence per difference that matters.
pub fn between(
    old: &RunManifest,
    new: &RunManifest,
    old_machine: &Environment,
    new_machine: &Environment,
) -> Vec<String> {
    let mut changes = Changes(Vec::new());
    // More repetitions are more of the same.
    if new.repetitions < old.repetitions {
        changes.compare("repetitions", &old.repetitions, &new.repetitions);
    }
    changes.compare("warmup", &old.warmup, &new.warmup);
    changes.compare("screening", &old.screening, &new.screening);
    changes.compare("seed", &old.seed, &new.seed);
    changes.compare("cores", &old.cores, &new.cores);
    changes.compare("subjects", &old.subjects, &new.subjects);
    changes.compare("baseline", &old.baseline, &new.baseline);
    changes.compare_configurations(old, new);
    changes.compare_trials(old, new);
    changes.compare_contents(old, new);
    changes.compare("host", &old_machine.hostname, &new_machine.hostname);
    changes.compare("processor", &old_machine.cpu_model, &new_machine.cpu_model);
    changes.compare("number of cores", &old_machine.logical_cores, &new_machine.logical_cores);
    changes.compare("memory", &gib(old_machine), &gib(new_machine));
    changes.compare("kernel", &old_machine.kernel, &new_machine.kernel);
    changes.compare("Maven", &old_machine.maven, &new_machine.maven);
    changes.compare("parade", &old_machine.parade, &new_machine.parade);
    changes.compare("user", &old_machine.user, &new_machine.user);
    changes.0
}

/// Tools that subjects had so far, and that are gone or were replaced: others would not measure the same.
pub fn of_tools(before: &[SubjectRecord], experiment: &Experiment) -> Vec<String> {
    let mut changes = Vec::new();
    for record in before.iter().filter(|record| experiment.subject(&record.subject).is_some()) {
        let Some(tools) = super::open::recorded_tools(record) else { continue };
        let changed = project::platforms().iter().find_map(|platform| platform.changed_tool(&tools));
        changes.extend(changed.map(|(tool, how)| format!("the {tool} of subject `{}`: {how}", record.subject)));
    }
    changes
}

/// The kernel's own share of the memory differs a little from boot to boot.
fn gib(machine: &Environment) -> u64 {
    machine.memory_bytes.div_ceil(1 << 30)
}

pub fn refusal(folder: &Path, changes: &[String]) -> miette::Report {
    miette!(
        help = "add --fresh to start a new run, or --accept-changes to resume this one; the run folder keeps the \
            earlier settings, too",
        "the run in {} cannot be resumed, because something has changed:\n  - {}",
        folder.display(),
        changes.join("\n  - ")
    )
}

/// A run that was put together from others has no machine to go on with.
pub fn refuse_merged(folder: &RunFolder) -> miette::Result<()> {
    if folder.manifest()?.merged.is_empty() {
        return Ok(());
    }
    Err(miette!(
        help = "add --fresh to start a new run; to add measurements, resume the runs that it was merged from and \
            merge again",
        "the run in {} was merged from other runs and cannot be resumed",
        folder.dir().display()
    ))
}

/// Subjects that the experiment names by path, and that were edited under the same name.
pub fn other_content(old: &RunManifest, new: &RunManifest) -> Vec<String> {
    let edited = |(name, hash): &(&String, &String)| old.contents.get(*name).is_some_and(|known| known != *hash);
    new.contents.iter().filter(edited).map(|(name, _)| name.clone()).collect()
}

struct Changes(Vec<String>);

impl Changes {
    fn compare<T: PartialEq + Debug>(&mut self, what: &str, old: &T, new: &T) {
        if old != new {
            self.0.push(format!("{what}: was {old:?}, is now {new:?}"));
        }
    }

    fn compare_configurations(&mut self, old: &RunManifest, new: &RunManifest) {
        let names = |manifest: &RunManifest| manifest.configurations.iter().map(|c| c.name.clone()).collect::<Vec<_>>();
        self.compare("configurations", &names(old), &names(new));
    }

    fn compare_contents(&mut self, old: &RunManifest, new: &RunManifest) {
        for name in other_content(old, new) {
            self.0.push(format!("the content of subject `{name}`"));
        }
    }

    /// A trial's id holds every setting: another id for the same cell means other settings. Cells that only one of them
    /// has come from `--only`, and are no change.
    fn compare_trials(&mut self, old: &RunManifest, new: &RunManifest) {
        let cell = |trial: &Trial| (trial.subject.clone(), trial.configuration.clone(), trial.cores, trial.repetition);
        let known: HashMap<_, _> = old.trials.iter().map(|trial| (cell(trial), &trial.id)).collect();
        let differs = |trial: &&Trial| known.get(&cell(trial)).is_some_and(|id| **id != trial.id);
        let differing: Vec<&Trial> = new.trials.iter().filter(differs).collect();
        if let Some(first) = differing.first() {
            let subjects: BTreeSet<&str> = differing.iter().map(|trial| trial.subject.as_str()).collect();
            let configurations: BTreeSet<&str> = differing.iter().map(|trial| trial.configuration.as_str()).collect();
            let named =
                |names: BTreeSet<&str>| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            self.0.push(format!(
                "the settings of {}, such as {}: subjects {}; configurations {}; compare them with experiment.toml in \
                 the run folder",
                plural(differing.len(), "trial"),
                first.id,
                named(subjects),
                named(configurations)
            ));
        }
    }
}
