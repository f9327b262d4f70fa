//! (h) `parade simulate` of a million tests on 1,024 machines, with and without dependencies: reading included.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use super::figure::{Figure, Goal, median, seconds};
use super::workbench::{PAIRS, PARADE};

const TESTS: usize = 1_000_000;
const TESTS_OF_A_CLASS: usize = 20;
/// Every so many tests one needs the one before it.
const DEPENDENT: usize = 50;

pub fn measure() -> Vec<Figure> {
    let folder = tempfile::tempdir().expect("a scratch folder");
    std::fs::write(folder.path().join("times.csv"), times()).expect("the scratch folder is ours");
    std::fs::write(folder.path().join("needs.toml"), needs()).expect("the scratch folder is ours");
    vec![
        figure("by P1, P2 and P3", &["--algorithm", "P1,P2,P3"], folder.path()),
        figure("as threads that take classes and tests", &["--algorithm", "classes,methods"], folder.path()),
        figure("by P2 with 20,000 dependencies", &["--algorithm", "P2", "--dependencies", "needs.toml"], folder.path()),
    ]
}

fn figure(how: &str, options: &[&str], folder: &Path) -> Figure {
    let times: Vec<f64> = (0..PAIRS).map(|_| simulate(options, folder)).collect();
    Figure {
        what: format!("`parade simulate` of a million tests on 1,024 machines, {how}"),
        goal: Goal::AtMost(2.0),
        unit: " s",
        value: median(&times),
        detail: format!("{}, {PAIRS} times", seconds(&times)),
    }
}

fn id(number: usize) -> String {
    format!("shop.part{}.Class{}Test#test{number}", number / 1000, number / TESTS_OF_A_CLASS)
}

fn times() -> String {
    let mut text = "test,seconds\n".to_owned();
    for number in 0..TESTS {
        let _ = writeln!(text, "{},{:.4}", id(number), (number * 7919 % 10_007) as f64 / 10_000.0);
    }
    text
}

fn needs() -> String {
    let mut text = "version = 1\n".to_owned();
    for number in (DEPENDENT..TESTS).step_by(DEPENDENT) {
        let _ = writeln!(text, "[[dependency]]\ntest = '{}'\nafter = [['{}']]", id(number), id(number - 1));
    }
    text
}

fn simulate(options: &[&str], folder: &Path) -> f64 {
    let begin = Instant::now();
    let output = Command::new(PARADE)
        .args(["simulate", "times.csv", "--machines", "1024", "--json"])
        .args(options)
        .current_dir(folder)
        .output();
    let seconds = begin.elapsed().as_secs_f64();
    let output = output.expect("parade can be started");
    let forecasts: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    assert!(forecasts[0]["tests_run"].as_u64() >= Some(TESTS as u64), "{}", String::from_utf8_lossy(&output.stderr));
    seconds
}
