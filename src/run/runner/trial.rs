//! One trial: a technique run once on an opened subject, and what is written down about it.

use std::path::PathBuf;
use std::time::Duration;

use crate::engine::{EngineKind, Parallelism, Resources, Session};
use crate::experiment::{Experiment, Trial};
use crate::file_error::is_disk_full;
use crate::store::record::{ArrangementRecord, Environment, ExecutionRow, Phase, TrialRecord, Verdict};
use crate::store::{self, Strain};
use crate::suite::{Concurrency, Cost, Finding, FindingKind, RunEnd, Tally};
use crate::technique::arrange::Arrangement;
use crate::technique::{self, Engines, Stage, TechniqueRun, TrialLimits, ordered};
use crate::technique::{Harness, TechniqueKind};

use super::judge::{self, Expectation, Judgement};
use super::open::OpenSubject;
use super::profile::Refusal;

/// What is to be run.
pub struct Assignment<'a> {
    pub experiment: &'a Experiment,
    pub environment: &'a Environment,
    pub trial: &'a Trial,
    pub phase: Phase,
    pub logs: PathBuf,
    /// The order that an algorithm gives, or why it gives none; nothing for other techniques.
    pub arrangement: Option<Result<Arrangement, Refusal>>,
    /// Less than the experiment grants, where there is not more.
    pub time: Option<Duration>,
}

/// A trial's record with its executions.
pub struct Finished {
    pub record: TrialRecord,
    pub rows: Vec<ExecutionRow>,
}

/// How the trial is to be carried out.
struct Recipe {
    technique: TechniqueKind,
    parallelism: Parallelism,
    harness: Harness,
    time_limit: Duration,
}

/// Never fails for the subject's sake: a subject that cannot be run yields a record that says so.
pub fn run(assignment: &Assignment<'_>, open: &mut OpenSubject) -> miette::Result<Finished> {
    let recipe = recipe(assignment)?;
    let mut draft = Draft::new(assignment, open, &recipe);
    if let Some(failure) = &open.record.failure {
        return Ok(draft.without_run(failure.verdict, failure.reason.clone()));
    }
    let arrangement = match &assignment.arrangement {
        Some(Err(refusal)) => return Ok(draft.without_run(refusal.verdict, refusal.reason.clone())),
        Some(Ok(arrangement)) => Some(arrangement),
        None => None,
    };
    let bench = TrialLimits {
        resources: Resources {
            cores: assignment.trial.cores,
            memory_bytes: assignment.experiment.machine.memory_bytes,
            logs: assignment.logs.clone(),
        },
        time_limit: assignment.time.map_or(recipe.time_limit, |time| time.min(recipe.time_limit)),
        set_aside: open.set_aside.clone(),
    };
    let measures_load = open.project.as_ref().is_none_or(|project| project.model().is_none());
    let busy = || measures_load.then(store::busy_cores).flatten();
    draft.record.load_before = busy();
    let strain = Strain::now();
    let Some(session) = open.session.as_deref_mut() else {
        return Ok(draft.without_run(Verdict::HarnessError, "the subject has no session".to_owned()));
    };
    let mut engines = match engines(recipe.technique, recipe.harness, session, &mut open.direct) {
        Ok(engines) => engines,
        Err(why) => return Ok(draft.without_run(Verdict::Unsupported, why)),
    };
    draft.record.engine = Some(engines.main.engine());
    let (kind, dependencies) = (recipe.technique, open.dependencies.as_ref());
    let ran = match arrangement {
        Some(arrangement) => ordered::run(arrangement, &mut engines, &bench),
        None => technique::run(kind, recipe.parallelism, dependencies, &mut engines, &bench),
    };
    if measures_load {
        draft.note_strain(Strain::now().since(strain));
    }
    draft.record.load_after = busy();
    Ok(match ran {
        Ok(TechniqueRun::Ran(stages)) => draft.with_stages(&stages, arrangement, &*engines.main, &bench),
        Ok(TechniqueRun::Unsupported(why)) => draft.without_run(Verdict::Unsupported, why),
        // On a full disk every trial would fail alike: better to stop, and to go on when there is room.
        Err(error) if is_disk_full(&error) => return Err(error),
        Err(error) => draft.without_run(Verdict::HarnessError, describe(&error)),
    })
}

/// The engines that a configuration asks for, or why one of them cannot run this suite. A model runs everything.
fn engines<'a>(
    technique: TechniqueKind,
    harness: Harness,
    session: &'a mut dyn Session,
    direct: &'a mut Option<Result<Box<dyn Session>, String>>,
) -> Result<Engines<'a>, String> {
    let (policy, rerun_policy) = (harness.policy(), harness.rerun_policy());
    if session.engine() == EngineKind::Model || !harness.needs(technique, EngineKind::Direct) {
        return Ok(Engines { main: session, rerun: None, policy, rerun_policy });
    }
    let direct: &'a mut dyn Session = match direct {
        Some(Ok(direct)) => direct.as_mut(),
        Some(Err(why)) => return Err(format!("the direct engine cannot run this suite: {why}")),
        None => return Err("the direct engine was not opened for this subject".to_owned()),
    };
    let (main, other) = match harness.engine {
        EngineKind::Direct => (direct, session),
        EngineKind::Surefire | EngineKind::Model | EngineKind::Pytest => (session, direct),
    };
    let rerun = (harness.rerun_engine != harness.engine).then_some(other);
    Ok(Engines { main, rerun, policy, rerun_policy })
}

/// The error with its causes, on one line.
pub fn describe(error: &miette::Report) -> String {
    let causes: Vec<String> = error.chain().map(ToString::to_string).collect();
    causes.join(": ")
}

/// Screening is not among the experiment's configurations: it is a sequential run.
fn recipe(assignment: &Assignment<'_>) -> miette::Result<Recipe> {
    let (experiment, trial) = (assignment.experiment, assignment.trial);
    let unknown = |what: &str, name: &str| miette::miette!("the experiment has no {what} `{name}`");
    let subject = experiment.subject(&trial.subject).ok_or_else(|| unknown("subject", &trial.subject))?;
    if assignment.phase == Phase::Screening {
        let (technique, parallelism) = (TechniqueKind::Sequential, Parallelism::SEQUENTIAL);
        return Ok(Recipe { technique, parallelism, harness: Harness::default(), time_limit: subject.timeout });
    }
    let configuration = experiment.configuration(&trial.configuration);
    let configuration = configuration.ok_or_else(|| unknown("configuration", &trial.configuration))?;
    Ok(Recipe {
        technique: configuration.technique,
        parallelism: experiment.parallelism(subject, configuration),
        harness: experiment.harness(subject, configuration),
        time_limit: experiment.time_limit(subject, configuration),
    })
}

/// A record that lacks only what the run brings.
struct Draft {
    record: TrialRecord,
    /// What the machine went through meanwhile.
    strain: Option<Strain>,
}

impl Draft {
    fn new(assignment: &Assignment<'_>, open: &OpenSubject, recipe: &Recipe) -> Self {
        let trial = assignment.trial;
        let record = TrialRecord {
            trial: trial.id.clone(),
            phase: assignment.phase,
            subject: trial.subject.clone(),
            configuration: trial.configuration.clone(),
            technique: recipe.technique.name().to_owned(),
            mode: recipe.parallelism.mode,
            engine: None,
            cores: trial.cores,
            repetition: trial.repetition,
            verdict: Verdict::HarnessError,
            reason: None,
            started_at: jiff::Timestamp::now(),
            cost: Cost::default(),
            test_seconds: 0.0,
            makespan_seconds: 0.0,
            concurrency: Concurrency::default(),
            stages: vec![],
            tally: Tally::default(),
            outcomes_hash: None,
            residual: vec![],
            findings: vec![],
            load_before: None,
            load_after: None,
            load_during: None,
            swapped_pages: None,
            throttle_events: None,
            revision: open.record.revision.clone(),
            jdk: open.record.jdk.clone(),
            java_home: open.record.java_home.clone(),
            maven: open.record.maven.clone(),
            tools: open.record.tools.clone(),
            parade: assignment.environment.parade.clone(),
            provenance: None,
            arrangement: None,
        };
        Draft { record, strain: None }
    }

    fn note_strain(&mut self, strain: Strain) {
        self.record.swapped_pages = strain.swapped_pages;
        self.record.throttle_events = strain.throttle_events;
        self.strain = Some(strain);
    }

    fn without_run(mut self, verdict: Verdict, reason: String) -> Finished {
        self.record.verdict = verdict;
        self.record.reason = Some(reason);
        Finished { record: self.record, rows: vec![] }
    }

    fn with_stages(
        mut self,
        stages: &[Stage],
        arrangement: Option<&Arrangement>,
        session: &dyn Session,
        bench: &TrialLimits,
    ) -> Finished {
        let cores = self.record.cores;
        let ordered = arrangement.map(|arrangement| ordered::expected(arrangement, session.tests()));
        let (tests, capabilities) = (ordered.as_deref().unwrap_or(session.tests()), session.capabilities());
        let expectation = Expectation { tests, set_aside: &bench.set_aside, capabilities, cores };
        let Judgement { verdict, reason, tally, outcomes_hash, residual, mut findings } =
            judge::judge(stages, &expectation);
        self.record.cost = total_cost(stages);
        let computed = self.record.cost.user_seconds + self.record.cost.system_seconds;
        self.record.load_during = self.strain.and_then(|strain| strain.other_cores(computed));
        findings.extend(self.disturbances());
        let record = &mut self.record;
        record.verdict = verdict;
        record.reason = reason;
        record.tally = tally;
        record.outcomes_hash = Some(outcomes_hash);
        record.residual = residual;
        record.findings = findings;
        record.test_seconds = total(stages.iter().map(|stage| stage.run.test_seconds()));
        record.makespan_seconds = if arrangement.is_some() { ordered::makespan(stages) } else { record.test_seconds };
        record.arrangement = arrangement.map(arrangement_record);
        record.concurrency = stages.first().map(|stage| stage.run.concurrency()).unwrap_or_default();
        record.stages = judge::stage_records(stages, &bench.set_aside);
        if record.phase == Phase::Screening {
            record.residual = judge::not_passed(stages, tests);
        }
        Finished { record: self.record, rows: rows(stages) }
    }

    /// What made this trial slower than it had to be.
    fn disturbances(&self) -> Vec<Finding> {
        let record = &self.record;
        let busy = record.load_before.is_some_and(|cores| cores > TrialRecord::BUSY_BEFORE);
        let shared = record.load_during.is_some_and(|cores| cores > TrialRecord::BUSY_DURING);
        let swapped = record.swapped_pages.is_some_and(|pages| pages > 0);
        let throttled = record.throttle_events.is_some_and(|events| events > 0);
        let seen = [
            (busy, "other processes kept cores busy right before the trial (see `load_before`)"),
            (shared, "other processes kept cores busy during the trial (see `load_during`)"),
            (swapped, "memory was swapped during the trial"),
            (throttled, "the processor was throttled during the trial because of heat"),
        ];
        let findings = seen.into_iter().filter(|(happened, _)| *happened);
        findings.map(|(_, text)| Finding::new(FindingKind::Disturbance, text)).collect()
    }
}

fn arrangement_record(arrangement: &Arrangement) -> ArrangementRecord {
    ArrangementRecord {
        algorithm: arrangement.algorithm,
        enhanced: arrangement.enhanced,
        machines: u32::try_from(arrangement.machines.len()).unwrap_or(u32::MAX),
        order_hash: ordered::order_hash(&arrangement.machines),
        tests: arrangement.machines.iter().map(Vec::len).sum(),
        added: arrangement.added.iter().map(Vec::len).sum(),
        expected_seconds: arrangement.forecast.map(|forecast| forecast.makespan),
        lower_bound_seconds: arrangement.forecast.map(|forecast| forecast.lower_bound),
    }
}

/// Stages follow each other: times add up, the highest peak of memory counts.
fn total_cost(stages: &[Stage]) -> Cost {
    let costs = || stages.iter().map(|stage| &stage.run.cost);
    let sum = |of: fn(&Cost) -> Option<u64>| costs().map(of).try_fold(0, |sum, value| Some(sum + value?));
    Cost {
        wall_seconds: total(costs().map(|cost| cost.wall_seconds)),
        user_seconds: total(costs().map(|cost| cost.user_seconds)),
        system_seconds: total(costs().map(|cost| cost.system_seconds)),
        peak_memory_bytes: costs().filter_map(|cost| cost.peak_memory_bytes).max(),
        voluntary_switches: sum(|cost| cost.voluntary_switches),
        involuntary_switches: sum(|cost| cost.involuntary_switches),
        jvm: costs().map(|cost| cost.jvm).reduce(|a, b| Some(a? + b?)).flatten(),
    }
}

/// Of nothing, a plain zero: the sum of no floating-point numbers is a negative one.
fn total(seconds: impl Iterator<Item = f64>) -> f64 {
    seconds.fold(0.0, |sum, seconds| sum + seconds)
}

fn rows(stages: &[Stage]) -> Vec<ExecutionRow> {
    let of = |stage: &Stage| {
        let (number, machine) = (stage.number, stage.machine);
        stage.run.executions.clone().into_iter().map(move |execution| ExecutionRow {
            stage: number,
            machine,
            execution,
        })
    };
    stages.iter().filter(|stage| stage.run.end != RunEnd::Interrupted).flat_map(of).collect()
}
