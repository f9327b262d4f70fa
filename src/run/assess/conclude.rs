//! From everything that was seen to the answer: the model, the decision, the advice.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::AssessmentRequest;
use super::advice;
use super::agenda::{self, Item};
use super::answer::{Answer, Basis, Count, Failure, Risk};
use super::causes::{Cause, Kind};
use super::costs::{self, Use};
use super::decide::{self, Decision, ModeEvidence, Verdict};
use super::evidence::{self, Evidence, Measured, Speedup};
use super::firmness::{self, Grounds, Shortfall};
use super::forecast::{self, Check, Curve, Model, Reconciled};
use super::parallel_mode::{ModeInWords, ParallelMode, SEQUENTIAL};
use super::run_time_estimates::RunTimeEstimates;
use super::scaling;
use super::schedule::{BlockSchedule, EarlierBlocks};
use super::sentence;
use super::survey::Survey;
use super::untried;
use crate::project::ProjectIdentity;
use crate::project::{Adoption, Snippet, Words};
use crate::simulation::Scheduler;
use crate::stats;
use crate::store::RunFolder;
use crate::store::record::RunData;
use crate::suite::TestId;
use crate::wording::{VIRTUAL_TIME, counted};

/// The numbers of cores, and of machines, that are told.
const CORES: [usize; 6] = [2, 4, 8, 16, 32, 64];
/// Wilcoxon's test cannot reach p < 0.05 with fewer pairs.
const PAIRS_FOR_P: usize = 6;
/// Runs take longer now and then than they did.
const ROOM: f64 = 1.15;

pub(super) struct Conclusion<'a> {
    pub order: &'a AssessmentRequest,
    pub survey: &'a Survey,
    pub run: &'a RunData,
    pub folder: &'a RunFolder,
    /// Before tests were set aside that turned out to fail by chance.
    pub first_look: &'a Measured,
    pub measured: &'a Measured,
    pub causes: Vec<Cause>,
    pub plan: Vec<Item>,
    /// Ways of which nothing is known, for want of time.
    pub left_out: Vec<ParallelMode>,
    /// Configurations of which a run was cut off when the budget was up.
    pub cut: BTreeSet<String>,
    /// In seconds.
    pub budget: f64,
    pub spent: f64,
    /// Would more time lead to no more runs?
    pub is_complete: bool,
    /// Was nothing run now, because the question was answered before with as much time?
    pub is_stored: bool,
}

impl Conclusion<'_> {
    pub fn answer(self) -> miette::Result<Answer> {
        let plain_model = self.model()?;
        let decision = self.decide(plain_model.as_ref());
        let checks = plain_model.as_ref().map(|model| self.checks(model)).unwrap_or_default();
        let model = plain_model.map(|model| corrected(model, &checks));
        let about = self.about(&decision);
        let evidence = about.and_then(|way| self.measured.way(way));
        let speedup = evidence.and_then(|evidence| told_speedup(decision.verdict, evidence));
        let predictions = model.as_ref().map(|model| self.predictions(model, &checks)).unwrap_or_default();
        let contradictions = predictions.told();
        let curves = predictions.curves;
        let prediction = about.and_then(|way| curves.iter().find(|curve| curve.way == way.name()));
        let target = prediction.and_then(|curve| curve.knee).unwrap_or(self.order.cores).max(self.order.cores);
        let improvements = match (&model, about.filter(|_| prediction.is_some())) {
            (Some(model), Some(way)) => forecast::improvements(model, way, target),
            _ => Vec::new(),
        };
        let mean = self.measured.baseline.map(|used| used.wall_seconds);
        let is_advised = !matches!(decision.verdict, Verdict::FixFirst | Verdict::NotWorthIt);
        let snippets = if self.is_sound() { self.snippets(&decision) } else { Vec::new() };
        let notes = self.notes(!snippets.is_empty(), about, speedup);
        let shortfalls = self.shortfalls(&decision, about, speedup);
        let mut answer = Answer {
            project: self.order.project.clone(),
            virtual_time: self.order.subject.is_model(),
            identity: ProjectIdentity::find(&self.order.subject, Some(&self.survey.revision)),
            verdict: decision.verdict,
            stored: self.is_stored.then(|| stored(self.budget)),
            preliminary: !shortfalls.is_empty(),
            shortfalls,
            basis: self.basis(&decision, speedup),
            reason: String::new(),
            mode: about.map(|way| way.name().to_owned()),
            threads: about.and_then(|way| self.threads(way)),
            forks: about.filter(|way| *way == ParallelMode::Forks).map(|_| "1C".to_owned()),
            cores: self.order.cores,
            speedup,
            baseline_seconds: speedup.map(|speedup| speedup.baseline_seconds).or(mean),
            seconds: speedup.map(|speedup| speedup.seconds),
            modes: self.modes(),
            not_tried: self.not_tried().into_iter().map(|way| way.name().to_owned()).collect(),
            untried: untried::untried(self.survey, &self.left_out, &self.run.trials),
            failures: self.failures(about),
            prediction: prediction.map(|curve| curve.points.clone()).unwrap_or_default(),
            snippet: (!snippets.is_empty())
                .then(|| snippets.iter().map(|snippet| snippet.text.as_str()).collect::<Vec<_>>().join("\n")),
            snippets,
            command: self.command(&decision),
            predictions: curves,
            contradictions,
            checks,
            improvements,
            costs: speedup.filter(|_| is_advised).map(|compared| self.costs(compared)),
            risk: self.risk(evidence, decision.verdict),
            ways: self.measured.ways.clone(),
            flaky: self.measured.flaky.iter().cloned().collect(),
            broken: self.measured.broken.iter().cloned().collect(),
            messages: self.messages(),
            notes,
            survey: self.survey.clone(),
            plan: self.plan,
            blocks: self.measured.blocks,
            budget_seconds: self.budget,
            spent_seconds: self.spent,
            run_dir: self.folder.dir().to_owned(),
        };
        answer.reason = sentence::reason(&answer);
        Ok(answer)
    }

    /// The mode that the numbers are of. Where none is advised it is the best of those that had an effect.
    fn about(&self, decision: &Decision) -> Option<ParallelMode> {
        match decision.verdict {
            // Runs of a suite that fails by itself say nothing about a mode.
            _ if !self.is_sound() => None,
            Verdict::NotWorthIt => self.best_that_overlapped(),
            _ => decision.way,
        }
    }

    fn basis(&self, decision: &Decision, speedup: Option<Speedup>) -> Basis {
        let way = decision.way;
        match decision.verdict {
            Verdict::Adopt if self.has_excused(way) => Basis::UsualFailures,
            Verdict::Adopt => Basis::CleanGain,
            Verdict::AdoptWithPaste if self.may_be_chance(way) => Basis::RepairedOrChance,
            Verdict::AdoptWithPaste => Basis::Repaired,
            Verdict::FixFirst if self.is_sound() => Basis::FailsInParallel,
            Verdict::FixFirst => match &self.measured.sequential_trouble {
                Some(why) => Basis::SuiteBreaksDown(why.clone()),
                None if self.measured.is_mostly_flaky(self.survey.tests) => Basis::SuiteIsFlaky,
                None => Basis::SuiteFails,
            },
            Verdict::NotWorthIt => match speedup {
                Some(best) if best.value >= decide::LEAST_GAIN => Basis::NotShown,
                Some(_) => Basis::TooLittle,
                None if self.measured.ways.iter().any(|evidence| evidence.way != ParallelMode::Project) => {
                    Basis::NoOverlap
                }
                None => Basis::NothingToTry,
            },
            Verdict::AlreadyParallel => Basis::OwnSettings,
        }
    }

    fn shortfalls(&self, decision: &Decision, about: Option<ParallelMode>, speedup: Option<Speedup>) -> Vec<Shortfall> {
        firmness::shortfalls(&Grounds {
            verdict: decision.verdict,
            is_sound: self.is_sound(),
            about: about.map(|way| (way, speedup)),
            ways: &self.measured.ways,
            not_tried: &self.not_tried(),
            is_complete: self.is_complete,
        })
    }

    /// Modes that the budget left out. What the project does by itself is no mode to choose, unless it is parallel today.
    fn not_tried(&self) -> Vec<ParallelMode> {
        let is_mode = |way: &ParallelMode| *way != ParallelMode::Project || !self.survey.parallel_today.is_empty();
        self.left_out.iter().copied().filter(is_mode).collect()
    }

    fn modes(&self) -> Vec<ModeInWords> {
        self.survey
            .ways
            .iter()
            .map(|way| way.in_words(self.threads_per_core(), self.order.cores, &self.survey.dialects.words()))
            .collect()
    }

    /// What tests that are set aside failed of.
    fn messages(&self) -> BTreeMap<String, String> {
        let set_aside = self.measured.flaky.iter().chain(&self.measured.broken);
        let said = set_aside.filter_map(|test| Some((test.to_string(), self.measured.messages.get(test)?.clone())));
        said.collect()
    }

    /// Was the budget up before any parallel mode could be judged?
    pub fn is_unknown(&self) -> bool {
        self.is_sound() && firmness::is_unjudged(&self.survey.ways, &self.measured.ways)
    }

    fn is_sound(&self) -> bool {
        self.measured.is_sound(self.survey.tests)
    }

    fn threads_per_core(&self) -> usize {
        agenda::threads_per_core(self.survey) as usize
    }

    /// Was a mode tried that has threads?
    fn has_threads(&self) -> bool {
        self.measured.ways.iter().any(|evidence| evidence.way.has_threads())
    }

    fn threads(&self, way: ParallelMode) -> Option<usize> {
        match way {
            ParallelMode::Project => None,
            ParallelMode::Forks | ParallelMode::Modules => Some(1),
            ParallelMode::Classes | ParallelMode::ClassesAndMethods | ParallelMode::Methods => {
                Some(self.threads_per_core() * self.order.cores)
            }
        }
    }

    /// Sequential runs on a single core, as a model.
    fn model(&self) -> miette::Result<Option<Model>> {
        let observed = scaling::observed(&self.run.trials, self.folder)?;
        Ok(observed.map(|observed| Model::new(observed, self.threads_per_core())))
    }

    fn decide(&self, model: Option<&Model>) -> Decision {
        let base = self.measured.baseline.map(|used| used.wall_seconds);
        let seen: Vec<ModeEvidence> = self
            .measured
            .ways
            .iter()
            .map(|evidence| {
                let modelled = model.map(|model| model.seconds(evidence.way, self.order.cores));
                let seconds = modelled.or_else(|| self.survey.promised(evidence.way));
                evidence::seen(evidence, base.zip(seconds).map(|(base, seconds)| base / seconds.max(1e-9)))
            })
            .collect();
        decide::decide(self.is_sound(), &seen)
    }

    fn best_that_overlapped(&self) -> Option<ParallelMode> {
        let ways =
            self.measured.ways.iter().filter(|evidence| evidence.way != ParallelMode::Project && evidence.overlapped);
        let compared = ways.filter_map(|evidence| Some((evidence.plain?.value, evidence.way)));
        compared.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, way)| way)
    }

    fn checks(&self, model: &Model) -> Vec<Check> {
        scaling::checks(&self.run.trials, model, self.measured, self.order.cores)
    }

    /// What the model says of more cores: of modes that it was checked in, and without what measurements contradict.
    fn predictions(&self, model: &Model, checks: &[Check]) -> Predictions {
        let cores = self.order.cores;
        let mut predictions = Predictions::default();
        let of = |name: &str| checks.iter().filter(|check| check.way == name).collect::<Vec<_>>();
        for evidence in
            self.measured.ways.iter().filter(|evidence| evidence.way != ParallelMode::Project && evidence.overlapped)
        {
            let name = evidence.way.name();
            let measured = scaling::measured_on(&self.run.trials, name);
            predictions.add(model.curve(evidence.way, &CORES), &of(name), &measured);
        }
        let measured = scaling::measured_on(&self.run.trials, SEQUENTIAL);
        for scheduler in [Scheduler::P1, Scheduler::P2, Scheduler::P3] {
            let curve = model.on_machines(scheduler, &CORES, cores);
            predictions.add(curve, &of(SEQUENTIAL), &measured);
        }
        predictions
    }

    fn snippets(&self, decision: &Decision) -> Vec<Snippet> {
        let helps = matches!(decision.verdict, Verdict::Adopt | Verdict::FixFirst | Verdict::AdoptWithPaste);
        // A model suite has no file to put lines into.
        let way = decision.way.filter(|_| helps && !self.order.subject.is_model());
        let mut snippets = way.map(|way| self.adoption(way).snippets).unwrap_or_default();
        if decision.verdict != Verdict::Adopt {
            // A plain build runs nothing again.
            snippets
                .iter_mut()
                .for_each(|snippet| snippet.place = format!("once those tests are fixed, {}", snippet.place));
        }
        snippets
    }

    fn adoption(&self, way: ParallelMode) -> Adoption {
        let threads = u32::try_from(self.threads_per_core()).unwrap_or(u32::MAX);
        self.survey.dialects.adoption(&way.parallelism(threads), self.order.cores)
    }

    /// A model suite has no build that a CI could run.
    fn command(&self, decision: &Decision) -> Option<String> {
        let way = decision.way.filter(|_| !self.order.subject.is_model())?;
        match decision.verdict {
            Verdict::Adopt | Verdict::AlreadyParallel => Some(self.adoption(way).command),
            Verdict::AdoptWithPaste => {
                Some(advice::paste_command(&self.order.project, way, self.threads(way).unwrap_or(1)))
            }
            Verdict::FixFirst | Verdict::NotWorthIt => None,
        }
    }

    fn failures(&self, way: Option<ParallelMode>) -> Vec<Failure> {
        let of = |cause: &Cause| {
            let name = cause.test.to_string();
            let counts = self.first_look.ways.iter().filter_map(|evidence| {
                let failed = evidence.times_failed(&name)?;
                Some(Count { mode: evidence.way.name().to_owned(), failed, runs: evidence.runs })
            });
            let in_way = way.and_then(|way| self.measured.way(way));
            let mut failure = Failure {
                test: cause.test.clone(),
                kind: cause.kind,
                reason: String::new(),
                not_tried_because: cause.not_tried,
                message: cause.message.clone(),
                explanation: cause.explanation.replace(Words::default().alone, self.survey.dialects.words().alone),
                shares: cause.shares.clone(),
                failed_in: counts.collect(),
                again: cause.again,
                without_parallelism: cause.without,
                in_mode: in_way.is_some_and(|evidence| evidence.times_failed(&name).is_some()),
                unrepaired: self.first_look.ways.iter().any(|evidence| evidence.unrepaired.contains_key(&name)),
            };
            failure.reason = failure.sentence();
            failure
        };
        self.causes.iter().map(of).collect()
    }

    /// Of the runs that the speedup is made from.
    fn costs(&self, compared: Speedup) -> costs::Costs {
        let before = Use { wall_seconds: compared.baseline_seconds, cpu_seconds: compared.baseline_cpu_seconds };
        let after = Use { wall_seconds: compared.seconds, cpu_seconds: compared.cpu_seconds };
        costs::costs(before, after, self.order.cores, &self.order.rates)
    }

    /// Where repairs are advised, of builds that fail after them.
    fn risk(&self, evidence: Option<&Evidence>, verdict: Verdict) -> Risk {
        let failing = |evidence: &Evidence| match verdict {
            Verdict::AdoptWithPaste => evidence.unrepaired_runs,
            _ => evidence.failing_runs,
        };
        let (runs, failing_runs) = evidence.map_or((0, 0), |evidence| (evidence.runs, failing(evidence)));
        let bound = stats::wilson(failing_runs as u64, runs as u64, 0.95);
        Risk {
            runs,
            failing_runs,
            failure_rate_at_most: bound.map(|bound| bound.high),
            flaky_tests: self.measured.flaky.len(),
        }
    }

    /// Did tests fail in this way that are set aside as chance?
    fn has_excused(&self, way: Option<ParallelMode>) -> bool {
        way.and_then(|way| self.first_look.way(way)).is_some_and(|evidence| evidence.failing_runs > 0)
    }

    /// May every failure in this way have been chance?
    fn may_be_chance(&self, way: Option<ParallelMode>) -> bool {
        let Some(evidence) = way.and_then(|way| self.measured.way(way)) else { return false };
        let is_doubtful = |name: &String| {
            let cause = self.causes.iter().find(|cause| cause.test.to_string() == *name);
            cause.is_some_and(|cause| cause.kind == Kind::ChanceOrRareRace)
        };
        !evidence.failed.is_empty() && evidence.failed.keys().all(is_doubtful)
    }

    /// Some of many tests, with what they failed of.
    fn quoted(&self, tests: &BTreeSet<TestId>) -> String {
        let tests: Vec<TestId> = tests.iter().cloned().collect();
        sentence::quoted(&tests, &self.messages())
    }

    /// The budget within which the mode would probably have so many pairs that p < 0.05 can be reached. Nothing where no budget
    /// leads to them.
    fn budget_for_p(&self, way: ParallelMode, pairs: usize) -> Option<Duration> {
        let (survey, cores, trials) = (self.survey, self.order.cores, &self.run.trials);
        let course = BlockSchedule { survey, cores };
        let next = super::blocks(trials, cores) + 1;
        let taken = RunTimeEstimates::of(survey, cores, trials);
        let known = EarlierBlocks::before(next, survey, cores, trials);
        let (mut missing, mut seconds) = (PAIRS_FOR_P.saturating_sub(pairs), self.spent);
        for (_, cells) in course.ahead(next, known, &taken, f64::INFINITY) {
            seconds += cells.iter().map(|cell| course.expected(*cell, &taken)).sum::<f64>();
            missing -= usize::from(cells.iter().any(|cell| cell.configuration == way.name() && cell.cores == cores));
            if missing == 0 {
                let reserved = if self.causes.is_empty() { 0.0 } else { agenda::FOR_CAUSES };
                return Some(rounded_up(seconds * ROOM / (1.0 - reserved)).max(rounded_up(self.budget + 1.0)));
            }
        }
        None
    }

    /// What makes the answer weaker than it looks.
    fn notes(&self, advises: bool, about: Option<ParallelMode>, speedup: Option<Speedup>) -> Vec<String> {
        let is_virtual = self.order.subject.is_model();
        let mut notes: Vec<String> = is_virtual.then(|| VIRTUAL_TIME.to_owned()).into_iter().collect();
        notes.extend(self.survey.notes.iter().cloned());
        notes.extend(agenda::threads_unknown(self.survey).filter(|_| self.has_threads()));
        if !self.cut.is_empty() {
            let names: Vec<&str> = self.cut.iter().map(String::as_str).collect();
            notes.push(format!("a run of {} was cut off when the budget ended, and is not counted", names.join(", ")));
        }
        if let Some((way, speedup)) = about.zip(speedup).filter(|(_, speedup)| speedup.pairs < PAIRS_FOR_P) {
            let budget = if self.is_complete { None } else { self.budget_for_p(way, speedup.pairs) };
            notes.push(speedup.certainty(PAIRS_FOR_P, budget.map(agenda::shown).as_deref()));
        }
        if !self.measured.flaky.is_empty() {
            let count = counted(
                self.measured.flaky.len(),
                "test is flaky and was set aside",
                "tests are flaky and were set aside",
            );
            let names = self.quoted(&self.measured.flaky);
            notes.push(format!("{count}: {names}"));
        }
        if !self.measured.broken.is_empty() {
            let count = counted(
                self.measured.broken.len(),
                "test failed in every run without parallelism and was set aside",
                "tests failed in every run without parallelism and were set aside",
            );
            let names = self.quoted(&self.measured.broken);
            notes.push(format!("{count}: {names}. `parade detect` tells whether the order of the tests is the cause"));
        }
        if !self.run.trials.iter().any(|trial| trial.cores == 1) {
            let why = if self.is_complete { "there was no" } else { "the budget was too short for a" };
            notes.push(format!("there is no prediction: {why} run on a single core"));
        }
        let today = &self.survey.parallel_today;
        if advises && !today.is_empty() {
            notes.push(format!("the snippet replaces the project's current settings: {}", today.join("; ")));
        }
        let disturbed = self.run.trials.iter().filter(|trial| trial.is_disturbed()).count();
        if disturbed > 0 {
            // It is about every number, so it comes first.
            let text = format!(
                "other work kept the machine busy during {disturbed} of {} runs, so times are longer than on an idle \
                 machine",
                self.run.trials.len()
            );
            notes.insert(0, text);
        }
        for evidence in &self.measured.ways {
            if let Some(why) = evidence.trouble.first() {
                notes.push(format!("{}: {why}", evidence.way));
            }
        }
        notes
    }
}

/// Curves that no measurement contradicts, and what is said instead of the others.
#[derive(Debug, Default)]
struct Predictions {
    curves: Vec<Curve>,
    contradictions: Vec<Contradiction>,
}

/// What is not told, of which modes, and why.
#[derive(Debug)]
struct Contradiction {
    what: &'static str,
    of: Vec<String>,
    why: String,
}

impl Predictions {
    /// `measured`: seconds of single runs, by number of cores.
    fn add(&mut self, curve: Curve, checks: &[&Check], measured: &[(usize, f64)]) {
        let mode = curve.way.clone();
        match forecast::reconciled(curve, checks, measured) {
            Reconciled::Consistent(curve) => self.curves.push(curve),
            Reconciled::WithoutBound(curve, why) => {
                self.curves.push(curve);
                self.contradict("lower bound", mode, why);
            }
            Reconciled::Contradicted(why) => self.contradict("prediction", mode, why),
        }
    }

    /// Modes with the same reason share a sentence.
    fn contradict(&mut self, what: &'static str, mode: String, why: String) {
        match self.contradictions.iter_mut().find(|known| known.what == what && known.why == why) {
            Some(known) => known.of.push(mode),
            None => self.contradictions.push(Contradiction { what, of: vec![mode], why }),
        }
    }

    fn told(&self) -> Vec<String> {
        let told = |each: &Contradiction| format!("No {} for {}: {}.", each.what, each.of.join(", "), each.why);
        self.contradictions.iter().map(told).collect()
    }
}

/// What is said before anything else of an answer that was there.
fn stored(budget: f64) -> String {
    let budget = agenda::shown(Duration::from_secs_f64(budget));
    format!(
        "This question was already answered, with a budget of {budget}; nothing was run now. `--fresh` measures anew."
    )
}

/// To ten seconds, or to minutes.
fn rounded_up(seconds: f64) -> Duration {
    let step = if seconds <= 120.0 { 10.0 } else { 60.0 };
    Duration::from_secs_f64((seconds.min(1e9) / step).ceil() * step)
}

/// With the times that the model is checked by: where one was measured, the model says the same.
fn corrected(mut model: Model, checks: &[Check]) -> Model {
    for check in checks {
        if let Some(way) = ParallelMode::of_name(&check.way) {
            model.correct(way, check.cores, check.measured_seconds);
        }
    }
    model
}

/// With repairs where they are advised, without where nothing needs them.
fn told_speedup(verdict: Verdict, evidence: &Evidence) -> Option<Speedup> {
    if verdict == Verdict::AdoptWithPaste { evidence.repaired } else { evidence.plain }
}
