//! The ways to run a suite in parallel that an assessment tries, and how each is called: in an experiment file, in a pom, on
//! the command line.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::engine::Mode;

/// A way to run the suite, besides one test after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Way {
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

/// The baseline's name among the configurations.
pub const SEQUENTIAL: &str = "sequential";

impl Way {
    /// The safer ones first: what shares less can break less.
    pub const ALL: [Way; 6] =
        [Way::Project, Way::Forks, Way::Modules, Way::Classes, Way::ClassesAndMethods, Way::Methods];

    /// Also the name of its configuration.
    pub fn name(self) -> &'static str {
        match self {
            Way::Project => "project",
            Way::Forks => "forks",
            Way::Modules => "modules",
            Way::Classes => "classes",
            Way::ClassesAndMethods => "classesAndMethods",
            Way::Methods => "methods",
        }
    }

    pub fn of_name(name: &str) -> Option<Way> {
        Way::ALL.into_iter().find(|way| way.name() == name)
    }

    /// In a sentence.
    pub fn described(self) -> &'static str {
        match self {
            Way::Project => "as the project has it",
            Way::Forks => "classes in one process per core",
            Way::Modules => "modules at the same time",
            Way::Classes => "classes at the same time",
            Way::ClassesAndMethods => "classes and their tests at the same time",
            Way::Methods => "the tests of a class at the same time",
        }
    }

    /// What an engine has to support for it.
    pub fn mode(self) -> Mode {
        match self {
            Way::Project => Mode::Project,
            Way::Modules => Mode::Sequential,
            Way::Forks | Way::Classes => Mode::Classes,
            Way::ClassesAndMethods => Mode::ClassesAndMethods,
            Way::Methods => Mode::Methods,
        }
    }

    /// Does it have threads inside a process?
    pub fn has_threads(self) -> bool {
        matches!(self, Way::Classes | Way::ClassesAndMethods | Way::Methods)
    }

    /// Its configuration in an experiment file.
    pub fn configuration(self, threads_per_core: u32, rerun_engine: Option<&str>) -> String {
        let settings = match self {
            Way::Project => "technique = \"parallel\"\nparallel = \"project\"\n".to_owned(),
            Way::Forks => format!("{}parallel = \"classes\"\nthreads = 1\nforks = \"1C\"\n", repaired(rerun_engine)),
            Way::Modules => format!("{}modules = \"1C\"\n", repaired(rerun_engine)),
            Way::Classes | Way::ClassesAndMethods | Way::Methods => format!(
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

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_is_known_by_its_name() {
        for way in Way::ALL {
            assert_eq!(Way::of_name(way.name()), Some(way));
            assert_eq!(serde_json::to_value(way).unwrap(), way.name());
        }
        assert_eq!(Way::of_name(SEQUENTIAL), None);
    }
}
