//! What each command is told, with the help that it prints. Texts that several commands share are written once.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::values;
use crate::commands::report::Format;
use crate::commands::{assess, compare};
use parade::engine::{EngineKind, Forks, Mode};
use parade::simulation::Scheduler;
use parade::stats::{Alternative, Method, Zeros};
use parade::study::Verdict;
use parade::technique::TechniqueKind;
use parade::technique::algorithm::Algorithm;
use parade::technique::detect::Strategy;

#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    /// The experiment file
    pub(super) file: PathBuf,
    /// Check the plan of `run --quick`
    #[arg(long)]
    pub(super) quick: bool,
    /// Check the plan of `run --only FILTER`; repeatable
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
    /// Write results below this folder
    #[arg(long, value_name = "DIR", default_value = "results")]
    pub(super) out: PathBuf,
    /// Start a new run instead of resuming the last one
    #[arg(long)]
    pub(super) fresh: bool,
    /// Run each cell once, on the largest core count only: a quick try, not for publication
    #[arg(long)]
    pub(super) quick: bool,
    /// Print the plan and exit; nothing is built, run or written
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Resume even if the machine or the experiment file has changed since the run began
    #[arg(long)]
    pub(super) accept_changes: bool,
    /// Rerun the trials that did not complete (build_failed, harness_error)
    #[arg(long)]
    pub(super) retry: bool,
    /// Run only matching trials: `subject=GLOB`, `configuration=GLOB`, `cores=N`, separated by commas; repeatable
    #[arg(long, value_name = "FILTER")]
    pub(super) only: Vec<String>,
    /// Use this JDK for all subjects (version or path); overrides the experiment file
    #[arg(long, value_name = "VERSION|PATH")]
    pub(super) jdk: Option<String>,
    /// Print one JSON document on standard output at the end
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// The run folder, for example results/quickstart/latest
    pub(super) run_dir: PathBuf,
    /// Output format: html, md, latex, csv or json [default: tables for the terminal]
    #[arg(long, value_name = "FORMAT", value_parser = values::format)]
    pub(super) format: Option<Format>,
    /// Print only this table, for example failures, speedups or subjects
    #[arg(long, value_name = "NAME")]
    pub(super) table: Option<String>,
    /// Draw the timeline of this trial (which worker ran which test when) as SVG and PNG
    #[arg(long, value_name = "TRIAL")]
    pub(super) timeline: Option<String>,
    /// Same as --format json
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct StatsArgs {
    /// A CSV file with column names in its first row; `-` reads standard input
    pub(super) file: PathBuf,
    /// The baseline column
    #[arg(long, value_name = "COLUMN")]
    pub(super) baseline: String,
    /// The column to compare with the baseline
    #[arg(long, value_name = "COLUMN")]
    pub(super) candidate: String,
    /// The alternative hypothesis about the baseline: two-sided, less or greater
    #[arg(long, value_name = "SIDE", default_value = "two-sided", value_parser = values::alternative)]
    pub(super) alternative: Alternative,
    /// How Wilcoxon's test treats pairs with no difference: wilcox (drops them), pratt or zsplit
    #[arg(long, value_name = "METHOD", default_value = "wilcox", value_parser = values::zeros)]
    pub(super) zero: Zeros,
    /// How to compute p-values: exact or asymptotic [default: exact where feasible]
    #[arg(long, value_name = "METHOD", value_parser = values::method)]
    pub(super) method: Option<Method>,
    /// Confidence level of the intervals, between 0 and 1
    #[arg(long, value_name = "SHARE", default_value = "0.95", value_parser = values::level)]
    pub(super) level: f64,
    /// Random seed of the bootstrap
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct AuditArgs {
    /// The studies to audit [default: all]
    #[arg(value_name = "STUDY")]
    pub(super) studies: Vec<String>,
    /// Read studies from this folder instead of the built-in ones
    #[arg(long = "studies", value_name = "DIR")]
    pub(super) folder: Option<PathBuf>,
    /// Compare the published values with your own run, for example results/paste/latest
    #[arg(long, value_name = "DIR")]
    pub(super) run: Option<PathBuf>,
    /// Show only claims with this verdict: holds, differs or not_computable; repeatable
    #[arg(long, value_name = "VERDICT", value_parser = values::verdict)]
    pub(super) only: Vec<Verdict>,
    /// Explain one claim (id or study/id): its expression, its input values and every step
    #[arg(long, value_name = "ID")]
    pub(super) claim: Option<String>,
    /// Exit with code 3 if a shown claim differs from the published rows
    #[arg(long)]
    pub(super) strict: bool,
    /// Print a JSON array instead of tables
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct CompareArgs {
    /// The first run folder
    pub(super) first: PathBuf,
    /// The second run folder; both runs must share at least one cell
    pub(super) second: PathBuf,
    /// Output format: html, md, csv or json [default: tables for the terminal]
    #[arg(long, value_name = "FORMAT", value_parser = values::comparison_format)]
    pub(super) format: Option<compare::Format>,
    /// Same as --format json
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct MergeArgs {
    /// Two or more run folders
    #[arg(required = true, num_args = 2.., value_name = "RUN_DIR")]
    pub(super) runs: Vec<PathBuf>,
    /// The folder to create for the merged run; it must not exist
    #[arg(long, value_name = "DIR")]
    pub(super) out: PathBuf,
    /// If two runs contain the same subject, count the later run's blocks as further repetitions
    #[arg(long)]
    pub(super) repetitions: bool,
    /// Print one JSON document instead of the report
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct ArtifactArgs {
    /// The run folder, for example results/quickstart/latest
    pub(super) run_dir: PathBuf,
    /// The folder to create; it must not exist [default: <experiment>-artifact]
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// The experiment file, if the run folder does not record its location
    #[arg(long, value_name = "FILE")]
    pub(super) experiment: Option<PathBuf>,
    /// For blind review: remove host names, user names and absolute paths
    #[arg(long)]
    pub(super) anonymous: bool,
    /// Print one JSON document instead of a summary
    #[arg(long)]
    pub(super) json: bool,
}

// Which tests are meant. Not a doc comment: clap would print it as the help of the whole command.
#[derive(Debug, Args)]
pub(super) struct SuiteArgs {
    /// A Maven or pytest project (folder), a module of it, a git URL, or a model suite
    pub(super) project: String,
    /// Run only this module, given as a path or as `:artifact`; repeatable
    #[arg(long, value_name = "NAME")]
    pub(super) module: Vec<String>,
    /// A commit, tag or branch [default: the current files of the folder, or the repository's default branch]
    #[arg(long, value_name = "REV")]
    pub(super) revision: Option<String>,
}

// How the project's Maven is started.
#[derive(Debug, Args)]
pub(super) struct MavenArgs {
    /// The Maven to use: bin/mvn or its installation folder [default: MAVEN_HOME, the project's wrapper (mvnw), mvn on the PATH]
    #[arg(long, value_name = "PATH")]
    pub(super) maven: Option<PathBuf>,
    /// A settings.xml for Maven, as for `mvn --settings`
    #[arg(long, value_name = "FILE")]
    pub(super) settings: Option<PathBuf>,
    /// The Python interpreter of a pytest project [default: PARADE_PYTHON, python3 on the PATH]
    #[arg(long, value_name = "PATH")]
    pub(super) python: Option<PathBuf>,
    /// Set an environment variable for the build and the tests; NAME alone passes on its current value; repeatable
    #[arg(long = "env", value_name = "NAME[=VALUE]")]
    pub(super) environment: Vec<String>,
    /// Memory for all processes of the build or of one run together, for example 4GiB [default: no limit]
    #[arg(long, value_name = "SIZE", value_parser = values::memory)]
    pub(super) memory: Option<u64>,
    /// Options for Maven, such as -Pfast or -Dname=value
    #[arg(last = true, value_name = "MAVEN_OPTION", allow_hyphen_values = true)]
    pub(super) maven_args: Vec<String>,
}

// The JDK of a project that is run as its developers run it.
#[derive(Debug, Args)]
pub(super) struct JdkArgs {
    /// The JDK to use, by version or path [default: the JDK that mvn would use]
    #[arg(long, value_name = "VERSION|PATH")]
    pub(super) jdk: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct TestArgs {
    /// The technique: paste (parallel, then rerun failures), parallel (no reruns) or sequential
    #[arg(long, value_name = "NAME", default_value = "paste", value_parser = values::technique)]
    pub(super) technique: TechniqueKind,
    /// The parallel mode: classes, methods, classesAndMethods, or project (the pom's own settings) [default: classes]
    #[arg(long, value_name = "MODE", value_parser = values::mode)]
    pub(super) parallel: Option<Mode>,
    /// Threads per test process (pytest: worker processes) [default: one per core, at least 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(super) threads: Option<u32>,
    /// Test processes (forks): a number, or a multiple of the cores such as 1C [default: 1]
    #[arg(long, value_name = "N")]
    pub(super) forks: Option<Forks>,
    /// Modules to run at the same time: a number, or a multiple of the cores such as 1C [default: 1]
    #[arg(long, value_name = "N")]
    pub(super) modules: Option<Forks>,
    /// Maven projects: the engine for reruns, direct (parade's own runner) or surefire (Maven) [default: direct]
    #[arg(long, value_name = "NAME", value_parser = values::engine)]
    pub(super) rerun_engine: Option<EngineKind>,
    #[command(flatten)]
    pub(super) suite: SuiteArgs,
    #[command(flatten)]
    pub(super) maven: MavenArgs,
    /// Cores to use [default: all]
    #[arg(long, value_name = "N")]
    pub(super) cores: Option<usize>,
    /// Time limit for all test runs together, including reruns; the build has the same limit again
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = values::duration)]
    pub(super) timeout: Duration,
    /// Time limit for one test in a rerun by the direct engine
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    pub(super) test_timeout: Option<Duration>,
    /// Write JUnit XML here, as `<module>/TEST-<class>.xml` [default: a folder in parade's cache, which is printed]
    #[arg(long, value_name = "DIR")]
    pub(super) reports: Option<PathBuf>,
    /// Exit with 0 even if the project has no tests
    #[arg(long)]
    pub(super) allow_no_tests: bool,
    #[command(flatten)]
    pub(super) jdk: JdkArgs,
    /// Print one JSON document on standard output at the end
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct OrderArgs {
    /// The algorithm: T1 to T4 prioritize, S1 to S6 select, P1 to P3 parallelize
    #[arg(long, value_name = "NAME", value_parser = values::algorithm)]
    pub(super) algorithm: Algorithm,
    /// A dependency file; the order then respects these dependencies
    #[arg(long, value_name = "FILE")]
    pub(super) dependencies: Option<PathBuf>,
    /// P1 to P3: the number of machines [default: 2]
    #[arg(long, value_name = "N", value_parser = values::machines)]
    pub(super) machines: Option<usize>,
    /// P1 to P3: test durations: a CSV file with columns test and seconds, a JUnit XML report, or a folder of reports [default: measured in a run]
    #[arg(long, value_name = "FILE")]
    pub(super) durations: Option<PathBuf>,
    /// T1 to T4, S1 to S6: the coverage of each test, as TOML or JSON [default: measured in a run]
    #[arg(long, value_name = "FILE")]
    pub(super) coverage: Option<PathBuf>,
    /// S1 to S6: the changed lines and methods, as TOML or JSON
    #[arg(long, value_name = "FILE")]
    pub(super) changes: Option<PathBuf>,
    /// T1 to T4, S1 to S6: measure coverage on this earlier commit, tag or branch; S1 to S6 select by the changes since then
    #[arg(long, value_name = "REV")]
    pub(super) since: Option<String>,
    /// Save the coverage to a file that --coverage can read
    #[arg(long, value_name = "FILE")]
    pub(super) save_coverage: Option<PathBuf>,
    /// Save the changes to a file that --changes can read
    #[arg(long, value_name = "FILE")]
    pub(super) save_changes: Option<PathBuf>,
    /// Also run the tests in that order; the exit code is then 1 if a test fails
    #[arg(long)]
    pub(super) run: bool,
    #[command(flatten)]
    pub(super) suite: SuiteArgs,
    #[command(flatten)]
    pub(super) maven: MavenArgs,
    /// Time limit for all test runs together; the build has the same limit again
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = values::duration)]
    pub(super) timeout: Duration,
    #[command(flatten)]
    pub(super) jdk: JdkArgs,
    /// Print one JSON document on standard output at the end
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct DetectArgs {
    /// The test orders to try, separated by commas: reverse, reverse-classes, reverse-methods, random-classes, random-methods,
    /// random-class-method, random-interleaved, exhaustive, dependence-aware, isolation, pairs [default: a mix of these]
    #[arg(long = "strategy", value_name = "NAME,…", value_delimiter = ',', value_parser = values::strategy)]
    pub(super) strategies: Vec<Strategy>,
    /// Also report failures that need interleaved classes; no build runs tests in such an order
    #[arg(long)]
    pub(super) interleave: bool,
    /// The number of orders for each random strategy
    #[arg(long, value_name = "N", default_value = "10", value_parser = values::count)]
    pub(super) rounds: usize,
    /// The length of each order for `exhaustive`, and the maximum length for `dependence-aware`
    #[arg(long, value_name = "N", default_value = "2", value_parser = values::count)]
    pub(super) k: usize,
    /// Random seed of the random orders
    #[arg(long, value_name = "N", default_value = "0")]
    pub(super) seed: u64,
    /// Time budget after the build and the first test run; the result lists what the budget did not cover
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = values::duration)]
    pub(super) budget: Duration,
    /// How often to run the original order first, to set flaky tests aside; at most twice with a short budget
    #[arg(long, value_name = "N", default_value = "3", value_parser = values::count)]
    pub(super) baseline: usize,
    #[command(flatten)]
    pub(super) suite: SuiteArgs,
    #[command(flatten)]
    pub(super) maven: MavenArgs,
    /// Time limit of the build; the first test run may take the budget or 5m, whichever is longer, but not more than this
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = values::duration)]
    pub(super) timeout: Duration,
    /// Write results below this folder [default: results in parade's cache]
    #[arg(long, value_name = "DIR")]
    pub(super) results: Option<PathBuf>,
    /// Write the dependency file here [default: in the result folder]
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
    /// Start a new detection instead of resuming an unfinished one
    #[arg(long)]
    pub(super) fresh: bool,
    /// The JDK to use, by version or path [default: the JDK that mvn would use]
    #[arg(long, value_name = "VERSION|PATH")]
    pub(super) jdk: Option<String>,
    /// Print one JSON document on standard output at the end
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct AssessArgs {
    /// Time budget for everything, including the build [default: about thirty suite runs, usually 5m to 1h]
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    pub(super) budget: Option<Duration>,
    /// Suite runs per day, for the monthly savings
    #[arg(long, value_name = "N", default_value = "20", value_parser = values::rate)]
    pub(super) builds_per_day: f64,
    /// The price of one core for one hour, e.g. 0.05 or "0.05 EUR"; without it, no money is computed
    #[arg(long, value_name = "PRICE", value_parser = values::price)]
    pub(super) price_per_core_hour: Option<assess::Price>,
    /// The currency of the price, e.g. EUR
    #[arg(long, value_name = "NAME", value_parser = values::currency)]
    pub(super) currency: Option<String>,
    #[command(flatten)]
    pub(super) suite: SuiteArgs,
    #[command(flatten)]
    pub(super) maven: MavenArgs,
    /// Cores to use [default: all]
    #[arg(long, value_name = "N")]
    pub(super) cores: Option<usize>,
    /// Time limit of the build, and of the first test run
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = values::duration)]
    pub(super) timeout: Duration,
    /// Write results below this folder [default: results in parade's cache]
    #[arg(long, value_name = "DIR")]
    pub(super) results: Option<PathBuf>,
    /// Start a new assessment instead of resuming an unfinished one
    #[arg(long)]
    pub(super) fresh: bool,
    #[command(flatten)]
    pub(super) jdk: JdkArgs,
    /// Output format: md, html or json [default: text for the terminal]
    #[arg(long, value_name = "FORMAT", value_parser = values::assessment_format)]
    pub(super) format: Option<assess::Format>,
    /// Same as --format json
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct SimulateArgs {
    /// Test durations: a CSV file with columns test and seconds, a JUnit XML report, or a folder of reports
    pub(super) source: PathBuf,
    /// A dependency file; P1 to P3 then respect these dependencies
    #[arg(long, value_name = "FILE")]
    pub(super) dependencies: Option<PathBuf>,
    /// Numbers of machines (P1 to P3) or threads (the others), separated by commas
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = values::simulated_machines, default_value = "1,2,4,8,16,32,64")]
    pub(super) machines: Vec<usize>,
    /// The schedulers to simulate, separated by commas: P1 to P3 distribute tests over machines; classes, methods and
    /// classesAndMethods are Surefire's modes: threads of one machine, each of which takes the next class or test
    #[arg(long = "algorithm", value_name = "NAME,…", value_delimiter = ',', value_parser = values::scheduler, default_value = "P1,P2,P3,classes,methods,classesAndMethods")]
    pub(super) algorithms: Vec<Scheduler>,
    /// Print a JSON array instead of a table
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct InitArgs {
    /// The experiment file to write
    #[arg(default_value = "experiment.toml")]
    pub(super) file: PathBuf,
    /// The subject: a folder, a git URL, or a model suite [default: the current folder if it has a pom.xml]
    #[arg(long, value_name = "PATH|URL")]
    pub(super) subject: Option<String>,
    /// Overwrite an existing file
    #[arg(long)]
    pub(super) force: bool,
    /// Print one JSON document instead of the next steps
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct CleanArgs {
    /// Remove the files; without it, only show what would be removed
    #[arg(long)]
    pub(super) yes: bool,
    /// Also remove reports and results in the cache
    #[arg(long)]
    pub(super) all: bool,
    /// Remove only what has not been used for this long, such as 30d
    #[arg(long, value_name = "TIME", value_parser = values::age)]
    pub(super) older_than: Option<Duration>,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(super) struct DoctorArgs {
    /// Compile the JVM helper and download what it needs, so that later runs work offline
    #[arg(long)]
    pub(super) prepare: bool,
    /// Print one JSON document instead of a list
    #[arg(long)]
    pub(super) json: bool,
}
