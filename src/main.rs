//! Reports the error and sets the exit code, nothing else.

mod cli;
mod commands;

use std::process::ExitCode;

use clap::Parser;
use parade::experiment::{FilterError, Mistakes};

/// The experiment file is wrong: as for clap, whose own code for bad usage this is.
const BAD_USAGE: u8 = 2;

fn main() -> ExitCode {
    parade::process::keeper::main_if_called();
    tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::from_env("PARADE_LOG"))
        .with_writer(std::io::stderr)
        .init();
    match cli::Cli::parse().run() {
        Ok(code) => code,
        Err(report) => {
            eprintln!("{report:?}");
            let bad_usage = report.is::<Mistakes>() || report.is::<FilterError>();
            if bad_usage { ExitCode::from(BAD_USAGE) } else { ExitCode::FAILURE }
        }
    }
}
