//! (e) From `tests.parquet` with ten million test results to the tables of the PASTE study: `parade report` against pandas.
//!
//! Both are whole processes on the same file, and must come to the same numbers. parade does more meanwhile: it reads the journal, makes
//! its other tables, and holds every record against its executions.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::figure::{Figure, Goal, median, range, seconds};
use super::large_run;
use super::output::peak_megabytes;
use super::workbench::{PARADE, alternating, python_with, ratio, root};

const LOOK: Duration = Duration::from_millis(2);

pub fn measure() -> Vec<Figure> {
    let Some(python) = python_with("pandas, pyarrow") else {
        eprintln!(
            "skipped: tables by pandas. Install it (`pip install pandas pyarrow`), and name that Python in PARADE_PYTHON."
        );
        return Vec::new();
    };
    let scratch = root().join("target/tmp");
    std::fs::create_dir_all(&scratch).expect("target/ is ours");
    let run = large_run::make(&scratch);
    let ours = || {
        started(Command::new(PARADE).arg("report").arg(&run).args(["--format", "json"]), &scratch.join("parade.json"))
    };
    let script = root().join("benches/speed/tables.py");
    let theirs = || started(Command::new(&python).arg(&script).arg(&run), &scratch.join("pandas.json"));
    check_equal(&ours(), &theirs());
    let (mut our_memory, mut their_memory) = (Vec::new(), Vec::new());
    let (our_times, their_times) =
        alternating(|| kept(&ours(), &mut our_memory), || kept(&theirs(), &mut their_memory));
    figures(&our_times, &their_times, &our_memory[1..], &their_memory[1..])
}

fn figures(our_times: &[f64], their_times: &[f64], our_memory: &[f64], their_memory: &[f64]) -> Vec<Figure> {
    let what = "10 million test results to the PASTE tables";
    vec![
        Figure {
            what: format!("{what}: time of pandas / time of `parade report`"),
            goal: Goal::AtLeast(3.0),
            unit: " times",
            value: ratio(their_times, our_times),
            detail: format!(
                "parade {}, pandas {}, {} pairs",
                seconds(our_times),
                seconds(their_times),
                our_times.len()
            ),
        },
        Figure {
            what: format!("{what}: peak memory of `parade report` / that of pandas"),
            goal: Goal::AtMost(1.0),
            unit: "",
            value: ratio(our_memory, their_memory),
            detail: format!("parade {}, pandas {}", megabytes(our_memory), megabytes(their_memory)),
        },
    ]
}

fn megabytes(values: &[f64]) -> String {
    let (low, high) = range(values);
    format!("{:.0} MB ({low:.0}–{high:.0})", median(values))
}

/// A process that ended.
struct Ended {
    seconds: f64,
    megabytes: f64,
    output: PathBuf,
}

fn kept(ended: &Ended, memory: &mut Vec<f64>) -> f64 {
    memory.push(ended.megabytes);
    ended.seconds
}

fn started(command: &mut Command, output: &Path) -> Ended {
    let file = File::create(output).expect("target/ is ours");
    let begin = Instant::now();
    let mut process = command.stdin(Stdio::null()).stdout(file).spawn().expect("it can be started");
    let mut megabytes = f64::NAN;
    let status = loop {
        megabytes = peak_megabytes(process.id()).unwrap_or(megabytes);
        if let Some(status) = process.try_wait().expect("it was started here") {
            break status;
        }
        std::thread::sleep(LOOK);
    };
    let seconds = begin.elapsed().as_secs_f64();
    assert!(status.success(), "{command:?}: {status}");
    Ended { seconds, megabytes, output: output.to_owned() }
}

/// The race is fair only if both bring home the same numbers.
fn check_equal(ours: &Ended, theirs: &Ended) {
    let document = |ended: &Ended| -> Value {
        serde_json::from_slice(&std::fs::read(&ended.output).unwrap_or_default()).expect("a JSON document")
    };
    let (ours, theirs) = (&document(ours), document(theirs));
    assert_eq!(
        ours["warnings"].as_array().map(|all| all.iter().filter(|w| w["kind"] == "records_disagree").count()),
        Some(0)
    );
    let ours = &ours["executions"];
    assert_eq!(ours["executions"], theirs["executions"], "rows");
    assert!(ours["executions"].as_u64().is_some_and(|rows| rows >= 10_000_000), "{}", ours["executions"]);
    for table in ["stages", "times"] {
        let (ours, theirs) = (by_cell(&ours[table]), by_cell(&theirs[table]));
        assert_eq!(ours.keys().collect::<Vec<_>>(), theirs.keys().collect::<Vec<_>>(), "{table}");
        for (cell, row) in &theirs {
            for (column, value) in row.as_object().into_iter().flatten() {
                assert!(
                    is_same(&ours[cell][column], value),
                    "{table} {cell:?} {column}: {} {value}",
                    ours[cell][column]
                );
            }
        }
    }
}

type Cell = (String, String, u64);

fn by_cell(rows: &Value) -> BTreeMap<Cell, &Value> {
    let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let cell = |row: &Value| (text(row, "subject"), text(row, "configuration"), row["stage"].as_u64().unwrap_or(0));
    rows.as_array().into_iter().flatten().map(|row| (cell(row), row)).collect()
}

fn is_same(ours: &Value, theirs: &Value) -> bool {
    match (ours.as_f64(), theirs.as_f64()) {
        (Some(ours), Some(theirs)) => (ours - theirs).abs() <= 1e-9 * theirs.abs().max(1.0),
        _ => ours == theirs,
    }
}
