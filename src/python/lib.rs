//! Projects that pytest runs: one interpreter, one plugin of ours, and pytest-xdist for what is parallel.
//!
//! pytest imposes any order by itself, so both roles that a project has engines for, its own runner and one that runs tests in any
//! order, are the same session here. It knows processes only: a worker of pytest-xdist runs one test at a time.

pub use parade_run::{
    bad_usage, draft, engine, file_error, folder_handle, folders, home, process, project, redaction, run_clock, spec,
    subject, suite, toml_file, whole_file, wording,
};

mod adoption;
mod events;
mod ids;
mod interpreter;
mod invocation;
mod platform;
mod prepare;
mod session;

pub use interpreter::{Interpreter, interpreter};
pub use platform::PytestPlatform;

/// pytest loads it by the name of its file.
const PLUGIN: &str = include_str!("plugin/parade_pytest.py");
