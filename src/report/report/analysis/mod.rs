//! Everything that a report says about a run, derived purely from its records.
//!
//! The rows are flat, one per cell of the printed tables, so that CSV and JSON hold exactly what the tables show.

mod concurrency;
mod costs;
mod detection;
mod executions;
mod failures;
pub(in crate::report) mod grid;
mod headline;
mod idle_baseline;
pub mod orders;
mod origins;
mod outside_tests;
mod platform;
mod regressions;
mod remains;
mod repairs;
mod savings;
mod scaling;
mod speedups;
mod subjects;
mod threats;
mod timed;
mod warnings;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::engine::EngineKind;
use crate::store::RowTotals;
use crate::store::record::{CommandKind, ConfigurationSummary, Environment, Phase, RunData, RunManifest};
use crate::technique::TechniqueKind;

pub use concurrency::ConcurrencyRow;
pub use costs::CostRow;
pub use detection::{DetectedRow, DetectionTables};
pub use executions::{ExecutionTables, StageRow, TimeRow};
pub use failures::{FailureRow, StageState};
pub use headline::{ComparisonCounts, Headline};
pub use origins::OriginRow;
pub use platform::TestPlatform;
pub use regressions::RegressionRow;
pub use remains::{FindingRow, IncompleteRow, ResidualRow};
pub use savings::SavingRow;
pub use scaling::{ScalingFit, ScalingRow};
pub(in crate::report) use speedups::sound_pairs;
pub use speedups::{AverageRow, Scope, SpeedupRow, SpeedupState};
pub use subjects::{DeviationRow, SetAsideRow, SubjectRow};
pub use threats::Threat;
pub(in crate::report) use threats::all_in_virtual_time;
pub use warnings::{Gravity, Warning, WarningGroup, WarningKind};

use grid::Grid;
use orders::OrderTables;

#[derive(Debug, Clone, PartialEq)]
pub struct Analysis {
    pub run: RunFacts,
    pub machine: Environment,
    pub headline: Headline,
    pub subjects: Vec<SubjectRow>,
    pub deviations: Vec<DeviationRow>,
    pub set_aside: Vec<SetAsideRow>,
    pub failures: Vec<FailureRow>,
    pub speedups: Vec<SpeedupRow>,
    pub averages: Vec<AverageRow>,
    pub savings: Vec<SavingRow>,
    pub concurrency: Vec<ConcurrencyRow>,
    pub costs: Vec<CostRow>,
    pub scaling: Vec<ScalingRow>,
    pub fits: Vec<ScalingFit>,
    pub regressions: Vec<RegressionRow>,
    pub residual: Vec<ResidualRow>,
    pub findings: Vec<FindingRow>,
    pub incomplete: Vec<IncompleteRow>,
    pub origins: Vec<OriginRow>,
    /// What algorithms that order tests do to those that depend on the order.
    pub orders: OrderTables,
    /// What `parade detect` found, if the run is one of it.
    pub detection: DetectionTables,
    pub warnings: Vec<Warning>,
    /// What `tests.parquet` says, where it was read.
    pub executions: Option<ExecutionTables>,
    pub threats: Vec<Threat>,
}

/// What was run, and how.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunFacts {
    #[serde(flatten)]
    pub manifest: RunManifest,
    pub planned_trials: usize,
    pub finished_trials: usize,
    /// Configurations whose orders come from an algorithm: their times are not compared with the baseline's.
    #[serde(skip)]
    pub arranged: BTreeSet<String>,
    /// What ran the trials of each configuration.
    #[serde(skip)]
    pub engines: BTreeMap<String, BTreeSet<EngineKind>>,
}

impl RunFacts {
    /// What was done, and how far it came: `12 of 20 trials`, or a search that has no trials.
    pub fn extent(&self) -> String {
        if self.is_detection() {
            return "search for order-dependent tests".to_owned();
        }
        format!("{} of {} trials", self.finished_trials, self.planned_trials)
    }

    pub fn is_detection(&self) -> bool {
        self.manifest.command == Some(CommandKind::Detect)
    }

    /// The configurations that are compared with the baseline, in the order of the experiment file.
    pub fn candidates(&self) -> impl Iterator<Item = &ConfigurationSummary> {
        self.timed().filter(|configuration| configuration.name != self.manifest.baseline)
    }

    /// Those that can provoke failures: all that run anything in parallel.
    pub fn provoking(&self) -> impl Iterator<Item = &ConfigurationSummary> {
        self.timed().filter(|configuration| configuration.technique != TechniqueKind::Sequential)
    }

    /// Which words explain a configuration.
    pub fn platform(&self, configuration: &str) -> TestPlatform {
        TestPlatform::of(self.engines.get(configuration).into_iter().flatten().copied())
    }

    fn timed(&self) -> impl Iterator<Item = &ConfigurationSummary> {
        self.manifest.configurations.iter().filter(|configuration| !self.arranged.contains(&configuration.name))
    }
}

impl Analysis {
    pub fn of(run: &RunData) -> Analysis {
        Analysis::derived(run, None)
    }

    fn derived(run: &RunData, rows: Option<&RowTotals>) -> Analysis {
        let arranged = timed::arranged(run);
        let timed = timed::timed(run, &arranged);
        let (grid, timed_grid) = (Grid::of(run), Grid::of(&timed));
        let speedups = speedups::rows(&timed_grid);
        let averages = speedups::averages(&timed, &speedups);
        let concurrency = concurrency::rows(&timed_grid);
        let (costs, scaling) = (costs::rows(&grid), scaling::rows(&timed_grid));
        let origins = origins::rows(run);
        let mut warnings = warnings::warnings(&grid, &timed_grid, &speedups, &concurrency);
        warnings.extend(origins::warning(run, &origins));
        let orders = orders::tables(run);
        let detection = detection::tables(run);
        let about_orders = orders.sentence().or_else(|| detection.sentence.clone());
        let mut analysis = Analysis {
            headline: headline::headline(&timed, rows, &speedups, &averages, about_orders),
            subjects: subjects::rows(run),
            deviations: subjects::deviations(run),
            set_aside: subjects::set_aside(run),
            failures: failures::rows(&timed_grid),
            regressions: regressions::rows(&timed, &costs),
            costs,
            fits: scaling::fits(&timed, &scaling),
            scaling,
            residual: remains::residual(run),
            findings: remains::findings(run),
            incomplete: remains::incomplete(&grid),
            warnings: Vec::new(),
            origins,
            orders,
            detection,
            savings: savings::rows(&speedups),
            threats: threats::threats(run, &speedups),
            run: run_facts(run, arranged),
            machine: run.environment.clone(),
            speedups,
            averages,
            concurrency,
            executions: None,
        };
        analysis.add_warnings(warnings);
        analysis
    }

    /// The gravest warnings stay first, and the headline is told with them.
    fn add_warnings(&mut self, warnings: Vec<Warning>) {
        self.warnings.extend(warnings);
        warnings::by_gravity(&mut self.warnings);
        self.headline.caveats = warnings::caveats(&self.warnings);
    }

    /// The same, with every record held against the executions that it sums up.
    pub fn checked(run: &RunData, rows: &RowTotals) -> Analysis {
        let grid = Grid::of(run);
        let mut analysis = Analysis::derived(run, Some(rows));
        analysis.add_warnings(executions::warnings(&grid, rows));
        analysis.executions = Some(executions::tables(&grid, rows));
        analysis
    }
}

fn run_facts(run: &RunData, arranged: BTreeSet<String>) -> RunFacts {
    RunFacts {
        planned_trials: run.manifest.trials.len(),
        finished_trials: run.trials.iter().filter(|trial| trial.phase == Phase::Measured).count(),
        manifest: run.manifest.clone(),
        arranged,
        engines: engines(run),
    }
}

fn engines(run: &RunData) -> BTreeMap<String, BTreeSet<EngineKind>> {
    let mut engines: BTreeMap<String, BTreeSet<EngineKind>> = BTreeMap::new();
    for (trial, engine) in run.trials.iter().filter_map(|trial| trial.engine.map(|engine| (trial, engine))) {
        engines.entry(trial.configuration.clone()).or_default().insert(engine);
    }
    engines
}
