//! Baselines that wait. A subject that recognises the baseline can be slow in it on purpose, by waiting: the candidate then
//! seems faster than it is. Waiting costs no CPU time, and honest tests wait as long in every configuration.
//!
//! Only trials count whose test processes told their CPU time. Tests that wait for a processor seem to wait too; that makes
//! the candidate's waiting longer, never the baseline's, so it hides a device rather than raise an alarm.

use std::collections::HashMap;

use super::grid::{CellKey, Grid};
use super::speedups::SpeedupRow;
use super::warnings::{Warning, WarningKind};
use crate::stats;
use crate::store::record::{TrialRecord, Verdict};
use crate::wording::counted;

/// Less waiting than this, in seconds, is noise.
const NOTICEABLE: f64 = 1.0;
/// The baseline's waiting has to exceed the candidate's so many times.
const TIMES: f64 = 2.0;
/// And by this part of all the time that the baseline's tests took.
const PART: f64 = 0.2;
/// Clocks of different processes may differ by this part, and by these seconds.
const CLOCK_PART: f64 = 0.01;
const CLOCK_SECONDS: f64 = 0.05;

/// What the tests of a trial took together, and how long of it they used no processor; in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
struct TestTime {
    all: f64,
    idle: f64,
}

impl TestTime {
    /// Of all stages: a test that fails early in the first one waits in the next. `None` where the CPU time of tests is not on
    /// record for the first stage. Where it is not for a later one, that stage is taken to have waited all the time.
    fn of(trial: &TrialRecord) -> Option<Self> {
        trial.stages.first()?.cost.jvm?;
        let (mut all, mut computed) = (0.0, 0.0);
        for stage in &trial.stages {
            computed += stage.cost.jvm.map_or(0.0, |jvm| jvm.tests);
            all += stage.concurrency.mean * stage.test_seconds;
        }
        Some(TestTime { all, idle: (all - computed).max(0.0) })
    }
}

/// Only where the candidate has a speedup above 1: otherwise there is none to distrust.
pub(super) fn idle_only_in_baseline(grid: &Grid, speedups: &[SpeedupRow]) -> Vec<Warning> {
    let baseline = &grid.run.manifest.baseline;
    let above = speedups.iter().filter(|row| row.speedup.is_some_and(|speedup| speedup > 1.0));
    let above: HashMap<CellKey, bool> = above
        .map(|row| {
            let key = CellKey { subject: &row.subject, configuration: &row.configuration, cores: row.cores };
            (key, row.gained())
        })
        .collect();
    let mut warnings = Vec::new();
    for (key, configuration) in grid.keys(|_| true) {
        let Some(claimed) = above.get(&key).filter(|_| configuration.name != *baseline) else { continue };
        let against = CellKey { configuration: baseline, ..key };
        let base = typical(grid.trials(against));
        if let (Some(base), Some(candidate)) = (base, typical(grid.trials(key)))
            && waits_only_in_baseline(base, candidate)
        {
            let trials = || grid.trials(key).iter().chain(grid.trials(against));
            let disturbed = trials().filter(|trial| trial.is_disturbed()).count();
            let text = told(base, candidate, *claimed, (disturbed, trials().count()));
            warnings.push(Warning::of_cell(WarningKind::IdleOnlyInBaseline, key, text));
        }
    }
    warnings
}

/// A device of the suite is suspected only where a speedup is claimed and nothing else explains the waiting: load comes first.
fn told(base: TestTime, candidate: TestTime, claimed: bool, (disturbed, trials): (usize, usize)) -> String {
    let waits = format!(
        "tests wait {:.1} s without using a processor in the baseline and {:.1} s here, though they are the same tests",
        base.idle, candidate.idle
    );
    match (disturbed, claimed) {
        (1.., _) => format!(
            "other work kept the machine busy in {disturbed} of {trials} trials of the baseline and of this configuration, \
             which is the likely cause of this: {waits}; measure again on an idle machine"
        ),
        (0, true) => format!(
            "{waits}: a suite that recognises the baseline can be slow in it on purpose; do not believe this speedup before \
             you know what they wait for"
        ),
        (0, false) => {
            format!("{waits}: the times are likely too few or too unsteady to tell, and no speedup is claimed")
        }
    }
}

/// Sequential trials that took less time than their own tests did one after the other.
pub(super) fn impossibly_short(grid: &Grid) -> Vec<Warning> {
    let is_short = |trial: &&&TrialRecord| {
        trial.concurrency.max == 1
            && trial.stages.len() == 1
            && trial.test_seconds > trial.cost.wall_seconds * (1.0 + CLOCK_PART) + CLOCK_SECONDS
    };
    let mut warnings = Vec::new();
    for (key, _) in grid.keys(|_| true) {
        let short: Vec<_> = grid.trials(key).iter().filter(is_short).collect();
        let Some(first) = short.first() else { continue };
        let text = format!(
            "impossible: {} of {} took less time than the tests in it, which ran one after the other ({:.3} s, and its tests \
             {:.3} s)",
            short.len(),
            counted(grid.trials(key).len(), "trial", "trials"),
            first.cost.wall_seconds,
            first.test_seconds
        );
        warnings.push(Warning::of_cell(WarningKind::ImpossiblyShort, key, text));
    }
    warnings
}

/// Trials whose records contradict each other.
pub(super) fn contradicted(grid: &Grid) -> Option<Warning> {
    let contradicted = grid.run.trials.iter().filter(|trial| trial.verdict == Verdict::Contradicted).count();
    let text = format!(
        "the records of {} contradict each other, so nothing that they say counts; the trial's `findings` say where",
        counted(contradicted, "trial", "trials")
    );
    (contradicted > 0).then(|| Warning::of_run(WarningKind::Contradicted, text))
}

/// Over clean trials only: no other has a speedup, and tests that never ran wait for nothing.
fn typical(trials: &[&TrialRecord]) -> Option<TestTime> {
    let clean = trials.iter().filter(|trial| trial.verdict == Verdict::Clean);
    let times: Vec<TestTime> = clean.filter_map(|trial| TestTime::of(trial)).collect();
    let median = |part: fn(&TestTime) -> f64| stats::median(&times.iter().map(part).collect::<Vec<f64>>());
    Some(TestTime { all: median(|time| time.all)?, idle: median(|time| time.idle)? })
}

fn waits_only_in_baseline(baseline: TestTime, candidate: TestTime) -> bool {
    let more = baseline.idle - candidate.idle;
    more > NOTICEABLE && more > PART * baseline.all && baseline.idle > TIMES * candidate.idle
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Analysis, sample};
    use crate::suite::JvmWork;

    fn time(all: f64, idle: f64) -> TestTime {
        TestTime { all, idle }
    }

    #[test]
    fn a_baseline_that_waits_alone_is_suspected() {
        assert!(waits_only_in_baseline(time(20.0, 18.0), time(2.5, 0.5)));
        assert!(waits_only_in_baseline(time(20.0, 6.0), time(15.0, 1.0)));
    }

    /// `data-race` with tests of four seconds that compute nothing: all of them in the baseline's only stage, and in `classes`
    /// two seconds in each of two stages, or in the first one only.
    fn waiting(candidate: [f64; 2], speedup: f64) -> Vec<String> {
        waiting_in(5, candidate, speedup)
    }

    fn waiting_in(repetitions: u32, candidate: [f64; 2], speedup: f64) -> Vec<String> {
        let mut run = sample::study();
        run.trials.retain(|trial| trial.repetition <= repetitions);
        for trial in run.trials.iter_mut().filter(|trial| trial.subject == "data-race") {
            let is_baseline = trial.configuration == "sequential";
            trial.cost.wall_seconds = if is_baseline { 10.0 * speedup } else { 10.0 };
            let seconds = if is_baseline { [4.0, 0.0] } else { candidate };
            for (stage, seconds) in trial.stages.iter_mut().zip(seconds) {
                stage.cost.jvm = Some(JvmWork::default());
                stage.concurrency.mean = 1.0;
                stage.test_seconds = seconds;
            }
        }
        let warnings = Analysis::of(&run).warnings;
        let ours =
            |w: &&Warning| w.kind == WarningKind::IdleOnlyInBaseline && w.configuration.as_deref() == Some("classes");
        warnings.iter().filter(ours).map(|warning| warning.text.clone()).collect()
    }

    #[test]
    fn a_test_that_fails_early_and_waits_in_the_next_stage_is_not_suspected() {
        assert_eq!(waiting([2.0, 2.0], 1.5), Vec::<String>::new());
        let found = waiting([1.0, 0.5], 1.5);
        assert!(found.len() == 1 && found[0].contains("4.0 s") && found[0].contains("1.5 s here"), "{found:?}");
    }

    #[test]
    fn there_is_no_speedup_to_distrust_where_the_candidate_is_slower() {
        assert_eq!(waiting([1.0, 0.5], 0.8), Vec::<String>::new());
    }

    #[test]
    fn a_busy_machine_is_named_before_the_suite() {
        let told = |claimed, disturbed| told(time(4.0, 4.0), time(2.0, 1.0), claimed, (disturbed, 10));
        let suspects = |text: &str| text.contains("on purpose");
        assert!(suspects(&told(true, 0)));
        assert!(!suspects(&told(false, 0)), "nothing is claimed");
        let busy = told(true, 3);
        assert!(busy.starts_with("other work kept the machine busy in 3 of 10 trials") && !suspects(&busy), "{busy}");
    }

    #[test]
    fn of_fewer_than_five_pairs_nobody_is_accused() {
        let few = waiting_in(4, [1.0, 0.5], 1.5);
        assert!(few.len() == 1 && few[0].contains("no speedup is claimed"), "{few:?}");
        assert_eq!(waiting_in(5, [1.0, 0.5], 1.5).len(), 1);
    }

    #[test]
    fn a_trial_shorter_than_its_sequential_tests_is_impossible() {
        let mut run = sample::study();
        let base = |t: &&mut TrialRecord| t.subject == "clean-gain" && t.configuration == "sequential";
        for trial in run.trials.iter_mut().filter(base) {
            trial.concurrency.max = 1;
        }
        let found = |run: &_| {
            let warnings = Analysis::of(run).warnings;
            warnings.into_iter().filter(|w| w.kind == WarningKind::ImpossiblyShort).map(|w| w.text).collect::<Vec<_>>()
        };
        assert_eq!(found(&run), Vec::<String>::new());
        run.trials.iter_mut().find(base).unwrap().test_seconds = 90.0;
        assert!(found(&run)[0].starts_with("impossible: 1 of 5 trials took less time"), "{:?}", found(&run));
    }

    #[test]
    fn tests_that_wait_alike_are_not() {
        // Sleeps take as long in parallel.
        assert!(!waits_only_in_baseline(time(10.0, 9.0), time(10.5, 9.2)));
        // Tests that compete for processors wait longer in parallel.
        assert!(!waits_only_in_baseline(time(10.0, 1.0), time(18.0, 9.0)));
        // More processes compute more when they start, which looks like less waiting.
        assert!(!waits_only_in_baseline(time(10.0, 8.5), time(10.5, 6.0)));
        // Suites that take no time.
        assert!(!waits_only_in_baseline(time(0.9, 0.8), time(0.1, 0.0)));
        // A little of a long suite.
        assert!(!waits_only_in_baseline(time(100.0, 3.0), time(100.0, 1.0)));
    }
}
