//! (d) `parade check` of a large experiment.

use std::fmt::Write as _;
use std::process::Command;
use std::time::Instant;

use super::figure::{Figure, Goal, median, seconds};
use super::workbench::{PAIRS, PARADE};

const SUBJECTS: usize = 50;
const CONFIGURATIONS: usize = 10;
const REPETITIONS: usize = 20;

pub fn measure() -> Vec<Figure> {
    let folder = tempfile::tempdir().expect("a scratch folder");
    std::fs::write(folder.path().join("suite.toml"), "[[test]]\nid = 'C#t'\n").expect("the scratch folder is ours");
    std::fs::write(folder.path().join("experiment.toml"), experiment()).expect("the scratch folder is ours");
    let times: Vec<f64> = (0..PAIRS).map(|_| check(folder.path())).collect();
    vec![Figure {
        what: "`parade check` of an experiment of 10,000 trials".to_owned(),
        goal: Goal::AtMost(1.0),
        unit: " s",
        value: median(&times),
        detail: format!("{}, {PAIRS} times", seconds(&times)),
    }]
}

fn experiment() -> String {
    let mut text = format!("[experiment]\nname = 'large'\nrepetitions = {REPETITIONS}\n[machine]\ncores = 1\n");
    for number in 0..SUBJECTS {
        let _ = writeln!(text, "[[subject]]\nname = 'subject-{number}'\nmodel = 'suite.toml'");
    }
    let _ = writeln!(text, "[[configuration]]\nname = 'sequential'");
    for number in 1..CONFIGURATIONS {
        let _ = writeln!(
            text,
            "[[configuration]]\nname = 'c{number}'\ntechnique = 'paste'\nparallel = 'classes'\nthreads = {number}"
        );
    }
    text
}

fn check(folder: &std::path::Path) -> f64 {
    let begin = Instant::now();
    let output = Command::new(PARADE).args(["check", "experiment.toml", "--json"]).current_dir(folder).output();
    let seconds = begin.elapsed().as_secs_f64();
    let output = output.expect("parade can be started");
    let plan: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    assert_eq!(plan["trials"], 10_000, "{}", String::from_utf8_lossy(&output.stderr));
    seconds
}
