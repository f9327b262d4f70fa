//! The folder of a merged run, written beside its name and renamed when it is whole.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use miette::{IntoDiagnostic, miette};

use super::blocks::Share;
use super::input::Input;
use super::{Merged, write_atomically};
use crate::draft::Draft;
use crate::file_error::file_error;
use crate::folders;
use crate::store::integrity::hash_file;
use crate::store::journal::{NewJournal, source_end};
use crate::store::record::{Environment, MergedRun, Phase, RunManifest, SubjectRecord};
use crate::store::{Entry, RunFolder, frames};
use crate::whole_file::copy_regular;

pub(super) fn write(inputs: &[Input], shares: &[Share], out: &Path) -> miette::Result<Merged> {
    check_ids(shares)?;
    let runs: Vec<MergedRun> = inputs.iter().flat_map(Input::runs).collect();
    let draft = Draft::of(out, ".parade-merge-")?;
    let folder = RunFolder::at(draft.path());
    let manifest = manifest(inputs, shares, &runs);
    folder.begin(&manifest, &experiment_text(inputs)?, &environment(&runs))?;
    let mut notes: Vec<String> = shares.iter().flat_map(|share| share.notes.clone()).collect();
    let mut hashes = HashMap::new();
    for (input, share) in inputs.iter().zip(shares) {
        notes.extend(input.doubts.sentences().map(|doubt| format!("{}: {doubt}", input.label)));
        keep_origins(input, &folder)?;
        notes.extend(copy_trials(input, share, &folder, &mut hashes)?);
    }
    write_journal(&folder, inputs, shares, &hashes)?;
    folder.derive_tables()?;
    draft.publish()?;
    let measured = shares.iter().flat_map(|share| &share.trials).filter(|(_, trial)| trial.phase == Phase::Measured);
    Ok(Merged { trials: measured.count(), runs, notes, folder: RunFolder::open(out)? })
}

fn check_ids(shares: &[Share]) -> miette::Result<()> {
    let mut seen = HashSet::new();
    let mut ids = shares.iter().flat_map(|share| &share.trials).map(|(_, trial)| trial.trial.as_str());
    match ids.find(|id| !seen.insert(*id)) {
        Some(twice) => Err(miette!("two trials would have the name {twice}: these runs cannot be merged")),
        None => Ok(()),
    }
}

fn manifest(inputs: &[Input], shares: &[Share], runs: &[MergedRun]) -> RunManifest {
    let first = &inputs[0].manifest;
    let planned = || shares.iter().flat_map(|share| &share.planned);
    let cores: BTreeSet<usize> = inputs.iter().flat_map(|input| input.manifest.cores.iter().copied()).collect();
    let contents = inputs.iter().flat_map(|input| input.manifest.contents.clone()).collect();
    RunManifest {
        repetitions: planned().map(|trial| trial.repetition).max().unwrap_or(first.repetitions),
        cores: cores.into_iter().collect(),
        subjects: distinct(inputs.iter().flat_map(|input| input.manifest.subjects.iter().cloned())),
        trials: planned().cloned().collect(),
        started_at: runs.iter().map(|run| run.started_at).min().unwrap_or(first.started_at),
        host: joined(runs.iter().map(|run| run.host.as_str())),
        parade: joined(runs.iter().map(|run| run.parade.as_str())),
        contents,
        experiment_folder: shared_folder(inputs),
        merged: runs.to_vec(),
        accepted_changes: Vec::new(),
        command: None,
        ..first.clone()
    }
}

/// Where the experiment file lay, if that is the same for all.
fn shared_folder(inputs: &[Input]) -> Option<String> {
    let mut folders = inputs.iter().map(|input| input.manifest.experiment_folder.as_ref());
    let first = folders.next()??;
    folders.all(|folder| folder == Some(first)).then(|| first.clone())
}

/// In the order of their first appearance.
fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = Vec::new();
    for value in values {
        if !seen.contains(&value) {
            seen.push(value);
        }
    }
    seen
}

fn joined<'a>(values: impl Iterator<Item = &'a str>) -> String {
    distinct(values).join(", ")
}

/// Of all machines together: a value that they do not share is the list of theirs, a size that of the smallest.
fn environment(runs: &[MergedRun]) -> Environment {
    let machines: Vec<&Environment> = runs.iter().map(|run| &run.environment).collect();
    let text = |of: fn(&Environment) -> &str| joined(machines.iter().map(|machine| of(machine)));
    let some = |of: fn(&Environment) -> Option<&str>| {
        let known = joined(machines.iter().filter_map(|machine| of(machine)));
        (!known.is_empty()).then_some(known)
    };
    let turbo = distinct(machines.iter().map(|machine| machine.turbo));
    Environment {
        hostname: text(|m| &m.hostname),
        os: text(|m| &m.os),
        kernel: text(|m| &m.kernel),
        architecture: text(|m| &m.architecture),
        cpu_model: text(|m| &m.cpu_model),
        logical_cores: machines.iter().map(|m| m.logical_cores).min().unwrap_or(0),
        physical_cores: machines.iter().filter_map(|m| m.physical_cores).min(),
        memory_bytes: machines.iter().map(|m| m.memory_bytes).min().unwrap_or(0),
        swap_bytes: machines.iter().map(|m| m.swap_bytes).min().unwrap_or(0),
        governor: some(|m| m.governor.as_deref()),
        turbo: if turbo.len() == 1 { turbo[0] } else { None },
        virtualization: some(|m| m.virtualization.as_deref()),
        jdks: distinct(machines.iter().flat_map(|m| m.jdks.clone())),
        maven: some(|m| m.maven.as_deref()),
        parade: text(|m| &m.parade),
        user: text(|m| &m.user),
        limits: distinct(machines.iter().flat_map(|m| m.limits.clone())),
    }
}

/// The first file, with the subjects that only others have.
fn experiment_text(inputs: &[Input]) -> miette::Result<String> {
    let first = &inputs[0].text;
    if inputs.iter().all(|input| input.text == *first) {
        return Ok(first.clone());
    }
    let mut file: toml::Table = first.parse().into_diagnostic()?;
    let mut subjects: Vec<toml::Value> = Vec::new();
    for input in inputs {
        let other: toml::Table = input.text.parse().into_diagnostic()?;
        for subject in other.get("subject").and_then(toml::Value::as_array).into_iter().flatten() {
            if !subjects.iter().any(|known| known.get("name") == subject.get("name")) {
                subjects.push(subject.clone());
            }
        }
    }
    file.insert("subject".to_owned(), toml::Value::Array(subjects));
    toml::to_string(&file).into_diagnostic()
}

/// What each run says of itself stays to be read, as it was.
fn keep_origins(input: &Input, folder: &RunFolder) -> miette::Result<()> {
    let origins = folder.dir().join("origins");
    if !input.manifest.merged.is_empty() {
        let earlier = input.folder.dir().join("origins");
        return copy_own_folder(&earlier, &origins);
    }
    for name in ["manifest.json", "environment.json", "experiment.toml"] {
        let text = crate::whole_file::read_own(&input.folder.dir().join(name))?;
        write_atomically(&origins.join(&input.label).join(name), text.as_bytes())?;
    }
    Ok(())
}

/// Executions and logs, under the new names. Gives back what was not there.
fn copy_trials(
    input: &Input,
    share: &Share,
    folder: &RunFolder,
    hashes: &mut HashMap<String, String>,
) -> miette::Result<Option<String>> {
    let mut without = 0;
    for (old, trial) in &share.trials {
        let to = folder.tests_of(&trial.trial);
        let hash = match input.folder.own_tests(old) {
            None => {
                without += 1;
                None
            }
            Some(from) if *old == trial.trial => {
                let copied = copy_regular(&from, &to).and_then(|()| hash_file(&to));
                Some(
                    copied
                        .map_err(|error| file_error(format_args!("{} could not be copied", from.display()), &error))?,
                )
            }
            Some(from) => Some(frames::copy_as(&from, &to, &trial.trial)?),
        };
        hashes.extend(hash.map(|hash| (trial.trial.clone(), hash)));
        copy_own_folder(&input.folder.logs(old), &folder.logs(&trial.trial))?;
    }
    copy_preparation_logs(input, folder)?;
    let trials = crate::wording::plural(without, "trial");
    Ok((without > 0).then(|| format!("{}: {trials} without executions on record", input.label)))
}

/// Nothing where it is not there; a link of that name is nothing either.
fn copy_own_folder(from: &Path, to: &Path) -> miette::Result<()> {
    let is_own = from.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
    if is_own { folders::copy(from, to) } else { Ok(()) }
}

fn copy_preparation_logs(input: &Input, folder: &RunFolder) -> miette::Result<()> {
    for subject in &input.subjects {
        let name = format!("prepare-{}", subject.subject);
        if !super::super::layout::is_plain_name(&name) {
            continue;
        }
        let to: PathBuf = folder.logs(&name);
        let to = if to.exists() { folder.logs(&format!("{name}.{}", input.label)) } else { to };
        copy_own_folder(&input.folder.logs(&name), &to)?;
    }
    Ok(())
}

/// A chain of its own that names where those of the runs ended.
fn write_journal(
    folder: &RunFolder,
    inputs: &[Input],
    shares: &[Share],
    hashes: &HashMap<String, String>,
) -> miette::Result<()> {
    let path = folder.journal_path();
    let failed = |error: std::io::Error| file_error(format_args!("{} could not be written", path.display()), &error);
    let end =
        |input: &Input| source_end(input.label.clone(), &input.folder.journal_path(), input.doubts.altered.clone());
    let ends = inputs.iter().map(end).collect();
    let mut journal = NewJournal::create(&path, ends).map_err(failed)?;
    let subjects = subjects(inputs, shares).into_iter().map(Entry::Subject);
    let trials = shares.iter().flat_map(|share| &share.trials).map(|(_, trial)| Entry::Trial(trial.clone()));
    for entry in subjects.chain(trials) {
        let tests = match &entry {
            Entry::Trial(trial) => hashes.get(&trial.trial).cloned(),
            _ => None,
        };
        journal.append(&entry, tests).map_err(failed)?;
    }
    journal.finish().map_err(failed)
}

/// One record for each subject: of the first run that gave trials of it, with what the others noticed.
fn subjects(inputs: &[Input], shares: &[Share]) -> Vec<SubjectRecord> {
    let names = distinct(inputs.iter().flat_map(|input| input.subjects.iter().map(|record| record.subject.clone())));
    let gave = |share: &Share, name: &str| share.trials.iter().any(|(_, trial)| trial.subject == name);
    let mut merged = Vec::new();
    for name in names {
        let mut having: Vec<(&SubjectRecord, bool)> = inputs
            .iter()
            .zip(shares)
            .filter_map(|(input, share)| Some((input.subject(&name)?, gave(share, &name))))
            .collect();
        having.sort_by_key(|(_, gave)| !gave);
        let any_gave = having.iter().any(|(_, gave)| *gave);
        let counted: Vec<&SubjectRecord> =
            having.into_iter().filter(|(_, gave)| *gave || !any_gave).map(|(record, _)| record).collect();
        merged.extend(united(&counted));
    }
    merged
}

fn united(records: &[&SubjectRecord]) -> Option<SubjectRecord> {
    let mut united = (*records.iter().find(|record| record.failure.is_none()).or(records.first())?).clone();
    for record in records {
        for test in &record.set_aside {
            if !united.set_aside.iter().any(|known| known.test == test.test) {
                united.set_aside.push(test.clone());
            }
        }
        for deviation in &record.deviations {
            if !united.deviations.contains(deviation) {
                united.deviations.push(deviation.clone());
            }
        }
    }
    Some(united)
}
