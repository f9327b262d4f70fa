//! From trials to steps. A step is a unit of work that takes time and whose outcome is recorded: tests are generated, a
//! subject is prepared and screened, its first version is profiled, a cell is warmed up, a trial is run. Each step names
//! the steps that it needs. The runner carries them out one after the other and skips what is on record.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{Experiment, Plan, Trial};
use crate::spec::Subject;

/// A unit of work with what has to be done before it.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Names the work and, by a fingerprint, the settings that its outcome depends on.
    pub id: String,
    /// Ids of steps that come first.
    pub needs: Vec<String>,
    pub work: Work,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Work {
    /// A subject's generator writes its tests, on the first version.
    Generate {
        family: String,
    },
    /// Clones, builds and discovers a subject.
    Prepare {
        subject: String,
    },
    /// Runs a subject sequentially and sets aside tests that do not pass every time.
    Screen {
        subject: String,
    },
    /// Measures on the first version what algorithms need to know: durations, coverage, dependencies.
    Profile {
        family: String,
    },
    /// Runs a cell without measuring it.
    WarmUp {
        trial: Trial,
    },
    Trial {
        trial: Trial,
    },
}

/// The steps that lead to some trials, each after those that it needs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StepPlan {
    pub steps: Vec<Step>,
}

impl StepPlan {
    /// `needs_all_versions` tells of a subject with several versions whether its profile is made of all of them.
    pub fn toward(
        missing: &[Trial],
        experiment: &Experiment,
        plan: &Plan,
        needs_all_versions: &dyn Fn(&str) -> bool,
    ) -> Self {
        let mut planner = Planner { experiment, steps: Vec::new(), ids: HashMap::new() };
        let profiled = profiled_families(missing, experiment);
        let mut wanted: HashSet<&str> = missing.iter().map(|trial| trial.subject.as_str()).collect();
        for family in &profiled {
            let count = if needs_all_versions(family) { usize::MAX } else { 1 };
            wanted.extend(experiment.versions_of(family).take(count).map(|subject| subject.name.as_str()));
        }
        let mut subjects: Vec<&Subject> =
            experiment.subjects.iter().filter(|subject| wanted.contains(subject.name.as_str())).collect();
        // A worktree is held until the end. In one order for all, two parades cannot wait for each other for ever.
        subjects.sort_by(|a, b| a.name.cmp(&b.name));
        subjects.iter().for_each(|subject| planner.prepare(subject));
        for family in &profiled {
            planner.profile(family, &subjects);
        }
        planner.warm_up(missing, plan);
        missing.iter().for_each(|trial| planner.trial(trial.clone(), |trial| Work::Trial { trial }));
        StepPlan { steps: planner.steps }
    }
}

/// The subjects, as the file names them, of which algorithms have to know something for these trials.
fn profiled_families(missing: &[Trial], experiment: &Experiment) -> BTreeSet<String> {
    let is_ordered =
        |trial: &&Trial| experiment.configuration(&trial.configuration).is_some_and(|each| each.ordering.is_some());
    let subjects = missing.iter().filter(is_ordered).filter_map(|trial| experiment.subject(&trial.subject));
    subjects.map(|subject| subject.family().to_owned()).collect()
}

/// Warm-up trials are known by the first trial of their cell in the plan, so that resuming does not repeat them.
fn warm_up_of(trial: &Trial, number: u32) -> Trial {
    let id = format!("warmup-{number}.{}", trial.id);
    Trial { id, repetition: number, ..trial.clone() }
}

struct Planner<'a> {
    experiment: &'a Experiment,
    steps: Vec<Step>,
    /// Of the step that a subject's trials need, by the subject's name; of profiles by that of the family.
    ids: HashMap<(Ready, String), String>,
}

/// What other steps can wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Ready {
    Generated,
    Screened,
    Profiled,
}

impl Planner<'_> {
    fn add(&mut self, id: String, needs: Vec<String>, work: Work) -> String {
        self.steps.push(Step { id: id.clone(), needs, work });
        id
    }

    fn ready(&self, ready: Ready, name: &str) -> Option<String> {
        self.ids.get(&(ready, name.to_owned())).cloned()
    }

    /// The steps from nothing to a subject whose unreliable tests are known.
    fn prepare(&mut self, subject: &Subject) {
        let (name, family) = (&subject.name, subject.family());
        let generated = (Ready::Generated, family.to_owned());
        if subject.generator.is_some() && !self.ids.contains_key(&generated) {
            let id = format!("generate.{family}.{}", digits(subject, "generate"));
            let id = self.add(id, Vec::new(), Work::Generate { family: family.to_owned() });
            self.ids.insert(generated, id);
        }
        let needs = self.ready(Ready::Generated, family).into_iter().collect();
        let id = format!("prepare.{name}.{}", digits(subject, "prepare"));
        let prepared = self.add(id, needs, Work::Prepare { subject: name.clone() });
        let id = format!("screen.{name}.{}", digits(subject, "screen"));
        let screened = self.add(id, vec![prepared], Work::Screen { subject: name.clone() });
        self.ids.insert((Ready::Screened, name.clone()), screened);
    }

    /// After all versions that are prepared for it.
    fn profile(&mut self, family: &str, prepared: &[&Subject]) {
        let Some(first) = self.experiment.versions_of(family).next() else { return };
        let id = format!("profile.{family}.{}", digits(first, "profile"));
        let versions = prepared.iter().filter(|subject| subject.family() == family);
        let needs = versions.filter_map(|version| self.ready(Ready::Screened, &version.name)).collect();
        let id = self.add(id, needs, Work::Profile { family: family.to_owned() });
        self.ids.insert((Ready::Profiled, family.to_owned()), id);
    }

    /// Once per cell that has missing trials.
    fn warm_up(&mut self, missing: &[Trial], plan: &Plan) {
        let cell = |trial: &Trial| (trial.subject.clone(), trial.configuration.clone(), trial.cores);
        let wanted: HashSet<_> = missing.iter().map(cell).collect();
        let mut seen = HashSet::new();
        for trial in &plan.trials {
            if seen.insert(cell(trial)) && wanted.contains(&cell(trial)) {
                for number in 1..=self.experiment.warmup {
                    self.trial(warm_up_of(trial, number), |trial| Work::WarmUp { trial });
                }
            }
        }
    }

    fn trial(&mut self, trial: Trial, work: fn(Trial) -> Work) {
        let mut needs: Vec<String> = self.ready(Ready::Screened, &trial.subject).into_iter().collect();
        let configuration = self.experiment.configuration(&trial.configuration);
        if configuration.is_some_and(|each| each.ordering.is_some()) {
            let family = self.experiment.subject(&trial.subject).map(Subject::family);
            needs.extend(family.and_then(|family| self.ready(Ready::Profiled, family)));
        }
        self.add(trial.id.clone(), needs, work(trial));
    }
}

fn digits(subject: &Subject, purpose: &str) -> String {
    let mut settings = subject.fingerprint().of_outcomes(purpose);
    settings.number("timeout", subject.timeout.as_secs());
    settings.digits(8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{MachineLimits, parse};

    fn experiment(text: &str) -> Experiment {
        let limits = MachineLimits { cores: 8, memory_bytes: 1 << 33 };
        parse(text.as_bytes().to_vec(), std::path::Path::new("e.toml"), &limits).unwrap().experiment
    }

    /// Two subjects, of which one runs in an order that needs a profile.
    fn example(folder: &std::path::Path) -> Experiment {
        let model = "[[test]]\nid = \"C#a\"\nseconds = 1.0\ncovers = [\"a/B.java:1-2\"]\n";
        std::fs::write(folder.join("m.toml"), model).unwrap();
        let model = folder.join("m.toml").display().to_string();
        experiment(&format!(
            "[experiment]\nname = \"e\"\nrepetitions = 2\nwarmup = 1\n[machine]\ncores = [1]\n\
            [analysis]\nbaseline = \"plain\"\n\
            [[subject]]\nname = \"b\"\nmodel = {model:?}\nconfigurations = [\"plain\", \"t1\"]\n\
            [[subject]]\nname = \"a\"\nmodel = {model:?}\nconfigurations = [\"plain\"]\n\
            [[configuration]]\nname = \"plain\"\ntechnique = \"sequential\"\n\
            [[configuration]]\nname = \"t1\"\ntechnique = \"T1\"\n"
        ))
    }

    fn described(steps: &[Step]) -> Vec<String> {
        let of = |step: &Step| match &step.work {
            Work::Generate { family } => format!("generate {family}"),
            Work::Prepare { subject } => format!("prepare {subject}"),
            Work::Screen { subject } => format!("screen {subject}"),
            Work::Profile { family } => format!("profile {family}"),
            Work::WarmUp { trial } => format!("warm up {} {}", trial.subject, trial.configuration),
            Work::Trial { trial } => format!("trial {} {} {}", trial.subject, trial.configuration, trial.repetition),
        };
        steps.iter().map(of).collect()
    }

    #[test]
    fn every_step_comes_after_those_that_it_needs() {
        let folder = tempfile::tempdir().unwrap();
        let experiment = example(folder.path());
        let plan = Plan::of(&experiment);
        let steps = StepPlan::toward(&plan.trials, &experiment, &plan, &|_| false).steps;
        let mut done = HashSet::new();
        for step in &steps {
            assert!(step.needs.iter().all(|need| done.contains(need)), "{step:?}");
            assert!(done.insert(step.id.clone()), "{} is there twice", step.id);
        }
        let described = described(&steps);
        assert_eq!(described[..5], ["prepare a", "screen a", "prepare b", "screen b", "profile b"]);
        assert_eq!(described.iter().filter(|step| step.starts_with("warm up")).count(), 3);
        assert_eq!(described.iter().filter(|step| step.starts_with("trial")).count(), 6);
        let ordered =
            steps.iter().find(|step| matches!(&step.work, Work::Trial { trial } if trial.configuration == "t1"));
        assert!(ordered.unwrap().needs.iter().any(|need| need.starts_with("profile.b.")), "{ordered:?}");
    }

    #[test]
    fn only_what_missing_trials_need_is_planned() {
        let folder = tempfile::tempdir().unwrap();
        let experiment = example(folder.path());
        let plan = Plan::of(&experiment);
        let missing: Vec<Trial> =
            plan.trials.iter().filter(|trial| trial.subject == "a" && trial.repetition == 2).cloned().collect();
        let steps = StepPlan::toward(&missing, &experiment, &plan, &|_| false).steps;
        assert_eq!(described(&steps), ["prepare a", "screen a", "warm up a plain", "trial a plain 2"]);
        assert_eq!(StepPlan::toward(&[], &experiment, &plan, &|_| false), StepPlan::default());
    }

    #[test]
    fn the_id_of_a_step_follows_the_settings_of_its_subject() {
        use crate::spec::fingerprint_tests::{Dependents, assert_key_follows};
        let of_outcomes = [Dependents::Build, Dependents::Outcomes];
        assert_key_follows(|subject| digits(subject, "prepare"), &of_outcomes, &[]);
    }
}
