//! What parade, the keeper and the launcher say to each other: one JSON document per line, over a socket that is the
//! receiver's standard input. Its closing is a message too: the other side is gone.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Account, Command, Ended};

/// Parade to keeper, later: end the command now.
pub const STOP: &str = "stop\n";

/// Parade to keeper, first. Paths are `OsString`s, which serde carries whatever their bytes are.
#[derive(Debug, Serialize, Deserialize)]
pub struct Order {
    pub program: OsString,
    pub args: Vec<OsString>,
    pub dir: OsString,
    pub environment: BTreeMap<String, String>,
    /// None if the keeper's standard output is the file.
    pub output: Option<OsString>,
    pub output_limit: u64,
    /// The processors to run on; empty for all.
    pub processors: Vec<usize>,
    pub memory_bytes: Option<u64>,
    /// Processes and threads together; kept only where there are cgroups.
    pub most_tasks: u64,
    pub time_limit: Duration,
    pub grace: Duration,
    pub tag: String,
    /// What the command's cgroups are to be called; `None` for a command without.
    pub group: Option<String>,
    pub user: Option<Account>,
}

/// Keeper to parade, at the end.
pub type Report = Result<Ended, Failure>;

/// Why the keeper could not do its work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    pub what: String,
    pub help: String,
}

/// Keeper to launcher.
#[derive(Debug, Serialize, Deserialize)]
pub struct Launch {
    pub program: OsString,
    pub args: Vec<OsString>,
    pub processors: Vec<usize>,
    /// `cgroup.procs` files to enter.
    pub groups: Vec<PathBuf>,
    /// The keeper's process id: if it is no longer the launcher's parent, nobody wants the command any more.
    pub keeper: u32,
    pub user: Option<Account>,
}

/// Launcher to keeper. After `Ready` the socket closes, as the launcher became the command, or `Failed` follows.
#[derive(Debug, Serialize, Deserialize)]
pub enum Launched {
    Ready {
        /// Groups that could not be entered.
        refused: Vec<PathBuf>,
    },
    Failed(String),
}

impl Order {
    pub fn new(
        command: &Command,
        output: Option<PathBuf>,
        processors: Vec<usize>,
        group: Option<String>,
        most_tasks: u64,
    ) -> Self {
        let mut environment = command.environment.clone();
        environment.insert(super::TAG_VARIABLE.to_owned(), command.tag.clone());
        Order {
            program: command.program.clone().into(),
            args: command.args.clone(),
            dir: command.dir.clone().into(),
            environment,
            output: output.map(OsString::from),
            output_limit: command.output_limit,
            processors,
            memory_bytes: command.memory_bytes,
            most_tasks,
            time_limit: command.time_limit,
            grace: command.grace,
            tag: command.tag.clone(),
            group,
            user: command.user.clone(),
        }
    }
}

impl Failure {
    pub fn new(what: impl fmt::Display, help: impl Into<String>) -> Self {
        Failure { what: what.to_string(), help: help.into() }
    }
}

pub fn send(mut socket: &UnixStream, message: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    socket.write_all(&line)
}

/// The socket that stands at this process's standard input, as a descriptor that a later exec closes.
pub fn socket_at_stdin() -> io::Result<UnixStream> {
    use std::os::fd::AsFd;
    let socket: OwnedFd = io::stdin().as_fd().try_clone_to_owned()?;
    let socket = UnixStream::from(socket);
    socket.local_addr()?;
    Ok(socket)
}
