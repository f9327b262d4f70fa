//! Each test's own time: sequential against parallel.

use std::collections::HashMap;

use super::Source;
use crate::report::Analysis;
use crate::store::record::{Phase, TrialRecord};
use crate::wording::plural;

/// Trials that are read for this at most.
const MOST_TRIALS: usize = 600;
/// Configurations that are drawn at most.
const MOST_CONFIGURATIONS: usize = 4;
/// Tests that are drawn at most, over all subjects and configurations.
const MOST_POINTS: usize = 2400;

/// The tests that ran in the first stage of both, on the most cores that were used.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TestPairs {
    pub configuration: String,
    pub cores: usize,
    /// Mean seconds in the baseline and in the configuration.
    pub points: Vec<(f64, f64)>,
    /// Tests that are not among the points.
    pub left_out: usize,
}

/// How much is read: all repetitions of all subjects, or less.
struct Share {
    subjects: usize,
    repetitions: usize,
}

impl Share {
    fn of(subjects: usize, repetitions: usize, configurations: usize) -> Share {
        let whole = subjects * repetitions * configurations;
        let repetitions = if whole <= MOST_TRIALS { repetitions } else { 1 };
        let subjects = subjects.min((MOST_TRIALS / (configurations * repetitions).max(1)).max(1));
        Share { subjects, repetitions }
    }
}

pub(super) fn read(analysis: &Analysis, source: &Source) -> (Vec<TestPairs>, Option<String>) {
    let manifest = &analysis.run.manifest;
    let Some(cores) = manifest.cores.iter().copied().max() else { return (Vec::new(), None) };
    let candidates: Vec<&str> =
        analysis.run.candidates().take(MOST_CONFIGURATIONS).map(|configuration| configuration.name.as_str()).collect();
    let share = Share::of(manifest.subjects.len(), manifest.repetitions as usize, candidates.len() + 1);
    let cells = cells(source, cores, share.repetitions);
    let most = (MOST_POINTS / (share.subjects * candidates.len()).max(1)).max(8);
    let mut pairs: Vec<TestPairs> = candidates
        .iter()
        .map(|name| TestPairs { configuration: (*name).to_owned(), cores, ..Default::default() })
        .collect();
    for subject in manifest.subjects.iter().take(share.subjects) {
        let Some(baseline) = cells.get(&(subject.as_str(), manifest.baseline.as_str())) else { continue };
        for (name, pairs) in candidates.iter().zip(&mut pairs) {
            let Some(candidate) = cells.get(&(subject.as_str(), *name)) else { continue };
            let Ok(times) = source.folder.test_times(baseline, candidate, most) else { continue };
            pairs.points.extend(times.tests.iter().map(|test| (test.baseline, test.candidate)));
            pairs.left_out += times.left_out;
        }
    }
    pairs.retain(|pairs| !pairs.points.is_empty());
    (pairs, note(&share, manifest.subjects.len(), manifest.repetitions as usize))
}

fn note(share: &Share, subjects: usize, repetitions: usize) -> Option<String> {
    let is_whole = share.subjects == subjects && share.repetitions == repetitions;
    (!is_whole).then(|| {
        format!(
            "From the first {} of {} and the first {} only.",
            share.subjects,
            plural(subjects, "subject"),
            plural(share.repetitions, "repetition")
        )
    })
}

/// Trials by subject and configuration.
type Cells<'a> = HashMap<(&'a str, &'a str), Vec<&'a str>>;

fn cells(source: &Source, cores: usize, repetitions: usize) -> Cells<'_> {
    let mut cells: Cells = HashMap::new();
    let wanted = |trial: &&TrialRecord| {
        trial.phase == Phase::Measured && trial.cores == cores && trial.repetition as usize <= repetitions
    };
    for trial in source.run.trials.iter().filter(wanted) {
        cells.entry((&trial.subject, &trial.configuration)).or_default().push(trial.trial.as_str());
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_run_is_read_in_part() {
        let small = Share::of(8, 6, 4);
        assert_eq!((small.subjects, small.repetitions), (8, 6));
        let large = Share::of(2000, 6, 4);
        assert_eq!((large.subjects, large.repetitions), (150, 1));
        assert!(note(&large, 2000, 6).unwrap().contains("first 150 of 2000 subjects"));
        assert_eq!(note(&small, 8, 6), None);
    }
}
