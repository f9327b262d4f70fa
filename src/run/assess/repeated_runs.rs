//! What tests that failed in parallel do beside the same tests again: once as it was, for what they fail of, which records do
//! not have; and, if time limits had a part in it, with larger ones.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};

use super::causes::ParallelObservation;
use super::parallel_mode::ParallelMode;
use crate::engine::{Parallelism, Resources, RunRequest, Session};
use crate::store::record::RunData;
use crate::suite::{Outcome, RunEnd, SuiteRun, TestId};

/// Of the time that is left, for the first run, and of what that leaves for the second one, in which limits take longer.
const SHARE: f64 = 0.4;
const LARGER_SHARE: f64 = 0.7;
/// Less than so many sequential runs' time is left to those who look at single tests.
const LEAST_RUNS: f64 = 2.0;

/// How the parallel run was, and what may be used for running it again.
pub(super) struct RepeatedRuns<'a> {
    /// The mode that is run again.
    pub way: ParallelMode,
    pub parallelism: Parallelism,
    pub cores: usize,
    pub memory_bytes: Option<u64>,
    pub logs: &'a Path,
    /// One test after the other, in seconds.
    pub sequential: f64,
    /// What parade's own time limit was.
    pub limit: Duration,
    pub time: Duration,
    /// Tests that parade's own limit cut down.
    pub cut: BTreeSet<TestId>,
}

impl RepeatedRuns<'_> {
    /// Adds what is seen to what is known of the tests; nothing where there is no time for it.
    pub fn look(
        &self,
        session: &mut dyn Session,
        known: &mut BTreeMap<TestId, ParallelObservation>,
    ) -> miette::Result<()> {
        if self.time.as_secs_f64() < LEAST_RUNS * self.sequential {
            return Ok(());
        }
        let began = Instant::now();
        let first = session.run(&self.request("messages", self.time.mul_f64(SHARE)))?;
        note_troubles(known, self.way, first, &self.cut);
        let took = began.elapsed();
        let more = self.time.saturating_sub(took).mul_f64(LARGER_SHARE);
        let cut_by_parade = |beside: &ParallelObservation| beside.limited && beside.message.is_none();
        // Nothing is learnt about parade's own limit from one that is no larger.
        known
            .values_mut()
            .filter(|beside| cut_by_parade(beside) && more <= self.limit)
            .for_each(|beside| beside.limited = false);
        if known.values().any(|beside| beside.limited) && more > took && session.capabilities().enlarges_limits {
            let mut request = self.request("larger-limits", more);
            request.policy.larger_limits = true;
            compare(known, &session.run(&request)?);
        }
        Ok(())
    }

    fn request(&self, label: &str, time_limit: Duration) -> RunRequest {
        RunRequest {
            parallelism: self.parallelism,
            ..RunRequest::sequential(
                label,
                Resources { cores: self.cores, memory_bytes: self.memory_bytes, logs: self.logs.to_owned() },
                time_limit,
            )
        }
    }
}

/// What failed again, and what had been cut down before. A run that came to its end counts as one more.
fn note_troubles(
    known: &mut BTreeMap<TestId, ParallelObservation>,
    way: ParallelMode,
    run: SuiteRun,
    cut: &BTreeSet<TestId>,
) {
    for test in cut {
        known.entry(test.clone()).or_default().limited = true;
    }
    let counts = run.end == RunEnd::Finished;
    if counts {
        known.values_mut().for_each(|beside| {
            beside.again.runs += 1;
            beside.again.mode = Some(way);
        });
    }
    for execution in run.executions.into_iter().filter(|execution| execution.outcome.is_failure()) {
        let beside = known.entry(execution.test).or_default();
        beside.again.failed += usize::from(counts);
        match execution.outcome {
            Outcome::TimedOut => beside.limited = true,
            _ => {
                let before = beside.message.take();
                beside.told(execution.message.or(before));
            }
        }
    }
}

/// Tells of those that ran into a limit whether they pass with a larger one.
fn compare(seen: &mut BTreeMap<TestId, ParallelObservation>, larger: &SuiteRun) {
    let ran: BTreeMap<&TestId, Outcome> =
        larger.executions.iter().map(|execution| (&execution.test, execution.outcome)).collect();
    for (test, beside) in seen.iter_mut().filter(|(_, beside)| beside.limited) {
        beside.passes_with_more_time = ran.get(test).map(|outcome| *outcome == Outcome::Passed);
    }
}

/// Tests that were running when the time of a parallel run was up.
pub(super) fn cut_down(run: &RunData, way: ParallelMode) -> BTreeSet<TestId> {
    let trials = run.trials.iter().filter(|trial| trial.configuration == way.name());
    let cut = trials.flat_map(|trial| &trial.residual).filter(|test| test.outcome == Outcome::TimedOut);
    cut.map(|test| test.test.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::{Cost, Execution, Granularity, Observations};

    fn run(executions: &[(&str, Outcome, Option<&str>)]) -> SuiteRun {
        let execution = |(test, outcome, message): &(&str, Outcome, Option<&str>)| Execution {
            test: test.parse().unwrap(),
            display: None,
            outcome: *outcome,
            start: 0.0,
            seconds: 1.0,
            process: 1,
            thread: "main".to_owned(),
            message: message.map(str::to_owned),
        };
        SuiteRun {
            executions: executions.iter().map(execution).collect(),
            cost: Cost::default(),
            end: RunEnd::Finished,
            granularity: Granularity::Name,
            findings: Vec::new(),
            seen: Observations::default(),
        }
    }

    #[test]
    fn only_those_that_ran_into_a_limit_are_judged_by_a_larger_one() {
        let first = run(&[
            ("A#slow", Outcome::Error, Some("test timed out after 5 milliseconds")),
            ("A#waits", Outcome::Error, Some("execution exceeded timeout of 5 ms")),
            ("A#races", Outcome::Failed, Some("expected 1")),
            ("A#fine", Outcome::Passed, None),
        ]);
        let mut seen = BTreeMap::from([(
            "A#races".parse().unwrap(),
            ParallelObservation { failed: 2, runs: 3, ..ParallelObservation::default() },
        )]);
        note_troubles(&mut seen, ParallelMode::Methods, first, &BTreeSet::from(["B#hung".parse().unwrap()]));
        let races = &seen[&"A#races".parse::<TestId>().unwrap()];
        assert_eq!((races.failed, races.runs), (2, 3), "what was measured stays");
        let again = (races.again.mode, races.again.failed, races.again.runs);
        assert_eq!(again, (Some(ParallelMode::Methods), 1, 1), "it failed once more");
        let larger = run(&[
            ("A#slow", Outcome::Passed, None),
            ("A#waits", Outcome::Error, None),
            ("A#races", Outcome::Passed, None),
            ("B#hung", Outcome::TimedOut, None),
        ]);
        compare(&mut seen, &larger);
        let told: Vec<(String, bool, Option<bool>)> = seen
            .iter()
            .map(|(test, beside)| (test.to_string(), beside.limited, beside.passes_with_more_time))
            .collect();
        let expected = [
            ("A#races", false, None),
            ("A#slow", true, Some(true)),
            ("A#waits", true, Some(false)),
            ("B#hung", true, Some(false)),
        ];
        assert_eq!(told, expected.map(|(test, limited, passes)| (test.to_owned(), limited, passes)));
    }
}
