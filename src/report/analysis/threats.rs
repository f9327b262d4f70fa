//! What threatens the validity of this run's conclusions, as far as its own records tell.

use serde::Serialize;

use super::speedups::SpeedupRow;
use crate::engine::EngineKind;
use crate::report::text::{decimal, shown};
use crate::stats;
use crate::store::record::{Phase, RunData, TrialRecord, Verdict};
use crate::suite::FindingKind;
use crate::wording::plural;

/// A way in which a conclusion from the numbers could be wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Threat {
    pub topic: &'static str,
    pub text: String,
}

pub(super) fn threats(run: &RunData, speedups: &[SpeedupRow]) -> Vec<Threat> {
    let found = [
        ("Repetitions", repetitions(run)),
        ("Power", power(speedups)),
        ("Many comparisons", comparisons(speedups)),
        ("One machine", machine(run)),
        ("Noise", noise(run)),
        ("Clock frequency", frequency(run)),
        ("Privileges", privileges(run)),
        ("Virtual time", virtual_time(run)),
        ("Harness", harness(run)),
        ("Changed subjects", changed_subjects(run)),
        ("Tests not counted", set_aside(run)),
        ("Missing cells", missing(run)),
        ("Selection", selection(run)),
    ];
    found.into_iter().filter_map(|(topic, text)| Some(Threat { topic, text: text? })).collect()
}

fn measured(run: &RunData) -> impl Iterator<Item = &TrialRecord> {
    run.trials.iter().filter(|trial| trial.phase == Phase::Measured)
}

fn repetitions(run: &RunData) -> Option<String> {
    let manifest = &run.manifest;
    match manifest.repetitions {
        _ if manifest.quick => Some(
            "A quick run has one repetition of each cell, or only a part of the experiment: it shows that things work, and \
             nothing about how fast they are."
                .to_owned(),
        ),
        0 | 1 => Some("With one repetition nobody knows how far a second one would lie from it.".to_owned()),
        n @ 2..=9 => Some(format!(
            "{n} repetitions show large effects only; an outlier among them moves a mean by a {n}th of its excess."
        )),
        _ => None,
    }
}

fn power(speedups: &[SpeedupRow]) -> Option<String> {
    let tested: Vec<&SpeedupRow> = speedups.iter().filter(|row| row.smallest_p.is_some()).collect();
    let hopeless = tested.iter().filter(|row| row.smallest_p.is_some_and(|p| p >= 0.05)).count();
    (hopeless > 0).then(|| {
        format!(
            "In {hopeless} of {} the pairs are too few for any outcome to be significant at 0.05: a large p says nothing there.",
            plural(tested.len(), "comparison")
        )
    })
}

fn comparisons(speedups: &[SpeedupRow]) -> Option<String> {
    let tests = speedups.iter().filter(|row| row.p.is_some()).count();
    (tests > 1).then(|| {
        format!(
            "{tests} tests were made. p is corrected over the subjects of each configuration and number of cores, and not over \
             the configurations."
        )
    })
}

fn machine(run: &RunData) -> Option<String> {
    let virtualization = match run.environment.virtualization.as_deref() {
        Some(kind) => format!(" It is a {} on hardware that others may use at the same time.", shown(kind)),
        None => String::new(),
    };
    (!all_in_virtual_time(run)).then(|| {
        format!(
            "All times are of one machine with {}. Another processor, disk or memory can turn a small gain into a loss.\
             {virtualization}",
            plural(run.environment.logical_cores, "logical core")
        )
    })
}

fn noise(run: &RunData) -> Option<String> {
    let loads: Vec<f64> = measured(run).filter_map(|trial| trial.load_before).collect();
    let busy = loads.iter().filter(|load| **load > 0.5).count();
    let disturbed = measured(run)
        .filter(|trial| trial.findings.iter().any(|finding| finding.kind == FindingKind::Disturbance))
        .count();
    let unsteady = unsteady_cells(run);
    let mut parts = Vec::new();
    if busy > 0 {
        let middle = stats::median(&loads).unwrap_or(0.0);
        parts.push(format!(
            "other work kept more than half a core busy before {busy} of {} (median {} cores)",
            plural(loads.len(), "trial"),
            decimal(middle)
        ));
    }
    if disturbed > 0 {
        parts.push(format!("{} disturbed by swapping or heat", were(disturbed, "trial")));
    }
    if unsteady > 0 {
        parts.push(format!("times of {} vary by more than 10 % of their mean", plural(unsteady, "cell")));
    }
    (!parts.is_empty()).then(|| format!("{}.", capitalised(&parts.join("; "))))
}

fn were(count: usize, noun: &str) -> String {
    format!("{} {}", plural(count, noun), if count == 1 { "was" } else { "were" })
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

fn unsteady_cells(run: &RunData) -> usize {
    let mut cells: std::collections::BTreeMap<(&str, &str, usize), Vec<f64>> = std::collections::BTreeMap::new();
    for trial in measured(run).filter(|trial| trial.verdict == Verdict::Clean) {
        let key = (trial.subject.as_str(), trial.configuration.as_str(), trial.cores);
        cells.entry(key).or_default().push(trial.cost.wall_seconds);
    }
    let varies = |walls: &&Vec<f64>| stats::coefficient_of_variation(walls).is_some_and(|spread| spread > 0.10);
    cells.values().filter(varies).count()
}

fn frequency(run: &RunData) -> Option<String> {
    if all_in_virtual_time(run) {
        return None;
    }
    match run.environment.turbo {
        Some(true) => Some(
            "Turbo is on: fewer busy cores run at a higher frequency, which favours the sequential baseline.".to_owned(),
        ),
        Some(false) => None,
        None => Some(
            "The machine does not tell its clock frequency. If it rises with fewer busy cores, that favours the sequential \
             baseline."
                .to_owned(),
        ),
    }
}

fn privileges(run: &RunData) -> Option<String> {
    let as_root = run.subjects.iter().filter(|subject| subject.user.is_none() && subject.maven.is_some()).count();
    (run.environment.user == "root" && as_root > 0).then(|| {
        format!(
            "{} ran as root: tests of file permissions can end otherwise than for a developer.",
            plural(as_root, "subject")
        )
    })
}

fn engines(run: &RunData) -> impl Iterator<Item = EngineKind> {
    measured(run).filter_map(|trial| trial.engine)
}

pub(super) fn all_in_virtual_time(run: &RunData) -> bool {
    engines(run).next().is_some() && engines(run).all(|engine| engine == EngineKind::Model)
}

fn virtual_time(run: &RunData) -> Option<String> {
    let models = engines(run).filter(|engine| *engine == EngineKind::Model).count();
    (models > 0).then(|| {
        format!(
            "{} of a model suite in virtual time: a model has no caches, no memory and no noise, so its times are exact and \
             say nothing about a machine.",
            plural(models, "trial")
        )
    })
}

fn harness(run: &RunData) -> Option<String> {
    let maven = engines(run).any(|engine| engine == EngineKind::Surefire);
    maven.then(|| {
        "Wall time includes the start of Maven and of its worker processes. In short suites that is most of the time, and \
         hides what parallel tests gain."
            .to_owned()
    })
}

fn changed_subjects(run: &RunData) -> Option<String> {
    let changed = run.subjects.iter().filter(|subject| !subject.deviations.is_empty()).count();
    (changed > 0).then(|| {
        format!(
            "{} of {} had to be changed to run here (see the deviations): what is measured is not quite what was published.",
            changed,
            plural(run.subjects.len(), "subject")
        )
    })
}

fn set_aside(run: &RunData) -> Option<String> {
    let tests: usize = run.subjects.iter().map(|subject| subject.set_aside.len()).sum();
    match (tests, run.manifest.screening) {
        (0, 0) => Some(
            "Nothing was screened for tests that fail now and then without any parallelism: such failures are counted as \
             provoked."
                .to_owned(),
        ),
        (0, _) => None,
        (tests, runs) => Some(format!(
            "{} did not pass in all of {} and {} not counted, though parallel runs may break {} more often.",
            plural(tests, "test"),
            plural(runs as usize, "screening run"),
            if tests == 1 { "is" } else { "are" },
            if tests == 1 { "it" } else { "them" },
        )),
    }
}

fn missing(run: &RunData) -> Option<String> {
    let done = measured(run).filter(|trial| trial.verdict == Verdict::Clean).count();
    let planned = run.manifest.trials.len();
    (done < planned).then(|| {
        format!(
            "{} of {planned} planned trials yielded no clean time. Averages are over the cells that have one, and the \
             subjects that fail are rarely the easy ones.",
            planned - done
        )
    })
}

fn selection(run: &RunData) -> Option<String> {
    let subjects = run.manifest.subjects.len();
    (subjects > 0).then(|| {
        let size = if subjects < 10 { "too few to stand for others" } else { "no random sample of all projects" };
        format!("{} {} {size}.", plural(subjects, "subject"), if subjects == 1 { "is" } else { "are" })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Analysis;
    use crate::report::sample;

    fn topics(run: &RunData) -> Vec<&'static str> {
        Analysis::of(run).threats.iter().map(|threat| threat.topic).collect()
    }

    #[test]
    fn threats_are_those_of_the_run() {
        let mut run = sample::study();
        let before = topics(&run);
        for topic in ["Repetitions", "Power", "One machine", "Changed subjects", "Tests not counted", "Missing cells"] {
            assert!(before.contains(&topic), "{topic} in {before:?}");
        }
        assert!(!before.contains(&"Privileges") && !before.contains(&"Virtual time"));
        run.environment.user = "root".to_owned();
        run.trials.iter_mut().for_each(|trial| trial.engine = Some(EngineKind::Model));
        let after = topics(&run);
        assert!(after.contains(&"Privileges") && after.contains(&"Virtual time"), "{after:?}");
        assert!(!after.contains(&"One machine") && !after.contains(&"Clock frequency"), "{after:?}");
    }

    #[test]
    fn a_quick_run_threatens_itself() {
        let mut run = sample::study();
        run.manifest.quick = true;
        let threats = Analysis::of(&run).threats;
        assert!(threats[0].text.starts_with("A quick run"), "{threats:?}");
    }
}
