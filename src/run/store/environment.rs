//! The machine that measured, as far as it tells.

use std::fs;
use std::path::Path;

use super::record::Environment;

/// Reads what /proc and /sys say. The caller adds what it knows of tools and limits.
pub fn capture_environment() -> Environment {
    let system = rustix::system::uname();
    let text = |part: &std::ffi::CStr| part.to_string_lossy().into_owned();
    let meminfo = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    Environment {
        hostname: text(system.nodename()),
        os: os_name(),
        kernel: format!("{} {}", text(system.sysname()), text(system.release())),
        architecture: text(system.machine()),
        cpu_model: field(&cpuinfo, "model name").unwrap_or_else(|| "unknown".to_owned()),
        logical_cores: logical_cores(),
        physical_cores: physical_cores(&cpuinfo),
        memory_bytes: kib(&meminfo, "MemTotal"),
        swap_bytes: kib(&meminfo, "SwapTotal"),
        governor: first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        turbo: turbo(),
        virtualization: virtualization(&cpuinfo),
        parade: env!("CARGO_PKG_VERSION").to_owned(),
        user: if rustix::process::getuid().is_root() { "root".to_owned() } else { "unprivileged".to_owned() },
        ..Environment::default()
    }
}

/// The cores that this process may use.
pub fn logical_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// How many cores are busy right now, over a quarter of a second. The load average would still show the trial before.
pub fn busy_cores() -> Option<f64> {
    let before = cpu_ticks()?;
    std::thread::sleep(std::time::Duration::from_millis(250));
    let after = cpu_ticks()?;
    let total = after.0.checked_sub(before.0).filter(|ticks| *ticks > 0)?;
    let idle = after.1.saturating_sub(before.1);
    Some((1.0 - idle as f64 / total as f64).max(0.0) * logical_cores() as f64)
}

/// All ticks of all cores, and those in which nothing ran.
fn cpu_ticks() -> Option<(u64, u64)> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    let ticks: Vec<u64> = stat.lines().next()?.split_whitespace().skip(1).filter_map(|t| t.parse().ok()).collect();
    Some((ticks.iter().take(8).sum(), ticks.get(3)? + ticks.get(4)?))
}

/// Ticks of the kernel's clock in a second, as it tells them.
const TICKS_PER_SECOND: f64 = 100.0;

/// Counters of what slows a machine down unseen.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Strain {
    pub swapped_pages: Option<u64>,
    pub throttle_events: Option<u64>,
    /// What all cores were busy, also for other guests of the machine below this one.
    pub busy_seconds: Option<f64>,
    /// What this process itself computed.
    pub own_seconds: f64,
    /// Of the monotonic clock.
    pub at_seconds: f64,
}

impl Strain {
    pub fn now() -> Self {
        let clock = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        let own = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        let seconds = |time: rustix::time::Timespec| time.tv_sec as f64 + time.tv_nsec as f64 / 1e9;
        Strain {
            swapped_pages: swapped_pages(),
            throttle_events: throttle_events(),
            busy_seconds: cpu_ticks().map(|(all, idle)| all.saturating_sub(idle) as f64 / TICKS_PER_SECOND),
            own_seconds: seconds(own),
            at_seconds: seconds(clock),
        }
    }

    /// What has come since then.
    pub fn since(self, earlier: Strain) -> Strain {
        let grown = |now: Option<u64>, then: Option<u64>| Some(now?.saturating_sub(then?));
        Strain {
            swapped_pages: grown(self.swapped_pages, earlier.swapped_pages),
            throttle_events: grown(self.throttle_events, earlier.throttle_events),
            busy_seconds: self.busy_seconds.zip(earlier.busy_seconds).map(|(now, then)| now - then),
            own_seconds: self.own_seconds - earlier.own_seconds,
            at_seconds: self.at_seconds - earlier.at_seconds,
        }
    }

    /// Cores that others kept busy over this time, in which a trial computed so many seconds.
    pub fn other_cores(&self, trial_seconds: f64) -> Option<f64> {
        let others = self.busy_seconds? - self.own_seconds - trial_seconds;
        (self.at_seconds > 0.0).then(|| (others / self.at_seconds).max(0.0))
    }
}

fn swapped_pages() -> Option<u64> {
    let vmstat = fs::read_to_string("/proc/vmstat").ok()?;
    let counter = |key: &str| vmstat.lines().find_map(|line| line.strip_prefix(key)?.trim().parse::<u64>().ok());
    Some(counter("pswpin ")? + counter("pswpout ")?)
}

/// Virtual machines do not show it.
fn throttle_events() -> Option<u64> {
    let cores = fs::read_dir("/sys/devices/system/cpu").ok()?.flatten();
    let counts =
        cores.filter_map(|core| fs::read_to_string(core.path().join("thermal_throttle/core_throttle_count")).ok());
    counts.filter_map(|count| count.trim().parse::<u64>().ok()).reduce(|sum, count| sum + count)
}

fn os_name() -> String {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    name.map_or_else(|| std::env::consts::OS.to_owned(), |name| name.trim_matches('"').to_owned())
}

fn field(text: &str, key: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then(|| value.trim().to_owned())
    })
}

fn kib(meminfo: &str, key: &str) -> u64 {
    let value = field(meminfo, key).and_then(|value| value.split_whitespace().next()?.parse::<u64>().ok());
    value.unwrap_or(0) * 1024
}

fn physical_cores(cpuinfo: &str) -> Option<usize> {
    let mut cores = std::collections::BTreeSet::new();
    for processor in cpuinfo.split("\n\n") {
        if let (Some(package), Some(core)) = (field(processor, "physical id"), field(processor, "core id")) {
            cores.insert((package, core));
        }
    }
    (!cores.is_empty()).then_some(cores.len())
}

fn first_line(path: &str) -> Option<String> {
    fs::read_to_string(path).ok()?.lines().next().map(str::to_owned)
}

fn turbo() -> Option<bool> {
    match first_line("/sys/devices/system/cpu/intel_pstate/no_turbo").as_deref() {
        Some("0") => Some(true),
        Some(_) => Some(false),
        None => first_line("/sys/devices/system/cpu/cpufreq/boost").map(|value| value == "1"),
    }
}

fn virtualization(cpuinfo: &str) -> Option<String> {
    if Path::new("/.dockerenv").exists() || Path::new("/run/.containerenv").exists() {
        return Some("container".to_owned());
    }
    let flags = field(cpuinfo, "flags").unwrap_or_default();
    flags.split_whitespace().any(|flag| flag == "hypervisor").then(|| "vm".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_tells_its_basics() {
        let environment = capture_environment();
        assert!(environment.logical_cores >= 1);
        assert!(environment.memory_bytes > 0);
        assert!(!environment.kernel.is_empty());
    }

    #[test]
    fn strain_is_what_has_come_since() {
        let strain = |pages| Strain { swapped_pages: Some(pages), ..Strain::default() };
        assert_eq!(strain(7).since(strain(3)), strain(4));
        assert!(Strain::now().swapped_pages.is_some());
    }

    #[test]
    fn others_are_what_kept_cores_busy_and_was_not_the_trial() {
        let strain =
            |busy, own, at| Strain { busy_seconds: Some(busy), own_seconds: own, at_seconds: at, ..Strain::default() };
        let during = strain(115.0, 2.0, 50.0).since(strain(100.0, 1.0, 40.0));
        assert_eq!((during.other_cores(9.0), during.other_cores(99.0)), (Some(0.5), Some(0.0)));
        assert_eq!(Strain { busy_seconds: None, ..during }.other_cores(9.0), None);
        assert!(Strain::now().busy_seconds.is_some());
    }

    #[test]
    fn physical_cores_are_counted_once() {
        let cpuinfo = "physical id : 0\ncore id : 0\n\nphysical id : 0\ncore id : 0\n\nphysical id : 0\ncore id : 1\n";
        assert_eq!(physical_cores(cpuinfo), Some(2));
    }
}
