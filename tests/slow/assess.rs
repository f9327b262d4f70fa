//! `parade assess`: the real program on bundled subjects, whose `expected.toml` says the verdict.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Instant, SystemTime};

use serde_json::Value;

use crate::common::desk::{Desk, bundled, copy_folder, shared_home};
use crate::common::pytests::{project, run};
use crate::pytest::has_pytest;
use crate::turn;

/// A home folder with Maven's settings and repository in it, which the project makes Maven take for the user's own.
fn user_of(desk: &Desk, project: &Path) -> PathBuf {
    let user = desk.path("user");
    let repository = user.join(".m2/repository");
    fs::create_dir_all(&repository).unwrap();
    let settings = format!("<settings><localRepository>{}</localRepository></settings>", repository.display());
    fs::write(user.join(".m2/settings.xml"), settings).unwrap();
    fs::write(repository.join("kept.txt"), "as it was").unwrap();
    fs::create_dir_all(project.join(".mvn")).unwrap();
    fs::write(project.join(".mvn/jvm.config"), format!("-Duser.home={}", user.display())).unwrap();
    user
}

/// What Maven fetches the first time counts towards no budget here.
fn download(desk: &Desk) {
    if shared_home().join("helper-m2/org/apache/maven/surefire/surefire-junit47").is_dir() {
        return;
    }
    let arguments = ["test", "--technique", "parallel", "--parallel", "classes", "--threads", "2"];
    let project = desk.path("downloads");
    copy_folder(&bundled("clean-gains"), &project);
    let output = desk.command(arguments).arg(&project).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The verdict that its `expected.toml` has; the project and the user's Maven as they were.
fn check_subject(name: &str, budget: &str) -> Option<Value> {
    let _turn = turn::alone(name)?;
    let expected: toml::Table = fs::read_to_string(bundled(name).join("expected.toml")).unwrap().parse().unwrap();
    let desk = Desk::with_downloads();
    download(&desk);
    let project = desk.path(name);
    copy_folder(&bundled(name), &project);
    fs::create_dir_all(project.join("target/classes")).unwrap();
    fs::write(project.join("target/classes/Kept.class"), "as it was").unwrap();
    let user = user_of(&desk, &project);
    let before = [content(&project), content(&user)];
    let arguments = ["assess", project.to_str().unwrap(), "--json", "--budget", budget];
    let output = desk.command(arguments).env("HOME", &user).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{told}");
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["verdict"].as_str(), expected["assess"].as_str(), "{name}: {}\n{told}", answer["reason"]);
    assert_eq!(content(&project), before[0], "{name}: the project was changed");
    assert_eq!(content(&user), before[1], "{name}: the user's Maven was changed");
    let [spent, budget] = ["spent_seconds", "budget_seconds"].map(|key| answer[key].as_f64().unwrap());
    assert!(spent <= budget * 1.1, "{name}: {spent} s of {budget}");
    Some(answer)
}

/// What a file holds, and when it was written; folders hold nothing.
type Content = BTreeMap<PathBuf, (Vec<u8>, SystemTime)>;

/// Everything below a folder.
fn content(folder: &Path) -> Content {
    let mut found = Content::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let (path, written) = (entry.path(), entry.metadata().unwrap().modified().unwrap());
        let bytes = if path.is_dir() { Vec::new() } else { fs::read(&path).unwrap() };
        if path.is_dir() {
            found.extend(content(&path));
        }
        found.insert(path, (bytes, written));
    }
    found
}

/// Plain Maven on a project, offline on what the tests have downloaded; the seconds that it took.
fn plain_maven(project: &Path, phase: &str) -> f64 {
    let local = format!("-Dmaven.repo.local={}", shared_home().join("helper-m2").display());
    let began = Instant::now();
    let output = Command::new("mvn").args(["-q", "-o", &local, phase]).current_dir(project).output().unwrap();
    let took = began.elapsed().as_secs_f64();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    took
}

/// Does what a snippet says: into `<build><plugins>`, although `<pluginManagement>` has the plugin already.
fn paste(snippet: &str, project: &Path) {
    let pom = fs::read_to_string(project.join("pom.xml")).unwrap();
    let pasted = pom.replace("  </build>", &format!("    <plugins>\n{snippet}    </plugins>\n  </build>"));
    assert_ne!(pasted, pom);
    fs::write(project.join("pom.xml"), pasted).unwrap();
}

#[test]
fn clean_gains_is_to_be_adopted_and_maven_takes_the_snippet() {
    let Some(answer) = check_subject("clean-gains", "150s") else { return };
    let folder = tempfile::tempdir().unwrap();
    let [plain, pasted] = ["plain", "pasted"].map(|name| {
        let project = folder.path().join(name);
        copy_folder(&bundled("clean-gains"), &project);
        project
    });
    paste(answer["snippets"][0]["text"].as_str().unwrap(), &pasted);
    for project in [&plain, &pasted] {
        plain_maven(project, "test-compile");
    }
    let ratio = plain_maven(&plain, "test") / plain_maven(&pasted, "test");
    assert!(overlapped(&pasted.join("target/surefire-reports")), "classes ran one after the other");
    assert!(ratio > 1.0, "promised was {}, and it was {ratio}", answer["speedup"]["value"]);
}

/// Are the reports' times together longer than from the first file's writing to the last one's?
fn overlapped(reports: &Path) -> bool {
    let files = fs::read_dir(reports)
        .unwrap()
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("TEST-"));
    let (mut total, mut ends) = (0.0, Vec::new());
    for entry in files {
        let text = fs::read_to_string(entry.path()).unwrap();
        let time = text.split("<testsuite ").nth(1).and_then(|suite| suite.split(" time=\"").nth(1)).unwrap();
        total += time.split('"').next().unwrap().replace(',', "").parse::<f64>().unwrap();
        ends.push(entry.metadata().unwrap().modified().unwrap());
    }
    let first = ends.iter().min().unwrap();
    ends.iter().max().unwrap().duration_since(*first).unwrap().as_secs_f64() < total * 0.75
}

#[test]
fn already_parallel_is_told_so() {
    check_subject("already-parallel", "100s");
}

/// Tests that wait; tests that take the longer the more of them run; and one that hangs beside others. Each of the latter has
/// a time limit of its own.
fn limited_suite(project: &Path) {
    let folder = project.join("src/test/java/limits");
    fs::create_dir_all(&folder).unwrap();
    fs::copy(bundled("clean-gains").join("pom.xml"), project.join("pom.xml")).unwrap();
    let load = "package limits;\nimport java.util.concurrent.atomic.AtomicInteger;\nclass Load {\n\
        static final AtomicInteger RUNNING = new AtomicInteger();\n\
        static boolean besideOthers(int millis) throws Exception {\n\
            RUNNING.incrementAndGet();\n\
            int most = 1;\n\
            for (int i = 0; i < 20; i++) { Thread.sleep(millis / 20); most = Math.max(most, RUNNING.get()); }\n\
            if (most > 1) { Thread.sleep(millis); }\n\
            RUNNING.decrementAndGet();\n\
            return most > 1;\n        }\n}\n";
    fs::write(folder.join("Load.java"), load).unwrap();
    let class = |name: &str, test: &str, body: &str| {
        let text = format!(
            "package limits;\nimport org.junit.Test;\npublic class {name} {{\n@Test{test} public void t() throws Exception {{ {body} }}\n}}\n"
        );
        fs::write(folder.join(format!("{name}.java")), text).unwrap();
    };
    for name in ["ATightTest", "BTightTest", "CTightTest"] {
        class(name, "(timeout = 1700)", "Load.besideOthers(1000);");
    }
    class(
        "EHangsTest",
        "(timeout = 300)",
        "if (Load.RUNNING.get() > 0) { new java.util.concurrent.CountDownLatch(1).await(); }",
    );
    for name in ["WaitsOneTest", "WaitsTwoTest"] {
        class(name, "", "Thread.sleep(1500);");
    }
}

#[test]
fn a_limit_that_is_too_tight_under_load_is_told_from_a_test_that_hangs() {
    let Some(_turn) = turn::alone("time limits under load") else { return };
    let desk = Desk::with_downloads();
    download(&desk);
    let project = desk.path("limited");
    limited_suite(&project);
    let arguments = ["assess", project.to_str().unwrap(), "--json", "--budget", "240s"];
    let output = desk.command(arguments).output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let failure = |class: &str| {
        let all = answer["failures"].as_array().unwrap();
        all.iter().find(|failure| failure["test"] == format!("limits.{class}#t")).cloned().unwrap_or_default()
    };
    let tight = failure("ATightTest");
    assert_eq!(tight["kind"], "timeout_under_load", "{}", answer["failures"]);
    assert!(
        tight["reason"].as_str().unwrap().contains("passes alone, and next to other tests with a larger time limit"),
        "{tight}"
    );
    let hangs = failure("EHangsTest");
    assert!(hangs.is_null() || hangs["kind"] != "timeout_under_load", "{hangs}");
}

#[test]
fn an_assessment_speaks_of_pytest() {
    let Some(_turn) = turn::alone("an_assessment_speaks_of_pytest") else { return };
    if !has_pytest("an_assessment_speaks_of_pytest") {
        return;
    }
    let desk = Desk::new();
    let waits = |name: &str| format!("import time\ndef test_{name}(): time.sleep(3)\n");
    let files = [("a", waits("a")), ("b", waits("b")), ("c", waits("c")), ("d", waits("d"))];
    project(&desk, "waits", &[("pytest.ini", "[pytest]\n")]);
    for (name, text) in &files {
        project(&desk, "waits", &[(&format!("test_{name}.py"), text)]);
    }
    let (code, answer, told) = run(&desk, &["assess", "waits", "--budget", "2m", "--json"]);
    assert_eq!(code, Some(0), "{told}");
    assert_eq!(answer["verdict"], "adopt", "{answer:#}");
    assert_eq!(answer["snippets"][0]["file"], "pytest.ini", "{answer:#}");
    let text = answer["snippets"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("addopts = -n ") && text.contains(" --dist load"), "{text}");
    assert!(answer["command"].as_str().unwrap().starts_with("pytest -n "), "{answer:#}");
    let all = answer.to_string();
    assert!(!all.contains("mvn") && !all.contains("JVM") && !all.contains("pom"), "{answer:#}");
}
