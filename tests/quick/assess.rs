//! `parade assess`: the real program on model suites whose answer is known.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::desk::Desk;

/// Eight classes of one test each, and what the first two do to each other.
fn suite(first: &str, second: &str) -> String {
    let test = |class: &str, more: &str| format!("[[test]]\nid = '{class}#t'\nseconds = 4\n{more}\n");
    let others: String = (0..6).map(|n| test(&format!("W{n}"), "")).collect();
    format!("startup = 2\n{}{}{others}", test("A", first), test("B", second))
}

fn assess(desk: &Desk, suite: &str, more: &[&str]) -> Value {
    desk.write("suite.toml", suite);
    assess_file(desk, "suite.toml", more)
}

fn assess_file(desk: &Desk, file: &str, more: &[&str]) -> Value {
    let arguments = [&["assess", file, "--cores", "2", "--json"], more].concat();
    let output = desk.command(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn has_two_cores() -> bool {
    std::thread::available_parallelism().is_ok_and(|cores| cores.get() >= 2)
}

#[test]
fn a_suite_that_gains_is_to_be_run_in_parallel() {
    if !has_two_cores() {
        return;
    }
    let desk = Desk::new();
    let answer = assess(&desk, &suite("", ""), &["--builds-per-day", "10", "--price-per-core-hour", "0.5"]);
    assert_eq!((answer["verdict"].as_str(), answer["mode"].as_str()), (Some("adopt"), Some("forks")));
    // 34 seconds one after the other, 18 on two cores.
    let value = answer["speedup"]["value"].as_f64().unwrap();
    assert!((value - 34.0 / 18.0).abs() < 1e-6, "{value}");
    assert!(answer["speedup"]["p"].as_f64().unwrap() < 0.05 && answer["blocks"].as_u64().unwrap() >= 6);
    // A model suite has no pom and no CI.
    assert_eq!(
        (&answer["snippet"], &answer["snippets"], &answer["command"]),
        (&Value::Null, &Value::Array(vec![]), &Value::Null)
    );
    assert_eq!(answer["failures"], Value::Array(vec![]));
    let cores: Vec<u64> = points(&answer["prediction"]).keys().copied().collect();
    assert_eq!(cores, [2, 4, 8, 16, 32, 64]);
    let saved = answer["costs"]["money_saved_per_month"].as_f64().unwrap();
    assert!((saved - 16.0 * 300.0 / 3600.0 * 2.0 * 0.5).abs() < 1e-6, "{saved}");
    for check in answer["checks"].as_array().unwrap() {
        assert!(check["error_percent"].as_f64().unwrap().abs() < 15.0, "{check}");
    }
    let page =
        fs::read_to_string(Path::new(answer["run_dir"].as_str().unwrap()).join("assessment/index.html")).unwrap();
    assert!(page.contains("Computed for 2 cores") && page.contains("default-src 'none'") && !page.contains("src=\""));
    let report = desk.command(["report", answer["run_dir"].as_str().unwrap()]).output().unwrap();
    assert!(report.status.success(), "the run is one like any other");
}

const VIRTUAL: &str = "times are computed from model suites; nothing was measured";

/// Nobody takes a model's times for measurements, in whatever form the answer comes.
#[test]
fn that_times_are_virtual_is_said_first_in_every_form() {
    let desk = Desk::new();
    let answer = assess(&desk, &suite("races_with = ['B#t']", ""), &["--budget", "20m"]);
    assert_eq!((answer["virtual_time"].as_bool(), answer["notes"][0].as_str()), (Some(true), Some(VIRTUAL)));
    let printed = |more: &[&str]| {
        let arguments = ["assess", "suite.toml", "--cores", "2", "--budget", "20m"];
        let output = desk.command([&arguments[..], more].concat()).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let (terminal, comment, page) = (printed(&[]), printed(&["--format", "md"]), printed(&["--format", "html"]));
    // Only that nothing was run now comes before it.
    let first: Vec<&str> = terminal.lines().take(2).collect();
    assert!(first[0].contains("already answered") && first[1] == format!("! {VIRTUAL}"), "{terminal}");
    assert_eq!(comment.lines().nth(4), Some(format!("> {VIRTUAL}").as_str()), "{comment}");
    assert!(page.find(VIRTUAL).unwrap() < page.find("<h1>").unwrap());
    for form in [&terminal, &comment, &page] {
        assert_eq!(form.matches("nothing was measured").count(), 1, "{form}");
        for claim in ["Measured on", "measured on", "In the CI", "pom.xml", "mvn test", ">measured<"] {
            assert!(!form.contains(claim), "{claim}: {form}");
        }
    }
}

/// What a command on a project writes is in parade's cache, wherever it is started.
#[test]
fn a_run_is_kept_in_the_cache_and_named() {
    let desk = Desk::new();
    let answer = assess(&desk, &suite("", ""), &["--budget", "6m"]);
    let run_dir = answer["run_dir"].as_str().unwrap();
    assert!(Path::new(run_dir).starts_with(desk.path("home/results")), "{run_dir}");
    let mut left: Vec<String> =
        fs::read_dir(desk.path("")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    left.sort();
    assert_eq!(left, ["home", "suite.toml"]);
    let output = desk.command(["assess", "suite.toml", "--cores", "2", "--budget", "6m"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.ends_with(&format!("Run: {run_dir} (for `parade report`)\n")), "{text}");
    assert!(desk.command(["report", run_dir]).output().unwrap().status.success());
    let elsewhere = assess(&desk, &suite("", ""), &["--budget", "6m", "--results", "mine"]);
    assert!(Path::new(elsewhere["run_dir"].as_str().unwrap()).starts_with(desk.path("mine")));
}

/// Why tests fail is a sentence, and is read as one: no narrow column of single words.
#[test]
fn why_tests_fail_can_be_read_on_a_narrow_terminal() {
    let desk = Desk::new();
    assess(&desk, &suite("races_with = ['B#t']", ""), &["--budget", "20m"]);
    for width in [80, 120] {
        let mut command = desk.command(["assess", "suite.toml", "--cores", "2", "--budget", "20m"]);
        let output = command.env("COLUMNS", width.to_string()).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let (_, why) = text.split_once("why, and what to do  ").expect("the reason");
        let first = why.lines().next().unwrap();
        assert!(first.chars().count() > width - 23 - 15, "{width}: {first}");
        let (answer, _) = text.split_once("\nPage: ").unwrap();
        for line in answer.lines() {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
        assert!(!text.contains("\ns  "), "the name of a mode stays whole: {text}");
    }
}

fn points(prediction: &Value) -> BTreeMap<u64, f64> {
    let point = |point: &Value| (point["cores"].as_u64().unwrap(), point["seconds"].as_f64().unwrap());
    prediction.as_array().unwrap().iter().map(point).collect()
}

#[test]
fn races_are_repaired_named_and_explained() {
    if !has_two_cores() {
        return;
    }
    // Processes share nothing in a model.
    let racing = suite("races_with = ['B#t']", "");
    let answer = assess(&Desk::new(), &racing, &["--budget", "20m"]);
    assert_eq!(answer["verdict"], "adopt", "processes keep them apart: {answer}");
    let failure = &answer["failures"][0];
    assert_eq!((failure["test"].as_str(), failure["kind"].as_str()), (Some("A#t"), Some("race_or_shared_resource")));
    assert!(failure["failed_in"].as_array().unwrap().iter().all(|count| count["mode"] != "forks"));
}

/// One class, so that no process of its own keeps the two apart: only a rerun repairs what they do to each other.
#[test]
fn a_suite_that_gains_with_reruns_only_is_told_so() {
    if !has_two_cores() {
        return;
    }
    let test = |n: usize, more: &str| format!("[[test]]\nid = 'A#t{n}'\nseconds = 4\n{more}\n");
    let others: String = (2..10).map(|n| test(n, "")).collect();
    let racing =
        format!("startup = 2\n{}{}{others}", test(0, "races_with = ['A#t1']"), test(1, "races_with = ['A#t0']"));
    let answer = assess(&Desk::new(), &racing, &["--budget", "20m"]);
    assert_eq!(answer["verdict"], "adopt_with_paste", "{answer}");
    let kinds: Vec<&str> = answer["failures"].as_array().unwrap().iter().filter_map(|it| it["kind"].as_str()).collect();
    assert_eq!(kinds, ["race_or_shared_resource"; 2], "{answer}");
}

#[test]
fn what_no_repair_mends_has_to_be_mended_first() {
    if !has_two_cores() {
        return;
    }
    let answer = assess(&Desk::new(), &suite("", "needs = ['A#t']"), &["--budget", "6m"]);
    assert_eq!(answer["verdict"], "fix_first", "{answer}");
    let failure = &answer["failures"][0];
    assert_eq!((failure["test"].as_str(), failure["kind"].as_str()), (Some("B#t"), Some("order_across_classes")));
    assert_eq!((failure["unrepaired"].as_bool(), answer["command"].as_str()), (Some(true), None));
}

#[test]
fn a_suite_that_gains_nothing_is_left_alone() {
    let one_class = "startup = 5\n[[test]]\nid = 'A#a'\nseconds = 0.1\n[[test]]\nid = 'A#b'\nseconds = 0.1\n";
    let answer = assess(&Desk::new(), one_class, &["--budget", "1m"]);
    assert_eq!((answer["verdict"].as_str(), answer["snippet"].as_str()), (Some("not_worth_it"), None));
    let failing = format!("{one_class}flaky = 1.0\n");
    let answer = assess(&Desk::new(), &failing, &["--budget", "1m"]);
    assert_eq!((answer["verdict"].as_str(), &answer["broken"][0]), (Some("fix_first"), &Value::from("A#b")));
}

/// One number of the model for one thing, and none for what was not checked.
#[test]
fn curves_are_of_modes_that_were_checked_and_have_the_measured_time() {
    if !has_two_cores() {
        return;
    }
    let one_class = "startup = 5\n[[test]]\nid = 'A#a'\nseconds = 20\n[[test]]\nid = 'A#b'\nseconds = 20\n";
    let suites = [suite("", ""), one_class.to_owned(), suite("races_with = ['B#t']", "")];
    for (number, suite) in suites.into_iter().enumerate() {
        let desk = Desk::new();
        let answer = assess(&desk, &suite, &["--budget", "60m"]);
        let list = |key: &str| answer[key].as_array().unwrap().clone();
        for curve in list("predictions") {
            let is_machines = curve["machines"].as_bool().unwrap();
            let mode = if is_machines { Value::from("sequential") } else { curve["way"].clone() };
            let checks = list("checks");
            let check = checks.iter().find(|check| check["way"] == mode && check["cores"] == 2).expect("a check");
            assert!(check["error_percent"].as_f64().unwrap().abs() <= 25.0, "{check}");
            if !is_machines {
                let way = list("ways").into_iter().find(|way| way["way"] == mode).unwrap();
                assert_eq!(way["overlapped"], true, "{way}");
                let (told, measured) = (points(&curve["points"])[&2], check["measured_seconds"].as_f64().unwrap());
                assert!((told - measured).abs() < 1e-6, "{told} and {measured}");
            }
        }
        let report = desk.command(["report", answer["run_dir"].as_str().unwrap()]).output().unwrap();
        let text = String::from_utf8(report.stdout).unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(!text.contains("speed of project"), "{text}");
        if answer["verdict"] == "adopt" {
            assert!(text.contains("× faster than sequential"), "{text}");
            assert!(number > 0 || text.contains("forks is 1.89× faster than sequential"), "{text}");
            assert!(!text.contains("rerun failed tests on another one"), "{text}");
        }
    }
}

/// A flaky test that fails in some baselines: both say the same number of the same pairs.
#[test]
fn assess_and_report_use_the_same_pairs() {
    if !has_two_cores() {
        return;
    }
    let desk = Desk::new();
    let answer = assess(&desk, &suite("flaky = 0.12", ""), &["--budget", "20m"]);
    let run = answer["run_dir"].as_str().unwrap();
    let report = desk.command(["report", run, "--json"]).output().unwrap();
    assert!(report.status.success(), "{}", String::from_utf8_lossy(&report.stderr));
    let report: Value = serde_json::from_slice(&report.stdout).unwrap();
    let rows = report["tables"]["speedups"].as_array().unwrap();
    let mut compared = 0;
    for row in rows.iter().filter(|row| row["cores"] == 2 && row["speedup"].is_number()) {
        let ways = answer["ways"].as_array().unwrap();
        let way = ways.iter().find(|way| way["way"] == row["configuration"]).unwrap();
        let told = &way["repaired"];
        assert_eq!(told["pairs"], row["pairs"], "{way} {row}");
        let (ours, theirs) = (told["value"].as_f64().unwrap(), row["speedup"].as_f64().unwrap());
        assert!((ours - theirs).abs() < 1e-9, "{ours} {theirs}");
        compared += 1;
    }
    assert!(compared > 0, "{rows:?}");
}

#[test]
fn an_answer_can_be_asked_for_again_in_every_form() {
    let desk = Desk::new();
    let first = assess(&desk, &suite("", ""), &["--budget", "6m"]);
    let again = assess(&desk, &suite("", ""), &["--budget", "6m"]);
    assert_eq!(
        (&first["run_dir"], &first["verdict"], &first["blocks"]),
        (&again["run_dir"], &again["verdict"], &again["blocks"])
    );
    for (format, sign) in [("md", "> This question was already answered"), ("html", "<!DOCTYPE html>"), ("json", "{")] {
        let output = desk
            .command(["assess", "suite.toml", "--cores", "2", "--budget", "6m", "--format", format])
            .output()
            .unwrap();
        assert!(String::from_utf8_lossy(&output.stdout).starts_with(sign), "{format}");
    }
    let text = desk.command(["assess", "suite.toml", "--cores", "2", "--budget", "6m"]).output().unwrap();
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    let (stored, rest) = text.split_once('\n').unwrap();
    assert!(stored.contains("already answered"), "{text}");
    let expected = format!("! {VIRTUAL}\n{}", first["verdict"].as_str().unwrap());
    assert!(rest.starts_with(&expected), "{text}");
    // Another suite under the same name is another assessment.
    let changed = assess(&desk, &suite("", "").replace("seconds = 4", "seconds = 5"), &["--budget", "6m"]);
    assert_ne!(changed["run_dir"], first["run_dir"]);
}

/// Every address that a page leads to lies in the page itself.
fn leads_nowhere_else(page: &str) -> bool {
    let addresses = page.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
    let is_inside = |address: &str| {
        address.starts_with("data:text/csv")
            || address.strip_prefix('#').is_some_and(|id| page.contains(&format!("id=\"{id}\"")))
    };
    addresses.filter(|address| !is_inside(address)).count() == 0
}

#[test]
fn a_page_that_is_kept_elsewhere_is_whole() {
    let desk = Desk::new();
    fs::write(desk.path("suite.toml"), suite("races_with = ['B#t']", "")).unwrap();
    let output = desk.command(["assess", "suite.toml", "--cores", "2", "--budget", "20m", "--format", "html"]).output();
    let page = String::from_utf8(output.unwrap().stdout).unwrap();
    assert!(page.contains("download=\"ways.csv\"") && page.contains("data:text/csv;charset=utf-8,mode%2Cruns%2C"));
    assert!(leads_nowhere_else(&page), "{page}");
}

#[test]
fn a_larger_budget_goes_on_with_what_is_there() {
    if !has_two_cores() {
        return;
    }
    let desk = Desk::new();
    let small = assess(&desk, &suite("", ""), &["--budget", "4m"]);
    let large = assess(&desk, &suite("", ""), &["--budget", "20m"]);
    let blocks = |answer: &Value| answer["blocks"].as_u64().unwrap();
    assert_eq!(small["run_dir"], large["run_dir"]);
    assert!(blocks(&large) >= 6 && blocks(&small) < 6, "{} then {}", small["blocks"], large["blocks"]);
    assert!(large["spent_seconds"].as_f64() > small["spent_seconds"].as_f64());
    let ways = |answer: &Value| answer["ways"].as_array().unwrap().len();
    assert!(ways(&large) >= ways(&small), "what was not affordable is tried");
    // Less was asked before: what is known is told, and nothing is run.
    let again = assess(&desk, &suite("", ""), &["--budget", "5m"]);
    assert_eq!((&again["blocks"], &again["budget_seconds"]), (&large["blocks"], &large["budget_seconds"]));
    assert_eq!(again["plan"], large["plan"]);
    let stored =
        "This question was already answered, with a budget of 20m; nothing was run now. `--fresh` measures anew.";
    assert_eq!((again["stored"].as_str(), &large["stored"]), (Some(stored), &Value::Null));
}

#[test]
fn a_budget_holds_and_the_most_promising_way_is_tried_first() {
    if !has_two_cores() {
        return;
    }
    // One class: only its tests can be run at the same time.
    let test = |n: usize| format!("[[test]]\nid = 'A#t{n}'\nseconds = 4\n");
    let one_class = format!("startup = 2\n{}", (0..8).map(test).collect::<String>());
    let tight = assess(&Desk::new(), &one_class, &["--budget", "100s"]);
    assert_eq!((tight["verdict"].as_str(), tight["preliminary"].as_bool()), (Some("adopt"), Some(true)), "{tight}");
    assert!(["methods", "classesAndMethods"].contains(&tight["mode"].as_str().unwrap()), "{tight}");
    for budget in ["100s", "3m", "7m", "30m"] {
        let answer = assess(&Desk::new(), &suite("races_with = ['B#t']", ""), &["--budget", budget]);
        let [spent, all] = ["spent_seconds", "budget_seconds"].map(|key| answer[key].as_f64().unwrap());
        assert!(spent <= all, "{budget}: {spent} of {all}");
    }
}

#[test]
fn more_time_is_never_less_of_an_answer() {
    if !has_two_cores() {
        return;
    }
    for more in ["races_with = ['A#t']", "needs = ['A#t']"] {
        let mut before = (0, 0, 0);
        for budget in [105, 170, 240, 330, 480, 700] {
            let answer = assess(&Desk::new(), &suite("", more), &["--budget", &format!("{budget}s")]);
            let runs = |way: &Value| way["runs"].as_u64().unwrap();
            let ways = answer["ways"].as_array().unwrap();
            let now = (answer["blocks"].as_u64().unwrap(), ways.len(), ways.iter().map(runs).sum::<u64>());
            let grows = now.0 >= before.0 && now.1 >= before.1 && now.2 >= before.2;
            assert!(grows, "{more}, {budget} s: blocks, ways and runs {now:?}, with less time {before:?}");
            before = now;
        }
        assert!(before.0 >= 3 && before.1 >= 4, "{more}: {before:?}");
    }
}

/// What breaks down without parallelism is not for parallelism, however long one looks.
#[test]
fn a_suite_that_breaks_down_by_itself_has_to_be_mended_whatever_the_budget() {
    for budget in ["3m", "1h"] {
        let answer = assess(&Desk::new(), &suite("", "exits_after = 1"), &["--budget", budget]);
        assert_eq!((&answer["verdict"], &answer["mode"]), (&"fix_first".into(), &Value::Null), "{budget}: {answer}");
        let reason = answer["reason"].as_str().unwrap();
        assert!(reason.ends_with(": its process ended in B#t"), "{budget}: {reason}");
        let nobody = Value::Array(Vec::new());
        assert_eq!(
            [&answer["flaky"], &answer["broken"], &answer["failures"]],
            [&nobody; 3],
            "those after it never ran"
        );
    }
}

/// A test that ends its process if another one is not before it; what it takes along is innocent.
#[test]
fn who_ends_the_process_in_parallel_is_named_and_nobody_else() {
    if !has_two_cores() {
        return;
    }
    let exits = "needs = ['A#t']\nfails_by = 'exiting'";
    let answer = assess(&Desk::new(), &suite("", exits), &["--budget", "150s"]);
    assert_eq!(answer["verdict"], "fix_first", "it would gain: {answer}");
    let named: Vec<&str> =
        answer["failures"].as_array().unwrap().iter().filter_map(|failure| failure["test"].as_str()).collect();
    assert_eq!(named, ["B#t"], "{answer}");
    assert_eq!(answer["failures"][0]["kind"], "order_across_classes", "{answer}");
}

/// Eighty tests, of which a third fail now and then: as often with parallelism as without.
#[test]
fn what_fails_by_chance_without_parallelism_is_neither_broken_nor_in_its_way() {
    if !has_two_cores() {
        return;
    }
    let mut text = "startup = 2\n".to_owned();
    for test in 0..80 {
        let flaky = if test % 3 == 0 { "flaky = 0.04\n" } else { "" };
        text.push_str(&format!("[[test]]\nid = 'C{}#t{test}'\nseconds = 1\n{flaky}", test % 10));
    }
    let mut adopted = 0;
    // Which tests fail follows from the name of the suite.
    for name in ["one.toml", "two.toml", "three.toml"] {
        let desk = Desk::new();
        desk.write(name, &text);
        let answer = assess_file(&desk, name, &["--budget", "40m"]);
        assert_eq!(answer["broken"], Value::Array(Vec::new()), "{answer}");
        assert!(["adopt", "adopt_with_paste"].contains(&answer["verdict"].as_str().unwrap()), "{answer}");
        adopted += usize::from(answer["verdict"] == "adopt");
    }
    assert!(adopted >= 2, "{adopted} of 3 are adopted");
}

/// Chance comes from the seed and the names of trials, not from the folder in which a suite lies.
#[test]
fn chance_is_the_same_in_every_folder() {
    let told = || {
        let desk = Desk::new();
        let answer = assess(&desk, &suite("flaky = 0.4", "flaky = 0.3"), &["--budget", "10m"]);
        let journal = fs::read_to_string(Path::new(answer["run_dir"].as_str().unwrap()).join("journal.jsonl")).unwrap();
        let records = journal.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let tallies: Vec<Value> = records.map(|record| record["tally"].clone()).filter(|it| !it.is_null()).collect();
        (tallies, answer["verdict"].clone(), answer["failures"].clone(), answer["flaky"].clone())
    };
    let first = told();
    assert!(first.0.iter().any(|tally| tally["failed"] != 0), "{first:?}");
    assert_eq!(first, told());
}

/// The tests of an answer that advises something say whether they are in its way.
#[test]
fn failures_of_other_ways_are_not_held_against_the_advice() {
    if !has_two_cores() {
        return;
    }
    let desk = Desk::new();
    let answer = assess(&desk, &suite("races_with = ['B#t']", ""), &["--budget", "20m"]);
    assert_eq!((&answer["verdict"], &answer["failures"][0]["in_mode"]), (&"adopt".into(), &false.into()), "{answer}");
    let text = desk.command(["assess", "suite.toml", "--cores", "2", "--budget", "20m"]).output().unwrap();
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.contains("None of them failed in forks, the mode that the answer is about"), "{text}");
}

#[test]
fn a_test_that_fails_by_chance_is_no_race() {
    if !has_two_cores() {
        return;
    }
    let rare = assess(&Desk::new(), &suite("flaky = 0.06", ""), &["--budget", "40m"]);
    for failure in rare["failures"].as_array().unwrap() {
        assert!(["chance", "chance_or_rare_race"].contains(&failure["kind"].as_str().unwrap()), "{failure}");
        assert!(failure["reason"].as_str().unwrap().starts_with("failed ("), "{failure}");
    }
    let often = assess(&Desk::new(), &suite("races_with = ['B#t']", ""), &["--budget", "40m"]);
    assert_eq!(often["failures"][0]["kind"], "race_or_shared_resource");
}

/// What is told of a speedup is made of the times beside it.
#[test]
fn numbers_agree_with_each_other() {
    if !has_two_cores() {
        return;
    }
    for more in ["", "races_with = ['B#t']"] {
        let answer = assess(&Desk::new(), &suite(more, ""), &["--budget", "20m"]);
        let number = |value: &Value| value.as_f64().unwrap();
        let told = &answer["speedup"];
        let agrees = |speedup: &Value, base: &Value, seconds: &Value| {
            (number(&speedup["value"]) - number(base) / number(seconds)).abs() < 1e-9
        };
        assert!(agrees(told, &answer["baseline_seconds"], &answer["seconds"]), "{answer}");
        let saved = number(&answer["baseline_seconds"]) - number(&answer["seconds"]);
        assert!((saved - number(&answer["costs"]["seconds_saved_per_build"])).abs() < 1e-9, "{answer}");
        for way in answer["ways"].as_array().unwrap() {
            for speedup in ["plain", "repaired"].map(|key| &way[key]).into_iter().filter(|speedup| !speedup.is_null()) {
                assert!(agrees(speedup, &speedup["baseline_seconds"], &speedup["seconds"]), "{way}");
            }
        }
    }
}

/// One class, so that only its methods can run side by side.
#[test]
fn a_race_is_seen_though_the_test_is_flaky_as_well() {
    let mut text = "startup = 1\n".to_owned();
    for test in 0..20 {
        let more = if test == 1 { "races_with = ['C#m0']\nflaky = 0.1\n" } else { "" };
        text.push_str(&format!("[[test]]\nid = 'C#m{test}'\nseconds = 1.0\n{more}"));
    }
    let answer = assess(&Desk::new(), &text, &["--budget", "1h"]);
    // Where chance makes it fail alone, too, its class is run again, and repairs may cost what was gained.
    let verdict = answer["verdict"].as_str().unwrap();
    assert!(["adopt_with_paste", "fix_first"].contains(&verdict), "it is not set aside: {answer}");
    let failure = &answer["failures"][0];
    assert_eq!((&failure["test"], &failure["kind"]), (&"C#m1".into(), &"race_or_shared_resource".into()), "{failure}");
}

#[test]
fn a_budget_below_one_run_is_refused_and_what_comes_of_a_small_one_is_called_preliminary() {
    let desk = Desk::new();
    fs::write(desk.path("suite.toml"), suite("", "")).unwrap();
    let output = desk.command(["assess", "suite.toml", "--cores", "2", "--budget", "20s"]).output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.code() == Some(2) && err.contains("is too small: one sequential run of the suite did not end"),
        "{err}"
    );
    assert!(err.contains("give a --budget of 6m40s or more"), "{err}");
    let output = desk.command(["assess", "suite.toml", "--cores", "2", "--timeout", "20s"]).output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && err.contains("give a larger --timeout"), "{err}");
    let output = desk.command(["assess", "suite.toml", "--cores", "2", "--budget", "80s"]).output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && err.contains("needs at least 3 runs"), "{err}");
    assert!(err.contains("give a --budget of 11m20s or more"), "{err}");
    fs::write(desk.path("none.toml"), "startup = 1\n").unwrap();
    let output = desk.command(["assess", "none.toml", "--json"]).output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &answer["verdict"]), (Some(1), &"build_failed".into()), "{answer}");
    fs::write(desk.path("none.toml"), "startup = [").unwrap();
    let output = desk.command(["assess", "none.toml", "--json"]).output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && err.contains("none.toml"), "{err}");
    if !has_two_cores() {
        return;
    }
    let hasty = assess(&Desk::new(), &suite("", ""), &["--budget", "2m"]);
    assert_eq!((hasty["verdict"].as_str(), hasty["preliminary"].as_bool()), (Some("adopt"), Some(true)), "{hasty}");
    let patient = assess(&Desk::new(), &suite("", ""), &["--budget", "1h"]);
    assert_eq!((patient["verdict"].as_str(), patient["preliminary"].as_bool()), (Some("adopt"), Some(false)));
}

#[test]
fn what_makes_no_sense_is_bad_usage() {
    let desk = Desk::new();
    fs::create_dir(desk.path("empty")).unwrap();
    let experiment = "[experiment]\nname = 'x'\n[[subject]]\nname = 'y'\n[[configuration]]\nname = 'z'\n";
    fs::write(desk.path("experiment.toml"), experiment).unwrap();
    for (arguments, named) in [
        (&["experiment.toml"][..], "is an experiment file, not a model suite"),
        (&["empty", "-DforkCount=2"], "give --forks to `parade test`"),
        (&["empty"][..], "pom.xml"),
        (&["nowhere"], "nowhere"),
        (&["empty", "--budget", "never"], "90s"),
        (&["empty", "--builds-per-day=-3"], "number"),
        (&["empty", "--json", "--format", "md"], "cannot be combined"),
    ] {
        let output = desk.command([&["assess"], arguments].concat()).output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && err.contains(named), "{arguments:?}: {err}");
    }
}

/// A person who waits is told what has been run. How many runs there will be depends on what they show.
#[test]
fn no_total_is_told_that_may_change() {
    let desk = Desk::new();
    fs::write(desk.path("suite.toml"), suite("races_with = ['B#t']", "")).unwrap();
    let output = desk.command(["assess", "suite.toml", "--cores", "2", "--budget", "20m"]).output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    let places = err.lines().filter_map(|line| line.strip_prefix('[')?.split_once(']'));
    let told: Vec<&str> = places.map(|(place, _)| place).collect();
    let expected: Vec<String> = (1..=told.len()).map(|number| format!("run {number}")).collect();
    assert!(told.len() > 5 && told == expected, "{err}");
}

/// One time per mode: the table of the modes, the check of the model and the facts have the same.
#[test]
fn every_part_of_an_answer_has_the_same_time_of_a_mode() {
    if !has_two_cores() {
        return;
    }
    for more in ["", "flaky = 0.2"] {
        let answer = assess(&Desk::new(), &suite(more, ""), &["--budget", "40m"]);
        let checks = answer["checks"].as_array().unwrap();
        let on_all: Vec<&Value> = checks.iter().filter(|check| check["cores"] == 2).collect();
        assert!(on_all.len() > 1, "{answer}");
        for check in on_all.iter().filter(|check| check["way"] != "sequential") {
            let way = answer["ways"].as_array().unwrap().iter().find(|way| way["way"] == check["way"]).unwrap();
            assert_eq!(check["measured_seconds"], way["plain"]["seconds"], "{check}");
            assert_eq!(check["runs"], way["plain"]["pairs"], "{check}");
        }
        let sequential = on_all.iter().find(|check| check["way"] == "sequential").unwrap();
        assert_eq!(sequential["runs"], answer["blocks"], "{sequential}");
    }
}

/// Of a suite that fails by itself no mode is judged, and none is told as if it were.
#[test]
fn a_suite_that_fails_or_is_flaky_by_itself_has_no_mode() {
    let all =
        |more: &str| (0..6).map(|n| format!("[[test]]\nid = 'W{n}#t'\nseconds = 4\n{more}\n")).collect::<String>();
    for (more, says) in [
        ("flaky = 1.0", "6 of 6 tests fail in every sequential run: W0#t"),
        ("flaky = 0.5", " of 6 tests are flaky: they fail in some sequential runs and not in others"),
    ] {
        let answer = assess(&Desk::new(), &format!("startup = 2\n{}", all(more)), &["--budget", "20m"]);
        let reason = answer["reason"].as_str().unwrap();
        assert!(answer["verdict"] == "fix_first" && reason.contains(says), "{reason}");
        assert!(!reason.contains("no test failed"), "{reason}");
        assert_eq!((&answer["mode"], &answer["speedup"]), (&Value::Null, &Value::Null), "{answer}");
        assert_eq!(answer["risk"]["runs"], 0, "{answer}");
    }
    let sound = assess(&Desk::new(), &suite("flaky = 0.4", ""), &["--budget", "20m"]);
    let reason = sound["reason"].as_str().unwrap();
    if sound["verdict"] == "adopt" && sound["flaky"] == Value::from(vec!["A#t"]) {
        assert!(reason.ends_with("except 1 that also fails in sequential runs"), "{reason}");
    }
}

#[test]
fn what_an_answer_says_is_what_its_runs_show() {
    if !has_two_cores() {
        return;
    }
    let order = assess(&Desk::new(), &suite("", "needs = ['A#t']"), &["--budget", "20m"]);
    let mode = order["ways"].as_array().unwrap().iter().find(|way| way["way"] == order["mode"]).unwrap();
    let often =
        format!("1 test fails (B#t: “the model says so”) in {} of its {} runs", mode["failing_runs"], mode["runs"]);
    assert!(order["reason"].as_str().unwrap().contains(&often), "{often}: {}", order["reason"]);
    let why = order["failures"][0]["reason"].as_str().unwrap();
    assert!(why.contains("and in 3 of 3 runs alone. It fails with its class"), "{why}");

    let desk = Desk::new();
    assess(&desk, &suite("", "").replacen("seconds = 4", "seconds = 100", 1), &["--budget", "1h"]);
    let output = desk.command(["assess", "suite.toml", "--cores", "2", "--budget", "1h"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("more cores would gain little: at best") && text.contains("because of A"), "{text}");

    let single = assess(&Desk::new(), "startup = 2\n[[test]]\nid = 'A#t'\nseconds = 4\n", &["--budget", "5m"]);
    assert_eq!((&single["verdict"], &single["preliminary"]), (&"not_worth_it".into(), &false.into()), "{single}");
    assert_eq!(single["reason"], "the suite has only one test");
    let notes = single["notes"].as_array().unwrap();
    assert!(!notes.iter().any(|note| note.as_str().unwrap().contains("larger --budget")), "{notes:?}");
    assert_eq!(single["untried"][0]["because"], "single_module", "{single}");

    let hasty = assess(&Desk::new(), &suite("", ""), &["--budget", "2m"]);
    let untried = hasty["untried"].as_array().unwrap();
    let budget = untried.iter().filter(|each| each["because"] == "budget_used_up").map(|each| each["mode"].clone());
    assert_eq!(Value::from(budget.collect::<Vec<_>>()), hasty["not_tried"], "{hasty}");
}
