//! What kind of project a folder holds: parade runs Maven's, and says what it found instead.

use std::path::Path;

/// Files that tell a build tool, with its name.
const BUILD_FILES: [(&str, &str); 13] = [
    ("build.gradle", "Gradle"),
    ("build.gradle.kts", "Gradle"),
    ("settings.gradle", "Gradle"),
    ("settings.gradle.kts", "Gradle"),
    ("build.sbt", "sbt"),
    ("build.xml", "Ant"),
    ("BUILD.bazel", "Bazel"),
    ("WORKSPACE", "Bazel"),
    ("package.json", "npm"),
    ("Cargo.toml", "Cargo"),
    ("pyproject.toml", "Python"),
    ("setup.py", "Python"),
    ("go.mod", "Go"),
];
const POM: &str = "pom.xml";
/// More folders than this are not looked into for a pom.
const LOOKED_INTO: usize = 200;

/// Why a folder cannot be built, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub message: String,
    pub help: String,
}

/// `None` for a Maven project.
pub fn refusal(folder: &Path, shown: &str) -> Option<Refusal> {
    if folder.join(POM).is_file() {
        return None;
    }
    let tool = other_tool(folder);
    let message = match tool {
        Some((file, tool)) => format!("`{shown}` is a {tool} project ({file}), but parade supports only Maven"),
        None => format!("there is no pom.xml in `{shown}`, and parade supports only Maven"),
    };
    let help = match (pom_below(folder), tool) {
        (Some(below), _) => format!("there is a pom.xml in `{below}`: write `directory = \"{below}\"`"),
        (None, Some((_, "Gradle"))) => "JUnit and TestNG tests need a pom.xml: Gradle's maven-publish plugin can \
            write a first version, and `setup` can put it in place"
            .to_owned(),
        (None, _) => {
            "write `directory` if the root of the build is elsewhere, or `setup` if a command generates the pom.xml; \
             suites of other tools can be described as a `model`"
                .to_owned()
        }
    };
    Some(Refusal { message, help })
}

/// The file of another build tool, and whose it is.
pub fn other_tool(folder: &Path) -> Option<(&'static str, &'static str)> {
    BUILD_FILES.into_iter().find(|(file, _)| folder.join(file).is_file())
}

/// The first folder below that has a pom.
fn pom_below(folder: &Path) -> Option<String> {
    let entries = std::fs::read_dir(folder).ok()?.flatten().take(LOOKED_INTO);
    let with_pom = entries.filter(|entry| entry.path().join(POM).is_file());
    let mut names: Vec<String> = with_pom.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names.into_iter().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(files: &[&str]) -> Option<Refusal> {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        refusal(folder.path(), "it")
    }

    #[test]
    fn a_pom_is_enough() {
        assert_eq!(told(&["pom.xml", "build.gradle"]), None);
    }

    #[test]
    fn other_tools_are_named() {
        for (file, tool) in BUILD_FILES {
            let refusal = told(&[file]).unwrap();
            assert_eq!(refusal.message, format!("`it` is a {tool} project ({file}), but parade supports only Maven"));
        }
        let nothing = told(&["README"]).unwrap();
        assert_eq!(nothing.message, "there is no pom.xml in `it`, and parade supports only Maven");
        assert!(nothing.help.contains("`directory`"));
    }

    #[test]
    fn a_pom_in_a_folder_below_is_pointed_at() {
        let refusal = told(&["package.json", "lib/pom.xml", "web/index.html"]).unwrap();
        assert_eq!(refusal.help, "there is a pom.xml in `lib`: write `directory = \"lib\"`");
    }
}
