//! Which Python runs a project, and what it has.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use miette::miette;
use serde::Deserialize;

use crate::process;
use crate::project::ToolFacts;
use crate::spec::Subject;

/// The key of a subject, and the option of commands, that names it.
pub(super) const KEY: &str = "python";
const VARIABLE: &str = "PARADE_PYTHON";
const PATIENCE: Duration = Duration::from_secs(60);
const QUESTION: &str = "import json, platform, sys
def version(name):
    try:
        return __import__(name).__version__
    except ImportError:
        return None
print(json.dumps(dict(python=platform.python_version(), program=sys.executable, pytest=version('pytest'), xdist=version('xdist'))))";

/// A Python with pytest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interpreter {
    pub program: PathBuf,
    pub python: String,
    pub pytest: String,
    /// Of pytest-xdist, where it is installed.
    pub xdist: Option<String>,
}

#[derive(Deserialize)]
struct Answer {
    python: String,
    program: PathBuf,
    pytest: Option<String>,
    xdist: Option<String>,
}

/// The one that a subject asks for, else that of `PARADE_PYTHON`, else `python3` on the `PATH`.
pub fn interpreter(subject: Option<&Subject>) -> miette::Result<Interpreter> {
    let asked = subject.and_then(|subject| subject.tools.get(KEY)).map(|tool| tool.path.clone());
    let variable = || std::env::var_os(VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
    at(&asked.or_else(variable).unwrap_or_else(|| "python3".into()))
}

/// Asks it; a path without a folder is looked up on the `PATH`.
pub(super) fn at(program: &Path) -> miette::Result<Interpreter> {
    let choose = "name an interpreter that has pytest: `python` in the experiment file, --python, or PARADE_PYTHON";
    let said = process::ask(program, &["-c", QUESTION], BTreeMap::new(), PATIENCE).map_err(|error| {
        miette!(help = choose, "the Python interpreter {} cannot be used: {error}", program.display())
    })?;
    read(program, &said).ok_or_else(|| {
        let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("nothing");
        miette!(
            help = choose,
            "{} is no Python interpreter of version 3.7 or later: it said `{last}`",
            program.display()
        )
    })?
}

/// `None` where that is no answer; an error where there is no pytest.
fn read(program: &Path, said: &str) -> Option<miette::Result<Interpreter>> {
    let answer: Answer = said.lines().rev().find_map(|line| serde_json::from_str(line).ok())?;
    let Answer { python, program: own, pytest, xdist } = answer;
    // A virtual environment is known by the path that it is started by.
    let program = if program.is_absolute() { program.to_owned() } else { own };
    Some(match pytest {
        Some(pytest) => Ok(Interpreter { program, python, pytest, xdist }),
        None => Err(miette!(
            help = format!("run `{} -m pip install pytest pytest-xdist`, or name another one", program.display()),
            "the Python interpreter {} (version {python}) has no pytest",
            program.display()
        )),
    })
}

impl Interpreter {
    pub(super) fn facts(&self) -> ToolFacts {
        let mut facts = ToolFacts::from([
            ("python".to_owned(), self.python.clone()),
            ("interpreter".to_owned(), self.program.display().to_string()),
            ("pytest".to_owned(), self.pytest.clone()),
        ]);
        facts.extend(self.xdist.clone().map(|version| ("pytest-xdist".to_owned(), version)));
        facts
    }

    /// `3.12.1 (/usr/bin/python3) with pytest 8.3.4 and pytest-xdist 3.6.1`.
    pub fn in_words(&self) -> String {
        let xdist = self.xdist.as_ref().map(|version| format!(" and pytest-xdist {version}")).unwrap_or_default();
        format!("{} ({}) with pytest {}{xdist}", self.python, self.program.display(), self.pytest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named_with_what_to_install() {
        let python = Path::new("/venv/bin/python");
        let line = r#"{"python": "3.12.1", "program": "/usr/bin/python3", "pytest": "8.3.4", "xdist": null}"#;
        let found = read(python, &format!("a warning\n{line}\n")).unwrap().unwrap();
        assert_eq!((found.program.as_path(), found.xdist.as_ref()), (python, None));
        assert_eq!(found.in_words(), "3.12.1 (/venv/bin/python) with pytest 8.3.4");
        let by_name = read(Path::new("python3"), line).unwrap().unwrap();
        assert_eq!(by_name.program, Path::new("/usr/bin/python3"));
        let without = line.replace("\"8.3.4\"", "null");
        let error = read(python, &without).unwrap().unwrap_err();
        assert_eq!(error.to_string(), "the Python interpreter /venv/bin/python (version 3.12.1) has no pytest");
        assert!(error.help().unwrap().to_string().contains("/venv/bin/python -m pip install pytest pytest-xdist"));
        assert!(read(python, "Syntax error").is_none());
    }
}
