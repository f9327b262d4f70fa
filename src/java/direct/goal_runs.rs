//! A run in pieces, each of which goes to processes of one kind.

use crate::maven::KnownTest;

/// Tests that follow each other and run in processes of the same goal.
#[derive(Debug, PartialEq, Eq)]
pub struct GoalRun {
    pub suite: usize,
    /// Positions in the request.
    pub tests: Vec<usize>,
}

/// Split where the goal changes: other goals have other class paths.
pub fn legs(chosen: &[usize], known: &[KnownTest]) -> Vec<GoalRun> {
    let suite = |test: &usize| known[chosen[*test]].suite;
    let all: Vec<usize> = (0..chosen.len()).collect();
    all.chunk_by(|a, b| suite(a) == suite(b))
        .map(|tests| GoalRun { suite: suite(&tests[0]), tests: tests.to_vec() })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_split_where_the_goal_changes() {
        let known: Vec<KnownTest> = [("a.A#x", 0), ("b.B#y", 1), ("a.A#z", 0)]
            .into_iter()
            .map(|(id, suite)| KnownTest { suite, ..KnownTest::passed(id) })
            .collect();
        let leg = |suite, tests: &[usize]| GoalRun { suite, tests: tests.to_vec() };
        assert_eq!(legs(&[2, 0, 1, 0], &known), [leg(0, &[0, 1]), leg(1, &[2]), leg(0, &[3])]);
        assert!(legs(&[], &known).is_empty());
    }
}
