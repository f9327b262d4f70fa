//! The keeper: a small process between parade and a command. As the subreaper of everything that the command starts, it
//! can find, count and end all of it; and it outlives parade by as long as that takes.
//!
//! ```text
//! parade ──socket──► keeper ──────► launcher, which becomes the command
//! ```
//!
//! - parade is killed: the socket closes, and the keeper kills the tree.
//! - the keeper is killed: the kernel kills the command, and parade kills what is left: by cgroup, by tag, and whatever became
//!   parade's own child, as everything does that had hidden itself from both.
//! - the keeper is stopped: parade kills it when everything should long be over, and goes on as above.
//! - both are killed at once: the kernel kills the command, and the run that is resumed kills what is left and still has its tag.
//!   What has thrown that away too stays alive. Only another user's processes cannot do all this.

use std::io::{BufRead, BufReader};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use rustix::process::{Signal, getpid, set_child_subreaper, set_parent_process_death_signal};

use super::wire::{self, Failure, Order, Report};
use super::{launch, watch};

pub(super) const SUBCOMMAND: &str = "keeper";
pub(super) const LAUNCH: &str = "launch";
/// Ends at once: what [`super::probe`] runs to see what the machine allows.
pub(super) const NOTHING: &str = "nothing";

static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Says which executable is parade, where the running one is not: in tests. The first call counts.
pub fn use_program(path: impl Into<PathBuf>) {
    PROGRAM.get_or_init(|| path.into());
}

/// Becomes a keeper (or a launcher) when the arguments say so, and then does not return.
pub fn main_if_called() {
    let mut args = std::env::args_os().skip(1);
    if args.next().is_none_or(|first| first != SUBCOMMAND) {
        return;
    }
    let second = args.next().unwrap_or_default();
    std::process::exit(match second.to_str() {
        Some(LAUNCH) => launch::main(),
        Some(NOTHING) => 0,
        _ => main(),
    })
}

/// The link stays right even if the file was replaced or deleted since.
pub(super) fn program() -> PathBuf {
    PROGRAM.get().cloned().or_else(built_beside_tests).unwrap_or_else(|| PathBuf::from("/proc/self/exe"))
}

pub(super) fn program_command() -> Command {
    let mut command = Command::new(program());
    command.arg0("parade");
    command
}

/// Unit tests run in an executable of their own, one folder below the real one.
fn built_beside_tests() -> Option<PathBuf> {
    if !cfg!(any(test, feature = "testing")) {
        return None;
    }
    let program = std::env::current_exe().ok()?;
    let folder = program.parent().filter(|folder| folder.ends_with("deps"))?;
    Some(folder.parent()?.join("parade"))
}

fn main() -> i32 {
    super::hide_from_own_user();
    let Ok(socket) = wire::socket_at_stdin() else {
        eprintln!("this command is internal: only parade itself starts it");
        return 2;
    };
    let report = keep(&socket);
    i32::from(wire::send(&socket, &report).is_err())
}

fn keep(socket: &UnixStream) -> Report {
    let fail = |error: std::io::Error| Failure::new(format!("the keeper of a command failed: {error}"), "try again");
    set_child_subreaper(Some(getpid())).map_err(|error| fail(error.into()))?;
    // Caught: the signal says that the tree is to be killed, as the closing of the socket does.
    let orphaned = watch::catch_termination().map_err(fail)?;
    set_parent_process_death_signal(Some(Signal::TERM)).map_err(|error| fail(error.into()))?;
    let mut control = BufReader::new(socket.try_clone().map_err(fail)?);
    let mut line = String::new();
    control.read_line(&mut line).map_err(fail)?;
    let order: Order = serde_json::from_str(&line).map_err(|error| fail(error.into()))?;
    watch::watch(&order, control, orphaned)
}
