//! The ways to run a suite in parallel that an assessment tries, and how each is called: in an experiment file, in a pom, on
//! the command line.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::engine::{Forks, Mode, Parallelism};
use crate::project::Words;
use crate::wording::counted;

/// A way to run the suite, besides one test after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ParallelMode {
    /// As the project itself has it: what happens today.
    Project,
    /// Several processes, each with one class at a time.
    Forks,
    /// Several modules at once.
    Modules,
    Classes,
    ClassesAndMethods,
    Methods,
}

/// What a mode does on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ModeInWords {
    pub mode: &'static str,
    /// In one JVM; nothing where the mode has none of its own.
    pub threads: Option<usize>,
    /// Test JVMs at a time, where there are several.
    pub processes: Option<usize>,
    pub explained: String,
}

/// The baseline's name among the configurations.
pub const SEQUENTIAL: &str = "sequential";

impl ParallelMode {
    /// The safer ones first: what shares less can break less.
    pub const ALL: [ParallelMode; 6] = [
        ParallelMode::Project,
        ParallelMode::Forks,
        ParallelMode::Modules,
        ParallelMode::Classes,
        ParallelMode::ClassesAndMethods,
        ParallelMode::Methods,
    ];

    /// Also the name of its configuration.
    pub fn name(self) -> &'static str {
        match self {
            ParallelMode::Project => "project",
            ParallelMode::Forks => "forks",
            ParallelMode::Modules => "modules",
            ParallelMode::Classes => "classes",
            ParallelMode::ClassesAndMethods => "classesAndMethods",
            ParallelMode::Methods => "methods",
        }
    }

    pub fn of_name(name: &str) -> Option<ParallelMode> {
        ParallelMode::ALL.into_iter().find(|way| way.name() == name)
    }

    /// What it does on a machine of so many cores: which tests run at the same time, and where.
    pub fn explained(self, threads_per_core: usize, cores: usize, words: &Words) -> String {
        let threads = counted(threads_per_core * cores, "thread", "threads");
        let process = words.process;
        match self {
            ParallelMode::Project if words.has_threads => format!("as the {} says", words.settings),
            ParallelMode::Project => format!("as the {} say", words.settings),
            ParallelMode::Forks => {
                format!("each test class in one of {}", counted(cores, words.process, words.processes))
            }
            ParallelMode::ClassesAndMethods if !words.has_threads => {
                let processes = counted(threads_per_core * cores, words.process, words.processes);
                format!("{processes}, one test function each, of any class")
            }
            ParallelMode::Modules => {
                format!("{} at a time, each in its own {}", counted(cores, "module", "modules"), words.process)
            }
            ParallelMode::Classes => format!("{threads} in one {process}, one test class each"),
            ParallelMode::ClassesAndMethods => {
                format!("{threads} in one {process}, one test method each, of any class")
            }
            ParallelMode::Methods => format!("{threads} in one {process}, one test method each, class after class"),
        }
    }

    /// The same with its numbers.
    pub fn in_words(self, threads_per_core: usize, cores: usize, words: &Words) -> ModeInWords {
        let has_threads = self.has_threads() && words.has_threads;
        let as_many_processes = self.has_threads().then_some(threads_per_core * cores).filter(|_| !words.has_threads);
        ModeInWords {
            mode: self.name(),
            threads: has_threads.then_some(threads_per_core * cores),
            processes: matches!(self, ParallelMode::Forks | ParallelMode::Modules)
                .then_some(cores)
                .or(as_many_processes),
            explained: self.explained(threads_per_core, cores, words),
        }
    }

    /// What an engine has to support for it.
    pub fn mode(self) -> Mode {
        match self {
            ParallelMode::Project => Mode::Project,
            ParallelMode::Modules => Mode::Sequential,
            ParallelMode::Forks | ParallelMode::Classes => Mode::Classes,
            ParallelMode::ClassesAndMethods => Mode::ClassesAndMethods,
            ParallelMode::Methods => Mode::Methods,
        }
    }

    /// The same as an engine takes it.
    pub fn parallelism(self, threads_per_core: u32) -> Parallelism {
        let each_core = Forks::PerCore(1.0);
        let plain = Parallelism { mode: self.mode(), ..Parallelism::SEQUENTIAL };
        match self {
            ParallelMode::Project => plain,
            ParallelMode::Forks => Parallelism { forks: each_core, ..plain },
            ParallelMode::Modules => Parallelism { modules: Some(each_core), ..plain },
            ParallelMode::Classes | ParallelMode::ClassesAndMethods | ParallelMode::Methods => {
                Parallelism { threads: threads_per_core, threads_per_core: true, ..plain }
            }
        }
    }

    /// Does it have threads inside a process?
    pub fn has_threads(self) -> bool {
        matches!(self, ParallelMode::Classes | ParallelMode::ClassesAndMethods | ParallelMode::Methods)
    }

    /// Its configuration in an experiment file.
    pub fn configuration(self, threads_per_core: u32, rerun_engine: Option<&str>) -> String {
        let settings = match self {
            ParallelMode::Project => "technique = \"parallel\"\nparallel = \"project\"\n".to_owned(),
            ParallelMode::Forks => {
                format!("{}parallel = \"classes\"\nthreads = 1\nforks = \"1C\"\n", repaired(rerun_engine))
            }
            ParallelMode::Modules => format!("{}modules = \"1C\"\n", repaired(rerun_engine)),
            ParallelMode::Classes | ParallelMode::ClassesAndMethods | ParallelMode::Methods => format!(
                "{}parallel = \"{}\"\nthreads = {threads_per_core}\nthreads_per_core = true\n",
                repaired(rerun_engine),
                self.mode()
            ),
        };
        format!("[[configuration]]\nname = \"{}\"\n{settings}\n", self.name())
    }
}

/// Where nothing fails, PASTE is the parallel run and nothing else.
fn repaired(rerun_engine: Option<&str>) -> String {
    let by = rerun_engine.map(|engine| format!("rerun_engine = \"{engine}\"\n")).unwrap_or_default();
    format!("technique = \"paste\"\n{by}")
}

impl fmt::Display for ParallelMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_is_known_by_its_name() {
        for way in ParallelMode::ALL {
            assert_eq!(ParallelMode::of_name(way.name()), Some(way));
            assert_eq!(serde_json::to_value(way).unwrap(), way.name());
        }
        assert_eq!(ParallelMode::of_name(SEQUENTIAL), None);
    }
}
