//! The short texts of the page: the verdict, the cards, the machine, the configurations.

use serde::Serialize;

use crate::engine::{EngineKind, Mode};
use crate::experiment::{Harness, TechniqueKind};
use crate::report::Analysis;
use crate::report::analysis::WarningKind;
use crate::report::analysis::orders::{OrderTables, ReductionRow, StatisticsRow};
use crate::report::beside::Beside;
use crate::report::text::{bytes, shown};
use crate::store::record::ConfigurationSummary;
use crate::wording::plural;

#[derive(Serialize)]
pub struct Card {
    label: &'static str,
    value: String,
    detail: String,
}

#[derive(Serialize)]
pub struct Fact {
    term: String,
    value: String,
    class: Option<&'static str>,
}

impl Fact {
    fn new(term: impl Into<String>, value: impl Into<String>) -> Fact {
        Fact { term: term.into(), value: value.into(), class: None }
    }
}

/// What was run, and on what.
pub fn verdict(analysis: &Analysis) -> Vec<Fact> {
    let (run, machine) = (&analysis.run, &analysis.machine);
    let manifest = &run.manifest;
    let cores: Vec<String> = manifest.cores.iter().map(usize::to_string).collect();
    let on = if cores.len() > 1 {
        format!("{} cores", cores.join(", "))
    } else {
        plural(manifest.cores.first().copied().unwrap_or(0), "core")
    };
    let what = format!(
        "{} in {} on {on}, {} each: {} of {} trials, begun {}.",
        plural(manifest.subjects.len(), "subject"),
        plural(manifest.configurations.len(), "configuration"),
        plural(manifest.repetitions as usize, "repetition"),
        run.finished_trials,
        run.planned_trials,
        manifest.started_at.strftime("%Y-%m-%d"),
    );
    let place = format!(
        "{}: {}, {}, {}; {}{}.",
        shown(&manifest.host),
        shown(&machine.cpu_model),
        plural(machine.logical_cores, "logical core"),
        bytes(machine.memory_bytes),
        shown(&machine.os),
        machine.virtualization.as_deref().map(|kind| format!(", in a {}", shown(kind))).unwrap_or_default(),
    );
    let computed = analysis.warnings.iter().find(|warning| warning.kind == WarningKind::VirtualTime);
    let place = match computed {
        Some(warning) => format!("Virtual time: {}. Computed on {place}", warning.text),
        None => place,
    };
    let mut facts = vec![Fact::new("What was run", what), Fact::new("On what", place)];
    facts.extend(reproduction(analysis));
    facts
}

/// Nothing where the experiment names no study.
fn reproduction(analysis: &Analysis) -> Option<Fact> {
    let study = shown(analysis.run.manifest.study.as_deref()?);
    let Some(beside) = Beside::of(analysis) else {
        let text = format!("parade has no published numbers of `{study}` to compare with.");
        return Some(Fact::new("Does it reproduce the study?", text));
    };
    let class = match beside.share() {
        Some(share) if share >= 0.8 => Some("yes"),
        Some(share) if share < 0.5 => Some("no"),
        _ => None,
    };
    Some(Fact { class, ..Fact::new("Does it reproduce the study?", format!("{study}: {}", beside.sentence())) })
}

pub fn cards(analysis: &Analysis) -> Vec<Card> {
    let (headline, run) = (&analysis.headline, &analysis.run);
    let mut cards: Vec<Card> = order_cards(&analysis.orders);
    if headline.speed.is_some() {
        cards.push(Card {
            label: "Subjects that gained",
            value: format!("{} of {}", headline.gained, headline.subjects),
            detail: "from at least one configuration".to_owned(),
        });
    }
    if let Some(best) = &headline.best {
        let place =
            format!("{} on {}, {}", shown(&best.configuration), shown(&best.subject), plural(best.cores, "core"));
        cards.push(Card { label: "Best speedup", value: format!("{:.2}×", best.speedup), detail: place });
    }
    if headline.repair.is_some() {
        let left = headline.provoked - headline.repaired;
        cards.push(Card {
            label: "Failures repaired",
            value: format!("{} of {}", headline.repaired, headline.provoked),
            detail: if left == 0 { "none is left".to_owned() } else { format!("{left} left after the last stage") },
        });
    }
    cards.push(Card {
        label: "Trials",
        value: format!("{} of {}", run.finished_trials, run.planned_trials),
        detail: format!("{} each", plural(run.manifest.repetitions as usize, "repetition")),
    });
    cards
}

/// Of runs of regression testing algorithms.
fn order_cards(orders: &OrderTables) -> Vec<Card> {
    let reduction = ReductionRow::total(&orders.reductions.iter().collect::<Vec<_>>());
    let known: usize = orders.statistics.iter().map(StatisticsRow::known).sum();
    let mut cards = Vec::new();
    if !orders.is_empty() {
        let suites = plural(orders.statistics.len(), "module");
        cards.push(Card { label: "Order-dependent tests", value: known.to_string(), detail: format!("in {suites}") });
    }
    if let Some(percent) = reduction.reduction {
        cards.push(Card {
            label: "Fewer failures in enhanced orders",
            value: format!("{percent:.0} %"),
            detail: format!("{} instead of {}", reduction.enhanced, reduction.unenhanced),
        });
    }
    cards
}

fn jdk_versions(machine: &crate::store::record::Environment) -> Option<String> {
    let versions: Vec<&str> = machine.jdks.iter().map(|jdk| jdk.version.as_str()).collect();
    (!versions.is_empty()).then(|| versions.join(", "))
}

pub fn machine(analysis: &Analysis) -> Vec<Fact> {
    let (machine, run) = (&analysis.machine, &analysis.run);
    let cores = run.manifest.cores.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    let physical = machine.physical_cores.map_or(String::new(), |n| format!(", {n} physical"));
    let turbo = machine.turbo.map(|on| if on { "on" } else { "off" }.to_owned());
    let known = [
        ("host", Some(run.manifest.host.clone())),
        ("processor", Some(format!("{} ({} logical{physical})", machine.cpu_model, machine.logical_cores))),
        ("memory", Some(format!("{}, swap {}", bytes(machine.memory_bytes), bytes(machine.swap_bytes)))),
        ("system", Some(format!("{}, kernel {}, {}", machine.os, machine.kernel, machine.architecture))),
        ("virtualization", machine.virtualization.clone()),
        ("frequency governor", machine.governor.clone()),
        ("turbo", turbo),
        ("JDK", jdk_versions(machine)),
        ("Maven", machine.maven.clone()),
        ("pinned to cores", Some(cores)),
        (
            "repetitions",
            Some(format!(
                "{}, after {}",
                run.manifest.repetitions,
                plural(run.manifest.warmup as usize, "warm-up run")
            )),
        ),
        ("screening", Some(plural(run.manifest.screening as usize, "sequential run"))),
        ("seed", Some(run.manifest.seed.to_string())),
        ("baseline", Some(run.manifest.baseline.clone())),
    ];
    let fact = |(term, value): (&str, Option<String>)| Some(Fact::new(term, shown(&value?)));
    known.into_iter().filter_map(fact).collect()
}

/// What runs it, where that is not Surefire alone.
fn engines(summary: &ConfigurationSummary) -> Option<String> {
    let Harness { engine, rerun_engine, .. } = summary.harness;
    let reruns = (summary.technique.reruns() && rerun_engine != engine).then(|| format!("reruns on {rerun_engine}"));
    let main = (engine != EngineKind::default()).then(|| format!("on {engine}"));
    let parts: Vec<String> = [main, reruns].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// `the order of T2, enhanced`.
fn order(summary: &ConfigurationSummary) -> String {
    let Some(ordering) = summary.ordering else { return format!("the order of {}", summary.technique) };
    let enhanced = if ordering.enhanced { ", enhanced by dependencies" } else { "" };
    if ordering.algorithm.is_parallel() {
        let machines = plural(ordering.machines as usize, "machine");
        format!("{machines} as {} spreads tests{enhanced}", ordering.algorithm)
    } else {
        format!("the order of {}{enhanced}", ordering.algorithm)
    }
}

pub fn configuration(summary: &ConfigurationSummary) -> Fact {
    let technique = match summary.technique {
        TechniqueKind::Sequential => "one test after the other",
        TechniqueKind::Parallel => "one parallel run",
        TechniqueKind::Paste => "PASTE: parallel, then failed tests, then their classes",
        TechniqueKind::SoundRerun => "parallel, then failed tests after all they depend on",
        TechniqueKind::Ordered(_) => return Fact::new(shown(&summary.name), order(summary)),
    };
    let parallelism = &summary.parallelism;
    let width = match (summary.technique, parallelism.mode) {
        (TechniqueKind::Sequential, _) | (_, Mode::Sequential | Mode::Project) => String::new(),
        (_, mode) => {
            let per_core = if parallelism.threads_per_core { " per core" } else { "" };
            format!(
                "; {mode}, {}{per_core}, forks {}",
                plural(parallelism.threads as usize, "thread"),
                parallelism.forks
            )
        }
    };
    let modules = parallelism.modules.map(|modules| format!("; modules at once {modules}")).unwrap_or_default();
    let harness = engines(summary).map(|engines| format!("; {engines}")).unwrap_or_default();
    Fact::new(shown(&summary.name), format!("{technique}{width}{modules}{harness}"))
}
