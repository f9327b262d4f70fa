//! The moment a run began, by two clocks: what other processes report is told in seconds since then.

use std::time::{SystemTime, UNIX_EPOCH};

/// What a process reports cannot be longer ago than the run's beginning, or later than now, by more than this.
const CLOCK_TOLERANCE: f64 = 0.1;

/// The two clocks at the moment a run began. On Linux a JVM's monotonic clock is the system's, and finer than its other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clock {
    pub monotonic_nanos: i64,
    pub epoch_micros: i64,
}

impl Clock {
    pub fn now() -> Self {
        let monotonic = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        let epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Clock {
            monotonic_nanos: monotonic.tv_sec.saturating_mul(1_000_000_000).saturating_add(monotonic.tv_nsec),
            epoch_micros: i64::try_from(epoch.as_micros()).unwrap_or(i64::MAX),
        }
    }

    /// Seconds since this moment, whatever was done to the wall clock.
    pub fn elapsed(&self) -> f64 {
        seconds(Clock::now().monotonic_nanos.saturating_sub(self.monotonic_nanos))
    }

    /// Seconds from this moment to one that both clocks of another process tell.
    ///
    /// The wall clock may be set while tests run. It counts only where the other clock cannot be the system's.
    pub fn until(&self, epoch_micros: i64, monotonic_nanos: i64) -> f64 {
        let by_monotonic = seconds(monotonic_nanos.saturating_sub(self.monotonic_nanos));
        if (-CLOCK_TOLERANCE..=self.elapsed() + CLOCK_TOLERANCE).contains(&by_monotonic) {
            return by_monotonic;
        }
        seconds(epoch_micros.saturating_sub(self.epoch_micros).saturating_mul(1000))
    }
}

fn seconds(nanos: i64) -> f64 {
    nanos as f64 / 1e9
}
