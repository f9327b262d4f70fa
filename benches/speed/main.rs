//! parade's promises about speed, measured side by side in one go: `scripts/bench`.
//!
//! Ratios are medians of alternating pairs, so that a machine which gets slower meanwhile is slow to both sides. The table goes to
//! standard output and to `target/bench.md`; the exit code is 1 where a goal is missed. `PARADE_BENCH=a,d` measures only these.

mod check;
mod detect;
mod figure;
mod large_run;
mod orders;
mod output;
mod rerun;
mod sequential;
mod simulate;
mod tables;
mod wilcoxon;
mod workbench;

use std::process::ExitCode;

use figure::Figure;

type Measure = fn() -> Vec<Figure>;

const MEASURES: [(&str, Measure); 9] = [
    ("a", sequential::measure),
    ("b", rerun::measure),
    ("c", output::measure),
    ("d", check::measure),
    ("e", tables::measure),
    ("f", wilcoxon::measure),
    ("g", orders::measure),
    ("h", simulate::measure),
    ("i", detect::measure),
];

fn main() -> ExitCode {
    // Processes are kept by parade. Without this the keeper of the first one would be this program again, and measure.
    parade::process::keeper::use_program(workbench::PARADE);
    let wanted = std::env::var("PARADE_BENCH").unwrap_or_default();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.split(',').any(|part| part == name);
    let mut figures = Vec::new();
    for (name, measure) in MEASURES {
        if is_wanted(name) {
            figures.extend(measure());
        }
    }
    let table = figure::table(&figures);
    println!("{table}");
    let kept = workbench::root().join("target/bench.md");
    if let Err(error) = std::fs::write(&kept, &table) {
        eprintln!("{}: {error}", kept.display());
        return ExitCode::FAILURE;
    }
    ExitCode::from(u8::from(figures.iter().any(|figure| !figure.is_met())))
}
