//! All single polluters, state-setters and cleaners of the tests that are known to depend on the order. Tests that share
//! a cause are looked at together.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::Detective;
use super::evidence::Known;
use super::explain::Certainty;
use super::lab::{Care, Step};
use super::minimise::minimal;
use super::strategy::shuffle;
use super::sweep::Question;

/// What is sought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Setter,
    Polluter,
    Cleaner,
}

impl Role {
    fn name(self) -> &'static str {
        match self {
            Role::Setter => "state-setters",
            Role::Polluter => "polluters",
            Role::Cleaner => "cleaners",
        }
    }
}

/// Candidates that mattered to some targets only, before a chain without a control is given up.
const SCOUTS: usize = 5;

/// Targets from which on whole orders cost less than chains.
const WORTHWHILE: usize = 8;
const THINNING: usize = 6;

/// What tests have in common that can be asked about together: their process, and what was found for them.
type Circle = (usize, Vec<usize>, Option<Vec<usize>>);

impl Detective<'_> {
    /// Where one process can try many candidates comes first; where each needs a run of its own comes last.
    pub(super) fn search_all(&mut self) -> Step<()> {
        for patient in [false, true] {
            for role in [Role::Setter, Role::Cleaner, Role::Polluter] {
                let circles = self.circles(role);
                let count = circles.len();
                for (number, (circle, targets)) in circles.into_iter().enumerate() {
                    self.lab.doing(format!("seeking all {}: {} of {count}", role.name(), number + 1));
                    self.search(role, &circle, &targets, patient)?;
                }
            }
        }
        Ok(())
    }

    fn circles(&self, role: Role) -> BTreeMap<Circle, Vec<usize>> {
        let mut circles: BTreeMap<Circle, Vec<usize>> = BTreeMap::new();
        for (test, known) in self.known.iter().filter(|(_, known)| known.is_found() && concerns(role, known)) {
            let group = self.lab.roster.groups()[*test];
            let pollution = (role != Role::Setter).then(|| known.pollution().cloned()).flatten();
            circles.entry((group, known.base(), pollution)).or_default().push(*test);
        }
        circles
    }

    fn search(&mut self, role: Role, circle: &Circle, targets: &[usize], patient: bool) -> Step<()> {
        let (_, base, pollution) = circle;
        let polluted: Option<Vec<usize>> = pollution.as_ref().map(|group| [base.as_slice(), group].concat());
        let mut question = match role {
            Role::Setter => question(&[], targets, true, Some(base.clone())),
            Role::Polluter => question(base, targets, false, polluted),
            Role::Cleaner => question(&polluted.unwrap_or_default(), targets, true, None),
        };
        let meets = |test: &usize| targets.iter().any(|target| self.lab.roster.meet(*test, *target));
        let mut candidates = self.present();
        candidates.retain(|test| meets(test) && !question.lead.contains(test));
        if role == Role::Cleaner {
            question.control = self.cleaner_in_orders(&question)?;
        }
        self.thin_out(role, &question, &candidates)?;
        question.spared = self.ruled_out(role, targets);
        for (target, spared) in &mut question.spared {
            spared.extend(self.known.get(target).map(|known| known.causes(role)).unwrap_or_default());
        }
        candidates.retain(|test| question.concerns(*test));
        if question.control.is_none() && !patient {
            question.control = self.scout(role, &question, &candidates)?;
            if question.control.is_none() {
                return Ok(());
            }
        }
        for (candidate, target) in self.sweep(&question, candidates)? {
            self.confirm(role, &question, candidate, target)?;
        }
        for target in targets {
            if let Some(known) = self.known.get_mut(target) {
                match role {
                    Role::Setter => known.searched.setters = true,
                    Role::Polluter => known.searched.polluters = true,
                    Role::Cleaner => known.searched.cleaners = true,
                }
            }
        }
        Ok(())
    }

    /// A cleaner that stood between polluter and target in an order that was run anyway, found by delta debugging.
    fn cleaner_in_orders(&mut self, question: &Question) -> Step<Option<Vec<usize>>> {
        let Some((target, between)) = self.cleaned(question) else { return Ok(None) };
        let (lab, lead) = (&mut self.lab, question.lead.as_slice());
        let mut passes = |part: &[usize]| -> Step<bool> {
            Ok(lab.fails(&[lead, part].concat(), target, Care::Look)? == Some(false))
        };
        if !passes(&between)? {
            return Ok(None);
        }
        let found = minimal(&between, passes)?;
        let [cleaner] = found.as_slice() else { return Ok(None) };
        let mut all = true;
        for target in &question.targets {
            all &= self.confirm(Role::Cleaner, question, *cleaner, *target)?;
        }
        Ok(all.then(|| [lead, &[*cleaner]].concat()))
    }

    /// Orders of all candidates and targets without any known cause: each rules out about half of all pairs, where a chain
    /// asks for them one by one.
    fn thin_out(&mut self, role: Role, question: &Question, candidates: &[usize]) -> Step<()> {
        if !self.lab.has_warm() || question.targets.len() < WORTHWHILE {
            return Ok(());
        }
        let of_target = |target: &usize| self.known.get(target).map(|known| known.causes(role)).unwrap_or_default();
        let causes: BTreeSet<usize> = question.targets.iter().flat_map(of_target).collect();
        let mut order: Vec<usize> = candidates.iter().copied().filter(|test| !causes.contains(test)).collect();
        let mut random = ChaCha8Rng::seed_from_u64(role as u64);
        for _ in 0..THINNING {
            shuffle(&mut order, &mut random);
            let observation = self.lab.observe(&[question.lead.as_slice(), &order].concat(), Care::Look)?;
            self.take_in(&observation);
            self.remember(observation);
        }
        Ok(())
    }

    /// A first cause that works for all targets, which makes chains believable. Causes of other tests come first.
    fn scout(&mut self, role: Role, question: &Question, candidates: &[usize]) -> Step<Option<Vec<usize>>> {
        let mut order: Vec<usize> = candidates.to_vec();
        let elsewhere: BTreeSet<usize> = self.known.values().flat_map(|known| known.causes(role)).collect();
        order.sort_by_key(|candidate| !elsewhere.contains(candidate));
        let mut failures = 0;
        while let Some(place) = self.first_that_matters(question, &order)? {
            let candidate = order[place];
            let mut all = true;
            for target in &question.targets {
                all &= self.confirm(role, question, candidate, *target)?;
            }
            if all {
                return Ok(Some([question.lead.as_slice(), &[candidate]].concat()));
            }
            failures += 1;
            if failures > SCOUTS {
                break;
            }
            order.drain(..=place);
        }
        Ok(None)
    }

    /// In fresh processes: does the target end otherwise after the candidate?
    fn confirm(&mut self, role: Role, question: &Question, candidate: usize, target: usize) -> Step<bool> {
        let before: Vec<usize> = question.lead.iter().copied().chain([candidate]).collect();
        if before.contains(&target) {
            return Ok(false);
        }
        let yes = self.certain(&before, target, !question.usually_fail)? == Certainty::Yes;
        if let (true, Some(known)) = (yes, self.known.get_mut(&target)) {
            match role {
                Role::Setter => drop(known.setters.insert(vec![candidate])),
                Role::Polluter => drop(known.polluters.insert(vec![candidate])),
                Role::Cleaner => drop(known.cleaners.insert(candidate)),
            }
        }
        Ok(yes)
    }
}

impl Known {
    /// Single tests that are known to have this role.
    fn causes(&self, role: Role) -> Vec<usize> {
        let singles = |groups: &BTreeSet<Vec<usize>>| -> Vec<usize> {
            groups
                .iter()
                .filter_map(|group| if let [single] = group.as_slice() { Some(*single) } else { None })
                .collect()
        };
        match role {
            Role::Setter => singles(&self.setters),
            Role::Polluter => singles(&self.polluters),
            Role::Cleaner => self.cleaners.iter().copied().collect(),
        }
    }
}

fn question(lead: &[usize], targets: &[usize], usually_fail: bool, control: Option<Vec<usize>>) -> Question {
    Question { lead: lead.to_vec(), targets: targets.to_vec(), usually_fail, control, spared: HashMap::new() }
}

/// Is there anything of this kind to seek?
fn concerns(role: Role, known: &Known) -> bool {
    match role {
        Role::Setter => known.fails_alone && !known.setters.is_empty() && !known.searched.setters,
        Role::Polluter => !known.searched.polluters,
        Role::Cleaner => !known.polluters.is_empty() && !known.searched.cleaners,
    }
}
