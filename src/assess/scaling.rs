//! The model's input from the records of a run, and what it says beside what was measured.
//!
//! Other work on the machine makes runs longer, on one core and on two alike or not: such runs count only where there are no others.

use super::agenda;
use super::evidence;
use super::forecast::{Check, Model, Observed, Suite};
use super::survey;
use super::ways::{SEQUENTIAL, Way};
use crate::stats;
use crate::store::RunFolder;
use crate::store::record::{Phase, TrialRecord, Verdict};
use crate::suite::{Execution, JvmWork};

/// More tests than anyone has in one project are not modelled.
const MOST_TESTS: usize = 1_000_000;

/// What sequential runs on a single core showed; nothing where there were none.
pub fn observed(trials: &[TrialRecord], folder: &RunFolder) -> miette::Result<Option<Observed>> {
    let trials = Runs::on_one_core(trials).chosen;
    let mean = |of: fn(&TrialRecord) -> f64| stats::mean(&trials.iter().map(|trial| of(trial)).collect::<Vec<_>>());
    let (Some(first), Some(wall_seconds)) = (trials.first(), mean(|trial| trial.cost.wall_seconds)) else {
        return Ok(None);
    };
    let rows = folder.executions(&first.trial, MOST_TESTS)?.rows;
    let executions: Vec<Execution> = rows.into_iter().map(|row| row.execution).collect();
    // One run's times, scaled to the mean of all.
    let test_seconds = mean(|trial| trial.test_seconds).unwrap_or(first.test_seconds);
    let scale = if first.test_seconds > 0.0 { test_seconds / first.test_seconds } else { 1.0 };
    let tests = survey::times(&executions).into_iter().map(|(test, seconds)| (test, seconds * scale)).collect();
    let suite = Suite::of(tests, test_seconds);
    let cpu_seconds = mean(evidence::cpu).unwrap_or(wall_seconds);
    Ok(Some(Observed { wall_seconds, cpu_seconds, test_seconds, jvm: mean_work(&trials), suite }))
}

/// Predictions from the single core alone, beside what was measured: runs without failures, as those end early.
pub fn checks(trials: &[TrialRecord], model: &Model, ways: &[Way], cores: usize) -> Vec<Check> {
    let mut checks = Vec::new();
    for cores in agenda::core_counts(cores).into_iter().filter(|cores| *cores > 1) {
        checks.extend(check(trials, SEQUENTIAL, cores, model.sequential(cores)));
        checks.extend(ways.iter().filter_map(|way| check(trials, way.name(), cores, model.seconds(*way, cores))));
    }
    checks
}

/// What every whole run of a configuration took at first, failures and all, by its number of cores.
pub fn measured_on(trials: &[TrialRecord], configuration: &str) -> Vec<(usize, f64)> {
    let of_it = |trial: &&TrialRecord| trial.phase == Phase::Measured && trial.configuration == configuration;
    let whole = trials.iter().filter(of_it).filter(|trial| evidence::is_whole(trial));
    let seconds = |trial: &TrialRecord| trial.stages.first().map_or(&trial.cost, |stage| &stage.cost).wall_seconds;
    whole.map(|trial| (trial.cores, seconds(trial))).collect()
}

fn check(trials: &[TrialRecord], configuration: &str, cores: usize, predicted: f64) -> Option<Check> {
    let basis = Runs::on_one_core(trials);
    let runs = Runs::of(measured(trials, configuration, cores).filter(|trial| first_stage(trial).is_some()));
    let seconds = stats::mean(&runs.chosen.iter().filter_map(|trial| first_stage(trial)).collect::<Vec<_>>())?;
    let disturbed = basis.are_disturbed || runs.are_disturbed;
    Some(Check::of(configuration, cores, predicted, seconds, runs.chosen.len(), disturbed))
}

/// Those of the runs of one kind that count.
struct Runs<'a> {
    chosen: Vec<&'a TrialRecord>,
    are_disturbed: bool,
}

impl<'a> Runs<'a> {
    /// What every prediction is made of.
    fn on_one_core(trials: &'a [TrialRecord]) -> Self {
        Runs::of(measured(trials, SEQUENTIAL, 1).filter(|trial| evidence::is_whole(trial)))
    }

    fn of(trials: impl Iterator<Item = &'a TrialRecord>) -> Self {
        let (disturbed, quiet): (Vec<_>, Vec<_>) = trials.partition(|trial| trial.is_disturbed());
        let are_disturbed = quiet.is_empty();
        Runs { chosen: if are_disturbed { disturbed } else { quiet }, are_disturbed }
    }
}

fn measured<'a>(
    trials: &'a [TrialRecord],
    configuration: &'a str,
    cores: usize,
) -> impl Iterator<Item = &'a TrialRecord> {
    trials.iter().filter(move |trial| {
        trial.phase == Phase::Measured && trial.configuration == configuration && trial.cores == cores
    })
}

/// What the run took before any repair, where it needed none.
fn first_stage(trial: &TrialRecord) -> Option<f64> {
    let stage = trial.stages.first().filter(|stage| trial.verdict == Verdict::Clean && stage.failures_after == 0)?;
    Some(stage.cost.wall_seconds)
}

/// What JVMs computed, where they told in every run.
fn mean_work(trials: &[&TrialRecord]) -> Option<JvmWork> {
    let sum = trials.iter().map(|trial| trial.cost.jvm).reduce(|a, b| Some(a? + b?)).flatten()?;
    let share = 1.0 / trials.len() as f64;
    Some(JvmWork {
        beside_startup: sum.beside_startup * share,
        beside_tests: sum.beside_tests * share,
        process_startup: sum.process_startup * share,
        tests: sum.tests * share,
        processes: sum.processes / trials.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Parallelism;
    use crate::store::record::StageRecord;
    use crate::store::record::tests::trial;
    use crate::suite::{Concurrency, Cost, Granularity, RunEnd, Tally};

    fn model() -> Model {
        let suite = Suite::of(Vec::new(), 0.0);
        Model::new(Observed { wall_seconds: 10.0, cpu_seconds: 10.0, test_seconds: 10.0, jvm: None, suite }, 1)
    }

    /// A trial of so many seconds, beside which others kept so many cores busy.
    fn run(configuration: &str, cores: usize, seconds: f64, others: f64) -> TrialRecord {
        let cost = Cost { wall_seconds: seconds, ..Cost::default() };
        let stage = StageRecord {
            stage: 1,
            purpose: String::new(),
            engine: None,
            parallelism: Parallelism::SEQUENTIAL,
            tally: Tally::default(),
            failures_after: 0,
            cost,
            test_seconds: 0.0,
            concurrency: Concurrency::default(),
            granularity: Granularity::Occurrence,
            end: RunEnd::Finished,
        };
        TrialRecord {
            configuration: configuration.to_owned(),
            cores,
            cost,
            stages: vec![stage],
            load_during: Some(others),
            ..trial("t")
        }
    }

    #[test]
    fn runs_beside_other_work_count_only_where_there_are_no_others() {
        let trials = [
            run(SEQUENTIAL, 1, 10.0, 0.0),
            run(SEQUENTIAL, 2, 8.0, 0.0),
            run(SEQUENTIAL, 2, 20.0, 0.9),
            run("classes", 2, 5.0, 0.9),
            run("classes", 2, 7.0, 1.3),
        ];
        let checks = checks(&trials, &model(), &[Way::Forks, Way::Classes], 2);
        let told: Vec<_> = checks
            .iter()
            .map(|check| (check.way.as_str(), check.measured_seconds, check.runs, check.disturbed))
            .collect();
        assert_eq!(told, [(SEQUENTIAL, 8.0, 1, false), ("classes", 6.0, 2, true)]);
        assert!((checks[0].error_percent - 25.0).abs() < 1e-9, "{checks:?}");
    }

    #[test]
    fn a_busy_single_core_makes_every_check_doubtful() {
        let trials = [run(SEQUENTIAL, 1, 10.0, 0.5), run(SEQUENTIAL, 2, 8.0, 0.0)];
        assert!(checks(&trials, &model(), &[], 2).iter().all(|check| check.disturbed));
    }

    #[test]
    fn runs_with_failures_are_no_measure() {
        let mut failing = run("classes", 2, 5.0, 0.0);
        failing.stages[0].failures_after = 1;
        let trials = [run(SEQUENTIAL, 1, 10.0, 0.0), failing];
        assert!(checks(&trials, &model(), &[Way::Classes], 2).is_empty());
    }
}
