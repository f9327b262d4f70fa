//! Time outside of tests. What a trial takes before its first test starts and after its last one ends is the start and the end of
//! Maven and of the test process. A parallel mode does not change that, so a gain must not come from there: a subject that
//! recognises the baseline can be slow in it outside of its tests, by a shutdown hook for example.
//!
//! Only trials are compared that start as many processes: clean ones of a single stage, on the same engine, with the same forks,
//! one module after the other. A rerun starts Maven again, and more forks or modules at once move work out of the tests' time.

use super::grid::{CellKey, Grid};
use super::warnings::{Warning, WarningKind};
use crate::engine::{Mode, Parallelism};
use crate::stats;
use crate::store::record::{StageRecord, TrialRecord, Verdict};

/// Less than this, in seconds, is noise.
const NOTICEABLE: f64 = 1.0;
/// Less than this part of what the candidate saves does not make the speedup, and less than this part of what the candidate
/// itself takes outside of its tests is noise too.
const PART: f64 = 0.2;

/// A trial of the baseline and one of the candidate, in the same block; in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
struct OutsidePair {
    baseline: f64,
    candidate: f64,
    /// Of the whole trial.
    saved: f64,
}

impl OutsidePair {
    fn of(baseline: &TrialRecord, candidate: &TrialRecord) -> Option<Self> {
        let stages = (single_stage(baseline)?, single_stage(candidate)?);
        let outside = |stage: &StageRecord| stage.cost.wall_seconds - stage.test_seconds;
        (baseline.engine == candidate.engine && processes_alike(stages.0, stages.1, baseline.cores)).then(|| {
            OutsidePair {
                baseline: outside(stages.0),
                candidate: outside(stages.1),
                saved: stages.0.cost.wall_seconds - stages.1.cost.wall_seconds,
            }
        })
    }
}

/// The stage of a clean trial that has one.
fn single_stage(trial: &TrialRecord) -> Option<&StageRecord> {
    match trial.stages.as_slice() {
        [stage] if trial.verdict == Verdict::Clean => Some(stage),
        _ => None,
    }
}

/// Do both run their tests in as many processes?
fn processes_alike(one: &StageRecord, other: &StageRecord, cores: usize) -> bool {
    let (one, other) = (one.parallelism, other.parallelism);
    let forks = |asked: Parallelism| if asked.mode == Mode::Sequential { 1 } else { asked.forks.on(cores) };
    // How many processes a project starts by itself is not on record.
    ![one.mode, other.mode].contains(&Mode::Project)
        && forks(one) == forks(other)
        && one.reuse_forks == other.reuse_forks
        && one.modules_on(cores) == 1
        && other.modules_on(cores) == 1
}

pub(super) fn slow_outside_tests(grid: &Grid) -> Vec<Warning> {
    let baseline = &grid.run.manifest.baseline;
    let mut warnings = Vec::new();
    for (key, configuration) in grid.keys(|_| true) {
        if configuration.name == *baseline {
            continue;
        }
        let pairs = pairs(grid.trials(CellKey { configuration: baseline, ..key }), grid.trials(key));
        if let Some(gain) = gain_outside(&pairs) {
            let text = format!(
                "a trial takes {:.1} s outside of its tests in the baseline and {:.1} s here, and {:.1} s are saved in all: \
                 a part of this gain does not come from the tests. A suite that recognises the baseline can be slow in it on \
                 purpose; do not believe this speedup before you know what takes the time (a slow fixture of the first or \
                 last class can be the reason)",
                gain.baseline, gain.candidate, gain.saved
            );
            warnings.push(Warning::of_cell(WarningKind::SlowOutsideTests, key, text));
        }
    }
    warnings
}

/// Trials of the same block belong together.
fn pairs(baseline: &[&TrialRecord], candidate: &[&TrialRecord]) -> Vec<OutsidePair> {
    let mut pairs = Vec::new();
    for trial in candidate {
        let partner = baseline.iter().find(|other| other.repetition == trial.repetition);
        pairs.extend(partner.and_then(|partner| OutsidePair::of(partner, trial)));
    }
    pairs
}

/// The typical pair, if its gain comes from outside of the tests.
fn gain_outside(pairs: &[OutsidePair]) -> Option<OutsidePair> {
    let median = |part: fn(&OutsidePair) -> f64| stats::median(&pairs.iter().map(part).collect::<Vec<f64>>());
    let less = median(|pair| pair.baseline - pair.candidate)?;
    let saved = median(|pair| pair.saved)?;
    let typical =
        OutsidePair { baseline: median(|pair| pair.baseline)?, candidate: median(|pair| pair.candidate)?, saved };
    let least = NOTICEABLE.max(PART * saved).max(PART * typical.candidate);
    (saved > 0.0 && less > least).then_some(typical)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Forks;
    use crate::report::sample;
    use crate::store::record::RunData;

    fn pair(baseline: f64, candidate: f64, saved: f64) -> OutsidePair {
        OutsidePair { baseline, candidate, saved }
    }

    #[test]
    fn a_gain_from_outside_of_the_tests_is_suspected() {
        assert!(gain_outside(&[pair(8.1, 2.0, 6.3), pair(8.0, 2.1, 6.0), pair(2.0, 2.0, 0.1)]).is_some());
        assert!(gain_outside(&[pair(4.0, 2.5, 6.0)]).is_some());
    }

    #[test]
    fn gains_within_the_tests_are_not() {
        // Starts that vary.
        assert_eq!(gain_outside(&[pair(2.9, 2.0, 1.5)]), None);
        // Builds with a long way to their tests.
        assert_eq!(gain_outside(&[pair(43.0, 40.0, 8.0)]), None);
        // A little of what is saved.
        assert_eq!(gain_outside(&[pair(4.0, 2.5, 60.0)]), None);
        // Nothing is saved.
        assert_eq!(gain_outside(&[pair(6.0, 2.0, -1.0)]), None);
        // Once among many.
        assert_eq!(gain_outside(&[pair(2.0, 2.0, 5.0), pair(9.0, 2.0, 12.0), pair(2.1, 2.0, 5.0)]), None);
        assert_eq!(gain_outside(&[]), None);
    }

    /// A suite whose baseline is slow after its last test, and whose other trials are changed.
    fn hooked(change: impl Fn(&mut TrialRecord)) -> RunData {
        let mut run = sample::two_core_counts();
        for trial in &mut run.trials {
            let outside = if trial.configuration == "sequential" { 20.0 } else { 2.0 };
            trial.stages.iter_mut().for_each(|stage| {
                stage.test_seconds = stage.cost.wall_seconds - outside;
                stage.parallelism.forks = Forks::Count(1);
            });
            if trial.configuration != "sequential" {
                change(trial);
            }
        }
        run
    }

    fn warned(run: &RunData) -> Vec<Option<usize>> {
        let warnings = slow_outside_tests(&Grid::of(run));
        assert!(warnings.iter().all(|warning| warning.kind == WarningKind::SlowOutsideTests));
        warnings
            .into_iter()
            .filter(|warning| warning.configuration.as_deref() == Some("classes"))
            .map(|w| w.cores)
            .collect()
    }

    #[test]
    fn a_baseline_with_a_slow_end_is_told_where_it_gains() {
        let run = hooked(|_| {});
        assert_eq!(warned(&run), [Some(1), Some(2)]);
        let text = &slow_outside_tests(&Grid::of(&run))[0].text;
        assert!(text.contains("20.0 s outside of its tests in the baseline and 2.0 s here"), "{text}");
    }

    #[test]
    fn trials_that_start_other_processes_are_not_compared() {
        let none: [Option<usize>; 0] = [];
        assert_eq!(warned(&hooked(|trial| trial.verdict = Verdict::Failing)), none);
        assert_eq!(warned(&hooked(|trial| trial.stages.extend(trial.stages.clone()))), none);
        assert_eq!(warned(&hooked(|trial| trial.engine = Some(crate::engine::EngineKind::Direct))), none);
        assert_eq!(warned(&hooked(|trial| trial.stages[0].parallelism.reuse_forks = false)), none);
        let fork_per_core = |trial: &mut TrialRecord| trial.stages[0].parallelism.forks = Forks::PerCore(1.0);
        assert_eq!(warned(&hooked(fork_per_core)), [Some(1)], "one process on one core");
        let modules = |trial: &mut TrialRecord| trial.stages[0].parallelism.modules = Some(Forks::Count(2));
        assert_eq!(warned(&hooked(modules)), none);
    }
}
