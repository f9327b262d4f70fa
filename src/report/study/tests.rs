use proptest::prelude::*;

use super::*;
use crate::report::RunReport;
use crate::report::run_report::empty_run_tables;
use crate::report::sample;

const HEAD: &str = "[study]\nname = \"s\"\ntitle = \"A study\"\n";
const TABLE: &str = "project,n,x,word\na,1,1.5,one\nb (A),2,TO,two\nc,3,2.5,two\nΣ,7,4.0,\n";

fn files(claims: &str, tables: &[(&str, &str)]) -> Files {
    let document = |(stem, text): &(&str, &str)| Document {
        stem: (*stem).to_owned(),
        path: format!("s/published/{stem}.csv"),
        bytes: text.as_bytes().to_vec(),
    };
    Files {
        name: "s".to_owned(),
        claims: Document {
            stem: "claims".to_owned(),
            path: "s/claims.toml".to_owned(),
            bytes: claims.as_bytes().to_vec(),
        },
        tables: tables.iter().map(document).collect(),
    }
}

fn library(claims: &str) -> Library {
    Library::from_files(vec![files(&format!("{HEAD}{claims}"), &[("table-1", TABLE)])], empty_run_tables())
}

/// What is said about the table on top of the file.
const ABOUT: &str = "marks.TO.means = 'time-out'\ntables.table-1.summary = ['Σ']\n";

fn audited(claims: &str) -> Vec<AuditedClaim> {
    audited_with("", claims)
}

fn audited_with(about: &str, claims: &str) -> Vec<AuditedClaim> {
    let library = Library::from_files(
        vec![files(&format!("{ABOUT}{about}{HEAD}{claims}"), &[("table-1", TABLE)])],
        empty_run_tables(),
    );
    match library.study("s") {
        Some(Ok(study)) => library.audit(study),
        other => panic!("{other:?}"),
    }
}

fn claim(id: &str, stated: &str, rest: &str) -> String {
    format!("[[claim]]\nid = '{id}'\nwhere = 'Abstract'\nclaim = 'a claim'\nstated = '{stated}'\n{rest}\n")
}

/// Line, message and help of every mistake.
fn mistakes_of(library: &Library) -> Vec<(Option<usize>, String, String)> {
    let Some(Err(faults)) = library.study("s") else { panic!("no mistakes") };
    let entries = faults.files.iter().flat_map(|file| file.entries());
    entries.map(|mistake| (mistake.line, mistake.message.clone(), mistake.help.clone())).collect()
}

fn mistakes(claims: &str) -> Vec<(Option<usize>, String, String)> {
    mistakes_of(&library(claims))
}

#[test]
fn claims_hold_differ_or_cannot_be_computed() {
    let found = audited(
        &[
            claim("sum", "6", "compute = 'sum(table-1[n])'"),
            claim("off", "7", "compute = 'sum(table-1[n])'"),
            claim("rounded", "2.03", "compute = 'mean(table-1[x])'"),
            claim("impossible", "1", "not_computable = 'not printed'"),
            claim("zero", "1", "compute = '1 / (sum(table-1[n]) - 6)'"),
            claim("empty", "1", "compute = 'mean(table-1[n] where [n] > 9)'"),
            claim("yes", "yes", "compute = 'all(table-1[n] > 0)'"),
            claim("no", "no", "compute = 'mean(table-1[x]) > 1.98'"),
            claim("names", "c; a", "compute = 'keys(table-1[x] where [x] is number)'"),
            claim("name", "b (A)", "compute = 'argmax(table-1[x])'"),
            claim("cell", "two", "compute = 'table-1[word] at \"c\"'"),
            claim("repeated", "6", "compute = 'stated(\"sum\")'\nkind = 'contradiction'"),
            claim("least", "5", "compute = 'sum(table-1[n])'\nrelation = 'at_least'"),
            claim("about", "6.5", "compute = 'sum(table-1[n])'\nrelation = 'about'"),
            claim("strict", "6.1", "compute = 'sum(table-1[n])'\nrelation = 'about'\ntolerance = 0.01"),
            claim("cut", "1", "compute = '1.99'\nrounding = 'down'"),
            claim("step", "1,500", "compute = '1540'\nstep = 100"),
        ]
        .join("\n"),
    );
    let verdicts: Vec<(&str, Verdict, Option<bool>)> =
        found.iter().map(|claim| (claim.id.as_str(), claim.verdict, claim.rounding_explains)).collect();
    use Verdict::{Differs, Holds, NotComputable};
    assert_eq!(
        verdicts,
        [
            ("sum", Holds, None),
            ("off", Differs, Some(false)),
            ("rounded", Differs, Some(true)),
            ("impossible", NotComputable, None),
            ("zero", NotComputable, None),
            ("empty", NotComputable, None),
            ("yes", Holds, None),
            ("no", Differs, Some(true)),
            ("names", Holds, None),
            ("name", Differs, Some(false)),
            ("cell", Holds, None),
            ("repeated", Holds, None),
            ("least", Holds, None),
            ("about", Holds, None),
            ("strict", Differs, Some(false)),
            ("cut", Holds, None),
            ("step", Holds, None),
        ]
    );
    assert_eq!(found[3].reason.as_deref(), Some("not printed"));
    assert_eq!(found[4].reason.as_deref(), Some("division by zero"));
    let tally = ClaimTally::count(&found);
    assert_eq!((tally.claims, tally.hold, tally.differ, tally.within_rounding, tally.not_computable), (17, 9, 5, 2, 3));
}

#[test]
fn what_is_wrong_with_a_file_is_told_with_its_line() {
    let cases = [
        (claim("a", "1", "compute = 'sum(table-1[m])'"), 9, "`table-1` has no column `m`", "columns"),
        (
            claim("a", "1", "compute = 'sum(table-1[word])'"),
            9,
            "`one` is not a number: s/published/table-1.csv, line 2",
            "marks",
        ),
        (claim("a", "1", "compute = 'sum(table-1[x])'"), 9, "`TO` is not a number", "[tables.table-1.marks]"),
        (claim("a", "1", "compute = 'table-1[n]'"), 9, "states a number (`1`)", "a column: take its"),
        (claim("a", "yes", "compute = '1'"), 9, "states yes or no", "a number"),
        (claim("a", "x", "compute = '1'"), 9, "states names", "a number"),
        (claim("a", "1", "compute = '1'\nnot_computable = 'x'"), 10, "not both", "keep one"),
        (claim("a", "1", ""), 4, "has no `compute`", "not_computable"),
        (
            claim("a", "1", "compute = '1'\nrelation = 'atleast'"),
            10,
            "`relation` cannot be `atleast`",
            "did you mean `at_least`?",
        ),
        (claim("a", "1", "compute = '1'\nrounding = 'off'"), 10, "`rounding` cannot be", "nearest"),
        (claim("a", "1", "compute = '1'\ntolerance = 0.1"), 10, "belongs to", "leave"),
        (claim("a", "1", "compute = '1'\nrelation = 'about'\ntolerance = 7"), 11, "a share", "0 to 1"),
        (claim("a", "1", "compute = '1'\nneutral = 1.0"), 4, "`neutral` is for `own`", "own"),
        (
            claim("a", "1", "compute = '1'\nown = 'mean(speedup[x])'"),
            10,
            "no table `speedup`",
            "did you mean `speedups`?",
        ),
        (
            claim("a", "1", "compute = '1'\nown = 'mean(speedups[speed])'"),
            10,
            "no column `speed`",
            "did you mean `speedup`?",
        ),
        (claim("a", "1", "compute = 'stated(\"s/b\")'"), 9, "no claim `s/b`", "claims"),
        (
            claim("a", "1", "computed = '1'\nnot_computable = 'x'"),
            9,
            "[[claim]] has no key `computed`",
            "did you mean `compute`?",
        ),
        (claim("a", "1", "compute = 'stated(\"a\") + 0'"), 9, "refers to itself", "another claim"),
        (claim("a", "1", "compute = 'stated(\"s/a\")'"), 9, "refers to itself", "another claim"),
        (claim("a", "", "compute = '1'"), 8, "nothing is stated", "what is printed"),
        (claim("a/b", "1", "compute = '1'"), 4, "is not an id", "hyphens"),
        (
            format!("{}{}", claim("a", "1", "compute = '1'"), claim("a", "1", "compute = '1'")),
            10,
            "two claims have the id `a`",
            "a different id",
        ),
        (
            "[tables.table-2]\ntitle = 'x'\n".to_owned(),
            4,
            "there is no published/table-2.csv",
            "did you mean `table-1`?",
        ),
        ("[tables.table-1]\nkey = 'projct'\n".to_owned(), 5, "has no column `projct`", "did you mean `project`?"),
        ("[tables.table-1]\nsummary = ['Sum']\n".to_owned(), 5, "has no row `Sum`", "rows"),
        ("[tables.table-1.names]\nq = 'z'\n".to_owned(), 5, "has no row `q`", "renaming"),
        ("[tables.table-1]\nrounded = 'n'\n".to_owned(), 5, "must be a list of texts", "rounded"),
        ("[marks]\nTO = 'time-out'\n".to_owned(), 5, "`TO` must be a table", "marks"),
        ("[marks]\nTO = { mean = 'x' }\n".to_owned(), 5, "no `means`", "means"),
        (
            "[[tables.table-1.own]]\ncolumn = 'y'\nfrom = 'speedups[speedup]'\n".to_owned(),
            5,
            "has no column `y`",
            "columns",
        ),
        (
            "[[tables.table-1.own]]\ncolumn = 'x'\nfrom = 'mean(speedups[speedup])'\n".to_owned(),
            6,
            "not a column of a run's table",
            "row =",
        ),
        (
            "[[tables.table-1.own]]\ncolumn = 'x'\nrow = 'Σ'\nfrom = 'speedups[speedup]'\n".to_owned(),
            7,
            "one row needs one",
            "mean(",
        ),
        ("[[subject]]\nname = 'x'\n".to_owned(), 4, "[[subject]] has no `published`", "published"),
    ];
    let missed: Vec<String> = cases
        .into_iter()
        .filter_map(|(text, line, message, help)| {
            let found = mistakes(&text);
            let fits = |(at, told, advice): &(Option<usize>, String, String)| {
                *at == Some(line) && told.contains(message) && advice.contains(help)
            };
            (!found.iter().any(fits)).then(|| format!("{text}\n{line} {message} {help}\n{found:?}"))
        })
        .collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn a_mistake_points_into_the_expression() {
    let text = claim("a", "1", "compute = '''\n  sum(table-1[n])\n  + maen(table-1[n])'''");
    let library = library(&text);
    let Some(Err(faults)) = library.study("s") else { panic!("no mistakes") };
    let mistake = &faults.files[0].entries()[0];
    assert_eq!((mistake.line, mistake.column), (Some(11), Some(5)), "{mistake:?}");
    // With escapes only the whole text can be pointed at.
    let escaped = claim("a", "1", "compute = \"sum(table-1[n] at \\\"zz\\\")\"");
    assert_eq!(mistakes(&escaped)[0].0, Some(9));
}

#[test]
fn files_that_are_no_study_are_refused() {
    let of = |claims: &[u8], table: &[u8]| {
        let mut files = files("", &[("table-1", TABLE)]);
        files.claims.bytes = claims.to_vec();
        files.tables[0].bytes = table.to_vec();
        mistakes_of(&Library::from_files(vec![files], empty_run_tables()))
    };
    let head = HEAD.as_bytes();
    assert!(of(b"\xff", TABLE.as_bytes())[0].1.contains("not UTF-8"));
    assert!(of(b"[study", TABLE.as_bytes())[0].1.contains("not TOML"));
    assert!(of(b"", TABLE.as_bytes())[0].1.contains("the file has no `study`"));
    assert!(of(b"[study]\nname = 't'\ntitle = 'x'\n", TABLE.as_bytes())[0].1.contains("its folder is `s`"));
    assert!(of(head, b"")[0].1.contains("is empty"));
    assert!(of(head, b"a,b\n1\n")[0].1.contains("1 cells, and the header 2"));
    assert!(of(head, b"a,\xff\n")[0].1.contains("not UTF-8"));
    assert_eq!(of(b"[study", b"").len(), 2, "all files are told about at once");
}

#[test]
fn studies_refer_to_each_other() {
    let mut other = files("[study]\nname = 't'\ntitle = 'T'\n", &[]);
    other.name = "t".to_owned();
    other.claims.bytes.extend(claim("cited", "8", "compute = 'stated(\"s/sum\")'\nkind = 'citation'").into_bytes());
    let text = format!("{HEAD}{}", claim("sum", "6", "compute = 'sum(table-1[n] where [project] != \"Σ\")'"));
    let library = Library::from_files(vec![files(&text, &[("table-1", TABLE)]), other], empty_run_tables());
    let Some(Ok(study)) = library.study("t") else { panic!("{:?}", library.study("t")) };
    let audited = library.audit(study);
    assert_eq!((audited[0].verdict, audited[0].recomputed.clone()), (Verdict::Differs, Some(ClaimAnswer::Number(6.0))));
}

#[test]
fn rows_can_have_other_names_and_several_columns_can_name_them() {
    let named =
        audited_with("tables.table-1.names.'b (A)' = 'b'\n", &claim("a", "2", "compute = 'table-1[n] at \"b\"'"));
    assert_eq!(named[0].verdict, Verdict::Holds);
    let text = format!(
        "[tables.table-1]\nkey = ['project', 'word']\n{}",
        claim("a", "3", "compute = 'table-1[n] at \"c / two\"'")
    );
    let library = library(&text);
    let Some(Ok(study)) = library.study("s") else { panic!("{:?}", library.study("s")) };
    assert_eq!(library.audit(study)[0].verdict, Verdict::Holds);
}

#[test]
fn whole_numbers_are_exact_unless_told_and_decimals_rounded_unless_told() {
    let low = |about: &str, compute: &str| {
        let found = audited_with(about, &claim("a", "9", &format!("compute = '{compute}'")));
        (found[0].low, found[0].high)
    };
    assert_eq!(low("", "table-1[n] at \"a\""), (Some(1.0), Some(1.0)));
    assert_eq!(low("tables.table-1.rounded = ['n']\n", "table-1[n] at \"a\""), (Some(0.5), Some(1.5)));
    assert_eq!(low("tables.table-1.exact = ['x']\n", "table-1[x] at \"a\""), (Some(1.5), Some(1.5)));
    assert_eq!(low("", "1 / (table-1[x] at \"a\" - 1.49)"), (None, None), "unbounded is no number");
}

/// The study whose subjects `report::sample` has run.
fn replicated(claims: &str, subjects: &[&str]) -> Library {
    let table = "project,tests,classes,methods/#1,time\n\
        clean-gain (A),40,1.9,0.0,1m02s\n\
        data-race,41,2.5,4.0,2m48s\n\
        order-in-class,90,0.5,–,12s\n\
        hangs,40,1.0,TO,9s\n\
        unknown,40,1.0,TO,9s\n\
        Average,50.2,1.38,2.0,51s\n";
    let subjects: String =
        subjects.iter().map(|name| format!("[[subject]]\npublished = '{name}'\nname = '{name}'\n")).collect();
    let about = "[marks]\n'–' = { means = 'not needed', own = ['skipped'] }\nTO = { means = 'time-out', own = ['timed_out'] }\n\
        [tables.table-1]\nsummary = ['Average']\n\
        [[tables.table-1.own]]\ncolumn = 'tests'\nfrom = 'subjects[tests]'\n\
        [[tables.table-1.own]]\ncolumn = 'classes'\nneutral = 1.0\n\
        from = 'speedups[speedup] where [configuration] == \"classes\"'\n\
        low = 'speedups[ci_low] where [configuration] == \"classes\"'\n\
        high = 'speedups[ci_high] where [configuration] == \"classes\"'\n\
        [[tables.table-1.own]]\ncolumn = 'classes'\nrow = 'Average'\nneutral = 1.0\n\
        from = 'mean(speedups[speedup] where [configuration] == \"classes\")'\npublished = 'mean(table-1[classes])'\n\
        [[tables.table-1.own]]\ncolumn = 'methods/#1'\nneutral = 0.0\n\
        from = 'failures[failures] where [configuration] == \"methods\" and [stage] == 1'\n\
        instead = 'failures[state] where [configuration] == \"methods\" and [stage] == 1'\n\
        [[tables.table-1.own]]\ncolumn = 'time'\nfrom = 'costs[clean_wall_seconds] where [configuration] == \"sequential\"'\n";
    Library::from_files(
        vec![files(&format!("{HEAD}{about}{subjects}{claims}"), &[("table-1", table)])],
        empty_run_tables(),
    )
}

const RUN: [&str; 4] = ["clean-gain", "data-race", "order-in-class", "hangs"];

fn own_answers(claims: &str, subjects: &[&str]) -> Vec<OwnAnswer> {
    let library = replicated(claims, subjects);
    let Some(Ok(study)) = library.study("s") else { panic!("{:?}", library.study("s")) };
    let compared = library.compared(study, RunReport::new(sample::studied()).run_tables().unwrap());
    study.claims.iter().map(|claim| compared.answer(claim)).collect()
}

#[test]
fn a_run_reproduces_claims_or_not() {
    let speedup = "speedups[speedup] where [configuration] == \"classes\"";
    let claims = [
        claim("near", "1.5", &format!("not_computable = 'x'\nown = 'mean({speedup})'\nneutral = 1.0")),
        claim("side", "3", &format!("not_computable = 'x'\nown = 'mean({speedup})'\nneutral = 1.0")),
        claim("other", "0.5", &format!("not_computable = 'x'\nown = 'mean({speedup})'\nneutral = 1.0")),
        claim("yes", "yes", &format!("not_computable = 'x'\nown = 'max({speedup}) > 0'")),
        claim("name", "clean-gain", &format!("not_computable = 'x'\nown = 'argmax({speedup})'")),
        claim("silent", "1", "not_computable = 'x'"),
        claim("nothing", "1", "not_computable = 'x'\nown = 'mean(speedups[speedup] where [configuration] == \"no\")'"),
        claim("no-table", "1", "not_computable = 'x'\nown = 'count(scaling[subject])'"),
    ]
    .concat();
    let found = own_answers(&claims, &RUN);
    let verdicts: Vec<&str> = found.iter().map(|answer| answer.own_verdict.name()).collect();
    assert_eq!(
        verdicts,
        ["reproduced", "direction_only", "not_reproduced", "reproduced", "reproduced", "not_run", "not_run", "not_run"]
    );
    assert!(found.iter().all(|answer| (answer.own_subjects, answer.own_of) == (4, 4)));
    assert_eq!(found[0].own_reference, Some(ClaimAnswer::Number(1.5)));
}

#[test]
fn what_was_not_run_is_not_zero() {
    let of = |expression: &str| format!("not_computable = 'x'\nown = '{expression}'");
    let claims = [
        claim("sum", "0", &of("sum(failures[failures] where [configuration] == \"no\" and [stage] == 1)")),
        claim("count", "0", &of("count(failures[failures] where [configuration] == \"no\" and [failures] > 0)")),
        claim("no-stage", "0", &of("sum(failures[failures] where [stage] == 9)")),
        claim("all", "yes", &of("all(speedups[speedup] > 1 where [configuration] == \"no\")")),
        claim(
            "none-so-bad",
            "0",
            &of("count(failures[failures] where [configuration] == \"methods\" and [failures] > 999)"),
        ),
        claim("either", "yes", &of("count(failures[failures] where [configuration] in (\"no\", \"methods\")) > 0")),
    ]
    .concat();
    let found = own_answers(&claims, &RUN);
    let verdicts: Vec<&str> = found.iter().map(|answer| answer.own_verdict.name()).collect();
    assert_eq!(verdicts, ["not_run", "not_run", "not_run", "not_run", "reproduced", "reproduced"]);
    assert!(found[0].own_reason.as_deref().is_some_and(|reason| reason.starts_with("the run has no data for it")));
}

#[test]
fn a_part_of_the_subjects_is_compared_with_the_same_part() {
    let subjects = [&RUN[..2], &["unknown", "never-run"][..]].concat();
    let own = "own = 'mean(speedups[speedup] where [configuration] == \"classes\")'\nneutral = 1.0";
    let claims = [
        claim("mean", "1.38", &format!("compute = 'mean(table-1[classes])'\n{own}")),
        claim("repeats", "1.38", &format!("compute = 'stated(\"mean\")'\n{own}")),
        claim("printed", "1.38", &format!("compute = 'table-1[classes] at \"Average\"'\n{own}")),
        claim("slow", "no", "compute = 'all(table-1[classes] > 1.5)'\nown = 'all(speedups[speedup] > 0)'"),
        claim("mentions", "2.76", &format!("compute = 'stated(\"mean\") * 2'\n{own}")),
    ]
    .concat();
    let found = own_answers(&claims, &subjects);
    assert!(found.iter().all(|answer| (answer.own_subjects, answer.own_of) == (2, 4)));
    assert_eq!(found[0].own_reference, Some(ClaimAnswer::Number(2.2)), "of the two subjects that were run");
    assert_eq!(found[1].own_reference, Some(ClaimAnswer::Number(2.2)));
    assert_eq!(found[2].own_reference, None, "a printed average is over all subjects");
    assert_eq!((found[2].own_verdict, found[4].own_verdict), (OwnVerdict::DirectionOnly, OwnVerdict::DirectionOnly));
    assert_eq!(found[3].own_verdict, OwnVerdict::NotRun, "what is claimed of all is not true of these two");
    assert!(
        found[2].own_reason.as_deref().is_some_and(|reason| reason.contains("cannot be recomputed for the subjects"))
    );
    let none = own_answers(&claims, &["never-run"]);
    assert!(none.iter().all(|answer| answer.own_verdict == OwnVerdict::NotRun));
}

#[test]
fn cells_stand_beside_those_of_a_run() {
    let library = replicated("", &RUN);
    let Some(Ok(study)) = library.study("s") else { panic!("{:?}", library.study("s")) };
    let tables =
        cells::published_tables(&library.compared(study, RunReport::new(sample::studied()).run_tables().unwrap()));
    let table = &tables[0];
    assert_eq!((tables.len(), table.own_subjects, table.own_of), (1, 4, 4));
    let cell = |row: usize, column: usize| table.rows[row].cells[column].own.as_ref().unwrap();
    assert_eq!(table.rows[0].subject.as_deref(), Some("clean-gain"), "by the name without what is in parentheses");
    assert_eq!((cell(0, 1).value, cell(0, 1).verdict), (Some(40.0), OwnVerdict::Reproduced));
    assert_eq!(cell(2, 1).verdict, OwnVerdict::NotReproduced, "90 tests are not 40");
    assert_eq!(
        (cell(0, 2).verdict, cell(1, 2).verdict, cell(2, 2).verdict),
        (OwnVerdict::Reproduced, OwnVerdict::DirectionOnly, OwnVerdict::DirectionOnly)
    );
    assert!(cell(0, 2).low < cell(0, 2).value && cell(0, 2).value < cell(0, 2).high);
    assert_eq!((cell(3, 3).text.as_deref(), cell(3, 3).verdict), (Some("TO"), OwnVerdict::Reproduced));
    assert_eq!((cell(0, 3).value, cell(0, 3).verdict), (Some(0.0), OwnVerdict::Reproduced));
    assert_eq!(cell(2, 3).verdict, OwnVerdict::NotReproduced, "a dash is not 3 failures");
    assert_eq!((table.rows[0].cells[4].value, cell(0, 4).verdict), (Some(62.0), OwnVerdict::Reproduced));
    assert_eq!(table.rows[2].cells[3].mark.as_deref(), Some("not needed"));
    assert_eq!(table.rows[4].cells[2].own, None, "a project that the run cannot have");
    assert_eq!((cell(5, 2).reference, cell(5, 2).verdict), (None, OwnVerdict::Reproduced));
    assert!(table.rows[5].is_summary && table.rows[5].cells[1].own.is_none());
}

#[test]
fn an_average_is_not_compared_with_that_of_other_subjects() {
    let library = replicated("", &["clean-gain", "data-race", "never-run"]);
    let Some(Ok(study)) = library.study("s") else { panic!("{:?}", library.study("s")) };
    let tables =
        cells::published_tables(&library.compared(study, RunReport::new(sample::studied()).run_tables().unwrap()));
    let average = tables[0].rows[5].cells[2].own.as_ref().unwrap();
    assert_eq!((average.reference, average.verdict), (Some(2.2), OwnVerdict::DirectionOnly));
}

#[test]
fn every_embedded_study_loads() {
    let library = Library::embedded(empty_run_tables());
    let names: Vec<&str> = library.names().collect();
    assert_eq!(names, ["electrictest", "lam", "paste", "sleepreplacer", "stile", "testboost"]);
    for name in names {
        match library.study(name) {
            Some(Ok(study)) => {
                assert!(!study.claims.is_empty() && !study.tables.is_empty(), "{name} is empty");
                let audited = library.audit(study);
                assert!(audited.iter().any(|claim| claim.verdict == Verdict::Holds), "{name}");
            }
            Some(Err(faults)) => {
                panic!("{name}: {:?}", faults.files.iter().flat_map(|file| file.entries()).collect::<Vec<_>>())
            }
            None => panic!("{name} is gone"),
        }
    }
}

#[test]
fn what_is_embedded_is_what_the_folder_has() {
    let embedded = Library::embedded(empty_run_tables());
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
    let on_disk = Library::in_folder(&folder, empty_run_tables()).unwrap();
    assert_eq!(embedded.names().collect::<Vec<_>>(), on_disk.names().collect::<Vec<_>>());
    for name in on_disk.names() {
        let tables = |library: &Library| {
            let study = library.study(name).unwrap().unwrap();
            study.tables.iter().map(|table| (table.name.clone(), table.rows.clone())).collect::<Vec<_>>()
        };
        let again = "a file is new or gone since the last build: touch src/study/library.rs";
        assert_eq!(tables(&embedded), tables(&on_disk), "{name}: {again}");
        let claims = |library: &Library| library.study(name).unwrap().unwrap().claims.clone();
        assert_eq!(claims(&embedded), claims(&on_disk), "{name}: {again}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_file_breaks_the_loader(claims in "\\PC{0,80}", table in "[a-z0-9,\"\n ]{0,60}", stated in "[ \
        -~]{0,12}", compute in "[ -&(-~]{0,30}") {
        let text = format!("{HEAD}{claims}");
        let _ = Library::from_files(vec![files(&text, &[("table-1", &table)])], empty_run_tables()).study("s");
        let text = format!("{HEAD}{}", claim("a", &stated.replace('\'', ""), &format!("compute = '{compute}'")));
        let library = Library::from_files(vec![files(&text, &[("table-1", &table)])], empty_run_tables());
        if let Some(Ok(study)) = library.study("s") {
            library.audit(study);
        }
    }
}
