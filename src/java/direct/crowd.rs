//! How many processes side by side keep the machine busy. Tests that wait leave cores idle, which more processes can use.

/// As busy as a machine gets: lanes begin and end.
const BUSY: f64 = 0.95;
/// More processes than this for each that the cores alone would have are never started: each wants memory, too.
const MOST: usize = 2;

/// Processes at once, by what the last batch made of them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Crowd {
    lanes: Option<usize>,
}

/// A batch that is over.
#[derive(Debug, Clone, Copy)]
pub struct Batch {
    pub runs: usize,
    pub lanes: usize,
    pub wall_seconds: f64,
    /// Of all its processes.
    pub cpu_seconds: f64,
}

impl Crowd {
    /// `usual` is one process for each core.
    pub fn lanes(self, usual: usize) -> usize {
        self.lanes.map_or(usual, |lanes| lanes.clamp(usual, usual * MOST))
    }

    /// Learns from a batch that had work for all lanes, and more than once.
    pub fn learn(&mut self, batch: Batch, usual: usize) {
        if batch.runs < 2 * batch.lanes || batch.wall_seconds <= 0.0 {
            return;
        }
        let busy = (batch.cpu_seconds / (batch.wall_seconds * usual as f64)).clamp(0.01, 1.0);
        let fitting = (batch.lanes as f64 * BUSY / busy).round() as usize;
        self.lanes = Some(fitting.clamp(usual, usual * MOST));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(batches: &[Batch]) -> usize {
        let mut crowd = Crowd::default();
        batches.iter().for_each(|batch| crowd.learn(*batch, 2));
        crowd.lanes(2)
    }

    #[test]
    fn idle_cores_get_more_processes() {
        let waits = Batch { runs: 16, lanes: 2, wall_seconds: 1.0, cpu_seconds: 0.5 };
        let computes = Batch { cpu_seconds: 1.9, ..waits };
        assert_eq!(after(&[]), 2);
        assert_eq!(after(&[waits]), 4, "never more than twice as many");
        assert_eq!(after(&[computes]), 2);
        assert_eq!(after(&[waits, Batch { lanes: 4, ..computes }]), 4, "which is as it should be");
        assert_eq!(after(&[Batch { cpu_seconds: 1.2, ..waits }]), 3);
    }

    #[test]
    fn a_batch_that_did_not_fill_the_lanes_says_nothing() {
        assert_eq!(after(&[Batch { runs: 3, lanes: 2, wall_seconds: 1.0, cpu_seconds: 0.1 }]), 2);
        assert_eq!(after(&[Batch { runs: 30, lanes: 2, wall_seconds: 0.0, cpu_seconds: 0.0 }]), 2);
    }
}
