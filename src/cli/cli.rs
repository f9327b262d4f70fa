//! The command line. clap is known here and nowhere else.

mod arguments;
mod options;
mod values;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::commands::{
    artifact, assess, audit, check, clean, compare, detect, doctor, init, merge, order, report, run, simulate, stats,
    test,
};
use arguments::{
    ArtifactArgs, AssessArgs, AuditArgs, CheckArgs, CleanArgs, CompareArgs, DetectArgs, DoctorArgs, InitArgs,
    MergeArgs, OrderArgs, ReportArgs, RunArgs, SimulateArgs, StatsArgs, TestArgs,
};

/// Measures how much faster a test suite gets in parallel, what breaks, and whether the result can be trusted.
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
    /// Run an experiment, or resume an unfinished run
    Run(RunArgs),
    /// Build tables, figures and the report page from a run folder
    Report(ReportArgs),
    /// Recompute the numbers that published studies state from their own tables
    Audit(AuditArgs),
    /// Compare two runs, with significance tests
    Compare(CompareArgs),
    /// Merge runs of one experiment from several machines
    Merge(MergeArgs),
    /// Package a run as an artifact for review
    Artifact(ArtifactArgs),
    /// Compare two paired columns of a CSV file: p-values, effect sizes, ratio with confidence interval
    Stats(StatsArgs),
    /// Run a project's tests in parallel, rerun failures, and write JUnit XML
    Test(TestArgs),
    /// Print the test order of a regression testing algorithm, and optionally run it
    Order(OrderArgs),
    /// Find order-dependent tests and the tests that they depend on
    Detect(DetectArgs),
    /// Measure whether running a project's tests in parallel pays off, and say what to do
    Assess(AssessArgs),
    /// Compute how long a suite would take on any number of machines, from measured durations
    Simulate(SimulateArgs),
    /// Write a commented experiment file to start from
    Init(InitArgs),
    /// Check what this machine can measure, and what is missing
    Doctor(DoctorArgs),
    /// Show the contents of parade's cache, and free disk space
    Clean(CleanArgs),
}

impl Cli {
    pub fn run(self) -> miette::Result<ExitCode> {
        match self.command {
            Command::Check(args) => check::run(&args.into()),
            Command::Run(args) => run::run(&args.into()),
            Command::Report(args) => report::run(&args.into()),
            Command::Stats(args) => stats::run(&args.into()),
            Command::Audit(args) => audit::run(&args.into()),
            Command::Compare(args) => compare::run(&args.into()),
            Command::Merge(args) => merge::run(&args.into()),
            Command::Artifact(args) => artifact::run(&args.into()),
            Command::Test(args) => test::run(&args.into()),
            Command::Order(args) => order::run(&args.into()),
            Command::Detect(args) => detect::run(&args.into()),
            Command::Assess(args) => assess::run(&args.into()),
            Command::Simulate(args) => simulate::run(&args.into()),
            Command::Init(args) => init::run(&args.into()),
            Command::Doctor(args) => doctor::run(&args.into()),
            Command::Clean(args) => clean::run(&args.into()),
        }
    }
}
