//! One start of pytest: its command line, its surroundings, and what came back.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::PLUGIN;
use super::interpreter::Interpreter;
use crate::draft::ScratchFolder;
use crate::engine::{Mode, Parallelism};
use crate::file_error::file_error;
use crate::folder_handle;
use crate::process::{self, Account, CommandOutput, Ended, Interrupt, UnnamedOutput};
use crate::run_clock::Clock;

const LOG_LIMIT: u64 = 64 << 20;
const GRACE: Duration = Duration::from_secs(10);

/// What pytest is asked for.
#[derive(Debug, Clone, Copy)]
pub enum Task {
    /// Which tests there are.
    Collect,
    Run {
        parallelism: Parallelism,
        cores: usize,
    },
}

/// pytest, about to be started in a worktree.
pub struct Invocation<'a> {
    pub interpreter: &'a Interpreter,
    pub root: &'a Path,
    pub task: Task,
    /// Node ids in the order in which they are to run; nothing for all, as pytest has them.
    pub order: Option<Vec<&'a str>>,
    /// Where the log goes when pytest has ended; made anew then.
    pub folder: &'a Path,
    /// Where a folder is made for order and events. Its name tells tests nothing of what is measured.
    pub exchange: &'a Path,
    /// The subject's own variables.
    pub environment: &'a BTreeMap<String, String>,
    pub cores: Option<usize>,
    pub memory_bytes: Option<u64>,
    pub time_limit: Duration,
    pub tag: String,
    pub user: Option<&'a Account>,
}

/// What came back. The events are gone with it.
pub struct Invoked {
    pub ended: Ended,
    pub began: Clock,
    pub log: PathBuf,
    exchange: Exchange,
}

impl Invoked {
    pub fn events(&self) -> PathBuf {
        self.exchange.folder.join("events")
    }
}

struct Exchange {
    _scratch: ScratchFolder,
    folder: PathBuf,
}

impl Exchange {
    fn prepare(parent: &Path, order: Option<&[&str]>, user: Option<&Account>) -> miette::Result<Self> {
        let broken = |error| file_error(format_args!("{} cannot be prepared", parent.display()), &error);
        let scratch = ScratchFolder::make_in(parent)?;
        let folder = scratch.folder_for("files", None).map_err(broken)?;
        fs::create_dir(folder.join("events")).map_err(broken)?;
        fs::write(folder.join("parade_pytest.py"), PLUGIN).map_err(broken)?;
        if let Some(order) = order {
            let lines: Vec<String> = order.iter().map(|node| serde_json::json!(node).to_string()).collect();
            fs::write(folder.join("order"), lines.join("\n")).map_err(broken)?;
        }
        user.map_or(Ok(()), |user| user.take_over_all(&folder)).map_err(broken)?;
        Ok(Exchange { _scratch: scratch, folder })
    }
}

impl Invocation<'_> {
    pub fn run(&self, interrupt: &Interrupt) -> miette::Result<Invoked> {
        let exchange = Exchange::prepare(self.exchange, self.order.as_deref(), self.user)?;
        let output = UnnamedOutput::create_in(self.exchange)
            .map_err(|error| file_error(format_args!("no file can be made in {}", self.exchange.display()), &error))?;
        let command = process::Command {
            program: self.interpreter.program.clone(),
            args: arguments(self.task, self.interpreter.xdist.is_some(), self.root),
            dir: self.root.to_owned(),
            environment: self.surroundings(&exchange.folder),
            output: CommandOutput::Unnamed(output.clone()),
            output_limit: LOG_LIMIT,
            cores: self.cores,
            memory_bytes: self.memory_bytes,
            time_limit: self.time_limit,
            grace: GRACE,
            tag: self.tag.clone(),
            user: self.user.cloned(),
        };
        let began = Clock::now();
        let ended = process::run(&command, interrupt);
        let log = self.keep_log(&output)?;
        Ok(Invoked { ended: ended?, began, log, exchange })
    }

    /// Nothing of an earlier run is kept.
    fn keep_log(&self, output: &UnnamedOutput) -> miette::Result<PathBuf> {
        let log = self.folder.join("pytest.log");
        let cleared = match (self.folder.parent(), self.folder.file_name()) {
            (Some(parent), Some(name)) => folder_handle::make_unlinked(parent).and_then(|parent| parent.remove(name)),
            _ => Ok(()),
        };
        cleared.and_then(|()| output.copy_to(&log)).map_err(|error| {
            file_error(format_args!("the output of pytest cannot be written to {}", log.display()), &error)
        })?;
        Ok(log)
    }

    /// The plugin is found by `PYTHONPATH`, which workers inherit.
    fn surroundings(&self, exchange: &Path) -> BTreeMap<String, String> {
        let mut environment = environment(self.interpreter, self.user, self.environment);
        let exchange = exchange.to_string_lossy().into_owned();
        let own = environment.get("PYTHONPATH").filter(|path| !path.is_empty()).map(|path| format!(":{path}"));
        environment.insert("PYTHONPATH".to_owned(), format!("{exchange}{}", own.unwrap_or_default()));
        environment.insert("PARADE_PYTEST".to_owned(), exchange);
        environment
    }
}

/// What a Python of a project needs: its own programs first, and no traces in the worktree.
pub fn environment(
    interpreter: &Interpreter,
    user: Option<&Account>,
    own: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    let mut environment = process::base_environment();
    user.iter().for_each(|user| user.adapt(&mut environment));
    environment.extend(own.clone());
    let path = environment.get("PATH").cloned().unwrap_or_default();
    if let Some(folder) = interpreter.program.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        environment.insert("PATH".to_owned(), format!("{}:{path}", folder.display()));
    }
    environment.insert("PYTHONDONTWRITEBYTECODE".to_owned(), "1".to_owned());
    environment
}

/// Behind the project's own `addopts`, so what is said here counts. All tests run, however many fail.
fn arguments(task: Task, has_xdist: bool, root: &Path) -> Vec<OsString> {
    let mut arguments: Vec<String> =
        ["-m", "pytest", "-p", "parade_pytest", "-p", "no:cacheprovider", "-p", "no:randomly"]
            .map(str::to_owned)
            .to_vec();
    arguments.extend(["--color=no".to_owned(), "--maxfail=0".to_owned(), format!("--rootdir={}", root.display())]);
    match task {
        Task::Collect => {
            arguments.extend(one_process(has_xdist).into_iter().chain(["--collect-only", "-q"].map(str::to_owned)))
        }
        Task::Run { parallelism, cores } => arguments.extend(distribution(&parallelism, cores, has_xdist)),
    }
    arguments.into_iter().map(OsString::from).collect()
}

fn one_process(has_xdist: bool) -> Vec<String> {
    if has_xdist { ["-n0", "--dist", "no"].map(str::to_owned).to_vec() } else { Vec::new() }
}

fn distribution(parallelism: &Parallelism, cores: usize, has_xdist: bool) -> Vec<String> {
    let workers =
        |how: &str| vec!["-n".to_owned(), workers(parallelism, cores).to_string(), "--dist".to_owned(), how.to_owned()];
    match parallelism.mode {
        Mode::Sequential => one_process(has_xdist),
        Mode::Project => Vec::new(),
        Mode::Classes => workers("loadscope"),
        Mode::Methods | Mode::ClassesAndMethods => workers("load"),
    }
}

/// Threads and processes are the same here.
pub fn workers(parallelism: &Parallelism, cores: usize) -> u32 {
    parallelism.threads_at_once(cores).saturating_mul(parallelism.forks.on(cores)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Forks;

    fn told(task: Task, has_xdist: bool) -> String {
        let words = arguments(task, has_xdist, Path::new("/w"));
        words.into_iter().map(|word| word.into_string().unwrap()).collect::<Vec<_>>().join(" ")
    }

    fn run(mode: Mode, threads: u32, forks: Forks) -> String {
        let parallelism = Parallelism { mode, threads, forks, ..Parallelism::SEQUENTIAL };
        told(Task::Run { parallelism, cores: 4 }, true)
    }

    #[test]
    fn each_mode_has_its_distribution() {
        let one = Forks::Count(1);
        assert!(run(Mode::Sequential, 1, one).ends_with(" --rootdir=/w -n0 --dist no"));
        assert!(run(Mode::Classes, 3, one).ends_with(" -n 3 --dist loadscope"));
        assert!(run(Mode::Classes, 1, Forks::PerCore(1.0)).ends_with(" -n 4 --dist loadscope"));
        assert!(run(Mode::Methods, 2, Forks::Count(2)).ends_with(" -n 4 --dist load"));
        assert!(run(Mode::ClassesAndMethods, 2, one).ends_with(" -n 2 --dist load"));
        assert!(run(Mode::Project, 2, one).ends_with(" --rootdir=/w"), "the project's own addopts decide");
    }

    #[test]
    fn without_xdist_nothing_of_it_is_said() {
        let sequential = Task::Run { parallelism: Parallelism::SEQUENTIAL, cores: 4 };
        assert!(told(sequential, false).ends_with(" --rootdir=/w"));
        assert!(told(Task::Collect, false).ends_with(" --rootdir=/w --collect-only -q"));
        assert!(told(Task::Collect, true).contains(" -n0 --dist no --collect-only"));
        assert!(told(sequential, false).starts_with("-m pytest -p parade_pytest -p no:cacheprovider -p no:randomly"));
    }

    #[test]
    fn the_order_is_written_so_that_no_name_breaks_it() {
        let parent = tempfile::tempdir().unwrap();
        let exchange = Exchange::prepare(parent.path(), Some(&["a.py::t[x\ny]", "b.py::u"]), None).unwrap();
        let text = fs::read_to_string(exchange.folder.join("order")).unwrap();
        assert_eq!(text.lines().collect::<Vec<_>>(), [r#""a.py::t[x\ny]""#, r#""b.py::u""#]);
    }
}
