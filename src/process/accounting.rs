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
