//! From a suspicion to its cause: is it so in fresh processes, and which tests are behind it? The fewest that bring it about
//! are found by delta debugging in a process that stays, and confirmed in fresh ones.

use std::collections::{BTreeMap, BTreeSet};

use super::DetectionState;
use super::evidence::{Evidence, KnownCauses};
use super::minimise::minimal;
use super::order_runner::{ProcessFreshness, Purpose, Step};

/// Of one test; each takes at least one round of delta debugging.
const CAUSES: usize = 4;
/// Suspects that are worth being looked at together.
const MANY: usize = 4;
/// Causes of other tests' failures that are tried first.
const USUAL: usize = 8;

/// A cause, and the test that it has an effect on.
type Pair = (usize, usize);

/// What fresh processes say, run several times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Certainty {
    Yes,
    No,
    /// Now so, now otherwise.
    Mixed,
}

impl DetectionState<'_> {
    /// Explains everything that is suspected and not explained yet, the cheapest first. What is found for one is tried at
    /// once for all others that it ran before.
    pub(super) fn explain_all(&mut self) -> Step<()> {
        self.see_suspects_alone()?;
        loop {
            self.blame_the_usual()?;
            // Every suspect has its first cause before any has more.
            let turn = |test: &usize| (self.looked_into.get(test), self.evidence.get(test).map(Evidence::shortest));
            let Some(test) = self.open_suspects().min_by_key(turn) else { return Ok(()) };
            let (done, all) = (self.settled.len() + 1, self.evidence.len());
            self.order_runner.doing(Purpose::Causes, format!("finding causes: suspect {done} of {all}"));
            if self.explain_more(test)? {
                self.looked_into.remove(&test);
                self.settled.insert(test);
            }
        }
    }

    /// There is more to look into than there was.
    pub(super) fn reopen(&mut self, test: usize) {
        self.settled.remove(&test);
        self.looked_into.remove(&test);
    }

    pub(super) fn open_suspects(&self) -> impl Iterator<Item = usize> + '_ {
        let open = |test: &usize| !self.flaky.contains_key(test) && !self.settled.contains(test);
        self.evidence.keys().copied().filter(open)
    }

    /// Suspects that pass alone, each with the most notorious polluter that ran before it: side by side, first quickly,
    /// then in fresh processes.
    fn blame_the_usual(&mut self) -> Step<()> {
        if !self.order_runner.has_warm() {
            return Ok(());
        }
        loop {
            self.confirm_guilty()?;
            let accused: Vec<(usize, usize)> = self.open_suspects().filter_map(|test| self.accusation(test)).collect();
            if accused.is_empty() {
                return Ok(());
            }
            self.order_runner.doing(Purpose::Causes, format!("trying known polluters: {} suspects", accused.len()));
            let (shown, seeming) = self.those_that_seem_guilty(&accused)?;
            self.accused.extend(accused.into_iter().filter(|pair| !seeming.contains(pair)));
            self.guilty.extend(shown);
            let care = self.order_runner.care_for_causes();
            for few in seeming.chunks(self.at_once()) {
                let guilty = self.those_that_fail(few, care)?;
                self.accused.extend(few);
                self.guilty.extend(guilty);
            }
        }
    }

    /// In fresh processes, a few at a time: the end of the budget takes nothing away from what is confirmed already.
    fn confirm_guilty(&mut self) -> Step<()> {
        while !self.guilty.is_empty() {
            self.order_runner.doing(Purpose::Causes, format!("confirming polluters: {} left", self.guilty.len()));
            let few: Vec<(usize, usize)> = self.guilty.iter().copied().take(self.at_once()).collect();
            let confirmed = self.those_that_fail(&few, ProcessFreshness::Fresh)?;
            self.guilty.drain(..few.len());
            for (polluter, test) in confirmed {
                let known = self.known.entry(test).or_default();
                known.fails_alone = false;
                known.polluters.insert(vec![polluter]);
            }
        }
        Ok(())
    }

    /// Pairs that only a fresh process has still to show, and pairs of which one more look decides: the test has failed in every
    /// order that had the polluter before it, or has done so again now.
    fn those_that_seem_guilty(&mut self, accused: &[(usize, usize)]) -> Step<(Vec<Pair>, Vec<Pair>)> {
        let steady = |(polluter, test): &&Pair| {
            self.order_runner.misled().contains(test) || self.always_failed_after(*polluter, *test)
        };
        let (mut seeming, doubtful): (Vec<_>, Vec<_>) = accused.iter().partition(steady);
        let mut of: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        doubtful.into_iter().for_each(|(polluter, test)| of.entry(polluter).or_default().push(test));
        let (mut shown, mut few) = (Vec::new(), Vec::new());
        for (polluter, tests) in of {
            if tests.len() < MANY {
                few.extend(tests.into_iter().map(|test| (polluter, test)));
                continue;
            }
            for (test, times) in self.times_together(&[polluter], &tests, true)? {
                match times {
                    0 => {}
                    1 => seeming.push((polluter, test)),
                    _ => shown.push((polluter, test)),
                }
            }
        }
        seeming.extend(self.those_that_fail(&few, self.order_runner.care_for_causes())?);
        Ok((shown, seeming))
    }

    /// One order tells of many: what comes before, then all of these, and once more backwards, as some may undo what it did. How
    /// often did each end so?
    fn times_together(&mut self, before: &[usize], tests: &[usize], fails: bool) -> Step<Vec<(usize, usize)>> {
        let backwards: Vec<usize> = tests.iter().rev().copied().collect();
        let orders = [tests.to_vec(), backwards].map(|tests| [before, &tests].concat());
        let seen = self.order_runner.observe_all(&orders, self.order_runner.care_for_causes())?;
        let times = |test: usize| seen.iter().filter(|run| run.fails(test) == Some(fails)).count();
        Ok(tests.iter().map(|test| (*test, times(*test))).collect())
    }

    /// Of many, those that end so whoever of the others is before them: a fresh process may be asked at once.
    pub(super) fn those_that_end_together(
        &mut self,
        before: &[usize],
        tests: &[usize],
        fails: bool,
    ) -> Step<Vec<usize>> {
        let trusted: Vec<usize> =
            tests.iter().copied().filter(|test| !self.order_runner.misled().contains(test)).collect();
        if trusted.len() < MANY {
            return Ok(Vec::new());
        }
        let times = self.times_together(before, &trusted, fails)?;
        Ok(times.into_iter().filter(|(_, times)| *times == 2).map(|(test, _)| test).collect())
    }

    /// The polluter of others that is to be tried next for a test which passes alone.
    fn accusation(&self, test: usize) -> Option<(usize, usize)> {
        if self.alone.get(&test) != Some(&false) {
            return None;
        }
        let known = self.known_of(test);
        let unexplained =
            self.failing_histories(test).into_iter().take(CAUSES).filter(|history| !known.explains(history));
        let mut usual = unexplained.flat_map(|history| self.usual(&history, test, |known| &known.polluters));
        usual.find(|polluter| !self.accused.contains(&(*polluter, test))).map(|polluter| (polluter, test))
    }

    /// Of pairs of a first test and a second, those in which the second fails.
    fn those_that_fail(&mut self, pairs: &[(usize, usize)], care: ProcessFreshness) -> Step<Vec<(usize, usize)>> {
        let counting: Vec<Pair> =
            pairs.iter().copied().filter(|(first, test)| self.order_runner.roster.counts(&[*first, *test])).collect();
        let asked: Vec<(Vec<usize>, usize)> = counting.iter().map(|(first, test)| (vec![*first], *test)).collect();
        let ends = self.order_runner.fail(&asked, care)?;
        Ok(counting.into_iter().zip(ends).filter(|(_, fails)| *fails == Some(true)).map(|(pair, _)| pair).collect())
    }

    /// Looks into one more order in which the test failed. Is there nothing left to look into?
    fn explain_more(&mut self, test: usize) -> Step<bool> {
        let Some(fails_alone) = self.alone(test)? else { return Ok(true) };
        self.known.entry(test).or_default().fails_alone = fails_alone;
        if fails_alone && self.known_of(test).setters.is_empty() {
            self.credit(test)?;
        }
        let base = self.known_of(test).base();
        if fails_alone && base.is_empty() {
            return Ok(true);
        }
        let before = self.looked_into.get(&test).copied().unwrap_or(0);
        for (place, history) in self.failing_histories(test).into_iter().enumerate().take(CAUSES).skip(before) {
            let has_base = base.iter().all(|setter| history.contains(setter));
            if has_base && !self.flaky.contains_key(&test) && !self.known_of(test).explains(&history) {
                self.blame(test, &base, &history)?;
                self.looked_into.insert(test, place + 1);
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(super) fn known_of(&self, test: usize) -> KnownCauses {
        self.known.get(&test).cloned().unwrap_or_default()
    }

    fn failing_histories(&self, test: usize) -> Vec<Vec<usize>> {
        let mut histories = self.evidence.get(&test).map(|evidence| evidence.failing.clone()).unwrap_or_default();
        if self.baseline.fails.get(&test) == Some(&true) {
            histories.extend(self.baseline.history(test));
        }
        self.as_in_builds(histories, test)
    }

    /// What a build cannot produce is asked for as near to it as a build can.
    fn as_in_builds(&self, histories: Vec<Vec<usize>>, test: usize) -> Vec<Vec<usize>> {
        let mut kept: Vec<Vec<usize>> = Vec::new();
        for history in histories {
            let history = self.order_runner.roster.as_in_a_build(&history, test);
            if !kept.contains(&history) {
                kept.push(history);
            }
        }
        kept
    }

    fn passing_histories(&self, test: usize) -> Vec<Vec<usize>> {
        let mut histories = self.evidence.get(&test).map(|evidence| evidence.passing.clone()).unwrap_or_default();
        if self.baseline.fails.get(&test) == Some(&false) {
            histories.extend(self.baseline.history(test));
        }
        self.as_in_builds(histories, test)
    }

    /// Do suspects pass with nothing before them? Two fresh processes tell of many at once: in one a suspect has some of the
    /// others before it, in the other the rest. One that passes in both, and alone in a process that stays, needs none.
    fn see_suspects_alone(&mut self) -> Step<()> {
        let open = |test: &&usize| {
            !self.alone.contains_key(test) && !self.flaky.contains_key(test) && !self.gathered.contains(test)
        };
        let suspects: Vec<usize> = self.evidence.keys().filter(open).copied().collect();
        if !self.order_runner.has_warm() || suspects.len() < MANY {
            return Ok(());
        }
        self.order_runner.doing(Purpose::Causes, format!("running {} suspects without other tests", suspects.len()));
        let backwards: Vec<usize> = suspects.iter().rev().copied().collect();
        let runs = self.order_runner.observe_all(&[suspects.clone(), backwards], ProcessFreshness::Fresh)?;
        let passes = |test: &usize| runs.iter().all(|run| run.fails(*test) == Some(false));
        for few in suspects.chunks(self.at_once()) {
            let asked: Vec<(Vec<usize>, usize)> =
                few.iter().filter(|test| passes(test)).map(|test| (Vec::new(), *test)).collect();
            let ends = self.order_runner.fail(&asked, ProcessFreshness::Warm)?;
            self.gathered.extend(few);
            for ((_, test), _) in asked.iter().zip(ends).filter(|(_, fails)| *fails == Some(false)) {
                self.alone.insert(*test, false);
            }
        }
        Ok(())
    }

    /// Does the test fail with nothing before it? `None` where it does so only now and then.
    pub(super) fn alone(&mut self, test: usize) -> Step<Option<bool>> {
        if let Some(fails) = self.alone.get(&test) {
            return Ok(Some(*fails));
        }
        let looked = match self.order_runner.recorded(&[], test).agreed() {
            None => self.order_runner.fails(&[], test, ProcessFreshness::Warm)?,
            seen => seen,
        };
        let Some(first) = looked else {
            self.unconfirmed.insert(test);
            return Ok(None);
        };
        for fails in [first, !first] {
            // Nothing made anybody choose these runs, so all of them count.
            let seen = self.order_runner.recorded(&[], test).of(fails);
            match self.agreement(&[], test, fails, seen)? {
                Certainty::Yes => {
                    self.alone.insert(test, fails);
                    if fails != first {
                        self.order_runner.distrust(&BTreeSet::from([test]));
                    }
                    return Ok(Some(fails));
                }
                Certainty::Mixed => {
                    self.call_flaky(test, "alone");
                    return Ok(None);
                }
                // What the staying process showed is not so in a fresh one: then the opposite is.
                Certainty::No => {}
            }
        }
        self.unconfirmed.insert(test);
        Ok(None)
    }

    /// Runs the order in fresh processes, as often as it takes to tell chance from cause.
    pub(super) fn certain(&mut self, before: &[usize], test: usize, fails: bool) -> Step<Certainty> {
        self.agreement(before, test, fails, 0)
    }

    /// The same, where so many runs agreed before.
    fn agreement(&mut self, before: &[usize], test: usize, fails: bool, mut agreed: usize) -> Step<Certainty> {
        if !self.order_runner.roster.counts(&[before, &[test]].concat()) {
            return Ok(Certainty::No);
        }
        while agreed < self.confirmations {
            match self.order_runner.fails(before, test, ProcessFreshness::Fresh)? {
                Some(seen) if seen == fails => agreed += 1,
                _ if agreed == 0 => return Ok(Certainty::No),
                _ => return Ok(Certainty::Mixed),
            }
        }
        Ok(Certainty::Yes)
    }

    /// The same of several orders and tests, as far as a yes.
    pub(super) fn certain_all(&mut self, asked: &[(Vec<usize>, usize)], fails: bool) -> Step<Vec<bool>> {
        let counts = |(before, test): &(Vec<usize>, usize)| {
            self.order_runner.roster.counts(&[before.as_slice(), &[*test]].concat())
        };
        let mut agreed: Vec<bool> = asked.iter().map(counts).collect();
        for _ in 0..self.confirmations {
            let open: Vec<usize> = (0..asked.len()).filter(|place| agreed[*place]).collect();
            let questions: Vec<(Vec<usize>, usize)> = open.iter().map(|place| asked[*place].clone()).collect();
            let ends = self.order_runner.fail(&questions, ProcessFreshness::Fresh)?;
            open.into_iter().zip(ends).for_each(|(place, seen)| agreed[place] = seen == Some(fails));
        }
        Ok(agreed)
    }

    /// What was confirmed a few times is held against everything that fresh processes have ever shown: a test that has both passed
    /// and failed after one and the same sequence is flaky, whatever else was seen of it.
    pub(super) fn set_the_flaky_aside(&mut self) {
        let mixed = |(test, known): (&usize, &KnownCauses)| {
            let base = known.base();
            let polluted = known.polluters.iter().map(|group| [base.as_slice(), group].concat());
            let mut sequences = polluted.chain(known.setters.iter().cloned()).chain([Vec::new()]);
            sequences.any(|before| self.order_runner.recorded(&before, *test).is_mixed()).then_some(*test)
        };
        let flaky: Vec<usize> = self.known.iter().filter_map(mixed).collect();
        flaky.into_iter().for_each(|test| self.call_flaky(test, "in the same order"));
    }

    fn call_flaky(&mut self, test: usize, wherein: &str) {
        self.flaky.insert(test, format!("passes and fails {wherein}"));
        self.known.remove(&test);
    }

    /// Finds what makes a test fail that passes after `base`.
    fn blame(&mut self, test: usize, base: &[usize], history: &[usize]) -> Step<()> {
        for usual in self.usual(history, test, |known| &known.polluters) {
            // What the test needs is before it anyway, and in its own order.
            if base.contains(&usual) || base.is_empty() && self.accused.contains(&(usual, test)) {
                continue;
            }
            let before = in_order(history, base, &[usual]);
            if self.order_runner.fails(&before, test, ProcessFreshness::Warm)? == Some(true)
                && self.certain(&before, test, true)? == Certainty::Yes
            {
                self.known.entry(test).or_default().polluters.insert(vec![usual]);
                return Ok(());
            }
        }
        match self.cause(test, base, history, true)? {
            Some(group) => {
                self.known.entry(test).or_default().polluters.insert(group);
            }
            None => {
                self.unconfirmed.insert(test);
            }
        }
        Ok(())
    }

    /// Finds what makes a test pass that fails alone.
    fn credit(&mut self, test: usize) -> Step<()> {
        for history in self.passing_histories(test) {
            for usual in self.usual(&history, test, |known| &known.setters) {
                if self.order_runner.fails(&[usual], test, ProcessFreshness::Warm)? == Some(false)
                    && self.certain(&[usual], test, false)? == Certainty::Yes
                {
                    self.known.entry(test).or_default().setters.insert(vec![usual]);
                    return Ok(());
                }
            }
            if let Some(group) = self.cause(test, &[], &history, false)? {
                self.known.entry(test).or_default().setters.insert(group);
                return Ok(());
            }
        }
        self.unconfirmed.insert(test);
        Ok(())
    }

    /// Tests of the history that are behind what other tests do, the most notorious first.
    fn usual(&self, history: &[usize], test: usize, of: impl Fn(&KnownCauses) -> &BTreeSet<Vec<usize>>) -> Vec<usize> {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for group in self.known.values().flat_map(|known| of(known).iter()) {
            if let [single] = group.as_slice() {
                *counts.entry(*single).or_default() += 1;
            }
        }
        let mut usual: Vec<(usize, usize)> = counts.into_iter().map(|(single, count)| (count, single)).collect();
        usual.sort_unstable_by(|a, b| b.cmp(a));
        let there = usual.into_iter().map(|(_, single)| single);
        there.filter(|single| *single != test && history.contains(single)).take(USUAL).collect()
    }

    /// The fewest tests of a history that make the test end so, in fresh processes. Found in a process that stays; where
    /// that one is misled by what the JVM itself remembers, in fresh ones.
    fn cause(&mut self, test: usize, base: &[usize], history: &[usize], fails: bool) -> Step<Option<Vec<usize>>> {
        let stays = self.order_runner.care_for(test, self.order_runner.care_for_causes()) == ProcessFreshness::Warm;
        let cares: &[ProcessFreshness] =
            if stays { &[ProcessFreshness::Warm, ProcessFreshness::Fresh] } else { &[ProcessFreshness::Fresh] };
        let rest: Vec<usize> = history.iter().copied().filter(|earlier| !base.contains(earlier)).collect();
        for care in cares {
            if !self.was_seen(history, test, fails, *care)
                && self.order_runner.fails(history, test, *care)? != Some(fails)
            {
                continue;
            }
            let width = self.order_runner.width();
            let end_so = |parts: &[Vec<usize>]| -> Step<Vec<bool>> {
                let asked: Vec<(Vec<usize>, usize)> =
                    parts.iter().map(|part| (in_order(history, base, part), test)).collect();
                // The search may go by what it knows: what it finds is confirmed anew.
                let ends = self.order_runner.fail_or_failed(&asked, *care)?;
                Ok(ends.into_iter().map(|end| end == Some(fails)).collect())
            };
            let group = minimal(&rest, width, end_so)?;
            if group.is_empty() {
                continue;
            }
            match self.certain(&in_order(history, base, &group), test, fails)? {
                Certainty::Yes => {
                    if *care != cares[0] {
                        self.order_runner.distrust(&BTreeSet::from([test]));
                    }
                    return Ok(Some(group));
                }
                Certainty::Mixed => {
                    self.call_flaky(test, "in the same order");
                    return Ok(None);
                }
                Certainty::No => {}
            }
        }
        Ok(None)
    }
}

impl DetectionState<'_> {
    /// Need a whole history not be run once more? Where there is time for it, a test that ended so only once does get
    /// another chance, as it may be flaky.
    fn was_seen(&self, history: &[usize], test: usize, fails: bool, care: ProcessFreshness) -> bool {
        let ends = self.order_runner.recorded(history, test);
        let often = self.order_runner.is_short() || ends.of(fails) >= self.confirmations;
        care == ProcessFreshness::Fresh && often && ends.agreed() == Some(fails)
    }
}

/// The tests of both parts, as the history has them.
fn in_order(history: &[usize], base: &[usize], part: &[usize]) -> Vec<usize> {
    history.iter().copied().filter(|test| base.contains(test) || part.contains(test)).collect()
}
