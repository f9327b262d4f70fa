//! What did not go well, gathered so that nothing is hidden: tests that no stage repaired, findings, trials without data.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;

use super::grid::{Grid, Presence};
use crate::store::record::{Phase, RunData, TrialRecord, Verdict};
use crate::suite::FindingKind;

/// A test that still did not end well when a trial was over.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ResidualRow {
    pub subject: String,
    pub configuration: String,
    pub cores: usize,
    pub test: String,
    /// In the first repetition in which it was seen.
    pub outcome: &'static str,
    pub message: Option<String>,
    /// Repetitions in which it did not end well.
    pub repetitions: usize,
    pub of: usize,
}

/// Something that a reader of the numbers must know, and how often it was seen.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct FindingRow {
    pub kind: &'static str,
    pub subject: String,
    pub configuration: String,
    pub cores: usize,
    pub finding: String,
    pub trials: usize,
}

/// Trials of a cell that yielded no time to compare.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct IncompleteRow {
    pub subject: String,
    pub configuration: String,
    pub cores: usize,
    /// A verdict, or `pending`.
    pub verdict: &'static str,
    pub reason: String,
    pub trials: usize,
}

type CellIndex = (usize, usize, usize);

/// Orders rows as the experiment file has subjects and configurations.
struct Places<'a> {
    subjects: HashMap<&'a str, usize>,
    configurations: HashMap<&'a str, usize>,
}

impl<'a> Places<'a> {
    fn of(run: &'a RunData) -> Self {
        let subjects = run.manifest.subjects.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
        let configurations = run.manifest.configurations.iter().enumerate();
        Places { subjects, configurations: configurations.map(|(at, c)| (c.name.as_str(), at)).collect() }
    }

    fn of_trial(&self, trial: &TrialRecord) -> CellIndex {
        let subject = self.subjects.get(trial.subject.as_str()).copied();
        let configuration = self.configurations.get(trial.configuration.as_str()).copied();
        (subject.unwrap_or(usize::MAX), configuration.unwrap_or(usize::MAX), trial.cores)
    }
}

fn measured(run: &RunData) -> impl Iterator<Item = &TrialRecord> {
    run.trials.iter().filter(|trial| trial.phase == Phase::Measured)
}

pub(super) fn residual(run: &RunData) -> Vec<ResidualRow> {
    let mut trials_of: BTreeMap<CellIndex, usize> = BTreeMap::new();
    let mut rows: BTreeMap<(CellIndex, String), ResidualRow> = BTreeMap::new();
    let places = Places::of(run);
    for trial in measured(run) {
        let place = places.of_trial(trial);
        *trials_of.entry(place).or_default() += 1;
        for residual in &trial.residual {
            let row = rows.entry((place, residual.test.to_string())).or_insert_with(|| ResidualRow {
                subject: trial.subject.clone(),
                configuration: trial.configuration.clone(),
                cores: trial.cores,
                test: residual.test.to_string(),
                outcome: residual.outcome.name(),
                message: residual.message.clone(),
                repetitions: 0,
                of: 0,
            });
            row.repetitions += 1;
        }
    }
    rows.into_iter()
        .map(|((place, _), row)| ResidualRow { of: trials_of.get(&place).copied().unwrap_or(0), ..row })
        .collect()
}

/// Findings that differ only in the numbers of processes are one.
pub(super) fn findings(run: &RunData) -> Vec<FindingRow> {
    let places = Places::of(run);
    let mut rows: BTreeMap<(FindingKind, CellIndex, String), FindingRow> = BTreeMap::new();
    for trial in measured(run) {
        let mut counted = BTreeSet::new();
        for finding in &trial.findings {
            let general = without_processes(&finding.text);
            let is_new = counted.insert((finding.kind, general.clone()));
            let row =
                rows.entry((finding.kind, places.of_trial(trial), general.clone())).or_insert_with(|| FindingRow {
                    kind: finding.kind.name(),
                    subject: trial.subject.clone(),
                    configuration: trial.configuration.clone(),
                    cores: trial.cores,
                    finding: finding.text.clone(),
                    trials: 0,
                });
            if row.finding != finding.text {
                row.finding = general;
            }
            row.trials += usize::from(is_new);
        }
    }
    rows.into_values().collect()
}

/// `a process died in C#m` for `process 4711 died in C#m`: another number is another process, not another finding.
fn without_processes(text: &str) -> String {
    const WORD: &str = "process ";
    let mut told = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(WORD) {
        let (before, after) = (&rest[..at], &rest[at + WORD.len()..]);
        let behind = after.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_one = behind.len() < after.len() && behind.starts_with(" died");
        told += before;
        told += if is_one { "a process" } else { WORD };
        rest = if is_one { behind } else { after };
    }
    told + rest
}

pub(super) fn incomplete(grid: &Grid) -> Vec<IncompleteRow> {
    let mut rows = Vec::new();
    for (key, _) in grid.keys(|_| true) {
        let mut groups: BTreeMap<(Verdict, String), usize> = BTreeMap::new();
        let trials = grid.trials(key);
        for trial in trials.iter().filter(|trial| !super::grid::ran_to_its_end(trial)) {
            *groups
                .entry((trial.verdict, without_processes(trial.reason.as_deref().unwrap_or_default())))
                .or_default() += 1;
        }
        let mut push = |verdict, reason, trials| {
            rows.push(IncompleteRow {
                subject: key.subject.to_owned(),
                configuration: key.configuration.to_owned(),
                cores: key.cores,
                verdict,
                reason,
                trials,
            });
        };
        for ((verdict, reason), count) in groups {
            push(verdict.name(), reason, count);
        }
        let missing = grid.planned(key).saturating_sub(trials.len());
        match grid.presence(key) {
            Presence::Unprepared(verdict) => push(verdict.name(), failure_reason(grid.run, key.subject), missing),
            _ if missing > 0 => push("pending", "not run yet".to_owned(), missing),
            _ => {}
        }
    }
    rows
}

fn failure_reason(run: &RunData, subject: &str) -> String {
    let record = run.subjects.iter().find(|record| record.subject == subject);
    record.and_then(|record| record.failure.as_ref()).map(|failure| failure.reason.clone()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;
    use crate::suite::Finding;

    #[test]
    fn one_death_in_many_processes_is_one_finding() {
        let mut run = sample::two_core_counts();
        let is_hit = |trial: &&mut TrialRecord| trial.configuration == "plain" && trial.cores == 2;
        for (at, trial) in run.trials.iter_mut().filter(is_hit).enumerate() {
            let died =
                |number: usize| Finding::new(FindingKind::LostTests, format!("process {number} died in C#exits"));
            trial.findings = vec![died(4711 + 2 * at), died(4712 + 2 * at)];
        }
        let rows = findings(&run);
        let of_it = |row: &&FindingRow| row.configuration == "plain" && row.cores == 2;
        let rows: Vec<(&str, usize)> =
            rows.iter().filter(of_it).map(|row| (row.finding.as_str(), row.trials)).collect();
        assert_eq!(rows, [("a process died in C#exits", 5)]);
    }

    #[test]
    fn other_numbers_stay() {
        for text in ["2 expected tests never ran", "test process 3 contradicts itself", "process died", "process 1died"]
        {
            assert_eq!(without_processes(text), text);
        }
    }
}
