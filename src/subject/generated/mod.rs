//! Tests that a generator wrote, in place of a project's own: put into a worktree before its build, and taken out again, test by
//! test, where they do not compile. Who wrote them, and when, is not known here.

mod members;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use miette::{Result, miette};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::folders;
use crate::wording::hex;

use members::{Member, members, without};

/// Where Maven looks for the sources of tests.
const TEST_SOURCES: &str = "src/test/java";
/// Tests in other languages, which are the project's own too.
const OTHER_SOURCES: [&str; 3] = ["src/test/kotlin", "src/test/groovy", "src/test/scala"];
/// The folder of a build's root module among generated sources.
pub const ROOT_MODULE: &str = "_root";
/// A source beyond this was not meant to be compiled.
const LARGEST: u64 = 64 << 20;

/// Java sources, below a folder for each module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GeneratedTests {
    #[serde(skip)]
    pub folder: PathBuf,
    /// Of names and contents.
    pub hash: String,
}

impl GeneratedTests {
    /// What lies in a folder.
    pub fn at(folder: &Path) -> Result<Self> {
        let mut digest = Sha256::new();
        for file in folders::files(folder)? {
            let bytes = crate::whole_file::read_bytes(&folder.join(&file))?;
            digest.update(file.as_os_str().as_encoded_bytes());
            digest.update([0]);
            digest.update(Sha256::digest(&bytes));
        }
        Ok(GeneratedTests { folder: folder.to_owned(), hash: hex(&digest.finalize()[..16]) })
    }

    /// Puts the tests of every module where the project's own have been.
    pub fn put_into(&self, build_root: &Path) -> Result<()> {
        remove_own_tests(build_root)?;
        for module in modules(&self.folder)? {
            let below = if module == ROOT_MODULE { PathBuf::new() } else { module.split('/').collect() };
            let target = build_root.join(below);
            if !target.is_dir() {
                // A version that has no such module has no tests of it.
                continue;
            }
            folders::copy(&self.folder.join(encoded(&module)), &target.join(TEST_SOURCES))?;
        }
        Ok(())
    }
}

/// The folder of a module among generated sources: one level deep, whatever the module's path.
pub fn encoded(module: &str) -> String {
    if module.is_empty() { ROOT_MODULE.to_owned() } else { module.replace('%', "%25").replace('/', "%2F") }
}

fn modules(folder: &Path) -> Result<Vec<String>> {
    let failed = |error: std::io::Error| miette!("{} cannot be read: {error}", folder.display());
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

fn remove_own_tests(root: &Path) -> Result<()> {
    let sources = std::iter::once(TEST_SOURCES).chain(OTHER_SOURCES);
    let sources: Vec<&str> = sources.collect();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for own in sources.iter().map(|own| folder.join(own)).filter(|own| own.is_dir()) {
            fs::remove_dir_all(&own).map_err(|error| miette!("{} cannot be removed: {error}", own.display()))?;
        }
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let is_source = name == "src" || name == "target" || name.to_string_lossy().starts_with('.');
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) && !is_source {
                open.push(entry.path());
            }
        }
    }
    Ok(())
}

/// Takes out the tests that a build log blames, whole classes where the blame is not within a test; whole classes anyway if that
/// is wished. The names of what went; none if the log blames nothing of ours.
pub fn drop_blamed(root: &Path, log: &str, whole_classes: bool) -> Result<Vec<String>> {
    let root = root.canonicalize().map_err(|error| miette!("{}: {error}", root.display()))?;
    let mut dropped = Vec::new();
    for (file, lines) in blamed(log) {
        let Ok(file) = file.canonicalize() else { continue };
        let is_test = file.starts_with(&root) && file.to_string_lossy().contains(&format!("/{TEST_SOURCES}/"));
        if is_test {
            dropped.extend(drop_from(&file, &lines, whole_classes)?);
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

fn drop_from(file: &Path, lines: &BTreeSet<usize>, whole_class: bool) -> Result<Vec<String>> {
    let failed = |error: std::io::Error| miette!("{} cannot be changed: {error}", file.display());
    let class = class_name(file);
    let small = fs::metadata(file).map_err(failed)?.len() <= LARGEST;
    let text = if small { fs::read_to_string(file).unwrap_or_default() } else { String::new() };
    let members = members(&text);
    let hit: Vec<&Member> = members.iter().filter(|member| lines.iter().any(|line| member.has(*line))).collect();
    let all_in_tests = lines.iter().all(|line| hit.iter().any(|member| member.has(*line) && member.is_test(&text)));
    let names: Option<Vec<&str>> = hit.iter().map(|member| member.name(&text)).collect();
    match names {
        Some(names) if all_in_tests && !whole_class => {
            fs::write(file, without(&text, &hit)).map_err(failed)?;
            Ok(names.iter().map(|name| format!("{class}#{name}")).collect())
        }
        _ => {
            fs::remove_file(file).map_err(failed)?;
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
        write(written.path(), &format!("{}/GenTest.java", encoded("core")), "core");
        write(written.path(), &format!("{}/GenTest.java", encoded("no/such")), "none");
        let tests = GeneratedTests::at(written.path()).unwrap();
        tests.put_into(project.path()).unwrap();
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
