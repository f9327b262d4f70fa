//! Order-dependent tests of a project, now: opened, searched, and what was found written down. No experiment.
//!
//! Every order that was run is on record before the next one starts. A detection that was killed goes on from there: the
//! technique asks for the same runs again and gets what is on record.

pub mod graph;
mod opened;
mod picture;
mod run_folder;

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use miette::miette;

use crate::engine::Resources;
use crate::home::Home;
use crate::process::Interrupt;
use crate::project::Words;
use crate::runner::{Event, Watcher};
use crate::shown_text::duration;
use crate::spec::Subject;
use crate::store::OrderRecords;
use crate::suite::{Conflict, Dependency, Finding, dependency_file};
use crate::technique::detect::{self, Detection, Plan, SearchContext, SearchStop, Settings, Strategy};
use crate::whole_file;

use opened::{Opened, Suite};
use run_folder::DetectionRun;

/// What to look for, and how.
#[derive(Debug)]
pub struct DetectionRequest {
    pub subject: Subject,
    /// `None` for a mix that finds most within the budget.
    pub strategies: Option<Vec<Strategy>>,
    pub settings: Settings,
    pub budget: Duration,
    /// Does what only interleaved classes show count, too? No build runs them so.
    pub interleave: bool,
    /// How often the original order is run first.
    pub baseline: usize,
    pub cores: usize,
    /// For the build, and for each process that runs tests.
    pub memory_bytes: Option<u64>,
    /// The folder that results go below.
    pub results: PathBuf,
    /// Where the dependency file goes besides.
    pub out: Option<PathBuf>,
    /// Do not go on with an unfinished detection.
    pub fresh: bool,
    /// For the build; the budget is for what comes after it.
    pub build_timeout: Duration,
    /// The pause between two words about the progress.
    pub calm: Duration,
}

#[derive(Debug)]
pub enum Ended {
    Done(Box<Found>),
    BuildFailed {
        reason: String,
        log: PathBuf,
    },
    /// The same command goes on; `None` where nothing was begun.
    Interrupted(Option<PathBuf>),
}

/// What was found, and where it is written.
#[derive(Debug)]
pub struct Found {
    pub detection: Detection,
    pub folder: PathBuf,
    pub dependencies: PathBuf,
    pub dot: PathBuf,
    pub svg: PathBuf,
    /// What tests read and write, where a strategy asked for it.
    pub accesses: Option<PathBuf>,
    pub jdk: Option<String>,
    /// What people of its platform call things.
    pub words: Words,
    pub notes: Vec<Finding>,
}

pub fn run(
    order: &DetectionRequest,
    home: &Home,
    interrupt: &Interrupt,
    watcher: &mut dyn Watcher,
) -> miette::Result<Ended> {
    let watcher = RefCell::new(watcher);
    watcher.borrow_mut().event(&Event::Preparing { subject: &order.subject.name });
    let opened = opened::open(order, home, interrupt, &watcher)?;
    if interrupt.is_set() {
        return Ok(Ended::Interrupted(None));
    }
    match opened {
        Opened::BuildFailed { reason, log } => Ok(Ended::BuildFailed { reason, log }),
        Opened::Suite(suite) => run_suite(order, *suite, interrupt, &watcher),
    }
}

fn run_suite(
    order: &DetectionRequest,
    mut suite: Suite,
    interrupt: &Interrupt,
    watcher: &RefCell<&mut dyn Watcher>,
) -> miette::Result<Ended> {
    let mut run = DetectionRun::obtain(order, &suite)?;
    let (dir, logs, identity) = (run.dir().to_owned(), run.logs(), run.identity.clone());
    let mut orders = OrderRecords::new(&mut run.record, &order.subject.name, &identity);
    let note = match orders.count() {
        0 => format!("Results: {}", dir.display()),
        runs => format!("Results: {}; resuming after {runs} recorded runs", dir.display()),
    };
    watcher.borrow_mut().event(&Event::Note(note));
    let plan = Plan {
        strategies: order.strategies.clone(),
        settings: order.settings,
        budget: order.budget,
        baseline: order.baseline,
        resources: Resources { cores: order.cores, memory_bytes: order.memory_bytes, logs },
    };
    let mut last = Instant::now().checked_sub(order.calm);
    let mut hear = |progress: &detect::Progress| {
        if last.is_none_or(|last| last.elapsed() >= order.calm) {
            last = Some(Instant::now());
            let text = format!("{}; at most {} left", progress.text, duration(progress.seconds_left));
            watcher.borrow_mut().event(&Event::Stage { text: &text });
        }
    };
    let company = SearchContext { memory: &mut orders, hear: &mut hear, stop: &|| interrupt.is_set() };
    match detect::detect(suite.session.as_mut(), suite.roster, &plan, company) {
        Ok(detection) => finish(order, detection, run, (suite.jdk, suite.words), suite.notes).map(Ended::Done),
        Err(SearchStop::Interrupted) => Ok(Ended::Interrupted(Some(dir))),
        Err(SearchStop::Budget) => Err(miette!(
            help = "give more with --budget",
            "the budget of {} is too short for the original order",
            duration(order.budget.as_secs_f64())
        )),
        Err(SearchStop::Broken(report)) => Err(report),
    }
}

/// Writes everything; the record of the detection comes last, as it says that all is there.
fn finish(
    order: &DetectionRequest,
    detection: Detection,
    mut run: DetectionRun,
    (jdk, words): (Option<String>, Words),
    notes: Vec<Finding>,
) -> miette::Result<Box<Found>> {
    let dir = run.dir().to_owned();
    let (dependencies, dot, svg) =
        (dir.join("dependencies.toml"), dir.join("dependencies.dot"), dir.join("dependencies.svg"));
    let text = dependency_text(&detection)?;
    whole_file::write_atomically(&dependencies, text.as_bytes())?;
    if let Some(out) = &order.out {
        whole_file::write_atomically(out, text.as_bytes())?;
    }
    whole_file::write_atomically(&dot, graph::dot(&detection.order_dependent).as_bytes())?;
    whole_file::write_atomically(&svg, picture::svg(&detection.order_dependent).as_bytes())?;
    let accesses = run.write_accesses()?;
    run.finish(order, &detection)?;
    let dependencies = order.out.clone().unwrap_or(dependencies);
    Ok(Box::new(Found { detection, folder: dir, dependencies, dot, svg, accesses, jdk, words, notes }))
}

/// What was found as a dependency file, for every command that takes one.
fn dependency_text(detection: &Detection) -> miette::Result<String> {
    let dependencies: Vec<Dependency> = detection
        .order_dependent
        .iter()
        // Of some it is only known that they depend on something.
        .filter(|test| !(test.state_setter_groups.is_empty() && test.polluter_groups.is_empty()))
        .map(|test| Dependency {
            test: test.test.clone(),
            after: test.state_setter_groups.clone(),
            not_after: test.polluter_groups.clone(),
            cleaners: test.cleaners.clone(),
        })
        .collect();
    let (dependencies, conflicts): (Vec<Dependency>, Vec<Conflict>) =
        dependency_file::without_circles(dependencies, &detection.tests);
    let incomplete = detection.order_dependent.iter().filter(|test| !test.complete).map(|test| test.test.clone());
    dependency_file::text_of_detected(&dependencies, &conflicts, &incomplete.collect::<Vec<_>>())
}

/// Can a file be written there? Asked before hours are spent.
pub fn check_writable(file: &Path) -> std::io::Result<()> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    tempfile::Builder::new().prefix(".parade-").tempfile_in(folder).map(drop)
}
