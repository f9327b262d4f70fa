//! From everything that was seen to the answer: the model, the decision, the advice.

use std::collections::BTreeSet;

use super::Order;
use super::advice;
use super::agenda::{self, Item};
use super::answer::{Answer, Count, Failure, Risk};
use super::causes::{Cause, Kind};
use super::costs::{self, Use};
use super::course::FEWEST_BLOCKS;
use super::decide::{self, Decision, Seen, Verdict};
use super::evidence::{self, Evidence, Measured, Speedup};
use super::forecast::{self, Check, Curve, Model};
use super::scaling;
use super::survey::Survey;
use super::ways::Way;
use crate::simulation::Scheduler;
use crate::stats;
use crate::store::RunFolder;
use crate::store::record::RunData;
use crate::suite::TestId;
use crate::wording::{counted, plural};

/// The numbers of cores, and of machines, that are told.
const CORES: [usize; 6] = [2, 4, 8, 16, 32, 64];

pub(super) struct Conclusion<'a> {
    pub order: &'a Order,
    pub survey: &'a Survey,
    pub run: &'a RunData,
    pub folder: &'a RunFolder,
    /// Before tests were set aside that turned out to fail by chance.
    pub first_look: &'a Measured,
    pub measured: &'a Measured,
    pub causes: Vec<Cause>,
    pub plan: Vec<Item>,
    /// Ways of which nothing is known, for want of time.
    pub left_out: Vec<Way>,
    /// Configurations of which a run was cut off when the budget was up.
    pub cut: BTreeSet<String>,
    /// In seconds.
    pub budget: f64,
    pub spent: f64,
    /// Would more time lead to no more runs?
    pub is_complete: bool,
    /// Was less time given now than the answer was found in?
    pub is_asked_less: bool,
}

impl Conclusion<'_> {
    pub fn answer(self) -> miette::Result<Answer> {
        let plain_model = self.model()?;
        let decision = self.decide(plain_model.as_ref());
        let checks = plain_model.as_ref().map(|model| self.checks(model)).unwrap_or_default();
        let model = plain_model.map(|model| self.corrected(model));
        let about = decision.way.or_else(|| self.likeliest());
        let evidence = decision.way.and_then(|way| self.measured.way(way));
        let speedup = evidence.and_then(|evidence| told_speedup(decision.verdict, evidence));
        let predictions = model.as_ref().map(|model| self.predictions(model)).unwrap_or_default();
        let prediction = about.and_then(|way| predictions.iter().find(|curve| curve.way == way.name()));
        let target = prediction.and_then(|curve| curve.knee).unwrap_or(self.order.cores).max(self.order.cores);
        let improvements = match (&model, about) {
            (Some(model), Some(way)) => forecast::improvements(model, way, target),
            _ => Vec::new(),
        };
        let mean = self.measured.baseline.map(|used| used.wall_seconds);
        let compared = speedup.filter(|_| decision.verdict != Verdict::FixFirst);
        let snippets = self.snippets(&decision);
        let notes = self.notes(!snippets.is_empty(), speedup);
        Ok(Answer {
            project: self.order.project.clone(),
            verdict: decision.verdict,
            preliminary: self.is_preliminary(decision.verdict, speedup),
            reason: self.reason(&decision, speedup),
            mode: decision.way.map(|way| way.name().to_owned()),
            threads: decision.way.and_then(|way| self.threads(way)),
            forks: decision.way.filter(|way| *way == Way::Forks).map(|_| "1C".to_owned()),
            cores: self.order.cores,
            speedup,
            baseline_seconds: speedup.map(|speedup| speedup.baseline_seconds).or(mean),
            seconds: speedup.map(|speedup| speedup.seconds),
            failures: self.failures(decision.way),
            prediction: prediction.map(|curve| curve.points.clone()).unwrap_or_default(),
            snippet: (!snippets.is_empty())
                .then(|| snippets.iter().map(|snippet| snippet.text.as_str()).collect::<Vec<_>>().join("\n")),
            snippets,
            command: self.command(&decision),
            predictions,
            checks,
            improvements,
            costs: compared.map(|compared| self.costs(compared)),
            risk: self.risk(evidence, decision.verdict),
            ways: self.measured.ways.clone(),
            flaky: self.measured.flaky.iter().cloned().collect(),
            broken: self.measured.broken.iter().cloned().collect(),
            notes,
            survey: self.survey.clone(),
            plan: self.plan,
            blocks: self.measured.blocks,
            budget_seconds: self.budget,
            spent_seconds: self.spent,
            run_dir: self.folder.dir().to_owned(),
        })
    }

    /// Was the budget too small for the answer? Where no way has an effect, more runs would not show one.
    fn is_preliminary(&self, verdict: Verdict, speedup: Option<Speedup>) -> bool {
        let is_firm = |speedup: Speedup| speedup.gain().is_certain() && speedup.pairs >= FEWEST_BLOCKS as usize;
        let is_open = match verdict {
            Verdict::Adopt | Verdict::AdoptWithPaste => !speedup.is_some_and(is_firm),
            // Whether mending pays off rests on the gain; that a suite fails by itself does not.
            Verdict::FixFirst => self.is_sound() && speedup.is_some_and(|speedup| !is_firm(speedup)),
            Verdict::NotWorthIt | Verdict::AlreadyParallel => false,
        };
        is_open || self.has_few_blocks()
    }

    /// Was the budget up before anything could be compared?
    pub fn is_unknown(&self) -> bool {
        let is_compared = |way: &Evidence| way.plain.is_some() || way.failing_runs > 0;
        !self.left_out.is_empty() && self.is_sound() && !self.measured.ways.iter().any(is_compared)
    }

    fn has_few_blocks(&self) -> bool {
        let has_an_effect = self.measured.ways.iter().any(|evidence| evidence.overlapped);
        has_an_effect && self.is_sound() && self.measured.blocks < FEWEST_BLOCKS as usize && !self.is_complete
    }

    fn is_sound(&self) -> bool {
        self.measured.is_sound(self.survey.tests)
    }

    fn threads_per_core(&self) -> usize {
        agenda::threads_per_core(self.survey) as usize
    }

    fn threads(&self, way: Way) -> Option<usize> {
        match way {
            Way::Project => None,
            Way::Forks | Way::Modules => Some(1),
            Way::Classes | Way::ClassesAndMethods | Way::Methods => Some(self.threads_per_core() * self.order.cores),
        }
    }

    /// Sequential runs on a single core, as a model.
    fn model(&self) -> miette::Result<Option<Model>> {
        let observed = scaling::observed(&self.run.trials, self.folder)?;
        Ok(observed.map(|observed| Model::new(observed, self.threads_per_core())))
    }

    fn decide(&self, model: Option<&Model>) -> Decision {
        let base = self.measured.baseline.map(|used| used.wall_seconds);
        let seen: Vec<Seen> = self
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

    /// Where there is no way to advise, the one whose numbers are worth a look.
    fn likeliest(&self) -> Option<Way> {
        let value = |evidence: &Evidence| evidence.plain.map_or(0.0, |speedup| speedup.value);
        let ways = self.measured.ways.iter().filter(|evidence| evidence.way != Way::Project);
        ways.max_by(|a, b| value(a).total_cmp(&value(b))).map(|evidence| evidence.way)
    }

    fn best_that_overlapped(&self) -> Option<Speedup> {
        let ways = self.measured.ways.iter().filter(|evidence| evidence.way != Way::Project && evidence.overlapped);
        ways.filter_map(|evidence| evidence.plain).max_by(|a, b| a.value.total_cmp(&b.value))
    }

    fn checks(&self, model: &Model) -> Vec<Check> {
        let had_an_effect = |evidence: &&Evidence| evidence.way != Way::Project && evidence.overlapped;
        let ways: Vec<Way> = self.measured.ways.iter().filter(had_an_effect).map(|evidence| evidence.way).collect();
        scaling::checks(&self.run.trials, model, &ways, self.order.cores)
    }

    fn corrected(&self, mut model: Model) -> Model {
        for evidence in self.measured.ways.iter().filter(|evidence| evidence.failing_runs == 0) {
            if let Some(plain) = evidence.plain {
                model.correct(evidence.way, self.order.cores, plain.seconds);
            }
        }
        model
    }

    fn predictions(&self, model: &Model) -> Vec<Curve> {
        let ways = self.measured.ways.iter().map(|evidence| evidence.way).filter(|way| *way != Way::Project);
        let mut curves: Vec<Curve> = ways.map(|way| model.curve(way, &CORES)).collect();
        for scheduler in [Scheduler::P1, Scheduler::P2, Scheduler::P3] {
            curves.push(model.on_machines(scheduler, &CORES, self.order.cores));
        }
        curves
    }

    fn snippets(&self, decision: &Decision) -> Vec<advice::Snippet> {
        let helps = matches!(decision.verdict, Verdict::Adopt | Verdict::FixFirst | Verdict::AdoptWithPaste);
        let way = decision.way.filter(|_| helps);
        let mut snippets = way
            .map(|way| advice::snippets(way, self.threads_per_core(), self.order.cores, &self.survey.dialects))
            .unwrap_or_default();
        if decision.verdict != Verdict::Adopt {
            // Plain Maven runs nothing again.
            snippets
                .iter_mut()
                .for_each(|snippet| snippet.place = format!("once those tests are mended, {}", snippet.place));
        }
        snippets
    }

    fn command(&self, decision: &Decision) -> Option<String> {
        let way = decision.way?;
        match decision.verdict {
            Verdict::Adopt | Verdict::AlreadyParallel => Some(advice::maven_command(way)),
            Verdict::AdoptWithPaste => {
                Some(advice::paste_command(&self.order.project, way, self.threads(way).unwrap_or(1)))
            }
            Verdict::FixFirst | Verdict::NotWorthIt => None,
        }
    }

    fn failures(&self, way: Option<Way>) -> Vec<Failure> {
        let of = |cause: &Cause| {
            let name = cause.test.to_string();
            let counts = self.first_look.ways.iter().filter_map(|evidence| {
                let failed = *evidence.failed.get(&name).or_else(|| evidence.unrepaired.get(&name))?;
                Some(Count { mode: evidence.way.name().to_owned(), failed, runs: evidence.runs })
            });
            let failed_in: Vec<Count> = counts.collect();
            Failure {
                cause: cause.clone(),
                in_mode: way.and_then(|way| self.measured.way(way)).is_some_and(|evidence| {
                    evidence.failed.contains_key(&name) || evidence.unrepaired.contains_key(&name)
                }),
                failed_in,
                unrepaired: self.first_look.ways.iter().any(|evidence| evidence.unrepaired.contains_key(&name)),
            }
        };
        self.causes.iter().map(of).collect()
    }

    /// Of the runs that the speedup is made from.
    fn costs(&self, compared: Speedup) -> costs::Costs {
        let before = Use { wall_seconds: compared.baseline_seconds, cpu_seconds: compared.baseline_cpu_seconds };
        let after = Use { wall_seconds: compared.seconds, cpu_seconds: compared.cpu_seconds };
        costs::costs(before, after, self.order.cores, self.order.rates)
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

    fn reason(&self, decision: &Decision, speedup: Option<Speedup>) -> String {
        let way = decision.way.map_or("", Way::described);
        let times = speedup.map(|speedup| format!("{:.2} times as fast", speedup.value)).unwrap_or_default();
        match decision.verdict {
            Verdict::Adopt if self.has_excused(decision.way) => {
                format!("{way}, the suite is {times}, and no more tests fail in it than without, as far as the runs tell")
            }
            Verdict::Adopt => format!("{way}, the suite is {times}, and no test fails for it"),
            Verdict::AdoptWithPaste if self.may_be_chance(decision.way) => format!(
                "{way}, a test failed that passes alone, by chance or in a rare race; with that run again the suite is still {times}"
            ),
            Verdict::AdoptWithPaste => {
                format!("{way}, tests fail that pass alone; with those run again the suite is still {times}")
            }
            Verdict::FixFirst if !self.is_sound() => self.unsound(),
            Verdict::FixFirst => {
                let gain = if times.is_empty() { "it may gain".to_owned() } else { format!("it would be about {times}") };
                format!("{way}, {gain}, but tests fail for it; mend or isolate those first")
            }
            Verdict::NotWorthIt => too_little(self.best_that_overlapped(), &self.tried()),
            Verdict::AlreadyParallel => {
                format!("its own settings run tests at the same time already ({times} than one after the other), and {} is clearly better", self.other_ways()).replace("as fast than", "as fast as")
            }
        }
    }

    /// Did tests fail in this way that are set aside as chance?
    fn has_excused(&self, way: Option<Way>) -> bool {
        way.and_then(|way| self.first_look.way(way)).is_some_and(|evidence| evidence.failing_runs > 0)
    }

    /// May every failure in this way have been chance?
    fn may_be_chance(&self, way: Option<Way>) -> bool {
        let Some(evidence) = way.and_then(|way| self.measured.way(way)) else { return false };
        let is_doubtful = |name: &String| {
            let cause = self.causes.iter().find(|cause| cause.test.to_string() == *name);
            cause.is_some_and(|cause| cause.kind == Kind::ChanceOrRareRace)
        };
        !evidence.failed.is_empty() && evidence.failed.keys().all(is_doubtful)
    }

    /// Where the budget left some out, those that were tried.
    fn tried(&self) -> Option<String> {
        let ways = self.measured.ways.iter().map(|evidence| evidence.way).filter(|way| *way != Way::Project);
        let names: Vec<&str> = ways.map(Way::name).collect();
        (!self.left_out.is_empty()).then(|| if names.is_empty() { "none".to_owned() } else { names.join(", ") })
    }

    fn other_ways(&self) -> String {
        match self.tried() {
            None => "no other way".to_owned(),
            Some(tried) => format!("none of the others that the budget allowed to try ({tried})"),
        }
    }

    fn unsound(&self) -> String {
        match (&self.measured.sequential_trouble, self.measured.broken.len()) {
            (Some(why), _) => format!("the suite does not come to its end without any parallelism: {why}"),
            (None, 1) => format!(
                "a test failed in all runs without any parallelism that looked for it: {}",
                named(&self.measured.broken)
            ),
            (None, count) => format!(
                "{count} tests failed in all runs without any parallelism that looked for it: {}",
                named(&self.measured.broken)
            ),
        }
    }

    /// What makes the answer weaker than it looks.
    fn notes(&self, advises: bool, speedup: Option<Speedup>) -> Vec<String> {
        let mut notes = self.survey.notes.clone();
        let blocks = self.measured.blocks;
        let pairs = speedup.map_or(blocks, |speedup| speedup.pairs);
        if !self.cut.is_empty() {
            let names: Vec<&str> = self.cut.iter().map(String::as_str).collect();
            notes.push(format!("cut off when the budget was up, and not counted: a run of {}", names.join(", ")));
        }
        if self.has_few_blocks() {
            notes.push(format!(
                "preliminary: the budget sufficed for {blocks} of the {FEWEST_BLOCKS} blocks that an interval takes"
            ));
        } else if (1..6).contains(&pairs) {
            let runs = counted(pairs, "pair of runs", "pairs of runs");
            notes.push(format!("{runs} can never reach p < 0.05; six can: give a larger --budget"));
        }
        if self.is_asked_less {
            let before = std::time::Duration::from_secs_f64(self.budget);
            notes.push(format!("answered before, with a budget of {}: nothing was run now", agenda::shown(before)));
        }
        if !self.measured.flaky.is_empty() {
            let count = plural(self.measured.flaky.len(), "test");
            let names = named(&self.measured.flaky);
            notes.push(format!("{count} set aside, as they fail now and then whatever runs beside them: {names}"));
        }
        if !self.measured.broken.is_empty() {
            let count = plural(self.measured.broken.len(), "test");
            let names = named(&self.measured.broken);
            notes.push(format!(
                "{count} failed in every run without any parallelism that looked for it, and left aside: {names}"
            ));
        }
        if !self.run.trials.iter().any(|trial| trial.cores == 1) {
            let why = if self.is_complete { "there was no" } else { "the budget did not suffice for a" };
            notes.push(format!("nothing is predicted: {why} run on a single core"));
        }
        let today = &self.survey.parallel_today;
        if advises && !today.is_empty() {
            notes.push(format!("the snippet takes the place of what the project says today: {}", today.join("; ")));
        }
        if !self.left_out.is_empty() && !self.is_complete {
            let names: Vec<&str> = self.left_out.iter().map(|way| way.name()).collect();
            notes.push(format!("not tried, for the budget's sake: {}", names.join(", ")));
        }
        let disturbed = self.run.trials.iter().filter(|trial| trial.is_disturbed()).count();
        if disturbed > 0 {
            notes.push(format!(
                "other work kept the machine busy during {disturbed} of {} runs: times are worse than they would be",
                self.run.trials.len()
            ));
        }
        for evidence in &self.measured.ways {
            if let Some(why) = evidence.trouble.first() {
                notes.push(format!("{}: {why}", evidence.way));
            }
        }
        notes
    }
}

/// Some of many.
fn named(tests: &BTreeSet<TestId>) -> String {
    const TOLD: usize = 10;
    let names: Vec<String> = tests.iter().take(TOLD).map(ToString::to_string).collect();
    let more = if tests.len() > TOLD { format!(" and {} more", tests.len() - TOLD) } else { String::new() };
    names.join(", ") + &more
}

/// Why the best that there was is not advised.
fn too_little(best: Option<Speedup>, tried: &Option<String>) -> String {
    let only =
        tried.as_ref().map(|tried| format!(", of those that the budget allowed to try ({tried})")).unwrap_or_default();
    let Some(best) = best else { return format!("no way to run this suite in parallel had an effect{only}") };
    let value = best.value;
    // What falls short of the limit does not look like it.
    let falls_short = value < decide::LEAST_GAIN && format!("{value:.2}") == format!("{:.2}", decide::LEAST_GAIN);
    let shown = if falls_short { format!("{value:.4}") } else { format!("{value:.2}") };
    if value >= decide::LEAST_GAIN && best.ci_low.is_some_and(|low| low <= 1.0) {
        let runs = counted(best.pairs, "pair of runs", "pairs of runs");
        return format!(
            "the best way{only} looks {value:.2} times as fast as one test after the other, but {runs} differ too much to be sure of it: ask again on a quiet machine, or with a larger --budget"
        );
    }
    format!(
        "the best way{only} is {shown} times as fast as one test after the other, which is less than a change is worth"
    )
}

/// With repairs where they are advised, without where nothing needs them.
fn told_speedup(verdict: Verdict, evidence: &Evidence) -> Option<Speedup> {
    if verdict == Verdict::AdoptWithPaste { evidence.repaired } else { evidence.plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_certain_is_not_called_too_little() {
        let speedup = |value, low| Speedup {
            value,
            baseline_seconds: value,
            baseline_cpu_seconds: 1.0,
            cpu_seconds: 1.0,
            seconds: 1.0,
            ci_low: Some(low),
            ci_high: Some(9.0),
            p: None,
            pairs: 3,
            least: 0.5,
        };
        assert!(too_little(Some(speedup(1.95, 0.4)), &None).contains("3 pairs of runs differ too much"));
        assert!(too_little(Some(speedup(1.05, 0.9)), &None).contains("less than a change is worth"));
        assert!(too_little(None, &None).ends_with("had an effect"));
        assert!(too_little(None, &Some("classes".to_owned())).contains("allowed to try (classes)"));
    }
}
