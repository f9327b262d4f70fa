//! What an algorithm goes by besides the suite: files that the options name, and what a model suite declares.

use std::path::Path;

use parade::engine::model::ModelSuite;
use parade::simulation::Workload;
use parade::suite::{Change, Coverage, DependencyGraph, TestId};
use parade::technique::algorithm::Algorithm;

use super::super::BadUsage;
use super::OrderOptions;

#[derive(Debug)]
pub struct Inputs {
    pub coverage: Option<Coverage>,
    pub change: Option<Change>,
    /// As somebody measured them, with the names of that measurement.
    pub measured: Option<Vec<(TestId, f64)>>,
    /// The commit that the coverage is of, where it is an earlier one.
    pub since: Option<String>,
}

impl Inputs {
    /// Reads all that can be read before the suite is opened, as that may take long.
    pub fn read(options: &OrderOptions, is_model: bool) -> Result<Self, BadUsage> {
        refuse_what_has_no_meaning(options)?;
        let algorithm = options.algorithm;
        if is_model && options.since.is_some() {
            return Err(BadUsage {
                message: "a model suite has no earlier versions".to_owned(),
                help: "leave --since out; give the changes with [changes] in the suite, or with --changes".to_owned(),
            });
        }
        if !is_model && algorithm.needs_change() && options.changes.is_none() && options.since.is_none() {
            return Err(lacks_changes(algorithm));
        }
        if options.changes.is_some() && options.since.is_some() {
            return Err(BadUsage {
                message: "--changes and --since cannot be combined".to_owned(),
                help: "leave one of them out".to_owned(),
            });
        }
        refuse_lost_files(options)?;
        if let Some(missing) = options.dependencies.as_deref().filter(|path| !path.is_file()) {
            return Err(BadUsage {
                message: format!("--dependencies: there is no file {}", missing.display()),
                help: "docs/model-suite.md describes the format".to_owned(),
            });
        }
        read(options.dependencies.as_deref(), DependencyGraph::check)?;
        Ok(Inputs {
            coverage: read(options.coverage.as_deref(), Coverage::load)?,
            change: read(options.changes.as_deref(), Change::load)?,
            measured: read(options.durations.as_deref(), |path| Workload::load(path).map(Workload::into_measured))?,
            since: None,
        })
    }

    /// With what a model declares, where no file says it.
    pub fn with_model(mut self, algorithm: Algorithm, model: Option<&ModelSuite>) -> Result<Self, BadUsage> {
        let Some(model) = model else { return Ok(self) };
        if algorithm.needs_coverage() && self.coverage.is_none() {
            let declared = model.coverage().map_err(|error| bad_file(&error))?;
            self.coverage = Some(declared.ok_or_else(|| lacks_coverage(algorithm))?);
        }
        if algorithm.needs_change() && self.change.is_none() {
            self.change = Some(model.changes.clone().ok_or_else(|| lacks_changes(algorithm))?);
        }
        Ok(self)
    }

    /// Writes down what is to be kept.
    pub fn save(&self, options: &OrderOptions) -> miette::Result<()> {
        if let (Some(path), Some(coverage)) = (&options.save_coverage, &self.coverage) {
            coverage.save(path)?;
        }
        if let (Some(path), Some(change)) = (&options.save_changes, &self.change) {
            change.save(path)?;
        }
        Ok(())
    }

    /// Tests that the earlier version lacks, by position; without such a version none is new.
    pub fn new_tests(&self, tests: &[TestId]) -> Vec<usize> {
        match (&self.since, &self.coverage) {
            (Some(_), Some(coverage)) => (0..tests.len()).filter(|at| !coverage.knows(&tests[*at])).collect(),
            _ => Vec::new(),
        }
    }
}

/// The dependencies of a suite, where a file has them.
pub fn dependencies(path: Option<&Path>, suite: &[TestId]) -> Result<Option<DependencyGraph>, BadUsage> {
    read(path, |path| DependencyGraph::load(path, suite))
}

fn read<T>(path: Option<&Path>, load: impl FnOnce(&Path) -> miette::Result<T>) -> Result<Option<T>, BadUsage> {
    path.map(load).transpose().map_err(|error| bad_file(&error))
}

/// A file that is wrong, or does not fit the others.
pub fn bad_file(error: &miette::Report) -> BadUsage {
    let help = error.help().map(|help| help.to_string()).filter(|help| !help.is_empty());
    BadUsage {
        message: error.to_string(),
        help: help.unwrap_or_else(|| "docs/order.md and docs/model-suite.md describe the formats".to_owned()),
    }
}

fn refuse_what_has_no_meaning(options: &OrderOptions) -> Result<(), BadUsage> {
    let algorithm = options.algorithm;
    let given = [
        ("--machines", options.machines.is_some(), algorithm.is_parallel(), "P1, P2 and P3"),
        ("--durations", options.durations.is_some(), algorithm.is_parallel(), "P1, P2 and P3"),
        ("--coverage", options.coverage.is_some(), algorithm.needs_coverage(), "T1 to T4 and S1 to S6"),
        ("--save-coverage", options.save_coverage.is_some(), algorithm.needs_coverage(), "T1 to T4 and S1 to S6"),
        ("--since", options.since.is_some(), algorithm.needs_coverage(), "T1 to T4 and S1 to S6"),
        ("--changes", options.changes.is_some(), algorithm.needs_change(), "S1 to S6"),
        ("--save-changes", options.save_changes.is_some(), algorithm.needs_change(), "S1 to S6"),
    ];
    match given.into_iter().find(|(_, given, meant, _)| *given && !meant) {
        Some((name, _, _, who)) => Err(BadUsage {
            message: format!("{name} has no meaning for {algorithm}"),
            help: format!("leave it out; it is for {who}"),
        }),
        None => Ok(()),
    }
}

/// What could not be written after a long run is better refused before it.
fn refuse_lost_files(options: &OrderOptions) -> Result<(), BadUsage> {
    let has_folder = |path: &Path| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        !path.is_dir() && folder.is_none_or(Path::is_dir)
    };
    let mut written = [&options.save_coverage, &options.save_changes].into_iter().flatten();
    match written.find(|path| !has_folder(path)) {
        Some(lost) => Err(BadUsage {
            message: format!("{} cannot be written: it is a folder, or its folder does not exist", lost.display()),
            help: "give a file in a folder that exists".to_owned(),
        }),
        None => Ok(()),
    }
}

fn lacks_coverage(algorithm: Algorithm) -> BadUsage {
    BadUsage {
        message: format!("{algorithm} needs the coverage of each test"),
        help: "give --coverage FILE, or `covers` in a model suite; see docs/order.md".to_owned(),
    }
}

fn lacks_changes(algorithm: Algorithm) -> BadUsage {
    BadUsage {
        message: format!("{algorithm} needs the changes"),
        help: "give --since with an earlier commit, --changes FILE, or [changes] in a model suite; see docs/order.md"
            .to_owned(),
    }
}
