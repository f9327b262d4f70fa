//! `parade test` and `parade init`: the real program, on model suites, and on bundled subjects where slow tests are wanted.

mod desk;
mod slow;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::{Mutex, PoisonError};

use quick_xml::Reader;
use quick_xml::events::Event;
use serde_json::Value;

use desk::Desk;

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

impl Desk {
    fn parade(&self, arguments: &[&str]) -> Output {
        self.command(arguments.iter().copied()).output().unwrap()
    }

    fn test(&self, arguments: &[&str]) -> (Option<i32>, Value) {
        let output = self.parade(&[&["test", "--json"], arguments].concat());
        let document = serde_json::from_slice(&output.stdout);
        let document = document.unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
        (output.status.code(), document)
    }

    fn suite(&self, text: &str) {
        fs::write(self.path("suite.toml"), text).unwrap();
    }
}

/// What the XML files below a folder say, in sums: by attribute of test suites, and by kind of element.
fn sums(folder: &Path) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.path().is_dir() {
            sums_into(&mut sums, self::sums(&entry.path()));
        } else if entry.path().extension().is_some_and(|extension| extension == "xml") {
            sums_into(&mut sums, sums_of(&fs::read_to_string(entry.path()).unwrap()));
        }
    }
    sums
}

fn sums_into(sums: &mut BTreeMap<String, u64>, more: BTreeMap<String, u64>) {
    more.into_iter().for_each(|(key, number)| *sums.entry(key).or_default() += number);
}

fn sums_of(document: &str) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    let mut reader = Reader::from_str(document);
    loop {
        let tag = match reader.read_event().unwrap() {
            Event::Start(tag) | Event::Empty(tag) => tag,
            Event::Eof => return sums,
            _ => continue,
        };
        *sums.entry(tag.name().as_ref().to_owned()).or_default() += 1;
        for attribute in tag.attributes().map(Result::unwrap).filter(|_| tag.name().as_ref() == "testsuite") {
            if let Ok(number) = attribute.value.parse::<u64>() {
                *sums.entry(attribute.key.as_ref().to_owned()).or_default() += number;
            }
        }
    }
}

/// The document and the reports are two accounts of the same run.
fn assert_agreement(document: &Value, reports: &Path) {
    let sums = sums(reports);
    for (key, attribute) in [("tests", "tests"), ("failed", "failures"), ("errors", "errors"), ("skipped", "skipped")] {
        assert_eq!(document[key].as_u64(), sums.get(attribute).copied(), "{key}: {sums:?}");
    }
    assert_eq!(document["tests"].as_u64(), sums.get("testcase").copied());
    let flaky = ["flakyFailure", "flakyError"].iter().filter_map(|kind| sums.get(*kind)).sum::<u64>();
    assert!(flaky >= document["flaky"].as_array().unwrap().len() as u64, "{sums:?}");
}

/// Where the command says that it wrote them.
fn reports_of(document: &Value) -> PathBuf {
    PathBuf::from(document["reports"].as_str().unwrap())
}

#[test]
fn a_suite_without_tests_is_said_as_such() {
    let desk = Desk::new();
    desk.suite("test = []\n");
    let (code, document) = desk.test(&["suite.toml"]);
    assert_eq!((code, document["verdict"].as_str()), (Some(1), Some("no_tests")), "{document:#}");
    let output = desk.parade(&["test", "suite.toml", "--allow-no-tests"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.ends_with("suite.toml has no tests that Surefire would run\n"), "{text}");
}

#[test]
fn what_is_for_maven_is_refused_for_a_model_and_goals_always() {
    let desk = Desk::new();
    desk.suite(SUITE);
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
            let output = desk.parade(&[&[command], algorithm, arguments].concat());
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
    desk.suite(SUITE);
    let (code, document) = desk.test(&["suite.toml", "--parallel", "methods"]);
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
    let (code, plain) = desk.test(&["suite.toml", "--parallel", "methods", "--technique", "parallel"]);
    assert_eq!((code, &plain["failed"], &plain["retried"]), (Some(1), &1.into(), &0.into()));
    let (code, sequential) = desk.test(&["suite.toml", "--technique", "sequential"]);
    assert_eq!((code, &sequential["passed"], &sequential["concurrency_max"]), (Some(0), &3.into(), &1.into()));
}

/// Which of many invocations failed is told by its index.
#[test]
fn an_invocation_that_failed_is_told_by_its_index() {
    let desk = Desk::new();
    desk.suite("[[test]]\nid = 'p.A#t'\n[[test]]\nid = 'p.A#t~2'\nflaky = 1.0\n[[test]]\nid = 'p.A#u'\nflaky = 1.0\n");
    let (code, document) = desk.test(&["suite.toml"]);
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
    desk.suite(&format!("{SUITE}{BROKEN}"));
    let (code, document) = desk.test(&["suite.toml", "--reports", "out"]);
    assert_eq!((code, document["verdict"].as_str()), (Some(1), Some("failing")));
    assert_eq!(document["failures"][0]["test"], "p.Broken#<&>");
    assert_agreement(&document, &desk.path("out"));
    fs::write(desk.path("out/TEST-mine.xml"), "<testsuite/>").unwrap();
    desk.suite(SUITE);
    let (code, document) = desk.test(&["suite.toml", "--reports", "out"]);
    assert_eq!(code, Some(0));
    assert!(!desk.path("out/TEST-p.Broken.xml").exists(), "the report of a test that is gone");
    fs::remove_file(desk.path("out/TEST-mine.xml")).expect("what parade did not write stays");
    assert_agreement(&document, &desk.path("out"));
}

#[test]
fn a_person_reads_what_failed_and_why() {
    let desk = Desk::new();
    desk.suite(&format!("{SUITE}{BROKEN}"));
    let output = desk.parade(&["test", "suite.toml", "--technique", "sequential"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("Failed\n  p.Broken#<&>\n      the model says so\n"), "{text}");
    assert!(text.contains("Project: suite.toml\nMode: one test after the other\n"), "{text}");
    assert!(text.contains("4 tests in 7.0 s: 3 passed, 1 failed"), "{text}");
}

#[test]
fn what_makes_no_sense_is_bad_usage() {
    let desk = Desk::new();
    desk.suite(SUITE);
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
        let output = desk.parade(&[&["test"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn a_folder_that_cannot_take_reports_is_refused_before_anything_runs() {
    let desk = Desk::new();
    desk.suite(SUITE);
    fs::write(desk.path("taken"), "").unwrap();
    let output = desk.parade(&["test", "suite.toml", "--reports", "taken"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("taken") && told.contains("--reports"), "{told}");
    assert!(output.stdout.is_empty());
}

#[test]
fn times_of_a_model_are_not_taken_for_measurements() {
    let desk = Desk::new();
    desk.suite(SUITE);
    let (_, document) = desk.test(&["suite.toml"]);
    assert_eq!(document["virtual_time"], true);
    let output = desk.parade(&["test", "suite.toml"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.starts_with("! times are computed from model suites; nothing was measured\n"), "{text}");
    let refused = desk.parade(&["test", "suite.toml", "--memory", "1GiB"]);
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(refused.status.code() == Some(2) && told.contains("--memory has no meaning"), "{told}");
}

#[test]
fn a_file_to_start_from_passes_the_check() {
    let desk = Desk::new();
    desk.suite(SUITE);
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
        let made = desk.parade(&[&["init", file], subject.as_slice()].concat());
        assert!(made.status.success(), "{file}: {}", String::from_utf8_lossy(&made.stderr));
        let checked = desk.parade(&["check", file]);
        assert!(checked.status.success(), "{file}: {}", String::from_utf8_lossy(&checked.stderr));
        let again = desk.parade(&["init", file]);
        assert_eq!(again.status.code(), Some(2), "{file} must not be replaced");
    }
    assert!(desk.parade(&["init", "model.toml", "--force", "--subject", "my project"]).status.success());
    assert!(fs::read_to_string(desk.path("model.toml")).unwrap().contains("path = \"my project\""));
    let mut run = vec!["run", "nothing.toml", "--dry-run", "--json"];
    assert!(desk.parade(&run).status.success());
    fs::write(desk.path("wrong.toml"), "[experiment]\nname = 1\n").unwrap();
    run[1] = "wrong.toml";
    let refused = desk.parade(&run);
    let document: Value = serde_json::from_slice(&refused.stdout).expect("mistakes as JSON");
    assert_eq!((refused.status.code(), document["count"].as_u64()), (Some(2), Some(3)));
}

/// A module cannot be built without its parent and its neighbours.
#[test]
fn a_module_is_run_in_its_whole_build() {
    let desk = Desk::new();
    let root = subject("multi-module");
    for (file, named, modules) in [
        ("service.toml", format!("{root}/service"), Some("service")),
        ("pom.toml", format!("{root}/service/pom.xml"), Some("service")),
        ("whole.toml", root.clone(), None),
    ] {
        let made = desk.parade(&["init", file, "--subject", &named]);
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let table: toml::Table = fs::read_to_string(desk.path(file)).unwrap().parse().unwrap();
        let written = &table["subject"][0];
        let path = fs::canonicalize(written["path"].as_str().unwrap()).unwrap();
        assert_eq!(path, fs::canonicalize(&root).unwrap(), "{file}");
        let chosen = written.get("modules").map(|modules| modules[0].as_str().unwrap());
        assert_eq!((chosen, written.get("directory")), (modules, None), "{file}");
        assert!(desk.parade(&["check", file]).status.success(), "{file}");
    }
    // Beside the module itself, the path leads up, and both can be moved together.
    let copy = desk.path("copy");
    for pom in ["pom.xml", "core/pom.xml", "service/pom.xml", "app/pom.xml"] {
        fs::create_dir_all(copy.join(pom).parent().unwrap()).unwrap();
        fs::copy(Path::new(&root).join(pom), copy.join(pom)).unwrap();
    }
    let made = desk.parade(&["init", "copy/service/mine.toml", "--subject", "copy/service"]);
    let told = String::from_utf8_lossy(&made.stdout).into_owned();
    assert!(made.status.success() && told.contains("run with --out"), "{told}");
    let text = fs::read_to_string(copy.join("service/mine.toml")).unwrap();
    assert!(text.contains("path = \"..\"") && text.contains("modules = [\"service\"]"), "{text}");
}

#[test]
fn a_module_that_is_not_there_is_a_mistake() {
    let desk = Desk::new();
    let root = subject("multi-module");
    let experiment = |modules: &str| {
        let subject = format!("[[subject]]\nname = 'm'\npath = '{root}'\nmodules = {modules}\n");
        format!("[experiment]\nname = 'x'\n{subject}[[configuration]]\nname = 'sequential'\n")
    };
    fs::write(desk.path("right.toml"), experiment("['core', 'app/']")).unwrap();
    assert!(desk.parade(&["check", "right.toml"]).status.success());
    fs::write(desk.path("wrong.toml"), experiment("['core', 'nope', 'servce']")).unwrap();
    let refused = desk.parade(&["check", "wrong.toml", "--json"]);
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
    let refused = desk.parade(&["check", &format!("{}/pom.xml", subject("multi-module"))]);
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
    desk.suite("[[test]]\nid = 'p.A#a'\nflaky = 2\nneeds = ['p.A#b']\n");
    let subject = "[[subject]]\nname = 'm'\nmodel = 'suite.toml'\nphase = 'test'\n";
    let again = "[[subject]]\nname = 'n'\nmodel = 'suite.toml'\n";
    let text = format!("[experiment]\nname = 'x'\n{subject}{again}[[configuration]]\nname = 'sequential'\n");
    fs::write(desk.path("mine.toml"), text).unwrap();
    let refused = desk.parade(&["check", "mine.toml", "--json"]);
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
    let shown = desk.parade(&["check", "mine.toml"]);
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
    assert!(desk.parade(&["init", "--subject", "project"]).status.success());
    let text = fs::read_to_string(desk.path("experiment.toml")).unwrap();
    assert!(text.contains(&format!("commit = \"{commit}\"")), "{text}");
    assert!(text.contains("example.org/project.git") && !text.contains("secret"), "{text}");
}

/// One at a time: they would share two cores.
static TURN: Mutex<()> = Mutex::new(());

fn subject(name: &str) -> String {
    format!("{}/subjects/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn a_real_race_is_repaired_by_either_engine() {
    if !slow::is_wanted("a bundled subject") {
        return;
    }
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let desk = Desk::with_downloads();
    let race = subject("data-race");
    for engine in ["direct", "surefire"] {
        let methods = ["--parallel", "methods", "--threads", "4", "--rerun-engine", engine];
        let (code, document) = desk.test(&[&[race.as_str()], &methods[..]].concat());
        assert_eq!((code, document["tests"].as_u64(), document["passed"].as_u64()), (Some(0), Some(4), Some(4)));
        assert_eq!(document["retried"], 2, "{document:#}");
        assert_eq!(document["stages"][1]["engine"], engine, "{document:#}");
        assert_agreement(&document, &reports_of(&document));
        assert_names_of_surefire(&document);
        assert!(sums(&reports_of(&document))["flakyFailure"] >= 2);
    }
    assert!(!Path::new(&race).join("target").exists(), "nothing is written into the project");
}

/// File, class and name of every test case below a folder, sorted, and how many of them have output.
fn cases(folder: &Path) -> (Vec<[String; 3]>, usize) {
    let (mut cases, mut outputs) = (Vec::new(), 0);
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let file = entry.file_name().into_string().unwrap();
        if !(file.starts_with("TEST-") && file.ends_with(".xml")) {
            continue;
        }
        let text = fs::read_to_string(entry.path()).unwrap();
        let mut reader = Reader::from_str(&text);
        loop {
            let tag = match reader.read_event().unwrap() {
                Event::Start(tag) | Event::Empty(tag) => tag,
                Event::Eof => break,
                _ => continue,
            };
            let value = |key: &str| {
                let attribute = tag.try_get_attribute(key).unwrap().unwrap();
                attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0).unwrap().into_owned()
            };
            match tag.name().as_ref() {
                "testcase" => cases.push([file.clone(), value("classname"), without_hash_code(&value("name"))]),
                "system-out" => outputs += 1,
                _ => {}
            }
        }
    }
    cases.sort();
    (cases, outputs)
}

/// A name without the hash code of an object, which every process gives anew.
fn without_hash_code(name: &str) -> String {
    let Some((before, after)) = name.split_once('@') else { return name.to_owned() };
    let code = after.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(after.len());
    format!("{before}@{}", &after[code..])
}

/// Parade's reports have the test cases that Surefire reported in the same run, whatever was run again.
fn assert_names_of_surefire(document: &Value) {
    let kept = Path::new(document["logs"].as_str().unwrap()).join("surefire-reports");
    let own = reports_of(document);
    let folders = |root: &Path| -> Vec<PathBuf> {
        let below = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
        below.chain([root.to_owned()]).collect()
    };
    let all = |root: &Path| {
        let mut all: Vec<[String; 3]> = folders(root).iter().flat_map(|folder| cases(folder).0).collect();
        all.sort();
        all
    };
    let theirs = all(&kept);
    assert!(!theirs.is_empty(), "{document:#}");
    assert_eq!(all(&own), theirs, "{document:#}");
}

/// Those whose tests take seconds, hang or end their process are left out.
const NAMED_SUBJECTS: [&str; 22] = [
    "covers-lines",
    "file-permissions",
    "flaky",
    "hangs-in-parallel",
    "hostile-names",
    "integration-tests",
    "junit3",
    "junit5",
    "multi-module",
    "needs-jdk17",
    "old-junit4",
    "order-across-classes",
    "order-within-class",
    "ordered-instances",
    "orders-junit3",
    "orders-junit4",
    "orders-jupiter",
    "orders-testng",
    "repeated-names",
    "same-class-in-two-modules",
    "several-frameworks",
    "testng",
];

/// All these subjects as modules of one project, so that one build runs them.
fn gathered(desk: &Desk, name: &str) {
    let modules: String = NAMED_SUBJECTS.iter().map(|module| format!("<module>{module}</module>")).collect();
    for module in NAMED_SUBJECTS {
        copy(Path::new(&subject(module)), &desk.path(name).join(module));
    }
    let pom = format!(
        "<project><modelVersion>4.0.0</modelVersion><groupId>all</groupId><artifactId>all</artifactId>\
         <version>1</version><packaging>pom</packaging><modules>{modules}</modules></project>"
    );
    fs::write(desk.path(name).join("pom.xml"), pom).unwrap();
}

/// Folders with Surefire's reports, as paths of modules.
fn reported_modules(root: &Path, module: &Path, found: &mut Vec<PathBuf>) {
    if root.join(module).join("target/surefire-reports").is_dir() {
        found.push(module.to_owned());
    }
    for entry in fs::read_dir(root.join(module)).unwrap().map(Result::unwrap) {
        if entry.path().is_dir() && !["src", "target"].iter().any(|name| entry.file_name() == *name) {
            reported_modules(root, &module.join(entry.file_name()), found);
        }
    }
}

/// Nested, parameterized and dynamic tests, display names, all frameworks: as Maven alone writes them.
#[test]
fn reports_have_the_names_that_surefire_gives() {
    if !slow::is_wanted("bundled subjects") {
        return;
    }
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let desk = Desk::with_downloads();
    gathered(&desk, "all");
    // Some fail as root, or by chance: their names count, not their outcomes.
    let (_, document) = desk.test(&["all", "--technique", "sequential", "--reports", "all-reports"]);
    assert!(document["tests"].as_u64() >= Some(200), "{document:#}");
    let repository = format!("-Dmaven.repo.local={}/plain-m2", env!("CARGO_TARGET_TMPDIR"));
    let mut maven = std::process::Command::new("mvn");
    let plain =
        maven.current_dir(desk.path("all")).args(["-B", "-q", "-fn", "-T2", &repository, "test"]).output().unwrap();
    assert!(plain.status.success(), "{}", String::from_utf8_lossy(&plain.stdout));
    let mut modules = Vec::new();
    reported_modules(&desk.path("all"), Path::new(""), &mut modules);
    for name in NAMED_SUBJECTS {
        let has_reports = modules.iter().any(|module| module.starts_with(name));
        assert!(has_reports, "{name}: {}", String::from_utf8_lossy(&plain.stdout));
    }
    for module in &modules {
        let theirs = cases(&desk.path("all").join(module).join("target/surefire-reports"));
        let own = cases(&desk.path("all-reports").join(module));
        assert_eq!(own, theirs, "{}", module.display());
    }
}

#[test]
fn a_real_failure_stays_one() {
    if !slow::is_wanted("a bundled subject") {
        return;
    }
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let desk = Desk::with_downloads();
    let (code, document) = desk.test(&[&subject("order-across-classes"), "--threads", "4"]);
    assert_eq!((code, document["verdict"].as_str()), (Some(1), Some("failing")), "{document:#}");
    assert_eq!(document["stages"].as_array().unwrap().len(), 3);
    assert_agreement(&document, &reports_of(&document));
    assert_names_of_surefire(&document);
    // Tests that nobody saw before their process died are no success, though none is known to be missing.
    let (code, document) = desk.test(&[&subject("loses-tests"), "--parallel", "methods", "--threads", "4"]);
    assert_eq!((code, document["verdict"].as_str()), (Some(1), Some("lost_tests")), "{document:#}");
    let (code, document) = desk.test(&[&subject("build-fails")]);
    assert_eq!((code, document["verdict"].as_str()), (Some(1), Some("build_failed")), "{document:#}");
}

#[test]
fn modules_run_at_once_and_one_of_them_alone() {
    if !slow::is_wanted("a bundled subject") {
        return;
    }
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let desk = Desk::with_downloads();
    // Without the project's own `-T`: it is parade that has two modules run at once.
    let project = desk.path("modules");
    copy(Path::new(&subject("parallel-modules")), &project);
    fs::remove_dir_all(project.join(".mvn")).unwrap();
    let (code, both) = desk.test(&["modules", "--parallel", "sequential", "--modules", "2"]);
    assert_eq!((code, both["tests"].as_u64(), both["concurrency_max"].as_u64()), (Some(0), Some(2), Some(2)));
    assert_names_of_surefire(&both);
    let (code, apart) = desk.test(&["modules"]);
    assert_eq!((code, apart["concurrency_max"].as_u64()), (Some(0), Some(1)), "{apart:#}");
    let (code, one) = desk.test(&["modules/hare", "--technique", "sequential", "--", "-Pnope"]);
    assert_eq!((code, one["tests"].as_u64()), (Some(0), Some(1)), "{one:#}");
    let text = "Maven does not know the profile `nope`, so it was not activated";
    assert!(one["findings"].as_array().unwrap().iter().any(|found| found["text"] == text), "{one:#}");
    assert!(reports_of(&one).join("hare/TEST-race.HareTest.xml").is_file());
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
