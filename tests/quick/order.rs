//! `parade order`: the real program on model suites.

use serde_json::{Value, json};

use crate::common::desk::Desk;
use crate::common::ordering::{order, parade_order, shop};

/// `d` passes only after `a`; `a` fails after `c`. By hand: T1 is `b c a d f e`, S1 is `a b d f`.
const SUITE: &str = "
[[method]]
name = 'B#m()'
lines = 'B.java:1-4'
[[method]]
name = 'B#n()'
lines = 'B.java:11-14'
[[method]]
name = 'B#o()'
lines = 'B.java:21-22'
[[method]]
name = 'B#p()'
lines = 'B.java:31'
[changes]
new = ['B.java:22']
deleted = ['B.java:31']
modified = ['B.java:1']
[[test]]
id = 'C#a'
seconds = 3
polluted_by = ['C#c']
covers = ['B.java:1-2']
[[test]]
id = 'C#b'
seconds = 1
covers = ['B.java:1-2', 'B.java:11']
[[test]]
id = 'C#c'
seconds = 2
covers = ['B.java:11-12', 'B.java:21']
[[test]]
id = 'C#d'
seconds = 2
needs = ['C#a']
covers = ['B.java:21', 'B.java:31']
[[test]]
id = 'C#e'
seconds = 2
[[test]]
id = 'C#f'
seconds = 3
covers = ['B.java:1']
";
const DEPENDENCIES: &str = "
version = 1
[[dependency]]
test = 'C#d'
after = [['C#a']]
[[dependency]]
test = 'C#a'
not_after = [['C#c']]
";

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("suite.toml", SUITE);
    desk.write("dependencies.toml", DEPENDENCIES);
    desk
}

/// What is refused as bad usage, in words.
fn refusal(desk: &Desk, arguments: &str) -> String {
    let output = parade_order(desk, arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments}");
    // Long lines are folded.
    String::from_utf8_lossy(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn ids(names: &str) -> Value {
    names.split_whitespace().map(|name| format!("C#{name}")).collect()
}

#[test]
fn a_model_suite_says_what_the_algorithms_go_by() {
    let desk = desk();
    for (algorithm, plain, enhanced) in [
        ("T1", "b c a d f e", "b a c d f e"),
        ("T4", "b d c a f e", "b a d c f e"),
        ("S3", "b d a f", "b a d f"),
        ("S5", "b c d a f", "b a c d f"),
    ] {
        let (code, document) = order(&desk, &format!("suite.toml --algorithm {algorithm}"));
        assert_eq!((code, &document["order"]), (Some(0), &ids(plain)), "{algorithm}");
        assert_eq!((&document["algorithm"], &document["enhanced"]), (&json!(algorithm), &json!(false)));
        let (_, document) =
            order(&desk, &format!("suite.toml --algorithm {algorithm} --dependencies dependencies.toml"));
        assert_eq!((&document["order"], &document["enhanced"]), (&ids(enhanced), &json!(true)), "{algorithm}");
    }
}

#[test]
fn a_model_suite_is_said_to_be_one_once() {
    let desk = desk();
    let (_, document) = order(&desk, "suite.toml --algorithm P1 --run");
    assert_eq!(document["virtual_time"], json!(true));
    let page = String::from_utf8(parade_order(&desk, "suite.toml --algorithm P1 --run").stdout).unwrap();
    assert!(page.starts_with("! times are computed from model suites; nothing was measured\n"), "{page}");
    assert_eq!(page.matches("nothing was measured").count(), 1, "{page}");
    desk.write("wrong.toml", "[[test]]\nid='C#a'\nflaky=2\nseconds=-1\n");
    let told = refusal(&desk, "wrong.toml --algorithm T1");
    assert!(told.contains("has 2 mistakes") && told.contains("wrong.toml:4:9"), "{told}");
}

#[test]
fn machines_get_their_tests_and_the_bound_is_told() {
    let desk = desk();
    let (_, p1) = order(&desk, "suite.toml --algorithm P1 --machines 4");
    assert_eq!(p1["machines"], json!([ids("a e"), ids("b f"), ids("c"), ids("d")]));
    let (_, p2) = order(&desk, "suite.toml --algorithm P2 --dependencies dependencies.toml");
    assert_eq!(p2["machines"], json!([ids("a c e"), ids("f a d b")]));
    assert_eq!((&p2["added"], &p2["makespan"]), (&json!([ids(""), ids("a")]), &json!(9.0)));
    let (_, p3) = order(&desk, "suite.toml --algorithm P3 --dependencies dependencies.toml");
    assert_eq!((&p3["makespan"], &p3["lower_bound"]), (&json!(7.0), &json!(6.5)));
    desk.write("durations.csv", "test,seconds\nC#a,1\nC#b,9\nC#c,1\nC#d,1\nC#e,1\n");
    let (_, timed) = order(&desk, "suite.toml --algorithm P2 --durations durations.csv");
    assert_eq!(timed["machines"][0], ids("b"));
    assert!(timed["notes"][0].as_str().unwrap().contains("1 test"), "{timed}");
}

#[test]
fn files_can_say_what_is_covered_and_what_has_changed() {
    let desk = desk();
    desk.write("bare.toml", "[[test]]\nid = 'C#a'\n[[test]]\nid = 'C#b'\n[[test]]\nid = 'C#c'\n");
    desk.write("coverage.json", r#"{"version": 1, "tests": [{"id": "C#b", "covers": ["x/Y.java:3", "x.Y#m()"]}, {"id": "C#c", "covers": ["x/Y.java:1-2"]}]}"#);
    desk.write("changes.toml", "version = 1\nmodified = ['x.Y#m()', 'x/Y.java:3']\n");
    let (_, total) = order(&desk, "bare.toml --algorithm T1 --coverage coverage.json");
    assert_eq!(total["order"], ids("c b a"));
    assert!(total["notes"][0].as_str().unwrap().contains("1 test"), "{total}");
    let (_, selected) = order(&desk, "bare.toml --algorithm S4 --coverage coverage.json --changes changes.toml");
    assert_eq!(selected["order"], ids("b"));
    assert!(refusal(&desk, "bare.toml --algorithm T1").contains("--coverage FILE"));
    assert!(refusal(&desk, "bare.toml --algorithm S1 --coverage coverage.json").contains("--changes FILE"));
    desk.write("changes.toml", "version = 1\nmodified = ['x.Y']\n");
    let refused = refusal(&desk, "bare.toml --algorithm S4 --coverage coverage.json --changes changes.toml");
    assert!(refused.contains("changes.toml") && refused.contains("`x.Y`"), "{refused}");
}

#[test]
fn an_order_that_is_run_has_the_exit_code_of_its_tests() {
    let desk = desk();
    let (code, plain) = order(&desk, "suite.toml --algorithm T4 --run");
    assert_eq!((code, &plain["run"]["verdict"]), (Some(1), &json!("failing")));
    let failed: Vec<&Value> = plain["run"]["failures"].as_array().unwrap().iter().map(|bad| &bad["test"]).collect();
    assert_eq!(failed, [&json!("C#d"), &json!("C#a")], "in the order that was run");
    let (code, enhanced) = order(&desk, "suite.toml --algorithm T4 --run --dependencies dependencies.toml");
    assert_eq!((code, &enhanced["run"]["verdict"], &enhanced["run"]["passed"]), (Some(0), &json!("clean"), &json!(6)));
    let (code, p2) = order(&desk, "suite.toml --algorithm P2 --run");
    assert_eq!((code, &p2["run"]["failures"][0]["machine"]), (Some(1), &json!(2)));
    let (code, p3) = order(&desk, "suite.toml --algorithm P3 --run --dependencies dependencies.toml");
    assert_eq!((code, &p3["run"]["makespan_seconds"]), (Some(0), &json!(7.0)));
}

#[test]
fn a_person_reads_one_test_per_line() {
    let desk = desk();
    let output = parade_order(&desk, "suite.toml --algorithm P1 --dependencies dependencies.toml --run");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{text}");
    for expected in
        ["P1, enhanced: 6 of 6 tests; 1 added", "machine 2: 4 tests\n", "  C#a (added)\n", "clean; 7 passed"]
    {
        assert!(text.contains(expected), "{expected}: {text}");
    }
}

#[test]
fn what_makes_no_sense_is_refused_with_a_reason() {
    let desk = desk();
    for (arguments, named) in [
        ("suite.toml --algorithm T9", "T1, T2"),
        ("suite.toml --algorithm T1 --machines 2", "--machines has no meaning for T1"),
        ("suite.toml --algorithm P1 --machines 0", "from 1 to"),
        ("suite.toml --algorithm P2 --coverage x", "--coverage has no meaning for P2"),
        ("suite.toml --algorithm T2 --changes x", "--changes has no meaning for T2"),
        ("suite.toml --algorithm P1 --dependencies gone.toml", "gone.toml"),
        ("suite.toml --algorithm P2 --durations gone.csv", "gone.csv"),
        ("nowhere --algorithm P1", "nowhere"),
    ] {
        let refused = refusal(&desk, arguments);
        assert!(refused.contains(named), "{arguments}: {refused}");
    }
    desk.write("circle.toml", "version = 1\n[[dependency]]\ntest = 'C#a'\nafter = [['C#b']]\nnot_after = [['C#b']]\n");
    assert!(refusal(&desk, "suite.toml --algorithm P1 --dependencies circle.toml").contains("circle"));
    desk.write("unknown.toml", "version = 1\n[[dependency]]\ntest = 'C#a'\nafter = [['C#gone']]\n");
    assert!(refusal(&desk, "suite.toml --algorithm P1 --dependencies unknown.toml").contains("C#gone"));
    desk.write("empty.toml", "version = 1\n[[dependency]]\ntest = 'C#a'\nafter = [[]]\n");
    assert!(refusal(&desk, "suite.toml --algorithm P1 --dependencies empty.toml").contains("a group without tests"));
    assert!(refusal(&desk, "suite.toml --algorithm P1 --jdk 17").contains("--jdk"));
    assert!(refusal(&desk, "suite.toml --algorithm S1 --since HEAD").contains("no earlier versions"));
    assert!(refusal(&desk, "suite.toml --algorithm P1 --since HEAD").contains("no meaning"));
    assert!(refusal(&desk, "suite.toml --algorithm T1 --save-changes c.toml").contains("no meaning"));
    assert!(refusal(&desk, "suite.toml --algorithm T1 --save-coverage no/c.toml").contains("no/c.toml"));
}

/// `x` and `y` break each other, and `c` cleans up; the other one needs `p`, which breaks it too, and `clean` after that.
const CONFLICT: &str = "
[[test]]
id = 'C#x'
seconds = 1
polluted_by = ['C#y']
cleaned_by = ['C#c']
covers = ['B.java:1-2']
[[test]]
id = 'C#c'
seconds = 1
covers = ['B.java:1']
[[test]]
id = 'C#y'
seconds = 1
polluted_by = ['C#x']
cleaned_by = ['C#c']
covers = ['B.java:1-3']
";

#[test]
fn conflicts_are_kept_where_that_can_be_and_told_where_not() {
    let desk = desk();
    desk.write("conflict.toml", CONFLICT);
    desk.write("apart.toml", "version = 1\n[[conflict]]\ntests = ['C#x', 'C#y']\ncleaners = ['C#c']\n");
    let (code, total) = order(&desk, "conflict.toml --algorithm T1 --dependencies apart.toml --run");
    assert_eq!((code, &total["order"], &total["notes"]), (Some(0), &ids("y c x"), &json!([])));
    for algorithm in ["P1", "P2", "P3"] {
        let arguments = format!("conflict.toml --algorithm {algorithm} --dependencies apart.toml --run");
        let (code, told) = order(&desk, &arguments);
        assert_eq!((code, &told["notes"]), (Some(0), &json!([])), "{told}");
    }
    desk.write("apart.toml", "version = 1\n[[conflict]]\ntests = ['C#x', 'C#y']\n");
    let (code, spread) = order(&desk, "conflict.toml --algorithm P1 --dependencies apart.toml --run");
    assert_eq!((code, &spread["notes"]), (Some(0), &json!([])), "on different machines: {spread}");
    let (code, broken) = order(&desk, "conflict.toml --algorithm T1 --dependencies apart.toml --run");
    let note = broken["notes"][0].as_str().unwrap();
    assert!(code == Some(1) && note.contains("`C#x` runs after `C#y`"), "{broken}");
}

#[test]
fn a_sequence_that_was_seen_is_kept_and_what_is_partly_known_is_told() {
    let desk = desk();
    desk.write(
        "sequence.toml",
        "[[test]]\nid = 'C#p'\ncovers = ['B.java:1']\n[[test]]\nid = 'C#clean'\ncovers = ['B.java:1-3']\n\
         [[test]]\nid = 'C#v'\ncovers = ['B.java:1']\nneeds = ['C#p']\npolluted_by = ['C#p']\ncleaned_by = ['C#clean']\n",
    );
    let known = "[[dependency]]\ntest = 'C#v'\nafter = [['C#p', 'C#clean']]\n";
    desk.write("seen.toml", &format!("version = 1\nordered = true\nincomplete = ['C#v']\n{known}"));
    let (code, kept) = order(&desk, "sequence.toml --algorithm T1 --dependencies seen.toml --run");
    assert_eq!((code, &kept["order"]), (Some(0), &ids("p clean v")));
    let note = kept["notes"][0].as_str().unwrap();
    assert!(note.contains("the dependencies of 1 test are only partly known") && note.contains("`C#v`"), "{note}");
}

#[test]
fn what_a_detection_writes_keeps_its_tests_passing() {
    let desk = desk();
    desk.write("conflict.toml", CONFLICT);
    let found = desk.command(["detect", "conflict.toml", "--json"]).output().unwrap();
    let found: Value = serde_json::from_slice(&found.stdout).unwrap();
    let file = found["dependencies"].as_str().unwrap();
    for algorithm in ["T1", "T2", "P1", "P2", "P3"] {
        let (code, told) = order(&desk, &format!("conflict.toml --algorithm {algorithm} --run --dependencies {file}"));
        assert_eq!((code, &told["notes"]), (Some(0), &json!([])), "{told}");
    }
}

#[test]
fn p3_runs_nothing_that_nobody_needs() {
    let desk = desk();
    let test = |number: usize| format!("[[test]]\nid = 'C#t{number}'\nseconds = 1\n");
    desk.write("chain.toml", &(0..3).map(test).collect::<String>());
    let after = |test, needed| format!("[[dependency]]\ntest = 'C#t{test}'\nafter = [['C#t{needed}']]\n");
    desk.write("needs.toml", &format!("version = 1\n{}{}", after(1, 0), after(2, 1)));
    let (_, p3) = order(&desk, "chain.toml --algorithm P3 --machines 2 --dependencies needs.toml");
    assert_eq!((&p3["machines"], &p3["added"]), (&json!([ids("t0 t1 t2"), ids("")]), &json!([ids(""), ids("")])));
    let (_, p1) = order(&desk, "chain.toml --algorithm P1 --machines 20000");
    assert_eq!(p1["machines"].as_array().unwrap().len(), 20_000);
}

#[test]
fn a_check_reads_the_dependencies_of_a_model() {
    let desk = desk();
    desk.write("unknown.toml", "version = 1\n[[dependency]]\ntest = 'C#a'\nafter = [['C#gone']]\n");
    let experiment = "[experiment]\nname = 'e'\n[[subject]]\nname = 's'\nmodel = 'suite.toml'\n\
                      dependencies = 'unknown.toml'\n[[configuration]]\nname = 'sequential'\n";
    desk.write("experiment.toml", experiment);
    let output = desk.command(["check", "experiment.toml", "--json"]).output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.code() == Some(2) && told.contains("C#gone"), "{told}");
    desk.write("experiment.toml", &experiment.replace("unknown.toml", "dependencies.toml"));
    assert_eq!(desk.command(["check", "experiment.toml", "--json"]).output().unwrap().status.code(), Some(0));
}

#[test]
fn what_is_wrong_with_a_project_s_files_is_said_before_it_is_built() {
    let desk = desk();
    shop(&desk);
    desk.write("circle.toml", "version = 1\n[[dependency]]\ntest = 'C#a'\nafter = [['C#b']]\nnot_after = [['C#b']]\n");
    assert!(refusal(&desk, "shop --algorithm P1 --dependencies circle.toml").contains("circle"));
    assert!(refusal(&desk, "shop --algorithm T1 --since nope").contains("no revision `nope`"));
}

#[test]
fn what_a_model_covers_can_be_saved_and_read_again() {
    let desk = desk();
    let saving = "suite.toml --algorithm S2 --save-coverage coverage.json --save-changes changes.toml";
    let (_, first) = order(&desk, saving);
    let (_, again) = order(&desk, "suite.toml --algorithm S2 --coverage coverage.json --changes changes.toml");
    assert_eq!(first["order"], again["order"]);
    assert!(desk.path("coverage.json").is_file() && desk.path("changes.toml").is_file());
}
