//! What would help most: every long class split and every long test made faster, each by itself, and the whole computed anew.

use serde::Serialize;

use super::Model;
use crate::assess::parallel_mode::ParallelMode;

/// So many of the longest are tried; what is shorter gains less.
const TRIED: usize = 40;
const TOLD: usize = 5;
/// Less than this is noise.
const LEAST_SECONDS: f64 = 0.06;

/// A change to the suite, and what it would bring on so many cores.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Improvement {
    /// `split` a class into several, or make a test `faster`: half as long.
    pub change: &'static str,
    pub name: String,
    /// What it takes now.
    pub takes_seconds: f64,
    pub gain_seconds: f64,
    pub cores: usize,
}

/// The five changes that gain most.
pub fn improvements(model: &Model, way: ParallelMode, cores: usize) -> Vec<Improvement> {
    let (suite, now) = (model.suite(), model.seconds(way, cores));
    let mut found: Vec<Improvement> = Vec::new();
    if matches!(way, ParallelMode::Classes | ParallelMode::Forks) {
        found.extend(suite.long_classes(TRIED).into_iter().map(|class| {
            let piece = suite.class(class);
            let gain_seconds = (now - model.with(suite.with_split(class)).seconds(way, cores)).min(piece.seconds);
            Improvement { change: "split", name: piece.name, takes_seconds: piece.seconds, gain_seconds, cores }
        }));
    }
    found.extend(suite.long_tests(TRIED).into_iter().map(|test| {
        let piece = suite.test(test);
        // What is saved of a test is all that can be gained by it.
        let gain_seconds = (now - model.with(suite.with_faster(test)).seconds(way, cores)).min(piece.seconds / 2.0);
        Improvement { change: "faster", name: piece.name, takes_seconds: piece.seconds, gain_seconds, cores }
    }));
    found.retain(|improvement| improvement.gain_seconds >= LEAST_SECONDS);
    found.sort_by(|a, b| b.gain_seconds.total_cmp(&a.gain_seconds).then_with(|| a.name.cmp(&b.name)));
    found.truncate(TOLD);
    found
}

impl Model {
    /// The same with another suite; what tests compute stays a share of what they take.
    fn with(&self, suite: super::Suite) -> Model {
        let mut observed = self.observed.clone();
        let before: f64 = self.observed.suite.tests().iter().map(|(_, seconds)| seconds).sum();
        let after: f64 = suite.tests().iter().map(|(_, seconds)| seconds).sum();
        let saved = (before - after).max(0.0);
        observed.wall_seconds -= saved;
        observed.test_seconds -= saved;
        let left = if self.parts.tests > 0.0 { 1.0 - saved / self.parts.tests } else { 1.0 };
        observed.cpu_seconds -= self.parts.computing * (1.0 - left);
        if let Some(jvm) = &mut observed.jvm {
            (jvm.tests, jvm.beside_tests) = (jvm.tests * left, jvm.beside_tests * left);
        }
        observed.suite = suite;
        Model { corrections: self.corrections.clone(), ..Model::new(observed, self.threads_per_core) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Observed, Suite};
    use super::*;
    use crate::suite::TestId;

    #[test]
    fn the_class_that_everybody_waits_for_is_to_be_split() {
        let mut tests: Vec<(TestId, f64)> =
            (0..8).map(|n| (TestId::new("", &format!("Small{n}"), "t", 1), 1.0)).collect();
        tests.extend((0..6).map(|n| (TestId::new("", "Large", &format!("t{n}"), 1), 2.0)));
        let suite = Suite::of(tests, 20.0);
        let model =
            Model::new(Observed { wall_seconds: 22.0, cpu_seconds: 22.0, test_seconds: 20.0, jvm: None, suite }, 1);
        let found = improvements(&model, ParallelMode::Classes, 8);
        assert_eq!((found[0].change, found[0].name.as_str(), found[0].takes_seconds), ("split", "Large", 12.0));
        assert!(found[0].gain_seconds > 5.0 && found.len() <= 5, "{found:?}");
        assert!(found[1..].iter().all(|each| each.change == "faster" && each.name.starts_with("Large#")));
        assert!(improvements(&model, ParallelMode::ClassesAndMethods, 8).iter().all(|each| each.change == "faster"));
    }
}
