use std::ffi::OsStr;
use std::os::unix::fs::symlink;

use tempfile::TempDir;

use super::super::Silent;
use super::*;

fn project(name: &str) -> TempDir {
    let folder = tempfile::Builder::new().prefix(name).tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("pom.xml", "<project/>");
    write("src/A.java", "class A {}");
    write("data/target/kept.txt", "no pom beside it");
    folder
}

fn hash(folder: &TempDir) -> String {
    revision_of(folder.path(), &Silent, &|| false).unwrap()
}

#[test]
fn reports_that_parade_wrote_are_no_content() {
    let folder = project("reports");
    let before = hash(&folder);
    for file in ["parade-reports/.parade-reports", "parade-reports/TEST-a.B.xml"] {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "x").unwrap();
    }
    assert_eq!(hash(&folder), before);
    fs::write(folder.path().join("parade-reports/Source.java"), "class Source {}").unwrap();
    assert_ne!(hash(&folder), before, "sources beside reports are content");
    fs::remove_file(folder.path().join("parade-reports/Source.java")).unwrap();
    fs::remove_file(folder.path().join("parade-reports/.parade-reports")).unwrap();
    assert_ne!(hash(&folder), before, "anyone else's reports are content");
}

#[test]
fn the_same_content_has_the_same_revision_and_any_change_another() {
    let (one, two) = (project("one"), project("two"));
    assert_eq!(hash(&one), hash(&two));
    assert!(hash(&one).starts_with(PREFIX));
    let mut seen = vec![hash(&two)];
    let mut changed = |what: &str| {
        let now = hash(&two);
        assert!(!seen.contains(&now), "{what}");
        seen.push(now);
    };
    fs::write(two.path().join("src/A.java"), "class B {}").unwrap();
    changed("bytes");
    fs::rename(two.path().join("src/A.java"), two.path().join("src/B.java")).unwrap();
    changed("name");
    fs::set_permissions(two.path().join("src/B.java"), fs::Permissions::from_mode(0o755)).unwrap();
    changed("mode");
    fs::create_dir(two.path().join("empty")).unwrap();
    changed("empty folder");
    symlink("B.java", two.path().join("src/link")).unwrap();
    changed("link");
}

#[test]
fn what_builds_and_git_make_is_left_out() {
    let (one, two) = (project("one"), project("two"));
    fs::create_dir_all(two.path().join("target/classes")).unwrap();
    fs::create_dir_all(two.path().join(".git/objects")).unwrap();
    assert_eq!(hash(&one), hash(&two));
    fs::write(two.path().join("data/target/kept.txt"), "changed").unwrap();
    assert_ne!(hash(&one), hash(&two), "a target without a pom is content");
}

#[test]
fn links_are_copied_and_never_followed() {
    let (folder, outside, to) = (project("one"), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(outside.path().join("secret"), "x").unwrap();
    symlink(outside.path(), folder.path().join("out")).unwrap();
    symlink("../../..", folder.path().join("up")).unwrap();
    symlink("nowhere", folder.path().join("dangling")).unwrap();
    let copy_to = to.path().join("tree");
    assert_eq!(copy(folder.path(), &copy_to, &Silent, &|| false).unwrap(), hash(&folder));
    assert_eq!(fs::read_link(copy_to.join("out")).unwrap(), outside.path());
    assert_eq!(fs::read_link(copy_to.join("up")).unwrap(), Path::new("../../.."));
    assert_eq!(fs::read_link(copy_to.join("dangling")).unwrap(), Path::new("nowhere"));
}

#[test]
fn names_that_are_not_text_are_copied() {
    let (folder, to) = (project("one"), tempfile::tempdir().unwrap());
    let odd = OsStr::from_bytes(b"\xff\n\xfe");
    fs::write(folder.path().join(odd), "x").unwrap();
    let copy_to = to.path().join("tree");
    copy(folder.path(), &copy_to, &Silent, &|| false).unwrap();
    commit_all(&copy_to).unwrap();
    assert_eq!(fs::read_to_string(copy_to.join(odd)).unwrap(), "x");
}

#[test]
fn mistakes_are_told() {
    let folder = project("one");
    let missing = revision_of(Path::new("/nowhere/at/all"), &Silent, &|| false).unwrap_err();
    assert!(missing.to_string().contains("/nowhere/at/all"));
    let into_itself = copy(folder.path(), &folder.path().join("src/tree"), &Silent, &|| false).unwrap_err();
    assert!(into_itself.to_string().contains("would contain itself"));
    let stopped = revision_of(folder.path(), &Silent, &|| true).unwrap_err();
    assert!(stopped.to_string().contains("interrupted"));
    assert!(revision_of_file(Path::new("/nowhere")).is_err());
}
