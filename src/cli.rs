//! The command line. clap is known here and nowhere else.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};

use crate::commands::report::Format;
use crate::commands::{
    artifact, assess, audit, check, compare, detect, doctor, init, merge, order, report, run, simulate, stats, test,
};
use parade::engine::{EngineKind, Forks, Mode};
use parade::experiment::{TechniqueKind, parse_duration};
use parade::simulation::Scheduler;
use parade::stats::{Alternative, Method, Zeros};
use parade::study::Verdict;
use parade::technique::algorithm::Algorithm;
use parade::technique::detect::Strategy;

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
    /// Draw what ran where and when in this trial, as SVG and PNG
    #[arg(long, value_name = "TRIAL")]
    timeline: Option<String>,
    /// The same as --format json
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct StatsArgs {
    /// A CSV file whose first row names the columns; - is standard input
    file: PathBuf,
    /// The column that the other one is compared with
    #[arg(long, value_name = "COLUMN")]
    baseline: String,
    /// The other column
    #[arg(long, value_name = "COLUMN")]
    candidate: String,
    /// What the tests ask about the baseline: two-sided, less or greater
    #[arg(long, value_name = "SIDE", default_value = "two-sided", value_parser = alternative)]
    alternative: Alternative,
    /// What becomes of rows that do not differ in Wilcoxon's test: wilcox (left out), pratt or zsplit
    #[arg(long, value_name = "WAY", default_value = "wilcox", value_parser = zeros)]
    zero: Zeros,
    /// How p-values are found: exact or asymptotic [default: exact as long as it is feasible]
    #[arg(long, value_name = "METHOD", value_parser = method)]
    method: Option<Method>,
    /// Of the confidence intervals, between 0 and 1
    #[arg(long, value_name = "SHARE", default_value = "0.95", value_parser = level)]
    level: f64,
    /// Of the bootstrap
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print one JSON document instead of a table
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct AuditArgs {
    /// The studies [default: all]
    #[arg(value_name = "STUDY")]
    studies: Vec<String>,
    /// A folder of studies, or of one, in place of those that parade brings along
    #[arg(long = "studies", value_name = "DIR")]
    folder: Option<PathBuf>,
    /// The folder of a run of your own, such as results/paste/latest, to put beside what is published
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,
    /// Only claims with this verdict: holds, differs or not_computable; repeatable
    #[arg(long, value_name = "VERDICT", value_parser = verdict)]
    only: Vec<Verdict>,
    /// One claim, by its id or as study/id: its expression, the values used and every step
    #[arg(long, value_name = "ID")]
    claim: Option<String>,
    /// Exit with 3 if a claim differs from its rows
    #[arg(long)]
    strict: bool,
    /// Print a JSON array instead of tables
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct CompareArgs {
    /// The folder of a run
    first: PathBuf,
    /// The folder of another, of the same experiment or of one that shares something with it
    second: PathBuf,
    /// What to print: html, md, csv or json; without it, tables for the terminal
    #[arg(long, value_name = "FORMAT", value_parser = comparison_format)]
    format: Option<compare::Format>,
    /// The same as --format json
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct MergeArgs {
    /// The folders of the runs, two or more
    #[arg(required = true, num_args = 2.., value_name = "RUN_DIR")]
    runs: Vec<PathBuf>,
    /// The folder of the merged run; it must not be there yet
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Where runs have the same subjects, count each further run's blocks as further repetitions
    #[arg(long)]
    repetitions: bool,
    /// Print one JSON document instead of the report
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct ArtifactArgs {
    /// The folder of a run, such as results/quickstart/latest
    run_dir: PathBuf,
    /// The folder to make; it must not be there yet [default: <experiment>-artifact]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The experiment file, where the run does not say where it lay
    #[arg(long, value_name = "FILE")]
    experiment: Option<PathBuf>,
    /// For blind review: without names of hosts and users, and without paths
    #[arg(long)]
    anonymous: bool,
    /// Print one JSON document instead of what was made
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct TestArgs {
    /// The folder of a Maven project or of one of its modules, the url of a git repository, or a model suite
    project: String,
    /// What runs when: paste (in parallel, then what failed again), parallel or sequential
    #[arg(long, value_name = "NAME", default_value = "paste", value_parser = technique)]
    technique: TechniqueKind,
    /// What may run at the same time: classes, methods, classesAndMethods, or project: as the pom has it [default: classes]
    #[arg(long, value_name = "MODE", value_parser = mode)]
    parallel: Option<Mode>,
    /// Threads in each process [default: one for each core, at least 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    threads: Option<u32>,
    /// Processes: a number, or a multiple of the cores such as 1C [default: 1]
    #[arg(long, value_name = "N")]
    forks: Option<Forks>,
    /// Modules that run at the same time: a number, or a multiple of the cores such as 1C [default: 1]
    #[arg(long, value_name = "N")]
    modules: Option<Forks>,
    /// What runs again what failed: direct (parade's own runner) or surefire (Maven) [default: direct]
    #[arg(long, value_name = "NAME", value_parser = engine)]
    rerun_engine: Option<EngineKind>,
    /// Only this module, by its path or as :artifact; repeatable
    #[arg(long, value_name = "NAME")]
    module: Vec<String>,
    /// A commit, tag or branch [default: a folder as it stands, the default branch of a repository]
    #[arg(long, value_name = "REV")]
    revision: Option<String>,
    /// Cores to use [default: all]
    #[arg(long, value_name = "N")]
    cores: Option<usize>,
    /// For all tests together, reruns included; the build may take as long again
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = duration)]
    timeout: Duration,
    /// For a single test that is run again by the direct engine
    #[arg(long, value_name = "TIME", value_parser = duration)]
    test_timeout: Option<Duration>,
    /// Where JUnit XML goes, as `<module>/TEST-<class>.xml`
    #[arg(long, value_name = "DIR", default_value = "parade-reports")]
    reports: PathBuf,
    /// The JDK, by version or path [default: JAVA_HOME, without it the newest that builds the project]
    #[arg(long, value_name = "VERSION|PATH")]
    jdk: Option<String>,
    /// End with one JSON document on standard output
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct OrderArgs {
    /// The folder of a Maven project or of one of its modules, the url of a git repository, or a model suite
    project: String,
    /// T1 to T4 prioritize, S1 to S6 select, P1 to P3 parallelize
    #[arg(long, value_name = "NAME", value_parser = algorithm)]
    algorithm: Algorithm,
    /// Dependencies between the tests, which the order then keeps
    #[arg(long, value_name = "FILE")]
    dependencies: Option<PathBuf>,
    /// For P1 to P3 [default: 2]
    #[arg(long, value_name = "N", value_parser = machines)]
    machines: Option<usize>,
    /// For P1 to P3: what tests take, as CSV with the columns test and seconds [default: a run shows it]
    #[arg(long, value_name = "FILE")]
    durations: Option<PathBuf>,
    /// For T1 to T4 and S1 to S6: what tests cover, as TOML or JSON [default: a run shows it]
    #[arg(long, value_name = "FILE")]
    coverage: Option<PathBuf>,
    /// For S1 to S6: what has changed, as TOML or JSON
    #[arg(long, value_name = "FILE")]
    changes: Option<PathBuf>,
    /// For T1 to T4 and S1 to S6: coverage is of this earlier commit, tag or branch; for S1 to S6, so is what has changed
    #[arg(long, value_name = "REV")]
    since: Option<String>,
    /// Write what tests cover, for --coverage
    #[arg(long, value_name = "FILE")]
    save_coverage: Option<PathBuf>,
    /// Write what has changed, for --changes
    #[arg(long, value_name = "FILE")]
    save_changes: Option<PathBuf>,
    /// Run the tests in that order too; the exit code is then the suite's
    #[arg(long)]
    run: bool,
    /// Only this module, by its path or as :artifact; repeatable
    #[arg(long, value_name = "NAME")]
    module: Vec<String>,
    /// A commit, tag or branch [default: a folder as it stands, the default branch of a repository]
    #[arg(long, value_name = "REV")]
    revision: Option<String>,
    /// For all runs of tests together; the build may take as long again
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = duration)]
    timeout: Duration,
    /// The JDK, by version or path [default: JAVA_HOME, without it the newest that builds the project]
    #[arg(long, value_name = "VERSION|PATH")]
    jdk: Option<String>,
    /// End with one JSON document on standard output
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct DetectArgs {
    /// The folder of a Maven project or of one of its modules, the url of a git repository, or a model suite
    project: String,
    /// Which orders to try, joined by commas: reverse, reverse-classes, reverse-methods, random-classes, random-methods,
    /// random-class-method, random-interleaved, exhaustive, dependence-aware, isolation, pairs [default: a mix that finds most]
    #[arg(long = "strategy", value_name = "NAME,…", value_delimiter = ',', value_parser = strategy)]
    strategies: Vec<Strategy>,
    /// Orders of each random strategy
    #[arg(long, value_name = "N", default_value = "10", value_parser = count)]
    rounds: usize,
    /// Tests in each order of `exhaustive`, and at most in each of `dependence-aware`
    #[arg(long, value_name = "N", default_value = "2", value_parser = count)]
    k: usize,
    /// For the random orders
    #[arg(long, value_name = "N", default_value = "0")]
    seed: u64,
    /// For everything after the build; what it did not suffice for is said
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = duration)]
    budget: Duration,
    /// How often the original order is run first, to set flaky tests aside
    #[arg(long, value_name = "N", default_value = "3", value_parser = count)]
    baseline: usize,
    /// Only this module, by its path or as :artifact; repeatable
    #[arg(long, value_name = "NAME")]
    module: Vec<String>,
    /// A commit, tag or branch [default: a folder as it stands, the default branch of a repository]
    #[arg(long, value_name = "REV")]
    revision: Option<String>,
    /// For the build
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = duration)]
    timeout: Duration,
    /// The folder that results go below
    #[arg(long, value_name = "DIR", default_value = "results")]
    results: PathBuf,
    /// Where the dependency file goes [default: in the result folder]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Start anew instead of going on with an unfinished detection
    #[arg(long)]
    fresh: bool,
    /// The JDK, by version or path [default: the newest that builds the project]
    #[arg(long, value_name = "VERSION|PATH")]
    jdk: Option<String>,
    /// End with one JSON document on standard output
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct AssessArgs {
    /// The folder of a Maven project or of one of its modules, the url of a git repository, or a model suite
    project: String,
    /// For everything; the plan is made to fit [default: what some thirty runs take, 5m to 1h for most]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    budget: Option<Duration>,
    /// How often the suite is run, for hours and money in a month
    #[arg(long, value_name = "N", default_value = "20", value_parser = rate)]
    builds_per_day: f64,
    /// What a core costs for an hour, in any currency
    #[arg(long, value_name = "PRICE", default_value = "0.05", value_parser = rate)]
    price_per_core_hour: f64,
    /// Only this module, by its path or as :artifact; repeatable
    #[arg(long, value_name = "NAME")]
    module: Vec<String>,
    /// A commit, tag or branch [default: a folder as it stands, the default branch of a repository]
    #[arg(long, value_name = "REV")]
    revision: Option<String>,
    /// Cores to use [default: all]
    #[arg(long, value_name = "N")]
    cores: Option<usize>,
    /// For the build, and for the first run
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = duration)]
    timeout: Duration,
    /// The folder that results go below [default: results; for a project that one stands in, results in parade's cache]
    #[arg(long, value_name = "DIR")]
    results: Option<PathBuf>,
    /// Start anew instead of going on with an unfinished assessment
    #[arg(long)]
    fresh: bool,
    /// The JDK, by version or path [default: JAVA_HOME, without it the newest that builds the project]
    #[arg(long, value_name = "VERSION|PATH")]
    jdk: Option<String>,
    /// What to print: md, html or json; without it, text for the terminal
    #[arg(long, value_name = "FORMAT", value_parser = assessment_format)]
    format: Option<assess::Format>,
    /// The same as --format json
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct SimulateArgs {
    /// What tests take: a CSV file with the columns test and seconds, a JUnit report, or a folder of reports
    source: PathBuf,
    /// Dependencies between the tests, which P1 to P3 then keep
    #[arg(long, value_name = "FILE")]
    dependencies: Option<PathBuf>,
    /// Numbers of machines, or of threads, joined by commas
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = simulated_machines, default_value = "1,2,4,8,16,32,64")]
    machines: Vec<usize>,
    /// Who decides what runs where, joined by commas: P1 to P3 spread tests over machines; classes and methods are threads of
    /// one machine that take the next class or test
    #[arg(long = "algorithm", value_name = "NAME,…", value_delimiter = ',', value_parser = scheduler, default_value = "P1,P2,P3,classes,methods")]
    algorithms: Vec<Scheduler>,
    /// Print a JSON array instead of a table
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct InitArgs {
    /// The experiment file
    #[arg(default_value = "experiment.toml")]
    file: PathBuf,
    /// What to run: a folder, the url of a git repository, or a model suite [default: the current folder if it has a pom.xml]
    #[arg(long, value_name = "PATH|URL")]
    subject: Option<String>,
    /// Replace a file that is there
    #[arg(long)]
    force: bool,
    /// Print one JSON document instead of what to do next
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
    among(text, Format::ALL, Format::name)
}

fn verdict(text: &str) -> Result<Verdict, String> {
    among(text, Verdict::ALL, Verdict::name)
}

fn comparison_format(text: &str) -> Result<compare::Format, String> {
    among(text, compare::Format::ALL, compare::Format::name)
}

fn technique(text: &str) -> Result<TechniqueKind, String> {
    let known = [TechniqueKind::Paste, TechniqueKind::Parallel, TechniqueKind::Sequential];
    among(text, known, TechniqueKind::name)
}

fn strategy(text: &str) -> Result<Strategy, String> {
    among(text, Strategy::ALL, Strategy::name)
}

fn count(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=1_000_000).contains(number));
    number.ok_or_else(|| "write a whole number from 1 to 1000000".to_owned())
}

fn mode(text: &str) -> Result<Mode, String> {
    among(text, Mode::ALL, Mode::name)
}

fn engine(text: &str) -> Result<EngineKind, String> {
    among(text, EngineKind::CHOICES, EngineKind::name)
}

fn algorithm(text: &str) -> Result<Algorithm, String> {
    among(text, Algorithm::ALL, Algorithm::name)
}

fn machines(text: &str) -> Result<usize, String> {
    const MOST: usize = 10_000;
    text.parse()
        .ok()
        .filter(|number| (1..=MOST).contains(number))
        .ok_or_else(|| format!("write a number from 1 to {MOST}"))
}

fn assessment_format(text: &str) -> Result<assess::Format, String> {
    among(text, assess::Format::ALL, assess::Format::name)
}

fn rate(text: &str) -> Result<f64, String> {
    let sensible = |rate: &f64| (0.0..=1e9).contains(rate);
    text.parse().ok().filter(sensible).ok_or_else(|| "write a number from 0 on, e.g. 0.05".to_owned())
}

fn simulated_machines(text: &str) -> Result<usize, String> {
    const MOST: usize = 1_000_000;
    let number = text.trim().parse().ok().filter(|number| (1..=MOST).contains(number));
    number.ok_or_else(|| format!("write numbers from 1 to {MOST}, joined by commas"))
}

fn scheduler(text: &str) -> Result<Scheduler, String> {
    among(text.trim(), Scheduler::ALL, Scheduler::name)
}

fn alternative(text: &str) -> Result<Alternative, String> {
    among(text, Alternative::ALL, Alternative::name)
}

fn zeros(text: &str) -> Result<Zeros, String> {
    among(text, Zeros::ALL, Zeros::name)
}

fn method(text: &str) -> Result<Method, String> {
    among(text, Method::ALL, Method::name)
}

fn level(text: &str) -> Result<f64, String> {
    let inside = |level: &f64| *level > 0.0 && *level < 1.0;
    text.parse().ok().filter(inside).ok_or_else(|| "write a share between 0 and 1, e.g. 0.95".to_owned())
}

fn duration(text: &str) -> Result<Duration, String> {
    let sensible = |duration: &Duration| !duration.is_zero() && *duration <= Duration::from_secs(30 * 86_400);
    parse_duration(text).filter(sensible).ok_or_else(|| "write e.g. 90s, 10m or 1h30m, at most 30d".to_owned())
}

fn among<T: Copy, const N: usize>(text: &str, known: [T; N], name: fn(T) -> &'static str) -> Result<T, String> {
    let found = known.into_iter().find(|each| name(*each) == text);
    found.ok_or_else(|| format!("write one of {}", known.map(name).join(", ")))
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
                timeline: args.timeline,
                json: args.json,
            }),
            Command::Stats(args) => stats::run(&stats::StatsOptions {
                file: args.file,
                baseline: args.baseline,
                candidate: args.candidate,
                alternative: args.alternative,
                zeros: args.zero,
                method: args.method,
                level: args.level,
                seed: args.seed,
                json: args.json,
            }),
            Command::Audit(args) => audit::run(&audit::AuditOptions {
                studies: args.studies,
                folder: args.folder,
                run: args.run,
                only: args.only,
                claim: args.claim,
                strict: args.strict,
                json: args.json,
            }),
            Command::Compare(args) => compare::run(&compare::CompareOptions {
                first: args.first,
                second: args.second,
                format: args.format,
                json: args.json,
            }),
            Command::Merge(args) => merge::run(&merge::MergeOptions {
                runs: args.runs,
                out: args.out,
                repetitions: args.repetitions,
                json: args.json,
            }),
            Command::Artifact(args) => artifact::run(&artifact::ArtifactOptions {
                run_dir: args.run_dir,
                out: args.out,
                experiment: args.experiment,
                anonymous: args.anonymous,
                json: args.json,
            }),
            Command::Test(args) => test::run(&test::TestOptions {
                project: args.project,
                technique: args.technique,
                parallel: args.parallel,
                threads: args.threads,
                forks: args.forks,
                modules: args.modules,
                rerun_engine: args.rerun_engine,
                module: args.module,
                revision: args.revision,
                cores: args.cores,
                timeout: args.timeout,
                test_timeout: args.test_timeout,
                reports: args.reports,
                jdk: args.jdk,
                json: args.json,
            }),
            Command::Order(args) => order::run(&order::OrderOptions {
                project: args.project,
                algorithm: args.algorithm,
                dependencies: args.dependencies,
                machines: args.machines,
                durations: args.durations,
                coverage: args.coverage,
                changes: args.changes,
                since: args.since,
                save_coverage: args.save_coverage,
                save_changes: args.save_changes,
                run: args.run,
                module: args.module,
                revision: args.revision,
                timeout: args.timeout,
                jdk: args.jdk,
                json: args.json,
            }),
            Command::Detect(args) => detect::run(&detect::DetectOptions {
                project: args.project,
                strategies: args.strategies,
                rounds: args.rounds,
                k: args.k,
                seed: args.seed,
                budget: args.budget,
                baseline: args.baseline,
                module: args.module,
                revision: args.revision,
                timeout: args.timeout,
                results: args.results,
                out: args.out,
                fresh: args.fresh,
                jdk: args.jdk,
                json: args.json,
            }),
            Command::Assess(args) => assess::run(&assess::AssessOptions {
                project: args.project,
                budget: args.budget,
                builds_per_day: args.builds_per_day,
                price_per_core_hour: args.price_per_core_hour,
                module: args.module,
                revision: args.revision,
                cores: args.cores,
                timeout: args.timeout,
                results: args.results,
                fresh: args.fresh,
                jdk: args.jdk,
                format: args.format,
                json: args.json,
            }),
            Command::Simulate(args) => simulate::run(&simulate::SimulateOptions {
                source: args.source,
                dependencies: args.dependencies,
                machines: args.machines,
                algorithms: args.algorithms,
                json: args.json,
            }),
            Command::Init(args) => init::run(&init::InitOptions {
                file: args.file,
                subject: args.subject,
                force: args.force,
                json: args.json,
            }),
            Command::Doctor(args) => doctor::run(&doctor::DoctorOptions { prepare: args.prepare, json: args.json }),
        }
    }
}
