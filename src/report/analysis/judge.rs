//! Whether two runs of a suite may be compared for speed. This is the only place that decides it.

use crate::store::record::Verdict;
use crate::suite::Tally;

/// The judgement of a pair: a baseline and a candidate of the same block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Judgement {
    /// The same tests ran and ended alike: the times can be compared.
    Sound,
    /// Both are clean, yet other tests passed or were skipped: not the same work.
    OutcomesDiffer,
    /// The candidate did not do what the baseline did. It carries any verdict but `clean`.
    CandidateNot(Verdict),
    /// The candidate is clean, but what it is compared with is not.
    BaselineNot(Verdict),
}

/// Judges a pair by its verdicts and final tallies. A candidate that is not clean is never sound, however fast.
pub fn judge(baseline: (Verdict, &Tally), candidate: (Verdict, &Tally)) -> Judgement {
    use Verdict::{BuildFailed, Clean, Crashed, Failing, HarnessError, LostTests, TimedOut, Unsupported};
    match (baseline.0, candidate.0) {
        (Clean, Clean) if same_outcomes(baseline.1, candidate.1) => Judgement::Sound,
        (Clean, Clean) => Judgement::OutcomesDiffer,
        (_, verdict @ (Failing | LostTests | TimedOut | Crashed | Unsupported | BuildFailed | HarnessError)) => {
            Judgement::CandidateNot(verdict)
        }
        (verdict @ (Failing | LostTests | TimedOut | Crashed | Unsupported | BuildFailed | HarnessError), Clean) => {
            Judgement::BaselineNot(verdict)
        }
    }
}

impl Judgement {
    /// Does one such pair void the speedup of its cell? The suite itself then behaved differently under the candidate. A
    /// baseline that is not clean, or a trial that yielded nothing, only takes its own pair away.
    pub fn voids(self) -> bool {
        match self {
            Judgement::Sound | Judgement::BaselineNot(_) => false,
            Judgement::OutcomesDiffer => true,
            Judgement::CandidateNot(verdict) => verdict.is_completed(),
        }
    }
}

fn same_outcomes(a: &Tally, b: &Tally) -> bool {
    a == b
}

#[cfg(test)]
mod tests {
    use super::*;

    const VERDICTS: [Verdict; 8] = [
        Verdict::Clean,
        Verdict::Failing,
        Verdict::LostTests,
        Verdict::TimedOut,
        Verdict::Crashed,
        Verdict::Unsupported,
        Verdict::BuildFailed,
        Verdict::HarnessError,
    ];

    fn passed(passed: usize, skipped: usize) -> Tally {
        Tally { passed, skipped, ..Tally::default() }
    }

    #[test]
    fn only_two_clean_runs_with_the_same_outcomes_are_sound() {
        let tally = passed(10, 1);
        for baseline in VERDICTS {
            for candidate in VERDICTS {
                let sound = judge((baseline, &tally), (candidate, &tally)) == Judgement::Sound;
                assert_eq!(
                    sound,
                    (baseline, candidate) == (Verdict::Clean, Verdict::Clean),
                    "{baseline:?} {candidate:?}"
                );
            }
        }
    }

    #[test]
    fn a_test_that_was_skipped_instead_of_passed_makes_it_other_work() {
        let judgement = judge((Verdict::Clean, &passed(10, 0)), (Verdict::Clean, &passed(9, 1)));
        assert_eq!(judgement, Judgement::OutcomesDiffer);
        assert!(judgement.voids());
    }

    #[test]
    fn the_candidates_flaw_is_named_before_the_baselines() {
        let tally = passed(10, 0);
        assert_eq!(
            judge((Verdict::Failing, &tally), (Verdict::TimedOut, &tally)),
            Judgement::CandidateNot(Verdict::TimedOut)
        );
        assert_eq!(
            judge((Verdict::Failing, &tally), (Verdict::Clean, &tally)),
            Judgement::BaselineNot(Verdict::Failing)
        );
    }

    #[test]
    fn every_way_in_which_the_suite_itself_went_wrong_voids_the_cell() {
        for verdict in VERDICTS.into_iter().skip(1) {
            let broke_before_the_suite = matches!(verdict, Verdict::BuildFailed | Verdict::HarnessError);
            assert_eq!(Judgement::CandidateNot(verdict).voids(), !broke_before_the_suite, "{verdict:?}");
            assert!(!Judgement::BaselineNot(verdict).voids());
        }
    }
}
