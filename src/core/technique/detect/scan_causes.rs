//! Every other test, tried as a cause: right before the test that depends on the order, and nothing else before that.
//!
//! One process tries many: it runs a candidate, then the test, then the next candidate, and so on. Such a chain is believed
//! only if it ends with a known cause and the test answers to it as it should: then nothing has made the test deaf. What
//! a chain shows, and what a deaf chain does not, is looked at one by one.

use std::collections::{HashMap, HashSet, VecDeque};

use super::DetectionState;
use super::order_runner::{ProcessFreshness, Step};

/// Executions in one chain: long enough to save processes, short enough to be repeated.
const CHAIN: usize = 1_500;

/// A question about many candidates: how do the targets end after `lead` and the candidate?
#[derive(Debug, Clone)]
pub(super) struct Question {
    pub lead: Vec<usize>,
    pub targets: Vec<usize>,
    /// How they end unless the candidate matters.
    pub usually_fail: bool,
    /// After these they are known to end otherwise.
    pub control: Option<Vec<usize>>,
    /// By target: candidates that are known not to matter to it.
    pub spared: HashMap<usize, HashSet<usize>>,
}

impl Question {
    /// Is there a target that the candidate is to be tried with?
    pub(super) fn concerns(&self, candidate: usize) -> bool {
        !self.targets_of(candidate).is_empty()
    }

    /// Those that a candidate is to be tried with.
    fn targets_of(&self, candidate: usize) -> Vec<usize> {
        let open = |target: &usize| {
            *target != candidate && !self.spared.get(target).is_some_and(|spared| spared.contains(&candidate))
        };
        self.targets.iter().copied().filter(open).collect()
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Chain {
    /// No candidate mattered, except perhaps to these targets, which the control did not reach.
    Quiet { deaf: Vec<usize> },
    /// The candidate of this number mattered; what came after it is worth nothing.
    Broken(usize),
    /// It did not run as asked.
    Unreadable,
}

fn halves(chunk: &[usize]) -> Vec<Vec<usize>> {
    chunk.chunks(chunk.len().div_ceil(2).max(1)).map(<[usize]>::to_vec).collect()
}

impl DetectionState<'_> {
    /// All pairs of candidate and target in which the candidate matters, as far as looking can tell.
    pub(super) fn scan_causes(&mut self, question: &Question, candidates: Vec<usize>) -> Step<Vec<(usize, usize)>> {
        let mut queue: VecDeque<usize> = candidates.into();
        let mut hits = Vec::new();
        let executions: usize =
            queue.iter().map(|candidate| question.lead.len() + 1 + question.targets_of(*candidate).len()).sum();
        let longest = (CHAIN * queue.len() / executions.max(1)).max(1);
        let mut size = longest;
        while !queue.is_empty() {
            let chunk: Vec<usize> = queue.drain(..size.min(queue.len())).collect();
            if question.control.is_none() || chunk.len() == 1 {
                self.try_each(question, &chunk, &mut hits)?;
                continue;
            }
            match self.chain(question, &chunk)? {
                Chain::Quiet { deaf } => {
                    let deaf = Question { targets: deaf, ..question.clone() };
                    self.divide(&deaf, &chunk, &mut hits)?;
                    size = (size * 2).min(longest);
                }
                Chain::Broken(place) => {
                    self.try_each(question, &chunk[place..=place], &mut hits)?;
                    chunk[place + 1..].iter().rev().for_each(|candidate| queue.push_front(*candidate));
                    chunk[..place].iter().rev().for_each(|candidate| queue.push_front(*candidate));
                    size = place.max(1);
                }
                Chain::Unreadable => {
                    chunk.iter().rev().for_each(|candidate| queue.push_front(*candidate));
                    size = (chunk.len() / 2).max(1);
                }
            }
        }
        Ok(hits)
    }

    /// A chain can be deaf for one candidate that drowns the control: halves of it are tried, and halves of those that are
    /// deaf again. Where all parts are, the targets are deaf by themselves, and every candidate is tried alone.
    fn divide(&mut self, question: &Question, chunk: &[usize], hits: &mut Vec<(usize, usize)>) -> Step<()> {
        if question.targets.is_empty() {
            return Ok(());
        }
        let mut parts = halves(chunk);
        for depth in 0.. {
            let count = parts.len();
            let mut deaf = Vec::new();
            for part in parts {
                if part.len() == 1 {
                    self.try_each(question, &part, hits)?;
                } else if self.chain(question, &part)? != (Chain::Quiet { deaf: Vec::new() }) {
                    deaf.push(part);
                }
            }
            if deaf.len() == count && depth > 0 {
                return self.try_each(question, &deaf.concat(), hits);
            }
            parts = deaf.iter().flat_map(|part| halves(part)).collect();
            if parts.is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// The first candidate that mattered in a chain without a control.
    pub(super) fn first_that_matters(&mut self, question: &Question, candidates: &[usize]) -> Step<Option<usize>> {
        let size = (CHAIN / (question.lead.len() + question.targets.len() + 1)).max(1);
        for (number, chunk) in candidates.chunks(size).enumerate() {
            if let Chain::Broken(place) = self.chain(question, chunk)? {
                return Ok(Some(number * size + place));
            }
        }
        Ok(None)
    }

    /// Each candidate in an order of its own; where that shows anything, with each target by itself.
    fn try_each(&mut self, question: &Question, candidates: &[usize], hits: &mut Vec<(usize, usize)>) -> Step<()> {
        for candidate in candidates {
            let targets = question.targets_of(*candidate);
            if targets.len() > 1 && question.control.is_none() {
                let order: Vec<usize> =
                    [&question.lead, &vec![*candidate], &targets].into_iter().flatten().copied().collect();
                let seen = self.order_runner.observe(&order, ProcessFreshness::Warm)?;
                if targets.iter().all(|target| seen.fails(*target) == Some(question.usually_fail)) {
                    continue;
                }
            }
            for target in targets {
                let before: Vec<usize> = question.lead.iter().copied().chain([*candidate]).collect();
                if self.order_runner.fails(&before, target, ProcessFreshness::Warm)? == Some(!question.usually_fail) {
                    hits.push((*candidate, target));
                }
            }
        }
        Ok(())
    }

    fn chain(&mut self, question: &Question, candidates: &[usize]) -> Step<Chain> {
        let block = |candidate: &usize| {
            [&question.lead, &vec![*candidate], &question.targets_of(*candidate)].map(Vec::as_slice).concat()
        };
        let mut blocks: Vec<Vec<usize>> = candidates.iter().map(block).collect();
        let control = question.control.clone().unwrap_or_default();
        let reached = question.targets.iter().filter(|target| !control.contains(target));
        blocks.push(control.iter().chain(reached).copied().collect());
        let order = blocks.concat();
        let seen = self.order_runner.observe(&order, ProcessFreshness::Warm)?;
        if !seen.is_as_asked(&order) {
            return Ok(Chain::Unreadable);
        }
        let mut place = 0;
        let mut answers = blocks.iter().map(|block| {
            let part = &seen.seen[place..place + block.len()];
            place += block.len();
            part
        });
        let lead = question.lead.len() + 1;
        for (number, part) in answers.by_ref().take(candidates.len()).enumerate() {
            if part[lead..].iter().any(|seen| seen.fails() != Some(question.usually_fail)) {
                return Ok(Chain::Broken(number));
            }
        }
        let heard: Vec<usize> = answers
            .flat_map(|part| part[control.len()..].iter())
            .filter(|seen| seen.fails() == Some(!question.usually_fail))
            .map(|seen| seen.test)
            .collect();
        Ok(Chain::Quiet { deaf: question.targets.iter().copied().filter(|target| !heard.contains(target)).collect() })
    }
}
