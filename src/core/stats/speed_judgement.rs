//! What the times of one side show beside those of another. This is the only place that decides whether parade may call
//! something faster or slower: every sentence, card, macro, colour and average of `report`, `compare`, `stats`, `assess` and of
//! artifacts goes by it.
//!
//! The rule: at least five pairs (five runs on each side, where runs are not paired), and the side of 1 on which the whole 95 %
//! interval of the ratio lies. The interval is the t interval of the logarithms up to 29, the BCa bootstrap from 30 on. Level
//! and seed are no settings, so that the same numbers never have two answers.
//!
//! It does not look at p-values: five pairs can never reach 0.05 in a two-sided Wilcoxon test, whatever they show.

use serde::Serialize;

use super::{
    Interval, IntervalMethod, RatioInterval, independent_ratio_interval, mean, paired_ratio_interval, ratio_of_means,
};
use crate::wording::plural;

/// The level of the interval that decides.
pub const LEVEL: f64 = 0.95;
/// Where the draws of its bootstrap begin.
pub const SEED: u64 = 1;

/// Fewer sound pairs show nothing.
pub const FEWEST_PAIRS: usize = 5;
pub const FEWEST_PAIRS_WORD: &str = "five";

/// What one comparison shows: a configuration and the baseline, on one subject and number of cores.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SpeedJudgement {
    /// The whole interval of the speedup lies above 1.
    Faster,
    /// The whole interval lies below 1.
    Slower,
    /// The interval includes 1.
    NoDifferenceShown,
    /// Fewer than [`FEWEST_PAIRS`] pairs, or times that give no interval.
    NotEnoughRuns,
    /// The asked-for concurrency was not observed in every run, so no difference can come from it.
    NoConcurrency,
    /// There is no sound speedup; the state of the cell says why.
    #[default]
    NotCompared,
}

/// In which of the compared runs did the asked-for concurrency take place?
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ObservedConcurrency {
    InEveryRun,
    InSomeRuns,
    #[default]
    InNoRun,
    /// Nobody says that a difference comes from concurrency: two columns of numbers, or one configuration in two runs.
    NotInQuestion,
}

/// How the runs of both sides belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Design {
    /// Each run has a partner: the same block, or the same row.
    Paired,
    /// Two samples that were taken apart.
    Unpaired,
}

impl Design {
    /// `t` or `unpaired t`, as it stands beside a number.
    pub fn label(self, method: IntervalMethod) -> String {
        match self {
            Design::Paired => method.label().to_owned(),
            Design::Unpaired => format!("unpaired {}", method.label()),
        }
    }
}

/// Two sides, what they show, and what that rests on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpeedComparison {
    /// The mean of the baseline over that of the candidate.
    pub ratio: Option<f64>,
    pub interval: Option<RatioInterval>,
    pub judgement: SpeedJudgement,
}

/// The comparison of pairs `(baseline, candidate)`.
pub fn compare_pairs(pairs: &[(f64, f64)], concurrency: ObservedConcurrency) -> SpeedComparison {
    let interval = paired_ratio_interval(pairs, LEVEL, SEED);
    SpeedComparison::of(ratio_of_means(pairs), interval, pairs.len(), concurrency)
}

/// The same for runs that are not paired. What counts is the side with fewer of them.
pub fn compare_samples(baseline: &[f64], candidate: &[f64], concurrency: ObservedConcurrency) -> SpeedComparison {
    let interval = independent_ratio_interval(baseline, candidate, LEVEL, SEED);
    let means = mean(baseline).zip(mean(candidate)).filter(|(_, candidate)| *candidate > 0.0);
    let ratio = means.map(|(baseline, candidate)| baseline / candidate);
    SpeedComparison::of(ratio, interval, baseline.len().min(candidate.len()), concurrency)
}

impl SpeedComparison {
    fn of(
        ratio: Option<f64>,
        interval: Option<RatioInterval>,
        pairs: usize,
        concurrency: ObservedConcurrency,
    ) -> SpeedComparison {
        // Without a ratio there is nothing that an interval could be of.
        let pairs = if ratio.is_some() { pairs } else { 0 };
        let evidence = SpeedEvidence { pairs, interval: interval.map(|found| found.interval), concurrency };
        SpeedComparison { ratio, interval, judgement: judge_speed(&evidence) }
    }

    pub fn low(&self) -> Option<f64> {
        self.interval.map(|found| found.interval.low)
    }

    pub fn high(&self) -> Option<f64> {
        self.interval.map(|found| found.interval.high)
    }

    /// As files name it.
    pub fn method(&self) -> Option<&'static str> {
        self.interval.map(|found| found.method.name())
    }
}

/// What `not enough runs` lacks: `1 pair; five are needed`.
pub fn lacking(pairs: usize) -> String {
    let told = plural(pairs, "pair");
    if pairs < FEWEST_PAIRS {
        format!("{told}; {FEWEST_PAIRS_WORD} are needed")
    } else {
        format!("{told} give no interval")
    }
}

impl ObservedConcurrency {
    /// From the number of runs in which it was seen.
    pub fn in_runs(seen: usize, of: usize) -> Self {
        match (seen, of) {
            (0, _) => ObservedConcurrency::InNoRun,
            (seen, of) if seen >= of => ObservedConcurrency::InEveryRun,
            _ => ObservedConcurrency::InSomeRuns,
        }
    }
}

/// What the judgement rests on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpeedEvidence {
    /// Sound pairs that are measurements of their own; without pairs, the runs of the side that has fewer.
    pub pairs: usize,
    /// Of the ratio baseline / candidate.
    pub interval: Option<Interval>,
    pub concurrency: ObservedConcurrency,
}

pub fn judge_speed(evidence: &SpeedEvidence) -> SpeedJudgement {
    let may_be_seen = match evidence.concurrency {
        ObservedConcurrency::InEveryRun | ObservedConcurrency::NotInQuestion => true,
        ObservedConcurrency::InSomeRuns | ObservedConcurrency::InNoRun => false,
    };
    match (evidence.pairs, evidence.interval) {
        (0, _) => SpeedJudgement::NotCompared,
        _ if !may_be_seen => SpeedJudgement::NoConcurrency,
        (1..FEWEST_PAIRS, _) | (FEWEST_PAIRS.., None) => SpeedJudgement::NotEnoughRuns,
        (FEWEST_PAIRS.., Some(interval)) if interval.low > 1.0 => SpeedJudgement::Faster,
        (FEWEST_PAIRS.., Some(interval)) if interval.high < 1.0 => SpeedJudgement::Slower,
        (FEWEST_PAIRS.., Some(_)) => SpeedJudgement::NoDifferenceShown,
    }
}

impl SpeedJudgement {
    pub const ALL: [SpeedJudgement; 6] = [
        SpeedJudgement::Faster,
        SpeedJudgement::Slower,
        SpeedJudgement::NoDifferenceShown,
        SpeedJudgement::NotEnoughRuns,
        SpeedJudgement::NoConcurrency,
        SpeedJudgement::NotCompared,
    ];

    /// Do the data tell anything about speed? Only such comparisons are drawn and averaged.
    pub fn is_answer(self) -> bool {
        match self {
            SpeedJudgement::Faster | SpeedJudgement::Slower | SpeedJudgement::NoDifferenceShown => true,
            SpeedJudgement::NotEnoughRuns | SpeedJudgement::NoConcurrency | SpeedJudgement::NotCompared => false,
        }
    }

    /// In two or three words, for a table.
    pub fn words(self) -> &'static str {
        match self {
            SpeedJudgement::Faster => "faster",
            SpeedJudgement::Slower => "slower",
            SpeedJudgement::NoDifferenceShown => "no difference shown",
            SpeedJudgement::NotEnoughRuns => "not enough runs",
            SpeedJudgement::NoConcurrency => "no concurrency",
            SpeedJudgement::NotCompared => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ABOVE: Interval = Interval { low: 1.2, high: 1.9 };

    fn judged(pairs: usize, interval: Option<Interval>, concurrency: ObservedConcurrency) -> SpeedJudgement {
        judge_speed(&SpeedEvidence { pairs, interval, concurrency })
    }

    #[test]
    fn the_side_of_the_interval_decides() {
        let with = |low, high| judged(8, Some(Interval { low, high }), ObservedConcurrency::InEveryRun);
        assert_eq!(with(1.2, 1.9), SpeedJudgement::Faster);
        assert_eq!(with(0.5, 0.9), SpeedJudgement::Slower);
        for (low, high) in [(0.32, 1.73), (1.0, 1.5), (0.5, 1.0), (1.0, 1.0)] {
            assert_eq!(with(low, high), SpeedJudgement::NoDifferenceShown, "{low}–{high}");
        }
    }

    #[test]
    fn without_concurrency_or_five_pairs_nothing_is_shown() {
        use ObservedConcurrency::{InEveryRun, InNoRun, InSomeRuns};
        for pairs in 1..=20 {
            for concurrency in [InSomeRuns, InNoRun] {
                assert_eq!(judged(pairs, Some(ABOVE), concurrency), SpeedJudgement::NoConcurrency);
            }
            let expected = if pairs < FEWEST_PAIRS { SpeedJudgement::NotEnoughRuns } else { SpeedJudgement::Faster };
            assert_eq!(judged(pairs, Some(ABOVE), InEveryRun), expected, "{pairs}");
            assert_eq!(judged(pairs, None, InEveryRun), SpeedJudgement::NotEnoughRuns);
        }
        for concurrency in [InEveryRun, InSomeRuns, InNoRun] {
            assert_eq!(judged(0, Some(ABOVE), concurrency), SpeedJudgement::NotCompared);
        }
    }

    #[test]
    fn concurrency_counts_only_where_every_run_had_it() {
        assert_eq!(ObservedConcurrency::in_runs(0, 5), ObservedConcurrency::InNoRun);
        assert_eq!(ObservedConcurrency::in_runs(4, 5), ObservedConcurrency::InSomeRuns);
        assert_eq!(ObservedConcurrency::in_runs(5, 5), ObservedConcurrency::InEveryRun);
    }

    /// Five pairs that differ by a factor of two have p = 0.0625 and no place among many tests; the interval decides alone.
    #[test]
    fn pairs_and_samples_are_judged_by_the_same_rule() {
        let column = |center: f64, n: usize| (0..n).map(|i| center + (i % 3) as f64 / 10.0).collect::<Vec<f64>>();
        for n in [1, 2, 3, 4, 5, 6, 29, 30, 31] {
            for (baseline, candidate, shown) in [
                (20.0, 10.0, SpeedJudgement::Faster),
                (10.0, 20.0, SpeedJudgement::Slower),
                (10.0, 10.0, SpeedJudgement::NoDifferenceShown),
            ] {
                let (a, b) = (column(baseline, n), column(candidate, n));
                let pairs: Vec<(f64, f64)> = a.iter().copied().zip(b.iter().copied()).collect();
                let paired = compare_pairs(&pairs, ObservedConcurrency::NotInQuestion);
                let apart = compare_samples(&a, &b, ObservedConcurrency::NotInQuestion);
                let expected = if n < FEWEST_PAIRS { SpeedJudgement::NotEnoughRuns } else { shown };
                assert_eq!(
                    (paired.judgement, apart.judgement),
                    (expected, expected),
                    "{n} of {baseline} and {candidate}"
                );
                assert_eq!((paired.method(), paired.ratio), (apart.method(), apart.ratio));
            }
        }
    }

    #[test]
    fn what_has_no_ratio_is_not_compared() {
        let zeros = [(1.0, 0.0); 6];
        assert_eq!(compare_pairs(&zeros, ObservedConcurrency::NotInQuestion).judgement, SpeedJudgement::NotCompared);
        let apart = compare_samples(&[1.0; 6], &[], ObservedConcurrency::NotInQuestion);
        assert_eq!((apart.judgement, apart.ratio), (SpeedJudgement::NotCompared, None));
        assert_eq!(lacking(1), "1 pair; five are needed");
        assert_eq!(lacking(6), "6 pairs give no interval");
    }
}
