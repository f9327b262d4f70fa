//! Which run gives which trials, and under which numbers. Baseline and candidate of a block stay together: a subject on a
//! number of cores comes from one run, or the blocks of the runs are numbered one after the other.

use std::collections::{BTreeMap, BTreeSet};

use super::input::Input;
use super::{Overlap, refusal};
use crate::experiment::Trial;
use crate::store::record::{Phase, TrialRecord};

/// What one input gives to the merged run.
pub(super) struct Share {
    /// Each with the id that it had before.
    pub trials: Vec<(String, TrialRecord)>,
    pub planned: Vec<Trial>,
    pub notes: Vec<String>,
}

/// A subject on a number of cores: what pairs are made within.
type Group = (String, usize);

pub(super) fn distribute(inputs: &[Input], overlap: Overlap) -> miette::Result<Vec<Share>> {
    let mut notes: Vec<Vec<String>> = inputs.iter().map(|_| Vec::new()).collect();
    let groups = groups(inputs, &mut notes);
    let shared: BTreeSet<Group> = repeated(groups.iter().flatten());
    check_overlap(inputs, &groups, &shared, overlap)?;
    let renumbering = Renumbering::of(inputs, &groups, &shared);
    let had: BTreeSet<&Group> = groups.iter().flatten().collect();
    let mut planned_so_far = BTreeSet::new();
    let shares = inputs.iter().enumerate().zip(notes).map(|((number, input), notes)| {
        let mine = &groups[number];
        let is_mine = |trial: &Trial| {
            let group = (trial.subject.clone(), trial.cores);
            mine.contains(&group) || !had.contains(&group)
        };
        let planned = input.manifest.trials.iter().filter(|trial| is_mine(trial));
        let planned = planned.map(|trial| renumbering.planned(number, trial));
        Share {
            planned: planned.filter(|trial| planned_so_far.insert(trial.id.clone())).collect(),
            trials: given(input, mine).map(|trial| (trial.trial.clone(), renumbering.record(number, trial))).collect(),
            notes,
        }
    });
    Ok(shares.collect())
}

/// The trials that count: measured ones of its groups, the others of its subjects.
fn given<'a>(input: &'a Input, groups: &'a BTreeSet<Group>) -> impl Iterator<Item = &'a TrialRecord> {
    let subjects: BTreeSet<&str> = groups.iter().map(|(subject, _)| subject.as_str()).collect();
    input.trials.iter().filter(move |trial| match trial.phase {
        Phase::Measured => groups.contains(&(trial.subject.clone(), trial.cores)),
        Phase::Warmup | Phase::Screening => subjects.contains(trial.subject.as_str()),
    })
}

/// The groups of each input. One of which no trial yielded data gives way to one that has data elsewhere.
fn groups(inputs: &[Input], notes: &mut [Vec<String>]) -> Vec<BTreeSet<Group>> {
    let of = |input: &Input, wanted: fn(&TrialRecord) -> bool| -> BTreeSet<Group> {
        let measured = input.trials.iter().filter(|trial| trial.phase == Phase::Measured && wanted(trial));
        measured.map(|trial| (trial.subject.clone(), trial.cores)).collect()
    };
    let all: Vec<BTreeSet<Group>> = inputs.iter().map(|input| of(input, |_| true)).collect();
    let yielding: Vec<BTreeSet<Group>> =
        inputs.iter().map(|input| of(input, |trial| trial.verdict.is_completed())).collect();
    let gives_way = |number: usize, group: &Group| {
        let elsewhere = |sets: &[BTreeSet<Group>]| {
            sets.iter().enumerate().any(|(other, set)| other != number && set.contains(group))
        };
        !yielding[number].contains(group) && (elsewhere(&yielding) || elsewhere(&all[..number]))
    };
    let mut kept = Vec::new();
    for (number, groups) in all.iter().enumerate() {
        let (left_out, mine): (BTreeSet<Group>, BTreeSet<Group>) =
            groups.iter().cloned().partition(|group| gives_way(number, group));
        for (subject, cores) in left_out {
            let label = &inputs[number].label;
            let cores = crate::wording::plural(cores, "core");
            notes[number].push(format!(
                "{label}: no trial of `{subject}` on {cores} completed in this run, so it is \
                left out"
            ));
        }
        kept.push(mine);
    }
    kept
}

/// What comes more than once.
fn repeated<'a>(groups: impl Iterator<Item = &'a Group>) -> BTreeSet<Group> {
    let mut counts: BTreeMap<&Group, usize> = BTreeMap::new();
    for group in groups {
        *counts.entry(group).or_default() += 1;
    }
    counts.into_iter().filter(|(_, count)| *count > 1).map(|(group, _)| group.clone()).collect()
}

fn check_overlap(
    inputs: &[Input],
    groups: &[BTreeSet<Group>],
    shared: &BTreeSet<Group>,
    overlap: Overlap,
) -> miette::Result<()> {
    // Numbered one after the other, blocks of these groups would have the baseline or a candidate, and never both.
    let unpaired: BTreeSet<Group> = shared.iter().filter(|group| is_torn(inputs, group)).cloned().collect();
    if overlap == Overlap::Refuse && !shared.is_empty() {
        return Err(refuse_overlap(inputs, groups, shared, unpaired.is_empty()));
    }
    if unpaired.is_empty() {
        return Ok(());
    }
    Err(refusal(
        "no run has trials of both the baseline and another configuration, so there are no pairs",
        &having(inputs, groups, &unpaired),
        TORN,
    ))
}

const TORN: &str = "run the baseline and the candidates in one run: pairs never mix two runs";

/// Do the runs have the baseline and another configuration of a group only between them, never one run both?
fn is_torn(inputs: &[Input], group: &Group) -> bool {
    let sides = |input: &Input| {
        let of_group = |trial: &&TrialRecord| {
            trial.phase == Phase::Measured && (trial.subject.as_str(), trial.cores) == (group.0.as_str(), group.1)
        };
        let mut kinds = (false, false);
        for trial in input.trials.iter().filter(of_group) {
            let is_baseline = trial.configuration == input.manifest.baseline;
            kinds = (kinds.0 || is_baseline, kinds.1 || !is_baseline);
        }
        kinds
    };
    let sides: Vec<(bool, bool)> = inputs.iter().map(sides).collect();
    let together = sides.iter().any(|side| side.0) && sides.iter().any(|side| side.1);
    together && !sides.iter().any(|side| side.0 && side.1)
}

/// Each group with the runs that have it.
fn having(inputs: &[Input], groups: &[BTreeSet<Group>], wanted: &BTreeSet<Group>) -> Vec<String> {
    let reason = |group: &Group| {
        let having = inputs.iter().zip(groups).filter(|(_, groups)| groups.contains(group));
        let labels: Vec<&str> = having.map(|(input, _)| input.label.as_str()).collect();
        format!("`{}` on {}: {}", group.0, crate::wording::plural(group.1, "core"), labels.join(", "))
    };
    wanted.iter().map(reason).collect()
}

fn refuse_overlap(
    inputs: &[Input],
    groups: &[BTreeSet<Group>],
    shared: &BTreeSet<Group>,
    has_pairs: bool,
) -> miette::Report {
    let help =
        "add --repetitions to count the blocks of later runs as further repetitions, or leave out one of the runs";
    refusal(
        "several runs have trials of the same subject on the same number of cores, and pairs must not mix two runs",
        &having(inputs, groups, shared),
        if has_pairs { help } else { TORN },
    )
}

/// By how much the numbers of an input's repetitions are raised.
struct Renumbering {
    raised: BTreeMap<(usize, String, Phase), u32>,
}

impl Renumbering {
    fn of(inputs: &[Input], groups: &[BTreeSet<Group>], shared: &BTreeSet<Group>) -> Self {
        let shared: BTreeSet<&str> = shared.iter().map(|(subject, _)| subject.as_str()).collect();
        let mut raised = BTreeMap::new();
        for phase in [Phase::Measured, Phase::Warmup, Phase::Screening] {
            let mut reached: BTreeMap<&str, u32> = BTreeMap::new();
            for (number, input) in inputs.iter().enumerate() {
                for (subject, highest) in highest(input, &groups[number], phase) {
                    let so_far = reached.entry(subject).or_default();
                    // Blocks of a subject that no two runs share keep their numbers.
                    if phase != Phase::Measured || shared.contains(subject) {
                        raised.insert((number, subject.to_owned(), phase), *so_far);
                    }
                    *so_far += highest;
                }
            }
        }
        Renumbering { raised }
    }

    fn by(&self, number: usize, subject: &str, phase: Phase) -> u32 {
        self.raised.get(&(number, subject.to_owned(), phase)).copied().unwrap_or(0)
    }

    fn record(&self, number: usize, trial: &TrialRecord) -> TrialRecord {
        let repetition = trial.repetition + self.by(number, &trial.subject, trial.phase);
        let id = renumbered(&trial.trial, trial.phase, trial.repetition, repetition);
        TrialRecord { trial: id, repetition, ..trial.clone() }
    }

    fn planned(&self, number: usize, trial: &Trial) -> Trial {
        let repetition = trial.repetition + self.by(number, &trial.subject, Phase::Measured);
        let id = renumbered(&trial.id, Phase::Measured, trial.repetition, repetition);
        Trial { id, repetition, ..trial.clone() }
    }
}

/// The highest number of a repetition for each subject of an input.
fn highest<'a>(input: &'a Input, groups: &'a BTreeSet<Group>, phase: Phase) -> BTreeMap<&'a str, u32> {
    let mut highest = BTreeMap::new();
    for trial in given(input, groups).filter(|trial| trial.phase == phase) {
        let known = highest.entry(trial.subject.as_str()).or_insert(0);
        *known = trial.repetition.max(*known);
    }
    if phase == Phase::Measured {
        for trial in &input.manifest.trials {
            if let Some(known) = highest.get_mut(trial.subject.as_str()) {
                *known = trial.repetition.max(*known);
            }
        }
    }
    highest
}

/// The id with another number; the digits over its settings stay.
fn renumbered(id: &str, phase: Phase, old: u32, new: u32) -> String {
    if old == new {
        return id.to_owned();
    }
    if phase == Phase::Warmup {
        let rest = id.strip_prefix(&format!("warmup-{old}.")).unwrap_or(id);
        return format!("warmup-{new}.{rest}");
    }
    match id.rsplit_once(&format!(".r{old}-")) {
        Some((cell, digits)) => format!("{cell}.r{new}-{digits}"),
        None => format!("{id}.r{new}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_keep_all_but_their_number() {
        assert_eq!(renumbered("a.r1-x.b.c2.r1-00ff", Phase::Measured, 1, 6), "a.r1-x.b.c2.r6-00ff");
        assert_eq!(renumbered("warmup-1.a.b.c2.r1-00ff", Phase::Warmup, 1, 2), "warmup-2.a.b.c2.r1-00ff");
        assert_eq!(renumbered("a.screening.c2.r3-00ff", Phase::Screening, 3, 3), "a.screening.c2.r3-00ff");
        assert_eq!(renumbered("strange", Phase::Measured, 1, 2), "strange.r2");
    }
}
