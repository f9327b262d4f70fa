//! parade reproduces evaluations of techniques that make test suites run faster.
//!
//! The pipeline is the architecture:
//!
//! ```text
//! experiment file ─► Experiment ─► Plan ─► Trial ─► TrialRecord + executions ─► Analysis ─► Report
//!    run/experiment   (validated)  (steps)   │          run/store                 report/report
//!                                            └─ core/technique asks an engine to run the suite of a subject
//! ```
//!
//! Five crates lie below this one: `core` (suites, techniques, statistics), `run` (processes, subjects, projects, run folders,
//! experiments), `java` and `python` (Maven and pytest as platforms) and `report` (tables, figures, studies, artifacts).
//! This crate is the program: arguments, commands, progress. As a library it has everything under one name, for tests,
//! benchmarks and the fuzzer.

pub use parade_java as java;
pub use parade_python as python;
pub use parade_report::{artifact, report, study};
pub use parade_run::{
    assess, bad_usage, columns, csv_cells, data_table, detection, engine, experiment, folders, home, junit_report,
    once, process, project, redaction, run_clock, runner, shown_text, simulation, spec, stats, store, subject, suite,
    technique, toml_file, whole_file, wording,
};

#[doc(hidden)]
pub mod fuzzing;

/// Makes every platform that this program has known to the opener of projects.
pub fn register_platforms() {
    project::register(&[&java::MavenPlatform, &python::PytestPlatform]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::platform_in;

    #[test]
    fn a_python_project_is_one_of_pytest_unless_it_has_a_pom() {
        register_platforms();
        for file in ["pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg", "setup.py", "conftest.py"] {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join(file), "").unwrap();
            assert_eq!(platform_in(folder.path()).map(|platform| platform.name()), Some("pytest"), "{file}");
            std::fs::write(folder.path().join("pom.xml"), "").unwrap();
            assert_eq!(platform_in(folder.path()).map(|platform| platform.name()), Some("Maven"), "{file}");
        }
    }
}
