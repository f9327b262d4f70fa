//! Maven as a [`Platform`]: which JDK and Maven a subject gets, its build, and its engines.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::artifact_id::artifact_id;
use super::build::{BuildOutcome, Preparation, Prepared, build_root};
use super::choice::{self, Chosen, Pin};
use super::direct::DirectSession;
use super::jdks::Jdk;
use super::surefire::SurefireSession;
use super::{adoption, changes, declared_order, maven, reactor, toolchain};
use crate::engine::{EngineKind, Parallelism, Session};
use crate::process::{Account, Interrupt};
use crate::project::{
    Adoption, AdoptionFacts, BuildLayout, ChangeRequest, GeneratorTarget, KeptReports, OpenFailure, OpenPurpose,
    OpenRequest, Opened, Platform, Project, Refusal, ToolFacts,
};
use crate::spec::{JdkWish, Origin, Subject};
use crate::subject::{self, Checkout};
use crate::suite::{Change, ClassId, Finding, FindingKind, TestId};

/// Maven builds, with JUnit 3 to 6 and TestNG.
#[derive(Debug, Clone, Copy)]
pub struct MavenPlatform;

impl Platform for MavenPlatform {
    fn name(&self) -> &'static str {
        "Maven"
    }

    fn build_files(&self) -> &'static [&'static str] {
        &["pom.xml"]
    }

    fn project_name(&self, root: &Path) -> Option<String> {
        artifact_id(&root.join("pom.xml"))
    }

    fn layout(&self, folder: &Path, modules: &[String]) -> Result<BuildLayout, Refusal> {
        let reactor = reactor::around(folder);
        let modules = reactor::chosen_modules(folder, &reactor, modules)?;
        Ok(BuildLayout { tree: reactor.tree, root: reactor.root, modules })
    }

    fn listed_modules(&self, root: &Path) -> Vec<String> {
        reactor::listed_modules(root).iter().map(|module| module.to_string_lossy().into_owned()).collect()
    }

    /// A pom that lists none may leave it to Maven 4 to find them.
    fn has_module(&self, root: &Path, module: &Path) -> bool {
        let listed = reactor::listed_modules(root);
        let has_pom = || root.join(module).join("pom.xml").is_file();
        listed.contains(module) || root.join(module).is_file() || (listed.is_empty() && has_pom())
    }

    fn check_jdk(&self, wish: &JdkWish) -> miette::Result<()> {
        super::jdks().choose(wish).map(drop)
    }

    fn installed_tools(&self) -> Vec<String> {
        super::jdks().found.iter().map(|jdk| jdk.version.to_string()).collect()
    }

    fn machine_tools(&self, subjects: &[&Subject]) -> miette::Result<ToolFacts> {
        let asked = subjects.iter().find_map(|subject| subject.jdk.as_ref());
        let maven = subjects.iter().find_map(|subject| subject.maven.as_deref());
        let version = toolchain::tools_with(maven)?.toolchain(asked)?.maven_version;
        Ok(ToolFacts::from([("maven".to_owned(), version)]))
    }

    fn changed_tool(&self, tools: &ToolFacts) -> Option<(&'static str, String)> {
        let (version, home) = (tools.get("jdk")?, tools.get("java_home")?);
        let now = Jdk::at(Path::new(home)).map(|jdk| jdk.version.to_string());
        changed_jdk(version, home, now).map(|how| ("JDK", how))
    }

    /// That a tool is missing is said before anything is fetched.
    fn open(&self, request: &OpenRequest<'_>) -> miette::Result<Opened> {
        let subject = request.subject;
        let Chosen { outcome, why, attempts } = prepare(request)?;
        let attempts: Vec<(String, PathBuf)> =
            attempts.into_iter().map(|attempt| (format!("jdk-{}", attempt.jdk), attempt.log)).collect();
        Ok(match outcome {
            BuildOutcome::Ready(prepared) => {
                if request.purpose == OpenPurpose::Command {
                    subject::forget_others(&subject.name, &prepared.checkout.revision, request.home)?;
                }
                Opened::Ready(Box::new(MavenProject::new(*prepared, why, attempts, request)))
            }
            BuildOutcome::Failed { reason, log, .. } => {
                let reason = match request.purpose {
                    OpenPurpose::Command => with_own_paths(request, &reason),
                    OpenPurpose::Experiment => reason,
                };
                Opened::Failed(OpenFailure { reason, log, attempts })
            }
            BuildOutcome::Interrupted => Opened::Interrupted,
        })
    }

    fn change(&self, request: &ChangeRequest<'_>) -> miette::Result<Change> {
        let scope = changes::Scope { folders: request.folders.to_vec() };
        match request.new {
            Some(new) => changes::between(request.repository, request.old, new, request.coverage, &scope),
            None => changes::until_now(request.repository, request.old, request.coverage, &scope),
        }
    }

    fn adoption(&self, how: &Parallelism, cores: usize, facts: &AdoptionFacts) -> Adoption {
        adoption::adoption(how, cores, facts)
    }
}

fn changed_jdk(version: &str, home: &str, now: Result<String, String>) -> Option<String> {
    match now {
        Ok(now) if now == version => None,
        Ok(now) => Some(format!("{version} in {home} is now {now}")),
        Err(why) => Some(format!("{version} in {home} is gone: {why}")),
    }
}

/// Builds a subject on the JDK that it is to have.
pub fn prepare(request: &OpenRequest<'_>) -> miette::Result<Chosen> {
    let subject = request.subject;
    let tools = toolchain::tools_with(subject.maven.as_deref())?;
    let newest = tools.toolchain(subject.jdk.as_ref())?;
    let revision = match request.revision {
        Some(revision) => revision.to_owned(),
        None => subject::resolve(&subject.origin, request.home, request.progress, &|| request.interrupt.is_set())?,
    };
    let preparation = Preparation {
        subject,
        revision: &revision,
        toolchain: &newest,
        home: request.home,
        build_timeout: request.build_timeout,
        memory_bytes: request.memory_bytes,
        progress: request.progress,
        interrupt: request.interrupt,
        tag: request.tag,
        discovery: request.first_run,
    };
    choice::prepare(&preparation, &tools, request.earlier_tools.and_then(earlier_jdk))
}

/// The JDK that earlier trials had, if it is still there and the same.
fn earlier_jdk(tools: &ToolFacts) -> Option<Pin> {
    let jdk = Jdk::at(Path::new(tools.get("java_home")?)).ok()?;
    let is_same = tools.get("jdk").is_some_and(|version| jdk.version.to_string() == *version);
    let why = tools.get("jdk_choice").cloned().unwrap_or_else(|| "this run began with this JDK".to_owned());
    is_same.then_some(Pin { jdk, why })
}

/// A person looks for a mistake in the project, not in parade's copy of it. What the build wrote is only in the copy.
fn with_own_paths(request: &OpenRequest<'_>, reason: &str) -> String {
    let copies = request.home.worktrees();
    let copies = copies.canonicalize().unwrap_or(copies);
    let project = match &request.subject.origin {
        Origin::Folder { path } => Some(path.as_path()),
        Origin::Git { .. } | Origin::Model { .. } => None,
    };
    let is_own =
        |below: &Path| !maven::is_in_build_folder(below) && project.is_none_or(|project| project.join(below).exists());
    maven::with_own_paths(reason, &copies, project, &is_own)
}

/// A built subject with its engines.
struct MavenProject {
    prepared: Rc<Prepared>,
    /// Why it has this JDK.
    why_jdk: String,
    /// Logs of JDKs that did not build it.
    attempts: Vec<(String, PathBuf)>,
    /// That classes share processes here, though the build keeps them apart.
    shared: Option<Finding>,
    keeps_reports: bool,
    keeps_one_ready: bool,
    tag: String,
    interrupt: Interrupt,
}

impl MavenProject {
    fn new(
        mut prepared: Prepared,
        why_jdk: String,
        attempts: Vec<(String, PathBuf)>,
        request: &OpenRequest<'_>,
    ) -> Self {
        let shared = if request.shares_processes { prepared.share_processes() } else { None };
        MavenProject {
            prepared: Rc::new(prepared),
            why_jdk,
            attempts,
            shared,
            keeps_reports: request.keeps_reports,
            // Whoever lets classes meet runs small orders by the hundred.
            keeps_one_ready: request.shares_processes,
            tag: request.tag.to_owned(),
            interrupt: request.interrupt.clone(),
        }
    }
}

impl Project for MavenProject {
    fn revision(&self) -> &str {
        &self.prepared.checkout.revision
    }

    fn checkout(&self) -> Option<&Checkout> {
        Some(&self.prepared.checkout)
    }

    fn tools(&self) -> ToolFacts {
        let toolchain = &self.prepared.toolchain;
        let facts = [
            ("jdk", toolchain.java_version.clone()),
            ("java_home", toolchain.java_home.display().to_string()),
            ("jdk_choice", self.why_jdk.clone()),
            ("maven", toolchain.maven_version.clone()),
        ];
        facts.map(|(name, value)| (name.to_owned(), value)).into()
    }

    fn tools_in_words(&self) -> Vec<(&'static str, String)> {
        let toolchain = &self.prepared.toolchain;
        vec![
            ("JDK", format!("{} ({})", toolchain.java_version, self.why_jdk)),
            ("Maven", toolchain.maven()),
            ("build tool", format!("Maven {}", toolchain.maven_version)),
        ]
    }

    fn attempts(&self) -> &[(String, PathBuf)] {
        &self.attempts
    }

    fn frameworks(&self) -> Vec<String> {
        self.prepared.frameworks()
    }

    fn tests(&self) -> Vec<TestId> {
        self.prepared.discovery().tests.iter().map(|test| test.id.clone()).collect()
    }

    fn is_unexplored(&self) -> bool {
        self.prepared.discovery().is_pending()
    }

    fn is_order_unknown(&self) -> bool {
        self.prepared.discovery().scrambled
    }

    fn deviations(&self) -> Vec<Finding> {
        self.prepared.deviations()
    }

    fn notes(&self) -> Vec<Finding> {
        let mut notes = self.prepared.deviations();
        notes.extend(self.prepared.discovery().gaps());
        notes.extend(self.shared.clone());
        notes
    }

    fn process_groups(&self) -> Vec<usize> {
        self.prepared.discovery().process_groups()
    }

    fn declared_orders(&self) -> std::collections::HashSet<ClassId> {
        declared_order::declaring_classes(self.prepared.discovery())
    }

    fn parallel_settings(&self) -> Vec<String> {
        adoption::parallel_settings(&self.prepared)
    }

    fn adoption(&self) -> AdoptionFacts {
        adoption::facts(&self.prepared)
    }

    /// The modules that are run, or the whole build.
    fn source_folders(&self) -> Vec<PathBuf> {
        let subject = &self.prepared.subject;
        let Ok(root) = build_root(subject, &self.prepared.checkout) else { return Vec::new() };
        match subject.modules.as_slice() {
            [] => vec![root],
            modules => modules.iter().map(|module| root.join(module)).collect(),
        }
    }

    /// The worktree is of one revision; what else coverage depends on is in the name.
    fn coverage_file(&self) -> miette::Result<Option<PathBuf>> {
        let discovery = self.prepared.discovery();
        let mut key = self.prepared.memory.fingerprint("coverage");
        key.value("tests", &discovery.tests)?;
        key.value("suites", &discovery.suites)?;
        let name = format!("coverage-{}.json", key.digits(16));
        Ok(Some(self.prepared.checkout.root.with_file_name(name)))
    }

    fn generator_targets(&self) -> Vec<GeneratorTarget> {
        let joined = |paths: &[PathBuf]| {
            paths.iter().map(|path| path.to_string_lossy().into_owned()).collect::<Vec<_>>().join(":")
        };
        let prepared = &self.prepared;
        let plain = maven::environment(&prepared.toolchain, prepared.user.as_ref(), &prepared.subject.environment);
        let mut targets = Vec::new();
        for suite in &prepared.discovery().suites {
            let Some(launch) = &suite.launch else { continue };
            let mut environment = plain.clone();
            environment.insert("PARADE_CLASSPATH".to_owned(), joined(&launch.class_path));
            environment.insert("PARADE_CLASSES".to_owned(), joined(&launch.program));
            targets.push(GeneratorTarget { module: suite.module.clone(), environment, extension: "java" });
        }
        targets
    }

    fn user(&self) -> Option<&Account> {
        self.prepared.user.as_ref()
    }

    fn kept_reports(&self) -> KeptReports {
        self.prepared.kept_reports.borrow().clone()
    }

    fn session(&self, engine: EngineKind) -> miette::Result<Box<dyn Session>> {
        let (prepared, interrupt) = (Rc::clone(&self.prepared), self.interrupt.clone());
        Ok(match engine {
            EngineKind::Direct => {
                let mut session = DirectSession::open(prepared, self.tag.as_str(), interrupt)?;
                if self.keeps_one_ready {
                    session.keep_one_ready();
                }
                Box::new(session)
            }
            EngineKind::Surefire | EngineKind::Model | EngineKind::Pytest => {
                let mut session = SurefireSession::open(prepared, self.tag.as_str(), interrupt)?;
                if self.keeps_reports {
                    session.keep_reports();
                }
                Box::new(session)
            }
        })
    }
}

impl Prepared {
    /// A build that starts a process for every class hides what its classes do to each other. Whoever wants it to run faster has to
    /// know: here they share one.
    fn share_processes(&mut self) -> Option<Finding> {
        let launches = self.discovery_mut()?.suites.iter_mut().filter_map(|suite| suite.launch.as_mut());
        let mut apart = false;
        for launch in launches.filter(|launch| !launch.reuse_forks) {
            launch.reuse_forks = true;
            apart = true;
        }
        apart.then(|| {
            let text = "the build starts a new fork for every class (reuseForks=false), but here classes share a JVM: a \
                dependency between classes appears in the build only if it shares forks, too";
            Finding::new(FindingKind::Deviation, text)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use super::*;
    use crate::project::{self, Choice};

    const LIMIT: Duration = Duration::from_secs(60);

    fn locate_in(root: &Path, path: &str, choice: &Choice<'_>) -> Result<Subject, Refusal> {
        project::locate(&root.join(path).to_string_lossy(), choice, LIMIT)
    }

    fn modules() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let modules = "<project><modules><module>core</module><module>web</module></modules></project>";
        fs::create_dir_all(root.join("core")).unwrap();
        fs::create_dir_all(root.join("web")).unwrap();
        fs::write(root.join("pom.xml"), modules).unwrap();
        fs::write(root.join("core/pom.xml"), "<project/>").unwrap();
        fs::write(root.join("web/pom.xml"), "<project/>").unwrap();
        (folder, root)
    }

    #[test]
    fn one_module_is_run_in_its_whole_build() {
        project::register(&[&MavenPlatform]);
        let (_folder, root) = modules();
        for path in ["core", "core/pom.xml", "core/"] {
            let subject = locate_in(&root, path, &Choice::default()).unwrap();
            assert_eq!(subject.origin, Origin::Folder { path: root.clone() });
            assert_eq!((subject.name.as_str(), subject.modules.as_slice()), ("test-core", &["core".to_owned()][..]));
        }
        let whole = locate_in(&root, "", &Choice::default()).unwrap();
        assert_eq!((whole.modules.len(), whole.directory), (0, None));
        let names = ["web".to_owned(), ":core".to_owned()];
        let some = locate_in(&root, "", &Choice { modules: &names, ..Choice::default() }).unwrap();
        assert_eq!(some.modules, names);
        let wrong = ["../core".to_owned()];
        let refused = locate_in(&root, "", &Choice { modules: &wrong, ..Choice::default() });
        assert!(refused.unwrap_err().message.contains("`../core`"));
    }

    #[test]
    fn a_jdk_that_is_gone_or_replaced_is_a_change() {
        let changed = |now: Result<&str, &str>| {
            changed_jdk("17.0.2", "/opt/jdk", now.map(str::to_owned).map_err(str::to_owned)).unwrap_or_default()
        };
        assert_eq!(changed(Ok("17.0.2")), "");
        assert_eq!(changed(Ok("17.0.9")), "17.0.2 in /opt/jdk is now 17.0.9");
        assert_eq!(changed(Err("no")), "17.0.2 in /opt/jdk is gone: no");
        assert_eq!(MavenPlatform.changed_tool(&ToolFacts::new()), None, "a model has no JDK");
    }
}
