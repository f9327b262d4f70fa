//! The JVM helper: Java sources that travel in this binary, built once per content by the user's own Maven.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use miette::miette;
use sha2::{Digest, Sha256};

use super::base_folder::check_above;
use super::decisive_lines;
use crate::file_error::file_error;
use crate::home::Home;
use crate::process::{self, Cause, Exit, Interrupt};
use crate::toolchain::BASE_VARIABLE;
use crate::wording::hex;
use crate::{SealedRepository, Toolchain, jdks};

const BUILD_LIMIT: Duration = Duration::from_secs(15 * 60);

macro_rules! sources {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../../../jvm/", $path)))),*]
    };
}

const SOURCES: &[(&str, &str)] = sources![
    "pom.xml",
    "src/main/resources/META-INF/services/org.junit.platform.launcher.TestExecutionListener",
    "src/main/resources/META-INF/sisu/javax.inject.Named",
    "src/main/java/parade/Background.java",
    "src/main/java/parade/Line.java",
    "src/main/java/parade/LineKind.java",
    "src/main/java/parade/Seal.java",
    "src/main/java/parade/agent/Enlarged.java",
    "src/main/java/parade/agent/Initialisers.java",
    "src/main/java/parade/agent/Mutability.java",
    "src/main/java/parade/agent/Outside.java",
    "src/main/java/parade/agent/Premain.java",
    "src/main/java/parade/agent/Shared.java",
    "src/main/java/parade/agent/Touched.java",
    "src/main/java/parade/cover/Analysis.java",
    "src/main/java/parade/cover/AnswerLines.java",
    "src/main/java/parade/cover/Method.java",
    "src/main/java/parade/cover/Probes.java",
    "src/main/java/parade/cover/ProgramClass.java",
    "src/main/java/parade/cover/QuestionKind.java",
    "src/main/java/parade/cover/Ranges.java",
    "src/main/java/parade/direct/AccessLog.java",
    "src/main/java/parade/direct/ControlKind.java",
    "src/main/java/parade/direct/ControlReader.java",
    "src/main/java/parade/direct/FolderLoader.java",
    "src/main/java/parade/direct/Frameworks.java",
    "src/main/java/parade/direct/JvmState.java",
    "src/main/java/parade/direct/Main.java",
    "src/main/java/parade/direct/Order.java",
    "src/main/java/parade/direct/Schedule.java",
    "src/main/java/parade/direct/Session.java",
    "src/main/java/parade/direct/Tracer.java",
    "src/main/java/parade/direct/WarmOrder.java",
    "src/main/java/parade/direct/Watchdog.java",
    "src/main/java/parade/direct/core/Events.java",
    "src/main/java/parade/direct/core/Framework.java",
    "src/main/java/parade/direct/core/Inside.java",
    "src/main/java/parade/direct/core/TestThreads.java",
    "src/main/java/parade/direct/core/Wanted.java",
    "src/main/java/parade/direct/junit3/JUnit3Framework.java",
    "src/main/java/parade/direct/junit3/JUnit3Nodes.java",
    "src/main/java/parade/direct/junit4/JUnit4Choice.java",
    "src/main/java/parade/direct/junit4/JUnit4Framework.java",
    "src/main/java/parade/direct/junit4/JUnit4Nodes.java",
    "src/main/java/parade/direct/junit4/ThreadScheduler.java",
    "src/main/java/parade/direct/platform/ClassTemplates.java",
    "src/main/java/parade/direct/platform/JupiterSelection.java",
    "src/main/java/parade/direct/platform/PlatformFramework.java",
    "src/main/java/parade/direct/platform/PlatformLauncher.java",
    "src/main/java/parade/direct/platform/PlatformRequest.java",
    "src/main/java/parade/direct/platform/PlatformRoot.java",
    "src/main/java/parade/direct/platform/PlatformTest.java",
    "src/main/java/parade/direct/platform/PlatformWhole.java",
    "src/main/java/parade/direct/testng/TestNgAnswers.java",
    "src/main/java/parade/direct/testng/TestNgDependencies.java",
    "src/main/java/parade/direct/testng/TestNgEntangled.java",
    "src/main/java/parade/direct/testng/TestNgFramework.java",
    "src/main/java/parade/direct/testng/TestNgListing.java",
    "src/main/java/parade/direct/testng/TestNgPass.java",
    "src/main/java/parade/direct/testng/TestNgSelection.java",
    "src/main/java/parade/direct/tree/Leaf.java",
    "src/main/java/parade/direct/tree/Node.java",
    "src/main/java/parade/direct/tree/Segment.java",
    "src/main/java/parade/direct/tree/Tree.java",
    "src/main/java/parade/direct/tree/TreeFramework.java",
    "src/main/java/parade/listen/EventFile.java",
    "src/main/java/parade/listen/EventLines.java",
    "src/main/java/parade/listen/EventLog.java",
    "src/main/java/parade/listen/JUnit4AndTestNgListener.java",
    "src/main/java/parade/listen/JUnit4Listener.java",
    "src/main/java/parade/listen/JUnit4Name.java",
    "src/main/java/parade/listen/JupiterName.java",
    "src/main/java/parade/listen/Occurrences.java",
    "src/main/java/parade/listen/Outcome.java",
    "src/main/java/parade/listen/PlatformListener.java",
    "src/main/java/parade/listen/Reporting.java",
    "src/main/java/parade/listen/Running.java",
    "src/main/java/parade/listen/TestCase.java",
    "src/main/java/parade/listen/TestNgFixtureListener.java",
    "src/main/java/parade/listen/TestNgListener.java",
    "src/main/java/parade/listen/TestNgReport.java",
    "src/main/java/parade/listen/UniqueIdSegments.java",
    "src/main/java/parade/maven/Calls.java",
    "src/main/java/parade/maven/CompilerLevel.java",
    "src/main/java/parade/maven/Configuration.java",
    "src/main/java/parade/maven/Fields.java",
    "src/main/java/parade/maven/Frameworks.java",
    "src/main/java/parade/maven/Handshake.java",
    "src/main/java/parade/maven/HandshakeLines.java",
    "src/main/java/parade/maven/LateChanges.java",
    "src/main/java/parade/maven/Modules.java",
    "src/main/java/parade/maven/PlatformParallelism.java",
    "src/main/java/parade/maven/ProjectChanges.java",
    "src/main/java/parade/maven/Providers.java",
    "src/main/java/parade/maven/Reveal.java",
    "src/main/java/parade/maven/SettingKey.java",
    "src/main/java/parade/maven/Settings.java",
    "src/main/java/parade/maven/Steering.java",
    "src/main/java/parade/maven/SurefireCounts.java",
    "src/main/java/parade/maven/SurefirePin.java",
    "src/main/java/parade/maven/TestGoals.java",
    "src/main/java/parade/weave/AgentMethod.java",
    "src/main/java/parade/weave/Containers.java",
    "src/main/java/parade/weave/Fields.java",
    "src/main/java/parade/weave/InitialiserObserver.java",
    "src/main/java/parade/weave/Limits.java",
    "src/main/java/parade/weave/Observer.java",
    "src/main/java/parade/weave/OutsideCall.java",
    "src/main/java/parade/weave/OutsideObserver.java",
    "src/main/java/parade/weave/Scope.java",
    "src/main/java/parade/weave/StaticFieldObserver.java",
    "src/main/java/parade/weave/Weaver.java",
    "src/main/java/parade/weave/WovenMethod.java",
];

/// The agent's own manifest names it.
const AGENT: &str = "parade-agent.jar";
const WEAVER: &str = "parade-weaver.jar";
/// Other people's jars that `pom.xml` lays beside ours. They are on no class path unless somebody puts them there.
const JACOCO_AGENT: &str = "org.jacoco.agent-runtime.jar";
const JACOCO_CORE: &str = "org.jacoco.core.jar";
const ASM: [&str; 3] = ["asm.jar", "asm-commons.jar", "asm-tree.jar"];

/// The jars of the helper, ready to use, with their companions in the same folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Helper {
    /// Goes on Maven's own class path.
    pub extension: PathBuf,
    /// Goes on the class path of the subject's tests.
    pub listeners: PathBuf,
    /// Of the sources.
    pub hash: String,
}

impl Helper {
    /// The helper in parade's cache folder, built there if this version of it is not yet.
    /// `tag` begins the mark of the processes that build it.
    pub fn obtain(home: &Home, toolchain: &Toolchain, tag: &str, interrupt: &Interrupt) -> miette::Result<Helper> {
        let hash = content_hash();
        let folder = home.jvm_helper().join(&hash);
        let helper = Helper {
            extension: folder.join("parade-maven.jar"),
            listeners: folder.join("parade-jvm.jar"),
            hash: hash.clone(),
        };
        let sealed = SealedRepository::of_helper(home, &hash);
        if folder.is_dir() {
            sealed.verify_or_seal()?;
            return Ok(helper);
        }
        let parent = home.jvm_helper();
        std::fs::create_dir_all(&parent).map_err(|error| file_error(format_args!("{}", parent.display()), &error))?;
        let lock = parent.join(format!("{hash}.lock"));
        let lock = File::create(&lock).map_err(|error| file_error(format_args!("{}", lock.display()), &error))?;
        lock.lock().map_err(|error| file_error(format_args!("{} cannot be locked", parent.display()), &error))?;
        if !folder.is_dir() {
            build(home, toolchain, tag, interrupt, &folder)?;
            SealedRepository::of_parade(home).seal()?;
            sealed.seal()?;
        }
        Ok(helper)
    }

    /// For `-javaagent`: records what is executed. It shades what it needs.
    pub fn jacoco_agent(&self) -> PathBuf {
        self.companion(JACOCO_AGENT)
    }

    /// Reads class files, with what it needs for that itself.
    pub fn asm(&self) -> Vec<PathBuf> {
        ASM.iter().map(|name| self.companion(name)).collect()
    }

    /// Makes lines of what the agent records; needs [`Helper::asm`] too.
    pub fn jacoco_core(&self) -> PathBuf {
        self.companion(JACOCO_CORE)
    }

    /// For `-javaagent`: sees what tests share, with [`Helper::weaver`] in its options. Is on the bootstrap class path then.
    pub fn agent(&self) -> PathBuf {
        self.companion(AGENT)
    }

    /// What the agent loads apart from everything else.
    pub fn weaver(&self) -> Vec<PathBuf> {
        std::iter::once(self.companion(WEAVER)).chain(self.asm()).collect()
    }

    fn companion(&self, name: &str) -> PathBuf {
        self.listeners.with_file_name(name)
    }
}

fn build(home: &Home, toolchain: &Toolchain, tag: &str, interrupt: &Interrupt, folder: &Path) -> miette::Result<()> {
    let parent = home.jvm_helper();
    let broken = |error: std::io::Error| {
        file_error(format_args!("the JVM helper cannot be built in {}", parent.display()), &error)
    };
    let work = tempfile::Builder::new().prefix("build-").tempdir_in(&parent).map_err(broken)?;
    for (path, content) in SOURCES {
        let path = work.path().join("sources").join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(&path)).map_err(broken)?;
        std::fs::write(&path, content).map_err(broken)?;
    }
    package(home, toolchain, tag, interrupt, work.path())?;

    let jars = work.path().join("jars");
    std::fs::create_dir(&jars).map_err(broken)?;
    let target = work.path().join("sources/target");
    let ours = [
        ("parade-jvm-1.jar", "parade-jvm.jar"),
        ("parade-jvm-1-extension.jar", "parade-maven.jar"),
        ("parade-jvm-1-agent.jar", AGENT),
        ("parade-jvm-1-weaver.jar", WEAVER),
    ];
    let ours = ours.map(|(from, to)| (target.join(from), to));
    let companions = [JACOCO_AGENT, JACOCO_CORE].into_iter().chain(ASM);
    let companions = companions.map(|name| (target.join("companions").join(name), name));
    for (from, to) in ours.into_iter().chain(companions) {
        std::fs::copy(from, jars.join(to)).map_err(broken)?;
        File::open(jars.join(to)).and_then(|jar| jar.sync_all()).map_err(broken)?;
    }
    std::fs::rename(&jars, folder).map_err(broken)
}

fn package(home: &Home, toolchain: &Toolchain, tag: &str, interrupt: &Interrupt, work: &Path) -> miette::Result<()> {
    let toolchain = for_level_8(toolchain);
    let log = home.jvm_helper().join("build.log");
    let sources = work.join("sources");
    // Others may write above.
    check_above(&sources, &toolchain.maven_version)?;
    let mut repository = std::ffi::OsString::from("-Dmaven.repo.local=");
    repository.push(home.maven_repository());
    let ended = process::run(
        &process::Command {
            program: toolchain.mvn.clone(),
            args: vec!["-B".into(), repository, "package".into()],
            environment: build_environment(&toolchain, &sources),
            dir: sources,
            output: log.clone().into(),
            output_limit: 16 << 20,
            cores: None,
            memory_bytes: None,
            time_limit: BUILD_LIMIT,
            grace: Duration::from_secs(5),
            tag: format!("{tag}-helper-{}", std::process::id()),
            user: None,
        },
        interrupt,
    )?;
    match (ended.cause, ended.exit) {
        (Cause::Exited, Exit::Code(0)) => Ok(()),
        (Cause::Interrupted, _) => Err(miette!("interrupted while the JVM helper was being built")),
        _ => Err(miette!(
            help = format!("it is built once, and Maven needs network access for that; the log is {}", log.display()),
            "the JVM helper could not be built with {}: {}",
            toolchain.mvn.display(),
            decisive_lines(&log).join("; ")
        )),
    }
}

fn build_environment(toolchain: &Toolchain, sources: &Path) -> BTreeMap<String, String> {
    let mut environment = super::invocation::environment(toolchain, None, &BTreeMap::new());
    environment.insert(BASE_VARIABLE.to_owned(), sources.to_string_lossy().into_owned());
    environment
}

/// The same compiler whatever JDK the first subject has: one that takes level 8 without giving notice.
fn for_level_8(toolchain: &Toolchain) -> Toolchain {
    match jdks().oldest_modern() {
        Some(jdk) => Toolchain {
            java_home: jdk.home.clone(),
            java_version: jdk.version.to_string(),
            java_major: jdk.major(),
            ..toolchain.clone()
        },
        None => toolchain.clone(),
    }
}

fn content_hash() -> String {
    let mut hash = Sha256::new();
    for (path, content) in SOURCES {
        hash.update(path.as_bytes());
        hash.update([0]);
        hash.update(content.as_bytes());
        hash.update([0]);
    }
    hex(&hash.finalize()[..8])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Subjects begin with what the helper's build has fetched: it has to be the Surefire that they run with.
    #[test]
    fn the_helper_fetches_the_surefire_that_subjects_get() {
        let pom = SOURCES.iter().find(|(path, _)| *path == "pom.xml").map(|(_, text)| *text).unwrap_or_default();
        let (_, surefire) = pom.split_once("maven-surefire-plugin").expect("it names the plugin");
        let (surefire, _) = surefire.split_once("</plugin>").expect("the plugin ends");
        let version = format!("<version>{}</version>", super::super::SUREFIRE_VERSION);
        assert_eq!(surefire.matches("<version>").count(), 6);
        assert_eq!(surefire.matches(&version).count(), 6, "{surefire}");
    }

    #[test]
    fn the_helpers_build_obeys_nothing_above_its_sources() {
        let toolchain = Toolchain {
            java_home: "/jdk".into(),
            java_version: "17.0.1".into(),
            java_major: 17,
            mvn: "/mvn".into(),
            maven_version: "3.8.7".into(),
            maven_origin: crate::MavenOrigin::Path,
        };
        let environment = build_environment(&toolchain, Path::new("/c/jvm/build-1/sources"));
        assert_eq!(environment["MAVEN_BASEDIR"], "/c/jvm/build-1/sources");
        assert_eq!(environment["MAVEN_SKIP_RC"], "true");
    }

    #[test]
    fn every_source_file_travels_in_the_binary() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../jvm");
        let mut found = vec!["pom.xml".to_owned()];
        collect(&root, &root.join("src/main"), &mut found);
        let mut embedded: Vec<String> = SOURCES.iter().map(|(path, _)| (*path).to_owned()).collect();
        found.sort();
        embedded.sort();
        assert_eq!(embedded, found);
    }

    fn collect(root: &Path, folder: &Path, found: &mut Vec<String>) {
        for entry in folder.read_dir().unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(root, &path, found);
            } else {
                found.push(path.strip_prefix(root).unwrap().to_string_lossy().into_owned());
            }
        }
    }
}
