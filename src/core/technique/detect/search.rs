//! All single polluters, state-setters and cleaners of the tests that are known to depend on the order. Tests that share
//! a cause are looked at together.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::DetectionState;
use super::evidence::KnownCauses;
use super::order_runner::{Purpose, Step};
use super::scan_causes::Question;

/// What is sought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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

/// What tests have in common that can be asked about together: their process, and what was found for them.
type Circle = (usize, Vec<usize>, Option<Vec<usize>>);

impl DetectionState<'_> {
    /// Where a process stays, by proof. Elsewhere by chains: where one process can try many candidates comes first, where each
    /// needs a run of its own comes last.
    pub(super) fn search_all(&mut self) -> Step<()> {
        if self.order_runner.has_warm() {
            return self.examine_all();
        }
        for patient in [false, true] {
            for role in [Role::Setter, Role::Cleaner, Role::Polluter] {
                self.search_for(role, patient)?;
            }
        }
        Ok(())
    }

    fn search_for(&mut self, role: Role, patient: bool) -> Step<()> {
        let circles = self.circles(role);
        let count = circles.len();
        for (number, (circle, targets)) in circles.into_iter().enumerate() {
            self.order_runner.doing(Purpose::Causes, format!("seeking all {}: {} of {count}", role.name(), number + 1));
            self.search(role, &circle, &targets, patient)?;
        }
        Ok(())
    }

    fn circles(&self, role: Role) -> BTreeMap<Circle, Vec<usize>> {
        let mut circles: BTreeMap<Circle, Vec<usize>> = BTreeMap::new();
        for (test, known) in self.known.iter().filter(|(_, known)| known.is_found() && concerns(role, known)) {
            let group = self.order_runner.roster.groups()[*test];
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
        let meets = |test: &usize| targets.iter().any(|target| self.order_runner.roster.meet(*test, *target));
        let mut candidates = self.present();
        candidates.retain(|test| meets(test) && !question.lead.contains(test));
        let known = |target: &usize| self.known.get(target).map(|known| known.causes(role)).unwrap_or_default();
        question.spared = targets.iter().map(|target| (*target, known(target).into_iter().collect())).collect();
        candidates.retain(|test| question.concerns(*test));
        if question.control.is_none() && !patient {
            question.control = self.scout(role, &question, &candidates)?;
            if question.control.is_none() {
                return Ok(());
            }
        }
        let hits = self.scan_causes(&question, candidates)?;
        self.confirm_all(role, &question, &hits)?;
        if role == Role::Cleaner {
            self.try_setters_as_cleaners(targets, base, pollution.as_deref().unwrap_or_default())?;
        }
        for target in targets {
            if let Some(known) = self.known.get_mut(target) {
                match role {
                    Role::Setter => known.searched.setters = true,
                    Role::Polluter => known.searched.polluters = true,
                    Role::Cleaner => {
                        known.searched.cleaners = true;
                        known.cleaned = pollution.clone();
                    }
                }
            }
        }
        Ok(())
    }

    /// A test that lets the targets pass can be a cleaner, too: it then does so after the pollution as well as before it. The
    /// search runs it first and does not ask.
    pub(super) fn try_setters_as_cleaners(
        &mut self,
        targets: &[usize],
        setters: &[usize],
        pollution: &[usize],
    ) -> Step<()> {
        for setter in setters.iter().filter(|setter| !pollution.contains(setter)) {
            let others = setters.iter().filter(|other| *other != setter);
            let before: Vec<usize> = others.chain(pollution).chain([setter]).copied().collect();
            let asked: Vec<(Vec<usize>, usize)> = targets.iter().map(|target| (before.clone(), *target)).collect();
            let agreed = self.certain_all(&asked, false)?;
            for (target, _) in targets.iter().zip(agreed).filter(|(_, agreed)| *agreed) {
                if let Some(known) = self.known.get_mut(target) {
                    known.learn(Role::Cleaner, *setter);
                }
            }
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
            if self.confirm_for_all(role, question, candidate)? {
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

    /// Has the candidate this role for all targets?
    fn confirm_for_all(&mut self, role: Role, question: &Question, candidate: usize) -> Step<bool> {
        let pairs: Vec<(usize, usize)> = question.targets.iter().map(|target| (candidate, *target)).collect();
        Ok(self.confirm_all(role, question, &pairs)? == pairs.len())
    }

    /// In fresh processes: does the target end otherwise after the candidate? Says of how many pairs that is so.
    fn confirm_all(&mut self, role: Role, question: &Question, pairs: &[(usize, usize)]) -> Step<usize> {
        let before = |candidate: usize| [question.lead.as_slice(), &[candidate]].concat();
        let mut asked: Vec<(Vec<usize>, usize)> =
            pairs.iter().map(|(candidate, target)| (before(*candidate), *target)).collect();
        asked.retain(|(before, target)| !before.contains(target));
        let agreed = self.certain_all(&asked, !question.usually_fail)?;
        let mut confirmed = 0;
        for ((before, target), _) in asked.iter().zip(agreed).filter(|(_, agreed)| *agreed) {
            confirmed += 1;
            if let (Some(candidate), Some(known)) = (before.last(), self.known.get_mut(target)) {
                known.learn(role, *candidate);
            }
        }
        Ok(confirmed)
    }
}

impl KnownCauses {
    pub(super) fn learn(&mut self, role: Role, cause: usize) {
        match role {
            Role::Setter => drop(self.setters.insert(vec![cause])),
            Role::Polluter => drop(self.polluters.insert(vec![cause])),
            Role::Cleaner => drop(self.cleaners.insert(cause)),
        }
    }

    /// Single tests that are known to have this role.
    pub(super) fn causes(&self, role: Role) -> Vec<usize> {
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
fn concerns(role: Role, known: &KnownCauses) -> bool {
    match role {
        Role::Setter => known.fails_alone && !known.setters.is_empty() && !known.searched.setters,
        Role::Polluter => !known.searched.polluters,
        Role::Cleaner => !known.polluters.is_empty() && !known.searched.cleaners,
    }
}
