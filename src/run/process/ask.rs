//! A short question to a program, such as for its version: what it says, within bounds of time and length.

use crate::file_error::file_error;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use miette::miette;

use super::{Cause, Command, Interrupt, cgroup, run};

/// Longer answers are cut in their middle.
const ANSWER_LIMIT: u64 = 32 << 10;

/// What the program said on standard output and standard error together, whatever its exit code.
pub fn ask(
    program: &Path,
    args: &[&str],
    environment: BTreeMap<String, String>,
    patience: Duration,
) -> miette::Result<String> {
    let folder = tempfile::tempdir().map_err(|error| miette!("no temporary folder: {error}"))?;
    let mut everything = super::base_environment();
    everything.extend(environment);
    let output = folder.path().join("answer");
    let command = Command {
        program: program.to_owned(),
        args: args.iter().map(Into::into).collect(),
        dir: "/".into(),
        environment: everything,
        output: output.clone().into(),
        output_limit: ANSWER_LIMIT,
        cores: None,
        memory_bytes: None,
        time_limit: patience,
        grace: Duration::ZERO,
        tag: format!("question-{}", cgroup::new_name()),
        user: None,
    };
    let ended = run(&command, &Interrupt::new())?;
    if ended.cause == Cause::TimedOut {
        return Err(miette!("{} did not answer within {} seconds", program.display(), patience.as_secs()));
    }
    let answer = std::fs::read(&output).map_err(|error| file_error(format_args!("{}", output.display()), &error))?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}
