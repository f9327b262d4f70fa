//! Test parallelization: which machine runs which tests, in which order. P1 and P2 of the study; P3 is in [`aware`].
//!
//! Tests are positions in the original order, machines are positions in the result. Work is in nanoseconds: whole numbers add
//! up to the same sum in any order, so that ties are ties.

mod aware;
mod closures;
pub mod pool;
mod rivals;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use crate::suite::Precedence;
pub use aware::aware;
use closures::Closures;

/// What tests take, by position in the original order.
pub type Work = [u64];

/// A year is as good as for ever.
pub const LONGEST: Duration = Duration::from_secs(366 * 86_400);

pub fn nanoseconds(seconds: f64) -> u64 {
    let duration = Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(LONGEST);
    u64::try_from(duration.min(LONGEST).as_nanos()).unwrap_or(u64::MAX)
}

/// P1: the machines take turns.
pub fn by_position(tests: usize, machines: usize) -> Vec<Vec<usize>> {
    (0..machines).map(|machine| (machine..tests).step_by(machines).collect()).collect()
}

/// P2: the longest test first, each on the machine that is done earliest; ties by original order, then the lowest machine.
pub fn by_time(work: &Work, machines: usize) -> Vec<Vec<usize>> {
    let mut queues = vec![Vec::new(); machines];
    let mut free: BinaryHeap<Reverse<(u64, usize)>> = (0..machines).map(|machine| Reverse((0, machine))).collect();
    for (Reverse(work), test) in longest_first(work) {
        let Some(mut first) = free.peek_mut() else { break };
        let Reverse((busy, machine)) = *first;
        queues[machine].push(test);
        *first = Reverse((busy.saturating_add(work), machine));
    }
    queues
}

/// The work beside the test: a sort that has to look it up is several times slower.
fn longest_first(work: &Work) -> Vec<(Reverse<u64>, usize)> {
    let mut tests: Vec<(Reverse<u64>, usize)> = work.iter().map(|work| Reverse(*work)).zip(0..).collect();
    tests.sort_unstable();
    tests
}

/// When the last machine is done.
pub fn makespan(queues: &[Vec<usize>], work: &Work) -> u64 {
    queues.iter().map(|queue| total(queue, work)).max().unwrap_or(0)
}

fn total(queue: &[usize], work: &Work) -> u64 {
    queue.iter().fold(0, |sum, test| sum.saturating_add(work[*test]))
}

/// The work of the test that takes longest with all that it needs.
pub fn costliest(work: &Work, precedence: &Precedence) -> u64 {
    Closures::of(work, precedence).costliest()
}

/// No schedule is done earlier: somebody runs the costliest test with all that it needs, and all of the work is done.
pub fn lower_bound(work: &Work, precedence: &Precedence, machines: usize) -> u64 {
    Closures::of(work, precedence).lower_bound(machines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p1_deals_tests_out_in_turn() {
        assert_eq!(by_position(7, 3), [vec![0, 3, 6], vec![1, 4], vec![2, 5]]);
        assert_eq!(by_position(1, 3), [vec![0], vec![], vec![]]);
    }

    #[test]
    fn p2_gives_the_longest_test_to_the_machine_that_is_done_first() {
        // 5 → machine 0, 4 → 1, 3 → 1 (at 4), 3 → 0 (at 5), 2 → 1 (at 7), 1 → 0 (at 8).
        assert_eq!(by_time(&[3, 5, 3, 1, 4, 2], 2), [vec![1, 2, 3], vec![4, 0, 5]]);
    }

    #[test]
    fn p2_breaks_ties_by_the_original_order_and_then_by_the_lowest_machine() {
        assert_eq!(by_time(&[2, 2, 2, 2, 2], 2), [vec![0, 2, 4], vec![1, 3]]);
        assert_eq!(by_time(&[0, 1, 0], 2), [vec![1], vec![0, 2]]);
    }

    #[test]
    fn decimal_seconds_make_the_ties_that_a_person_sees() {
        assert_eq!(nanoseconds(0.1) + nanoseconds(0.2), nanoseconds(0.3));
        assert_eq!((nanoseconds(-1.0), nanoseconds(f64::NAN)), (0, 0));
        assert!(nanoseconds(f64::INFINITY).checked_mul(10).is_some());
    }

    #[test]
    fn the_makespan_is_that_of_the_busiest_machine() {
        assert_eq!(makespan(&[vec![0, 1], vec![2]], &[1, 2, 9]), 9);
        assert_eq!(makespan(&[], &[]), 0);
    }
}
