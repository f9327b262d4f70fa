//! The answer, with all that it rests on. It is the one set of numbers: sentence, tables and JSON are made from it, and from
//! nothing else.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

use super::agenda::Item;
use super::causes::{ExtraRuns, Kind, NotExamined, Without};
use super::costs::Costs;
use super::decide::Verdict;
use super::evidence::{Evidence, Speedup};
use super::firmness::Shortfall;
use super::forecast::{Check, Curve, Improvement, Point};
use super::parallel_mode::ModeInWords;
use super::survey::Survey;
use super::untried::Untried;
use crate::project::ProjectIdentity;
use crate::project::Snippet;
use crate::suite::TestId;
use crate::wording::plural;

impl Answer {
    /// The verdict as an answer to the question.
    pub fn meaning(&self) -> &'static str {
        if self.preliminary { self.verdict.tendency() } else { self.verdict.meaning() }
    }

    /// Of a mode: its name, and what it does.
    pub fn explained(&self, mode: &str) -> String {
        match self.modes.iter().find(|known| known.mode == mode) {
            Some(known) => format!("{mode} ({})", known.explained),
            None => mode.to_owned(),
        }
    }

    /// What keeps the mode from being faster on any number of cores, where little is left to gain: by the model.
    pub fn limit(&self) -> Option<String> {
        const MOST_OF_IT: f64 = 0.7;
        let (mode, seconds) = (self.mode.as_deref()?, self.seconds?);
        let curve = self.predictions.iter().find(|curve| curve.way == mode && !curve.machines)?;
        let bound = curve.bound_seconds.filter(|bound| *bound >= MOST_OF_IT * seconds)?;
        Some(format!(
            "more cores would gain little: at best {bound:.1} s in this mode by the model, because of {}",
            curve.bound_by
        ))
    }

    /// Modes that were not compared for another reason than the budget, which makes the answer preliminary and is told there.
    pub fn untried_otherwise(&self) -> Option<String> {
        let is_told = |each: &&Untried| self.preliminary && self.not_tried.contains(&each.mode.name().to_owned());
        let told: Vec<String> =
            self.untried.iter().filter(|each| each.is_of_interest() && !is_told(each)).map(Untried::told).collect();
        (!told.is_empty()).then(|| told.join("; "))
    }

    /// Why it is preliminary, in one line; nothing where it is firm.
    pub fn why_preliminary(&self) -> Option<String> {
        let told: Vec<String> = self.shortfalls.iter().map(Shortfall::told).collect();
        self.preliminary.then(|| told.join("; "))
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    /// As the user named it.
    pub project: String,
    /// Were all times computed from a model suite, and none measured? The first of the notes says so, too.
    pub virtual_time: bool,
    #[serde(flatten)]
    pub identity: ProjectIdentity,
    pub verdict: Verdict,
    /// Was nothing run now, because the question was answered before? What is to be said first, then.
    pub stored: Option<String>,
    /// Something is missing that a firm answer needs.
    pub preliminary: bool,
    /// What that is; empty for a firm answer.
    pub shortfalls: Vec<Shortfall>,
    pub basis: Basis,
    /// Why, in a sentence or two: made from the fields of this answer.
    pub reason: String,
    /// The mode that the verdict is about; for `fix_first` the one that would gain, for `not_worth_it` the best that there was.
    pub mode: Option<String>,
    /// On this machine, in each process.
    pub threads: Option<usize>,
    pub forks: Option<String>,
    pub cores: usize,
    /// Of the mode above.
    pub speedup: Option<Speedup>,
    pub baseline_seconds: Option<f64>,
    pub seconds: Option<f64>,
    /// What each mode that can be run does here.
    pub modes: Vec<ModeInWords>,
    /// Modes that could have been run, and were not.
    pub not_tried: Vec<String>,
    /// Every mode that was not compared, with the reason: those, and modes that cannot run here.
    pub untried: Vec<Untried>,
    /// Tests that failed only in parallel.
    pub failures: Vec<Failure>,
    /// Of the mode above.
    pub prediction: Vec<Point>,
    /// What to put into the project, as one text; `snippets` says where.
    pub snippet: Option<String>,
    pub snippets: Vec<Snippet>,
    /// For the CI.
    pub command: Option<String>,
    pub predictions: Vec<Curve>,
    /// Predictions that measurements contradict, and that are therefore not given.
    pub contradictions: Vec<String>,
    pub checks: Vec<Check>,
    pub improvements: Vec<Improvement>,
    pub costs: Option<Costs>,
    pub risk: Risk,
    pub ways: Vec<Evidence>,
    pub flaky: Vec<TestId>,
    /// Tests that fail without any parallelism.
    pub broken: Vec<TestId>,
    /// What flaky and broken tests failed of: the first line of the message, by test.
    pub messages: BTreeMap<String, String>,
    pub survey: Survey,
    pub plan: Vec<Item>,
    pub blocks: usize,
    pub budget_seconds: f64,
    pub spent_seconds: f64,
    pub notes: Vec<String>,
    /// Records, logs and the whole report.
    pub run_dir: PathBuf,
}

/// What kind of thing the verdict rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// A mode gains, and nothing failed in it.
    CleanGain,
    /// A mode gains, and tests fail in it as often as without.
    UsualFailures,
    /// A mode gains with what failed run again.
    Repaired,
    /// The same, and the failures may have been chance.
    RepairedOrChance,
    /// Tests fail in the mode that would gain.
    FailsInParallel,
    /// Tests fail in every sequential run.
    SuiteFails,
    /// Most tests are flaky.
    SuiteIsFlaky,
    /// Sequential runs do not come to their end, for this reason.
    SuiteBreaksDown(String),
    /// No mode can be run here.
    NothingToTry,
    /// In no mode did two tests run at the same time.
    NoOverlap,
    /// The best mode gains too little.
    TooLittle,
    /// The best mode may gain, but its runs do not tell.
    NotShown,
    /// The project's own settings make tests overlap.
    OwnSettings,
}

/// A test to isolate, with the reason.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Failure {
    pub test: TestId,
    pub kind: Kind,
    /// How often it failed, of what, and why it does: made from the fields below.
    pub reason: String,
    /// Of kind `not_tried`: why it was not examined.
    pub not_tried_because: Option<NotExamined>,
    /// What it failed of: the first line of the message.
    pub message: Option<String>,
    /// Why it fails beside others, as far as it was found out, and what to do.
    pub explanation: String,
    /// Static fields and files that other failing tests use too, where that can be seen.
    pub shares: Vec<String>,
    /// The modes in which it failed, and in how many of their measured runs.
    pub failed_in: Vec<Count>,
    /// Runs that were made again only to see what tests fail of.
    pub again: ExtraRuns,
    pub without_parallelism: Without,
    /// Did it fail in the mode that the verdict is about?
    pub in_mode: bool,
    /// Does it still fail once it and its class have been run again?
    pub unrepaired: bool,
}

impl Failure {
    /// `classes 2 of 3, methods 1 of 1, methods repeated 1 of 1`.
    pub fn counts(&self) -> String {
        let mut counts: Vec<String> =
            self.failed_in.iter().map(|count| format!("{} {} of {}", count.mode, count.failed, count.runs)).collect();
        if self.again.runs > 0 {
            let mode = self.again.mode.map(|way| format!("{way} ")).unwrap_or_default();
            counts.push(format!("{mode}repeated {} of {}", self.again.failed, self.again.runs));
        }
        counts.join(", ")
    }

    /// What it did without parallelism.
    pub fn apart(&self) -> String {
        let Without { suite_runs, suite_failed, alone, alone_failed } = self.without_parallelism;
        let sequential = |failed: &str| format!("{failed} of {}", plural(suite_runs, "sequential run"));
        match (alone, alone_failed) {
            _ if suite_failed > 0 => format!("{} (it is flaky, too)", sequential(&format!("in {suite_failed}"))),
            (0, _) => sequential("in none"),
            (_, 0) => format!("{} and in none of {} alone", sequential("in none"), plural(alone, "run")),
            _ => format!("{} and in {alone_failed} of {} alone", sequential("in none"), plural(alone, "run")),
        }
    }

    /// The whole of it in one text.
    pub fn sentence(&self) -> String {
        let of = self.message.as_deref().map(|message| format!(" with “{message}”")).unwrap_or_default();
        match self.kind {
            Kind::NotTried => format!("failed ({}){of}. It {}", self.counts(), self.explanation),
            _ => format!("failed ({}){of}, and {}. It {}", self.counts(), self.apart(), self.explanation),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Count {
    pub mode: String,
    pub failed: usize,
    pub runs: usize,
}

/// How often a build would fail without a fault, as far as the runs tell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Risk {
    pub runs: usize,
    pub failing_runs: usize,
    /// The upper end of Wilson's 95 % interval: with this many runs no lower rate can be promised.
    pub failure_rate_at_most: Option<f64>,
    /// Of those that flaky tests bring already, one test after the other.
    pub flaky_tests: usize,
}

#[cfg(any(test, feature = "testing"))]
#[cfg_attr(not(test), allow(unused_imports, dead_code, reason = "other crates use the examples only"))]
pub mod tests {
    use super::*;
    use crate::assess::decide;
    use crate::assess::firmness::{self, Grounds};
    use crate::assess::parallel_mode::ParallelMode;
    use crate::assess::{evidence, sentence};

    impl Answer {
        /// Of so much evidence, decided by the rules; what was not tried is the rest of the modes.
        pub fn example(ways: Vec<Evidence>, failures: Vec<Failure>) -> Answer {
            let seen: Vec<decide::ModeEvidence> = ways.iter().map(|each| evidence::seen(each, None)).collect();
            let decision = decide::decide(true, &seen);
            let best = ways.iter().filter(|each| each.overlapped && each.plain.is_some()).map(|each| each.way).max();
            let about = decision.way.or(best);
            let of_way = about.and_then(|way| ways.iter().find(|each| each.way == way));
            let is_repaired = decision.verdict == Verdict::AdoptWithPaste;
            let speedup = of_way.and_then(|each| if is_repaired { each.repaired } else { each.plain });
            let tried: Vec<ParallelMode> = ways.iter().map(|each| each.way).collect();
            let not_tried: Vec<ParallelMode> =
                ParallelMode::ALL.into_iter().filter(|way| !tried.contains(way)).collect();
            let shortfalls = firmness::shortfalls(&Grounds {
                verdict: decision.verdict,
                is_sound: true,
                about: about.map(|way| (way, speedup)),
                ways: &ways,
                not_tried: &not_tried,
                is_complete: false,
            });
            let basis = match decision.verdict {
                Verdict::Adopt => Basis::CleanGain,
                Verdict::AdoptWithPaste => Basis::Repaired,
                Verdict::FixFirst => Basis::FailsInParallel,
                Verdict::AlreadyParallel => Basis::OwnSettings,
                Verdict::NotWorthIt if speedup.is_none() => Basis::NoOverlap,
                Verdict::NotWorthIt => Basis::TooLittle,
            };
            let mut answer = Answer {
                project: ".".to_owned(),
                virtual_time: false,
                identity: ProjectIdentity { name: "shop".to_owned(), ..ProjectIdentity::default() },
                verdict: decision.verdict,
                stored: None,
                preliminary: !shortfalls.is_empty(),
                shortfalls,
                basis,
                reason: String::new(),
                mode: about.map(|way| way.name().to_owned()),
                threads: None,
                forks: None,
                cores: 2,
                speedup,
                baseline_seconds: speedup.map(|speedup| speedup.baseline_seconds),
                seconds: speedup.map(|speedup| speedup.seconds),
                modes: ParallelMode::ALL
                    .iter()
                    .map(|way| way.in_words(1, 2, &crate::project::Words::default()))
                    .collect(),
                not_tried: not_tried.iter().map(|way| way.name().to_owned()).collect(),
                untried: Vec::new(),
                failures,
                prediction: Vec::new(),
                snippet: None,
                snippets: Vec::new(),
                command: None,
                predictions: Vec::new(),
                contradictions: Vec::new(),
                checks: Vec::new(),
                improvements: Vec::new(),
                costs: None,
                risk: Risk { runs: 0, failing_runs: 0, failure_rate_at_most: None, flaky_tests: 0 },
                ways,
                flaky: Vec::new(),
                broken: Vec::new(),
                messages: BTreeMap::new(),
                survey: Survey::default(),
                plan: Vec::new(),
                blocks: 3,
                budget_seconds: 60.0,
                spent_seconds: 50.0,
                notes: Vec::new(),
                run_dir: PathBuf::new(),
            };
            answer.reason = sentence::reason(&answer);
            answer
        }
    }

    fn failure(message: Option<&str>) -> Failure {
        Failure {
            test: "A#t".parse().unwrap(),
            kind: Kind::RaceOrSharedResource,
            reason: String::new(),
            not_tried_because: None,
            message: message.map(str::to_owned),
            explanation: "passes alone".to_owned(),
            shares: Vec::new(),
            failed_in: vec![Count { mode: "classes".to_owned(), failed: 2, runs: 3 }],
            again: ExtraRuns { mode: Some(ParallelMode::Methods), failed: 1, runs: 1 },
            without_parallelism: Without::of_suite(4, 0),
            in_mode: true,
            unrepaired: true,
        }
    }

    #[test]
    fn what_tests_failed_of_is_in_every_reason() {
        let in_use = "java.net.BindException: Address already in use";
        let failing = Evidence {
            failing_runs: 3,
            unrepaired_runs: 3,
            repaired: None,
            ..evidence::tests::evidence(ParallelMode::Classes, evidence::tests::speedup(1.5, 1.4, 1.6, 6))
        };
        let answer = Answer::example(vec![failing.clone()], vec![failure(Some(in_use))]);
        assert_eq!(answer.verdict, Verdict::FixFirst);
        assert!(
            answer
                .reason
                .contains("1 test fails (A#t: “java.net.BindException: Address already in use”) in 3 of its 6 runs"),
            "{}",
            answer.reason
        );
        let told = failure(Some(in_use)).sentence();
        let expected = "failed (classes 2 of 3, methods repeated 1 of 1) with “java.net.BindException: Address already in use”, \
            and in none of 4 sequential runs. It passes alone";
        assert_eq!(told, expected);
        let silent = Answer::example(vec![failing], vec![failure(None)]);
        assert!(silent.reason.contains("without a message"), "{}", silent.reason);
    }

    #[test]
    fn tests_that_fail_in_every_sequential_run_are_named_with_what_they_fail_of() {
        let test: TestId = "A#t".parse().unwrap();
        let messages = BTreeMap::from([("A#t".to_owned(), "no database".to_owned())]);
        let answer = Answer {
            basis: Basis::SuiteFails,
            broken: vec![test],
            messages,
            ..Answer::example(Vec::new(), Vec::new())
        };
        let answer = Answer { survey: Survey { tests: 8, ..Survey::default() }, ..answer };
        let expected = "1 of 8 tests fails in every sequential run: A#t (“no database”). That is more than 5 %, so no \
            mode is judged before they pass";
        assert_eq!(sentence::reason(&answer), expected);
        let flaky = Answer { basis: Basis::SuiteIsFlaky, flaky: answer.broken.clone(), broken: Vec::new(), ..answer };
        let told = sentence::reason(&flaky);
        assert!(told.starts_with("1 of 8 tests is flaky: it fails in some sequential runs"), "{told}");
    }

    /// Where tests are set aside, it is not said that nothing failed.
    #[test]
    fn what_was_set_aside_is_not_called_clean() {
        let clean = evidence::tests::evidence(ParallelMode::Forks, evidence::tests::speedup(1.9, 1.8, 2.0, 8));
        let answer = Answer::example(vec![clean], Vec::new());
        assert!(answer.reason.ends_with(", and no test failed in its 8 runs"), "{}", answer.reason);
        let flaky = Answer { flaky: vec!["A#t".parse().unwrap()], ..answer };
        let told = sentence::reason(&flaky);
        let expected = ", and no test failed in its 8 runs, except 1 that also fails in sequential runs";
        assert!(told.ends_with(expected), "{told}");
    }
}
