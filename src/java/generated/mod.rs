//! Tests that a generator wrote, in place of a project's own: put into a worktree before its build, and taken out again, test by
//! test, where they do not compile. Who wrote them, and when, is not known here.

mod members;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use miette::Result;

use crate::file_error::file_error;
use crate::folder_handle::FolderHandle;
use crate::folders;
use crate::spec::{GeneratedTests, ROOT_MODULE, encoded_module};

use members::{Member, members, without};

/// Where Maven looks for the sources of tests.
const TEST_SOURCES: &str = "src/test/java";
/// Tests in other languages, which are the project's own too.
const OTHER_SOURCES: [&str; 3] = ["src/test/kotlin", "src/test/groovy", "src/test/scala"];
/// A source beyond this was not meant to be compiled.
const LARGEST: u64 = 64 << 20;

/// Puts the tests of every module where the project's own have been.
pub fn put_into(tests: &GeneratedTests, build_root: &Path) -> Result<()> {
    let failed = |error: io::Error| file_error(format_args!("{} cannot be filled", build_root.display()), &error);
    let root = build_root.canonicalize().and_then(|root| FolderHandle::open(&root)).map_err(failed)?;
    remove_own_tests(&root).map_err(failed)?;
    for module in modules(&tests.folder)? {
        let below = if module == ROOT_MODULE { PathBuf::new() } else { module.split('/').collect() };
        // A version that has no such module has no tests of it.
        let Ok(target) = root.descend(&below) else { continue };
        let target = target.make_folders(Path::new(TEST_SOURCES), None).map_err(failed)?;
        let sources = tests.folder.join(encoded_module(&module));
        for file in folders::files(&sources)? {
            let bytes = crate::whole_file::read_bytes(&sources.join(&file))?;
            let folder = target.make_folders(file.parent().unwrap_or(Path::new("")), None).map_err(failed)?;
            folder.write(file.file_name().unwrap_or_default(), &bytes, 0o644).map_err(failed)?;
        }
    }
    Ok(())
}

fn modules(folder: &Path) -> Result<Vec<String>> {
    let failed = |error: std::io::Error| file_error(format_args!("{} cannot be read", folder.display()), &error);
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().replace("%2F", "/").replace("%25", "%");
        let plain = Path::new(&name).components().all(|part| matches!(part, Component::Normal(_)));
        if entry.path().is_dir() && plain {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

fn remove_own_tests(folder: &FolderHandle) -> io::Result<()> {
    for own in std::iter::once(TEST_SOURCES).chain(OTHER_SOURCES).map(Path::new) {
        // What a link leads to is no folder of the project's.
        if let Ok(parent) = folder.descend(own.parent().unwrap_or(Path::new(""))) {
            parent.remove(own.file_name().unwrap_or_default())?;
        }
    }
    for (name, facts) in folder.entries()? {
        let is_source = name == "src" || name == "target" || name.to_string_lossy().starts_with('.');
        if facts.is_folder() && !is_source {
            remove_own_tests(&folder.folder(&name)?)?;
        }
    }
    Ok(())
}

/// Takes out the tests that a build log blames, whole classes where the blame is not within a test; whole classes anyway if that
/// is wished. The names of what went; none if the log blames nothing of ours.
pub fn drop_blamed(root: &Path, log: &str, whole_classes: bool) -> Result<Vec<String>> {
    let failed = |error: io::Error| file_error(format_args!("{}", root.display()), &error);
    let root = root.canonicalize().map_err(failed)?;
    let folder = FolderHandle::open(&root).map_err(failed)?;
    let mut dropped = Vec::new();
    for (file, lines) in blamed(log) {
        // The log is the build's to write: only what lies in the project, without a link on the way, is touched.
        let Ok(below) = file.strip_prefix(&root) else { continue };
        let is_test = file.to_string_lossy().contains(&format!("/{TEST_SOURCES}/"));
        let parent = folder.descend(below.parent().unwrap_or(Path::new("")));
        if let (true, Ok(parent)) = (is_test, parent) {
            dropped.extend(drop_from(&parent, &file, &lines, whole_classes)?);
        }
    }
    Ok(dropped)
}

/// Places that the compiler names: `[ERROR] /path/File.java:[12,5] …`.
fn blamed(log: &str) -> BTreeMap<PathBuf, BTreeSet<usize>> {
    let mut places: BTreeMap<PathBuf, BTreeSet<usize>> = BTreeMap::new();
    for line in log.lines() {
        let Some((before, after)) = line.split_once(".java:[") else { continue };
        let Some(start) = before.find('/') else { continue };
        let Some(number) = after.split([',', ']']).next().and_then(|number| number.parse().ok()) else { continue };
        if line.contains("WARNING") {
            continue;
        }
        places.entry(PathBuf::from(format!("{}.java", &before[start..]))).or_default().insert(number);
    }
    places
}

fn drop_from(folder: &FolderHandle, file: &Path, lines: &BTreeSet<usize>, whole_class: bool) -> Result<Vec<String>> {
    let failed = |error: io::Error| file_error(format_args!("{} cannot be changed", file.display()), &error);
    let (class, name) = (class_name(file), file.file_name().unwrap_or_default());
    let Ok(source) = folder.file(name) else { return Ok(Vec::new()) };
    let mut text = String::new();
    // What is too large, or no text, goes whole.
    if source.take(LARGEST).read_to_string(&mut text).is_err() {
        text.clear();
    }
    let members = members(&text);
    let hit: Vec<&Member> = members.iter().filter(|member| lines.iter().any(|line| member.has(*line))).collect();
    let all_in_tests = lines.iter().all(|line| hit.iter().any(|member| member.has(*line) && member.is_test(&text)));
    let names: Option<Vec<&str>> = hit.iter().map(|member| member.name(&text)).collect();
    match names {
        Some(names) if all_in_tests && !whole_class => {
            let owner = folder.facts_of(name).map_err(failed)?.map(|facts| facts.owner);
            folder.write(name, without(&text, &hit).as_bytes(), 0o644).map_err(failed)?;
            owner.map_or(Ok(()), |owner| folder.set_owner_of(name, owner)).map_err(failed)?;
            Ok(names.iter().map(|name| format!("{class}#{name}")).collect())
        }
        _ => {
            folder.remove(name).map_err(failed)?;
            Ok(vec![class])
        }
    }
}

/// As the path below the sources has it.
fn class_name(file: &Path) -> String {
    let path = file.to_string_lossy();
    let below = path.rsplit_once(&format!("{TEST_SOURCES}/")).map_or(&*path, |(_, below)| below);
    below.trim_end_matches(".java").replace('/', ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, file: &str, text: &str) {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn generated_tests_replace_those_of_the_project() {
        let (project, written) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for file in ["src/test/java/OldTest.java", "src/main/java/A.java", "core/src/test/java/b/OldTest.java"] {
            write(project.path(), file, "old");
        }
        write(written.path(), "_root/a/GenTest.java", "root");
        write(written.path(), &format!("{}/GenTest.java", encoded_module("core")), "core");
        write(written.path(), &format!("{}/GenTest.java", encoded_module("no/such")), "none");
        let tests = GeneratedTests::at(written.path()).unwrap();
        put_into(&tests, project.path()).unwrap();
        let left: Vec<_> = folders::files(project.path()).unwrap();
        let expected = ["core/src/test/java/GenTest.java", "src/main/java/A.java", "src/test/java/a/GenTest.java"];
        assert_eq!(left, expected.map(PathBuf::from));
        write(written.path(), "_root/a/GenTest.java", "other");
        assert_ne!(GeneratedTests::at(written.path()).unwrap().hash, tests.hash);
    }

    #[test]
    fn what_does_not_compile_is_dropped_test_by_test() {
        let project = tempfile::tempdir().unwrap();
        let source = "package a;\npublic class GenTest {\n  @Test public void t1() {\n    gone();\n  }\n  @Test public void t2() {\n  }\n}\n";
        for name in ["GenTest", "OtherTest"] {
            write(project.path(), &format!("src/test/java/a/{name}.java"), source);
        }
        write(project.path(), "src/main/java/A.java", "class A {}");
        let root = project.path().canonicalize().unwrap();
        let at = |file: &str, line: u32| format!("[ERROR] {}/{file}:[{line},5] cannot find symbol\n", root.display());
        let log = [
            at("src/test/java/a/GenTest.java", 4),
            at("src/test/java/a/OtherTest.java", 2),
            at("src/main/java/A.java", 1),
            at("src/test/java/a/GenTest.java", 7).replace("ERROR", "WARNING"),
        ];
        let dropped = drop_blamed(project.path(), &log.concat(), false).unwrap();
        assert_eq!(dropped, ["a.GenTest#t1", "a.OtherTest"]);
        let rest = fs::read_to_string(project.path().join("src/test/java/a/GenTest.java")).unwrap();
        assert!(rest.contains("t2") && !rest.contains("gone"));
        assert!(project.path().join("src/main/java/A.java").exists());
        assert!(drop_blamed(project.path(), "[ERROR] nothing of ours\n", false).unwrap().is_empty());
    }
}
