//! pytest as a [`Platform`]: how its projects are recognized, opened, and told about.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::adoption;
use super::interpreter::{self, interpreter};
use super::prepare::{Prepared, Stop, prepare};
use super::session::PytestSession;
use crate::engine::{EngineKind, Parallelism, Session};
use crate::process::{Account, Interrupt};
use crate::project::{
    Adoption, AdoptionFacts, BuildLayout, ChangeRequest, OpenPurpose, OpenRequest, Opened, Platform, Project, Refusal,
    ToolFacts, Words,
};
use crate::spec::{JdkWish, Subject};
use crate::subject::{self, Checkout};
use crate::suite::{Change, Finding, FindingKind, TestId};

/// Those in which pytest looks for settings, in its order, come first.
const FILES: [&str; 6] = ["pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg", "setup.py", "conftest.py"];
const SETTINGS_FILES: usize = 4;

/// Projects whose tests pytest runs.
#[derive(Debug, Clone, Copy)]
pub struct PytestPlatform;

impl Platform for PytestPlatform {
    fn name(&self) -> &'static str {
        "pytest"
    }

    fn build_files(&self) -> &'static [&'static str] {
        &FILES
    }

    fn project_name(&self, _root: &Path) -> Option<String> {
        None
    }

    fn layout(&self, folder: &Path, modules: &[String]) -> Result<BuildLayout, Refusal> {
        match modules {
            [] => Ok(BuildLayout { tree: folder.to_owned(), root: folder.to_owned(), modules: Vec::new() }),
            [module, ..] => Err(Refusal {
                message: format!("`{module}`: a pytest project has no modules"),
                help: "leave --module out, or name the folder with the tests as the project".to_owned(),
            }),
        }
    }

    fn tool_keys(&self) -> &'static [&'static str] {
        &[interpreter::KEY]
    }

    fn check_jdk(&self, _: &JdkWish) -> miette::Result<()> {
        Ok(())
    }

    /// What can be run does not depend on them before a subject says which it wants.
    fn installed_tools(&self) -> Vec<String> {
        Vec::new()
    }

    fn machine_tools(&self, subjects: &[&Subject]) -> miette::Result<ToolFacts> {
        interpreter(subjects.first().copied()).map(|found| found.facts())
    }

    fn changed_tool(&self, tools: &ToolFacts) -> Option<(&'static str, String)> {
        let (before, program) = (tools.get("python")?, tools.get("interpreter")?);
        let versions = |facts: &ToolFacts| ["python", "pytest", "pytest-xdist"].map(|name| facts.get(name).cloned());
        match interpreter::at(Path::new(program)) {
            Ok(now) if versions(&now.facts()) == versions(tools) => None,
            Ok(now) => Some(("Python", format!("{before} in {program} is now {}", now.in_words()))),
            Err(why) => Some(("Python", format!("{before} in {program} is gone: {why}"))),
        }
    }

    fn open(&self, request: &OpenRequest<'_>) -> miette::Result<Opened> {
        let subject = request.subject;
        let meaningless = meaningless(subject);
        if let (OpenPurpose::Command, [first, ..]) = (request.purpose, meaningless.as_slice()) {
            return Err(miette::miette!(help = "leave it out", "{first} has no meaning for a pytest project"));
        }
        Ok(match prepare(request)? {
            Ok(prepared) => {
                if request.purpose == OpenPurpose::Command {
                    subject::forget_others(&subject.name, &prepared.checkout.revision, request.home)?;
                }
                let (tag, interrupt) = (request.tag.to_owned(), request.interrupt.clone());
                Opened::Ready(Box::new(PytestProject { prepared: Rc::new(prepared), meaningless, tag, interrupt }))
            }
            Err(Stop::Failed(failure)) => Opened::Failed(failure),
            Err(Stop::Interrupted) => Opened::Interrupted,
        })
    }

    fn change(&self, _: &ChangeRequest<'_>) -> miette::Result<Change> {
        Err(miette::miette!(
            "parade cannot compare two versions of a pytest project, because it records no coverage of it"
        ))
    }

    fn adoption(&self, parallelism: &Parallelism, cores: usize, facts: &AdoptionFacts) -> Adoption {
        adoption::adoption(parallelism, cores, &facts.settings_file)
    }

    fn words(&self) -> Words {
        Words {
            process: "process",
            processes: "processes",
            settings: "project's addopts",
            has_threads: false,
            other_tool: "interpreter with --python",
            alone: "`@pytest.mark.xdist_group` with `--dist loadgroup`",
            own_command: "pytest",
            runner: "pytest",
            only_engine: Some(EngineKind::Pytest),
        }
    }
}

/// Settings of other platforms that a subject has; it may share them with other subjects.
fn meaningless(subject: &Subject) -> Vec<&'static str> {
    let given = [
        ("`maven_args` (options after --)", !subject.maven_args.is_empty()),
        ("`maven`", subject.maven.is_some()),
        ("`phase`", subject.phase != "test"),
        ("`disable_plugins`", !subject.disable_plugins.is_empty()),
        ("`generator`", subject.generator.is_some()),
    ];
    given.into_iter().filter(|(_, given)| *given).map(|(what, _)| what).collect()
}

/// A subject that is set up, with its engine.
struct PytestProject {
    prepared: Rc<Prepared>,
    meaningless: Vec<&'static str>,
    tag: String,
    interrupt: Interrupt,
}

impl Project for PytestProject {
    fn revision(&self) -> &str {
        &self.prepared.checkout.revision
    }

    fn checkout(&self) -> Option<&Checkout> {
        Some(&self.prepared.checkout)
    }

    fn tools(&self) -> ToolFacts {
        self.prepared.interpreter.facts()
    }

    fn tools_in_words(&self) -> Vec<(&'static str, String)> {
        let found = &self.prepared.interpreter;
        vec![("Python", found.in_words()), ("build tool", format!("pytest {}", found.pytest))]
    }

    fn frameworks(&self) -> Vec<String> {
        vec![format!("pytest {}", self.prepared.interpreter.pytest)]
    }

    fn tests(&self) -> Vec<TestId> {
        self.prepared.collected.tests().to_vec()
    }

    fn deviations(&self) -> Vec<Finding> {
        let told =
            |what: &&str| Finding::new(FindingKind::Deviation, format!("{what} has no effect on a pytest project"));
        self.meaningless.iter().map(told).collect()
    }

    fn notes(&self) -> Vec<Finding> {
        self.deviations()
    }

    fn parallel_settings(&self) -> Vec<String> {
        let addopts = &self.prepared.addopts;
        let told = adoption::is_parallel(addopts).then(|| format!("addopts: {}", addopts.join(" ")));
        told.into_iter().collect()
    }

    fn adoption(&self) -> AdoptionFacts {
        let has = |file: &&&str| self.prepared.root.join(file).is_file();
        let file = FILES[..SETTINGS_FILES].iter().find(has).copied().unwrap_or("pytest.ini");
        AdoptionFacts {
            platform: PytestPlatform.name().to_owned(),
            settings_file: file.to_owned(),
            modules: 1,
            ..AdoptionFacts::default()
        }
    }

    fn source_folders(&self) -> Vec<PathBuf> {
        vec![self.prepared.root.clone()]
    }

    fn user(&self) -> Option<&Account> {
        self.prepared.user.as_ref()
    }

    fn again(&self, test: &TestId) -> Option<String> {
        self.prepared.collected.node(test).map(|node| format!("pytest {}", crate::wording::shell_word(node)))
    }

    /// pytest imposes any order by itself: both roles are one engine.
    fn session(&self, _: EngineKind) -> miette::Result<Box<dyn Session>> {
        Ok(Box::new(PytestSession::open(Rc::clone(&self.prepared), &self.tag, self.interrupt.clone())?))
    }
}
