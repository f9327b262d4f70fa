//! A command's own control groups: made where the machine allows it, entered by the launcher, killed as a whole, read
//! for what they counted, and removed.
//!
//! Every use is optional. What cannot be made or entered is left out, and `/proc` does the work instead, less exactly.

mod hierarchy;
mod name;
mod tasks;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::Means;
use super::tree::{self, Process};
use hierarchy::{Hierarchies, unlimited};

pub use name::new_name;
use name::owner_is_gone;

/// How long removing waits for killed members to vanish.
const REMOVAL_PATIENCE: Duration = Duration::from_secs(2);

/// The groups of one command: at most one per hierarchy that is of use.
#[derive(Debug, Default)]
pub struct Groups {
    /// Version 2: killing, CPU time, and memory where its controller could be had.
    unified: Option<PathBuf>,
    memory: Option<PathBuf>,
    cpuacct: Option<PathBuf>,
    freezer: Option<PathBuf>,
    /// Version 1, for the number of processes and threads alone.
    tasks: Option<PathBuf>,
    limit: Option<u64>,
}

/// CPU time that a group has counted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CpuTime {
    pub user_seconds: f64,
    pub system_seconds: f64,
    pub means: Means,
}

impl Groups {
    /// Makes the groups, after clearing away those of a parade that is dead. Without a name there are none.
    pub fn make(name: Option<&str>, limit: Option<u64>, most_tasks: u64) -> Self {
        let mut groups = Groups { limit, ..Groups::default() };
        let Some(name) = name else { return groups };
        remove_stale();
        let hierarchies = Hierarchies::find();
        groups.unified = make_unified(&hierarchies, name, limit);
        if !groups.unified.as_deref().is_some_and(has_memory) {
            groups.memory =
                make_in(hierarchies.v1("memory"), name).filter(|group| keep_if(group, &limit_v1(group, limit)));
        }
        if groups.unified.is_none() {
            groups.cpuacct = make_in(hierarchies.v1("cpuacct"), name);
            groups.freezer = make_in(hierarchies.v1("freezer"), name);
        }
        groups.tasks = tasks::limit(&hierarchies, groups.unified.as_deref(), name, most_tasks);
        groups
    }

    /// The files that a process writes itself into to enter.
    pub fn doors(&self) -> Vec<PathBuf> {
        self.all().map(|group| group.join("cgroup.procs")).collect()
    }

    /// Gives up the groups that the launcher was refused.
    pub fn drop_refused(&mut self, doors: &[PathBuf]) {
        for group in [&mut self.unified, &mut self.memory, &mut self.cpuacct, &mut self.freezer, &mut self.tasks] {
            let refused = group.as_ref().is_some_and(|group| doors.contains(&group.join("cgroup.procs")));
            if let Some(group) = group.take_if(|_| refused) {
                remove(&group);
            }
        }
    }

    fn all(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.unified, &self.memory, &self.cpuacct, &self.freezer, &self.tasks].into_iter().flatten()
    }

    /// The members, if any group can tell.
    pub fn members(&self) -> Option<Vec<i32>> {
        self.all().next().map(|group| members(group))
    }

    /// Kills all members at once, as far as the kernel does that.
    pub fn kill(&self) {
        self.all().for_each(|group| kill(group));
    }

    pub fn remove(&self) {
        self.all().for_each(|group| remove(group));
    }

    pub fn kill_means(&self) -> Means {
        match (&self.unified, &self.freezer) {
            (Some(_), _) => Means::CgroupV2,
            (None, Some(_)) => Means::CgroupV1,
            (None, None) => Means::Processes,
        }
    }

    /// What keeps the memory limit and counts the peak.
    pub fn memory_means(&self) -> Means {
        if self.unified.as_deref().is_some_and(has_memory) {
            Means::CgroupV2
        } else if self.memory.is_some() {
            Means::CgroupV1
        } else {
            Means::Processes
        }
    }

    pub fn cpu_time(&self) -> Option<CpuTime> {
        let v2 = self.unified.as_deref().and_then(cpu_time_v2);
        v2.or_else(|| self.cpuacct.as_deref().and_then(cpu_time_v1))
    }

    /// Anonymous and shared memory of all members now, without page cache.
    pub fn memory_now(&self) -> Option<u64> {
        let (group, fields) = match self.memory_means() {
            Means::CgroupV2 => (self.unified.as_deref()?, ["anon", "shmem"]),
            Means::CgroupV1 => (self.memory.as_deref()?, ["total_rss", "total_shmem"]),
            Means::Processes => return None,
        };
        let stat = fs::read_to_string(group.join("memory.stat")).ok()?;
        fields.into_iter().map(|name| field(&stat, name)).sum()
    }

    /// The most memory ever charged to the members, page cache included.
    pub fn charged_peak(&self) -> Option<u64> {
        let file = match self.memory_means() {
            Means::CgroupV2 => self.unified.as_deref()?.join("memory.peak"),
            Means::CgroupV1 => self.memory.as_deref()?.join("memory.max_usage_in_bytes"),
            Means::Processes => return None,
        };
        fs::read_to_string(file).ok()?.trim().parse().ok()
    }

    /// Has the kernel killed a member for want of memory?
    pub fn out_of_memory(&self) -> bool {
        let file = match self.memory_means() {
            Means::CgroupV2 => self.unified.as_deref().map(|group| group.join("memory.events")),
            Means::CgroupV1 => self.memory.as_deref().map(|group| group.join("memory.oom_control")),
            Means::Processes => None,
        };
        let text = file.and_then(|file| fs::read_to_string(file).ok()).unwrap_or_default();
        field(&text, "oom_kill").is_some_and(|kills| kills > 0)
    }

    /// Was the command refused a process or a thread, as it had too many?
    pub fn tasks_refused(&self) -> bool {
        self.unified.iter().chain(&self.tasks).any(|group| tasks::were_refused(group))
    }

    /// The limit that only sampling can keep, as no group does.
    pub fn unkept_limit(&self) -> Option<u64> {
        self.limit.filter(|_| self.memory_means() == Means::Processes)
    }
}

/// Makes a group below parade's own; or beside it where only there the memory controller can be had, as on desktops run
/// by systemd. Beside is as good only if parade's own group limits nothing.
fn make_unified(hierarchies: &Hierarchies, name: &str, limit: Option<u64>) -> Option<PathBuf> {
    let own = hierarchies.v2()?;
    if hierarchy::offers(own, "memory") && !hierarchy::passes_on(own, "memory") {
        // Refused wherever the group has processes of its own, which is nearly everywhere: no harm done.
        let _ = fs::write(own.join("cgroup.subtree_control"), "+memory");
    }
    tasks::ask_for(own);
    let below = make_in(Some(own), name).filter(|group| keep_if(group, &limit_v2(group, limit)));
    if below.as_deref().is_some_and(has_memory) {
        return below;
    }
    let beside = own
        .parent()
        .filter(|parent| hierarchy::passes_on(parent, "memory") && unlimited(own))
        .and_then(|parent| make_in(Some(parent), name))
        .filter(|group| keep_if(group, &limit_v2(group, limit)));
    match (below, beside) {
        (Some(below), Some(beside)) => {
            remove(&below);
            Some(beside)
        }
        (below, beside) => beside.or(below),
    }
}

fn make_in(parent: Option<&Path>, name: &str) -> Option<PathBuf> {
    let group = parent?.join(name);
    fs::create_dir(&group).ok()?;
    Some(group)
}

/// A group that does not take its limit is of no use.
fn keep_if(group: &Path, limited: &io::Result<()>) -> bool {
    if limited.is_err() {
        remove(group);
    }
    limited.is_ok()
}

fn has_memory(group: &Path) -> bool {
    group.join("memory.max").exists()
}

fn limit_v2(group: &Path, limit: Option<u64>) -> io::Result<()> {
    let Some(limit) = limit.filter(|_| has_memory(group)) else { return Ok(()) };
    fs::write(group.join("memory.max"), limit.to_string())?;
    write_if_there(&group.join("memory.swap.max"), "0")
}

fn limit_v1(group: &Path, limit: Option<u64>) -> io::Result<()> {
    let Some(limit) = limit else { return Ok(()) };
    fs::write(group.join("memory.limit_in_bytes"), limit.to_string())?;
    write_if_there(&group.join("memory.memsw.limit_in_bytes"), &limit.to_string())
}

/// Files about swap are missing where the kernel does not account for it.
fn write_if_there(file: &Path, text: &str) -> io::Result<()> {
    if file.exists() { fs::write(file, text) } else { Ok(()) }
}

fn cpu_time_v2(group: &Path) -> Option<CpuTime> {
    let stat = fs::read_to_string(group.join("cpu.stat")).ok()?;
    let seconds = |name| Some(field(&stat, name)? as f64 / 1e6);
    Some(CpuTime {
        user_seconds: seconds("user_usec")?,
        system_seconds: seconds("system_usec")?,
        means: Means::CgroupV2,
    })
}

/// The total is exact; its two parts are known in clock ticks only.
fn cpu_time_v1(group: &Path) -> Option<CpuTime> {
    let total = fs::read_to_string(group.join("cpuacct.usage")).ok()?.trim().parse::<u64>().ok()? as f64 / 1e9;
    let stat = fs::read_to_string(group.join("cpuacct.stat")).ok()?;
    let (user, system) = (field(&stat, "user")? as f64, field(&stat, "system")? as f64);
    let share = if user + system > 0.0 { user / (user + system) } else { 1.0 };
    Some(CpuTime { user_seconds: total * share, system_seconds: total * (1.0 - share), means: Means::CgroupV1 })
}

/// The number beside a name in one of the kernel's flat tables.
fn field(table: &str, name: &str) -> Option<u64> {
    table.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok())
}

fn members(group: &Path) -> Vec<i32> {
    let procs = fs::read_to_string(group.join("cgroup.procs")).unwrap_or_default();
    procs.lines().filter_map(|line| line.parse().ok()).filter(|pid| *pid > 0).collect()
}

/// The kernel's own kill where it has one (Linux 5.14); else frozen first, so that no member can fork meanwhile.
fn kill(group: &Path) {
    if fs::write(group.join("cgroup.kill"), "1").is_ok() {
        return;
    }
    freeze(group, true);
    for process in members(group).into_iter().filter_map(Process::read) {
        tree::signal(process.id, Signal::KILL);
    }
    freeze(group, false);
}

fn freeze(group: &Path, frozen: bool) {
    let v1 = group.join("freezer.state");
    let v2 = group.join("cgroup.freeze");
    // A hierarchy that cannot freeze leaves its members to the walk through `/proc` that always follows.
    if v1.exists() {
        let _ = fs::write(v1, if frozen { "FROZEN" } else { "THAWED" });
    } else if v2.exists() {
        let _ = fs::write(v2, if frozen { "1" } else { "0" });
    }
}

/// Removes a group and those that a member made inside it. Killed members keep it busy until they are reaped.
fn remove(group: &Path) {
    let end = Instant::now() + REMOVAL_PATIENCE;
    while remove_once(group).is_err_and(|error| error.kind() == io::ErrorKind::ResourceBusy) && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn remove_once(group: &Path) -> io::Result<()> {
    for entry in fs::read_dir(group)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            remove_once(&entry.path())?;
        }
    }
    fs::remove_dir(group)
}

/// Ends and removes the groups of this name: for parade, when a keeper died.
pub fn reclaim(name: &str) {
    clear_away(|candidate| candidate == name);
}

/// Ends and removes the groups of every parade that is dead.
pub fn remove_stale() {
    clear_away(owner_is_gone);
}

/// The tables of parade's own group that may tell of throttling: those of version 2 only with the controller.
pub fn throttling_files() -> impl Iterator<Item = PathBuf> {
    let hierarchies = Hierarchies::find();
    let v2 = hierarchies.v2().filter(|group| hierarchy::offers(group, "cpu")).map(Path::to_owned);
    let v1 = hierarchies.v1("cpu").map(Path::to_owned);
    [v2, v1].into_iter().flatten().map(|group| group.join("cpu.stat"))
}

/// How long processes of parade's own group had to wait because the group had used up its share of CPU time, so far, in seconds.
pub fn throttled_seconds() -> Option<f64> {
    throttling_files().find_map(|file| throttled_in(&fs::read_to_string(file).ok()?))
}

/// Version 2 counts microseconds, version 1 nanoseconds.
fn throttled_in(stat: &str) -> Option<f64> {
    let v2 = field(stat, "throttled_usec").map(|micros| micros as f64 / 1e6);
    v2.or_else(|| field(stat, "throttled_time").map(|nanos| nanos as f64 / 1e9))
}

fn clear_away(unwanted: impl Fn(&str) -> bool) {
    for parent in Hierarchies::find().parents() {
        let Ok(entries) = fs::read_dir(parent) else { continue };
        for entry in entries.flatten() {
            if entry.file_name().to_str().is_some_and(&unwanted) {
                kill(&entry.path());
                remove(&entry.path());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_found_by_its_whole_name() {
        let table = "oom 3\noom_kill 2\noom_kill_disable 7\n";
        assert_eq!(field(table, "oom_kill"), Some(2));
        assert_eq!(field(table, "oom_group_kill"), None);
    }

    #[test]
    fn both_versions_tell_how_long_a_group_was_throttled() {
        assert_eq!(throttled_in("nr_periods 9\nnr_throttled 2\nthrottled_usec 1500000\n"), Some(1.5));
        assert_eq!(throttled_in("nr_periods 9\nnr_throttled 2\nthrottled_time 1500000000\n"), Some(1.5));
        assert_eq!(throttled_in("usage_usec 7\n"), None);
    }

    #[test]
    fn cpu_time_of_version_1_is_split_as_its_ticks_are() {
        let group = tempfile::tempdir().unwrap();
        fs::write(group.path().join("cpuacct.usage"), "2000000000\n").unwrap();
        fs::write(group.path().join("cpuacct.stat"), "user 30\nsystem 10\n").unwrap();
        let time = cpu_time_v1(group.path()).unwrap();
        assert_eq!((time.user_seconds, time.system_seconds), (1.5, 0.5));
    }

    #[test]
    fn both_versions_kill_their_members_and_vanish() {
        let hierarchies = Hierarchies::find();
        // A machine may let parade make some of these, or none.
        for parent in [hierarchies.v2(), hierarchies.v1("freezer"), hierarchies.v1("memory")] {
            let Some(group) = make_in(parent, &new_name()) else { continue };
            let mut child = std::process::Command::new("sleep").arg("600").spawn().unwrap();
            let entered = fs::write(group.join("cgroup.procs"), child.id().to_string()).is_ok();
            if entered {
                assert_eq!(members(&group), [i32::try_from(child.id()).unwrap()]);
                kill(&group);
            } else {
                child.kill().unwrap();
            }
            child.wait().unwrap();
            remove(&group);
            assert!(!group.exists(), "{}", group.display());
        }
    }

    #[test]
    fn groups_of_the_dead_are_ended_and_removed() {
        let name = format!("{}-0", new_name().replacen(&format!("-{}-", std::process::id()), "-0-", 1));
        assert!(!owner_is_gone(&name), "not a name that parade gives");
        let stale = name.trim_end_matches("-0").to_owned();
        assert!(owner_is_gone(&stale));
        let Some(group) = make_in(Hierarchies::find().v2(), &stale) else { return };
        let mut child = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        let entered = fs::write(group.join("cgroup.procs"), child.id().to_string()).is_ok();
        let waiter = std::thread::spawn(move || {
            if !entered {
                child.kill().unwrap();
            }
            child.wait().unwrap()
        });
        remove_stale();
        waiter.join().unwrap();
        assert!(!group.exists());
    }
}
