//! What one run of a suite yields.

use serde::{Deserialize, Serialize};

use super::{Coverage, Outcome, TestId};

/// One execution of one test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Execution {
    pub test: TestId,
    /// What the framework shows to people. Can change from run to run.
    pub display: Option<String>,
    pub outcome: Outcome,
    /// Seconds since the run began.
    pub start: f64,
    pub seconds: f64,
    /// The worker process, by its process id (model engine: a machine's number).
    pub process: u32,
    /// The worker thread, by name.
    pub thread: String,
    pub message: Option<String>,
}

impl Execution {
    /// Did what a class does before or after its tests fail? It is on record only when it does.
    pub fn is_failed_fixture(&self) -> bool {
        self.test.is_whole_class() && self.outcome.is_failure()
    }
}

/// What a run cost: all its processes together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    pub wall_seconds: f64,
    pub user_seconds: f64,
    pub system_seconds: f64,
    pub peak_memory_bytes: Option<u64>,
    pub voluntary_switches: Option<u64>,
    pub involuntary_switches: Option<u64>,
    /// Where it was watched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jvm: Option<JvmWork>,
}

/// CPU seconds of test processes, and of what JVMs compute beside their programs: compilers and concurrent collectors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct JvmWork {
    /// Beside the program, outside the tests: all of Maven, and test processes before their first test.
    pub beside_startup: f64,
    /// Beside the program, from the first test of each process on.
    pub beside_tests: f64,
    /// All of it before the first test, in test processes.
    pub process_startup: f64,
    /// All of it from the first test of each process on.
    pub tests: f64,
    /// Test processes.
    pub processes: usize,
}

impl std::ops::Add for JvmWork {
    type Output = JvmWork;

    fn add(self, other: JvmWork) -> JvmWork {
        JvmWork {
            beside_startup: self.beside_startup + other.beside_startup,
            beside_tests: self.beside_tests + other.beside_tests,
            process_startup: self.process_startup + other.process_startup,
            tests: self.tests + other.tests,
            processes: self.processes + other.processes,
        }
    }
}

/// How a run as a whole came to its end. Failing tests are no matter of this.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "reason", rename_all = "snake_case")]
pub enum RunEnd {
    Finished,
    TimedOut,
    /// The runner itself (not only a worker) broke down, or ran out of memory.
    Crashed(String),
    /// What had to happen before the tests could run did not: compilation, resolution, a plugin.
    BuildFailed(String),
    Interrupted,
}

/// How finely an engine could select what was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Granularity {
    /// Single occurrences of a test.
    Occurrence,
    /// All occurrences of a name.
    Name,
    /// Whole classes.
    Class,
}

/// Something about a run that a reader of its numbers must know.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Finding {
    pub kind: FindingKind,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// Expected tests did not run.
    LostTests,
    /// Tests ran that nobody expected.
    UnexpectedTests,
    /// A worker process died.
    DeadWorker,
    /// The asked-for parallelism did not take place.
    NoConcurrency,
    /// The mode reaches only some of the suite's frameworks.
    PartialMode,
    /// Processes were left behind and had to be killed.
    StrayProcesses,
    /// The run changed files outside its build folders.
    DirtyWorktree,
    /// More was rerun than asked for, as the engine cannot select more finely.
    CoarseSelection,
    /// Tests did not run in the order that was asked for.
    OrderNotKept,
    /// The subject differs from what was published.
    Deviation,
    /// Output was cut at its limit.
    OutputCut,
    /// Something about the machine disturbed the measurement.
    Disturbance,
    /// Tests ended otherwise than in the subject's own build.
    EngineDisagreement,
    /// Two records of the run contradict each other: it has no verdict.
    Contradiction,
    /// There was no second record to hold the first against.
    NotReconciled,
    /// Maven was told to activate a profile that no pom and no settings file has.
    UnknownProfile,
    /// Set-aside tests did not run to their end.
    SetAsideCut,
}

impl FindingKind {
    pub fn name(self) -> &'static str {
        match self {
            FindingKind::LostTests => "lost_tests",
            FindingKind::UnexpectedTests => "unexpected_tests",
            FindingKind::DeadWorker => "dead_worker",
            FindingKind::NoConcurrency => "no_concurrency",
            FindingKind::PartialMode => "partial_mode",
            FindingKind::StrayProcesses => "stray_processes",
            FindingKind::DirtyWorktree => "dirty_worktree",
            FindingKind::CoarseSelection => "coarse_selection",
            FindingKind::OrderNotKept => "order_not_kept",
            FindingKind::Deviation => "deviation",
            FindingKind::OutputCut => "output_cut",
            FindingKind::Disturbance => "disturbance",
            FindingKind::EngineDisagreement => "engine_disagreement",
            FindingKind::Contradiction => "contradiction",
            FindingKind::NotReconciled => "not_reconciled",
            FindingKind::UnknownProfile => "unknown_profile",
            FindingKind::SetAsideCut => "set_aside_cut",
        }
    }
}

impl Finding {
    /// Is it about the subject's build, whatever runs? It is told once, with the subject.
    pub fn is_of_build(&self) -> bool {
        matches!(self.kind, FindingKind::Deviation | FindingKind::UnknownProfile)
    }

    pub fn new(kind: FindingKind, text: impl Into<String>) -> Self {
        Finding { kind, text: text.into() }
    }
}

/// What came back from one run of (a selection of) a suite: one record per execution, in order of start.
#[derive(Debug, Clone, PartialEq)]
pub struct SuiteRun {
    pub executions: Vec<Execution>,
    pub cost: Cost,
    pub end: RunEnd,
    pub granularity: Granularity,
    pub findings: Vec<Finding>,
    /// What was seen of that which the request had watched.
    pub seen: Observations,
}

/// What was watched while tests ran.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Observations {
    pub coverage: Option<Coverage>,
    /// By test, in the order in which they ran; a test that ran twice is here twice.
    pub accesses: Vec<Accesses>,
}

/// What a test shares with others: static fields (`pkg.Type.field`), the moment at which a class is initialised
/// (`pkg.Type.<clinit>`), files (`file:path`, with a `/` at the end for which files there are in a folder), system properties
/// (`property:name`, `property:*` for all, `properties` for their table), each once, sorted. What is read after the test wrote
/// it is no read. With `<class>` for a name it is what the
/// class does before its first test, and as `<class>~2` what it does after its last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accesses {
    pub test: TestId,
    pub reads: Vec<String>,
    pub writes: Vec<String>,
}

/// How many tests really ran at the same time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Concurrency {
    /// Time-weighted mean over the time in which at least one test ran.
    pub mean: f64,
    pub max: usize,
}

impl SuiteRun {
    /// From the first start to the last end, in seconds.
    pub fn test_seconds(&self) -> f64 {
        let first = self.executions.iter().map(|e| e.start).fold(f64::INFINITY, f64::min);
        let last = self.executions.iter().map(|e| e.start + e.seconds).fold(0.0, f64::max);
        if first.is_finite() { (last - first).max(0.0) } else { 0.0 }
    }

    pub fn concurrency(&self) -> Concurrency {
        Concurrency::of(&self.executions)
    }
}

impl Concurrency {
    /// Sweeps over starts and ends. A test that ends as another starts does not overlap it. Tests too short for the clock
    /// (JUnit 3 can run ten within its resolution) still ran, one at a time as far as anyone can tell.
    pub fn of(executions: &[Execution]) -> Self {
        Self::of_spans(executions.iter().map(|e| (e.outcome, e.start, e.seconds)))
    }

    /// The same of outcomes with start and duration: records and what is computed again from their rows have to agree.
    pub fn of_spans(spans: impl Iterator<Item = (Outcome, f64, f64)> + Clone) -> Self {
        let ran = spans.clone().any(|(outcome, ..)| !matches!(outcome, Outcome::NotRun | Outcome::Skipped));
        let swept = Self::swept(spans);
        if ran && swept.max == 0 { Concurrency { mean: 1.0, max: 1 } } else { swept }
    }

    fn swept(spans: impl Iterator<Item = (Outcome, f64, f64)>) -> Self {
        // What ends and begins in the same nanosecond does not overlap, whatever sums of fractions make of it.
        let nanosecond = |seconds: f64| (seconds * 1e9).round() / 1e9;
        let mut edges: Vec<(f64, i64)> = spans
            .filter(|(outcome, ..)| *outcome != Outcome::NotRun)
            .map(|(_, start, seconds)| (nanosecond(start), nanosecond(start + seconds)))
            .filter(|(start, end)| start < end)
            .flat_map(|(start, end)| [(start, 1), (end, -1)])
            .collect();
        edges.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));

        let (mut running, mut max, mut since) = (0i64, 0i64, 0.0);
        let (mut busy, mut weighted) = (0.0, 0.0);
        for (time, change) in edges {
            if running > 0 {
                busy += time - since;
                weighted += (time - since) * running as f64;
            }
            running += change;
            max = max.max(running);
            since = time;
        }
        Concurrency { mean: if busy > 0.0 { weighted / busy } else { 0.0 }, max: usize::try_from(max).unwrap_or(0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn execution(start: f64, seconds: f64) -> Execution {
        Execution {
            test: TestId::new("", "C", "t", 1),
            display: None,
            outcome: Outcome::Passed,
            start,
            seconds,
            process: 1,
            thread: "main".into(),
            message: None,
        }
    }

    #[test]
    fn back_to_back_tests_do_not_overlap() {
        let concurrency = Concurrency::of(&[execution(0.0, 1.0), execution(1.0, 1.0)]);
        assert_eq!(concurrency, Concurrency { mean: 1.0, max: 1 });
    }

    #[test]
    fn the_mean_is_weighted_by_time_and_leaves_out_pauses() {
        let tests = [execution(0.0, 4.0), execution(0.0, 1.0), execution(10.0, 1.0)];
        let concurrency = Concurrency::of(&tests);
        assert_eq!(concurrency.max, 2);
        assert!((concurrency.mean - 6.0 / 5.0).abs() < 1e-12);
    }

    #[test]
    fn tests_shorter_than_the_clock_ran_one_at_a_time() {
        let concurrency = Concurrency::of(&[execution(0.0, 0.0), execution(0.0, 0.0)]);
        assert_eq!(concurrency, Concurrency { mean: 1.0, max: 1 });
    }

    #[test]
    fn nothing_ran_means_no_concurrency() {
        assert_eq!(Concurrency::of(&[]), Concurrency::default());
    }

    #[test]
    fn sums_of_fractions_make_no_overlap() {
        let executions: Vec<Execution> = (1..40).map(|n| execution(0.1 * f64::from(n), 0.1)).collect();
        let overlaps = executions.windows(2).any(|pair| pair[0].start + pair[0].seconds > pair[1].start);
        assert!(overlaps, "as far as fractions can tell");
        assert_eq!(Concurrency::of(&executions), Concurrency { mean: 1.0, max: 1 });
    }
}
