//! The answer in a few sentences, before any table.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use super::speedups::{AverageRow, Scope, SpeedupRow};
use crate::experiment::TechniqueKind;
use crate::report::text::shown;
use crate::stats;
use crate::store::record::{ConfigurationSummary, Phase, RunData, StageRecord, TrialRecord};
use crate::wording::plural;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Headline {
    /// Is any configuration faster anywhere? Nothing where none is compared by its time.
    pub speed: Option<String>,
    /// What became of the failures that parallel runs provoked.
    pub repair: Option<String>,
    /// What orders of algorithms do to order-dependent tests.
    pub orders: Option<String>,
    pub subjects: usize,
    /// Subjects that at least one configuration made faster, at any number of cores.
    pub gained: usize,
    /// The best sound speedup.
    pub best: Option<Best>,
    pub provoked: usize,
    pub repaired: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Best {
    pub subject: String,
    pub configuration: String,
    pub cores: usize,
    pub speedup: f64,
}

impl Headline {
    pub fn sentences(&self) -> impl Iterator<Item = &String> {
        [&self.speed, &self.repair, &self.orders].into_iter().flatten()
    }
}

/// `run` is the part whose times are compared; `orders` what is said of the rest.
pub(super) fn headline(
    run: &RunData,
    speedups: &[SpeedupRow],
    averages: &[AverageRow],
    orders: Option<String>,
) -> Headline {
    let (provoked, repaired) = repairs(run);
    let alike = Comparable::of(run);
    let speedups: Vec<SpeedupRow> = speedups.iter().filter(|row| alike.has(&row.configuration)).cloned().collect();
    let averages: Vec<AverageRow> = averages.iter().filter(|row| alike.has(&row.configuration)).cloned().collect();
    let faster: HashSet<&str> = speedups.iter().filter(|row| row.gained()).map(|row| row.subject.as_str()).collect();
    let gained = |subject: &&String| faster.contains(subject.as_str());
    Headline {
        speed: (orders.is_none() || !speedups.is_empty()).then(|| speed(run, &speedups, &averages)),
        repair: repair(run, provoked, repaired),
        orders,
        subjects: run.manifest.subjects.len(),
        gained: run.manifest.subjects.iter().filter(gained).count(),
        best: best(&speedups),
        provoked,
        repaired,
    }
}

/// Configurations that one sentence may speak of together. Those that another engine than the baseline's runs, or reruns,
/// are a harness of their own: they have rows of their own, and the sentence is about them only if there is nothing else.
struct Comparable<'a> {
    names: HashSet<&'a str>,
}

impl<'a> Comparable<'a> {
    fn of(run: &'a RunData) -> Self {
        let manifest = &run.manifest;
        let baseline = manifest.configurations.iter().find(|each| each.name == manifest.baseline);
        let kept = baseline.map(|baseline| baseline.harness.engine).unwrap_or_default();
        let same = |each: &&ConfigurationSummary| {
            each.harness.engine == kept && (!each.technique.reruns() || each.harness.rerun_engine == kept)
        };
        let others = || manifest.configurations.iter().filter(|each| each.name != manifest.baseline);
        let alike: HashSet<&str> = others().filter(same).map(|each| each.name.as_str()).collect();
        if alike.is_empty() {
            Comparable { names: others().map(|each| each.name.as_str()).collect() }
        } else {
            Comparable { names: alike }
        }
    }

    fn has(&self, configuration: &str) -> bool {
        self.names.contains(configuration)
    }
}

fn best(speedups: &[SpeedupRow]) -> Option<Best> {
    let sound = speedups.iter().filter_map(|row| Some((row, row.speedup?)));
    let (row, speedup) = sound.max_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(Best { subject: row.subject.clone(), configuration: row.configuration.clone(), cores: row.cores, speedup })
}

fn speed(run: &RunData, speedups: &[SpeedupRow], averages: &[AverageRow]) -> String {
    let subjects = run.manifest.subjects.len();
    let all = averages.iter().filter(|row| row.scope == Scope::All && row.gained > 0);
    let gain = |row: &AverageRow| typical_gain(row, speedups);
    let best = all.max_by(|a, b| a.gained.cmp(&b.gained).then(gain(a).total_cmp(&gain(b))));
    if !run.trials.iter().any(|trial| trial.phase == Phase::Measured) {
        return "Nothing has been measured yet.".to_owned();
    }
    match best {
        Some(row) => faster(run, row, speedups),
        None if speedups.iter().any(|row| row.speedup.is_some_and(|speedup| speedup > 1.0)) => {
            format!(
                "No configuration gained over {} by running tests at the same time, on any of {}.",
                shown(&run.manifest.baseline),
                plural(subjects, "subject")
            )
        }
        None if speedups.iter().any(|row| row.speedup.is_some()) => {
            format!(
                "No configuration is faster than {} on any of {}.",
                shown(&run.manifest.baseline),
                plural(subjects, "subject")
            )
        }
        None => format!("No sound speedup could be measured on {}.", plural(subjects, "subject")),
    }
}

fn faster(run: &RunData, row: &AverageRow, speedups: &[SpeedupRow]) -> String {
    let caution = if run.manifest.repetitions < 2 { "; one repetition is a hint, not a result" } else { "" };
    format!(
        "{} is {:.2}× faster than {} on {} of {} ({}{caution}).",
        shown(&row.configuration),
        typical_gain(row, speedups),
        shown(&run.manifest.baseline),
        row.gained,
        plural(run.manifest.subjects.len(), "subject"),
        plural(row.cores, "core"),
    )
}

/// Over the subjects that gained at all: what a project that gains can expect.
fn typical_gain(row: &AverageRow, speedups: &[SpeedupRow]) -> f64 {
    let here = speedups.iter().filter(|s| s.configuration == row.configuration && s.cores == row.cores);
    let gains: Vec<f64> = here.filter(|s| s.gained()).filter_map(|s| s.speedup).collect();
    stats::geometric_mean(&gains).unwrap_or(1.0)
}

/// Failures after the first stage, and those of them that were gone in the end, over all measured trials of PASTE on more than
/// one core that ran to their end. As many as the baseline of the same block had are not counted.
fn repairs(run: &RunData) -> (usize, usize) {
    let baselines = baseline_failures(run);
    paste_trials(run).fold((0, 0), |(provoked, repaired), trial| {
        let anyway = baselines.get(&block(trial)).copied().unwrap_or(0);
        let after = |stage: Option<&StageRecord>| stage.map_or(0, |s| s.failures_after).saturating_sub(anyway);
        let (first, last) = (after(trial.stages.first()), after(trial.stages.last()));
        (provoked + first, repaired + first.saturating_sub(last))
    })
}

type BlockKey<'a> = (&'a str, usize, u32);

fn block(trial: &TrialRecord) -> BlockKey<'_> {
    (&trial.subject, trial.cores, trial.repetition)
}

/// What fails in the baseline of the same block too was not provoked by running in parallel.
fn baseline_failures(run: &RunData) -> HashMap<BlockKey<'_>, usize> {
    let is_baseline =
        |trial: &&TrialRecord| trial.configuration == run.manifest.baseline && trial.phase == Phase::Measured;
    let baselines = run.trials.iter().filter(is_baseline);
    // The first of a block counts, should there be several.
    baselines.rev().map(|trial| (block(trial), trial.tally.failures())).collect()
}

fn paste_trials(run: &RunData) -> impl Iterator<Item = &TrialRecord> {
    let alike = Comparable::of(run);
    run.trials.iter().filter(move |trial| {
        let technique = run.manifest.configurations.iter().find(|c| c.name == trial.configuration).map(|c| c.technique);
        trial.phase == Phase::Measured
            && trial.cores > 1
            && technique == Some(TechniqueKind::Paste)
            && alike.has(&trial.configuration)
            && super::grid::ran_to_its_end(trial)
    })
}

fn repair(run: &RunData, provoked: usize, repaired: usize) -> Option<String> {
    paste_trials(run).next()?;
    Some(match (provoked, provoked - repaired) {
        (0, _) => "No test failed when run in parallel, so PASTE had nothing to repair.".to_owned(),
        (_, 0) => format!("PASTE repaired all {} that running in parallel provoked.", plural(provoked, "failure")),
        (_, left) => format!(
            "PASTE repaired {repaired} of {} that running in parallel provoked; {left} it could not.",
            plural(provoked, "failure")
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::EngineKind;
    use crate::report::Analysis;
    use crate::report::sample;

    #[test]
    fn another_harness_is_not_what_the_headline_speaks_of() {
        let mut run = sample::study();
        let before = Analysis::of(&run).headline;
        // The same trials again, as if their reruns had been ten times as fast on another engine.
        let methods = run.manifest.configurations.iter().find(|each| each.name == "methods").cloned();
        let mut fast = methods.expect("the sample has it");
        fast.name = "methods-fast".to_owned();
        fast.harness.rerun_engine = EngineKind::Direct;
        run.manifest.configurations.push(fast);
        let mut again: Vec<TrialRecord> = run.trials.iter().filter(|t| t.configuration == "methods").cloned().collect();
        for trial in &mut again {
            trial.configuration = "methods-fast".to_owned();
            trial.trial = format!("fast-{}", trial.trial);
            trial.cost.wall_seconds /= 10.0;
        }
        run.trials.extend(again);
        let analysis = Analysis::of(&run);
        assert_eq!(analysis.headline, before);
        assert!(analysis.averages.iter().any(|row| row.configuration == "methods-fast"), "it has rows of its own");
        assert!(analysis.failures.iter().any(|row| row.configuration == "methods-fast"));
    }
}
