//! From a suite and what is known of it to what runs where in which order: one algorithm, plain or enhanced.

use miette::miette;

use super::algorithm::{Algorithm, Family, Ranking};
use super::enhance::apart::{KeptDependencies, enhance_apart};
use super::{parallelize, prioritize, select};
use crate::suite::{Change, Coverage, DependencyGraph, ElementSet, Precedence, TestId, Unit};

/// What an algorithm can go by.
#[derive(Debug, Clone, Copy)]
pub struct Material<'a> {
    /// In the original order.
    pub suite: &'a [TestId],
    pub coverage: Option<&'a Coverage>,
    pub change: Option<&'a Change>,
    /// What each test of the suite takes, in seconds.
    pub seconds: Option<&'a [f64]>,
    /// With them the algorithm is the enhanced one.
    pub dependencies: Option<&'a DependencyGraph>,
    /// For those that spread tests over machines.
    pub machines: usize,
}

/// What each machine runs, in order; a single one unless the algorithm spreads tests.
#[derive(Debug, Clone, PartialEq)]
pub struct Arrangement {
    pub algorithm: Algorithm,
    pub enhanced: bool,
    pub machines: Vec<Vec<TestId>>,
    /// Of these, what each machine runs only as others need it there.
    pub added: Vec<Vec<TestId>>,
    /// What breaks a test although it is known to: no order of these machines keeps all of it.
    pub breaches: Vec<Breach>,
    /// For those that spread tests over machines, where it is known what tests take.
    pub forecast: Option<Forecast>,
}

/// A test that fails where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Breach {
    /// From 0 on.
    pub machine: usize,
    pub test: TestId,
    /// What breaks it, all of these together.
    pub polluters: Vec<TestId>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Forecast {
    /// When the last machine is done, in seconds.
    pub makespan: f64,
    /// No schedule is done earlier.
    pub lower_bound: f64,
}

/// Positions in the original order, by machine.
type Queues = Vec<Vec<usize>>;

/// An error where the algorithm lacks what it has to know.
pub fn arrange(algorithm: Algorithm, material: &Material<'_>) -> miette::Result<Arrangement> {
    arrange_keeping(algorithm, material, &[])
}

/// The same with tests that a selection keeps whatever they cover, by position; they come after those that it selects.
pub fn arrange_keeping(algorithm: Algorithm, material: &Material<'_>, kept: &[usize]) -> miette::Result<Arrangement> {
    let precedence = match material.dependencies {
        Some(graph) => graph.precedence(),
        None => Precedence::none(material.suite.len()),
    };
    let work = material.work()?;
    let (kept, added) = match algorithm {
        Algorithm::P3 => {
            let work = work.as_deref().ok_or_else(|| missing(algorithm, "the durations of the tests"))?;
            let kept = parallelize::aware(work, &precedence, material.machines);
            let added = repeated(&kept, material.suite.len());
            (kept, added)
        }
        _ => {
            let mut plain = unenhanced(algorithm, material, work.as_deref())?;
            if algorithm.needs_change() {
                keep(&mut plain, kept);
            }
            let cost = |test: usize| work.as_ref().map_or(1, |work| work[test]);
            let kept = enhance_apart(plain, &precedence, cost);
            let added = kept.queues.iter().zip(&kept.given).map(|(queue, given)| without(queue, given)).collect();
            (kept, added)
        }
    };
    let breaches = breaches(&kept, &precedence, material.suite);
    let queues = kept.queues;
    let forecast = work.filter(|_| algorithm.is_parallel()).map(|work| Forecast {
        makespan: seconds(parallelize::makespan(&queues, &work)),
        lower_bound: seconds(parallelize::lower_bound(&work, &precedence, material.machines)),
    });
    let named = |queues: Queues| -> Vec<Vec<TestId>> {
        let names = |queue: Vec<usize>| queue.into_iter().map(|test| material.suite[test].clone()).collect();
        queues.into_iter().map(names).collect()
    };
    let enhanced = material.dependencies.is_some();
    Ok(Arrangement { algorithm, enhanced, machines: named(queues), added: named(added), breaches, forecast })
}

fn keep(queues: &mut Queues, kept: &[usize]) {
    if let [queue] = queues.as_mut_slice() {
        let missing: Vec<usize> = kept.iter().copied().filter(|test| !queue.contains(test)).collect();
        queue.extend(missing);
    }
}

fn unenhanced(algorithm: Algorithm, material: &Material<'_>, work: Option<&[u64]>) -> miette::Result<Queues> {
    let everything: Vec<usize> = (0..material.suite.len()).collect();
    Ok(match algorithm.family() {
        Family::Prioritization(unit, ranking) => {
            let covered = material.covered(algorithm, unit)?;
            vec![rank(ranking, &everything, &covered)]
        }
        Family::Selection(unit, ranking) => {
            let covered = material.covered(algorithm, unit)?;
            let selected = select::affected(&covered, &material.changed(algorithm, unit)?);
            vec![ranking.map_or_else(|| selected.clone(), |ranking| rank(ranking, &selected, &covered))]
        }
        Family::Parallelization if algorithm == Algorithm::P1 => {
            parallelize::by_position(material.suite.len(), material.machines)
        }
        Family::Parallelization => {
            let work = work.ok_or_else(|| missing(algorithm, "the durations of the tests"))?;
            parallelize::by_time(work, material.machines)
        }
    })
}

fn rank(ranking: Ranking, tests: &[usize], covered: &[&ElementSet]) -> Vec<usize> {
    match ranking {
        Ranking::Total => prioritize::by_total(tests, covered),
        Ranking::Additional => prioritize::by_additional(tests, covered),
    }
}

impl<'a> Material<'a> {
    fn work(&self) -> miette::Result<Option<Vec<u64>>> {
        let Some(seconds) = self.seconds else { return Ok(None) };
        if seconds.len() != self.suite.len() {
            return Err(miette!(
                "there are durations for {} tests, but the suite has \
                {}",
                seconds.len(),
                self.suite.len()
            ));
        }
        Ok(Some(seconds.iter().map(|seconds| parallelize::nanoseconds(*seconds)).collect()))
    }

    fn covered(&self, algorithm: Algorithm, unit: Unit) -> miette::Result<Vec<&'a ElementSet>> {
        let coverage = self.coverage.ok_or_else(|| missing(algorithm, "the coverage of the tests"))?;
        Ok(self.suite.iter().map(|test| coverage.of(test, unit)).collect())
    }

    fn changed(&self, algorithm: Algorithm, unit: Unit) -> miette::Result<ElementSet> {
        let coverage = self.coverage.ok_or_else(|| missing(algorithm, "the coverage of the tests"))?;
        let change = self.change.ok_or_else(|| missing(algorithm, "the changes"))?;
        if unit == Unit::Statement && change.is_of_methods_only() {
            return Err(miette!(
                help = "list changed lines, or use S4, S5 or S6, which select by methods",
                "{algorithm} selects by statements, but the changes name only methods"
            ));
        }
        Ok(coverage.touched_by(change, unit))
    }
}

fn missing(algorithm: Algorithm, what: &str) -> miette::Report {
    miette!("{algorithm} needs {what}")
}

/// What a queue has that the plain one has not.
fn without(queue: &[usize], plain: &[usize]) -> Vec<usize> {
    let plain: std::collections::HashSet<usize> = plain.iter().copied().collect();
    queue.iter().copied().filter(|test| !plain.contains(test)).collect()
}

/// What a machine runs although it was given to another one, or one before it runs it.
fn repeated(kept: &KeptDependencies, tests: usize) -> Queues {
    let mut seen = vec![false; tests];
    kept.given.iter().flatten().for_each(|test| seen[*test] = true);
    let again = |(queue, given): (&Vec<usize>, &Vec<usize>)| -> Vec<usize> {
        let others = without(queue, given).into_iter();
        others.filter(|test| std::mem::replace(&mut seen[*test], true)).collect()
    };
    kept.queues.iter().zip(&kept.given).map(again).collect()
}

fn breaches(kept: &KeptDependencies, precedence: &Precedence, suite: &[TestId]) -> Vec<Breach> {
    let numbered = kept.broken.iter().enumerate();
    let each = numbered.flat_map(|(machine, broken)| broken.iter().map(move |number| (machine, *number)));
    each.map(|(machine, number)| {
        let apart = &precedence.separations()[number];
        let polluters = apart.polluters.iter().map(|test| suite[*test].clone()).collect();
        Breach { machine, test: suite[apart.victim].clone(), polluters }
    })
    .collect()
}

fn seconds(nanoseconds: u64) -> f64 {
    std::time::Duration::from_nanos(nanoseconds).as_secs_f64()
}

#[cfg(test)]
mod tests;
