//! From the records of a run to what was seen of each way: times in pairs of the same block, failures by test, and what is
//! not to be held against parallelism. Nothing is decided here.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::causes::{CHANCE, Without};
use super::costs::Use;
use super::decide;
use super::forecast::MeanTime;
use super::parallel_mode::{ParallelMode, SEQUENTIAL};
use super::survey::Survey;
use crate::pairing::{RunPair, pairs_of};
use crate::stats;
use crate::stats::speed_judgement::{FEWEST_PAIRS, ObservedConcurrency, compare_pairs};
use crate::store::RunFolder;
use crate::store::record::{Phase, RunData, TrialRecord, Verdict};
use crate::suite::{Cost, Outcome, TestId};

/// A suite in which a larger share fails whatever happens says little about parallelism.
pub(super) const FEW_BROKEN: f64 = 0.05;
/// Of a suite of which a larger share is flaky, no mode is judged.
const MOST_FLAKY: f64 = 0.5;
/// From here on an interval has to say it.
const ENOUGH_PAIRS: usize = 6;
/// A gain of fewer pairs is preliminary.
pub const FIRM_PAIRS: usize = FEWEST_PAIRS;
/// More executions of one trial are not looked at for failures.
const MOST_EXECUTIONS: usize = 1_000_000;

/// How many times faster, and how certain that is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Speedup {
    /// `baseline_seconds` over `seconds`.
    pub value: f64,
    /// Means of the runs that were compared, in pairs of the same block.
    pub baseline_seconds: f64,
    pub seconds: f64,
    /// CPU time of the same runs.
    pub baseline_cpu_seconds: f64,
    pub cpu_seconds: f64,
    /// Never below zero; nothing for fewer than three pairs.
    pub ci_low: Option<f64>,
    pub ci_high: Option<f64>,
    /// How the interval was found.
    pub ci_method: Option<&'static str>,
    /// Wilcoxon's signed-rank test, two-sided, corrected for the number of ways that were compared (Holm).
    pub p: Option<f64>,
    pub pairs: usize,
    /// Of the pair that gained least.
    pub least: f64,
}

impl Speedup {
    /// What the decision goes by.
    pub fn gain(self) -> decide::Gain {
        let in_each = self.pairs < ENOUGH_PAIRS && self.least >= decide::LEAST_GAIN;
        decide::Gain { value: self.value, low: self.ci_low, in_each }
    }
}

/// What was seen of one way on all cores.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evidence {
    pub way: ParallelMode,
    pub runs: usize,
    pub overlapped: bool,
    /// Tests at the same time, in the mean over the time that tests ran.
    pub concurrency: f64,
    /// The most tests that ever ran at the same time.
    pub most_at_once: usize,
    /// Of the parallel run by itself, failures and all.
    pub plain: Option<Speedup>,
    /// Of the runs that this is made from, those during which other work kept the machine busy.
    pub disturbed_runs: usize,
    /// With repairs, over the runs that came out clean.
    pub repaired: Option<Speedup>,
    pub failing_runs: usize,
    pub unrepaired_runs: usize,
    /// Tests that failed in the parallel run, with in how many runs.
    pub failed: BTreeMap<String, usize>,
    /// Those that failed after all repairs.
    pub unrepaired: BTreeMap<String, usize>,
    /// What tests failed of in the parallel run: the first line of the first message, by test.
    pub messages: BTreeMap<String, String>,
    /// Runs that were not whole, with the reason.
    pub trouble: Vec<String>,
}

impl Evidence {
    /// What its runs took: the time that the speedup is made from.
    pub fn time(&self) -> Option<MeanTime> {
        let plain = self.plain?;
        Some(MeanTime { seconds: plain.seconds, runs: plain.pairs, disturbed_runs: self.disturbed_runs })
    }

    /// Did it run to its end without any two tests at the same time? Then its times say nothing about parallelism.
    pub fn had_no_effect(&self) -> bool {
        !self.overlapped && self.plain.is_some()
    }

    /// How many tests ran at the same time: `1.8`, `up to 2` where that was so briefly that the mean does not show it, `never`.
    pub fn at_once(&self) -> String {
        match format!("{:.1}", self.concurrency) {
            _ if !self.overlapped => "never".to_owned(),
            mean if mean == "1.0" || mean == "0.0" => format!("up to {}", self.most_at_once),
            mean => mean,
        }
    }

    /// In how many of its runs a test failed, before or after repairs; `None` where it never did.
    pub fn times_failed(&self, test: &str) -> Option<usize> {
        [&self.failed, &self.unrepaired].into_iter().filter_map(|times| times.get(test)).max().copied()
    }
}

/// The whole run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Measured {
    pub blocks: usize,
    pub ways: Vec<Evidence>,
    pub baseline: Option<Use>,
    /// The whole runs that this is the mean of.
    pub baseline_runs: usize,
    pub disturbed_baseline_runs: usize,
    /// Tests that failed in some runs without any parallelism, not in others.
    pub flaky: BTreeSet<TestId>,
    /// Tests that failed in all of them.
    pub broken: BTreeSet<TestId>,
    /// Tests that are flaky as well, but fail in parallel far more often than that explains.
    pub racing: BTreeMap<TestId, Without>,
    /// Runs without any parallelism that came to their end, on any number of cores.
    pub sequential_runs: usize,
    /// Did every sequential run come to its end?
    pub sequential_trouble: Option<String>,
    /// What tests failed of without any parallelism: the first line of the first message.
    pub messages: BTreeMap<TestId, String>,
}

impl Measured {
    /// What sequential runs on all cores took.
    pub fn sequential_time(&self) -> Option<MeanTime> {
        let seconds = self.baseline?.wall_seconds;
        Some(MeanTime { seconds, runs: self.baseline_runs, disturbed_runs: self.disturbed_baseline_runs })
    }

    pub fn way(&self, way: ParallelMode) -> Option<&Evidence> {
        self.ways.iter().find(|evidence| evidence.way == way)
    }

    /// Does the suite of so many tests pass without parallelism, but for a few that were set aside?
    pub fn is_sound(&self, tests: usize) -> bool {
        self.sequential_trouble.is_none() && !self.is_broken(tests) && !self.is_mostly_flaky(tests)
    }

    /// Do more than a few tests fail in every run?
    fn is_broken(&self, tests: usize) -> bool {
        self.broken.len() as f64 > tests as f64 * FEW_BROKEN
    }

    /// Does chance alone decide about most of the suite? What is set aside shows nothing about parallelism, and little is left then.
    pub fn is_mostly_flaky(&self, tests: usize) -> bool {
        !self.is_broken(tests) && self.flaky.len() as f64 > tests as f64 * MOST_FLAKY
    }
}

/// Tests of which looking into them showed that their failures are not to be held against parallelism.
#[derive(Debug, Default)]
pub struct Pardoned {
    /// They failed without any parallelism: they are flaky, too.
    pub by_chance: BTreeSet<TestId>,
    /// They fail in a suite in which tests fail as often without.
    pub as_usual: BTreeSet<TestId>,
}

/// The records of the assessment's own trials on all cores.
pub fn measure(
    run: &RunData,
    folder: &RunFolder,
    survey: &Survey,
    cores: usize,
    pardoned: &Pardoned,
) -> miette::Result<Measured> {
    let measured: Vec<&TrialRecord> = run.trials.iter().filter(|trial| trial.phase == Phase::Measured).collect();
    let Unsteady { mut flaky, broken } = unsteady(run, folder, survey)?;
    let racing = racing(run, folder, cores, &flaky)?;
    flaky.extend(pardoned.by_chance.iter().cloned());
    let ended = ended_their_process(&run.trials);
    flaky.retain(|test| !racing.contains_key(test) && !ended.contains(test));
    let aside: BTreeSet<&TestId> = flaky.iter().chain(&broken).chain(&pardoned.as_usual).collect();
    let baseline: Vec<&TrialRecord> =
        measured.iter().copied().filter(|trial| trial.configuration == SEQUENTIAL && trial.cores == cores).collect();
    let mut ways = Vec::new();
    for way in ParallelMode::ALL {
        let trials: Vec<&TrialRecord> = measured
            .iter()
            .copied()
            .filter(|trial| trial.configuration == way.name() && trial.cores == cores)
            .collect();
        if trials.iter().any(|trial| trial.verdict != Verdict::Unsupported) {
            ways.push(evidence(way, &trials, &baseline, &aside, !racing.is_empty(), folder)?);
        }
    }
    correct(&mut ways);
    Ok(Measured {
        blocks: baseline.len(),
        baseline: mean_use(&baseline),
        baseline_runs: baseline.iter().filter(|trial| is_whole(trial)).count(),
        disturbed_baseline_runs: baseline.iter().filter(|trial| is_whole(trial) && trial.is_disturbed()).count(),
        ways,
        sequential_runs: sequential(run).count(),
        sequential_trouble: sequential_trouble(run, &baseline),
        messages: sequential_messages(run, folder, survey)?,
        flaky,
        broken,
        racing,
    })
}

/// What tests fail of without any parallelism, the first run included.
fn sequential_messages(run: &RunData, folder: &RunFolder, survey: &Survey) -> miette::Result<BTreeMap<TestId, String>> {
    let mut messages: BTreeMap<TestId, String> = survey.messages.iter().cloned().collect();
    for trial in sequential(run).filter(|trial| failed_in_executions(trial)) {
        for (test, message) in folder.failure_messages(&trial.trial)? {
            messages.entry(test).or_insert(message);
        }
    }
    Ok(messages)
}

/// May executions of this trial hold failures? What screening set aside is in no count.
fn failed_in_executions(trial: &TrialRecord) -> bool {
    let failed = trial.stages.first().is_some_and(|stage| stage.failures_after > 0);
    failed || trial.phase == Phase::Screening || !trial.residual.is_empty()
}

/// Tests in which a process of this run ended.
fn crashed(trial: &TrialRecord) -> impl Iterator<Item = &TestId> {
    trial.residual.iter().filter(|test| test.outcome == Outcome::Crashed).map(|test| &test.test)
}

/// Tests in which a process ended when nothing ran beside them, in the run that looks for what to set aside: they are no matter of
/// chance.
pub(super) fn ended_their_process(trials: &[TrialRecord]) -> BTreeSet<&TestId> {
    trials.iter().filter(|trial| trial.phase == Phase::Screening).flat_map(crashed).collect()
}

/// Why runs without parallelism did not come to their end. Screening sets aside what it loses, so that later runs are whole: where a
/// process broke down in it, the suite is none that runs by itself.
fn sequential_trouble(run: &RunData, baseline: &[&TrialRecord]) -> Option<String> {
    let screening = run.trials.iter().filter(|trial| trial.phase == Phase::Screening);
    let all: Vec<&TrialRecord> = screening.chain(baseline.iter().copied()).collect();
    let broke_down = |trial: &TrialRecord| {
        let has_crashed = || crashed(trial).next().is_some();
        let only_lost = trial.phase == Phase::Screening && trial.verdict == Verdict::LostTests && !has_crashed();
        !is_whole(trial) && !only_lost
    };
    let broken: Vec<&TrialRecord> = all.iter().copied().filter(|trial| broke_down(trial)).collect();
    let culprit = broken.iter().find_map(|trial| crashed(trial).next());
    let first = match culprit {
        Some(culprit) => format!("its process ended in {culprit}"),
        None => trouble(broken.first()?),
    };
    let (some, runs) = (broken.len(), all.len());
    Some(if some < runs { format!("{first} (in {some} of {runs} runs)") } else { first })
}

/// Of flaky tests, those that fail in some way far more often than without parallelism: by Fisher's exact test, corrected for all
/// pairs of test and way. They would hide a race if they were set aside.
fn racing(
    run: &RunData,
    folder: &RunFolder,
    cores: usize,
    flaky: &BTreeSet<TestId>,
) -> miette::Result<BTreeMap<TestId, Without>> {
    if flaky.is_empty() {
        return Ok(BTreeMap::new());
    }
    let without: Vec<&TrialRecord> = sequential(run).collect();
    let rarely = times_failed(&without, flaky, folder)?;
    let parallel = |way: ParallelMode| -> Vec<&TrialRecord> {
        let of_way = |trial: &&TrialRecord| trial.configuration == way.name() && trial.cores == cores;
        let overlapped = |trial: &&TrialRecord| trial.concurrency.max > 1 && is_whole(trial);
        run.trials.iter().filter(|trial| trial.phase == Phase::Measured).filter(of_way).filter(overlapped).collect()
    };
    let limit = CHANCE / (flaky.len() * ParallelMode::ALL.len()) as f64;
    let mut racing = BTreeMap::new();
    for trials in ParallelMode::ALL.map(parallel) {
        for (test, failed) in times_failed(&trials, flaky, folder)? {
            let usual = rarely.get(&test).copied().unwrap_or(0);
            let count = |failed: usize, of: usize| [failed as u64, of.saturating_sub(failed) as u64];
            let table = [count(failed, trials.len()), count(usual, without.len())];
            let p = stats::fisher_exact(table, stats::Alternative::Greater).map(|test| test.p);
            if p.is_some_and(|p| p < limit) {
                racing.insert(test, Without::of_suite(without.len(), usual));
            }
        }
    }
    Ok(racing)
}

/// In how many of these runs each of these tests failed at first. What screening set aside is in the executions alone.
fn times_failed(
    trials: &[&TrialRecord],
    tests: &BTreeSet<TestId>,
    folder: &RunFolder,
) -> miette::Result<BTreeMap<TestId, usize>> {
    let mut times = BTreeMap::new();
    for trial in trials {
        for test in failed_at_first(trial, folder)?.into_iter().filter(|test| tests.contains(test)) {
            *times.entry(test).or_default() += 1;
        }
    }
    Ok(times)
}

fn failed_at_first(trial: &TrialRecord, folder: &RunFolder) -> miette::Result<BTreeSet<TestId>> {
    let executions = folder.executions(&trial.trial, MOST_EXECUTIONS)?;
    let failed = executions.rows.into_iter().filter(|row| row.stage == 1 && row.execution.outcome.is_failure());
    Ok(failed.map(|row| row.execution.test).collect())
}

/// What does not pass every time without any parallelism.
#[derive(Debug, Default, PartialEq)]
struct Unsteady {
    /// In some runs.
    flaky: BTreeSet<TestId>,
    /// In all of them, and there were two at least.
    broken: BTreeSet<TestId>,
}

/// By every run, the first one included. Records leave out what screening set aside; the executions have it.
fn unsteady(run: &RunData, folder: &RunFolder, survey: &Survey) -> miette::Result<Unsteady> {
    let runs: Vec<&TrialRecord> = sequential(run).collect();
    let residual = runs.iter().flat_map(|trial| &trial.residual);
    let set_aside = run.subjects.iter().flat_map(|subject| &subject.set_aside).map(|test| &test.test);
    let mut suspects: BTreeSet<TestId> = survey.failed_tests.iter().cloned().collect();
    suspects.extend(residual.filter(|test| test.outcome.is_failure()).map(|test| test.test.clone()));
    suspects.extend(set_aside.cloned());
    if suspects.is_empty() {
        return Ok(Unsteady::default());
    }
    let mut times = times_failed(&runs, &suspects, folder)?;
    survey.failed_tests.iter().for_each(|test| *times.entry(test.clone()).or_default() += 1);
    // Tests that never ran are in none of them.
    let (broken, flaky) = times.into_iter().partition::<Vec<_>, _>(|(_, failed)| *failed > runs.len().max(1));
    let names = |tests: Vec<(TestId, usize)>| tests.into_iter().map(|(test, _)| test).collect();
    Ok(Unsteady { flaky: names(flaky), broken: names(broken) })
}

/// Whole runs without any parallelism. What the project does by itself is one, if nothing overlapped in it.
fn sequential(run: &RunData) -> impl Iterator<Item = &TrialRecord> {
    let is_sequential = |trial: &&TrialRecord| match (trial.phase, trial.configuration.as_str()) {
        (Phase::Screening, _) | (Phase::Measured, SEQUENTIAL) => true,
        (Phase::Measured, name) => name == ParallelMode::Project.name() && trial.concurrency.max <= 1,
        (Phase::Warmup, _) => false,
    };
    run.trials.iter().filter(is_sequential).filter(|trial| is_whole(trial))
}

/// Of tests that may race or fail by chance, those of which the runs say that it is chance: in no way in which they failed did
/// more tests fail than without any parallelism, where tests fail as well.
pub fn as_often_without(
    run: &RunData,
    folder: &RunFolder,
    measured: &Measured,
    cores: usize,
    doubtful: &BTreeSet<TestId>,
) -> miette::Result<BTreeSet<TestId>> {
    let without: Vec<&TrialRecord> = sequential(run).collect();
    let usual = failures_in(&without, measured, folder)?;
    let mut excused = doubtful.clone();
    for evidence in measured.ways.iter().filter(|evidence| evidence.overlapped) {
        let of_way = |trial: &&TrialRecord| {
            let is_measured = trial.phase == Phase::Measured && trial.cores == cores;
            is_measured && trial.configuration == evidence.way.name()
        };
        let trials: Vec<&TrialRecord> = run.trials.iter().filter(of_way).collect();
        let failed = failures_in(&trials, measured, folder)?;
        let is_usual = usual.failed > 0 && trials.iter().all(|trial| is_whole(trial)) && !failed.is_more_than(&usual);
        if !is_usual {
            excused.retain(|test| !evidence.failed.contains_key(&test.to_string()));
        }
    }
    Ok(excused)
}

/// How many executions of tests failed, of how many.
struct Failures {
    failed: u64,
    executions: u64,
}

impl Failures {
    fn is_more_than(&self, usual: &Failures) -> bool {
        let row = |of: &Failures| [of.failed, of.executions.saturating_sub(of.failed)];
        let p = stats::fisher_exact([row(self), row(usual)], stats::Alternative::Greater).map(|test| test.p);
        p.is_none_or(|p| p < CHANCE)
    }
}

/// Without the tests that always fail.
fn failures_in(trials: &[&TrialRecord], measured: &Measured, folder: &RunFolder) -> miette::Result<Failures> {
    let mut all = Failures { failed: 0, executions: 0 };
    for trial in trials {
        let failed = failed_at_first(trial, folder)?;
        all.failed += failed.iter().filter(|test| !measured.broken.contains(*test)).count() as u64;
        all.executions += trial.tally.ran() as u64;
    }
    Ok(all)
}

/// Did it yield an outcome for every test?
pub(super) fn is_whole(trial: &TrialRecord) -> bool {
    matches!(trial.verdict, Verdict::Clean | Verdict::Failing)
}

fn trouble(trial: &TrialRecord) -> String {
    trial.reason.clone().unwrap_or_else(|| trial.verdict.name().to_owned())
}

fn mean_use(trials: &[&TrialRecord]) -> Option<Use> {
    let whole: Vec<&TrialRecord> = trials.iter().copied().filter(|trial| is_whole(trial)).collect();
    let of = |value: fn(&TrialRecord) -> f64| stats::mean(&whole.iter().map(|trial| value(trial)).collect::<Vec<_>>());
    Some(Use { wall_seconds: of(|trial| trial.cost.wall_seconds)?, cpu_seconds: of(cpu)? })
}

pub fn cpu(trial: &TrialRecord) -> f64 {
    spent(&trial.cost).cpu_seconds
}

fn spent(cost: &Cost) -> Use {
    Use { wall_seconds: cost.wall_seconds, cpu_seconds: cost.user_seconds + cost.system_seconds }
}

fn evidence(
    way: ParallelMode,
    trials: &[&TrialRecord],
    baseline: &[&TrialRecord],
    aside: &BTreeSet<&TestId>,
    may_race: bool,
    folder: &RunFolder,
) -> miette::Result<Evidence> {
    let (mut failed, mut unrepaired) = (BTreeMap::new(), BTreeMap::new());
    let (mut failing_runs, mut unrepaired_runs) = (0, 0);
    let (mut plain, mut repaired) = (Vec::new(), Vec::new());
    let mut messages = BTreeMap::new();
    let mut disturbed_runs = 0;
    let pairs = assessed_pairs(trials, baseline);
    for trial in trials {
        let first = first_failures(trial, aside, may_race, folder)?;
        if !first.is_empty() {
            let said = folder.failure_messages(&trial.trial)?;
            for (test, message) in said.into_iter().filter(|(test, _)| first.contains(test)) {
                messages.entry(test.to_string()).or_insert(message);
            }
        }
        // A test that never ran did not fail: what kept it from running did.
        let failing = trial.residual.iter().filter(|test| test.outcome.is_failure()).map(|test| &test.test);
        let left: Vec<&TestId> = failing.filter(|test| !aside.contains(*test)).collect();
        failing_runs += usize::from(!first.is_empty() || !is_whole(trial));
        let is_mended = is_whole(trial) && left.is_empty();
        unrepaired_runs += usize::from(!is_mended);
        first.iter().for_each(|test| *failed.entry(test.to_string()).or_default() += 1);
        left.iter().for_each(|test| *unrepaired.entry(test.to_string()).or_default() += 1);
        let base = pairs.iter().find(|pair| pair.candidate.trial == trial.trial).map(|pair| spent(&pair.baseline.cost));
        let Some(base) = base else { continue };
        if is_whole(trial) {
            let first_stage = trial.stages.first().map_or(&trial.cost, |stage| &stage.cost);
            plain.push((base, spent(first_stage)));
            disturbed_runs += usize::from(trial.is_disturbed());
        }
        if is_mended {
            repaired.push((base, spent(&trial.cost)));
        }
    }
    let concurrency: Vec<f64> = trials.iter().map(|trial| trial.concurrency.mean).collect();
    Ok(Evidence {
        way,
        runs: trials.len(),
        overlapped: trials.iter().any(|trial| trial.concurrency.max > 1),
        concurrency: stats::mean(&concurrency).unwrap_or(0.0),
        most_at_once: trials.iter().map(|trial| trial.concurrency.max).max().unwrap_or(0),
        plain: speedup(&plain),
        disturbed_runs,
        repaired: speedup(&repaired),
        failing_runs,
        unrepaired_runs,
        failed,
        unrepaired,
        messages,
        trouble: trials.iter().filter(|trial| !is_whole(trial)).map(|trial| trouble(trial)).collect(),
    })
}

/// The pairs of the same block that speeds are made from: those that a report uses, where there are any.
fn assessed_pairs<'a>(trials: &[&'a TrialRecord], baseline: &[&'a TrialRecord]) -> Vec<RunPair<'a>> {
    let all = pairs_of(trials, baseline);
    let assessed: Vec<RunPair> = all.iter().copied().filter(RunPair::is_assessed).collect();
    if assessed.is_empty() { all.into_iter().filter(RunPair::is_assessed_at_need).collect() } else { assessed }
}

/// What failed in the parallel run itself. The journal counts it, but not what screening set aside and may race all the same; only
/// the executions name it.
fn first_failures(
    trial: &TrialRecord,
    aside: &BTreeSet<&TestId>,
    may_race: bool,
    folder: &RunFolder,
) -> miette::Result<BTreeSet<TestId>> {
    if !may_race && trial.stages.first().is_none_or(|stage| stage.failures_after == 0) {
        return Ok(BTreeSet::new());
    }
    Ok(failed_at_first(trial, folder)?.into_iter().filter(|test| !aside.contains(test)).collect())
}

/// Pairs of the same block: the baseline and the way.
fn speedup(compared: &[(Use, Use)]) -> Option<Speedup> {
    let pairs: &[(f64, f64)] =
        &compared.iter().map(|(base, way)| (base.wall_seconds, way.wall_seconds)).collect::<Vec<_>>();
    // Only modes in which tests overlapped are compared.
    let shown = compare_pairs(pairs, ObservedConcurrency::InEveryRun);
    let mean = |of: fn(&(Use, Use)) -> f64| stats::mean(&compared.iter().map(of).collect::<Vec<_>>());
    Some(Speedup {
        value: shown.ratio?,
        baseline_seconds: mean(|(base, _)| base.wall_seconds)?,
        seconds: mean(|(_, way)| way.wall_seconds)?,
        baseline_cpu_seconds: mean(|(base, _)| base.cpu_seconds)?,
        cpu_seconds: mean(|(_, way)| way.cpu_seconds)?,
        ci_low: shown.low(),
        ci_high: shown.high(),
        ci_method: shown.interval.map(|found| found.method.explanation()),
        p: stats::wilcoxon(pairs).map(|test| test.p),
        pairs: pairs.len(),
        least: pairs.iter().map(|(base, way)| base / way).fold(f64::INFINITY, f64::min),
    })
}

/// The best of several is the best by chance, too. Ways that were given up after one run do not compete.
fn correct(ways: &mut [Evidence]) {
    correct_each(ways.iter_mut().filter_map(|way| way.plain.as_mut()).collect());
    correct_each(ways.iter_mut().filter_map(|way| way.repaired.as_mut()).collect());
}

fn correct_each(mut speedups: Vec<&mut Speedup>) {
    let most = speedups.iter().map(|speedup| speedup.pairs).max().unwrap_or(0);
    speedups.retain(|speedup| speedup.pairs >= most.min(2) && speedup.p.is_some());
    let corrected = stats::holm(&speedups.iter().filter_map(|speedup| speedup.p).collect::<Vec<_>>());
    for (speedup, p) in speedups.into_iter().zip(corrected) {
        speedup.p = Some(p);
    }
}

/// What the decision goes by.
pub fn seen(evidence: &Evidence, expected: Option<f64>) -> decide::ModeEvidence {
    decide::ModeEvidence {
        way: evidence.way,
        overlapped: evidence.overlapped,
        failing_runs: evidence.failing_runs,
        unrepaired_runs: evidence.unrepaired_runs,
        plain: evidence.plain.map(Speedup::gain),
        repaired: evidence.repaired.map(Speedup::gain).filter(|_| evidence.unrepaired_runs == 0),
        expected,
    }
}

#[cfg(any(test, feature = "testing"))]
#[cfg_attr(not(test), allow(unused_imports, dead_code, reason = "other crates use the examples only"))]
pub mod tests {
    use super::*;

    pub fn speedup(value: f64, low: f64, high: f64, pairs: usize) -> Speedup {
        Speedup {
            value,
            baseline_seconds: 10.0 * value,
            seconds: 10.0,
            baseline_cpu_seconds: 10.0,
            cpu_seconds: 11.0,
            ci_low: Some(low),
            ci_high: Some(high),
            ci_method: Some("t interval of the log ratios"),
            p: None,
            pairs,
            least: low,
        }
    }

    /// Of runs in pairs: the baseline's seconds and the mode's.
    pub fn speedup_of(pairs: &[(f64, f64)]) -> Option<Speedup> {
        let used = |wall_seconds: f64| Use { wall_seconds, cpu_seconds: wall_seconds };
        let pairs: Vec<(Use, Use)> = pairs.iter().map(|(base, way)| (used(*base), used(*way))).collect();
        super::speedup(&pairs)
    }

    /// Of a mode in which tests overlapped and nothing failed.
    pub fn evidence(way: ParallelMode, speedup: Speedup) -> Evidence {
        Evidence {
            way,
            runs: speedup.pairs,
            overlapped: true,
            concurrency: 2.0,
            most_at_once: 2,
            plain: Some(speedup),
            disturbed_runs: 0,
            repaired: Some(speedup),
            failing_runs: 0,
            unrepaired_runs: 0,
            failed: BTreeMap::new(),
            unrepaired: BTreeMap::new(),
            messages: BTreeMap::new(),
            trouble: Vec::new(),
        }
    }

    /// Fieller's interval of these times begins below zero; a speedup cannot.
    #[test]
    fn no_interval_goes_below_zero() {
        let wide = [(1.0, 1.0), (9.0, 1.2), (0.2, 1.1)];
        assert!(stats::fieller_paired(&wide, 0.95).and_then(stats::Fieller::interval).unwrap().low < 0.0);
        let wild = [(30.0, 1.0), (0.1, 5.0), (1.0, 1.0), (1.0, 2.0), (3.0, 1.0), (1.0, 9.0)];
        for pairs in [&wide[..], &[(2.0, 1.0); 30], &wild] {
            let told = speedup_of(pairs).unwrap();
            let (low, high) = (told.ci_low.unwrap(), told.ci_high.unwrap());
            assert!(0.0 < low && low <= told.value && told.value <= high, "{told:?}");
            let is_few = pairs.len() < stats::FEWEST_FOR_RATIO_BOOTSTRAP;
            assert_eq!(told.ci_method.unwrap().starts_with("t interval"), is_few, "{told:?}");
        }
        let few = speedup_of(&wide[..2]).unwrap();
        assert_eq!((few.ci_low, few.ci_method), (None, None), "two pairs are too few for an interval");
    }
}
