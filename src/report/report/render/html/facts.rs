//! The short texts of the page: the verdict, the cards, the machine, the configurations.

use serde::Serialize;

use crate::report::analysis::orders::{OrderTables, ReductionRow, StatisticsRow};
use crate::report::analysis::{ComparisonCounts, Headline, RunFacts, WarningKind};
use crate::report::{Analysis, RunReport, legend};
use crate::shown_text::{bytes, shown};
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
pub fn verdict(report: &RunReport) -> Vec<Fact> {
    let analysis = report.analysis;
    let (run, machine) = (&analysis.run, &analysis.machine);
    let manifest = &run.manifest;
    let cores: Vec<String> = manifest.cores.iter().map(usize::to_string).collect();
    let on = if cores.len() > 1 {
        format!("{} cores", cores.join(", "))
    } else {
        plural(manifest.cores.first().copied().unwrap_or(0), "core")
    };
    let started = manifest.started_at.strftime("%Y-%m-%d");
    let what = if run.is_detection() {
        format!("A {} on {on}, started {started}.", run.extent())
    } else {
        format!(
            "{} in {} on {on}, {} each: {}, started {started}.",
            plural(manifest.subjects.len(), "subject"),
            plural(manifest.configurations.len(), "configuration"),
            manifest.told_repetitions(),
            run.extent(),
        )
    };
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
    let mut facts = vec![Fact::new("What was run", what), Fact::new("Machine", place)];
    facts.extend(reproduction(report));
    facts
}

/// Nothing where the experiment names no study.
fn reproduction(report: &RunReport) -> Option<Fact> {
    let study = shown(report.analysis.run.manifest.study.as_deref()?);
    let Some(comparison) = report.study() else {
        let text = format!("parade has no published numbers for `{study}`.");
        return Some(Fact::new("Does it reproduce the study?", text));
    };
    let class = match comparison.share() {
        Some(share) if share >= 0.8 => Some("yes"),
        Some(share) if share < 0.5 => Some("no"),
        _ => None,
    };
    Some(Fact { class, ..Fact::new("Does it reproduce the study?", format!("{study}: {}", comparison.sentence())) })
}

pub fn cards(analysis: &Analysis) -> Vec<Card> {
    let (headline, run) = (&analysis.headline, &analysis.run);
    let mut cards: Vec<Card> = order_cards(&analysis.orders);
    if headline.speed.is_some() {
        cards.push(Card {
            label: "Subjects shown to gain",
            value: format!("{} of {}", headline.gained, headline.subjects),
            detail: comparisons(&headline.comparisons),
        });
    }
    if let Some(best) = &headline.best {
        let place =
            format!("{} on {}, {}", shown(&best.configuration), shown(&best.subject), plural(best.cores, "core"));
        let largest = match headline.comparisons.all() {
            1 => "the only comparison".to_owned(),
            all => format!("the largest of {all} comparisons"),
        };
        let detail = format!("{largest}: {place}; {}", best.evidence);
        cards.push(Card { label: "Best speedup", value: format!("{}×", best.text), detail });
    }
    if headline.repair.is_some() {
        cards.push(repair_card(headline, &shown(&run.manifest.baseline)));
    }
    if run.is_detection() {
        let found = analysis.detection.order_dependent;
        let detail = format!("of {}", plural(analysis.detection.tests, "test"));
        cards.push(Card { label: "Order-dependent tests", value: found.to_string(), detail });
    } else {
        cards.push(Card {
            label: "Trials",
            value: format!("{} of {}", run.finished_trials, run.planned_trials),
            detail: format!("{} each", run.manifest.told_repetitions()),
        });
    }
    cards
}

fn repair_card(headline: &Headline, baseline: &str) -> Card {
    let label = "Failures repaired";
    let (provoked, repaired) = (headline.provoked, headline.repaired);
    let value = if provoked == 0 { "none".to_owned() } else { format!("{repaired} of {provoked}") };
    let detail = match (provoked, headline.remaining) {
        (0, _) if headline.also_in_baseline == 0 => "no test failed in the runs of PASTE".to_owned(),
        (0, _) => format!("only tests failed that also failed in {baseline}"),
        (_, 0) if repaired < provoked => format!("of tests that never failed in {baseline}"),
        (_, 0) => format!("of tests that never failed in {baseline}; none is left"),
        (_, left) => format!("of tests that never failed in {baseline}; {left} left after the last stage"),
    };
    let lost = match headline.trials_with_lost_tests {
        0 => String::new(),
        trials => format!("; tests never ran in {}, where nothing counts as repaired", plural(trials, "trial")),
    };
    Card { label, value, detail: detail + &lost }
}

/// What became of the comparisons that show no gain.
fn comparisons(counts: &ComparisonCounts) -> String {
    match counts.told() {
        told if told.is_empty() => "from at least one configuration".to_owned(),
        told => format!("from at least one configuration; {told}"),
    }
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
                run.manifest.told_repetitions(),
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

pub fn configuration(summary: &ConfigurationSummary, run: &RunFacts) -> Fact {
    Fact::new(shown(&summary.name), legend::explained(summary, run.platform(&summary.name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    fn detail(analysis: &Analysis, label: &str) -> String {
        cards(analysis).into_iter().find(|card| card.label == label).map(|card| card.detail).unwrap_or_default()
    }

    #[test]
    fn subjects_with_fewer_repetitions_are_not_hidden() {
        let mut run = sample::study();
        assert_eq!(detail(&Analysis::of(&run), "Trials"), "5 repetitions each");
        run.manifest.trials.retain(|trial| trial.subject != "clean-gain" || trial.repetition <= 3);
        assert_eq!(detail(&Analysis::of(&run), "Trials"), "3 to 5 repetitions each");
    }

    #[test]
    fn the_best_speedup_is_called_the_largest_of_many() {
        let analysis = sample::studied();
        let told = detail(analysis, "Best speedup");
        let all = analysis.headline.comparisons.all();
        assert!(told.starts_with(&format!("the largest of {all} comparisons: ")), "{told}");
    }

    #[test]
    fn failures_that_the_baseline_has_too_are_not_called_none() {
        let mut analysis = sample::studied().clone();
        let lost = detail(&analysis, "Failures repaired");
        assert!(lost.ends_with("; tests never ran in 5 trials, where nothing counts as repaired"), "{lost}");
        (analysis.headline.provoked, analysis.headline.repaired) = (0, 0);
        analysis.headline.trials_with_lost_tests = 0;
        assert_eq!(detail(&analysis, "Failures repaired"), "no test failed in the runs of PASTE");
        analysis.headline.also_in_baseline = 2;
        assert_eq!(detail(&analysis, "Failures repaired"), "only tests failed that also failed in sequential");
    }
}
