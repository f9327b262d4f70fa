//! What the machine has to have for a subject: JDKs and users. And the tests that are about just that.

use std::path::Path;
use std::process::Output;

use parade::java::{Jdk, Jdks, jdks};
use parade::process::keeper;
use parade::store::record::Verdict;

use super::expectation::Expectation;
use crate::turn;

/// Why a subject cannot be tried here.
pub fn lacks(expectation: &Expectation) -> Option<String> {
    if expectation.frameworks == ["pytest"] {
        keeper::use_program(env!("CARGO_BIN_EXE_parade"));
        return match parade::python::interpreter(None) {
            Ok(found) if found.xdist.is_some() => None,
            Ok(_) => Some("pytest-xdist is not installed".to_owned()),
            Err(why) => Some(why.to_string()),
        };
    }
    let bounds = expectation.jdk?;
    let fits = |jdk: &Jdk| bounds.hold(jdk.major().into());
    let found = found();
    (!found.found.iter().any(fits)).then(|| {
        format!("no JDK {bounds} is here, only {}; PARADE_JDKS can name a folder that has one", found.listed())
    })
}

fn found() -> &'static Jdks {
    keeper::use_program(env!("CARGO_BIN_EXE_parade"));
    jdks()
}

/// As root, without a `user`, what is forbidden to everyone can be done all the same.
///
/// # Panics
/// When it cannot.
pub fn check_root_is_told_apart() {
    let name = "file-permissions";
    let Some(_turn) = turn::of_subject(name) else { return };
    if let Some(why) = parade::process::missing_privileges() {
        println!("{name}: skipped, as parade cannot choose whom to run it as: {why}");
        return;
    }
    let mut expectation = Expectation::of(name);
    expectation.user = None;
    expectation.configurations.truncate(1);
    for configuration in &mut expectation.configurations {
        configuration.verdict = Verdict::Failing;
        configuration.passed = Some(super::expectation::Bounds::Exactly(1));
        configuration.failed = Some(super::expectation::Bounds::Exactly(2));
    }
    super::check(name, &expectation);
}

/// Two subjects of one experiment on two JDKs; going on with it keeps them; another JDK is a change.
///
/// # Panics
/// When one of them gets another JDK.
pub fn check_choice_of_jdks() {
    let has = |major: u32| found().found.iter().any(|jdk| jdk.major() == major);
    let Some(_turn) = turn::beside_others("needs-jdk8 beside needs-jdk17") else { return };
    if !has(8) || !has(17) {
        println!("skipped, as this machine has {} and not both an 8 and a 17", found().listed());
        return;
    }
    let scratch = super::scratch("two-jdks");
    let file = write_experiment(scratch.path(), "");
    let first = run(&file, &[]);
    let told = String::from_utf8_lossy(&first.stderr).into_owned();
    assert_eq!(first.status.code(), Some(0), "{told}");
    let latest = file.with_file_name("results").join("two-jdks/latest");
    let run_of_first = parade::store::open_run(&latest).expect("a run");
    let jdk = |subject: &str| {
        let record = run_of_first.subjects.iter().find(|record| record.subject == subject).expect("its record");
        let choice = record.jdk_choice.clone().unwrap_or_default();
        (record.jdk.clone().unwrap_or_default(), choice)
    };
    assert!(jdk("needs-jdk8").0.starts_with("1.8."), "{:?}", jdk("needs-jdk8"));
    assert!(jdk("needs-jdk8").1.contains("Label.java:"), "{:?}", jdk("needs-jdk8"));
    assert!(jdk("needs-jdk17").0.starts_with("17."), "{:?}", jdk("needs-jdk17"));
    let homes = run_of_first.trials.iter().filter_map(|trial| trial.java_home.as_deref());
    assert_eq!(homes.collect::<std::collections::BTreeSet<_>>().len(), 2);
    assert_eq!(run_of_first.environment.jdks.len(), 2);

    let again = String::from_utf8_lossy(&run(&file, &["--fresh"]).stderr).into_owned();
    assert!(!again.contains("does not build") && again.contains("JDK 1.8."), "the choice was not kept:\n{again}");
    let other = run(&file, &["--jdk", "17"]);
    let told = String::from_utf8_lossy(&other.stderr).into_owned();
    assert!(other.status.code() == Some(1) && told.contains("because something has changed"), "{told}");
    check_a_jdk_that_is_gone(&file, &latest);
    let missing = run(&write_experiment(scratch.path(), "jdk = \"99\""), &[]);
    // Mistakes are a JSON document too.
    let told = String::from_utf8_lossy(&missing.stdout).into_owned();
    assert!(missing.status.code() == Some(2) && told.contains("this machine has no JDK 99"), "{told}");
}

/// A suite of which a test fails on every JDK after 17: the newest builds it, and an older one is taken.
///
/// # Panics
/// When it gets a JDK on which a test fails, or does not say why.
pub fn check_jdk_by_what_passes() {
    let Some(_turn) = turn::beside_others("a JDK by what passes") else { return };
    let has = |wanted: fn(u32) -> bool| found().found.iter().any(|jdk| wanted(jdk.major()));
    if !has(|major| major > 17) || !has(|major| major == 17) {
        println!("skipped, as this machine has {} and not both a 17 and a newer one", found().listed());
        return;
    }
    let scratch = super::scratch("passes-on-17");
    let project = scratch.path().join("project");
    let tests = project.join("src/test/java");
    std::fs::create_dir_all(&tests).expect("the scratch folder is ours");
    let pom = std::fs::read_to_string(super::subjects_folder().join("needs-jdk17/pom.xml")).expect("a pom");
    std::fs::write(project.join("pom.xml"), pom).expect("the scratch folder is ours");
    let test = "public class AgeTest {\n\
        @org.junit.Test public void fine() {}\n\
        @org.junit.Test public void isNotTooNew() {\n\
            org.junit.Assert.assertEquals(\"17\", System.getProperty(\"java.specification.version\"));\n\
        }\n}\n";
    std::fs::write(tests.join("AgeTest.java"), test).expect("the scratch folder is ours");
    let file = scratch.path().join("experiment.toml");
    let text = format!(
        "[experiment]\nname = \"age\"\n[machine]\ntimeout = \"120s\"\n[[subject]]\nname = \"age\"\npath = {project:?}\n\
         [[configuration]]\nname = \"sequential\"\n"
    );
    std::fs::write(&file, text).expect("the scratch folder is ours");
    let ended = run(&file, &[]);
    let told = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(0), "{told}");
    let latest = parade::store::open_run(&file.with_file_name("results").join("age/latest")).expect("a run");
    let record = &latest.subjects[0];
    let (jdk, why) = (record.jdk.clone().unwrap_or_default(), record.jdk_choice.clone().unwrap_or_default());
    assert!(jdk.starts_with("17."), "{jdk}: {why}");
    assert!(why.contains("1 of 2 tests fail on ") && why.contains("none on 17."), "{why}");
}

/// What earlier trials ran on is no longer there: going on would mix two JDKs.
fn check_a_jdk_that_is_gone(file: &Path, run_folder: &Path) {
    let journal = run_folder.join("journal.jsonl");
    let text = std::fs::read_to_string(&journal).expect("the journal");
    std::fs::write(&journal, text.replace("\"java_home\":\"/", "\"java_home\":\"/nowhere/"))
        .expect("the journal is ours");
    let gone = run(file, &[]);
    let told = String::from_utf8_lossy(&gone.stderr).into_owned();
    assert!(gone.status.code() == Some(1) && told.contains("the JDK of subject `needs-jdk8`"), "{told}");
    assert_eq!(run(file, &["--accept-changes"]).status.code(), Some(0), "changes can be accepted");
    std::fs::write(&journal, text).expect("the journal is ours");
}

fn write_experiment(folder: &Path, machine: &str) -> std::path::PathBuf {
    let subjects = super::subjects_folder();
    let text = format!(
        "[experiment]\nname = \"two-jdks\"\n[machine]\ntimeout = \"120s\"\n{machine}\n\
         [[subject]]\nname = \"needs-jdk8\"\npath = {:?}\n\
         [[subject]]\nname = \"needs-jdk17\"\npath = {:?}\njdk = 17\n\
         [[configuration]]\nname = \"sequential\"\n",
        subjects.join("needs-jdk8"),
        subjects.join("needs-jdk17"),
    );
    let path = folder.join("experiment.toml");
    std::fs::write(&path, text).expect("the scratch folder is ours");
    path
}

fn run(file: &Path, extra: &[&str]) -> Output {
    let results = file.with_file_name("results");
    let mut command = super::parade_run(file, &results);
    command.args(extra);
    assert_cmd::Command::from_std(command).timeout(super::PATIENCE).output().expect("parade can be started")
}
