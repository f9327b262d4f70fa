//! One test process: a JVM with our runner, told by a control file what to run and followed by what it writes.
//!
//! The control file is a plain one where there is one order for the process' whole life, and a pipe where orders come
//! while it runs. Each process is watched by a thread of its own, which `process::run` keeps.

use std::ffi::OsString;
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use miette::miette;
use rustix::fs::{CWD, FileType, Mode as Permissions, OFlags};

use super::crew::{Account, Close, Closing, Order, Workplace};
use super::events::{Answer, Follower, State};
use super::launch::Jvm;
use super::request::{self, Asked};
use super::roots::TestLocation;
use crate::file_error::file_error;
use crate::folder_handle::FolderHandle;
use crate::maven::reconcile::{self, Contradiction};
use crate::maven::seal::SealKey;
use crate::maven::{self, Clock, process_findings};
use crate::process::{self, Cause, CommandOutput, Ended, Exit, Interrupt, UnnamedOutput};
use crate::suite::{Cost, Finding, FindingKind, TestId};

/// How often the events of a process that waits for orders are looked at, and of one that does not.
const ATTENTIVE: Duration = Duration::from_millis(2);
const PATIENT: Duration = Duration::from_millis(10);
/// Between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_secs(5);
/// A process that has nothing left to do may take this long to end, as Surefire's may.
const SHUTDOWN: Duration = Duration::from_secs(30);
/// As long as a process that stays may live; runs have limits of their own.
const LIFE: Duration = Duration::from_secs(30 * 24 * 3600);
/// The record of what tests cover, in the folder of the process.
const TRACE: &str = "trace";
const LOG_LIMIT: u64 = 64 << 20;

/// What a run may use, and until when.
#[derive(Debug, Clone)]
pub struct Bounds {
    pub cores: Option<usize>,
    /// Of each process.
    pub memory_bytes: Option<u64>,
    pub deadline: Instant,
}

/// A test of the request.
#[derive(Debug, Clone, Copy)]
pub struct Ticket<'a> {
    pub id: &'a TestId,
    pub place: &'a TestLocation,
    pub display: Option<&'a str>,
}

/// Starts the test processes of one goal for one run.
#[derive(Clone)]
pub struct JvmPlace<'a> {
    pub jvm: Jvm,
    pub module: &'a str,
    pub bounds: Bounds,
    pub clock: Clock,
    pub interrupt: &'a Interrupt,
    /// Who the processes run as, where that is not parade's own user.
    pub user: Option<&'a process::Account>,
    /// Nothing outside of it is made for a process.
    pub worktree: &'a Path,
    /// Where control files and events go; of the session.
    pub scratch: &'a Path,
    /// Where output goes when a process has ended.
    pub logs: &'a Path,
    pub tag: String,
    /// Numbers of processes and orders, over all runs of a session.
    pub numbers: &'a AtomicU64,
    pub tickets: &'a [Ticket<'a>],
    /// Where the records of what tests cover go, if there are to be any.
    pub traces: Option<&'a Path>,
}

/// A process that runs, or ran.
#[derive(Debug)]
pub struct JvmWorker {
    number: u64,
    folder: PathBuf,
    /// Where its record of what tests cover goes when it is gone.
    trace: Option<PathBuf>,
    /// Where its output goes.
    log: PathBuf,
    output: UnnamedOutput,
    /// Is there a copy of the output already, of a process that stays?
    is_log_kept: bool,
    events: Follower,
    stop: Interrupt,
    ended: Receiver<miette::Result<Ended>>,
    over: Option<Ended>,
    /// The writing end of its control file, where that is a pipe.
    control: Option<File>,
    /// What earlier runs have paid for already.
    paid: Cost,
    /// Answers to what nobody asked.
    unasked: usize,
}

impl JvmPlace<'_> {
    /// Starts a process that reads `text`, and more later where it has a pipe.
    pub fn launch(&self, slot: u32, text: &str, pipe: bool) -> miette::Result<JvmWorker> {
        let number = self.next_number();
        // The folder above cannot be listed: a process beside this one cannot guess where the events go.
        let folder = self.scratch.join(format!("{number}-{}", SealKey::random()?.to_hex()));
        let broken =
            |error: std::io::Error| file_error(format_args!("{} cannot be prepared", folder.display()), &error);
        let (control, events) = (folder.join("control"), folder.join("events"));
        let key = SealKey::random()?;
        let tracing = self.traces.map_or_else(String::new, |_| request::trace(&folder.join(TRACE)));
        let text = &(tracing + text);
        std::fs::create_dir(&folder).map_err(broken)?;
        let mut recorded = File::options().read(true).write(true).create_new(true).open(&events).map_err(broken)?;
        writeln!(recorded, "{}", key.to_hex()).map_err(broken)?;
        self.make_working_folder(&self.jvm.folder(slot))?;
        let writer = if pipe {
            Some(open_pipe(&control).map_err(broken)?)
        } else {
            std::fs::write(&control, text).map_err(broken)?;
            None
        };
        self.user.map_or(Ok(()), |user| user.take_over_all(&folder)).map_err(broken)?;
        let log = self.logs.join(format!("jvm-{number}.log"));
        let output = UnnamedOutput::create_in(self.scratch).map_err(broken)?;
        let command = self.command(slot, number, &control, &events, &output);
        let stop = Interrupt::new();
        let ended = watch(command, stop.clone());
        let events = Follower::new(recorded, key, self.module, self.clock);
        let (over, paid) = (None, Cost::default());
        let trace = self.traces.map(|traces| traces.join(format!("{number}.trace")));
        let (control, is_log_kept, unasked) = (writer, false, 0);
        let mut worker = JvmWorker {
            number,
            folder,
            trace,
            log,
            output,
            is_log_kept,
            events,
            stop,
            ended,
            over,
            control,
            paid,
            unasked,
        };
        if pipe {
            self.send(&mut worker, text)?;
        }
        Ok(worker)
    }

    /// Surefire makes it where it is missing. A project can name any folder of the machine, or lead there by a link: parade makes
    /// it only in the worktree, and gives away only what it made.
    fn make_working_folder(&self, working: &Path) -> miette::Result<()> {
        let Ok(below) = working.strip_prefix(self.worktree) else { return Ok(()) };
        if working.is_dir() {
            return Ok(());
        }
        let owner = self.user.map(process::Account::owner);
        let made = FolderHandle::open(self.worktree).and_then(|root| root.make_folders(below, owner));
        made.map(drop).map_err(|error| file_error(format_args!("{} cannot be made", working.display()), &error))
    }

    pub fn next_number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn command(
        &self,
        slot: u32,
        number: u64,
        control: &Path,
        events: &Path,
        output: &UnnamedOutput,
    ) -> process::Command {
        let mut environment = self.jvm.environment(slot);
        environment.insert("PARADE_EVENTS".to_owned(), events.to_string_lossy().into_owned());
        let args: Vec<OsString> = self.jvm.arguments(slot, control);
        process::Command {
            program: self.jvm.java().to_owned(),
            args,
            dir: self.jvm.folder(slot),
            environment,
            output: CommandOutput::Unnamed(output.clone()),
            output_limit: LOG_LIMIT,
            cores: self.bounds.cores,
            memory_bytes: self.bounds.memory_bytes,
            time_limit: LIFE,
            grace: GRACE,
            tag: format!("{}-{number}", self.tag),
            user: self.user.cloned(),
        }
    }

    /// Writes to a pipe that may be full, and whose reader may die.
    fn send(&self, worker: &mut JvmWorker, text: &str) -> miette::Result<()> {
        let Some(mut control) = worker.control.as_ref() else { return Ok(()) };
        let mut rest = text.as_bytes();
        while !rest.is_empty() && worker.over.is_none() && !self.is_over() {
            match control.write(rest) {
                Ok(count) => rest = &rest[count..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    worker.over = next_end(&worker.ended, ATTENTIVE)?;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    return Err(file_error(format_args!("{} cannot be written", worker.folder.display()), &error));
                }
            }
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.interrupt.is_set() || Instant::now() >= self.bounds.deadline
    }

    /// Follows a process until it is done with its order, or cannot be any more.
    pub fn follow(&self, worker: &mut JvmWorker) -> miette::Result<(Answer, Close)> {
        let pause = if worker.control.is_some() { ATTENTIVE } else { PATIENT };
        loop {
            if worker.over.is_none() {
                worker.over = next_end(&worker.ended, pause)?;
            }
            let dead = worker.over.is_some();
            worker.events.poll()?;
            if worker.events.is_done() {
                return Ok((worker.events.answer(), Close::Done));
            }
            let close = match () {
                () if dead => Close::Died(worker.how_it_ended()),
                () if self.interrupt.is_set() => Close::Interrupted,
                () if self.is_over() => Close::OutOfTime,
                () => continue,
            };
            worker.stop()?;
            worker.events.poll()?;
            let mut answer = worker.events.answer();
            self.last_until_now(&mut answer);
            return Ok(match close {
                Close::Died(_) if !answer.begun => (answer, Close::NeverBegan(worker.last_words())),
                close => (answer, close),
            });
        }
    }

    /// What did not end was running until its process was gone.
    fn last_until_now(&self, answer: &mut Answer) {
        let now = self.clock.elapsed();
        for seen in answer.seen.iter_mut().filter(|seen| seen.state == State::Open) {
            seen.execution.seconds = (now - seen.execution.start).max(0.0);
        }
    }

    fn order_text(&self, order: &Order<'_>) -> String {
        let asked = |&number: &usize| {
            let ticket = &self.tickets[number];
            Asked { number, id: ticket.id, place: ticket.place, display: ticket.display }
        };
        request::order(order.id, order.manner, order.tests.iter().map(asked))
    }
}

impl Workplace for JvmPlace<'_> {
    type Worker = JvmWorker;

    fn start(&self, slot: u32, only: Option<&Order<'_>>) -> miette::Result<JvmWorker> {
        let mut text = self.jvm.preamble(slot);
        text.extend(only.map(|order| self.order_text(order)));
        self.launch(slot, &text, only.is_none())
    }

    fn is_alive(&self, worker: &mut JvmWorker) -> bool {
        if worker.over.is_none() {
            worker.over = worker.ended.try_recv().ok().and_then(Result::ok);
        }
        worker.over.is_none()
    }

    fn carry_out(&self, worker: &mut JvmWorker, order: &Order<'_>) -> miette::Result<Account> {
        worker.events.expect(order.id, self.clock);
        if worker.control.is_some() {
            self.send(worker, &self.order_text(order))?;
        }
        let (mut answer, close) = self.follow(worker)?;
        worker.unasked += answer.retain_asked(order.tests);
        answer.seen.iter_mut().for_each(|seen| seen.mark.process = worker.number);
        Ok(Account { seen: answer.seen, unrunnable: answer.unrunnable, touched: answer.touched, close })
    }

    fn pause(&self, worker: &mut JvmWorker) -> Closing {
        let used = worker.events.process().and_then(process::cpu_time).unwrap_or((0.0, 0.0));
        let total = Cost { user_seconds: used.0, system_seconds: used.1, ..Cost::default() };
        let cost = worker.share_of(total);
        worker.keep_log();
        Closing { cost, findings: worker.contradictions() }
    }

    fn end(&self, mut worker: JvmWorker) -> miette::Result<Closing> {
        let mut findings = Vec::new();
        worker.control = None;
        let mut was_stopped = worker.stop.is_set();
        if worker.over.is_none() {
            let left = self.bounds.deadline.saturating_duration_since(Instant::now());
            worker.over = next_end(&worker.ended, SHUTDOWN.min(left.max(Duration::from_secs(1))))?;
            if worker.over.is_none() {
                let text = "a test JVM did not end after its tests and was killed";
                findings.push(Finding::new(FindingKind::StrayProcesses, text));
                worker.stop()?;
                was_stopped = true;
            }
        }
        worker.keep_log();
        let Some(ended) = worker.over.take() else { return Ok(Closing::default()) };
        findings.extend(process_findings(&ended, &worker.log));
        findings.extend(worker.contradictions());
        if let (false, true, Cause::Exited, Exit::Signal(signal)) =
            (was_stopped, worker.events.is_done(), ended.cause, ended.exit)
        {
            let found = Contradiction::KilledAfterItsEnd(signal);
            findings.push(maven::contradiction(&format!("test process {}", worker.number), &found));
        }
        Ok(Closing { cost: worker.share_of(ended.cost), findings })
    }

    fn test(&self, position: usize) -> &TestId {
        self.tickets[position].id
    }

    fn next_order(&self) -> u64 {
        self.next_number()
    }
}

impl JvmWorker {
    /// What comes next answers this order; times count from `clock` on.
    pub fn expect(&mut self, order: u64, clock: Clock) {
        self.events.expect(order, clock);
    }

    /// Where its records cannot be what the runner wrote. A process that stays keeps them for all later runs.
    fn contradictions(&self) -> Vec<Finding> {
        let mut found = reconcile::damaged(&self.events.damage());
        found.extend((self.unasked > 0).then_some(Contradiction::UnaskedAnswers(self.unasked)));
        found.iter().map(|found| maven::contradiction(&format!("test process {}", self.number), found)).collect()
    }

    /// Ends the process, however that is done, and waits for it.
    fn stop(&mut self) -> miette::Result<()> {
        self.control = None;
        if self.over.is_none() {
            self.stop.set();
            self.over = Some(self.ended.recv().map_err(|_| unwatched())??);
        }
        Ok(())
    }

    /// What was used since the last run.
    fn share_of(&mut self, total: Cost) -> Cost {
        let paid = std::mem::replace(&mut self.paid, total);
        Cost {
            wall_seconds: 0.0,
            user_seconds: (total.user_seconds - paid.user_seconds).max(0.0),
            system_seconds: (total.system_seconds - paid.system_seconds).max(0.0),
            ..total
        }
    }

    fn how_it_ended(&self) -> String {
        match self.over.as_ref().map(|ended| (ended.cause, ended.exit)) {
            Some((Cause::OutOfMemory, _)) => "it was killed because the memory limit was reached".to_owned(),
            Some((_, Exit::Code(code))) => format!("exit code {code}"),
            Some((_, Exit::Signal(signal))) => format!("signal {signal}"),
            None => "the reason is not known".to_owned(),
        }
    }

    /// Gives the output its name. The log of a process that stays is part of the run that started it: where somebody has removed
    /// that run's logs since, it is not made again. What cannot be written is missed by nobody but a reader of logs.
    fn keep_log(&mut self) {
        let was_removed = self.is_log_kept && !self.log.exists();
        if !was_removed && let Err(error) = self.output.copy_to(&self.log) {
            tracing::warn!("{} cannot be written: {error}", self.log.display());
        }
        self.is_log_kept = true;
    }

    /// How it ended, and how its output begins, where a JVM that refuses to start says why.
    fn last_words(&self) -> String {
        let head = self.output.read_from(0, 8 << 10).unwrap_or_default();
        let text = String::from_utf8_lossy(&head);
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).take(3).collect();
        format!("{}: {} (see {})", self.how_it_ended(), lines.join("; "), self.log.display())
    }
}

impl Drop for JvmWorker {
    fn drop(&mut self) {
        self.control = None;
        if self.over.is_none() && matches!(self.ended.recv_timeout(GRACE), Err(RecvTimeoutError::Timeout)) {
            self.stop.set();
            let _ = self.ended.recv();
        }
        if let Some(trace) = &self.trace {
            // Without it nothing is known of what these tests cover, which is said of each.
            let _ = std::fs::rename(self.folder.join(TRACE), trace);
        }
        // It holds nothing that anyone needs; the session removes what is around it.
        let _ = crate::folder_handle::remove_all(&self.folder);
    }
}

fn watch(command: process::Command, stop: Interrupt) -> Receiver<miette::Result<Ended>> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        // Nobody waits any more where nobody is told.
        let _ = sender.send(process::run(&command, &stop));
    });
    receiver
}

fn next_end(ended: &Receiver<miette::Result<Ended>>, patience: Duration) -> miette::Result<Option<Ended>> {
    match ended.recv_timeout(patience) {
        Ok(ended) => ended.map(Some),
        Err(RecvTimeoutError::Timeout) => Ok(None),
        Err(RecvTimeoutError::Disconnected) => Err(unwatched()),
    }
}

fn unwatched() -> miette::Report {
    miette!("the thread that watched a test JVM failed")
}

/// Reading and writing, so that opening does not wait for the other side and its end is ours to say.
fn open_pipe(path: &Path) -> std::io::Result<File> {
    rustix::fs::mknodat(CWD, path, FileType::Fifo, Permissions::RUSR | Permissions::WUSR, 0)?;
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or(0);
    File::options().read(true).write(true).custom_flags(flags).open(path)
}
