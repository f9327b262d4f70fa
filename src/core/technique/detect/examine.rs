//! All single causes of a test, with proof that there are no others, where a process that stays makes whole orders cheap.
//!
//! A test ends in one way by itself and in another after a known cause, the *turn*. If it ends as by itself after a sequence,
//! and as after the turn when that comes before the same sequence, nothing in the sequence matters to it: what turns it would
//! have shown in the one run, and what turns it back in the other. One pair of orders proves that for all tests of the suite
//! at once. Where the proof fails, the last test that matters is found by halving, and the proof is tried without it.

use std::collections::{BTreeMap, BTreeSet};

use super::DetectionState;
use super::evidence::KnownCauses;
use super::order_runner::{Observation, ProcessFreshness, Purpose, Step};
use super::search::Role;

/// Targets from which on whole orders of the suite prove more than orders of their own.
const TOGETHER: usize = 3;
/// Causes that are sought by halving; where there are more, every test is tried by itself.
const FEW: usize = 24;

/// How a test is asked: after what it ends how, and what turns that.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Frame {
    context: Vec<usize>,
    turn: Vec<usize>,
    /// Does it fail after the context alone?
    fails: bool,
    turning: Role,
    turning_back: Role,
}

/// A sequence that some test matters in.
struct Doubt {
    sequence: Vec<usize>,
    /// Does it turn the target by itself, or does it turn it back?
    turns: bool,
}

impl Frame {
    /// Those of a test that are to be asked; the second needs what the first may find.
    fn of(known: &KnownCauses) -> Option<Frame> {
        let searched = known.searched;
        let (base, pollution) = (known.base(), known.pollution().cloned());
        if known.fails_alone && !searched.setters {
            let (turning, turning_back) = (Role::Setter, Role::Polluter);
            return Some(Frame { context: Vec::new(), turn: base, fails: true, turning, turning_back });
        }
        let turn = pollution.filter(|_| !(searched.polluters && searched.cleaners))?;
        let (turning, turning_back) = (Role::Polluter, Role::Cleaner);
        Some(Frame { context: base, turn, fails: false, turning, turning_back })
    }

    fn plain(&self, sequence: &[usize]) -> Vec<usize> {
        [self.context.as_slice(), sequence].concat()
    }

    fn turned(&self, sequence: &[usize]) -> Vec<usize> {
        [self.context.as_slice(), &self.turn, sequence].concat()
    }

    fn holds(&self, test: usize) -> bool {
        self.context.contains(&test) || self.turn.contains(&test)
    }

    fn role(&self, turns: bool) -> Role {
        if turns { self.turning } else { self.turning_back }
    }

    /// What two runs with the same sequence before the target show: nothing where neither outcome is there.
    fn doubt(&self, plain: Option<bool>, turned: Option<bool>, sequence: Vec<usize>) -> Option<Doubt> {
        match (plain? == self.fails, turned? == self.fails) {
            (true, false) => None,
            (false, _) => Some(Doubt { sequence, turns: true }),
            (true, true) => Some(Doubt { sequence, turns: false }),
        }
    }
}

impl DetectionState<'_> {
    /// Finds all single causes of all tests that are known to depend on the order.
    pub(super) fn examine_all(&mut self) -> Step<()> {
        loop {
            let mut circles: BTreeMap<(usize, Frame), Vec<usize>> = BTreeMap::new();
            for (test, known) in self.known.iter().filter(|(_, known)| known.is_found()) {
                if let Some(frame) = Frame::of(known) {
                    circles.entry((self.order_runner.roster.groups()[*test], frame)).or_default().push(*test);
                }
            }
            if circles.is_empty() {
                return Ok(());
            }
            let count = circles.len();
            for (number, ((_, frame), targets)) in circles.into_iter().enumerate() {
                self.order_runner.doing(Purpose::Causes, format!("looking for all causes: {} of {count}", number + 1));
                self.examine(&frame, &targets)?;
                if frame.turning_back == Role::Cleaner {
                    self.try_setters_as_cleaners(&targets, &frame.context, &frame.turn)?;
                }
                for target in targets {
                    if let Some(known) = self.known.get_mut(&target) {
                        known.examined(&frame);
                    }
                }
            }
        }
    }

    fn examine(&mut self, frame: &Frame, targets: &[usize]) -> Step<()> {
        if targets.len() >= TOGETHER {
            self.examine_together(frame, targets)?;
        }
        for target in targets {
            self.examine_alone(frame, *target)?;
        }
        Ok(())
    }

    /// Orders of the whole suite, forwards and backwards, each with and without the turn, and without all that is known to
    /// matter to any target. What they prove neutral is not asked again; a cause of one target is tried for all.
    fn examine_together(&mut self, frame: &Frame, targets: &[usize]) -> Step<()> {
        let mut asked: BTreeSet<usize> = BTreeSet::new();
        for _ in 0..FEW {
            let known = |test: &usize| targets.iter().any(|target| self.matters(*target, *test));
            let sequence: Vec<usize> =
                self.others(frame, targets).into_iter().filter(|test| !known(test) && !asked.contains(test)).collect();
            let backwards: Vec<usize> = sequence.iter().rev().copied().collect();
            let pairs = [&sequence, &backwards].map(|order| [frame.plain(order), frame.turned(order)]);
            let misled = targets.iter().any(|target| self.order_runner.misled().contains(target));
            let care = if misled { ProcessFreshness::Fresh } else { self.care_for_orders() };
            let seen = self.order_runner.observe_all(&pairs.concat(), care)?;
            seen.iter().for_each(|observation| self.take_in(observation, care));
            let Some((target, doubt)) = self.first_doubt(frame, targets, &seen) else { return Ok(()) };
            let Some(cause) = self.last_that_matters(frame, target, &doubt)? else { return Ok(()) };
            asked.insert(cause);
            let hits = self.those_affected(frame, cause, targets, doubt.turns)?;
            self.confirm_causes(frame, &hits, doubt.turns)?;
        }
        Ok(())
    }

    /// Marks as neutral what two orders with and without the turn prove; returns the first target that one of them leaves open.
    fn first_doubt(&mut self, frame: &Frame, targets: &[usize], seen: &[Observation]) -> Option<(usize, Doubt)> {
        let mut first = None;
        for pair in seen.chunks_exact(2) {
            for target in targets {
                let place = pair[0].seen.iter().position(|seen| seen.test == *target);
                let Some(place) =
                    place.filter(|_| pair.iter().all(|run| run.seen.iter().all(|seen| seen.stretch == 0)))
                else {
                    continue;
                };
                let mut history = pair[0].history(place);
                history.retain(|test| !frame.holds(*test));
                match frame.doubt(pair[0].fails(*target), pair[1].fails(*target), history.clone()) {
                    None => self.neutral.entry((*target, frame.fails)).or_default().extend(history),
                    Some(doubt) => first = first.or(Some((*target, doubt))),
                }
            }
        }
        first
    }

    /// What is left to ask about one target, in orders of its own.
    fn examine_alone(&mut self, frame: &Frame, target: usize) -> Step<()> {
        let neutral = self.neutral.get(&(target, frame.fails)).cloned().unwrap_or_default();
        let open = |test: &usize| !neutral.contains(test) && !self.matters(target, *test);
        let mut sequence: Vec<usize> = self.others(frame, &[target]).into_iter().filter(open).collect();
        for _ in 0..FEW {
            if sequence.is_empty() {
                return Ok(());
            }
            let asked = [(frame.plain(&sequence), target), (frame.turned(&sequence), target)];
            let ends = self.order_runner.fail(&asked, ProcessFreshness::Warm)?;
            let Some(doubt) = frame.doubt(ends[0], ends[1], sequence.clone()) else { return Ok(()) };
            let Some(cause) = self.last_that_matters(frame, target, &doubt)? else { break };
            sequence.retain(|test| *test != cause);
            let hits = self.those_affected(frame, cause, &[target], doubt.turns)?;
            self.confirm_causes(frame, &hits, doubt.turns)?;
        }
        self.try_one_by_one(frame, target, &sequence)
    }

    /// Where very many tests matter, or halving leads nowhere.
    fn try_one_by_one(&mut self, frame: &Frame, target: usize, sequence: &[usize]) -> Step<()> {
        for turns in [true, false] {
            let asked: Vec<(Vec<usize>, usize)> =
                sequence.iter().map(|test| (self.before(frame, *test, turns), target)).collect();
            let ends = self.order_runner.fail(&asked, ProcessFreshness::Warm)?;
            let wanted = Some(frame.fails != turns);
            let hits = sequence.iter().zip(ends).filter(|(_, end)| *end == wanted).map(|(test, _)| (*test, target));
            self.confirm_causes(frame, &hits.collect::<Vec<_>>(), turns)?;
        }
        Ok(())
    }

    /// The shortest end of the sequence that still does it begins with the last test that matters.
    fn last_that_matters(&mut self, frame: &Frame, target: usize, doubt: &Doubt) -> Step<Option<usize>> {
        let sequence = &doubt.sequence;
        let wanted = Some(frame.fails != doubt.turns);
        let (mut without, mut with) = (0, sequence.len());
        while with - without > 1 {
            let lengths = cuts(without, with, self.order_runner.width());
            let asked: Vec<(Vec<usize>, usize)> = lengths
                .iter()
                .map(|length| &sequence[sequence.len() - length..])
                .map(|end| (if doubt.turns { frame.plain(end) } else { frame.turned(end) }, target))
                .collect();
            let ends = self.order_runner.fail(&asked, ProcessFreshness::Warm)?;
            let first = ends.iter().position(|end| *end == wanted);
            with = first.map_or(with, |place| lengths[place]);
            without = lengths[..first.unwrap_or(lengths.len())].last().copied().unwrap_or(without);
        }
        Ok(sequence.len().checked_sub(with).and_then(|place| sequence.get(place)).copied())
    }

    /// The targets that the test matters to by itself, as far as looking can tell.
    fn those_affected(
        &mut self,
        frame: &Frame,
        cause: usize,
        targets: &[usize],
        turns: bool,
    ) -> Step<Vec<(usize, usize)>> {
        let asked: Vec<usize> = targets
            .iter()
            .copied()
            .filter(|target| self.order_runner.roster.meet(cause, *target) && !self.matters(*target, cause))
            .collect();
        let before = self.before(frame, cause, turns);
        let wanted = frame.fails != turns;
        let mut affected = self.those_that_end_together(&before, &asked, wanted)?;
        let rest: Vec<(Vec<usize>, usize)> =
            asked.iter().filter(|target| !affected.contains(target)).map(|target| (before.clone(), *target)).collect();
        let ends = self.order_runner.fail(&rest, ProcessFreshness::Warm)?;
        affected.extend(rest.iter().zip(ends).filter(|(_, end)| *end == Some(wanted)).map(|((_, target), _)| *target));
        Ok(affected.into_iter().map(|target| (cause, target)).collect())
    }

    fn confirm_causes(&mut self, frame: &Frame, hits: &[(usize, usize)], turns: bool) -> Step<()> {
        let asked: Vec<(Vec<usize>, usize)> =
            hits.iter().map(|(cause, target)| (self.before(frame, *cause, turns), *target)).collect();
        let agreed = self.certain_all(&asked, frame.fails != turns)?;
        for ((cause, target), _) in hits.iter().zip(agreed).filter(|(_, agreed)| *agreed) {
            if let Some(known) = self.known.get_mut(target) {
                known.learn(frame.role(turns), *cause);
            }
        }
        Ok(())
    }

    fn before(&self, frame: &Frame, cause: usize, turns: bool) -> Vec<usize> {
        if turns { frame.plain(&[cause]) } else { frame.turned(&[cause]) }
    }

    /// Is the test known to matter to the target?
    fn matters(&self, target: usize, test: usize) -> bool {
        let roles = [Role::Setter, Role::Polluter, Role::Cleaner];
        self.known.get(&target).is_some_and(|known| roles.iter().any(|role| known.causes(*role).contains(&test)))
    }

    fn others(&self, frame: &Frame, targets: &[usize]) -> Vec<usize> {
        let meets = |test: &usize| targets.iter().any(|target| self.order_runner.roster.meet(*test, *target));
        let alone = |test: &usize| targets.len() > 1 || !targets.contains(test);
        let counts = |test: &usize| targets.iter().any(|target| self.can_matter(frame, *test, *target));
        let wanted = |test: &usize| meets(test) && alone(test) && !frame.holds(*test) && counts(test);
        self.present().into_iter().filter(wanted).collect()
    }

    /// Is there an order that counts in which the test comes between what the frame has and the target?
    fn can_matter(&self, frame: &Frame, test: usize, target: usize) -> bool {
        let roster = &self.order_runner.roster;
        [frame.plain(&[test, target]), frame.turned(&[test, target])].iter().any(|order| roster.counts(order))
    }
}

/// Lengths between two others, evenly spread.
fn cuts(low: usize, high: usize, count: usize) -> Vec<usize> {
    let mut cuts: Vec<usize> = (1..=count).map(|cut| low + (high - low) * cut / (count + 1)).collect();
    cuts.retain(|length| *length > low);
    cuts.dedup();
    cuts
}

impl KnownCauses {
    /// All that this frame can show is known now.
    fn examined(&mut self, frame: &Frame) {
        let roles = [frame.turning, frame.turning_back];
        self.searched.setters |= roles.contains(&Role::Setter);
        self.searched.polluters |= roles.contains(&Role::Polluter);
        if roles.contains(&Role::Cleaner) {
            self.searched.cleaners = true;
            self.cleaned = Some(frame.turn.clone());
        }
    }
}
