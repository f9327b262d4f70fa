//! How long the rest will take, from what has been seen so far.

use std::collections::HashMap;

use crate::experiment::Trial;
use crate::store::record::{Phase, TrialRecord};

/// Mean times of finished trials, from the most alike to all.
#[derive(Debug, Default)]
pub struct Forecast<'a> {
    cells: HashMap<(&'a str, &'a str, usize), Mean>,
    subjects: HashMap<&'a str, Mean>,
    all: Mean,
}

#[derive(Debug, Default, Clone, Copy)]
struct Mean {
    sum: f64,
    count: u32,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1;
    }

    fn value(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / f64::from(self.count))
    }
}

impl<'a> Forecast<'a> {
    pub fn from(finished: &'a [TrialRecord]) -> Self {
        let mut forecast = Forecast::default();
        for record in finished.iter().filter(|record| record.phase != Phase::Screening) {
            // A model suite has no JDK, and its virtual time passes in no time.
            let seconds = if record.jdk.is_some() { record.cost.wall_seconds } else { 0.0 };
            let cell = (record.subject.as_str(), record.configuration.as_str(), record.cores);
            forecast.cells.entry(cell).or_default().add(seconds);
            forecast.subjects.entry(&record.subject).or_default().add(seconds);
            forecast.all.add(seconds);
        }
        forecast
    }

    /// Nothing, while nothing has been seen.
    pub fn seconds<'t>(&self, trials: impl Iterator<Item = &'t Trial>) -> Option<f64> {
        trials.map(|trial| self.of(trial)).sum()
    }

    fn of(&self, trial: &Trial) -> Option<f64> {
        let cell = (trial.subject.as_str(), trial.configuration.as_str(), trial.cores);
        let alike = self.cells.get(&cell).and_then(|mean| mean.value());
        let same_subject = || self.subjects.get(trial.subject.as_str()).and_then(|mean| mean.value());
        alike.or_else(same_subject).or_else(|| self.all.value())
    }
}
