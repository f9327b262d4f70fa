//! What is written behind options, read: names, numbers within bounds, durations. Whether files exist is the commands' matter.

use std::time::Duration;

use crate::commands::report::Format;
use crate::commands::{assess, compare};
use parade::engine::{EngineKind, Mode};
use parade::experiment::{MachineLimits, format_size, parse_duration, parse_size};
use parade::simulation::Scheduler;
use parade::stats::{Alternative, Method, Zeros};
use parade::study::Verdict;
use parade::technique::TechniqueKind;
use parade::technique::algorithm::Algorithm;
use parade::technique::detect::Strategy;

pub(super) fn format(text: &str) -> Result<Format, String> {
    among(text, Format::ALL, Format::name)
}

pub(super) fn verdict(text: &str) -> Result<Verdict, String> {
    among(text, Verdict::ALL, Verdict::name)
}

pub(super) fn comparison_format(text: &str) -> Result<compare::Format, String> {
    among(text, compare::Format::ALL, compare::Format::name)
}

pub(super) fn technique(text: &str) -> Result<TechniqueKind, String> {
    let known = [TechniqueKind::Paste, TechniqueKind::Parallel, TechniqueKind::Sequential];
    among(text, known, TechniqueKind::name)
}

pub(super) fn strategy(text: &str) -> Result<Strategy, String> {
    among(text, Strategy::ALL, Strategy::name)
}

pub(super) fn memory(text: &str) -> Result<u64, String> {
    let there = MachineLimits::here().memory_bytes;
    match parse_size(text) {
        Some(bytes) if (1..=there).contains(&bytes) => Ok(bytes),
        Some(0) => Err("a limit of zero allows nothing to run".to_owned()),
        Some(_) => Err(format!("this machine has {}", format_size(there))),
        None => Err("write a whole number with a unit, for example 4GiB or 512MiB".to_owned()),
    }
}

fn up_to_a_million(text: &str) -> Option<usize> {
    text.parse().ok().filter(|number| (1..=1_000_000).contains(number))
}

pub(super) fn count(text: &str) -> Result<usize, String> {
    up_to_a_million(text).ok_or_else(|| "write a whole number from 1 to 1000000".to_owned())
}

pub(super) fn mode(text: &str) -> Result<Mode, String> {
    among(text, Mode::ALL, Mode::name)
}

pub(super) fn engine(text: &str) -> Result<EngineKind, String> {
    among(text, EngineKind::CHOICES, EngineKind::name)
}

pub(super) fn algorithm(text: &str) -> Result<Algorithm, String> {
    among(text, Algorithm::ALL, Algorithm::name)
}

pub(super) fn machines(text: &str) -> Result<usize, String> {
    up_to_a_million(text).ok_or_else(|| "write a number from 1 to 1000000".to_owned())
}

pub(super) fn assessment_format(text: &str) -> Result<assess::Format, String> {
    among(text, assess::Format::ALL, assess::Format::name)
}

pub(super) fn rate(text: &str) -> Result<f64, String> {
    let sensible = |rate: &f64| (0.0..=1e9).contains(rate);
    text.parse().ok().filter(sensible).ok_or_else(|| "write a number of at least 0, e.g. 0.05".to_owned())
}

/// `0.05`, `0.05 EUR` or `0.05EUR`.
pub(super) fn price(text: &str) -> Result<assess::Price, String> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (amount, unit) = text.split_at(end);
    let amount =
        rate(amount).map_err(|_| "write a number from 0 on, with or without a currency: 0.05, \"0.05 EUR\"")?;
    let unit = unit.trim();
    let currency = (!unit.is_empty()).then(|| currency(unit)).transpose()?;
    Ok(assess::Price { amount, currency })
}

pub(super) fn currency(text: &str) -> Result<String, String> {
    let is_name =
        (1..=12).contains(&text.chars().count()) && !text.chars().any(|c| c.is_control() || c.is_ascii_digit());
    if is_name { Ok(text.to_owned()) } else { Err("write a short name or sign, e.g. EUR".to_owned()) }
}

pub(super) fn simulated_machines(text: &str) -> Result<usize, String> {
    let number = up_to_a_million(text.trim());
    number.ok_or_else(|| "write numbers from 1 to 1000000, separated by commas".to_owned())
}

pub(super) fn scheduler(text: &str) -> Result<Scheduler, String> {
    among(text.trim(), Scheduler::ALL, Scheduler::name)
}

pub(super) fn alternative(text: &str) -> Result<Alternative, String> {
    among(text, Alternative::ALL, Alternative::name)
}

pub(super) fn zeros(text: &str) -> Result<Zeros, String> {
    among(text, Zeros::ALL, Zeros::name)
}

pub(super) fn method(text: &str) -> Result<Method, String> {
    among(text, Method::ALL, Method::name)
}

pub(super) fn level(text: &str) -> Result<f64, String> {
    let inside = |level: &f64| *level > 0.0 && *level < 1.0;
    text.parse().ok().filter(inside).ok_or_else(|| "write a share between 0 and 1, e.g. 0.95".to_owned())
}

pub(super) fn age(text: &str) -> Result<Duration, String> {
    parse_duration(text).ok_or_else(|| "write e.g. 12h or 30d".to_owned())
}

pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let sensible = |duration: &Duration| !duration.is_zero() && *duration <= Duration::from_secs(30 * 86_400);
    parse_duration(text).filter(sensible).ok_or_else(|| "write e.g. 90s, 10m or 1h30m, at most 30d".to_owned())
}

fn among<T: Copy, const N: usize>(text: &str, known: [T; N], name: fn(T) -> &'static str) -> Result<T, String> {
    let found = known.into_iter().find(|each| name(*each) == text);
    found.ok_or_else(|| format!("write one of {}", known.map(name).join(", ")))
}
