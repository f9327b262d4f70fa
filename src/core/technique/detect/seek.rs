//! Dependencies that show in orders which somebody gives: run them, explain every test that fails, order anew, until no order
//! fails any more. This is how the study of dependent-test-aware techniques extends its detector.
//!
//! Also here: random orders that only tell which tests depend on the order, not on what.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

use super::baseline::baseline;
use super::order_runner::{Observation, OrderRunner, ProcessFreshness, Purpose, SearchContext, SearchStop, Step};
use super::strategy::{Settings, Strategy, orders};
use super::{CONFIRMATIONS, CONFIRMATIONS_COLD, DetectionState, TestRoster};
use crate::engine::{Resources, Session};
use crate::suite::{Dependency, TestId, dependency_file};

/// How often the original order, and every order that a test fails in, is run.
const RUNS: usize = 3;
/// Orders that still fail after so many turns will go on to.
const TURNS: u32 = 20;
/// There is no budget here: the orders of the algorithms are what is to be explained.
const ENDLESS: Duration = Duration::from_secs(30 * 86_400);

/// The suite that orders are of.
pub struct SeekInput<'a> {
    pub session: &'a mut dyn Session,
    pub roster: TestRoster,
    /// Their failures are nobody's concern.
    pub set_aside: &'a HashSet<TestId>,
    pub resources: Resources,
    pub company: SearchContext<'a>,
}

/// What the orders of one algorithm have shown.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FoundDependencies {
    /// Without circles.
    pub dependencies: Vec<Dependency>,
    /// Tests that failed in any of the orders.
    pub order_dependent: Vec<TestId>,
    /// All runs but those of the original order.
    pub seconds: f64,
    /// Orders that were run, each with more dependencies than the one before.
    pub turns: u32,
    /// Did the last order pass?
    pub complete: bool,
}

/// What each machine runs, in order.
pub type Machines = Vec<Vec<TestId>>;

/// Finds the dependencies that the orders of one algorithm need. `arrange` gives its order for those that are known.
pub fn seek(
    bed: SeekInput<'_>,
    arrange: &mut dyn FnMut(&[Dependency]) -> miette::Result<Machines>,
) -> Result<FoundDependencies, SearchStop> {
    let set_aside = bed.set_aside;
    let mut detective = DetectionState::begin(bed)?;
    let before = detective.order_runner.spent();
    let mut sought = FoundDependencies::default();
    let mut failed: BTreeSet<usize> = BTreeSet::new();
    while sought.turns < TURNS {
        let machines = arrange(&sought.dependencies)?;
        sought.turns += 1;
        let failing = detective.failing_in(&machines, set_aside)?;
        if failing.is_empty() {
            sought.complete = true;
            break;
        }
        failed.extend(&failing);
        detective.explain_all()?;
        let dependencies = detective.dependencies(&failed);
        if dependencies == sought.dependencies {
            break;
        }
        sought.dependencies = dependencies;
    }
    sought.seconds = detective.order_runner.spent() - before;
    sought.order_dependent = failed.iter().map(|test| detective.order_runner.roster.id(*test).clone()).collect();
    Ok(sought)
}

/// Tests that pass in the original order and fail, each time, in one of so many random orders.
pub fn order_dependent(bed: SeekInput<'_>, rounds: usize, seed: u64) -> Result<Vec<TestId>, SearchStop> {
    let set_aside = bed.set_aside;
    let mut detective = DetectionState::begin(bed)?;
    let settings = Settings { rounds, k: 0, seed };
    let tests = detective.present();
    let (orders, _) = orders(Strategy::RandomInterleaved, &detective.order_runner.roster, &tests, settings);
    let mut found: BTreeSet<usize> = BTreeSet::new();
    for (number, order) in (1..).zip(orders) {
        detective.order_runner.doing(Purpose::Orders, format!("random order {number} of {rounds}"));
        let seen = detective.order_runner.observe(&order, ProcessFreshness::Warm)?;
        let mut suspects = detective.fails_anew(&seen, set_aside);
        suspects.retain(|test| !found.contains(test));
        found.extend(detective.confirmed(&order, suspects, set_aside)?);
    }
    Ok(found.iter().map(|test| detective.order_runner.roster.id(*test).clone()).collect())
}

impl<'a> DetectionState<'a> {
    fn begin(bed: SeekInput<'a>) -> Step<Self> {
        let mut order_runner = OrderRunner::new(bed.session, bed.roster, bed.company, bed.resources, ENDLESS);
        let baseline = baseline(&mut order_runner, RUNS)?;
        let confirmations = if order_runner.has_warm() { CONFIRMATIONS } else { CONFIRMATIONS_COLD };
        Ok(DetectionState::of(order_runner, baseline, confirmations))
    }

    /// Tests that fail every time in what a machine runs, with what ran before them taken down.
    fn failing_in(&mut self, machines: &Machines, set_aside: &HashSet<TestId>) -> Step<BTreeSet<usize>> {
        let mut failing = BTreeSet::new();
        for (number, tests) in (1..).zip(machines) {
            self.order_runner.doing(Purpose::Orders, format!("the order of machine {number} of {}", machines.len()));
            let order: Vec<usize> = tests.iter().filter_map(|test| self.order_runner.roster.number(test)).collect();
            if order.is_empty() {
                continue;
            }
            let first = self.order_runner.observe(&order, ProcessFreshness::Fresh)?;
            let mut fails = self.fails_anew(&first, set_aside);
            for _ in 1..RUNS {
                if fails.is_empty() {
                    break;
                }
                let again = self.order_runner.observe(&order, ProcessFreshness::Fresh)?;
                let still = self.fails_anew(&again, set_aside);
                fails.retain(|test| still.contains(test));
            }
            self.take_down(&first, &fails);
            failing.extend(fails);
        }
        Ok(failing)
    }

    /// Tests that fail here, and pass in the original order every time.
    fn fails_anew(&self, seen: &Observation, set_aside: &HashSet<TestId>) -> BTreeSet<usize> {
        let passes = |test: usize| self.baseline.fails.get(&test) == Some(&false) && !self.flaky.contains_key(&test);
        let counts = |test: usize| passes(test) && !set_aside.contains(self.order_runner.roster.id(test));
        let failed = seen.seen.iter().filter(|seen| seen.fails() == Some(true)).map(|seen| seen.test);
        failed.filter(|test| counts(*test)).collect()
    }

    fn take_down(&mut self, seen: &Observation, failing: &BTreeSet<usize>) {
        for (place, test) in seen.seen.iter().enumerate() {
            if failing.contains(&test.test) && test.fails() == Some(true) {
                let history = seen.history(place);
                let known = self.known.get(&test.test);
                if !known.is_some_and(|known| known.explains(&history)) {
                    self.evidence.entry(test.test).or_default().add(true, history, true);
                    self.reopen(test.test);
                }
            }
        }
    }

    /// Those of the suspects that fail in the order again in fresh processes, as often as it takes.
    fn confirmed(
        &mut self,
        order: &[usize],
        mut suspects: BTreeSet<usize>,
        set_aside: &HashSet<TestId>,
    ) -> Step<BTreeSet<usize>> {
        for _ in 0..self.confirmations {
            if suspects.is_empty() {
                break;
            }
            let again = self.order_runner.observe(order, ProcessFreshness::Fresh)?;
            let still = self.fails_anew(&again, set_aside);
            suspects.retain(|test| still.contains(test));
        }
        Ok(suspects)
    }

    /// What is known of the dependencies of these tests.
    fn dependencies(&self, tests: &BTreeSet<usize>) -> Vec<Dependency> {
        let roster = &self.order_runner.roster;
        let groups = |groups: &BTreeSet<Vec<usize>>| groups.iter().map(|group| roster.ids(group)).collect();
        let of = |test: &usize| {
            let known = self.known.get(test).filter(|known| known.is_found() && !self.flaky.contains_key(test))?;
            Some(Dependency {
                test: roster.id(*test).clone(),
                after: groups(&known.setters),
                not_after: groups(&known.polluters),
                cleaners: Vec::new(),
            })
        };
        let suite: Vec<TestId> = (0..roster.len()).map(|test| roster.id(test).clone()).collect();
        dependency_file::without_circles(tests.iter().filter_map(of).collect(), &suite).0
    }
}

/// The dependencies of all, with everything about a test in one place.
pub fn united<'d>(parts: impl IntoIterator<Item = &'d [Dependency]>, suite: &[TestId]) -> Vec<Dependency> {
    let mut all: BTreeMap<&TestId, Dependency> = BTreeMap::new();
    for dependency in parts.into_iter().flatten() {
        let Dependency { test, after, not_after, cleaners } = dependency;
        let whole = all.entry(test).or_insert_with(|| Dependency {
            test: test.clone(),
            after: Vec::new(),
            not_after: Vec::new(),
            cleaners: Vec::new(),
        });
        add_missing(&mut whole.after, after);
        add_missing(&mut whole.not_after, not_after);
        add_missing(&mut whole.cleaners, cleaners);
    }
    dependency_file::without_circles(all.into_values().collect(), suite).0
}

fn add_missing<T: Clone + PartialEq>(to: &mut Vec<T>, from: &[T]) {
    from.iter().for_each(|each| {
        if !to.contains(each) {
            to.push(each.clone());
        }
    });
}

#[cfg(test)]
mod tests {
    use super::super::order_runner::{Forgetful, Progress};
    use super::*;
    use crate::engine::model::{ModelSession, ModelSuite};
    use crate::suite::DependencyGraph;
    use crate::technique::enhance::enhance;

    /// A victim, a brittle test, and a chain across classes.
    const SUITE: &str = "
        [[test]]\nid='A#sets'\nseconds=1
        [[test]]\nid='A#brittle'\nseconds=1\nneeds=['A#sets']
        [[test]]\nid='A#victim'\nseconds=1\npolluted_by=['B#pollutes']
        [[test]]\nid='B#pollutes'\nseconds=1
        [[test]]\nid='C#chain'\nseconds=1\nneeds=['A#brittle', 'B#pollutes']
        [[test]]\nid='C#flaky'\nseconds=1\nflaky=0.5
        [[test]]\nid='C#aside'\nseconds=1\nneeds=['A#sets']";

    fn with_bed<T>(suite: &str, work: impl FnOnce(SeekInput<'_>) -> T) -> T {
        let mut session = ModelSession::new(ModelSuite::parse(suite).unwrap(), 1);
        let roster = TestRoster::by_module(session.tests());
        let set_aside = HashSet::from(["C#aside".parse().unwrap()]);
        let resources = Resources { cores: 1, memory_bytes: None, logs: "logs".into() };
        let (mut memory, mut hear) = (Forgetful, |_: &Progress| {});
        let company = SearchContext { memory: &mut memory, hear: &mut hear, stop: &|| false };
        work(SeekInput { session: &mut session, roster, set_aside: &set_aside, resources, company })
    }

    fn reversed_and_enhanced(suite: &str) -> FoundDependencies {
        let tests: Vec<TestId> = ModelSuite::parse(suite).unwrap().tests.into_iter().map(|test| test.id).collect();
        let mut arrange = |known: &[Dependency]| {
            let graph = DependencyGraph::new(known.to_vec(), &tests)?;
            let backwards: Vec<usize> = (0..tests.len()).rev().collect();
            let order = enhance(&backwards, &graph.precedence());
            Ok(vec![order.into_iter().map(|test| tests[test].clone()).collect()])
        };
        with_bed(suite, |bed| seek(bed, &mut arrange)).unwrap_or_else(|halt| panic!("{halt:?}"))
    }

    #[test]
    fn dependencies_are_found_until_the_order_passes() {
        let sought = reversed_and_enhanced(SUITE);
        assert!(sought.complete && sought.turns >= 2 && sought.seconds > 0.0, "{sought:?}");
        let names: Vec<&str> = sought.order_dependent.iter().map(|test| test.name.as_str()).collect();
        assert_eq!(names, ["brittle", "victim", "chain"], "neither what is flaky nor what was set aside");
        let of = |name: &str| sought.dependencies.iter().find(|each| each.test.name == name).unwrap();
        assert_eq!(of("brittle").after, [["A#sets".parse().unwrap()]]);
        assert_eq!(of("victim").not_after, [["B#pollutes".parse().unwrap()]]);
        assert!(of("chain").after[0].contains(&"B#pollutes".parse().unwrap()));
    }

    #[test]
    fn an_order_that_cannot_be_mended_ends_the_search() {
        let mut arrange = |_: &[Dependency]| Ok(vec![vec!["A#brittle".parse().unwrap()]]);
        let sought = with_bed(SUITE, |bed| seek(bed, &mut arrange)).unwrap();
        assert!(!sought.complete && sought.turns == 2, "{sought:?}");
        assert_eq!(sought.dependencies.len(), 1);
    }

    #[test]
    fn random_orders_tell_who_depends_on_the_order() {
        let found = with_bed(SUITE, |bed| order_dependent(bed, 30, 7)).unwrap();
        let mut names: Vec<&str> = found.iter().map(|test| test.name.as_str()).collect();
        names.sort_unstable();
        assert_eq!(names, ["brittle", "chain", "victim"]);
    }

    #[test]
    fn what_several_found_is_united_by_test() {
        let id = |name: &str| -> TestId { TestId::new("", "C", name, 1) };
        let depends = |test: &str, after: &[&str], not_after: &[&str]| Dependency {
            test: id(test),
            after: after.iter().map(|name| vec![id(name)]).collect(),
            not_after: not_after.iter().map(|name| vec![id(name)]).collect(),
            cleaners: vec![],
        };
        let suite = ["a", "b", "c", "d"].map(id);
        let (one, other) = ([depends("d", &["a"], &[])], [depends("d", &["a", "b"], &[]), depends("c", &[], &["d"])]);
        let united = united([&one[..], &other[..]], &suite);
        assert_eq!(united, [depends("c", &[], &["d"]), depends("d", &["a", "b"], &[])]);
    }
}
