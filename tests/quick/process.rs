//! Commands run for real: what they may use, what they leave behind, and that nothing of them survives.
//!
//! All of it runs twice, the second time as on a machine without cgroups.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command as Spawn, Stdio};
use std::time::{Duration, Instant};

use parade::process::{self, Cause, Command, CommandOutput, Ended, Exit, Interrupt, Means, UnnamedOutput};
use tempfile::TempDir;

/// Names the folder for a process that only exists to be killed.
const VICTIM: &str = "PARADE_TEST_VICTIM";

/// Longer than any test takes; nothing waits for it.
const LONG: &str = "600";

struct Bench {
    folder: TempDir,
}

impl Bench {
    fn new() -> Self {
        process::keeper::use_program(env!("CARGO_BIN_EXE_parade"));
        Bench { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn tag(&self) -> String {
        format!("test-{}", self.folder.path().display())
    }

    fn command(&self, program: &str, args: &[&str]) -> Command {
        command_in(self.folder.path(), program, args)
    }

    /// A script for `sh`.
    fn sh(&self, script: &str) -> Command {
        self.command("sh", &["-c", script])
    }

    fn python(&self, script: &str) -> Command {
        self.command("python3", &["-c", script])
    }

    /// A folder that another user owns, in one that is ours.
    fn place_of(&self, user: &process::Account) -> PathBuf {
        let open =
            |path: &Path| fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        open(self.folder.path());
        let place = self.path("theirs");
        fs::create_dir(&place).unwrap();
        user.take_over(&place).unwrap();
        place
    }

    fn output(&self) -> String {
        fs::read_to_string(self.path("output")).unwrap()
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        process::kill_leftovers(&self.tag());
    }
}

fn command_in(folder: &Path, program: &str, args: &[&str]) -> Command {
    Command {
        program: PathBuf::from(program),
        args: args.iter().map(OsString::from).collect(),
        dir: folder.to_owned(),
        environment: BTreeMap::from([("PATH".to_owned(), std::env::var("PATH").unwrap())]),
        output: folder.join("output").into(),
        output_limit: 1 << 20,
        cores: None,
        memory_bytes: None,
        time_limit: Duration::from_secs(60),
        grace: Duration::from_secs(10),
        tag: format!("test-{}", folder.display()),
        user: None,
    }
}

fn run(command: &Command) -> Ended {
    process::run(command, &Interrupt::new()).unwrap()
}

fn without_cgroups() -> bool {
    std::env::var_os("PARADE_CGROUPS").is_some()
}

/// Waits for a file that a child writes, and reads it as a process id.
fn pid_in(file: &Path) -> u32 {
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        if let Some(pid) = fs::read_to_string(file).ok().and_then(|text| text.strip_suffix('\n')?.parse().ok()) {
            return pid;
        }
        assert!(Instant::now() < end, "{} was never written", file.display());
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn lives(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, fields)| !fields.starts_with(['Z', 'X']))
}

/// Starts a process that leaves its session and its parent, whose id it writes to `detached`.
const DETACH: &str = "\
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        if len(sys.argv) > 1: os.execve(sys.executable, ['python3', '-c', sys.argv[1]], {})
        with open('detached.new', 'w') as f: print(os.getpid(), file=f)
        os.rename('detached.new', 'detached')
        time.sleep(600)
    os._exit(0)
os.wait()
while not os.path.exists('detached'): time.sleep(0.01)
";

#[test]
fn an_output_without_a_name_tells_the_command_nothing() {
    let bench = Bench::new();
    let (neutral, log) = (bench.path("neutral"), bench.path("logs/the-configuration/log"));
    fs::create_dir(&neutral).unwrap();
    let output = UnnamedOutput::create_in(&neutral).unwrap();
    let looks = "ls -l /proc/$PPID/fd /proc/$$/fd 2>&1; cat /proc/$PPID/cmdline /proc/$PPID/environ 2>&1; echo done";
    let command = Command { output: CommandOutput::Unnamed(output.clone()), ..bench.sh(looks) };
    let ended = process::run(&command, &Interrupt::new()).unwrap();
    assert_eq!(ended.exit, Exit::Code(0));
    assert!(!bench.path("logs").exists(), "nothing shows before its time");
    output.copy_to(&log).unwrap();
    let said = fs::read_to_string(&log).unwrap();
    assert!(said.ends_with("done\n") && !said.contains("the-configuration"), "{said}");
    assert_eq!(fs::read_dir(&neutral).unwrap().count(), 0);
}

#[test]
fn exit_and_output_are_reported() {
    let bench = Bench::new();
    let ended = run(&bench.sh("echo out; echo err >&2; exit 7"));
    assert_eq!((ended.exit, ended.cause), (Exit::Code(7), Cause::Exited));
    assert_eq!(bench.output(), "out\nerr\n");
    assert!(!ended.output_cut);
    assert_eq!(ended.strays, []);
    assert!(ended.cost.wall_seconds > 0.0);
    assert_eq!(run(&bench.sh("kill -9 $$")).exit, Exit::Signal(9));
}

#[test]
fn a_command_has_its_own_session_and_an_empty_standard_input() {
    let bench = Bench::new();
    run(&bench.python(
        "import os; print(os.getsid(0) == os.getpid(), repr(os.read(0, 1)), len(os.listdir('/proc/self/fd')))",
    ));
    assert_eq!(bench.output(), "True b'' 4\n");
}

#[test]
fn the_environment_is_what_was_given() {
    let bench = Bench::new();
    let mut command = bench.command("env", &[]);
    command.environment.insert("GIVEN".into(), "a b\nc".into());
    run(&command);
    let path = std::env::var("PATH").unwrap();
    assert_eq!(bench.output(), format!("GIVEN=a b\nc\nPARADE_TAG={}\nPATH={path}\n", bench.tag()));
}

#[test]
fn arguments_arrive_whatever_their_bytes() {
    use std::os::unix::ffi::OsStringExt;
    let bench = Bench::new();
    let mut command = bench.command("printf", &["%s|"]);
    let hostile = [b"$(id)".to_vec(), b"a b\n'\"".to_vec(), vec![0xff, 0xfe]];
    command.args.extend(hostile.iter().cloned().map(OsString::from_vec));
    run(&command);
    let expected: Vec<u8> = hostile.iter().flat_map(|arg| [arg.as_slice(), b"|"].concat()).collect();
    assert_eq!(fs::read(bench.path("output")).unwrap(), expected);
}

/// Someone else, where parade may run commands as someone else.
fn nobody() -> Option<process::Account> {
    if let Some(why) = process::missing_privileges() {
        println!("skipped, as commands cannot be run as another user: {why}");
        return None;
    }
    process::other_user("nobody").unwrap()
}

#[test]
fn a_command_runs_as_another_user_and_still_dies_with_its_keeper() {
    let bench = Bench::new();
    let Some(user) = nobody() else { return };
    let place = bench.place_of(&user);
    let script = "import ctypes, os; signal = ctypes.c_int(); ctypes.CDLL(None).prctl(2, ctypes.byref(signal))\n\
                  print(os.getresuid(), os.getresgid(), sorted(os.getgroups()), signal.value)\n\
                  open('mine', 'w').close()";
    let command = Command { user: Some(user.clone()), dir: place.clone(), ..bench.python(script) };
    let ended = run(&command);
    assert_eq!((ended.exit, ended.cause), (Exit::Code(0), Cause::Exited), "{}", bench.output());
    let (uid, gid) = (user.uid, user.gid);
    let mut groups = user.groups;
    groups.sort_unstable();
    let expected = format!("({uid}, {uid}, {uid}) ({gid}, {gid}, {gid}) {groups:?} 9\n");
    assert_eq!(bench.output(), expected);
    let owner = std::os::unix::fs::MetadataExt::uid(&fs::metadata(place.join("mine")).unwrap());
    assert_eq!(owner, uid);
}

#[test]
fn another_users_processes_are_killed_too() {
    let bench = Bench::new();
    let Some(user) = nobody() else { return };
    let place = bench.place_of(&user);
    let script = format!("{DETACH}\n");
    let command = Command { user: Some(user), dir: place.clone(), ..bench.python(&script) };
    let ended = run(&command);
    assert_eq!(ended.strays.len(), 1, "{:?} {}", ended, bench.output());
    assert!(!lives(pid_in(&place.join("detached"))));
}

#[test]
fn no_log_is_written_where_the_command_could_lead_it_elsewhere() {
    let bench = Bench::new();
    let Some(user) = nobody() else { return };
    let place = bench.place_of(&user);
    let output = place.join("output");
    let command = Command { user: Some(user), output: output.clone().into(), ..bench.sh("exit 0") };
    let error = process::run(&command, &Interrupt::new()).unwrap_err();
    assert!(error.to_string().contains("which nobody can write"), "{error}");
    assert!(!output.exists());
}

#[test]
fn a_time_out_kills_a_grandchild_that_ignores_the_warning() {
    let bench = Bench::new();
    let stubborn = format!("trap '' TERM; echo $$ > child; while :; do sleep {LONG}; done");
    let mut command = bench.sh(&format!("trap '' TERM; sh -c \"{}\" & wait; wait", stubborn.replace('$', "\\$")));
    command.time_limit = Duration::from_millis(700);
    command.grace = Duration::from_millis(200);
    let ended = run(&command);
    assert_eq!((ended.exit, ended.cause), (Exit::Signal(9), Cause::TimedOut));
    assert!(!lives(pid_in(&bench.path("child"))));
}

#[test]
fn a_warned_command_may_end_by_itself() {
    let bench = Bench::new();
    let mut command = bench.python(
        "import signal, sys, time\n\
         signal.signal(signal.SIGTERM, lambda *_: (print('bye'), sys.exit(5)))\n\
         print('ready', flush=True)\n\
         while True: time.sleep(600)",
    );
    command.time_limit = Duration::from_secs(1);
    let ended = run(&command);
    assert_eq!((ended.exit, ended.cause), (Exit::Code(5), Cause::TimedOut));
    assert_eq!(bench.output(), "ready\nbye\n");
}

#[test]
fn a_detached_process_is_found_killed_and_named() {
    let bench = Bench::new();
    let ended = run(&bench.python(DETACH));
    let detached = pid_in(&bench.path("detached"));
    assert_eq!((ended.exit, ended.cause), (Exit::Code(0), Cause::Exited));
    assert_eq!(ended.strays.iter().map(|stray| stray.pid).collect::<Vec<_>>(), [detached]);
    assert!(ended.strays[0].command.contains("python3 -c import os"), "{:?}", ended.strays);
    assert!(!lives(detached));
}

#[test]
fn a_detached_process_without_the_tag_is_found_too() {
    let bench = Bench::new();
    let mut command = bench.python(DETACH);
    command.args.push(
        "import os, time\n\
         with open('detached.new', 'w') as f: print(os.getpid(), file=f)\n\
         os.rename('detached.new', 'detached')\n\
         time.sleep(600)"
            .into(),
    );
    let ended = run(&command);
    let detached = pid_in(&bench.path("detached"));
    assert_eq!(ended.strays.iter().map(|stray| stray.pid).collect::<Vec<_>>(), [detached]);
    assert!(!lives(detached));
}

#[test]
fn what_ends_with_the_command_is_no_stray() {
    let bench = Bench::new();
    let ended = run(&bench.sh("sleep 0.05 & exit 0"));
    assert_eq!(ended.strays, []);
}

#[test]
fn processes_that_multiply_are_ended() {
    let bench = Bench::new();
    let mut command = bench.python(
        "import os, time\n\
         for _ in range(3): os.fork()\n\
         while True:\n\
         \x20   if os.fork() == 0: time.sleep(0.02)\n\
         \x20   else: os._exit(0)",
    );
    // The command itself ends at once, its offspring never does.
    command.time_limit = Duration::from_secs(30);
    let ended = run(&command);
    assert_eq!(ended.cause, Cause::Exited);
    assert_eq!(process::kill_leftovers(&bench.tag()), []);
}

/// As many as it can get, each waiting for ever; tells how many it got.
const BOMB: &str = "\
import os, time
count = 0
try:
    while count < 300:
        if os.fork() == 0: time.sleep(600)
        count += 1
except OSError: pass
print(count, flush=True)
";

#[test]
fn a_command_that_forks_without_end_gets_so_many_processes_and_loses_them_all() {
    if std::env::var_os("PARADE_MAX_TASKS").is_none() {
        // The limit is the environment's, which tests in one process share.
        let test = "a_command_that_forks_without_end_gets_so_many_processes_and_loses_them_all";
        let output = Spawn::new(std::env::current_exe().unwrap())
            .args(["--exact", &format!("process::{test}"), "--nocapture"])
            .env("PARADE_MAX_TASKS", "100")
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        return;
    }
    let bench = Bench::new();
    let mut command = bench.python(&format!("{BOMB}time.sleep(600)"));
    command.time_limit = Duration::from_secs(5);
    command.grace = Duration::from_millis(100);
    let ended = run(&command);
    let count: u32 = bench.output().trim().parse().unwrap();
    assert_eq!((ended.cause, process::kill_leftovers(&bench.tag())), (Cause::TimedOut, vec![]));
    if ended.tasks_refused {
        assert!((50..100).contains(&count), "{count}");
    } else {
        assert_eq!(count, 300, "nobody counts where there are no cgroups");
    }
}

#[test]
fn an_interrupt_ends_the_command() {
    let bench = Bench::new();
    let interrupt = Interrupt::new();
    let command = bench.sh(&format!("echo $$ > child; exec sleep {LONG}"));
    let child = bench.path("child");
    let ended = std::thread::scope(|scope| {
        let running = scope.spawn(|| process::run(&command, &interrupt).unwrap());
        let pid = pid_in(&child);
        assert!(lives(pid));
        interrupt.set();
        running.join().unwrap()
    });
    assert_eq!((ended.exit, ended.cause), (Exit::Signal(15), Cause::Interrupted));
    assert!(!lives(pid_in(&child)));
}

#[test]
fn a_memory_eater_is_stopped() {
    let bench = Bench::new();
    let mut command = bench.python(
        "import time\n\
         hoard = []\n\
         while True:\n\
         \x20   hoard.append(bytearray(b'x' * (4 << 20)))\n\
         \x20   if len(hoard) > 256: time.sleep(600)",
    );
    command.memory_bytes = Some(128 << 20);
    let ended = run(&command);
    assert_eq!((ended.exit, ended.cause), (Exit::Signal(9), Cause::OutOfMemory));
    assert!(ended.cost.peak_memory_bytes.unwrap() > 64 << 20, "{:?}", ended.cost);
}

#[test]
fn a_child_that_runs_out_of_memory_is_told_from_a_plain_failure() {
    let bench = Bench::new();
    let mut command =
        bench.sh("python3 -c \"b = bytearray(b'x' * (512 << 20)); import time; time.sleep(600)\"; exit 3");
    command.memory_bytes = Some(128 << 20);
    assert_eq!(run(&command).cause, Cause::OutOfMemory);
}

#[test]
fn peak_memory_is_that_of_all_processes_together() {
    let bench = Bench::new();
    let hoard = "python3 -c \"b = bytearray(b'x' * (64 << 20)); import time; time.sleep(2)\"";
    let ended = run(&bench.sh(&format!("{hoard} & {hoard} & wait")));
    let peak = ended.cost.peak_memory_bytes.unwrap();
    assert!((128 << 20..256 << 20).contains(&peak), "{peak}");
}

#[test]
fn huge_output_is_bounded() {
    let bench = Bench::new();
    let mut command = bench.sh("echo first; head -c 100000000 /dev/zero | tr '\\0' 'x'; echo; echo last");
    command.output_limit = 100_000;
    let ended = run(&command);
    let output = bench.output();
    assert!(ended.output_cut);
    assert!(output.starts_with("first\nxxx") && output.ends_with("xxx\nlast\n"));
    assert!(output.contains("\n[parade cut 99900012 bytes of output here]\n"), "{}", output.len());
    assert!(output.len() < 100_100);
}

#[test]
fn output_that_cannot_be_written_is_an_error_that_names_the_file() {
    let bench = Bench::new();
    let mut command = bench.sh(&format!("echo $$ > child; echo text; exec sleep {LONG}"));
    command.output = PathBuf::from("/dev/full").into();
    let error = process::run(&command, &Interrupt::new()).unwrap_err();
    assert!(error.to_string().contains("/dev/full"), "{error}");
    assert!(!lives(pid_in(&bench.path("child"))));
}

#[test]
fn a_command_that_cannot_start_is_an_error_that_names_it() {
    let bench = Bench::new();
    let missing = process::run(&bench.command("no-such-program", &[]), &Interrupt::new()).unwrap_err();
    assert!(missing.to_string().contains("no-such-program"), "{missing}");
    let mut nowhere = bench.sh("true");
    nowhere.dir = bench.path("no-such-folder");
    let nowhere = process::run(&nowhere, &Interrupt::new()).unwrap_err();
    assert!(nowhere.to_string().contains("no-such-folder"), "{nowhere}");
    let mut unwritable = bench.sh("true");
    unwritable.output = bench.path("no-such-folder/output").into();
    let unwritable = process::run(&unwritable, &Interrupt::new()).unwrap_err();
    assert!(unwritable.to_string().contains("no-such-folder/output"), "{unwritable}");
}

#[test]
fn a_command_sees_only_its_cores() {
    let bench = Bench::new();
    let mut command = bench.sh("nproc; sh -c nproc");
    command.cores = Some(1);
    run(&command);
    assert_eq!(bench.output(), "1\n1\n");
}

#[test]
fn cpu_time_of_descendants_is_counted() {
    let bench = Bench::new();
    let busy = "import os, time\n\
                end = time.process_time() + 0.5\n\
                while time.process_time() < end: pass\n";
    let detached = format!(
        "import os\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        {}\n        open('done', 'w')\n    os._exit(0)\nos.wait()\nimport time\nwhile not os.path.exists('done'): time.sleep(0.01)",
        busy.trim().replace('\n', "\n        ")
    );
    let ended = run(&bench.python(&detached));
    let cpu = ended.cost.user_seconds + ended.cost.system_seconds;
    assert!((0.5..5.0).contains(&cpu), "{:?}", ended.cost);
    assert!(ended.cost.voluntary_switches.is_some_and(|switches| switches > 0));
}

#[test]
fn leftovers_are_found_by_the_beginning_of_their_tag() {
    let bench = Bench::new();
    let mut child =
        Spawn::new("sleep").arg(LONG).env("PARADE_TAG", format!("{}/trial-1", bench.tag())).spawn().unwrap();
    let mut other = Spawn::new("sleep").arg(LONG).env("PARADE_TAG", "another run").spawn().unwrap();
    let killed = process::kill_leftovers(&bench.tag());
    assert_eq!(killed.iter().map(|stray| stray.pid).collect::<Vec<_>>(), [child.id()]);
    assert_eq!(killed[0].command, format!("sleep {LONG}"));
    child.wait().unwrap();
    assert!(other.try_wait().unwrap().is_none());
    assert_eq!(process::kill_leftovers(""), []);
    assert!(other.try_wait().unwrap().is_none());
    other.kill().unwrap();
    other.wait().unwrap();
}

#[test]
fn a_killed_keeper_takes_the_whole_tree_with_it() {
    let bench = Bench::new();
    let command = bench.sh(&format!("echo $PPID > keeper; setsid sleep {LONG} & echo $! > child; wait"));
    let (keeper, child) = (bench.path("keeper"), bench.path("child"));
    let (error, groups) = std::thread::scope(|scope| {
        let running = scope.spawn(|| process::run(&command, &Interrupt::new()).unwrap_err());
        assert!(lives(pid_in(&child)));
        let groups = group_of(pid_in(&child));
        let status = Spawn::new("kill").args(["-9", &pid_in(&keeper).to_string()]).status().unwrap();
        assert!(status.success());
        (running.join().unwrap(), groups)
    });
    assert!(error.to_string().contains("keeper"), "{error}");
    assert!(!lives(pid_in(&child)));
    groups.iter().for_each(|group| assert_no_groups(group));
}

/// Not a test by itself: the process that others start in order to kill or interrupt it. It writes down how its command
/// ended.
#[test]
fn victim() {
    let Some(folder) = std::env::var_os(VICTIM) else { return };
    process::keeper::use_program(env!("CARGO_BIN_EXE_parade"));
    let folder = Path::new(&folder);
    if std::env::var_os("PARADE_TEST_BETRAYED").is_some() {
        return be_betrayed(folder);
    }
    let interrupt = Interrupt::install().unwrap();
    let script = format!("{}{DETACH}\nopen('running', 'w').write('1\\n')\ntime.sleep({LONG})", preparation());
    let ended = process::run(&command_in(folder, "python3", &["-c", &script]), &interrupt).unwrap();
    fs::write(folder.join("ended"), format!("{:?}", ended.cause)).unwrap();
}

/// A process that leaves its session, its environment and its control groups, and kills its keeper.
const TRAITOR: &str = "
import glob, os, sys, time
keeper = os.getppid()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for door in glob.glob('/sys/fs/cgroup/cgroup.procs') + glob.glob('/sys/fs/cgroup/*/cgroup.procs'):
            try: open(door, 'w').write(str(os.getpid()))
            except OSError: pass
        script = 'import os, time; os.kill(%d, 9); open(\\'traitor\\', \\'w\\').write(str(os.getpid()) + chr(10)); time.sleep(600)' % keeper
        os.execve(sys.executable, [sys.executable, '-c', script], {})
    os._exit(0)
time.sleep(600)
";

fn be_betrayed(folder: &Path) {
    process::adopt_orphans();
    let error = process::run(&command_in(folder, "python3", &["-c", TRAITOR]), &Interrupt::new()).unwrap_err();
    fs::write(folder.join("ended"), error.to_string()).unwrap();
}

#[test]
fn who_hides_and_kills_the_keeper_is_found_all_the_same() {
    let bench = Bench::new();
    let mut parent = start_victim(&bench).env("PARADE_TEST_BETRAYED", "1").spawn().unwrap();
    assert!(parent.wait().unwrap().success());
    let traitor = fs::read_to_string(bench.path("traitor")).unwrap_or_default().trim().parse().unwrap_or(0);
    let ended = fs::read_to_string(bench.path("ended")).unwrap();
    assert!(ended.contains("the keeper of python3 failed: it was killed"), "{ended}");
    assert!(ended.contains("processes that it left behind were killed"), "{ended}");
    assert!(traitor == 0 || !lives(traitor), "{ended}");
    assert_nothing_of(&bench, parent.id());
}

/// Makes the victim's command deaf to SIGTERM if asked to.
fn preparation() -> &'static str {
    match std::env::var_os("PARADE_TEST_DEAF") {
        Some(_) => "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n",
        None => "",
    }
}

fn start_victim(bench: &Bench) -> Spawn {
    let mut victim = Spawn::new(std::env::current_exe().unwrap());
    victim.args(["--exact", "process::victim", "--nocapture"]).env(VICTIM, bench.folder.path());
    victim.stdout(Stdio::null()).stderr(Stdio::null());
    victim
}

fn send(signal: &str, pid: u32) {
    assert!(Spawn::new("kill").args([signal, &pid.to_string()]).status().unwrap().success());
}

#[test]
fn killing_parade_leaves_nothing_alive() {
    let bench = Bench::new();
    let mut parent = start_victim(&bench).spawn().unwrap();
    pid_in(&bench.path("running"));
    assert!(lives(pid_in(&bench.path("detached"))));
    parent.kill().unwrap();
    parent.wait().unwrap();
    assert_nothing_of(&bench, parent.id());
}

#[test]
fn parade_may_be_killed_at_any_moment() {
    for step in 0..8 {
        let bench = Bench::new();
        let mut parent = start_victim(&bench).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(step * 13));
        parent.kill().unwrap();
        parent.wait().unwrap();
        assert_nothing_of(&bench, parent.id());
    }
}

#[test]
fn what_survives_parade_and_keeper_is_a_leftover() {
    let bench = Bench::new();
    let mut parent = start_victim(&bench).spawn().unwrap();
    pid_in(&bench.path("running"));
    let detached = pid_in(&bench.path("detached"));
    let keeper = keeper_of(parent.id());
    // Stopped, so that neither can clean up after the other.
    send("-STOP", keeper);
    parent.kill().unwrap();
    parent.wait().unwrap();
    send("-KILL", keeper);
    let killed = process::kill_leftovers(&bench.tag());
    // With cgroups, any other test's command may have cleared it away already.
    assert!(!without_cgroups() || killed.iter().any(|stray| stray.pid == detached), "{killed:?}");
    assert_nothing_of(&bench, parent.id());
}

#[test]
fn a_signal_ends_the_command_and_parade_goes_on() {
    for signal in ["-INT", "-TERM"] {
        let bench = Bench::new();
        let mut parent = start_victim(&bench).spawn().unwrap();
        pid_in(&bench.path("running"));
        send(signal, parent.id());
        assert!(parent.wait().unwrap().success());
        assert_eq!(fs::read_to_string(bench.path("ended")).unwrap(), "Interrupted");
        assert_nothing_of(&bench, parent.id());
    }
}

#[test]
fn a_second_signal_does_not_wait() {
    let bench = Bench::new();
    let mut parent = start_victim(&bench).env("PARADE_TEST_DEAF", "1").spawn().unwrap();
    pid_in(&bench.path("running"));
    send("-INT", parent.id());
    std::thread::sleep(Duration::from_millis(300));
    assert!(parent.try_wait().unwrap().is_none());
    send("-INT", parent.id());
    assert_eq!(parent.wait().unwrap().code(), Some(130));
    assert_nothing_of(&bench, parent.id());
}

/// The one child of a process.
fn keeper_of(parent: u32) -> u32 {
    let children = fs::read_dir(format!("/proc/{parent}/task")).unwrap().flatten();
    let mut listed = children.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    listed.find_map(|text| text.split_whitespace().next()?.parse().ok()).unwrap()
}

/// Neither the command's processes, nor the keeper, nor a cgroup.
fn assert_nothing_of(bench: &Bench, parent: u32) {
    let marks = [format!("PARADE_TAG={}", bench.tag()), format!("{VICTIM}={}", bench.folder.path().display())];
    let end = Instant::now() + Duration::from_secs(20);
    while marks.iter().any(|mark| carriers(mark) > 0) {
        assert!(Instant::now() < end, "something survived");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_no_groups(&format!("parade-{parent}-"));
}

/// The name of the cgroup that parade made for a process.
fn group_of(pid: u32) -> Option<String> {
    let groups = fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap();
    groups.lines().find_map(|line| Some(line.rsplit('/').next()?.to_owned()).filter(|name| name.starts_with("parade-")))
}

/// How many processes have this variable in their environment.
fn carriers(wanted: &str) -> usize {
    let environments =
        fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| fs::read(entry.path().join("environ")).ok());
    environments.filter(|environment| environment.split(|byte| *byte == 0).any(|v| v == wanted.as_bytes())).count()
}

/// How many cgroups have a name that begins so.
fn groups_named(prefix: &str, below: &Path) -> usize {
    let Ok(entries) = fs::read_dir(below) else { return 0 };
    let folders = entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders
        .map(|entry| {
            usize::from(entry.file_name().to_string_lossy().starts_with(prefix)) + groups_named(prefix, &entry.path())
        })
        .sum()
}

fn assert_no_groups(prefix: &str) {
    let end = Instant::now() + Duration::from_secs(20);
    while groups_named(prefix, Path::new("/sys/fs/cgroup")) > 0 {
        assert!(Instant::now() < end, "cgroups {prefix} were left behind");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn the_machine_is_probed_by_trying() {
    Bench::new();
    let support = process::probe();
    for ability in &support.abilities {
        assert_eq!(ability.present, ability.consequence.is_none(), "{ability:?}");
        assert_eq!(ability.present, ability.fix.is_none(), "{ability:?}");
        assert!(!ability.how.is_empty());
    }
    let limit = support.abilities.iter().find(|ability| ability.name == "memory_limit").unwrap();
    if without_cgroups() {
        assert!(!limit.present);
    }
    let bench = Bench::new();
    let accounting = run(&bench.sh("true")).accounting;
    assert_eq!(limit.present, accounting.memory_limit != Means::Processes);
}

#[test]
fn everything_holds_without_cgroups() {
    if without_cgroups() {
        return;
    }
    let again = Spawn::new(std::env::current_exe().unwrap())
        .args(["process::", "--skip", "everything_holds_without_cgroups"])
        .env("PARADE_CGROUPS", "off")
        .output()
        .unwrap();
    assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stdout));
}
