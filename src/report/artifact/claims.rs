//! What the run claims, each with the command that measures it again and with what that took.

use serde::Serialize;

use super::costs::{self, Cost, Costs};
use super::programs::quoted;
use crate::report::analysis::{AverageRow, Scope};
use crate::report::{Analysis, RunReport, TABLES};
use crate::shown_text::{bytes, duration};
use crate::stats::speed_judgement::SpeedJudgement;
use crate::store::RunFolder;
use crate::store::record::{Phase, RunData, TrialRecord};
use crate::wording::{counted, plural};

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct ClaimRow {
    claim: String,
    value: String,
    /// The table that shows it.
    table: &'static str,
    command: String,
    trials: usize,
    time: String,
    disk: String,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct SubjectRow {
    name: String,
    origin: String,
    tests: usize,
    command: String,
    trials: usize,
    time: String,
    disk: String,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct TableRow {
    name: &'static str,
    title: String,
}

/// Real seconds; virtual ones are called so.
pub(super) fn time(cost: Cost) -> String {
    match (cost.seconds > 0.0, cost.virtual_seconds > 0.0) {
        (true, false) => duration(cost.seconds),
        (true, true) => format!("{} and {} virtual", duration(cost.seconds), duration(cost.virtual_seconds)),
        (false, true) => format!("{} virtual", duration(cost.virtual_seconds)),
        (false, false) => "–".to_owned(),
    }
}

/// Measured trials that yielded data.
pub(super) fn yielding(run: &RunData) -> usize {
    run.trials.iter().filter(|trial| trial.phase == Phase::Measured && trial.verdict.is_completed()).count()
}

pub(super) fn claims(run: &RunData, analysis: &Analysis, costs: &Costs, folder: &RunFolder) -> Vec<ClaimRow> {
    let baseline = &run.manifest.baseline;
    let averages = analysis.averages.iter().filter(|row| row.scope == Scope::All && row.subjects + row.left_out > 0);
    let mut claims: Vec<ClaimRow> = averages.map(|row| of_speed(run, row, baseline, folder)).collect();
    let whole = |claim: &str, value: String, table: &'static str| ClaimRow {
        claim: claim.to_owned(),
        value,
        table,
        command: "./run-full".to_owned(),
        trials: costs.all.trials,
        time: time(costs.all),
        disk: bytes(costs.all.bytes),
    };
    claims.extend(analysis.headline.repair.as_ref().map(|repair| {
        whole("failures that parallel runs cause, and how many of them are repaired", repair.clone(), "failures")
    }));
    let shown = analysis.scaling.iter().filter(|row| row.judgement == SpeedJudgement::Faster);
    let best = shown.max_by(|a, b| a.scaling.total_cmp(&b.scaling));
    claims.extend(best.map(|row| {
        let value = format!(
            "at most {:.2} times as fast on {} as on {}: {} of {} ({})",
            row.scaling,
            plural(row.cores, "core"),
            row.reference_cores,
            row.configuration,
            row.subject,
            row.evidence()
        );
        whole("speedup of one configuration on more cores", value, "scaling")
    }));
    claims
}

fn of_speed(run: &RunData, row: &AverageRow, baseline: &str, folder: &RunFolder) -> ClaimRow {
    let is_of_it = |trial: &&TrialRecord| {
        let configuration = trial.configuration.as_str();
        trial.cores == row.cores && (configuration == row.configuration || configuration == baseline)
    };
    let cost = costs::sum(run.trials.iter().filter(is_of_it), folder);
    let only = |configuration: &str| {
        format!("--only {}", quoted(&format!("configuration={configuration},cores={}", row.cores)))
    };
    ClaimRow {
        claim: format!("speedup of {} over {baseline} on {}", row.configuration, plural(row.cores, "core")),
        value: speed_value(row),
        table: "speedups",
        command: format!("./run-full {} {}", only(&row.configuration), only(baseline)),
        trials: cost.trials,
        time: time(cost),
        disk: bytes(cost.bytes),
    }
}

fn speed_value(row: &AverageRow) -> String {
    if row.subjects == 0 {
        return format!(
            "nothing is claimed: {} fewer than five pairs, or no observed concurrency",
            counted(row.left_out, "comparison has", "comparisons have")
        );
    }
    let number = |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.2}"));
    let gain = match row.gained {
        0 => "no gain is shown on any".to_owned(),
        gained => format!("faster on {gained} of them (95 % CI above 1)"),
    };
    format!(
        "mean {}, median {}, geometric mean {} over {} with at least five pairs; {gain}",
        number(row.average),
        number(row.median),
        number(row.geometric_mean),
        plural(row.subjects, "subject"),
    )
}

pub(super) fn subjects(run: &RunData, costs: &Costs) -> Vec<SubjectRow> {
    let row = |name: &String| {
        let record = run.subjects.iter().find(|record| record.subject == *name);
        let cost = costs.subject(name);
        let revision = record.and_then(|record| record.revision.as_deref()).map(|revision| {
            let short: String = revision.chars().take(16).collect();
            format!(" at {short}")
        });
        SubjectRow {
            name: name.clone(),
            origin: record.map_or_else(String::new, |r| format!("{}{}", r.origin, revision.unwrap_or_default())),
            tests: record.map_or(0, |record| record.tests),
            command: format!("./run-full --only {}", quoted(&format!("subject={name}"))),
            trials: cost.trials,
            time: time(cost),
            disk: bytes(cost.bytes),
        }
    };
    run.manifest.subjects.iter().map(row).collect()
}

/// `Speedup over sequential (2 cores)` stands for the tables of all core counts.
fn without_cores(title: &str) -> &str {
    match title.rsplit_once(" (") {
        Some((head, tail)) if tail.ends_with("core)") || tail.ends_with("cores)") => head,
        _ => title,
    }
}

/// One line for each name: some tables come once for each number of cores.
pub(super) fn tables(analysis: &Analysis) -> Vec<TableRow> {
    let report = RunReport::new(analysis);
    let mut rows = Vec::new();
    for table in TABLES.iter().filter(|table| !table.needs_study()) {
        if let Some(first) = report.tables(table).first() {
            rows.push(TableRow { name: table.name, title: without_cores(&first.title).to_owned() });
        }
    }
    rows
}
