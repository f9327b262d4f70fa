//! `parade run`: carry out an experiment, or go on with one.

use std::path::PathBuf;
use std::process::ExitCode;

use parade::experiment::{self, Filter, MachineLimits};
use parade::home::Home;
use parade::process::Interrupt;
use parade::report::render::terminal;
use parade::report::{self, Analysis};
use parade::runner::versions::{self, Settled, Wish};
use parade::runner::{self, ExperimentRequest, FailedTrials, Summary};
use parade::wording::plural;
use serde_json::json;

use super::asked_jdk;
use super::check;
use super::output::{print, resuming_command};
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
        print(&interrupted())?;
        return Ok(ExitCode::from(INTERRUPTED));
    };
    loaded.experiment = experiment;
    let (loaded, plan) = loaded.planned(options.quick, &options.only)?;
    let order = ExperimentRequest {
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
        command: None,
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
    for failed in &summary.failed {
        print(&shown(failed))?;
    }
    if !summary.failed.is_empty() {
        let logs = folder.dir().join("logs");
        print(&format!("Logs are in {}. `--retry` runs these again.\n", logs.display()))?;
    }
    if summary.interrupted {
        print(&interrupted())?;
    }
    Ok(())
}

/// One failure is one message, however many trials it cost.
fn shown(failed: &FailedTrials) -> String {
    let FailedTrials { subject, reason, trials } = failed;
    match trials.as_slice() {
        [trial] => format!("did not complete: {trial}: {reason}\n"),
        trials => format!("did not complete: {} of {subject}: {reason}\n", plural(trials.len(), "trial")),
    }
}

fn interrupted() -> String {
    format!("Interrupted. To resume: {}\n", resuming_command())
}

fn print_json(summary: &Summary) -> miette::Result<()> {
    let failure = |failed: &FailedTrials| {
        let FailedTrials { subject, reason, trials } = failed;
        json!({ "subject": subject, "reason": reason, "trials": trials.len(), "first_trial": trials.first() })
    };
    let failures: Vec<_> = summary.failed.iter().map(failure).collect();
    let result = json!({
        "run_dir": summary.folder.dir(),
        "completed": summary.completed,
        "failed": summary.failed.iter().map(|failed| failed.trials.len()).sum::<usize>(),
        "failures": failures,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_that_does_not_build_is_one_message() {
        let failed = |trials: &[&str]| FailedTrials {
            subject: "shop".to_owned(),
            reason: "it does not compile".to_owned(),
            trials: trials.iter().map(|&trial| trial.to_owned()).collect(),
        };
        assert_eq!(shown(&failed(&["a", "b", "c"])), "did not complete: 3 trials of shop: it does not compile\n");
        assert_eq!(shown(&failed(&["a"])), "did not complete: a: it does not compile\n");
    }
}
