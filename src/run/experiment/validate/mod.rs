//! From raw values to an [`Experiment`]: names are safe and unique, references resolve, numbers are in range for this
//! machine, settings do not contradict each other. A value that is wrong is logged and replaced by a default, so that
//! the walk goes on; the result counts only if the log stays empty.

mod configuration;
mod harness;
mod ordering;
mod place;
mod regression;
mod settings;
mod subject;
mod versions;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use super::raw::{RawFile, RawMachine};
use super::{Configuration, Experiment, Here, Machine, MachineLimits};
use crate::spec::Subject;
use crate::technique::TechniqueKind;
use crate::toml_file::mistake::{Log, Span};
use crate::toml_file::names::{MAX_NAME, is_safe, list, made_safe, quoted, suggestion};
use crate::toml_file::reader::At;
use crate::toml_file::{MAX_DURATION, format_size, parse_duration, parse_size};

const DEFAULT_TIMEOUT: Duration = Duration::from_secs(3600);
/// More of anything that repeats a run is a slip of the finger.
const MAX_RUNS: u64 = 1000;
/// Beyond these a file is a program's mistake, and checking every pair would take minutes.
const MAX_CONFIGURATIONS: usize = 500;
const MAX_SUBJECTS: usize = 5_000;
/// A plan beyond this would never end.
const MAX_TRIALS: u64 = 200_000;

/// What validation needs to know besides the file.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    /// Where relative paths start.
    pub folder: &'a Path,
    pub limits: &'a MachineLimits,
    pub log: &'a Log,
    pub here: Here,
}

pub(super) fn experiment(raw: &RawFile, context: &Context<'_>) -> Experiment {
    let header = &raw.header;
    let machine = machine(&raw.machine, context);
    let repetitions = context.runs(header.repetitions.as_ref(), "repetitions", 1, 1);
    check_sizes(raw, context);
    let configurations: Vec<_> = raw
        .configurations
        .iter()
        .take(MAX_CONFIGURATIONS)
        .map(|raw| configuration::configuration(raw, context))
        .collect();
    context.unique(raw.configurations.iter().filter_map(|raw| raw.name.as_ref()), "configuration");
    settings::check(&raw.defaults, context);
    let timeout = raw.defaults.timeout.as_ref().and_then(|written| context.duration(written, "timeout"));
    let timeout = timeout.unwrap_or(machine.timeout);
    let place = place::of_machine(&raw.machine, context);
    let common = subject::Common { raw, configurations: &configurations, timeout, repetitions, place };
    let subjects: Vec<_> =
        raw.subjects.iter().take(MAX_SUBJECTS).flat_map(|raw| subject::subjects(raw, &common, context)).collect();
    context.unique(raw.subjects.iter().filter_map(|raw| raw.name.as_ref()), "subject");
    versions::check_names(raw, &subjects, context);
    check_matrix(raw, &subjects, &configurations, &machine, context);
    Experiment {
        name: context.name(header.name.as_ref(), "an experiment"),
        study: header.study.as_ref().map(|study| context.name(Some(study), "a study")),
        repetitions,
        warmup: context.runs(header.warmup.as_ref(), "warmup", 0, 0),
        screening: context.runs(header.screening.as_ref(), "screening", 0, 0),
        seed: header.seed.as_ref().map_or(0, |seed| seed.value),
        baseline: baseline(raw, &configurations, context),
        regression: regression::regression(&raw.regression, context),
        machine,
        subjects,
        configurations,
    }
}

fn machine(raw: &RawMachine, context: &Context<'_>) -> Machine {
    let timeout = |written: Option<&At<String>>, key| {
        written.and_then(|written| context.duration(written, key)).unwrap_or(DEFAULT_TIMEOUT)
    };
    Machine {
        cores: cores(raw, context),
        memory_bytes: raw.memory.as_ref().and_then(|memory| memory_bytes(memory, context)),
        timeout: timeout(raw.timeout.as_ref(), "timeout"),
        build_timeout: timeout(raw.build_timeout.as_ref(), "build_timeout"),
    }
}

fn cores(raw: &RawMachine, context: &Context<'_>) -> Vec<usize> {
    let Some(written) = &raw.cores else { return vec![context.limits.cores] };
    if written.value.is_empty() {
        context.log.add(
            &written.span,
            "`cores` is empty, so nothing would run",
            "write `cores = \"all\"`, or the counts to compare, e.g. `cores = [1, 2, \"all\"]`",
        );
    }
    let mut cores: Vec<_> = written.value.iter().filter_map(|entry| core_count(entry, context)).collect();
    cores.sort_unstable();
    cores.dedup();
    cores
}

fn core_count(written: &At<String>, context: &Context<'_>) -> Option<usize> {
    let available = context.limits.cores;
    if written.value == "all" {
        return Some(available);
    }
    let count = written.value.parse::<i128>().ok();
    let (message, help) = match count {
        Some(0) => ("0 cores run nothing".to_owned(), format!("write a number from 1 to {available}, or \"all\"")),
        Some(count) if count > available as i128 => (
            format!("this machine has {available} cores, not {count}"),
            format!("write at most {available}, or \"all\" for all cores of the machine"),
        ),
        Some(count) if count > 0 => return usize::try_from(count).ok(),
        _ => (
            format!("{} is not a number of cores", quoted(&written.value)),
            format!("write a number from 1 to {available}, or \"all\""),
        ),
    };
    context.log.add(&written.span, message, help);
    None
}

fn memory_bytes(written: &At<String>, context: &Context<'_>) -> Option<u64> {
    let available = context.limits.memory_bytes;
    match parse_size(&written.value) {
        Some(bytes) if bytes > available => context.log.add(
            &written.span,
            format!("this machine has {} of memory, not {}", format_size(available), written.value),
            format!("write at most {}, or leave `memory` out for no limit", format_size(available)),
        ),
        Some(0) => context.log.add(
            &written.span,
            "a memory limit of zero allows no suite to run",
            "write a size such as \
                `memory = \"8GiB\"`",
        ),
        Some(bytes) => return Some(bytes),
        None => context.log.add(
            &written.span,
            format!("{} is not a size", quoted(&written.value)),
            "write a whole number and a unit: \"8GiB\", \"512MiB\", \"2GB\"",
        ),
    }
    None
}

fn check_sizes(raw: &RawFile, context: &Context<'_>) {
    let help = "split it into several experiments";
    if let Some(first) = raw.configurations.get(MAX_CONFIGURATIONS) {
        context.log.add(&first.span, format!("there are more than {MAX_CONFIGURATIONS} configurations"), help);
    }
    if let Some(first) = raw.subjects.get(MAX_SUBJECTS) {
        context.log.add(&first.span, format!("there are more than {MAX_SUBJECTS} subjects"), help);
    }
}

/// Is there anything to run, and not too much of it?
fn check_matrix(
    raw: &RawFile,
    subjects: &[Subject],
    configurations: &[Configuration],
    machine: &Machine,
    context: &Context<'_>,
) {
    let top = 0..0;
    // A table that could not be read is a mistake of its own.
    let nothing = |key: &str, read: usize| read == 0 && (!raw.written.contains_key(key) || context.log.is_empty());
    if nothing("subject", raw.subjects.len()) {
        let help = "add a `[[subject]]` with `name` and one of `git`, `path`, `model`";
        context.log.add(&top, "there is no subject, so nothing would run", help);
    }
    if nothing("configuration", raw.configurations.len()) {
        let help = "add a `[[configuration]]`; one with nothing but `name = \"sequential\"` is the baseline";
        context.log.add(&top, "there is no configuration, so nothing would run", help);
    }
    let cells = |subject: &Subject| {
        let evaluated = |each: &&Configuration| {
            subject.runs(&each.name) && subject.version.as_ref().is_none_or(|version| version.evaluates(each.technique))
        };
        let configurations = configurations.iter().filter(evaluated).count();
        (configurations as u64).saturating_mul(machine.cores.len() as u64).saturating_mul(subject.repetitions.into())
    };
    let trials = subjects.iter().map(cells).fold(0, u64::saturating_add);
    if trials > MAX_TRIALS {
        let message = format!("this plan has {trials} trials; the maximum is {MAX_TRIALS}");
        context.log.add(&top, message, "split it into several experiments, or lower `repetitions`");
    }
}

/// What a file without a sequential configuration most likely needs.
const ADD_SEQUENTIAL: &str =
    "add two lines, `[[configuration]]` and `name = \"sequential\"`, which are the baseline then; or ";

/// The configuration that speedups are measured against.
fn baseline(raw: &RawFile, configurations: &[Configuration], context: &Context<'_>) -> String {
    let names = configurations.iter().map(|configuration| configuration.name.as_str());
    if let Some(written) = &raw.baseline {
        if !names.clone().any(|name| name == written.value) {
            let message = format!("the baseline {} is not a configuration of this file", quoted(&written.value));
            context.log.add(&written.span, message, suggestion(&written.value, "configurations", names));
        }
        return written.value.clone();
    }
    let mut sequential: Vec<_> = configurations
        .iter()
        .filter(|configuration| configuration.technique == TechniqueKind::Sequential)
        .map(|configuration| configuration.name.as_str())
        .collect();
    // A name that is used twice is logged elsewhere.
    sequential.dedup();
    if let [only] = sequential[..] {
        return only.to_owned();
    }
    // Orders of algorithms are compared with each other.
    if !configurations.is_empty() && configurations.iter().all(|each| each.ordering.is_some()) {
        return String::new();
    }
    if let (Some(first), false) = (raw.configurations.first(), raw.analysis_written.contains_key("baseline")) {
        let sequential_lacks = sequential.is_empty();
        let (why, candidates) = match sequential.len() {
            0 => ("no configuration is sequential", names.collect()),
            _ => ("several configurations are sequential", sequential),
        };
        let place = raw.written.get("analysis").unwrap_or(&first.span);
        let help = format!(
            "{}name the baseline below `[analysis]`, e.g. `baseline = \"{}\"`; candidates: {}",
            if sequential_lacks { ADD_SEQUENTIAL } else { "" },
            candidates.first().unwrap_or(&"sequential"),
            list(candidates.iter().copied())
        );
        context.log.add(place, format!("{why}, so the baseline for speedups is not clear"), help);
    }
    String::new()
}

impl Context<'_> {
    /// A name that is safe as a part of file names.
    fn name(&self, written: Option<&At<String>>, noun: &str) -> String {
        let Some(written) = written else { return String::new() };
        if !is_safe(&written.value) {
            let rule = format!(
                "names become folders: letters, digits, `.`, `_`, `-`, beginning with a letter or digit, without \
                 `..`, at most {MAX_NAME} characters"
            );
            let help = match made_safe(&written.value) {
                Some(safe) => format!("write e.g. \"{safe}\"; {rule}"),
                None => rule,
            };
            self.log.add(&written.span, format!("{} cannot be the name of {noun}", quoted(&written.value)), help);
        }
        written.value.clone()
    }

    fn unique<'n>(&self, names: impl Iterator<Item = &'n At<String>>, noun: &str) {
        let mut seen: BTreeMap<&str, &Span> = BTreeMap::new();
        for name in names {
            if seen.insert(&name.value, &name.span).is_some() {
                let message = format!("there already is a {noun} {}", quoted(&name.value));
                self.log.add(&name.span, message, "names must be unique: rename one of the two");
            }
        }
    }

    /// How often something runs.
    fn runs(&self, written: Option<&At<u64>>, key: &str, least: u64, default: u32) -> u32 {
        let Some(written) = written else { return default };
        if !(least..=MAX_RUNS).contains(&written.value) {
            let help = format!("write a number from {least} to {MAX_RUNS}");
            self.log.add(&written.span, format!("`{key}` cannot be {}", written.value), help);
            return default;
        }
        u32::try_from(written.value).unwrap_or(default)
    }

    fn duration(&self, written: &At<String>, key: &str) -> Option<Duration> {
        let (message, help) = match parse_duration(&written.value) {
            None => (
                format!("{} is not a duration", quoted(&written.value)),
                "write hours, minutes, seconds: \"3h\", \"1h30m\", \"90s\"".to_owned(),
            ),
            Some(Duration::ZERO) => (
                format!("with a `{key}` of zero everything would end at once"),
                format!(
                    "write e.g. `{key} = \
                    \"10m\"`"
                ),
            ),
            Some(long) if long > MAX_DURATION => {
                (format!("a `{key}` of {} is too long", quoted(&written.value)), "write at most \"30d\"".to_owned())
            }
            Some(duration) => return Some(duration),
        };
        self.log.add(&written.span, message, help);
        None
    }
}
