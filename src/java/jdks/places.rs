//! The places where people keep JDKs: variables, the system's folder, the path, and the folders of the tools that
//! install them.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Surroundings, VARIABLE, examine, maven_toolchains};

/// A folder with more entries is not one of JDKs.
const MOST_ENTRIES: usize = 200;

/// A folder that may be a JDK.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    pub path: PathBuf,
    pub found_by: String,
}

/// A tool that installs JDKs: its name, the variable that moves its folder with what comes below that, and where it is
/// otherwise, below the user's home.
struct Installer {
    name: &'static str,
    variable: &'static str,
    below: &'static str,
    default: &'static str,
}

const INSTALLERS: [Installer; 6] = [
    Installer { name: "SDKMAN!", variable: "SDKMAN_DIR", below: "candidates/java", default: ".sdkman/candidates/java" },
    Installer { name: "asdf", variable: "ASDF_DATA_DIR", below: "installs/java", default: ".asdf/installs/java" },
    Installer {
        name: "mise",
        variable: "MISE_DATA_DIR",
        below: "installs/java",
        default: ".local/share/mise/installs/java",
    },
    Installer { name: "jabba", variable: "JABBA_HOME", below: "jdk", default: ".jabba/jdk" },
    Installer { name: "Gradle", variable: "GRADLE_USER_HOME", below: "jdks", default: ".gradle/jdks" },
    Installer { name: "IntelliJ", variable: "", below: "", default: ".jdks" },
];

/// What is worth a look, in the order in which equal versions are preferred; and what was passed over.
pub(super) fn candidates(surroundings: &Surroundings) -> (Vec<Candidate>, Vec<String>) {
    let mut search = Search { surroundings, candidates: Vec::new(), notes: Vec::new() };
    search.variables();
    search.listed();
    search.path();
    search.system();
    INSTALLERS.iter().for_each(|installer| search.installed_by(installer));
    search.maven();
    (search.candidates, search.notes)
}

struct Search<'a> {
    surroundings: &'a Surroundings,
    candidates: Vec<Candidate>,
    notes: Vec<String>,
}

impl Search<'_> {
    fn add(&mut self, path: PathBuf, found_by: &str) {
        self.candidates.push(Candidate { path, found_by: found_by.to_owned() });
    }

    fn variable(&self, name: &str) -> Option<PathBuf> {
        self.surroundings.variables.get(name).map(PathBuf::from)
    }

    /// `JAVA_HOME` before its kin.
    fn variables(&mut self) {
        if let Some(home) = self.variable("JAVA_HOME") {
            self.add(home, "JAVA_HOME");
        }
        for (name, value) in &self.surroundings.variables {
            let path = PathBuf::from(value);
            if name != "JAVA_HOME" && names_a_jdk(name) && path.is_absolute() {
                self.add(path, name);
            }
        }
    }

    /// A JDK, or a folder that has several.
    fn listed(&mut self) {
        let Some(value) = self.surroundings.variables.get(VARIABLE).cloned() else { return };
        for path in std::env::split_paths(&value).filter(|path| !path.as_os_str().is_empty()) {
            if path.is_absolute() {
                self.jdk_or_folder(&path, VARIABLE);
            } else {
                self.notes.push(format!("{} ({VARIABLE}): write an absolute path", path.display()));
            }
        }
    }

    fn jdk_or_folder(&mut self, path: &Path, found_by: &str) {
        let holds = |path: &Path| path.join("bin/java").exists() || path.join("bin/javac").exists();
        if holds(path) {
            return self.add(path.to_owned(), found_by);
        }
        let before = self.candidates.len();
        for child in folders_in(path) {
            // Where a system's packages were unpacked elsewhere, its own folder lies below.
            let below = child.join("lib/jvm");
            if below.is_dir() { self.folder(&below, found_by, false) } else { self.one(child, found_by, false) }
        }
        if self.candidates.len() == before {
            self.notes.push(format!("{} ({found_by}): neither a JDK nor a folder of JDKs", path.display()));
        }
    }

    /// The compiler on the path, where it lies in a JDK and is not a launcher of some tool.
    fn path(&mut self) {
        let Some(path) = self.surroundings.variables.get("PATH") else { return };
        // A relative entry would mean another program in every folder.
        let mut folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
        let javac = folders.find_map(|folder| Some(folder.join("javac")).filter(|file| examine::is_program(file)));
        let real = javac.and_then(|javac| javac.canonicalize().ok());
        let home = real.as_deref().and_then(Path::parent).and_then(Path::parent);
        if let Some(home) = home.filter(|home| home.join("bin/java").is_file()) {
            self.add(home.to_owned(), "PATH");
        }
    }

    /// Packages put other things there too, which are nobody's mistake.
    fn system(&mut self) {
        let folder = self.surroundings.system.clone();
        self.folder(&folder, &folder.to_string_lossy(), false);
    }

    fn installed_by(&mut self, installer: &Installer) {
        let moved = self.variable(installer.variable).map(|folder| folder.join(installer.below));
        let default = self.variable("HOME").map(|home| home.join(installer.default));
        if let Some(folder) = moved.or(default).filter(|folder| folder.is_absolute()) {
            self.folder(&folder, installer.name, true);
        }
    }

    fn maven(&mut self) {
        let Some(home) = self.variable("HOME").filter(|home| home.is_absolute()) else { return };
        let file = home.join(".m2/toolchains.xml");
        let (homes, note) = maven_toolchains::read(&file);
        self.notes.extend(note.map(|note| format!("{}: {note}", file.display())));
        for home in homes {
            self.add(home, "Maven's toolchains.xml");
        }
    }

    fn folder(&mut self, folder: &Path, found_by: &str, strict: bool) {
        for child in folders_in(folder) {
            self.one(child, found_by, strict);
        }
    }

    /// A JDK, or a folder around one, as Gradle and macOS have it.
    fn one(&mut self, path: PathBuf, found_by: &str, strict: bool) {
        let looks_like_java = |path: &Path| path.join("bin/java").exists() || path.join("bin/javac").exists();
        if looks_like_java(&path) || !path.is_dir() {
            return self.add(path, found_by);
        }
        let wrapped = folders_in(&path).into_iter().chain([path.join("Contents/Home")]);
        match wrapped.into_iter().find(|inner| looks_like_java(inner)) {
            Some(inner) => self.add(inner, found_by),
            None if strict => self.add(path, found_by),
            None => {}
        }
    }
}

/// `JAVA_HOME_8_X64`, `JAVA_HOME_21`, `JDK_17`, `JDK17_HOME`, `JAVA_11_HOME`; not `JDK_JAVA_OPTIONS`.
fn names_a_jdk(name: &str) -> bool {
    if name.starts_with("JAVA_HOME_") || name == "JDK_HOME" {
        return true;
    }
    let rest = name.strip_prefix("JAVA").or_else(|| name.strip_prefix("JDK")).map(|rest| rest.trim_start_matches('_'));
    rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Folders and links in a folder, sorted; links that lead nowhere are among them. What is hidden is not.
fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(MOST_ENTRIES);
    let wanted = |path: &PathBuf| {
        let hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        !hidden
            && (path.is_dir() || path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink() && !path.exists()))
    };
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(wanted).collect();
    folders.sort();
    folders
}

#[cfg(test)]
mod tests {
    use super::names_a_jdk;

    #[test]
    fn variables_that_name_a_jdk() {
        for name in ["JAVA_HOME_8_X64", "JAVA_HOME_17_ARM64", "JAVA_HOME_21", "JDK_17", "JDK17", "JAVA_11_HOME"] {
            assert!(names_a_jdk(name), "{name}");
        }
        for name in ["JDK_JAVA_OPTIONS", "JAVA_OPTS", "JAVA_TOOL_OPTIONS", "JAVA", "PATH", "XJDK_17"] {
            assert!(!names_a_jdk(name), "{name}");
        }
    }
}
