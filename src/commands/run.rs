//! `parade run`: carry out an experiment, or go on with one.

use std::path::PathBuf;
use std::process::ExitCode;

use parade::experiment::{self, Filter, MachineLimits};
use parade::home::Home;
use parade::process::Interrupt;
use parade::report::render::terminal;
use parade::report::{self, Analysis};
use parade::runner::versions::{self, Settled, Wish};
use parade::runner::{self, Order, Summary};
use serde_json::json;

use super::asked_jdk;
use super::check;
use super::output::print;
use super::progress::Progress;
use super::report::terminal_style;

#[derive(Debug)]
pub struct RunOptions {
    pub file: PathBuf,
    pub out: PathBuf,
    pub fresh: bool,
    pub quick: bool,
    pub dry_run: bool,
    pub accept_changes: bool,
    pub retry: bool,
    /// Filters such as `subject=commons-*,cores=2`; a trial must match all of them.
    pub only: Vec<String>,
    /// A version or a path, for all subjects.
    pub jdk: Option<String>,
    pub json: bool,
}

/// Exit codes that scripts rely on.
const SOME_TRIALS_FAILED: u8 = 3;
const INTERRUPTED: u8 = 130;

pub fn run(options: &RunOptions) -> miette::Result<ExitCode> {
    let mut loaded = match experiment::load(&options.file, &MachineLimits::here()) {
        Ok(loaded) => loaded,
        Err(mistakes) => return check::refuse(mistakes, options.json),
    };
    if let Some(jdk) = &options.jdk {
        loaded.experiment.use_jdk(&asked_jdk(jdk)?);
    }
    let filter = Filter::parse(&options.only)?;
    if options.dry_run {
        let (loaded, plan) = loaded.planned(options.quick, &options.only)?;
        return check::show(&loaded.experiment, &plan, options.json);
    }
    let home = Home::find()?;
    let interrupt = Interrupt::install()?;
    let mut progress = Progress::new();
    let wish = Wish {
        experiment: &loaded.experiment,
        results: &options.out,
        quick: options.quick,
        fresh: options.fresh,
        wanted: &|subject| filter.may_want(subject),
    };
    let settled = versions::settle(&wish, &home, &interrupt, &mut progress);
    let Some(Settled { experiment, histories }) = settled.inspect_err(|_| progress.finish())? else {
        progress.finish();
        print("Interrupted. The same command goes on from here.\n")?;
        return Ok(ExitCode::from(INTERRUPTED));
    };
    loaded.experiment = experiment;
    let (loaded, plan) = loaded.planned(options.quick, &options.only)?;
    let order = Order {
        experiment: &loaded.experiment,
        experiment_text: &loaded.published_text(),
        experiment_folder: loaded.folder(),
        plan: &plan,
        results: options.out.clone(),
        fresh: options.fresh,
        accept_changes: options.accept_changes,
        quick: options.quick,
        retry: options.retry,
        histories: &histories,
        pace: None,
    };
    let summary = runner::run(&order, &home, &interrupt, &mut progress);
    progress.finish();
    let summary = summary?;
    show(&summary, options)?;
    Ok(exit_code(&summary))
}

fn show(summary: &Summary, options: &RunOptions) -> miette::Result<()> {
    let folder = &summary.folder;
    let run = folder.read()?;
    let analysis = Analysis::checked(&run, &folder.totals(&run));
    let page = report::write_all(&analysis, folder.dir())?;
    if options.json {
        return print_json(summary);
    }
    print(&terminal::render(&analysis, terminal_style()))?;
    print(&format!("\nReport: {}\n", page.display()))?;
    for (trial, reason) in &summary.failed {
        print(&format!("did not complete: {trial}: {reason}\n"))?;
    }
    if !summary.failed.is_empty() {
        let logs = folder.dir().join("logs");
        print(&format!("Logs are in {}. `--retry` runs these again.\n", logs.display()))?;
    }
    if summary.interrupted {
        print("Interrupted. The same command goes on from here.\n")?;
    }
    Ok(())
}

fn print_json(summary: &Summary) -> miette::Result<()> {
    let failed: Vec<_> =
        summary.failed.iter().map(|(trial, reason)| json!({"trial": trial, "reason": reason})).collect();
    let result = json!({
        "run_dir": summary.folder.dir(),
        "completed": summary.completed,
        "failed": failed.len(),
        "failures": failed,
        "ran": summary.ran,
        "interrupted": summary.interrupted,
    });
    print(&format!("{result}\n"))
}

fn exit_code(summary: &Summary) -> ExitCode {
    if summary.interrupted {
        ExitCode::from(INTERRUPTED)
    } else if summary.failed.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(SOME_TRIALS_FAILED)
    }
}
