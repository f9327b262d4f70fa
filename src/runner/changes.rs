//! What is different since a run began: mixing two machines or two experiments in one run would make its numbers worthless.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Debug;
use std::path::Path;

use miette::miette;

use crate::experiment::{Experiment, Trial};
use crate::java::Jdk;
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

/// JDKs that subjects had so far, and that are gone or were replaced: another one would not measure the same.
pub fn of_jdks(before: &[SubjectRecord], experiment: &Experiment) -> Vec<String> {
    let version_in = |home: &Path| Jdk::at(home).map(|jdk| jdk.version.to_string());
    let wanted = before.iter().filter(|record| experiment.subject(&record.subject).is_some());
    wanted.filter_map(|record| changed_jdk(record, &version_in)).collect()
}

fn changed_jdk(record: &SubjectRecord, version_in: &dyn Fn(&Path) -> Result<String, String>) -> Option<String> {
    let (version, home) = (record.jdk.as_ref()?, record.java_home.as_ref()?);
    let what = format!("the JDK of subject `{}`: {version} in {home}", record.subject);
    match version_in(Path::new(home)) {
        Ok(now) if now == *version => None,
        Ok(now) => Some(format!("{what} is now {now}")),
        Err(why) => Some(format!("{what} is gone: {why}")),
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::record::tests::subject;

    #[test]
    fn a_jdk_that_is_gone_or_replaced_is_a_change() {
        let record =
            SubjectRecord { jdk: Some("17.0.2".to_owned()), java_home: Some("/opt/jdk".to_owned()), ..subject("lib") };
        let changed = |now: Result<&str, &str>| {
            changed_jdk(&record, &|_| now.map(str::to_owned).map_err(str::to_owned)).unwrap_or_default()
        };
        assert_eq!(changed(Ok("17.0.2")), "");
        assert_eq!(changed(Ok("17.0.9")), "the JDK of subject `lib`: 17.0.2 in /opt/jdk is now 17.0.9");
        assert_eq!(changed(Err("no")), "the JDK of subject `lib`: 17.0.2 in /opt/jdk is gone: no");
        assert_eq!(changed_jdk(&subject("model"), &|_| Err(String::new())), None);
    }
}
