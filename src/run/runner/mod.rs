//! Carries out a plan: prepares the subjects, runs what is missing trial by trial, and writes each down as it ends.
//!
//! Whatever ends a run, the next one goes on from the journal. The runner knows experiments, engines, techniques and the
//! store; it draws nothing (a [`Watcher`] is told what happens) and decides about outcomes only through [`judge`].

mod arranging;
mod changes;
mod forecast;
mod generating;
pub mod judge;
mod knowledge;
mod open;
mod pace;
mod screening;
mod trial;
pub mod versions;
mod watch;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::rc::Rc;

use sha2::{Digest, Sha256};

use crate::engine::EngineKind;
use crate::experiment::{Experiment, Plan, Trial};
use crate::home::Home;
use crate::process::{self, Interrupt};
use crate::spec::Subject;
use crate::store::record::{
    AcceptedChange, ConfigurationSummary, Environment, HistoryRecord, KnowledgeRecord, Phase, RunManifest,
    SubjectRecord, TrialRecord, Verdict,
};
use crate::store::{self, Entry, Journal, Located, Recorded, RunFolder};
use crate::suite::Change;

use forecast::Forecast;
use knowledge::{SubjectProfile, Refusal};
use open::OpenSubject;
pub use pace::{Allowance, BudgetPolicy};
use trial::Assignment;
pub use watch::Telling;
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
    let environment = open::environment(order.experiment)?;
    open::check_users(order.experiment, &order.results, home)?;
    let manifest = manifest(order, &environment, open::contents(order.experiment, home));
    let ChosenFolder { folder, journal, entries } = choose_folder(order, &located, &manifest, &environment)?;
    folder.pin_histories(order.histories)?;
    let Recorded { subjects: prepared_before, mut trials, knowledge: known } = Recorded::of(entries);
    let recorded = folder.manifest()?;
    trials.retain(|trial| !recorded.is_superseded(trial));
    let planned = recorded.trials;
    let mut run = Run {
        order,
        home,
        interrupt,
        watcher,
        environment,
        journal,
        trials,
        prepared_before,
        subjects: HashMap::new(),
        planned,
        contents: manifest.contents,
        known,
        knowledge: HashMap::new(),
        changes: HashMap::new(),
        ungenerated: HashMap::new(),
        tag: run_tag(&folder),
        folder,
        left_out: HashSet::new(),
        ran: 0,
    };
    run.clear_leftovers();
    let carried_out = run.carry_out();
    run.folder.unplan(&mut run.journal, &run.left_out)?;
    let derived = run.folder.derive_tables();
    carried_out.and(derived)?;
    Ok(run.summary())
}

/// Quick runs have a folder of their own: what is not for publication never mixes with what is.
fn folder_of(experiment: &Experiment, quick: bool) -> String {
    let name = &experiment.name;
    if quick { format!("{name}-quick") } else { name.clone() }
}

fn manifest(order: &ExperimentRequest<'_>, environment: &Environment, contents: BTreeMap<String, String>) -> RunManifest {
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
    }
}

/// The folder of a run with its journal, which nobody else can open now.
struct ChosenFolder {
    folder: RunFolder,
    journal: Journal,
    entries: Vec<Entry>,
}

impl ChosenFolder {
    fn open(folder: &RunFolder) -> miette::Result<Self> {
        // Links on the way are resolved once, before anything of a subject runs: later there must be none.
        let folder = RunFolder::open(folder.dir())?;
        let (journal, entries) = folder.journal()?;
        Ok(ChosenFolder { folder, journal, entries })
    }
}

/// The unfinished run if there is one, else a new one; a finished run of the same plan is left as it is.
fn choose_folder(
    order: &ExperimentRequest<'_>,
    located: &Located,
    manifest: &RunManifest,
    environment: &Environment,
) -> miette::Result<ChosenFolder> {
    let Some(latest) = located.latest.clone().filter(|_| !order.fresh) else {
        return ChosenFolder::open(&located.create(manifest, order.experiment_text, environment)?);
    };
    changes::refuse_merged(&latest)?;
    let before = latest.manifest()?;
    let mut changed = changes::between(&before, manifest, &latest.environment()?, environment);
    changed.extend(changes::of_tools(&latest.read()?.subjects, order.experiment));
    if !changed.is_empty() && !order.accept_changes {
        return Err(changes::refusal(latest.dir(), &changed));
    }
    let mut chosen = ChosenFolder::open(&latest)?;
    if changed.is_empty() && manifest.repetitions <= before.repetitions {
        chosen.folder.plan_also(&mut chosen.journal, &manifest.trials)?;
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
    chosen.folder.accept(&mut chosen.journal, &accepted, order.experiment_text, environment)?;
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
    folder: RunFolder,
    journal: Journal,
    trials: Vec<TrialRecord>,
    /// What earlier sittings of the same run found out about the subjects.
    prepared_before: Vec<SubjectRecord>,
    subjects: HashMap<String, OpenSubject>,
    /// All trials of the run, also those that this call leaves out.
    planned: Vec<Trial>,
    /// Hashes of what the experiment names by path, by subject.
    contents: BTreeMap<String, String>,
    /// What is on record of subjects whose orders come from algorithms.
    known: Vec<KnowledgeRecord>,
    /// The same for use, by subject as the file names it.
    knowledge: HashMap<String, Result<SubjectProfile, Refusal>>,
    /// What has changed since the first version, by subject.
    changes: HashMap<String, Rc<Change>>,
    /// Subjects, as the file names them, whose tests could not be generated.
    ungenerated: HashMap<String, Refusal>,
    tag: String,
    /// Trials for which there was no time.
    left_out: HashSet<String>,
    ran: usize,
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
        self.watcher.event(&Event::Started { folder: self.folder.dir(), planned, done });
        if missing.is_empty() {
            return Ok(());
        }
        self.prepare_subjects(&missing)?;
        self.learn(&missing)?;
        self.warm_up(&missing)?;
        for trial in &missing {
            if self.interrupt.is_set() {
                return Ok(());
            }
            self.run_trial(trial, Phase::Measured)?;
        }
        Ok(())
    }

    fn missing(&self) -> Vec<Trial> {
        let counts = |record: &&TrialRecord| record.verdict.is_completed() || !self.order.retry;
        let done: HashSet<&str> = self.trials.iter().filter(counts).map(|record| record.trial.as_str()).collect();
        self.order.plan.trials.iter().filter(|trial| !done.contains(trial.id.as_str())).cloned().collect()
    }

    /// Clone, build, discover and screen, all before the first trial: a block holds every subject.
    fn prepare_subjects(&mut self, missing: &[Trial]) -> miette::Result<()> {
        let mut wanted: HashSet<String> = missing.iter().map(|trial| trial.subject.clone()).collect();
        wanted.extend(self.sources_of_knowledge(missing));
        let mut subjects: Vec<&Subject> = self.order.experiment.subjects.iter().collect();
        // A worktree is held until the end. In one order for all, two parades cannot wait for each other for ever.
        subjects.sort_by(|a, b| a.name.cmp(&b.name));
        for subject in subjects.into_iter().filter(|subject| wanted.contains(subject.name.as_str())) {
            if self.interrupt.is_set() {
                return Ok(());
            }
            self.prepare_subject(subject)?;
        }
        Ok(())
    }

    fn prepare_subject(&mut self, subject: &Subject) -> miette::Result<()> {
        let subject = &match self.with_generated(subject)? {
            Some(Ok(subject)) => subject,
            Some(Err(refusal)) => return self.give_up(subject, refusal),
            None => return Ok(()),
        };
        self.watcher.event(&Event::Preparing { subject: &subject.name });
        let logs = self.folder.logs(&format!("prepare-{}", subject.name));
        let pinned = self.pinned(subject);
        let earlier_tools = open::earlier_tools(subject, &self.prepared_before);
        let request = open::Request {
            subject,
            pinned,
            earlier_tools,
            home: self.home,
            logs,
            tag: &self.tag,
            seed: self.order.experiment.seed,
            build_timeout: self.order.experiment.machine.build_timeout,
            memory_bytes: self.order.experiment.machine.memory_bytes,
            direct: self.needs_direct(subject),
        };
        let open = open::open(&request, self.interrupt, self.watcher)?;
        let Some(mut open) = open else { return Ok(()) };
        self.screen(subject, &mut open)?;
        if self.interrupt.is_set() {
            return Ok(());
        }
        self.journal.append(&Entry::Subject(open.record.clone()))?;
        self.folder.note_jdk(&mut self.journal, &open.record)?;
        self.watcher.event(&Event::Prepared { subject: &open.record });
        self.subjects.insert(subject.name.clone(), open);
        Ok(())
    }

    /// A subject whose tests could not be generated.
    fn give_up(&mut self, subject: &Subject, refusal: Refusal) -> miette::Result<()> {
        let open = open::broken(subject, None, refusal.verdict, refusal.reason, None);
        self.journal.append(&Entry::Subject(open.record.clone()))?;
        self.watcher.event(&Event::Prepared { subject: &open.record });
        self.subjects.insert(subject.name.clone(), open);
        Ok(())
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
        let known = self.prepared_before.iter().find(same).filter(|_| now.requested.is_some());
        known.and_then(|record| record.revision.clone())
    }

    fn warm_up(&mut self, missing: &[Trial]) -> miette::Result<()> {
        let cell = |trial: &Trial| (trial.subject.clone(), trial.configuration.clone(), trial.cores);
        let wanted: HashSet<_> = missing.iter().map(cell).collect();
        let mut seen = HashSet::new();
        let first = |trial: &&Trial| seen.insert(cell(trial)) && wanted.contains(&cell(trial));
        let order = self.order;
        for trial in order.plan.trials.iter().filter(first) {
            for number in 1..=order.experiment.warmup {
                self.run_once(&warm_up_of(trial, number), Phase::Warmup)?;
            }
        }
        Ok(())
    }

    fn run_once(&mut self, trial: &Trial, phase: Phase) -> miette::Result<()> {
        let known = self.trials.iter().any(|record| record.trial == trial.id);
        if known || self.interrupt.is_set() { Ok(()) } else { self.run_trial(trial, phase) }
    }

    fn run_trial(&mut self, trial: &Trial, phase: Phase) -> miette::Result<()> {
        let Some(mut open) = self.subjects.remove(&trial.subject) else { return Ok(()) };
        let outcome = self.run_trial_on(&mut open, trial, phase);
        self.subjects.insert(trial.subject.clone(), open);
        outcome
    }

    fn run_trial_on(&mut self, open: &mut OpenSubject, trial: &Trial, phase: Phase) -> miette::Result<()> {
        let allowance = match self.order.pace.map(|pace| pace.allow(trial, phase, &self.trials)) {
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
            logs: self.folder.logs(&trial.id),
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
        self.folder.record_trial(&mut self.journal, &record, &finished.rows)?;
        self.watcher.event(&Event::TrialEnded { record: &record });
        self.ran += usize::from(phase == Phase::Measured);
        self.trials.retain(|known| known.trial != record.trial);
        self.trials.push(record);
        Ok(())
    }

    fn announce(&mut self, trial: &Trial, phase: Phase) {
        let planned = &self.order.plan.trials;
        let finished: HashSet<&str> = self.trials.iter().map(|record| record.trial.as_str()).collect();
        let done = planned.iter().filter(|trial| finished.contains(trial.id.as_str())).count();
        let left = planned.iter().filter(|trial| !finished.contains(trial.id.as_str()));
        let (done, planned, seconds_left) = match self.order.pace {
            // How many there will be depends on what they show: only what was run is certain.
            Some(pace) => (self.trials.len(), None, pace.seconds_ahead(&self.trials)),
            None => (done, Some(planned.len()), Forecast::from(&self.trials).seconds(left)),
        };
        let tests = self.subjects.get(&trial.subject).map(|open| open.record.tests).filter(|tests| *tests > 0);
        self.watcher.event(&Event::TrialStarted { trial, phase, done, planned, seconds_left, tests });
    }

    fn summary(self) -> Summary {
        let planned: HashSet<&str> = self.order.plan.trials.iter().map(|trial| trial.id.as_str()).collect();
        let measured: Vec<&TrialRecord> =
            self.trials.iter().filter(|record| planned.contains(record.trial.as_str())).collect();
        let failed = measured.iter().copied().filter(|record| !record.verdict.is_completed());
        Summary {
            completed: measured.iter().filter(|record| record.verdict.is_completed()).count(),
            failed: FailedTrials::grouped(failed),
            interrupted: self.interrupt.is_set(),
            ran: self.ran,
            folder: self.folder,
        }
    }
}

/// Warm-up trials are known by the first trial of their cell in the plan, so that resuming does not repeat them.
fn warm_up_of(trial: &Trial, number: u32) -> Trial {
    let id = format!("warmup-{number}.{}", trial.id);
    Trial { id, repetition: number, ..trial.clone() }
}
