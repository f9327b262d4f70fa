//! The command line. clap is known here and nowhere else.

mod arguments;
mod options;
mod values;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::commands::{
    artifact, assess, audit, check, compare, detect, doctor, init, merge, order, report, run, simulate, stats, test,
};
use arguments::{
    ArtifactArgs, AssessArgs, AuditArgs, CheckArgs, CompareArgs, DetectArgs, DoctorArgs, InitArgs, MergeArgs,
    OrderArgs, ReportArgs, RunArgs, SimulateArgs, StatsArgs, TestArgs,
};

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
    /// Recompute what published studies state from the rows that they print
    Audit(AuditArgs),
    /// Put two runs side by side, with tests of difference
    Compare(CompareArgs),
    /// Join runs of one experiment from several machines into one
    Merge(MergeArgs),
    /// Make a folder of a run that an artifact committee can check and run
    Artifact(ArtifactArgs),
    /// Compare two columns of a CSV file, row by row: tests, effect sizes, ratio with its interval
    Stats(StatsArgs),
    /// Run a suite now, in parallel and repaired: the exit code is the suite's, JUnit XML is written
    Test(TestArgs),
    /// Give the order in which a regression testing algorithm runs a suite, and on request run it
    Order(OrderArgs),
    /// Find the tests that depend on the order they run in, and what they depend on
    Detect(DetectArgs),
    /// Answer whether running a project's tests in parallel would pay off, and what to do about it
    Assess(AssessArgs),
    /// Compute what a suite would take on any number of machines, from times that were measured
    Simulate(SimulateArgs),
    /// Write a commented experiment file to start from
    Init(InitArgs),
    /// Say what this machine can measure, and what is missing
    Doctor(DoctorArgs),
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
        }
    }
}
