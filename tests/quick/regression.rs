//! Orders of regression testing algorithms in experiments: the real program on model suites with versions, whose dependencies
//! were planted and whose orders were worked out by hand.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::common::desk::Desk;

/// `brittle` passes only after `sets`, in its own class; `victim` fails after `pollutes` of another class. By hand, T1 (most
/// statements first) is `pollutes brittle sets victim free gone`: both fail in it.
const FIRST: &str = "
[[test]]
id = 'A#sets'
seconds = 1
covers = ['Shop.java:1']
[[test]]
id = 'A#brittle'
seconds = 2
needs = ['A#sets']
covers = ['Shop.java:1-5']
[[test]]
id = 'A#victim'
seconds = 1
polluted_by = ['B#pollutes']
covers = ['Shop.java:2']
[[test]]
id = 'B#pollutes'
seconds = 4
covers = ['Shop.java:1-18']
[[test]]
id = 'B#free'
seconds = 3
covers = ['Shop.java:19']
";
const GONE: &str = "[[test]]\nid = 'B#gone'\nseconds = 1\ncovers = ['Shop.java:20']\n";
const NEW: &str = "[[test]]\nid = 'C#new'\nseconds = 1\ncovers = ['Shop.java:1-20']\n";

const EXPERIMENT: &str = "
[experiment]
name = 'model'
repetitions = 3
[machine]
cores = 1
[regression]
rounds = 12
[[subject]]
name = 'shop'
label = 'M1'
model = 'v3.toml'
versions = ['v1.toml', 'v2.toml']
";

fn configuration(name: &str, technique: &str, rest: &str) -> String {
    format!("[[configuration]]\nname = '{name}'\ntechnique = '{technique}'\n{rest}\n")
}

/// Plain and enhanced.
fn both(technique: &str) -> String {
    let enhanced = configuration(&format!("{technique}e"), technique, "enhanced = true");
    configuration(technique, technique, "") + &enhanced
}

/// A folder with an experiment on three versions of a model suite, and the real program run in it.
struct Shop {
    desk: Desk,
}

impl Shop {
    fn new(experiment: &str) -> Self {
        let shop = Shop { desk: Desk::new() };
        let write = |name: &str, text: String| fs::write(shop.path(name), text).unwrap();
        write("v1.toml", format!("{FIRST}{GONE}"));
        write("v2.toml", format!("{FIRST}{NEW}[changes]\nmodified = ['Shop.java:19']\n"));
        write("v3.toml", format!("{FIRST}{NEW}[changes]\nmodified = ['Shop.java:3-4']\n"));
        write("experiment.toml", experiment.to_owned());
        shop
    }

    fn path(&self, name: &str) -> PathBuf {
        self.desk.path(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        self.desk.command(arguments.iter().copied())
    }

    fn run(&self, extra: &[&str]) -> Output {
        self.command(&[&["run", "experiment.toml", "--json"], extra].concat()).output().unwrap()
    }

    fn latest(&self) -> PathBuf {
        fs::canonicalize(self.path("results/model/latest")).unwrap()
    }

    fn journal(&self, kind: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.latest().join("journal.jsonl")).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.filter(|line| line["kind"] == kind).collect()
    }

    /// By subject and configuration: how each repetition failed.
    fn failures(&self) -> BTreeMap<(String, String), BTreeSet<Vec<String>>> {
        let mut failures: BTreeMap<(String, String), BTreeSet<Vec<String>>> = BTreeMap::new();
        for trial in self.journal("trial") {
            let text = |key: &str| trial[key].as_str().unwrap().to_owned();
            let failed = trial["residual"].as_array().unwrap().iter();
            let failed = failed.map(|test| test["test"].as_str().unwrap().to_owned()).collect();
            failures.entry((text("subject"), text("configuration"))).or_default().insert(failed);
        }
        failures
    }

    fn trial(&self, subject: &str, configuration: &str) -> Value {
        let wanted = |trial: &Value| trial["subject"] == subject && trial["configuration"] == configuration;
        self.journal("trial").into_iter().find(wanted).unwrap_or_else(|| panic!("no {configuration} on {subject}"))
    }
}

fn good(output: &Output) {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn plain_orders_break_what_was_planted_and_enhanced_ones_do_not() {
    let all: String = ["T1", "S1", "P1"].map(both).concat();
    let shop = Shop::new(&format!("{EXPERIMENT}{all}"));
    good(&shop.run(&[]));
    let failures = shop.failures();
    let failed = |subject: &str, configuration: &str| {
        let seen = &failures[&(subject.to_owned(), configuration.to_owned())];
        assert_eq!(seen.len(), 1, "every repetition alike");
        seen.first().unwrap().join(" ")
    };
    assert_eq!(failed("shop.v02", "T1"), "A#brittle A#victim");
    assert_eq!(failed("shop.v02", "T1e"), "");
    // Line 19 is of `free` alone; lines 3 and 4 are of `brittle`, which needs `sets`, and of `pollutes`.
    assert_eq!(failed("shop.v02", "S1"), "");
    assert_eq!(failed("shop.v03", "S1"), "A#brittle");
    assert_eq!(failed("shop.v03", "S1e"), "");
    // In turn: `sets victim free` and `brittle pollutes`.
    assert_eq!(failed("shop.v02", "P1"), "A#brittle");
    assert_eq!(failed("shop.v02", "P1e"), "");
    assert_eq!(
        failures.len(),
        8,
        "orders of all tests run on the second version, selections on all later ones: {failures:?}"
    );
    let selected = &shop.trial("shop.v03", "S1e")["arrangement"];
    assert_eq!((selected["tests"].as_u64(), selected["added"].as_u64()), (Some(3), Some(1)), "`sets` was added");
    let order = &shop.trial("shop.v02", "T1")["arrangement"];
    assert_eq!(order["tests"].as_u64(), Some(5), "neither `gone` nor `new`: {order}");
}

#[test]
fn what_is_found_out_on_the_first_version_is_on_record() {
    let shop = Shop::new(&format!("{EXPERIMENT}{}", both("T1")));
    good(&shop.run(&[]));
    let known = shop.journal("knowledge");
    let [known] = &known[..] else { panic!("once per subject: {known:?}") };
    assert_eq!((known["subject"].as_str(), known["label"].as_str()), (Some("shop"), Some("M1")));
    assert_eq!((known["tests"].as_u64(), known["suite_seconds"].as_f64()), (Some(6), Some(12.0)));
    assert_eq!(known["order_dependent"], serde_json::json!(["A#brittle", "A#victim"]));
    let search = &known["dependencies"][0];
    assert_eq!((search["algorithm"].as_str(), search["complete"].as_bool()), (Some("T1"), Some(true)));
    assert_eq!(search["order_dependent"], serde_json::json!(["A#brittle", "A#victim"]));
    assert!(search["seconds"].as_f64().unwrap() > 0.0 && search["turns"].as_u64().unwrap() >= 1);
    let folder = shop.latest().join("knowledge/shop");
    let dependencies = fs::read_to_string(folder.join("dependencies-T1e.toml")).unwrap();
    assert!(dependencies.contains("after = [[\"A#sets\"]]"), "{dependencies}");
    assert!(dependencies.contains("not_after = [[\"B#pollutes\"]]"), "{dependencies}");
    for file in ["durations.csv", "coverage.json", "dependencies-all.toml"] {
        assert!(folder.join(file).is_file(), "{file}");
    }
    let versions = shop.journal("subject");
    let numbers: BTreeSet<u64> = versions.iter().map(|each| each["version"]["number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, BTreeSet::from([1, 2, 3]));
}

#[test]
fn machines_are_in_the_rows_and_the_longest_counts() {
    let three = "machines = 3\nenhanced = true";
    let all = configuration("P2", "P2", "machines = 3")
        + &configuration("P2e", "P2", three)
        + &configuration("P3", "P3", three);
    let shop = Shop::new(&format!("{EXPERIMENT}{all}"));
    good(&shop.run(&[]));
    let makespan = |name: &str| shop.trial("shop.v02", name)["makespan_seconds"].as_f64().unwrap();
    let stages = |name: &str| shop.trial("shop.v02", name)["stages"].as_array().unwrap().len();
    // Longest first on three machines: `pollutes` | `free sets` | `brittle victim`, and `sets` before `brittle` once more.
    assert_eq!((makespan("P2"), stages("P2")), (4.0, 3));
    assert_eq!(shop.failures()[&("shop.v02".to_owned(), "P2".to_owned())].first().unwrap(), &["A#brittle"]);
    assert_eq!(shop.trial("shop.v02", "P2e")["verdict"], "clean");
    assert_eq!(shop.trial("shop.v02", "P3")["verdict"], "clean");
    assert!(makespan("P3") <= makespan("P2e"));
    let report = shop.command(&["report", shop.latest().to_str().unwrap(), "--json"]).output().unwrap();
    good(&report);
    let text = String::from_utf8_lossy(&report.stdout);
    assert!(!text.contains("records_disagree"), "rows and records say the same");
}

#[test]
fn a_file_of_dependencies_spares_the_search() {
    let experiment = EXPERIMENT.replace("label = 'M1'", "dependencies = 'deps.toml'");
    let shop = Shop::new(&format!("{experiment}{}", both("T1")));
    let text = "version = 1\n[[dependency]]\ntest = 'A#brittle'\nafter = [['A#sets', 'B#gone']]\n";
    fs::write(shop.path("deps.toml"), text).unwrap();
    good(&shop.run(&[]));
    assert_eq!(shop.journal("knowledge")[0]["dependencies"], serde_json::json!([]));
    let failures = shop.failures();
    let enhanced = failures[&("shop.v02".to_owned(), "T1e".to_owned())].first().unwrap();
    assert_eq!(enhanced, &["A#victim"], "the file says nothing of it");
}

#[test]
fn one_version_is_enough_for_orders_of_all_tests() {
    let experiment = EXPERIMENT.replace("versions = ['v1.toml', 'v2.toml']\n", "");
    let shop = Shop::new(&format!("{experiment}{}{}", both("T1"), both("S1")));
    good(&shop.run(&[]));
    assert_eq!(shop.trial("shop", "T1")["arrangement"]["tests"].as_u64(), Some(6));
    assert_eq!(shop.trial("shop", "S1e")["verdict"], "clean");
}

#[test]
fn the_plan_tells_versions_and_what_comes_before() {
    let sequential = "[[configuration]]\nname = 'original'\nengine = 'direct'\n";
    let shop = Shop::new(&format!("{EXPERIMENT}{}{}{sequential}", both("T1"), both("S1")));
    let output = shop.command(&["check", "experiment.toml", "--json"]).output().unwrap();
    good(&output);
    let plan: Value = serde_json::from_slice(&output.stdout).unwrap();
    let trials: Vec<u64> =
        plan["subjects"].as_array().unwrap().iter().map(|each| each["trials"].as_u64().unwrap()).collect();
    // The baseline is where anything else is.
    assert_eq!(trials, [0, 15, 9]);
    assert_eq!(plan["subjects"][1]["version"]["number"], 2);
    assert_eq!(plan["knowledge"]["rounds"], 12);
    assert_eq!(
        (&plan["knowledge"]["dependencies_sought"], &plan["versions_sought"]),
        (&Value::from(true), &Value::from(false))
    );
    good(&shop.run(&["--only", "subject=shop,configuration=T1"]));
    assert_eq!(shop.journal("trial").len(), 3);
}

/// Many tests, each depending on one before it, so that finding that out takes a while.
fn long_shop() -> Shop {
    let test = |n: usize| {
        let needs = if n % 7 == 3 { format!("needs = ['C{}#t{}']\n", (n - 3) % 9, n - 3) } else { String::new() };
        format!(
            "[[test]]\nid = 'C{}#t{n}'\nseconds = 1\ncovers = ['Shop.java:{}-{}']\n{needs}",
            n % 9,
            n + 1,
            n * 2 + 1
        )
    };
    let many: String = (0..90).map(test).collect();
    let experiment = EXPERIMENT.replace("rounds = 12", "rounds = 15");
    let shop = Shop::new(&format!("{experiment}{}{}", both("T1"), both("P2")));
    for version in ["v1.toml", "v2.toml", "v3.toml"] {
        fs::write(shop.path(version), &many).unwrap();
    }
    shop
}

/// Without their places in the chain, which no two runs share.
fn unchained(mut entries: Vec<Value>) -> Vec<Value> {
    for entry in &mut entries {
        entry.as_object_mut().unwrap().remove("chain");
    }
    entries
}

#[test]
fn killed_at_any_moment_a_run_goes_on_without_doing_anything_twice() {
    let whole = long_shop();
    good(&whole.run(&[]));
    let killed = long_shop();
    for turn in 1..=8 {
        let mut command = killed.command(&["run", "experiment.toml", "--json"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(40 * turn));
        let _ = kill_process(Pid::from_child(&child), Signal::KILL);
        child.wait().unwrap();
    }
    good(&killed.run(&[]));
    assert_eq!(unchained(killed.journal("knowledge")), unchained(whole.journal("knowledge")));
    assert_eq!(killed.failures(), whole.failures());
    assert_eq!(killed.journal("trial").len(), whole.journal("trial").len());
    let orders = |shop: &Shop| {
        let steps = shop.journal("step").into_iter().filter(|step| step["step_kind"] == "order");
        steps.map(|step| step["step"].as_str().unwrap().to_owned()).collect::<Vec<String>>()
    };
    let (kept, expected) = (orders(&killed), orders(&whole));
    assert!(!kept.is_empty());
    assert_eq!(kept.iter().collect::<BTreeSet<_>>().len(), kept.len(), "no order was run twice");
    assert_eq!(kept, expected);
}
