//! Parade's side: hands a command to a keeper, waits, and cleans up after keepers that died.

use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

use miette::{Report, miette};

use super::wire::{self, Failure, Order, STOP};
use super::{Command, Ended, Interrupt, MAX_STRAYS, Stray, cgroup, cores, keeper, tree};

/// How often an interrupt is looked for.
const ATTENTION: Duration = Duration::from_millis(50);

const MOST_TASKS: u64 = 10_000;

const KILL_PATIENCE: Duration = Duration::from_secs(10);

/// Runs a command to its end, which everything that it started shares.
///
/// # Errors
/// If it could not be started, watched, or ended; or if its output could not be written. However it ends by itself is
/// no error.
pub fn run(command: &Command, interrupt: &Interrupt) -> miette::Result<Ended> {
    let order = order(command)?;
    let (socket, theirs) = UnixStream::pair().map_err(|error| keeper_failed(command, &error))?;
    let mut keeper = keeper::program_command()
        .arg(keeper::SUBCOMMAND)
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::null())
        // The terminal's Ctrl-C is parade's to handle.
        .process_group(0)
        .spawn()
        .map_err(|error| keeper_failed(command, &error))?;
    let report = wire::send(&socket, &order).and_then(|()| await_report(&socket, interrupt));
    match report.and_then(|line| Ok(serde_json::from_str::<wire::Report>(&line)?)) {
        Ok(report) => {
            reap(&mut keeper);
            report.map_err(failure)
        }
        Err(error) => {
            let _ = keeper.kill();
            reap(&mut keeper);
            clean_up_after(&order);
            Err(keeper_failed(command, &error))
        }
    }
}

fn order(command: &Command) -> miette::Result<Order> {
    if !command.dir.is_dir() {
        return Err(miette!(help = "it is where the command was to run", "{} is not a folder", command.dir.display()));
    }
    if command.tag.is_empty() || command.tag.contains('\0') {
        return Err(miette!("the tag {:?} cannot mark a process", command.tag));
    }
    let unusable =
        |(name, value): &(&String, &String)| name.is_empty() || name.contains(['=', '\0']) || value.contains('\0');
    if let Some((name, _)) = command.environment.iter().find(unusable) {
        return Err(miette!(
            help = "a name has no `=`, and neither name nor value a zero byte",
            "{name:?} cannot be set as an environment variable"
        ));
    }
    let processors = cores::choose(command.cores)?;
    Ok(Order::new(command, absolute(&command.output)?, processors, group_name(), most_tasks()?))
}

/// More processes and threads than this, together, are no suite but an accident. `PARADE_MAX_TASKS` is for a suite that is
/// large indeed.
fn most_tasks() -> miette::Result<u64> {
    let Some(text) = std::env::var_os("PARADE_MAX_TASKS") else { return Ok(MOST_TASKS) };
    let number = text.to_str().and_then(|text| text.parse().ok()).filter(|number| *number > 0);
    number.ok_or_else(|| miette!("PARADE_MAX_TASKS is {text:?}, which is not a number of processes and threads"))
}

/// `PARADE_CGROUPS=off` measures as a machine without cgroups would, to compare with one.
fn group_name() -> Option<String> {
    std::env::var_os("PARADE_CGROUPS").is_none_or(|value| value != "off").then(cgroup::new_name)
}

fn absolute(path: &Path) -> miette::Result<PathBuf> {
    std::path::absolute(path).map_err(|error| miette!("{}: {error}", path.display()))
}

/// Waits for the keeper's one line, and passes an interrupt on once.
fn await_report(socket: &UnixStream, interrupt: &Interrupt) -> io::Result<String> {
    socket.set_read_timeout(Some(ATTENTION))?;
    let mut reader = BufReader::new(socket);
    let mut line = Vec::new();
    let mut told = false;
    loop {
        match reader.read_until(b'\n', &mut line) {
            Ok(_) if line.ends_with(b"\n") => {
                return String::from_utf8(line).map_err(io::Error::other);
            }
            Ok(_) => return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it was killed")),
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
            Err(error) => return Err(error),
        }
        if interrupt.is_set() && !told {
            told = true;
            let mut socket = socket;
            socket.write_all(STOP.as_bytes())?;
        }
    }
}

fn reap(keeper: &mut Child) {
    // It has nothing left to do; should waiting fail, no one else is waiting either.
    let _ = keeper.wait();
}

fn clean_up_after(order: &Order) {
    kill_tagged(|tag| tag == order.tag.as_bytes(), || order.group.iter().for_each(|group| cgroup::reclaim(group)));
}

fn failure(failure: Failure) -> Report {
    miette!(help = failure.help, "{}", failure.what)
}

fn keeper_failed(command: &Command, error: &io::Error) -> Report {
    miette!(
        help = "parade puts a small process of its own between itself and a command; look whether something kills it",
        "{} could not be watched by its keeper: {error}",
        command.program.display()
    )
}

/// Kills every process whose tag begins so, with its descendants: for a run that is resumed after parade was killed.
/// An empty prefix, which would mean every parade's processes, kills nothing.
pub fn kill_leftovers(tag_prefix: &str) -> Vec<Stray> {
    if tag_prefix.is_empty() {
        return Vec::new();
    }
    kill_tagged(|tag| tag.starts_with(tag_prefix.as_bytes()), cgroup::remove_stale)
}

/// Lists them before anything is killed, also by `kill_groups`.
fn kill_tagged(accept: impl Fn(&[u8]) -> bool, kill_groups: impl Fn()) -> Vec<Stray> {
    let find = || tree::tagged(&accept);
    let strays = find().iter().take(MAX_STRAYS).map(tree::Process::stray).collect();
    kill_groups();
    if let Err(survivors) = tree::kill_until_none(find, KILL_PATIENCE) {
        let pids: Vec<_> = survivors.iter().map(|process| process.id.pid).collect();
        tracing::warn!(?pids, "processes of an earlier run cannot be killed");
    }
    strays
}
