//! What kind of project a folder holds: one of a registered platform, or what was found instead.

use std::path::Path;

use super::{Platform, platforms};
use crate::engine::EngineKind;
use crate::spec::{Origin, Subject};

/// Files that tell a build tool, with its name.
const BUILD_FILES: [(&str, &str); 11] = [
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
    ("go.mod", "Go"),
];
/// More folders than this are not looked into for a build file.
const LOOKED_INTO: usize = 200;

/// Why a folder cannot be built, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub message: String,
    pub help: String,
}

/// The platform whose build file a folder has.
pub fn platform_in(folder: &Path) -> Option<&'static dyn Platform> {
    let has = |platform: &&&'static dyn Platform| build_file(folder, **platform).is_some();
    platforms().iter().find(has).copied()
}

/// The only engine that can run a subject, whatever a configuration asks for. Nothing where it can be chosen, and where only a
/// clone would tell.
pub fn only_engine(subject: &Subject) -> Option<EngineKind> {
    match &subject.origin {
        Origin::Model { .. } => Some(EngineKind::Model),
        Origin::Folder { path } => {
            let root = subject.directory.as_ref().map_or_else(|| path.clone(), |below| path.join(below));
            platform_in(&root)?.words().only_engine
        }
        Origin::Git { url, .. } => platform_in(Path::new(url))?.words().only_engine,
    }
}

fn build_file(folder: &Path, platform: &dyn Platform) -> Option<&'static str> {
    platform.build_files().iter().find(|file| folder.join(file).is_file()).copied()
}

/// `None` for a project of a registered platform.
pub fn refusal(folder: &Path, shown: &str) -> Option<Refusal> {
    if platform_in(folder).is_some() {
        return None;
    }
    let supported = supported();
    let tool = other_tool(folder);
    let message = match tool {
        Some((file, tool)) => format!("`{shown}` is a {tool} project ({file}), but parade supports only {supported}"),
        None => format!("there is no {} in `{shown}`, and parade supports only {supported}", all_files()),
    };
    let help = match (build_below(folder), tool) {
        (Some((file, below)), _) => format!("there is a {file} in `{below}`: write `directory = \"{below}\"`"),
        (None, Some((_, "Gradle"))) => "JUnit and TestNG tests need a pom.xml: Gradle's maven-publish plugin can \
            write a first version, and `setup` can put it in place"
            .to_owned(),
        (None, _) => format!(
            "write `directory` if the root of the build is elsewhere, or `setup` if a command generates the {}; \
             suites of other tools can be described as a `model`",
            main_file()
        ),
    };
    Some(Refusal { message, help })
}

/// The platforms as people write them: `Maven or pytest`.
pub(super) fn supported() -> String {
    let names: Vec<&str> = platforms().iter().map(|platform| platform.name()).collect();
    names.join(" or ")
}

/// The files by which platforms know their projects.
fn all_files() -> String {
    let files: Vec<&str> = platforms().iter().flat_map(|platform| platform.build_files()).copied().collect();
    match files.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => main_file().to_owned(),
    }
}

/// The build file that most projects have.
pub(super) fn main_file() -> &'static str {
    platforms().first().and_then(|platform| platform.build_files().first()).copied().unwrap_or("build file")
}

/// The file of a build tool that no platform knows, and whose it is.
pub fn other_tool(folder: &Path) -> Option<(&'static str, &'static str)> {
    BUILD_FILES.into_iter().find(|(file, _)| folder.join(file).is_file())
}

/// The first folder below that has a build file, with that file.
fn build_below(folder: &Path) -> Option<(&'static str, String)> {
    let entries = std::fs::read_dir(folder).ok()?.flatten().take(LOOKED_INTO);
    let files = |path: &Path| platforms().iter().find_map(|platform| build_file(path, *platform));
    let mut found: Vec<(String, &'static str)> =
        entries.filter_map(|entry| Some((entry.file_name().into_string().ok()?, files(&entry.path())?))).collect();
    found.sort();
    found.into_iter().next().map(|(name, file)| (file, name))
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
