//! The bundled project with a history: what was planted there is what the tables of a run say, and nothing else.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::common::desk::Desk;
use crate::common::histories::{has_git, make_history};
use crate::turn;

/// The file as it is, but for the places that it names.
fn experiment(desk: &Desk) -> String {
    let root = env!("CARGO_MANIFEST_DIR");
    let text = std::fs::read_to_string(Path::new(root).join("experiments/history.toml")).unwrap();
    let repository = desk.path("histories").join("shop");
    let moved = text
        .replace("../target/histories/shop", &repository.to_string_lossy())
        .replace("../scripts/generators", &format!("{root}/scripts/generators"));
    // One repetition less, and fewer random orders, say the same.
    moved.replace("repetitions = 3 ", "repetitions = 2 ").replace("rounds = 20 ", "rounds = 12 ")
}

/// What the report says of the run, as its CSV files have it.
fn report(desk: &Desk) -> Value {
    let results = desk.path("results").join("history").join("latest");
    let told = desk.command(["report", &results.to_string_lossy(), "--json"]).output().unwrap();
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    serde_json::from_slice(&told.stdout).unwrap()
}

/// `T2 CatalogTest#b_finds v02`, of one kind of suite, in plain or in enhanced orders.
fn failures(report: &Value, authorship: &str, enhanced: bool, algorithms: &[&str]) -> BTreeSet<String> {
    let rows = report["tables"]["od_failures"].as_array().unwrap();
    let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    rows.iter()
        .filter(|row| row["authorship"] == authorship && row["enhanced"] == enhanced)
        .filter(|row| algorithms.iter().any(|name| row["algorithm"] == *name))
        .map(|row| {
            format!("{} {} {}", text(row, "algorithm"), text(row, "test").replace("shop.", ""), text(row, "versions"))
        })
        .collect()
}

fn set(rows: &[&str]) -> BTreeSet<String> {
    rows.iter().map(|row| (*row).to_owned()).collect()
}

fn check_written_suite(report: &Value) {
    let facts = &report["tables"]["od_statistics"][0];
    assert_eq!((&facts["subject"], &facts["tests_human"], &facts["od_human"]), (&"H1".into(), &13.into(), &5.into()));
    assert_eq!((&facts["versions"], facts["days_median"].as_f64()), (&4.into(), Some(10.0)));
    assert_eq!(
        failures(report, "human", false, &["T1", "S1", "S2", "P1"]),
        set(&[
            "T1 CatalogTest#b_finds v02",
            "T1 PricesTest#a_quotes v02",
            "T1 SessionTest#a_guest v02",
            "T1 WelcomeTest#greets v02",
            "S1 CatalogTest#b_finds v02 v03 v04",
            "S2 CatalogTest#b_finds v02 v03 v04",
            "S2 BillTest#totals v03 v04",
            "P1 CatalogTest#b_finds v02",
        ])
    );
    let enhanced = failures(report, "human", true, &["T1", "S1", "S2", "P1", "P2", "P3"]);
    assert_eq!(enhanced, set(&["S2 BillTest#totals v03 v04"]));
}

/// Tests that remember what others left are order-dependent, and enhanced prioritizations pass.
fn check_generated_suite(report: &Value) {
    let facts = &report["tables"]["od_statistics"][0];
    assert!(facts["tests_auto"].as_u64() > Some(20) && facts["od_auto"].as_u64() > Some(2), "{facts}");
    let plain = failures(report, "auto", false, &["T1"]);
    assert!(plain.contains("T1 Prices_current_Test#call1 v02"), "{plain:?}");
    assert_eq!(failures(report, "auto", true, &["T1"]), BTreeSet::new());
}

fn check_percentages(report: &Value) {
    let reductions = report["tables"]["od_reduction"].as_array().unwrap();
    let of = |technique: &str| {
        let row = reductions.iter().find(|row| row["technique"] == technique && row["authorship"] == "human").unwrap();
        (row["unenhanced"].as_u64(), row["enhanced"].as_u64(), row["reduction"].as_f64().map(f64::round))
    };
    // T1: 4 before, 0 after. S1 and S2: 1 + 2 before, 0 + 1 after.
    assert_eq!(of("prioritization"), (Some(4), Some(0), Some(100.0)));
    assert_eq!(of("selection"), (Some(3), Some(1), Some(67.0)));
    let techniques = report["tables"]["od_techniques"].as_array().unwrap();
    let prioritized =
        techniques.iter().find(|row| row["technique"] == "prioritization" && row["authorship"] == "human");
    assert_eq!(prioritized.map(|row| (row["failing"].as_u64(), row["known"].as_u64())), Some((Some(4), Some(5))));
    assert_eq!(report["headline"]["speed"], Value::Null);
}

#[test]
fn the_tables_say_what_was_planted() {
    let Some(_turn) = turn::beside_others("the_tables_say_what_was_planted") else { return };
    if !has_git() {
        return;
    }
    let desk = Desk::with_downloads();
    make_history(&desk.path("histories"));
    std::fs::write(desk.path("history.toml"), experiment(&desk)).unwrap();
    let only =
        ["T1", "T1-enhanced", "S1*", "S2*", "P1*", "P2-2-enhanced", "P3*"].map(|name| format!("configuration={name}"));
    let ended = desk
        .command(["run", "history.toml", "--out", "results"])
        .args(["--only", &format!("subject=shop,{}", only.join(","))])
        .args(["--only", "subject=shop-auto,configuration=T1*"])
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success(), "{told}\n{}", String::from_utf8_lossy(&ended.stderr));
    let report = report(&desk);
    check_written_suite(&report);
    check_percentages(&report);
    check_generated_suite(&report);
}
