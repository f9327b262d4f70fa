//! `parade audit`, the real program: on the studies inside it, on a folder of studies, and beside a run.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;

const CLAIMS: &str = r#"
[study]
name = "small"
title = "A small study"
year = 2020

[marks]
"TO" = { means = "time-out" }

[[subject]]
published = "first"
name = "one"
[[subject]]
published = "second"
name = "two"

[[claim]]
id = "sum"
where = "Abstract"
claim = "tests of all projects"
stated = "30"
unit = "tests"
compute = 'sum(table-1[tests])'
own = 'sum(subjects[tests])'
neutral = 0.0

[[claim]]
id = "mean"
where = "Table 1"
claim = "mean speedup"
stated = "1.77"
unit = "x"
compute = 'mean(table-1[speedup])'
note = "the mean of both is meant"

[[claim]]
id = "median"
where = "Section 2"
claim = "median speedup"
stated = "2.50"
unit = "x"
compute = 'median(table-1[speedup])'

[[claim]]
id = "lost"
where = "Section 3"
claim = "seconds saved"
stated = "12"
not_computable = "no time is printed"

[[claim]]
id = "fastest"
where = "Section 3"
claim = "the fastest project"
stated = "first"
compute = 'argmax(table-1[speedup])'
"#;

const TABLE: &str = "project,tests,speedup\nfirst,10,2.0\nsecond,20,1.5\n";

struct Desk {
    dir: tempfile::TempDir,
}

impl Desk {
    fn new() -> Self {
        Desk { dir: tempfile::tempdir().unwrap() }
    }

    fn with_study(claims: &str, table: &str) -> Self {
        let desk = Desk::new();
        let study = desk.studies().join("small");
        fs::create_dir_all(study.join("published")).unwrap();
        fs::write(study.join("claims.toml"), claims).unwrap();
        fs::write(study.join("published/table-1.csv"), table).unwrap();
        desk
    }

    fn studies(&self) -> PathBuf {
        self.dir.path().join("studies")
    }

    fn parade(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let output = Command::cargo_bin("parade")
            .unwrap()
            .args(arguments)
            .current_dir(self.dir.path())
            .env("PARADE_HOME", self.dir.path().join("home"))
            .env("COLUMNS", "100")
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    }

    fn audit(&self, more: &[&str]) -> (Option<i32>, String, String) {
        self.parade(&[&["audit", "--studies", "studies"], more].concat())
    }

    fn json(&self, more: &[&str]) -> Vec<Value> {
        let (code, out, error) = self.audit(&[more, &["--json"]].concat());
        assert_eq!(code, Some(0), "{error}");
        serde_json::from_str(&out).unwrap()
    }
}

fn small() -> Desk {
    Desk::with_study(CLAIMS, TABLE)
}

#[test]
fn a_script_gets_every_claim() {
    let claims = small().json(&[]);
    let verdicts: Vec<&str> = claims.iter().map(|claim| claim["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["holds", "differs", "differs", "not_computable", "holds"]);
    let sum = &claims[0];
    assert_eq!(
        (&sum["study"], &sum["where"], &sum["claim"]),
        (&"small".into(), &"Abstract".into(), &"tests of all projects".into())
    );
    assert_eq!((sum["stated"].as_f64(), sum["recomputed"].as_f64()), (Some(30.0), Some(30.0)));
    assert_eq!(
        (claims[1]["rounding_explains"].as_bool(), claims[2]["rounding_explains"].as_bool()),
        (Some(true), Some(false))
    );
    let near = |key: &str, expected: f64| claims[1][key].as_f64().is_some_and(|bound| (bound - expected).abs() < 1e-9);
    assert!(near("low", 1.7) && near("high", 1.8), "{}", claims[1]);
    assert_eq!((&claims[3]["recomputed"], &claims[3]["reason"]), (&Value::Null, &"no time is printed".into()));
    assert_eq!((&claims[4]["stated"], &claims[4]["recomputed"]), (&"first".into(), &"first".into()));
    assert!(claims.iter().all(|claim| claim.get("own_verdict").is_none()), "nothing was compared with a run");
}

#[test]
fn a_person_reads_what_differs_and_why() {
    let (code, out, _) = small().audit(&[]);
    assert_eq!(code, Some(0), "a difference is a finding");
    assert!(out.contains("small: A small study (2020)"), "{out}");
    assert!(out.contains("median: the study states 2.50x; its rows give 1.75x."), "{out}");
    assert!(out.contains("mean: the study states 1.77x; its rows give 1.75x. The rows are rounded:"), "{out}");
    assert!(out.contains("The mean of both is meant."), "{out}");
    assert!(out.contains("lost: No time is printed."), "{out}");
    let sum = "small: 5 claims: 2 hold, 2 differ (1 of them explained by rounding), 1 cannot be";
    assert!(out.contains(sum), "{out}");
    for line in out.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
}

#[test]
fn what_is_asked_for_is_shown() {
    let desk = small();
    assert_eq!(desk.json(&["--only", "differs"]).len(), 2);
    assert_eq!(desk.json(&["--only", "differs", "--only", "not_computable"]).len(), 3);
    assert_eq!(desk.json(&["--claim", "small/mean"])[0]["id"], "mean");
    let (_, out, _) = desk.audit(&["--claim", "mean"]);
    assert!(out.contains("computed by mean(table-1[speedup])"), "{out}");
    assert!(out.contains("table-1[speedup] = 2 rows: first 2.0, second 1.5"), "{out}");
    assert!(out.contains("mean(table-1[speedup]) = 1.75 (1.7 to 1.8 before rounding)"), "{out}");
}

#[test]
fn strict_is_an_exit_code() {
    let desk = small();
    assert_eq!(desk.audit(&["--strict"]).0, Some(3));
    assert_eq!(desk.audit(&["--strict", "--only", "holds"]).0, Some(0));
    assert_eq!(desk.audit(&["--strict", "--json"]).0, Some(3));
}

#[test]
fn unknown_names_are_bad_usage_with_a_suggestion() {
    let desk = small();
    for (arguments, message, help) in [
        (&["smal"][..], "there is no study `smal`", "did you mean `small`?"),
        (&["--claim", "meen"][..], "there is no claim `meen`", "did you mean `mean`?"),
        (&["--claim", "small/meen"][..], "there is no claim `small/meen`", "did you mean `small/mean`?"),
        (&["--only", "wrong"][..], "wrong", "holds, differs, not_computable"),
    ] {
        let (code, _, error) = desk.audit(arguments);
        assert_eq!(code, Some(2), "{error}");
        assert!(error.contains(message) && error.contains(help), "{error}");
    }
    let (code, _, error) = desk.parade(&["audit", "--studies", "."]);
    assert!(code == Some(1) && error.contains("has no study"), "{error}");
}

#[test]
fn mistakes_are_told_with_file_line_and_column() {
    let desk = Desk::with_study(&CLAIMS.replace("sum(table-1[tests])", "sum(table-1[test])"), TABLE);
    let (code, out, error) = desk.audit(&[]);
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(error.contains("`table-1` has no column `test`") && error.contains("did you mean `tests`?"), "{error}");
    assert!(error.contains("claims.toml:23:16"), "{error}");
    let (code, out, _) = desk.audit(&["--json"]);
    assert_eq!(code, Some(2));
    let document: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&document[0]["mistakes"][0]["line"], &document[0]["mistakes"][0]["column"]), (&23.into(), &16.into()));
    let desk = Desk::with_study(CLAIMS, "project,tests,speedup\nfirst,10\n");
    let (code, _, error) = desk.audit(&[]);
    assert!(code == Some(2) && error.contains("table-1.csv") && error.contains("2 cells, and the header 3"), "{error}");
}

#[test]
fn a_broken_study_does_not_stop_the_others() {
    let desk = small();
    let other = desk.studies().join("broken");
    fs::create_dir_all(&other).unwrap();
    fs::write(other.join("claims.toml"), "[study").unwrap();
    assert_eq!(desk.audit(&["small"]).0, Some(0));
    assert_eq!(desk.audit(&[]).0, Some(2));
}

#[test]
fn texts_of_a_study_cannot_steer_the_terminal() {
    let claims = CLAIMS
        .replace("note = \"the mean", "note = \"\\u001b[31mthe mean")
        .replace("\"mean speedup\"", "\"mean\\u001b]0;x speedup\"");
    let desk = Desk::with_study(&claims, "project,tests,speedup\nfirst,10,2.0\n\u{1b}[2Jsecond,20,1.5\n");
    for more in [&[][..], &["--claim", "mean"][..]] {
        let (code, out, error) = desk.audit(more);
        assert_eq!(code, Some(0), "{error}");
        assert!(!out.contains('\u{1b}') && out.contains("\\u{1b}"), "{out}");
    }
}

#[test]
fn the_studies_come_along() {
    let desk = Desk::new();
    let (code, out, error) = desk.parade(&["audit", "--json"]);
    assert_eq!(code, Some(0), "{error}");
    let claims: Vec<Value> = serde_json::from_str(&out).unwrap();
    for study in ["paste", "lam", "electrictest", "testboost", "stile", "sleepreplacer"] {
        assert!(claims.iter().any(|claim| claim["study"] == study), "{study}");
    }
    assert!(
        claims.iter().all(|claim| ["holds", "differs", "not_computable"].contains(&claim["verdict"].as_str().unwrap()))
    );
    let differing =
        claims.iter().find(|claim| claim["study"] == "paste" && claim["id"] == "tests-of-chronicle-queue").unwrap();
    assert_eq!((differing["stated"].as_f64(), differing["recomputed"].as_f64()), (Some(338.0), Some(328.0)));
    let (code, _, error) = desk.parade(&["audit", "pastee"]);
    assert!(code == Some(2) && error.contains("did you mean `paste`?"), "{error}");
}

fn model(path: &Path, tests: usize) {
    let tests = (0..tests).map(|number| format!("[[test]]\nid = 'p.C{number}#t'\nseconds = 1\n"));
    fs::write(path, tests.collect::<String>()).unwrap();
}

#[test]
fn a_run_of_ones_own_is_a_third_column() {
    let desk = small();
    model(&desk.dir.path().join("one.model"), 10);
    let experiment = "[experiment]\nname = 'mine'\nrepetitions = 1\n[machine]\ncores = 1\n\
        [[subject]]\nname = 'one'\nmodel = 'one.model'\n\
        [[configuration]]\nname = 'sequential'\n[[configuration]]\nname = 'classes'\ntechnique = 'paste'\nparallel = 'classes'\nthreads = 2\n\
        [analysis]\nbaseline = 'sequential'\n";
    fs::write(desk.dir.path().join("mine.toml"), experiment).unwrap();
    let (code, out, error) = desk.parade(&["run", "mine.toml"]);
    assert_eq!(code, Some(0), "{out}{error}");
    let claims = desk.json(&["--run", "results/mine/latest"]);
    let sum = &claims[0];
    assert_eq!((sum["own"].as_f64(), &sum["own_verdict"]), (Some(10.0), &"reproduced".into()));
    assert_eq!(sum["own_reference"].as_f64(), Some(10.0), "the published tests of the one subject that was run");
    assert_eq!((sum["own_subjects"].as_u64(), sum["own_of"].as_u64()), (Some(1), Some(2)));
    assert_eq!((&claims[1]["own_verdict"], &claims[1]["own"]), (&"not_run".into(), &Value::Null));
    let (_, out, _) = desk.audit(&["--run", "results/mine/latest"]);
    let sentence = "reproduced on 1 of 2 subjects: 10; the published rows of these subjects give 10; for all subjects, the \
                    study states";
    let unwrapped = out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(unwrapped.contains(sentence), "{out}");
    assert!(out.contains("Your run has 1 of 2 subjects: 1 reproduced,"), "{out}");
    let (code, _, error) = desk.parade(&["audit", "--run", "results/mine/latest"]);
    assert!(code == Some(2) && error.contains("does not name a study"), "{error}");
    assert_eq!(desk.audit(&["--run", "nowhere"]).0, Some(2));
}
