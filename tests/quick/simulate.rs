//! `parade simulate`: the real program on small tables and reports.

use std::fs;

use serde_json::{Value, json};

use crate::common::desk::Desk;

fn run(desk: &Desk, arguments: &[&str]) -> (i32, String, String) {
    let output = desk.command([&["simulate"], arguments].concat()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn forecasts(desk: &Desk, arguments: &[&str]) -> Value {
    let (code, out, err) = run(desk, &[arguments, &["--json"]].concat());
    assert_eq!(code, 0, "{err}");
    serde_json::from_str(&out).unwrap()
}

#[test]
fn a_table_is_spread_over_machines() {
    let desk = Desk::new();
    fs::write(desk.path("times.csv"), "test,seconds\nA#a,3\nA#b,1\nB#d,4\nA#c,1\n").unwrap();
    let told = forecasts(&desk, &["times.csv", "--machines", "2,1024", "--algorithm", "P1,P2,classes"]);
    let row = |algorithm: &str, machines: u32, makespan: f64, bound: f64| json!({ "algorithm": algorithm, "machines": machines, "makespan": makespan, "lower_bound": bound, "tests_run": 4 });
    let expected = [
        row("P1", 2, 7.0, 4.5),
        row("P1", 1024, 4.0, 4.0),
        row("P2", 2, 5.0, 4.5),
        row("P2", 1024, 4.0, 4.0),
        row("classes", 2, 5.0, 5.0),
        row("classes", 1024, 5.0, 5.0),
    ];
    assert_eq!(told, json!(expected));
    let (code, out, _) = run(&desk, &["times.csv"]);
    assert!(code == 0 && out.starts_with("4 tests in 2 classes, 9.000 s in sequence\n"), "{out}");
    assert!(out.contains("times faster") && out.contains("methods"), "{out}");
    let twice = forecasts(&desk, &["times.csv", "--machines", "2,2", "--algorithm", "P1"]);
    assert_eq!(twice.as_array().unwrap().len(), 1);
    fs::write(desk.path("times.csv"), "test,seconds\nA#a,3\nA#b,1e300\n").unwrap();
    let (code, _, err) = run(&desk, &["times.csv"]);
    assert!(code == 0 && err.contains("a test counts as at most one year: A#b says 1e300 s"), "{err}");
}

#[test]
fn durations_of_a_model_suite_are_not_called_measured() {
    let desk = Desk::new();
    fs::write(desk.path("suite.toml"), "[[test]]\nid = 'A#a'\nseconds = 3\n[[test]]\nid = 'A#b'\nseconds = 1\n")
        .unwrap();
    let (code, out, err) = run(&desk, &["suite.toml", "--machines", "2", "--algorithm", "methods"]);
    assert!(code == 0 && out.contains("3.000"), "{out}{err}");
    assert!(err.contains("the durations are those of a model suite; nothing was measured"), "{err}");
}

#[test]
fn dependencies_are_kept_by_machines_and_counted_for_threads() {
    let desk = Desk::new();
    fs::write(desk.path("times.csv"), "test,seconds\nA#a,3\nB#b,1\nC#c,1\n").unwrap();
    let dependencies =
        "version=1\n[[dependency]]\ntest='B#b'\nafter=[['A#a']]\n[[dependency]]\ntest='C#c'\nafter=[['A#a']]\n";
    fs::write(desk.path("needs.toml"), dependencies).unwrap();
    let told = forecasts(&desk, &["times.csv", "--dependencies", "needs.toml", "--machines", "2"]);
    let pick = |algorithm: &str, key: &str| {
        told.as_array().unwrap().iter().find(|row| row["algorithm"] == algorithm).unwrap()[key].clone()
    };
    assert_eq!(
        (pick("P1", "tests_run"), pick("P1", "lower_bound"), pick("P1", "makespan")),
        (4.into(), 4.0.into(), 4.0.into())
    );
    // Repeating the one that both need is done a second earlier than running all three in a row.
    let p3 = ["tests_run", "broken_dependencies", "makespan"].map(|key| pick("P3", key));
    assert_eq!(p3, [json!(4), json!(0), json!(4.0)]);
    // Classes run one after the other in `methods`, so nothing is broken.
    assert_eq!(pick("methods", "broken_dependencies"), 0);
    assert_eq!(pick("classesAndMethods", "broken_dependencies"), 2);
    fs::write(desk.path("needs.toml"), dependencies.replace("A#a", "A#gone")).unwrap();
    let (code, _, err) = run(&desk, &["times.csv", "--dependencies", "needs.toml"]);
    assert!(code == 2 && err.contains("A#gone"), "{err}");
}

#[test]
fn reports_of_anyones_build_are_read() {
    let desk = Desk::new();
    let folder = desk.path("ci/lib/target/surefire-reports");
    fs::create_dir_all(&folder).unwrap();
    let report =
        "<testsuite><testcase classname='a.A' name='t' time='1,000.5'/><testcase classname='a.A' name='t' time='0.5'/>";
    fs::write(folder.join("TEST-a.A.xml"), format!("{report}</testsuite>")).unwrap();
    let told = forecasts(&desk, &["ci", "--machines", "1", "--algorithm", "P2"]);
    assert_eq!((&told[0]["makespan"], &told[0]["tests_run"]), (&json!(1001.0), &json!(2)));
    fs::write(folder.join("TEST-b.xml"), report).unwrap();
    let (code, _, err) = run(&desk, &["ci"]);
    assert!(code == 0 && err.contains("TEST-b.xml"), "{err}");
}

#[test]
fn a_message_is_short_whatever_the_names_are() {
    let desk = Desk::new();
    let name = "n".repeat(200_000);
    fs::write(desk.path("times.csv"), format!("test,seconds\nA#{name},1\n")).unwrap();
    fs::write(desk.path("bad.csv"), format!("test,seconds\nA#{name},never\n")).unwrap();
    fs::write(desk.path("needs.toml"), format!("version=1\n[[dependency]]\ntest='A#{name}x'\nafter=[['A#{name}']]\n"))
        .unwrap();
    for arguments in [&["bad.csv"][..], &["times.csv", "--dependencies", "needs.toml"]] {
        let (code, _, err) = run(&desk, arguments);
        assert!(code == 2 && err.len() < 2_000, "{arguments:?}: {} bytes", err.len());
    }
}

#[test]
fn what_cannot_be_simulated_is_bad_usage() {
    let desk = Desk::new();
    fs::create_dir(desk.path("empty")).unwrap();
    fs::write(desk.path("bad.csv"), "test,seconds\nA#a,fast\n").unwrap();
    for (arguments, named) in [
        (&["nowhere.csv"][..], "nowhere.csv"),
        (&["empty"], "no test"),
        (&["bad.csv"], "line 2"),
        (&["bad.csv", "--machines", "0"], "1 to"),
        (&["bad.csv", "--algorithm", "P9"], "P1, P2"),
    ] {
        let (code, _, err) = run(&desk, arguments);
        assert!(code == 2 && err.contains(named), "{arguments:?}: {err}");
    }
}
