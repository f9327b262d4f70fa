//! A trial's identity: eight hexadecimal digits over every setting that can change its result.
//!
//! Not over the experiment's name, its number of repetitions, its seed or its other cells: a repetition, subject or
//! configuration that is added later leaves the trials that have run what they are. Paths count as the file has them,
//! so that the identity is the same on every machine; passwords in urls do not count.

use sha2::{Digest, Sha256};

use crate::subject::redact;
use crate::wording::hex;

use super::{Configuration, Experiment, Harness, Ordering, Origin, Subject, SurefireVersion, Version};

/// The id of a cell's trials, but for the repetition.
pub(super) struct CellIdentity {
    prefix: String,
    settings: Fingerprint,
}

impl CellIdentity {
    pub fn of(experiment: &Experiment, subject: &Subject, configuration: &Configuration, cores: usize) -> Self {
        let mut settings = Fingerprint(Sha256::new());
        settings.subject(subject);
        settings.configuration(experiment, subject, configuration);
        settings.number("cores", cores as u64);
        settings.number("memory", experiment.machine.memory_bytes.unwrap_or(0));
        CellIdentity { prefix: format!("{}.{}.c{cores}", subject.name, configuration.name), settings }
    }

    pub fn trial(&self, repetition: u32) -> String {
        let mut settings = self.settings.clone();
        settings.number("repetition", repetition.into());
        format!("{}.r{repetition}-{}", self.prefix, settings.digits())
    }
}

/// Labelled values, each with its length, so that no two sets of settings read the same.
#[derive(Clone)]
struct Fingerprint(Sha256);

impl Fingerprint {
    fn text(&mut self, label: &str, value: &str) {
        for part in [label, value] {
            self.0.update((part.len() as u64).to_le_bytes());
            self.0.update(part.as_bytes());
        }
    }

    fn number(&mut self, label: &str, value: u64) {
        self.text(label, &value.to_string());
    }

    fn texts<'a>(&mut self, label: &str, values: impl ExactSizeIterator<Item = &'a str>) {
        self.number(label, values.len() as u64);
        values.for_each(|value| self.text(label, value));
    }

    fn subject(&mut self, subject: &Subject) {
        self.text("subject", &subject.name);
        self.text("source", &redact(&subject.source));
        let (kind, revision) = match &subject.origin {
            Origin::Git { revision, .. } => ("git", revision.as_str()),
            Origin::Folder { .. } => ("folder", ""),
            Origin::Model { .. } => ("model", ""),
        };
        self.text(kind, revision);
        self.text("directory", &subject.directory.as_deref().unwrap_or("".as_ref()).to_string_lossy());
        self.texts("modules", subject.modules.iter().map(String::as_str));
        self.texts("maven_args", subject.maven_args.iter().map(String::as_str));
        self.texts("variables", subject.environment.keys().map(String::as_str));
        self.texts("values", subject.environment.values().map(String::as_str));
        self.text("phase", &subject.phase);
        self.number("setup", subject.setup.len() as u64);
        for command in &subject.setup {
            self.texts("command", command.iter().map(String::as_str));
        }
        self.text("surefire", surefire(&subject.surefire));
        self.texts("disable_plugins", subject.disable_plugins.iter().map(String::as_str));
        self.text("dependencies", subject.dependencies.as_ref().map_or("", |file| &file.written));
        // As they were asked for; what nobody asked for leaves the identity what it was.
        if let Some(Version { number, first, .. }) = &subject.version {
            self.number("version", (*number).into());
            self.text("first version", first);
        }
        if let Some(generator) = &subject.generator {
            self.texts("generator", generator.command.iter().map(String::as_str));
        }
        for (label, value) in [("jdk", subject.jdk.as_ref().map(|jdk| &jdk.written)), ("user", subject.user.as_ref())] {
            value.iter().for_each(|value| self.text(label, value));
        }
    }

    /// With what the subject changes in it.
    fn configuration(&mut self, experiment: &Experiment, subject: &Subject, configuration: &Configuration) {
        let parallelism = experiment.parallelism(subject, configuration);
        self.text("configuration", &configuration.name);
        self.text("technique", configuration.technique.name());
        self.text("mode", parallelism.mode.name());
        self.number("threads", parallelism.threads.into());
        self.number("threads_per_core", parallelism.threads_per_core.into());
        self.text("forks", &parallelism.forks.to_string());
        self.number("reuse_forks", parallelism.reuse_forks.into());
        if let Some(modules) = parallelism.modules {
            self.text("modules at once", &modules.to_string());
        }
        self.harness(experiment.harness(subject, configuration));
        if let Some(Ordering { enhanced, machines, .. }) = configuration.ordering {
            self.number("enhanced", enhanced.into());
            self.number("machines", machines.into());
        }
        self.number("timeout", experiment.time_limit(subject, configuration).as_secs());
    }

    /// Only what is not as it always was, so that trials of before these settings keep their names.
    fn harness(&mut self, harness: Harness) {
        let plain = Harness::default();
        if harness.engine != plain.engine {
            self.text("engine", harness.engine.name());
        }
        if harness.rerun_engine != harness.engine {
            self.text("rerun_engine", harness.rerun_engine.name());
        }
        if harness.isolation != plain.isolation {
            self.text("isolation", harness.isolation.name());
        }
        if let Some(limit) = harness.test_limit {
            self.number("test_timeout", limit.as_secs());
        }
    }

    fn digits(self) -> String {
        hex(&self.0.finalize()[..4])
    }
}

fn surefire(version: &SurefireVersion) -> &str {
    match version {
        SurefireVersion::Pinned => "pinned",
        SurefireVersion::Project => "project",
        SurefireVersion::Exactly(version) => version,
    }
}
