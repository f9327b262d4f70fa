//! Is the answer firm? What was not tried is not judged, and few pairs of runs only hint: a pure function says what is missing.

use serde::Serialize;

use super::decide::{self, Verdict};
use super::evidence::{Evidence, FIRM_PAIRS, Speedup};
use super::parallel_mode::ParallelMode;
use crate::wording::counted;

/// A mode that takes so many times as long as the fastest one is not run again, and needs no more pairs.
pub(super) const HOPELESS: f64 = 1.25;

/// Something that a firm answer would need.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "what")]
pub enum Shortfall {
    /// Modes that could have been run, and were not.
    NotTried { modes: Vec<&'static str> },
    /// A mode that matters was compared with the sequential run too rarely.
    FewPairs { mode: &'static str, pairs: usize },
    /// The runs of a mode that matters differ too much.
    WideInterval { mode: &'static str },
}

impl Shortfall {
    /// For a person.
    pub fn told(&self) -> String {
        match self {
            Shortfall::NotTried { modes } => format!("not tried, because the budget was used up: {}", modes.join(", ")),
            Shortfall::FewPairs { mode, pairs } => {
                format!(
                    "{mode} was compared in {}; {FIRM_PAIRS} are needed",
                    counted(*pairs, "pair of runs", "pairs of runs")
                )
            }
            Shortfall::WideInterval { mode } => {
                format!(
                    "the runs of {mode} neither show a sufficient gain nor rule one out; repeat on a quiet machine or \
                     with a larger --budget"
                )
            }
        }
    }
}

/// What an answer rests on.
#[derive(Debug)]
pub struct Grounds<'a> {
    pub verdict: Verdict,
    /// Does the suite pass without any parallelism? If not, the answer rests on no mode.
    pub is_sound: bool,
    /// The mode that the verdict is about, with the speedup that is told of it.
    pub about: Option<(ParallelMode, Option<Speedup>)>,
    pub ways: &'a [Evidence],
    pub not_tried: &'a [ParallelMode],
    /// Would more time lead to no more runs?
    pub is_complete: bool,
}

/// Could modes have been run, and was none judged? A mode is judged once it was compared, failed, or showed that nothing overlaps
/// in it. What the project does by itself counts only if it is parallel and clean.
pub fn is_unjudged(possible: &[ParallelMode], ways: &[Evidence]) -> bool {
    let is_judged = |evidence: &Evidence| {
        let has_ended = evidence.plain.is_some() || evidence.failing_runs > 0;
        match evidence.way {
            ParallelMode::Project => evidence.overlapped && evidence.failing_runs == 0 && has_ended,
            _ => has_ended,
        }
    };
    possible.iter().any(|way| *way != ParallelMode::Project) && !ways.iter().any(is_judged)
}

/// What is missing; nothing where the answer is firm.
pub fn shortfalls(grounds: &Grounds<'_>) -> Vec<Shortfall> {
    if !grounds.is_sound {
        return Vec::new();
    }
    let mut missing = Vec::new();
    if !grounds.not_tried.is_empty() {
        missing.push(Shortfall::NotTried { modes: grounds.not_tried.iter().map(|way| way.name()).collect() });
    }
    match grounds.verdict {
        Verdict::Adopt | Verdict::AdoptWithPaste | Verdict::FixFirst => missing.extend(of_gain(grounds)),
        Verdict::NotWorthIt => missing.extend(of_refusal(grounds, decide::LEAST_GAIN)),
        Verdict::AlreadyParallel => {
            let today = grounds.about.and_then(|(_, speedup)| speedup).map_or(1.0, |speedup| speedup.value.max(1.0));
            missing.extend(of_refusal(grounds, today * decide::LEAST_GAIN));
        }
    }
    missing
}

/// A gain that is told needs pairs enough and an interval above 1. A mode that never came to its end has none.
fn of_gain(grounds: &Grounds<'_>) -> Option<Shortfall> {
    let (way, Some(speedup)) = grounds.about? else { return None };
    let mode = way.name();
    if speedup.pairs < FIRM_PAIRS {
        return Some(Shortfall::FewPairs { mode, pairs: speedup.pairs });
    }
    (!speedup.gain().is_certain()).then_some(Shortfall::WideInterval { mode })
}

/// That nothing gains this much has to hold for every mode that may.
fn of_refusal(grounds: &Grounds<'_>, gain: f64) -> Vec<Shortfall> {
    let candidates =
        grounds.ways.iter().filter(|evidence| evidence.way != ParallelMode::Project && evidence.overlapped);
    let compared: Vec<(ParallelMode, Speedup)> =
        candidates.filter_map(|evidence| Some((evidence.way, evidence.plain?))).collect();
    let fastest = compared.iter().map(|(_, speedup)| speedup.value).fold(0.0, f64::max);
    let mut missing = Vec::new();
    for (way, speedup) in compared {
        let mode = way.name();
        if speedup.value * HOPELESS < fastest {
            continue;
        }
        let is_final = grounds.is_complete && speedup.value < gain;
        let is_ruled_out = is_final || speedup.ci_high.is_some_and(|high| high < gain);
        if speedup.pairs < FIRM_PAIRS {
            missing.push(Shortfall::FewPairs { mode, pairs: speedup.pairs });
        } else if !is_ruled_out {
            missing.push(Shortfall::WideInterval { mode });
        }
    }
    missing
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assess::evidence::tests::{evidence, speedup};

    fn missing(verdict: Verdict, ways: &[Evidence], not_tried: &[ParallelMode], is_complete: bool) -> Vec<Shortfall> {
        let about = ways.first().map(|evidence| (evidence.way, evidence.plain));
        shortfalls(&Grounds { verdict, is_sound: true, about, ways, not_tried, is_complete })
    }

    #[test]
    fn what_was_not_tried_is_not_judged() {
        let not_tried = [ParallelMode::Forks, ParallelMode::Methods];
        for verdict in [Verdict::NotWorthIt, Verdict::Adopt, Verdict::FixFirst, Verdict::AlreadyParallel] {
            let found =
                missing(verdict, &[evidence(ParallelMode::Classes, speedup(1.02, 1.0, 1.04, 8))], &not_tried, false);
            assert_eq!(found.first(), Some(&Shortfall::NotTried { modes: vec!["forks", "methods"] }), "{verdict:?}");
        }
        let unsound = Grounds {
            verdict: Verdict::FixFirst,
            is_sound: false,
            about: None,
            ways: &[],
            not_tried: &not_tried,
            is_complete: false,
        };
        assert_eq!(shortfalls(&unsound), [], "a suite that fails by itself rests on no mode");
    }

    /// A project with settings for running in parallel is run as it is before anything else; where those have no effect and the
    /// budget ends there, nothing is known.
    #[test]
    fn a_budget_that_let_no_mode_be_tried_gives_no_verdict() {
        let possible = [ParallelMode::Project, ParallelMode::Forks, ParallelMode::Classes];
        let today = |overlapped| Evidence { overlapped, ..evidence(ParallelMode::Project, speedup(1.0, 0.9, 1.1, 3)) };
        assert!(is_unjudged(&possible, &[]) && is_unjudged(&possible, &[today(false)]));
        assert!(!is_unjudged(&possible, &[today(true)]), "it is parallel already");
        assert!(is_unjudged(&possible, &[Evidence { failing_runs: 1, ..today(true) }]));
        let classes = evidence(ParallelMode::Classes, speedup(1.0, 0.9, 1.1, 1));
        assert!(!is_unjudged(&possible, &[today(false), classes.clone()]));
        assert!(is_unjudged(&possible, &[Evidence { plain: None, ..classes }]), "it was never compared");
        assert!(!is_unjudged(&[ParallelMode::Project], &[today(false)]), "there is nothing to try");
        let already =
            missing(Verdict::AlreadyParallel, &[today(true)], &[ParallelMode::Forks, ParallelMode::Classes], false);
        assert_eq!(already.first(), Some(&Shortfall::NotTried { modes: vec!["forks", "classes"] }));
    }

    #[test]
    fn a_gain_needs_five_pairs_and_an_interval_above_one() {
        let adopt = |value| missing(Verdict::Adopt, &[evidence(ParallelMode::Classes, value)], &[], false);
        assert_eq!(adopt(speedup(1.6, 1.4, 1.8, 4)), [Shortfall::FewPairs { mode: "classes", pairs: 4 }]);
        assert_eq!(adopt(speedup(1.6, 0.9, 2.8, 5)), [Shortfall::WideInterval { mode: "classes" }]);
        assert_eq!(adopt(speedup(1.6, 1.4, 1.8, 5)), []);
    }

    #[test]
    fn no_needs_every_mode_that_may_pay_off() {
        let no = |ways: &[Evidence], is_complete| missing(Verdict::NotWorthIt, ways, &[], is_complete);
        let (clear, wide) = (speedup(1.02, 0.99, 1.05, 6), speedup(1.05, 0.9, 1.3, 6));
        assert_eq!(no(&[evidence(ParallelMode::Classes, clear)], false), []);
        assert_eq!(no(&[evidence(ParallelMode::Classes, wide)], false), [Shortfall::WideInterval { mode: "classes" }]);
        assert_eq!(no(&[evidence(ParallelMode::Classes, wide)], true), [], "more runs would not be made");
        let once = evidence(ParallelMode::Methods, speedup(1.0, 0.9, 1.1, 1));
        let slow = evidence(ParallelMode::Forks, speedup(0.7, 0.6, 0.8, 1));
        let found = no(&[evidence(ParallelMode::Classes, clear), once, slow], false);
        assert_eq!(found, [Shortfall::FewPairs { mode: "methods", pairs: 1 }], "what is far behind needs no more");
        let alone = Evidence { overlapped: false, ..evidence(ParallelMode::Methods, speedup(1.0, 0.9, 1.1, 1)) };
        assert_eq!(no(&[alone], false), [], "what had no effect is judged by one run");
    }
}
