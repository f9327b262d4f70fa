//! What the times of one configuration show beside the baseline's. This is the only place that decides whether a report may
//! call a configuration faster or slower: every sentence, card, macro, colour and average goes by it.
//!
//! It looks at the number of pairs, the interval and the observed concurrency. It does not look at p-values: five pairs can
//! never reach 0.05 in a two-sided Wilcoxon test, whatever they show.

use serde::Serialize;

use super::Interval;

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
    /// Sound pairs that are measurements of their own.
    pub pairs: usize,
    /// Of the ratio baseline / candidate.
    pub interval: Option<Interval>,
    pub concurrency: ObservedConcurrency,
}

pub fn judge_speed(evidence: &SpeedEvidence) -> SpeedJudgement {
    use ObservedConcurrency::{InEveryRun, InNoRun, InSomeRuns};
    match (evidence.pairs, evidence.concurrency, evidence.interval) {
        (0, InEveryRun | InSomeRuns | InNoRun, _) => SpeedJudgement::NotCompared,
        (_, InSomeRuns | InNoRun, _) => SpeedJudgement::NoConcurrency,
        (1..FEWEST_PAIRS, InEveryRun, _) | (FEWEST_PAIRS.., InEveryRun, None) => SpeedJudgement::NotEnoughRuns,
        (FEWEST_PAIRS.., InEveryRun, Some(interval)) if interval.low > 1.0 => SpeedJudgement::Faster,
        (FEWEST_PAIRS.., InEveryRun, Some(interval)) if interval.high < 1.0 => SpeedJudgement::Slower,
        (FEWEST_PAIRS.., InEveryRun, Some(_)) => SpeedJudgement::NoDifferenceShown,
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
}
