//! The tables of an assessment.

use super::{DisplayCell, DisplayColumn, DisplayRow, DisplayTable, Tone};
use crate::assess::answer::{Answer, Failure};
use crate::assess::causes::Kind;
use crate::assess::evidence::{Evidence, Speedup};
use crate::assess::forecast::{Check, Curve};
use crate::assess::parallel_mode::{ModeInWords, ParallelMode};
use crate::shown_text::{duration, p_value, shown};
use crate::stats::speed_judgement::SpeedJudgement;
use crate::wording::plural;

const ISOLATE: &str = "isolate";

impl DisplayTable {
    /// Does a row hold texts that need a line of their own where there is little room?
    pub fn is_of_long_texts(&self) -> bool {
        self.name == ISOLATE
    }

    /// All tables of an assessment that have rows.
    pub fn of_assessment(answer: &Answer) -> Vec<DisplayTable> {
        let tables = [ways(answer), failures(answer), predictions(answer), checks(answer), improvements(answer)];
        tables.into_iter().filter(|table| !table.rows.is_empty()).collect()
    }
}

fn table(
    name: &'static str,
    title: &str,
    columns: Vec<DisplayColumn>,
    rows: Vec<Vec<DisplayCell>>,
    notes: Vec<String>,
) -> DisplayTable {
    let rows = rows.into_iter().map(DisplayRow::body).collect();
    DisplayTable { name, title: title.to_owned(), columns, rows, notes, ..DisplayTable::default() }
}

fn ways(answer: &Answer) -> DisplayTable {
    let columns = vec![
        DisplayColumn::left("mode"),
        DisplayColumn::right("runs"),
        DisplayColumn::right("sequential").under("seconds"),
        DisplayColumn::right("parallel").under("seconds"),
        DisplayColumn::right("speedup"),
        DisplayColumn::right("95 % CI"),
        DisplayColumn::right("pairs"),
        DisplayColumn::right("p"),
        DisplayColumn::right("seconds").under("with repairs"),
        DisplayColumn::right("speedup").under("with repairs"),
        DisplayColumn::right("at once"),
        DisplayColumn::right("failing"),
    ];
    let rows = answer.ways.iter().map(|evidence| way_row(answer, evidence)).collect();
    let is_listed = |known: &&ModeInWords| {
        known.mode != "project" || answer.ways.iter().any(|each| each.way == ParallelMode::Project)
    };
    let modes = answer.modes.iter().filter(is_listed).map(|known| format!("{}: {}.", known.mode, known.explained));
    let without = answer.ways.iter().filter(|evidence| evidence.had_no_effect()).map(without_effect);
    let threads = crate::assess::agenda::threads_told(&answer.survey).map(|told| capitalised(&told) + ".");
    let notes = modes.chain(threads).chain(without).chain([
        "Speedup: mean time of the sequential runs divided by the mean time of the parallel runs, in pairs of the same block. Each row has the sequential runs of its own pairs, so the sequential times of two modes can differ. With repairs: the same for runs that were clean \
         after failed tests were rerun. The interval is the t interval of the log ratios for 3 to 29 pairs (that of the geometric mean of the ratios, widened to contain the ratio of means), and the BCa bootstrap interval from 30 on; below five pairs a speedup is preliminary. \
         p: Wilcoxon test with Holm's correction. At once: the mean number of tests that ran at the same time; `up to 2` if that was too brief for the mean to show. Failing: the runs in which a test failed that passes in sequential runs. The fastest mode is recommended; of modes \
         within 3 % of it, the one that shares least. A report of the same run names the fastest, by the times with repairs."
            .to_owned(),
    ]);
    let notes = notes.collect();
    let how = if answer.virtual_time { "Computed for" } else { "Measured on" };
    table("ways", &format!("{how} {}", plural(answer.cores, "core")), columns, rows, notes)
}

/// Of a mode without effect, whose times are no speedup.
fn without_effect(evidence: &Evidence) -> String {
    match evidence.way {
        ParallelMode::Project => {
            "project ran as sequential: the project's own settings run no two tests at the same time.".to_owned()
        }
        way => format!("{way} had no effect (no two tests ran at the same time), so it has no speedup."),
    }
}

fn way_row(answer: &Answer, evidence: &Evidence) -> Vec<DisplayCell> {
    let plain = evidence.plain;
    // Times of runs in which nothing overlapped say nothing about the mode.
    let compared = plain.filter(|_| evidence.overlapped);
    let interval = compared.and_then(|speedup| speedup.interval_text());
    let no_effect = if evidence.way == ParallelMode::Project { "as sequential" } else { "no effect" };
    let is_this = |known: &&ModeInWords| known.mode == evidence.way.name();
    let explained = answer.modes.iter().find(is_this).map(|known| known.explained.clone());
    let repaired = evidence.repaired.filter(|_| evidence.failing_runs > 0 && evidence.overlapped);
    let failing = DisplayCell::count(evidence.failing_runs);
    vec![
        DisplayCell::new(evidence.way.name()).hinted(explained),
        DisplayCell::count(evidence.runs),
        seconds_cell(plain.map(|speedup| speedup.baseline_seconds)),
        seconds_cell(plain.map(|speedup| speedup.seconds)),
        if evidence.had_no_effect() {
            DisplayCell::muted(no_effect).hinted(Some(without_effect(evidence)))
        } else {
            speedup_cell(compared)
        },
        interval.map_or_else(DisplayCell::dash, DisplayCell::new),
        plain.map_or_else(DisplayCell::dash, |speedup| DisplayCell::count(speedup.pairs)),
        // A single pair has a p-value of 1 whatever it showed.
        compared
            .filter(|speedup| speedup.pairs > 1)
            .and_then(|speedup| speedup.p)
            .map_or_else(DisplayCell::dash, |p| DisplayCell::new(p_value(p)).valued(p)),
        seconds_cell(repaired.map(|speedup| speedup.seconds)),
        speedup_cell(repaired),
        DisplayCell::new(evidence.at_once()).valued(evidence.concurrency),
        if evidence.failing_runs > 0 { failing.toned(Tone::Bad) } else { failing },
    ]
}

fn seconds_cell(seconds: Option<f64>) -> DisplayCell {
    seconds.map_or_else(DisplayCell::dash, |seconds| DisplayCell::new(format!("{seconds:.1}")).valued(seconds))
}

fn speedup_cell(speedup: Option<Speedup>) -> DisplayCell {
    let Some(speedup) = speedup else { return DisplayCell::dash() };
    let tone = match speedup.judgement() {
        SpeedJudgement::Faster => Tone::Good,
        SpeedJudgement::Slower => Tone::Bad,
        _ => Tone::Plain,
    };
    DisplayCell::new(speedup.value_text()).valued(speedup.value).toned(tone)
}

fn failures(answer: &Answer) -> DisplayTable {
    let columns = DisplayColumn::aligned(&["<test", "<failed in", "<with", "<kind", "<why, and what to do"]);
    // What stands in the way of the advice comes first.
    let mut failures: Vec<&Failure> = answer.failures.iter().collect();
    failures.sort_by_key(|failure| !failure.in_mode);
    let rows = failures.into_iter().map(failure_row).collect();
    let concerned = answer.failures.iter().filter(|failure| failure.in_mode).count();
    let mode = answer.mode.as_deref().unwrap_or_default();
    let (title, notes) = match (concerned, mode) {
        (_, "") => ("Tests that fail only in parallel", Vec::new()),
        (0, mode) => {
            let is_of_mode = |failure: &Failure| failure.failed_in.iter().any(|count| count.mode == mode);
            let told = if answer.failures.iter().any(is_of_mode) {
                format!("No test is a reason against {mode}: its few failures look like flaky tests.")
            } else {
                format!("None of them failed in {mode}, the mode that the answer is about.")
            };
            ("Tests that fail in other modes, or by chance", vec![told])
        }
        (some, mode) if some < answer.failures.len() => {
            let which = if some == 1 { "The first one".to_owned() } else { format!("The first {some}") };
            let told = format!("{which} failed in {mode}; the others in other modes only, or by chance.");
            ("Tests to isolate", vec![told])
        }
        _ => ("Tests to isolate", Vec::new()),
    };
    table(ISOLATE, title, columns, rows, notes)
}

/// What failed every time is no rare race, and chance is not shown either.
fn kind_words(kind: Kind) -> String {
    match kind {
        Kind::ChanceOrRareRace => "chance or race, not proven".to_owned(),
        other => other.name().replace('_', " "),
    }
}

fn failure_row(failure: &Failure) -> Vec<DisplayCell> {
    let mut why = match failure.kind {
        Kind::NotTried => failure.explanation.clone(),
        _ => format!("failed {}. It {}", failure.apart(), failure.explanation),
    };
    if !failure.shares.is_empty() {
        let shares: Vec<String> = failure.shares.iter().map(|thing| shown(thing)).collect();
        why.push_str(&format!("; shares {}", shares.join(", ")));
    }
    let kind_tone = if failure.unrepaired { Tone::Bad } else { Tone::Plain };
    vec![
        DisplayCell::new(shown(&failure.test.to_string())),
        DisplayCell::new(failure.counts()),
        failure
            .message
            .as_deref()
            .map_or_else(|| DisplayCell::muted("no message"), |message| DisplayCell::new(shown(message))),
        DisplayCell::new(kind_words(failure.kind)).toned(kind_tone),
        DisplayCell::new(why),
    ]
}

fn predictions(answer: &Answer) -> DisplayTable {
    let counts: Vec<usize> = answer
        .predictions
        .first()
        .map(|curve| curve.points.iter().map(|point| point.cores).collect())
        .unwrap_or_default();
    let mut columns = vec![DisplayColumn::left("mode")];
    columns.extend(counts.iter().map(|count| DisplayColumn::right(count.to_string()).under("cores, or machines")));
    columns.extend([
        DisplayColumn::right("worth it up to"),
        DisplayColumn::right("lower bound"),
        DisplayColumn::left("because of"),
    ]);
    let rows = answer.predictions.iter().map(prediction_row).collect();
    let (durations, runs) =
        if answer.virtual_time { ("in the model suite", "computed") } else { ("on one core", "measured") };
    let mut notes = vec![format!(
        "These times are predicted by a model, not {runs}. The model schedules the tests on threads after a start-up time, with their durations {durations}."
    )];
    if answer.predictions.iter().any(|curve| !curve.machines) {
        notes.push(format!(
            "Modes are corrected: on {} the time is the {runs} one, and the same factor is applied to other numbers of cores.",
            plural(answer.cores, "core")
        ));
    }
    let schedules: Vec<&str> = answer.predictions.iter().filter_map(schedule_words).collect();
    if !schedules.is_empty() {
        notes.push(format!(
            "Several machines share the tests, and each runs its tests one after the other: {}. These times are not corrected.",
            schedules.join(", ")
        ));
    }
    notes.push("Worth it up to: the number of cores, or machines, at which speedup times efficiency is largest. Lower bound: start-up time plus the longest part that cannot be split.".to_owned());
    notes.extend(answer.contradictions.iter().cloned());
    table("prediction", "How long would it take on more cores?", columns, rows, notes)
}

fn schedule_words(curve: &Curve) -> Option<&'static str> {
    match curve.way.as_str() {
        _ if !curve.machines => None,
        "P1" => Some("P1 in turn"),
        "P2" => Some("P2 the longest test first to the machine that is done earliest"),
        "P3" => Some("P3 by time and dependencies"),
        _ => None,
    }
}

fn prediction_row(curve: &Curve) -> Vec<DisplayCell> {
    let name = if curve.machines { format!("{}, several machines", curve.way) } else { curve.way.clone() };
    let mut row = vec![DisplayCell::new(name)];
    row.extend(curve.points.iter().map(|point| DisplayCell::new(duration(point.seconds)).valued(point.seconds)));
    row.push(curve.knee.map_or_else(DisplayCell::dash, DisplayCell::count));
    let bound = curve.bound_seconds;
    row.push(bound.map_or_else(DisplayCell::dash, |bound| DisplayCell::new(duration(bound)).valued(bound)));
    row.push(bound.map_or_else(DisplayCell::dash, |_| DisplayCell::new(shown(&curve.bound_by))));
    row
}

fn checks(answer: &Answer) -> DisplayTable {
    let mut columns = vec![
        DisplayColumn::left("mode"),
        DisplayColumn::right("cores"),
        DisplayColumn::right("predicted"),
        DisplayColumn::right(if answer.virtual_time { "computed" } else { "measured" }),
        DisplayColumn::right("error"),
        DisplayColumn::right("runs"),
    ];
    if !answer.virtual_time {
        columns.push(DisplayColumn::left("the machine"));
    }
    let row = |check: &Check| {
        let mut cells = vec![
            DisplayCell::new(check.way.clone()),
            DisplayCell::count(check.cores),
            seconds_cell(Some(check.predicted_seconds)),
            seconds_cell(Some(check.measured_seconds)),
            DisplayCell::new(format!("{:+.0} %", check.error_percent)).valued(check.error_percent),
            DisplayCell::count(check.runs),
        ];
        if !answer.virtual_time {
            cells.push(DisplayCell::new(machine(check)));
        }
        cells
    };
    let rows = answer.checks.iter().map(row).collect();
    let mut notes = answer.checks.first().map(predicted_from).into_iter().collect::<Vec<_>>();
    if answer.checks.iter().any(|check| check.disturbed) {
        notes.push("busy: other work kept the machine busy during these runs, or during all runs on one core. Then the error is not the model's alone.".to_owned());
    }
    if answer.predictions.is_empty() {
        notes.extend(answer.contradictions.iter().cloned());
    }
    let title =
        if answer.virtual_time { "How accurate is the prediction here?" } else { "How accurate is the model here?" };
    table("checks", title, columns, rows, notes)
}

/// What the machine did besides.
fn machine(check: &Check) -> String {
    match (check.disturbed_runs, check.disturbed) {
        (0, true) => "busy on one core".to_owned(),
        (0, false) => "quiet".to_owned(),
        (some, _) if some == check.runs => "busy".to_owned(),
        (some, _) => format!("busy in {some} of {}", check.runs),
    }
}

fn predicted_from(check: &Check) -> String {
    let Check { single_core_runs: used, single_core_runs_made: made, .. } = check;
    let which = if used == made { plural(*used, "run") } else { format!("{used} of {}", plural(*made, "run")) };
    let why = if used == made { "" } else { ", because other work kept the machine busy during the others" };
    format!(
        "Predicted from {which} on a single core{why}; before any correction. The other times are means of the runs that the first table shows."
    )
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn improvements(answer: &Answer) -> DisplayTable {
    let columns = vec![
        DisplayColumn::left("change"),
        DisplayColumn::left("what"),
        DisplayColumn::right("takes now").under("seconds"),
        DisplayColumn::right("would save").under("seconds"),
        DisplayColumn::right("on cores"),
    ];
    let row = |change: &crate::assess::forecast::Improvement| {
        let what = if change.change == "split" { "split the class" } else { "make the test twice as fast" };
        vec![
            DisplayCell::new(what),
            DisplayCell::new(shown(&change.name)),
            seconds_cell(Some(change.takes_seconds)),
            seconds_cell(Some(change.gain_seconds)),
            DisplayCell::count(change.cores),
        ]
    };
    let rows = answer.improvements.iter().map(row).collect();
    let mode = answer.mode.as_deref().map(|mode| format!(" in the mode `{mode}`")).unwrap_or_default();
    let note =
        "Each change is computed by itself, by the model; the seconds that it would save are those of the whole run.";
    table("improvements", &format!("What would help most{mode}?"), columns, rows, vec![note.to_owned()])
}
