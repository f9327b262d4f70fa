//! `parade compare`: two runs side by side. Nothing is run, nothing is written.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use parade::report::compare::{Compared, Comparison};
use parade::report::render::comparison;
use parade::store::RunFolder;

use super::output::{one_format, pretty, print};
use super::report::terminal_style;

pub struct CompareOptions {
    pub first: PathBuf,
    pub second: PathBuf,
    pub format: Option<Format>,
    /// The same as the format `json`.
    pub json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Html,
    Markdown,
    Csv,
    Json,
}

impl Format {
    pub const ALL: [Format; 4] = [Format::Html, Format::Markdown, Format::Csv, Format::Json];

    /// As it is written on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::Html => "html",
            Format::Markdown => "md",
            Format::Csv => "csv",
            Format::Json => "json",
        }
    }
}

pub fn run(options: &CompareOptions) -> miette::Result<ExitCode> {
    one_format(options.json, options.format.is_some_and(|format| format != Format::Json))?;
    let (first, second) = (open(&options.first)?, open(&options.second)?);
    let compared = Comparison::of(&first, &second)?;
    let format = if options.json { Some(Format::Json) } else { options.format };
    let text = match format {
        None => comparison::terminal(&compared, terminal_style()),
        Some(Format::Html) => comparison::html(&compared)?,
        Some(Format::Markdown) => comparison::markdown(&compared),
        Some(Format::Csv) => comparison::csv(&compared)?,
        Some(Format::Json) => pretty(&comparison::json(&compared)?)?,
    };
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn open(dir: &Path) -> miette::Result<Compared> {
    let folder = RunFolder::open(dir)?;
    let run = folder.read()?;
    let doubts = folder.doubts(&run).sentences().collect();
    Ok(Compared { name: name_of(folder.dir()), run, experiment_text: folder.experiment_text()?, doubts })
}

/// Its experiment and its own name: `paste/20260102T030405Z-host`.
fn name_of(dir: &Path) -> String {
    let names: Vec<_> = dir.iter().rev().take(2).map(|name| name.to_string_lossy().into_owned()).collect();
    names.into_iter().rev().collect::<Vec<_>>().join("/")
}
