//! (g) Orders of a large suite: `enhanceOrder` on 100,000 tests with 10,000 dependencies, P3 for 256 machines, and how close it
//! comes to the lower bound, beside the enhanced P2.

use std::time::Instant;

use parade::suite::{Dependency, DependencyGraph, TestId};
use parade::technique::enhance::{enhance, enhance_each};
use parade::technique::parallelize::{aware, by_time, lower_bound, makespan};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::figure::{Figure, Goal, median, seconds};
use super::workbench::PAIRS;

const TESTS: usize = 100_000;
const MACHINES: usize = 256;

pub fn measure() -> Vec<Figure> {
    let large = Suite::random(TESTS, 1);
    let mut figures = vec![enhance_order(&large), p3(&large)];
    figures.extend([(10, 2), (100, 4), (1_000, 16), (10_000, 64), (TESTS, MACHINES)].map(|(tests, machines)| {
        let suite = if tests == TESTS { &large } else { &Suite::random(tests, 1) };
        closeness(suite, machines)
    }));
    figures
}

struct Suite {
    tests: Vec<TestId>,
    work: Vec<u64>,
    dependencies: Vec<Dependency>,
}

impl Suite {
    /// Tests of very different lengths, a tenth of which need one to three of those before them.
    fn random(tests: usize, seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut below = |limit: usize| (random.next_u64() % limit as u64) as usize;
        let id = |test: usize| TestId::new("", "pkg.SomeTest", &format!("test{test}"), 1);
        let work = (0..tests).map(|_| 1 + (below(10_000) * below(100)) as u64 / (1 + below(50)) as u64).collect();
        let mut dependencies = Vec::new();
        for test in (10..tests).step_by(10) {
            let after = (0..=below(3)).map(|_| id(below(test))).collect();
            dependencies.push(Dependency { test: id(test), after: vec![after], not_after: vec![], cleaners: vec![] });
        }
        Suite { tests: (0..tests).map(id).collect(), work, dependencies }
    }

    fn graph(&self) -> DependencyGraph {
        DependencyGraph::new(self.dependencies.clone(), &self.tests).expect("tests need earlier ones only")
    }
}

fn times(mut work: impl FnMut()) -> Vec<f64> {
    let mut time = || {
        let begin = Instant::now();
        work();
        begin.elapsed().as_secs_f64()
    };
    (0..PAIRS).map(|_| time()).collect()
}

fn figure(what: &str, times: &[f64]) -> Figure {
    Figure {
        what: what.to_owned(),
        goal: Goal::AtMost(1.0),
        unit: " s",
        value: median(times),
        detail: format!("{}, {PAIRS} times", seconds(times)),
    }
}

fn enhance_order(suite: &Suite) -> Figure {
    let reversed: Vec<usize> = (0..suite.tests.len()).rev().collect();
    let times = times(|| {
        let order = enhance(&reversed, &suite.graph().precedence());
        assert_eq!(order.len(), suite.tests.len());
    });
    figure("`enhanceOrder` on 100,000 tests with 10,000 dependencies, these checked", &times)
}

fn p3(suite: &Suite) -> Figure {
    let precedence = suite.graph().precedence();
    let times = times(|| assert_eq!(aware(&suite.work, &precedence, MACHINES).queues.len(), MACHINES));
    figure("P3 for 100,000 tests on 256 machines", &times)
}

fn closeness(suite: &Suite, machines: usize) -> Figure {
    let precedence = suite.graph().precedence();
    let bound = lower_bound(&suite.work, &precedence, machines).max(1) as f64;
    let p2 = makespan(&enhance_each(&by_time(&suite.work, machines), &precedence), &suite.work) as f64 / bound;
    Figure {
        what: format!("makespan of P3 / lower bound, {} tests on {machines} machines", suite.tests.len()),
        goal: Goal::AtMost(p2),
        unit: "",
        value: makespan(&aware(&suite.work, &precedence, machines).queues, &suite.work) as f64 / bound,
        detail: format!("enhanced P2: {p2:.3}"),
    }
}
