//! Modes in words, for wherever they are printed.

use super::{Mode, Parallelism};
use crate::wording::{counted, plural};

impl Parallelism {
    /// The same for a platform that knows no threads: there, each thread is a process.
    pub fn explained_in_processes(&self, cores: usize, settings: &str) -> String {
        let processes = self.threads_at_once(cores).saturating_mul(self.forks.on(cores)) as usize;
        let told = match self.mode {
            Mode::Sequential => return self.explained_plainly(),
            Mode::Project => return format!("as the {settings} say"),
            Mode::Classes => "the tests of a class, or of a file, one after the other in the same process",
            Mode::Methods | Mode::ClassesAndMethods => "each test in any process",
        };
        format!("{} at the same time; {told}", counted(processes, "process", "processes"))
    }

    /// One line: what runs at the same time, in how many threads, processes and modules.
    pub fn explained(&self) -> String {
        self.told(
            "the methods of a class at the same time, classes one after the other (TestNG: all methods)",
            "pom says",
        )
    }

    /// The same without the words of a build tool, for model suites and for subjects of several platforms.
    pub fn explained_plainly(&self) -> String {
        self.told("the methods of a class at the same time, classes one after the other", "own settings say")
    }

    fn told(&self, methods: &str, settings_say: &str) -> String {
        let of_project = format!("as the project's {settings_say}");
        let what = match self.mode {
            Mode::Sequential => "one test after the other",
            Mode::Classes => "classes at the same time, the methods of a class one after the other",
            Mode::Methods => methods,
            Mode::ClassesAndMethods => "classes and methods at the same time",
            Mode::Project => of_project.as_str(),
        };
        let mut text = what.to_owned();
        if matches!(self.mode, Mode::Classes | Mode::Methods | Mode::ClassesAndMethods) {
            let per_core = if self.threads_per_core { " for each core" } else { "" };
            text.push_str(&format!("; {}{per_core}", plural(self.threads as usize, "thread")));
            match self.forks {
                super::Forks::Count(1) => {}
                forks => text.push_str(&format!(" in each of {forks} processes (forks)")),
            }
        }
        if let Some(modules) = self.modules {
            text.push_str(&format!("; {modules} modules at once"));
        }
        text.replace("1C processes", "as many processes as cores").replace("1C modules", "as many modules as cores")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Forks;

    #[test]
    fn modes_are_told_with_their_threads_and_processes() {
        let classes = Parallelism { mode: Mode::Classes, threads: 2, ..Parallelism::SEQUENTIAL };
        assert_eq!(
            classes.explained(),
            "classes at the same time, the methods of a class one after the other; 2 threads"
        );
        let forks = Parallelism { forks: Forks::PerCore(1.0), threads: 1, ..classes };
        assert!(forks.explained().ends_with("; 1 thread in each of as many processes as cores (forks)"));
        let methods = Parallelism { mode: Mode::Methods, ..classes };
        assert!(methods.explained().contains("TestNG") && !methods.explained_plainly().contains("TestNG"));
        let project = Parallelism { mode: Mode::Project, ..classes };
        assert_eq!(project.explained_plainly(), "as the project's own settings say");
        let modules = Parallelism { modules: Some(Forks::Count(2)), ..Parallelism::SEQUENTIAL };
        assert_eq!(modules.explained(), "one test after the other; 2 modules at once");
    }
}
