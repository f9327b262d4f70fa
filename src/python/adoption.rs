//! How a parallel mode is written down in a project that pytest runs.

use super::invocation::workers;
use crate::engine::{Mode, Parallelism};
use crate::project::{Adoption, Snippet};

/// What makes plain pytest run the suite this way; nothing for what the project does already. `file` has its settings.
pub fn adoption(parallelism: &Parallelism, cores: usize, file: &str) -> Adoption {
    let distribution = match parallelism.mode {
        Mode::Sequential | Mode::Project => {
            return Adoption { snippets: Vec::new(), command: "pytest".to_owned() };
        }
        Mode::Classes => "loadscope",
        Mode::Methods | Mode::ClassesAndMethods => "load",
    };
    let options = format!("-n {} --dist {distribution}", workers(parallelism, cores));
    let (section, text) = match file {
        "pyproject.toml" => ("[tool.pytest.ini_options]", format!("addopts = \"{options}\"\n")),
        "setup.cfg" => ("[tool:pytest]", format!("addopts = {options}\n")),
        _ => ("[pytest]", format!("addopts = {options}\n")),
    };
    let snippet = Snippet {
        file: file.to_owned(),
        place: format!("in {section}, together with the options that are there; needs pytest-xdist"),
        text,
    };
    Adoption { snippets: vec![snippet], command: format!("pytest {options}") }
}

/// Do the project's own options hand tests to workers?
pub fn is_parallel(addopts: &[String]) -> bool {
    let has_number =
        |option: &str| option.strip_prefix("-n").is_some_and(|rest| rest.is_empty() || !rest.starts_with('o'));
    addopts.iter().any(|option| has_number(option) || option.starts_with("--numprocesses") || option == "--tx")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Forks;

    #[test]
    fn the_file_of_the_project_gets_the_line() {
        let forks = Parallelism { mode: Mode::Classes, forks: Forks::PerCore(1.0), ..Parallelism::SEQUENTIAL };
        let Adoption { snippets, command } = adoption(&forks, 4, "pytest.ini");
        assert_eq!(snippets[0].text, "addopts = -n 4 --dist loadscope\n");
        assert_eq!(command, "pytest -n 4 --dist loadscope");
        let toml = &adoption(&forks, 4, "pyproject.toml").snippets[0];
        assert_eq!(toml.text, "addopts = \"-n 4 --dist loadscope\"\n");
        assert!(toml.place.contains("[tool.pytest.ini_options]"));
        let own = Parallelism { mode: Mode::Project, ..Parallelism::SEQUENTIAL };
        assert_eq!(adoption(&own, 4, "tox.ini"), Adoption { snippets: Vec::new(), command: "pytest".to_owned() });
    }

    #[test]
    fn options_that_start_workers_are_known() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert!(
            is_parallel(&words("-q -n 4")) && is_parallel(&words("-nauto")) && is_parallel(&words("--numprocesses=2"))
        );
        assert!(!is_parallel(&words("-q --no-header -rA")));
    }
}
