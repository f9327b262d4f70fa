//! What an outcome depends on, in one place: every cache and every trial id is made from these fingerprints.
//!
//! [`Subject::fingerprint`] names each field of a subject. A field that is added to [`Subject`] does not compile here until
//! somebody has decided what depends on it. Paths count as the experiment file has them, so that a fingerprint is the same
//! on every machine. Passwords in urls do not count.

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::redaction::redact;
use crate::wording::hex;

use super::{Generator, Origin, Subject, SurefireVersion, Version};

/// A hash over labelled values. Each value goes in with its length, so that no two lists of values read the same.
#[derive(Debug, Clone)]
pub struct Fingerprint(Sha256);

impl Fingerprint {
    /// `purpose` keeps the fingerprints of different caches apart.
    pub fn new(purpose: &str) -> Self {
        let mut fingerprint = Fingerprint(Sha256::new());
        fingerprint.text("purpose", purpose);
        fingerprint
    }

    pub fn text(&mut self, label: &str, value: &str) {
        for part in [label, value] {
            self.0.update((part.len() as u64).to_le_bytes());
            self.0.update(part.as_bytes());
        }
    }

    pub fn number(&mut self, label: &str, value: u64) {
        self.text(label, &value.to_string());
    }

    pub fn texts<'a>(&mut self, label: &str, values: impl ExactSizeIterator<Item = &'a str>) {
        self.number(label, values.len() as u64);
        values.for_each(|value| self.text(label, value));
    }

    /// Any value that has a JSON form.
    pub fn value(&mut self, label: &str, value: &impl Serialize) -> miette::Result<()> {
        let json = serde_json::to_string(value)
            .map_err(|error| miette::miette!("the {label} cannot be part of a fingerprint: {error}"))?;
        self.text(label, &json);
        Ok(())
    }

    /// At most 64 hexadecimal digits.
    pub fn digits(self, count: usize) -> String {
        let mut digits = hex(&self.0.finalize());
        digits.truncate(count);
        digits
    }
}

/// What the outcomes of a subject depend on, as far as the experiment file says it. What is found out later (the commit, the
/// JDK, the sources that a generator wrote) is added by whoever knows it.
#[derive(Debug, Clone)]
pub struct SubjectFingerprint {
    build: Fingerprint,
    whole: Fingerprint,
}

impl SubjectFingerprint {
    /// For what follows from the built project alone, whichever tests are generated for it, whatever dependencies are
    /// declared and whichever of several versions it is.
    pub fn of_build(&self, purpose: &str) -> Fingerprint {
        self.begun(purpose, &self.build)
    }

    /// For what follows from running the subject's tests.
    pub fn of_outcomes(&self, purpose: &str) -> Fingerprint {
        self.begun(purpose, &self.whole)
    }

    /// What a trial's id begins with.
    pub fn of_trials(&self) -> Fingerprint {
        self.whole.clone()
    }

    fn begun(&self, purpose: &str, part: &Fingerprint) -> Fingerprint {
        let mut fingerprint = Fingerprint::new(purpose);
        fingerprint.text("subject", &part.clone().digits(64));
        fingerprint
    }
}

impl Subject {
    /// The only place that says what a subject's outcomes depend on.
    pub fn fingerprint(&self) -> SubjectFingerprint {
        let Subject {
            name,
            source,
            origin,
            directory,
            modules,
            maven_args,
            environment,
            phase,
            setup,
            surefire,
            disable_plugins,
            timeout,
            dependencies,
            jdk,
            maven,
            tools,
            user,
            generator,
            version,
            // These say how often and with what the subject is run. They are part of a trial's id through its configuration.
            repetitions: _,
            configurations: _,
            overrides: _,
            // These are for readers of tables.
            label: _,
            inferred: _,
            // The search for earlier versions adds it; each version that was found has its own commit.
            earlier: _,
        } = self;

        let directory = directory.as_deref().unwrap_or("".as_ref()).to_string_lossy();
        let mut build = Fingerprint(Sha256::new());
        let mut whole = Fingerprint(Sha256::new());
        whole.text("subject", name);
        whole.text("source", &redact(source));
        let (kind, revision) = match origin {
            Origin::Git { revision, .. } => ("git", revision.as_str()),
            Origin::Folder { .. } => ("folder", ""),
            Origin::Model { .. } => ("model", ""),
        };
        whole.text(kind, revision);
        for part in [&mut build, &mut whole] {
            part.text("directory", &directory);
            part.texts("modules", modules.iter().map(String::as_str));
            part.texts("maven_args", maven_args.iter().map(String::as_str));
            part.texts("variables", environment.keys().map(String::as_str));
            part.texts("values", environment.values().map(String::as_str));
            part.text("phase", phase);
            part.number("setup", setup.len() as u64);
            for command in setup {
                part.texts("command", command.iter().map(String::as_str));
            }
            part.text("surefire", surefire_text(surefire));
            part.texts("disable_plugins", disable_plugins.iter().map(String::as_str));
        }
        whole.text("dependencies", dependencies.as_ref().map_or("", |file| &file.written));
        // The first run of a build is limited by it. A trial has the time limit of its configuration.
        build.number("timeout", timeout.as_secs());
        // A setting that nobody asked for is left out: trials of before it keep their ids.
        if let Some(Version { number, first, of: _, count: _ }) = version {
            whole.number("version", (*number).into());
            whole.text("first version", first);
        }
        if let Some(Generator { command, timeout: _, sources: _ }) = generator {
            whole.texts("generator", command.iter().map(String::as_str));
        }
        for part in [&mut build, &mut whole] {
            if let Some(maven) = maven {
                part.text("maven", &maven.to_string_lossy());
            }
            for (key, tool) in tools {
                part.text(key, &tool.written);
            }
        }
        // Whoever builds adds the JDK that was really taken.
        if let Some(jdk) = jdk {
            whole.text("jdk", &jdk.written);
        }
        for part in [&mut build, &mut whole] {
            if let Some(user) = user {
                part.text("user", user);
            }
        }
        SubjectFingerprint { build, whole }
    }
}

fn surefire_text(version: &SurefireVersion) -> &str {
    match version {
        SurefireVersion::Pinned => "pinned",
        SurefireVersion::Project => "project",
        SurefireVersion::ProjectIfRecent => "project-if-recent",
        SurefireVersion::Exactly(version) => version,
    }
}

#[cfg(any(test, feature = "testing"))]
#[cfg_attr(not(test), allow(unused_imports, dead_code, reason = "other crates use the examples only"))]
pub mod tests {
    use std::collections::BTreeMap;
    use std::time::Duration;

    use super::*;
    use crate::spec::GeneratedTests;
    use crate::spec::JdkWish;
    use crate::spec::{Located, Override};

    /// What depends on a changed field.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Dependents {
        /// The build, and so everything that is run from it.
        Build,
        /// Outcomes, but not the build.
        Outcomes,
        /// Nothing that is kept by a subject's fingerprint.
        Nothing,
    }

    pub fn subject() -> Subject {
        Subject {
            name: "shop".to_owned(),
            source: "https://example.org/shop".to_owned(),
            origin: Origin::Git { url: "https://example.org/shop".to_owned(), revision: "v1".to_owned() },
            directory: None,
            modules: Vec::new(),
            maven_args: Vec::new(),
            environment: BTreeMap::new(),
            phase: "test".to_owned(),
            setup: Vec::new(),
            surefire: SurefireVersion::Pinned,
            disable_plugins: Vec::new(),
            timeout: Duration::from_secs(60),
            repetitions: 5,
            configurations: Vec::new(),
            dependencies: None,
            jdk: None,
            maven: None,
            tools: BTreeMap::new(),
            user: None,
            overrides: BTreeMap::new(),
            label: None,
            inferred: None,
            generator: None,
            earlier: None,
            version: None,
        }
    }

    /// The subject once for each of its fields, with that field changed.
    pub fn each_change() -> Vec<(&'static str, Dependents, Subject)> {
        use Dependents::{Build, Nothing, Outcomes};
        let located = |name: &str| Located { written: name.to_owned(), path: name.into() };
        let generator = Generator {
            command: vec!["generate".to_owned()],
            timeout: Duration::from_secs(1),
            sources: None::<GeneratedTests>,
        };
        let version = Version { of: "shop".to_owned(), number: 2, count: 3, first: "v0".to_owned() };
        let git =
            |revision: &str| Origin::Git { url: "https://example.org/shop".to_owned(), revision: revision.to_owned() };
        let jdk = JdkWish::parse("17", "".as_ref()).expect("a version is a wish");
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let variables = |value: &str| BTreeMap::from([("MODE".to_owned(), value.to_owned())]);
        let overrides = BTreeMap::from([("paste".to_owned(), Override { threads: Some(9), ..Override::default() })]);
        vec![
            ("name", Outcomes, Subject { name: "store".to_owned(), ..subject() }),
            ("source", Outcomes, Subject { source: "https://example.org/store".to_owned(), ..subject() }),
            ("origin", Outcomes, Subject { origin: git("v2"), ..subject() }),
            ("directory", Build, Subject { directory: Some("lib".into()), ..subject() }),
            ("modules", Build, Subject { modules: words(&["core"]), ..subject() }),
            ("maven_args", Build, Subject { maven_args: words(&["-Pfast"]), ..subject() }),
            ("environment", Build, Subject { environment: variables("a"), ..subject() }),
            ("phase", Build, Subject { phase: "verify".to_owned(), ..subject() }),
            ("setup", Build, Subject { setup: vec![words(&["make"])], ..subject() }),
            ("surefire", Build, Subject { surefire: SurefireVersion::Project, ..subject() }),
            ("disable_plugins", Build, Subject { disable_plugins: words(&["a:b"]), ..subject() }),
            ("timeout", Build, Subject { timeout: Duration::from_secs(61), ..subject() }),
            ("dependencies", Outcomes, Subject { dependencies: Some(located("od.toml")), ..subject() }),
            ("jdk", Outcomes, Subject { jdk: Some(jdk), ..subject() }),
            ("maven", Build, Subject { maven: Some("/opt/mvn".into()), ..subject() }),
            ("tools", Build, Subject { tools: tools(), ..subject() }),
            ("user", Build, Subject { user: Some("nobody".to_owned()), ..subject() }),
            ("generator", Outcomes, Subject { generator: Some(generator), ..subject() }),
            ("version", Outcomes, Subject { version: Some(version), ..subject() }),
            ("repetitions", Nothing, Subject { repetitions: 6, ..subject() }),
            ("configurations", Nothing, Subject { configurations: words(&["paste"]), ..subject() }),
            ("overrides", Nothing, Subject { overrides, ..subject() }),
            ("label", Nothing, Subject { label: Some("Shop".to_owned()), ..subject() }),
            ("inferred", Nothing, Subject { inferred: Some("by date".to_owned()), ..subject() }),
            ("earlier", Nothing, Subject { earlier: Some(3), ..subject() }),
        ]
    }

    /// A cache's key changes with each of these fields.
    pub fn assert_key_follows(key: impl Fn(&Subject) -> String, wanted: &[Dependents], besides: &[&str]) {
        let before = key(&subject());
        assert_eq!(before, key(&subject()), "the same subject has the same key");
        for (field, dependents, changed) in each_change() {
            if wanted.contains(&dependents) || besides.contains(&field) {
                assert_ne!(key(&changed), before, "`{field}` was changed, and the key is the same");
            }
        }
    }

    fn tools() -> BTreeMap<String, Located> {
        BTreeMap::from([("python".to_owned(), Located { written: "python3".to_owned(), path: "python3".into() })])
    }

    #[test]
    fn every_field_is_listed() {
        let fields = serde_json::to_value(Subject { maven: Some("mvn".into()), tools: tools(), ..subject() }).unwrap();
        let fields: Vec<String> = fields.as_object().unwrap().keys().cloned().collect();
        let mut listed: Vec<&str> = each_change().into_iter().map(|(field, _, _)| field).collect();
        listed.sort_unstable();
        assert_eq!(listed, {
            let mut fields = fields;
            fields.sort_unstable();
            fields
        });
    }

    #[test]
    fn each_part_follows_its_fields_and_no_others() {
        let build = |subject: &Subject| subject.fingerprint().of_build("x").digits(64);
        let outcomes = |subject: &Subject| subject.fingerprint().of_outcomes("x").digits(64);
        for (field, dependents, changed) in each_change() {
            assert_eq!(build(&changed) != build(&subject()), dependents == Dependents::Build, "{field}");
            // Those who run something add its time limit, which may be another one than the subject's.
            let expected = dependents != Dependents::Nothing && field != "timeout";
            assert_eq!(outcomes(&changed) != outcomes(&subject()), expected, "{field}");
        }
    }

    #[test]
    fn caches_are_kept_apart_and_passwords_do_not_count() {
        let digits = |purpose: &str| subject().fingerprint().of_build(purpose).digits(64);
        assert_ne!(digits("build"), digits("version"));
        let secret = Subject { source: "https://me:secret@example.org/shop".to_owned(), ..subject() };
        let other = Subject { source: "https://me:changed@example.org/shop".to_owned(), ..subject() };
        let outcomes = |subject: &Subject| subject.fingerprint().of_outcomes("x").digits(64);
        assert_eq!(outcomes(&secret), outcomes(&other));
    }
}
