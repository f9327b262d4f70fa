//! `parade report`: tables and figures again, from the raw records of a run. Nothing is run.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

use parade::report::render::{csv, html, json, latex, markdown, terminal};
use parade::report::{Analysis, Details, RunReport, TABLES, TableDefinition, write_all, write_timeline};
use parade::store::RunFolder;

use super::BadUsage;
use super::output::{one_format, pretty, print, warn};

pub struct ReportOptions {
    /// A run folder, or `results/<experiment>/latest`.
    pub run_dir: PathBuf,
    /// Print in this format instead of writing the report folder.
    pub format: Option<Format>,
    /// Only the table of this name.
    pub table: Option<String>,
    /// Draw the timeline of this trial, and nothing else.
    pub timeline: Option<String>,
    /// The same as the format `json`.
    pub json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Html,
    Markdown,
    Latex,
    Csv,
    Json,
}

impl Format {
    pub const ALL: [Format; 5] = [Format::Html, Format::Markdown, Format::Latex, Format::Csv, Format::Json];

    /// As it is written on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::Html => "html",
            Format::Markdown => "md",
            Format::Latex => "latex",
            Format::Csv => "csv",
            Format::Json => "json",
        }
    }
}

pub fn run(options: &ReportOptions) -> miette::Result<ExitCode> {
    one_format(options.json, options.format.is_some_and(|format| format != Format::Json))?;
    if let Some(trial) = &options.timeline {
        return timeline(options, trial);
    }
    let table = options.table.as_deref().map(named_table).transpose()?;
    let format = if options.json { Some(Format::Json) } else { options.format };
    let folder = RunFolder::open(&options.run_dir)?;
    let run = folder.read()?;
    let analysis = Analysis::checked(&run, &folder.totals(&run));
    match (format, table) {
        (Some(format), table) => print(&in_format(&analysis, options, format, table)?)?,
        (None, Some(table)) => {
            for table in RunReport::new(&analysis).tables(table) {
                print(&terminal::render_table(&table, terminal_style()))?;
            }
        }
        (None, None) => {
            print(&terminal::render(&analysis, terminal_style()))?;
            // The table is derived, and the page does not need it: a folder that cannot be written has it already.
            if let Err(report) = folder.derive_trials(&run) {
                warn(&format!("trials.csv was not changed: {report}"));
            }
            let page = write_all(&analysis, &options.run_dir)?;
            print(&format!("\nreport: {}\n", page.display()))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn timeline(options: &ReportOptions, trial: &str) -> miette::Result<ExitCode> {
    if options.format.is_some_and(|format| format != Format::Json) || options.table.is_some() {
        return Err(bad_usage(
            "a timeline is a figure".to_owned(),
            "leave --format and --table out: it is written as SVG and PNG".to_owned(),
        ));
    }
    let Some(file) = write_timeline(&options.run_dir, trial)? else {
        return Err(bad_usage(
            format!("{1} has no trial `{0}`", trial.escape_debug(), options.run_dir.display()),
            "the first column of trials.csv lists the trials".to_owned(),
        ));
    };
    if options.json || options.format.is_some() {
        print(&pretty(&serde_json::json!({ "timeline": file.to_string_lossy() }))?)?;
    } else {
        print(&format!("timeline: {}\n", file.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn named_table(name: &str) -> miette::Result<&'static TableDefinition> {
    TableDefinition::find(name).ok_or_else(|| {
        let known = TABLES.iter().map(|table| table.name).collect::<Vec<_>>().join(", ");
        bad_usage(format!("there is no table `{}`", name.escape_debug()), format!("the tables are {known}"))
    })
}

fn in_format(
    analysis: &Analysis,
    options: &ReportOptions,
    format: Format,
    table: Option<&TableDefinition>,
) -> miette::Result<String> {
    let report = RunReport::new(analysis);
    let tables = || table.map_or_else(|| report.document_tables(), |table| report.tables(table));
    match (format, table) {
        (Format::Json, table) => pretty(&json::render(&report, &options.run_dir, table)?),
        (Format::Latex, _) => Ok(latex::render(analysis, &tables())),
        (Format::Markdown, None) => Ok(markdown::render(&report)),
        (Format::Markdown, Some(_)) => Ok(tables().iter().map(markdown::render_table).collect()),
        (Format::Csv, Some(table)) => csv::render(&report, table),
        (Format::Html, None) => html::render(&report, &Details::read(analysis, &options.run_dir)?),
        (Format::Csv, None) => Err(bad_usage(
            "a CSV file contains one table".to_owned(),
            "choose a table with --table, or leave --format out: report/ then contains a CSV file for each \
             table"
                .to_owned(),
        )),
        (Format::Html, Some(_)) => {
            Err(bad_usage("the page always contains all tables".to_owned(), "leave --table out".to_owned()))
        }
    }
}

fn bad_usage(message: String, help: String) -> miette::Report {
    BadUsage { message, help }.into()
}

/// As wide as the terminal; coloured only on one, and not if `NO_COLOR` is set.
pub fn terminal_style() -> terminal::Style {
    let is_terminal = std::io::stdout().is_terminal();
    let measured = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    let told = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let wants_none = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    terminal::Style {
        width: told.or(measured.filter(|_| is_terminal)).unwrap_or(120),
        colour: is_terminal && !wants_none,
    }
}
