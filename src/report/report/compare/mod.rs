//! Two runs side by side, derived purely from their records: what they were, what they share, how their times, speedups and
//! failures differ, and what makes the comparison weak. Runs are not paired, so their times are compared as independent
//! samples. Nothing is rendered here.

mod caveats;
mod cells;
mod facts;

use std::collections::BTreeSet;

use miette::Diagnostic;
use serde::Serialize;

use crate::experiment::{self, Difference};
use crate::report::Analysis;
use crate::shown_text::shown;
use crate::store::record::RunData;

pub use cells::CellRow;
pub use facts::FactRow;

/// One of the two runs.
#[derive(Debug, Clone)]
pub struct Compared {
    /// What it is called, such as the name of its folder.
    pub name: String,
    pub run: RunData,
    /// The experiment file as it was run.
    pub experiment_text: String,
    /// What shows that its record was changed, a sentence each.
    pub doubts: Vec<String>,
}

/// Everything that is said about two runs. `first` and `second` are in the order in which they were given.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    pub first: String,
    pub second: String,
    /// A sentence each, the answer first.
    pub summary: Vec<String>,
    /// What makes it weak, a sentence each.
    pub caveats: Vec<String>,
    pub facts: Vec<FactRow>,
    /// What the experiment files say differently.
    pub settings: Vec<Difference>,
    /// Subject × configuration × cores that both runs planned.
    pub cells: Vec<CellRow>,
    pub only_in_one: Vec<OnlyRow>,
}

/// Something that only one of the runs has.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct OnlyRow {
    /// `subject`, `configuration` or `cores`, or `cell` where each is in both.
    pub what: String,
    pub name: String,
    /// The run that has it.
    pub run: String,
}

impl Comparison {
    pub fn of(first: &Compared, second: &Compared) -> Result<Comparison, NothingShared> {
        let analyses = [Analysis::of(&first.run), Analysis::of(&second.run)];
        let cells = cells::rows([&first.run, &second.run], [&analyses[0], &analyses[1]]);
        if cells.is_empty() {
            return Err(nothing_shared(first, second));
        }
        let settings = experiment::differences(&first.experiment_text, &second.experiment_text);
        let facts = facts::rows(first, second);
        let mut caveats = caveats::of_records([first, second]);
        caveats.extend(caveats::caveats([&first.run, &second.run], &facts, &settings, &cells));
        Ok(Comparison {
            first: first.name.clone(),
            second: second.name.clone(),
            summary: caveats::summary(&cells),
            caveats,
            facts,
            settings: settings.unwrap_or_default(),
            only_in_one: only_in_one(first, second),
            cells,
        })
    }
}

/// Two runs that cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NothingShared {
    message: String,
}

impl std::fmt::Display for NothingShared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for NothingShared {}

impl Diagnostic for NothingShared {
    fn help<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        Some(Box::new("two runs can be compared if they share a subject, a configuration and a number of cores"))
    }
}

fn nothing_shared(first: &Compared, second: &Compared) -> NothingShared {
    let has = |compared: &Compared| {
        let manifest = &compared.run.manifest;
        let cores: Vec<String> = manifest.cores.iter().map(usize::to_string).collect();
        format!(
            "{} has {} on {} ({} cores)",
            shown(&compared.name),
            listed(manifest.configurations.iter().map(|each| each.name.as_str())),
            listed(manifest.subjects.iter().map(String::as_str)),
            cores.join(", ")
        )
    };
    NothingShared { message: format!("these runs share nothing: {}; {}", has(first), has(second)) }
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    const SHOWN: usize = 6;
    let all: Vec<String> = names.map(|name| format!("`{}`", shown(name))).collect();
    match all.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        Some(more) => format!("{} and {more} more", all[..SHOWN].join(", ")),
        None if all.is_empty() => "nothing".to_owned(),
        None => all.join(", "),
    }
}

/// Whole subjects, configurations and core counts first; single cells only where all three are in both.
fn only_in_one(first: &Compared, second: &Compared) -> Vec<OnlyRow> {
    let mut rows = Vec::new();
    for (here, there) in [(first, second), (second, first)] {
        let (mine, theirs) = (Planned::of(&here.run), Planned::of(&there.run));
        let row = |what: &str, name: String| OnlyRow { what: what.to_owned(), name, run: here.name.clone() };
        rows.extend(mine.subjects.difference(&theirs.subjects).map(|name| row("subject", (*name).to_owned())));
        rows.extend(
            mine.configurations.difference(&theirs.configurations).map(|n| row("configuration", (*n).to_owned())),
        );
        rows.extend(mine.cores.difference(&theirs.cores).map(|cores| row("cores", cores.to_string())));
        let in_both = |(subject, configuration, cores): &&(&str, &str, usize)| {
            theirs.subjects.contains(subject)
                && theirs.configurations.contains(configuration)
                && theirs.cores.contains(cores)
        };
        let lone = mine.cells.difference(&theirs.cells).filter(in_both);
        rows.extend(lone.map(|(subject, configuration, cores)| {
            row("cell", format!("{subject}, {configuration}, {}", crate::wording::plural(*cores, "core")))
        }));
    }
    rows
}

/// What a run set out to do.
#[derive(Default)]
struct Planned<'a> {
    subjects: BTreeSet<&'a str>,
    configurations: BTreeSet<&'a str>,
    cores: BTreeSet<usize>,
    cells: BTreeSet<(&'a str, &'a str, usize)>,
}

impl<'a> Planned<'a> {
    fn of(run: &'a RunData) -> Self {
        let mut planned = Planned::default();
        for trial in &run.manifest.trials {
            planned.subjects.insert(&trial.subject);
            planned.configurations.insert(&trial.configuration);
            planned.cores.insert(trial.cores);
            planned.cells.insert((&trial.subject, &trial.configuration, trial.cores));
        }
        planned
    }
}

#[cfg(test)]
mod tests;
