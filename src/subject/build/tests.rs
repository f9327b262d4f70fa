use super::record::{LOGS, RECORD, SEEN};
use super::*;
use crate::experiment::Origin;
use crate::maven::KnownTest;
use crate::subject::Silent;
use crate::suite::FindingKind;

#[test]
fn compiler_levels_follow_the_jdk() {
    let levels = [8, 9, 11, 12, 17, 19, 20, 25].map(lowest_compiler_level);
    assert_eq!(levels, [None, Some(6), Some(6), Some(7), Some(7), Some(7), Some(8), Some(8)]);
}

#[test]
fn what_is_built_stops_short_of_the_tests() {
    assert_eq!(build_goals("test"), ["-DskipTests", "process-test-classes"]);
    assert_eq!(build_goals("package"), ["-DskipTests", "package"]);
    assert_eq!(build_goals("verify"), ["-DskipTests", "package"]);
}

#[test]
fn a_record_of_other_settings_is_no_record() {
    let folder = tempfile::tempdir().unwrap();
    let place =
        Place { record: folder.path().join(RECORD), seen: folder.path().join(SEEN), logs: folder.path().join(LOGS) };
    let read = |key| place.read(key, DiscoveryTime::Now);
    let test = KnownTest { display: Some("c[1]".into()), ..KnownTest::passed("m:a.B#c~2") };
    let discovery = Discovery { tests: vec![test], ..Discovery::default() };
    assert_eq!(read("k"), None);
    place.write("k", &discovery).unwrap();
    assert_eq!(read("k"), Some(discovery));
    assert_eq!(read("other"), None);
    std::fs::write(&place.record, "{").unwrap();
    assert_eq!(read("k"), None);
}

#[test]
fn what_a_parallel_run_saw_is_for_those_who_do_not_measure() {
    let folder = tempfile::tempdir().unwrap();
    let checkout = Checkout { root: folder.path().join("tree"), revision: "r".into() };
    let memory = Memory { place: Place::beside(&checkout), key: "k".into() };
    let seen = Discovery { scrambled: true, ..Discovery::default() };
    memory.keep(&seen).unwrap();
    assert_eq!(memory.place.read("k", DiscoveryTime::Now), None);
    assert_eq!(memory.place.read("k", DiscoveryTime::Later), Some(seen.clone()));
    // A sequential run knows better.
    memory.keep(&Discovery::default()).unwrap();
    assert_eq!(memory.place.read("k", DiscoveryTime::Later), Some(Discovery::default()));
    memory.place.forget(&checkout).unwrap();
    assert_eq!(memory.place.read("k", DiscoveryTime::Later), None);
    let lost = Finding::new(FindingKind::LostTests, "x");
    memory.keep(&Discovery { findings: vec![lost], ..seen }).unwrap();
    assert_eq!(memory.place.read("k", DiscoveryTime::Later), None);
}

fn subject(timeout: u64) -> Subject {
    Subject {
        name: "lib".to_owned(),
        source: ".".to_owned(),
        origin: Origin::Folder { path: ".".into() },
        directory: None,
        modules: vec![],
        maven_args: vec![],
        environment: BTreeMap::new(),
        phase: "test".to_owned(),
        setup: vec![],
        surefire: SurefireVersion::Pinned,
        disable_plugins: vec![],
        timeout: Duration::from_secs(timeout),
        repetitions: 1,
        configurations: vec![],
        dependencies: None,
        jdk: None,
        user: None,
        overrides: BTreeMap::new(),
        label: None,
        inferred: None,
        generator: None,
        earlier: None,
        version: None,
    }
}

/// Of a build of this subject: its key, and the tag of its processes.
fn key_and_tag(subject: &Subject) -> (String, String) {
    let toolchain = Toolchain {
        java_home: "/jdk".into(),
        java_version: "17.0.1".into(),
        java_major: 17,
        mvn: "/mvn".into(),
        maven_version: "3.8.7".into(),
    };
    let helper = Helper { extension: "/h/e.jar".into(), listeners: "/h/l.jar".into(), hash: "0".into() };
    let checkout = Checkout { root: "/w".into(), revision: "content-1".into() };
    let place = Place { record: "/r".into(), seen: "/s".into(), logs: "/l".into() };
    let preparation = Preparation {
        subject,
        revision: "content-1",
        toolchain: &toolchain,
        home: &Home::at("/home"),
        build_timeout: Duration::from_secs(1),
        progress: &Silent,
        interrupt: &Interrupt::new(),
        tag: "run-7",
        discovery: DiscoveryTime::Now,
    };
    let means = Means { helper, repository: "/m2".into(), user: None };
    let building = Building { preparation: &preparation, checkout: &checkout, means: &means, place: &place };
    (preparation.key(&checkout, &means.helper).unwrap(), building.tag("build"))
}

#[test]
fn a_first_run_with_more_time_is_another_one() {
    assert_eq!(key_and_tag(&subject(20)).0, key_and_tag(&subject(20)).0);
    assert_ne!(key_and_tag(&subject(20)).0, key_and_tag(&subject(60)).0);
}

#[test]
fn a_resumed_run_finds_the_processes_of_its_builds() {
    assert!(key_and_tag(&subject(20)).1.starts_with("run-7-"));
}

#[test]
fn a_run_after_one_that_broke_down_starts_clean() {
    let folder = tempfile::tempdir().unwrap();
    let (root, store) = (folder.path().join("tree"), folder.path().join("snapshot"));
    std::fs::create_dir(&root).unwrap();
    let file = root.join("pom.xml");
    std::fs::write(&file, "built").unwrap();
    let snapshot = Snapshot::take(&root, &store).unwrap();

    let cleanliness = Cleanliness::default();
    cleanliness.before_run(&snapshot).unwrap();
    std::fs::write(&file, "changed by a run").unwrap();
    // What comes between, and could put it right, fails.
    cleanliness.before_run(&snapshot).unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "built");
    cleanliness.after_run(&snapshot).unwrap();
    assert!(!cleanliness.dirty.get());
}

#[test]
fn a_project_of_another_tool_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("app")).unwrap();
    std::fs::write(folder.path().join("app/build.gradle.kts"), "").unwrap();
    let checkout = Checkout { root: folder.path().to_owned(), revision: "content-1".into() };
    let at = |directory: &str| Subject { directory: Some(directory.into()), ..subject(1) };
    let error = build_root(&at("app"), &checkout).unwrap_err();
    assert_eq!(error.to_string(), "`app` is a project for Gradle (build.gradle.kts); parade runs Maven projects");
    assert!(error.help().unwrap().to_string().contains("maven-publish"));
    let missing = build_root(&at("nowhere"), &checkout).unwrap_err();
    assert_eq!(missing.to_string(), "`nowhere` is not a folder of the subject");
}

#[test]
fn another_user_is_another_build() {
    let other = Subject { user: Some("nobody".to_owned()), ..subject(20) };
    assert_ne!(key_and_tag(&subject(20)).0, key_and_tag(&other).0);
}
