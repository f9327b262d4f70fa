//! What each way would take on more cores than there are: a model made of what one run on a single core showed.
//!
//! A run is a start-up and tests, which are laid out on threads as the way says. Both are shorter by what the JVM computes
//! beside them as soon as there is a second core ([`parts`]). Tests compute or wait: what they compute is bound by the cores,
//! what they wait is not. How far the model is off is measured where it can be. There the whole time is corrected, so that it is
//! the measured one; the correction is carried over to other numbers of cores.

mod gains;
mod layout;
mod parts;
mod reconcile;

use std::collections::BTreeMap;

use serde::Serialize;

pub use gains::{Improvement, improvements};
pub use layout::Suite;
pub use reconcile::{Reconciled, reconciled};

use super::parallel_mode::ParallelMode;
use crate::simulation::{Scheduler, Workload, simulate};
use crate::stats;
use crate::suite::JvmWork;
use parts::Parts;

/// What a sequential run on a single core showed.
#[derive(Debug, Clone, PartialEq)]
pub struct Observed {
    pub wall_seconds: f64,
    pub cpu_seconds: f64,
    /// From the first test's start to the last one's end.
    pub test_seconds: f64,
    /// What JVMs computed, where they told.
    pub jvm: Option<JvmWork>,
    pub suite: Suite,
}

/// A prediction for one way on one number of cores.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Point {
    pub cores: usize,
    pub seconds: f64,
}

/// One way over numbers of cores, or of machines.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Curve {
    pub way: String,
    /// Are these machines, each of which runs a share of the suite?
    pub machines: bool,
    pub points: Vec<Point>,
    /// Beyond it, more cores bring little: where speedup times efficiency is largest.
    pub knee: Option<usize>,
    /// What Gunther's law makes of it: cores beyond which it would get slower, if there are any.
    pub peak: Option<f64>,
    /// By the model no number of cores is faster: start-up and the longest piece. Nothing where a measured run was.
    pub bound_seconds: Option<f64>,
    /// What that longest piece is.
    pub bound_by: String,
}

/// A prediction from the single core held against what was measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Check {
    pub way: String,
    pub cores: usize,
    pub predicted_seconds: f64,
    pub measured_seconds: f64,
    /// Above zero where the prediction was too long.
    pub error_percent: f64,
    /// Runs that the measured time is the mean of: on all cores those that the speedup is made from.
    pub runs: usize,
    /// Those of them during which other work kept the machine busy.
    pub disturbed_runs: usize,
    /// Did that happen in any of them, or in all runs on one core? Then the error is not the model's alone.
    pub disturbed: bool,
    /// Runs on one core that the prediction is made from, and all that there were: disturbed ones count only without others.
    pub single_core_runs: usize,
    pub single_core_runs_made: usize,
}

/// The mean of some runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeanTime {
    pub seconds: f64,
    pub runs: usize,
    /// Those of them during which other work kept the machine busy.
    pub disturbed_runs: usize,
}

/// What predictions are made from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PredictionBasis {
    pub runs: usize,
    pub made: usize,
    pub is_disturbed: bool,
}

impl Check {
    pub fn of(way: &str, cores: usize, predicted: f64, measured: MeanTime, basis: PredictionBasis) -> Self {
        let MeanTime { seconds, runs, disturbed_runs } = measured;
        let error_percent = if seconds > 0.0 { (predicted / seconds - 1.0) * 100.0 } else { 0.0 };
        Check {
            way: way.to_owned(),
            cores,
            predicted_seconds: predicted,
            measured_seconds: seconds,
            error_percent,
            runs,
            disturbed_runs,
            disturbed: basis.is_disturbed || disturbed_runs > 0,
            single_core_runs: basis.runs,
            single_core_runs_made: basis.made,
        }
    }
}

/// The model of a suite.
#[derive(Debug, Clone)]
pub struct Model {
    observed: Observed,
    parts: Parts,
    threads_per_core: usize,
    /// By way, and by the number of cores on which it was measured: the measured time over the predicted one.
    corrections: BTreeMap<ParallelMode, BTreeMap<usize, f64>>,
}

impl Model {
    pub fn new(observed: Observed, threads_per_core: usize) -> Self {
        Model { parts: Parts::of(&observed), observed, threads_per_core, corrections: BTreeMap::new() }
    }

    /// Before the first test and after the last one.
    fn startup(&self, cores: usize) -> f64 {
        self.parts.startup_on(cores)
    }

    /// One test after the other.
    pub fn sequential(&self, cores: usize) -> f64 {
        let bound = self.parts.computing / cores.max(1) as f64;
        self.startup(cores) + (self.observed.test_seconds * self.pace(cores)).max(bound)
    }

    /// What a test takes on so many cores, as a part of what it took on one.
    fn pace(&self, cores: usize) -> f64 {
        if cores > 1 { self.parts.unhindered() } else { 1.0 }
    }

    pub fn seconds(&self, way: ParallelMode, cores: usize) -> f64 {
        self.uncorrected(way, cores) * self.correction(way, cores)
    }

    /// From the single core alone.
    fn uncorrected(&self, way: ParallelMode, cores: usize) -> f64 {
        self.startup(cores) + self.processes(way, cores) + self.tests(way, cores)
    }

    /// Of this number of cores; else of the largest below it that was measured, else of the smallest above it.
    fn correction(&self, way: ParallelMode, cores: usize) -> f64 {
        let Some(known) = self.corrections.get(&way) else { return 1.0 };
        let below = known.range(..=cores).next_back();
        below.or_else(|| known.first_key_value()).map_or(1.0, |(_, factor)| *factor)
    }

    /// Every core starts a process of its own, and none is left for their compilers.
    fn processes(&self, way: ParallelMode, cores: usize) -> f64 {
        if way != ParallelMode::Forks || cores < 2 || self.parts.startup <= 0.0 {
            return 0.0;
        }
        self.parts.process * self.parts.startup_beside / self.parts.startup
    }

    fn tests(&self, way: ParallelMode, cores: usize) -> f64 {
        let laid_out = self.observed.suite.makespan(way, self.threads(way, cores)) * self.pace(cores);
        laid_out.max(self.computing(way, cores) / cores.max(1) as f64)
    }

    /// What the tests compute. Processes compile each for itself.
    fn computing(&self, way: ParallelMode, cores: usize) -> f64 {
        let again =
            if way == ParallelMode::Forks { cores.min(self.observed.suite.classes()).saturating_sub(1) } else { 0 };
        self.parts.computing + self.parts.warming * again as f64
    }

    pub fn threads(&self, way: ParallelMode, cores: usize) -> usize {
        if way.has_threads() { self.threads_per_core * cores } else { cores }
    }

    /// Takes a measured time into account: from now on this is the time on so many cores.
    pub fn correct(&mut self, way: ParallelMode, cores: usize, measured: f64) {
        let factor = measured / self.uncorrected(way, cores);
        if factor.is_finite() && factor > 0.0 {
            self.corrections.entry(way).or_default().insert(cores, factor);
        }
    }

    pub fn curve(&self, way: ParallelMode, cores: &[usize]) -> Curve {
        let points = cores.iter().map(|cores| Point { cores: *cores, seconds: self.seconds(way, *cores) }).collect();
        let most = cores.iter().copied().max().unwrap_or(1);
        let longest = self.observed.suite.longest(way);
        let fixed = self.startup(most) + self.processes(way, most);
        let bound_seconds = (fixed + longest.seconds * self.pace(most)) * self.correction(way, most);
        Curve {
            way: way.name().to_owned(),
            machines: false,
            bound_seconds: Some(bound_seconds),
            bound_by: longest.name,
            ..self.shape(points)
        }
    }

    /// Machines that each run their share one test after the other.
    pub fn on_machines(&self, scheduler: Scheduler, machines: &[usize], cores: usize) -> Curve {
        let workload = Workload::of(self.observed.suite.tests());
        let startup = self.startup(cores);
        let gaps = self.observed.test_seconds - workload.seconds();
        let share = |machines: usize| gaps.max(0.0) / machines as f64;
        let forecasts = simulate(&workload, &[scheduler], machines);
        let points = forecasts
            .iter()
            .map(|forecast| Point {
                cores: forecast.machines,
                seconds: startup + (forecast.makespan + share(forecast.machines)) * self.pace(cores),
            })
            .collect();
        let longest = self.observed.suite.longest_test();
        Curve {
            way: scheduler.name().to_owned(),
            machines: true,
            bound_seconds: Some(startup + longest.seconds * self.pace(cores)),
            bound_by: longest.name,
            ..self.shape(points)
        }
    }

    /// The knee of the points, and what Gunther's law says of them.
    fn shape(&self, points: Vec<Point>) -> Curve {
        let base = self.sequential(1);
        let faster: Vec<(f64, f64)> =
            points.iter().map(|point| (point.cores as f64, base / point.seconds.max(f64::MIN_POSITIVE))).collect();
        Curve {
            way: String::new(),
            machines: false,
            knee: stats::knee(&faster).map(|(cores, _)| cores as usize),
            peak: stats::usl_fit(&faster).and_then(|fit| fit.peak()),
            points,
            bound_seconds: None,
            bound_by: String::new(),
        }
    }

    pub fn suite(&self) -> &Suite {
        &self.observed.suite
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::TestId;

    fn suite(seconds: &[(&str, f64)]) -> Suite {
        let test = |(number, (class, seconds)): (usize, &(&str, f64))| {
            (TestId::new("", class, &format!("t{number}"), 1), *seconds)
        };
        Suite::of(seconds.iter().enumerate().map(test).collect(), seconds.iter().map(|(_, s)| s).sum())
    }

    /// Four classes of 3 seconds, and a start-up of 2.
    fn model(cpu_seconds: f64, threads_per_core: usize) -> Model {
        let suite = suite(&[("A", 3.0), ("B", 3.0), ("C", 3.0), ("D", 3.0)]);
        Model::new(Observed { wall_seconds: 14.0, cpu_seconds, test_seconds: 12.0, jvm: None, suite }, threads_per_core)
    }

    #[test]
    fn tests_that_compute_share_the_cores() {
        let model = model(14.0, 2);
        assert_eq!(model.sequential(1), 14.0);
        let startup = model.startup(2);
        assert!((1.0..2.0).contains(&startup));
        assert!(
            (model.seconds(ParallelMode::Classes, 2) - (startup + 6.0)).abs() < 1e-9,
            "four threads do not help two cores"
        );
        assert!(
            model.seconds(ParallelMode::Forks, 2) > model.seconds(ParallelMode::Classes, 2),
            "processes have to be started"
        );
        assert!(
            (model.seconds(ParallelMode::Methods, 2) - (startup + 12.0)).abs() < 1e-9,
            "classes of one test have nothing to share"
        );
    }

    #[test]
    fn tests_that_wait_do_not() {
        let waiting = model(2.0, 2);
        assert!((waiting.seconds(ParallelMode::Classes, 2) - (waiting.startup(2) + 3.0)).abs() < 1e-9);
    }

    /// Four classes of 3 seconds that compute all the time: 6 of the 12 seconds are their compilers', and 3 Maven's.
    #[test]
    fn nothing_is_faster_than_the_cores_compute() {
        let suite = suite(&[("A", 3.0), ("B", 3.0), ("C", 3.0), ("D", 3.0)]);
        let told = JvmWork { beside_startup: 3.5, beside_tests: 6.0, process_startup: 0.5, tests: 9.0, processes: 1 };
        let observed = Observed { wall_seconds: 14.0, cpu_seconds: 14.0, test_seconds: 12.0, jvm: Some(told), suite };
        let model = Model::new(observed, 1);
        assert!((model.startup(2) - 1.5).abs() < 1e-9, "of Maven's compilers half a second was in the start-up");
        assert!((model.sequential(2) - 7.5).abs() < 1e-9, "the program alone would take 3 of these 6 seconds");
        assert!((model.seconds(ParallelMode::Classes, 2) - 7.5).abs() < 1e-9);
        let processes =
            model.seconds(ParallelMode::Forks, 2) - model.startup(2) - model.processes(ParallelMode::Forks, 2);
        assert!((processes - 9.0).abs() < 1e-9, "both compile, but Maven's compilers are there once");
    }

    /// Whatever the model said: where there is a measured time, the curve has it.
    #[test]
    fn a_corrected_curve_has_the_measured_time() {
        for measured in [3.0, 8.4, 40.0] {
            let mut model = model(14.0, 1);
            let before = model.seconds(ParallelMode::Classes, 4);
            let factor = measured / model.seconds(ParallelMode::Classes, 2);
            model.correct(ParallelMode::Classes, 2, measured);
            let curve = model.curve(ParallelMode::Classes, &[2, 4]);
            assert!((curve.points[0].seconds - measured).abs() < 1e-9, "{curve:?}");
            assert!((curve.points[1].seconds - before * factor).abs() < 1e-9, "{curve:?}");
            assert!(curve.bound_seconds.unwrap() <= curve.points[1].seconds + 1e-9, "{curve:?}");
        }
        let mut model = model(14.0, 1);
        model.correct(ParallelMode::Classes, 2, 9.0);
        model.correct(ParallelMode::Classes, 4, 7.0);
        let on = |cores| model.seconds(ParallelMode::Classes, cores);
        assert!((on(2) - 9.0).abs() < 1e-9 && (on(4) - 7.0).abs() < 1e-9, "each number of cores has its own");
    }

    #[test]
    fn a_curve_ends_at_its_longest_piece() {
        let model = model(14.0, 1);
        let curve = model.curve(ParallelMode::Classes, &[2, 4, 8, 16, 32, 64]);
        assert_eq!((curve.knee, curve.bound_by.as_str()), (Some(4), "A"));
        assert!(curve.points.iter().all(|point| point.seconds >= curve.bound_seconds.unwrap() - 1e-9));
        assert!(curve.points.windows(2).all(|pair| pair[1].seconds <= pair[0].seconds + 1e-9));
        let machines = model.on_machines(Scheduler::P2, &[2, 4], 2);
        assert!(machines.points.iter().all(|point| point.seconds >= machines.bound_seconds.unwrap() - 1e-9));
        assert!((machines.points[1].seconds - model.startup(2) - 3.0).abs() < 1e-9);
    }
}
