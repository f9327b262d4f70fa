//! Which test an execution is of, where several share a class and a name.
//!
//! Frameworks number repeated names each in its own scope: a process, or the class that was run. A suite is known by the
//! numbers of its first run. Where the class that was run is on record, a number within it is brought back to the one in
//! the whole suite, however the run was cut into processes and whatever part of the suite it was.

use std::collections::{HashMap, HashSet};

use super::events::Observation;
use super::selection::KnownTest;
use crate::suite::TestId;

/// One name in the scope of the class that was run for it.
type Scope<'a> = (&'a str, &'a str, &'a str, &'a str);

/// Sorts by start, and gives every execution an identity of its own; that of the known test where there is one.
pub fn identify(mut observations: Vec<Observation>, known: &[KnownTest]) -> Vec<Observation> {
    observations.sort_by(|a, b| a.execution.start.total_cmp(&b.execution.start));
    let scopes = scopes(known);
    for observation in &mut observations {
        let test = &observation.execution.test;
        let Some(root) = &observation.root else { continue };
        let numbers = scopes.get(&(test.module.as_str(), root.as_str(), test.class.as_str(), test.name.as_str()));
        let local = usize::try_from(test.occurrence).unwrap_or(usize::MAX);
        if let Some(&number) = numbers.and_then(|numbers| numbers.get(local.saturating_sub(1))) {
            observation.execution.test.occurrence = number;
        }
    }
    number_duplicates(&mut observations);
    observations
}

/// The numbers that a name has in the whole suite, by scope, ascending.
fn scopes(known: &[KnownTest]) -> HashMap<Scope<'_>, Vec<u32>> {
    let mut scopes: HashMap<Scope<'_>, Vec<u32>> = HashMap::new();
    for test in known {
        if let Some(root) = &test.root {
            let scope = (test.id.module.as_str(), root.as_str(), test.id.class.as_str(), test.id.name.as_str());
            scopes.entry(scope).or_default().push(test.id.occurrence);
        }
    }
    scopes.values_mut().for_each(|numbers| numbers.sort_unstable());
    scopes
}

/// The first keeps its number, the others take the lowest that nobody has.
fn number_duplicates(observations: &mut [Observation]) {
    let mut taken: HashSet<TestId> = HashSet::with_capacity(observations.len());
    let mut duplicates = Vec::new();
    for (index, observation) in observations.iter().enumerate() {
        if !taken.insert(observation.execution.test.clone()) {
            duplicates.push(index);
        }
    }
    let mut lowest: HashMap<(String, String, String), u32> = HashMap::new();
    for index in duplicates {
        let id = &mut observations[index].execution.test;
        let next = lowest.entry((id.module.clone(), id.class.clone(), id.name.clone())).or_insert(1);
        id.occurrence = *next;
        while !taken.insert(id.clone()) {
            id.occurrence += 1;
        }
        *next = id.occurrence;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::{Execution, Outcome};

    fn observation(start: f64, occurrence: u32, root: Option<&str>) -> Observation {
        let execution = Execution {
            test: TestId::new("", "a.B", "t", occurrence),
            display: None,
            outcome: Outcome::Passed,
            start,
            seconds: 1.0,
            process: 1,
            thread: String::new(),
            message: None,
        };
        Observation { root: root.map(str::to_owned), ..Observation::unrooted(execution) }
    }

    fn numbers(observations: Vec<Observation>, known: &[KnownTest]) -> Vec<(f64, u32)> {
        let identified = identify(observations, known).into_iter();
        identified.map(|one| (one.execution.start, one.execution.test.occurrence)).collect()
    }

    fn known() -> Vec<KnownTest> {
        let first = vec![
            observation(1.0, 1, Some("One")),
            observation(2.0, 2, Some("One")),
            observation(3.0, 1, Some("Two")),
            observation(4.0, 2, Some("Two")),
        ];
        let known = |one: Observation| KnownTest {
            id: one.execution.test,
            display: None,
            root: one.root,
            suite: one.suite,
            local: one.local,
            outcome: one.execution.outcome,
        };
        identify(first, &[]).into_iter().map(known).collect()
    }

    #[test]
    fn processes_that_number_for_themselves_are_told_apart() {
        let run = vec![observation(3.0, 2, None), observation(2.0, 1, None), observation(1.0, 1, None)];
        assert_eq!(numbers(run, &[]), [(1.0, 1), (2.0, 3), (3.0, 2)]);
    }

    #[test]
    fn the_first_run_numbers_through_all_suites() {
        let numbers: Vec<_> = known().iter().map(|test| test.id.occurrence).collect();
        assert_eq!(numbers, [1, 2, 3, 4]);
    }

    #[test]
    fn a_part_of_the_suite_keeps_its_numbers() {
        let run = vec![observation(1.0, 2, Some("Two")), observation(2.0, 1, Some("Two"))];
        assert_eq!(numbers(run, &known()), [(1.0, 4), (2.0, 3)]);
    }

    #[test]
    fn suites_in_another_order_keep_their_numbers() {
        let run =
            vec![observation(1.0, 1, Some("Two")), observation(2.0, 1, Some("One")), observation(3.0, 9, Some("One"))];
        assert_eq!(numbers(run, &known()), [(1.0, 3), (2.0, 1), (3.0, 9)]);
    }
}
