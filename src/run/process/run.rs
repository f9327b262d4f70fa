//! Parade's side: hands a command to a keeper, waits, and cleans up after keepers that died.

use crate::file_error::file_error;
use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use miette::{Report, miette};
use rustix::process::WaitOptions;

use super::wire::{self, Failure, Order, STOP};
use super::{Command, CommandOutput, Ended, Interrupt, MAX_STRAYS, Stray, cgroup, cores, keeper, tree};

/// How often an interrupt is looked for.
const ATTENTION: Duration = Duration::from_millis(50);

const MOST_TASKS: u64 = 10_000;

const KILL_PATIENCE: Duration = Duration::from_secs(10);

/// A keeper that has not answered so long after everything should be over was stopped, or worse.
const KEEPER_SLACK: Duration = Duration::from_secs(60);

/// The keepers that are at work now.
static KEEPERS: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());
static ADOPTING: AtomicBool = AtomicBool::new(false);

/// Of what was killed, so many are named in an error.
const NAMED_STRAYS: usize = 3;

/// From now on, what a killed keeper leaves becomes this process's own child, however it has hidden itself, and is killed. Only
/// for a program whose children are all started here: every other one is taken for such a leftover.
pub fn adopt_orphans() {
    let adopting = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    ADOPTING.store(adopting.is_ok(), Ordering::Relaxed);
}

/// Runs a command to its end, which everything that it started shares.
///
/// # Errors
/// If it could not be started, watched, or ended; or if its output could not be written. However it ends by itself is
/// no error.
pub fn run(command: &Command, interrupt: &Interrupt) -> miette::Result<Ended> {
    let order = order(command)?;
    let (socket, theirs) = UnixStream::pair().map_err(|error| keeper_failed(command, &error, &[]))?;
    let mut keeper = start_keeper(theirs, &command.output).map_err(|error| keeper_failed(command, &error, &[]))?;
    let patience = Patience { run: command.time_limit, end: command.grace.saturating_add(KEEPER_SLACK) };
    let report = wire::send(&socket, &order).and_then(|()| await_report(&socket, interrupt, patience));
    match report.and_then(|line| Ok(serde_json::from_str::<wire::Report>(&line)?)) {
        Ok(report) => {
            reap(&mut keeper);
            report.map_err(failure)
        }
        Err(error) => {
            let _ = keeper.kill();
            reap(&mut keeper);
            let killed = clean_up_after(&order);
            Err(keeper_failed(command, &error, &killed))
        }
    }
}

fn start_keeper(socket: UnixStream, output: &CommandOutput) -> io::Result<Child> {
    let stdout = match output {
        CommandOutput::Path(_) => Stdio::null(),
        CommandOutput::Unnamed(output) => Stdio::from(output.descriptor()?),
    };
    // Nobody may look for orphans while there is a keeper that is not known as one.
    let mut keepers = KEEPERS.lock().unwrap_or_else(PoisonError::into_inner);
    let keeper = keeper::program_command()
        .arg(keeper::SUBCOMMAND)
        .stdin(Stdio::from(OwnedFd::from(socket)))
        .stdout(stdout)
        // The terminal's Ctrl-C is parade's to handle.
        .process_group(0)
        .spawn()?;
    keepers.extend(i32::try_from(keeper.id()));
    Ok(keeper)
}

fn order(command: &Command) -> miette::Result<Order> {
    if !command.dir.is_dir() {
        return Err(miette!(help = "the command runs in this folder", "{} is not a folder", command.dir.display()));
    }
    if command.tag.is_empty() || command.tag.contains('\0') {
        return Err(miette!("the tag {:?} cannot mark a process", command.tag));
    }
    let unusable =
        |(name, value): &(&String, &String)| name.is_empty() || name.contains(['=', '\0']) || value.contains('\0');
    if let Some((name, _)) = command.environment.iter().find(unusable) {
        return Err(miette!(
            help = "a name must not contain `=`, and neither name nor value may contain a zero byte",
            "{name:?} cannot be set as an environment variable"
        ));
    }
    let processors = cores::choose(command.cores)?;
    let output = match &command.output {
        CommandOutput::Path(path) => Some(absolute(path)?),
        CommandOutput::Unnamed(_) => None,
    };
    Ok(Order::new(command, output, processors, group_name(), most_tasks()?))
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
    std::path::absolute(path).map_err(|error| file_error(format_args!("{}", path.display()), &error))
}

/// How long a keeper is waited for: while its command may run, and after that or after an interrupt.
#[derive(Clone, Copy)]
struct Patience {
    run: Duration,
    end: Duration,
}

/// Waits for the keeper's one line, and passes an interrupt on once.
fn await_report(socket: &UnixStream, interrupt: &Interrupt, patience: Patience) -> io::Result<String> {
    socket.set_read_timeout(Some(ATTENTION))?;
    let mut reader = BufReader::new(socket);
    let mut line = Vec::new();
    let mut told = false;
    let mut deadline = Instant::now().checked_add(patience.run.saturating_add(patience.end));
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
            deadline = Instant::now().checked_add(patience.end);
            let mut socket = socket;
            socket.write_all(STOP.as_bytes())?;
        }
        if deadline.is_some_and(|deadline| Instant::now() > deadline) {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "it does not answer"));
        }
    }
}

fn reap(keeper: &mut Child) {
    // It has nothing left to do; should waiting fail, no one else is waiting either.
    let _ = keeper.wait();
    let mut keepers = KEEPERS.lock().unwrap_or_else(PoisonError::into_inner);
    keepers.retain(|pid| u32::try_from(*pid) != Ok(keeper.id()));
}

/// What a keeper left that did not end by itself: by its control groups, by its tag, and as what became a child of ours.
fn clean_up_after(order: &Order) -> Vec<Stray> {
    let reclaim = || order.group.iter().for_each(|group| cgroup::reclaim(group));
    let mut killed = kill_tagged(|tag| tag == order.tag.as_bytes(), reclaim);
    killed.extend(kill_orphans());
    killed
}

fn kill_orphans() -> Vec<Stray> {
    if !ADOPTING.load(Ordering::Relaxed) {
        return Vec::new();
    }
    let keepers = KEEPERS.lock().unwrap_or_else(PoisonError::into_inner);
    let find = || tree::descendants_but(std::process::id(), &keepers);
    let orphans = find();
    let strays = orphans.iter().take(MAX_STRAYS).map(tree::Process::stray).collect();
    if tree::kill_until_none(find, KILL_PATIENCE).is_err() {
        tracing::warn!("processes that outlived their keeper cannot be killed");
    }
    for orphan in orphans.iter().filter_map(|orphan| rustix::process::Pid::from_raw(orphan.id.pid)) {
        // Not a child of ours, or gone: then there is nothing to reap.
        let _ = rustix::process::waitpid(Some(orphan), WaitOptions::NOHANG);
    }
    strays
}

fn failure(failure: Failure) -> Report {
    miette!(help = failure.help, "{}", failure.what)
}

fn keeper_failed(command: &Command, error: &io::Error, killed: &[Stray]) -> Report {
    let left: Vec<String> =
        killed.iter().take(NAMED_STRAYS).map(|stray| format!("{} ({})", stray.pid, stray.command)).collect();
    let left = if left.is_empty() {
        String::new()
    } else {
        format!("; processes that it left behind were killed: {}", left.join(", "))
    };
    miette!(
        help = "parade starts a small keeper process for each command; check whether something kills it. The command itself can, \
                unless it runs as another user (`user = \"nobody\"`)",
        "the keeper of {} failed: {error}{left}",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_keeper_that_was_stopped_is_not_waited_for_for_ever() {
        let (socket, _theirs) = UnixStream::pair().unwrap();
        let patience = Patience { run: Duration::from_millis(30), end: Duration::from_millis(30) };
        let error = await_report(&socket, &Interrupt::new(), patience).unwrap_err();
        assert_eq!(error.to_string(), "it does not answer");
        let interrupt = Interrupt::new();
        interrupt.set();
        let patience = Patience { run: Duration::MAX, end: Duration::from_millis(30) };
        assert!(await_report(&socket, &interrupt, patience).is_err());
    }
}
