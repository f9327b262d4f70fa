//! The only place that spawns. A command runs in a session of its own, pinned, limited in memory and time, and ends
//! together with everything it started: also what detached itself, also when parade is killed.
//!
//! It knows nothing of tests or builds, decides nothing about what a failure means, and never runs a shell.

mod account;
mod accounting;
mod ask;
mod cgroup;
mod cores;
mod environment;
mod interrupt;
pub mod keeper;
mod launch;
mod log;
mod memory;
mod output;
mod run;
mod support;
mod tree;
mod watch;
pub mod wire;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::suite::Cost;

pub use account::{Account, missing_privileges, other_user};
pub use accounting::cpu_time;
pub use ask::ask;
pub use cgroup::throttled_seconds;
pub use environment::base_environment;
pub use interrupt::Interrupt;
pub use output::{CommandOutput, UnnamedOutput};
pub use run::{adopt_orphans, kill_leftovers, run};
pub use support::{Ability, Support, probe};
pub use tree::parse_stat;

/// From now on, processes of the same user can no longer read this one's memory, open files and environment, or trace it. Root can.
/// A program that this one starts is as before. A kernel that refuses leaves everything readable.
pub fn hide_from_own_user() {
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
}

/// The environment variable by which every descendant of a command can be found again.
pub const TAG_VARIABLE: &str = "PARADE_TAG";

/// More strays than this are killed but not listed.
pub const MAX_STRAYS: usize = 64;

/// One program to run, and what it may use.
#[derive(Debug, Clone, PartialEq)]
pub struct Command {
    pub program: PathBuf,
    pub args: Vec<OsString>,
    pub dir: PathBuf,
    /// Complete: nothing else is inherited.
    pub environment: BTreeMap<String, String>,
    /// Where stdout and stderr go, interleaved.
    pub output: CommandOutput,
    /// How many bytes of output are kept: the first and the last half, with a line in between that says what was cut.
    pub output_limit: u64,
    /// Pinned to this many cores, whole physical ones first.
    pub cores: Option<usize>,
    pub memory_bytes: Option<u64>,
    pub time_limit: Duration,
    /// Between SIGTERM and SIGKILL.
    pub grace: Duration,
    /// Inherited by every descendant as [`TAG_VARIABLE`]. No two commands that run at the same time may share it.
    pub tag: String,
    /// Run as this user instead of parade's own.
    pub user: Option<Account>,
}

/// How a command came to its end. A failing command is data; `Err` means that parade could not run or watch it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ended {
    pub exit: Exit,
    pub cause: Cause,
    pub cost: Cost,
    /// Descendants that outlived the command and were killed; at most [`MAX_STRAYS`] are listed.
    pub strays: Vec<Stray>,
    pub output_cut: bool,
    /// It wanted more processes and threads than a command may have.
    pub tasks_refused: bool,
    pub accounting: Accounting,
}

/// How the cost was found, and the memory limit kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accounting {
    pub kill: Means,
    pub cpu: Means,
    /// Of [`Cost::peak_memory_bytes`]: anonymous and shared memory of all processes together, without page cache.
    pub memory: Means,
    /// What would keep, or kept, a memory limit. [`Means::Processes`]: by looking several times a second, so a process
    /// can exceed it for a tenth of a second, at worst half a second.
    pub memory_limit: Means,
    /// The kernel's own exact peak, which counts the files that were read and written too.
    pub peak_with_page_cache_bytes: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Means {
    CgroupV2,
    CgroupV1,
    /// By what `/proc` and `wait` tell of each process.
    Processes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    Code(i32),
    Signal(i32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// By itself, whatever its exit code.
    Exited,
    TimedOut,
    Interrupted,
    /// It, or one of its processes, was killed for want of memory; the rest may have ended by itself after that.
    OutOfMemory,
}

/// A process that was left behind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stray {
    pub pid: u32,
    /// Its command line, printable and of bounded length.
    pub command: String,
}
