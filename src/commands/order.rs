//! `parade order`: the order that a regression testing algorithm gives to a suite, plain or aware of dependencies; on
//! request, what becomes of the tests in it.

mod inputs;
mod page;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use parade::experiment::MachineLimits;
use parade::home::Home;
use parade::once::orders::{self, Opening, OrderedSuite, Ran, Reached};
use parade::once::project::{self, Choice, Refusal};
use parade::process::Interrupt;
use parade::runner::Watcher;
use parade::suite::TestId;
use parade::technique::algorithm::Algorithm;
use parade::technique::arrange::{Arrangement, Material, arrange};
use parade::wording::plural;

use self::inputs::{Inputs, bad_file};
use super::output::print;
use super::progress::Progress;
use super::test::wanted_jdk;
use super::{BadUsage, INTERRUPTED};

#[derive(Debug)]
pub struct OrderOptions {
    /// A folder, a url, or a model suite.
    pub project: String,
    pub algorithm: Algorithm,
    pub dependencies: Option<PathBuf>,
    pub machines: Option<usize>,
    pub durations: Option<PathBuf>,
    pub coverage: Option<PathBuf>,
    pub changes: Option<PathBuf>,
    pub run: bool,
    pub module: Vec<String>,
    pub revision: Option<String>,
    pub timeout: Duration,
    pub jdk: Option<String>,
    pub json: bool,
}

/// The smallest number that the study tries.
const MACHINES: usize = 2;

/// What the command has to tell.
struct Told<'a> {
    arrangement: &'a Arrangement,
    /// Of the whole suite.
    tests: usize,
    notes: Vec<String>,
    jdk: Option<&'a str>,
    ran: Option<&'a Ran>,
}

pub fn run(options: &OrderOptions) -> miette::Result<ExitCode> {
    let choice = Choice { revision: options.revision.as_deref(), modules: &options.module };
    let mut subject = project::locate(&options.project, &choice, options.timeout)
        .map_err(|Refusal { message, help }| BadUsage { message, help })?;
    let inputs = Inputs::read(options, subject.is_model())?;
    if !subject.is_model() {
        subject.jdk = wanted_jdk(options.jdk.as_deref())?;
    }
    let (home, interrupt) = (Home::find()?, Interrupt::install()?);
    let opening = Opening {
        subject: &subject,
        cores: MachineLimits::here().cores,
        time_limit: options.timeout,
        home: &home,
        interrupt: &interrupt,
    };
    let mut progress = Progress::new();
    let reached = orders::open(&opening, &mut progress);
    let told = match reached.map_err(|error| if subject.is_model() { bad_file(&error).into() } else { error }) {
        Ok(Reached::Suite(mut suite)) => order(options, inputs, &mut suite, &mut progress),
        Ok(Reached::BuildFailed { reason, log }) => {
            page::failed_build(options, &reason, &log).map(|text| Some((text, ExitCode::FAILURE)))
        }
        Ok(Reached::Interrupted) => Ok(None),
        Err(error) => Err(error),
    };
    progress.finish();
    match told? {
        Some((text, code)) => print(&text).map(|()| code),
        None => {
            eprintln!("interrupted: there is no result");
            Ok(ExitCode::from(INTERRUPTED))
        }
    }
}

/// From an open suite to what is printed; `None` when the user interrupted.
fn order(
    options: &OrderOptions,
    inputs: Inputs,
    suite: &mut OrderedSuite,
    watcher: &mut dyn Watcher,
) -> miette::Result<Option<(String, ExitCode)>> {
    let tests = suite.tests().to_vec();
    let inputs = inputs.with_model(options.algorithm, suite.model.as_ref())?;
    let dependencies = inputs::dependencies(options.dependencies.as_deref(), &tests)?;
    let seconds = match &inputs.durations {
        Some(durations) => Some(durations.for_suite(&tests)),
        None if options.algorithm.needs_times() || suite.model.is_some() => match suite.seconds(watcher)? {
            Some(seconds) => Some(seconds),
            None => return Ok(None),
        },
        None => None,
    };
    let material = Material {
        suite: &tests,
        coverage: inputs.coverage.as_ref(),
        change: inputs.change.as_ref(),
        seconds: seconds.as_deref(),
        dependencies: dependencies.as_ref(),
        machines: options.machines.unwrap_or(MACHINES),
    };
    let arrangement = arrange(options.algorithm, &material).map_err(|error| bad_file(&error))?;
    let ran = match options.run.then(|| suite.run(&arrangement.machines, watcher)).transpose()? {
        Some(None) => return Ok(None),
        ran => ran.flatten(),
    };
    let told = Told {
        arrangement: &arrangement,
        tests: tests.len(),
        notes: notes(&inputs, &tests, suite),
        jdk: suite.jdk.as_deref(),
        ran: ran.as_ref(),
    };
    let text = if options.json { page::document(&told)? } else { page::text(&told) };
    let good = ran.as_ref().is_none_or(Ran::is_good);
    Ok(Some((text, if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })))
}

/// What the result rests on that nobody knows.
fn notes(inputs: &Inputs, tests: &[TestId], suite: &OrderedSuite) -> Vec<String> {
    let mut notes: Vec<String> = suite.notes.iter().map(|finding| finding.text.clone()).collect();
    if let Some(coverage) = &inputs.coverage {
        let unknown = tests.iter().filter(|test| !coverage.knows(test)).count();
        if unknown > 0 {
            notes.push(format!("the coverage lacks {}: taken for covering nothing", plural(unknown, "test")));
        }
    }
    if let Some(durations) = &inputs.durations {
        let unknown = tests.iter().filter(|test| durations.of(test).is_none()).count();
        if unknown > 0 {
            notes.push(format!("the durations lack {}: taken for average", plural(unknown, "test")));
        }
    }
    notes
}
