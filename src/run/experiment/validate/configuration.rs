//! Configurations: a technique, and the parallelism that it asks the engine for.

use super::harness::{self, harness};
use super::ordering;
use super::{At, Configuration, Context, quoted, suggestion};
use crate::engine::{Forks, Mode, Parallelism};
use crate::experiment::raw::{RawConfiguration, Written};
use crate::technique::TechniqueKind;

const MAX_THREADS: u64 = 10_000;
const MAX_FORKS: u32 = 1_000;

/// Keys that say how wide a parallel mode is.
const WIDTH_KEYS: [&str; 3] = ["threads", "threads_per_core", "forks"];

pub(super) fn configuration(raw: &RawConfiguration, context: &Context<'_>) -> Configuration {
    let mode = raw.parallel.as_ref().and_then(|written| mode(written, context));
    let technique = technique(raw, mode, context);
    let harness = harness(raw, technique, context);
    let ordering = ordering::ordering(raw, technique, context);
    if ordering.is_some() {
        ordering::check_harness(raw, harness, context);
    } else if !is_unreadable(raw, mode) {
        check_pair(raw, technique, mode, context);
        check_width(raw, mode.unwrap_or(Mode::Sequential), context);
        harness::check_modules(&raw.written, mode.unwrap_or(Mode::Sequential), technique, harness, context);
    }
    let threads = raw.threads.as_ref().and_then(|written| threads(written, context));
    let forks = raw.forks.as_ref().and_then(|written| forks(written, context));
    let modules = raw.modules.as_ref().and_then(|written| modules(written, context));
    Configuration {
        name: context.name(raw.name.as_ref(), "a configuration"),
        technique,
        parallelism: Parallelism {
            mode: mode.unwrap_or(Mode::Sequential),
            threads: threads.unwrap_or(1),
            threads_per_core: raw.threads_per_core.as_ref().is_some_and(|flag| flag.value),
            forks: forks.unwrap_or(Forks::Count(1)),
            reuse_forks: raw.reuse_forks.as_ref().is_none_or(|flag| flag.value),
            modules,
        },
        harness,
        ordering,
    }
}

/// Is the mode one that threads and forks make wider?
fn has_width(mode: Mode) -> bool {
    matches!(mode, Mode::Methods | Mode::Classes | Mode::ClassesAndMethods)
}

fn check_width(raw: &RawConfiguration, mode: Mode, context: &Context<'_>) {
    check_width_keys(&raw.written, mode, context);
    if has_width(mode) && !raw.written.contains_key("threads") {
        let place = raw.parallel.as_ref().map_or(&raw.span, |written| &written.span);
        let help = format!("add e.g. `threads = {}`", context.limits.cores.max(2));
        context.log.add(place, format!("`parallel = \"{mode}\"` needs a number of threads"), help);
    }
}

/// Logs width that is given to a mode that has none.
pub(super) fn check_width_keys(written: &Written, mode: Mode, context: &Context<'_>) {
    if has_width(mode) {
        return;
    }
    let help = match mode {
        Mode::Project => "`project` uses the project's own settings: remove this line, or choose another mode",
        _ => "without `parallel` there is one fork with one thread: remove this line, or add `parallel`",
    };
    for (key, span) in WIDTH_KEYS.iter().filter_map(|key| written.get_key_value(key)) {
        context.log.add(span, format!("`{key}` has no meaning for the mode `{mode}`"), help);
    }
}

fn mode(written: &At<String>, context: &Context<'_>) -> Option<Mode> {
    let known = Mode::ALL.into_iter().find(|mode| mode.name() == written.value);
    if known.is_none() {
        let names = Mode::ALL.map(Mode::name);
        let help = if written.value == "classesMethods" {
            "the study's classesMethods is Surefire's `classesAndMethods`: write `classesAndMethods`".to_owned()
        } else {
            suggestion(&written.value, "modes", names)
        };
        context.log.add(&written.span, format!("{} is not a parallel mode", quoted(&written.value)), help);
    }
    known
}

/// The technique that is written, or the plain one that suits the mode.
fn technique(raw: &RawConfiguration, mode: Option<Mode>, context: &Context<'_>) -> TechniqueKind {
    let plain = match mode {
        None | Some(Mode::Sequential) if !is_unreadable(raw, mode) && raw.modules.is_none() => {
            TechniqueKind::Sequential
        }
        _ => TechniqueKind::Parallel,
    };
    let Some(written) = &raw.technique else { return plain };
    let known = TechniqueKind::all().find(|technique| technique.name() == written.value);
    known.unwrap_or_else(|| {
        let names = TechniqueKind::all().map(TechniqueKind::name);
        let message = format!("{} is not a technique", quoted(&written.value));
        context.log.add(&written.span, message, suggestion(&written.value, "techniques", names));
        plain
    })
}

/// Was a mode written that could not be understood? Then it is logged already, and nothing follows from it.
fn is_unreadable(raw: &RawConfiguration, mode: Option<Mode>) -> bool {
    raw.written.contains_key("parallel") && mode.is_none()
}

/// Technique and mode must not contradict each other.
fn check_pair(raw: &RawConfiguration, technique: TechniqueKind, mode: Option<Mode>, context: &Context<'_>) {
    let Some(written) = &raw.technique else { return };
    let is_parallel = mode.is_some_and(|mode| mode != Mode::Sequential)
        || (technique != TechniqueKind::Sequential && raw.written.contains_key("modules"));
    match (technique, is_parallel) {
        (TechniqueKind::Sequential, true) => context.log.add(
            raw.parallel.as_ref().map_or(&written.span, |parallel| &parallel.span),
            "a sequential technique cannot have a parallel mode",
            "remove `parallel`, or write `technique = \"parallel\"`",
        ),
        (TechniqueKind::Parallel | TechniqueKind::Paste | TechniqueKind::SoundRerun, false) => context.log.add(
            &written.span,
            format!("the technique `{technique}` needs a parallel mode"),
            "add e.g. `parallel = \"classes\"` and `threads`, or `modules = \"1C\"`",
        ),
        (TechniqueKind::Sequential, false)
        | (TechniqueKind::Ordered(_), _)
        | (TechniqueKind::Parallel | TechniqueKind::Paste | TechniqueKind::SoundRerun, true) => {}
    }
}

pub(super) fn threads(written: &At<u64>, context: &Context<'_>) -> Option<u32> {
    if !(1..=MAX_THREADS).contains(&written.value) {
        let help = format!("write a number from 1 to {MAX_THREADS}, e.g. `threads = 7`");
        context.log.add(&written.span, format!("`threads` cannot be {}", written.value), help);
    }
    u32::try_from(written.value).ok()
}

pub(super) fn forks(written: &At<String>, context: &Context<'_>) -> Option<Forks> {
    number_of(written, "forks", context)
}

pub(super) fn modules(written: &At<String>, context: &Context<'_>) -> Option<Forks> {
    number_of(written, "modules", context)
}

/// A number, or a multiple of the cores.
fn number_of(written: &At<String>, what: &str, context: &Context<'_>) -> Option<Forks> {
    let plain = written.value.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | 'C'));
    let forks = written.value.parse::<Forks>().ok().filter(|_| plain);
    let (message, help) = match forks {
        None => (
            format!("{} is not a number of {what}", quoted(&written.value)),
            "write a whole number of at least 1, or a multiple of the cores such as \"1C\" or \"0.5C\"".to_owned(),
        ),
        Some(forks) if forks.on(context.limits.cores) > MAX_FORKS => (
            format!("{} {what} are too many", quoted(&written.value)),
            format!("write at most {MAX_FORKS}; \"1C\" is one for each core"),
        ),
        Some(forks) => return Some(forks),
    };
    context.log.add(&written.span, message, help);
    None
}
