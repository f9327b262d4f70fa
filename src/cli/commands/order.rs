//! `parade order`: the order that a regression testing algorithm gives to a suite, plain or aware of dependencies; on
//! request, what becomes of the tests in it.

mod inputs;
mod notes;
mod page;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use parade::experiment::{MachineLimits, Mistakes};
use parade::home::Home;
use parade::once::orders::{self, Opening, OrderedRunResult, OrderedSuite, Reached};
use parade::process::Interrupt;
use parade::project::ProjectIdentity;
use parade::project::{self, Choice, Refusal};
use parade::runner::Watcher;
use parade::spec::{Subject, SurefireVersion};
use parade::subject::{self, Silent};
use parade::suite::{Durations, TestId};
use parade::technique::algorithm::Algorithm;
use parade::technique::arrange::{Arrangement, Material, arrange_keeping};
use parade::wording::counted;

use self::inputs::{Inputs, bad_file};
use super::maven_options::MavenOptions;
use super::output::print;
use super::progress::Progress;
use super::{BadUsage, INTERRUPTED, wanted_jdk};

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
    /// An earlier version, which coverage and changes are told of.
    pub since: Option<String>,
    pub save_coverage: Option<PathBuf>,
    pub save_changes: Option<PathBuf>,
    pub run: bool,
    pub module: Vec<String>,
    pub revision: Option<String>,
    pub maven: MavenOptions,
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
    identity: &'a ProjectIdentity,
    ran: Option<&'a OrderedRunResult>,
    /// Is it a model suite?
    virtual_time: bool,
}

/// What becomes of the command: it goes on, or it has told all that there is to tell. `None` when the user interrupted.
enum Step<T> {
    Go(T),
    Told(Option<(String, ExitCode)>),
}

pub fn run(options: &OrderOptions) -> miette::Result<ExitCode> {
    let refused = |Refusal { message, help }| BadUsage { message, help };
    let choice = Choice { revision: options.revision.as_deref(), modules: &options.module };
    let mut subject = project::locate(&options.project, &choice, options.timeout).map_err(refused)?;
    options.maven.apply(&mut subject)?;
    // The direct engine runs the tests, whichever Surefire the project has.
    subject.surefire = SurefireVersion::ProjectIfRecent;
    let inputs = Inputs::read(options, subject.is_model())?;
    if !subject.is_model() {
        subject.jdk = wanted_jdk(options.jdk.as_deref())?;
    } else if options.jdk.is_some() {
        return Err(BadUsage {
            message: "a model suite does not use a JDK".to_owned(),
            help: "leave --jdk out".to_owned(),
        }
        .into());
    }
    let (home, interrupt) = (Home::find()?, Interrupt::install()?);
    let past = match &options.since {
        Some(since) => {
            let past = project::earlier(&options.project, &subject, &options.module, since).map_err(refused)?;
            project::refuse_unknown(&options.project, since).map_err(refused)?;
            Some(past)
        }
        None => None,
    };
    let mut progress = Progress::new();
    let told = tell(options, inputs, (&subject, past.as_ref()), (&home, &interrupt), &mut progress);
    progress.finish();
    match told? {
        Some((text, code)) => print(&text).map(|()| code),
        None => {
            eprintln!("interrupted, so there is no result");
            Ok(ExitCode::from(INTERRUPTED))
        }
    }
}

/// First the earlier version, where there is one to compare with; then the suite itself.
fn tell(
    options: &OrderOptions,
    mut inputs: Inputs,
    (subject, past): (&Subject, Option<&Subject>),
    (home, interrupt): (&Home, &Interrupt),
    watcher: &mut dyn Watcher,
) -> miette::Result<Option<(String, ExitCode)>> {
    let cores = MachineLimits::here().cores;
    let memory_bytes = options.maven.memory_bytes;
    let opening = |subject| Opening { subject, cores, memory_bytes, time_limit: options.timeout, home, interrupt };
    if let Some(past) = past {
        match measure(options, &mut inputs, &opening(past), watcher)? {
            Step::Go(()) => {}
            Step::Told(told) => return Ok(told),
        }
    }
    let mut suite = match open(options, &opening(subject), watcher)? {
        Step::Go(suite) => suite,
        Step::Told(told) => return Ok(told),
    };
    if let (Some(earlier), Some(coverage), true) = (&inputs.since, &inputs.coverage, options.algorithm.needs_change()) {
        let revision = suite.revision.as_deref().unwrap_or_default();
        inputs.change = Some(project::change_since(subject, revision, earlier, coverage, home)?);
    }
    let identity = ProjectIdentity::find(subject, suite.revision.as_deref());
    order(options, inputs, &mut suite, &identity, watcher)
}

fn open(
    options: &OrderOptions,
    opening: &Opening<'_>,
    watcher: &mut dyn Watcher,
) -> miette::Result<Step<Box<OrderedSuite>>> {
    let is_model = opening.subject.is_model();
    let reached = orders::open(opening, watcher);
    Ok(
        match reached
            .map_err(|error| if is_model && !error.is::<Mistakes>() { bad_file(&error).into() } else { error })?
        {
            Reached::Suite(suite) => Step::Go(suite),
            Reached::BuildFailed { reason, log } => {
                Step::Told(Some((page::failed_build(options, &reason, &log)?, ExitCode::FAILURE)))
            }
            Reached::Interrupted => Step::Told(None),
        },
    )
}

/// What tests covered in the earlier version, unless a file says it.
fn measure(
    options: &OrderOptions,
    inputs: &mut Inputs,
    opening: &Opening<'_>,
    watcher: &mut dyn Watcher,
) -> miette::Result<Step<()>> {
    if inputs.coverage.is_some() {
        let stop = || opening.interrupt.is_set();
        inputs.since = Some(subject::resolve(&opening.subject.origin, opening.home, &Silent, &stop)?);
        return Ok(Step::Go(()));
    }
    let mut suite = match open(options, opening, watcher)? {
        Step::Go(suite) => suite,
        Step::Told(told) => return Ok(Step::Told(told)),
    };
    let Some(coverage) = suite.coverage(watcher)? else { return Ok(Step::Told(None)) };
    inputs.since.clone_from(&suite.revision);
    inputs.coverage = Some(coverage);
    Ok(Step::Go(()))
}

/// From an open suite to what is printed; `None` when the user interrupted.
fn order(
    options: &OrderOptions,
    inputs: Inputs,
    suite: &mut OrderedSuite,
    identity: &ProjectIdentity,
    watcher: &mut dyn Watcher,
) -> miette::Result<Option<(String, ExitCode)>> {
    let tests = suite.tests().to_vec();
    let mut inputs = inputs.with_model(options.algorithm, suite.model.as_ref())?;
    let dependencies = inputs::dependencies(options.dependencies.as_deref(), &tests)?;
    if options.algorithm.needs_coverage() && inputs.coverage.is_none() {
        let Some(coverage) = suite.coverage(watcher)? else { return Ok(None) };
        inputs.coverage = Some(coverage);
    }
    inputs.save(options)?;
    let durations = inputs.measured.take().map(|measured| Durations::of_suite(&tests, &measured));
    let seconds = match &durations {
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
    let new = inputs.new_tests(&tests);
    let arranged = arrange_keeping(options.algorithm, &material, &new);
    let arrangement = arranged.map_err(|error| bad_file(&error))?;
    let ran = match options.run.then(|| suite.run(&arrangement.machines, watcher)).transpose()? {
        Some(None) => return Ok(None),
        ran => ran.flatten(),
    };
    let mut notes = notes(options, (&inputs, durations.as_ref()), &tests, suite);
    notes.extend(dependencies.iter().flat_map(|graph| notes::of_dependencies(graph, &arrangement)));
    let told = Told {
        arrangement: &arrangement,
        tests: tests.len(),
        notes,
        jdk: suite.jdk.as_deref(),
        identity,
        ran: ran.as_ref(),
        virtual_time: suite.model.is_some(),
    };
    let text = if options.json { page::document(&told)? } else { page::text(&told) };
    let good = ran.as_ref().is_none_or(OrderedRunResult::is_good);
    Ok(Some((text, if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })))
}

/// What the result rests on that nobody knows.
fn notes(
    options: &OrderOptions,
    (inputs, durations): (&Inputs, Option<&Durations>),
    tests: &[TestId],
    suite: &OrderedSuite,
) -> Vec<String> {
    let mut notes: Vec<String> = suite.notes.iter().map(|finding| finding.text.clone()).collect();
    let new = inputs.new_tests(tests).len();
    if let Some(earlier) = &inputs.since {
        notes.push(format!("coverage was measured on {earlier}"));
    }
    if new > 0 && options.algorithm.needs_change() {
        notes.push(format!("{} no coverage there: selected and put last", counted(new, "test has", "tests have")));
    } else if let Some(coverage) = &inputs.coverage {
        let unknown = tests.iter().filter(|test| !coverage.knows(test)).count();
        if unknown > 0 {
            notes.push(format!(
                "{} no known coverage: covering nothing is assumed",
                counted(unknown, "test has", "tests have")
            ));
        }
    }
    if let Some(durations) = durations {
        let unknown = tests.iter().filter(|test| durations.of(test).is_none()).count();
        if unknown > 0 {
            notes
                .push(format!("{} no known duration; the average is used", counted(unknown, "test has", "tests have")));
        }
    }
    notes
}
