mod commands;

use std::process::ExitCode;

fn main() -> miette::Result<ExitCode> {
    let mut arguments = std::env::args_os().skip(2);
    let file = arguments.next().unwrap_or_default().into();
    commands::check::run(&commands::check::CheckOptions { file, json: arguments.next().is_some() })
}
