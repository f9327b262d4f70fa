//! What the Maven extension says it saw and changed.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};

use super::kept_reports::is_inside;
use super::launch::Launch;
use super::line::{Line, each_line, each_line_of_bytes};
use super::protocol::{HandshakeKind, LineKind};
use super::reconcile::SurefireCount;
use super::seal::{SealDamage, SealKey, SealedLines};

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
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Goal {
    /// By which the files of its processes refer to it.
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
    /// What Surefire counted itself, once per provider that ran; empty where it does not tell.
    pub counted: Vec<SurefireCount>,
}

impl Goal {
    pub fn runs(&self, provider: &str) -> bool {
        self.providers.iter().any(|own| own == provider)
    }
}

impl Handshake {
    /// `None` where the extension never said hello. Lines without the extension's seal are counted and not believed.
    pub fn from_sealed_lines(lines: impl BufRead, key: SealKey) -> io::Result<(Option<Handshake>, SealDamage)> {
        let mut seals = SealedLines::new(key);
        let mut handshake = Handshake::default();
        let mut greeted = false;
        let damage = each_line_of_bytes(lines, |sealed| {
            if let Some(line) = seals.open(sealed).and_then(Line::parse) {
                greeted |= line.kind == HandshakeKind::Hello.word();
                // Lines of the extension that say nothing are not held against the subject.
                let _ = handshake.take(&line);
            }
            true
        })?;
        seals.note_unreadable(damage.lines);
        Ok((greeted.then_some(handshake), seals.damage()))
    }

    /// The same of lines without seals.
    pub fn from_lines(lines: impl BufRead) -> io::Result<Option<Handshake>> {
        let mut handshake = Handshake::default();
        let mut greeted = false;
        each_line(lines, |line| {
            greeted |= line.kind == HandshakeKind::Hello.word();
            handshake.take(line).is_some()
        })?;
        Ok(greeted.then_some(handshake))
    }

    /// Folders of reports outside of the worktree count as not there: what is in them may be another project's.
    pub fn forget_foreign_reports(&mut self, worktree: &Path) {
        for goal in &mut self.goals {
            if goal.reports.is_dir() && !is_inside(&goal.reports, worktree) {
                let text = format!(
                    "the reportsDirectory of {} is {}, outside of the worktree: parade neither deletes nor reads reports \
                     there",
                    goal.goal,
                    goal.reports.display()
                );
                self.deviations.push((goal.module.clone(), text));
                goal.reports = PathBuf::new();
            }
        }
    }

    fn take(&mut self, line: &Line) -> Option<()> {
        let text = |index| line.text(index).map(str::to_owned);
        match HandshakeKind::of(&line.kind)? {
            HandshakeKind::Hello => (self.maven, self.java) = (text(1)?, text(2)?),
            HandshakeKind::Module => self.modules.push(Module { path: text(0)?, name: text(1)?, packaging: text(2)? }),
            HandshakeKind::Deviation => self.deviations.push((text(0)?, text(1)?)),
            HandshakeKind::Goal if self.goals.len() >= MAX_GOALS => return None,
            HandshakeKind::Goal => self.goals.push(goal(line)?),
            HandshakeKind::Framework => drop(self.goal(line)?.frameworks.insert(text(1)?, text(2)?)),
            HandshakeKind::Launch => self.goal(line)?.launch = Some(Launch::begin(line)?),
            HandshakeKind::Unrevealed => self.goal(line)?.unrevealed = Some(text(1)?),
            kind @ (HandshakeKind::Path
            | HandshakeKind::Program
            | HandshakeKind::Property
            | HandshakeKind::Environment
            | HandshakeKind::Without
            | HandshakeKind::Scanned
            | HandshakeKind::Note) => self.goal(line)?.launch.as_mut()?.take(kind, line)?,
            HandshakeKind::Counted => {
                let number = |index| line.number(index);
                let count = SurefireCount {
                    run: number(1)?,
                    failures: number(2)?,
                    errors: number(3)?,
                    skipped: number(4)?,
                    flakes: number(5)?,
                };
                self.goal(line)?.counted.push(count);
            }
            HandshakeKind::Unfetched => self.unfetched.push((text(0)?, text(1)?)),
            HandshakeKind::Reached => drop(self.reached.insert(text(0)?)),
            HandshakeKind::Failure => self.failures.push(Failure { message: text(0)?, module: text(1) }),
            HandshakeKind::Background => self.background_nanos = Some(line.number(0)?),
            HandshakeKind::End => self.ended = true,
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
        counted: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::maven::protocol::table;

    fn read(content: &str) -> Option<Handshake> {
        Handshake::from_lines(content.as_bytes()).unwrap()
    }

    #[test]
    fn everything_the_extension_says_is_kept() {
        let handshake = read(
            "hello\t1\t3.9.11\t17.0.1\nmodule\tlib\tg:a\tjar\ndeviation\tlib\tcompiler source 1.5 raised to 1.7\n\
             goal\t1\tlib\tmaven-surefire-plugin:test@default-test\t3.5.6\tsurefire-junit47,surefire-testng\t-Xmx1g\t/r\n\
             framework\t1\tjunit\t4.13.2\ncounted\t1\t9\t1\t2\t3\t0\nreached\tlib\nfailure\tno%0agood\nfailure\tbad\tlib\nend\n",
        )
        .unwrap();
        assert_eq!((handshake.maven.as_str(), handshake.java.as_str(), handshake.ended), ("3.9.11", "17.0.1", true));
        assert_eq!(handshake.modules[0].path, "lib");
        assert_eq!(handshake.deviations, [("lib".to_owned(), "compiler source 1.5 raised to 1.7".to_owned())]);
        let goal = &handshake.goals[0];
        assert!(goal.runs("surefire-testng") && goal.runs("surefire-junit47") && !goal.runs("surefire-junit3"));
        assert_eq!(goal.frameworks["junit"], "4.13.2");
        assert_eq!(goal.counted, [SurefireCount { run: 9, failures: 1, errors: 2, skipped: 3, flakes: 0 }]);
        assert_eq!(handshake.failures[0], Failure { message: "no\ngood".to_owned(), module: None });
        assert_eq!(handshake.failures[1].module.as_deref(), Some("lib"));
        assert!(handshake.reached.contains("lib"));
    }

    #[test]
    fn the_examples_of_the_protocol_are_understood() {
        let mut handshake = Handshake::default();
        for text in table::lines("handshake").lines() {
            assert!(handshake.take(&Line::parse(text).unwrap()).is_some(), "{text}");
        }
        assert_eq!((handshake.maven.as_str(), handshake.java.as_str(), handshake.ended), ("3.9.11", "17.0.1", true));
        let module = Module { path: "lib".into(), name: "g:a".into(), packaging: "jar".into() };
        assert_eq!(handshake.modules, [module]);
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(handshake.deviations, [pair("lib", "compiler source 1.5 lifted to 1.7")]);
        assert_eq!(handshake.unfetched, [pair("lib", "no network")]);
        assert_eq!(handshake.reached, BTreeSet::from(["lib".to_owned()]));
        let failure =
            |message: &str, module: Option<&str>| Failure { message: message.into(), module: module.map(Into::into) };
        assert_eq!(handshake.failures, [failure("no\ngood", None), failure("bad", Some("lib"))]);
        assert_eq!(handshake.background_nanos, Some(1_500_000_000));
        let launch = Launch {
            java: "/jdk/bin/java".into(),
            folder: "/w".into(),
            arg_line: "-Xmx1g".to_owned(),
            assertions: true,
            reuse_forks: false,
            class_path: vec!["/w/classes".into()],
            program: vec!["/w/target/classes".into()],
            properties: vec![pair("basedir", "/w")],
            environment: BTreeMap::from([pair("X", "y\tz")]),
            without: vec!["HOME".to_owned()],
            scanned: vec!["a.B".to_owned()],
            notes: vec!["Maven runs the tests on the module path".to_owned()],
        };
        let goal = Goal {
            number: 1,
            module: "lib".to_owned(),
            goal: "maven-surefire-plugin:test@default-test".to_owned(),
            version: "3.5.6".to_owned(),
            providers: vec!["surefire-junit47".to_owned(), "surefire-testng".to_owned()],
            frameworks: BTreeMap::from([pair("junit", "4.13.2")]),
            arg_line: "-Xmx1g".to_owned(),
            reports: "/r".into(),
            launch: Some(launch),
            unrevealed: Some("too old".to_owned()),
            counted: vec![SurefireCount { run: 9, failures: 1, errors: 2, skipped: 3, flakes: 0 }],
        };
        assert_eq!(handshake.goals, [goal]);
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
    fn reports_outside_of_the_worktree_count_as_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        for path in ["tree/target", "other"] {
            std::fs::create_dir_all(at(path)).unwrap();
        }
        std::os::unix::fs::symlink(at("other"), at("tree/link")).unwrap();
        let folders = [at("tree/target"), at("other"), at("tree/link"), at("tree/later")];
        let goals = folders.iter().map(|reports| Goal { reports: reports.clone(), ..Goal::default() });
        let mut handshake = Handshake { goals: goals.collect(), ..Handshake::default() };
        handshake.forget_foreign_reports(&at("tree"));
        let left: Vec<&Path> = handshake.goals.iter().map(|goal| goal.reports.as_path()).collect();
        assert_eq!(left, [&*at("tree/target"), Path::new(""), Path::new(""), &*at("tree/later")]);
        assert_eq!(handshake.deviations.len(), 2);
        assert!(handshake.deviations[0].1.contains("outside of the worktree"), "{:?}", handshake.deviations);
    }

    #[test]
    fn without_a_hello_there_was_no_extension() {
        assert_eq!(read(""), None);
        assert_eq!(read("end\n"), None);
    }

    #[test]
    fn what_tests_add_is_not_believed() {
        let key = SealKey::of(5, 6);
        let lines = key.seal(1, "hello\t1\t3\t8\n") + "failure\tmaven-surefire-plugin\n" + &key.seal(2, "end\n");
        let (handshake, damage) = Handshake::from_sealed_lines(lines.as_bytes(), key).unwrap();
        let handshake = handshake.unwrap();
        assert!(handshake.ended && handshake.failures.is_empty());
        assert_eq!(damage, SealDamage { foreign: 1, ..SealDamage::default() });
    }

    #[test]
    fn garbage_between_the_lines_is_passed_over() {
        let handshake = read("hello\t1\t3\t8\n\0\0garbage\ngoal\tx\nframework\t7\tjunit\t4\nend\n").unwrap();
        assert!(handshake.ended && handshake.goals.is_empty());
    }
}
