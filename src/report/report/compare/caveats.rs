//! What a comparison says in the end, and what makes it weak.

use std::collections::HashSet;

use super::Compared;
use super::cells::CellRow;
use super::facts::{COMMIT, FactRow};
use crate::experiment::Difference;
use crate::report::analysis::all_in_virtual_time;
use crate::shown_text::{decimals_beside_one, shown};
use crate::stats;
use crate::stats::speed_judgement::{FEWEST_PAIRS, FEWEST_PAIRS_WORD, SpeedJudgement};
use crate::store::record::{Phase, RunData, TrialRecord};
use crate::wording::{VIRTUAL_TIME, counted, plural};

pub(super) fn summary(cells: &[CellRow]) -> Vec<String> {
    let judged = |judgement| cells.iter().filter(|cell| cell.judgement == judgement).count();
    let shared = counted(cells.len(), "shared cell", "shared cells");
    let (faster, slower) = (judged(SpeedJudgement::Faster), judged(SpeedJudgement::Slower));
    let (few, none) = (judged(SpeedJudgement::NotEnoughRuns), judged(SpeedJudgement::NotCompared));
    let mut sentences = vec![match (faster, slower) {
        (0, 0) if few > 0 && few + none == cells.len() => format!("Not enough runs to tell, in {shared}."),
        (0, 0) if none == cells.len() => format!("Nothing can be compared, in {shared}."),
        (0, 0) => format!("These trials show no difference in time, in {shared}."),
        (faster, 0) => format!("The second run was faster in {faster} of {shared}."),
        (0, slower) => format!("The second run was slower in {slower} of {shared}."),
        (faster, slower) => format!("The second run was faster in {faster} and slower in {slower} of {shared}."),
    }];
    let tested = cells.iter().filter(|cell| cell.p.is_some()).count();
    sentences.push(format!(
        "A difference needs {FEWEST_PAIRS_WORD} clean trials in each run and a 95 % CI of the ratio that excludes 1. The runs are not \
         paired, so the CI is that of two samples. p does not decide (Mann-Whitney, after Holm's correction over {}).",
        counted(tested, "cell", "cells"),
    ));
    if few > 0 {
        sentences.push(format!("{} not enough runs to tell.", counted(few, "cell has", "cells have")));
    }
    sentences.extend(not_compared(cells));
    let ratios: Vec<f64> =
        cells.iter().filter(|cell| cell.judgement.is_answer()).filter_map(|cell| cell.ratio).collect();
    sentences.extend(stats::geometric_mean(&ratios).map(|mean| {
        let over = counted(ratios.len(), "cell with enough runs", "cells with enough runs");
        let decimals = if faster + slower > 0 { decimals_beside_one(&[mean]) } else { 2 };
        format!("Over {over}, the first run's times are {mean:.decimals$} times the second's (geometric mean).")
    }));
    sentences
}

/// Cells without a ratio, by the reason.
fn not_compared(cells: &[CellRow]) -> Vec<String> {
    let none = cells.iter().filter(|cell| cell.judgement == SpeedJudgement::NotCompared);
    let (other, none): (Vec<&CellRow>, Vec<&CellRow>) = none.partition(|cell| cell.did_other_work());
    let none = none.into_iter();
    let (timed, untimed): (Vec<&CellRow>, Vec<&CellRow>) =
        none.partition(|cell| cell.first_seconds.is_some() && cell.second_seconds.is_some());
    let told = |cells: Vec<&CellRow>, what: &str| {
        (!cells.is_empty()).then(|| format!("{} {what}.", counted(cells.len(), "cell has", "cells have")))
    };
    let parts = [
        told(other, "other tests or outcomes in one of the runs and no ratio, as the work was not the same"),
        told(untimed, "no clean times in both runs"),
        told(timed, "times of 0 s, which have no ratio"),
    ];
    parts.into_iter().flatten().collect()
}

/// What was changed, or never measured.
pub(super) fn of_records(compared: [&Compared; 2]) -> Vec<String> {
    let mut caveats = Vec::new();
    for Compared { name, run, doubts, .. } in compared {
        caveats.extend(doubts.iter().map(|doubt| format!("{}: {doubt}.", shown(name))));
        if all_in_virtual_time(run) {
            caveats.push(format!("{}: {VIRTUAL_TIME}.", shown(name)));
        }
    }
    caveats
}

pub(super) fn caveats(
    runs: [&RunData; 2],
    facts: &[FactRow],
    settings: &Result<Vec<Difference>, String>,
    cells: &[CellRow],
) -> Vec<String> {
    let twice = of_same_measurements(runs);
    let is_apart = twice.is_none();
    let mut caveats: Vec<String> = twice.into_iter().collect();
    caveats.extend(of_machines(facts));
    caveats.extend(of_versions(facts));
    caveats.extend(of_commits(facts));
    caveats.extend(of_settings(settings, cells));
    caveats.extend(of_outcomes(cells));
    caveats.extend(of_repetitions(cells));
    for (run, which) in runs.into_iter().zip(["first", "second"]) {
        caveats.extend(of_run(run, which));
    }
    caveats.extend(of_time(runs).filter(|_| is_apart));
    caveats
}

/// A copy of a run is no second run, whatever its folder is called.
fn of_same_measurements(runs: [&RunData; 2]) -> Option<String> {
    let measurements = |run: &RunData| -> HashSet<(String, jiff::Timestamp)> {
        let id = |trial: &TrialRecord| trial.provenance.as_ref().map_or(&trial.trial, |was| &was.trial).clone();
        run.trials.iter().map(|trial| (id(trial), trial.started_at)).collect()
    };
    let [first, second] = runs.map(measurements);
    match first.intersection(&second).count() {
        0 => None,
        shared if shared == first.len() && shared == second.len() => Some("Both folders are the same run.".to_owned()),
        shared => Some(format!(
            "{} in both runs: one is a copy of the other, or was merged from it.",
            counted(shared, "measurement is", "measurements are")
        )),
    }
}

fn of_machines(facts: &[FactRow]) -> Option<String> {
    let differing: Vec<&str> =
        facts.iter().filter(|row| row.of_machine && row.differs).map(|r| r.what.as_str()).collect();
    (!differing.is_empty()).then(|| {
        format!(
            "The machines differ ({}), which alone changes times. Speedups, each within its own run, are the fairer \
             comparison.",
            differing.join(", ")
        )
    })
}

fn of_versions(facts: &[FactRow]) -> Option<String> {
    let tools = ["parade", "JDK", "Maven"];
    let differing = facts.iter().filter(|row| row.differs && tools.contains(&row.what.as_str()));
    let told: Vec<String> =
        differing.map(|row| format!("{} {} and {}", row.what, or_none(&row.first), or_none(&row.second))).collect();
    (!told.is_empty()).then(|| format!("The tools differ: {}. Each can change times.", told.join("; ")))
}

fn or_none(text: &str) -> &str {
    if text.is_empty() { "none" } else { text }
}

fn of_commits(facts: &[FactRow]) -> Option<String> {
    let prefix = format!("{COMMIT} of ");
    let differing: Vec<&str> =
        facts.iter().filter(|row| row.differs).filter_map(|row| row.what.strip_prefix(&prefix)).collect();
    let subjects = plural(differing.len(), "subject");
    (!differing.is_empty()).then(|| {
        format!(
            "The code differs in {subjects} ({}): the runs did not run the same \
            suite.",
            differing.join(", ")
        )
    })
}

fn of_settings(settings: &Result<Vec<Difference>, String>, cells: &[CellRow]) -> Vec<String> {
    let mut caveats = Vec::new();
    let changed = cells.iter().filter(|cell| !cell.same_settings).count();
    if changed > 0 {
        let what = counted(changed, "cell of the same name was", "cells of the same names were");
        caveats.push(format!("{what} run with other settings: see the table of settings."));
    }
    if let Err(why) = settings {
        caveats.push(format!("The settings could not be compared: {why}."));
    }
    caveats
}

fn of_outcomes(cells: &[CellRow]) -> Option<String> {
    let differing = cells.iter().filter(|cell| cell.did_other_work()).count();
    (differing > 0).then(|| {
        format!(
            "In {}, different tests passed or were skipped: the runs did not do the same work, so their times are not \
             compared.",
            plural(differing, "cell")
        )
    })
}

/// So few trials that nothing can be shown.
fn of_repetitions(cells: &[CellRow]) -> Option<String> {
    let is_few = |cell: &&CellRow| {
        cell.judgement == SpeedJudgement::NotEnoughRuns && cell.first_clean.min(cell.second_clean) < FEWEST_PAIRS
    };
    let few = cells.iter().filter(is_few).count();
    (few > 0).then(|| {
        format!(
            "Few repetitions: in {}, one of the runs has fewer than {FEWEST_PAIRS_WORD} clean trials. Nothing is said about their times.",
            plural(few, "cell")
        )
    })
}

fn of_run(run: &RunData, which: &str) -> Vec<String> {
    let manifest = &run.manifest;
    let merged = if manifest.is_of_several_machines() { "machines" } else { "runs" };
    let done = run.trials.iter().filter(|trial| trial.phase == Phase::Measured).count();
    let facts = [
        (manifest.quick, "is a quick run: one repetition, not for publication".to_owned()),
        (done < manifest.trials.len(), format!("has {done} of {} planned trials", manifest.trials.len())),
        (
            !manifest.merged.is_empty(),
            format!("was merged from several {merged}: its times may vary because the {merged} differ"),
        ),
    ];
    facts.into_iter().filter(|(is_so, _)| *is_so).map(|(_, text)| format!("The {which} run {text}.")).collect()
}

/// Two runs on one machine at the same time disturb each other.
fn of_time(runs: [&RunData; 2]) -> Option<String> {
    let span = |run: &RunData| {
        let times = || run.trials.iter().map(|trial| trial.started_at);
        Some((times().min()?, times().max()?))
    };
    let ((a_start, a_end), (b_start, b_end)) = (span(runs[0])?, span(runs[1])?);
    let same_host = runs[0].environment.hostname == runs[1].environment.hostname;
    (same_host && a_start < b_end && b_start < a_end)
        .then(|| "Both ran at the same time on one machine and disturbed each other.".to_owned())
}
