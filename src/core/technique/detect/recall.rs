//! Whole orders as they were seen: a pair that failed in every order that had it is believed sooner than another.

use super::DetectionState;
use super::order_runner::Observation;

/// Executions that are remembered.
const REMEMBERED: usize = 5_000_000;

impl DetectionState<'_> {
    pub(super) fn remember(&mut self, observation: Observation) {
        let held: usize = self.orders.iter().map(|order| order.seen.len()).sum();
        if held + observation.seen.len() <= REMEMBERED {
            self.orders.push(observation);
        }
    }

    /// Did the test fail in every order that had the polluter before it?
    pub(super) fn always_failed_after(&self, polluter: usize, test: usize) -> bool {
        self.orders.iter().all(|order| {
            let place = order.seen.iter().position(|seen| seen.test == test);
            place.is_none_or(|place| {
                order.seen[place].fails() == Some(true) || !order.history(place).contains(&polluter)
            })
        })
    }
}
