//! The process between parade and a command.

use std::fs::File;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::Stdio;
use std::time::{Duration, Instant};

use miette::miette;

use super::{Cause, Command, Ended, Exit, Interrupt};
use crate::suite::Cost;

/// Becomes a keeper when the arguments say so; otherwise does nothing.
pub fn main_if_called() {}

pub(super) fn run(command: &Command, interrupt: &Interrupt) -> miette::Result<Ended> {
    let fail = |error: std::io::Error| miette!("{}: {error}", command.program.display());
    let output = File::create(&command.output).map_err(|error| miette!("{}: {error}", command.output.display()))?;
    let start = Instant::now();
    let mut child = std::process::Command::new(&command.program)
        .args(&command.args)
        .current_dir(&command.dir)
        .env_clear()
        .envs(&command.environment)
        .env(super::TAG_VARIABLE, &command.tag)
        .process_group(0)
        .stdin(Stdio::null())
        .stderr(output.try_clone().map_err(fail)?)
        .stdout(output)
        .spawn()
        .map_err(fail)?;
    let mut cause = Cause::Exited;
    let status = loop {
        if let Some(status) = child.try_wait().map_err(fail)? {
            break status;
        }
        if interrupt.is_set() || start.elapsed() > command.time_limit {
            cause = if interrupt.is_set() { Cause::Interrupted } else { Cause::TimedOut };
            child.kill().map_err(fail)?;
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    let exit = status.code().map_or_else(|| Exit::Signal(status.signal().unwrap_or(0)), Exit::Code);
    let cost = Cost { wall_seconds: start.elapsed().as_secs_f64(), ..Cost::default() };
    Ok(Ended { exit, cause, cost, strays: Vec::new(), output_cut: false })
}
