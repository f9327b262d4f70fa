//! A trial's identity: eight hexadecimal digits over every setting that can change its result.
//!
//! Not over the experiment's name, its number of repetitions, its seed or its other cells: a repetition, subject or
//! configuration that is added later leaves the trials that have run what they are. Paths count as the file has them,
//! so that the identity is the same on every machine; passwords in urls do not count.

use crate::engine::Parallelism;

use super::{Configuration, Experiment};
use crate::spec::{Fingerprint, Subject};
use crate::technique::{Harness, Ordering};

/// The id of a cell's trials, but for the repetition.
pub(super) struct CellIdentity {
    prefix: String,
    settings: Fingerprint,
}

impl CellIdentity {
    pub fn of(experiment: &Experiment, subject: &Subject, configuration: &Configuration, cores: usize) -> Self {
        let mut settings = subject.fingerprint().of_trials();
        add_configuration(&mut settings, experiment, subject, configuration);
        settings.number("cores", cores as u64);
        settings.number("memory", experiment.machine.memory_bytes.unwrap_or(0));
        CellIdentity { prefix: format!("{}.{}.c{cores}", subject.name, configuration.name), settings }
    }

    pub fn trial(&self, repetition: u32) -> String {
        let mut settings = self.settings.clone();
        settings.number("repetition", repetition.into());
        format!("{}.r{repetition}-{}", self.prefix, settings.digits(8))
    }
}

/// A configuration with what the subject changes in it.
fn add_configuration(
    settings: &mut Fingerprint,
    experiment: &Experiment,
    subject: &Subject,
    configuration: &Configuration,
) {
    let Parallelism { mode, threads, threads_per_core, forks, reuse_forks, modules } =
        experiment.parallelism(subject, configuration);
    // `parallelism` and `harness` are taken with what the subject changes in them.
    let Configuration { name, technique, parallelism: _, harness: _, ordering } = configuration;
    settings.text("configuration", name);
    settings.text("technique", technique.name());
    settings.text("mode", mode.name());
    settings.number("threads", threads.into());
    settings.number("threads_per_core", threads_per_core.into());
    settings.text("forks", &forks.to_string());
    settings.number("reuse_forks", reuse_forks.into());
    if let Some(modules) = modules {
        settings.text("modules at once", &modules.to_string());
    }
    add_harness(settings, experiment.harness(subject, configuration));
    // The algorithm is the technique.
    if let Some(Ordering { algorithm: _, enhanced, machines }) = ordering {
        settings.number("enhanced", (*enhanced).into());
        settings.number("machines", (*machines).into());
    }
    settings.number("timeout", experiment.time_limit(subject, configuration).as_secs());
}

/// Only what is not as it always was, so that trials of before these settings keep their names.
fn add_harness(settings: &mut Fingerprint, harness: Harness) {
    let Harness { engine, rerun_engine, isolation, test_limit } = harness;
    let plain = Harness::default();
    if engine != plain.engine {
        settings.text("engine", engine.name());
    }
    if rerun_engine != engine {
        settings.text("rerun_engine", rerun_engine.name());
    }
    if isolation != plain.isolation {
        settings.text("isolation", isolation.name());
    }
    if let Some(limit) = test_limit {
        settings.number("test_timeout", limit.as_secs());
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::accepted;
    use super::*;
    use crate::spec::fingerprint_tests::{Dependents, assert_key_follows};

    #[test]
    fn a_trial_id_follows_every_field_of_its_subject() {
        let experiment = accepted(
            "[experiment]\nname = 'x'\n[[subject]]\nname = 'shop'\ngit = 'https://example.org/shop'\ncommit = 'v1'\n\
             [[configuration]]\nname = 'sequential'\n[[configuration]]\nname = 'paste'\ntechnique = 'paste'\n\
             parallel = 'classes'\nthreads = 2\n",
        );
        let id = |subject: &Subject| CellIdentity::of(&experiment, subject, &experiment.configurations[1], 2).trial(1);
        assert_key_follows(id, &[Dependents::Build, Dependents::Outcomes], &["overrides"]);
    }
}
