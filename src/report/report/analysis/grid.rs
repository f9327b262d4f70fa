//! The matrix of measured trials, cell by cell. Warm-up and screening are no part of it.

use std::collections::{BTreeSet, HashMap};

use crate::store::record::{ConfigurationSummary, Phase, RunData, SubjectFailure, TrialRecord, Verdict};

pub(in crate::report) struct Grid<'a> {
    pub run: &'a RunData,
    trials: HashMap<CellKey<'a>, Vec<&'a TrialRecord>>,
    planned: HashMap<CellKey<'a>, usize>,
    unprepared: HashMap<&'a str, &'a SubjectFailure>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::report) struct CellKey<'a> {
    pub subject: &'a str,
    pub configuration: &'a str,
    pub cores: usize,
}

/// What is known of a cell.
pub(in crate::report) enum Presence<'g, 'a> {
    /// Its trials, by repetition; at least one.
    Ran(&'g [&'a TrialRecord]),
    /// The subject could not be prepared, so nothing of it ran.
    Unprepared(Verdict),
    /// Planned, and not run yet.
    Pending,
    /// No part of the experiment.
    NotPlanned,
}

impl<'a> Grid<'a> {
    pub fn of(run: &'a RunData) -> Self {
        let mut trials: HashMap<CellKey, Vec<&TrialRecord>> = HashMap::new();
        for trial in run.trials.iter().filter(|trial| trial.phase == Phase::Measured) {
            let key = CellKey { subject: &trial.subject, configuration: &trial.configuration, cores: trial.cores };
            trials.entry(key).or_default().push(trial);
        }
        for cell in trials.values_mut() {
            cell.sort_by_key(|trial| trial.repetition);
        }
        let mut planned = HashMap::new();
        for trial in &run.manifest.trials {
            let key = CellKey { subject: &trial.subject, configuration: &trial.configuration, cores: trial.cores };
            *planned.entry(key).or_default() += 1;
        }
        let unprepared = run.subjects.iter().filter_map(|s| Some((s.subject.as_str(), s.failure.as_ref()?))).collect();
        Grid { run, trials, planned, unprepared }
    }

    /// Every cell of some configurations: core counts outermost, then subjects, then configurations.
    pub fn keys<'c>(
        &self,
        configurations: impl Fn(&ConfigurationSummary) -> bool + 'c,
    ) -> impl Iterator<Item = (CellKey<'a>, &'a ConfigurationSummary)> + 'c
    where
        'a: 'c,
    {
        let manifest = &self.run.manifest;
        let chosen: Vec<&ConfigurationSummary> = manifest.configurations.iter().filter(|c| configurations(c)).collect();
        manifest.cores.iter().flat_map(move |cores| {
            let chosen = chosen.clone();
            manifest.subjects.iter().flat_map(move |subject| {
                chosen.clone().into_iter().map(move |configuration| {
                    (CellKey { subject, configuration: &configuration.name, cores: *cores }, configuration)
                })
            })
        })
    }

    /// The trials of a cell, by repetition.
    pub fn trials<'g>(&'g self, key: CellKey<'g>) -> &'g [&'a TrialRecord] {
        self.trials.get(&key).map_or(&[], Vec::as_slice)
    }

    pub fn planned(&self, key: CellKey) -> usize {
        self.planned.get(&key).copied().unwrap_or(0)
    }

    pub fn presence<'g>(&'g self, key: CellKey<'g>) -> Presence<'g, 'a> {
        let trials = self.trials(key);
        if !trials.is_empty() {
            return Presence::Ran(trials);
        }
        match (self.planned(key), self.unprepared.get(key.subject)) {
            (0, _) => Presence::NotPlanned,
            (_, Some(failure)) => Presence::Unprepared(failure.verdict),
            (_, None) => Presence::Pending,
        }
    }
}

/// Were these measured by the same runs? Only a merged run has trials of several.
pub(in crate::report) fn same_origins(a: &[&TrialRecord], b: &[&TrialRecord]) -> bool {
    let runs = |trials: &[&TrialRecord]| -> BTreeSet<Option<String>> {
        trials.iter().map(|trial| trial.provenance.as_ref().map(|provenance| provenance.run.clone())).collect()
    };
    runs(a) == runs(b)
}

/// Did the suite run to its end, so that its time means something?
pub(in crate::report) fn ran_to_its_end(trial: &TrialRecord) -> bool {
    match trial.verdict {
        Verdict::Clean | Verdict::Failing | Verdict::LostTests => true,
        Verdict::TimedOut
        | Verdict::Crashed
        | Verdict::Unsupported
        | Verdict::BuildFailed
        | Verdict::HarnessError
        | Verdict::Contradicted => false,
    }
}

/// Wall times of the clean trials among these.
pub(in crate::report) fn clean_times(trials: &[&TrialRecord]) -> Vec<f64> {
    trials.iter().filter(|trial| trial.verdict == Verdict::Clean).map(|trial| trial.cost.wall_seconds).collect()
}
