//! Would running these tests in parallel pay off? A project is surveyed, measured by the runner in an experiment made for it,
//! modelled, and answered. The project itself is never written to: everything works on a copy.
//!
//! The measurements are a run like any other: kept by `store`, resumed, and readable by `parade report`. What is decided from
//! them is decided by pure functions.

pub mod advice;
pub mod agenda;
pub mod answer;
mod beside;
pub mod causes;
mod conclude;
pub mod costs;
pub mod decide;
pub mod evidence;
pub mod forecast;
pub mod scaling;
pub mod survey;
pub mod ways;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

use miette::miette;

use crate::bad_usage::BadUsage;
use crate::engine::Session;
use crate::engine::direct::DirectSession;
use crate::engine::model::ModelSession;
use crate::engine::surefire::SurefireSession;
use crate::experiment::{self, Experiment, MachineLimits, Origin, Plan, Subject};
use crate::home::Home;
use crate::process::Interrupt;
use crate::runner::{self, Event, Summary, Watcher};
use crate::store::RunFolder;
use crate::store::record::{RunData, Verdict};
use crate::subject::Built;
use crate::subject::build::Prepared;
use crate::suite::TestId;
use crate::wording::{counted, plural};

use agenda::{Glimpse, Taken};
use answer::Answer;
use causes::{Beside, Cause, Laboratory};
use costs::Rates;
use evidence::Measured;
use survey::{Survey, Surveyed};
use ways::Way;

/// Begins the mark of all processes that the runner does not start.
const TAG: &str = "assess";
/// A few tests can be looked into whatever the budget was.
const LEAST_FOR_CAUSES: Duration = Duration::from_secs(10);
/// The answer in a run's folder; the last thing that is written.
pub const ANSWER: &str = "assessment/answer.json";

/// What is asked.
#[derive(Debug)]
pub struct Order {
    pub subject: Subject,
    /// As the user named it.
    pub project: String,
    pub cores: usize,
    /// For everything; without one it follows from the first run.
    pub budget: Option<Duration>,
    pub build_timeout: Duration,
    /// The folder that results go below; not inside the project.
    pub results: PathBuf,
    pub fresh: bool,
    pub rates: Rates,
}

#[derive(Debug)]
pub enum Ended {
    Answered(Box<Answer>),
    BuildFailed {
        reason: String,
        log: PathBuf,
    },
    /// The same command goes on.
    Interrupted,
}

/// From a project to the answer.
pub fn run(order: &Order, home: &Home, interrupt: &Interrupt, watcher: &mut dyn Watcher) -> miette::Result<Ended> {
    let began = Instant::now();
    let folder = order.results.join(&order.subject.name);
    let folder = std::path::absolute(&folder).map_err(|error| miette!("{}: {error}", folder.display()))?;
    let survey = match survey::survey(order, &folder, home, interrupt, watcher)? {
        Surveyed::Known(survey) => *survey,
        Surveyed::BuildFailed { reason, log } => return Ok(Ended::BuildFailed { reason, log }),
        Surveyed::Interrupted => return Ok(Ended::Interrupted),
    };
    let budget = order.budget.unwrap_or_else(|| agenda::default_budget(survey.seconds));
    if survey.seconds >= budget.as_secs_f64() {
        return Err(too_small(budget, &survey));
    }
    let text = agenda::experiment_text(order, &survey, &order.subject.name, budget);
    let experiment = experiment(order, &text, &folder)?;
    // For the run's folder, which others may see.
    let text = crate::subject::redact(&text);
    let (fresh, is_done) = standing(&folder, &text, order.fresh);
    let mut assessment = Assessment { order, home, interrupt, experiment, text, survey, budget, began, fresh, is_done };
    assessment.carry_out(watcher)
}

/// A run that is cut off would look like a suite that hangs.
fn too_small(budget: Duration, survey: &Survey) -> miette::Report {
    let run = if survey.is_cut_off {
        "one run of the suite, one test after the other, did not come to its end in it".to_owned()
    } else {
        let run = Duration::from_secs_f64(survey.seconds.ceil());
        format!("one run of the suite, one test after the other, takes {}", agenda::shown(run))
    };
    BadUsage {
        message: format!("a budget of {} is too small: {run}", agenda::shown(budget)),
        help: "give a --budget of twelve runs, or --module for a part of it; if it hangs, `parade test … --technique sequential --timeout TIME` says where".to_owned(),
    }
    .into()
}

/// Has a new run to begin, or was the last one of the same project and plan answered already?
fn standing(folder: &Path, text: &str, fresh: bool) -> (bool, bool) {
    let latest = RunFolder::open(&folder.join("latest")).ok();
    let same = latest.filter(|latest| !fresh && latest.experiment_text().is_ok_and(|before| before == text));
    match same {
        Some(latest) => (false, latest.dir().join(ANSWER).is_file()),
        None => (true, false),
    }
}

/// The experiment that the text describes.
fn experiment(order: &Order, text: &str, folder: &Path) -> miette::Result<Experiment> {
    let path = folder.join("experiment.toml");
    let loaded = experiment::parse(text.as_bytes().to_vec(), &path, &MachineLimits::here())?;
    let mut experiment = loaded.experiment;
    if let Some(jdk) = &order.subject.jdk {
        experiment.use_jdk(jdk);
    }
    Ok(experiment)
}

/// An assessment under way.
struct Assessment<'a> {
    order: &'a Order,
    home: &'a Home,
    interrupt: &'a Interrupt,
    experiment: Experiment,
    text: String,
    survey: Survey,
    budget: Duration,
    began: Instant,
    /// Only the first call of the runner starts a new run.
    fresh: bool,
    /// Was the whole of it measured before?
    is_done: bool,
}

impl Assessment<'_> {
    fn carry_out(&mut self, watcher: &mut dyn Watcher) -> miette::Result<Ended> {
        let (whole, cores) = (Plan::of(&self.experiment), self.order.cores);
        let ways = agenda::affordable(&self.survey, self.left().as_secs_f64() * 0.6);
        let plan = agenda::outlook(&self.survey, &ways, self.budget, self.left());
        self.tell(&plan, watcher);
        let fits = agenda::affords_single_core(&self.survey, &ways, self.left().as_secs_f64());
        let single_core = !self.is_done && (self.order.budget.is_none() || fits);
        let first = self.run(&agenda::first_block(&whole, &ways, cores, single_core), watcher)?;
        if first.interrupted {
            return Ok(Ended::Interrupted);
        }
        let run = first.folder.read()?;
        let (glimpses, taken) = glimpses(&run, cores);
        let chosen = agenda::survivors(&glimpses);
        let strict = self.order.budget.is_some();
        let rest = agenda::rest(&whole, &chosen, cores, &taken, self.left().as_secs_f64(), strict);
        let mut folder = first.folder;
        if !self.is_done && !chosen.is_empty() && !rest.plan.trials.is_empty() {
            watcher.event(&Event::Note(format!(
                "Next: {} of {}, about {}",
                plural(rest.blocks as usize - 1, "block"),
                names(&chosen),
                agenda::shown(Duration::from_secs_f64(rest.seconds.clamp(0.0, 1e9)))
            )));
            let second = self.run(&rest.plan, watcher)?;
            if second.interrupted {
                return Ok(Ended::Interrupted);
            }
            folder = second.folder;
        }
        let run = folder.read()?;
        let measured = evidence::measure(&run, &folder, cores)?;
        let causes = self.causes(&run, &measured, &folder, watcher)?;
        if self.interrupt.is_set() {
            return Ok(Ended::Interrupted);
        }
        let conclusion = conclude::Conclusion {
            order: self.order,
            survey: &self.survey,
            run: &run,
            folder: &folder,
            measured: &measured,
            causes,
            plan,
            left_out: left_out(&self.survey, &ways),
            budget: self.budget,
            spent: self.began.elapsed(),
        };
        conclusion.answer().map(|answer| Ended::Answered(Box::new(answer)))
    }

    /// What is left of the budget.
    fn left(&self) -> Duration {
        self.budget.saturating_sub(self.began.elapsed())
    }

    fn run(&mut self, plan: &Plan, watcher: &mut dyn Watcher) -> miette::Result<Summary> {
        let order = runner::Order {
            experiment: &self.experiment,
            experiment_text: &self.text,
            experiment_folder: None,
            plan,
            results: self.order.results.clone(),
            fresh: std::mem::take(&mut self.fresh),
            accept_changes: false,
            quick: false,
            retry: false,
            histories: &[],
        };
        runner::run(&order, self.home, self.interrupt, watcher)
    }

    /// What will be done, before it is.
    fn tell(&self, plan: &[agenda::Item], watcher: &mut dyn Watcher) {
        let survey = &self.survey;
        let mut note = |text: String| watcher.event(&Event::Note(text));
        note(format!(
            "{} in {}, {}; {}; one after the other they took {:.1} s",
            plural(survey.tests, "test"),
            counted(survey.classes, "class", "classes"),
            survey.frameworks.join(", "),
            survey.build_tool,
            survey.seconds
        ));
        survey.parallel_today.iter().for_each(|today| note(format!("today: {today}")));
        survey.impossible.iter().for_each(|(way, why)| note(format!("not possible here: {way}: {why}")));
        note(format!("Plan within {}:", agenda::shown(self.budget)));
        for item in plan {
            let time = agenda::shown(Duration::from_secs_f64(item.seconds.clamp(0.0, 1e9)));
            note(format!("  {:>8}, about {time:>6}: {}", plural(item.runs, "run"), item.what));
        }
    }

    /// Why tests failed in parallel.
    fn causes(
        &self,
        run: &RunData,
        measured: &Measured,
        folder: &RunFolder,
        watcher: &mut dyn Watcher,
    ) -> miette::Result<Vec<Cause>> {
        let tests = failed_tests(measured);
        if tests.is_empty() {
            return Ok(Vec::new());
        }
        watcher
            .event(&Event::Note(format!("Looking into {} that failed in parallel only", plural(tests.len(), "test"))));
        let logs = folder.logs("causes");
        let stop = || self.interrupt.is_set();
        if let Origin::Model { path } = &self.order.subject.origin {
            let mut session = ModelSession::load(path, 0)?;
            let time = self.left().max(LEAST_FOR_CAUSES);
            let laboratory = Laboratory { session: &mut session, cores: self.order.cores, logs, time, stop: &stop };
            return causes::explain(laboratory, &tests, &BTreeMap::new());
        }
        let watcher = RefCell::new(watcher);
        let built = survey::build(self.order, &self.survey.revision, self.home, self.interrupt, &watcher)?;
        let Built::Ready { prepared, .. } = built else { return Ok(Vec::new()) };
        let prepared: Rc<Prepared> = Rc::from(prepared);
        let mut surefire = SurefireSession::open(Rc::clone(&prepared), TAG, self.interrupt.clone())?;
        let beside = self.beside(run, measured, &mut surefire, &logs)?;
        let mut direct = DirectSession::open(prepared, TAG, self.interrupt.clone()).ok();
        let session: &mut dyn Session = match &mut direct {
            Some(direct) => direct,
            None => &mut surefire,
        };
        let time = self.left().max(LEAST_FOR_CAUSES);
        let laboratory = Laboratory { session, cores: self.order.cores, logs, time, stop: &stop };
        causes::explain(laboratory, &tests, &beside)
    }

    /// What tests do beside others once more, in the way in which most of them fail.
    fn beside(
        &self,
        run: &RunData,
        measured: &Measured,
        session: &mut SurefireSession,
        logs: &Path,
    ) -> miette::Result<BTreeMap<TestId, Beside>> {
        let worst = measured.ways.iter().max_by_key(|evidence| evidence.failed.len() + evidence.unrepaired.len());
        let configuration = worst.and_then(|evidence| self.experiment.configuration(evidence.way.name()));
        let (Some(worst), Some(configuration)) = (worst, configuration) else { return Ok(BTreeMap::new()) };
        let again = beside::Again {
            parallelism: configuration.parallelism,
            cores: self.order.cores,
            logs,
            sequential: self.survey.seconds,
            limit: agenda::trial_limit(&self.survey, self.budget),
            time: self.left().max(LEAST_FOR_CAUSES),
            cut: beside::cut_down(run, worst.way),
        };
        again.look(session)
    }
}

/// Every test that failed in some parallel run, and was not set aside.
fn failed_tests(measured: &Measured) -> BTreeSet<TestId> {
    let named = measured.ways.iter().flat_map(|evidence| evidence.failed.keys().chain(evidence.unrepaired.keys()));
    named.filter_map(|test| test.parse().ok()).filter(|test: &TestId| !test.is_whole_class()).collect()
}

fn left_out(survey: &Survey, ways: &[Way]) -> Vec<Way> {
    survey.ways.iter().copied().filter(|way| !ways.contains(way)).collect()
}

fn names(ways: &[Way]) -> String {
    ways.iter().map(|way| way.name()).collect::<Vec<_>>().join(", ")
}

/// What the first block showed, and what its runs took.
fn glimpses(run: &RunData, cores: usize) -> (Vec<Glimpse>, Taken) {
    let (mut glimpses, mut taken) = (Vec::new(), Taken::default());
    for trial in run.trials.iter().filter(|trial| trial.repetition == 1) {
        let seconds = trial.cost.wall_seconds;
        taken.note(&trial.configuration, trial.cores, seconds);
        let Some(way) = Way::of_name(&trial.configuration).filter(|_| trial.cores == cores) else { continue };
        let complete = matches!(trial.verdict, Verdict::Clean | Verdict::Failing);
        // Before any repair: what repairs cost can change once tests are mended.
        let seconds = trial.stages.first().map_or(seconds, |stage| stage.cost.wall_seconds);
        glimpses.push(Glimpse { way, overlapped: trial.concurrency.max > 1, complete, seconds });
    }
    (glimpses, taken)
}
