//! Would running these tests in parallel pay off? A project is surveyed, measured by the runner in an experiment made for it,
//! modelled, and answered. The project itself is never written to: everything works on a copy.
//!
//! The measurements are a run like any other: kept by `store`, resumed, and readable by `parade report`. What is decided from
//! them is decided by pure functions.

pub mod advice;
pub mod agenda;
pub mod answer;
mod budget;
pub mod causes;
mod conclude;
pub mod costs;
pub mod decide;
mod diagnosis;
pub mod evidence;
mod figures;
pub mod firmness;
pub mod forecast;
pub mod parallel_mode;
mod repeated_runs;
mod run_time_estimates;
pub mod scaling;
mod schedule;
mod sentence;
pub mod survey;
pub mod untried;

use std::cell::Cell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::bad_usage::BadUsage;
use crate::experiment::{self, Experiment, MachineLimits, Plan};
use crate::file_error::file_error;
use crate::home::Home;
use crate::process::Interrupt;
use crate::runner::{self, BudgetPolicy, Event, ExperimentRequest, Watcher};
use crate::spec::Subject;
use crate::store::record::{CommandKind, Phase, RunData, StepKind, StepRecord, TrialRecord};
use crate::store::{OpenRun, RunFolder};
use crate::wording::{VIRTUAL_TIME, counted, plural};

use answer::Answer;
use budget::{Budget, BudgetedSchedule, Clock};
use causes::Kind;
use costs::Rates;
use evidence::Pardoned;
use parallel_mode::{ParallelMode, SEQUENTIAL};
use run_time_estimates::RunTimeEstimates;
use schedule::{BlockSchedule, EarlierBlocks, MOST_BLOCKS};
use survey::{Survey, Surveyed};

/// Begins the mark of all processes that the runner does not start.
const TAG: &str = "assess";
/// The answer in a run's folder; the last thing that is written.
pub const ANSWER: &str = "assessment/answer.json";

/// What is asked.
#[derive(Debug)]
pub struct AssessmentRequest {
    pub subject: Subject,
    /// As the user named it.
    pub project: String,
    pub cores: usize,
    /// For the build, and for each run.
    pub memory_bytes: Option<u64>,
    /// For everything; without one it follows from the first run.
    pub budget: Option<Duration>,
    pub build_timeout: Duration,
    /// The folder that results go below; not inside the project.
    pub results: PathBuf,
    pub fresh: bool,
    pub rates: Rates,
}

impl AssessmentRequest {
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
pub fn run(
    order: &AssessmentRequest,
    home: &Home,
    interrupt: &Interrupt,
    watcher: &mut dyn Watcher,
) -> miette::Result<Ended> {
    let began = Instant::now();
    let folder = order.results.join(&order.subject.name);
    let folder =
        std::path::absolute(&folder).map_err(|error| file_error(format_args!("{}", folder.display()), &error))?;
    let survey = match survey::survey(order, &folder, home, interrupt, watcher, began)? {
        Surveyed::Known(survey) => *survey,
        Surveyed::BuildFailed { reason, log } => return build_failed(order, began, reason, log),
        Surveyed::Interrupted => return Ok(Ended::Interrupted),
    };
    if survey.is_cut_off {
        return Err(cut_off(order, &survey));
    }
    let time = order.budget.unwrap_or_else(|| agenda::default_budget(survey.seconds));
    let budget = Budget { time, is_strict: order.budget.is_some() };
    let text = agenda::experiment_text(order, &survey, &order.subject.name);
    let experiment = experiment(order, &text, &folder)?;
    // For the run's folder, which others may see.
    let text = crate::redaction::redact(&text);
    let standing = PreviousSittings::of(&folder, &text, order.fresh);
    let earlier = standing.spent(&survey);
    let model = order.subject.is_model().then_some(survey.seconds);
    let clock = Clock { began, earlier, model, lost: Cell::new(0.0) };
    let mut assessment =
        Assessment { order, home, interrupt, experiment, survey, budget, clock, folder, text, standing };
    assessment.record_survey()?;
    assessment.check_budget()?;
    let ended = assessment.carry_out(watcher)?;
    assessment.record_interruption(&ended)?;
    Ok(ended)
}

/// A build that the budget cut off is none that failed.
fn build_failed(order: &AssessmentRequest, began: Instant, reason: String, log: PathBuf) -> miette::Result<Ended> {
    match order.budget.filter(|budget| began.elapsed() >= *budget) {
        Some(budget) => Err(too_small(budget, "the build of the project did not end within it", 4 * budget)),
        None => Ok(Ended::BuildFailed { reason, log }),
    }
}

fn sequential_run(survey: &Survey) -> String {
    let run = Duration::from_secs_f64(survey.seconds.ceil());
    let runs = agenda::least_runs(survey) + 1;
    format!("one sequential run of the suite takes {}, and an answer needs at least {runs} runs", agenda::shown(run))
}

/// A run that is cut off would look like a suite that hangs.
fn cut_off(order: &AssessmentRequest, survey: &Survey) -> miette::Report {
    let ran = Duration::from_secs_f64(survey.seconds.ceil());
    if let Some(budget) = order.budget.filter(|_| ran < order.subject.timeout) {
        let runs = agenda::FIRM_RUNS;
        let why = format!("one sequential run of the suite did not end within it, and a firm answer needs {runs} runs");
        return too_small(budget, &why, runs * budget);
    }
    BadUsage {
        message: format!("one sequential run of the suite did not end within {}", agenda::shown(order.subject.timeout)),
        help: format!("give a larger --timeout, or --module for a part of it; {IF_IT_HANGS}"),
    }
    .into()
}

const IF_IT_HANGS: &str = "if the suite hangs, `parade test … --technique sequential --timeout TIME` shows where";

fn too_small(budget: Duration, why: &str, advised: Duration) -> miette::Report {
    BadUsage {
        message: format!("a budget of {} is too small: {why}", agenda::shown(budget)),
        help: format!(
            "give a --budget of {} or more, or --module for a part of it; {IF_IT_HANGS}",
            agenda::shown(advised)
        ),
    }
    .into()
}

/// What an earlier sitting has left.
#[derive(Debug, Default)]
struct PreviousSittings {
    /// Has a new run to begin?
    is_new: bool,
    trials: Vec<TrialRecord>,
    /// The answer that was given, if it came to that.
    answered: Option<Answered>,
    /// The time that was spent before an interruption, builds and broken-off runs included.
    interrupted: Option<f64>,
    has_survey: bool,
}

/// The outcome of a step that the user interrupted.
#[derive(Debug, Serialize, Deserialize)]
struct Interruption {
    spent_seconds: f64,
}

/// Of an answer, what the next sitting has to know.
#[derive(Debug, Clone, Deserialize)]
struct Answered {
    budget_seconds: f64,
    spent_seconds: f64,
    #[serde(default)]
    plan: Vec<agenda::Item>,
}

impl PreviousSittings {
    /// Of the last run, if that was of the same project and plan.
    fn of(folder: &Path, text: &str, fresh: bool) -> Self {
        let latest = RunFolder::open(&folder.join("latest")).ok();
        let same = latest.filter(|latest| !fresh && latest.experiment_text().is_ok_and(|before| before == text));
        let Some(run) = same.and_then(|same| same.read().ok()) else {
            return PreviousSittings { is_new: true, ..PreviousSittings::default() };
        };
        let last = |kind| run.steps.iter().rev().find(|step| step.step_kind == kind);
        let interruption = last(StepKind::Interruption).and_then(StepRecord::outcome::<Interruption>);
        PreviousSittings {
            is_new: false,
            answered: run.answer(CommandKind::Assess),
            interrupted: interruption.map(|interruption| interruption.spent_seconds),
            has_survey: last(StepKind::Survey).is_some(),
            trials: run.trials,
        }
    }

    /// In earlier sittings. If they recorded nothing about it, what their runs took.
    fn spent(&self, survey: &Survey) -> f64 {
        let answered = self.answered.as_ref().map(|answered| answered.spent_seconds);
        let known = [answered, self.interrupted].into_iter().flatten().reduce(f64::max);
        let ran = || survey.seconds + self.trials.iter().map(|record| record.cost.wall_seconds).sum::<f64>();
        known.unwrap_or_else(|| if self.is_new { 0.0 } else { ran() })
    }

    /// Was the question answered with as much time as there is now?
    fn suffices(&self, budget: Duration) -> bool {
        self.answered.as_ref().is_some_and(|answered| answered.budget_seconds >= budget.as_secs_f64())
    }
}

/// The experiment that the text describes.
fn experiment(order: &AssessmentRequest, text: &str, folder: &Path) -> miette::Result<Experiment> {
    let path = folder.join("experiment.toml");
    let loaded = experiment::parse(text.as_bytes().to_vec(), &path, &MachineLimits::here())?;
    let mut experiment = loaded.experiment;
    if let Some(jdk) = &order.subject.jdk {
        experiment.use_jdk(jdk);
    }
    for subject in &mut experiment.subjects {
        subject.maven_args.clone_from(&order.subject.maven_args);
        subject.environment.clone_from(&order.subject.environment);
        subject.maven.clone_from(&order.subject.maven);
    }
    Ok(experiment)
}

/// An assessment under way.
struct Assessment<'a> {
    order: &'a AssessmentRequest,
    home: &'a Home,
    interrupt: &'a Interrupt,
    experiment: Experiment,
    survey: Survey,
    budget: Budget,
    clock: Clock,
    /// Of all runs of this project.
    folder: PathBuf,
    /// The experiment, as its file.
    text: String,
    standing: PreviousSittings,
}

/// What the measurements came to.
#[derive(Debug, Default)]
struct MeasurementEnd {
    plan: Vec<agenda::Item>,
    /// Configurations of which a run was cut off by the end of the budget.
    cut: BTreeSet<String>,
    is_interrupted: bool,
}

impl Assessment<'_> {
    /// The survey is the first step of the run. The run has a folder from then on.
    fn record_survey(&mut self) -> miette::Result<()> {
        if self.standing.has_survey {
            return Ok(());
        }
        let id = survey::step_id(self.order, &self.survey.revision);
        let step = StepRecord::new(&id, StepKind::Survey, &self.order.subject.name, &self.survey)?;
        let nothing = Plan { trials: Vec::new() };
        let request = self.experiment_request(&nothing, self.standing.is_new, None);
        runner::begin(&request, self.home, vec![step])?;
        Ok(())
    }

    fn check_budget(&self) -> miette::Result<()> {
        let least = agenda::least_time(&self.survey, self.order.cores);
        if !self.standing.trials.is_empty() || self.budget.left(&self.clock, &[]) >= least {
            return Ok(());
        }
        let built = self.clock.spent(&[]) - self.survey.seconds;
        let advised = agenda::advised_budget(&self.survey, built);
        Err(too_small(self.budget.time, &sequential_run(&self.survey), advised))
    }

    fn experiment_request<'a>(
        &'a self,
        plan: &'a Plan,
        fresh: bool,
        pace: Option<&'a dyn BudgetPolicy>,
    ) -> ExperimentRequest<'a> {
        ExperimentRequest {
            experiment: &self.experiment,
            experiment_text: &self.text,
            experiment_folder: None,
            plan,
            results: self.order.results.clone(),
            fresh,
            accept_changes: false,
            quick: false,
            retry: false,
            histories: &[],
            pace,
            command: Some(CommandKind::Assess),
        }
    }

    fn carry_out(&mut self, watcher: &mut dyn Watcher) -> miette::Result<Ended> {
        let is_done = self.standing.suffices(self.budget.time);
        let mut sitting = if is_done { MeasurementEnd::default() } else { self.measure(watcher)? };
        if let Some(answered) = self.standing.answered.as_mut().filter(|_| is_done) {
            sitting.plan = std::mem::take(&mut answered.plan);
        }
        if sitting.is_interrupted {
            return Ok(Ended::Interrupted);
        }
        let folder = RunFolder::open(&self.folder.join("latest"))?;
        let run = folder.read()?;
        let cores = self.order.cores;
        let first_look = evidence::measure(&run, &folder, &self.survey, cores, &Pardoned::default())?;
        let causes = self.causes(&run, &first_look, &folder, is_done, watcher)?;
        if self.interrupt.is_set() {
            return Ok(Ended::Interrupted);
        }
        let doubtful = diagnosis::of_kind(&causes, Kind::ChanceOrRareRace);
        let pardoned = Pardoned {
            by_chance: diagnosis::of_kind(&causes, Kind::Chance),
            as_usual: evidence::as_often_without(&run, &folder, &first_look, cores, &doubtful)?,
        };
        let measured = evidence::measure(&run, &folder, &self.survey, cores, &pardoned)?;
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
            is_complete: self.is_complete(&run),
            is_stored: is_done,
        };
        if conclusion.is_unknown() {
            let why =
                "it ended before any parallel mode could be compared with a sequential run, so there is no answer";
            return Err(too_small(
                self.budget.time,
                why,
                agenda::advised_budget(&self.survey, 0.0).max(self.budget.time * 2),
            ));
        }
        let answer = conclusion.answer()?;
        if !is_done {
            let id = format!("answer.{}", run.trials.len());
            record(&folder, &id, StepKind::Answer, &self.order.subject.name, &answer)?;
        }
        Ok(Ended::Answered(Box::new(answer)))
    }

    /// Time that an interrupted sitting spent is not given back.
    fn record_interruption(&self, ended: &Ended) -> miette::Result<()> {
        if !matches!(ended, Ended::Interrupted) {
            return Ok(());
        }
        let folder = RunFolder::open(&self.folder.join("latest"))?;
        let interruption = Interruption { spent_seconds: self.clock.spent(&[]) };
        record(&folder, "interruption", StepKind::Interruption, &self.order.subject.name, &interruption)
    }

    /// Would more time lead to no more runs?
    fn is_complete(&self, run: &RunData) -> bool {
        let cores = self.order.cores;
        let course = BlockSchedule { survey: &self.survey, cores };
        let next = blocks(&run.trials, cores) + 1;
        let known = EarlierBlocks::before(next, &self.survey, cores, &run.trials);
        let is_broken_down = !evidence::ended_their_process(&run.trials).is_empty();
        next > MOST_BLOCKS || is_broken_down || course.block(next, &known).is_empty()
    }

    /// What was measured within a larger budget before is told with that one.
    fn told_budget(&self, run: &RunData, is_done: bool) -> (f64, f64) {
        let now = (self.budget.time.as_secs_f64(), self.clock.spent(&run.trials));
        let before = self.standing.answered.as_ref().map(|answered| (answered.budget_seconds, answered.spent_seconds));
        before.filter(|_| is_done).unwrap_or(now)
    }

    /// Runs what the course has, for as long as there is time.
    fn measure(&mut self, watcher: &mut dyn Watcher) -> miette::Result<MeasurementEnd> {
        let cores = self.order.cores;
        let trials = std::mem::take(&mut self.standing.trials);
        // What was answered is complete; what was broken off goes on where it stood.
        let from = if self.standing.answered.is_some() { blocks(&trials, cores) + 1 } else { 1 };
        let course = BlockSchedule { survey: &self.survey, cores };
        let purse = BudgetedSchedule::new(course, &self.clock, self.budget, from);
        let outlook = purse.outlook(&trials);
        let plan = self.plan(&trials, course.told(&outlook, &RunTimeEstimates::of(&self.survey, cores, &trials)));
        self.tell(&plan, watcher);
        let mut sitting = MeasurementEnd { plan, ..MeasurementEnd::default() };
        let whole = Plan::of(&self.experiment);
        let possible = Plan { trials: whole.trials.into_iter().filter(|trial| trial.repetition >= from).collect() };
        if possible.trials.is_empty() {
            return Ok(sitting);
        }
        let order = self.experiment_request(&possible, false, Some(&purse));
        let summary = runner::run(&order, self.home, self.interrupt, watcher)?;
        sitting.cut.extend(purse.cut());
        sitting.is_interrupted = summary.interrupted;
        Ok(sitting)
    }

    /// What is run, as far as it can be foreseen.
    fn plan(&self, trials: &[TrialRecord], blocks: Vec<agenda::Item>) -> Vec<agenda::Item> {
        let is_screened = trials.iter().any(|trial| trial.phase == Phase::Screening);
        let runs = if is_screened { 0 } else { agenda::screening_runs(&self.survey) as usize };
        let screening = agenda::Item {
            what: "running the tests sequentially, to set aside tests that fail without parallelism".to_owned(),
            runs,
            seconds: self.survey.seconds * runs as f64,
        };
        std::iter::once(screening).filter(|item| item.runs > 0).chain(blocks).collect()
    }

    /// What is left of the budget, in seconds.
    fn left(&self, trials: &[TrialRecord]) -> f64 {
        self.budget.left(&self.clock, trials).max(0.0)
    }

    /// What will be done, before it is.
    fn tell(&self, plan: &[agenda::Item], watcher: &mut dyn Watcher) {
        let survey = &self.survey;
        let mut note = |text: String| watcher.event(&Event::Note(text));
        let (tests, classes) = (plural(survey.tests, "test"), counted(survey.classes, "class", "classes"));
        if self.order.subject.is_model() {
            note(format!("! {VIRTUAL_TIME}"));
            note(format!("{tests} in {classes}, model suite; a sequential run takes {:.1} s", survey.seconds));
        } else {
            note(format!(
                "{tests} in {classes}, {}; {}; a sequential run took {:.1} s",
                survey.frameworks.join(", "),
                survey.build_tool,
                survey.seconds
            ));
        }
        survey.parallel_today.iter().for_each(|today| note(format!("today: {today}")));
        survey.impossible.iter().for_each(|(way, why)| note(format!("not possible here: {way} ({why})")));
        agenda::threads_told(survey).into_iter().for_each(&mut note);
        agenda::threads_unknown(survey).into_iter().for_each(|why| note(format!("! {why}")));
        note(format!("Plan within {}:", agenda::shown(self.budget.time)));
        for item in plan {
            let time = agenda::shown(Duration::from_secs_f64(item.seconds.clamp(0.0, 1e9)));
            note(format!("  {:>8}, about {time:>6}: {}", plural(item.runs, "run"), item.what));
        }
    }
}

/// Records a step of a run that nobody is writing now.
fn record(folder: &RunFolder, id: &str, kind: StepKind, subject: &str, outcome: &impl Serialize) -> miette::Result<()> {
    OpenRun::open(folder.dir())?.record_step(StepRecord::new(id, kind, subject, outcome)?)
}

/// Modes that were never run.
fn left_out(survey: &Survey, trials: &[TrialRecord]) -> Vec<ParallelMode> {
    let was_run = |way: &ParallelMode| trials.iter().any(|trial| trial.configuration == way.name());
    survey.ways.iter().copied().filter(|way| !was_run(way)).collect()
}

/// The last block that has a baseline on all cores.
fn blocks(trials: &[TrialRecord], cores: usize) -> u32 {
    let baselines = trials
        .iter()
        .filter(|trial| trial.phase == Phase::Measured && trial.configuration == SEQUENTIAL && trial.cores == cores);
    baselines.map(|trial| trial.repetition).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interruption_gives_no_time_back() {
        let survey = Survey::example(10.0, 12.0);
        let new = PreviousSittings { is_new: true, ..PreviousSittings::default() };
        assert_eq!(new.spent(&survey), 0.0);
        let interrupted = PreviousSittings { interrupted: Some(95.0), ..PreviousSittings::default() };
        assert_eq!(interrupted.spent(&survey), 95.0);
        let answered = Answered { budget_seconds: 60.0, spent_seconds: 50.0, plan: Vec::new() };
        let standing =
            PreviousSittings { answered: Some(answered), interrupted: Some(95.0), ..PreviousSittings::default() };
        assert_eq!(standing.spent(&survey), 95.0, "what came after the answer counts, too");
    }
}
