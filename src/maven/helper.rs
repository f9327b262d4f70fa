//! The JVM helper: Java sources that travel in this binary, built once per content by the user's own Maven.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use miette::miette;
use sha2::{Digest, Sha256};

use super::decisive_lines;
use crate::home::Home;
use crate::process::{self, Cause, Exit, Interrupt};
use crate::subject::{Toolchain, jdks};
use crate::wording::hex;

const BUILD_LIMIT: Duration = Duration::from_secs(15 * 60);

macro_rules! sources {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../../jvm/", $path)))),*]
    };
}

const SOURCES: &[(&str, &str)] = sources![
    "pom.xml",
    "src/main/resources/META-INF/services/org.junit.platform.launcher.TestExecutionListener",
    "src/main/resources/META-INF/sisu/javax.inject.Named",
    "src/main/java/parade/Background.java",
    "src/main/java/parade/Line.java",
    "src/main/java/parade/agent/Enlarged.java",
    "src/main/java/parade/agent/Initialisers.java",
    "src/main/java/parade/agent/Mutability.java",
    "src/main/java/parade/agent/Outside.java",
    "src/main/java/parade/agent/Premain.java",
    "src/main/java/parade/agent/Shared.java",
    "src/main/java/parade/agent/Touched.java",
    "src/main/java/parade/direct/AccessLog.java",
    "src/main/java/parade/cover/Analysis.java",
    "src/main/java/parade/cover/Method.java",
    "src/main/java/parade/cover/Probes.java",
    "src/main/java/parade/cover/ProgramClass.java",
    "src/main/java/parade/cover/Ranges.java",
    "src/main/java/parade/direct/ClassTemplates.java",
    "src/main/java/parade/direct/ControlReader.java",
    "src/main/java/parade/direct/Crew.java",
    "src/main/java/parade/direct/CrewScheduler.java",
    "src/main/java/parade/direct/Events.java",
    "src/main/java/parade/direct/FolderLoader.java",
    "src/main/java/parade/direct/Framework.java",
    "src/main/java/parade/direct/Frameworks.java",
    "src/main/java/parade/direct/Inside.java",
    "src/main/java/parade/direct/JUnit3Framework.java",
    "src/main/java/parade/direct/JUnit3Nodes.java",
    "src/main/java/parade/direct/JUnit4Choice.java",
    "src/main/java/parade/direct/JUnit4Framework.java",
    "src/main/java/parade/direct/JUnit4Nodes.java",
    "src/main/java/parade/direct/JupiterSelection.java",
    "src/main/java/parade/direct/JvmState.java",
    "src/main/java/parade/direct/Leaf.java",
    "src/main/java/parade/direct/Main.java",
    "src/main/java/parade/direct/Node.java",
    "src/main/java/parade/direct/Order.java",
    "src/main/java/parade/direct/PlatformFramework.java",
    "src/main/java/parade/direct/PlatformLauncher.java",
    "src/main/java/parade/direct/PlatformRequest.java",
    "src/main/java/parade/direct/PlatformRoot.java",
    "src/main/java/parade/direct/PlatformTest.java",
    "src/main/java/parade/direct/PlatformWhole.java",
    "src/main/java/parade/direct/Schedule.java",
    "src/main/java/parade/direct/Segment.java",
    "src/main/java/parade/direct/Session.java",
    "src/main/java/parade/direct/TestNgAnswers.java",
    "src/main/java/parade/direct/TestNgDependencies.java",
    "src/main/java/parade/direct/TestNgEntangled.java",
    "src/main/java/parade/direct/TestNgFramework.java",
    "src/main/java/parade/direct/TestNgListing.java",
    "src/main/java/parade/direct/TestNgPass.java",
    "src/main/java/parade/direct/TestNgSelection.java",
    "src/main/java/parade/direct/Tracer.java",
    "src/main/java/parade/direct/Tree.java",
    "src/main/java/parade/direct/TreeFramework.java",
    "src/main/java/parade/direct/Wanted.java",
    "src/main/java/parade/direct/WarmOrder.java",
    "src/main/java/parade/direct/Watchdog.java",
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
    "src/main/java/parade/maven/LateChanges.java",
    "src/main/java/parade/maven/Modules.java",
    "src/main/java/parade/maven/PlatformParallelism.java",
    "src/main/java/parade/maven/ProjectChanges.java",
    "src/main/java/parade/maven/Providers.java",
    "src/main/java/parade/maven/Reveal.java",
    "src/main/java/parade/maven/Settings.java",
    "src/main/java/parade/maven/Steering.java",
    "src/main/java/parade/maven/SurefirePin.java",
    "src/main/java/parade/maven/TestGoals.java",
    "src/main/java/parade/weave/Calls.java",
    "src/main/java/parade/weave/Containers.java",
    "src/main/java/parade/weave/Fields.java",
    "src/main/java/parade/weave/Limits.java",
    "src/main/java/parade/weave/MethodWeaver.java",
    "src/main/java/parade/weave/Scope.java",
    "src/main/java/parade/weave/Weaver.java",
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
        if folder.is_dir() {
            return Ok(helper);
        }
        let parent = home.jvm_helper();
        std::fs::create_dir_all(&parent).map_err(|error| miette!("{}: {error}", parent.display()))?;
        let lock = parent.join(format!("{hash}.lock"));
        let lock = File::create(&lock).map_err(|error| miette!("{}: {error}", lock.display()))?;
        lock.lock().map_err(|error| miette!("{} cannot be locked: {error}", parent.display()))?;
        if !folder.is_dir() {
            build(home, toolchain, tag, interrupt, &folder)?;
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
    let broken = |error: std::io::Error| miette!("the JVM helper cannot be built in {}: {error}", parent.display());
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
    let mut repository = std::ffi::OsString::from("-Dmaven.repo.local=");
    repository.push(home.maven_repository());
    let ended = process::run(
        &process::Command {
            program: toolchain.mvn.clone(),
            args: vec!["-B".into(), repository, "package".into()],
            dir: work.join("sources"),
            environment: super::invocation::environment(&toolchain, None),
            output: log.clone(),
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
            help = format!(
                "it is built once, and Maven needs the network for that; the whole log is in {}",
                log.display()
            ),
            "the JVM helper could not be built with {}: {}",
            toolchain.mvn.display(),
            decisive_lines(&log).join("; ")
        )),
    }
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

    #[test]
    fn every_source_file_travels_in_the_binary() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("jvm");
        let mut found = Vec::new();
        collect(&root, &root, &mut found);
        let mut embedded: Vec<String> = SOURCES.iter().map(|(path, _)| (*path).to_owned()).collect();
        found.sort();
        embedded.sort();
        assert_eq!(embedded, found);
    }

    fn collect(root: &Path, folder: &Path, found: &mut Vec<String>) {
        for entry in folder.read_dir().unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                if !path.ends_with("target") {
                    collect(root, &path, found);
                }
            } else {
                found.push(path.strip_prefix(root).unwrap().to_string_lossy().into_owned());
            }
        }
    }
}
