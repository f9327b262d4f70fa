//! A suite with what its tests take, from a table or from the reports of a build.

use std::collections::HashMap;
use std::path::Path;

use miette::miette;

use super::reports;
use crate::engine::model::ModelSuite;
use crate::suite::{Durations, Precedence, TestId};
use crate::technique::parallelize::{LONGEST, nanoseconds};
use crate::wording::brief;

/// Nobody measured the durations of a model suite.
const OF_MODEL: &str = "the durations are those of a model suite; nothing was measured";

/// Tests by position in their original order.
#[derive(Debug, Clone, Default)]
pub struct Workload {
    pub tests: Vec<TestId>,
    /// In nanoseconds.
    pub(super) work: Vec<u64>,
    /// Classes are numbered in the order in which they come first.
    pub(super) class: Vec<usize>,
    pub(super) precedence: Option<Precedence>,
    /// What a reader should know about where it comes from.
    pub notes: Vec<String>,
}

impl Workload {
    /// From a CSV file, a report, or a folder of reports.
    pub fn load(path: &Path) -> miette::Result<Self> {
        let is_report = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("xml"));
        let is_model = path.is_file() && path.extension().is_some_and(|extension| extension == "toml");
        let (suite, notes) = if is_model {
            let tests = ModelSuite::load(path)?.tests.into_iter();
            (tests.map(|test| (test.id, test.seconds)).collect(), vec![OF_MODEL.to_owned()])
        } else if path.is_dir() || is_report {
            let found = reports::read(path)?;
            (found.tests, found.notes)
        } else {
            (Durations::load_any(path)?.into_suite(), Vec::new())
        };
        if suite.is_empty() {
            return Err(miette!(
                help = "give a CSV file with the columns test and seconds, or a folder with JUnit reports such as \
                    TEST-shop.StockTest.xml",
                "{} contains no test",
                path.display()
            ));
        }
        let endless = suite.iter().find(|(_, seconds)| *seconds > LONGEST.as_secs_f64());
        let note = |(test, seconds): &(TestId, f64)| {
            let test = brief(&test.to_string());
            format!(
                "a test counts as at most one year: {test} says {seconds:e} s; other such tests are limited as well"
            )
        };
        let notes = notes.into_iter().chain(endless.map(note)).collect();
        Ok(Workload { notes, ..Workload::of(suite) })
    }

    pub fn of(suite: Vec<(TestId, f64)>) -> Self {
        let class = class_numbers(&suite);
        let work = suite.iter().map(|(_, seconds)| nanoseconds(*seconds)).collect();
        let tests = suite.into_iter().map(|(test, _)| test).collect();
        Workload { tests, work, class, precedence: None, notes: Vec::new() }
    }

    /// The tests with what each takes, in seconds.
    pub fn into_measured(self) -> Vec<(TestId, f64)> {
        self.tests.into_iter().zip(self.work).map(|(test, work)| (test, super::seconds(work))).collect()
    }

    /// Dependencies of these tests.
    pub fn with_dependencies(self, precedence: Precedence) -> Self {
        Workload { precedence: Some(precedence), ..self }
    }

    pub fn classes(&self) -> usize {
        self.class.iter().max().map_or(0, |last| last + 1)
    }

    /// All of the work, in seconds.
    pub fn seconds(&self) -> f64 {
        super::seconds(self.work.iter().fold(0, |sum, work| sum.saturating_add(*work)))
    }

    /// What each class takes as a whole.
    pub(super) fn class_work(&self) -> Vec<u64> {
        let mut classes = vec![0u64; self.classes()];
        for (class, work) in self.class.iter().zip(&self.work) {
            classes[*class] = classes[*class].saturating_add(*work);
        }
        classes
    }

    /// When each test starts after its class does, as a class is run in order.
    pub(super) fn offsets_in_class(&self) -> Vec<u64> {
        let mut reached = vec![0u64; self.classes()];
        let each = self.class.iter().zip(&self.work);
        each.map(|(class, work)| {
            let next = reached[*class].saturating_add(*work);
            std::mem::replace(&mut reached[*class], next)
        })
        .collect()
    }
}

fn class_numbers(suite: &[(TestId, f64)]) -> Vec<usize> {
    let mut numbers: HashMap<(&str, &str), usize> = HashMap::new();
    let mut classes = Vec::with_capacity(suite.len());
    for (test, _) in suite {
        let next = numbers.len();
        classes.push(*numbers.entry((test.module.as_str(), test.class.as_str())).or_insert(next));
    }
    classes
}
