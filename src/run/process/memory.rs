//! Memory of a whole process tree, looked at several times a second.
//!
//! Counted is what the processes themselves made: anonymous and shared memory, not the files that they map or read. So
//! the number means the same whether a cgroup tells it or `/proc`.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use super::cgroup::Groups;
use super::tree;

/// Looks follow each other quickly at first, so that short commands are seen too.
const FIRST: Duration = Duration::from_millis(5);
const USUAL: Duration = Duration::from_millis(100);

/// Where a look is costly, as on a machine with thousands of processes and no cgroups, looks are fewer: each may take
/// this part of the CPU time between two. But this much precision is always kept.
const COST_SHARE: u32 = 50;
const SLOWEST: Duration = Duration::from_millis(500);

pub struct Sampler {
    pub peak: Option<u64>,
    pause: Duration,
    next: Instant,
    limit: Option<u64>,
}

impl Sampler {
    /// `limit` is the one that no cgroup keeps.
    pub fn new(limit: Option<u64>) -> Self {
        Sampler { peak: None, pause: FIRST, next: Instant::now() + FIRST, limit }
    }

    pub fn due(&self) -> Instant {
        self.next
    }

    /// Looks, if it is time to. True if the limit is exceeded.
    pub fn look(&mut self, groups: &Groups) -> bool {
        if Instant::now() < self.next {
            return false;
        }
        let begin = cpu_clock();
        let now = groups.memory_now().unwrap_or_else(|| sum(groups, resident));
        if now > 0 {
            self.peak = self.peak.max(Some(now));
        }
        // Pages that processes share were counted once for each, which must not kill anyone: the costly look decides.
        let exceeded = self.limit.is_some_and(|limit| now > limit && sum(groups, proportional) > limit);
        let cost = cpu_clock().saturating_sub(begin);
        self.pause = (self.pause * 3 / 2).min(USUAL).max((cost * COST_SHARE).min(SLOWEST));
        self.next = Instant::now() + self.pause;
        exceeded
    }
}

/// CPU time that this thread has used.
fn cpu_clock() -> Duration {
    clock_gettime(ClockId::ThreadCPUTime).try_into().unwrap_or_default()
}

fn sum(groups: &Groups, memory: impl Fn(i32) -> Option<u64>) -> u64 {
    let members = groups
        .members()
        .unwrap_or_else(|| tree::descendants(std::process::id()).into_iter().map(|process| process.id.pid).collect());
    members.into_iter().filter_map(memory).sum()
}

fn resident(pid: i32) -> Option<u64> {
    kibibytes(&std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?, ["RssAnon:", "RssShmem:"])
}

/// Each shared page divided by the number of processes that share it. Slow for large processes.
fn proportional(pid: i32) -> Option<u64> {
    kibibytes(&std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?, ["Pss_Anon:", "Pss_Shmem:"])
        .or_else(|| resident(pid))
}

fn kibibytes(table: &str, names: [&str; 2]) -> Option<u64> {
    let value =
        |name| table.lines().find_map(|line| line.strip_prefix(name)?.split_whitespace().next()?.parse::<u64>().ok());
    Some((value(names[0])? + value(names[1])?) * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_memory_is_seen_both_ways() {
        let ballast = vec![1u8; 32 << 20];
        let pid = i32::try_from(std::process::id()).unwrap();
        let least = ballast.iter().map(|byte| u64::from(*byte)).sum::<u64>();
        assert!(resident(pid).unwrap() >= least);
        assert!(proportional(pid).unwrap() >= least);
    }

    #[test]
    fn files_do_not_count() {
        let status = "VmRSS:\t    300 kB\nRssAnon:\t    100 kB\nRssFile:\t    190 kB\nRssShmem:\t      10 kB\n";
        assert_eq!(kibibytes(status, ["RssAnon:", "RssShmem:"]), Some(110 * 1024));
        assert_eq!(kibibytes("VmRSS: 1 kB", ["RssAnon:", "RssShmem:"]), None);
    }
}
