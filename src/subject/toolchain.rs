//! The Maven of this machine and one of its JDKs, and what to install where one is missing.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use miette::{Result, miette};

use super::jdks::{Jdk, JdkWish, Jdks, jdks};
use crate::process;

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
}

/// What there is to choose from.
#[derive(Debug, Clone)]
pub struct Tools {
    /// Perhaps none: then a subject has to name its own by path.
    pub jdks: &'static Jdks,
    pub mvn: PathBuf,
}

/// The newest JDK with the Maven of this machine.
pub fn toolchain() -> Result<Toolchain> {
    tools()?.toolchain(None)
}

/// All JDKs, and Maven (`MAVEN_HOME`, `M2_HOME`, else `mvn` on the path).
pub fn tools() -> Result<Tools> {
    find(&|name| std::env::var_os(name).filter(|value| !value.is_empty()), jdks())
}

impl Tools {
    pub fn with(&self, jdk: &Jdk) -> Result<Toolchain> {
        Ok(Toolchain {
            java_home: jdk.home.clone(),
            java_version: jdk.version.to_string(),
            java_major: jdk.major(),
            mvn: self.mvn.clone(),
            maven_version: self.maven_version(&jdk.home)?,
        })
    }

    /// With the JDK that is asked for, or the newest.
    pub fn toolchain(&self, wish: Option<&JdkWish>) -> Result<Toolchain> {
        match (wish, self.jdks.newest()) {
            (Some(wish), _) => self.with(&wish.choose(self.jdks)?),
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
        Ok(mvn) => Ok(Tools { jdks, mvn }),
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
    let elsewhere =
        if jdk.is_some() { "; PARADE_JDKS names folders of JDKs that parade does not find by itself" } else { "" };
    miette!(help = format!("on Debian: sudo apt-get install -y {packages}{elsewhere}"), "{}", problems.join("; "))
}

fn find_maven(variable: Variables<'_>) -> std::result::Result<PathBuf, String> {
    for name in ["MAVEN_HOME", "M2_HOME"] {
        if let Some(home) = variable(name).map(PathBuf::from) {
            let mvn = home.join("bin/mvn");
            return is_program(&mvn)
                .then_some(mvn)
                .ok_or(format!("{name} is {}, which has no bin/mvn", home.display()));
        }
    }
    on_path(variable, "mvn").ok_or_else(|| "there is no Maven: no mvn is on the PATH".to_owned())
}

fn on_path(variable: Variables<'_>, program: &str) -> Option<PathBuf> {
    let path = variable("PATH")?;
    // A relative entry would mean another program in every folder.
    let mut folders = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
    folders.find_map(|folder| Some(folder.join(program)).filter(|file| is_program(file)))
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

/// From the name of its core library; Debian's has no version in its name, so there Maven is asked.
fn maven_version(mvn: &Path, java_home: &Path) -> Result<String> {
    let real = mvn.canonicalize().unwrap_or_else(|_| mvn.to_owned());
    let library = real.parent().and_then(Path::parent).map(|home| home.join("lib"));
    let names = library.and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    let mut versions = names.filter_map(|entry| core_version(&entry.file_name().to_string_lossy()));
    match versions.next() {
        Some(version) => Ok(version),
        None => ask(mvn, java_home),
    }
}

fn core_version(file_name: &str) -> Option<String> {
    let version = file_name.strip_prefix("maven-core-")?.strip_suffix(".jar")?;
    let numeric = version.split(['.', '-']).take(3).all(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
    numeric.then(|| version.to_owned())
}

fn ask(mvn: &Path, java_home: &Path) -> Result<String> {
    let failed = |reason: String| {
        let help = "set MAVEN_HOME to a Maven that runs";
        miette!(help = help, "cannot tell the version of {}: {reason}", mvn.display())
    };
    let environment = [("JAVA_HOME".to_owned(), java_home.to_string_lossy().into_owned())];
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
