//! What is read back, against what a few plain loops make of the same rows.

use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::*;
use crate::engine::{EngineKind, Parallelism};
use crate::store::frames;
use crate::store::record::tests::{subject, trial as record};
use crate::store::record::{ExecutionRow, ResidualTest};
use crate::suite::{Concurrency, Cost, Execution, Granularity, Observations, SuiteRun, Tally};
use crate::technique::{LastOutcomes, Stage};

fn row(stage: u32, test: &str, outcome: Outcome, start: f64, seconds: f64) -> ExecutionRow {
    let execution = Execution {
        test: test.parse().unwrap(),
        display: None,
        outcome,
        start,
        seconds,
        process: 7,
        thread: format!("worker-{stage}"),
        message: Some("not read".to_owned()),
    };
    ExecutionRow { stage, machine: 1, execution }
}

/// Pieces of trials, one file each, merged in this order.
fn merged(dir: &Path, pieces: &[(&str, Vec<ExecutionRow>)], group_rows: usize) -> PathBuf {
    let files: Vec<PathBuf> = (0..pieces.len()).map(|piece| dir.join(format!("{piece}.parquet"))).collect();
    for (file, (trial, rows)) in files.iter().zip(pieces) {
        frames::write_trial(file, trial, rows).unwrap();
    }
    let target = dir.join("merged.parquet");
    frames::write_merged(&files, &target, group_rows).unwrap();
    target
}

fn stage(number: u32, rows: &[ExecutionRow]) -> Stage {
    let run = SuiteRun {
        executions: rows.iter().filter(|row| row.stage == number).map(|row| row.execution.clone()).collect(),
        cost: Cost::default(),
        end: RunEnd::Finished,
        granularity: Granularity::Occurrence,
        findings: vec![],
        seen: Observations::default(),
    };
    Stage { number, purpose: "test", engine: EngineKind::Model, parallelism: Parallelism::SEQUENTIAL, machine: 1, run }
}

fn different<'a>(executions: impl Iterator<Item = &'a Execution>) -> usize {
    executions.map(|execution| &execution.test).collect::<HashSet<_>>().len()
}

/// By the definitions: the technique's own account of outcomes, and sorted copies for everything else.
fn expected(trial: &str, rows: &[ExecutionRow], set_aside: &HashSet<TestId>) -> TrialTotals {
    let mut numbers: Vec<u32> = rows.iter().map(|row| row.stage).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let stages: Vec<Stage> = numbers.iter().map(|number| stage(*number, rows)).collect();
    let totals = |so_far: usize| {
        let run = &stages[so_far].run;
        let mut seconds: Vec<f64> = run.executions.iter().map(|execution| execution.seconds).collect();
        seconds.sort_by(f64::total_cmp);
        let counted = run.executions.iter().filter(|execution| !set_aside.contains(&execution.test));
        let ends = run.executions.iter().map(|execution| execution.start + execution.seconds);
        StageTotals {
            stage: stages[so_far].number,
            executions: run.executions.len(),
            tests: different(run.executions.iter()),
            tally: Tally::of(counted.map(|execution| execution.outcome)),
            failures_after: LastOutcomes::after(&stages[..=so_far], set_aside).failures(),
            baseline_failures_after: 0,
            first_start: run.executions.iter().map(|execution| execution.start).fold(f64::INFINITY, f64::min),
            last_end: ends.fold(0.0, f64::max),
            seconds: seconds.iter().sum(),
            median_seconds: (seconds[(seconds.len() - 1) / 2] + seconds[seconds.len() / 2]) / 2.0,
            concurrency: run.concurrency(),
        }
    };
    TrialTotals {
        trial: trial.to_owned(),
        tests: different(rows.iter().map(|row| &row.execution)),
        tally: Tally::of(LastOutcomes::after(&stages, set_aside).outcomes()),
        stages: (0..stages.len()).map(totals).collect(),
    }
}

/// Sums of other orders differ in their last digits.
fn rounded(mut totals: TrialTotals) -> TrialTotals {
    let round = |value: f64| (value * 1e6).round() / 1e6;
    for stage in &mut totals.stages {
        stage.seconds = round(stage.seconds);
        stage.concurrency = Concurrency { mean: round(stage.concurrency.mean), ..stage.concurrency };
    }
    totals
}

fn any_row() -> impl Strategy<Value = ExecutionRow> {
    let class = prop::sample::select(vec!["A", "A$B", "A$B$C", "AB", "m:A", "m:A$B"]);
    let name = prop::sample::select(vec!["t", "u~2", "u", "<class>", "<class>~2", "größe"]);
    let times = (0..40u32, 0..8u32).prop_map(|(start, seconds)| (f64::from(start) / 4.0, f64::from(seconds) / 4.0));
    (1..4u32, class, name, prop::sample::select(Outcome::ALL.to_vec()), times).prop_map(
        |(stage, class, name, outcome, (start, seconds))| {
            row(stage, &format!("{class}#{name}"), outcome, start, seconds)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Trials in pieces and out of order, stages out of order, repeated tests, nested classes, several row groups and threads.
    #[test]
    fn totals_are_those_of_the_definitions(
        pieces in prop::collection::vec(
            (prop::sample::select(vec!["x", "y", "z"]), prop::collection::vec(any_row(), 0..30)), 0..7),
        group_rows in 1..40usize,
        threads in 1..5usize,
        aside in prop::sample::select(vec!["", "A#t", "m:A$B#<class>"]),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let path = merged(dir.path(), &pieces, group_rows);
        let aside: HashSet<TestId> = aside.parse().into_iter().collect();
        let set_aside = [("x", &aside), ("z", &aside)].into();
        let marked = pass::MarkedTests { set_aside, ..pass::MarkedTests::default() };
        let found = pass::by_threads(&ExecutionFile::open(&path).unwrap(), &marked, threads).unwrap();

        let mut in_order: Vec<&str> = Vec::new();
        for (trial, rows) in &pieces {
            if !rows.is_empty() && !in_order.contains(trial) {
                in_order.push(trial);
            }
        }
        let nothing = HashSet::new();
        let whole = |trial: &&str| {
            let rows: Vec<ExecutionRow> =
                pieces.iter().filter(|piece| piece.0 == *trial).flat_map(|piece| piece.1.clone()).collect();
            rounded(expected(trial, &rows, if *trial == "y" { &nothing } else { &aside }))
        };
        prop_assert_eq!(found.into_iter().map(rounded).collect::<Vec<_>>(), in_order.iter().map(whole).collect::<Vec<_>>());
    }
}

/// A run folder with these trials of the subject `s`.
fn run_with(dir: &Path, trials: &[(&str, Vec<ExecutionRow>)], merge: bool) -> (RunFolder, RunData) {
    std::fs::create_dir_all(dir.join("tests")).unwrap();
    std::fs::write(dir.join("manifest.json"), "{}").unwrap();
    let files: Vec<PathBuf> = trials.iter().map(|(trial, _)| dir.join(format!("tests/{trial}.parquet"))).collect();
    for (file, (trial, rows)) in files.iter().zip(trials) {
        frames::write_trial(file, trial, rows).unwrap();
    }
    if merge {
        frames::merge(&files, &dir.join("tests.parquet")).unwrap();
    }
    let of = |(trial, rows): &(&str, Vec<ExecutionRow>)| {
        let stages = crate::runner::judge::stage_records(&[stage(1, rows)], &HashSet::new());
        TrialRecord { subject: "s".to_owned(), stages, ..record(trial) }
    };
    let trials = trials.iter().map(of).collect();
    let run = RunData {
        manifest: super::super::layout::tests::manifest(),
        environment: Default::default(),
        subjects: vec![subject("s")],
        trials,
        knowledge: vec![],
        steps: vec![],
        left_out: Default::default(),
    };
    (RunFolder::open(dir).unwrap(), run)
}

fn two_trials() -> Vec<(&'static str, Vec<ExecutionRow>)> {
    let passed = |test: &str, start: f64, seconds: f64| row(1, test, Outcome::Passed, start, seconds);
    vec![
        ("one", vec![passed("C#a", 0.0, 2.0), passed("C#b", 2.0, 1.0), row(2, "C#a", Outcome::Failed, 0.0, 9.0)]),
        ("two", vec![passed("C#a", 0.0, 4.0), row(1, "C#b", Outcome::Skipped, 0.0, 0.0), passed("C#c", 0.5, 1.0)]),
    ]
}

#[test]
fn trials_that_are_not_merged_yet_are_read_from_their_own_files() {
    let dir = tempfile::tempdir().unwrap();
    let (folder, run) = run_with(dir.path(), &two_trials(), false);
    let totals = folder.totals(&run);
    assert_eq!(totals.trials.iter().map(|trial| trial.trial.as_str()).collect::<Vec<_>>(), ["one", "two"]);
    assert_eq!(totals.problems.len(), 1, "{:?}", totals.problems);
    assert!(totals.problems[0].contains("tests.parquet"), "{:?}", totals.problems);
}

#[test]
fn sums_of_fractions_make_no_overlap_that_the_record_does_not_have() {
    let dir = tempfile::tempdir().unwrap();
    let rows: Vec<ExecutionRow> =
        (1..40).map(|n| row(1, &format!("C#t{n}"), Outcome::Passed, 0.1 * f64::from(n), 0.1)).collect();
    let (folder, run) = run_with(dir.path(), &[("one", rows)], true);
    let found = folder.totals(&run).trials[0].stages[0].concurrency;
    assert_eq!((found, found.max), (run.trials[0].stages[0].concurrency, 1));
}

#[test]
fn a_file_that_is_missing_or_damaged_is_named_and_the_rest_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let (folder, run) = run_with(dir.path(), &two_trials(), true);
    assert_eq!(folder.totals(&run).problems, Vec::<String>::new());
    std::fs::write(dir.path().join("tests.parquet"), "PAR1 no more PAR1").unwrap();
    std::fs::remove_file(dir.path().join("tests/one.parquet")).unwrap();
    let totals = folder.totals(&run);
    assert_eq!(totals.trials.len(), 1);
    assert!(totals.problems[0].contains("tests.parquet is damaged"), "{:?}", totals.problems);
    assert!(totals.problems[1].contains("no executions of one"), "{:?}", totals.problems);
}

#[test]
fn set_aside_tests_are_those_of_the_trials_subject() {
    let dir = tempfile::tempdir().unwrap();
    let (folder, mut run) = run_with(dir.path(), &two_trials(), true);
    let failures = |run: &RunData| folder.totals(run).trials[0].stages[1].failures_after;
    assert_eq!(failures(&run), 1);
    let aside = super::super::record::SetAsideTest { test: "C#a".parse().unwrap(), reason: String::new() };
    run.subjects[0].set_aside.push(aside);
    assert_eq!(failures(&run), 0);
}

#[test]
fn failures_of_tests_that_fail_in_the_baseline_are_counted_apart() {
    let dir = tempfile::tempdir().unwrap();
    let (folder, mut run) = run_with(dir.path(), &two_trials(), true);
    let counts = |run: &RunData| {
        let stage = folder.totals(run).trials[0].stages[1].clone();
        (stage.failures_after, stage.baseline_failures_after)
    };
    assert_eq!(counts(&run), (1, 0));
    run.manifest.baseline = "base".to_owned();
    let first = run.trials[0].clone();
    for (test, cores, expected) in
        [("C#a", first.cores + 1, (1, 0)), ("C#other", first.cores, (1, 0)), ("C#a", first.cores, (1, 1))]
    {
        let test = test.parse().unwrap();
        let residual = vec![ResidualTest { test, outcome: Outcome::Failed, message: None }];
        let (trial, configuration) = ("base".to_owned(), "base".to_owned());
        run.trials.push(TrialRecord { trial, configuration, cores, residual, stages: vec![], ..first.clone() });
        assert_eq!(counts(&run), expected);
    }
}

#[test]
fn damage_anywhere_is_an_error_or_of_no_consequence_and_never_a_panic() {
    let dir = tempfile::tempdir().unwrap();
    let path = merged(dir.path(), &two_trials(), 4);
    let whole = std::fs::read(&path).unwrap();
    let read = || {
        let file = ExecutionFile::open(&path)?;
        pass::by_threads(&file, &pass::MarkedTests::default(), 2)
    };
    for length in (0..whole.len()).step_by(41) {
        std::fs::write(&path, &whole[..length]).unwrap();
        assert!(read().unwrap_err().to_string().contains("merged.parquet is damaged"), "cut to {length} bytes");
    }
    for at in (0..whole.len()).step_by(5) {
        let mut flipped = whole.clone();
        flipped[at] ^= 0xff;
        std::fs::write(&path, flipped).unwrap();
        drop(read());
    }
}

#[test]
fn a_trials_executions_come_back_and_the_shortest_are_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let trials = two_trials();
    let (folder, _) = run_with(dir.path(), &trials, true);
    let mut rows = trials[0].1.clone();
    rows.iter_mut().for_each(|row| row.execution.message = None);
    assert_eq!(folder.executions("one", 10).unwrap(), TrialExecutions { rows: rows.clone(), left_out: 0 });
    let two = TrialExecutions { rows: vec![rows[0].clone(), rows[2].clone()], left_out: 1 };
    assert_eq!(folder.executions("one", 2).unwrap(), two);
    assert_eq!(folder.executions("one", 0).unwrap().left_out, 3);

    std::fs::remove_file(dir.path().join("tests/one.parquet")).unwrap();
    assert_eq!(folder.executions("one", 2).unwrap(), two, "from the merged file");
    std::fs::remove_file(dir.path().join("tests.parquet")).unwrap();
    assert!(folder.executions("one", 2).unwrap_err().to_string().contains("tests.parquet"));
    assert!(folder.executions("../one", 2).is_err());
}

#[test]
fn executions_that_take_equally_long_fill_the_room_in_their_order() {
    let dir = tempfile::tempdir().unwrap();
    let rows = (0..5).map(|at| row(1, &format!("C#t{at}"), Outcome::Passed, f64::from(at), 1.0)).collect();
    let (folder, _) = run_with(dir.path(), &[("t", rows)], false);
    let found = folder.executions("t", 3).unwrap();
    assert_eq!(found.rows.iter().map(|row| row.execution.start).collect::<Vec<_>>(), [0.0, 1.0, 2.0]);
    assert_eq!(found.left_out, 2);
}

#[test]
fn a_tests_time_is_the_mean_over_the_first_stages_of_the_trials() {
    let dir = tempfile::tempdir().unwrap();
    let (folder, _) = run_with(dir.path(), &two_trials(), true);
    let times = folder.test_times(&["one"], &["one", "two"], 10).unwrap();
    let time = |test: &str, baseline, candidate| TestTime { test: test.parse().unwrap(), baseline, candidate };
    assert_eq!(times.tests, [time("C#b", 1.0, 1.0), time("C#a", 2.0, 3.0)]);
    assert_eq!((times.left_out, times.unpaired), (0, 1));
}

#[test]
fn too_many_tests_are_thinned_out_evenly_over_their_times() {
    let dir = tempfile::tempdir().unwrap();
    let rows = (0..101).map(|at| row(1, &format!("C#t{at}"), Outcome::Passed, 0.0, f64::from(100 - at))).collect();
    let (folder, _) = run_with(dir.path(), &[("t", rows)], false);
    let times = folder.test_times(&["t"], &["t"], 5).unwrap();
    assert_eq!(times.tests.iter().map(|time| time.baseline).collect::<Vec<_>>(), [0.0, 25.0, 50.0, 75.0, 100.0]);
    assert_eq!(times.left_out, 96);
    for most in [0, 1, 2] {
        assert_eq!(folder.test_times(&["t"], &["t"], most).unwrap().tests.len(), most);
    }
}

/// Written by `scripts/foreign-parquet.py`.
#[test]
fn files_that_pandas_wrote_are_read_too() {
    for name in ["foreign-1.parquet", "foreign-2.parquet"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data").join(name);
        let found = pass::by_threads(&ExecutionFile::open(&path).unwrap(), &pass::MarkedTests::default(), 3).unwrap();
        assert_eq!(found.iter().map(|trial| trial.trial.as_str()).collect::<Vec<_>>(), ["b", "a"], "{name}");
        for trial in found {
            let facts =
                |stage: &StageTotals| (stage.executions, stage.tests, stage.failures_after, stage.test_seconds());
            assert_eq!(trial.stages.iter().map(facts).collect::<Vec<_>>(), [(30, 30, 10, 15.0), (10, 10, 1, 28.0)]);
            assert_eq!((trial.tests, trial.tally.passed, trial.tally.errors), (30, 29, 1));
        }
    }
}

#[test]
fn empty_cells_and_unknown_outcomes_are_told_with_their_column() {
    let dir = tempfile::tempdir().unwrap();
    let path = merged(dir.path(), &two_trials(), 100);
    let file = ExecutionFile::open(&path).unwrap();
    assert!(file.read(0, |group| group.names("message").map(|_| ())).is_ok());
    let empty = file.read(0, |group| group.names("display").map(|_| ())).unwrap_err().to_string();
    assert!(empty.ends_with("it has empty cells in its column `display`"), "{empty}");
    let missing = file.read(0, |group| group.counts("nothing").map(|_| ())).unwrap_err().to_string();
    assert!(missing.contains("no column `nothing`"), "{missing}");
    let other = file.read(0, |group| group.seconds("stage").map(|_| ())).unwrap_err().to_string();
    assert!(other.contains("not Double in its column `stage`"), "{other}");
    assert!(outcome("sideways").unwrap_err().to_string().contains("`sideways`"));
}

#[test]
fn small_trials_share_a_row_group_and_large_ones_are_divided() {
    let rows = |count: u32| (0..count).map(|at| row(1, "C#t", Outcome::Passed, f64::from(at), 1.0)).collect::<Vec<_>>();
    let sizes = |trials: &[(&str, u32)], group_rows: usize| {
        let dir = tempfile::tempdir().unwrap();
        let pieces: Vec<_> = trials.iter().map(|(trial, count)| (*trial, rows(*count))).collect();
        ExecutionFile::open(&merged(dir.path(), &pieces, group_rows)).unwrap().group_sizes()
    };
    assert_eq!(sizes(&[("x", 2), ("y", 2), ("z", 2)], 4), [4, 2]);
    assert_eq!(sizes(&[("x", 1), ("y", 5), ("z", 1)], 2), [1, 2, 2, 1, 1]);
    assert_eq!(sizes(&[("x", 0), ("y", 3), ("z", 0)], 9), [3]);
    assert!(sizes(&[("x", 0)], 9).is_empty() && sizes(&[], 9).is_empty());
}
