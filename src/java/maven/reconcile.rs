//! Two records of one run, held against each other: what our listeners wrote, and what Surefire counted itself.
//!
//! Where they contradict each other, neither can be believed and the run has no verdict. Where Surefire's side is missing for
//! a reason that can be named, the run is not reconciled, which is said and voids nothing. Pure: it reads nothing.
//!
//! Surefire's counts and ours differ for honest reasons too, and none of these is a contradiction. Surefire counts tests that
//! share a name once if any of them fails, so passes beside a failure in the same class may be missing from its count. One
//! test can fail several times. TestNG's fixtures are counted as tests.

use std::collections::HashSet;
use std::fmt;

use super::events::RecordDamage;
use crate::suite::{Execution, Outcome};

/// What Surefire said when it was done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SurefireCount {
    pub run: usize,
    pub failures: usize,
    pub errors: usize,
    pub skipped: usize,
    pub flakes: usize,
}

/// The other record of a test goal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SurefireRecord {
    /// As it told Maven.
    Counted(SurefireCount),
    /// Read off its reports, by a Surefire that tells nothing: those of a class that ran twice replace each other.
    Reported(SurefireCount),
    /// With the reason.
    Missing(String),
}

/// Both records of a test goal.
#[derive(Debug)]
pub struct GoalRecords<'a> {
    pub executions: &'a [&'a Execution],
    pub damage: RecordDamage,
    pub surefire: SurefireRecord,
    /// Does TestNG run here? Its fixtures count, and skip tests when they fail.
    pub test_ng: bool,
}

/// Where the two records contradict each other, or ours contradicts itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Contradiction {
    /// Lines that no listener of ours wrote.
    ForeignLines(usize),
    RepeatedLines(usize),
    MissingLines(u64),
    MeaninglessLines(usize),
    /// A second end, or one without a start.
    UnmatchedEnds(usize),
    /// Of the direct engine: answers to what was not asked for.
    UnaskedAnswers(usize),
    /// Of the direct engine: a process that said that it was done, and was then killed by this signal, not by parade.
    KilledAfterItsEnd(i32),
    /// More passes, or fewer, than Surefire's.
    Passed {
        recorded: usize,
        surefire: usize,
    },
    /// Fewer failures than Surefire's.
    Failed {
        recorded: usize,
        surefire: usize,
    },
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Contradiction::ForeignLines(count) => {
                write!(f, "{count} lines of the records were not written by parade's listener")
            }
            Contradiction::RepeatedLines(count) => write!(f, "{count} lines of the records were written again"),
            Contradiction::MissingLines(count) => write!(f, "{count} lines of the records are missing"),
            Contradiction::MeaninglessLines(count) => write!(f, "{count} lines of the records could not be read"),
            Contradiction::UnmatchedEnds(count) => {
                write!(f, "{count} tests ended without having started, or ended twice")
            }
            Contradiction::UnaskedAnswers(count) => write!(f, "{count} tests were recorded that were not requested"),
            Contradiction::KilledAfterItsEnd(signal) => {
                write!(f, "it was killed by signal {signal} after its records said that all tests had ended")
            }
            Contradiction::Passed { recorded, surefire } => {
                write!(f, "{recorded} tests passed by the records, and {surefire} by Surefire's own count")
            }
            Contradiction::Failed { recorded, surefire } => {
                write!(f, "{recorded} tests failed by the records, and {surefire} by Surefire's own count")
            }
        }
    }
}

/// What came of holding the records of a goal against each other.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct EventReconciliation {
    pub contradictions: Vec<Contradiction>,
    /// Why Surefire's side says nothing, where it does not.
    pub not_reconciled: Option<String>,
}

impl EventReconciliation {
    pub fn of(records: &GoalRecords<'_>) -> Self {
        let mut contradictions = damaged(&records.damage);
        let mut not_reconciled = None;
        match &records.surefire {
            SurefireRecord::Counted(count) => contradictions.extend(miscounted(records, count)),
            SurefireRecord::Reported(count) => contradictions.extend(unreported(records, count)),
            SurefireRecord::Missing(why) => not_reconciled = Some(why.clone()),
        }
        EventReconciliation { contradictions, not_reconciled }
    }
}

/// What the records say of themselves.
pub fn damaged(damage: &RecordDamage) -> Vec<Contradiction> {
    let RecordDamage { seals, meaningless, unmatched_ends } = *damage;
    let all = [
        (seals.foreign > 0, Contradiction::ForeignLines(seals.foreign)),
        (seals.repeated > 0, Contradiction::RepeatedLines(seals.repeated)),
        (seals.missing > 0, Contradiction::MissingLines(seals.missing)),
        (meaningless > 0, Contradiction::MeaninglessLines(meaningless)),
        (unmatched_ends > 0, Contradiction::UnmatchedEnds(unmatched_ends)),
    ];
    all.into_iter().filter(|(seen, _)| *seen).map(|(_, contradiction)| contradiction).collect()
}

impl SurefireCount {
    pub fn passed(&self) -> usize {
        self.run.saturating_sub(self.failed() + self.skipped)
    }

    pub fn failed(&self) -> usize {
        self.failures.saturating_add(self.errors)
    }

    /// Of what several providers of a goal ran.
    #[must_use]
    pub fn and(self, other: SurefireCount) -> Self {
        SurefireCount {
            run: self.run.saturating_add(other.run),
            failures: self.failures.saturating_add(other.failures),
            errors: self.errors.saturating_add(other.errors),
            skipped: self.skipped.saturating_add(other.skipped),
            flakes: self.flakes.saturating_add(other.flakes),
        }
    }

    /// Of tests as reports have them.
    pub fn of_executions(executions: &[Execution]) -> Self {
        let count = |wanted: Outcome| executions.iter().filter(|execution| execution.outcome == wanted).count();
        SurefireCount {
            run: executions.len(),
            failures: count(Outcome::Failed),
            errors: count(Outcome::Error),
            skipped: count(Outcome::Skipped),
            flakes: 0,
        }
    }
}

/// Our passes: those in classes where nothing fails, which Surefire must have counted, and all, which it can have counted.
fn passes(executions: &[&Execution]) -> (usize, usize) {
    let failing = executions.iter().filter(|execution| execution.outcome.is_failure());
    let failing: HashSet<&str> = failing.map(|execution| execution.test.class.as_str()).collect();
    let passed = || executions.iter().filter(|execution| execution.outcome == Outcome::Passed);
    let certain = passed().filter(|execution| !failing.contains(execution.test.class.as_str())).count();
    (certain, passed().count())
}

fn miscounted(records: &GoalRecords<'_>, count: &SurefireCount) -> Vec<Contradiction> {
    let mut found = Vec::new();
    let (certain, all) = passes(records.executions);
    let surefire = count.passed();
    if surefire < certain || surefire > all {
        found.push(Contradiction::Passed { recorded: all, surefire });
    }
    found.extend(unrecorded_failures(records, count));
    found
}

/// Reports can be missing, so only what is in them counts.
fn unreported(records: &GoalRecords<'_>, count: &SurefireCount) -> Vec<Contradiction> {
    let mut found = Vec::new();
    let (_, all) = passes(records.executions);
    if count.passed() > all {
        found.push(Contradiction::Passed { recorded: all, surefire: count.passed() });
    }
    found.extend(unrecorded_failures(records, count));
    found
}

fn unrecorded_failures(records: &GoalRecords<'_>, count: &SurefireCount) -> Option<Contradiction> {
    let recorded = records.executions.iter().filter(|execution| execution.outcome.is_failure()).count();
    let skipped = records.executions.iter().any(|execution| execution.outcome == Outcome::Skipped);
    let surefire = count.failed();
    let hidden = if records.test_ng { surefire > 0 && recorded == 0 && !skipped } else { surefire > recorded };
    hidden.then_some(Contradiction::Failed { recorded, surefire })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::maven::seal::SealDamage;
    use crate::suite::TestId;
    use Outcome::{Error, Failed, Passed, Skipped};

    fn execution(class: &str, name: &str, outcome: Outcome) -> Execution {
        Execution {
            test: TestId::new("", class, name, 1),
            display: None,
            outcome,
            start: 0.0,
            seconds: 0.0,
            process: 1,
            thread: String::new(),
            message: None,
        }
    }

    fn tests(list: &[(&str, Outcome)]) -> Vec<Execution> {
        list.iter().enumerate().map(|(n, (class, outcome))| execution(class, &format!("t{n}"), *outcome)).collect()
    }

    fn count(run: usize, failures: usize, errors: usize, skipped: usize) -> SurefireCount {
        SurefireCount { run, failures, errors, skipped, flakes: 0 }
    }

    fn found(list: &[(&str, Outcome)], surefire: SurefireRecord, test_ng: bool) -> Vec<Contradiction> {
        let executions = tests(list);
        let executions: Vec<&Execution> = executions.iter().collect();
        let damage = RecordDamage::default();
        let records = GoalRecords { executions: &executions, damage, surefire, test_ng };
        EventReconciliation::of(&records).contradictions
    }

    fn counted(list: &[(&str, Outcome)], count: SurefireCount) -> Vec<Contradiction> {
        found(list, SurefireRecord::Counted(count), false)
    }

    #[test]
    fn equal_records_contradict_nothing() {
        assert_eq!(counted(&[("A", Passed), ("A", Skipped), ("B", Error)], count(3, 0, 1, 1)), []);
        assert_eq!(counted(&[], count(0, 0, 0, 0)), []);
    }

    #[test]
    fn a_test_that_claims_to_have_passed_is_found() {
        let claimed = counted(&[("A", Passed), ("A", Passed)], count(2, 1, 0, 0));
        assert_eq!(
            claimed,
            [Contradiction::Passed { recorded: 2, surefire: 1 }, Contradiction::Failed { recorded: 0, surefire: 1 }]
        );
    }

    #[test]
    fn tests_that_never_ran_and_tests_that_were_hidden_are_found() {
        assert_eq!(
            counted(&[("A", Passed), ("B", Passed)], count(1, 0, 0, 0)),
            [Contradiction::Passed { recorded: 2, surefire: 1 }]
        );
        assert_eq!(counted(&[("A", Passed)], count(2, 0, 0, 0)), [Contradiction::Passed { recorded: 1, surefire: 2 }]);
        assert_eq!(counted(&[("A", Passed)], count(2, 1, 0, 0)).len(), 1);
    }

    #[test]
    fn a_claim_beside_an_honest_failure_is_found() {
        let claimed = counted(&[("A", Failed), ("A", Passed)], count(2, 2, 0, 0));
        assert_eq!(claimed, [Contradiction::Failed { recorded: 1, surefire: 2 }]);
    }

    #[test]
    fn names_that_surefire_counts_once_contradict_nothing() {
        // Three tests of one name, of which one fails, are one to Surefire.
        assert_eq!(counted(&[("A", Passed), ("A", Failed), ("A", Passed), ("B", Passed)], count(2, 1, 0, 0)), []);
        // Skipped ones of one name are one, too.
        assert_eq!(counted(&[("A", Skipped), ("A", Skipped), ("B", Passed)], count(2, 0, 0, 1)), []);
        // A test that failed twice is one.
        assert_eq!(counted(&[("A", Failed), ("A", Failed)], count(1, 1, 0, 0)), []);
    }

    #[test]
    fn fixtures_of_testng_are_no_hidden_failures() {
        let skipped = [("A", Skipped), ("B", Passed)];
        let count = SurefireRecord::Counted(count(3, 1, 0, 1));
        assert_eq!(found(&skipped, count.clone(), true), []);
        assert_eq!(found(&skipped, count, false), [Contradiction::Failed { recorded: 0, surefire: 1 }]);
    }

    #[test]
    fn reports_that_replaced_each_other_contradict_nothing_and_failures_in_them_do() {
        let both = [("A", Passed), ("A", Passed)];
        assert_eq!(found(&both, SurefireRecord::Reported(count(1, 0, 0, 0)), false), []);
        assert_eq!(
            found(&both, SurefireRecord::Reported(count(2, 0, 1, 0)), false),
            [Contradiction::Failed { recorded: 0, surefire: 1 }]
        );
        assert_eq!(found(&both, SurefireRecord::Reported(count(3, 0, 0, 0)), false).len(), 1);
    }

    #[test]
    fn without_the_other_record_the_reason_is_said_and_damage_still_counts() {
        let damage = RecordDamage {
            seals: SealDamage { foreign: 1, repeated: 2, missing: 3 },
            meaningless: 4,
            unmatched_ends: 5,
        };
        let surefire = SurefireRecord::Missing("a process died".to_owned());
        let records = GoalRecords { executions: &[], damage, surefire, test_ng: false };
        let reconciled = EventReconciliation::of(&records);
        assert_eq!(reconciled.not_reconciled.as_deref(), Some("a process died"));
        assert_eq!(
            reconciled.contradictions,
            [
                Contradiction::ForeignLines(1),
                Contradiction::RepeatedLines(2),
                Contradiction::MissingLines(3),
                Contradiction::MeaninglessLines(4),
                Contradiction::UnmatchedEnds(5)
            ]
        );
    }
}
