//! The model's input from the records of a run, and what it says beside what was measured.
//!
//! Other work on the machine makes runs longer. The model is made from runs without it, where there are any. What it is held
//! against is the mean of all runs, which the rest of the answer tells, too.

use super::agenda;
use super::evidence::{self, Evidence, Measured};
use super::forecast::{Check, MeanTime, Model, Observed, PredictionBasis, Suite};
use super::parallel_mode::{ParallelMode, SEQUENTIAL};
use super::survey;
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

/// Predictions from the single core alone, beside what was measured. On all cores that is the time that the rest of the answer
/// tells. A mode in which tests failed is none to judge the model by.
pub fn checks(trials: &[TrialRecord], model: &Model, measured: &Measured, cores: usize) -> Vec<Check> {
    let basis = Runs::on_one_core(trials).basis();
    let is_clean = |evidence: &&Evidence| {
        evidence.way != ParallelMode::Project && evidence.overlapped && evidence.failing_runs == 0
    };
    let ways: Vec<&Evidence> = measured.ways.iter().filter(is_clean).collect();
    let mut checks = Vec::new();
    for count in agenda::core_counts(cores).into_iter().filter(|count| *count > 1) {
        let time =
            |name: &str, on_all: Option<MeanTime>| if count == cores { on_all } else { mean_time(trials, name, count) };
        let sequential = time(SEQUENTIAL, measured.sequential_time());
        checks.extend(sequential.map(|time| Check::of(SEQUENTIAL, count, model.sequential(count), time, basis)));
        for evidence in &ways {
            let (way, name) = (evidence.way, evidence.way.name());
            let predicted = model.seconds(way, count);
            checks.extend(time(name, evidence.time()).map(|time| Check::of(name, count, predicted, time, basis)));
        }
    }
    checks
}

/// Of all whole runs, as long as nothing failed in any of them.
fn mean_time(trials: &[TrialRecord], configuration: &str, cores: usize) -> Option<MeanTime> {
    let runs: Vec<&TrialRecord> =
        of_cell(trials, configuration, cores).filter(|trial| evidence::is_whole(trial)).collect();
    let seconds = runs.iter().map(|trial| first_stage(trial)).collect::<Option<Vec<f64>>>()?;
    Some(MeanTime {
        seconds: stats::mean(&seconds)?,
        runs: runs.len(),
        disturbed_runs: runs.iter().filter(|trial| trial.is_disturbed()).count(),
    })
}

/// What every whole run of a configuration took at first, failures and all, by its number of cores.
pub fn measured_on(trials: &[TrialRecord], configuration: &str) -> Vec<(usize, f64)> {
    let of_it = |trial: &&TrialRecord| trial.phase == Phase::Measured && trial.configuration == configuration;
    let whole = trials.iter().filter(of_it).filter(|trial| evidence::is_whole(trial));
    let seconds = |trial: &TrialRecord| trial.stages.first().map_or(&trial.cost, |stage| &stage.cost).wall_seconds;
    whole.map(|trial| (trial.cores, seconds(trial))).collect()
}

/// Those of the runs of one kind that count.
struct Runs<'a> {
    chosen: Vec<&'a TrialRecord>,
    /// How many there are with those that do not.
    all: usize,
    are_disturbed: bool,
}

impl<'a> Runs<'a> {
    /// What every prediction is made of.
    fn on_one_core(trials: &'a [TrialRecord]) -> Self {
        Runs::of(of_cell(trials, SEQUENTIAL, 1).filter(|trial| evidence::is_whole(trial)))
    }

    fn of(trials: impl Iterator<Item = &'a TrialRecord>) -> Self {
        let (disturbed, quiet): (Vec<_>, Vec<_>) = trials.partition(|trial| trial.is_disturbed());
        let (all, are_disturbed) = (disturbed.len() + quiet.len(), quiet.is_empty());
        Runs { chosen: if are_disturbed { disturbed } else { quiet }, all, are_disturbed }
    }

    fn basis(&self) -> PredictionBasis {
        PredictionBasis { runs: self.chosen.len(), made: self.all, is_disturbed: self.are_disturbed }
    }
}

fn of_cell<'a>(
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
    use crate::assess::costs::Use;
    use crate::assess::evidence::tests::{evidence, speedup_of};
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

    /// What was measured on two cores: sequential runs of these, and a mode.
    fn measured_with(trials: &[TrialRecord], ways: Vec<Evidence>) -> Measured {
        let of = of_cell(trials, SEQUENTIAL, 2).collect::<Vec<_>>();
        let wall_seconds = of.iter().map(|trial| trial.cost.wall_seconds).sum::<f64>() / of.len() as f64;
        Measured {
            baseline: Some(Use { wall_seconds, cpu_seconds: wall_seconds }),
            baseline_runs: of.len(),
            disturbed_baseline_runs: of.iter().filter(|trial| trial.is_disturbed()).count(),
            ways,
            ..Measured::default()
        }
    }

    #[test]
    fn the_model_is_held_against_the_times_that_the_answer_tells() {
        let trials = [
            run(SEQUENTIAL, 1, 10.0, 0.0),
            run(SEQUENTIAL, 1, 30.0, 0.9),
            run(SEQUENTIAL, 2, 8.0, 0.0),
            run(SEQUENTIAL, 2, 20.0, 0.9),
            run("classes", 2, 5.0, 0.9),
            run("classes", 2, 7.0, 0.0),
        ];
        let told = speedup_of(&[(8.0, 5.0), (20.0, 7.0)]).unwrap();
        let classes = Evidence { disturbed_runs: 1, ..evidence(ParallelMode::Classes, told) };
        let checks = checks(&trials, &model(), &measured_with(&trials, vec![classes]), 2);
        let told: Vec<_> = checks
            .iter()
            .map(|check| (check.way.as_str(), check.measured_seconds, check.runs, check.disturbed_runs))
            .collect();
        assert_eq!(told, [(SEQUENTIAL, 14.0, 2, 1), ("classes", 6.0, 2, 1)]);
        assert!(checks.iter().all(|check| check.disturbed), "{checks:?}");
        assert!(checks.iter().all(|check| (check.single_core_runs, check.single_core_runs_made) == (1, 2)));
    }

    #[test]
    fn a_busy_single_core_makes_every_check_doubtful() {
        let trials = [run(SEQUENTIAL, 1, 10.0, 0.5), run(SEQUENTIAL, 2, 8.0, 0.0)];
        let found = checks(&trials, &model(), &measured_with(&trials, Vec::new()), 2);
        assert!(found.len() == 1 && found[0].disturbed && found[0].disturbed_runs == 0, "{found:?}");
    }

    #[test]
    fn runs_with_failures_are_no_measure() {
        let trials = [run(SEQUENTIAL, 1, 10.0, 0.0), run(SEQUENTIAL, 2, 10.0, 0.0)];
        let failing =
            Evidence { failing_runs: 1, ..evidence(ParallelMode::Classes, speedup_of(&[(8.0, 5.0)]).unwrap()) };
        let found = checks(&trials, &model(), &measured_with(&trials, vec![failing]), 2);
        assert!(found.iter().all(|check| check.way == SEQUENTIAL), "{found:?}");
        let mut on_two = run("classes", 2, 5.0, 0.0);
        on_two.stages[0].failures_after = 1;
        assert_eq!(mean_time(&[on_two], "classes", 2), None);
    }
}
