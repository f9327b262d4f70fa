//! The JDK that plain `mvn` takes: `JAVA_HOME`, else the `java` on the path. What startup files of Maven set is not looked at.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::examine;

/// A JDK's folder, and what names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MavenJdk {
    Jdk {
        home: PathBuf,
        why: &'static str,
    },
    /// What Maven would take has no compiler, or is no part of a JDK.
    Unusable {
        path: PathBuf,
        why: &'static str,
    },
    /// There is no Java at all.
    Nothing,
}

const BY_VARIABLE: &str = "JAVA_HOME, as for mvn";
const BY_PATH: &str = "the java on the PATH, as for mvn";

/// By the variables of this process.
pub fn maven_jdk() -> MavenJdk {
    find(&|name| std::env::var_os(name).filter(|value| !value.is_empty()))
}

fn find(variable: &dyn Fn(&str) -> Option<OsString>) -> MavenJdk {
    if let Some(home) = variable("JAVA_HOME").map(PathBuf::from) {
        return if is_jdk(&home) {
            MavenJdk::Jdk { home, why: BY_VARIABLE }
        } else {
            MavenJdk::Unusable { path: home, why: "JAVA_HOME" }
        };
    }
    let folders = variable("PATH").map(|path| std::env::split_paths(&path).collect::<Vec<_>>()).unwrap_or_default();
    let mut programs = folders.iter().filter(|folder| folder.is_absolute()).map(|folder| folder.join("java"));
    let Some(java) = programs.find(|file| examine::is_program(file)) else { return MavenJdk::Nothing };
    let real = java.canonicalize().ok();
    let home = real.as_deref().and_then(Path::parent).and_then(Path::parent);
    match home.filter(|home| is_jdk(home)) {
        Some(home) => MavenJdk::Jdk { home: home.to_owned(), why: BY_PATH },
        None => MavenJdk::Unusable { path: java, why: "the java on the PATH" },
    }
}

fn is_jdk(home: &Path) -> bool {
    home.join("bin/java").is_file() && home.join("bin/javac").is_file()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn program(path: &Path) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn what_maven_takes_is_taken() {
        let machine = tempfile::tempdir().unwrap();
        let at = |name: &str| machine.path().canonicalize().unwrap().join(name);
        for jdk in ["jdk-8", "jdk-17"] {
            ["java", "javac"].iter().for_each(|name| program(&at(jdk).join("bin").join(name)));
        }
        program(&at("jre/bin/java"));
        std::fs::create_dir(at("bin")).unwrap();
        std::os::unix::fs::symlink(at("jdk-17/bin/java"), at("bin/java")).unwrap();
        let with = |variables: &[(&str, PathBuf)]| {
            let known =
                |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone().into());
            find(&known)
        };
        let path = || ("PATH", at("bin"));
        assert_eq!(with(&[("JAVA_HOME", at("jdk-8")), path()]), MavenJdk::Jdk { home: at("jdk-8"), why: BY_VARIABLE });
        assert_eq!(with(&[path()]), MavenJdk::Jdk { home: at("jdk-17"), why: BY_PATH });
        let unusable = with(&[("JAVA_HOME", at("jre")), path()]);
        assert_eq!(unusable, MavenJdk::Unusable { path: at("jre"), why: "JAVA_HOME" });
        let jre = with(&[("PATH", at("jre/bin"))]);
        assert_eq!(jre, MavenJdk::Unusable { path: at("jre/bin/java"), why: "the java on the PATH" });
        assert_eq!(with(&[("PATH", at("nowhere"))]), MavenJdk::Nothing);
    }
}
