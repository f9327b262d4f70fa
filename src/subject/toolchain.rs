//! The JDK and the Maven of this machine, and what to install where one is missing.

use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use miette::{Result, miette};

/// The JDK and the Maven that subjects are built and run with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toolchain {
    pub java_home: PathBuf,
    pub java_version: String,
    pub java_major: u32,
    pub mvn: PathBuf,
    pub maven_version: String,
}

/// Finds the JDK (`JAVA_HOME`, else `javac` on the path) and Maven (`MAVEN_HOME`, `M2_HOME`, else `mvn` on the path).
pub fn toolchain() -> Result<Toolchain> {
    find(&|name| std::env::var_os(name).filter(|value| !value.is_empty()))
}

type Variables<'a> = &'a dyn Fn(&str) -> Option<OsString>;

fn find(variable: Variables<'_>) -> Result<Toolchain> {
    let (java_home, mvn) = match (find_jdk(variable), find_maven(variable)) {
        (Ok(java_home), Ok(mvn)) => (java_home, mvn),
        (jdk, maven) => return Err(missing(&jdk, &maven)),
    };
    let java_version = jdk_version(&java_home)?;
    let java_major = major(&java_version)
        .ok_or_else(|| miette!("the JDK in {} has the strange version {java_version:?}", java_home.display()))?;
    let maven_version = maven_version(&mvn, &java_home)?;
    Ok(Toolchain { java_home, java_version, java_major, mvn, maven_version })
}

/// One error for both, so that one command installs both.
fn missing(jdk: &std::result::Result<PathBuf, String>, maven: &std::result::Result<PathBuf, String>) -> miette::Report {
    let problems: Vec<&str> =
        [jdk, maven].into_iter().filter_map(|found| found.as_ref().err()).map(String::as_str).collect();
    let packages = match (jdk, maven) {
        (Err(_), Err(_)) => "default-jdk-headless maven",
        (Err(_), Ok(_)) => "default-jdk-headless",
        _ => "maven",
    };
    miette!(help = format!("on Debian: sudo apt-get install -y {packages}"), "{}", problems.join("; "))
}

fn find_jdk(variable: Variables<'_>) -> std::result::Result<PathBuf, String> {
    if let Some(home) = variable("JAVA_HOME").map(PathBuf::from) {
        let has_compiler = is_program(&home.join("bin/javac"));
        return has_compiler
            .then_some(home.clone())
            .ok_or(format!("JAVA_HOME is {}, which has no bin/javac", home.display()));
    }
    let javac =
        on_path(variable, "javac").ok_or("there is no JDK: JAVA_HOME is not set, and no javac is on the PATH")?;
    let javac = javac.canonicalize().map_err(|error| format!("{}: {error}", javac.display()))?;
    let home = javac.parent().and_then(Path::parent).filter(|home| home.join("bin/java").is_file());
    let shim = || format!("{} does not lie in a JDK; set JAVA_HOME", javac.display());
    home.map(Path::to_owned).ok_or_else(shim)
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

/// Most JDKs say their version in a file; Debian's 8 has none, so there the compiler is asked.
fn jdk_version(home: &Path) -> Result<String> {
    let text = fs::read_to_string(home.join("release")).unwrap_or_default();
    let version = text.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="));
    let version = version.map(|value| value.trim().trim_matches('"').to_owned()).filter(|value| !value.is_empty());
    match version {
        Some(version) => Ok(version),
        None => ask(&home.join("bin/javac"), "-version", home, parse_javac_version),
    }
}

fn parse_javac_version(output: &str) -> Option<String> {
    let version = output.lines().find_map(|line| line.trim().strip_prefix("javac "))?;
    Some(version.trim().to_owned())
}

/// `1.8.0_392` is Java 8, `17.0.15` is Java 17, `22-ea` is Java 22.
fn major(version: &str) -> Option<u32> {
    let mut numbers = version.split(|c: char| !c.is_ascii_digit()).map(|digits| digits.parse::<u32>().ok());
    match numbers.next()?? {
        1 => numbers.next()?,
        modern => Some(modern),
    }
}

/// From the name of its core library; Debian's has no version in its name, so there Maven is asked.
fn maven_version(mvn: &Path, java_home: &Path) -> Result<String> {
    let real = mvn.canonicalize().unwrap_or_else(|_| mvn.to_owned());
    let library = real.parent().and_then(Path::parent).map(|home| home.join("lib"));
    let names = library.and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    let mut versions = names.filter_map(|entry| core_version(&entry.file_name().to_string_lossy()));
    match versions.next() {
        Some(version) => Ok(version),
        None => ask(mvn, "--version", java_home, parse_maven_version),
    }
}

fn core_version(file_name: &str) -> Option<String> {
    let version = file_name.strip_prefix("maven-core-")?.strip_suffix(".jar")?;
    let numeric = version.split(['.', '-']).take(3).all(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
    numeric.then(|| version.to_owned())
}

/// Runs a tool of the toolchain for its version. JDK 8 answers on standard error.
fn ask(program: &Path, argument: &str, java_home: &Path, parse: fn(&str) -> Option<String>) -> Result<String> {
    let failed = |reason: String| {
        let help = "set JAVA_HOME to a JDK and MAVEN_HOME to a Maven";
        miette!(help = help, "cannot tell the version of {}: {reason}", program.display())
    };
    let mut command = Command::new(program);
    command.arg(argument).env("JAVA_HOME", java_home).env_remove("MAVEN_OPTS");
    command.current_dir("/").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
    let mut text = Vec::new();
    let outputs = [child.stdout.take().map(as_reader), child.stderr.take().map(as_reader)];
    for output in outputs.into_iter().flatten() {
        output.take(32 * 1024).read_to_end(&mut text).map_err(|error| failed(error.to_string()))?;
    }
    let status = child.wait().map_err(|error| failed(error.to_string()))?;
    let text = String::from_utf8_lossy(&text);
    parse(&text)
        .ok_or_else(|| failed(format!("it ended with {status} and said {:?}", text.lines().next().unwrap_or(""))))
}

fn as_reader<'a>(output: impl Read + 'a) -> Box<dyn Read + 'a> {
    Box::new(output)
}

fn parse_maven_version(output: &str) -> Option<String> {
    let after = output.lines().find_map(|line| line.split_once("Apache Maven ")).map(|(_, after)| after)?;
    let version: String = after.chars().take_while(|c| c.is_ascii_alphanumeric() || ".-".contains(*c)).collect();
    version.starts_with(|c: char| c.is_ascii_digit()).then_some(version)
}

#[cfg(test)]
mod tests {
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
        program(&folder.path().join("jdk/bin/javac"), "");
        program(&folder.path().join("jdk/bin/java"), "");
        fs::write(folder.path().join("jdk/release"), "IMPLEMENTOR=\"X\"\nJAVA_VERSION=\"1.8.0_392\"\n").unwrap();
        program(&folder.path().join("maven/bin/mvn"), "");
        fs::create_dir_all(folder.path().join("maven/lib")).unwrap();
        fs::write(folder.path().join("maven/lib/maven-core-3.9.9.jar"), "").unwrap();
        folder
    }

    fn find_with(variables: &[(&str, PathBuf)]) -> Result<Toolchain> {
        let variables = variables.to_vec();
        find(&|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone().into_os_string())
        })
    }

    #[test]
    fn homes_that_are_set_are_used() {
        let machine = machine();
        let at = |name: &str| machine.path().join(name);
        let found = find_with(&[("JAVA_HOME", at("jdk")), ("MAVEN_HOME", at("maven"))]).unwrap();
        assert_eq!((found.java_version.as_str(), found.java_major), ("1.8.0_392", 8));
        assert_eq!((found.maven_version.as_str(), found.mvn), ("3.9.9", at("maven/bin/mvn")));
    }

    #[test]
    fn links_on_the_path_lead_to_the_jdk() {
        let machine = machine();
        let bin = machine.path().join("bin");
        fs::create_dir(&bin).unwrap();
        std::os::unix::fs::symlink(machine.path().join("jdk/bin/javac"), bin.join("javac")).unwrap();
        std::os::unix::fs::symlink(machine.path().join("maven/bin/mvn"), bin.join("mvn")).unwrap();
        let found = find_with(&[("PATH", bin.clone())]).unwrap();
        assert_eq!(found.java_home, machine.path().canonicalize().unwrap().join("jdk"));
        assert_eq!((found.mvn, found.maven_version.as_str()), (bin.join("mvn"), "3.9.9"));
    }

    #[test]
    fn what_is_missing_is_named_with_the_command_that_installs_it() {
        let machine = machine();
        let both = format!("{:?}", find_with(&[("PATH", "/nowhere".into())]).unwrap_err());
        assert!(both.contains("apt-get install -y default-jdk-headless maven"), "{both}");
        let maven = find_with(&[("JAVA_HOME", machine.path().join("jdk"))]).unwrap_err();
        assert!(maven.help().unwrap().to_string().ends_with("install -y maven"));
        let jre =
            find_with(&[("JAVA_HOME", "/nowhere".into()), ("MAVEN_HOME", machine.path().join("maven"))]).unwrap_err();
        assert!(jre.to_string().contains("JAVA_HOME is /nowhere"), "{jre}");
        assert!(jre.help().unwrap().to_string().ends_with("default-jdk-headless"));
    }

    #[test]
    fn a_maven_without_a_version_in_its_library_is_asked() {
        let machine = machine();
        fs::remove_dir_all(machine.path().join("maven/lib")).unwrap();
        let mvn = machine.path().join("maven/bin/mvn");
        program(&mvn, "#!/bin/sh\necho \"\u{1b}[1mApache Maven 3.8.7\u{1b}[m\"\n");
        let variables = [("JAVA_HOME", machine.path().join("jdk")), ("M2_HOME", machine.path().join("maven"))];
        assert_eq!(find_with(&variables).unwrap().maven_version, "3.8.7");
        program(&mvn, "#!/bin/sh\necho no; exit 3\n");
        let report = find_with(&variables).unwrap_err().to_string();
        assert!(report.contains("\"no\""), "{report}");
    }

    #[test]
    fn a_jdk_without_a_release_file_is_asked() {
        let machine = machine();
        fs::remove_file(machine.path().join("jdk/release")).unwrap();
        program(&machine.path().join("jdk/bin/javac"), "#!/bin/sh\necho javac 1.8.0_504 >&2\n");
        let variables = [("JAVA_HOME", machine.path().join("jdk")), ("M2_HOME", machine.path().join("maven"))];
        let found = find_with(&variables).unwrap();
        assert_eq!((found.java_version.as_str(), found.java_major), ("1.8.0_504", 8));
    }

    #[test]
    fn majors_of_all_ages() {
        let cases =
            [("1.8.0_392", Some(8)), ("17.0.15", Some(17)), ("22-ea", Some(22)), ("", None), ("x", None), ("1", None)];
        for (version, expected) in cases {
            assert_eq!(major(version), expected, "{version}");
        }
    }
}
