//! What the keeper does while a command runs: waits for it, its output and its limits, ends it when it must, and adds up
//! what it cost.

use std::io::{self, BufRead, BufReader, PipeReader, Read};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Signal, WaitOptions, WaitStatus, wait};

use super::accounting::{self, Reaped};
use super::cgroup::Groups;
use super::log::Log;
use super::memory::Sampler;
use super::tree::{self, Process};
use super::wire::{Failure, Order, Report, STOP};
use super::{Accounting, Cause, Ended, Exit, MAX_STRAYS, Means, Stray, launch};
use crate::suite::Cost;

/// What ends with the command may take this long to do so before it counts as left behind.
const SETTLING: Duration = Duration::from_millis(250);

/// A killed process that is not gone after this long hangs in the kernel.
const KILL_PATIENCE: Duration = Duration::from_secs(10);

/// A killed process is reaped about this soon.
const REAPING: Duration = Duration::from_millis(20);

/// The last output of a dead tree is there at once; only a process outside of it can hold the pipe open longer.
const LAST_OUTPUT: Duration = Duration::from_secs(1);

/// A signal to the keeper is noticed after this long at the latest.
const IDLE: Duration = Duration::from_millis(250);

enum Event {
    /// The command itself ended.
    Exited(WaitStatus, Instant),
    /// No descendant is left.
    NoneLeft,
    Stop,
    /// Parade is gone.
    Orphaned,
    OutputEnded,
    OutputLost(io::Error),
}

type SharedLog = Arc<Mutex<Log>>;

/// The flag that SIGTERM to the keeper sets.
pub fn catch_termination() -> io::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGTERM, Arc::clone(&flag))?;
    Ok(flag)
}

pub fn watch(order: &Order, control: BufReader<UnixStream>, orphaned: Arc<AtomicBool>) -> Report {
    let log = Arc::new(Mutex::new(open_log(order)?));
    let mut tree = Tree {
        groups: Groups::make(order.group.as_deref(), order.memory_bytes, order.most_tasks),
        tag: order.tag.clone(),
        ended: false,
    };
    let (reader, writer) =
        io::pipe().map_err(|error| Failure::new(format!("no pipe: {error}"), "close other programs"))?;
    let started = launch::start(order, tree.groups.doors(), &writer)?;
    let begin = Instant::now();
    drop(writer);
    tree.groups.drop_refused(&started.refused);

    let (sender, events) = mpsc::channel();
    spawn_reaper(started.pid, sender.clone());
    spawn_listener(control, sender.clone());
    spawn_drain(reader, Arc::clone(&log), sender);
    let sampler = Sampler::new(tree.groups.unkept_limit());
    let watch =
        Watch { order, tree, events, log, orphaned, begin, sampler, ending: None, none_left: false, output: None };
    watch.finish()
}

fn open_log(order: &Order) -> Result<Log, Failure> {
    let Some(path) = order.output.as_ref().map(Path::new) else {
        return Log::at_stdout(order.output_limit).map_err(|error| log_failure(order, &error));
    };
    check_log_folder(path, order)?;
    Log::create(path, order.output_limit).map_err(|error| log_failure(order, &error))
}

/// Whoever can write a log's folder can lead what is written to the log elsewhere.
fn check_log_folder(log: &Path, order: &Order) -> Result<(), Failure> {
    let (Some(user), Some(folder)) = (&order.user, log.parent()) else { return Ok(()) };
    match user.may_write(folder) {
        Ok(false) => Ok(()),
        Ok(true) => Err(Failure::new(
            format!("the output would go to {}, which {} can write", folder.display(), user.name),
            "put results and parade's cache into folders that only parade's own user can write",
        )),
        Err(error) => Err(log_failure(order, &error)),
    }
}

fn log_failure(order: &Order, error: &io::Error) -> Failure {
    let place = order.output.as_ref().map_or("parade's cache".into(), |path| Path::new(path).to_string_lossy());
    let what = format!("the output cannot be written to {place}: {error}");
    Failure::new(what, "check that its folder exists and that the disk has free space")
}

/// Waits for every child, the command's orphans included.
fn spawn_reaper(command: i32, events: Sender<Event>) {
    std::thread::spawn(move || {
        loop {
            match wait(WaitOptions::empty()) {
                Ok(Some((pid, status))) if pid.as_raw_pid() == command => {
                    let _ = events.send(Event::Exited(status, Instant::now()));
                }
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(_) => {
                    let _ = events.send(Event::NoneLeft);
                    return;
                }
            }
        }
    });
}

fn spawn_listener(mut control: BufReader<UnixStream>, events: Sender<Event>) {
    std::thread::spawn(move || {
        let mut line = String::new();
        while matches!(control.read_line(&mut line), Ok(1..)) {
            if line == STOP {
                let _ = events.send(Event::Stop);
            }
            line.clear();
        }
        let _ = events.send(Event::Orphaned);
    });
}

/// Goes on reading when nothing can be written any more: a full pipe would change how the command behaves.
fn spawn_drain(mut reader: PipeReader, log: SharedLog, events: Sender<Event>) {
    std::thread::spawn(move || {
        let mut buffer = vec![0; 64 << 10];
        let mut lost = false;
        loop {
            match reader.read(&mut buffer) {
                Ok(count @ 1..) if !lost => {
                    let written = log.lock().unwrap_or_else(PoisonError::into_inner).write(&buffer[..count]);
                    if let Err(error) = written {
                        lost = true;
                        let _ = events.send(Event::OutputLost(error));
                    }
                }
                Ok(1..) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(0) | Err(_) => break,
            }
        }
        let _ = events.send(Event::OutputEnded);
    });
}

/// Everything that the command started. Dropped, it is dead, whatever went wrong before.
struct Tree {
    groups: Groups,
    tag: String,
    /// Known to be dead as a whole.
    ended: bool,
}

impl Tree {
    fn alive(&self) -> Vec<Process> {
        tree::family(std::process::id(), self.tag.as_bytes())
    }

    fn terminate(&self) {
        for process in self.alive() {
            tree::signal(process.id, Signal::TERM);
        }
    }

    fn kill(&self) -> Result<(), Vec<Process>> {
        self.groups.kill();
        tree::kill_until_none(|| self.alive(), KILL_PATIENCE)
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        if !self.ended {
            let _ = self.kill();
        }
        self.groups.remove();
    }
}

/// Why and until when the command is being ended.
struct Ending {
    cause: Cause,
    /// When patience ends; in the past once it was killed.
    kill_at: Instant,
    killed: bool,
}

struct Watch<'a> {
    order: &'a Order,
    tree: Tree,
    events: Receiver<Event>,
    log: SharedLog,
    orphaned: Arc<AtomicBool>,
    begin: Instant,
    sampler: Sampler,
    ending: Option<Ending>,
    none_left: bool,
    /// Whether the output came to its end, and how.
    output: Option<io::Result<()>>,
}

impl Watch<'_> {
    fn finish(mut self) -> Report {
        let (status, end) = self.until_exit();
        self.settle();
        let strays = self.kill_strays()?;
        self.collect_output();
        let output_cut = self.finish_log()?;
        let out_of_memory = self.tree.groups.out_of_memory();
        let cause = match self.ending.as_ref().map_or(Cause::Exited, |ending| ending.cause) {
            // Waiting for a process that the kernel killed is a common way to run out of time.
            Cause::Exited | Cause::TimedOut if out_of_memory => Cause::OutOfMemory,
            cause => cause,
        };
        let (cost, accounting) = self.cost(end, out_of_memory);
        let tasks_refused = self.tree.groups.tasks_refused();
        Ok(Ended { exit: exit(status), cause, cost, strays, output_cut, tasks_refused, accounting })
    }

    fn until_exit(&mut self) -> (WaitStatus, Instant) {
        loop {
            if let Some(Event::Exited(status, at)) = self.next_event(self.next_deadline()) {
                return (status, at);
            }
            if self.sampler.look(&self.tree.groups) {
                self.end(Cause::OutOfMemory, Duration::ZERO);
            }
            if self.time_is_up() {
                self.end(Cause::TimedOut, self.order.grace);
            }
            if self.orphaned.load(Ordering::SeqCst) {
                self.end(Cause::Interrupted, Duration::ZERO);
            }
            self.kill_if_due();
        }
    }

    /// Waits for an event, notes what it means, and hands it on.
    fn next_event(&mut self, until: Instant) -> Option<Event> {
        let event = match self.events.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(event) => event,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return None,
        };
        match &event {
            Event::Stop => self.end(Cause::Interrupted, self.order.grace),
            Event::Orphaned => self.end(Cause::Interrupted, Duration::ZERO),
            Event::OutputLost(error) => {
                self.output = Some(Err(io::Error::new(error.kind(), error.to_string())));
                self.end(Cause::Interrupted, Duration::ZERO);
            }
            Event::OutputEnded => {
                self.output.get_or_insert(Ok(()));
            }
            Event::NoneLeft => self.none_left = true,
            Event::Exited(..) => {}
        }
        Some(event)
    }

    fn next_deadline(&self) -> Instant {
        let limit = self.begin.checked_add(self.order.time_limit).filter(|_| self.ending.is_none());
        let kill = self.ending.as_ref().filter(|ending| !ending.killed).map(|ending| ending.kill_at);
        let idle = Instant::now() + IDLE;
        [Some(idle), Some(self.sampler.due()), limit, kill].into_iter().flatten().min().unwrap_or(idle)
    }

    fn time_is_up(&self) -> bool {
        self.begin.elapsed() >= self.order.time_limit
    }

    /// Asks the tree to end. The first cause stands; a later one can only shorten the patience.
    fn end(&mut self, cause: Cause, grace: Duration) {
        let now = Instant::now();
        let kill_at = now.checked_add(grace).unwrap_or(now + KILL_PATIENCE);
        match &mut self.ending {
            Some(ending) => {
                if grace.is_zero() {
                    ending.kill_at = ending.kill_at.min(kill_at);
                }
            }
            None => {
                self.ending = Some(Ending { cause, kill_at, killed: false });
                if !grace.is_zero() {
                    self.tree.terminate();
                }
            }
        }
        self.kill_if_due();
    }

    fn kill_if_due(&mut self) {
        if let Some(ending) = self.ending.as_mut().filter(|ending| !ending.killed && Instant::now() >= ending.kill_at) {
            ending.killed = true;
            // What resists is found again, and reported, after the command itself has ended.
            let _ = self.tree.kill();
        }
    }

    /// Lets what ends with the command do so.
    fn settle(&mut self) {
        let soon = Instant::now() + SETTLING;
        let until =
            self.ending.as_ref().filter(|ending| !ending.killed).map_or(soon, |ending| ending.kill_at.max(soon));
        while !self.none_left && Instant::now() < until && !self.ending.as_ref().is_some_and(|ending| ending.killed) {
            self.next_event(until);
        }
        // After a kill only the reaping is left to wait for.
        while !self.none_left && Instant::now() < soon {
            self.next_event(soon);
        }
    }

    /// Kills what outlived the command, until the kernel itself says that there are no children left: a look through
    /// `/proc` can miss processes that multiply and die quickly.
    fn kill_strays(&mut self) -> Result<Vec<Stray>, Failure> {
        let alive = self.tree.alive();
        let strays = alive.iter().take(MAX_STRAYS).map(Process::stray).collect();
        let until = Instant::now() + KILL_PATIENCE;
        self.tree.ended = alive.is_empty() && self.none_left;
        while !self.tree.ended {
            let killed = self.tree.kill();
            self.next_event(Instant::now() + REAPING);
            self.tree.ended = killed.is_ok() && self.none_left;
            if !self.tree.ended && Instant::now() > until {
                return Err(survived(&killed.err().unwrap_or_default()));
            }
        }
        Ok(strays)
    }

    fn collect_output(&mut self) {
        let until = Instant::now() + LAST_OUTPUT;
        while self.output.is_none() && Instant::now() < until {
            self.next_event(until);
        }
    }

    fn finish_log(&mut self) -> Result<bool, Failure> {
        if let Some(Err(error)) = &self.output {
            return Err(log_failure(self.order, error));
        }
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.finish().map_err(|error| log_failure(self.order, &error))
    }

    fn cost(&self, end: Instant, out_of_memory: bool) -> (Cost, Accounting) {
        let groups = &self.tree.groups;
        let reaped = accounting::reaped();
        let used = reaped.unwrap_or_default();
        let counted = groups.cpu_time();
        let charged = groups.charged_peak();
        let peak = if out_of_memory { self.sampler.peak.max(charged) } else { self.sampler.peak };
        let cost = Cost {
            wall_seconds: end.saturating_duration_since(self.begin).as_secs_f64(),
            user_seconds: counted.map_or(used.user_seconds, |time| time.user_seconds),
            system_seconds: counted.map_or(used.system_seconds, |time| time.system_seconds),
            peak_memory_bytes: peak.or_else(|| unseen_peak(reaped, charged)),
            voluntary_switches: reaped.map(|used| used.voluntary_switches),
            involuntary_switches: reaped.map(|used| used.involuntary_switches),
            jvm: None,
        };
        let accounting = Accounting {
            kill: groups.kill_means(),
            cpu: counted.map_or(Means::Processes, |time| time.means),
            memory: groups.memory_means(),
            memory_limit: groups.memory_means(),
            peak_with_page_cache_bytes: charged,
        };
        (cost, accounting)
    }
}

fn survived(processes: &[Process]) -> Failure {
    let list: Vec<_> = processes.iter().map(|process| process.id.pid.to_string()).collect();
    let what = format!("processes that cannot be killed were left behind: {}", list.join(", "));
    Failure::new(
        what,
        "they hang in the kernel (for example on a dead network disk) or belong to another user; end \
        them by hand",
    )
}

/// For a command that ended before anyone looked: what its largest process had, mapped files included.
fn unseen_peak(reaped: Option<Reaped>, charged: Option<u64>) -> Option<u64> {
    let largest = reaped.map(|used| used.peak_memory_bytes).filter(|bytes| *bytes > 0)?;
    Some(charged.map_or(largest, |charged| charged.min(largest)))
}

fn exit(status: WaitStatus) -> Exit {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, signal) => Exit::Signal(signal.unwrap_or(0)),
    }
}
