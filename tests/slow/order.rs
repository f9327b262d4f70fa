//! `parade order`: the real program on Java projects.

use std::fs;

use serde_json::{Value, json};

use crate::common::desk::{Desk, bundled};
use crate::common::ordering::{STOCK, STOCK_TEST, STOCK_TEST_TEXT, STOCK_TEXT, order, shop};
use crate::turn;

#[test]
fn tests_that_a_change_concerns_are_selected_since_an_earlier_version() {
    let Some(_turn) = turn::beside_others("tests_that_a_change_concerns_are_selected_since_an_earlier_version") else {
        return;
    };
    let desk = Desk::with_downloads();
    shop(&desk);
    desk.write(STOCK, &STOCK_TEXT.replace("count += more;", "count += 2 * more;"));
    let added = "    @Test\n    public void anew() {}\n}\n";
    desk.write(STOCK_TEST, &format!("{}{added}", STOCK_TEST_TEXT.trim_end().trim_end_matches('}')));
    let (code, told) =
        order(&desk, "shop --algorithm S1 --since HEAD --run --save-coverage c.json --save-changes c.toml");
    assert_eq!(told["order"], json!(["shop.StockTest#fills", "shop.StockTest#anew"]), "{told}");
    assert_eq!((code, &told["run"]["passed"]), (Some(0), &json!(2)));
    assert_eq!(fs::read_to_string(desk.path("c.toml")).unwrap().matches("shop/Stock.java:7").count(), 1);
    let (_, by_file) = order(&desk, "shop --algorithm S4 --coverage c.json --changes c.toml");
    assert_eq!(by_file["order"], json!(["shop.StockTest#fills"]), "what no version is said of, is not new");
}

#[test]
fn tests_of_a_real_project_run_in_the_order_that_is_given() {
    let Some(_turn) = turn::beside_others("tests_of_a_real_project_run_in_the_order_that_is_given") else { return };
    let desk = Desk::with_downloads();
    let subject = bundled("order-across-classes");
    let (_, original) = order(&desk, &format!("{} --algorithm P1 --machines 1", subject.display()));
    let tests: Vec<&str> = original["machines"][0].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
    assert!(tests.len() > 1, "{original}");
    let last_first: String = tests
        .iter()
        .rev()
        .enumerate()
        .map(|(covers, test)| format!("[[test]]\nid = '{test}'\ncovers = ['A.java:1-{}']\n", tests.len() - covers))
        .collect();
    desk.write("coverage.toml", &format!("version = 1\n{last_first}"));
    let (code, reversed) =
        order(&desk, &format!("{} --algorithm T1 --coverage coverage.toml --run", subject.display()));
    let expected: Value = tests.iter().rev().copied().collect();
    assert_eq!((code, &reversed["order"]), (Some(1), &expected), "its tests depend on each other");
    assert_eq!(reversed["run"]["engine"], "direct");
    let (code, timed) = order(&desk, &format!("{} --algorithm P3 --machines 1 --run", subject.display()));
    assert!(timed["makespan"].as_f64().unwrap() > 0.0, "{timed}");
    assert!(code.is_some());
}
