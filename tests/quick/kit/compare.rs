//! Two runs side by side.

use std::fs;

use super::yard::*;

#[test]
fn a_slower_suite_is_found_in_every_cell() {
    let lab = lab();
    let first = run_on(&lab, "alpha", &[]);
    fs::write(lab.path("suite.toml"), suite().replace("seconds = 40", "seconds = 50")).unwrap();
    let second = run_on(&lab, "beta", &[]);
    let compared = json(&succeeds(&lab, &["compare", text(&first), text(&second), "--json"]));
    let cells = compared["cells"].as_array().unwrap();
    assert!(!cells.is_empty());
    for cell in cells {
        assert!(cell["ratio"].as_f64().unwrap() < 1.0, "{cell}");
        // Five against five that do not overlap.
        assert!((cell["p"].as_f64().unwrap() - 2.0 / 252.0).abs() < 1e-12, "{cell}");
        assert_eq!(cell["a12"], 0.0);
        assert_eq!((&cell["same_settings"], &cell["same_outcomes"]), (&true.into(), &true.into()));
    }
    let caveats = compared["caveats"].to_string();
    assert!(
        caveats.contains("The machines differ (host)") && caveats.contains("The code differs in 2 subjects"),
        "{caveats}"
    );
}

#[test]
fn every_form_holds_the_same_cells() {
    let lab = lab();
    let (first, second) = (run_on(&lab, "alpha", &[]), run_on(&lab, "beta", &["--only", "cores=1"]));
    let form = |format: &str| succeeds(&lab, &["compare", text(&first), text(&second), "--format", format]);
    let cells = json(&form("json"))["cells"].as_array().unwrap().len();
    assert_eq!(cells, 4, "two subjects in two configurations on one core");
    assert_eq!(csv::Reader::from_reader(form("csv").as_bytes()).records().count(), cells);
    let page = form("html");
    assert!(page.starts_with("<!DOCTYPE html>") && !page.contains("<script>alert"));
    assert!(form("md").contains("## Only in one of the runs"));
    let screen = succeeds(&lab, &["compare", text(&first), text(&second)]);
    assert!(screen.contains("4 shared cells") && !screen.contains('\u{1b}'), "{screen}");
}

#[test]
fn a_copy_is_the_same_run() {
    let lab = lab();
    let run = run_on(&lab, "alpha", &["--only", "cores=1"]);
    let copied = std::process::Command::new("cp").arg("-R").arg(&run).arg(lab.path("copy")).status().unwrap();
    assert!(copied.success());
    for other in [text(&run), "copy"] {
        let compared = json(&succeeds(&lab, &["compare", text(&run), other, "--json"]));
        let caveats = &compared["caveats"];
        assert!(caveats.to_string().contains("are the same run"), "{caveats}");
        assert!(!caveats.to_string().contains("disturbed"), "{caveats}");
    }
    for command in [&["compare", text(&run), "copy"][..], &["report", text(&run)]] {
        let both = [command, &["--json", "--format", "md"]].concat();
        assert!(refused(&lab, &both, 2).contains("cannot be combined"));
        succeeds(&lab, &[command, &["--json", "--format", "json"]].concat());
    }
}

#[test]
fn a_run_that_cannot_be_written_is_still_reported() {
    let lab = lab();
    let run = run_on(&lab, "alpha", &["--only", "cores=1"]);
    // A folder in its place stops root, too.
    fs::remove_file(run.join("trials.csv")).unwrap();
    fs::create_dir_all(run.join("trials.csv/taken")).unwrap();
    let output = parade(&lab, &["report", text(&run)]);
    assert!(output.status.success(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("trials.csv was not changed"), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("report: "), "{output:?}");
}

#[test]
fn runs_that_share_nothing_are_bad_usage() {
    let lab = lab();
    let first = run_on(&lab, "alpha", &["--only", "subject=one"]);
    let second = run_on(&lab, "beta", &["--only", "subject=two"]);
    let error = refused(&lab, &["compare", text(&first), text(&second)], 2);
    assert!(
        error.contains("these runs share nothing") && error.contains("`one`") && error.contains("`two`"),
        "{error}"
    );
    assert!(refused(&lab, &["compare", text(&first), "nowhere"], 2).contains("is not a run folder"));
}
