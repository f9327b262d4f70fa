//! `parade stats`: the statistics alone, on two columns of anyone's CSV file. Rows are pairs.

mod comparison;
mod page;

use std::path::PathBuf;
use std::process::ExitCode;

use parade::columns;
use parade::stats::{Alternative, Method, Zeros};

use super::BadUsage;
use super::output::{pretty, print};
use comparison::Comparison;

/// The most pairs whose arrangements are counted, if that is wished for.
const EXACT_PAIRS: usize = 100;

#[derive(Debug)]
pub struct StatsOptions {
    /// A CSV file with a header row; `-` is standard input.
    pub file: PathBuf,
    /// Names of columns.
    pub baseline: String,
    pub candidate: String,
    pub alternative: Alternative,
    pub zeros: Zeros,
    /// `None` is exact as long as it is feasible.
    pub method: Option<Method>,
    /// Of the confidence intervals.
    pub level: f64,
    /// Of the bootstrap.
    pub seed: u64,
    pub json: bool,
}

pub fn run(options: &StatsOptions) -> miette::Result<ExitCode> {
    if options.baseline == options.candidate {
        return Err(BadUsage {
            message: format!("`{}` is baseline and candidate", options.baseline),
            help: "give two different columns".to_owned(),
        }
        .into());
    }
    let columns = columns::read(&options.file, &options.baseline, &options.candidate)
        .map_err(|mistake| BadUsage { message: mistake.message, help: mistake.help })?;
    if columns.pairs.is_empty() {
        return Err(no_pairs(options).into());
    }
    check_exactness(&columns.pairs, options)?;
    let comparison = Comparison::of(&columns.pairs, columns.left_out, options);
    print(&if options.json { pretty(&comparison)? } else { page::page(&comparison) })?;
    Ok(ExitCode::SUCCESS)
}

/// Both tests have to be able to count so far.
fn check_exactness(pairs: &[(f64, f64)], options: &StatsOptions) -> Result<(), BadUsage> {
    if options.method != Some(Method::Exact) || pairs.len() <= EXACT_PAIRS {
        return Ok(());
    }
    Err(BadUsage {
        message: format!("exact p-values are available up to {EXACT_PAIRS} pairs, but there are {}", pairs.len()),
        help: "leave --method out: with this many pairs the normal approximation is accurate".to_owned(),
    })
}

fn no_pairs(options: &StatsOptions) -> BadUsage {
    BadUsage {
        message: format!("{}: no row has numbers in both columns", columns::named(&options.file)),
        help: format!(
            "`{}` and `{}` are compared row by row, so both need a \
            number",
            options.baseline, options.candidate
        ),
    }
}
