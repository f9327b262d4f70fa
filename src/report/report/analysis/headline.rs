//! The answer in a few sentences, before any table.
//!
//! What it says about speed follows from the judgements alone: see `speed_judgement`.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde::Serialize;

use super::repairs::{RepairCounts, repair_counts, repair_sentence};
use super::speedups::{AverageRow, Scope, SpeedupRow};
use super::warnings::{has_rerun, missing_trials};
use crate::shown_text::{decimals_beside_one, shown};
use crate::stats::speed_judgement::{FEWEST_PAIRS_WORD, SpeedJudgement};
use crate::store::RowTotals;
use crate::store::record::{ConfigurationSummary, Phase, RunData, TrialRecord, Verdict};
use crate::technique::TechniqueKind;
use crate::wording::plural;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Headline {
    /// What the times show. Nothing where no configuration is compared by its time.
    pub speed: Option<String>,
    /// What became of the failures in the runs of PASTE.
    pub repair: Option<String>,
    /// Where tests fail in configurations that repair nothing, or get lost in any.
    pub breaks: Option<String>,
    /// What orders of algorithms do to order-dependent tests.
    pub orders: Option<String>,
    /// The gravest reasons to distrust all this; `warnings` has the others.
    pub caveats: Vec<String>,
    pub subjects: usize,
    /// Subjects on which at least one configuration is faster, at any number of cores.
    pub gained: usize,
    /// How many comparisons show what.
    pub comparisons: ComparisonCounts,
    /// The largest speedup among the comparisons that show one.
    pub best: Option<Best>,
    /// Failures after the first stage of PASTE, of tests that never failed in the baseline.
    pub provoked: usize,
    /// Those of them that were gone after the last stage, in trials in which every test ran.
    pub repaired: usize,
    /// Those of them that were still there after the last stage.
    pub remaining: usize,
    /// Trials of PASTE in which tests never ran, and the most tests that one of them lost.
    pub trials_with_lost_tests: usize,
    pub most_lost_tests: usize,
    /// Failures after the first stage of PASTE, of tests that failed in the baseline too. They are no part of `provoked`.
    pub also_in_baseline: usize,
}

/// How many comparisons there are of each judgement.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ComparisonCounts {
    pub faster: usize,
    pub slower: usize,
    pub no_difference_shown: usize,
    pub not_enough_runs: usize,
    pub no_concurrency: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Best {
    pub subject: String,
    pub configuration: String,
    pub cores: usize,
    pub speedup: f64,
    pub ci_low: Option<f64>,
    pub ci_high: Option<f64>,
    pub ci_method: Option<&'static str>,
    pub pairs: usize,
    /// The speedup and its interval, with as many decimals as they need not to read like 1.
    #[serde(skip)]
    pub text: String,
    #[serde(skip)]
    pub low_text: Option<String>,
    #[serde(skip)]
    pub high_text: Option<String>,
    /// `95 % CI 1.41–1.77 (t), 10 pairs`.
    #[serde(skip)]
    pub evidence: String,
}

impl Headline {
    pub fn sentences(&self) -> impl Iterator<Item = &String> {
        [&self.speed, &self.repair, &self.breaks, &self.orders].into_iter().flatten()
    }
}

impl ComparisonCounts {
    fn of(rows: &[SpeedupRow]) -> Self {
        let count = |judgement| rows.iter().filter(|row| row.judgement == judgement).count();
        ComparisonCounts {
            faster: count(SpeedJudgement::Faster),
            slower: count(SpeedJudgement::Slower),
            no_difference_shown: count(SpeedJudgement::NoDifferenceShown),
            not_enough_runs: count(SpeedJudgement::NotEnoughRuns),
            no_concurrency: count(SpeedJudgement::NoConcurrency),
        }
    }

    pub fn all(&self) -> usize {
        self.faster + self.slower + self.no_difference_shown + self.not_enough_runs + self.no_concurrency
    }

    /// `slower in 2 comparisons, no difference shown in 1, …`, of those that are not faster.
    pub fn told(&self) -> String {
        let parts = [
            (self.slower, "slower"),
            (self.no_difference_shown, "no difference shown"),
            (self.not_enough_runs, "not enough runs to tell"),
            (self.no_concurrency, "a mode without effect"),
        ];
        let told = parts.iter().filter(|(count, _)| *count > 0);
        let told: Vec<String> = told
            .enumerate()
            .map(|(place, (count, what))| match place {
                0 => format!("{what} in {}", plural(*count, "comparison")),
                _ => format!("{what} in {count}"),
            })
            .collect();
        told.join(", ")
    }
}

/// `run` is the part whose times are compared; `orders` what is said of the rest. The caveats come later, with the warnings.
pub(super) fn headline(
    run: &RunData,
    rows: Option<&RowTotals>,
    speedups: &[SpeedupRow],
    averages: &[AverageRow],
    orders: Option<String>,
) -> Headline {
    let repairs = repair_counts(run, paste_trials(run), rows);
    let alike = Comparable::of(run);
    let speedups: Vec<SpeedupRow> = speedups.iter().filter(|row| alike.has(&row.configuration)).cloned().collect();
    let averages: Vec<AverageRow> = averages.iter().filter(|row| alike.has(&row.configuration)).cloned().collect();
    let faster: HashSet<&str> = speedups.iter().filter(|row| row.gained()).map(|row| row.subject.as_str()).collect();
    let gained = |subject: &&String| faster.contains(subject.as_str());
    Headline {
        speed: (orders.is_none() || !speedups.is_empty()).then(|| so_far(run, speed(run, &speedups, &averages))),
        repair: repair(run, repairs),
        breaks: breaks(run, chosen(&averages).map(|row| row.cores)),
        orders,
        caveats: Vec::new(),
        subjects: run.manifest.subjects.len(),
        gained: run.manifest.subjects.iter().filter(gained).count(),
        comparisons: ComparisonCounts::of(&speedups),
        best: best(&speedups),
        provoked: repairs.provoked,
        repaired: repairs.repaired,
        remaining: repairs.remaining,
        trials_with_lost_tests: repairs.lost.trials,
        most_lost_tests: repairs.lost.tests,
        also_in_baseline: repairs.also_in_baseline,
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
            let is_rerun_alike = !each.technique.reruns() || each.harness.rerun_engine == kept;
            each.harness.engine == kept && (is_rerun_alike || !has_rerun(&each.name, &run.trials))
        };
        let overlapped = |name: &str| {
            let is_of_it = |trial: &&TrialRecord| trial.phase == Phase::Measured && trial.configuration == name;
            run.trials.iter().filter(is_of_it).any(|trial| trial.concurrency.max > 1)
        };
        let others = || manifest.configurations.iter().filter(|each| each.name != manifest.baseline);
        let alike: HashSet<&str> = others().filter(same).map(|each| each.name.as_str()).collect();
        // What had no effect is nothing to speak of, if something else had one.
        let is_idle = !alike.iter().any(|name| overlapped(name)) && others().any(|each| overlapped(&each.name));
        if alike.is_empty() || is_idle {
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
    let shown = speedups.iter().filter(|row| row.gained()).filter_map(|row| Some((row, row.speedup?)));
    let (row, speedup) = shown.rev().max_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(Best {
        subject: row.subject.clone(),
        configuration: row.configuration.clone(),
        cores: row.cores,
        speedup,
        ci_low: row.ci_low,
        ci_high: row.ci_high,
        ci_method: row.ci_method,
        pairs: row.pairs,
        text: row.text(),
        low_text: row.ci_low.map(|low| row.with_decimals(low)),
        high_text: row.ci_high.map(|high| row.with_decimals(high)),
        evidence: row.evidence(),
    })
}

/// What an unfinished run shows may change.
fn so_far(run: &RunData, sentence: String) -> String {
    let done = run.trials.iter().filter(|trial| trial.phase == Phase::Measured).count();
    if done == 0 || missing_trials(run) == 0 {
        return sentence;
    }
    format!("The run is unfinished ({done} of {} trials). So far: {sentence}", run.manifest.trials.len())
}

fn speed(run: &RunData, speedups: &[SpeedupRow], averages: &[AverageRow]) -> String {
    if !run.trials.iter().any(|trial| trial.phase == Phase::Measured) {
        return "Nothing has been measured yet.".to_owned();
    }
    if let Some(row) = chosen(averages) {
        return average_speed(run, row, speedups);
    }
    let compared: Vec<&SpeedupRow> =
        speedups.iter().filter(|row| row.judgement != SpeedJudgement::NotCompared).collect();
    let overlapping: Vec<&SpeedupRow> =
        compared.iter().copied().filter(|row| row.judgement != SpeedJudgement::NoConcurrency).collect();
    if let ([row], 1) = (overlapping.as_slice(), run.manifest.subjects.len()) {
        return only_comparison(run, row);
    }
    match compared.as_slice() {
        [] => format!("No sound speedup could be measured on {}.", plural(run.manifest.subjects.len(), "subject")),
        [row] => only_comparison(run, row),
        _ => nothing_gained(run, &compared),
    }
}

/// A configuration that is called `project` reads like the whole project.
fn named(configuration: &str) -> String {
    if configuration == "project" { "the mode `project`".to_owned() } else { shown(configuration) }
}

/// At the beginning of a sentence; names stay as they are.
fn capitalised(name: &str) -> String {
    name.strip_prefix("the mode").map_or_else(|| name.to_owned(), |rest| format!("The mode{rest}"))
}

/// One comparison that does not show the configuration to be faster.
fn only_comparison(run: &RunData, row: &SpeedupRow) -> String {
    let (name, baseline) = (named(&row.configuration), shown(&run.manifest.baseline));
    let place = place(run, row);
    let speedup = row.with_decimals(row.speedup.unwrap_or(1.0));
    match row.judgement {
        SpeedJudgement::Slower => {
            format!("{} is slower than {baseline}{place} ({speedup}×, {}).", capitalised(&name), row.evidence())
        }
        SpeedJudgement::NotEnoughRuns => {
            format!("Not enough runs to tell whether {name} saves time over {baseline}{place} ({}).", row.lacking())
        }
        SpeedJudgement::NoConcurrency => {
            let why = row.idleness.as_deref().unwrap_or_default();
            format!("No statement about the speed of {name}{place} is possible: {}.", shown(why))
        }
        SpeedJudgement::Faster | SpeedJudgement::NoDifferenceShown | SpeedJudgement::NotCompared => {
            format!("No difference shown between {name} and {baseline}{place} ({speedup}×, {}).", row.evidence())
        }
    }
}

/// Several comparisons, none of which shows a configuration to be faster.
fn nothing_gained(run: &RunData, compared: &[&SpeedupRow]) -> String {
    let baseline = shown(&run.manifest.baseline);
    let rows: Vec<SpeedupRow> = compared.iter().map(|row| (*row).clone()).collect();
    let counts = ComparisonCounts::of(&rows);
    let most = rows.iter().map(|row| row.pairs).max().unwrap_or(0);
    if counts.not_enough_runs == counts.all() {
        return format!(
            "Not enough runs to tell whether any configuration saves time over {baseline} (at most {} in {}; \
             {FEWEST_PAIRS_WORD} are needed).",
            plural(most, "pair"),
            plural(counts.all(), "comparison")
        );
    }
    let subjects = plural(run.manifest.subjects.len(), "subject");
    format!("The data do not show that any configuration saves time over {baseline} on {subjects}: {}.", counts.told())
}

/// ` on commons-io (2 cores)`, as far as a run has several of them.
fn place(run: &RunData, row: &SpeedupRow) -> String {
    let subject = (run.manifest.subjects.len() > 1).then(|| format!(" on {}", shown(&row.subject)));
    let cores = (run.manifest.cores.len() > 1).then(|| format!(" on {}", plural(row.cores, "core")));
    [subject, cores].into_iter().flatten().collect()
}

/// The configuration that the headline names, on its number of cores.
fn chosen(averages: &[AverageRow]) -> Option<&AverageRow> {
    let all = averages.iter().filter(|row| row.scope == Scope::All && row.gained > 0);
    // Of equals, the first: `max_by` takes the last.
    all.rev().max_by(|a, b| overall_gain(a).total_cmp(&overall_gain(b)))
}

/// What the configuration to name is chosen by: the geometric mean over all subjects of the run, where one without an answer
/// counts as no gain. Otherwise a configuration that fails on most subjects could be named for the few others. As a logarithm,
/// without the division by the number of subjects, which is the same for all.
fn overall_gain(row: &AverageRow) -> f64 {
    row.geometric_mean.map_or(0.0, f64::ln) * row.subjects as f64
}

/// The average over all compared subjects, and on how many of them the configuration is what.
fn average_speed(run: &RunData, row: &AverageRow, speedups: &[SpeedupRow]) -> String {
    let here = speedups.iter().filter(|s| s.configuration == row.configuration && s.cores == row.cores);
    let here: Vec<&SpeedupRow> = here.filter(|s| s.judgement.is_answer()).collect();
    let (name, baseline) = (named(&row.configuration), shown(&run.manifest.baseline));
    let cores = plural(row.cores, "core");
    let of = run.manifest.subjects.len();
    let mean = row.geometric_mean.unwrap_or(1.0);
    if let [only] = here.as_slice() {
        let speedup = only.with_decimals(only.speedup.unwrap_or(mean));
        return only_answer(&format!("{} is {speedup}× faster than {baseline}", capitalised(&name)), only, of);
    }
    let count = |judgement| here.iter().filter(|row| row.judgement == judgement).count();
    let mut parts = vec![format!("faster on {}", count(SpeedJudgement::Faster))];
    for (judgement, words) in
        [(SpeedJudgement::Slower, "slower on"), (SpeedJudgement::NoDifferenceShown, "no difference shown on")]
    {
        if count(judgement) > 0 {
            parts.push(format!("{words} {}", count(judgement)));
        }
    }
    let unanswered = of.saturating_sub(here.len());
    if unanswered > 0 {
        parts.push(format!("no answer on {unanswered}"));
    }
    let over = if unanswered == 0 {
        format!("all {}", plural(of, "subject"))
    } else {
        format!("the {} of {} with an answer", here.len(), plural(of, "subject"))
    };
    let decimals = decimals_beside_one(&[mean]);
    let fewest = here.iter().map(|row| row.pairs).min().unwrap_or(0);
    format!(
        "On average, {name} has a speedup of {mean:.decimals$}× over {baseline} (geometric mean over {over}; {cores}, at least {} \
         each): {}.",
        plural(fewest, "pair"),
        parts.join(", ")
    )
}

/// A configuration that has an answer on one subject: there is nothing to average.
fn only_answer(told: &str, row: &SpeedupRow, subjects: usize) -> String {
    let evidence = format!("{}, {}", plural(row.cores, "core"), row.evidence());
    if subjects == 1 {
        return format!("{told} ({evidence}).");
    }
    format!(
        "{told} on {}, the only one of {} with an answer ({evidence}).",
        shown(&row.subject),
        plural(subjects, "subject")
    )
}

fn paste_trials(run: &RunData) -> impl Iterator<Item = &TrialRecord> {
    run.trials.iter().filter(move |trial| {
        let technique = run.manifest.configurations.iter().find(|c| c.name == trial.configuration).map(|c| c.technique);
        trial.phase == Phase::Measured
            && trial.cores > 1
            && technique == Some(TechniqueKind::Paste)
            && super::grid::ran_to_its_end(trial)
    })
}

fn repair(run: &RunData, counts: RepairCounts) -> Option<String> {
    paste_trials(run).next()?;
    Some(repair_sentence(counts, &shown(&run.manifest.baseline), run.manifest.screening > 0))
}

/// Configurations, each with the subjects in which not every trial was clean (of those that repair failures: in which tests
/// never ran), on the cores that the headline speaks of, or on each number of them.
fn breaks(run: &RunData, cores: Option<usize>) -> Option<String> {
    let mut broken: BTreeMap<(&str, usize), BTreeSet<&str>> = BTreeMap::new();
    let alike = Comparable::of(run);
    let here = |trial: &&TrialRecord| trial.phase == Phase::Measured && cores.is_none_or(|cores| cores == trial.cores);
    for trial in run.trials.iter().filter(here) {
        let is_it =
            |each: &&ConfigurationSummary| each.name == trial.configuration && each.name != run.manifest.baseline;
        let is_broken = match run.manifest.configurations.iter().find(is_it).map(|each| each.technique) {
            Some(TechniqueKind::Parallel) => {
                matches!(trial.verdict, Verdict::Failing | Verdict::Crashed | Verdict::LostTests)
            }
            Some(technique) if technique.reruns() => {
                trial.verdict == Verdict::LostTests && alike.has(&trial.configuration)
            }
            _ => false,
        };
        if is_broken {
            broken.entry((&trial.configuration, trial.cores)).or_default().insert(&trial.subject);
        }
    }
    let told: Vec<String> = broken
        .iter()
        .map(|((name, cores), subjects)| {
            let on =
                if run.manifest.cores.len() > 1 { format!(" ({})", plural(*cores, "core")) } else { String::new() };
            format!("`{}` on {}{on}", shown(name), plural(subjects.len(), "subject"))
        })
        .collect();
    (!told.is_empty()).then(|| format!("Tests fail or never run in {}: no speedup is claimed there.", told.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::EngineKind;
    use crate::report::Analysis;
    use crate::report::sample::{self, MeasuredPair};

    fn pairs(baseline: f64, candidate: f64) -> Vec<MeasuredPair> {
        let pair = |i: u32| MeasuredPair {
            baseline: baseline + f64::from(i % 3) / 100.0,
            candidate: candidate + f64::from(i % 2) / 100.0,
            overlaps: true,
            verdict: Verdict::Clean,
        };
        (0..6).map(pair).collect()
    }

    #[test]
    fn the_average_is_over_all_compared_subjects_and_not_over_the_winners() {
        let run = sample::measured(&[pairs(20.0, 10.0), pairs(10.0, 20.0), pairs(20.0, 10.0)]);
        let speed = Analysis::of(&run).headline.speed.unwrap();
        assert!(
            speed.starts_with(
                "On average, classes has a speedup of 1.26× over sequential (geometric mean over all 3 subjects;"
            ),
            "{speed}"
        );
        assert!(speed.ends_with("): faster on 2, slower on 1."), "{speed}");
    }

    #[test]
    fn broken_subjects_are_those_on_the_cores_that_are_spoken_of() {
        let broken = |cores: &[usize]| {
            let mut run = sample::two_core_counts();
            let hit = |t: &&mut TrialRecord| t.configuration == "plain" && cores.contains(&t.cores);
            run.trials.iter_mut().filter(hit).for_each(|trial| trial.verdict = Verdict::Failing);
            Analysis::of(&run).headline.breaks
        };
        assert_eq!(broken(&[1]), None, "the headline speaks of two cores");
        let told = "Tests fail or never run in `plain` on 1 subject (2 cores): no speedup is claimed there.";
        assert_eq!(broken(&[1, 2]).as_deref(), Some(told));
    }

    #[test]
    fn configurations_with_repairs_that_lose_tests_are_named() {
        let told = sample::studied().headline.breaks.clone().unwrap();
        assert!(told.starts_with("Tests fail or never run in `methods` on 1 subject, `plain` on "), "{told}");
    }

    #[test]
    fn a_configuration_is_chosen_by_its_average_over_all_subjects() {
        let mut run = sample::measured(&[pairs(20.0, 10.0), pairs(20.0, 10.0), pairs(10.0, 30.0)]);
        // `plain` is faster on one subject only, and slower nowhere.
        let mut plain = run.manifest.configurations[1].clone();
        plain.name = "plain".to_owned();
        run.manifest.configurations.push(plain);
        let is_copied = |trial: &&TrialRecord| trial.configuration == "classes" && trial.subject == "subject-1";
        let copies: Vec<TrialRecord> = run.trials.iter().filter(is_copied).cloned().collect();
        for copy in copies {
            let trial = format!("plain-{}", copy.trial);
            run.trials.push(TrialRecord { trial, configuration: "plain".to_owned(), ..copy });
        }
        let speed = Analysis::of(&run).headline.speed.unwrap();
        let told = "plain is 2.00× faster than sequential on subject-1, the only one of 3 subjects with an answer (2 cores, 95 %";
        assert!(speed.starts_with(told), "{speed}");
    }

    #[test]
    fn a_small_speedup_is_not_shown_as_none() {
        let mut small = pairs(20.0, 10.0);
        for (i, pair) in (0..).zip(&mut small) {
            (pair.baseline, pair.candidate) = (20.004 + f64::from(i % 3) / 1e4, 20.0);
        }
        let speed = Analysis::of(&sample::measured(&[small])).headline.speed.unwrap();
        assert!(
            speed.starts_with("classes is 1.0002× faster than sequential (2 cores, 95 % CI 1.0002–1.000"),
            "{speed}"
        );
    }

    #[test]
    fn an_unfinished_run_says_so_first() {
        let mut run = sample::measured(&[pairs(20.0, 10.0)]);
        run.trials.pop();
        let analysis = Analysis::of(&run);
        let speed = analysis.headline.speed.unwrap();
        assert!(speed.starts_with("The run is unfinished (11 of 12 trials). So far: classes is "), "{speed}");
        assert!(analysis.headline.caveats.iter().any(|caveat| caveat.contains("planned trials have not run yet")));
    }

    #[test]
    fn another_harness_is_not_what_the_headline_speaks_of() {
        let mut run = sample::study();
        let before = Analysis::of(&run).headline;
        // The same trials again, as if their reruns had been twice as fast on another engine.
        let methods = run.manifest.configurations.iter().find(|each| each.name == "methods").cloned();
        let mut fast = methods.expect("the sample has it");
        fast.name = "methods-fast".to_owned();
        fast.harness.rerun_engine = EngineKind::Direct;
        run.manifest.configurations.push(fast);
        let mut again: Vec<TrialRecord> = run.trials.iter().filter(|t| t.configuration == "methods").cloned().collect();
        for trial in &mut again {
            trial.configuration = "methods-fast".to_owned();
            trial.trial = format!("fast-{}", trial.trial);
            trial.cost.wall_seconds /= 2.0;
        }
        run.trials.extend(again);
        let analysis = Analysis::of(&run);
        let Headline { speed, best, comparisons, gained, .. } = analysis.headline.clone();
        assert_eq!((speed, best, comparisons, gained), (before.speed, before.best, before.comparisons, before.gained));
        assert!(analysis.headline.provoked > before.provoked, "failures are failures, whatever reran them");
        assert!(analysis.averages.iter().any(|row| row.configuration == "methods-fast"), "it has rows of its own");
        assert!(analysis.failures.iter().any(|row| row.configuration == "methods-fast"));
    }
}
