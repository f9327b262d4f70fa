use super::record::{LOGS, RECORD, SEEN};
use super::*;
use crate::maven::KnownTest;
use crate::spec::Origin;
use crate::spec::fingerprint_tests::{self, Dependents, assert_key_follows};
use crate::subject::Silent;
use crate::suite::Finding;
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
    let place = BuildRecordPaths {
        record: folder.path().join(RECORD),
        seen: folder.path().join(SEEN),
        logs: folder.path().join(LOGS),
    };
    let read = |key| place.read(key, FirstRun::Now);
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
    let memory = Memory { place: BuildRecordPaths::beside(&checkout), key: "k".into() };
    let seen = Discovery { scrambled: true, ..Discovery::default() };
    memory.keep(&seen).unwrap();
    assert_eq!(memory.place.read("k", FirstRun::Now), None);
    assert_eq!(memory.place.read("k", FirstRun::Later), Some(seen.clone()));
    // A sequential run knows better.
    memory.keep(&Discovery::default()).unwrap();
    assert_eq!(memory.place.read("k", FirstRun::Later), Some(Discovery::default()));
    memory.place.forget(&checkout).unwrap();
    assert_eq!(memory.place.read("k", FirstRun::Later), None);
    let lost = Finding::new(FindingKind::LostTests, "x");
    memory.keep(&Discovery { findings: vec![lost], ..seen }).unwrap();
    assert_eq!(memory.place.read("k", FirstRun::Later), None);
}

fn subject(timeout: u64) -> Subject {
    Subject {
        name: "lib".to_owned(),
        source: ".".to_owned(),
        origin: Origin::Folder { path: ".".into() },
        timeout: Duration::from_secs(timeout),
        ..fingerprint_tests::subject()
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
        maven_origin: crate::MavenOrigin::Path,
    };
    let helper = Helper { extension: "/h/e.jar".into(), listeners: "/h/l.jar".into(), hash: "0".into() };
    let checkout = Checkout { root: "/w".into(), revision: "content-1".into() };
    let place = BuildRecordPaths { record: "/r".into(), seen: "/s".into(), logs: "/l".into() };
    let preparation = Preparation {
        subject,
        revision: "content-1",
        toolchain: &toolchain,
        home: &Home::at("/home"),
        build_timeout: Duration::from_secs(1),
        memory_bytes: None,
        progress: &Silent,
        interrupt: &Interrupt::new(),
        tag: "run-7",
        discovery: FirstRun::Now,
    };
    let means = Means {
        helper,
        repository: SealedRepository::of_subject(&Home::at("/home"), subject, None),
        user: None,
        maven_note: None,
    };
    let building = Building { preparation: &preparation, checkout: &checkout, means: &means, place: &place };
    (build_key(&preparation, &checkout, &means.helper.hash).unwrap(), building.tag("build"))
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
fn the_memory_limit_holds_for_set_up_commands_too() {
    let folder = tempfile::tempdir().unwrap();
    let words =
        ["python3", "-c", "x = bytearray(400 << 20); x[::4096] = b'x' * len(x[::4096]); import time; time.sleep(2)"];
    let greedy = Subject { setup: vec![words.map(str::to_owned).to_vec()], ..subject(1) };
    let toolchain = Toolchain {
        java_home: "/jdk".into(),
        java_version: "17.0.1".into(),
        java_major: 17,
        mvn: "/mvn".into(),
        maven_version: "3.8.7".into(),
        maven_origin: crate::MavenOrigin::Path,
    };
    let helper = Helper { extension: "/h/e.jar".into(), listeners: "/h/l.jar".into(), hash: "0".into() };
    let checkout = Checkout { root: folder.path().to_owned(), revision: "content-1".into() };
    let place = BuildRecordPaths { record: "/r".into(), seen: "/s".into(), logs: folder.path().to_owned() };
    let preparation = Preparation {
        subject: &greedy,
        revision: "content-1",
        toolchain: &toolchain,
        home: &Home::at(folder.path()),
        build_timeout: Duration::from_secs(60),
        memory_bytes: Some(100 << 20),
        progress: &Silent,
        interrupt: &Interrupt::new(),
        tag: "greedy",
        discovery: FirstRun::Now,
    };
    let repository = SealedRepository::of_subject(&Home::at(folder.path()), &greedy, None);
    let means = Means { helper, repository, user: None, maven_note: None };
    let building = Building { preparation: &preparation, checkout: &checkout, means: &means, place: &place };
    match building.set_up().unwrap() {
        Some(Stop::Failed { reason, .. }) => assert!(reason.contains("more memory than the 100MiB"), "{reason}"),
        _ => panic!("it had more memory than it may have"),
    }
}

#[test]
fn a_project_of_another_tool_is_refused_by_name() {
    crate::project::register(&[&crate::MavenPlatform]);
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("app")).unwrap();
    std::fs::write(folder.path().join("app/build.gradle.kts"), "").unwrap();
    let checkout = Checkout { root: folder.path().to_owned(), revision: "content-1".into() };
    let at = |directory: &str| Subject { directory: Some(directory.into()), ..subject(1) };
    let error = build_root(&at("app"), &checkout).unwrap_err();
    assert_eq!(error.to_string(), "`app` is a Gradle project (build.gradle.kts), but parade supports only Maven");
    assert!(error.help().unwrap().to_string().contains("maven-publish"));
    let missing = build_root(&at("nowhere"), &checkout).unwrap_err();
    assert_eq!(missing.to_string(), "`nowhere` is not a folder of the subject");
}

#[test]
fn another_user_is_another_build() {
    let other = Subject { user: Some("nobody".to_owned()), ..subject(20) };
    assert_ne!(key_and_tag(&subject(20)).0, key_and_tag(&other).0);
}

#[test]
fn what_maven_is_given_makes_another_build() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("settings.xml");
    let with = |args: &[&str]| {
        let maven_args = args.iter().map(|&argument| argument.to_owned()).collect();
        key_and_tag(&Subject { maven_args, ..subject(20) }).0
    };
    let named = ["-s", file.to_str().unwrap()];
    std::fs::write(&file, "<settings/>").unwrap();
    let first = with(&named);
    std::fs::write(&file, "<settings><offline>true</offline></settings>").unwrap();
    assert_ne!(with(&named), first, "the same path, another content");
    assert_ne!(with(&["-Pfast"]), with(&[]));
}

#[test]
fn a_project_is_built_with_the_maven_of_its_wrapper() {
    let folder = tempfile::tempdir().unwrap();
    let (tree, home) = (folder.path().join("tree"), Home::at(folder.path().join("home")));
    std::fs::create_dir_all(tree.join(".mvn/wrapper")).unwrap();
    let url = "distributionUrl=https://h/apache-maven-3.9.9-bin.zip\n";
    std::fs::write(tree.join(".mvn/wrapper/maven-wrapper.properties"), url).unwrap();
    let own = Toolchain {
        java_home: "/jdk".into(),
        java_version: "17.0.1".into(),
        java_major: 17,
        mvn: "/mvn".into(),
        maven_version: "3.8.7".into(),
        maven_origin: MavenOrigin::Path,
    };
    let chosen = |own: &Toolchain| {
        let preparation = Preparation {
            subject: &subject(1),
            revision: "content-1",
            toolchain: own,
            home: &home,
            build_timeout: Duration::from_secs(1),
            memory_bytes: None,
            progress: &Silent,
            interrupt: &Interrupt::new(),
            tag: "t",
            discovery: FirstRun::Now,
        };
        let checkout = Checkout { root: tree.clone(), revision: "content-1".into() };
        preparation.with_project_maven(&checkout, None).unwrap()
    };
    let (missing, note) = chosen(&own);
    assert_eq!(missing, own);
    let note = note.unwrap();
    assert!(note.contains("requires Maven 3.9.9") && note.contains("3.8.7 (mvn on the PATH)"), "{note}");

    let store = SealedRepository::of_subject(&home, &subject(1), None).distributions(&home);
    let distribution = store.join("wrapper/dists/apache-maven-3.9.9/0");
    std::fs::create_dir_all(distribution.join("bin")).unwrap();
    std::fs::create_dir_all(distribution.join("lib")).unwrap();
    std::fs::write(distribution.join("lib/maven-core-3.9.9.jar"), "").unwrap();
    let mvn = distribution.join("bin/mvn");
    std::fs::write(&mvn, "").unwrap();
    std::fs::set_permissions(&mvn, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let (found, note) = chosen(&own);
    assert_eq!((found.mvn, found.maven_version.as_str(), note), (mvn, "3.9.9", None));
    std::fs::rename(distribution.join("lib/maven-core-3.9.9.jar"), distribution.join("lib/maven-core-3.3.9.jar"))
        .unwrap();
    let (too_old, note) = chosen(&own);
    assert_eq!(too_old, own);
    assert!(note.unwrap().contains("too old for Surefire 3.5.6, which needs 3.6.3"));
    let asked = Toolchain { maven_origin: MavenOrigin::Environment, ..own };
    assert_eq!(chosen(&asked), (asked.clone(), None), "MAVEN_HOME chooses");
}

#[test]
fn a_build_is_made_again_when_something_changed_that_it_depends_on() {
    let toolchain = Toolchain {
        java_home: "/jdk".into(),
        java_version: "17".to_owned(),
        java_major: 17,
        mvn: "/mvn".into(),
        maven_version: "3.9.11".to_owned(),
        maven_origin: MavenOrigin::Path,
    };
    let checkout = Checkout { root: "/tree".into(), revision: "abc".to_owned() };
    let key_of = |subject: &Subject, toolchain: &Toolchain, checkout: &Checkout, helper: &str, memory_bytes| {
        let preparation = Preparation {
            subject,
            revision: "abc",
            toolchain,
            home: &Home::at("/home"),
            build_timeout: Duration::from_secs(1),
            memory_bytes,
            progress: &Silent,
            interrupt: &Interrupt::new(),
            tag: "run-7",
            discovery: FirstRun::Now,
        };
        build_key(&preparation, checkout, helper).unwrap()
    };
    assert_key_follows(|subject| key_of(subject, &toolchain, &checkout, "h", None), &[Dependents::Build], &[]);

    let subject = fingerprint_tests::subject();
    let plain = key_of(&subject, &toolchain, &checkout, "h", None);
    for changed in [
        Toolchain { java_home: "/other".into(), ..toolchain.clone() },
        Toolchain { java_version: "17.0.1".to_owned(), ..toolchain.clone() },
        Toolchain { mvn: "/other".into(), ..toolchain.clone() },
        Toolchain { maven_version: "3.9.12".to_owned(), ..toolchain.clone() },
    ] {
        assert_ne!(key_of(&subject, &changed, &checkout, "h", None), plain, "{changed:?}");
    }
    let elsewhere = Checkout { root: "/other".into(), ..checkout.clone() };
    let later = Checkout { revision: "abd".to_owned(), ..checkout.clone() };
    assert_ne!(key_of(&subject, &toolchain, &elsewhere, "h", None), plain);
    assert_ne!(key_of(&subject, &toolchain, &later, "h", None), plain);
    assert_ne!(key_of(&subject, &toolchain, &checkout, "other", None), plain);
    assert_ne!(key_of(&subject, &toolchain, &checkout, "h", Some(1)), plain);
}
