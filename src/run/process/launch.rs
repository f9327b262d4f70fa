//! The launcher: the process that becomes the command. What a child must do to itself before it is the command happens
//! here, after an exec, where it can be ordinary code.

use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Stdio;

use rustix::process::{Signal, getppid, set_parent_process_death_signal, setsid};

use super::wire::{self, Failure, Launch, Launched, Order};
use super::{cores, keeper};

/// Of a shell, for a command that cannot be started.
const NOT_STARTED: i32 = 127;

/// When the machine itself runs out of memory, the kernel is to choose the subject rather than parade.
const OOM_SCORE: &str = "500";

/// A command that runs.
pub struct Started {
    pub pid: i32,
    /// Groups' doors that did not let it in.
    pub refused: Vec<PathBuf>,
}

/// The keeper's side: starts a launcher, and waits until it has become the command.
pub fn start(order: &Order, doors: Vec<PathBuf>, output: &io::PipeWriter) -> Result<Started, Failure> {
    let name = PathBuf::from(&order.program);
    let fail = |error: io::Error| {
        Failure::new(
            format!("{} cannot be started: {error}", name.display()),
            "check that the program and its folder exist",
        )
    };
    let (socket, theirs) = UnixStream::pair().map_err(fail)?;
    let child = keeper::program_command()
        .args([keeper::SUBCOMMAND, keeper::LAUNCH])
        .env_clear()
        .envs(&order.environment)
        .current_dir(&order.dir)
        .stdin(Stdio::from(std::os::fd::OwnedFd::from(theirs)))
        .stdout(output.try_clone().map_err(fail)?)
        .stderr(output.try_clone().map_err(fail)?)
        .spawn()
        .map_err(fail)?;
    let launch = Launch {
        program: order.program.clone(),
        args: order.args.clone(),
        processors: order.processors.clone(),
        groups: doors,
        keeper: std::process::id(),
        user: order.user.clone(),
    };
    wire::send(&socket, &launch).map_err(fail)?;
    let refused = await_exec(&socket).map_err(fail)?;
    // The child is waited for together with all that it leaves behind, not through this handle.
    Ok(Started { pid: i32::try_from(child.id()).unwrap_or(0), refused })
}

/// Reads what the launcher says until it has become the command, which closes the socket.
fn await_exec(socket: &UnixStream) -> io::Result<Vec<PathBuf>> {
    let mut said = String::new();
    BufReader::new(socket).read_to_string(&mut said)?;
    let mut answer = Err(io::Error::other("its launcher died"));
    for line in said.lines() {
        match serde_json::from_str(line)? {
            Launched::Ready { refused } => answer = Ok(refused),
            Launched::Failed(why) => return Err(io::Error::other(why)),
        }
    }
    answer
}

/// The launcher's side. Returns only if the command could not be started.
pub fn main() -> i32 {
    let Ok(socket) = wire::socket_at_stdin() else {
        eprintln!("this command is internal: only parade itself starts it");
        return NOT_STARTED;
    };
    if let Err(error) = become_command(&socket) {
        // If the keeper is gone, nobody is left to be told.
        let _ = wire::send(&socket, &Launched::Failed(error.to_string()));
    }
    NOT_STARTED
}

fn become_command(socket: &UnixStream) -> io::Result<()> {
    let mut line = String::new();
    BufReader::new(socket).read_line(&mut line)?;
    let launch: Launch = serde_json::from_str(&line)?;
    setsid()?;
    let _ = std::fs::write("/proc/self/oom_score_adj", OOM_SCORE);
    cores::pin(&launch.processors).map_err(|error| {
        io::Error::other(format!("it cannot be pinned to processors {:?}: {error}", launch.processors))
    })?;
    close_inherited_files_on_exec();
    let refused = launch.groups.iter().filter(|door| std::fs::write(door, "0").is_err()).cloned().collect();
    if let Some(user) = &launch.user {
        let failed = |error| io::Error::other(format!("it cannot be run as {}: {error}", user.name));
        user.become_it().map_err(failed)?;
    }
    die_with(launch.keeper)?;
    wire::send(socket, &Launched::Ready { refused })?;
    Err(std::process::Command::new(&launch.program).args(&launch.args).stdin(Stdio::null()).exec())
}

/// Last of all, as the kernel forgets it when the user changes.
fn die_with(keeper: u32) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    if getppid().map(|pid| pid.as_raw_pid().unsigned_abs()) != Some(keeper) {
        return Err(io::Error::other("its keeper died"));
    }
    Ok(())
}

/// Files that whoever started parade left open are no business of a subject, and would differ from machine to machine.
/// A kernel without this call (before 5.11) leaves them open.
#[expect(unsafe_code, reason = "no safe wrapper of close_range is among the dependencies")]
fn close_inherited_files_on_exec() {
    // SAFETY: with this flag nothing is closed now, so no descriptor in use loses its file.
    let _ = unsafe { libc::syscall(libc::SYS_close_range, 3u32, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
}
