//! From what was seen to the answer: a pure function, by the rules that docs/assess.md has.

use serde::{Deserialize, Serialize};

use super::parallel_mode::ParallelMode;

/// What a team is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Put the snippet into the project.
    Adopt,
    /// It gains, but tests fail in parallel: run it so that what fails is run again.
    AdoptWithPaste,
    /// It would gain, if certain tests were mended.
    FixFirst,
    NotWorthIt,
    /// It does already what would be advised.
    AlreadyParallel,
}

impl Verdict {
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Adopt => "adopt",
            Verdict::AdoptWithPaste => "adopt_with_paste",
            Verdict::FixFirst => "fix_first",
            Verdict::NotWorthIt => "not_worth_it",
            Verdict::AlreadyParallel => "already_parallel",
        }
    }

    /// The answer to the question, for who does not know these words.
    pub fn meaning(self) -> &'static str {
        match self {
            Verdict::Adopt => "yes, run the tests in parallel",
            Verdict::AdoptWithPaste => "yes, if failed tests are rerun",
            Verdict::FixFirst => "not yet, some tests must be fixed first",
            Verdict::NotWorthIt => "no",
            Verdict::AlreadyParallel => "you do already",
        }
    }

    /// The same while the runs do not show it yet.
    pub fn tendency(self) -> &'static str {
        match self {
            Verdict::Adopt => "probably yes, but the runs do not show it yet",
            Verdict::AdoptWithPaste => "probably yes, if failed tests are rerun, but the runs do not show it yet",
            Verdict::FixFirst => "probably not yet: some tests must be fixed first",
            Verdict::NotWorthIt => "probably no, but the runs do not show it yet",
            Verdict::AlreadyParallel => "you do already, as far as the runs show",
        }
    }
}

/// Less is not worth a change to anybody's build.
pub const LEAST_GAIN: f64 = 1.10;
/// Of two ways that are this close, the safer one is taken.
const AS_GOOD: f64 = 0.03;

/// How many times faster than one test after the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gain {
    pub value: f64,
    /// The lower end of its interval, where runs enough were made for one.
    pub low: Option<f64>,
    /// Are there few pairs of runs, and was each of them worth it? Too little to be certain, and too much to say no.
    pub in_each: bool,
}

impl Gain {
    /// Does its interval leave no doubt that it is one?
    pub fn is_certain(&self) -> bool {
        self.low.is_some_and(|low| low > 1.0)
    }

    fn is_worth_it(&self) -> bool {
        self.value >= LEAST_GAIN && (self.is_certain() || self.in_each)
    }
}

/// What was seen of one way.
#[derive(Debug, Clone, PartialEq)]
pub struct ModeEvidence {
    pub way: ParallelMode,
    /// Did tests overlap at all?
    pub overlapped: bool,
    /// Runs in which something failed, was lost or hung, flaky tests left aside.
    pub failing_runs: usize,
    /// Those in which that was so after all repairs.
    pub unrepaired_runs: usize,
    /// Of the parallel run by itself, whatever failed in it.
    pub plain: Option<Gain>,
    /// Repairs included, where every run came out clean.
    pub repaired: Option<Gain>,
    /// What the model expects of the parallel run, for ways whose runs did not end.
    pub expected: Option<f64>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    pub verdict: Verdict,
    /// The way that it is about.
    pub way: Option<ParallelMode>,
}

/// `sound`: does the suite pass without any parallelism, flaky tests left aside?
pub fn decide(sound: bool, ways: &[ModeEvidence]) -> Decision {
    let decision = |verdict, way: Option<&ModeEvidence>| Decision { verdict, way: way.map(|seen| seen.way) };
    let candidates: Vec<&ModeEvidence> =
        ways.iter().filter(|seen| seen.way != ParallelMode::Project && seen.overlapped).collect();
    if !sound {
        return decision(Verdict::FixFirst, best(&candidates, potential));
    }
    let plain = best_gain(&candidates, |seen| seen.plain.filter(|_| seen.failing_runs == 0));
    let today = ways.iter().find(|seen| seen.way == ParallelMode::Project && seen.overlapped && seen.failing_runs == 0);
    if let Some(today) = today {
        let now = today.plain.map_or(1.0, |gain| gain.value.max(1.0));
        let better = plain.filter(|seen| seen.plain.is_some_and(|gain| gain.value >= now * LEAST_GAIN));
        return match better {
            Some(better) => decision(Verdict::Adopt, Some(better)),
            None => decision(Verdict::AlreadyParallel, Some(today)),
        };
    }
    if plain.is_some() {
        return decision(Verdict::Adopt, plain);
    }
    if let Some(paste) = best_gain(&candidates, |seen| seen.repaired.filter(|_| seen.unrepaired_runs == 0)) {
        return decision(Verdict::AdoptWithPaste, Some(paste));
    }
    let broken: Vec<&ModeEvidence> = candidates.into_iter().filter(|seen| seen.failing_runs > 0).collect();
    match best(&broken, |seen| potential(seen).filter(|value| *value >= LEAST_GAIN)) {
        Some(way) => decision(Verdict::FixFirst, Some(way)),
        None => decision(Verdict::NotWorthIt, None),
    }
}

/// What could be gained if nothing failed.
fn potential(seen: &ModeEvidence) -> Option<f64> {
    seen.plain.map(|gain| gain.value).or(seen.expected)
}

/// The best of those that are worth it. What is certain comes before what a few pairs promise.
fn best_gain<'a>(ways: &[&'a ModeEvidence], gain: impl Fn(&ModeEvidence) -> Option<Gain>) -> Option<&'a ModeEvidence> {
    let of = |wanted: fn(&Gain) -> bool| {
        best(ways, |seen| gain(seen).filter(|gain| gain.is_worth_it() && wanted(gain)).map(|gain| gain.value))
    };
    of(Gain::is_certain).or_else(|| of(|_| true))
}

/// The fastest; of those that are nearly as fast, the safest.
fn best<'a>(ways: &[&'a ModeEvidence], value: impl Fn(&ModeEvidence) -> Option<f64>) -> Option<&'a ModeEvidence> {
    let valued: Vec<(f64, &ModeEvidence)> = ways.iter().filter_map(|seen| Some((value(seen)?, *seen))).collect();
    let most = valued.iter().map(|(value, _)| *value).fold(f64::NEG_INFINITY, f64::max);
    let as_good = valued.into_iter().filter(|(value, _)| *value >= most * (1.0 - AS_GOOD));
    as_good.min_by_key(|(_, seen)| seen.way).map(|(_, seen)| seen)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What it shows, whether the suite is sound, what was seen, and what is decided.
    type Example = (&'static str, bool, Vec<ModeEvidence>, Verdict, Option<ParallelMode>);

    fn gain(value: f64, low: f64) -> Option<Gain> {
        Some(Gain { value, low: Some(low), in_each: false })
    }

    fn clean(way: ParallelMode, value: f64) -> ModeEvidence {
        ModeEvidence {
            way,
            overlapped: true,
            failing_runs: 0,
            unrepaired_runs: 0,
            plain: gain(value, value - 0.05),
            repaired: gain(value, value - 0.05),
            expected: None,
        }
    }

    fn failing(way: ParallelMode, plain: f64, repaired: Option<f64>) -> ModeEvidence {
        let unrepaired_runs = if repaired.is_some() { 0 } else { 3 };
        let repaired = repaired.and_then(|value| gain(value, value - 0.05));
        ModeEvidence { failing_runs: 3, unrepaired_runs, repaired, ..clean(way, plain) }
    }

    #[test]
    fn the_rules_by_example() {
        use ParallelMode::{Classes, ClassesAndMethods, Forks, Methods, Project};
        use Verdict::{Adopt, AdoptWithPaste, AlreadyParallel, FixFirst, NotWorthIt};
        let hung = ModeEvidence { plain: None, repaired: None, expected: Some(1.8), ..failing(Methods, 1.0, None) };
        let alone = ModeEvidence { overlapped: false, ..clean(Classes, 1.4) };
        let uncertain = ModeEvidence { plain: gain(1.3, 0.9), repaired: gain(1.3, 0.9), ..clean(Classes, 1.3) };
        let in_each = |low| Some(Gain { value: 1.6, low, in_each: true });
        let once = ModeEvidence { plain: in_each(None), ..clean(Classes, 1.6) };
        let thrice = ModeEvidence { plain: in_each(Some(0.4)), ..clean(Classes, 1.6) };
        let table: [Example; 18] = [
            ("the fastest clean one", true, vec![clean(Classes, 1.5), clean(Methods, 1.9)], Adopt, Some(Methods)),
            ("nearly as fast and safer", true, vec![clean(Methods, 1.92), clean(Forks, 1.9)], Adopt, Some(Forks)),
            (
                "clean before faster and broken",
                true,
                vec![clean(Forks, 1.2), failing(Methods, 2.0, Some(1.8))],
                Adopt,
                Some(Forks),
            ),
            ("repaired and still faster", true, vec![failing(Classes, 1.9, Some(1.4))], AdoptWithPaste, Some(Classes)),
            ("repairs eat the gain", true, vec![failing(Classes, 1.9, Some(0.8))], FixFirst, Some(Classes)),
            ("cannot be repaired", true, vec![failing(Classes, 1.9, None)], FixFirst, Some(Classes)),
            ("hangs, and would gain", true, vec![hung.clone()], FixFirst, Some(Methods)),
            ("hangs, and would not gain", true, vec![ModeEvidence { expected: Some(1.0), ..hung }], NotWorthIt, None),
            ("breaks for nothing", true, vec![failing(Classes, 1.0, Some(0.7))], NotWorthIt, None),
            ("too little", true, vec![clean(Classes, 1.08)], NotWorthIt, None),
            ("not certain", true, vec![uncertain], NotWorthIt, None),
            ("certain before faster", true, vec![clean(Forks, 1.4), once.clone()], Adopt, Some(Forks)),
            ("a single run has no interval", true, vec![once], Adopt, Some(Classes)),
            ("few pairs that differ, each of them faster", true, vec![thrice], Adopt, Some(Classes)),
            ("nothing overlapped", true, vec![alone], NotWorthIt, None),
            ("does so already", true, vec![clean(Project, 1.8), clean(Classes, 1.9)], AlreadyParallel, Some(Project)),
            (
                "does so already, badly",
                true,
                vec![clean(Project, 1.2), clean(ClassesAndMethods, 1.9)],
                Adopt,
                Some(ClassesAndMethods),
            ),
            ("fails by itself", false, vec![clean(Classes, 1.9)], FixFirst, Some(Classes)),
        ];
        for (what, sound, ways, verdict, way) in table {
            assert_eq!(decide(sound, &ways), Decision { verdict, way }, "{what}");
        }
        assert_eq!(decide(true, &[]), Decision { verdict: NotWorthIt, way: None });
    }

    #[test]
    fn a_project_that_fails_as_it_is_today_is_no_model() {
        let today = failing(ParallelMode::Project, 1.8, None);
        assert_eq!(decide(true, &[today, clean(ParallelMode::Classes, 1.5)]).verdict, Verdict::Adopt);
    }
}
