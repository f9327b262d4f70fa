//! Reports the error and sets the exit code, nothing else.

mod cli;
mod commands;
mod safe_report;

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use clap::Parser;
use commands::BadUsage;
use miette::{GraphicalTheme, MietteHandlerOpts};
use parade::experiment::{FilterError, Mistakes};
use parade::report::compare::NothingShared;
use parade::study::Faults;
use safe_report::SafeHandler;

/// The experiment file is wrong: as for clap, whose own code for bad usage this is.
const BAD_USAGE: u8 = 2;

fn main() -> ExitCode {
    parade::process::keeper::main_if_called();
    parade::process::hide_from_own_user();
    parade::process::adopt_orphans();
    parade::register_platforms();
    tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::from_env("PARADE_LOG"))
        .with_writer(std::io::stderr)
        .init();
    if let Err(error) =
        miette::set_hook(Box::new(|_| Box::new(SafeHandler(MietteHandlerOpts::new().graphical_theme(theme()).build()))))
    {
        tracing::warn!("errors keep their default look: {error}");
    }
    let parsed = cli::Cli::try_parse().map_err(|error| match refused_option(&error) {
        Some(refusal) => refusal,
        None => error.exit(),
    });
    match parsed.map_err(miette::Report::from).and_then(cli::Cli::run) {
        Ok(code) => code,
        Err(report) => {
            // Nobody may be reading any more.
            let _ = writeln!(std::io::stderr(), "{report:?}");
            let bad_file = report.is::<Mistakes>() || report.is::<Faults>();
            let bad_usage =
                bad_file || report.is::<FilterError>() || report.is::<BadUsage>() || report.is::<NothingShared>();
            if bad_usage { ExitCode::from(BAD_USAGE) } else { ExitCode::FAILURE }
        }
    }
}

/// An option of Maven that clap does not know, and that parade takes nowhere.
fn refused_option(error: &clap::Error) -> Option<BadUsage> {
    let arguments: Vec<String> = std::env::args_os().map(|each| each.to_string_lossy().into_owned()).collect();
    let is_unknown = error.kind() == clap::error::ErrorKind::UnknownArgument;
    commands::maven_options::refused_anywhere(&arguments).filter(|_| is_unknown)
}

/// A caret under the mistake; colour only for a terminal that wants it.
fn theme() -> GraphicalTheme {
    let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let mut theme = if colour { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    theme.characters.underline = '^';
    theme.characters.underbar = '^';
    theme
}
