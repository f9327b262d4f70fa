//! What each command is told, with the help that it prints. Texts that several commands share are written once.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::values;
use crate::commands::report::Format;
use crate::commands::{assess, compare};
use parade::engine::{EngineKind, Forks, Mode};
use parade::experiment::TechniqueKind;
use parade::simulation::Scheduler;
use parade::stats::{Alternative, Method, Zeros};
use parade::study::Verdict;
use parade::technique::algorithm::Algorithm;
use parade::technique::detect::Strategy;

#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    /// The experiment file
    pub(super) file: PathBuf,
    /// As `run --quick` would run it
    #[arg(long)]
    pub(super) quick: bool,
    /// As `run --only` would run it
    #[arg(long, value_name = "FILTER")]
    pub(super) only: Vec<String>,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct RunArgs {
    /// The experiment file
    pub(super) file: PathBuf,
    /// The folder that results go below
    #[arg(long, value_name = "DIR", default_value = "results")]
    pub(super) out: PathBuf,
    /// Start a new run instead of going on with the last one
    #[arg(long)]
    pub(super) fresh: bool,
    /// One repetition on the largest core count, to try things out: not for publication
    #[arg(long)]
    pub(super) quick: bool,
    /// Print the plan and touch nothing
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Go on with an unfinished run although the machine or the experiment has changed
    #[arg(long)]
    pub(super) accept_changes: bool,
    /// Run those trials again that did not complete
    #[arg(long)]
    pub(super) retry: bool,
    /// Run only matching trials: `subject=GLOB`, `configuration=GLOB`, `cores=N`, joined by commas; repeatable
    #[arg(long, value_name = "FILTER")]
    pub(super) only: Vec<String>,
    /// Run all subjects on this JDK, by version or path, whatever the file says
    #[arg(long, value_name = "VERSION|PATH")]
    pub(super) jdk: Option<String>,
    /// End with one JSON object on standard output
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// The folder of a run, such as results/quickstart/latest
    pub(super) run_dir: PathBuf,
    /// What to print: html, md, latex, csv or json; without it, tables for the terminal
    #[arg(long, value_name = "FORMAT", value_parser = values::format)]
    pub(super) format: Option<Format>,
    /// Only this table, e.g. failures, speedups, subjects
    #[arg(long, value_name = "NAME")]
    pub(super) table: Option<String>,
    /// Draw what ran where and when in this trial, as SVG and PNG
    #[arg(long, value_name = "TRIAL")]
    pub(super) timeline: Option<String>,
    /// The same as --format json
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct StatsArgs {
    /// A CSV file whose first row names the columns; - is standard input
    pub(super) file: PathBuf,
    /// The column that the other one is compared with
    #[arg(long, value_name = "COLUMN")]
    pub(super) baseline: String,
    /// The other column
    #[arg(long, value_name = "COLUMN")]
    pub(super) candidate: String,
    /// What the tests ask about the baseline: two-sided, less or greater
    #[arg(long, value_name = "SIDE", default_value = "two-sided", value_parser = values::alternative)]
    pub(super) alternative: Alternative,
    /// What becomes of rows that do not differ in Wilcoxon's test: wilcox (left out), pratt or zsplit
    #[arg(long, value_name = "WAY", default_value = "wilcox", value_parser = values::zeros)]
    pub(super) zero: Zeros,
    /// How p-values are found: exact or asymptotic [default: exact as long as it is feasible]
    #[arg(long, value_name = "METHOD", value_parser = values::method)]
    pub(super) method: Option<Method>,
    /// Of the confidence intervals, between 0 and 1
    #[arg(long, value_name = "SHARE", default_value = "0.95", value_parser = values::level)]
    pub(super) level: f64,
    /// Of the bootstrap
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct AuditArgs {
    /// The studies [default: all]
    #[arg(value_name = "STUDY")]
    pub(super) studies: Vec<String>,
    /// A folder of studies, or of one, in place of those that parade brings along
    #[arg(long = "studies", value_name = "DIR")]
    pub(super) folder: Option<PathBuf>,
    /// The folder of a run of your own, such as results/paste/latest, to put beside what is published
    #[arg(long, value_name = "DIR")]
    pub(super) run: Option<PathBuf>,
    /// Only claims with this verdict: holds, differs or not_computable; repeatable
    #[arg(long, value_name = "VERDICT", value_parser = values::verdict)]
    pub(super) only: Vec<Verdict>,
    /// One claim, by its id or as study/id: its expression, the values used and every step
    #[arg(long, value_name = "ID")]
    pub(super) claim: Option<String>,
    /// Exit with 3 if a claim differs from its rows
    #[arg(long)]
    pub(super) strict: bool,
    /// Print a JSON array instead of tables
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct CompareArgs {
    /// The folder of a run
    pub(super) first: PathBuf,
    /// The folder of another, of the same experiment or of one that shares something with it
    pub(super) second: PathBuf,
    /// What to print: html, md, csv or json; without it, tables for the terminal
    #[arg(long, value_name = "FORMAT", value_parser = values::comparison_format)]
    pub(super) format: Option<compare::Format>,
    /// The same as --format json
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct MergeArgs {
    /// The folders of the runs, two or more
    #[arg(required = true, num_args = 2.., value_name = "RUN_DIR")]
    pub(super) runs: Vec<PathBuf>,
    /// The folder of the merged run; it must not be there yet
    #[arg(long, value_name = "DIR")]
    pub(super) out: PathBuf,
    /// Where runs have the same subjects, count each further run's blocks as further repetitions
    #[arg(long)]
    pub(super) repetitions: bool,
    /// Print one JSON document instead of the report
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct ArtifactArgs {
    /// The folder of a run, such as results/quickstart/latest
    pub(super) run_dir: PathBuf,
    /// The folder to make; it must not be there yet [default: <experiment>-artifact]
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// The experiment file, where the run does not say where it lay
    #[arg(long, value_name = "FILE")]
    pub(super) experiment: Option<PathBuf>,
    /// For blind review: without names of hosts and users, and without paths
    #[arg(long)]
    pub(super) anonymous: bool,
    /// Print one JSON document instead of what was made
    #[arg(long)]
    pub(super) json: bool,
}

// Which tests are meant. Not a doc comment: clap would print it as the help of the whole command.
#[derive(Debug, Args)]
pub(super) struct SuiteArgs {
    /// The folder of a Maven project or of one of its modules, the url of a git repository, or a model suite
    pub(super) project: String,
    /// Only this module, by its path or as :artifact; repeatable
    #[arg(long, value_name = "NAME")]
    pub(super) module: Vec<String>,
    /// A commit, tag or branch [default: a folder as it stands, the default branch of a repository]
    #[arg(long, value_name = "REV")]
    pub(super) revision: Option<String>,
}

// The JDK of a project that is run as its developers run it.
#[derive(Debug, Args)]
pub(super) struct JdkArgs {
    /// The JDK, by version or path [default: JAVA_HOME, without it the newest that builds the project]
    #[arg(long, value_name = "VERSION|PATH")]
    pub(super) jdk: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct TestArgs {
    /// What runs when: paste (in parallel, then what failed again), parallel or sequential
    #[arg(long, value_name = "NAME", default_value = "paste", value_parser = values::technique)]
    pub(super) technique: TechniqueKind,
    /// What may run at the same time: classes, methods, classesAndMethods, or project: as the pom has it [default: classes]
    #[arg(long, value_name = "MODE", value_parser = values::mode)]
    pub(super) parallel: Option<Mode>,
    /// Threads in each process [default: one for each core, at least 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(super) threads: Option<u32>,
    /// Processes: a number, or a multiple of the cores such as 1C [default: 1]
    #[arg(long, value_name = "N")]
    pub(super) forks: Option<Forks>,
    /// Modules that run at the same time: a number, or a multiple of the cores such as 1C [default: 1]
    #[arg(long, value_name = "N")]
    pub(super) modules: Option<Forks>,
    /// What runs again what failed: direct (parade's own runner) or surefire (Maven) [default: direct]
    #[arg(long, value_name = "NAME", value_parser = values::engine)]
    pub(super) rerun_engine: Option<EngineKind>,
    #[command(flatten)]
    pub(super) suite: SuiteArgs,
    /// Cores to use [default: all]
    #[arg(long, value_name = "N")]
    pub(super) cores: Option<usize>,
    /// For all tests together, reruns included; the build may take as long again
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = values::duration)]
    pub(super) timeout: Duration,
    /// For a single test that is run again by the direct engine
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    pub(super) test_timeout: Option<Duration>,
    /// Where JUnit XML goes, as `<module>/TEST-<class>.xml`
    #[arg(long, value_name = "DIR", default_value = "parade-reports")]
    pub(super) reports: PathBuf,
    #[command(flatten)]
    pub(super) jdk: JdkArgs,
    /// End with one JSON document on standard output
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct OrderArgs {
    /// T1 to T4 prioritize, S1 to S6 select, P1 to P3 parallelize
    #[arg(long, value_name = "NAME", value_parser = values::algorithm)]
    pub(super) algorithm: Algorithm,
    /// Dependencies between the tests, which the order then keeps
    #[arg(long, value_name = "FILE")]
    pub(super) dependencies: Option<PathBuf>,
    /// For P1 to P3 [default: 2]
    #[arg(long, value_name = "N", value_parser = values::machines)]
    pub(super) machines: Option<usize>,
    /// For P1 to P3: what tests take, as CSV with the columns test and seconds [default: a run shows it]
    #[arg(long, value_name = "FILE")]
    pub(super) durations: Option<PathBuf>,
    /// For T1 to T4 and S1 to S6: what tests cover, as TOML or JSON [default: a run shows it]
    #[arg(long, value_name = "FILE")]
    pub(super) coverage: Option<PathBuf>,
    /// For S1 to S6: what has changed, as TOML or JSON
    #[arg(long, value_name = "FILE")]
    pub(super) changes: Option<PathBuf>,
    /// For T1 to T4 and S1 to S6: coverage is of this earlier commit, tag or branch; for S1 to S6, so is what has changed
    #[arg(long, value_name = "REV")]
    pub(super) since: Option<String>,
    /// Write what tests cover, for --coverage
    #[arg(long, value_name = "FILE")]
    pub(super) save_coverage: Option<PathBuf>,
    /// Write what has changed, for --changes
    #[arg(long, value_name = "FILE")]
    pub(super) save_changes: Option<PathBuf>,
    /// Run the tests in that order too; the exit code is then the suite's
    #[arg(long)]
    pub(super) run: bool,
    #[command(flatten)]
    pub(super) suite: SuiteArgs,
    /// For all runs of tests together; the build may take as long again
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = values::duration)]
    pub(super) timeout: Duration,
    #[command(flatten)]
    pub(super) jdk: JdkArgs,
    /// End with one JSON document on standard output
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct DetectArgs {
    /// Which orders to try, joined by commas: reverse, reverse-classes, reverse-methods, random-classes, random-methods,
    /// random-class-method, random-interleaved, exhaustive, dependence-aware, isolation, pairs [default: a mix that finds most]
    #[arg(long = "strategy", value_name = "NAME,…", value_delimiter = ',', value_parser = values::strategy)]
    pub(super) strategies: Vec<Strategy>,
    /// Orders of each random strategy
    #[arg(long, value_name = "N", default_value = "10", value_parser = values::count)]
    pub(super) rounds: usize,
    /// Tests in each order of `exhaustive`, and at most in each of `dependence-aware`
    #[arg(long, value_name = "N", default_value = "2", value_parser = values::count)]
    pub(super) k: usize,
    /// For the random orders
    #[arg(long, value_name = "N", default_value = "0")]
    pub(super) seed: u64,
    /// For everything after the build and a first run of the tests; what it did not suffice for is said
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = values::duration)]
    pub(super) budget: Duration,
    /// How often the original order is run first, to set flaky tests aside; twice at most where a budget is short
    #[arg(long, value_name = "N", default_value = "3", value_parser = values::count)]
    pub(super) baseline: usize,
    #[command(flatten)]
    pub(super) suite: SuiteArgs,
    /// For the build; the first run of the tests may take as long as the budget, or 5m if that is more, and no longer than this
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = values::duration)]
    pub(super) timeout: Duration,
    /// The folder that results go below
    #[arg(long, value_name = "DIR", default_value = "results")]
    pub(super) results: PathBuf,
    /// Where the dependency file goes [default: in the result folder]
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
    /// Start anew instead of going on with an unfinished detection
    #[arg(long)]
    pub(super) fresh: bool,
    /// The JDK, by version or path [default: the newest that builds the project]
    #[arg(long, value_name = "VERSION|PATH")]
    pub(super) jdk: Option<String>,
    /// End with one JSON document on standard output
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct AssessArgs {
    /// For everything; the plan is made to fit [default: what some thirty runs take, 5m to 1h for most]
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    pub(super) budget: Option<Duration>,
    /// How often the suite is run, for hours and money in a month
    #[arg(long, value_name = "N", default_value = "20", value_parser = values::rate)]
    pub(super) builds_per_day: f64,
    /// What a core costs for an hour, in any currency
    #[arg(long, value_name = "PRICE", default_value = "0.05", value_parser = values::rate)]
    pub(super) price_per_core_hour: f64,
    #[command(flatten)]
    pub(super) suite: SuiteArgs,
    /// Cores to use [default: all]
    #[arg(long, value_name = "N")]
    pub(super) cores: Option<usize>,
    /// For the build, and for the first run
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = values::duration)]
    pub(super) timeout: Duration,
    /// The folder that results go below [default: results; for a project that one stands in, results in parade's cache]
    #[arg(long, value_name = "DIR")]
    pub(super) results: Option<PathBuf>,
    /// Start anew instead of going on with an unfinished assessment
    #[arg(long)]
    pub(super) fresh: bool,
    #[command(flatten)]
    pub(super) jdk: JdkArgs,
    /// What to print: md, html or json; without it, text for the terminal
    #[arg(long, value_name = "FORMAT", value_parser = values::assessment_format)]
    pub(super) format: Option<assess::Format>,
    /// The same as --format json
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct SimulateArgs {
    /// What tests take: a CSV file with the columns test and seconds, a JUnit report, or a folder of reports
    pub(super) source: PathBuf,
    /// Dependencies between the tests, which P1 to P3 then keep
    #[arg(long, value_name = "FILE")]
    pub(super) dependencies: Option<PathBuf>,
    /// Numbers of machines, or of threads, joined by commas
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = values::simulated_machines, default_value = "1,2,4,8,16,32,64")]
    pub(super) machines: Vec<usize>,
    /// Who decides what runs where, joined by commas: P1 to P3 spread tests over machines; classes and methods are threads of
    /// one machine that take the next class or test
    #[arg(long = "algorithm", value_name = "NAME,…", value_delimiter = ',', value_parser = values::scheduler, default_value = "P1,P2,P3,classes,methods")]
    pub(super) algorithms: Vec<Scheduler>,
    /// Print a JSON array instead of a table
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct InitArgs {
    /// The experiment file
    #[arg(default_value = "experiment.toml")]
    pub(super) file: PathBuf,
    /// What to run: a folder, the url of a git repository, or a model suite [default: the current folder if it has a pom.xml]
    #[arg(long, value_name = "PATH|URL")]
    pub(super) subject: Option<String>,
    /// Replace a file that is there
    #[arg(long)]
    pub(super) force: bool,
    /// Print one JSON document instead of what to do next
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct DoctorArgs {
    /// Compile the JVM helper and fetch what it needs, for a machine that will be offline
    #[arg(long)]
    pub(super) prepare: bool,
    /// Print one JSON document instead of a list
    #[arg(long)]
    pub(super) json: bool,
}
