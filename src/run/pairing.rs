//! Which runs of a suite are compared for speed, and whether a pair of them may be. This is the only place that decides it: reports
//! and assessments of the same records use the same pairs.

use crate::store::record::{TrialRecord, Verdict};
use crate::suite::{FindingKind, Tally};

/// The judgement of a pair: a baseline and a candidate of the same block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Judgement {
    /// The same tests ran and ended alike: the times can be compared.
    Sound,
    /// Both are clean, yet other tests passed or were skipped: not the same work.
    OutcomesDiffer,
    /// Both are clean, yet other set-aside tests ran to their end: not the same work either.
    SetAsideDiffer,
    /// Both are clean, but the baseline did not run the whole suite: its time is not that of the suite.
    BaselinePartial,
    /// The candidate did not do what the baseline did. It carries any verdict but `clean`.
    CandidateNot(Verdict),
    /// The candidate is clean, but what it is compared with is not.
    BaselineNot(Verdict),
}

/// One trial of a pair, as far as the judgement looks at it.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    pub verdict: Verdict,
    pub tally: &'a Tally,
    /// The fingerprint of which test ended how.
    pub outcomes: Option<&'a str>,
    /// Which set-aside tests did not run to their end, where there are some.
    pub cut: Option<&'a str>,
    /// What of the suite is not known, as the first run of it ended early.
    pub unknown: Option<&'a str>,
}

impl Side<'_> {
    /// Is its time not that of the whole suite, though no counted test shows it?
    fn is_partial(&self) -> bool {
        self.cut.is_some() || self.unknown.is_some()
    }
}

impl<'a> From<&'a TrialRecord> for Side<'a> {
    fn from(trial: &'a TrialRecord) -> Self {
        let first =
            |kind| trial.findings.iter().find(|finding| finding.kind == kind).map(|finding| finding.text.as_str());
        Side {
            verdict: trial.verdict,
            tally: &trial.tally,
            outcomes: trial.outcomes_hash.as_deref(),
            cut: first(FindingKind::SetAsideCut),
            unknown: first(FindingKind::LostTests),
        }
    }
}

/// Judges a pair by its verdicts and final outcomes. A candidate that is not clean is never sound, however fast.
pub fn judge(baseline: Side<'_>, candidate: Side<'_>) -> Judgement {
    use Verdict::{BuildFailed, Clean, Contradicted, Crashed, Failing, HarnessError, LostTests, TimedOut, Unsupported};
    match (baseline.verdict, candidate.verdict) {
        (Clean, Clean) if !same_outcomes(baseline, candidate) => Judgement::OutcomesDiffer,
        (Clean, Clean) if baseline.cut != candidate.cut => Judgement::SetAsideDiffer,
        (Clean, Clean) if baseline.is_partial() => Judgement::BaselinePartial,
        (Clean, Clean) => Judgement::Sound,
        (
            _,
            verdict @ (Failing | LostTests | TimedOut | Crashed | Unsupported | BuildFailed | HarnessError
            | Contradicted),
        ) => Judgement::CandidateNot(verdict),
        (
            verdict @ (Failing | LostTests | TimedOut | Crashed | Unsupported | BuildFailed | HarnessError
            | Contradicted),
            Clean,
        ) => Judgement::BaselineNot(verdict),
    }
}

/// Test by test where both trials recorded it, else by their counts.
fn same_outcomes(a: Side<'_>, b: Side<'_>) -> bool {
    match (a.outcomes, b.outcomes) {
        (Some(a), Some(b)) => a == b,
        _ => a.tally == b.tally,
    }
}

/// A candidate and the baseline of its block.
#[derive(Debug, Clone, Copy)]
pub struct RunPair<'a> {
    pub judgement: Judgement,
    pub baseline: &'a TrialRecord,
    pub candidate: &'a TrialRecord,
}

/// A pair for every candidate whose block has a baseline too.
pub fn pairs_of<'a>(candidates: &[&'a TrialRecord], baselines: &[&'a TrialRecord]) -> Vec<RunPair<'a>> {
    let baseline_of = |repetition| baselines.iter().find(|baseline| baseline.repetition == repetition).copied();
    let pair = |candidate: &'a TrialRecord| {
        let baseline = baseline_of(candidate.repetition)?;
        Some(RunPair { judgement: judge(baseline.into(), candidate.into()), baseline, candidate })
    };
    candidates.iter().filter_map(|candidate| pair(candidate)).collect()
}

impl RunPair<'_> {
    /// May an assessment use its times? All sound pairs, which are those that a report uses. Also a candidate with failing tests
    /// beside a clean baseline: an assessment asks for the speed before repairs, too.
    pub fn is_assessed(&self) -> bool {
        let is_failing = self.judgement == Judgement::CandidateNot(Verdict::Failing);
        let is_whole = self.baseline.verdict == Verdict::Clean && !Side::from(self.baseline).is_partial();
        self.judgement == Judgement::Sound || is_failing && is_whole
    }

    /// Did every test of both runs end, though some failed in the baseline? Such pairs count only where there are no others.
    pub fn is_assessed_at_need(&self) -> bool {
        let ended = |trial: &TrialRecord| matches!(trial.verdict, Verdict::Clean | Verdict::Failing);
        let is_other_work = matches!(self.judgement, Judgement::OutcomesDiffer | Judgement::SetAsideDiffer);
        let is_partial = Side::from(self.baseline).is_partial();
        !is_other_work && !is_partial && ended(self.baseline) && ended(self.candidate)
    }
}

impl Judgement {
    /// Does one such pair void the speedup of its cell? The suite itself then behaved differently under the candidate. A
    /// baseline that is not clean, or a trial that yielded nothing, only takes its own pair away.
    pub fn voids(self) -> bool {
        match self {
            Judgement::Sound | Judgement::BaselineNot(_) => false,
            Judgement::OutcomesDiffer | Judgement::SetAsideDiffer | Judgement::BaselinePartial => true,
            Judgement::CandidateNot(verdict) => verdict.is_completed(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VERDICTS: [Verdict; 9] = [
        Verdict::Clean,
        Verdict::Failing,
        Verdict::LostTests,
        Verdict::TimedOut,
        Verdict::Crashed,
        Verdict::Unsupported,
        Verdict::BuildFailed,
        Verdict::HarnessError,
        Verdict::Contradicted,
    ];

    fn side(verdict: Verdict, tally: &Tally) -> Side<'_> {
        Side { verdict, tally, outcomes: None, cut: None, unknown: None }
    }

    fn passed(passed: usize, skipped: usize) -> Tally {
        Tally { passed, skipped, ..Tally::default() }
    }

    #[test]
    fn only_two_clean_runs_with_the_same_outcomes_are_sound() {
        let tally = passed(10, 1);
        for baseline in VERDICTS {
            for candidate in VERDICTS {
                let sound = judge(side(baseline, &tally), side(candidate, &tally)) == Judgement::Sound;
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
        let judgement = judge(side(Verdict::Clean, &passed(10, 0)), side(Verdict::Clean, &passed(9, 1)));
        assert_eq!(judgement, Judgement::OutcomesDiffer);
        assert!(judgement.voids());
    }

    #[test]
    fn another_test_with_the_same_counts_makes_it_other_work() {
        let tally = passed(9, 1);
        let clean = |outcomes| Side { outcomes, ..side(Verdict::Clean, &tally) };
        assert_eq!(judge(clean(Some("a")), clean(Some("a"))), Judgement::Sound);
        assert_eq!(judge(clean(Some("a")), clean(Some("b"))), Judgement::OutcomesDiffer);
        assert_eq!(judge(clean(Some("a")), clean(None)), Judgement::Sound);
    }

    #[test]
    fn set_aside_tests_that_end_in_one_run_only_make_it_other_work() {
        let tally = passed(9, 1);
        let clean = |cut| Side { cut, ..side(Verdict::Clean, &tally) };
        assert_eq!(judge(clean(None), clean(None)), Judgement::Sound);
        for (baseline, candidate) in [(None, Some("a")), (Some("a"), None), (Some("a"), Some("a, b"))] {
            let judgement = judge(clean(baseline), clean(candidate));
            assert_eq!((judgement, judgement.voids()), (Judgement::SetAsideDiffer, true));
        }
    }

    #[test]
    fn a_baseline_that_did_not_run_the_whole_suite_is_compared_with_nothing() {
        let tally = passed(9, 1);
        let clean = side(Verdict::Clean, &tally);
        for partial in [Side { cut: Some("a"), ..clean }, Side { unknown: Some("it ended early"), ..clean }] {
            let judgement = judge(partial, partial);
            assert_eq!((judgement, judgement.voids()), (Judgement::BaselinePartial, true));
        }
    }

    #[test]
    fn an_assessment_uses_no_baseline_that_is_not_of_the_whole_suite() {
        use crate::store::record::tests::trial;
        use crate::suite::Finding;
        let baseline = TrialRecord { verdict: Verdict::Clean, findings: Vec::new(), ..trial("base") };
        let candidate = TrialRecord { verdict: Verdict::Failing, ..baseline.clone() };
        let is_used = |baseline: &TrialRecord| {
            let pair = pairs_of(&[&candidate], &[baseline])[0];
            (pair.is_assessed(), pair.is_assessed_at_need())
        };
        assert_eq!(is_used(&baseline), (true, true));
        let findings = vec![Finding::new(FindingKind::LostTests, "the first run of the suite ended early")];
        assert_eq!(is_used(&TrialRecord { findings, ..baseline }), (false, false));
    }

    #[test]
    fn the_candidates_flaw_is_named_before_the_baselines() {
        let tally = passed(10, 0);
        assert_eq!(
            judge(side(Verdict::Failing, &tally), side(Verdict::TimedOut, &tally)),
            Judgement::CandidateNot(Verdict::TimedOut)
        );
        assert_eq!(
            judge(side(Verdict::Failing, &tally), side(Verdict::Clean, &tally)),
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
