//! What runs will take, from what they have taken so far. A machine that other work slows down takes longer for all of them, so
//! the last run counts for more than those before it.

use std::collections::BTreeMap;

use super::parallel_mode::{ParallelMode, SEQUENTIAL};
use super::survey::Survey;
use crate::experiment::Trial;
use crate::store::record::{Phase, TrialRecord};

/// A way that was never run may take so many times what the forecast says.
const CAUTION: f64 = 1.3;

/// Seconds of the runs of one configuration on so many cores, in the order in which they were made.
type Cells<'a> = BTreeMap<(&'a str, usize), Vec<f64>>;

#[derive(Debug)]
pub(super) struct RunTimeEstimates<'a> {
    survey: &'a Survey,
    cores: usize,
    cells: Cells<'a>,
    /// What the last run took, over what the ones before it took; at least 1.
    slowdown: f64,
    last: Option<(&'a str, usize)>,
}

impl<'a> RunTimeEstimates<'a> {
    pub fn of(survey: &'a Survey, cores: usize, finished: &'a [TrialRecord]) -> Self {
        let mut taken = RunTimeEstimates { survey, cores, cells: Cells::new(), slowdown: 1.0, last: None };
        taken.note(SEQUENTIAL, cores, survey.seconds);
        for record in finished.iter().filter(|record| record.cost.wall_seconds > 0.0) {
            let name = if record.phase == Phase::Screening { SEQUENTIAL } else { record.configuration.as_str() };
            taken.note(name, record.cores, record.cost.wall_seconds);
        }
        taken
    }

    fn note(&mut self, configuration: &'a str, cores: usize, seconds: f64) {
        let before = self.mean(configuration, cores);
        self.slowdown = before.map_or(self.slowdown, |before| (seconds / before).max(1.0));
        self.last = Some((configuration, cores));
        self.cells.entry((configuration, cores)).or_default().push(seconds);
    }

    fn mean(&self, configuration: &str, cores: usize) -> Option<f64> {
        let seconds = self.cells.get(&(configuration, cores))?;
        Some(seconds.iter().sum::<f64>() / seconds.len() as f64)
    }

    /// The next run of what has been run before.
    pub fn known(&self, configuration: &str, cores: usize) -> Option<f64> {
        let last = *self.cells.get(&(configuration, cores))?.last()?;
        let mean = self.mean(configuration, cores)?;
        let is_last = self.last == Some((configuration, cores));
        Some(if is_last { mean.max(last) } else { mean * self.slowdown })
    }

    /// One test after the other, on all cores.
    pub fn sequential(&self) -> f64 {
        self.known(SEQUENTIAL, self.cores).unwrap_or(self.survey.seconds)
    }

    /// What has not been run yet takes what the forecast promises and some more, but no longer than one test after the other; on
    /// fewer cores, as long as it computes.
    pub fn next(&self, configuration: &str, cores: usize) -> f64 {
        let slower = self.sequential() / self.survey.seconds.max(1e-9);
        let fewer = || (self.survey.cpu_seconds * slower / cores.max(1) as f64).max(self.sequential());
        let promised = || {
            let promise = ParallelMode::of_name(configuration).and_then(|way| self.survey.promised(way));
            let seconds = promise.map(|seconds| seconds * slower * CAUTION);
            seconds.map_or(self.sequential(), |seconds| seconds.min(self.sequential()))
        };
        let unknown = || if cores < self.cores { fewer() } else { promised() };
        self.known(configuration, cores).unwrap_or_else(unknown)
    }

    pub fn of_trial(&self, trial: &Trial) -> f64 {
        self.next(&trial.configuration, trial.cores)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::record::tests::trial;
    use crate::suite::Cost;

    fn record(configuration: &str, cores: usize, seconds: f64) -> TrialRecord {
        let cost = Cost { wall_seconds: seconds, ..Cost::default() };
        TrialRecord { configuration: configuration.to_owned(), cores, phase: Phase::Measured, cost, ..trial("x") }
    }

    #[test]
    fn a_machine_that_gets_slower_is_expected_to_stay_so() {
        let survey = Survey::example(10.0, 12.0);
        let nothing = RunTimeEstimates::of(&survey, 2, &[]);
        assert_eq!((nothing.sequential(), nothing.next("classes", 2), nothing.next(SEQUENTIAL, 1)), (10.0, 10.0, 12.0));
        let steady = [record(SEQUENTIAL, 2, 10.0), record("classes", 2, 6.0)];
        let steady = RunTimeEstimates::of(&survey, 2, &steady);
        assert_eq!((steady.next("classes", 2), steady.sequential()), (6.0, 10.0));
        let slow = [record("classes", 2, 6.0), record(SEQUENTIAL, 2, 40.0)];
        let slow = RunTimeEstimates::of(&survey, 2, &slow);
        assert_eq!((slow.sequential(), slow.next("classes", 2), slow.next("methods", 2)), (40.0, 24.0, 40.0));
        assert_eq!(slow.next(SEQUENTIAL, 1), 48.0);
    }
}
