//! Speedups as people read them: the sentence and the tables take the same words, so that they cannot differ.

use super::evidence::Speedup;
use crate::stats::Interval;
use crate::stats::speed_judgement::{ObservedConcurrency, SpeedEvidence, SpeedJudgement, judge_speed};
use crate::wording::{counted, plural};

impl Speedup {
    /// `1.58`; of what falls just short of a limit, so many digits that it does not look like it.
    pub fn value_text(&self) -> String {
        let limit = super::decide::LEAST_GAIN;
        let falls_short = self.value < limit && format!("{:.2}", self.value) == format!("{limit:.2}");
        if falls_short { format!("{:.4}", self.value) } else { format!("{:.2}", self.value) }
    }

    /// `1.41–1.77`; nothing for fewer than three pairs.
    pub fn interval_text(&self) -> Option<String> {
        Some(format!("{:.2}–{:.2}", self.ci_low?, self.ci_high?))
    }

    /// `1.58× (95 % CI 1.41–1.77, 10 pairs)`.
    pub fn told(&self) -> String {
        let pairs = plural(self.pairs, "pair");
        match self.interval_text() {
            Some(interval) => format!("{}× (95 % CI {interval}, {pairs})", self.value_text()),
            None => format!("{}× ({pairs}, too few for an interval)", self.value_text()),
        }
    }

    /// By the rule that reports go by. Only modes in which tests overlapped are compared here.
    pub fn judgement(&self) -> SpeedJudgement {
        let interval = self.ci_low.zip(self.ci_high).map(|(low, high)| Interval { low, high });
        let concurrency = ObservedConcurrency::InEveryRun;
        judge_speed(&SpeedEvidence { pairs: self.pairs, interval, concurrency })
    }

    /// What the interval of few pairs shows, and what p would need. `budget` would probably give so many pairs.
    pub fn certainty(&self, needed: usize, budget: Option<&str>) -> String {
        let interval = match (self.interval_text(), self.ci_low, self.ci_high) {
            (Some(text), ..) if self.judgement() == SpeedJudgement::NotEnoughRuns => {
                format!("the interval {text} comes from {}, too few to rely on", counted(self.pairs, "pair", "pairs"))
            }
            (Some(text), Some(low), _) if low > 1.0 => format!("the interval {text} lies above 1: it shows a gain"),
            (Some(text), _, Some(high)) if high < 1.0 => format!("the interval {text} lies below 1: it shows a loss"),
            (Some(text), ..) => format!("the interval {text} contains 1: it shows no difference"),
            _ => "there is no interval below three pairs".to_owned(),
        };
        let how = budget.map(|budget| format!("; a --budget of {budget} should give {needed}")).unwrap_or_default();
        let there = if self.pairs == 1 { "there is 1".to_owned() } else { format!("there are {}", self.pairs) };
        format!("{interval}. p < 0.05 needs at least {needed} pairs, and {there}{how}")
    }

    /// What the runs show, and no more: faster, slower, no difference, or too few runs to tell.
    pub fn compared(&self) -> String {
        let (value, told) = (self.value_text(), self.told());
        match self.judgement() {
            SpeedJudgement::Faster => {
                let interval = told.split_once('×').map_or("", |(_, rest)| rest);
                format!("is {value}× faster than sequential{interval}")
            }
            SpeedJudgement::Slower => format!("is slower than sequential: {told}"),
            SpeedJudgement::NoDifferenceShown => format!("shows no difference from sequential: {told}"),
            SpeedJudgement::NotEnoughRuns | SpeedJudgement::NoConcurrency | SpeedJudgement::NotCompared => {
                let pairs = counted(self.pairs, "pair of runs", "pairs of runs");
                format!("was {value}× as fast as sequential in {pairs}, not enough to tell")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::assess::evidence::tests::speedup;

    #[test]
    fn what_the_interval_shows_and_what_p_needs_is_one_sentence_each() {
        let told = speedup(1.29, 1.15, 1.44, 5).certainty(6, Some("12m"));
        let expected = "the interval 1.15–1.44 lies above 1: it shows a gain. p < 0.05 needs at least 6 pairs, and \
            there are 5; a --budget of 12m should give 6";
        assert_eq!(told, expected);
        assert!(speedup(1.1, 0.9, 1.3, 4).certainty(6, None).ends_with("needs at least 6 pairs, and there are 4"));
    }

    #[test]
    fn nothing_is_called_faster_that_the_runs_do_not_show() {
        let firm = speedup(1.58, 1.41, 1.77, 10).compared();
        assert_eq!(firm, "is 1.58× faster than sequential (95 % CI 1.41–1.77, 10 pairs)");
        for (value, low, high, pairs) in [(1.6, 1.4, 1.8, 4), (1.6, 0.9, 2.8, 10), (0.8, 0.7, 0.9, 10)] {
            let told = speedup(value, low, high, pairs).compared();
            assert!(!told.contains("faster"), "{told}");
        }
        assert!(speedup(0.8, 0.7, 0.9, 10).compared().starts_with("is slower"));
        let few = speedup(1.6, 1.4, 1.8, 4).compared();
        assert_eq!(few, "was 1.60× as fast as sequential in 4 pairs of runs, not enough to tell");
        assert_eq!(speedup(1.0999, 1.0, 1.2, 6).value_text(), "1.0999", "what falls short does not look like it");
    }
}
