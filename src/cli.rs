//! The command line. clap is known here and nowhere else.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use crate::commands::report::Format;
use crate::commands::{check, doctor, report, run};

/// Reproduces evaluations of techniques that make test suites run faster.
#[derive(Debug, Parser)]
#[command(version, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Validate an experiment file and print its plan
    Check(CheckArgs),
    /// Run an experiment, or go on with an unfinished run
    Run(RunArgs),
    /// Redo tables and figures from the records of a run
    Report(ReportArgs),
    /// Say what this machine can measure, and what is missing
    Doctor(DoctorArgs),
}

#[derive(Debug, Args)]
struct CheckArgs {
    /// The experiment file
    file: PathBuf,
    /// As `run --quick` would run it
    #[arg(long)]
    quick: bool,
    /// As `run --only` would run it
    #[arg(long, value_name = "FILTER")]
    only: Vec<String>,
    /// Print one JSON document instead of a table
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct RunArgs {
    /// The experiment file
    file: PathBuf,
    /// The folder that results go below
    #[arg(long, value_name = "DIR", default_value = "results")]
    out: PathBuf,
    /// Start a new run instead of going on with the last one
    #[arg(long)]
    fresh: bool,
    /// One repetition on the largest core count, to try things out: not for publication
    #[arg(long)]
    quick: bool,
    /// Print the plan and touch nothing
    #[arg(long)]
    dry_run: bool,
    /// Go on with an unfinished run although the machine or the experiment has changed
    #[arg(long)]
    accept_changes: bool,
    /// Run those trials again that did not complete
    #[arg(long)]
    retry: bool,
    /// Run only matching trials: `subject=GLOB`, `configuration=GLOB`, `cores=N`, joined by commas; repeatable
    #[arg(long, value_name = "FILTER")]
    only: Vec<String>,
    /// Run all subjects on this JDK, by version or path, whatever the file says
    #[arg(long, value_name = "VERSION|PATH")]
    jdk: Option<String>,
    /// End with one JSON object on standard output
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct ReportArgs {
    /// The folder of a run, such as results/quickstart/latest
    run_dir: PathBuf,
    /// What to print: html, md, latex, csv or json; without it, tables for the terminal
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    format: Option<Format>,
    /// Only this table, e.g. failures, speedups, subjects
    #[arg(long, value_name = "NAME")]
    table: Option<String>,
    /// The same as --format json
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct DoctorArgs {
    /// Compile the JVM helper and fetch what it needs, for a machine that will be offline
    #[arg(long)]
    prepare: bool,
    /// Print one JSON document instead of a list
    #[arg(long)]
    json: bool,
}

fn format(text: &str) -> Result<Format, String> {
    let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
    let known = Format::ALL.into_iter().find(|format| format.name() == text);
    known.ok_or_else(|| format!("write one of {}", names.join(", ")))
}

impl Cli {
    pub fn run(self) -> miette::Result<ExitCode> {
        match self.command {
            Command::Check(args) => check::run(&check::CheckOptions {
                file: args.file,
                quick: args.quick,
                only: args.only,
                json: args.json,
            }),
            Command::Run(args) => run::run(&run::RunOptions {
                file: args.file,
                out: args.out,
                fresh: args.fresh,
                quick: args.quick,
                dry_run: args.dry_run,
                accept_changes: args.accept_changes,
                retry: args.retry,
                only: args.only,
                jdk: args.jdk,
                json: args.json,
            }),
            Command::Report(args) => report::run(&report::ReportOptions {
                run_dir: args.run_dir,
                format: args.format,
                table: args.table,
                json: args.json,
            }),
            Command::Doctor(args) => doctor::run(&doctor::DoctorOptions { prepare: args.prepare, json: args.json }),
        }
    }
}
