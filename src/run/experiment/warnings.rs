//! What is allowed but probably not what was meant. Pure: an experiment in, sentences out.

use std::collections::{BTreeMap, BTreeSet};

use super::families::planned_families;
use super::outlook::{SIGNIFICANT, repetitions_needed, smallest_p};
use super::versions::SOUGHT;
use super::{Configuration, Experiment, Plan};
use crate::engine::{EngineKind, Isolation, Mode, Parallelism};
use crate::project::only_engine;
use crate::redaction::redact;
use crate::spec::{Origin, Subject};
use crate::toml_file::names::{list, quoted};

/// From this many threads for each core on, a run measures the scheduler.
const CROWDED: u64 = 8;
/// JUnit's `classesAndMethods` keeps a thread waiting for each class that runs; with this many it shows.
const FEW_THREADS: u32 = 5;

pub(super) fn warnings(experiment: &Experiment, plan: &Plan) -> Vec<String> {
    let mut warnings = power(experiment, plan);
    warnings.extend(screening(experiment));
    warnings.extend(experiment.configurations.iter().flat_map(|each| widths(experiment, each)));
    warnings.extend(twins(experiment));
    // Model suites and pytest projects have one engine, whatever is asked for.
    if experiment.subjects.iter().any(|subject| only_engine(subject).is_none()) {
        warnings.extend(harnesses(experiment));
        warnings.extend(experiment.configurations.iter().filter_map(warm));
    }
    warnings.extend(without_baseline(experiment));
    warnings.extend(experiment.subjects.iter().filter_map(moving_revision));
    warnings.extend(experiment.subjects.iter().filter_map(credentials));
    warnings
}

/// Can the plan show anything at all? Orders of algorithms are compared by the tests that fail in them.
fn power(experiment: &Experiment, plan: &Plan) -> Vec<String> {
    let mut largest_family: BTreeMap<&str, usize> = BTreeMap::new();
    for subjects in planned_families(experiment, plan).values() {
        for subject in subjects {
            let largest = largest_family.entry(subject).or_default();
            *largest = subjects.len().max(*largest);
        }
    }
    let mut by_power: BTreeMap<(u32, usize), Vec<&str>> = BTreeMap::new();
    for subject in &experiment.subjects {
        if let Some(family) = largest_family.get(subject.name.as_str()) {
            by_power.entry((subject.repetitions, *family)).or_default().push(&subject.name);
        }
    }
    let uniform = by_power.len() == 1 && largest_family.len() == experiment.subjects.len();
    by_power
        .into_iter()
        .filter_map(|((repetitions, family), names)| {
            let whom = if uniform { String::new() } else { format!(" of {}", list(names)) };
            weak(repetitions, &whom, family)
        })
        .collect()
}

/// `family`: how many comparisons Holm's correction is over.
fn weak(repetitions: u32, whom: &str, family: usize) -> Option<String> {
    let alone = repetitions_needed(SIGNIFICANT, 1);
    let corrected = repetitions_needed(SIGNIFICANT, family);
    let smallest = smallest_p(repetitions);
    let holm = format!("Holm's correction across {family} subjects requires {corrected} repetitions");
    if repetitions == 1 {
        Some(format!(
            "1 repetition{whom} says nothing about variation: no test is possible, {alone} are needed for p < \
             {SIGNIFICANT}"
        ))
    } else if repetitions < alone {
        let more = if corrected > alone { format!("; {holm}") } else { String::new() };
        Some(format!(
            "{repetitions} repetitions{whom} can never reach p < {SIGNIFICANT}: the smallest possible p is \
             {smallest}; {alone} are needed{more}"
        ))
    } else if repetitions < corrected {
        Some(format!(
            "{repetitions} repetitions{whom} reach p = {smallest} at best if one subject is tested alone; {holm}"
        ))
    } else {
        None
    }
}

fn screening(experiment: &Experiment) -> Option<String> {
    if experiment.screening > 0 {
        return None;
    }
    if let Some(configuration) = experiment.configurations.iter().find(|each| each.ordering.is_some()) {
        let name = quoted(&configuration.name);
        return Some(format!(
            "without `screening`, a flaky test, or a test that fails in the original order, counts as a failure in \
             the order of {name}"
        ));
    }
    let configuration = experiment.configurations.iter().find(|each| each.technique.reruns())?;
    Some({
        format!(
            "without `screening`, a flaky test that passes in all runs of the baseline counts as a failure that {} caused or \
             repaired",
            quoted(&configuration.name)
        )
    })
}

/// Widths that do something else than they say.
fn widths(experiment: &Experiment, configuration: &Configuration) -> Vec<String> {
    let name = quoted(&configuration.name);
    let Parallelism { mode, forks, .. } = configuration.parallelism;
    if !matches!(mode, Mode::Methods | Mode::Classes | Mode::ClassesAndMethods) {
        return Vec::new();
    }
    let cores = experiment.machine.cores.iter().copied().max().unwrap_or(1);
    let forks = u64::from(forks.on(cores));
    let processes = forks * u64::from(configuration.parallelism.modules_on(cores));
    let threads = u64::from(configuration.parallelism.threads_on(cores));
    let mut warnings = Vec::new();
    if processes * threads > CROWDED * cores as u64 {
        let total = processes * threads;
        warnings.push(format!("{name} uses up to {total} threads on {cores} cores ({processes} × {threads})"));
    }
    let runs = |engine: Option<EngineKind>| {
        let mut subjects = experiment.subjects.iter().filter(|subject| subject.runs(&configuration.name));
        subjects.any(|subject| only_engine(subject) == engine)
    };
    if mode == Mode::Classes && forks > 1 && (runs(None) || runs(Some(EngineKind::Model))) {
        warnings.push(format!(
            "{name}: with {forks} forks, each fork runs one class at a time, so `classes` adds nothing to the forks"
        ));
    }
    let fewest = experiment.machine.cores.iter().map(|&cores| configuration.parallelism.threads_on(cores)).min();
    if let (Mode::ClassesAndMethods, Some(fewest @ ..=FEW_THREADS), true) = (mode, fewest, runs(None)) {
        warnings.push(format!(
            "{name}: in mode `classesAndMethods`, JUnit 4 uses some threads only to wait: of {fewest} threads at most \
             {} run tests",
            fewest.saturating_sub(1).max(1)
        ));
    }
    warnings
}

/// Two names for one thing.
fn twins(experiment: &Experiment) -> Vec<String> {
    let all = &experiment.configurations;
    let same = |a: &Configuration, b: &Configuration| {
        a.technique == b.technique
            && a.parallelism == b.parallelism
            && a.harness == b.harness
            && a.ordering == b.ordering
    };
    all.iter()
        .enumerate()
        .filter_map(|(at, later)| all[..at].iter().find(|earlier| same(earlier, later)).map(|earlier| (earlier, later)))
        .map(|(a, b)| format!("{} and {} have the same settings", quoted(&a.name), quoted(&b.name)))
        .collect()
}

/// Times by one engine say nothing about times by another: Maven's start-up alone is seconds.
fn harnesses(experiment: &Experiment) -> Vec<String> {
    let Some(baseline) = experiment.configuration(&experiment.baseline) else { return Vec::new() };
    let (kept, name) = (baseline.harness.engine, quoted(&baseline.name));
    let others = experiment.configurations.iter().filter(|each| each.name != baseline.name);
    others
        .filter_map(|each| {
            let other = if each.harness.engine != kept {
                format!("runs on `{}`", each.harness.engine)
            } else if each.technique.reruns() && each.harness.rerun_engine != kept {
                format!("reruns on `{}`", each.harness.rerun_engine)
            } else {
                return None;
            };
            let mine = quoted(&each.name);
            Some(format!(
                "{mine} {other} and the baseline {name} on `{kept}`: its speedup includes the difference between the \
                 engines"
            ))
        })
        .collect()
}

/// What the JDK itself remembers survives from run to run in a warm process.
fn warm(configuration: &Configuration) -> Option<String> {
    (configuration.harness.isolation == Isolation::Warm).then(|| {
        format!(
            "{}: in a warm JVM, earlier runs can disturb a run; confirm its results with `isolation = \"fresh\"`",
            quoted(&configuration.name)
        )
    })
}

fn without_baseline(experiment: &Experiment) -> Option<String> {
    let lacking: BTreeSet<_> =
        experiment.subjects.iter().filter(|subject| !subject.runs(&experiment.baseline)).map(Subject::family).collect();
    let baseline = quoted(&experiment.baseline);
    (!lacking.is_empty() && !experiment.baseline.is_empty())
        .then(|| format!("the baseline {baseline} does not run on {}: no speedups there", list(lacking)))
}

/// Anything but a hash can mean another commit tomorrow.
fn moving_revision(subject: &Subject) -> Option<String> {
    let Origin::Git { revision, .. } = &subject.origin else { return None };
    if revision == SOUGHT {
        return None;
    }
    let is_hash = (4..=64).contains(&revision.len()) && revision.chars().all(|c| c.is_ascii_hexdigit());
    (!is_hash).then(|| {
        format!(
            "{} of {} is a branch or tag, which can move; a run records the commit that it resolves to",
            quoted(revision),
            quoted(&subject.name)
        )
    })
}

/// Taken out of everything that parade writes; the file itself still goes from hand to hand.
fn credentials(subject: &Subject) -> Option<String> {
    (redact(&subject.source) != subject.source).then(|| {
        format!(
            "the url of {} contains a password or token: remove it and use git's credential helper (`git config \
             credential.helper`); the run folder does not store it",
            quoted(&subject.name)
        )
    })
}
