//! What this machine lets parade control and measure: tried, not guessed. A command that does nothing is run, and how it
//! was kept tells what is possible.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Accounting, Command, Interrupt, Means, cgroup, cores, keeper, run};

/// One thing that a machine may or may not offer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ability {
    /// A stable name, such as `memory_limit`.
    pub name: String,
    pub present: bool,
    /// How it is done here; when it is missing, what happens instead.
    pub how: String,
    /// What its absence means for a measurement.
    pub consequence: Option<String>,
    /// What would bring it.
    pub fix: Option<String>,
}

/// All of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Support {
    /// Processors that parade may use.
    pub cores: usize,
    pub abilities: Vec<Ability>,
}

const WRITABLE_CGROUPS: &str = "give parade a writable cgroup: run it under `systemd-run --user --scope -p Delegate=yes`, \
                                as root, or in a container with its cgroup mounted read-write";

impl Ability {
    fn present(name: &str, how: impl Into<String>) -> Self {
        Ability { name: name.to_owned(), present: true, how: how.into(), consequence: None, fix: None }
    }

    fn missing(name: &str, how: impl Into<String>, consequence: &str, fix: &str) -> Self {
        Ability {
            name: name.to_owned(),
            present: false,
            how: how.into(),
            consequence: Some(consequence.to_owned()),
            fix: Some(fix.to_owned()),
        }
    }
}

pub fn probe() -> Support {
    let mut abilities = match attempt(None) {
        Ok(accounting) => kept_by(&accounting),
        Err(why) => vec![Ability::missing(
            "commands",
            why,
            "no command can be run, so nothing can be measured",
            "find out what prevents parade from starting itself as a child process",
        )],
    };
    abilities.extend([pinning(), topology(), pressure(), throttling(), swapping(), frequency()]);
    Support { cores: cores::allowed().len(), abilities }
}

/// Runs nothing, within a limit that it cannot reach.
fn attempt(cores: Option<usize>) -> Result<Accounting, String> {
    let folder = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
    let command = Command {
        program: keeper::program(),
        args: vec![keeper::SUBCOMMAND.into(), keeper::NOTHING.into()],
        dir: folder.path().to_owned(),
        environment: BTreeMap::new(),
        output: folder.path().join("output").into(),
        output_limit: 1 << 16,
        cores,
        memory_bytes: Some(1 << 30),
        time_limit: Duration::from_secs(30),
        grace: Duration::from_secs(1),
        tag: format!("probe-{}", cgroup::new_name()),
        user: None,
    };
    run(&command, &Interrupt::new()).map(|ended| ended.accounting).map_err(|error| error.to_string())
}

fn kept_by(accounting: &Accounting) -> Vec<Ability> {
    vec![
        ability(
            "kill",
            accounting.kill,
            [
                "all processes of a command are killed at once by cgroup v2",
                "all processes of a command are frozen and killed by cgroup v1",
            ],
            "descendants are found in /proc, stopped, and killed one by one",
            "ending a fork bomb takes longer",
        ),
        ability(
            "cpu_time",
            accounting.cpu,
            ["CPU time of all processes is counted by cgroup v2", "CPU time of all processes is counted by cgroup v1"],
            "CPU time is added up as processes end",
            "CPU time of processes whose parent ignores their end (SIGCHLD) is missing from the total",
        ),
        ability(
            "memory_peak",
            accounting.memory,
            ["memory of all processes is read from cgroup v2", "memory of all processes is read from cgroup v1"],
            "memory of each process is read from /proc and summed, up to ten times a second",
            "pages that processes share are counted once for each, and peaks shorter than half a second can be missed",
        ),
        ability(
            "memory_limit",
            accounting.memory_limit,
            ["memory is limited by cgroup v2", "memory is limited by cgroup v1"],
            "memory is sampled up to ten times a second, and a command above its limit is killed",
            "a command can exceed its memory limit for up to half a second, and the page cache is not limited",
        ),
    ]
}

fn ability(name: &str, means: Means, [v2, v1]: [&str; 2], instead: &str, consequence: &str) -> Ability {
    match means {
        Means::CgroupV2 => Ability::present(name, v2),
        Means::CgroupV1 => Ability::present(name, v1),
        Means::Processes => Ability::missing(name, instead, consequence, WRITABLE_CGROUPS),
    }
}

fn pinning() -> Ability {
    match attempt(Some(1)) {
        Ok(_) => {
            Ability::present("pinning", format!("commands can be pinned to 1 to {} cores", cores::allowed().len()))
        }
        Err(why) => Ability::missing(
            "pinning",
            why,
            "only all cores together can be used: experiments with fewer cores cannot run",
            "allow the system call sched_setaffinity (a container's seccomp profile may forbid it)",
        ),
    }
}

fn topology() -> Ability {
    if cores::topology_is_known() {
        return Ability::present("topology", "hardware threads are distinguished from physical cores");
    }
    Ability::missing(
        "topology",
        "the first processors are used",
        "two pinned processors may be two hardware threads of one physical core, which is slower than two cores",
        "mount /sys",
    )
}

fn pressure() -> Ability {
    readable(
        "pressure",
        &[PathBuf::from("/proc/pressure/cpu")],
        "time spent waiting for CPU is not recorded: other load is visible only in the load average",
        "use a kernel with pressure stall information (4.20 or later), booted with psi=1",
    )
}

fn throttling() -> Ability {
    let files: Vec<_> = cgroup::throttling_files().collect();
    readable(
        "throttling",
        &files,
        "a CPU quota (for example of a container) that slows trials down is not detected",
        "enable the cpu controller for parade's cgroup",
    )
}

fn swapping() -> Ability {
    readable("swapping", &[PathBuf::from("/proc/vmstat")], "swapping during a trial is not detected", "mount /proc")
}

fn frequency() -> Ability {
    readable(
        "frequency",
        &[PathBuf::from("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")],
        "frequency changes of the processor are not visible: they can cause differences of a few percent",
        "measure on your own hardware; virtual machines rarely show the frequency",
    )
}

fn readable(name: &str, files: &[PathBuf], consequence: &str, fix: &str) -> Ability {
    match files.iter().find(|file| can_read(file)) {
        Some(file) => Ability::present(name, format!("{} is readable", file.display())),
        None => Ability::missing(name, "this machine does not show it", consequence, fix),
    }
}

fn can_read(file: &Path) -> bool {
    fs::read_to_string(file).is_ok_and(|text| !text.is_empty())
}
