//! What threatens the validity of this run's conclusions, as far as its own records tell.

use std::collections::BTreeSet;

use serde::Serialize;

use super::speedups::SpeedupRow;
use crate::engine::EngineKind;
use crate::shown_text::{decimal, shown};
use crate::stats;
use crate::store::record::{CommandKind, Phase, RunData, TrialRecord, Verdict};
use crate::wording::{counted, plural};

/// A way in which a conclusion from the numbers could be wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Threat {
    pub topic: &'static str,
    pub text: String,
}

pub(super) fn threats(run: &RunData, speedups: &[SpeedupRow]) -> Vec<Threat> {
    if run.manifest.command == Some(CommandKind::Detect) {
        let text = "A search shows which tests depend on the order in the orders that were run. Orders that were not run can \
            reveal more tests. Tests that depend on the time, the network or the machine can look flaky or order-dependent.";
        return vec![Threat { topic: "Search", text: text.to_owned() }];
    }
    let found = [
        ("Repetitions", repetitions(run)),
        ("Power", power(speedups)),
        ("Many comparisons", comparisons(speedups)),
        ("Machine", machine(run)),
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

/// Nothing that happens on the machine moves the times of a model.
pub(super) fn timed_by_a_clock(run: &RunData) -> impl Iterator<Item = &TrialRecord> {
    measured(run).filter(|trial| trial.engine != Some(EngineKind::Model))
}

fn repetitions(run: &RunData) -> Option<String> {
    let manifest = &run.manifest;
    match manifest.repetitions {
        _ if manifest.quick => Some(
            "A quick run has one repetition of each cell, or only a part of the experiment. It shows that things \
             work, but not how fast they are."
                .to_owned(),
        ),
        0 | 1 => Some("One repetition does not show how much times vary.".to_owned()),
        n @ 2..=9 => {
            Some(format!("{n} repetitions show only large effects, and one outlier changes a mean of {n} noticeably."))
        }
        _ => None,
    }
}

fn power(speedups: &[SpeedupRow]) -> Option<String> {
    let tested: Vec<&SpeedupRow> = speedups.iter().filter(|row| row.smallest_p.is_some()).collect();
    let hopeless = tested.iter().filter(|row| row.smallest_p.is_some_and(|p| p >= 0.05)).count();
    (hopeless > 0).then(|| {
        format!(
            "In {hopeless} of {}, there are too few pairs for any result to be significant at 0.05: a large p means \
             nothing there.",
            plural(tested.len(), "comparison")
        )
    })
}

fn comparisons(speedups: &[SpeedupRow]) -> Option<String> {
    let tests = speedups.iter().filter(|row| row.p.is_some()).count();
    (tests > 1).then(|| {
        format!(
            "{tests} significance tests were made. p is corrected over the subjects of each configuration and number \
             of cores, but not over the configurations."
        )
    })
}

fn machine(run: &RunData) -> Option<String> {
    let virtualization = match run.environment.virtualization.as_deref() {
        Some(kind) => format!(" It is a {}; what else its hardware does outside it is not recorded.", shown(kind)),
        None => String::new(),
    };
    let hosts: BTreeSet<&str> = run.manifest.merged.iter().map(|merged| merged.host.as_str()).collect();
    let machines = match hosts.len() {
        0 | 1 => format!("one machine with {}", plural(run.environment.logical_cores, "logical core")),
        several => format!("{several} machines"),
    };
    (!all_in_virtual_time(run)).then(|| {
        format!(
            "All times come from {machines}. Another processor, disk or memory can turn a small gain into a \
             loss.{virtualization}"
        )
    })
}

/// Only what the trials recorded, each fact under its own name.
fn noise(run: &RunData) -> Option<String> {
    let count = |recorded: fn(&TrialRecord) -> bool| timed_by_a_clock(run).filter(|trial| recorded(trial)).count();
    let loads: Vec<f64> = timed_by_a_clock(run).filter_map(|trial| trial.load_before).collect();
    let before = count(|trial| trial.load_before.is_some_and(|load| load > TrialRecord::BUSY_BEFORE));
    let during = count(|trial| trial.load_during.is_some_and(|load| load > TrialRecord::BUSY_DURING));
    let swapped = count(|trial| trial.swapped_pages.is_some_and(|pages| pages > 0));
    let throttled = count(|trial| trial.throttle_events.is_some_and(|events| events > 0));
    let trials = plural(timed_by_a_clock(run).count(), "trial");
    let median = decimal(stats::median(&loads).unwrap_or(0.0));
    let seen = [
        (before, format!("more than half a core was busy right before {before} of {trials} (median {median} cores)")),
        (during, format!("other work kept more than a fifth of a core busy during {during} of {trials}")),
        (swapped, format!("memory was swapped during {swapped} of {trials}")),
        (throttled, format!("the processor was throttled because of heat during {throttled} of {trials}")),
        (
            unsteady_cells(run),
            format!("times of {} vary by more than 10 % of their mean", plural(unsteady_cells(run), "cell")),
        ),
    ];
    let parts: Vec<String> = seen.into_iter().filter(|(count, _)| *count > 0).map(|(_, text)| text).collect();
    (!parts.is_empty()).then(|| format!("{}.", capitalised(&parts.join("; "))))
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
            "Turbo is on: fewer busy cores can run at a higher frequency, which would favour the sequential baseline. The \
             frequency during trials was not recorded."
                .to_owned(),
        ),
        Some(false) => None,
        None => Some(
            "The machine does not show whether its clock frequency changes with the load, and the frequency was not \
             recorded. A frequency that rises with fewer busy cores favours the sequential baseline."
                .to_owned(),
        ),
    }
}

fn privileges(run: &RunData) -> Option<String> {
    let as_root = run.subjects.iter().filter(|subject| subject.user.is_none() && subject.maven.is_some()).count();
    (run.environment.user == "root" && as_root > 0).then(|| {
        format!(
            "{} ran as root. Tests of file permissions can end differently for another user.",
            plural(as_root, "subject")
        )
    })
}

fn engines(run: &RunData) -> impl Iterator<Item = EngineKind> {
    measured(run).filter_map(|trial| trial.engine)
}

pub(in crate::report) fn all_in_virtual_time(run: &RunData) -> bool {
    engines(run).next().is_some() && engines(run).all(|engine| engine == EngineKind::Model)
}

fn virtual_time(run: &RunData) -> Option<String> {
    let models = engines(run).filter(|engine| *engine == EngineKind::Model).count();
    (models > 0).then(|| {
        format!(
            "{} ran model suites in virtual time. A model has no caches, no memory and no noise: its times are exact \
             and say nothing about a machine.",
            plural(models, "trial")
        )
    })
}

fn harness(run: &RunData) -> Option<String> {
    let is_any = |kind: EngineKind| engines(run).any(|engine| engine == kind);
    let started = [(EngineKind::Surefire, "Maven and of its forks"), (EngineKind::Pytest, "pytest and of its workers")];
    let started: Vec<&str> = started.into_iter().filter(|(kind, _)| is_any(*kind)).map(|(_, what)| what).collect();
    (!started.is_empty()).then(|| {
        format!(
            "Wall time includes the start of {}. The shorter a suite, the larger this part is, and the smaller the \
             speedup.",
            started.join(", or of ")
        )
    })
}

fn changed_subjects(run: &RunData) -> Option<String> {
    let changed = run.subjects.iter().filter(|subject| !subject.deviations.is_empty()).count();
    (changed > 0).then(|| {
        format!(
            "{} of {} changed to run here (see the table of deviations): the measured project is not exactly the \
             published one.",
            changed,
            counted(run.subjects.len(), "subject was", "subjects were")
        )
    })
}

fn set_aside(run: &RunData) -> Option<String> {
    let tests: usize = run.subjects.iter().map(|subject| subject.set_aside.len()).sum();
    match (tests, run.manifest.screening) {
        (0, 0) => Some(
            "There were no screening runs. A flaky test that failed in no run of the baseline is not known, so its failures in \
             parallel runs count as caused by parallelism."
                .to_owned(),
        ),
        (0, _) => None,
        (tests, runs) => Some(format!(
            "{} not pass in all of {} and {} not counted. The effect of parallel runs on {} is in no number.",
            counted(tests, "test did", "tests did"),
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
            "{} of {planned} planned trials have no clean time. Averages cover the comparisons with an answer, not \
             all planned ones.",
            planned - done
        )
    })
}

fn selection(run: &RunData) -> Option<String> {
    let subjects = run.manifest.subjects.len();
    (subjects > 0).then(|| {
        let subjects = counted(subjects, "subject was", "subjects were");
        format!("{subjects} chosen, not drawn at random. Other projects can differ.")
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
        for topic in ["Repetitions", "Power", "Machine", "Changed subjects", "Tests not counted", "Missing cells"] {
            assert!(before.contains(&topic), "{topic} in {before:?}");
        }
        assert!(!before.contains(&"Privileges") && !before.contains(&"Virtual time"));
        run.environment.user = "root".to_owned();
        run.trials.iter_mut().for_each(|trial| trial.engine = Some(EngineKind::Model));
        let after = topics(&run);
        assert!(after.contains(&"Privileges") && after.contains(&"Virtual time"), "{after:?}");
        assert!(!after.contains(&"Machine") && !after.contains(&"Clock frequency"), "{after:?}");
    }

    fn noise_of(change: impl Fn(&mut TrialRecord)) -> String {
        let mut run = sample::study();
        run.trials.iter_mut().for_each(change);
        let threats = Analysis::of(&run).threats;
        threats.into_iter().find(|threat| threat.topic == "Noise").map(|threat| threat.text).unwrap_or_default()
    }

    #[test]
    fn each_disturbance_is_told_only_where_it_was_recorded() {
        use crate::suite::{Finding, FindingKind};
        let busy = noise_of(|trial| {
            trial.load_during = Some(1.4);
            trial.findings.push(Finding::new(FindingKind::Disturbance, "other work kept cores busy during the trial"));
        });
        assert!(busy.contains("busy during") && !busy.contains("swap") && !busy.contains("heat"), "{busy}");
        let swapped = noise_of(|trial| trial.swapped_pages = Some(9));
        assert!(
            swapped.contains("swapped during") && !swapped.contains("heat") && !swapped.contains("busy"),
            "{swapped}"
        );
        let hot = noise_of(|trial| trial.throttle_events = Some(1));
        assert!(hot.contains("heat during") && !hot.contains("swap") && !hot.contains("busy"), "{hot}");
    }

    /// What other work on the machine did during trials is recorded; what other guests of its hardware did is not.
    #[test]
    fn a_virtual_machine_does_not_contradict_what_was_recorded() {
        let mut run = sample::study();
        run.environment.virtualization = Some("virtual machine".to_owned());
        run.trials.iter_mut().for_each(|trial| trial.load_during = Some(1.4));
        let threats = Analysis::of(&run).threats;
        let text = |topic| threats.iter().find(|threat| threat.topic == topic).map(|threat| threat.text.as_str());
        assert!(text("Noise").unwrap().contains("ther work kept more than a fifth of a core busy"));
        let machine = text("Machine").unwrap();
        assert!(machine.ends_with("It is a virtual machine; what else its hardware does outside it is not recorded."));
    }

    #[test]
    fn a_quick_run_threatens_itself() {
        let mut run = sample::study();
        run.manifest.quick = true;
        let threats = Analysis::of(&run).threats;
        assert!(threats[0].text.starts_with("A quick run"), "{threats:?}");
    }
}
