//! The tables of an assessment.

use super::{Cell, Column, Row, Table, TableName, Tone};
use crate::assess::answer::{Answer, Failure};
use crate::assess::evidence::{Evidence, Speedup};
use crate::assess::forecast::Curve;
use crate::report::text::{duration, p_value, shown};
use crate::wording::plural;

impl Table {
    /// All tables of an assessment that have rows.
    pub fn of_assessment(answer: &Answer) -> Vec<Table> {
        let tables = [ways(answer), failures(answer), predictions(answer), checks(answer), improvements(answer)];
        tables.into_iter().filter(|table| !table.rows.is_empty()).collect()
    }
}

fn table(name: &'static str, title: &str, columns: Vec<Column>, rows: Vec<Vec<Cell>>, notes: Vec<String>) -> Table {
    let rows = rows.into_iter().map(Row::body).collect();
    Table { name: TableName::Assessment(name), title: title.to_owned(), columns, rows, notes }
}

fn ways(answer: &Answer) -> Table {
    let columns = vec![
        Column::left("way"),
        Column::right("runs"),
        Column::right("sequential").under("seconds"),
        Column::right("parallel").under("seconds"),
        Column::right("faster"),
        Column::right("95 % interval"),
        Column::right("p"),
        Column::right("seconds").under("with repairs"),
        Column::right("faster").under("with repairs"),
        Column::right("at once"),
        Column::right("failing"),
    ];
    let rows = answer.ways.iter().map(way_row).collect();
    let notes = vec![
        "Faster: so many times, mean time one after the other (sequential) over that of the parallel run by itself (parallel), both of the same blocks; \
         with repairs: over the runs that came out clean once what failed was run again. The interval is Fieller's, p is Wilcoxon's, corrected by Holm. At once: tests that ran at the same time, on average. Failing: runs in which a test failed for it."
            .to_owned(),
    ];
    table("ways", &format!("Measured on {}", plural(answer.cores, "core")), columns, rows, notes)
}

fn way_row(evidence: &Evidence) -> Vec<Cell> {
    let plain = evidence.plain;
    let interval = plain.and_then(|speedup| Some(format!("{:.2} – {:.2}", speedup.ci_low?, speedup.ci_high?)));
    let repaired = evidence.repaired.filter(|_| evidence.failing_runs > 0);
    let failing = Cell::count(evidence.failing_runs);
    vec![
        Cell::new(evidence.way.name()).hinted(Some(evidence.way.described().to_owned())),
        Cell::count(evidence.runs),
        seconds_cell(plain.map(|speedup| speedup.baseline_seconds)),
        seconds_cell(plain.map(|speedup| speedup.seconds)),
        speedup_cell(plain),
        interval.map_or_else(|| Cell::muted("–"), Cell::new),
        // A single pair has a p-value of 1 whatever it showed.
        plain
            .filter(|speedup| speedup.pairs > 1)
            .and_then(|speedup| speedup.p)
            .map_or_else(|| Cell::muted("–"), |p| Cell::new(p_value(p)).valued(p)),
        seconds_cell(repaired.map(|speedup| speedup.seconds)),
        speedup_cell(repaired),
        Cell::new(format!("{:.1}", evidence.concurrency)).valued(evidence.concurrency),
        if evidence.failing_runs > 0 { failing.toned(Tone::Bad) } else { failing },
    ]
}

fn seconds_cell(seconds: Option<f64>) -> Cell {
    seconds.map_or_else(|| Cell::muted("–"), |seconds| Cell::new(format!("{seconds:.1}")).valued(seconds))
}

fn speedup_cell(speedup: Option<Speedup>) -> Cell {
    let Some(speedup) = speedup else { return Cell::muted("–") };
    let tone = if speedup.value > 1.0 { Tone::Good } else { Tone::Bad };
    Cell::new(format!("{:.2}", speedup.value)).valued(speedup.value).toned(tone)
}

fn failures(answer: &Answer) -> Table {
    let columns = vec![
        Column::left("test"),
        Column::left("failed in"),
        Column::left("kind"),
        Column::left("why, and what to do"),
    ];
    // What stands in the way of the advice comes first.
    let mut failures: Vec<&Failure> = answer.failures.iter().collect();
    failures.sort_by_key(|failure| !failure.in_mode);
    let rows = failures.into_iter().map(failure_row).collect();
    let concerned = answer.failures.iter().filter(|failure| failure.in_mode).count();
    let mode = answer.mode.as_deref().unwrap_or_default();
    let (title, notes) = match (concerned, mode) {
        (_, "") => ("Tests that fail in parallel only", Vec::new()),
        (0, mode) => {
            let is_of_mode = |failure: &Failure| failure.failed_in.iter().any(|count| count.mode == mode);
            let told = if answer.failures.iter().any(is_of_mode) {
                format!(
                    "None is in the way of {mode}, the way that is advised: what failed in it fails as often without."
                )
            } else {
                format!("None of them failed in the way that is advised, {mode}.")
            };
            ("Tests that fail in other ways, or by chance", vec![told])
        }
        (some, mode) if some < answer.failures.len() => {
            let which = if some == 1 { "The first one".to_owned() } else { format!("The first {some}") };
            let told = format!("{which} failed in {mode}, the way above; the others in other ways only, or by chance.");
            ("Tests to isolate", vec![told])
        }
        _ => ("Tests to isolate", Vec::new()),
    };
    table("isolate", title, columns, rows, notes)
}

fn failure_row(failure: &Failure) -> Vec<Cell> {
    let counts: Vec<String> =
        failure.failed_in.iter().map(|count| format!("{} {} of {}", count.mode, count.failed, count.runs)).collect();
    let mut why = failure.cause.reason.clone();
    if !failure.cause.shares.is_empty() {
        let shares: Vec<String> = failure.cause.shares.iter().map(|thing| shown(thing)).collect();
        why.push_str(&format!("; shares {}", shares.join(", ")));
    }
    vec![
        Cell::new(shown(&failure.cause.test.to_string())),
        Cell::new(counts.join(", ")),
        Cell::new(failure.cause.kind.name().replace('_', " ")).toned(if failure.unrepaired {
            Tone::Bad
        } else {
            Tone::Plain
        }),
        Cell::new(why),
    ]
}

fn predictions(answer: &Answer) -> Table {
    let counts: Vec<usize> = answer
        .predictions
        .first()
        .map(|curve| curve.points.iter().map(|point| point.cores).collect())
        .unwrap_or_default();
    let mut columns = vec![Column::left("way")];
    columns.extend(counts.iter().map(|count| Column::right(count.to_string()).under("cores, or machines")));
    columns.extend([Column::right("knee"), Column::right("never below"), Column::left("because of")]);
    let rows = answer.predictions.iter().map(prediction_row).collect();
    let notes = vec![
        "Seconds by the model: a start-up, then tests laid out on threads as measured on one core, corrected by what was measured on this machine. \
         P1 to P3 are machines that each run a share of the suite. At the knee, speedup times efficiency is largest."
            .to_owned(),
    ];
    table("prediction", "What it would take", columns, rows, notes)
}

fn prediction_row(curve: &Curve) -> Vec<Cell> {
    let name = if curve.machines { format!("{} on machines", curve.way) } else { curve.way.clone() };
    let mut row = vec![Cell::new(name)];
    row.extend(curve.points.iter().map(|point| Cell::new(duration(point.seconds)).valued(point.seconds)));
    row.push(curve.knee.map_or_else(|| Cell::muted("–"), Cell::count));
    row.push(Cell::new(duration(curve.bound_seconds)).valued(curve.bound_seconds));
    row.push(Cell::new(shown(&curve.bound_by)));
    row
}

fn checks(answer: &Answer) -> Table {
    let columns = vec![
        Column::left("way"),
        Column::right("cores"),
        Column::right("predicted"),
        Column::right("measured"),
        Column::right("error"),
        Column::left("the machine"),
    ];
    let row = |check: &crate::assess::forecast::Check| {
        vec![
            Cell::new(check.way.clone()),
            Cell::count(check.cores),
            seconds_cell(Some(check.predicted_seconds)),
            seconds_cell(Some(check.measured_seconds)),
            Cell::new(format!("{:+.0} %", check.error_percent)).valued(check.error_percent),
            Cell::new(if check.disturbed { "busy" } else { "quiet" }),
        ]
    };
    let rows = answer.checks.iter().map(row).collect();
    let mut notes = vec!["Predicted from the runs on a single core alone, before any correction.".to_owned()];
    if answer.checks.iter().any(|check| check.disturbed) {
        notes.push("busy: other work disturbed all runs on one core, or all that were measured. The error is then not the model's alone.".to_owned());
    }
    table("checks", "How far the model is off here", columns, rows, notes)
}

fn improvements(answer: &Answer) -> Table {
    let columns = vec![
        Column::left("change"),
        Column::left("what"),
        Column::right("takes now"),
        Column::right("would gain"),
        Column::right("on cores"),
    ];
    let row = |change: &crate::assess::forecast::Improvement| {
        let what = if change.change == "split" { "split the class" } else { "make the test twice as fast" };
        vec![
            Cell::new(what),
            Cell::new(shown(&change.name)),
            seconds_cell(Some(change.takes_seconds)),
            seconds_cell(Some(change.gain_seconds)),
            Cell::count(change.cores),
        ]
    };
    let rows = answer.improvements.iter().map(row).collect();
    table("improvements", "What would help most", columns, rows, Vec::new())
}
