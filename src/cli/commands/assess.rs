//! `parade assess`: would running these tests in parallel pay off? Exit code 0 whatever the answer.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use parade::assess::answer::Answer;
use parade::assess::costs::Rates;
use parade::assess::{self, AssessmentRequest, Ended};
use parade::experiment::MachineLimits;
use parade::home::Home;
use parade::process::Interrupt;
use parade::project::{self, Choice, Refusal};
use parade::report::render::assessment;
use parade::report::{self, Analysis};
use parade::spec::Origin;
use parade::store::RunFolder;
use serde_json::json;

use super::maven_options::MavenOptions;
use super::output::{pretty, print, resuming_command};
use super::progress::Progress;
use super::report::terminal_style;
use super::{BadUsage, INTERRUPTED, wanted_jdk};

#[derive(Debug)]
pub struct AssessOptions {
    /// A folder, a url, or a model suite.
    pub project: String,
    pub budget: Option<Duration>,
    pub builds_per_day: f64,
    /// Without one, nothing is said of money.
    pub price_per_core_hour: Option<Price>,
    pub currency: Option<String>,
    pub module: Vec<String>,
    pub revision: Option<String>,
    pub maven: MavenOptions,
    pub cores: Option<usize>,
    pub timeout: Duration,
    pub results: Option<PathBuf>,
    pub fresh: bool,
    pub jdk: Option<String>,
    /// What to print; the files have every form.
    pub format: Option<Format>,
    pub json: bool,
}

/// `0.05`, or `0.05 EUR`.
#[derive(Debug, Clone, PartialEq)]
pub struct Price {
    pub amount: f64,
    pub currency: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Markdown,
    Html,
    Json,
}

impl Format {
    pub const ALL: [Format; 3] = [Format::Markdown, Format::Html, Format::Json];

    pub fn name(self) -> &'static str {
        match self {
            Format::Markdown => "md",
            Format::Html => "html",
            Format::Json => "json",
        }
    }
}

pub fn run(options: &AssessOptions) -> miette::Result<ExitCode> {
    super::output::one_format(options.json, options.format.is_some_and(|format| format != Format::Json))?;
    let home = Home::find()?;
    let order = order(options, &home)?;
    let interrupt = Interrupt::install()?;
    let mut progress = Progress::new();
    let ended = assess::run(&order, &home, &interrupt, &mut progress);
    progress.finish();
    match ended? {
        Ended::Answered(answer) => show(&answer, options).map(|()| ExitCode::SUCCESS),
        Ended::BuildFailed { reason, log } => failed_build(&reason, &log, options.json),
        Ended::Interrupted => {
            eprintln!("interrupted; to resume: `{}`", resuming_command());
            Ok(ExitCode::from(INTERRUPTED))
        }
    }
}

fn order(options: &AssessOptions, home: &Home) -> miette::Result<AssessmentRequest> {
    let choice = Choice { revision: options.revision.as_deref(), modules: &options.module };
    let mut subject = project::locate(&options.project, &choice, options.timeout)
        .map_err(|Refusal { message, help }| BadUsage { message, help })?;
    options.maven.apply(&mut subject)?;
    if let Some(name) = subject.name.strip_prefix("test-") {
        subject.name = format!("assess-{name}");
    }
    if !subject.is_model() {
        subject.jdk = wanted_jdk(options.jdk.as_deref())?;
    }
    let there = MachineLimits::here().cores;
    let cores = options.cores.unwrap_or(there);
    if !(1..=there).contains(&cores) {
        return Err(BadUsage {
            message: format!("--cores {cores}: this machine has {there}"),
            help: format!("give a number from 1 to {there}, or leave it out for all"),
        }
        .into());
    }
    if cores != there {
        // A question of its own: it does not put an end to that of the whole machine.
        subject.name = format!("{}-{cores}-of-{there}-cores", subject.name);
    }
    let results = results(options, &subject.origin, home)?;
    let rates = rates(options)?;
    Ok(AssessmentRequest {
        subject,
        project: options.project.clone(),
        cores,
        memory_bytes: options.maven.memory_bytes,
        budget: options.budget,
        build_timeout: options.timeout,
        results,
        fresh: options.fresh,
        rates,
    })
}

/// A price may carry its currency, which `--currency` must not contradict.
fn rates(options: &AssessOptions) -> Result<Rates, BadUsage> {
    let (price, given) = (options.price_per_core_hour.as_ref(), options.currency.as_ref());
    let own = price.and_then(|price| price.currency.as_ref());
    match (price, own, given) {
        (None, _, Some(currency)) => Err(BadUsage {
            message: format!("--currency {currency} without a price"),
            help: "add --price-per-core-hour, e.g. --price-per-core-hour 0.05".to_owned(),
        }),
        (_, Some(own), Some(given)) if own != given => Err(BadUsage {
            message: format!("--price-per-core-hour is in {own}, --currency is {given}"),
            help: "give one of the two".to_owned(),
        }),
        _ => Ok(Rates {
            builds_per_day: options.builds_per_day,
            price_per_core_hour: price.map(|price| price.amount),
            currency: own.or(given).cloned(),
        }),
    }
}

/// Results never go into the project that is assessed: they would change it.
fn results(options: &AssessOptions, origin: &Origin, home: &Home) -> Result<PathBuf, BadUsage> {
    let Some(wanted) = options.results.clone() else { return Ok(home.results()) };
    let absolute = std::path::absolute(&wanted).unwrap_or_default();
    let there = absolute.ancestors().find_map(|folder| folder.canonicalize().ok());
    match origin {
        Origin::Folder { path } if there.is_some_and(|there| there.starts_with(path)) => Err(BadUsage {
            message: format!(
                "--results {} is inside the project, so results would change the project",
                wanted.display()
            ),
            help: "give a folder outside of the project, or leave --results out".to_owned(),
        }),
        _ => Ok(wanted),
    }
}

fn show(answer: &Answer, options: &AssessOptions) -> miette::Result<()> {
    let folder = RunFolder::open(&answer.run_dir)?;
    let run = folder.read()?;
    report::write_all(&Analysis::checked(&run, &folder.totals(&run)), folder.dir())?;
    let written = assessment::write_all(answer, folder.dir())?;
    let format = if options.json { Some(Format::Json) } else { options.format };
    match format {
        Some(Format::Json) => print(&pretty(answer)?),
        Some(Format::Markdown) => print(&assessment::markdown(answer)),
        Some(Format::Html) => print(&assessment::html(answer)?),
        None => {
            print(&assessment::terminal(answer, terminal_style()))?;
            let run = folder.dir().display();
            print(&format!("\nPage: {}\nRun: {run} (for `parade report`)\n", written.display()))
        }
    }
}

fn failed_build(reason: &str, log: &Path, json: bool) -> miette::Result<ExitCode> {
    let text = if json {
        pretty(&json!({ "verdict": "build_failed", "reason": reason, "log": log }))?
    } else {
        let lines: String = reason.lines().map(|line| format!("  {line}\n")).collect();
        format!("There is nothing to assess:\n{lines}The log is {}\n", log.display())
    };
    print(&text)?;
    Ok(ExitCode::FAILURE)
}
