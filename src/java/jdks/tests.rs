use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use tempfile::TempDir;

use super::*;
use crate::spec::JdkWish;

/// A machine in a folder.
struct Lab {
    folder: TempDir,
    variables: BTreeMap<String, OsString>,
}

impl Lab {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let variables = BTreeMap::from([("HOME".to_owned(), folder.path().join("home").into())]);
        Lab { folder, variables }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    /// A JDK of this version, as far as anyone looks.
    fn jdk(&self, name: &str, version: &str) -> PathBuf {
        let home = self.path(name);
        program(&home.join("bin/javac"), "");
        program(&home.join("bin/java"), "");
        fs::write(home.join("release"), format!("IMPLEMENTOR=\"Lab\"\nJAVA_VERSION=\"{version}\"\n")).unwrap();
        home
    }

    fn set(&mut self, name: &str, value: impl Into<OsString>) {
        self.variables.insert(name.to_owned(), value.into());
    }

    fn find(&self) -> Jdks {
        Jdks::find(&Surroundings { variables: self.variables.clone(), system: self.path("usr/lib/jvm") })
    }
}

fn program(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn versions(jdks: &Jdks) -> Vec<String> {
    jdks.found.iter().map(|jdk| jdk.version.to_string()).collect()
}

#[test]
fn every_place_is_looked_at_and_the_newest_comes_first() {
    let mut lab = Lab::new();
    lab.jdk("usr/lib/jvm/java-17", "17.0.15");
    lab.jdk("home/.sdkman/candidates/java/21-tem", "21.0.2");
    lab.jdk("home/.asdf/installs/java/x", "11.0.2");
    lab.jdk("home/.local/share/mise/installs/java/x", "22.0.1");
    lab.jdk("home/.jabba/jdk/x", "1.8.0_392");
    lab.jdk("home/.gradle/jdks/wrapped/jdk-19", "19.0.1");
    lab.jdk("home/.jdks/x", "16.0.1");
    lab.jdk("pool/one", "9.0.4");
    let alone = lab.jdk("alone", "10.0.2");
    lab.set("PARADE_JDKS", std::env::join_paths([lab.path("pool"), alone]).unwrap());
    lab.set("JAVA_HOME_12_X64", lab.jdk("ci", "12.0.1"));
    let toolchains = format!(
        "<toolchains><toolchain><configuration><jdkHome>{}</jdkHome></configuration></toolchain></toolchains>",
        lab.jdk("by-maven", "13.0.1").display()
    );
    fs::create_dir_all(lab.path("home/.m2")).unwrap();
    fs::write(lab.path("home/.m2/toolchains.xml"), toolchains).unwrap();
    let found = lab.find();
    let expected = [
        "22.0.1",
        "21.0.2",
        "19.0.1",
        "17.0.15",
        "16.0.1",
        "13.0.1",
        "12.0.1",
        "11.0.2",
        "10.0.2",
        "9.0.4",
        "1.8.0_392",
    ];
    assert_eq!(versions(&found), expected);
    assert_eq!(found.notes, Vec::<String>::new());
    let by =
        |version: &str| found.found.iter().find(|jdk| jdk.version.to_string() == version).unwrap().found_by.concat();
    assert_eq!(by("21.0.2"), "SDKMAN!");
    assert_eq!(by("12.0.1"), "JAVA_HOME_12_X64");
    assert_eq!(by("13.0.1"), "Maven's toolchains.xml");
}

#[test]
fn moved_folders_of_installers_are_found() {
    let mut lab = Lab::new();
    lab.jdk("sdk/candidates/java/x", "21.0.2");
    lab.jdk("gradle/jdks/x", "17.0.1");
    lab.set("SDKMAN_DIR", lab.path("sdk"));
    lab.set("GRADLE_USER_HOME", lab.path("gradle"));
    assert_eq!(versions(&lab.find()), ["21.0.2", "17.0.1"]);
}

#[test]
fn one_jdk_by_many_ways_is_one() {
    let mut lab = Lab::new();
    let home = lab.jdk("usr/lib/jvm/java-17", "17.0.15");
    symlink(&home, lab.path("usr/lib/jvm/default")).unwrap();
    fs::create_dir(lab.path("bin")).unwrap();
    symlink(home.join("bin/javac"), lab.path("bin/javac")).unwrap();
    lab.set("PATH", lab.path("bin"));
    lab.set("JAVA_HOME", lab.path("usr/lib/jvm/default"));
    let found = lab.find();
    assert_eq!(versions(&found), ["17.0.15"]);
    assert_eq!(found.found[0].home, home);
    assert_eq!(found.found[0].vendor.as_deref(), Some("Lab"));
    let system = lab.path("usr/lib/jvm").to_string_lossy().into_owned();
    assert_eq!(found.found[0].found_by, ["JAVA_HOME".to_owned(), "PATH".to_owned(), system]);
}

#[test]
fn what_is_broken_is_passed_over_with_a_note() {
    let mut lab = Lab::new();
    lab.jdk("home/.jdks/good", "17.0.15");
    fs::remove_file(lab.jdk("home/.jdks/runtime", "17.0.1").join("bin/javac")).unwrap();
    fs::write(lab.jdk("home/.jdks/strange", "").join("release"), "JAVA_VERSION=\"nonsense\"").unwrap();
    symlink("/nowhere", lab.path("home/.jdks/dangling")).unwrap();
    fs::create_dir_all(lab.path("usr/lib/jvm/openjdk-17")).unwrap();
    lab.set("JAVA_HOME", "/nowhere");
    lab.set("JDK_JAVA_OPTIONS", "-Xmx1g");
    lab.set("PARADE_JDKS", "relative");
    fs::create_dir_all(lab.path("home/.m2")).unwrap();
    fs::write(lab.path("home/.m2/toolchains.xml"), "<toolchains><jdkHome>").unwrap();
    let found = lab.find();
    assert_eq!(versions(&found), ["17.0.15"]);
    let notes = found.notes.join("\n");
    for expected in [
        "/nowhere (JAVA_HOME)",
        "runtime (IntelliJ): it has no bin/javac: a runtime",
        "its version \"nonsense\" is not known",
        "dangling (IntelliJ)",
        "relative (PARADE_JDKS): write an absolute path",
        "toolchains.xml: the file ends before",
    ] {
        assert!(notes.contains(expected), "{expected} in {notes}");
    }
    assert!(!notes.contains("openjdk-17") && !notes.contains("OPTIONS"), "{notes}");
}

#[test]
fn a_jdk_without_a_release_file_is_asked_and_not_for_ever() {
    let lab = Lab::new();
    let home = lab.jdk("usr/lib/jvm/java-8", "");
    fs::remove_file(home.join("release")).unwrap();
    program(&home.join("bin/javac"), "#!/bin/sh\necho javac 1.8.0_504 >&2\n");
    assert_eq!(versions(&lab.find()), ["1.8.0_504"]);
    program(&home.join("bin/javac"), "#!/bin/sh\nhead -c 10000000 /dev/zero\necho no\n");
    let found = lab.find();
    assert!(found.found.is_empty() && found.notes[0].contains("does not print a version"), "{:?}", found.notes);
}

#[test]
fn a_wish_takes_the_newest_that_it_means() {
    let lab = Lab::new();
    for version in ["17.0.2", "17.0.15", "1.8.0_392", "18.0.1"] {
        lab.jdk(&format!("usr/lib/jvm/{version}"), version);
    }
    let jdks = lab.find();
    let chosen = |written: &str| {
        let wish = JdkWish::parse(written, lab.folder.path()).unwrap();
        jdks.choose(&wish).map(|jdk| jdk.version.to_string())
    };
    assert_eq!(chosen("17").unwrap(), "17.0.15");
    assert_eq!(chosen("17.0.2").unwrap(), "17.0.2");
    assert_eq!(chosen("8").unwrap(), "1.8.0_392");
    assert_eq!(chosen("1.8").unwrap(), "1.8.0_392");
    assert_eq!(chosen("usr/lib/jvm/18.0.1").unwrap(), "18.0.1");
    let missing = chosen("21").unwrap_err();
    assert_eq!(missing.to_string(), "this machine has no JDK 21");
    let help = missing.help().unwrap().to_string();
    assert!(help.contains("18.0.1, 17.0.15, 17.0.2, 1.8.0_392") && help.contains("PARADE_JDKS"), "{help}");
    assert!(chosen("./nowhere").unwrap_err().to_string().contains("is not a JDK"));
    for strange in ["", "latest", "temurin-17", "17\n", "-8", "1"] {
        assert!(JdkWish::parse(strange, lab.folder.path()).is_err(), "{strange:?}");
    }
}

#[test]
fn the_helper_is_built_by_a_compiler_that_still_knows_level_8() {
    let lab = Lab::new();
    for version in ["25.0.1", "17.0.2", "11.0.2", "1.8.0_392"] {
        lab.jdk(&format!("usr/lib/jvm/{version}"), version);
    }
    assert_eq!(lab.find().oldest_modern().unwrap().version.to_string(), "11.0.2");
}
