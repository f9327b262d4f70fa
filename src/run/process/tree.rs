//! Processes as `/proc` shows them: who descends from whom, who carries a tag, and how to end them for certain.
//!
//! A process is its id *and* its start time. A signal goes out only after a pidfd was opened and both still agree, so
//! that a recycled process id is never hit.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};

use super::{Stray, TAG_VARIABLE};

/// How much of a command line is kept, in characters.
const COMMAND_LENGTH: usize = 200;

/// How often new processes are looked for while all known ones are being stopped.
const HOLD_ROUNDS: usize = 200;

const POLL: Duration = Duration::from_millis(5);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identity {
    pub pid: i32,
    /// Clock ticks since the machine booted.
    pub start: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Process {
    pub id: Identity,
    pub parent: i32,
    alive: bool,
}

impl Process {
    pub fn read(pid: i32) -> Option<Self> {
        parse_stat(&fs::read(folder(pid).join("stat")).ok()?)
    }

    pub fn stray(&self) -> Stray {
        Stray { pid: self.id.pid.unsigned_abs(), command: command_line(self.id.pid) }
    }
}

fn folder(pid: i32) -> PathBuf {
    PathBuf::from(format!("/proc/{pid}"))
}

/// The fields behind the command's name, which is in parentheses and may itself contain some.
pub fn parse_stat(stat: &[u8]) -> Option<Process> {
    let text = String::from_utf8_lossy(stat);
    let (pid, _) = text.split_once(' ')?;
    let fields: Vec<&str> = text[text.rfind(')')? + 1..].split_ascii_whitespace().collect();
    let threads: u64 = fields.get(17)?.parse().ok()?;
    // A process whose first thread has ended looks like a zombie while its other threads go on.
    let dead = matches!(*fields.first()?, "Z" | "X" | "x") && threads <= 1;
    Some(Process {
        id: Identity { pid: pid.parse().ok()?, start: fields.get(19)?.parse().ok()? },
        parent: fields.get(1)?.parse().ok()?,
        alive: !dead,
    })
}

fn command_line(pid: i32) -> String {
    let read = |name| fs::read(folder(pid).join(name)).unwrap_or_default();
    shown_command(&read("cmdline"), &read("comm"))
}

/// A process can clear its command line and its name.
fn shown_command(line: &[u8], name: &[u8]) -> String {
    let shown = [line, name].map(printable).into_iter().find(|shown| !shown.trim().is_empty());
    shown.unwrap_or_else(|| "a process without a name".to_owned())
}

fn printable(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_end_matches(['\0', '\n']);
    let mut shown: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(COMMAND_LENGTH).collect();
    if text.chars().nth(COMMAND_LENGTH).is_some() {
        shown.push('…');
    }
    shown
}

/// Every process there is, zombies included.
fn processes() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).filter_map(Process::read).collect()
}

/// All living processes below `root`, without itself.
pub fn descendants(root: u32) -> Vec<Process> {
    living_below(&processes(), root)
}

/// All living processes below `root` that are not these children nor below them.
pub fn descendants_but(root: u32, spared: &BTreeSet<i32>) -> Vec<Process> {
    let all = processes();
    let roots = HashSet::from([i32::try_from(root).unwrap_or(0)]);
    let others: Vec<Process> = all.into_iter().filter(|process| !spared.contains(&process.id.pid)).collect();
    below(&others, &roots).into_iter().filter(|process| process.alive).collect()
}

/// All living processes below `root`, and those that carry a tag wherever they are.
pub fn family(root: u32, tag: &[u8]) -> Vec<Process> {
    let all = processes();
    let mut found = living_below(&all, root);
    let known: HashSet<_> = found.iter().map(|process| process.id).collect();
    found.extend(carriers(&all, |other| other == tag).into_iter().filter(|process| !known.contains(&process.id)));
    found
}

fn living_below(all: &[Process], root: u32) -> Vec<Process> {
    let roots = HashSet::from([i32::try_from(root).unwrap_or(0)]);
    below(all, &roots).into_iter().filter(|process| process.alive).collect()
}

fn below(all: &[Process], roots: &HashSet<i32>) -> Vec<Process> {
    let mut children: HashMap<i32, Vec<Process>> = HashMap::new();
    for process in all {
        children.entry(process.parent).or_default().push(*process);
    }
    let mut found = Vec::new();
    let mut seen = roots.clone();
    let mut open: Vec<i32> = roots.iter().copied().collect();
    while let Some(pid) = open.pop() {
        for child in children.get(&pid).into_iter().flatten().filter(|child| seen.insert(child.id.pid)) {
            found.push(*child);
            open.push(child.id.pid);
        }
    }
    found
}

/// All living processes whose tag is accepted, and all below them. Never this process nor one that it descends from.
pub fn tagged(accept: impl Fn(&[u8]) -> bool) -> Vec<Process> {
    carriers(&processes(), accept)
}

fn carriers(all: &[Process], accept: impl Fn(&[u8]) -> bool) -> Vec<Process> {
    let own = lineage(all);
    let roots: HashSet<i32> = all
        .iter()
        .filter(|process| !own.contains(&process.id.pid) && tag(process.id.pid).is_some_and(|tag| accept(&tag)))
        .map(|process| process.id.pid)
        .collect();
    let marked = all.iter().filter(|process| roots.contains(&process.id.pid)).copied();
    let mut found: Vec<Process> = marked.chain(below(all, &roots)).collect();
    found.retain(|process| process.alive && !own.contains(&process.id.pid));
    found
}

/// This process and its ancestors.
fn lineage(all: &[Process]) -> HashSet<i32> {
    let parents: HashMap<i32, i32> = all.iter().map(|process| (process.id.pid, process.parent)).collect();
    let mut own = HashSet::new();
    let mut next = i32::try_from(std::process::id()).ok();
    while let Some(pid) = next.filter(|pid| own.insert(*pid)) {
        next = parents.get(&pid).copied();
    }
    own
}

fn tag(pid: i32) -> Option<Vec<u8>> {
    let environment = fs::read(folder(pid).join("environ")).ok()?;
    environment
        .split(|byte| *byte == 0)
        .find_map(|variable| Some(variable.strip_prefix(TAG_VARIABLE.as_bytes())?.strip_prefix(b"=")?.to_vec()))
}

/// Sends a signal to exactly this process. False if it is gone, or is not ours to signal.
pub fn signal(target: Identity, signal: Signal) -> bool {
    let Some(pid) = Pid::from_raw(target.pid) else { return false };
    let handle = pidfd_open(pid, PidfdFlags::empty());
    if Process::read(target.pid).is_none_or(|process| process.id != target) {
        return false;
    }
    match handle {
        Ok(handle) => pidfd_send_signal(handle, signal).is_ok(),
        // Kernels before 5.3 have no pidfds; the identity was checked just now.
        Err(rustix::io::Errno::NOSYS) => kill_process(pid, signal).is_ok(),
        Err(_) => false,
    }
}

/// Kills what `find` finds until it finds nothing. `Err` holds what still lives after `patience`.
pub fn kill_until_none(find: impl Fn() -> Vec<Process>, patience: Duration) -> Result<(), Vec<Process>> {
    let end = Instant::now() + patience;
    loop {
        if find().is_empty() {
            return Ok(());
        }
        hold(&find);
        let targets = find();
        for target in &targets {
            signal(target.id, Signal::KILL);
        }
        while !gone(&targets) {
            if Instant::now() > end {
                return Err(targets);
            }
            std::thread::sleep(POLL);
        }
    }
}

/// Stops everything before anything is killed, so that nothing can multiply faster than it is found.
fn hold(find: &impl Fn() -> Vec<Process>) {
    let mut held = HashSet::new();
    for _ in 0..HOLD_ROUNDS {
        let fresh: Vec<_> = find().into_iter().filter(|process| held.insert(process.id)).collect();
        if fresh.is_empty() {
            return;
        }
        for process in fresh {
            signal(process.id, Signal::STOP);
        }
    }
}

fn gone(targets: &[Process]) -> bool {
    targets.iter().all(|target| Process::read(target.id.pid).is_none_or(|now| now.id != target.id || !now.alive))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_does_not_shift_the_fields() {
        let stat = b"42 (a) S 1 (b)) R 7 42 42 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 3 0 991 1 2";
        let process = parse_stat(stat).unwrap();
        assert_eq!(process.id, Identity { pid: 42, start: 991 });
        assert_eq!((process.parent, process.alive), (7, true));
    }

    #[test]
    fn a_zombie_with_running_threads_is_alive() {
        let stat = |threads| format!("42 (x) Z 7 42 42 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 {threads} 0 991 1 2");
        assert!(!parse_stat(stat(1).as_bytes()).unwrap().alive);
        assert!(parse_stat(stat(2).as_bytes()).unwrap().alive);
    }

    #[test]
    fn a_process_that_cleared_its_command_line_still_has_a_name() {
        assert_eq!(shown_command(b"sleep\09\0", b"sleep\n"), "sleep 9");
        assert_eq!(shown_command(b"\0\0\0", b"hidden\n"), "hidden");
        assert_eq!(shown_command(b"", b" \n"), "a process without a name");
    }

    #[test]
    fn garbage_is_no_process() {
        for stat in ["", "42", "42 (x", "42 (x) R", "x (x) R 7 42 42 0 -1 4 1 2 3 4 5 6 7 8 20 0 1 0 991 1"] {
            assert_eq!(parse_stat(stat.as_bytes()), None, "{stat}");
        }
    }

    #[test]
    fn a_process_with_another_start_time_is_not_signalled() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let real = Process::read(i32::try_from(child.id()).unwrap()).unwrap().id;
        assert!(!signal(Identity { start: real.start + 1, ..real }, Signal::KILL));
        assert!(child.try_wait().unwrap().is_none());
        assert!(signal(real, Signal::KILL));
        child.wait().unwrap();
    }

    #[test]
    fn command_lines_are_printable_and_bounded() {
        assert_eq!(printable(b"java\0-jar\0a\x1b[2Jb\n.jar\0"), "java -jar a [2Jb .jar");
        assert_eq!(printable(&[b'x'; 1000]).chars().count(), COMMAND_LENGTH + 1);
    }
}
