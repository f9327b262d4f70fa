//! What finished processes used, as the kernel adds it up for the process that reaps them.

use std::mem::MaybeUninit;

/// Usage of all reaped children, and of all that these had reaped.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Reaped {
    pub user_seconds: f64,
    pub system_seconds: f64,
    /// Of the largest single process.
    pub peak_memory_bytes: u64,
    pub voluntary_switches: u64,
    pub involuntary_switches: u64,
}

#[expect(unsafe_code, reason = "no safe wrapper of getrusage is among the dependencies")]
pub fn reaped() -> Option<Reaped> {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointer is valid for a whole `rusage`, for which all zeroes is a valid value too.
    let usage = unsafe {
        if libc::getrusage(libc::RUSAGE_CHILDREN, usage.as_mut_ptr()) != 0 {
            return None;
        }
        usage.assume_init()
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    let count = |number: libc::c_long| u64::try_from(number).unwrap_or(0);
    Some(Reaped {
        user_seconds: seconds(usage.ru_utime),
        system_seconds: seconds(usage.ru_stime),
        peak_memory_bytes: count(usage.ru_maxrss).saturating_mul(1024),
        voluntary_switches: count(usage.ru_nvcsw),
        involuntary_switches: count(usage.ru_nivcsw),
    })
}

/// User and system seconds that a process has used up to now, with those of the children that it has waited for.
pub fn cpu_time(pid: u32) -> Option<(f64, f64)> {
    of_stat(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// The kernel counts these in hundredths of a second, whatever its own clock does.
fn of_stat(stat: &str) -> Option<(f64, f64)> {
    let fields: Vec<&str> = stat.get(stat.rfind(')')? + 1..)?.split_ascii_whitespace().collect();
    let seconds = |index: usize| Some(fields.get(index)?.parse::<f64>().ok()? / 100.0);
    Some((seconds(11)? + seconds(13)?, seconds(12)? + seconds(14)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_stand_behind_a_name_that_can_be_anything() {
        let stat = "7 (a) 1 2 (b)) S 1 7 7 0 -1 4194304 1 2 3 4 250 100 50 25 20 0 1 0 1 1 1";
        assert_eq!(of_stat(stat), Some((3.0, 1.25)));
        assert_eq!(of_stat("7 (a) S 1"), None);
        assert!(cpu_time(std::process::id()).is_some());
    }
}
