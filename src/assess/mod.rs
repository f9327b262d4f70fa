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
mod looking;
mod pace;
pub mod scaling;
pub mod survey;
mod taken;
pub mod ways;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use miette::miette;
use serde::Deserialize;

use crate::bad_usage::BadUsage;
use crate::experiment::{self, Experiment, MachineLimits, Plan, Subject};
use crate::home::Home;
use crate::process::Interrupt;
use crate::runner::{self, Event, Watcher};
use crate::store::RunFolder;
use crate::store::record::{Phase, RunData, TrialRecord, Verdict};
use crate::whole_file;
use crate::wording::{counted, plural};

use agenda::{Glimpse, Reached};
use answer::Answer;
use costs::Rates;
use pace::{Clock, Purse, Stage};
use survey::{Survey, Surveyed};
use taken::Taken;
use ways::{SEQUENTIAL, Way};

/// Begins the mark of all processes that the runner does not start.
const TAG: &str = "assess";
/// Of what is left, for trying every way once; where that takes more, what is most needed comes first.
const FOR_FIRST_BLOCK: f64 = 0.6;
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

impl Order {
    /// So much time, if the budget has it.
    fn within(&self, time: Duration, began: Instant) -> Duration {
        self.budget.map_or(time, |budget| time.min(budget.saturating_sub(began.elapsed())))
    }
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
    let survey = match survey::survey(order, &folder, home, interrupt, watcher, began)? {
        Surveyed::Known(survey) => *survey,
        Surveyed::BuildFailed { reason, log } => return build_failed(order, began, reason, log),
        Surveyed::Interrupted => return Ok(Ended::Interrupted),
    };
    let budget = order.budget.unwrap_or_else(|| agenda::default_budget(survey.seconds));
    let is_cut_off = survey.is_cut_off && order.within(Duration::MAX, began).is_zero();
    if is_cut_off || survey.seconds >= budget.as_secs_f64() {
        return Err(too_small(budget, &sequential_run(&survey)));
    }
    let text = agenda::experiment_text(order, &survey, &order.subject.name);
    let experiment = experiment(order, &text, &folder)?;
    // For the run's folder, which others may see.
    let text = crate::subject::redact(&text);
    let standing = Standing::of(&folder, &text, order.fresh);
    let earlier = if standing.is_new { 0.0 } else { standing.spent(&survey) };
    let model = order.subject.is_model().then_some(survey.seconds);
    let clock = Clock { began, earlier, model };
    let results = Results { folder, text, fresh: standing.is_new };
    let mut assessment = Assessment { order, home, interrupt, experiment, survey, budget, clock, results, standing };
    assessment.carry_out(watcher)
}

/// A build that the budget cut off is none that failed.
fn build_failed(order: &Order, began: Instant, reason: String, log: PathBuf) -> miette::Result<Ended> {
    match order.budget.filter(|budget| began.elapsed() >= *budget) {
        Some(budget) => Err(too_small(budget, "building it and running its tests once did not come to an end in it")),
        None => Ok(Ended::BuildFailed { reason, log }),
    }
}

fn sequential_run(survey: &Survey) -> String {
    if survey.is_cut_off {
        return "one run of the suite, one test after the other, did not come to its end in it".to_owned();
    }
    let run = Duration::from_secs_f64(survey.seconds.ceil());
    format!("one run of the suite, one test after the other, takes {}", agenda::shown(run))
}

/// A run that is cut off would look like a suite that hangs.
fn too_small(budget: Duration, why: &str) -> miette::Report {
    BadUsage {
        message: format!("a budget of {} is too small: {why}", agenda::shown(budget)),
        help: "give a --budget of twelve runs, or --module for a part of it; if it hangs, `parade test … --technique sequential --timeout TIME` says where".to_owned(),
    }
    .into()
}

/// What an earlier sitting has left.
#[derive(Debug, Default)]
struct Standing {
    /// Has a new run to begin?
    is_new: bool,
    trials: Vec<TrialRecord>,
    /// The answer that was given, if it came to that.
    answered: Option<Answered>,
}

/// Of an answer, what the next sitting has to know.
#[derive(Debug, Clone, Copy, Deserialize)]
struct Answered {
    budget_seconds: f64,
    spent_seconds: f64,
}

impl Standing {
    /// Of the last run, if that was of the same project and plan.
    fn of(folder: &Path, text: &str, fresh: bool) -> Self {
        let latest = RunFolder::open(&folder.join("latest")).ok();
        let same = latest.filter(|latest| !fresh && latest.experiment_text().is_ok_and(|before| before == text));
        let Some(same) = same else { return Standing { is_new: true, ..Standing::default() } };
        let answer = whole_file::read(&same.dir().join(ANSWER)).ok();
        let answered = answer.and_then(|answer| serde_json::from_str(&answer).ok());
        let trials = same.read().map(|run| run.trials).unwrap_or_default();
        Standing { is_new: false, trials, answered }
    }

    fn spent(&self, survey: &Survey) -> f64 {
        let ran = || survey.seconds + self.trials.iter().map(|record| record.cost.wall_seconds).sum::<f64>();
        self.answered.map_or_else(ran, |answered| answered.spent_seconds)
    }

    /// Was the question answered with as much time as there is now?
    fn suffices(&self, budget: Duration) -> bool {
        self.answered.is_some_and(|answered| answered.budget_seconds >= budget.as_secs_f64())
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

/// Where the records are.
struct Results {
    folder: PathBuf,
    text: String,
    /// Only the first call of the runner starts a new run.
    fresh: bool,
}

/// An assessment under way.
struct Assessment<'a> {
    order: &'a Order,
    home: &'a Home,
    interrupt: &'a Interrupt,
    experiment: Experiment,
    survey: Survey,
    budget: Duration,
    clock: Clock,
    results: Results,
    standing: Standing,
}

/// What the measurements came to.
#[derive(Debug, Default)]
struct Sitting {
    plan: Vec<agenda::Item>,
    /// Configurations of which a run was cut off by the end of the budget.
    cut: BTreeSet<String>,
    is_interrupted: bool,
}

impl Assessment<'_> {
    fn carry_out(&mut self, watcher: &mut dyn Watcher) -> miette::Result<Ended> {
        let is_done = self.standing.suffices(self.budget);
        let sitting = if is_done { Sitting::default() } else { self.measure(watcher)? };
        if sitting.is_interrupted {
            return Ok(Ended::Interrupted);
        }
        let folder = RunFolder::open(&self.results.folder.join("latest"))?;
        let run = folder.read()?;
        let cores = self.order.cores;
        let first_look = evidence::measure(&run, &folder, cores, &BTreeSet::new())?;
        let causes = self.causes(&run, &first_look, &folder, is_done, watcher)?;
        if self.interrupt.is_set() {
            return Ok(Ended::Interrupted);
        }
        let measured = evidence::measure(&run, &folder, cores, &looking::by_chance(&causes))?;
        let (budget, spent) = self.told_budget(&run, is_done);
        let conclusion = conclude::Conclusion {
            order: self.order,
            survey: &self.survey,
            run: &run,
            folder: &folder,
            first_look: &first_look,
            measured: &measured,
            causes,
            left_out: left_out(&self.survey, &run.trials),
            plan: sitting.plan,
            cut: sitting.cut,
            budget,
            spent,
        };
        conclusion.answer().map(|answer| Ended::Answered(Box::new(answer)))
    }

    /// What was measured within a larger budget before is told with that one.
    fn told_budget(&self, run: &RunData, is_done: bool) -> (f64, f64) {
        let now = (self.budget.as_secs_f64(), self.clock.spent(&run.trials));
        let before = self.standing.answered.map(|answered| (answered.budget_seconds, answered.spent_seconds));
        before.filter(|_| is_done).unwrap_or(now)
    }

    /// Tries ways that have not been tried, then repeats those that may pay off for as long as there is time.
    fn measure(&mut self, watcher: &mut dyn Watcher) -> miette::Result<Sitting> {
        let (whole, cores) = (Plan::of(&self.experiment), self.order.cores);
        let mut sitting = Sitting::default();
        let mut trials = std::mem::take(&mut self.standing.trials);
        let reached = if self.standing.answered.is_some() { blocks(&trials, cores) } else { 0 };
        let block = (reached + 1).min(agenda::MOST_BLOCKS);
        let tryout = self.tryout(&whole, block, &trials, &mut sitting, watcher);
        trials = self.run((Stage::Trying, &tryout), trials, &mut sitting, watcher)?;
        while !sitting.is_interrupted {
            let chosen = agenda::survivors(&glimpses(&trials, cores, self.survey.seconds));
            let reached = Reached { blocks: blocks(&trials, cores), from: block.max(2) };
            let taken = Taken::of(&self.survey, cores, &trials);
            let time = (self.left(&trials), self.order.budget.is_some());
            let rest = agenda::rest(&whole, &chosen, cores, &taken, reached, time);
            let is_new = |trial: &&experiment::Trial| !trials.iter().any(|record| record.trial == trial.id);
            let missing: Vec<f64> = rest.trials.iter().filter(is_new).map(|trial| taken.of_trial(trial)).collect();
            if chosen.is_empty() || missing.is_empty() {
                break;
            }
            let about = agenda::shown(Duration::from_secs_f64(missing.iter().sum::<f64>().clamp(0.0, 1e9)));
            let runs = plural(missing.len(), "run");
            watcher.event(&Event::Note(format!("Next: {runs} of {SEQUENTIAL}, {}, about {about}", names(&chosen))));
            let before = trials.len();
            trials = self.run((Stage::Repeating, &rest), trials, &mut sitting, watcher)?;
            if trials.len() == before {
                break;
            }
        }
        Ok(sitting)
    }

    /// The block in which ways are tried for the first time, told before it is run.
    fn tryout(
        &self,
        whole: &Plan,
        block: u32,
        trials: &[TrialRecord],
        sitting: &mut Sitting,
        watcher: &mut dyn Watcher,
    ) -> Plan {
        let (cores, left, strict) = (self.order.cores, self.left(trials), self.order.budget.is_some());
        let has = |name: &str, cores: usize| {
            trials.iter().any(|record| record.configuration == name && record.cores == cores && self.is_answered())
        };
        let untried: Vec<Way> =
            agenda::by_promise(&self.survey).into_iter().filter(|way| !has(way.name(), cores)).collect();
        let ways = agenda::affordable(&self.survey, untried, left * FOR_FIRST_BLOCK);
        sitting.plan = agenda::outlook(&self.survey, &ways, self.budget, Duration::from_secs_f64(left));
        self.tell(&sitting.plan, watcher);
        let fits = agenda::affords_single_core(&self.survey, &ways, left);
        let single_core = !has(SEQUENTIAL, 1) && (!strict || fits);
        if ways.is_empty() && !single_core {
            return Plan { trials: Vec::new() };
        }
        let plan = agenda::tryout(whole, block, &ways, cores, single_core);
        let taken = Taken::of(&self.survey, cores, trials);
        let expected: f64 = plan.trials.iter().map(|trial| taken.of_trial(trial)).sum();
        let is_tight = strict && expected > left * FOR_FIRST_BLOCK;
        if is_tight { agenda::most_needed_first(plan, &ways, cores) } else { plan }
    }

    fn is_answered(&self) -> bool {
        self.standing.answered.is_some()
    }

    /// What is left of the budget, in seconds.
    fn left(&self, trials: &[TrialRecord]) -> f64 {
        (self.budget.as_secs_f64() - self.clock.spent(trials)).max(0.0)
    }

    /// As much of a plan as there is time for; all trials so far come back.
    fn run(
        &mut self,
        (stage, plan): (Stage, &Plan),
        trials: Vec<TrialRecord>,
        sitting: &mut Sitting,
        watcher: &mut dyn Watcher,
    ) -> miette::Result<Vec<TrialRecord>> {
        if plan.trials.is_empty() {
            return Ok(trials);
        }
        let strict = self.order.budget.is_some();
        let purse =
            Purse::new((&self.survey, &self.clock), (self.budget, strict), self.order.cores, (stage, plan), &trials);
        let order = runner::Order {
            experiment: &self.experiment,
            experiment_text: &self.results.text,
            experiment_folder: None,
            plan,
            results: self.order.results.clone(),
            fresh: std::mem::take(&mut self.results.fresh),
            accept_changes: false,
            quick: false,
            retry: false,
            histories: &[],
            pace: Some(&purse),
        };
        let summary = runner::run(&order, self.home, self.interrupt, watcher)?;
        sitting.cut.extend(purse.cut());
        sitting.is_interrupted = summary.interrupted;
        Ok(summary.folder.read()?.trials)
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
}

/// Ways that were never run.
fn left_out(survey: &Survey, trials: &[TrialRecord]) -> Vec<Way> {
    let was_run = |way: &Way| trials.iter().any(|trial| trial.configuration == way.name());
    survey.ways.iter().copied().filter(|way| !was_run(way)).collect()
}

fn names(ways: &[Way]) -> String {
    ways.iter().map(|way| way.name()).collect::<Vec<_>>().join(", ")
}

/// The last block that has a baseline on all cores.
fn blocks(trials: &[TrialRecord], cores: usize) -> u32 {
    let baselines = trials
        .iter()
        .filter(|trial| trial.phase == Phase::Measured && trial.configuration == SEQUENTIAL && trial.cores == cores);
    baselines.map(|trial| trial.repetition).max().unwrap_or(0)
}

/// What the first run of each way showed, beside the baseline of the same block.
fn glimpses(trials: &[TrialRecord], cores: usize, sequential: f64) -> Vec<Glimpse> {
    let measured = || trials.iter().filter(|trial| trial.phase == Phase::Measured && trial.cores == cores);
    let mut first: BTreeMap<Way, &TrialRecord> = BTreeMap::new();
    for trial in measured() {
        let Some(way) = Way::of_name(&trial.configuration) else { continue };
        let known = first.entry(way).or_insert(trial);
        if trial.repetition < known.repetition {
            *known = trial;
        }
    }
    let baseline = |block: u32| {
        let same = measured().find(|trial| trial.configuration == SEQUENTIAL && trial.repetition == block);
        same.map_or(sequential, |trial| trial.cost.wall_seconds)
    };
    let glimpse = |(way, trial): (Way, &TrialRecord)| {
        // Before any repair: what repairs cost can change once tests are mended.
        let seconds = trial.stages.first().map_or(trial.cost.wall_seconds, |stage| stage.cost.wall_seconds);
        Glimpse {
            way,
            overlapped: trial.concurrency.max > 1,
            complete: matches!(trial.verdict, Verdict::Clean | Verdict::Failing),
            share: seconds / baseline(trial.repetition).max(1e-9),
        }
    };
    first.into_iter().map(glimpse).collect()
}
