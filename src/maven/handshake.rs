//! What the Maven extension says it saw and changed.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};

use super::launch::Launch;
use super::line::{Line, each_line, read_lines};

/// No build has as many; a subject that writes into the file must not make reading it take for ever.
const MAX_GOALS: usize = 20_000;

/// Read back from the file that the extension wrote.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Handshake {
    pub maven: String,
    pub java: String,
    pub modules: Vec<Module>,
    /// What was changed or overridden, with the module it was changed in.
    pub deviations: Vec<(String, String)>,
    pub goals: Vec<Goal>,
    /// Modules for which Surefire's other providers could not be fetched, with the reason.
    pub unfetched: Vec<(String, String)>,
    /// Modules that got as far as their test goals, also where those had nothing to run.
    pub reached: BTreeSet<String>,
    /// What failed in the build, in every module that failed.
    pub failures: Vec<Failure>,
    /// What Maven's JVM computed beside its program, in nanoseconds.
    pub background_nanos: Option<u64>,
    /// Did Maven get to the end of its build, for good or bad?
    pub ended: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Module {
    /// Below the folder in which Maven was started; empty for that folder.
    pub path: String,
    /// `group:artifact`.
    pub name: String,
    pub packaging: String,
}

/// A goal that failed, or something that kept a module's goals from running.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub message: String,
    /// `None` where no module was built yet.
    pub module: Option<String>,
}

impl Failure {
    /// Did the goal fail that runs the tests? It does when a worker died.
    pub fn is_of_test_goal(&self) -> bool {
        self.message.contains("maven-surefire-plugin") || self.message.contains("maven-failsafe-plugin")
    }
}

/// One execution of Surefire's or Failsafe's test goal that was not skipped by parade.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Goal {
    /// Also the name of the folder with its events.
    pub number: u32,
    pub module: String,
    /// `plugin:goal@execution`.
    pub goal: String,
    pub version: String,
    pub providers: Vec<String>,
    /// Versions by `junit`, `jupiter`, `vintage`, `platform`, `testng`.
    pub frameworks: BTreeMap<String, String>,
    pub arg_line: String,
    pub reports: PathBuf,
    /// How its test processes are started, where that was asked for.
    pub launch: Option<Launch>,
    /// Why this could not be told.
    pub unrevealed: Option<String>,
}

impl Goal {
    pub fn runs(&self, provider: &str) -> bool {
        self.providers.iter().any(|own| own == provider)
    }
}

impl Handshake {
    /// `None` where the extension never said hello.
    pub fn read(path: &Path) -> miette::Result<Option<Handshake>> {
        if !path.is_file() {
            return Ok(None);
        }
        read_lines(path, Handshake::from_lines)
    }

    pub fn from_lines(lines: impl BufRead) -> io::Result<Option<Handshake>> {
        let mut handshake = Handshake::default();
        let mut greeted = false;
        each_line(lines, |line| {
            greeted |= line.kind == "hello";
            handshake.take(line).is_some()
        })?;
        Ok(greeted.then_some(handshake))
    }

    fn take(&mut self, line: &Line) -> Option<()> {
        let text = |index| line.text(index).map(str::to_owned);
        match line.kind.as_str() {
            "hello" => (self.maven, self.java) = (text(1)?, text(2)?),
            "module" => self.modules.push(Module { path: text(0)?, name: text(1)?, packaging: text(2)? }),
            "deviation" => self.deviations.push((text(0)?, text(1)?)),
            "goal" if self.goals.len() < MAX_GOALS => self.goals.push(goal(line)?),
            "framework" => drop(self.goal(line)?.frameworks.insert(text(1)?, text(2)?)),
            "launch" => self.goal(line)?.launch = Some(Launch::begin(line)?),
            "unrevealed" => self.goal(line)?.unrevealed = Some(text(1)?),
            "path" | "program" | "property" | "environment" | "without" | "scanned" | "note" => {
                self.goal(line)?.launch.as_mut()?.take(line)?;
            }
            "unfetched" => self.unfetched.push((text(0)?, text(1)?)),
            "reached" => drop(self.reached.insert(text(0)?)),
            "failure" => self.failures.push(Failure { message: text(0)?, module: text(1) }),
            "background" => self.background_nanos = Some(line.number(0)?),
            "end" => self.ended = true,
            _ => return None,
        }
        Some(())
    }

    /// The goal that a line is about.
    fn goal(&mut self, line: &Line) -> Option<&mut Goal> {
        let number: u32 = line.number(0)?;
        self.goals.iter_mut().rfind(|goal| goal.number == number)
    }
}

fn goal(line: &Line) -> Option<Goal> {
    Some(Goal {
        number: line.number(0)?,
        module: line.text(1)?.to_owned(),
        goal: line.text(2)?.to_owned(),
        version: line.text(3)?.to_owned(),
        providers: line.text(4)?.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect(),
        frameworks: BTreeMap::new(),
        arg_line: line.text(5)?.to_owned(),
        reports: PathBuf::from(line.text(6)?),
        launch: None,
        unrevealed: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(content: &str) -> Option<Handshake> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), content).unwrap();
        Handshake::read(file.path()).unwrap()
    }

    #[test]
    fn everything_the_extension_says_is_kept() {
        let handshake = read(
            "hello\t1\t3.9.11\t17.0.1\nmodule\tlib\tg:a\tjar\ndeviation\tlib\tcompiler source 1.5 lifted to 1.7\n\
             goal\t1\tlib\tmaven-surefire-plugin:test@default-test\t3.5.6\tsurefire-junit47,surefire-testng\t-Xmx1g\t/r\n\
             framework\t1\tjunit\t4.13.2\nreached\tlib\nfailure\tno%0agood\nfailure\tbad\tlib\nend\n",
        )
        .unwrap();
        assert_eq!((handshake.maven.as_str(), handshake.java.as_str(), handshake.ended), ("3.9.11", "17.0.1", true));
        assert_eq!(handshake.modules[0].path, "lib");
        assert_eq!(handshake.deviations, [("lib".to_owned(), "compiler source 1.5 lifted to 1.7".to_owned())]);
        let goal = &handshake.goals[0];
        assert!(goal.runs("surefire-testng") && goal.runs("surefire-junit47") && !goal.runs("surefire-junit3"));
        assert_eq!(goal.frameworks["junit"], "4.13.2");
        assert_eq!(handshake.failures[0], Failure { message: "no\ngood".to_owned(), module: None });
        assert_eq!(handshake.failures[1].module.as_deref(), Some("lib"));
        assert!(handshake.reached.contains("lib"));
    }

    #[test]
    fn how_a_test_process_is_started_is_kept_with_its_goal() {
        let handshake = read(
            "hello\t1\t3\t8\ngoal\t1\t\tg\t3.5.6\tsurefire-junit4\t\t/r\ngoal\t2\t\tg\t2.4\tsurefire-junit4\t\t/r\n\
             launch\t1\t/jdk/bin/java\t/w\t-Xmx1g\ttrue\tfalse\npath\t1\t/w/classes\npath\t1\t/m2/a.jar\n\
             property\t1\tbasedir\t/w\nenvironment\t1\tX\ty%09z\nwithout\t1\tHOME\nscanned\t1\ta.B\n\
             note\t1\tn\nunrevealed\t2\ttoo old\npath\t2\t/lost\n",
        )
        .unwrap();
        let launch = handshake.goals[0].launch.as_ref().unwrap();
        assert_eq!((launch.java.as_path(), launch.folder.as_path()), (Path::new("/jdk/bin/java"), Path::new("/w")));
        assert_eq!((launch.arg_line.as_str(), launch.assertions, launch.reuse_forks), ("-Xmx1g", true, false));
        assert_eq!(launch.class_path, [Path::new("/w/classes"), Path::new("/m2/a.jar")]);
        assert_eq!(launch.properties, [("basedir".to_owned(), "/w".to_owned())]);
        assert_eq!(launch.environment["X"], "y\tz");
        let lists = [&launch.without, &launch.scanned, &launch.notes].map(|list| list.join(","));
        assert_eq!(lists, ["HOME", "a.B", "n"]);
        let other = &handshake.goals[1];
        assert_eq!((other.launch.as_ref(), other.unrevealed.as_deref()), (None, Some("too old")));
    }

    #[test]
    fn without_a_hello_there_was_no_extension() {
        assert_eq!(read(""), None);
        assert_eq!(read("end\n"), None);
        assert_eq!(Handshake::read(Path::new("/nowhere/handshake")).unwrap(), None);
    }

    #[test]
    fn garbage_between_the_lines_is_passed_over() {
        let handshake = read("hello\t1\t3\t8\n\0\0garbage\ngoal\tx\nframework\t7\tjunit\t4\nend\n").unwrap();
        assert!(handshake.ended && handshake.goals.is_empty());
    }
}
