//! `parade test` and `parade init`: the real program, on model suites.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::desk::{Desk, bundled};
use crate::common::testing::{assert_agreement, parade, reports_of, tested};

/// `b` fails beside `a` and passes alone; `c` fails whatever happens.
const SUITE: &str = "
startup = 1
[[test]]
id = 'one:p.Race#a'
seconds = 2
[[test]]
id = 'one:p.Race#b'
seconds = 2
races_with = ['one:p.Race#a']
[[test]]
id = 'p.Plain#passes'
seconds = 1
";
const BROKEN: &str = "[[test]]\nid = 'p.Broken#<&>'\nseconds = 1\nflaky = 1\n";

#[test]
fn a_suite_without_tests_is_said_as_such() {
    let desk = Desk::new();
    desk.write("suite.toml", "test = []\n");
    let (code, document) = tested(&desk, &["suite.toml"]);
    assert_eq!((code, document["verdict"].as_str()), (Some(1), Some("no_tests")), "{document:#}");
    let output = parade(&desk, &["test", "suite.toml", "--allow-no-tests"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.ends_with("suite.toml has no tests that Surefire would run\n"), "{text}");
}

#[test]
fn what_is_for_maven_is_refused_for_a_model_and_goals_always() {
    let desk = Desk::new();
    desk.write("suite.toml", SUITE);
    fs::create_dir(desk.path("project")).unwrap();
    fs::write(desk.path("project/pom.xml"), "<project/>").unwrap();
    for command in ["test", "order", "detect", "assess"] {
        let algorithm: &[&str] = if command == "order" { &["--algorithm", "P1"] } else { &[] };
        for (arguments, told) in [
            (&["suite.toml", "--env", "A=b"][..], "--env has no meaning"),
            (&["suite.toml", "--", "-Pfast"], "arguments after -- has no meaning"),
            (&["project", "--", "-Pfast", "clean"], "`clean` after -- is a goal"),
            (&["project", "--settings", "nowhere.xml"], "there is no file nowhere.xml"),
            (&["project", "--maven", "nowhere"], "nowhere is neither a program"),
        ] {
            let output = parade(&desk, &[&[command], algorithm, arguments].concat());
            let error = String::from_utf8_lossy(&output.stderr).into_owned();
            let error = error.split_whitespace().collect::<Vec<_>>().join(" ").replace("│ ", "");
            assert_eq!(output.status.code(), Some(2), "{command} {arguments:?}: {error}");
            assert!(error.contains(told), "{command} {arguments:?}: {error}");
        }
    }
}

#[test]
fn a_race_is_repaired_and_still_told() {
    if std::thread::available_parallelism().unwrap().get() < 2 {
        eprintln!("skipped: nothing runs in parallel on one core");
        return;
    }
    let desk = Desk::new();
    desk.write("suite.toml", SUITE);
    let (code, document) = tested(&desk, &["suite.toml", "--parallel", "methods"]);
    assert_eq!((code, document["verdict"].as_str()), (Some(0), Some("clean")));
    assert_eq!(document["flaky"], serde_json::json!(["one:p.Race#b"]));
    assert_eq!((&document["tests"], &document["passed"], &document["retried"]), (&3.into(), &3.into(), &1.into()));
    // A second of start-up and two of the race in each of the two stages, and one for the other class.
    assert_eq!(document["seconds"], 7.0);
    let reports = reports_of(&document);
    assert_agreement(&document, &reports);
    assert!(reports.join("one/TEST-p.Race.xml").is_file() && reports.join("TEST-p.Plain.xml").is_file());
    let written: Vec<_> = fs::read_dir(desk.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(written.iter().all(|name| name == "suite.toml" || name == "home"), "{written:?}");
    assert_eq!(document["project"]["name"], "suite.toml");
    assert_eq!(
        document["mode"],
        format!(
            "the methods of a class at the same time, classes one after the other (TestNG: all methods); {} threads",
            std::thread::available_parallelism().unwrap()
        )
    );
    let (code, plain) = tested(&desk, &["suite.toml", "--parallel", "methods", "--technique", "parallel"]);
    assert_eq!((code, &plain["failed"], &plain["retried"]), (Some(1), &1.into(), &0.into()));
    let (code, sequential) = tested(&desk, &["suite.toml", "--technique", "sequential"]);
    assert_eq!((code, &sequential["passed"], &sequential["concurrency_max"]), (Some(0), &3.into(), &1.into()));
}

/// Which of many invocations failed is told by its index.
#[test]
fn an_invocation_that_failed_is_told_by_its_index() {
    let desk = Desk::new();
    desk.write(
        "suite.toml",
        "[[test]]\nid = 'p.A#t'\n[[test]]\nid = 'p.A#t~2'\nflaky = 1.0\n[[test]]\nid = 'p.A#u'\nflaky = 1.0\n",
    );
    let (code, document) = tested(&desk, &["suite.toml"]);
    let failures = document["failures"].as_array().unwrap();
    let told: Vec<_> =
        failures.iter().map(|failure| (failure["test"].as_str().unwrap(), &failure["invocation"])).collect();
    assert_eq!((code, told), (Some(1), vec![("p.A#t~2", &2.into()), ("p.A#u", &Value::Null)]));
    let output = desk.command(["test", "suite.toml"]).output().unwrap();
    let page = String::from_utf8(output.stdout).unwrap();
    assert!(page.contains("\n  p.A#t[2]\n") && page.contains("\n  p.A#u\n"), "{page}");
}

#[test]
fn a_failure_that_stays_fails_the_build_and_old_reports_do_not() {
    let desk = Desk::new();
    desk.write("suite.toml", &format!("{SUITE}{BROKEN}"));
    let (code, document) = tested(&desk, &["suite.toml", "--reports", "out"]);
    assert_eq!((code, document["verdict"].as_str()), (Some(1), Some("failing")));
    assert_eq!(document["failures"][0]["test"], "p.Broken#<&>");
    assert_agreement(&document, &desk.path("out"));
    fs::write(desk.path("out/TEST-mine.xml"), "<testsuite/>").unwrap();
    desk.write("suite.toml", SUITE);
    let (code, document) = tested(&desk, &["suite.toml", "--reports", "out"]);
    assert_eq!(code, Some(0));
    assert!(!desk.path("out/TEST-p.Broken.xml").exists(), "the report of a test that is gone");
    fs::remove_file(desk.path("out/TEST-mine.xml")).expect("what parade did not write stays");
    assert_agreement(&document, &desk.path("out"));
}

#[test]
fn a_person_reads_what_failed_and_why() {
    let desk = Desk::new();
    desk.write("suite.toml", &format!("{SUITE}{BROKEN}"));
    let output = parade(&desk, &["test", "suite.toml", "--technique", "sequential"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("Failed\n  p.Broken#<&>\n      the model says so\n"), "{text}");
    assert!(text.contains("Project: suite.toml\nMode: one test after the other\n"), "{text}");
    assert!(text.contains("4 tests in 7.0 s: 3 passed, 1 failed"), "{text}");
}

#[test]
fn what_makes_no_sense_is_bad_usage() {
    let desk = Desk::new();
    desk.write("suite.toml", SUITE);
    fs::create_dir(desk.path("empty")).unwrap();
    for arguments in [
        &["suite.toml", "--technique", "sequential", "--threads", "2"][..],
        &["suite.toml", "--technique", "pasta"],
        &["suite.toml", "--timeout", "soon"],
        &["suite.toml", "--test-timeout", "1m", "--rerun-engine", "surefire"],
        &["suite.toml", "--cores", "100000"],
        &["suite.toml", "--revision", "v1"],
        &["nowhere"],
        &["empty"],
        // A model runs one module after the other.
        &["suite.toml", "--modules", "2"],
    ] {
        let output = parade(&desk, &[&["test"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn a_folder_that_cannot_take_reports_is_refused_before_anything_runs() {
    let desk = Desk::new();
    desk.write("suite.toml", SUITE);
    fs::write(desk.path("taken"), "").unwrap();
    let output = parade(&desk, &["test", "suite.toml", "--reports", "taken"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("taken") && told.contains("--reports"), "{told}");
    assert!(output.stdout.is_empty());
}

#[test]
fn times_of_a_model_are_not_taken_for_measurements() {
    let desk = Desk::new();
    desk.write("suite.toml", SUITE);
    let (_, document) = tested(&desk, &["suite.toml"]);
    assert_eq!(document["virtual_time"], true);
    let output = parade(&desk, &["test", "suite.toml"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.starts_with("! times are computed from model suites; nothing was measured\n"), "{text}");
    let refused = parade(&desk, &["test", "suite.toml", "--memory", "1GiB"]);
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.status.code() == Some(2) && told.contains("--memory has no meaning"), "{told}");
}

#[test]
fn a_file_to_start_from_passes_the_check() {
    let desk = Desk::new();
    desk.write("suite.toml", SUITE);
    let project = desk.path("my project");
    fs::create_dir(&project).unwrap();
    fs::write(project.join("pom.xml"), "<project/>").unwrap();
    for (file, subject) in [
        ("model.toml", Some("suite.toml")),
        ("folder.toml", Some("my project")),
        ("url.toml", Some("https://example.org/team/lib.git")),
        ("nothing.toml", None),
    ] {
        let subject = subject.map(|subject| vec!["--subject", subject]).unwrap_or_default();
        let made = parade(&desk, &[&["init", file], subject.as_slice()].concat());
        assert!(made.status.success(), "{file}: {}", String::from_utf8_lossy(&made.stderr));
        let checked = parade(&desk, &["check", file]);
        assert!(checked.status.success(), "{file}: {}", String::from_utf8_lossy(&checked.stderr));
        let again = parade(&desk, &["init", file]);
        assert_eq!(again.status.code(), Some(2), "{file} must not be replaced");
    }
    assert!(parade(&desk, &["init", "model.toml", "--force", "--subject", "my project"]).status.success());
    assert!(fs::read_to_string(desk.path("model.toml")).unwrap().contains("path = \"my project\""));
    let mut run = vec!["run", "nothing.toml", "--dry-run", "--json"];
    assert!(parade(&desk, &run).status.success());
    fs::write(desk.path("wrong.toml"), "[experiment]\nname = 1\n").unwrap();
    run[1] = "wrong.toml";
    let refused = parade(&desk, &run);
    let document: Value = serde_json::from_slice(&refused.stdout).expect("mistakes as JSON");
    assert_eq!((refused.status.code(), document["count"].as_u64()), (Some(2), Some(3)));
}

/// A module cannot be built without its parent and its neighbours.
#[test]
fn a_module_is_run_in_its_whole_build() {
    let desk = Desk::new();
    let root = bundled("multi-module").to_string_lossy().into_owned();
    for (file, named, modules) in [
        ("service.toml", format!("{root}/service"), Some("service")),
        ("pom.toml", format!("{root}/service/pom.xml"), Some("service")),
        ("whole.toml", root.clone(), None),
    ] {
        let made = parade(&desk, &["init", file, "--subject", &named]);
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let table: toml::Table = fs::read_to_string(desk.path(file)).unwrap().parse().unwrap();
        let written = &table["subject"][0];
        let path = fs::canonicalize(written["path"].as_str().unwrap()).unwrap();
        assert_eq!(path, fs::canonicalize(&root).unwrap(), "{file}");
        let chosen = written.get("modules").map(|modules| modules[0].as_str().unwrap());
        assert_eq!((chosen, written.get("directory")), (modules, None), "{file}");
        assert!(parade(&desk, &["check", file]).status.success(), "{file}");
    }
    // Beside the module itself, the path leads up, and both can be moved together.
    let copy = desk.path("copy");
    for pom in ["pom.xml", "core/pom.xml", "service/pom.xml", "app/pom.xml"] {
        fs::create_dir_all(copy.join(pom).parent().unwrap()).unwrap();
        fs::copy(Path::new(&root).join(pom), copy.join(pom)).unwrap();
    }
    let made = parade(&desk, &["init", "copy/service/mine.toml", "--subject", "copy/service"]);
    let told = String::from_utf8_lossy(&made.stdout).into_owned();
    assert!(made.status.success() && told.contains("run with --out"), "{told}");
    let text = fs::read_to_string(copy.join("service/mine.toml")).unwrap();
    assert!(text.contains("path = \"..\"") && text.contains("modules = [\"service\"]"), "{text}");
}

#[test]
fn a_module_that_is_not_there_is_a_mistake() {
    let desk = Desk::new();
    let root = bundled("multi-module").to_string_lossy().into_owned();
    let experiment = |modules: &str| {
        let subject = format!("[[subject]]\nname = 'm'\npath = '{root}'\nmodules = {modules}\n");
        format!("[experiment]\nname = 'x'\n{subject}[[configuration]]\nname = 'sequential'\n")
    };
    fs::write(desk.path("right.toml"), experiment("['core', 'app/']")).unwrap();
    assert!(parade(&desk, &["check", "right.toml"]).status.success());
    fs::write(desk.path("wrong.toml"), experiment("['core', 'nope', 'servce']")).unwrap();
    let refused = parade(&desk, &["check", "wrong.toml", "--json"]);
    let document: Value = serde_json::from_slice(&refused.stdout).unwrap();
    assert_eq!((refused.status.code(), &document["count"]), (Some(2), &Value::from(2)));
    let [first, second] = [0, 1].map(|at| document["mistakes"][at].clone());
    assert_eq!((&first["line"], &first["column"]), (&Value::from(6), &Value::from(20)));
    assert_eq!(first["message"], "the project has no module `nope`");
    assert_eq!(first["help"], "modules: `app`, `core`, `service`");
    assert!(second["help"].as_str().unwrap().starts_with("did you mean `service`?"), "{second}");
}

#[test]
fn a_pom_is_not_an_experiment_file() {
    let desk = Desk::new();
    let refused = parade(&desk, &["check", &format!("{}/pom.xml", bundled("multi-module").display())]);
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{told}");
    let words = told.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ");
    assert!(words.contains("is not an experiment file: it is XML") && words.contains("parade init"), "{told}");
    assert!(!told.contains("not TOML") && told.lines().count() < 12, "{told}");
}

/// All mistakes of a model suite stand among those of the experiment, each with its own file.
#[test]
fn mistakes_of_a_model_suite_have_their_places_in_a_check() {
    let desk = Desk::new();
    desk.write("suite.toml", "[[test]]\nid = 'p.A#a'\nflaky = 2\nneeds = ['p.A#b']\n");
    let subject = "[[subject]]\nname = 'm'\nmodel = 'suite.toml'\nphase = 'test'\n";
    let again = "[[subject]]\nname = 'n'\nmodel = 'suite.toml'\n";
    let text = format!("[experiment]\nname = 'x'\n{subject}{again}[[configuration]]\nname = 'sequential'\n");
    fs::write(desk.path("mine.toml"), text).unwrap();
    let refused = parade(&desk, &["check", "mine.toml", "--json"]);
    let document: Value = serde_json::from_slice(&refused.stdout).unwrap();
    let mistakes = document["mistakes"].as_array().unwrap();
    let told: Vec<(bool, u64, u64)> = mistakes
        .iter()
        .map(|each| {
            let in_suite = each["file"].as_str().unwrap().ends_with("suite.toml");
            (in_suite, each["line"].as_u64().unwrap(), each["column"].as_u64().unwrap())
        })
        .collect();
    assert_eq!(told, [(true, 3, 9), (true, 4, 10), (false, 6, 1)], "{document}");
    let shown = parade(&desk, &["check", "mine.toml"]);
    let shown = String::from_utf8_lossy(&shown.stderr).into_owned();
    assert!(shown.contains("mine.toml and a file that it names have 3 mistakes"), "{shown}");
}

/// A repository's commit goes into the file, so that others run the same code.
#[test]
fn a_repository_is_pinned_to_its_commit() {
    let desk = Desk::new();
    let project = desk.path("project");
    let repository = git2::Repository::init(&project).unwrap();
    let tree = repository.treebuilder(None).unwrap().write().unwrap();
    let author = git2::Signature::now("a", "a@example.org").unwrap();
    let tree = repository.find_tree(tree).unwrap();
    let commit = repository.commit(Some("HEAD"), &author, &author, "empty", &tree, &[]).unwrap();
    repository.remote("origin", "https://user:secret@example.org/project.git").unwrap();
    assert!(parade(&desk, &["init", "--subject", "project"]).status.success());
    let text = fs::read_to_string(desk.path("experiment.toml")).unwrap();
    assert!(text.contains(&format!("commit = \"{commit}\"")), "{text}");
    assert!(text.contains("example.org/project.git") && !text.contains("secret"), "{text}");
}
