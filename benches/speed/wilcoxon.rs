//! (f) A hundred thousand exact signed-rank tests of thirty pairs, beside SciPy on the same samples: called for each, and for all.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use parade::stats;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::figure::{Figure, Goal, seconds};
use super::workbench::{PAIRS, alternating, python_with, ratio, root};

const TESTS: usize = 100_000;
const SAMPLE: usize = 30;

/// SciPy needs about a millisecond for each: this many are measured, and their time is multiplied.
const CALLS: usize = 4_000;

pub fn measure() -> Vec<Figure> {
    let Some(python) = python_with("scipy.stats") else {
        eprintln!("skipped: tests by SciPy. Install it (`pip install scipy`), and name that Python in PARADE_PYTHON.");
        return Vec::new();
    };
    let samples = samples();
    let folder = tempfile::tempdir().expect("a scratch folder");
    let file = folder.path().join("differences");
    let bytes: Vec<u8> = samples.iter().flatten().flat_map(|(a, b)| (a - b).to_le_bytes()).collect();
    std::fs::write(&file, bytes).expect("the scratch folder is ours");
    let (mut sum, mut reference) = (f64::NAN, f64::NAN);
    let mut vectorised = Vec::new();
    let (ours, called) = alternating(
        || {
            let begin = Instant::now();
            sum = samples.iter().filter_map(|sample| stats::wilcoxon(sample)).map(|test| test.p).sum();
            begin.elapsed().as_secs_f64()
        },
        || {
            let times = by_scipy(&python, &file);
            reference = times["p"].as_f64().unwrap_or(f64::NAN);
            vectorised.push(times["vectorised"].as_f64().unwrap_or(f64::NAN));
            times["called"].as_f64().unwrap_or(f64::NAN) * (TESTS / CALLS) as f64
        },
    );
    assert!((sum - reference).abs() <= 1e-9 * reference, "parade's p-values sum to {sum}, SciPy's to {reference}");
    // The first one does not count.
    figures(&ours, &called, &vectorised[1..])
}

fn figures(ours: &[f64], called: &[f64], vectorised: &[f64]) -> Vec<Figure> {
    let figure = |how: &str, least: f64, theirs: &[f64], note: &str| Figure {
        what: format!("100,000 exact Wilcoxon tests of {SAMPLE} pairs: SciPy {how} / parade"),
        goal: Goal::AtLeast(least),
        unit: " times",
        value: ratio(theirs, ours),
        detail: format!("parade {}, SciPy {}{note}, {PAIRS} pairs, same p-values", seconds(ours), seconds(theirs)),
    };
    let scaled = format!(" ({CALLS} calls, times {})", TESTS / CALLS);
    vec![figure("called for each", 50.0, called, &scaled), figure("called once for all", 1.0, vectorised, "")]
}

/// Differences without ties, some samples around zero, some not.
fn samples() -> Vec<Vec<(f64, f64)>> {
    let mut random = ChaCha8Rng::seed_from_u64(30);
    let mut sample = |shift: f64| {
        (0..SAMPLE).map(|_| (random.random_range(0.0..1.0) + shift, random.random_range(0.0..1.0))).collect()
    };
    (0..TESTS).map(|index| sample((index % 5) as f64 / 20.0)).collect()
}

fn by_scipy(python: &Path, file: &Path) -> serde_json::Value {
    let output = Command::new(python)
        .arg(root().join("benches/speed/wilcoxon.py"))
        .arg(file)
        .args([SAMPLE.to_string(), CALLS.to_string()])
        .output()
        .expect("Python can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("a JSON document")
}
