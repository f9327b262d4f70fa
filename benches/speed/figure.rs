//! A measured number beside its goal.

use std::fmt::Write as _;

/// What a number has to be.
#[derive(Debug, Clone, Copy)]
pub enum Goal {
    AtMost(f64),
    AtLeast(f64),
}

#[derive(Debug)]
pub struct Figure {
    pub what: String,
    pub goal: Goal,
    pub unit: &'static str,
    pub value: f64,
    /// What the number was made from.
    pub detail: String,
}

impl Figure {
    pub fn is_met(&self) -> bool {
        match self.goal {
            Goal::AtMost(most) => self.value <= most,
            Goal::AtLeast(least) => self.value >= least,
        }
    }

    fn goal_text(&self) -> String {
        match self.goal {
            Goal::AtMost(most) => format!("≤ {most}{}", self.unit),
            Goal::AtLeast(least) => format!("≥ {least}{}", self.unit),
        }
    }
}

pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        odd if odd % 2 == 1 => sorted[odd / 2],
        even => f64::midpoint(sorted[even / 2 - 1], sorted[even / 2]),
    }
}

/// Lowest and highest.
pub fn range(values: &[f64]) -> (f64, f64) {
    values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(*value), high.max(*value)))
}

/// `2.31 s (2.20–2.52)`.
pub fn seconds(values: &[f64]) -> String {
    let (low, high) = range(values);
    format!("{:.3} s ({low:.3}–{high:.3})", median(values))
}

pub fn table(figures: &[Figure]) -> String {
    let mut table = format!("Measured {} on {}.\n\n", jiff::Zoned::now().strftime("%F"), machine());
    table.push_str("| figure | goal | measured | | from |\n|---|---:|---:|---|---|\n");
    for figure in figures {
        let met = if figure.is_met() { "met" } else { "MISSED" };
        let _ = writeln!(
            table,
            "| {} | {} | {:.3}{} | {met} | {} |",
            figure.what,
            figure.goal_text(),
            figure.value,
            figure.unit,
            figure.detail
        );
    }
    table
}

fn machine() -> String {
    let environment = parade::store::capture_environment();
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split_whitespace().next().unwrap_or("?").to_owned();
    let tools = parade::java::toolchain().map_or_else(
        |_| "no Maven".to_owned(),
        |tools| format!("JDK {}, Maven {}", tools.java_version, tools.maven_version),
    );
    format!("{}, {} cores, load {load} at the end, {tools}", environment.cpu_model, environment.logical_cores)
}
