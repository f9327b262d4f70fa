//! Orders of tests that were run to see which tests fail in them, as steps of a run. Searches ask here before they run an
//! order, so a search that was interrupted continues where it stopped.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::OpenRun;
use super::record::{StepKind, StepRecord};
use crate::suite::Outcome;
use crate::technique::detect::{Memory, Observation, ObservedAccesses, ObservedTest};

/// The orders of one suite. Several searches may ask for the same order: it is run once.
#[derive(Debug)]
pub struct OrderRecords<'a> {
    run: &'a mut OpenRun,
    subject: &'a str,
    /// A fingerprint of the suite. Orders of another suite are not seen.
    suite: String,
}

impl<'a> OrderRecords<'a> {
    pub fn new(run: &'a mut OpenRun, subject: &'a str, suite: &str) -> Self {
        OrderRecords { run, subject, suite: suite.chars().take(16).collect() }
    }

    fn id(&self, key: &str) -> String {
        format!("order.{}.{key}", self.suite)
    }

    fn accesses_id(&self) -> String {
        format!("accesses.{}", self.suite)
    }

    /// How many orders are on record.
    pub fn count(&self) -> usize {
        let prefix = self.id("");
        let steps = &self.run.recorded().steps.values;
        steps.iter().filter(|step| step.step.starts_with(&prefix)).count()
    }

    fn record(&mut self, id: &str, kind: StepKind, outcome: &impl Serialize) -> miette::Result<()> {
        self.run.record_step(StepRecord::new(id, kind, self.subject, outcome)?)
    }

    fn outcome<T: serde::de::DeserializeOwned>(&self, id: &str) -> Option<T> {
        self.run.recorded().steps.get(id)?.outcome()
    }
}

impl Memory for OrderRecords<'_> {
    fn recall(&mut self, key: &str) -> Option<Observation> {
        self.outcome::<OrderOutcome>(&self.id(key))?.observation()
    }

    fn keep(&mut self, key: &str, observation: &Observation) -> miette::Result<()> {
        self.record(&self.id(key), StepKind::Order, &OrderOutcome::of(observation))
    }

    fn recall_accesses(&mut self) -> Option<ObservedAccesses> {
        self.outcome(&self.accesses_id())
    }

    fn keep_accesses(&mut self, watched: &ObservedAccesses) -> miette::Result<()> {
        self.record(&self.accesses_id(), StepKind::Profile, watched)
    }
}

/// An observation in few bytes: tests are numbers, and outcomes are named only where a test did not pass.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct OrderOutcome {
    seconds: f64,
    longest: f64,
    work: f64,
    /// The tests as they ran. `2-5 0` stands for 2, 3, 4, 5, 0.
    ran: String,
    /// Positions of tests that did not pass, and how they ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    otherwise: Vec<(usize, Outcome)>,
    /// Positions at which another process begins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    breaks: Vec<usize>,
}

impl OrderOutcome {
    fn of(observation: &Observation) -> Self {
        let seen = &observation.seen;
        let positions = || seen.iter().enumerate();
        OrderOutcome {
            seconds: observation.seconds,
            longest: observation.longest,
            work: observation.work,
            ran: ranges(seen.iter().map(|seen| seen.test)),
            otherwise: positions()
                .filter(|(_, seen)| seen.outcome != Outcome::Passed)
                .map(|(position, seen)| (position, seen.outcome))
                .collect(),
            breaks: positions()
                .filter(|(position, at)| *position > 0 && seen[position - 1].stretch != at.stretch)
                .map(|(position, _)| position)
                .collect(),
        }
    }

    /// `None` if it is damaged: the order is run again.
    fn observation(self) -> Option<Observation> {
        let outcomes: HashMap<usize, Outcome> = self.otherwise.into_iter().collect();
        let mut stretch = 0;
        let seen = numbers(&self.ran)?.into_iter().enumerate().map(|(position, test)| {
            stretch += u32::from(self.breaks.binary_search(&position).is_ok());
            ObservedTest { test, outcome: outcomes.get(&position).copied().unwrap_or(Outcome::Passed), stretch }
        });
        Some(Observation { seen: seen.collect(), seconds: self.seconds, longest: self.longest, work: self.work })
    }
}

/// Numbers as text, with consecutive ones as a range.
fn ranges(numbers: impl Iterator<Item = usize>) -> String {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    let text = |&(first, last): &(usize, usize)| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    };
    ranges.iter().map(text).collect::<Vec<_>>().join(" ")
}

/// More tests than this in one order are damage.
const MOST_TESTS: usize = 10_000_000;

fn numbers(text: &str) -> Option<Vec<usize>> {
    let mut numbers = Vec::new();
    for range in text.split_ascii_whitespace() {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        if last < first || last - first >= MOST_TESTS || numbers.len() > MOST_TESTS {
            return None;
        }
        numbers.extend(first..=last);
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{layout, locate};
    use crate::suite::Accesses;

    fn observation() -> Observation {
        let seen = |test, outcome, stretch| ObservedTest { test, outcome, stretch };
        let seen = vec![
            seen(3, Outcome::Passed, 0),
            seen(1, Outcome::Crashed, 0),
            seen(2, Outcome::Passed, 1),
            seen(0, Outcome::Skipped, 2),
        ];
        Observation { seen, seconds: 1.25, longest: 0.5, work: 1.0 }
    }

    #[test]
    fn what_was_recorded_is_recalled_after_a_restart_and_only_for_the_same_suite() {
        let results = tempfile::tempdir().unwrap();
        let located = locate(results.path(), "e").unwrap();
        let folder = located.create(&layout::tests::manifest(), "", &Default::default()).unwrap();
        let mut run = OpenRun::open(folder.dir()).unwrap();
        let mut records = OrderRecords::new(&mut run, "s", "one");
        records.keep("a", &observation()).unwrap();
        records.keep("b", &Observation::default()).unwrap();
        assert_eq!(records.recall_accesses(), None);
        let accesses = vec![Accesses { test: "C#a".parse().unwrap(), reads: vec![], writes: vec!["x".to_owned()] }];
        let watched = ObservedAccesses { seconds: 2.5, accesses };
        records.keep_accesses(&watched).unwrap();
        drop(run);
        let mut run = OpenRun::open(folder.dir()).unwrap();
        let mut records = OrderRecords::new(&mut run, "s", "one");
        assert_eq!(records.count(), 2);
        assert_eq!((records.recall("a"), records.recall("a")), (Some(observation()), Some(observation())));
        assert_eq!(records.recall("b"), Some(Observation::default()));
        assert_eq!(records.recall("c"), None);
        assert_eq!(records.recall_accesses(), Some(watched));
        let mut other = OrderRecords::new(&mut run, "s", "another");
        assert_eq!((other.recall("a"), other.count()), (None, 0));
    }

    #[test]
    fn orders_are_written_in_few_bytes_and_read_back() {
        let order = [2, 3, 4, 5, 0, 7, 6];
        assert_eq!(ranges(order.into_iter()), "2-5 0 7 6");
        assert_eq!(numbers("2-5 0 7 6").unwrap(), order);
        assert_eq!((ranges([].into_iter()), numbers("")), (String::new(), Some(vec![])));
        for damaged in ["5-2", "a", "1-", "0-99999999999", "-3"] {
            assert_eq!(numbers(damaged), None, "{damaged}");
        }
    }
}
