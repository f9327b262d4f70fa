//! `parade stats`: the real program on small CSV files.

use std::fs;
use std::process::Output;

use assert_cmd::Command;
use serde_json::{Value, json};

/// Twelve rows, the third of which misses a number.
const TIMES: &str = "run,sequential,parallel\n1,12.1,6.0\n2,11.8,6.3\n3,,6.1\n4,12.6,6.2\n5,12.2,5.9\n6,12.3,6.4\n\
                     7,11.9,6.6\n8,12.4,5.8\n9,12.0,6.5\n10,12.8,6.7\n11,12.5,5.7\n12,12.7,6.8\n";

fn parade(arguments: &[&str], input: &str) -> Output {
    let mut command = Command::cargo_bin("parade").unwrap();
    command.arg("stats").args(arguments).write_stdin(input).output().unwrap()
}

fn compared(text: &str, more: &[&str]) -> Value {
    let arguments = [&["-", "--baseline", "sequential", "--candidate", "parallel", "--json"], more].concat();
    let output = parade(&arguments, text);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn refused(arguments: &[&str], input: &str) -> String {
    let output = parade(arguments, input);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_script_gets_every_number() {
    let document = compared(TIMES, &[]);
    assert_eq!((&document["n"], &document["left_out"]), (&json!(11), &json!(1)));
    let exactly = 2.0 / 2048.0;
    assert_eq!(document["wilcoxon"]["statistic"], 0.0);
    assert_eq!(document["wilcoxon"]["p"], exactly);
    assert_eq!(document["wilcoxon"]["method"], "exact");
    assert_eq!(
        (&document["mann_whitney"]["u"], &document["a12"], &document["cliffs_delta"]),
        (&json!(121.0), &json!(1.0), &json!(1.0))
    );
    // 2 of the 705,432 ways to choose 11 of 22.
    assert!((document["mann_whitney"]["p"].as_f64().unwrap() / (2.0 / 705_432.0) - 1.0).abs() < 1e-9);
    let ratio = &document["ratio"];
    let mean = ratio["mean"].as_f64().unwrap();
    assert!((mean - 135.3 / 68.9).abs() < 1e-12, "{mean}");
    assert!((ratio["median"].as_f64().unwrap() - 12.3 / 6.3).abs() < 1e-12);
    assert!(ratio["ci_low"].as_f64().unwrap() < mean && mean < ratio["ci_high"].as_f64().unwrap());
    assert!((document["hodges_lehmann"].as_f64().unwrap() - 6.0).abs() < 0.15);
    assert_eq!(document["a12_magnitude"], "large");
    assert_eq!(document["warnings"], json!([]));
}

#[test]
fn the_question_can_be_one_sided_and_the_seed_another() {
    let greater = compared(TIMES, &["--alternative", "greater"]);
    assert_eq!((&greater["wilcoxon"]["p"], &greater["wilcoxon"]["statistic"]), (&json!(1.0 / 2048.0), &json!(66.0)));
    assert_eq!(compared(TIMES, &["--alternative", "less"])["wilcoxon"]["p"], 1.0);
    let (one, other) = (compared(TIMES, &[]), compared(TIMES, &["--seed", "2"]));
    assert_eq!(one["ratio"], compared(TIMES, &["--seed", "1"])["ratio"]);
    assert_ne!(one["ratio"]["median_ci_low"], other["ratio"]["median_ci_low"]);
    assert_eq!(one["ratio"]["ci_low"], other["ratio"]["ci_low"], "a t interval draws nothing");
    let wide = compared(TIMES, &["--level", "0.999"]);
    assert!(wide["ratio"]["ci_high"].as_f64() > one["ratio"]["ci_high"].as_f64());
}

#[test]
fn zeros_are_handled_as_asked() {
    let text = "sequential,parallel\n5,5\n6,5\n3,5\n8,5\n";
    let statistic = |way| compared(text, &["--zero", way])["wilcoxon"]["statistic"].clone();
    assert_eq!([statistic("wilcox"), statistic("pratt"), statistic("zsplit")], [2.0, 3.0, 3.5].map(|w| json!(w)));
    let asymptotic = compared(text, &["--method", "asymptotic"]);
    assert_eq!(asymptotic["wilcoxon"]["method"], "asymptotic");
}

#[test]
fn columns_that_cannot_be_compared_give_null_and_a_reason() {
    let document = compared("sequential,parallel\n2,2\n0,0\n", &[]);
    assert_eq!(document["wilcoxon"]["p"], Value::Null);
    assert_eq!(document["ratio"]["mean"], 1.0);
    assert!(document["warnings"][0].as_str().unwrap().contains("no pair differs"));
    let zero = compared("sequential,parallel\n2,0\n3,0\n", &[]);
    assert_eq!((&zero["ratio"]["mean"], &zero["ratio"]["ci_low"]), (&Value::Null, &Value::Null));
}

#[test]
fn a_person_gets_a_table_and_a_conclusion() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("times.csv");
    fs::write(&file, TIMES).unwrap();
    let output = parade(&[file.to_str().unwrap(), "--baseline", "sequential", "--candidate", "parallel"], "");
    let page = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success());
    for part in [
        "11 pairs, 1 row without a number left out",
        "ratio of means",
        "t interval of the log ratios",
        "BCa bootstrap interval",
        "faster than",
    ] {
        assert!(page.contains(part), "{page}");
    }
}

/// Five pairs have p = 0.0625 whatever they show, and a report calls them faster.
#[test]
fn the_judgement_is_that_of_reports_whatever_p_level_and_seed_are() {
    let five = "sequential,parallel\n12.1,6.0\n11.8,6.3\n12.6,6.2\n12.2,5.9\n12.3,6.4\n";
    for more in [&[][..], &["--level", "0.9999"], &["--seed", "7"], &["--alternative", "less"]] {
        let document = compared(five, more);
        assert_eq!(document["judgement"], "faster", "{more:?}");
        let by = &document["judged_by"];
        assert_eq!((&by["design"], &by["level"], &by["pairs"]), (&json!("paired"), &json!(0.95), &json!(5)));
        assert_eq!(by["ci_method"], "log_ratio_t");
    }
    let four = five.rsplit_once("12.3").unwrap().0;
    assert_eq!(compared(four, &[])["judgement"], "not_enough_runs");
    let swapped = compared(&five.replacen("sequential,parallel", "parallel,sequential", 1), &[]);
    assert_eq!(swapped["judgement"], "slower");
    let page = parade(&["-", "--baseline", "sequential", "--candidate", "parallel"], five).stdout;
    let page = String::from_utf8(page).unwrap();
    assert!(page.contains("Read as times, parallel is faster than sequential."), "{page}");
    assert!(page.contains("t interval of the log ratios, 5 pairs)"), "{page}");
}

#[test]
fn mistakes_name_their_place_and_exit_with_2() {
    let columns = ["-", "--baseline", "sequential", "--candidate", "parallel"];
    let error = refused(&columns, "sequential,parallel\n1,2\n3,four\n");
    assert!(error.contains("line 3, column `parallel`: `four` is not a number"), "{error}");
    let error = refused(&["-", "--baseline", "sequental", "--candidate", "parallel"], TIMES);
    assert!(error.contains("did you mean `sequential`?") && error.contains("`run`"), "{error}");
    assert!(refused(&columns, "sequential,parallel\n1,\n").contains("no row has numbers in both columns"));
    assert!(refused(&["/no/such.csv", "--baseline", "a", "--candidate", "b"], "").contains("/no/such.csv"));
    assert!(refused(&[&columns[..], &["--level", "95"]].concat(), TIMES).contains("between 0 and 1"));
    assert!(refused(&[&columns[..], &["--zero", "split"]].concat(), TIMES).contains("wilcox, pratt, zsplit"));
}

#[test]
fn exact_p_is_counted_or_refused_and_never_left_out() {
    let rows = |n: u32| -> String {
        let row = |i| format!("{},{}\n", 100 + i * 37 % 101, 90 + i * 53 % 97);
        format!("sequential,parallel\n{}", (0..n).map(row).collect::<String>())
    };
    let document = compared(&rows(80), &["--method", "exact"]);
    assert_eq!(
        (&document["wilcoxon"]["method"], &document["mann_whitney"]["method"]),
        (&json!("exact"), &json!("exact"))
    );
    assert!(document["wilcoxon"]["p"].is_f64() && document["mann_whitney"]["u"].is_f64());
    let arguments = ["-", "--baseline", "sequential", "--candidate", "parallel", "--method", "exact"];
    let told = refused(&arguments, &rows(101));
    assert!(told.contains("up to 100 pairs") && told.contains("leave --method out"), "{told}");
}

#[test]
fn a_column_is_not_compared_with_itself() {
    let told = refused(&["-", "--baseline", "parallel", "--candidate", "parallel"], TIMES);
    assert!(told.contains("`parallel` is baseline and candidate"), "{told}");
}

#[test]
fn few_pairs_are_warned_of_as_the_question_has_it() {
    let five = "sequential,parallel\n5,1\n6,1.5\n7,1.2\n8,1.1\n9,1.4\n4,4\n";
    let warned = |document: &Value, what: &str| document["warnings"].to_string().contains(what);
    let both = compared(five, &[]);
    assert_eq!(both["smallest_p"], 0.0625);
    assert!(warned(&both, "5 pairs that differ can never reach"));
    let one = compared(five, &["--alternative", "greater"]);
    assert_eq!((&one["smallest_p"], &one["wilcoxon"]["p"]), (&json!(0.03125), &json!(0.03125)));
    assert!(!warned(&one, "can never reach"));
    assert!(warned(&compared("sequential,parallel\n5,1\n6,2\n7,3\n", &[]), "3 pairs are too few for a bootstrap"));
}

#[test]
fn what_is_missing_is_explained() {
    let zero = compared("sequential,parallel\n5,0\n6,0\n7,0\n8,1\n", &[]);
    assert!(zero["ratio"]["median"].is_null());
    assert!(zero["warnings"].to_string().contains("the median of `parallel` is zero"), "{}", zero["warnings"]);
    let equal = compared("sequential,parallel\n5,5\n6,6\n", &[]);
    assert_eq!((&equal["wilcoxon"]["statistic"], &equal["wilcoxon"]["p"]), (&json!(0.0), &Value::Null));
    assert_eq!(equal["mann_whitney"]["u"], 2.0);
}
