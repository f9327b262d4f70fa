//! The Maven of this machine and one of its JDKs, and what to install where one is missing.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use miette::{Result, miette};

use super::jdks::{Jdk, Jdks, jdks};
use crate::process;
use crate::spec::JdkWish;

/// The start script walks only where this is not set.
pub const BASE_VARIABLE: &str = "MAVEN_BASEDIR";
/// For Maven to start and say its version, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The JDK and the Maven that a subject is built and run with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toolchain {
    pub java_home: PathBuf,
    pub java_version: String,
    pub java_major: u32,
    pub mvn: PathBuf,
    pub maven_version: String,
    pub maven_origin: MavenOrigin,
}

/// Who chose the Maven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MavenOrigin {
    /// `--maven`, or the subject's own setting.
    Asked,
    /// `MAVEN_HOME` or `M2_HOME`.
    Environment,
    /// The project's wrapper, `mvnw`.
    Wrapper,
    /// `mvn` on the `PATH`.
    Path,
    /// Nobody: without one on the `PATH`, the newest that some wrapper has downloaded.
    AnyWrapper,
}

impl MavenOrigin {
    /// As part of a sentence, in brackets after the version.
    pub fn name(self) -> &'static str {
        match self {
            MavenOrigin::Asked => "as requested",
            MavenOrigin::Environment => "MAVEN_HOME",
            MavenOrigin::Wrapper => "the project's wrapper",
            MavenOrigin::Path => "mvn on the PATH",
            MavenOrigin::AnyWrapper => "downloaded by a wrapper",
        }
    }

    /// Does a project's wrapper have to give way to it?
    pub fn is_chosen(self) -> bool {
        matches!(self, MavenOrigin::Asked | MavenOrigin::Environment)
    }
}

/// What there is to choose from.
#[derive(Debug, Clone)]
pub struct Tools {
    /// Perhaps none: then a subject has to name its own by path.
    pub jdks: &'static Jdks,
    pub mvn: PathBuf,
    pub maven_origin: MavenOrigin,
}

/// The newest JDK with the Maven of this machine.
pub fn toolchain() -> Result<Toolchain> {
    tools()?.toolchain(None)
}

/// All JDKs, and Maven: `MAVEN_HOME`, `M2_HOME`, `mvn` on the path, else the newest that a wrapper has downloaded.
pub fn tools() -> Result<Tools> {
    find(&|name| std::env::var_os(name).filter(|value| !value.is_empty()), jdks())
}

/// The same with the Maven that is asked for.
pub fn tools_with(maven: Option<&Path>) -> Result<Tools> {
    match maven {
        Some(mvn) => Ok(Tools { jdks: jdks(), mvn: mvn.to_owned(), maven_origin: MavenOrigin::Asked }),
        None => tools(),
    }
}

/// The program that a person means by the path of a Maven: itself, or `bin/mvn` in its folder.
pub fn maven_at(path: &Path) -> std::result::Result<PathBuf, String> {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let candidates = [absolute.clone(), absolute.join("bin/mvn")];
    let found = candidates.into_iter().find(|candidate| is_program(candidate));
    found.ok_or_else(|| format!("{} is neither a program nor a folder with bin/mvn", path.display()))
}

impl Toolchain {
    /// The same JDK with another Maven.
    pub fn with_maven(&self, mvn: PathBuf, origin: MavenOrigin) -> Result<Toolchain> {
        let maven_version = maven_version(&mvn, &self.java_home)?;
        Ok(Toolchain { mvn, maven_version, maven_origin: origin, ..self.clone() })
    }

    /// Version and origin of the Maven, for a person.
    pub fn maven(&self) -> String {
        format!("{} ({})", self.maven_version, self.maven_origin.name())
    }
}

impl Tools {
    pub fn with(&self, jdk: &Jdk) -> Result<Toolchain> {
        Ok(Toolchain {
            java_home: jdk.home.clone(),
            java_version: jdk.version.to_string(),
            java_major: jdk.major(),
            mvn: self.mvn.clone(),
            maven_version: self.maven_version(&jdk.home)?,
            maven_origin: self.maven_origin,
        })
    }

    /// With the JDK that is asked for, or the newest.
    pub fn toolchain(&self, wish: Option<&JdkWish>) -> Result<Toolchain> {
        match (wish, self.jdks.newest()) {
            (Some(wish), _) => self.with(&self.jdks.choose(wish)?),
            (None, Some(newest)) => self.with(newest),
            (None, None) => Err(missing(Some(self.jdks), None)),
        }
    }

    /// The same on every JDK, so that it is asked once.
    fn maven_version(&self, java_home: &Path) -> Result<String> {
        static ASKED: OnceLock<(PathBuf, String)> = OnceLock::new();
        if let Some((_, version)) = ASKED.get().filter(|(mvn, _)| *mvn == self.mvn) {
            return Ok(version.clone());
        }
        let version = maven_version(&self.mvn, java_home)?;
        // Another Maven than the first one asked, as in tests, is asked again.
        let _ = ASKED.set((self.mvn.clone(), version.clone()));
        Ok(version)
    }
}

type Variables<'a> = &'a dyn Fn(&str) -> Option<OsString>;

fn find(variable: Variables<'_>, jdks: &'static Jdks) -> Result<Tools> {
    match find_maven(variable) {
        Ok((mvn, maven_origin)) => Ok(Tools { jdks, mvn, maven_origin }),
        Err(why) => Err(missing(jdks.found.is_empty().then_some(jdks), Some(why))),
    }
}

/// One error for both, so that one command installs both.
fn missing(jdks: Option<&Jdks>, maven: Option<String>) -> miette::Report {
    let jdk = jdks.map(|jdks| match jdks.notes.first() {
        Some(note) => format!("there is no JDK ({note})"),
        None => "there is no JDK".to_owned(),
    });
    let packages = match (&jdk, &maven) {
        (Some(_), Some(_)) => "default-jdk-headless maven",
        (Some(_), None) => "default-jdk-headless",
        _ => "maven",
    };
    let problems: Vec<String> = [jdk.clone(), maven].into_iter().flatten().collect();
    let elsewhere = if jdk.is_some() { "; PARADE_JDKS lists further folders with JDKs" } else { "" };
    miette!(help = format!("on Debian: sudo apt-get install -y {packages}{elsewhere}"), "{}", problems.join("; "))
}

fn find_maven(variable: Variables<'_>) -> std::result::Result<(PathBuf, MavenOrigin), String> {
    for name in ["MAVEN_HOME", "M2_HOME"] {
        if let Some(home) = variable(name).map(PathBuf::from) {
            let mvn = home.join("bin/mvn");
            return is_program(&mvn)
                .then_some((mvn, MavenOrigin::Environment))
                .ok_or(format!("{name} is {}, which has no bin/mvn", home.display()));
        }
    }
    let on_path = on_path(variable, "mvn").map(|mvn| (mvn, MavenOrigin::Path));
    let downloaded = || newest_downloaded(variable).map(|mvn| (mvn, MavenOrigin::AnyWrapper));
    on_path.or_else(downloaded).ok_or_else(|| "Maven was not found: mvn is not on the PATH".to_owned())
}

/// Teams whose projects all have wrappers need no Maven of their own.
fn newest_downloaded(variable: Variables<'_>) -> Option<PathBuf> {
    let store = PathBuf::from(variable("HOME")?).join(".m2/wrapper/dists");
    let below = |folder: PathBuf| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let homes = below(store).flat_map(below).flat_map(|home| below(home.clone()).chain([home]));
    let mut found: Vec<(Vec<u32>, PathBuf)> = Vec::new();
    for home in homes {
        let mvn = home.join("bin/mvn");
        let version = is_program(&mvn).then(|| library_version(&mvn)).flatten();
        // A release candidate is not what nobody asked for.
        if let Some(version) =
            version.filter(|version| version.bytes().all(|byte| byte == b'.' || byte.is_ascii_digit()))
        {
            found.push((version.split('.').filter_map(|part| part.parse().ok()).collect(), mvn));
        }
    }
    found.sort();
    found.pop().map(|(_, mvn)| mvn)
}

fn on_path(variable: Variables<'_>, program: &str) -> Option<PathBuf> {
    let path = variable("PATH")?;
    // A relative entry would mean another program in every folder.
    let mut folders = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
    folders.find_map(|folder| Some(folder.join(program)).filter(|file| is_program(file)))
}

pub(super) fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

/// From the name of its core library; Debian's has no version in its name, so there Maven is asked.
fn maven_version(mvn: &Path, java_home: &Path) -> Result<String> {
    match library_version(mvn) {
        Some(version) => Ok(version),
        None => ask(mvn, java_home),
    }
}

fn library_version(mvn: &Path) -> Option<String> {
    let real = mvn.canonicalize().unwrap_or_else(|_| mvn.to_owned());
    let library = real.parent()?.parent()?.join("lib");
    let mut names = fs::read_dir(library).ok()?.flatten();
    names.find_map(|entry| core_version(&entry.file_name().to_string_lossy()))
}

fn core_version(file_name: &str) -> Option<String> {
    let version = file_name.strip_prefix("maven-core-")?.strip_suffix(".jar")?;
    let numeric = version.split(['.', '-']).take(3).all(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
    numeric.then(|| version.to_owned())
}

fn ask(mvn: &Path, java_home: &Path) -> Result<String> {
    let failed = |reason: String| {
        let help = "set MAVEN_HOME to a working Maven";
        miette!(help = help, "cannot read the version of {}: {reason}", mvn.display())
    };
    let java_home = java_home.to_string_lossy().into_owned();
    // It is asked in the root folder: no settings of a user or of a project count.
    let environment = [("JAVA_HOME", java_home.as_str()), (BASE_VARIABLE, "/"), ("MAVEN_SKIP_RC", "true")];
    let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let said = process::ask(mvn, &["--version"], environment.into(), PATIENCE);
    let said = said.map_err(|error| failed(error.to_string()))?;
    let first = || said.lines().next().unwrap_or_default().chars().take(200).collect::<String>();
    parse_maven_version(&said).ok_or_else(|| failed(format!("it said {:?}", first())))
}

fn parse_maven_version(output: &str) -> Option<String> {
    let after = output.lines().find_map(|line| line.split_once("Apache Maven ")).map(|(_, after)| after)?;
    let version: String = after.chars().take_while(|c| c.is_ascii_alphanumeric() || ".-".contains(*c)).collect();
    version.starts_with(|c: char| c.is_ascii_digit()).then_some(version)
}

#[cfg(test)]
mod tests {
    use super::super::jdks::Version;
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use tempfile::TempDir;

    fn program(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn machine() -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        program(&folder.path().join("maven/bin/mvn"), "");
        fs::create_dir_all(folder.path().join("maven/lib")).unwrap();
        fs::write(folder.path().join("maven/lib/maven-core-3.9.9.jar"), "").unwrap();
        folder
    }

    fn jdks(versions: &[&str]) -> &'static Jdks {
        let jdk = |version: &&str| Jdk {
            home: format!("/jdk/{version}").into(),
            version: Version::parse(version).unwrap(),
            vendor: None,
            found_by: vec![],
        };
        Box::leak(Box::new(Jdks { found: versions.iter().map(jdk).collect(), notes: vec![] }))
    }

    fn find_with(variables: &[(&str, PathBuf)], jdks: &'static Jdks) -> Result<Tools> {
        let variables = variables.to_vec();
        let variable = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone().into_os_string())
        };
        find(&variable, jdks)
    }

    fn version(tools: &Tools) -> Result<String> {
        maven_version(&tools.mvn, Path::new("/jdk"))
    }

    #[test]
    fn a_maven_that_is_asked_for_its_version_obeys_nobodys_settings() {
        let folder = tempfile::tempdir().unwrap();
        let mvn = folder.path().join("bin/mvn");
        program(&mvn, "#!/bin/sh\n[ \"$MAVEN_BASEDIR $MAVEN_SKIP_RC\" = '/ true' ] && echo Apache Maven 3.9.8\n");
        assert_eq!(maven_version(&mvn, Path::new("/jdk")).unwrap(), "3.9.8");
    }

    #[test]
    fn the_newest_jdk_comes_with_the_maven_that_is_set() {
        let machine = machine();
        let at = |name: &str| machine.path().join(name);
        let tools = find_with(&[("MAVEN_HOME", at("maven"))], jdks(&["17.0.1", "1.8.0_392"])).unwrap();
        let newest = tools.toolchain(None).unwrap();
        assert_eq!((newest.java_version.as_str(), newest.java_major), ("17.0.1", 17));
        assert_eq!((newest.maven_version.as_str(), newest.mvn), ("3.9.9", at("maven/bin/mvn")));
        let eight = JdkWish::parse("8", Path::new("/")).unwrap();
        assert_eq!(tools.toolchain(Some(&eight)).unwrap().java_major, 8);
    }

    #[test]
    fn links_on_the_path_lead_to_maven() {
        let machine = machine();
        let bin = machine.path().join("bin");
        fs::create_dir(&bin).unwrap();
        std::os::unix::fs::symlink(machine.path().join("maven/bin/mvn"), bin.join("mvn")).unwrap();
        let found = find_with(&[("PATH", bin.clone())], jdks(&["17.0.1"])).unwrap();
        assert_eq!((&found.mvn, version(&found).unwrap().as_str()), (&bin.join("mvn"), "3.9.9"));
    }

    #[test]
    fn without_a_maven_of_its_own_the_machine_has_what_wrappers_downloaded() {
        let machine = machine();
        let dists = machine.path().join(".m2/wrapper/dists");
        for (name, version) in [("a/1", "3.8.6"), ("b/2/apache-maven-3.10.0", "3.10.0"), ("c/3", "4.0.0-rc-4")] {
            program(&dists.join(name).join("bin/mvn"), "");
            fs::create_dir_all(dists.join(name).join("lib")).unwrap();
            fs::write(dists.join(name).join(format!("lib/maven-core-{version}.jar")), "").unwrap();
        }
        let found = find_with(&[("HOME", machine.path().into())], jdks(&["17.0.1"])).unwrap();
        assert_eq!((version(&found).unwrap().as_str(), found.maven_origin), ("3.10.0", MavenOrigin::AnyWrapper));
        let set = [("HOME", machine.path().into()), ("MAVEN_HOME", machine.path().join("maven"))];
        assert_eq!(find_with(&set, jdks(&["17.0.1"])).unwrap().maven_origin, MavenOrigin::Environment);
    }

    #[test]
    fn a_maven_is_named_by_its_program_or_its_folder() {
        let machine = machine();
        let (home, mvn) = (machine.path().join("maven"), machine.path().join("maven/bin/mvn"));
        assert_eq!((maven_at(&home), maven_at(&mvn)), (Ok(mvn.clone()), Ok(mvn)));
        assert!(maven_at(&home.join("lib")).unwrap_err().contains("bin/mvn"));
    }

    #[test]
    fn what_is_missing_is_named_with_the_command_that_installs_it() {
        let machine = machine();
        let both = format!("{:?}", find_with(&[("PATH", "/nowhere".into())], jdks(&[])).unwrap_err());
        assert!(both.contains("apt-get install -y default-jdk-headless maven"), "{both}");
        let maven = find_with(&[], jdks(&["17.0.1"])).unwrap_err();
        assert!(maven.help().unwrap().to_string().ends_with("install -y maven"));
        let tools = find_with(&[("MAVEN_HOME", machine.path().join("maven"))], jdks(&[])).unwrap();
        let jdk = tools.toolchain(None).unwrap_err();
        let help = jdk.help().unwrap().to_string();
        assert!(help.contains("default-jdk-headless;") && help.contains("PARADE_JDKS"), "{help}");
    }

    #[test]
    fn a_maven_without_a_version_in_its_library_is_asked() {
        let machine = machine();
        fs::remove_dir_all(machine.path().join("maven/lib")).unwrap();
        let mvn = machine.path().join("maven/bin/mvn");
        program(&mvn, "#!/bin/sh\necho \"\u{1b}[1mApache Maven 3.8.7\u{1b}[m\"\n");
        let variables = [("M2_HOME", machine.path().join("maven"))];
        let tools = find_with(&variables, jdks(&["17.0.1"])).unwrap();
        assert_eq!(version(&tools).unwrap(), "3.8.7");
        program(&mvn, "#!/bin/sh\necho no; exit 3\n");
        let report = version(&tools).unwrap_err().to_string();
        assert!(report.contains("\"no\""), "{report}");
    }
}
