//! The Maven that a project asks for by its wrapper (`mvnw`, `.mvn/wrapper/maven-wrapper.properties`).
//!
//! A distribution that is on this machine is started directly, by its own `bin/mvn`. The project's script is started for one
//! thing only: to download the distribution. Nothing here builds.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::toolchain::is_program;
use crate::process::{self, Cause, Command, Exit, Interrupt};
use crate::toolchain::BASE_VARIABLE;
use crate::whole_file;

const PROPERTIES: &str = ".mvn/wrapper/maven-wrapper.properties";
/// For the script to fetch some ten megabytes.
const DOWNLOAD_LIMIT: Duration = Duration::from_secs(180);
/// What the script reads about mirrors and who may read them.
const MIRROR_VARIABLES: [&str; 3] = ["MVNW_REPOURL", "MVNW_USERNAME", "MVNW_PASSWORD"];

/// A project's wish for a Maven.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MavenWrapper {
    /// Where the script and `.mvn` are.
    folder: PathBuf,
    url: String,
    /// Such as `apache-maven-3.9.9`.
    distribution: String,
}

impl MavenWrapper {
    /// The wrapper of a build: in its root or above it, but not above the project.
    pub fn of_build(build_root: &Path, project: &Path) -> Option<MavenWrapper> {
        let folders = build_root.ancestors().take_while(|folder| folder.starts_with(project));
        let found = folders.into_iter().find(|folder| folder.join(PROPERTIES).is_file())?;
        // A link that leads out of the project is not the project's wish.
        let (properties, project) = (found.join(PROPERTIES).canonicalize().ok()?, project.canonicalize().ok()?);
        if !properties.starts_with(project) {
            return None;
        }
        Self::parse(found, &whole_file::read(&found.join(PROPERTIES)).ok()?)
    }

    fn parse(folder: &Path, properties: &str) -> Option<MavenWrapper> {
        let url = properties.lines().find_map(|line| {
            let (key, value) = line.trim().split_once(['=', ':'])?;
            (key.trim() == "distributionUrl").then(|| value.trim().replace("\\:", ":"))
        })?;
        let file = url.rsplit('/').next().unwrap_or_default();
        let stem = file.strip_suffix(".zip").or_else(|| file.strip_suffix(".tar.gz"))?;
        let distribution = stem.strip_suffix("-bin").unwrap_or(stem).to_owned();
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        // A name that could lead elsewhere, and Maven's daemon, which is another program.
        if !distribution.starts_with("apache-maven-") || !distribution.chars().all(plain) {
            return None;
        }
        Some(MavenWrapper { folder: folder.to_owned(), url, distribution })
    }

    /// As people say it, such as `Maven 3.9.9`.
    pub fn wanted(&self) -> String {
        self.distribution.replacen("apache-maven-", "Maven ", 1)
    }

    /// Its `bin/mvn` below one of these folders, where the wrapper has downloaded it before.
    pub fn installed(&self, stores: &[PathBuf]) -> Option<PathBuf> {
        stores.iter().find_map(|store| self.installed_in(store))
    }

    /// The script names a folder by the address that it was downloaded from, the older Java wrapper by a hash of it.
    fn installed_in(&self, store: &Path) -> Option<PathBuf> {
        let exact = store.join(&self.distribution).join(script_hash(&self.url));
        let mut homes = vec![exact];
        for name in [self.distribution.clone(), format!("{}-bin", self.distribution)] {
            let below = folders_in(&store.join(name));
            homes.extend(below.iter().map(|folder| folder.join(&self.distribution)));
            homes.extend(below);
        }
        homes.into_iter().map(|home| home.join("bin/mvn")).find(|mvn| is_program(mvn))
    }

    /// Has the project's script download the distribution into parade's cache.
    pub fn download(&self, store: &Path, java_home: &Path, interrupt: &Interrupt) -> Result<PathBuf, String> {
        let script = self.folder.join("mvnw");
        if !script.is_file() {
            return Err("the project has no mvnw script that could download it".to_owned());
        }
        fs::create_dir_all(store).map_err(|error| format!("{}: {error}", store.display()))?;
        let log = store.join("download.log");
        let ended = process::run(&self.download_command(&script, store, &log, java_home), interrupt)
            .map_err(|error| error.to_string())?;
        if let Some(mvn) = self.installed_in(&store.join("wrapper/dists")) {
            return Ok(mvn);
        }
        let last = whole_file::read(&log).unwrap_or_default();
        let last = last.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().to_owned();
        Err(match (ended.cause, ended.exit) {
            (Cause::TimedOut, _) => format!("mvnw had not downloaded it after {} s", DOWNLOAD_LIMIT.as_secs()),
            (_, Exit::Code(code)) => format!("mvnw ended with exit code {code}: {last}"),
            (_, Exit::Signal(signal)) => format!("mvnw was ended by signal {signal}"),
        })
    }

    /// Not every checkout keeps the permission to execute, so the script is handed to the shell that its first line names.
    fn download_command(&self, script: &Path, store: &Path, log: &Path, java_home: &Path) -> Command {
        let mut environment: BTreeMap<String, String> = process::base_environment();
        environment.insert("JAVA_HOME".to_owned(), java_home.to_string_lossy().into_owned());
        environment.insert("MAVEN_USER_HOME".to_owned(), store.to_string_lossy().into_owned());
        // The script hands over to the Maven that it has downloaded.
        environment.insert(BASE_VARIABLE.to_owned(), self.folder.to_string_lossy().into_owned());
        environment.insert("MAVEN_SKIP_RC".to_owned(), "true".to_owned());
        for name in MIRROR_VARIABLES {
            environment.extend(std::env::var(name).ok().map(|value| (name.to_owned(), value)));
        }
        Command {
            program: "/bin/sh".into(),
            args: vec![script.into(), "--version".into()],
            dir: self.folder.clone(),
            environment,
            output: log.to_owned().into(),
            output_limit: 1 << 20,
            cores: None,
            memory_bytes: None,
            time_limit: DOWNLOAD_LIMIT,
            grace: Duration::from_secs(5),
            tag: format!("maven-wrapper-{}", std::process::id()),
            user: None,
        }
    }
}

/// Where wrappers keep what they downloaded: their users' folder, and parade's.
pub fn distribution_stores(store: &Path) -> Vec<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let own = set("MAVEN_USER_HOME").or_else(|| set("HOME").map(|home| home.join(".m2")));
    own.into_iter().chain([store.to_owned()]).map(|folder| folder.join("wrapper/dists")).collect()
}

/// As `mvnw` hashes an address: that of Java's strings, in hexadecimal digits.
fn script_hash(url: &str) -> String {
    let hash = url.chars().fold(0_u32, |hash, c| hash.wrapping_mul(31).wrapping_add(u32::from(c)));
    format!("{hash:x}")
}

fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    const URL: &str =
        "https://repo.maven.apache.org/maven2/org/apache/maven/apache-maven/3.9.9/apache-maven-3.9.9-bin.zip";

    fn project(text: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join(".mvn/wrapper")).unwrap();
        fs::write(folder.path().join(PROPERTIES), text).unwrap();
        fs::create_dir_all(folder.path().join("core")).unwrap();
        folder
    }

    fn install(home: &Path) -> PathBuf {
        let mvn = home.join("bin/mvn");
        fs::create_dir_all(mvn.parent().unwrap()).unwrap();
        fs::write(&mvn, "").unwrap();
        fs::set_permissions(&mvn, fs::Permissions::from_mode(0o755)).unwrap();
        mvn
    }

    #[test]
    fn a_wrapper_above_the_build_says_which_maven() {
        let project = project(&format!("wrapperVersion=3.3.2\ndistributionUrl={}\n", URL.replace(':', "\\:")));
        let wrapper = MavenWrapper::of_build(&project.path().join("core"), project.path()).unwrap();
        assert_eq!((wrapper.wanted().as_str(), wrapper.url.as_str()), ("Maven 3.9.9", URL));
        assert_eq!(MavenWrapper::of_build(&project.path().join("core"), &project.path().join("core")), None);
    }

    #[test]
    fn a_wrapper_outside_of_the_project_says_nothing() {
        let (other, project) = (project(&format!("distributionUrl={URL}\n")), tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink(other.path().join(".mvn"), project.path().join(".mvn")).unwrap();
        assert_eq!(MavenWrapper::of_build(project.path(), project.path()), None);
    }

    #[test]
    fn the_script_and_its_maven_look_for_nothing_above_the_project() {
        let project = project(&format!("distributionUrl={URL}\n"));
        let wrapper = MavenWrapper::of_build(project.path(), project.path()).unwrap();
        let somewhere = Path::new("/x");
        let environment = wrapper.download_command(somewhere, somewhere, somewhere, somewhere).environment;
        assert_eq!(Path::new(&environment["MAVEN_BASEDIR"]), project.path());
        assert_eq!(environment["MAVEN_SKIP_RC"], "true");
    }

    #[test]
    fn a_wrapper_that_names_no_maven_is_none() {
        for text in ["", "distributionUrl=x", "distributionUrl=https://h/maven-mvnd-1.0.2-linux-amd64.zip"] {
            let project = project(text);
            assert_eq!(MavenWrapper::of_build(project.path(), project.path()), None, "{text}");
        }
        let outside = project("distributionUrl=https://h/apache-maven-..%2f..-bin.zip");
        assert_eq!(MavenWrapper::of_build(outside.path(), outside.path()), None);
    }

    #[test]
    fn distributions_of_both_kinds_of_wrapper_are_found() {
        let project = project(&format!("distributionUrl={URL}\n"));
        let wrapper = MavenWrapper::of_build(project.path(), project.path()).unwrap();
        let store = tempfile::tempdir().unwrap();
        let stores = [store.path().to_owned()];
        assert_eq!(wrapper.installed(&stores), None);
        let by_java = install(&store.path().join("apache-maven-3.9.9-bin/33b4b2b4/apache-maven-3.9.9"));
        assert_eq!(wrapper.installed(&stores), Some(by_java));
        install(&store.path().join("apache-maven-3.9.9/0"));
        let by_script = install(&store.path().join("apache-maven-3.9.9").join(script_hash(URL)));
        assert_eq!(wrapper.installed(&stores), Some(by_script), "the one of this address comes first");
        assert_eq!(script_hash("apache"), "abddf54e");
    }

    #[test]
    fn what_the_script_downloads_is_found_and_what_it_says_is_told() {
        let project = project(&format!("distributionUrl={URL}\n"));
        let wrapper = MavenWrapper::of_build(project.path(), project.path()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let fetch = || wrapper.download(folder.path(), Path::new("/jdk"), &Interrupt::new());
        assert!(fetch().unwrap_err().contains("no mvnw"));
        fs::write(project.path().join("mvnw"), "#!/bin/sh\necho no route to host\nexit 3\n").unwrap();
        assert_eq!(fetch().unwrap_err(), "mvnw ended with exit code 3: no route to host");
        let script = format!(
            "d=\"$MAVEN_USER_HOME/wrapper/dists/apache-maven-3.9.9/{}/bin\"; mkdir -p \"$d\"; : > \"$d/mvn\"; chmod +x \"$d/mvn\"\n",
            script_hash(URL)
        );
        fs::write(project.path().join("mvnw"), script).unwrap();
        assert!(fetch().unwrap().starts_with(folder.path()));
    }
}
