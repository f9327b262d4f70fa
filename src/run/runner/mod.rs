//! Carries out a plan step by step: skips what is on record, does what is missing, and records each step as it ends.
//!
//! Whatever ends a run, the next one goes on from the journal. The runner knows experiments, engines, techniques and the
//! store; it draws nothing (a [`Watcher`] is told what happens) and decides about outcomes only through [`judge`].

mod arranging;
mod changes;
mod forecast;
mod generating;
pub mod judge;
mod open;
mod pace;
mod profile;
mod screening;
mod trial;
pub mod versions;
mod watch;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::rc::Rc;

use sha2::{Digest, Sha256};

use crate::engine::EngineKind;
use crate::experiment::{Experiment, Plan, Step, StepPlan, Trial, Work};
use crate::home::Home;
use crate::process::{self, Interrupt};
use crate::spec::Subject;
use crate::store::record::{
    AcceptedChange, CommandKind, ConfigurationSummary, Environment, HistoryRecord, Phase, RunManifest, StepRecord,
    SubjectRecord, TrialRecord, Verdict,
};
use crate::store::{self, Located, OpenRun, RunFolder};
use crate::suite::Change;

use forecast::Forecast;
use open::OpenSubject;
pub use open::subject_record;
pub use pace::{Allowance, BudgetPolicy};
use profile::{Refusal, SubjectProfile};
use trial::Assignment;
pub use watch::WatcherProgress;
pub use watch::{Event, Watcher};

/// What to do, and how.
#[derive(Debug)]
pub struct ExperimentRequest<'a> {
    pub experiment: &'a Experiment,
    pub experiment_text: &'a str,
    /// The folder of the experiment file.
    pub experiment_folder: Option<String>,
    pub plan: &'a Plan,
    pub results: PathBuf,
    /// Start a new run though the last one is unfinished or there is nothing left to do.
    pub fresh: bool,
    /// Go on with a run though the machine or the experiment has changed.
    pub accept_changes: bool,
    /// One repetition, to try things out: not for publication.
    pub quick: bool,
    /// Run those trials again that did not complete.
    pub retry: bool,
    /// Versions that were found in histories.
    pub histories: &'a [HistoryRecord],
    /// Who may leave trials out for want of time; nobody, where everything is to be run.
    pub pace: Option<&'a dyn BudgetPolicy>,
    /// The command on a project that this experiment was made for.
    pub command: Option<CommandKind>,
}

/// How a run ended.
#[derive(Debug)]
pub struct Summary {
    pub folder: RunFolder,
    /// Measured trials of the plan that yielded data.
    pub completed: usize,
    /// Trials that did not, those of a subject with the same reason together.
    pub failed: Vec<FailedTrials>,
    pub interrupted: bool,
    /// Trials that this call ran; none when the run was finished already.
    pub ran: usize,
}

/// Trials of one subject that did not complete for one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedTrials {
    pub subject: String,
    pub reason: String,
    /// Their ids.
    pub trials: Vec<String>,
}

impl FailedTrials {
    /// In the order in which they came first.
    fn grouped<'a>(records: impl Iterator<Item = &'a TrialRecord>) -> Vec<FailedTrials> {
        let mut groups: Vec<FailedTrials> = Vec::new();
        for record in records {
            let reason = record.reason.clone().unwrap_or_else(|| record.verdict.name().to_owned());
            match groups.iter_mut().find(|group| group.subject == record.subject && group.reason == reason) {
                Some(group) => group.trials.push(record.trial.clone()),
                None => groups.push(FailedTrials {
                    subject: record.subject.clone(),
                    reason,
                    trials: vec![record.trial.clone()],
                }),
            }
        }
        groups
    }
}

/// Runs or resumes an experiment.
pub fn run(
    order: &ExperimentRequest<'_>,
    home: &Home,
    interrupt: &Interrupt,
    watcher: &mut dyn Watcher,
) -> miette::Result<Summary> {
    let located = store::locate(&order.results, &folder_of(order.experiment, order.quick))?;
    let Begun { mut record, environment, contents } = begin_in(&located, order, home)?;
    record.folder().pin_histories(order.histories)?;
    let manifest = record.folder().manifest()?;
    record.forget_superseded(&manifest);
    let mut run = Run {
        order,
        home,
        interrupt,
        watcher,
        environment,
        planned: manifest.trials,
        contents,
        tag: run_tag(record.folder()),
        record,
        subjects: Subjects::default(),
        left_out: HashSet::new(),
        ran: 0,
    };
    run.clear_leftovers();
    let carried_out = run.carry_out();
    if order.pace.is_some() {
        // What is run is decided on the way: a trial that was not run was never certain.
        let missing = run.missing();
        run.left_out.extend(missing.into_iter().map(|trial| trial.id));
    }
    run.record.unplan(&run.left_out)?;
    let derived = run.record.folder().derive_tables();
    carried_out.and(derived)?;
    Ok(run.summary())
}

/// Makes or finds the folder of a run, and records steps that were carried out before there was one. The next call of
/// [`run`] goes on from there.
pub fn begin(order: &ExperimentRequest<'_>, home: &Home, steps: Vec<StepRecord>) -> miette::Result<RunFolder> {
    let located = store::locate(&order.results, &folder_of(order.experiment, order.quick))?;
    let mut record = begin_in(&located, order, home)?.record;
    for step in steps {
        record.record_step(step)?;
    }
    Ok(record.folder().clone())
}

/// A run whose folder is open.
struct Begun {
    record: OpenRun,
    environment: Environment,
    contents: BTreeMap<String, String>,
}

fn begin_in(located: &Located, order: &ExperimentRequest<'_>, home: &Home) -> miette::Result<Begun> {
    let environment = open::environment(order.experiment)?;
    open::check_users(order.experiment, &order.results, home)?;
    let manifest = manifest(order, &environment, open::contents(order.experiment, home));
    let record = choose_folder(order, located, &manifest, &environment)?;
    Ok(Begun { record, environment, contents: manifest.contents })
}

/// Quick runs have a folder of their own: what is not for publication never mixes with what is.
fn folder_of(experiment: &Experiment, quick: bool) -> String {
    let name = &experiment.name;
    if quick { format!("{name}-quick") } else { name.clone() }
}

fn manifest(
    order: &ExperimentRequest<'_>,
    environment: &Environment,
    contents: BTreeMap<String, String>,
) -> RunManifest {
    let experiment = order.experiment;
    let configurations = experiment.configurations.iter().map(|configuration| ConfigurationSummary {
        name: configuration.name.clone(),
        technique: configuration.technique,
        parallelism: configuration.parallelism,
        harness: configuration.harness,
        ordering: configuration.ordering,
    });
    RunManifest {
        experiment: experiment.name.clone(),
        study: experiment.study.clone(),
        baseline: experiment.baseline.clone(),
        repetitions: experiment.repetitions,
        warmup: experiment.warmup,
        screening: experiment.screening,
        seed: experiment.seed,
        quick: order.quick,
        cores: experiment.machine.cores.clone(),
        subjects: experiment.subjects.iter().map(|subject| subject.name.clone()).collect(),
        configurations: configurations.collect(),
        trials: order.plan.trials.clone(),
        started_at: jiff::Timestamp::now(),
        host: environment.hostname.clone(),
        parade: environment.parade.clone(),
        contents,
        experiment_folder: order.experiment_folder.clone(),
        merged: Vec::new(),
        accepted_changes: Vec::new(),
        command: order.command,
    }
}

/// The unfinished run if there is one, else a new one; a finished run of the same plan is left as it is.
fn choose_folder(
    order: &ExperimentRequest<'_>,
    located: &Located,
    manifest: &RunManifest,
    environment: &Environment,
) -> miette::Result<OpenRun> {
    let Some(latest) = located.latest.clone().filter(|_| !order.fresh) else {
        return OpenRun::open(located.create(manifest, order.experiment_text, environment)?.dir());
    };
    changes::refuse_merged(&latest)?;
    let before = latest.manifest()?;
    let mut changed = changes::between(&before, manifest, &latest.environment()?, environment);
    changed.extend(changes::of_tools(&latest.read()?.subjects, order.experiment));
    if !changed.is_empty() && !order.accept_changes {
        return Err(changes::refusal(latest.dir(), &changed));
    }
    let mut chosen = OpenRun::open(latest.dir())?;
    if changed.is_empty() && manifest.repetitions <= before.repetitions {
        chosen.plan_also(&manifest.trials)?;
        return Ok(chosen);
    }
    let mut accepted = RunManifest { accepted_changes: before.accepted_changes.clone(), ..manifest.clone() };
    if changed.is_empty() {
        // The run began with a part of the matrix, and has more repetitions now.
        accepted.started_at = before.started_at;
        accepted.trials = before.trials.clone();
        accepted.trials.extend(manifest.trials.iter().filter(|trial| !before.trials.contains(trial)).cloned());
    } else {
        let other_content = changes::other_content(&before, manifest);
        accepted.accepted_changes.push(AcceptedChange { at: jiff::Timestamp::now(), changes: changed, other_content });
    }
    chosen.accept(&accepted, order.experiment_text, environment)?;
    Ok(chosen)
}

/// Marks every process of a run, so that none survives it unseen.
fn run_tag(folder: &RunFolder) -> String {
    let digest = Sha256::digest(folder.dir().as_os_str().as_encoded_bytes());
    format!("run-{:08x}", u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]]))
}

/// A run under way.
struct Run<'a> {
    order: &'a ExperimentRequest<'a>,
    home: &'a Home,
    interrupt: &'a Interrupt,
    watcher: &'a mut dyn Watcher,
    environment: Environment,
    record: OpenRun,
    /// All trials of the run, also those that this call leaves out.
    planned: Vec<Trial>,
    /// Hashes of what the experiment names by path, by subject.
    contents: BTreeMap<String, String>,
    subjects: Subjects,
    /// Marks every process of the run.
    tag: String,
    /// Trials for which there was no time.
    left_out: HashSet<String>,
    ran: usize,
}

/// What steps have made ready for later ones.
#[derive(Default)]
struct Subjects {
    open: HashMap<String, OpenSubject>,
    /// By subject as the file names it, as all below.
    profiles: HashMap<String, Result<SubjectProfile, Refusal>>,
    /// What has changed since the first version.
    changes: HashMap<String, Rc<Change>>,
    /// Why there are no tests where a generator should have written some.
    not_generated: HashMap<String, Refusal>,
}

impl Run<'_> {
    /// An earlier parade may have been killed together with everything that watches over its children.
    fn clear_leftovers(&mut self) {
        let killed = process::kill_leftovers(&self.tag);
        if !killed.is_empty() {
            self.watcher
                .event(&Event::Note(format!("killed {} processes that an earlier session had left", killed.len())));
        }
    }

    fn carry_out(&mut self) -> miette::Result<()> {
        let missing = self.missing();
        let done = self.order.plan.trials.len() - missing.len();
        let planned = self.order.pace.is_none().then(|| done + missing.len());
        self.watcher.event(&Event::Started { folder: self.record.folder().dir(), planned, done });
        let needs_all_versions = |family: &str| self.profile_needs_all_versions(family);
        let plan = StepPlan::toward(&missing, self.order.experiment, self.order.plan, &needs_all_versions);
        for step in &plan.steps {
            if self.interrupt.is_set() {
                return Ok(());
            }
            self.carry_out_step(step)?;
        }
        Ok(())
    }

    fn carry_out_step(&mut self, step: &Step) -> miette::Result<()> {
        match &step.work {
            Work::Generate { family } => self.generate_tests(&step.id, family),
            Work::Prepare { subject } => self.prepare(subject),
            Work::Screen { subject } => self.screen(subject),
            Work::Profile { family } => self.profile(family),
            Work::WarmUp { trial } => self.run_once(trial, Phase::Warmup),
            Work::Trial { trial } => self.run_trial(trial, Phase::Measured),
        }
    }

    fn missing(&self) -> Vec<Trial> {
        let counts = |record: &&TrialRecord| record.verdict.is_completed() || !self.order.retry;
        let done: HashSet<&str> =
            self.record.trials().iter().filter(counts).map(|record| record.trial.as_str()).collect();
        self.order.plan.trials.iter().filter(|trial| !done.contains(trial.id.as_str())).cloned().collect()
    }

    /// Clones, builds and discovers a subject. A subject that cannot be brought that far is on record with the reason.
    fn prepare(&mut self, name: &str) -> miette::Result<()> {
        let Some(subject) = self.order.experiment.subject(name) else { return Ok(()) };
        let subject = match self.with_generated_tests(subject)? {
            Ok(subject) => subject,
            Err(Refusal { verdict, reason }) => {
                let broken = open::broken(subject, None, verdict, reason, None);
                self.subjects.open.insert(name.to_owned(), broken);
                return Ok(());
            }
        };
        self.watcher.event(&Event::Preparing { subject: name });
        let direct = self.needs_direct(&subject);
        if let Some(open) = self.open(&subject, direct, name)? {
            self.subjects.open.insert(name.to_owned(), open);
        }
        Ok(())
    }

    /// `None` when the user interrupted. The log of the build goes to the folder of this name.
    fn open(&mut self, subject: &Subject, direct: bool, log_name: &str) -> miette::Result<Option<OpenSubject>> {
        let request = open::Request {
            subject,
            pinned: self.pinned(subject),
            earlier_tools: open::earlier_tools(subject, &self.record.recorded().subjects.values),
            home: self.home,
            logs: self.record.folder().logs(&format!("prepare-{log_name}")),
            tag: &self.tag,
            seed: self.order.experiment.seed,
            build_timeout: self.order.experiment.machine.build_timeout,
            memory_bytes: self.order.experiment.machine.memory_bytes,
            direct,
        };
        open::open(&request, self.interrupt, self.watcher)
    }

    /// A version is there for the orders on others, too.
    fn needs_direct(&self, subject: &Subject) -> bool {
        let experiment = self.order.experiment;
        experiment.versions_of(subject.family()).any(|each| experiment.needs_engine(each, EngineKind::Direct))
    }

    /// The commit that an earlier sitting of this run used: a branch may have moved since.
    fn pinned(&self, subject: &Subject) -> Option<String> {
        let now = open::blank_record(subject);
        let same = |known: &&SubjectRecord| {
            known.subject == now.subject && known.origin == now.origin && known.requested == now.requested
        };
        let known = self.record.recorded().subjects.values.iter().find(same).filter(|_| now.requested.is_some());
        known.and_then(|record| record.revision.clone())
    }

    fn run_once(&mut self, trial: &Trial, phase: Phase) -> miette::Result<()> {
        let known = self.record.recorded().trials.get(&trial.id).is_some();
        if known || self.interrupt.is_set() { Ok(()) } else { self.run_trial(trial, phase) }
    }

    fn run_trial(&mut self, trial: &Trial, phase: Phase) -> miette::Result<()> {
        let Some(mut open) = self.subjects.open.remove(&trial.subject) else { return Ok(()) };
        let outcome = self.run_trial_on(&mut open, trial, phase);
        self.subjects.open.insert(trial.subject.clone(), open);
        outcome
    }

    fn run_trial_on(&mut self, open: &mut OpenSubject, trial: &Trial, phase: Phase) -> miette::Result<()> {
        let allowance = match self.order.pace.map(|pace| pace.allow(trial, phase, self.record.trials())) {
            Some(None) => {
                self.left_out.insert(trial.id.clone());
                return Ok(());
            }
            Some(allowance) => allowance,
            None => None,
        };
        self.announce(trial, phase);
        let arrangement = self.arrangement(trial, open)?;
        let assignment = Assignment {
            experiment: self.order.experiment,
            environment: &self.environment,
            trial,
            phase,
            logs: self.record.folder().logs(&trial.id),
            arrangement,
            time: allowance.map(|allowance| allowance.time),
        };
        let finished = trial::run(&assignment, open)?;
        // A trial that was cut off by the user is not a result: it is run again.
        if self.interrupt.is_set() {
            return Ok(());
        }
        let record = finished.record;
        if record.verdict == Verdict::TimedOut && allowance.is_some_and(|allowance| !allowance.is_fair) {
            self.order.pace.iter().for_each(|pace| pace.cut_off(trial));
            self.left_out.insert(trial.id.clone());
            return Ok(());
        }
        self.record.record_trial(&record, &finished.rows)?;
        self.watcher.event(&Event::TrialEnded { record: &record });
        self.ran += usize::from(phase == Phase::Measured);
        Ok(())
    }

    fn announce(&mut self, trial: &Trial, phase: Phase) {
        let planned = &self.order.plan.trials;
        let trials = self.record.trials();
        let finished: HashSet<&str> = trials.iter().map(|record| record.trial.as_str()).collect();
        let done = planned.iter().filter(|trial| finished.contains(trial.id.as_str())).count();
        let left = planned.iter().filter(|trial| !finished.contains(trial.id.as_str()));
        let (done, planned, seconds_left) = match self.order.pace {
            // How many there will be depends on what they show: only what was run is certain.
            Some(pace) => (trials.len(), None, pace.seconds_ahead(trials)),
            None => (done, Some(planned.len()), Forecast::from(trials).seconds(left)),
        };
        let tests = self.subjects.open.get(&trial.subject).map(|open| open.record.tests).filter(|tests| *tests > 0);
        self.watcher.event(&Event::TrialStarted { trial, phase, done, planned, seconds_left, tests });
    }

    fn summary(self) -> Summary {
        let planned: HashSet<&str> = self.order.plan.trials.iter().map(|trial| trial.id.as_str()).collect();
        let measured: Vec<&TrialRecord> =
            self.record.trials().iter().filter(|record| planned.contains(record.trial.as_str())).collect();
        let failed = measured.iter().copied().filter(|record| !record.verdict.is_completed());
        Summary {
            completed: measured.iter().filter(|record| record.verdict.is_completed()).count(),
            failed: FailedTrials::grouped(failed),
            interrupted: self.interrupt.is_set(),
            ran: self.ran,
            folder: self.record.folder().clone(),
        }
    }
}
